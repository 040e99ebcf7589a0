/*
 * xylem: the storage layer for coding agents' sessions.
 *
 * A session is a tree of entries. xylem keeps the entries of many sessions in one store, an append-only log in LMDB
 * keyed by branch, and brings the state of an extension back from any entry of that tree.
 *
 * This header, the headers below and xylem_judge.h are the whole contract. There is one header for each step of the
 * flow. The lines that include the headers are their list: tools/headers.sh reads the list for the manual, the packages
 * and the checks.
 *
 * Rules that hold for every call:
 *
 *   Result      0, or a negative code of enum xylem_code. Iterators (`..._next`) return 1 and fill their out
 *               parameter, 0 at the end, or a negative code. A call writes its out parameters on success only, unless
 *               the comment of the call says otherwise.
 *   Error       The last parameter `err` may be NULL. On failure `err` holds the code and one line with the expected
 *               and the found value. An error is never thread-local. The library never prints, never exits and never
 *               touches signals or the locale.
 *   Errors      A list below `Errors:` has the codes of a call without `XYLEM_E_`, each with the meaning in the call;
 *               the last line may name codes without a special meaning. Not listed are FORKED, which every call with a
 *               store or a transaction may give, ARGUMENT for a pointer that is NULL against the contract, and FREED
 *               beside the NOT_FOUND of a position: xylem_gc() freed the entry.
 *   Ownership   A `struct xylem_view` is borrowed. A `struct xylem_buffer` is owned and ends in
 *               xylem_buffer_release(). The result of a `..._new` call ends in the `..._free` call of the same name;
 *               `..._free` and `..._release` accept NULL or a zeroed struct.
 *   Lifetime    A view from a read transaction lives until the end of the transaction. A view from a write transaction
 *               lives until the next call that writes in the transaction, or until its end. Iterators and documents are
 *               freed before their transaction ends.
 *   Threads     Many threads may use a store at once. One thread at a time uses a transaction, and everything made from
 *               the transaction; a write transaction belongs to the thread that began the transaction.
 *   fork(2)     A store does not survive fork(2): in the child every call but xylem_close() gives FORKED. Open the
 *               store anew in the child.
 *   Units       `_bytes` counts bytes, `_ms` counts milliseconds since 1970-01-01 UTC, `_count` counts items.
 *   Zero        An options struct of zeros, or a NULL in the place of a struct, means the defaults, the safe side.
 */
#ifndef XYLEM_H
#define XYLEM_H

#include "xylem/base.h"
#include "xylem/store.h"
#include "xylem/session.h"
#include "xylem/entry.h"
#include "xylem/append.h"
#include "xylem/line.h"
#include "xylem/lease.h"
#include "xylem/wake.h"
#include "xylem/branch.h"
#include "xylem/feed.h"
#include "xylem/note.h"
#include "xylem/segment.h"
#include "xylem/outline.h"
#include "xylem/state.h"
#include "xylem/reads.h"
#include "xylem/sequence.h"
#include "xylem/files.h"
#include "xylem/care.h"
#include "xylem/redact.h"
#include "xylem/inspect.h"
#include "xylem/search.h"

#endif
