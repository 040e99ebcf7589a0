/*
 * Parses JSON. The walk (json_walk.c) reads what is surely well-formed, nearly always the whole text. All else goes to
 * yajl from the beginning, and yajl's verdict counts.
 *
 * yajl checks the grammar, the numbers and the escapes. This file finds the strings, because yajl would replace a lone
 * surrogate in a decoded string. So yajl has no callbacks for strings and keys. At each token that yajl reports, the
 * text since the last token is valid, and is searched for strings:
 *
 *     { "a" : [ "b" , 1 ] }
 *     |       |       | | |      tokens that yajl reports
 *       "a"     "b"              strings that are found before the next token
 *
 * Where only the children of the root have nodes, the text below a child is not searched: only open containers are
 * counted.
 */
#include "base/json.h"

#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/error.h"
#include "base/json_string.h"
#include "base/json_walk.h"

/* Enough for all allocations of yajl for a common line, with the headers of the blocks. */
#define ROOM_BYTES 1024u

/*
 * A block of yajl's memory. yajl does not check allocations: a failed allocation leaves yajl by longjmp(), and all
 * blocks in the list are freed here. The first blocks lie in the room of the parse, and are in no list (`previous` is
 * NULL).
 */
struct block {
    struct block *previous;
    struct block *next;
    size_t bytes;
};

struct block_head {
    _Alignas(max_align_t) struct block links;
};

struct parse {
    char *room;
    size_t room_bytes;
    struct xylem_base__tree *tree;
    struct xylem_error *err;
    const char *begin;
    const char *end;
    const char *at;       /* behind the last token in the tree */
    size_t node_levels;   /* values inside of more open containers have no nodes */
    size_t skipped_count; /* open containers without a node */
    yajl_handle handle;
    bool finishing; /* yajl has the whole text, and may still report a number at the end */
    int code;
    struct block blocks;
    jmp_buf out_of_memory;
};

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
        if (head->links.previous) {
            unlink_block(&head->links);
            free(head);
        }
    }
}

/* Makes a block of the heap, or moves a block (`head`) to a larger block. */
static void *heap_realloc(struct parse *parse, struct block_head *head, size_t bytes)
{
    if (head) {
        unlink_block(&head->links);
    }
    struct block_head *moved = bytes > SIZE_MAX / 2 ? NULL : realloc(head, sizeof *head + bytes);
    if (!moved) {
        free(head);
        longjmp(parse->out_of_memory, 1);
    }
    moved->links.previous = &parse->blocks;
    moved->links.next = parse->blocks.next;
    if (moved->links.next) {
        moved->links.next->previous = &moved->links;
    }
    parse->blocks.next = &moved->links;
    return moved + 1;
}

/* Takes a block from the room, or from the heap. */
static void *block_malloc(void *context, size_t bytes)
{
    struct parse *parse = context;
    size_t unit = sizeof(struct block_head);
    if (bytes > parse->room_bytes || parse->room_bytes - bytes < 2 * unit) {
        return heap_realloc(parse, NULL, bytes);
    }
    struct block_head *head = (struct block_head *)(void *)parse->room;
    size_t taken = (1 + (bytes + unit - 1) / unit) * unit;
    parse->room += taken;
    parse->room_bytes -= taken;
    head->links = (struct block){.bytes = bytes};
    return head + 1;
}

static void *block_realloc(void *context, void *memory, size_t bytes)
{
    struct block_head *head = memory ? (struct block_head *)memory - 1 : NULL;
    if (head && head->links.previous) {
        return heap_realloc(context, head, bytes);
    }
    void *moved = block_malloc(context, bytes);
    if (head) {
        memcpy(moved, memory, head->links.bytes < bytes ? head->links.bytes : bytes);
    }
    return moved;
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

/* The error after the tree refused a node. */
static int fail_refused(struct parse *parse)
{
    if (xylem_base__tree_refusal(parse->tree) == XYLEM_E_MEMORY) {
        return fail_memory(parse);
    }
    parse->code = xylem_base__fail(parse->err, XYLEM_E_LIMIT, "JSON has more than %u values", XYLEM_VALUES_MAX);
    return parse->code;
}

/* Adds the string that begins with the quote at `parse->at`. The string ends before `limit`. */
static int add_string(struct parse *parse, const char *limit)
{
    bool spelt = true;
    const char *from = parse->at + 1;
    const char *end = xylem_base__json_string_end(&spelt, from, limit);
    if (!end) {
        return fail_malformed(parse, parse->at, "a string without a closing quote");
    }
    struct xylem_view raw = {parse->at, (size_t)(end + 1 - parse->at)};
    struct xylem_value *node = xylem_base__tree_add(parse->tree, XYLEM_VALUE_STRING, raw);
    if (!node) {
        return fail_refused(parse);
    }
    struct xylem_view *string = &node->as.string;
    *string = (struct xylem_view){from, (size_t)(end - from)};
    if (!spelt && xylem_base__json_string_decode(string, parse->tree, *string, parse->end) < 0) {
        return fail_memory(parse);
    }
    parse->at = raw.data + raw.bytes;
    return XYLEM_OK;
}

/* True if the values of the innermost open container get no nodes. */
static bool skips(const struct parse *parse)
{
    return parse->tree->open_count > parse->node_levels;
}

/* Adds the strings before the token that yajl reports now, and gives the token; an empty view on failure. */
static struct xylem_view take_token(struct parse *parse, size_t bytes)
{
    static const struct xylem_view failed = {NULL, 0};
    const char *end = parse->finishing ? parse->end : parse->begin + yajl_get_bytes_consumed(parse->handle);
    const char *token = end - bytes;
    bool skipped = skips(parse);
    while (!skipped && parse->at < token) {
        char byte = *parse->at;
        if (byte == '"') {
            if (add_string(parse, token) < 0) {
                return failed;
            }
        } else if (byte == '\v' || byte == '\f') { /* yajl accepts these as white space */
            fail_malformed(parse, parse->at, "this byte is not white space in JSON");
            return failed;
        } else {
            parse->at++;
        }
    }
    parse->at = end;
    return (struct xylem_view){token, bytes};
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
    return skips(context) || add_scalar(context, XYLEM_VALUE_NIL, 4);
}

static int on_boolean(void *context, int boolean)
{
    if (skips(context)) {
        return 1;
    }
    struct xylem_value *node = add_scalar(context, XYLEM_VALUE_BOOL, boolean ? 4 : 5);
    if (node) {
        node->as.boolean = boolean != 0;
    }
    return node != NULL;
}

static int on_number(void *context, const char *text, size_t bytes)
{
    (void)text; /* at the end of the text this is a copy, but the node needs the original */
    if (skips(context)) {
        return 1;
    }
    struct xylem_value *node = add_scalar(context, XYLEM_VALUE_DOUBLE, bytes);
    if (node) {
        xylem_base__json_set_number(node);
    }
    return node != NULL;
}

static int open_container(struct parse *parse, enum xylem_value_type type)
{
    bool too_deep = parse->tree->open_count + parse->skipped_count == XYLEM_NESTING_MAX;
    if (skips(parse) && !too_deep) {
        parse->skipped_count++;
        return 1;
    }
    struct xylem_view token = take_token(parse, 1);
    if (!token.data) {
        return 0;
    }
    if (too_deep) {
        parse->code = xylem_base__fail(parse->err, XYLEM_E_LIMIT, "JSON is nested deeper than %u at byte %zu",
                                       XYLEM_NESTING_MAX, (size_t)(token.data - parse->begin));
        return 0;
    }
    if (xylem_base__tree_open(parse->tree, type, token) < 0) {
        fail_refused(parse);
        return 0;
    }
    return 1;
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
    if (parse->skipped_count > 0) {
        parse->skipped_count--;
        return 1;
    }
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

/* Returns the error of a callback, or else yajl's own error. */
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

/* The body of the parse. longjmp() may leave this function, so all memory is in blocks. */
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
    skip_white_space(parse);
    if (parse->at == parse->end && parse->tree->node_count > 0 && parse->tree->open_count == 0) {
        return XYLEM_OK; /* yajl has reported the end of the root, and no text follows */
    }
    parse->finishing = true;
    if (yajl_complete_parse(parse->handle) != yajl_status_ok) {
        return fail_yajl(parse);
    }
    /* Add a root that is a string, and check the text behind the root: yajl accepts `1 "x`. */
    skip_white_space(parse);
    if (parse->tree->node_count == 0 && parse->at < parse->end && *parse->at == '"' &&
        add_string(parse, parse->end) < 0) {
        return parse->code;
    }
    skip_white_space(parse);
    return parse->at == parse->end ? XYLEM_OK
                                   : fail_malformed(parse, parse->at, "only white space may follow the value");
}

int xylem_base__json_judge(struct xylem_base__tree *tree, struct xylem_view text, size_t node_levels,
                           struct xylem_error *err)
{
    const char *begin = text.data ? text.data : "";
    _Alignas(struct block_head) char room[ROOM_BYTES];
    struct parse parse = {.room = room,
                          .room_bytes = sizeof room,
                          .tree = tree,
                          .err = err,
                          .begin = begin,
                          .end = begin + text.bytes,
                          .at = begin,
                          .node_levels = node_levels};
    xylem_base__tree_clear(tree);
    int code = run(&parse);
    assert(code < 0 || (tree->node_count > 0 && tree->open_count == 0));
    while (parse.blocks.next) {
        struct block *block = parse.blocks.next;
        unlink_block(block);
        free(block);
    }
    if (code < 0) {
        xylem_base__tree_clear(tree);
    }
    return code;
}

int xylem_base__json_parse(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err)
{
    int code = xylem_base__json_walk(tree, text, XYLEM_NESTING_MAX, err);
    return code == 0 ? xylem_base__json_judge(tree, text, XYLEM_NESTING_MAX, err) : code < 0 ? code : XYLEM_OK;
}

/* Drops the nodes below the children of the root. */
static void drop_inner_nodes(struct xylem_base__tree *tree)
{
    size_t kept_count = 1;
    for (size_t from = 1; from < tree->node_count;) {
        struct xylem_value *member = &tree->nodes[kept_count++];
        *member = tree->nodes[from];
        from += member->node_count;
        member->node_count = 1;
        member->child_count = 0;
    }
    tree->nodes[0].node_count = (uint32_t)kept_count;
    tree->node_count = kept_count;
}

/*
 * Two errors are overlooked in text without nodes. So a text that may have one of these errors gets all nodes first:
 *
 *     too many values     a value takes two bytes or more, with its comma or bracket
 *     \v or \f            yajl accepts these bytes as white space, the walk does not
 */
int xylem_base__json_parse_members(struct xylem_base__tree *tree, struct xylem_view text, struct xylem_error *err)
{
    if (text.bytes < 2 * (size_t)XYLEM_VALUES_MAX) {
        int code = xylem_base__json_walk(tree, text, 1, err);
        if (code != 0) {
            return code < 0 ? code : XYLEM_OK;
        }
        if (text.bytes == 0 || (!memchr(text.data, '\v', text.bytes) && !memchr(text.data, '\f', text.bytes))) {
            return xylem_base__json_judge(tree, text, 1, err);
        }
    }
    int code = xylem_base__json_parse(tree, text, err);
    if (code == XYLEM_OK) {
        drop_inner_nodes(tree);
    }
    return code;
}
