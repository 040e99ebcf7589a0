/* An append under way: prepare.c refuses what can be refused before anything is written, append.c writes. */
#ifndef XYLEM_STORE_APPEND_H
#define XYLEM_STORE_APPEND_H

#include "base/clock.h"
#include "store/heads.h"
#include "store/store.h"

/* One entry, checked and ready to be written. */
struct xylem_store__prepared {
    struct xylem_view id;
    uint64_t id_hash;  /* of a given id */
    bool mint;         /* none was given: it is made once its lsn is known */
    bool found_by_lsn; /* which it holds: it needs no row in `ids` */
    bool copied;       /* from another store, where it had these flags, and, if it is redacted, this hash: */
    unsigned copied_flags;
    uint64_t copied_hash;
    uint64_t chance;
    struct xylem_kind kind;
    uint32_t kind_number;
    int64_t time_ms;
    enum xylem_format format;
    struct xylem_view payload;
    struct xylem_view line;
    char minted[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_buffer data; /* JSON turned into msgpack */
};

#define XYLEM_STORE__INTERNED_KINDS_MAX 16u

struct xylem_store__interned_kind {
    struct xylem_kind kind;
    uint32_t number;
};

struct xylem_store__appending {
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_buffer session_copies; /* its views: its row is written last */
    struct xylem_position parent;
    uint64_t parent_check;
    struct xylem_entry tip; /* the parent, if the branch grows there; else its position is none */
    struct xylem_store__prepared *entries;
    size_t entry_count;
    size_t mint_count; /* of these, entries without an id */
    bool imported;
    bool copying;
    struct xylem_store__new_ids *ids;                                         /* NULL: write them */
    struct xylem_store__interned_kind kinds[XYLEM_STORE__INTERNED_KINDS_MAX]; /* what was interned for entries before */
    size_t kind_count;
    struct xylem_store__heads heads;
    struct xylem_base__tree tree; /* for looking into payloads */
    struct xylem_buffer links;
    struct xylem_buffer record;
    struct xylem_error *err;
};

/* Reads the session and the parent, checks and prepares the entries and their ids. Nothing is written. */
int xylem_store__appending_prepare(struct xylem_store__appending *appending, uint64_t session,
                                   const struct xylem_new_entry *entries,
                                   const struct xylem_store__append_options *options);
void xylem_store__appending_release(struct xylem_store__appending *appending);

#endif
