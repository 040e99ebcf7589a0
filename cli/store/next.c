/* The next step of the user: commands to paste into a shell unchanged. */
#include "cli/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AGAIN_BYTES_MAX 250u /* of a command line in an error, which has room for 500 bytes */

#define NAMES_MAX 1000u

/* Counts the bytes of a path without trailing slashes, so that a suffix gives the name of a neighbour. */
static size_t bare_bytes(const char *path)
{
    size_t bytes = strlen(path);
    while (bytes > 1 && path[bytes - 1] == '/') {
        bytes--;
    }
    return bytes;
}

int xylem_cli__neighbour(struct xylem_cli *cli, char **name, const char *path, const char *suffix)
{
    struct stat status;
    *name = NULL;
    for (unsigned number = 1; number <= NAMES_MAX; number++) {
        char count[16] = "";
        if (number > 1) {
            snprintf(count, sizeof count, "-%u", number);
        }
        free(*name);
        if (asprintf(name, "%.*s%s%s", (int)bare_bytes(path), path, suffix, count) < 0) {
            *name = NULL;
            return xylem_cli__fail_memory(cli);
        }
        if (lstat(*name, &status) != 0) {
            break;
        }
    }
    return 0;
}

/* Adds a word for the shell. Bytes that the terminal shows as escapes become escapes of $'...'. */
static void add_word(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%";
    struct xylem_cli__text shown = {0};
    size_t bytes = strlen(word);
    xylem_cli__add_shown(cli, &shown, xylem_view_of(word), XYLEM_CLI__EXACT, SIZE_MAX);
    bool as_it_is = !shown.failed && shown.bytes.bytes == bytes && memcmp(shown.bytes.data, word, bytes) == 0;
    xylem_cli__text_release(&shown);
    if (bytes > 0 && bytes == strspn(word, plain)) {
        xylem_cli__add(text, word);
        return;
    }
    xylem_cli__add(text, as_it_is ? "'" : "$'");
    for (const char *at = word; *at != '\0'; at++) {
        if (*at == '\'') {
            xylem_cli__add(text, as_it_is ? "'\\''" : "\\'");
        } else if (as_it_is || (*at >= 0x20 && *at < 0x7f && *at != '\\')) {
            xylem_cli__add_bytes(text, at, 1);
        } else {
            xylem_cli__addf(text, "\\x%02x", (unsigned)(unsigned char)*at);
        }
    }
    xylem_cli__add(text, "'");
}

void xylem_cli__add_shell_path(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *path)
{
    char *bare = NULL;
    /* a path that begins with a dash would be taken for options */
    if (asprintf(&bare, "%s%.*s", *path == '-' ? "./" : "", (int)bare_bytes(path), path) < 0) {
        text->failed = true;
        return;
    }
    add_word(cli, text, bare);
    free(bare);
}

void xylem_cli__add_move(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *from, const char *to)
{
    xylem_cli__add(text, "  mv ");
    xylem_cli__add_shell_path(cli, text, from);
    xylem_cli__add(text, " ");
    xylem_cli__add_shell_path(cli, text, to);
    xylem_cli__add(text, "\n");
}

void xylem_cli__add_store_command(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *store,
                                  const char *command)
{
    xylem_cli__add(text, "  xylem -s ");
    xylem_cli__add_shell_path(cli, text, store);
    xylem_cli__add(text, " ");
    xylem_cli__add(text, command);
}

int xylem_cli__add_repair(struct xylem_cli *cli, struct xylem_cli__text *text)
{
    char *name = NULL;
    int code = xylem_cli__neighbour(cli, &name, cli->store_path, "-repaired");
    if (code == 0) {
        xylem_cli__add(text, "\nNothing was changed. To save all that can be read into a new store:\n");
        xylem_cli__add_store_command(cli, text, cli->store_path, "repair ");
        xylem_cli__add_shell_path(cli, text, name);
        xylem_cli__add(text, "\n");
    }
    free(name);
    return code;
}

int xylem_cli__add_restore(struct xylem_cli *cli, struct xylem_cli__text *text)
{
    char *name = NULL;
    int code = xylem_cli__neighbour(cli, &name, cli->store_path, "-damaged");
    if (code == 0) {
        xylem_cli__add(text, "\nNothing was changed. To put a backup in the store's place, if there is a backup:\n");
        xylem_cli__add_move(cli, text, cli->store_path, name);
        xylem_cli__add(text, "  cp -rp BACKUP ");
        xylem_cli__add_shell_path(cli, text, cli->store_path);
        xylem_cli__add(text, "\n");
    }
    free(name);
    return code;
}

void xylem_cli__add_named(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *command,
                          const char *argument)
{
    const char *named = getenv("XYLEM_STORE");
    bool default_store = !cli->store_option && (!named || *named == '\0');
    xylem_cli__add(text, "`xylem ");
    if (!default_store && cli->store_path) {
        xylem_cli__add(text, "-s ");
        xylem_cli__add_shell_path(cli, text, cli->store_path);
        xylem_cli__add(text, " ");
    }
    xylem_cli__add(text, command);
    if (argument) {
        xylem_cli__add(text, *argument == '-' ? " -- " : " ");
        add_word(cli, text, argument);
    }
    xylem_cli__add(text, "`");
}

void xylem_cli__add_again(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *word,
                          const char *meant)
{
    struct xylem_cli__text line = {0};
    bool replaced = false;
    for (char *const *typed = cli->typed; typed && *typed; typed++) {
        bool is_word = !replaced && strcmp(*typed, word) == 0;
        xylem_cli__add(&line, " ");
        add_word(cli, &line, is_word ? meant : *typed);
        replaced = replaced || is_word;
    }
    if (replaced && line.bytes.bytes <= AGAIN_BYTES_MAX) {
        xylem_cli__add(text, "`xylem");
        xylem_cli__add_bytes(text, line.bytes.data, line.bytes.bytes);
        xylem_cli__add(text, "`");
    } else {
        xylem_cli__addf(text, "%s in its place", meant);
    }
    xylem_cli__text_release(&line);
}

/* Names `xylem verify`, after damage. */
static void add_note(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *begin)
{
    xylem_cli__add(text, begin);
    xylem_cli__add_named(cli, text, "verify", NULL);
    xylem_cli__add(text, " tells what is wrong, and what to do next\n");
}

bool xylem_cli__has_data(const struct xylem_cli *cli, struct stat *status)
{
    char *path = NULL;
    bool there = cli->store_path && asprintf(&path, "%s/data.mdb", cli->store_path) >= 0;
    there = there && stat(path, status) == 0;
    free(path);
    return there;
}

/* Names the first file of the store without permission for the user, and the command to change the mode. */
static void add_permission(const struct xylem_cli *cli, struct xylem_cli__text *text)
{
    static const char *const names[] = {"", "/data.mdb", "/lock.mdb", "/xylem.lock"};
    struct stat status;
    bool found = false;
    for (size_t i = 0; !found && i < sizeof names / sizeof names[0]; i++) {
        char *path = NULL;
        int mode = i == 0 ? R_OK | W_OK | X_OK : R_OK | W_OK;
        if (asprintf(&path, "%s%s", cli->store_path, names[i]) < 0) {
            return;
        }
        found = faccessat(AT_FDCWD, path, mode, AT_EACCESS) != 0 && errno == EACCES && stat(path, &status) == 0;
        if (found) {
            xylem_cli__add(text, "xylem: ");
            xylem_cli__add_shown(cli, text, xylem_view_of(path), XYLEM_CLI__EXACT, SIZE_MAX);
            xylem_cli__addf(text, " has the mode %04o", (unsigned)status.st_mode & 07777u);
        }
        if (found && status.st_uid == geteuid()) {
            xylem_cli__addf(text, "; to open the store again:\n  chmod %s ", i == 0 ? "700" : "600");
            xylem_cli__add_shell_path(cli, text, path);
            xylem_cli__add(text, "\n");
        } else if (found) {
            xylem_cli__addf(text,
                            " and belongs to user %lu, not to user %lu: that user, or root, can change the mode\n",
                            (unsigned long)status.st_uid, (unsigned long)geteuid());
        }
        free(path);
    }
}

void xylem_cli__note_next(struct xylem_cli *cli, int code, int exit_code)
{
    struct xylem_cli__text text = {0};
    struct stat status;
    bool none = code == XYLEM_E_NOT_A_STORE && xylem_cli__has_data(cli, &status);
    bool damaged = exit_code == XYLEM_CLI__CORRUPT && !cli->file_damaged;
    if ((none || damaged) && cli->command && cli->command->repairs) {
        xylem_cli__add_restore(cli, &text);
    } else if (none || damaged) {
        add_note(cli, &text, damaged ? "xylem: the store is damaged; " : "xylem: if a store should be there, ");
    } else if (code == XYLEM_E_IO && !cli->store && cli->store_path) {
        add_permission(cli, &text);
    }
    if (text.bytes.bytes > 0) {
        fflush(stdout);
        fwrite(text.bytes.data, 1, text.bytes.bytes, stderr);
    }
    xylem_cli__text_release(&text);
}

void xylem_cli__prepare_crash(const struct xylem_cli *cli)
{
    struct xylem_cli__text text = {0};
    add_note(cli, &text, "the store may be damaged; ");
    if (!text.failed && text.bytes.bytes > 0) {
        xylem_cli__signals_hint(text.bytes.data, text.bytes.bytes);
    }
    xylem_cli__text_release(&text);
}
