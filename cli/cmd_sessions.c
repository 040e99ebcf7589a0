/* xylem sessions: lists the sessions, the last active first. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/store/listing.h"

/* On narrower terminals ids are cut to their shortest unique beginnings, and some columns are left out. */
#define WIDE_CELLS 120u
#define DIRECTORY_CELLS_NARROW 28u

struct sessions_options {
    struct xylem_cli__form form;
    bool all;
    bool runs;
    bool deleted;
    bool file_gone;
    bool reverse;
    int sort;
    struct xylem_cli__count number;
    const char *directory;
    const char *name;
    const char *since;
    const char *until;
};

static const char *const sort_choices[] = {"active", "created", "name", "entries", "directory", NULL};

static const struct xylem_cli__option sessions_table[] = {
    {"all", 'a', NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, all),
     "also deleted sessions, and sessions whose import has not finished", NULL},
    {"runs", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, runs), "also the ledgers of runs", NULL},
    {"deleted", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, deleted), "only deleted sessions", NULL},
    {"file-gone", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, file_gone),
     "only sessions whose session file is gone", NULL},
    {"dir", 'd', "DIR", XYLEM_CLI__TEXT, offsetof(struct sessions_options, directory),
     "only sessions whose directory is DIR or below DIR", NULL},
    {"name", 0, "TEXT", XYLEM_CLI__TEXT, offsetof(struct sessions_options, name),
     "only sessions with TEXT in their name, in upper or lower case", NULL},
    {"since", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct sessions_options, since),
     "only sessions last active at TIME or later: 2h, 3d, 2026-11-20", NULL},
    {"until", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct sessions_options, until),
     "only sessions last active at TIME or before", NULL},
    {"sort", 0, "ORDER", XYLEM_CLI__CHOICE, offsetof(struct sessions_options, sort),
     "sort by active (default), created, name, entries or directory", sort_choices},
    {"reverse", 'r', NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, reverse), "reverse the order", NULL},
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct sessions_options, number), "at most N sessions", NULL},
    XYLEM_CLI__FORM_ROWS(struct sessions_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static const char *const state_words[] = {"live", "importing", "deleted"};

/* --- For programs ----------------------------------------------------------------------------------------------- */

/* The paths of the known session files, as elements of a list. */
static int add_files(struct xylem_cli *cli, struct xylem_cli__text *elements, const struct xylem_session *session)
{
    struct xylem_session_files *files = NULL;
    struct xylem_session_file file;
    int code = xylem_session_files_new(&files, cli->txn, session->number, &cli->err);
    while (code == 0 && (code = xylem_session_files_next(&file, files, &cli->err)) == 1) {
        xylem_cli__json_separate(elements);
        xylem_cli__json_string(elements, file.path);
        code = 0;
    }
    xylem_session_files_free(files);
    return code;
}

static int put_documents(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                         const struct xylem_cli__listing *listing)
{
    struct xylem_cli__text text = {0};
    struct xylem_cli__text files = {0};
    int code = 0;
    for (size_t i = 0; code == 0 && i < listing->count; i++) {
        const struct xylem_cli__listed *listed = &listing->list[i];
        const struct xylem_session *session = &listed->session;
        xylem_cli__json_document(&text);
        xylem_cli__member_string(&text, "id", session->id);
        xylem_cli__member_string(&text, "state", xylem_view_of(state_words[session->state]));
        xylem_cli__member_time(&text, "created", session->created_ms);
        xylem_cli__member_count(&text, "entries", listed->outline.entry_count);
        xylem_cli__member_maybe(&text, "leaf", listed->leaf_id);
        if (listed->leaf_id.data) {
            xylem_cli__member_time(&text, "leaf_time", listed->active_ms);
        } else {
            xylem_cli__member_maybe(&text, "leaf_time", xylem_view_of(NULL));
        }
        xylem_cli__member_time(&text, "active", listed->active_ms);
        xylem_cli__member_count(&text, "depth", session->leaf.depth);
        xylem_cli__member_maybe(&text, "name", xylem_cli__listed_name(listing, listed));
        xylem_cli__member_maybe(&text, "cwd", session->cwd);
        xylem_cli__member_maybe(&text, "parent_session", session->parent);
        xylem_cli__member_count(&text, "moves", session->move_count);
        xylem_cli__member_bool(&text, "file_gone", listed->file_gone);
        code = add_files(cli, &files, session);
        xylem_cli__member_list(&text, "files", &files);
        xylem_cli__text_clear(&files);
        xylem_cli__json_end(&text, '}');
        code = code != 0 ? code : xylem_cli__documents_put(cli, documents, &text);
    }
    xylem_cli__text_release(&files);
    xylem_cli__text_release(&text);
    return code != 0 ? code : xylem_cli__documents_end(cli, documents);
}

/* --- For people ------------------------------------------------------------------------------------------------- */

enum { SESSION, STATE, FILE_GONE, ENTRIES, CREATED, ACTIVE, NAME, DIRECTORY, COLUMN_COUNT };

/* The table, its columns, and the ids to cut. */
struct sheet {
    struct xylem_cli__table table;
    struct xylem_cli__column columns[COLUMN_COUNT];
    int kinds[COLUMN_COUNT];
    struct xylem_cli__short_ids short_ids; /* empty: ids are not cut */
    const char *home;                      /* shown as `~`; NULL: not known */
    bool narrow;
};

static bool is_any_gone(const struct xylem_cli__listing *listing)
{
    size_t i = 0;
    while (i < listing->count && !listing->list[i].file_gone) {
        i++;
    }
    return i < listing->count;
}

static void choose_columns(struct sheet *sheet, const struct xylem_cli__listing *listing)
{
    static const struct xylem_cli__column columns[COLUMN_COUNT] = {
        [SESSION] = {"SESSION", false, 24, XYLEM_CLI__YELLOW, true},
        [STATE] = {"STATE", false, 0, XYLEM_CLI__RED, false},
        [FILE_GONE] = {"FILE", false, 0, XYLEM_CLI__RED, false},
        [ENTRIES] = {"ENTRIES", true, 0, NULL, false},
        [CREATED] = {"CREATED", false, 0, NULL, false},
        [ACTIVE] = {"ACTIVE", true, 0, XYLEM_CLI__DIM, false},
        [NAME] = {"NAME", false, 12, XYLEM_CLI__BOLD, false},
        [DIRECTORY] = {"DIRECTORY", false, 12, NULL, false},
    };
    const bool hidden[COLUMN_COUNT] = {
        [STATE] = !listing->wanted.all,
        [FILE_GONE] = !is_any_gone(listing),
        [CREATED] = sheet->narrow && listing->wanted.sort != XYLEM_CLI__BY_CREATED,
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
}

/* Adds the path, with `~` for the home directory. */
static void add_directory(const struct xylem_cli *cli, struct xylem_cli__text *cell, const struct sheet *sheet,
                          struct xylem_view path)
{
    size_t home_bytes = sheet->home ? strlen(sheet->home) : 0;
    const char *beginning = "";
    if (home_bytes > 1 && path.bytes >= home_bytes && memcmp(path.data, sheet->home, home_bytes) == 0 &&
        (path.bytes == home_bytes || path.data[home_bytes] == '/')) {
        beginning = "~";
        path = (struct xylem_view){path.data + home_bytes, path.bytes - home_bytes};
    }
    xylem_cli__add_path(cli, cell, beginning, path, sheet->narrow ? DIRECTORY_CELLS_NARROW : SIZE_MAX);
}

static void add_row(const struct xylem_cli *cli, struct sheet *sheet, struct xylem_cli__text *cell,
                    const struct xylem_cli__listing *listing, const struct xylem_cli__listed *listed)
{
    struct xylem_view name = xylem_cli__listed_name(listing, listed);
    struct xylem_view cwd = listed->session.cwd;
    for (size_t i = 0; i < sheet->table.column_count; i++) {
        switch (sheet->kinds[i]) {
        case SESSION:
            xylem_cli__table_add(&sheet->table, xylem_cli__short_id(&sheet->short_ids, listed->session.id));
            continue;
        case STATE:
            xylem_cli__table_add(&sheet->table, xylem_view_of(state_words[listed->session.state]));
            continue;
        case FILE_GONE:
            xylem_cli__table_add(&sheet->table, xylem_view_of(listed->file_gone ? "gone" : "-"));
            continue;
        case NAME:
            xylem_cli__table_add(&sheet->table, name.data ? name : xylem_view_of("-"));
            continue;
        case ENTRIES:
            xylem_cli__add_count(cell, listed->outline.entry_count);
            break;
        case CREATED:
            xylem_cli__add_minute(cell, listed->session.created_ms);
            break;
        case ACTIVE:
            xylem_cli__add_age(cli, cell, listed->active_ms);
            break;
        default:
            add_directory(cli, cell, sheet, cwd.data ? cwd : xylem_view_of("-"));
            break;
        }
        xylem_cli__table_add_text(&sheet->table, cell);
    }
}

static int put_table(struct xylem_cli *cli, const struct xylem_cli__listing *listing)
{
    struct sheet sheet = {.narrow = cli->width > 0 && cli->width < WIDE_CELLS, .home = getenv("HOME")};
    struct xylem_cli__text cell = {0};
    int code = sheet.narrow ? xylem_cli__short_ids_read(cli, &sheet.short_ids) : 0;
    choose_columns(&sheet, listing);
    for (size_t i = 0; code == 0 && i < listing->count; i++) {
        add_row(cli, &sheet, &cell, listing, &listing->list[i]);
    }
    if (code == 0 && listing->count > 0) {
        code = xylem_cli__table_put(cli, &sheet.table);
    }
    xylem_cli__text_release(&cell);
    xylem_cli__short_ids_release(&sheet.short_ids);
    xylem_cli__table_release(&sheet.table);
    return code;
}

/* ---------------------------------------------------------------------------------------------------------------- */

static int read_options(struct xylem_cli *cli, struct xylem_cli__wanted *wanted, const struct sessions_options *given)
{
    *wanted = (struct xylem_cli__wanted){
        .sort = given->sort == 0 ? XYLEM_CLI__BY_ACTIVE : (enum xylem_cli__order)(given->sort - 1),
        .reverse = given->reverse,
        .all = given->all,
        .runs = given->runs,
        .deleted = given->deleted,
        .files = true,
        .file_gone = given->file_gone,
        .directory = given->directory,
        .name = given->name,
        .since_ms = INT64_MIN,
        .until_ms = INT64_MAX,
        .limit = given->number,
    };
    if (given->all && given->deleted) {
        return xylem_cli__usage(cli, "--all and --deleted cannot be combined");
    }
    if (given->directory && *given->directory == '\0') {
        return xylem_cli__usage(cli, "--dir needs the name of a directory");
    }
    int code = xylem_cli__when(cli, &wanted->since_ms, given->since);
    return code != 0 ? code : xylem_cli__when(cli, &wanted->until_ms, given->until);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct sessions_options *given = options;
    struct xylem_cli__documents documents;
    struct xylem_cli__wanted wanted;
    struct xylem_cli__listing listing = {0};
    (void)arguments;
    int code = xylem_cli__documents_start(cli, &documents, given->form, "sessions");
    if (code == 0 && (code = read_options(cli, &wanted, given)) == 0 &&
        (code = xylem_cli__open_paged(cli, !documents.wanted)) == 0 &&
        (code = xylem_cli__listing_read(cli, &listing, &wanted)) == 0) {
        code = documents.wanted ? put_documents(cli, &documents, &listing) : put_table(cli, &listing);
    }
    if (code == 0 && listing.damaged) {
        code = XYLEM_CLI__CORRUPT;
    }
    xylem_cli__listing_release(&listing);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_sessions = {
    .name = "sessions",
    .group = XYLEM_CLI__LOOK,
    .summary = "List the sessions, the last active first",
    .usage =
        "[--dir DIR] [--name TEXT] [--since TIME] [--until TIME] [--sort ORDER] [--reverse] [-n N] [--all|--deleted] "
        "[--file-gone] [--runs] [--json|--jsonl]",
    .details =
        "ACTIVE is the age of the leaf, or of a session without entries. NAME and DIRECTORY come from the session\n"
        "itself. Where there is little room, SESSION is the shortest beginning of the id that names the session.\n"
        "FILE is shown if a session's file is gone, for example deleted in the program that wrote the file;\n"
        "`xylem delete --file-gone` deletes such sessions. The ledgers of runs (`xylem help sequence`) are left out\n"
        "without --runs.\n",
    .options = sessions_table,
    .options_bytes = sizeof(struct sessions_options),
    .run = run,
};
