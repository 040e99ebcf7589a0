/*
 * Hits are kept in a list of up to twice the wanted number. When the list is full, the list is sorted and the older
 * half is dropped: so a hit costs a sort of two hits on average, and no old hit is copied.
 */
#include "search/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"

#define FIRST_CUT 64u /* hits without a sort */

/* Smaller than 0: `a` comes first. Entries by time and lsn, the newest first; then lines in the order of the table. */
static int order_of(int64_t a_ms, uint64_t a_lsn, int64_t b_ms, uint64_t b_lsn)
{
    return a_ms != b_ms ? (a_ms < b_ms) - (a_ms > b_ms) : (a_lsn < b_lsn) - (a_lsn > b_lsn);
}

static int compare(const void *left, const void *right)
{
    const struct xylem_search__kept_hit *a = left;
    const struct xylem_search__kept_hit *b = right;
    bool a_is_line = a->hit.position.branch == 0;
    bool b_is_line = b->hit.position.branch == 0;
    if (a_is_line || b_is_line) {
        return a_is_line && b_is_line ? (a->order > b->order) - (a->order < b->order) : a_is_line - b_is_line;
    }
    return order_of(a->hit.time_ms, a->hit.lsn, b->hit.time_ms, b->hit.lsn);
}

bool xylem_search__kept_takes(const struct xylem_search__kept *kept, int64_t time_ms, uint64_t lsn)
{
    return !kept->full || order_of(time_ms, lsn, kept->least_ms, kept->least_lsn) < 0;
}

void xylem_search__kept_sort(struct xylem_search__kept *kept)
{
    if (kept->count > 0) {
        qsort(kept->list, kept->count, sizeof *kept->list, compare);
    }
    while (kept->count > kept->max) {
        free(kept->list[--kept->count].bytes);
        kept->full = true;
    }
    if (kept->full && kept->count > 0) {
        kept->least_ms = kept->list[kept->count - 1].hit.time_ms;
        kept->least_lsn = kept->list[kept->count - 1].hit.lsn;
    }
}

static int add(struct xylem_search__kept *kept, const struct xylem_search__kept_hit *hit, struct xylem_error *err)
{
    if (kept->count / 2 >= kept->max && kept->count >= FIRST_CUT) {
        xylem_search__kept_sort(kept);
    }
    struct xylem_search__kept_hit *list = xylem_base__with_room(kept->list, &kept->capacity, kept->count, sizeof *list);
    if (!list) {
        return xylem_base__fail_memory(err);
    }
    kept->list = list;
    list[kept->count++] = *hit;
    return XYLEM_OK;
}

static void copy(struct xylem_view *view, char **to)
{
    if (view->bytes > 0) {
        memcpy(*to, view->data, view->bytes);
    }
    view->data = *to;
    *to += view->bytes;
}

int xylem_search__kept_add(struct xylem_search__kept *kept, const struct xylem_search_hit *hit, uint64_t order,
                           struct xylem_error *err)
{
    struct xylem_search__kept_hit made = {.hit = *hit, .order = order};
    size_t bytes = hit->entry_id.bytes + hit->kind.name.bytes + hit->role.bytes + hit->tool.bytes + hit->text.bytes;
    char *to = made.bytes = malloc(bytes + 1);
    if (!made.bytes) {
        return xylem_base__fail_memory(err);
    }
    copy(&made.hit.entry_id, &to);
    copy(&made.hit.kind.name, &to);
    copy(&made.hit.role, &to);
    copy(&made.hit.tool, &to);
    copy(&made.hit.text, &to);
    int code = add(kept, &made, err);
    if (code < 0) {
        free(made.bytes);
    }
    return code;
}

int xylem_search__kept_move(struct xylem_search__kept *to, struct xylem_search__kept *from, struct xylem_error *err)
{
    int code = XYLEM_OK;
    while (from->count > 0 && (code = add(to, &from->list[from->count - 1], err)) == XYLEM_OK) {
        from->count--;
    }
    return code;
}

void xylem_search__kept_release(struct xylem_search__kept *kept)
{
    for (size_t i = 0; i < kept->count; i++) {
        free(kept->list[i].bytes);
    }
    free(kept->list);
}
