/*
 * Writes the data of an entry:
 *
 *     {"version":1,"whole":false,
 *      "files":[{"path":"/p/a.c","hash":"xxh3-128:...","bytes":12,"at":1790000000000,"by":"read"}],
 *      "gone":["/p/b.c"]}
 */
#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"
#include "base/value.h"
#include "reads/table.h"

#define WHOLE_EVERY 32u /* so a load reads at most 32 entries of its own making */

static bool is_text(const struct xylem_reads__file *file)
{
    return xylem_base__wtf8_valid(file->key, file->key_bytes);
}

static int add_file(struct xylem_buffer *data, const struct xylem_reads__file *file)
{
    int code;
    if ((code = xylem_base__buffer_add_text(data, "{\"path\":")) < 0 ||
        (code = xylem_buffer_add_json_string(data, xylem_reads__key(file))) < 0 ||
        (code = xylem_base__buffer_add_text(data, ",\"hash\":")) < 0 ||
        (code = xylem_buffer_add_json_string(data, xylem_view_of(file->fingerprint.hash))) < 0) {
        return code;
    }
    return xylem_base__buffer_add_format(data, ",\"bytes\":%llu,\"at\":%lld,\"by\":\"%s\"}",
                                         (unsigned long long)file->fingerprint.bytes, (long long)file->at_ms,
                                         xylem_reads__by_word(file->by));
}

/* All files, or the files that no entry has. The file that was used last is the last. */
static int add_files(struct xylem_buffer *data, const struct xylem_reads *reads, bool whole)
{
    const char *comma = "";
    for (size_t i = reads->file_count; i-- > 0;) {
        const struct xylem_reads__file *file = reads->files[i];
        if ((whole || !file->drained) && is_text(file)) {
            if (xylem_base__buffer_add_text(data, comma) < 0 || add_file(data, file) < 0) {
                return XYLEM_E_MEMORY;
            }
            comma = ",";
        }
    }
    return 0;
}

static int add_gone(struct xylem_buffer *data, const struct xylem_reads *reads)
{
    const char *comma = "";
    for (size_t i = 0; i < reads->gone_count; i++) {
        if (is_text(reads->gone[i])) {
            if (xylem_base__buffer_add_text(data, comma) < 0 ||
                xylem_buffer_add_json_string(data, xylem_reads__key(reads->gone[i])) < 0) {
                return XYLEM_E_MEMORY;
            }
            comma = ",";
        }
    }
    return 0;
}

static int add_data(struct xylem_buffer *data, const struct xylem_reads *reads, bool whole, struct xylem_error *err)
{
    size_t before = data->bytes;
    if (xylem_base__buffer_add_text(data, "{\"version\":1,\"whole\":") < 0 ||
        xylem_base__buffer_add_text(data, whole ? "true" : "false") < 0 ||
        xylem_base__buffer_add_text(data, ",\"files\":[") < 0 || add_files(data, reads, whole) < 0 ||
        xylem_base__buffer_add_text(data, "],\"gone\":[") < 0 || (!whole && add_gone(data, reads) < 0) ||
        xylem_base__buffer_add_text(data, "]}") < 0) {
        xylem_base__buffer_cut(data, before);
        return xylem_base__fail_memory(err);
    }
    return 0;
}

int xylem_reads_whole(struct xylem_buffer *data, const struct xylem_reads *reads, struct xylem_error *err)
{
    if (!data || !reads) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a buffer and a table are needed");
    }
    return add_data(data, reads, true, err);
}

int xylem_reads_drain(struct xylem_buffer *data, struct xylem_reads *reads, struct xylem_error *err)
{
    if (!data || !reads) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a buffer and a table are needed");
    }
    if (!reads->news) {
        return 0;
    }
    bool whole = reads->whole_due || reads->since_whole + 1 >= WHOLE_EVERY;
    int code = add_data(data, reads, whole, err);
    if (code < 0) {
        return code;
    }
    for (size_t i = 0; i < reads->file_count; i++) {
        reads->files[i]->drained = true;
    }
    xylem_reads__clear_gone(reads);
    reads->since_whole = whole ? 0 : reads->since_whole + 1;
    reads->whole_due = false;
    reads->news = false;
    return 1;
}
