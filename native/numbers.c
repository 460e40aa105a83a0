#include "numbers.h"

#include <math.h>

int number_ends(Place at, Place end, int kind) {
    if (at >= end) return 1;
    if (is_digit(*at)) return 0;
    if (kind != END_BEFORE_DOT && *at == '.' && end - at > 1 && is_digit(at[1])) return 0;
    return kind == END_BEFORE_SLASH || *at != '/';
}

static Place past_sign(Place at, Place end) { return at < end && (*at == '+' || *at == '-') ? at + 1 : at; }

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
    Place behind = past_digits(at, end, 400);
    if (behind > at) {
        if (behind < end && *behind == '.') behind = past_digits(behind + 1, end, 400);
    } else {
        if (at >= end || *at != '.') return NULL;
        behind = past_digits(at + 1, end, 400);
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

Place past_time(Place at, Place end) {
    if (end - at < 19 || (at[4] != '-' && at[4] != '/') || (at[7] != '-' && at[7] != '/') ||
        (at[10] != 'T' && at[10] != ' '))
        return NULL;
    if (!past_form(at, end, "9999") || !past_form(at + 5, end, "99") || !past_form(at + 8, end, "99") ||
        !past_form(at + 11, end, "99:99:99"))
        return NULL;
    at += 19;
    if (at < end && (*at == '.' || *at == ',')) {
        Place behind = past_digits(at + 1, end, 9);
        if (behind > at + 1) return behind;
    }
    return at;
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
    return seconds ? past_fraction(seconds, end) : behind;
}

Place past_stamp(Place at, Place end) {
    Place behind = past_form(at, end, "9999 99:99:99");
    return behind ? past_fraction(behind, end) : NULL;
}

Place past_unix(Place at, Place end) {
    Place behind = past_digits(at, end, 10);
    if (behind - at < 9) return NULL;
    behind = past_fraction(behind, end);
    return behind < end && (is_digit(*behind) || *behind == '.') ? NULL : behind;
}

static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#ifdef __SIZEOF_INT128__
/* digits / 10^power, rounded once: the quotient of whole numbers has more bits than a double, and the rest is known. */
static double divided(uint64_t digits, int power) {
    uint64_t by = 1;
    for (int index = 0; index < power; index++) by *= 5;
    int shift = 64 + __builtin_clzll(digits);
    unsigned __int128 whole = (unsigned __int128)digits << shift;
    unsigned __int128 quotient = whole / by;
    int exact = quotient * by == whole;
    /* More than 64 bits are left: cut to 64, of which the last one says whether anything was lost. */
    int cut = 64 - __builtin_clzll((uint64_t)(quotient >> 64));
    uint64_t kept = (uint64_t)(quotient >> cut);
    if (!exact || ((unsigned __int128)kept << cut) != quotient) kept |= 1;
    /* Half to even, from 64 bits to 53. */
    uint64_t high = kept >> 11, low = kept & 0x7FF;
    if (low > 0x400 || (low == 0x400 && (high & 1))) high++;
    return ldexp((double)high, 11 + cut - shift - power);
}
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Eight digits as a number, pair by pair. */
static uint64_t eight_digits(uint64_t eight) {
    eight = (eight & 0x0F0F0F0F0F0F0F0Fu) * 2561 >> 8;
    eight = (eight & 0x00FF00FF00FF00FFu) * 6553601 >> 16;
    return (eight & 0x0000FFFF0000FFFFu) * 42949672960001u >> 32;
}
#else
static uint64_t eight_digits(uint64_t eight) {
    unsigned char bytes[8];
    uint64_t number = 0;
    memcpy(bytes, &eight, 8);
    for (int index = 0; index < 8; index++) number = number * 10 + (uint64_t)(bytes[index] - '0');
    return number;
}
#endif

/* Adds digits to a number as long as it has at most 19: the place behind them. */
static Place add_digits(Place at, Place end, uint64_t *number) {
    uint64_t found = *number;
    for (; end - at >= 8 && found < 100000000000u && are_digits(eight_at(at)); at += 8)
        found = found * 100000000u + eight_digits(eight_at(at));
    for (; at < end && found < 1000000000000000000u && is_digit(*at); at++) found = found * 10 + (uint64_t)(*at - '0');
    *number = found;
    return at;
}

static int to_finite(Place at, Place end, double *number) {
    uint64_t digits = 0;
    int power = 0;
    Place exponent = add_digits(at, end, &digits);
    if (exponent < end && is_digit(*exponent)) return 0;
    if (exponent < end && *exponent == '.') {
        Place fraction = exponent + 1;
        exponent = add_digits(fraction, end, &digits);
        power = -(int)(exponent - fraction);
        while (exponent < end && *exponent == '0') exponent++;
        if (exponent < end && is_digit(*exponent)) return 0;
    }
    if (exponent < end) {
        int negative = exponent[1] == '-', stated = 0;
        for (at = exponent + 1 + (exponent[1] == '-' || exponent[1] == '+'); at < end; at++) {
            stated = stated * 10 + (*at - '0');
            if (stated > 9999) return 0;
        }
        power += negative ? -stated : stated;
    }
    if (digits == 0) return *number = 0.0, 1;
    if (digits <= (1ULL << 53) && power >= -22 && power <= 22) {
        *number = power < 0 ? (double)digits / tens[-power] : (double)digits * tens[power];
        return 1;
    }
#ifdef __SIZEOF_INT128__
    if (power < 0 && power >= -27) return *number = divided(digits, -power), 1;
#endif
    return 0;
}

int to_double(Span text, double *number) {
    Place at = past_sign(text.start, text.end);
    if (at == text.end) return 0;
    if ((*at | 32) == 'n')
        *number = NAN;
    else if ((*at | 32) == 'i')
        *number = INFINITY;
    else if (!to_finite(at, text.end, number))
        return 0;
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
    int before = year - 1;
    int64_t days = (int64_t)before * 365 + before / 4 - before / 100 + before / 400 - 719162;
    for (int index = 1; index < month; index++) days += days_in(year, index);
    return days + day - 1;
}

static int64_t micros_of(Place at, Place end) {
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
    while (at < text.end) {
        Place colon = memchr(at, ':', (size_t)(text.end - at));
        if (!to_double((Span){at, colon ? colon : text.end}, &part)) return 0;
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
    if (!to_seconds((Span){text.start + 5, text.end}, &clock)) return 0;
    int64_t days = days_since_1970(2000, month, day) - days_since_1970(2000, 1, 1);
    *seconds = (double)(days * 86400) + clock;
    return 1;
}
