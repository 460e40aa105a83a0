#include "json.h"

typedef struct {
    Json *json;
    Place at, end;
    uint32_t depth;
} Reader;

static int read_value(Reader *reader, Span key);

static void skip_space(Reader *reader) {
    while (reader->at < reader->end && (is_blank(*reader->at) || *reader->at == '\n' || *reader->at == '\r')) reader->at++;
}

static int is_next(Reader *reader, unsigned char byte) {
    skip_space(reader);
    return reader->at < reader->end && *reader->at == byte ? reader->at++, 1 : 0;
}

/* A string without escapes at `at`. */
static int read_string(Reader *reader, Span *text) {
    if (!is_next(reader, '"')) return 0;
    Place start = reader->at;
    while (reader->at < reader->end && *reader->at != '"') {
        if (*reader->at < 0x20 || *reader->at == '\\') return 0;
        reader->at++;
    }
    if (reader->at == reader->end) return 0;
    *text = (Span){start, reader->at++};
    return 1;
}

static Place digits_behind(Place at, Place end) {
    while (at < end && is_digit(*at)) at++;
    return at;
}

static int read_number(Reader *reader, Node *node) {
    Place start = reader->at, at = start + (*start == '-'), end = reader->end, behind = digits_behind(at, end);
    if (behind == at || (*at == '0' && behind > at + 1)) return 0;
    node->kind = JSON_INT;
    if (behind < end && *behind == '.') {
        at = behind + 1;
        behind = digits_behind(at, end);
        if (behind == at) return 0;
        node->kind = JSON_FLOAT;
    }
    if (behind < end && (*behind | 32) == 'e') {
        at = behind + 1;
        if (at < end && (*at == '+' || *at == '-')) at++;
        behind = digits_behind(at, end);
        /* The reference reader tells whether a double holds such a number, also of a value that is not stored. */
        if (behind == at || behind - at > 2) return 0;
        node->kind = JSON_FLOAT;
    }
    if (behind - start > MOST_JSON_NUMBER) return 0;
    node->text = (Span){start, behind};
    reader->at = behind;
    return 1;
}

static int read_word(Reader *reader, Node *node) {
    static const struct {
        const char *word;
        uint32_t kind;
    } words[] = {{"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE}};
    for (size_t index = 0; index < sizeof words / sizeof *words; index++) {
        Place word = (Place)words[index].word;
        Span text = {word, word + strlen(words[index].word)};
        if (!starts_with(reader->at, reader->end, text)) continue;
        reader->at += span_length(text);
        node->kind = words[index].kind;
        return 1;
    }
    return 0;
}

/* Of a key that stands twice Python keeps the place of one and the value of the other. */
static int has_twice(const Json *json, uint32_t first, uint32_t until) {
    for (uint32_t one = first; one < until; one = json->nodes[one].behind) {
        Span key = json->nodes[one].key;
        for (uint32_t other = first; other < one; other = json->nodes[other].behind)
            if (span_length(json->nodes[other].key) == span_length(key) &&
                memcmp(json->nodes[other].key.start, key.start, span_length(key)) == 0)
                return 1;
    }
    return 0;
}

static int read_object(Reader *reader) {
    uint32_t first = reader->json->count, keys = 0;
    if (is_next(reader, '}')) return 1;
    do {
        Span key;
        if (++keys > MOST_JSON_KEYS || !read_string(reader, &key) || !is_next(reader, ':') || !read_value(reader, key)) return 0;
    } while (is_next(reader, ','));
    return is_next(reader, '}') && !has_twice(reader->json, first, reader->json->count);
}

static int read_array(Reader *reader) {
    if (is_next(reader, ']')) return 1;
    do {
        if (!read_value(reader, (Span){NULL, NULL})) return 0;
    } while (is_next(reader, ','));
    return is_next(reader, ']');
}

static int read_value(Reader *reader, Span key) {
    Json *json = reader->json;
    skip_space(reader);
    if (json->count == MOST_NODES || reader->at == reader->end || reader->depth == MOST_JSON_DEPTH) return 0;
    Node *node = &json->nodes[json->count++];
    Place start = reader->at;
    int sound;
    *node = (Node){.key = key};
    switch (*start) {
    case '"':
        node->kind = JSON_STRING;
        sound = read_string(reader, &node->text);
        break;
    case '{':
    case '[':
        node->kind = *start == '{' ? JSON_OBJECT : JSON_ARRAY;
        reader->at++;
        reader->depth++;
        sound = *start == '{' ? read_object(reader) : read_array(reader);
        reader->depth--;
        node->text = (Span){start, reader->at};
        break;
    default: sound = *start == '-' || is_digit(*start) ? read_number(reader, node) : read_word(reader, node);
    }
    node->behind = json->count;
    return sound;
}

int json_read(Json *json, Span text) {
    if (json->of.start == text.start && json->of.end == text.end && json->count) return json->end != NULL;
    Reader reader = {json, text.start, text.end, 0};
    json->count = 0;
    json->of = text;
    json->end = NULL;
    skip_space(&reader);
    if (reader.at < reader.end && *reader.at == '{' && read_value(&reader, (Span){NULL, NULL}) &&
        is_plain_text(text.start, reader.at))
        json->end = reader.at;
    /* That nothing was read is known, too. */
    json->count += json->count == 0;
    return json->end != NULL;
}

static const Node *member_of(const Json *json, const Node *node, Span key) {
    uint32_t at = (uint32_t)(node - json->nodes) + 1;
    for (; at < node->behind; at = json->nodes[at].behind) {
        Span own = json->nodes[at].key;
        if (span_length(own) == span_length(key) && memcmp(own.start, key.start, span_length(key)) == 0) return &json->nodes[at];
    }
    return NULL;
}

static const Node *entry_of(const Json *json, const Node *node, Span key) {
    uint32_t at = (uint32_t)(node - json->nodes) + 1, wanted = 0;
    if (key.start == key.end || span_length(key) > 6) return NULL;
    for (Place digit = key.start; digit < key.end; digit++) {
        if (!is_digit(*digit)) return NULL;
        wanted = wanted * 10 + (uint32_t)(*digit - '0');
    }
    for (; at < node->behind && wanted > 0; wanted--) at = json->nodes[at].behind;
    return at < node->behind ? &json->nodes[at] : NULL;
}

const Node *json_at(const Json *json, Span path) {
    const Node *node = &json->nodes[0];
    if (span_length(path) == 1 && *path.start == '.') return node;
    for (Place at = path.start; node;) {
        Place dot = at;
        while (dot < path.end && *dot != '.') dot++;
        Span key = {at, dot};
        if (node->kind == JSON_OBJECT)
            node = member_of(json, node, key);
        else
            node = node->kind == JSON_ARRAY ? entry_of(json, node, key) : NULL;
        if (dot == path.end) break;
        at = dot + 1;
    }
    return node;
}

/* Whether Python writes a number as it stands here: one of at most 15 digits, neither large nor small. */
static int is_number_as_written(Span text) {
    Place at = text.start + (*text.start == '-'), dot = digits_behind(at, text.end);
    if (dot == text.end) return !(text.start != at && *at == '0');
    if (*dot != '.' || text.end - at > 16 || digits_behind(dot + 1, text.end) != text.end) return 0;
    if (text.end[-1] == '0' && text.end - dot > 2) return 0;
    return *at != '0' || text.end - dot == 2 || (text.end - dot > 1 && dot[1] != '0');
}

int json_is_as_written(const Json *json, const Node *list) {
    uint32_t at = (uint32_t)(list - json->nodes) + 1;
    Place written = list->text.start + 1;
    for (int first = 1; at < list->behind; at = json->nodes[at].behind, first = 0) {
        const Node *node = &json->nodes[at];
        if (!first) {
            if (list->text.end - written < 2 || written[0] != ',' || written[1] != ' ') return 0;
            written += 2;
        }
        switch (node->kind) {
        case JSON_NULL:
        case JSON_TRUE: written += 4; break;
        case JSON_FALSE: written += 5; break;
        case JSON_STRING:
            if (node->text.start != written + 1) return 0;
            written = node->text.end + 1;
            break;
        case JSON_INT:
        case JSON_FLOAT:
            if (node->text.start != written || !is_number_as_written(node->text)) return 0;
            written = node->text.end;
            break;
        case JSON_ARRAY:
            if (node->text.start != written || !json_is_as_written(json, node)) return 0;
            written = node->text.end;
            break;
        default: return 0;
        }
        if (written >= list->text.end) return 0;
    }
    return written == list->text.end - 1;
}

/* -1: only the reference reader compares lists. */
static int is_one_of(const Json *json, const Condition *condition, const Node *node) {
    if (node->kind == JSON_ARRAY && condition->is_list)
        return condition->count ? -1 : node->behind == (uint32_t)(node - json->nodes) + 1;
    for (uint32_t index = 0; node->kind == JSON_STRING && index < condition->count; index++) {
        Span text = condition->texts[index];
        if (span_length(text) == span_length(node->text) && memcmp(text.start, node->text.start, span_length(text)) == 0) return 1;
    }
    return 0;
}

int json_selects(const JsonMap *map, const Json *json) {
    for (uint32_t index = 0; index < map->conditions_count; index++) {
        const Condition *condition = &map->conditions[index];
        const Node *node = json_at(json, condition->path);
        if (condition->kind == CONDITION_HAS) {
            if (node == NULL) return 0;
            continue;
        }
        int is = node ? is_one_of(json, condition, node) : 0;
        if (is < 0) return -1;
        if (is != (condition->kind == CONDITION_WHERE)) return 0;
    }
    return 1;
}
