/* xylem export: writes a session as a session file. */
#include "cli/exporting.h"

#include <string.h>

struct export_options {
    bool all;
    bool quarantine;
    const char *output;
    struct xylem_cli__patterns patterns;
};

static const struct xylem_cli__option export_table[] = {
    {"all", 'a', NULL, XYLEM_CLI__FLAG, offsetof(struct export_options, all),
     "write every session of the store, deleted ones too, and what a session file cannot hold", NULL},
    {"quarantine", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct export_options, quarantine),
     "also write quarantined lines, each at its old place", NULL},
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

static int run_all(struct xylem_cli *cli, const char *directory, const struct export_options *given)
{
    if (!directory || *directory == '\0' || given->quarantine || given->output || given->patterns.secrets ||
        given->patterns.text || given->patterns.file) {
        return xylem_cli__usage(cli, "--all takes a directory, and no other option: xylem export --all DIRECTORY");
    }
    struct xylem_session session;
    int code = xylem_cli__open_reading(cli);
    if (code == 0 && xylem_cli__looks_like_id(directory) && xylem_cli__session(cli, &session, directory) == 0) {
        return xylem_cli__usage(cli, "--all writes every session into a directory, and '%s' is a session", directory);
    }
    return code == 0 ? xylem_cli__export_all(cli, directory) : code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct export_options *given = options;
    struct xylem_patterns *patterns = NULL;
    struct xylem_export_redactions redactions = {0};
    struct xylem_session session;
    int code;
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
    .summary = "Write a session as a session file of pi",
    .usage =
        "[SESSION] [--quarantine] [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] [-o FILE], "
        "or --all DIRECTORY",
    .details =
        "Writes imported entries first, in the order of their lines, byte for byte, then the other entries. Each\n"
        "line of a pattern file is a regular expression (PCRE2).\n"
        "\n"
        "--all writes into a new directory two files for each session: its session file, and all of its changes as\n"
        "lines of JSON. `xylem import DIRECTORY` takes them into another store, also of another format.\n",
    .options = export_table,
    .options_bytes = sizeof(struct export_options),
    .arguments_max = 1,
    .surplus = "one session at a time, -o FILE writes a file, --all DIRECTORY writes every session",
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
