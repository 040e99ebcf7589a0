/* Which moment a TIME is: words, dates and clock times, in zones whose clocks change. */
#include <time.h>

#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define EAST_COAST "EST5EDT,M3.2.0,M11.1.0"             /* 2026: from 8 March, 2:00, to 1 November, 2:00 */
#define SKIPS_MIDNIGHT "<-03>3<-02>,M10.3.0/0,M2.3.0/0" /* 2026: from 18 October, 0:00, to 15 February, 0:00 */

/* `time` is the first moment at XYLEM_NOW `now` in the zone, and `last` the last, if the text is a whole day. */
static const struct {
    const char *zone;
    const char *now;
    const char *text;
    const char *time;
    const char *last;
} rows[] = {
    {"UTC", "2026-11-20T19:30:00Z", "today", "2026-11-20T00:00:00.000Z", "2026-11-20T23:59:59.999Z"},
    {"UTC", "2026-11-20T19:30:00Z", "yesterday", "2026-11-19T00:00:00.000Z", "2026-11-19T23:59:59.999Z"},
    {"UTC", "2026-11-20T19:30:00Z", "Yesterday", "2026-11-19T00:00:00.000Z", "2026-11-19T23:59:59.999Z"},
    {"UTC", "2026-11-20T19:30:00Z", "friday", "2026-11-20T00:00:00.000Z", "2026-11-20T23:59:59.999Z"},
    {"UTC", "2026-11-20T19:30:00Z", "saturday", "2026-11-14T00:00:00.000Z", "2026-11-14T23:59:59.999Z"},
    {"UTC", "2026-11-20T19:30:00Z", "sunday", "2026-11-15T00:00:00.000Z", "2026-11-15T23:59:59.999Z"},
    {"UTC", "2026-11-20T19:30:00Z", "monday", "2026-11-16T00:00:00.000Z", "2026-11-16T23:59:59.999Z"},
    {"UTC", "2026-11-20T19:30:00Z", "thursday", "2026-11-19T00:00:00.000Z", "2026-11-19T23:59:59.999Z"},
    {"UTC", "2026-03-01T00:00:00Z", "yesterday", "2026-02-28T00:00:00.000Z", "2026-02-28T23:59:59.999Z"},
    {"UTC", "2027-01-01T00:00:00Z", "yesterday", "2026-12-31T00:00:00.000Z", "2026-12-31T23:59:59.999Z"},
    {"UTC", "2026-11-20T19:30:00Z", "yesterday 14:00", "2026-11-19T14:00:00.000Z", NULL},
    {"UTC", "2026-11-20T19:30:00Z", "today 14:00:05.25", "2026-11-20T14:00:05.250Z", NULL},
    {"UTC", "2026-11-20T19:30:00Z", "monday 00:00", "2026-11-16T00:00:00.000Z", NULL},
    {"UTC", "2026-11-20T19:30:00Z", "2h", "2026-11-20T17:30:00.000Z", NULL},
    {"UTC", "2026-11-20T19:30:00Z", "3d", "2026-11-17T19:30:00.000Z", NULL},
    {"UTC", "2026-11-20T19:30:00Z", "2026-11-18", "2026-11-18T00:00:00.000Z", "2026-11-18T23:59:59.999Z"},
    {"UTC", "2026-11-20T19:30:00Z", "2026-11-18 17:18", "2026-11-18T17:18:00.000Z", NULL},
    {"UTC", "2026-11-20T19:30:00Z", "2024-02-29", "2024-02-29T00:00:00.000Z", "2024-02-29T23:59:59.999Z"},
    {"UTC", "2026-11-20T19:30:00Z", "1969-12-31", "1969-12-31T00:00:00.000Z", "1969-12-31T23:59:59.999Z"},
    /* it is still the 19th there */
    {EAST_COAST, "2026-11-20T03:00:00Z", "today", "2026-11-19T05:00:00.000Z", "2026-11-20T04:59:59.999Z"},
    {EAST_COAST, "2026-11-20T03:00:00Z", "yesterday 14:00", "2026-11-18T19:00:00.000Z", NULL},
    {EAST_COAST, "2026-11-20T03:00:00Z", "2026-11-18T17:18:05.515Z", "2026-11-18T17:18:05.515Z", NULL},
    {EAST_COAST, "2026-11-20T03:00:00Z", "2026-11-18Z", "2026-11-18T00:00:00.000Z", "2026-11-18T23:59:59.999Z"},
    /* a day of 23 hours, and a day of 25 hours */
    {EAST_COAST, "2026-03-08T20:00:00Z", "today", "2026-03-08T05:00:00.000Z", "2026-03-09T03:59:59.999Z"},
    {EAST_COAST, "2026-03-08T20:00:00Z", "yesterday", "2026-03-07T05:00:00.000Z", "2026-03-08T04:59:59.999Z"},
    {EAST_COAST, "2026-11-01T20:00:00Z", "today", "2026-11-01T04:00:00.000Z", "2026-11-02T04:59:59.999Z"},
    {EAST_COAST, "2026-11-02T20:00:00Z", "yesterday 23:00", "2026-11-02T04:00:00.000Z", NULL},
    {EAST_COAST, "2026-11-03T20:00:00Z", "saturday", "2026-10-31T04:00:00.000Z", "2026-11-01T03:59:59.999Z"},
    /* clocks skip 2:30, and show 1:30 twice: the first counts */
    {EAST_COAST, "2026-03-08T20:00:00Z", "today 02:30", "2026-03-08T07:00:00.000Z", NULL},
    {EAST_COAST, "2026-03-08T20:00:00Z", "today 03:00", "2026-03-08T07:00:00.000Z", NULL},
    {EAST_COAST, "2026-11-01T20:00:00Z", "today 01:30", "2026-11-01T05:30:00.000Z", NULL},
    {EAST_COAST, "2026-11-01T20:00:00Z", "today 02:00", "2026-11-01T07:00:00.000Z", NULL},
    {SKIPS_MIDNIGHT, "2026-10-18T20:00:00Z", "today", "2026-10-18T03:00:00.000Z", "2026-10-19T01:59:59.999Z"},
    {SKIPS_MIDNIGHT, "2026-10-18T20:00:00Z", "yesterday", "2026-10-17T03:00:00.000Z", "2026-10-18T02:59:59.999Z"},
    {SKIPS_MIDNIGHT, "2026-10-19T20:00:00Z", "2026-10-18", "2026-10-18T03:00:00.000Z", "2026-10-19T01:59:59.999Z"},
    {SKIPS_MIDNIGHT, "2026-02-15T20:00:00Z", "yesterday", "2026-02-14T02:00:00.000Z", "2026-02-15T02:59:59.999Z"},
    {"<+0545>-5:45", "2026-11-20T19:30:00Z", "today", "2026-11-20T18:15:00.000Z", "2026-11-21T18:14:59.999Z"},
};

/* The time `by` milliseconds later, as in a session file. */
static void shifted(char text[32], const char *iso, int by)
{
    struct tm parts = {0};
    const char *rest = strptime(iso, "%Y-%m-%dT%H:%M:%S", &parts);
    int64_t time_ms = (int64_t)timegm(&parts) * 1000 + strtol(rest + 1, NULL, 10) + by;
    int64_t second_ms = (time_ms % 1000 + 1000) % 1000;
    time_t seconds = (time_t)((time_ms - second_ms) / 1000);
    gmtime_r(&seconds, &parts);
    strftime(text, 24, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + strlen(text), 8, ".%03dZ", (int)second_ms);
}

/* Imports a session with an entry before, at and behind the moment. */
static void import_around(struct command *command, size_t number, const char *moment)
{
    char path[256];
    char text[1024];
    char at[3][32];
    int bytes;

    for (int i = 0; i < 3; i++) {
        shifted(at[i], moment, i - 1);
    }
    bytes = snprintf(text, sizeof(text),
                     "{\"type\":\"session\",\"version\":3,\"id\":\"row-%zu\",\"timestamp\":\"%s\",\"cwd\":\"/\"}\n"
                     "{\"type\":\"note\",\"id\":\"before\",\"parentId\":null,\"timestamp\":\"%s\"}\n"
                     "{\"type\":\"note\",\"id\":\"at\",\"parentId\":\"before\",\"timestamp\":\"%s\"}\n"
                     "{\"type\":\"note\",\"id\":\"behind\",\"parentId\":\"at\",\"timestamp\":\"%s\"}\n",
                     number, at[0], at[0], at[1], at[2]);
    command_path(path, command, "row.jsonl");
    command_write_file(path, text, (size_t)bytes);
    command_run(command, "import", "-q", path, NULL);
    assert_exit(command, 0);
}

static void assert_entries(struct command *command, size_t row, const char *option, const char *moment, bool since)
{
    char session[32];
    bool right;

    import_around(command, row * 2 + !since, moment);
    snprintf(session, sizeof(session), "row-%zu", row * 2 + !since);
    command->now = rows[row].now;
    command_run(command, "log", session, option, rows[row].text, "--json", NULL);
    command->now = NULL;
    assert_exit(command, 0);
    right = strstr(command->out, "\"id\":\"at\"") != NULL &&
            (strstr(command->out, "\"id\":\"before\"") == NULL) == since &&
            (strstr(command->out, "\"id\":\"behind\"") == NULL) == !since;
    if (!right) {
        print_message("%s at %s in %s: expected %s\n%s\n", rows[row].text, rows[row].now, rows[row].zone, moment,
                      command->out);
    }
    assert_true(right);
}

TEST_WITH(a_time_is_the_moment_of_the_table, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        setenv("COMMAND_ZONE", rows[i].zone, 1);
        assert_entries(command, i, "--since", rows[i].time, true);
        assert_entries(command, i, "--until", rows[i].last == NULL ? rows[i].time : rows[i].last, false);
        unsetenv("COMMAND_ZONE");
    }
}

TEST_WITH(what_is_no_time_is_refused, command_set_up, command_tear_down_verified)
{
    static const char *const texts[] = {"",
                                        "tomorrow",
                                        "yesterdayx",
                                        "yesterday ",
                                        "monday14",
                                        "monday 25:00",
                                        "yesterday 14:00Z",
                                        "today 14",
                                        "2026-02-30",
                                        "2026-11-20 24:00",
                                        "2026-11-20T17:18.5",
                                        "2026-13-01",
                                        "2x",
                                        "-2h",
                                        "17:18",
                                        "mon"};
    struct command *command = *state;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        command_run(command, "sessions", "--since", texts[i], NULL);
        assert_error(command, 2, "is not a time: expected an age like 2h, 3d, a day like today, yesterday, monday");
    }
    command->now = "yesterday";
    command_line(command, "sessions");
    assert_error(command, 2, "XYLEM_NOW is 'yesterday'");
}
