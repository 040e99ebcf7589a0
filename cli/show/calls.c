/*
 * Knows tools and their calls. Finds calls without a result, at which a session broke off:
 *
 *     user, assistant (calls a, b), toolResult a        b has no result
 *     user, assistant (calls a, b), user                nothing is marked: the session went on
 *
 * pi takes an entry of either kind: it tells the model "No result provided". It leaves out an answer that was aborted or
 * that failed, with its calls.
 */
#include "cli/show/entries.h"
#include "xylem/branch.h"

#include <stdlib.h>
#include <string.h>

#define RESULTS_MAX 256u /* looked at behind one answer */

/* The ids of an answer's calls. */
struct calls {
    struct xylem_view *ids; /* data NULL: has a result */
    size_t count;
    size_t capacity;
};

/* Reads the newest message of the path of `at`: 1, or 0 if the path has none. Ids need the beginnings of strings alone. */
static int read_message(struct xylem_cli *cli, struct xylem_entry *entry, struct xylem_cli__said *said,
                        struct xylem_position at)
{
    int code = xylem_cli__newest_message(cli, entry, at);
    int read = code == 1 ? xylem_cli__said_read_beginning(cli, said, entry) : 0;
    return read < 0 ? read : code;
}

const struct xylem_value *xylem_cli__call_next(const struct xylem_cli__said *said, const struct xylem_value *call)
{
    const struct xylem_value *content = xylem_value_get(said->message, "content");
    const struct xylem_view end = xylem_cli__string_of(said->message, "stopReason");
    if (xylem_value_type(content) != XYLEM_VALUE_ARRAY || xylem_base__view_is(end, "aborted") ||
        xylem_base__view_is(end, "error")) {
        return NULL;
    }
    do {
        call = call ? xylem_value_next(content, call) : xylem_value_first(content);
    } while (call && !xylem_base__view_is(xylem_cli__string_of(call, "type"), "toolCall"));
    return call;
}

/* Reads the results between the answer at `to` and the entry at `from`. */
static int answer_all(struct xylem_cli *cli, struct calls *calls, struct xylem_position from, struct xylem_position to)
{
    int code = 1;
    while (code == 1 && !xylem_cli__position_equal(from, to)) {
        struct xylem_cli__said said = {0};
        struct xylem_entry entry;
        if ((code = read_message(cli, &entry, &said, from)) == 1) {
            const struct xylem_view id = xylem_cli__string_of(said.message, "toolCallId");
            for (size_t i = 0; id.data && i < calls->count; i++) {
                if (calls->ids[i].data && xylem_base__view_equal(calls->ids[i], id)) {
                    calls->ids[i].data = NULL;
                }
            }
            from = xylem_cli__position_equal(entry.position, to) ? to : entry.parent;
        }
        xylem_cli__said_release(&said);
    }
    return code < 0 ? code : 0;
}

int xylem_cli__unanswered(struct xylem_cli *cli, struct xylem_cli__unanswered *unanswered, struct xylem_position at)
{
    struct xylem_cli__said said = {0};
    struct calls calls = {NULL, 0, 0};
    struct xylem_entry entry = {.parent = at};
    const struct xylem_value *call = NULL;
    int code;
    *unanswered = (struct xylem_cli__unanswered){.count = 0};
    for (unsigned i = 0;; i++) { /* over the results to the answer */
        xylem_cli__said_release(&said);
        code = xylem_cli__position_none(entry.parent) ? 0 : read_message(cli, &entry, &said, entry.parent);
        if (code != 1 || i == RESULTS_MAX || !xylem_base__view_is(said.role, "toolResult")) {
            break;
        }
    }
    code = code == 1 && !xylem_base__view_is(said.role, "assistant") ? 0 : code;
    while (code == 1 && (call = xylem_cli__call_next(&said, call))) {
        const struct xylem_view id = xylem_cli__string_of(call, "id");
        int added = id.data ? xylem_cli__list_add(cli, &calls.ids, &calls.count, &calls.capacity, &id, sizeof id) : 0;
        code = added < 0 ? added : code;
    }
    if (code == 1 && calls.count > 0 && (code = answer_all(cli, &calls, at, entry.position)) == 0) {
        for (size_t i = 0; i < calls.count; i++) {
            unanswered->count += calls.ids[i].data ? 1 : 0;
        }
        unanswered->before = entry.parent;
    }
    xylem_cli__said_release(&said);
    free(calls.ids);
    return code < 0 && code != XYLEM_E_CORRUPT ? code : 0;
}

int xylem_cli__add_unanswered(struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_position at)
{
    struct xylem_cli__unanswered unanswered;
    struct xylem_view before;
    int code = xylem_cli__unanswered(cli, &unanswered, at);
    if (code != 0 || unanswered.count == 0 || (code = xylem_cli__entry_id(cli, &before, unanswered.before)) != 0) {
        return code;
    }
    xylem_cli__add_counted(text, unanswered.count, "tool call has", "tool calls have");
    xylem_cli__add(text, " no result at the entry, and the model will be told so");
    if (before.data) {
        xylem_cli__add(text, "; the entry before the calls is ");
        xylem_cli__add_shown(cli, text, before, XYLEM_CLI__EXACT, SIZE_MAX);
    }
    return text->failed ? xylem_cli__fail_memory(cli) : 0;
}

const char *xylem_cli__tool_use(struct xylem_view tool)
{
    static const struct {
        const char *tool;
        const char *by;
    } rows[] = {{"read", "read"},      {"read_file", "read"},    {"edit", "edit"},   {"edit_file", "edit"},
                {"multiedit", "edit"}, {"notebookedit", "edit"}, {"write", "write"}, {"write_file", "write"}};
    bool of_server = tool.bytes > 5 && memcmp(tool.data, "mcp__", 5) == 0;
    for (size_t i = tool.bytes; of_server && i > 2; i--) {
        if (memcmp(tool.data + i - 2, "__", 2) == 0) {
            tool = (struct xylem_view){tool.data + i, tool.bytes - i};
            break;
        }
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (xylem_base__view_is_name(tool, rows[i].tool)) {
            return rows[i].by;
        }
    }
    return NULL;
}

struct xylem_view xylem_cli__tool_path(const struct xylem_value *arguments)
{
    static const char *const keys[] = {"path", "file_path", "notebook_path"};
    struct xylem_view path = {NULL, 0};
    for (size_t i = 0; path.bytes == 0 && i < sizeof keys / sizeof keys[0]; i++) {
        path = xylem_value_string(xylem_value_get(arguments, keys[i]));
    }
    return path;
}
