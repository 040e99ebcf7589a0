/* xylem sessions */
#include "cli/cli.h"

#include <stdlib.h>

struct sessions_options {
    struct xylem_cli__form form;
    bool all;
};

static const struct xylem_cli__option sessions_table[] = {
    {"all", 'a', NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, all),
     "also those that are deleted, or whose import has not finished", NULL},
    XYLEM_CLI__FORM_ROWS(struct sessions_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static const char *const state_words[] = {"live", "importing", "deleted"};

static const struct xylem_cli__column live_columns[] = {
    {"SESSION", false, 24, XYLEM_CLI__YELLOW},
    {"ENTRIES", true, 0, NULL},
    {"CREATED", false, 0, NULL},
    {"LEAF", true, 0, NULL},
    {"NAME", false, 8, XYLEM_CLI__BOLD},
    {"DIRECTORY", false, 9, NULL},
};
static const struct xylem_cli__column all_columns[] = {
    {"SESSION", false, 24, XYLEM_CLI__YELLOW},
    {"STATE", false, 0, NULL},
    {"ENTRIES", true, 0, NULL},
    {"CREATED", false, 0, NULL},
    {"LEAF", true, 0, NULL},
    {"NAME", false, 8, XYLEM_CLI__BOLD},
    {"DIRECTORY", false, 9, NULL},
};
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What a line says of a session. */
struct facts {
    struct xylem_session session;
    struct xylem_labels labels;
    struct xylem_entry leaf;
    bool has_leaf;
    uint64_t entry_count;
};

static int count_entries(struct xylem_cli *cli, struct facts *facts)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = xylem_scan_new(&scan, cli->txn, facts->session.number, &cli->err);

    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        facts->entry_count++;
        code = 0;
    }
    xylem_scan_free(scan);
    return code;
}

static int gather(struct xylem_cli *cli, struct facts *facts)
{
    int code = xylem_labels_read(&facts->labels, cli->txn, facts->session.number, &cli->err);

    facts->has_leaf = !xylem_cli__position_none(facts->session.leaf);
    if (code == 0 && facts->has_leaf) {
        code = xylem_entry_read(&facts->leaf, cli->txn, facts->session.leaf, &cli->err);
    }
    return code != 0 ? code : count_entries(cli, facts);
}

static int print_json(struct xylem_cli *cli, struct xylem_cli__documents *documents, const struct facts *facts)
{
    const struct xylem_session *session = &facts->session;
    struct xylem_cli__text text = {0};

    xylem_cli__json_document(&text);
    xylem_cli__json_key(&text, "id");
    xylem_cli__json_string(&text, session->id);
    xylem_cli__json_key(&text, "state");
    xylem_cli__json_string(&text, xylem_view_of(state_words[session->state]));
    xylem_cli__json_key(&text, "created");
    xylem_cli__json_time(&text, session->created_ms);
    xylem_cli__json_key(&text, "entries");
    xylem_cli__json_count(&text, facts->entry_count);
    xylem_cli__json_key(&text, "leaf");
    xylem_cli__json_maybe(&text, facts->has_leaf ? facts->leaf.id : (struct xylem_view){NULL, 0});
    xylem_cli__json_key(&text, "leaf_time");
    if (facts->has_leaf) {
        xylem_cli__json_time(&text, facts->leaf.time_ms);
    } else {
        xylem_cli__json_null(&text);
    }
    xylem_cli__json_key(&text, "depth");
    xylem_cli__json_count(&text, session->leaf.depth);
    xylem_cli__json_key(&text, "name");
    xylem_cli__json_maybe(&text, facts->labels.name);
    xylem_cli__json_key(&text, "cwd");
    xylem_cli__json_maybe(&text, session->cwd);
    xylem_cli__json_key(&text, "parent_session");
    xylem_cli__json_maybe(&text, session->parent);
    xylem_cli__json_key(&text, "moves");
    xylem_cli__json_count(&text, session->move_count);
    xylem_cli__json_end(&text, '}');
    int code = xylem_cli__documents_put(cli, documents, &text);
    xylem_cli__text_release(&text);
    return code;
}

static void add_row(const struct xylem_cli *cli, struct xylem_cli__table *table, const struct facts *facts, bool all)
{
    struct xylem_cli__text cell = {0};

    xylem_cli__table_add(table, facts->session.id);
    if (all) {
        xylem_cli__table_add(table, xylem_view_of(state_words[facts->session.state]));
    }
    xylem_cli__add_count(&cell, facts->entry_count);
    xylem_cli__table_add_text(table, &cell);
    xylem_cli__add_minute(&cell, facts->session.created_ms);
    xylem_cli__table_add_text(table, &cell);
    if (facts->has_leaf) {
        xylem_cli__add_age(cli, &cell, facts->leaf.time_ms);
    } else {
        xylem_cli__add(&cell, "none");
    }
    xylem_cli__table_add_text(table, &cell);
    xylem_cli__table_add(table, facts->labels.name.data == NULL ? xylem_view_of("-") : facts->labels.name);
    xylem_cli__table_add(table, facts->session.cwd.data == NULL ? xylem_view_of("-") : facts->session.cwd);
    xylem_cli__text_release(&cell);
}

struct row {
    int64_t created_ms;
    uint64_t number;
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *left = a;
    const struct row *right = b;

    if (left->created_ms != right->created_ms) {
        return left->created_ms > right->created_ms ? -1 : 1;
    }
    return (left->number < right->number) - (left->number > right->number);
}

static int gather_rows(struct xylem_cli *cli, struct row **rows, size_t *count, bool all)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    size_t capacity = 0;
    int code = xylem_sessions_new(&sessions, cli->txn, &cli->err);

    while (code == 0 && (code = xylem_sessions_next(&session, sessions, &cli->err)) == 1) {
        code = 0;
        if (!all && session.state != XYLEM_SESSION_LIVE) {
            continue;
        }
        if (*count == capacity) {
            capacity = capacity == 0 ? 64 : capacity * 2;
            struct row *more = reallocarray(*rows, capacity, sizeof(*more));
            if (more == NULL) {
                code = xylem_cli__fail_memory(cli);
                break;
            }
            *rows = more;
        }
        (*rows)[(*count)++] = (struct row){session.created_ms, session.number};
    }
    xylem_sessions_free(sessions);
    return code;
}

struct listing {
    bool all;
    struct xylem_cli__table table;
    struct xylem_cli__documents documents;
};

/* What was found is printed also where some of it is damaged. */
static int end_list(struct xylem_cli *cli, struct listing *listing, int result)
{
    int code = 0;

    if (listing->documents.wanted) {
        code = xylem_cli__documents_end(cli, &listing->documents);
    } else if (listing->table.cell_count > 0) {
        code = xylem_cli__table_put(cli, &listing->table);
    }
    return code != 0 ? code : result;
}

/* Damage in one session does not hide the others: it is reported, and decides the exit code. */
static int list(struct xylem_cli *cli, struct listing *listing, const struct row *rows, size_t count)
{
    int result = 0;
    int code = 0;

    for (size_t i = 0; i < count && code == 0; i++) {
        struct facts facts = {0};
        code = xylem_session_read(&facts.session, cli->txn, rows[i].number, &cli->err);
        if (code == 0) {
            code = gather(cli, &facts);
        }
        if (code == XYLEM_E_CORRUPT) {
            struct xylem_view id = facts.session.id.bytes == 0 ? xylem_view_of("?") : facts.session.id;
            xylem_cli__note(cli, "session %.*s: %s", (int)id.bytes, id.data, cli->err.text);
            result = XYLEM_CLI__CORRUPT;
            code = 0;
        } else if (code == 0 && listing->documents.wanted) {
            code = print_json(cli, &listing->documents, &facts);
        } else if (code == 0) {
            add_row(cli, &listing->table, &facts, listing->all);
        }
        xylem_labels_release(&facts.labels);
    }
    return code != 0 ? code : result;
}

static int run(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options)
{
    const struct sessions_options *given = options;
    struct listing listing = {.all = given->all,
                              .table = {.columns = live_columns, .column_count = COUNT_OF(live_columns)}};
    struct row *rows = NULL;
    size_t count = 0;

    (void)arguments;
    (void)argument_count;
    if (given->all) {
        listing.table.columns = all_columns;
        listing.table.column_count = COUNT_OF(all_columns);
    }
    int code = xylem_cli__documents_start(cli, &listing.documents, given->form, "sessions");
    if (code == 0) {
        code = xylem_cli__open_reading(cli);
    }
    if (code == 0) {
        code = gather_rows(cli, &rows, &count, given->all);
    }
    if (code == 0) {
        if (count > 0) {
            qsort(rows, count, sizeof(*rows), compare_rows);
        }
        code = list(cli, &listing, rows, count);
    }
    if (code >= 0) {
        code = end_list(cli, &listing, code);
    }
    free(rows);
    xylem_cli__table_release(&listing.table);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_sessions = {
    .name = "sessions",
    .summary = "List the sessions, newest first",
    .usage = "[--all] [--json|--jsonl]",
    .details =
        "LEAF is the age of the entry where the session now stands. NAME and DIRECTORY come from the session itself.\n",
    .options = sessions_table,
    .options_bytes = sizeof(struct sessions_options),
    .run = run,
};
