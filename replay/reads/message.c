/* Writes the messages for the model. Each path and id is foreign text: control characters are escaped. */
#include "replay/reads/message.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"
#include "base/value.h"

#define SHOWN_BYTES_MAX 1024u
#define SHOWN_HALF_BYTES 500u

static int add_escaped(struct xylem_buffer *message, struct xylem_view text)
{
    int code = 0;
    for (size_t at = 0; code == 0 && at < text.bytes;) {
        size_t bytes = xylem_base__utf8_shown_bytes(text.data + at, text.bytes - at);
        code = bytes > 0 ? xylem_buffer_add(message, text.data + at, bytes)
                         : xylem_base__buffer_add_format(message, "\\x%02x", (unsigned)(unsigned char)text.data[at]);
        at += bytes > 0 ? bytes : 1;
    }
    return code;
}

/* A long path shows its beginning and its end, both cut between characters. */
static int add_path(struct xylem_buffer *message, struct xylem_view path)
{
    int code;
    if (path.bytes <= SHOWN_BYTES_MAX) {
        return add_escaped(message, path);
    }
    size_t head = SHOWN_HALF_BYTES;
    size_t tail = path.bytes - SHOWN_HALF_BYTES;
    for (int i = 0; i < 3 && xylem_base__utf8_continues(path.data[head]); i++) {
        head--;
    }
    for (int i = 0; i < 3 && xylem_base__utf8_continues(path.data[tail]); i++) {
        tail++;
    }
    if ((code = add_escaped(message, (struct xylem_view){path.data, head})) < 0 ||
        (code = xylem_base__buffer_add_text(message, "\xE2\x80\xA6")) < 0) {
        return code;
    }
    return add_escaped(message, (struct xylem_view){path.data + tail, path.bytes - tail});
}

int xylem_reads__add_message(struct xylem_buffer *message, enum xylem_reads_why why, struct xylem_view path,
                             struct xylem_view problem)
{
    static const char *const ends[] = {
        [XYLEM_READS_UNREAD] = " was not read in this session. Read it, then try again.",
        [XYLEM_READS_CHANGED] = " changed on disk after it was read. Read it again, then try again.",
        [XYLEM_READS_DELETED] = " was deleted after it was read.",
    };
    int code;
    if ((code = xylem_base__buffer_add_text(message, "Blocked: ")) < 0 || (code = add_path(message, path)) < 0) {
        return code;
    }
    if (why != XYLEM_READS_UNREAD || problem.bytes == 0) {
        return xylem_base__buffer_add_text(message, ends[why]);
    }
    if ((code = xylem_base__buffer_add_text(message, " was not read in this session: ")) < 0 ||
        (code = add_escaped(message, problem)) < 0) {
        return code;
    }
    return xylem_base__buffer_add_text(message, ".");
}

int xylem_reads_add_writer(struct xylem_buffer *message, const struct xylem_last_writer *writer, int64_t now_ms,
                           struct xylem_error *err)
{
    if (!message || !writer || xylem_base__view_lacks_bytes(writer->id)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a message and a writer are needed");
    }
    size_t before = message->bytes;
    int64_t at_ms = writer->at_ms > 0 ? writer->at_ms : 0;
    int64_t age = now_ms > at_ms ? (now_ms - at_ms) / 60000 : 0;
    int64_t number = age < 120 ? age : age < 2880 ? age / 60 : age / 1440;
    const char *unit = age < 120 ? "min" : age < 2880 ? "h" : "days";
    if (xylem_base__buffer_add_text(message, " It was last written by session ") < 0 ||
        add_escaped(message, writer->id) < 0 ||
        (age < 1 ? xylem_base__buffer_add_text(message, ", less than 1 min ago.")
                 : xylem_base__buffer_add_format(message, ", %lld %s ago.", (long long)number, unit)) < 0) {
        xylem_base__buffer_cut(message, before);
        return xylem_base__fail_memory(err);
    }
    return 0;
}
