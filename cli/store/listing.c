/* Lists the sessions of the store with their names, times and sizes, filtered and sorted. */
#include "cli/store/listing.h"
#include "xylem/lease.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void xylem_cli__listing_release(struct xylem_cli__listing *listing)
{
    xylem_buffer_release(&listing->names);
    free(listing->list);
    free(listing->sources);
    free(listing->directories[0]);
    free(listing->directories[1]);
    *listing = (struct xylem_cli__listing){0};
}

/* --- Directories ------------------------------------------------------------------------------------------------ */

/* Removes `.`, `..` and needless slashes from an absolute path, in place. */
static void tidy_path(char *path)
{
    char *end = path;
    for (char *part = strtok(path, "/"); part; part = strtok(NULL, "/")) {
        if (strcmp(part, "..") == 0) {
            while (end > path && *--end != '/') {
            }
        } else if (strcmp(part, ".") != 0) {
            size_t bytes = strlen(part);
            *end++ = '/'; /* `end` stays behind `part`: a slash precedes each part */
            memmove(end, part, bytes);
            end += bytes;
        }
    }
    if (end == path) {
        *end++ = '/';
    }
    *end = '\0';
}

int xylem_cli__resolve_path(struct xylem_cli *cli, char *paths[2], const char *path)
{
    char *here = *path == '/' ? strdup("") : getcwd(NULL, 0);
    if (!here) {
        return xylem_cli__fail(cli, XYLEM_E_IO, "the working directory is not known");
    }
    int bytes = asprintf(&paths[0], "%s/%s", here, path);
    free(here);
    if (bytes < 0) {
        paths[0] = NULL;
        return xylem_cli__fail_memory(cli);
    }
    tidy_path(paths[0]);
    paths[1] = realpath(path, NULL);
    return 0;
}

/* True if the path is the directory or lies below the directory. */
static bool is_below(struct xylem_view path, const char *directory)
{
    size_t bytes = directory ? strlen(directory) : 0;
    if (bytes == 1) {
        bytes = 0; /* the root: its slash is the separator */
    }
    while (path.bytes > 1 && path.data[path.bytes - 1] == '/') {
        path.bytes--;
    }
    return directory && path.bytes >= bytes && path.bytes > 0 && memcmp(path.data, directory, bytes) == 0 &&
           (path.bytes == bytes || path.data[bytes] == '/');
}

/* --- Names ------------------------------------------------------------------------------------------------------ */

struct xylem_view xylem_cli__listed_name(const struct xylem_cli__listing *listing,
                                         const struct xylem_cli__listed *listed)
{
    return listed->name_bytes > 0 ? (struct xylem_view){listing->names.data + listed->name_at, listed->name_bytes}
                                  : (struct xylem_view){NULL, 0};
}

/* --- The facts on a session --------------------------------------------------------------------------------------- */

int xylem_cli__listed_read(struct xylem_cli *cli, struct xylem_cli__listing *listing, struct xylem_cli__listed *listed,
                           const struct xylem_session *session)
{
    struct xylem_outline outline = {0};
    size_t name_at = listing->names.bytes;
    int code = xylem_outline_read(&outline, &listing->names, cli->txn, session, &cli->err);
    *listed = (struct xylem_cli__listed){.number = session->number,
                                         .id = session->id,
                                         .cwd = session->cwd,
                                         .created_ms = session->created_ms,
                                         .active_ms = outline.active_ms,
                                         .entry_count = outline.entry_count,
                                         .name_at = name_at,
                                         .name_bytes = (uint32_t)(listing->names.bytes - name_at),
                                         .state = (uint8_t)session->state,
                                         .follows = session->owner.bytes > 0,
                                         .spaced = session->name_space.bytes > 0};
    return code;
}

int xylem_cli__listing_damage(struct xylem_cli *cli, struct xylem_cli__listing *listing, struct xylem_view id, int code)
{
    if (code != XYLEM_E_CORRUPT) {
        return code;
    }
    if (!listing->wanted.quiet) {
        xylem_cli__note(cli, "session %.*s: %s", (int)id.bytes, id.data, cli->err.text);
    }
    listing->damaged = true;
    return 0;
}

static bool has_wanted_state(const struct xylem_cli__wanted *wanted, enum xylem_session_state state)
{
    if (wanted->deleted) {
        return state == XYLEM_SESSION_DELETED;
    }
    return state == XYLEM_SESSION_LIVE || (wanted->all && state != XYLEM_SESSION_FREED);
}

/* True if the name, without what is left out, has the text: no answer confirms a guess. */
static bool has_text(const struct xylem_cli *cli, struct xylem_view name, const char *text)
{
    struct xylem_buffer left = {0};
    const struct xylem_cli__left_out before = cli->left_out ? *cli->left_out : (struct xylem_cli__left_out){.count = 0};
    bool has = name.data && xylem_cli__contains(xylem_cli__leave_out(cli, &left, name), xylem_view_of(text));
    if (cli->left_out) {
        *cli->left_out = before; /* nothing is shown */
    }
    xylem_buffer_release(&left);
    return has;
}

/* 1 if the session is wanted, with its facts filled in; else 0. */
static int look(struct xylem_cli *cli, struct xylem_cli__listing *listing, struct xylem_cli__listed *listed,
                const struct xylem_session *session)
{
    const struct xylem_cli__wanted *wanted = &listing->wanted;
    struct xylem_lease_owner owner;
    if (!has_wanted_state(wanted, session->state) || (session->name_space.bytes > 0 && !wanted->spaced) ||
        (wanted->directory && !is_below(session->cwd, listing->directories[0]) &&
         !is_below(session->cwd, listing->directories[1]))) {
        return 0;
    }
    int code = wanted->runs ? 0 : xylem_cli__is_ledger(cli, session);
    if (code != 0 || (code = xylem_cli__listed_read(cli, listing, listed, session)) < 0) {
        return code < 0 ? code : 0;
    }
    struct xylem_view name = xylem_cli__listed_name(listing, listed);
    if (listed->active_ms < wanted->since_ms || listed->active_ms > wanted->until_ms ||
        (wanted->name && !has_text(cli, name, wanted->name))) {
        return 0;
    }
    if (wanted->files || wanted->file_gone) {
        if ((code = xylem_cli__file_gone(cli, session)) < 0 || (code == 0 && wanted->file_gone)) {
            return code;
        }
        listed->file_gone = code == 1;
    }
    if (wanted->files) {
        code = xylem_lease_read(&owner, cli->txn, session->number, &cli->err);
        listed->leased = code == 1 && owner.alive;
    }
    return code < 0 ? code : 1;
}

/* True if the list is whole: the sessions come by activity. */
static bool is_full(const struct xylem_cli__listing *listing)
{
    const struct xylem_cli__wanted *wanted = &listing->wanted;
    return wanted->limit.given && wanted->sort == XYLEM_CLI__BY_ACTIVE && !wanted->reverse &&
           listing->count >= wanted->limit.number;
}

/* With two forms of the wanted directory, all sessions are looked at. */
static int gather(struct xylem_cli *cli, struct xylem_cli__listing *listing)
{
    struct xylem_outlines_options options = {.below = true};
    struct xylem_outlines *outlines = NULL;
    char **directories = listing->directories;
    struct xylem_cli__listed listed;
    struct xylem_session session;
    int64_t active_ms = 0;
    if (directories[0] && (!directories[1] || strcmp(directories[0], directories[1]) == 0)) {
        options.directory = xylem_view_of(directories[0]);
    }
    int code = xylem_outlines_new(&outlines, cli->txn, &options, &cli->err);
    while (code == 0 && !is_full(listing) &&
           (code = xylem_outlines_next(&session, &active_ms, outlines, &cli->err)) == 1 &&
           active_ms >= listing->wanted.since_ms) {
        code = active_ms > listing->wanted.until_ms ? 0 : look(cli, listing, &listed, &session);
        code = code == 1 ? xylem_cli__list_add(cli, &listing->list, &listing->count, &listing->capacity, &listed,
                                               sizeof listed)
                         : xylem_cli__listing_damage(cli, listing, session.id, code);
    }
    code = code == 1 ? 0 : code; /* the other sessions are older */
    listing->damaged = listing->damaged || (code == 0 && xylem_outlines_damaged(outlines));
    xylem_outlines_free(outlines);
    if (code == XYLEM_E_CORRUPT && listing->damaged) {
        /* LMDB reads nothing more after such damage, and the earlier error says more */
        code = xylem_cli__fail(cli, code, "the store cannot be read past this damage: no session is listed");
    }
    return code;
}

/* --- Order ------------------------------------------------------------------------------------------------------ */

static int compare_views(struct xylem_view a, struct xylem_view b)
{
    if (!a.data || !b.data) {
        return (!a.data) - (!b.data); /* sessions without a value come last */
    }
    size_t bytes = a.bytes < b.bytes ? a.bytes : b.bytes;
    for (size_t i = 0; i < bytes; i++) {
        int order = (unsigned char)xylem_base__lower(a.data[i]) - (unsigned char)xylem_base__lower(b.data[i]);
        if (order != 0) {
            return order;
        }
    }
    return (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

/* Compares two sessions: newest first, most first, but names and directories ascend. */
static int compare(const void *a, const void *b, void *context)
{
    const struct xylem_cli__listing *listing = context;
    const struct xylem_cli__listed *left = a;
    const struct xylem_cli__listed *right = b;
    int order = 0;
    switch (listing->wanted.sort) {
    case XYLEM_CLI__BY_ACTIVE:
        break;
    case XYLEM_CLI__BY_CREATED:
        order = (left->created_ms < right->created_ms) - (left->created_ms > right->created_ms);
        break;
    case XYLEM_CLI__BY_NAME:
        order = compare_views(xylem_cli__listed_name(listing, left), xylem_cli__listed_name(listing, right));
        break;
    case XYLEM_CLI__BY_ENTRIES:
        order = (left->entry_count < right->entry_count) - (left->entry_count > right->entry_count);
        break;
    case XYLEM_CLI__BY_DIRECTORY:
        order = compare_views(left->cwd, right->cwd);
        break;
    }
    if (order == 0) {
        order = (left->active_ms < right->active_ms) - (left->active_ms > right->active_ms);
    }
    if (order == 0) {
        order = left->number < right->number ? 1 : -1;
    }
    return listing->wanted.reverse ? -order : order;
}

int xylem_cli__listing_read(struct xylem_cli *cli, struct xylem_cli__listing *listing,
                            const struct xylem_cli__wanted *wanted)
{
    *listing = (struct xylem_cli__listing){.wanted = *wanted};
    int code = wanted->directory ? xylem_cli__resolve_path(cli, listing->directories, wanted->directory) : 0;
    if (code == 0 && (code = gather(cli, listing)) == 0 && listing->count > 1) {
        qsort_r(listing->list, listing->count, sizeof *listing->list, compare, listing);
    }
    if (code == 0 && wanted->limit.given && wanted->limit.number < listing->count) {
        listing->count = (size_t)wanted->limit.number;
    }
    return code;
}
