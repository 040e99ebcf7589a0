#include "base/time.h"

#define DAY_MS 86400000
#define TIME_MAX_MS 8640000000000000 /* ECMA-262, time values: 100,000,000 days either way */

struct date {
    int64_t year;
    int64_t month; /* 1 to 12 */
    int64_t day;   /* 1 to 31 */
};

/*
 * Days are counted in eras of 400 years, as every era has 146,097 days, and in years from 1 March on, as a leap day is
 * then the last day of a year. 719,468 days lie between 0000-03-01 and 1970-01-01.
 */
static int64_t days_of_date(struct date date)
{
    int64_t year = date.month <= 2 ? date.year - 1 : date.year;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static struct date date_of_days(int64_t days)
{
    struct date date;
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted_month = (5 * day_of_year + 2) / 153;
    date.day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    date.month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    date.year = year_of_era + era * 400 + (date.month <= 2);
    return date;
}

/* Writes `count` digits and a byte, and returns the place after them. */
static char *put_digits(char *at, int64_t number, int count, char behind)
{
    for (int i = count - 1; i >= 0; i--) {
        at[i] = (char)('0' + number % 10);
        number /= 10;
    }
    at[count] = behind;
    return at + count + 1;
}

size_t xylem_base__time_write(char out[XYLEM_BASE__ISO_BYTES], int64_t time_ms)
{
    time_ms = time_ms > TIME_MAX_MS ? TIME_MAX_MS : time_ms < -TIME_MAX_MS ? -TIME_MAX_MS : time_ms;
    int64_t days = (time_ms >= 0 ? time_ms : time_ms - (DAY_MS - 1)) / DAY_MS;
    int rest = (int)(time_ms - days * DAY_MS);
    struct date date = date_of_days(days);
    bool signed_year = date.year < 0 || date.year > 9999;
    char *at = out;
    if (signed_year) {
        *at++ = date.year < 0 ? '-' : '+';
    }
    at = put_digits(at, date.year < 0 ? -date.year : date.year, signed_year ? 6 : 4, '-');
    at = put_digits(at, date.month, 2, '-');
    at = put_digits(at, date.day, 2, 'T');
    at = put_digits(at, rest / 3600000, 2, ':');
    at = put_digits(at, rest / 60000 % 60, 2, ':');
    at = put_digits(at, rest / 1000 % 60, 2, '.');
    at = put_digits(at, rest % 1000, 3, 'Z');
    *at = '\0';
    return (size_t)(at - out);
}

/* The rest of a text. A failed read sets `failed`, and every later read gives 0. */
struct reader {
    const char *at;
    const char *end;
    bool failed;
};

/* Reads a number of exactly `count` digits, between `low` and `high`. */
static int64_t read_digits(struct reader *reader, int count, int64_t low, int64_t high)
{
    int64_t number = 0;
    for (; count > 0; count--) {
        if (reader->failed || reader->at == reader->end || *reader->at < '0' || *reader->at > '9') {
            reader->failed = true;
            return 0;
        }
        number = number * 10 + (*reader->at++ - '0');
    }
    reader->failed = reader->failed || number < low || number > high;
    return number;
}

static bool read_if(struct reader *reader, char byte)
{
    if (reader->failed || reader->at == reader->end || *reader->at != byte) {
        return false;
    }
    reader->at++;
    return true;
}

static void expect(struct reader *reader, char byte)
{
    if (!read_if(reader, byte)) {
        reader->failed = true;
    }
}

/* A year with a sign has six digits, and lies outside of 0 to 9999: so every year has one spelling. */
static int64_t read_date_ms(struct reader *reader)
{
    static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    struct date date;
    if (read_if(reader, '+')) {
        date.year = read_digits(reader, 6, 10000, 999999);
    } else if (read_if(reader, '-')) {
        date.year = -read_digits(reader, 6, 1, 999999);
    } else {
        date.year = read_digits(reader, 4, 0, 9999);
    }
    expect(reader, '-');
    date.month = read_digits(reader, 2, 1, 12);
    expect(reader, '-');
    date.day = read_digits(reader, 2, 1, 31);
    if (reader->failed) {
        return 0;
    }
    bool leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
    if (date.day > month_days[date.month - 1] + (date.month == 2 && leap)) {
        reader->failed = true;
    }
    return days_of_date(date) * DAY_MS;
}

static int64_t read_clock_ms(struct reader *reader)
{
    int64_t hours = read_digits(reader, 2, 0, 23);
    expect(reader, ':');
    int64_t minutes = read_digits(reader, 2, 0, 59);
    expect(reader, ':');
    int64_t seconds = read_digits(reader, 2, 0, 59);
    int64_t fraction_ms = 0;
    int64_t unit_ms = 100;
    bool more = read_if(reader, '.');
    for (; more; unit_ms /= 10) {
        fraction_ms += read_digits(reader, 1, 0, 9) * unit_ms;
        more = reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9';
    }
    return (hours * 3600 + minutes * 60 + seconds) * 1000 + fraction_ms;
}

static int64_t read_offset_ms(struct reader *reader)
{
    if (read_if(reader, 'Z')) {
        return 0;
    }
    bool west = read_if(reader, '-');
    if (!west) {
        expect(reader, '+');
    }
    int64_t hours = read_digits(reader, 2, 0, 23);
    expect(reader, ':');
    int64_t minutes = read_digits(reader, 2, 0, 59);
    int64_t offset_ms = (hours * 60 + minutes) * 60000;
    return west ? -offset_ms : offset_ms;
}

bool xylem_base__time_read(int64_t *time_ms, struct xylem_view text)
{
    struct reader reader = {text.data, text.data ? text.data + text.bytes : NULL, false};
    int64_t result_ms = read_date_ms(&reader);
    expect(&reader, 'T');
    result_ms += read_clock_ms(&reader);
    result_ms -= read_offset_ms(&reader);
    if (reader.failed || reader.at != reader.end || result_ms > TIME_MAX_MS || result_ms < -TIME_MAX_MS) {
        return false;
    }
    *time_ms = result_ms;
    return true;
}
