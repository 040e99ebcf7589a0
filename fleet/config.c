/* Reads the configuration of a fleet. The file decides where sessions go, so nobody else may write to it. */
#include "fleet/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/os.h"
#include "base/utf8.h"
#include "base/value.h"
#include "fleet/engine.h"

/* --- URLs --------------------------------------------------------------------------------------------------------- */

/*
 * True if a password stands where people write one: `://user:secret@`, `password=` or `sslpassword=`. What is hidden in
 * another way is found by libpq, when the nodes of the URL are read.
 */
static bool has_password(const char *url)
{
    const char *authority = strstr(url, "://");
    authority = authority ? authority + 3 : url + strlen(url);
    size_t bytes = strcspn(authority, "/?");
    const char *at = memchr(authority, '@', bytes);
    return strstr(url, "password=") || (at && memchr(authority, ':', (size_t)(at - authority)));
}

/* Takes the memory of a text; NULL: there was none. */
static int set(char **text, char *value)
{
    free(*text);
    *text = value;
    return value ? 0 : XYLEM_E_MEMORY;
}

/* `where` is the file with the line, or the variable. */
static int set_url(struct fleet_config *config, const char *url, const char *where, struct xylem_error *err)
{
    struct xylem_view view = xylem_view_of(url);
    if (!xylem_base__view_begins(view, XYLEM_BASE__LITERAL("postgresql://")) &&
        !xylem_base__view_begins(view, XYLEM_BASE__LITERAL("postgres://"))) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "%s: expected a URL such as postgresql://n1,n2,n3/xylem, with every node of the fleet",
                                where);
    }
    if (has_password(url)) { /* the text does not repeat the URL */
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "%s: the URL holds a password; write the password to ~/.pgpass instead, which only you "
                                "may read (chmod 600)",
                                where);
    }
    return set(&config->url, strdup(url)) < 0 ? xylem_base__fail_memory(err) : 0;
}

/* --- Values of lines ---------------------------------------------------------------------------------------------- */

/* These give ARGUMENT for a value that is none of the word, MEMORY, or LIMIT; take() has the texts. */

static int add_word(struct fleet_config_words *words, char *word)
{
    if (words->count == FLEET_CONFIG_WORDS_MAX) {
        free(word);
        return XYLEM_E_LIMIT;
    }
    words->words[words->count] = NULL;
    return set(&words->words[words->count++], word);
}

static int add_directory(struct fleet_config *config, const char *value)
{
    const char *home = getenv("HOME");
    bool of_home = value[0] == '~' && (value[1] == '/' || value[1] == '\0');
    char *path = NULL;
    if (*value != '/' && (!of_home || !home || *home != '/')) {
        return XYLEM_E_ARGUMENT;
    }
    if (asprintf(&path, "%s%s", of_home ? home : "", of_home ? value + 1 : value) < 0) {
        return XYLEM_E_MEMORY;
    }
    for (size_t bytes = strlen(path); bytes > 1 && path[bytes - 1] == '/'; bytes--) {
        path[bytes - 1] = '\0';
    }
    return add_word(&config->directories, path);
}

static int add_except(struct fleet_config *config, const char *value)
{
    return strlen(value) > XYLEM_SESSION_ID_BYTES_MAX ? XYLEM_E_ARGUMENT : add_word(&config->except, strdup(value));
}

/* True for 1 to FLEET_HOST_BYTES_MAX bytes that a terminal shows. */
static bool is_name(const char *name)
{
    size_t bytes = strlen(name);
    size_t at = 0;
    for (size_t used = 1; at < bytes && used > 0; at += used) {
        used = xylem_base__utf8_shown_bytes(name + at, bytes - at);
    }
    return bytes > 0 && bytes <= FLEET_HOST_BYTES_MAX && at == bytes;
}

static int set_host(struct fleet_config *config, const char *value)
{
    return is_name(value) ? set(&config->host, strdup(value)) : XYLEM_E_ARGUMENT;
}

static int set_group(struct fleet_config *config, const char *value)
{
    size_t digits = strspn(value, "0123456789");
    config->group_ms = digits < 6 && value[digits] == '\0' ? strtoull(value, NULL, 10) : UINT64_MAX;
    return config->group_ms > FLEET_GROUP_MS_MAX ? XYLEM_E_ARGUMENT : 0;
}

static int set_sync(struct fleet_config *config, const char *value)
{
    config->sync = true;
    return *value == '\0' ? 0 : XYLEM_E_ARGUMENT;
}

/* --- The file ----------------------------------------------------------------------------------------------------- */

static int take(struct fleet_config *config, const char *word, const char *value, const char *where,
                struct xylem_error *err)
{
    static const struct {
        const char *word;
        const char *takes;
        int (*take)(struct fleet_config *, const char *);
    } rows[] = {{"directory", "a path that begins with / or ~/", add_directory},
                {"except", "the whole id of a session", add_except},
                {"host", "a name of at most 200 printable bytes", set_host},
                {"group-ms", "a number from 0 to 60000", set_group},
                {"sync", "no value", set_sync},
                {"url", NULL, NULL}};
    size_t at = 0;
    while (at < sizeof rows / sizeof *rows && strcmp(rows[at].word, word) != 0) {
        at++;
    }
    if (at == sizeof rows / sizeof *rows) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "%s: expected url, directory, except, host, group-ms or sync, found '%s'", where, word);
    }
    if (*value == '\0' && rows[at].take != set_sync) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: %s needs a value", where, word);
    }
    if (!rows[at].take) {
        return set_url(config, value, where, err);
    }
    int code = rows[at].take(config, value);
    return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err)
           : code == XYLEM_E_LIMIT
               ? xylem_base__fail(err, code, "%s: more than %u lines of this kind", where, FLEET_CONFIG_WORDS_MAX)
           : code < 0 ? xylem_base__fail(err, code, "%s: %s takes %s", where, word, rows[at].takes)
                      : 0;
}

/* `line` has no newline, and is changed. */
static int take_line(struct fleet_config *config, char *line, const char *where, struct xylem_error *err)
{
    struct xylem_view trimmed = xylem_base__trim(xylem_view_of(line));
    if (trimmed.bytes == 0 || *trimmed.data == '#') {
        return 0;
    }
    char *word = line + (trimmed.data - line);
    word[trimmed.bytes] = '\0';
    char *value = word + strcspn(word, " \t");
    if (*value != '\0') {
        *value++ = '\0';
        value += strspn(value, " \t");
    }
    return take(config, word, value, where, err);
}

/* The text ends in a NUL byte. */
static int take_lines(struct fleet_config *config, char *text, size_t bytes, struct xylem_error *err)
{
    int code = 0;
    char *line = text;
    for (unsigned number = 1; code == 0 && line < text + bytes; number++) {
        char *where = NULL;
        char *end = memchr(line, '\n', (size_t)(text + bytes - line));
        end = end ? end : text + bytes;
        *end = '\0';
        if (asprintf(&where, "%s:%u", config->path, number) < 0) {
            return xylem_base__fail_memory(err);
        }
        code = strlen(line) == (size_t)(end - line)
                   ? take_line(config, line, where, err)
                   : xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: the line has a NUL byte", where);
        free(where);
        line = end + 1;
    }
    return code;
}

/* The file must be the user's or root's, and nobody else's to write. */
static int check(const char *path, FILE *file, struct xylem_error *err)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0) {
        return xylem_base__fail_errno(err, errno, "cannot read", path);
    }
    if (!S_ISREG(status.st_mode)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s is no file", path);
    }
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s: others may write to the file that says where sessions go: chmod go-w %s", path,
                                path);
    }
    if (status.st_uid != geteuid() && status.st_uid != 0) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s: the file that says where sessions go belongs to another user", path);
    }
    return 0;
}

static int read_open(struct fleet_config *config, FILE *file, struct xylem_error *err)
{
    static const size_t most = FLEET_CONFIG_BYTES_MAX + 1;
    int code = check(config->path, file, err);
    char *text = code == 0 ? calloc(1, most + 1) : NULL;
    if (code < 0 || !text) {
        return code < 0 ? code : xylem_base__fail_memory(err);
    }
    size_t bytes = fread(text, 1, most, file);
    code = ferror(file) ? xylem_base__fail_errno(err, errno, "cannot read", config->path)
           : bytes == most
               ? xylem_base__fail(err, XYLEM_E_LIMIT, "%s has more than %u bytes", config->path, FLEET_CONFIG_BYTES_MAX)
               : take_lines(config, text, bytes, err);
    free(text);
    return code;
}

static int read_file(struct fleet_config *config, struct xylem_error *err)
{
    int fd = open(config->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (!file) {
        return fd < 0 && (errno == ENOENT || errno == ENOTDIR)
                   ? 0
                   : xylem_base__fail_errno(err, errno, "cannot read", config->path);
    }
    int code = read_open(config, file, err);
    (void)fclose(file);
    return code;
}

/* --- All of it ---------------------------------------------------------------------------------------------------- */

static int name_host(struct fleet_config *config, struct xylem_error *err)
{
    char name[FLEET_HOST_BYTES_MAX + 1];
    if (config->host) {
        return 0;
    }
    xylem_base__host_name(name, sizeof name);
    return set(&config->host, strdup(is_name(name) ? name : "unknown")) < 0 ? xylem_base__fail_memory(err) : 0;
}

int fleet_config_read(struct fleet_config *config, struct xylem_error *err)
{
    const char *url = getenv("XYLEM_FLEET");
    *config = (struct fleet_config){.group_ms = UINT64_MAX};
    int code = xylem_base__config_path(&config->path, "fleet", err);
    code = code == 0 && config->path ? read_file(config, err) : code;
    code = code == 0 && url && *url != '\0' ? set_url(config, url, "XYLEM_FLEET", err) : code;
    return code == 0 ? name_host(config, err) : code;
}

static void release_words(struct fleet_config_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        free(words->words[i]);
    }
}

void fleet_config_release(struct fleet_config *config)
{
    free(config->path);
    free(config->url);
    free(config->host);
    release_words(&config->directories);
    release_words(&config->except);
    *config = (struct fleet_config){.path = NULL};
}

bool fleet_config_covers(const struct fleet_config_words *directories, struct xylem_view directory)
{
    for (size_t i = 0; i < directories->count; i++) {
        const char *above = directories->words[i];
        size_t bytes = strcmp(above, "/") == 0 ? 0 : strlen(above);
        if (directory.bytes >= bytes && directory.bytes > 0 && memcmp(directory.data, above, bytes) == 0 &&
            (directory.bytes == bytes || directory.data[bytes] == '/')) {
            return true;
        }
    }
    return false;
}
