#include "search/problems.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/numbers.h"

static int add(struct xylem_search__problems *problems, const struct xylem_search__problem *problem,
               struct xylem_error *err)
{
    struct xylem_search__problem *list =
        xylem_base__with_room(problems->list, &problems->capacity, problems->count, sizeof *list);
    if (!list) {
        return xylem_base__fail_memory(err);
    }
    problems->list = list;
    list[problems->count++] = *problem;
    return XYLEM_OK;
}

static void release(struct xylem_search__problem *problem)
{
    xylem_buffer_release(&problem->entry_id);
    xylem_buffer_release(&problem->text);
}

int xylem_search__problems_add(struct xylem_search__problems *problems, const char *table, uint64_t session,
                               struct xylem_position position, struct xylem_view entry_id, const char *text,
                               struct xylem_error *err)
{
    struct xylem_search__problem problem = {.table = table, .session = session, .position = position};
    int code = xylem_buffer_add(&problem.entry_id, entry_id.data, entry_id.bytes) < 0 ||
                       xylem_base__buffer_add_text(&problem.text, text) < 0
                   ? xylem_base__fail_memory(err)
                   : add(problems, &problem, err);
    if (code < 0) {
        release(&problem);
    }
    return code;
}

int xylem_search__problems_move(struct xylem_search__problems *to, struct xylem_search__problems *from,
                                struct xylem_error *err)
{
    int code = XYLEM_OK;
    while (from->count > 0 && (code = add(to, &from->list[from->count - 1], err)) == XYLEM_OK) {
        from->count--;
    }
    return code;
}

static int compare(const void *left, const void *right)
{
    const struct xylem_search__problem *a = left;
    const struct xylem_search__problem *b = right;
    int order = strcmp(a->table, b->table);
    order = order != 0 ? order : xylem_base__compare_positions(&a->position, &b->position);
    order = order != 0 ? order : (a->session > b->session) - (a->session < b->session);
    return order != 0 ? order : strcmp(a->text.data, b->text.data);
}

void xylem_search__problems_sort(struct xylem_search__problems *problems)
{
    if (problems->count > 0) {
        qsort(problems->list, problems->count, sizeof *problems->list, compare);
    }
}

void xylem_search__problems_release(struct xylem_search__problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        release(&problems->list[i]);
    }
    free(problems->list);
}
