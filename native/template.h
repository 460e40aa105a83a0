/* A template as steps that are taken once each, from left to right: a match costs time in proportion to its text. */
#ifndef BENCHLEDGER_TEMPLATE_H
#define BENCHLEDGER_TEMPLATE_H

#include "bytes.h"

enum {
    STEP_LITERAL, STEP_BLANKS, STEP_INT, STEP_THOUSANDS, STEP_DECIMALS, STEP_FLOAT, STEP_WORD, STEP_TEXT, STEP_PAIRS, STEP_SKIP, STEP_TIME,
    STEP_DURATION, STEP_STAMP, STEP_UNIX, STEP_BOOL, STEP_END, STEPS
};

typedef struct {
    uint32_t code;
    /* Blanks: the least. Numbers: what may not follow. Word, text, skip: how many steps behind it say where it stops. */
    uint32_t number;
    Span literal;
} Step;

typedef struct {
    Step *steps;
    uint32_t count, holes;
} Template;

/* What a hole took; of a float mostly the number too. */
typedef struct {
    Span text;
    int is_known;
    double number;
} Hole;

/* Where the match of a template at `at` ends, or NULL. */
Place template_match(const Template *template, Place at, Place end);

/* Where a hole that begins at `at` ends, or NULL; of what it took the end is not set. */
Place template_hole(const Step *step, Place at, Place end, Hole *hole);

enum { MOST_TRAIL = 256 };

/* How far a match came: of the next template that begins alike, those steps need not be taken again. */
typedef struct {
    uint32_t taken;
    Place behind[MOST_TRAIL];
    uint32_t holes_behind[MOST_TRAIL];
    /* One more, to which steps that are no holes are written. */
    Hole holes[MOST_TRAIL + 1];
} Trail;

/* The same, from a step on: the trail holds those before it. For templates of at most MOST_TRAIL steps. */
Place template_follow(const Template *template, Place at, Place end, uint32_t from, Trail *trail);

/* How many first steps two templates share. */
uint32_t template_shared(const Template *one, const Template *other);

#endif
