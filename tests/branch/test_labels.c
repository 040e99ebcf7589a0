#include <stdio.h>
#include <string.h>

#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

static const struct xylem_position none;

static void assert_position(struct xylem_position found, struct xylem_position expected)
{
    assert_int_equal(found.branch, expected.branch);
    assert_int_equal(found.depth, expected.depth);
}

static struct xylem_position add(uint64_t session, const char *id)
{
    return store_builder_add(&builder, session, id, "message", "{}");
}

/* Compares labels and name with `expected`: "target=text " for each, and "name=..." if there is one. */
static void assert_labels(uint64_t session, const char *expected)
{
    struct xylem_labels labels;
    struct xylem_buffer text = {0};
    struct xylem_error err = {0};
    store_builder_must(xylem_labels_read(&labels, builder.txn, session, &err), &err);
    assert_int_equal(xylem_buffer_add(&text, "", 0), 0);
    for (size_t i = 0; i < labels.label_count; i++) {
        xylem_buffer_add(&text, labels.labels[i].target_id.data, labels.labels[i].target_id.bytes);
        xylem_buffer_add(&text, "=", 1);
        xylem_buffer_add(&text, labels.labels[i].text.data, labels.labels[i].text.bytes);
        xylem_buffer_add(&text, " ", 1);
    }
    if (labels.name.data) {
        xylem_buffer_add(&text, "name=", 5);
        xylem_buffer_add(&text, labels.name.data, labels.name.bytes);
    }
    assert_string_equal(text.data, expected);
    xylem_buffer_release(&text);
    xylem_labels_release(&labels);
}

static struct xylem_position label(uint64_t session, const char *json)
{
    return store_builder_add(&builder, session, NULL, "label", json);
}

static void name(uint64_t session, const char *json)
{
    store_builder_add(&builder, session, NULL, "session_info", json);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(a_session_without_such_entries_has_neither)
{
    uint64_t session = store_builder_session(&builder, "s");
    add(session, "a");
    assert_labels(session, "");
    assert_labels(store_builder_session(&builder, "empty"), "");
    xylem_labels_release(NULL);
}

IN_SCENE(the_last_label_of_an_entry_counts)
{
    uint64_t session = store_builder_session(&builder, "s");
    label(session, "{\"targetId\":\"a\",\"label\":\"one\"}");
    label(session, "{\"targetId\":\"b\",\"label\":\"two\"}");
    struct xylem_position last = label(session, "{\"targetId\":\"a\",\"label\":\"three\"}");
    assert_labels(session, "a=three b=two ");
    struct xylem_labels labels;
    struct xylem_error err = {0};
    store_builder_must(xylem_labels_read(&labels, builder.txn, session, &err), &err);
    assert_position(labels.labels[0].entry, last);
    xylem_labels_release(&labels);
}

IN_SCENE(an_empty_or_absent_label_removes_one)
{
    uint64_t session = store_builder_session(&builder, "s");
    label(session, "{\"targetId\":\"a\",\"label\":\"one\"}");
    label(session, "{\"targetId\":\"b\",\"label\":\"two\"}");
    label(session, "{\"targetId\":\"c\",\"label\":\"three\"}");
    label(session, "{\"targetId\":\"d\",\"label\":\"four\"}");
    label(session, "{\"targetId\":\"a\"}");
    label(session, "{\"targetId\":\"b\",\"label\":\"\"}");
    label(session, "{\"targetId\":\"c\",\"label\":null}");
    assert_labels(session, "d=four ");
    label(session, "{\"targetId\":\"a\",\"label\":\"again\"}");
    assert_labels(session, "a=again d=four ");
}

IN_SCENE(malformed_payloads_change_nothing)
{
    uint64_t session = store_builder_session(&builder, "s");
    label(session, "{\"targetId\":\"a\",\"label\":\"one\"}");
    name(session, "{\"name\":\"kept\"}");
    label(session, "{\"targetId\":\"a\",\"label\":7}");
    label(session, "{\"targetId\":7,\"label\":\"x\"}");
    label(session, "{\"label\":\"x\"}");
    label(session, "[\"a\"]");
    label(session, NULL);
    name(session, "{\"name\":[\"x\"]}");
    name(session, "17");
    store_builder_add(&builder, session, NULL, "custom:label", "{\"targetId\":\"a\",\"label\":\"custom\"}");
    assert_labels(session, "a=one name=kept");
}

IN_SCENE(the_last_name_counts_and_is_trimmed)
{
    uint64_t session = store_builder_session(&builder, "s");
    name(session, "{\"name\":\"first\"}");
    name(session, "{\"name\":\" \\t\\u00a0two  words\\ufeff\\n\"}");
    assert_labels(session, "name=two  words");
    name(session, "{\"name\":\"\\u2003\\u2028 \"}");
    assert_labels(session, "");
    name(session, "{\"name\":\"third\"}");
    assert_labels(session, "name=third");
    name(session, "{}");
    assert_labels(session, "");
    name(session, "{\"name\":\"fourth\"}");
    name(session, NULL); /* a line of a session file that has nothing but its place */
    assert_labels(session, "");
}

IN_SCENE(labels_count_on_any_branch_in_lsn_order)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position a = add(session, "a");
    label(session, "{\"targetId\":\"a\",\"label\":\"one\"}");
    store_builder_go(&builder, session, a);
    label(session, "{\"targetId\":\"a\",\"label\":\"two\"}");
    store_builder_go(&builder, session, none);
    name(session, "{\"name\":\"n\"}");
    store_builder_go(&builder, session, a);
    assert_labels(session, "a=two name=n");
}

IN_SCENE(many_labels_are_found_again)
{
    uint64_t session = store_builder_session(&builder, "s");
    char json[64];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 200; i++) {
            snprintf(json, sizeof json, "{\"targetId\":\"t%d\",\"label\":\"%d\"}", i, round);
            label(session, json);
        }
    }
    struct xylem_labels labels;
    struct xylem_error err = {0};
    store_builder_must(xylem_labels_read(&labels, builder.txn, session, &err), &err);
    assert_int_equal(labels.label_count, 200);
    for (size_t i = 0; i < 200; i++) {
        snprintf(json, sizeof json, "t%zu", i);
        assert_int_equal(labels.labels[i].target_id.bytes, strlen(json));
        assert_memory_equal(labels.labels[i].target_id.data, json, strlen(json));
        assert_int_equal(labels.labels[i].text.data[0], '1');
    }
    xylem_labels_release(&labels);
}

IN_SCENE(labels_outlive_their_transaction)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_labels labels;
    struct xylem_error err = {0};
    label(session, "{\"targetId\":\"a\",\"label\":\"one\"}");
    name(session, "{\"name\":\"n\"}");
    store_builder_must(xylem_labels_read(&labels, builder.txn, session, &err), &err);
    store_builder_reopen(&builder);
    assert_memory_equal(labels.labels[0].text.data, "one", 3);
    assert_memory_equal(labels.name.data, "n", 1);
    xylem_labels_release(&labels);
}

IN_SCENE(a_redacted_label_changes_nothing)
{
    uint64_t session = store_builder_session(&builder, "s");
    label(session, "{\"targetId\":\"a\",\"label\":\"one\"}");
    store_builder_redact(&builder, label(session, "{\"targetId\":\"a\",\"label\":\"two\"}"));
    assert_labels(session, "a=one ");
}

IN_SCENE(damage_and_unknown_sessions_are_errors)
{
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_labels labels;
    struct xylem_error err = {0};
    assert_int_equal(xylem_labels_read(&labels, builder.txn, 99, &err), XYLEM_E_NOT_FOUND);
    xylem_labels_release(&labels);
    label(session, "{\"targetId\":\"a\",\"label\":\"one\"}");
    store_builder_damage(&builder, label(session, "{\"targetId\":\"b\",\"label\":\"one\"}"));
    assert_int_equal(xylem_labels_read(&labels, builder.txn, session, &err), XYLEM_E_CORRUPT);
    assert_null(labels.labels);
    xylem_labels_release(&labels);
}

static size_t fork_labels(uint64_t fork, uint64_t source)
{
    size_t count = 77;
    struct xylem_error err = {0};
    store_builder_must(xylem_fork_labels(&count, builder.txn, fork, source, &err), &err);
    return count;
}

IN_SCENE(a_fork_has_only_the_labels_of_its_path)
{
    uint64_t source = store_builder_session(&builder, "source");
    add(source, "a");
    label(source, "{\"targetId\":\"a\",\"label\":\"early\"}");
    struct xylem_position b = add(source, "b");
    label(source, "{\"targetId\":\"b\",\"label\":\"late\"}");
    uint64_t fork = store_builder_fork(&builder, source, b, XYLEM_FORK_AT, "fork");
    assert_labels(fork, "a=early ");
}

IN_SCENE(missing_labels_are_appended_to_a_fork)
{
    uint64_t source = store_builder_session(&builder, "source");
    add(source, "a");
    label(source, "{\"targetId\":\"a\",\"label\":\"early\"}");
    struct xylem_position b = add(source, "b");
    label(source, "{\"targetId\":\"b\",\"label\":\"a \\\"late\\\" one \\ud83d\"}");
    add(source, "c");
    label(source, "{\"targetId\":\"c\",\"label\":\"not shared\"}");
    label(source, "{\"targetId\":\"nobody\",\"label\":\"x\"}");
    uint64_t fork = store_builder_fork(&builder, source, b, XYLEM_FORK_AT, "fork");
    assert_int_equal(fork_labels(fork, source), 1);
    assert_labels(fork, "a=early b=a \"late\" one \xed\xa0\xbd ");
    struct xylem_entry entry;
    struct xylem_view payload;
    struct xylem_error err = {0};
    store_builder_must(xylem_entry_read(&entry, builder.txn, store_builder_leaf(&builder, fork), &err), &err);
    assert_position(entry.parent, b);
    store_builder_must(xylem_entry_payload(&payload, &entry, &err), &err);
    const char *expected = "{\"targetId\":\"b\",\"label\":\"a \\\"late\\\" one \\ud83d\"}";
    assert_int_equal(payload.bytes, strlen(expected));
    assert_memory_equal(payload.data, expected, payload.bytes);
    assert_int_equal(fork_labels(fork, source), 0);
}

IN_SCENE(a_label_that_the_fork_has_already_is_left_alone)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    uint64_t fork = store_builder_fork(&builder, source, a, XYLEM_FORK_AT, "fork");
    label(source, "{\"targetId\":\"a\",\"label\":\"theirs\"}");
    label(fork, "{\"targetId\":\"a\",\"label\":\"mine\"}");
    assert_int_equal(fork_labels(fork, source), 0);
    assert_labels(fork, "a=mine ");
}

/* The payload of the fork's newest entry. */
static void assert_leaf_payload(uint64_t session, const char *expected)
{
    struct xylem_entry entry;
    struct xylem_view payload;
    struct xylem_error err = {0};
    store_builder_must(xylem_entry_read(&entry, builder.txn, store_builder_leaf(&builder, session), &err), &err);
    store_builder_must(xylem_entry_payload(&payload, &entry, &err), &err);
    assert_int_equal(payload.bytes, strlen(expected));
    assert_memory_equal(payload.data, expected, payload.bytes);
}

IN_SCENE(a_label_that_was_changed_off_the_path_is_appended_as_it_is_now)
{
    uint64_t source = store_builder_session(&builder, "source");
    add(source, "a");
    struct xylem_position old = label(source, "{\"targetId\":\"a\",\"label\":\"old\"}");
    label(source, "{\"targetId\":\"a\",\"label\":\"new\"}");
    uint64_t fork = store_builder_fork(&builder, source, old, XYLEM_FORK_AT, "fork");
    assert_labels(fork, "a=old ");
    assert_int_equal(fork_labels(fork, source), 1);
    assert_labels(fork, "a=new ");
    assert_leaf_payload(fork, "{\"targetId\":\"a\",\"label\":\"new\"}");
    assert_int_equal(fork_labels(fork, source), 0);
}

IN_SCENE(a_label_that_was_removed_off_the_path_is_removed_in_the_fork)
{
    uint64_t source = store_builder_session(&builder, "source");
    add(source, "a");
    add(source, "b");
    struct xylem_position old = label(source, "{\"targetId\":\"a\",\"label\":\"old\"}");
    label(source, "{\"targetId\":\"b\",\"label\":\"never on the path\"}");
    label(source, "{\"targetId\":\"b\"}");
    label(source, "{\"targetId\":\"a\",\"label\":null}");
    uint64_t fork = store_builder_fork(&builder, source, old, XYLEM_FORK_AT, "fork");
    assert_int_equal(fork_labels(fork, source), 1);
    assert_labels(fork, "");
    assert_leaf_payload(fork, "{\"targetId\":\"a\"}");
    assert_int_equal(fork_labels(fork, source), 0);
}

IN_SCENE(a_label_that_was_removed_on_the_path_and_set_off_it_is_appended)
{
    uint64_t source = store_builder_session(&builder, "source");
    add(source, "a");
    label(source, "{\"targetId\":\"a\",\"label\":\"one\"}");
    struct xylem_position removed = label(source, "{\"targetId\":\"a\"}");
    label(source, "{\"targetId\":\"a\",\"label\":\"two\"}");
    uint64_t fork = store_builder_fork(&builder, source, removed, XYLEM_FORK_AT, "fork");
    assert_int_equal(fork_labels(fork, source), 1);
    assert_labels(fork, "a=two ");
}

IN_SCENE(what_the_fork_itself_said_of_a_label_stays)
{
    uint64_t source = store_builder_session(&builder, "source");
    add(source, "a");
    struct xylem_position old = label(source, "{\"targetId\":\"a\",\"label\":\"old\"}");
    uint64_t fork = store_builder_fork(&builder, source, old, XYLEM_FORK_AT, "fork");
    label(source, "{\"targetId\":\"a\",\"label\":\"theirs\"}");
    label(fork, "{\"targetId\":\"a\"}");
    assert_int_equal(fork_labels(fork, source), 0);
    assert_labels(fork, "");
}

IN_SCENE(an_id_that_means_another_entry_in_the_fork_gets_no_label)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = add(source, "a");
    uint64_t fork = store_builder_fork(&builder, source, a, XYLEM_FORK_AT, "fork");
    add(source, "new");
    label(source, "{\"targetId\":\"new\",\"label\":\"theirs\"}");
    add(fork, "new");
    assert_int_equal(fork_labels(fork, source), 0);
}

IN_SCENE(labels_of_unknown_or_deleted_forks_are_refused)
{
    uint64_t source = store_builder_session(&builder, "source");
    uint64_t fork = store_builder_clone(&builder, source, "fork");
    size_t count = 77;
    struct xylem_error err = {0};
    assert_int_equal(xylem_fork_labels(&count, builder.txn, fork, 99, &err), XYLEM_E_NOT_FOUND);
    store_builder_must(xylem_session_delete(builder.txn, fork, &err), &err);
    assert_int_equal(xylem_fork_labels(&count, builder.txn, fork, source, &err), XYLEM_E_DELETED);
    assert_int_equal(count, 77);
}
