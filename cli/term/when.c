/* Parses times that people give, and finds the present time: the time in XYLEM_NOW, or the clock. */
#include "cli/term/term.h"
#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define CHANGE_SECONDS 900 /* clocks change at quarters of an hour */

/* `2h`: a number and a unit, as ages are printed. */
static bool read_age(int64_t *age_ms, const char *text)
{
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}, {'y', 365 * 86400}};
    char *unit = NULL;
    if (*text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    long long number = strtoll(text, &unit, 10);
    if (errno != 0 || unit[0] == '\0' || unit[1] != '\0') {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (units[i].unit == *unit) {
            return !__builtin_mul_overflow(number, units[i].seconds * 1000, age_ms);
        }
    }
    return false;
}

/* A moment in parts: a day, and maybe a clock time. */
struct moment {
    struct tm parts;
    bool has_clock; /* without: the whole day */
    bool utc;
    int64_t fraction_ms;
};

/* Makes the parts of a local day proper, at noon: every day has a noon, but not every day a midnight. */
static void find_noon(struct tm *parts)
{
    struct tm noon = {
        .tm_year = parts->tm_year, .tm_mon = parts->tm_mon, .tm_mday = parts->tm_mday, .tm_hour = 12, .tm_isdst = -1};
    mktime(&noon);
    *parts = noon;
}

/* `today`, `yesterday`, `monday`: gives the text behind the word; NULL if the text begins with no such word. */
static const char *read_day_word(struct tm *parts, const char *text, int64_t now_ms)
{
    static const char *const words[] = {"sunday", "monday",   "tuesday", "wednesday", "thursday",
                                        "friday", "saturday", "today",   "yesterday"};
    size_t bytes = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    bool lone = text[bytes] == '\0' || text[bytes] == ' ';
    time_t now = (time_t)(now_ms / 1000);
    for (int i = 0; lone && i < 9; i++) {
        if (strlen(words[i]) != bytes || strncasecmp(words[i], text, bytes) != 0 || !localtime_r(&now, parts)) {
            continue;
        }
        parts->tm_mday -= i == 7 ? 0 : i == 8 ? 1 : (parts->tm_wday - i + 7) % 7;
        find_noon(parts);
        return text + bytes;
    }
    return NULL;
}

/* `2026-11-20`: gives the text behind the date; NULL if there is no such date. */
static const char *read_date(struct tm *parts, const char *text)
{
    const char *rest = strptime(text, "%Y-%m-%d", parts);
    struct tm noon = *parts;
    find_noon(&noon);
    return rest && noon.tm_mday == parts->tm_mday && noon.tm_mon == parts->tm_mon ? rest : NULL;
}

/* ` 17:18`, `T17:18:05.515`: gives the text behind the clock time, or the text itself if no clock time follows. */
static const char *read_clock(struct moment *moment, const char *text)
{
    struct tm clock = {0};
    const char *rest = *text == ' ' || *text == 'T' ? strptime(text + 1, "%H:%M", &clock) : NULL;
    if (!rest) {
        return text;
    }
    bool has_seconds = *rest == ':';
    if (has_seconds && !(rest = strptime(rest, ":%S", &clock))) {
        return text;
    }
    if (has_seconds && *rest == '.') {
        int64_t weight = 100;
        for (rest++; *rest >= '0' && *rest <= '9'; rest++, weight /= 10) {
            moment->fraction_ms += (*rest - '0') * weight;
        }
    }
    moment->parts.tm_hour = clock.tm_hour;
    moment->parts.tm_min = clock.tm_min;
    moment->parts.tm_sec = clock.tm_sec;
    moment->has_clock = true;
    return rest;
}

/* A day (a word only with `words`), and maybe a clock time; local time, or UTC if a date ends in Z. */
static bool read_moment(struct moment *moment, const char *text, int64_t now_ms, bool words)
{
    *moment = (struct moment){.has_clock = false};
    const char *rest = words ? read_day_word(&moment->parts, text, now_ms) : NULL;
    bool word = rest;
    if (!rest && !(rest = read_date(&moment->parts, text))) {
        return false;
    }
    moment->parts.tm_hour = moment->parts.tm_min = moment->parts.tm_sec = 0;
    rest = read_clock(moment, rest);
    moment->utc = !word && *rest == 'Z';
    return rest[moment->utc ? 1 : 0] == '\0';
}

/* Compares the wall clock at a time with the parts: smaller than 0, 0 or greater. */
static int compare_wall(time_t seconds, const struct tm *parts)
{
    struct tm wall = {0};
    localtime_r(&seconds, &wall);
    const int differences[] = {wall.tm_year - parts->tm_year, wall.tm_mon - parts->tm_mon,
                               wall.tm_mday - parts->tm_mday, wall.tm_hour - parts->tm_hour,
                               wall.tm_min - parts->tm_min,   wall.tm_sec - parts->tm_sec};
    size_t i = 0;
    while (i < 5 && differences[i] == 0) {
        i++;
    }
    return differences[i];
}

/*
 * The first moment at which local clocks show the parts. Where a change of clocks skips the parts, the first moment at
 * which clocks show more: so the day begins where clocks skip midnight. mktime() may give any moment near.
 */
static int64_t first_local(const struct tm *parts)
{
    struct tm copy = *parts;
    copy.tm_isdst = -1;
    time_t before = mktime(&copy) - 4 * 3600; /* no change of clocks is greater */
    before -= before % CHANGE_SECONDS;
    time_t after = before + CHANGE_SECONDS;
    while (compare_wall(after, parts) < 0) {
        before = after;
        after += CHANGE_SECONDS;
    }
    while (before + 1 < after) { /* clocks show less at `before`, and at `after` as much or more */
        time_t middle = before + (after - before) / 2;
        if (compare_wall(middle, parts) < 0) {
            before = middle;
        } else {
            after = middle;
        }
    }
    return after;
}

static int64_t seconds_of(const struct moment *moment)
{
    struct tm parts = moment->parts;
    return moment->utc ? (int64_t)timegm(&parts) : first_local(&parts);
}

/* With `last`, a day without a clock time is its last millisecond. */
static int when(struct xylem_cli *cli, int64_t *time_ms, const char *text, bool last)
{
    struct moment moment;
    int64_t age_ms = 0;
    if (!text) {
        return 0;
    }
    if (read_age(&age_ms, text)) {
        return __builtin_sub_overflow(cli->now_ms, age_ms, time_ms)
                   ? xylem_cli__usage(cli, "'%s' is too long ago", text)
                   : 0;
    }
    if (!read_moment(&moment, text, cli->now_ms, true)) {
        return xylem_cli__usage(cli,
                                "'%s' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, "
                                "yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', "
                                "2026-11-20T17:18:05Z",
                                text);
    }
    if (!last || moment.has_clock) {
        *time_ms = seconds_of(&moment) * 1000 + moment.fraction_ms;
    } else if (moment.utc) {
        *time_ms = seconds_of(&moment) * 1000 + 86400000 - 1;
    } else { /* before the first moment of the next day */
        moment.parts.tm_mday++;
        find_noon(&moment.parts);
        moment.parts.tm_hour = 0;
        *time_ms = seconds_of(&moment) * 1000 - 1;
    }
    return 0;
}

int xylem_cli__when(struct xylem_cli *cli, int64_t *time_ms, const char *text)
{
    return when(cli, time_ms, text, false);
}

int xylem_cli__when_between(struct xylem_cli *cli, int64_t *since_ms, int64_t *until_ms, const char *since,
                            const char *until)
{
    int code = when(cli, since_ms, since, false);
    code = code < 0 ? code : when(cli, until_ms, until, true);
    return code == 0 && since && until && *since_ms > *until_ms
               ? xylem_cli__usage(cli, "--since %s is later than --until %s", since, until)
               : code;
}

int xylem_cli__clock_look(struct xylem_cli *cli)
{
    const char *given = getenv("XYLEM_NOW");
    struct moment moment;
    cli->now_ms = xylem_base__now_ms();
    if (!given || *given == '\0') {
        return 0;
    }
    if (!read_moment(&moment, given, cli->now_ms, false)) {
        return xylem_cli__usage(cli, "XYLEM_NOW is '%s': expected a time like 2026-11-20T17:18:05Z", given);
    }
    cli->now_ms = seconds_of(&moment) * 1000 + moment.fraction_ms;
    return 0;
}
