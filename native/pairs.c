#include "pairs.h"

#include "floats.h"
#include "numbers.h"

enum { MOST_KEY = 96, MOST_QUOTED = 4096, MOST_UNIT = 16, MOST_TOKEN = 32, MOST_BRACKETS = 2048 };

typedef struct {
    const Style *style;
    const Units *units;
    Place start, end;
    /* The end without the blanks before it: looked for once and not behind each pair. */
    Place trimmed;
} Reader;

static int is_all_space(Span text) {
    Span rest = stripped(text.start, text.end);
    return rest.start == rest.end;
}

static Place between_at(const Style *style, Place at, Place end) {
    for (uint32_t index = 0; index < style->betweens; index++)
        if (starts_with(at, end, style->between[index])) return at + span_length(style->between[index]);
    return NULL;
}

/* Whether a text between pairs closes the last one; without a blank before it: of ` - ` no dash. */
static int is_closer(const Style *style, Place start, Place end, int is_glued) {
    for (uint32_t index = 0; index < style->betweens; index++) {
        if (is_glued && is_blank(*style->between[index].start)) continue;
        Span closer = stripped(style->between[index].start, style->between[index].end);
        if ((size_t)(end - start) == span_length(closer) && memcmp(start, closer.start, span_length(closer)) == 0) return 1;
    }
    return 0;
}

static int ends_with_closer(const Style *style, Place start, Place end) {
    for (uint32_t index = 0; index < style->betweens; index++) {
        Span closer = stripped(style->between[index].start, style->between[index].end);
        size_t length = span_length(closer);
        if ((size_t)(end - start) >= length && memcmp(end - length, closer.start, length) == 0) return 1;
    }
    return 0;
}

static int is_unit(const Units *units, Place start, Place end) {
    size_t length = (size_t)(end - start);
    if (length == 0) return 0;
    for (uint32_t index = units->begin[*start]; index < units->begin[*start + 1]; index++) {
        Span token = units->tokens[index];
        if (span_length(token) == length && memcmp(token.start, start, length) == 0) return 1;
    }
    return 0;
}

/* Neither `9:01:42` nor `2021-05-23` nor `1,139.4` begins with a number. */
static inline Place past_value_number(Place at, Place end, Pair *pair) {
    pair->is_known = 0;
    Place behind = past_number_word(at, end);
    if (behind == NULL) behind = read_float(at, end, &pair->number, &pair->is_known);
    if (behind == NULL || !number_ends(behind, end, END_PLAIN)) return NULL;
    if (end - behind > 1 && (*behind == ':' || *behind == '-' || *behind == ',')) {
        Place next = behind[1] == '.' ? behind + 2 : behind + 1;
        if (next < end && is_digit(*next)) return NULL;
    }
    return behind;
}

static Place past_truth(Place at, Place end) {
    Place behind = past_bool(at, end);
    return behind && (behind == end || !is_word(*behind)) ? behind : NULL;
}

/* The end of the brackets that open at `at`; NULL: too far to be sure. */
static Place past_brackets(Place at, Place end) {
    int depth = 0;
    Place last = end - at > MOST_BRACKETS ? at + MOST_BRACKETS : end;
    for (; at < last; at++) {
        if (*at == '(' || *at == '[' || *at == '{') depth++;
        if ((*at == ')' || *at == ']' || *at == '}') && --depth == 0) return at + 1;
    }
    return NULL;
}

static int is_closing(unsigned char byte) {
    return byte == ')' || byte == ']' || byte == '}' || byte == '\'' || byte == '"';
}

static int is_divided(const Style *style, Place at, Place end) {
    return at == end || is_blank(*at) || between_at(style, at, end);
}

/* Whether a number, with its unit, ends at `at`; the reference reader says what it is where it does not. */
static int value_ends(const Reader *reader, Place at) {
    Place end = reader->end;
    if (is_divided(reader->style, at, end)) return 1;
    Place behind = end;
    while (is_blank(behind[-1])) behind--;
    if (is_closer(reader->style, at, behind, 1)) return 1;
    behind = at;
    while (behind < end && is_closing(*behind)) behind++;
    if (behind < end && (*behind == '.' || *behind == ',' || *behind == ';') && (behind + 1 == end || is_blank(behind[1])))
        return 1;
    return behind > at && is_divided(reader->style, behind, end);
}

static Place next_between(const Style *style, Place at, Place end) {
    for (; at < end; at++)
        if (between_at(style, at, end)) return at;
    return end;
}

/* Reads the value at `at`; the place behind it, or NULL for the reference reader. */
static Place read_value(const Reader *reader, Place at, Pair *pair) {
    Place end = reader->end, behind = past_value_number(at, end, pair);
    pair->text = (Span){at, behind};
    pair->kind = VALUE_NUMBER;
    if (behind) return behind;
    pair->kind = VALUE_TEXT;
    unsigned char first = at < end ? *at : 0;
    /* A vertical tab or form feed: which blanks belong to a value is for the reference reader to say. */
    if (first == '\v' || first == '\f') return NULL;
    if (first == '\'' || first == '"') {
        behind = past_value_number(at + 1, end, pair);
        if (behind && behind < end && *behind == first) {
            pair->kind = VALUE_NUMBER;
            pair->text = (Span){at + 1, behind};
            return behind + 1;
        }
        /* A text that begins as a number does: whether it may is for the reference reader to say. */
        if (behind) return NULL;
        Place limit = end - at > MOST_QUOTED + 2 ? at + MOST_QUOTED + 2 : end;
        behind = memchr(at + 1, first, (size_t)(limit - at - 1));
        if (behind) {
            pair->text = (Span){at + 1, behind};
            return behind + 1;
        }
        /* A quote that is not closed. */
        return NULL;
    } else if ((behind = past_truth(at, end)) != NULL) {
        pair->text = (Span){at, behind};
        return behind;
    } else if ((behind = past_absent(at, end)) != NULL) {
        pair->kind = VALUE_ABSENT;
        return behind;
    } else if (first == '(' || first == '[' || first == '{') {
        behind = past_brackets(at, end);
        pair->text = (Span){at, behind};
        return behind;
    }
    behind = next_between(reader->style, at, end);
    pair->text = stripped(at, behind);
    return behind;
}

/* Whether another process's line follows with its time or rank: `2.1 GiB2026-11-27`, `2.1 GiB[rank1]:`. */
static int begins_line(Place at, Place end) {
    static const char form[] = "20dd-dd-dd";
    if (end - at >= 6 && memcmp(at, "[rank", 5) == 0 && is_digit(at[5])) return 1;
    if (at < end && *at == '[') at++;
    if (end - at < 10) return 0;
    for (int index = 0; index < 10; index++) {
        unsigned char byte = at[index];
        if (form[index] == 'd' ? !is_digit(byte) : form[index] == '-' ? byte != '-' && byte != '/' : byte != form[index])
            return 0;
    }
    return 1;
}

/* The end of the token behind one blank, or NULL. */
static Place token_at(const Style *style, Place at, Place end, Span *token) {
    if (at >= end || *at != ' ') return NULL;
    Place start = ++at;
    while (at < end && at - start < MOST_TOKEN && !is_blank(*at) && !between_at(style, at, end) && !begins_line(at, end)) at++;
    if (at == start || (at < end && !is_blank(*at) && !between_at(style, at, end) && !begins_line(at, end))) return NULL;
    *token = (Span){start, at};
    return at;
}

static Place read_unit(const Reader *reader, Place at, Pair *pair) {
    const Units *units = reader->units;
    Place end = reader->end, behind = at, token_end;
    Span token;
    if (at < end && (is_letter(*at) || *at == '%')) {
        while (behind < end && behind - at < MOST_UNIT && (is_letter(*behind) || *behind == '%' || (*behind == '/' && behind > at)))
            behind++;
        int scales = behind == at + 1 && (*at == 'K' || *at == 'M' || *at == 'G');
        if (scales && (token_end = token_at(reader->style, behind, end, &token)) != NULL &&
            is_unit(units, token.start, token.end)) {
            pair->unit = (Span){at, token_end};
            return token_end;
        }
        if (!scales && !is_unit(units, at, behind)) return at;
        pair->unit = (Span){at, behind};
        return behind;
    }
    token_end = token_at(reader->style, at, end, &token);
    if (token_end && is_unit(units, token.start, token.end) &&
        !starts_with(past_blanks(token_end, end), end, reader->style->assign_start)) {
        pair->unit = token;
        return token_end;
    }
    return at;
}

/* Where the next pair begins, or NULL. */
static Place past_separator(const Reader *reader, Place at, int after_unit) {
    const Style *style = reader->style;
    Place past = past_blanks(at, reader->end);
    if (past == reader->end) return past;
    for (uint32_t index = 0; index < style->betweens; index++) {
        Span between = style->between[index];
        if (starts_with(at, reader->end, between)) return past_blanks(at + span_length(between), reader->end);
        if (is_all_space(between) && (size_t)(past - at) >= span_length(between)) return past;
    }
    if (is_closer(style, past, reader->trimmed > past ? reader->trimmed : past, 0)) return reader->end;
    return after_unit && past > at ? past : NULL;
}

/* Behind the next ` | ` or its like, or NULL: a comma or two blanks stand in any sentence. */
static Place past_visible(const Reader *reader, Place at, Place *start) {
    const Style *style = reader->style;
    for (; at < reader->end; at++) {
        if (*at != ' ') continue;
        for (uint32_t index = 0; index < style->betweens; index++) {
            Span between = style->between[index];
            if (between.end[-1] != ' ' || is_all_space(between) || !starts_with(at, reader->end, between)) continue;
            *start = at;
            return at + span_length(between);
        }
    }
    return NULL;
}

/* Whether more numbers stand between a value and the next pair: `mAP_copypaste: 0.215 0.410, segm_mAP: 0.2`. */
static int has_more_numbers(const Reader *reader, Place at) {
    if (at == reader->end || !is_blank(*at)) return 0;
    /* At each place: a separator may begin with a blank. */
    for (;; at++) {
        for (uint32_t index = 0; index < reader->style->betweens; index++) {
            Span between = reader->style->between[index];
            if (!is_all_space(between) && starts_with(at, reader->end, between)) return 1;
        }
        if (at == reader->end || !(is_digit(*at) || is_blank(*at) || *at == '.' || *at == '-')) return 0;
    }
}

static int begins_with_blanks(const Reader *reader, Place at) {
    for (uint32_t index = 0; index < reader->style->betweens; index++)
        if (is_all_space(reader->style->between[index]) && starts_with(at, reader->end, reader->style->between[index]))
            return 1;
    return 0;
}

static int is_key_edge(unsigned char byte) {
    return is_blank(byte) || byte == '{' || byte == '\'' || byte == '"';
}

static Span key_of(Place start, Place end) {
    while (start < end && is_key_edge(*start)) start++;
    while (start < end && is_key_edge(end[-1])) end--;
    return (Span){start, end};
}

/* One pair at `at`: the place behind its value and unit; NULL: there is none (unusual 0), or only the reference knows. */
static Place read_pair(const Reader *reader, Place at, Pair *pair, int *unusual) {
    static const unsigned char two_blanks[] = "  ";
    Place end = reader->end;
    size_t most = MOST_KEY + span_length(reader->style->assign);
    Place assign = find(at, (size_t)(end - at) > most ? at + most : end, reader->style->assign);
    if (assign == NULL) return NULL;
    pair->is_mean = 0;
    pair->key = key_of(at, assign);
    pair->unit = (Span){NULL, NULL};
    if (pair->key.start == pair->key.end || find(pair->key.start, pair->key.end, (Span){two_blanks, two_blanks + 2}) ||
        memchr(pair->key.start, '\t', span_length(pair->key)))
        return NULL;
    Place behind_assign = assign + span_length(reader->style->assign);
    Place behind = read_value(reader, past_blanks(behind_assign, end), pair);
    if (behind == NULL) return *unusual = 1, NULL;
    if (pair->kind == VALUE_TEXT && span_length(pair->text) && begins_with_blanks(reader, behind_assign) &&
        find(pair->text.start, pair->text.end, reader->style->assign)) {
        pair->text = (Span){behind_assign, behind_assign};
        return behind_assign;
    }
    if (pair->kind == VALUE_TEXT) return behind;
    behind = read_unit(reader, behind, pair);
    if (pair->kind == VALUE_NUMBER && !value_ends(reader, behind) && !(pair->unit.start && begins_line(behind, end)))
        return *unusual = 1, NULL;
    return behind;
}

/* The mean in brackets behind a number: the place behind it, or NULL. */
static Place read_mean(const Reader *reader, Place at, const Pair *of, Pair *mean) {
    Place end = reader->end;
    if (end - at < 4 || at[0] != ' ' || at[1] != '(') return NULL;
    Place behind = past_value_number(at + 2, end, mean);
    if (behind == NULL || behind == end || *behind != ')') return NULL;
    if (behind + 1 < end && !is_blank(behind[1]) && behind[1] != ',' && behind[1] != ';') return NULL;
    mean->kind = VALUE_NUMBER;
    mean->key = of->key;
    mean->unit = of->unit;
    mean->text = (Span){at + 2, behind};
    mean->is_mean = 1;
    return behind + 1;
}

/* The first end outside of quotes and brackets; NULL: the reference reader finds it, where brackets close far away. */
static Place end_of(const Style *style, Span tail) {
    for (Place at = tail.start; style->end.start && at < tail.end; at++) {
        if (starts_with(at, tail.end, style->end)) return at;
        if (*at == '(' || *at == '[' || *at == '{') {
            Place closed = past_brackets(at, tail.end);
            if (closed == NULL) return NULL;
            at = closed - 1;
            continue;
        }
        if ((*at != '\'' && *at != '"') || at == tail.start || memchr(" \t=:,([{", at[-1], 8) == NULL) continue;
        Place limit = tail.end - at > MOST_QUOTED + 2 ? at + MOST_QUOTED + 2 : tail.end;
        Place behind = memchr(at + 1, *at, (size_t)(limit - at - 1));
        if (behind) at = behind;
    }
    return tail.end;
}

static Reader reader_of(const Style *style, const Units *units, Span tail, Place until) {
    Reader reader = {style, units, tail.start, until, NULL};
    reader.trimmed = stripped(reader.start, reader.end).end;
    return reader;
}

/* Whether the bracket that ends a list stands within a number. */
static int is_cut(const Style *style, const Reader *reader, Span tail) {
    if (reader->end == tail.end || reader->end == tail.start || is_blank(*reader->end) || !(is_digit(reader->end[-1]) || reader->end[-1] == '.')) return 0;
    Place at = reader->end + span_length(style->end), end = tail.end;
    int depth = 0;
    for (Place brace = at; brace < end; brace++) depth += *brace == '}' ? 1 : *brace == '{' ? -1 : 0;
    if (depth > 0) return 1;
    if (at < end && (*at | 32) == 'e') {
        Place exponent = past_sign(at + 1, end);
        if (exponent < end && is_digit(*exponent)) return 1;
    }
    Place text = at;
    while (at < end && at - text < 4 && *at >= 0x80) at++;
    if (at == text && at < end && !is_blank(*at) && !is_digit(*at)) at++;
    return at < end && is_digit(*at);
}

int pairs_read(const Style *style, const Units *units, Span tail, Pair *pairs, uint32_t *count, Span *note) {
    *count = 0;
    Place until = end_of(style, tail);
    if (until == NULL) return PAIRS_UNUSUAL;
    Reader reader = reader_of(style, units, tail, until);
    Place end = reader.end, at = past_blanks(reader.start, end), begin = at;
    int unusual = 0, between = 0;
    if (is_cut(style, &reader, tail)) return PAIRS_UNUSUAL;
    while (at < end) {
        begin = at;
        if (*count == MOST_VALUES) return PAIRS_UNUSUAL;
        Pair *pair = &pairs[*count];
        Place behind = read_pair(&reader, at, pair, &unusual);
        if (unusual) return PAIRS_UNUSUAL;
        if (behind == NULL) break;
        ++*count;
        if (style->means && pair->kind == VALUE_NUMBER) {
            if (*count == MOST_VALUES) return PAIRS_UNUSUAL;
            Place behind_mean = read_mean(&reader, behind, pair, &pairs[*count]);
            if (behind_mean) behind = behind_mean, ++*count;
        }
        Place following = past_separator(&reader, behind, pair->unit.start != NULL);
        if (following == NULL) {
            Place again, past = past_visible(&reader, behind, &again);
            if (past == NULL && pair->kind == VALUE_NUMBER && has_more_numbers(&reader, behind)) return PAIRS_UNUSUAL;
            if (past == NULL) {
                at = behind;
                break;
            }
            Span left = stripped(behind, again);
            between |= left.start < left.end;
            following = past_blanks(past, end);
        }
        at = following;
    }
    if (style->closed && *count && at >= end && !ends_with_closer(style, reader.start, reader.trimmed)) {
        --*count;
        at = begin;
    }
    *note = stripped(at, end);
    /* A note of several parts is put together by the reference reader. */
    if (between) return *count ? PAIRS_UNUSUAL : PAIRS_NOTE;
    return note->start < note->end ? PAIRS_NOTE : PAIRS_CLEAN;
}
