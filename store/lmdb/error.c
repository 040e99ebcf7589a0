/* Turns LMDB's results into codes and texts of the library. */
#include <errno.h>

#include "base/error.h"
#include "base/space.h"
#include "store/lmdb/environment.h"

int xylem_lmdb__mdb_code(int result)
{
    switch (result) {
    case MDB_MAP_FULL:
        return XYLEM_E_MAP_FULL;
    case MDB_READERS_FULL:
        return XYLEM_E_READERS_FULL;
    case MDB_MAP_RESIZED:
        return XYLEM_E_BUSY;
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
        return XYLEM_E_NOT_A_STORE;
    case MDB_BAD_VALSIZE:
    case MDB_BAD_TXN:
    case MDB_BAD_DBI:
    case MDB_BAD_RSLOT:
        return XYLEM_E_ARGUMENT; /* a wrong call, not damage */
    case ENOMEM:
        return XYLEM_E_MEMORY;
    case MDB_TXN_FULL:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return XYLEM_E_NO_SPACE;
    default:
        /* LMDB's other codes mean damaged pages, except MDB_PANIC, which follows a failed write. */
        return result < 0 && result != MDB_PANIC ? XYLEM_E_CORRUPT : XYLEM_E_IO;
    }
}

const char *xylem_lmdb__mdb_text(int result)
{
    switch (result) {
    case MDB_TXN_FULL:
        return "the transaction changes more pages than LMDB can hold; abort it, and do the same in several "
               "transactions";
    case MDB_BAD_TXN:
        return "the transaction ended or failed before, and can only be aborted";
    case MDB_BAD_VALSIZE:
        return "LMDB refuses the length of a key or a value";
    default:
        return mdb_strerror(result);
    }
}

int xylem_lmdb__mdb_fail(struct xylem_error *err, int result, const char *what, const struct xylem_lmdb__env *env)
{
    return xylem_base__fail(err, xylem_lmdb__mdb_code(result), "%s %s: %s", what, env->path,
                            xylem_lmdb__mdb_text(result));
}

int xylem_lmdb__write_fail(struct xylem_error *err, int result, const char *what, const struct xylem_lmdb__env *env)
{
    int fd = -1;
    if (env->mdb) {
        mdb_env_get_fd(env->mdb, &fd);
    }
    int code = result > 0 ? xylem_base__space_fail(err, result, what, env->path, fd) : XYLEM_OK;
    return code < 0 ? code : xylem_lmdb__mdb_fail(err, result, what, env);
}
