/* Shows the end of a path, of a session of any size. */
#include "hosts/node/addon/addon.h"
#include "xylem/branch.h"
#include "xylem/files.h"

#include "hosts/node/addon/strings.h"

#define ENTRIES_DEFAULT 20u
#define ENTRIES_MAX 500u
#define BYTES_DEFAULT 262144u
#define BYTES_MAX 2097152u /* become strings in the thread of JavaScript */

struct shown {
    struct xylem_view id;
    struct xylem_view kind;
    int64_t time_ms;
    struct xylem_view line; /* data NULL: left out */
};

struct preview_call {
    struct call call;
    struct xylem_view session;
    struct xylem_view entry; /* data NULL: the leaf */
    uint64_t max;
    uint64_t bytes_max;
    uint64_t bytes; /* of the lines so far */
    struct shown *list;
    size_t count;
    bool more;
};

static const struct field preview_options[] = {
    {"entry", FIELD_STRING, MAYBE_AT(preview_call, entry)},
    {"max", FIELD_COUNT, MAYBE_AT(preview_call, max)},
    {"maxBytes", FIELD_COUNT, MAYBE_AT(preview_call, bytes_max)},
    {.name = NULL},
};
static const struct field preview_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the session's id", FIELD_STRING, AT(preview_call, session)},
    {"the options", FIELD_OBJECT, .optional = true, .fields = preview_options},
    {.name = NULL},
};
static const struct field shown_fields[] = {
    {"id", FIELD_STRING, AT(shown, id)},
    {"kind", FIELD_STRING, AT(shown, kind)},
    {"timeMs", FIELD_TIME, AT(shown, time_ms)},
    {"line", FIELD_STRING, AT(shown, line)},
    {.name = NULL},
};
static const struct field preview_answer[] = {
    {"entries", FIELD_OBJECTS, AT(preview_call, list), COUNT_AT(preview_call, count),
     .item_bytes = sizeof(struct shown), .fields = shown_fields},
    {"more", FIELD_BOOL, AT(preview_call, more)},
    {.name = NULL},
};

/* Takes the line of an entry, if it fits. The payload is not read if it alone is too long. */
static int take_line(struct shown *shown, struct preview_call *asked, struct xylem_buffer *text, struct xylem_txn *txn,
                     const struct xylem_entry *entry)
{
    struct call *call = &asked->call;
    uint64_t left = asked->bytes_max - asked->bytes;
    text->bytes = 0;
    if (entry->payload_bytes > left) {
        return 0;
    }
    int code = xylem_entry_json(text, txn, entry, &call->err);
    if (code < 0 || text->bytes > left) {
        return code;
    }
    asked->bytes += text->bytes;
    return call_keep(&shown->line, call, (struct xylem_view){text->data, text->bytes});
}

static int take_entry(struct preview_call *asked, struct xylem_buffer *text, struct xylem_txn *txn,
                      const struct xylem_entry *entry)
{
    struct call *call = &asked->call;
    struct shown *shown = &asked->list[asked->count++];
    shown->time_ms = entry->time_ms;
    text->bytes = 0;
    int code = xylem_kind_text(text, entry->kind);
    struct xylem_view kind = {text->data ? text->data : "", text->bytes};
    if (code < 0 || (code = call_keep(&shown->kind, call, kind)) < 0 ||
        (code = call_keep(&shown->id, call, entry->id)) < 0) {
        return code;
    }
    return take_line(shown, asked, text, txn, entry);
}

static int walk_back(struct preview_call *asked, struct xylem_txn *txn, struct xylem_position from)
{
    struct xylem_walk *walk;
    struct xylem_entry entry;
    struct xylem_buffer text = {0};
    struct call *call = &asked->call;
    int code = xylem_walk_new(&walk, txn, from, &call->err);
    if (code < 0) {
        return code;
    }
    while ((code = xylem_walk_next(&entry, walk, &call->err)) == 1 && !asked->more) {
        asked->more = asked->count == asked->max;
        if (!asked->more && (code = take_entry(asked, &text, txn, &entry)) < 0) {
            break;
        }
    }
    xylem_walk_free(walk);
    xylem_buffer_release(&text);
    return code < 0 ? code : 0;
}

static int read_preview(struct call *call, struct xylem_txn *txn)
{
    struct preview_call *asked = (struct preview_call *)call;
    struct xylem_session session;
    if (asked->max > ENTRIES_MAX || asked->bytes_max > BYTES_MAX) {
        return fail(&call->err, XYLEM_E_LIMIT, "a preview has at most 500 entries and 2 MiB");
    }
    asked->max = asked->max > 0 ? asked->max : ENTRIES_DEFAULT;
    asked->bytes_max = asked->bytes_max > 0 ? asked->bytes_max : BYTES_DEFAULT;
    asked->list = arena_take(&call->arena, asked->max * sizeof *asked->list);
    int code =
        asked->list ? session_of_id(&session, txn, asked->session, &call->err) : fail(&call->err, XYLEM_E_MEMORY, NULL);
    if (code < 0) {
        return code;
    }
    struct xylem_position from = session.leaf;
    if (asked->entry.data) {
        code = xylem_find(&from, txn, session.number, asked->entry, &call->err);
    }
    return code < 0 ? code : walk_back(asked, txn, from);
}

/* ----------------------------------------------------------------------------------------------------------------- */

const struct operation preview_operations[] = {
    {"preview", .call_bytes = sizeof(struct preview_call), .waits = true, .arguments = preview_arguments,
     .answer = preview_answer, .read = read_preview},
    {.name = NULL},
};
