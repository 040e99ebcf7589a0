/* Parses times that people give, and finds the present time: the time in XYLEM_NOW, or the clock. */
#include "cli/term/term.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* `2026-11-20`, `2026-11-20 17:18`, `2026-11-20T17:18:05.515Z`: local time, or UTC if the text ends in Z. */
static bool read_moment(int64_t *time_ms, const char *text)
{
    static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M",
                                        "%Y-%m-%d"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct tm parts = {.tm_isdst = -1};
        const char *rest = strptime(text, forms[i], &parts);
        int64_t fraction_ms = 0;
        if (!rest) {
            continue;
        }
        if (i < 2 && *rest == '.') {
            int64_t weight = 100;
            for (rest++; *rest >= '0' && *rest <= '9'; rest++, weight /= 10) {
                fraction_ms += (*rest - '0') * weight;
            }
        }
        bool utc = rest[0] == 'Z' && rest[1] == '\0';
        if (!utc && *rest != '\0') {
            continue;
        }
        struct tm given = parts;
        time_t seconds = utc ? timegm(&parts) : mktime(&parts);
        if (parts.tm_mday != given.tm_mday || parts.tm_mon != given.tm_mon || parts.tm_year != given.tm_year) {
            return false; /* the month has no such day: mktime() made another day */
        }
        *time_ms = (int64_t)seconds * 1000 + fraction_ms;
        return true;
    }
    return false;
}

int xylem_cli__when(struct xylem_cli *cli, int64_t *time_ms, const char *text)
{
    int64_t age_ms = 0;
    if (text && read_age(&age_ms, text)) {
        return __builtin_sub_overflow(cli->now_ms, age_ms, time_ms)
                   ? xylem_cli__usage(cli, "'%s' is too long ago", text)
                   : 0;
    }
    if (!text || read_moment(time_ms, text)) {
        return 0;
    }
    return xylem_cli__usage(cli,
                            "'%s' is not a time: expected an age like 2h, 3d, or a date like 2026-11-20, "
                            "2026-11-20T17:18, 2026-11-20T17:18:05Z",
                            text);
}

int xylem_cli__clock_look(struct xylem_cli *cli)
{
    const char *given = getenv("XYLEM_NOW");
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    cli->now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (!given || *given == '\0' || read_moment(&cli->now_ms, given)) {
        return 0;
    }
    return xylem_cli__usage(cli, "XYLEM_NOW is '%s': expected a time like 2026-11-20T17:18:05Z", given);
}
