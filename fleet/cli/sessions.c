/*
 * xylem fleet sessions: the catalogue of the whole fleet.
 *
 *   SESSION        OWNER  HEARD  AGE  ENTRIES  LAG  HERE     DIRECTORY  NAME
 *   01a1f9f7-22cb  maple     2s   3s      612    4  owns     ~/proj     why is the build slow
 *   01a1f9e0-4411  birch     3h   3h       31       follows  ~/other    "rename the parser"
 */
#include "fleet/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "xylem/session.h"

#define SMALL_CELLS 80u /* narrower terminals have no room for all columns */
#define PATH_BYTES 28u

static const char *const here_words[] = {NULL, "follows", "owns", "fenced"};

/* A row, copied: the texts lie one after the other. */
struct listed {
    char *texts;
    struct xylem_view id;
    struct xylem_view host; /* data NULL: nobody */
    struct fleet_cli_about about;
    uint64_t silent_ms;
    uint64_t changes;
    uint64_t lag; /* changes of the store that the engine lacks */
    uint64_t epoch;
    enum fleet_cli_here here;
    bool freed;
};

struct listing {
    struct fleet_config_words directories;
    struct xylem_view name;
    int64_t since_ms;
    int64_t until_ms;
    struct xylem_base__tree tree;
    struct listed *list;
    size_t count;
    size_t capacity;
};

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static int copy_texts(struct xylem_cli *cli, struct listed *listed)
{
    struct xylem_view *views[] = {&listed->id, &listed->host, &listed->about.name, &listed->about.prompt,
                                  &listed->about.cwd};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        bytes += views[i]->bytes;
    }
    char *at = malloc(bytes + 1);
    listed->texts = at;
    for (size_t i = 0; at && i < sizeof views / sizeof *views; i++) {
        if (views[i]->data) {
            memcpy(at, views[i]->data, views[i]->bytes);
            views[i]->data = at;
            at += views[i]->bytes;
        }
    }
    return at ? 0 : xylem_cli__fail_memory(cli);
}

/* What the store has of the session. */
static int join(struct xylem_cli *cli, struct listed *listed, const struct fleet_row *row)
{
    struct xylem_session session;
    int code = cli->txn ? xylem_cli__session_exact(cli, &session, row->id) : 0;
    if (code == 1) {
        uint64_t next = session.history.count + 1;
        listed->here = fleet_cli_here(&session, row);
        listed->lag = listed->here == FLEET_CLI_OWNS && next > row->next ? next - row->next : 0;
    }
    return code < 0 ? code : 0;
}

static bool passes(const struct listing *listing, const struct fleet_cli_about *about)
{
    return about->active_ms >= listing->since_ms && about->active_ms <= listing->until_ms &&
           (listing->directories.count == 0 || fleet_config_covers(&listing->directories, about->cwd)) &&
           (!listing->name.data || (about->name.data && xylem_cli__contains(about->name, listing->name)));
}

static int add(struct fleet_cli *fleet, void *context, const struct fleet_row *row)
{
    struct listing *listing = context;
    struct listed listed = {.id = row->id,
                            .host = fleet_cli_owner(row),
                            .silent_ms = row->silent_ms,
                            .changes = row->next - 1,
                            .epoch = row->epoch,
                            .freed = row->freed};
    fleet_cli_about(&listed.about, &listing->tree, row->about);
    if (!passes(listing, &listed.about)) {
        return 0;
    }
    int code = join(fleet->cli, &listed, row);
    code = code == 0 ? copy_texts(fleet->cli, &listed) : code;
    code = code == 0 ? xylem_cli__list_add(fleet->cli, &listing->list, &listing->count, &listing->capacity, &listed,
                                           sizeof listed)
                     : code;
    if (code < 0) {
        free(listed.texts);
    }
    return code;
}

static int last_active_first(const void *a, const void *b)
{
    const struct listed *left = a;
    const struct listed *right = b;
    int64_t difference = right->about.active_ms - left->about.active_ms;
    return difference != 0 ? (difference > 0) - (difference < 0) : xylem_base__view_order(left->id, right->id);
}

/* --- The table ---------------------------------------------------------------------------------------------------- */

static void add_path(const struct xylem_cli *cli, struct xylem_cli__text *cell, struct xylem_view path)
{
    const char *home = getenv("HOME");
    size_t bytes = home ? strlen(home) : 0;
    bool at_home = bytes > 1 && path.bytes >= bytes && memcmp(path.data, home, bytes) == 0 &&
                   (path.bytes == bytes || path.data[bytes] == '/');
    path = at_home ? (struct xylem_view){path.data + bytes, path.bytes - bytes} : path;
    xylem_cli__add_path(cli, cell, at_home ? "~" : "", path.data ? path : xylem_view_of("-"),
                        cli->width > 0 ? PATH_BYTES : SIZE_MAX);
}

/* Without a name the first words of the person, in quotes: only a name without quotes names the session. */
static void add_name(const struct xylem_cli *cli, struct xylem_cli__text *cell, const struct fleet_cli_about *about)
{
    bool quoted = !about->name.data && about->prompt.data;
    struct xylem_view name = about->name.data ? about->name : about->prompt.data ? about->prompt : xylem_view_of("-");
    xylem_cli__add(cell, quoted ? "\"" : "");
    xylem_cli__add_shown(cli, cell, name, XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(cell, quoted ? "\"" : "");
}

static const struct xylem_cli__column columns[] = {
    {.title = "SESSION", .cut_cells = 24, .color = XYLEM_CLI__YELLOW, .whole = true},
    {.title = "OWNER", .cut_cells = 8},
    {.title = "HEARD", .right = true, .color = XYLEM_CLI__DIM},
    {.title = "AGE", .right = true, .color = XYLEM_CLI__DIM},
    {.title = "ENTRIES", .right = true},
    {.title = "LAG", .right = true, .color = XYLEM_CLI__RED},
    {.title = "HERE"},
    {.title = "DIRECTORY", .cut_cells = 9},
    {.title = "NAME", .cut_cells = 10, .color = XYLEM_CLI__BOLD},
};
#define COLUMN_COUNT (sizeof columns / sizeof *columns)

/* HEARD: since an owner was heard from, by the engine's clock. */
static void add_row(const struct xylem_cli *cli, struct xylem_cli__table *table, const struct listed *listed,
                    struct xylem_view short_id)
{
    struct xylem_cli__text *cell = &table->cell;
    const char *here = listed->freed ? "freed" : listed->about.deleted ? "deleted" : here_words[listed->here];
    fleet_cli_add_cell(cli, table, short_id);
    fleet_cli_add_cell(cli, table, listed->host);
    if (listed->host.data) {
        xylem_cli__add_age(cli, cell, cli->now_ms - (int64_t)xylem_cli__least(listed->silent_ms, INT64_MAX / 2));
    }
    xylem_cli__table_end_cell(table);
    if (listed->about.active_ms > 0) {
        xylem_cli__add_age(cli, cell, listed->about.active_ms);
    }
    xylem_cli__table_end_cell(table);
    xylem_cli__table_add_count(table, listed->about.entries);
    if (listed->lag > 0) {
        xylem_cli__add_count(cell, listed->lag);
    }
    xylem_cli__table_end_cell(table);
    fleet_cli_add_cell(cli, table, xylem_view_of(here));
    add_path(cli, cell, listed->about.cwd);
    xylem_cli__table_end_cell(table);
    add_name(cli, cell, &listed->about);
    xylem_cli__table_end_cell(table);
}

static int put_table(struct xylem_cli *cli, const struct listing *listing, size_t count)
{
    static const size_t few[COLUMN_COUNT] = {SIZE_MAX, SIZE_MAX, 0, SIZE_MAX, 0, SIZE_MAX, SIZE_MAX, 0, SIZE_MAX};
    struct xylem_cli__table table = {.columns = columns, .column_count = COLUMN_COUNT};
    struct xylem_cli__short_ids ids = {0};
    struct xylem_cli plain = *cli;
    int code = 0;
    plain.colored = false;
    for (size_t i = 0; code == 0 && cli->width > 0 && i < listing->count; i++) {
        code = xylem_cli__short_ids_add(cli, &ids, listing->list[i].id);
    }
    xylem_cli__short_ids_sort(&ids);
    for (size_t i = 0; code == 0 && i < count; i++) {
        add_row(&plain, &table, &listing->list[i], xylem_cli__short_id(&ids, listing->list[i].id));
    }
    bool small = cli->width > 0 && cli->width < SMALL_CELLS;
    if (code == 0) {
        code = small ? xylem_cli__table_put_part(cli, &table, few) : xylem_cli__table_put(cli, &table);
    }
    xylem_cli__short_ids_release(&ids);
    xylem_cli__table_release(&table);
    return code;
}

static int put_documents(struct xylem_cli *cli, struct xylem_cli__documents *documents, const struct listing *listing,
                         size_t count)
{
    struct xylem_cli__text text = {0};
    int code = 0;
    for (size_t i = 0; code == 0 && i < count; i++) {
        const struct listed *listed = &listing->list[i];
        const struct fleet_cli_about *about = &listed->about;
        xylem_cli__json_document(&text);
        xylem_cli__member_string(&text, "session", listed->id);
        xylem_cli__member_maybe(&text, "host", listed->host);
        xylem_cli__member_count(&text, "silent_ms", listed->silent_ms);
        xylem_cli__member_count(&text, "epoch", listed->epoch);
        xylem_cli__member_maybe_time(&text, "active", about->active_ms > 0, about->active_ms);
        xylem_cli__member_count(&text, "entry_count", about->entries);
        xylem_cli__member_count(&text, "changes", listed->changes);
        xylem_cli__member_count(&text, "lag", listed->lag);
        xylem_cli__member_maybe(&text, "here", xylem_view_of(here_words[listed->here]));
        xylem_cli__member_bool(&text, "deleted", about->deleted);
        xylem_cli__member_bool(&text, "freed", listed->freed);
        xylem_cli__member_maybe(&text, "cwd", about->cwd);
        xylem_cli__member_maybe(&text, "name", about->name);
        xylem_cli__member_maybe(&text, "prompt", about->prompt);
        xylem_cli__json_end(&text, '}');
        code = xylem_cli__documents_put(cli, documents, &text);
    }
    xylem_cli__text_release(&text);
    return code != 0 ? code : xylem_cli__documents_end(cli, documents);
}

/* --- The verb ----------------------------------------------------------------------------------------------------- */

static int read_options(struct xylem_cli *cli, struct listing *listing, const struct fleet_cli_given *given)
{
    const char *directory = given->here ? "." : given->directory;
    listing->name = xylem_view_of(given->name);
    listing->since_ms = INT64_MIN;
    listing->until_ms = INT64_MAX;
    if (given->here && given->directory) {
        return xylem_cli__usage(cli, "--here and --dir cannot be combined");
    }
    if (directory) {
        char *path = realpath(directory, NULL); /* a directory of another host need not be here */
        path = path ? path : strdup(directory);
        if (!path) {
            return xylem_cli__fail_memory(cli);
        }
        listing->directories.words[listing->directories.count++] = path;
    }
    return xylem_cli__when_between(cli, &listing->since_ms, &listing->until_ms, given->since, given->until);
}

static int put(struct fleet_cli *fleet, struct xylem_cli__documents *documents, struct listing *listing)
{
    struct xylem_cli *cli = fleet->cli;
    const struct fleet_cli_given *given = fleet->given;
    bool filtered = listing->directories.count > 0 || given->name || given->since || given->until;
    size_t count = given->number.given ? xylem_cli__least(listing->count, given->number.number) : listing->count;
    if (listing->count > 1) {
        qsort(listing->list, listing->count, sizeof *listing->list, last_active_first);
    }
    if (documents->wanted) {
        return put_documents(cli, documents, listing, count);
    }
    if (listing->count == 0) {
        xylem_cli__note(cli, filtered ? "no session passes the filters"
                                      : "the fleet has no sessions yet: `xylem fleet ship --dry-run` shows what would "
                                        "go from here");
        return 0;
    }
    xylem_cli__pager_start(cli);
    return put_table(cli, listing, count);
}

static int run_sessions(struct fleet_cli *fleet, char **arguments)
{
    struct xylem_cli__documents documents;
    struct listing listing = {.list = NULL};
    (void)arguments;
    int code = xylem_cli__documents_start(fleet->cli, &documents, fleet->given->form, "sessions");
    code = code == 0 ? read_options(fleet->cli, &listing, fleet->given) : code;
    code = code == 0 ? fleet_cli_engine(fleet, true) : code;
    code = code == 0 ? fleet_cli_open_if_there(fleet) : code;
    code = code == 0 ? fleet_cli_token_read(fleet) : code;
    code = code == 0 ? fleet_cli_each_row(fleet, add, &listing) : code;
    code = code == 0 ? put(fleet, &documents, &listing) : code;
    for (size_t i = 0; i < listing.count; i++) {
        free(listing.list[i].texts);
    }
    free(listing.list);
    free(listing.directories.words[0]);
    xylem_base__tree_release(&listing.tree);
    return code;
}

static const struct xylem_cli__option table[] = {
    FLEET_CLI_ROW("dir", 'd', "DIR", TEXT, directory, "only sessions whose directory is DIR or below DIR"),
    FLEET_CLI_FLAG("here", 0, here, "the same for this directory"),
    FLEET_CLI_ROW("name", 0, "TEXT", TEXT, name, "only sessions with TEXT in their name, in upper or lower case"),
    FLEET_CLI_ROW("since", 0, "TIME", TEXT, since, "only sessions last active at TIME or later: 2h, 3d, yesterday"),
    FLEET_CLI_ROW("until", 0, "TIME", TEXT, until, "only sessions last active at TIME or before"),
    FLEET_CLI_ROW("number", 'n', "N", COUNT, number, "at most N sessions"),
    FLEET_CLI_JSON,
    FLEET_CLI_FLAG("jsonl", 0, form.jsonl, "print one JSON document a line"),
    FLEET_CLI_END};

FLEET_CLI_VERB(sessions, table, .summary = "List the sessions of all hosts, the last active first",
               .usage = "[--dir DIR|--here] [--name TEXT] [--since TIME] [--until TIME] [-n N] [--json|--jsonl]",
               .details =
                   "OWNER is the host that writes the session, HEARD when the engine heard from it, AGE the age of the "
                   "last entry. HERE says what this store has: it `owns` the session, or `follows` the owner; "
                   "`fenced`: another host took over, and `xylem fleet status` says what settles that. LAG counts "
                   "changes of this store that the engine does not have yet. `xylem fleet resume SESSION` goes on with "
                   "a session here, `xylem fleet pull SESSION` only brings it.\n");
