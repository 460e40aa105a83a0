#include "program.h"

#include <stdlib.h>

typedef struct {
    Place at, end;
    int failed;
} Blob;

static uint32_t number_of(Blob *blob) {
    uint32_t number = 0;
    if (blob->failed || blob->end - blob->at < 4) return blob->failed = 1, 0;
    for (int index = 0; index < 4; index++) number |= (uint32_t)*blob->at++ << (8 * index);
    return number;
}

static Span bytes_of(Blob *blob) {
    uint32_t length = number_of(blob);
    if (blob->failed || (size_t)(blob->end - blob->at) < length) return blob->failed = 1, (Span){blob->at, blob->at};
    Span found = {blob->at, blob->at + length};
    blob->at += length;
    return found;
}

static Span text_of(Blob *blob) {
    Span found = bytes_of(blob);
    if (found.start == found.end) blob->failed = 1;
    return found;
}

/* How many things follow: each takes at least one byte of the blob. */
static uint32_t count_of(Blob *blob, uint32_t most) {
    uint32_t count = number_of(blob);
    if (count > most || count > (size_t)(blob->end - blob->at)) return blob->failed = 1, 0;
    return count;
}

static void *room_for(Blob *blob, uint32_t count, size_t size) {
    void *room = calloc(count ? count : 1, size);
    if (room == NULL) blob->failed = 1;
    return room;
}

static Span *texts_of(Blob *blob, uint32_t *count, size_t least) {
    uint32_t found = count_of(blob, MOST_LITERALS);
    Span *texts = room_for(blob, found, sizeof *texts);
    for (uint32_t index = 0; index < found && !blob->failed; index++) {
        texts[index] = text_of(blob);
        if (span_length(texts[index]) < least) blob->failed = 1;
    }
    *count = found;
    return texts;
}

static void read_search(Blob *blob, Search *search) {
    uint32_t count;
    Span *literals = texts_of(blob, &count, 2);
    search->literals = literals;
    if (!blob->failed && !search_prepare(search, literals, count)) blob->failed = 1;
}

static void read_template(Blob *blob, Template *template) {
    template->count = count_of(blob, 4096);
    template->steps = room_for(blob, template->count, sizeof *template->steps);
    for (uint32_t index = 0; index < template->count && !blob->failed; index++) {
        Step *step = &template->steps[index];
        step->code = number_of(blob);
        step->number = number_of(blob);
        step->literal = bytes_of(blob);
        if (step->code >= STEPS || (step->code == STEP_LITERAL && step->literal.start == step->literal.end)) blob->failed = 1;
        template->holes += step->code >= STEP_INT && step->code != STEP_SKIP && step->code != STEP_END;
    }
    for (uint32_t index = 0; index < template->count && !blob->failed; index++) {
        const Step *step = &template->steps[index];
        if (step->code < STEP_WORD || step->code > STEP_SKIP) continue;
        if (step->number >= template->count - index) blob->failed = 1;
        for (uint32_t stop = 1; stop <= step->number && !blob->failed; stop++)
            if (step[stop].code > STEP_BLANKS) blob->failed = 1;
    }
    if (template->holes > MOST_HOLES || template->count == 0) blob->failed = 1;
}

int program_fits(uint32_t code, uint32_t target) {
    switch (target) {
    case TO_NUMBER:
    case TO_CLOCK: return (code >= STEP_INT && code <= STEP_FLOAT) || code == STEP_DURATION || code == STEP_STAMP;
    case TO_STEP:
    case TO_EPOCH:
    case TO_RANK: return code == STEP_INT;
    case TO_LOGGED_AT: return code == STEP_TIME || code == STEP_UNIX;
    default: return code == STEP_WORD || code == STEP_TEXT || code == STEP_BOOL;
    }
}

static void read_head(Blob *blob, Head *heads, uint32_t number) {
    Head *head = &heads[number];
    head->start = number_of(blob);
    if (head->start >= STARTS) blob->failed = 1;
    read_template(blob, &head->template);
    if (head->template.count > MOST_TRAIL) blob->failed = 1;
    if (number && !blob->failed) head->shared = template_shared(&heads[number - 1].template, &head->template);
}

static int may_begin_with(const Head *head, uint32_t byte) {
    const Step *first = &head->template.steps[0];
    return first->code != STEP_LITERAL || *first->literal.start == byte;
}

static int is_sought(const Program *program, const Head *head) {
    const Step *first = &head->template.steps[0];
    if (head->start != START_ANY || first->code != STEP_LITERAL) return 0;
    Place start = first->literal.start, end = first->literal.end;
    return search_next(&program->heads_search, start, end, end) == start && search_next(&program->lines, start, end, end) != NULL;
}

static void index_heads(Blob *blob, Program *program) {
    uint32_t count = 0;
    for (uint32_t index = 0; index < program->heads_count; index++)
        program->heads[index].is_sought = is_sought(program, &program->heads[index]);
    for (uint32_t index = 0; index < program->heads_count; index++)
        count += program->heads[index].template.steps[0].code == STEP_LITERAL ? 1 : 256;
    program->candidates = room_for(blob, count, sizeof *program->candidates);
    count = 0;
    for (uint32_t byte = 0; byte < 256 && !blob->failed; byte++) {
        uint32_t shared = 0;
        program->candidates_begin[byte] = count;
        for (uint32_t index = 0; index < program->heads_count; index++) {
            const Head *head = &program->heads[index];
            if (head->shared < shared) shared = head->shared;
            if (!may_begin_with(head, byte)) continue;
            program->candidates[count++] = (Candidate){index, shared};
            shared = MOST_TRAIL;
        }
    }
    program->candidates_begin[256] = count;
}

static void read_matcher(Blob *blob, Matcher *matcher, const Program *program) {
    uint32_t styles = program->styles_count;
    matcher->first = bytes_of(blob);
    read_template(blob, &matcher->template);
    matcher->head = number_of(blob);
    if (matcher->template.count > MOST_TRAIL || matcher->head >= program->heads_count) blob->failed = 1;
    if (!blob->failed) {
        const Template *head = &program->heads[matcher->head].template;
        if (template_shared(head, &matcher->template) != head->count) blob->failed = 1;
    }
    matcher->reference = number_of(blob) != 0;
    matcher->kind = number_of(blob);
    matcher->style = number_of(blob);
    matcher->inner = number_of(blob);
    if (matcher->inner != NO_STYLE && matcher->inner >= styles) blob->failed = 1;
    matcher->keys = texts_of(blob, &matcher->keys_count, 1);
    matcher->json = number_of(blob);
    if (matcher->json != NO_STYLE && matcher->json >= program->maps_count) blob->failed = 1;
    matcher->phased = number_of(blob) != 0;
    matcher->opens = number_of(blob) != 0;
    matcher->begins = number_of(blob);
    matcher->expansions_count = count_of(blob, 4096);
    matcher->expansions = room_for(blob, matcher->expansions_count, sizeof *matcher->expansions);
    for (uint32_t index = 0; index < matcher->expansions_count && !blob->failed; index++) {
        Expansion *expansion = &matcher->expansions[index];
        expansion->name = text_of(blob);
        expansion->after = text_of(blob);
        expansion->style = number_of(blob);
        if (expansion->style >= styles) blob->failed = 1;
    }
    if (matcher->kind >= MOST_KINDS || (matcher->style != NO_STYLE && matcher->style >= styles)) blob->failed = 1;
    matcher->list_hole = number_of(blob);
    if (matcher->list_hole != NO_STYLE && matcher->expansions_count == 0) blob->failed = 1;
    uint32_t hole = 0;
    for (uint32_t index = 0; index < matcher->template.count && !blob->failed; index++) {
        uint32_t code = matcher->template.steps[index].code;
        if (code < STEP_INT || code == STEP_SKIP || code == STEP_END) continue;
        uint32_t target = matcher->targets[hole++] = number_of(blob);
        if (code == STEP_PAIRS && !matcher->reference && matcher->inner == NO_STYLE) blob->failed = 1;
        if (code == STEP_PAIRS) continue;
        int is_used = !matcher->reference || matcher->json != NO_STYLE;
        if (is_used && (target >= TARGETS || !program_fits(code, target))) blob->failed = 1;
    }
}

static void read_style(Blob *blob, Style *style) {
    style->assign = text_of(blob);
    style->assign_start = text_of(blob);
    style->end = bytes_of(blob);
    if (style->end.start == style->end.end) style->end.start = NULL;
    style->closed = number_of(blob) != 0;
    style->means = number_of(blob) != 0;
    style->betweens = count_of(blob, MOST_BETWEEN);
    for (uint32_t index = 0; index < style->betweens && !blob->failed; index++) style->between[index] = text_of(blob);
}

static int is_json_column(uint32_t target) { return target >= TO_STEP && target < TARGETS; }

static void read_map(Blob *blob, JsonMap *map) {
    map->conditions_count = count_of(blob, 4096);
    map->conditions = room_for(blob, map->conditions_count, sizeof *map->conditions);
    for (uint32_t index = 0; index < map->conditions_count && !blob->failed; index++) {
        Condition *condition = &map->conditions[index];
        condition->kind = number_of(blob);
        condition->path = bytes_of(blob);
        condition->is_list = number_of(blob) != 0;
        condition->count = count_of(blob, 4096);
        condition->texts = room_for(blob, condition->count, sizeof *condition->texts);
        for (uint32_t text = 0; text < condition->count && !blob->failed; text++) condition->texts[text] = bytes_of(blob);
        if (condition->kind >= CONDITIONS) blob->failed = 1;
    }
    if (number_of(blob))
        map->all = bytes_of(blob);
    map->values_count = count_of(blob, 4096);
    map->values = room_for(blob, map->values_count, sizeof *map->values);
    for (uint32_t index = 0; index < map->values_count && !blob->failed; index++) {
        map->values[index].name = bytes_of(blob);
        map->values[index].path = bytes_of(blob);
    }
    if (number_of(blob)) {
        map->name_path = bytes_of(blob);
        map->value_path = bytes_of(blob);
    }
    map->columns_count = count_of(blob, TARGETS);
    map->columns = room_for(blob, map->columns_count, sizeof *map->columns);
    for (uint32_t index = 0; index < map->columns_count && !blob->failed; index++) {
        map->columns[index].target = number_of(blob);
        map->columns[index].path = bytes_of(blob);
        if (!is_json_column(map->columns[index].target)) blob->failed = 1;
    }
    map->micros = number_of(blob);
    if (map->micros > 1000000) blob->failed = 1;
}

static void free_map(JsonMap *map) {
    for (uint32_t index = 0; map->conditions && index < map->conditions_count; index++) free(map->conditions[index].texts);
    free(map->conditions);
    free(map->values);
    free(map->columns);
}

static void read_units(Blob *blob, Units *units) {
    uint32_t count, at = 0;
    units->tokens = texts_of(blob, &count, 1);
    for (uint32_t byte = 0; byte < 256 && !blob->failed; byte++) {
        units->begin[byte] = at;
        while (at < count && *units->tokens[at].start == byte) at++;
    }
    units->begin[256] = at;
    if (at != count) blob->failed = 1;
}

static void read_measures(Blob *blob, Measures *measures) {
    uint32_t count = count_of(blob, MOST_LITERALS), at = 0;
    measures->measures = room_for(blob, count, sizeof *measures->measures);
    for (uint32_t index = 0; index < count && !blob->failed; index++) {
        Span text = measures->measures[index].text = text_of(blob);
        if (span_length(text) < 2 || !is_letter(*text.start)) blob->failed = 1;
        measures->measures[index].is_unit = number_of(blob) != 0;
    }
    for (uint32_t byte = 0; byte < 256 && !blob->failed; byte++) {
        measures->begin[byte] = at;
        while (at < count && *measures->measures[at].text.start == byte) at++;
    }
    measures->begin[256] = at;
    if (at != count) blob->failed = 1;
    if (!blob->failed) measures_prepare(measures);
    measures->settings = texts_of(blob, &measures->settings_count, 1);
    measures->setting_lines = texts_of(blob, &measures->setting_lines_count, 1);
}

Program *program_load(const unsigned char *data, size_t size) {
    Program *program = calloc(1, sizeof *program);
    if (program == NULL) return NULL;
    program->blob = malloc(size ? size : 1);
    if (program->blob == NULL) return program_free(program), NULL;
    memcpy(program->blob, data, size);
    Blob blob = {program->blob, program->blob + size, 0};
    if (number_of(&blob) != PROGRAM_MARK) blob.failed = 1;
    program->anchors = texts_of(&blob, &program->anchors_count, 1);
    program->line_anchors = texts_of(&blob, &program->line_anchors_count, 1);
    read_search(&blob, &program->lines);
    read_search(&blob, &program->heads_search);
    read_units(&blob, &program->units);
    program->styles_count = count_of(&blob, 4096);
    program->styles = room_for(&blob, program->styles_count, sizeof *program->styles);
    for (uint32_t index = 0; index < program->styles_count && !blob.failed; index++) read_style(&blob, &program->styles[index]);
    for (uint32_t index = 0; index < program->styles_count && !blob.failed; index++)
        program->styles[index].is_alike = alike_fits(&program->styles[index], &program->units);
    program->maps_count = count_of(&blob, 4096);
    program->maps = room_for(&blob, program->maps_count, sizeof *program->maps);
    for (uint32_t index = 0; index < program->maps_count && !blob.failed; index++) read_map(&blob, &program->maps[index]);
    program->heads_count = count_of(&blob, 4096);
    program->heads = room_for(&blob, program->heads_count, sizeof *program->heads);
    for (uint32_t index = 0; index < program->heads_count && !blob.failed; index++) read_head(&blob, program->heads, index);
    if (!blob.failed) index_heads(&blob, program);
    program->matchers_count = count_of(&blob, 4096);
    program->matchers = room_for(&blob, program->matchers_count, sizeof *program->matchers);
    for (uint32_t index = 0; index < program->matchers_count && !blob.failed; index++)
        read_matcher(&blob, &program->matchers[index], program);
    program->reasons = number_of(&blob);
    program->ignores_count = count_of(&blob, 4096);
    program->ignores = room_for(&blob, program->ignores_count, sizeof *program->ignores);
    for (uint32_t index = 0; index < program->ignores_count && !blob.failed; index++) {
        Ignore *ignore = &program->ignores[index];
        ignore->reason = number_of(&blob);
        ignore->first = text_of(&blob);
        read_template(&blob, &ignore->template);
        if (ignore->reason >= program->reasons) blob.failed = 1;
    }
    read_measures(&blob, &program->measures);
    if (blob.failed || program->reasons > 4096 || blob.at != blob.end) return program_free(program), NULL;
    return program;
}

void program_free(Program *program) {
    if (program == NULL) return;
    for (uint32_t index = 0; program->heads && index < program->heads_count; index++) free(program->heads[index].template.steps);
    for (uint32_t index = 0; program->matchers && index < program->matchers_count; index++) {
        free(program->matchers[index].template.steps);
        free(program->matchers[index].expansions);
        free(program->matchers[index].keys);
        alike_free(&program->matchers[index].alike);
        like_free(&program->matchers[index].like);
    }
    for (uint32_t index = 0; program->ignores && index < program->ignores_count; index++)
        free(program->ignores[index].template.steps);
    for (uint32_t index = 0; program->maps && index < program->maps_count; index++) free_map(&program->maps[index]);
    for (uint32_t index = 0; index < program->layouts_count; index++) {
        free(program->layouts[index].scales);
        free(program->layouts[index].lanes);
    }
    leads_free(&program->leads);
    free(program->measures.measures);
    free(program->measures.settings);
    free(program->measures.setting_lines);
    free(program->maps);
    free(program->layouts);
    free(program->ignores);
    free(program->matchers);
    free(program->candidates);
    free(program->heads);
    free(program->styles);
    free(program->units.tokens);
    search_free(&program->heads_search);
    search_free(&program->lines);
    free(program->line_anchors);
    free(program->anchors);
    free(program->blob);
    free(program);
}

static int is_layout(const Layout *layout, uint32_t matcher, uint32_t phase, Span signature) {
    size_t length = span_length(signature);
    return layout->matcher == matcher && layout->phase == phase && span_length(layout->signature) == length &&
           (length == 0 || memcmp(layout->signature.start, signature.start, length) == 0);
}

Layout *program_layout(Program *program, uint32_t matcher, uint32_t phase, Span signature) {
    uint32_t last = program->matchers[matcher].last;
    if (last && is_layout(&program->layouts[last - 1], matcher, phase, signature)) return &program->layouts[last - 1];
    if (program->layouts_count == 0) return NULL;
    uint32_t slot = hash_of(signature, matcher ^ phase << 16) % (2 * MOST_LAYOUTS);
    for (; program->slots[slot]; slot = (slot + 1) % (2 * MOST_LAYOUTS)) {
        Layout *layout = &program->layouts[program->slots[slot] - 1];
        if (!is_layout(layout, matcher, phase, signature)) continue;
        program->matchers[matcher].last = program->slots[slot];
        return layout;
    }
    return NULL;
}

int program_add_layout(
    Program *program, uint32_t matcher, uint32_t phase, Span signature, int32_t number, uint32_t flags,
    const double *scales, uint32_t values, const uint32_t *facts, uint32_t facts_count
) {
    uint32_t count = program->layouts_count;
    size_t bytes = values * sizeof(double), length = span_length(signature), fact_bytes = facts_count * sizeof *facts;
    if (count >= MOST_LAYOUTS) return 0;
    for (uint32_t index = 0; index < facts_count; index++)
        if ((facts[index] & ~FACT_ANY) >= values) return 0;
    if ((count & (count - 1)) == 0) {
        Layout *layouts = realloc(program->layouts, (count ? 2 * count : 1) * sizeof *layouts);
        if (layouts == NULL) return 0;
        program->layouts = layouts;
    }
    /* One piece of memory for the scales and, behind them, the facts and the signature. */
    double *kept = malloc(bytes + fact_bytes + length + 1);
    if (kept == NULL) return 0;
    if (bytes) memcpy(kept, scales, bytes);
    uint32_t *kept_facts = (uint32_t *)(void *)((unsigned char *)kept + bytes);
    if (fact_bytes) memcpy(kept_facts, facts, fact_bytes);
    Place text = (Place)kept + bytes + fact_bytes;
    if (length) memcpy((unsigned char *)kept + bytes + fact_bytes, signature.start, length);
    uint32_t hash = hash_of(signature, matcher ^ phase << 16);
    program->layouts[count] = (Layout){matcher, phase, hash, values, {text, text + length}, number, flags, kept, kept_facts, facts_count, 0, 0, -1};
    uint32_t slot = hash % (2 * MOST_LAYOUTS);
    while (program->slots[slot]) slot = (slot + 1) % (2 * MOST_LAYOUTS);
    program->slots[slot] = ++program->layouts_count;
    return 1;
}
