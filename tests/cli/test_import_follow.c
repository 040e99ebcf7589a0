/* `xylem import --follow`: the store follows session files. At the end each export equals its file. */
#include "tests/cli/command.h"
#include "tests/lib/chance.h"
#include "tests/lib/test.h"

#include <sys/resource.h>
#include <time.h>
#include "xylem/lease.h"
#include "xylem/session.h"

#define HEADER(id)                                                                                                 \
    "{\"type\":\"session\",\"version\":3,\"id\":\"" id "\",\"timestamp\":\"2026-11-20T12:00:00.000Z\",\"cwd\":\"/" \
    "\"}\n"

/* An import that follows beside the commands of the test; it has a directory of its own, and the same store. */
struct followed {
    struct command *command;
    struct command *follower;
    pid_t child;
    char files[256]; /* the directory of session files */
};

static int set_up(void **state)
{
    struct followed *followed = calloc(1, sizeof *followed);
    command_set_up((void **)&followed->command);
    command_set_up_empty((void **)&followed->follower);
    memcpy(followed->follower->store, followed->command->store, sizeof followed->follower->store);
    command_path(followed->files, followed->command, "files");
    assert_int_equal(mkdir(followed->files, 0700), 0);
    *state = followed;
    return 0;
}

static int tear_down(void **state)
{
    struct followed *followed = *state;
    if (followed->child > 0) {
        kill(followed->child, SIGKILL);
        waitpid(followed->child, NULL, 0);
    }
    command_tear_down((void **)&followed->follower);
    command_tear_down_verified((void **)&followed->command);
    free(followed);
    return 0;
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

static pid_t start_in(struct command *command, const char *path)
{
    const char *words[] = {"import", "--follow", path};
    return command_start(command, words, 3);
}

static void start(struct followed *followed)
{
    followed->child = start_in(followed->follower, followed->files);
}

static void stop(struct followed *followed)
{
    assert_int_equal(kill(followed->child, SIGINT), 0);
    command_end(followed->follower, followed->child);
    followed->child = 0;
    assert_exit(followed->follower, 130);
}

static void kill_follower(struct followed *followed)
{
    int status;
    assert_int_equal(kill(followed->child, SIGKILL), 0);
    assert_int_equal(waitpid(followed->child, &status, 0), followed->child);
    followed->child = 0;
}

static void file_path(char path[512], const struct followed *followed, const char *name)
{
    snprintf(path, 512, "%s/%s", followed->files, name);
}

static void write_with(const struct followed *followed, const char *name, const char *mode, const char *text)
{
    char path[512];
    file_path(path, followed, name);
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The lines of a session: entries first, first + 1, ..., each the child of the entry before. */
static void append_entries(const struct followed *followed, const char *name, const char *mode, unsigned first,
                           unsigned count)
{
    for (unsigned i = first; i < first + count; i++) {
        char line[256];
        char parent[32] = "null";
        if (i > 0) {
            snprintf(parent, sizeof parent, "\"e%u\"", i - 1);
        }
        snprintf(line, sizeof line,
                 "{\"type\":\"note\",\"id\":\"e%u\",\"parentId\":%s,\"timestamp\":\"2026-11-20T12:00:00.000Z\"}\n", i,
                 parent);
        write_with(followed, name, mode, line);
        mode = "a";
    }
}

static bool export_equals(const struct followed *followed, const char *session, const char *path)
{
    command_run(followed->command, "export", session, "--quarantine", NULL);
    char *file = access(path, F_OK) == 0 ? command_read_file(path, NULL) : strdup("");
    bool equal = followed->command->code == 0 && strcmp(followed->command->out, file) == 0;
    free(file);
    return equal;
}

/* Waits until the export of the session equals the file. */
static void await_equal(const struct followed *followed, const char *session, const char *name)
{
    char path[512];
    file_path(path, followed, name);
    for (int waited = 0; waited < PATIENCE_MS; waited += 20) {
        if (export_equals(followed, session, path)) {
            return;
        }
        sleep_ms(20);
    }
    fail_msg("the export of %s does not equal %s: %s%s", session, path, followed->command->out, followed->command->err);
}

/* Nobody else can open the store until the follower, which has the removed file open, has closed the store. */
IN_SCENE(an_idle_follower_lets_go_of_a_store_whose_lock_file_was_removed)
{
    static const char *const names[] = {"lock.mdb", "xylem.lock"};
    struct followed *followed = *state;
    char path[512];
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    start(followed);
    await_equal(followed, "a", "a.jsonl");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", followed->command->store, names[i]);
        assert_int_equal(unlink(path), 0);
        await_equal(followed, "a", "a.jsonl");
        append_entries(followed, "a.jsonl", "a", i, 1);
        await_equal(followed, "a", "a.jsonl");
    }
    stop(followed);
}

IN_SCENE(appends_and_new_files_are_imported)
{
    struct followed *followed = *state;
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    append_entries(followed, "a.jsonl", "a", 0, 3);
    start(followed);
    await_equal(followed, "a", "a.jsonl");
    append_entries(followed, "a.jsonl", "a", 3, 2);
    await_equal(followed, "a", "a.jsonl");
    write_with(followed, "b.jsonl", "w", HEADER("b"));
    write_with(followed, "other.txt", "w", "no session\n");
    append_entries(followed, "b.jsonl", "a", 0, 1);
    await_equal(followed, "b", "b.jsonl");
    stop(followed);
    assert_contains(followed->follower->out, "1 file: 1 new; 3 entries added");
    assert_contains(followed->follower->out, "\ngrew ");
    assert_null(strstr(followed->follower->out, "unchanged"));
}

IN_SCENE(a_directory_that_appears_later_is_followed)
{
    struct followed *followed = *state;
    char path[512];
    assert_int_equal(rmdir(followed->files), 0);
    start(followed);
    sleep_ms(50);
    assert_int_equal(mkdir(followed->files, 0700), 0);
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    await_equal(followed, "a", "a.jsonl");
    file_path(path, followed, "below");
    assert_int_equal(mkdir(path, 0700), 0);
    file_path(path, followed, "below/deep");
    assert_int_equal(mkdir(path, 0700), 0);
    write_with(followed, "below/deep/b.jsonl", "w", HEADER("b"));
    await_equal(followed, "b", "below/deep/b.jsonl");
    append_entries(followed, "below/deep/b.jsonl", "a", 0, 2);
    await_equal(followed, "b", "below/deep/b.jsonl");
    stop(followed);
}

IN_SCENE(a_renamed_directory_is_followed_at_its_new_place)
{
    struct followed *followed = *state;
    char from[512];
    char to[512];
    file_path(from, followed, "one");
    file_path(to, followed, "two");
    assert_int_equal(mkdir(from, 0700), 0);
    write_with(followed, "one/a.jsonl", "w", HEADER("a"));
    start(followed);
    await_equal(followed, "a", "one/a.jsonl");
    assert_int_equal(rename(from, to), 0);
    append_entries(followed, "two/a.jsonl", "a", 0, 2);
    await_equal(followed, "a", "two/a.jsonl");
    stop(followed);
    assert_string_equal(strstr(followed->follower->err, "No such") ? "a problem" : "", "");
}

/* Editors replace a file: another file takes its name. */
IN_SCENE(renamed_and_replaced_files_are_imported)
{
    struct followed *followed = *state;
    char from[512];
    char to[512];
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    append_entries(followed, "a.jsonl", "a", 0, 2);
    start(followed);
    await_equal(followed, "a", "a.jsonl");
    write_with(followed, "a.tmp", "w", HEADER("a"));
    append_entries(followed, "a.tmp", "a", 0, 4);
    file_path(from, followed, "a.tmp");
    file_path(to, followed, "a.jsonl");
    assert_int_equal(rename(from, to), 0);
    await_equal(followed, "a", "a.jsonl");
    write_with(followed, "b.tmp", "w", HEADER("b"));
    file_path(from, followed, "b.tmp");
    file_path(to, followed, "b.jsonl");
    assert_int_equal(rename(from, to), 0);
    await_equal(followed, "b", "b.jsonl");
    assert_int_equal(unlink(to), 0);
    append_entries(followed, "a.jsonl", "a", 4, 1);
    await_equal(followed, "a", "a.jsonl");
    command_must(followed->command, "tree b");
    stop(followed);
}

IN_SCENE(a_line_in_the_making_is_no_problem)
{
    struct followed *followed = *state;
    write_with(followed, "a.jsonl", "w", "{\"type\":\"session\",\"ver");
    start(followed);
    sleep_ms(100);
    write_with(followed, "a.jsonl", "a",
               "sion\":3,\"id\":\"a\",\"timestamp\":\"2026-11-20T12:00:00.000Z\"}\n{\"type\":\"no");
    await_equal(followed, "a", "a.jsonl");
    write_with(followed, "a.jsonl", "a",
               "te\",\"id\":\"e0\",\"parentId\":null,\"timestamp\":\"2026-11-20T12:00:00.000Z\"}\n");
    await_equal(followed, "a", "a.jsonl");
    stop(followed);
    assert_string_equal(followed->follower->err, "");
}

IN_SCENE(a_killed_import_goes_on_at_its_next_start)
{
    struct followed *followed = *state;
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    for (unsigned round = 0; round < 5; round++) {
        start(followed);
        append_entries(followed, "a.jsonl", "a", round * 40, 40);
        kill_follower(followed);
        append_entries(followed, "a.jsonl", "a", 1000 + round, 0);
    }
    start(followed);
    await_equal(followed, "a", "a.jsonl");
    stop(followed);
}

IN_SCENE(two_imports_that_follow_do_not_disturb_each_other)
{
    struct followed *followed = *state;
    struct command *second = NULL;
    command_set_up_empty((void **)&second);
    memcpy(second->store, followed->command->store, sizeof second->store);
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    start(followed);
    pid_t other = start_in(second, followed->files);
    for (unsigned i = 0; i < 30; i++) {
        append_entries(followed, "a.jsonl", "a", i * 5, 5);
        sleep_ms(5);
    }
    await_equal(followed, "a", "a.jsonl");
    stop(followed);
    assert_string_equal(strstr(followed->follower->err, "jsonl") ? followed->follower->err : "", "");
    append_entries(followed, "a.jsonl", "a", 150, 5);
    await_equal(followed, "a", "a.jsonl");
    assert_int_equal(kill(other, SIGINT), 0);
    command_end(second, other);
    assert_exit(second, 130);
    command_tear_down((void **)&second);
}

/* The test is the host: its lease keeps the session, and the import takes the rest when the lease ends. */
IN_SCENE(a_leased_session_is_left_to_its_host)
{
    struct followed *followed = *state;
    struct xylem_store *store = NULL;
    struct xylem_lease *lease = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    char line[600];
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    snprintf(line, sizeof line, "import %s", followed->files);
    command_must(followed->command, line);
    assert_int_equal(xylem_open(&store, followed->command->store, NULL, NULL), 0);
    assert_int_equal(xylem_begin(&txn, store, XYLEM_READ, NULL), 0);
    assert_int_equal(xylem_session_find(&session, txn, xylem_view_of("a"), NULL), 0);
    xylem_abort(txn);
    assert_int_equal(xylem_lease_take(&lease, store, session.number, NULL), 0);
    append_entries(followed, "a.jsonl", "a", 0, 2);
    command_line(followed->command, line);
    assert_exit(followed->command, 0);
    assert_contains(followed->command->out, "1 file: 1 left to the owner; 0 entries added");
    assert_contains(followed->command->out, "left     ");
    snprintf(line, sizeof line, "import --json %s", followed->files);
    command_line(followed->command, line);
    assert_exit(followed->command, 0);
    assert_contains(followed->command->out, "\"failed_count\":0,\"left_count\":1,");
    start(followed);
    command_await(followed->follower, "out", "1 left to the owner");
    append_entries(followed, "a.jsonl", "a", 2, 2);
    sleep_ms(50);
    assert_int_equal(xylem_lease_release(lease, NULL), 0);
    assert_int_equal(xylem_close(store, NULL), 0);
    await_equal(followed, "a", "a.jsonl");
    stop(followed);
    assert_string_equal(followed->follower->err, "");
}

IN_SCENE(it_gives_way_to_a_compaction)
{
    struct followed *followed = *state;
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    start(followed);
    await_equal(followed, "a", "a.jsonl");
    command_must(followed->command, "compact --yes");
    append_entries(followed, "a.jsonl", "a", 0, 2);
    await_equal(followed, "a", "a.jsonl");
    stop(followed);
}

/* Without inotify the files are looked at again and again. */
IN_SCENE(without_inotify_changes_are_found_by_looking)
{
    struct followed *followed = *state;
    char from[512];
    char to[512];
    if (SANITIZED) {
        skip();
    }
    followed->follower->blind = true;
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    write_with(followed, "b.jsonl", "w", HEADER("b"));
    start(followed);
    await_equal(followed, "a", "a.jsonl");
    append_entries(followed, "a.jsonl", "a", 0, 2);
    await_equal(followed, "a", "a.jsonl");
    write_with(followed, "c.tmp", "w", HEADER("a"));
    append_entries(followed, "c.tmp", "a", 0, 3);
    file_path(from, followed, "c.tmp");
    file_path(to, followed, "a.jsonl");
    assert_int_equal(rename(from, to), 0);
    await_equal(followed, "a", "a.jsonl");
    file_path(to, followed, "b.jsonl");
    assert_int_equal(unlink(to), 0);
    file_path(to, followed, "below");
    assert_int_equal(mkdir(to, 0700), 0);
    write_with(followed, "below/d.jsonl", "w", HEADER("d"));
    await_equal(followed, "d", "below/d.jsonl");
    stop(followed);
    assert_string_equal(followed->follower->err,
                        "xylem: import: files are looked at every 1000 ms: inotify: Too many open files\n");
}

/* The target of a link changes without an event in the directory of the link. */
IN_SCENE(a_linked_file_is_followed)
{
    struct followed *followed = *state;
    char link[512];
    char target[256];
    command_path(target, followed->command, "target");
    write_with(followed, "../target", "w", HEADER("a"));
    file_path(link, followed, "a.jsonl");
    assert_int_equal(symlink(target, link), 0);
    start(followed);
    await_equal(followed, "a", "a.jsonl");
    append_entries(followed, "../target", "a", 0, 2);
    await_equal(followed, "a", "a.jsonl");
    command_path(target, followed->command, "later");
    write_with(followed, "../later", "w", HEADER("b"));
    file_path(link, followed, "b.jsonl");
    assert_int_equal(symlink(target, link), 0);
    await_equal(followed, "b", "b.jsonl");
    append_entries(followed, "../later", "a", 0, 2);
    await_equal(followed, "b", "b.jsonl");
    stop(followed);
    followed->child = start_in(followed->follower, link);
    append_entries(followed, "../later", "a", 2, 2);
    await_equal(followed, "b", "b.jsonl");
    append_entries(followed, "../later", "a", 4, 1);
    await_equal(followed, "b", "b.jsonl");
    stop(followed);
    assert_string_equal(followed->follower->err, "");
}

/* More directories, each in the other, than a process may open. */
IN_SCENE(deep_directories_are_followed)
{
    struct followed *followed = *state;
    struct rlimit limit;
    char name[200] = "";
    char path[512];
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int depth = 0; depth < 64; depth++) {
        strcat(name, depth == 0 ? "d" : "/d");
        file_path(path, followed, name);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    strcat(name, "/a.jsonl");
    write_with(followed, name, "w", HEADER("a"));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){32, limit.rlim_max}), 0);
    start(followed);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    await_equal(followed, "a", name);
    append_entries(followed, name, "a", 0, 2);
    await_equal(followed, "a", name);
    stop(followed);
    assert_string_equal(followed->follower->err, "");
}

/* A network file system below the root, as it is mounted later. */
IN_SCENE(below_a_network_file_system_files_are_looked_at)
{
    struct followed *followed = *state;
    char path[512];
    if (SANITIZED) {
        skip();
    }
    file_path(path, followed, "mounted");
    setenv("REMOTE_BELOW", path, 1);
    followed->follower->remote = true;
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    start(followed);
    unsetenv("REMOTE_BELOW");
    await_equal(followed, "a", "a.jsonl");
    assert_int_equal(mkdir(path, 0700), 0);
    write_with(followed, "mounted/b.jsonl", "w", HEADER("b"));
    await_equal(followed, "b", "mounted/b.jsonl");
    append_entries(followed, "mounted/b.jsonl", "a", 0, 2);
    await_equal(followed, "b", "mounted/b.jsonl");
    stop(followed);
    assert_contains(followed->follower->err, "/files/mounted: files are looked at every 1000 ms: inotify: ");
}

/* While the import stands still the queue of events overflows, and the event of the session file is lost. */
IN_SCENE(after_too_many_events_all_files_are_taken)
{
    struct followed *followed = *state;
    char paths[2][512];
    int files[2];
    char *text = command_read_file("/proc/sys/fs/inotify/max_queued_events", NULL);
    long most = strtol(text, NULL, 10);
    free(text);
    if (most > 1000000) {
        skip();
    }
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    start(followed);
    await_equal(followed, "a", "a.jsonl");
    assert_int_equal(kill(followed->child, SIGSTOP), 0);
    assert_int_equal(waitpid(followed->child, NULL, WUNTRACED), followed->child);
    for (int i = 0; i < 2; i++) {
        file_path(paths[i], followed, i == 0 ? "one" : "two");
        files[i] = open(paths[i], O_WRONLY | O_CREAT, 0600);
        assert_true(files[i] >= 0);
    }
    for (long i = 0; i <= most; i++) { /* equal events in a row are one event */
        assert_int_equal(write(files[i % 2], "x", 1), 1);
    }
    close(files[0]);
    close(files[1]);
    append_entries(followed, "a.jsonl", "a", 0, 2);
    assert_int_equal(kill(followed->child, SIGCONT), 0);
    await_equal(followed, "a", "a.jsonl");
    stop(followed);
}

/* A file that is given by its name is followed through a replacement, also if it comes later; its neighbours are not. */
IN_SCENE(a_named_file_is_followed_alone)
{
    struct followed *followed = *state;
    char path[512];
    char other[512];
    file_path(path, followed, "a.jsonl");
    followed->child = start_in(followed->follower, path);
    sleep_ms(50);
    write_with(followed, "b.jsonl", "w", HEADER("b"));
    write_with(followed, "a.jsonl", "w", HEADER("a"));
    await_equal(followed, "a", "a.jsonl");
    write_with(followed, "new", "w", HEADER("a"));
    append_entries(followed, "new", "a", 0, 1);
    file_path(other, followed, "new");
    assert_int_equal(rename(other, path), 0);
    await_equal(followed, "a", "a.jsonl");
    command_line(followed->command, "tree b");
    assert_exit(followed->command, 3);
    stop(followed);
}

/* --- Any writers -------------------------------------------------------------------------------------------------- */

#define SESSIONS_COUNT 3

/* One change of a session file: an append, whole or torn; a replacement; a rename; or the same file written anew. */
static void change(const struct followed *followed, struct chance *chance, unsigned session, unsigned *entries,
                   char names[][32])
{
    char *name = names[session];
    char from[512];
    char to[512];
    char header[200];
    char other[32];
    unsigned count = 1 + (unsigned)chance_below(chance, 4);
    snprintf(header, sizeof header,
             "{\"type\":\"session\",\"version\":3,\"id\":\"s%u\",\"timestamp\":\"2026-11-20T12:00:00.000Z\"}\n",
             session);
    switch (entries[session] == 0 ? 0 : chance_below(chance, 6)) {
    case 0: /* the first bytes of the file, in two steps */
        if (entries[session] == 0) {
            char rest = header[20];
            header[20] = '\0';
            write_with(followed, name, "w", header);
            header[20] = rest;
            write_with(followed, name, "w", header);
        }
        break;
    case 1: /* written in place, from the beginning: shorter for a moment */
        write_with(followed, name, "w", header);
        append_entries(followed, name, "a", 0, entries[session]);
        break;
    case 2: /* replaced by a rename */
        write_with(followed, "new.tmp", "w", header);
        append_entries(followed, "new.tmp", "a", 0, entries[session]);
        file_path(from, followed, "new.tmp");
        file_path(to, followed, name);
        assert_int_equal(rename(from, to), 0);
        break;
    case 3: /* renamed */
        snprintf(other, sizeof other, "s%u-%u.jsonl", session, (unsigned)chance_below(chance, 1000));
        file_path(from, followed, name);
        file_path(to, followed, other);
        assert_int_equal(rename(from, to), 0);
        snprintf(name, 32, "%s", other);
        break;
    default:
        break;
    }
    append_entries(followed, name, "a", entries[session], count);
    entries[session] += count;
}

IN_SCENE(any_writers_and_kills_leave_exports_equal_to_the_files)
{
    struct followed *followed = *state;
    char names[SESSIONS_COUNT][32] = {"s0.jsonl", "s1.jsonl", "s2.jsonl"};
    unsigned entries[SESSIONS_COUNT] = {0};
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    struct chance chance = chance_of(seed);
    printf("seed %llu\n", (unsigned long long)seed);
    start(followed);
    for (unsigned round = 0; round < test_rounds(160); round++) {
        change(followed, &chance, (unsigned)chance_below(&chance, SESSIONS_COUNT), entries, names);
        if (chance_below(&chance, 3) == 0) {
            sleep_ms(chance_below(&chance, 30));
        }
        if (chance_below(&chance, 12) == 0) {
            kill_follower(followed);
            start(followed);
        }
    }
    for (int i = 0; i < SESSIONS_COUNT; i++) {
        char id[8];
        snprintf(id, sizeof id, "s%d", i);
        if (entries[i] > 0) {
            await_equal(followed, id, names[i]);
        }
    }
    stop(followed);
}
