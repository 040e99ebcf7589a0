/* Reads the files that the tool calls of a path used, newest first. */
#include "cli/file_uses.h"
#include "base/buffer.h"
#include "cli/show/entries.h"
#include "xylem/reads.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct xylem_cli *cli;
    struct xylem_cli__uses *uses;
    struct xylem_buffer cwd;    /* ends in NUL; empty: the session has no absolute directory */
    struct xylem_cli__text ids; /* of failed results since the last answer, each with a NUL behind */
    struct xylem_view *failed;  /* the same ids, sorted; made when an answer comes */
    size_t failed_count;
    size_t failed_capacity;
};

/* --- Failed calls ------------------------------------------------------------------------------------------------- */

static int compare_views(const void *a, const void *b)
{
    return xylem_base__view_order(*(const struct xylem_view *)a, *(const struct xylem_view *)b);
}

static bool has_failed(const struct reading *reading, struct xylem_view id)
{
    id.bytes = id.data ? strnlen(id.data, id.bytes) : 0;
    return id.data && reading->failed_count > 0 &&
           bsearch(&id, reading->failed, reading->failed_count, sizeof id, compare_views) != NULL;
}

/* --- Uses --------------------------------------------------------------------------------------------------------- */

static int add_use(struct reading *reading, const struct xylem_entry *entry, const struct xylem_value *call)
{
    struct xylem_cli__use use = {.by = xylem_cli__tool_use(xylem_value_string(xylem_value_get(call, "name"))),
                                 .call_count = 1,
                                 .position = entry->position,
                                 .entry_id = entry->id,
                                 .time_ms = entry->time_ms};
    struct xylem_view path = xylem_cli__tool_path(xylem_value_get(call, "arguments"));
    const char *cwd = reading->cwd.bytes > 0 ? reading->cwd.data : NULL;
    int code = XYLEM_E_MALFORMED;
    if (!use.by || path.bytes == 0) {
        return 0;
    }
    if (has_failed(reading, xylem_value_string(xylem_value_get(call, "id")))) {
        reading->uses->left_out++;
        return 0;
    }
    /*
     * The path that the tool opened. The model's own words stay for a path that no tool of pi opens, and for a path
     * from an unknown directory: the session has no directory, or the path begins at the home of a person.
     */
    if (cwd || path.data[0] == '/') {
        code = xylem_path_key(&use.path, path, cwd ? cwd : "/", NULL, &reading->cli->err);
    }
    if (code != 0 && code != XYLEM_E_MEMORY) {
        code = xylem_buffer_add(&use.path, path.data, path.bytes);
    }
    code = code < 0 ? xylem_cli__fail_memory(reading->cli)
                    : xylem_cli__list_add(reading->cli, &reading->uses->list, &reading->uses->count,
                                          &reading->uses->capacity, &use, sizeof use);
    if (code < 0) {
        xylem_buffer_release(&use.path);
    }
    return code;
}

/* Adds the uses of an answer. The results of its calls came before the answer, so all failed ids are there now. */
static int add_uses(struct reading *reading, const struct xylem_entry *entry, const struct xylem_cli__said *said)
{
    struct xylem_cli__uses *uses = reading->uses;
    size_t begin = uses->count;
    int code = reading->ids.failed ? xylem_cli__fail_memory(reading->cli) : 0;
    reading->failed_count = 0;
    for (size_t at = 0; code == 0 && at < reading->ids.bytes.bytes;) {
        struct xylem_view id = xylem_view_of(reading->ids.bytes.data + at);
        code = xylem_cli__list_add(reading->cli, &reading->failed, &reading->failed_count, &reading->failed_capacity,
                                   &id, sizeof id);
        at += id.bytes + 1;
    }
    if (reading->failed_count > 0) {
        qsort(reading->failed, reading->failed_count, sizeof *reading->failed, compare_views);
    }
    for (const struct xylem_value *call = NULL; code == 0 && (call = xylem_cli__call_next(said, call));) {
        code = add_use(reading, entry, call);
    }
    xylem_cli__text_clear(&reading->ids);
    for (size_t i = begin; i < uses->count; i++) {
        uses->list[i].order = begin + (uses->count - 1 - i); /* the last call of an answer is the newest */
    }
    return code;
}

/* Reads the messages of the path, newest first: the results of an answer's calls come before the answer. */
static int read_uses(struct reading *reading, struct xylem_position at)
{
    struct xylem_cli *cli = reading->cli;
    struct xylem_entry entry = {.parent = at};
    int code = 1;
    while (code == 1 && !xylem_cli__position_none(entry.parent) &&
           (code = xylem_cli__newest_message(cli, &entry, entry.parent)) == 1) {
        struct xylem_cli__said said;
        int read = xylem_cli__said_read(cli, &said, &entry);
        if (read == 0 && said.failed && xylem_base__view_is(said.role, "toolResult")) {
            struct xylem_view id = xylem_value_string(xylem_value_get(said.message, "toolCallId"));
            if (id.data) { /* an id with a NUL counts up to the NUL */
                xylem_cli__add_bytes(&reading->ids, id.data, strnlen(id.data, id.bytes));
                xylem_cli__add_bytes(&reading->ids, "", 1);
            }
        } else if (read == 0 && xylem_base__view_is(said.role, "assistant")) {
            read = add_uses(reading, &entry, &said);
        }
        xylem_cli__said_release(&said);
        code = read < 0 ? read : code;
    }
    return code < 0 ? code : 0;
}

static int compare_uses(const void *a, const void *b)
{
    const struct xylem_cli__use *left = a;
    const struct xylem_cli__use *right = b;
    int order = xylem_base__view_order(xylem_base__buffer_view(&left->path), xylem_base__buffer_view(&right->path));
    order = order != 0 ? order : strcmp(left->by, right->by);
    return order != 0 ? order : (left->order > right->order) - (left->order < right->order);
}

static int compare_order(const void *a, const void *b)
{
    const struct xylem_cli__use *left = a;
    const struct xylem_cli__use *right = b;
    return (left->order > right->order) - (left->order < right->order);
}

/* Joins the calls of one tool with one file, and sorts, the last used first. */
static void join_uses(struct xylem_cli__uses *uses)
{
    size_t kept = 0;
    if (uses->count == 0) {
        return;
    }
    qsort(uses->list, uses->count, sizeof *uses->list, compare_uses);
    for (size_t i = 1; i < uses->count; i++) {
        struct xylem_cli__use *use = &uses->list[i];
        if (xylem_base__view_equal(xylem_base__buffer_view(&use->path),
                                   xylem_base__buffer_view(&uses->list[kept].path)) &&
            strcmp(use->by, uses->list[kept].by) == 0) {
            uses->list[kept].call_count++;
            xylem_buffer_release(&use->path);
        } else {
            uses->list[++kept] = *use;
        }
    }
    uses->count = kept + 1;
    qsort(uses->list, uses->count, sizeof *uses->list, compare_order);
}

int xylem_cli__uses_read(struct xylem_cli *cli, struct xylem_cli__uses *uses, const struct xylem_session *session,
                         struct xylem_position at)
{
    struct reading reading = {.cli = cli, .uses = uses};
    struct xylem_view cwd = session->cwd;
    bool absolute = cwd.bytes > 0 && cwd.data[0] == '/' && strnlen(cwd.data, cwd.bytes) == cwd.bytes;
    *uses = (struct xylem_cli__uses){0};
    int code = xylem_buffer_add(&reading.cwd, cwd.data, absolute ? cwd.bytes : 0);
    code = code < 0 ? xylem_cli__fail_memory(cli) : read_uses(&reading, at);
    join_uses(uses);
    xylem_cli__text_release(&reading.ids);
    free(reading.failed);
    xylem_buffer_release(&reading.cwd);
    return code;
}

void xylem_cli__uses_release(struct xylem_cli__uses *uses)
{
    for (size_t i = 0; i < uses->count; i++) {
        xylem_buffer_release(&uses->list[i].path);
    }
    free(uses->list);
    *uses = (struct xylem_cli__uses){0};
}
