/*
 * The path without symbolic links, also of a file that is not there yet. realpath(3) wants every name to exist, so the
 * missing names move to the rest until the path exists:
 *
 *     path           rest
 *     /l/new/f                  /l is a link to /d, and /l/new does not exist
 *     /l/new         /f
 *     /l             /new/f     realpath: /d
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"
#include "xylem/reads.h"

#define LINKS_MAX 40u          /* as many as Linux follows */
#define TARGET_BYTES_MAX 4096u /* PATH_MAX of Linux */

/* The two parts above. The buffers may hold less than their memory. */
struct parts {
    struct xylem_buffer path;
    struct xylem_buffer rest;
    unsigned link_count;
};

static void cut(struct xylem_buffer *path, size_t bytes)
{
    path->bytes = bytes;
    path->data[bytes] = '\0';
}

/* The bytes up to the last slash, including the slash. */
static size_t directory_bytes(const struct xylem_buffer *path)
{
    size_t bytes = path->bytes;
    while (bytes > 0 && path->data[bytes - 1] != '/') {
        bytes--;
    }
    return bytes;
}

/* Moves the last name of the path to the front of the rest. `.` goes; a missing directory has no `..`. */
static int move_name(struct parts *parts, struct xylem_error *err)
{
    size_t start = directory_bytes(&parts->path);
    struct xylem_view name = {parts->path.data + start, parts->path.bytes - start};
    struct xylem_buffer rest = {0};
    if (xylem_base__view_is(name, "..")) {
        return xylem_base__fail_errno(err, ENOENT, "path", parts->path.data);
    }
    if (!xylem_base__view_is(name, ".")) {
        if (xylem_buffer_add(&rest, "/", 1) < 0 || xylem_buffer_add(&rest, name.data, name.bytes) < 0 ||
            (parts->rest.bytes > 0 && xylem_buffer_add(&rest, parts->rest.data, parts->rest.bytes) < 0)) {
            xylem_buffer_release(&rest);
            return xylem_base__fail_memory(err);
        }
        xylem_buffer_release(&parts->rest);
        parts->rest = rest;
    }
    cut(&parts->path, start);
    return 0;
}

/* One step from a path that realpath(3) refuses with `errnum`. */
static int step(struct parts *parts, int errnum, struct xylem_error *err)
{
    char target[TARGET_BYTES_MAX];
    if (errnum == ENOMEM) {
        return xylem_base__fail_memory(err);
    }
    if (errnum == ENAMETOOLONG || parts->path.bytes > XYLEM_PATH_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "path: it is longer than the system allows");
    }
    while (parts->path.bytes > 1 && parts->path.data[parts->path.bytes - 1] == '/') {
        cut(&parts->path, parts->path.bytes - 1);
    }
    if (parts->path.bytes <= 1) {
        return xylem_base__fail_errno(err, errnum, "path", "/");
    }
    ssize_t bytes = readlink(parts->path.data, target, sizeof target);
    if (bytes <= 0) {
        return move_name(parts, err);
    }
    if (++parts->link_count > LINKS_MAX) {
        return xylem_base__fail_errno(err, ELOOP, "path", parts->path.data);
    }
    /* The target of a link takes the place of the link. */
    cut(&parts->path, target[0] == '/' ? 0 : directory_bytes(&parts->path));
    return xylem_buffer_add(&parts->path, target, (size_t)bytes) < 0 ? xylem_base__fail_memory(err) : 0;
}

int xylem_path_real(struct xylem_buffer *key, const char *absolute, struct xylem_error *err)
{
    struct parts parts = {.link_count = 0};
    char *real = NULL;
    int code = 0;
    if (!key) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "path: a place for the key is missing");
    }
    xylem_base__buffer_clear(key);
    if (!absolute || absolute[0] != '/') {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "path: expected an absolute path, found '%s'",
                                absolute ? absolute : "");
    }
    if (xylem_base__buffer_add_text(&parts.path, absolute) < 0) {
        return xylem_base__fail_memory(err);
    }
    while (code == 0 && !(real = realpath(parts.path.data, NULL))) {
        code = step(&parts, errno, err);
    }
    bool root = code == 0 && strcmp(real, "/") == 0 && parts.rest.bytes > 0;
    if (code == 0 && (xylem_base__buffer_add_text(key, root ? "" : real) < 0 ||
                      (parts.rest.bytes > 0 && xylem_buffer_add(key, parts.rest.data, parts.rest.bytes) < 0))) {
        code = xylem_base__fail_memory(err);
    }
    if (code == 0 && key->bytes > XYLEM_PATH_BYTES_MAX) {
        code = xylem_base__fail(err, XYLEM_E_LIMIT, "path: it is longer than the system allows");
    }
    if (code < 0) {
        xylem_base__buffer_clear(key);
    }
    free(real);
    xylem_buffer_release(&parts.path);
    xylem_buffer_release(&parts.rest);
    return code;
}
