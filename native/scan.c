#include "scan.h"

#include "numbers.h"

enum { TAKEN = 100, NEXT, PIECE_LIMIT = 65536, MOST_IN_A_ROW = MOST_HOLES + MOST_VALUES };

/* The columns of one record, while it is not certain that it is one. */
typedef struct {
    int64_t step, epoch, logged_at;
    int32_t rank;
    double clock_s;
    uint8_t is_step, is_epoch, is_rank, is_logged_at, is_clock_s;
    Span device, label, note;
    uint32_t values;
    uint8_t kinds[MOST_IN_A_ROW];
    double numbers[MOST_IN_A_ROW];
    Span texts[MOST_IN_A_ROW];
    int has_text;
} Draft;

static int number_at(Scan *scan, Span text, double *number) {
    return to_double(text, number) || scan->slow_number(scan->context, text, number);
}

static int add_value(Draft *draft, int kind, double number, Span text) {
    draft->kinds[draft->values] = (uint8_t)kind;
    draft->numbers[draft->values] = number;
    draft->texts[draft->values++] = text;
    draft->has_text |= kind == VALUE_TEXT;
    return kind != VALUE_TEXT || is_plain_text(text.start, text.end);
}

static int clock_of(Scan *scan, uint32_t code, Span raw, const Hole *hole, double *number) {
    if (hole->is_known) return *number = hole->number, 1;
    char digits[80];
    size_t length = 0;
    switch (code) {
    case STEP_DURATION: return to_seconds(raw, number);
    case STEP_STAMP: return to_stamp(raw, number);
    case STEP_THOUSANDS:
    case STEP_DECIMALS:
        for (Place at = raw.start; at < raw.end && length < sizeof digits; at++)
            if (*at != ',') digits[length++] = (char)*at;
        if (length == sizeof digits) return 0;
        raw = (Span){(Place)digits, (Place)digits + length};
    }
    if (!number_at(scan, raw, number)) return 0;
    /* Whole numbers know no -0. */
    if (code != STEP_FLOAT && code != STEP_DECIMALS) *number += 0.0;
    return 1;
}

/* 0: the reference reader knows what to do with it. */
static int add_hole(Scan *scan, Draft *draft, uint32_t code, uint32_t target, Span raw, const Hole *hole) {
    double number = 0;
    int64_t whole = 0;
    if (code <= STEP_FLOAT && past_absent(raw.start, raw.end))
        return target == TO_NUMBER && add_value(draft, VALUE_ABSENT, 0, raw);
    switch (target) {
    case TO_NUMBER: return clock_of(scan, code, raw, hole, &number) && add_value(draft, VALUE_NUMBER, number, raw);
    case TO_CLOCK: return draft->is_clock_s = 1, clock_of(scan, code, raw, hole, &draft->clock_s);
    case TO_TEXT: return add_value(draft, VALUE_TEXT, 0, raw);
    case TO_STEP: return draft->is_step = 1, to_int64(raw, &draft->step);
    case TO_EPOCH: return draft->is_epoch = 1, to_int64(raw, &draft->epoch);
    case TO_RANK:
        if (!to_int64(raw, &whole) || whole <= INT32_MIN || whole > INT32_MAX) return 0;
        draft->rank = (int32_t)whole;
        return draft->is_rank = 1;
    case TO_DEVICE: return draft->device = raw, is_plain_text(raw.start, raw.end);
    case TO_LABEL: return draft->label = raw, is_plain_text(raw.start, raw.end);
    case TO_LOGGED_AT:
        draft->is_logged_at = 1;
        return code == STEP_TIME ? to_time(raw, &draft->logged_at) : to_unix_time(raw, &draft->logged_at);
    }
    return 0;
}

/* A pair, with its key and its unit, by which a layout is known. */
static inline int add_pair(Scan *scan, Draft *draft, const Pair *pair) {
    double number = pair->number;
    if (draft->values >= MOST_IN_A_ROW) return 0;
    if (pair->kind != VALUE_NUMBER)
        number = 0;
    else if (!pair->is_known && !number_at(scan, pair->text, &number))
        return 0;
    if (!add_value(draft, pair->kind, number, pair->text)) return 0;
    size_t before = pair->is_mean ? 5 : 0, key = before + span_length(pair->key);
    size_t unit = pair->unit.start ? span_length(pair->unit) : 255;
    if (key > 255 || (pair->unit.start && unit > 254)) return 0;
    unsigned char *room = buffer_extend(&scan->signature, 2 + key + (pair->unit.start ? unit : 0));
    if (room == NULL) return 0;
    room[0] = (unsigned char)key;
    room[1] = (unsigned char)unit;
    memcpy(room + 2, "mean_", before);
    memcpy(room + 2 + before, pair->key.start, key - before);
    if (pair->unit.start) memcpy(room + 2 + key, pair->unit.start, unit);
    return 1;
}

/* The list that the text of a pair is, or NULL; `inner` is where it begins. */
static const Expansion *expansion_of(const Matcher *matcher, const Pair *pair, Span *inner) {
    for (uint32_t index = 0; pair->kind == VALUE_TEXT && index < matcher->expansions_count; index++) {
        const Expansion *expansion = &matcher->expansions[index];
        if (span_length(expansion->name) != span_length(pair->key) || !starts_with(pair->key.start, pair->key.end, expansion->name))
            continue;
        Place after = find(pair->text.start, pair->text.end, expansion->after);
        if (after == NULL) return NULL;
        *inner = (Span){after + span_length(expansion->after), pair->text.end};
        return expansion;
    }
    return NULL;
}

static int add_inner(Scan *scan, Draft *draft, const Expansion *expansion, Span text, Span inner) {
    uint32_t count = 0;
    Span note;
    const Style *style = &scan->program->styles[expansion->style];
    if (!is_plain_text(text.start, text.end)) return 0;
    if (pairs_read(style, &scan->program->units, inner, scan->inner, &count, &note) == PAIRS_UNUSUAL) return 0;
    for (uint32_t index = 0; index < count; index++)
        if (!add_pair(scan, draft, &scan->inner[index])) return 0;
    return 1;
}

static int add_holes(Scan *scan, Draft *draft, const Matcher *matcher, const Hole *holes) {
    uint32_t hole = 0;
    for (uint32_t index = 0; index < matcher->template.count; index++) {
        uint32_t code = matcher->template.steps[index].code;
        if (code < STEP_INT || code == STEP_SKIP || code == STEP_END) continue;
        if (code == STEP_PAIRS && ++hole) continue;
        Span raw = holes[hole].text;
        if (matcher->targets[hole] == TO_TEXT) raw = stripped(raw.start, raw.end);
        const Expansion *list = hole == matcher->list_hole ? &matcher->expansions[0] : NULL;
        Place inner = list ? find(raw.start, raw.end, list->after) : NULL;
        if (inner) {
            /* Says of a layout that the values of a list stand in the place of this hole's. */
            static const unsigned char mark[] = {0, 255};
            if (!buffer_add(&scan->signature, mark, sizeof mark)) return 0;
            if (!add_inner(scan, draft, list, raw, (Span){inner + span_length(list->after), raw.end})) return 0;
        } else if (!add_hole(scan, draft, code, matcher->targets[hole], raw, &holes[hole])) {
            return 0;
        }
        hole++;
    }
    return 1;
}

static int add_pairs(Scan *scan, Draft *draft, const Matcher *matcher, uint32_t count) {
    for (uint32_t index = 0; index < count; index++) {
        const Pair *pair = &scan->pairs[index];
        Span inner;
        const Expansion *expansion = matcher->expansions_count ? expansion_of(matcher, pair, &inner) : NULL;
        if (!(expansion ? add_inner(scan, draft, expansion, pair->text, inner) : add_pair(scan, draft, pair))) return 0;
    }
    return 1;
}

/* Which of the matcher's keys are among some pairs, one bit each: those beyond 64 count as there. */
static uint64_t keys_in(const Matcher *matcher, const Pair *pairs, uint32_t count) {
    uint64_t found = 0;
    for (uint32_t key = 0; key < matcher->keys_count && key < 64; key++) {
        Span text = matcher->keys[key];
        for (uint32_t index = 0; index < count; index++)
            if (!pairs[index].is_mean && span_length(pairs[index].key) == span_length(text) && starts_with(pairs[index].key.start, pairs[index].key.end, text))
                found |= (uint64_t)1 << key;
    }
    return found;
}

static int are_all_keys(const Matcher *matcher, uint64_t found) {
    return found == (matcher->keys_count < 64 ? ((uint64_t)1 << matcher->keys_count) - 1 : ~(uint64_t)0);
}

/* The lists before the end of the template. 0: for the reference reader. */
static int add_lists(Scan *scan, Draft *draft, const Matcher *matcher, const Hole *holes, uint64_t *keys) {
    uint32_t hole = 0;
    for (uint32_t index = 0; matcher->inner != NO_STYLE && index < matcher->template.count; index++) {
        uint32_t code = matcher->template.steps[index].code, count = 0;
        if (code < STEP_INT || code == STEP_SKIP || code == STEP_END) continue;
        Span raw = holes[hole++].text, note;
        if (code != STEP_PAIRS) continue;
        if (pairs_read(&scan->program->styles[matcher->inner], &scan->program->units, raw, scan->inner, &count, &note) != PAIRS_CLEAN)
            return 0;
        *keys |= keys_in(matcher, scan->inner, count);
        for (uint32_t pair = 0; pair < count; pair++) {
            Span list;
            /* A list in a list. */
            if (matcher->expansions_count && expansion_of(matcher, &scan->inner[pair], &list)) return 0;
            if (!add_pair(scan, draft, &scan->inner[pair])) return 0;
        }
    }
    return 1;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

enum { MOST_NAME = 255 };

typedef struct {
    unsigned char text[MOST_NAME];
    size_t size;
} Name;

static int name_add(Name *name, Span text) {
    if (span_length(text) > MOST_NAME - name->size) return 0;
    memcpy(name->text + name->size, text.start, span_length(text));
    name->size += span_length(text);
    return 1;
}

static Span text_of_truth(uint32_t kind) {
    static const unsigned char words[] = "TrueFalse";
    return kind == JSON_TRUE ? (Span){words, words + 4} : (Span){words + 4, words + 9};
}

static int add_named(Scan *scan, const Name *name) {
    unsigned char *room = buffer_extend(&scan->signature, 2 + name->size);
    if (room == NULL) return 0;
    room[0] = (unsigned char)name->size;
    room[1] = 255;
    memcpy(room + 2, name->text, name->size);
    return 1;
}

/* Adds a value under its name, those of an object each under its own. 0: for the reference reader. */
static int add_node(Scan *scan, Draft *draft, const Node *node, Name name) {
    double number = 0;
    if (node->kind == JSON_OBJECT) {
        static const unsigned char dot[] = ".";
        if (!name_add(&name, (Span){dot, dot + 1})) return 0;
        uint32_t at = (uint32_t)(node - scan->json->nodes) + 1;
        for (; at < node->behind; at = scan->json->nodes[at].behind) {
            Name own = name;
            if (!name_add(&own, scan->json->nodes[at].key) || !add_node(scan, draft, &scan->json->nodes[at], own)) return 0;
        }
        return 1;
    }
    if (draft->values >= MOST_VALUES || !add_named(scan, &name)) return 0;
    switch (node->kind) {
    case JSON_NULL: return add_value(draft, VALUE_ABSENT, 0, node->text);
    case JSON_TRUE:
    case JSON_FALSE: return add_value(draft, VALUE_TEXT, 0, text_of_truth(node->kind));
    case JSON_STRING: return add_value(draft, VALUE_TEXT, 0, node->text);
    case JSON_ARRAY: return json_is_as_written(scan->json, node) && add_value(draft, VALUE_TEXT, 0, node->text);
    default:
        if (!number_at(scan, node->text, &number)) return 0;
        return add_value(draft, VALUE_NUMBER, node->kind == JSON_INT ? number + 0.0 : number, node->text);
    }
}

static int add_values_of(Scan *scan, Draft *draft, const JsonMap *map) {
    const Json *json = scan->json;
    if (map->name_path.start) {
        Name name = {.size = 0};
        Span key = json_at(json, map->name_path)->text;
        /* One of the others may have the same name. */
        for (uint32_t index = 0; index < map->values_count; index++)
            if (span_length(key) == span_length(map->values[index].name) &&
                memcmp(key.start, map->values[index].name.start, span_length(key)) == 0)
                return 0;
        if (!name_add(&name, key) || !add_node(scan, draft, json_at(json, map->value_path), name)) return 0;
    }
    for (uint32_t index = 0; index < map->values_count; index++) {
        Name name = {.size = 0};
        const Node *node = json_at(json, map->values[index].path);
        if (node && (!name_add(&name, map->values[index].name) || !add_node(scan, draft, node, name))) return 0;
    }
    const Node *all = map->all.start ? json_at(json, map->all) : NULL;
    uint32_t at = all ? (uint32_t)(all - json->nodes) + 1 : 0;
    for (; all && at < all->behind; at = json->nodes[at].behind) {
        Name name = {.size = 0};
        if (!name_add(&name, json->nodes[at].key) || !add_node(scan, draft, &json->nodes[at], name)) return 0;
    }
    return 1;
}

static int add_json_time(Draft *draft, const JsonMap *map, const Node *node) {
    int64_t found = 0;
    if (node->kind == JSON_STRING) {
        draft->is_logged_at = 1;
        return past_time(node->text.start, node->text.end) == node->text.end && to_time(node->text, &draft->logged_at);
    }
    if (node->kind != JSON_INT || map->micros == 0 || span_length(node->text) > 15 || !to_int64(node->text, &found)) return 0;
    if (found < 0 || found > 253402300799 * (1000000 / map->micros)) return 0;
    /* 0 is what a program writes that asked no clock. */
    draft->is_logged_at = found != 0;
    draft->logged_at = found * map->micros;
    return 1;
}

/* 0: for the reference reader. */
static int add_json_column(Scan *scan, Draft *draft, const JsonMap *map, uint32_t target, const Node *node) {
    int64_t whole;
    switch (target) {
    case TO_LOGGED_AT: return add_json_time(draft, map, node);
    case TO_CLOCK:
        draft->is_clock_s = 1;
        if (node->kind != JSON_INT && node->kind != JSON_FLOAT) return 0;
        if (!number_at(scan, node->text, &draft->clock_s)) return 0;
        if (node->kind == JSON_INT) draft->clock_s += 0.0;
        return 1;
    case TO_STEP: return draft->is_step = 1, node->kind == JSON_INT && to_int64(node->text, &draft->step);
    case TO_EPOCH: return draft->is_epoch = 1, node->kind == JSON_INT && to_int64(node->text, &draft->epoch);
    case TO_RANK:
        if (node->kind != JSON_INT || !to_int64(node->text, &whole) || whole <= INT32_MIN || whole > INT32_MAX) return 0;
        draft->rank = (int32_t)whole;
        return draft->is_rank = 1;
    }
    Span text = node->kind == JSON_TRUE || node->kind == JSON_FALSE ? text_of_truth(node->kind) : node->text;
    if (node->kind == JSON_NULL || node->kind == JSON_FLOAT || (node->kind == JSON_INT && *text.start == '-')) return 0;
    *(target == TO_DEVICE ? &draft->device : &draft->label) = text;
    return 1;
}

/* TAKEN: the object is a record, NEXT: it is none. */
static int read_json(Scan *scan, const JsonMap *map, Span text, Span lead, Draft *draft) {
    Json *json = scan->json;
    if (!json_read(json, text)) return SCAN_REFERENCE;
    int selected = json_selects(map, json);
    if (selected <= 0) return selected ? SCAN_REFERENCE : NEXT;
    const Node *all = map->all.start ? json_at(json, map->all) : NULL;
    if (map->all.start && (all == NULL || all->kind != JSON_OBJECT)) return NEXT;
    if (map->name_path.start) {
        const Node *name = json_at(json, map->name_path);
        if (name == NULL || name->kind != JSON_STRING || json_at(json, map->value_path) == NULL) return NEXT;
    }
    for (uint32_t index = 0; index < map->columns_count; index++) {
        const Node *node = json_at(json, map->columns[index].path);
        if (node == NULL && map->columns[index].target == TO_LOGGED_AT) continue;
        if (node == NULL || node->kind == JSON_OBJECT || node->kind == JSON_ARRAY) return NEXT;
        /* What is null here is not what stands before the record either. */
        if (node->kind == JSON_NULL) {
            if (lead.start < lead.end) return SCAN_REFERENCE;
            continue;
        }
        if (!add_json_column(scan, draft, map, map->columns[index].target, node)) return SCAN_REFERENCE;
        if (map->columns[index].target == TO_LOGGED_AT && !draft->is_logged_at && lead.start < lead.end) return SCAN_REFERENCE;
    }
    Span rest = stripped(json->end, text.end);
    return rest.start == rest.end && add_values_of(scan, draft, map) ? TAKEN : SCAN_REFERENCE;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

/* The text, if there is one; where it ends in its column. */
static int32_t add_text(Buffer *column, Span text) {
    if (text.start) buffer_add(column, text.start, span_length(text));
    return (int32_t)column->size;
}

/* 0: no memory. */
static int add_values(Rows *rows, const Draft *draft, const Layout *layout) {
    /* A record without values still has one, which is NULL. */
    uint32_t count = draft->values, places = count ? count : 1;
    double *numbers = buffer_extend(&rows->buffers[ROW_values], places * sizeof *numbers);
    uint8_t *are = buffer_extend(&rows->buffers[ROW_is_values], places);
    if (numbers == NULL || are == NULL) return 0;
    numbers[0] = 0;
    are[0] = 0;
    for (uint32_t index = 0; index < count; index++) {
        are[index] = draft->kinds[index] == VALUE_NUMBER;
        numbers[index] = are[index] ? draft->numbers[index] * layout->scales[index] : 0;
    }
    for (uint32_t index = 0; draft->has_text && index < count; index++) {
        uint8_t is = draft->kinds[index] == VALUE_TEXT;
        int32_t end = add_text(&rows->buffers[ROW_text], is ? draft->texts[index] : (Span){NULL, NULL});
        if (!buffer_add(&rows->buffers[ROW_end_text], &end, sizeof end) || !buffer_add(&rows->buffers[ROW_is_text], &is, 1))
            return 0;
    }
    return !rows->buffers[ROW_text].failed;
}

/* Whether a row states what the one before of its layout does. */
static int states_the_same(const Scan *scan, const Draft *draft, const Layout *layout) {
    const Rows *rows = scan->rows;
    if (layout->fact_stretch != scan->stretch) return 0;
    size_t first = (size_t)ROW(rows, end_values, int32_t)[layout->fact_row];
    for (uint32_t index = 0; draft->values && index < layout->facts_count; index++) {
        uint32_t place = layout->facts[index] & ~FACT_ANY;
        if (ROW(rows, is_texts, uint8_t)[layout->fact_row] || draft->has_text) return 0;
        int is = draft->kinds[place] == VALUE_NUMBER, was = ROW(rows, is_values, uint8_t)[first + place];
        if (is != was) return 0;
        if (layout->facts[index] & FACT_ANY) continue;
        double number = is ? draft->numbers[place] * layout->scales[place] : 0;
        if (memcmp(&number, &ROW(rows, values, double)[first + place], sizeof number) != 0) return 0;
    }
    return 1;
}

/* Tells the first and the last step of each process in a stretch, as facts that come no time. 0: no memory. */
static int add_step(Scan *scan, const Draft *draft, Layout *layout, int32_t lead, int64_t row, int alone) {
    Buffer *facts = &scan->rows->buffers[ROW_facts];
    int used = 0;
    for (; alone && used < layout->lanes_room && layout->lanes[used].stretch == scan->stretch; used++) {
        const StepLane *lane = &layout->lanes[used];
        if (lane->lead == lead && lane->is_rank == draft->is_rank && (!draft->is_rank || lane->rank == draft->rank) &&
            lane->is_step == draft->is_step && lane->is_epoch == draft->is_epoch) {
            ((int32_t *)(void *)facts->data)[lane->entry] = (int32_t)row;
            return 1;
        }
    }
    int32_t entries[] = {(int32_t)row, 0, (int32_t)row, 0};
    if (alone && used == layout->lanes_room && used < MOST_LANES) {
        int room = used ? 2 * used : 1;
        StepLane *lanes = realloc(layout->lanes, (size_t)room * sizeof *lanes);
        if (lanes == NULL) return 0;
        for (int index = used; index < room; index++) lanes[index].stretch = 0;
        layout->lanes = lanes;
        layout->lanes_room = room;
    }
    if (alone && used < layout->lanes_room)
        layout->lanes[used] = (StepLane){scan->stretch, (int64_t)(facts->size / sizeof(int32_t)) + 2, lead, draft->rank, (uint8_t)draft->is_rank,
            (uint8_t)draft->is_step, (uint8_t)draft->is_epoch};
    return buffer_add(facts, entries, sizeof entries);
}

/* 0: no memory. A row of a line with several records may be taken back: it is told by itself. */
static int add_fact(Scan *scan, const Draft *draft, Layout *layout, int64_t row, int alone) {
    Buffer *facts = &scan->rows->buffers[ROW_facts];
    /* Each process prints a start. */
    if (alone && !(layout->flags & LAYOUT_START) && states_the_same(scan, draft, layout)) {
        ((int32_t *)(void *)facts->data)[layout->fact_entry + 1]++;
        return 1;
    }
    int32_t entry[] = {(int32_t)row, 1};
    layout->fact_row = row;
    layout->fact_entry = (int64_t)(facts->size / sizeof(int32_t));
    layout->fact_stretch = alone ? scan->stretch : -1;
    return buffer_add(facts, entry, sizeof entry);
}

static int add_row(Scan *scan, const Draft *draft, Layout *layout, int32_t lead, Place head, int alone) {
    Rows *rows = scan->rows;
    if (!rows_more(rows) || !add_values(rows, draft, layout)) return 0;
    int64_t row = rows->count;
    ROW(rows, log, int64_t)[row] = scan->log;
    ROW(rows, line, int64_t)[row] = scan->line;
    ROW(rows, byte_offset, int64_t)[row] = scan->base + (head - scan->start);
    ROW(rows, layout, int32_t)[row] = layout->number;
    ROW(rows, lead, int32_t)[row] = lead;
    ROW(rows, step, int64_t)[row] = draft->step;
    ROW(rows, is_step, uint8_t)[row] = draft->is_step;
    ROW(rows, epoch, int64_t)[row] = draft->epoch;
    ROW(rows, is_epoch, uint8_t)[row] = draft->is_epoch;
    ROW(rows, rank, int32_t)[row] = draft->rank;
    ROW(rows, is_rank, uint8_t)[row] = draft->is_rank;
    ROW(rows, logged_at, int64_t)[row] = draft->logged_at;
    ROW(rows, is_logged_at, uint8_t)[row] = draft->is_logged_at;
    ROW(rows, clock_s, double)[row] = draft->clock_s;
    ROW(rows, is_clock_s, uint8_t)[row] = draft->is_clock_s;
    ROW(rows, end_device, int32_t)[row + 1] = add_text(&rows->buffers[ROW_device], draft->device);
    ROW(rows, is_device, uint8_t)[row] = draft->device.start != NULL;
    ROW(rows, end_label, int32_t)[row + 1] = add_text(&rows->buffers[ROW_label], draft->label);
    ROW(rows, is_label, uint8_t)[row] = draft->label.start != NULL;
    ROW(rows, end_note, int32_t)[row + 1] = add_text(&rows->buffers[ROW_note], draft->note);
    ROW(rows, is_note, uint8_t)[row] = draft->note.start != NULL;
    ROW(rows, end_values, int32_t)[row + 1] = (int32_t)rows->buffers[ROW_is_values].size;
    ROW(rows, end_texts, int32_t)[row + 1] = (int32_t)rows->buffers[ROW_is_text].size;
    ROW(rows, is_texts, uint8_t)[row] = (uint8_t)draft->has_text;
    if (rows->buffers[ROW_device].failed || rows->buffers[ROW_label].failed || rows->buffers[ROW_note].failed) return 0;
    if ((layout->flags & (LAYOUT_FACTS | LAYOUT_START)) && !add_fact(scan, draft, layout, row, alone)) return 0;
    if ((layout->flags & LAYOUT_STEP) && !add_step(scan, draft, layout, lead, row, alone)) return 0;
    rows->count++;
    return 1;
}

/* Where a matcher's template ends, with its holes, or NULL. Of the only head in a line the trail knows the steps. */
static Place matched(Scan *scan, const Matcher *matcher, Span piece, int alone, const Hole **holes) {
    const Head *head = &scan->program->heads[matcher->head];
    alone = alone && !scan->is_plain;
    if (alone && head->start == START_ANY && matcher->head < scan->found_head) return NULL;
    if (alone && matcher->head == scan->found_head) {
        *holes = scan->trail->holes;
        return template_follow(&matcher->template, piece.start, piece.end, head->template.count, scan->trail);
    }
    *holes = scan->other->holes;
    return template_follow(&matcher->template, piece.start, piece.end, 0, scan->other);
}

/* ---- leads ----------------------------------------------------------------------------------------------------- */

/* Whether a text is what holes of such a step take. */
static int is_form(uint32_t code, Span text) {
    Place behind = NULL;
    switch (code) {
    case STEP_INT: behind = past_int(text.start, text.end); break;
    case STEP_THOUSANDS: behind = past_thousands(text.start, text.end); break;
    case STEP_FLOAT: behind = past_float(text.start, text.end); break;
    case STEP_WORD:
    case STEP_TEXT: behind = text.end; break;
    case STEP_TIME: behind = past_time(text.start, text.end); break;
    case STEP_DURATION: behind = past_duration(text.start, text.end); break;
    case STEP_STAMP: behind = past_stamp(text.start, text.end); break;
    case STEP_UNIX: behind = past_unix(text.start, text.end); break;
    case STEP_BOOL: behind = past_bool(text.start, text.end); break;
    }
    return behind == text.end;
}

/* 0: Python has to read it. */
static int add_lead_part(Scan *scan, Draft *said, const LeadPart *part, Span lead) {
    Span text = {lead.start + part->start, lead.start + part->end};
    int64_t whole = 0;
    if (!program_fits(part->code, part->target) || !is_form(part->code, text)) return 0;
    /* A number that no column can hold makes a lead an unknown one. */
    if (part->code == STEP_INT && (!to_int64(text, &whole) || whole > INT32_MAX || whole < -INT32_MAX)) return 0;
    Hole hole = {.text = text};
    return add_hole(scan, said, part->code, part->target, text, &hole);
}

/* What a lead says holds where the line itself does not. */
static void add_said(Draft *draft, const Draft *said) {
    if (!draft->is_step && said->is_step) draft->step = said->step, draft->is_step = 1;
    if (!draft->is_epoch && said->is_epoch) draft->epoch = said->epoch, draft->is_epoch = 1;
    if (!draft->is_rank && said->is_rank) draft->rank = said->rank, draft->is_rank = 1;
    if (!draft->is_logged_at && said->is_logged_at) draft->logged_at = said->logged_at, draft->is_logged_at = 1;
    if (!draft->is_clock_s && said->is_clock_s) draft->clock_s = said->clock_s, draft->is_clock_s = 1;
    if (draft->device.start == NULL) draft->device = said->device;
    if (draft->label.start == NULL) draft->label = said->label;
}

/* Reads what stands before a record; `told` is the number of what is left of it, or of all of it where Python has to. */
static int read_lead(Scan *scan, Span lead, Draft *draft, int32_t *told) {
    *told = -1;
    if (lead.start == lead.end) return TAKEN;
    if (span_length(lead) > LEAD_LIMIT) lead.start = lead.end - LEAD_LIMIT;
    const LeadShape *shape = NULL;
    if (memchr(lead.start, 0x1b, span_length(lead)) == NULL) {
        shape = leads_find(&scan->program->leads, lead);
        if (shape == NULL && scan->program->leads.count < MOST_LEADS) {
            scan->signature.size = 0;
            return buffer_add(&scan->signature, lead.start, span_length(lead)) ? SCAN_LEAD : SCAN_FAILED;
        }
    }
    int is_read = shape != NULL && !shape->is_unknown;
    if (is_read && shape->count) {
        Draft said;
        memset(&said, 0, offsetof(Draft, kinds));
        /* What stands next to the record holds. */
        for (uint32_t index = shape->count; is_read && index > 0; index--)
            is_read = add_lead_part(scan, &said, &shape->parts[index - 1], lead);
        if (is_read) add_said(draft, &said);
    }
    if (is_read) lead = (Span){lead.start + shape->rest_start, lead.start + shape->rest_end};
    *told = rows_lead(scan->rows, lead, (uint8_t)is_read);
    return *told < -1 ? SCAN_FAILED : TAKEN;
}

static uint32_t phase_of(const Scan *scan, const Matcher *matcher) { return matcher->phased ? scan->phase : 0; }

/* Reads pairs, and the note that is left behind them. TAKEN, NEXT: it is no record, or why it stops. */
static int read_pairs(Scan *scan, Matcher *matcher, Span tail, const Hole *holes, Draft *draft) {
    const Style *style = &scan->program->styles[matcher->style];
    uint32_t count = 0;
    Span note;
    int found = pairs_read(style, &scan->program->units, tail, scan->pairs, &count, &note);
    /* What no hole may hold is refused before the pairs are looked at. */
    if (found == PAIRS_NOTE && count == 0) return add_holes(scan, draft, matcher, holes) ? NEXT : SCAN_REFERENCE;
    if (found == PAIRS_UNUSUAL || (found == PAIRS_NOTE && !is_plain_text(note.start, note.end))) return SCAN_REFERENCE;
    if (found == PAIRS_NOTE) draft->note = note;
    uint64_t keys = keys_in(matcher, scan->pairs, count);
    if (matcher->inner != NO_STYLE) {
        if (!add_holes(scan, draft, matcher, holes) || !add_lists(scan, draft, matcher, holes, &keys)) return SCAN_REFERENCE;
        return !are_all_keys(matcher, keys) ? NEXT : add_pairs(scan, draft, matcher, count) ? TAKEN : SCAN_REFERENCE;
    }
    if (!are_all_keys(matcher, keys)) return add_holes(scan, draft, matcher, holes) ? NEXT : SCAN_REFERENCE;
    if (style->is_alike && !alike_keep(&matcher->alike, tail, scan->pairs, found == PAIRS_CLEAN ? count : 0)) return SCAN_FAILED;
    return add_holes(scan, draft, matcher, holes) && add_pairs(scan, draft, matcher, count) ? TAKEN : SCAN_REFERENCE;
}

/* Whether the pairs are numbers under the keys of the line before; they are in the scan's then. */
static int are_alike(const Scan *scan, const Matcher *matcher, Span tail) {
    const Alike *alike = &matcher->alike;
    return alike->count && alike->layout && alike->phase == phase_of(scan, matcher) && alike_read(alike, tail, scan->pairs);
}

static void add_alike(const Scan *scan, Draft *draft, const Matcher *matcher) {
    for (uint32_t index = 0; index < matcher->alike.count; index++)
        add_value(draft, VALUE_NUMBER, scan->pairs[index].number, scan->pairs[index].text);
}

/* What behind a template is no hole: pairs, an object, or nothing. `layout` where it is known already. */
static int read_tail(Scan *scan, Matcher *matcher, Span tail, Span lead, const Hole *holes, Draft *draft, Layout **layout) {
    scan->signature.size = 0;
    if (matcher->style != NO_STYLE) {
        if (!are_alike(scan, matcher, tail)) return read_pairs(scan, matcher, tail, holes, draft);
        if (!add_holes(scan, draft, matcher, holes)) return SCAN_REFERENCE;
        add_alike(scan, draft, matcher);
        *layout = &scan->program->layouts[matcher->alike.layout - 1];
        return TAKEN;
    }
    if (!add_holes(scan, draft, matcher, holes)) return SCAN_REFERENCE;
    if (matcher->json == NO_STYLE) {
        uint64_t keys = 0;
        if (!add_lists(scan, draft, matcher, holes, &keys)) return SCAN_REFERENCE;
        return are_all_keys(matcher, keys) ? TAKEN : NEXT;
    }
    int found = read_json(scan, &scan->program->maps[matcher->json], tail, lead, draft);
    return found == TAKEN && matcher->reference ? SCAN_REFERENCE : found;
}

/* The layout of what was read; NULL: Python has to say what its values are, or there are too many. */
static Layout *layout_of(Scan *scan, uint32_t number) {
    Matcher *matcher = &scan->program->matchers[number];
    Span signature = {scan->signature.data, scan->signature.data + scan->signature.size};
    Layout *layout = program_layout(scan->program, number, phase_of(scan, matcher), signature);
    if (layout) {
        matcher->alike.layout = (uint32_t)(layout - scan->program->layouts) + 1;
        matcher->alike.phase = phase_of(scan, matcher);
    } else {
        matcher->alike.count = 0;
        scan->matcher = number;
        scan->asked_phase = phase_of(scan, matcher);
    }
    return layout;
}

/* ---- lines like the last one ----------------------------------------------------------------------------------- */

/* Learns how a line is read that holds nothing but a record with a list of numbers. 0: no memory. */
static int learn_line(Scan *scan, uint32_t number, Place begin) {
    const Program *program = scan->program;
    Matcher *matcher = &scan->program->matchers[number];
    LikeLine *like = &matcher->like;
    scan->likely = number + 1;
    if (matcher->style == NO_STYLE || matcher->alike.count == 0 || scan->is_anchored || matcher->list_hole != NO_STYLE) return 1;
    /* Lines that differ in more are not learned again and again. */
    if (++like->unlike & (like->unlike - 1)) return 1;
    const Template *template = &matcher->template;
    const Trail *trail = scan->trail;
    if (!like_keep(like, template, program->heads[matcher->head].template.count, trail, begin, matcher->alike.ends[0])) return 0;
    /* What is asked before it has to say no to all such lines. */
    for (uint32_t of = program->candidates_begin[*begin]; like->is_known && program->candidates[of].head != scan->found_head; of++)
        like->is_known = like_excludes(like, template, &program->heads[program->candidates[of].head].template, trail, begin);
    for (uint32_t index = 0; like->is_known && index < number; index++)
        like->is_known = like_excludes(like, template, &program->matchers[index].template, trail, begin);
    return 1;
}

/* What was read becomes a row. Whatever it does not return TAKEN for, nothing was added. */
static int keep_record(Scan *scan, const Matcher *matcher, Layout *layout, Draft *draft, Span lead, int alone) {
    if ((layout->flags & LAYOUT_REFERENCE) || ((layout->flags & LAYOUT_NO_TEXT) && draft->has_text)) return SCAN_REFERENCE;
    if (layout->values != (draft->values ? draft->values : 1)) return SCAN_REFERENCE;
    /* Of two records in a line the reference reader says which begins a run. */
    if (matcher->opens && (scan->run_kinds | scan->kinds) & ~(1u << matcher->kind)) return alone ? SCAN_RUN : SCAN_REFERENCE;
    int32_t told;
    int read = read_lead(scan, lead, draft, &told);
    if (read != TAKEN) return read;
    if (!add_row(scan, draft, layout, told, scan->head, alone)) return SCAN_FAILED;
    if (scan->kinds == 0) scan->first_line = scan->line;
    scan->kinds |= 1u << matcher->kind;
    scan->last_line = scan->line;
    scan->records++;
    if (matcher->begins) scan->phase = matcher->begins - 1;
    scan->notes += draft->note.start != NULL;
    return TAKEN;
}

static int read_record(Scan *scan, uint32_t number, Span piece, Span lead, int alone) {
    Matcher *matcher = &scan->program->matchers[number];
    const Hole *holes;
    Place behind = matched(scan, matcher, piece, alone, &holes);
    if (behind == NULL) return NEXT;
    if (matcher->reference && matcher->json == NO_STYLE) return SCAN_REFERENCE;
    Draft draft;
    memset(&draft, 0, offsetof(Draft, kinds));
    draft.has_text = 0;
    Layout *layout = NULL;
    int found = read_tail(scan, matcher, (Span){behind, piece.end}, lead, holes, &draft, &layout);
    if (found != TAKEN) return found;
    if (layout == NULL) layout = layout_of(scan, number);
    if (layout == NULL) return scan->program->layouts_count < MOST_LAYOUTS ? SCAN_LAYOUT : SCAN_REFERENCE;
    found = keep_record(scan, matcher, layout, &draft, lead, alone);
    if (found != TAKEN || !alone || lead.start < lead.end || holes != scan->trail->holes) return found;
    return learn_line(scan, number, piece.start) ? TAKEN : SCAN_FAILED;
}

/* The place behind the colour, or the like, that begins at `at`, or NULL. */
static Place past_colour(Place at, Place end) {
    int most = 32;
    if (end - at < 3 || *at != 0x1b) return NULL;
    unsigned char kind = at[1];
    at += 2;
    if (kind == '[') {
        while (most-- > 0 && at < end && (is_digit(*at) || *at == ';' || *at == '?')) at++;
        return at < end && is_letter(*at) ? at + 1 : NULL;
    }
    if (kind != ']') return NULL;
    for (most = 256; most-- > 0 && at < end && *at != 7 && *at != 0x1b;) at++;
    return at < end && *at == 7 ? at + 1 : NULL;
}

/* The piece without colours, in memory of the scan. 0: no memory. */
static int without_colours(Scan *scan, Span *piece) {
    scan->plain.size = 0;
    unsigned char *to = buffer_extend(&scan->plain, span_length(*piece));
    if (to == NULL) return 0;
    Span plain = {to, to};
    for (Place at = piece->start; at < piece->end;) {
        Place behind = past_colour(at, piece->end);
        if (behind == NULL) *to++ = *at;
        at = behind ? behind : at + 1;
    }
    plain.end = to;
    *piece = plain;
    /* The memory is used again: an object is not known by its place. */
    scan->json->count = 0;
    return 1;
}

static int read_piece(Scan *scan, Span piece, Span lead, int alone) {
    const Program *program = scan->program;
    if (span_length(piece) > PIECE_LIMIT) return SCAN_REFERENCE;
    scan->head = piece.start;
    scan->is_plain = memchr(piece.start, 0x1b, span_length(piece)) != NULL;
    if (scan->is_plain && !without_colours(scan, &piece)) return SCAN_FAILED;
    for (uint32_t index = 0; index < program->matchers_count; index++) {
        if (!starts_with(piece.start, piece.end, program->matchers[index].first)) continue;
        int found = read_record(scan, index, piece, lead, alone);
        if (found != NEXT) return found;
    }
    for (uint32_t index = 0; index < program->ignores_count; index++) {
        const Ignore *ignore = &program->ignores[index];
        if (starts_with(piece.start, piece.end, ignore->first) &&
            template_match(&ignore->template, piece.start, piece.end)) {
            return buffer_add(&scan->reasons, &ignore->reason, sizeof ignore->reason) ? TAKEN : SCAN_FAILED;
        }
    }
    return SCAN_REFERENCE;
}

/* Where the colour code begins that ends at `at`; NULL: none does. Its letter is none of a word. */
static Place colour_before(Place start, Place at) {
    if (at == start || (at[-1] != 'm' && at[-1] != 'K')) return NULL;
    Place digits = at - 1;
    for (int most = 8; most > 0 && digits > start && (is_digit(digits[-1]) || digits[-1] == ';'); most--) digits--;
    return digits - start >= 2 && digits[-1] == '[' && digits[-2] == 0x1b ? digits - 2 : NULL;
}

/* Whether a line may begin at `at`, behind a colour code: not within a number in two colours. */
static int is_coloured_start(Place start, Place at) {
    Place code = colour_before(start, at);
    return code != NULL && (code == start || !(is_digit(code[-1]) || code[-1] == '.' || code[-1] == ','));
}

static int is_word_start(const Scan *scan, Place at) {
    return at == scan->start || !is_word(at[-1]) || colour_before(scan->start, at) != NULL;
}

static int ends_with(Place start, Place end, const char *form) {
    size_t length = strlen(form);
    if ((size_t)(end - start) < length) return 0;
    return past_form(end - length, end, form) == end;
}

static int is_line_end(unsigned char byte) { return byte == '\n' || byte == '\r'; }

/* Whether the `+` with which a shell traces a command begins a line, or stands behind the prefix of a rank. */
static int is_traced(Place start, Place plus) {
    if (plus == start || is_line_end(plus[-1])) return 1;
    if (plus[-1] == ' ' && plus - start >= 2) plus--;
    return plus[-1] == '>' || plus[-1] == ']' || plus[-1] == ':';
}

/* Whether Ray's prefix of a process ends before the blank at `end`: `(train pid=1234)`, `(train pid=1234, ip=10.0.0.4)`. */
static int is_process(Place start, Place end) {
    if (end == start || end[-1] != ')') return 0;
    Place digits = end - 1;
    for (int most = 15; most > 0 && digits > start && (is_digit(digits[-1]) || digits[-1] == '.'); most--) digits--;
    if (digits == end - 1) return 0;
    int is_address = memchr(digits, '.', (size_t)(end - digits)) != NULL;
    return is_address ? end - 1 - digits > 6 && ends_with(start, digits, ", ip=") : end - 1 - digits < 9 && ends_with(start, digits, " pid=");
}

/* Whether the prefix of a container, a time or a logger ends at `at`, behind a blank. */
static int is_prefixed(Place start, Place at) {
    static const char *const prefixes[] = {
        "9Z ", ":99 ", ":99.999 ", ":99,999 ", ":99.999999 ", ":99,999999 ", "INFO ", "INFO: ", "INFO - ",
        "stdout F ", "stderr F ", "stdout: ", "stderr: ",
    };
    if (at - start < 2 || at[-1] != ' ') return 0;
    if (is_process(start, at - 1)) return 1;
    if (at - start > 4 && ends_with(start, at, "  | ") && is_word(at[-5])) return at[-5] != '_';
    for (size_t index = 0; index < sizeof prefixes / sizeof *prefixes; index++) {
        if (ends_with(start, at, prefixes[index])) return 1;
    }
    return 0;
}

/* Whether a line begins at `at`, or goes on behind the prefix of a rank, a container, a time, a logger or a colour. */
static int is_line_start(const Scan *scan, Place at) {
    Place start = scan->start, before = at;
    if (at == start || is_line_end(at[-1]) || is_coloured_start(start, at)) return 1;
    switch (at[-1]) {
    case ':':
        if (ends_with(start, at, "INFO:root:")) return 1;
        before = at - 1;
        /* `9:7 %`: what is a rank is not glued to a number. */
        if (before > start && is_digit(before[-1]) && at < scan->end && is_digit(*at)) return 0;
        break;
    case ' ':
        if (at - start < 2) return 0;
        if (at[-2] == ']') return 1;
        if (at[-2] == '+') return is_traced(start, at - 2) || is_prefixed(start, at - 2);
        if (is_coloured_start(start, at - 1) || is_prefixed(start, at)) return 1;
        if (at[-2] != ':') return 0;
        before = at - 2;
        break;
    default: return 0;
    }
    return before > start && (before[-1] == '>' || before[-1] == ']' || is_digit(before[-1]));
}

static int may_stand(const Scan *scan, const Head *head, Place at) {
    if (head->start == START_WORD) return is_word_start(scan, at);
    if (head->start == START_ANY) return 1;
    return (scan->is_anchored || head->start == START_ANY_LINE) && is_line_start(scan, at);
}

/* Where the head at `at` ends, or NULL: the first of the format's that matches there. */
static Place head_at(Scan *scan, Place at, Place end) {
    const Program *program = scan->program;
    /* How many steps the next head shares with the one that was tried last. */
    uint32_t shared = 0;
    Trail *trail = scan->other;
    for (uint32_t of = program->candidates_begin[*at]; of < program->candidates_begin[*at + 1]; of++) {
        uint32_t index = program->candidates[of].head;
        const Head *head = &program->heads[index];
        if (program->candidates[of].shared < shared) shared = program->candidates[of].shared;
        if (!may_stand(scan, head, at)) continue;
        if (trail->taken < shared) continue;
        Place behind = template_follow(&head->template, at, end, shared, trail);
        if (behind == NULL) {
            shared = MOST_TRAIL;
            continue;
        }
        if (scan->heads.size == 0) {
            scan->found_head = index;
            scan->other = scan->trail;
            scan->trail = trail;
        }
        return behind;
    }
    return NULL;
}

static int has_one_of(const Span *anchors, uint32_t count, Place begin, Place end) {
    for (uint32_t index = 0; index < count; index++)
        if (find(begin, end, anchors[index])) return 1;
    return 0;
}

/* Where a head may begin next: at a literal, and in a line with such an anchor where lines begin too. */
static Place next_start(const Scan *scan, Place at, Place end, Place *literal) {
    if (*literal == NULL || *literal < at) {
        Place found = search_next(&scan->program->heads_search, at, end, scan->end);
        *literal = found ? found : end;
    }
    if (!scan->is_anchored) return *literal;
    while (at < *literal && !is_line_start(scan, at)) at++;
    return at;
}

static int find_heads(Scan *scan, Place begin, Place end, int is_usual) {
    const Program *program = scan->program;
    Place literal = is_usual ? begin : NULL;
    scan->heads.size = 0;
    scan->is_anchored = has_one_of(program->line_anchors, program->line_anchors_count, begin, end);
    for (Place at = begin; (at = next_start(scan, at, end, &literal)) < end;) {
        Place behind = head_at(scan, at, end);
        if (behind && !buffer_add(&scan->heads, &at, sizeof at)) return 0;
        at = behind > at ? behind : at + 1;
    }
    return 1;
}

typedef struct {
    int64_t pieces, records, notes, first_line, last_line;
    uint32_t kinds, phase;
} Counts;

static int read_pieces(Scan *scan, Place begin, Place end) {
    const Place *heads = (const Place *)(const void *)scan->heads.data;
    size_t count = scan->heads.size / sizeof *heads;
    Span lead = {begin, heads[0]};
    for (size_t index = 0; index < count; index++) {
        int found = read_piece(scan, (Span){heads[index], index + 1 < count ? heads[index + 1] : end}, lead, count == 1);
        if (found != TAKEN) return found;
        lead = (Span){begin, begin};
    }
    scan->pieces += (int64_t)count;
    return TAKEN;
}

/* Adds the unread lines of a range of lines, of which `line` is the first. 0: no memory. */
static int find_unread(Scan *scan, Place begin, Place end, int64_t line) {
    const Measures *measures = &scan->program->measures;
    Place counted = begin;
    /* Mostly the end of the line before. */
    if (end - begin < SHORTEST_MEASURE) return 1;
    for (Place at = begin; at < end && (at = measure_next(measures, scan->start, at, end, scan->end)) != NULL;) {
        Place first = at, last = at;
        while (first > counted && !is_line_end(first[-1])) first--;
        while (last < end && !is_line_end(*last)) last++;
        line += line_ends(counted, first);
        int64_t found[] = {line, first - scan->start, last - scan->start};
        int is_setting = is_setting_line(measures, (Span){first, last});
        if (!is_setting && !buffer_add(&scan->unread, found, sizeof found)) return 0;
        counted = at = last;
    }
    return 1;
}

static int read_line(Scan *scan, Place begin, Place end, int is_usual) {
    const Program *program = scan->program;
    if (!find_heads(scan, begin, end, is_usual)) return SCAN_FAILED;
    if (scan->heads.size == 0) {
        if (has_one_of(program->anchors, program->anchors_count, begin, end)) return SCAN_REFERENCE;
        return find_unread(scan, begin, end, scan->line) ? TAKEN : SCAN_FAILED;
    }
    /* What was found in a part of the line is forgotten if the reference reader has to read it. */
    RowsMark mark = rows_mark(scan->rows);
    Counts before = {scan->pieces, scan->records, scan->notes, scan->first_line, scan->last_line, scan->kinds, scan->phase};
    scan->reasons.size = 0;
    int found = read_pieces(scan, begin, end);
    if (found == TAKEN) {
        for (size_t at = 0; at < scan->reasons.size; at += sizeof(uint32_t)) {
            uint32_t reason;
            memcpy(&reason, scan->reasons.data + at, sizeof reason);
            scan->ignored[reason]++;
        }
        return TAKEN;
    }
    rows_back(scan->rows, &mark);
    scan->pieces = before.pieces;
    scan->records = before.records;
    scan->notes = before.notes;
    scan->first_line = before.first_line;
    scan->last_line = before.last_line;
    scan->kinds = before.kinds;
    scan->phase = before.phase;
    return found;
}

/* Reads a line that differs in numbers from one that was learned. NEXT: it may differ in more. */
static int read_like(Scan *scan, Place begin, Place end) {
    const Program *program = scan->program;
    const Matcher *matcher = &program->matchers[scan->likely - 1];
    const LikeLine *like = &matcher->like;
    Hole *holes = scan->other->holes;
    Place behind_head;
    if (!like->is_known || end - begin > PIECE_LIMIT || !starts_with(begin, end, matcher->first)) return NEXT;
    Place behind = like_read(like, &matcher->template, (Span){begin, end}, holes, &behind_head);
    if (behind == NULL || !are_alike(scan, matcher, (Span){behind, end})) return NEXT;
    if (search_next(&program->heads_search, behind_head, end, scan->end)) return NEXT;
    if (has_one_of(program->line_anchors, program->line_anchors_count, begin, end)) return NEXT;
    Draft draft;
    memset(&draft, 0, offsetof(Draft, kinds));
    draft.has_text = 0;
    for (uint32_t hole = 0; hole < like->count; hole++) {
        uint32_t code = matcher->template.steps[like->steps[hole]].code;
        if (!add_hole(scan, &draft, code, matcher->targets[hole], holes[hole].text, &holes[hole])) return NEXT;
    }
    add_alike(scan, &draft, matcher);
    scan->head = begin;
    int found = keep_record(scan, matcher, &scan->program->layouts[matcher->alike.layout - 1], &draft, (Span){begin, begin}, 1);
    scan->pieces += found == TAKEN;
    return found == TAKEN || found == SCAN_FAILED ? found : NEXT;
}

static ptrdiff_t next_of(const Scan *scan, ptrdiff_t at, int byte) {
    Place found = memchr(scan->start + at, byte, (size_t)(scan->end - scan->start - at));
    return (found ? found : scan->end) - scan->start;
}

/* The end of the part of a line that `at` stands in. Each line end is looked for once. */
static Place line_end(Scan *scan, Place place) {
    ptrdiff_t at = place - scan->start;
    if (scan->next_newline < at) scan->next_newline = next_of(scan, at, '\n');
    if (scan->next_return < at) scan->next_return = next_of(scan, at, '\r');
    return scan->start + (scan->next_newline < scan->next_return ? scan->next_newline : scan->next_return);
}

/* Keeps with what a line began. */
static void keep_usual(Scan *scan, Place begin) {
    const Place *heads = (const Place *)(const void *)scan->heads.data;
    if (scan->heads.size == 0) return;
    const Head *head = &scan->program->heads[scan->found_head];
    scan->usual = heads[0] == begin && head->is_sought ? head->template.steps[0].literal : (Span){NULL, NULL};
}

void scan_free(Scan *scan) {
    buffer_free(&scan->heads);
    buffer_free(&scan->unread);
    buffer_free(&scan->reasons);
    buffer_free(&scan->plain);
    buffer_free(&scan->signature);
}

int scan_run(Scan *scan) {
    Program *program = scan->program;
    scan->stretch = program->stretches = program->stretches + 1;
    Scratch *scratch = &program->scratch;
    scan->trail = &scratch->trails[0];
    scan->other = &scratch->trails[1];
    scan->pairs = scratch->pairs;
    scan->inner = scratch->inner;
    scan->json = &scratch->json;
    /* An object of another log is not known by its place. */
    scan->json->count = 0;
    for (;;) {
        Place begin = scan->at < scan->end && *scan->at == '\n' ? scan->at + 1 : scan->at;
        int is_usual = scan->usual.start && begin > scan->start && begin[-1] == '\n' && starts_with(begin, scan->end, scan->usual);
        Place found = is_usual ? begin : search_next(&program->lines, scan->at, scan->end, scan->end);
        if (found == NULL) {
            if (!find_unread(scan, scan->at, scan->end, scan->line)) return SCAN_FAILED;
            scan->line += line_ends(scan->at, scan->end);
            scan->at = scan->end;
            return SCAN_DONE;
        }
        for (begin = found; begin > scan->at && begin[-1] != '\n' && begin[-1] != '\r';) begin--;
        if (!find_unread(scan, scan->at, begin, scan->line)) return SCAN_FAILED;
        scan->line += line_ends(scan->at, begin);
        scan->at = begin;
        Place end = line_end(scan, found);
        int how = is_usual && scan->likely ? read_like(scan, begin, end) : NEXT;
        int is_like = how == TAKEN;
        if (how == NEXT) how = read_line(scan, begin, end, is_usual);
        if (how != TAKEN) {
            scan->stop_begin = begin;
            scan->stop_end = end;
            return how;
        }
        if (!is_like) keep_usual(scan, begin);
        scan->at = end;
    }
}
