/* Runs a program over a buffer, line by line where a literal of its format stands, and adds what it finds to rows. */
#ifndef BENCHLEDGER_SCAN_H
#define BENCHLEDGER_SCAN_H

#include "program.h"
#include "rows.h"

/* What a scan stops at: its end; a line for the reference reader; a line layout or the shape of a lead that it asks for; a
   line with which a run begins; no memory. */
enum { SCAN_DONE, SCAN_REFERENCE, SCAN_LAYOUT, SCAN_LEAD, SCAN_RUN, SCAN_FAILED };

typedef struct {
    Program *program;
    Rows *rows;
    Place start, end, at;
    int64_t base, line, log;
    /* The phase, and that of the layout that it asks for. */
    uint32_t phase, asked_phase;
    /* The kinds of the records that the run had before the scan went on. */
    uint32_t run_kinds;

    /* What was found since the scan began, or since it stopped last. */
    int64_t pieces, records, notes, *ignored;
    /* The unread lines: three numbers of 64 bits each, the line's number, where it begins and where it ends. */
    Buffer unread;
    uint32_t kinds;
    int64_t first_line, last_line;

    /* Where it stopped: the line's place, and the layout that it asks for, or the lead. */
    Place stop_begin, stop_end;
    uint32_t matcher;
    Buffer signature;

    /* The line ends that were looked for last, -1: none yet. They stay while a scan goes on behind a stop. */
    ptrdiff_t next_newline, next_return;
    Buffer heads, reasons;
    /* Where the record that is read begins in the log; `plain` holds it without colours if it has some. */
    Place head;
    Buffer plain;
    int is_plain;
    /* Whether the line has an anchor with which heads begin where it does. */
    int is_anchored;
    /* Facts that are stated twice in one stretch are told once, with how often: no run ends in it, no log begins. */
    int64_t stretch;
    /* With what the last line began, if that is searched for: mostly the next one does too. */
    Span usual;
    /* The matcher that took the last line which had all of a record, plus one. */
    uint32_t likely;
    /* The first head that was found in a line, and the steps to its end. */
    uint32_t found_head;
    Trail *trail, *other;
    Pair *pairs, *inner;
    /* The object that was read last: several records may ask for it. */
    Json *json;
    /* Reads a number that only Python reads exactly. */
    int (*slow_number)(void *context, Span text, double *number);
    void *context;
} Scan;

int scan_run(Scan *scan);
void scan_free(Scan *scan);

#endif
