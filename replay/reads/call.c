/* Gives the verdict on the file of a tool call. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/value.h"
#include "replay/reads/table.h"

/* The path of a call of `edit` or `write`: a string in the input. MALFORMED, MEMORY. */
static int read_path(struct xylem_view *path, struct xylem_base__tree *tree, struct xylem_view input,
                     struct xylem_error *why)
{
    static const char *const keys[] = {"path", "file_path", NULL};
    bool twice = false;
    int code = xylem_base__json_parse(tree, input, why);
    if (code < 0) {
        return code;
    }
    const struct xylem_value *found = xylem_base__value_member(&tree->nodes[0], keys, &twice);
    if (xylem_value_type(found) != XYLEM_VALUE_STRING || twice) {
        return xylem_base__fail(why, XYLEM_E_MALFORMED, "the tool call: expected one string 'path' in 'input'");
    }
    *path = xylem_value_string(found);
    return 0;
}

/* The key of the file. MALFORMED, LIMIT, IO: the path is no path of a file. */
static int read_key(struct xylem_buffer *key, struct xylem_view path, const char *cwd, const char *home,
                    struct xylem_error *why)
{
    struct xylem_buffer text = {0};
    int code;
    bool from_root = path.bytes > 0 && path.data[0] == '/';
    if (!cwd && !from_root) {
        return xylem_base__fail(why, XYLEM_E_MALFORMED, "the tool call: 'cwd' is missing");
    }
    if ((code = xylem_path_key(&text, path, cwd ? cwd : "/", home, why)) == 0) {
        code = xylem_path_real(key, text.data, why);
    }
    xylem_buffer_release(&text);
    return code;
}

int xylem_reads_check_call(struct xylem_reads_verdict *verdict, struct xylem_reads *reads, struct xylem_view tool,
                           struct xylem_view input, const char *cwd, const char *home, struct xylem_error *err)
{
    struct xylem_base__tree tree = {0};
    struct xylem_buffer key = {0};
    struct xylem_view path = {NULL, 0};
    struct xylem_error why = {0};
    bool edits = xylem_base__view_is_name(tool, "edit");
    int code;
    if (!verdict) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a place for the verdict is missing");
    }
    xylem_reads__verdict_clear(verdict);
    if (!reads) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a check needs a table");
    }
    if (cwd && cwd[0] != '/') {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "cwd: expected an absolute path, found '%s'", cwd);
    }
    if (!edits && !xylem_base__view_is_name(tool, "write")) {
        verdict->why = XYLEM_READS_PASS;
        verdict->block = false;
        return 0;
    }
    xylem_base__tree_init(&tree);
    if ((code = read_path(&path, &tree, input, &why)) == 0) {
        code = read_key(&key, path, cwd, home, &why);
    }
    if (code == 0) {
        code = xylem_reads_check_file(verdict, reads, xylem_base__buffer_view(&key), path,
                                      edits ? XYLEM_WRITE_TOOL_EDIT : XYLEM_WRITE_TOOL_WRITE, err);
        code = code == 0 ? 1 : code;
    } else {
        int added = xylem_base__buffer_add_format(&verdict->message,
                                                  "Blocked: the path of the tool call cannot be used.\n%s", why.text);
        code = code == XYLEM_E_MEMORY || added < 0 ? xylem_base__fail_memory(err) : 0;
    }
    xylem_buffer_release(&key);
    xylem_base__tree_release(&tree);
    return code;
}
