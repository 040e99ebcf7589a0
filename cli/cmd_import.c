/* xylem import: imports session files. */
#include "cli/files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct import_options {
    bool json;
    bool quiet;
    bool no_share;
    bool whole;
};

static const struct xylem_cli__option import_table[] = {
    {"json", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct import_options, json), "print one JSON document", NULL},
    {"quiet", 'q', NULL, XYLEM_CLI__FLAG, offsetof(struct import_options, quiet),
     "print no line for a file, and no progress", NULL},
    {"no-share", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct import_options, no_share),
     "do not share entries between forks and their sources", NULL},
    {"whole", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct import_options, whole),
     "read a file that grew from its first line", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

#define OUTCOME_COUNT XYLEM_IMPORT_FAILED /* of files that did not fail */

#define FIGURES_CELLS 42u    /* the figures before a path, and the blank behind the figures */
#define PATH_CELLS_MIN 24u   /* a shorter path is not worth showing */
#define SOURCE_CELLS_MAX 40u /* an id of pi has 36 */

struct importing {
    struct xylem_cli *cli;
    const struct import_options *given;
    bool progress; /* standard error is a terminal */
    size_t file_count;
    int code; /* of the failure that ends the import, with the error in `err` */
    struct xylem_error err;
    size_t outcomes[OUTCOME_COUNT];
    size_t failed;
    uint64_t added;
    uint64_t shared;
    uint64_t shared_bytes;
    uint64_t matched;
    uint64_t quarantined;
    uint64_t problems;
    int worst;
    struct xylem_cli__text text; /* the document, or a line */
};

static void clear_progress(const struct importing *importing)
{
    if (importing->progress) {
        xylem_cli__clear_line();
    }
}

static void show_progress(const struct importing *importing, const struct xylem_import_progress *progress)
{
    uint64_t done = progress->bytes_done;
    uint64_t total = progress->bytes_total;
    struct xylem_cli__text line = {0};
    size_t width = importing->cli->width > 40 ? importing->cli->width - 24 : 40;
    if (!importing->progress) {
        return;
    }
    xylem_cli__clear_line();
    xylem_cli__addf(&line, "%zu/%zu  ", progress->file_index + 1, importing->file_count);
    if (total > 0 && done > 0) {
        xylem_cli__addf(&line, "%3d %%  ", (int)(100.0 * (double)done / (double)total));
    }
    xylem_cli__add_shown(importing->cli, &line, xylem_view_of(progress->path), XYLEM_CLI__EXACT, width);
    fwrite(line.bytes.data, 1, line.bytes.bytes, stderr);
    xylem_cli__text_release(&line);
}

static int progressed(void *context, const struct xylem_import_progress *progress)
{
    bool interrupted = xylem_cli__interrupted();
    if (!interrupted) {
        show_progress(context, progress);
    }
    return interrupted;
}

static void worsen(struct importing *importing, int result)
{
    importing->worst = importing->worst > result ? importing->worst : result;
}

/* `xylem: import: FILE:17: byte 2048: the line is not a JSON object (quarantined)` */
static void report_problem(struct importing *importing, const char *path, const struct xylem_import_problem *problem)
{
    struct xylem_cli__text entry = {0};
    char place[64] = "";
    clear_progress(importing);
    xylem_cli__add(&entry, problem->entry_id.data ? "entry " : xylem_import_problem_word(problem->type));
    xylem_cli__add_shown(importing->cli, &entry, problem->entry_id, XYLEM_CLI__EXACT, SIZE_MAX);
    if (problem->line > 0) {
        snprintf(place, sizeof place, ":%llu: byte %llu", (unsigned long long)problem->line,
                 (unsigned long long)problem->offset);
    }
    xylem_cli__note(importing->cli, "%s%s: %s: %s%s", path, place, xylem_cli__text_view(&entry).data,
                    xylem_import_problem_text(problem->type), problem->quarantined ? " (quarantined)" : "");
    xylem_cli__text_release(&entry);
}

/* `error` is NULL if the import of the file finished. */
static void add_file(struct xylem_cli__text *text, const char *path, const struct xylem_import_report *report,
                     const char *error)
{
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_string(text, "path", xylem_view_of(path));
    xylem_cli__member_maybe(text, "error", xylem_view_of(error));
    xylem_cli__add(text, ",");
    text->failed = text->failed || xylem_import_report_json(&text->bytes, report) < 0;
    xylem_cli__json_end(text, '}');
}

/*
 * Adds the path. On a narrow terminal the beginning of the path is cut, because the end says more. `taken` is the
 * number of cells used by the rest of the line.
 */
static void add_path(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *path, size_t taken)
{
    size_t room = cli->width == 0                       ? SIZE_MAX
                  : cli->width > taken + PATH_CELLS_MIN ? cli->width - taken
                                                        : PATH_CELLS_MIN;
    bool cut = false;
    while (xylem_cli__cells(cli, xylem_view_of(path), SIZE_MAX) >= room) {
        cut = true;
        path++;
    }
    while (cut && ((unsigned char)*path & 0xc0) == 0x80) {
        path++; /* the remaining bytes of a cut character */
    }
    xylem_cli__add(text, !cut ? "" : xylem_cli__utf8(cli) ? "\u2026" : "~");
    xylem_cli__add_shown(cli, text, xylem_view_of(path), XYLEM_CLI__EXACT, SIZE_MAX);
}

/* Adds why a fork shares nothing with its source. */
static void add_apart(const struct xylem_cli *cli, struct xylem_cli__text *text,
                      const struct xylem_import_report *report)
{
    static const struct {
        const char *before;
        const char *after;
    } words[XYLEM_IMPORT_SOURCE_COUNT] = {
        [XYLEM_IMPORT_SOURCE_DIFFERS] = {", shares nothing with its source ", ""},
        [XYLEM_IMPORT_SOURCE_MISSING] = {", a tree of its own: source ", " is not in the store"},
        [XYLEM_IMPORT_SOURCE_DELETED] = {", a tree of its own: source ", " is deleted"},
    };
    const char *source = report->source_id[0] == '\0' ? "named in its header" : report->source_id;
    bool empty = report->line_count < 2; /* a file without entries always differs from its source */
    if (!words[report->source].before || (report->source == XYLEM_IMPORT_SOURCE_DIFFERS && empty)) {
        return;
    }
    xylem_cli__add(text, words[report->source].before);
    xylem_cli__add_shown(cli, text, xylem_view_of(source), XYLEM_CLI__EXACT, SOURCE_CELLS_MAX);
    xylem_cli__add(text, words[report->source].after);
}

/* Adds remarks on a file behind the path. */
static void add_remarks(const struct xylem_cli *cli, struct xylem_cli__text *text,
                        const struct xylem_import_report *report)
{
    add_apart(cli, text, report);
    if (report->quarantined_count > 0) {
        xylem_cli__add_next_counted(text, report->quarantined_count, "line", "lines");
        xylem_cli__add(text, " put into quarantine");
    }
    if (report->unconsumed_bytes > 0) {
        xylem_cli__add_next_counted(text, report->unconsumed_bytes, "byte", "bytes");
        xylem_cli__add(text, " not consumed");
    }
    if (report->outcome == XYLEM_IMPORT_SKIPPED_DELETED) {
        xylem_cli__add(text, ", its session is deleted");
    }
    if (report->leaf_stayed) {
        xylem_cli__add(text, ", the leaf was moved and stays");
    }
}

/* Adds a count at the right edge of `cells` cells, and the name of the counted things; blanks for 0. */
static void add_figure(struct xylem_cli__text *text, uint64_t figure, size_t cells, const char *what)
{
    struct xylem_cli__text count = {0};
    xylem_cli__add_count(&count, figure);
    xylem_cli__add_repeated(text, " ", count.bytes.bytes < cells ? cells - count.bytes.bytes : 0);
    xylem_cli__add_bytes(text, count.bytes.data, count.bytes.bytes);
    xylem_cli__add(text, what);
    xylem_cli__text_release(&count);
}

/* `new         33 added    18 shared  FILE, remarks` */
static int put_line(struct importing *importing, const char *path, const struct xylem_import_report *report)
{
    static const char *const colors[] = {XYLEM_CLI__GREEN, XYLEM_CLI__GREEN, XYLEM_CLI__GREEN, XYLEM_CLI__DIM,
                                         XYLEM_CLI__YELLOW};
    struct xylem_cli *cli = importing->cli;
    struct xylem_cli__text *text = &importing->text;
    struct xylem_cli__text remarks = {0};
    xylem_cli__add_column(cli, text, xylem_view_of(xylem_import_outcome_word(report->outcome)), 11,
                          colors[report->outcome]);
    add_figure(text, report->added_count, 7, " added  ");
    if (report->shared_count > 0) {
        add_figure(text, report->shared_count, 6, " shared  ");
    } else {
        xylem_cli__add_repeated(text, " ", 15);
    }
    add_remarks(cli, &remarks, report);
    struct xylem_view shown = xylem_cli__text_view(&remarks);
    size_t cells = xylem_cli__cells(cli, shown, SIZE_MAX);
    bool apart = cli->width > 0 && cells > 0 && FIGURES_CELLS + PATH_CELLS_MIN + cells > cli->width;
    add_path(cli, text, path, FIGURES_CELLS + (apart ? 0 : cells));
    if (apart) { /* the remarks stand on their own line, without the separator */
        xylem_cli__add(text, "\n    ");
        shown = (struct xylem_view){shown.data + strlen(", "), shown.bytes - strlen(", ")};
    }
    xylem_cli__add_bytes(text, shown.data, shown.bytes);
    xylem_cli__text_release(&remarks);
    xylem_cli__add(text, "\n");
    return xylem_cli__put(cli, text);
}

static int take_report(struct importing *importing, const char *path, const struct xylem_import_report *report)
{
    importing->outcomes[report->outcome]++;
    importing->added += report->added_count;
    importing->shared += report->shared_count;
    importing->shared_bytes += report->shared_bytes;
    importing->matched += report->matched_count;
    importing->quarantined += report->quarantined_count;
    importing->problems += report->problem_count;
    for (size_t i = 0; i < report->problem_count; i++) {
        worsen(importing, XYLEM_CLI__PROBLEM);
        report_problem(importing, path, &report->problems[i]);
    }
    if (importing->given->json) {
        add_file(&importing->text, path, report, NULL);
        return 0;
    }
    return importing->given->quiet ? 0 : put_line(importing, path, report);
}

/* True for errors of one file, or of the session that the file is imported into. */
static bool concerns_one_file(int code)
{
    switch (code) {
    case XYLEM_E_MALFORMED:
    case XYLEM_E_LIMIT:
    case XYLEM_E_IO:
    case XYLEM_E_NOT_FOUND:
    case XYLEM_E_EXISTS:
    case XYLEM_E_CONFLICT:
    case XYLEM_E_DELETED:
        return true;
    default:
        return false;
    }
}

/* Keeps the error of one file, so that the import goes on with the next file; other errors end the import. */
static int take_failure(struct importing *importing, const char *path, const struct xylem_import_report *report,
                        int code)
{
    struct xylem_cli *cli = importing->cli;
    importing->failed++;
    importing->problems++;
    importing->added += report->added_count;
    importing->shared += report->shared_count;
    importing->shared_bytes += report->shared_bytes;
    if (importing->given->json) {
        add_file(&importing->text, path, report, cli->err.text);
    }
    if (!concerns_one_file(code)) {
        return code;
    }
    worsen(importing, xylem_cli__exit_code(code));
    xylem_cli__note(cli, "%s", cli->err.text);
    return 0;
}

/* Reports a file after its commit. */
static int imported(void *context, const struct xylem_imported *file)
{
    struct importing *importing = context;
    struct xylem_cli *cli = importing->cli;
    clear_progress(importing);
    if (file->code != 0) {
        cli->err = *file->err;
    }
    int code = xylem_cli__if_leased(cli, file->code, xylem_view_of(file->report->session_id));
    code = code == 0 ? take_report(importing, file->path, file->report)
                     : take_failure(importing, file->path, file->report, code);
    if (code != 0 && importing->code == 0) {
        importing->code = code;
        importing->err = cli->err;
    }
    return code != 0;
}

static int import_files(struct importing *importing, const struct xylem_cli__files *files)
{
    struct xylem_cli *cli = importing->cli;
    struct xylem_import_options options = {.progress = progressed,
                                           .context = importing,
                                           .share_nothing = importing->given->no_share,
                                           .whole = importing->given->whole};
    int code =
        xylem_import_files(cli->store, (const char *const *)files->paths, files->count, &options, imported, &cli->err);
    if (importing->code != 0) {
        cli->err = importing->err;
        return importing->code;
    }
    return code == XYLEM_E_STOPPED ? xylem_cli__fail(cli, XYLEM_E_STOPPED, "interrupted") : code;
}

static void add_document_end(struct importing *importing)
{
    struct xylem_cli__text *text = &importing->text;
    xylem_cli__json_end(text, ']');
    xylem_cli__member_count(text, "file_count", importing->file_count);
    for (size_t i = 0; i < OUTCOME_COUNT; i++) {
        xylem_cli__member_count(text, xylem_import_outcome_word((enum xylem_import_outcome)i), importing->outcomes[i]);
    }
    xylem_cli__member_count(text, "failed", importing->failed);
    xylem_cli__member_count(text, "added", importing->added);
    xylem_cli__member_count(text, "shared", importing->shared);
    xylem_cli__member_count(text, "shared_bytes", importing->shared_bytes);
    xylem_cli__member_count(text, "matched", importing->matched);
    xylem_cli__member_count(text, "quarantined", importing->quarantined);
    xylem_cli__member_count(text, "problem_count", importing->problems);
    xylem_cli__json_end(text, '}');
}

/* `30 files: 28 new, 2 unchanged; 1,234 entries added, 56 shared (7.8 KiB saved), 3 lines put into quarantine, ...` */
static void add_totals(struct importing *importing)
{
    struct xylem_cli__text *text = &importing->text;
    const char *separator = ": ";
    xylem_cli__add_counted(text, importing->file_count, "file", "files");
    for (size_t i = 0; i <= OUTCOME_COUNT; i++) {
        size_t count = i < OUTCOME_COUNT ? importing->outcomes[i] : importing->failed;
        if (count > 0) {
            xylem_cli__addf(text, "%s%zu %s", separator, count,
                            xylem_import_outcome_word((enum xylem_import_outcome)i));
            separator = ", ";
        }
    }
    xylem_cli__add(text, "; ");
    xylem_cli__add_counted(text, importing->added, "entry", "entries");
    xylem_cli__add(text, " added, ");
    if (importing->shared > 0) {
        xylem_cli__add_count(text, importing->shared);
        xylem_cli__add(text, " shared (");
        xylem_cli__add_size(text, importing->shared_bytes);
        xylem_cli__add(text, " saved), ");
    }
    xylem_cli__add_counted(text, importing->quarantined, "line", "lines");
    xylem_cli__add(text, " put into quarantine, ");
    xylem_cli__add_counted(text, importing->problems, "problem", "problems");
    xylem_cli__add(text, "\n");
}

static int import_all(struct importing *importing, const struct xylem_cli__files *files)
{
    struct xylem_cli *cli = importing->cli;
    bool created = false;
    int code = files->count == 0 ? 0 : xylem_cli__open_creating(cli, false, &created); /* no file needs no store */
    if (created) {
        xylem_cli__note(cli, "%s is a new xylem store", cli->store_path);
    }
    if (code != 0) {
        return code;
    }
    xylem_cli__signals_defer();
    if (importing->given->json) {
        xylem_cli__json_document(&importing->text);
        xylem_cli__member_begin(&importing->text, "files", '[');
    }
    if (files->count > 0) {
        code = import_files(importing, files);
    }
    if (importing->given->json) {
        add_document_end(importing);
    } else if (files->count > 0) {
        add_totals(importing);
    }
    /* The totals are printed after a failure too. */
    int printed = xylem_cli__put_output(cli, &importing->text, importing->given->json);
    return code != 0 ? code : printed;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct import_options *given = options;
    struct importing importing = {.cli = cli, .given = given, .progress = !given->quiet && isatty(STDERR_FILENO) == 1};
    struct xylem_cli__files files = {0};
    int code = 0;
    for (size_t i = 0; arguments[i] && code == 0; i++) {
        code = xylem_cli__files_add(cli, &files, arguments[i]);
    }
    if (code == 0 && (code = xylem_cli__files_order(cli, &files)) == 0) {
        importing.file_count = files.count;
        importing.worst = files.worst;
        importing.problems = files.problem_count;
        code = import_all(&importing, &files);
    }
    xylem_cli__files_release(&files);
    xylem_cli__text_release(&importing.text);
    return code != 0 ? code : importing.worst;
}

const struct xylem_cli__command xylem_cli__cmd_import = {
    .name = "import",
    .group = XYLEM_CLI__IN_AND_OUT,
    .summary = "Import session files of pi, or the lines added since the last import",
    .usage = "FILE|DIR... [--no-share] [--whole] [--json] [--quiet]",
    .details = "Imports files, and all files below a directory that end in .jsonl. Problems go to standard error with\n"
               "file, line and byte offset; lines that cannot be placed go to quarantine. Exits with 1 if a line is a\n"
               "problem, with 2 if a file is not a session file.\n",
    .options = import_table,
    .options_bytes = sizeof(struct import_options),
    .arguments_min = 1,
    .arguments_max = SIZE_MAX,
    .arguments = {XYLEM_CLI__FILE},
    .run = run,
};
