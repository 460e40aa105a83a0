/* Records as columns, in the memory layout of Arrow but for the bits of what is NULL, which are bytes here. */
#ifndef BENCHLEDGER_ROWS_H
#define BENCHLEDGER_ROWS_H

#include "bytes.h"

/* X(name, type of an entry). Those with one entry a row; then those of texts, values and facts, with as many as come.
   `is_` tells what is not NULL, `end_` where a row ends in what it names. */
#define ROW_COLUMNS(X)                                                                                                 \
    X(log, int64_t) X(line, int64_t) X(byte_offset, int64_t) X(layout, int32_t) X(lead, int32_t)                       \
    X(step, int64_t) X(is_step, uint8_t) X(epoch, int64_t) X(is_epoch, uint8_t) X(rank, int32_t) X(is_rank, uint8_t)   \
    X(logged_at, int64_t) X(is_logged_at, uint8_t) X(clock_s, double) X(is_clock_s, uint8_t)                           \
    X(end_device, int32_t) X(is_device, uint8_t) X(end_label, int32_t) X(is_label, uint8_t)                            \
    X(end_note, int32_t) X(is_note, uint8_t) X(end_values, int32_t) X(end_texts, int32_t) X(is_texts, uint8_t)
#define MORE_COLUMNS(X)                                                                                                \
    X(device, uint8_t) X(label, uint8_t) X(note, uint8_t) X(values, double) X(is_values, uint8_t)                                       \
    X(end_text, int32_t) X(text, uint8_t) X(is_text, uint8_t) X(facts, int32_t)

#define NAME(name, type) ROW_##name,
enum { ROW_COLUMNS(NAME) ROW_FIXED, ROW_before_more = ROW_FIXED - 1, MORE_COLUMNS(NAME) ROW_BUFFERS };
#undef NAME

typedef struct {
    /* Those of ROW_COLUMNS have room for `room` rows; their `size` is set where they are taken. */
    Buffer buffers[ROW_BUFFERS];
    int64_t count, room;
    /* The texts before records, each once: `end_leads` where one ends in `leads`, and whether it is all that was not read
       of what stood there. */
    Buffer leads, end_leads, are_rests;
    uint32_t *slots, slots_count;
} Rows;

typedef struct {
    size_t sizes[ROW_BUFFERS - ROW_FIXED];
    int64_t count;
} RowsMark;

extern const char *const row_names[ROW_BUFFERS];

/* The entries of a column of ROW_COLUMNS, and those of one of MORE_COLUMNS. */
#define ROW(rows, name, type) ((type *)(void *)(rows)->buffers[ROW_##name].data)

/* With room for some rows: to make more of it copies those that are there. */
int rows_begin(Rows *rows, int64_t room);
void rows_free(Rows *rows);
/* Makes room for one more row. 0: no memory, or more texts than Arrow's offsets can count. */
int rows_more(Rows *rows);
/* How many bytes of a column are used. */
size_t rows_bytes(const Rows *rows, int column);
RowsMark rows_mark(const Rows *rows);
void rows_back(Rows *rows, const RowsMark *mark);
/* The text of a lead. */
Span rows_lead_at(const Rows *rows, uint32_t index);
/* The number of a lead, or of what is left of one that was read; -1 for an empty one, -2: no memory. */
int32_t rows_lead(Rows *rows, Span lead, uint8_t is_rest);

#endif
