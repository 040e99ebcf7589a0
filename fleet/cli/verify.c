/* xylem fleet verify: looks at all sessions of the engine, and compares them with this store and an archive. */
#include "fleet/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "fleet/cli/cli.h"
#include "fleet/directory.h"

#define PROGRESS_MS 200

struct verify_options {
    const char *archive;
    bool json;
};

static const struct xylem_cli__option verify_table[] = {{"archive", 0, "DIR", XYLEM_CLI__TEXT,
                                                         offsetof(struct verify_options, archive),
                                                         "compare with this archive, too", NULL},
                                                        XYLEM_CLI__JSON_ROW(struct verify_options),
                                                        {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct verifying {
    struct fleet_cli fleet;
    struct fleet_engine *archive;
    bool json;
    bool has_store;
    int64_t shown_ms; /* when the progress was shown; 0: never */
    struct xylem_cli__text findings;
};

static const char *advice(enum fleet_finding_type type)
{
    switch (type) {
    case FLEET_FINDING_TEXT:
    case FLEET_FINDING_OUTDATED:
        return "`xylem fleet ship` on the owner's host brings the redaction, `xylem fleet archive` to the archive";
    case FLEET_FINDING_REMAINS:
        return "the next `xylem fleet ship` or `xylem fleet archive` frees it there";
    case FLEET_FINDING_MISSING:
    case FLEET_FINDING_AHEAD:
        return "the engine was restored, or lost it: `xylem fleet ship` on the owner's host sends it again";
    case FLEET_FINDING_HISTORY:
        return "the owner decides: `xylem fleet ship` here keeps the other history as a fork";
    default:
        return "restore the rows from a standby or a backup of the cluster; hosts that have the session have it whole";
    }
}

static void find(void *context, const struct fleet_finding *finding)
{
    struct verifying *verifying = context;
    const struct xylem_cli *cli = verifying->fleet.cli;
    struct xylem_cli__text *text = &verifying->findings;
    if (verifying->json) {
        xylem_cli__json_begin(text, '{');
        xylem_cli__member_string(text, "finding", xylem_view_of(fleet_finding_word(finding->type)));
        xylem_cli__member_string(text, "where", xylem_view_of(finding->where));
        xylem_cli__member_string(text, "session", finding->session);
        xylem_cli__member_count(text, "ordinal", finding->ordinal);
        xylem_cli__member_maybe(text, "entry", finding->entry);
        xylem_cli__member_maybe(text, "expected", xylem_view_of(finding->expected));
        xylem_cli__member_maybe(text, "found", xylem_view_of(finding->found));
        xylem_cli__json_end(text, '}');
        return;
    }
    xylem_cli__addf(text, "%s: session ", finding->where);
    xylem_cli__add_shown(cli, text, finding->session, XYLEM_CLI__EXACT, SIZE_MAX);
    if (finding->ordinal > 0) {
        xylem_cli__addf(text, ", change %" PRIu64, finding->ordinal);
    }
    if (finding->entry.data) {
        xylem_cli__add(text, ", entry ");
        xylem_cli__add_shown(cli, text, finding->entry, XYLEM_CLI__EXACT, SIZE_MAX);
    }
    xylem_cli__add(text, ": expected ");
    xylem_cli__add_shown(cli, text, xylem_view_of(finding->expected), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(text, ", found ");
    xylem_cli__add_shown(cli, text, xylem_view_of(finding->found), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__addf(text, "; %s\n", advice(finding->type));
}

static void show_progress(void *context, const struct fleet_verify_report *report)
{
    struct verifying *verifying = context;
    int64_t now_ms = xylem_base__steady_ms();
    if (isatty(STDERR_FILENO) == 1 && now_ms - verifying->shown_ms >= PROGRESS_MS) {
        verifying->shown_ms = now_ms;
        xylem_cli__clear_line();
        fprintf(stderr, "%" PRIu64 " sessions, %" PRIu64 " segments", report->sessions, report->segments);
        fflush(stderr);
    }
}

static int put(struct verifying *verifying, const struct fleet_verify_report *report)
{
    struct xylem_cli__text text = {0};
    if (verifying->json) {
        xylem_cli__json_document(&text);
        xylem_cli__member_count(&text, "sessions", report->sessions);
        xylem_cli__member_count(&text, "segments", report->segments);
        xylem_cli__member_count(&text, "changes", report->changes);
        xylem_cli__member_count(&text, "bytes", report->bytes);
        xylem_cli__member_count(&text, "compared", report->compared);
        xylem_cli__member_count(&text, "archived", report->archived);
        xylem_cli__member_count(&text, "behind", report->behind);
        xylem_cli__member_count(&text, "redacted", report->redacted);
        xylem_cli__member_list(&text, "findings", &verifying->findings);
        xylem_cli__json_end(&text, '}');
        return xylem_cli__put_output(verifying->fleet.cli, &text, true);
    }
    struct xylem_view findings = xylem_cli__text_view(&verifying->findings);
    xylem_cli__add_bytes(&text, findings.data, findings.bytes);
    xylem_cli__add_counted(&text, report->sessions, "session", "sessions");
    xylem_cli__add_next_counted(&text, report->changes, "change", "changes");
    xylem_cli__add_next_counted(&text, report->segments, "segment", "segments");
    xylem_cli__add(&text, " (");
    xylem_cli__add_size(&text, report->bytes);
    xylem_cli__add(&text, "): ");
    xylem_cli__add_counted(&text, report->findings, "finding", "findings");
    if (verifying->has_store) {
        xylem_cli__add_next_counted(&text, report->compared, "compared with this store", "compared with this store");
    }
    if (verifying->archive) {
        xylem_cli__add_next_counted(&text, report->archived, "whole in the archive", "whole in the archive");
        if (report->behind > 0) {
            xylem_cli__add_next_counted(&text, report->behind, "waits for the next run", "wait for the next run");
        }
    }
    xylem_cli__add(&text, "\n");
    if (report->redacted > 0) {
        xylem_cli__add_counted(&text, report->redacted, "redacted entry was", "redacted entries were");
        xylem_cli__add(&text,
                       " looked for in rows. Not looked at, and may hold the text: files before `xylem fleet redact "
                       "--finish`, WAL and its archive until they are recycled, base backups, versions of a "
                       "bucket\n");
    }
    return xylem_cli__put_output(verifying->fleet.cli, &text, false);
}

/* The store is opened for reading, and fleet_verify() begins transactions of its own. */
static int open_store(struct verifying *verifying)
{
    struct xylem_cli *cli = verifying->fleet.cli;
    int code = fleet_cli_open_if_there(&verifying->fleet);
    verifying->has_store = cli->txn;
    xylem_abort(cli->txn);
    cli->txn = NULL;
    return code;
}

static int verify(struct verifying *verifying, char **words)
{
    struct xylem_cli *cli = verifying->fleet.cli;
    struct fleet_verify_report report = {0};
    struct fleet_verify_options options = {.engine = verifying->fleet.engine,
                                           .archive = verifying->archive,
                                           .store = verifying->has_store ? cli->store : NULL,
                                           .find = find,
                                           .progress = show_progress,
                                           .context = verifying};
    while (words[options.session_count]) {
        options.session_count++;
    }
    size_t count = options.session_count + 1;
    char(*ids)[XYLEM_SESSION_ID_BYTES_MAX + 1] = calloc(count, sizeof *ids);
    struct xylem_view *views = calloc(count, sizeof *views);
    int code = ids && views ? 0 : xylem_cli__fail_memory(cli);
    for (size_t i = 0; code == 0 && i < options.session_count; i++) {
        code = fleet_cli_find(&verifying->fleet, ids[i], words[i]);
        views[i] = xylem_view_of(ids[i]);
    }
    options.sessions = views;
    code = code == 0 ? fleet_verify(&report, &options, &cli->err) : code;
    if (verifying->shown_ms > 0) {
        xylem_cli__clear_line();
    }
    code = code == 0 ? put(verifying, &report) : code;
    free(views);
    free(ids);
    return code == 0 && report.findings > 0 ? XYLEM_CLI__PROBLEM : code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct verify_options *given = options;
    struct verifying verifying = {.json = given->json};
    int code = fleet_cli_engine(&verifying.fleet, cli, true);
    if (code == 0 && given->archive) {
        code = fleet_engine_directory(&verifying.archive, given->archive, false, &cli->err);
    }
    code = code == 0 ? open_store(&verifying) : code;
    code = code == 0 ? verify(&verifying, arguments) : code;
    if (verifying.archive) {
        verifying.archive->free(verifying.archive);
    }
    xylem_cli__text_release(&verifying.findings);
    fleet_cli_end(&verifying.fleet);
    return code;
}

const struct xylem_cli__command fleet_cli_verify = {
    .name = "fleet verify",
    .summary = "Look at every segment of the fleet, and compare with this store and an archive",
    .usage = "[ID...] [--archive DIR] [--json]",
    .details =
        "Reads all segments: that they follow each other without a gap, and are what their rows say; that this store\n"
        "and the archive have the same history; and that no redacted text stands there. The exit code is 1 with a\n"
        "finding. What was not shipped or archived yet is no finding.\n",
    .options = verify_table,
    .options_bytes = sizeof(struct verify_options),
    .arguments_max = SIZE_MAX,
    .run = run,
};
