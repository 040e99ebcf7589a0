/*
 * Writes the data of an entry:
 *
 *     {"version":1,"whole":false,
 *      "files":[{"path":"/p/a.c","hash":"xxh3-128:...","bytes":12,"at":1790000000000,"by":"read"}],
 *      "gone":["/p/b.c"]}
 */
#include "base/error.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "replay/reads/table.h"

#define WHOLE_EVERY 32u /* so a load reads at most 32 entries of its own making */

static bool is_text(const struct xylem_reads__file *file)
{
    return xylem_base__wtf8_valid(file->key, file->key_bytes);
}

/* `whole`: all files, else the files that no entry has. The file that was used last is the last. */
static int add_data(struct xylem_buffer *data, const struct xylem_reads *reads, bool whole, struct xylem_error *err)
{
    struct xylem_base__writer writer = {data, 0};
    const char *comma = "";
    size_t before = data->bytes;
    xylem_base__write_flag(&writer, "{\"version\":1,\"whole\":", whole);
    xylem_base__write(&writer, ",\"files\":[");
    for (size_t i = reads->file_count; i-- > 0;) {
        const struct xylem_reads__file *file = reads->files[i];
        if ((whole || !file->drained) && is_text(file)) {
            xylem_base__write(&writer, comma);
            xylem_base__write_member(&writer, "{\"path\":", xylem_reads__key(file));
            xylem_base__write_member(&writer, ",\"hash\":", xylem_view_of(file->fingerprint.hash));
            xylem_base__write_counted(&writer, ",\"bytes\":", file->fingerprint.bytes);
            xylem_base__write_counted(&writer, ",\"at\":", (uint64_t)file->at_ms);
            xylem_base__write_member(&writer, ",\"by\":", xylem_view_of(xylem_reads__by_word(file->by)));
            xylem_base__write(&writer, "}");
            comma = ",";
        }
    }
    xylem_base__write(&writer, "],\"gone\":[");
    comma = "";
    for (size_t i = 0; !whole && i < reads->gone_count; i++) {
        if (is_text(reads->gone[i])) {
            xylem_base__write_member(&writer, comma, xylem_reads__key(reads->gone[i]));
            comma = ",";
        }
    }
    xylem_base__write(&writer, "]}");
    return xylem_base__write_end(&writer, before) < 0 ? xylem_base__fail_memory(err) : 0;
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
