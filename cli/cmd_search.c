/* xylem search: finds text in all sessions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/search.h"
#include "cli/store/listing.h"

#define PROGRESS_AFTER_CALLS 20 /* of xylem_search_options.progress: about a second */

static const struct xylem_cli__option search_table[] = {
    {"case-sensitive", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__search_options, exact),
     "the case of letters counts, also in a TEXT without capitals", NULL},
    {"regex", 'e', NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__search_options, regex),
     "TEXT is a regular expression (PCRE2), matched line by line", NULL},
    {"kind", 'k', "KIND", XYLEM_CLI__LIST, offsetof(struct xylem_cli__search_options, kinds),
     "only entries of this kind or role: user, toolResult, label, custom:todo (may be repeated)", NULL},
    {"tool", 't', "NAME", XYLEM_CLI__LIST, offsetof(struct xylem_cli__search_options, tools),
     "only calls and results of this tool (may be repeated)", NULL},
    {"errors", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__search_options, options.errors),
     "only results of tools that failed, and answers and commands that ended in an error", NULL},
    {"since", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct xylem_cli__search_options, since),
     "only entries since TIME: 2h, 3d, 2026-11-20", NULL},
    {"until", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct xylem_cli__search_options, until), "only entries up to TIME",
     NULL},
    {"dir", 'd', "DIR", XYLEM_CLI__TEXT, offsetof(struct xylem_cli__search_options, directory),
     "only sessions whose directory is DIR or below DIR", NULL},
    {"session", 0, "SESSION", XYLEM_CLI__LIST, offsetof(struct xylem_cli__search_options, sessions),
     "only this session, with the entries that it shares (may be repeated)", NULL},
    {"quarantine", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__search_options, options.quarantine),
     "also lines that imports could not place", NULL},
    {"runs", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__search_options, options.runs),
     "also the ledgers of runs", NULL},
    {"fast", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__search_options, options.fast),
     "verify only entries that may match: damage elsewhere stays unseen", NULL},
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct xylem_cli__search_options, number),
     "show at most N matches, the newest (default: 50), or N sessions", NULL},
    {"context", 'C', "N", XYLEM_CLI__COUNT, offsetof(struct xylem_cli__search_options, around),
     "also show N entries before and after, on the path", NULL},
    {"list", 'l', NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__search_options, list),
     "only print the ids of sessions with matches", NULL},
    {"count", 'c', NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__search_options, count),
     "only print the number of matches of each session", NULL},
    XYLEM_CLI__LEFT_OUT_ROWS(struct xylem_cli__search_options),
    XYLEM_CLI__FORM_ROWS(struct xylem_cli__search_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* --- Options ------------------------------------------------------------------------------------------------------ */

static size_t read_list(struct xylem_view *views, const struct xylem_cli__list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        views[i] = xylem_view_of(list->texts[i]);
    }
    return list->count;
}

/* Takes the directory as given, and with links resolved. */
static int read_directory(struct xylem_cli__finding *finding, const char *path)
{
    int code = path ? xylem_cli__resolve_path(finding->cli, finding->directories, path) : 0;
    for (size_t i = 0; i < 2 && finding->directories[i]; i++) {
        finding->cwds[finding->options.cwd_count++] = xylem_view_of(finding->directories[i]);
    }
    finding->options.cwds = finding->cwds;
    return code;
}

static bool has_filter(const struct xylem_cli__search_options *given)
{
    return given->kinds.count > 0 || given->tools.count > 0 || given->sessions.count > 0 || given->options.errors ||
           given->since || given->until || given->directory;
}

static int read_options(struct xylem_cli__finding *finding, char *const *words)
{
    struct xylem_cli *cli = finding->cli;
    const struct xylem_cli__search_options *given = finding->given;
    struct xylem_search_options *options = &finding->options;
    if (given->exact && given->regex) {
        return xylem_cli__usage(cli,
                                "--case-sensitive and --regex cannot be combined: (?i) in an expression ignores case");
    }
    if (given->list && given->count) {
        return xylem_cli__usage(cli, "-l and -c cannot be combined");
    }
    for (size_t i = 0; words[i]; i++) {
        if (*words[i] == '\0') {
            return xylem_cli__usage(cli, "a pattern is empty");
        }
    }
    if (!words[0] && !has_filter(given)) {
        return xylem_cli__usage(cli, "give a text to find, or a filter, such as --errors --since yesterday");
    }
    for (; *words; words++) { /* each word is a pattern; the library wants a NUL between two */
        xylem_cli__add_bytes(&finding->patterns, *words, strlen(*words) + 1);
    }
    options->pattern = xylem_cli__text_view(&finding->patterns);
    int code = finding->patterns.failed ? xylem_cli__fail_memory(cli) : 0;
    options->syntax = given->regex ? XYLEM_SEARCH_REGEX : given->exact ? XYLEM_SEARCH_EXACT : XYLEM_SEARCH_SMART;
    options->roles = finding->roles;
    options->role_count = read_list(finding->roles, &given->kinds); /* a word may be a kind or a role */
    options->tools = finding->tools;
    options->tool_count = read_list(finding->tools, &given->tools);
    options->kinds = finding->kinds.list;
    options->kind_count = given->kinds.count;
    options->hits_max = given->list || given->count ? 1 : given->number.given ? given->number.number : 0;
    if (given->number.given && given->number.number == 0) {
        return xylem_cli__usage(cli, "--number takes 1 or more; -c counts matches and shows none");
    }
    code = code < 0 ? code : xylem_cli__kinds_read(cli, &finding->kinds, &given->kinds);
    options->since_ms = given->since ? &finding->since_ms : NULL;
    options->until_ms = given->until ? &finding->until_ms : NULL;
    code = code < 0 ? code
                    : xylem_cli__when_between(cli, &finding->since_ms, &finding->until_ms, given->since, given->until);
    return code < 0 ? code : read_directory(finding, given->directory);
}

static int read_sessions(struct xylem_cli__finding *finding)
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

/* Shows the progress on a terminal, after a second. */
static int show_progress(void *context, const struct xylem_search_progress *so_far)
{
    struct xylem_cli__finding *finding = context;
    struct xylem_cli__text text = {0};
    if (!finding->terminal || ++finding->progress_count < PROGRESS_AFTER_CALLS) {
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

static void end_progress(struct xylem_cli__finding *finding)
{
    if (finding->terminal && finding->progress_count >= PROGRESS_AFTER_CALLS) {
        xylem_cli__clear_line();
    }
    finding->progress_count = 0;
}

static int name_damage(void *context, const struct xylem_problem *problem)
{
    struct xylem_cli__finding *finding = context;
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

static int search(struct xylem_cli__finding *finding)
{
    finding->terminal = isatty(STDERR_FILENO) == 1;
    finding->options.patterns = finding->cli->left_out ? finding->cli->left_out->patterns : NULL;
    finding->options.progress = show_progress;
    finding->options.damaged = name_damage;
    finding->options.context = finding;
    int code = xylem_search(&finding->report, finding->cli->txn, &finding->options, &finding->cli->err);
    end_progress(finding);
    return code;
}

/* --- Sessions ----------------------------------------------------------------------------------------------------- */

/* Reads a session and the name, unless already read. The hits of a damaged session have no name. */
static int look_at_session(struct xylem_cli__finding *finding, uint64_t number)
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

/* A session of -l or -c. */
static int put_session(struct xylem_cli__finding *finding, const struct xylem_search_session *found)
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
        xylem_cli__member_maybe(text, "name", xylem_cli__found_name(finding));
        xylem_cli__member_count(text, "match_count", found->match_count);
        xylem_cli__member_maybe_time(text, "newest", found->newest_ms != INT64_MIN, found->newest_ms);
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
        xylem_cli__add_shown(cli, text, xylem_cli__found_name(finding), XYLEM_CLI__ONE_LINE, SIZE_MAX);
        xylem_cli__end_line(text);
    }
    return xylem_cli__documents_put(cli, &finding->documents, text);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* `showing 50 of 1,234 matches in 12 sessions` */
static int put_summary(struct xylem_cli__finding *finding)
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
    if (finding->given->count && finding->shown_count < report->session_count) {
        xylem_cli__addf(text, ", %zu shown", finding->shown_count);
    }
    xylem_cli__add(text, "\n");
    return xylem_cli__put(finding->cli, text);
}

static int put(struct xylem_cli__finding *finding)
{
    struct xylem_cli *cli = finding->cli;
    const struct xylem_search_report *report = &finding->report;
    const struct xylem_cli__count *most = &finding->given->number;
    bool sessions_only = finding->given->list || finding->given->count;
    bool people = !finding->documents.wanted;
    size_t count = sessions_only ? report->session_count : report->hit_count;
    count = sessions_only && most->given && most->number < count ? (size_t)most->number : count;
    finding->shown_count = count;
    if (people && report->match_count > 0) {
        xylem_cli__pager_start(cli);
    }
    int code = people ? xylem_cli__short_ids_read(cli, &finding->short_ids) : 0;
    for (size_t i = 0; code == 0 && i < count; i++) {
        if (sessions_only) {
            code = put_session(finding, &report->sessions[i]);
        } else if ((code = look_at_session(finding, report->hits[i].session)) == 0 &&
                   (code = xylem_cli__add_hit(finding, &report->hits[i], i == 0)) == 0) {
            if (cli->left_out) {
                cli->left_out->count += report->hits[i].redacted;
            }
            code = xylem_cli__documents_put(cli, &finding->documents, &finding->text);
        }
    }
    if (code == 0 && people && !finding->given->list && report->match_count > 0) {
        code = put_summary(finding);
    }
    if (code == 0 && people && !sessions_only && report->hit_count > 0 &&
        (code = look_at_session(finding, report->hits[0].session)) == 0) {
        code = xylem_cli__note_way_back(cli, &finding->session); /* of the newest match */
    }
    return code != 0 ? code : xylem_cli__documents_end(cli, &finding->documents);
}

/* --- No match ------------------------------------------------------------------------------------------------------ */

/* Counts the matches of the words as regular expressions (`regex`), or in any case of letters; 0 if they are none. */
static uint64_t count_others(struct xylem_cli__finding *finding, char *const *words, bool regex)
{
    struct xylem_cli__text patterns = {0}; /* with a NUL byte behind each */
    struct xylem_search_report report;
    struct xylem_search_options options = finding->options;
    uint64_t count = 0;
    bool asks = !regex && !finding->report.ignored_case;
    for (; *words; words++) {
        asks = regex ? asks || strpbrk(*words, "\\*+?[|^") : asks && !strstr(*words, "\\E");
        xylem_cli__addf(&patterns, regex ? "%s" : "(?i)\\Q%s\\E", *words);
        xylem_cli__add_bytes(&patterns, "", 1);
    }
    options.pattern = xylem_cli__text_view(&patterns);
    options.syntax = XYLEM_SEARCH_REGEX;
    options.damaged = NULL;
    if (asks && !patterns.failed && xylem_search(&report, finding->cli->txn, &options, &finding->cli->err) == 0) {
        count = report.match_count;
        xylem_search_report_release(&report);
    }
    end_progress(finding);
    xylem_cli__text_release(&patterns);
    return count;
}

/* Adds `; in other case there are 3 matches: TEXT in small letters ignores case`, or the same of expressions. */
static void add_others(struct xylem_cli__finding *finding, struct xylem_cli__text *text, char *const *words)
{
    const struct xylem_cli__search_options *given = finding->given;
    uint64_t count = 0;
    if (!words[0] || given->regex) {
        return;
    }
    bool other_case = (count = count_others(finding, words, false)) > 0;
    count = other_case ? count : count_others(finding, words, true);
    if (count == 0) {
        return;
    }
    xylem_cli__addf(text, "; %s there %s ", other_case ? "in other case" : "as a regular expression",
                    count == 1 ? "is" : "are");
    xylem_cli__add_counted(text, count, "match", "matches");
    if (other_case) {
        xylem_cli__addf(text, ": TEXT in small letters%s ignores case",
                        given->exact ? ", without --case-sensitive," : "");
    } else {
        xylem_cli__add(text, given->exact ? ": give -e instead of --case-sensitive" : ": give -e");
    }
}

/* True if no entry of the store passes the filter: a role or a tool in wrong letters, mostly. */
static bool nothing_passes(struct xylem_cli__finding *finding, const struct xylem_search_options *options)
{
    struct xylem_search_report report;
    bool passes = xylem_search(&report, finding->cli->txn, options, &finding->cli->err) != 0 || report.match_count > 0;
    xylem_search_report_release(&report);
    return !passes;
}

/* Adds `; no entry is of the kind or role 'User'; did you mean 'user'?`, and the same of tools. */
static void add_all_unknown(struct xylem_cli__finding *finding, struct xylem_cli__text *text)
{
    const struct xylem_cli__search_options *given = finding->given;
    for (size_t i = 0; i < given->kinds.count; i++) {
        const struct xylem_search_options options = {.runs = true,
                                                     .kinds = &finding->options.kinds[i],
                                                     .kind_count = 1,
                                                     .roles = &finding->options.roles[i],
                                                     .role_count = 1};
        if (nothing_passes(finding, &options)) {
            xylem_cli__add(text, "; ");
            xylem_cli__kinds_add_missing(text, &finding->kinds, i, "");
        }
    }
    for (size_t i = 0; i < given->tools.count; i++) {
        const struct xylem_search_options options = {
            .runs = true, .tools = &finding->options.tools[i], .tool_count = 1};
        if (nothing_passes(finding, &options)) {
            xylem_cli__addf(text, "; no entry is of the tool '%s' (upper and lower case differ)",
                            given->tools.texts[i]);
        }
    }
}

/* Names the session or the entry of an id; else prints the number of searched entries, and what would match. */
static int tell_nothing(struct xylem_cli__finding *finding, char *const *words)
{
    struct xylem_cli *cli = finding->cli;
    struct xylem_cli__place place;
    struct xylem_cli__text text = {0};
    if (finding->documents.wanted) {
        return XYLEM_CLI__PROBLEM;
    }
    if (words[0] && !words[1] && xylem_cli__looks_like_id(words[0]) &&
        xylem_cli__place_find(cli, &place, words[0], XYLEM_CLI__LOOKED_AT, xylem_cli__entry_or_none) == 0) {
        /* a search looks into no ids */
        xylem_cli__addf(&text, "'%s' is the id of %s: ", words[0], place.is_entry ? "an entry" : "a session");
        xylem_cli__add_named(cli, &text, place.is_entry ? "show" : "log", words[0]);
        xylem_cli__note(cli, "%s", text.failed ? words[0] : text.bytes.data);
        xylem_cli__text_release(&text);
        return XYLEM_CLI__PROBLEM;
    }
    xylem_cli__add(&text, "no match in ");
    xylem_cli__add_counted(&text, finding->report.entry_count, "entry", "entries");
    add_others(finding, &text, words);
    add_all_unknown(finding, &text);
    xylem_cli__note(cli, "%s", text.failed ? "no match" : text.bytes.data);
    xylem_cli__text_release(&text);
    return XYLEM_CLI__PROBLEM;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__search_options *given = options;
    struct xylem_cli__finding finding = {.cli = cli, .given = given, .options = given->options};
    int code;
    if ((code = xylem_cli__documents_start(cli, &finding.documents, given->form,
                                           given->list || given->count ? "sessions" : "hits")) == 0 &&
        (code = read_options(&finding, arguments)) == 0 &&
        (code = xylem_cli__leave_out_given(cli, &given->patterns)) == 0 && (code = xylem_cli__open_reading(cli)) == 0 &&
        (code = read_sessions(&finding)) == 0 && (code = search(&finding)) == 0 && (code = put(&finding)) == 0) {
        code = finding.report.problem_count > 0 || finding.damaged ? XYLEM_CLI__CORRUPT
               : finding.report.match_count == 0                   ? tell_nothing(&finding, arguments)
                                                                   : XYLEM_CLI__OK;
    }
    xylem_cli__text_release(&finding.patterns);
    xylem_cli__kinds_release(&finding.kinds);
    free(finding.directories[0]);
    free(finding.directories[1]);
    xylem_buffer_release(&finding.name);
    xylem_cli__short_ids_release(&finding.short_ids);
    xylem_cli__text_release(&finding.text);
    xylem_cli__text_release(&finding.line);
    xylem_search_report_release(&finding.report);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_search = {
    .name = "search",
    .group = XYLEM_CLI__FIND,
    .often = true,
    .summary = "Find what was said, in all sessions",
    .usage = "[TEXT]... [--case-sensitive|-e] [--kind KIND]... [--tool NAME]... [--errors] [--since TIME] "
             "[--until TIME] [-d DIR] [--session SESSION]... [--quarantine] [--runs] [--fast] [-n N] [-C N] "
             "[-l|-c] [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] [--json|--jsonl]",
    .details =
        "Searches the text of messages, calls and results of tools, data of extensions, labels, names and summaries;\n"
        "not keys and images, and no deleted sessions. Of several TEXTs an entry has all; without TEXT the filters "
        "alone hold. Without a\n"
        "capital letter in TEXT, the case of letters is ignored. A match is an entry; an entry of several forks is "
        "found once. The newest match comes first.\n"
        "Exits with 1 if nothing matches. With damage the search goes on, and the exit code is 5.\n",
    .options = search_table,
    .options_bytes = sizeof(struct xylem_cli__search_options),
    .arguments_max = SIZE_MAX,
    .run = run,
};
