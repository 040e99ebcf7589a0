/*
 * Parses git's configuration as git does: sections, subsections in quotes or after a dot, continued lines, quotes and
 * escapes, comments, a byte order mark, lines that end in CR LF.
 */
#ifndef XYLEM_HOOK_GIT_CONFIG_H
#define XYLEM_HOOK_GIT_CONFIG_H

#include "xylem/base.h"

/* One setting. The views live until the callback returns. */
struct xylem_hook__git_setting {
    struct xylem_view section;    /* in lower case, up to the first dot */
    struct xylem_view subsection; /* the spelling in quotes, or lower case behind a dot; maybe empty */
    bool has_subsection;          /* true for an empty subsection too: `[core ""]` is not `[core]` */
    struct xylem_view key;        /* in lower case */
    bool has_value;               /* false: `key` alone, which means true */
    struct xylem_view value;
};

/*
 * Passes each setting to `visit`; true from `visit`: go on.
 * MALFORMED: git would not read the text, or the text has a NUL or a setting before the first section;
 * STOPPED: `visit` returned false; MEMORY.
 */
int xylem_hook__git_config(struct xylem_view text,
                           bool (*visit)(void *context, const struct xylem_hook__git_setting *setting), void *context);

#endif
