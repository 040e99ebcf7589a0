/* xylem watch: a process that follows what others commit. */
#include "tests/cli/command.h"
#include "tests/lib/reader_slot.h"
#include "tests/lib/test.h"
#include "store/session.h"
#include "store/store.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/session.h"

#include <sys/file.h>

/* A watch that runs beside the commands of the test; it has a directory of its own, and the same store. */
struct watched {
    struct command *command;
    struct command *watcher;
    pid_t child;
};

/* Waits until the watch has written this. */
static void await(const struct watched *watched, const char *part)
{
    command_await(watched->watcher, "out", part);
}

static void start(struct watched *watched, const char *line)
{
    watched->child = command_start_line(watched->watcher, line);
}

/* Waits until the watch has ended, for as long as it takes: a test that hangs is ended by whoever runs it. */
static void end(struct watched *watched, int code)
{
    command_end(watched->watcher, watched->child);
    assert_exit(watched->watcher, code);
}

static void interrupt(struct watched *watched)
{
    assert_int_equal(kill(watched->child, SIGINT), 0);
    end(watched, 130);
    assert_string_equal(watched->watcher->err, "");
}

static void append(struct watched *watched, const char *words)
{
    char line[256];
    snprintf(line, sizeof line, "append s --kind note %s", words);
    command_line(watched->command, line);
    assert_exit(watched->command, 0);
}

static char *without_times(char *out)
{
    return command_replace(out, "[0-9]{4}-[0-9][0-9]-[0-9][0-9] [0-9:]{8}", "TIME");
}

static int set_up(void **state)
{
    struct watched *watched = calloc(1, sizeof *watched);
    assert_non_null(watched);
    command_set_up((void **)&watched->command);
    command_set_up_empty((void **)&watched->watcher);
    memcpy(watched->watcher->store, watched->command->store, sizeof watched->watcher->store);
    command_line(watched->command, "append s --create --kind note --id one");
    assert_exit(watched->command, 0);
    append(watched, "--id two");
    *state = watched;
    return 0;
}

static int tear_down(void **state)
{
    struct watched *watched = *state;
    command_tear_down((void **)&watched->watcher);
    command_tear_down_verified((void **)&watched->command);
    free(watched);
    return 0;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(entries_are_printed_as_they_are_committed)
{
    struct watched *watched = *state;
    start(watched, "watch s -n 3");
    await(watched, "two");
    append(watched, "--id three --data {\"a\":1}");
    await(watched, "three"); /* at once, not when the watch ends */
    append(watched, "--id four --parent one");
    append(watched, "--id five --parent none");
    end(watched, 0);
    watched->watcher->out = without_times(watched->watcher->out);
    assert_string_equal(watched->watcher->out, "one  TIME  note\n"
                                               "two  TIME  note\n"
                                               "three  TIME  note        {\"a\":1}\n"
                                               "below one:\n"
                                               "four   TIME  note\n"
                                               "a new root:\n"
                                               "five   TIME  note\n");
    assert_string_equal(watched->watcher->err, "");
}

IN_SCENE(moves_of_the_leaf_stand_where_they_happened)
{
    struct watched *watched = *state;
    start(watched, "watch s -n 2 --last 1");
    await(watched, "two");
    assert_int_equal(kill(watched->child, SIGSTOP), 0); /* so that it meets all of it at once */
    append(watched, "--id three");
    command_run(watched->command, "navigate", "s:one", "--reason", "back\x1b[2J", NULL);
    command_line(watched->command, "navigate s:none");
    command_line(watched->command, "navigate s:one");
    append(watched, "--id four");
    assert_int_equal(kill(watched->child, SIGCONT), 0);
    end(watched, 0);
    watched->watcher->out = without_times(watched->watcher->out);
    assert_string_equal(watched->watcher->out, "two  TIME  note\n"
                                               "three  TIME  note\n"
                                               "leaf: three -> one (back\\x1b[2J)\n"
                                               "leaf: one -> none\n"
                                               "leaf: none -> one\n"
                                               "four   TIME  note\n");
}

IN_SCENE(documents_stream)
{
    struct watched *watched = *state;
    start(watched, "watch s --jsonl -n 1 --last 1");
    await(watched, "\"entry\":\"two\"");
    command_run(watched->command, "navigate", "s:one", "--reason", "because", NULL);
    await(watched, "because");
    append(watched, "--id three --data {\"b\":2}");
    end(watched, 0);
    char *out = command_replace(watched->watcher->out, "\"time\":\"[^\"]*\"", "\"time\":T");
    watched->watcher->out = out;
    assert_string_equal(out, "{\"schema\":1,\"event\":\"entry\",\"is_new\":false,\"entry\":\"two\",\"parent\":\"one\","
                             "\"kind\":\"note\",\"time\":T,\"depth\":2,\"payload\":null}\n"
                             "{\"schema\":1,\"event\":\"move\",\"number\":1,\"time\":T,\"from\":\"two\",\"to\":\"one\","
                             "\"reason\":\"because\"}\n"
                             "{\"schema\":1,\"event\":\"entry\",\"is_new\":true,\"entry\":\"three\",\"parent\":\"one\","
                             "\"kind\":\"note\",\"time\":T,\"depth\":2,\"payload\":{\"b\":2}}\n");
}

IN_SCENE(a_fork_is_followed_from_its_base)
{
    struct watched *watched = *state;
    command_line(watched->command, "fork s:two --id forked");
    start(watched, "watch forked -n 1");
    await(watched, "two");
    append(watched, "--id theirs");
    command_line(watched->command, "append forked --kind note --id own");
    assert_exit(watched->command, 0);
    end(watched, 0);
    assert_contains(watched->watcher->out, "own");
    assert_null(strstr(watched->watcher->out, "theirs"));
}

/* An import appends many entries in one transaction; none is lost, and a limit holds in the middle of them. */
IN_SCENE(many_entries_of_one_commit_are_all_printed)
{
    struct watched *watched = *state;
    char path[256];
    command_path(path, watched->command, "many.jsonl");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"type\":\"session\",\"version\":3,\"id\":\"many\",\"timestamp\":\"2026-11-20T12:00:00.000Z\","
          "\"cwd\":\"/\"}\n",
          file);
    fputs("{\"type\":\"note\",\"id\":\"e0\",\"parentId\":null,\"timestamp\":\"2026-11-20T12:00:00.000Z\"}\n", file);
    assert_int_equal(fflush(file), 0);
    command_run(watched->command, "import", "-q", path, NULL);
    assert_exit(watched->command, 0);
    start(watched, "watch many -n 8000");
    await(watched, "e0");
    for (int i = 1; i <= 9000; i++) {
        fprintf(file,
                "{\"type\":\"note\",\"id\":\"e%d\",\"parentId\":\"e%d\",\"timestamp\":\"2026-11-20T12:00:00.000Z\"}\n",
                i, i - 1);
    }
    assert_int_equal(fclose(file), 0);
    command_run(watched->command, "import", "-q", path, NULL);
    assert_exit(watched->command, 0);
    end(watched, 0);
    size_t lines = 0;
    for (const char *at = watched->watcher->out; (at = strchr(at, '\n')); at++) {
        lines++;
    }
    assert_int_equal(lines, 8001);
    assert_contains(watched->watcher->out, "\ne8000 ");
    assert_null(strstr(watched->watcher->out, "\ne8001 "));
}

IN_SCENE(a_deleted_session_ends_it)
{
    struct watched *watched = *state;
    start(watched, "watch s --jsonl --last 1");
    await(watched, "two");
    command_line(watched->command, "delete s --yes");
    assert_exit(watched->command, 0);
    end(watched, 3);
    assert_contains(watched->watcher->out, "\n{\"schema\":1,\"event\":\"deleted\"}\n");
    assert_string_equal(watched->watcher->err, "xylem: watch: the session s was deleted\n");
    command_line(watched->command, "watch s");
    assert_error(watched->command, 3, "deleted");
}

/* The store is renamed, or its file is; then another one takes its place, or none does. */
IN_SCENE(a_store_that_is_moved_away_ends_it)
{
    static const struct {
        const char *moved;
        bool replaced;
        int code;
        const char *event;
        const char *text;
    } rounds[] = {
        {"store", true, 4, "\n{\"schema\":1,\"event\":\"replaced\"}\n", ": start the watch again\n"},
        {"store", false, 3, "\n{\"schema\":1,\"event\":\"removed\"}\n", "/store was removed\n"},
        {"store/data.mdb", true, 4, "\n{\"schema\":1,\"event\":\"replaced\"}\n", "another store took the place of "},
        {"store/data.mdb", false, 3, "\n{\"schema\":1,\"event\":\"removed\"}\n", "/store was removed\n"},
    };
    struct watched *watched = *state;
    char from[256];
    char away[256];
    char other[256];
    char line[300];

    for (size_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
        command_path(from, watched->command, rounds[i].moved);
        command_path(away, watched->command, "away");
        command_path(other, watched->command, "other");
        snprintf(line, sizeof line, "backup %s", other);
        command_must(watched->command, line);
        command_path(line, watched->watcher, "out");
        unlink(line); /* of the round before */
        start(watched, "watch s --jsonl --last 1");
        await(watched, "two");
        if (rounds[i].replaced) { /* in one step: the watch may look in between */
            strcat(other, strcmp(rounds[i].moved, "store") == 0 ? "" : "/data.mdb");
            assert_int_equal(renameat2(AT_FDCWD, from, AT_FDCWD, other, RENAME_EXCHANGE), 0);
        }
        assert_int_equal(rename(rounds[i].replaced ? other : from, away), 0);
        end(watched, rounds[i].code);
        assert_contains(watched->watcher->out, rounds[i].event);
        assert_contains(watched->watcher->err, rounds[i].text);
        if (rounds[i].replaced) {
            command_path(other, watched->command, "other");
            assert_int_equal(rename(from, other), strcmp(rounds[i].moved, "store") == 0 ? 0 : -1);
            unlink(from);
        }
        assert_int_equal(rename(away, from), 0);
        command_path(other, watched->command, "other");
        test_directory_remove(other);
    }
}

IN_SCENE(an_interrupt_ends_it)
{
    struct watched *watched = *state;
    start(watched, "watch s");
    await(watched, "two");
    interrupt(watched);
}

/* While it waits, its reader has no snapshot: the file can use its pages again. */
IN_SCENE(no_reader_is_left_open_while_it_waits)
{
    struct watched *watched = *state;
    start(watched, "watch s --last 1");
    await(watched, "two");
    char store[256];
    command_path(store, watched->command, "store");
    struct reader_slot slot = reader_slot_read(store, 0);
    assert_int_equal(slot.pid, watched->child);
    for (int tries = 0; slot.txn_id != UINT64_MAX; tries++) { /* the watch may just be looking */
        assert_true(tries < 100);
        sleep_ms(20);
        slot = reader_slot_read(store, 0);
    }
    assert_int_equal(reader_slot_read(store, 1).pid, 0);
    interrupt(watched);
}

/* Nobody reads any more: it ends by itself, also if nothing more is appended. */
IN_SCENE(a_closed_pipe_ends_it)
{
    struct watched *watched = *state;
    char byte;
    int ends[2];
    int status = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (dup2(ends[1], 1) < 0 || setenv("XYLEM_STORE", watched->command->store, 1) != 0) {
            _exit(126);
        }
        close(ends[0]);
        close(ends[1]);
        execl(command_program(), "xylem", "watch", "s", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGPIPE);
}

/* The store is replaced beside it, and what is appended then comes, too. */
IN_SCENE(it_gives_way_to_whoever_needs_the_store_alone)
{
    struct watched *watched = *state;
    start(watched, "watch s -n 2");
    await(watched, "two");
    command_line(watched->command, "stat --holders");
    assert_exit(watched->command, 0);
    watched->command->out = command_replace(watched->command->out, " +[0-9]+  xylem +[0-9]+[smh]", " PROCESS");
    assert_string_equal(watched->command->out, "PROCESS  PROGRAM  RUNNING  OPEN FOR  READS NOW\n"
                                               " PROCESS  reading   -\n");
    command_run(watched->command, "redact", "s:one", "--reason", "a key", "--yes", NULL);
    assert_exit(watched->command, 0);
    assert_contains(watched->command->out, "the old file was overwritten");
    append(watched, "--id three");
    await(watched, "three");
    command_line(watched->command, "compact --yes");
    assert_exit(watched->command, 0);
    append(watched, "--id four");
    end(watched, 0);
    assert_contains(watched->watcher->out, "\nfour ");
    assert_string_equal(watched->watcher->err, "");
}

/* The store gives way to a process that puts another store, without the session, in its place. */
IN_SCENE(another_store_behind_a_closed_one_ends_it)
{
    struct watched *watched = *state;
    struct flock wish = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = INT64_MAX - 1, .l_len = 1};
    char store[256];
    char away[256];
    char other[256];
    char line[300];
    command_path(store, watched->command, "store");
    command_path(away, watched->command, "away");
    command_path(other, watched->command, "other");
    snprintf(line, sizeof line, "-s %s append t --create --kind note", other);
    command_run(watched->command, "-s", other, "init", NULL);
    command_must(watched->command, line);
    start(watched, "watch s --jsonl --last 1");
    await(watched, "two");
    snprintf(line, sizeof line, "%s/xylem.lock", store);
    int lock = open(line, O_RDWR | O_CLOEXEC);
    assert_true(lock >= 0);
    assert_int_equal(fcntl(lock, F_OFD_SETLK, &wish), 0);
    assert_int_equal(flock(lock, LOCK_EX), 0); /* the watch has closed the store */
    assert_int_equal(rename(store, away), 0);
    assert_int_equal(rename(other, store), 0);
    close(lock);
    end(watched, 4);
    assert_contains(watched->watcher->out, "\n{\"schema\":1,\"event\":\"replaced\"}\n");
    assert_contains(watched->watcher->err, ": start the watch again\n");
    assert_int_equal(rename(store, other), 0);
    assert_int_equal(rename(away, store), 0);
}

/* A compaction replaces data.mdb while the watch waits to open the store again. */
IN_SCENE(a_file_that_is_replaced_while_the_watch_waits_to_open_is_the_same_store)
{
    struct watched *watched = *state;
    struct flock wish = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = INT64_MAX - 1, .l_len = 1};
    char path[256];
    char line[2048];
    start(watched, "watch s -n 2");
    await(watched, "two");
    command_path(path, watched->command, "store/xylem.lock");
    int lock = open(path, O_RDWR | O_CLOEXEC);
    assert_true(lock >= 0);
    assert_int_equal(fcntl(lock, F_OFD_SETLK, &wish), 0);
    assert_int_equal(flock(lock, LOCK_EX), 0); /* the watch has closed the store */
    wish.l_type = F_UNLCK;
    assert_int_equal(fcntl(lock, F_OFD_SETLK, &wish), 0);
    command_path(path, watched->command, "store/data.mdb");
    snprintf(line, sizeof line, "sleep 1; cp '%s' '%s.new' && mv '%s.new' '%s'", path, path, path, path);
    assert_int_equal(system(line), 0);
    close(lock);
    append(watched, "--id three");
    await(watched, "three");
    append(watched, "--id four");
    end(watched, 0);
    assert_contains(watched->watcher->out, "\nfour ");
}

/* Nobody reads what it writes: a pipe is full, so that it cannot come to the end of its output. */
IN_SCENE(a_reader_that_nobody_reads_gives_way)
{
    static const char *const lines[] = {"log many --jsonl", "watch many --last 2000 --jsonl -n 1"};
    struct watched *watched = *state;
    static char piece[65536];
    char fifo[256];
    command_line(watched->command, "import -q " SESSIONS "specials/deep-linear-3000.jsonl");
    assert_exit(watched->command, 0);
    command_line(watched->command, "clone 01a1fa04-8968 --id many");
    assert_exit(watched->command, 0);
    command_path(fifo, watched->watcher, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int waiting = 0;
        watched->watcher->out_path = fifo;
        int reader = open(fifo, O_RDONLY | O_NONBLOCK);
        start(watched, lines[i]);
        while (waiting < 60000) {
            assert_int_equal(ioctl(reader, FIONREAD, &waiting), 0);
            sleep_ms(1);
        }
        command_line(watched->command, "redact --finish");
        assert_exit(watched->command, 0);
        if (i == 1) {
            kill(watched->child, SIGKILL); /* it would watch on */
        }
        assert_int_equal(fcntl(reader, F_SETFL, 0), 0);
        while (read(reader, piece, sizeof piece) > 0) {
        }
        close(reader);
        end(watched, i == 0 ? 4 : 128 + SIGKILL);
        if (i == 0) {
            assert_contains(watched->watcher->err, "the output ends here: nobody reads the output");
        }
    }
    watched->watcher->out_path = NULL;
}

/* Starts a watch of the whole store, and commits until the watch is there. */
static void start_whole(struct watched *watched, const char *line)
{
    bool there = false;
    start(watched, line);
    for (int tries = 0; !there && tries < PATIENCE_MS / 10; tries++) {
        command_must(watched->command, "navigate s:two --reason begins");
        sleep_ms(10);
        there = command_wrote(watched->watcher, "out", "begins");
    }
    assert_true(there);
}

/* Without a session: each line names the session; new sessions, forks and deletions are lines. */
IN_SCENE(the_whole_store_is_followed)
{
    struct watched *watched = *state;
    start_whole(watched, "watch");
    append(watched, "--id four");
    await(watched, "four");
    command_run(watched->command, "navigate", "s:one", "--reason", "back", NULL);
    await(watched, "back");
    command_must(watched->command, "append other --create --kind note --id first");
    await(watched, "first");
    command_must(watched->command, "fork s:two --id forked");
    await(watched, "forked at");
    command_must(watched->command, "append forked --kind note --id own");
    command_must(watched->command, "append other --kind note --id second --parent none");
    await(watched, "second");
    command_must(watched->command, "delete other --yes");
    await(watched, "deleted");
    command_must(watched->command, "undelete other");
    await(watched, "undeleted");
    interrupt(watched);
    watched->watcher->out = without_times(watched->watcher->out);
    assert_contains(watched->watcher->out, "s  four  TIME  note\n"
                                           "s  leaf: four -> one (back)\n"
                                           "other  new session\n"
                                           "other  first  TIME  note\n"
                                           "forked  forked at two of s\n"
                                           "forked  own    TIME  note\n"
                                           "other   a new root:\n"
                                           "other   second  TIME  note\n"
                                           "other   deleted\n"
                                           "other   undeleted\n");
}

IN_SCENE(documents_of_the_whole_store_name_the_session)
{
    struct watched *watched = *state;
    start_whole(watched, "watch --jsonl -n 1");
    command_must(watched->command, "fork s:two --id f0");
    command_must(watched->command, "navigate s:one");
    command_must(watched->command, "delete f0 --yes");
    await(watched, "\"deleted\"");
    append(watched, "--id three");
    end(watched, 0);
    const char *out = watched->watcher->out;
    assert_contains(out, ",\"cwd\":null,\"source\":\"s\",\"forked_at\":\"two\"}\n");
    assert_contains(out, "{\"schema\":1,\"event\":\"move\",\"session\":\"s\",\"number\":");
    assert_contains(out, "{\"schema\":1,\"event\":\"deleted\",\"session\":\"f0\"}\n");
    assert_contains(out, "{\"schema\":1,\"event\":\"entry\",\"session\":\"s\",\"is_new\":true,\"entry\":\"three\",");
}

/* Its id would name another session; what is forked from it is a line. */
IN_SCENE(a_session_of_a_namespace_is_no_line)
{
    struct watched *watched = *state;
    struct xylem_open_options options = {0};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    const struct xylem_session_options spaced = {.id = xylem_view_of("s"), .name_space = xylem_view_of("a")};
    const struct xylem_session_options outside = {.id = xylem_view_of("outside"), .name_space = {"", 0}};
    const struct xylem_new_entry entry = {.id = xylem_view_of("hidden"), .kind.name = xylem_view_of("note")};
    start_whole(watched, "watch --jsonl -n 1");
    assert_int_equal(xylem_open(&store, watched->command->store, &options, NULL), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, NULL), 0);
    assert_int_equal(xylem_session_create(&session, txn, &spaced, NULL), 0);
    assert_int_equal(xylem_append(NULL, txn, session.number, &entry, 1, NULL, NULL), 0);
    assert_int_equal(xylem_clone(&session, txn, session.number, &outside, NULL), 0);
    assert_int_equal(xylem_commit(txn, NULL), 0);
    assert_int_equal(xylem_close(store, NULL), 0);
    append(watched, "--id three");
    end(watched, 0);
    assert_contains(watched->watcher->out, "\"session\":\"outside\",\"created\":");
    assert_contains(watched->watcher->out, "\"source\":null,\"forked_at\":\"hidden\"}\n");
    assert_contains(watched->watcher->out, "\"session\":\"s\",\"is_new\":true,\"entry\":\"three\",");
    assert_null(strstr(watched->watcher->out, "\"entry\":\"hidden\""));
}

IN_SCENE(documents_tell_redactions_names_and_undeletions)
{
    struct watched *watched = *state;
    start_whole(watched, "watch --jsonl");
    command_run(watched->command, "redact", "s:two", "--reason", "a key", "--yes", NULL);
    command_run(watched->command, "rename", "s", "new name", NULL);
    command_must(watched->command, "delete s --yes");
    command_must(watched->command, "undelete s");
    await(watched, "undeleted");
    interrupt(watched);
    const char *out = watched->watcher->out;
    assert_contains(out, "{\"schema\":1,\"event\":\"redacted\",\"session\":\"s\",\"entry\":\"two\"}\n"
                         "{\"schema\":1,\"event\":\"entry\",\"session\":\"s\",\"is_new\":true,");
    assert_contains(out, "\"kind\":\"session_info\",");
    assert_contains(out, "\"payload\":{\"name\":\"new name\"}}\n"
                         "{\"schema\":1,\"event\":\"deleted\",\"session\":\"s\"}\n"
                         "{\"schema\":1,\"event\":\"undeleted\",\"session\":\"s\"}\n");
}

IN_SCENE(a_redaction_is_a_line)
{
    struct watched *watched = *state;
    start(watched, "watch s -n 1");
    await(watched, "two");
    command_run(watched->command, "redact", "s:two", "--reason", "a key", "--yes", NULL);
    await(watched, "redacted: two\n");
    append(watched, "--id three");
    end(watched, 0);
}

/* gc frees a deleted session. */
IN_SCENE(an_imported_session_and_a_freed_one_are_lines)
{
    struct watched *watched = *state;
    start_whole(watched, "watch");
    command_must(watched->command, "append other --create --kind note --id first");
    await(watched, "other  new session");
    command_must(watched->command, "import " SCENARIO);
    await(watched, "01a1f9f7-22cb  new session  /home/dev/proj");
    assert_int_equal(kill(watched->child, SIGSTOP), 0); /* so that it meets both changes at once */
    command_must(watched->command, "delete other --yes");
    command_must(watched->command, "gc --yes");
    assert_int_equal(kill(watched->child, SIGCONT), 0);
    await(watched, "other          deleted\n");
    await(watched, "other          freed\n");
    interrupt(watched);
}

/* Gives the session a state, as an import of several parts does, with a change of its document. */
static void set_state(struct watched *watched, const char *id, enum xylem_session_state state, const char *entry)
{
    struct xylem_error err;
    struct xylem_store *store;
    struct xylem_txn *txn;
    struct xylem_session session;
    struct xylem_buffer copies = {0};
    struct xylem_new_entry new_entry = {.id = xylem_view_of(entry), .kind.name = xylem_view_of("note")};
    assert_int_equal(xylem_open(&store, watched->command->store, NULL, &err), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
    if (xylem_store__session_find_any(&session, txn, xylem_view_of(id), &err) < 0) {
        session = (struct xylem_session){.id = xylem_view_of(id)};
        assert_int_equal(xylem_store__session_add(txn, &session, &err), 0);
    }
    for (int last = 0; last < 2; last++) { /* an append needs a live session */
        assert_int_equal(xylem_session_read(&session, txn, session.number, &err), 0);
        assert_int_equal(xylem_store__session_own(&copies, &session), 0);
        session.state = last ? state : XYLEM_SESSION_LIVE;
        assert_int_equal(xylem_store__session_write(txn, &session, &err), 0);
        xylem_buffer_release(&copies);
        copies = (struct xylem_buffer){0};
        assert_int_equal(last ? 0 : xylem_append(NULL, txn, session.number, &new_entry, 1, NULL, &err), 0);
    }
    assert_int_equal(xylem_commit(txn, &err), 0);
    assert_int_equal(xylem_close(store, &err), 0);
}

static void change_state(struct watched *watched, const char *id, bool deletes)
{
    struct xylem_error err;
    struct xylem_store *store;
    struct xylem_txn *txn;
    struct xylem_session session;
    assert_int_equal(xylem_open(&store, watched->command->store, NULL, &err), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_WRITE, &err), 0);
    assert_int_equal(xylem_store__session_find_any(&session, txn, xylem_view_of(id), &err), 0);
    assert_int_equal(deletes ? xylem_session_delete(txn, session.number, &err)
                             : xylem_session_undelete(txn, session.number, &err),
                     0);
    assert_int_equal(xylem_commit(txn, &err), 0);
    assert_int_equal(xylem_close(store, &err), 0);
}

/* Whatever is done to a session before its import ends, a watch is silent; then all of the session comes at once. */
IN_SCENE(a_session_is_hidden_until_its_import_ends)
{
    struct watched *watched = *state;
    set_state(watched, "early", XYLEM_SESSION_IMPORTING, "e1");
    change_state(watched, "early", true);
    start_whole(watched, "watch");
    set_state(watched, "late", XYLEM_SESSION_IMPORTING, "l1");
    change_state(watched, "late", true);
    change_state(watched, "late", false);
    change_state(watched, "early", false);
    append(watched, "--id between");
    await(watched, "between");
    set_state(watched, "late", XYLEM_SESSION_IMPORTING, "l2");
    set_state(watched, "late", XYLEM_SESSION_LIVE, "l3");
    set_state(watched, "early", XYLEM_SESSION_LIVE, "e2");
    await(watched, "  e2  ");
    append(watched, "--id last");
    await(watched, "last");
    interrupt(watched);
    watched->watcher->out = without_times(watched->watcher->out);
    const char *between = strstr(watched->watcher->out, "between");
    assert_non_null(between);
    assert_string_equal(strchr(between, '\n') + 1, "late  new session\n"
                                                   "late  l1       TIME  note\n"
                                                   "late  l2       TIME  note\n"
                                                   "late  l3       TIME  note\n"
                                                   "early  new session\n"
                                                   "early  e1       TIME  note\n"
                                                   "early  e2       TIME  note\n"
                                                   "s      last     TIME  note\n");
    assert_null(strstr(watched->watcher->out, "deleted"));
}

IN_SCENE(a_session_that_came_back_before_the_look_is_watched_on)
{
    struct watched *watched = *state;
    start(watched, "watch s -n 1");
    await(watched, "two");
    assert_int_equal(kill(watched->child, SIGSTOP), 0);
    command_must(watched->command, "delete s --yes");
    command_must(watched->command, "undelete s");
    append(watched, "--id three");
    assert_int_equal(kill(watched->child, SIGCONT), 0);
    end(watched, 0);
    assert_contains(watched->watcher->out, "three");
}

IN_SCENE(a_watch_of_a_fork_tells_a_redaction_of_a_shared_entry)
{
    struct watched *watched = *state;
    command_must(watched->command, "fork s:two --id f");
    start(watched, "watch f -n 1");
    await(watched, "two");
    append(watched, "--id not-shared");
    command_run(watched->command, "redact", "s:not-shared", "--reason", "a key", "--yes", NULL);
    command_run(watched->command, "redact", "s:one", "--reason", "a key", "--yes", NULL);
    await(watched, "redacted: one\n");
    command_must(watched->command, "append f --kind note --id own");
    end(watched, 0);
    assert_contains(watched->watcher->out, "\nown "); /* the fork is followed still, not its source */
    assert_null(strstr(watched->watcher->out, "not-shared"));
}

IN_SCENE(the_whole_store_is_followed_behind_a_compaction)
{
    struct watched *watched = *state;
    start_whole(watched, "watch -n 2");
    append(watched, "--id three");
    await(watched, "three");
    command_line(watched->command, "compact --yes");
    assert_exit(watched->command, 0);
    append(watched, "--id four");
    end(watched, 0);
    assert_contains(watched->watcher->out, "\ns  four ");
}

/* Without inotify the watch looks again and again, and says so. */
IN_SCENE(without_inotify_the_watch_looks_and_says_so)
{
    struct watched *watched = *state;
    if (SANITIZED) {
        skip();
    }
    watched->watcher->blind = true;
    start(watched, "watch s -n 1");
    await(watched, "two");
    append(watched, "--id three");
    end(watched, 0);
    assert_contains(watched->watcher->out, "\nthree ");
    assert_contains(watched->watcher->err, ": commits are looked for every 100 ms: no inotify instance");
}
