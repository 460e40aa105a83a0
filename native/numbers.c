#include "numbers.h"

#include "floats.h"

#include <math.h>

int number_ends(Place at, Place end, int kind) {
    if (at >= end) return 1;
    if (is_digit(*at)) return 0;
    if (kind != END_BEFORE_DOT && *at == '.' && end - at > 1 && is_digit(at[1])) return 0;
    return kind == END_BEFORE_SLASH || *at != '/';
}

Place past_int(Place at, Place end) {
    at = past_sign(at, end);
    Place behind = past_digits(at, end, 64);
    return behind > at ? behind : NULL;
}

Place past_thousands(Place at, Place end) {
    at = past_sign(at, end);
    Place behind = past_digits(at, end, 3);
    if (behind == at) return NULL;
    while (end - behind >= 4 && *behind == ',' && past_digits(behind + 1, end, 3) == behind + 4) behind += 4;
    return behind;
}

Place past_float(Place at, Place end) {
    at = past_sign(at, end);
    Place behind = past_digits(at, end, MOST_DIGITS);
    if (behind > at) {
        if (behind < end && *behind == '.') behind = past_digits(behind + 1, end, MOST_DIGITS);
    } else {
        if (at >= end || *at != '.') return NULL;
        behind = past_digits(at + 1, end, MOST_DIGITS);
        if (behind == at + 1) return NULL;
    }
    if (behind < end && (*behind | 32) == 'e') {
        Place digits = past_sign(behind + 1, end);
        Place last = past_digits(digits, end, 8);
        if (last > digits) behind = last;
    }
    return behind;
}

static Place past_one_of(Place at, Place end, const char *const *words) {
    for (; *words; words++) {
        size_t length = strlen(*words);
        if ((size_t)(end - at) >= length && memcmp(at, *words, length) == 0 &&
            (at + length == end || !is_word(at[length])))
            return at + length;
    }
    return NULL;
}

Place past_number_word(Place at, Place end) {
    static const char *const words[] = {"nan", "NaN", "NAN", "inf", "Inf", "INF", "infinity", "Infinity", "INFINITY", NULL};
    at = past_sign(at, end);
    return at < end && is_letter(*at) ? past_one_of(at, end, words) : NULL;
}

Place past_absent(Place at, Place end) {
    static const char *const words[] = {"None", "null", "NULL", NULL};
    return at < end && (*at | 32) == 'n' ? past_one_of(at, end, words) : NULL;
}

Place past_bool(Place at, Place end) {
    static const char *const words[] = {"True", "False", "true", "false"};
    for (int index = 0; index < 4; index++) {
        size_t length = strlen(words[index]);
        if ((size_t)(end - at) >= length && memcmp(at, words[index], length) == 0) return at + length;
    }
    return NULL;
}

Place past_form(Place at, Place end, const char *form) {
    for (; *form; form++, at++) {
        if (at >= end || (*form == '9' ? !is_digit(*at) : *at != (unsigned char)*form)) return NULL;
    }
    return at;
}

static Place past_fraction(Place at, Place end) {
    if (at < end && *at == '.') {
        Place behind = past_digits(at + 1, end, 9);
        if (behind > at + 1) return behind;
    }
    return at;
}

/* A clock ends where no digit follows, nor a dot or colon and a digit. */
static Place clock_end(Place at, Place end) {
    if (at < end && is_digit(*at)) return NULL;
    return end - at > 1 && (*at == '.' || *at == ':') && is_digit(at[1]) ? NULL : at;
}

/* Whether eight bytes are digits; what is no blank in the form may be anything. */
static inline int are_digits_but(Place at, const char *form) {
    uint64_t eight = eight_at(at), digits = 0x3030303030303030u, any = eight_at((Place)form) ^ 0x2020202020202020u;
    /* Each byte of the form that differs from a blank as 0xFF. */
    any |= (any >> 4) & 0x0F0F0F0F0F0F0F0Fu;
    any |= (any >> 2) & 0x3333333333333333u;
    any = ((any | (any >> 1)) & 0x0101010101010101u) * 255;
    return are_digits((eight & ~any) | (digits & any));
}

Place past_time(Place at, Place end) {
    if (end - at < 19 || (at[4] != '-' && at[4] != '/') || (at[7] != '-' && at[7] != '/') ||
        (at[10] != 'T' && at[10] != ' '))
        return NULL;
    if (!are_digits_but(at, "    -  -") || !are_digits_but(at + 8, "  T  :  ") || at[13] != ':') return NULL;
    if (!are_digits_but(at + 11, "  :  :  ") || at[16] != ':') return NULL;
    at += 19;
    if (at < end && (*at == '.' || *at == ',')) {
        Place behind = past_digits(at + 1, end, 9);
        if (behind > at + 1) at = behind;
    }
    return clock_end(at, end);
}

Place past_duration(Place at, Place end) {
    Place hours = at, behind = past_digits(at, end, 9);
    if (behind == at) return NULL;
    Place day = past_form(behind, end, " day");
    if (day) {
        if (day < end && *day == 's') day++;
        if (day < end && *day == ',') day++;
        if (day < end && *day == ' ') {
            hours = day + 1;
            behind = past_digits(hours, end, 9);
            if (behind == hours) return NULL;
        }
    }
    behind = past_form(behind, end, ":99");
    if (behind == NULL) return NULL;
    Place seconds = past_form(behind, end, ":99");
    return clock_end(seconds ? past_fraction(seconds, end) : behind, end);
}

Place past_stamp(Place at, Place end) {
    Place behind = past_form(at, end, "9999 99:99:99");
    return behind ? clock_end(past_fraction(behind, end), end) : NULL;
}

Place past_unix(Place at, Place end) {
    Place behind = past_digits(at, end, 10);
    if (behind - at < 9) return NULL;
    behind = past_fraction(behind, end);
    return behind < end && (is_digit(*behind) || *behind == '.') ? NULL : behind;
}

int to_double(Span text, double *number) {
    Place at = past_sign(text.start, text.end);
    int is_known;
    if (at == text.end) return 0;
    if ((*at | 32) == 'n')
        *number = NAN;
    else if ((*at | 32) == 'i')
        *number = INFINITY;
    else
        return read_float(text.start, text.end, number, &is_known) == text.end && is_known;
    if (*text.start == '-') *number = -*number;
    return 1;
}

int to_int64(Span text, int64_t *number) {
    Place at = past_sign(text.start, text.end);
    if (text.end - at > 18) return 0;
    int64_t found = 0;
    for (; at < text.end; at++) found = found * 10 + (*at - '0');
    *number = *text.start == '-' ? -found : found;
    return 1;
}

static int two(Place at) { return (at[0] - '0') * 10 + (at[1] - '0'); }

static int days_in(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

static int64_t days_since_1970(int year, int month, int day) {
    static const int before_month[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int before = year - 1;
    int64_t days = (int64_t)before * 365 + before / 4 - before / 100 + before / 400 - 719162;
    return days + before_month[month - 1] + (month > 2 && days_in(year, 2) == 29) + day - 1;
}

static int64_t micros_of(Place at, Place end) {
#ifdef DIGITS_AT_ONCE
    if (end - at == 6) return (int64_t)number_of_digits(eight_until(at, end), 6);
#endif
    int64_t micros = 0;
    for (int index = 0; index < 6; index++) micros = micros * 10 + (at + index < end ? at[index] - '0' : 0);
    return micros;
}

int to_time(Span text, int64_t *micros) {
    Place at = text.start;
    int year = two(at) * 100 + two(at + 2), month = two(at + 5), day = two(at + 8);
    int hour = two(at + 11), minute = two(at + 14), second = two(at + 17);
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return 0;
    if (hour > 23 || minute > 59 || second > 59) return 0;
    int64_t seconds = days_since_1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    *micros = seconds * 1000000 + (text.end - at > 20 ? micros_of(at + 20, text.end) : 0);
    return 1;
}

int to_unix_time(Span text, int64_t *micros) {
    Place dot = past_digits(text.start, text.end, 10);
    int64_t seconds = 0;
    to_int64((Span){text.start, dot}, &seconds);
    *micros = seconds * 1000000 + (dot < text.end ? micros_of(dot + 1, text.end) : 0);
    return 1;
}

int to_seconds(Span text, double *seconds) {
    Place at = text.start, day = past_form(past_digits(at, text.end, 9), text.end, " day");
    double days = 0, part;
    if (day) {
        if (!to_double((Span){at, past_digits(at, text.end, 9)}, &days)) return 0;
        for (at = day; at < text.end && !is_digit(*at); at++) continue;
    }
    *seconds = 0.0;
    for (int place = 0; at < text.end; place++) {
        Place colon = memchr(at, ':', (size_t)(text.end - at));
        if (!to_double((Span){at, colon ? colon : text.end}, &part)) return 0;
        if (place && part >= 60) return 0;
        *seconds = *seconds * 60 + part;
        at = colon ? colon + 1 : text.end;
    }
    if (day) *seconds += 86400 * days;
    return 1;
}

int to_stamp(Span text, double *seconds) {
    int month = two(text.start), day = two(text.start + 2);
    if (month < 1 || month > 12 || day < 1 || day > days_in(2000, month)) return 0;
    double clock;
    if (!to_seconds((Span){text.start + 5, text.end}, &clock) || clock >= 86400) return 0;
    int64_t days = days_since_1970(2000, month, day) - days_since_1970(2000, 1, 1);
    *seconds = (double)(days * 86400) + clock;
    return 1;
}
