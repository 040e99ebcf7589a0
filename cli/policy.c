/* Reads a policy from a file. */
#include "cli/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char *xylem_cli__decision_word(enum xylem_decision decision)
{
    return decision == XYLEM_ALLOW ? "allow" : decision == XYLEM_ASK ? "ask" : "deny";
}

int xylem_cli__decision_exit(enum xylem_decision decision)
{
    return decision == XYLEM_ALLOW ? XYLEM_CLI__OK : decision == XYLEM_ASK ? XYLEM_CLI__ASK : XYLEM_CLI__PROBLEM;
}

const char *xylem_cli__decision_color(enum xylem_decision decision)
{
    return decision == XYLEM_ALLOW ? XYLEM_CLI__GREEN : decision == XYLEM_ASK ? XYLEM_CLI__YELLOW : XYLEM_CLI__RED;
}

int xylem_cli__policy_read(struct xylem_cli *cli, struct xylem_policy **policy, enum xylem_policy_type type,
                           const char *path)
{
    struct xylem_cli__text json = {0};
    int code = xylem_cli__policy_read_text(cli, policy, &json, type, path);
    xylem_cli__text_release(&json);
    return code;
}

int xylem_cli__policy_read_text(struct xylem_cli *cli, struct xylem_policy **policy, struct xylem_cli__text *json,
                                enum xylem_policy_type type, const char *path)
{
    int fd = -1;
    int code = 0;
    path = path && (*path == '\0' || strcmp(path, "/dev/null") == 0) ? NULL : path;
    if (path && (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
        return xylem_cli__fail(cli, errno == ENOENT || errno == ENOTDIR ? XYLEM_E_NOT_FOUND : XYLEM_E_IO,
                               "%s cannot be read: %s", path, strerror(errno));
    }
    if (path) {
        code = xylem_cli__read_all(cli, json, fd, XYLEM_CONFIG_BYTES_MAX + 1u, true, path);
        close(fd);
    }
    if (code == 0 && path && json->bytes.bytes == 0) {
        code = xylem_cli__fail(cli, XYLEM_E_MALFORMED, "%s: expected an object of options, found an empty file", path);
    } else if (code == 0) {
        code = xylem_policy_new_json(policy, type, xylem_cli__text_view(json), &cli->err);
        code = code != 0 && path ? xylem_cli__fail_in(cli, code, path) : code;
    }
    return code;
}
