/* Warns if other users can read or write a store: a session may hold secrets that somebody typed, read or printed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/os.h"
#include "store/pages/store_files.h"
#include "store/lmdb/handle.h"

#define GROUP_BITS 0070u
#define OTHER_BITS 0007u
#define READ_BITS 0044u
#define WRITE_BITS 0022u
#define ENTER_BITS 0011u

struct access {
    const char *path; /* the store's directory */
    const char *word; /* `path` quoted for a shell: users paste the command in the warning */
    struct stat directory;
    bool directory_hides;    /* nobody else can reach the files */
    struct xylem_error said; /* the warning, if `code` is not 0 */
};

static const char *who(mode_t bits)
{
    return bits & OTHER_BITS ? "everyone" : "its group";
}

static const char *what(mode_t bits)
{
    bool read = (bits & READ_BITS) != 0;
    return !(bits & WRITE_BITS) ? "read" : read ? "read and written" : "written";
}

/*
 * Warns about a foreign owner. No warning about root, who can read everything anyhow. Root is not told to take the
 * files: the owner's programs would lose the store.
 */
static void look_at_owner(struct access *access, const char *path, const struct stat *file)
{
    if (file->st_uid == geteuid() || file->st_uid == 0) {
        return;
    }
    if (geteuid() == 0) {
        xylem_base__fail(&access->said, 1,
                         "%s belongs to user %lu, and root opened it: use the store as its owner: sudo -u '#%lu' xylem "
                         "--store %s ...",
                         path, (unsigned long)file->st_uid, (unsigned long)file->st_uid, access->word);
    } else {
        xylem_base__fail(&access->said, 1,
                         "%s belongs to user %lu, who can read and write it, and not to user %lu, who opened it: "
                         "chown -R %lu %s",
                         path, (unsigned long)file->st_uid, (unsigned long)geteuid(), (unsigned long)geteuid(),
                         access->word);
    }
}

/* Warns about a file that others can reach. This warning replaces the warning about the directory. */
static int look_at_file(struct access *access, const char *name)
{
    struct stat file;
    char *path = xylem_base__path_join(access->path, name);
    if (!path) {
        return XYLEM_E_MEMORY;
    }
    if (stat(path, &file) == 0) {
        mode_t bits = file.st_mode & (READ_BITS | WRITE_BITS);
        if (bits && !access->directory_hides) {
            /*
             * If only the group can enter the directory, only the group reaches the file, also by the bits for others.
             */
            mode_t whose = access->directory.st_mode & OTHER_BITS & ENTER_BITS ? bits : (mode_t)GROUP_BITS;
            xylem_base__fail(&access->said, 1, "%s can be %s by %s (mode %04o): chmod 700 %s", path, what(bits),
                             who(whose), (unsigned)file.st_mode & 07777u, access->word);
        }
        look_at_owner(access, path, &file);
    }
    free(path);
    return XYLEM_OK;
}

/* Quotes a path for a shell, if the path has bytes with a meaning in a shell. */
static char *shell_word(const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    size_t bytes = 0;
    char *word = path[strspn(path, plain)] == '\0' ? strdup(path) : malloc(4 * strlen(path) + 3);
    if (!word || path[strspn(path, plain)] == '\0') {
        return word;
    }
    word[bytes++] = '\'';
    for (; *path; path++) {
        if (*path == '\'') {
            memcpy(word + bytes, "'\\''", 4);
            bytes += 4;
        } else {
            word[bytes++] = *path;
        }
    }
    word[bytes++] = '\'';
    word[bytes] = '\0';
    return word;
}

int xylem_lmdb__access_look(char **warning, const char *path, struct xylem_error *err)
{
    /* The last warning wins, so the file with the most secrets comes last. */
    static const char *const names[] = {XYLEM_PAGES__LOCK_NAME, XYLEM_PAGES__LMDB_LOCK_NAME, XYLEM_PAGES__DATA_NAME};
    char *word = shell_word(path);
    struct access access = {.path = path, .word = word};
    int code = word ? XYLEM_OK : xylem_base__fail_memory(err);
    if (code == XYLEM_OK && stat(path, &access.directory) != 0) {
        code = xylem_base__fail_errno(err, errno, "cannot find out who can read", path);
    }
    if (code == XYLEM_OK) { /* with the right to enter the directory, files are found by name; with write, replaced */
        mode_t bits = access.directory.st_mode & (GROUP_BITS | OTHER_BITS);
        look_at_owner(&access, path, &access.directory);
        access.directory_hides = !(bits & ENTER_BITS);
        if (access.said.code == 0 && bits & (READ_BITS | WRITE_BITS | ENTER_BITS)) {
            xylem_base__fail(&access.said, 1, "%s can be %s by %s (mode %04o): chmod 700 %s", path,
                             bits & (READ_BITS | WRITE_BITS) ? what(bits) : "entered", who(bits),
                             (unsigned)access.directory.st_mode & 07777u, word);
        }
    }
    for (size_t i = 0; code == XYLEM_OK && i < sizeof names / sizeof *names; i++) {
        code = look_at_file(&access, names[i]) < 0 ? xylem_base__fail_memory(err) : XYLEM_OK;
    }
    free(word);
    if (code < 0) {
        return code;
    }
    *warning = access.said.code == 0 ? NULL : strdup(access.said.text);
    return access.said.code == 0 || *warning ? XYLEM_OK : xylem_base__fail_memory(err);
}
