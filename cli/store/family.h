/* Sessions that are related: which was forked from which. */
#ifndef XYLEM_CLI_STORE_FAMILY_H
#define XYLEM_CLI_STORE_FAMILY_H

#include "cli/store/store.h"

#define XYLEM_CLI__NO_KIN SIZE_MAX

/* A session of a family. */
struct xylem_cli__kin {
    struct xylem_session session;
    size_t parent; /* what it was forked from; XYLEM_CLI__NO_KIN: nothing that is known */
    size_t first_child;
    size_t next_sibling;
    size_t mark;         /* for the search for circles */
    size_t prefix_bytes; /* of the id: so many tell it from every other in the store */
    bool circle;         /* its header names a session that comes from itself */
};

/* Sorted by id. The views in it live until the transaction ends. */
struct xylem_cli__family {
    struct xylem_cli__kin *kin;
    struct xylem_cli__kin **by_number;
    size_t count;
    size_t first_root;
    size_t asked;
};

/* Release in any case. */
int xylem_cli__family_read(struct xylem_cli *cli, struct xylem_cli__family *family, const struct xylem_session *asked);
void xylem_cli__family_release(struct xylem_cli__family *family);

#endif
