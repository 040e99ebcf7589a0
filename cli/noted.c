/* Lists the files that a host noted as read, and says whether a file may be written (xylem/reads.h). */
#include "base/buffer.h"
#include "cli/noted.h"
#include "xylem/reads.h"

#include <stdlib.h>
#include <string.h>

/* The file stands last: a terminal cuts the file alone, at its beginning. */
enum { BY, AGE, SIZE, FILE_NAME, COLUMN_COUNT };

static const struct xylem_cli__column columns[COLUMN_COUNT] = {
    [BY] = {"BY", false, 0, NULL, false},
    [AGE] = {"AGE", true, 0, XYLEM_CLI__DIM, false},
    [SIZE] = {"SIZE", true, 0, NULL, false},
    [FILE_NAME] = {"FILE", false, 0, NULL, false},
};
#define BEFORE_CELLS 26u   /* of the widest cells before the file */
#define FILE_CELLS_MIN 12u /* of a file on a narrow terminal */
#define NAME_CELLS 8u      /* of a line's name in a verdict */

static const char *const by_words[] = {"read", "edit", "write"};

void xylem_cli__add_file_cell(const struct xylem_cli *cli, struct xylem_cli__table *table, struct xylem_view path,
                              struct xylem_view cwd, size_t before_cells)
{
    size_t room = cli->width > before_cells + FILE_CELLS_MIN ? cli->width - before_cells : FILE_CELLS_MIN;
    if (cwd.bytes > 1 && path.bytes > cwd.bytes + 1 && memcmp(path.data, cwd.data, cwd.bytes) == 0 &&
        path.data[cwd.bytes] == '/') {
        path = (struct xylem_view){path.data + cwd.bytes + 1, path.bytes - cwd.bytes - 1};
    }
    xylem_cli__add_path(cli, &table->cell, "", path, cli->width == 0 ? SIZE_MAX : room);
    xylem_cli__table_end_cell(table);
}

/* --- The list ----------------------------------------------------------------------------------------------------- */

static void add_noted(struct xylem_cli__text *text, const struct xylem_read_file *file)
{
    xylem_cli__member_string(text, "hash", file->hash);
    xylem_cli__member_count(text, "bytes", file->bytes);
    xylem_cli__member_time(text, "time", file->at_ms);
    xylem_cli__member_string(text, "by", xylem_view_of(by_words[file->by]));
}

static int print_json(struct xylem_cli *cli, struct xylem_cli__documents *documents, const struct xylem_reads *reads)
{
    struct xylem_cli__text text = {0};
    struct xylem_read_file file;
    int code = 0;
    for (size_t i = 0; code == 0 && xylem_reads_file(&file, reads, i); i++) {
        xylem_cli__json_document(&text);
        xylem_cli__member_string(&text, "path", file.key);
        add_noted(&text, &file);
        xylem_cli__json_end(&text, '}');
        code = xylem_cli__documents_put(cli, documents, &text);
    }
    xylem_cli__text_release(&text);
    return code == 0 ? xylem_cli__documents_end(cli, documents) : code;
}

/* `noted`: the path has notes, by which files may have gone from the list. */
static int print_table(struct xylem_cli *cli, const struct xylem_reads *reads, struct xylem_view cwd, bool noted)
{
    struct xylem_cli__column chosen[COLUMN_COUNT];
    struct xylem_cli__table table = {.columns = chosen, .column_count = COLUMN_COUNT};
    struct xylem_read_file file;
    memcpy(chosen, columns, sizeof chosen);
    chosen[AGE].title = cli->width == 0 ? "TIME" : "AGE";
    for (size_t i = 0; xylem_reads_file(&file, reads, i); i++) {
        xylem_cli__table_add(&table, xylem_view_of(by_words[file.by]));
        xylem_cli__add_when(cli, &table.cell, file.at_ms);
        xylem_cli__table_end_cell(&table);
        xylem_cli__add_size(&table.cell, file.bytes);
        xylem_cli__table_end_cell(&table);
        xylem_cli__add_file_cell(cli, &table, file.key, cwd, BEFORE_CELLS);
    }
    int code = xylem_cli__table_put(cli, &table);
    if (code == 0 && table.cell_count == 0) {
        xylem_cli__note(cli, noted ? "the list of the noted files is empty" : "no host noted reads on the path");
    }
    xylem_cli__table_release(&table);
    return code;
}

/* --- The verdict on a path ---------------------------------------------------------------------------------------- */

struct ruling {
    struct xylem_buffer key;
    bool noted;
    struct xylem_read_file file; /* if noted */
    struct xylem_reads_verdict edit;
    struct xylem_reads_verdict write;
    bool written; /* another session wrote the file since */
    struct xylem_last_writer writer;
};

/* Sets the key of the file: a relative path begins at the session's directory. */
static int find_key(struct xylem_cli *cli, struct ruling *ruling, const struct xylem_session *session, const char *path)
{
    struct xylem_buffer cwd = {0};
    struct xylem_buffer text = {0};
    int code;
    if (!session->cwd.data || session->cwd.data[0] != '/') {
        code = path[0] == '/' ? xylem_buffer_add(&cwd, "/", 1)
                              : xylem_cli__usage(cli, "the session has no directory: expected an absolute path");
    } else {
        code = xylem_buffer_add(&cwd, session->cwd.data, session->cwd.bytes);
    }
    if (code == 0 && (code = xylem_path_key(&text, xylem_view_of(path), cwd.data, getenv("HOME"), &cli->err)) == 0) {
        code = xylem_path_real(&ruling->key, text.data, &cli->err);
    }
    xylem_buffer_release(&cwd);
    xylem_buffer_release(&text);
    return code;
}

static int rule(struct xylem_cli *cli, struct ruling *ruling, struct xylem_reads *reads,
                const struct xylem_session *session, const char *path)
{
    struct xylem_view shown = xylem_view_of(path);
    int code = find_key(cli, ruling, session, path);
    if (code != 0) {
        return code;
    }
    struct xylem_view key = {ruling->key.data, ruling->key.bytes};
    if ((code = xylem_reads_check_file(&ruling->edit, reads, key, shown, XYLEM_WRITE_TOOL_EDIT, &cli->err)) < 0 ||
        (code = xylem_reads_check_file(&ruling->write, reads, key, shown, XYLEM_WRITE_TOOL_WRITE, &cli->err)) < 0) {
        return code;
    }
    for (size_t i = 0; !ruling->noted && xylem_reads_file(&ruling->file, reads, i); i++) {
        ruling->noted = xylem_base__view_equal(ruling->file.key, key);
    }
    if (ruling->edit.why == XYLEM_READS_CHANGED) {
        code =
            xylem_reads_last_writer(&ruling->writer, cli->txn, session->number, key, ruling->edit.noted_ms, &cli->err);
        ruling->written = code > 0;
        code = code > 0 ? xylem_reads_add_writer(&ruling->edit.message, &ruling->writer, cli->now_ms, &cli->err) : code;
    }
    return code;
}

static void add_name(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name)
{
    xylem_cli__add_column(cli, text, xylem_view_of(name), NAME_CELLS, XYLEM_CLI__DIM);
}

static void add_verdict(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *tool,
                        const struct xylem_reads_verdict *verdict)
{
    add_name(cli, text, tool);
    xylem_cli__add_colored(cli, text, xylem_view_of(xylem_reads_why_name(verdict->why)),
                           verdict->block ? XYLEM_CLI__RED : XYLEM_CLI__GREEN);
    xylem_cli__add(text, "\n");
}

static void describe(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct ruling *ruling)
{
    add_name(cli, text, "file");
    xylem_cli__add_shown(cli, text, xylem_base__buffer_view(&ruling->key), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, "\n");
    add_name(cli, text, "noted");
    if (ruling->noted) {
        xylem_cli__addf(text, "%s, ", by_words[ruling->file.by]);
        xylem_cli__add_time(text, ruling->file.at_ms);
        xylem_cli__add(text, ", ");
        xylem_cli__add_size(text, ruling->file.bytes);
    } else {
        xylem_cli__add(text, "no");
    }
    xylem_cli__add(text, "\n");
    add_verdict(cli, text, "edit", &ruling->edit);
    add_verdict(cli, text, "write", &ruling->write);
    if (ruling->edit.block) {
        xylem_cli__add_shown(cli, text, xylem_base__buffer_view(&ruling->edit.message), XYLEM_CLI__ONE_LINE, SIZE_MAX);
        xylem_cli__add(text, "\n");
    }
}

static int print_ruling(struct xylem_cli *cli, struct xylem_cli__documents *documents, struct xylem_reads *reads,
                        const struct xylem_session *session, const char *path)
{
    const struct xylem_view none = {NULL, 0};
    struct ruling ruling = {.noted = false};
    struct xylem_cli__text text = {0};
    int code = rule(cli, &ruling, reads, session, path);
    if (code == 0) {
        if (!documents->wanted) {
            describe(cli, &text, &ruling);
        } else {
            xylem_cli__json_document(&text);
            xylem_cli__member_string(&text, "path", xylem_base__buffer_view(&ruling.key));
            xylem_cli__member_string(&text, "edit", xylem_view_of(xylem_reads_why_name(ruling.edit.why)));
            xylem_cli__member_string(&text, "write", xylem_view_of(xylem_reads_why_name(ruling.write.why)));
            xylem_cli__member_maybe(&text, "message",
                                    ruling.edit.block ? xylem_base__buffer_view(&ruling.edit.message) : none);
            if (ruling.noted) {
                xylem_cli__member_begin(&text, "noted", '{');
                add_noted(&text, &ruling.file);
                xylem_cli__json_end(&text, '}');
            } else {
                xylem_cli__member_maybe(&text, "noted", none);
            }
            xylem_cli__member_maybe(&text, "writer", ruling.written ? ruling.writer.id : none);
            xylem_cli__json_end(&text, '}');
        }
        code = xylem_cli__documents_put(cli, documents, &text);
    }
    bool block = ruling.edit.block || ruling.write.block;
    xylem_cli__text_release(&text);
    xylem_reads_verdict_release(&ruling.edit);
    xylem_reads_verdict_release(&ruling.write);
    xylem_buffer_release(&ruling.key);
    return code == 0 && block ? XYLEM_CLI__PROBLEM : code;
}

/* --- Both --------------------------------------------------------------------------------------------------------- */

int xylem_cli__noted(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                     const struct xylem_cli__place *place, const char *checked)
{
    struct xylem_reduction reduction = {0};
    struct xylem_reads *reads = NULL;
    int code = xylem_reads_new(&reads, &cli->err);
    if (code != 0 ||
        (code = xylem_cli__stored(cli, xylem_reads_load(reads, cli->txn, place->position, &reduction, &cli->err),
                                  place->position)) != 0) {
        goto out;
    }
    if (reduction.skipped_count > 0) { /* the entry may have said more: the list is what a host would load */
        const struct xylem_skipped *newest = &reduction.skipped[0];
        struct xylem_cli__text text = {0};
        xylem_cli__add_counted(&text, reduction.skipped_count, "entry was skipped", "entries were skipped");
        xylem_cli__add(&text, ": ");
        xylem_cli__add_shown(cli, &text, newest->entry_id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__addf(&text, ": %s", newest->reason);
        xylem_cli__note(cli, "%s", text.failed ? newest->reason : text.bytes.data);
        xylem_cli__text_release(&text);
    }
    if (checked) {
        code = print_ruling(cli, documents, reads, &place->session, checked);
    } else {
        code = documents->wanted ? print_json(cli, documents, reads)
                                 : print_table(cli, reads, place->session.cwd, reduction.decoded_count > 0);
    }
out:
    xylem_reduction_release(&reduction);
    xylem_reads_free(reads);
    return code;
}
