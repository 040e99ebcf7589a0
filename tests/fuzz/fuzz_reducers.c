/*
 * Any bytes as the data of the entries that the pieces of a state are made of. The state is the same whether entries
 * are found through the records or by a scan, and data that append refuses never decides.
 *
 * Input: entries, each a byte that chooses its kind, format and whether append looks at the data, a byte for its
 * length, and the data.
 */
#include <stdint.h>

#include "base/bytes.h"
#include "store/store.h"
#include "xylem/append.h"
#include "tests/fuzz/kinds.h"
#include "tests/fuzz/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ENTRIES_MAX 64u

static struct xylem_store *store;

static void close_store(void)
{
    (void)xylem_close(store, NULL);
}

static struct xylem_new_entry entry_of(unsigned choice, struct xylem_view data)
{
    struct xylem_new_entry entry = {.kind = fuzz_kind((choice & 7u) | (choice & 192u) >> 3),
                                    .format = choice & 8u ? XYLEM_FORMAT_JSON : XYLEM_FORMAT_MSGPACK,
                                    .payload = data};
    if (data.bytes == 0 && choice & 16u) {
        entry.format = XYLEM_FORMAT_NONE;
    }
    return entry;
}

/* Appends it; true if it was not refused. Unless append looks, data that is no msgpack is stored as if it were some. */
static bool append(struct xylem_txn *txn, uint64_t session, unsigned choice, struct xylem_view data)
{
    struct xylem_new_entry entry = entry_of(choice, data);
    struct xylem_store__append_options options = {.payload_checked = (choice & 32u) != 0};
    struct xylem_error err = {0};
    if (options.payload_checked && entry.format == XYLEM_FORMAT_JSON) {
        options.payload_checked = false; /* JSON is turned into msgpack on the way */
    }
    int code = xylem_store__append(NULL, txn, session, &entry, 1, &options, &err);
    if (code < 0) {
        must(code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT, "an append failed for another reason than its data");
        must(err.text[0] != '\0', "an error without its text");
    }
    return code == XYLEM_OK;
}

static bool same_position(struct xylem_position a, struct xylem_position b)
{
    return a.branch == b.branch && a.depth == b.depth;
}

/* Every piece says the same of itself: its JSON, its parts, and the position of the entry that decided. */
static void check_same(const struct xylem_state *a, const struct xylem_state *b)
{
    for (unsigned piece = 1; xylem_state_kinds(piece); piece <<= 1) {
        struct xylem_buffer left = {NULL, 0, 0};
        struct xylem_buffer right = {NULL, 0, 0};
        must(xylem_piece_json(&left, a, piece, XYLEM_DETAIL_WHOLE) == XYLEM_OK &&
                 xylem_piece_json(&right, b, piece, XYLEM_DETAIL_WHOLE) == XYLEM_OK,
             "no memory");
        must(left.bytes == right.bytes && memcmp(left.data, right.data, left.bytes) == 0, "a piece differs by a scan");
        must(xylem_piece_differs(a, b, piece) == 0, "a piece differs by a scan");
        struct xylem_word words[2][XYLEM_WORDS_MAX];
        const struct xylem_words_options options = {.detail = XYLEM_DETAIL_EXPLAINED};
        size_t count = xylem_piece_words(words[0], a, piece, &options);
        must(xylem_piece_words(words[1], b, piece, &options) == count, "the words of a piece differ by a scan");
        for (size_t i = 0; i < count; i++) {
            must(same_position(words[0][i].position, words[1][i].position), "another entry decided by a scan");
        }
        xylem_buffer_release(&left);
        xylem_buffer_release(&right);
    }
    must(a->reduction.skipped_count == b->reduction.skipped_count, "other entries are skipped by a scan");
    for (size_t i = 0; i < a->reduction.skipped_count; i++) {
        must(same_position(a->reduction.skipped[i].position, b->reduction.skipped[i].position) &&
                 a->reduction.skipped[i].reason != NULL,
             "other entries are skipped by a scan");
    }
}

static bool is_skipped(const struct xylem_state *state, struct xylem_position position)
{
    bool found = false;
    for (size_t i = 0; i < state->reduction.skipped_count; i++) {
        found = found || same_position(state->reduction.skipped[i].position, position);
    }
    return found;
}

/* The words and the parts of a piece are there, and no entry that does not count decided. */
static void check_piece(const struct xylem_state *state, unsigned piece)
{
    struct xylem_word words[XYLEM_WORDS_MAX];
    struct xylem_part part;
    for (int detail = XYLEM_DETAIL_BRIEF; detail <= XYLEM_DETAIL_EXPLAINED; detail++) {
        const struct xylem_words_options options = {.detail = (enum xylem_detail)detail};
        size_t count = xylem_piece_words(words, state, piece, &options);
        must(count > 0 || detail == XYLEM_DETAIL_BRIEF, "a piece without words");
        for (size_t i = 0; i < count; i++) {
            must(words[i].type != XYLEM_WORD_ENTRY || words[i].position.depth > 0, "nothing decided");
            must(words[i].type != XYLEM_WORD_ENTRY || words[i].text.bytes > 0, "an entry without its id");
            must(words[i].type != XYLEM_WORD_ENTRY || !is_skipped(state, words[i].position),
                 "an entry that does not count decided");
        }
    }
    for (size_t i = 0; xylem_piece_part(&part, state, piece, i); i++) {
        must(part.mark && (part.text.bytes == 0 || part.text.data), "a part without its text");
    }
}

/* The typed members of what this library builds in. */
static void check_sense(const struct xylem_state *state)
{
    must(!state->sequence.present || state->sequence.sequence_id.bytes > 0, "a sequence without an id");
    must(state->readonly.from != XYLEM_FROM_PATH || state->readonly.position.depth > 0, "nothing decided");
    must(state->todo.item_count <= XYLEM_TODO_ITEMS_MAX && state->todo.last_id >= 0, "a todo list beyond its limits");
    for (size_t i = 0; i < state->todo.item_count; i++) {
        const struct xylem_todo_item *item = &state->todo.items[i];
        must(item->id >= 1 && item->id <= state->todo.last_id && item->text.bytes <= XYLEM_TODO_TEXT_BYTES_MAX,
             "a todo item beyond its limits");
        for (size_t k = 0; k < i; k++) {
            must(state->todo.items[k].id != item->id, "two todo items of one id");
        }
    }
    for (unsigned piece = 1; xylem_state_kinds(piece); piece <<= 1) {
        check_piece(state, piece);
    }
}

static void check_event(struct xylem_txn *txn, struct xylem_position at, const struct xylem_event *event)
{
    struct xylem_state state = {0};
    struct xylem_state scanned = {0};
    struct xylem_reduce_options results = {.tool_results = true};
    struct xylem_reduce_options scan = {.scan = true};
    struct xylem_buffer json = {NULL, 0, 0};
    struct xylem_error err = {0};
    must_work(xylem_rehydrate(&state, txn, at, event, NULL, &err), &err, "no state");
    must_work(xylem_rehydrate(&scanned, txn, at, event, &scan, &err), &err, "no state by a scan");
    check_same(&state, &scanned);
    check_sense(&state);
    xylem_state_release(&state);
    xylem_state_release(&scanned);
    scan.tool_results = true;
    must_work(xylem_rehydrate(&state, txn, at, event, &results, &err), &err, "no state with results");
    must_work(xylem_rehydrate(&scanned, txn, at, event, &scan, &err), &err, "no state with results by a scan");
    check_same(&state, &scanned);
    check_sense(&state);
    must(xylem_state_json(&json, &state, xylem_view_of("s")) == XYLEM_OK, "no memory");
    xylem_buffer_release(&json);
    xylem_state_release(&state);
    xylem_state_release(&scanned);
}

static int count_state(void *context, const struct xylem_state *state)
{
    (*(size_t *)context)++;
    check_sense(state);
    return 0;
}

static void check(struct xylem_txn *txn, uint64_t session, bool flag)
{
    struct xylem_session row;
    struct xylem_error err = {0};
    bool before = !flag;
    struct xylem_event events[] = {
        {.type = XYLEM_EVENT_SESSION_START, .flag_readonly = flag},
        {.type = XYLEM_EVENT_SESSION_START, .flag_readonly = true, .flag_is_fallback = true},
        {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_NEW, .flag_readonly = flag},
        {.type = XYLEM_EVENT_SESSION_TREE, .flag_readonly = flag, .previous_readonly = &before},
        {.type = XYLEM_EVENT_TOGGLED, .flag_readonly = true, .previous_readonly = &before},
    };
    must_work(xylem_session_read(&row, txn, session, &err), &err, "no session");
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        check_event(txn, row.leaf, &events[i]);
    }
    size_t count = 0;
    must_work(xylem_rehydrate_each(txn, row.leaf, &events[0], NULL, count_state, &count, &err), &err, "not each");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!store) {
        store = scratch_open();
        (void)atexit(close_store);
    }
    struct xylem_txn *txn = scratch_begin(store, XYLEM_WRITE);
    struct xylem_session session;
    struct xylem_error err = {0};
    must_work(xylem_session_create(&session, txn, NULL, &err), &err, "no session");
    uint64_t number = session.number;
    struct xylem_base__cursor cursor = xylem_base__cursor_of(data, size);
    for (size_t i = 0; i < ENTRIES_MAX && cursor.left >= 2; i++) {
        unsigned choice = xylem_base__read_u8(&cursor);
        size_t bytes = xylem_base__read_u8(&cursor);
        bytes = bytes < cursor.left ? bytes : cursor.left;
        append(txn, number, choice, xylem_base__read_bytes(&cursor, bytes));
    }
    check(txn, number, size % 2 == 1);
    xylem_abort(txn); /* nothing stays: the next input finds the store empty */
    return 0;
}
