#include "cli/pi_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_BYTES_MAX 1048576u

/* `below` in `directory`, where `~` at the beginning is the home directory. NULL: no memory. */
static char *expand(const char *directory, const char *below)
{
    char *path = NULL;
    const char *home = getenv("HOME");
    bool tilde = directory[0] == '~' && (directory[1] == '\0' || directory[1] == '/') && home;
    return asprintf(&path, "%s%s%s", tilde ? home : "", directory + tilde, below) < 0 ? NULL : path;
}

/* The directory for sessions in the settings of pi; NULL: none. Settings that are no JSON name none. */
static char *read_setting(const char *agent)
{
    char *path = expand(agent, "/settings.json");
    char *bytes = calloc(1, SETTINGS_BYTES_MAX);
    FILE *file = path && bytes ? fopen(path, "re") : NULL;
    size_t count = file ? fread(bytes, 1, SETTINGS_BYTES_MAX, file) : 0;
    struct xylem_document *document = NULL;
    char *directory = NULL;
    if (count > 0 && count < SETTINGS_BYTES_MAX &&
        xylem_document_new_json(&document, (struct xylem_view){bytes, count}, NULL) == 0) {
        struct xylem_view text = xylem_value_string(xylem_value_get(xylem_document_value(document), "sessionDir"));
        bool usable = text.bytes > 0 && !memchr(text.data, '\0', text.bytes);
        directory = usable ? strndup(text.data, text.bytes) : NULL;
    }
    xylem_document_free(document);
    if (file) {
        fclose(file);
    }
    free(bytes);
    free(path);
    return directory;
}

int xylem_cli__pi_directories(struct xylem_cli *cli, char *directories[XYLEM_CLI__PI_DIRECTORIES_MAX + 1])
{
    const char *agent = getenv("PI_CODING_AGENT_DIR");
    const char *named = getenv("PI_CODING_AGENT_SESSION_DIR");
    const char *home = getenv("HOME");
    memset(directories, 0, (XYLEM_CLI__PI_DIRECTORIES_MAX + 1) * sizeof *directories);
    if ((!agent || *agent == '\0') && (!home || *home == '\0')) {
        return xylem_cli__usage(cli, "no FILE is given, and neither PI_CODING_AGENT_DIR nor HOME names pi's directory");
    }
    agent = agent && *agent != '\0' ? agent : "~/.pi/agent";
    char *setting = named && *named != '\0' ? strdup(named) : read_setting(agent);
    directories[0] = expand(agent, "/sessions");
    if (setting && directories[0]) {
        directories[1] = expand(setting, "");
        if (directories[1] && strcmp(directories[0], directories[1]) == 0) {
            free(directories[1]);
            directories[1] = NULL;
        }
    }
    free(setting);
    return directories[0] ? 0 : xylem_cli__fail_memory(cli);
}
