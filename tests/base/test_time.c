#include <inttypes.h>
#include <string.h>

#include "base/time.h"
#include "tests/lib/test.h"

static const struct {
    int64_t time_ms;
    const char *text; /* of new Date(time_ms).toISOString() */
} times[] = {
    {0, "1970-01-01T00:00:00.000Z"},
    {-1, "1969-12-31T23:59:59.999Z"},
    {1, "1970-01-01T00:00:00.001Z"},
    {951782400000, "2000-02-29T00:00:00.000Z"},
    {951868799999, "2000-02-29T23:59:59.999Z"},
    {951868800000, "2000-03-01T00:00:00.000Z"},
    {-2203891200001, "1900-02-28T23:59:59.999Z"},
    {-2203891200000, "1900-03-01T00:00:00.000Z"},
    {1709164800000, "2024-02-29T00:00:00.000Z"},
    {1735689599999, "2024-12-31T23:59:59.999Z"},
    {1777777777777, "2026-05-03T03:09:37.777Z"},
    {253402300799999, "9999-12-31T23:59:59.999Z"},
    {253402300800000, "+010000-01-01T00:00:00.000Z"},
    {-62167219200000, "0000-01-01T00:00:00.000Z"},
    {-62167219200001, "-000001-12-31T23:59:59.999Z"},
    {8640000000000000, "+275760-09-13T00:00:00.000Z"},
    {-8640000000000000, "-271821-04-20T00:00:00.000Z"},
};

TEST(times_are_written_and_read_as_javascript_does)
{
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char text[XYLEM_BASE__ISO_BYTES];
        int64_t back = 42;
        assert_int_equal(xylem_base__time_write(text, times[i].time_ms), strlen(times[i].text));
        assert_string_equal(text, times[i].text);
        assert_true(xylem_base__time_read(&back, xylem_view_of(text)));
        assert_true(back == times[i].time_ms);
    }
}

TEST(a_time_beyond_what_a_date_holds_is_written_as_the_bound)
{
    char text[XYLEM_BASE__ISO_BYTES];
    xylem_base__time_write(text, INT64_MAX);
    assert_string_equal(text, "+275760-09-13T00:00:00.000Z");
    xylem_base__time_write(text, INT64_MIN);
    assert_string_equal(text, "-271821-04-20T00:00:00.000Z");
}

TEST(every_day_of_800_years_reads_back)
{
    for (int64_t day = -146097; day < 146097; day++) {
        char text[XYLEM_BASE__ISO_BYTES];
        int64_t time_ms = day * 86400000 + (day & 0xFFFF) * 1000 + 7;
        int64_t back = 0;
        xylem_base__time_write(text, time_ms);
        if (!xylem_base__time_read(&back, xylem_view_of(text)) || back != time_ms) {
            fail_msg("day %" PRId64 ": %s", day, text);
        }
    }
}

TEST(fractions_and_offsets_are_understood)
{
    static const struct {
        const char *text;
        int64_t time_ms;
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01T00:00:00.1Z", 100},
        {"1970-01-01T00:00:00.12Z", 120},
        {"1970-01-01T00:00:00.123456789Z", 123},
        {"1970-01-01T00:00:00.000999Z", 0},
        {"1969-12-31T23:59:59.9999Z", -1},
        {"1970-01-01T01:00:00.000+01:00", 0},
        {"1969-12-31T18:30:00.000-05:30", 0},
        {"1970-01-01T00:00:00-00:01", 60000},
        {"1970-01-01T23:59:00+23:59", 0},
        {"+275760-09-13T01:00:00+01:00", 8640000000000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t time_ms = 42;
        assert_true(xylem_base__time_read(&time_ms, xylem_view_of(rows[i].text)));
        assert_true(time_ms == rows[i].time_ms);
    }
}

TEST(anything_else_is_no_time)
{
    static const char *const rows[] = {
        "",
        "1970",
        "1970-01-01",
        "1970-01-01T00:00Z",
        "1970-01-01T00:00:00",
        "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00,000Z",
        "1970-01-01t00:00:00.000Z",
        "1970-01-01T00:00:00.000z",
        "1970-01-01 00:00:00.000Z",
        "1970-01-01T00:00:00.000Z ",
        " 1970-01-01T00:00:00.000Z",
        "1970-01-01T24:00:00.000Z",
        "1970-01-01T00:60:00.000Z",
        "1970-01-01T00:00:60.000Z",
        "1970-00-01T00:00:00.000Z",
        "1970-13-01T00:00:00.000Z",
        "1970-01-00T00:00:00.000Z",
        "1970-01-32T00:00:00.000Z",
        "1970-04-31T00:00:00.000Z",
        "1970-02-29T00:00:00.000Z",
        "1900-02-29T00:00:00.000Z",
        "1970-1-01T00:00:00.000Z",
        "+001970-01-01T00:00:00.000Z",
        "-000000-01-01T00:00:00.000Z",
        "-1970-01-01T00:00:00.000Z",
        "+275760-09-13T00:00:00.001Z",
        "-271821-04-19T23:59:59.999Z",
        "+999999-12-31T23:59:59.999Z",
        "1970-01-01T00:00:00.000+24:00",
        "1970-01-01T00:00:00.000+01:60",
        "1970-01-01T00:00:00.000+0100",
        "1970-01-01T00:00:00.000+01",
        "1970-01-01T00:00:00.000 01:00",
        "1970-01-01T00:00:00.00\xD9\xA0Z",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t time_ms = 42;
        if (xylem_base__time_read(&time_ms, xylem_view_of(rows[i])) || time_ms != 42) {
            fail_msg("%s", rows[i]);
        }
    }
    int64_t time_ms = 42;
    struct xylem_view nothing = {NULL, 0};
    struct xylem_view nul = {"1970-01-01T00:00:00.000Z", 25};
    assert_false(xylem_base__time_read(&time_ms, nothing));
    assert_false(xylem_base__time_read(&time_ms, nul));
}
