/* Where one of a few literals stands next. Where the processor can look at 32 bytes at once, the first two or three bytes of
   the literals are looked for; else most bytes are skipped, by what ends a window as long as the shortest literal. */
#ifndef BENCHLEDGER_SEARCH_H
#define BENCHLEDGER_SEARCH_H

#include "bytes.h"

enum { SEARCH_SLOTS = 4096, MOST_LITERALS = 4096 };

typedef struct {
    Span *literals; /* of at least two bytes each, in the order of their slots */
    uint32_t count;
    uint32_t window;
    uint8_t skip[SEARCH_SLOTS];
    uint16_t begin[SEARCH_SLOTS + 1];
    /* Of the bytes at the first places of a literal: which of eight sets of literals have such halves of a byte. */
    uint8_t low[3][16], high[3][16];
    uint32_t places;
    /* The literals by their first byte. */
    Span *by_first;
    uint16_t first[257];
    int wide;
} Search;

/* Prepares for the literals, which are put into another order. 0: no memory. */
int search_prepare(Search *search, Span *literals, uint32_t count);
void search_free(Search *search);
/* The first place from `at` on at which a literal stands whole before `end`, or NULL. Up to `limit` bytes may be looked at. */
Place search_next(const Search *search, Place at, Place end, Place limit);

#endif
