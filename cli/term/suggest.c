/* Suggests words that are spelt like an unknown word. */
#include "cli/term/term.h"

#include <assert.h>
#include <string.h>

#define WORD_BYTES_MIN 3u  /* shorter words are all spelt alike */
#define WORD_BYTES_MAX 64u /* longer words are not compared */
#define BEGINNING_PARTS 5u /* a beginning has at least this part of the word: `all` does not mean `allow-network-fs` */

size_t xylem_cli__word_distance(struct xylem_view a, struct xylem_view b)
{
    size_t rows[3][WORD_BYTES_MAX + 1];
    if (a.bytes > WORD_BYTES_MAX || b.bytes > WORD_BYTES_MAX) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= b.bytes; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a.bytes; i++) {
        size_t *row = rows[i % 3];
        const size_t *before = rows[(i + 2) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.bytes; j++) {
            bool equal = xylem_base__lower(a.data[i - 1]) == xylem_base__lower(b.data[j - 1]);
            row[j] = xylem_cli__least(before[j - 1] + (equal ? 0 : 1), xylem_cli__least(before[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && xylem_base__lower(a.data[i - 1]) == xylem_base__lower(b.data[j - 2]) &&
                xylem_base__lower(a.data[i - 2]) == xylem_base__lower(b.data[j - 1])) {
                row[j] = xylem_cli__least(row[j], rows[(i + 1) % 3][j - 2] + 1);
            }
        }
    }
    return rows[a.bytes % 3][b.bytes];
}

size_t xylem_cli__word_distance_max(size_t bytes)
{
    return bytes < WORD_BYTES_MIN ? 0 : bytes < 6 ? 1 : bytes < 9 ? 2 : 3;
}

bool xylem_cli__suggestion_fits(const struct xylem_cli__suggestions *suggestions, size_t distance)
{
    return suggestions->count < XYLEM_CLI__SUGGESTIONS_MAX ||
           distance < suggestions->best[XYLEM_CLI__SUGGESTIONS_MAX - 1].distance;
}

void xylem_cli__suggest(struct xylem_cli__suggestions *suggestions, size_t distance, const char *shown)
{
    size_t at = xylem_cli__least(suggestions->count, XYLEM_CLI__SUGGESTIONS_MAX - 1);
    for (; at > 0 && suggestions->best[at - 1].distance > distance; at--) {
        suggestions->best[at] = suggestions->best[at - 1];
    }
    suggestions->best[at].distance = distance;
    strncpy(suggestions->best[at].shown, shown, XYLEM_CLI__SUGGESTION_BYTES_MAX - 1);
    suggestions->best[at].shown[XYLEM_CLI__SUGGESTION_BYTES_MAX - 1] = '\0';
    suggestions->count = xylem_cli__least(suggestions->count + 1, XYLEM_CLI__SUGGESTIONS_MAX);
}

void xylem_cli__suggest_word(struct xylem_cli__suggestions *suggestions, const char *before, const char *word)
{
    struct xylem_view wanted = suggestions->wanted;
    struct xylem_view candidate = xylem_view_of(word);
    char shown[XYLEM_CLI__SUGGESTION_BYTES_MAX];
    assert(strlen(before) < sizeof shown);
    bool beginning = wanted.bytes >= 2 && wanted.bytes * BEGINNING_PARTS >= candidate.bytes &&
                     xylem_base__view_begins(candidate, wanted);
    size_t distance = beginning ? 1 : xylem_cli__word_distance(wanted, candidate);
    if ((beginning || distance <= xylem_cli__word_distance_max(wanted.bytes)) &&
        xylem_cli__suggestion_fits(suggestions, distance)) {
        *stpncpy(stpncpy(shown, before, sizeof shown - 1), word, sizeof shown - 1 - strlen(before)) = '\0';
        xylem_cli__suggest(suggestions, distance, shown);
    }
}

void xylem_cli__add_suggestions(struct xylem_cli__text *text, const struct xylem_cli__suggestions *suggestions,
                                const char *quote)
{
    for (size_t i = 0; i < suggestions->count; i++) {
        const char *before = i == 0 ? "; did you mean " : i + 1 == suggestions->count ? " or " : ", ";
        xylem_cli__addf(text, "%s%s%s%s", before, quote, suggestions->best[i].shown, quote);
    }
    xylem_cli__add(text, suggestions->count == 0 ? "" : "?");
}

int xylem_cli__usage_text(struct xylem_cli *cli, struct xylem_cli__text *text)
{
    int code = text->failed ? xylem_cli__fail_memory(cli) : xylem_cli__usage(cli, "%s", text->bytes.data);
    xylem_cli__text_release(text);
    return code;
}

int xylem_cli__no_piece(struct xylem_cli *cli, const char *name)
{
    const char *const *words = cli->command->words();
    struct xylem_cli__suggestions suggestions = {.wanted = xylem_view_of(name)};
    struct xylem_cli__text text = {0};
    xylem_cli__add(&text, "WHAT is");
    for (const char *const *word = words; *word; word++) {
        const char *before = word == words ? " " : word[1] ? ", " : " or ";
        xylem_cli__addf(&text, "%s%s", before, *word);
        xylem_cli__suggest_word(&suggestions, "", *word);
    }
    xylem_cli__addf(&text, ", not '%s'", name);
    xylem_cli__add_suggestions(&text, &suggestions, "'");
    return xylem_cli__usage_text(cli, &text);
}
