/* What Python sees of the scanner: Program, Rows, Scan, Literals. Stable ABI of Python 3.11. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdlib.h>

#include "literals.h"
#include "numbers.h"
#include "scan.h"

typedef struct {
    PyObject_HEAD
    Program *program;
    int running;
} ProgramObject;

typedef struct {
    PyObject_HEAD
    Rows rows;
    int running;
} RowsObject;

typedef struct {
    PyObject_HEAD
    Scan scan;
    ProgramObject *program;
    RowsObject *rows;
    Py_buffer buffer;
} ScanObject;

typedef struct {
    PyObject_HEAD
    Literals literals;
} LiteralsObject;

/* Memory that Arrow reads in place. */
typedef struct {
    PyObject_HEAD
    void *data;
    Py_ssize_t size;
} ColumnObject;

static PyTypeObject *program_type, *rows_type, *scan_type, *column_type, *literals_type;

static void free_object(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *new_object(PyTypeObject *type) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return allocate(type, 0);
}

/* ---- Column ---------------------------------------------------------------------------------------------------- */

static void column_free(PyObject *self) {
    free(((ColumnObject *)self)->data);
    free_object(self);
}

static int column_buffer(PyObject *self, Py_buffer *view, int flags) {
    ColumnObject *column = (ColumnObject *)self;
    return PyBuffer_FillInfo(view, self, column->data, column->size, 1, flags);
}

static PyType_Slot column_slots[] = {
    {Py_tp_dealloc, column_free}, {Py_bf_getbuffer, column_buffer}, {Py_tp_doc, "Bytes of a column."}, {0, NULL}};
static PyType_Spec column_spec = {
    "benchledger.scanning._native.Column", sizeof(ColumnObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, column_slots};

/* Takes the memory over. */
static PyObject *column_of(void *data, size_t size) {
    ColumnObject *column = (ColumnObject *)new_object(column_type);
    if (column == NULL) return free(data), NULL;
    column->data = data;
    column->size = (Py_ssize_t)size;
    return (PyObject *)column;
}

/* ---- Program --------------------------------------------------------------------------------------------------- */

static PyObject *program_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named)) {
    const char *blob;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &blob, &size)) return NULL;
    ProgramObject *self = (ProgramObject *)new_object(type);
    if (self == NULL) return NULL;
    self->program = program_load((const unsigned char *)blob, (size_t)size);
    if (self->program == NULL) {
        Py_DECREF(self);
        PyErr_SetString(PyExc_ValueError, "no sound program of templates");
        return NULL;
    }
    return (PyObject *)self;
}

static void program_dealloc(PyObject *self) {
    program_free(((ProgramObject *)self)->program);
    free_object(self);
}

static PyObject *program_add(PyObject *object, PyObject *args) {
    ProgramObject *self = (ProgramObject *)object;
    unsigned int matcher, phase, flags;
    int number;
    const char *signature;
    const char *scales, *facts;
    Py_ssize_t signature_size, scales_size, facts_size;
    if (!PyArg_ParseTuple(args, "IIy#iIy#y#", &matcher, &phase, &signature, &signature_size, &number, &flags, &scales, &scales_size, &facts,
            &facts_size))
        return NULL;
    Place start = (Place)signature;
    if (self->running || matcher >= self->program->matchers_count || scales_size % (Py_ssize_t)sizeof(double) != 0 || facts_size % 4 != 0) {
        PyErr_SetString(PyExc_ValueError, "a layout of no such template, or while the program runs");
        return NULL;
    }
    uint32_t values = (uint32_t)((size_t)scales_size / sizeof(double));
    if (!program_add_layout(
            self->program, matcher, phase, (Span){start, start + signature_size}, number, flags,
            (const double *)(const void *)scales, values, (const uint32_t *)(const void *)facts, (uint32_t)facts_size / 4))
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *program_add_lead_object(PyObject *object, PyObject *args) {
    ProgramObject *self = (ProgramObject *)object;
    const char *lead, *parts;
    Py_ssize_t lead_size, parts_size;
    unsigned int rest_start, rest_end;
    int is_unknown;
    if (!PyArg_ParseTuple(args, "y#y#IIp", &lead, &lead_size, &parts, &parts_size, &rest_start, &rest_end, &is_unknown)) return NULL;
    Span text = {(Place)lead, (Place)lead + lead_size};
    size_t count = (size_t)parts_size / sizeof(LeadPart);
    if (self->running || count > MOST_LEAD_PARTS || (size_t)parts_size != count * sizeof(LeadPart) ||
        !leads_add(&self->program->leads, text, (const LeadPart *)(const void *)parts, (uint32_t)count, rest_start, rest_end, is_unknown)) {
        PyErr_SetString(PyExc_ValueError, "a lead without such places, one too many, or while the program runs");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef program_methods[] = {
    {"add_lead", program_add_lead_object, METH_VARARGS, "add_lead(lead, parts, rest_start, rest_end, is_unknown)"},
    {"add_layout", program_add, METH_VARARGS, "add_layout(matcher, phase, signature, number, flags, scales, facts)"},
    {NULL, NULL, 0, NULL}};
static PyType_Slot program_slots[] = {
    {Py_tp_new, program_new}, {Py_tp_dealloc, program_dealloc}, {Py_tp_methods, program_methods},
    {Py_tp_doc, "A format's templates, compiled."}, {0, NULL}};
static PyType_Spec program_spec = {
    "benchledger.scanning._native.Program", sizeof(ProgramObject), 0, Py_TPFLAGS_DEFAULT, program_slots};

/* ---- Rows ------------------------------------------------------------------------------------------------------ */

/* How many were taken last: mostly as many come again. Room that nobody writes to is no memory. */
enum { LEAST_ROWS = 64, MOST_ROWS_AT_ONCE = 1 << 18 };
static int64_t taken_last = LEAST_ROWS;

static PyObject *rows_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named)) {
    if (!PyArg_ParseTuple(args, "")) return NULL;
    RowsObject *self = (RowsObject *)new_object(type);
    if (self == NULL) return NULL;
    if (!rows_begin(&self->rows, taken_last)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void rows_dealloc(PyObject *self) {
    rows_free(&((RowsObject *)self)->rows);
    free_object(self);
}

static int is_running(const RowsObject *self) {
    if (self->running) PyErr_SetString(PyExc_RuntimeError, "a scan adds to these rows just now");
    return self->running;
}

#define ENTRY(rows, name, type, index) (ROW(rows, name, type)[index])

static PyObject *text_object(const Rows *rows, int32_t index) {
    if (!ENTRY(rows, is_text, uint8_t, index)) Py_RETURN_NONE;
    int32_t start = ENTRY(rows, end_text, int32_t, index), end = ENTRY(rows, end_text, int32_t, index + 1);
    return PyUnicode_DecodeUTF8((const char *)rows->buffers[ROW_text].data + start, end - start, "strict");
}

static PyObject *value_object(const Rows *rows, int32_t index) {
    if (!ENTRY(rows, is_values, uint8_t, index)) Py_RETURN_NONE;
    return PyFloat_FromDouble(ENTRY(rows, values, double, index));
}

static PyObject *list_of(const Rows *rows, int32_t start, int32_t end, PyObject *(*entry)(const Rows *, int32_t)) {
    PyObject *list = PyList_New(end - start);
    for (int32_t index = start; list && index < end; index++) {
        PyObject *item = entry(rows, index);
        if (item == NULL || PyList_SetItem(list, index - start, item) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *place_object(uint8_t is, int64_t place) {
    if (!is) Py_RETURN_NONE;
    return PyLong_FromLongLong((long long)place);
}

/* The text before a record, and whether it is what is left of one that was read. */
static PyObject *lead_object(const Rows *rows, int32_t index) {
    if (index < 0) Py_RETURN_NONE;
    Span lead = rows_lead_at(rows, (uint32_t)index);
    return Py_BuildValue("y#i", (const char *)lead.start, (Py_ssize_t)span_length(lead), (int)rows->are_rests.data[index]);
}

static PyObject *fact_object(const Rows *rows, int32_t row, int32_t times) {
    PyObject *values = list_of(rows, ENTRY(rows, end_values, int32_t, row), ENTRY(rows, end_values, int32_t, row + 1), value_object);
    PyObject *texts = Py_None;
    Py_INCREF(Py_None);
    if (ENTRY(rows, is_texts, uint8_t, row)) {
        Py_DECREF(Py_None);
        texts = list_of(rows, ENTRY(rows, end_texts, int32_t, row), ENTRY(rows, end_texts, int32_t, row + 1), text_object);
    }
    if (values == NULL || texts == NULL) {
        Py_XDECREF(values);
        Py_XDECREF(texts);
        return NULL;
    }
    return Py_BuildValue(
        "iLNNiNNNN", (int)ENTRY(rows, layout, int32_t, row), (long long)ENTRY(rows, line, int64_t, row), values, texts, (int)times,
        place_object(ENTRY(rows, is_step, uint8_t, row), ENTRY(rows, step, int64_t, row)),
        place_object(ENTRY(rows, is_epoch, uint8_t, row), ENTRY(rows, epoch, int64_t, row)),
        place_object(ENTRY(rows, is_rank, uint8_t, row), ENTRY(rows, rank, int32_t, row)),
        lead_object(rows, ENTRY(rows, lead, int32_t, row)));
}

static PyObject *rows_facts(PyObject *object, PyObject *Py_UNUSED(none)) {
    RowsObject *self = (RowsObject *)object;
    if (is_running(self)) return NULL;
    Buffer *facts = &self->rows.buffers[ROW_facts];
    Py_ssize_t count = (Py_ssize_t)(facts->size / (2 * sizeof(int32_t)));
    PyObject *list = PyList_New(count);
    for (Py_ssize_t index = 0; list && index < count; index++) {
        PyObject *item = fact_object(&self->rows, ENTRY(&self->rows, facts, int32_t, 2 * index), ENTRY(&self->rows, facts, int32_t, 2 * index + 1));
        if (item == NULL || PyList_SetItem(list, index, item) < 0) Py_CLEAR(list);
    }
    facts->size = 0;
    return list;
}

static PyObject *rows_rests(PyObject *object, PyObject *Py_UNUSED(none)) {
    const Rows *rows = &((RowsObject *)object)->rows;
    if (is_running((RowsObject *)object)) return NULL;
    return PyBytes_FromStringAndSize((const char *)rows->are_rests.data, (Py_ssize_t)rows->are_rests.size);
}

static PyObject *rows_leads(PyObject *object, PyObject *Py_UNUSED(none)) {
    RowsObject *self = (RowsObject *)object;
    if (is_running(self)) return NULL;
    const Rows *rows = &self->rows;
    const uint32_t *ends = (const uint32_t *)(const void *)rows->end_leads.data;
    Py_ssize_t count = (Py_ssize_t)(rows->end_leads.size / sizeof *ends);
    PyObject *list = PyList_New(count);
    uint32_t start = 0;
    for (Py_ssize_t index = 0; list && index < count; index++) {
        PyObject *item = PyBytes_FromStringAndSize((const char *)rows->leads.data + start, (Py_ssize_t)(ends[index] - start));
        start = ends[index];
        if (item == NULL || PyList_SetItem(list, index, item) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *rows_size(PyObject *object, PyObject *Py_UNUSED(none)) {
    return PyLong_FromLongLong(((RowsObject *)object)->rows.count);
}

/* One bit an entry, as Arrow has it. */
static PyObject *bits_of(const unsigned char *bytes, size_t count) {
    size_t size = (count + 7) / 8;
    unsigned char *bits = calloc(size ? size : 1, 1);
    if (bits == NULL) return PyErr_NoMemory();
    size_t index = 0;
#ifdef DIGITS_AT_ONCE
    /* The lowest bits of eight bytes side by side in the highest byte. */
    for (; index + 8 <= count; index += 8)
        bits[index / 8] = (unsigned char)((eight_at(bytes + index) & 0x0101010101010101u) * 0x0102040810204080u >> 56);
#endif
    for (; index < count; index++)
        bits[index / 8] = (unsigned char)(bits[index / 8] | (bytes[index] & 1) << (index % 8));
    return column_of(bits, size);
}

static PyObject *rows_take(PyObject *object, PyObject *Py_UNUSED(none)) {
    RowsObject *self = (RowsObject *)object;
    if (is_running(self)) return NULL;
    PyObject *columns = PyDict_New();
    for (int index = 0; columns && index < ROW_BUFFERS; index++) {
        Buffer *buffer = &self->rows.buffers[index];
        PyObject *column;
        size_t bytes = rows_bytes(&self->rows, index);
        if (strncmp(row_names[index], "is_", 3) == 0) {
            column = bits_of(buffer->data, bytes);
        } else {
            /* Never nothing: Arrow wants a place. */
            void *data = buffer->data ? buffer->data : calloc(1, 8);
            column = data ? column_of(data, bytes) : PyErr_NoMemory();
            *buffer = (Buffer){0};
        }
        if (column == NULL || PyDict_SetItemString(columns, row_names[index], column) < 0) Py_CLEAR(columns);
        Py_XDECREF(column);
    }
    int64_t count = self->rows.count;
    taken_last = count < LEAST_ROWS ? LEAST_ROWS : count < MOST_ROWS_AT_ONCE ? count + count / 16 : MOST_ROWS_AT_ONCE;
    rows_free(&self->rows);
    if (!rows_begin(&self->rows, taken_last)) {
        Py_XDECREF(columns);
        return PyErr_NoMemory();
    }
    return columns;
}

static PyMethodDef rows_methods[] = {
    {"size", rows_size, METH_NOARGS, "size() -> int"},
    {"facts", rows_facts, METH_NOARGS, "facts() -> list: layout, line, values, texts of rows that state facts, how many like it (0: a step only), step, epoch, rank, lead"},
    {"leads", rows_leads, METH_NOARGS, "leads() -> list of bytes"},
    {"rests", rows_rests, METH_NOARGS, "rests() -> a byte for each lead: 1 if it is what is left of one that was read"},
    {"take", rows_take, METH_NOARGS, "take() -> dict of columns; the rows are empty afterwards"},
    {NULL, NULL, 0, NULL}};
static PyType_Slot rows_slots[] = {
    {Py_tp_new, rows_new}, {Py_tp_dealloc, rows_dealloc}, {Py_tp_methods, rows_methods},
    {Py_tp_doc, "Records as columns."}, {0, NULL}};
static PyType_Spec rows_spec = {
    "benchledger.scanning._native.Rows", sizeof(RowsObject), 0, Py_TPFLAGS_DEFAULT, rows_slots};

/* ---- Scan ------------------------------------------------------------------------------------------------------ */

static int slow_number(void *context, Span text, double *number) {
    char copy[1024];
    size_t length = span_length(text);
    if (length >= sizeof copy) return 0;
    memcpy(copy, text.start, length);
    copy[length] = 0;
    PyThreadState **state = context;
    PyEval_RestoreThread(*state);
    *number = PyOS_string_to_double(copy, NULL, NULL);
    /* The reference reader tells whether a number near the limits of a double, or 0, is what the text says. */
    int sound = !PyErr_Occurred() && fabs(*number) > 1e-290 && fabs(*number) < 1e290;
    PyErr_Clear();
    *state = PyEval_SaveThread();
    return sound;
}

static PyObject *scan_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named)) {
    PyObject *program, *rows, *buffer;
    Py_ssize_t end;
    long long base, line, log;
    if (!PyArg_ParseTuple(args, "O!O!OnLLL", program_type, &program, rows_type, &rows, &buffer, &end, &base, &line, &log))
        return NULL;
    ScanObject *self = (ScanObject *)new_object(type);
    if (self == NULL) return NULL;
    if (PyObject_GetBuffer(buffer, &self->buffer, PyBUF_SIMPLE) < 0) return Py_DECREF(self), NULL;
    Py_INCREF(program);
    Py_INCREF(rows);
    self->program = (ProgramObject *)program;
    self->rows = (RowsObject *)rows;
    if (end < 0 || end > self->buffer.len) {
        Py_DECREF(self);
        PyErr_SetString(PyExc_ValueError, "the end lies outside of the buffer");
        return NULL;
    }
    Scan *scan = &self->scan;
    scan->program = self->program->program;
    scan->rows = &self->rows->rows;
    scan->start = scan->at = self->buffer.buf;
    scan->end = scan->start + end;
    scan->base = base;
    scan->line = line;
    scan->log = log;
    scan->next_newline = scan->next_return = -1;
    scan->ignored = calloc(scan->program->reasons + 1, sizeof *scan->ignored);
    if (scan->ignored == NULL || buffer_extend(&scan->signature, 1) == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void scan_dealloc(PyObject *object) {
    ScanObject *self = (ScanObject *)object;
    if (self->buffer.obj) PyBuffer_Release(&self->buffer);
    free(self->scan.ignored);
    scan_free(&self->scan);
    Py_XDECREF((PyObject *)self->program);
    Py_XDECREF((PyObject *)self->rows);
    free_object(object);
}

static PyObject *scan_run_object(PyObject *object, PyObject *args) {
    ScanObject *self = (ScanObject *)object;
    Scan *scan = &self->scan;
    unsigned int phase, run_kinds;
    if (!PyArg_ParseTuple(args, "II", &phase, &run_kinds)) return NULL;
    if (self->program->running || self->rows->running) {
        PyErr_SetString(PyExc_RuntimeError, "another scan runs with this program or adds to these rows");
        return NULL;
    }
    self->program->running = self->rows->running = 1;
    scan->phase = phase;
    scan->run_kinds = run_kinds;
    scan->kinds = 0;
    PyThreadState *state = PyEval_SaveThread();
    scan->slow_number = slow_number;
    scan->context = &state;
    int how = scan_run(scan);
    PyEval_RestoreThread(state);
    self->program->running = self->rows->running = 0;
    if (how == SCAN_FAILED) return PyErr_NoMemory();
    long long begin = 0, end = 0;
    if (how != SCAN_DONE) {
        begin = scan->stop_begin - scan->start;
        end = scan->stop_end - scan->start;
    }
    return Py_BuildValue(
        "iLLLIy#ILLII", how, begin, end, (long long)scan->line, (unsigned int)scan->matcher,
        (const char *)scan->signature.data, (Py_ssize_t)(how == SCAN_LAYOUT || how == SCAN_LEAD ? scan->signature.size : 0),
        (unsigned int)scan->kinds, (long long)scan->first_line, (long long)scan->last_line, (unsigned int)scan->phase,
        (unsigned int)scan->asked_phase);
}

static PyObject *scan_skip(PyObject *object, PyObject *args) {
    Scan *scan = &((ScanObject *)object)->scan;
    Py_ssize_t to;
    if (!PyArg_ParseTuple(args, "n", &to)) return NULL;
    if (to < scan->at - scan->start || to > scan->end - scan->start) {
        PyErr_SetString(PyExc_ValueError, "a scan goes forward only, and not behind its end");
        return NULL;
    }
    scan->at = scan->start + to;
    Py_RETURN_NONE;
}

static PyObject *scan_counts(PyObject *object, PyObject *Py_UNUSED(none)) {
    const Scan *scan = &((ScanObject *)object)->scan;
    PyObject *ignored = PyList_New(scan->program->reasons);
    for (uint32_t index = 0; ignored && index < scan->program->reasons; index++) {
        PyObject *count = PyLong_FromLongLong(scan->ignored[index]);
        if (count == NULL || PyList_SetItem(ignored, index, count) < 0) Py_CLEAR(ignored);
    }
    return ignored ? Py_BuildValue("LLLN", (long long)scan->pieces, (long long)scan->records, (long long)scan->notes, ignored) : NULL;
}

static PyObject *scan_unread(PyObject *object, PyObject *Py_UNUSED(none)) {
    const Buffer *unread = &((ScanObject *)object)->scan.unread;
    return PyBytes_FromStringAndSize((const char *)unread->data, (Py_ssize_t)unread->size);
}

static PyMethodDef scan_methods[] = {
    {"run", scan_run_object, METH_VARARGS, "run(phase, kinds of the run so far) -> where and why it stopped, and the kinds and lines of what it found"},
    {"skip", scan_skip, METH_VARARGS, "skip(to): goes on there"},
    {"counts", scan_counts, METH_NOARGS, "counts() -> pieces, records, records with a note, ignored pieces by reason"},
    {"unread", scan_unread, METH_NOARGS, "unread() -> of each unread line its number, its first byte and its end, as 64 bits each"},
    {NULL, NULL, 0, NULL}};
static PyType_Slot scan_slots[] = {
    {Py_tp_new, scan_new}, {Py_tp_dealloc, scan_dealloc}, {Py_tp_methods, scan_methods},
    {Py_tp_doc, "One buffer on its way through a program."}, {0, NULL}};
static PyType_Spec scan_spec = {
    "benchledger.scanning._native.Scan", sizeof(ScanObject), 0, Py_TPFLAGS_DEFAULT, scan_slots};

/* ---- Literals -------------------------------------------------------------------------------------------------- */

static PyObject *literals_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named)) {
    const char *bytes, *lengths;
    Py_ssize_t size, count, total = 0;
    if (!PyArg_ParseTuple(args, "y#y#", &bytes, &size, &lengths, &count)) return NULL;
    LiteralsObject *self = (LiteralsObject *)new_object(type);
    if (self == NULL) return NULL;
    count /= (Py_ssize_t)sizeof(uint32_t);
    const uint32_t *each = (const uint32_t *)(const void *)lengths;
    for (Py_ssize_t index = 0; index < count; index++) total = each[index] ? total + each[index] : -1;
    if (total != size || count > MOST_LITERALS) {
        Py_DECREF(self);
        PyErr_SetString(PyExc_ValueError, "the lengths are not those of the literals, of which none is empty");
        return NULL;
    }
    if (!literals_prepare(&self->literals, (const unsigned char *)bytes, each, (uint32_t)count)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void literals_dealloc(PyObject *self) {
    literals_free(&((LiteralsObject *)self)->literals);
    free_object(self);
}

static PyObject *literals_found(PyObject *object, PyObject *text) {
    const Literals *literals = &((LiteralsObject *)object)->literals;
    Py_buffer buffer;
    if (PyObject_GetBuffer(text, &buffer, PyBUF_SIMPLE) < 0) return NULL;
    PyObject *found = PyBytes_FromStringAndSize(NULL, literals->count);
    if (found != NULL) {
        unsigned char *marks = (unsigned char *)PyBytes_AsString(found);
        memset(marks, 0, literals->count);
        Span whole = {buffer.buf, (Place)buffer.buf + buffer.len};
        Py_BEGIN_ALLOW_THREADS literals_find(literals, whole, marks);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&buffer);
    return found;
}

static PyMethodDef literals_methods[] = {
    {"found_in", literals_found, METH_O, "found_in(text) -> a byte for each literal: 1 if it stands in the text"}, {NULL, NULL, 0, NULL}};
static PyType_Slot literals_slots[] = {
    {Py_tp_new, literals_new}, {Py_tp_dealloc, literals_dealloc}, {Py_tp_methods, literals_methods},
    {Py_tp_doc, "Many literals that are looked for at once."}, {0, NULL}};
static PyType_Spec literals_spec = {
    "benchledger.scanning._native.Literals", sizeof(LiteralsObject), 0, Py_TPFLAGS_DEFAULT, literals_slots};

/* ---- module ---------------------------------------------------------------------------------------------------- */

static PyObject *number_of_text(PyObject *Py_UNUSED(module), PyObject *args) {
    const char *text;
    Py_ssize_t size;
    double number;
    if (!PyArg_ParseTuple(args, "y#", &text, &size)) return NULL;
    Span span = {(Place)text, (Place)text + size};
    Place behind = past_number_word(span.start, span.end);
    if (behind == NULL) behind = past_float(span.start, span.end);
    if (behind != span.end) {
        PyErr_SetString(PyExc_ValueError, "no number");
        return NULL;
    }
    PyThreadState *state = PyEval_SaveThread();
    int sound = to_double(span, &number) || slow_number(&state, span, &number);
    PyEval_RestoreThread(state);
    if (!sound) Py_RETURN_NONE;
    return PyFloat_FromDouble(number);
}

static PyMethodDef module_methods[] = {
    {"number", number_of_text, METH_VARARGS, "number(text) -> float, as a scan reads it; for tests"}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "_native", "Runs compiled templates over buffers.", -1, module_methods, NULL, NULL, NULL, NULL};

/* Of which sources this was made, told by native/build_hook.py. */
#ifndef STAMP
#define STAMP ""
#endif

PyMODINIT_FUNC PyInit__native(void) {
    PyObject *module = PyModule_Create(&module_definition);
    if (module == NULL) return NULL;
    column_type = (PyTypeObject *)PyType_FromSpec(&column_spec);
    program_type = (PyTypeObject *)PyType_FromSpec(&program_spec);
    rows_type = (PyTypeObject *)PyType_FromSpec(&rows_spec);
    scan_type = (PyTypeObject *)PyType_FromSpec(&scan_spec);
    literals_type = (PyTypeObject *)PyType_FromSpec(&literals_spec);
    if (!column_type || !program_type || !rows_type || !scan_type || !literals_type ||
        PyModule_AddType(module, program_type) < 0 || PyModule_AddType(module, rows_type) < 0 ||
        PyModule_AddType(module, scan_type) < 0 || PyModule_AddType(module, literals_type) < 0 ||
        PyModule_AddStringConstant(module, "STAMP", STAMP) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
