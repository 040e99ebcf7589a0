#include <stdio.h>
#include <string.h>

#include "store/format/keys.h"
#include "store/lmdb/tables.h"
#include "xylem/append.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static const struct xylem_position none;

static struct xylem_kind kind_of(const char *text, struct xylem_buffer *storage)
{
    struct xylem_kind kind;
    struct xylem_error err = {0};
    store_builder_must(xylem_kind_parse(&kind, storage, xylem_view_of(text), &err), &err);
    return kind;
}

/* What xylem_newest_of_kind() answers; the entry's position is none unless that is 1. */
static int newest(struct xylem_position *position, struct xylem_position from, const char *kind)
{
    struct xylem_buffer storage = {0};
    struct xylem_entry entry = {.position = none};
    struct xylem_error err = {0};
    int code = xylem_newest_of_kind(&entry, builder.txn, from, kind_of(kind, &storage), &err);
    *position = entry.position;
    xylem_buffer_release(&storage);
    return code;
}

static void assert_newest(struct xylem_position from, const char *kind, struct xylem_position expected)
{
    struct xylem_position found;
    assert_int_equal(newest(&found, from, kind), expected.branch != 0);
    assert_int_equal(found.branch, expected.branch);
    assert_int_equal(found.depth, expected.depth);
}

static void assert_newest_fails(struct xylem_position from, const char *kind, int expected)
{
    struct xylem_position found;
    assert_int_equal(newest(&found, from, kind), expected);
}

static struct xylem_position add(uint64_t session, const char *kind)
{
    return store_builder_add(&builder, session, NULL, kind, NULL);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(an_entry_is_the_newest_of_its_own_kind)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position message = add(session, "message");
    assert_newest(message, "message", message);
    struct xylem_position label = add(session, "label");
    assert_newest(label, "label", label);
    assert_newest(label, "message", message);
}

IN_SCENE(what_lies_on_no_path_is_not_found)
{
    uint64_t session = store_builder_session(&builder, "s");
    assert_newest(none, "label", none);
    struct xylem_position root = add(session, "message");
    assert_newest(root, "label", none);
    assert_newest(root, "custom:never", none);
    struct xylem_position label = add(session, "label");
    store_builder_go(&builder, session, root);
    struct xylem_position beside = add(session, "custom:a");
    assert_newest(beside, "label", none);
    assert_newest(beside, "custom:label", none);
    assert_newest(label, "custom:a", none);
    assert_newest_fails((struct xylem_position){9, 9}, "label", XYLEM_E_NOT_FOUND);
}

IN_SCENE(it_is_found_behind_any_number_of_messages_and_forks)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position name = add(session, "session_info");
    store_builder_messages(&builder, session, 50);
    add(session, "custom:a");
    struct xylem_position last = store_builder_messages(&builder, session, 50);
    for (int i = 0; i < 5; i++) {
        char id[8];
        snprintf(id, sizeof id, "f%d", i);
        session = store_builder_fork(&builder, session, last, XYLEM_FORK_AT, id);
        last = store_builder_messages(&builder, session, 3);
    }
    assert_newest(last, "session_info", name);
    struct xylem_position newer = add(session, "session_info");
    assert_newest(store_builder_messages(&builder, session, 2), "session_info", newer);
    assert_newest(last, "session_info", name);
}

/* More kinds than heads are kept for: it walks, and finds the same. */
IN_SCENE(without_heads_it_walks)
{
    static struct xylem_new_entry entries[XYLEM_HEADS_MAX + 3];
    static char names[XYLEM_HEADS_MAX + 3][12];
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position message = add(session, "message");
    struct xylem_position name = add(session, "session_info");
    struct xylem_error err = {0};
    for (unsigned i = 0; i < XYLEM_HEADS_MAX + 3; i++) {
        snprintf(names[i], sizeof names[i], "k%u", i);
        entries[i].kind.kind_class = XYLEM_CLASS_CUSTOM;
        entries[i].kind.name = xylem_view_of(names[i]);
    }
    store_builder_must(xylem_append(NULL, builder.txn, session, entries, XYLEM_HEADS_MAX + 3, NULL, &err), &err);
    struct xylem_position last = store_builder_leaf(&builder, session);
    struct xylem_entry entry;
    store_builder_must(xylem_entry_read(&entry, builder.txn, last, &err), &err);
    assert_true(entry.flags & XYLEM_ENTRY_HEADS_INCOMPLETE);
    assert_newest(last, "session_info", name);
    assert_newest(last, "message", message);
    assert_newest(last, "custom:k7", (struct xylem_position){last.branch, 10});
    assert_newest(last, "custom:never", none);
    last = store_builder_messages(&builder, session, 3);
    assert_newest(last, "session_info", name);
    assert_newest(last, "custom:never", none);
    assert_newest(add(session, "custom:k7"), "message", last);
}

IN_SCENE(what_lies_between_is_not_read)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position name = add(session, "session_info");
    struct xylem_position between = store_builder_messages(&builder, session, 1);
    struct xylem_position last = store_builder_messages(&builder, session, 2);
    store_builder_damage(&builder, between);
    assert_newest(last, "session_info", name);
    assert_newest(last, "label", none);
}

/* An absence is what verified records state: where one of them is lost or damaged, nothing is said. */
IN_SCENE(a_lost_or_damaged_record_is_corruption_and_not_absence)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position name = add(session, "session_info");
    struct xylem_position marked = add(session, "custom:a");
    struct xylem_position last = store_builder_messages(&builder, session, 2);
    store_builder_damage(&builder, name);
    assert_newest_fails(last, "session_info", XYLEM_E_CORRUPT);
    assert_newest(last, "custom:a", marked);
    assert_newest(last, "label", none);
    store_builder_drop(&builder, name);
    assert_newest_fails(last, "session_info", XYLEM_E_CORRUPT);
    store_builder_drop(&builder, marked);
    assert_newest_fails(last, "label", XYLEM_E_CORRUPT);
}

static void rewrite_links(struct xylem_position position, const char *links, size_t bytes)
{
    struct xylem_format__record record = store_builder_record(&builder, position);
    record.links = (struct xylem_view){links, bytes};
    store_builder_rewrite(&builder, position, &record);
}

IN_SCENE(links_that_cannot_be_are_corrupt)
{
    static const struct {
        const char *links;
        size_t bytes;
    } wrong[] = {
        {"\0\0\1\0\1\1", 6},                 /* a kind without a position */
        {"\0\0\1\0\0", 5},                   /* a kind at no position */
        {"\0\0\1\0\11", 5},                  /* before the root */
        {"\0\0\0\0\1", 5},                   /* no kind */
        {"\0\0\xff\xff\xff\xff\x7f\0\1", 9}, /* a number that no kind has */
        {"\0\0\11\0\1", 5},                  /* a kind that was never interned */
        {"\0\0\1\0\1\0\0\1", 8},             /* the same kind again */
        {"\0", 1},                           /* no marked entry */
    };
    uint64_t session = store_builder_session(&builder, "s");
    add(session, "message");
    struct xylem_position last = add(session, "custom:a");
    struct xylem_position message = store_builder_messages(&builder, session, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rewrite_links(last, wrong[i].links, wrong[i].bytes);
        assert_newest_fails(last, "label", XYLEM_E_CORRUPT);
    }
    rewrite_links(last, "\0\0\x81\x80\x80\x80\x10\0\1", 9); /* 2^32 + 1 is not kind 1, the message */
    assert_newest_fails(last, "message", XYLEM_E_CORRUPT);
    rewrite_links(message, "\0", 1);
    assert_newest_fails(message, "label", XYLEM_E_CORRUPT);
}

/* The heads name an entry, and it is of another kind. */
IN_SCENE(a_head_that_leads_to_another_kind_is_corrupt)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, "message");
    add(session, "label");
    struct xylem_position last = add(session, "custom:a");
    rewrite_links(last, "\0\1\1\0\1", 5); /* kind 1 is the message, and the label lies one before */
    assert_newest_fails(last, "message", XYLEM_E_CORRUPT);
}
