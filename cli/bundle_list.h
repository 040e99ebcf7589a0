/*
 * The first part of a bundle: where the bundle comes from, which sessions it holds, and which changes of each session a
 * store must have before.
 *
 *     version  store     made  patterns  count  then for each session, bases before their forks
 *     u8 = 1   16 bytes  i64   u64       u32    id     from  to   chain before  chain behind  count  flags
 *                                               sized  u64   u64  u64           u64           u64    u8
 */
#ifndef XYLEM_CLI_BUNDLE_LIST_H
#define XYLEM_CLI_BUNDLE_LIST_H

#include "cli/bundle/container.h"
#include "cli/cli.h"

#define XYLEM_CLI__PART_LIST 1u     /* the type of the first part */
#define XYLEM_CLI__PART_SEGMENTS 2u /* of every other part: segments, each behind its length, a u32 */

#define XYLEM_CLI__BUNDLE_SESSIONS_MAX 100000u
#define XYLEM_CLI__BUNDLE_LIST_BYTES_MAX 67108864u /* 64 MiB */

enum xylem_cli__bundle_flag {
    XYLEM_CLI__BUNDLE_ASKED = 1,    /* not only the base of another session */
    XYLEM_CLI__BUNDLE_REMAINS = 2,  /* what forks need of a freed session: no ordinals, all numbers are 0 */
    XYLEM_CLI__BUNDLE_DOCUMENT = 4, /* up to the newest change */
    XYLEM_CLI__BUNDLE_GONE = 8      /* freed since the bundle before; with REMAINS, if a fork needs entries */
};

/* A session of a bundle: its changes [from, to). Equal numbers: the store must have the changes before. */
struct xylem_cli__bundle_session {
    struct xylem_view id;
    uint64_t from;
    uint64_t to;
    uint64_t chain_before; /* xylem_session_chain() behind the change before `from` */
    uint64_t chain;        /* behind the last change */
    uint64_t count;        /* changes that the session had; of a base more than travel */
    unsigned flags;        /* enum xylem_cli__bundle_flag */
};

/* Start with a zeroed struct. */
struct xylem_cli__bundle_list {
    unsigned char store[16]; /* the uuid of the store that made the bundle */
    int64_t made_ms;
    uint64_t patterns_sum; /* of the patterns by which entries travel redacted; 0: none */
    struct xylem_cli__bundle_session *sessions;
    size_t count;
    struct xylem_cli__bundle_session **by_id; /* made by writing or reading */
    struct xylem_buffer bytes;                /* for the ids of a list that was read */
};

/* Appends the part, and sorts `by_id`. Errors: LIMIT, MEMORY, MALFORMED (two sessions have one id). */
int xylem_cli__bundle_list_write(struct xylem_buffer *part, struct xylem_cli__bundle_list *list,
                                 struct xylem_error *err);
/*
 * Reads the part, and copies its bytes. The part may be a stranger's. Release in any case.
 *
 * Errors:
 * - TOO_NEW: of a later version
 * - LIMIT, MALFORMED, MEMORY
 */
int xylem_cli__bundle_list_read(struct xylem_cli__bundle_list *list, struct xylem_view part, struct xylem_error *err);
/* The session of that id; NULL: none. Only for a list that was written or read. */
struct xylem_cli__bundle_session *xylem_cli__bundle_list_find(const struct xylem_cli__bundle_list *list,
                                                              struct xylem_view id);
void xylem_cli__bundle_list_release(struct xylem_cli__bundle_list *list);

/*
 * Opens a bundle (NULL or `-`: standard input) and reads its list. Close the reader and release the list in any case;
 * `fd` is -1, or to be closed. A damaged bundle is CORRUPT, and notes that the file is damaged, not the store.
 */
int xylem_cli__bundle_list_open(struct xylem_cli *cli, struct xylem_cli__bundle_list *list,
                                struct xylem_cli__bundle_reader *reader, int *fd, const char *path);
/* The error of a reader: CORRUPT for whatever is wrong with the bytes of a bundle. Gives the code. */
int xylem_cli__bundle_damaged(struct xylem_cli *cli, int code);

#endif
