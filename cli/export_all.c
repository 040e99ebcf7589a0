/*
 * xylem export --all: writes each session of the store, for other programs and for `xylem import DIRECTORY`:
 *
 *     DIRECTORY/01a1f9f7-22cb-....jsonl    the session file, as `xylem export` writes it
 *     DIRECTORY/01a1f9f7-22cb-....lines    in its place, for a session of another host: the lines of its stream
 *     DIRECTORY/01a1f9f7-22cb-....changes  all that the store has of the session, as lines of JSON
 *     DIRECTORY/~freed-1.changes           entries of a freed session that forks need
 *     DIRECTORY/store.json                 written last: without this file the export is not whole
 *
 * One read transaction gives all of them. An id becomes the name of a file: bytes other than letters, digits, `-`, `_`
 * and `.` become %XX. Behind the beginning of a long id, and behind the id of a session in a namespace, stands a number:
 * the place of the session in the export, so that an import and another export give the same names.
 */
#include "cli/exporting.h"
#include "xylem/branch.h"
#include "xylem/inspect.h"
#include "xylem/line.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_BYTES_MAX 200u /* of a file, without its ending */

struct writing {
    const char *directory;
    struct xylem_cli__text path;
    struct xylem_cli__text text;
    struct xylem_cli__text files; /* of changes, in the order of an import */
    uint64_t session_count;
    uint64_t freed_count;
    uint64_t line_count; /* in quarantine */
    uint64_t damaged_count;
    uint64_t short_count; /* sessions without changes */
};

/* --- Names -------------------------------------------------------------------------------------------------------- */

/* Sets the path of a session's file; the name of no file begins with a dot. */
static void set_path(struct writing *writing, const struct xylem_session *session, const char *ending)
{
    struct xylem_cli__text *path = &writing->path;
    xylem_cli__text_clear(path);
    xylem_cli__addf(path, "%s/", writing->directory);
    size_t begin = path->bytes.bytes;
    for (size_t i = 0; i < session->id.bytes; i++) {
        unsigned char byte = (unsigned char)session->id.data[i];
        bool plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                     byte == '-' || byte == '_' || (byte == '.' && i > 0);
        xylem_cli__addf(path, plain ? "%c" : "%%%02X", byte);
    }
    bool is_long = path->bytes.bytes - begin > NAME_BYTES_MAX;
    if (is_long || session->name_space.bytes > 0) {
        xylem_cli__text_cut(path, is_long ? begin + NAME_BYTES_MAX : path->bytes.bytes);
        xylem_cli__addf(path, "~%llu", (unsigned long long)writing->session_count + 1);
    } else if (session->state == XYLEM_SESSION_FREED) {
        xylem_cli__addf(path, "~freed-%llu", (unsigned long long)writing->freed_count);
    }
    xylem_cli__add(path, ending);
}

/* Writes a text, or (NULL) the session: as a session file, or without options its changes. */
static int write_named(struct xylem_cli *cli, struct writing *writing, const struct xylem_session *session,
                       const char *ending, const struct xylem_cli__text *text,
                       const struct xylem_export_options *options)
{
    set_path(writing, session, ending);
    const char *path = writing->path.bytes.data;
    return writing->path.failed ? xylem_cli__fail_memory(cli)
           : text               ? xylem_cli__text_to_file(cli, text, path)
                                : xylem_cli__export_to_file(cli, session->number, options, path);
}

int xylem_cli__make_directory(struct xylem_cli *cli, const char *path)
{
    if (mkdir(path, 0700) == 0) {
        return 0;
    }
    DIR *directory = errno == EEXIST ? opendir(path) : NULL;
    if (!directory) {
        return xylem_cli__fail(cli, errno == ENOENT ? XYLEM_E_NOT_FOUND : XYLEM_E_IO,
                               "cannot make the directory %s: %s", path, strerror(errno));
    }
    size_t count = 0;
    while (readdir(directory)) {
        count++;
    }
    closedir(directory);
    return count <= 2 ? 0 /* `.` and `..` */
                      : xylem_cli__fail(cli, XYLEM_E_CONFLICT,
                                        "%s is not empty: an export needs a directory of its own", path);
}

/* --- Sessions of other hosts -------------------------------------------------------------------------------------- */

/* The lines of a session, and the counts of missing entries. */
struct lines {
    struct xylem_cli__text text;
    uint64_t count; /* with the redacted lines; 0: a session file holds the session */
    uint64_t redacted_count;
    uint64_t other_count; /* entries that are no lines of a host */
};

static int read_lines(struct xylem_cli *cli, struct lines *lines, uint64_t session)
{
    struct xylem_stream *stream = NULL;
    struct xylem_stream_line line;
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code;
    if ((code = xylem_stream_new(&stream, cli->txn, session, &cli->err)) < 0 ||
        (code = xylem_scan_new(&scan, cli->txn, session, &cli->err)) < 0) {
        xylem_stream_free(stream);
        return code;
    }
    while ((code = xylem_stream_next(&line, stream, &cli->err)) > 0) {
        lines->count++;
        lines->redacted_count += line.redacted;
        if (!line.redacted) {
            xylem_cli__add_bytes(&lines->text, line.bytes.data, line.bytes.bytes);
            xylem_cli__add(&lines->text, "\n");
        }
    }
    while (code == 0 && lines->count > 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) > 0) {
        lines->other_count += entry.format != XYLEM_FORMAT_LINE;
        code = 0;
    }
    xylem_scan_free(scan);
    xylem_stream_free(stream);
    return code;
}

static int write_lines(struct xylem_cli *cli, struct writing *writing, const struct xylem_session *session,
                       const struct lines *lines)
{
    int code = write_named(cli, writing, session, ".lines", &lines->text, NULL);
    if (code == 0 && lines->redacted_count > 0) {
        xylem_cli__note(cli, "%s: %llu left out: redacted", writing->path.bytes.data,
                        (unsigned long long)lines->redacted_count);
    }
    if (code == 0 && lines->other_count > 0) {
        xylem_cli__note(cli, "%s: %llu left out: entries that are no lines of the host; its changes have them",
                        writing->path.bytes.data, (unsigned long long)lines->other_count);
    }
    return code;
}

/* Writes the session as its host wrote it: lines, or a session file of pi. */
static int write_file(struct xylem_cli *cli, struct writing *writing, const struct xylem_session *session)
{
    const struct xylem_export_options options = {.with_quarantine = false};
    struct lines lines = {.count = 0};
    int code = read_lines(cli, &lines, session->number);
    if (code == 0 && lines.count > 0) {
        code = write_lines(cli, writing, session, &lines);
    } else if (code == 0) {
        code = write_named(cli, writing, session, ".jsonl", NULL, &options);
    }
    xylem_cli__text_release(&lines.text);
    return code;
}

/* --- All sessions ------------------------------------------------------------------------------------------------- */

/* `session ID WHAT: the error` */
static void note_session(struct xylem_cli *cli, const struct xylem_session *session, const char *what)
{
    struct xylem_cli__text text = {0};
    xylem_cli__add(&text, "session ");
    xylem_cli__add_shown(cli, &text, session->id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__addf(&text, " %s: %s", what, cli->err.text);
    xylem_cli__note(cli, "%s", text.failed ? cli->err.text : text.bytes.data);
    xylem_cli__text_release(&text);
}

static int count_lines(struct xylem_cli *cli, struct writing *writing, uint64_t session)
{
    struct xylem_quarantine *quarantine = NULL;
    struct xylem_quarantined row;
    int code = xylem_quarantine_new(&quarantine, cli->txn, session, &cli->err);
    while (code == 0 && (code = xylem_quarantine_next(&row, quarantine, &cli->err)) == 1) {
        writing->line_count++;
        code = 0;
    }
    xylem_quarantine_free(quarantine);
    return code;
}

/* Damage in one session keeps no other session back. */
static int write_one(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct writing *writing = context;
    bool is_freed = session->state == XYLEM_SESSION_FREED;
    if (session->state == XYLEM_SESSION_IMPORTING) {
        xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "its import has not finished; import its file again");
        note_session(cli, session, "is left out");
        return 0;
    }
    writing->freed_count += is_freed;
    int code = is_freed ? 0 : write_file(cli, writing, session);
    if (code == XYLEM_E_MALFORMED) {
        note_session(cli, session, "comes with its changes alone");
        code = 0;
    }
    code = code == 0 ? write_named(cli, writing, session, ".changes", NULL, NULL) : code;
    if (code == 0) {
        const char *name = writing->path.bytes.data + strlen(writing->directory) + 1;
        xylem_cli__json_string(&writing->files, xylem_view_of(name));
        writing->session_count += !is_freed;
        return is_freed ? 0 : count_lines(cli, writing, session->number);
    }
    if (code != XYLEM_E_CORRUPT && code != XYLEM_E_NOT_FOUND && code != XYLEM_E_LIMIT) {
        return code;
    }
    note_session(cli, session, code == XYLEM_E_CORRUPT ? "is not written" : "is not written whole");
    writing->damaged_count += code == XYLEM_E_CORRUPT;
    writing->short_count += code != XYLEM_E_CORRUPT;
    return 0;
}

static int write_store(struct xylem_cli *cli, struct writing *writing)
{
    struct xylem_cli__text *text = &writing->text;
    struct xylem_stat stat = {0};
    int code = xylem_stat_read(&stat, cli->txn, &cli->err);
    xylem_cli__text_clear(text);
    xylem_cli__json_document(text);
    xylem_cli__member_count(text, "format_version", stat.format_version);
    xylem_cli__member_count(text, "session_count", writing->session_count);
    xylem_cli__member_count(text, "line_count", writing->line_count);
    xylem_cli__member_count(text, "damaged_count", writing->damaged_count);
    xylem_cli__member_list(text, "files", &writing->files);
    xylem_cli__json_end(text, '}');
    xylem_cli__add(text, "\n");
    xylem_cli__text_clear(&writing->path);
    xylem_cli__addf(&writing->path, "%s/store.json", writing->directory);
    return code != 0              ? code
           : writing->path.failed ? xylem_cli__fail_memory(cli)
                                  : xylem_cli__text_to_file(cli, text, writing->path.bytes.data);
}

int xylem_cli__export_all(struct xylem_cli *cli, const char *directory)
{
    struct writing writing = {.directory = directory};
    int code;
    if ((code = xylem_cli__make_directory(cli, directory)) == 0 &&
        (code = xylem_cli__each_session_of_store(cli, write_one, &writing)) == 0 &&
        (code = write_store(cli, &writing)) == 0) {
        struct xylem_cli__text *text = &writing.text;
        xylem_cli__text_clear(text);
        xylem_cli__add_counted(text, writing.session_count, "session", "sessions");
        xylem_cli__add_next_counted(text, writing.line_count, "line in quarantine", "lines in quarantine");
        xylem_cli__add(text, ": ");
        xylem_cli__add_shown(cli, text, xylem_view_of(directory), XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(text, "\n");
        code = xylem_cli__put(cli, text);
        cli->file_damaged = writing.damaged_count == 0; /* the store is not */
        code = code == 0 && writing.damaged_count + writing.short_count > 0 ? XYLEM_CLI__CORRUPT : code;
    }
    xylem_cli__text_release(&writing.path);
    xylem_cli__text_release(&writing.text);
    xylem_cli__text_release(&writing.files);
    return code;
}
