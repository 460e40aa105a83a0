/* Runs programs over their sample lines, changed at random, in memory of exactly their size: `make native-check`.

   fuzz SECONDS SEED (PROGRAM LINES)...: of each format the blob and a file of lines. With a sanitizer, the first byte
   that is read beside a buffer ends it. Programs are changed too: those must be refused, or run as safely. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../literals.h"
#include "../scan.h"

static uint64_t state;

static uint64_t chance(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? state % below : 0;
}

typedef struct {
    unsigned char *data;
    size_t size;
} File;

static File file_of(const char *path) {
    File file = {NULL, 0};
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) exit(2);
    Buffer buffer = {0};
    unsigned char part[4096];
    for (size_t got; (got = fread(part, 1, sizeof part, stream)) > 0;) buffer_add(&buffer, part, got);
    fclose(stream);
    file.data = buffer.data;
    file.size = buffer.size;
    return file;
}

static void change(Buffer *text) {
    static const char *const odd[] = {"\n", "\r", "\x1b[0m", "  ", "\t", "nan", "-", "9999999999999999999999", ".", "e-400", "[", "(",
                                      "'", "\"", " : ", ": ", ", ", "None", "\xc3", "\xf0\x9f", "2021-02-30 25:61:61", "/3", "K", "%",
                                      "{", "}", "]", ",", "\\", "\": ", "{\"a\": [", "null", "true", "1e5"};
    for (uint64_t times = chance(6); times > 0 && text->size; times--) {
        size_t at = chance(text->size);
        const char *more = odd[chance(sizeof odd / sizeof *odd)];
        size_t length = strlen(more);
        switch (chance(5)) {
        case 0: text->data[at] = (unsigned char)chance(256); break;
        case 1: text->size = at; break;
        case 2:
            if (length <= text->size - at) memcpy(text->data + at, more, length);
            break;
        case 3: {
            size_t from = chance(text->size), copied = chance(text->size - from);
            Buffer again = {0};
            buffer_add(&again, text->data + from, copied);
            buffer_add(text, again.data, again.size);
            buffer_free(&again);
            break;
        }
        default: {
            if (buffer_extend(text, length) == NULL) exit(2);
            memmove(text->data + at + length, text->data + at, text->size - length - at);
            memcpy(text->data + at, more, length);
        }
        }
    }
}

static void some_lines(const File *lines, Buffer *text) {
    for (uint64_t count = chance(12); count > 0; count--) {
        size_t start = chance(lines->size), end;
        while (start > 0 && lines->data[start - 1] != '\n') start--;
        for (end = start; end < lines->size && lines->data[end] != '\n';) end++;
        buffer_add(text, lines->data + start, end - start);
        if (chance(8)) buffer_add(text, chance(8) ? "\n" : "\r", 1);
    }
}

static int slow(void *context, Span text, double *number) {
    (void)context;
    char copy[1024];
    if (span_length(text) >= sizeof copy) return 0;
    memcpy(copy, text.start, span_length(text));
    copy[span_length(text)] = 0;
    *number = strtod(copy, NULL);
    return 1;
}

/* As many values as the holes and the keys of a layout have. */
static uint32_t values_of(const Program *program, uint32_t number, Span signature) {
    const Matcher *matcher = &program->matchers[number];
    uint32_t values = 0, hole = 0;
    for (uint32_t index = 0; index < matcher->template.count; index++) {
        uint32_t code = matcher->template.steps[index].code;
        if (code >= STEP_INT && code != STEP_SKIP && code != STEP_END) values += matcher->targets[hole++] <= TO_TEXT;
    }
    for (Place at = signature.start; at < signature.end; values++) at += 2 + at[0] + (at[1] == 255 ? 0 : at[1]);
    return values ? values : 1;
}

/* Any places at all: those of no lead must be refused, and values that stand at none are not read. */
static void teach_lead(Program *program, Span lead) {
    LeadPart parts[4];
    uint32_t count = (uint32_t)chance(5), length = (uint32_t)span_length(lead);
    for (uint32_t index = 0; index < count; index++) {
        uint32_t start = (uint32_t)chance(length + 1);
        parts[index] = (LeadPart){(uint32_t)chance(STEPS), (uint32_t)chance(TARGETS), start, start + (uint32_t)chance(length - start + 2)};
    }
    if (!leads_add(&program->leads, lead, parts, count, (uint32_t)chance(3), (uint32_t)chance(length + 2), chance(4) == 0) &&
        !leads_add(&program->leads, lead, NULL, 0, 0, 0, 1))
        exit(2);
}

static void find_literals(const File *lines, const Buffer *text) {
    unsigned char bytes[256], found[32] = {0}, *exact = malloc(text->size ? text->size : 1);
    uint32_t lengths[32], count = (uint32_t)chance(32);
    Literals literals;
    for (uint32_t index = 0, at = 0; index < count; index++, at += lengths[index - 1]) {
        lengths[index] = 1 + (uint32_t)chance(8);
        size_t from = chance(lines->size - lengths[index]);
        memcpy(bytes + at, lines->data + from, lengths[index]);
    }
    if (exact == NULL || !literals_prepare(&literals, bytes, lengths, count)) exit(2);
    if (text->size) memcpy(exact, text->data, text->size);
    Span whole = {exact, exact + text->size};
    literals_find(&literals, whole, found);
    for (uint32_t index = 0; index < count; index++)
        if (found[index] != (find(whole.start, whole.end, literals.texts[index]) != NULL)) abort();
    literals_free(&literals);
    free(exact);
}

static int64_t run(Program *program, const Buffer *text) {
    /* Exactly as much memory as there is text. */
    unsigned char *exact = malloc(text->size ? text->size : 1);
    Rows rows = {0};
    Scan *scan = calloc(1, sizeof *scan);
    static const double ones[MOST_VALUES + MOST_HOLES + 1] = {0};
    if (exact == NULL || scan == NULL || !rows_begin(&rows, 64)) exit(2);
    if (text->size) memcpy(exact, text->data, text->size);
    *scan = (Scan){.program = program, .rows = &rows, .start = exact, .at = exact, .end = exact + text->size, .line = 1};
    scan->next_newline = scan->next_return = -1;
    scan->slow_number = slow;
    scan->ignored = calloc(program->reasons + 1, sizeof *scan->ignored);
    buffer_extend(&scan->signature, 1);
    for (int how; (how = scan_run(scan)) != SCAN_DONE;) {
        if (how == SCAN_FAILED) exit(2);
        if (how == SCAN_REFERENCE) {
            if (scan->stop_end < scan->stop_begin || scan->stop_end > scan->end) abort();
            scan->at = scan->stop_end;
            continue;
        }
        if (how == SCAN_RUN) {
            scan->kinds = scan->run_kinds = 0;
            continue;
        }
        Span signature = {scan->signature.data, scan->signature.data + scan->signature.size};
        if (how == SCAN_LEAD) {
            teach_lead(program, signature);
            continue;
        }
        uint32_t values = values_of(program, scan->matcher, signature);
        uint32_t facts[] = {(uint32_t)chance(values), (uint32_t)chance(values) | FACT_ANY};
        if (!program_add_layout(program, scan->matcher, scan->asked_phase, signature, 0, (uint32_t)chance(32), ones, values, facts, 2)) exit(2);
    }
    int64_t found = rows.count;
    if (rows.count != scan->records) abort();
    free(scan->ignored);
    scan_free(scan);
    free(scan);
    rows_free(&rows);
    free(exact);
    return found;
}

int main(int count, char **given) {
    if (count < 5 || count % 2 == 0) return fprintf(stderr, "usage: fuzz SECONDS SEED (PROGRAM LINES)...\n"), 2;
    time_t until = time(NULL) + atol(given[1]);
    state = (uint64_t)atol(given[2]) * 2654435761u + 1;
    int formats = (count - 3) / 2;
    File *blobs = calloc((size_t)formats, sizeof *blobs), *lines = calloc((size_t)formats, sizeof *lines);
    for (int index = 0; index < formats; index++) {
        blobs[index] = file_of(given[3 + 2 * index]);
        lines[index] = file_of(given[4 + 2 * index]);
    }
    int64_t runs = 0, records = 0, refused = 0;
    while (time(NULL) < until) {
        int index = (int)chance((uint64_t)formats);
        Buffer blob = {0};
        buffer_add(&blob, blobs[index].data, blobs[index].size);
        int changed = chance(4) == 0;
        for (uint64_t times = changed ? 1 + chance(3) : 0; times > 0; times--)
            blob.data[chance(blob.size)] = (unsigned char)(chance(2) ? chance(256) : chance(14));
        Program *program = program_load(blob.data, blob.size);
        buffer_free(&blob);
        if (program == NULL && !changed) abort();
        refused += program == NULL;
        for (int again = 0; program && again < 20; again++, runs++) {
            Buffer text = {0};
            some_lines(&lines[index], &text);
            change(&text);
            records += run(program, &text);
            if (chance(8) == 0 && lines[index].size > 8) find_literals(&lines[index], &text);
            buffer_free(&text);
        }
        program_free(program);
    }
    for (int index = 0; index < formats; index++) free(blobs[index].data), free(lines[index].data);
    free(blobs);
    free(lines);
    printf("%lld logs, %lld records, %lld programs refused: no fault\n", (long long)runs, (long long)records, (long long)refused);
    return 0;
}
