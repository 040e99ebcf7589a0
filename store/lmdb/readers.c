/* Reads LMDB's table of readers, and keeps readers between two transactions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/lmdb/environment.h"

/*
 * Called with each line of mdb_reader_list(). Lines that do not begin with a number are headings.
 *
 *     pid  thread (hexadecimal)  transaction, or -
 */
static int see_reader(const char *line, void *context)
{
    struct xylem_lmdb__reader *oldest = context;
    char *end = NULL;
    long long pid = strtoll(line, &end, 10);
    if (end == line) {
        return 0;
    }
    end += strspn(end, " ");
    end += strcspn(end, " ");
    const char *text = end;
    unsigned long long txn_id = strtoull(text, &end, 10);
    if (end != text && txn_id < oldest->txn_id && (oldest->only_pid == 0 || pid == oldest->only_pid)) {
        oldest->txn_id = txn_id;
        oldest->pid = pid;
    }
    return 0;
}

/* mdb_reader_check() removes dead processes, so that their snapshots keep no pages back. */
int xylem_lmdb__oldest_reader(struct xylem_lmdb__reader *oldest, MDB_env *mdb)
{
    int dead = 0;
    int result = mdb_reader_check(mdb, &dead);
    return result == 0 && mdb_reader_list(mdb, see_reader, oldest) < 0 ? EIO : result;
}

/*
 * The cases of a renewal:
 *
 *     0               the reader has a snapshot again
 *     MDB_BAD_RSLOT   another process took the reader for dead, and its slot may have another owner by now: an end of
 *                     the reader would take the slot away from that owner, so the reader is left as it is
 *     others          a new reader meets the same, and its caller tells
 */
MDB_txn *xylem_lmdb__take_idle_reader(struct xylem_lmdb__env *env, size_t place)
{
    MDB_txn *idle = env->idle_readers[place] ? atomic_exchange(&env->idle_readers[place], NULL) : NULL;
    int result = idle ? mdb_txn_renew(idle) : 0;
    if (result != 0 && result != MDB_BAD_RSLOT) {
        mdb_txn_abort(idle);
    }
    return result == 0 ? idle : NULL;
}

/* After a failed resize LMDB has no map, and could begin no reader. The end of a reader needs none. */
void xylem_lmdb__idle_readers_close(struct xylem_lmdb__env *env)
{
    for (size_t i = 0; i < XYLEM_LMDB__IDLE_READERS; i++) {
        mdb_txn_abort(atomic_exchange(&env->idle_readers[i], NULL));
    }
}
