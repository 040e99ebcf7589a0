/* Lists the sessions of the store with their names, times and sizes, filtered and sorted. */
#ifndef XYLEM_CLI_STORE_LISTING_H
#define XYLEM_CLI_STORE_LISTING_H

#include "cli/store/store.h"
#include "xylem/outline.h"

enum xylem_cli__order {
    XYLEM_CLI__BY_ACTIVE = 0,
    XYLEM_CLI__BY_CREATED,
    XYLEM_CLI__BY_NAME,
    XYLEM_CLI__BY_ENTRIES,
    XYLEM_CLI__BY_DIRECTORY
};

/* Which sessions to list, and in which order. */
struct xylem_cli__wanted {
    enum xylem_cli__order sort;
    bool reverse;
    bool all;              /* include sessions that are not live */
    bool runs;             /* include the ledgers of runs */
    bool spaced;           /* include the sessions of namespaces, which no command can name */
    bool deleted;          /* only deleted sessions */
    bool files;            /* look for files and owners of the listed sessions */
    bool file_gone;        /* only sessions whose files are gone */
    bool flat;             /* draw no families */
    bool quiet;            /* leave out damaged sessions without a note */
    const char *directory; /* of the session or above; NULL: any */
    const char *name;      /* a part of the session's name; NULL: any */
    int64_t since_ms;      /* last active from here to until_ms; INT64_MIN to INT64_MAX: always */
    int64_t until_ms;
    struct xylem_cli__count limit; /* list only this many */
};

/*
 * What the list keeps of a session: little, because lists may be long. xylem_session_read() gives the rest. Views live
 * as long as `cli->txn`.
 */
struct xylem_cli__listed {
    uint64_t number;
    struct xylem_view id;
    struct xylem_view cwd;
    int64_t created_ms;
    int64_t active_ms;
    uint64_t entry_count;
    size_t name_at; /* offset in `names`, see xylem_cli__listed_name() */
    uint32_t name_bytes;
    uint8_t state; /* enum xylem_session_state */
    bool file_gone;
    bool leased;  /* a living program has the lease */
    bool follows; /* another store owns the session */
    bool spaced;  /* in a namespace */
};

/* The session that a listed session was forked from. */
struct xylem_cli__source {
    struct xylem_view id; /* data NULL: there is none */
    size_t above;         /* index of the nearest listed session that it was forked from; SIZE_MAX: none */
};

struct xylem_cli__listing {
    struct xylem_cli__wanted wanted;
    struct xylem_cli__listed *list;
    size_t count;
    size_t capacity;
    struct xylem_cli__source *sources; /* of each listed session, see xylem_cli__listing_relate() */
    struct xylem_buffer names;
    char *directories[2]; /* the wanted directory: as written, and with links resolved */
    bool damaged;         /* a session was left out, and a note was printed */
};

/* Reads the list. Release in any case. */
int xylem_cli__listing_read(struct xylem_cli *cli, struct xylem_cli__listing *listing,
                            const struct xylem_cli__wanted *wanted);
void xylem_cli__listing_release(struct xylem_cli__listing *listing);
/* Fills in what the list keeps of a session, without its files and its lease; the name is added to `names`. */
int xylem_cli__listed_read(struct xylem_cli *cli, struct xylem_cli__listing *listing, struct xylem_cli__listed *listed,
                           const struct xylem_session *session);
/* The session's name; data NULL if the session has no name. */
struct xylem_view xylem_cli__listed_name(const struct xylem_cli__listing *listing,
                                         const struct xylem_cli__listed *listed);
/* Damage in one session does not hide other sessions: CORRUPT is reported, noted in the listing, and becomes 0. */
int xylem_cli__listing_damage(struct xylem_cli *cli, struct xylem_cli__listing *listing, struct xylem_view id,
                              int code);

/* Sets `sources` (related.c). */
int xylem_cli__listing_relate(struct xylem_cli *cli, struct xylem_cli__listing *listing);
/* Makes two forms of a path: absolute as written, and with links resolved (NULL: no such path). The caller frees. */
int xylem_cli__resolve_path(struct xylem_cli *cli, char *paths[2], const char *path);

#endif
