/* Copies into an archive that end at each call which changes a file: nothing wrong is read, and the next run goes on. */
#include "tests/crash/calls.h"
#include "tests/fleet/shipped.h"

#include "fleet/archive.h"

static struct rows_table *before; /* the engine at the first copy */
static struct rows_table *later;  /* and at the second: something new, rewritten, freed */
static const char *const ids[] = {"a", "b", "c"};
#define IDS (sizeof ids / sizeof *ids)

/* --- Failing calls ------------------------------------------------------------------------------------------------ */

static unsigned call_number;
static unsigned failing; /* the number of the first call that fails; 0: none */
static bool dead;        /* all calls behind it fail, too */
static int failure;

/* A sync that does not fail does nothing: the process lives, and the disk is slow. */
static bool fail_call(const struct call *call, ssize_t *result)
{
    call_number++;
    if (failing == 0 || call_number < failing || (call_number > failing && !dead)) {
        *result = 0;
        return call->type == CALL_SYNC;
    }
    *result = -1;
    errno = failure;
    return true;
}

/* --- Runs --------------------------------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    (void)state;
    calls_before = fail_call;
    shipped_open();
    for (size_t i = 0; i < IDS; i++) {
        make_session(ids[i], i == 0 ? 3 : 1);
        ship(ids[i]);
    }
    before = memory_fleet_save(fleet);
    redact("a", "a-0", true);
    redact("a", "a-2", true);
    store_builder_add(&owner, number_of("b"), "more", "message", "{}");
    ship("b");
    const struct fleet_request request = owned(FLEET_FREE, "c");
    must(engine, FLEET_DONE, &request);
    later = memory_fleet_save(fleet);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    calls_before = NULL;
    memory_fleet_saved_free(before);
    memory_fleet_saved_free(later);
    shipped_close();
    return 0;
}

/* The code, or 1 if a session failed. */
static int run(void)
{
    struct fleet_archive_count count = {0};
    struct fleet_engine *archive;
    int code = fleet_engine_directory(&archive, archive_path, true, &err);
    if (code == 0) {
        const struct fleet_archive_options options = {.from = engine, .to = archive};
        code = fleet_archive(&count, &options, &err);
        archive->free(archive);
    }
    return code < 0 ? code : count.failed > 0;
}

/* What the archive shows must be segments of the engine as it is, or as it was. */
static void assert_nothing_wrong(void)
{
    struct fleet_engine *archive = open_archive(archive_path, true);
    for (size_t i = 0; i < IDS; i++) {
        struct fleet_request request = {.ask = FLEET_READ, .session = xylem_view_of(ids[i]), .from = 0, .limit = 100};
        enum fleet_outcome outcome = ask(archive, &request);
        assert_true(outcome == FLEET_DONE || outcome == FLEET_NO);
        for (size_t at = 0; at < answer.piece_count; at++) {
            struct xylem_segment segment;
            const struct fleet_piece *piece = &answer.pieces[at];
            assert_int_equal(xylem_segment_read(&segment, piece->body, &err), 0);
            assert_int_equal(segment.to, piece->to);
            assert_int_equal(segment.chain, piece->chain);
            assert_true(piece->to <= answer.rows[0].next);
        }
    }
    archive->free(archive);
}

static void assert_complete(void)
{
    struct fleet_engine *archive = open_archive(archive_path, false);
    for (size_t i = 0; i < IDS; i++) {
        assert_same(engine, archive, ids[i]);
    }
    archive->free(archive);
}

/* Runs with the call of that number failing. False: the run had fewer calls. */
static bool interrupt(unsigned number, bool dies, int errnum)
{
    call_number = 0;
    failing = number;
    dead = dies;
    failure = errnum;
    int code = run();
    failing = 0;
    if (call_number < number) {
        assert_int_equal(code, 0);
        return false;
    }
    assert_nothing_wrong();
    if (code == 0) { /* nothing depended on the call */
        assert_complete();
    }
    assert_int_equal(run(), 0);
    assert_complete();
    return true;
}

/* `again`: the run is the second one, behind a whole copy. */
static void interrupt_each(bool again, bool dies, int errnum)
{
    unsigned number = 1;
    for (bool more = true; more; number++) {
        test_directory_remove(archive_path);
        memory_fleet_restore(fleet, before);
        if (again) {
            assert_int_equal(run(), 0);
            memory_fleet_restore(fleet, later);
        }
        more = interrupt(number, dies, errnum);
    }
    assert_true(number > 30);
}

#define CALLS_TEST(test) TEST_WITH(test, set_up, tear_down)

CALLS_TEST(a_first_copy_that_dies_at_any_call_goes_on)
{
    interrupt_each(false, true, EIO);
}

CALLS_TEST(a_later_copy_that_dies_at_any_call_goes_on)
{
    interrupt_each(true, true, EIO);
}

CALLS_TEST(a_copy_in_which_any_call_finds_no_room_goes_on)
{
    interrupt_each(true, false, ENOSPC);
}
