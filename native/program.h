/* What a format's templates were compiled to, and the line layouts that were met so far. */
#ifndef BENCHLEDGER_PROGRAM_H
#define BENCHLEDGER_PROGRAM_H

#include "alike.h"
#include "json.h"
#include "leads.h"
#include "like_lines.h"
#include "pairs.h"
#include "search.h"
#include "template.h"
#include "unread.h"

enum { PROGRAM_MARK = 0x62656E31, MOST_HOLES = 64, MOST_KINDS = 32, MOST_LAYOUTS = 65536, NO_STYLE = 0xFFFFFFFF };

/* Where the value of a hole goes. */
enum { TO_NUMBER, TO_TEXT, TO_STEP, TO_EPOCH, TO_RANK, TO_DEVICE, TO_LABEL, TO_LOGGED_AT, TO_CLOCK, TARGETS };

/* Layouts: facts are stated by it; its texts, or all of it, are for the reference reader; each row states them anew. */
enum { LAYOUT_FACTS = 1, LAYOUT_NO_TEXT = 2, LAYOUT_REFERENCE = 4, LAYOUT_START = 8, LAYOUT_STEP = 16 };

/* Of a value that states a fact: only whether it is there counts, not what it is. */
#define FACT_ANY 0x80000000u

/* Whether a hole of a template's step may go there. */
int program_fits(uint32_t code, uint32_t target);

/* Where a head may stand: anywhere, where a word begins, or where a line does: in a line with one of its anchors, or in any. */
enum { START_ANY, START_WORD, START_LINE, START_ANY_LINE, STARTS };

typedef struct {
    Template template;
    uint32_t start;
    /* How many first steps are those of the head before. */
    uint32_t shared;
    /* Its first literal may stand anywhere, and is one that is searched for: where it stands nobody has to search. */
    int is_sought;
} Head;

/* A head that may stand where its byte does, and how many first steps it shares with the one before it in that list. */
typedef struct {
    uint32_t head, shared;
} Candidate;

/* A value of this name whose text holds `after` is a list of values itself. */
typedef struct {
    Span name, after;
    uint32_t style;
} Expansion;

typedef struct {
    Span first;
    Template template;
    int reference;
    /* Which head is the beginning of the template. */
    uint32_t head;
    uint32_t kind, style, json;
    /* The style of the lists in it, NO_STYLE: none; and keys that its lists must have. */
    uint32_t inner;
    Span *keys;
    uint32_t keys_count;
    int phased;
    /* Where records of other kinds stand before it, a run begins; the phase that begins with it, plus one. */
    int opens;
    uint32_t begins;
    Expansion *expansions;
    uint32_t expansions_count;
    /* The hole whose text may be the list of the first of them, NO_STYLE: none. */
    uint32_t list_hole;
    uint32_t targets[MOST_HOLES];
    /* The layout that was met last, plus one: mostly that of the next line too. */
    uint32_t last;
    Alike alike;
    LikeLine like;
} Matcher;

typedef struct {
    uint32_t reason;
    Span first;
    Template template;
} Ignore;

/* The last step of one process in a stretch of a scan: its entry among the facts. Of more processes each step is told. */
enum { MOST_LANES = 128 };
typedef struct {
    int64_t stretch, entry;
    int32_t lead, rank;
    uint8_t is_rank, is_step, is_epoch;
} StepLane;

typedef struct {
    uint32_t matcher, phase, hash, values;
    Span signature;
    int32_t number;
    uint32_t flags;
    double *scales;
    /* The places of the values that state facts, maybe with FACT_ANY. */
    uint32_t *facts, facts_count;
    /* The row that stated them last, its entry among the facts, and the stretch of a scan in which it did. */
    int64_t fact_row, fact_entry, fact_stretch;
    StepLane *lanes;
    int lanes_room;
} Layout;

/* Room for what is read of one line: a program runs once at a time. */
typedef struct {
    Trail trails[2];
    Pair pairs[MOST_VALUES], inner[MOST_VALUES];
    Json json;
} Scratch;

typedef struct {
    unsigned char *blob;
    Span *anchors;
    uint32_t anchors_count;
    /* Only in lines with one of these a head is looked for that begins where a line does. */
    Span *line_anchors;
    uint32_t line_anchors_count;
    Search lines, heads_search;
    Units units;
    Style *styles;
    uint32_t styles_count;
    JsonMap *maps;
    uint32_t maps_count;
    Head *heads;
    uint32_t heads_count;
    /* Those that may begin with byte b stand from candidates_begin[b] up to candidates_begin[b + 1]. */
    Candidate *candidates;
    uint32_t candidates_begin[257];
    Matcher *matchers;
    uint32_t matchers_count;
    Ignore *ignores;
    uint32_t ignores_count, reasons;
    Measures measures;
    Layout *layouts;
    uint32_t layouts_count;
    Leads leads;
    Scratch scratch;
    /* How many stretches were scanned so far. */
    int64_t stretches;
    uint32_t slots[2 * MOST_LAYOUTS];
} Program;

/* NULL: the blob is no sound program, or there is no memory. */
Program *program_load(const unsigned char *blob, size_t size);
void program_free(Program *program);

/* The layout of a signature, or NULL. */
Layout *program_layout(Program *program, uint32_t matcher, uint32_t phase, Span signature);
/* 0: no memory, or too many. */
int program_add_layout(
    Program *program, uint32_t matcher, uint32_t phase, Span signature, int32_t number, uint32_t flags,
    const double *scales, uint32_t values, const uint32_t *facts, uint32_t facts_count
);

#endif
