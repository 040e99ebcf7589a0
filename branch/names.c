/*
 * Lists the names of sessions: the kept names, and the names of sessions that have a notice or are new. Entries without
 * a name move no name, so their sessions are not looked at.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "branch/outline.h"
#include "store/session.h"

struct xylem_names {
    struct xylem_txn *txn;
    struct xylem_view whole; /* data NULL: all names */
    struct xylem_base__numbers stale;
    size_t next;
    struct xylem_store__outline_list kept;
    bool reads_kept;
    bool damaged;
    struct xylem_base__numbers given; /* sessions whose kept names were given */
    struct xylem_buffer name;
};

static int add_number(void *context, const struct xylem_session *session)
{
    return xylem_base__numbers_add(context, session->number, NULL);
}

/* Damage in the kept names: every session counts as stale, but those whose names were given. */
static int list_all(struct xylem_names *names, struct xylem_error *err)
{
    names->reads_kept = false;
    xylem_base__numbers_sort(&names->given);
    names->stale.count = 0;
    names->next = 0;
    int code = xylem_store__each_session(names->txn, add_number, &names->stale, err);
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : code;
}

int xylem_names_new(struct xylem_names **names, struct xylem_txn *txn, struct xylem_view whole, struct xylem_error *err)
{
    struct xylem_names *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->txn = txn;
    made->whole = whole;
    made->reads_kept = true;
    xylem_format__key_outline_named(&made->kept.beginning, whole);
    xylem_format__key_outline_named(&made->kept.from, whole);
    int code;
    if ((code = xylem_store__outline_stale(&made->stale, NULL, txn, true, err)) < 0 ||
        (code = xylem_store__outline_list_start(&made->kept, txn, err)) < 0) {
        code = code == XYLEM_E_CORRUPT ? list_all(made, err) : code;
    }
    if (code < 0) {
        xylem_names_free(made);
        return code;
    }
    *names = made;
    return XYLEM_OK;
}

/* The name of a stale session: 1, or 0 without a name. */
static int read_stale(struct xylem_names *names, uint64_t number, struct xylem_error *err)
{
    struct xylem_session session;
    struct xylem_outline outline;
    int code = xylem_session_read(&session, names->txn, number, err);
    if (xylem_store__no_entry(code) || (code == XYLEM_OK && session.state == XYLEM_SESSION_FREED) ||
        xylem_base__numbers_have(&names->given, number)) {
        return 0;
    }
    xylem_base__buffer_clear(&names->name);
    code = code < 0 ? code : xylem_outline_read(&outline, &names->name, names->txn, &session, err);
    names->damaged = names->damaged || code == XYLEM_E_CORRUPT;
    return code == XYLEM_E_CORRUPT ? 0 : code < 0 ? code : outline.has_name;
}

/* 1 and a kept name, or 0 at their end. A name that the key cannot hold is in the row. */
static int next_kept(uint64_t *session, struct xylem_view *name, struct xylem_names *names, struct xylem_error *err)
{
    struct xylem_view key;
    struct xylem_store__outline outline;
    int found;
    while ((found = xylem_store__outline_list_next(&key, &names->kept, err)) > 0) {
        if (!xylem_format__key_read_outline_name(name, session, key)) {
            return xylem_base__fail(err, XYLEM_E_CORRUPT, "a key of the table outlines has %zu bytes", key.bytes);
        }
        if (xylem_base__numbers_have(&names->stale, *session)) {
            continue;
        }
        if (name->bytes == XYLEM_FORMAT__NAME_KEY_BYTES_MAX) {
            found = xylem_store__outline_row(&outline, names->txn, *session, err);
            *name = outline.name;
            return found != 0 ? found
                              : xylem_base__fail(err, XYLEM_E_CORRUPT, "the table outlines lacks a row of session %llu",
                                                 (unsigned long long)*session);
        }
        return 1;
    }
    return found;
}

int xylem_names_next(uint64_t *session, struct xylem_view *name, struct xylem_names *names, struct xylem_error *err)
{
    int found;
    do {
        found = names->reads_kept ? next_kept(session, name, names, err) : 0;
        if (found == XYLEM_E_CORRUPT) {
            found = list_all(names, err);
        } else if (found == 1) {
            int code = xylem_base__numbers_add(&names->given, *session, err);
            found = code < 0 ? code : 1;
        }
        names->reads_kept = names->reads_kept && found == 1;
        while (found == 0 && names->next < names->stale.count) {
            *session = names->stale.list[names->next++];
            found = read_stale(names, *session, err);
            *name = xylem_base__buffer_view(&names->name);
        }
    } while (found == 1 && names->whole.data && !xylem_base__view_equal(*name, names->whole));
    return found;
}

bool xylem_names_damaged(const struct xylem_names *names)
{
    return names->damaged;
}

void xylem_names_free(struct xylem_names *names)
{
    if (names) {
        xylem_store__outline_list_end(&names->kept);
        xylem_buffer_release(&names->name);
        free(names->stale.list);
        free(names->given.list);
        free(names);
    }
}
