/* JSON of one document, piece by piece. */
#ifndef XYLEM_BASE_JSON_WRITER_H
#define XYLEM_BASE_JSON_WRITER_H

#include "xylem/base.h"

/* JSON under construction: the first failure stays, and later calls do nothing. */
struct xylem_base__writer {
    struct xylem_buffer *buffer;
    int code;
};

void xylem_base__write(struct xylem_base__writer *writer, const char *json);
void xylem_base__write_string(struct xylem_base__writer *writer, struct xylem_view text);
/* `null` if data is NULL. */
void xylem_base__write_maybe(struct xylem_base__writer *writer, struct xylem_view text);
/* `member` is a name with all around it, such as `,"name":`. The text is `null` if its data is NULL. */
void xylem_base__write_member(struct xylem_base__writer *writer, const char *member, struct xylem_view text);
void xylem_base__write_counted(struct xylem_base__writer *writer, const char *member, uint64_t number);
void xylem_base__write_flag(struct xylem_base__writer *writer, const char *member, bool truth);
/* An array. */
void xylem_base__write_strings(struct xylem_base__writer *writer, const struct xylem_view *list, size_t count);
/* Takes JSON that failed away, down to `before` bytes. 0 or XYLEM_E_MEMORY. */
int xylem_base__write_end(const struct xylem_base__writer *writer, size_t before);
void xylem_base__write_number(struct xylem_base__writer *writer, double number);

#endif
