#include "judge/policy/words/braces.h"

#include <string.h>

/* Limits of an expansion. Beyond a limit the words stay not decidable, as without an expansion. */
#define EXPANDED_BYTES_MAX 8192u
#define EXPANDED_WORDS_MAX 256u
#define BRACES_MAX 32u

struct expansion {
    struct xylem_shell__arena *arena;
    char *data;
    size_t bytes;
    size_t words;
    bool changed;
    bool failed;
};

/*
 * The place behind the quoted text or the character at `at`. 0: a substitution begins there, and its end is not known.
 */
static size_t skip(struct xylem_view raw, size_t at)
{
    char c = raw.data[at];
    char next = at + 1 < raw.bytes ? raw.data[at + 1] : '\0';
    if (c == '`' || (c == '$' && (next == '(' || next == '{')) || ((c == '<' || c == '>') && next == '(')) {
        return 0;
    }
    if (c == '\\') {
        return at + 2;
    }
    if (c != '\'' && c != '"') {
        return at + 1;
    }
    for (at++; at < raw.bytes && raw.data[at] != c; at++) {
        if (c == '"' && (raw.data[at] == '`' || (raw.data[at] == '$' && at + 1 < raw.bytes &&
                                                 (raw.data[at + 1] == '(' || raw.data[at + 1] == '{')))) {
            return 0;
        }
        at += c == '"' && raw.data[at] == '\\';
    }
    return at + 1;
}

/* The brace that closes `open`, with a comma between the two. 0: none. */
static size_t find_close(struct xylem_view raw, size_t open)
{
    bool comma = false;
    size_t depth = 0;
    for (size_t at = open; at < raw.bytes;) {
        char c = raw.data[at];
        depth += c == '{';
        comma |= c == ',' && depth == 1;
        if (c == '}' && --depth == 0) {
            return comma ? at : 0;
        }
        at = skip(raw, at);
        if (at == 0) {
            return 0;
        }
    }
    return 0;
}

/* Finds the braces of a word that are expanded first. */
static bool find_braces(struct xylem_view raw, size_t *open, size_t *close)
{
    for (*open = 0; *open < raw.bytes;) {
        if (raw.data[*open] == '{' && (*close = find_close(raw, *open)) > 0) {
            return true;
        }
        *open = skip(raw, *open);
        if (*open == 0) {
            return false;
        }
    }
    return false;
}

/* The end of the alternative at `at`: the next comma between the braces, or `close`. */
static size_t find_comma(struct xylem_view raw, size_t at, size_t close)
{
    size_t depth = 0;
    while (at < close && !(raw.data[at] == ',' && depth == 0)) {
        depth += raw.data[at] == '{';
        depth -= raw.data[at] == '}';
        at = skip(raw, at);
    }
    return at < close ? at : close;
}

/* Puts each alternative in the place of the braces, and expands the result again. */
static void expand(struct expansion *expansion, struct xylem_view raw, unsigned depth)
{
    size_t open;
    size_t close;
    if (depth == BRACES_MAX || raw.bytes > EXPANDED_BYTES_MAX) {
        expansion->failed = true;
        return;
    }
    if (!find_braces(raw, &open, &close)) {
        if (expansion->bytes + raw.bytes + 1 > EXPANDED_BYTES_MAX || ++expansion->words > EXPANDED_WORDS_MAX) {
            expansion->failed = true;
            return;
        }
        if (raw.bytes > 0) {
            memcpy(expansion->data + expansion->bytes, raw.data, raw.bytes);
            expansion->bytes += raw.bytes;
        }
        expansion->data[expansion->bytes++] = ' ';
        return;
    }
    expansion->changed = true;
    size_t behind = raw.bytes - close - 1;
    for (size_t from = open + 1; from <= close && !expansion->failed;) {
        size_t to = find_comma(raw, from, close);
        char *one = xylem_shell__arena_take(expansion->arena, raw.bytes);
        if (!one) {
            expansion->failed = true;
            return;
        }
        memcpy(one, raw.data, open);
        memcpy(one + open, raw.data + from, to - from);
        memcpy(one + open + (to - from), raw.data + close + 1, behind);
        expand(expansion, (struct xylem_view){one, open + (to - from) + behind}, depth + 1);
        from = to + 1;
    }
}

bool xylem_policy__expand_braces(struct xylem_view *text, struct xylem_shell__arena *arena,
                                 const struct xylem_shell__word *words)
{
    struct xylem_shell__arena scratch = {0};
    struct expansion expansion = {.arena = &scratch, .data = xylem_shell__arena_take(&scratch, EXPANDED_BYTES_MAX)};
    for (const struct xylem_shell__word *word = words; word && !scratch.failed && !expansion.failed;
         word = word->next) {
        expand(&expansion, word->raw, 0);
    }
    bool expanded = expansion.changed && !expansion.failed;
    char *kept = expanded ? xylem_shell__arena_take(arena, expansion.bytes) : NULL;
    if (kept) {
        memcpy(kept, expansion.data, expansion.bytes);
        *text = (struct xylem_view){kept, expansion.bytes};
    }
    arena->failed |= scratch.failed;
    xylem_shell__arena_release(&scratch);
    return kept;
}
