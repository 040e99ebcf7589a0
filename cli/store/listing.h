/* The sessions of the store with what is said of them, filtered and sorted. */
#ifndef XYLEM_CLI_STORE_LISTING_H
#define XYLEM_CLI_STORE_LISTING_H

#include "cli/store/store.h"

enum xylem_cli__order {
    XYLEM_CLI__BY_ACTIVE = 0,
    XYLEM_CLI__BY_CREATED,
    XYLEM_CLI__BY_NAME,
    XYLEM_CLI__BY_ENTRIES,
    XYLEM_CLI__BY_DIRECTORY
};

/* The sessions that a list has, and their order. */
struct xylem_cli__wanted {
    enum xylem_cli__order sort;
    bool reverse;
    bool all;              /* also those that are not live */
    bool deleted;          /* those that are deleted, and no others */
    bool quiet;            /* damaged ones are left out without a word */
    const char *directory; /* their working directory, or one above it; NULL: any */
    const char *name;      /* a part of their name; NULL: any */
    int64_t since_ms;      /* when they were active last: INT64_MIN to INT64_MAX is always */
    int64_t until_ms;
    struct xylem_cli__count limit; /* the first so many of them */
};

/* Views live as long as `cli->txn`. */
struct xylem_cli__listed {
    struct xylem_session session;
    struct xylem_view leaf_id; /* data NULL: the leaf is none */
    int64_t active_ms;         /* the leaf's time, or that of the creation */
    struct xylem_outline outline;
    bool outline_known;
    size_t name_at; /* in `names`: xylem_cli__listed_name() */
    size_t name_bytes;
};

struct xylem_cli__listing {
    struct xylem_cli__wanted wanted;
    struct xylem_cli__listed *list;
    size_t count;
    size_t capacity;
    struct xylem_buffer names;
    char *directories[2]; /* the one that is wanted: as it is written, and with links resolved */
    bool damaged;         /* a session was left out, and a note says why */
};

/* Reads them. Release in any case. */
int xylem_cli__listing_read(struct xylem_cli *cli, struct xylem_cli__listing *listing,
                            const struct xylem_cli__wanted *wanted);
void xylem_cli__listing_release(struct xylem_cli__listing *listing);
/* The session's name; data NULL: it has none. */
struct xylem_view xylem_cli__listed_name(const struct xylem_cli__listing *listing,
                                         const struct xylem_cli__listed *listed);

#endif
