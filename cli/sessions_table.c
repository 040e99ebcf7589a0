/*
 * Prints the table of `xylem sessions`. On a terminal, forks and clones stand below their source:
 *
 *   SESSION            AGE  ENTRIES  DIRECTORY  NAME               LAST
 *   01a1f9f7-22cb       2h       31  ~/proj     scenario one       echo: after resume
 *   |-01a1f9f7-23f3     3h       20  ~/proj     scenario one       echo: after compaction
 *   | `-01a1f9f7-2412   3h        8  ~/proj     "first question"   echo: first question
 *   beef0000-1111       3d      612  ~/other    "Why is the bui~"  done
 */
#include "cli/sessions.h"

#include <stdlib.h>
#include <string.h>

/* Narrower terminals have no room for all columns. */
#define MEDIUM_CELLS 70u
#define WIDE_CELLS 120u
#define LEVEL_MAX 8u /* deeper forks do not move further to the right */
#define LEVEL_MAX_NARROW 3u
#define LAST_CELLS 72u
#define NONE SIZE_MAX

enum { SESSION, CREATED, AGE, ENTRIES, STATE, DIRECTORY, NAME, LAST, COLUMN_COUNT };

/* The place of a session in the drawing. */
struct place {
    size_t at;      /* index in the list */
    uint32_t level; /* 0: not below another session */
    bool goes_on;   /* another session of the same source follows */
};

/* The sessions below a session, and its family. */
struct node {
    size_t first;
    size_t last;
    size_t next;
    size_t root;
    bool drawn;
};

struct sheet {
    struct xylem_cli__table table;
    struct xylem_cli__column columns[COLUMN_COUNT];
    int kinds[COLUMN_COUNT];
    struct xylem_cli__short_ids short_ids; /* empty: ids are not cut */
    struct place *places;                  /* NULL: in the order of the list */
    struct xylem_cli__lanes lanes;
    size_t name_cells;
    size_t directory_cells;
    const char *home; /* shown as `~`; NULL: not known */
};

/* --- Families ----------------------------------------------------------------------------------------------------- */

/* Links the sessions below each session, in the order of the list. */
static void link_nodes(const struct xylem_cli__listing *listing, struct node *nodes)
{
    for (size_t i = 0; i < listing->count; i++) {
        nodes[i] = (struct node){.first = NONE, .last = NONE, .next = NONE, .root = NONE};
    }
    for (size_t i = 0; i < listing->count; i++) {
        size_t above = listing->sources[i].above;
        if (above == NONE) {
            continue;
        }
        if (nodes[above].last == NONE) {
            nodes[above].first = i;
        } else {
            nodes[nodes[above].last].next = i;
        }
        nodes[above].last = i;
    }
}

/* Finds the first session of the family, and keeps the answer for all sessions on the way. */
static size_t root_of(const struct xylem_cli__listing *listing, struct node *nodes, size_t at)
{
    size_t root = at;
    while (nodes[root].root == NONE && listing->sources[root].above != NONE) {
        root = listing->sources[root].above;
    }
    root = nodes[root].root == NONE ? root : nodes[root].root;
    while (at != root && nodes[at].root == NONE) {
        nodes[at].root = root;
        at = listing->sources[at].above;
    }
    nodes[root].root = root;
    return root;
}

/* Places a family from its first session on. Without recursion, because a chain of forks may be long. */
static size_t place_family(const struct xylem_cli__listing *listing, const struct node *nodes, struct place *places,
                           size_t root)
{
    size_t count = 0;
    uint32_t level = 0;
    size_t at = root;
    while (at != NONE) {
        places[count++] = (struct place){at, level, at != root && nodes[at].next != NONE};
        if (nodes[at].first != NONE) {
            at = nodes[at].first;
            level++;
            continue;
        }
        while (at != root && nodes[at].next == NONE) {
            at = listing->sources[at].above;
            level--;
        }
        at = at == root ? NONE : nodes[at].next;
    }
    return count;
}

/* On a terminal a family stands at the place of its last active session. */
static int place_all(struct xylem_cli *cli, struct sheet *sheet, struct xylem_cli__listing *listing)
{
    bool reverse = listing->wanted.reverse;
    size_t done = reverse ? listing->count : 0;
    if (cli->width == 0 || listing->wanted.flat || listing->wanted.sort != XYLEM_CLI__BY_ACTIVE) {
        return 0;
    }
    int code = xylem_cli__listing_relate(cli, listing);
    struct node *nodes = calloc(listing->count + 1, sizeof *nodes);
    struct place *places = calloc(listing->count + 1, sizeof *places);
    sheet->places = places;
    code = code < 0 || (nodes && places) ? code : xylem_cli__fail_memory(cli);
    if (code == 0) {
        link_nodes(listing, nodes);
    }
    for (size_t i = 0; code == 0 && i < listing->count; i++) {
        size_t root = root_of(listing, nodes, reverse ? listing->count - 1 - i : i);
        if (nodes[root].drawn) {
            continue;
        }
        nodes[root].drawn = true;
        if (!reverse) {
            done += place_family(listing, nodes, places + done, root);
            continue;
        }
        /* from the end: the family is placed at the beginning, and moved to the other families */
        size_t count = place_family(listing, nodes, places, root);
        memmove(places + (done - count), places, count * sizeof *places);
        done -= count;
    }
    free(nodes);
    return code;
}

/* --- The columns -------------------------------------------------------------------------------------------------- */

static const char *state_of(const struct xylem_cli__listed *listed)
{
    static const char *const words[] = {"live", "importing", "deleted"};
    return listed->state != XYLEM_SESSION_LIVE ? words[listed->state]
           : listed->spaced                    ? "namespace"
           : listed->leased                    ? "leased"
           : listed->follows                   ? "follows"
           : listed->file_gone                 ? "file gone"
                                               : words[XYLEM_SESSION_LIVE];
}

static bool are_all_live(const struct xylem_cli__listing *listing)
{
    size_t i = 0;
    while (i < listing->count && strcmp(state_of(&listing->list[i]), "live") == 0) {
        i++;
    }
    return i == listing->count;
}

static void choose_columns(const struct xylem_cli *cli, struct sheet *sheet, const struct xylem_cli__listing *listing)
{
    static const struct xylem_cli__column columns[COLUMN_COUNT] = {
        [SESSION] = {"SESSION", false, 24, XYLEM_CLI__YELLOW, true},
        [CREATED] = {"CREATED", false, 0, NULL, false},
        [AGE] = {"AGE", true, 0, XYLEM_CLI__DIM, false},
        [ENTRIES] = {"ENTRIES", true, 0, NULL, false},
        [STATE] = {"STATE", false, 0, XYLEM_CLI__RED, false},
        [DIRECTORY] = {"DIRECTORY", false, 9, NULL, false},
        [NAME] = {"NAME", false, 12, XYLEM_CLI__BOLD, false},
        [LAST] = {"LAST", false, 10, NULL, false},
    };
    bool narrow = cli->width > 0 && cli->width < WIDE_CELLS;
    bool small = cli->width > 0 && cli->width < MEDIUM_CELLS;
    const bool hidden[COLUMN_COUNT] = {
        [CREATED] = listing->wanted.sort != XYLEM_CLI__BY_CREATED,
        [ENTRIES] = small && listing->wanted.sort != XYLEM_CLI__BY_ENTRIES,
        [STATE] = are_all_live(listing),
        [LAST] = small,
    };
    size_t count = 0;
    for (int kind = 0; kind < COLUMN_COUNT; kind++) {
        if (!hidden[kind]) {
            sheet->columns[count] = columns[kind];
            sheet->kinds[count++] = kind;
        }
    }
    sheet->table.columns = sheet->columns;
    sheet->table.column_count = count;
    sheet->lanes.level_max = narrow ? LEVEL_MAX_NARROW : LEVEL_MAX;
    sheet->name_cells = small ? 24 : narrow ? 18 : 40;
    sheet->directory_cells = cli->width == 0 ? SIZE_MAX : small ? 12 : narrow ? 16 : 32;
}

/* --- The cells ---------------------------------------------------------------------------------------------------- */

/*
 * Adds the path, with `~` for the home directory. Of a long path the first part and as many last parts as fit stay:
 * `~/.../deep/er`.
 */
static void add_directory(const struct xylem_cli *cli, struct xylem_cli__text *cell, const struct sheet *sheet,
                          struct xylem_view path)
{
    struct xylem_cli__text shown = {0};
    size_t home_bytes = sheet->home ? strlen(sheet->home) : 0;
    bool at_home = home_bytes > 1 && path.bytes >= home_bytes && memcmp(path.data, sheet->home, home_bytes) == 0 &&
                   (path.bytes == home_bytes || path.data[home_bytes] == '/') && !xylem_cli__is_left_out(cli, path);
    while (path.bytes > 1 && path.data[path.bytes - 1] == '/') {
        path.bytes--;
    }
    if (at_home) {
        xylem_cli__add(&shown, "~");
        path = (struct xylem_view){path.data + home_bytes, path.bytes - home_bytes};
    }
    xylem_cli__add_shown(cli, &shown, path, XYLEM_CLI__EXACT, SIZE_MAX);
    path = xylem_cli__text_view(&shown);
    const char *slash = path.bytes > 1 ? memchr(path.data + 1, '/', path.bytes - 1) : NULL;
    size_t head = slash ? (size_t)(slash - path.data) : path.bytes;
    struct xylem_view rest = {path.data + head, path.bytes - head};
    if (path.bytes > sheet->directory_cells) {
        size_t most = sheet->directory_cells > head + 2 ? sheet->directory_cells - head - 2 : 0;
        while (rest.bytes > most && (slash = memchr(rest.data + 1, '/', rest.bytes - 1))) {
            rest = (struct xylem_view){slash, rest.bytes - (size_t)(slash - rest.data)};
        }
    }
    xylem_cli__add_bytes(cell, path.data, head);
    if (head + rest.bytes < path.bytes) {
        xylem_cli__add(cell, xylem_cli__utf8(cli) ? "/\u2026" : "/...");
    }
    xylem_cli__add_bytes(cell, rest.data, rest.bytes);
    xylem_cli__part_end(cell, &shown);
}

/* The first and the last words, for the cells of a row. */
struct words {
    struct xylem_cli__text first;
    struct xylem_cli__text last;
};

/* What is left out goes before the words are cut: outlines keep cut words. */
static int read_words(struct xylem_cli *cli, struct words *words, const struct xylem_session *session)
{
    xylem_cli__text_clear(&words->first);
    xylem_cli__text_clear(&words->last);
    if (!cli->left_out) {
        return xylem_outline_words(&words->first.bytes, &words->last.bytes, cli->txn, session, &cli->err);
    }
    int code = xylem_cli__add_first_words(cli, &words->first, session);
    code = code < 0 ? code : xylem_cli__add_last_words(cli, &words->last, session);
    return code == 0 && (words->first.failed || words->last.failed) ? xylem_cli__fail_memory(cli) : code;
}

static void add_words(const struct xylem_cli *cli, struct xylem_cli__text *cell, const struct xylem_cli__text *words,
                      size_t cells)
{
    struct xylem_view view = words->bytes.bytes > 0 ? xylem_cli__text_view(words) : xylem_view_of("-");
    xylem_cli__add_shown(cli, cell, view, XYLEM_CLI__ONE_LINE, cells);
}

/* `cli` has no colours: the table colours whole cells. */
static void add_row(const struct xylem_cli *cli, struct sheet *sheet, const struct xylem_cli__listing *listing,
                    const struct place *place, const struct words *words)
{
    struct xylem_cli__text *cell = &sheet->table.cell;
    const struct xylem_cli__listed *listed = &listing->list[place->at];
    struct xylem_view name = xylem_cli__listed_name(listing, listed);
    struct xylem_view id = xylem_cli__short_id(&sheet->short_ids, listed->id);
    for (size_t i = 0; i < sheet->table.column_count; i++) {
        switch (sheet->kinds[i]) {
        case SESSION:
            xylem_cli__add_lanes(cli, cell, &sheet->lanes, place->level, place->goes_on);
            xylem_cli__add_shown(cli, cell, id, XYLEM_CLI__EXACT, SIZE_MAX); /* without the lanes before the id */
            break;
        case CREATED:
            xylem_cli__add_minute(cell, listed->created_ms);
            break;
        case AGE:
            xylem_cli__add_age(cli, cell, listed->active_ms);
            break;
        case ENTRIES:
            xylem_cli__add_count(cell, listed->entry_count);
            break;
        case STATE:
            xylem_cli__add(cell, state_of(listed));
            break;
        case DIRECTORY:
            add_directory(cli, cell, sheet, listed->cwd.data ? listed->cwd : xylem_view_of("-"));
            break;
        case NAME:
            if (name.data) {
                xylem_cli__add_shown(cli, cell, name, XYLEM_CLI__ONE_LINE, sheet->name_cells);
            } else if (words->first.bytes.bytes > 0) {
                xylem_cli__add(cell, "\""); /* only a name without quotes names the session */
                add_words(cli, cell, &words->first, sheet->name_cells - 2);
                xylem_cli__add(cell, "\"");
            } else {
                xylem_cli__add(cell, "-");
            }
            break;
        default:
            add_words(cli, cell, &words->last, LAST_CELLS);
            break;
        }
        xylem_cli__table_end_cell(&sheet->table);
    }
}

int xylem_cli__sessions_table(struct xylem_cli *cli, struct xylem_cli__listing *listing)
{
    struct sheet sheet = {.home = getenv("HOME")};
    struct words words = {0};
    struct xylem_cli plain = *cli;
    int code = cli->width > 0 ? xylem_cli__short_ids_read(cli, &sheet.short_ids) : 0;
    plain.colored = false;
    choose_columns(cli, &sheet, listing);
    code = code < 0 ? code : place_all(cli, &sheet, listing);
    for (size_t i = 0; code == 0 && i < listing->count; i++) {
        const struct place place = sheet.places ? sheet.places[i] : (struct place){.at = i};
        const struct xylem_cli__listed *listed = &listing->list[place.at];
        struct xylem_session session;
        code = xylem_session_read(&session, cli->txn, listed->number, &cli->err);
        code = code < 0 ? code : read_words(cli, &words, &session);
        /* damage is reported, and counts for the listing: the session is listed without words */
        if ((code = xylem_cli__listing_damage(cli, listing, listed->id, code)) == 0) {
            add_row(&plain, &sheet, listing, &place, &words);
        }
    }
    code = code == 0 ? xylem_cli__table_put(cli, &sheet.table) : code;
    xylem_cli__text_release(&words.first);
    xylem_cli__text_release(&words.last);
    free(sheet.places);
    xylem_cli__short_ids_release(&sheet.short_ids);
    xylem_cli__table_release(&sheet.table);
    return code;
}
