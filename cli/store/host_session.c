/* Changes a session in the way of a host, and refuses changes of a session that a host keeps in a file of its own. */
#include "cli/store/store.h"
#include "xylem/append.h"
#include "xylem/files.h"

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
                               "the program that keeps the session would never see the change: %s (--only-in-store "
                               "changes the store alone; the session's file is %.*s)",
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
