/* Every session of fixtures/sessions says what pi itself reads from it: ORACLE.json holds that. */
#include "tests/flow/fixtures.h"
#include "tests/lib/held.h"
#include "tests/lib/test.h"

struct oracle {
    struct xylem_txn *txn;
    uint64_t session;
    const char *file;
    bool among_others; /* import the sources first */
    size_t entries;    /* compared as leaf, in all files */
    uint64_t shared;
};

static struct xylem_view member_text(const struct xylem_value *object, const char *key)
{
    return xylem_value_string(xylem_value_get(object, key));
}

static int64_t member_number(const struct xylem_value *object, const char *key)
{
    int64_t number = -1;
    assert_true(xylem_value_integer(&number, xylem_value_get(object, key)));
    return number;
}

static void assert_text(const char *file, const char *what, struct xylem_view got, struct xylem_view expected)
{
    if (!xylem_base__view_equal(got, expected)) {
        fail_msg("%s: %s: got \"%.*s\", expected \"%.*s\"", file, what, (int)got.bytes, got.data ? got.data : "",
                 (int)expected.bytes, expected.data ? expected.data : "");
    }
}

static struct xylem_view base_name(struct xylem_view path)
{
    const char *slash = path.data ? memrchr(path.data, '/', path.bytes) : NULL;
    if (slash) {
        path.bytes -= (size_t)(slash + 1 - path.data);
        path.data = slash + 1;
    }
    return path;
}

static void compare_tree(const struct oracle *oracle, const struct xylem_session *session,
                         const struct xylem_value *expected, uint64_t duplicates)
{
    struct xylem_scan *scan;
    struct xylem_entry entry;
    int64_t entries = 0;
    int64_t roots = 0;
    assert_int_equal(xylem_scan_new(&scan, oracle->txn, oracle->session, NULL), XYLEM_OK);
    while (xylem_scan_next(&entry, scan, NULL) == 1) {
        entries++;
        roots += xylem_format__position_none(entry.parent) ? 1 : 0;
    }
    xylem_scan_free(scan);
    assert_int_equal(entries + (int64_t)duplicates, member_number(expected, "entries"));
    assert_int_equal(roots, member_number(expected, "roots"));
    assert_int_equal(xylem_entry_read(&entry, oracle->txn, session->leaf, NULL), XYLEM_OK);
    assert_text(oracle->file, "leaf", entry.id, member_text(expected, "leaf"));
    assert_text(oracle->file, "parent", base_name(session->parent), member_text(expected, "parent"));
}

static void compare_labels(const struct oracle *oracle, const struct xylem_value *expected)
{
    struct xylem_labels labels = {0};
    assert_int_equal(xylem_labels_read(&labels, oracle->txn, oracle->session, NULL), XYLEM_OK);
    assert_text(oracle->file, "name", labels.name, member_text(expected, "name"));
    const struct xylem_value *map = xylem_value_get(expected, "labels");
    assert_int_equal(labels.label_count, xylem_value_count(map));
    for (size_t i = 0; i < labels.label_count; i++) {
        const struct xylem_value *text = xylem_base__value_get(map, labels.labels[i].target_id);
        assert_text(oracle->file, "label", labels.labels[i].text, xylem_value_string(text));
    }
    xylem_labels_release(&labels);
}

/* The state with an entry as leaf, against [path length, readonly or null, sequence id or null]. */
static void compare_entry(struct oracle *oracle, struct xylem_view id, const struct xylem_value *expected)
{
    struct xylem_position position;
    assert_int_equal(xylem_find(&position, oracle->txn, oracle->session, id, NULL), XYLEM_OK);
    const struct xylem_value *length = xylem_value_first(expected);
    const struct xylem_value *readonly = xylem_value_next(expected, length);
    const struct xylem_value *sequence = xylem_value_next(expected, readonly);
    int64_t depth = 0;
    assert_true(xylem_value_integer(&depth, length));
    assert_int_equal(position.depth, depth);
    struct xylem_state state = {0};
    struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START, .reason = XYLEM_REASON_RESUME};
    assert_int_equal(xylem_rehydrate(&state, oracle->txn, position, &event, NULL, NULL), XYLEM_OK);
    bool from_path = state.readonly.from == XYLEM_FROM_PATH;
    assert_int_equal(from_path, xylem_value_type(readonly) != XYLEM_VALUE_NIL);
    assert_int_equal(state.readonly.enabled, xylem_value_bool(readonly));
    assert_int_equal(state.sequence.present, xylem_value_type(sequence) != XYLEM_VALUE_NIL);
    assert_text(oracle->file, "sequence", state.sequence.sequence_id, xylem_value_string(sequence));
    held_assert_agrees(&state, oracle->txn, &event, NULL);
    xylem_state_release(&state);
    oracle->entries++;
}

static void compare_session(struct oracle *oracle, const char *version, const struct xylem_value *expected)
{
    struct sandbox sandbox;
    struct xylem_view file = member_text(expected, "file");
    char path[1024];
    snprintf(path, sizeof path, FIXTURES "/%s/%.*s", version, (int)file.bytes, file.data);
    sandbox_open(&sandbox);
    fixtures_import(&sandbox, path, oracle->among_others);
    oracle->shared += sandbox.report.shared_count;
    uint64_t duplicates = 0;
    for (size_t i = 0; i < sandbox.report.problem_count; i++) {
        duplicates += sandbox.report.problems[i].type == XYLEM_IMPORT_DUPLICATE ? 1 : 0;
    }
    oracle->file = path;
    oracle->txn = sandbox_begin(&sandbox, XYLEM_READ);
    struct xylem_session session;
    oracle->session = sandbox_session(&session, oracle->txn, sandbox.report.session_id);
    assert_text(path, "id", session.id, member_text(expected, "id"));
    compare_tree(oracle, &session, expected, duplicates);
    compare_labels(oracle, expected);
    const struct xylem_value *entries = xylem_value_get(expected, "perEntry");
    const struct xylem_value *key = xylem_value_first(entries);
    while (key) {
        const struct xylem_value *value = xylem_value_next(entries, key);
        compare_entry(oracle, xylem_value_string(key), value);
        key = xylem_value_next(entries, value);
    }
    xylem_abort(oracle->txn);
    sandbox_close(&sandbox);
}

/* Each session alone in a store, and beside those that its entries are shared with. */
static void compare_version(const char *version, bool among_others, size_t sessions_expected, size_t entries_expected,
                            uint64_t shared_expected)
{
    struct xylem_buffer text = {0};
    struct xylem_base__tree tree = {0};
    struct oracle oracle = {.among_others = among_others};
    char path[256];
    snprintf(path, sizeof path, FIXTURES "/%s/ORACLE.json", version);
    sandbox_read_file(&text, path);
    assert_int_equal(xylem_base__json_parse(&tree, xylem_base__buffer_view(&text), NULL), XYLEM_OK);
    size_t sessions = 0;
    const struct xylem_value *expected = xylem_value_first(tree.nodes);
    while (expected) {
        compare_session(&oracle, version, expected);
        sessions++;
        expected = xylem_value_next(tree.nodes, expected);
    }
    assert_int_equal(sessions, sessions_expected);
    assert_int_equal(oracle.entries, entries_expected);
    assert_int_equal(oracle.shared, shared_expected);
    xylem_base__tree_release(&tree);
    xylem_buffer_release(&text);
}

TEST(sessions_of_pi_0_74_2_agree_with_its_oracle)
{
    compare_version("pi-0.74.2", false, 20, 796, 0);
    compare_version("pi-0.74.2", true, 20, 796, 273);
}

TEST(sessions_of_pi_0_87_1_agree_with_its_oracle)
{
    compare_version("pi-0.87.1", false, 36, 2231, 0);
    compare_version("pi-0.87.1", true, 36, 2231, 418);
}
