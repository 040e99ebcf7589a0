/* Checks an append: the session, the expected leaf, the parent, the entries and their ids. Writes nothing. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "store/append.h"
#include "store/branch.h"
#include "store/find.h"
#include "store/session.h"
#include "store/lmdb/tables.h"

/* "entry 3 of 5" in error texts. */
#define ENTRY_FORMAT "entry %zu of %zu: "
#define ENTRY_ARGUMENTS(appending, index) (index) + 1, (appending)->entry_count

static int prepare_id(struct xylem_store__appending *appending, size_t index, struct xylem_view id)
{
    struct xylem_store__prepared *entry = &appending->entries[index];
    if (id.bytes > XYLEM_ENTRY_ID_BYTES_MAX) {
        return xylem_base__fail(appending->err, XYLEM_E_LIMIT,
                                ENTRY_FORMAT "its id has %zu bytes; it must have 1 to %u",
                                ENTRY_ARGUMENTS(appending, index), id.bytes, XYLEM_ENTRY_ID_BYTES_MAX);
    }
    if (!xylem_base__wtf8_valid(id.data, id.bytes)) {
        return xylem_base__fail(appending->err, XYLEM_E_MALFORMED, ENTRY_FORMAT "its id is not UTF-8",
                                ENTRY_ARGUMENTS(appending, index));
    }
    entry->id = id;
    entry->id_hash = xylem_format__hash(id);
    entry->mint = id.bytes == 0;
    appending->mint_count += entry->mint;
    return XYLEM_OK;
}

static int prepare_kind(struct xylem_store__appending *appending, size_t index, struct xylem_kind kind)
{
    if ((unsigned)kind.kind_class > XYLEM_CLASS_CUSTOM) {
        return xylem_base__fail(appending->err, XYLEM_E_ARGUMENT,
                                ENTRY_FORMAT "the class of its kind is %d; expected %d (host) or %d (custom)",
                                ENTRY_ARGUMENTS(appending, index), (int)kind.kind_class, (int)XYLEM_CLASS_HOST,
                                (int)XYLEM_CLASS_CUSTOM);
    }
    if (kind.name.bytes > XYLEM_KIND_NAME_BYTES_MAX) {
        return xylem_base__fail(appending->err, XYLEM_E_LIMIT,
                                ENTRY_FORMAT "its kind's name has %zu bytes; the limit is %u",
                                ENTRY_ARGUMENTS(appending, index), kind.name.bytes, XYLEM_KIND_NAME_BYTES_MAX);
    }
    if (!xylem_base__wtf8_valid(kind.name.data, kind.name.bytes)) {
        return xylem_base__fail(appending->err, XYLEM_E_MALFORMED, ENTRY_FORMAT "its kind's name is not UTF-8",
                                ENTRY_ARGUMENTS(appending, index));
    }
    if (kind.kind_class == XYLEM_CLASS_HOST && xylem_base__view_is(kind.name, XYLEM_FORMAT__HEADER_NAME)) {
        return xylem_base__fail(appending->err, XYLEM_E_MALFORMED,
                                ENTRY_FORMAT "its kind is %s, which is reserved for the header of a session file",
                                ENTRY_ARGUMENTS(appending, index), XYLEM_FORMAT__HEADER_NAME);
    }
    appending->entries[index].kind = kind;
    return XYLEM_OK;
}

static int fail_form(struct xylem_store__appending *appending, size_t index, const char *what)
{
    return xylem_base__fail(appending->err, XYLEM_E_ARGUMENT, ENTRY_FORMAT "%s", ENTRY_ARGUMENTS(appending, index),
                            what);
}

/* Parts a line of a host into payload and values. A copied entry has both already. */
static int part_line(struct xylem_store__appending *appending, size_t index, const struct xylem_line_form *form)
{
    struct xylem_store__prepared *entry = &appending->entries[index];
    if (!xylem_format__form_fits(form, entry->payload)) {
        return fail_form(appending, index, "its line needs a form: " XYLEM_FORMAT__FORM_RULE);
    }
    if (xylem_format__holes_encode(&entry->data, &entry->values, entry->payload, form, appending->session.id) < 0) {
        return xylem_base__fail_memory(appending->err);
    }
    entry->payload = xylem_base__buffer_view(&entry->data);
    entry->line = xylem_base__buffer_view(&entry->values);
    return XYLEM_OK;
}

static int check_line(struct xylem_store__appending *appending, size_t index)
{
    const struct xylem_store__prepared *entry = &appending->entries[index];
    struct xylem_error reason;
    int code = xylem_store__line_check(&appending->tree, entry->payload, entry->line, &reason);
    return code < 0 ? xylem_base__fail(appending->err, code, ENTRY_FORMAT "its line is refused: %s",
                                       ENTRY_ARGUMENTS(appending, index), reason.text)
                    : code;
}

/* Custom data in JSON becomes msgpack. The payload of a host entry stays as given, and must have its format. */
static int prepare_payload(struct xylem_store__appending *appending, size_t index)
{
    /* An export could not write a payload with one of these members: each line of a session file has them already. */
    static const char *const taken[] = {"type", "id", "parentId", "timestamp"};
    struct xylem_store__prepared *entry = &appending->entries[index];
    struct xylem_base__tree *tree = &appending->tree;
    struct xylem_error reason;
    int code = XYLEM_OK;
    bool custom = entry->kind.kind_class == XYLEM_CLASS_CUSTOM;
    if (entry->format == XYLEM_FORMAT_LINE) {
        return check_line(appending, index);
    }
    if (entry->format == XYLEM_FORMAT_MSGPACK) {
        code = xylem_format__data_decode(tree, entry->payload, &reason);
    } else if (entry->format == XYLEM_FORMAT_JSON && custom) {
        if ((code = xylem_base__json_parse(tree, entry->payload, &reason)) == XYLEM_OK &&
            (code = xylem_format__data_encode(&entry->data, tree->nodes, &reason)) == XYLEM_OK) {
            entry->format = XYLEM_FORMAT_MSGPACK;
            entry->payload = xylem_base__buffer_view(&entry->data);
        }
    } else if (entry->format == XYLEM_FORMAT_JSON) {
        code = xylem_base__json_parse_members(tree, entry->payload, &reason);
    }
    if (code < 0) {
        return xylem_base__fail(appending->err, code, ENTRY_FORMAT "its payload is refused: %s",
                                ENTRY_ARGUMENTS(appending, index), reason.text);
    }
    bool exported = !custom && entry->format != XYLEM_FORMAT_NONE;
    for (size_t i = 0; exported && i < sizeof taken / sizeof *taken; i++) {
        if (xylem_value_get(tree->nodes, taken[i])) {
            return xylem_base__fail(appending->err, XYLEM_E_MALFORMED,
                                    ENTRY_FORMAT "its payload has the member '%s', which is reserved for the entry",
                                    ENTRY_ARGUMENTS(appending, index), taken[i]);
        }
    }
    return XYLEM_OK;
}

static int payload_too_long(struct xylem_store__appending *appending, size_t index, size_t bytes)
{
    return xylem_base__fail(appending->err, XYLEM_E_LIMIT, ENTRY_FORMAT "its payload has %zu bytes; the limit is %u",
                            ENTRY_ARGUMENTS(appending, index), bytes, XYLEM_PAYLOAD_BYTES_MAX);
}

static int prepare_entry(struct xylem_store__appending *appending, size_t index, const struct xylem_new_entry *given)
{
    const struct xylem_store__append_options *options = appending->options;
    struct xylem_store__prepared *entry = &appending->entries[index];
    int code;
    if ((code = prepare_id(appending, index, given->id)) < 0 ||
        (code = prepare_kind(appending, index, given->kind)) < 0) {
        return code;
    }
    if ((unsigned)given->format > XYLEM_FORMAT_LINE ||
        (given->format == XYLEM_FORMAT_NONE && given->payload.bytes > 0)) {
        return xylem_base__fail(
            appending->err, XYLEM_E_ARGUMENT,
            ENTRY_FORMAT "its payload has %zu bytes and the format %d; expected the format %d (no payload), "
                         "%d (msgpack), %d (JSON) or %d (a line)",
            ENTRY_ARGUMENTS(appending, index), given->payload.bytes, (int)given->format, (int)XYLEM_FORMAT_NONE,
            (int)XYLEM_FORMAT_MSGPACK, (int)XYLEM_FORMAT_JSON, (int)XYLEM_FORMAT_LINE);
    }
    if (given->format == XYLEM_FORMAT_LINE && given->kind.kind_class == XYLEM_CLASS_CUSTOM) {
        return fail_form(appending, index, "the data of an extension cannot be a line: expected msgpack or JSON");
    }
    if (given->payload.bytes > XYLEM_PAYLOAD_BYTES_MAX) {
        return payload_too_long(appending, index, given->payload.bytes);
    }
    entry->time_ms = given->time_ms ? *given->time_ms : xylem_base__now_ms();
    entry->format = given->format;
    entry->payload = given->payload;
    entry->copied = options->copied ? &options->copied[index] : NULL;
    bool redacted = entry->copied && (entry->copied->flags & XYLEM_ENTRY_REDACTED);
    if (options->lines) {
        entry->line = options->lines[index];
    }
    bool whole_line = given->format == XYLEM_FORMAT_LINE && !entry->copied;
    if (whole_line && (code = part_line(appending, index, given->form)) < 0) {
        return code;
    }
    code = options->payload_checked || redacted ? XYLEM_OK : prepare_payload(appending, index);
    if (code == XYLEM_OK && entry->payload.bytes > XYLEM_PAYLOAD_BYTES_MAX) {
        code = payload_too_long(appending, index, entry->payload.bytes); /* msgpack can be longer than JSON */
    }
    if (code == XYLEM_OK && entry->line.bytes > XYLEM_LINE_BYTES_MAX) {
        code = xylem_base__fail(appending->err, XYLEM_E_LIMIT, ENTRY_FORMAT "its line has %zu bytes; the limit is %u",
                                ENTRY_ARGUMENTS(appending, index), entry->line.bytes, XYLEM_LINE_BYTES_MAX);
    }
    return code;
}

/* An id and its hash. The hashes mostly decide a comparison. */
struct compared_id {
    uint64_t hash;
    struct xylem_view id;
};

static int compare_ids(const void *left, const void *right)
{
    const struct compared_id *a = left;
    const struct compared_id *b = right;
    return a->hash != b->hash ? (a->hash < b->hash ? -1 : 1) : xylem_base__view_order(a->id, b->id);
}

/* Refuses two equal given ids. */
static int check_ids_among_themselves(struct xylem_store__appending *appending)
{
    size_t count = 0;
    struct compared_id *sorted = calloc(appending->entry_count, sizeof *sorted);
    if (!sorted) {
        return xylem_base__fail_memory(appending->err);
    }
    for (size_t i = 0; i < appending->entry_count; i++) {
        const struct xylem_store__prepared *entry = &appending->entries[i];
        if (!entry->mint) {
            sorted[count++] = (struct compared_id){entry->id_hash, entry->id};
        }
    }
    qsort(sorted, count, sizeof *sorted, compare_ids);
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i + 1 < count; i++) {
        if (compare_ids(&sorted[i], &sorted[i + 1]) == 0) {
            code = xylem_store__fail_id_taken(&appending->session, sorted[i].id, appending->err);
        }
    }
    free(sorted);
    return code;
}

static int check_ids(struct xylem_store__appending *appending)
{
    int code = appending->entry_count > 1 && appending->mint_count < appending->entry_count
                   ? check_ids_among_themselves(appending)
                   : XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < appending->entry_count; i++) {
        const struct xylem_store__prepared *entry = &appending->entries[i];
        struct xylem_position position;
        if (entry->mint) {
            continue;
        }
        code = xylem_store__find(&position, appending->txn, &appending->session, entry->id, appending->err);
        if (code > 0) {
            code = xylem_store__fail_id_taken(&appending->session, entry->id, appending->err);
        }
    }
    return code;
}

/* Draws the random bits of the ids to mint, for many ids at a time. */
static int draw_chances(struct xylem_store__appending *appending)
{
    uint64_t drawn[64];
    size_t left = 0;
    size_t missing = appending->mint_count;
    for (size_t i = 0; missing > 0; i++) {
        assert(i < appending->entry_count);
        if (!appending->entries[i].mint) {
            continue;
        }
        if (left == 0) {
            left = missing < sizeof drawn / sizeof *drawn ? missing : sizeof drawn / sizeof *drawn;
            int code = xylem_base__random(drawn, left * sizeof *drawn, appending->err);
            if (code < 0) {
                return code;
            }
        }
        appending->entries[i].chance = drawn[--left];
        missing--;
    }
    return XYLEM_OK;
}

/* The id of the entry at a position, for an error text. */
static struct xylem_view name_of(struct xylem_store__appending *appending, struct xylem_position position)
{
    struct xylem_entry entry;
    if (xylem_format__position_none(position)) {
        return xylem_view_of("none");
    }
    return xylem_entry_read(&entry, appending->txn, position, NULL) == XYLEM_OK
               ? entry.id
               : xylem_view_of("an entry that does not exist");
}

static int check_expected_leaf(struct xylem_store__appending *appending)
{
    const struct xylem_position *expected = appending->given->expected_leaf;
    struct xylem_position leaf = appending->session.leaf;
    if (!expected || xylem_format__position_equal(*expected, leaf)) {
        return XYLEM_OK;
    }
    struct xylem_view wanted = name_of(appending, *expected);
    struct xylem_view found = name_of(appending, leaf);
    return xylem_base__fail(appending->err, XYLEM_E_CONFLICT,
                            "the leaf of the session %.*s: expected %.*s (" XYLEM_FORMAT__AT_FORMAT
                            "), found %.*s (" XYLEM_FORMAT__AT_FORMAT ")",
                            XYLEM_BASE__SHOWN(appending->session.id), XYLEM_BASE__SHOWN(wanted),
                            XYLEM_FORMAT__AT_ARGUMENTS(*expected), XYLEM_BASE__SHOWN(found),
                            XYLEM_FORMAT__AT_ARGUMENTS(leaf));
}

/* Finds and reads the parent of the first entry; none for a root. */
static int find_parent(struct xylem_store__appending *appending)
{
    const struct xylem_append_options *options = appending->given;
    switch (options->parent) {
    case XYLEM_PARENT_LEAF:
        appending->parent = appending->session.leaf;
        break;
    case XYLEM_PARENT_NONE:
        break;
    case XYLEM_PARENT_AT:
        appending->parent = options->parent_position;
        if (xylem_format__position_none(appending->parent)) {
            return xylem_base__fail(appending->err, XYLEM_E_ARGUMENT, "the position of the parent is missing");
        }
        break;
    default:
        return xylem_base__fail(appending->err, XYLEM_E_ARGUMENT,
                                "the option parent is %d; expected %d (the leaf), %d (no parent) or %d (a position)",
                                (int)options->parent, (int)XYLEM_PARENT_LEAF, (int)XYLEM_PARENT_NONE,
                                (int)XYLEM_PARENT_AT);
    }
    if (xylem_format__position_none(appending->parent)) {
        return XYLEM_OK;
    }
    struct xylem_entry parent;
    int code = xylem_entry_read(&parent, appending->txn, appending->parent, appending->err);
    if (xylem_store__no_entry(code) && options->parent == XYLEM_PARENT_LEAF) {
        code = xylem_base__fail(appending->err, XYLEM_E_CORRUPT, "the leaf of the session %.*s is missing",
                                XYLEM_BASE__SHOWN(appending->session.id));
    }
    if (code < 0) {
        return code;
    }
    int belongs = xylem_store__belongs(appending->txn, &appending->session, appending->parent, appending->err);
    if (belongs <= 0) {
        return belongs < 0
                   ? belongs
                   : xylem_base__fail(appending->err, XYLEM_E_NOT_FOUND,
                                      "the entry at " XYLEM_FORMAT__AT_FORMAT " does not belong to the session %.*s",
                                      XYLEM_FORMAT__AT_ARGUMENTS(appending->parent),
                                      XYLEM_BASE__SHOWN(appending->session.id));
    }
    appending->parent_check = parent.check;
    appending->parent_entry = parent;
    return xylem_store__heads_start(&appending->heads, &parent, appending->err);
}

int xylem_store__appending_prepare(struct xylem_store__appending *appending, uint64_t session,
                                   const struct xylem_new_entry *entries)
{
    struct xylem_error *err = appending->err;
    /* An import writes to a session in the state IMPORTING, a repair to a session in any state. */
    bool any_state = appending->options->imported || appending->options->copied;
    int code = any_state ? xylem_lmdb__writable(appending->txn, err)
                         : xylem_store__session_for_write(&appending->session, appending->txn, session, err);
    if (code == XYLEM_OK && any_state) {
        code = xylem_session_read(&appending->session, appending->txn, session, err);
    }
    if (code == XYLEM_OK && xylem_store__session_own(&appending->session_copies, &appending->session) < 0) {
        code = xylem_base__fail_memory(err);
    }
    if (code < 0 || (code = check_expected_leaf(appending)) < 0 || (code = find_parent(appending)) < 0) {
        return code;
    }
    for (size_t i = 0; i < appending->entry_count; i++) {
        if ((code = prepare_entry(appending, i, &entries[i])) < 0) {
            return code;
        }
    }
    if (!appending->options->ids_checked && (code = check_ids(appending)) < 0) {
        return code;
    }
    return draw_chances(appending);
}

void xylem_store__appending_release(struct xylem_store__appending *appending)
{
    for (size_t i = 0; appending->entries && i < appending->entry_count; i++) {
        xylem_buffer_release(&appending->entries[i].data);
        xylem_buffer_release(&appending->entries[i].values);
    }
    free(appending->entries);
    xylem_store__heads_release(&appending->heads);
    xylem_base__tree_release(&appending->tree);
    xylem_buffer_release(&appending->session_copies);
    xylem_buffer_release(&appending->links);
    xylem_buffer_release(&appending->record);
}
