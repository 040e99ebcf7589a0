/* xylem lease: shows the owner of a lease, or breaks the lease. */
#include "cli/cli.h"
#include "xylem/lease.h"

#include <stdio.h>
#include <string.h>

struct lease_options {
    bool yes;
    bool dry_run;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option lease_table[] = {
    XYLEM_CLI__FORM_ROWS(struct lease_options, "print one JSON document a line"),
    {"yes", 'y', NULL, XYLEM_CLI__FLAG, offsetof(struct lease_options, yes), "break: do not ask", NULL},
    {"dry-run", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct lease_options, dry_run),
     "break: only say what would be broken", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

enum verb { STATUS, BREAK, VERB_COUNT };

static const char *const verbs[VERB_COUNT + 1] = {"status", "break", NULL};

static const struct xylem_cli__column columns[] = {
    {"SESSION", false, 0, XYLEM_CLI__YELLOW, true},
    {"OWNER", false, 0, NULL, false},
    {"PROCESS", true, 0, NULL, false},
    {"HOST", false, 12, NULL, false},
    {"SINCE", false, 0, XYLEM_CLI__DIM, false},
    {"TOKEN", true, 0, XYLEM_CLI__DIM, false},
};
#define COLUMN_COUNT (sizeof columns / sizeof columns[0])

struct leases {
    struct xylem_cli__table table;
    struct xylem_cli__text text;
    struct xylem_cli__documents documents;
};

/* --- A conflict --------------------------------------------------------------------------------------------------- */

/* Who alone may change the session: nobody, a living process, another store, or a host of a fleet, which has an epoch. */
enum owner { NOBODY, PROCESS, STORE, STORE_OF_DELETED, FLEET };

static enum owner owner_of(struct xylem_cli *cli, struct xylem_view session_id)
{
    struct xylem_error before = cli->err;
    struct xylem_session session;
    struct xylem_lease_owner owner;
    enum owner found = NOBODY;
    bool between = !cli->txn;
    if (between && xylem_begin(&cli->txn, cli->store, XYLEM_READ, NULL) != 0) {
        return NOBODY;
    }
    if (xylem_cli__session_exact(cli, &session, session_id) == 1) {
        bool leased = xylem_lease_read(&owner, cli->txn, session.number, &cli->err) == 1 && owner.alive;
        found = leased                                ? PROCESS
                : session.owner.bytes == 0            ? NOBODY
                : session.epoch > 0                   ? FLEET
                : session.state == XYLEM_SESSION_LIVE ? STORE
                                                      : STORE_OF_DELETED; /* which cannot be forked */
    }
    if (between) {
        xylem_abort(cli->txn);
        cli->txn = NULL;
    }
    cli->err = before;
    return found;
}

bool xylem_cli__is_owned(struct xylem_cli *cli, struct xylem_view session_id)
{
    return owner_of(cli, session_id) != NOBODY;
}

int xylem_cli__if_leased(struct xylem_cli *cli, int code, struct xylem_view session_id)
{
    struct xylem_cli__text text = {0};
    char id[XYLEM_SESSION_ID_BYTES_MAX + 3];
    enum owner owner = code == XYLEM_E_CONFLICT ? owner_of(cli, session_id) : NOBODY;
    if (owner == NOBODY) {
        return code;
    }
    snprintf(id, sizeof id, "%.*s%s", (int)session_id.bytes, session_id.data, owner == STORE ? ":@" : "");
    xylem_cli__add(&text, cli->err.text);
    if (owner != PROCESS) {
        xylem_cli__add(&text, " (");
        if (owner == STORE) {
            xylem_cli__add_named(cli, &text, "fork", id);
            xylem_cli__add(&text, " makes a session to go on with, ");
        }
        xylem_cli__add_named(cli, &text, owner == FLEET ? "fleet resume" : "unbundle --own",
                             owner == FLEET ? id : "FILE");
        xylem_cli__add(&text, owner == FLEET ? " takes the session over" : " with the bundle takes the session over");
        if (owner == FLEET) { /* the engine may be gone */
            xylem_cli__add(&text, ", ");
            xylem_cli__add_named(cli, &text, "clone", id);
            xylem_cli__add(&text, " makes a session to go on with, also without the fleet");
        }
        xylem_cli__add(&text, ")");
    } else {
        xylem_cli__add(&text, "; only the owner may change the session (");
        xylem_cli__add_named(cli, &text, "lease status", NULL);
        xylem_cli__add(&text, " shows the owner, ");
        xylem_cli__add_named(cli, &text, "lease break", id);
        xylem_cli__add(&text, " ends the lease)");
    }
    return xylem_cli__fail_text(cli, code, &text);
}

/* --- Status ------------------------------------------------------------------------------------------------------- */

static int show_one(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct leases *leases = context;
    struct xylem_cli__table *table = &leases->table;
    struct xylem_cli__text *text = &leases->text;
    struct xylem_lease_owner owner;
    int code = xylem_lease_read(&owner, cli->txn, session->number, &cli->err);
    if (code <= 0) {
        return code;
    }
    if (leases->documents.wanted) {
        xylem_cli__json_document(text);
        xylem_cli__member_session(text, session->id, session->name_space);
        xylem_cli__member_count(text, "pid", (uint64_t)owner.pid);
        xylem_cli__member_string(text, "host", xylem_view_of(owner.host));
        xylem_cli__member_time(text, "since", owner.since_ms);
        xylem_cli__member_bool(text, "alive", owner.alive);
        xylem_cli__member_count(text, "token", owner.token);
        xylem_cli__json_end(text, '}');
        return xylem_cli__documents_put(cli, &leases->documents, text);
    }
    xylem_cli__add_bytes(&table->cell, session->id.data, session->id.bytes);
    xylem_cli__add_name_space(cli, &table->cell, session->name_space);
    xylem_cli__table_end_cell(table);
    xylem_cli__table_add(table, xylem_view_of(owner.alive ? "alive" : "gone"));
    xylem_cli__addf(&table->cell, "%lld", (long long)owner.pid);
    xylem_cli__table_end_cell(table);
    xylem_cli__table_add(table, xylem_view_of(owner.host));
    xylem_cli__add_time(&table->cell, owner.since_ms);
    xylem_cli__table_end_cell(table);
    xylem_cli__addf(&table->cell, "%llu", (unsigned long long)owner.token);
    xylem_cli__table_end_cell(table);
    return 0;
}

static int show_status(struct xylem_cli *cli, const char *spec, struct xylem_cli__form form)
{
    struct leases leases = {.table = {.columns = columns, .column_count = COLUMN_COUNT}};
    struct xylem_session session;
    int code = xylem_cli__documents_start(cli, &leases.documents, form, "leases");
    if (code == 0 && (code = xylem_cli__open_reading(cli)) == 0 && !spec) {
        code = xylem_cli__each_session_of_store(cli, show_one, &leases);
    } else if (code == 0 && (code = xylem_cli__session_kept(cli, &session, spec)) == 0) {
        code = show_one(cli, &leases, &session);
    }
    if (code == 0 && (code = xylem_cli__documents_end(cli, &leases.documents)) == 0 && leases.table.cell_count > 0) {
        code = xylem_cli__table_put(cli, &leases.table);
    } else if (code == 0 && leases.table.cell_count == 0 && !leases.documents.wanted) {
        xylem_cli__note(cli, spec ? "the session %s has no owner" : "no session has an owner", spec);
    }
    xylem_cli__text_release(&leases.text);
    xylem_cli__table_release(&leases.table);
    return code;
}

/* --- Break -------------------------------------------------------------------------------------------------------- */

static int fail_free(struct xylem_cli *cli, const char *id)
{
    return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "the session %s has no owner, so there is no lease to break", id);
}

/* `the lease of session s: process 4711 on host, since 2026-11-20 17:18:05, alive` */
static void describe(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *id,
                     const struct xylem_lease_owner *owner)
{
    xylem_cli__add(text, "the lease of session ");
    xylem_cli__add_shown(cli, text, xylem_view_of(id), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__addf(text, ": process %lld on ", (long long)owner->pid);
    xylem_cli__add_shown(cli, text, xylem_view_of(owner->host), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, ", since ");
    xylem_cli__add_time(text, owner->since_ms);
    xylem_cli__add(text, owner->alive ? ", alive" : ", gone");
}

/* Finds the lease to break: the session's number, the session's id, and the owner. */
static int look(struct xylem_cli *cli, uint64_t *number, char *id, struct xylem_lease_owner *owner, const char *spec)
{
    struct xylem_session session;
    int code = xylem_cli__open_reading(cli);
    if (code != 0 || (code = xylem_cli__session_kept(cli, &session, spec)) != 0) {
        return code;
    }
    memcpy(id, session.id.data, session.id.bytes);
    id[session.id.bytes] = '\0';
    *number = session.number;
    code = xylem_lease_read(owner, cli->txn, session.number, &cli->err);
    return code == 0 ? fail_free(cli, id) : code < 0 ? code : 0;
}

static int break_lease(struct xylem_cli *cli, const char *spec, const struct lease_options *given)
{
    struct xylem_lease_owner owner;
    struct xylem_cli__text line = {0};
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    uint64_t number = 0;
    int code = look(cli, &number, id, &owner, spec);
    xylem_cli__close_store(cli);
    if (code == 0 && !given->dry_run && !given->yes) {
        xylem_cli__add(&line, "Break ");
        describe(cli, &line, id, &owner);
        xylem_cli__add(&line, "?");
        code = xylem_cli__confirm(cli, &line, "nothing was broken");
    }
    if (code == 0 && !given->dry_run && (code = xylem_cli__open_writing(cli)) == 0) {
        code = xylem_lease_break(&owner, cli->store, number, &cli->err);
        code = code == 0 ? fail_free(cli, id) : code < 0 ? code : 0;
    }
    if (code != 0) {
        return code;
    }
    if (given->form.json) {
        xylem_cli__json_document(&line);
        xylem_cli__member_string(&line, "session", xylem_view_of(id));
        xylem_cli__member_count(&line, "token", owner.token);
        xylem_cli__member_bool(&line, "dry_run", given->dry_run);
        xylem_cli__json_end(&line, '}');
    } else {
        xylem_cli__add(&line, given->dry_run ? "would break " : "broke ");
        describe(cli, &line, id, &owner);
        xylem_cli__add(&line, "\n");
    }
    return xylem_cli__put_output(cli, &line, given->form.json);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct lease_options *given = options;
    const char *session = arguments[1];
    if (strcmp(arguments[0], verbs[STATUS]) == 0) {
        return given->yes || given->dry_run ? xylem_cli__usage(cli, "--yes and --dry-run are for `lease break`")
                                            : show_status(cli, session, given->form);
    }
    if (strcmp(arguments[0], verbs[BREAK]) != 0) {
        return xylem_cli__usage(cli, "'%s': expected `status` or `break`", arguments[0]);
    }
    if (!session) {
        return xylem_cli__usage(cli, "an argument is missing: xylem lease break SESSION");
    }
    return given->form.jsonl ? xylem_cli__usage(cli, "--jsonl is for `lease status`")
                             : break_lease(cli, session, given);
}

static const char *const *verb_words(void)
{
    return verbs;
}

const struct xylem_cli__command xylem_cli__cmd_lease = {
    .name = "lease",
    .group = XYLEM_CLI__PLUMBING,
    .summary = "Show the owner of a session's lease, or break the lease",
    .usage = "status|break [SESSION] [--json|--jsonl] [--yes] [--dry-run]",
    .details =
        "A program can take the lease of a session. Then only that program may change the session, until the\n"
        "program gives the lease back or ends. `status` shows the owner of SESSION, or every owner. `break` ends\n"
        "the lease of SESSION, even if the owner hangs; that owner can then change nothing more. `break` asks\n"
        "first on a terminal; elsewhere --yes is needed.\n",
    .options = lease_table,
    .options_bytes = sizeof(struct lease_options),
    .arguments_min = 1,
    .arguments_max = 2,
    .arguments = {XYLEM_CLI__WORD, XYLEM_CLI__SESSION},
    .words = verb_words,
    .run = run,
};
