/*
 * xylem: the storage layer for coding agents' sessions.
 *
 * A session is a tree of entries. xylem keeps the entries of many sessions in one store, an append-only log in LMDB
 * keyed by branch, and brings the state of an extension back from any entry of that tree.
 *
 * This header and those that it includes are the whole contract, one header for each step of the flow. The lines that
 * include them are their list: tools/headers.sh reads it for the manual, the packages and the checks.
 *
 * Rules that hold for every call:
 *
 *   Result      0, or a negative code of enum xylem_code. Iterators (`..._next`) return 1 and fill their out
 *               parameter, 0 at the end, or a negative code. Out parameters are written on success only, unless a
 *               comment says otherwise.
 *   Error       The last parameter `err` may be NULL. On failure it holds the code and one line that names what was
 *               expected and what was found. It is never thread-local. The library never prints, never exits and never
 *               touches signals or the locale.
 *   Ownership   A `struct xylem_view` is borrowed. A `struct xylem_buffer` is owned and ends in
 *               xylem_buffer_release(). Whatever a `..._new` call gives ends in the `..._free` call of the same name;
 *               `..._free` and `..._release` accept NULL or a zeroed struct.
 *   Lifetime    A view from a read transaction lives until that transaction ends. A view from a write transaction lives
 *               until the next call that writes in it, or until it ends. Iterators and documents are freed before their
 *               transaction ends.
 *   Threads     A store may be used by many threads at once. A transaction, and everything made from it, is used by one
 *               thread at a time; a write transaction only by the thread that began it.
 *   fork(2)     A store does not survive fork(2): in the child every call but xylem_close() is refused with
 *               XYLEM_E_FORKED. Open the store anew there.
 *   Units       `_bytes` counts bytes, `_ms` counts milliseconds since 1970-01-01 UTC, `_count` counts items.
 *   Zero        An options struct that is all zero, or a NULL in its place, means the defaults, the safe side.
 */
#ifndef XYLEM_H
#define XYLEM_H

#include "xylem/base.h"
#include "xylem/store.h"
#include "xylem/session.h"
#include "xylem/entry.h"
#include "xylem/append.h"
#include "xylem/lease.h"
#include "xylem/branch.h"
#include "xylem/state.h"
#include "xylem/policy.h"
#include "xylem/gate.h"
#include "xylem/files.h"
#include "xylem/care.h"
#include "xylem/redact.h"
#include "xylem/inspect.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XYLEM_VERSION "0.1.0"
#define XYLEM_VERSION_NUMBER 100 /* of the header, for #if: 10000 * major + 100 * minor + patch */

/* The version of the library that is linked, in the form of XYLEM_VERSION. Static; any thread. */
XYLEM_API const char *xylem_version(void);

#ifdef __cplusplus
}
#endif

#endif
