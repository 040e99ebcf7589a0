#include "cli/show/pieces.h"

const char *xylem_cli__tone_color(enum xylem_tone tone)
{
    return tone == XYLEM_TONE_GOOD ? XYLEM_CLI__GREEN : tone == XYLEM_TONE_WARN ? XYLEM_CLI__RED : NULL;
}

void xylem_cli__add_word(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_word *word,
                         const struct xylem_cli__look *look)
{
    switch (word->type) {
    case XYLEM_WORD_TEXT:
        xylem_cli__add_colored(cli, text, word->text, look->plain ? NULL : xylem_cli__tone_color(word->tone));
        break;
    case XYLEM_WORD_FOREIGN:
        if (look->raw) {
            xylem_cli__add_bytes(text, word->text.data, word->text.bytes);
        } else {
            xylem_cli__add_shown(cli, text, word->text, look->shape, look->cells);
        }
        break;
    case XYLEM_WORD_COUNT:
        if (look->plain) {
            xylem_cli__addf(text, "%llu", (unsigned long long)word->number);
        } else {
            xylem_cli__add_count(text, word->number);
        }
        break;
    case XYLEM_WORD_ENTRY:
        xylem_cli__add_colored(cli, text, word->text, look->plain ? NULL : XYLEM_CLI__YELLOW);
        break;
    case XYLEM_WORD_BREAK:
        break;
    }
}

void xylem_cli__add_piece(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_state *state,
                          unsigned piece, const struct xylem_words_options *options, const struct xylem_cli__look *look)
{
    struct xylem_word words[XYLEM_WORDS_MAX];
    size_t count = xylem_piece_words(words, state, piece, options);
    for (size_t i = 0; i < count; i++) {
        xylem_cli__add_word(cli, text, &words[i], look);
    }
}

void xylem_cli__add_part(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_part *part,
                         size_t index, size_t cells)
{
    xylem_cli__addf(text, "%llu. %s", (unsigned long long)(part->number ? part->number : index + 1), part->mark);
    xylem_cli__add_shown(cli, text, part->text, XYLEM_CLI__EXACT, cells);
}

void xylem_cli__json_piece(struct xylem_cli__text *text, const struct xylem_state *state, unsigned piece,
                           enum xylem_detail detail)
{
    xylem_cli__json_separate(text);
    text->failed = text->failed || xylem_piece_json(&text->bytes, state, piece, detail) < 0;
}
