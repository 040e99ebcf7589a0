/*
 * Reads the first and the last words of a session. Both are found without a walk: hosts write the first message near
 * the root, and the records lead to the newest message.
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "branch/outline.h"
#include "xylem/branch.h"

#define FIRST_DEPTH_MAX 64u /* the first message of a person is not looked for behind this depth */
#define ELLIPSIS "\u2026"

static const struct xylem_kind message_kind = {XYLEM_CLASS_HOST,
                                               {XYLEM_FORMAT__MESSAGE_NAME, sizeof XYLEM_FORMAT__MESSAGE_NAME - 1}};

static struct xylem_view string_of(const struct xylem_value *map, const char *key)
{
    return xylem_base__trim(xylem_value_string(xylem_value_get(map, key)));
}

/* The first string under the key in the parts of a content. */
static struct xylem_view first_of(const struct xylem_value *content, const char *key)
{
    struct xylem_view text = {NULL, 0};
    const struct xylem_value *part = xylem_value_first(content);
    for (; part && text.bytes == 0; part = xylem_value_next(content, part)) {
        text = string_of(part, key);
    }
    return text;
}

/*
 * The words of a message, the first of these that is not blank:
 *
 *     content      "the text"
 *     content      [..., {"type":"text","text":"the text"}, ...]
 *     errorMessage "why there is no answer"
 *     command      "what a person ran"
 *     content      [..., {"type":"toolCall","name":"the tool"}, ...]
 *     content      [..., {"type":"image"}, ...]
 */
static struct xylem_view text_of(const struct xylem_value *message)
{
    static const char *const members[] = {"content", "text", "errorMessage", "command", "name", "type"};
    const struct xylem_value *content = xylem_value_get(message, "content");
    struct xylem_view text = {NULL, 0};
    for (size_t i = 0; text.bytes == 0 && i < sizeof members / sizeof *members; i++) {
        bool in_part = i == 1 || i >= 4;
        text = in_part ? first_of(content, members[i]) : string_of(message, members[i]);
    }
    return text;
}

/* Appends the beginning of a text, cut between two characters: 1. */
static int add_words(struct xylem_buffer *words, struct xylem_view text, struct xylem_error *err)
{
    bool cut = text.bytes > XYLEM_OUTLINE_WORDS_BYTES_MAX;
    text = cut ? xylem_base__utf8_beginning(text, XYLEM_OUTLINE_WORDS_BYTES_MAX - strlen(ELLIPSIS)) : text;
    bool added = xylem_buffer_add(words, text.data, text.bytes) == XYLEM_OK &&
                 (!cut || xylem_buffer_add(words, ELLIPSIS, strlen(ELLIPSIS)) == XYLEM_OK);
    return added ? 1 : xylem_base__fail_memory(err);
}

/*
 * Appends the words of a message, with `role` only of this role: 1, or 0 without words. A redacted payload, and a
 * payload that cannot be decoded, have none.
 */
static int read_words(struct xylem_buffer *words, const struct xylem_entry *entry, const char *role,
                      struct xylem_error *err)
{
    struct xylem_base__tree tree = {0};
    struct xylem_error why;
    int code = xylem_store__payload_decode(&tree, entry, &why);
    if (code == XYLEM_E_MEMORY || code == XYLEM_E_CORRUPT || code == XYLEM_E_IO) {
        code = xylem_base__fail(err, code, "%s", why.text);
    } else if (code == XYLEM_OK && tree.node_count > 0) {
        const struct xylem_value *wrapped = xylem_value_get(&tree.nodes[0], "message");
        const struct xylem_value *message = wrapped ? wrapped : &tree.nodes[0];
        struct xylem_view text = text_of(message);
        bool counts = !role || xylem_base__view_is(xylem_value_string(xylem_value_get(message, "role")), role);
        code = counts && text.bytes > 0 ? add_words(words, text, err) : 0;
    } else {
        code = 0;
    }
    xylem_base__tree_release(&tree);
    return code;
}

static int read_first(struct xylem_buffer *first, struct xylem_txn *txn, struct xylem_position leaf,
                      struct xylem_error *err)
{
    int code = 0;
    for (uint64_t depth = 1; code == 0 && depth <= leaf.depth && depth <= FIRST_DEPTH_MAX; depth++) {
        struct xylem_position at;
        struct xylem_entry entry;
        if ((code = xylem_store__ancestor_at(&at, txn, leaf, depth, err)) == XYLEM_OK &&
            (code = xylem_entry_read(&entry, txn, at, err)) == XYLEM_OK &&
            xylem_store__kind_equal(&entry.kind, &message_kind)) {
            code = read_words(first, &entry, "user", err);
        }
    }
    return code;
}

int xylem_branch__outline_make_words(struct xylem_buffer *first, struct xylem_buffer *last, struct xylem_txn *txn,
                                     const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_entry entry;
    int code = first ? read_first(first, txn, session->leaf, err) : 0;
    if (code >= 0 && last && session->leaf.depth > 0 &&
        (code = xylem_newest_of_kind(&entry, txn, session->leaf, message_kind, err)) == 1) {
        code = read_words(last, &entry, NULL, err);
    }
    if (xylem_store__no_entry(code)) {
        code = xylem_base__fail(err, XYLEM_E_CORRUPT, "the path of the leaf at " XYLEM_FORMAT__AT_FORMAT " has a gap",
                                XYLEM_FORMAT__AT_ARGUMENTS(session->leaf));
    }
    return code < 0 ? code : XYLEM_OK;
}

static int add(struct xylem_buffer *words, struct xylem_view text, struct xylem_error *err)
{
    return !words || xylem_buffer_add(words, text.data, text.bytes) == XYLEM_OK ? XYLEM_OK
                                                                                : xylem_base__fail_memory(err);
}

int xylem_outline_words(struct xylem_buffer *first, struct xylem_buffer *last, struct xylem_txn *txn,
                        const struct xylem_session *session, struct xylem_error *err)
{
    struct xylem_store__outline kept;
    struct xylem_error damage;
    int found = xylem_store__outline_row(&kept, txn, session->number, &damage);
    found = found == 1 && xylem_store__outline_words(&kept, txn, session->number, &damage) < 0 ? 0 : found;
    bool fresh = found == 1 && xylem_store__outline_is_fresh(&kept, session);
    /* The path of a leaf farther on the same branch begins as before. */
    bool begins = fresh || (found == 1 && kept.has_first && session->leaf.branch == kept.leaf.branch &&
                            session->leaf.depth >= kept.leaf.depth);
    int code = begins ? add(first, kept.first, err) : XYLEM_OK;
    if (code < 0 || fresh) {
        return code < 0 ? code : add(last, kept.last, err);
    }
    return xylem_branch__outline_make_words(begins ? NULL : first, last, txn, session, err);
}
