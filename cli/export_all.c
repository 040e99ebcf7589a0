/*
 * xylem export --all: writes each session of the store, so that a program of another format can read them:
 *
 *     DIRECTORY/01a1f9f7-22cb-....jsonl    the session file, as `xylem export` writes it
 *     DIRECTORY/01a1f9f7-22cb-....lines    in its place, for a session of another host: the lines of its stream
 *     DIRECTORY/01a1f9f7-22cb-....json     what the file cannot hold: the leaf, moves, quarantine, files, the state
 *     DIRECTORY/store.json                 written last: without this file the export is not whole
 *
 * One read transaction gives all of them. An id becomes the name of a file: bytes other than letters, digits, `-`, `_`
 * and `.` become %XX. The number of the session stands behind the beginning of a long id, behind the id `store`, and
 * behind the id of a session in a namespace.
 */
#include "cli/exporting.h"
#include "cli/show/show.h"
#include "cli/store/family.h"
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
    struct xylem_cli__family family;
    struct xylem_cli__text path;
    struct xylem_cli__text text;
    uint64_t session_count;
    uint64_t line_count; /* in quarantine */
    uint64_t damaged_count;
    uint64_t short_count; /* sessions that no file holds, or not all of them */
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
    if (is_long || session->name_space.bytes > 0 || xylem_base__view_is(session->id, "store")) {
        xylem_cli__text_cut(path, is_long ? begin + NAME_BYTES_MAX : path->bytes.bytes);
        xylem_cli__addf(path, "~%llu", (unsigned long long)session->number);
    }
    xylem_cli__add(path, ending);
}

/* Makes the directory, or takes an empty one. */
static int make_directory(struct xylem_cli *cli, const char *path)
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

/* --- What a session file cannot hold ------------------------------------------------------------------------------ */

static void member_base64(struct xylem_cli__text *text, const char *key, struct xylem_view bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *data = (const unsigned char *)bytes.data;
    xylem_cli__json_key(text, key);
    xylem_cli__add(text, "\"");
    for (size_t i = 0; i < bytes.bytes; i += 3) {
        size_t left = bytes.bytes - i;
        unsigned group =
            (unsigned)data[i] << 16 | (left > 1 ? (unsigned)data[i + 1] << 8 : 0) | (left > 2 ? data[i + 2] : 0);
        char four[] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                       left > 2 ? digits[group & 63] : '=', '\0'};
        xylem_cli__add(text, four);
    }
    xylem_cli__add(text, "\"");
}

static int add_moves(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_session *session)
{
    int code = 0;
    xylem_cli__member_begin(text, "moves", '[');
    for (uint64_t number = 1; code == 0 && number <= session->move_count; number++) {
        struct xylem_move move;
        struct xylem_view from;
        struct xylem_view to;
        if ((code = xylem_cli__move_read(cli, &move, session->number, number)) == 0 &&
            (code = xylem_cli__entry_id(cli, &from, move.from)) == 0 &&
            (code = xylem_cli__entry_id(cli, &to, move.to)) == 0) {
            xylem_cli__json_begin(text, '{');
            xylem_cli__member_count(text, "number", number);
            xylem_cli__member_time(text, "time", move.time_ms);
            xylem_cli__member_maybe(text, "from", from);
            xylem_cli__member_maybe(text, "to", to);
            xylem_cli__member_string(text, "reason", move.reason);
            xylem_cli__json_end(text, '}');
        }
    }
    xylem_cli__json_end(text, ']');
    return code;
}

static int add_labels(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_session *session)
{
    struct xylem_labels labels = {0};
    int code = xylem_cli__labels_read(cli, &labels, session->number);
    xylem_cli__member_maybe(text, "name", labels.name);
    xylem_cli__member_begin(text, "labels", '[');
    for (size_t i = 0; code == 0 && i < labels.label_count; i++) {
        xylem_cli__json_begin(text, '{');
        xylem_cli__member_string(text, "entry", labels.labels[i].target_id);
        xylem_cli__member_string(text, "label", labels.labels[i].text);
        xylem_cli__json_end(text, '}');
    }
    xylem_cli__json_end(text, ']');
    xylem_labels_release(&labels);
    return code;
}

static int add_files(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_session *session)
{
    struct xylem_session_files *files = NULL;
    struct xylem_session_file file;
    xylem_cli__member_begin(text, "files", '[');
    int code = xylem_session_files_new(&files, cli->txn, session->number, &cli->err);
    while (code == 0 && (code = xylem_session_files_next(&file, files, &cli->err)) == 1) {
        xylem_cli__json_begin(text, '{');
        xylem_cli__member_string(text, "path", file.path);
        xylem_cli__member_count(text, "bytes", file.bytes);
        xylem_cli__json_end(text, '}');
        code = 0;
    }
    xylem_session_files_free(files);
    xylem_cli__json_end(text, ']');
    return code;
}

static int add_quarantine(struct xylem_cli *cli, struct writing *writing, const struct xylem_session *session)
{
    struct xylem_cli__text *text = &writing->text;
    struct xylem_quarantine *quarantine = NULL;
    struct xylem_quarantined row;
    xylem_cli__member_begin(text, "lines", '[');
    int code = xylem_quarantine_new(&quarantine, cli->txn, session->number, &cli->err);
    while (code == 0 && (code = xylem_quarantine_next(&row, quarantine, &cli->err)) == 1) {
        xylem_cli__json_begin(text, '{');
        xylem_cli__member_count(text, "line", row.line);
        xylem_cli__member_count(text, "offset", row.offset);
        xylem_cli__member_hex(text, "hash", row.hash);
        xylem_cli__member_string(text, "type", xylem_view_of(xylem_import_problem_word(row.reason)));
        xylem_cli__member_string(text, "file", row.source);
        xylem_cli__member_count(text, "bytes", row.raw_bytes);
        if (row.raw.bytes == row.raw_bytes) {
            member_base64(text, "base64", row.raw);
        } else { /* too long to be kept, or redacted */
            xylem_cli__member_maybe(text, "base64", xylem_view_of(NULL));
        }
        xylem_cli__json_end(text, '}');
        writing->line_count++;
        code = 0;
    }
    xylem_quarantine_free(quarantine);
    xylem_cli__json_end(text, ']');
    return code;
}

static int add_session(struct xylem_cli *cli, struct writing *writing, const struct xylem_session *session)
{
    struct xylem_cli__text *text = &writing->text;
    struct xylem_view forked_at;
    struct xylem_view leaf;
    size_t kin = xylem_cli__family_find(&writing->family, session->number);
    int code = xylem_cli__entry_id(cli, &leaf, session->leaf);
    code = code == 0 ? xylem_cli__entry_id(cli, &forked_at, session->base) : code;
    int ledger = code == 0 ? xylem_cli__is_ledger(cli, session) : code;
    if (ledger < 0) {
        return ledger;
    }
    xylem_cli__json_document(text);
    xylem_cli__member_session(text, session->id, session->name_space);
    xylem_cli__member_string(text, "state", xylem_view_of(xylem_cli__state_word(session->state)));
    xylem_cli__member_bool(text, "is_ledger", ledger == 1);
    xylem_cli__member_time(text, "created", session->created_ms);
    xylem_cli__member_maybe(text, "cwd", session->cwd);
    xylem_cli__member_maybe(text, "parent_session", session->parent);
    xylem_cli__member_maybe(text, "source",
                            kin == XYLEM_CLI__NO_KIN
                                ? xylem_view_of(NULL)
                                : xylem_cli__family_source(&writing->family, &writing->family.kin[kin]));
    xylem_cli__member_maybe(text, "forked_at", forked_at);
    xylem_cli__member_maybe(text, "leaf", leaf);
    if ((code = add_labels(cli, text, session)) == 0 && (code = add_moves(cli, text, session)) == 0 &&
        (code = add_files(cli, text, session)) == 0) {
        code = add_quarantine(cli, writing, session);
    }
    xylem_cli__json_end(text, '}');
    xylem_cli__add(text, "\n");
    return code;
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
    set_path(writing, session, ".lines");
    int code = writing->path.failed ? xylem_cli__fail_memory(cli)
                                    : xylem_cli__text_to_file(cli, &lines->text, writing->path.bytes.data);
    if (code == 0 && lines->redacted_count > 0) {
        xylem_cli__note(cli, "%s: %llu left out: redacted", writing->path.bytes.data,
                        (unsigned long long)lines->redacted_count);
    }
    if (code == 0 && lines->other_count > 0) {
        xylem_cli__note(cli, "%s: %llu left out: entries that are no lines of the host", writing->path.bytes.data,
                        (unsigned long long)lines->other_count);
        writing->short_count++;
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
        set_path(writing, session, ".jsonl");
        code = writing->path.failed
                   ? xylem_cli__fail_memory(cli)
                   : xylem_cli__export_to_file(cli, session->number, &options, writing->path.bytes.data);
    }
    xylem_cli__text_release(&lines.text);
    return code;
}

/* --- All sessions ------------------------------------------------------------------------------------------------- */

/*
 * Damage in one session keeps no other session back. The file of an import that has not finished has no end yet: the
 * next import of the file begins anew.
 */
static int write_one(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct writing *writing = context;
    struct xylem_cli__text text = {0};
    int code = 0;
    if (session->state == XYLEM_SESSION_FREED) {
        return 0;
    }
    xylem_cli__text_clear(&writing->text);
    if (session->state != XYLEM_SESSION_IMPORTING) {
        code = write_file(cli, writing, session);
    }
    if (code == 0 && (code = add_session(cli, writing, session)) == 0) {
        set_path(writing, session, ".json");
        code = writing->path.failed ? xylem_cli__fail_memory(cli)
                                    : xylem_cli__text_to_file(cli, &writing->text, writing->path.bytes.data);
    }
    writing->session_count += code == 0 ? 1 : 0;
    if (code != XYLEM_E_CORRUPT && code != XYLEM_E_MALFORMED) {
        return code;
    }
    xylem_cli__add(&text, "session ");
    xylem_cli__add_shown(cli, &text, session->id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__addf(&text, " is not written: %s", cli->err.text);
    xylem_cli__note(cli, "%s", text.failed ? cli->err.text : text.bytes.data);
    xylem_cli__text_release(&text);
    writing->damaged_count += code == XYLEM_E_CORRUPT;
    writing->short_count += code == XYLEM_E_MALFORMED;
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
    if ((code = make_directory(cli, directory)) == 0 &&
        (code = xylem_cli__family_read(cli, &writing.family, NULL)) == 0 &&
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
    xylem_cli__family_release(&writing.family);
    xylem_cli__text_release(&writing.path);
    xylem_cli__text_release(&writing.text);
    return code;
}
