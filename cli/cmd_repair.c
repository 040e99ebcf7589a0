/* xylem repair: prints each loss when the loss is found, and the next commands. */
#include "cli/cli.h"
#include "xylem/branch.h"
#include "xylem/files.h"
#include "xylem/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct repair_options {
    struct xylem_cli__form form;
    bool older;
};

static const struct xylem_cli__option repair_table[] = {
    {"older", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct repair_options, older),
     "also take older copies of rows that may have been redacted or deleted since", NULL},
    XYLEM_CLI__FORM_ROWS(struct repair_options, "the same"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* The first session with a mark, and the number of sessions that have the mark. */
struct marked {
    uint64_t session_count;
    char session_id[XYLEM_SESSION_ID_BYTES_MAX + 1];
};

struct repairing {
    struct xylem_cli *cli;
    const char *to;
    bool json;
    int code; /* of a callback that stopped the repair */
    struct xylem_repair_report report;
    struct marked placeholders;
    struct marked quarantined;
    struct xylem_cli__text text; /* the document's list of problems */
    /* The problem that is not said yet. Neighbours with the same problem share its line. */
    struct xylem_problem run;
    char run_session[XYLEM_SESSION_ID_BYTES_MAX];
    char run_text[XYLEM_ERROR_TEXT_BYTES];
    uint64_t run_count;
};

/* --- What the repair finds ---------------------------------------------------------------------------------------- */

/* Prints a problem, or keeps the problem for the document. */
static int say(struct repairing *repairing, struct xylem_cli__text *text)
{
    int code = 0;
    if (repairing->json) {
        xylem_cli__json_separate(&repairing->text);
        xylem_cli__add_bytes(&repairing->text, text->bytes.data, text->bytes.bytes);
        code = text->failed || repairing->text.failed ? xylem_cli__fail_memory(repairing->cli) : 0;
    } else {
        code = xylem_cli__put(repairing->cli, text);
        code = code != 0 ? code : xylem_cli__flush(repairing->cli);
    }
    repairing->code = code;
    xylem_cli__text_release(text);
    return code;
}

/* Prints the problem held back for its neighbours. */
static int say_run(struct repairing *repairing)
{
    struct xylem_cli__text text = {0};
    if (repairing->run_count == 0) {
        return 0;
    }
    xylem_cli__add_problem(repairing->cli, &text, &repairing->run, repairing->run_count);
    repairing->run_count = 0;
    return say(repairing, &text);
}

/* True if the problem names an entry by position, or a row by page: such problems can share a line. */
static bool is_placed(const struct xylem_problem *problem)
{
    return !problem->entry_id.data && problem->session_id.bytes <= XYLEM_SESSION_ID_BYTES_MAX &&
           (problem->position.depth > 0 ? problem->session_id.data != NULL : problem->page > 0 && problem->table);
}

/* True if the problem is that of the run, and its place is the entry behind the run or a row of the same page. */
static bool goes_on(const struct repairing *repairing, const struct xylem_problem *problem)
{
    const struct xylem_problem *run = &repairing->run;
    bool beside =
        problem->position.depth == 0 && run->position.depth == 0 && !problem->session_id.data && !run->session_id.data;
    bool behind = run->position.depth > 0 && problem->position.branch == run->position.branch &&
                  problem->position.depth == run->position.depth + repairing->run_count;
    return repairing->run_count > 0 && is_placed(problem) && problem->page == run->page &&
           strcmp(problem->table, run->table) == 0 && (beside || behind) && strcmp(problem->text, run->text) == 0;
}

static int found(void *context, const struct xylem_problem *problem)
{
    struct repairing *repairing = context;
    struct xylem_cli__text text = {0};
    if (repairing->json) {
        xylem_cli__json_problem(&text, problem);
        return say(repairing, &text);
    }
    if (goes_on(repairing, problem)) {
        repairing->run_count++;
        return 0;
    }
    int code = say_run(repairing);
    if (code == 0 && is_placed(problem)) {
        repairing->run = *problem;
        if (problem->session_id.data) {
            memcpy(repairing->run_session, problem->session_id.data, problem->session_id.bytes);
            repairing->run.session_id.data = repairing->run_session;
        }
        snprintf(repairing->run_text, sizeof repairing->run_text, "%s", problem->text);
        repairing->run.text = repairing->run_text;
        repairing->run_count = 1;
        return 0;
    }
    if (code == 0) {
        xylem_cli__add_problem(repairing->cli, &text, problem, 1);
        code = say(repairing, &text);
    }
    return code;
}

static void mark(struct marked *marked, struct xylem_view session_id)
{
    if (marked->session_count++ == 0 && session_id.bytes < sizeof marked->session_id) {
        memcpy(marked->session_id, session_id.data, session_id.bytes);
        marked->session_id[session_id.bytes] = '\0';
    }
}

static int look_at_session(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct repairing *repairing = context;
    const struct xylem_kind lost = {XYLEM_CLASS_HOST, xylem_view_of("xylem_lost")};
    struct xylem_quarantine *quarantine = NULL;
    struct xylem_quarantined row;
    struct xylem_entry entry;
    bool kept = false;
    if (session->state != XYLEM_SESSION_LIVE) {
        return 0; /* the printed commands take live sessions only */
    }
    if (!xylem_cli__position_none(session->leaf) &&
        xylem_newest_of_kind(&entry, cli->txn, session->leaf, lost, NULL) == 1) {
        mark(&repairing->placeholders, session->id);
    }
    int code = xylem_quarantine_new(&quarantine, cli->txn, session->number, &cli->err);
    while (code == 0 && !kept && (code = xylem_quarantine_next(&row, quarantine, &cli->err)) == 1) {
        kept = row.reason == XYLEM_IMPORT_DAMAGED;
        code = 0;
    }
    xylem_quarantine_free(quarantine);
    if (kept) {
        mark(&repairing->quarantined, session->id);
    }
    return code;
}

static int repair(struct xylem_cli *cli, struct repairing *repairing, const struct repair_options *given)
{
    struct xylem_repair_report *report = &repairing->report;
    const struct xylem_repair_options options = {.older = given->older};
    struct xylem_cli__text hint = {0};
    int code = xylem_cli__locate(cli);
    if (code != 0) {
        return code;
    }
    /* For a fault in the repair. The new store has its name only after the last step. */
    xylem_cli__add(&hint, "no store was made at ");
    xylem_cli__add_shown(cli, &hint, xylem_view_of(repairing->to), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(&hint, " (remove the unfinished ");
    xylem_cli__add_shown(cli, &hint, xylem_view_of(repairing->to), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(&hint, ".partial-*), and the damaged store was not changed\n");
    xylem_cli__signals_hint(hint.bytes.data, hint.bytes.bytes);
    xylem_cli__text_release(&hint);
    code = xylem_repair(report, cli->store_path, repairing->to, &options, found, repairing, &cli->err);
    if (code != 0 || (code = say_run(repairing)) != 0) {
        return code == XYLEM_E_STOPPED && repairing->code != 0 ? repairing->code : code;
    }
    xylem_cli__prepare_crash(cli);
    if (repairing->json || (report->placeholder_count == 0 && report->quarantined_bytes == 0)) {
        return 0;
    }
    /* Marks sessions of the new store with losses. Opens as the repair that made the store: nobody else uses it yet. */
    const struct xylem_open_options reading = {.read_only = true, .allow_network_fs = true};
    code = xylem_open(&cli->store, repairing->to, &reading, &cli->err);
    if (code == 0 && (code = xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err)) == 0) {
        code = xylem_cli__each_session(cli, look_at_session, repairing);
    }
    return code;
}

static void add_document(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct repairing *repairing)
{
    const struct xylem_repair_report *report = &repairing->report;
    static const char *const names[] = {"session_count",   "branch_count",      "entry_count",     "lost_entries",
                                        "damaged_entries", "placeholders",      "changed_entries", "lost_rows",
                                        "bad_pages",       "quarantined_bytes", "older",           "withheld"};
    const uint64_t counts[] = {report->session_count,       report->branch_count,        report->entry_count,
                               report->lost_entry_count,    report->damaged_entry_count, report->placeholder_count,
                               report->changed_entry_count, report->lost_row_count,      report->bad_page_count,
                               report->quarantined_bytes,   report->older_count,         report->withheld_count};
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "damaged_store", xylem_view_of(cli->store_path));
    xylem_cli__member_string(text, "new_store", xylem_view_of(repairing->to));
    xylem_cli__member_bool(text, "complete", report->complete);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        xylem_cli__member_count(text, names[i], counts[i]);
    }
    xylem_cli__member_list(text, "problems", &repairing->text);
    xylem_cli__json_end(text, '}');
}

/* Adds a line to the summary, unless the count is 0. */
static void add_fact(struct xylem_cli__text *text, uint64_t count, const char *one, const char *many, const char *rest)
{
    if (count > 0) {
        xylem_cli__add(text, "  ");
        xylem_cli__add_counted(text, count, one, many);
        xylem_cli__addf(text, "%s\n", rest);
    }
}

static void add_summary(const struct xylem_cli *cli, struct xylem_cli__text *text,
                        const struct xylem_repair_report *report)
{
    bool lost = report->lost_entry_count > 0 || report->damaged_entry_count > 0 || report->placeholder_count > 0 ||
                report->changed_entry_count > 0 || report->lost_row_count > 0 || report->withheld_count > 0;
    const char *color = report->complete ? XYLEM_CLI__GREEN : lost ? XYLEM_CLI__RED : XYLEM_CLI__YELLOW;
    xylem_cli__add_colored(cli, text,
                           xylem_view_of(report->complete ? "everything was saved"
                                         : lost           ? "not everything was saved"
                                                          : "all known data was saved"),
                           color);
    xylem_cli__add(text, ": the new store has ");
    xylem_cli__add_counted(text, report->session_count, "session", "sessions");
    xylem_cli__add_next_counted(text, report->branch_count, "branch", "branches");
    xylem_cli__add_next_counted(text, report->entry_count, "entry", "entries");
    xylem_cli__add(text, ", and verifies\n");
    add_fact(text, report->lost_entry_count, "entry is lost", "entries are lost", "");
    add_fact(text, report->placeholder_count, "entry of the kind xylem_lost marks",
             "entries of the kind xylem_lost mark", " the places of lost entries");
    add_fact(text, report->damaged_entry_count, "entry lost its payload, its line or its kind",
             "entries lost their payload, their line or their kind", "; the rest is kept");
    add_fact(text, report->changed_entry_count, "entry has", "entries have", " a new check: part of the path is lost");
    add_fact(text, report->lost_row_count, "row of another table is lost", "rows of other tables are lost", "");
    add_fact(text, report->quarantined_bytes, "byte of lost data is", "bytes of lost data are",
             " in quarantine, with the reason `damaged`");
    add_fact(text, report->older_count, "row was", "rows were", " saved from an older copy, and may be out of date");
    add_fact(text, report->withheld_count, "row may have been", "rows may have been",
             " redacted or deleted since: saved without the text, or as a deleted session");
}

/* `  xylem -s NEW verify` */
static void add_command(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct repairing *repairing,
                        const char *command)
{
    xylem_cli__add_store_command(cli, text, repairing->to, command);
    xylem_cli__add(text, "\n");
}

/* Adds a command about the first marked session, below a title that also says how many sessions are marked. */
static void add_session_command(const struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct repairing *repairing, const char *what, const struct marked *marked,
                                const char *command, const char *options)
{
    if (marked->session_count == 0) {
        return;
    }
    xylem_cli__add(text, what);
    if (marked->session_count > 1) {
        xylem_cli__add(text, ", in the first of ");
        xylem_cli__add_counted(text, marked->session_count, "session", "sessions");
    }
    xylem_cli__add(text, ":\n");
    xylem_cli__add_store_command(cli, text, repairing->to, command);
    xylem_cli__add_shell_path(cli, text, marked->session_id);
    xylem_cli__addf(text, "%s\n", options);
}

static int add_next(struct xylem_cli *cli, struct xylem_cli__text *text, const struct repairing *repairing)
{
    const bool withheld = repairing->report.withheld_count > 0;
    char *aside = NULL;
    char *other = NULL;
    int code;
    if ((code = xylem_cli__neighbour(cli, &aside, cli->store_path, "-damaged")) < 0 ||
        (withheld && (code = xylem_cli__neighbour(cli, &other, repairing->to, "-older")) < 0)) {
        goto out;
    }
    xylem_cli__add(text, "\nThe damaged store was not changed. To look at the new store:\n");
    add_command(cli, text, repairing, "verify");
    add_command(cli, text, repairing, withheld ? "sessions --all" : "sessions");
    add_session_command(cli, text, repairing, "To see the places of lost entries", &repairing->placeholders, "log ",
                        " --kind xylem_lost");
    add_session_command(cli, text, repairing, "To see the bytes in quarantine", &repairing->quarantined, "quarantine ",
                        "");
    if (withheld) {
        xylem_cli__add(text, "To save those older copies too, into another store:\n");
        xylem_cli__add_store_command(cli, text, cli->store_path, "repair --older ");
        xylem_cli__add_shell_path(cli, text, other);
        xylem_cli__add(text, "\n");
    }
    xylem_cli__add(text, "To replace the damaged store, once no program uses the damaged store:\n");
    xylem_cli__add_move(cli, text, cli->store_path, aside);
    xylem_cli__add_move(cli, text, repairing->to, cli->store_path);
out:
    free(aside);
    free(other);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct repair_options *given = options;
    struct repairing repairing = {.cli = cli, .to = arguments[0]};
    struct xylem_cli__text text = {0};
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, given->form, NULL);
    repairing.json = documents.wanted;
    if (code == 0 && (code = repair(cli, &repairing, given)) == 0) {
        if (documents.wanted) {
            add_document(cli, &text, &repairing);
        } else {
            add_summary(cli, &text, &repairing.report);
            code = add_next(cli, &text, &repairing);
        }
        code = code != 0 ? code : xylem_cli__documents_put(cli, &documents, &text);
    }
    xylem_cli__text_release(&text);
    xylem_cli__text_release(&repairing.text);
    return code != 0 ? code : repairing.report.complete ? XYLEM_CLI__OK : XYLEM_CLI__PROBLEM;
}

const struct xylem_cli__command xylem_cli__cmd_repair = {
    .name = "repair",
    .group = XYLEM_CLI__KEEP,
    .summary = "Save all that can be read of a damaged store into a new store",
    .usage = "NEW-DIRECTORY [--older] [--json|--jsonl]",
    .details =
        "Never changes the damaged store. NEW-DIRECTORY must not exist; the new store gets new indexes, and is\n"
        "verified. Says what could not be saved, and how to put the new store in place of the damaged store. Where\n"
        "only an older copy of a row is left, the copy is taken, unless the row may have been redacted or deleted\n"
        "since: --older takes such copies too. Exits with 1 if anything is lost or may be out of date, with 5 if\n"
        "nothing can be saved, with 7 if a newer program made the store.\n",
    .options = repair_table,
    .options_bytes = sizeof(struct repair_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__DIRECTORY},
    .repairs = true,
    .run = run,
};
