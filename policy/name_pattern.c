#include "policy/name_pattern.h"

/* Longer than any name that is looked for: what stands further right does not matter then, as no name matches. */
#define PATTERN_MAX 64u
#define ANY '\x01'     /* any number of characters */
#define ANY_ONE '\x02' /* one character */

struct pattern {
    char items[PATTERN_MAX];
    size_t count;
    bool known; /* it has a letter or a digit */
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
 * What stands in brackets or braces may come in any choice: nothing is known from there on. Names that stand in braces
 * whole are words of their own, and found as such.
 */
static struct pattern pattern_of(const struct xylem_policy__word *word)
{
    struct pattern pattern = {.count = 0};

    for (const struct xylem_policy__part *part = word->parts; part != NULL; part = part->next) {
        if (part->type == XYLEM_POLICY__PART_TEXT) {
            add_text(&pattern, part->text);
            continue;
        }
        char glob = part->type == XYLEM_POLICY__PART_GLOB && part->raw.bytes > 0 ? part->raw.data[0] : '\0';
        add(&pattern, glob == '?' ? ANY_ONE : ANY);
        if (glob == '[' || part->type == XYLEM_POLICY__PART_BRACE) {
            pattern.known |= !(pattern.count == 1 && word->raw.data[word->raw.bytes - 1] == '}');
            break;
        }
    }
    return pattern;
}

/* A glob's usual match: on a mismatch back to the newest ANY, which takes one character more. */
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
        } else if (item < pattern->count &&
                   (pattern->items[item] == ANY_ONE || pattern->items[item] == name.data[at])) {
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

bool xylem_policy__may_be_named(struct xylem_view *found, const struct xylem_policy__word *word, const char *names)
{
    struct pattern pattern = pattern_of(word);

    if (!pattern.known) {
        return false;
    }
    for (const char *at = names; *at != '\0';) {
        size_t bytes = strcspn(at, " ");
        *found = (struct xylem_view){at, bytes};
        if (bytes > 0 && matches(&pattern, *found)) {
            return true;
        }
        at += bytes + (at[bytes] == ' ');
    }
    return false;
}
