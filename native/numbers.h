/* Numbers, times and durations: where they end in a text, and what they are, bit for bit as Python reads them. */
#ifndef BENCHLEDGER_NUMBERS_H
#define BENCHLEDGER_NUMBERS_H

#include "bytes.h"

/* Which characters may not follow a number: a template may put the slash or the dot itself. */
enum { END_PLAIN, END_BEFORE_SLASH, END_BEFORE_DOT };

/* As many digits stand before the point of a float, and behind it. */
enum { MOST_DIGITS = 400 };

static inline Place past_sign(Place at, Place end) { return at < end && (*at == '+' || *at == '-') ? at + 1 : at; }

int number_ends(Place at, Place end, int kind);

/* Each returns the place behind what it takes at `at`, or NULL. */
Place past_int(Place at, Place end);
Place past_thousands(Place at, Place end);
Place past_float(Place at, Place end);
Place past_number_word(Place at, Place end);
Place past_absent(Place at, Place end);
/* A truth value, whatever is glued to it. */
Place past_bool(Place at, Place end);
Place past_time(Place at, Place end);
Place past_duration(Place at, Place end);
Place past_stamp(Place at, Place end);
Place past_unix(Place at, Place end);
/* `99:99` and the like: 9 stands for a digit. */
Place past_form(Place at, Place end, const char *form);

/* Reads what past_float or past_number_word took. 0: only Python's own reader is exact here. */
int to_double(Span text, double *number);
/* Reads what past_int took. 0: more than 18 digits. */
int to_int64(Span text, int64_t *number);
/* Microseconds since 1970. 0: there is no such date or hour. */
int to_time(Span text, int64_t *micros);
int to_unix_time(Span text, int64_t *micros);
int to_seconds(Span text, double *seconds);
int to_stamp(Span text, double *seconds);

#endif
