#include "travel/jsonl/parent_session.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "travel/jsonl/header.h"

#define SUFFIX ".jsonl"

/* The id in the name of a session file: pi names the file `<time>_<id>.jsonl`. */
static struct xylem_view id_in_name(struct xylem_view text)
{
    struct xylem_view none = {NULL, 0};
    const char *end = text.data + text.bytes;
    const char *slash = memrchr(text.data, '/', text.bytes);
    const char *name = slash ? slash + 1 : text.data;
    const char *underscore = memrchr(name, '_', (size_t)(end - name));
    if (!underscore) {
        return none;
    }
    struct xylem_view id = {underscore + 1, (size_t)(end - underscore - 1)};
    size_t suffix_bytes = strlen(SUFFIX);
    if (id.bytes >= suffix_bytes && memcmp(end - suffix_bytes, SUFFIX, suffix_bytes) == 0) {
        id.bytes -= suffix_bytes;
    }
    return id;
}

struct search {
    struct xylem_buffer *id;
    int (*knows)(void *context, struct xylem_view id, struct xylem_error *err);
    void *context;
};

/* 1 if there is a session of that id, else 0. Keeps the id if it is the first, or is known. */
static int try_id(const struct search *search, struct xylem_view id, struct xylem_error *err)
{
    if (id.bytes == 0 || id.bytes > XYLEM_SESSION_ID_BYTES_MAX || memchr(id.data, '\0', id.bytes)) {
        return 0; /* not a valid id */
    }
    int known = search->knows(search->context, id, err);
    if (known == 0 && search->id->bytes > 0) {
        return 0; /* the first id stays */
    }
    if (known >= 0) {
        xylem_base__buffer_clear(search->id);
        if (xylem_buffer_add(search->id, id.data, id.bytes) < 0) {
            return xylem_base__fail_memory(err);
        }
    }
    return known;
}

int xylem_jsonl__parent_session(struct xylem_buffer *id, struct xylem_view text, const char *path,
                                int (*knows)(void *context, struct xylem_view id, struct xylem_error *err),
                                void *context, struct xylem_error *err)
{
    struct search search = {id, knows, context};
    xylem_base__buffer_clear(id);
    if (text.bytes == 0) {
        return 0;
    }
    int known = try_id(&search, id_in_name(text), err);
    known = known != 0 ? known : try_id(&search, text, err);
    if (known != 0 || !path) {
        return known;
    }
    /* Try the id in the header of the file that the text names; a file that cannot be read gives 0. */
    struct xylem_jsonl__file file = {.fd = -1};
    struct xylem_jsonl__header header = {.version = 0};
    struct xylem_buffer named = {NULL, 0, 0};
    struct xylem_error ignored;
    const char *slash = strrchr(path, '/');
    size_t directory_bytes = text.data[0] == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
    int code = XYLEM_E_NOT_FOUND;
    if (!memchr(text.data, '\0', text.bytes) && xylem_buffer_add(&named, path, directory_bytes) == XYLEM_OK &&
        xylem_buffer_add(&named, text.data, text.bytes) == XYLEM_OK) {
        code = xylem_jsonl__file_open(&file, named.data, &ignored);
    }
    if (code == XYLEM_OK && (code = xylem_jsonl__header_read(&header, &file, &ignored)) == XYLEM_OK) {
        code = try_id(&search, header.id, err);
    } else {
        code = code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : 0;
    }
    xylem_jsonl__header_release(&header);
    xylem_jsonl__file_close(&file);
    xylem_buffer_release(&named);
    return code;
}
