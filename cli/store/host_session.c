/* Changes a session in the way of a host, and refuses changes of a session that a host keeps in a file of its own. */
#include "cli/store/store.h"
#include "xylem/append.h"
#include "xylem/files.h"

#include <stdio.h>
#include <unistd.h>

int xylem_cli__check_host(struct xylem_cli *cli, const struct xylem_session *session, bool only_in_store,
                          const char *how)
{
    struct xylem_session_files *files = NULL;
    struct xylem_session_file file;
    int code = only_in_store ? 1 : xylem_cli__file_gone(cli, session);
    if (code != 0) {
        return code < 0 ? code : 0;
    }
    if ((code = xylem_session_files_new(&files, cli->txn, session->number, &cli->err)) == 0 &&
        (code = xylem_session_files_next(&file, files, &cli->err)) == 1) {
        code = xylem_cli__fail(cli, XYLEM_E_CONFLICT,
                               "a file keeps the session, and would lack the change: %s (--only-in-store changes the "
                               "store alone; the file is %.*s)",
                               how, (int)file.path.bytes, file.path.data);
    }
    xylem_session_files_free(files);
    return code;
}

int xylem_cli__append_host(struct xylem_cli *cli, const struct xylem_session *session, const char *kind,
                           const struct xylem_cli__text *payload)
{
    const struct xylem_append_options options = {.parent = XYLEM_PARENT_LEAF};
    const struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_HOST, xylem_view_of(kind)},
                                          .format = XYLEM_FORMAT_JSON,
                                          .payload = xylem_cli__text_view(payload)};
    struct xylem_position at;
    if (payload->failed) {
        return xylem_cli__fail_memory(cli);
    }
    return xylem_append(&at, cli->txn, session->number, &entry, 1, &options, &cli->err);
}

int xylem_cli__host_file(struct xylem_cli *cli, struct xylem_cli__text *path, bool *there,
                         const struct xylem_session *session)
{
    struct xylem_session_files *files = NULL;
    struct xylem_session_file file;
    struct xylem_cli__text one = {0};
    int best = 0;
    *there = false;
    int code = xylem_session_files_new(&files, cli->txn, session->number, &cli->err);
    while (code == 0 && (code = xylem_session_files_next(&file, files, &cli->err)) == 1) {
        xylem_cli__text_clear(&one);
        xylem_cli__add_bytes(&one, file.path.data, file.path.bytes);
        bool exists = !one.failed && access(one.bytes.data, F_OK) == 0;
        bool is_named = xylem_base__view_equal(xylem_cli__id_in_path(file.path), session->id);
        int worth = 1 + (exists ? 2 : 0) + (is_named ? 1 : 0); /* another name is that of a copy or an export */
        if (worth > best) {
            xylem_cli__text_clear(path);
            xylem_cli__add_bytes(path, file.path.data, file.path.bytes);
            *there = exists;
            best = worth;
        }
        code = 0;
    }
    xylem_session_files_free(files);
    xylem_cli__text_release(&one);
    return code < 0 ? code : path->failed ? xylem_cli__fail_memory(cli) : path->bytes.bytes > 0;
}

void xylem_cli__add_way_back(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *directory,
                             const char *path)
{
    if (*directory != '\0') {
        xylem_cli__add(text, "cd ");
        xylem_cli__add_shell_path(cli, text, directory);
        xylem_cli__add(text, " && ");
    }
    xylem_cli__add(text, "pi --session ");
    xylem_cli__add_shell_path(cli, text, path);
}

int xylem_cli__note_way_back(struct xylem_cli *cli, const struct xylem_session *session)
{
    struct xylem_cli__text path = {0};
    struct xylem_cli__text directory = {0};
    struct xylem_cli__text line = {0};
    bool there = false;
    if (isatty(STDERR_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) {
        return 0;
    }
    int code = xylem_cli__host_file(cli, &path, &there, session);
    xylem_cli__add_bytes(&directory, session->cwd.data, session->cwd.bytes);
    xylem_cli__color_on(cli, &line, XYLEM_CLI__DIM);
    bool can_go = session->cwd.bytes == 0 || (directory.bytes.data && access(directory.bytes.data, X_OK) == 0);
    bool hidden = xylem_cli__is_left_out(cli, xylem_cli__text_view(&directory)) ||
                  xylem_cli__is_left_out(cli, xylem_cli__text_view(&path));
    if (code == 1 && there && can_go && !hidden) {
        xylem_cli__add_way_back(cli, &line, directory.bytes.data ? directory.bytes.data : "", path.bytes.data);
        xylem_cli__color_off(cli, &line, XYLEM_CLI__DIM);
        xylem_cli__add(&line, "\n");
        fflush(stdout);
        fwrite(line.bytes.data, 1, line.bytes.bytes, stderr);
    }
    xylem_cli__text_release(&path);
    xylem_cli__text_release(&directory);
    xylem_cli__text_release(&line);
    return code < 0 ? code : 0;
}
