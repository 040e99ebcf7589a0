/* xylem repair: the repair runs in a child process; this one prints what it says. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#define MEMORY_MIB 4096u

/* Messages of the child: a line for people, or a problem of the document; and what became of it all. */
#define PROBLEM 'P'
#define REPORT 'E'

struct repair_options {
    struct xylem_cli__form form;
    struct xylem_cli__count memory;
};

static const struct xylem_cli__option repair_table[] = {
    {"memory", 0, "MIB", XYLEM_CLI__COUNT, offsetof(struct repair_options, memory),
     "let the repair have so much memory (default: 4096; 0: any)", NULL},
    XYLEM_CLI__FORM_ROWS(struct repair_options, "the same"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct repairing {
    struct xylem_cli *cli;
    const char *to;
    bool json;
    uint64_t problem_count;
    struct xylem_repair_report report;
    struct xylem_cli__text text; /* the document's list of problems */
    /* In the child: lost entries that follow each other are one line. */
    struct xylem_problem run;
    char run_session[XYLEM_SESSION_ID_BYTES_MAX];
    uint64_t run_count;
};

/* --- In the child ----------------------------------------------------------------------------------------------- */

/* `log: session 01a1f9f7: branch 3, depths 7 to 9: 3 entries are lost` */
static void add_line(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_problem *problem,
                     uint64_t count)
{
    xylem_cli__color_on(cli, text, XYLEM_CLI__RED);
    xylem_cli__addf(text, "%s", problem->table == NULL ? "store" : problem->table);
    xylem_cli__color_off(cli, text, XYLEM_CLI__RED);
    xylem_cli__add(text, ": ");
    if (problem->session_id.data != NULL) {
        xylem_cli__add(text, "session ");
        xylem_cli__add_shown(cli, text, problem->session_id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(text, ": ");
    }
    if (problem->entry_id.data != NULL) {
        xylem_cli__add(text, "entry ");
        xylem_cli__add_shown(cli, text, problem->entry_id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(text, ": ");
    }
    if (count > 1) {
        xylem_cli__addf(text, "branch %llu, depths %llu to %llu: ", (unsigned long long)problem->position.branch,
                        (unsigned long long)problem->position.depth,
                        (unsigned long long)(problem->position.depth + count - 1));
        xylem_cli__add_count(text, count);
        xylem_cli__add(text, " entries are lost\n");
        return;
    }
    if (!xylem_cli__position_none(problem->position)) {
        xylem_cli__addf(text, "branch %llu, depth %llu: ", (unsigned long long)problem->position.branch,
                        (unsigned long long)problem->position.depth);
    }
    xylem_cli__add_shown(cli, text, xylem_view_of(problem->text), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(text, "\n");
}

static void add_json(struct xylem_cli__text *text, const struct xylem_problem *problem)
{
    xylem_cli__json_begin(text, '{');
    xylem_cli__json_key(text, "table");
    xylem_cli__json_maybe(text, problem->table == NULL ? (struct xylem_view){NULL, 0} : xylem_view_of(problem->table));
    xylem_cli__json_key(text, "page");
    xylem_cli__json_count(text, problem->page);
    xylem_cli__json_key(text, "session");
    xylem_cli__json_maybe(text, problem->session_id);
    xylem_cli__json_key(text, "entry");
    xylem_cli__json_maybe(text, problem->entry_id);
    xylem_cli__json_key(text, "branch");
    xylem_cli__json_count(text, problem->position.branch);
    xylem_cli__json_key(text, "depth");
    xylem_cli__json_count(text, problem->position.depth);
    xylem_cli__json_key(text, "text");
    xylem_cli__json_string(text, xylem_view_of(problem->text));
    xylem_cli__json_end(text, '}');
}

static int say(struct xylem_cli__text *text)
{
    bool said = !text->failed && xylem_cli__child_say(PROBLEM, text->bytes.data, text->bytes.bytes);
    xylem_cli__text_release(text);
    return said ? 0 : 1;
}

/* Says the line that is kept. */
static int say_run(struct repairing *repairing)
{
    struct xylem_cli__text text = {0};

    if (repairing->run_count == 0) {
        return 0;
    }
    add_line(repairing->cli, &text, &repairing->run, repairing->run_count);
    repairing->run_count = 0;
    return say(&text);
}

/* Is it an entry of which nothing is known but where it was? */
static bool is_lost_entry(const struct xylem_problem *problem)
{
    return problem->entry_id.data == NULL && problem->position.depth > 0 && problem->session_id.data != NULL &&
           problem->session_id.bytes <= XYLEM_SESSION_ID_BYTES_MAX;
}

static bool goes_on(const struct repairing *repairing, const struct xylem_problem *problem)
{
    const struct xylem_problem *run = &repairing->run;

    return repairing->run_count > 0 && is_lost_entry(problem) && problem->position.branch == run->position.branch &&
           problem->position.depth == run->position.depth + repairing->run_count &&
           strcmp(problem->text, run->text) == 0;
}

static int found(void *context, const struct xylem_problem *problem)
{
    struct repairing *repairing = context;
    struct xylem_cli__text text = {0};
    static const char lost[] = "the entry is lost";

    if (repairing->json) {
        add_json(&text, problem);
        return say(&text);
    }
    if (goes_on(repairing, problem)) {
        repairing->run_count++;
        return 0;
    }
    int code = say_run(repairing);
    if (code == 0 && is_lost_entry(problem) && strcmp(problem->text, lost) == 0) {
        repairing->run = *problem;
        memcpy(repairing->run_session, problem->session_id.data, problem->session_id.bytes);
        repairing->run.session_id.data = repairing->run_session;
        repairing->run.text = lost;
        repairing->run_count = 1;
        return 0;
    }
    if (code == 0) {
        add_line(repairing->cli, &text, problem, 1);
        code = say(&text);
    }
    return code;
}

static int work(struct xylem_cli *cli, void *context)
{
    struct repairing *repairing = context;
    struct xylem_repair_report report;
    int code = xylem_repair(&report, cli->store_path, repairing->to, found, repairing, &cli->err);

    if (code == 0 && (say_run(repairing) != 0 || !xylem_cli__child_say(REPORT, &report, sizeof(report)))) {
        return XYLEM_CLI__IO;
    }
    return code;
}

/* --- In the parent ---------------------------------------------------------------------------------------------- */

static int hear(struct xylem_cli *cli, void *context, char type, const void *data, size_t bytes)
{
    struct repairing *repairing = context;
    struct xylem_cli__text line = {0};

    if (type == REPORT) {
        memcpy(&repairing->report, data, sizeof(repairing->report));
        return 0;
    }
    if (repairing->json) {
        xylem_cli__add(&repairing->text, repairing->problem_count > 0 ? "," : "");
        xylem_cli__add_bytes(&repairing->text, data, bytes);
        repairing->problem_count++;
        return 0;
    }
    repairing->problem_count++;
    xylem_cli__add_bytes(&line, data, bytes);
    int code = xylem_cli__put(cli, &line);
    xylem_cli__text_release(&line);
    return code != 0 ? code : xylem_cli__flush(cli);
}

/*
 * A limit on memory and a process of its own, so that whatever the damaged file makes of the repair, this process says
 * what became of it. There is no limit on time: the file is read without LMDB, each of its pages a bounded number of
 * times, and a large one takes long.
 */
static int repair(struct xylem_cli *cli, struct repairing *repairing, const struct repair_options *given)
{
    struct xylem_cli__task task = {.work = work, .hear = hear, .context = repairing};
    struct xylem_cli__ending ending;
    uint64_t mebibytes = given->memory.given ? given->memory.number : MEMORY_MIB;

    if (mebibytes > UINT64_MAX >> 20) {
        return xylem_cli__usage(cli, "--memory %llu: no computer has so much", (unsigned long long)mebibytes);
    }
    task.memory_bytes = mebibytes << 20;
    int code = xylem_cli__locate(cli);
    code = code != 0 ? code : xylem_cli__child_run(cli, &ending, &task);
    if (code == XYLEM_E_MEMORY) {
        return xylem_cli__fail(cli, code, "%s", "out of memory (--memory lets the repair have more)");
    }
    if (code == 0 && ending.signal_number != 0) {
        code = xylem_cli__fail(cli, XYLEM_E_CORRUPT,
                               "the repair met %s: nothing was made at %s (what it had begun, %s.partial-*, can be "
                               "removed); the damaged store was not changed",
                               strsignal(ending.signal_number), repairing->to, repairing->to);
    }
    return code;
}

static void add_counts(struct xylem_cli__text *text, const struct xylem_repair_report *report)
{
    static const char *const names[] = {"sessions",        "branches",         "entries",         "lost_entries",
                                        "damaged_entries", "placeholders",     "changed_entries", "lost_rows",
                                        "bad_pages",       "quarantined_bytes"};
    const uint64_t counts[] = {report->session_count,       report->branch_count,        report->entry_count,
                               report->lost_entry_count,    report->damaged_entry_count, report->placeholder_count,
                               report->changed_entry_count, report->lost_row_count,      report->bad_page_count,
                               report->quarantined_bytes};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        xylem_cli__json_key(text, names[i]);
        xylem_cli__json_count(text, counts[i]);
    }
}

static void add_document(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct repairing *repairing)
{
    xylem_cli__json_document(text);
    xylem_cli__json_key(text, "damaged_store");
    xylem_cli__json_string(text, xylem_view_of(cli->store_path));
    xylem_cli__json_key(text, "new_store");
    xylem_cli__json_string(text, xylem_view_of(repairing->to));
    xylem_cli__json_key(text, "complete");
    xylem_cli__json_bool(text, repairing->report.complete);
    add_counts(text, &repairing->report);
    xylem_cli__json_key(text, "problems");
    xylem_cli__json_begin(text, '[');
    xylem_cli__add_bytes(text, repairing->text.bytes.data, repairing->text.bytes.bytes);
    xylem_cli__json_end(text, ']');
    xylem_cli__json_end(text, '}');
}

/* One line of the summary, if there is something to be said. */
static void add_fact(struct xylem_cli__text *text, uint64_t count, const char *one, const char *many, const char *rest)
{
    if (count > 0) {
        xylem_cli__add(text, "  ");
        xylem_cli__add_counted(text, count, one, many);
        xylem_cli__add(text, rest);
        xylem_cli__add(text, "\n");
    }
}

static void add_summary(const struct xylem_cli *cli, struct xylem_cli__text *text,
                        const struct xylem_repair_report *report)
{
    bool lost = report->lost_entry_count > 0 || report->damaged_entry_count > 0 || report->placeholder_count > 0 ||
                report->changed_entry_count > 0 || report->lost_row_count > 0;
    const char *color = report->complete ? XYLEM_CLI__GREEN : lost ? XYLEM_CLI__RED : XYLEM_CLI__YELLOW;

    xylem_cli__color_on(cli, text, color);
    xylem_cli__add(text, report->complete ? "everything was saved"
                         : lost           ? "not everything was saved"
                                          : "everything that is known of was saved");
    xylem_cli__color_off(cli, text, color);
    xylem_cli__add(text, ": the new store has ");
    xylem_cli__add_counted(text, report->session_count, "session", "sessions");
    xylem_cli__add(text, ", ");
    xylem_cli__add_counted(text, report->branch_count, "branch", "branches");
    xylem_cli__add(text, ", ");
    xylem_cli__add_counted(text, report->entry_count, "entry", "entries");
    xylem_cli__add(text, ", and verifies\n");
    add_fact(text, report->lost_entry_count, "entry is lost", "entries are lost", "");
    add_fact(text, report->placeholder_count, "entry of the kind xylem_lost stands",
             "entries of the kind xylem_lost stand", " where others are lost");
    add_fact(text, report->damaged_entry_count, "entry lost its payload, its line or its kind",
             "entries lost their payload, their line or their kind", "; what else they say is kept");
    add_fact(text, report->changed_entry_count, "entry has", "entries have",
             " another check than before: something on the path to it is lost");
    add_fact(text, report->lost_row_count, "row of another table is lost", "rows of other tables are lost", "");
    add_fact(text, report->quarantined_bytes, "byte of what is lost is", "bytes of what is lost are",
             " in quarantine, with the reason `damaged`");
}

/* A path as a shell reads it; what no terminal should act on is escaped, and then it is none that could be typed. */
static void add_path(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *path, const char *suffix)
{
    struct xylem_cli__text whole = {0};
    struct xylem_cli__text word = {0};

    xylem_cli__add(&whole, path);
    xylem_cli__add(&whole, suffix);
    if (!whole.failed) {
        xylem_cli__add_shell_word(&word, whole.bytes.data);
    }
    xylem_cli__add_shown(cli, text, xylem_cli__text_view(&word), XYLEM_CLI__EXACT, SIZE_MAX);
    text->failed = text->failed || whole.failed || word.failed;
    xylem_cli__text_release(&whole);
    xylem_cli__text_release(&word);
}

/* `  xylem -s NEW verify --deep` */
static void add_command(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *store,
                        const char *command)
{
    xylem_cli__add(text, "  xylem -s ");
    add_path(cli, text, store, "");
    xylem_cli__add(text, " ");
    xylem_cli__add(text, command);
    xylem_cli__add(text, "\n");
}

static void add_move(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *from, const char *to,
                     const char *suffix)
{
    xylem_cli__add(text, "  mv ");
    add_path(cli, text, from, "");
    xylem_cli__add(text, " ");
    add_path(cli, text, to, suffix);
    xylem_cli__add(text, "\n");
}

/* A path without the slashes that end it, so that a suffix makes it the name of its neighbour. */
static char *bare_path(const char *path)
{
    size_t bytes = strlen(path);

    while (bytes > 1 && path[bytes - 1] == '/') {
        bytes--;
    }
    return strndup(path, bytes);
}

static void add_next(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *from, const char *to,
                     const struct xylem_repair_report *report)
{
    xylem_cli__add(text, "\nThe damaged store was not changed. To look at the new one:\n");
    add_command(cli, text, to, "verify --deep");
    add_command(cli, text, to, "sessions");
    if (report->placeholder_count > 0) {
        add_command(cli, text, to, "log SESSION --kind xylem_lost");
    }
    if (report->quarantined_bytes > 0) {
        add_command(cli, text, to, "quarantine SESSION");
    }
    xylem_cli__add(text, "To put it in place of the damaged one, once no program uses that any more:\n");
    add_move(cli, text, from, from, "-damaged");
    add_move(cli, text, to, from, "");
}

static int print_text(struct xylem_cli *cli, struct xylem_cli__text *text, const struct repairing *repairing)
{
    char *from = bare_path(cli->store_path);
    char *to = bare_path(repairing->to);

    text->failed = text->failed || from == NULL || to == NULL;
    if (!text->failed) {
        add_summary(cli, text, &repairing->report);
        add_next(cli, text, from, to, &repairing->report);
    }
    free(from);
    free(to);
    return xylem_cli__put(cli, text);
}

static int run(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options)
{
    const struct repair_options *given = options;
    struct repairing repairing = {.cli = cli, .to = arguments[0]};
    struct xylem_cli__text text = {0};
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, given->form, NULL);

    (void)argument_count;
    repairing.json = documents.wanted;
    code = code != 0 ? code : repair(cli, &repairing, given);
    if (code == 0 && documents.wanted) {
        add_document(cli, &text, &repairing);
        text.failed = text.failed || repairing.text.failed;
        code = xylem_cli__documents_put(cli, &documents, &text);
    } else if (code == 0) {
        code = print_text(cli, &text, &repairing);
    }
    xylem_cli__text_release(&text);
    xylem_cli__text_release(&repairing.text);
    return code != 0 ? code : repairing.report.complete ? XYLEM_CLI__OK : XYLEM_CLI__PROBLEM;
}

const struct xylem_cli__command xylem_cli__cmd_repair = {
    .name = "repair",
    .summary = "Copy all that can be saved of a damaged store into a new one",
    .usage = "NEW-DIRECTORY [--memory MIB] [--json|--jsonl]",
    .details = "Never changes the damaged store. The new one must not exist yet; its indexes are made anew, and it is\n"
               "verified. Says what could not be saved, and how to put the new store in place of the old one. Exits\n"
               "with 1 if anything is lost, with 5 if nothing can be saved.\n",
    .options = repair_table,
    .options_bytes = sizeof(struct repair_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__DIRECTORY},
    .run = run,
};
