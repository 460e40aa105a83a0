/* Where one of a few literals stands next. Where the processor can look at 32 bytes at once, the first two or three bytes of
   the literals are looked for; else most bytes are skipped, by what ends a window as long as the shortest literal. */
#ifndef BENCHLEDGER_SEARCH_H
#define BENCHLEDGER_SEARCH_H

#include "bytes.h"

enum { SEARCH_SLOTS = 4096, MOST_LITERALS = 4096, MOST_PLACES = 6 };

#if defined(__x86_64__) && defined(__GNUC__)
#define SEARCH_WIDE 1
#endif

/* Of the bytes at the first places of a literal: which of eight sets of literals have such halves of a byte. */
typedef struct {
    uint8_t low[MOST_PLACES][16], high[MOST_PLACES][16];
    uint32_t places;
} Sets;

typedef struct {
    Span *literals; /* of at least two bytes each, in the order of their slots */
    uint32_t count;
    uint32_t window;
    uint8_t skip[SEARCH_SLOTS];
    uint16_t begin[SEARCH_SLOTS + 1];
    Sets sets;
    /* The literals by their first byte. */
    Span *by_first;
    uint16_t first[257];
    /* Which of the sets have literals with such a first byte, and with such a fourth one or none. */
    uint8_t with_first[256], with_fourth[256];
    int wide;
} Search;

/* Prepares for the literals, which are put into another order. 0: no memory. */
int search_prepare(Search *search, Span *literals, uint32_t count);
void search_free(Search *search);
/* The first place from `at` on at which a literal stands whole before `end`, or NULL. Up to `limit` bytes may be looked at. */
Place search_next(const Search *search, Place at, Place end, Place limit);

/* Sorts literals into eight sets: neighbours should begin alike. None of them has fewer bytes than there are places. */
void sets_of(Sets *sets, const Span *literals, uint32_t count, uint32_t places);
/* Whether this processor looks at 32 bytes at once. */
int search_is_wide(void);

#ifdef SEARCH_WIDE
#include <immintrin.h>

/* Which of the 32 bytes at `at` may be the first ones of a literal; for each further place one more is looked at. Where the
   compiler knows how many, it reads the sets once for many bytes. */
__attribute__((target("avx2"), always_inline)) static inline uint32_t may_begin(const Sets *of, uint32_t places, Place at) {
    const __m256i halves = _mm256_set1_epi8(15);
    __m256i sets = _mm256_set1_epi8(-1);
    for (uint32_t place = 0; place < places; place++) {
        __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)of->low[place]));
        __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)of->high[place]));
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(at + place));
        __m256i by_low = _mm256_shuffle_epi8(low, _mm256_and_si256(bytes, halves));
        __m256i by_high = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), halves));
        sets = _mm256_and_si256(sets, _mm256_and_si256(by_low, by_high));
    }
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(sets, _mm256_setzero_si256()));
}
#endif

#endif
