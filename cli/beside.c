/*
 * Commands that are programs of their own, as git has them: for a word W that is no command, `xylem` becomes the program
 * `xylem-W`, which lies beside `xylem` or in PATH. The other package's program knows its verbs, options and help.
 */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATH "/bin:/usr/bin" /* as execvp(3) without PATH */
#define WORD_BYTES_MAX 32u

static bool is_word(const char *word)
{
    size_t bytes = strlen(word);
    return bytes > 0 && bytes <= WORD_BYTES_MAX && word[strspn(word, "abcdefghijklmnopqrstuvwxyz-")] == '\0' &&
           *word != '-';
}

/* True if the directory has the program; `path` gets its path. A relative directory may be anybody's: it has none. */
static bool is_in(struct xylem_cli__text *path, const char *directory, size_t bytes, const char *word)
{
    struct stat status;
    if (bytes == 0 || *directory != '/') {
        return false;
    }
    xylem_cli__text_clear(path);
    xylem_cli__add_bytes(path, directory, bytes);
    xylem_cli__addf(path, "/xylem-%s", word);
    const char *name = path->failed ? NULL : path->bytes.data;
    return name && stat(name, &status) == 0 && S_ISREG(status.st_mode) && access(name, X_OK) == 0;
}

static bool is_beside(struct xylem_cli__text *path, const char *word)
{
    char self[PATH_MAX];
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    self[bytes < 0 ? 0 : bytes] = '\0';
    const char *slash = strrchr(self, '/');
    return slash && is_in(path, self, (size_t)(slash - self), word);
}

static bool is_in_path(struct xylem_cli__text *path, const char *word)
{
    const char *at = getenv("PATH");
    for (at = at ? at : DEFAULT_PATH; at;) {
        size_t bytes = strcspn(at, ":");
        if (is_in(path, at, bytes, word)) {
            return true;
        }
        at = at[bytes] == ':' ? at + bytes + 1 : NULL;
    }
    return false;
}

int xylem_cli__become(struct xylem_cli *cli, const char *word, char *const *arguments)
{
    struct xylem_cli__text path = {0};
    size_t count = 0;
    int code = 0;
    if (!is_word(word) || (!is_beside(&path, word) && !is_in_path(&path, word))) {
        xylem_cli__text_release(&path);
        return 0;
    }
    while (arguments[count]) {
        count++;
    }
    char **words = calloc(count + 2, sizeof *words);
    if (!words) {
        code = xylem_cli__fail_memory(cli);
    } else {
        words[0] = path.bytes.data;
        memcpy(words + 1, arguments, count * sizeof *words);
        xylem_cli__signals_end();
        execv(path.bytes.data, words);
        code = xylem_cli__fail(cli, XYLEM_E_IO, "cannot run %s: %s", path.bytes.data, strerror(errno));
    }
    free(words);
    xylem_cli__text_release(&path);
    return code;
}

int xylem_cli__become_typed(struct xylem_cli *cli, const char *word)
{
    size_t count = 0;
    size_t kept = 0;
    while (cli->typed && cli->typed[count]) {
        count++;
    }
    char **words = calloc(count + 1, sizeof *words);
    if (!words) {
        return xylem_cli__fail_memory(cli);
    }
    for (size_t i = 0; i < count; i++) {
        if (cli->typed[i] != word) { /* the very word, not a value that is spelt like it */
            words[kept++] = cli->typed[i];
        }
    }
    int code = xylem_cli__become(cli, word, words);
    free(words);
    return code;
}
