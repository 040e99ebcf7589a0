/* xylem fleet verify: looks at all sessions of the engine, and compares them with this store and an archive. */
#include "fleet/verify.h"

#include <inttypes.h>

#include "fleet/cli/cli.h"
#include "fleet/directory.h"

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
    struct fleet_cli *fleet = context;
    struct xylem_cli__text *text = &fleet->members;
    if (fleet->given->form.json) {
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
    const struct {
        const char *before;
        struct xylem_view shown;
    } parts[] = {{": session ", finding->session},
                 {", entry ", finding->entry},
                 {": expected ", xylem_view_of(finding->expected)},
                 {", found ", xylem_view_of(finding->found)}};
    xylem_cli__add(text, finding->where);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (i == 1 && finding->ordinal > 0) {
            xylem_cli__addf(text, ", change %" PRIu64, finding->ordinal);
        }
        if (parts[i].shown.data) {
            xylem_cli__add(text, parts[i].before);
            xylem_cli__add_shown(fleet->cli, text, parts[i].shown, XYLEM_CLI__ONE_LINE, SIZE_MAX);
        }
    }
    xylem_cli__addf(text, "; %s\n", advice(finding->type));
}

static void show_progress(void *context, const struct fleet_verify_report *report)
{
    fleet_cli_progress(context, report->sessions, "sessions");
}

static void add_document(struct xylem_cli__text *text, const struct fleet_verify_report *report,
                         const struct xylem_cli__text *findings)
{
    xylem_cli__json_document(text);
    xylem_cli__member_count(text, "sessions", report->sessions);
    xylem_cli__member_count(text, "segments", report->segments);
    xylem_cli__member_count(text, "changes", report->changes);
    xylem_cli__member_count(text, "bytes", report->bytes);
    xylem_cli__member_count(text, "compared", report->compared);
    xylem_cli__member_count(text, "archived", report->archived);
    xylem_cli__member_count(text, "behind", report->behind);
    xylem_cli__member_count(text, "redacted", report->redacted);
    xylem_cli__member_list(text, "findings", findings);
    xylem_cli__json_end(text, '}');
}

static void add_words(struct xylem_cli__text *text, const struct fleet_verify_report *report, bool has_store,
                      bool has_archive)
{
    xylem_cli__add_counted(text, report->sessions, "session", "sessions");
    xylem_cli__add_next_counted(text, report->changes, "change", "changes");
    xylem_cli__add_next_counted(text, report->segments, "segment", "segments");
    xylem_cli__add(text, " (");
    xylem_cli__add_size(text, report->bytes);
    xylem_cli__add(text, "): ");
    xylem_cli__add_counted(text, report->findings, "finding", "findings");
    if (has_store) {
        xylem_cli__add_next_counted(text, report->compared, "compared with this store", "compared with this store");
    }
    if (has_archive) {
        xylem_cli__add_next_counted(text, report->archived, "whole in the archive", "whole in the archive");
        xylem_cli__add_next_counted(text, report->behind, "waits for the next run", "wait for the next run");
    }
    xylem_cli__add(text, "\n");
    if (report->redacted > 0) {
        xylem_cli__add_counted(text, report->redacted, "redacted entry was", "redacted entries were");
        xylem_cli__add(text,
                       " looked for in rows. Not looked at, and may hold the text: files before `xylem fleet redact "
                       "--finish`, WAL and its archive until they are recycled, base backups, versions of a bucket\n");
    }
}

static int run_verify(struct fleet_cli *fleet, char **arguments)
{
    struct xylem_cli *cli = fleet->cli;
    const char *archive = fleet->given->archive;
    bool json = fleet->given->form.json;
    struct fleet_verify_report report = {0};
    struct xylem_cli__text text = {0};
    (void)arguments;
    int code = fleet_cli_nodes(fleet);
    bool alone = code == XYLEM_E_NOT_FOUND && archive && !fleet->config.url;
    code = alone ? 0 : code == 0 ? fleet_cli_connect(fleet, true) : code;
    code = code == 0 && archive ? fleet_engine_directory(&fleet->archive, archive, false, &cli->err) : code;
    code = code == 0 ? fleet_cli_open_if_there(fleet) : code;
    xylem_abort(cli->txn); /* fleet_verify() begins transactions of its own */
    cli->txn = NULL;
    const struct fleet_verify_options options = {.engine = fleet->waiting.engine,
                                                 .archive = fleet->archive,
                                                 .store = cli->store,
                                                 .find = find,
                                                 .progress = show_progress,
                                                 .context = fleet};
    code = code == 0 ? fleet_verify(&report, &options, &cli->err) : code;
    fleet_cli_clear_progress(fleet);
    if (code < 0) {
        return code;
    }
    if (json) {
        add_document(&text, &report, &fleet->members);
    } else {
        code = xylem_cli__put(cli, &fleet->members);
        add_words(&text, &report, cli->store, archive && !alone);
    }
    code = code == 0 ? xylem_cli__put_output(cli, &text, json) : code;
    xylem_cli__text_release(&text);
    return code == 0 && report.findings > 0 ? XYLEM_CLI__PROBLEM : code;
}

static const struct xylem_cli__option table[] = {
    FLEET_CLI_ROW("archive", 0, "DIR", TEXT, archive,
                  "compare with this archive, too; without a fleet look at this archive alone"),
    FLEET_CLI_JSON, FLEET_CLI_END};

FLEET_CLI_VERB(verify, table, .usage = "[--archive DIR] [--json]",
               .summary = "Look at every segment of the fleet, and compare with this store and an archive",
               .details =
                   "Reads all segments: that they follow each other without a gap, and are what their rows say; that "
                   "this store and the archive have the same history; and that no redacted text stands there. The exit "
                   "code is 1 with a finding. What was not shipped or archived yet is no finding.\n");
