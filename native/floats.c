#include "floats.h"

#include "numbers.h"

/* Adds digits to a number as long as it has at most 19: the place behind them. */
static inline Place add_digits(Place at, Place end, uint64_t *number) {
#ifdef DIGITS_AT_ONCE
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    /* Below these it stays below 10^19 with so many more. */
    static const uint64_t room[] = {0, 1000000000000000000u, 100000000000000000u, 10000000000000000u, 1000000000000000u,
                                    100000000000000u, 10000000000000u, 1000000000000u, 100000000000u};
    for (int count = 8; count == 8;) {
        uint64_t eight = eight_until(at, end);
        count = digits_first(eight);
        if (count == 0) return at;
        if (*number >= room[count]) break;
        *number = *number * tens[count] + number_of_digits(eight, count);
        at += count;
    }
#endif
    for (; at < end && *number < 1000000000000000000u && is_digit(*at); at++) *number = *number * 10 + (uint64_t)(*at - '0');
    return at;
}

#ifdef __SIZEOF_INT128__
/* 2^k / 5^n rounded up, for n from 1 on and the k that leaves 128 bits: its upper half, its lower half. */
static const uint64_t parts[27][2] = {
    {0xCCCCCCCCCCCCCCCCu, 0xCCCCCCCCCCCCCCCDu},
    {0xA3D70A3D70A3D70Au, 0x3D70A3D70A3D70A4u},
    {0x83126E978D4FDF3Bu, 0x645A1CAC083126EAu},
    {0xD1B71758E219652Bu, 0xD3C36113404EA4A9u},
    {0xA7C5AC471B478423u, 0x0FCF80DC33721D54u},
    {0x8637BD05AF6C69B5u, 0xA63F9A49C2C1B110u},
    {0xD6BF94D5E57A42BCu, 0x3D32907604691B4Du},
    {0xABCC77118461CEFCu, 0xFDC20D2B36BA7C3Eu},
    {0x89705F4136B4A597u, 0x31680A88F8953031u},
    {0xDBE6FECEBDEDD5BEu, 0xB573440E5A884D1Cu},
    {0xAFEBFF0BCB24AAFEu, 0xF78F69A51539D749u},
    {0x8CBCCC096F5088CBu, 0xF93F87B7442E45D4u},
    {0xE12E13424BB40E13u, 0x2865A5F206B06FBAu},
    {0xB424DC35095CD80Fu, 0x538484C19EF38C95u},
    {0x901D7CF73AB0ACD9u, 0x0F9D37014BF60A11u},
    {0xE69594BEC44DE15Bu, 0x4C2EBE687989A9B4u},
    {0xB877AA3236A4B449u, 0x09BEFEB9FAD487C3u},
    {0x9392EE8E921D5D07u, 0x3AFF322E62439FD0u},
    {0xEC1E4A7DB69561A5u, 0x2B31E9E3D06C32E6u},
    {0xBCE5086492111AEAu, 0x88F4BB1CA6BCF585u},
    {0x971DA05074DA7BEEu, 0xD3F6FC16EBCA5E04u},
    {0xF1C90080BAF72CB1u, 0x5324C68B12DD6339u},
    {0xC16D9A0095928A27u, 0x75B7053C0F178294u},
    {0x9ABE14CD44753B52u, 0xC4926A9672793543u},
    {0xF79687AED3EEC551u, 0x3A83DDBD83F52205u},
    {0xC612062576589DDAu, 0x95364AFE032A819Eu},
    {0x9E74D1B791E07E48u, 0x775EA264CF55347Eu}};

/* The double that is nearest to digits / 10^power, half to even, for powers from 1 to 27: "Number Parsing at a Gigabyte per
   Second" (Lemire, 2021), which proves that 128 bits of the quotient are enough. */
static double nearest(uint64_t digits, int power) {
    int zeros = __builtin_clzll(digits);
    digits <<= zeros;
    unsigned __int128 product = (unsigned __int128)digits * parts[power - 1][0];
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if ((high & 0x1FF) == 0x1FF) {
        uint64_t more = (uint64_t)(((unsigned __int128)digits * parts[power - 1][1]) >> 64);
        low += more;
        high += low < more;
    }
    int upper = (int)(high >> 63);
    uint64_t bits = high >> (upper + 9);
    /* Just between two doubles. */
    if (low <= 1 && power <= 4 && (bits & 3) == 1 && bits << (upper + 9) == high) bits--;
    bits = (bits + (bits & 1)) >> 1;
    /* The last bit's power of two, from log2(10) as a whole number of 1/65536; a carry of the rounding goes into it. */
    uint64_t exponent = (uint64_t)(1086 - ((217706 * power + 65535) >> 16) + upper - zeros);
    bits += (exponent - 1) << 52;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
#endif

/* digits * 10^power. 0: only Python's own reader is exact here. */
static inline int to_number(uint64_t digits, int power, double *number) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits == 0) return *number = 0.0, 1;
    if (digits <= (1ULL << 53) && power >= -22 && power <= 22) {
        *number = power < 0 ? (double)digits / tens[-power] : (double)digits * tens[power];
        return 1;
    }
#ifdef __SIZEOF_INT128__
    if (power < 0 && power >= -27) return *number = nearest(digits, -power), 1;
#endif
    return 0;
}

Place read_float(Place start, Place end, double *number, int *is_known) {
    Place at = past_sign(start, end);
    uint64_t digits = 0;
    int power = 0;
    Place behind = add_digits(at, end, &digits);
    *is_known = 0;
    if (behind == at && (at >= end || *at != '.')) return NULL;
    if (behind < end && *behind == '.') {
        Place fraction = behind + 1;
        behind = add_digits(fraction, end, &digits);
        power = -(int)(behind - fraction);
        /* A point between no digits is no number. */
        if (behind == fraction && fraction - 1 == at) return NULL;
        while (behind < end && *behind == '0' && behind - fraction < 64) behind++;
    }
    /* More digits than are looked at here, or so many zeros that a float may end before them. */
    if ((behind < end && is_digit(*behind)) || behind - at > MOST_DIGITS) return past_float(start, end);
    if (behind < end && (*behind | 32) == 'e') {
        Place stated = past_sign(behind + 1, end);
        Place last = past_digits(stated, end, 8);
        if (last - stated > 4) return last;
        int exponent = 0;
        for (at = stated; at < last; at++) exponent = exponent * 10 + (*at - '0');
        if (last > stated) {
            power += behind[1] == '-' ? -exponent : exponent;
            behind = last;
        }
    }
    *is_known = to_number(digits, power, number);
    if (*is_known && *start == '-') *number = -*number;
    return behind;
}
