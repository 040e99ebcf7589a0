/* Commands that write while another process does: none waits without an end, or without a word. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#include <signal.h>
#include <sys/file.h>

#include "xylem/lease.h"

/* A process that has a write transaction until it is ended. */
struct holder {
    pid_t pid;
    int pipe; /* whose end ends it */
};

static struct holder start_holder(const struct command *command)
{
    int to[2];
    int from[2];
    char byte = 0;
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xylem_store *store = NULL;
        struct xylem_txn *txn = NULL;
        close(to[1]);
        bool begun = xylem_open(&store, command->store, NULL, NULL) == XYLEM_OK &&
                     xylem_begin(&txn, store, XYLEM_WRITE, NULL) == XYLEM_OK && write(from[1], "b", 1) == 1;
        _exit(begun && read(to[0], &byte, 1) == 0 ? 0 : 1);
    }
    close(to[0]);
    close(from[1]);
    assert_int_equal(read(from[0], &byte, 1), 1);
    close(from[0]);
    return (struct holder){child, to[1]};
}

static void end_holder(const struct holder *holder)
{
    close(holder->pipe);
    assert_int_equal(waitpid(holder->pid, NULL, 0), holder->pid);
}

/* The deleted session D, the session S, and a lease whose owner died. */
static int set_up(void **state)
{
    struct command *command = NULL;
    struct xylem_store *store = NULL;
    struct xylem_lease *lease = NULL;
    command_set_up(state);
    command = *state;
    command_line(command, "append S --kind note --create --id root");
    command_line(command, "append D --kind note --create --id other");
    command_line(command, "delete D --yes");
    assert_exit(command, 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool taken = xylem_open(&store, command->store, NULL, NULL) == XYLEM_OK &&
                     xylem_lease_take(&lease, store, 1, NULL) == XYLEM_OK;
        _exit(taken ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    alarm(120); /* what waits for ever fails */
    return 0;
}

static int tear_down(void **state)
{
    alarm(0);
    return command_tear_down_verified(state);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(every_command_that_writes_ends_its_waiting_and_names_the_writer)
{
    static const char *const lines[] = {
        "append S --kind note --wait 0",
        "--wait 0 append S --kind note",
        "append N --kind note --create --wait=0",
        "navigate S:none --wait 0",
        "fork S:root --wait 0",
        "clone S --wait 0",
        "delete S --yes --wait 0",
        "undelete D --wait 0",
        "gc --yes --wait 0",
        "redact S:root --reason secret --yes --wait 0",
        "lease break S --yes --wait 0",
        "import " SCENARIO " --wait 0",
    };
    struct command *command = *state;
    struct holder holder = start_holder(command);
    char name[64];
    snprintf(name, sizeof name, "process %ld (test_wait) writes to ", (long)holder.pid);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int code = command_line(command, lines[i]);
        if (code != 4 || !strstr(command->err, name) || strstr(command->err, "waited")) {
            fail_msg("%s: %d: %s", lines[i], code, command->err);
        }
    }
    command->hurried = true;
    command_line(command, "compact --yes --wait 0"); /* it waits as long as it always does */
    assert_exit(command, 4);
    command->hurried = false;
    command_line(command, "log S --wait 0"); /* readers never wait */
    assert_exit(command, 0);
    end_holder(&holder);
    command_line(command, "append S --kind note --wait 0");
    assert_exit(command, 0);
}

IN_SCENE(an_import_of_many_files_waits_once)
{
    struct command *command = *state;
    struct holder holder = start_holder(command);
    command_line(command, "import " SCENARIO " --wait 0");
    assert_exit(command, 4);
    const char *first = strstr(command->err, "writes to");
    assert_non_null(first);
    assert_null(strstr(first + 1, "writes to"));
    end_holder(&holder);
}

IN_SCENE(a_command_that_waits_says_for_whom_after_a_second)
{
    struct command *command = *state;
    char told[200];
    struct holder holder = start_holder(command);
    snprintf(told, sizeof told,
             "xylem: append: waiting for process %ld (test_wait), which writes to the store (at most 2 s: --wait)\n",
             (long)holder.pid);
    command_line(command, "append S --kind note --wait 2");
    assert_exit(command, 4);
    assert_int_equal(strncmp(command->err, told, strlen(told)), 0); /* once */
    assert_contains(command->err + strlen(told), ": waited 2 s\n");
    assert_null(strstr(command->err + strlen(told), "waiting for"));
    end_holder(&holder);
}

static void wait_for_text(struct command *command, const char *text)
{
    char path[256];
    bool found = false;
    command_path(path, command, "err");
    while (!found) {
        usleep(5000);
        char *said = access(path, R_OK) == 0 ? command_read_file(path, NULL) : NULL;
        found = said != NULL && strstr(said, text);
        free(said);
    }
}

IN_SCENE(a_command_that_waited_goes_on_when_the_writer_ends)
{
    static const char *const words[] = {"append", "S", "--kind", "note"};
    struct command *command = *state;
    struct holder holder = start_holder(command);
    pid_t child = command_start(command, words, 4);
    wait_for_text(command, "at most 10 s"); /* the default */
    end_holder(&holder);
    command_end(command, child);
    assert_exit(command, 0);
}

/* An import puts off Ctrl-C until a file is done: but not while nothing of the file is begun. */
IN_SCENE(ctrl_c_ends_the_waiting)
{
    static const char *const words[][4] = {{"import", SCENARIO, NULL, NULL}, {"append", "S", "--kind", "note"}};
    struct command *command = *state;
    struct holder holder = start_holder(command);
    struct command *waiting[2];
    pid_t children[2];
    for (size_t i = 0; i < 2; i++) { /* both wait at once */
        command_set_up_empty((void **)&waiting[i]);
        memcpy(waiting[i]->store, command->store, sizeof command->store);
        children[i] = command_start(waiting[i], words[i], i == 0 ? 2 : 4);
    }
    for (size_t i = 0; i < 2; i++) {
        wait_for_text(waiting[i], "waiting for process");
        assert_int_equal(kill(children[i], SIGINT), 0);
        command_end(waiting[i], children[i]);
        assert_exit(waiting[i], 130);
        command_tear_down((void **)&waiting[i]);
    }
    end_holder(&holder);
}

/* Who makes a store holds its directory; a creator that was stopped holds it for good. */
IN_SCENE(making_a_store_does_not_wait_for_ever)
{
    struct command *command = *state;
    char path[256];
    char line[300];
    command_path(path, command, "new");
    assert_int_equal(mkdir(path, 0700), 0);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    snprintf(line, sizeof line, "-s %s init --wait 2", path);
    command->hurried = true;
    command_line(command, line);
    assert_exit(command, 4);
    assert_contains(command->err, "(test_wait), which makes the store (at most 2 s: --wait)");
    assert_contains(command->err, "(test_wait) makes the store in ");
    close(fd);
    command_line(command, line);
    assert_exit(command, 0);
}

/* As xylem compact and xylem redact hold it while they replace data.mdb. */
static int hold_lock_file(const struct command *command)
{
    char path[256];
    snprintf(path, sizeof path, "%s/xylem.lock", command->store);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    return fd;
}

IN_SCENE(every_command_waits_for_the_end_of_a_compaction_and_says_for_whom)
{
    static const char *const words[][4] = {{"append", "S", "--kind", "note"}, {"log", "S", NULL, NULL},
                                           {"sessions", NULL, NULL, NULL},    {"verify", NULL, NULL, NULL},
                                           {"import", SCENARIO, NULL, NULL},  {"watch", "S", NULL, NULL},
                                           {"undelete", "D", NULL, NULL},     {"lease", "status", NULL, NULL}};
    struct command *command = *state;
    struct command *waiting[8];
    pid_t children[8];
    char told[200];
    char path[256];
    struct stat out;
    int fd = hold_lock_file(command);
    snprintf(told, sizeof told,
             "waiting for process %ld (test_wait), which replaces the file of the store (at most 10 s: --wait)\n",
             (long)getpid());
    for (size_t i = 0; i < 8; i++) { /* all wait at once */
        size_t count = 0;
        while (count < 4 && words[i][count]) {
            count++;
        }
        command_set_up_empty((void **)&waiting[i]);
        memcpy(waiting[i]->store, command->store, sizeof command->store);
        children[i] = command_start(waiting[i], words[i], count);
    }
    for (size_t i = 0; i < 8; i++) {
        wait_for_text(waiting[i], told);
    }
    close(fd);
    for (size_t i = 0; i < 8; i++) {
        bool watches = strcmp(words[i][0], "watch") == 0;
        if (watches) { /* it waits for news now */
            command_path(path, waiting[i], "out");
            while (stat(path, &out) != 0 || out.st_size == 0) {
                usleep(5000);
            }
            assert_int_equal(kill(children[i], SIGINT), 0);
        }
        command_end(waiting[i], children[i]);
        if (waiting[i]->code != (watches ? 130 : 0)) {
            fail_msg("%s: %d: %s", words[i][0], waiting[i]->code, waiting[i]->err);
        }
        command_tear_down((void **)&waiting[i]);
    }
}

IN_SCENE(a_compaction_that_takes_longer_than_the_wait_is_named)
{
    struct command *command = *state;
    char told[300];
    int fd = hold_lock_file(command);
    snprintf(told, sizeof told, "process %ld (test_wait) replaces the file of the store in %s", (long)getpid(),
             command->store);
    command_line(command, "log S --wait 0");
    assert_error(command, 4, told);
    assert_null(strstr(command->err, "waited"));
    command->hurried = true;
    command_line(command, "append S --kind note --wait 2");
    assert_exit(command, 4);
    assert_contains(command->err, told);
    assert_contains(command->err, ": waited 2000 ms");
    command->hurried = false;
    command_line(command, "complete -- log S"); /* a shell waits for nobody */
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
    close(fd);
}
