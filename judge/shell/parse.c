#include "judge/shell/parser.h"

#include <assert.h>

/* The last sound state. A text that is not understood begins there. */
struct progress {
    struct xylem_shell__node **tail;
    const char *begin;
    struct xylem_shell__doubt *doubts;
};

/*
 * Reads the outermost list item by item. A failure discards the items since the last sound state: an item with a
 * pending here-document has not ended, and a failure in the body concerns that item as well.
 */
static void read_outermost(struct xylem_shell__parser *parser)
{
    struct xylem_shell__tree *tree = parser->tree;
    struct xylem_shell__node **tail = &tree->nodes;
    struct progress done = {tail, parser->now.at, tree->doubts};
    bool doubted = false;
    while (!xylem_shell__failed(parser)) {
        if (parser->readings && !doubted) { /* the doubt goes to the end of the text: further doubts say nothing */
            doubted = true;
            (void)xylem_shell__doubt(parser, XYLEM_SHELL__DOUBT_READINGS,
                                     xylem_shell__view(done.begin, tree->text.data + tree->text.bytes),
                                     parser->readings);
        }
        if (!parser->token_ready && !parser->pending) {
            xylem_shell__skip_blanks(parser);
            done = (struct progress){tail, parser->now.at, tree->doubts};
        }
        enum xylem_shell__token_type type = xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND)->type;
        if (xylem_shell__failed(parser)) {
            break;
        }
        if (type == XYLEM_SHELL__TOKEN_NEWLINE) {
            xylem_shell__take_token(parser);
            continue;
        }
        if (type == XYLEM_SHELL__TOKEN_END) {
            if (!parser->pending) {
                return;
            }
            (void)xylem_shell__fail(parser, "a here-document has no end");
            break;
        }
        if (xylem_shell__read_item(parser, &tail) && parser->token_ready &&
            xylem_shell__peek_token(parser, XYLEM_SHELL__PLACE_COMMAND)->type != XYLEM_SHELL__TOKEN_END) {
            (void)xylem_shell__fail(parser, "a word or an operator stands where a command ends");
        }
    }
    *done.tail = NULL;
    tree->doubts = done.doubts;
    tree->not_understood = xylem_shell__view(done.begin, tree->text.data + tree->text.bytes);
    tree->not_understood_why = parser->why;
}

int xylem_shell__parse(struct xylem_shell__tree *tree, struct xylem_shell__arena *arena, struct xylem_view text,
                       unsigned nesting)
{
    struct xylem_shell__parser parser = {.tree = tree, .arena = arena, .nesting = nesting};
    *tree = (struct xylem_shell__tree){.text = text};
    if (text.bytes == 0) {
        return 0;
    }
    parser.why = nesting > XYLEM_COMMAND_NESTING_MAX ? "the command nests too deep" : xylem_shell__gate(text);
    if (parser.why) {
        tree->not_understood = text;
        tree->not_understood_why = parser.why;
        return 0;
    }
    parser.now = (struct xylem_shell__position){text.data, text.data + text.bytes};
    parser.last_end = text.data;
    parser.pending_tail = &parser.pending;
    parser.steps_max = text.bytes * 24 + 256;
    read_outermost(&parser);
    assert(parser.why || parser.nesting == nesting);
    tree->steps = parser.steps;
    return arena->failed ? XYLEM_E_MEMORY : 0;
}
