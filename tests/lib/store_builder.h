/* A store in a temporary directory, filled tersely. Every call fails the running test when the library refuses. */
#ifndef XYLEM_TESTS_LIB_STORE_BUILDER_H
#define XYLEM_TESTS_LIB_STORE_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "store/format/record.h"
#include "store/store.h"
#include "xylem/branch.h"

struct store_builder {
    char path[256];            /* the temporary directory; the store lies in it */
    struct xylem_store *store; /* opened with XYLEM_DURABILITY_NONE */
    struct xylem_txn *txn;     /* a write transaction that is always open */
    struct xylem_buffer line;  /* of the record read last */
};

/* Makes the directory and the store, and begins a write transaction. */
void store_builder_open(struct store_builder *builder);
/* Commits and begins the next write transaction. */
void store_builder_commit(struct store_builder *builder);
/* Commits, keeps all outlines, and begins the next write transaction. */
void store_builder_refresh(struct store_builder *builder);
/* Commits, closes the store, opens it again and begins a write transaction. */
void store_builder_reopen(struct store_builder *builder);
/* Aborts, closes and removes the directory. */
void store_builder_close(struct store_builder *builder);

/* Fails the test with the error's text if `code` is negative; gives `code` back. */
int store_builder_must(int code, const struct xylem_error *err);

/* Creates a session of that id and gives its number. */
uint64_t store_builder_session(struct store_builder *builder, const char *id);
struct xylem_session store_builder_read(struct store_builder *builder, uint64_t session);
struct xylem_position store_builder_leaf(struct store_builder *builder, uint64_t session);

/*
 * Appends an entry at the leaf. `id` may be NULL: one is made. `kind` is a kind in text form, `json` its payload or
 * NULL for none.
 */
struct xylem_position store_builder_add(struct store_builder *builder, uint64_t session, const char *id,
                                        const char *kind, const char *json);
/* The same below `parent`, which may be none. */
struct xylem_position store_builder_add_at(struct store_builder *builder, uint64_t session,
                                           struct xylem_position parent, const char *id, const char *kind,
                                           const char *json);
/* Appends `count` messages at the leaf and gives the last one's position. */
struct xylem_position store_builder_messages(struct store_builder *builder, uint64_t session, size_t count);
/* The same for many: messages without payload, a thousand in each call. */
struct xylem_position store_builder_grow(struct store_builder *builder, uint64_t session, size_t count);

void store_builder_go(struct store_builder *builder, uint64_t session, struct xylem_position to);
/* Forks at `position` and gives the new session's number. */
uint64_t store_builder_fork(struct store_builder *builder, uint64_t source, struct xylem_position position,
                            enum xylem_fork_kind kind, const char *id);
uint64_t store_builder_clone(struct store_builder *builder, uint64_t source, const char *id);

/* The position of the entry of that id; none if the session has no such entry. */
struct xylem_position store_builder_find(struct store_builder *builder, uint64_t session, const char *id);

/* The ids of a path, newest first, or of a scan, oldest first, each followed by a space; NUL behind. */
void store_builder_path_ids(struct xylem_buffer *ids, struct store_builder *builder, struct xylem_position from);
void store_builder_scan_ids(struct xylem_buffer *ids, struct store_builder *builder, uint64_t session);

/* --- Damage: what no call of the library does --- */

/*
 * The record at a position, its views alive until the next write, its line until the next record; and writes another
 * record in its place, sum included.
 */
struct xylem_format__record store_builder_record(struct store_builder *builder, struct xylem_position position);
void store_builder_rewrite(struct store_builder *builder, struct xylem_position position,
                           const struct xylem_format__record *record);
/* Takes the payload out, as the format reserves it. */
void store_builder_redact(struct store_builder *builder, struct xylem_position position);
/* Flips a bit of the record, so that its sum is wrong. */
void store_builder_damage(struct store_builder *builder, struct xylem_position position);
/* Writes a branch's row anew. */
void store_builder_rewrite_branch(struct store_builder *builder, const struct xylem_store__branch *branch);
/* Removes the record. */
void store_builder_drop(struct store_builder *builder, struct xylem_position position);

#endif
