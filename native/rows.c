#include "rows.h"

#include "leads.h"

#include <stdlib.h>

#define BYTES(name, type) sizeof(type),
static const uint8_t entry_bytes[ROW_FIXED] = {ROW_COLUMNS(BYTES)};
#undef BYTES

#define TITLE(name, type) #name,
const char *const row_names[ROW_BUFFERS] = {ROW_COLUMNS(TITLE) MORE_COLUMNS(TITLE)};
#undef TITLE

/* Arrow's offsets begin with a 0, so that they are one more than the rows. */
static int is_offsets(int column) { return strncmp(row_names[column], "end_", 4) == 0; }

static int grow(Rows *rows, int64_t room) {
    if (room >= INT32_MAX) return 0;
    for (int column = 0; column < ROW_FIXED; column++) {
        size_t bytes = ((size_t)room + 1) * entry_bytes[column];
        unsigned char *data = realloc(rows->buffers[column].data, bytes);
        if (data == NULL) return 0;
        if (rows->room == 0) memset(data, 0, entry_bytes[column]);
        rows->buffers[column].data = data;
        rows->buffers[column].room = bytes;
    }
    rows->room = room;
    return 1;
}

int rows_begin(Rows *rows, int64_t room) {
    int32_t zero = 0;
    rows->slots_count = 1024;
    rows->slots = calloc(rows->slots_count, sizeof *rows->slots);
    return rows->slots != NULL && grow(rows, room) && buffer_add(&rows->buffers[ROW_end_text], &zero, sizeof zero);
}

void rows_free(Rows *rows) {
    for (int index = 0; index < ROW_BUFFERS; index++) buffer_free(&rows->buffers[index]);
    buffer_free(&rows->leads);
    buffer_free(&rows->end_leads);
    buffer_free(&rows->are_rests);
    free(rows->slots);
    *rows = (Rows){0};
}

int rows_more(Rows *rows) {
    static const int counted[] = {ROW_device, ROW_label, ROW_note, ROW_is_values, ROW_text, ROW_is_text};
    for (size_t index = 0; index < sizeof counted / sizeof *counted; index++)
        if (rows->buffers[counted[index]].size > INT32_MAX / 2) return 0;
    return rows->count < rows->room || grow(rows, 2 * rows->room);
}

size_t rows_bytes(const Rows *rows, int column) {
    if (column >= ROW_FIXED) return rows->buffers[column].size;
    return (size_t)(rows->count + is_offsets(column)) * entry_bytes[column];
}

RowsMark rows_mark(const Rows *rows) {
    RowsMark mark;
    for (int index = ROW_FIXED; index < ROW_BUFFERS; index++) mark.sizes[index - ROW_FIXED] = rows->buffers[index].size;
    mark.count = rows->count;
    return mark;
}

void rows_back(Rows *rows, const RowsMark *mark) {
    for (int index = ROW_FIXED; index < ROW_BUFFERS; index++) rows->buffers[index].size = mark->sizes[index - ROW_FIXED];
    rows->count = mark->count;
}

Span rows_lead_at(const Rows *rows, uint32_t index) {
    const uint32_t *ends = (const uint32_t *)(const void *)rows->end_leads.data;
    return (Span){rows->leads.data + (index ? ends[index - 1] : 0), rows->leads.data + ends[index]};
}

static int more_slots(Rows *rows, uint32_t count) {
    uint32_t slots_count = rows->slots_count * 2;
    uint32_t *slots = calloc(slots_count, sizeof *slots);
    if (slots == NULL) return 0;
    for (uint32_t index = 0; index < count; index++) {
        uint32_t slot = hash_of(rows_lead_at(rows, index), rows->are_rests.data[index]) & (slots_count - 1);
        while (slots[slot]) slot = (slot + 1) & (slots_count - 1);
        slots[slot] = index + 1;
    }
    free(rows->slots);
    rows->slots = slots;
    rows->slots_count = slots_count;
    return 1;
}

int32_t rows_lead(Rows *rows, Span lead, uint8_t is_rest) {
    if (lead.start == lead.end) return -1;
    /* Of a longer one nobody looks at the rest. */
    if (span_length(lead) > LEAD_LIMIT) lead.start = lead.end - LEAD_LIMIT;
    uint32_t slot = hash_of(lead, is_rest) & (rows->slots_count - 1);
    for (; rows->slots[slot]; slot = (slot + 1) & (rows->slots_count - 1)) {
        uint32_t index = rows->slots[slot] - 1;
        Span known = rows_lead_at(rows, index);
        if (rows->are_rests.data[index] == is_rest && span_length(known) == span_length(lead) && memcmp(known.start, lead.start, span_length(lead)) == 0)
            return (int32_t)index;
    }
    uint32_t count = (uint32_t)(rows->end_leads.size / sizeof(uint32_t));
    if (rows->leads.size > INT32_MAX || !buffer_add(&rows->leads, lead.start, span_length(lead))) return -2;
    uint32_t end = (uint32_t)rows->leads.size;
    if (!buffer_add(&rows->end_leads, &end, sizeof end) || !buffer_add(&rows->are_rests, &is_rest, 1)) return -2;
    rows->slots[slot] = count + 1;
    if (count * 2 > rows->slots_count && !more_slots(rows, count + 1)) return -2;
    return (int32_t)count;
}
