#include "judge/policy/words/words.h"

#include <assert.h>
#include <stdint.h>

struct xylem_view xylem_policy__basename(struct xylem_view path)
{
    const char *slash = path.bytes == 0 ? NULL : memrchr(path.data, '/', path.bytes);
    return slash ? (struct xylem_view){slash + 1, path.bytes - (size_t)(slash + 1 - path.data)} : path;
}

struct xylem_view xylem_policy__behind_home(const struct xylem_shell__word *word)
{
    const struct xylem_shell__part *home = word->parts;
    const struct xylem_shell__part *behind = home ? home->next : NULL;
    bool tilde = home && home->type == XYLEM_SHELL__PART_TILDE && xylem_base__view_is(home->raw, "~");
    bool variable = home && home->type == XYLEM_SHELL__PART_PARAMETER && !home->words &&
                    (xylem_base__view_is(home->raw, "$HOME") || xylem_base__view_is(home->raw, "${HOME}"));
    if ((!tilde && !variable) || !behind || behind->type != XYLEM_SHELL__PART_TEXT ||
        !xylem_policy__view_begins(behind->text, "/")) {
        return (struct xylem_view){NULL, 0};
    }
    return behind->text;
}

bool xylem_policy__may_be_option(const struct xylem_shell__word *word)
{
    if (word->text.bytes > 0) {
        return word->text.data[0] == '-' || word->splits;
    }
    if (word->literal || word->path) {
        return false;
    }
    return word->splits || !word->parts ||
           (word->parts->type != XYLEM_SHELL__PART_TILDE && word->parts->type != XYLEM_SHELL__PART_PROCESS);
}

bool xylem_policy__may_multiply(const struct xylem_shell__word *word)
{
    const struct xylem_shell__part *part = word->literal ? NULL : word->parts;
    while (part && part->type != XYLEM_SHELL__PART_GLOB && part->type != XYLEM_SHELL__PART_BRACE) {
        part = part->next;
    }
    return part || word->splits;
}

bool xylem_policy__zsh_reads_on(const struct xylem_shell__word *word, const struct xylem_shell__part *part,
                                const char *marks)
{
    const char *end = part->raw.data + part->raw.bytes;
    return part->type == XYLEM_SHELL__PART_PARAMETER && part->raw.bytes > 1 && part->raw.data[1] != '{' &&
           (uintptr_t)end > (uintptr_t)word->raw.data && end < word->raw.data + word->raw.bytes && *end != '\0' &&
           strchr(marks, *end);
}

struct xylem_view xylem_policy__known_basename(const struct xylem_shell__word *word)
{
    const struct xylem_shell__part *last = word->parts;
    bool braces = false; /* `{/bin/rm,x}`: the name is the first word of the expansion */
    while (last && last->next) {
        braces |= last->type == XYLEM_SHELL__PART_BRACE;
        last = last->next;
    }
    if (!last || word->splits || braces || last->type != XYLEM_SHELL__PART_TEXT || last->text.bytes == 0 ||
        !memrchr(last->text.data, '/', last->text.bytes)) {
        return (struct xylem_view){NULL, 0};
    }
    return xylem_policy__basename(last->text);
}

struct xylem_view xylem_policy__span_of(const struct xylem_shell__word *const *words, size_t count)
{
    assert(count > 0);
    struct xylem_view raw = words[0]->raw;
    for (size_t i = count; i-- > 1;) {
        struct xylem_view last = words[i]->raw;
        if (last.data > raw.data) {
            raw.bytes = (size_t)(last.data - raw.data) + last.bytes;
            break;
        }
    }
    return raw;
}

const struct xylem_shell__word **xylem_policy__words_of(struct xylem_shell__arena *arena,
                                                        const struct xylem_shell__node *node)
{
    const struct xylem_shell__word **words = xylem_shell__arena_take(arena, (node->word_count + 1) * sizeof *words);
    size_t count = 0;
    for (const struct xylem_shell__word *word = node->words; word && words; word = word->next) {
        words[count++] = word;
    }
    return words;
}

const struct xylem_shell__word **xylem_policy__renamed(struct xylem_shell__arena *arena,
                                                       const struct xylem_shell__word *const *words, size_t count,
                                                       struct xylem_view name)
{
    struct xylem_shell__word *first = xylem_shell__arena_take(arena, sizeof *first);
    const struct xylem_shell__word **copy = xylem_shell__arena_take(arena, count * sizeof *copy);
    if (!first || !copy) {
        return NULL;
    }
    memcpy(copy, words, count * sizeof *copy);
    *first = *words[0];
    first->text = name;
    copy[0] = first;
    return copy;
}

const struct xylem_shell__word *xylem_policy__joined(struct xylem_shell__arena *arena,
                                                     const struct xylem_shell__word *const *words, size_t count)
{
    size_t bytes = 0;
    assert(count > 0);
    if (count == 1) {
        return words[0];
    }
    for (size_t i = 0; i < count; i++) {
        bytes += words[i]->text.bytes + 1;
    }
    struct xylem_shell__word *joined = xylem_shell__arena_take(arena, sizeof *joined);
    char *text = xylem_shell__arena_take(arena, bytes + 1);
    if (!joined || !text) {
        return NULL;
    }
    *joined = *words[0];
    joined->text = (struct xylem_view){text, bytes - 1};
    joined->raw = xylem_policy__span_of(words, count);
    for (size_t i = 0; i < count; i++) {
        joined->literal &= words[i]->literal;
        if (words[i]->text.bytes > 0) {
            memcpy(text, words[i]->text.data, words[i]->text.bytes);
        }
        text += words[i]->text.bytes;
        *text++ = ' ';
    }
    return joined;
}
