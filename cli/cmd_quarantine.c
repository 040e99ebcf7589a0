/* xylem quarantine: lists the lines that imports could not place, or prints a line. */
#include "cli/cli.h"
#include "xylem/files.h"

struct quarantine_options {
    struct xylem_cli__form form;
    struct xylem_cli__count line;
    bool raw;
};

static const struct xylem_cli__option quarantine_table[] = {
    XYLEM_CLI__FORM_ROWS(struct quarantine_options, "print one JSON document a line"),
    {"line", 0, "N", XYLEM_CLI__COUNT, offsetof(struct quarantine_options, line), "only the line of this number", NULL},
    {"raw", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct quarantine_options, raw), "print the bytes of that line", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static const struct xylem_cli__column columns[] = {
    {"SESSION", false, 24, XYLEM_CLI__YELLOW, true}, /* only in a list of all sessions */
    {"LINE", true, 0, XYLEM_CLI__YELLOW, false},
    {"OFFSET", true, 0, NULL, false},
    {"BYTES", true, 0, NULL, false},
    {"REASON", false, 0, XYLEM_CLI__RED, false},
    {"FILE", false, 6, NULL, false},
    {"BEGINS WITH", false, 11, NULL, false},
};
#define COLUMN_COUNT (sizeof columns / sizeof columns[0])
#define BEGINNING_BYTES 60u
#define WIDE_CELLS 120u
#define FILE_BYTES_NARROW 32u

struct listing {
    const struct quarantine_options *given;
    struct xylem_cli__table table;
    struct xylem_cli__text text;
    struct xylem_cli__documents documents;
    bool all;                              /* list the lines of every session */
    struct xylem_cli__short_ids short_ids; /* empty: ids are shown whole */
    struct xylem_view session_id;          /* of the current session */
    uint64_t line_count;                   /* listed lines */
};

static bool is_narrow(const struct xylem_cli *cli)
{
    return cli->width > 0 && cli->width < WIDE_CELLS;
}

static int print_json(struct xylem_cli *cli, struct listing *listing, const struct xylem_quarantined *row)
{
    struct xylem_cli__text *text = &listing->text;
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "session", listing->session_id);
    xylem_cli__member_count(text, "line", row->line);
    xylem_cli__member_count(text, "offset", row->offset);
    xylem_cli__member_hex(text, "hash", row->hash);
    xylem_cli__member_string(text, "type", xylem_view_of(xylem_import_problem_word(row->reason)));
    xylem_cli__member_string(text, "text", xylem_view_of(xylem_import_problem_text(row->reason)));
    xylem_cli__member_string(text, "file", row->source);
    xylem_cli__member_count(text, "bytes", row->raw_bytes);
    xylem_cli__member_maybe(text, "raw", row->raw.bytes == row->raw_bytes ? row->raw : xylem_view_of(NULL));
    xylem_cli__json_end(text, '}');
    return xylem_cli__documents_put(cli, &listing->documents, text);
}

static void add_row(const struct xylem_cli *cli, struct listing *listing, const struct xylem_quarantined *row)
{
    struct xylem_cli__table *table = &listing->table;
    struct xylem_view beginning = row->raw;
    if (listing->all) {
        xylem_cli__table_add(table, xylem_cli__short_id(&listing->short_ids, listing->session_id));
    }
    xylem_cli__table_add_count(table, row->line);
    xylem_cli__table_add_count(table, row->offset);
    xylem_cli__table_add_count(table, row->raw_bytes);
    xylem_cli__table_add(table, xylem_view_of(xylem_import_problem_word(row->reason)));
    xylem_cli__add_path(cli, &table->cell, "", row->source, is_narrow(cli) ? FILE_BYTES_NARROW : SIZE_MAX);
    xylem_cli__table_end_cell(table);
    if (beginning.bytes > 0 && beginning.data[beginning.bytes - 1] == '\n') {
        beginning.bytes--;
    }
    beginning.bytes = beginning.bytes > BEGINNING_BYTES ? BEGINNING_BYTES : beginning.bytes;
    xylem_cli__table_add(table, beginning);
}

static int print_raw(struct xylem_cli *cli, const struct xylem_quarantined *row)
{
    if (row->reason == XYLEM_IMPORT_REDACTED) {
        xylem_cli__note(cli, "line %llu was redacted: its bytes are not in the store", (unsigned long long)row->line);
        return XYLEM_CLI__PROBLEM;
    }
    if (row->raw.bytes != row->raw_bytes) {
        xylem_cli__note(cli, "line %llu has %llu bytes: too long to be kept", (unsigned long long)row->line,
                        (unsigned long long)row->raw_bytes);
        return XYLEM_CLI__PROBLEM;
    }
    return xylem_cli__put_stored(cli, row->raw.data, row->raw.bytes);
}

/* Deleted sessions and unfinished imports have lines in quarantine, too. */
static int list(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct listing *listing = context;
    struct xylem_quarantine *quarantine = NULL;
    struct xylem_quarantined row;
    if (session->state == XYLEM_SESSION_FREED) {
        return 0;
    }
    int code = xylem_quarantine_new(&quarantine, cli->txn, session->number, &cli->err);
    listing->session_id = session->id;

    while (code == 0 && (code = xylem_quarantine_next(&row, quarantine, &cli->err)) == 1) {
        code = 0;
        if (listing->given->line.given && row.line != listing->given->line.number) {
            continue;
        }
        listing->line_count++;
        if (listing->given->raw) {
            code = print_raw(cli, &row);
        } else if (listing->documents.wanted) {
            code = print_json(cli, listing, &row);
        } else {
            add_row(cli, listing, &row);
        }
    }
    xylem_quarantine_free(quarantine);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct listing listing = {.given = options, .all = !arguments[0]};
    struct xylem_session session;
    int code = xylem_cli__documents_start(cli, &listing.documents, listing.given->form, "lines");
    listing.table.columns = listing.all ? columns : columns + 1;
    listing.table.column_count = listing.all ? COLUMN_COUNT : COLUMN_COUNT - 1;
    if (code == 0 && (listing.all ? listing.given->line.given : listing.given->raw && !listing.given->line.given)) {
        code = xylem_cli__usage(cli, "expected a session and a line: xylem quarantine SESSION --line N%s",
                                listing.given->raw ? " --raw" : "");
    }
    if (code == 0 && listing.documents.wanted && listing.given->raw) {
        code = xylem_cli__usage(cli, "--raw cannot be combined with --json or --jsonl");
    }
    bool paged = !listing.documents.wanted && !listing.given->raw;
    if (code == 0 && (code = xylem_cli__open_paged(cli, paged)) == 0 && listing.all && is_narrow(cli)) {
        code = xylem_cli__short_ids_read(cli, &listing.short_ids);
    }
    if (code == 0 && listing.all) {
        code = xylem_cli__each_session(cli, list, &listing);
    } else if (code == 0 && (code = xylem_cli__session(cli, &session, arguments[0])) == 0) {
        code = list(cli, &listing, &session);
    }
    if (code == 0 && listing.given->line.given && listing.line_count == 0) {
        code = xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "line %llu is not in quarantine",
                               (unsigned long long)listing.given->line.number);
    }
    if (code == 0 && listing.line_count == 0 && !listing.documents.wanted) {
        xylem_cli__note(cli, "no line%s is in quarantine", listing.all ? "" : " of the session");
    }
    if (code == 0 && (code = xylem_cli__documents_end(cli, &listing.documents)) == 0) {
        code = xylem_cli__table_put(cli, &listing.table);
    }
    xylem_cli__text_release(&listing.text);
    xylem_cli__short_ids_release(&listing.short_ids);
    xylem_cli__table_release(&listing.table);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_quarantine = {
    .name = "quarantine",
    .group = XYLEM_CLI__PLUMBING,
    .summary = "List the lines that imports could not place, or print a line",
    .usage = "[SESSION [--line N [--raw]]] [--json|--jsonl]",
    .details = "Without SESSION lists the lines of all sessions, deleted sessions included.\n",
    .options = quarantine_table,
    .options_bytes = sizeof(struct quarantine_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
