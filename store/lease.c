/*
 * Leases: one handle that alone may change a session.
 *
 * An owner is two things. A row in `meta` says who it is, and holds a token: leases of the whole store are numbered, and
 * no number is used twice. And the owner keeps the byte of xylem.lock locked whose offset is that token, which the
 * kernel ends with its process. A row whose byte is not locked is what a dead owner left behind.
 *
 * Whoever changes a session looks at the row within the transaction that changes it. So an owner that was stopped while
 * its lease was broken finds its token gone when it goes on, however late that is.
 */
#include "store/lease.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/os.h"
#include "base/time.h"
#include "store/environment.h"
#include "store/meta.h"

#define KEY_BYTES (sizeof XYLEM_STORE__META_LEASE - 1 + sizeof(uint64_t))
#define MAP_GROWTHS_MAX 48
#define LOCK_TRIES_MAX 1024u
/* A token is an offset in a file. The last offsets are no tokens: see XYLEM_STORE__WANTED_BYTE. */
#define TOKEN_MAX (INT64_MAX - INT64_C(2) * LOCK_TRIES_MAX)
_Static_assert(XYLEM_STORE__LEASE_BYTES_FIRST == 1, "the first token is 1");

struct xylem_lease {
    struct xylem_lease *next;
    struct xylem_store *store;
    uint64_t session;
    uint64_t token;    /* 0: its byte is not locked */
    uint64_t released; /* the token that it had */
};

/* --- Rows ------------------------------------------------------------------------------------------------------- */

struct lease_key {
    unsigned char bytes[KEY_BYTES];
};

static struct xylem_view key_of(struct lease_key *key, uint64_t session)
{
    size_t name_bytes = sizeof XYLEM_STORE__META_LEASE - 1;
    memcpy(key->bytes, XYLEM_STORE__META_LEASE, name_bytes);
    xylem_base__put_u64_be(key->bytes + name_bytes, session);
    return (struct xylem_view){(const char *)key->bytes, sizeof key->bytes};
}

bool xylem_store__lease_key_is(struct xylem_view key)
{
    size_t name_bytes = sizeof XYLEM_STORE__META_LEASE - 1;
    return key.bytes >= name_bytes && memcmp(key.data, XYLEM_STORE__META_LEASE, name_bytes) == 0;
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
    xylem_base__read_bytes(&cursor, sizeof XYLEM_STORE__META_LEASE - 1);
    *session = xylem_base__read_u64_be(&cursor);
    return xylem_base__cursor_ended(&cursor) && xylem_store__lease_key_is(key) && decode_owner(owner, row);
}

/* The newest token, and how many owners there are. */
struct tally {
    uint64_t last_token;
    uint64_t owner_count;
};

static int read_tally(struct tally *tally, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_view row = {NULL, 0};
    int found = xylem_store__get_summed(&row, txn, XYLEM_STORE__META, xylem_view_of(XYLEM_STORE__META_LEASES), err);
    *tally = (struct tally){0, 0};
    if (found <= 0) {
        return found;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    tally->last_token = xylem_base__read_u64(&cursor);
    tally->owner_count = xylem_base__read_u64(&cursor);
    if (!xylem_base__cursor_ended(&cursor) || tally->last_token > TOKEN_MAX) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row %s of the table meta has fields that cannot be",
                                xylem_store__path(txn), XYLEM_STORE__META_LEASES);
    }
    return XYLEM_OK;
}

static int write_tally(struct xylem_txn *txn, const struct tally *tally, struct xylem_error *err)
{
    struct xylem_buffer row = {NULL, 0, 0};
    int code = xylem_base__add_u64(&row, tally->last_token);
    code = code < 0 ? code : xylem_base__add_u64(&row, tally->owner_count);
    code = code < 0 ? xylem_base__fail_memory(err)
                    : xylem_store__put_summed(txn, XYLEM_STORE__META, xylem_view_of(XYLEM_STORE__META_LEASES), &row,
                                              true, err);
    xylem_buffer_release(&row);
    xylem_store__seen(txn)->lease_count_read = false;
    xylem_store__seen(txn)->lease_checked = 0;
    return code;
}

/* 1 and who owns the session, dead or alive; or 0. */
static int read_owner(struct xylem_lease_owner *owner, struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct lease_key key;
    struct xylem_view row = {NULL, 0};
    int found = xylem_store__get_summed(&row, txn, XYLEM_STORE__META, key_of(&key, session), err);
    if (found > 0 && !decode_owner(owner, row)) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT,
                                "%s: the row in the table meta of the owner of session number %" PRIu64
                                " has fields that cannot be",
                                xylem_store__path(txn), session);
    }
    return found;
}

static int write_owner(struct xylem_txn *txn, uint64_t session, const struct xylem_lease_owner *owner,
                       struct xylem_error *err)
{
    struct lease_key key;
    struct xylem_buffer row = {NULL, 0, 0};
    int code = xylem_base__add_u64(&row, owner->token);
    code = code < 0 ? code : xylem_base__add_i64(&row, owner->pid);
    code = code < 0 ? code : xylem_base__add_i64(&row, owner->since_ms);
    code = code < 0 ? code : xylem_base__add_sized(&row, xylem_view_of(owner->host));
    code = code < 0 ? xylem_base__fail_memory(err)
                    : xylem_store__put_summed(txn, XYLEM_STORE__META, key_of(&key, session), &row, true, err);
    xylem_buffer_release(&row);
    return code;
}

static int remove_owner(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct lease_key key;
    struct tally tally;
    int code = read_tally(&tally, txn, err);
    if (code == XYLEM_OK && tally.owner_count == 0) {
        code = xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the table meta has more owners of sessions than it counts",
                                xylem_store__path(txn));
    }
    if (code < 0) {
        return code;
    }
    tally.owner_count--;
    code = xylem_store__remove(txn, XYLEM_STORE__META, key_of(&key, session), err);
    return code < 0 ? code : write_tally(txn, &tally, err);
}

int xylem_store__lease_forget(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_lease_owner owner;
    int found = read_owner(&owner, txn, session, err);
    return found <= 0 ? found : remove_owner(txn, session, err);
}

int xylem_store__lease_counts(uint64_t *stated, uint64_t *found, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_store__rows *rows;
    struct tally tally;
    int code = read_tally(&tally, txn, err);
    code = code < 0 ? code : xylem_store__rows_new(&rows, txn, XYLEM_STORE__META, err);
    if (code < 0) {
        return code;
    }
    struct xylem_view key = xylem_view_of(XYLEM_STORE__META_LEASE);
    struct xylem_view row = {NULL, 0};
    *stated = tally.owner_count;
    *found = 0;
    code = xylem_store__rows_step(&key, &row, rows, XYLEM_STORE__AT_OR_AFTER, err);
    while (code > 0 && xylem_store__lease_key_is(key)) {
        ++*found;
        code = xylem_store__rows_step(&key, &row, rows, XYLEM_STORE__NEXT, err);
    }
    xylem_store__rows_free(rows);
    return code < 0 ? code : XYLEM_OK;
}

/* --- Locks ------------------------------------------------------------------------------------------------------ */

/* Every handle that has a description for its leases. */
static pthread_mutex_t lessees_lock = PTHREAD_MUTEX_INITIALIZER;
static struct xylem_store *lessees;

void xylem_store__leases_before_fork(void)
{
    pthread_mutex_lock(&lessees_lock);
}

void xylem_store__leases_after_fork(bool in_child)
{
    while (in_child && lessees) {
        struct xylem_store *store = lessees;
        close(store->lease_fd);
        store->lease_fd = -1;
        lessees = store->next_lessee;
    }
    pthread_mutex_unlock(&lessees_lock);
}

void xylem_store__leases_close(struct xylem_store *store)
{
    while (store->leases) {
        struct xylem_lease *lease = store->leases;
        store->leases = lease->next;
        free(lease);
    }
    pthread_mutex_lock(&lessees_lock);
    if (store->lease_fd >= 0) {
        struct xylem_store **link = &lessees;
        while (*link != store) {
            link = &(*link)->next_lessee;
        }
        *link = store->next_lessee;
        close(store->lease_fd);
        store->lease_fd = -1;
    }
    pthread_mutex_unlock(&lessees_lock);
}

/* The description that the handle's leases lie on: its own, so that two handles of one process exclude each other. */
static int open_lease_fd(struct xylem_store *store, struct xylem_error *err)
{
    int code = XYLEM_OK;
    pthread_mutex_lock(&lessees_lock); /* over the opening: a child that is forked now would not know of it */
    if (store->lease_fd < 0) {
        code = xylem_store__lock_file_again(&store->lease_fd, &store->env->directory, store->lock_fd, err);
        if (code == XYLEM_OK) {
            store->next_lessee = lessees;
            lessees = store;
        }
    }
    pthread_mutex_unlock(&lessees_lock);
    return code;
}

/*
 * Locks the byte of the next token. That of a lease that only a later state of the store knew may be taken: not it. Some
 * file systems turn the lock that every handle holds on the whole file into one on all its bytes, so there is an end.
 */
static int lock_next(uint64_t *token, const struct xylem_store *store, uint64_t last, struct xylem_error *err)
{
    const char *path = store->env->path;
    int locked = 0;
    *token = last;
    for (unsigned tries = 0; locked == 0 && tries < LOCK_TRIES_MAX; tries++) {
        ++*token;
        locked = xylem_base__byte_lock(store->lease_fd, *token, path, err);
    }
    return locked == 0  ? xylem_base__fail(err, XYLEM_E_IO,
                                           "%s: none of %u bytes of %s can be locked: the file system keeps locks in "
                                            "another way, and leases cannot be had there",
                                           path, LOCK_TRIES_MAX, XYLEM_STORE__LOCK_NAME)
           : locked < 0 ? locked
                        : XYLEM_OK;
}

/* Is the byte of the owner's token locked? Asked through the description on which no lease lies. */
static int is_alive(struct xylem_lease_owner *owner, const struct xylem_store *store, struct xylem_error *err)
{
    /* Without a lock file nobody can have locked a byte of it. */
    int locked = store->lock_fd < 0 ? 0 : xylem_base__byte_locked(store->lock_fd, owner->token, store->env->path, err);
    owner->alive = locked == 1;
    return locked < 0 ? locked : XYLEM_OK;
}

/* --- Checking --------------------------------------------------------------------------------------------------- */

/* The token of this handle's lease for the session, 0 if it has none. */
static uint64_t own_token(struct xylem_store *store, uint64_t session)
{
    uint64_t token = 0;
    pthread_mutex_lock(&store->env->lock);
    for (const struct xylem_lease *lease = store->leases; lease && token == 0; lease = lease->next) {
        token = lease->session == session ? lease->token : 0;
    }
    pthread_mutex_unlock(&store->env->lock);
    return token;
}

/* Says who has the session: `what` it is that this is in the way of, or came after. */
static int fail_leased(struct xylem_error *err, const struct xylem_session *session, const char *what,
                       const struct xylem_lease_owner *owner)
{
    char since[XYLEM_BASE__ISO_BYTES];
    char host[XYLEM_HOST_BYTES_MAX + 1];
    struct xylem_view owner_host = xylem_view_of(owner->host);
    xylem_base__time_write(since, owner->since_ms);
    xylem_base__host_name(host, sizeof host);
    bool here = owner->pid == getpid() && strcmp(host, owner->host) == 0;
    return xylem_base__fail(err, XYLEM_E_CONFLICT, "%s %.*s is leased to %sprocess %" PRId64 " on %.*s since %s", what,
                            xylem_base__shown_bytes(session->id), xylem_base__shown(session->id),
                            here ? "another handle of this process, " : "", owner->pid,
                            xylem_base__shown_bytes(owner_host), xylem_base__shown(owner_host), since);
}

/* This handle took a lease of the session, and its token is not there any more. */
static int fail_broken(struct xylem_error *err, const struct xylem_session *session, struct xylem_lease_owner *owner)
{
    if (owner && owner->alive) {
        return fail_leased(err, session, "the lease was broken that this handle had: the session", owner);
    }
    return xylem_base__fail(err, XYLEM_E_CONFLICT, "the lease was broken that this handle had of the session %.*s",
                            xylem_base__shown_bytes(session->id), xylem_base__shown(session->id));
}

/* How many sessions have an owner: read once in a transaction, as nobody else writes while it lasts. */
static int read_lease_count(struct xylem_txn *txn, struct xylem_error *err)
{
    struct tally tally = {.owner_count = 0};
    struct xylem_store__seen *seen = xylem_store__seen(txn);
    if (seen->lease_count_read) {
        return XYLEM_OK;
    }
    int used = xylem_store__feature_used(txn, XYLEM_STORE__FEATURE_LEASES, err);
    int code = used <= 0 ? used : read_tally(&tally, txn, err);
    seen->lease_count = code < 0 ? 0 : tally.owner_count;
    seen->lease_count_read = code == XYLEM_OK;
    return code;
}

/* Is the session free, or this handle's? `own` is the token of its lease, 0 if it has none. */
static int check_owner(struct xylem_txn *txn, const struct xylem_session *session, uint64_t own,
                       struct xylem_error *err)
{
    struct xylem_lease_owner owner;
    int found = read_owner(&owner, txn, session->number, err);
    if (found < 0 || (found == 1 && own == owner.token) || (found == 0 && own == 0)) {
        return found < 0 ? found : XYLEM_OK;
    }
    int code = found == 1 ? is_alive(&owner, txn->store, err) : XYLEM_OK;
    if (code < 0) {
        return code;
    }
    if (own != 0) {
        return fail_broken(err, session, found == 1 ? &owner : NULL);
    }
    return owner.alive ? fail_leased(err, session, "the session", &owner) : XYLEM_OK;
}

int xylem_store__lease_check(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_store__seen *seen = xylem_store__seen(txn);
    if (seen->lease_checked == session->number) {
        return XYLEM_OK; /* owners are made and ended by those who write, and that is this transaction until its end */
    }
    uint64_t own = own_token(txn->store, session->number);
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
    if (code < 0 || xylem_store__seen(txn)->lease_count == 0) {
        return code;
    }
    int found = read_owner(&read, txn, session, err);
    if (found <= 0) {
        return found;
    }
    code = is_alive(&read, txn->store, err);
    if (code < 0) {
        return code;
    }
    *owner = read;
    return 1;
}

/* --- Taking, releasing, breaking -------------------------------------------------------------------------------- */

/* Runs `change` in a write transaction of its own, again where the map had to grow. */
static int in_transaction(struct xylem_store *store,
                          int (*change)(struct xylem_txn *txn, void *context, struct xylem_error *err), void *context,
                          struct xylem_error *err)
{
    int code = XYLEM_E_MAP_FULL;
    for (int growths = 0; code == XYLEM_E_MAP_FULL && growths < MAP_GROWTHS_MAX; growths++) {
        struct xylem_txn *txn;
        code = xylem_begin(&txn, store, XYLEM_WRITE, err);
        if (code < 0) {
            return code;
        }
        code = change(txn, context, err);
        if (code < 0) {
            xylem_abort(txn);
        } else {
            code = xylem_commit(txn, err);
        }
    }
    return code;
}

static void link_lease(struct xylem_lease *lease)
{
    pthread_mutex_lock(&lease->store->env->lock);
    lease->next = lease->store->leases;
    lease->store->leases = lease;
    pthread_mutex_unlock(&lease->store->env->lock);
}

/* Gives the byte back, and forgets the lease. */
static void unlink_lease(struct xylem_lease *lease)
{
    pthread_mutex_lock(&lease->store->env->lock);
    for (struct xylem_lease **link = &lease->store->leases; *link; link = &(*link)->next) {
        if (*link == lease) {
            *link = lease->next;
            break;
        }
    }
    pthread_mutex_unlock(&lease->store->env->lock);
    if (lease->token != 0) {
        xylem_base__byte_unlock(lease->store->lease_fd, lease->token);
        lease->token = 0;
    }
}

/* Is the session free to be taken? Gives what it has of an owner: 1 if there is a row. */
static int check_free(const struct xylem_lease *lease, struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_session session;
    struct xylem_lease_owner owner;
    int code = xylem_store__session_for_fork(&session, txn, lease->session, err);
    if (code == XYLEM_OK && own_token(txn->store, lease->session) != 0) {
        code =
            xylem_base__fail(err, XYLEM_E_BUSY, "this handle has a lease of the session %.*s, which was not released",
                             xylem_base__shown_bytes(session.id), xylem_base__shown(session.id));
    }
    int found = code < 0 ? code : read_owner(&owner, txn, lease->session, err);
    if (found <= 0) {
        return found;
    }
    code = is_alive(&owner, txn->store, err);
    if (code == XYLEM_OK && owner.alive) {
        code = fail_leased(err, &session, "the session", &owner);
    }
    return code < 0 ? code : 1;
}

static int take(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct xylem_lease *lease = context;
    struct xylem_lease_owner owner = {.pid = getpid(), .since_ms = xylem_base__now_ms()};
    struct tally tally;
    if (lease->token != 0) {
        unlink_lease(lease); /* the commit before this attempt failed */
    }
    int had_owner = check_free(lease, txn, err);
    int code = had_owner < 0 ? had_owner : read_tally(&tally, txn, err);
    code = code < 0 ? code : xylem_store__feature_add(txn, XYLEM_STORE__FEATURE_LEASES, err);
    code = code < 0 ? code : lock_next(&owner.token, txn->store, tally.last_token, err);
    if (code < 0) {
        return code;
    }
    lease->token = owner.token;
    link_lease(lease); /* before the commit: other threads find it together with its row */
    xylem_base__host_name(owner.host, sizeof owner.host);
    tally.last_token = owner.token;
    tally.owner_count += had_owner == 0;
    code = write_tally(txn, &tally, err);
    code = code < 0 ? code : write_owner(txn, lease->session, &owner, err);
    if (code < 0) {
        unlink_lease(lease);
    }
    return code;
}

int xylem_lease_take(struct xylem_lease **lease, struct xylem_store *store, uint64_t session, struct xylem_error *err)
{
    if (!lease || !store) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_lease_take: a lease and a store are needed");
    }
    struct xylem_lease *taken = calloc(1, sizeof *taken);
    if (!taken) {
        return xylem_base__fail_memory(err);
    }
    taken->store = store;
    taken->session = session;
    int code =
        store->read_only || store->env->fork_count != xylem_store__fork_count ? XYLEM_OK : open_lease_fd(store, err);
    code = code < 0 ? code : in_transaction(store, take, taken, err);
    if (code < 0) {
        if (taken->token != 0) {
            unlink_lease(taken); /* the commit failed */
        }
        free(taken);
        return code;
    }
    *lease = taken;
    return XYLEM_OK;
}

static int release(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct xylem_lease *lease = context;
    struct xylem_lease_owner owner;
    uint64_t token = lease->token;
    int found = read_owner(&owner, txn, lease->session, err);
    if (token != 0) {
        unlink_lease(lease); /* before the commit: no other thread finds the lease without its row */
        lease->released = token;
    }
    return found <= 0 || owner.token != lease->released ? found : remove_owner(txn, lease->session, err);
}

int xylem_lease_release(struct xylem_lease *lease, struct xylem_error *err)
{
    if (!lease) {
        return XYLEM_OK;
    }
    int code = in_transaction(lease->store, release, lease, err);
    if (code == XYLEM_E_FORKED || code == XYLEM_E_BUSY) {
        return code;
    }
    if (lease->token != 0) {
        unlink_lease(lease);
    }
    free(lease); /* a row that could not be removed is that of a dead owner from here on */
    return code < 0 ? code : XYLEM_OK;
}

struct breaking {
    uint64_t session;
    int found;
    struct xylem_lease_owner owner;
};

static int break_one(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct breaking *breaking = context;
    struct xylem_session session;
    int code = xylem_session_read(&session, txn, breaking->session, err);
    breaking->found = code < 0 ? code : read_owner(&breaking->owner, txn, breaking->session, err);
    if (breaking->found <= 0) {
        return breaking->found;
    }
    code = is_alive(&breaking->owner, txn->store, err);
    return code < 0 ? code : remove_owner(txn, breaking->session, err);
}

int xylem_lease_break(struct xylem_lease_owner *broken, struct xylem_store *store, uint64_t session,
                      struct xylem_error *err)
{
    if (!store) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_lease_break: a store is needed");
    }
    struct breaking breaking = {.session = session};
    int code = in_transaction(store, break_one, &breaking, err);
    if (code == XYLEM_OK && breaking.found == 1 && broken) {
        *broken = breaking.owner;
    }
    return code < 0 ? code : breaking.found;
}
