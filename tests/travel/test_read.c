/* A segment may be a stranger's: flipped, cut, or made to be nasty. */
#include "tests/flow/fixtures.h"
#include "tests/lib/chance.h"
#include "store/side.h"
#include "tests/lib/host_lines.h"
#include "tests/travel/mend.h"
#include "tests/travel/pair.h"
#include "xylem/feed.h"

/* --- Refused ------------------------------------------------------------------------------------------------------ */

static int try_read(struct xylem_view bytes)
{
    struct xylem_segment segment;
    err.text[0] = '\0';
    int code = xylem_segment_read(&segment, bytes, &err);
    assert_true(code == XYLEM_OK || (err.code == code && err.text[0] != '\0'));
    return code;
}

static bool is_refusal(int code)
{
    return code == XYLEM_E_MALFORMED || code == XYLEM_E_CORRUPT || code == XYLEM_E_LIMIT || code == XYLEM_E_TOO_NEW;
}

/* The codes of an apply that says no. */
static bool is_known(int code)
{
    return is_refusal(code) || code == XYLEM_E_NOT_FOUND || code == XYLEM_E_CONFLICT || code == XYLEM_E_DELETED;
}

static uint64_t last_lsn(void)
{
    uint64_t lsn;
    store_builder_must(last_lsn_of(&lsn, follower.txn, &err), &err);
    return lsn;
}

/* The bytes are refused as they are, before the first write. */
static void refuse_bytes(struct xylem_view bytes)
{
    uint64_t lsn = last_lsn();
    int code = try_read(bytes);
    if (!is_refusal(code)) {
        fail_msg("read gives %s", xylem_code_text(code));
    }
    assert_int_equal(try_apply(&follower, bytes), code);
    assert_int_equal(report.change_count, 0);
    assert_int_equal(last_lsn(), lsn);
}

/* The bytes are refused, or the store is sound behind them. Nothing of it stays. */
static bool take_bytes(struct xylem_view bytes)
{
    int read = try_read(bytes);
    if (read < 0 && !is_refusal(read)) {
        fail_msg("read gives %s: %s", xylem_code_text(read), err.text);
    }
    int code = try_apply(&follower, bytes);
    if (code < 0 && !is_known(code)) {
        fail_msg("apply gives %s: %s", xylem_code_text(code), err.text);
    }
    assert_true(read == XYLEM_OK || code == read);
    if (code == XYLEM_OK) {
        assert_verified(follower.txn);
    }
    pair_abort(&follower);
    return code == XYLEM_OK;
}

/* --- A small family ----------------------------------------------------------------------------------------------- */

static const char file_text[] =
    "{\"type\":\"session\",\"version\":3,\"id\":\"f\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/"
    "h\",\"x\":1}\n"
    "{\"type\":\"message\",\"id\":\"i2\",\"parentId\":\"i1\",\"timestamp\":\"2025-01-01T00:00:01.000Z\",  \"x\":1}\n"
    "{\"type\":\"message\",\"id\":\"i1\",\"parentId\":null,\"timestamp\":\"2025-01-01T00:00:01.000Z\"}\n"
    "no json\n"
    "{\"type\":\"mess";

/* Sessions with all that a segment can have: four segments of less than 8 KiB. */
static void make_family(void)
{
    uint64_t session = store_builder_session(&owner, "s");
    struct xylem_position a = store_builder_add(&owner, session, "a", "message", "{\"a\":1}");
    store_builder_add(&owner, session, NULL, "custom:readonly", "{\"enabled\":true}");
    struct xylem_position b = store_builder_add(&owner, session, "b", "message", "{\"b\":1}");
    store_builder_add_at(&owner, session, a, "c", "label", "{\"targetId\":\"a\",\"label\":\"x\"}");
    store_builder_go(&owner, session, b);
    store_builder_add_at(&owner, session, (struct xylem_position){0, 0}, "root", "note", NULL);
    redact_entry(&owner, "s", "b", false);
    uint64_t fork = store_builder_fork(&owner, session, a, XYLEM_FORK_AT, "fork");
    store_builder_add(&owner, fork, "d", "message", "{\"d\":1}");
    store_builder_add(&owner, fork, "e", "message", NULL);
    redact_entry(&owner, "fork", "d", true);
    store_builder_must(xylem_session_delete(owner.txn, fork, &err), &err);
    store_builder_must(xylem_session_undelete(owner.txn, fork, &err), &err);
    uint64_t freed = store_builder_session(&owner, "freed");
    struct xylem_position g = store_builder_add(&owner, freed, "g", "message", "{\"g\":1}");
    struct xylem_position h = store_builder_add(&owner, freed, "h", "message", NULL);
    store_builder_add_at(&owner, freed, g, "i", "message", NULL);
    store_builder_fork(&owner, freed, h, XYLEM_FORK_AT, "of the freed");
    store_builder_must(xylem_session_delete(owner.txn, freed, &err), &err);
    store_builder_must(xylem_gc(NULL, owner.txn, NULL, &err), &err);
    pair_import_text(&owner, file_text, sizeof file_text - 1);
    uint64_t host = store_builder_session(&owner, "host");
    struct xylem_position line = host_line_add(&owner, host, "l", "user", "{\"p\":\"<1>\",\"s\":\"<#host>\"}");
    uint64_t copy = store_builder_clone(&owner, host, "copy");
    host_run_add(&owner, copy, XYLEM_SIDE_SHARED, line, 1);
    store_builder_must(host_line_share(&owner, copy, line, "{\"p\":\"<2>\",\"s\":\"<#copy>\"}", &err), &err);
    uint64_t lsn = host_record_add(&owner, copy, "a record");
    host_record_add(&owner, copy, "another");
    store_builder_must(xylem_store__side_redact(owner.txn, copy, lsn, xylem_view_of("why"), &err), &err);
    pack_all(&segments, &owner);
    size_t bytes = 0;
    for (size_t i = 0; i < segments.count; i++) {
        bytes += segments.list[i].bytes;
    }
    assert_in_range(bytes, 1500, 8192);
    assert_int_equal(segments.count, 7);
}

/* Calls `visit` with each segment of the family; the follower has those that must come first. */
static void each_of_family(void (*visit)(struct xylem_view bytes))
{
    make_family();
    for (size_t i = 0; i < segments.count; i++) {
        visit(segment_at(&segments, i));
        store_builder_must(try_apply(&follower, segment_at(&segments, i)), &err);
        store_builder_commit(&follower);
    }
    assert_same_session(owner.txn, follower.txn, "fork");
    assert_same_session(owner.txn, follower.txn, "f");
}

static void flip_each_byte(struct xylem_view bytes)
{
    struct xylem_buffer copy = {NULL, 0, 0};
    copy_bytes(&copy, bytes);
    for (size_t i = 0; i < bytes.bytes; i++) {
        copy.data[i] = (char)(copy.data[i] ^ (char)(1 << (i % 8)));
        refuse_bytes((struct xylem_view){copy.data, copy.bytes});
        copy.data[i] = bytes.data[i];
    }
    xylem_buffer_release(&copy);
}

TRAVEL_TEST(a_flipped_byte_is_refused_and_nothing_applied)
{
    each_of_family(flip_each_byte);
}

static size_t taken_count;

static void flip_and_mend(struct xylem_view bytes)
{
    struct xylem_buffer copy = {NULL, 0, 0};
    static const unsigned char flips[] = {0x01, 0x02, 0x80, 0xff};
    size_t step = 8 / test_rounds(8); /* in a short run two of the eight */
    for (size_t i = 0; i < bytes.bytes - XYLEM_FORMAT__HASH_BYTES; i++) {
        for (size_t j = i % step; j < 2 * sizeof flips; j += step) {
            copy_bytes(&copy, bytes);
            copy.data[i] = (char)(copy.data[i] ^ (char)flips[j / 2]);
            if (j % 2) {
                mend_chain(copy.data, copy.bytes);
            } else {
                mend_sum(copy.data, copy.bytes);
            }
            taken_count += take_bytes((struct xylem_view){copy.data, copy.bytes});
        }
    }
    xylem_buffer_release(&copy);
}

TRAVEL_TEST(a_flipped_byte_with_a_right_sum_leaves_the_store_sound)
{
    taken_count = 0;
    each_of_family(flip_and_mend);
    assert_true(taken_count > 100);
}

static void cut(struct xylem_view bytes)
{
    struct xylem_buffer copy = {NULL, 0, 0};
    for (size_t i = 0; i < bytes.bytes; i++) {
        copy_bytes(&copy, (struct xylem_view){bytes.data, i});
        refuse_bytes((struct xylem_view){copy.data, copy.bytes});
        mend_sum(copy.data, copy.bytes);
        refuse_bytes((struct xylem_view){copy.data, copy.bytes});
    }
    xylem_buffer_release(&copy);
}

TRAVEL_TEST(a_segment_that_was_cut_is_refused)
{
    each_of_family(cut);
}

static void lengthen(struct xylem_view bytes)
{
    struct xylem_buffer copy = {NULL, 0, 0};
    copy_bytes(&copy, bytes);
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(xylem_buffer_add(&copy, "", 1), XYLEM_OK);
        refuse_bytes((struct xylem_view){copy.data, copy.bytes});
        mend_sum(copy.data, copy.bytes);
        refuse_bytes((struct xylem_view){copy.data, copy.bytes});
    }
    xylem_buffer_release(&copy);
}

TRAVEL_TEST(a_segment_with_more_behind_its_end_is_refused)
{
    each_of_family(lengthen);
}

/* --- Sessions of pi ----------------------------------------------------------------------------------------------- */

static void flip_randomly(uint64_t seed)
{
    struct chance chance = chance_of(seed);
    struct xylem_buffer copy = {NULL, 0, 0};
    struct xylem_view bytes = segment_at(&segments, (size_t)chance_below(&chance, (int)segments.count));
    copy_bytes(&copy, bytes);
    for (int left = 1 + chance_below(&chance, 3); left > 0; left--) {
        size_t at = (size_t)chance_below(&chance, (int)bytes.bytes - 8);
        copy.data[at] = (char)(copy.data[at] ^ (char)(1 + chance_below(&chance, 255)));
    }
    bool changed = memcmp(copy.data, bytes.data, bytes.bytes) != 0; /* two flips may be none */
    switch (chance_below(&chance, 4)) {
    case 0:
        mend_sum(copy.data, copy.bytes);
        take_bytes((struct xylem_view){copy.data, copy.bytes});
        break;
    case 1:
        mend_chain(copy.data, copy.bytes);
        take_bytes((struct xylem_view){copy.data, copy.bytes});
        break;
    default:
        if (changed) {
            refuse_bytes((struct xylem_view){copy.data, copy.bytes});
        }
    }
    xylem_buffer_release(&copy);
}

/* Imports some directories; the follower has half of their sessions. */
TRAVEL_TEST(random_flips_of_sessions_of_pi_are_refused_or_leave_the_store_sound)
{
    static const char *const directories[] = {"fixtures/sessions/pi-0.87.1/rpc-scenario",
                                              "fixtures/sessions/pi-0.87.1/specials"};
    for (size_t i = 0; i < 2; i++) {
        struct fixtures fixtures = {.count = 0};
        fixtures_ordered(&fixtures, directories[i]);
        for (size_t j = 0; j < fixtures.count; j++) {
            if (!strstr(fixtures.paths[j], ".before.jsonl") && !strstr(fixtures.paths[j], "deep-linear")) {
                pair_import(&owner, fixtures.paths[j]);
            }
        }
        fixtures_release(&fixtures);
    }
    pack_all(&segments, &owner);
    for (size_t i = 0; i < segments.count; i += 2) {
        (void)try_apply(&follower, segment_at(&segments, i));
    }
    store_builder_commit(&follower);
    test_seeds(flip_randomly, test_rounds(10000));
}

/* --- Fields ------------------------------------------------------------------------------------------------------- */

/* A segment of a session of one entry, and its parts that a test may change. */
static void pack_one(struct xylem_buffer *bytes)
{
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "the-entry", "the-kind", "{\"the\":\"payload\"}");
    pack_anew("s");
    copy_bytes(bytes, segment_at(&segments, 0));
}

TRAVEL_TEST(a_segment_of_a_later_version_is_too_new)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    pack_one(&bytes);
    bytes.data[0]++;
    mend_sum(bytes.data, bytes.bytes);
    assert_int_equal(try_read((struct xylem_view){bytes.data, bytes.bytes}), XYLEM_E_TOO_NEW);
    assert_non_null(strstr(err.text, "version 2"));
    bytes.data[0] = 0;
    mend_sum(bytes.data, bytes.bytes);
    assert_int_equal(try_read((struct xylem_view){bytes.data, bytes.bytes}), XYLEM_E_MALFORMED);
    xylem_buffer_release(&bytes);
}

/* The head of a segment, as its fields say. */
struct head {
    unsigned flags;
    struct xylem_view id;
    uint64_t from;
    uint64_t to;
    uint64_t chain;
    uint64_t count;
    unsigned row; /* flags of the row; 255: no row */
};

/* Reads a segment of this head, of so many changes of the document, and of no more. */
static int read_head(const struct head *head, size_t changes)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    const uint64_t numbers[] = {head->from, head->to, head->chain, head->chain, head->count};
    const struct xylem_view none = {NULL, 0};
    bool made =
        xylem_base__add_u8(&bytes, 1) == XYLEM_OK && xylem_base__add_u8(&bytes, (uint8_t)head->flags) == XYLEM_OK &&
        xylem_base__add_sized(&bytes, head->id) == XYLEM_OK && xylem_base__add_u64s(&bytes, numbers, 5) == XYLEM_OK;
    if (head->row != 255) {
        made = made && xylem_base__add_u8(&bytes, (uint8_t)head->row) == XYLEM_OK &&
               xylem_base__add_i64(&bytes, 5) == XYLEM_OK && xylem_base__add_sized(&bytes, none) == XYLEM_OK &&
               xylem_base__add_sized(&bytes, none) == XYLEM_OK && xylem_base__add_sized(&bytes, none) == XYLEM_OK;
    }
    for (size_t i = 0; i < changes; i++) {
        made = made && xylem_base__add_u8(&bytes, XYLEM_CHANGE_DOCUMENT) == XYLEM_OK;
    }
    made = made && xylem_base__add_u64(&bytes, 0) == XYLEM_OK && xylem_base__add_u64(&bytes, 0) == XYLEM_OK;
    assert_true(made);
    mend_chain(bytes.data, bytes.bytes);
    int code = try_read((struct xylem_view){bytes.data, bytes.bytes});
    xylem_buffer_release(&bytes);
    return code;
}

TRAVEL_TEST(fields_of_the_head_agree_with_each_other)
{
    char long_id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    memset(long_id, 'i', sizeof long_id);
    const struct head empty = {0, {"s", 1}, 2, 2, 7, 0, 255};
    const struct head first = {XYLEM_TRAVEL__HAS_ROW, {"s", 1}, 1, 2, 0, 1, 0};
    assert_int_equal(read_head(&empty, 0), XYLEM_OK);
    assert_int_equal(read_head(&first, 1), XYLEM_OK);
#define REFUSED(right, changes, member, value)                           \
    do {                                                                 \
        struct head wrong = right;                                       \
        wrong.member = value;                                            \
        assert_int_equal(read_head(&wrong, changes), XYLEM_E_MALFORMED); \
    } while (0)
    REFUSED(empty, 0, flags, 8);
    REFUSED(first, 1, row, 8);
    REFUSED(first, 1, row, XYLEM_TRAVEL__ROW_HAS_BASE); /* and names none */
    REFUSED(empty, 0, id, ((struct xylem_view){"", 0}));
    REFUSED(empty, 0, id, ((struct xylem_view){"\xff", 1}));
    REFUSED(empty, 0, id, ((struct xylem_view){"a\0b", 3}));
    REFUSED(empty, 0, id, ((struct xylem_view){long_id, sizeof long_id}));
    REFUSED(empty, 0, from, 0);
    REFUSED(empty, 0, from, 3);
    REFUSED(empty, 0, to, 3); /* one change, which does not come */
    REFUSED(first, 1, to, 3);
    REFUSED(first, 2, to, 3);
    REFUSED(first, 0, count, 0); /* but the range has one */
    REFUSED(first, 1, count, UINT64_MAX);
    struct head other = {0, {"s", 1}, 1, 2, 0, 1, 255}; /* the first change without a row */
    assert_int_equal(read_head(&other, 1), XYLEM_E_MALFORMED);
    other = (struct head){XYLEM_TRAVEL__HAS_ROW, {"s", 1}, 2, 3, 7, 1, 0}; /* a row with a later one */
    assert_int_equal(read_head(&other, 1), XYLEM_E_MALFORMED);
    other = (struct head){XYLEM_TRAVEL__HAS_ROW | XYLEM_TRAVEL__FREED, {"s", 1}, 0, 0, 0, 1, 0};
    assert_int_equal(read_head(&other, 1), XYLEM_E_MALFORMED); /* a change of remains that is no entry */
#undef REFUSED
}

/* Puts bytes at a place that is `distance` behind the begin of a text, with a right sum and chain. */
static int read_with(const char *text, ptrdiff_t distance, const void *put, size_t count)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    pack_one(&bytes);
    pair_abort(&owner);
    size_t at = (size_t)((ptrdiff_t)place_of_text(&bytes, text) + distance);
    memcpy(bytes.data + at, put, count);
    mend_chain(bytes.data, bytes.bytes);
    int code = try_read((struct xylem_view){bytes.data, bytes.bytes});
    xylem_buffer_release(&bytes);
    return code;
}

TRAVEL_TEST(the_chain_must_be_that_of_the_changes)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    pack_one(&bytes);
    bytes.data[place_of_text(&bytes, "the-entry")] = 'x';
    mend_sum(bytes.data, bytes.bytes);
    assert_int_equal(try_read((struct xylem_view){bytes.data, bytes.bytes}), XYLEM_E_CORRUPT);
    assert_non_null(strstr(err.text, "chain"));
    xylem_buffer_release(&bytes);
    pair_abort(&owner);
    assert_int_equal(read_with("the-entry", 0, "x", 1), XYLEM_OK);
}

TRAVEL_TEST(the_chain_of_a_session_begins_with_nothing)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    pack_one(&bytes);
    bytes.data[2 + 4 + 1 + 16] = 1; /* of the chain before */
    mend_chain(bytes.data, bytes.bytes);
    assert_int_equal(try_read((struct xylem_view){bytes.data, bytes.bytes}), XYLEM_E_CORRUPT);
    xylem_buffer_release(&bytes);
}

TRAVEL_TEST(fields_of_an_entry_are_checked)
{
    static const unsigned char huge[] = {0xff, 0xff, 0xff, 0xff};
    assert_int_equal(read_with("the-entry", 0, "\xff", 1), XYLEM_E_MALFORMED);   /* no UTF-8 */
    assert_int_equal(read_with("the-entry", -4, "\0", 1), XYLEM_E_MALFORMED);    /* an empty id */
    assert_int_equal(read_with("the-entry", -4, huge, 4), XYLEM_E_MALFORMED);    /* beyond the end */
    assert_int_equal(read_with("the-entry", -13, "\3", 1), XYLEM_E_MALFORMED);   /* no way to name a parent */
    assert_int_equal(read_with("the-entry", -13, "\0", 1), XYLEM_E_MALFORMED);   /* nothing before it */
    assert_int_equal(read_with("the-entry", -14, "\x0a", 1), XYLEM_E_MALFORMED); /* no type of a change */
    assert_int_equal(read_with("the-entry", -14, "\7", 1), XYLEM_E_MALFORMED);   /* FREED is of a store */
    assert_int_equal(read_with("the-kind", 0, "\xff", 1), XYLEM_E_MALFORMED);    /* no UTF-8 */
    assert_int_equal(read_with("the-kind", -5, "\2", 1), XYLEM_E_MALFORMED);     /* no class */
    assert_int_equal(read_with("the-kind", -6, "\1", 1), XYLEM_E_MALFORMED);     /* a kind from nowhere */
    assert_int_equal(read_with("the-kind", 16, "\4", 1), XYLEM_E_MALFORMED);     /* no format */
    assert_int_equal(read_with("the-kind", 16, "\0", 1), XYLEM_E_MALFORMED);     /* a payload without format */
    assert_int_equal(read_with("the-kind", 17, "\x40", 1), XYLEM_E_MALFORMED);   /* MINTED is of a store */
    assert_int_equal(read_with("the-kind", 17, "\x80", 1), XYLEM_E_MALFORMED);   /* dropped, not redacted */
    assert_int_equal(read_with("{\"the\":", -4, huge, 4), XYLEM_E_MALFORMED);    /* beyond the end */
    assert_int_equal(read_with("the-kind", 17, "\4", 1), XYLEM_OK);              /* IMPORTED */
}

/* A session with a navigation and a redaction; a byte is put `distance` behind the last place of a text. */
static int read_changed(const char *text, ptrdiff_t distance, char byte)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "id-1", "message", "{}");
    store_builder_go(&owner, session, (struct xylem_position){0, 0});
    redact_entry(&owner, "s", "id-1", false);
    pack_anew("s");
    pair_abort(&owner);
    copy_bytes(&bytes, segment_at(&segments, 0));
    size_t at = bytes.bytes - strlen(text);
    while (memcmp(bytes.data + at, text, strlen(text)) != 0) {
        at--;
    }
    bytes.data[(ptrdiff_t)at + distance] = byte;
    mend_chain(bytes.data, bytes.bytes);
    int code = try_read((struct xylem_view){bytes.data, bytes.bytes});
    xylem_buffer_release(&bytes);
    return code;
}

TRAVEL_TEST(fields_of_navigations_and_redactions_are_checked)
{
    assert_int_equal(read_changed("test", 0, 'x'), XYLEM_OK);
    assert_int_equal(read_changed("test", -12, '\xff'), XYLEM_E_MALFORMED); /* the origin is no UTF-8 */
    assert_int_equal(read_changed("a key", 0, 'x'), XYLEM_OK);
    assert_int_equal(read_changed("a key", 0, '\xff'), XYLEM_E_MALFORMED);
    assert_int_equal(read_changed("a key", -13, '\0'), XYLEM_E_MALFORMED);   /* not redacted */
    assert_int_equal(read_changed("a key", -13, '\x48'), XYLEM_E_MALFORMED); /* MINTED is of a store */
    assert_int_equal(read_changed("a key", -17, '\xff'), XYLEM_E_MALFORMED); /* the id is no UTF-8 */
    assert_int_equal(read_changed("a key", -13, '\x88'), XYLEM_OK);          /* without a hash */
}

TRAVEL_TEST(nothing_stands_before_the_first_entry)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "the-entry", "the-kind", NULL);
    pack_anew("s");
    struct xylem_view all = segment_at(&segments, 0);
    copy_bytes(&bytes, all);
    size_t id = place_of_text(&bytes, "the-entry") - 4;
    xylem_base__buffer_clear(&bytes); /* a check stands between the way to name the parent and the id */
    assert_int_equal(xylem_buffer_add(&bytes, all.data, id - 9), XYLEM_OK);
    assert_int_equal(xylem_buffer_add(&bytes, "\0", 1), XYLEM_OK);
    assert_int_equal(xylem_buffer_add(&bytes, all.data + id, all.bytes - id), XYLEM_OK);
    mend_chain(bytes.data, bytes.bytes);
    assert_int_equal(try_read((struct xylem_view){bytes.data, bytes.bytes}), XYLEM_E_MALFORMED);
    assert_non_null(strstr(err.text, "a change stands where none of its type can stand"));
    xylem_buffer_release(&bytes);
}

/* A redaction without a reason is none that anybody made. */
TRAVEL_TEST(a_redacted_entry_has_a_reason)
{
    struct xylem_buffer bytes = {NULL, 0, 0};
    uint64_t session = store_builder_session(&owner, "s");
    store_builder_add(&owner, session, "a", "the-kind", "{\"x\":1}");
    redact_entry(&owner, "s", "a", false);
    const struct xylem_pack_options options = {.to = 3};
    pack_with(&segments, &owner, "s", &options);
    struct xylem_view all = segment_at(&segments, 0);
    size_t reason = 0;
    copy_bytes(&bytes, all);
    reason = place_of_text(&bytes, "a key");
    xylem_base__buffer_clear(&bytes);
    assert_int_equal(xylem_buffer_add(&bytes, all.data, reason - 4), XYLEM_OK);
    assert_int_equal(xylem_buffer_add(&bytes, "\0\0\0\0", 4), XYLEM_OK);
    assert_int_equal(xylem_buffer_add(&bytes, all.data + reason + 5, all.bytes - reason - 5), XYLEM_OK);
    mend_sum(bytes.data, bytes.bytes);
    assert_int_equal(try_read((struct xylem_view){bytes.data, bytes.bytes}), XYLEM_E_MALFORMED);
    xylem_buffer_release(&bytes);
}

/* A line of an entry holds no newline: an export would give two lines. */
TRAVEL_TEST(a_line_has_no_newline)
{
    static const char text[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n{\"type\":\"x\",\"id\":\"a\", \"odd\":1}\n";
    struct xylem_buffer bytes = {NULL, 0, 0};
    pair_import_text(&owner, text, sizeof text - 1);
    pack_anew("s");
    copy_bytes(&bytes, segment_at(&segments, 0));
    bytes.data[place_of_text(&bytes, ", \"odd\"") + 1] = '\n';
    mend_sum(bytes.data, bytes.bytes);
    assert_int_equal(try_read((struct xylem_view){bytes.data, bytes.bytes}), XYLEM_E_MALFORMED);
    xylem_buffer_release(&bytes);
}
