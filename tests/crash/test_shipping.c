/*
 * kill -9 between and in applies of segments. A child applies the segments of a list, one transaction each, and writes
 * in the same transaction how far it came. It is killed at a random moment, or kills itself at a random call that
 * changes a file. Then the parent looks: the store holds exactly what the cursor says, and the next child goes on there.
 * Another child gives a session another id, and is killed at each call: the session is as before, or as behind.
 */
#include "tests/crash/deaths.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buffer.h"
#include "tests/lib/chance.h"
#include "tests/lib/same_session.h"
#include "tests/lib/test.h"
#include "tests/lib/verified.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/note.h"
#include "xylem/redact.h"
#include "xylem/segment.h"

#define SEGMENTS_MAX 400
#define SESSIONS 3
#define STEPS 220
#define CURSOR "test:cursor"
#define OWNER "the owner"

static char place[128];
static char owner_path[160];
static char follower_path[170];

/* A segment, and where its session must stand when the cursor is behind it. */
static struct shipped {
    struct xylem_buffer bytes;
    int session;
    uint64_t to;
    uint64_t chain;
} list[SEGMENTS_MAX];
static size_t list_count;

static const char *const ids[SESSIONS] = {"first", "second", "fork"};
static struct xylem_error err;

static int must(int code)
{
    if (code < 0) {
        fail_msg("%s: %s", xylem_code_text(code), err.text);
    }
    return code;
}

static struct xylem_store *open_at(const char *path)
{
    struct xylem_store *store;
    const struct xylem_open_options options = {
        .create = true, .durability = XYLEM_DURABILITY_NONE, .map_bytes = 1 << 20};
    must(xylem_open(&store, path, &options, &err));
    return store;
}

/* --- The owner ---------------------------------------------------------------------------------------------------- */

static void append(struct xylem_txn *txn, uint64_t session, struct chance *chance)
{
    static int number;
    char payload[4400];
    struct xylem_position first;
    int filling = chance_one_in(chance, 12) ? 4000 : 40;
    number++;
    (void)snprintf(payload, sizeof payload, "{\"n\":%d,\"fill\":\"%0*d\"}", number, filling, number);
    const struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of("message")},
                                          .format = XYLEM_FORMAT_JSON,
                                          .payload = xylem_view_of(payload)};
    must(xylem_append(&first, txn, session, &entry, 1, NULL, &err));
}

static struct xylem_position any_place(struct xylem_txn *txn, uint64_t session, struct chance *chance)
{
    struct xylem_session row;
    struct xylem_position at = {0, 0};
    must(xylem_session_read(&row, txn, session, &err));
    if (row.leaf.depth > 0) {
        must(xylem_ancestor_at(&at, txn, row.leaf, 1 + (uint64_t)chance_below(chance, (int)row.leaf.depth), &err));
    }
    return at;
}

static void redact(struct xylem_txn *txn, uint64_t session, struct chance *chance)
{
    struct xylem_redact_report report;
    const struct xylem_redact_options options = {
        .reason = xylem_view_of("a key"), .drop_hash = chance_one_in(chance, 2), .only_this = true};
    struct xylem_position at = any_place(txn, session, chance);
    if (at.depth > 0) {
        must(xylem_redact(&report, txn, session, at, &options, &err));
        xylem_redact_report_release(&report);
    }
}

/* Packs what the session has got since `from`. */
static uint64_t ship(struct xylem_txn *txn, uint64_t session, int index, uint64_t from)
{
    struct xylem_packing *packing;
    struct xylem_segment segment = {.to = from};
    const struct xylem_pack_options options = {.from = from};
    must(xylem_packing_new(&packing, txn, session, &options, &err));
    struct shipped *made = &list[list_count];
    while (list_count < SEGMENTS_MAX && must(xylem_packing_next(&made->bytes, &segment, packing, &err)) == 1) {
        made->session = index;
        made->to = segment.to;
        made->chain = segment.chain;
        made = &list[++list_count];
    }
    xylem_packing_free(packing);
    return segment.to;
}

/* Makes sessions that grow by turns, and packs them as they grow. */
static void make_owner(void)
{
    struct chance chance = chance_of(3);
    struct xylem_store *store = open_at(owner_path);
    struct xylem_session session;
    struct xylem_txn *txn;
    uint64_t numbers[SESSIONS] = {0, 0, 0};
    uint64_t next[SESSIONS] = {1, 1, 1};
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err));
    for (int i = 0; i < 2; i++) {
        const struct xylem_session_options options = {.id = xylem_view_of(ids[i])};
        must(xylem_session_create(&session, txn, &options, &err));
        numbers[i] = session.number;
        append(txn, numbers[i], &chance);
        next[i] = ship(txn, numbers[i], i, 1);
    }
    const struct xylem_session_options options = {.id = xylem_view_of(ids[2])};
    must(xylem_clone(&session, txn, numbers[0], &options, &err));
    numbers[2] = session.number;
    for (int step = 0; step < STEPS; step++) {
        int index = chance_below(&chance, SESSIONS);
        switch (chance_below(&chance, 8)) {
        case 0:
            must(xylem_navigate(txn, numbers[index], any_place(txn, numbers[index], &chance), xylem_view_of(""), &err));
            break;
        case 1:
            redact(txn, numbers[index], &chance);
            break;
        default:
            for (int count = 1 + chance_below(&chance, 5); count > 0; count--) {
                append(txn, numbers[index], &chance);
            }
        }
        if (chance_one_in(&chance, 2) || step == STEPS - 1) {
            next[0] =
                ship(txn, numbers[0], 0, next[0]); /* the base first: a redaction of a shared entry is its change */
            next[1] = ship(txn, numbers[1], 1, next[1]);
            next[2] = ship(txn, numbers[2], 2, next[2]);
        }
    }
    must(xylem_commit(txn, &err));
    must(xylem_close(store, &err));
    assert_true(list_count < SEGMENTS_MAX);
}

static int make_place(void **state)
{
    (void)state;
    test_directory_make(place, sizeof place, "crash-ship");
    (void)snprintf(owner_path, sizeof owner_path, "%s/owner", place);
    (void)snprintf(follower_path, sizeof follower_path, "%s/follower", place);
    list_count = 0;
    make_owner();
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < SEGMENTS_MAX; i++) {
        xylem_buffer_release(&list[i].bytes);
    }
    test_directory_remove(place);
    return 0;
}

/* --- The child ---------------------------------------------------------------------------------------------------- */

static size_t read_cursor(struct xylem_txn *txn)
{
    struct xylem_view value;
    char text[24] = "";
    int code = xylem_note_get(&value, txn, xylem_view_of(CURSOR), &err);
    if (code == XYLEM_E_NOT_FOUND) {
        return 0;
    }
    memcpy(text, value.data, value.bytes < sizeof text ? value.bytes : 0);
    return (size_t)strtoul(text, NULL, 10);
}

/* Applies the segment behind the cursor, and moves the cursor before or after: 1, or 0 at the end. */
static int apply_next(struct xylem_store *store, struct chance *chance)
{
    static const struct xylem_apply_options options = {.owner = {OWNER, sizeof OWNER - 1}, .epoch = 1};
    struct xylem_apply_report report;
    struct xylem_txn *txn;
    char text[24];
    int code = xylem_begin(&txn, store, XYLEM_WRITE, &err);
    if (code < 0) {
        return code;
    }
    size_t cursor = read_cursor(txn);
    if (cursor == list_count) {
        xylem_abort(txn);
        return 0;
    }
    bool first = chance_one_in(chance, 2);
    (void)snprintf(text, sizeof text, "%zu", cursor + 1);
    struct xylem_view bytes = {list[cursor].bytes.data, list[cursor].bytes.bytes};
    if ((first && (code = xylem_note_put(txn, xylem_view_of(CURSOR), xylem_view_of(text), &err)) < 0) ||
        (code = xylem_segment_apply(&report, txn, bytes, &options, &err)) < 0 ||
        (!first && (code = xylem_note_put(txn, xylem_view_of(CURSOR), xylem_view_of(text), &err)) < 0)) {
        xylem_abort(txn);
        return code == XYLEM_E_MAP_FULL ? 1 : code;
    }
    code = xylem_commit(txn, &err);
    return code == XYLEM_E_MAP_FULL || code == XYLEM_OK ? 1 : code;
}

/* Until the end of the list, or until it is killed. */
static void work(struct chance chance)
{
    struct xylem_store *store;
    const struct xylem_open_options options = {
        .create = true, .durability = XYLEM_DURABILITY_NONE, .map_bytes = 1 << 20};
    int code = xylem_open(&store, follower_path, &options, &err);
    code = code < 0 ? code : 1;
    while (code > 0) {
        code = apply_next(store, &chance);
    }
    if (code < 0) {
        fprintf(stderr, "the child: %s\n", err.text);
    }
    _exit(code < 0 ? 2 : 0);
}

/* Runs a child until it ends, or dies at `moment`: true if it died. */
static bool run_child(struct chance *chance, void (*works)(struct chance chance))
{
    long microseconds = chance_below(chance, 20000);
    struct chance given = chance_of(chance_draw(chance));
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        deaths_begin(-1);
        works(given);
    }
    if (moment == AT_A_TIME) {
        struct timespec time = {0, microseconds * 1000};
        nanosleep(&time, NULL);
        kill(child, SIGKILL);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    bool died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (!died && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        fail_msg("the child ended with status %x", (unsigned)status);
    }
    return died;
}

/* --- Looking ------------------------------------------------------------------------------------------------------ */

/* Each session stands behind its last segment before the cursor. */
static void look_at_sessions(struct xylem_txn *txn, size_t cursor)
{
    for (int i = 0; i < SESSIONS; i++) {
        struct xylem_session session;
        const struct shipped *last = NULL;
        for (size_t j = 0; j < cursor; j++) {
            last = list[j].session == i ? &list[j] : last;
        }
        int code = xylem_session_find(&session, txn, xylem_view_of(ids[i]), &err);
        if (!last) {
            assert_int_equal(code, XYLEM_E_NOT_FOUND);
            continue;
        }
        must(code);
        if (session.history.count != last->to - 1 || session.history.chain != last->chain) {
            fail_msg("behind segment %zu of %zu the session %s has %" PRIu64 " changes; expected %" PRIu64, cursor,
                     list_count, ids[i], session.history.count, last->to - 1);
        }
    }
}

/* Gives the cursor. */
static size_t look(void)
{
    struct xylem_store *store = open_at(follower_path);
    struct xylem_txn *txn;
    must(xylem_begin(&txn, store, XYLEM_READ, &err));
    assert_verified(txn);
    assert_changes_agree(txn);
    size_t cursor = read_cursor(txn);
    look_at_sessions(txn, cursor);
    if (cursor == list_count) {
        struct xylem_store *owner = open_at(owner_path);
        struct xylem_txn *owners;
        must(xylem_begin(&owners, owner, XYLEM_READ, &err));
        assert_same_sessions(owners, txn);
        xylem_abort(owners);
        must(xylem_close(owner, &err));
    }
    xylem_abort(txn);
    must(xylem_close(store, &err));
    return cursor;
}

TEST_WITH(a_killed_apply_leaves_what_the_cursor_says, make_place, remove_place)
{
    struct chance chance = chance_of(test_number_from("XYLEM_SEED", 11));
    unsigned kills = 0;
    unsigned ends = 0;
    unsigned wanted = getenv("XYLEM_TORTURE") ? 1000 : 60;
    while (kills < wanted) {
        moment = (enum moment)chance_below(&chance, MOMENT_COUNT);
        calls_left = 1 + chance_below(&chance, 120);
        kills += run_child(&chance, work);
        if (look() == list_count) { /* the next child begins anew */
            ends++;
            test_directory_remove(follower_path);
        }
    }
    printf("figures: %u kills, %u followers at the end of %zu segments\n", kills, ends, list_count);
    assert_true(ends > 0);
}

/* --- Another id --------------------------------------------------------------------------------------------------- */

static void diverge(struct chance chance)
{
    struct xylem_store *store;
    struct xylem_txn *txn;
    struct xylem_session session;
    const struct xylem_open_options options = {.durability = XYLEM_DURABILITY_NONE, .map_bytes = 1 << 20};
    (void)chance;
    int code;
    if ((code = xylem_open(&store, follower_path, &options, &err)) < 0 ||
        (code = xylem_begin(&txn, store, XYLEM_WRITE, &err)) < 0 ||
        (code = xylem_session_find(&session, txn, xylem_view_of(ids[0]), &err)) < 0 ||
        (code = xylem_session_diverge(&session, txn, session.number, xylem_view_of("mine"), xylem_view_of("diverged"),
                                      &err)) < 0 ||
        (code = xylem_commit(txn, &err)) < 0) {
        fprintf(stderr, "the child: %s\n", err.text);
        _exit(2);
    }
    _exit(0);
}

/* True if the session has another id: all of it, or nothing. */
static bool look_at_diverged(uint64_t count)
{
    struct xylem_store *store = open_at(follower_path);
    struct xylem_session before;
    struct xylem_session behind;
    struct xylem_move move;
    struct xylem_txn *txn;
    must(xylem_begin(&txn, store, XYLEM_READ, &err));
    assert_verified(txn);
    assert_changes_agree(txn);
    int found_before = xylem_session_find(&before, txn, xylem_view_of(ids[0]), &err);
    int found_behind = xylem_session_find(&behind, txn, xylem_view_of("mine"), &err);
    bool done = found_behind == XYLEM_OK;
    assert_int_equal(done ? found_before : found_behind, XYLEM_E_NOT_FOUND);
    if (done) {
        assert_null(behind.owner.data);
        assert_int_equal(behind.history.count, count + 1);
        must(xylem_move_read(&move, txn, behind.number, behind.move_count, &err));
        assert_memory_equal(move.reason.data, "diverged", move.reason.bytes);
    } else {
        must(found_before);
        assert_non_null(before.owner.data);
        assert_int_equal(before.history.count, count);
    }
    xylem_abort(txn);
    must(xylem_close(store, &err));
    return done;
}

/* Applies all segments to a new store. The number of changes of the first session. */
static uint64_t make_follower(void)
{
    struct chance chance = chance_of(1);
    test_directory_remove(follower_path);
    struct xylem_store *store = open_at(follower_path);
    uint64_t count = 0;
    while (must(apply_next(store, &chance)) > 0) {
    }
    must(xylem_close(store, &err));
    for (size_t i = 0; i < list_count; i++) {
        count = list[i].session == 0 ? list[i].to - 1 : count;
    }
    return count;
}

/* Kills children at the first call, then at the second and so on, until one ends. */
static void kill_at_each_call(struct chance *chance, unsigned *before, unsigned *behind)
{
    uint64_t count = make_follower();
    bool died = true;
    for (int call = 1; died; call++) {
        calls_left = call;
        died = run_child(chance, diverge);
        bool done = look_at_diverged(count);
        *before += died && !done;
        *behind += died && done;
        assert_true(died || done);
        if (done) {
            make_follower();
        }
    }
}

TEST_WITH(a_session_that_is_killed_on_its_way_to_another_id_has_one_of_both, make_place, remove_place)
{
    struct chance chance = chance_of(12);
    unsigned before = 0;
    unsigned behind = 0;
    for (moment = BEFORE_A_CALL; moment < MOMENT_COUNT; moment++) {
        kill_at_each_call(&chance, &before, &behind);
    }
    printf("figures: %u kills before the other id, %u behind\n", before, behind);
    assert_true(before > 0 && behind > 0);
}
