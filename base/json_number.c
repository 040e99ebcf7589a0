/* Doubles as JSON spells them, free of the locale: only digits are taken from, and given to, the C library. */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

/* Enough to tell any two doubles and their midpoint apart; what lies behind counts only as "not zero". */
#define SIGNIFICANT_MAX 800u
#define EXPONENT_MAX 100000

/* The number 0.DIGITS times ten to the power of `point`. */
struct decimal {
    char digits[SIGNIFICANT_MAX + 1];
    size_t digit_count;
    int64_t point;
};

/* A whole number and an exponent have no decimal point, the one thing that strtod() takes from the locale. */
static double decimal_value(const struct decimal *decimal)
{
    char text[SIGNIFICANT_MAX + 32];
    int64_t exponent = decimal->point - (int64_t)decimal->digit_count;
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

/* An exponent, its sign first; one that is out of any range is cut to a value that is, too. */
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

/* The nearest decimal of so many digits, zeros at its end left out. Does it read back as the same double? */
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
 * Below a power of two doubles lie twice as close as above it. So the nearest decimal may read back as the double
 * below, while the next one above, though farther off, reads back right.
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

/* The fewest digits that read back as the same double, and of those the nearest, as ECMAScript asks for. */
static void shorten(struct decimal *decimal, double magnitude)
{
    /* Every decimal of 15 digits survives a normal double, so no shorter one can be missed by beginning there. */
    int first = magnitude < 0x1p-1022 ? 1 : 15;
    for (int digit_count = first; digit_count < 17; digit_count++) {
        if (round_to(decimal, magnitude, digit_count) || round_up_to(decimal, magnitude, (size_t)digit_count)) {
            return;
        }
    }
    round_to(decimal, magnitude, 17);
}

static int add_zeros(struct xylem_buffer *buffer, int64_t count)
{
    int code = XYLEM_OK;
    while (code == XYLEM_OK && count-- > 0) {
        code = xylem_buffer_add(buffer, "0", 1);
    }
    return code;
}

/* ECMA-262, Number::toString for radix 10. */
static int add_decimal(struct xylem_buffer *buffer, const struct decimal *decimal)
{
    int64_t point = decimal->point;
    int count = (int)decimal->digit_count;
    const char *digits = decimal->digits;
    if (point >= count && point <= 21) {
        int code = xylem_buffer_add(buffer, digits, decimal->digit_count);
        return code < 0 ? code : add_zeros(buffer, point - count);
    }
    if (point > 0 && point <= 21) {
        int whole = (int)point;
        return xylem_base__buffer_add_format(buffer, "%.*s.%.*s", whole, digits, count - whole, digits + whole);
    }
    if (point > -6 && point <= 0) {
        int code = xylem_base__buffer_add_text(buffer, "0.");
        code = code < 0 ? code : add_zeros(buffer, -point);
        return code < 0 ? code : xylem_buffer_add(buffer, digits, decimal->digit_count);
    }
    return xylem_base__buffer_add_format(buffer, "%.1s%s%.*se%+d", digits, count > 1 ? "." : "", count - 1, digits + 1,
                                         (int)point - 1);
}

int xylem_base__json_add_number(struct xylem_buffer *buffer, double number)
{
    if (isnan(number)) {
        return xylem_base__buffer_add_text(buffer, "null");
    }
    if (isinf(number)) {
        return xylem_base__buffer_add_text(buffer, number < 0 ? "-1e999" : "1e999");
    }
    if (fabs(number) < 0x1p53 && !(trunc(number) < number) && !(trunc(number) > number)) {
        return xylem_base__buffer_add_format(buffer, "%lld", (long long)number);
    }
    struct decimal decimal;
    shorten(&decimal, fabs(number));
    int code = number < 0 ? xylem_buffer_add(buffer, "-", 1) : XYLEM_OK;
    return code < 0 ? code : add_decimal(buffer, &decimal);
}
