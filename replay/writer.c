/* Adds JSON and words. */
#include "replay/writer.h"

#include <assert.h>

#include "base/buffer.h"

void xylem_replay__write(struct xylem_replay__writer *writer, const char *json)
{
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_base__buffer_add_text(writer->buffer, json);
    }
}

void xylem_replay__write_string(struct xylem_replay__writer *writer, struct xylem_view text)
{
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_buffer_add_json_string(writer->buffer, text);
    }
}

void xylem_replay__write_maybe(struct xylem_replay__writer *writer, struct xylem_view text)
{
    if (text.data) {
        xylem_replay__write_string(writer, text);
    } else {
        xylem_replay__write(writer, "null");
    }
}

void xylem_replay__write_member(struct xylem_replay__writer *writer, const char *member, struct xylem_view text)
{
    xylem_replay__write(writer, member);
    xylem_replay__write_maybe(writer, text);
}

void xylem_replay__write_counted(struct xylem_replay__writer *writer, const char *member, uint64_t number)
{
    xylem_replay__write(writer, member);
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_base__buffer_add_format(writer->buffer, "%llu", (unsigned long long)number);
    }
}

void xylem_replay__write_flag(struct xylem_replay__writer *writer, const char *member, bool truth)
{
    xylem_replay__write(writer, member);
    xylem_replay__write(writer, truth ? "true" : "false");
}

void xylem_replay__write_strings(struct xylem_replay__writer *writer, const struct xylem_view *list, size_t count)
{
    xylem_replay__write(writer, "[");
    for (size_t i = 0; i < count; i++) {
        xylem_replay__write(writer, i ? "," : "");
        xylem_replay__write_string(writer, list[i]);
    }
    xylem_replay__write(writer, "]");
}

int xylem_replay__write_end(const struct xylem_replay__writer *writer, size_t before)
{
    if (writer->code < 0) {
        xylem_base__buffer_cut(writer->buffer, before);
    }
    return writer->code;
}

void xylem_replay__write_number(struct xylem_replay__writer *writer, double number)
{
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_buffer_add_json_number(writer->buffer, number);
    }
}

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
