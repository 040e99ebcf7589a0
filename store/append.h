/* Appends entries: prepare.c checks everything before the first write, append.c writes. */
#ifndef XYLEM_STORE_APPEND_H
#define XYLEM_STORE_APPEND_H

#include "base/clock.h"
#include "store/heads.h"
#include "store/store.h"
#include "xylem/append.h"

/* One entry, checked and ready to be written. */
struct xylem_store__prepared {
    struct xylem_view id;
    uint64_t id_hash;                         /* not set for an id that holds its lsn */
    bool mint;                                /* the caller gave no id: append.c makes an id when the lsn is known */
    bool found_by_lsn;                        /* the id holds the lsn of the entry, and has no row in `ids` */
    const struct xylem_store__copied *copied; /* NULL: not from another store */
    uint64_t chance;
    struct xylem_kind kind;
    uint32_t kind_number;
    int64_t time_ms;
    enum xylem_format format;
    struct xylem_view payload;
    struct xylem_view line;
    char minted[XYLEM_BASE__UUID_TEXT_BYTES];
    struct xylem_buffer data;   /* JSON turned into msgpack; of a line: the payload */
    struct xylem_buffer values; /* of the holes of a line */
};

#define XYLEM_STORE__INTERNED_KINDS_MAX 16u

struct xylem_store__interned_kind {
    struct xylem_kind kind;
    uint32_t number;
};

struct xylem_store__appending {
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_buffer session_copies; /* the bytes of its views: the row of the session is written last */
    struct xylem_position parent;
    uint64_t parent_check;
    struct xylem_entry parent_entry; /* its position is none at a root */
    struct xylem_store__prepared *entries;
    size_t entry_count;
    size_t mint_count; /* entries without a given id */
    const struct xylem_store__append_options *options;
    const struct xylem_append_options *given;                                 /* never NULL */
    struct xylem_store__interned_kind kinds[XYLEM_STORE__INTERNED_KINDS_MAX]; /* of earlier entries */
    size_t kind_count;
    struct xylem_store__heads heads;
    struct xylem_base__tree tree; /* a decoded payload */
    struct xylem_buffer links;
    struct xylem_buffer record;
    struct xylem_error *err;
};

/* Reads the session and the parent, checks and prepares the entries and their ids. Writes nothing. */
int xylem_store__appending_prepare(struct xylem_store__appending *appending, uint64_t session,
                                   const struct xylem_new_entry *entries);
void xylem_store__appending_release(struct xylem_store__appending *appending);

#endif
