/* Lists of `key : value unit`, read as scanning/pairs_reader.py reads them. */
#ifndef BENCHLEDGER_PAIRS_H
#define BENCHLEDGER_PAIRS_H

#include "bytes.h"

enum { MOST_BETWEEN = 8, MOST_VALUES = 512 };

typedef struct {
    Span assign, assign_start, end;
    Span between[MOST_BETWEEN];
    uint32_t betweens;
    int closed;
    /* A number in brackets behind a number is the value of `mean_KEY`. */
    int means;
    /* Lists that differ in their numbers only are read alike. */
    int is_alike;
} Style;

typedef struct {
    /* In the order of their first bytes: those that begin with byte b stand from begin[b] up to begin[b + 1]. */
    Span *tokens;
    uint32_t begin[257];
} Units;

enum { VALUE_ABSENT, VALUE_NUMBER, VALUE_TEXT };

typedef struct {
    int kind;
    Span key, unit, text; /* no unit: start is NULL */
    /* Of a number, if it is known already: else `text` has to be read. */
    int is_known;
    double number;
    /* Its name is `mean_` and the key. */
    int is_mean;
} Pair;

/* PAIRS_NOTE: something is left that is no pair, a note on the record. PAIRS_UNUSUAL: for the reference reader. */
enum { PAIRS_CLEAN, PAIRS_NOTE, PAIRS_UNUSUAL };

/* Fills `pairs`, which has room for MOST_VALUES, and their count. */
int pairs_read(const Style *style, const Units *units, Span tail, Pair *pairs, uint32_t *count, Span *note);

#endif
