/* xylem init */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The directories above the store; the store's own is the library's business. */
static int make_parents(struct xylem_cli *cli)
{
    char *path = strdup(cli->store_path);
    int code = 0;

    if (path == NULL) {
        return xylem_cli__fail_memory(cli);
    }
    for (char *slash = strchr(path + 1, '/'); slash != NULL && code == 0; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) {
            code = xylem_cli__fail(cli, XYLEM_E_IO, "the directory %s cannot be made: %s", path, strerror(errno));
        }
        *slash = '/';
    }
    free(path);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options)
{
    struct xylem_open_options open_options = {.read_only = true};
    struct xylem_cli__text text = {0};
    const char *what = "is a xylem store already";

    (void)arguments;
    (void)argument_count;
    (void)options;
    int code = xylem_cli__locate(cli);
    if (code != 0) {
        return code;
    }
    code = xylem_open(&cli->store, cli->store_path, &open_options, &cli->err);
    if (code == XYLEM_E_NOT_FOUND) {
        what = "is a new xylem store";
        open_options = (struct xylem_open_options){.create = true};
        code = make_parents(cli);
        if (code == 0) {
            code = xylem_open(&cli->store, cli->store_path, &open_options, &cli->err);
        }
    }
    if (code == 0) {
        xylem_cli__add_shown(cli, &text, xylem_view_of(cli->store_path), XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__addf(&text, " %s\n", what);
        code = xylem_cli__put(cli, &text);
    }
    xylem_cli__text_release(&text);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_init = {
    .name = "init",
    .summary = "Make an empty store",
    .usage = "",
    .details = "A store that exists already is left as it is.\n",
    .run = run,
};
