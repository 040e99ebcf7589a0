/* Any bytes as a shell command: the parser ends, within its limits, and what it gives lies within the text. */
#include <stdint.h>
#include <stdlib.h>

#include "judge/shell/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool lies_in(struct xylem_view view, struct xylem_view text)
{
    uintptr_t begin = (uintptr_t)view.data;
    uintptr_t outer = (uintptr_t)text.data;
    return begin >= outer && begin + view.bytes <= outer + text.bytes;
}

static void check_raw(const struct xylem_shell__tree *tree, struct xylem_view raw)
{
    bool found = lies_in(raw, tree->text);
    for (const struct xylem_shell__text *text = tree->texts; text && !found; text = text->next) {
        found = lies_in(raw, text->copy);
    }
    require(found);
}

static void check_nodes(const struct xylem_shell__tree *tree, const struct xylem_shell__node *node);

static void check_words(const struct xylem_shell__tree *tree, const struct xylem_shell__word *word)
{
    for (; word; word = word->next) {
        check_raw(tree, word->raw);
        for (const struct xylem_shell__part *part = word->parts; part; part = part->next) {
            require(!word->literal || part->type == XYLEM_SHELL__PART_TEXT);
            check_raw(tree, part->raw);
            check_words(tree, part->words);
            check_nodes(tree, part->body);
        }
    }
}

static void check_nodes(const struct xylem_shell__tree *tree, const struct xylem_shell__node *node)
{
    for (; node; node = node->next) {
        check_raw(tree, node->raw);
        check_words(tree, node->words);
        for (const struct xylem_shell__assignment *a = node->assignments; a; a = a->next) {
            check_raw(tree, a->raw);
            check_words(tree, a->subscripts);
            check_words(tree, a->values);
        }
        for (const struct xylem_shell__redirection *r = node->redirections; r; r = r->next) {
            check_raw(tree, r->raw);
            check_words(tree, r->target);
            check_words(tree, r->body);
        }
        check_nodes(tree, node->children);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_view text = {(const char *)data, size};
    struct xylem_shell__arena arena = {0};
    struct xylem_shell__tree tree;
    require(xylem_shell__parse(&tree, &arena, text, 0) == 0);
    check_nodes(&tree, tree.nodes);
    if (tree.not_understood_why) {
        require(lies_in(tree.not_understood, text));
        require(tree.not_understood.data + tree.not_understood.bytes == text.data + text.bytes);
    }
    xylem_shell__arena_release(&arena);
    return 0;
}
