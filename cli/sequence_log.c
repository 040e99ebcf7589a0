/* xylem sequence log: the events of a run, from its ledger. */
#include "cli/sequence.h"
#include "cli/show/entries.h"
#include "xylem/branch.h"

#include <stdio.h>

static const struct xylem_cli__column columns[] = {
    {"TIME", true, 0, XYLEM_CLI__DIM, false}, {"EVENT", false, 0, XYLEM_CLI__CYAN, false},
    {"ITERATION", true, 0, NULL, false},      {"STEP", true, 0, NULL, false},
    {"WHAT", false, 12, NULL, false},
};
#define COLUMN_COUNT (sizeof columns / sizeof columns[0])

struct listing {
    struct xylem_cli__documents documents;
    struct xylem_cli__table table;
    struct xylem_cli__text text;
    int64_t step_count; /* of the run; 0: not known yet */
};

/* --- The words for an event --------------------------------------------------------------------------------------- */

/* Appends `before` and the string of a member, if there is any. */
static void add_member(struct xylem_cli__text *text, const struct xylem_value *data, const char *key,
                       const char *before)
{
    struct xylem_view string = xylem_cli__string_of(data, key);
    if (string.bytes > 0) {
        xylem_cli__add(text, text->bytes.bytes > 0 ? before : "");
        xylem_cli__add_bytes(text, string.data, string.bytes);
    }
}

static void add_words(struct xylem_cli__text *text, const struct xylem_value *data)
{
    int64_t number = 0;
    const struct xylem_value *steps = xylem_value_get(data, "steps");
    if (steps) {
        xylem_cli__add_counted(text, xylem_value_count(steps), "step", "steps");
    }
    if (xylem_value_integer(&number, xylem_value_get(data, "totalRuns"))) {
        xylem_cli__addf(text, ", %lld %s", (long long)number, number == 1 ? "run" : "runs");
        add_member(text, xylem_value_get(data, "origin"), "session", ", started in ");
    }
    add_member(text, data, "outcome", ", ");
    add_member(text, data, "decision", ", ");
    add_member(text, data, "kind", ", ");
    add_member(text, data, "name", " ");
    if (xylem_value_integer(&number, xylem_value_get(data, "attempt")) && number > 1) {
        xylem_cli__addf(text, "%sattempt %lld", text->bytes.bytes > 0 ? ", " : "", (long long)number);
    }
    add_member(text, data, "session", ", in ");
    add_member(text, data, "entry", ", entry ");
    add_member(text, data, "code", ", ");
    add_member(text, data, "message", ": ");
}

/* Adds a cell with a number from 1 on; `-` without a number, and at or behind the limit. */
static void add_index(struct xylem_cli__table *table, const struct xylem_value *data, const char *key, int64_t limit)
{
    int64_t index = 0;
    if (xylem_value_integer(&index, xylem_value_get(data, key)) && index >= 0 && index < limit) {
        xylem_cli__addf(&table->cell, "%lld", (long long)index + 1);
    } else {
        xylem_cli__add(&table->cell, "-");
    }
    xylem_cli__table_end_cell(table);
}

/* A step belongs to the events of a step, and to a place between two steps. */
static bool has_step(struct xylem_view event)
{
    static const char *const without[] = {"start", "begin", "reset"};
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        if (xylem_base__view_is(event, without[i])) {
            return false;
        }
    }
    return true;
}

/* --- The entries -------------------------------------------------------------------------------------------------- */

static void add_row(const struct xylem_cli *cli, struct listing *listing, const struct xylem_entry *entry,
                    const struct xylem_value *data, const char *why)
{
    struct xylem_cli__table *table = &listing->table;
    struct xylem_view event = xylem_cli__string_of(data, "event");
    xylem_cli__add_when(cli, &table->cell, entry->time_ms);
    xylem_cli__table_end_cell(table);
    xylem_cli__table_add(table, event.bytes > 0 ? event : xylem_view_of("?"));
    if (listing->step_count == 0) {
        listing->step_count = (int64_t)xylem_value_count(xylem_value_get(data, "steps"));
    }
    add_index(table, data, "runIndex", INT32_MAX);
    add_index(table, has_step(event) ? data : NULL, "stepIndex", listing->step_count);
    if (why) {
        xylem_cli__add(&table->cell, why);
    } else {
        add_words(&table->cell, data);
    }
    xylem_cli__table_end_cell(table);
}

/* A damaged ledger may hold any entries: an entry without readable data has a row too. */
static int put_entry(struct xylem_cli *cli, struct listing *listing, const struct xylem_entry *entry)
{
    struct xylem_cli__text *text = &listing->text;
    struct xylem_document *document = NULL;
    struct xylem_error err = {0};
    int code = xylem_document_new(&document, entry, &err);
    if (code == XYLEM_E_CORRUPT || code == XYLEM_E_MEMORY) {
        cli->err = err;
        return code;
    }
    const struct xylem_value *data = document ? xylem_document_value(document) : NULL;
    if (listing->documents.wanted) {
        xylem_cli__json_document(text);
        xylem_cli__member_string(text, "entry", entry->id);
        xylem_cli__member_time(text, "time", entry->time_ms);
        xylem_cli__member_kind(text, "kind", entry->kind);
        if (data) {
            xylem_cli__json_key(text, "data");
            text->failed = text->failed || xylem_value_json(&text->bytes, data) < 0;
        } else {
            xylem_cli__member_maybe(text, "data", xylem_view_of(NULL));
        }
        xylem_cli__json_end(text, '}');
        code = xylem_cli__documents_put(cli, &listing->documents, text);
    } else {
        add_row(cli, listing, entry, data, code < 0 ? err.text : data ? NULL : "no data");
        code = 0;
    }
    xylem_document_free(document);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__form *form = options;
    struct listing listing = {.table = {.columns = columns, .column_count = COLUMN_COUNT}};
    struct xylem_scan *scan = NULL;
    struct xylem_session session;
    struct xylem_entry entry;
    char run_id[XYLEM_UUID_TEXT_BYTES];
    char id[sizeof "seq." + XYLEM_UUID_TEXT_BYTES];
    int code;
    if ((code = xylem_cli__documents_start(cli, &listing.documents, *form, "events")) < 0 ||
        (code = xylem_cli__open_paged(cli, !listing.documents.wanted)) < 0 ||
        (code = xylem_cli__run_find(cli, run_id, arguments[0])) < 0) {
        goto out;
    }
    snprintf(id, sizeof id, "seq.%s", run_id);
    code = xylem_session_find(&session, cli->txn, xylem_view_of(id), &cli->err);
    code = code < 0 ? code : xylem_scan_new(&scan, cli->txn, session.number, &cli->err);
    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        code = put_entry(cli, &listing, &entry);
    }
    xylem_scan_free(scan);
    if (code == 0 && (code = xylem_cli__documents_end(cli, &listing.documents)) == 0) {
        code = xylem_cli__table_put(cli, &listing.table);
    }
out:
    xylem_cli__table_release(&listing.table);
    xylem_cli__text_release(&listing.text);
    return code;
}

const struct xylem_cli__command xylem_cli__sequence_log = {
    .name = "sequence log",
    .summary = "List the events of a run, the oldest first",
    .usage = "RUN [--json|--jsonl]",
    .details =
        "The events are the entries of the run's ledger, the session `seq.RUN`, which `xylem log`, `show`, `verify`\n"
        "and `export` read too.\n",
    .options = xylem_cli__form_lines,
    .options_bytes = sizeof(struct xylem_cli__form),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__RUN},
    .run = run,
};
