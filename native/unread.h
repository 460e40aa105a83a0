/* Lines that no template matches and that hold a measurement: benchledger/scanning/unread.py is the reference. */
#ifndef BENCHLEDGER_UNREAD_H
#define BENCHLEDGER_UNREAD_H

#include "search.h"

/* `AP 1` */
enum { SHORTEST_MEASURE = 4 };

typedef struct {
    Span text;
    /* A number stands before a unit, and behind a word. */
    int is_unit;
} Measure;

typedef struct {
    /* With which three letters a word or unit begins, in any case: one bit each. */
    uint8_t beginnings[4096];
    /* The words and units that begin with byte b stand from begin[b] up to begin[b + 1]. */
    Measure *measures;
    uint32_t begin[257];
    /* What ends the name of a setting. */
    Span *settings;
    uint32_t settings_count;
    /* What marks a line of settings. */
    Span *setting_lines;
    uint32_t setting_lines_count;
} Measures;

/* Notes what the measures begin with. Each begins with a letter. */
void measures_prepare(Measures *measures);
/* The first place from `at` on, before `end`, where a measurement stands, or NULL. `start`: where the buffer begins. */
Place measure_next(const Measures *measures, Place start, Place at, Place end, Place limit);
/* Whether a line states settings: a command line, or one with a mark of settings. */
int is_setting_line(const Measures *measures, Span line);

#endif
