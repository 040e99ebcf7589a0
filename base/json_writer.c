/* Adds JSON. */
#include "base/json_writer.h"

#include "base/buffer.h"

void xylem_base__write(struct xylem_base__writer *writer, const char *json)
{
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_base__buffer_add_text(writer->buffer, json);
    }
}

void xylem_base__write_string(struct xylem_base__writer *writer, struct xylem_view text)
{
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_buffer_add_json_string(writer->buffer, text);
    }
}

void xylem_base__write_maybe(struct xylem_base__writer *writer, struct xylem_view text)
{
    if (text.data) {
        xylem_base__write_string(writer, text);
    } else {
        xylem_base__write(writer, "null");
    }
}

void xylem_base__write_member(struct xylem_base__writer *writer, const char *member, struct xylem_view text)
{
    xylem_base__write(writer, member);
    xylem_base__write_maybe(writer, text);
}

void xylem_base__write_counted(struct xylem_base__writer *writer, const char *member, uint64_t number)
{
    xylem_base__write(writer, member);
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_base__buffer_add_format(writer->buffer, "%llu", (unsigned long long)number);
    }
}

void xylem_base__write_flag(struct xylem_base__writer *writer, const char *member, bool truth)
{
    xylem_base__write(writer, member);
    xylem_base__write(writer, truth ? "true" : "false");
}

void xylem_base__write_strings(struct xylem_base__writer *writer, const struct xylem_view *list, size_t count)
{
    xylem_base__write(writer, "[");
    for (size_t i = 0; i < count; i++) {
        xylem_base__write(writer, i ? "," : "");
        xylem_base__write_string(writer, list[i]);
    }
    xylem_base__write(writer, "]");
}

int xylem_base__write_end(const struct xylem_base__writer *writer, size_t before)
{
    if (writer->code < 0) {
        xylem_base__buffer_cut(writer->buffer, before);
    }
    return writer->code;
}

void xylem_base__write_number(struct xylem_base__writer *writer, double number)
{
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_buffer_add_json_number(writer->buffer, number);
    }
}
