/* The table: notes files, and forgets the least recently used files. */
#include "replay/reads/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/value.h"

static_assert(XYLEM_READS_KEY_BYTES_MAX + XYLEM_FILE_HASH_BYTES_MAX < XYLEM_READS_BYTES_MAX, "each file fits alone");
static_assert(XYLEM_READS_KEY_BYTES_MAX == 16384 && XYLEM_FILE_HASH_BYTES_MAX == 151, "the reasons name these limits");

struct xylem_view xylem_reads__key(const struct xylem_reads__file *file)
{
    return (struct xylem_view){file->key, file->key_bytes};
}

const char *xylem_reads__by_word(enum xylem_read_by by)
{
    return by == XYLEM_READ_BY_READ ? "read" : by == XYLEM_READ_BY_EDIT ? "edit" : "write";
}

const char *xylem_reads__key_problem(struct xylem_view key)
{
    if (key.bytes == 0 || memchr(key.data, '\0', key.bytes)) {
        return "a path is empty or has a NUL";
    }
    return key.bytes > XYLEM_READS_KEY_BYTES_MAX ? "a path has more than 16384 bytes" : NULL;
}

const char *xylem_reads__hash_problem(struct xylem_view hash)
{
    size_t name = xylem_base__skip(hash, 0, XYLEM_BASE__DIGITS "abcdefghijklmnopqrstuvwxyz-");
    size_t end = xylem_base__skip(hash, name + 1, XYLEM_BASE__HEX_DIGITS "ABCDEF");
    bool sound = name > 0 && name < hash.bytes && hash.data[name] == ':' && end > name + 1 && end == hash.bytes;
    return sound && hash.bytes <= XYLEM_FILE_HASH_BYTES_MAX ? NULL : "a hash is not algorithm:hex of at most 151 bytes";
}

/* --- The order of use --------------------------------------------------------------------------------------------- */

size_t xylem_reads__find(const struct xylem_reads *reads, struct xylem_view key)
{
    size_t at = 0;
    while (at < reads->file_count && !xylem_base__view_equal(xylem_reads__key(reads->files[at]), key)) {
        at++;
    }
    return at;
}

void xylem_reads__use(struct xylem_reads *reads, size_t index)
{
    assert(index < reads->file_count);
    struct xylem_reads__file *file = reads->files[index];
    memmove(&reads->files[1], &reads->files[0], index * sizeof *reads->files);
    reads->files[0] = file;
}

static size_t noted_bytes(const struct xylem_reads__file *file)
{
    return file->key_bytes + strlen(file->fingerprint.hash);
}

/* Takes a file out of the table. */
static struct xylem_reads__file *take(struct xylem_reads *reads, size_t index)
{
    struct xylem_reads__file *file = reads->files[index];
    reads->file_count--;
    memmove(&reads->files[index], &reads->files[index + 1], (reads->file_count - index) * sizeof *reads->files);
    reads->bytes -= noted_bytes(file);
    return file;
}

void xylem_reads__clear_gone(struct xylem_reads *reads)
{
    for (size_t i = 0; i < reads->gone_count; i++) {
        free(reads->gone[i]);
    }
    reads->gone_count = 0;
}

void xylem_reads__clear(struct xylem_reads *reads)
{
    for (size_t i = 0; i < reads->file_count; i++) {
        free(reads->files[i]);
    }
    reads->file_count = 0;
    reads->bytes = 0;
    xylem_reads__clear_gone(reads);
}

/* Moves a file to the list of gone files. A full list needs an entry with the whole table, which needs no list. */
static void drop(struct xylem_reads *reads, size_t index)
{
    struct xylem_reads__file *file = take(reads, index);
    reads->news = true;
    if (reads->whole_due || reads->gone_count == XYLEM_READS_FILES_MAX) {
        xylem_reads__clear_gone(reads);
        reads->whole_due = true;
        free(file);
        return;
    }
    reads->gone[reads->gone_count++] = file;
}

/* A file that is noted again is not gone. */
static void bring_back(struct xylem_reads *reads, struct xylem_view key)
{
    for (size_t i = 0; i < reads->gone_count; i++) {
        if (xylem_base__view_equal(xylem_reads__key(reads->gone[i]), key)) {
            free(reads->gone[i]);
            reads->gone[i] = reads->gone[--reads->gone_count];
            return;
        }
    }
}

bool xylem_reads__fits(const struct xylem_reads *reads, struct xylem_view key, const char *hash)
{
    return reads->file_count < XYLEM_READS_FILES_MAX &&
           reads->bytes + key.bytes + strlen(hash) <= XYLEM_READS_BYTES_MAX;
}

static struct xylem_reads__file *file_new(struct xylem_view key, const struct xylem_fingerprint *fingerprint,
                                          enum xylem_read_by by, int64_t at_ms)
{
    struct xylem_reads__file *file = malloc(sizeof *file + key.bytes + 1);
    if (file) {
        *file =
            (struct xylem_reads__file){.fingerprint = *fingerprint, .at_ms = at_ms, .by = by, .key_bytes = key.bytes};
        memcpy(file->key, key.data, key.bytes);
        file->key[key.bytes] = '\0';
    }
    return file;
}

int xylem_reads__add_last(struct xylem_reads *reads, struct xylem_view key, const struct xylem_fingerprint *fingerprint,
                          enum xylem_read_by by, int64_t at_ms)
{
    struct xylem_reads__file *file = file_new(key, fingerprint, by, at_ms);
    if (!file) {
        return XYLEM_E_MEMORY;
    }
    assert(xylem_reads__fits(reads, key, fingerprint->hash));
    file->drained = true;
    reads->files[reads->file_count++] = file;
    reads->bytes += noted_bytes(file);
    return 0;
}

/* --- Public calls ------------------------------------------------------------------------------------------------- */

int xylem_reads_new(struct xylem_reads **reads, struct xylem_error *err)
{
    if (!reads) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a place for the table is missing");
    }
    struct xylem_reads *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    *reads = made;
    return 0;
}

void xylem_reads_free(struct xylem_reads *reads)
{
    if (reads) {
        xylem_reads__clear(reads);
        free(reads);
    }
}

int xylem_reads_note(struct xylem_reads *reads, struct xylem_view key, const struct xylem_fingerprint *fingerprint,
                     enum xylem_read_by by, int64_t at_ms, struct xylem_error *err)
{
    const char *problem;
    if (!reads) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a table is needed");
    }
    if (!fingerprint || xylem_base__view_lacks_bytes(key) || (unsigned)by > XYLEM_READ_BY_WRITE || at_ms < 0) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "reads: a note needs a key, a fingerprint, read, edit or write, and a time");
    }
    if ((problem = xylem_reads__key_problem(key))) {
        return xylem_base__fail(err, key.bytes > XYLEM_READS_KEY_BYTES_MAX ? XYLEM_E_LIMIT : XYLEM_E_MALFORMED,
                                "reads: %s", problem);
    }
    struct xylem_view hash = {fingerprint->hash, strnlen(fingerprint->hash, sizeof fingerprint->hash)};
    if ((problem = xylem_reads__hash_problem(hash))) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "reads: %s", problem);
    }
    struct xylem_reads__file *file = file_new(key, fingerprint, by, at_ms);
    if (!file) {
        return xylem_base__fail_memory(err);
    }
    size_t known = xylem_reads__find(reads, key);
    if (known < reads->file_count) {
        free(take(reads, known));
    }
    bring_back(reads, xylem_reads__key(file));
    while (!xylem_reads__fits(reads, xylem_reads__key(file), file->fingerprint.hash)) {
        drop(reads, reads->file_count - 1);
    }
    reads->files[reads->file_count++] = file;
    reads->bytes += noted_bytes(file);
    reads->news = true;
    xylem_reads__use(reads, reads->file_count - 1);
    return 0;
}

int xylem_reads_forget(struct xylem_reads *reads, struct xylem_view key, struct xylem_error *err)
{
    if (!reads || xylem_base__view_lacks_bytes(key)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a table and a key are needed");
    }
    size_t known = xylem_reads__find(reads, key);
    if (known < reads->file_count) {
        drop(reads, known);
    }
    return 0;
}

bool xylem_reads_known(struct xylem_fingerprint *fingerprint, const struct xylem_reads *reads, struct xylem_view key)
{
    size_t known = reads ? xylem_reads__find(reads, key) : 0;
    if (!reads || known == reads->file_count) {
        return false;
    }
    *fingerprint = reads->files[known]->fingerprint;
    return true;
}

bool xylem_reads_file(struct xylem_read_file *file, const struct xylem_reads *reads, size_t index)
{
    if (!reads || index >= reads->file_count) {
        return false;
    }
    const struct xylem_reads__file *found = reads->files[index];
    *file = (struct xylem_read_file){.key = xylem_reads__key(found),
                                     .hash = xylem_view_of(found->fingerprint.hash),
                                     .bytes = found->fingerprint.bytes,
                                     .at_ms = found->at_ms,
                                     .by = found->by};
    return true;
}
