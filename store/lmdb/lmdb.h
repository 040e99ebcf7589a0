/*
 * lmdb/ wraps LMDB: environments and handles, transactions, tables and their rows, locks, wake-ups after a commit. No
 * other room includes lmdb.h.
 * lmdb/ moves bytes, and does not know sessions.
 * Begin reading at open.c (xylem_open_abi), then txn.c (xylem_begin, xylem_commit) and rows.c (every row is read and
 * written here).
 * Other rooms may include: copy.h handle.h lease_locks.h tables.h writer_lock.h
 */
#ifndef XYLEM_LMDB_LMDB_H
#define XYLEM_LMDB_LMDB_H

#endif
