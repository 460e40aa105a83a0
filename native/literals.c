#include "literals.h"

#include <stdlib.h>

enum { PART = 8 };

/* How seldom a byte is in logs, roughly: numbers and words of English stand everywhere. */
static int rarity(unsigned char byte) {
    if (is_digit(byte) || byte == ' ' || byte == '.' || byte == ':' || byte == '\t') return 0;
    if (byte && strchr("etaoinsrl,-_=", byte)) return 2;
    return byte >= 'a' && byte <= 'z' ? 3 : 5;
}

/* Where the rarest part of a literal begins. */
static uint32_t rarest(Span text) {
    uint32_t length = (uint32_t)span_length(text), best = 0;
    int most = -1;
    for (uint32_t at = 0; at + MOST_PLACES <= length; at++) {
        int sum = 0;
        for (uint32_t index = 0; index < MOST_PLACES; index++) sum += rarity(text.start[at + index]);
        if (sum > most) most = sum, best = at;
    }
    return best;
}

static Span part_of(const Literals *literals, uint32_t index) {
    Span text = literals->texts[index];
    Place start = text.start + literals->parts[index];
    return (Span){start, text.end - start > PART ? start + PART : text.end};
}

static uint32_t slot_of(const Literals *literals, Place part) {
    uint32_t bytes = 0;
    memcpy(&bytes, part, literals->told);
    return (bytes * 2654435761u) >> 22;
}

/* An insertion sort by the parts: there are a hundred. */
static void sort_by_part(Literals *literals) {
    for (uint32_t index = 0; index < literals->count; index++) {
        Span part = part_of(literals, index);
        uint32_t to = index;
        for (; to > 0; to--) {
            Span before = part_of(literals, literals->sorted[to - 1]);
            size_t length = span_length(part) < span_length(before) ? span_length(part) : span_length(before);
            if (memcmp(before.start, part.start, length) <= 0) break;
            literals->sorted[to] = literals->sorted[to - 1];
        }
        literals->sorted[to] = index;
    }
}

static void sort_by_slot(Literals *literals) {
    uint32_t at = 0;
    for (uint32_t slot = 0; slot < LITERAL_SLOTS; slot++) {
        literals->begin[slot] = at;
        for (uint32_t index = 0; index < literals->count; index++) {
            Span part = part_of(literals, index);
            if (span_length(part) > 1 && slot_of(literals, part.start) == slot) literals->by_slot[at++] = index;
        }
    }
    literals->begin[LITERAL_SLOTS] = literals->singles = at;
    for (uint32_t index = 0; index < literals->count; index++)
        if (span_length(literals->texts[index]) == 1) literals->by_slot[at++] = index;
}

int literals_prepare(Literals *literals, const unsigned char *bytes, const uint32_t *lengths, uint32_t count) {
    size_t size = 0;
    for (uint32_t index = 0; index < count; index++) size += lengths[index];
    *literals = (Literals){.count = count, .told = 4};
    literals->bytes = malloc(size + 1);
    literals->texts = calloc(count + 1, sizeof *literals->texts);
    literals->parts = calloc(count + 1, sizeof *literals->parts);
    literals->by_slot = calloc(count + 1, sizeof *literals->by_slot);
    literals->sorted = calloc(count + 1, sizeof *literals->sorted);
    Span *parts = calloc(count + 1, sizeof *parts);
    if (!literals->bytes || !literals->texts || !literals->parts || !literals->by_slot || !literals->sorted || !parts)
        return free(parts), 0;
    if (size) memcpy(literals->bytes, bytes, size);
    Place at = literals->bytes;
    uint32_t longer = 0;
    for (uint32_t index = 0; index < count; index++, at = literals->texts[index - 1].end) {
        literals->texts[index] = (Span){at, at + lengths[index]};
        literals->parts[index] = rarest(literals->texts[index]);
        if (lengths[index] == 1) continue;
        if (lengths[index] < literals->told) literals->told = lengths[index];
        parts[longer++] = part_of(literals, index);
    }
    sort_by_part(literals);
    sort_by_slot(literals);
    literals->search.literals = parts;
    return search_prepare(&literals->search, parts, longer);
}

void literals_free(Literals *literals) {
    search_free(&literals->search);
    free(literals->sorted);
    free(literals->by_slot);
    free(literals->parts);
    free(literals->texts);
    free(literals->bytes);
}

/* Marks what stands around a part that may begin at `at`: how many that were known already. */
static inline uint32_t look_at(const Literals *literals, Span text, Place at, unsigned char *found) {
    uint32_t slot = slot_of(literals, at), again = 0;
    for (uint32_t of = literals->begin[slot]; of < literals->begin[slot + 1]; of++) {
        uint32_t index = literals->by_slot[of], before = literals->parts[index];
        again += found[index];
        if (found[index] || (size_t)(at - text.start) < before) continue;
        found[index] = (unsigned char)starts_with(at - before, text.end, literals->texts[index]);
    }
    return again;
}

#ifdef SEARCH_WIDE
enum { OFTEN = 32 };

/* Sets of what was not found yet: what stands in each line is looked for until it is found. 0: all was found. */
static uint32_t sets_of_missing(const Literals *literals, const unsigned char *found, Span *parts, Sets *sets) {
    uint32_t count = 0, places = MOST_PLACES;
    for (uint32_t at = 0; at < literals->count; at++) {
        uint32_t index = literals->sorted[at];
        Span part = part_of(literals, index);
        if (found[index] || span_length(part) == 1) continue;
        parts[count++] = part;
        if (span_length(part) < places) places = (uint32_t)span_length(part);
    }
    sets_of(sets, parts, count, places);
    return count;
}

__attribute__((target("avx2"))) static Place find_by_sets(const Literals *literals, Span text, Span *parts, unsigned char *found) {
    Sets sets;
    Place at = text.start;
    uint32_t missing = sets_of_missing(literals, found, parts, &sets), again = 0;
    for (; missing && text.end - at >= 32 + MOST_PLACES; at += 32) {
        for (uint32_t may = may_begin(&sets, sets.places, at); may; may &= may - 1) again += look_at(literals, text, at + __builtin_ctz(may), found);
        if (again < OFTEN) continue;
        missing = sets_of_missing(literals, found, parts, &sets);
        again = 0;
    }
    return missing ? at : text.end;
}
#endif

void literals_find(const Literals *literals, Span text, unsigned char *found) {
    for (uint32_t at = literals->singles; at < literals->count; at++) {
        uint32_t index = literals->by_slot[at];
        found[index] = find(text.start, text.end, literals->texts[index]) != NULL;
    }
    Place at = text.start;
#ifdef SEARCH_WIDE
    Span *parts = literals->search.wide ? malloc((literals->count + 1) * sizeof *parts) : NULL;
    if (parts) at = find_by_sets(literals, text, parts, found);
    free(parts);
#endif
    for (; (at = search_next(&literals->search, at, text.end, text.end)) != NULL; at++) look_at(literals, text, at, found);
}
