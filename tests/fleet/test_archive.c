/* Copying into an archive: what is missing is copied once, redactions and frees follow, and failures are told. */
#include "tests/fleet/shipped.h"

#include <signal.h>
#include <sys/resource.h>

#include "base/error.h"
#include "fleet/archive.h"
#include "fleet/frame.h"
#include "fleet/puller.h"
#include "tests/lib/same_session.h"

static struct fleet_engine *archive;
static struct fleet_archive_count count;
static struct xylem_buffer told; /* a line for each piece of news */

static int set_up(void **state)
{
    (void)state;
    shipped_open();
    archive = open_archive(archive_path, true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    archive->free(archive);
    shipped_close();
    xylem_buffer_release(&told);
    return 0;
}

#define ARCHIVE_TEST(test) TEST_WITH(test, set_up, tear_down)

static void tell(void *context, const struct fleet_news *news)
{
    static const char *const words[FLEET_NEWS_TYPE_COUNT] = {[FLEET_NEWS_SHIPPED] = "copied",
                                                             [FLEET_NEWS_REWRITTEN] = "rewritten",
                                                             [FLEET_NEWS_FREED] = "freed",
                                                             [FLEET_NEWS_DAMAGED] = "damaged"};
    (void)context;
    assert_non_null(words[news->type]);
    assert_int_equal(xylem_base__buffer_add_format(&told, "%s %.*s %d-%d %s\n", words[news->type],
                                                   XYLEM_BASE__SHOWN(news->session), (int)news->from, (int)news->to,
                                                   news->text ? news->text : ""),
                     0);
}

static int run_with(struct fleet_archive_options options)
{
    options.tell = tell;
    options.deadline_ms = 50;
    xylem_base__buffer_clear(&told);
    err.text[0] = '\0';
    return fleet_archive(&count, &options, &err);
}

static int try_run(void)
{
    return run_with((struct fleet_archive_options){.from = engine, .to = archive});
}

static void run(void)
{
    store_builder_must(try_run(), &err);
}

static void assert_told(const char *lines)
{
    assert_string_equal(told.data ? told.data : "", lines);
}

/* Two sessions of 6 and 4 changes, three and two segments. */
static void prepare(void)
{
    make_session("a", 5);
    make_session("b", 3);
    ship("a");
    ship("b");
}

static void assert_archived(void)
{
    assert_same(engine, archive, "a");
    assert_same(engine, archive, "b");
}

ARCHIVE_TEST(all_sessions_are_copied_and_a_second_run_copies_nothing)
{
    prepare();
    run();
    assert_told("copied a 1-3 \ncopied a 3-5 \ncopied a 5-7 \ncopied b 1-3 \ncopied b 3-5 \n");
    assert_int_equal(count.sessions, 2);
    assert_int_equal(count.copied, 5);
    assert_int_equal(count.current, 0);
    assert_true(count.bytes > 0);
    assert_archived();
    const struct fleet_request row = {.ask = FLEET_ROW, .session = xylem_view_of("a")};
    must(archive, FLEET_DONE, &row);
    assert_true(same_bytes(answer.rows[0].host, xylem_view_of("host one")));
    assert_true(same_bytes(answer.rows[0].about, xylem_view_of("{\"about\":1}")));
    assert_int_equal(answer.rows[0].epoch, 1);
    run();
    assert_told("");
    assert_int_equal(count.current, 2);
    assert_int_equal(count.copied, 0);
}

ARCHIVE_TEST(only_what_is_new_is_copied)
{
    prepare();
    run();
    store_builder_add(&owner, number_of("b"), "more", "message", "{}");
    ship("b");
    run();
    assert_told("copied b 5-6 \n");
    assert_int_equal(count.current, 1);
    assert_archived();
}

ARCHIVE_TEST(more_sessions_than_one_page_of_the_list_are_copied)
{
    for (int i = 0; i < 300; i++) {
        char id[20];
        (void)snprintf(id, sizeof id, "s%03d", i);
        make_session(id, 0);
        ship(id);
    }
    run();
    assert_int_equal(count.copied, 300);
    assert_int_equal(count.sessions, 300);
}

ARCHIVE_TEST(a_session_of_more_segments_than_one_answer_is_copied)
{
    make_session("a", 50);
    ship_by("a", 1);
    run();
    assert_int_equal(count.copied, 51);
    assert_same(engine, archive, "a");
}

/* --- Redactions and frees ----------------------------------------------------------------------------------------- */

static bool archive_has(const char *words)
{
    struct fleet_request request = {.ask = FLEET_READ, .session = xylem_view_of("a"), .from = 0, .limit = 100};
    bool has = false;
    must(archive, FLEET_DONE, &request);
    for (size_t i = 0; i < answer.piece_count; i++) {
        has = has || memmem(answer.pieces[i].body.data, answer.pieces[i].body.bytes, words, strlen(words));
    }
    return has;
}

ARCHIVE_TEST(a_redaction_reaches_the_archive)
{
    prepare();
    run();
    assert_true(archive_has("the words of a-1"));
    redact("a", "a-1", true);
    run();
    assert_told("rewritten a 3-5 \ncopied a 7-8 \n");
    assert_int_equal(count.rewritten, 1);
    assert_false(archive_has("the words of a-1"));
    assert_true(archive_has("the words of a-2"));
    assert_archived();
    run();
    assert_told("");
}

/* A row that took the generation of the first rewrite alone would hide that the second is still to be done. */
ARCHIVE_TEST(rewrites_that_did_not_all_succeed_are_done_again)
{
    prepare();
    run();
    redact("a", "a-0", true);
    redact("a", "a-3", true);
    struct rows_piece *piece = memory_fleet_row(fleet, xylem_view_of("a"))->pieces[2];
    piece->body->data[piece->body->bytes / 2] ^= 1;
    run();
    assert_non_null(strstr(told.data, "rewritten a 1-3 \ndamaged a 7-9 the segment from 5 on: "));
    assert_true(archive_has("the words of a-3"));
    piece->body->data[piece->body->bytes / 2] ^= 1;
    run();
    assert_told("rewritten a 1-3 \nrewritten a 5-7 \ncopied a 7-8 \ncopied a 8-9 \n");
    assert_false(archive_has("the words of a-0"));
    assert_false(archive_has("the words of a-3"));
    assert_archived();
}

/* The rewrite alone: the change REDACTED, an append with what lists show, was not shipped yet. */
ARCHIVE_TEST(a_rewrite_replaces_what_lists_show)
{
    prepare();
    run();
    redact("a", "a-1", false);
    struct xylem_buffer bytes = {0};
    struct xylem_segment segment;
    struct fleet_request request = owned(FLEET_REWRITE, "a");
    pack(&bytes, &segment, number_of("a"), 3, 5);
    request.from = 3;
    request.to = 5;
    request.body = xylem_base__buffer_view(&bytes);
    request.about = xylem_view_of("{\"about\":2}");
    must(engine, FLEET_DONE, &request);
    xylem_buffer_release(&bytes);
    run();
    assert_told("rewritten a 3-5 \n");
    const struct fleet_request row = {.ask = FLEET_ROW, .session = xylem_view_of("a")};
    must(archive, FLEET_DONE, &row);
    assert_true(same_bytes(answer.rows[0].about, request.about));
}

ARCHIVE_TEST(a_redaction_of_before_the_first_copy_is_no_rewrite)
{
    prepare();
    redact("a", "a-1", true);
    run();
    assert_int_equal(count.rewritten, 0);
    assert_archived();
    run();
    assert_int_equal(count.current, 2);
}

static void free_session(const char *id, struct xylem_view remains)
{
    struct fleet_request request = owned(FLEET_FREE, id);
    request.body = remains;
    must(engine, FLEET_DONE, &request);
}

ARCHIVE_TEST(a_freed_session_is_freed_in_the_archive)
{
    prepare();
    run();
    free_session("a", (struct xylem_view){NULL, 0});
    run();
    assert_told("freed a 0-0 \n");
    assert_int_equal(count.freed, 1);
    assert_false(archive_has("the words"));
    assert_same(engine, archive, "a");
    const struct fleet_request row = {.ask = FLEET_ROW, .session = xylem_view_of("a")};
    must(archive, FLEET_DONE, &row);
    run();
    assert_told("");
    assert_int_equal(count.current, 2);
}

ARCHIVE_TEST(the_remains_of_a_freed_session_are_copied)
{
    struct xylem_buffer bytes = {0};
    struct xylem_segment segment;
    struct xylem_gc_report report;
    prepare();
    store_builder_fork(&owner, number_of("a"), store_builder_find(&owner, number_of("a"), "a-1"), XYLEM_FORK_AT, "f");
    ship("f");
    run();
    uint64_t number = number_of("a");
    store_builder_must(xylem_session_delete(owner.txn, number, &err), &err);
    store_builder_must(xylem_gc(&report, owner.txn, NULL, &err), &err);
    pack(&bytes, &segment, number, 0, 0);
    assert_true(segment.freed);
    free_session("a", xylem_base__buffer_view(&bytes));
    xylem_buffer_release(&bytes);
    run();
    assert_told("freed a 0-0 \n");
    assert_true(archive_has("the words of a-1"));
    assert_false(archive_has("the words of a-4"));
    assert_same(engine, archive, "a");
}

/* --- Hosts that go on meanwhile ----------------------------------------------------------------------------------- */

/* Does something once, before the first READ goes to the engine. */
struct meanwhile {
    struct fleet_engine engine;
    void (*act)(void);
};

static int submit_behind(struct fleet_engine *self, uint64_t number, const struct fleet_request *request,
                         struct xylem_error *why)
{
    struct meanwhile *meanwhile = (struct meanwhile *)self;
    void (*act)(void) = request->ask == FLEET_READ ? meanwhile->act : NULL;
    meanwhile->act = act ? NULL : meanwhile->act;
    if (act) {
        act();
    }
    return engine->submit(engine, number, request, why);
}

static int poll_behind(struct fleet_engine *self, struct fleet_answer *out, struct xylem_error *why)
{
    (void)self;
    return engine->poll(engine, out, why);
}

static int fd_behind(struct fleet_engine *self)
{
    (void)self;
    return engine->fd(engine);
}

static void run_while(void (*act)(void))
{
    struct meanwhile meanwhile = {.engine = {.submit = submit_behind, .poll = poll_behind, .fd = fd_behind},
                                  .act = act};
    store_builder_must(run_with((struct fleet_archive_options){.from = &meanwhile.engine, .to = archive}), &err);
    assert_null(meanwhile.act);
}

static void append_more(void)
{
    store_builder_add(&owner, number_of("a"), "more", "message", "{\"text\":\"more words\"}");
    ship("a");
}

ARCHIVE_TEST(what_came_behind_the_look_is_left_for_the_next_run)
{
    prepare();
    run_while(append_more);
    assert_told("copied a 1-3 \ncopied a 3-5 \ncopied a 5-7 \ncopied b 1-3 \ncopied b 3-5 \n");
    run();
    assert_told("copied a 7-8 \n");
    assert_archived();
}

static void redact_two(void)
{
    redact("a", "a-0", true);
    redact("a", "more", true);
}

/* The newest segment has a newer generation than an older one that the archive lacks: that one would never come. */
ARCHIVE_TEST(segments_that_were_rewritten_meanwhile_are_left_for_the_next_run)
{
    prepare();
    run();
    append_more();
    run_while(redact_two);
    assert_told("");
    run();
    assert_told("rewritten a 1-3 \ncopied a 7-8 \ncopied a 8-9 \ncopied a 9-10 \n");
    assert_false(archive_has("the words of a-0"));
    assert_false(archive_has("more words"));
    assert_archived();
}

/* --- Acknowledgements --------------------------------------------------------------------------------------------- */

/* Rows that are merely seen may be lost with the primary: an archive with them would have another history. */
ARCHIVE_TEST(nothing_is_copied_that_the_engine_does_not_acknowledge)
{
    prepare();
    engine_memory_say(engine, FLEET_LOOK, FLEET_UNKNOWN, true, 1);
    assert_int_equal(try_run(), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "`unknown` to `look`"));
    assert_told("");
    assert_int_equal(count.copied, 0);
    run();
    assert_archived();
}

ARCHIVE_TEST(requests_that_met_others_are_sent_again)
{
    prepare();
    engine_memory_say(engine, FLEET_READ, FLEET_RETRY, false, 1);
    engine_memory_say(engine, FLEET_LIST, FLEET_UNREACHABLE, false, 1);
    store_builder_must(run_with((struct fleet_archive_options){.from = engine, .to = archive}), &err);
    assert_archived();
}

ARCHIVE_TEST(an_engine_that_does_not_answer_ends_the_run)
{
    prepare();
    engine_memory_hold(engine, true);
    assert_int_equal(try_run(), XYLEM_E_IO);
    assert_non_null(strstr(err.text, "`unreachable` to `list`"));
    engine_memory_hold(engine, false);
    run();
    assert_archived();
}

/* --- Failures ----------------------------------------------------------------------------------------------------- */

ARCHIVE_TEST(a_damaged_segment_is_told_and_others_are_copied)
{
    prepare();
    struct rows_piece *piece = memory_fleet_row(fleet, xylem_view_of("a"))->pieces[1];
    piece->body->data[piece->body->bytes / 2] ^= 1;
    run();
    assert_non_null(strstr(told.data, "copied a 1-3 \ndamaged a 3-7 the segment from 3 on: "));
    assert_non_null(strstr(told.data, "copied b 1-3 \ncopied b 3-5 \n"));
    assert_int_equal(count.failed, 1);
    piece->body->data[piece->body->bytes / 2] ^= 1;
    run();
    assert_told("copied a 3-5 \ncopied a 5-7 \n");
}

ARCHIVE_TEST(a_segment_of_another_session_or_place_is_not_copied)
{
    prepare();
    struct rows_version *a = memory_fleet_row(fleet, xylem_view_of("a"));
    struct rows_version *b = memory_fleet_row(fleet, xylem_view_of("b"));
    struct rows_bytes *kept = a->pieces[0]->body;
    a->pieces[0]->body = b->pieces[0]->body;
    run();
    assert_non_null(strstr(told.data, "damaged a 1-7 the segment from 1 on: it is of another session"));
    a->pieces[0]->body = a->pieces[1]->body;
    run();
    assert_non_null(strstr(told.data, "damaged a 1-7 the segment from 1 on: it is of another session"));
    a->pieces[0]->body = kept;
}

ARCHIVE_TEST(a_missing_segment_is_told)
{
    prepare();
    struct rows_version *a = memory_fleet_row(fleet, xylem_view_of("a"));
    a->piece_count = 2;
    run();
    assert_non_null(strstr(told.data, "damaged a 5-7 the engine lacks a segment that its row tells of\n"));
    a->piece_count = 3;
    a->pieces[2]->from = 4;
    run();
    assert_non_null(strstr(told.data, "damaged a 5-7 the segments of the engine overlap, or one is missing\n"));
    a->pieces[2]->from = 5;
    run();
    assert_told("copied a 5-7 \n");
}

ARCHIVE_TEST(an_engine_that_lost_changes_is_told)
{
    prepare();
    struct rows_table *saved = memory_fleet_save(fleet);
    store_builder_add(&owner, number_of("a"), "more", "message", "{}");
    ship("a");
    run();
    memory_fleet_restore(fleet, saved);
    memory_fleet_saved_free(saved);
    run();
    assert_non_null(strstr(told.data, "damaged a 8-7 the archive has more changes than the engine"));
    store_builder_add(&owner, number_of("b"), "more", "message", "{}");
    memory_fleet_row(fleet, xylem_view_of("a"))->next = 8;
    run();
    assert_non_null(strstr(told.data, "damaged a 8-8 the archive has another history of the session"));
    memory_fleet_row(fleet, xylem_view_of("a"))->next = 7;
}

static void write_row_of_a(const struct fleet_object *object)
{
    struct fleet_object row = *object;
    row.type = FLEET_OBJECT_ROW;
    row.id = xylem_view_of("a");
    row.to = 7;
    store_builder_must(fleet_directory_write(archive, &row, &err), &err);
}

ARCHIVE_TEST(another_history_in_the_archive_is_not_gone_on_with)
{
    prepare();
    run();
    write_row_of_a(&(struct fleet_object){.chain = 1});
    store_builder_add(&owner, number_of("a"), "more", "message", "{}");
    ship("a");
    run();
    assert_told("damaged a 7-8 the archive has another history of the session than the engine\n");
    write_row_of_a(&(struct fleet_object){.freed = 1});
    run();
    assert_told("damaged a 7-8 the archive has the remains of a freed session of the id\n");
}

ARCHIVE_TEST(a_rewrite_takes_the_place_of_the_same_changes_alone)
{
    char path[400];
    struct ZSTD_CCtx_s *kept = NULL;
    struct xylem_buffer frame = {0};
    prepare();
    run();
    redact("a", "a-1", true);
    assert_int_equal(fleet_frame_pack_more(&kept, &frame, xylem_view_of("other changes"), &err), 0);
    fleet_frame_forget(kept);
    const struct fleet_object object = {.type = FLEET_OBJECT_SEGMENT,
                                        .id = xylem_view_of("a"),
                                        .from = 3,
                                        .to = 4,
                                        .frame = xylem_base__buffer_view(&frame)};
    store_builder_must(fleet_directory_write(archive, &object, &err), &err);
    xylem_buffer_release(&frame);
    run();
    assert_told("damaged a 7-8 the archive has no segment of the changes that were redacted\n");
    (void)snprintf(path, sizeof path, "%s/sessions/61/0000000000000003", archive_path);
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fputs("x", file) >= 0 && fclose(file) == 0, 1);
    run();
    assert_non_null(strstr(told.data, "remove the directory of the session"));
    assert_int_equal(count.failed, 1);
}

ARCHIVE_TEST(a_full_archive_ends_the_run_and_the_next_one_goes_on)
{
    struct rlimit before;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    prepare();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {20, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int code = try_run();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, handler);
    assert_int_equal(code, XYLEM_E_NO_SPACE);
    assert_int_equal(count.bytes, 0);
    assert_non_null(strstr(err.text, "the archive stopped at the session a: "));
    assert_told("");
    run();
    assert_archived();
}

ARCHIVE_TEST(damage_in_the_archive_fails_its_session_alone)
{
    char path[400];
    prepare();
    run();
    store_builder_add(&owner, number_of("a"), "more", "message", "{}");
    store_builder_add(&owner, number_of("b"), "more", "message", "{}");
    ship("a");
    ship("b");
    (void)snprintf(path, sizeof path, "%s/sessions/61/row", archive_path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    run();
    assert_non_null(strstr(told.data, "remove the file, and the row is made of the segments"));
    assert_non_null(strstr(told.data, "copied b 5-6"));
    assert_int_equal(remove(path), 0);
    run();
    assert_told("copied a 7-8 \n");
    assert_archived();
}

/* --- Restoring ---------------------------------------------------------------------------------------------------- */

static void pull_all(struct xylem_store *store)
{
    const struct fleet_puller_options options = {.all = true};
    struct fleet_puller *puller;
    struct fleet_turn turn = {.idle = false};
    store_builder_must(fleet_puller_new(&puller, store, archive, &options, &err), &err);
    for (uint64_t now_ms = 1; !turn.idle; now_ms++) {
        assert_true(now_ms < 1000);
        store_builder_must(fleet_puller_turn(&turn, puller, now_ms, &err), &err);
    }
    assert_int_equal(fleet_puller_failed(puller), 0);
    fleet_puller_free(puller);
}

ARCHIVE_TEST(an_archive_comes_back_into_an_empty_store)
{
    struct store_builder restored;
    prepare();
    store_builder_fork(&owner, number_of("b"), store_builder_find(&owner, number_of("b"), "b-1"), XYLEM_FORK_AT,
                       "a fork");
    store_builder_add(&owner, number_of("a fork"), "f-0", "message", "{}");
    ship("a fork");
    redact("a", "a-1", true);
    run();
    store_builder_open(&restored);
    store_builder_must(xylem_commit(restored.txn, &err), &err);
    pull_all(restored.store);
    store_builder_must(xylem_begin(&restored.txn, restored.store, XYLEM_WRITE, &err), &err);
    assert_same_sessions(owner.txn, restored.txn);
    store_builder_close(&restored);
}
