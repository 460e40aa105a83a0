/* Which of many literals stand anywhere in a text, also over one another: one pass, however many there are. */
#ifndef BENCHLEDGER_LITERALS_H
#define BENCHLEDGER_LITERALS_H

#include "search.h"

enum { LITERAL_SLOTS = 1024 };

typedef struct {
    unsigned char *bytes;
    Span *texts;
    uint32_t count;
    /* Looked for is the rarest part of a literal: where it begins in it. */
    uint32_t *parts;
    Search search;
    /* How many bytes of a part tell its slot: as many as the shortest has, four at most. */
    uint32_t told;
    /* The literals by the slots of their parts, and in that order those of one byte only. */
    uint32_t *by_slot, begin[LITERAL_SLOTS + 1];
    uint32_t singles;
    /* Those whose parts begin alike beside one another. */
    uint32_t *sorted;
} Literals;

/* Prepares for `count` literals, which stand behind one another in `bytes`; none is empty. 0: no memory. */
int literals_prepare(Literals *literals, const unsigned char *bytes, const uint32_t *lengths, uint32_t count);
void literals_free(Literals *literals);
/* Sets found[index], which is 0, to 1 for each literal that stands in a text. */
void literals_find(const Literals *literals, Span text, unsigned char *found);

#endif
