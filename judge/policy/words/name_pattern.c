#include "judge/policy/words/name_pattern.h"

#include "judge/policy/words/names.h"

/* Longer than any name of the tables: no name matches a pattern of this length, so the rest of a word is not read. */
#define PATTERN_MAX 64u
#define ANY '\x01'     /* any number of characters */
#define ANY_ONE '\x02' /* one character */
#define CHOICE '\x03'  /* one character of a bracket expression */
#define CHOICES_MAX 8u
#define ASCII 128u

struct pattern {
    char items[PATTERN_MAX];
    size_t choices[PATTERN_MAX]; /* for each item that is a CHOICE: the index in may_be */
    size_t count;
    bool may_be[CHOICES_MAX][ASCII];
    size_t choice_count;
    bool known; /* the pattern has a letter or a digit */
};

static void add(struct pattern *pattern, char item)
{
    if (pattern->count < PATTERN_MAX &&
        !(item == ANY && pattern->count > 0 && pattern->items[pattern->count - 1] == ANY)) {
        pattern->items[pattern->count++] = item;
    }
}

static void add_text(struct pattern *pattern, struct xylem_view text)
{
    for (size_t i = 0; i < text.bytes; i++) {
        char c = text.data[i];
        if (c == '/') {
            *pattern = (struct pattern){.count = 0};
            continue;
        }
        pattern->known |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        add(pattern, c);
    }
}

/*
 * Copies the characters between `[` and the closing `]` to `text`. `*part` moves to the part with the `]`; `*behind`
 * gets the rest of that part. False: a character is quoted or expanded, or no `]` follows.
 */
static bool read_bracket(struct xylem_view *inside, char *text, const struct xylem_shell__part **part,
                         struct xylem_view *behind)
{
    *inside = (struct xylem_view){text, 0};
    for (; *part && (*part)->type == XYLEM_SHELL__PART_TEXT && !(*part)->quoted; *part = (*part)->next) {
        struct xylem_view more = (*part)->text;
        for (size_t i = 0; i < more.bytes; i++) {
            size_t sign = inside->bytes > 0 && (text[0] == '!' || text[0] == '^');
            if (more.data[i] == ']' && inside->bytes > sign) {
                *behind = (struct xylem_view){more.data + i + 1, more.bytes - i - 1};
                return true;
            }
            if (inside->bytes == PATTERN_MAX) {
                return false;
            }
            text[inside->bytes++] = more.data[i];
        }
    }
    return false;
}

/* Reads the characters and ranges in brackets. False for classes, slashes and backslashes. */
static bool choose(bool *may_be, struct xylem_view inside)
{
    bool negated = inside.bytes > 0 && (inside.data[0] == '!' || inside.data[0] == '^');
    for (size_t i = negated; i < inside.bytes; i++) {
        char c = inside.data[i];
        bool range = i + 2 < inside.bytes && inside.data[i + 1] == '-';
        char last = range ? inside.data[i + 2] : c;
        if (c <= 0 || last <= 0 || strchr("/[\\", c) || strchr("/[\\", last)) {
            return false;
        }
        if (!range) {
            may_be[(unsigned char)c] = true;
            continue;
        }
        for (int one = c; one <= last; one++) { /* some locales mix the cases in their order of letters: both count */
            bool letter = xylem_shell__is_name_start(one) && one != '_';
            may_be[one] = true;
            may_be[letter ? one ^ 0x20 : one] = true;
        }
        i += 2;
    }
    for (unsigned c = 0; negated && c < ASCII; c++) {
        may_be[c] = !may_be[c];
    }
    return inside.bytes > negated;
}
/*
 * At `[`: adds a CHOICE, and the text behind the `]`. `*part` moves to the part with the `]`. False: the bracket
 * expression is not read.
 */
static bool add_bracket(struct pattern *pattern, const struct xylem_shell__part **part)
{
    const struct xylem_shell__part *at = (*part)->next;
    char text[PATTERN_MAX];
    struct xylem_view inside;
    struct xylem_view behind;
    if (pattern->choice_count == CHOICES_MAX || pattern->count == PATTERN_MAX ||
        !read_bracket(&inside, text, &at, &behind) || !choose(pattern->may_be[pattern->choice_count], inside)) {
        return false;
    }
    pattern->choices[pattern->count] = pattern->choice_count++;
    add(pattern, CHOICE);
    pattern->known = true;
    add_text(pattern, behind);
    *part = at;
    return true;
}

/*
 * Makes a pattern of a word. `r[mx]?` becomes `r`, CHOICE of m and x, ANY_ONE. From a brace on, or from a bracket that
 * is not read, anything may follow: ANY. (A whole name between braces is found as a word of its own.)
 */
static struct pattern pattern_of(const struct xylem_shell__word *word)
{
    struct pattern pattern = {.count = 0};
    for (const struct xylem_shell__part *part = word->parts; part; part = part->next) {
        if (part->type == XYLEM_SHELL__PART_TEXT) {
            add_text(&pattern, part->text);
            continue;
        }
        char glob = part->type == XYLEM_SHELL__PART_GLOB && part->raw.bytes > 0 ? part->raw.data[0] : '\0';
        if (glob == '[' && add_bracket(&pattern, &part)) {
            continue;
        }
        add(&pattern, glob == '?' ? ANY_ONE : ANY);
        if (glob == '[' || part->type == XYLEM_SHELL__PART_BRACE) {
            pattern.known |= !(pattern.count == 1 && word->raw.data[word->raw.bytes - 1] == '}');
            break;
        }
    }
    return pattern;
}

/* True if the item (not ANY) stands for `c`. */
static bool meets(const struct pattern *pattern, size_t item, char c)
{
    if (pattern->items[item] == CHOICE) {
        return c > 0 && pattern->may_be[pattern->choices[item]][(unsigned char)c];
    }
    return pattern->items[item] == ANY_ONE || pattern->items[item] == c;
}

/* Matches a glob: on a mismatch, the newest ANY takes one more character. */
static bool matches(const struct pattern *pattern, struct xylem_view name)
{
    size_t at = 0;
    size_t item = 0;
    size_t back_at = 0;
    size_t back_item = SIZE_MAX;
    while (at < name.bytes) {
        if (item < pattern->count && pattern->items[item] == ANY) {
            back_item = item++;
            back_at = at;
        } else if (item < pattern->count && meets(pattern, item, name.data[at])) {
            item++;
            at++;
        } else if (back_item != SIZE_MAX) {
            item = back_item + 1;
            at = ++back_at;
        } else {
            return false;
        }
    }
    while (item < pattern->count && pattern->items[item] == ANY) {
        item++;
    }
    return item == pattern->count;
}

bool xylem_policy__may_be_named(struct xylem_view *found, const struct xylem_shell__word *word, const char *names)
{
    struct pattern pattern = pattern_of(word);
    if (!pattern.known) {
        return false;
    }
    while (xylem_policy__next_name(found, &names)) {
        if (matches(&pattern, *found)) {
            return true;
        }
    }
    return false;
}
