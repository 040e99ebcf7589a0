#include "judge/hook/git_index.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"

#define CHUNK_BYTES ((size_t)65536)
#define NAME_BYTES_MAX ((size_t)65536)
#define MODE_TYPE 0170000u
#define MODE_DIRECTORY 0040000u
#define MODE_SUBMODULE 0160000u
#define STAT_BYTES ((size_t)40) /* of an entry, before the object's name */
#define MODE_OFFSET ((size_t)24)
#define FLAG_EXTENDED 0x4000u
#define NAME_LENGTH 0x0fffu /* the length of the name; the highest value also for longer names */
#define HASH_BYTES_MAX ((size_t)32)

/*
 * Reads an index in pieces: an index can be large, and little of it counts. The bytes of one entry:
 *
 *     | 24 bytes | mode 4 | 12 bytes | object's name 20 or 32 | flags 2 | extended 2? | name | NULs |
 *
 * Versions 2 and 3 spell the whole name, and fill up with NULs to a multiple of eight. Version 4 drops the end of the
 * name before, and spells the rest of the name with one NUL. A mode of 0160000 is a submodule.
 */
struct reader {
    int fd;
    unsigned char *chunk;
    size_t at;
    size_t filled;
    uint64_t position; /* of the next byte, in the file */
    uint64_t bytes;    /* of the file */
    uint32_t version;
    size_t hash_bytes;
    struct xylem_buffer name;
    const char *why;
};

static bool fail(struct reader *reader, const char *why)
{
    reader->why = why;
    return false;
}

/* Reads the next chunk if the last chunk is used up. */
static bool fill(struct reader *reader)
{
    ssize_t count = 0;
    if (reader->at < reader->filled) {
        return true;
    }
    do {
        count = read(reader->fd, reader->chunk, CHUNK_BYTES);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) {
        return fail(reader, count == 0 ? "it ends too early" : "it cannot be read");
    }
    reader->at = 0;
    reader->filled = (size_t)count;
    return true;
}

/* Takes the next bytes; `out` NULL: skips them. */
static bool take(struct reader *reader, unsigned char *out, uint64_t bytes)
{
    while (bytes > 0) {
        if (!fill(reader)) {
            return false;
        }
        size_t some = reader->filled - reader->at;
        some = some < bytes ? some : (size_t)bytes;
        if (out) {
            memcpy(out, reader->chunk + reader->at, some);
            out += some;
        }
        reader->at += some;
        reader->position += some;
        bytes -= some;
    }
    return true;
}

static bool take_u32(struct reader *reader, uint32_t *number)
{
    unsigned char bytes[4];
    if (!take(reader, bytes, sizeof bytes)) {
        return false;
    }
    memcpy(number, bytes, sizeof bytes);
    *number = be32toh(*number);
    return true;
}

/* Adds the bytes up to a NUL to the name. */
static bool take_name(struct reader *reader)
{
    const unsigned char *end = NULL;
    while (!end) {
        if (!fill(reader)) {
            return false;
        }
        const unsigned char *at = reader->chunk + reader->at;
        size_t left = reader->filled - reader->at;
        end = memchr(at, 0, left);
        size_t bytes = end ? (size_t)(end - at) : left;
        if (bytes > NAME_BYTES_MAX - reader->name.bytes) {
            return fail(reader, "it has a name that is too long");
        }
        if (xylem_buffer_add(&reader->name, at, bytes) < 0) {
            return fail(reader, NULL);
        }
        bytes += end ? 1 : 0;
        reader->at += bytes;
        reader->position += bytes;
    }
    return true;
}

/* Takes a name of `bytes` bytes and a NUL. Fails for a NUL within the name: git would see two names. */
static bool take_known_name(struct reader *reader, size_t bytes)
{
    unsigned char name[NAME_LENGTH + 1];
    reader->name.bytes = 0;
    if (!take(reader, name, bytes + 1)) {
        return false;
    }
    if (memchr(name, '\0', bytes + 1) != name + bytes) {
        return fail(reader, "it has a name that is not understood");
    }
    return xylem_buffer_add(&reader->name, name, bytes) == 0 || fail(reader, NULL);
}

/* Version 4: drops the end of the name before. */
static bool drop_end(struct reader *reader)
{
    unsigned char byte = 0;
    uint64_t count = 0;
    do {
        if (!take(reader, &byte, 1)) {
            return false;
        }
        count = (count << 7) + (byte & 0x7fu);
        if (count > NAME_BYTES_MAX) {
            return fail(reader, "it has a name that is not understood");
        }
        count += byte & 0x80u ? 1 : 0;
    } while (byte & 0x80u);
    if (count > reader->name.bytes) {
        return fail(reader, "it has a name that is not understood");
    }
    reader->name.bytes -= (size_t)count;
    return true;
}

static bool take_entry(struct reader *reader, bool *submodule)
{
    unsigned char fixed[STAT_BYTES + HASH_BYTES_MAX + 4];
    size_t fixed_bytes = STAT_BYTES + reader->hash_bytes + 2;
    uint64_t begin = reader->position;
    if (!take(reader, fixed, fixed_bytes)) {
        return false;
    }
    unsigned flags = (unsigned)fixed[fixed_bytes - 2] << 8 | fixed[fixed_bytes - 1];
    unsigned mode = (unsigned)fixed[MODE_OFFSET + 2] << 8 | fixed[MODE_OFFSET + 3];
    *submodule = (mode & MODE_TYPE) == MODE_SUBMODULE;
    if ((mode & MODE_TYPE) == MODE_DIRECTORY) {
        return fail(reader, "it is sparse, and the hook does not read the entries of its directories");
    }
    if ((flags & FLAG_EXTENDED) != 0 && !take(reader, NULL, 2)) {
        return false;
    }
    /* git trusts the length in the flags, unless the name is too long for the flags. */
    size_t name_bytes = flags & NAME_LENGTH;
    bool known = name_bytes != NAME_LENGTH;
    if (reader->version == 4) {
        return drop_end(reader) && take_name(reader) &&
               (!known || reader->name.bytes == name_bytes || fail(reader, "it has a name that is not understood"));
    }
    /* One to eight NULs end a name, up to a multiple of eight. */
    if (known) {
        return (*submodule ? take_known_name(reader, name_bytes) : take(reader, NULL, name_bytes + 1)) &&
               take(reader, NULL, (8 - (reader->position - begin) % 8) % 8);
    }
    reader->name.bytes = 0;
    return take_name(reader) && take(reader, NULL, (8 - (reader->position - begin) % 8) % 8);
}

/* Behind the entries: refuses extensions by which entries lie elsewhere, such as another file. */
static bool take_extensions(struct reader *reader)
{
    while (reader->position + reader->hash_bytes < reader->bytes) {
        unsigned char signature[4];
        uint32_t bytes = 0;

        if (!take(reader, signature, sizeof signature) || !take_u32(reader, &bytes)) {
            return false;
        }
        if (memcmp(signature, "link", 4) == 0) {
            return fail(reader, "it is split, and the hook does not read the shared part");
        }
        if (memcmp(signature, "EOIE", 4) == 0 || memcmp(signature, "IEOT", 4) == 0) {
            return fail(reader, "it has a table of its entries, and git may trust the table (index.threads)");
        }
        if (!take(reader, NULL, bytes)) {
            return false;
        }
    }
    return true;
}

static int read_all(struct reader *reader, bool (*visit)(void *context, const char *submodule), void *context)
{
    uint32_t signature = 0;
    uint32_t count = 0;
    if (!take_u32(reader, &signature) || !take_u32(reader, &reader->version) || !take_u32(reader, &count)) {
        return XYLEM_E_MALFORMED;
    }
    if (signature != 0x44495243 /* DIRC */ || reader->version < 2 || reader->version > 4) {
        fail(reader, "it is not an index of version 2, 3 or 4");
        return XYLEM_E_MALFORMED;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool submodule = false;
        if (!take_entry(reader, &submodule)) {
            return reader->why ? XYLEM_E_MALFORMED : XYLEM_E_MEMORY;
        }
        if (submodule && reader->name.bytes == 0) {
            fail(reader, "it has a name that is not understood");
            return XYLEM_E_MALFORMED;
        }
        if (submodule && !visit(context, reader->name.data)) {
            return XYLEM_E_STOPPED;
        }
    }
    return take_extensions(reader) ? 0 : XYLEM_E_MALFORMED;
}

int xylem_hook__git_index(const char *path, size_t hash_bytes, bool (*visit)(void *context, const char *submodule),
                          void *context, const char **why)
{
    struct reader reader = {.hash_bytes = hash_bytes};
    struct stat status;
    int code = XYLEM_E_MALFORMED;
    reader.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    if (reader.fd < 0) {
        *why = "it cannot be read";
        return errno == ENOENT || errno == ENOTDIR ? 0 : XYLEM_E_MALFORMED;
    }
    if (fstat(reader.fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        reader.why = "it is not a regular file";
    } else {
        reader.bytes = (uint64_t)status.st_size;
        reader.chunk = malloc(CHUNK_BYTES);
        code = reader.chunk ? read_all(&reader, visit, context) : XYLEM_E_MEMORY;
    }
    xylem_base__file_close(&reader.fd);
    *why = reader.why;
    free(reader.chunk);
    xylem_buffer_release(&reader.name);
    return code;
}
