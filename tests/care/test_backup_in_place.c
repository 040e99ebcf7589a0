/*
 * Backups whose pages keep their places: no removed text is in the copy, and no damaged page comes along unnamed. What
 * holds for every backup is in test_backup.c.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/pages/page.h"
#include "tests/lib/chance.h"
#include "tests/lib/damage.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "xylem/append.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/redact.h"

#define PAGE DAMAGE_PAGE_BYTES
#define FREED "freed-text"
#define REDACTED "redacted-text"
#define KEPT "kept-text"

static const struct xylem_backup_options in_place = {.keep_pages = true};
static struct xylem_error err;
static char outside[128]; /* a directory for backups */
static char copy[160];

static int set_up_place(void **state)
{
    test_directory_make(outside, sizeof outside, "in-place");
    snprintf(copy, sizeof copy, "%s/copy", outside);
    return set_up(state);
}

static int tear_down_place(void **state)
{
    test_directory_remove(outside);
    return tear_down(state);
}

#define PLACED(test) TEST_WITH(test, set_up_place, tear_down_place)

/* Entries with a text and a number, short and long. */
static struct xylem_position add_texts(uint64_t session, const char *text, size_t count)
{
    static char payload[12000];
    struct xylem_position last = {0, 0};
    for (size_t i = 0; i < count; i++) {
        size_t bytes = i % 10 == 9 ? sizeof payload - 100 : 100 + i * 7 % 300;
        memset(payload, '.', sizeof payload);
        snprintf(payload, sizeof payload, "{\"text\":\"%s-%zu", text, i);
        payload[strlen(payload)] = '.';
        snprintf(payload + bytes, 20, "-%s\"}", "end");
        last = store_builder_add(&builder, session, NULL, "message", payload);
    }
    return last;
}

static void redact_all(uint64_t session, struct xylem_position last)
{
    static const struct xylem_redact_options options = {.reason = {"a secret", 8}, .only_this = true};
    for (; last.depth > 0; last.depth--) {
        struct xylem_redact_report report;
        int code = xylem_redact(&report, builder.txn, session, last, &options, &err);
        xylem_redact_report_release(&report);
        store_builder_must(code, &err);
    }
}

/* Sessions that stay, one that is freed and one that is redacted, with commits in between: pages mix their rows. */
static void fill(void)
{
    uint64_t kept = store_builder_session(&builder, "kept");
    uint64_t freed = store_builder_session(&builder, "gone");
    uint64_t secret = store_builder_session(&builder, "secret");
    struct xylem_position last = {0, 0};
    for (int i = 0; i < 12; i++) {
        add_texts(kept, KEPT, 10);
        add_texts(freed, FREED, 10);
        last = add_texts(secret, REDACTED, 10);
        store_builder_commit(&builder);
    }
    redact_all(secret, last);
    store_builder_must(xylem_session_delete(builder.txn, freed, &err), &err);
    store_builder_must(xylem_gc(NULL, builder.txn, NULL, &err), &err);
    store_builder_commit(&builder);
    add_texts(kept, KEPT, 10);
    store_builder_commit(&builder);
    xylem_abort(builder.txn);
    builder.txn = NULL;
}

static size_t count_text(const struct damage_file *file, const char *text)
{
    size_t count = 0;
    const unsigned char *at = file->bytes;
    for (; (at = memmem(at, file->count - (size_t)(at - file->bytes), text, strlen(text))); at++) {
        count++;
    }
    return count;
}

/* The control: takes the pages that a copy has, as they are in the store. */
static struct damage_file take_pages(const struct damage_file *store, const struct damage_file *from_copy)
{
    static const unsigned char hole[PAGE];
    struct damage_file taken = {malloc(from_copy->count), from_copy->count};
    memcpy(taken.bytes, from_copy->bytes, from_copy->count);
    for (size_t at = 2 * (size_t)PAGE; at < taken.count; at += PAGE) {
        if (memcmp(from_copy->bytes + at, hole, PAGE) != 0) {
            memcpy(taken.bytes + at, store->bytes + at, PAGE);
        }
    }
    return taken;
}

PLACED(no_freed_and_no_redacted_text_is_in_a_copy)
{
    struct xylem_backup_report report;
    fill();
    store_builder_must(xylem_backup(&report, builder.store, copy, &in_place, &err), &err);
    struct damage_file store = damage_read(builder.path);
    struct damage_file clean = damage_read(copy);
    struct damage_file control = take_pages(&store, &clean);
    assert_true(report.hole_bytes > 0);
    assert_true(count_text(&store, FREED) > 10 && count_text(&store, REDACTED) > 10);
    assert_true(count_text(&control, FREED) > 0);
    assert_true(count_text(&control, REDACTED) > 0);
    assert_int_equal(count_text(&clean, FREED), 0);
    assert_int_equal(count_text(&clean, REDACTED), 0);
    assert_int_equal(count_text(&clean, KEPT "-"), 130);
    damage_free(&store);
    damage_free(&clean);
    damage_free(&control);
}

PLACED(the_places_of_free_pages_take_no_room)
{
    struct xylem_backup_report report;
    char path[200];
    struct stat file;
    fill();
    store_builder_must(xylem_backup(&report, builder.store, copy, &in_place, &err), &err);
    snprintf(path, sizeof path, "%s/data.mdb", copy);
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(report.bytes, file.st_size);
    assert_in_range((uint64_t)file.st_blocks * 512, 1, report.bytes - report.hole_bytes + 16 * PAGE);
}

/* --- Damaged pages ------------------------------------------------------------------------------------------------ */

enum way { ZEROS, NOISE, BIT, NEIGHBOUR, WAY_COUNT };

static void damage(struct damage_file *file, size_t page, enum way way, struct chance *chance)
{
    unsigned char *bytes = file->bytes + page * PAGE;
    if (way == ZEROS) {
        memset(bytes, 0, PAGE);
    } else if (way == BIT) {
        bytes[chance_below(chance, PAGE)] ^= (unsigned char)(1 << chance_below(chance, 8));
    } else if (way == NEIGHBOUR) {
        memmove(bytes, file->bytes + (page == 2 ? page + 1 : page - 1) * PAGE, PAGE);
    } else {
        for (size_t i = 0; i < PAGE; i++) {
            bytes[i] = (unsigned char)chance_below(chance, 256);
        }
    }
}

/* The copy is sound, and has all entries of a session. */
static void look_at_copy(void)
{
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_verify_report report;
    store_builder_must(xylem_open(&store, copy, &options, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_verify(&report, txn, NULL, NULL, NULL, &err), &err);
    assert_int_equal(report.problem_count, 0);
    store_builder_must(xylem_session_find(&session, txn, xylem_view_of("kept"), &err), &err);
    assert_int_equal(session.leaf.depth, 130);
    xylem_abort(txn);
    store_builder_must(xylem_close(store, &err), &err);
}

/* True if the damage was named, false if nothing of the damage is in the copy. */
static bool is_named(const char *damaged, size_t page)
{
    struct xylem_store *store = NULL;
    int code = xylem_open(&store, damaged, NULL, &err);
    bool opened = code == XYLEM_OK;
    if (opened) {
        code = xylem_backup(NULL, store, copy, &in_place, &err);
        assert_int_equal(xylem_close(store, NULL), XYLEM_OK);
    }
    if (code == XYLEM_OK) {
        look_at_copy();
        test_directory_remove(copy);
        return false;
    }
    bool right = code == XYLEM_E_CORRUPT || (!opened && code == XYLEM_E_NOT_A_STORE) || code == XYLEM_E_BUSY;
    if (!right || (opened && code == XYLEM_E_CORRUPT &&
                   (!strstr(err.text, "; no backup was made") || !strstr(err.text, damaged)))) {
        fail_msg("page %zu: %d: %s", page, code, err.text);
    }
    assert_int_equal(access(copy, F_OK), -1);
    return true;
}

PLACED(each_damaged_page_is_named_or_its_damage_is_not_in_the_copy)
{
    char damaged[160];
    size_t named[WAY_COUNT] = {0};
    size_t page_count = 0;
    struct chance chance = chance_of(1);
    fill();
    struct damage_file sound = damage_read(builder.path);
    page_count = sound.count / PAGE;
    assert_true(page_count > 60);
    snprintf(damaged, sizeof damaged, "%s/damaged", outside);
    for (size_t page = 0; page < page_count; page += getenv("XYLEM_SHORT") ? 2 : 1) {
        for (enum way way = 0; way < WAY_COUNT; way++) {
            struct damage_file file = {malloc(sound.count), sound.count};
            memcpy(file.bytes, sound.bytes, sound.count);
            if (way == NEIGHBOUR && page < 3) {
                free(file.bytes);
                continue; /* a meta page in the place of another */
            }
            damage(&file, page, way, &chance);
            test_directory_remove(damaged);
            damage_write(damaged, &file);
            named[way] += is_named(damaged, page);
            damage_free(&file);
        }
    }
    damage_free(&sound);
    printf("figures: of %zu pages were named: %zu of zeros, %zu of noise, %zu with a bit, %zu with another page\n",
           page_count, named[ZEROS], named[NOISE], named[BIT], named[NEIGHBOUR]);
    assert_true(named[ZEROS] > 10 && named[NOISE] > 10 && named[BIT] > 5 && named[NEIGHBOUR] > 10);
}

PLACED(a_page_that_is_damaged_is_named_with_its_number_and_its_table)
{
    fill();
    struct damage_file file = damage_read(builder.path);
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__BRANCHES, 1, 0);
    char damaged[160];
    char expected[96];
    struct xylem_store *store = NULL;
    snprintf(damaged, sizeof damaged, "%s/damaged", outside);
    snprintf(expected, sizeof expected, "data.mdb: page %llu, of the table branches: says that it is page 0",
             (unsigned long long)row.page);
    damage_zero_page(&file, row.page);
    damage_write(damaged, &file);
    store_builder_must(xylem_open(&store, damaged, NULL, &err), &err);
    assert_int_equal(xylem_backup(NULL, store, copy, &in_place, &err), XYLEM_E_CORRUPT);
    if (!strstr(err.text, expected)) {
        fail_msg("'%s' is not in '%s'", expected, err.text);
    }
    store_builder_must(xylem_close(store, &err), &err);
    damage_free(&file);
}

/* The row `format` gets another sum on the way: the sum that was there must have been right. */
PLACED(a_damaged_row_that_gets_the_mark_is_named)
{
    static const char expected[] = "the row format of the table meta is damaged or missing; no backup was made";
    struct xylem_store *store = NULL;
    char damaged[160];
    unsigned count = 0;
    fill();
    struct damage_file file = damage_read(builder.path);
    snprintf(damaged, sizeof damaged, "%s/damaged", outside);
    damage_write(damaged, &file);
    store_builder_must(xylem_open(&store, damaged, NULL, &err), &err);
    snprintf(damaged, sizeof damaged, "%s/damaged/data.mdb", outside);
    int fd = open(damaged, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    for (size_t at = 0; at + 64 < file.count; at++) {
        if (memcmp(file.bytes + at, "format\3\0\0\0", 10) == 0) { /* behind the version and the features: a count */
            unsigned char wrong = file.bytes[at + 18] ^ 1;
            assert_int_equal(pwrite(fd, &wrong, 1, (off_t)at + 18), 1);
            count++;
        }
    }
    close(fd);
    assert_true(count > 0);
    assert_int_equal(xylem_backup(NULL, store, copy, &in_place, &err), XYLEM_E_CORRUPT);
    if (!strstr(err.text, expected)) {
        fail_msg("'%s' is not in '%s'", expected, err.text);
    }
    store_builder_must(xylem_close(store, &err), &err);
    damage_free(&file);
}
