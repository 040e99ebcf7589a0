/* xylem sessions: lists the sessions, the last active first. */
#include "cli/sessions.h"
#include "xylem/files.h"

#include <unistd.h>

struct sessions_options {
    struct xylem_cli__patterns patterns;
    struct xylem_cli__form form;
    struct xylem_cli__wanted wanted; /* without `sort` and the times */
    int sort;
    bool pick;
    const char *since;
    const char *until;
};

static const char *const sort_choices[] = {"active", "created", "name", "entries", "directory", NULL};

static const struct xylem_cli__option sessions_table[] = {
    {"all", 'a', NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, wanted.all),
     "also deleted sessions, and sessions whose import has not finished", NULL},
    {"runs", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, wanted.runs), "also the ledgers of runs",
     NULL},
    {"deleted", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, wanted.deleted), "only deleted sessions",
     NULL},
    {"file-gone", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, wanted.file_gone),
     "only sessions whose session file is gone", NULL},
    {"dir", 'd', "DIR", XYLEM_CLI__TEXT, offsetof(struct sessions_options, wanted.directory),
     "only sessions whose directory is DIR or below DIR", NULL},
    {"name", 0, "TEXT", XYLEM_CLI__TEXT, offsetof(struct sessions_options, wanted.name),
     "only sessions with TEXT in their name, in upper or lower case", NULL},
    {"since", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct sessions_options, since),
     "only sessions last active at TIME or later: 2h, 3d, yesterday, 'monday 14:00', 2026-11-20", NULL},
    {"until", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct sessions_options, until),
     "only sessions last active at TIME or before", NULL},
    {"sort", 0, "ORDER", XYLEM_CLI__CHOICE, offsetof(struct sessions_options, sort),
     "sort by active (default), created, name, entries or directory", sort_choices},
    {"reverse", 'r', NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, wanted.reverse), "reverse the order",
     NULL},
    {"pick", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct sessions_options, pick),
     "choose a session, and print its id; with fzf if there is one", NULL},
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct sessions_options, wanted.limit), "at most N sessions", NULL},
    XYLEM_CLI__LEFT_OUT_ROWS(struct sessions_options),
    XYLEM_CLI__FORM_ROWS(struct sessions_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* --- For programs ----------------------------------------------------------------------------------------------- */

/* The paths of the known session files, as elements of a list. */
static int add_files(struct xylem_cli *cli, struct xylem_cli__text *elements, const struct xylem_session *session)
{
    struct xylem_session_files *files = NULL;
    struct xylem_session_file file;
    int code = xylem_session_files_new(&files, cli->txn, session->number, &cli->err);
    while (code == 0 && (code = xylem_session_files_next(&file, files, &cli->err)) == 1) {
        xylem_cli__json_string(elements, file.path);
        code = 0;
    }
    xylem_session_files_free(files);
    return code;
}

/* Damage of a message is reported, and counts for the listing: the session is listed without the words. */
static int add_members(struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_cli__listing *listing,
                       size_t at, const struct xylem_cli__short_ids *short_ids)
{
    const struct xylem_cli__listed *listed = &listing->list[at];
    struct xylem_session session;
    struct xylem_cli__text files = {0};
    struct xylem_cli__spoken first = {0};
    struct xylem_cli__spoken last = {0};
    struct xylem_view leaf_id;
    int code;
    if ((code = xylem_session_read(&session, cli->txn, listed->number, &cli->err)) < 0 ||
        (code = xylem_cli__entry_id(cli, &leaf_id, session.leaf)) < 0) {
        return code;
    }
    code = xylem_cli__spoken_first(cli, &first, &session);
    code = xylem_cli__listing_damage(cli, listing, session.id, code);
    if (code == 0) {
        code = xylem_cli__spoken_last(cli, &last, &session);
        code = xylem_cli__listing_damage(cli, listing, session.id, code);
    }
    if (code < 0) {
        xylem_cli__spoken_release(&first);
        xylem_cli__spoken_release(&last);
        return code;
    }
    xylem_cli__member_session(text, session.id, session.name_space);
    xylem_cli__member_string(text, "short_id", xylem_cli__short_id(short_ids, session.id));
    xylem_cli__member_string(text, "state", xylem_view_of(xylem_cli__state_word(session.state)));
    xylem_cli__member_time(text, "created", session.created_ms);
    xylem_cli__member_count(text, "entry_count", listed->entry_count);
    xylem_cli__member_maybe(text, "leaf", leaf_id);
    xylem_cli__member_maybe_time(text, "leaf_time", leaf_id.data != NULL, listed->active_ms);
    xylem_cli__member_time(text, "active", listed->active_ms);
    xylem_cli__member_count(text, "leaf_depth", session.leaf.depth);
    xylem_cli__member_maybe(text, "name", xylem_cli__listed_name(listing, listed));
    xylem_cli__member_spoken(text, "first", &first);
    xylem_cli__member_spoken(text, "last", &last);
    xylem_cli__member_maybe(text, "cwd", session.cwd);
    xylem_cli__member_maybe(text, "source", listing->sources[at].id);
    xylem_cli__member_maybe(text, "parent_session", session.parent);
    xylem_cli__member_count(text, "move_count", session.move_count);
    xylem_cli__member_bool(text, "leased", listed->leased);
    if (session.owner.bytes > 0) {
        xylem_cli__member_string(text, "owner", session.owner);
    }
    xylem_cli__member_bool(text, "file_gone", listed->file_gone);
    code = add_files(cli, &files, &session);
    xylem_cli__member_list(text, "files", &files);
    xylem_cli__text_release(&files);
    xylem_cli__spoken_release(&first);
    xylem_cli__spoken_release(&last);
    return code;
}

static int put_documents(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                         struct xylem_cli__listing *listing)
{
    struct xylem_cli__short_ids short_ids;
    struct xylem_cli__text text = {0};
    int code = xylem_cli__short_ids_read(cli, &short_ids);
    code = code == 0 ? xylem_cli__listing_relate(cli, listing) : code;
    for (size_t i = 0; code == 0 && i < listing->count; i++) {
        xylem_cli__json_document(&text);
        code = add_members(cli, &text, listing, i, &short_ids);
        xylem_cli__json_end(&text, '}');
        code = code != 0 ? code : xylem_cli__documents_put(cli, documents, &text);
    }
    xylem_cli__text_release(&text);
    xylem_cli__short_ids_release(&short_ids);
    return code != 0 ? code : xylem_cli__documents_end(cli, documents);
}

/* ---------------------------------------------------------------------------------------------------------------- */

static int read_options(struct xylem_cli *cli, struct xylem_cli__wanted *wanted, const struct sessions_options *given)
{
    *wanted = given->wanted;
    wanted->sort = given->sort == 0 ? XYLEM_CLI__BY_ACTIVE : (enum xylem_cli__order)(given->sort - 1);
    wanted->files = true;
    wanted->spaced = !given->pick;
    wanted->since_ms = INT64_MIN;
    wanted->until_ms = INT64_MAX;
    if (wanted->all && wanted->deleted) {
        return xylem_cli__usage(cli, "--all and --deleted cannot be combined");
    }
    if (given->pick && (given->form.json || given->form.jsonl)) {
        return xylem_cli__usage(cli, "--pick prints an id, and no JSON");
    }
    if (given->pick && isatty(STDIN_FILENO) != 1) {
        return xylem_cli__usage(cli, "standard input is not a terminal: --pick asks a person");
    }
    wanted->flat = given->pick;
    if (wanted->directory && *wanted->directory == '\0') {
        return xylem_cli__usage(cli, "--dir needs the name of a directory");
    }
    return xylem_cli__when_between(cli, &wanted->since_ms, &wanted->until_ms, given->since, given->until);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct sessions_options *given = options;
    struct xylem_cli__documents documents;
    struct xylem_cli__wanted wanted = {0};
    struct xylem_cli__listing listing = {0};
    struct xylem_session session;
    (void)arguments;
    int code = xylem_cli__documents_start(cli, &documents, given->form, "sessions");
    if (code == 0 && (code = read_options(cli, &wanted, given)) == 0 &&
        (code = xylem_cli__leave_out_given(cli, &given->patterns)) == 0 &&
        (code = xylem_cli__open_paged(cli, !documents.wanted && !given->pick)) == 0 &&
        (code = xylem_cli__listing_read(cli, &listing, &wanted)) == 0) {
        code = documents.wanted                   ? put_documents(cli, &documents, &listing)
               : given->pick && listing.count > 0 ? xylem_cli__pick(cli, &listing)
                                                  : xylem_cli__sessions_table(cli, &listing);
    }
    bool asked = !wanted.limit.given || wanted.limit.number > 0;
    if (code == 0 && asked && listing.count == 0 && !documents.wanted && !listing.damaged) {
        bool filtered = wanted.directory || wanted.name || given->since || given->until || wanted.deleted ||
                        wanted.file_gone || wanted.limit.given;
        xylem_cli__note(cli, wanted.deleted && !wanted.directory && !wanted.name && !given->since && !given->until
                                 ? "no session is deleted"
                             : filtered ? "no session passes the filters"
                                        : "there are no sessions");
        code = given->pick ? XYLEM_CLI__PROBLEM : 0;
    }
    if (code == 0 && listing.count == 1 && !documents.wanted && !given->pick &&
        (code = xylem_session_read(&session, cli->txn, listing.list[0].number, &cli->err)) == 0) {
        code = xylem_cli__note_way_back(cli, &session);
    }
    if (code == 0 && listing.damaged && !given->pick) {
        code = XYLEM_CLI__CORRUPT;
    }
    xylem_cli__listing_release(&listing);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_sessions = {
    .name = "sessions",
    .group = XYLEM_CLI__FIND,
    .often = true,
    .summary = "List the sessions, the last active first",
    .usage =
        "[--dir DIR] [--name TEXT] [--since TIME] [--until TIME] [--sort ORDER] [--reverse] [-n N] [--all|--deleted] "
        "[--file-gone] [--runs] [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] "
        "[--pick|--json|--jsonl]",
    .details =
        "AGE is the age of the leaf, or of a session without entries. NAME is the name, or in quotes the first\n"
        "words of the first message; LAST is the last message. On a terminal, forks and clones stand below their\n"
        "source, unless --sort gives another order. A session without its file is `file gone`, for example deleted\n"
        "in the program that wrote the file; `xylem delete --file-gone` deletes such sessions. `leased`: a program\n"
        "has the session open. `follows`: another store owns the session (`xylem unbundle`). The ledgers of runs\n"
        "(`xylem help sequence`) are left out without --runs.\n"
        "--pick asks for a session of the list, and prints its id: `xylem open -- ID`.\n",
    .surplus = "`xylem log SESSION` looks into a session, --name TEXT and --dir DIR choose from the list",
    .options = sessions_table,
    .options_bytes = sizeof(struct sessions_options),
    .run = run,
};
