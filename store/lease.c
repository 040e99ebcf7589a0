/*
 * Gives one handle alone the right to change a session (a lease). An owner consists of a row and a lock:
 *
 *     row in `meta`       session -> token, process, host. No two leases of a store have the same token.
 *     byte in xylem.lock  locked, at the offset of the token. The kernel unlocks the byte when the process ends.
 *
 *     row with the byte locked     the owner is alive
 *     row with the byte unlocked   the owner is dead
 *     no row                       no owner, or the lease was broken
 *
 * Every transaction that changes a session looks at the row. So an owner that was stopped while somebody broke its
 * lease finds its token gone, however late the owner goes on.
 */
#include "store/lease.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/os.h"
#include "base/time.h"
#include "store/lmdb/lease_locks.h"
#include "store/meta.h"

#define KEY_BYTES (sizeof XYLEM_FORMAT__META_LEASE - 1 + sizeof(uint64_t))

/* --- Rows ------------------------------------------------------------------------------------------------------- */

static struct xylem_view key_of(unsigned char key[KEY_BYTES], uint64_t session)
{
    size_t name_bytes = sizeof XYLEM_FORMAT__META_LEASE - 1;
    memcpy(key, XYLEM_FORMAT__META_LEASE, name_bytes);
    xylem_base__put_u64_be(key + name_bytes, session);
    return (struct xylem_view){(const char *)key, KEY_BYTES};
}

bool xylem_store__lease_key_is(struct xylem_view key)
{
    return xylem_base__view_begins(key, XYLEM_BASE__LITERAL(XYLEM_FORMAT__META_LEASE));
}

static bool decode_owner(struct xylem_lease_owner *owner, struct xylem_view row)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    memset(owner, 0, sizeof *owner);
    owner->token = xylem_base__read_u64(&cursor);
    owner->pid = xylem_base__read_i64(&cursor);
    owner->since_ms = xylem_base__read_i64(&cursor);
    struct xylem_view host = xylem_base__read_sized(&cursor);
    if (!xylem_base__cursor_ended(&cursor) || host.bytes > XYLEM_HOST_BYTES_MAX || owner->token > INT64_MAX) {
        return false;
    }
    memcpy(owner->host, host.bytes > 0 ? host.data : "", host.bytes);
    return true;
}

bool xylem_store__lease_row_read(uint64_t *session, struct xylem_lease_owner *owner, struct xylem_view key,
                                 struct xylem_view row)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    xylem_base__read_bytes(&cursor, sizeof XYLEM_FORMAT__META_LEASE - 1);
    *session = xylem_base__read_u64_be(&cursor);
    return xylem_base__cursor_ended(&cursor) && xylem_store__lease_key_is(key) && decode_owner(owner, row);
}

int xylem_store__lease_tally_read(struct xylem_store__lease_tally *tally, struct xylem_txn *txn,
                                  struct xylem_error *err)
{
    uint64_t numbers[2] = {0, 0};
    int found = xylem_store__meta_numbers_read(numbers, 2, txn, XYLEM_FORMAT__META_LEASES, err);
    *tally = (struct xylem_store__lease_tally){.last_token = numbers[0], .owner_count = numbers[1]};
    if (found > 0 && tally->last_token > XYLEM_LMDB__LEASE_TOKEN_MAX) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row %s of the table meta has invalid fields",
                                xylem_lmdb__path(txn), XYLEM_FORMAT__META_LEASES);
    }
    return found < 0 ? found : XYLEM_OK;
}

int xylem_store__lease_tally_write(struct xylem_txn *txn, const struct xylem_store__lease_tally *tally,
                                   struct xylem_error *err)
{
    const uint64_t numbers[] = {tally->last_token, tally->owner_count};
    xylem_lmdb__seen(txn)->lease_count_read = false;
    xylem_lmdb__seen(txn)->lease_checked = 0;
    return xylem_store__meta_numbers_write(txn, XYLEM_FORMAT__META_LEASES, numbers, 2, err);
}

int xylem_store__owner_read(struct xylem_lease_owner *owner, struct xylem_txn *txn, uint64_t session,
                            struct xylem_error *err)
{
    unsigned char key[KEY_BYTES];
    struct xylem_view row = {NULL, 0};
    int found = xylem_lmdb__get_summed(&row, txn, XYLEM_FORMAT__META, key_of(key, session), err);
    if (found > 0 && !decode_owner(owner, row)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s: the row in the table meta of the owner of session number %" PRIu64
                                " has invalid fields",
                                xylem_lmdb__path(txn), session);
    }
    return found;
}

int xylem_store__owner_write(struct xylem_txn *txn, uint64_t session, const struct xylem_lease_owner *owner,
                             struct xylem_error *err)
{
    unsigned char key[KEY_BYTES];
    struct xylem_buffer row = {NULL, 0, 0};
    bool made = xylem_base__add_u64(&row, owner->token) == XYLEM_OK &&
                xylem_base__add_i64(&row, owner->pid) == XYLEM_OK &&
                xylem_base__add_i64(&row, owner->since_ms) == XYLEM_OK &&
                xylem_base__add_sized(&row, xylem_view_of(owner->host)) == XYLEM_OK;
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__META, key_of(key, session), &row, made, true, err);
}

int xylem_store__owner_remove(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    unsigned char key[KEY_BYTES];
    struct xylem_store__lease_tally tally;
    int code = xylem_store__lease_tally_read(&tally, txn, err);
    if (code == XYLEM_OK && tally.owner_count == 0) {
        code = xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table meta has an owner of a session, but counts none",
                                xylem_lmdb__path(txn));
    }
    if (code < 0) {
        return code;
    }
    tally.owner_count--;
    code = xylem_lmdb__remove(txn, XYLEM_FORMAT__META, key_of(key, session), err);
    return code < 0 ? code : xylem_store__lease_tally_write(txn, &tally, err);
}

int xylem_store__lease_forget(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_lease_owner owner;
    int found = xylem_store__owner_read(&owner, txn, session, err);
    return found <= 0 ? found : xylem_store__owner_remove(txn, session, err);
}

int xylem_store__lease_counts(uint64_t *stated, uint64_t *found, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_store__lease_tally tally;
    int code;
    if ((code = xylem_store__lease_tally_read(&tally, txn, err)) < 0 ||
        (code = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__META, err)) < 0) {
        return code;
    }
    struct xylem_view key = xylem_view_of(XYLEM_FORMAT__META_LEASE);
    struct xylem_view row = {NULL, 0};
    *stated = tally.owner_count;
    *found = 0;
    code = xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__AT_OR_AFTER, err);
    while (code > 0 && xylem_store__lease_key_is(key)) {
        ++*found;
        code = xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__NEXT, err);
    }
    xylem_lmdb__rows_free(rows);
    return code < 0 ? code : XYLEM_OK;
}

/* Reads the number of owners once in a transaction: nobody else writes meanwhile. */
static int read_lease_count(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_store__lease_tally tally = {.owner_count = 0};
    struct xylem_lmdb__seen *seen = xylem_lmdb__seen(txn);
    if (seen->lease_count_read) {
        return XYLEM_OK;
    }
    int used = xylem_store__feature_used(txn, XYLEM_FORMAT__FEATURE_LEASES, err);
    int code = used <= 0 ? used : xylem_store__lease_tally_read(&tally, txn, err);
    seen->lease_count = code < 0 ? 0 : tally.owner_count;
    seen->lease_count_read = code == XYLEM_OK;
    return code;
}

int xylem_store__owned_after(uint64_t *session, struct xylem_txn *txn, uint64_t after, struct xylem_error *err)
{
    unsigned char first[KEY_BYTES];
    struct xylem_base__cursor cursor;
    struct xylem_lmdb__rows *rows;
    struct xylem_view row = {NULL, 0};
    struct xylem_view key = key_of(first, after + 1);
    int found = read_lease_count(txn, err);
    if (found < 0 || xylem_lmdb__seen(txn)->lease_count == 0 || after == UINT64_MAX) {
        return found;
    }
    if ((found = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__META, err)) < 0) {
        return found;
    }
    found = xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__AT_OR_AFTER, err);
    if (found > 0 && (found = xylem_store__lease_key_is(key)) > 0) {
        cursor = xylem_base__cursor_of(key.data, key.bytes);
        xylem_base__read_bytes(&cursor, sizeof XYLEM_FORMAT__META_LEASE - 1);
        *session = xylem_base__read_u64_be(&cursor);
        found = xylem_base__cursor_ended(&cursor)
                    ? 1
                    : xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: a key of an owner in the table meta has %zu bytes",
                                       xylem_lmdb__path(txn), key.bytes);
    }
    xylem_lmdb__rows_free(rows);
    return found;
}

int xylem_store__owner_look(struct xylem_lease_owner *owner, const struct xylem_txn *txn, struct xylem_error *err)
{
    int locked = xylem_lmdb__lease_locked(xylem_lmdb__handle(txn), owner->token, err);
    owner->alive = locked == 1;
    return locked < 0 ? locked : XYLEM_OK;
}

/* --- Checking --------------------------------------------------------------------------------------------------- */

int xylem_store__fail_leased(struct xylem_error *err, const struct xylem_session *session, const char *what,
                             const struct xylem_lease_owner *owner)
{
    char since[XYLEM_BASE__ISO_BYTES];
    char host[XYLEM_HOST_BYTES_MAX + 1];
    struct xylem_view owner_host = xylem_view_of(owner->host);
    xylem_base__time_write(since, owner->since_ms);
    xylem_base__host_name(host, sizeof host);
    bool here = owner->pid == getpid() && strcmp(host, owner->host) == 0;
    return xylem_base__fail(err, XYLEM_E_CONFLICT, "%s %.*s is leased to %sprocess %" PRId64 " on %.*s since %s", what,
                            XYLEM_BASE__SHOWN(session->id), here ? "another handle of this process, " : "", owner->pid,
                            XYLEM_BASE__SHOWN(owner_host), since);
}

/*
 * Checks the owner of a session for a handle whose own lease of the session has the token `own`, 0 for no lease:
 *   own lease   the row must have the token
 *   no lease    there must be no row, or the row of a dead owner
 */
static int check_owner(struct xylem_txn *txn, const struct xylem_session *session, uint64_t own,
                       struct xylem_error *err)
{
    struct xylem_lease_owner owner;
    int found = xylem_store__owner_read(&owner, txn, session->number, err);
    if (found < 0 || (found == 1 && own == owner.token) || (found == 0 && own == 0)) {
        return found < 0 ? found : XYLEM_OK;
    }
    int code = found == 1 ? xylem_store__owner_look(&owner, txn, err) : XYLEM_OK;
    if (code < 0) {
        return code;
    }
    if (found == 1 && owner.alive) {
        const char *what = own != 0 ? "the lease of this handle was broken; the session" : "the session";
        return xylem_store__fail_leased(err, session, what, &owner);
    }
    return own == 0 ? XYLEM_OK
                    : xylem_base__fail(err, XYLEM_E_CONFLICT, "the lease of this handle on the session %.*s was broken",
                                       XYLEM_BASE__SHOWN(session->id));
}

int xylem_store__owned_check(const struct xylem_session *session, struct xylem_error *err)
{
    return session->owner.data == NULL
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_CONFLICT,
                                  "the session %.*s is a copy: the store %.*s owns the session, and alone changes it",
                                  XYLEM_BASE__SHOWN(session->id), XYLEM_BASE__SHOWN(session->owner));
}

int xylem_store__lease_check(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err)
{
    int code = xylem_store__owned_check(session, err);
    return code < 0 ? code : xylem_store__lease_holder_check(txn, session, err);
}

int xylem_store__lease_holder_check(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_lmdb__seen *seen = xylem_lmdb__seen(txn);
    if (seen->lease_checked == session->number) {
        return XYLEM_OK; /* only writers change owners, and this transaction is the writer until its end */
    }
    uint64_t own = xylem_lmdb__lease_token(xylem_lmdb__handle(txn), session->number);
    int code = read_lease_count(txn, err);
    if (code == XYLEM_OK && (own != 0 || seen->lease_count > 0)) {
        code = check_owner(txn, session, own, err);
    }
    if (code == XYLEM_OK) {
        seen->lease_checked = session->number;
    }
    return code;
}

int xylem_lease_read(struct xylem_lease_owner *owner, struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_lease_owner read;
    int code = read_lease_count(txn, err);
    if (code < 0 || xylem_lmdb__seen(txn)->lease_count == 0) {
        return code;
    }
    int found = xylem_store__owner_read(&read, txn, session, err);
    if (found <= 0) {
        return found;
    }
    code = xylem_store__owner_look(&read, txn, err);
    if (code < 0) {
        return code;
    }
    *owner = read;
    return 1;
}
