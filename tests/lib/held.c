#include "tests/lib/held.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/value.h"
#include "tests/lib/test.h"

static struct xylem_buffer copy_of(struct xylem_view view)
{
    struct xylem_buffer copy = {0};
    assert_int_equal(xylem_buffer_add(&copy, view.data ? view.data : "", view.bytes), XYLEM_OK);
    return copy;
}

static struct held_entry *make_room(struct held_path *path)
{
    struct held_entry *list = xylem_base__with_room(path->entries, &path->capacity, path->count, sizeof *path->entries);
    assert_non_null(list);
    path->entries = list;
    list[path->count] = (struct held_entry){0};
    return &list[path->count++];
}

void held_add(struct held_path *path, struct xylem_view id, struct xylem_kind kind, const struct xylem_view *data)
{
    struct held_entry *entry = make_room(path);
    entry->id = copy_of(id);
    entry->kind = kind;
    entry->data = data ? copy_of(*data) : (struct xylem_buffer){0};
}

/* Lends the bytes for the time that the contract gives: a sanitizer finds a later use. */
int held_next(void *context, struct xylem_held_entry *entry)
{
    struct held_path *path = context;
    xylem_buffer_release(&path->lent);
    if (path->asked++ >= path->count) {
        return 0;
    }
    const struct held_entry *held = &path->entries[path->count - path->asked];
    path->lent = copy_of(xylem_base__buffer_view(&held->id));
    assert_int_equal(xylem_buffer_add(&path->lent, held->data.data ? held->data.data : "", held->data.bytes), XYLEM_OK);
    entry->id = (struct xylem_view){path->lent.data, held->id.bytes};
    entry->kind = held->kind;
    if (held->data.data) {
        entry->data = (struct xylem_view){path->lent.data + held->id.bytes, held->data.bytes};
    }
    return 1;
}

void held_release(struct held_path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        xylem_buffer_release(&path->entries[i].id);
        xylem_buffer_release(&path->entries[i].data);
    }
    free(path->entries);
    xylem_buffer_release(&path->lent);
    *path = (struct held_path){0};
}

/* --- Comparison ------------------------------------------------------------------------------------------------- */

static void assert_none(struct xylem_position position)
{
    assert_int_equal(position.branch, 0);
    assert_int_equal(position.depth, 0);
}

static void assert_same_view(struct xylem_view found, struct xylem_view expected)
{
    assert_int_equal(found.bytes, expected.bytes);
    assert_memory_equal(found.data, expected.data, expected.bytes);
}

static void assert_same_json(struct xylem_state stored, struct xylem_state held)
{
    struct xylem_buffer expected = {0};
    struct xylem_buffer found = {0};
    stored.at = (struct xylem_position){0, 0};
    stored.reduction.looked_at = held.reduction.looked_at;
    stored.reduction.decoded_count = held.reduction.decoded_count;
    stored.reduction.decoded_bytes = held.reduction.decoded_bytes;
    assert_int_equal(xylem_state_json(&expected, &stored, xylem_view_of("s")), XYLEM_OK);
    assert_int_equal(xylem_state_json(&found, &held, xylem_view_of("s")), XYLEM_OK);
    assert_string_equal(found.data, expected.data);
    xylem_buffer_release(&expected);
    xylem_buffer_release(&found);
}

static void assert_same_words(const struct xylem_state *stored, const struct xylem_state *held, unsigned piece)
{
    const struct xylem_words_options options = {.detail = XYLEM_DETAIL_EXPLAINED, .other = stored};
    struct xylem_word expected[XYLEM_WORDS_MAX];
    struct xylem_word found[XYLEM_WORDS_MAX];
    size_t count = xylem_piece_words(found, held, piece, &options);
    assert_int_equal(count, xylem_piece_words(expected, stored, piece, &options));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found[i].type, expected[i].type);
        assert_int_equal(found[i].tone, expected[i].tone);
        assert_int_equal(found[i].number, expected[i].number);
        assert_same_view(found[i].text, expected[i].text);
        assert_none(found[i].position);
    }
}

static void assert_same_parts(const struct xylem_state *stored, const struct xylem_state *held, unsigned piece)
{
    struct xylem_part expected;
    struct xylem_part found;
    size_t i = 0;
    for (; xylem_piece_part(&expected, stored, piece, i); i++) {
        assert_true(xylem_piece_part(&found, held, piece, i));
        assert_int_equal(found.number, expected.number);
        assert_string_equal(found.mark, expected.mark);
        assert_same_view(found.text, expected.text);
    }
    assert_false(xylem_piece_part(&found, held, piece, i));
}

void held_assert_same(const struct xylem_state *stored, const struct xylem_state *held)
{
    assert_same_json(*stored, *held);
    for (unsigned piece = 1; xylem_state_kinds(piece); piece <<= 1) {
        assert_int_equal(xylem_piece_differs(stored, held, piece), 0);
        assert_same_words(stored, held, piece);
        assert_same_parts(stored, held, piece);
    }
    assert_none(held->at);
    assert_none(held->readonly.position);
    assert_none(held->nudge.told_position);
    assert_none(held->sequence.position);
    assert_none(held->todo.position);
    assert_none(held->mark.position);
    for (size_t i = 0; i < held->reduction.skipped_count; i++) {
        assert_none(held->reduction.skipped[i].position);
    }
}

/* --- From a store ----------------------------------------------------------------------------------------------- */

/* The data of an entry as JSON; no JSON for data that cannot be decoded. */
static void hold_data(struct xylem_buffer *data, const struct xylem_entry *entry)
{
    struct xylem_document *document = NULL;
    struct xylem_view reason;
    struct xylem_error err = {0};
    if (store_builder_must(xylem_entry_redaction(&reason, entry, &err), &err) == 1) {
        assert_int_equal(xylem_buffer_add(data, "{\"redacted\":", 12), XYLEM_OK);
        assert_int_equal(xylem_buffer_add_json_string(data, reason), XYLEM_OK);
        assert_int_equal(xylem_buffer_add(data, "}", 1), XYLEM_OK);
    } else if (entry->format != XYLEM_FORMAT_NONE && xylem_document_new(&document, entry, &err) < 0) {
        assert_int_equal(xylem_buffer_add(data, "?", 1), XYLEM_OK);
    } else if (entry->format != XYLEM_FORMAT_NONE) {
        assert_int_equal(xylem_value_json(data, xylem_document_value(document)), XYLEM_OK);
    }
    xylem_document_free(document);
}

static void reverse(struct held_path *path)
{
    for (size_t i = 0; i < path->count / 2; i++) {
        struct held_entry kept = path->entries[i];
        path->entries[i] = path->entries[path->count - 1 - i];
        path->entries[path->count - 1 - i] = kept;
    }
}

void held_assert_agrees(const struct xylem_state *state, struct xylem_txn *txn, const struct xylem_event *event,
                        const struct xylem_reduce_options *options)
{
    struct held_path path = {0};
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    struct xylem_error err = {0};
    struct xylem_state held;
    store_builder_must(xylem_walk_new(&walk, txn, state->at, &err), &err);
    while (store_builder_must(xylem_walk_next(&entry, walk, &err), &err) == 1) {
        held_add(&path, entry.id, entry.kind, NULL);
        hold_data(&path.entries[path.count - 1].data, &entry);
    }
    xylem_walk_free(walk);
    reverse(&path);
    store_builder_must(xylem_rehydrate_from(&held, held_next, &path, event, options, &err), &err);
    held_assert_same(state, &held);
    assert_true(path.asked >= 1 && path.asked <= path.count + 1);
    if (options && options->scan) {
        assert_int_equal(held.reduction.looked_at, state->reduction.looked_at);
    }
    xylem_state_release(&held);
    held_release(&path);
}

struct xylem_state held_state_at(struct store_builder *builder, struct xylem_position at,
                                 const struct xylem_event *event, const struct xylem_reduce_options *options)
{
    struct xylem_state state;
    struct xylem_error err = {0};
    store_builder_must(xylem_rehydrate(&state, builder->txn, at, event, options, &err), &err);
    held_assert_agrees(&state, builder->txn, event, options);
    return state;
}
