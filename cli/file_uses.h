/* Reads the files that the tool calls of a path used. */
#ifndef XYLEM_CLI_FILE_USES_H
#define XYLEM_CLI_FILE_USES_H

#include "cli/cli.h"

/* The newest call of one tool that used a file. */
struct xylem_cli__use {
    struct xylem_buffer path;
    const char *by; /* `read`, `edit` or `write` */
    uint64_t call_count;
    struct xylem_position position; /* of the entry with the call */
    struct xylem_view entry_id;
    int64_t time_ms;
    size_t order; /* 0: the newest use of all */
};

struct xylem_cli__uses {
    struct xylem_cli__use *list; /* the last used first */
    size_t count;
    size_t capacity;
    uint64_t left_out; /* calls that failed */
};

/*
 * Reads the uses on the path of `at`, an entry of the session. Release in any case. Errors: CORRUPT, IO, MEMORY.
 */
int xylem_cli__uses_read(struct xylem_cli *cli, struct xylem_cli__uses *uses, const struct xylem_session *session,
                         struct xylem_position at);
void xylem_cli__uses_release(struct xylem_cli__uses *uses);

#endif
