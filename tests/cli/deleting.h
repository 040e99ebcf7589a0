/* The sessions of the tests of `xylem delete` for many sessions. */
#ifndef XYLEM_TESTS_CLI_DELETING_H
#define XYLEM_TESTS_CLI_DELETING_H

#include "tests/cli/command.h"
#include "xylem/lease.h"
#include "xylem/session.h"

/* Writes the file ID.jsonl of the temporary directory, and imports the file. */
static inline void import_text(struct command *command, const char *id, const char *text)
{
    char name[64];
    char path[256];
    snprintf(name, sizeof name, "%s.jsonl", id);
    command_path(path, command, name);
    command_write_file(path, text, strlen(text));
    command_run(command, "import", "-q", path, NULL);
    assert_exit(command, 0);
}

/* The ids of the live sessions, from the oldest to the newest. */
static inline void assert_live(struct command *command, const char *expected)
{
    char live[200] = "";
    command_must(command, "sessions --sort created -r --jsonl --runs");
    for (const char *at = command->out; (at = strstr(at, "\"session\":\"")); at++) {
        size_t length = strlen(live);
        at += strlen("\"session\":\"");
        snprintf(live + length, sizeof live - length, "%s%.*s", length > 0 ? " " : "", (int)strcspn(at, "\""), at);
    }
    assert_string_equal(live, expected);
}

/* A handle of the test, which owns a session. */
struct owner {
    struct xylem_store *store;
    struct xylem_lease *lease;
};

static inline void own(struct owner *owner, const struct command *command, const char *id)
{
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_error err = {0};
    assert_int_equal(xylem_open(&owner->store, command->store, NULL, &err), 0);
    assert_int_equal(xylem_begin(&txn, owner->store, XYLEM_READ, &err), 0);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of(id), &err), 0);
    uint64_t number = session.number;
    xylem_abort(txn);
    assert_int_equal(xylem_lease_take(&owner->lease, owner->store, number, &err), 0);
}

static inline void disown(const struct owner *owner)
{
    assert_int_equal(xylem_lease_release(owner->lease, NULL), 0);
    assert_int_equal(xylem_close(owner->store, NULL), 0);
}

#endif
