/* Floats, read in one pass: where one ends, and what it is, bit for bit as Python reads it. */
#ifndef BENCHLEDGER_FLOATS_H
#define BENCHLEDGER_FLOATS_H

#include "bytes.h"

/* The place behind the float at `at`, or NULL: where past_float ends. If `is_known`, `number` is what it is; else only Python's
   own reader is exact. */
Place read_float(Place at, Place end, double *number, int *is_known);

#endif
