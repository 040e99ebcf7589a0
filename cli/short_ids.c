/* The shortest beginnings by which sessions can be named. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_BYTES_MIN 8u

static int compare_views(const void *a, const void *b)
{
    const struct xylem_view *left = a;
    const struct xylem_view *right = b;
    size_t bytes = left->bytes < right->bytes ? left->bytes : right->bytes;
    int order = memcmp(left->data, right->data, bytes);

    return order != 0 ? order : (left->bytes > right->bytes) - (left->bytes < right->bytes);
}

static int add(struct xylem_cli *cli, struct xylem_cli__short_ids *ids, struct xylem_view id)
{
    if (ids->count == ids->capacity) {
        size_t capacity = ids->capacity == 0 ? 256 : ids->capacity * 2;
        struct xylem_view *list = reallocarray(ids->list, capacity, sizeof(*list));
        if (list == NULL) {
            return xylem_cli__fail_memory(cli);
        }
        ids->list = list;
        ids->capacity = capacity;
    }
    ids->list[ids->count++] = id;
    return 0;
}

int xylem_cli__short_ids_read(struct xylem_cli *cli, struct xylem_cli__short_ids *ids)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    int code = xylem_sessions_new(&sessions, cli->txn, &cli->err);

    *ids = (struct xylem_cli__short_ids){0};
    while (code == 0 && (code = xylem_sessions_next(&session, sessions, &cli->err)) == 1) {
        code = session.state == XYLEM_SESSION_LIVE ? add(cli, ids, session.id) : 0;
    }
    xylem_sessions_free(sessions);
    if (code == 0 && ids->count > 0) {
        qsort(ids->list, ids->count, sizeof(*ids->list), compare_views);
    }
    return code;
}

static size_t shared_bytes(struct xylem_view a, struct xylem_view b)
{
    size_t bytes = 0;

    while (bytes < a.bytes && bytes < b.bytes && a.data[bytes] == b.data[bytes]) {
        bytes++;
    }
    return bytes;
}

struct xylem_view xylem_cli__short_id(const struct xylem_cli__short_ids *ids, struct xylem_view id)
{
    const struct xylem_view *found =
        ids->count == 0 ? NULL : bsearch(&id, ids->list, ids->count, sizeof(*ids->list), compare_views);
    size_t bytes = SHORT_BYTES_MIN;

    if (found == NULL) {
        return id;
    }
    if (found > ids->list && shared_bytes(id, found[-1]) >= bytes) {
        bytes = shared_bytes(id, found[-1]) + 1;
    }
    if (found + 1 < ids->list + ids->count && shared_bytes(id, found[1]) >= bytes) {
        bytes = shared_bytes(id, found[1]) + 1;
    }
    while (bytes < id.bytes && ((unsigned char)id.data[bytes] & 0xc0) == 0x80) {
        bytes++; /* not in the middle of a character */
    }
    return bytes < id.bytes ? (struct xylem_view){id.data, bytes} : id;
}

void xylem_cli__short_ids_release(struct xylem_cli__short_ids *ids)
{
    free(ids->list);
    *ids = (struct xylem_cli__short_ids){0};
}
