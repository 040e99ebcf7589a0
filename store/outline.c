#include "store/outline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/feed.h"
#include "store/lmdb/tables.h"
#include "store/meta.h"
#include "store/session.h"

/* With more new lsns for each session, the rows of all sessions are read, and not the rows of the feed. */
#define LSNS_PER_SESSION 4u

static const struct xylem_view none = {NULL, 0};

static int get(struct xylem_view *row, struct xylem_txn *txn, const struct xylem_format__key *key,
               struct xylem_error *err)
{
    return xylem_lmdb__get_summed(row, txn, XYLEM_FORMAT__OUTLINES, key->view, err);
}

static int put(struct xylem_txn *txn, const struct xylem_format__key *key, struct xylem_buffer *row, bool made,
               struct xylem_error *err)
{
    return xylem_lmdb__put_summed(txn, XYLEM_FORMAT__OUTLINES, key->view, row, made, true, err);
}

static int invalid(const struct xylem_txn *txn, const char *what, uint64_t session, struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_CORRUPT,
                            "%s: the table outlines: %s of session number %" PRIu64
                            " is missing, or has invalid fields",
                            xylem_lmdb__path(txn), what, session);
}

/* --- Rows of a session -------------------------------------------------------------------------------------------- */

bool xylem_store__outline_decode(struct xylem_store__outline *outline, struct xylem_view row)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    *outline = (struct xylem_store__outline){.last_lsn = xylem_base__read_u64(&cursor)};
    outline->leaf = xylem_base__read_position(&cursor);
    outline->outline.active_ms = xylem_base__read_i64(&cursor);
    outline->outline.entry_count = xylem_base__read_u64(&cursor);
    outline->outline.tip_count = xylem_base__read_u64(&cursor);
    unsigned has = xylem_base__read_u8(&cursor);
    struct xylem_view name = xylem_base__read_sized(&cursor);
    outline->outline.has_name = (has & XYLEM_FORMAT__OUTLINE_ROW_NAMED) != 0;
    outline->name = outline->outline.has_name ? name : none;
    outline->has_first = (has & XYLEM_FORMAT__OUTLINE_ROW_FIRST) != 0;
    outline->has_last = (has & XYLEM_FORMAT__OUTLINE_ROW_LAST) != 0;
    return has <= 7 && xylem_base__cursor_ended(&cursor);
}

bool xylem_store__outline_words_decode(struct xylem_store__outline *outline, struct xylem_view row)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    struct xylem_view first = xylem_base__read_sized(&cursor);
    struct xylem_view last = xylem_base__read_sized(&cursor);
    outline->first = outline->has_first ? first : none;
    outline->last = outline->has_last ? last : none;
    return xylem_base__cursor_ended(&cursor);
}

int xylem_store__outline_row(struct xylem_store__outline *outline, struct xylem_txn *txn, uint64_t session,
                             struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row = none;
    xylem_format__key_outline(&key, XYLEM_FORMAT__OUTLINE_ROW, session);
    int found = get(&row, txn, &key, err);
    return found <= 0 || xylem_store__outline_decode(outline, row) ? found : invalid(txn, "the row", session, err);
}

bool xylem_store__outline_is_fresh(const struct xylem_store__outline *outline, const struct xylem_session *session)
{
    return outline->last_lsn == session->last_lsn && xylem_format__position_equal(outline->leaf, session->leaf);
}

int xylem_store__outline_words(struct xylem_store__outline *outline, struct xylem_txn *txn, uint64_t session,
                               struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row = none;
    if (!outline->has_first && !outline->has_last) {
        return XYLEM_OK;
    }
    xylem_format__key_outline(&key, XYLEM_FORMAT__OUTLINE_WORDS, session);
    int found = get(&row, txn, &key, err);
    if (found < 0) {
        return found;
    }
    return found > 0 && xylem_store__outline_words_decode(outline, row)
               ? XYLEM_OK
               : invalid(txn, "the row of the words", session, err);
}

/* --- Keys of a session -------------------------------------------------------------------------------------------- */

static void add_keys(struct xylem_store__outline_keys *keys, const struct xylem_session *session,
                     const struct xylem_store__outline *outline)
{
    struct xylem_format__key *list = keys->list;
    int64_t active_ms = outline->outline.active_ms;
    xylem_format__key_outline(&list[keys->count++], XYLEM_FORMAT__OUTLINE_ROW, session->number);
    xylem_format__key_outline_active(&list[keys->count++], active_ms, session->number);
    if (session->cwd.data) {
        xylem_format__key_outline_directory(&list[keys->count++], session->cwd, active_ms, session->number);
    }
    if (outline->name.data) {
        xylem_format__key_outline_name(&list[keys->count++], outline->name, session->number);
    }
    if (outline->has_first || outline->has_last) {
        xylem_format__key_outline(&list[keys->count++], XYLEM_FORMAT__OUTLINE_WORDS, session->number);
    }
}

int xylem_store__outline_noticed(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row;
    xylem_format__key_outline(&key, XYLEM_FORMAT__OUTLINE_STALE, session);
    return get(&row, txn, &key, err);
}

int xylem_store__outline_keys(struct xylem_store__outline_keys *keys, struct xylem_txn *txn,
                              const struct xylem_session *session, bool notice, struct xylem_error *err)
{
    struct xylem_store__outline outline;
    keys->count = 0;
    int code = xylem_store__outline_row(&outline, txn, session->number, err);
    if (code > 0) {
        add_keys(keys, session, &outline);
    }
    if (code >= 0 && notice && (code = xylem_store__outline_noticed(txn, session->number, err)) == 1) {
        xylem_format__key_outline(&keys->list[keys->count++], XYLEM_FORMAT__OUTLINE_STALE, session->number);
    }
    return code < 0 ? code : XYLEM_OK;
}

static int drop(struct xylem_txn *txn, const struct xylem_store__outline_keys *keys, struct xylem_error *err)
{
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < keys->count; i++) {
        code = xylem_lmdb__remove(txn, XYLEM_FORMAT__OUTLINES, keys->list[i].view, err);
    }
    return code;
}

int xylem_store__outline_drop(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_store__outline_keys keys;
    int code = xylem_store__outline_keys(&keys, txn, session, false, err);
    if (code == XYLEM_OK && keys.count == 0) { /* words without an outline are damage, and text all the same */
        xylem_format__key_outline(&keys.list[keys.count++], XYLEM_FORMAT__OUTLINE_WORDS, session->number);
    }
    return code < 0 ? code : drop(txn, &keys, err);
}

int xylem_store__outline_clear(struct xylem_txn *txn, struct xylem_error *err)
{
    int found;
    do {
        struct xylem_lmdb__rows *rows;
        struct xylem_format__key first;
        struct xylem_view key = none;
        struct xylem_view row = none;
        found = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__OUTLINES, err);
        if (found < 0) {
            return found;
        }
        found = xylem_lmdb__rows_step(&key, &row, rows, XYLEM_LMDB__FIRST, err);
        if (found > 0 && key.bytes <= sizeof first.bytes) {
            memcpy(first.bytes, key.data, key.bytes);
            first.view = (struct xylem_view){(const char *)first.bytes, key.bytes};
        }
        xylem_lmdb__rows_free(rows);
        int code = found > 0 ? xylem_lmdb__remove(txn, XYLEM_FORMAT__OUTLINES, first.view, err) : XYLEM_OK;
        found = code < 0 ? code : found;
    } while (found > 0);
    return found;
}

int xylem_store__outline_write(struct xylem_txn *txn, const struct xylem_session *session,
                               const struct xylem_store__outline *outline, struct xylem_error *err)
{
    const uint64_t numbers[] = {outline->last_lsn,
                                outline->leaf.branch,
                                outline->leaf.depth,
                                (uint64_t)outline->outline.active_ms,
                                outline->outline.entry_count,
                                outline->outline.tip_count};
    unsigned has = (outline->outline.has_name ? XYLEM_FORMAT__OUTLINE_ROW_NAMED : 0u) |
                   (outline->has_first ? XYLEM_FORMAT__OUTLINE_ROW_FIRST : 0u) |
                   (outline->has_last ? XYLEM_FORMAT__OUTLINE_ROW_LAST : 0u);
    struct xylem_store__outline_keys before;
    struct xylem_store__outline_keys after = {.count = 0};
    int code = xylem_store__outline_keys(&before, txn, session, true, err);
    add_keys(&after, session, outline); /* the first write makes the views of the session invalid */
    code = code < 0 ? code : drop(txn, &before, err);
    for (size_t i = 0; code == XYLEM_OK && i < after.count; i++) {
        struct xylem_buffer row = {NULL, 0, 0};
        bool made = true; /* the rows of lists have no fields */
        if (after.list[i].bytes[0] == XYLEM_FORMAT__OUTLINE_ROW) {
            made = xylem_base__add_u64s(&row, numbers, sizeof numbers / sizeof *numbers) == XYLEM_OK &&
                   xylem_base__add_u8(&row, (uint8_t)has) == XYLEM_OK &&
                   xylem_base__add_sized(&row, outline->name) == XYLEM_OK;
        } else if (after.list[i].bytes[0] == XYLEM_FORMAT__OUTLINE_WORDS) {
            made = xylem_base__add_sized(&row, outline->first) == XYLEM_OK &&
                   xylem_base__add_sized(&row, outline->last) == XYLEM_OK;
        }
        code = put(txn, &after.list[i], &row, made, err);
    }
    return code;
}

int xylem_store__outline_notice(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_buffer row = {NULL, 0, 0};
    xylem_format__key_outline(&key, XYLEM_FORMAT__OUTLINE_STALE, session);
    return put(txn, &key, &row, true, err);
}

struct finding {
    struct xylem_base__numbers numbers;
    const struct xylem_base__numbers *trees;
    uint64_t behind_lsn;
    struct xylem_error *err;
};

static int find_in_trees(void *context, const struct xylem_session *session)
{
    struct finding *finding = context;
    return session->state != XYLEM_SESSION_FREED && xylem_base__numbers_have(finding->trees, session->tree)
               ? xylem_base__numbers_add(&finding->numbers, session->number, finding->err)
               : XYLEM_OK;
}

int xylem_store__outline_drop_trees(struct xylem_txn *txn, const struct xylem_base__numbers *trees,
                                    struct xylem_error *err)
{
    struct finding finding = {.trees = trees, .err = err};
    int code = xylem_store__each_session(txn, find_in_trees, &finding, err);
    for (size_t i = 0; code >= 0 && i < finding.numbers.count; i++) {
        struct xylem_session session;
        if ((code = xylem_session_read(&session, txn, finding.numbers.list[i], err)) >= 0 &&
            (code = xylem_store__outline_drop(txn, &session, err)) >= 0) {
            code = xylem_store__outline_notice(txn, finding.numbers.list[i], err);
        }
    }
    free(finding.numbers.list);
    return code < 0 ? code : XYLEM_OK;
}

/* --- The head ----------------------------------------------------------------------------------------------------- */

int xylem_store__outline_head_read(struct xylem_store__outline_head *head, struct xylem_txn *txn,
                                   struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_view row = none;
    *head = (struct xylem_store__outline_head){0, 0};
    xylem_format__key_outline_tag(&key, XYLEM_FORMAT__OUTLINE_HEAD);
    int found = get(&row, txn, &key, err);
    if (found <= 0) {
        return found;
    }
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    head->lsn = xylem_base__read_u64(&cursor);
    head->session = xylem_base__read_u64(&cursor);
    return xylem_base__cursor_ended(&cursor)
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the head of the table outlines has %zu bytes",
                                  xylem_lmdb__path(txn), row.bytes);
}

int xylem_store__outline_head_write(struct xylem_txn *txn, const struct xylem_store__outline_head *head,
                                    struct xylem_error *err)
{
    struct xylem_format__key key;
    struct xylem_buffer row = {NULL, 0, 0};
    const uint64_t numbers[] = {head->lsn, head->session};
    bool made = xylem_base__add_u64s(&row, numbers, 2) == XYLEM_OK;
    xylem_format__key_outline_tag(&key, XYLEM_FORMAT__OUTLINE_HEAD);
    return put(txn, &key, &row, made, err);
}

/* --- Stale sessions ----------------------------------------------------------------------------------------------- */

static int find_newer(void *context, const struct xylem_session *session)
{
    struct finding *finding = context;
    return session->last_lsn > finding->behind_lsn
               ? xylem_base__numbers_add(&finding->numbers, session->number, finding->err)
               : XYLEM_OK;
}

/* The owners of the branches that grew. */
static int find_in_feed(struct finding *finding, struct xylem_txn *txn, struct xylem_lmdb__rows *feed)
{
    struct xylem_store__feed appended;
    struct xylem_store__branch branch;
    uint64_t known = 0;
    int found = xylem_store__feed_seek(&appended, txn, feed, finding->behind_lsn + 1, finding->err);
    while (found > 0) { /* the first row may have grown behind the lsn, or end before it */
        int code = XYLEM_OK;
        if (appended.tag == XYLEM_FORMAT__FEED_APPENDED && appended.last_lsn > finding->behind_lsn &&
            appended.position.branch != known) {
            known = appended.position.branch;
            if ((code = xylem_store__branch_read(&branch, txn, known, finding->err)) == XYLEM_OK) {
                code = xylem_base__numbers_note(&finding->numbers, branch.session, finding->err);
            }
        }
        found = code < 0 ? code : xylem_store__feed_step(&appended, txn, feed, XYLEM_LMDB__NEXT, finding->err);
    }
    return found;
}

/* Sessions with entries behind an lsn. */
static int find_grown(struct finding *finding, uint64_t *last_lsn, struct xylem_txn *txn)
{
    struct xylem_lmdb__rows *feed;
    struct xylem_lmdb__table_size sessions;
    int code;
    if ((code = xylem_store__lsns_given(last_lsn, txn, UINT64_MAX, finding->err)) < 0 ||
        (code = xylem_lmdb__table_size(&sessions, txn, XYLEM_FORMAT__SESSIONS, finding->err)) < 0 ||
        *last_lsn <= finding->behind_lsn) {
        return code;
    }
    if ((*last_lsn - finding->behind_lsn) / LSNS_PER_SESSION > sessions.rows) {
        return xylem_store__each_session(txn, find_newer, finding, finding->err);
    }
    if ((code = xylem_lmdb__rows_new(&feed, txn, XYLEM_FORMAT__FEED, finding->err)) == XYLEM_OK) {
        code = find_in_feed(finding, txn, feed);
        xylem_lmdb__rows_free(feed);
    }
    return code;
}

/* Sessions behind a number; `last` gets the number of the last session. */
static int find_new(struct finding *finding, uint64_t *last, struct xylem_txn *txn, uint64_t behind)
{
    struct xylem_lmdb__rows *rows;
    struct xylem_format__key from;
    struct xylem_view row = none;
    int code = xylem_lmdb__rows_new(&rows, txn, XYLEM_FORMAT__SESSIONS, finding->err);
    if (code < 0) {
        return code;
    }
    xylem_format__key_u64(&from, behind + 1);
    struct xylem_view key = from.view;
    *last = behind;
    int found = xylem_lmdb__rows_step_summed(&key, &row, rows, XYLEM_LMDB__AT_OR_AFTER, finding->err);
    while (found > 0) {
        code = xylem_format__key_read_u64(last, key)
                   ? xylem_base__numbers_add(&finding->numbers, *last, finding->err)
                   : xylem_base__fail(finding->err, XYLEM_E_CORRUPT, "a key of the table sessions has %zu bytes",
                                      key.bytes);
        found = code < 0 ? code : xylem_lmdb__rows_step_summed(&key, &row, rows, XYLEM_LMDB__NEXT, finding->err);
    }
    xylem_lmdb__rows_free(rows);
    return found;
}

static int find_noticed(struct finding *finding, struct xylem_txn *txn)
{
    struct xylem_store__outline_list list = {.rows = NULL};
    struct xylem_view key;
    xylem_format__key_outline_tag(&list.beginning, XYLEM_FORMAT__OUTLINE_STALE);
    xylem_format__key_outline_tag(&list.from, XYLEM_FORMAT__OUTLINE_STALE);
    int code = xylem_store__outline_list_start(&list, txn, finding->err);
    while (code >= 0 && (code = xylem_store__outline_list_next(&key, &list, finding->err)) > 0) {
        struct xylem_view number = {key.data + 1, key.bytes - 1};
        uint64_t session = 0;
        code = xylem_format__key_read_u64(&session, number)
                   ? xylem_base__numbers_add(&finding->numbers, session, finding->err)
                   : xylem_base__fail(finding->err, XYLEM_E_CORRUPT, "a notice of the table outlines has %zu bytes",
                                      key.bytes);
    }
    xylem_store__outline_list_end(&list);
    return code;
}

int xylem_store__outline_stale(struct xylem_base__numbers *stale, struct xylem_store__outline_head *now,
                               struct xylem_txn *txn, bool names, struct xylem_error *err)
{
    struct xylem_store__outline_head head;
    struct xylem_store__outline_head found = {0, 0};
    struct finding finding = {.err = err};
    struct xylem_lmdb__floors floors;
    uint64_t last_lsn;
    uint64_t next;
    int code;
    if ((code = xylem_store__outline_head_read(&head, txn, err)) < 0 ||
        (code = xylem_store__lsns_given(&last_lsn, txn, UINT64_MAX, err)) < 0 ||
        (code = xylem_store__floors_read(&floors, txn, err)) < 0 ||
        (code = xylem_lmdb__next_u64(&next, txn, XYLEM_FORMAT__SESSIONS, floors.session, err)) < 0) {
        return code;
    }
    if (head.lsn > last_lsn || head.session >= next) { /* such a head would hide new sessions */
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the head of the table outlines lies beyond the store",
                                xylem_lmdb__path(txn));
    }
    finding.behind_lsn = head.lsn;
    if ((!names && (code = find_grown(&finding, &found.lsn, txn)) < 0) ||
        (code = find_new(&finding, &found.session, txn, head.session)) < 0 ||
        (code = find_noticed(&finding, txn)) < 0) {
        free(finding.numbers.list);
        return code;
    }
    xylem_base__numbers_sort(&finding.numbers);
    *stale = finding.numbers;
    if (now) {
        *now = found;
    }
    return XYLEM_OK;
}

/* --- Lists -------------------------------------------------------------------------------------------------------- */

int xylem_store__outline_list_start(struct xylem_store__outline_list *list, struct xylem_txn *txn,
                                    struct xylem_error *err)
{
    list->stands = false;
    return xylem_lmdb__rows_new(&list->rows, txn, XYLEM_FORMAT__OUTLINES, err);
}

int xylem_store__outline_list_next(struct xylem_view *key, struct xylem_store__outline_list *list,
                                   struct xylem_error *err)
{
    struct xylem_view row = none;
    *key = list->from.view;
    int found = xylem_lmdb__rows_step_summed(key, &row, list->rows,
                                             list->stands ? XYLEM_LMDB__NEXT : XYLEM_LMDB__AT_OR_AFTER, err);
    list->stands = true;
    return found <= 0 ? found : xylem_base__view_begins(*key, list->beginning.view);
}

void xylem_store__outline_list_end(struct xylem_store__outline_list *list)
{
    xylem_lmdb__rows_free(list->rows);
    list->rows = NULL;
}
