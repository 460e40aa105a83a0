#include "template.h"

#include "floats.h"
#include "numbers.h"

enum { MOST_BLANKS = 64, MOST_PADDING = 16, MOST_WORD = 128, MOST_TEXT = 4096 };

static inline Place past_step(const Step *step, Place at, Place end) {
    if (step->code == STEP_LITERAL) return starts_with(at, end, step->literal) ? at + span_length(step->literal) : NULL;
    Place behind = at, last = end - at > MOST_BLANKS ? at + MOST_BLANKS : end;
    while (behind < last && is_blank(*behind)) behind++;
    return behind - at < (ptrdiff_t)step->number ? NULL : behind;
}

static Place literals_match(const Step *steps, uint32_t count, Place at, Place end) {
    for (uint32_t index = 0; at && index < count; index++) at = past_step(&steps[index], at, end);
    return at;
}

static int is_allowed(uint32_t code, unsigned char byte) {
    if (byte == '\r' || byte == '\n') return 0;
    return code != STEP_WORD || (byte != ' ' && byte != '\t' && byte != 0x1b);
}

/* Up to the first place where the next literal stands; none: as far as its characters go. */
static Place past_characters(const Step *step, Place at, Place end) {
    int most = step->code == STEP_WORD ? MOST_WORD : MOST_TEXT, taken = 0;
    /* `max_steps={max_steps:int},{*}`: behind a number and one character a digit may go on with it. */
    if (step->code == STEP_SKIP && span_length(step->literal) && at < end && is_digit(*at)) return NULL;
    while (taken < most && at < end && is_allowed(step->code, *at)) {
        if (step->number && literals_match(step + 1, step->number, at, end)) break;
        at++, taken++;
    }
    return taken || step->code >= STEP_PAIRS ? at : NULL;
}

static Place past_padded(const Step *step, Place at, Place end, Hole *hole) {
    for (int padding = 0; padding < MOST_PADDING && at < end && is_blank(*at); padding++) at++;
    hole->text.start = at;
    Place behind = at < end && !is_digit(*at) ? past_absent(at, end) : NULL;
    if (behind && number_ends(behind, end, (int)step->number)) return behind;
    switch (step->code) {
    case STEP_INT: behind = past_int(at, end); break;
    case STEP_THOUSANDS: behind = past_thousands(at, end); break;
    case STEP_DECIMALS:
        behind = past_thousands(at, end);
        if (behind && behind < end && *behind == '.') behind = past_digits(behind + 1, end, 400);
        break;
    default:
        behind = at < end && !is_digit(*at) ? past_number_word(at, end) : NULL;
        if (behind == NULL) behind = read_float(at, end, &hole->number, &hole->is_known);
    }
    return behind && number_ends(behind, end, (int)step->number) ? behind : NULL;
}

/* Takes one step: the place behind it, or NULL. A hole begins behind its blanks. */
static inline Place step_taken(const Step *step, Place at, Place end, Hole *hole) {
    hole->text.start = at;
    hole->is_known = 0;
    switch (step->code) {
    case STEP_LITERAL:
    case STEP_BLANKS: return past_step(step, at, end);
    case STEP_END: return past_blanks(at, end) == end ? end : NULL;
    case STEP_INT:
    case STEP_THOUSANDS:
    case STEP_DECIMALS:
    case STEP_FLOAT: return past_padded(step, at, end, hole);
    case STEP_TIME: return past_time(at, end);
    case STEP_DURATION: return past_duration(at, end);
    case STEP_STAMP: return past_stamp(at, end);
    case STEP_UNIX: return past_unix(at, end);
    case STEP_BOOL: return past_bool(at, end);
    default: return past_characters(step, at, end);
    }
}

Place template_hole(const Step *step, Place at, Place end, Hole *hole) { return step_taken(step, at, end, hole); }

static int is_hole(const Step *step) {
    return step->code >= STEP_INT && step->code != STEP_SKIP && step->code != STEP_END;
}

Place template_match(const Template *template, Place at, Place end) {
    Hole hole;
    for (uint32_t index = 0; at && index < template->count; index++) at = step_taken(&template->steps[index], at, end, &hole);
    return at;
}

Place template_follow(const Template *template, Place at, Place end, uint32_t from, Trail *trail) {
    uint32_t holes = 0, index = from;
    if (from > 0) {
        at = trail->behind[from - 1];
        holes = trail->holes_behind[from - 1];
    }
    for (; index < template->count; index++) {
        const Step *step = &template->steps[index];
        Hole *hole = &trail->holes[holes];
        Place behind = step->code <= STEP_BLANKS ? past_step(step, at, end) : step_taken(step, at, end, hole);
        if (behind == NULL) break;
        hole->text.end = behind;
        holes += (uint32_t)is_hole(step);
        trail->behind[index] = at = behind;
        trail->holes_behind[index] = holes;
    }
    trail->taken = index;
    return index == template->count ? at : NULL;
}

static int are_alike(const Step *one, const Step *other) {
    return one->code == other->code && one->number == other->number && span_length(one->literal) == span_length(other->literal) &&
           memcmp(one->literal.start, other->literal.start, span_length(one->literal)) == 0;
}

uint32_t template_shared(const Template *one, const Template *other) {
    uint32_t shared = 0;
    while (shared < one->count && shared < other->count && are_alike(&one->steps[shared], &other->steps[shared])) shared++;
    /* What stops a text is looked at by the text too. */
    for (uint32_t index = 0; index < shared; index++) {
        const Step *step = &one->steps[index];
        if (step->code >= STEP_WORD && step->code <= STEP_SKIP && index + step->number >= shared) return index;
    }
    return shared;
}
