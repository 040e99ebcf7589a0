/* An archive in a directory: what is written is read, everything else is refused, and no byte is believed. */
#include "tests/fleet/asked.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/frame.h"
#include "fleet/object.h"

static struct fleet_engine *archive;
static struct xylem_error err;

static int set_up(void **state)
{
    (void)state;
    make_place();
    archive = open_archive(archive_path, true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    archive->free(archive);
    test_directory_remove(place);
    return 0;
}

#define ARCHIVE_TEST(test) TEST_WITH(test, set_up, tear_down)

static void reopen(void)
{
    archive->free(archive);
    archive = open_archive(archive_path, false);
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* The segment of the changes [from, to) of a session, whose chains are their ordinals times 10; from 0: the remains. */
static int try_segment(struct fleet_engine *to, const char *id, uint64_t from, uint64_t end, struct xylem_view body,
                       uint64_t generation)
{
    struct ZSTD_CCtx_s *kept = NULL;
    struct xylem_buffer frame = {0};
    assert_int_equal(fleet_frame_pack_more(&kept, &frame, body, &err), 0);
    fleet_frame_forget(kept);
    const struct fleet_object object = {.type = FLEET_OBJECT_SEGMENT,
                                        .id = xylem_view_of(id),
                                        .from = from,
                                        .to = end,
                                        .chain = from == 0 ? 0 : (end - 1) * 10,
                                        .generation = generation,
                                        .frame = xylem_base__buffer_view(&frame)};
    int code = fleet_directory_write(to, &object, &err);
    xylem_buffer_release(&frame);
    return code;
}

static struct fleet_object row_of(const char *id, uint64_t next)
{
    return (struct fleet_object){
        .type = FLEET_OBJECT_ROW, .id = xylem_view_of(id), .to = next, .chain = (next - 1) * 10};
}

static int try_append(struct fleet_engine *to, const char *id, uint64_t from, uint64_t end, const char *body)
{
    const struct fleet_object row = row_of(id, end);
    int code = try_segment(to, id, from, end, xylem_view_of(body), 0);
    return code < 0 ? code : fleet_directory_write(to, &row, &err);
}

static void append(const char *id, uint64_t from, uint64_t end, const char *body)
{
    assert_int_equal(try_append(archive, id, from, end, body), 0);
}

/* Three segments: [1, 4), [4, 5), [5, 9). */
static void fill(const char *id)
{
    append(id, 1, 4, "first");
    append(id, 4, 5, "second");
    append(id, 5, 9, "third");
}

static enum fleet_outcome read_from(const char *id, uint64_t from, uint32_t limit)
{
    const struct fleet_request request = {
        .ask = FLEET_READ, .session = xylem_view_of(id), .from = from, .limit = limit};
    return ask(archive, &request);
}

static void assert_piece(size_t at, uint64_t from, uint64_t to, const char *body)
{
    assert_true(at < answer.piece_count);
    const struct fleet_piece *piece = &answer.pieces[at];
    assert_int_equal(piece->from, from);
    assert_int_equal(piece->to, to);
    assert_int_equal(piece->chain, from == 0 ? 0 : (to - 1) * 10);
    assert_true(same_bytes(piece->body, xylem_view_of(body)));
}

/* --- Files -------------------------------------------------------------------------------------------------------- */

/* The path of a file of the session `ab`. */
static const char *file_of(const char *name)
{
    static char path[400];
    (void)snprintf(path, sizeof path, "%s/sessions/6162/%s", archive_path, name);
    return path;
}

#define FIRST "0000000000000001"

static struct xylem_buffer bytes_of(const char *path)
{
    struct xylem_buffer bytes = {0};
    char piece[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) {
        assert_int_equal(xylem_buffer_add(&bytes, piece, got), 0);
    }
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void put_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static bool is_there(const char *path)
{
    struct stat file;
    return lstat(path, &file) == 0;
}

/* --- Opening ------------------------------------------------------------------------------------------------------ */

ARCHIVE_TEST(an_archive_keeps_the_id_that_was_drawn_when_it_was_made)
{
    unsigned char id[16];
    static const unsigned char none[16];
    memcpy(id, archive->id, sizeof id);
    assert_memory_not_equal(id, none, sizeof id);
    reopen();
    assert_memory_equal(archive->id, id, sizeof id);
    archive->free(archive);
    archive = open_archive(archive_path, true);
    assert_memory_equal(archive->id, id, sizeof id);
}

static int try_open(const char *path, bool make)
{
    struct fleet_engine *engine = NULL;
    err.text[0] = '\0';
    int code = fleet_engine_directory(&engine, path, make, &err);
    if (code == 0) {
        engine->free(engine);
    }
    return code;
}

ARCHIVE_TEST(a_directory_of_others_is_no_archive_and_becomes_none)
{
    char path[300];
    assert_int_equal(try_open(place, false), XYLEM_E_NOT_FOUND);
    assert_int_equal(try_open(place, true), XYLEM_E_CONFLICT);
    assert_non_null(strstr(err.text, "has other files"));
    (void)snprintf(path, sizeof path, "%s/none", place);
    assert_int_equal(try_open(path, false), XYLEM_E_NOT_FOUND);
    assert_false(is_there(path));
    (void)snprintf(path, sizeof path, "%s/none/below", place);
    assert_true(try_open(path, true) < 0);
    assert_int_equal(mkdir(strcat(strcpy(path, place), "/empty"), 0700), 0);
    assert_int_equal(try_open(path, true), 0);
}

ARCHIVE_TEST(a_marker_with_a_flipped_bit_is_refused)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/xylem-fleet", archive_path);
    struct xylem_buffer bytes = bytes_of(path);
    for (size_t i = 0; i < bytes.bytes; i++) {
        bytes.data[i] ^= 4;
        put_bytes(path, bytes.data, bytes.bytes);
        assert_true(try_open(archive_path, true) < 0);
        assert_non_null(strstr(err.text, path));
        bytes.data[i] ^= 4;
        put_bytes(path, bytes.data, i);
        assert_true(try_open(archive_path, true) < 0);
    }
    put_bytes(path, bytes.data, bytes.bytes);
    assert_int_equal(try_open(archive_path, false), 0);
    xylem_buffer_release(&bytes);
}

/* --- Writing and reading ------------------------------------------------------------------------------------------ */

ARCHIVE_TEST(what_is_appended_is_read_again_from_any_ordinal)
{
    fill("ab");
    reopen();
    assert_int_equal(read_from("ab", 1, 10), FLEET_DONE);
    assert_int_equal(answer.row_count, 1);
    assert_int_equal(answer.rows[0].next, 9);
    assert_int_equal(answer.rows[0].chain, 80);
    assert_true(answer.rows[0].unowned);
    assert_int_equal(answer.piece_count, 3);
    assert_piece(0, 1, 4, "first");
    assert_piece(1, 4, 5, "second");
    assert_piece(2, 5, 9, "third");
    assert_int_equal(read_from("ab", 3, 2), FLEET_DONE);
    assert_int_equal(answer.piece_count, 2);
    assert_piece(0, 1, 4, "first");
    assert_int_equal(read_from("ab", 4, 1), FLEET_DONE);
    assert_int_equal(answer.piece_count, 1);
    assert_piece(0, 4, 5, "second");
    assert_int_equal(read_from("ab", 8, 9), FLEET_DONE);
    assert_piece(0, 5, 9, "third");
    assert_int_equal(read_from("ab", 9, 9), FLEET_DONE);
    assert_int_equal(answer.piece_count, 0);
    assert_int_equal(read_from("abc", 1, 9), FLEET_NO);
}

ARCHIVE_TEST(an_answer_ends_before_it_has_too_many_bytes)
{
    struct xylem_buffer body = {0};
    assert_int_equal(xylem_base__buffer_reserve(&body, 9000000), 0);
    memset(body.data, 'x', 9000000);
    for (uint64_t from = 1; from < 4; from++) {
        append("ab", from, from + 1, "x");
        assert_int_equal(try_segment(archive, "ab", from, from + 1, (struct xylem_view){body.data, 9000000}, 0), 0);
    }
    xylem_buffer_release(&body);
    assert_int_equal(read_from("ab", 1, 10), FLEET_DONE);
    assert_int_equal(answer.piece_count, 2);
}

ARCHIVE_TEST(a_row_is_read_as_it_was_written)
{
    struct fleet_object object = row_of("ab", 2);
    object.epoch = 7;
    object.generation = 3;
    object.host = xylem_view_of("n1");
    object.about = xylem_view_of("{\"a\":1}");
    assert_int_equal(fleet_directory_write(archive, &object, &err), 0);
    reopen();
    const struct fleet_request row = {.ask = FLEET_ROW, .session = xylem_view_of("ab")};
    must(archive, FLEET_DONE, &row);
    assert_int_equal(answer.rows[0].epoch, 7);
    assert_int_equal(answer.rows[0].generation, 3);
    assert_true(same_bytes(answer.rows[0].host, xylem_view_of("n1")));
    assert_true(same_bytes(answer.rows[0].about, xylem_view_of("{\"a\":1}")));
    assert_false(answer.rows[0].mine);
    const struct fleet_request list = {.ask = FLEET_LIST, .limit = 9};
    must(archive, FLEET_DONE, &list);
    assert_true(same_bytes(answer.rows[0].about, xylem_view_of("{\"a\":1}")));
}

ARCHIVE_TEST(a_rewritten_segment_takes_the_place_of_the_older_one)
{
    fill("ab");
    assert_int_equal(try_segment(archive, "ab", 4, 5, xylem_view_of("redacted"), 2), 0);
    reopen();
    assert_int_equal(read_from("ab", 1, 10), FLEET_DONE);
    assert_int_equal(answer.piece_count, 3);
    assert_piece(1, 4, 5, "redacted");
    assert_int_equal(answer.pieces[1].generation, 2);
}

ARCHIVE_TEST(a_freed_session_has_its_remains_alone)
{
    struct fleet_object row = row_of("ab", 9);
    row.freed = 1;
    fill("ab");
    assert_int_equal(try_segment(archive, "ab", 0, 0, xylem_view_of("rest"), 0), 0);
    assert_int_equal(fleet_directory_clear(archive, row.id, false, &err), 0);
    assert_int_equal(fleet_directory_write(archive, &row, &err), 0);
    for (int times = 0; times < 2; times++) { /* with a row, and without one */
        reopen();
        assert_int_equal(read_from("ab", 0, 10), FLEET_DONE);
        assert_true(answer.rows[0].freed);
        assert_int_equal(answer.piece_count, 1);
        assert_piece(0, 0, 0, "rest");
        assert_int_equal(read_from("ab", 5, 10), FLEET_DONE);
        assert_piece(0, 0, 0, "rest");
        assert_false(is_there(file_of(FIRST)));
        assert_int_equal(unlink(file_of("row")), times == 0 ? 0 : -1);
    }
    assert_int_equal(fleet_directory_clear(archive, row.id, true, &err), 0);
    assert_int_equal(fleet_directory_write(archive, &row, &err), 0);
    assert_int_equal(read_from("ab", 0, 10), FLEET_DONE);
    assert_true(answer.rows[0].freed);
    assert_int_equal(answer.piece_count, 0);
    assert_int_equal(fleet_directory_clear(archive, xylem_view_of("never seen"), true, &err), 0);
}

ARCHIVE_TEST(nobody_can_own_or_write_a_session_by_requests_to_an_archive)
{
    static const enum fleet_ask asks[] = {FLEET_CLAIM,  FLEET_LOOK,    FLEET_RELEASE,
                                          FLEET_APPEND, FLEET_REWRITE, FLEET_FREE};
    fill("ab");
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        const struct fleet_request request = {.ask = asks[i], .session = xylem_view_of("ab"), .make = true};
        must(archive, FLEET_REFUSED, &request);
        said("is an archive");
    }
}

ARCHIVE_TEST(requests_beyond_a_limit_are_not_taken_and_one_is_taken_at_a_time)
{
    static char much[XYLEM_SESSION_ID_BYTES_MAX + 1];
    struct fleet_request request = {.ask = FLEET_ROW, .session = {much, sizeof much}};
    assert_int_equal(archive->submit(archive, 1, &request, &err), XYLEM_E_LIMIT);
    request.session.bytes = 0;
    assert_int_equal(archive->submit(archive, 1, &request, &err), XYLEM_E_LIMIT);
    assert_int_equal(archive->poll(archive, &answer, &err), 0);
    request.session.bytes = 1;
    assert_int_equal(archive->submit(archive, 1, &request, &err), 0);
    assert_int_equal(archive->submit(archive, 2, &request, &err), XYLEM_E_BUSY);
    assert_int_equal(archive->poll(archive, &answer, &err), 1);
    assert_int_equal(archive->poll(archive, &answer, &err), 0);
}

/* --- Lists -------------------------------------------------------------------------------------------------------- */

ARCHIVE_TEST(sessions_are_listed_in_the_order_of_their_ids)
{
    static char long_id[201];
    static char longer_id[202];
    static char longest_id[201];
    memset(long_id, 'k', 100);
    memset(longer_id, 'k', 101);
    memset(longest_id, 'k', 200);
    const char *const ids[] = {"../../escape", "a", "ab", "ab/", "b\xff", long_id, longer_id, longest_id, "z"};
    const size_t count = sizeof ids / sizeof *ids;
    for (size_t i = count; i-- > 0;) {
        append(ids[i], 1, 2, ids[i]);
    }
    reopen();
    struct fleet_request list = {.ask = FLEET_LIST, .limit = 100};
    must(archive, FLEET_DONE, &list);
    assert_int_equal(answer.row_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(same_bytes(answer.rows[i].id, xylem_view_of(ids[i])));
    }
    list.behind = xylem_view_of("ab");
    list.limit = 2;
    must(archive, FLEET_DONE, &list);
    assert_int_equal(answer.row_count, 2);
    assert_true(same_bytes(answer.rows[0].id, xylem_view_of("ab/")));
    list.behind = xylem_view_of(long_id);
    must(archive, FLEET_DONE, &list);
    assert_true(same_bytes(answer.rows[0].id, xylem_view_of(longer_id)));
    list.behind = xylem_view_of(longer_id);
    must(archive, FLEET_DONE, &list);
    assert_int_equal(answer.row_count, 2);
    assert_true(same_bytes(answer.rows[0].id, xylem_view_of(longest_id)));
    list.behind = xylem_view_of(longest_id);
    must(archive, FLEET_DONE, &list);
    assert_int_equal(answer.row_count, 1);
    list.behind = xylem_view_of("z");
    must(archive, FLEET_DONE, &list);
    assert_int_equal(answer.row_count, 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(read_from(ids[i], 1, 1), FLEET_DONE);
        assert_piece(0, 1, 2, ids[i]);
    }
    assert_int_equal(test_directory_count(place), 1);
    assert_int_equal(test_directory_count(archive_path), 2);
}

ARCHIVE_TEST(names_of_others_are_skipped)
{
    char path[500];
    fill("ab");
    put_bytes(file_of("0000000000000009.bak"), "x", 1);
    put_bytes(file_of("new"), "x", 1);
    put_bytes(file_of("000000000000000G"), "x", 1);
    (void)snprintf(path, sizeof path, "%s/sessions/strange", archive_path);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/sessions/00", archive_path);
    (void)mkdir(path, 0700);
    (void)strcat(path, "/6162");
    assert_int_equal(mkdir(path, 0700), 0);
    const struct fleet_request list = {.ask = FLEET_LIST, .limit = 100};
    must(archive, FLEET_DONE, &list);
    assert_int_equal(answer.row_count, 1);
    assert_int_equal(read_from("ab", 1, 10), FLEET_DONE);
    assert_int_equal(answer.piece_count, 3);
    append("ab", 9, 10, "fourth");
}

/* --- Damage ------------------------------------------------------------------------------------------------------- */

/* With each byte of the file changed, and with each shorter file, the request is refused. */
static void damage(const char *name, const struct fleet_request *request)
{
    char path[400];
    (void)snprintf(path, sizeof path, "%s", file_of(name));
    struct xylem_buffer bytes = bytes_of(path);
    for (size_t i = 0; i < bytes.bytes; i++) {
        bytes.data[i] ^= (char)(1 << i % 8);
        put_bytes(path, bytes.data, bytes.bytes);
        must(archive, FLEET_REFUSED, request);
        said(path);
        assert_int_equal(answer.piece_count, 0);
        bytes.data[i] ^= (char)(1 << i % 8);
        put_bytes(path, bytes.data, i);
        must(archive, FLEET_REFUSED, request);
    }
    assert_int_equal(xylem_buffer_add(&bytes, "more", 4), 0);
    put_bytes(path, bytes.data, bytes.bytes);
    must(archive, FLEET_REFUSED, request);
    put_bytes(path, bytes.data, bytes.bytes - 4);
    must(archive, FLEET_DONE, request);
    xylem_buffer_release(&bytes);
}

ARCHIVE_TEST(a_segment_with_a_flipped_bit_or_a_cut_is_refused)
{
    const struct fleet_request request = {.ask = FLEET_READ, .session = xylem_view_of("ab"), .from = 1, .limit = 10};
    fill("ab");
    damage(FIRST, &request);
}

ARCHIVE_TEST(a_row_with_a_flipped_bit_or_a_cut_is_refused)
{
    const struct fleet_request row = {.ask = FLEET_ROW, .session = xylem_view_of("ab")};
    const struct fleet_request list = {.ask = FLEET_LIST, .limit = 10};
    fill("ab");
    damage("row", &row);
    damage("row", &list);
}

ARCHIVE_TEST(what_stands_before_damage_is_read)
{
    fill("ab");
    put_bytes(file_of("0000000000000005"), "x", 1);
    assert_int_equal(read_from("ab", 1, 10), FLEET_DONE);
    assert_int_equal(answer.piece_count, 2);
    assert_int_equal(read_from("ab", 5, 10), FLEET_REFUSED);
    said("no file of an archive");
    said("remove the directory of the session");
}

/* Writes an object whose sum is right. */
static void put_object(const char *path, const struct fleet_object *object)
{
    struct xylem_buffer bytes = {0};
    assert_int_equal(fleet_object_write(&bytes, object, &err), 0);
    put_bytes(path, bytes.data, bytes.bytes);
    xylem_buffer_release(&bytes);
}

ARCHIVE_TEST(a_file_in_the_place_of_another_is_refused)
{
    fill("ab");
    fill("other");
    struct xylem_buffer second = bytes_of(file_of("0000000000000004"));
    put_bytes(file_of(FIRST), second.data, second.bytes);
    assert_int_equal(read_from("ab", 1, 1), FLEET_REFUSED);
    said("of another session or place");
    xylem_buffer_release(&second);
    struct fleet_object object = {.type = FLEET_OBJECT_SEGMENT,
                                  .id = xylem_view_of("other"),
                                  .from = 1,
                                  .to = 4,
                                  .chain = 30,
                                  .frame = xylem_view_of("no frame")};
    put_object(file_of(FIRST), &object);
    assert_int_equal(read_from("ab", 1, 1), FLEET_REFUSED);
    said("of another session or place");
    object.id = xylem_view_of("ab");
    put_object(file_of(FIRST), &object);
    assert_int_equal(read_from("ab", 1, 1), FLEET_REFUSED);
    said("zstd");
    object = (struct fleet_object){.type = FLEET_OBJECT_ROW, .id = xylem_view_of("other"), .to = 9};
    put_object(file_of("row"), &object);
    assert_int_equal(read_from("ab", 1, 1), FLEET_REFUSED);
    said("of another session or place");
}

ARCHIVE_TEST(links_pipes_and_directories_are_no_files_of_an_archive)
{
    char other[500];
    fill("ab");
    (void)snprintf(other, sizeof other, "%s/elsewhere", place);
    assert_int_equal(rename(file_of(FIRST), other), 0);
    assert_int_equal(symlink(other, file_of(FIRST)), 0);
    assert_int_equal(read_from("ab", 1, 1), FLEET_REFUSED);
    said("is a link");
    assert_int_equal(unlink(file_of(FIRST)), 0);
    assert_int_equal(mkfifo(file_of(FIRST), 0600), 0);
    assert_int_equal(read_from("ab", 1, 1), FLEET_REFUSED);
    said("no regular file");
    assert_int_equal(unlink(file_of(FIRST)), 0);
    assert_int_equal(mkdir(file_of(FIRST), 0700), 0);
    assert_int_equal(read_from("ab", 1, 1), FLEET_REFUSED);
    assert_int_equal(rmdir(file_of(FIRST)), 0);
    assert_int_equal(rename(other, file_of(FIRST)), 0);
    assert_int_equal(read_from("ab", 1, 1), FLEET_DONE);
}

ARCHIVE_TEST(a_missing_row_is_made_of_the_segments_that_follow_each_other)
{
    fill("ab");
    assert_int_equal(unlink(file_of("row")), 0);
    assert_int_equal(read_from("ab", 1, 10), FLEET_DONE);
    assert_int_equal(answer.piece_count, 3);
    assert_int_equal(answer.rows[0].next, 9);
    assert_int_equal(answer.rows[0].chain, 80);
    append("ab", 9, 10, "fourth");
    assert_int_equal(unlink(file_of("row")), 0);
    assert_int_equal(unlink(file_of("0000000000000005")), 0);
    assert_int_equal(read_from("ab", 1, 10), FLEET_DONE);
    assert_int_equal(answer.rows[0].next, 5);
    assert_int_equal(answer.piece_count, 2);
}

ARCHIVE_TEST(what_lies_behind_the_row_was_interrupted_and_comes_again)
{
    fill("ab");
    struct xylem_buffer row = bytes_of(file_of("row"));
    append("ab", 9, 12, "interrupted");
    put_bytes(file_of("row"), row.data, row.bytes);
    xylem_buffer_release(&row);
    assert_int_equal(read_from("ab", 1, 10), FLEET_DONE);
    assert_int_equal(answer.piece_count, 3);
    append("ab", 9, 11, "again");
    assert_int_equal(read_from("ab", 9, 10), FLEET_DONE);
    assert_int_equal(answer.piece_count, 1);
    assert_piece(0, 9, 11, "again");
}

/* --- Writers ------------------------------------------------------------------------------------------------------ */

ARCHIVE_TEST(a_second_writer_is_refused_and_a_reader_is_not)
{
    struct fleet_engine *other = open_archive(archive_path, false);
    fill("ab");
    assert_int_equal(try_append(other, "ab", 9, 10, "x"), XYLEM_E_BUSY);
    assert_non_null(strstr(err.text, "another process writes"));
    assert_int_equal(fleet_directory_clear(other, xylem_view_of("ab"), true, &err), XYLEM_E_BUSY);
    const struct fleet_request request = {.ask = FLEET_READ, .session = xylem_view_of("ab"), .from = 1, .limit = 1};
    must(other, FLEET_DONE, &request);
    archive->free(archive);
    archive = other;
    append("ab", 9, 10, "x");
}

ARCHIVE_TEST(without_room_nothing_is_appended_and_with_room_it_goes_on)
{
    struct rlimit before;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    fill("ab");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct fleet_object row = row_of("ab", 10);
    row.about = xylem_view_of("{\"a\":\"what makes the row larger than the segment\"}");
    int code = XYLEM_E_NO_SPACE;
    bool row_alone = false; /* the segment fitted, and its row did not */
    for (rlim_t bytes = 30; code == XYLEM_E_NO_SPACE; bytes++) {
        const struct rlimit small = {bytes, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        code = try_segment(archive, "ab", 9, 10, xylem_view_of("fourth"), 0);
        code = code < 0 ? code : fleet_directory_write(archive, &row, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        if (code < 0) {
            assert_non_null(strstr(err.text, "ulimit -f"));
            row_alone = row_alone || is_there(file_of("0000000000000009"));
            assert_false(is_there(file_of("new")));
            assert_int_equal(read_from("ab", 1, 10), FLEET_DONE);
            assert_int_equal(answer.piece_count, 3);
            assert_int_equal(answer.rows[0].next, 9);
        }
    }
    assert_int_equal(code, 0);
    assert_true(row_alone);
    (void)signal(SIGXFSZ, handler);
    assert_int_equal(read_from("ab", 9, 10), FLEET_DONE);
    assert_piece(0, 9, 10, "fourth");
}
