#include "policy/parser.h"

/* Where the text that was not understood begins: at the first item that was read since all was well. */
struct progress {
    struct xylem_policy__node **tail;
    const char *begin;
    struct xylem_policy__doubt *doubts;
};

static struct progress note_progress(struct xylem_policy__parser *parser, struct xylem_policy__node **tail)
{
    const char *begin = parser->token_ready ? parser->token.begin : parser->now.at;
    return (struct progress){tail, begin, parser->tree->doubts};
}

/* The outermost list, item by item: what failed belongs to the items that had not ended for certain. */
static void read_outermost(struct xylem_policy__parser *parser)
{
    struct xylem_policy__tree *tree = parser->tree;
    struct xylem_policy__node **tail = &tree->nodes;
    struct progress done = note_progress(parser, tail);
    while (!xylem_policy__failed(parser)) {
        if (!parser->token_ready && !parser->pending) {
            xylem_policy__skip_blanks(parser);
            done = note_progress(parser, tail);
        }
        enum xylem_policy__token_type type = xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND)->type;
        if (xylem_policy__failed(parser)) {
            break;
        }
        if (type == XYLEM_POLICY__TOKEN_NEWLINE) {
            xylem_policy__take_token(parser);
            continue;
        }
        if (type == XYLEM_POLICY__TOKEN_END) {
            if (!parser->pending) {
                return;
            }
            (void)xylem_policy__fail(parser, "a here-document has no end");
            break;
        }
        if (xylem_policy__read_item(parser, &tail) && parser->token_ready &&
            xylem_policy__peek_token(parser, XYLEM_POLICY__PLACE_COMMAND)->type != XYLEM_POLICY__TOKEN_END) {
            (void)xylem_policy__fail(parser, "a word or an operator stands where a command ends");
        }
    }
    *done.tail = NULL;
    tree->doubts = done.doubts;
    tree->not_understood = xylem_policy__view(done.begin, tree->text.data + tree->text.bytes);
    tree->not_understood_why = parser->why;
}

int xylem_policy__parse(struct xylem_policy__tree *tree, struct xylem_policy__arena *arena, struct xylem_view text,
                        unsigned nesting)
{
    struct xylem_policy__parser parser = {.tree = tree, .arena = arena, .nesting = nesting};
    *tree = (struct xylem_policy__tree){.text = text};
    if (text.bytes == 0) {
        return 0;
    }
    parser.why = nesting > XYLEM_COMMAND_NESTING_MAX ? "it nests too deep" : xylem_policy__gate(text);
    if (parser.why) {
        tree->not_understood = text;
        tree->not_understood_why = parser.why;
        return 0;
    }
    parser.now = (struct xylem_policy__position){text.data, text.data + text.bytes};
    parser.last_end = text.data;
    parser.pending_tail = &parser.pending;
    parser.steps_max = text.bytes * 24 + 256;
    read_outermost(&parser);
    tree->steps = parser.steps;
    return arena->failed ? XYLEM_E_MEMORY : 0;
}
