/*
 * Which fleet, and what of this store goes there: $XYLEM_FLEET (a URL), and the file $XDG_CONFIG_HOME/xylem/fleet, else
 * ~/.config/xylem/fleet. A line of the file is a word and its value; `#` begins a comment:
 *
 *     url postgresql://n1,n2,n3/xylem     all nodes; no password: ~/.pgpass has passwords
 *     directory ~/work                    sessions of this directory and below are shipped; may be repeated
 *     except SESSION                      never this session, nor its forks; may be repeated
 *     host maple                          the name that other hosts see; else the machine's name
 *     group-ms 20                         changes wait so long for others
 *     sync                                each change at once, and each acknowledgement is told: as `ship --sync`
 */
#ifndef FLEET_CONFIG_H
#define FLEET_CONFIG_H

#include "xylem/base.h"

#define FLEET_CONFIG_BYTES_MAX 65536u
#define FLEET_CONFIG_WORDS_MAX 256u /* directories, or sessions */
#define FLEET_GROUP_MS_MAX 60000u

struct fleet_config_words {
    char *words[FLEET_CONFIG_WORDS_MAX];
    size_t count;
};

struct fleet_config {
    char *path;        /* of the file; NULL: neither XDG_CONFIG_HOME nor HOME is set */
    char *url;         /* NULL: none is given */
    char *host;        /* never NULL */
    uint64_t group_ms; /* UINT64_MAX: not given */
    bool sync;
    struct fleet_config_words directories; /* absolute paths, without a slash at the end but for `/` */
    struct fleet_config_words except;      /* ids of sessions */
};

/*
 * A missing file is an empty one. Release in any case.
 *
 * Errors:
 * - ARGUMENT: a line is wrong (the text names file and line), or a URL holds a password
 * - CONFLICT: others than the user and root may write to the file
 * - IO, LIMIT, MEMORY
 */
int fleet_config_read(struct fleet_config *config, struct xylem_error *err);
void fleet_config_release(struct fleet_config *config);

/* True if the directory is one of the list, or lies below one. */
bool fleet_config_covers(const struct fleet_config_words *directories, struct xylem_view directory);

#endif
