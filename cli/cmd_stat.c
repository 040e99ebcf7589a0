/* xylem stat: prints figures of the store. */
#include "cli/sums.h"
#include "base/clock.h"
#include "xylem/care.h"
#include "xylem/inspect.h"

#include <unistd.h>

/* A reader further behind than this many commits is worth a warning. */
#define COMMITS_BEHIND_MAX 1000u

struct stat_options {
    struct xylem_cli__form form;
    bool holders;
    bool usage;
    bool bytes;
    int by;
    const char *since;
    const char *until;
};

static const char *const by_choices[] = {"day", "model", "directory", "session", "branch", "tool", NULL};

static const struct xylem_cli__option stat_table[] = {
    {"holders", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct stat_options, holders),
     "list other processes that have the store open, instead of figures", NULL},
    {"usage", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct stat_options, usage),
     "tokens and cost, from what the entries say", NULL},
    {"bytes", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct stat_options, bytes),
     "where the bytes of the entries are, and what deleting SESSION would free", NULL},
    {"by", 0, "WHAT", XYLEM_CLI__CHOICE, offsetof(struct stat_options, by),
     "a sum for each day, model (--usage), directory, session, branch or tool (--bytes)", by_choices},
    {"since", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct stat_options, since),
     "only entries since TIME: 2h, 3d, 2026-11-20", NULL},
    {"until", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct stat_options, until), "only entries up to TIME", NULL},
    XYLEM_CLI__FORM_ROWS(struct stat_options, "the same; with --holders, a document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static const struct xylem_cli__column columns[] = {{"TABLE", false, 0, XYLEM_CLI__CYAN, false},
                                                   {"ROWS", true, 0, NULL, false},
                                                   {"BYTES", true, 0, NULL, false},
                                                   {"DEPTH", true, 0, NULL, false},
                                                   {"BYTES A ROW", true, 0, NULL, false}};

static void add_uuid(struct xylem_cli__text *text, const unsigned char uuid[16])
{
    char shown[XYLEM_BASE__UUID_TEXT_BYTES + 1];
    xylem_base__uuid_show(shown, uuid);
    xylem_cli__add(text, shown);
}

static void add_json(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_stat *stat)
{
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "store", xylem_view_of(cli->store_path));
    xylem_cli__json_key(text, "uuid");
    xylem_cli__add(text, "\"");
    add_uuid(text, stat->uuid);
    xylem_cli__add(text, "\"");
    xylem_cli__member_count(text, "format_version", stat->format_version);
    xylem_cli__member_hex(text, "features", stat->features);
    xylem_cli__member_count(text, "file_bytes", stat->file_bytes);
    xylem_cli__member_count(text, "free_bytes", stat->free_bytes);
    xylem_cli__member_count(text, "map_bytes", stat->map_bytes);
    xylem_cli__member_count(text, "page_bytes", stat->page_bytes);
    xylem_cli__member_count(text, "readers", stat->readers);
    xylem_cli__member_count(text, "readers_max", stat->readers_max);
    if (stat->oldest_reader_pid == 0) {
        xylem_cli__member_maybe(text, "oldest_reader", xylem_view_of(NULL));
    } else {
        xylem_cli__member_begin(text, "oldest_reader", '{');
        xylem_cli__member_count(text, "pid", (uint64_t)stat->oldest_reader_pid);
        xylem_cli__member_count(text, "commits_behind", stat->oldest_reader_commit_count);
        xylem_cli__member_count(text, "bytes", stat->oldest_reader_bytes);
        xylem_cli__json_end(text, '}');
    }
    xylem_cli__member_count(text, "session_count", stat->session_count);
    xylem_cli__member_count(text, "live_count", stat->live_count);
    xylem_cli__member_count(text, "deleted_count", stat->deleted_count);
    xylem_cli__member_count(text, "importing_count", stat->importing_count);
    xylem_cli__member_count(text, "freed_session_count", stat->freed_session_count);
    xylem_cli__member_count(text, "branch_count", stat->branch_count);
    xylem_cli__member_count(text, "entry_count", stat->entry_count);
    xylem_cli__member_count(text, "freed_entry_count", stat->freed_entry_count);
    xylem_cli__member_count(text, "redacting_count", stat->redacting_count);
    xylem_cli__member_count(text, "note_count", stat->note_count);
    xylem_cli__member_count(text, "kind_count", stat->kind_count);
    xylem_cli__member_count(text, "payload_bytes", stat->payload_bytes);
    xylem_cli__member_count(text, "line_bytes", stat->line_bytes);
    xylem_cli__member_count(text, "links_bytes", stat->links_bytes);
    xylem_cli__member_begin(text, "tables", '[');
    for (size_t i = 0; i < XYLEM_TABLE_COUNT; i++) {
        xylem_cli__json_begin(text, '{');
        xylem_cli__member_string(text, "name", xylem_view_of(stat->tables[i].name));
        xylem_cli__member_count(text, "row_count", stat->tables[i].rows);
        xylem_cli__member_count(text, "bytes", stat->tables[i].bytes);
        xylem_cli__member_count(text, "depth", stat->tables[i].depth);
        xylem_cli__json_end(text, '}');
    }
    xylem_cli__json_end(text, ']');
    xylem_cli__json_end(text, '}');
}

static void begin_row(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name)
{
    xylem_cli__add_column(cli, text, xylem_view_of(name), 10, XYLEM_CLI__DIM);
}

/* `lines     1.2 MiB kept beside payloads, 12.3 bytes an entry` */
static void add_bytes_row(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name, uint64_t bytes,
                          const char *what, uint64_t entries)
{
    begin_row(cli, text, name);
    xylem_cli__add_size(text, bytes);
    xylem_cli__add(text, what);
    if (entries > 0) {
        xylem_cli__addf(text, ", %.1f bytes an entry", (double)bytes / (double)entries);
    }
    xylem_cli__add(text, "\n");
}

static void add_human(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_stat *stat)
{
    begin_row(cli, text, "store");
    xylem_cli__add_shown(cli, text, xylem_view_of(cli->store_path), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, "\n");
    begin_row(cli, text, "format");
    xylem_cli__addf(text, "%u, ", stat->format_version);
    add_uuid(text, stat->uuid);
    xylem_cli__add(text, "\n");
    begin_row(cli, text, "file");
    xylem_cli__add_size(text, stat->file_bytes);
    xylem_cli__add(text, ", of which ");
    xylem_cli__add_size(text, stat->free_bytes);
    xylem_cli__add(text, " free to be used again\n");
    begin_row(cli, text, "map");
    xylem_cli__add_size(text, stat->map_bytes);
    xylem_cli__add(text, "; ");
    xylem_cli__add_count(text, stat->readers);
    xylem_cli__add(text, " of ");
    xylem_cli__add_count(text, stat->readers_max);
    xylem_cli__add(text, " reader slots taken\n");
    begin_row(cli, text, "sessions");
    xylem_cli__add_count(text, stat->session_count);
    if (stat->deleted_count > 0) {
        xylem_cli__add_next_counted(text, stat->deleted_count, "of them deleted", "of them deleted");
    }
    if (stat->importing_count > 0) {
        xylem_cli__add_next_counted(text, stat->importing_count, "being imported", "being imported");
    }
    xylem_cli__add(text, "\n");
    begin_row(cli, text, "entries");
    xylem_cli__add_count(text, stat->entry_count);
    xylem_cli__add(text, " on ");
    xylem_cli__add_counted(text, stat->branch_count, "branch", "branches");
    xylem_cli__add_next_counted(text, stat->kind_count, "kind", "kinds");
    xylem_cli__add(text, "\n");
    add_bytes_row(cli, text, "payloads", stat->payload_bytes, "", stat->entry_count);
    add_bytes_row(cli, text, "lines", stat->line_bytes, " kept beside payloads", stat->entry_count);
    add_bytes_row(cli, text, "heads", stat->links_bytes, " of links and heads", stat->entry_count);
    if (stat->redacting_count > 0) {
        begin_row(cli, text, "redacting");
        xylem_cli__add_counted(text, stat->redacting_count, "entry", "entries");
        xylem_cli__add(text, " to redact yet; if no redaction is under way, one was ended in the middle: ");
        xylem_cli__add_named(cli, text, "redact --finish", NULL);
        xylem_cli__add(text, " redacts the rest\n");
    }
    xylem_cli__add(text, "\n");
}

static int put_tables(struct xylem_cli *cli, const struct xylem_stat *stat)
{
    struct xylem_cli__table table = {.columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    for (size_t i = 0; i < XYLEM_TABLE_COUNT; i++) {
        xylem_cli__table_add(&table, xylem_view_of(stat->tables[i].name));
        xylem_cli__table_add_count(&table, stat->tables[i].rows);
        xylem_cli__add_size(&table.cell, stat->tables[i].bytes);
        xylem_cli__table_end_cell(&table);
        xylem_cli__table_add_count(&table, stat->tables[i].depth);
        if (stat->tables[i].rows > 0) {
            xylem_cli__table_add_count(&table, stat->tables[i].bytes / stat->tables[i].rows);
        } else {
            xylem_cli__table_add(&table, xylem_view_of("-"));
        }
    }
    int code = xylem_cli__table_put(cli, &table);
    xylem_cli__table_release(&table);
    return code;
}

/* Warns of a reader whose old transaction makes the file grow. */
static void warn_of_reader(struct xylem_cli *cli, const struct xylem_stat *stat)
{
    struct xylem_cli__text text = {0};
    if (stat->oldest_reader_commit_count <= COMMITS_BEHIND_MAX) {
        return;
    }
    xylem_cli__addf(&text, "process %lld has had a read transaction open for ", (long long)stat->oldest_reader_pid);
    xylem_cli__add_count(&text, stat->oldest_reader_commit_count);
    xylem_cli__add(&text, " commits: until that transaction ends, ");
    xylem_cli__add_size(&text, stat->oldest_reader_bytes);
    xylem_cli__add(&text, " of free pages cannot be used again, and the file grows");
    xylem_cli__note(cli, "%s", text.failed ? "a reader keeps the file growing" : text.bytes.data);
    xylem_cli__text_release(&text);
}

/* --- Holders ------------------------------------------------------------------------------------------------------ */

static const struct xylem_cli__column holder_columns[] = {{"PROCESS", true, 0, XYLEM_CLI__CYAN, false},
                                                          {"PROGRAM", false, 0, NULL, false},
                                                          {"RUNNING", true, 0, NULL, false},
                                                          {"OPEN FOR", false, 0, NULL, false},
                                                          {"READS NOW", false, 0, NULL, false}};

struct holders {
    struct xylem_cli *cli;
    struct xylem_cli__documents documents;
    struct xylem_cli__table table;
    struct xylem_cli__text text;
};

static const char *open_for(const struct xylem_holder *holder)
{
    return !holder->known ? "?" : holder->writes ? "writing" : "reading";
}

/* `4711  xylem  3m  reading  the newest commit` */
static int see_holder(void *context, const struct xylem_holder *holder)
{
    struct holders *holders = context;
    struct xylem_cli__text *text = &holders->text;
    struct xylem_cli__text *cell = &holders->table.cell;
    if (holder->pid == (int64_t)getpid()) {
        return 0;
    }
    if (holders->documents.wanted) {
        xylem_cli__json_document(text);
        xylem_cli__member_count(text, "pid", (uint64_t)holder->pid);
        xylem_cli__member_maybe(text, "program", holder->program.bytes == 0 ? xylem_view_of(NULL) : holder->program);
        xylem_cli__member_maybe_time(text, "started", holder->started_ms != 0, holder->started_ms);
        xylem_cli__member_maybe(text, "open_for", xylem_view_of(holder->known ? open_for(holder) : NULL));
        if (holder->reads) {
            xylem_cli__member_count(text, "commits_behind", holder->commits_behind);
        } else {
            xylem_cli__member_maybe(text, "commits_behind", xylem_view_of(NULL));
        }
        xylem_cli__json_end(text, '}');
        return xylem_cli__documents_put(holders->cli, &holders->documents, text);
    }
    xylem_cli__addf(cell, "%lld", (long long)holder->pid);
    xylem_cli__table_end_cell(&holders->table);
    xylem_cli__table_add(&holders->table, holder->program);
    if (holder->started_ms != 0) {
        xylem_cli__add_age(holders->cli, cell, holder->started_ms);
    } else {
        xylem_cli__add(cell, "?");
    }
    xylem_cli__table_end_cell(&holders->table);
    xylem_cli__table_add(&holders->table, xylem_view_of(open_for(holder)));
    if (holder->reads && holder->commits_behind > 0) {
        xylem_cli__add_counted(cell, holder->commits_behind, "commit behind", "commits behind");
    } else {
        xylem_cli__add(cell, holder->reads ? "the newest commit" : "-");
    }
    xylem_cli__table_end_cell(&holders->table);
    return 0;
}

static int run_holders(struct xylem_cli *cli, const struct stat_options *given)
{
    struct holders holders = {
        .cli = cli,
        .table = {.columns = holder_columns, .column_count = sizeof holder_columns / sizeof holder_columns[0]}};
    int code = xylem_cli__documents_start(cli, &holders.documents, given->form, "holders");
    if (code == 0 && (code = xylem_cli__open_reading(cli)) == 0 &&
        (code = xylem_holders(cli->txn, see_holder, &holders, &cli->err)) == 0 &&
        (code = xylem_cli__documents_end(cli, &holders.documents)) == 0 && holders.table.cell_count > 0) {
        code = xylem_cli__table_put(cli, &holders.table);
    } else if (code == 0 && !holders.documents.wanted) {
        xylem_cli__note(cli, "nobody else has the store open");
    }
    xylem_cli__text_release(&holders.text);
    xylem_cli__table_release(&holders.table);
    return code;
}

/* --- Sums --------------------------------------------------------------------------------------------------------- */

static int read_sums_options(struct xylem_cli *cli, struct xylem_cli__sums *sums, const struct stat_options *given,
                             bool of_session)
{
    enum xylem_cli__sums_by missing = of_session ? XYLEM_CLI__SUMS_BRANCH : XYLEM_CLI__SUMS_SESSION;
    sums->usage = given->usage;
    sums->by = given->by > 0 ? (enum xylem_cli__sums_by)(given->by - 1) : given->usage ? XYLEM_CLI__SUMS_DAY : missing;
    sums->since_ms = INT64_MIN;
    sums->until_ms = INT64_MAX;
    if (given->usage && given->bytes) {
        return xylem_cli__usage(cli, "--usage and --bytes cannot be combined");
    }
    if (sums->by == (given->usage ? XYLEM_CLI__SUMS_TOOL : XYLEM_CLI__SUMS_MODEL)) {
        return xylem_cli__usage(cli, given->usage ? "--by tool goes with --bytes" : "--by model goes with --usage");
    }
    if (sums->by == XYLEM_CLI__SUMS_BRANCH && !of_session) {
        return xylem_cli__usage(cli, "--by branch needs a SESSION");
    }
    return xylem_cli__when_between(cli, &sums->since_ms, &sums->until_ms, given->since, given->until);
}

static int run_sums(struct xylem_cli *cli, const char *word, const struct stat_options *given)
{
    struct xylem_cli__documents documents;
    struct xylem_cli__sums sums = {0};
    struct xylem_session session;
    struct xylem_gc_report freed;
    bool asks = given->bytes && word;
    int code = xylem_cli__documents_start(cli, &documents, given->form, NULL);
    if (code == 0 && (code = read_sums_options(cli, &sums, given, word != NULL)) == 0 &&
        (code = xylem_cli__open_paged(cli, !documents.wanted)) == 0 &&
        (code = word ? xylem_cli__session(cli, &session, word) : 0) == 0 &&
        (code = xylem_cli__sums_read(cli, &sums, word ? &session : NULL)) == 0 && asks) {
        /* what a deletion of the session would set free, beyond what is free already */
        struct xylem_gc_options freeing = {.dry_run = true};
        struct xylem_gc_report already;
        code = xylem_gc(&already, cli->txn, &freeing, &cli->err);
        freeing.if_deleted = session.number;
        code = code == 0 ? xylem_gc(&freed, cli->txn, &freeing, &cli->err) : code;
        asks = code == 0;
        if (asks) {
            freed.bytes -= already.bytes;
            freed.entry_count -= already.entry_count;
        }
        code = xylem_cli__sums_pardon(cli, &sums, code);
    }
    if (code == 0) {
        code = xylem_cli__sums_put(cli, &sums, word ? &session : NULL, asks ? &freed : NULL, documents.wanted);
    }
    if (code == 0 && sums.unreadable > 0) {
        xylem_cli__note(cli, "damaged places that the sums lack: %llu", (unsigned long long)sums.unreadable);
        code = XYLEM_CLI__CORRUPT;
    }
    xylem_cli__sums_release(&sums);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct stat_options *given = options;
    struct xylem_stat stat = {0};
    struct xylem_cli__text text = {0};
    struct xylem_cli__documents documents;
    if (given->usage || given->bytes) {
        return given->holders ? xylem_cli__usage(cli, "--holders stands alone") : run_sums(cli, arguments[0], given);
    }
    if (arguments[0] || given->by > 0 || given->since || given->until) {
        return xylem_cli__usage(cli, "SESSION, --by, --since and --until go with --usage or --bytes");
    }
    if (given->holders) {
        return run_holders(cli, given);
    }
    int code = xylem_cli__documents_start(cli, &documents, given->form, NULL);
    if (code != 0 || (code = xylem_cli__open_reading(cli)) != 0 ||
        (code = xylem_stat_read(&stat, cli->txn, &cli->err)) != 0) {
        return code;
    }
    (documents.wanted ? add_json : add_human)(cli, &text, &stat);
    code = xylem_cli__put_output(cli, &text, documents.wanted);
    if (code == 0 && !documents.wanted) {
        code = put_tables(cli, &stat);
    }
    if (code == 0) {
        warn_of_reader(cli, &stat);
    }
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_stat = {
    .name = "stat",
    .group = XYLEM_CLI__PLUMBING,
    .summary = "Show figures of the store, what sessions cost, and who has it open",
    .usage = "[--holders|--usage|--bytes] [SESSION] [--by WHAT] [--since TIME] [--until TIME] "
             "[--json|--jsonl]",
    .details =
        "--usage sums what the answers, tools and summaries of the entries say that they cost: for each day, or by\n"
        "WHAT. An entry that sessions share counts once, for the session that owns it. Deleted sessions count until\n"
        "`xylem gc` frees them. --bytes sums payloads, and lines kept beside payloads.\n",
    .options = stat_table,
    .options_bytes = sizeof(struct stat_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
