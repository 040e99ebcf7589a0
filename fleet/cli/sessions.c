/*
 * xylem fleet sessions: the catalogue of the whole fleet.
 *
 *   SESSION        OWNER  HEARD  AGE  ENTRIES  LAG  HERE     DIRECTORY  NAME
 *   01a1f9f7-22cb  maple     2s   3s      612    4  owns     ~/proj     why is the build slow
 *   01a1f9e0-4411  birch     3h   3h       31       follows  ~/other    -
 */
#include "fleet/cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/value.h"
#include "xylem/session.h"

#define SMALL_CELLS 80u /* narrower terminals have no room for all columns */

struct sessions_options {
    struct xylem_cli__form form;
    bool here;
    const char *directory;
    const char *name;
    const char *since;
    const char *until;
    struct xylem_cli__count number;
};

static const struct xylem_cli__option sessions_table[] = {
    {"dir", 'd', "DIR", XYLEM_CLI__TEXT, offsetof(struct sessions_options, directory),
     "only sessions whose directory is DIR or below DIR", NULL},
    {"here", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, here), "the same for this directory", NULL},
    {"name", 0, "TEXT", XYLEM_CLI__TEXT, offsetof(struct sessions_options, name),
     "only sessions with TEXT in their name, in upper or lower case", NULL},
    {"since", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct sessions_options, since),
     "only sessions last active at TIME or later: 2h, 3d, yesterday", NULL},
    {"until", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct sessions_options, until),
     "only sessions last active at TIME or before", NULL},
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct sessions_options, number), "at most N sessions", NULL},
    XYLEM_CLI__FORM_ROWS(struct sessions_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

enum here { NOT_HERE, FOLLOWS, OWNS, FENCED };
static const char *const here_words[] = {"-", "follows", "owns", "fenced"};

/* A row, copied: the texts lie one after the other. */
struct listed {
    char *texts;
    struct xylem_view id;
    struct xylem_view host; /* data NULL: nobody */
    struct xylem_view name;
    struct xylem_view cwd;
    uint64_t silent_ms;
    uint64_t entries;
    uint64_t changes;
    uint64_t lag; /* changes of the store that the engine lacks */
    uint64_t epoch;
    int64_t active_ms;
    enum here here;
    bool freed;
    bool deleted;
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

static struct xylem_view put(char **at, struct xylem_view text)
{
    struct xylem_view copy = {text.data ? *at : NULL, text.bytes};
    if (text.bytes > 0) {
        memcpy(*at, text.data, text.bytes);
        *at += text.bytes;
    }
    return copy;
}

/* What the store has of the session. */
static int join(struct xylem_cli *cli, struct listed *listed, const struct fleet_row *row)
{
    struct xylem_session session;
    int code = cli->txn ? xylem_cli__session_exact(cli, &session, row->id) : 0;
    if (code == 1) {
        bool follows = session.owner.bytes > 0;
        listed->here = follows ? FOLLOWS : row->mine ? OWNS : session.epoch > 0 ? FENCED : NOT_HERE;
        listed->lag =
            listed->here == OWNS && session.history.count + 1 > row->next ? session.history.count + 1 - row->next : 0;
        return 0;
    }
    return code;
}

static bool passes(const struct listing *listing, const struct fleet_cli_about *about)
{
    return about->active_ms >= listing->since_ms && about->active_ms <= listing->until_ms &&
           (listing->directories.count == 0 ||
            (about->cwd.data && fleet_config_covers(&listing->directories, about->cwd))) &&
           (!listing->name.data || (about->name.data && xylem_cli__contains(about->name, listing->name)));
}

static int add(struct fleet_cli *fleet, void *context, const struct fleet_row *row)
{
    struct listing *listing = context;
    struct fleet_cli_about about;
    fleet_cli_about(&about, &listing->tree, row->about);
    if (!passes(listing, &about)) {
        return 0;
    }
    struct listed listed = {.silent_ms = row->silent_ms,
                            .entries = about.entries,
                            .changes = row->next - 1,
                            .epoch = row->epoch,
                            .active_ms = about.active_ms,
                            .freed = row->freed,
                            .deleted = about.deleted};
    char *at = malloc(row->id.bytes + row->host.bytes + about.name.bytes + about.cwd.bytes + 1);
    if (!at) {
        return xylem_cli__fail_memory(fleet->cli);
    }
    listed.texts = at;
    listed.id = put(&at, row->id);
    listed.host = put(&at, row->unowned ? (struct xylem_view){NULL, 0} : row->host);
    listed.name = put(&at, about.name);
    listed.cwd = put(&at, about.cwd);
    int code = join(fleet->cli, &listed, row);
    code = code < 0 ? code
                    : xylem_cli__list_add(fleet->cli, &listing->list, &listing->count, &listing->capacity, &listed,
                                          sizeof listed);
    if (code < 0) {
        free(listed.texts);
    }
    return code;
}

static int last_active_first(const void *a, const void *b)
{
    const struct listed *left = a;
    const struct listed *right = b;
    return left->active_ms != right->active_ms
               ? (left->active_ms < right->active_ms) - (left->active_ms > right->active_ms)
               : xylem_base__view_order(left->id, right->id);
}

/* --- The table ---------------------------------------------------------------------------------------------------- */

/* `2s`, `3m`: since an owner was heard from, by the engine's clock. */
static void add_heard(const struct xylem_cli *cli, struct xylem_cli__text *cell, const struct listed *listed)
{
    if (listed->host.data) {
        xylem_cli__add_age(cli, cell, cli->now_ms - (int64_t)xylem_cli__least(listed->silent_ms, INT64_MAX / 2));
    }
}

static void add_path(const struct xylem_cli *cli, struct xylem_cli__text *cell, struct xylem_view path)
{
    const char *home = getenv("HOME");
    size_t bytes = home ? strlen(home) : 0;
    bool at_home = bytes > 1 && path.bytes >= bytes && memcmp(path.data, home, bytes) == 0 &&
                   (path.bytes == bytes || path.data[bytes] == '/');
    if (!path.data) {
        xylem_cli__add(cell, "-");
        return;
    }
    path = at_home ? (struct xylem_view){path.data + bytes, path.bytes - bytes} : path;
    xylem_cli__add_path(cli, cell, at_home ? "~" : "", path, cli->width > 0 ? 28 : SIZE_MAX);
}

enum { SESSION, OWNER, HEARD, AGE, ENTRIES, LAG, HERE, DIRECTORY, NAME, COLUMN_COUNT };

static const struct xylem_cli__column columns[COLUMN_COUNT] = {
    [SESSION] = {.title = "SESSION", .cut_cells = 24, .color = XYLEM_CLI__YELLOW, .whole = true},
    [OWNER] = {.title = "OWNER", .cut_cells = 8},
    [HEARD] = {.title = "HEARD", .right = true, .color = XYLEM_CLI__DIM},
    [AGE] = {.title = "AGE", .right = true, .color = XYLEM_CLI__DIM},
    [ENTRIES] = {.title = "ENTRIES", .right = true},
    [LAG] = {.title = "LAG", .right = true, .color = XYLEM_CLI__RED},
    [HERE] = {.title = "HERE"},
    [DIRECTORY] = {.title = "DIRECTORY", .cut_cells = 9},
    [NAME] = {.title = "NAME", .cut_cells = 10, .color = XYLEM_CLI__BOLD},
};

static void add_cell(const struct xylem_cli *cli, struct xylem_cli__table *table, int kind, const struct listed *listed,
                     struct xylem_view short_id)
{
    struct xylem_cli__text *cell = &table->cell;
    const struct xylem_view none = xylem_view_of("-");
    switch (kind) {
    case SESSION:
        xylem_cli__add_shown(cli, cell, short_id, XYLEM_CLI__EXACT, SIZE_MAX);
        break;
    case OWNER:
        xylem_cli__add_shown(cli, cell, listed->host.data ? listed->host : none, XYLEM_CLI__ONE_LINE, SIZE_MAX);
        break;
    case HEARD:
        add_heard(cli, cell, listed);
        break;
    case AGE:
        if (listed->active_ms > 0) {
            xylem_cli__add_age(cli, cell, listed->active_ms);
        }
        break;
    case ENTRIES:
        xylem_cli__add_count(cell, listed->entries);
        break;
    case LAG:
        if (listed->lag > 0) {
            xylem_cli__add_count(cell, listed->lag);
        }
        break;
    case HERE:
        xylem_cli__add(cell, listed->freed ? "freed" : listed->deleted ? "deleted" : here_words[listed->here]);
        break;
    case DIRECTORY:
        add_path(cli, cell, listed->cwd);
        break;
    default:
        xylem_cli__add_shown(cli, cell, listed->name.data ? listed->name : none, XYLEM_CLI__ONE_LINE, SIZE_MAX);
        break;
    }
    xylem_cli__table_end_cell(table);
}

static int put_table(struct xylem_cli *cli, const struct listing *listing, size_t count)
{
    bool small = cli->width > 0 && cli->width < SMALL_CELLS;
    struct xylem_cli__column chosen[COLUMN_COUNT];
    struct xylem_cli__table table = {.columns = chosen};
    struct xylem_cli__short_ids ids = {0};
    struct xylem_cli plain = *cli;
    int kinds[COLUMN_COUNT];
    int code = 0;
    plain.colored = false;
    for (int kind = 0; kind < COLUMN_COUNT; kind++) {
        if (!small || (kind != HEARD && kind != ENTRIES && kind != DIRECTORY)) {
            chosen[table.column_count] = columns[kind];
            kinds[table.column_count++] = kind;
        }
    }
    for (size_t i = 0; code == 0 && cli->width > 0 && i < listing->count; i++) {
        code = xylem_cli__short_ids_add(cli, &ids, listing->list[i].id);
    }
    xylem_cli__short_ids_sort(&ids);
    for (size_t i = 0; code == 0 && i < count; i++) {
        for (size_t k = 0; k < table.column_count; k++) {
            add_cell(&plain, &table, kinds[k], &listing->list[i], xylem_cli__short_id(&ids, listing->list[i].id));
        }
    }
    code = code == 0 ? xylem_cli__table_put(cli, &table) : code;
    xylem_cli__short_ids_release(&ids);
    xylem_cli__table_release(&table);
    return code;
}

static int put_documents(struct xylem_cli *cli, struct xylem_cli__documents *documents, const struct listing *listing,
                         size_t count)
{
    static const char *const words[] = {NULL, "follows", "owns", "fenced"};
    struct xylem_cli__text text = {0};
    int code = 0;
    for (size_t i = 0; code == 0 && i < count; i++) {
        const struct listed *listed = &listing->list[i];
        xylem_cli__json_document(&text);
        xylem_cli__member_string(&text, "session", listed->id);
        xylem_cli__member_maybe(&text, "host", listed->host);
        xylem_cli__member_count(&text, "silent_ms", listed->silent_ms);
        xylem_cli__member_count(&text, "epoch", listed->epoch);
        xylem_cli__member_maybe_time(&text, "active", listed->active_ms > 0, listed->active_ms);
        xylem_cli__member_count(&text, "entry_count", listed->entries);
        xylem_cli__member_count(&text, "changes", listed->changes);
        xylem_cli__member_count(&text, "lag", listed->lag);
        xylem_cli__member_maybe(&text, "here", xylem_view_of(words[listed->here]));
        xylem_cli__member_bool(&text, "deleted", listed->deleted);
        xylem_cli__member_bool(&text, "freed", listed->freed);
        xylem_cli__member_maybe(&text, "cwd", listed->cwd);
        xylem_cli__member_maybe(&text, "name", listed->name);
        xylem_cli__json_end(&text, '}');
        code = xylem_cli__documents_put(cli, documents, &text);
    }
    xylem_cli__text_release(&text);
    return code != 0 ? code : xylem_cli__documents_end(cli, documents);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int read_options(struct xylem_cli *cli, struct listing *listing, const struct sessions_options *given)
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

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct sessions_options *given = options;
    struct xylem_cli__documents documents;
    struct fleet_cli fleet = {.cli = cli};
    struct listing listing = {.list = NULL};
    (void)arguments;
    int code = xylem_cli__documents_start(cli, &documents, given->form, "sessions");
    if (code == 0 && (code = read_options(cli, &listing, given)) == 0 &&
        (code = fleet_cli_engine(&fleet, cli, true)) == 0 && (code = fleet_cli_open_if_there(&fleet)) == 0 &&
        (code = fleet_cli_token_read(&fleet)) == 0 && (code = fleet_cli_each_row(&fleet, add, &listing)) == 0) {
        size_t count = given->number.given ? xylem_cli__least(listing.count, given->number.number) : listing.count;
        if (listing.count > 1) {
            qsort(listing.list, listing.count, sizeof *listing.list, last_active_first);
        }
        if (!documents.wanted) {
            xylem_cli__pager_start(cli);
        }
        code = documents.wanted ? put_documents(cli, &documents, &listing, count) : put_table(cli, &listing, count);
        if (code == 0 && listing.count == 0 && !documents.wanted) {
            bool filtered = listing.directories.count > 0 || given->name || given->since || given->until;
            xylem_cli__note(cli, filtered ? "no session passes the filters"
                                          : "the fleet has no sessions yet: `xylem fleet ship --dry-run` shows what "
                                            "would go from here");
        }
    }
    for (size_t i = 0; i < listing.count; i++) {
        free(listing.list[i].texts);
    }
    free(listing.list);
    free(listing.directories.count > 0 ? listing.directories.words[0] : NULL);
    xylem_base__tree_release(&listing.tree);
    fleet_cli_end(&fleet);
    return code;
}

const struct xylem_cli__command fleet_cli_sessions = {
    .name = "fleet sessions",
    .summary = "List the sessions of all hosts, the last active first",
    .usage = "[--dir DIR|--here] [--name TEXT] [--since TIME] [--until TIME] [-n N] [--json|--jsonl]",
    .details =
        "OWNER is the host that writes the session, HEARD when the engine heard from it, AGE the age of the last\n"
        "entry. HERE says what this store has: it `owns` the session, or `follows` the owner; `fenced`: another host\n"
        "took over, and `xylem fleet status` says what settles that. LAG counts changes of this store that the engine\n"
        "does not have yet. `xylem fleet resume SESSION` goes on with a session here, `xylem fleet pull SESSION` only\n"
        "brings it.\n",
    .options = sessions_table,
    .options_bytes = sizeof(struct sessions_options),
    .run = run,
};
