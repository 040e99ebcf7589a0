/*
 * A session a file, with the calls of pi's SessionManager (pi 0.87.1, dist/core/session-manager.js): everything is held
 * back before the first answer; then each entry is one line, appended with open, write, close; the leaf moves before the
 * write; the reader skips lines that do not parse, and ends a last line without newline. With a flag the same and an
 * fsync before the acknowledgement. And a control, which acknowledges before it writes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yajl/yajl_tree.h>

#include "tests/bench/faults/driver.h"

enum { EARLY_LINES = 4, LINE_BYTES = FAULTS_TEXT_BYTES + 400 };

struct jsonl_session {
    bool loaded;
    bool flushed; /* the file is there */
    bool answered;
    char leaf[FAULTS_ID_BYTES];
    char *held; /* lines that are not written yet */
    size_t held_bytes;
    int held_lines;
};

struct jsonl {
    int mode;
    char directory[FAULTS_PATH];
    struct jsonl_session sessions[FAULTS_SESSIONS];
};

static void session_path(char path[FAULTS_PATH + 20], const char *directory, int session)
{
    snprintf(path, FAULTS_PATH + 20, "%s/s%d.jsonl", directory, session);
}

void *faults_jsonl_open(const struct faults_peer *peer, const char *directory)
{
    struct jsonl *jsonl = calloc(1, sizeof *jsonl);
    jsonl->mode = peer->mode;
    snprintf(jsonl->directory, sizeof jsonl->directory, "%s", directory);
    return jsonl;
}

/* --- Reading --- */

static char *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*bytes + 1);
    *bytes = fread(data, 1, *bytes, file);
    data[*bytes] = '\0';
    fclose(file);
    return data;
}

/* As JSON.parse of what a decoder of UTF-8 gave: a byte that is no UTF-8 becomes one that is. NULL: does not parse. */
static yajl_val parse(char *line, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        line[i] = (char)((line[i] & 0x80) ? '?' : line[i]);
        if (line[i] == '\0') {
            return NULL;
        }
    }
    line[bytes] = '\0';
    return yajl_tree_parse(line, NULL, 0);
}

static const char *member(yajl_val object, const char *name)
{
    const char *path[] = {name, NULL};
    return YAJL_GET_STRING(yajl_tree_get(object, path, yajl_t_string));
}

static void give(yajl_val entry, int session, faults_sink *sink, void *context)
{
    const char *content[] = {"message", "content", NULL};
    const char *text = YAJL_GET_STRING(yajl_tree_get(entry, content, yajl_t_string));
    const char *id = member(entry, "id");
    struct faults_read read = {session, id ? id : "", member(entry, "parentId"), text ? text : ""};
    sink(context, &read);
}

/* The number of lines that parse; -1: the file is refused, as its first is no header. */
static int read_session(const char *path, int session, faults_sink *sink, void *context)
{
    size_t bytes = 0;
    int count = 0;
    char *data = read_file(path, &bytes);
    bool pending = data && bytes > 0 && data[bytes - 1] != '\n';
    for (char *line = data; data && count >= 0 && line < data + bytes;) {
        char *end = memchr(line, '\n', (size_t)(data + bytes - line));
        end = end ? end : data + bytes;
        yajl_val entry = parse(line, (size_t)(end - line));
        const char *type = entry ? member(entry, "type") : NULL;
        if (entry && count++ == 0) {
            count = type && strcmp(type, "session") == 0 && member(entry, "id") ? count : -1;
        } else if (entry && sink) {
            give(entry, session, sink, context);
        }
        yajl_tree_free(entry);
        line = end + 1;
    }
    int fd = pending && count > 0 ? open(path, O_WRONLY | O_APPEND) : -1;
    if (fd >= 0) {
        count = write(fd, "\n", 1) == 1 ? count : -1;
        close(fd);
    }
    free(data);
    return bytes > 0 && count == 0 ? -1 : count;
}

int faults_jsonl_read(const struct faults_peer *peer, const char *directory, faults_sink *sink, void *context)
{
    (void)peer;
    int code = 0;
    for (int i = 0; i < FAULTS_SESSIONS; i++) {
        char path[FAULTS_PATH + 20];
        session_path(path, directory, i);
        code = read_session(path, i, sink, context) < 0 ? -1 : code;
    }
    return code;
}

/* --- Writing --- */

static void remember(void *context, const struct faults_read *entry)
{
    struct jsonl_session *session = context;
    snprintf(session->leaf, sizeof session->leaf, "%s", entry->id);
    session->answered = true; /* a file is written with the first answer */
}

static int load(struct jsonl *jsonl, int number)
{
    char path[FAULTS_PATH + 20];
    struct jsonl_session *session = &jsonl->sessions[number];
    session_path(path, jsonl->directory, number);
    if (!session->loaded) {
        int count = read_session(path, number, remember, session);
        session->flushed = count > 0;
        session->loaded = count >= 0;
    }
    return session->loaded ? 0 : -1;
}

static int sync_directory(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY);
    int code = fd >= 0 ? fsync(fd) : -1;
    close(fd);
    return code;
}

/* As writeFileSync and appendFileSync of Node: goes on after a short write. */
static int write_file(const struct jsonl *jsonl, const char *path, int flags, const char *data, size_t bytes)
{
    bool syncs = jsonl->mode == FAULTS_JSONL_FSYNC && !faults_preparing;
    int fd = open(path, O_WRONLY | O_CREAT | flags, 0666);
    int code = fd >= 0 ? 0 : -1;
    for (size_t at = 0; code == 0 && at < bytes;) {
        ssize_t written = write(fd, data + at, bytes - at);
        code = written < 0 ? -1 : 0;
        at += written > 0 ? (size_t)written : 0;
    }
    code = code == 0 && syncs ? fsync(fd) : code;
    if (fd >= 0) {
        close(fd);
    }
    return code == 0 && syncs && !(flags & O_APPEND) ? sync_directory(jsonl->directory) : code;
}

static int write_held(struct jsonl *jsonl, int number)
{
    char path[FAULTS_PATH + 20];
    struct jsonl_session *session = &jsonl->sessions[number];
    session_path(path, jsonl->directory, number);
    int code = write_file(jsonl, path, session->flushed ? O_APPEND : O_EXCL, session->held, session->held_bytes);
    if (code == 0 || session->flushed) { /* a first write that failed is tried again, as a whole */
        session->held_bytes = 0;
        session->held_lines = 0;
    }
    session->flushed = session->flushed || code == 0;
    return code;
}

static void hold(struct jsonl_session *session, const char *line)
{
    size_t bytes = strlen(line);
    session->held = realloc(session->held, session->held_bytes + bytes);
    memcpy(session->held + session->held_bytes, line, bytes);
    session->held_bytes += bytes;
    session->held_lines++;
}

static void hold_header(struct jsonl_session *session, int number)
{
    char line[200];
    snprintf(line, sizeof line,
             "{\"type\":\"session\",\"version\":3,\"id\":\"s%d\",\"timestamp\":\"2026-11-20T10:00:00.000Z\","
             "\"cwd\":\"/\"}\n",
             number);
    hold(session, line);
}

static void hold_entry(struct jsonl_session *session, const char *id, const char *role, const char *text)
{
    char line[LINE_BYTES];
    char parent[FAULTS_ID_BYTES + 2];
    snprintf(parent, sizeof parent, session->leaf[0] ? "\"%s\"" : "null", session->leaf);
    snprintf(line, sizeof line,
             "{\"type\":\"message\",\"id\":\"%s\",\"parentId\":%s,\"timestamp\":\"2026-11-20T10:00:00.000Z\","
             "\"message\":{\"role\":\"%s\",\"content\":\"%s\"}}\n",
             id, parent, role, text);
    hold(session, line);
}

int faults_jsonl_append(void *handle, int number, const char *role, const char *text)
{
    struct jsonl *jsonl = handle;
    struct jsonl_session *session = &jsonl->sessions[number];
    char id[FAULTS_ID_BYTES];
    if (load(jsonl, number) < 0) {
        return -1;
    }
    if (!session->flushed && session->held_lines == 0) {
        hold_header(session, number);
    }
    faults_id(id, text);
    hold_entry(session, id, role, text);
    snprintf(session->leaf, sizeof session->leaf, "%s", id);
    session->answered = session->answered || strcmp(role, "assistant") == 0;
    bool waits = !session->answered || (jsonl->mode == FAULTS_JSONL_EARLY && session->held_lines < EARLY_LINES);
    int code = waits ? 0 : write_held(jsonl, number);
    return jsonl->mode == FAULTS_JSONL_EARLY ? 0 : code;
}

static void copy_line(void *context, const struct faults_read *entry)
{
    struct jsonl_session *session = context;
    bool answer = strstr(entry->text, " n") && atoi(strstr(entry->text, " n") + 2) % 2 == 0;
    hold_entry(session, entry->id, answer ? "assistant" : "user", entry->text);
    snprintf(session->leaf, sizeof session->leaf, "%s", entry->id);
    session->answered = true;
}

/* A fork of pi is a new file with the lines of the path. */
int faults_jsonl_fork(void *handle, int from, int to)
{
    struct jsonl *jsonl = handle;
    struct jsonl_session *session = &jsonl->sessions[to];
    char path[FAULTS_PATH + 20];
    if (session->loaded || (jsonl->sessions[from].held_lines > 0 && write_held(jsonl, from) < 0)) {
        return -1;
    }
    hold_header(session, to);
    session_path(path, jsonl->directory, from);
    if (read_session(path, from, copy_line, session) < 0) {
        return -1;
    }
    session_path(path, jsonl->directory, to);
    int code = write_file(jsonl, path, O_TRUNC, session->held, session->held_bytes);
    session->loaded = session->flushed = code == 0;
    session->held_bytes = 0;
    session->held_lines = 0;
    return code;
}

void faults_jsonl_close(void *handle)
{
    struct jsonl *jsonl = handle;
    for (int i = 0; i < FAULTS_SESSIONS; i++) {
        if (jsonl->mode == FAULTS_JSONL_EARLY && jsonl->sessions[i].held_lines > 0) {
            write_held(jsonl, i);
        }
        free(jsonl->sessions[i].held);
    }
    free(jsonl);
}
