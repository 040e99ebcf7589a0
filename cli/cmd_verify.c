/* xylem verify: checks the whole store, and prints every problem when the problem is found. */
#include "cli/cli.h"
#include "xylem/inspect.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_MS 250
#define LISTED_MAX 10u /* damaged sessions listed for people */

struct checking {
    struct xylem_cli *cli;
    bool json;
    bool progress; /* standard error is a terminal */
    bool complete; /* the check finished */
    int code;      /* of a callback that stopped the check */
    uint64_t problem_count;
    struct xylem_verify_report report;
    struct xylem_cli__text text;     /* the document's list of problems, or a line */
    struct xylem_cli__text sessions; /* the document's list of damaged sessions, or the first sessions for people */
    uint64_t listed_count;
    int64_t told_ms; /* the time of the last line of progress */
};

/* --- Lines for people --------------------------------------------------------------------------------------------- */

static void clear_progress(const struct checking *checking)
{
    if (checking->progress) {
        xylem_cli__clear_line();
    }
}

static int show_progress(void *context, const struct xylem_verify_report *so_far)
{
    struct checking *checking = context;
    struct xylem_cli__text line = {0};
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (!checking->progress || now_ms - checking->told_ms < PROGRESS_MS) {
        return 0;
    }
    checking->told_ms = now_ms;
    xylem_cli__clear_line();
    if (so_far->row_count > 0) {
        xylem_cli__add_counted(&line, so_far->row_count, "row", "rows");
    } else {
        xylem_cli__add_counted(&line, so_far->page_count, "page", "pages");
    }
    fwrite(line.bytes.data, 1, line.bytes.bytes, stderr);
    xylem_cli__text_release(&line);
    return 0;
}

/* --- What the check finds ----------------------------------------------------------------------------------------- */

static int hear_problem(void *context, const struct xylem_problem *problem)
{
    struct checking *checking = context;
    struct xylem_cli__text *text = &checking->text;
    checking->problem_count++;
    if (checking->json) {
        xylem_cli__json_problem(text, problem);
        checking->code = text->failed ? xylem_cli__fail_memory(checking->cli) : 0;
        return checking->code;
    }
    xylem_cli__add_problem(checking->cli, text, problem, 1);
    clear_progress(checking);
    checking->code = xylem_cli__put(checking->cli, text);
    if (checking->code == 0) {
        checking->code = xylem_cli__flush(checking->cli); /* the next problem may take long */
    }
    return checking->code;
}

static int hear_damaged(void *context, uint64_t session, struct xylem_view session_id)
{
    struct checking *checking = context;
    struct xylem_cli__text *text = &checking->sessions;
    (void)session;
    checking->listed_count++;
    if (checking->json) {
        xylem_cli__json_maybe(text, session_id.bytes == 0 ? (struct xylem_view){NULL, 0} : session_id);
    } else if (checking->listed_count <= LISTED_MAX) {
        xylem_cli__add(text, "  ");
        if (session_id.bytes == 0) {
            xylem_cli__add(text, "a session whose row is damaged");
        } else {
            xylem_cli__add_shown(checking->cli, text, session_id, XYLEM_CLI__EXACT, SIZE_MAX);
        }
        xylem_cli__add(text, "\n");
    }
    checking->code = text->failed ? xylem_cli__fail_memory(checking->cli) : 0;
    return checking->code;
}

/* --- The command -------------------------------------------------------------------------------------------------- */

/* A check that could not begin or finish is a problem like any other. */
static int check(struct xylem_cli *cli, struct checking *checking)
{
    const struct xylem_verify_options options = {.progress = show_progress, .damaged = hear_damaged};
    struct xylem_cli__text hint = {0};
    int code = xylem_cli__locate(cli);
    if (code != 0) {
        return code;
    }
    xylem_cli__add(&hint, "the rest of the store was not checked\n");
    code = xylem_cli__add_repair(cli, &hint);
    xylem_cli__signals_hint(hint.bytes.data, hint.bytes.bytes); /* for a fault in the check */
    xylem_cli__text_release(&hint);
    if (code != 0) {
        return code;
    }
    if ((code = xylem_cli__open_reading(cli)) == 0) {
        code = xylem_verify(&checking->report, cli->txn, &options, hear_problem, checking, &cli->err);
    }
    clear_progress(checking);
    checking->complete = code == 0;
    if (code == XYLEM_E_CORRUPT || code == XYLEM_E_NOT_A_STORE) {
        const struct xylem_problem problem = {.text = cli->err.text};
        return hear_problem(checking, &problem);
    }
    return code == XYLEM_E_STOPPED && checking->code != 0 ? checking->code : code;
}

static void add_document(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct checking *checking)
{
    const struct xylem_verify_report *report = &checking->report;
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "store", xylem_view_of(cli->store_path));
    xylem_cli__member_bool(text, "complete", checking->complete);
    xylem_cli__member_count(text, "pages", report->page_count);
    xylem_cli__member_count(text, "leaked_pages", report->leaked_page_count);
    xylem_cli__member_count(text, "session_count", report->session_count);
    xylem_cli__member_count(text, "branch_count", report->branch_count);
    xylem_cli__member_count(text, "entry_count", report->entry_count);
    xylem_cli__member_count(text, "row_count", report->row_count);
    if (checking->complete && report->sessions_known) {
        xylem_cli__member_list(text, "damaged_sessions", &checking->sessions);
    } else {
        xylem_cli__member_maybe(text, "damaged_sessions", xylem_view_of(NULL));
    }
    xylem_cli__member_count(text, "problem_count", checking->problem_count);
    xylem_cli__member_list(text, "problems", &checking->text);
    xylem_cli__json_end(text, '}');
}

/* `12 of 14 sessions are whole; damaged:`, and the first damaged sessions, one a line. */
static void add_sessions(struct xylem_cli__text *text, const struct checking *checking)
{
    const struct xylem_verify_report *report = &checking->report;
    uint64_t damaged = report->damaged_session_count;
    if (!checking->complete || !report->sessions_known) {
        xylem_cli__add(text, "it is not known which sessions are whole: not all of the store could be read\n");
        return;
    }
    xylem_cli__add_count(text, report->session_count < damaged ? 0 : report->session_count - damaged);
    xylem_cli__add(text, " of ");
    xylem_cli__add_counted(text, report->session_count, "session", "sessions");
    xylem_cli__add(text, report->session_count == 1 ? " is whole" : " are whole");
    if (damaged > 0) {
        xylem_cli__add(text, "; damaged:\n");
        xylem_cli__add_bytes(text, checking->sessions.bytes.data, checking->sessions.bytes.bytes);
        if (damaged > LISTED_MAX) {
            xylem_cli__add(text, "  and ");
            xylem_cli__add_count(text, damaged - LISTED_MAX);
            xylem_cli__add(text, " more\n");
        }
    } else {
        xylem_cli__add(text, "\n");
    }
}

/* Adds the counts, and after problems the whole sessions and the next command. */
static int add_summary(struct xylem_cli *cli, struct xylem_cli__text *text, const struct checking *checking)
{
    const struct xylem_verify_report *report = &checking->report;
    const char *color = checking->problem_count == 0 ? XYLEM_CLI__GREEN : XYLEM_CLI__RED;
    struct stat status;
    xylem_cli__color_on(cli, text, color);
    if (checking->problem_count == 0) {
        xylem_cli__add(text, "no problems");
    } else {
        xylem_cli__add_counted(text, checking->problem_count, "problem", "problems");
    }
    xylem_cli__color_off(cli, text, color);
    xylem_cli__add(text, ": ");
    xylem_cli__add_counted(text, report->session_count, "session", "sessions");
    xylem_cli__add_next_counted(text, report->branch_count, "branch", "branches");
    xylem_cli__add_next_counted(text, report->entry_count, "entry", "entries");
    xylem_cli__add_next_counted(text, report->row_count, "row", "rows");
    xylem_cli__add(text, " checked\n");
    if (checking->problem_count == 0) {
        return 0;
    }
    add_sessions(text, checking);
    if (!xylem_cli__has_data(cli, &status)) {
        return 0;
    }
    bool something = S_ISREG(status.st_mode) && status.st_size > 0;
    return something ? xylem_cli__add_repair(cli, text) : xylem_cli__add_restore(cli, text);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__form *form = options;
    struct checking checking = {.cli = cli};
    struct xylem_cli__text text = {0};
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, *form, NULL);
    (void)arguments;
    checking.json = documents.wanted;
    checking.progress = isatty(STDERR_FILENO) == 1;
    if (code == 0 && (code = check(cli, &checking)) == 0 && documents.wanted) {
        add_document(cli, &text, &checking);
        code = xylem_cli__documents_put(cli, &documents, &text);
    } else if (code == 0 && (code = add_summary(cli, &text, &checking)) == 0) {
        code = xylem_cli__put(cli, &text);
    }
    xylem_cli__text_release(&text);
    xylem_cli__text_release(&checking.text);
    xylem_cli__text_release(&checking.sessions);
    return code != 0 ? code : checking.problem_count > 0 ? XYLEM_CLI__PROBLEM : XYLEM_CLI__OK;
}

const struct xylem_cli__command xylem_cli__cmd_verify = {
    .name = "verify",
    .group = XYLEM_CLI__KEEP,
    .often = true,
    .summary = "Check the whole store, and report every problem",
    .usage = "[--json|--jsonl]",
    .details =
        "Checks every page, row, record and payload, computes every history again, and looks up every entry.\n"
        "Changes nothing. Exits with 1 if there is any problem, also if damage keeps the store from being opened\n"
        "or read to its end.\n",
    .surplus = "the whole store is verified, and -s DIR names another store",
    .options = xylem_cli__form_same,
    .options_bytes = sizeof(struct xylem_cli__form),
    .run = run,
};
