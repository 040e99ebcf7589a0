/*
 * Reads and writes doubles in JSON, whatever the locale. The locale chooses the decimal point of the C library: so
 * strtod() gets a whole number with an exponent, and the decimal point of snprintf() is skipped.
 */
#include "base/json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

/* Enough digits to tell two doubles and their midpoint apart. Of further digits only "not zero" counts. */
#define SIGNIFICANT_MAX 800u
#define EXPONENT_MAX 100000

/* The number 0.DIGITS times ten to the power of `point`. */
struct decimal {
    char digits[SIGNIFICANT_MAX + 1];
    size_t digit_count;
    int64_t point;
};

/*
 * The fast way: integers of up to 15 digits, and powers of ten up to 10^22, are exact doubles. So a single
 * multiplication or division rounds only once, and correctly. The slow way is strtod(), which takes the decimal
 * point from the locale: so the text is a whole number with an exponent.
 */
static double decimal_value(const struct decimal *decimal)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int64_t exponent = decimal->point - (int64_t)decimal->digit_count;
    if (FLT_EVAL_METHOD == 0 && decimal->digit_count <= 15 && exponent <= 22 && exponent >= -22) {
        uint64_t digits = 0;
        for (size_t i = 0; i < decimal->digit_count; i++) {
            digits = digits * 10 + (uint64_t)(decimal->digits[i] - '0');
        }
        return exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
    }
    char text[SIGNIFICANT_MAX + 32];
    exponent = exponent > EXPONENT_MAX ? EXPONENT_MAX : exponent < -EXPONENT_MAX ? -EXPONENT_MAX : exponent;
    snprintf(text, sizeof text, "%.*se%d", (int)decimal->digit_count, decimal->digits, (int)exponent);
    return strtod(text, NULL);
}

static void add_digit(struct decimal *decimal, char digit, bool fraction)
{
    if (decimal->digit_count == 0 && digit == '0') {
        decimal->point -= fraction;
        return;
    }
    decimal->point += !fraction;
    if (decimal->digit_count < SIGNIFICANT_MAX) {
        decimal->digits[decimal->digit_count++] = digit;
    } else if (digit != '0') {
        decimal->digits[SIGNIFICANT_MAX] = '1';
        decimal->digit_count = SIGNIFICANT_MAX + 1;
    }
}

/* Reads an exponent with an optional sign. A huge exponent is cut, but stays out of the range of doubles. */
static int64_t read_exponent(const char *text, const char *end)
{
    const int64_t enough = INT64_MAX / 4;
    int64_t exponent = 0;
    bool negative = text < end && *text == '-';
    for (; text < end; text++) {
        if (*text >= '0' && *text <= '9' && exponent < enough / 10) {
            exponent = exponent * 10 + (*text - '0');
        }
    }
    return negative ? -exponent : exponent;
}

double xylem_base__json_read_number(struct xylem_view text)
{
    struct decimal decimal;
    decimal.digit_count = 0;
    decimal.point = 0;
    bool fraction = false;
    const char *end = text.data + text.bytes;
    const char *at = text.data;
    bool negative = at < end && *at == '-';
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            fraction = true;
        } else if (*at >= '0' && *at <= '9') {
            add_digit(&decimal, *at, fraction);
        }
    }
    if (decimal.digit_count == 0) {
        return negative ? -0.0 : 0.0;
    }
    decimal.point += at < end ? read_exponent(at + 1, end) : 0;
    double magnitude = decimal_value(&decimal);
    return negative ? -magnitude : magnitude;
}

/* Makes `node` an integer if the spelling is an integer that fits. False also for `-0`, which only a double has. */
static bool set_integer(struct xylem_value *node)
{
    bool negative = node->raw.data[0] == '-';
    uint64_t number = 0;
    for (size_t i = negative; i < node->raw.bytes; i++) {
        unsigned digit = (unsigned)(unsigned char)node->raw.data[i] - '0';
        if (digit > 9 || number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        number = number * 10 + digit;
    }
    if (negative) {
        if (number == 0 || number > (uint64_t)INT64_MAX + 1) {
            return false;
        }
        node->type = XYLEM_VALUE_INT;
        node->as.integer = -(int64_t)(number - 1) - 1;
    } else if (number > INT64_MAX) {
        node->type = XYLEM_VALUE_UINT;
        node->as.unsigned_integer = number;
    } else {
        node->type = XYLEM_VALUE_INT;
        node->as.integer = (int64_t)number;
    }
    return true;
}

void xylem_base__json_set_number(struct xylem_value *node)
{
    if (!set_integer(node)) {
        node->type = XYLEM_VALUE_DOUBLE;
        node->as.number = xylem_base__json_read_number(node->raw);
    }
}

/*
 * Rounds to the nearest decimal of `digit_count` digits, without zeros at the end. True if it reads back as the double.
 */
static bool round_to(struct decimal *decimal, double magnitude, int digit_count)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", digit_count - 1, magnitude);
    decimal->digit_count = 0;
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9') {
            decimal->digits[decimal->digit_count++] = *at;
        }
    }
    decimal->point = strtol(at + 1, NULL, 10) + 1;
    while (decimal->digit_count > 1 && decimal->digits[decimal->digit_count - 1] == '0') {
        decimal->digit_count--;
    }
    double back = decimal_value(decimal);
    return !(back < magnitude) && !(back > magnitude);
}

/*
 * Doubles lie twice as close below a power of two as above. So at a power of two the nearest decimal may read back as
 * the double below, while the next greater decimal reads back right:
 *
 *     doubles    . . . . P   .   .   .       P: the power of two
 *     decimals         x       y             x is nearer to P than y, but is read as the double below
 */
static bool round_up_to(struct decimal *decimal, double magnitude, size_t digit_count)
{
    int exponent;
    if (frexp(magnitude, &exponent) > 0.5) {
        return false;
    }
    while (decimal->digit_count < digit_count) {
        decimal->digits[decimal->digit_count++] = '0';
    }
    while (decimal->digit_count > 0 && decimal->digits[decimal->digit_count - 1] == '9') {
        decimal->digit_count--;
    }
    if (decimal->digit_count == 0) {
        return false;
    }
    decimal->digits[decimal->digit_count - 1]++;
    double back = decimal_value(decimal);
    return !(back < magnitude) && !(back > magnitude);
}

/* The decimal with the fewest digits that reads back as the double; the nearest if several do (as in ECMAScript). */
static void shorten(struct decimal *decimal, double magnitude)
{
    /* A normal double keeps every decimal of 15 digits, so 15 digits without end zeros include all shorter decimals. */
    int first = magnitude < 0x1p-1022 ? 1 : 15;
    for (int digit_count = first; digit_count < 17; digit_count++) {
        if (round_to(decimal, magnitude, digit_count) || round_up_to(decimal, magnitude, (size_t)digit_count)) {
            return;
        }
    }
    round_to(decimal, magnitude, 17);
}

/* ECMA-262, Number::toString for radix 10. */
static int add_decimal(struct xylem_buffer *buffer, const char *sign, const struct decimal *decimal)
{
    static const char zeros[] = "000000000000000000000";
    int point = (int)decimal->point;
    int count = (int)decimal->digit_count;
    const char *digits = decimal->digits;
    if (point >= count && point <= 21) {
        return xylem_base__buffer_add_format(buffer, "%s%.*s%.*s", sign, count, digits, point - count, zeros);
    }
    if (point > 0 && point <= 21) {
        return xylem_base__buffer_add_format(buffer, "%s%.*s.%.*s", sign, point, digits, count - point, digits + point);
    }
    if (point > -6 && point <= 0) {
        return xylem_base__buffer_add_format(buffer, "%s0.%.*s%.*s", sign, -point, zeros, count, digits);
    }
    return xylem_base__buffer_add_format(buffer, "%s%.1s%s%.*se%+d", sign, digits, count > 1 ? "." : "", count - 1,
                                         digits + 1, point - 1);
}

int xylem_base__json_add_integer(struct xylem_buffer *buffer, int64_t number)
{
    char text[20]; /* a sign and 19 digits */
    size_t at = sizeof text;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) {
        text[--at] = '-';
    }
    return xylem_buffer_add(buffer, text + at, sizeof text - at);
}

int xylem_buffer_add_json_number(struct xylem_buffer *buffer, double number)
{
    if (isnan(number)) {
        return xylem_base__buffer_add_text(buffer, "null");
    }
    if (isinf(number)) {
        return xylem_base__buffer_add_text(buffer, number < 0 ? "-1e999" : "1e999");
    }
    if (fabs(number) < 0x1p53 && !(trunc(number) < number) && !(trunc(number) > number)) {
        return xylem_base__json_add_integer(buffer, (int64_t)number);
    }
    struct decimal decimal;
    shorten(&decimal, fabs(number));
    return add_decimal(buffer, number < 0 ? "-" : "", &decimal);
}
