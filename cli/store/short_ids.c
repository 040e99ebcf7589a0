/* Shortens ids to the shortest unique prefixes, of sessions and of entries of a session. */
#include "cli/store/store.h"
#include "xylem/branch.h"

#include <stdlib.h>

static int compare_ids(const void *a, const void *b)
{
    return xylem_base__view_order(*(const struct xylem_view *)a, *(const struct xylem_view *)b);
}

int xylem_cli__short_ids_add(struct xylem_cli *cli, struct xylem_cli__short_ids *ids, struct xylem_view id)
{
    if (xylem_cli__is_left_out(cli, id)) {
        return 0; /* the id is shown whole, and is then replaced: a part of a match would not match */
    }
    return xylem_cli__list_add(cli, &ids->list, &ids->count, &ids->capacity, &id, sizeof id);
}

void xylem_cli__short_ids_sort(struct xylem_cli__short_ids *ids)
{
    size_t kept = ids->count > 0 ? 1 : 0;
    if (ids->count > 0) {
        qsort(ids->list, ids->count, sizeof *ids->list, compare_ids);
    }
    for (size_t i = 1; i < ids->count; i++) {
        if (!xylem_base__view_equal(ids->list[i], ids->list[kept - 1])) {
            ids->list[kept++] = ids->list[i];
        }
    }
    ids->count = kept;
}

static int add_live(struct xylem_cli *cli, void *ids, const struct xylem_session *session)
{
    return session->state == XYLEM_SESSION_LIVE ? xylem_cli__short_ids_add(cli, ids, session->id) : 0;
}

int xylem_cli__short_ids_read(struct xylem_cli *cli, struct xylem_cli__short_ids *ids)
{
    *ids = (struct xylem_cli__short_ids){0};
    int code = xylem_cli__each_session(cli, add_live, ids);
    xylem_cli__short_ids_sort(ids);
    return code;
}

int xylem_cli__short_ids_add_entries(struct xylem_cli *cli, struct xylem_cli__short_ids *ids, uint64_t session)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = xylem_scan_new(&scan, cli->txn, session, &cli->err);
    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        code = xylem_cli__short_ids_add(cli, ids, entry.id);
    }
    xylem_scan_free(scan);
    xylem_cli__short_ids_sort(ids);
    return code;
}

size_t xylem_cli__id_shared_bytes(struct xylem_view a, struct xylem_view b)
{
    size_t bytes = 0;
    while (bytes < a.bytes && bytes < b.bytes && a.data[bytes] == b.data[bytes]) {
        bytes++;
    }
    return bytes;
}

struct xylem_view xylem_cli__id_beginning(struct xylem_view id, size_t bytes)
{
    while (bytes < id.bytes && xylem_base__utf8_continues(id.data[bytes])) {
        bytes++; /* not in the middle of a character */
    }
    return bytes < id.bytes ? (struct xylem_view){id.data, bytes} : id;
}

struct xylem_view xylem_cli__short_id(const struct xylem_cli__short_ids *ids, struct xylem_view id)
{
    const struct xylem_view *found =
        ids->count == 0 ? NULL : bsearch(&id, ids->list, ids->count, sizeof *ids->list, compare_ids);
    if (!found) {
        return id;
    }
    size_t before = found == ids->list ? 0 : xylem_cli__id_shared_bytes(id, found[-1]);
    size_t behind = found + 1 == ids->list + ids->count ? 0 : xylem_cli__id_shared_bytes(id, found[1]);
    size_t unique = 1 + (before > behind ? before : behind);
    return xylem_cli__id_beginning(id, unique > XYLEM_CLI__SHORT_BYTES_MIN ? unique : XYLEM_CLI__SHORT_BYTES_MIN);
}

size_t xylem_cli__short_ids_cells(const struct xylem_cli *cli, const struct xylem_cli__short_ids *ids, size_t cells_max)
{
    size_t widest = 0;
    for (size_t i = 0; i < ids->count; i++) {
        size_t cells = xylem_cli__cells(cli, xylem_cli__short_id(ids, ids->list[i]), cells_max + 1);
        widest = cells > widest && cells <= cells_max ? cells : widest;
    }
    return widest;
}

size_t xylem_cli__add_id_column(const struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_cli__short_ids *ids, struct xylem_view id, size_t width)
{
    struct xylem_view shown = ids ? xylem_cli__short_id(ids, id) : id;
    size_t cells = xylem_cli__cells(cli, shown, SIZE_MAX);
    cells = cells > width ? cells : width;
    xylem_cli__add_column(cli, text, shown, cells, XYLEM_CLI__YELLOW);
    return cells;
}

void xylem_cli__short_ids_release(struct xylem_cli__short_ids *ids)
{
    free(ids->list);
    *ids = (struct xylem_cli__short_ids){0};
}
