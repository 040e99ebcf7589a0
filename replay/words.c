/* Adds words. */
#include "replay/words.h"

#include <assert.h>

static void add(struct xylem_replay__words *words, struct xylem_word word)
{
    assert(words->count < XYLEM_WORDS_MAX);
    words->list[words->count++] = word;
}

void xylem_replay__say(struct xylem_replay__words *words, const char *text)
{
    xylem_replay__say_tone(words, text, XYLEM_TONE_PLAIN);
}

void xylem_replay__say_tone(struct xylem_replay__words *words, const char *text, enum xylem_tone tone)
{
    add(words, (struct xylem_word){.type = XYLEM_WORD_TEXT, .tone = tone, .text = xylem_view_of(text)});
}

void xylem_replay__say_foreign(struct xylem_replay__words *words, struct xylem_view text)
{
    add(words, (struct xylem_word){.type = XYLEM_WORD_FOREIGN, .text = text});
}

void xylem_replay__say_count(struct xylem_replay__words *words, uint64_t number)
{
    add(words, (struct xylem_word){.type = XYLEM_WORD_COUNT, .number = number});
}

void xylem_replay__say_entry(struct xylem_replay__words *words, struct xylem_position position, struct xylem_view id)
{
    add(words, (struct xylem_word){.type = XYLEM_WORD_ENTRY, .position = position, .text = id});
}

void xylem_replay__say_break(struct xylem_replay__words *words)
{
    add(words, (struct xylem_word){.type = XYLEM_WORD_BREAK});
}
