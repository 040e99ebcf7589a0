/* What else holds a redacted text: files and repositories that entries of the sessions name. */
#include "cli/redact.h"
#include "xylem/branch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX (64u << 20)

/* --- Names in entries --------------------------------------------------------------------------------------------- */

/* Adds a named path once, and counts how often entries name the path. Relative paths name nothing certain. */
static int add_holder(struct xylem_cli *cli, struct xylem_cli__holders *holders, struct xylem_view path, bool is_repo)
{
    if (path.bytes == 0 || path.data[0] != '/' || memchr(path.data, '\0', path.bytes)) {
        return 0;
    }
    for (size_t i = 0; i < holders->count; i++) {
        struct xylem_cli__holder *known = &holders->list[i];
        if (known->is_repo == is_repo && xylem_base__view_is(path, known->path)) {
            known->named_count++;
            return 0;
        }
    }
    struct xylem_cli__holder holder = {.path = strndup(path.data, path.bytes), .is_repo = is_repo, .named_count = 1};
    int code = holder.path ? xylem_cli__list_add(cli, &holders->list, &holders->count, &holders->capacity, &holder,
                                                 sizeof holder)
                           : xylem_cli__fail_memory(cli);
    if (code < 0) {
        free(holder.path);
    }
    return code;
}

int xylem_cli__holders_add(struct xylem_cli *cli, struct xylem_cli__holders *holders, uint64_t session)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = xylem_scan_new(&scan, cli->txn, session, &cli->err);
    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        bool is_checkpoint = xylem_base__view_is(entry.kind.name, "git-checkpoint");
        struct xylem_document *document = NULL;
        struct xylem_view payload;
        code = xylem_entry_payload(&payload, &entry, &cli->err);
        if (code == 0 && (is_checkpoint || xylem_cli__contains(payload, xylem_view_of("fullOutputPath")))) {
            code = xylem_document_new(&document, &entry, &cli->err);
        }
        const struct xylem_value *value = document ? xylem_document_value(document) : NULL;
        const struct xylem_value *details = xylem_value_get(xylem_value_get(value, "message"), "details");
        if (is_checkpoint && xylem_value_string(xylem_value_get(value, "commit")).bytes > 0) {
            code = add_holder(cli, holders, xylem_value_string(xylem_value_get(value, "repo")), true);
        } else if (details) {
            code = add_holder(cli, holders, xylem_value_string(xylem_value_get(details, "fullOutputPath")), false);
        }
        xylem_document_free(document);
        /* An entry that cannot be decoded, or was redacted, names nothing. */
        code = code == XYLEM_E_MEMORY || code == XYLEM_E_IO ? code : 0;
    }
    xylem_scan_free(scan);
    return code;
}

static int add_session(struct xylem_cli *cli, void *holders, const struct xylem_session *session)
{
    bool has_entries = session->state == XYLEM_SESSION_LIVE || session->state == XYLEM_SESSION_DELETED;
    return has_entries ? xylem_cli__holders_add(cli, holders, session->number) : 0;
}

int xylem_cli__holders_add_all(struct xylem_cli *cli, struct xylem_cli__holders *holders)
{
    return xylem_cli__each_session_of_store(cli, add_session, holders);
}

void xylem_cli__holders_clear(struct xylem_cli__holders *holders)
{
    for (size_t i = 0; i < holders->count; i++) {
        free(holders->list[i].path);
    }
    free(holders->list);
    *holders = (struct xylem_cli__holders){0};
}

/* --- Files -------------------------------------------------------------------------------------------------------- */

/* Searches a regular file. A link or a FIFO is none of a host: their contents are not read. */
static enum xylem_cli__holding look_at_file(struct xylem_cli *cli, struct xylem_cli__holder *holder,
                                            const struct xylem_patterns *patterns)
{
    enum xylem_cli__holding holding = XYLEM_CLI__UNREAD;
    struct xylem_cli__text text = {0};
    struct xylem_error err;
    int fd = open(holder->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENXIO ? XYLEM_CLI__HOLDS_NOT
                                                                                       : XYLEM_CLI__UNREAD;
    }
    if (fstat(fd, &holder->seen) == 0 && !S_ISREG(holder->seen.st_mode)) {
        holding = XYLEM_CLI__HOLDS_NOT;
    } else if (!patterns) {
        holding = XYLEM_CLI__MAY_HOLD;
    } else if (holder->seen.st_size <= (off_t)FILE_BYTES_MAX &&
               xylem_cli__read_all(cli, &text, fd, FILE_BYTES_MAX, false, holder->path) == 0) {
        int found = xylem_patterns_match(patterns, xylem_cli__text_view(&text), &err);
        holding = found < 0 ? XYLEM_CLI__UNREAD : found == 1 ? XYLEM_CLI__HOLDS : XYLEM_CLI__HOLDS_NOT;
    }
    close(fd);
    xylem_cli__text_release(&text);
    return holding;
}

/* Removes the searched file, and never a later file of the same name. */
static int remove_file(struct xylem_cli *cli, struct xylem_cli__holder *holder)
{
    struct stat now;
    bool is_same = lstat(holder->path, &now) == 0 && S_ISREG(now.st_mode) && now.st_dev == holder->seen.st_dev &&
                   now.st_ino == holder->seen.st_ino;
    if (is_same && unlink(holder->path) == 0) {
        holder->removed = true;
        return 0;
    }
    return xylem_cli__fail(cli, XYLEM_E_IO, "%s holds the text and cannot be removed: %s", holder->path,
                           is_same ? strerror(errno) : "another file has the name by now");
}

int xylem_cli__holders_settle(struct xylem_cli *cli, struct xylem_cli__redacting *redacting)
{
    struct xylem_cli__holders *holders = &redacting->holders;
    struct xylem_cli__text question = {0};
    size_t count = 0;
    for (size_t i = 0; i < holders->count; i++) {
        struct xylem_cli__holder *holder = &holders->list[i];
        holder->holding = holder->is_repo ? XYLEM_CLI__MAY_HOLD : look_at_file(cli, holder, redacting->patterns);
        count += holder->holding == XYLEM_CLI__HOLDS;
    }
    /* The writer of the entries chose the names: --yes answers no question about a file. */
    if (count == 0 || redacting->given->dry_run || redacting->given->yes) {
        return 0;
    }
    for (size_t i = 0; i < holders->count; i++) {
        if (holders->list[i].holding == XYLEM_CLI__HOLDS) {
            xylem_cli__add_path(cli, &question, "  ", xylem_view_of(holders->list[i].path), SIZE_MAX);
            xylem_cli__add(&question, "\n");
        }
    }
    xylem_cli__add(&question, "Remove ");
    xylem_cli__add_counted(&question, count, "file that holds", "files that hold");
    xylem_cli__add(&question, " the pattern?");
    int code = xylem_cli__confirm(cli, &question, "no file was removed");
    if (code != 0) {
        return code == XYLEM_CLI__PROBLEM ? 0 : code;
    }
    for (size_t i = 0; i < holders->count; i++) {
        if (holders->list[i].holding == XYLEM_CLI__HOLDS) {
            int removed = remove_file(cli, &holders->list[i]);
            code = code != 0 ? code : removed;
        }
    }
    return code;
}

/* --- The report --------------------------------------------------------------------------------------------------- */

static const char *const holding_words[] = {"holds-not", "may-hold", "holds", "not-searched"};

void xylem_cli__holders_add_json(struct xylem_cli__text *text, const struct xylem_cli__holders *holders)
{
    xylem_cli__member_begin(text, "holders", '[');
    for (size_t i = 0; i < holders->count; i++) {
        const struct xylem_cli__holder *holder = &holders->list[i];
        if (holder->holding != XYLEM_CLI__HOLDS_NOT) {
            xylem_cli__json_begin(text, '{');
            xylem_cli__member_string(text, "path", xylem_view_of(holder->path));
            xylem_cli__member_string(text, "type", xylem_view_of(holder->is_repo ? "repository" : "file"));
            xylem_cli__member_string(text, "holds", xylem_view_of(holding_words[holder->holding]));
            xylem_cli__member_count(text, "entry_count", holder->named_count);
            xylem_cli__member_bool(text, "removed", holder->removed);
            xylem_cli__json_end(text, '}');
        }
    }
    xylem_cli__json_end(text, ']');
}

void xylem_cli__holders_add_human(const struct xylem_cli *cli, struct xylem_cli__text *text,
                                  const struct xylem_cli__holders *holders)
{
    static const char *const beginnings[] = {"", "may hold the text: ", "holds the text: ", "was not searched: "};
    for (size_t i = 0; i < holders->count; i++) {
        const struct xylem_cli__holder *holder = &holders->list[i];
        struct xylem_view path = xylem_view_of(holder->path);
        if (holder->is_repo) {
            xylem_cli__add_path(cli, text, "", path, SIZE_MAX);
            xylem_cli__add(text, ": ");
            xylem_cli__add_counted(text, holder->named_count, "checkpoint", "checkpoints");
            xylem_cli__add(text, " under refs/xylem/ may hold the text: see `git -C REPO for-each-ref refs/xylem/`, "
                                 "and /checkpoints prune in pi\n");
        } else if (holder->holding != XYLEM_CLI__HOLDS_NOT) {
            xylem_cli__add_path(cli, text, holder->removed ? "removed: " : beginnings[holder->holding], path, SIZE_MAX);
            xylem_cli__add(text, "\n");
        }
    }
}
