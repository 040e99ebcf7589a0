/* xylem gc: frees deleted sessions. */
#include "cli/cli.h"
#include "xylem/care.h"

struct gc_options {
    struct xylem_cli__form form;
    bool yes;
    bool dry_run;
};

static const struct xylem_cli__option gc_table[] = {
    {"dry-run", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct gc_options, dry_run), "only say what would be freed", NULL},
    {"yes", 'y', NULL, XYLEM_CLI__FLAG, offsetof(struct gc_options, yes), "do not ask", NULL},
    XYLEM_CLI__FORM_ROWS(struct gc_options, "the same on one line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* A run of gc, or a dry run, with the report. */
struct freeing {
    struct xylem_cli *cli;
    bool json;
    const char *verb;
    struct xylem_gc_report report;
    struct xylem_cli__text text; /* one line a session */
};

/* --- The output --------------------------------------------------------------------------------------------------- */

/* `freed session 01a1f9f7...: 12 entries, 3.4 KiB; 7 shared entries stay`, or an element of the document. */
static int tell(void *context, const struct xylem_freed *what)
{
    struct freeing *freeing = context;
    struct xylem_cli__text *text = &freeing->text;
    if (freeing->json) {
        xylem_cli__json_begin(text, '{');
        xylem_cli__member_session(text, what->id, what->name_space);
        xylem_cli__member_count(text, "number", what->session);
        xylem_cli__member_count(text, "entry_count", what->entry_count);
        xylem_cli__member_count(text, "branch_count", what->branch_count);
        xylem_cli__member_count(text, "row_count", what->row_count);
        xylem_cli__member_count(text, "bytes", what->bytes);
        xylem_cli__member_count(text, "payload_bytes", what->payload_bytes);
        xylem_cli__member_count(text, "kept_entries", what->kept_entry_count);
        xylem_cli__json_end(text, '}');
        return 0;
    }
    xylem_cli__addf(text, "%s ", freeing->verb);
    if (!what->id.data) {
        xylem_cli__addf(text, "the rest of session number %llu", (unsigned long long)what->session);
    } else {
        xylem_cli__add(text, "session ");
        xylem_cli__add_shown(freeing->cli, text, what->id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add_name_space(freeing->cli, text, what->name_space);
    }
    xylem_cli__add(text, ": ");
    xylem_cli__add_counted(text, what->entry_count, "entry", "entries");
    xylem_cli__add(text, ", ");
    xylem_cli__add_size(text, what->bytes);
    if (what->kept_entry_count > 0) {
        xylem_cli__add(text, "; ");
        xylem_cli__add_counted(text, what->kept_entry_count, "shared entry stays", "shared entries stay");
    }
    xylem_cli__add(text, "\n");
    return 0;
}

/* `2 sessions, 17 entries, 2 branches, 40 rows, 4.4 KiB` */
static void add_sums(struct xylem_cli__text *text, const struct xylem_gc_report *report)
{
    xylem_cli__add_counted(text, report->session_count, "session", "sessions");
    xylem_cli__add_next_counted(text, report->entry_count, "entry", "entries");
    xylem_cli__add_next_counted(text, report->branch_count, "branch", "branches");
    xylem_cli__add_next_counted(text, report->row_count, "row", "rows");
    xylem_cli__add(text, ", ");
    xylem_cli__add_size(text, report->bytes);
}

static int put_documents(struct xylem_cli *cli, struct xylem_cli__documents *documents, struct freeing *freeing,
                         bool dry_run)
{
    const struct xylem_gc_report *report = &freeing->report;
    struct xylem_cli__text text = {0};
    xylem_cli__json_document(&text);
    xylem_cli__member_bool(&text, "dry_run", dry_run);
    xylem_cli__member_count(&text, "entry_count", report->entry_count);
    xylem_cli__member_count(&text, "branch_count", report->branch_count);
    xylem_cli__member_count(&text, "row_count", report->row_count);
    xylem_cli__member_count(&text, "bytes", report->bytes);
    xylem_cli__member_count(&text, "payload_bytes", report->payload_bytes);
    xylem_cli__member_count(&text, "kept_sessions", report->kept_session_count);
    xylem_cli__member_count(&text, "kept_entries", report->kept_entry_count);
    xylem_cli__member_list(&text, "sessions", &freeing->text);
    xylem_cli__json_end(&text, '}');
    int code = xylem_cli__documents_put(cli, documents, &text);
    xylem_cli__text_release(&text);
    return code;
}

static int put_lines(struct xylem_cli *cli, struct freeing *freeing, bool dry_run)
{
    struct xylem_cli__text *text = &freeing->text;
    if (freeing->report.session_count == 0) {
        xylem_cli__add(text, "nothing to free: no deleted session has data of its own\n");
        return xylem_cli__put(cli, text);
    }
    xylem_cli__addf(text, "%s ", freeing->verb);
    add_sums(text, &freeing->report);
    xylem_cli__add(text, "\n");
    int code = xylem_cli__put(cli, text);
    if (code == 0 && !dry_run) {
        xylem_cli__add(text, "the file keeps its size, and later writes use the freed room (");
        xylem_cli__add_named(cli, text, "compact", NULL);
        xylem_cli__add(text, " makes the file smaller)");
        xylem_cli__note(cli, "%s", text->failed ? "the file keeps its size" : text->bytes.data);
        xylem_cli__text_clear(text);
    }
    return code;
}

/* --- The change --------------------------------------------------------------------------------------------------- */

/* Counts what a gc would free, in a store that is opened and stays open. */
static int look(struct freeing *freeing, struct xylem_gc_report *report)
{
    struct xylem_gc_options options = {.dry_run = true, .freed = tell, .context = freeing};
    xylem_cli__text_clear(&freeing->text);
    int code = xylem_cli__open_reading(freeing->cli);
    code = code != 0 ? code : xylem_gc(report, freeing->cli->txn, &options, &freeing->cli->err);
    return code != 0 || !freeing->text.failed ? code : xylem_cli__fail_memory(freeing->cli);
}

static bool is_same(const struct xylem_gc_report *a, const struct xylem_gc_report *b)
{
    return a->session_count == b->session_count && a->entry_count == b->entry_count && a->row_count == b->row_count &&
           a->bytes == b->bytes;
}

/* Shows what a gc would free, asks, and looks again after the answer. 0 to go on, else the exit code. */
static int ask(struct xylem_cli *cli, struct freeing *freeing)
{
    struct xylem_cli__text question = {0};
    struct xylem_gc_report now;
    bool json = freeing->json;
    freeing->json = false; /* the question is for a person */
    freeing->verb = "would free";
    int code = look(freeing, &freeing->report);
    xylem_cli__close_store(cli);
    if (code == 0 && freeing->report.session_count > 0) {
        xylem_cli__add_bytes(&question, freeing->text.bytes.data, freeing->text.bytes.bytes);
        xylem_cli__add(&question, "Free ");
        add_sums(&question, &freeing->report);
        xylem_cli__add(&question, " for good?");
        code = xylem_cli__confirm(cli, &question, "nothing was freed");
        if (code == 0 && (code = look(freeing, &now)) == 0 && !is_same(&now, &freeing->report)) {
            code = xylem_cli__fail(cli, XYLEM_E_CONFLICT,
                                   "sessions were deleted or undeleted meanwhile: nothing was freed");
        }
        xylem_cli__close_store(cli);
    }
    freeing->json = json;
    freeing->verb = "freed";
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct gc_options *given = options;
    struct freeing freeing = {.cli = cli, .verb = given->dry_run ? "would free" : "freed"};
    struct xylem_gc_options wanted = {.freed = tell, .context = &freeing};
    struct xylem_cli__documents documents;
    (void)arguments;
    int code = xylem_cli__documents_start(cli, &documents, given->form, NULL);
    bool frees = !given->dry_run;
    freeing.json = documents.wanted;
    if (code == 0 && given->dry_run) {
        code = look(&freeing, &freeing.report);
    } else if (code == 0 && !given->yes) {
        code = ask(cli, &freeing);
        frees = freeing.report.session_count > 0;
    }
    if (code == 0 && frees) {
        xylem_cli__text_clear(&freeing.text);
        code = xylem_cli__open_writing(cli);
        code = code == 0 ? xylem_gc_write(&freeing.report, cli->store, &wanted, &cli->err) : code;
        if (code == 0) {
            xylem_cli__keep_outlines(cli);
        }
        code = code == 0 && freeing.text.failed ? xylem_cli__fail_memory(cli) : code;
    }
    if (code == 0) {
        code = documents.wanted ? put_documents(cli, &documents, &freeing, given->dry_run)
                                : put_lines(cli, &freeing, given->dry_run);
    }
    xylem_cli__text_release(&freeing.text);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_gc = {
    .name = "gc",
    .group = XYLEM_CLI__CHANGE,
    .summary = "Free deleted sessions for good",
    .usage = "[--dry-run] [--yes] [--json|--jsonl]",
    .details =
        "Entries of sessions that are not deleted stay, also entries shared with a deleted session. Shows what is\n"
        "freed, and asks first on a terminal; elsewhere --yes is needed. A freed session cannot be undeleted, and\n"
        "its id is free again: an import of a session file that is still there brings the session back. The store's\n"
        "file keeps its size; later writes use the freed room.\n",
    .options = gc_table,
    .options_bytes = sizeof(struct gc_options),
    .surplus = "`delete` takes a session away before",
    .run = run,
};
