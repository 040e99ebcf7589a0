/*
 * xylem export --html --all: a static site, a page for each session. `.xylem-site` lists its files, and says what a
 * later run may replace and remove:
 *
 *     NAME.html xxh3-128:HASH     of the file's bytes
 *
 * A run appends the line of a file before it writes the file. So a name may stand more than once, and the last line of
 * a killed run may be torn. At its end a run writes the list anew, sorted, each name once.
 */
#include "cli/export_site.h"
#include "cli/exporting.h"
#include "cli/files.h"
#include "xylem/reads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX "index.html"
#define LIST ".xylem-site"
#define NEW ".xylem-site.new" /* the file under construction */
#define HASH_BYTES 41         /* `xxh3-128:` and 32 hexadecimal digits */
#define LINE_BYTES (NAME_MAX + XYLEM_FILE_HASH_BYTES_MAX + 3)

struct site {
    char *directory; /* as given, without slashes at its end */
    const struct xylem_cli__page_options *options;
    int fd;                        /* of the directory; its path may lead elsewhere by now */
    FILE *list;                    /* `.xylem-site` */
    struct xylem_cli__files known; /* the lines of earlier runs, sorted */
    struct xylem_cli__files now;   /* the lines of this run */
    char line[LINE_BYTES];         /* of the file that is looked at */
    unsigned long long written_count, removed_count, left_count;
    bool damaged;
    bool has_new; /* this run has made a file under construction */
};

static int fail(struct xylem_cli *cli, const struct site *site, const char *name)
{
    int code = errno == ENOSPC || errno == EDQUOT ? XYLEM_E_NO_SPACE : XYLEM_E_IO;
    return xylem_cli__fail(cli, code, "%s%s%s: %s", site->directory, *name ? "/" : "", name, strerror(errno));
}

/* --- The list ----------------------------------------------------------------------------------------------------- */

/* Makes the line of a file, or with an empty hash its beginning. */
static void set_line(struct site *site, const char *name, const char *hash)
{
    snprintf(site->line, sizeof site->line, "%s %s", name, hash);
}

static int add_line(struct xylem_cli *cli, struct xylem_cli__files *lines, const char *line)
{
    char *copy = strdup(line);
    return copy ? xylem_cli__files_add_path(cli, lines, copy) : xylem_cli__fail_memory(cli);
}

static int compare_beginning(const void *beginning, const void *line)
{
    return strncmp(beginning, *(char *const *)line, strlen(beginning));
}

/* A line with the beginning `site->line`, among the first lines of a sorted list; NULL: there is no such line. */
static const char *find(const struct site *site, const struct xylem_cli__files *lines, size_t count)
{
    char **found = count == 0 ? NULL : bsearch(site->line, lines->paths, count, sizeof(char *), compare_beginning);
    return found ? *found : NULL;
}

/* The name leads nowhere but into the directory. */
static bool is_line(const char *line)
{
    int name = 0;
    int end = 0;
    sscanf(line, "%*255[-._A-Za-z0-9]%n xxh3-128:%*32[0-9a-f]%n", &name, &end);
    return name > 5 && line[0] != '.' && memcmp(line + name - 5, ".html ", 6) == 0 && end == name + HASH_BYTES + 1 &&
           line[end] == '\0';
}

/* A line whose end was not written: `NAME`, `NAME.html xxh3-128:01`. */
static bool is_torn(const char *line)
{
    static const char hash[] = "xxh3-128:00000000000000000000000000000000";
    const char *space = strchr(line, ' ');
    size_t done = space ? xylem_cli__least(strlen(space + 1), HASH_BYTES) : 0;
    char whole[LINE_BYTES + sizeof ".html " + HASH_BYTES];
    snprintf(whole, sizeof whole, "%s%s%s", line, space ? "" : ".html ", hash + done);
    return is_line(whole);
}

/* The list of this user, in no other directory: a file with two names is somebody's file. */
static int open_list_file(struct xylem_cli *cli, struct site *site, struct stat *status)
{
    int fd = openat(site->fd, LIST, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    site->list = fd >= 0 && fstat(fd, status) == 0 ? fdopen(fd, "a+") : NULL;
    if (!site->list) {
        int code = fail(cli, site, LIST);
        if (fd >= 0) {
            close(fd);
        }
        return code;
    }
    return S_ISREG(status->st_mode) && status->st_uid == geteuid() && status->st_nlink == 1
               ? 0
               : xylem_cli__fail(cli, XYLEM_E_IO, "%s/" LIST ": expected a file of this user, with one name",
                                 site->directory);
}

/*
 * Reads the lines of earlier runs, and cuts a torn line. A file without a whole line at its beginning is no list, and
 * stays as it is. The list stays open for the lines of this run.
 */
static int open_list(struct xylem_cli *cli, struct site *site)
{
    char line[LINE_BYTES + 1];
    struct stat status;
    off_t whole = 0;
    int code = open_list_file(cli, site, &status);
    for (size_t number = 1; code == 0 && fgets(line, sizeof line, site->list); number++) {
        size_t bytes = strcspn(line, "\n");
        bool is_whole = line[bytes] == '\n';
        line[bytes] = '\0';
        if (number > 1 && !is_whole && whole + (off_t)bytes == status.st_size && is_torn(line)) {
            break;
        }
        code = is_whole && is_line(line) ? add_line(cli, &site->known, line)
                                         : xylem_cli__fail(cli, XYLEM_E_MALFORMED,
                                                           "%s/" LIST ":%zu: expected the name of a page, and its XXH3",
                                                           site->directory, number);
        whole += (off_t)bytes + 1;
    }
    xylem_cli__files_sort(&site->known);
    return code == 0 && (ferror(site->list) || ftruncate(fileno(site->list), whole) != 0) ? fail(cli, site, LIST)
                                                                                          : code;
}

/* --- Files -------------------------------------------------------------------------------------------------------- */

/* Begins a file beside its place. An old file there is removed: a link would lead elsewhere. */
static FILE *open_new(struct site *site)
{
    site->has_new = true;
    unlinkat(site->fd, NEW, 0);
    int fd = openat(site->fd, NEW, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd < 0 || fchmod(fd, 0600) != 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !file) {
        close(fd);
    }
    return file;
}

static int close_new(struct xylem_cli *cli, const struct site *site, FILE *file, int code)
{
    bool has_failed = ferror(file);
    return fclose(file) != 0 || has_failed ? fail(cli, site, NEW) : code;
}

static int write_piece(void *context, const void *data, size_t bytes)
{
    return fwrite(data, 1, bytes, context) == bytes ? 0 : XYLEM_E_IO;
}

static int put_new(struct xylem_cli *cli, const struct site *site, const char *name)
{
    return renameat(site->fd, NEW, site->fd, name) == 0 ? 0 : fail(cli, site, name);
}

/* Gives the file under construction a free name; EEXIST: the name is taken. Some file systems know links alone, as musl. */
static int put_first(const struct site *site, const char *name)
{
#ifdef RENAME_NOREPLACE
    if (renameat2(site->fd, NEW, site->fd, name, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
#endif
    return linkat(site->fd, NEW, site->fd, name, 0) == 0 ? unlinkat(site->fd, NEW, 0) : -1;
}

/* The fingerprint of a file in the directory. A link has none. */
static int look_into(struct xylem_fingerprint *print, const struct site *site, const char *name,
                     struct xylem_error *err)
{
    char path[32];
    int fd = openat(site->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int code = xylem_fingerprint_file(print, path, err);
    if (fd >= 0) {
        close(fd);
    }
    return code;
}

enum found { FOUND_NOTHING, FOUND_OWN, FOUND_FOREIGN };

/* Compares the file with all lines of this command, of now and before. An unreadable file is foreign. */
static enum found look(struct site *site, const char *name)
{
    struct xylem_fingerprint print = {.hash = "none"};
    struct stat status;
    if (fstatat(site->fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return FOUND_NOTHING;
    }
    if (S_ISREG(status.st_mode)) {
        look_into(&print, site, name, NULL);
    }
    set_line(site, name, print.hash);
    return find(site, &site->known, site->known.count) ? FOUND_OWN : FOUND_FOREIGN;
}

/* A file of an earlier run stays listed, although somebody changed the file: a later run says so again. */
static int leave(struct xylem_cli *cli, struct site *site, const char *name)
{
    set_line(site, name, "");
    const char *line = find(site, &site->known, site->known.count);
    site->left_count++;
    if (!line) {
        return 0; /* visit() names the file */
    }
    xylem_cli__note(cli, "%s/%s was changed since this command wrote it: left as it is", site->directory, name);
    return add_line(cli, &site->now, line);
}

/* The page of a damaged session stays as it was. */
static int keep(struct xylem_cli *cli, struct site *site, const char *name)
{
    enum found found = look(site, name);
    return found == FOUND_OWN       ? add_line(cli, &site->now, site->line)
           : found == FOUND_FOREIGN ? leave(cli, site, name)
                                    : 0;
}

/* Gives the file under construction its name, unless a file with the same bytes has the name. */
static int put(struct xylem_cli *cli, struct site *site, const char *name)
{
    struct xylem_fingerprint print = {.hash = ""};
    int code = look_into(&print, site, NEW, &cli->err);
    enum found found = look(site, name);
    bool is_same = found != FOUND_NOTHING && strcmp(strchr(site->line, ' ') + 1, print.hash) == 0;
    if (code == 0 && found == FOUND_FOREIGN && !is_same) {
        return leave(cli, site, name);
    }
    set_line(site, name, print.hash);
    if (code == 0 && !is_same) {
        if (fprintf(site->list, "%s\n", site->line) < 0 || fflush(site->list) != 0) {
            return fail(cli, site, LIST);
        }
        if (found == FOUND_NOTHING && put_first(site, name) != 0) {
            return errno == EEXIST ? leave(cli, site, name) : fail(cli, site, name);
        }
        code = found == FOUND_NOTHING ? 0 : put_new(cli, site, name);
        site->written_count++;
    }
    return code == 0 ? add_line(cli, &site->now, site->line) : code;
}

/* A file of no page of this run: removes the files of earlier runs, and names foreign files. */
static int visit(struct xylem_cli *cli, struct site *site, const char *name)
{
    struct xylem_cli__text shown = {0};
    if (strcmp(name, NEW) == 0) {
        return unlinkat(site->fd, name, 0) == 0 ? 0 : fail(cli, site, name);
    }
    if (find(site, &site->known, site->known.count)) {
        if (look(site, name) == FOUND_FOREIGN) {
            return leave(cli, site, name);
        }
        site->removed_count++;
        return unlinkat(site->fd, name, 0) == 0 ? 0 : fail(cli, site, name);
    }
    xylem_cli__add_shown(cli, &shown, xylem_view_of(name), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__note(cli, "%s/%s is not of this site: left as it is", site->directory,
                    shown.failed ? "?" : shown.bytes.data);
    xylem_cli__text_release(&shown);
    return 0;
}

/* The names in the directory, which the caller frees; -1: errno says why. */
static int list_all(struct dirent ***entries, const struct site *site)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", site->fd);
    return scandir(path, entries, NULL, alphasort);
}

static int visit_all(struct xylem_cli *cli, struct site *site)
{
    struct dirent **entries = NULL;
    int entry_count = list_all(&entries, site);
    int code = entry_count < 0 ? fail(cli, site, "") : 0;
    xylem_cli__files_sort(&site->now);
    size_t count = site->now.count; /* what leave() adds is not sorted */
    for (int i = 0; i < entry_count; i++) {
        const char *name = entries[i]->d_name;
        bool is_own = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, LIST) == 0;
        set_line(site, name, "");
        code = code != 0 || is_own || find(site, &site->now, count) ? code : visit(cli, site, name);
        free(entries[i]);
    }
    free(entries);
    return code;
}

/* Writes the list of this run, once all files are on the disk. */
static int end(struct xylem_cli *cli, struct site *site)
{
    FILE *file = open_new(site);
    xylem_cli__files_sort(&site->now);
    for (size_t i = 0; file && i < site->now.count; i++) {
        fprintf(file, "%s\n", site->now.paths[i]);
    }
    int code = file ? close_new(cli, site, file, 0) : fail(cli, site, NEW);
    code = code == 0 && syncfs(site->fd) != 0 ? fail(cli, site, "") : code;
    return code == 0 ? put_new(cli, site, LIST) : code;
}

static bool is_empty(const struct site *site)
{
    struct dirent **entries = NULL;
    int count = list_all(&entries, site);
    for (int i = 0; i < count; i++) {
        free(entries[i]);
    }
    free(entries);
    return count == 2; /* `.` and `..` */
}

/* Opens the directory, or makes it. A slash behind a link would lead behind the link. */
static int open_directory(struct xylem_cli *cli, struct site *site, const char *directory)
{
    size_t bytes = strlen(directory);
    while (bytes > 1 && directory[bytes - 1] == '/') {
        bytes--;
    }
    if (!(site->directory = strndup(directory, bytes))) {
        return xylem_cli__fail_memory(cli);
    }
    for (int i = 0; i < 2 && site->fd < 0; i++) {
        site->fd = open(site->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int code = site->fd >= 0              ? 0
                   : i > 0 || errno != ENOENT ? fail(cli, site, "")
                                              : xylem_cli__make_directory(cli, site->directory);
        if (code != 0) {
            return code;
        }
    }
    return 0;
}

/* Opens the directory, for this run alone. A directory without a list is new, or must be empty. */
static int begin(struct xylem_cli *cli, struct site *site, const char *directory)
{
    struct stat status;
    int code = open_directory(cli, site, directory);
    if (code == 0 && flock(site->fd, LOCK_EX | LOCK_NB) != 0) {
        code = xylem_cli__fail(cli, XYLEM_E_CONFLICT, "%s: another process writes this site", site->directory);
    }
    if (code == 0 && fstatat(site->fd, LIST, &status, AT_SYMLINK_NOFOLLOW) != 0 && !is_empty(site)) {
        code = xylem_cli__fail(cli, XYLEM_E_CONFLICT, "%s is not empty: an export needs a directory of its own",
                               site->directory);
    }
    return code == 0 ? open_list(cli, site) : code;
}

/* --- Pages -------------------------------------------------------------------------------------------------------- */

/* Makes the page of a session, or (NULL) the index. */
static int make(struct xylem_cli *cli, struct site *site, const struct xylem_session *session, const char *name)
{
    FILE *file = open_new(site);
    if (!file) {
        return fail(cli, site, NEW);
    }
    int code = session ? xylem_cli__export_page(cli, session, site->options, write_piece, file)
                       : xylem_cli__site_index(cli, write_piece, file, site->options->unredacted, &site->damaged);
    code = close_new(cli, site, file, code);
    return code == 0 ? put(cli, site, name) : code;
}

/* Damage in one session keeps no other session back. */
static int make_page(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct site *site = context;
    char name[NAME_MAX + 1];
    int code = session->state == XYLEM_SESSION_LIVE ? xylem_cli__is_ledger(cli, session) : 1;
    if (code == 1) {
        return 0;
    }
    xylem_cli__site_name(cli, name, session->id, session->number);
    code = code == 0 ? make(cli, site, session, name) : code;
    if (code != XYLEM_E_CORRUPT) {
        return code;
    }
    site->damaged = true;
    xylem_cli__note(cli, "%s is not written: %s", name, cli->err.text);
    return keep(cli, site, name);
}

static int put_summary(struct xylem_cli *cli, const struct site *site)
{
    struct xylem_cli__text text = {0};
    xylem_cli__add_counted(&text, site->now.count, "page", "pages");
    xylem_cli__addf(&text, ", %llu written, %llu removed, %llu left: ", site->written_count, site->removed_count,
                    site->left_count);
    xylem_cli__add_shown(cli, &text, xylem_view_of(site->directory), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(&text, "/" INDEX "\n");
    int code = xylem_cli__put(cli, &text);
    xylem_cli__text_release(&text);
    return code != 0 ? code : site->damaged ? XYLEM_CLI__CORRUPT : site->left_count > 0 ? XYLEM_CLI__PROBLEM : 0;
}

int xylem_cli__export_site(struct xylem_cli *cli, const char *directory, const struct xylem_cli__page_options *options)
{
    struct site site = {.options = options, .fd = -1};
    int code;
    if ((code = begin(cli, &site, directory)) == 0 &&
        (code = xylem_cli__each_session_of_store(cli, make_page, &site)) == 0 &&
        (code = make(cli, &site, NULL, INDEX)) == 0 && (code = visit_all(cli, &site)) == 0 &&
        (code = end(cli, &site)) == 0) {
        code = put_summary(cli, &site);
    }
    if (site.list) {
        fclose(site.list);
    }
    if (site.has_new) {
        unlinkat(site.fd, NEW, 0); /* there still, if a disk is full */
    }
    if (site.fd >= 0) {
        close(site.fd);
    }
    free(site.directory);
    xylem_cli__files_release(&site.known);
    xylem_cli__files_release(&site.now);
    return code;
}
