#include "search.h"

#include <stdlib.h>

static uint32_t slot_of(Place pair) { return (uint32_t)(pair[0] ^ (pair[1] << 4)) & (SEARCH_SLOTS - 1); }

static void prepare_skips(Search *search, Span *literals, uint32_t count) {
    uint32_t window = 255;
    for (uint32_t index = 0; index < count; index++)
        if (span_length(literals[index]) < window) window = (uint32_t)span_length(literals[index]);
    search->literals = literals;
    search->count = count;
    search->window = window;
    memset(search->skip, (int)(window - 1), sizeof search->skip);
    memset(search->begin, 0, sizeof search->begin);
    for (uint32_t index = 0; index < count; index++) {
        for (uint32_t at = 0; at + 1 < window; at++) {
            uint8_t *skip = &search->skip[slot_of(literals[index].start + at)];
            if (window - 2 - at < *skip) *skip = (uint8_t)(window - 2 - at);
        }
    }
    /* An insertion sort: there are a few dozen. */
    for (uint32_t index = 1; index < count; index++) {
        Span moved = literals[index];
        uint32_t slot = slot_of(moved.start + window - 2), to = index;
        for (; to > 0 && slot_of(literals[to - 1].start + window - 2) > slot; to--) literals[to] = literals[to - 1];
        literals[to] = moved;
    }
    for (uint32_t index = 0; index < count; index++) search->begin[slot_of(literals[index].start + window - 2) + 1]++;
    for (uint32_t slot = 0; slot < SEARCH_SLOTS; slot++)
        search->begin[slot + 1] = (uint16_t)(search->begin[slot + 1] + search->begin[slot]);
}

static int compare_first(const void *one, const void *other) {
    return *((const Span *)one)->start - *((const Span *)other)->start;
}

static uint8_t set_of(uint32_t index, uint32_t count) { return (uint8_t)(1u << (index * 8 / count)); }

void sets_of(Sets *sets, const Span *literals, uint32_t count, uint32_t places) {
    *sets = (Sets){.places = places};
    for (uint32_t index = 0; index < count; index++) {
        uint8_t set = set_of(index, count);
        for (uint32_t place = 0; place < places; place++) {
            unsigned char byte = literals[index].start[place];
            sets->low[place][byte & 15] |= set;
            sets->high[place][byte >> 4] |= set;
        }
    }
}

static void prepare_more_bytes(Search *search) {
    memset(search->with_first, 0, sizeof search->with_first);
    memset(search->with_fourth, 0, sizeof search->with_fourth);
    for (uint32_t index = 0; index < search->count; index++) {
        Span text = search->by_first[index];
        uint8_t set = set_of(index, search->count);
        search->with_first[*text.start] |= set;
        for (uint32_t byte = 0; byte < 256; byte++)
            if (span_length(text) < 4 || text.start[3] == byte) search->with_fourth[byte] |= set;
    }
}

static int prepare_wide(Search *search) {
    search->by_first = malloc((search->count + 1) * sizeof *search->by_first);
    if (search->by_first == NULL) return 0;
    if (search->count) memcpy(search->by_first, search->literals, search->count * sizeof *search->by_first);
    qsort(search->by_first, search->count, sizeof *search->by_first, compare_first);
    uint32_t at = 0;
    for (uint32_t byte = 0; byte < 256; byte++) {
        search->first[byte] = (uint16_t)at;
        while (at < search->count && *search->by_first[at].start == byte) at++;
    }
    search->first[256] = (uint16_t)at;
    sets_of(&search->sets, search->by_first, search->count, search->window < 3 ? search->window : 3);
    prepare_more_bytes(search);
    return 1;
}

int search_is_wide(void) {
#ifdef SEARCH_WIDE
    return __builtin_cpu_supports("avx2") != 0;
#else
    return 0;
#endif
}

int search_prepare(Search *search, Span *literals, uint32_t count) {
    prepare_skips(search, literals, count);
    search->wide = search_is_wide();
    return prepare_wide(search);
}

void search_free(Search *search) {
    free(search->literals);
    free(search->by_first);
}

static Place next_by_skips(const Search *search, Place at, Place end) {
    uint32_t window = search->window;
    while ((size_t)(end - at) >= window) {
        uint32_t slot = slot_of(at + window - 2);
        uint8_t skip = search->skip[slot];
        if (skip) {
            at += skip;
            continue;
        }
        for (uint32_t index = search->begin[slot]; index < search->begin[slot + 1]; index++)
            if (starts_with(at, end, search->literals[index])) return at;
        at++;
    }
    return NULL;
}

#ifdef SEARCH_WIDE
/* Many words begin with the same three bytes: a fourth is looked at before any is compared. */
static int stands_at(const Search *search, Place at, Place end) {
    if (!(search->with_first[*at] & search->with_fourth[at[3]])) return 0;
    for (uint32_t index = search->first[*at]; index < search->first[*at + 1]; index++)
        if (starts_with(at, end, search->by_first[index])) return 1;
    return 0;
}

__attribute__((target("avx2"), always_inline)) static inline Place
next_by_places(const Search *search, uint32_t places, Place at, Place end, Place limit) {
    /* Behind the 32 bytes three more are looked at. */
    for (; at < end && limit - at >= 35; at += 32) {
        for (uint32_t may = may_begin(&search->sets, places, at); may; may &= may - 1) {
            Place found = at + __builtin_ctz(may);
            if (found < end && stands_at(search, found, end)) return found;
        }
    }
    return at < end ? next_by_skips(search, at, end) : NULL;
}

__attribute__((target("avx2"))) static Place next_by_sets(const Search *search, Place at, Place end, Place limit) {
    if (search->sets.places == 3) return next_by_places(search, 3, at, end, limit);
    return next_by_places(search, 2, at, end, limit);
}
#endif

Place search_next(const Search *search, Place at, Place end, Place limit) {
    (void)limit;
    if (search->count == 0) return NULL;
#ifdef SEARCH_WIDE
    if (search->wide) return next_by_sets(search, at, end, limit);
#endif
    return next_by_skips(search, at, end);
}
