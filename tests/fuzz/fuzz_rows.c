/* Any bytes are refused as a row, or read as one. The first byte chooses the table; keys come before values. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "store/branch.h"
#include "store/lmdb/environment.h"
#include "store/feed.h"
#include "store/lease.h"
#include "store/note.h"
#include "store/outline.h"
#include "store/session.h"
#include "store/side.h"
#include "store/source.h"
#include "xylem/branch.h"
#include "xylem/feed.h"
#include "xylem/note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Reads every byte of a view, so that a sanitizer sees one that leads astray. */
static void touch(struct xylem_view view)
{
    (void)xylem_format__hash(view);
}

static int read_session(struct xylem_view row, struct xylem_error *err)
{
    struct xylem_session session;
    int code = xylem_store__session_decode(&session, 7, row, err);
    if (code == XYLEM_OK) {
        touch(session.id);
        touch(session.name_space);
        touch(session.cwd);
        touch(session.parent);
        touch(session.header);
        check((unsigned)session.state <= XYLEM_SESSION_FREED);
    }
    return code;
}

static int read_branch(struct xylem_view row, struct xylem_error *err)
{
    struct xylem_store__branch branch;
    int code = xylem_store__branch_decode(&branch, 7, row, err);
    check(code < 0 || (branch.parent_branch < 7 && branch.previous_branch < 7 && branch.first_depth > 0));
    return code;
}

/* The bytes at the beginning of a row that are a key: `numbers` ordered numbers, and `fixed` bytes behind. */
static struct xylem_view key_of(struct xylem_view row, unsigned numbers, size_t fixed)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    for (unsigned i = 0; i < numbers; i++) {
        xylem_base__read_ordered(&cursor);
    }
    xylem_base__read_bytes(&cursor, fixed);
    return (struct xylem_view){row.data, row.bytes - cursor.left};
}

static int read_feed(struct xylem_view row, struct xylem_error *err)
{
    struct xylem_store__feed feed;
    struct xylem_view key = key_of(row, 1, 0);
    struct xylem_view value = {row.data + key.bytes, row.bytes - key.bytes};
    int code = xylem_store__feed_decode(&feed, key, value);
    check(code < 0 || (feed.first_lsn > 0 && feed.last_lsn >= feed.first_lsn && feed.last_lsn < UINT64_MAX));
    check(code < 0 || (feed.previous < feed.first_lsn && (feed.previous == 0) == (feed.ordinal <= 1)));
    if (code == XYLEM_OK && feed.tag == XYLEM_FORMAT__FEED_CHANGE) {
        check((feed.type == XYLEM_CHANGE_FREED) == (feed.ordinal == 0));
        check(feed.first_lsn == feed.last_lsn && feed.session > 0);
        check(feed.type != XYLEM_CHANGE_ENTRY && xylem_change_word((enum xylem_change_type)feed.type) != NULL);
        check((feed.type == XYLEM_CHANGE_FREED) == (feed.freed_id.bytes > 0));
        touch(feed.freed_id);
        touch(feed.freed_name_space);
    }
    err->code = code; /* it gives no text: its callers know more */
    err->text[0] = '?';
    return code;
}

static int read_move(struct xylem_view row, struct xylem_error *err)
{
    struct xylem_move move;
    int code = xylem_store__move_decode(&move, 7, row, err);
    if (code == XYLEM_OK) {
        touch(move.reason);
    }
    return code;
}

static int read_source(struct xylem_view row, struct xylem_error *err)
{
    struct xylem_lmdb__env env = {.path = (char[]){"store"}};
    struct xylem_txn txn = {.env = &env};
    struct xylem_store__source source;
    int code = xylem_store__source_decode(&source, &txn, row, err);
    if (code == XYLEM_OK) {
        touch(source.name);
        touch(source.tail);
        touch((struct xylem_view){(const char *)source.displaced, source.displaced_count * sizeof *source.displaced});
        const struct xylem_store__growth *growth = &source.growth;
        check(!growth->known || (growth->line_bytes <= source.bytes && source.tail_bytes <= UINT64_MAX - source.bytes &&
                                 source.lines > 0 && source.lines <= source.bytes));
    }
    free(txn.displaced);
    return code;
}

static int read_quarantine(struct xylem_view row, struct xylem_error *err)
{
    struct xylem_quarantined quarantined;
    struct xylem_view key = key_of(row, 2, 8);
    struct xylem_view value = {row.data + key.bytes, row.bytes - key.bytes};
    int code = xylem_store__quarantine_decode(&quarantined, key, value, err);
    if (code == XYLEM_OK) {
        touch(quarantined.source);
        touch(quarantined.raw);
        check((unsigned)quarantined.reason < XYLEM_IMPORT_PROBLEM_COUNT);
    }
    return code;
}

static int read_lease(struct xylem_view row, struct xylem_error *err)
{
    struct xylem_lease_owner owner;
    uint64_t session = 0;
    struct xylem_view key = {row.data, row.bytes < 14 ? row.bytes : 14};
    struct xylem_view value = {row.data + key.bytes, row.bytes - key.bytes};
    bool read = xylem_store__lease_row_read(&session, &owner, key, value);
    check(!read || (owner.token <= INT64_MAX && memchr(owner.host, '\0', sizeof owner.host)));
    err->code = read ? XYLEM_OK : XYLEM_E_CORRUPT; /* it gives no text: its callers know more */
    err->text[0] = '?';
    return err->code;
}

/* The first half of the bytes is the key, behind the prefix of notes. */
static int read_note(struct xylem_view row, struct xylem_error *err)
{
    char key[5 + 256] = "note:";
    size_t name_bytes = row.bytes / 2 < 256 ? row.bytes / 2 : 256;
    struct xylem_view name;
    memcpy(key + 5, row.data, name_bytes);
    bool read = xylem_store__note_name(&name, (struct xylem_view){key, 5 + name_bytes},
                                       (struct xylem_view){row.data + name_bytes, row.bytes - name_bytes});
    check(!read || (name.bytes == name_bytes && name.bytes > 0 && name.bytes <= XYLEM_NOTE_NAME_BYTES_MAX));
    err->code = read ? XYLEM_OK : XYLEM_E_CORRUPT; /* it gives no text: its callers know more */
    err->text[0] = '?';
    return err->code;
}

/* The row, and the rest of the bytes as its words. */
static int read_outline(struct xylem_view row, struct xylem_error *err)
{
    struct xylem_store__outline outline;
    struct xylem_view words = {row.data + row.bytes / 2, row.bytes - row.bytes / 2};
    bool read = xylem_store__outline_decode(&outline, row);
    check(!read || outline.outline.has_name == (outline.name.data != NULL));
    touch(outline.name);
    read = xylem_store__outline_words_decode(&outline, words) || read;
    touch(outline.first);
    touch(outline.last);
    err->code = read ? XYLEM_OK : XYLEM_E_CORRUPT; /* it gives no text: its callers know more */
    err->text[0] = '?';
    return err->code;
}

/* What a key says of a place or a name makes the same key. */
static int read_outline_key(struct xylem_view key, struct xylem_error *err)
{
    struct xylem_format__key made;
    struct xylem_view name;
    uint64_t session = 0;
    int64_t active_ms = 0;
    bool right = xylem_format__key_read_outline_place(&active_ms, &session, key);
    check(right == (key.bytes >= 16));
    xylem_format__key_outline_active(&made, active_ms, session);
    check(!right || memcmp(made.view.data + 1, key.data + key.bytes - 16, 16) == 0);
    right = xylem_format__key_read_outline_name(&name, &session, key);
    check(right == (key.bytes >= 9));
    if (right && name.bytes <= XYLEM_FORMAT__NAME_KEY_BYTES_MAX) {
        xylem_format__key_outline_name(&made, name, session);
        check(made.view.bytes == key.bytes && memcmp(made.view.data + 1, key.data + 1, key.bytes - 1) == 0);
    }
    err->code = right ? XYLEM_OK : XYLEM_E_CORRUPT; /* it gives no text: its callers know more */
    err->text[0] = '?';
    return err->code;
}

/* A key that is read is a tag with a hash and an id, or an id alone. */
static int read_session_key(struct xylem_view key, struct xylem_error *err)
{
    struct xylem_view id;
    uint64_t hash;
    bool right = xylem_format__key_read_session_id(&hash, &id, key);
    if (right) {
        touch(id);
        bool spaced = (unsigned char)key.data[0] == XYLEM_FORMAT__NAMESPACE_TAG;
        check(key.bytes == id.bytes + (spaced ? XYLEM_FORMAT__NAMESPACE_KEY_BYTES : 0u) && (spaced || hash == 0));
    }
    err->code = right ? XYLEM_OK : XYLEM_E_CORRUPT; /* it gives no text: its callers know more */
    err->text[0] = '?';
    return err->code;
}

static int read_side(struct xylem_view row, struct xylem_error *err)
{
    struct xylem_side side;
    int code = xylem_store__side_decode(&side, row);
    bool ranged = side.type == XYLEM_SIDE_REPEAT || side.type == XYLEM_SIDE_SHARED;
    if (code == XYLEM_OK) {
        touch(side.bytes);
        touch(side.values);
        touch(side.reason);
        check(side.type <= XYLEM_SIDE_VALUES && side.count <= side.position.depth && (side.count > 0) == ranged);
        check((side.type == XYLEM_SIDE_RECORD) == (side.position.branch == 0));
        check(!side.redacted || (side.bytes.bytes == 0 && side.values.bytes == 0 && !ranged));
    }
    err->code = code; /* it gives no text: its callers know more */
    err->text[0] = '?';
    return code;
}

/* A kind's row is a class and a name, any bytes; what can go wrong is its text. */
static int read_kind(struct xylem_view text, struct xylem_error *err)
{
    struct xylem_buffer storage = {0};
    struct xylem_buffer back = {0};
    struct xylem_kind kind;
    int code = xylem_kind_parse(&kind, &storage, text, err);
    if (code == XYLEM_OK) {
        check(xylem_kind_text(&back, kind) == XYLEM_OK);
        check(back.bytes == text.bytes && (back.bytes == 0 || memcmp(back.data, text.data, back.bytes) == 0));
    }
    xylem_buffer_release(&storage);
    xylem_buffer_release(&back);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int (*const read[])(struct xylem_view, struct xylem_error *) = {
        read_session, read_branch,  read_feed,        read_move, read_source,      read_quarantine, read_kind,
        read_lease,   read_outline, read_outline_key, read_note, read_session_key, read_side};
    struct xylem_base__cursor cursor = xylem_base__cursor_of(data, size);
    struct xylem_error err = {0};
    uint8_t choice = xylem_base__read_u8(&cursor);
    if (cursor.failed) {
        return 0;
    }
    struct xylem_view row = {(const char *)cursor.at, cursor.left};
    int code = read[choice % (sizeof read / sizeof *read)](row, &err);
    check(code == XYLEM_OK || (err.code == code && err.text[0] != '\0'));
    return 0;
}
