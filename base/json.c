/*
 * yajl checks the grammar, the numbers and the escapes of the text; strings are decoded here, because yajl would
 * replace a lone surrogate. So yajl gets no callback for strings and keys (then it decodes none), and what lies between
 * two tokens that it reports, which by then is known to be valid, is searched for them.
 */
#include "base/json.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/error.h"
#include "base/json_string.h"

/* yajl does not check its allocations, so a failed one leaves it by longjmp(), and whatever it holds is freed here. */
struct block {
    struct block *previous;
    struct block *next;
};

struct block_head {
    _Alignas(max_align_t) struct block links;
};

struct parse {
    struct xylem_base__tree *tree;
    struct xylem_error *err;
    const char *begin;
    const char *end;
    const char *at; /* behind the last token that is in the tree */
    yajl_handle handle;
    bool finishing; /* the whole text was fed; what is still reported is a number at its end */
    int code;
    struct block blocks;
    jmp_buf out_of_memory;
};

static void link_block(struct parse *parse, struct block *block)
{
    block->previous = &parse->blocks;
    block->next = parse->blocks.next;
    if (block->next) {
        block->next->previous = block;
    }
    parse->blocks.next = block;
}

static void unlink_block(struct block *block)
{
    block->previous->next = block->next;
    if (block->next) {
        block->next->previous = block->previous;
    }
}

static void block_free(void *context, void *memory)
{
    (void)context;
    if (memory) {
        struct block_head *head = (struct block_head *)memory - 1;
        unlink_block(&head->links);
        free(head);
    }
}

static void *block_realloc(void *context, void *memory, size_t bytes)
{
    struct parse *parse = context;
    struct block_head *head = NULL;
    if (memory) {
        head = (struct block_head *)memory - 1;
        unlink_block(&head->links);
    }
    struct block_head *moved = bytes > SIZE_MAX / 2 ? NULL : realloc(head, sizeof *head + bytes);
    if (!moved) {
        free(head);
        longjmp(parse->out_of_memory, 1);
    }
    link_block(parse, &moved->links);
    return moved + 1;
}

static void *block_malloc(void *context, size_t bytes)
{
    return block_realloc(context, NULL, bytes);
}

static void release_blocks(struct parse *parse)
{
    while (parse->blocks.next) {
        struct block *block = parse->blocks.next;
        unlink_block(block);
        free(block);
    }
}

static int fail_malformed(struct parse *parse, const char *at, const char *reason)
{
    parse->code = xylem_base__fail(parse->err, XYLEM_E_MALFORMED, "JSON is not well-formed at byte %zu: %s",
                                   (size_t)(at - parse->begin), reason);
    return parse->code;
}

static int fail_memory(struct parse *parse)
{
    parse->code = xylem_base__fail_memory(parse->err);
    return parse->code;
}

/* The tree did not take a node. */
static int fail_refused(struct parse *parse)
{
    if (xylem_base__tree_refusal(parse->tree) == XYLEM_E_MEMORY) {
        return fail_memory(parse);
    }
    parse->code = xylem_base__fail(parse->err, XYLEM_E_LIMIT, "JSON has more than %u values", XYLEM_VALUES_MAX);
    return parse->code;
}

/* Adds the string that begins with the quote at `parse->at`; `limit` bounds the search for its end. */
static int add_string(struct parse *parse, const char *limit)
{
    const char *from = parse->at + 1;
    const char *end = from;
    bool escaped = false;
    while (end < limit && *end != '"') {
        escaped = escaped || *end == '\\';
        end += *end == '\\' ? 2 : 1;
    }
    if (end >= limit) {
        return fail_malformed(parse, parse->at, "a string has no end");
    }
    struct xylem_view raw = {parse->at, (size_t)(end + 1 - parse->at)};
    struct xylem_view string = {from, (size_t)(end - from)};
    if (escaped || !xylem_base__json_string_utf8(string)) {
        if (xylem_base__json_string_decode(&string, parse->tree, string, parse->end) < 0) {
            return fail_memory(parse);
        }
    }
    struct xylem_value *node = xylem_base__tree_add(parse->tree, XYLEM_VALUE_STRING, raw);
    if (!node) {
        return fail_refused(parse);
    }
    node->as.string = string;
    parse->at = raw.data + raw.bytes;
    return XYLEM_OK;
}

/* Adds the strings that stand before the token at `token`. yajl takes \v and \f for white space; JSON does not. */
static int add_strings_before(struct parse *parse, const char *token)
{
    while (parse->at < token) {
        char byte = *parse->at;
        if (byte == '"') {
            if (add_string(parse, token) < 0) {
                return parse->code;
            }
        } else if (byte == '\v' || byte == '\f') {
            return fail_malformed(parse, parse->at, "this byte is no white space in JSON");
        } else {
            parse->at++;
        }
    }
    return XYLEM_OK;
}

/* The token of `bytes` bytes that yajl reports now, with the strings before it added; an empty view on failure. */
static struct xylem_view take_token(struct parse *parse, size_t bytes)
{
    struct xylem_view token = {NULL, 0};
    const char *end = parse->finishing ? parse->end : parse->begin + yajl_get_bytes_consumed(parse->handle);
    if (add_strings_before(parse, end - bytes) < 0) {
        return token;
    }
    token.data = end - bytes;
    token.bytes = bytes;
    parse->at = end;
    return token;
}

/* Takes and adds a scalar; NULL on failure. */
static struct xylem_value *add_scalar(struct parse *parse, enum xylem_value_type type, size_t bytes)
{
    struct xylem_view token = take_token(parse, bytes);
    if (!token.data) {
        return NULL;
    }
    struct xylem_value *node = xylem_base__tree_add(parse->tree, type, token);
    if (!node) {
        fail_refused(parse);
    }
    return node;
}

static int on_null(void *context)
{
    return add_scalar(context, XYLEM_VALUE_NIL, 4) != NULL;
}

static int on_boolean(void *context, int boolean)
{
    struct xylem_value *node = add_scalar(context, XYLEM_VALUE_BOOL, boolean ? 4 : 5);
    if (node) {
        node->as.boolean = boolean != 0;
    }
    return node != NULL;
}

static int on_number(void *context, const char *text, size_t bytes)
{
    (void)text; /* at the end of the text it is a copy; the node wants the original */
    struct xylem_value *node = add_scalar(context, XYLEM_VALUE_DOUBLE, bytes);
    if (node) {
        xylem_base__json_set_number(node);
    }
    return node != NULL;
}

static int open_container(struct parse *parse, enum xylem_value_type type)
{
    struct xylem_view token = take_token(parse, 1);
    if (!token.data) {
        return 0;
    }
    int code = xylem_base__tree_open(parse->tree, type, token);
    if (code == XYLEM_E_LIMIT && parse->tree->open_count == XYLEM_NESTING_MAX) {
        parse->code = xylem_base__fail(parse->err, code, "JSON is nested deeper than %u at byte %zu", XYLEM_NESTING_MAX,
                                       (size_t)(token.data - parse->begin));
    } else if (code < 0) {
        fail_refused(parse);
    }
    return code == XYLEM_OK;
}

static int on_start_map(void *context)
{
    return open_container(context, XYLEM_VALUE_MAP);
}

static int on_start_array(void *context)
{
    return open_container(context, XYLEM_VALUE_ARRAY);
}

static int on_end(void *context)
{
    struct parse *parse = context;
    struct xylem_view token = take_token(parse, 1);
    if (token.data) {
        xylem_base__tree_close(parse->tree, token.data + token.bytes);
    }
    return token.data != NULL;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_start_map = on_start_map,
    .yajl_end_map = on_end,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end,
};

static void skip_white_space(struct parse *parse)
{
    while (parse->at < parse->end && *parse->at != '\0' && strchr(" \t\n\r", *parse->at)) {
        parse->at++;
    }
}

/* Adds a root that is a string, and checks what follows the root: yajl accepts `1 "x` there. */
static int take_end(struct parse *parse)
{
    skip_white_space(parse);
    if (parse->tree->node_count == 0 && parse->at < parse->end && *parse->at == '"' &&
        add_string(parse, parse->end) < 0) {
        return parse->code;
    }
    skip_white_space(parse);
    if (parse->at < parse->end) {
        return fail_malformed(parse, parse->at, "only white space may follow the value");
    }
    return XYLEM_OK;
}

/* Says what yajl said, unless a callback has spoken. */
static int fail_yajl(struct parse *parse)
{
    if (parse->code < 0) {
        return parse->code;
    }
    size_t consumed = yajl_get_bytes_consumed(parse->handle);
    const char *at = parse->finishing ? parse->end : parse->begin + consumed;
    char *reason = (char *)yajl_get_error(parse->handle, 0, NULL, 0);
    reason[strcspn(reason, "\n")] = '\0';
    return fail_malformed(parse, at, reason);
}

/* The body of the parse: it may be left by longjmp(), so it owns nothing but blocks. */
static int run(struct parse *parse)
{
    yajl_alloc_funcs functions = {block_malloc, block_realloc, block_free, parse};
    if (setjmp(parse->out_of_memory) != 0) {
        return fail_memory(parse);
    }
    parse->handle = yajl_alloc(&callbacks, &functions, parse);
    yajl_config(parse->handle, yajl_dont_validate_strings, 1);
    size_t bytes = (size_t)(parse->end - parse->begin);
    if (yajl_parse(parse->handle, (const unsigned char *)parse->begin, bytes) != yajl_status_ok) {
        return fail_yajl(parse);
    }
    parse->finishing = true;
    if (yajl_complete_parse(parse->handle) != yajl_status_ok) {
        return fail_yajl(parse);
    }
    return take_end(parse);
}

int xylem_base__json_tokenize(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err)
{
    const char *begin = text.data ? text.data : "";
    struct parse parse = {.tree = tree, .err = err, .begin = begin, .end = begin + text.bytes, .at = begin};
    xylem_base__tree_clear(tree);
    int code = run(&parse);
    release_blocks(&parse);
    if (code < 0) {
        xylem_base__tree_clear(tree);
    }
    return code;
}

static int parse_levels(struct xylem_base__tree *tree, struct xylem_view text, size_t node_levels,
                        struct xylem_error *err)
{
    int code = xylem_base__json_scan(tree, text, node_levels);
    if (code == XYLEM_E_MEMORY) {
        return xylem_base__fail_memory(err);
    }
    return code == 1 ? XYLEM_OK : xylem_base__json_tokenize(tree, text, err);
}

int xylem_base__json_parse(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err)
{
    return parse_levels(tree, text, XYLEM_NESTING_MAX, err);
}

int xylem_base__json_parse_members(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err)
{
    return parse_levels(tree, text, 1, err);
}
