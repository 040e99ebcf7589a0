/* xylem redact: removes an entry's text, or all matching text, from the store. */
#include "cli/redact.h"

#include <string.h>

static const struct xylem_cli__option redact_table[] = {
    {"reason", 0, "TEXT", XYLEM_CLI__TEXT, offsetof(struct xylem_cli__redact_options, reason),
     "why; TEXT is kept in place of the payload", NULL},
    {"secrets", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__redact_options, patterns.secrets),
     "redact every entry with a secret of a known form (xylem help secrets)", NULL},
    {"pattern", 0, "TEXT", XYLEM_CLI__TEXT, offsetof(struct xylem_cli__redact_options, patterns.text),
     "redact every entry that matches this regular expression", NULL},
    {"pattern-file", 0, "FILE", XYLEM_CLI__TEXT, offsetof(struct xylem_cli__redact_options, patterns.file),
     "redact every entry that matches a regular expression in FILE", NULL},
    {"family", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__redact_options, family),
     "in all sessions that are related to SESSION", NULL},
    {"drop-hash", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__redact_options, drop_hash),
     "also drop the payload's hash, which could confirm a guess", NULL},
    {"only-this", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__redact_options, only_this),
     "leave copies and quarantined lines as they are", NULL},
    {"finish", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__redact_options, finish),
     "only erase bytes that earlier redactions left in the file", NULL},
    {"yes", 'y', NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__redact_options, yes), "do not ask", NULL},
    {"dry-run", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__redact_options, dry_run),
     "only say what would be redacted", NULL},
    XYLEM_CLI__JSON_ROW(struct xylem_cli__redact_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

#define REPEATED "summaries, labels, names and other entries that repeat the text"

/* The redaction of one entry. */
struct redacting {
    struct xylem_cli__redacting common;
    char *const *arguments;
    uint64_t session;
    struct xylem_position position;
    char session_id[XYLEM_SESSION_ID_BYTES_MAX];
    struct xylem_view session_id_view;
    char entry_id[XYLEM_ENTRY_ID_BYTES_MAX];
    struct xylem_view entry_id_view;
    bool toggles; /* the entry is a toggle of readonly: without its direction the toggle fails closed */
};

/* --- The report --------------------------------------------------------------------------------------------------- */

static void add_json(struct xylem_cli__text *text, const void *context)
{
    const struct redacting *redacting = context;
    const struct xylem_cli__redacting *common = &redacting->common;
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "session", redacting->session_id_view);
    xylem_cli__member_string(text, "entry", redacting->entry_id_view);
    xylem_cli__member_bool(text, "dry_run", common->given->dry_run);
    xylem_cli__member_bool(text, "was_redacted", common->report.was_redacted);
    xylem_cli__redact_add_json(text, common, REPEATED);
    xylem_cli__json_end(text, '}');
}

static void add_human(const struct xylem_cli *cli, struct xylem_cli__text *text, const void *context)
{
    const struct redacting *redacting = context;
    const struct xylem_cli__redacting *common = &redacting->common;
    xylem_cli__add(text, common->given->dry_run        ? "would redact entry "
                         : common->report.was_redacted ? "redacted before: entry "
                                                       : "redacted entry ");
    xylem_cli__add_shown(cli, text, redacting->entry_id_view, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, " of session ");
    xylem_cli__add_shown(cli, text, redacting->session_id_view, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, "\n");
    xylem_cli__add(text, redacting->toggles ? "state    readonly counts as on where the entry decides\n" : "");
    xylem_cli__redact_add(cli, text, common, REPEATED);
    xylem_cli__holders_add_human(cli, text, &common->holders);
}

/* --- Redacting ---------------------------------------------------------------------------------------------------- */

/* Finds the entry, and makes a dry run. */
static int look(struct xylem_cli *cli, void *context)
{
    struct redacting *redacting = context;
    struct xylem_cli__place place;
    struct xylem_entry entry;
    struct xylem_redact_options options = redacting->common.options;
    int code = xylem_cli__open_reading(cli);
    options.dry_run = true;
    xylem_redact_report_release(&redacting->common.report);
    if (code != 0 ||
        (code = xylem_cli__place_find(cli, &place, redacting->arguments[0], XYLEM_CLI__KEPT_ENTRY, xylem_cli__entry)) !=
            0 ||
        (code = xylem_cli__entry_read(cli, &entry, place.position)) != 0) {
        return code;
    }
    redacting->position = place.position;
    xylem_cli__holders_clear(&redacting->common.holders);
    if ((code = xylem_cli__holders_add(cli, &redacting->common.holders, place.session.number)) != 0) {
        return code;
    }
    redacting->common.takes = true;
    redacting->session = place.session.number;
    memcpy(redacting->session_id, place.session.id.data, place.session.id.bytes);
    redacting->session_id_view = (struct xylem_view){redacting->session_id, place.session.id.bytes};
    memcpy(redacting->entry_id, entry.id.data, entry.id.bytes);
    redacting->entry_id_view = (struct xylem_view){redacting->entry_id, entry.id.bytes};
    redacting->toggles =
        entry.kind.kind_class == XYLEM_CLASS_CUSTOM && xylem_base__view_is(entry.kind.name, "readonly");
    return xylem_redact(&redacting->common.report, cli->txn, place.session.number, redacting->position, &options,
                        &cli->err);
}

static void add_subject(const struct xylem_cli *cli, struct xylem_cli__text *text, const void *context)
{
    const struct redacting *redacting = context;
    xylem_cli__add(text, "entry ");
    xylem_cli__add_shown(cli, text, redacting->entry_id_view, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, redacting->toggles ? ", after which readonly counts as on where the entry decides," : "");
}

static const struct xylem_cli__redact_way one_entry = {look, add_subject, add_json, add_human};

/* `word` names a session or an entry; NULL: not given. */
static int check_usage(struct xylem_cli *cli, const struct xylem_cli__redact_options *given, const char *word)
{
    bool by_pattern = given->patterns.secrets || given->patterns.text || given->patterns.file;
    if (given->finish) {
        bool alone = !word && !given->reason && !given->drop_hash && !given->only_this && !given->dry_run &&
                     !by_pattern && !given->family;
        return alone ? 0 : xylem_cli__usage(cli, "--finish takes no SESSION:ENTRY, and no option but --json");
    }
    if (given->family && (!by_pattern || !word)) {
        return xylem_cli__usage(cli, "--family needs %s",
                                by_pattern ? "a session" : "--pattern, --pattern-file or --secrets");
    }
    if (!by_pattern && !word) {
        return xylem_cli__usage(cli, "an argument is missing: xylem redact SESSION:ENTRY --reason TEXT");
    }
    if (!given->reason || *given->reason == '\0') {
        return xylem_cli__usage(cli,
                                by_pattern || strchr(word, ':')
                                    ? "a redaction needs a reason: give --reason"
                                    : "a redaction needs an entry and a reason: SESSION:ENTRY --reason TEXT, or all "
                                      "text that matches: --pattern TEXT --reason TEXT");
    }
    return 0;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__redact_options *given = options;
    struct redacting redacting = {.common = {.given = given}, .arguments = arguments};
    struct xylem_cli__redacting *common = &redacting.common;
    int code;
    if ((code = check_usage(cli, given, arguments[0])) != 0 ||
        (code = xylem_cli__patterns_given(cli, &common->patterns, NULL, "pattern", &given->patterns)) != 0) {
        xylem_patterns_free(common->patterns);
        return code;
    }
    common->options = (struct xylem_redact_options){
        .reason = xylem_view_of(given->reason), .drop_hash = given->drop_hash, .only_this = given->only_this};
    if (given->finish) {
        struct xylem_cli__text text = {0};
        if ((code = xylem_cli__redact_write(cli, NULL)) == 0 && (code = xylem_cli__redact_finish(cli, common)) == 0) {
            if (given->json) {
                xylem_cli__json_document(&text);
                xylem_cli__redact_add_file_json(&text, common);
                xylem_cli__json_end(&text, '}');
            } else {
                xylem_cli__redact_add_file(&text, common);
            }
            code = xylem_cli__put_output(cli, &text, given->json);
        }
    } else if (common->patterns) {
        code = xylem_cli__redact_matches(cli, common, arguments[0]);
    } else {
        code = xylem_cli__redact(cli, common, &one_entry, &redacting);
    }
    xylem_redact_report_release(&common->report);
    xylem_cli__holders_clear(&common->holders);
    xylem_patterns_free(common->patterns);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_redact = {
    .name = "redact",
    .group = XYLEM_CLI__CHANGE,
    .often = true,
    .summary = "Remove an entry's text, or all text that matches, from the store",
    .usage = "SESSION:ENTRY --reason TEXT [--drop-hash] [--only-this] [--dry-run] [--yes] [--json], or [SESSION] "
             "--secrets|--pattern TEXT|--pattern-file FILE [--family] --reason TEXT and the same options, or --finish "
             "[--json]",
    .details =
        "The entry stays in every session, with the reason in place of the payload. Copies, quarantined lines and\n"
        "the bytes in the file go too. Asks first on a terminal; elsewhere --yes is needed. While another process\n"
        "has the store open, the bytes stay in the file until `xylem redact --finish`; the exit code is then 4.\n"
        "\n"
        "With a pattern, every entry and quarantined line of SESSION, or of the store, that matches is redacted;\n"
        "with --secrets all that `xylem secrets` lists. --secrets and patterns can be combined. A\n"
        "match in an id, a kind or a directory stays: the place is listed, and the exit code is 1. The matching\n"
        "text is never printed. Other users can see TEXT (ps), and shells remember TEXT: FILE is safer.\n"
        "\n"
        "Files and repositories that entries name are listed too. With a pattern, files that match are removed after\n"
        "a question of their own, which --yes does not answer.\n",
    .options = redact_table,
    .options_bytes = sizeof(struct xylem_cli__redact_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
