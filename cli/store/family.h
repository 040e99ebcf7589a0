/* Finds related sessions, and which session was forked from which. */
#ifndef XYLEM_CLI_STORE_FAMILY_H
#define XYLEM_CLI_STORE_FAMILY_H

#include "cli/store/store.h"

#define XYLEM_CLI__NO_KIN SIZE_MAX

/* A session of a family: little of it, because a store may have many. xylem_session_read() gives the rest. */
struct xylem_cli__kin {
    uint64_t number;
    uint64_t tree;
    struct xylem_view id;
    struct xylem_view name_space;
    struct xylem_view named; /* the parent session in the header */
    struct xylem_position base;
    size_t parent; /* index of the source; XYLEM_CLI__NO_KIN: no known source */
    size_t first_child;
    size_t next_sibling;
    size_t mark;         /* for the search for circles */
    size_t prefix_bytes; /* bytes of the id that are unique in the store */
    bool circle;         /* the header leads in a circle back to this session */
};

/* In the order of the sessions' numbers. Views live until the transaction ends. */
struct xylem_cli__family {
    struct xylem_cli__kin *kin;
    size_t count;
    size_t first_root;
    size_t asked;
};

/* Reads the family of a session; NULL: all sessions of the store. Release in any case. */
int xylem_cli__family_read(struct xylem_cli *cli, struct xylem_cli__family *family, const struct xylem_session *asked);
/* The index of the session with that number, or XYLEM_CLI__NO_KIN. */
size_t xylem_cli__family_find(const struct xylem_cli__family *family, uint64_t number);
/* The id of the source of a session, if the source is in the same namespace; else data NULL. */
struct xylem_view xylem_cli__family_source(const struct xylem_cli__family *family, const struct xylem_cli__kin *kin);
void xylem_cli__family_release(struct xylem_cli__family *family);

#endif
