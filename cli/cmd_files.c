/* xylem files: lists the files that a session read and wrote, by its tool calls or by the notes of a host. */
#include "base/buffer.h"
#include "cli/noted.h"
#include "cli/show/entries.h"
#include "xylem/reads.h"

#include <stdlib.h>
#include <string.h>

struct files_options {
    bool noted;
    const char *checked;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option files_table[] = {
    {"noted", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct files_options, noted),
     "the files that the read guard of a host noted", NULL},
    {"check", 0, "PATH", XYLEM_CLI__TEXT, offsetof(struct files_options, checked),
     "say whether a read guard would let PATH be edited and written", NULL},
    XYLEM_CLI__FORM_ROWS(struct files_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* The file stands last: a terminal cuts the file alone, at its beginning. */
enum { BY, CALLS, AGE, ENTRY, FILE_NAME, COLUMN_COUNT };

static const struct xylem_cli__column columns[COLUMN_COUNT] = {
    [BY] = {"BY", false, 0, NULL, false},
    [CALLS] = {"CALLS", true, 0, NULL, false},
    [AGE] = {"AGE", true, 0, XYLEM_CLI__DIM, false},
    [ENTRY] = {"ENTRY", false, 0, XYLEM_CLI__YELLOW, true},
    [FILE_NAME] = {"FILE", false, 0, NULL, false},
};
#define OTHER_CELLS 22u /* before the file, without the entry */

/* The newest call of one tool that used a file. */
struct use {
    struct xylem_buffer path;
    const char *by;
    uint64_t call_count;
    struct xylem_view entry_id;
    int64_t time_ms;
    size_t order; /* 0: the newest use of all */
};

struct uses {
    struct xylem_cli *cli;
    const struct xylem_session *session;
    struct xylem_buffer cwd; /* ends in NUL; empty: the session has no absolute directory */
    struct use *list;
    size_t count;
    size_t capacity;
    struct xylem_cli__text ids; /* of failed results since the last answer, each with a NUL behind */
    struct xylem_view *failed;  /* the same ids, sorted; made when an answer comes */
    size_t failed_count;
    size_t failed_capacity;
    uint64_t left_out;                     /* calls that failed */
    struct xylem_cli__short_ids short_ids; /* empty: ids are shown whole */
};

/* --- Reading ------------------------------------------------------------------------------------------------------ */

/* What a tool does with a file, by its name, or the last part of `mcp__SERVER__NAME`; NULL: another tool. */
static const char *use_of(struct xylem_view tool)
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

static struct xylem_view path_of(const struct xylem_value *arguments)
{
    static const char *const keys[] = {"path", "file_path", "notebook_path"};
    struct xylem_view path = {NULL, 0};
    for (size_t i = 0; path.bytes == 0 && i < sizeof keys / sizeof keys[0]; i++) {
        path = xylem_value_string(xylem_value_get(arguments, keys[i]));
    }
    return path;
}

/* --- Failed calls ------------------------------------------------------------------------------------------------- */

static int compare_views(const void *a, const void *b)
{
    return xylem_base__view_order(*(const struct xylem_view *)a, *(const struct xylem_view *)b);
}

static bool has_failed(const struct uses *uses, struct xylem_view id)
{
    id.bytes = id.data ? strnlen(id.data, id.bytes) : 0;
    return id.data && uses->failed_count > 0 &&
           bsearch(&id, uses->failed, uses->failed_count, sizeof id, compare_views) != NULL;
}

/* --- Uses --------------------------------------------------------------------------------------------------------- */

static int add_use(struct uses *uses, const struct xylem_entry *entry, const struct xylem_value *call)
{
    struct use use = {.by = use_of(xylem_value_string(xylem_value_get(call, "name"))),
                      .call_count = 1,
                      .entry_id = entry->id,
                      .time_ms = entry->time_ms};
    struct xylem_view path = path_of(xylem_value_get(call, "arguments"));
    const char *cwd = uses->cwd.bytes > 0 ? uses->cwd.data : NULL;
    int code = XYLEM_E_MALFORMED;
    if (!use.by || path.bytes == 0) {
        return 0;
    }
    if (has_failed(uses, xylem_value_string(xylem_value_get(call, "id")))) {
        uses->left_out++;
        return 0;
    }
    /*
     * The path that the tool opened. The model's own words stay for a path that no tool of pi opens, and for a path
     * from an unknown directory: the session has no directory, or the path begins at the home of a person.
     */
    if (cwd || path.data[0] == '/') {
        code = xylem_path_key(&use.path, path, cwd ? cwd : "/", NULL, &uses->cli->err);
    }
    if (code != 0 && code != XYLEM_E_MEMORY) {
        code = xylem_buffer_add(&use.path, path.data, path.bytes);
    }
    code = code < 0 ? xylem_cli__fail_memory(uses->cli)
                    : xylem_cli__list_add(uses->cli, &uses->list, &uses->count, &uses->capacity, &use, sizeof use);
    if (code < 0) {
        xylem_buffer_release(&use.path);
    }
    return code;
}

/* Adds the uses of an answer. The results of its calls came before the answer, so all failed ids are there now. */
static int add_uses(struct uses *uses, const struct xylem_entry *entry, const struct xylem_cli__said *said)
{
    size_t begin = uses->count;
    int code = uses->ids.failed ? xylem_cli__fail_memory(uses->cli) : 0;
    uses->failed_count = 0;
    for (size_t at = 0; code == 0 && at < uses->ids.bytes.bytes;) {
        struct xylem_view id = xylem_view_of(uses->ids.bytes.data + at);
        code =
            xylem_cli__list_add(uses->cli, &uses->failed, &uses->failed_count, &uses->failed_capacity, &id, sizeof id);
        at += id.bytes + 1;
    }
    if (uses->failed_count > 0) {
        qsort(uses->failed, uses->failed_count, sizeof *uses->failed, compare_views);
    }
    for (const struct xylem_value *call = NULL; code == 0 && (call = xylem_cli__call_next(said, call));) {
        code = add_use(uses, entry, call);
    }
    xylem_cli__text_clear(&uses->ids);
    for (size_t i = begin; i < uses->count; i++) {
        uses->list[i].order = begin + (uses->count - 1 - i); /* the last call of an answer is the newest */
    }
    return code;
}

/* Reads the messages of the path, newest first: the results of an answer's calls come before the answer. */
static int read_uses(struct uses *uses, struct xylem_position at)
{
    struct xylem_cli *cli = uses->cli;
    struct xylem_entry entry = {.parent = at};
    int code = 1;
    while (code == 1 && !xylem_cli__position_none(entry.parent) &&
           (code = xylem_cli__newest_message(cli, &entry, entry.parent)) == 1) {
        struct xylem_cli__said said;
        int read = xylem_cli__said_read(cli, &said, &entry);
        if (read == 0 && said.failed && xylem_base__view_is(said.role, "toolResult")) {
            struct xylem_view id = xylem_value_string(xylem_value_get(said.message, "toolCallId"));
            if (id.data) { /* an id with a NUL counts up to the NUL */
                xylem_cli__add_bytes(&uses->ids, id.data, strnlen(id.data, id.bytes));
                xylem_cli__add_bytes(&uses->ids, "", 1);
            }
        } else if (read == 0 && xylem_base__view_is(said.role, "assistant")) {
            read = add_uses(uses, &entry, &said);
        }
        xylem_cli__said_release(&said);
        code = read < 0 ? read : code;
    }
    return code < 0 ? code : 0;
}

static int compare_uses(const void *a, const void *b)
{
    const struct use *left = a;
    const struct use *right = b;
    int order = xylem_base__view_order(xylem_base__buffer_view(&left->path), xylem_base__buffer_view(&right->path));
    order = order != 0 ? order : strcmp(left->by, right->by);
    return order != 0 ? order : (left->order > right->order) - (left->order < right->order);
}

static int compare_order(const void *a, const void *b)
{
    const struct use *left = a;
    const struct use *right = b;
    return (left->order > right->order) - (left->order < right->order);
}

/* Joins the calls of one tool with one file, and sorts, the last used first. */
static void join_uses(struct uses *uses)
{
    size_t kept = 0;
    if (uses->count == 0) {
        return;
    }
    qsort(uses->list, uses->count, sizeof *uses->list, compare_uses);
    for (size_t i = 1; i < uses->count; i++) {
        struct use *use = &uses->list[i];
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

/* --- Output ------------------------------------------------------------------------------------------------------- */

static int print_json(struct uses *uses, struct xylem_cli__documents *documents)
{
    struct xylem_cli__text text = {0};
    int code = 0;
    for (size_t i = 0; code == 0 && i < uses->count; i++) {
        const struct use *use = &uses->list[i];
        xylem_cli__json_document(&text);
        xylem_cli__member_string(&text, "path", xylem_base__buffer_view(&use->path));
        xylem_cli__member_string(&text, "by", xylem_view_of(use->by));
        xylem_cli__member_count(&text, "call_count", use->call_count);
        xylem_cli__member_string(&text, "entry", use->entry_id);
        xylem_cli__member_time(&text, "time", use->time_ms);
        xylem_cli__json_end(&text, '}');
        code = xylem_cli__documents_put(uses->cli, documents, &text);
    }
    xylem_cli__text_release(&text);
    return code == 0 ? xylem_cli__documents_end(uses->cli, documents) : code;
}

static int print_table(struct uses *uses)
{
    struct xylem_cli *cli = uses->cli;
    struct xylem_cli__column chosen[COLUMN_COUNT];
    struct xylem_cli__table table = {.columns = chosen, .column_count = COLUMN_COUNT};
    size_t id_cells = strlen(columns[ENTRY].title);
    bool fit = true;
    int code = 0;
    for (size_t i = 0; i < uses->count; i++) {
        size_t cells = xylem_cli__cells(cli, uses->list[i].entry_id, SIZE_MAX);
        fit = fit && xylem_cli__ids_fit(cli, cells);
        id_cells = id_cells > cells ? id_cells : cells;
    }
    if (!fit) { /* cuts ids to their shortest unique beginnings */
        code = xylem_cli__short_ids_add_entries(cli, &uses->short_ids, uses->session->number);
        id_cells = xylem_cli__short_ids_cells(cli, &uses->short_ids, id_cells);
    }
    memcpy(chosen, columns, sizeof chosen);
    chosen[AGE].title = cli->width == 0 ? "TIME" : "AGE";
    for (size_t i = 0; code == 0 && i < uses->count; i++) {
        const struct use *use = &uses->list[i];
        xylem_cli__table_add(&table, xylem_view_of(use->by));
        xylem_cli__table_add_count(&table, use->call_count);
        xylem_cli__add_when(cli, &table.cell, use->time_ms);
        xylem_cli__table_end_cell(&table);
        xylem_cli__table_add(&table, xylem_cli__short_id(&uses->short_ids, use->entry_id));
        xylem_cli__add_file_cell(cli, &table, xylem_base__buffer_view(&use->path), uses->session->cwd,
                                 OTHER_CELLS + id_cells);
    }
    code = code == 0 ? xylem_cli__table_put(cli, &table) : code;
    if (code == 0 && uses->count == 0) {
        xylem_cli__note(cli, "no tool read or wrote a file on the path");
    }
    xylem_cli__table_release(&table);
    return code;
}

static int list_uses(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                     const struct xylem_cli__place *place)
{
    struct uses uses = {.cli = cli, .session = &place->session};
    struct xylem_view cwd = place->session.cwd;
    bool absolute = cwd.bytes > 0 && cwd.data[0] == '/' && strnlen(cwd.data, cwd.bytes) == cwd.bytes;
    int code = xylem_buffer_add(&uses.cwd, cwd.data, absolute ? cwd.bytes : 0);
    code = code < 0 ? xylem_cli__fail_memory(cli) : read_uses(&uses, place->position);
    join_uses(&uses);
    if (code == 0) {
        code = documents->wanted ? print_json(&uses, documents) : print_table(&uses);
    }
    if (code == 0 && uses.left_out > 0) {
        struct xylem_cli__text text = {0};
        xylem_cli__add_counted(&text, uses.left_out, "call that failed is left out", "calls that failed are left out");
        xylem_cli__note(cli, "%s", text.failed ? "calls that failed are left out" : text.bytes.data);
        xylem_cli__text_release(&text);
    }
    for (size_t i = 0; i < uses.count; i++) {
        xylem_buffer_release(&uses.list[i].path);
    }
    xylem_cli__text_release(&uses.ids);
    free(uses.list);
    free(uses.failed);
    xylem_cli__short_ids_release(&uses.short_ids);
    xylem_buffer_release(&uses.cwd);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct files_options *given = options;
    struct xylem_cli__documents documents;
    struct xylem_cli__place place;
    int code = xylem_cli__documents_start(cli, &documents, given->form, given->checked ? NULL : "files");
    if (given->noted && given->checked) {
        return xylem_cli__usage(cli, "--noted and --check cannot be combined");
    }
    if (code != 0 || (code = xylem_cli__open_paged(cli, !documents.wanted && !given->checked)) != 0 ||
        (code = xylem_cli__place_find(cli, &place, arguments[0], XYLEM_CLI__LOOKED_AT, xylem_cli__entry_or_none)) !=
            0) {
        return code;
    }
    return given->noted || given->checked ? xylem_cli__noted(cli, &documents, &place, given->checked)
                                          : list_uses(cli, &documents, &place);
}

const struct xylem_cli__command xylem_cli__cmd_files = {
    .name = "files",
    .group = XYLEM_CLI__LOOK,
    .summary = "List the files that a session read and wrote",
    .usage = "[PLACE] [--noted|--check PATH] [--json|--jsonl]",
    .details =
        "The files of the tool calls on the path of ENTRY, or of the leaf, the last used first: what the tool did,\n"
        "how many calls did the same, and the entry of the newest call. A call that failed is left out. The files\n"
        "that a shell command touched are not known.\n"
        "\n"
        "--noted lists the files that a read guard of a host noted. Such a guard blocks an edit or write of a file\n"
        "that the model does not know as the file is now. --check looks at the file, and says whether `edit` and\n"
        "`write` would pass, and why not. PATH is a path as the model gives it: relative to the session's directory.\n"
        "\n"
        "Exit codes with --check: 0: both pass; 1: `edit` is blocked, or both are.\n",
    .options = files_table,
    .options_bytes = sizeof(struct files_options),
    .arguments_max = 1,
    .surplus = "--check PATH asks about a file",
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
