/* Text as a range of bytes. Nothing here or in what builds on it reads outside of the range that it is given. */
#ifndef BENCHLEDGER_BYTES_H
#define BENCHLEDGER_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef const unsigned char *Place;

typedef struct {
    Place start, end;
} Span;

static inline size_t span_length(Span span) { return (size_t)(span.end - span.start); }

static inline int is_digit(unsigned char byte) { return byte >= '0' && byte <= '9'; }

static inline int is_blank(unsigned char byte) { return byte == ' ' || byte == '\t'; }

static inline int is_letter(unsigned char byte) {
    return (unsigned char)((byte | 32) - 'a') < 26;
}

static inline int is_word(unsigned char byte) { return is_letter(byte) || is_digit(byte) || byte == '_'; }

/* What bytes.strip() takes away. */
static inline int is_space(unsigned char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

static inline uint64_t eight_at(Place at) {
    uint64_t eight;
    memcpy(&eight, at, 8);
    return eight;
}

static inline uint32_t four_at(Place at) {
    uint32_t four;
    memcpy(&four, at, 4);
    return four;
}

/* Most texts are a few bytes long: calling memcmp would take longer. The last bytes are compared in one piece too. */
static inline int starts_with(Place at, Place end, Span text) {
    size_t length = span_length(text), index = 0;
    if ((size_t)(end - at) < length) return 0;
    if (length >= 8) {
        for (; index + 8 < length; index += 8)
            if (eight_at(at + index) != eight_at(text.start + index)) return 0;
        return eight_at(at + length - 8) == eight_at(text.end - 8);
    }
    if (length >= 4) return four_at(at) == four_at(text.start) && four_at(at + length - 4) == four_at(text.end - 4);
    for (; index < length; index++)
        if (at[index] != text.start[index]) return 0;
    return 1;
}

static inline Place past_blanks(Place at, Place end) {
    while (at < end && is_blank(*at)) at++;
    return at;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define DIGITS_AT_ONCE 1

/* The next eight bytes; where there are fewer, NUL behind them. */
static inline uint64_t eight_until(Place at, Place end) {
    if (end - at >= 8) return eight_at(at);
    uint64_t eight = 0;
    int bits = 0;
    if ((end - at) & 4) {
        eight = four_at(at);
        at += 4;
        bits = 32;
    }
    for (; at < end; at++, bits += 8) eight |= (uint64_t)*at << bits;
    return eight;
}

/* How many of eight bytes are digits, before the first that is none. */
static inline int digits_first(uint64_t eight) {
    uint64_t other = eight ^ 0x3030303030303030u;
    other = (((other & 0x7F7F7F7F7F7F7F7Fu) + 0x7676767676767676u) | other) & 0x8080808080808080u;
    return other ? __builtin_ctzll(other) >> 3 : 8;
}

/* The number that so many digits are, from 1 to 8, which stand first: nothing is in the places of the others. */
static inline uint64_t number_of_digits(uint64_t eight, int count) {
    eight <<= 64 - 8 * count;
    eight = (eight & 0x0F0F0F0F0F0F0F0Fu) * 2561 >> 8;
    eight = (eight & 0x00FF00FF00FF00FFu) * 6553601 >> 16;
    return (eight & 0x0000FFFF0000FFFFu) * 42949672960001u >> 32;
}
#endif

static inline int are_digits(uint64_t eight) {
    return ((eight & 0xF0F0F0F0F0F0F0F0u) | (((eight + 0x0606060606060606u) & 0xF0F0F0F0F0F0F0F0u) >> 4)) == 0x3333333333333333u;
}

static inline Place past_digits(Place at, Place end, int most) {
#ifdef DIGITS_AT_ONCE
    while (most > 0) {
        int count = digits_first(eight_until(at, end));
        if (count < 8 || most <= 8) return at + (count < most ? count : most);
        at += 8;
        most -= 8;
    }
    return at;
#else
    while (at < end && most-- > 0 && is_digit(*at)) at++;
    return at;
#endif
}

static inline Span stripped(Place start, Place end) {
    while (start < end && is_space(*start)) start++;
    while (start < end && is_space(end[-1])) end--;
    return (Span){start, end};
}

/* A number by which texts are told apart quickly. */
uint32_t hash_of(Span text, uint32_t begin);

/* Where a text stands first in a range, or NULL. */
Place find(Place at, Place end, Span text);

/* Whether a range is UTF-8 without NUL: what is not is for the reference reader, which escapes it. */
int is_plain_text(Place at, Place end);

/* How many line ends stand in a range. */
int64_t line_ends(Place at, Place end);

/* Memory that grows; `failed` once there was none: then nothing was added. */
typedef struct {
    unsigned char *data;
    size_t size, room;
    int failed;
} Buffer;

/* Room for so many more bytes, or NULL. */
void *buffer_extend(Buffer *buffer, size_t bytes);
void buffer_free(Buffer *buffer);

static inline int buffer_add(Buffer *buffer, const void *data, size_t bytes) {
    void *room = buffer_extend(buffer, bytes);
    if (room == NULL) return 0;
    if (bytes) memcpy(room, data, bytes);
    return 1;
}

#endif
