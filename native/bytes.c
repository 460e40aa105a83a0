#include "bytes.h"

#include <stdlib.h>

Place find(Place at, Place end, Span text) {
    size_t length = span_length(text);
    if (length == 0) return at;
    while ((size_t)(end - at) >= length) {
        at = memchr(at, text.start[0], (size_t)(end - at) - length + 1);
        if (at == NULL) return NULL;
        if (memcmp(at, text.start, length) == 0) return at;
        at++;
    }
    return NULL;
}

uint32_t hash_of(Span text, uint32_t begin) {
    uint64_t hash = 0x9E3779B97F4A7C15u ^ begin ^ span_length(text);
    Place at = text.start;
    for (; text.end - at >= 8; at += 8) {
        hash = (hash ^ eight_at(at)) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    uint64_t rest = 0;
    if (at < text.end) memcpy(&rest, at, (size_t)(text.end - at));
    hash = (hash ^ rest) * 0xD6E8FEB86659FD93u;
    return (uint32_t)(hash ^ hash >> 32);
}

static int is_following(Place at, Place end, int count) {
    if (end - at < count) return 0;
    for (int index = 0; index < count; index++)
        if ((at[index] & 0xC0) != 0x80) return 0;
    return 1;
}

int is_plain_text(Place at, Place end) {
    while (at < end) {
        /* Eight at once where they are ASCII without NUL. */
        for (; end - at >= 8; at += 8) {
            uint64_t eight = eight_at(at);
            if (((eight - 0x0101010101010101u) | eight) & 0x8080808080808080u) break;
        }
        if (at == end) break;
        unsigned char byte = *at++;
        if (byte < 0x80) {
            if (byte == 0) return 0;
            continue;
        }
        int more = byte >= 0xC2 && byte < 0xE0 ? 1 : byte >= 0xE0 && byte < 0xF0 ? 2 : byte >= 0xF0 && byte < 0xF5 ? 3 : 0;
        if (more == 0 || !is_following(at, end, more)) return 0;
        /* No longer spelling than needed, no surrogates, nothing above U+10FFFF. */
        if ((byte == 0xE0 && at[0] < 0xA0) || (byte == 0xED && at[0] >= 0xA0)) return 0;
        if ((byte == 0xF0 && at[0] < 0x90) || (byte == 0xF4 && at[0] >= 0x90)) return 0;
        at += more;
    }
    return 1;
}

int64_t line_ends(Place at, Place end) {
    int64_t count = 0;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) at++, count++;
    return count;
}

void *buffer_extend(Buffer *buffer, size_t bytes) {
    if (buffer->failed) return NULL;
    if (bytes > buffer->room - buffer->size) {
        size_t room = buffer->room ? buffer->room : 256;
        while (room - buffer->size < bytes) {
            if (room > SIZE_MAX / 2) return buffer->failed = 1, NULL;
            room *= 2;
        }
        unsigned char *data = realloc(buffer->data, room);
        if (data == NULL) return buffer->failed = 1, NULL;
        buffer->data = data;
        buffer->room = room;
    }
    void *added = buffer->data + buffer->size;
    buffer->size += bytes;
    return added;
}

void buffer_free(Buffer *buffer) {
    free(buffer->data);
    *buffer = (Buffer){0};
}
