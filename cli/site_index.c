/* The index of a site: the sessions by day, and the number of sessions a day as bars. */
#include "cli/export_site.h"
#include "cli/show/entries.h"
#include "cli/store/listing.h"

#include <stdio.h>
#include <time.h>

#define DAYS_MAX 120 /* of the plot: the newest */
#define DAYS_MIN 28
#define BAR_WIDTH 6
#define PLOT_HEIGHT 64

#define DAY_SECONDS 86400
#define DAY_BYTES 32u /* of `2026-11-20` */

/* The number of the day of local time. */
static int64_t day_of(int64_t ms)
{
    struct tm parts = {0};
    time_t seconds = (time_t)(ms / 1000 - (ms % 1000 < 0));
    localtime_r(&seconds, &parts);
    seconds += parts.tm_gmtoff;
    return seconds / DAY_SECONDS - (seconds % DAY_SECONDS < 0);
}

static const char *name_day(char name[DAY_BYTES], int64_t day)
{
    struct tm parts = {0};
    time_t seconds = (time_t)(day * DAY_SECONDS);
    gmtime_r(&seconds, &parts);
    strftime(name, DAY_BYTES, "%Y-%m-%d", &parts);
    return name;
}

/* The sessions of the newest days. The days end with the newest that is not after today. */
struct plot {
    int64_t newest;
    int64_t days;
    unsigned sums[DAYS_MAX]; /* by age: the newest day first */
    unsigned most;           /* of a day; 0: there is no session to draw */
    uint64_t future_count;   /* sessions after today */
};

/* The days are not in the order of the times: where a clock goes back at midnight, a later time may have an earlier day. */
static void count_days(const struct xylem_cli *cli, struct plot *plot, const struct xylem_cli__listing *listing)
{
    int64_t today = day_of(cli->now_ms);
    plot->newest = INT64_MIN;
    plot->days = DAYS_MIN;
    for (size_t i = 0; i < listing->count; i++) {
        int64_t day = day_of(listing->list[i].active_ms);
        plot->future_count += day > today;
        plot->newest = day <= today && day > plot->newest ? day : plot->newest;
    }
    for (size_t i = 0; i < listing->count; i++) {
        int64_t day = day_of(listing->list[i].active_ms);
        if (day <= plot->newest && day > plot->newest - DAYS_MAX) {
            size_t age = (size_t)(plot->newest - day);
            plot->days = (int64_t)age >= plot->days ? (int64_t)age + 1 : plot->days;
            plot->most = ++plot->sums[age] > plot->most ? plot->sums[age] : plot->most;
        }
    }
}

/* A bar for each day with sessions. */
static void add_bars(struct xylem_cli__text *svg, const struct plot *plot)
{
    char name[DAY_BYTES];
    for (int64_t age = plot->days - 1; age >= 0; age--) {
        unsigned sum = plot->sums[age];
        unsigned height = (unsigned)(((uint64_t)sum * PLOT_HEIGHT + plot->most - 1) / plot->most);
        if (height > 0) {
            xylem_cli__addf(svg, "<rect x=\"%d\" y=\"%u\" width=\"%d\" height=\"%u\"><title>%s: %u</title></rect>",
                            (int)(plot->days - 1 - age) * BAR_WIDTH, PLOT_HEIGHT - height, BAR_WIDTH - 1, height,
                            name_day(name, plot->newest - age), sum);
        }
    }
}

static void add_plot(const struct xylem_cli *cli, struct xylem_cli__html *html,
                     const struct xylem_cli__listing *listing)
{
    struct xylem_cli__text svg = {0};
    struct plot plot = {.most = 0};
    char name[DAY_BYTES];
    count_days(cli, &plot, listing);
    if (plot.most == 0) {
        return;
    }
    xylem_cli__addf(&svg, "<figure class=\"days\"><figcaption>Sessions a day, at most %u", plot.most);
    if (plot.future_count > 0) {
        xylem_cli__add(&svg, "; without ");
        xylem_cli__add_counted(&svg, plot.future_count, "session of the future", "sessions of the future");
    }
    xylem_cli__addf(&svg, "</figcaption>\n<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" ",
                    (int)plot.days * BAR_WIDTH, PLOT_HEIGHT);
    xylem_cli__add(&svg, "aria-label=\"Sessions a day\">");
    add_bars(&svg, &plot);
    xylem_cli__addf(&svg, "</svg>\n<p><span>%s</span> ", name_day(name, plot.newest - plot.days + 1));
    xylem_cli__addf(&svg, "<span>%s</span></p></figure>\n", name_day(name, plot.newest));
    xylem_cli__html_made(html, &svg);
    xylem_cli__text_release(&svg);
}

void xylem_cli__site_name(const struct xylem_cli *cli, char name[NAME_MAX + 1], struct xylem_view id, uint64_t number)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
    static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.";
    bool is_secret = xylem_cli__is_left_out(cli, id);
    id = is_secret ? xylem_view_of("session") : id;
    size_t bytes = xylem_cli__least(id.bytes, XYLEM_SESSION_ID_BYTES_MAX);
    bool is_plain = !is_secret && !xylem_base__view_is(id, "index");
    for (size_t i = 0; i < bytes; i++) {
        bool stays = xylem_base__skip(id, i, kept) > i && (i > 0 || id.data[i] != '.');
        name[i] = stays ? id.data[i] : '_';
        is_plain = is_plain && stays && xylem_base__skip(id, i, plain) > i;
    }
    snprintf(name + bytes, NAME_MAX + 1 - bytes, is_plain ? ".html" : "_%llu.html", (unsigned long long)number);
}

/* The name, else the first words of a person, else the id. */
static int add_name(struct xylem_cli *cli, struct xylem_cli__html *html, const struct xylem_cli__listing *listing,
                    const struct xylem_cli__listed *listed)
{
    struct xylem_view name = xylem_cli__listed_name(listing, listed);
    struct xylem_cli__text words = {0};
    struct xylem_session session;
    int code = name.data ? 0 : xylem_session_read(&session, cli->txn, listed->number, &cli->err);
    if (code == 0 && !name.data) {
        code = xylem_cli__add_first_words(cli, &words, &session);
        name = xylem_cli__text_view(&words);
    }
    xylem_cli__html_shown(cli, html, name.bytes > 0 ? name : listed->id);
    xylem_cli__text_release(&words);
    return code == XYLEM_E_CORRUPT ? 0 : code; /* the page of the session says it */
}

static int add_session(struct xylem_cli *cli, struct xylem_cli__html *html, const struct xylem_cli__listing *listing,
                       const struct xylem_cli__listed *listed)
{
    struct xylem_cli__text about = {0};
    char name[NAME_MAX + 1];
    xylem_cli__site_name(cli, name, listed->id, listed->number);
    xylem_cli__html_add(html, "<li class=\"session\"><a href=\"");
    xylem_cli__html_attribute(html, xylem_view_of(name));
    xylem_cli__html_add(html, "\">");
    int code = add_name(cli, html, listing, listed);
    xylem_cli__html_add(html, "</a> <span class=\"about\"><code class=\"directory\">");
    xylem_cli__html_shown(cli, html, listed->cwd);
    xylem_cli__add(&about, "</code> <span>");
    xylem_cli__add_counted(&about, listed->entry_count, "entry", "entries");
    xylem_cli__add(&about, "</span> <time datetime=\"");
    xylem_cli__add_iso(&about, listed->active_ms);
    xylem_cli__add(&about, "\">");
    xylem_cli__add_minute(&about, listed->active_ms);
    xylem_cli__add(&about, "</time></span></li>\n");
    xylem_cli__html_made(html, &about);
    xylem_cli__text_release(&about);
    return code;
}

static int add_sessions(struct xylem_cli *cli, struct xylem_cli__html *html, const struct xylem_cli__listing *listing)
{
    char name[DAY_BYTES];
    int code = 0;
    for (size_t i = 0; code == 0 && i < listing->count; i++) {
        int64_t day = day_of(listing->list[i].active_ms);
        if (i == 0 || day != day_of(listing->list[i - 1].active_ms)) {
            xylem_cli__html_add(html, i > 0 ? "</ul></section>\n" : "");
            xylem_cli__html_add(html, "<section class=\"day\"><h2>");
            xylem_cli__html_add(html, name_day(name, day));
            xylem_cli__html_add(html, "</h2><ul>\n");
        }
        code = add_session(cli, html, listing, &listing->list[i]);
    }
    xylem_cli__html_add(html, listing->count > 0 ? "</ul></section>\n" : "");
    return code;
}

int xylem_cli__site_index(struct xylem_cli *cli, int (*write)(void *context, const void *data, size_t bytes),
                          void *context, bool unredacted, bool *damaged)
{
    const struct xylem_cli__wanted wanted = {.spaced = true, .since_ms = INT64_MIN, .until_ms = INT64_MAX};
    struct xylem_cli__html html = {.write = write, .context = context};
    struct xylem_cli__listing listing;
    int code = xylem_cli__listing_read(cli, &listing, &wanted);
    xylem_cli__html_begin(&html, xylem_view_of("Sessions"), "To the sessions", NULL);
    xylem_cli__html_add(&html, "<header class=\"top\"><h1>Sessions</h1>\n<p>");
    xylem_cli__html_count(&html, listing.count);
    xylem_cli__html_add(&html, listing.count == 1 ? " session</p>\n" : " sessions</p>\n");
    xylem_cli__html_add(&html, unredacted ? "<p class=\"notice\">Secrets were not looked for.</p>\n"
                                          : "<p class=\"notice\">What looks like a secret is left out.</p>\n");
    add_plot(cli, &html, &listing);
    xylem_cli__html_add(&html, "</header>\n<main id=\"path\" class=\"sessions\" tabindex=\"-1\">\n");
    code = code == 0 ? add_sessions(cli, &html, &listing) : code;
    xylem_cli__html_add(&html, "</main>\n");
    xylem_cli__html_end(&html, NULL);
    code = code == 0 ? xylem_cli__html_flush(cli, &html, true) : code;
    *damaged = *damaged || listing.damaged;
    xylem_cli__text_release(&html.text);
    xylem_cli__listing_release(&listing);
    return code;
}
