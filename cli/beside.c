/*
 * Commands that are programs of their own, as git has such commands. If a word W is no command, `xylem` becomes the
 * program `xylem-W`, beside `xylem` or in PATH. The program `xylem-W` knows the verbs, options and help of W.
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

/* True if the directory has the program; `path` gets its path. A relative directory may belong to anybody,
 * so the program is never taken from a relative directory. */
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

/* Looks beside this program, then in PATH. */
static bool find(struct xylem_cli__text *path, const char *word)
{
    char self[PATH_MAX];
    if (!is_word(word)) {
        return false;
    }
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    self[bytes < 0 ? 0 : bytes] = '\0';
    const char *slash = strrchr(self, '/');
    const char *at = getenv("PATH");
    if (slash && is_in(path, self, (size_t)(slash - self), word)) {
        return true;
    }
    for (at = at ? at : DEFAULT_PATH; at;) {
        size_t length = strcspn(at, ":");
        if (is_in(path, at, length, word)) {
            return true;
        }
        at = at[length] == ':' ? at + length + 1 : NULL;
    }
    return false;
}

const struct xylem_cli__program *xylem_cli__program_next(const struct xylem_cli *cli,
                                                         const struct xylem_cli__program *before)
{
    static const struct xylem_cli__program programs[] = {
        {"fleet", XYLEM_CLI__FLEET_SUMMARY},
        {"mcp", "Let agents search and read sessions, over MCP"},
        {NULL, NULL},
    };
    struct xylem_cli__text path = {0};
    const struct xylem_cli__program *program = before ? before + 1 : programs;
    while (program->word && (xylem_cli__command_find(cli, program->word) || !find(&path, program->word))) {
        program++; /* `xylem-fleet` itself has the command `fleet` */
    }
    xylem_cli__text_release(&path);
    return program->word ? program : NULL;
}

int xylem_cli__become(struct xylem_cli *cli, const char *word, char *const *arguments, const char *but)
{
    struct xylem_cli__text path = {0};
    size_t count = 0;
    size_t kept = 1;
    int code = 0;
    if (!find(&path, word)) {
        xylem_cli__text_release(&path);
        return 0;
    }
    while (arguments && arguments[count]) {
        count++;
    }
    char **words = calloc(count + 2, sizeof *words);
    if (!words) {
        code = xylem_cli__fail_memory(cli);
    } else {
        words[0] = path.bytes.data;
        for (size_t i = 0; i < count; i++) {
            if (arguments[i] != but) { /* compares pointers: the value of an option may be spelt like the word */
                words[kept++] = arguments[i];
            }
        }
        xylem_cli__signals_end();
        execv(path.bytes.data, words);
        code = xylem_cli__fail(cli, XYLEM_E_IO, "cannot run %s: %s", path.bytes.data, strerror(errno));
    }
    free(words);
    xylem_cli__text_release(&path);
    return code;
}
