/* xylem files: lists the files that a session read and wrote, by its tool calls or by the notes of a host. */
#include "base/buffer.h"
#include "cli/file_uses.h"
#include "cli/noted.h"
#include "cli/show/entries.h"

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

struct files {
    struct xylem_cli *cli;
    const struct xylem_session *session;
    struct xylem_cli__uses uses;
    struct xylem_cli__short_ids short_ids; /* empty: ids are shown whole */
};

static int print_json(struct files *files, struct xylem_cli__documents *documents)
{
    struct xylem_cli__text text = {0};
    int code = 0;
    for (size_t i = 0; code == 0 && i < files->uses.count; i++) {
        const struct xylem_cli__use *use = &files->uses.list[i];
        xylem_cli__json_document(&text);
        xylem_cli__member_string(&text, "path", xylem_base__buffer_view(&use->path));
        xylem_cli__member_string(&text, "by", xylem_view_of(use->by));
        xylem_cli__member_count(&text, "call_count", use->call_count);
        xylem_cli__member_string(&text, "entry", use->entry_id);
        xylem_cli__member_time(&text, "time", use->time_ms);
        xylem_cli__json_end(&text, '}');
        code = xylem_cli__documents_put(files->cli, documents, &text);
    }
    xylem_cli__text_release(&text);
    return code == 0 ? xylem_cli__documents_end(files->cli, documents) : code;
}

static int print_table(struct files *files)
{
    struct xylem_cli *cli = files->cli;
    struct xylem_cli__column chosen[COLUMN_COUNT];
    struct xylem_cli__table table = {.columns = chosen, .column_count = COLUMN_COUNT};
    size_t id_cells = strlen(columns[ENTRY].title);
    bool fit = true;
    int code = 0;
    for (size_t i = 0; i < files->uses.count; i++) {
        size_t cells = xylem_cli__cells(cli, files->uses.list[i].entry_id, SIZE_MAX);
        fit = fit && xylem_cli__ids_fit(cli, cells);
        id_cells = id_cells > cells ? id_cells : cells;
    }
    if (!fit) { /* cuts ids to their shortest unique beginnings */
        code = xylem_cli__short_ids_add_entries(cli, &files->short_ids, files->session->number);
        id_cells = xylem_cli__short_ids_cells(cli, &files->short_ids, id_cells);
    }
    memcpy(chosen, columns, sizeof chosen);
    chosen[AGE].title = cli->width == 0 ? "TIME" : "AGE";
    for (size_t i = 0; code == 0 && i < files->uses.count; i++) {
        const struct xylem_cli__use *use = &files->uses.list[i];
        xylem_cli__table_add(&table, xylem_view_of(use->by));
        xylem_cli__table_add_count(&table, use->call_count);
        xylem_cli__add_when(cli, &table.cell, use->time_ms);
        xylem_cli__table_end_cell(&table);
        xylem_cli__table_add(&table, xylem_cli__short_id(&files->short_ids, use->entry_id));
        xylem_cli__add_file_cell(cli, &table, xylem_base__buffer_view(&use->path), files->session->cwd,
                                 OTHER_CELLS + id_cells);
    }
    code = code == 0 ? xylem_cli__table_put(cli, &table) : code;
    if (code == 0 && files->uses.count == 0) {
        xylem_cli__note(cli, "no tool read or wrote a file on the path");
    }
    xylem_cli__table_release(&table);
    return code;
}

static int list_uses(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                     const struct xylem_cli__place *place)
{
    struct files files = {.cli = cli, .session = &place->session};
    int code = xylem_cli__uses_read(cli, &files.uses, &place->session, place->position);
    if (code == 0) {
        code = documents->wanted ? print_json(&files, documents) : print_table(&files);
    }
    if (code == 0 && files.uses.left_out > 0) {
        struct xylem_cli__text text = {0};
        xylem_cli__add_counted(&text, files.uses.left_out, "call that failed is left out",
                               "calls that failed are left out");
        xylem_cli__note(cli, "%s", text.failed ? "calls that failed are left out" : text.bytes.data);
        xylem_cli__text_release(&text);
    }
    xylem_cli__uses_release(&files.uses);
    xylem_cli__short_ids_release(&files.short_ids);
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
