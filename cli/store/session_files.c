/* Looks whether the session files of a session exist. */
#include "cli/store/store.h"
#include "xylem/files.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* False if there is certainly no such file. A path that cannot be looked up counts as there. */
static bool is_there(struct xylem_view path)
{
    char copy[PATH_MAX];
    struct stat status;
    if (path.bytes >= sizeof copy || memchr(path.data, '\0', path.bytes)) {
        return true;
    }
    memcpy(copy, path.data, path.bytes);
    copy[path.bytes] = '\0';
    return stat(copy, &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

int xylem_cli__file_gone(struct xylem_cli *cli, const struct xylem_session *session)
{
    struct xylem_session_files *files = NULL;
    struct xylem_session_file file;
    bool known = false;
    int code = xylem_session_files_new(&files, cli->txn, session->number, &cli->err);
    while (code == 0 && (code = xylem_session_files_next(&file, files, &cli->err)) == 1 && !is_there(file.path)) {
        known = true;
        code = 0;
    }
    xylem_session_files_free(files);
    return code < 0 ? code : code == 0 && known;
}
