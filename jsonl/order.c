/* In which order files are imported, so that a fork finds its source in the store. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "jsonl/header.h"
#include "jsonl/parent_session.h"

#define NONE SIZE_MAX
#define COMPLETE SIZE_MAX      /* all files of the session were taken */
#define PARENT_BYTES_MAX 4096u /* as much as a path may have: a longer text names no file, and its end is its name */

struct ordered_file {
    struct xylem_buffer id;     /* of its session; empty: its header cannot be read */
    struct xylem_buffer parent; /* its `parentSession` */
    char *path;                 /* absolute */
    size_t session;             /* where the files of its session begin in `by_id`, or NONE */
    bool ordered;
};

struct ordering {
    struct ordered_file *files;
    size_t file_count;
    size_t *by_id; /* indexes of files with an id, sorted by it */
    size_t id_count;
    /* Of a session, by where its files begin in `by_id`: */
    size_t *sources;   /* where its source's files begin, or NONE */
    size_t *seen_from; /* 0, or the session whose chain of sources led here first, plus one; or COMPLETE */
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
        struct xylem_view parent = header.parent_session;
        size_t kept = parent.bytes < PARENT_BYTES_MAX ? parent.bytes : PARENT_BYTES_MAX;
        code = xylem_buffer_add(&ordered->id, header.id.data, header.id.bytes);
        code = code < 0 || kept == 0 ? code
                                     : xylem_buffer_add(&ordered->parent, parent.data + (parent.bytes - kept), kept);
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

/* Where the files of the session of that id begin in `by_id`, or NONE. */
static size_t find_session(const struct ordering *ordering, struct xylem_view id)
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
    return found ? low : NONE;
}

static int knows(void *context, struct xylem_view id, struct xylem_error *err)
{
    (void)err;
    return find_session(context, id) != NONE;
}

/* Finds the source of a file's session; what the first of its files that names one says counts. */
static int find_source(struct ordering *ordering, const struct ordered_file *file, struct xylem_error *err)
{
    struct xylem_buffer id = {NULL, 0, 0};
    struct xylem_view parent = xylem_base__buffer_view(&file->parent);
    size_t *source = &ordering->sources[file->session];
    if (parent.bytes == 0 || *source != NONE) {
        return XYLEM_OK;
    }
    int found = xylem_jsonl__parent_session(&id, parent, file->path, knows, ordering, err);
    *source = found == 1 ? find_session(ordering, xylem_base__buffer_view(&id)) : NONE;
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
        ordering->files[i].session = NONE;
        ordering->sources[i] = NONE;
        if (ordering->files[i].id.bytes > 0) {
            ordering->by_id[ordering->id_count++] = i;
        }
    }
    qsort_r(ordering->by_id, ordering->id_count, sizeof *ordering->by_id, compare_ids, ordering->files);
    for (size_t i = 0; i < ordering->id_count; i++) {
        struct ordered_file *file = &ordering->files[ordering->by_id[i]];
        file->session = find_session(ordering, xylem_base__buffer_view(&file->id));
    }
    int code = XYLEM_OK;
    for (size_t i = 0; i < ordering->id_count && code == XYLEM_OK; i++) {
        code = find_source(ordering, &ordering->files[ordering->by_id[i]], err);
    }
    return code;
}

/* Sources lead back to `end`: the session of that circle whose file was given first does without one. */
static void break_cycle(struct ordering *ordering, size_t end)
{
    size_t least = end;
    for (size_t at = ordering->sources[end]; at != end; at = ordering->sources[at]) {
        least = ordering->by_id[at] < ordering->by_id[least] ? at : least;
    }
    ordering->sources[least] = NONE;
}

/* Breaks the circle that the sources of a session may lead into, when the first of its files is looked at. */
static void check_chain(struct ordering *ordering, size_t first)
{
    size_t at = first;
    if (ordering->seen_from[first] != 0) {
        return;
    }
    while (at != NONE && ordering->seen_from[at] == 0) {
        ordering->seen_from[at] = first + 1;
        at = ordering->sources[at];
    }
    if (at != NONE && ordering->seen_from[at] == first + 1) {
        break_cycle(ordering, at); /* what was seen from elsewhere leads into no circle any more */
    }
}

static void put(struct ordering *ordering, size_t file)
{
    ordering->files[file].ordered = true;
    ordering->order[ordering->ordered_count++] = file;
}

/* Takes what is left of a session's files, the last one first: true if that was all of them. */
static bool take_session(struct ordering *ordering, size_t session)
{
    size_t end = session + 1;
    bool all = true;
    while (end < ordering->id_count && ordering->files[ordering->by_id[end]].session == session) {
        end++;
    }
    for (size_t i = end; i > session; i--) {
        if (ordering->files[ordering->by_id[i - 1]].ordered) {
            all = false;
        } else {
            put(ordering, ordering->by_id[i - 1]);
        }
    }
    ordering->seen_from[session] = COMPLETE;
    return all;
}

/* Takes a file after its sources. Their chain is turned round where it is written, so its length needs no memory. */
static void take(struct ordering *ordering, size_t file)
{
    size_t begin = ordering->ordered_count;
    size_t session = ordering->files[file].session;
    if (ordering->files[file].ordered) {
        return;
    }
    put(ordering, file);
    if (session != NONE) {
        check_chain(ordering, session);
        session = ordering->sources[session];
    }
    /* Where a file of a session was taken before, its sources were too. */
    while (session != NONE && ordering->seen_from[session] != COMPLETE && take_session(ordering, session)) {
        session = ordering->sources[session];
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
    free(ordering->sources);
    free(ordering->seen_from);
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
    ordering.sources = calloc(path_count, sizeof *ordering.sources);
    ordering.seen_from = calloc(path_count, sizeof *ordering.seen_from);
    bool allocated = ordering.files && ordering.by_id && ordering.sources && ordering.seen_from;
    int code = allocated ? read_all(&ordering, paths, err) : xylem_base__fail_memory(err);
    for (size_t i = 0; code == XYLEM_OK && i < path_count; i++) {
        take(&ordering, i);
    }
    ordering_release(&ordering);
    return code;
}
