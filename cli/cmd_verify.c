/*
 * xylem verify: the check runs in a child process, because damage may crash it. The parent prints the child's messages.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_SECONDS 60u
#define MEMORY_MIB 2048u
#define PROGRESS_MS 250
#define LISTED_MAX 10u /* damaged sessions listed for people */

/* Messages of the child. */
#define PROBLEM 'P'
#define DAMAGED 'D'
#define PROGRESS 'R'
#define WARNING 'W' /* other users can read the store */
#define REPORT 'E'

struct verify_options {
    struct xylem_cli__form form;
    struct xylem_cli__count timeout;
    struct xylem_cli__count memory;
};

static const struct xylem_cli__option verify_table[] = {
    {"timeout", 0, "SECONDS", XYLEM_CLI__COUNT, offsetof(struct verify_options, timeout),
     "end the check after SECONDS without progress (default: 60; 0: never)", NULL},
    {"memory", 0, "MIB", XYLEM_CLI__COUNT, offsetof(struct verify_options, memory),
     "limit of memory in MiB (default: 2048; 0: no limit)", NULL},
    XYLEM_CLI__FORM_ROWS(struct verify_options, "the same"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct checking {
    struct xylem_cli *cli;
    const struct verify_options *given;
    bool json;
    bool progress; /* standard error is a terminal */
    bool complete; /* the check finished */
    uint64_t problem_count;
    struct xylem_verify_report report;
    struct xylem_cli__text text;     /* the document's list of problems, or a line */
    struct xylem_cli__text sessions; /* the document's list of damaged sessions, or the first sessions for people */
    uint64_t listed_count;
    int64_t told_ms; /* in the child: the time of the last progress message */
};

/* --- In the child ----------------------------------------------------------------------------------------------- */

/* Adds a problem as the parent prints it: a line for people, or an element of the document's list. */
static void add_problem(const struct checking *checking, struct xylem_cli__text *text,
                        const struct xylem_problem *problem)
{
    if (checking->json) {
        xylem_cli__json_problem(text, problem);
    } else {
        xylem_cli__add_problem(checking->cli, text, problem, 1);
    }
}

static int say_problem(void *context, const struct xylem_problem *problem)
{
    struct xylem_cli__text message = {0};
    add_problem(context, &message, problem);
    bool said = !message.failed && xylem_cli__child_say(PROBLEM, message.bytes.data, message.bytes.bytes);
    xylem_cli__text_release(&message);
    return said ? 0 : 1;
}

static int say_damaged(void *context, uint64_t session, struct xylem_view session_id)
{
    (void)context;
    (void)session;
    return xylem_cli__child_say(DAMAGED, session_id.data, session_id.data ? session_id.bytes : 0) ? 0 : 1;
}

static int say_progress(void *context, const struct xylem_verify_report *so_far)
{
    struct checking *checking = context;
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (now_ms - checking->told_ms < PROGRESS_MS) {
        return 0;
    }
    checking->told_ms = now_ms;
    return xylem_cli__child_say(PROGRESS, so_far, sizeof *so_far) ? 0 : 1;
}

static int work(struct xylem_cli *cli, void *context)
{
    struct checking *checking = context;
    struct xylem_verify_options options = {.progress = say_progress, .damaged = say_damaged};
    struct xylem_verify_report report = {0};
    cli->warned = true; /* the parent prints the warning */
    int code = xylem_cli__open_reading(cli);
    const char *warning = xylem_store_warning(cli->store);
    if (warning) {
        xylem_cli__child_say(WARNING, warning, strlen(warning));
    }
    if (code == 0) {
        code = xylem_verify(&report, cli->txn, &options, say_problem, checking, &cli->err);
        xylem_cli__child_say(REPORT, &report, sizeof report);
    }
    return code;
}

/* --- Lines for people --------------------------------------------------------------------------------------------- */

static void clear_progress(const struct checking *checking)
{
    if (checking->progress) {
        xylem_cli__clear_line();
    }
}

static void show_progress(const struct checking *checking)
{
    struct xylem_cli__text line = {0};
    if (!checking->progress) {
        return;
    }
    xylem_cli__clear_line();
    if (checking->report.row_count > 0) {
        xylem_cli__add_counted(&line, checking->report.row_count, "row", "rows");
    } else {
        xylem_cli__add_counted(&line, checking->report.page_count, "page", "pages");
    }
    fwrite(line.bytes.data, 1, line.bytes.bytes, stderr);
    xylem_cli__text_release(&line);
}

/* --- Messages of the child ---------------------------------------------------------------------------------------- */

static int hear_problem(struct checking *checking, const void *data, size_t bytes)
{
    struct xylem_cli__text *text = &checking->text;
    xylem_cli__add(text, checking->json && checking->problem_count > 0 ? "," : "");
    xylem_cli__add_bytes(text, data, bytes);
    checking->problem_count++;
    if (checking->json) {
        return text->failed ? xylem_cli__fail_memory(checking->cli) : 0;
    }
    clear_progress(checking);
    xylem_cli__wrap(checking->cli, text);
    int code = xylem_cli__put(checking->cli, text);
    return code != 0 ? code : xylem_cli__flush(checking->cli); /* the next problem may take long */
}

static int hear_damaged(struct checking *checking, struct xylem_view session_id)
{
    struct xylem_cli__text *text = &checking->sessions;
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
    return text->failed ? xylem_cli__fail_memory(checking->cli) : 0;
}

static int hear(struct xylem_cli *cli, void *context, char type, const void *data, size_t bytes)
{
    struct checking *checking = context;
    if (type == WARNING) {
        char text[XYLEM_ERROR_TEXT_BYTES];
        snprintf(text, sizeof text, "%.*s", (int)bytes, (const char *)data);
        xylem_cli__warn(cli, text);
    }
    if (type == PROBLEM) {
        return hear_problem(checking, data, bytes);
    }
    if (type == DAMAGED) {
        return hear_damaged(checking, (struct xylem_view){data, bytes});
    }
    if ((type == PROGRESS || type == REPORT) && bytes == sizeof checking->report) {
        memcpy(&checking->report, data, bytes);
        checking->complete = type == REPORT;
        show_progress(checking);
    }
    return 0;
}

/* --- The command -------------------------------------------------------------------------------------------------- */

/* A check that could not begin or finish is a problem like any other. */
static int show_ending(struct checking *checking, const struct xylem_cli__ending *ending, int code)
{
    char string[XYLEM_ERROR_TEXT_BYTES];
    struct xylem_problem problem = {.text = string};
    struct xylem_cli__text line = {0};
    if (ending->stopped) {
        snprintf(
            string, sizeof string,
            "the check was ended after %llu seconds without progress: the rest of the store was not checked",
            (unsigned long long)(checking->given->timeout.given ? checking->given->timeout.number : TIMEOUT_SECONDS));
    } else if (ending->signal_number != 0) {
        snprintf(string, sizeof string, "the check was ended by a signal (%s): the rest of the store was not checked",
                 strsignal(ending->signal_number));
    } else if (code == XYLEM_E_CORRUPT || code == XYLEM_E_NOT_A_STORE) {
        snprintf(string, sizeof string, "%s", checking->cli->err.text);
    } else if (code == XYLEM_E_MEMORY) {
        snprintf(string, sizeof string, "%s", checking->cli->err.text);
        return xylem_cli__fail(checking->cli, code, "%s: give the check more memory with --memory", string);
    } else {
        return code;
    }
    checking->complete = false;
    add_problem(checking, &line, &problem);
    code =
        line.failed ? xylem_cli__fail_memory(checking->cli) : hear_problem(checking, line.bytes.data, line.bytes.bytes);
    xylem_cli__text_release(&line);
    return code;
}

static int check(struct xylem_cli *cli, struct checking *checking)
{
    const struct verify_options *given = checking->given;
    struct xylem_cli__task task = {.work = work, .hear = hear, .context = checking};
    struct xylem_cli__ending ending;
    task.timeout_seconds = given->timeout.given ? given->timeout.number : TIMEOUT_SECONDS;
    task.memory_bytes = given->memory.given ? given->memory.number : MEMORY_MIB;
    if (task.memory_bytes > UINT64_MAX >> 20) {
        return xylem_cli__usage(cli, "--memory takes a number up to %llu, not %llu",
                                (unsigned long long)(UINT64_MAX >> 20), (unsigned long long)task.memory_bytes);
    }
    task.memory_bytes <<= 20;
    int code = xylem_cli__locate(cli);
    if (code != 0) {
        return code;
    }
    code = xylem_cli__child_run(cli, &ending, &task);
    clear_progress(checking);
    return show_ending(checking, &ending, code);
}

static void add_document(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct checking *checking)
{
    const struct xylem_verify_report *report = &checking->report;
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "store", xylem_view_of(cli->store_path));
    xylem_cli__member_bool(text, "complete", checking->complete);
    xylem_cli__member_count(text, "pages", report->page_count);
    xylem_cli__member_count(text, "leaked_pages", report->leaked_page_count);
    xylem_cli__member_count(text, "sessions", report->session_count);
    xylem_cli__member_count(text, "branches", report->branch_count);
    xylem_cli__member_count(text, "entries", report->entry_count);
    xylem_cli__member_count(text, "rows", report->row_count);
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
    const struct verify_options *given = options;
    struct checking checking = {.cli = cli, .given = given};
    struct xylem_cli__text text = {0};
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, given->form, NULL);
    (void)arguments;
    checking.json = documents.wanted;
    checking.progress = isatty(STDERR_FILENO) == 1;
    if (code == 0 && (code = check(cli, &checking)) == 0 && documents.wanted) {
        add_document(cli, &text, &checking);
        code = xylem_cli__documents_put(cli, &documents, &text);
    } else if (code == 0 && (code = add_summary(cli, &text, &checking)) == 0) {
        xylem_cli__wrap(cli, &text);
        code = xylem_cli__put(cli, &text);
    }
    xylem_cli__text_release(&text);
    xylem_cli__text_release(&checking.text);
    xylem_cli__text_release(&checking.sessions);
    return code != 0 ? code : checking.problem_count > 0 ? XYLEM_CLI__PROBLEM : XYLEM_CLI__OK;
}

const struct xylem_cli__command xylem_cli__cmd_verify = {
    .name = "verify",
    .group = XYLEM_CLI__CARE,
    .summary = "Check the whole store, and report every problem",
    .usage = "[--timeout SECONDS] [--memory MIB] [--json|--jsonl]",
    .details =
        "Checks every page, row, record and payload, computes every history again, and looks up every entry.\n"
        "Changes nothing. Exits with 1 if there is any problem, also if damage keeps the store from being opened\n"
        "or read to its end.\n",
    .options = verify_table,
    .options_bytes = sizeof(struct verify_options),
    .run = run,
};
