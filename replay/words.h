/* The output of a piece for people. */
#ifndef XYLEM_REPLAY_WORDS_H
#define XYLEM_REPLAY_WORDS_H

#include "xylem/state.h"

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
