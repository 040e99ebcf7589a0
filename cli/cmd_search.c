/* xylem search: finds what was said, in all sessions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/show/entries.h"
#include "cli/store/listing.h"

#define INDENT "    "
#define INDENT_CELLS 4u
#define LINE_CELLS_MIN 20u
#define AROUND_CELLS 120u /* of an entry around, if the width of a line is not known */
#define PROGRESS_AFTER_MS 1000
#define SHARERS_NAMED 3u /* sessions named beside a shared entry */

struct search_options {
    bool exact;
    bool regex;
    struct xylem_cli__list roles;
    struct xylem_cli__list kinds;
    struct xylem_cli__list tools;
    const char *since;
    const char *until;
    const char *cwd;
    struct xylem_cli__list sessions;
    bool errors;
    bool quarantine;
    bool runs;
    struct xylem_cli__count max;
    struct xylem_cli__count around;
    bool list;
    bool count;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option search_table[] = {
    {"exact", 's', NULL, XYLEM_CLI__FLAG, offsetof(struct search_options, exact),
     "the case of letters counts, also in a pattern without capitals", NULL},
    {"regex", 'e', NULL, XYLEM_CLI__FLAG, offsetof(struct search_options, regex),
     "PATTERN is a regular expression (PCRE2), matched line by line", NULL},
    {"role", 'r', "ROLE", XYLEM_CLI__LIST, offsetof(struct search_options, roles),
     "only messages of this role: user, assistant, toolResult (may be repeated)", NULL},
    {"kind", 'k', "KIND", XYLEM_CLI__LIST, offsetof(struct search_options, kinds),
     "only entries of this kind: message, label, compaction, custom:todo (may be repeated)", NULL},
    {"tool", 't', "NAME", XYLEM_CLI__LIST, offsetof(struct search_options, tools),
     "only calls and results of this tool (may be repeated)", NULL},
    {"errors", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct search_options, errors),
     "only results of tools that failed, and answers and commands that ended in an error", NULL},
    {"since", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct search_options, since),
     "only entries since TIME: 2h, 3d, 2026-11-20", NULL},
    {"until", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct search_options, until), "only entries up to TIME", NULL},
    {"cwd", 'd', "DIR", XYLEM_CLI__TEXT, offsetof(struct search_options, cwd),
     "only sessions whose directory is DIR or below DIR", NULL},
    {"session", 0, "SESSION", XYLEM_CLI__LIST, offsetof(struct search_options, sessions),
     "only this session, with the entries that it shares (may be repeated)", NULL},
    {"quarantine", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct search_options, quarantine),
     "also lines that imports could not place", NULL},
    {"runs", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct search_options, runs), "also the ledgers of runs", NULL},
    {"max", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct search_options, max),
     "show at most N matches, the newest (default: 50)", NULL},
    {"context", 'C', "N", XYLEM_CLI__COUNT, offsetof(struct search_options, around),
     "also show N entries before and after, on the path", NULL},
    {"list", 'l', NULL, XYLEM_CLI__FLAG, offsetof(struct search_options, list),
     "only print the ids of sessions with matches", NULL},
    {"count", 'c', NULL, XYLEM_CLI__FLAG, offsetof(struct search_options, count),
     "only print the number of matches of each session", NULL},
    XYLEM_CLI__FORM_ROWS(struct search_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* A search of the command. */
struct finding {
    struct xylem_cli *cli;
    const struct search_options *given;
    struct xylem_search_options options;
    struct xylem_search_report report;
    struct xylem_kind kinds[XYLEM_CLI__LIST_MAX];
    struct xylem_buffer kind_storage[XYLEM_CLI__LIST_MAX];
    struct xylem_view roles[XYLEM_CLI__LIST_MAX];
    struct xylem_view tools[XYLEM_CLI__LIST_MAX];
    uint64_t sessions[XYLEM_CLI__LIST_MAX];
    struct xylem_view cwds[2];
    char *directories[2]; /* of `cwds` */
    int64_t since_ms;
    int64_t until_ms;
    struct xylem_cli__documents documents;
    struct xylem_cli__short_ids short_ids; /* of sessions */
    struct xylem_cli__text text;
    struct xylem_cli__text line; /* of a hit */
    struct xylem_buffer name;    /* of the session of the last hit */
    struct xylem_session session;
    unsigned progress_count; /* calls: one in a tenth of a second */
    bool terminal;           /* standard error */
    bool damaged;            /* the name of a session cannot be read */
};

/* --- Options ------------------------------------------------------------------------------------------------------ */

static size_t read_list(struct xylem_view *views, const struct xylem_cli__list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        views[i] = xylem_view_of(list->texts[i]);
    }
    return list->count;
}

/* The directory as it is written, and with links resolved if it exists. */
static int read_cwd(struct finding *finding, const char *path)
{
    int code = path ? xylem_cli__resolve_path(finding->cli, finding->directories, path) : 0;
    for (size_t i = 0; i < 2 && finding->directories[i]; i++) {
        finding->cwds[finding->options.cwd_count++] = xylem_view_of(finding->directories[i]);
    }
    finding->options.cwds = finding->cwds;
    return code;
}

static int read_times(struct finding *finding, const struct search_options *given)
{
    int code;
    if ((code = xylem_cli__when(finding->cli, &finding->since_ms, given->since)) < 0 ||
        (code = xylem_cli__when(finding->cli, &finding->until_ms, given->until)) < 0) {
        return code;
    }
    finding->options.since_ms = given->since ? &finding->since_ms : NULL;
    finding->options.until_ms = given->until ? &finding->until_ms : NULL;
    return 0;
}

static int read_options(struct finding *finding, const char *pattern)
{
    struct xylem_cli *cli = finding->cli;
    const struct search_options *given = finding->given;
    struct xylem_search_options *options = &finding->options;
    if (given->exact && given->regex) {
        return xylem_cli__usage(cli, "-s and -e cannot be combined: (?i) in an expression ignores case");
    }
    if (given->list && given->count) {
        return xylem_cli__usage(cli, "-l and -c cannot be combined");
    }
    if (*pattern == '\0') {
        return xylem_cli__usage(cli, "the pattern is empty");
    }
    options->pattern = xylem_view_of(pattern);
    options->syntax = given->regex ? XYLEM_SEARCH_REGEX : given->exact ? XYLEM_SEARCH_EXACT : XYLEM_SEARCH_SMART;
    options->roles = finding->roles;
    options->role_count = read_list(finding->roles, &given->roles);
    options->tools = finding->tools;
    options->tool_count = read_list(finding->tools, &given->tools);
    options->kinds = finding->kinds;
    options->kind_count = given->kinds.count;
    options->errors = given->errors;
    options->quarantine = given->quarantine;
    options->runs = given->runs;
    options->hits_max = given->list || given->count ? 1 : given->max.given ? given->max.number : 0;
    if (given->max.given && given->max.number == 0) {
        return xylem_cli__usage(cli, "--max takes 1 or more; -c counts matches and shows none");
    }
    int code = 0;
    for (size_t i = 0; code == 0 && i < given->kinds.count; i++) {
        code = xylem_kind_parse(&finding->kinds[i], &finding->kind_storage[i], xylem_view_of(given->kinds.texts[i]),
                                &cli->err);
    }
    code = code < 0 ? code : read_times(finding, given);
    return code < 0 ? code : read_cwd(finding, given->cwd);
}

static int read_sessions(struct finding *finding)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < finding->given->sessions.count; i++) {
        struct xylem_session session;
        int ledger = 0;
        if ((code = xylem_cli__session(finding->cli, &session, finding->given->sessions.texts[i])) == 0 &&
            (ledger = xylem_cli__is_ledger(finding->cli, &session)) < 0) {
            code = ledger;
        }
        finding->sessions[i] = code == 0 ? session.number : 0;
        finding->options.runs = finding->options.runs || ledger == 1; /* named sessions alone are searched */
    }
    finding->options.sessions = finding->sessions;
    finding->options.session_count = finding->given->sessions.count;
    return code;
}

/* --- During the search -------------------------------------------------------------------------------------------- */

/* A line after a second, on a terminal. */
static int show_progress(void *context, const struct xylem_search_progress *so_far)
{
    struct finding *finding = context;
    struct xylem_cli__text text = {0};
    if (!finding->terminal || ++finding->progress_count < PROGRESS_AFTER_MS / 100) {
        return 0;
    }
    uint64_t total = so_far->entry_total > 0 ? so_far->entry_total : 1;
    xylem_cli__addf(&text, "searched %llu %% of ", (unsigned long long)(so_far->entry_count * 100 / total));
    xylem_cli__add_counted(&text, total, "entry", "entries");
    xylem_cli__add_next_counted(&text, so_far->match_count, "match", "matches");
    xylem_cli__clear_line();
    fwrite(text.bytes.data, 1, text.bytes.bytes, stderr);
    fflush(stderr);
    xylem_cli__text_release(&text);
    return 0;
}

static void end_progress(struct finding *finding)
{
    if (finding->terminal && finding->progress_count >= PROGRESS_AFTER_MS / 100) {
        xylem_cli__clear_line();
    }
    finding->progress_count = 0;
}

static int name_damage(void *context, const struct xylem_problem *problem)
{
    struct finding *finding = context;
    struct xylem_cli__text text = {0};
    end_progress(finding);
    xylem_cli__add_problem(finding->cli, &text, problem, 1);
    while (text.bytes.bytes > 0 && text.bytes.data[text.bytes.bytes - 1] == '\n') {
        text.bytes.data[--text.bytes.bytes] = '\0';
    }
    xylem_cli__note(finding->cli, "damaged: %s", text.bytes.data ? text.bytes.data : problem->text);
    xylem_cli__text_release(&text);
    return 0;
}

static int search(struct finding *finding)
{
    finding->terminal = isatty(STDERR_FILENO) == 1;
    finding->options.progress = show_progress;
    finding->options.damaged = name_damage;
    finding->options.context = finding;
    int code = xylem_search(&finding->report, finding->cli->txn, &finding->options, &finding->cli->err);
    end_progress(finding);
    return code;
}

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

/* Reads the session and its name, unless it is the last session. Without its name a damaged session still has hits. */
static int look_at_session(struct finding *finding, uint64_t number)
{
    struct xylem_outline outline;
    struct xylem_cli *cli = finding->cli;
    if (finding->session.number == number) {
        return 0;
    }
    xylem_buffer_release(&finding->name);
    int code = xylem_session_read(&finding->session, cli->txn, number, &cli->err);
    if (code < 0) {
        return code;
    }
    code = xylem_outline_read(&outline, &finding->name, cli->txn, &finding->session, &cli->err);
    if (code == XYLEM_E_CORRUPT) {
        xylem_buffer_release(&finding->name);
        finding->damaged = true;
        xylem_cli__note(cli, "damaged: the name of session %.*s: %s", (int)finding->session.id.bytes,
                        finding->session.id.data, cli->err.text);
        code = 0;
    }
    return code;
}

static struct xylem_view session_name(const struct finding *finding)
{
    return finding->name.bytes > 0 ? (struct xylem_view){finding->name.data, finding->name.bytes}
                                   : (struct xylem_view){NULL, 0};
}

/* A session of -l or -c. */
static int put_session(struct finding *finding, const struct xylem_search_session *found)
{
    struct xylem_cli *cli = finding->cli;
    struct xylem_cli__text *text = &finding->text;
    int code = look_at_session(finding, found->number);
    if (code < 0) {
        return code;
    }
    if (finding->documents.wanted) {
        xylem_cli__json_document(text);
        xylem_cli__member_string(text, "session", finding->session.id);
        xylem_cli__member_maybe(text, "name", session_name(finding));
        xylem_cli__member_count(text, "matches", found->match_count);
        if (found->newest_ms != INT64_MIN) {
            xylem_cli__member_time(text, "newest", found->newest_ms);
        } else {
            xylem_cli__member_maybe(text, "newest", xylem_view_of(NULL));
        }
        xylem_cli__json_end(text, '}');
    } else if (finding->given->list) {
        xylem_cli__add_colored(cli, text, finding->session.id, XYLEM_CLI__YELLOW);
        xylem_cli__add(text, "\n");
    } else {
        struct xylem_cli__text count = {0};
        xylem_cli__add_count(&count, found->match_count);
        xylem_cli__add_repeated(text, " ", count.bytes.bytes < 7 ? 7 - count.bytes.bytes : 0);
        xylem_cli__add_bytes(text, count.bytes.data, count.bytes.bytes);
        xylem_cli__text_release(&count);
        xylem_cli__add(text, "  ");
        xylem_cli__add_colored(cli, text, xylem_cli__short_id(&finding->short_ids, finding->session.id),
                               XYLEM_CLI__YELLOW);
        xylem_cli__add(text, "  ");
        xylem_cli__add_shown(cli, text, session_name(finding), XYLEM_CLI__ONE_LINE, SIZE_MAX);
        xylem_cli__end_line(text);
    }
    return xylem_cli__documents_put(cli, &finding->documents, text);
}

/* --- Entries around ----------------------------------------------------------------------------------------------- */

/* The entry `steps` behind a hit: on the path of the leaf, else on the branch of the hit. 1, or 0 if there is none. */
static int entry_behind(struct finding *finding, struct xylem_entry *entry, struct xylem_position from, uint64_t steps)
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
static int add_around(struct finding *finding, const struct xylem_entry *entry)
{
    struct xylem_cli *cli = finding->cli;
    struct xylem_cli__text *text = &finding->text;
    struct xylem_cli__said said;
    if (finding->documents.wanted) {
        xylem_cli__json_separate(text);
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
static int pass_damage(struct finding *finding, size_t before, int code)
{
    if (code != XYLEM_E_CORRUPT) {
        return code;
    }
    finding->text.bytes.bytes = before;
    finding->damaged = true;
    xylem_cli__note(finding->cli, "damaged: an entry beside a match: %s", finding->cli->err.text);
    return 0;
}

static int add_before(struct finding *finding, const struct xylem_search_hit *hit)
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

static int add_behind(struct finding *finding, const struct xylem_search_hit *hit)
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

/* The end of a text that fills at most `cells`. */
static struct xylem_view last_cells(const struct xylem_cli *cli, struct xylem_view text, size_t cells)
{
    while (text.bytes > 0 && xylem_cli__cells(cli, text, cells + 1) > cells) {
        do {
            text.data++;
            text.bytes--;
        } while (text.bytes > 0 && ((unsigned char)*text.data & 0xC0) == 0x80);
    }
    return text;
}

static void drop_blanks(struct xylem_view *text)
{
    while (text->bytes > 0 && *text->data == ' ') {
        text->data++;
        text->bytes--;
    }
}

/* The text of a hit, with a space for each tab, carriage return and newline. */
static const char *spaced(struct finding *finding, const struct xylem_search_hit *hit)
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
static void add_line(struct finding *finding, const struct xylem_search_hit *hit)
{
    const struct xylem_cli *cli = finding->cli;
    struct xylem_cli__text *text = &finding->text;
    struct xylem_view before = {spaced(finding, hit), hit->match_offset};
    struct xylem_view match = {before.data + hit->match_offset, hit->match_bytes};
    struct xylem_view after = {match.data + match.bytes, hit->text.bytes - hit->match_offset - hit->match_bytes};
    size_t cells = cli->width == 0                              ? SIZE_MAX
                   : cli->width > INDENT_CELLS + LINE_CELLS_MIN ? cli->width - INDENT_CELLS
                                                                : LINE_CELLS_MIN;
    bool cut = hit->cut_before;
    drop_blanks(&before);
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

/* Adds `SESSION:ENTRY`, or `SESSION` for a line in quarantine. */
static void add_place(struct finding *finding, const struct xylem_search_hit *hit)
{
    const struct xylem_cli *cli = finding->cli;
    struct xylem_cli__text *text = &finding->text;
    struct xylem_view session = xylem_cli__short_id(&finding->short_ids, finding->session.id);
    bool entry = hit->line == 0;
    if (!is_plain(session) || (entry && !is_plain(hit->entry_id))) {
        struct xylem_cli__text word = {0};
        xylem_cli__add_bytes(&word, session.data, session.bytes);
        xylem_cli__add(&word, entry ? ":" : "");
        xylem_cli__add_bytes(&word, hit->entry_id.data, hit->entry_id.bytes);
        xylem_cli__add_shell_path(cli, text, word.failed ? "" : word.bytes.data);
        xylem_cli__text_release(&word);
        return;
    }
    xylem_cli__add_colored(cli, text, session, XYLEM_CLI__YELLOW);
    if (entry) {
        xylem_cli__add(text, ":");
        xylem_cli__add_colored(cli, text, hit->entry_id, XYLEM_CLI__YELLOW);
    }
}

/* `xylem show SESSION:ENTRY`, ready to paste. */
static void add_command(struct finding *finding, const struct xylem_search_hit *hit)
{
    const struct xylem_cli *cli = finding->cli;
    struct xylem_cli__text *text = &finding->text;
    xylem_cli__add(text, "xylem ");
    if (cli->store_option) {
        xylem_cli__add(text, "-s ");
        xylem_cli__add_shell_path(cli, text, cli->store_option);
        xylem_cli__add(text, " ");
    }
    xylem_cli__add(text, hit->line > 0 ? "quarantine " : "show ");
    add_place(finding, hit);
    if (hit->line > 0) {
        xylem_cli__addf(text, " --raw %llu", (unsigned long long)hit->line);
    }
}

/* `, also in 01a1f9f7-23f3 and 2 other sessions` */
static int add_sharers(struct finding *finding, struct xylem_cli__text *text, const struct xylem_search_hit *hit)
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

/* `2026-11-20 17:31 (2d ago)  assistant` */
static void add_entry_facts(const struct xylem_cli *cli, struct xylem_cli__text *text,
                            const struct xylem_search_hit *hit)
{
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

/* Makes the line about a hit: time, role, number of matches, the sessions with the entry, the name of the session. */
static int make_facts(struct finding *finding, struct xylem_cli__text *text, const struct xylem_search_hit *hit)
{
    xylem_cli__text_clear(text);
    if (hit->line == 0) {
        add_entry_facts(finding->cli, text, hit);
    } else {
        xylem_cli__addf(text, "line %llu in quarantine", (unsigned long long)hit->line);
    }
    if (hit->match_count > 1) {
        bool all = hit->match_count < XYLEM_SEARCH_COUNT_MAX;
        xylem_cli__addf(text, ", %llu%s matches", (unsigned long long)hit->match_count, all ? "" : " or more");
    }
    int code = add_sharers(finding, text, hit);
    if (finding->name.bytes > 0) {
        xylem_cli__add(text, "  ");
        xylem_cli__add_shown(finding->cli, text, session_name(finding), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    }
    return code;
}

/* Adds the command and the facts: on two lines if the terminal is narrow. */
static int add_head(struct finding *finding, const struct xylem_search_hit *hit)
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
    xylem_cli__add_shown(cli, text, xylem_cli__text_view(facts), XYLEM_CLI__EXACT,
                         fits                                         ? SIZE_MAX
                         : cli->width > INDENT_CELLS + LINE_CELLS_MIN ? cli->width - INDENT_CELLS
                                                                      : LINE_CELLS_MIN);
    xylem_cli__color_off(cli, text, XYLEM_CLI__DIM);
    xylem_cli__end_line(text);
    return 0;
}

static int add_hit(struct finding *finding, const struct xylem_search_hit *hit, bool first)
{
    struct xylem_cli__text *text = &finding->text;
    int code;
    bool around = finding->given->around.given && finding->given->around.number > 0;
    xylem_cli__add(text, around && !first ? "\n" : "");
    if (around && (code = add_before(finding, hit)) < 0) {
        return code;
    }
    if ((code = add_head(finding, hit)) < 0) {
        return code;
    }
    add_line(finding, hit);
    return around ? add_behind(finding, hit) : 0;
}

/* --- Hits for programs -------------------------------------------------------------------------------------------- */

static int add_session_ids(struct finding *finding, const struct xylem_search_hit *hit)
{
    struct xylem_cli *cli = finding->cli;
    xylem_cli__member_begin(&finding->text, "sessions", '[');
    for (size_t i = 0; i < hit->session_count; i++) {
        struct xylem_session session;
        int code = xylem_session_read(&session, cli->txn, hit->sessions[i], &cli->err);
        if (code < 0) {
            return code;
        }
        xylem_cli__json_string(&finding->text, session.id);
    }
    xylem_cli__json_end(&finding->text, ']');
    return 0;
}

static int add_context(struct finding *finding, const struct xylem_search_hit *hit)
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

static int add_document(struct finding *finding, const struct xylem_search_hit *hit)
{
    struct xylem_cli__text *text = &finding->text;
    const char *match = hit->text.data + hit->match_offset;
    struct xylem_view none = {NULL, 0};
    bool is_entry = hit->line == 0;
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "session", finding->session.id);
    xylem_cli__member_maybe(text, "name", session_name(finding));
    xylem_cli__member_maybe(text, "entry", is_entry ? hit->entry_id : none);
    if (is_entry) {
        xylem_cli__json_key(text, "kind");
        xylem_cli__json_kind(text, hit->kind);
        xylem_cli__member_time(text, "time", hit->time_ms);
        xylem_cli__member_count(text, "depth", hit->position.depth);
    } else {
        xylem_cli__member_count(text, "line", hit->line);
    }
    xylem_cli__member_string(text, "part", xylem_view_of(xylem_search_part_word(hit->part)));
    xylem_cli__member_maybe(text, "role", hit->role.bytes > 0 ? hit->role : none);
    xylem_cli__member_maybe(text, "tool", hit->tool.bytes > 0 ? hit->tool : none);
    xylem_cli__member_bool(text, "failed", hit->failed);
    xylem_cli__member_count(text, "matches", hit->match_count);
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

/* ------------------------------------------------------------------------------------------------------------------ */

/* `showing 50 of 1,234 matches in 12 sessions` */
static int put_summary(struct finding *finding)
{
    const struct xylem_search_report *report = &finding->report;
    struct xylem_cli__text *text = &finding->text;
    if (!finding->given->count) {
        xylem_cli__add(text, "\n");
    }
    if (!finding->given->count && report->hit_count < report->match_count) {
        xylem_cli__add(text, "showing ");
        xylem_cli__add_count(text, report->hit_count);
        xylem_cli__add(text, " of ");
    }
    xylem_cli__add_counted(text, report->match_count, "match", "matches");
    xylem_cli__add(text, " in ");
    xylem_cli__add_counted(text, report->session_count, "session", "sessions");
    xylem_cli__add(text, "\n");
    return xylem_cli__put(finding->cli, text);
}

static int put_sessions(struct finding *finding)
{
    const struct xylem_search_report *report = &finding->report;
    int code = 0;
    for (size_t i = 0; code == 0 && i < report->session_count; i++) {
        code = put_session(finding, &report->sessions[i]);
    }
    if (code == 0 && finding->given->count && !finding->documents.wanted && report->session_count > 0) {
        code = put_summary(finding);
    }
    return code;
}

static int put_hits(struct finding *finding)
{
    const struct xylem_search_report *report = &finding->report;
    int code = 0;
    for (size_t i = 0; code == 0 && i < report->hit_count; i++) {
        const struct xylem_search_hit *hit = &report->hits[i];
        if ((code = look_at_session(finding, hit->session)) == 0) {
            code = finding->documents.wanted ? add_document(finding, hit) : add_hit(finding, hit, i == 0);
        }
        code = code != 0 ? code : xylem_cli__documents_put(finding->cli, &finding->documents, &finding->text);
    }
    if (code == 0 && !finding->documents.wanted && report->match_count > 0) {
        code = put_summary(finding);
    }
    return code;
}

static int put(struct finding *finding)
{
    struct xylem_cli *cli = finding->cli;
    bool sessions_only = finding->given->list || finding->given->count;
    if (!finding->documents.wanted && finding->report.match_count > 0) {
        xylem_cli__pager_start(cli);
    }
    int code = finding->documents.wanted ? 0 : xylem_cli__short_ids_read(cli, &finding->short_ids);
    code = code != 0 ? code : sessions_only ? put_sessions(finding) : put_hits(finding);
    return code != 0 ? code : xylem_cli__documents_end(cli, &finding->documents);
}

static void release(struct finding *finding)
{
    for (size_t i = 0; i < XYLEM_CLI__LIST_MAX; i++) {
        xylem_buffer_release(&finding->kind_storage[i]);
    }
    free(finding->directories[0]);
    free(finding->directories[1]);
    xylem_buffer_release(&finding->name);
    xylem_cli__short_ids_release(&finding->short_ids);
    xylem_cli__text_release(&finding->text);
    xylem_cli__text_release(&finding->line);
    xylem_search_report_release(&finding->report);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct finding finding = {.cli = cli, .given = options};
    const struct search_options *given = options;
    int code;
    if ((code = xylem_cli__documents_start(cli, &finding.documents, given->form,
                                           given->list || given->count ? "sessions" : "hits")) == 0 &&
        (code = read_options(&finding, arguments[0])) == 0 && (code = xylem_cli__open_reading(cli)) == 0 &&
        (code = read_sessions(&finding)) == 0 && (code = search(&finding)) == 0 && (code = put(&finding)) == 0) {
        code = finding.report.problem_count > 0 || finding.damaged ? XYLEM_CLI__CORRUPT
               : finding.report.match_count == 0                   ? XYLEM_CLI__PROBLEM
                                                                   : XYLEM_CLI__OK;
    }
    release(&finding);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_search = {
    .name = "search",
    .group = XYLEM_CLI__LOOK,
    .summary = "Find what was said, in all sessions",
    .usage = "PATTERN [-s|-e] [--role ROLE]... [--kind KIND]... [--tool NAME]... [--errors] [--since TIME] "
             "[--until TIME] [--cwd DIR] [--session SESSION]... [--quarantine] [--runs] [-n N] [-C N] [-l|-c] "
             "[--json|--jsonl]",
    .details =
        "Searches the text of messages, calls and results of tools, data of extensions, labels, names and summaries;\n"
        "not keys, ids and images. PATTERN is text. Without a capital letter in PATTERN, the case of letters is\n"
        "ignored. A match is an entry; an entry of several forks is found once. The newest match comes first.\n"
        "Exits with 1 if nothing matches. With damage the search goes on, and the exit code is 5.\n",
    .options = search_table,
    .options_bytes = sizeof(struct search_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};
