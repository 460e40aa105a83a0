#include "alike.h"

#include "floats.h"

#include <stdlib.h>

/* Any text that holds none of a number's bytes lies beside numbers, but for the `e` within one. */
static int is_beside(Span text) {
    if (text.start == NULL) return 1;
    for (Place at = text.start; at < text.end; at++)
        if (is_digit(*at) || *at == '+' || *at == '-' || *at == '.') return 0;
    return span_length(text) > 1 || (*text.start | 32) != 'e';
}

int alike_fits(const Style *style, const Units *units) {
    if (!is_beside(style->assign) || !is_beside(style->end)) return 0;
    for (uint32_t index = 0; index < style->betweens; index++)
        if (!is_beside(style->between[index])) return 0;
    /* A unit ends before the next number: else it would hold what assigns that one. */
    for (uint32_t index = 0; index < units->begin[256]; index++)
        if (find(units->tokens[index].start, units->tokens[index].end, style->assign)) return 0;
    return 1;
}

int alike_keep(Alike *alike, Span tail, const Pair *pairs, uint32_t count) {
    alike->count = alike->layout = 0;
    if (count == 0 || count > MOST_ALIKE) return 1;
    if (alike->beside == NULL && (alike->beside = malloc(MOST_BESIDE)) == NULL) return 0;
    Place from = tail.start;
    size_t size = 0;
    for (uint32_t index = 0; index <= count; index++) {
        int is_last = index == count;
        if (!is_last && pairs[index].kind != VALUE_NUMBER) return 1;
        Place until = is_last ? tail.end : pairs[index].text.start;
        size_t length = (size_t)(until - from);
        /* What follows a number decides whether it is one by two bytes. */
        if (length > MOST_BESIDE - size || (index && !is_last && length < 2)) return 1;
        if (length) memcpy(alike->beside + size, from, length);
        alike->ends[index] = (uint32_t)(size += length);
        if (!is_last) from = pairs[index].text.end;
    }
    alike->count = count;
    return 1;
}

int alike_read(const Alike *alike, Span tail, Pair *pairs) {
    Place at = tail.start, beside = alike->beside;
    for (uint32_t index = 0; index < alike->count; index++) {
        Span before = {beside, alike->beside + alike->ends[index]};
        if (!starts_with(at, tail.end, before)) return 0;
        at += span_length(before);
        beside = before.end;
        Place behind = read_float(at, tail.end, &pairs[index].number, &pairs[index].is_known);
        if (behind == NULL || !pairs[index].is_known) return 0;
        pairs[index].text = (Span){at, behind};
        at = behind;
    }
    Span last = {beside, alike->beside + alike->ends[alike->count]};
    return (size_t)(tail.end - at) == span_length(last) && starts_with(at, tail.end, last);
}

void alike_free(Alike *alike) { free(alike->beside); }
