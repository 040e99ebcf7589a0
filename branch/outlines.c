/*
 * Lists sessions by activity. The kept lists of the table `outlines` give most sessions in order; the sessions whose
 * place there is stale get their place from the entries:
 *
 *     kept     |  A  |  B  |  C  |  D  |  E  |         B and D are stale: their rows here are stepped over
 *     sorted   |  D  |  B  |                           by the time of their leaves now
 *     given       D, A, B, C, E                        of both, always the newer one
 *
 * Damage in the kept lists makes all sessions stale: the list goes on behind the last given session.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "branch/outline.h"
#include "store/session.h"
#include "xylem/branch.h"

/* The place of a session. */
struct place {
    int64_t active_ms;
    uint64_t session;
};

struct xylem_outlines {
    struct xylem_txn *txn;
    struct xylem_buffer directory; /* without slashes at its end */
    bool in_directory;
    bool below;
    bool damaged;
    struct place last; /* the last given place; session 0: none */
    struct xylem_base__numbers stale;
    struct place *sorted; /* of stale sessions; with `below` of all */
    size_t count;
    size_t capacity;
    size_t next;
    struct xylem_store__outline_list kept;
    bool reads_kept;
    bool listed_all;     /* the kept lists are damaged: every place is in `sorted` */
    struct place peeked; /* the next kept place; session 0: not read yet */
};

static int compare(const void *left, const void *right)
{
    const struct place *a = left;
    const struct place *b = right;
    int order = (a->active_ms < b->active_ms) - (a->active_ms > b->active_ms);
    return order != 0 ? order : (a->session < b->session) - (a->session > b->session);
}

static bool is_wanted(const struct xylem_outlines *outlines, const struct xylem_session *session)
{
    struct xylem_view wanted = xylem_base__buffer_view(&outlines->directory);
    struct xylem_view path = xylem_format__outline_directory(session->cwd);
    if (session->state == XYLEM_SESSION_FREED || !outlines->in_directory) {
        return session->state != XYLEM_SESSION_FREED;
    }
    return session->cwd.data && (xylem_base__view_equal(path, wanted) ||
                                 (outlines->below && path.bytes > wanted.bytes && path.data[wanted.bytes] == '/' &&
                                  xylem_base__view_begins(path, wanted)));
}

static int add(struct xylem_outlines *outlines, struct place place, struct xylem_error *err)
{
    struct place *sorted =
        xylem_base__with_room(outlines->sorted, &outlines->capacity, outlines->count, sizeof *sorted);
    if (!sorted) {
        return xylem_base__fail_memory(err);
    }
    outlines->sorted = sorted;
    sorted[outlines->count++] = place;
    return XYLEM_OK;
}

/* Adds the place of a session now. A look at the kept outline would cost as much as the leaf. */
static int add_now(struct xylem_outlines *outlines, const struct xylem_session *session, struct xylem_error *err)
{
    struct place place = {session->created_ms, session->number};
    if (!is_wanted(outlines, session)) {
        return XYLEM_OK;
    }
    int code = xylem_branch__outline_active(&place.active_ms, outlines->txn, session, err);
    outlines->damaged = outlines->damaged || code == XYLEM_E_CORRUPT;
    return code < 0 && code != XYLEM_E_CORRUPT ? code : add(outlines, place, err);
}

struct adding {
    struct xylem_outlines *outlines;
    struct xylem_error *err;
};

static int add_each(void *context, const struct xylem_session *session)
{
    const struct adding *adding = context;
    return add_now(adding->outlines, session, adding->err);
}

/* Sorts the list, and steps over what was given. */
static void sort(struct xylem_outlines *outlines)
{
    if (outlines->count > 0) {
        qsort(outlines->sorted, outlines->count, sizeof *outlines->sorted, compare);
    }
    outlines->next = 0;
    while (outlines->last.session != 0 && outlines->next < outlines->count &&
           compare(&outlines->sorted[outlines->next], &outlines->last) <= 0) {
        outlines->next++;
    }
}

/* Makes every place from the sessions themselves. */
static int list_all(struct xylem_outlines *outlines, struct xylem_error *err)
{
    struct adding adding = {outlines, err};
    outlines->reads_kept = false;
    outlines->listed_all = true;
    outlines->count = 0;
    int code = xylem_store__each_session(outlines->txn, add_each, &adding, err);
    sort(outlines);
    return code;
}

/* --- The kept lists ----------------------------------------------------------------------------------------------- */

/* 1 and the next place of the kept list that is not stale, or 0. */
static int next_kept(struct place *place, struct xylem_outlines *outlines, struct xylem_error *err)
{
    struct xylem_view key;
    int found;
    while ((found = xylem_store__outline_list_next(&key, &outlines->kept, err)) > 0) {
        if (!xylem_format__key_read_outline_place(&place->active_ms, &place->session, key)) {
            return xylem_base__fail(err, XYLEM_E_CORRUPT, "a key of the table outlines has %zu bytes", key.bytes);
        }
        /* A directory with a NUL begins like the directory before the NUL. */
        bool longer = outlines->in_directory && !outlines->below &&
                      key.bytes != outlines->kept.beginning.view.bytes + XYLEM_FORMAT__OUTLINE_PLACE_BYTES;
        if (!longer && !xylem_base__numbers_have(&outlines->stale, place->session)) {
            return 1;
        }
    }
    return found;
}

/* Takes the places in a directory and below: they are not in order. Some lie beside it: `/a` begins `/ab`, too. */
static int list_below(struct xylem_outlines *outlines, struct xylem_error *err)
{
    struct place place;
    int found;
    while ((found = next_kept(&place, outlines, err)) > 0 && (found = add(outlines, place, err)) == XYLEM_OK) {
    }
    outlines->reads_kept = false;
    return found;
}

static int start_kept(struct xylem_outlines *outlines, struct xylem_error *err)
{
    struct xylem_store__outline_list *kept = &outlines->kept;
    struct xylem_view directory = xylem_base__buffer_view(&outlines->directory);
    if (!outlines->in_directory) {
        xylem_format__key_outline_tag(&kept->beginning, XYLEM_FORMAT__OUTLINE_ACTIVE);
        xylem_format__key_outline_tag(&kept->from, XYLEM_FORMAT__OUTLINE_ACTIVE);
        if (outlines->last.session != 0) {
            xylem_format__key_outline_active(&kept->from, outlines->last.active_ms, outlines->last.session);
        }
    } else {
        xylem_format__key_outline_in(&kept->beginning, directory, outlines->below);
        xylem_format__key_outline_in(&kept->from, directory, outlines->below);
        if (outlines->last.session != 0 && !outlines->below) {
            xylem_format__key_outline_directory(&kept->from, directory, outlines->last.active_ms,
                                                outlines->last.session);
        }
    }
    outlines->reads_kept = true;
    return xylem_store__outline_list_start(kept, outlines->txn, err);
}

/* --- The calls ---------------------------------------------------------------------------------------------------- */

int xylem_outlines_new(struct xylem_outlines **outlines, struct xylem_txn *txn,
                       const struct xylem_outlines_options *options, struct xylem_error *err)
{
    static const struct xylem_outlines_options all;
    options = options ? options : &all;
    struct xylem_view directory = xylem_format__outline_directory(options->directory);
    struct xylem_outlines *made = calloc(1, sizeof *made);
    if (!made || xylem_buffer_add(&made->directory, directory.data, directory.bytes) < 0) {
        free(made);
        return xylem_base__fail_memory(err);
    }
    made->txn = txn;
    made->in_directory = options->directory.data != NULL;
    made->below = made->in_directory && options->below;
    made->last = (struct place){options->after_ms, options->after_session};
    int code = xylem_store__outline_stale(&made->stale, NULL, txn, false, err);
    for (size_t i = 0; code == XYLEM_OK && i < made->stale.count; i++) {
        struct xylem_session session;
        code = xylem_session_read(&session, txn, made->stale.list[i], err);
        code = code == XYLEM_OK ? add_now(made, &session, err) : xylem_store__no_entry(code) ? XYLEM_OK : code;
    }
    if (code < 0 || (code = start_kept(made, err)) < 0 || (made->below && (code = list_below(made, err)) < 0)) {
        code = code == XYLEM_E_CORRUPT ? list_all(made, err) : code;
    } else {
        sort(made);
    }
    if (code < 0) {
        xylem_outlines_free(made);
        return code;
    }
    *outlines = made;
    return XYLEM_OK;
}

/* 1 and the next place, or 0. */
static int next_place(struct place *place, struct xylem_outlines *outlines, struct xylem_error *err)
{
    int found = outlines->reads_kept ? 1 : 0;
    while (found == 1 && outlines->peeked.session == 0 && (found = next_kept(&outlines->peeked, outlines, err)) == 1 &&
           outlines->last.session != 0 && compare(&outlines->peeked, &outlines->last) <= 0) {
        outlines->peeked.session = 0;
    }
    if (found < 0) {
        int code = found == XYLEM_E_CORRUPT ? list_all(outlines, err) : found;
        if (code < 0) {
            return code;
        }
        found = 0;
    }
    bool has_sorted = outlines->next < outlines->count;
    outlines->reads_kept = outlines->reads_kept && found == 1;
    if (found == 1 && (!has_sorted || compare(&outlines->peeked, &outlines->sorted[outlines->next]) < 0)) {
        *place = outlines->peeked;
        outlines->peeked.session = 0;
        return 1;
    }
    if (has_sorted) {
        *place = outlines->sorted[outlines->next++];
    }
    return has_sorted;
}

int xylem_outlines_next(struct xylem_session *session, int64_t *active_ms, struct xylem_outlines *outlines,
                        struct xylem_error *err)
{
    struct place place = {0, 0};
    int found;
    while ((found = next_place(&place, outlines, err)) == 1) {
        int code = xylem_session_read(session, outlines->txn, place.session, err);
        if (xylem_store__no_entry(code) || code == XYLEM_E_CORRUPT) {
            /* A kept row of a session that is gone: damage, as gc removes both. */
            if (outlines->listed_all || (code = list_all(outlines, err)) < 0) {
                return code;
            }
            continue;
        }
        if (code < 0) {
            return code;
        }
        if (is_wanted(outlines, session)) {
            outlines->last = place;
            *active_ms = place.active_ms;
            return 1;
        }
    }
    return found;
}

bool xylem_outlines_damaged(const struct xylem_outlines *outlines)
{
    return outlines->damaged;
}

void xylem_outlines_free(struct xylem_outlines *outlines)
{
    if (outlines) {
        xylem_store__outline_list_end(&outlines->kept);
        xylem_buffer_release(&outlines->directory);
        free(outlines->stale.list);
        free(outlines->sorted);
        free(outlines);
    }
}
