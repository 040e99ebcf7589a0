/* Reads LMDB's table of readers. */
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
