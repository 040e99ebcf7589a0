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
#include "base/utf8.h"
#include "fleet/engine.h"

/* --- URLs --------------------------------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

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

/* `where` is the file with the line, or the variable. */
static int set_url(struct fleet_config *config, const char *url, const char *where, struct xylem_error *err)
{
    if (!begins(url, "postgresql://") && !begins(url, "postgres://")) {
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
    free(config->url);
    config->url = strdup(url);
    return config->url ? 0 : xylem_base__fail_memory(err);
}

/* --- Values of lines ---------------------------------------------------------------------------------------------- */

static int add_word(struct fleet_config_words *words, char *word, const char *where, struct xylem_error *err)
{
    if (!word) {
        return xylem_base__fail_memory(err);
    }
    if (words->count == FLEET_CONFIG_WORDS_MAX) {
        free(word);
        return xylem_base__fail(err, XYLEM_E_LIMIT, "%s: more than %u lines of this kind", where,
                                FLEET_CONFIG_WORDS_MAX);
    }
    words->words[words->count++] = word;
    return 0;
}

static int add_directory(struct fleet_config *config, const char *value, const char *where, struct xylem_error *err)
{
    const char *home = getenv("HOME");
    bool of_home = value[0] == '~' && (value[1] == '/' || value[1] == '\0');
    char *path = NULL;
    if (*value != '/' && (!of_home || !home || *home != '/')) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: directory takes a path that begins with / or ~/", where);
    }
    if (asprintf(&path, "%s%s", of_home ? home : "", of_home ? value + 1 : value) < 0) {
        return xylem_base__fail_memory(err);
    }
    for (size_t bytes = strlen(path); bytes > 1 && path[bytes - 1] == '/'; bytes--) {
        path[bytes - 1] = '\0';
    }
    return add_word(&config->directories, path, where, err);
}

static int add_except(struct fleet_config *config, const char *value, const char *where, struct xylem_error *err)
{
    if (strlen(value) > XYLEM_SESSION_ID_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: except takes the whole id of a session", where);
    }
    return add_word(&config->except, strdup(value), where, err);
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

static int set_host(struct fleet_config *config, const char *value, const char *where, struct xylem_error *err)
{
    if (!is_name(value)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: host takes a name of at most %u printable bytes", where,
                                FLEET_HOST_BYTES_MAX);
    }
    free(config->host);
    config->host = strdup(value);
    return config->host ? 0 : xylem_base__fail_memory(err);
}

static int set_group(struct fleet_config *config, const char *value, const char *where, struct xylem_error *err)
{
    size_t digits = strspn(value, "0123456789");
    uint64_t number = digits < 6 ? strtoull(value, NULL, 10) : UINT64_MAX;
    if (value[digits] != '\0' || number > FLEET_GROUP_MS_MAX) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: group-ms takes a number from 0 to %u", where,
                                FLEET_GROUP_MS_MAX);
    }
    config->group_ms = number;
    return 0;
}

/* --- The file ----------------------------------------------------------------------------------------------------- */

static int take(struct fleet_config *config, const char *word, const char *value, const char *where,
                struct xylem_error *err)
{
    static const struct {
        const char *word;
        int (*take)(struct fleet_config *, const char *, const char *, struct xylem_error *);
    } rows[] = {{"url", set_url},
                {"directory", add_directory},
                {"except", add_except},
                {"host", set_host},
                {"group-ms", set_group}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].word, word) == 0) {
            return *value == '\0' ? xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: %s needs a value", where, word)
                                  : rows[i].take(config, value, where, err);
        }
    }
    if (strcmp(word, "sync") != 0) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "%s: expected url, directory, except, host, group-ms or sync, found '%s'", where, word);
    }
    config->sync = true;
    return *value == '\0' ? 0 : xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: sync takes no value", where);
}

/* `line` has no newline, and is changed. */
static int take_line(struct fleet_config *config, char *line, unsigned number, struct xylem_error *err)
{
    char *where = NULL;
    struct xylem_view trimmed = xylem_base__trim(xylem_view_of(line));
    if (trimmed.bytes == 0 || *trimmed.data == '#') {
        return 0;
    }
    if (asprintf(&where, "%s:%u", config->path, number) < 0) {
        return xylem_base__fail_memory(err);
    }
    char *word = line + (trimmed.data - line);
    word[trimmed.bytes] = '\0';
    char *value = word + strcspn(word, " \t");
    if (*value != '\0') {
        *value++ = '\0';
        value += strspn(value, " \t");
    }
    int code = take(config, word, value, where, err);
    free(where);
    return code;
}

static int take_lines(struct fleet_config *config, char *text, size_t bytes, struct xylem_error *err)
{
    unsigned number = 0;
    int code = 0;
    for (char *line = text; code == 0 && line < text + bytes;) {
        char *end = memchr(line, '\n', (size_t)(text + bytes - line));
        end = end ? end : text + bytes;
        *end = '\0';
        number++;
        code = strlen(line) == (size_t)(end - line)
                   ? take_line(config, line, number, err)
                   : xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s:%u: the line has a NUL byte", config->path, number);
        line = end + 1;
    }
    return code;
}

/* The file must be the user's or root's, and nobody else's to write. */
static int check(const struct fleet_config *config, const struct stat *status, struct xylem_error *err)
{
    if (!S_ISREG(status->st_mode)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s is no file", config->path);
    }
    if ((status->st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s: others may write to the file that says where sessions go: chmod go-w %s",
                                config->path, config->path);
    }
    if (status->st_uid != geteuid() && status->st_uid != 0) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s: the file that says where sessions go belongs to another user", config->path);
    }
    return 0;
}

static int read_open(struct fleet_config *config, int fd, struct xylem_error *err)
{
    struct stat status;
    char *text = malloc(FLEET_CONFIG_BYTES_MAX + 2);
    size_t bytes = 0;
    ssize_t got = 1;
    int code = text ? 0 : xylem_base__fail_memory(err);
    if (code == 0 && fstat(fd, &status) != 0) {
        code = xylem_base__fail_errno(err, errno, "cannot read", config->path);
    }
    code = code < 0 ? code : check(config, &status, err);
    while (code == 0 && bytes <= FLEET_CONFIG_BYTES_MAX && got != 0) {
        got = read(fd, text + bytes, FLEET_CONFIG_BYTES_MAX + 1 - bytes);
        if (got < 0 && errno != EINTR) {
            code = xylem_base__fail_errno(err, errno, "cannot read", config->path);
        }
        bytes += got > 0 ? (size_t)got : 0;
    }
    if (code == 0 && bytes > FLEET_CONFIG_BYTES_MAX) {
        code = xylem_base__fail(err, XYLEM_E_LIMIT, "%s has more than %u bytes", config->path, FLEET_CONFIG_BYTES_MAX);
    }
    code = code < 0 ? code : take_lines(config, text, bytes, err);
    free(text);
    return code;
}

static int read_file(struct fleet_config *config, struct xylem_error *err)
{
    int fd = open(config->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR ? 0
                                                   : xylem_base__fail_errno(err, errno, "cannot read", config->path);
    }
    config->from_file = true;
    int code = read_open(config, fd, err);
    close(fd);
    return code;
}

static int find_path(struct fleet_config *config, struct xylem_error *err)
{
    const char *base = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    bool xdg = base && *base == '/'; /* the XDG specification: ignore a relative path */
    if (!xdg && (!home || *home != '/')) {
        return 0;
    }
    if (asprintf(&config->path, "%s%s/xylem/fleet", xdg ? base : home, xdg ? "" : "/.config") < 0) {
        config->path = NULL;
        return xylem_base__fail_memory(err);
    }
    return 0;
}

/* --- All of it ---------------------------------------------------------------------------------------------------- */

static int name_host(struct fleet_config *config, struct xylem_error *err)
{
    char name[FLEET_HOST_BYTES_MAX + 1] = "";
    if (config->host) {
        return 0;
    }
    if (gethostname(name, sizeof name - 1) != 0 || !is_name(name)) {
        strcpy(name, "unnamed");
    }
    config->host = strdup(name);
    return config->host ? 0 : xylem_base__fail_memory(err);
}

int fleet_config_read(struct fleet_config *config, struct xylem_error *err)
{
    const char *url = getenv("XYLEM_FLEET");
    *config = (struct fleet_config){.group_ms = UINT64_MAX};
    int code = find_path(config, err);
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
