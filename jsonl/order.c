/* In which order files are imported, so that a fork finds its source in the store. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "jsonl/header.h"
#include "jsonl/parent_session.h"

#define NO_FILE SIZE_MAX

struct ordered_file {
    struct xylem_buffer id;     /* of its session; empty: its header cannot be read */
    struct xylem_buffer parent; /* its `parentSession` */
    char *path;                 /* absolute */
    size_t source;              /* the file of its source, or NO_FILE */
    size_t seen_from;           /* the file whose chain of sources led here last, plus one */
    bool ordered;
};

struct ordering {
    struct ordered_file *files;
    size_t file_count;
    size_t *by_id; /* indexes of files with an id, sorted by it */
    size_t id_count;
    size_t *order;
    size_t ordered_count;
};

static int read_file(struct ordered_file *ordered, const char *path, struct xylem_error *err)
{
    struct xylem_jsonl__file file = {.fd = -1};
    struct xylem_jsonl__header header = {.version = 0};
    struct xylem_error ignored;
    int code = xylem_jsonl__file_open(&file, path, &ignored);
    code = code < 0 ? code : xylem_jsonl__header_read(&header, &file, &ignored);
    if (code == XYLEM_OK) {
        code = xylem_buffer_add(&ordered->id, header.id.data, header.id.bytes);
        code = code < 0 ? code
                        : xylem_buffer_add(&ordered->parent, header.parent_session.data, header.parent_session.bytes);
        ordered->path = file.path;
        file.path = NULL;
    }
    xylem_jsonl__header_release(&header);
    xylem_jsonl__file_close(&file);
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : XYLEM_OK;
}

static int compare_views(struct xylem_view a, struct xylem_view b)
{
    int compared = memcmp(a.data, b.data, a.bytes < b.bytes ? a.bytes : b.bytes); /* neither is empty */
    return compared != 0 ? compared : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

static int compare_ids(const void *left, const void *right, void *context)
{
    const struct ordered_file *files = context;
    size_t a = *(const size_t *)left;
    size_t b = *(const size_t *)right;
    int compared = compare_views(xylem_base__buffer_view(&files[a].id), xylem_base__buffer_view(&files[b].id));
    return compared != 0 ? compared : (a > b) - (a < b);
}

/* The first file of the session of that id, or NO_FILE. */
static size_t find_id(const struct ordering *ordering, struct xylem_view id)
{
    size_t low = 0;
    size_t high = ordering->id_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_views(xylem_base__buffer_view(&ordering->files[ordering->by_id[middle]].id), id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < ordering->id_count &&
                 compare_views(xylem_base__buffer_view(&ordering->files[ordering->by_id[low]].id), id) == 0;
    return found ? ordering->by_id[low] : NO_FILE;
}

static int knows(void *context, struct xylem_view id, struct xylem_error *err)
{
    (void)err;
    return find_id(context, id) != NO_FILE;
}

static int find_source(struct ordering *ordering, struct ordered_file *file, struct xylem_error *err)
{
    struct xylem_buffer id = {NULL, 0, 0};
    struct xylem_view parent = xylem_base__buffer_view(&file->parent);
    int found = parent.bytes == 0 ? 0 : xylem_jsonl__parent_session(&id, parent, file->path, knows, ordering, err);
    file->source = found == 1 ? find_id(ordering, xylem_base__buffer_view(&id)) : NO_FILE;
    xylem_buffer_release(&id);
    return found < 0 ? found : XYLEM_OK;
}

static int read_all(struct ordering *ordering, const char *const *paths, struct xylem_error *err)
{
    for (size_t i = 0; i < ordering->file_count; i++) {
        int code = read_file(&ordering->files[i], paths[i], err);
        if (code < 0) {
            return code;
        }
        if (ordering->files[i].id.bytes > 0) {
            ordering->by_id[ordering->id_count++] = i;
        }
    }
    qsort_r(ordering->by_id, ordering->id_count, sizeof *ordering->by_id, compare_ids, ordering->files);
    int code = XYLEM_OK;
    for (size_t i = 0; i < ordering->file_count && code == XYLEM_OK; i++) {
        code = find_source(ordering, &ordering->files[i], err);
    }
    return code;
}

/* Where the sources of `first` lead back to `end`: the one of that circle that was given first does without a source. */
static void break_cycle(struct ordering *ordering, size_t end)
{
    size_t least = end;
    for (size_t at = ordering->files[end].source; at != end; at = ordering->files[at].source) {
        least = at < least ? at : least;
    }
    ordering->files[least].source = NO_FILE;
}

/* Breaks the circle that the sources of a file may lead into. */
static void check_chain(struct ordering *ordering, size_t first)
{
    size_t at = first;
    for (; at != NO_FILE && !ordering->files[at].ordered; at = ordering->files[at].source) {
        if (ordering->files[at].seen_from == first + 1) {
            break_cycle(ordering, at);
            break;
        }
        ordering->files[at].seen_from = first + 1;
    }
}

/* Takes a file after its sources. The chain is turned round where it is written, so its length needs no memory. */
static void take(struct ordering *ordering, size_t first)
{
    check_chain(ordering, first);
    size_t begin = ordering->ordered_count;
    for (size_t at = first; at != NO_FILE && !ordering->files[at].ordered; at = ordering->files[at].source) {
        ordering->files[at].ordered = true;
        ordering->order[ordering->ordered_count++] = at;
    }
    for (size_t low = begin, high = ordering->ordered_count; low + 1 < high; low++) {
        size_t swapped = ordering->order[low];
        ordering->order[low] = ordering->order[--high];
        ordering->order[high] = swapped;
    }
}

static void ordering_release(struct ordering *ordering)
{
    for (size_t i = 0; ordering->files && i < ordering->file_count; i++) {
        xylem_buffer_release(&ordering->files[i].id);
        xylem_buffer_release(&ordering->files[i].parent);
        free(ordering->files[i].path);
    }
    free(ordering->files);
    free(ordering->by_id);
}

int xylem_import_order(size_t *order, const char *const *paths, size_t path_count, struct xylem_error *err)
{
    if (path_count == 0) {
        return XYLEM_OK;
    }
    if (!order || !paths) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an order needs paths, and room for as many numbers");
    }
    struct ordering ordering = {.file_count = path_count, .order = order};
    ordering.files = calloc(path_count, sizeof *ordering.files);
    ordering.by_id = calloc(path_count, sizeof *ordering.by_id);
    int code = ordering.files && ordering.by_id ? read_all(&ordering, paths, err) : xylem_base__fail_memory(err);
    for (size_t i = 0; code == XYLEM_OK && i < path_count; i++) {
        take(&ordering, i);
    }
    ordering_release(&ordering);
    return code;
}
