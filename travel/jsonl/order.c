/*
 * Orders the imports of many files: sources come before their forks, so that a fork finds its source in the store.
 *
 *     file given         a1   b    c    a2        a1 and a2 belong to session a; a was forked from c
 *     by_id              a1   a2   b    c         files sorted by session id; a session is the index of its first file
 *     sources            3    -    -    -         for each session the index of its source, or NONE
 *     order              c    a1   b    a2        each file in the given order, but after all files of its source
 *
 * A cycle of sources loses one link: the session whose file comes first has no source.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "travel/jsonl/header.h"
#include "travel/jsonl/parent_session.h"
#include "xylem/files.h"

#define NONE SIZE_MAX
#define COMPLETE SIZE_MAX      /* all files of the session are in the order */
#define PARENT_BYTES_MAX 4096u /* the longest path. The end of a longer text is kept: it may hold the id */

struct ordered_file {
    struct xylem_buffer id;     /* of the session; empty: the header cannot be read */
    struct xylem_buffer parent; /* the `parentSession` of the header */
    char *path;                 /* absolute */
    size_t session;             /* index into `by_id` of the session's first file, or NONE */
    bool ordered;
};

struct ordering {
    struct ordered_file *files;
    size_t file_count;
    size_t *by_id; /* indexes into `files`: files with an id, sorted by id */
    size_t id_count;
    /* For each session, by the index of the session's first file in `by_id`: */
    size_t *sources;   /* the source, or NONE */
    size_t *seen_from; /* 0; or 1 plus the session from which the walk along sources came here first; or COMPLETE */
    size_t *order;
    size_t ordered_count;
};

static int read_file(struct ordered_file *ordered, const char *path, struct xylem_error *err)
{
    struct xylem_jsonl__file file = {.fd = -1};
    struct xylem_jsonl__header header = {.version = 0};
    struct xylem_error ignored;
    int code = xylem_jsonl__file_open(&file, path, &ignored);
    if (code == XYLEM_OK && (code = xylem_jsonl__header_read(&header, &file, &ignored)) == XYLEM_OK) {
        struct xylem_view parent = header.parent_session;
        size_t kept = parent.bytes < PARENT_BYTES_MAX ? parent.bytes : PARENT_BYTES_MAX;
        code = xylem_buffer_add(&ordered->id, header.id.data, header.id.bytes);
        if (code == XYLEM_OK && kept > 0) {
            code = xylem_buffer_add(&ordered->parent, parent.data + (parent.bytes - kept), kept);
        }
        ordered->path = file.path;
        file.path = NULL;
    }
    xylem_jsonl__header_release(&header);
    xylem_jsonl__file_close(&file);
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : XYLEM_OK;
}

static int compare_ids(const void *left, const void *right, void *context)
{
    const struct ordered_file *files = context;
    size_t a = *(const size_t *)left;
    size_t b = *(const size_t *)right;
    int compared = xylem_base__view_order(xylem_base__buffer_view(&files[a].id), xylem_base__buffer_view(&files[b].id));
    return compared != 0 ? compared : (a > b) - (a < b);
}

static struct xylem_view id_at(const struct ordering *ordering, size_t at)
{
    return xylem_base__buffer_view(&ordering->files[ordering->by_id[at]].id);
}

/* The index into `by_id` of the first file of the session, or NONE. */
static size_t find_session(const struct ordering *ordering, struct xylem_view id)
{
    size_t low = 0;
    size_t high = ordering->id_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (xylem_base__view_order(id_at(ordering, middle), id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < ordering->id_count && xylem_base__view_equal(id_at(ordering, low), id) ? low : NONE;
}

static int knows(void *context, struct xylem_view id, struct xylem_error *err)
{
    (void)err;
    return find_session(context, id) != NONE;
}

static int read_all(struct ordering *ordering, const char *const *paths, struct xylem_error *err)
{
    int code = XYLEM_OK;
    for (size_t i = 0; i < ordering->file_count; i++) {
        if ((code = read_file(&ordering->files[i], paths[i], err)) < 0) {
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
    for (size_t i = 0; i < ordering->id_count && code >= 0; i++) {
        const struct ordered_file *file = &ordering->files[ordering->by_id[i]];
        struct xylem_buffer id = {NULL, 0, 0};
        struct xylem_view parent = xylem_base__buffer_view(&file->parent);
        size_t *source = &ordering->sources[file->session];
        if (parent.bytes > 0 && *source == NONE) { /* the first file of a session with a known source counts */
            code = xylem_jsonl__parent_session(&id, parent, file->path, knows, ordering, err);
            *source = code == 1 ? find_session(ordering, xylem_base__buffer_view(&id)) : NONE;
        }
        xylem_buffer_release(&id);
    }
    return code < 0 ? code : XYLEM_OK;
}

/*
 * Breaks the cycle, if the sources of a session lead into a cycle: the session whose file was given first loses its
 * source. Runs for the first file of the session.
 */
static void break_cycle_from(struct ordering *ordering, size_t first)
{
    size_t end = first;
    if (ordering->seen_from[first] != 0) {
        return;
    }
    while (end != NONE && ordering->seen_from[end] == 0) {
        ordering->seen_from[end] = first + 1;
        end = ordering->sources[end];
    }
    if (end == NONE || ordering->seen_from[end] != first + 1) {
        return; /* a cycle behind a session seen earlier is broken already */
    }
    size_t least = end;
    assert(ordering->sources[end] != NONE);
    for (size_t at = ordering->sources[end]; at != end; at = ordering->sources[at]) {
        least = ordering->by_id[at] < ordering->by_id[least] ? at : least;
    }
    ordering->sources[least] = NONE;
}

static void append_file(struct ordering *ordering, size_t file)
{
    ordering->files[file].ordered = true;
    ordering->order[ordering->ordered_count++] = file;
}

/* Appends the remaining files of a session, the last file first. True if no file was in the order before. */
static bool append_session(struct ordering *ordering, size_t session)
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
            append_file(ordering, ordering->by_id[i - 1]);
        }
    }
    ordering->seen_from[session] = COMPLETE;
    return all;
}

/*
 * Puts a file into the order, behind the files of its sources. The file and its sources are appended in reverse, and
 * then reversed in place, so a long chain of sources needs no memory.
 */
static void append_with_sources(struct ordering *ordering, size_t file)
{
    size_t begin = ordering->ordered_count;
    size_t session = ordering->files[file].session;
    if (ordering->files[file].ordered) {
        return;
    }
    append_file(ordering, file);
    if (session != NONE) {
        break_cycle_from(ordering, session);
        session = ordering->sources[session];
    }
    /* A session with a file in the order has its sources in the order too. */
    while (session != NONE && ordering->seen_from[session] != COMPLETE && append_session(ordering, session)) {
        session = ordering->sources[session];
    }
    for (size_t low = begin, high = ordering->ordered_count; low + 1 < high; low++) {
        size_t swapped = ordering->order[low];
        ordering->order[low] = ordering->order[--high];
        ordering->order[high] = swapped;
    }
}

int xylem_import_order(size_t *order, const char *const *paths, size_t path_count, struct xylem_error *err)
{
    if (path_count == 0) {
        return XYLEM_OK;
    }
    if (!order || !paths) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "an order needs paths, and an array for as many numbers");
    }
    struct ordering ordering = {.file_count = path_count, .order = order};
    ordering.files = calloc(path_count, sizeof *ordering.files);
    ordering.by_id = calloc(path_count, sizeof *ordering.by_id);
    ordering.sources = calloc(path_count, sizeof *ordering.sources);
    ordering.seen_from = calloc(path_count, sizeof *ordering.seen_from);
    bool allocated = ordering.files && ordering.by_id && ordering.sources && ordering.seen_from;
    int code = allocated ? read_all(&ordering, paths, err) : xylem_base__fail_memory(err);
    for (size_t i = 0; code == XYLEM_OK && i < path_count; i++) {
        append_with_sources(&ordering, i);
    }
    for (size_t i = 0; ordering.files && i < path_count; i++) {
        xylem_buffer_release(&ordering.files[i].id);
        xylem_buffer_release(&ordering.files[i].parent);
        free(ordering.files[i].path);
    }
    free(ordering.files);
    free(ordering.by_id);
    free(ordering.sources);
    free(ordering.seen_from);
    return code;
}
