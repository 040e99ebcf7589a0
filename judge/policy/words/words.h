/*
 * judge/policy/words/ interprets words and names: values that a word may have, options of programs, paths, and the
 * small languages that programs take as an argument (awk, sed).
 * judge/policy/words/ does not know verdicts.
 * Begin reading at words.h (the values of a word), then options.h (how a table describes a program's options).
 * Other rooms may include: awk.h braces.h name_index.h name_pattern.h names.h options.h paths.h script.h sed.h
 * tables.h words.h
 */
#ifndef XYLEM_POLICY_WORDS_WORDS_H
#define XYLEM_POLICY_WORDS_WORDS_H

#include <string.h>

#include "base/value.h"
#include "judge/shell/syntax.h"

static inline bool xylem_policy__view_begins(struct xylem_view view, const char *text)
{
    return xylem_base__view_begins(view, xylem_view_of(text));
}

/* True if the text, or more text behind it, begins with `prefix`. */
static inline bool xylem_policy__may_begin(struct xylem_view text, const char *prefix)
{
    return xylem_policy__view_begins(text, prefix) || xylem_base__view_begins(xylem_view_of(prefix), text);
}

/* True if the first character is a letter, a digit, `.` or `/`: no option begins so, and no expression. */
static inline bool xylem_policy__begins_plainly(struct xylem_view text)
{
    char c = text.bytes > 0 ? text.data[0] : '\0';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '/';
}

/* The first place of the character; NULL: none. */
static inline const char *xylem_policy__view_find(struct xylem_view view, char character)
{
    return view.bytes == 0 ? NULL : memchr(view.data, character, view.bytes);
}

static inline bool xylem_policy__view_has(struct xylem_view view, char character)
{
    return xylem_policy__view_find(view, character);
}

static inline bool xylem_policy__view_contains(struct xylem_view view, const char *text)
{
    return view.bytes > 0 && memmem(view.data, view.bytes, text, strlen(text));
}

/* True if no character is a control character of ASCII; DEL passes. */
static inline bool xylem_policy__view_is_printed(struct xylem_view view)
{
    size_t at = 0;
    while (at < view.bytes && (unsigned char)view.data[at] >= ' ') {
        at++;
    }
    return at == view.bytes;
}

/* The text before the first such character, or the whole text. */
static inline struct xylem_view xylem_policy__view_before(struct xylem_view view, char character)
{
    const char *found = xylem_policy__view_find(view, character);
    return !found ? view : (struct xylem_view){view.data, (size_t)(found - view.data)};
}

/* The text behind the first such character; false: there is no such character. */
static inline bool xylem_policy__view_behind(struct xylem_view *behind, struct xylem_view view, char character)
{
    const char *found = xylem_policy__view_find(view, character);
    if (!found) {
        return false;
    }
    *behind = (struct xylem_view){found + 1, view.bytes - (size_t)(found + 1 - view.data)};
    return true;
}

/* True if each character is one of these. NUL is none. */
static inline bool xylem_policy__view_of_only(struct xylem_view view, const char *characters)
{
    return xylem_base__skip(view, 0, characters) == view.bytes;
}

/* The text behind the last slash. */
struct xylem_view xylem_policy__basename(struct xylem_view path);

/*
 * The basename of a word that is not literal, but ends in literal text with a slash: `"$HOME/.cargo/bin/cargo"` ends in
 * `cargo`. Empty for any other word.
 */
struct xylem_view xylem_policy__known_basename(const struct xylem_shell__word *word);

/*
 * The text that begins with the slash of `~/x`, `$HOME/x` or `${HOME}/x`; empty for another word. HOME may be empty, so
 * that the text is all of the path.
 */
struct xylem_view xylem_policy__behind_home(const struct xylem_shell__word *word);

/*
 * True if the word can be an option after bash has expanded the word: the word begins with `-`, or the beginning or the
 * count of words is not known. (A `~` and `<()` become a path.)
 */
bool xylem_policy__may_be_option(const struct xylem_shell__word *word);

/* True if bash can make several words of the word, or none. The words behind then move to other places. */
bool xylem_policy__may_multiply(const struct xylem_shell__word *word);

/* True if zsh reads the text behind `$f` on: `$f[n]` is an element, `$f:t` a part. `${f}[n]` means one thing alone. */
bool xylem_policy__zsh_reads_on(const struct xylem_shell__word *word, const struct xylem_shell__part *part,
                                const char *marks);

/* From the first character of the first word to the last of the last; words that xargs appends stand nowhere. */
struct xylem_view xylem_policy__span_of(const struct xylem_shell__word *const *words, size_t count);

/* The words of a simple command, in an array. NULL: no memory. */
const struct xylem_shell__word **xylem_policy__words_of(struct xylem_shell__arena *arena,
                                                        const struct xylem_shell__node *node);

/* A copy of the words with another text of the first word. NULL: no memory. */
const struct xylem_shell__word **xylem_policy__renamed(struct xylem_shell__arena *arena,
                                                       const struct xylem_shell__word *const *words, size_t count,
                                                       struct xylem_view name);

/* One word of the texts of all words, joined by spaces: eval, ssh, watch. NULL: no memory. */
const struct xylem_shell__word *xylem_policy__joined(struct xylem_shell__arena *arena,
                                                     const struct xylem_shell__word *const *words, size_t count);

#endif
