#include "unread.h"

enum { MOST_NAME = 32, MOST_BEFORE_NUMBER = 48 };

static int is_in(const char *bytes, unsigned char byte) { return byte && strchr(bytes, byte) != NULL; }

static int is_of_name(unsigned char byte) { return is_letter(byte) || is_digit(byte) || is_in("_@/", byte); }

static int is_before_number(unsigned char byte) { return is_in(" \t:='\"|([{,>", byte); }

/* Whether a number begins at `at` that is no date, no address and no part of a whole. */
static int is_number(Place at, Place end) {
    static const char *const words[] = {"nan", "NaN", "inf", NULL};
    if (at < end && (*at == '+' || *at == '-')) at++;
    for (const char *const *word = words; *word; word++)
        if (end - at >= 3 && memcmp(at, *word, 3) == 0) return 1;
    if (at < end && *at == '.') at++;
    Place digits = at;
    while (at < end && is_digit(*at)) at++;
    if (at == digits || end - at < 2 || !is_digit(at[1])) return at > digits;
    if (*at == '/' || *at == '-') return 0;
    if (*at != '.') return 1;
    for (at++; at < end && is_digit(*at);) at++;
    return !(end - at >= 2 && *at == '.' && is_digit(at[1]));
}

static int names_setting(const Measures *measures, Place start, Place at) {
    for (uint32_t index = 0; index < measures->settings_count; index++) {
        size_t length = span_length(measures->settings[index]);
        if ((size_t)(at - start) >= length && memcmp(at - length, measures->settings[index].start, length) == 0) return 1;
    }
    return 0;
}

static int is_word_beside_number(const Measures *measures, Place start, Place at, Place end, size_t length) {
    at += length;
    if (at < end && is_letter(*at)) return 0;
    for (int most = MOST_NAME; most > 0 && at < end && is_of_name(*at); most--) at++;
    Place name = at;
    for (int most = MOST_BEFORE_NUMBER; most > 0 && at < end && is_before_number(*at); most--) at++;
    return at > name && is_number(at, end) && !names_setting(measures, start, name);
}

static int is_unit_behind_number(Place start, Place at) {
    if (at > start && is_blank(at[-1])) at--;
    return at > start && is_digit(at[-1]);
}

static int is_measure(const Measures *measures, Place start, Place at, Place end) {
    int is_behind_number = is_unit_behind_number(start, at);
    for (uint32_t index = measures->begin[*at]; index < measures->begin[*at + 1]; index++) {
        const Measure *measure = &measures->measures[index];
        if ((measure->is_unit && !is_behind_number) || !starts_with(at, end, measure->text)) continue;
        if (measure->is_unit || is_word_beside_number(measures, start, at, end, span_length(measure->text))) return 1;
    }
    return 0;
}

static uint32_t beginning_of(Place at) { return (uint32_t)(at[0] & 31) << 10 | (uint32_t)(at[1] & 31) << 5 | (at[2] & 31); }

void measures_prepare(Measures *measures) {
    for (uint32_t index = 0; index < measures->begin[256]; index++) {
        Span text = measures->measures[index].text;
        for (unsigned char third = 0; third < 32; third++) {
            unsigned char first[3] = {text.start[0], text.start[1], span_length(text) > 2 ? text.start[2] : third};
            measures->beginnings[beginning_of(first) >> 3] |= (uint8_t)(1 << (first[2] & 7));
        }
    }
}

static inline int may_be_measure(const Measures *measures, Place at) {
    return measures->beginnings[beginning_of(at) >> 3] >> (at[2] & 7) & 1;
}

#ifdef SEARCH_WIDE
/* Which of the 32 bytes at `at` are letters. */
__attribute__((target("avx2"), always_inline)) static inline uint32_t letters_at(Place at) {
    __m256i bytes = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(const void *)at), _mm256_set1_epi8(32));
    __m256i from_a = _mm256_sub_epi8(bytes, _mm256_set1_epi8('a'));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(from_a, _mm256_set1_epi8(25)), from_a));
}

/* As the search byte by byte, up to where fewer than 34 bytes are left: `at` is moved there. */
__attribute__((target("avx2"))) static Place next_wide(const Measures *measures, Place start, Place *at, Place end, Place limit) {
    uint32_t before = *at > start && is_letter((*at)[-1]);
    for (; *at < end && limit - *at >= 34; *at += 32) {
        uint32_t letters = letters_at(*at);
        for (uint32_t starts = letters & ~(letters << 1 | before); starts; starts &= starts - 1) {
            Place found = *at + __builtin_ctz(starts);
            if (found >= end) break;
            if (may_be_measure(measures, found) && is_measure(measures, start, found, end)) return found;
        }
        before = letters >> 31;
    }
    return NULL;
}
#endif

Place measure_next(const Measures *measures, Place start, Place at, Place end, Place limit) {
#ifdef SEARCH_WIDE
    if (search_is_wide()) {
        Place found = next_wide(measures, start, &at, end, limit);
        if (found) return found;
    }
#endif
    for (; at < end; at++) {
        if (!is_letter(*at) || (at > start && is_letter(at[-1]))) continue;
        if (limit - at >= 3 && !may_be_measure(measures, at)) continue;
        if (is_measure(measures, start, at, end)) return at;
    }
    return NULL;
}

int is_setting_line(const Measures *measures, Span line) {
    static const unsigned char dashes[] = " --";
    for (uint32_t index = 0; index < measures->setting_lines_count; index++)
        if (find(line.start, line.end, measures->setting_lines[index])) return 1;
    for (Place at = line.start; (at = find(at, line.end, (Span){dashes, dashes + 3})) != NULL; at++)
        if (line.end - at > 3 && is_letter(at[3])) return 1;
    return 0;
}
