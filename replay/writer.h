/* The output of a piece: JSON for programs, words for people. */
#ifndef XYLEM_REPLAY_WRITER_H
#define XYLEM_REPLAY_WRITER_H

#include "xylem.h"

/* JSON under construction: the first failure stays, and later calls do nothing. */
struct xylem_replay__writer {
    struct xylem_buffer *buffer;
    int code;
};

void xylem_replay__write(struct xylem_replay__writer *writer, const char *json);
void xylem_replay__write_string(struct xylem_replay__writer *writer, struct xylem_view text);
/* `null` if data is NULL. */
void xylem_replay__write_maybe(struct xylem_replay__writer *writer, struct xylem_view text);
/* `member` is a name with all around it, such as `,"name":`. The text is `null` if its data is NULL. */
void xylem_replay__write_member(struct xylem_replay__writer *writer, const char *member, struct xylem_view text);
void xylem_replay__write_counted(struct xylem_replay__writer *writer, const char *member, uint64_t number);
void xylem_replay__write_flag(struct xylem_replay__writer *writer, const char *member, bool truth);
/* An array. */
void xylem_replay__write_strings(struct xylem_replay__writer *writer, const struct xylem_view *list, size_t count);
/* Takes JSON that failed away, down to `before` bytes. 0 or XYLEM_E_MEMORY. */
int xylem_replay__write_end(const struct xylem_replay__writer *writer, size_t before);
void xylem_replay__write_number(struct xylem_replay__writer *writer, double number);

/* Words under construction; `list` has room for XYLEM_WORDS_MAX. */
struct xylem_replay__words {
    struct xylem_word *list;
    size_t count;
};

/* `text` is static. */
void xylem_replay__say(struct xylem_replay__words *words, const char *text);
void xylem_replay__say_tone(struct xylem_replay__words *words, const char *text, enum xylem_tone tone);
void xylem_replay__say_foreign(struct xylem_replay__words *words, struct xylem_view text);
void xylem_replay__say_count(struct xylem_replay__words *words, uint64_t number);
void xylem_replay__say_entry(struct xylem_replay__words *words, struct xylem_position position, struct xylem_view id);
void xylem_replay__say_break(struct xylem_replay__words *words);

#endif
