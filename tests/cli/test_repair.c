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
    char path[256];
    size_t now_bytes = 0;
    (void)command;
    snprintf(path, sizeof(path), "%s/data.mdb", directory);
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

/* The pages of the log's leaves hold most of such a store. */
static void zero_a_page(char *data, size_t *bytes)
{
    assert_true(*bytes > 24 * PAGE_BYTES);
    memset(data + *bytes / 2 / PAGE_BYTES * PAGE_BYTES, 0, PAGE_BYTES);
}

static void zero_first_half(char *data, size_t *bytes)
{
    memset(data, 0, *bytes / 2);
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
        memcpy(&root, data + meta * PAGE_BYTES + 16 + 24 + 48 + 40, sizeof(root));
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
        memcpy(&txn[meta], data + meta * PAGE_BYTES + 16 + 24 + 48 + 48 + 8, sizeof(txn[meta]));
    }
    memcpy(&root, data + (txn[1] > txn[0]) * PAGE_BYTES + 16 + 24 + 48 + 40, sizeof(root));
    assert_in_range(root, 2, bytes / PAGE_BYTES - 1);
    const char *page = data + root * PAGE_BYTES;
    for (size_t at = 2; at + name_bytes + 48 <= PAGE_BYTES; at++) {
        uint16_t key_bytes;
        memcpy(&key_bytes, page + at - 2, sizeof(key_bytes));
        if (key_bytes == name_bytes && memcmp(page + at, table, name_bytes) == 0) {
            memcpy(&root, page + at + name_bytes + 40, sizeof(root));
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

    snprintf(plain_store, sizeof(plain_store), "%s", command->store);
    command_path(store, command, "it's a store");
    snprintf(command->store, sizeof(command->store), "%.*s", (int)sizeof(command->store) - 1, store);
    assert_int_equal(rename(plain_store, command->store), 0);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        size_t bytes = 0;
        char *data = damage(command, &bytes, changes[i]);
        int code = command_run(command, "sessions", NULL);
        code = code != 0
                   ? code
                   : command_run(command, "append", "01a1f9f7-22cb", "--kind", "custom:x", "--only-in-store", NULL);
        assert_int_equal(code, 5);
        pasted(line, sizeof(line), command->err, "`xylem ", "` tells what is wrong, and what to do next\n");
        assert_int_equal(run_pasted(out, sizeof(out), line), 1);
        pasted(line, sizeof(line), out, "To save all that can be read into a new store:\n  xylem ", "\n");
        assert_in_range(run_pasted(out, sizeof(out), line), 0, 1);
        free(command->out);
        command->out = strdup(out);
        for (const char *at = out; (at = strstr(at, "\n  xylem ")); at++) {
            pasted(line, sizeof(line), at, "\n  xylem ", "\n");
            static char looked_at[1 << 20];
            bool again = strstr(line, " repair --older ") != NULL;
            assert_int_equal(run_pasted(looked_at, sizeof(looked_at), line), again); /* something is lost to it, too */
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
    for (char *at = page; (at = memmem(at, PAGE_BYTES - (size_t)(at - page), "/home/dev", 9)) != NULL; at++) {
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

static void import_all(struct command *command)
{
    assert_int_equal(command_run(command, "import", "-q", SESSIONS "../pi-0.74.2", SESSIONS, NULL), 1);
}

/*
 * Garbled bytes that look like nodes claim values as long as the file, and none of that is at the cost of whole ones.
 */
WITH_IMPORT_SESSIONS(without_meta_pages_no_entry_with_a_long_payload_is_lost)
{
    struct command *command = *state;
    char new_store[256];
    size_t bytes = 0;

    import_all(command);
    free(damage(command, &bytes, wipe_the_meta_pages));
    command_path(new_store, command, "new");
    assert_int_equal(command_run(command, "repair", new_store, NULL), 1);
    assert_contains(command->out, "\nall known data was saved: ");
    assert_null(strstr(command->out, "entry is lost"));
    assert_null(strstr(command->out, "entries are lost"));
}

WITH_IMPORT_SESSIONS(the_damaged_store_is_moved_to_a_name_that_is_free)
{
    struct command *command = *state;
    char new_store[256];
    char taken[300];

    snprintf(taken, sizeof(taken), "%s-damaged", command->store);
    assert_int_equal(mkdir(taken, 0700), 0);
    command_path(new_store, command, "new");
    assert_int_equal(command_run(command, "repair", new_store, NULL), 0);
    assert_contains(command->out, "/store-damaged-2\n");
    assert_int_equal(follow_moves(command), 2);
    assert_int_equal(rmdir(taken), 0); /* nothing was moved into it */
}

WITH_IMPORT_SESSIONS(whoever_follows_the_messages_has_a_store_again)
{
    static void (*const changes[])(char *data, size_t *bytes) = {zero_a_page, zero_first_half, cut_in_the_middle,
                                                                 garble_the_root, wipe_the_meta_pages};
    struct command *command = *state;
    char new_store[256];
    char old_store[256];

    snprintf(old_store, sizeof(old_store), "%s-damaged", command->store);
    command_path(new_store, command, "it's new");
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        char remove[600];
        size_t bytes = 0;
        char *data = damage(command, &bytes, changes[i]);
        int code = command_run(command, "repair", new_store, NULL);
        assert_in_range(code, 0, 1);
        assert_string_equal(command->err, "");
        assert_contains(command->out, "The damaged store was not changed.");
        assert_contains(command->out, ", and verifies\n");
        assert_int_equal(follow_moves(command), 2);
        assert_unchanged(command, old_store, data, bytes);
        assert_int_equal(command_run(command, "verify", NULL), 0);
        assert_int_equal(command_run(command, "sessions", NULL), 0);
        snprintf(remove, sizeof(remove), "rm -rf '%s'", old_store);
        assert_int_equal(system(remove), 0);
    }
}

WITH_IMPORT_SESSIONS(a_store_that_is_whole_is_copied_whole)
{
    struct command *command = *state;
    char new_store[256];

    command_path(new_store, command, "new");
    assert_int_equal(command_run(command, "repair", new_store, NULL), 0);
    assert_int_equal(strncmp(command->out, "everything was saved: ", 22), 0);
    assert_null(strstr(command->out, "xylem_lost"));
    assert_int_equal(command_run(command, "repair", new_store, NULL), 4);
    assert_contains(command->err, "exists already: the new store needs a directory of its own");
}

/* What is printed must not go into a file of the store that got the number of a standard descriptor. */
WITH_IMPORT_SESSIONS(closed_standard_descriptors_are_no_files_of_the_store)
{
    static const char *const commands[] = {"repair", "verify", "sessions", "backup"};
    struct command *command = *state;
    char data[300];

    snprintf(data, sizeof(data), "%s/data.mdb", command->store);
    for (unsigned closed = 1; closed < 8; closed++) {
        for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
            char line[1024];
            bool copies = i == 0 || i == 3;
            size_t bytes = 0;
            char *before = command_read_file(data, &bytes);
            snprintf(line, sizeof(line), "'%s' -s '%s' %s %s%s%s %s %s %s", command_program(), command->store,
                     commands[i], copies ? "'" : "", copies ? command->directory : "", copies ? "/new'" : "",
                     closed & 1 ? "<&-" : "</dev/null", closed & 2 ? ">&-" : ">/dev/null",
                     closed & 4 ? "2>&-" : "2>/dev/null");
            int status = system(line);
            if (!WIFEXITED(status) || WEXITSTATUS(status) != (closed & 2 ? 6 : 0)) {
                fail_msg("%s: %d", line, status);
            }
            snprintf(line, sizeof(line), "rm -rf '%s/new'", command->directory);
            assert_int_equal(system(line), 0);
            assert_unchanged(command, command->store, before, bytes);
        }
    }
}

WITH_IMPORT_SESSIONS(the_document_tells_of_each_entry)
{
    struct command *command = *state;
    char new_store[256];
    size_t bytes = 0;
    char *data = damage(command, &bytes, zero_first_half);

    command_path(new_store, command, "new");
    assert_int_equal(command_run(command, "repair", new_store, "--json", NULL), 1);
    assert_contains(command->out, "\"schema\":1,\"damaged_store\":");
    assert_contains(command->out, "\"complete\":false,");
    assert_contains(command->out, "\"problems\":[{\"table\":");
    assert_string_equal(command->out + strlen(command->out) - 4, "}]}\n");
    assert_unchanged(command, command->store, data, bytes);
}

static void erase_everything(char *data, size_t *bytes)
{
    memset(data, 0, *bytes);
}

WITH_IMPORT_SESSIONS(where_nothing_can_be_saved_it_says_so_and_exits_with_5)
{
    struct command *command = *state;
    char new_store[256];
    size_t bytes = 0;
    struct stat status;
    char *data = damage(command, &bytes, erase_everything);

    command_path(new_store, command, "new");
    assert_int_equal(command_run(command, "repair", new_store, NULL), 5);
    assert_contains(command->err, "nothing can be saved from");
    assert_contains(command->err,
                    "\nNothing was changed. To put a backup in the store's place, if there is a backup:\n  mv /");
    assert_null(strstr(command->err, "verify")); /* which says: repair */
    assert_int_equal(stat(new_store, &status), -1);
    assert_unchanged(command, command->store, data, bytes);
}
