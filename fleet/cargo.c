#include "fleet/cargo.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "xylem/outline.h"

#define NAME_BYTES_MAX 256u
#define CWD_BYTES_MAX 1024u

int fleet_cargo_pack(struct xylem_buffer *bytes, struct xylem_segment *segment, struct xylem_txn *txn, uint64_t session,
                     uint64_t from, uint64_t to, bool whole, struct xylem_error *err)
{
    struct xylem_packing *packing;
    const struct xylem_pack_options options = {.from = from, .to = to};
    xylem_base__buffer_clear(bytes);
    int code = xylem_packing_new(&packing, txn, session, &options, err);
    if (code < 0) {
        return code;
    }
    if (whole) {
        xylem_packing_whole(packing);
    }
    code = xylem_packing_next(bytes, segment, packing, err);
    if (whole && code == 1) {
        struct xylem_buffer rest = {NULL, 0, 0};
        struct xylem_segment behind;
        code = xylem_packing_next(&rest, &behind, packing, err);
        xylem_buffer_release(&rest);
        code = code == 0  ? 1
               : code < 0 ? code
                          : xylem_base__fail(err, XYLEM_E_LIMIT, "more changes than a segment may have");
    }
    xylem_packing_free(packing);
    return code;
}

/* --- About -------------------------------------------------------------------------------------------------------- */

/* The beginning of a text, not cut within a character. */
static struct xylem_view cut(struct xylem_view text, size_t bytes)
{
    if (text.bytes > bytes) {
        while (bytes > 0 && xylem_base__utf8_continues(text.data[bytes])) {
            bytes--;
        }
        text.bytes = bytes;
    }
    return text;
}

/* The id of the session that has the base of a fork; data NULL: no fork, or the source was freed. */
static int find_base(struct xylem_view *id, struct xylem_txn *txn, const struct xylem_session *session,
                     struct xylem_error *err)
{
    struct xylem_session source;
    uint64_t number;
    uint64_t ordinal;
    *id = (struct xylem_view){NULL, 0};
    if (session->base.depth == 0) {
        return XYLEM_OK;
    }
    int code = xylem_entry_ordinal(&number, &ordinal, txn, session->base, err);
    code = code < 0 ? code : xylem_session_read(&source, txn, number, err);
    *id = code == XYLEM_OK && source.state != XYLEM_SESSION_FREED ? source.id : *id;
    return code;
}

static void write_time(struct xylem_base__writer *writer, const char *member, int64_t time_ms)
{
    xylem_base__write(writer, member);
    xylem_base__write_number(writer, (double)time_ms);
}

int fleet_cargo_about(struct xylem_buffer *about, struct xylem_txn *txn, const struct xylem_session *session,
                      struct xylem_error *err)
{
    static const struct xylem_view none = {NULL, 0};
    struct xylem_outline outline;
    struct xylem_buffer name = {NULL, 0, 0};
    struct xylem_view base;
    int code = xylem_outline_read(&outline, &name, txn, session, err);
    code = code < 0 ? code : find_base(&base, txn, session, err);
    /* A text of control characters grows by escapes: then the texts of people are left out. */
    for (bool texts = true; code == XYLEM_OK; texts = false) {
        struct xylem_base__writer writer = {.buffer = about};
        xylem_base__buffer_clear(about);
        bool named = texts && outline.has_name;
        xylem_base__write_member(&writer,
                                 "{\"name\":", named ? cut(xylem_base__buffer_view(&name), NAME_BYTES_MAX) : none);
        xylem_base__write_member(&writer, ",\"cwd\":", texts ? cut(session->cwd, CWD_BYTES_MAX) : none);
        xylem_base__write_counted(&writer, ",\"entries\":", outline.entry_count);
        write_time(&writer, ",\"active\":", outline.active_ms);
        write_time(&writer, ",\"created\":", session->created_ms);
        xylem_base__write_member(&writer, ",\"parent\":", texts ? cut(session->parent, NAME_BYTES_MAX) : none);
        xylem_base__write_member(&writer, ",\"base\":", texts ? base : none);
        xylem_base__write_flag(&writer, ",\"deleted\":", session->state == XYLEM_SESSION_DELETED);
        xylem_base__write(&writer, "}");
        code = writer.code;
        if (!texts || about->bytes <= FLEET_ABOUT_BYTES_MAX) {
            break;
        }
    }
    xylem_buffer_release(&name);
    return code;
}
