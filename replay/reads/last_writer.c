/*
 * Finds the session that wrote a file last. Sessions with the working directory are chosen first, by the row alone, and
 * then asked. In a session the walk goes over entries of the session's own branches:
 *
 *     session      write g | write f          asked: newest to oldest, at most XYLEM_READS_ENTRIES_MAX
 *                          /
 *     base     read f                         entries of another owner: not asked
 */
#include <string.h>

#include "base/error.h"
#include "base/value.h"
#include "replay/reads/shape.h"
#include "replay/reads/table.h"
#include "xylem/branch.h"

static const char *const kinds[] = {"custom:file-reads", NULL};

/* The sessions to ask, newest first by the lsn of the last entry. */
struct candidate {
    uint64_t session;
    uint64_t last_lsn;
    struct xylem_position leaf;
};

struct candidates {
    struct candidate list[XYLEM_READS_SESSIONS_MAX];
    size_t count;
};

struct asking {
    struct xylem_txn *txn;
    struct xylem_view key;
    int64_t since_ms;
    uint64_t session; /* that is asked */
    unsigned entry_count;
    struct xylem_last_writer newest;
    bool found;
};

/* Keeps the candidates with the greatest last lsns, in order. */
static int find_candidates(struct candidates *candidates, struct xylem_txn *txn, const struct xylem_session *own,
                           struct xylem_error *err)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    int code = xylem_sessions_new(&sessions, txn, err);
    while (code >= 0 && (code = xylem_sessions_next(&session, sessions, err)) > 0) {
        if (session.state != XYLEM_SESSION_LIVE || session.number == own->number || session.last_lsn == 0 ||
            !session.cwd.data || !xylem_base__view_equal(session.cwd, own->cwd) ||
            !xylem_base__view_equal(session.name_space, own->name_space)) { /* the answer is an id of that namespace */
            continue;
        }
        size_t at = candidates->count;
        while (at > 0 && candidates->list[at - 1].last_lsn < session.last_lsn) {
            at--;
        }
        if (at == XYLEM_READS_SESSIONS_MAX) {
            continue;
        }
        size_t kept = candidates->count < XYLEM_READS_SESSIONS_MAX ? candidates->count : XYLEM_READS_SESSIONS_MAX - 1;
        memmove(&candidates->list[at + 1], &candidates->list[at], (kept - at) * sizeof *candidates->list);
        candidates->list[at] = (struct candidate){session.number, session.last_lsn, session.leaf};
        candidates->count = kept + 1;
    }
    xylem_sessions_free(sessions);
    return code;
}

static int visit(void *context, struct xylem_visit *visit)
{
    struct asking *asking = context;
    uint64_t owner = 0;
    int code = xylem_owner(&owner, asking->txn, visit->entry->position, NULL);
    if (code < 0) {
        return code;
    }
    if (owner != asking->session) {
        return XYLEM_VISIT_DONE;
    }
    bool whole = false;
    if (!xylem_reads__entry_problem(visit)) {
        const struct xylem_value *files = xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("files"));
        for (const struct xylem_value *one = xylem_value_first(files); one; one = xylem_value_next(files, one)) {
            struct xylem_read_file file;
            if (!xylem_reads__read_file(&file, one) && file.by != XYLEM_READ_BY_READ &&
                file.at_ms >= asking->since_ms && (!asking->found || file.at_ms > asking->newest.at_ms) &&
                xylem_base__view_equal(file.key, asking->key)) {
                asking->newest =
                    (struct xylem_last_writer){.session = asking->session, .at_ms = file.at_ms, .by = file.by};
                asking->found = true;
            }
        }
        whole = xylem_value_bool(xylem_base__value_get(visit->data, XYLEM_BASE__LITERAL("whole")));
    }
    return whole || ++asking->entry_count == XYLEM_READS_ENTRIES_MAX ? XYLEM_VISIT_DONE : XYLEM_VISIT_GO_ON;
}

int xylem_reads_last_writer(struct xylem_last_writer *writer, struct xylem_txn *txn, uint64_t session,
                            struct xylem_view key, int64_t since_ms, struct xylem_error *err)
{
    struct candidates candidates = {.count = 0};
    struct asking asking = {.txn = txn, .key = key, .since_ms = since_ms};
    const struct xylem_reducer reducer = {"file-reads", kinds, visit, &asking};
    struct xylem_session own;
    if (!writer || xylem_base__view_lacks_bytes(key)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a place for the writer or the key is missing");
    }
    int code = xylem_session_read(&own, txn, session, err);
    if (code < 0 || !own.cwd.data) {
        return code;
    }
    code = find_candidates(&candidates, txn, &own, err);
    for (size_t i = 0; code == 0 && i < candidates.count; i++) {
        struct xylem_reduction reduction;
        asking.session = candidates.list[i].session;
        asking.entry_count = 0;
        code = xylem_reduce(&reduction, txn, candidates.list[i].leaf, &reducer, 1, NULL, err);
        xylem_reduction_release(&reduction);
    }
    if (code == 0 && asking.found && (code = xylem_session_read(&own, txn, asking.newest.session, err)) == 0) {
        *writer = asking.newest;
        writer->id = own.id;
        code = 1;
    }
    return code;
}
