/* Lists of numbers that differ from the one before in the numbers only, as those of most lines of a log do. */
#ifndef BENCHLEDGER_ALIKE_H
#define BENCHLEDGER_ALIKE_H

#include "pairs.h"

enum { MOST_ALIKE = 48, MOST_BESIDE = 2048 };

/* A list of so many numbers: what stands before each and behind the last, one after another, and where each of these ends. */
typedef struct {
    uint32_t count, ends[MOST_ALIKE + 1];
    unsigned char *beside;
    /* The layout of its line, and the phase in which that holds. */
    uint32_t layout, phase;
} Alike;

/* Whether what is read of a list cannot hang on its numbers: no text that separates could stand in one or reach into one. */
int alike_fits(const Style *style, const Units *units);
/* Keeps a list, if all of it is numbers. 0: no memory. */
int alike_keep(Alike *alike, Span tail, const Pair *pairs, uint32_t count);
/* Reads the numbers of a list that is like the one that was kept: pairs_read would find the same keys and units. 0: it is not. */
int alike_read(const Alike *alike, Span tail, Pair *pairs);
void alike_free(Alike *alike);

#endif
