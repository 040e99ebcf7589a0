/*
 * A session a file, with the calls of pi's SessionManager (pi 0.87.1, dist/core/session-manager.js): everything is held
 * back before the first answer; then each entry is one line, appended with open, write, close; the leaf moves before the
 * write; the reader skips lines that do not parse, and ends a last line without newline. With a flag the same and an
 * fsync before the acknowledgement. And a control, which acknowledges before it writes.
 */
#include <yajl/yajl_tree.h>

#include "tests/bench/faults/driver.h"

enum { EARLY_LINES = 4 };

struct jsonl_session {
    bool is_loaded;
    bool is_there; /* the file; it is made with the first answer */
    bool is_answered;
    int first_flags; /* of the first write: a file that is there, and empty, is written anew */
    char leaf[FAULTS_ID_BYTES];
    FILE *held; /* lines that are not written yet, in `data`; NULL: none */
    char *data;
    size_t bytes;
    int lines;
};

struct jsonl {
    int mode;
    char directory[FAULTS_PATH];
    struct jsonl_session sessions[FAULTS_SESSIONS];
};

static void *open_directory(int mode, const char *directory)
{
    struct jsonl *jsonl = calloc(1, sizeof *jsonl);
    jsonl->mode = mode;
    snprintf(jsonl->directory, sizeof jsonl->directory, "%s", directory);
    return jsonl;
}

/* --- Reading --- */

/* As JSON.parse of what a decoder of UTF-8 gave: a byte that is no UTF-8 becomes one that is. NULL: does not parse. */
static yajl_val parse(char *line, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        line[i] = (char)((line[i] & 0x80) ? '?' : line[i]);
    }
    return memchr(line, '\0', bytes) ? NULL : yajl_tree_parse(line, NULL, 0);
}

static const char *member(yajl_val object, const char *name, const char *below)
{
    const char *path[] = {name, below, NULL};
    return object ? YAJL_GET_STRING(yajl_tree_get(object, path, yajl_t_string)) : NULL;
}

/* The number of lines that parse; -1: the file is refused, as the first of them is no header. */
static int read_session(const char *directory, int session, faults_sink *sink, void *context)
{
    char path[FAULTS_PATH + 20];
    char *line = NULL;
    size_t room = 0;
    ssize_t bytes;
    int count = 0;
    bool pending = false;
    snprintf(path, sizeof path, "%s/s%d.jsonl", directory, session);
    FILE *file = fopen(path, "rb");
    while (file && count >= 0 && (bytes = getline(&line, &room, file)) > 0) {
        pending = line[bytes - 1] != '\n';
        yajl_val entry = parse(line, (size_t)bytes);
        const char *id = member(entry, "id", NULL);
        const char *type = member(entry, "type", NULL);
        const char *text = member(entry, "message", "content");
        struct faults_read read = {session, id ? id : "", member(entry, "parentId", NULL), text ? text : ""};
        if (entry && count++ == 0) {
            count = type && strcmp(type, "session") == 0 && id ? count : -1;
        } else if (entry) {
            sink(context, &read);
        }
        yajl_tree_free(entry);
    }
    count = file && count == 0 && ftell(file) > 0 ? -1 : count;
    int fd = pending && count > 0 ? open(path, O_WRONLY | O_APPEND) : -1;
    count = fd >= 0 && write(fd, "\n", 1) != 1 ? -1 : count;
    close(fd);
    if (file) {
        fclose(file);
    }
    free(line);
    return count;
}

static int read_sessions(const char *directory, faults_sink *sink, void *context)
{
    int code = 0;
    for (int i = 0; i < FAULTS_SESSIONS; i++) {
        code = read_session(directory, i, sink, context) < 0 ? -1 : code;
    }
    return code;
}

/* --- Writing --- */

/* As writeFileSync and appendFileSync of Node: goes on after a short write. */
static int write_file(const struct jsonl *jsonl, int number, int flags, const char *data, size_t bytes)
{
    char path[FAULTS_PATH + 20];
    bool syncs = jsonl->mode == FAULTS_JSONL_FSYNC && !faults_preparing;
    snprintf(path, sizeof path, "%s/s%d.jsonl", jsonl->directory, number);
    int fd = open(path, O_WRONLY | O_CREAT | flags, 0666);
    int code = fd >= 0 ? 0 : -1;
    for (size_t at = 0; code == 0 && at < bytes;) {
        ssize_t written = write(fd, data + at, bytes - at);
        code = written < 0 ? -1 : 0;
        at += written > 0 ? (size_t)written : 0;
    }
    code = code == 0 && syncs ? fsync(fd) : code;
    close(fd);
    if (code == 0 && syncs && !(flags & O_APPEND)) {
        fd = open(jsonl->directory, O_RDONLY | O_DIRECTORY);
        code = fsync(fd);
        close(fd);
    }
    return code;
}

/* A first write that failed is tried again, as a whole. */
static int write_held(struct jsonl *jsonl, int number)
{
    struct jsonl_session *session = &jsonl->sessions[number];
    fflush(session->held);
    int code =
        write_file(jsonl, number, session->is_there ? O_APPEND : session->first_flags, session->data, session->bytes);
    if (code == 0 || session->is_there) {
        fclose(session->held);
        free(session->data);
        session->held = NULL;
        session->lines = 0;
    }
    session->is_there = session->is_there || code == 0;
    return code;
}

/* A new file begins with its header. */
static void hold(struct jsonl_session *session, int number, const char *id, const char *role, const char *text)
{
    const char *quote = session->leaf[0] ? "\"" : "";
    if (!session->held) {
        session->held = open_memstream(&session->data, &session->bytes);
        const char *header = "{\"type\":\"session\",\"version\":3,\"id\":\"s%d\",\"timestamp\":"
                             "\"2026-11-20T10:00:00.000Z\",\"cwd\":\"/\"}\n";
        fprintf(session->held, session->is_there ? "" : header, number);
    }
    fprintf(session->held,
            "{\"type\":\"message\",\"id\":\"%s\",\"parentId\":%s%s%s,\"timestamp\":\"2026-11-20T10:00:00.000Z\","
            "\"message\":{\"role\":\"%s\",\"content\":\"%s\"}}\n",
            id, quote, session->leaf[0] ? session->leaf : "null", quote, role, text);
    session->lines++;
    session->is_answered = session->is_answered || role[0] == 'a';
    snprintf(session->leaf, sizeof session->leaf, "%s", id);
}

static void remember(void *context, const struct faults_read *entry)
{
    struct jsonl_session *session = context;
    snprintf(session->leaf, sizeof session->leaf, "%s", entry->id);
    session->is_answered = true;
}

static int append(void *handle, int number, const char *role, const char *text)
{
    struct jsonl *jsonl = handle;
    struct jsonl_session *session = &jsonl->sessions[number];
    char id[FAULTS_ID_BYTES];
    if (!session->is_loaded) {
        char path[FAULTS_PATH + 20];
        int count = read_session(jsonl->directory, number, remember, session);
        snprintf(path, sizeof path, "%s/s%d.jsonl", jsonl->directory, number);
        session->first_flags = access(path, F_OK) == 0 ? O_TRUNC : O_EXCL;
        session->is_there = count > 0;
        session->is_loaded = count >= 0;
    }
    if (!session->is_loaded) {
        return -1;
    }
    faults_id(id, text);
    hold(session, number, id, role, text);
    bool is_early = jsonl->mode == FAULTS_JSONL_EARLY;
    bool waits = !session->is_answered || (is_early && session->lines < EARLY_LINES);
    int code = waits ? 0 : write_held(jsonl, number);
    return is_early ? 0 : code;
}

static void copy_line(void *context, const struct faults_read *entry)
{
    struct jsonl_session *session = context;
    hold(session, (int)(entry->session + FAULTS_SESSIONS / 2), entry->id, "assistant", entry->text);
}

/* A fork of pi is a new file with the lines of the path. */
static int fork_session(void *handle, int from, int to)
{
    struct jsonl *jsonl = handle;
    struct jsonl_session *session = &jsonl->sessions[to];
    if (session->is_loaded || (jsonl->sessions[from].held && write_held(jsonl, from) < 0) ||
        read_session(jsonl->directory, from, copy_line, session) < 0 || !session->held) {
        return -1;
    }
    session->first_flags = O_TRUNC;
    session->is_loaded = write_held(jsonl, to) == 0;
    return session->is_loaded ? 0 : -1;
}

static void close_directory(void *handle)
{
    struct jsonl *jsonl = handle;
    for (int i = 0; i < FAULTS_SESSIONS; i++) {
        if (jsonl->sessions[i].held && jsonl->sessions[i].is_answered) {
            write_held(jsonl, i);
        }
    }
    free(jsonl);
}

const struct faults_calls faults_jsonl = {
    .open = open_directory, .append = append, .fork = fork_session, .close = close_directory, .read = read_sessions};
