/* A hit of a search, with the entries around, for people and for programs. */
#include <string.h>

#include "cli/search.h"
#include "cli/show/entries.h"

#define INDENT "    "
#define INDENT_CELLS 4u
#define LINE_CELLS_MIN 20u
#define AROUND_CELLS 120u /* of an entry around, if the width of a line is not known */
#define SHARERS_NAMED 3u  /* sessions named beside a shared entry */

struct xylem_view xylem_cli__found_name(const struct xylem_cli__finding *finding)
{
    return finding->name.bytes > 0 ? (struct xylem_view){finding->name.data, finding->name.bytes}
                                   : (struct xylem_view){NULL, 0};
}

/* --- Entries around ----------------------------------------------------------------------------------------------- */

/* The entry `steps` behind a hit: on the path of the leaf, else on the branch of the hit. 1, or 0 if there is none. */
static int entry_behind(struct xylem_cli__finding *finding, struct xylem_entry *entry, struct xylem_position from,
                        uint64_t steps)
{
    struct xylem_cli *cli = finding->cli;
    struct xylem_position leaf = finding->session.leaf;
    struct xylem_position at = {from.branch, from.depth + steps};
    struct xylem_position on_path = {0, 0};
    int code = leaf.depth >= from.depth ? xylem_cli__ancestor_at(cli, &on_path, leaf, from.depth) : 0;
    if (code == 0 && xylem_cli__position_equal(on_path, from)) {
        if (leaf.depth < at.depth) {
            return 0;
        }
        code = xylem_cli__ancestor_at(cli, &at, leaf, from.depth + steps);
    }
    code = code < 0 ? code : xylem_entry_read(entry, cli->txn, at, &cli->err);
    return code == XYLEM_E_NOT_FOUND || code == XYLEM_E_FREED ? 0 : code < 0 ? code : 1;
}

/* `    8d16e680  assistant  echo: first question` */
static int add_around(struct xylem_cli__finding *finding, const struct xylem_entry *entry)
{
    struct xylem_cli *cli = finding->cli;
    struct xylem_cli__text *text = &finding->text;
    struct xylem_cli__said said;
    if (finding->documents.wanted) {
        xylem_cli__json_begin(text, '{');
        int described = xylem_cli__json_entry(cli, text, entry, XYLEM_MEMBERS_ENTRY | XYLEM_MEMBERS_PAYLOAD);
        xylem_cli__json_end(text, '}');
        return described;
    }
    int code = xylem_cli__said_read(cli, &said, entry);
    if (code == 0) {
        size_t start = text->bytes.bytes;
        xylem_cli__color_on(cli, text, XYLEM_CLI__DIM);
        xylem_cli__add(text, "  ");
        xylem_cli__add_shown(cli, text, entry->id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(text, "  ");
        xylem_cli__add_who(cli, text, &said);
        xylem_cli__add(text, "  ");
        size_t used = text->bytes.bytes - start;
        size_t width = cli->width == 0 ? AROUND_CELLS : cli->width;
        xylem_cli__add_said_line(cli, text, &said, width > used + LINE_CELLS_MIN ? width - used : LINE_CELLS_MIN);
        xylem_cli__color_off(cli, text, XYLEM_CLI__DIM);
        xylem_cli__end_line(text);
    }
    xylem_cli__said_release(&said);
    return code;
}

/* Damage beside a hit hides no other hit: the output goes back to `before`, a note says what is missing. */
static int pass_damage(struct xylem_cli__finding *finding, size_t before, int code)
{
    if (code != XYLEM_E_CORRUPT) {
        return code;
    }
    finding->text.bytes.bytes = before;
    finding->damaged = true;
    xylem_cli__note(finding->cli, "damaged: an entry beside a match: %s", finding->cli->err.text);
    return 0;
}

static int add_before(struct xylem_cli__finding *finding, const struct xylem_search_hit *hit)
{
    struct xylem_cli *cli = finding->cli;
    uint64_t wanted = finding->given->around.number;
    uint64_t count = hit->position.depth > wanted ? wanted : hit->position.depth > 0 ? hit->position.depth - 1 : 0;
    int code = 0;
    for (uint64_t back = count; code == 0 && back > 0; back--) {
        struct xylem_position at;
        struct xylem_entry entry;
        size_t before = finding->text.bytes.bytes;
        if ((code = xylem_cli__ancestor_at(cli, &at, hit->position, hit->position.depth - back)) == 0 &&
            (code = xylem_cli__entry_read(cli, &entry, at)) == 0) {
            code = add_around(finding, &entry);
        }
        code = pass_damage(finding, before, code);
    }
    return code;
}

static int add_behind(struct xylem_cli__finding *finding, const struct xylem_search_hit *hit)
{
    int code = 1;
    for (uint64_t steps = 1; code == 1 && hit->line == 0 && steps <= finding->given->around.number; steps++) {
        struct xylem_entry entry;
        size_t before = finding->text.bytes.bytes;
        code = entry_behind(finding, &entry, hit->position, steps);
        if (code == 1) {
            int added = add_around(finding, &entry);
            code = added < 0 ? added : 1;
        }
        code = pass_damage(finding, before, code); /* behind damage the path is not known */
    }
    return code < 0 ? code : 0;
}

/* --- Hits for people ---------------------------------------------------------------------------------------------- */

/* The cells of a line behind its indent. */
static size_t line_cells(const struct xylem_cli *cli)
{
    return cli->width == 0                              ? SIZE_MAX
           : cli->width > INDENT_CELLS + LINE_CELLS_MIN ? cli->width - INDENT_CELLS
                                                        : LINE_CELLS_MIN;
}

/* The end of a text that fills at most `cells`. */
static struct xylem_view last_cells(const struct xylem_cli *cli, struct xylem_view text, size_t cells)
{
    while (text.bytes > 0 && xylem_cli__cells(cli, text, cells + 1) > cells) {
        do {
            text.data++;
            text.bytes--;
        } while (text.bytes > 0 && xylem_base__utf8_continues(*text.data));
    }
    return text;
}

/* The text of a hit, with a space for each tab, carriage return and newline. */
static const char *spaced(struct xylem_cli__finding *finding, const struct xylem_search_hit *hit)
{
    struct xylem_cli__text *line = &finding->line;
    xylem_cli__text_clear(line);
    xylem_cli__add_bytes(line, hit->text.data, hit->text.bytes);
    for (size_t i = 0; i < line->bytes.bytes; i++) {
        char *byte = &line->bytes.data[i];
        *byte = *byte == '\t' || *byte == '\r' || *byte == '\n' ? ' ' : *byte;
    }
    finding->text.failed = finding->text.failed || line->failed;
    return line->failed ? hit->text.data : line->bytes.data;
}

/* The line of a hit, cut around the match if the terminal is narrow. */
static void add_line(struct xylem_cli__finding *finding, const struct xylem_search_hit *hit)
{
    const struct xylem_cli *cli = finding->cli;
    struct xylem_cli__text *text = &finding->text;
    struct xylem_view before = {spaced(finding, hit), hit->match_offset};
    struct xylem_view match = {before.data + hit->match_offset, hit->match_bytes};
    struct xylem_view after = {match.data + match.bytes, hit->text.bytes - hit->match_offset - hit->match_bytes};
    size_t cells = line_cells(cli);
    bool cut = hit->cut_before;
    while (before.bytes > 0 && *before.data == ' ') {
        before.data++;
        before.bytes--;
    }
    if (cells != SIZE_MAX) {
        size_t marked = xylem_cli__cells(cli, match, cells);
        size_t rest = xylem_cli__cells(cli, after, cells);
        size_t left = marked + rest >= cells ? (cells - marked) / 2 : cells - marked - rest;
        struct xylem_view end = last_cells(cli, before, left > 1 ? left - 1 : 0);
        cut = cut || end.bytes < before.bytes;
        before = end;
    }
    xylem_cli__add(text, INDENT);
    size_t used = cut ? 1 : 0;
    if (cut) {
        xylem_cli__add(text, xylem_cli__utf8(cli) ? "…" : "~");
    }
    used += xylem_cli__add_shown(cli, text, before, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__color_on(cli, text, XYLEM_CLI__RED);
    used += xylem_cli__add_shown(cli, text, match, XYLEM_CLI__EXACT, cells == SIZE_MAX ? SIZE_MAX : cells - used);
    xylem_cli__color_off(cli, text, XYLEM_CLI__RED);
    if (cells == SIZE_MAX || used < cells) {
        xylem_cli__add_shown(cli, text, after, XYLEM_CLI__EXACT, cells == SIZE_MAX ? SIZE_MAX : cells - used);
    }
    xylem_cli__end_line(text);
}

/* True if a shell reads the id as a word of its own. */
static bool is_plain(struct xylem_view id)
{
    static const char plain[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
    size_t i = 0;
    while (i < id.bytes && id.data[i] != '\0' && strchr(plain, id.data[i])) {
        i++;
    }
    return i == id.bytes && i > 0 && id.data[0] != '-';
}

/* `xylem show SESSION:ENTRY`, or `xylem quarantine SESSION --raw LINE`, ready to paste. */
static void add_command(struct xylem_cli__finding *finding, const struct xylem_search_hit *hit)
{
    const struct xylem_cli *cli = finding->cli;
    struct xylem_cli__text *text = &finding->text;
    struct xylem_view session = xylem_cli__short_id(&finding->short_ids, finding->session.id);
    bool entry = hit->line == 0;
    xylem_cli__add(text, "xylem ");
    if (cli->store_option) {
        xylem_cli__add(text, "-s ");
        xylem_cli__add_shell_path(cli, text, cli->store_option);
        xylem_cli__add(text, " ");
    }
    xylem_cli__add(text, entry ? "show " : "quarantine ");
    if (!is_plain(session) || (entry && !is_plain(hit->entry_id))) {
        struct xylem_cli__text word = {0};
        xylem_cli__add_bytes(&word, session.data, session.bytes);
        xylem_cli__add(&word, entry ? ":" : "");
        xylem_cli__add_bytes(&word, hit->entry_id.data, hit->entry_id.bytes);
        xylem_cli__add_shell_path(cli, text, word.failed ? "" : word.bytes.data);
        xylem_cli__text_release(&word);
    } else {
        xylem_cli__add_colored(cli, text, session, XYLEM_CLI__YELLOW);
        if (entry) {
            xylem_cli__add(text, ":");
            xylem_cli__add_colored(cli, text, hit->entry_id, XYLEM_CLI__YELLOW);
        }
    }
    if (!entry) {
        xylem_cli__addf(text, " --raw %llu", (unsigned long long)hit->line);
    }
}

/* `, also in 01a1f9f7-23f3 and 2 other sessions` */
static int add_sharers(struct xylem_cli__finding *finding, struct xylem_cli__text *text,
                       const struct xylem_search_hit *hit)
{
    struct xylem_cli *cli = finding->cli;
    size_t named = 0;
    for (size_t i = 0; i < hit->session_count && named < SHARERS_NAMED; i++) {
        struct xylem_session session;
        if (hit->sessions[i] == hit->session) {
            continue;
        }
        int code = xylem_session_read(&session, cli->txn, hit->sessions[i], &cli->err);
        if (code < 0) {
            return code;
        }
        if (session.name_space.bytes > 0) {
            continue;
        }
        xylem_cli__add(text, named++ == 0 ? ", also in " : ", ");
        xylem_cli__add_shown(cli, text, xylem_cli__short_id(&finding->short_ids, session.id), XYLEM_CLI__EXACT,
                             SIZE_MAX);
    }
    if (hit->session_count > named + 1) {
        xylem_cli__add(text, " and ");
        xylem_cli__add_counted(text, hit->session_count - named - 1, "other session", "other sessions");
    }
    return 0;
}

/*
 * Makes the line about a hit: time, role, number of matches, the sessions with the entry, the name of the session:
 * `2026-11-20 17:31 (2d ago)  assistant, 3 matches  NAME`.
 */
static int make_facts(struct xylem_cli__finding *finding, struct xylem_cli__text *text,
                      const struct xylem_search_hit *hit)
{
    const struct xylem_cli *cli = finding->cli;
    xylem_cli__text_clear(text);
    if (hit->line > 0) {
        xylem_cli__addf(text, "line %llu in quarantine", (unsigned long long)hit->line);
    } else {
        xylem_cli__add_minute(text, hit->time_ms);
        xylem_cli__add(text, " ");
        xylem_cli__add_ago(cli, text, hit->time_ms);
        xylem_cli__add(text, "  ");
        if (hit->role.bytes > 0) {
            xylem_cli__add_shown(cli, text, hit->role, XYLEM_CLI__ONE_LINE, SIZE_MAX);
        } else {
            xylem_cli__add_kind(cli, text, hit->kind);
        }
        if (hit->tool.bytes > 0) {
            xylem_cli__add(text, hit->part == XYLEM_SEARCH_CALL ? ", call of " : ", ");
            xylem_cli__add_shown(cli, text, hit->tool, XYLEM_CLI__ONE_LINE, SIZE_MAX);
        }
        xylem_cli__add(text, hit->failed ? ", error" : "");
    }
    if (hit->match_count > 1) {
        bool all = hit->match_count < XYLEM_SEARCH_COUNT_MAX;
        xylem_cli__addf(text, ", %llu%s matches", (unsigned long long)hit->match_count, all ? "" : " or more");
    }
    int code = add_sharers(finding, text, hit);
    if (finding->name.bytes > 0) {
        xylem_cli__add(text, "  ");
        xylem_cli__add_shown(cli, text, xylem_cli__found_name(finding), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    }
    return code;
}

/* Adds the command and the facts: on two lines if the terminal is narrow. */
static int add_head(struct xylem_cli__finding *finding, const struct xylem_search_hit *hit)
{
    const struct xylem_cli *cli = finding->cli;
    struct xylem_cli__text *text = &finding->text;
    struct xylem_cli__text *facts = &finding->line;
    size_t start = text->bytes.bytes;
    int code = make_facts(finding, facts, hit);
    if (code < 0) {
        return code;
    }
    add_command(finding, hit);
    /* Colours count as cells here: then the facts get a line of their own a little early. */
    size_t used = text->bytes.bytes - start + 2;
    size_t cells = xylem_cli__cells(cli, xylem_cli__text_view(facts), SIZE_MAX);
    bool fits = cli->width == 0 || used + cells <= cli->width;
    xylem_cli__add(text, fits ? "  " : "\n" INDENT);
    xylem_cli__color_on(cli, text, XYLEM_CLI__DIM);
    xylem_cli__add_shown(cli, text, xylem_cli__text_view(facts), XYLEM_CLI__EXACT, fits ? SIZE_MAX : line_cells(cli));
    xylem_cli__color_off(cli, text, XYLEM_CLI__DIM);
    xylem_cli__end_line(text);
    return 0;
}

/* --- Hits for programs -------------------------------------------------------------------------------------------- */

static int add_session_ids(struct xylem_cli__finding *finding, const struct xylem_search_hit *hit)
{
    struct xylem_cli *cli = finding->cli;
    xylem_cli__member_begin(&finding->text, "sessions", '[');
    for (size_t i = 0; i < hit->session_count; i++) {
        struct xylem_session session;
        int code = xylem_session_read(&session, cli->txn, hit->sessions[i], &cli->err);
        if (code < 0) {
            return code;
        }
        if (session.name_space.bytes == 0) { /* in a namespace the id alone means another session */
            xylem_cli__json_string(&finding->text, session.id);
        }
    }
    xylem_cli__json_end(&finding->text, ']');
    return 0;
}

static int add_context(struct xylem_cli__finding *finding, const struct xylem_search_hit *hit)
{
    int code = 0;
    xylem_cli__member_begin(&finding->text, "entries_before", '[');
    code = hit->line == 0 ? add_before(finding, hit) : 0;
    xylem_cli__json_end(&finding->text, ']');
    if (code == 0) {
        xylem_cli__member_begin(&finding->text, "entries_after", '[');
        code = add_behind(finding, hit);
        xylem_cli__json_end(&finding->text, ']');
    }
    return code;
}

static int add_document(struct xylem_cli__finding *finding, const struct xylem_search_hit *hit)
{
    struct xylem_cli__text *text = &finding->text;
    const char *match = hit->text.data + hit->match_offset;
    struct xylem_view none = {NULL, 0};
    bool is_entry = hit->line == 0;
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "session", finding->session.id);
    xylem_cli__member_maybe(text, "name", xylem_cli__found_name(finding));
    xylem_cli__member_maybe(text, "entry", is_entry ? hit->entry_id : none);
    if (is_entry) {
        xylem_cli__member_kind(text, "kind", hit->kind);
        xylem_cli__member_time(text, "time", hit->time_ms);
        xylem_cli__member_count(text, "depth", hit->position.depth);
    } else {
        xylem_cli__member_count(text, "line", hit->line);
    }
    xylem_cli__member_string(text, "part", xylem_view_of(xylem_search_part_word(hit->part)));
    xylem_cli__member_maybe(text, "role", hit->role.bytes > 0 ? hit->role : none);
    xylem_cli__member_maybe(text, "tool", hit->tool.bytes > 0 ? hit->tool : none);
    xylem_cli__member_bool(text, "failed", hit->failed);
    xylem_cli__member_count(text, "match_count", hit->match_count);
    xylem_cli__member_string(text, "before", (struct xylem_view){hit->text.data, hit->match_offset});
    xylem_cli__member_string(text, "match", (struct xylem_view){match, hit->match_bytes});
    xylem_cli__member_string(
        text, "after",
        (struct xylem_view){match + hit->match_bytes, hit->text.bytes - hit->match_offset - hit->match_bytes});
    xylem_cli__member_bool(text, "cut_before", hit->cut_before);
    xylem_cli__member_bool(text, "cut_after", hit->cut_after);
    int code = add_session_ids(finding, hit);
    if (code == 0 && finding->given->around.given) {
        code = add_context(finding, hit);
    }
    xylem_cli__json_end(text, '}');
    return code;
}

int xylem_cli__add_hit(struct xylem_cli__finding *finding, const struct xylem_search_hit *hit, bool first)
{
    bool around = finding->given->around.given && finding->given->around.number > 0;
    int code = 0;
    if (finding->documents.wanted) {
        return add_document(finding, hit);
    }
    xylem_cli__add(&finding->text, around && !first ? "\n" : "");
    if ((around && (code = add_before(finding, hit)) < 0) || (code = add_head(finding, hit)) < 0) {
        return code;
    }
    add_line(finding, hit);
    return around ? add_behind(finding, hit) : 0;
}
