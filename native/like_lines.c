#include "like_lines.h"

#include <stdlib.h>

/* What a hole takes that is no text hangs on its own bytes only, and on the two behind it. */
static int is_number(uint32_t code) {
    return (code >= STEP_INT && code <= STEP_FLOAT) || (code >= STEP_TIME && code <= STEP_UNIX);
}

int like_keep(LikeLine *like, const Template *template, uint32_t head, const Trail *trail, Place begin, uint32_t list) {
    Place from = begin;
    size_t size = 0;
    like->is_known = 0;
    like->count = 0;
    like->list = list;
    if (like->beside == NULL && (like->beside = malloc(MOST_LIKE_BESIDE)) == NULL) return 0;
    for (uint32_t index = 0; index <= template->count; index++) {
        int is_last = index == template->count;
        if (index == head) {
            like->head_holes = like->count;
            like->head_bytes = (uint32_t)((index ? trail->behind[index - 1] : begin) - from);
        }
        const Step *step = is_last ? NULL : &template->steps[index];
        if (step && step->code <= STEP_BLANKS) continue;
        if (step && (!is_number(step->code) || like->count == MOST_LIKE_HOLES)) return 1;
        const Span text = is_last ? (Span){NULL, NULL} : trail->holes[like->count].text;
        Place until = is_last ? trail->behind[index - 1] + list : text.start;
        size_t length = (size_t)(until - from);
        if (length > MOST_LIKE_BESIDE - size) return 1;
        memcpy(like->beside + size, from, length);
        like->ends[like->count] = (uint32_t)(size += length);
        if (is_last) break;
        like->steps[like->count++] = index;
        from = text.end;
    }
    like->is_known = 1;
    return 1;
}

/* Where what is the same in all such lines ends behind `at`; `at` itself in a hole. */
static Place same_until(const LikeLine *like, const Template *template, const Trail *trail, Place at) {
    for (uint32_t hole = 0; hole < like->count; hole++) {
        if (at <= trail->holes[hole].text.start) return trail->holes[hole].text.start;
        if (at < trail->holes[hole].text.end) return at;
    }
    return trail->behind[template->count - 1] + like->list;
}

int like_excludes(const LikeLine *like, const Template *template, const Template *other, const Trail *trail, Place begin) {
    uint32_t index = template_shared(template, other);
    Place at = index ? trail->behind[index - 1] : begin;
    Place until = same_until(like, template, trail, at);
    for (; index < other->count; index++) {
        const Step *step = &other->steps[index];
        if (step->code > STEP_BLANKS) return 0;
        if (step->code == STEP_BLANKS) {
            Place behind = past_blanks(at, until);
            if (behind == until) return 0;
            if (behind - at < (ptrdiff_t)step->number) return 1;
            at = behind;
            continue;
        }
        for (Place letter = step->literal.start; letter < step->literal.end; letter++, at++) {
            if (at == until) return 0;
            if (*at != *letter) return 1;
        }
    }
    return 0;
}

Place like_read(const LikeLine *like, const Template *template, Span line, Hole *holes, Place *head) {
    Place at = line.start, beside = like->beside;
    *head = NULL;
    for (uint32_t hole = 0; hole <= like->count; hole++) {
        Span same = {beside, like->beside + like->ends[hole]};
        if (!starts_with(at, line.end, same)) return NULL;
        if (hole == like->head_holes) *head = at + like->head_bytes;
        at += span_length(same);
        beside = same.end;
        if (hole == like->count) break;
        /* Blanks belong to what stands before a hole, which takes some itself. */
        if (at < line.end && is_blank(*at)) return NULL;
        at = template_hole(&template->steps[like->steps[hole]], at, line.end, &holes[hole]);
        if (at == NULL) return NULL;
        holes[hole].text.end = at;
    }
    return at - like->list;
}

void like_free(LikeLine *like) { free(like->beside); }
