/* Locates and opens the store, and runs a change. */
#include "cli/store/store.h"
#include "xylem/wake.h"
#include "xylem/outline.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Most runs of a change whose transaction filled the map; each time the map at least doubles. */
#define CHANGE_ATTEMPTS_MAX 16

#define WAIT_SECONDS_DEFAULT 10u

static uint64_t wait_seconds(const struct xylem_cli *cli)
{
    return cli->wait.given ? cli->wait.number : WAIT_SECONDS_DEFAULT;
}

int xylem_cli__locate(struct xylem_cli *cli)
{
    const char *named = getenv("XYLEM_STORE");
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    const char *directory = cli->store_option;
    const char *below = "";
    if (cli->store_path) {
        return 0;
    }
    if (directory) {
        if (*directory == '\0') {
            return xylem_cli__usage(cli, "--store needs the name of a directory");
        }
    } else if (named && *named != '\0') {
        directory = named;
    } else if (data && *data == '/') { /* the XDG specification: ignore a relative path */
        directory = data;
        below = "/xylem";
    } else if (home && *home != '\0') {
        directory = home;
        below = "/.local/share/xylem";
    } else {
        return xylem_cli__usage(cli,
                                "no store is named: neither --store, nor XYLEM_STORE, XDG_DATA_HOME or HOME is set");
    }
    if (asprintf(&cli->store_path, "%s%s", directory, below) < 0) {
        cli->store_path = NULL;
        return xylem_cli__fail_memory(cli);
    }
    xylem_cli__prepare_crash(cli);
    return 0;
}

int xylem_cli__locate_writing(struct xylem_cli *cli)
{
    return cli->no_lock ? xylem_cli__usage(cli, "--no-lock is for commands that read; this command writes")
                        : xylem_cli__locate(cli);
}

/* Opens the store, and warns if other users can read it; not while a shell completes words. */
static int open_with(struct xylem_cli *cli, const struct xylem_open_options *options)
{
    int code = xylem_open(&cli->store, cli->store_path, options, &cli->err);
    const char *warning = code == 0 ? xylem_store_warning(cli->store) : NULL;
    if (warning && !cli->warned && !cli->command->quiet) {
        xylem_cli__warn(cli, warning);
        cli->warned = true;
    }
    return code;
}

/* Names the holder, once for each wait. A deferred Ctrl-C ends the wait. */
static int hear_waiting(void *context, uint64_t waited_ms, const char *holder)
{
    struct xylem_cli *cli = context;
    (void)waited_ms;
    if (holder && !cli->holder_named) {
        if (isatty(STDERR_FILENO)) {
            xylem_cli__clear_line(); /* an import shows progress on this line */
        }
        xylem_cli__note(cli, "waiting for %s (at most %llu s: --wait)", holder, (unsigned long long)wait_seconds(cli));
    }
    cli->holder_named = holder;
    return xylem_cli__interrupted();
}

/* Options for opening the store: every wait has a limit, and the holder is named. */
static struct xylem_open_options options_of(struct xylem_cli *cli)
{
    uint64_t seconds = wait_seconds(cli);
    struct xylem_open_options options = {
        .allow_network_fs = cli->allow_network_fs, .waiting = hear_waiting, .waiting_context = cli};
    /* 0 would mean no limit */
    options.wait_ms = seconds == 0 ? 1 : seconds > UINT64_MAX / 1000 ? UINT64_MAX : seconds * 1000;
    options.open_wait_ms = cli->command->quiet || seconds == 0 ? 0 : options.wait_ms; /* a shell completes at once */
    return options;
}

static int open_store(struct xylem_cli *cli, bool read_only)
{
    struct xylem_open_options options = options_of(cli);
    assert(!cli->store);
    int code = read_only ? xylem_cli__locate(cli) : xylem_cli__locate_writing(cli);
    options.read_only = read_only;
    options.no_lock = cli->no_lock;
    if (code == 0 && (code = open_with(cli, &options)) == XYLEM_E_NOT_FOUND) {
        struct xylem_cli__text text = {0};
        xylem_cli__addf(&text, "there is no store in %s: ", cli->store_path);
        xylem_cli__add_named(cli, &text, "import", NULL);
        xylem_cli__add(&text, " reads pi's sessions into a new store, ");
        xylem_cli__add_named(cli, &text, "init", NULL);
        xylem_cli__add(&text, " makes an empty store");
        code = xylem_cli__fail_text(cli, code, &text);
    }
    return code;
}

int xylem_cli__open_reading(struct xylem_cli *cli)
{
    int code = open_store(cli, true);
    return code != 0 ? code : xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err);
}

int xylem_cli__open_writing(struct xylem_cli *cli)
{
    return open_store(cli, false);
}

void xylem_cli__keep_outlines(struct xylem_cli *cli)
{
    struct xylem_error err;
    if (cli->store && xylem_outlines_refresh(NULL, cli->store, &err) < 0) {
        xylem_cli__note(cli, "lists of sessions will read more of the store: %s", err.text);
    }
}

int xylem_cli__make_parents(struct xylem_cli *cli, const char *below)
{
    char *path = strdup(below);
    int code = 0;
    if (!path) {
        return xylem_cli__fail_memory(cli);
    }
    for (char *slash = strchr(path + 1, '/'); slash && code == 0; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) == 0 ? chmod(path, 0700) != 0 : errno != EEXIST) {
            code = xylem_cli__fail(cli, XYLEM_E_IO, "cannot make the directory %s: %s", path, strerror(errno));
        }
        *slash = '/';
    }
    free(path);
    return code;
}

int xylem_cli__open_creating(struct xylem_cli *cli, bool reading, bool *created)
{
    struct xylem_open_options options = options_of(cli);
    int code = xylem_cli__locate_writing(cli);
    *created = false;
    options.read_only = reading;
    if (code == 0 && (code = open_with(cli, &options)) == XYLEM_E_NOT_FOUND &&
        (code = xylem_cli__make_parents(cli, cli->store_path)) == 0) {
        options.read_only = false;
        options.create = true;
        code = open_with(cli, &options);
        *created = code == 0;
    }
    return code;
}

int xylem_cli__change(struct xylem_cli *cli, int (*change)(struct xylem_cli *cli, void *context), void *context)
{
    int code = cli->store ? 0 : xylem_cli__open_writing(cli);
    assert(!cli->txn);
    if (code != 0) {
        return code;
    }
    for (int attempt = 0; attempt < CHANGE_ATTEMPTS_MAX; attempt++) {
        code = xylem_begin(&cli->txn, cli->store, XYLEM_WRITE, &cli->err);
        if (code != 0) {
            return code;
        }
        struct xylem_txn *txn = cli->txn;
        code = change(cli, context);
        cli->txn = NULL;
        if (code == 0) {
            code = xylem_commit(txn, &cli->err);
        } else {
            xylem_abort(txn);
        }
        if (code != XYLEM_E_MAP_FULL) {
            return code;
        }
    }
    return code;
}

void xylem_cli__close_store(struct xylem_cli *cli)
{
    struct xylem_error err;
    xylem_abort(cli->txn);
    cli->txn = NULL;
    xylem_wake_free(cli->wake);
    cli->wake = NULL;
    if (xylem_close(cli->store, &err) != 0) {
        xylem_cli__note(cli, "%s", err.text);
    }
    cli->store = NULL;
}

void xylem_cli__close(struct xylem_cli *cli)
{
    xylem_cli__close_store(cli);
    free(cli->store_path);
    cli->store_path = NULL;
}
