/*
 * News of ships and pulls for people and programs: each at once, or put together, a line for each session. Each text says
 * what happened and what to do.
 */
#include "fleet/cli/cli.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#define TALES_LOOKED_AT 1000u

enum traits {
    PROGRESS = 1, /* counts changes */
    PROBLEM = 2,  /* something is not done, and the end of the command speaks of it */
    SAYS_ALL = 4  /* the text of the news repeats the words */
};

/* `%h`, `%f`, `%n`: the host, the fork, the number of changes. `archived`: where changes go to an archive; NULL: the same. */
static const struct {
    const char *words;
    unsigned traits;
    const char *archived;
} rows[FLEET_NEWS_TYPE_COUNT] = {
    [FLEET_NEWS_SHIPPED] = {"%n acknowledged", PROGRESS, "%n copied"},
    [FLEET_NEWS_PULLED] = {"%n came", PROGRESS, NULL},
    [FLEET_NEWS_REWRITTEN] =
        {"redacted text left the rows of the engine; `xylem fleet redact --finish` removes it from "
         "the files",
         0, "rewritten segments were replaced"},
    [FLEET_NEWS_FREED] = {"freed by its owner: only what forks need is kept", 0, NULL},
    [FLEET_NEWS_FENCED] =
        {"%h took the session over; `xylem fleet pull` brings what it adds, `xylem fleet resume` takes "
         "the session back",
         SAYS_ALL, NULL},
    [FLEET_NEWS_FORKED] = {"what only this store had is kept as the session %f", SAYS_ALL, NULL},
    [FLEET_NEWS_FOREIGN] =
        {"%h has another session of this id, so this one is not shipped; `xylem clone` makes one with "
         "an id of its own",
         PROBLEM, NULL},
    [FLEET_NEWS_HELD] = {"held back", 0, NULL},
    [FLEET_NEWS_IN_USE] = {"%h took the session over, and a program here still has it open: end that program (`xylem "
                           "stat --holders`); what it wrote is kept as a fork",
                           PROBLEM, NULL},
    [FLEET_NEWS_BEHIND] =
        {"the engine lacks changes or a claim that this store has: it was restored, or lost them in a "
         "failover; nothing is removed here, and their owner sends them again. If the owner is lost, `xylem clone` "
         "goes on here, under another id",
         PROBLEM, "not complete in the archive; the next `xylem fleet archive` goes on"},
    [FLEET_NEWS_MISSING] = {"the fleet has no such session, or keeps it from this user's group", PROBLEM, NULL},
    [FLEET_NEWS_DAMAGED] = {"what came is damaged or missing; `xylem fleet verify` looks at all", PROBLEM,
                            "not copied"},
    [FLEET_NEWS_OWNED] = {"this store owns the session, and has all of it", 0, NULL},
    [FLEET_NEWS_PAUSED] = {"the engine does not acknowledge, trying again", 0, NULL},
    [FLEET_NEWS_RESUMED] = {"the engine answers again", 0, NULL},
    [FLEET_NEWS_BEGUN_ANEW] = {"this store was restored or repaired, and ships as a new one", 0, NULL},
};

static void add_view(const struct fleet_cli *fleet, struct xylem_cli__text *text, struct xylem_view view)
{
    xylem_cli__add_shown(fleet->cli, text, view.data ? view : xylem_view_of("?"), XYLEM_CLI__EXACT, SIZE_MAX);
}

/* Adds the words without the session. */
static void add_words(const struct fleet_cli *fleet, struct xylem_cli__text *text, const struct fleet_news *news,
                      uint64_t changes)
{
    bool archives = fleet->archive && rows[news->type].archived;
    const char *words = archives ? rows[news->type].archived : rows[news->type].words;
    const char *mark;
    for (; (mark = strchr(words, '%')); words = mark + 2) {
        xylem_cli__add_bytes(text, words, (size_t)(mark - words));
        if (mark[1] == 'n') {
            xylem_cli__add_counted(text, changes, "change", "changes");
        } else {
            add_view(fleet, text, mark[1] == 'h' ? news->host : news->fork);
        }
    }
    xylem_cli__add(text, words);
    if (news->text && !(rows[news->type].traits & SAYS_ALL)) {
        xylem_cli__add(text, ": ");
        add_view(fleet, text, xylem_view_of(news->text));
    }
}

/* A line, or a document; with --follow a document of its own. */
static void render(const struct fleet_cli *fleet, struct xylem_cli__text *text, const struct fleet_news *news,
                   uint64_t changes)
{
    if (!fleet->given->form.json) {
        add_view(fleet, text, news->session.data ? news->session : xylem_view_of("fleet"));
        xylem_cli__add(text, ": ");
        add_words(fleet, text, news, changes);
        xylem_cli__add(text, "\n");
        return;
    }
    if (fleet->given->follow) {
        xylem_cli__json_document(text);
    } else {
        xylem_cli__json_begin(text, '{');
    }
    xylem_cli__member_string(text, "event", xylem_view_of(fleet_news_word(news->type)));
    xylem_cli__member_maybe(text, "session", news->session);
    xylem_cli__member_count(text, "changes", changes);
    xylem_cli__member_count(text, "from", news->from);
    xylem_cli__member_count(text, "to", news->to);
    xylem_cli__member_count(text, "epoch", news->epoch);
    xylem_cli__member_maybe(text, "host", news->host);
    xylem_cli__member_maybe(text, "fork", news->fork);
    xylem_cli__member_maybe(text, "text", xylem_view_of(news->text));
    xylem_cli__json_end(text, '}');
}

int fleet_cli_put_list(struct fleet_cli *fleet, const char *name)
{
    struct xylem_cli__text text = {0};
    xylem_cli__json_document(&text);
    xylem_cli__member_list(&text, name, &fleet->members);
    xylem_cli__json_end(&text, '}');
    return xylem_cli__put_output(fleet->cli, &text, true);
}

void fleet_cli_add_cell(const struct xylem_cli *cli, struct xylem_cli__table *table, struct xylem_view shown)
{
    xylem_cli__add_shown(cli, &table->cell, shown.data ? shown : xylem_view_of("-"), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__table_end_cell(table);
}

int fleet_cli_put_now(struct fleet_cli *fleet, struct xylem_cli__text *text, bool json)
{
    int code = xylem_cli__put_output(fleet->cli, text, json);
    return code < 0 ? code : xylem_cli__flush(fleet->cli);
}

/* --- Put together ------------------------------------------------------------------------------------------------- */

/*
 * The line of the session. Looks only at the newest lines, since a pull of a whole fleet has many thousands: a session may
 * then have two. NULL: no memory.
 */
static struct fleet_cli_tale *tale_of(struct fleet_cli *fleet, const struct fleet_news *news)
{
    struct fleet_cli_tale made = {.type = news->type};
    for (size_t i = fleet->tale_count; i > 0 && fleet->tale_count - i < TALES_LOOKED_AT; i--) {
        struct fleet_cli_tale *tale = &fleet->tales[i - 1];
        if (tale->type == news->type && xylem_base__view_equal(xylem_view_of(tale->id), news->session)) {
            return tale;
        }
    }
    memcpy(made.id, news->session.data, xylem_cli__least(news->session.bytes, sizeof made.id - 1));
    fleet->told_code =
        xylem_cli__list_add(fleet->cli, &fleet->tales, &fleet->tale_count, &fleet->tale_capacity, &made, sizeof made);
    return fleet->told_code < 0 ? NULL : &fleet->tales[fleet->tale_count - 1];
}

static void put_together(struct fleet_cli *fleet, const struct fleet_news *news, uint64_t changes)
{
    struct fleet_cli_tale *tale = tale_of(fleet, news);
    if (tale) {
        tale->change_count += changes;
        xylem_cli__text_clear(&tale->text);
        render(fleet, &tale->text, news, tale->change_count);
    }
}

/* News that are of no session, for a person who waits. That the engine answers again is seen. */
static void note(struct fleet_cli *fleet, const struct fleet_news *news)
{
    struct xylem_cli__text text = {0};
    if (news->type != FLEET_NEWS_RESUMED && (news->type != FLEET_NEWS_PAUSED || fleet->paused_ms == 0)) {
        fleet_cli_clear_progress(fleet);
        add_words(fleet, &text, news, 0);
        xylem_cli__note(fleet->cli, "%s", text.failed ? fleet_news_word(news->type) : text.bytes.data);
    }
    xylem_cli__text_release(&text);
}

void fleet_cli_tell(void *context, const struct fleet_news *news)
{
    struct fleet_cli *fleet = context;
    bool progress = rows[news->type].traits & PROGRESS;
    uint64_t changes = progress ? news->to - news->from : 0;
    if (fleet->told_code < 0) {
        return;
    }
    if (fleet->given->follow) {
        struct xylem_cli__text text = {0};
        render(fleet, &text, news, changes);
        fleet->told_code = fleet_cli_put_now(fleet, &text, fleet->given->form.json);
    } else if (news->session.data) {
        put_together(fleet, news, changes);
    } else {
        note(fleet, news);
    }
    fleet->problem_count += rows[news->type].traits & PROBLEM ? 1 : 0;
    fleet->change_count += changes;
    if (news->type == FLEET_NEWS_PAUSED && fleet->paused_ms == 0) {
        fleet->paused_ms = xylem_base__steady_ms();
    } else if (progress || news->type == FLEET_NEWS_RESUMED) {
        fleet->paused_ms = 0;
    }
}

/* --- The end ------------------------------------------------------------------------------------------------------ */

static void add_part(struct xylem_cli__text *text, const struct xylem_cli__text *part)
{
    xylem_cli__json_separate(text);
    xylem_cli__add_bytes(text, part->bytes.data, part->bytes.bytes);
    text->failed = text->failed || part->failed;
}

static int put_document(struct fleet_cli *fleet, const char *done, bool all)
{
    struct xylem_cli__text text = {0};
    xylem_cli__json_document(&text);
    xylem_cli__member_begin(&text, "news", '[');
    for (size_t i = 0; i < fleet->tale_count; i++) {
        add_part(&text, &fleet->tales[i].text);
    }
    xylem_cli__json_end(&text, ']');
    if (fleet->members.bytes.bytes > 0) {
        add_part(&text, &fleet->members);
    }
    xylem_cli__member_bool(&text, done, all);
    xylem_cli__json_end(&text, '}');
    return xylem_cli__put_output(fleet->cli, &text, true);
}

static int put_lines(struct fleet_cli *fleet, const char *nothing)
{
    struct xylem_cli__text text = {0};
    int code = 0;
    for (size_t i = 0; code == 0 && i < fleet->tale_count; i++) {
        code = xylem_cli__put(fleet->cli, &fleet->tales[i].text);
    }
    xylem_cli__addf(&text, fleet->tale_count == 0 && nothing ? "%s\n" : "", nothing);
    return code < 0 ? code : xylem_cli__put_output(fleet->cli, &text, false);
}

static bool is_all_done(const struct fleet_cli *fleet, int code)
{
    return code == 0 && fleet->problem_count == 0 && !fleet->gave_up;
}

int fleet_cli_told(struct fleet_cli *fleet, int code, const char *done, const char *nothing, const char *left)
{
    bool json = fleet->given->form.json;
    bool all = is_all_done(fleet, code);
    int told = fleet->told_code;
    if (told == 0 && !fleet->given->follow && (code == 0 || !json)) {
        told = json ? put_document(fleet, done, all) : put_lines(fleet, all ? nothing : NULL);
    }
    if (code < 0 || told < 0 || all) {
        return code < 0 ? code : told;
    }
    if (left) {
        xylem_cli__note(fleet->cli, "%s", left);
    }
    return XYLEM_CLI__PROBLEM;
}
