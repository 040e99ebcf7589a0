/* Looking at an engine: each kind of damage is found and named, and a sound engine has no findings. */
#include "tests/fleet/shipped.h"

#include "fleet/archive.h"
#include "fleet/verify.h"

static struct fleet_engine *archive; /* NULL: none */
static bool with_store;
static bool is_alone; /* the archive is */
static struct fleet_verify_report report;
static struct xylem_buffer found; /* a line for each finding */
static unsigned progress_count;

static int set_up(void **state)
{
    (void)state;
    shipped_open();
    archive = NULL;
    with_store = is_alone = false;
    make_session("a", 5);
    make_session("b", 3);
    ship("a");
    ship("b");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (archive) {
        archive->free(archive);
    }
    shipped_close();
    xylem_buffer_release(&found);
    return 0;
}

#define VERIFY_TEST(test) TEST_WITH(test, set_up, tear_down)

static void find(void *context, const struct fleet_finding *finding)
{
    (void)context;
    assert_int_equal(xylem_base__buffer_add_format(
                         &found, "%s %s %.*s %d %.*s: %s, found %s\n", finding->where,
                         fleet_finding_word(finding->type), (int)finding->session.bytes, finding->session.data,
                         (int)finding->ordinal, (int)finding->entry.bytes,
                         finding->entry.data ? finding->entry.data : "", finding->expected, finding->found),
                     0);
}

static void go_on(void *context, const struct fleet_verify_report *so_far)
{
    (void)context;
    assert_ptr_equal(so_far, &report);
    progress_count++;
}

static int try_verify(void)
{
    const struct fleet_verify_options options = {.engine = is_alone ? NULL : engine,
                                                 .archive = archive,
                                                 .store = with_store ? owner.store : NULL,
                                                 .deadline_ms = 50,
                                                 .find = find,
                                                 .progress = go_on};
    xylem_base__buffer_clear(&found);
    progress_count = 0;
    if (with_store) {
        store_builder_commit(&owner);
    }
    return fleet_verify(&report, &options, &err);
}

/* The findings begin with these lines, or there are none. */
static void verify(const char *lines)
{
    store_builder_must(try_verify(), &err);
    if (strncmp(found.data ? found.data : "", lines, strlen(lines)) != 0 || (lines[0] == '\0' && report.findings > 0)) {
        fail_msg("expected \"%s\", found \"%s\"", lines, found.data ? found.data : "");
    }
}

static void copy_to_archive(void)
{
    struct fleet_archive_count count;
    archive = archive ? archive : open_archive(archive_path, true);
    const struct fleet_archive_options options = {.from = engine, .to = archive};
    store_builder_must(fleet_archive(&count, &options, &err), &err);
}

static struct rows_version *row(const char *id)
{
    return memory_fleet_row(fleet, xylem_view_of(id));
}

/* Marks the sessions as shipped, as a ship does. */
static void mark_shipped(const char *id)
{
    store_builder_must(xylem_session_own(owner.txn, number_of(id), 1, &err), &err);
}

VERIFY_TEST(a_sound_engine_store_and_archive_have_no_findings)
{
    verify("");
    assert_int_equal(report.sessions, 2);
    assert_int_equal(report.segments, 5);
    assert_int_equal(report.changes, 10);
    assert_int_equal(progress_count, 2);
    with_store = true;
    mark_shipped("a");
    redact("a", "a-1", true);
    copy_to_archive();
    verify("");
    assert_int_equal(report.compared, 2);
    assert_int_equal(report.archived, 2);
    assert_int_equal(report.behind, 0);
    assert_int_equal(report.redacted, 1);
    assert_int_equal(report.segments, 12);
}

VERIFY_TEST(a_session_of_many_segments_is_walked_to_its_end)
{
    make_session("many", 70);
    ship_by("many", 1);
    verify("");
    assert_int_equal(report.segments, 76);
    row("many")->pieces[70]->body->data[5] ^= 1;
    verify("engine unreadable many 71 ");
    row("many")->pieces[70]->body->data[5] ^= 1;
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

VERIFY_TEST(a_flipped_bit_in_a_segment_is_found_and_the_others_are_read)
{
    struct rows_bytes *body = row("a")->pieces[0]->body;
    for (size_t i = 0; i < body->bytes; i++) {
        body->data[i] ^= (char)(1 << i % 8);
        verify("engine unreadable a 1 : a segment, found ");
        assert_int_equal(report.findings, 1);
        assert_int_equal(report.segments, 5);
        body->data[i] ^= (char)(1 << i % 8);
    }
    size_t whole = body->bytes;
    for (body->bytes = 0; body->bytes < whole; body->bytes++) {
        verify("engine unreadable a 1 : ");
    }
}

VERIFY_TEST(a_segment_of_others_is_found)
{
    struct rows_bytes *body = row("a")->pieces[1]->body;
    row("a")->pieces[1]->body = row("b")->pieces[1]->body;
    verify("engine other a 3 : the session, changes and chain of the row, found a segment of others\n");
    row("a")->pieces[1]->body = row("a")->pieces[0]->body;
    verify("engine other a 3 : ");
    row("a")->pieces[1]->body = body;
    row("a")->pieces[1]->chain ^= 1;
    verify("engine other a 3 : ");
    row("a")->pieces[1]->chain ^= 1;
    verify("");
}

VERIFY_TEST(a_missing_segment_is_found)
{
    struct rows_version *a = row("a");
    struct rows_piece *last = a->pieces[2];
    a->piece_count = 2;
    verify("engine gap a 5 : changes up to ordinal 6, found changes up to ordinal 4\n");
    a->pieces[2] = a->pieces[1];
    a->pieces[1] = last;
    verify("engine gap a 3 : a segment from ordinal 3, found a segment from ordinal 5\n");
    a->pieces[1] = a->pieces[2];
    a->pieces[2] = last;
    a->piece_count = 3;
    verify("");
}

VERIFY_TEST(segments_of_one_place_twice_are_found)
{
    struct rows_version *a = row("a");
    struct rows_piece *second = a->pieces[1];
    a->pieces[1] = a->pieces[0];
    verify("engine gap a 3 : ");
    a->pieces[1] = second;
}

VERIFY_TEST(a_chain_that_does_not_go_on_is_found)
{
    struct rows_version *a = row("a");
    a->chain ^= 1;
    verify("engine chain a 6 : by the row the chain ");
    a->chain ^= 1;
    /* The engine has the beginning of another history under the same ordinals. */
    struct rows_piece *kept = a->pieces[1];
    uint64_t number = make_session("other", 5);
    struct xylem_buffer bytes = {0};
    struct xylem_segment segment;
    pack(&bytes, &segment, number, 3, 5);
    struct rows_piece piece = *kept;
    piece.body = rows_bytes_new(xylem_base__buffer_view(&bytes));
    piece.chain = segment.chain;
    a->pieces[1] = &piece;
    verify("engine other a 3 : the session, changes and chain of the row, found a segment of others\n"
           "engine chain a 3 : before the segment the chain ");
    assert_non_null(strstr(found.data, "engine chain a 5 : "));
    a->pieces[1] = kept;
    rows_bytes_drop(piece.body);
    xylem_buffer_release(&bytes);
}

/* A stranger's row may promise what never comes. */
VERIFY_TEST(a_row_that_promises_too_much_ends)
{
    row("a")->next = FLEET_ORDINAL_MAX;
    verify("engine gap a 7 : changes up to ordinal 9223372036854775806, found changes up to ordinal 6\n");
    row("a")->next = 7;
    row("a")->pieces[2]->to = 5;
    verify("engine other a 5 : ");
    row("a")->pieces[2]->to = 7;
}

VERIFY_TEST(a_freed_session_with_more_than_remains_is_found)
{
    row("a")->freed = true;
    verify("engine remains a 1 : of a freed session its remains alone, found a segment\n");
    assert_int_equal(report.findings, 3);
    row("a")->freed = false;
}

/* --- The store ---------------------------------------------------------------------------------------------------- */

VERIFY_TEST(another_history_in_the_store_is_found)
{
    with_store = true;
    store_builder_add(&owner, number_of("a"), "not shipped", "message", "{}");
    verify("");
    assert_int_equal(report.compared, 2);
    struct rows_version *a = row("a");
    a->pieces[2]->chain ^= 1;
    a->chain ^= 1;
    verify("engine other a 5 : ");
    assert_non_null(strstr(found.data, "engine history a 6 : in the store the chain "));
    a->pieces[2]->chain ^= 1;
    a->chain ^= 1;
}

/* A follower has less: both are compared where they meet. */
VERIFY_TEST(a_store_with_fewer_changes_is_compared_at_its_last_segment)
{
    struct store_builder whole = owner;
    struct xylem_apply_report applied;
    const struct xylem_apply_options options = {.owner = xylem_view_of("host one"), .epoch = 1};
    store_builder_open(&owner);
    store_builder_must(
        xylem_segment_apply(&applied, owner.txn,
                            (struct xylem_view){row("a")->pieces[0]->body->data, row("a")->pieces[0]->body->bytes},
                            &options, &err),
        &err);
    with_store = true;
    verify("");
    assert_int_equal(report.compared, 1);
    row("a")->pieces[0]->chain ^= 1;
    verify("engine other a 1 : ");
    assert_non_null(strstr(found.data, "engine history a 2 : "));
    row("a")->pieces[0]->chain ^= 1;
    store_builder_close(&owner);
    owner = whole;
}

VERIFY_TEST(a_shipped_session_that_the_engine_lacks_is_found)
{
    with_store = true;
    make_session("lost", 1);
    verify("");
    mark_shipped("lost");
    verify("engine missing lost 0 : the session, which was shipped or archived, found nothing of it\n");
}

/* --- Redactions --------------------------------------------------------------------------------------------------- */

VERIFY_TEST(the_text_of_a_redacted_entry_is_found_wherever_it_stands)
{
    with_store = true;
    copy_to_archive();
    redact("a", "a-1", false);
    verify("archive text a 3 a-1: no text, it was redacted, found the text\n"
           "engine text a 3 a-1: no text, it was redacted, found the text\n");
    assert_int_equal(report.findings, 2);
    redact("a", "a-2", true); /* the segment of both */
    verify("archive text a 3 a-1: ");
    assert_non_null(strstr(found.data, "archive text a 4 a-2: "));
    assert_non_null(strstr(found.data, "archive outdated a 0 : generation 1, found generation 0\n"));
    assert_int_equal(report.findings, 3);
    copy_to_archive();
    verify("");
    assert_int_equal(report.redacted, 2);
}

VERIFY_TEST(an_entry_of_the_base_is_looked_for_in_the_segments_of_the_base_alone)
{
    with_store = true;
    store_builder_fork(&owner, number_of("a"), store_builder_find(&owner, number_of("a"), "a-3"), XYLEM_FORK_AT, "f");
    store_builder_add(&owner, number_of("f"), "f-0", "message", "{\"text\":\"of the fork\"}");
    ship("f");
    redact("a", "a-1", true);
    verify("");
    assert_int_equal(report.redacted, 1);
    redact("f", "f-0", false);
    verify("engine text f 2 f-0: ");
    assert_int_equal(report.findings, 1);
}

/* What is left of the source's entries is in no segment of the fork. */
VERIFY_TEST(an_entry_of_a_freed_source_is_not_looked_for_in_the_fork)
{
    with_store = true;
    redact("a", "a-1", true);
    store_builder_fork(&owner, number_of("a"), store_builder_find(&owner, number_of("a"), "a-3"), XYLEM_FORK_AT, "f");
    ship("f");
    store_builder_must(xylem_session_delete(owner.txn, number_of("a"), &err), &err);
    store_builder_must(xylem_gc(NULL, owner.txn, NULL, &err), &err);
    verify("");
    assert_int_equal(report.redacted, 0);
}

/* --- The archive -------------------------------------------------------------------------------------------------- */

VERIFY_TEST(an_archive_with_less_is_counted_and_with_more_is_found)
{
    struct rows_table *saved = memory_fleet_save(fleet);
    copy_to_archive();
    store_builder_add(&owner, number_of("a"), "more", "message", "{}");
    ship("a");
    verify("");
    assert_int_equal(report.behind, 1);
    assert_int_equal(report.archived, 1);
    copy_to_archive();
    memory_fleet_restore(fleet, saved);
    memory_fleet_saved_free(saved);
    verify("archive ahead a 7 : changes up to ordinal 6, found changes up to ordinal 7\n");
}

VERIFY_TEST(an_archive_is_verified_without_an_engine)
{
    with_store = is_alone = true;
    copy_to_archive();
    mark_shipped("a");
    make_session("c", 1);
    mark_shipped("c");
    verify("");
    assert_int_equal(report.sessions, 2);
    assert_int_equal(report.changes, 10);
    assert_int_equal(report.compared, 2);
    redact("a", "a-1", true);
    verify("archive text a 3 a-1: no text, it was redacted, found the text\n");
}

VERIFY_TEST(an_archived_session_that_the_engine_lacks_is_found)
{
    struct rows_table *saved = memory_fleet_save(fleet);
    make_session("c", 1);
    ship("c");
    copy_to_archive();
    memory_fleet_restore(fleet, saved);
    memory_fleet_saved_free(saved);
    verify("engine missing c 0 : the session, which was shipped or archived, found nothing of it\n");
}

VERIFY_TEST(another_history_in_the_archive_is_found)
{
    copy_to_archive();
    struct rows_version *a = row("a");
    a->pieces[2]->chain ^= 1;
    a->chain ^= 1;
    verify("engine other a 5 : ");
    assert_non_null(strstr(found.data, "archive history a 6 : in the engine the chain "));
    a->pieces[2]->chain ^= 1;
    a->chain ^= 1;
}

VERIFY_TEST(a_session_that_is_freed_on_one_side_alone_is_found)
{
    struct rows_table *saved = memory_fleet_save(fleet);
    copy_to_archive();
    const struct fleet_request request = owned(FLEET_FREE, "b");
    must(engine, FLEET_DONE, &request);
    verify("archive remains b 0 : freed, as in the engine, found all of its segments\n");
    assert_int_equal(report.behind, 1);
    copy_to_archive();
    verify("");
    memory_fleet_restore(fleet, saved);
    memory_fleet_saved_free(saved);
    verify("archive history b 0 : a session, as in the engine, found a freed one\n");
}

VERIFY_TEST(damage_in_the_archive_is_told_with_its_file)
{
    char path[400];
    copy_to_archive();
    (void)snprintf(path, sizeof path, "%s/sessions/61/0000000000000003", archive_path);
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fputs("x", file) >= 0 && fclose(file) == 0, 1);
    verify("archive unreadable a 3 : segments, found ");
    assert_non_null(strstr(found.data, strcat(path, ": the file is damaged")));
    assert_int_equal(report.findings, 1);
}

/* --- Engines that do not answer ----------------------------------------------------------------------------------- */

VERIFY_TEST(an_engine_that_does_not_answer_ends_the_verification)
{
    engine_memory_hold(engine, true);
    assert_int_equal(try_verify(), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "the engine answers `unreachable` to `list`"));
    engine_memory_hold(engine, false);
    engine_memory_say(engine, FLEET_LIST, FLEET_REFUSED, false, 1);
    assert_int_equal(try_verify(), XYLEM_E_IO);
    engine_memory_say(engine, FLEET_READ, FLEET_REFUSED, false, 1);
    verify("engine unreadable a 1 : segments, found ");
    assert_int_equal(report.findings, 1);
}
