/* xylem import: imports session files. */
#include "cli/export_dir.h"
#include "cli/follow.h"
#include "cli/pi_files.h"
#include "cli/redact.h"
#include "xylem/files.h"
#include "xylem/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WANTED_MS 500   /* between two questions whether another process needs the store alone */
#define RETRY_MS 150    /* while the store cannot be opened */
#define LINGER_MS 10    /* after a change: a burst of appends comes as one batch */
#define LOOK_BYTES 4096 /* of the beginning of a line */

struct import_options {
    bool json;
    bool quiet;
    bool no_share;
    bool whole;
    bool follow;
};

static const struct xylem_cli__option import_table[] = {
    {"follow", 'f', NULL, XYLEM_CLI__FLAG, offsetof(struct import_options, follow),
     "go on until interrupted: import each change of the files, and new files", NULL},
    XYLEM_CLI__JSON_ROW(struct import_options),
    {"quiet", 'q', NULL, XYLEM_CLI__FLAG, offsetof(struct import_options, quiet),
     "print no line for a file, and no progress", NULL},
    {"no-share", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct import_options, no_share),
     "do not share entries between forks and their sources", NULL},
    {"whole", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct import_options, whole),
     "read a file that grew from its first line", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

#define OUTCOME_COUNT (XYLEM_IMPORT_FAILED + 1)

#define FIGURES_CELLS 42u    /* the figures before a path, and the blank behind the figures */
#define PATH_CELLS_MIN 18u   /* a shorter path is not worth showing */
#define SOURCE_CELLS_MAX 40u /* an id of pi has 36 */

/* A file that waits for the end of a lease. */
struct left {
    char *path;
    char session[XYLEM_SESSION_ID_BYTES_MAX + 1];
};

struct importing {
    struct xylem_cli *cli;
    const struct import_options *given;
    bool progress; /* standard error is a terminal */
    size_t file_count;
    int code; /* of the failure that ends the import, with the error in `err` */
    struct xylem_error err;
    size_t outcomes[OUTCOME_COUNT];
    size_t left_count; /* sessions that are left to the host with their lease, or to the store that owns them */
    bool caught_up;    /* with --follow: the files of the beginning were imported */
    struct left *left; /* with --follow */
    size_t waiting;
    size_t left_capacity;
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

static int progressed(void *context, const struct xylem_import_progress *progress)
{
    const struct importing *importing = context;
    uint64_t done = progress->bytes_done;
    uint64_t total = progress->bytes_total;
    struct xylem_cli__text line = {0};
    size_t width = importing->cli->width > 40 ? importing->cli->width - 24 : 40;
    bool interrupted = xylem_cli__interrupted();
    if (interrupted || !importing->progress) {
        return interrupted;
    }
    xylem_cli__clear_line();
    xylem_cli__addf(&line, "%zu/%zu  ", progress->file_index + 1, importing->file_count);
    if (total > 0 && done > 0) {
        xylem_cli__addf(&line, "%3d %%  ", (int)(100.0 * (double)done / (double)total));
    }
    xylem_cli__add_shown(importing->cli, &line, xylem_view_of(progress->path), XYLEM_CLI__EXACT, width);
    fwrite(line.bytes.data, 1, line.bytes.bytes, stderr);
    xylem_cli__text_release(&line);
    return 0;
}

static void worsen(struct importing *importing, int result)
{
    importing->worst = importing->worst > result ? importing->worst : result;
}

/* `error` is NULL if the import of the file finished. */
static void add_file(struct xylem_cli__text *text, const char *path, const struct xylem_import_report *report,
                     const char *error)
{
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_string(text, "path", xylem_view_of(path));
    xylem_cli__member_maybe(text, "error", xylem_view_of(error));
    xylem_cli__json_separate(text);
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
    while (cut && xylem_base__utf8_continues(*path)) {
        path++; /* the remaining bytes of a cut character */
    }
    xylem_cli__add(text, !cut ? "" : xylem_cli__utf8(cli) ? "\u2026" : "~");
    xylem_cli__add_shown(cli, text, xylem_view_of(path), XYLEM_CLI__EXACT, SIZE_MAX);
}

/* Adds remarks on a file behind the path, first why a fork shares nothing with its source. */
static void add_remarks(const struct xylem_cli *cli, struct xylem_cli__text *text,
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
    if (words[report->source].before && !(report->source == XYLEM_IMPORT_SOURCE_DIFFERS && empty)) {
        xylem_cli__add(text, words[report->source].before);
        xylem_cli__add_shown(cli, text, xylem_view_of(source), XYLEM_CLI__EXACT, SOURCE_CELLS_MAX);
        xylem_cli__add(text, words[report->source].after);
    }
    if (report->quarantined_count > 0) {
        xylem_cli__add_next_counted(text, report->quarantined_count, "line", "lines");
        xylem_cli__add(text, " put into quarantine");
    }
    if (report->unconsumed_bytes > 0) {
        xylem_cli__add_next_counted(text, report->unconsumed_bytes, "byte", "bytes");
        xylem_cli__add(text, " of a last line that has no end yet");
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

/* True if the bytes at the end of the file may become an entry: the beginning of an object, and no NUL bytes. */
static bool is_in_the_making(const char *path, uint64_t offset)
{
    char bytes[LOOK_BYTES];
    int fd = offset > INT64_MAX ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t count = fd < 0 ? -1 : pread(fd, bytes, sizeof bytes, (off_t)offset);
    if (fd >= 0) {
        close(fd);
    }
    return count == 0 || (count > 0 && bytes[0] == '{' && !memchr(bytes, '\0', (size_t)count));
}

/*
 * Reports the problems of a file: `xylem: import: FILE:17: byte 2048: the line is not a JSON object (quarantined)`. A
 * last line without an end is a problem only if the line cannot become an entry.
 */
static void take_problems(struct importing *importing, const char *path, const struct xylem_import_report *report)
{
    for (size_t i = 0; i < report->problem_count; i++) {
        const struct xylem_import_problem *problem = &report->problems[i];
        struct xylem_cli__text entry = {0};
        char place[64] = "";
        if (problem->type == XYLEM_IMPORT_TORN && is_in_the_making(path, problem->offset)) {
            continue;
        }
        importing->problems++;
        worsen(importing, XYLEM_CLI__PROBLEM);
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
}

static int take_report(struct importing *importing, const char *path, const struct xylem_import_report *report)
{
    importing->outcomes[report->outcome]++;
    importing->added += report->added_count;
    importing->shared += report->shared_count;
    importing->shared_bytes += report->shared_bytes;
    importing->matched += report->matched_count;
    importing->quarantined += report->quarantined_count;
    take_problems(importing, path, report);
    if (importing->given->json) {
        add_file(&importing->text, path, report, NULL);
        return 0;
    }
    bool news = report->outcome != XYLEM_IMPORT_UNCHANGED && report->outcome != XYLEM_IMPORT_SKIPPED_DELETED;
    return importing->given->quiet || (importing->given->follow && !news) ? 0 : put_line(importing, path, report);
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
    importing->outcomes[XYLEM_IMPORT_FAILED]++;
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

/* Keeps the file for the end of the lease. 1 if the file was kept before, 0, or an error. */
static int keep_left(struct importing *importing, const char *path, const char *session)
{
    for (size_t i = 0; i < importing->waiting; i++) {
        if (strcmp(importing->left[i].path, path) == 0) {
            return 1;
        }
    }
    struct left left = {.path = strdup(path)};
    snprintf(left.session, sizeof left.session, "%s", session);
    int code = left.path ? xylem_cli__list_add(importing->cli, &importing->left, &importing->waiting,
                                               &importing->left_capacity, &left, sizeof left)
                         : xylem_cli__fail_memory(importing->cli);
    if (code < 0) {
        free(left.path);
    }
    return code;
}

/* `left                                   FILE, in use by process 12 (node) ...` */
static int take_left(struct importing *importing, const char *path, const struct xylem_import_report *report)
{
    struct xylem_cli *cli = importing->cli;
    struct xylem_cli__text *text = &importing->text;
    int known = importing->given->follow ? keep_left(importing, path, report->session_id) : 0;
    if (known != 0) {
        return known < 0 ? known : 0;
    }
    importing->left_count++;
    if (importing->given->json) {
        add_file(text, path, report, cli->err.text);
        return 0;
    }
    if (importing->given->quiet) {
        return 0;
    }
    xylem_cli__add_column(cli, text, xylem_view_of("left"), FIGURES_CELLS - 1, XYLEM_CLI__YELLOW);
    xylem_cli__add(text, " ");
    xylem_cli__add_shown(cli, text, xylem_view_of(path), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, ": ");
    xylem_cli__add_shown(cli, text, xylem_view_of(cli->err.text), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, "\n");
    return xylem_cli__put(cli, text);
}

/* With --follow: true for a file that is gone again, and for a file without a whole first line: later events follow. */
static bool comes_later(const char *path, int code)
{
    char bytes[LOOK_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool gone = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
    ssize_t count = fd < 0 || code != XYLEM_E_MALFORMED ? -1 : pread(fd, bytes, sizeof bytes, 0);
    if (fd >= 0) {
        close(fd);
    }
    return gone || count == 0 || (count > 0 && bytes[0] == '{' && !memchr(bytes, '\n', (size_t)count));
}

/* Reports a file after its commit. */
static int imported(void *context, const struct xylem_imported *file)
{
    struct importing *importing = context;
    struct xylem_cli *cli = importing->cli;
    bool follow = importing->given->follow;
    int code = file->code;
    clear_progress(importing);
    if (code != 0) {
        cli->err = *file->err;
    }
    if (code == 0) {
        code = take_report(importing, file->path, file->report);
    } else if (code == XYLEM_E_CONFLICT && xylem_cli__is_owned(cli, xylem_view_of(file->report->session_id))) {
        code = take_left(importing, file->path, file->report);
    } else if (follow && code == XYLEM_E_CONFLICT) { /* another import got ahead, again and again */
        int kept = keep_left(importing, file->path, file->report->session_id);
        code = kept < 0 ? kept : 0;
    } else if (follow && code != XYLEM_E_BUSY && comes_later(file->path, code)) {
        code = 0;
    } else if (!follow || code != XYLEM_E_BUSY) { /* BUSY: the store is not usable now, and all files come again */
        code = take_failure(importing, file->path, file->report, code);
    }
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

/* --- Exports of a whole store ------------------------------------------------------------------------------------- */

struct taking {
    const char *path;
    struct xylem_import_report report;
};

static int take_changes(struct xylem_cli *cli, void *context)
{
    struct taking *taking = context;
    struct xylem_apply_report applied;
    struct xylem_session session;
    int code = xylem_import_changes(&applied, cli->txn, taking->path, &cli->err);
    code = code == 0 && !applied.is_new && applied.redacted_count + applied.line_count > 0 ? xylem_cli__redact_note(cli)
                                                                                           : code;
    bool grew = applied.change_count + applied.redacted_count + applied.line_count > 0;
    taking->report = (struct xylem_import_report){.outcome = applied.is_new ? XYLEM_IMPORT_NEW
                                                             : grew         ? XYLEM_IMPORT_GREW
                                                                            : XYLEM_IMPORT_UNCHANGED,
                                                  .added_count = code == 0 ? applied.entry_count : 0};
    if (code == 0 && applied.session > 0 &&
        (code = xylem_session_read(&session, cli->txn, applied.session, &cli->err)) == 0) {
        snprintf(taking->report.session_id, sizeof taking->report.session_id, "%.*s", (int)session.id.bytes,
                 session.id.bytes > 0 ? session.id.data : "");
    }
    return code;
}

/*
 * Takes files of changes, or documents, each in a transaction of its own: an import that was killed can be run again.
 * The session of a document was reported with its session file.
 */
static int import_changes(struct importing *importing, const struct xylem_cli__files *files, bool is_document)
{
    bool differ = false;
    int code = 0;
    for (size_t i = 0; code == 0 && i < files->count; i++) {
        struct taking taking = {.path = files->paths[i]};
        const struct xylem_import_progress progress = {.path = taking.path, .file_index = i};
        if (progressed(importing, &progress) != 0) {
            return xylem_cli__fail(importing->cli, XYLEM_E_STOPPED, "interrupted");
        }
        code = xylem_cli__change(importing->cli, take_changes, &taking);
        clear_progress(importing);
        differ |= code == XYLEM_E_CONFLICT;
        if (code < 0) {
            code = take_failure(importing, taking.path, &taking.report, code);
        } else if (!is_document) {
            code = take_report(importing, taking.path, &taking.report);
        }
    }
    if (differ) {
        xylem_cli__note(importing->cli,
                        "sessions that differ stay as this store has them: the same command with `-s NEW` takes those "
                        "of the export into a new store");
    }
    return code;
}

static void add_document_end(struct importing *importing)
{
    struct xylem_cli__text *text = &importing->text;
    xylem_cli__json_end(text, ']');
    xylem_cli__member_count(text, "file_count", importing->file_count);
    for (size_t i = 0; i < OUTCOME_COUNT; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_count", xylem_import_outcome_word((enum xylem_import_outcome)i));
        xylem_cli__member_count(text, key, importing->outcomes[i]);
    }
    xylem_cli__member_count(text, "left_count", importing->left_count);
    xylem_cli__member_count(text, "added", importing->added);
    xylem_cli__member_count(text, "shared", importing->shared);
    xylem_cli__member_count(text, "shared_bytes", importing->shared_bytes);
    xylem_cli__member_count(text, "matched", importing->matched);
    xylem_cli__member_count(text, "quarantined_lines", importing->quarantined);
    xylem_cli__member_count(text, "problem_count", importing->problems);
    xylem_cli__json_end(text, '}');
}

/* `30 files: 28 new, 2 unchanged; 1,234 entries added, 56 shared (7.8 KiB saved), 3 lines put into quarantine, ...` */
static void add_totals(struct importing *importing)
{
    struct xylem_cli__text *text = &importing->text;
    const char *separator = ": ";
    xylem_cli__add_counted(text, importing->file_count, "file", "files");
    for (size_t i = 0; i < OUTCOME_COUNT; i++) {
        if (importing->outcomes[i] > 0) {
            xylem_cli__add(text, separator);
            xylem_cli__add_count(text, importing->outcomes[i]);
            xylem_cli__addf(text, " %s", xylem_import_outcome_word((enum xylem_import_outcome)i));
            separator = ", ";
        }
    }
    if (importing->left_count > 0) {
        xylem_cli__add(text, separator);
        xylem_cli__add_count(text, importing->left_count);
        xylem_cli__add(text, " left to the owner");
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

static int import_given(struct importing *importing, char **paths)
{
    struct xylem_cli *cli = importing->cli;
    struct xylem_cli__text *text = &importing->text;
    struct xylem_cli__files files = {0};
    struct xylem_cli__export_dir export = {.changes = {.count = 0}};
    struct xylem_cli__redacting redacting = {.finished = false};
    int code = 0;
    for (size_t i = 0; paths[i] && code == 0; i++) {
        code = xylem_cli__is_export(paths[i]) ? xylem_cli__export_dir_read(cli, &export, &files, paths[i])
                                              : xylem_cli__files_add(cli, &files, paths[i]);
    }
    size_t count = files.count + export.changes.count;
    code = code == 0 ? xylem_cli__files_order(cli, &files) : code;
    code = code == 0 && count > 0 ? xylem_cli__open_or_make(cli) : code; /* no file needs no store */
    if (code != 0) {
        xylem_cli__files_release(&files);
        xylem_cli__export_dir_release(&export);
        return code;
    }
    importing->file_count = count;
    importing->worst = files.worst;
    importing->problems = files.problem_count;
    xylem_cli__signals_defer();
    if (importing->given->json) {
        xylem_cli__json_document(text);
        xylem_cli__member_begin(text, "files", '[');
    }
    if (count > 0 && (code = import_changes(importing, &export.changes, false)) == 0 &&
        (code = files.count > 0 ? import_files(importing, &files) : 0) == 0 &&
        (code = import_changes(importing, &export.documents, true)) == 0) {
        xylem_cli__keep_outlines(cli);
        code = export.changes.count > 0 ? xylem_cli__redact_finish_noted(cli, &redacting) : 0;
    }
    if (importing->given->json) {
        add_document_end(importing);
    } else if (count > 0) {
        add_totals(importing);
    }
    if (redacting.finished && !importing->given->json) {
        xylem_cli__redact_add_file(text, &redacting);
    }
    xylem_cli__files_release(&files);
    xylem_cli__export_dir_release(&export);
    int printed = xylem_cli__put_output(cli, text, importing->given->json); /* after a failure too */
    return code != 0 ? code : printed;
}

/* --- Following ---------------------------------------------------------------------------------------------------- */

/* Adds the files whose sessions have no owner any more. */
static int collect_left(struct importing *importing, struct xylem_cli__files *files)
{
    int code = 0;
    for (size_t i = importing->waiting; importing->cli->store && code == 0 && i > 0; i--) {
        struct left *left = &importing->left[i - 1];
        if (!xylem_cli__is_owned(importing->cli, xylem_view_of(left->session))) {
            code = xylem_cli__files_add_path(importing->cli, files, left->path);
            *left = importing->left[--importing->waiting];
        }
    }
    return code;
}

/*
 * Closes the store for a process that needs the store alone; or because a file of the store was removed or replaced:
 * nobody could open the store until then. 1 if the store is closed, 0, or an error.
 */
static int give_way(struct importing *importing)
{
    struct xylem_cli *cli = importing->cli;
    int wanted = cli->store ? xylem_store_wanted(cli->store, &cli->err) : 1;
    if (wanted != 1 && wanted != XYLEM_E_BUSY) {
        return wanted;
    }
    xylem_cli__close_store(cli);
    return 1;
}

/* Imports the files. BUSY: the store is closed. */
static int import_batch(struct importing *importing, struct xylem_cli__files *files)
{
    struct xylem_cli *cli = importing->cli;
    int code = cli->store ? 0 : xylem_cli__open_or_make(cli);
    int away = code == 0 ? give_way(importing) : code;
    if (away != 0) {
        return away < 0 ? away : XYLEM_E_BUSY;
    }
    if ((code = xylem_cli__files_order(cli, files)) != 0) {
        return code;
    }
    importing->file_count = files->count;
    importing->code = 0;
    code = import_files(importing, files);
    if (code == 0 && !importing->caught_up) {
        importing->caught_up = true;
        add_totals(importing);
        code = xylem_cli__put(cli, &importing->text);
    }
    if (code == XYLEM_E_BUSY) {
        xylem_cli__close_store(cli);
    }
    return code != 0 ? code : xylem_cli__flush(cli);
}

/* Waits for changes, without a transaction. False if nobody reads standard output any more. */
static bool wait_for_changes(const struct xylem_cli__follow *follow, bool busy)
{
    struct pollfd fds[] = {{.fd = STDOUT_FILENO}, {.fd = busy ? -1 : follow->fd, .events = POLLIN}};
    int limit_ms = busy ? RETRY_MS : follow->fd < 0 ? XYLEM_CLI__FOLLOW_MS : WANTED_MS;
    int ready = poll(fds, 2, limit_ms);
    if (ready > 0 && fds[1].revents != 0) {
        poll(NULL, 0, LINGER_MS);
    }
    return ready <= 0 || (fds[0].revents & (POLLERR | POLLHUP)) == 0;
}

/* A store that was closed may be another store when it opens again: then all files are imported again. */
static int follow_files(struct importing *importing, struct xylem_cli__follow *follow)
{
    struct xylem_cli__files files = {0};
    int code = 0;
    bool readers = true;
    bool grew = false;
    xylem_cli__signals_defer();
    while (code == 0 && readers && !xylem_cli__interrupted()) {
        follow->all = follow->all || (importing->caught_up && !importing->cli->store);
        code = xylem_cli__follow_collect(importing->cli, follow, &files);
        code = code == 0 ? collect_left(importing, &files) : code;
        if (code == 0 && files.count > 0) {
            code = import_batch(importing, &files);
            grew = true;
        } else if (code == 0 && importing->cli->store) {
            int away = give_way(importing);
            code = away < 0 ? away : 0;
            if (away == 0 && grew) { /* not with every line: nothing new came for a while */
                xylem_cli__keep_outlines(importing->cli);
                grew = false;
            }
        }
        bool busy = code == XYLEM_E_BUSY || (importing->caught_up && !importing->cli->store);
        follow->all = follow->all || busy;
        code = code == XYLEM_E_BUSY ? 0 : code;
        xylem_cli__files_release(&files);
        readers = code != 0 || wait_for_changes(follow, busy);
    }
    bool stopped = code == XYLEM_E_STOPPED && xylem_cli__interrupted();
    return (code != 0 && !stopped) || !readers ? code : XYLEM_CLI__INTERRUPTED;
}

static int import_following(struct importing *importing, char **paths)
{
    struct xylem_cli__follow follow;
    for (size_t i = 0; paths[i]; i++) {
        if (xylem_cli__is_export(paths[i])) {
            return xylem_cli__usage(importing->cli,
                                    "%s is the export of a whole store, which does not grow: --follow needs session "
                                    "files",
                                    paths[i]);
        }
        if (access(paths[i], F_OK) != 0) {
            xylem_cli__note(importing->cli, "%s: not there yet; --follow waits for it", paths[i]);
        }
    }
    int code = xylem_cli__follow_start(importing->cli, &follow, paths);
    code = code == 0 ? follow_files(importing, &follow) : code;
    xylem_cli__follow_release(&follow);
    for (size_t i = 0; i < importing->waiting; i++) {
        free(importing->left[i].path);
    }
    free(importing->left);
    return code;
}

/* Leaves out directories of pi that are missing, unless they may come later. Says which are taken. */
static int take_directories(struct importing *importing, char **directories)
{
    size_t kept = 0;
    for (size_t i = 0; i < XYLEM_CLI__PI_DIRECTORIES_MAX && directories[i]; i++) {
        char *directory = directories[i];
        directories[i] = NULL;
        if (importing->given->follow || access(directory, F_OK) == 0) {
            directories[kept++] = directory;
            xylem_cli__note(importing->cli, "no FILE is given: pi's sessions in %s", directory);
        } else {
            xylem_cli__fail(importing->cli, XYLEM_E_NOT_FOUND,
                            "no FILE is given, and pi has no sessions: there is no %s (FILE may be another directory)",
                            directory);
            free(directory);
        }
    }
    return kept > 0 ? 0 : XYLEM_E_NOT_FOUND;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct import_options *given = options;
    struct importing importing = {.cli = cli, .given = given, .progress = !given->quiet && isatty(STDERR_FILENO) == 1};
    char *directories[XYLEM_CLI__PI_DIRECTORIES_MAX + 1] = {NULL};
    char **paths = arguments[0] ? arguments : directories;
    int code = 0;
    if (given->json && given->follow) {
        return xylem_cli__usage(cli, "--json prints one document when all is done, and --follow is never done");
    }
    if (!arguments[0] && (code = xylem_cli__pi_directories(cli, directories)) == 0) {
        code = take_directories(&importing, directories);
    }
    if (code == 0) {
        code = given->follow ? import_following(&importing, paths) : import_given(&importing, paths);
    }
    for (size_t i = 0; i < XYLEM_CLI__PI_DIRECTORIES_MAX; i++) {
        free(directories[i]);
    }
    xylem_cli__text_release(&importing.text);
    return code != 0 ? code : importing.worst;
}

const struct xylem_cli__command xylem_cli__cmd_import = {
    .name = "import",
    .group = XYLEM_CLI__FIND,
    .often = true,
    .summary = "Import session files of pi, or the lines added since the last import",
    .usage = "[FILE|DIR...] [--follow] [--no-share] [--whole] [--json] [--quiet]",
    .details =
        "Imports files, and all files below a directory that end in .jsonl; without arguments, the sessions of\n"
        "pi. A directory that `xylem export --all` wrote is imported whole. Problems go to standard error with\n"
        "file, line and byte offset; lines that cannot be placed go to quarantine. A session with a lease is left\n"
        "to its owner. Exits with 1 if a line is a problem, with 2 if a file is not a session file.\n",
    .options = import_table,
    .options_bytes = sizeof(struct import_options),
    .arguments_max = SIZE_MAX,
    .arguments = {XYLEM_CLI__FILE},
    .run = run,
};
