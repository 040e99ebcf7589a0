#include "policy/numbers.h"

#include <stdint.h>

#include "policy/words.h"

static bool all_digits(struct xylem_view text)
{
    for (size_t i = 0; i < text.bytes; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
    }
    return text.bytes > 0;
}

/* `{1..5}`, and nothing else. */
static bool is_sequence(struct xylem_view raw)
{
    const char *dots = raw.bytes < 6 || raw.data[0] != '{' || raw.data[raw.bytes - 1] != '}'
                           ? NULL
                           : memmem(raw.data, raw.bytes, "..", 2);
    if (dots == NULL) {
        return false;
    }
    struct xylem_view first = {raw.data + 1, (size_t)(dots - raw.data) - 1};
    struct xylem_view last = {dots + 2, raw.bytes - first.bytes - 4};
    return all_digits(first) && all_digits(last);
}

bool xylem_policy__becomes_number(const struct xylem_policy__word *word)
{
    const struct xylem_policy__part *part = word->parts;

    if (word->literal) {
        return all_digits(word->text);
    }
    if (is_sequence(word->raw)) {
        return true;
    }
    if (part == NULL || part->next != NULL) {
        return false;
    }
    return part->number || part->type == XYLEM_POLICY__PART_ARITHMETIC;
}

/* The shell itself sets variables such as REPLY, OLDPWD and `_`: those in small letters are the command's own. */
static void known_from(struct xylem_policy__judge *judge, struct xylem_view name, const char *from, const char *to)
{
    bool own = name.data[0] >= 'a' && name.data[0] <= 'z';

    if (own && judge->number_count < XYLEM_POLICY__NUMBERS_MAX) {
        judge->numbers[judge->number_count++] = (struct xylem_policy__number){name, from, to};
    }
}

static const char *end_of(const struct xylem_policy__node *node)
{
    return node->raw.data + node->raw.bytes;
}

/*
 * Do two siblings stand in one list? Those of `if` and `case` are conditions, bodies and arms in a row: more than blanks and
 * operators stands between them then.
 */
static bool in_one_list(const struct xylem_policy__node *node, const struct xylem_policy__node *next)
{
    const char *at = end_of(node);

    if ((uintptr_t)next->raw.data < (uintptr_t)at) {
        return false;
    }
    while (at < next->raw.data && strchr(" \t\n;&|!\\", *at) != NULL) {
        at++;
    }
    return at == next->raw.data;
}

/* NAME=NUMBER, alone: the commands up to `last` see the number. */
static void numbers_of_command(struct xylem_policy__judge *judge, const struct xylem_policy__node *node,
                               const struct xylem_policy__node *last)
{
    if (node->type != XYLEM_POLICY__SIMPLE || node->word_count > 0) {
        return;
    }
    for (const struct xylem_policy__assignment *set = node->assignments; set != NULL; set = set->next) {
        if (!set->append && !set->array && set->subscripts == NULL && set->values != NULL &&
            xylem_policy__becomes_number(set->values)) {
            known_from(judge, set->name, end_of(node), end_of(last));
        }
    }
}

void xylem_policy__numbers_of_list(struct xylem_policy__judge *judge, const struct xylem_policy__node *nodes)
{
    const struct xylem_policy__node *last = NULL; /* of the list in which the node stands */
    enum xylem_policy__connector before = XYLEM_POLICY__THEN_END;

    for (const struct xylem_policy__node *node = nodes; node != NULL; node = node->next) {
        if (last == NULL) {
            before = XYLEM_POLICY__THEN_END;
            for (last = node; last->next != NULL && in_one_list(last, last->next);) {
                last = last->next;
            }
        }
        if (before == XYLEM_POLICY__THEN_END && node->then != XYLEM_POLICY__THEN_BACKGROUND &&
            node->then != XYLEM_POLICY__THEN_PIPE) {
            numbers_of_command(judge, node, last);
        }
        before = node->then;
        last = node == last ? NULL : last;
    }
}

static bool all_numbers(const struct xylem_policy__word *words)
{
    for (const struct xylem_policy__word *word = words; word != NULL; word = word->next) {
        if (!xylem_policy__becomes_number(word)) {
            return false;
        }
    }
    return words != NULL;
}

static size_t skip_blanks(struct xylem_view text, size_t at)
{
    while (at < text.bytes && (text.data[at] == ' ' || text.data[at] == '(')) {
        at++;
    }
    return at;
}

/* `((i = 0; ...`: the name, and false where it is not set to digits first. */
static bool begins_with_number(struct xylem_view head, struct xylem_view *name)
{
    size_t at = skip_blanks(head, 0);
    size_t begin = at;

    while (at < head.bytes && ((head.data[at] >= 'a' && head.data[at] <= 'z') ||
                               (head.data[at] >= 'A' && head.data[at] <= 'Z') || head.data[at] == '_')) {
        at++;
    }
    *name = (struct xylem_view){head.data + begin, at - begin};
    at = skip_blanks(head, at);
    if (name->bytes == 0 || at == head.bytes || head.data[at] != '=') {
        return false;
    }
    begin = at = skip_blanks(head, at + 1);
    while (at < head.bytes && head.data[at] >= '0' && head.data[at] <= '9') {
        at++;
    }
    size_t end = skip_blanks(head, at);
    return at > begin && end < head.bytes && head.data[end] == ';';
}

/* `for` stands before the head, maybe behind `!` or `time`. */
static bool is_for(const struct xylem_policy__node *loop, const struct xylem_policy__node *head)
{
    uintptr_t begin = (uintptr_t)loop->raw.data;
    uintptr_t end = (uintptr_t)head->raw.data;

    return begin < end && memmem(loop->raw.data, end - begin, "for", 3) != NULL;
}

void xylem_policy__numbers_of_loop(struct xylem_policy__judge *judge, const struct xylem_policy__node *loop)
{
    const struct xylem_policy__node *first = loop->children;
    struct xylem_view name;

    judge->sets_numbers = loop->name.bytes > 0 && all_numbers(loop->words);
    if (first == NULL) {
        return;
    }
    if (judge->sets_numbers) {
        known_from(judge, loop->name, first->raw.data, end_of(loop));
    } else if (loop->name.bytes == 0 && first->type == XYLEM_POLICY__ARITHMETIC && is_for(loop, first) &&
               begins_with_number(first->raw, &name)) {
        known_from(judge, name, name.data, end_of(loop));
    }
}

void xylem_policy__number_is_set(struct xylem_policy__judge *judge, struct xylem_view name)
{
    struct xylem_policy__word value;
    bool number = judge->sets_numbers;

    if (!number && !judge->value_partial && xylem_policy__value_set(judge, &value)) {
        number =
            judge->value_behind_name ? value.literal && all_digits(value.text) : xylem_policy__becomes_number(&value);
    }
    if (number) {
        return;
    }
    if (judge->other_count == XYLEM_POLICY__NUMBERS_MAX) {
        judge->others_lost = true;
        return;
    }
    judge->others[judge->other_count++] = name;
}

/* `i`, `$i`, `${i}`, `"$i"`: the name. */
static struct xylem_view name_in(struct xylem_view at)
{
    static const char *const around[][2] = {{"\"", "\""}, {"${", "}"}, {"$", ""}};

    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
        size_t before = strlen(around[i][0]);
        size_t behind = strlen(around[i][1]);
        if (at.bytes > before + behind && xylem_policy__view_begins(at, around[i][0]) &&
            (behind == 0 || at.data[at.bytes - 1] == around[i][1][0])) {
            at = (struct xylem_view){at.data + before, at.bytes - before - behind};
        }
    }
    return at;
}

bool xylem_policy__holds_number(const struct xylem_policy__judge *judge, struct xylem_view at)
{
    struct xylem_view name = name_in(at);
    uintptr_t place = (uintptr_t)at.data;

    if (judge->policy->rules->programs != NULL) { /* it lets pass what may set any variable */
        return false;
    }
    for (size_t i = 0; i < judge->other_count || judge->others_lost; i++) {
        if (judge->others_lost || xylem_base__view_equal(judge->others[i], name)) {
            return false;
        }
    }
    for (size_t i = 0; i < judge->number_count; i++) {
        const struct xylem_policy__number *number = &judge->numbers[i];
        if (xylem_base__view_equal(number->name, name) && place >= (uintptr_t)number->from &&
            place < (uintptr_t)number->to) {
            return true;
        }
    }
    return false;
}
