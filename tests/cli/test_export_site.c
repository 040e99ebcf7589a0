/* The list of a site, `.xylem-site`, as hostile input: whatever it holds, no file goes that the command did not write. */
#include "tests/cli/command.h"
#include "tests/lib/chance.h"
#include "tests/lib/store_builder.h"

enum { LIST_BYTES = 4096 };

static void write_site(struct command *command, const char *name, const char *data, size_t bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/site/%s", command->directory, name);
    command_write_file(path, data, bytes);
}

/* A few bytes of the list become others, are doubled, or go. */
static size_t spoil(char *list, size_t bytes, struct chance *chance)
{
    static const char *const pieces[] = {"/",  "..",    "../kept.txt", "kept.txt", "\n",  "  ",
                                         "\r", ".html", "s.html",      "0",        "\xff"};
    for (int i = 1 + chance_below(chance, 4); i > 0 && bytes > 0; i--) {
        size_t at = (size_t)chance_below(chance, (int)bytes);
        const char *piece = pieces[chance_below(chance, (int)(sizeof pieces / sizeof pieces[0]))];
        size_t length = strlen(piece);
        if (chance_one_in(chance, 4)) {
            bytes = at;
        } else if (chance_one_in(chance, 4) && bytes * 2 < LIST_BYTES) {
            memcpy(list + bytes, list, bytes);
            bytes *= 2;
        } else if (at + length < LIST_BYTES) {
            memcpy(list + at, piece, length);
            bytes = at + length > bytes ? at + length : bytes;
        }
    }
    return bytes;
}

TEST_WITH(a_hostile_list_takes_no_file, command_set_up, command_tear_down)
{
    struct command *command = *state;
    struct chance chance = chance_of(7);
    char site[256];
    char path[512];
    size_t bytes = 0;
    static char spoilt[LIST_BYTES];
    command_path(site, command, "site");
    command_line(command, "init");
    command_line(command, "append s --create --id a --kind note");
    command_line(command, "append t --create --id a --kind note");
    command_run(command, "export", "--html", "--all", site, NULL);
    assert_int_equal(command->code, 0);
    snprintf(path, sizeof path, "%s/.xylem-site", site);
    char *list = command_read_file(path, &bytes);
    assert_true(bytes < LIST_BYTES / 2);
    command_path(path, command, "kept.txt");
    command_write_file(path, "kept", 4);
    write_site(command, "kept.txt", "kept", 4);
    write_site(command, "kept.html", "kept", 4);
    unsigned refused = 0;
    for (unsigned round = test_rounds(200); round > 0; round--) {
        memcpy(spoilt, list, bytes);
        size_t spoilt_bytes = spoil(spoilt, bytes, &chance);
        write_site(command, ".xylem-site", spoilt, spoilt_bytes);
        command_run(command, "export", "--html", "--all", site, NULL);
        assert_true(command->code == 0 || command->code == 1 || command->code == 2);
        refused += command->code == 2;
        if (command->code == 2) {
            regex_t line;
            assert_int_equal(regcomp(&line, "/site/\\.xylem-site:[0-9]+: expected ", REG_EXTENDED | REG_NOSUB), 0);
            assert_int_equal(regexec(&line, command->err, 0, NULL, 0), 0);
            regfree(&line);
        }
        snprintf(path, sizeof path, "%s/kept.html", site);
        assert_int_equal(access(path, F_OK), 0);
        snprintf(path, sizeof path, "%s/kept.txt", site);
        assert_int_equal(access(path, F_OK), 0);
        command_path(path, command, "kept.txt");
        assert_int_equal(access(path, F_OK), 0);
        write_site(command, ".xylem-site", list, bytes);
    }
    assert_true(refused > 0);
    free(list);
}

static bool is_there(const char *site, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", site, name);
    return access(path, F_OK) == 0;
}

TEST_WITH(a_run_stays_in_its_directory, command_set_up, command_tear_down)
{
    struct command *command = *state;
    char path[512];
    char site[256];
    if (SANITIZED) {
        skip();
    }
    command_path(site, command, "site");
    command_path(path, command, "elsewhere");
    assert_int_equal(mkdir(path, 0700), 0);
    command_line(command, "init");
    command_line(command, "append s --create --id a --kind note");
    command_line(command, "append gone --create --id a --kind note");
    command_run(command, "export", "--html", "--all", site, NULL);
    assert_exit(command, 0);
    command_line(command, "delete gone --yes");
    command_line(command, "append raced --create --id a --kind note");
    command_line(command, "append raced-too --create --id a --kind note");
    command_line(command, "append t --create --id a --kind note");
    snprintf(path, sizeof path, "%s/../elsewhere/gone.html", site);
    command_write_file(path, "kept", 4);
    snprintf(path, sizeof path, "%s/../elsewhere/.xylem-site.new", site);
    command_write_file(path, "kept", 4);
    command->swapping = true;
    command_run(command, "export", "--html", "--all", site, NULL);
    assert_exit(command, 1);
    assert_contains(command->err, "/raced.html is not of this site");
    assert_contains(command->err, "/raced-too.html is not of this site");
    assert_contains(command->out, "3 pages, 2 written, 1 removed, 2 left");
    static const char *const names[] = {"gone.html", ".xylem-site.new", "s.html", "t.html", "raced.html"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(is_there(site, names[i]), i < 2);
        snprintf(path, sizeof path, "%s.1", site);
        assert_int_equal(is_there(path, names[i]), i >= 2);
    }
    static const char *const raced[] = {"raced.html", "raced-too.html"};
    for (size_t i = 0; i < 2; i++) {
        struct stat status;
        snprintf(path, sizeof path, "%s.1/%s", site, raced[i]);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_size, 0);
    }
}

TEST_WITH(the_list_of_another_user_is_refused, command_set_up, command_tear_down)
{
    struct command *command = *state;
    char site[256];
    char list[512];
    if (geteuid() != 0) {
        skip();
    }
    command_path(site, command, "site");
    snprintf(list, sizeof list, "%s/.xylem-site", site);
    command_line(command, "init");
    command_run(command, "export", "--html", "--all", site, NULL);
    assert_exit(command, 0);
    assert_int_equal(chown(list, 1, 1), 0);
    command_run(command, "export", "--html", "--all", site, NULL);
    assert_exit(command, 6);
    assert_contains(command->err, "expected a file of this user");
}

static void export_damaged(struct command *command, const char *site)
{
    command_run(command, "export", "--html", "--all", site, NULL);
    assert_exit(command, 5);
    assert_contains(command->err, "s.html is not written: ");
    assert_null(strstr(command->err, "left as it is"));
    assert_true(is_there(site, "s.html"));
}

/* The list of sessions reads the leaf, and the page reads all. */
static void damaged_page_stays(struct command *command, bool of_page)
{
    struct store_builder builder;
    char site[256];
    char path[512];
    store_builder_open(&builder);
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "first", "message", "{\"role\":\"user\",\"content\":\"before\"}");
    struct xylem_position other =
        store_builder_add(&builder, session, "other", "message", "{\"role\":\"assistant\",\"content\":\"x\"}");
    struct xylem_position leaf =
        store_builder_add(&builder, session, "last", "message", "{\"role\":\"assistant\",\"content\":\"y\"}");
    uint64_t gone = store_builder_session(&builder, "t");
    store_builder_add(&builder, gone, "a", "note", "{}");
    store_builder_commit(&builder);
    snprintf(command->store, sizeof command->store, "%.100s", builder.path);
    command_path(site, command, "site");
    command_run(command, "export", "--html", "--all", site, NULL);
    assert_exit(command, 0);
    store_builder_damage(&builder, of_page ? other : leaf);
    store_builder_add(&builder, store_builder_session(&builder, "u"), "a", "note", "{}");
    assert_int_equal(xylem_session_delete(builder.txn, gone, NULL), 0);
    store_builder_commit(&builder);
    export_damaged(command, site);
    snprintf(path, sizeof path, "%s/s.html", site);
    char *page = command_read_file(path, NULL);
    assert_contains(page, "before");
    free(page);
    assert_true(is_there(site, "u.html"));
    assert_false(is_there(site, "t.html")); /* the session is gone */
    export_damaged(command, site);          /* the page is still listed, and is no foreign file */
    store_builder_close(&builder);
}

TEST_WITH(the_page_of_a_damaged_session_stays, command_set_up, command_tear_down)
{
    damaged_page_stays(*state, false);
}

TEST_WITH(a_page_that_cannot_be_read_whole_stays, command_set_up, command_tear_down)
{
    damaged_page_stays(*state, true);
}
