/* xylem repair, as somebody uses it who has nothing but its messages. */
#include "tests/cli/pasted.h"
#include "tests/lib/test.h"

#define PAGE_BYTES 4096u

static void data_path(char path[256], const struct command *command)
{
    snprintf(path, 256, "%s/data.mdb", command->store);
}

static int import_sessions(void **state)
{
    command_set_up(state);
    assert_int_equal(command_run(*state, "import", "-q", SESSIONS "rpc-scenario", NULL), 0);
    return 0;
}

/* Does something to the bytes of data.mdb, and gives what they were then. */
static char *damage(const struct command *command, size_t *bytes, void (*change)(char *data, size_t *bytes))
{
    char path[256];
    data_path(path, command);
    char *data = command_read_file(path, bytes);
    change(data, bytes);
    command_write_file(path, data, *bytes);
    return data;
}

static void assert_unchanged(const struct command *command, const char *directory, char *data, size_t bytes)
{
    char path[300];
    size_t now_bytes = 0;
    (void)command;
    snprintf(path, sizeof path, "%s/data.mdb", directory);
    char *now = command_read_file(path, &now_bytes);
    assert_int_equal(now_bytes, bytes);
    assert_memory_equal(now, data, bytes);
    free(now);
    free(data);
}

/* Runs the lines of the output that begin with `  mv `. */
static unsigned follow_moves(const struct command *command)
{
    unsigned count = 0;
    char *lines = strdup(command->out);
    assert_non_null(lines);
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "  mv ", 5) == 0) {
            assert_int_equal(system(line), 0);
            count++;
        }
    }
    free(lines);
    return count;
}

static void cut_in_the_middle(char *data, size_t *bytes)
{
    (void)data;
    *bytes = *bytes / 2 + 100;
}

static void garble_the_root(char *data, size_t *bytes)
{
    assert_true(*bytes > 2 * PAGE_BYTES);
    for (size_t meta = 0; meta < 2; meta++) {
        uint64_t root;
        memcpy(&root, data + meta * PAGE_BYTES + 16 + 24 + 48 + 40, sizeof root);
        if (root * PAGE_BYTES + PAGE_BYTES <= *bytes) {
            memset(data + root * PAGE_BYTES, 0x5a, PAGE_BYTES);
        }
    }
}

static void wipe_the_meta_pages(char *data, size_t *bytes)
{
    assert_true(*bytes > 2 * PAGE_BYTES);
    memset(data, 0xff, (size_t)2 * PAGE_BYTES);
}

static void overwrite_meta(char *data, size_t *bytes, size_t number)
{
    assert_true(*bytes > 2 * PAGE_BYTES);
    memset(data + number * PAGE_BYTES, 0x5a, PAGE_BYTES);
}

static void wipe_the_first_meta_page(char *data, size_t *bytes)
{
    overwrite_meta(data, bytes, 0);
}

static void wipe_the_second_meta_page(char *data, size_t *bytes)
{
    overwrite_meta(data, bytes, 1);
}

static void cut_off_a_byte(char *data, size_t *bytes)
{
    (void)data;
    *bytes -= 1;
}

/* The page on which a table begins: its name stands on the page that the newest meta page leads to. */
static uint64_t root_of(const char *data, size_t bytes, const char *table)
{
    size_t name_bytes = strlen(table);
    uint64_t txn[2];
    uint64_t root;
    for (size_t meta = 0; meta < 2; meta++) {
        memcpy(&txn[meta], data + meta * PAGE_BYTES + 16 + 24 + 48 + 48 + 8, sizeof txn[meta]);
    }
    memcpy(&root, data + (txn[1] > txn[0]) * PAGE_BYTES + 16 + 24 + 48 + 40, sizeof root);
    assert_in_range(root, 2, bytes / PAGE_BYTES - 1);
    const char *page = data + root * PAGE_BYTES;
    for (size_t at = 2; at + name_bytes + 48 <= PAGE_BYTES; at++) {
        uint16_t key_bytes;
        memcpy(&key_bytes, page + at - 2, sizeof key_bytes);
        if (key_bytes == name_bytes && memcmp(page + at, table, name_bytes) == 0) {
            memcpy(&root, page + at + name_bytes + 40, sizeof root);
            assert_in_range(root, 2, bytes / PAGE_BYTES - 1);
            return root;
        }
    }
    fail_msg("there is no table %s", table);
    return 0;
}

static void garble_table(char *data, size_t bytes, const char *table)
{
    memset(data + root_of(data, bytes, table) * PAGE_BYTES, 0x5a, PAGE_BYTES);
}

static void garble_the_kinds(char *data, size_t *bytes)
{
    garble_table(data, *bytes, "kinds");
}

static void garble_the_sessions(char *data, size_t *bytes)
{
    garble_table(data, *bytes, "sessions");
}

static void garble_the_session_ids(char *data, size_t *bytes)
{
    garble_table(data, *bytes, "session_ids");
}

static void garble_the_log(char *data, size_t *bytes)
{
    garble_table(data, *bytes, "log");
}

#define WITH_IMPORT_SESSIONS(test) TEST_WITH(test, import_sessions, command_tear_down)

/* From the first command that fails, by nothing but what is printed, to a store in the old one's place. */
WITH_IMPORT_SESSIONS(each_message_names_the_command_that_leads_on)
{
    static void (*const changes[])(char *data, size_t *bytes) = {
        garble_the_root, wipe_the_meta_pages, wipe_the_first_meta_page, wipe_the_second_meta_page, cut_in_the_middle,
        cut_off_a_byte,  garble_the_kinds,    garble_the_sessions,      garble_the_session_ids,    garble_the_log,
    };
    struct command *command = *state;
    char plain_store[256];
    char store[256];
    char line[2048];
    static char out[1 << 20];
    snprintf(plain_store, sizeof plain_store, "%s", command->store);
    command_path(store, command, "it's a store");
    snprintf(command->store, sizeof command->store, "%.*s", (int)sizeof command->store - 1, store);
    assert_int_equal(rename(plain_store, command->store), 0);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        size_t bytes = 0;
        char *data = damage(command, &bytes, changes[i]);
        int code = command_run(command, "sessions", NULL);
        code = code != 0
                   ? code
                   : command_run(command, "append", "01a1f9f7-22cb", "--kind", "custom:x", "--only-in-store", NULL);
        assert_int_equal(code, 5);
        pasted(line, sizeof line, command->err, "`xylem ", "` tells what is wrong, and what to do next\n");
        assert_int_equal(run_pasted(out, sizeof out, line), 1);
        pasted(line, sizeof line, out, "To save all that can be read into a new store:\n  xylem ", "\n");
        assert_in_range(run_pasted(out, sizeof out, line), 0, 1);
        free(command->out);
        command->out = strdup(out);
        for (const char *at = out; (at = strstr(at, "\n  xylem ")); at++) {
            pasted(line, sizeof line, at, "\n  xylem ", "\n");
            static char looked_at[1 << 20];
            bool again = strstr(line, " repair --older ") != NULL;
            assert_int_equal(run_pasted(looked_at, sizeof looked_at, line), again); /* something is lost to it, too */
            assert_string_not_equal(looked_at, "");
            if (again) {
                free(command->out);
                command->out = strdup(looked_at);
            }
        }
        assert_int_equal(follow_moves(command), 2);
        assert_int_equal(command_run(command, "verify", NULL), 0);
        free(data);
    }
}

static void damage_each_session_row(char *data, size_t *bytes)
{
    uint64_t root = root_of(data, *bytes, "sessions");
    char *page = data + root * PAGE_BYTES;
    for (char *at = page; (at = memmem(at, PAGE_BYTES - (size_t)(at - page), "/home/dev", 9)); at++) {
        *at ^= 1;
    }
}

WITH_IMPORT_SESSIONS(sessions_whose_rows_are_damaged_are_counted_too)
{
    struct command *command = *state;
    size_t bytes = 0;
    free(damage(command, &bytes, damage_each_session_row));
    assert_int_equal(command_run(command, "verify", NULL), 1);
    assert_contains(command->out, "\n0 of 7 sessions are whole; damaged:\n  a session whose row is damaged\n");
    assert_contains(command->out, ": 7 sessions, ");
}

WITH_IMPORT_SESSIONS(whoever_follows_the_messages_behind_a_lost_root_has_a_store_again)
{
    struct command *command = *state;
    char new_store[256];
    char old_store[256];
    snprintf(old_store, sizeof old_store, "%s-damaged", command->store);
    command_path(new_store, command, "it's new");
    size_t bytes = 0;
    char *data = damage(command, &bytes, garble_the_root);
    assert_in_range(command_run(command, "repair", new_store, NULL), 0, 1);
    assert_string_equal(command->err, "");
    assert_contains(command->out, "The damaged store was not changed.");
    assert_contains(command->out, ", and verifies\n");
    assert_int_equal(follow_moves(command), 2);
    assert_unchanged(command, old_store, data, bytes);
    assert_int_equal(command_run(command, "verify", NULL), 0);
    assert_int_equal(command_run(command, "sessions", NULL), 0);
}
