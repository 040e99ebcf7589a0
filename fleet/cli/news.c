/*
 * News of ships and pulls for people and programs: each at once, or put together, a line for each session. Each text says
 * what happened and what to do.
 */
#include "fleet/cli/cli.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#define TALES_LOOKED_AT 1000u

/* News after which something is not done, and of which the end of the command speaks. */
static bool is_problem(enum fleet_news_type type)
{
    return type == FLEET_NEWS_FOREIGN || type == FLEET_NEWS_IN_USE || type == FLEET_NEWS_BEHIND ||
           type == FLEET_NEWS_MISSING || type == FLEET_NEWS_DAMAGED;
}

static bool is_progress(enum fleet_news_type type)
{
    return type == FLEET_NEWS_SHIPPED || type == FLEET_NEWS_PULLED;
}

static void add_view(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view view)
{
    xylem_cli__add_shown(cli, text, view.data ? view : xylem_view_of("?"), XYLEM_CLI__EXACT, SIZE_MAX);
}

/* What happened, and what to do: the host (if `host`), the words, the fork (if `fork`). */
static const struct {
    bool host;
    bool fork;
    const char *words;
} news_words[FLEET_NEWS_TYPE_COUNT] = {
    [FLEET_NEWS_SHIPPED] = {.words = " acknowledged"},
    [FLEET_NEWS_PULLED] = {.words = " came"},
    [FLEET_NEWS_REWRITTEN] = {.words =
                                  "redacted text left the rows of the engine; `xylem fleet redact --finish` removes "
                                  "it from the files"},
    [FLEET_NEWS_FREED] = {.words = "freed by its owner: only what forks need is kept"},
    [FLEET_NEWS_FENCED] =
        {.host = true,
         .words =
             " took the session over; `xylem fleet pull` brings what it adds, `xylem fleet resume` takes the session "
             "back"},
    [FLEET_NEWS_FORKED] = {.fork = true, .words = "what only this store had is kept as the session "},
    [FLEET_NEWS_FOREIGN] = {.host = true,
                            .words = " has another session of this id, so this one is not shipped; `xylem clone` makes "
                                     "one with an id of its own"},
    [FLEET_NEWS_HELD] = {.words = "held back"},
    [FLEET_NEWS_IN_USE] = {.host = true,
                           .words = " took the session over, and a program here still has it open: end that program "
                                    "(`xylem stat --holders`); what it wrote is kept as a fork"},
    [FLEET_NEWS_BEHIND] = {.words = "the engine lacks changes that this store has: it was restored, or lost them in a "
                                    "failover; nothing is removed here, and their owner sends them again"},
    [FLEET_NEWS_MISSING] = {.words = "the fleet has no such session, or keeps it from this user's group"},
    [FLEET_NEWS_DAMAGED] = {.words = "what came is damaged or missing; `xylem fleet verify` looks at all"},
    [FLEET_NEWS_OWNED] = {.words = "this store owns the session, and has all of it"},
    [FLEET_NEWS_PAUSED] = {.words = "the engine does not acknowledge, trying again"},
    [FLEET_NEWS_RESUMED] = {.words = "the engine answers again"},
    [FLEET_NEWS_BEGUN_ANEW] = {.words = "this store was restored or repaired, and ships as a new one"},
};

/* The same where changes go to an archive. */
static const char *const archive_words[FLEET_NEWS_TYPE_COUNT] = {
    [FLEET_NEWS_SHIPPED] = " copied",
    [FLEET_NEWS_REWRITTEN] = "redacted text was removed",
    [FLEET_NEWS_DAMAGED] = "not copied",
};

/* Adds it without the session. `changes`: of SHIPPED and PULLED. */
static void add_words(const struct fleet_cli_told *told, struct xylem_cli__text *text, const struct fleet_news *news,
                      uint64_t changes)
{
    const struct xylem_cli *cli = told->fleet->cli;
    const char *other = told->archives ? archive_words[news->type] : NULL;
    if (news_words[news->type].host) {
        add_view(cli, text, news->host);
    }
    if (is_progress(news->type)) {
        xylem_cli__add_counted(text, changes, "change", "changes");
    }
    xylem_cli__add(text, other ? other : news_words[news->type].words);
    if (news_words[news->type].fork) {
        add_view(cli, text, news->fork);
    }
    if (news->text && news->type != FLEET_NEWS_FORKED &&
        news->type != FLEET_NEWS_FENCED) { /* which repeats the words */
        xylem_cli__add(text, ": ");
        add_view(cli, text, xylem_view_of(news->text));
    }
}

static void add_document(struct xylem_cli__text *text, const struct fleet_news *news, uint64_t changes)
{
    xylem_cli__member_string(text, "event", xylem_view_of(fleet_news_word(news->type)));
    xylem_cli__member_maybe(text, "session", news->session);
    if (is_progress(news->type)) {
        xylem_cli__member_count(text, "changes", changes);
    }
    if (news->from > 0) {
        xylem_cli__member_count(text, "from", news->from);
        xylem_cli__member_count(text, "to", news->to);
    }
    if (news->epoch > 0) {
        xylem_cli__member_count(text, "epoch", news->epoch);
    }
    if (news->host.data) {
        xylem_cli__member_string(text, "host", news->host);
    }
    if (news->fork.data) {
        xylem_cli__member_string(text, "fork", news->fork);
    }
    if (news->text) {
        xylem_cli__member_string(text, "text", xylem_view_of(news->text));
    }
}

/* --- At once ------------------------------------------------------------------------------------------------------ */

static int put_now(struct fleet_cli_told *told, const struct fleet_news *news)
{
    struct xylem_cli *cli = told->fleet->cli;
    struct xylem_cli__text text = {0};
    uint64_t changes = news->to - news->from;
    if (told->json) {
        xylem_cli__json_document(&text);
        add_document(&text, news, changes);
        xylem_cli__json_end(&text, '}');
        int code = xylem_cli__put_output(cli, &text, true);
        return code < 0 ? code : xylem_cli__flush(cli);
    }
    if (news->session.data) {
        add_view(cli, &text, news->session);
        xylem_cli__add(&text, ": ");
    }
    add_words(told, &text, news, changes);
    xylem_cli__add(&text, "\n");
    int code = xylem_cli__put_output(cli, &text, false);
    return code < 0 ? code : xylem_cli__flush(cli);
}

/* --- Put together ------------------------------------------------------------------------------------------------- */

/*
 * The line of the session; progress is counted up. Looks only at the newest lines, since a pull of a whole fleet has many
 * thousands: a session may then have two. NULL: no memory.
 */
static struct fleet_cli_tale *tale_of(struct fleet_cli_told *told, const struct fleet_news *news)
{
    struct fleet_cli_tale made = {.type = news->type};
    for (size_t i = told->tale_count; i > 0 && told->tale_count - i < TALES_LOOKED_AT; i--) {
        struct fleet_cli_tale *tale = &told->tales[i - 1];
        if (tale->type == news->type && xylem_base__view_equal(xylem_view_of(tale->id), news->session)) {
            return tale;
        }
    }
    memcpy(made.id, news->session.data, xylem_cli__least(news->session.bytes, sizeof made.id - 1));
    told->code = xylem_cli__list_add(told->fleet->cli, &told->tales, &told->tale_count, &told->tale_capacity, &made,
                                     sizeof made);
    return told->code < 0 ? NULL : &told->tales[told->tale_count - 1];
}

static void put_together(struct fleet_cli_told *told, const struct fleet_news *news)
{
    struct fleet_cli_tale *tale = tale_of(told, news);
    if (tale) {
        tale->change_count += news->to - news->from;
        xylem_cli__text_clear(&tale->text);
        if (told->json) {
            xylem_cli__json_begin(&tale->text, '{');
            add_document(&tale->text, news, tale->change_count);
            xylem_cli__json_end(&tale->text, '}');
        } else {
            add_words(told, &tale->text, news, tale->change_count);
        }
    }
}

/* News that are of no session, for a person who waits: the engine does not answer, or the store is another one. */
static void note(struct fleet_cli_told *told, const struct fleet_news *news)
{
    struct xylem_cli__text text = {0};
    bool known = news->type == FLEET_NEWS_RESUMED || (news->type == FLEET_NEWS_PAUSED && told->paused_ms > 0);
    if (!known) {
        fleet_cli_clear_progress(told);
        add_words(told, &text, news, 0);
        xylem_cli__note(told->fleet->cli, "%s", text.failed ? fleet_news_word(news->type) : text.bytes.data);
    }
    xylem_cli__text_release(&text);
}

void fleet_cli_tell(void *context, const struct fleet_news *news)
{
    struct fleet_cli_told *told = context;
    if (told->code < 0) {
        return;
    }
    if (told->follow) {
        told->code = put_now(told, news);
    } else if (news->session.data) {
        put_together(told, news);
    } else {
        note(told, news);
    }
    told->problem_count += is_problem(news->type) ? 1 : 0;
    told->change_count += is_progress(news->type) ? news->to - news->from : 0;
    told->paused_ms = news->type != FLEET_NEWS_PAUSED
                          ? (is_progress(news->type) || news->type == FLEET_NEWS_RESUMED ? 0 : told->paused_ms)
                      : told->paused_ms == 0 ? xylem_base__steady_ms()
                                             : told->paused_ms;
}

static int put_table(struct fleet_cli_told *told, const char *nothing)
{
    static const struct xylem_cli__column columns[] = {{.title = "SESSION", .whole = true}, {.title = "WHAT"}};
    struct xylem_cli__table table = {.columns = columns, .column_count = 2};
    struct xylem_cli *cli = told->fleet->cli;
    struct xylem_cli__text text = {0};
    for (size_t i = 0; i < told->tale_count; i++) {
        add_view(cli, &table.cell, xylem_view_of(told->tales[i].id));
        xylem_cli__table_end_cell(&table);
        xylem_cli__table_add(&table, xylem_cli__text_view(&told->tales[i].text));
    }
    if (told->tale_count == 0) {
        xylem_cli__addf(&text, nothing ? "%s\n" : "", nothing);
        return xylem_cli__put_output(cli, &text, false);
    }
    int code = xylem_cli__table_put(cli, &table);
    xylem_cli__table_release(&table);
    return code;
}

static int put_document(struct fleet_cli_told *told, const struct xylem_cli__text *members)
{
    struct xylem_cli__text text = {0};
    xylem_cli__json_document(&text);
    xylem_cli__member_begin(&text, "news", '[');
    for (size_t i = 0; i < told->tale_count; i++) {
        struct xylem_view one = xylem_cli__text_view(&told->tales[i].text);
        xylem_cli__json_separate(&text);
        xylem_cli__add_bytes(&text, one.data, one.bytes);
        text.failed = text.failed || told->tales[i].text.failed;
    }
    xylem_cli__json_end(&text, ']');
    if (members) {
        struct xylem_view more = xylem_cli__text_view(members);
        xylem_cli__json_separate(&text);
        xylem_cli__add_bytes(&text, more.data, more.bytes);
    }
    xylem_cli__json_end(&text, '}');
    return xylem_cli__put_output(told->fleet->cli, &text, true);
}

int fleet_cli_told_end(struct fleet_cli_told *told, const struct xylem_cli__text *members, const char *nothing)
{
    int code = told->code;
    if (code == 0 && !told->follow) {
        code = told->json ? put_document(told, members) : put_table(told, nothing);
    }
    for (size_t i = 0; i < told->tale_count; i++) {
        xylem_cli__text_release(&told->tales[i].text);
    }
    free(told->tales);
    return code;
}
