/* xylem export: writes a session as a session file. */
#include "cli/exporting.h"
#include "cli/export_site.h"

#include <string.h>

struct export_options {
    bool all;
    bool quarantine;
    bool html;
    bool family;
    bool markdown;
    bool no_redact;
    struct xylem_cli__count count;
    const char *output;
    struct xylem_cli__patterns patterns;
};

static const struct xylem_cli__option export_table[] = {
    {"all", 'a', NULL, XYLEM_CLI__FLAG, offsetof(struct export_options, all),
     "write every session of the store, deleted ones too, and what a session file cannot hold", NULL},
    {"quarantine", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct export_options, quarantine),
     "also write quarantined lines, each at its old place", NULL},
    {"html", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct export_options, html),
     "write a page to look at, without secrets: one file that needs no other", NULL},
    {"family", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct export_options, family),
     "with --html: also the sessions that are related to SESSION", NULL},
    {"markdown", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct export_options, markdown),
     "write the path of PLACE as Markdown, for an issue or a review; with two places from the first to the last", NULL},
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct export_options, count),
     "with --markdown: at most N entries, the newest", NULL},
    {"no-redact", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct export_options, no_redact),
     "with --html or --markdown: do not look for secrets, and say so", NULL},
    {"output", 'o', "FILE", XYLEM_CLI__TEXT, offsetof(struct export_options, output),
     "write to this file (mode 0600), whole or not at all", NULL},
    {"redact-secrets", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct export_options, patterns.secrets),
     "replace secrets by `[redacted: KIND]` (xylem help secrets)", NULL},
    {"redact-pattern", 0, "TEXT", XYLEM_CLI__TEXT, offsetof(struct export_options, patterns.text),
     "replace matches of the regular expression TEXT", NULL},
    {"redact-pattern-file", 0, "FILE", XYLEM_CLI__TEXT, offsetof(struct export_options, patterns.file),
     "replace matches of the regular expressions in FILE", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* Reports the counts on standard error, because standard output may be the export. */
static void note_redactions(struct xylem_cli *cli, const struct xylem_export_redactions *redactions)
{
    xylem_cli__note(cli, "%llu %s in %llu %s redacted", (unsigned long long)redactions->string_count,
                    redactions->string_count == 1 ? "string" : "strings", (unsigned long long)redactions->line_count,
                    redactions->line_count == 1 ? "line" : "lines");
    if (redactions->left_out_count > 0) {
        xylem_cli__note(cli, "%llu %s: not JSON, and a pattern matches", (unsigned long long)redactions->left_out_count,
                        redactions->left_out_count == 1 ? "line was left out" : "lines were left out");
    }
    if (redactions->kept_count > 0) {
        xylem_cli__note(cli, "%llu %s a line's type, id, parentId or timestamp: left, as every line needs these",
                        (unsigned long long)redactions->kept_count,
                        redactions->kept_count == 1 ? "match is in" : "matches are in");
    }
}

/* Opens the store, unless the directory is a word that a person may have meant for a session. */
static int open_for(struct xylem_cli *cli, const char *directory)
{
    struct xylem_session session;
    int code = xylem_cli__open_reading(cli);
    return code == 0 && xylem_cli__looks_like_id(directory) && xylem_cli__session(cli, &session, directory) == 0
               ? xylem_cli__usage(cli, "--all writes every session into a directory, and '%s' is a session", directory)
               : code;
}

static int run_all(struct xylem_cli *cli, const char *directory, const struct export_options *given)
{
    if (!directory || *directory == '\0' || given->quarantine || given->output || given->patterns.secrets ||
        given->patterns.text || given->patterns.file) {
        return xylem_cli__usage(cli, "--all takes a directory, and no other option: xylem export --all DIRECTORY");
    }
    int code = open_for(cli, directory);
    return code == 0 ? xylem_cli__export_all(cli, directory) : code;
}

/* What people hand on has no secrets, unless they ask for them. */
static int leave_out(struct xylem_cli *cli, const struct export_options *given)
{
    struct xylem_cli__patterns patterns = given->patterns;
    if (given->quarantine || (given->all && given->markdown)) {
        return xylem_cli__usage(cli, "--%s has no place for what --%s writes", given->html ? "html" : "markdown",
                                given->quarantine ? "quarantine" : "all");
    }
    if (given->no_redact && patterns.secrets) {
        return xylem_cli__usage(cli, "--no-redact and --redact-secrets cannot be combined");
    }
    patterns.secrets = !given->no_redact;
    return xylem_cli__leave_out_given(cli, &patterns);
}

/* A deleted session has a page, too, if its whole id is given. */
static int run_html(struct xylem_cli *cli, const char *word, const struct export_options *given)
{
    const char *output = given->output && strcmp(given->output, "-") != 0 ? given->output : NULL;
    struct xylem_cli__highlight highlight = {0};
    const struct xylem_cli__page_options page = {
        .highlight = &highlight, .family = given->family, .unredacted = given->no_redact};
    struct xylem_session session;
    if (!output && cli->out_terminal) {
        return xylem_cli__usage(cli, "a page is no text for a terminal: xylem export --html SESSION -o FILE");
    }
    int code = leave_out(cli, given);
    if (code == 0 && (code = xylem_cli__open_reading(cli)) == 0 &&
        (code = word ? xylem_cli__session_kept(cli, &session, word) : xylem_cli__session_default(cli, &session)) == 0) {
        xylem_cli__highlight_read(cli, &highlight);
        code = xylem_cli__page_to(cli, &session, &page, output);
    }
    xylem_cli__text_release(&highlight.script);
    return code;
}

/* A page for each session, and an index. */
static int run_site(struct xylem_cli *cli, const char *directory, const struct export_options *given)
{
    struct xylem_cli__highlight highlight = {0};
    const struct xylem_cli__page_options page = {
        .highlight = &highlight, .unredacted = given->no_redact, .index = "index.html"};
    if (given->output || given->family) {
        return xylem_cli__usage(cli, "--html --all writes pages into a directory: --%s has no place there",
                                given->family ? "family" : "output");
    }
    if (!directory || *directory == '\0') {
        return xylem_cli__usage(cli, "--html --all takes a directory: xylem export --html --all DIRECTORY");
    }
    int code = leave_out(cli, given);
    if (code == 0 && (code = open_for(cli, directory)) == 0) {
        xylem_cli__highlight_read(cli, &highlight);
        code = xylem_cli__export_site(cli, directory, &page);
    }
    xylem_cli__text_release(&highlight.script);
    return code;
}

static int run_markdown(struct xylem_cli *cli, char **arguments, const struct export_options *given)
{
    int code = leave_out(cli, given);
    return code == 0 ? xylem_cli__export_review(cli, arguments, given->count, given->no_redact, given->output) : code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct export_options *given = options;
    struct xylem_patterns *patterns = NULL;
    struct xylem_export_redactions redactions = {0};
    struct xylem_session session;
    int code;
    if ((given->family && !given->html) || (given->no_redact && !given->html && !given->markdown)) {
        return xylem_cli__usage(cli,
                                given->family ? "--family needs --html" : "--no-redact needs --html or --markdown");
    }
    if (!given->markdown && given->count.given) {
        return xylem_cli__usage(cli, "-n needs --markdown");
    }
    if (!given->markdown && arguments[0] && arguments[1]) {
        return xylem_cli__usage(cli, "unexpected argument '%s': %s", arguments[1], cli->command->surplus);
    }
    if (given->html || given->markdown) {
        return given->html && given->markdown ? xylem_cli__usage(cli, "--html and --markdown cannot be combined")
               : given->html && given->all    ? run_site(cli, arguments[0], given)
               : given->html                  ? run_html(cli, arguments[0], given)
                                              : run_markdown(cli, arguments, given);
    }
    if (given->all) {
        return run_all(cli, arguments[0], given);
    }
    if ((code = xylem_cli__patterns_given(cli, &patterns, NULL, "redact-pattern", &given->patterns)) < 0 ||
        (code = xylem_cli__open_reading(cli)) < 0 ||
        (code = (arguments[0] ? xylem_cli__session(cli, &session, arguments[0])
                              : xylem_cli__session_default(cli, &session))) < 0) {
        goto out;
    }
    const struct xylem_export_options wanted = {
        .with_quarantine = given->quarantine, .patterns = patterns, .redactions = &redactions};
    code = !given->output || strcmp(given->output, "-") == 0
               ? xylem_cli__export_to_output(cli, session.number, &wanted)
               : xylem_cli__export_to_file(cli, session.number, &wanted, given->output);
    if (code == XYLEM_E_LIMIT) { /* the session lacks the bytes of a line; the user's request is fine */
        xylem_cli__note(cli, "%s", cli->err.text);
        code = XYLEM_CLI__PROBLEM;
    } else if (code == 0 && patterns) {
        note_redactions(cli, &redactions);
    }
out:
    xylem_patterns_free(patterns);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_export = {
    .name = "export",
    .group = XYLEM_CLI__KEEP,
    .often = true,
    .summary = "Write a session as a session file of pi, or as a page",
    .usage =
        "[SESSION] [--quarantine] [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] [-o FILE], "
        "--html [SESSION] [--family] [--no-redact] [--redact-pattern TEXT|--redact-pattern-file FILE] [-o FILE], "
        "--html --all DIRECTORY [--no-redact] [--redact-pattern TEXT|--redact-pattern-file FILE], "
        "--markdown [PLACE [PLACE]] [-n N] [--no-redact] [--redact-pattern TEXT|--redact-pattern-file FILE] "
        "[-o FILE], or --all DIRECTORY",
    .details =
        "Writes imported entries first, in the order of their lines, byte for byte, then the other entries. Each\n"
        "line of a pattern file is a regular expression (PCRE2).\n"
        "\n"
        "--html writes a page for a browser: every entry of every branch once, the path of the leaf first. The page\n"
        "runs nothing of an entry and loads nothing. Secrets are left out unless --no-redact is given. With --all it\n"
        "writes a page for each session and an index; a later run writes what changed, and removes the pages of\n"
        "deleted sessions.\n"
        "\n"
        "--markdown writes a path for an issue or a review: what a tool said is folded, long texts are cut, and\n"
        "nothing of an entry breaks out of its place. `--markdown S:A S:B` begins with A and ends with B.\n"
        "\n"
        "--all writes into a new directory two files for each session: its session file, and all of its changes as\n"
        "lines of JSON. `xylem import DIRECTORY` takes them into another store, also of another format.\n",
    .options = export_table,
    .options_bytes = sizeof(struct export_options),
    .arguments_max = 2,
    .surplus =
        "one session at a time, -o FILE writes a file, --all DIRECTORY writes every session, --markdown takes two "
        "places",
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
