/*
 * git's configuration format, read as git reads it: sections, subsections in quotes or behind a dot, continued lines,
 * quotes and escapes, comments, a byte order mark, lines that end in CR LF.
 */
#ifndef XYLEM_HOOK_GIT_CONFIG_H
#define XYLEM_HOOK_GIT_CONFIG_H

#include "xylem.h"

/* One line. Views live until the callback returns. */
struct xylem_hook__git_setting {
    struct xylem_view section;    /* in lower case, up to the first dot */
    struct xylem_view subsection; /* as it is spelt in quotes; in lower case where it stood behind a dot; maybe empty */
    bool has_subsection;          /* also an empty one: `[core ""]` is not `[core]` */
    struct xylem_view key;        /* in lower case */
    bool has_value;               /* `key` alone is true */
    struct xylem_view value;
};

/*
 * Gives each setting to `visit`, which answers true to go on. MALFORMED for what git would not read, or what no sound
 * file has (a NUL, a setting before the first section); STOPPED if `visit` did not go on; MEMORY.
 */
int xylem_hook__git_config(struct xylem_view text,
                           bool (*visit)(void *context, const struct xylem_hook__git_setting *setting), void *context);

#endif
