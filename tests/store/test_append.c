#include <stdio.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "xylem/inspect.h"
#include "xylem/append.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "tests/store/rows.h"

static struct store_builder builder;
static struct xylem_error err;
static const struct xylem_position none;

static int set_up(void **state)
{
    (void)state;
    memset(&err, 0, sizeof err);
    store_builder_open(&builder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    store_builder_close(&builder);
    return 0;
}

static struct xylem_new_entry message(const char *id)
{
    return (struct xylem_new_entry){.id = xylem_view_of(id), .kind.name = xylem_view_of("message")};
}

static struct xylem_new_entry with_payload(bool custom, enum xylem_format format, const char *payload)
{
    return (struct xylem_new_entry){.kind = {custom ? XYLEM_CLASS_CUSTOM : XYLEM_CLASS_HOST, xylem_view_of("kind")},
                                    .format = format,
                                    .payload = xylem_view_of(payload)};
}

static int append(uint64_t session, const struct xylem_new_entry *entry)
{
    return xylem_append(NULL, builder.txn, session, entry, 1, NULL, &err);
}

static struct xylem_entry read_entry(struct xylem_position position)
{
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, builder.txn, position, &err), &err);
    return entry;
}

static void assert_at(struct xylem_position position, uint64_t branch, uint64_t depth)
{
    assert_int_equal(position.branch, branch);
    assert_int_equal(position.depth, depth);
}

static uint64_t row_count(enum xylem_format__table table)
{
    struct xylem_lmdb__table_size size;
    store_builder_must(xylem_lmdb__table_size(&size, builder.txn, table, &err), &err);
    return size.rows;
}

/* --- Where entries go --- */

#define IN_STORE(test) TEST_WITH(test, set_up, tear_down)

IN_STORE(entries_stand_below_each_other_and_the_leaf_follows)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_new_entry batch[] = {message("a"), message("b"), message("c")};
    struct xylem_position first;
    store_builder_must(xylem_append(&first, builder.txn, session, batch, 3, NULL, &err), &err);
    assert_at(first, 1, 1);
    assert_at(read_entry((struct xylem_position){1, 3}).parent, 1, 2);
    struct xylem_session row = store_builder_read(&builder, session);
    assert_at(row.leaf, 1, 3);
    assert_true(row.last_lsn == 4 && row.newest_branch == 1);
    for (uint64_t depth = 1; depth <= 3; depth++) { /* behind the lsn of the session */
        assert_int_equal(read_entry((struct xylem_position){1, depth}).lsn, depth + 1);
    }
}

IN_STORE(lsns_are_consecutive_over_appends_and_sessions)
{
    uint64_t a = store_builder_session(&builder, "a");
    uint64_t b = store_builder_session(&builder, "b");
    for (uint64_t lsn = 3; lsn <= 11; lsn += 3) { /* behind the lsns of the sessions */
        struct xylem_position one = store_builder_add(&builder, a, NULL, "message", NULL);
        struct xylem_new_entry batch[] = {message(NULL), message(NULL)};
        struct xylem_position two;
        uint64_t first_lsn = 0;
        struct xylem_append_options options = {.first_lsn = &first_lsn};
        store_builder_must(xylem_append(&two, builder.txn, b, batch, 2, &options, &err), &err);
        assert_int_equal(first_lsn, lsn + 1);
        assert_int_equal(read_entry(one).lsn, lsn);
        assert_int_equal(read_entry(two).lsn, lsn + 1);
        two.depth++;
        assert_int_equal(read_entry(two).lsn, lsn + 2);
    }
}

IN_STORE(a_branch_grows_only_at_its_tip)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_messages(&builder, session, 3);
    assert_at(store_builder_add_at(&builder, session, (struct xylem_position){1, 3}, "tip", "message", NULL), 1, 4);
    assert_at(store_builder_add_at(&builder, session, (struct xylem_position){1, 2}, "side", "message", NULL), 2, 3);
    assert_at(store_builder_add_at(&builder, session, (struct xylem_position){1, 2}, "other", "message", NULL), 3, 3);
    assert_at(store_builder_add_at(&builder, session, (struct xylem_position){2, 3}, "on", "message", NULL), 2, 4);
    assert_at(store_builder_add_at(&builder, session, none, "root", "message", NULL), 4, 1);
    assert_at(read_entry((struct xylem_position){3, 3}).parent, 1, 2);
    assert_at(read_entry((struct xylem_position){4, 1}).parent, 0, 0);
    struct xylem_session row = store_builder_read(&builder, session);
    assert_at(row.leaf, 4, 1);
    assert_int_equal(row.newest_branch, 4);
}

IN_STORE(a_fork_starts_a_branch_of_its_own_even_at_a_tip)
{
    uint64_t source = store_builder_session(&builder, "source");
    store_builder_messages(&builder, source, 2);
    uint64_t fork = store_builder_clone(&builder, source, "fork");
    assert_at(store_builder_add(&builder, fork, "a", "message", NULL), 2, 3);
    assert_at(store_builder_add(&builder, source, "a", "message", NULL), 1, 3);
    assert_at(store_builder_add(&builder, fork, "b", "message", NULL), 2, 4);
    assert_int_equal(store_builder_read(&builder, fork).newest_branch, 2);
}

IN_STORE(a_parent_must_belong_to_the_session)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = store_builder_add(&builder, source, "a", "message", NULL);
    struct xylem_position b = store_builder_add(&builder, source, "b", "message", NULL);
    uint64_t fork = store_builder_fork(&builder, source, a, XYLEM_FORK_AT, "fork");
    uint64_t stranger = store_builder_session(&builder, "stranger");
    struct xylem_new_entry entry = message("x");
    struct xylem_append_options at = {.parent = XYLEM_PARENT_AT, .parent_position = b};
    assert_int_equal(xylem_append(NULL, builder.txn, fork, &entry, 1, &at, &err), XYLEM_E_NOT_FOUND);
    at.parent_position = a;
    assert_int_equal(xylem_append(NULL, builder.txn, stranger, &entry, 1, &at, &err), XYLEM_E_NOT_FOUND);
    at.parent_position = (struct xylem_position){77, 1};
    assert_int_equal(xylem_append(NULL, builder.txn, source, &entry, 1, &at, &err), XYLEM_E_NOT_FOUND);
    at.parent_position = (struct xylem_position){1, 0};
    assert_int_equal(xylem_append(NULL, builder.txn, source, &entry, 1, &at, &err), XYLEM_E_NOT_FOUND);
    at.parent_position = none;
    assert_int_equal(xylem_append(NULL, builder.txn, source, &entry, 1, &at, &err), XYLEM_E_ARGUMENT);
    assert_int_equal(row_count(XYLEM_FORMAT__LOG), 2);
    at.parent_position = a;
    assert_int_equal(xylem_append(NULL, builder.txn, fork, &entry, 1, &at, &err), XYLEM_OK);
}

IN_STORE(a_way_to_name_a_parent_that_is_none_is_refused)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_new_entry entry = message("x");
    struct xylem_append_options unknown = {.parent = (enum xylem_parent)7};
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, &unknown, &err), XYLEM_E_ARGUMENT);
}

IN_STORE(a_leaf_that_should_exist_and_does_not_is_corruption)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_drop(&builder, store_builder_messages(&builder, session, 2));
    struct xylem_new_entry entry = message("x");
    assert_int_equal(append(session, &entry), XYLEM_E_CORRUPT);
}

IN_STORE(an_expected_leaf_that_moved_is_a_conflict_that_names_both)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_new_entry entry = message("x");
    struct xylem_position expected = none;
    uint64_t first_lsn = 77;
    struct xylem_append_options options = {.expected_leaf = &expected};
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, &options, &err), XYLEM_OK);
    entry = message("y");
    options.first_lsn = &first_lsn;
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, &options, &err), XYLEM_E_CONFLICT);
    assert_int_equal(first_lsn, 77);
    assert_non_null(strstr(err.text, "branch 0, depth 0"));
    assert_non_null(strstr(err.text, "branch 1, depth 1"));
    expected = (struct xylem_position){1, 1};
    options.parent = XYLEM_PARENT_NONE;
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, &options, &err), XYLEM_OK);
    entry = message("z");
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, &options, &err), XYLEM_E_CONFLICT);
    assert_int_equal(row_count(XYLEM_FORMAT__LOG), 2);
}

/* --- Ids --- */

IN_STORE(an_id_is_unique_in_the_session)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = store_builder_add(&builder, source, "a", "message", NULL);
    store_builder_add(&builder, source, "b", "message", NULL);
    uint64_t fork = store_builder_fork(&builder, source, a, XYLEM_FORK_AT, "fork");
    struct xylem_new_entry taken = message("a");
    assert_int_equal(append(source, &taken), XYLEM_E_EXISTS);
    assert_non_null(strstr(err.text, "entry a"));
    assert_int_equal(append(fork, &taken), XYLEM_E_EXISTS);
    struct xylem_new_entry free_in_fork = message("b");
    assert_int_equal(append(source, &free_in_fork), XYLEM_E_EXISTS);
    assert_int_equal(append(fork, &free_in_fork), XYLEM_OK);
    assert_int_equal(append(fork, &free_in_fork), XYLEM_E_EXISTS);
    uint64_t other = store_builder_session(&builder, "other");
    assert_int_equal(append(other, &taken), XYLEM_OK);
}

IN_STORE(two_entries_of_a_batch_may_not_have_the_same_id)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_new_entry batch[] = {message("a"), message("b"), message("aa"), message("a")};
    assert_int_equal(xylem_append(NULL, builder.txn, session, batch, 4, NULL, &err), XYLEM_E_EXISTS);
    batch[3] = message("ab");
    assert_int_equal(xylem_append(NULL, builder.txn, session, batch, 4, NULL, &err), XYLEM_OK);
}

IN_STORE(an_id_has_1_to_64_bytes_of_utf8_and_is_made_where_none_is_given)
{
    char id[66];
    uint64_t session = store_builder_session(&builder, "s");
    memset(id, 'i', sizeof id);
    id[65] = '\0';
    struct xylem_new_entry entry = message(id);
    assert_int_equal(append(session, &entry), XYLEM_E_LIMIT);
    id[64] = '\0';
    entry = message(id);
    assert_int_equal(append(session, &entry), XYLEM_OK);
    assert_int_equal(read_entry(store_builder_leaf(&builder, session)).id.bytes, 64);
    entry = message("\xc3");
    assert_int_equal(append(session, &entry), XYLEM_E_MALFORMED);
    struct xylem_new_entry batch[] = {message(NULL), message(NULL)};
    assert_int_equal(xylem_append(NULL, builder.txn, session, batch, 2, NULL, &err), XYLEM_OK);
    struct xylem_entry made = read_entry(store_builder_leaf(&builder, session));
    assert_int_equal(made.id.bytes, XYLEM_BASE__UUID_TEXT_BYTES);
    assert_false(xylem_base__view_equal(made.id, read_entry(made.parent).id));
}

/* --- What is refused --- */

IN_STORE(an_append_has_1_to_65536_entries)
{
    static struct xylem_new_entry many[XYLEM_APPEND_ENTRIES_MAX + 1];
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        many[i] = message(NULL);
    }
    assert_int_equal(xylem_append(NULL, builder.txn, session, many, 0, NULL, &err), XYLEM_E_LIMIT);
    assert_int_equal(xylem_append(NULL, builder.txn, session, many, XYLEM_APPEND_ENTRIES_MAX + 1, NULL, &err),
                     XYLEM_E_LIMIT);
    assert_int_equal(xylem_append(NULL, builder.txn, session, many, XYLEM_APPEND_ENTRIES_MAX, NULL, &err), XYLEM_OK);
    assert_int_equal(store_builder_leaf(&builder, session).depth, XYLEM_APPEND_ENTRIES_MAX);
}

IN_STORE(a_kind_that_cannot_be_is_refused)
{
    static char name[XYLEM_KIND_NAME_BYTES_MAX + 1];
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_new_entry entry = message("a");
    memset(name, 'n', sizeof name);
    entry.kind.name = (struct xylem_view){name, sizeof name};
    assert_int_equal(append(session, &entry), XYLEM_E_LIMIT);
    entry.kind.name = xylem_view_of("\xff");
    assert_int_equal(append(session, &entry), XYLEM_E_MALFORMED);
    entry.kind = (struct xylem_kind){(enum xylem_class)2, xylem_view_of("x")};
    assert_int_equal(append(session, &entry), XYLEM_E_ARGUMENT);
    entry.kind = (struct xylem_kind){XYLEM_CLASS_HOST, {name, XYLEM_KIND_NAME_BYTES_MAX}};
    assert_int_equal(append(session, &entry), XYLEM_OK);
    assert_int_equal(read_entry(store_builder_leaf(&builder, session)).kind.name.bytes, XYLEM_KIND_NAME_BYTES_MAX);
    entry = message("b");
    entry.kind.name = xylem_view_of("");
    assert_int_equal(append(session, &entry), XYLEM_OK);
}

IN_STORE(a_payload_and_its_format_must_fit)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_new_entry entry = with_payload(false, XYLEM_FORMAT_NONE, "1");
    assert_int_equal(append(session, &entry), XYLEM_E_ARGUMENT);
    entry = with_payload(false, (enum xylem_format)3, "1");
    assert_int_equal(append(session, &entry), XYLEM_E_ARGUMENT);
    entry = with_payload(false, XYLEM_FORMAT_JSON, "");
    assert_int_equal(append(session, &entry), XYLEM_E_MALFORMED);
    entry = with_payload(true, XYLEM_FORMAT_MSGPACK, "");
    assert_int_equal(append(session, &entry), XYLEM_E_MALFORMED);
    entry = with_payload(false, XYLEM_FORMAT_NONE, "");
    assert_int_equal(append(session, &entry), XYLEM_OK);
}

IN_STORE(a_payload_beyond_the_limit_is_refused_before_it_is_read)
{
    size_t bytes = (size_t)XYLEM_PAYLOAD_BYTES_MAX + 1;
    void *zeroes = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(zeroes != MAP_FAILED);
    uint64_t session = store_builder_session(&builder, "s");
    for (int format = XYLEM_FORMAT_MSGPACK; format <= XYLEM_FORMAT_JSON; format++) {
        struct xylem_new_entry entry = message("a");
        entry.format = (enum xylem_format)format;
        entry.payload = (struct xylem_view){zeroes, bytes};
        assert_int_equal(append(session, &entry), XYLEM_E_LIMIT);
    }
    munmap(zeroes, bytes);
}

IN_STORE(a_malformed_payload_is_refused_by_the_number_of_its_entry)
{
    static const char *const wrong[] = {"{", "{}x", "nul", "\x01", "{'a':1}", "[1,]"};
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        for (int custom = 0; custom <= 1; custom++) {
            struct xylem_new_entry batch[] = {message("a"), with_payload(custom, XYLEM_FORMAT_JSON, wrong[i])};
            assert_int_equal(xylem_append(NULL, builder.txn, session, batch, 2, NULL, &err), XYLEM_E_MALFORMED);
            assert_non_null(strstr(err.text, "entry 2 of 2"));
        }
    }
    static const char *const data[] = {"\xc1", "\x91", "\xc4\x01x", "\x81\x01\x01", "\x01\x01", "\xa1\xff"};
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        for (int custom = 0; custom <= 1; custom++) {
            struct xylem_new_entry batch[] = {with_payload(custom, XYLEM_FORMAT_MSGPACK, data[i]), message("a")};
            assert_int_equal(xylem_append(NULL, builder.txn, session, batch, 2, NULL, &err), XYLEM_E_MALFORMED);
            assert_non_null(strstr(err.text, "entry 1 of 2"));
        }
    }
    assert_int_equal(row_count(XYLEM_FORMAT__LOG), 0);
}

IN_STORE(a_payload_that_nests_too_deep_is_a_limit)
{
    char json[2 * (XYLEM_NESTING_MAX + 1) + 1];
    uint64_t session = store_builder_session(&builder, "s");
    memset(json, '[', XYLEM_NESTING_MAX + 1);
    memset(json + XYLEM_NESTING_MAX + 1, ']', XYLEM_NESTING_MAX + 1);
    json[sizeof json - 1] = '\0';
    for (int custom = 0; custom <= 1; custom++) {
        struct xylem_new_entry entry = with_payload(custom, XYLEM_FORMAT_JSON, json);
        assert_int_equal(append(session, &entry), XYLEM_E_LIMIT);
        entry.payload = (struct xylem_view){json + 1, sizeof json - 3};
        assert_int_equal(append(session, &entry), XYLEM_OK);
    }
}

IN_STORE(a_hosts_payload_may_not_have_the_entrys_own_members)
{
    static const char *const taken[] = {"{\"type\":1}", "{\"a\":1,\"id\":null}", "{\"parentId\":\"x\"}",
                                        "{\"timestamp\":0}"};
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        struct xylem_new_entry entry = with_payload(false, XYLEM_FORMAT_JSON, taken[i]);
        assert_int_equal(append(session, &entry), XYLEM_E_MALFORMED);
        entry = with_payload(true, XYLEM_FORMAT_JSON, taken[i]);
        assert_int_equal(append(session, &entry), XYLEM_OK);
    }
    struct xylem_new_entry packed = with_payload(false, XYLEM_FORMAT_MSGPACK, "\x81\xa2id\x01");
    assert_int_equal(append(session, &packed), XYLEM_E_MALFORMED);
    struct xylem_new_entry inner = with_payload(false, XYLEM_FORMAT_JSON, "{\"message\":{\"id\":1,\"type\":2}}");
    assert_int_equal(append(session, &inner), XYLEM_OK);
}

IN_STORE(a_session_that_cannot_be_changed_is_refused)
{
    uint64_t number = store_builder_session(&builder, "s");
    struct xylem_new_entry entry = message("a");
    assert_int_equal(append(99, &entry), XYLEM_E_NOT_FOUND);
    struct xylem_session session = store_builder_read(&builder, number);
    session.state = XYLEM_SESSION_IMPORTING;
    assert_int_equal(xylem_store__session_write(builder.txn, &session, &err), XYLEM_OK);
    assert_int_equal(append(number, &entry), XYLEM_E_NOT_FOUND);
    session = store_builder_read(&builder, number);
    session.state = XYLEM_SESSION_LIVE;
    assert_int_equal(xylem_store__session_write(builder.txn, &session, &err), XYLEM_OK);
    assert_int_equal(xylem_session_delete(builder.txn, number, &err), XYLEM_OK);
    assert_int_equal(append(number, &entry), XYLEM_E_DELETED);
    struct xylem_txn *reader = NULL;
    store_builder_commit(&builder);
    assert_int_equal(xylem_begin(&reader, builder.store, XYLEM_READ, &err), XYLEM_OK);
    assert_int_equal(xylem_append(NULL, reader, number, &entry, 1, NULL, &err), XYLEM_E_READ_ONLY);
    xylem_abort(reader);
}

IN_STORE(after_a_refusal_nothing_of_it_is_there_and_the_transaction_goes_on)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "a", "message", NULL);
    uint64_t rows[XYLEM_FORMAT__TABLE_COUNT];
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        rows[table] = row_count((enum xylem_format__table)table);
    }
    struct xylem_new_entry batch[] = {message("b"), with_payload(true, XYLEM_FORMAT_NONE, ""), message("a")};
    struct xylem_position first = {5, 5};
    assert_int_equal(xylem_append(&first, builder.txn, session, batch, 3, NULL, &err), XYLEM_E_EXISTS);
    batch[2] = with_payload(true, XYLEM_FORMAT_JSON, "{");
    assert_int_equal(xylem_append(&first, builder.txn, session, batch, 3, NULL, &err), XYLEM_E_MALFORMED);
    assert_at(first, 5, 5);
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        assert_int_equal(row_count((enum xylem_format__table)table), rows[table]);
    }
    batch[2] = message("c");
    store_builder_must(xylem_append(&first, builder.txn, session, batch, 3, NULL, &err), &err);
    store_builder_reopen(&builder);
    assert_at(store_builder_leaf(&builder, session), 1, 4);
    assert_verified(builder.txn);
}

/* --- What is stored --- */

static void assert_payload(struct xylem_position position, enum xylem_format format, const char *bytes, size_t count)
{
    struct xylem_entry entry = read_entry(position);
    struct xylem_view payload;
    store_builder_must(xylem_entry_payload(&payload, &entry, &err), &err);
    assert_int_equal(entry.format, format);
    assert_int_equal(payload.bytes, count);
    assert_memory_equal(payload.data, bytes, count);
}

IN_STORE(a_hosts_payload_comes_back_byte_for_byte)
{
    static const char *const payloads[] = {" { \"a\" : 1e5 , \"a\": -0 }\n", "\"\\ud83d\"", "1E+2", "[\"\xff\xc3\"]",
                                           "null"};
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
        struct xylem_new_entry entry = with_payload(false, XYLEM_FORMAT_JSON, payloads[i]);
        store_builder_must(append(session, &entry), &err);
        assert_payload(store_builder_leaf(&builder, session), XYLEM_FORMAT_JSON, payloads[i], strlen(payloads[i]));
    }
    struct xylem_new_entry packed = with_payload(false, XYLEM_FORMAT_MSGPACK, "\xd3\xff\xff\xff\xff\xff\xff\xff\xff");
    store_builder_must(append(session, &packed), &err);
    assert_payload(store_builder_leaf(&builder, session), XYLEM_FORMAT_MSGPACK, packed.payload.data, 9);
}

IN_STORE(custom_data_is_always_msgpack)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_new_entry entry = with_payload(true, XYLEM_FORMAT_JSON, " {\"enabled\": true, \"enabled\": false}");
    store_builder_must(append(session, &entry), &err);
    assert_payload(store_builder_leaf(&builder, session), XYLEM_FORMAT_MSGPACK,
                   "\x81\xa7"
                   "enabled\xc2",
                   10);
    entry = with_payload(true, XYLEM_FORMAT_JSON, "null");
    store_builder_must(append(session, &entry), &err);
    assert_payload(store_builder_leaf(&builder, session), XYLEM_FORMAT_MSGPACK, "\xc0", 1);
    entry = with_payload(true, XYLEM_FORMAT_NONE, "");
    store_builder_must(append(session, &entry), &err);
    assert_payload(store_builder_leaf(&builder, session), XYLEM_FORMAT_NONE, "", 0);
    entry = with_payload(true, XYLEM_FORMAT_MSGPACK, "\xcc\x01");
    store_builder_must(append(session, &entry), &err);
    assert_payload(store_builder_leaf(&builder, session), XYLEM_FORMAT_MSGPACK, "\xcc\x01", 2);
}

IN_STORE(a_time_is_stored_as_given_and_else_is_now)
{
    static const int64_t times[] = {0, -1, INT64_MIN, INT64_MAX};
    uint64_t session = store_builder_session(&builder, "s");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct xylem_new_entry entry = message(NULL);
        entry.time_ms = &times[i];
        store_builder_must(append(session, &entry), &err);
        assert_true(read_entry(store_builder_leaf(&builder, session)).time_ms == times[i]);
    }
    int64_t before = xylem_base__now_ms();
    struct xylem_new_entry entry = message(NULL);
    store_builder_must(append(session, &entry), &err);
    int64_t time_ms = read_entry(store_builder_leaf(&builder, session)).time_ms;
    assert_true(time_ms >= before && time_ms <= xylem_base__now_ms());
}

IN_STORE(equal_histories_have_equal_checks_in_any_session)
{
    static const int64_t time_ms = 1;
    struct xylem_entry last[2];
    for (int i = 0; i < 2; i++) {
        uint64_t session = store_builder_session(&builder, i ? "b" : "a");
        store_builder_add(&builder, store_builder_session(&builder, i ? "x" : "y"), NULL, i ? "k1" : "k2", NULL);
        struct xylem_new_entry batch[] = {message("1"), with_payload(true, XYLEM_FORMAT_JSON, "[1]")};
        batch[0].time_ms = batch[1].time_ms = &time_ms;
        batch[1].id = xylem_view_of("2");
        store_builder_must(xylem_append(NULL, builder.txn, session, batch, 2, NULL, &err), &err);
        last[i] = read_entry(store_builder_leaf(&builder, session));
    }
    assert_true(last[0].check == last[1].check && last[0].lsn != last[1].lsn);
}

IN_STORE(an_import_may_write_to_a_session_that_is_not_live_and_leaves_its_leaf_alone)
{
    uint64_t number = store_builder_session(&builder, "s");
    struct xylem_session session = store_builder_read(&builder, number);
    session.state = XYLEM_SESSION_IMPORTING;
    store_builder_must(xylem_store__session_write(builder.txn, &session, &err), &err);
    struct xylem_new_entry entry = message("a");
    struct xylem_view line = xylem_view_of("{ \"type\": \"message\" }");
    struct xylem_store__append_options options = {.imported = true, .payload_checked = true, .lines = &line};
    struct xylem_position first;
    store_builder_must(xylem_store__append(&first, builder.txn, number, &entry, 1, &options, &err), &err);
    struct xylem_entry read = read_entry(first);
    struct xylem_buffer kept = {0};
    assert_int_equal(read.flags, XYLEM_ENTRY_IMPORTED);
    store_builder_must(xylem_entry_imported_line(&kept, &read, &err), &err);
    assert_true(xylem_base__view_equal((struct xylem_view){kept.data, kept.bytes}, line));
    xylem_buffer_release(&kept);
    assert_at(store_builder_leaf(&builder, number), 0, 0);
    assert_int_equal(store_builder_read(&builder, number).last_lsn, read.lsn);
}

IN_STORE(a_write_that_failed_half_way_cannot_be_committed)
{
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "a", "message", NULL);
    /* Without its row the branch's number is given out again. */
    struct row row = row_last(builder.txn, XYLEM_FORMAT__BRANCHES);
    row_remove(builder.txn, XYLEM_FORMAT__BRANCHES, &row);
    row_release(&row);
    struct xylem_new_entry entry = message("b");
    struct xylem_append_options at_root = {.parent = XYLEM_PARENT_NONE};
    assert_int_equal(xylem_append(NULL, builder.txn, session, &entry, 1, &at_root, &err), XYLEM_E_CORRUPT);
    assert_int_equal(append(session, &entry), XYLEM_E_CORRUPT);
    struct xylem_txn *txn = builder.txn;
    builder.txn = NULL;
    assert_int_equal(xylem_commit(txn, &err), XYLEM_E_CORRUPT);
    store_builder_must(xylem_begin(&builder.txn, builder.store, XYLEM_WRITE, &err), &err);
}

/* LMDB 0.9 does not free the list of the pages that it wrote out early. The sanitizer must see it: no hidden symbol. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:mdb_midl_alloc";
}

/* The largest payload in a transaction that wrote before makes LMDB write pages out early: no view may outlive that. */
IN_STORE(the_largest_payload_leaves_the_session_whole)
{
    if (!getenv("XYLEM_TORTURE")) {
        skip();
    }
    char id[16];
    struct xylem_session_options options = {.id = xylem_view_of("the session"), .cwd = xylem_view_of("/a/directory")};
    struct xylem_session session;
    for (unsigned i = 0; i < 400; i++) {
        snprintf(id, sizeof id, "before %u", i); /* roots of tables stay in memory: so there must be pages below them */
        store_builder_session(&builder, id);
    }
    store_builder_must(xylem_session_create(&session, builder.txn, &options, &err), &err);
    store_builder_messages(&builder, session.number, 1);
    char *payload = malloc(XYLEM_PAYLOAD_BYTES_MAX);
    assert_non_null(payload);
    memset(payload, ' ', XYLEM_PAYLOAD_BYTES_MAX);
    payload[0] = '1';
    struct xylem_new_entry entries[64];
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        entries[i] = message(i ? NULL : "the first");
        entries[i].format = XYLEM_FORMAT_JSON;
        entries[i].payload = (struct xylem_view){payload, i ? 3000 : XYLEM_PAYLOAD_BYTES_MAX};
    }
    size_t count = sizeof entries / sizeof *entries;
    store_builder_must(xylem_append(NULL, builder.txn, session.number, entries, count, NULL, &err), &err);
    free(payload);
    session = store_builder_read(&builder, session.number);
    assert_true(xylem_base__view_is(session.id, "the session"));
    assert_true(xylem_base__view_is(session.cwd, "/a/directory"));
    assert_int_equal(store_builder_find(&builder, session.number, "the first").depth, 2);
}
