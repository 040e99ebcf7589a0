/* Writes and reads the first part of a bundle. */
#include "cli/bundle_list.h"

#include "base/bytes.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION 1u
#define SESSION_BYTES_MIN 46u /* of a session with an id of one byte */
#define FLAGS_MAX 15u

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static int compare_ids(const void *left, const void *right)
{
    const struct xylem_cli__bundle_session *const *a = left;
    const struct xylem_cli__bundle_session *const *b = right;
    return xylem_base__view_order((*a)->id, (*b)->id);
}

/* Fills in and sorts `by_id`. Two sessions of one id are an error. */
static int sort_sessions(struct xylem_cli__bundle_list *list, struct xylem_error *err)
{
    free(list->by_id);
    list->by_id = calloc(list->count + 1, sizeof(struct xylem_cli__bundle_session *));
    if (!list->by_id) {
        return xylem_base__fail_memory(err);
    }
    for (size_t i = 0; i < list->count; i++) {
        list->by_id[i] = &list->sessions[i];
    }
    qsort(list->by_id, list->count, sizeof *list->by_id, compare_ids);
    for (size_t i = 1; i < list->count; i++) {
        if (compare_ids(&list->by_id[i - 1], &list->by_id[i]) == 0) {
            return xylem_base__fail(err, XYLEM_E_MALFORMED,
                                    "two sessions have the id %.*s, one of them was freed: one bundle cannot hold both",
                                    XYLEM_BASE__SHOWN(list->by_id[i]->id));
        }
    }
    return 0;
}

int xylem_cli__bundle_list_write(struct xylem_buffer *part, struct xylem_cli__bundle_list *list,
                                 struct xylem_error *err)
{
    if (list->count > XYLEM_CLI__BUNDLE_SESSIONS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a bundle has at most %u sessions, and these are %zu",
                                XYLEM_CLI__BUNDLE_SESSIONS_MAX, list->count);
    }
    int code = sort_sessions(list, err);
    if (code < 0) {
        return code;
    }
    code = xylem_base__add_u8(part, VERSION);
    code = code == 0 ? xylem_buffer_add(part, list->store, sizeof list->store) : code;
    code = code == 0 ? xylem_base__add_i64(part, list->made_ms) : code;
    code = code == 0 ? xylem_base__add_u64(part, list->patterns_sum) : code;
    code = code == 0 ? xylem_base__add_u32(part, (uint32_t)list->count) : code;
    for (size_t i = 0; code == 0 && i < list->count; i++) {
        const struct xylem_cli__bundle_session *session = &list->sessions[i];
        const uint64_t numbers[] = {session->from, session->to, session->chain_before, session->chain, session->count};
        code = xylem_base__add_sized(part, session->id);
        code = code == 0 ? xylem_base__add_u64s(part, numbers, sizeof numbers / sizeof numbers[0]) : code;
        code = code == 0 ? xylem_base__add_u8(part, (uint8_t)session->flags) : code;
    }
    return code == 0 ? 0 : xylem_base__fail_memory(err);
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

/* True if a store can have made the row: the ranges of the flags, and no chain of no changes. */
static bool is_sound(const struct xylem_cli__bundle_session *session)
{
    bool remains = session->flags & XYLEM_CLI__BUNDLE_REMAINS;
    bool nothing = session->from == session->to;
    if (session->id.bytes < 1 || session->id.bytes > XYLEM_SESSION_ID_BYTES_MAX || session->flags > FLAGS_MAX ||
        session->from > session->to || (session->from > 0) == remains || session->count < session->to - !remains) {
        return false;
    }
    if ((session->from <= 1 && session->chain_before != 0) || (nothing && session->chain != session->chain_before)) {
        return false;
    }
    return remains ? nothing && !(session->flags & XYLEM_CLI__BUNDLE_DOCUMENT)
                   : nothing || !(session->flags & XYLEM_CLI__BUNDLE_GONE);
}

static int read_sessions(struct xylem_cli__bundle_list *list, struct xylem_base__cursor *cursor,
                         struct xylem_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        struct xylem_cli__bundle_session *session = &list->sessions[i];
        session->id = xylem_base__read_sized(cursor);
        session->from = xylem_base__read_u64(cursor);
        session->to = xylem_base__read_u64(cursor);
        session->chain_before = xylem_base__read_u64(cursor);
        session->chain = xylem_base__read_u64(cursor);
        session->count = xylem_base__read_u64(cursor);
        session->flags = xylem_base__read_u8(cursor);
        if (!cursor->failed && !is_sound(session)) {
            return xylem_base__fail(err, XYLEM_E_MALFORMED, "session %zu of the list is none", i + 1);
        }
    }
    return xylem_base__cursor_ended(cursor)
               ? 0
               : xylem_base__fail(err, XYLEM_E_MALFORMED, "the list of sessions has another length than it states");
}

int xylem_cli__bundle_list_read(struct xylem_cli__bundle_list *list, struct xylem_view part, struct xylem_error *err)
{
    if (part.bytes > XYLEM_CLI__BUNDLE_LIST_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the list of sessions has %zu bytes, %u are allowed", part.bytes,
                                XYLEM_CLI__BUNDLE_LIST_BYTES_MAX);
    }
    if (xylem_buffer_add(&list->bytes, part.data, part.bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(list->bytes.data, list->bytes.bytes);
    unsigned version = xylem_base__read_u8(&cursor);
    if (!cursor.failed && version != VERSION) {
        return xylem_base__fail(err, XYLEM_E_TOO_NEW, "the bundle has a list of version %u, this xylem reads %u",
                                version, VERSION);
    }
    struct xylem_view store = xylem_base__read_bytes(&cursor, sizeof list->store);
    list->made_ms = xylem_base__read_i64(&cursor);
    list->patterns_sum = xylem_base__read_u64(&cursor);
    size_t count = xylem_base__read_u32(&cursor);
    if (count > XYLEM_CLI__BUNDLE_SESSIONS_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the bundle states %zu sessions, %u are allowed", count,
                                XYLEM_CLI__BUNDLE_SESSIONS_MAX);
    }
    if (cursor.failed || count > cursor.left / SESSION_BYTES_MIN) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "the list of sessions was cut");
    }
    memcpy(list->store, store.data, sizeof list->store);
    list->sessions = calloc(count + 1, sizeof *list->sessions);
    if (!list->sessions) {
        return xylem_base__fail_memory(err);
    }
    list->count = count;
    int code = read_sessions(list, &cursor, err);
    return code == 0 ? sort_sessions(list, err) : code;
}

struct xylem_cli__bundle_session *xylem_cli__bundle_list_find(const struct xylem_cli__bundle_list *list,
                                                              struct xylem_view id)
{
    struct xylem_cli__bundle_session wanted = {.id = id};
    struct xylem_cli__bundle_session *key = &wanted;
    struct xylem_cli__bundle_session **found =
        list->count == 0 ? NULL : bsearch(&key, list->by_id, list->count, sizeof *list->by_id, compare_ids);
    return found ? *found : NULL;
}

void xylem_cli__bundle_list_release(struct xylem_cli__bundle_list *list)
{
    free(list->sessions);
    free(list->by_id);
    xylem_buffer_release(&list->bytes);
    *list = (struct xylem_cli__bundle_list){.count = 0};
}

/* --- A file ------------------------------------------------------------------------------------------------------- */

int xylem_cli__bundle_damaged(struct xylem_cli *cli, int code)
{
    if (code != XYLEM_E_CORRUPT && code != XYLEM_E_MALFORMED && code != XYLEM_E_LIMIT) {
        return code;
    }
    cli->file_damaged = true;
    cli->err.code = XYLEM_E_CORRUPT;
    return XYLEM_E_CORRUPT;
}

int xylem_cli__bundle_list_open(struct xylem_cli *cli, struct xylem_cli__bundle_list *list,
                                struct xylem_cli__bundle_reader *reader, int *fd, const char *path)
{
    const char *name = path ? path : "-";
    struct xylem_cli__part part;
    bool is_file = strcmp(name, "-") != 0;
    *fd = is_file ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (is_file && *fd < 0) {
        return xylem_cli__fail(cli, errno == ENOENT ? XYLEM_E_NOT_FOUND : XYLEM_E_IO, "%s cannot be read: %s", name,
                               strerror(errno));
    }
    int code = xylem_cli__bundle_open(reader, is_file ? *fd : STDIN_FILENO, name, &cli->err);
    if (code < 0) {
        return code;
    }
    if ((code = xylem_cli__bundle_next(&part, reader, &cli->err)) == 1) {
        code = part.type == XYLEM_CLI__PART_LIST
                   ? xylem_cli__bundle_list_read(list, part.plain, &cli->err)
                   : xylem_cli__fail(cli, XYLEM_E_MALFORMED, "the first part is no list of sessions");
        code = code < 0 ? xylem_cli__fail_in(cli, code, name) : code;
    } else if (code == 0) {
        code = xylem_cli__fail(cli, XYLEM_E_MALFORMED, "%s: the bundle has no parts", name);
    }
    return xylem_cli__bundle_damaged(cli, code);
}
