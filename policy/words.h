/* Looking at the words of a command. */
#ifndef XYLEM_POLICY_WORDS_H
#define XYLEM_POLICY_WORDS_H

#include <string.h>

#include "base/value.h"
#include "policy/syntax.h"

static inline bool xylem_policy__view_begins(struct xylem_view view, const char *text)
{
    size_t bytes = strlen(text);
    return view.bytes >= bytes && (bytes == 0 || memcmp(view.data, text, bytes) == 0);
}

/* True if the text, or more text behind it, begins with `prefix`. */
static inline bool xylem_policy__may_begin(struct xylem_view text, const char *prefix)
{
    size_t bytes = strlen(prefix);
    bytes = text.bytes < bytes ? text.bytes : bytes;
    return bytes == 0 || memcmp(text.data, prefix, bytes) == 0;
}

/* True if the first character is a letter, a digit, `.` or `/`: no option begins so, and no expression. */
static inline bool xylem_policy__begins_plainly(struct xylem_view text)
{
    char c = text.bytes > 0 ? text.data[0] : '\0';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '/';
}

/* Where the character stands first; NULL: nowhere. */
static inline const char *xylem_policy__view_find(struct xylem_view view, char character)
{
    return view.bytes == 0 ? NULL : memchr(view.data, character, view.bytes);
}

static inline bool xylem_policy__view_has(struct xylem_view view, char character)
{
    return xylem_policy__view_find(view, character);
}

/* What stands before the first such character, or all of it. */
static inline struct xylem_view xylem_policy__view_before(struct xylem_view view, char character)
{
    const char *found = xylem_policy__view_find(view, character);
    return !found ? view : (struct xylem_view){view.data, (size_t)(found - view.data)};
}

/* What stands behind the first such character; false: it stands nowhere. */
static inline bool xylem_policy__view_behind(struct xylem_view *behind, struct xylem_view view, char character)
{
    const char *found = xylem_policy__view_find(view, character);
    if (!found) {
        return false;
    }
    *behind = (struct xylem_view){found + 1, view.bytes - (size_t)(found + 1 - view.data)};
    return true;
}

/* What stands behind the last slash. */
struct xylem_view xylem_policy__basename(struct xylem_view path);

/*
 * The same of a word that is not literal, where its end is: `"$HOME/.cargo/bin/cargo"` ends in `cargo`. Empty where that
 * is not known, or no slash stands before it.
 */
struct xylem_view xylem_policy__known_basename(const struct xylem_policy__word *word);

/*
 * The text that begins with the slash of `~/x`, `$HOME/x` or `${HOME}/x`; empty for another word. HOME may be empty, so that
 * the text is all of the path.
 */
struct xylem_view xylem_policy__behind_home(const struct xylem_policy__word *word);

/*
 * Can it be an option once bash has expanded it? True for words that begin with `-`, and for those of which nobody knows
 * how they begin, or into how many words they fall apart. (A `~` and `<()` become a path.)
 */
bool xylem_policy__may_be_option(const struct xylem_policy__word *word);

/* Can bash make several words of it, or none? Then the words behind it may take another place than they seem to have. */
bool xylem_policy__may_multiply(const struct xylem_policy__word *word);

/* From the first word's first character to the last's last; without those that xargs appends, which stand nowhere. */
struct xylem_view xylem_policy__span_of(const struct xylem_policy__word *const *words, size_t count);

/* Words joined by spaces, as one word whose value is their text: eval, ssh, watch. NULL: no memory. */
const struct xylem_policy__word *xylem_policy__joined(struct xylem_policy__arena *arena,
                                                      const struct xylem_policy__word *const *words, size_t count);

#endif
