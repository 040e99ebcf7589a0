/*
 * xylem open: goes on with a session in pi. The program becomes pi: nothing of the store stays open.
 *
 *     xylem open SESSION          cd DIR && pi --session FILE
 *     xylem open SESSION:ENTRY    forks the session at the entry, exports the fork beside FILE, and opens that file
 */
#include "cli/exporting.h"
#include "cli/show/entries.h"
#include "xylem/branch.h"
#include "xylem/lease.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATH "/bin:/usr/bin" /* as execvp(3) without PATH */

struct open_options {
    const char *map;
    bool here;
    bool dry_run;
};

static const struct xylem_cli__option open_table[] = {
    {"here", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct open_options, here),
     "start pi in this directory, not in the session's", NULL},
    {"map", 0, "OLD=NEW", XYLEM_CLI__TEXT, offsetof(struct open_options, map),
     "the project has moved: take NEW for OLD at the beginning of the session's directory", NULL},
    {"dry-run", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct open_options, dry_run),
     "say what would be done, and do nothing", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct opening {
    const struct open_options *given;
    struct xylem_cli__place place;
    char id[XYLEM_SESSION_ID_BYTES_MAX + 1]; /* of the session; the place's views end with the transaction */
    char fork_id[XYLEM_SESSION_ID_BYTES_MAX + 1];
    struct xylem_cli__text directory;  /* empty: this directory */
    struct xylem_cli__text source;     /* the session's file */
    struct xylem_cli__text file;       /* to open: the same, or the file of the fork */
    struct xylem_cli__text pi;         /* the program; empty: none in PATH */
    struct xylem_cli__text unanswered; /* a sentence about tool calls without a result */
    bool there;                        /* the session's file */
    uint64_t fork;                     /* its number; 0: none */
};

/* --- Where to go -------------------------------------------------------------------------------------------------- */

/* Takes NEW for OLD in the directory. */
static int map_directory(struct xylem_cli *cli, struct opening *opening)
{
    const char *map = opening->given->map;
    const char *equals = strchr(map, '=');
    struct xylem_cli__text mapped = {0};
    const char *directory = opening->directory.bytes.data;
    size_t bytes = (size_t)(equals - map);
    while (bytes > 0 && map[bytes - 1] == '/') {
        bytes--;
    }
    if (strncmp(directory, map, bytes) != 0 || (directory[bytes] != '/' && directory[bytes] != '\0')) {
        return xylem_cli__usage(cli, "--map: the session's directory %s is not %.*s, and not below it", directory,
                                (int)(equals - map), map);
    }
    xylem_cli__addf(&mapped, "%s%s", equals + 1, directory + bytes);
    xylem_cli__text_release(&opening->directory);
    opening->directory = mapped;
    return mapped.failed ? xylem_cli__fail_memory(cli) : 0;
}

static int find_directory(struct xylem_cli *cli, struct opening *opening)
{
    struct stat status;
    const struct xylem_view cwd = opening->place.session.cwd;
    if (opening->given->here || cwd.bytes == 0) {
        return opening->given->map ? xylem_cli__usage(cli, "--map: the session names no directory") : 0;
    }
    xylem_cli__add_bytes(&opening->directory, cwd.data, cwd.bytes);
    int code = opening->directory.failed ? xylem_cli__fail_memory(cli) : 0;
    code = code == 0 && opening->given->map ? map_directory(cli, opening) : code;
    const char *directory = opening->directory.bytes.data;
    if (code == 0 && (stat(directory, &status) != 0 || !S_ISDIR(status.st_mode))) {
        code = opening->given->map
                   ? xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "--map: there is no directory %s", directory)
                   : xylem_cli__fail(cli, XYLEM_E_NOT_FOUND,
                                     "the session's directory %s is gone: --here starts pi in this "
                                     "directory, --map OLD=NEW in another",
                                     directory);
    }
    return code;
}

/*
 * Finds the program in PATH as execvp(3) would from here, as an absolute path: a relative element of PATH must not lead
 * to a program of the session's directory, which comes from a file. Leaves `pi` empty if there is none.
 */
static int find_pi(struct xylem_cli *cli, struct opening *opening)
{
    const char *path = getenv("PATH");
    struct stat status;
    for (const char *at = path ? path : DEFAULT_PATH; at && opening->pi.bytes.bytes == 0;) {
        size_t bytes = strcspn(at, ":");
        char *element = bytes > 0 ? strndup(at, bytes) : strdup(".");
        char *directory = element ? realpath(element, NULL) : NULL;
        xylem_cli__addf(&opening->pi, "%s/pi", directory ? directory : "");
        const char *program = directory && !opening->pi.failed ? opening->pi.bytes.data : NULL;
        if (!program || access(program, X_OK) != 0 || stat(program, &status) != 0 || !S_ISREG(status.st_mode)) {
            xylem_cli__text_clear(&opening->pi);
        }
        free(directory);
        free(element);
        at = at[bytes] == ':' ? at + bytes + 1 : NULL;
    }
    return opening->pi.failed ? xylem_cli__fail_memory(cli) : 0;
}

static int look(struct xylem_cli *cli, struct opening *opening, const char *word)
{
    struct xylem_lease_owner owner;
    int code;
    if ((code = xylem_cli__open_reading(cli)) != 0 ||
        (code = xylem_cli__place_find(cli, &opening->place, word, XYLEM_CLI__NAMED, xylem_cli__entry_or_none)) != 0) {
        return code;
    }
    if (opening->place.is_entry && xylem_cli__position_none(opening->place.position)) {
        return xylem_cli__usage(cli, "a fork begins at an entry, and '%s' is none", word);
    }
    memcpy(opening->id, opening->place.session.id.data, opening->place.session.id.bytes);
    if ((code = xylem_cli__host_file(cli, &opening->source, &opening->there, &opening->place.session)) == 0) {
        struct xylem_cli__text text = {0};
        xylem_cli__addf(&text, "no pi keeps the session %s, which has no file: ", opening->id);
        xylem_cli__add_named(cli, &text, "export", opening->id);
        xylem_cli__add(&text, " prints a file that pi can open (-o FILE writes it)");
        return xylem_cli__fail_text(cli, XYLEM_E_CONFLICT, &text);
    }
    xylem_cli__add_bytes(&opening->file, opening->source.bytes.data, opening->source.bytes.bytes);
    if (code < 0 || opening->file.failed) {
        return code < 0 ? code : xylem_cli__fail_memory(cli);
    }
    code = opening->place.is_entry ? 0 : xylem_lease_read(&owner, cli->txn, opening->place.session.number, &cli->err);
    if (code < 0) {
        return code;
    }
    if (code == 1 && owner.alive) { /* a second program may open a fork of the session, and not the session */
        return xylem_cli__fail(cli, XYLEM_E_CONFLICT,
                               "the session %s is open in process %lld on %s: go on there, or open a fork: %s:@",
                               opening->id, (long long)owner.pid, owner.host, opening->id);
    }
    return find_directory(cli, opening);
}

/* --- Making the file ---------------------------------------------------------------------------------------------- */

/* Makes the fork. Its file has the name that pi gives to a file of a session, beside the file of the source. */
static int make_fork(struct xylem_cli *cli, void *context)
{
    struct opening *opening = context;
    /* as pi writes a fork's header */
    const struct xylem_session_options options = {.parent = xylem_cli__text_view(&opening->source)};
    const char *source = opening->source.bytes.data;
    const char *slash = strrchr(source, '/');
    struct xylem_cli__text stamp = {0};
    struct xylem_session fork;
    int code = xylem_fork(&fork, cli->txn, opening->place.session.number, opening->place.position, XYLEM_FORK_AT,
                          &options, &cli->err);
    xylem_cli__text_clear(&opening->unanswered);
    if (code < 0) {
        return code;
    }
    xylem_cli__add_iso(&stamp, fork.created_ms);
    for (size_t i = 0; i < stamp.bytes.bytes; i++) {
        stamp.bytes.data[i] = strchr(":.", stamp.bytes.data[i]) ? '-' : stamp.bytes.data[i];
    }
    xylem_cli__text_clear(&opening->file);
    xylem_cli__add_bytes(&opening->file, source, slash ? (size_t)(slash + 1 - source) : 0);
    xylem_cli__add_bytes(&opening->file, stamp.bytes.data, stamp.bytes.bytes);
    xylem_cli__addf(&opening->file, "_%.*s.jsonl", (int)fork.id.bytes, fork.id.data);
    xylem_cli__part_end(&opening->file, &stamp);
    code = opening->file.failed ? xylem_cli__fail_memory(cli)
                                : xylem_cli__add_unanswered(cli, &opening->unanswered, fork.base);
    if (code == 0) {
        opening->fork = fork.number;
        memcpy(opening->fork_id, fork.id.data, fork.id.bytes);
    }
    return code;
}

/* From now on the store knows the fork's file. */
static int note_file(struct xylem_cli *cli, void *context)
{
    const struct opening *opening = context;
    int noted = xylem_session_file_note(cli->txn, opening->fork, opening->file.bytes.data, &cli->err);
    return noted < 0 ? noted : 0;
}

/* Writes the file of a fork, or a file that is gone. */
static int make_file(struct xylem_cli *cli, struct opening *opening)
{
    const struct xylem_export_options options = {.with_quarantine = false};
    int code = xylem_cli__make_parents(cli, opening->file.bytes.data);
    xylem_cli__close_store(cli);
    if (code == 0 && opening->place.is_entry) {
        xylem_cli__note(cli, "forking %s", opening->id);
        code = xylem_cli__change(cli, make_fork, opening);
        if (code == 0 && opening->unanswered.bytes.bytes > 0) {
            xylem_cli__note(cli, "%s", opening->unanswered.bytes.data);
        }
        xylem_cli__close_store(cli);
    }
    if (code == 0 && (code = xylem_cli__open_reading(cli)) == 0) {
        xylem_cli__note(cli, "writing %s", opening->file.bytes.data);
        uint64_t session = opening->fork > 0 ? opening->fork : opening->place.session.number;
        code = xylem_cli__export_to_file(cli, session, &options, opening->file.bytes.data);
    }
    xylem_cli__close_store(cli);
    code = code == 0 && opening->fork > 0 ? xylem_cli__change(cli, note_file, opening) : code;
    if (code != 0 && opening->fork > 0) { /* the fork stays in the store, so its id is said */
        struct xylem_cli__text text = {0};
        xylem_cli__addf(&text, "the fork %s is in the store, without its file: ", opening->fork_id);
        xylem_cli__add_named(cli, &text, "export", opening->fork_id);
        xylem_cli__add(&text, " prints the file (-o FILE writes it)");
        xylem_cli__note(cli, "%s", text.failed ? opening->fork_id : text.bytes.data);
        xylem_cli__text_release(&text);
    }
    return code;
}

/* --- Going -------------------------------------------------------------------------------------------------------- */

/* Becomes pi; returns only after an error, and from a dry run. */
static int go(struct xylem_cli *cli, struct opening *opening, struct xylem_cli__text *line)
{
    char *words[] = {"pi", "--session", NULL, NULL};
    const char *directory = opening->directory.bytes.bytes > 0 ? opening->directory.bytes.data : "";
    bool has_pi = opening->pi.bytes.bytes > 0;
    bool makes = opening->place.is_entry || !opening->there;
    if (!opening->given->dry_run && !has_pi && opening->place.is_entry) {
        return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no pi in PATH, so nothing was forked");
    }
    int code = makes && !opening->given->dry_run ? make_file(cli, opening) : 0;
    xylem_cli__add_way_back(cli, line, directory, opening->file.bytes.data);
    if (code != 0 || line->failed) {
        return code != 0 ? code : xylem_cli__fail_memory(cli);
    }
    if (opening->given->dry_run && opening->place.is_entry) {
        xylem_cli__note(cli, "would fork %s, write the fork's file beside %s, and open that file", opening->id,
                        opening->source.bytes.data);
        return 0;
    }
    if (opening->given->dry_run) {
        if (!opening->there) {
            xylem_cli__note(cli, "would write %s again", opening->file.bytes.data);
        }
        xylem_cli__add(line, "\n");
        return xylem_cli__put_unbroken(cli, line);
    }
    if (!has_pi) {
        return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no pi in PATH; where pi is: %s", line->bytes.data);
    }
    xylem_cli__note(cli, "%s", line->bytes.data);
    xylem_cli__close_store(cli);
    directory = *directory != '\0' ? directory : ".";
    if (chdir(directory) != 0) {
        return xylem_cli__fail(cli, XYLEM_E_IO, "cannot change to %s: %s", directory, strerror(errno));
    }
    xylem_cli__signals_end();
    words[2] = opening->file.bytes.data;
    execv(opening->pi.bytes.data, words);
    return xylem_cli__fail(cli, XYLEM_E_IO, "%s cannot be started: %s", opening->pi.bytes.data, strerror(errno));
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct open_options *given = options;
    struct opening opening = {.given = given};
    struct xylem_cli__text line = {0};
    const char *equals = given->map ? strchr(given->map, '=') : NULL;
    int code;
    if (given->map && (!equals || equals == given->map || equals[1] == '\0')) {
        return xylem_cli__usage(cli, "--map takes OLD=NEW, not '%s'", given->map);
    }
    if (given->map && given->here) {
        return xylem_cli__usage(cli, "--here and --map cannot be combined");
    }
    if ((code = look(cli, &opening, arguments[0])) == 0 && (code = find_pi(cli, &opening)) == 0) {
        code = go(cli, &opening, &line);
    }
    xylem_cli__text_release(&line);
    xylem_cli__text_release(&opening.directory);
    xylem_cli__text_release(&opening.source);
    xylem_cli__text_release(&opening.file);
    xylem_cli__text_release(&opening.pi);
    xylem_cli__text_release(&opening.unanswered);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_open = {
    .name = "open",
    .group = XYLEM_CLI__FIND,
    .often = true,
    .summary = "Go on with a session in pi",
    .usage = "SESSION[:ENTRY] [--here|--map OLD=NEW] [--dry-run]",
    .details =
        "Starts pi in the session's directory with the session's file, which is written again if it is gone. With\n"
        "ENTRY the session is forked there, and pi gets the fork's file. A session that a living pi has open, or that\n"
        "no pi keeps, is refused, with what can be done instead.\n",
    .options = open_table,
    .options_bytes = sizeof(struct open_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
