/*
 * Any bytes as ids, kinds and data of the entries that a host holds. Nothing but the answer of the host makes an error,
 * and the state is the state of a store with the same entries: data that the store refuses stands there as data that
 * cannot be decoded.
 *
 * Input: entries, oldest first, each a byte that chooses its kind and its shape, a byte for the length of its id, a
 * byte for the length of its data, the id and the data.
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

/* A path, oldest first. `asked` counts the questions; each answer is lent until the next question. */
struct path {
    struct xylem_held_entry entries[ENTRIES_MAX];
    size_t count;
    size_t asked;
    char *lent;
};

static int give(void *context, struct xylem_held_entry *entry)
{
    struct path *path = context;
    free(path->lent);
    path->lent = NULL;
    must(!entry->id.data && !entry->data.data && !entry->kind.name.data, "an entry that is not zeroed");
    must(path->asked <= path->count, "a question behind the end");
    if (path->asked++ == path->count) {
        return 0;
    }
    *entry = path->entries[path->count - path->asked];
    path->lent = malloc(entry->id.bytes + entry->data.bytes + 1);
    must(path->lent != NULL, "no memory");
    if (entry->id.bytes > 0) {
        memcpy(path->lent, entry->id.data, entry->id.bytes);
    }
    entry->id.data = path->lent;
    if (entry->data.data) {
        memcpy(path->lent + entry->id.bytes, entry->data.data, entry->data.bytes);
        entry->data.data = path->lent + entry->id.bytes;
    }
    return 1;
}

/* Appends the entry under an id of xylem. A store keeps no data that it refuses: the byte 0xc1 is no msgpack. */
static void append(struct xylem_txn *txn, uint64_t session, const struct xylem_held_entry *held)
{
    const struct xylem_store__append_options checked = {.payload_checked = true};
    const bool custom = held->kind.kind_class == XYLEM_CLASS_CUSTOM;
    struct xylem_new_entry entry = {.kind = held->kind};
    struct xylem_error err = {0};
    if (held->data.data) {
        entry.format = XYLEM_FORMAT_JSON;
        entry.payload = held->data;
    }
    int code = custom ? xylem_append(NULL, txn, session, &entry, 1, NULL, &err)
                      : xylem_store__append(NULL, txn, session, &entry, 1, &checked, &err);
    if (custom && (code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT)) {
        entry.format = XYLEM_FORMAT_MSGPACK;
        entry.payload = (struct xylem_view){"\xc1", 1};
        code = xylem_store__append(NULL, txn, session, &entry, 1, &checked, &err);
    }
    must_work(code, &err, "an entry cannot be appended");
}

static bool same(struct xylem_view a, struct xylem_view b)
{
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.data, b.data, a.bytes) == 0);
}

/* The id of the entry at a depth of the store, as the host gave it; none for none. */
static void check_id(const struct path *path, struct xylem_position position, struct xylem_view id)
{
    must(position.depth <= path->count, "a position beyond the path");
    if (position.depth == 0) {
        must(!id.data, "an id of no entry");
    } else {
        must(id.data && same(id, path->entries[position.depth - 1].id), "another entry decides than in the store");
    }
}

static void check_piece(const struct path *path, const struct xylem_state *stored, const struct xylem_state *held,
                        unsigned piece)
{
    const struct xylem_words_options options = {.detail = XYLEM_DETAIL_EXPLAINED};
    struct xylem_word words[2][XYLEM_WORDS_MAX];
    struct xylem_buffer left = {NULL, 0, 0};
    struct xylem_buffer right = {NULL, 0, 0};
    must(xylem_piece_json(&left, stored, piece, XYLEM_DETAIL_VALUE) == XYLEM_OK &&
             xylem_piece_json(&right, held, piece, XYLEM_DETAIL_VALUE) == XYLEM_OK,
         "no memory");
    must(left.bytes == right.bytes && memcmp(left.data, right.data, left.bytes) == 0, "a piece differs");
    xylem_buffer_release(&left);
    xylem_buffer_release(&right);
    size_t count = xylem_piece_words(words[0], stored, piece, &options);
    must(xylem_piece_words(words[1], held, piece, &options) == count, "the words of a piece differ");
    for (size_t i = 0; i < count; i++) {
        must(words[1][i].position.branch == 0 && words[1][i].position.depth == 0, "a position from nowhere");
        if (words[0][i].type == XYLEM_WORD_ENTRY) {
            check_id(path, words[0][i].position, words[1][i].text);
        } else {
            must(same(words[0][i].text, words[1][i].text), "the words of a piece differ");
        }
    }
}

static void check_event(struct path *path, struct xylem_txn *txn, struct xylem_position at,
                        const struct xylem_event *event, const struct xylem_reduce_options *options)
{
    struct xylem_state stored;
    struct xylem_state held;
    struct xylem_buffer json = {NULL, 0, 0};
    struct xylem_error err = {0};
    path->asked = 0;
    must_work(xylem_rehydrate(&stored, txn, at, event, options, &err), &err, "no state of the store");
    must_work(xylem_rehydrate_from(&held, give, path, event, options, &err), &err, "no state of held entries");
    check_id(path, at, held.at_entry_id);
    for (unsigned piece = 1; xylem_state_kinds(piece); piece <<= 1) {
        check_piece(path, &stored, &held, piece);
    }
    must(stored.nudge.why == held.nudge.why && stored.readonly.from == held.readonly.from, "another reason");
    must(stored.reduction.skipped_count == held.reduction.skipped_count, "other entries are skipped");
    for (size_t i = 0; i < held.reduction.skipped_count; i++) {
        const struct xylem_skipped *skipped = &stored.reduction.skipped[i];
        check_id(path, skipped->position, held.reduction.skipped[i].entry_id);
        must(strcmp(skipped->reason, held.reduction.skipped[i].reason) == 0, "skipped for another reason");
        must(same(skipped->kind, held.reduction.skipped[i].kind), "skipped under another kind");
    }
    must(xylem_state_json(&json, &held, xylem_view_of("s")) == XYLEM_OK, "no memory");
    xylem_buffer_release(&json);
    xylem_state_release(&stored);
    xylem_state_release(&held);
}

static void check(struct path *path, struct xylem_txn *txn, uint64_t session, bool flag)
{
    static const struct xylem_reduce_options options[] = {{.tool_results = false}, {.tool_results = true}};
    const bool before = !flag;
    const struct xylem_event events[] = {
        {.type = XYLEM_EVENT_SESSION_START, .flag_readonly = flag},
        {.type = XYLEM_EVENT_SESSION_START, .flag_readonly = true, .flag_is_fallback = true},
        {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_NEW, .flag_readonly = flag},
        {.type = XYLEM_EVENT_SESSION_TREE, .flag_readonly = flag, .previous_readonly = &before},
        {.type = XYLEM_EVENT_TOGGLED, .flag_readonly = true, .previous_readonly = &flag},
    };
    struct xylem_session row;
    struct xylem_error err = {0};
    must_work(xylem_session_read(&row, txn, session, &err), &err, "no session");
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        check_event(path, txn, row.leaf, &events[i], &options[0]);
        check_event(path, txn, row.leaf, &events[i], &options[1]);
    }
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
    struct path path = {.count = 0};
    must_work(xylem_session_create(&session, txn, NULL, &err), &err, "no session");
    uint64_t number = session.number;
    struct xylem_base__cursor cursor = xylem_base__cursor_of(data, size);
    while (path.count < ENTRIES_MAX && cursor.left >= 3) {
        struct xylem_held_entry *entry = &path.entries[path.count++];
        unsigned choice = xylem_base__read_u8(&cursor);
        size_t id_bytes = xylem_base__read_u8(&cursor);
        size_t data_bytes = xylem_base__read_u8(&cursor);
        id_bytes = id_bytes < cursor.left ? id_bytes : cursor.left;
        entry->id = xylem_base__read_bytes(&cursor, id_bytes);
        data_bytes = data_bytes < cursor.left ? data_bytes : cursor.left;
        entry->data = xylem_base__read_bytes(&cursor, data_bytes);
        entry->kind = fuzz_kind(choice & 15u);
        if (data_bytes == 0) {
            entry->data = (struct xylem_view){choice & 16u ? "" : NULL, 0};
        }
        append(txn, number, entry);
    }
    check(&path, txn, number, size % 2 == 1);
    free(path.lent);
    xylem_abort(txn); /* nothing stays: the next input finds the store empty */
    return 0;
}
