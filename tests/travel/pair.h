/*
 * Two stores for the tests of sessions that travel: the owner's, and that of one who follows. Both have a write
 * transaction open at all times. At the end of a test both must be sound.
 */
#ifndef XYLEM_TESTS_TRAVEL_PAIR_H
#define XYLEM_TESTS_TRAVEL_PAIR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "store/format/hash.h"
#include "tests/lib/cursor.h"
#include "tests/lib/same_session.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/redact.h"
#include "xylem/segment.h"

#define OWNER "the store of the owner"
#define SEGMENTS_MAX 256u

static struct store_builder owner;
static struct store_builder follower;
static struct xylem_error err;           /* of the last call */
static struct xylem_apply_report report; /* of the last apply */

/* Segments in the order in which they can be applied. */
struct segments {
    struct xylem_buffer list[SEGMENTS_MAX];
    size_t count;
};

static struct segments segments; /* of a test */

static inline void segments_release(struct segments *released)
{
    for (size_t i = 0; i < SEGMENTS_MAX; i++) {
        xylem_buffer_release(&released->list[i]);
    }
    released->count = 0;
}

static inline struct xylem_view segment_at(const struct segments *from, size_t index)
{
    assert_true(index < from->count);
    return (struct xylem_view){from->list[index].data, from->list[index].bytes};
}

/* --- Stores ------------------------------------------------------------------------------------------------------- */

/* Commits, and looks at the whole store. */
static inline void pair_verify(struct store_builder *builder)
{
    struct xylem_txn *txn = NULL;
    store_builder_commit(builder);
    store_builder_must(xylem_begin(&txn, builder->store, XYLEM_READ, &err), &err);
    assert_verified(txn);
    assert_changes_agree(txn);
    xylem_abort(txn);
}

/* Takes back all since the last commit. */
static inline void pair_abort(struct store_builder *builder)
{
    xylem_abort(builder->txn);
    builder->txn = NULL;
    store_builder_must(xylem_begin(&builder->txn, builder->store, XYLEM_WRITE, &err), &err);
}

static inline int pair_open(void **state)
{
    (void)state;
    memset(&segments, 0, sizeof segments);
    store_builder_open(&owner);
    store_builder_open(&follower);
    return 0;
}

static inline int pair_close(void **state)
{
    (void)state;
    pair_verify(&owner);
    pair_verify(&follower);
    store_builder_close(&owner);
    store_builder_close(&follower);
    segments_release(&segments);
    return 0;
}

#define TRAVEL_TEST(test) TEST_WITH(test, pair_open, pair_close)

/* Begins anew with an empty follower. */
static inline void pair_new_follower(void)
{
    pair_verify(&follower);
    store_builder_close(&follower);
    store_builder_open(&follower);
}

static inline struct xylem_session pair_find(struct store_builder *builder, const char *id)
{
    struct xylem_session session;
    store_builder_must(xylem_store__session_find_any(&session, builder->txn, xylem_view_of(id), &err), &err);
    return session;
}

static inline uint64_t pair_number(struct store_builder *builder, const char *id)
{
    return pair_find(builder, id).number;
}

/* Imports a session file into the store. */
static inline void pair_import(struct store_builder *builder, const char *path)
{
    struct xylem_import_report imported = {0};
    store_builder_must(xylem_commit(builder->txn, &err), &err);
    builder->txn = NULL;
    store_builder_must(xylem_import(&imported, builder->store, path, NULL, &err), &err);
    xylem_import_report_release(&imported);
    store_builder_must(xylem_begin(&builder->txn, builder->store, XYLEM_WRITE, &err), &err);
}

/* The same with the text of a file, which is then removed. */
static inline void pair_import_text(struct store_builder *builder, const char *text, size_t bytes)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/session.jsonl", builder->path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    pair_import(builder, path);
    assert_int_equal(unlink(path), 0);
}

/* --- Packing ------------------------------------------------------------------------------------------------------ */

/* Packs a session behind the segments that are there. The code of the first failure, or 0. */
static inline int try_pack(struct segments *into, struct store_builder *from, uint64_t session,
                           const struct xylem_pack_options *options)
{
    struct xylem_packing *packing = NULL;
    struct xylem_segment segment;
    err.text[0] = '\0';
    int code = xylem_packing_new(&packing, from->txn, session, options, &err);
    while (code >= 0) {
        assert_true(into->count < SEGMENTS_MAX);
        code = xylem_packing_next(&into->list[into->count], &segment, packing, &err);
        if (code <= 0) {
            break;
        }
        into->count++;
    }
    xylem_packing_free(code < 0 && !packing ? NULL : packing);
    return code;
}

static inline void pack_with(struct segments *into, struct store_builder *from, const char *id,
                             const struct xylem_pack_options *options)
{
    store_builder_must(try_pack(into, from, pair_number(from, id), options), &err);
}

/* Packs the changes of a session from an ordinal to the last. */
static inline void pack_from(const char *id, uint64_t from)
{
    const struct xylem_pack_options options = {.from = from};
    pack_with(&segments, &owner, id, &options);
}

/* Forgets the segments so far, and packs a session. */
static inline void pack_anew(const char *id)
{
    segments_release(&segments);
    pack_with(&segments, &owner, id, NULL);
}

/* Packs all sessions of a store but those that are importing. */
static inline void pack_all(struct segments *into, struct store_builder *from)
{
    struct xylem_sessions *sessions;
    struct xylem_session row;
    store_builder_must(xylem_sessions_new(&sessions, from->txn, &err), &err);
    while (store_builder_must(xylem_sessions_next(&row, sessions, &err), &err) == 1) {
        if (row.state != XYLEM_SESSION_IMPORTING) {
            store_builder_must(try_pack(into, from, row.number, NULL), &err);
        }
    }
    xylem_sessions_free(sessions);
}

/* The number of the changes that a session has in the owner's store. */
static inline uint64_t change_count(struct store_builder *builder, const char *id)
{
    return pair_find(builder, id).history.count;
}

/* --- Applying ----------------------------------------------------------------------------------------------------- */

static const struct xylem_apply_options as_follower = {.owner = {OWNER, sizeof OWNER - 1}, .epoch = 1};

static inline int try_apply(struct store_builder *to, struct xylem_view bytes)
{
    err.text[0] = '\0';
    memset(&report, 0xff, sizeof report);
    return xylem_segment_apply(&report, to->txn, bytes, &as_follower, &err);
}

static inline void apply_all(const struct segments *applied)
{
    for (size_t i = 0; i < applied->count; i++) {
        store_builder_must(try_apply(&follower, segment_at(applied, i)), &err);
    }
}

/* The next apply must fail so, with these words in its text, and leave nothing behind. */
static inline void refuse(struct store_builder *to, struct xylem_view bytes, int code, const char *words)
{
    int found = try_apply(to, bytes);
    if (found != code) {
        fail_msg("expected %s, found %s: %s", xylem_code_text(code), xylem_code_text(found), err.text);
    }
    if (!strstr(err.text, words)) {
        fail_msg("expected \"%s\" in \"%s\"", words, err.text);
    }
    assert_int_equal(err.code, code);
    pair_abort(to);
}

/* A segment that came before changes nothing. */
static inline void assert_known(struct store_builder *to, struct xylem_view bytes)
{
    uint64_t before;
    uint64_t after;
    store_builder_must(last_lsn_of(&before, to->txn, &err), &err);
    store_builder_must(try_apply(to, bytes), &err);
    store_builder_must(last_lsn_of(&after, to->txn, &err), &err);
    assert_int_equal(report.change_count, 0);
    assert_int_equal(report.entry_count, 0);
    assert_int_equal(report.redacted_count, 0);
    assert_int_equal(report.differs, 0);
    assert_false(report.is_new);
    assert_int_equal(before, after);
}

/* Packs a session, and takes it to the follower, where it must be the same. */
static inline void travel(const char *id)
{
    pack_anew(id);
    apply_all(&segments);
    assert_same_session(owner.txn, follower.txn, id);
}

/* The same with the changes from an ordinal on. */
static inline void travel_from(const char *id, uint64_t from)
{
    segments_release(&segments);
    pack_from(id, from);
    apply_all(&segments);
    assert_same_session(owner.txn, follower.txn, id);
}

/* --- Bytes of a segment ------------------------------------------------------------------------------------------- */

static inline void copy_bytes(struct xylem_buffer *copy, struct xylem_view bytes)
{
    xylem_base__buffer_clear(copy);
    assert_int_equal(xylem_buffer_add(copy, bytes.data, bytes.bytes), XYLEM_OK);
}

/* The first place of a text in a segment. */
static inline size_t place_of_text(const struct xylem_buffer *bytes, const char *text)
{
    const char *found = memmem(bytes->data, bytes->bytes, text, strlen(text));
    assert_non_null(found);
    return (size_t)(found - bytes->data);
}

/* --- Redaction ---------------------------------------------------------------------------------------------------- */

static inline void redact_entry(struct store_builder *builder, const char *session, const char *id, bool drop_hash)
{
    struct xylem_redact_options options = {.reason = xylem_view_of("a key"), .drop_hash = drop_hash, .only_this = true};
    struct xylem_redact_report redacted;
    uint64_t number = pair_number(builder, session);
    store_builder_must(
        xylem_redact(&redacted, builder->txn, number, store_builder_find(builder, number, id), &options, &err), &err);
    xylem_redact_report_release(&redacted);
}

#endif
