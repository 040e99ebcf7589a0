/*
 * Finds the session that a user names. The first line with a match counts; a line with several matches is an error:
 * 1. an id
 * 2. the beginning of an id: 8 or more hex digits and dashes. Reads no name
 * 3. `@last`, `@last~n` and `.`
 * 4. a whole name, or a file of the session
 * 5. a whole name in other case, if the word has no upper case
 * 6. a part: the beginning or the end of an id, or any part of a name; not for a command that changes a session
 */
#include "cli/store/listing.h"
#include "xylem/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ID_BYTES_MIN 8u
#define LAST "@last"

/* How well a session matches the word, the best last. */
enum match { NO_MATCH = 0, PART, WHOLE_FOLDED, WHOLE };

struct found {
    struct xylem_session session;
    int64_t active_ms;
};

/* A search. `found` has the sessions of the best match so far. */
struct search {
    struct xylem_view word;
    bool folds;     /* the word has no upper case, so names match in any case */
    bool file;      /* the word may name a file */
    char *paths[2]; /* the word as a path: absolute as written, and with links resolved; NULL: none */
    bool whole;     /* parts do not count */
    enum xylem_session_state state;
    enum match best;
    struct found *found;
    size_t count;
    size_t capacity;
    bool damaged;              /* the name or the files of a session cannot be read */
    struct xylem_view deleted; /* the id of a deleted session that the word names; data NULL: none */
};

static void search_release(struct search *search)
{
    free(search->paths[0]);
    free(search->paths[1]);
    free(search->found);
}

/* --- Matches ------------------------------------------------------------------------------------------------------ */

static bool ends(struct xylem_view text, struct xylem_view end)
{
    return text.bytes >= end.bytes && memcmp(text.data + (text.bytes - end.bytes), end.data, end.bytes) == 0;
}

static bool is_part_of_id(const struct search *search, struct xylem_view id)
{
    return search->word.bytes >= XYLEM_CLI__PART_BYTES_MIN &&
           (xylem_base__view_begins(id, search->word) || ends(id, search->word));
}

static enum match match_name(const struct search *search, struct xylem_view name)
{
    struct xylem_view word = search->word;
    if (xylem_base__view_equal(name, word)) {
        return WHOLE;
    }
    bool within = search->folds ? xylem_cli__contains(name, word)
                                : name.bytes > 0 && memmem(name.data, name.bytes, word.data, word.bytes);
    if (!within) {
        return NO_MATCH;
    }
    return name.bytes == word.bytes ? WHOLE_FOLDED : word.bytes >= XYLEM_CLI__PART_BYTES_MIN ? PART : NO_MATCH;
}

static bool is_file(const struct search *search, struct xylem_view path)
{
    const char *slash = path.bytes == 0 ? NULL : memrchr(path.data, '/', path.bytes);
    for (size_t i = 0; i < 2; i++) {
        if (search->paths[i] && xylem_base__view_is(path, search->paths[i])) {
            return true;
        }
    }
    return slash && xylem_base__view_equal((struct xylem_view){slash + 1, path.bytes - (size_t)(slash + 1 - path.data)},
                                           search->word);
}

/* 1 if the word names a file of the session, else 0. */
static int has_file(struct xylem_cli *cli, const struct search *search, const struct xylem_session *session)
{
    struct xylem_session_files *files = NULL;
    struct xylem_session_file file;
    bool found = false;
    int code = search->file ? xylem_session_files_new(&files, cli->txn, session->number, &cli->err) : 0;
    while (search->file && !found && code == 0 && (code = xylem_session_files_next(&file, files, &cli->err)) == 1) {
        found = is_file(search, file.path);
        code = 0;
    }
    xylem_session_files_free(files);
    return code < 0 ? code : found;
}

/* Finds how well a session matches. A damaged session has no name, so damage hides no other session. */
static int match_session(struct xylem_cli *cli, struct search *search, const struct xylem_session *session,
                         enum match *match)
{
    struct xylem_buffer name = {0};
    struct xylem_outline outline = {0};
    int code = has_file(cli, search, session);
    *match = code == 1 ? WHOLE : NO_MATCH;
    if (code == 0 && (code = xylem_outline_read(&outline, &name, cli->txn, session, &cli->err)) == 0) {
        *match = match_name(search, (struct xylem_view){name.data, name.bytes});
    }
    xylem_buffer_release(&name);
    if (*match == NO_MATCH && is_part_of_id(search, session->id)) {
        *match = PART;
    }
    search->damaged = search->damaged || code == XYLEM_E_CORRUPT;
    return code < 0 && code != XYLEM_E_CORRUPT ? code : 0;
}

/* --- The search --------------------------------------------------------------------------------------------------- */

static int keep(struct xylem_cli *cli, struct search *search, const struct xylem_session *session, enum match match)
{
    if (match > search->best) {
        search->best = match;
        search->count = 0;
    }
    const struct found found = {.session = *session};
    return xylem_cli__list_add(cli, &search->found, &search->count, &search->capacity, &found, sizeof found);
}

static int look(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct search *search = context;
    enum match match = NO_MATCH;
    bool damaged = search->damaged;
    bool wanted = session->state == search->state;
    int code = wanted || session->state == XYLEM_SESSION_DELETED ? match_session(cli, search, session, &match) : 0;
    if (!wanted) {
        search->damaged = damaged; /* no choice */
        if (match >= WHOLE_FOLDED || (match == PART && is_part_of_id(search, session->id))) {
            search->deleted = session->id;
        }
        return code;
    }
    if (code < 0 || match == NO_MATCH || match < search->best || (match == PART && search->whole)) {
        return code;
    }
    code = xylem_cli__is_ledger(cli, session); /* only the whole id means a ledger */
    return code != 0 ? (code < 0 ? code : 0) : keep(cli, search, session, match);
}

/* Looks at the sessions with the name `whole`, or (data NULL) at all names, for sessions with the whole name. */
static int look_at_names(struct xylem_cli *cli, struct search *search, struct xylem_view whole)
{
    struct xylem_names *names = NULL;
    struct xylem_session session;
    struct xylem_view name;
    uint64_t number;
    int code = xylem_names_new(&names, cli->txn, whole, &cli->err);
    while (code == 0 && (code = xylem_names_next(&number, &name, names, &cli->err)) == 1) {
        enum match match = match_name(search, name);
        code = match < WHOLE_FOLDED || match < search->best ? 0
                                                            : xylem_session_read(&session, cli->txn, number, &cli->err);
        if (code == 0 && match >= WHOLE_FOLDED && match >= search->best && session.state == search->state &&
            session.name_space.bytes == 0 &&                     /* no command can name the others */
            (code = xylem_cli__is_ledger(cli, &session)) == 0) { /* only the whole id means a ledger */
            code = keep(cli, search, &session, match);
        }
        code = code > 0 ? 0 : code;
    }
    search->damaged = search->damaged || (names && xylem_names_damaged(names));
    xylem_names_free(names);
    return code;
}

/*
 * Most words that a person types are whole names: then no other session is read. But a file of another session may have
 * the whole name, too.
 */
static int search_all(struct xylem_cli *cli, struct search *search)
{
    int code = search->file ? 0 : look_at_names(cli, search, search->word);
    if (code == 0 && !search->file && search->count == 0) {
        code = look_at_names(cli, search, (struct xylem_view){NULL, 0});
    }
    return code < 0 || search->count > 0 ? code : xylem_cli__each_session(cli, look, search);
}

static int search_new(struct xylem_cli *cli, struct search *search, const char *spec, bool whole)
{
    *search = (struct search){.word = xylem_view_of(spec), .folds = true, .whole = whole, .state = XYLEM_SESSION_LIVE};
    for (const char *at = spec; *at != '\0'; at++) {
        search->folds = search->folds && xylem_base__lower(*at) == *at;
    }
    search->file = strchr(spec, '/') || strchr(spec, '.');
    return strchr(spec, '/') ? xylem_cli__resolve_path(cli, search->paths, spec) : 0;
}

/* --- The choice --------------------------------------------------------------------------------------------------- */

static int newest_first(const void *a, const void *b)
{
    const struct found *left = a;
    const struct found *right = b;
    int order = (left->active_ms < right->active_ms) - (left->active_ms > right->active_ms);
    return order != 0 ? order : left->session.number < right->session.number ? 1 : -1;
}

/* Adds the sessions to choose from, as far as the text of an error has room. */
static int add_candidates(struct xylem_cli *cli, struct xylem_cli__text *text, const struct search *search)
{
    struct xylem_cli__short_ids ids;
    struct xylem_cli__text shown = {0};
    size_t count = 0;
    int code = xylem_cli__short_ids_read(cli, &ids);
    while (code == 0 && count < search->count && count < XYLEM_CLI__CANDIDATES_SHOWN) {
        const struct found *found = &search->found[count];
        struct xylem_buffer name = {0};
        struct xylem_outline outline = {0};
        code = xylem_outline_read(&outline, &name, cli->txn, &found->session, &cli->err);
        code = code == XYLEM_E_CORRUPT ? 0 : code;
        xylem_cli__text_clear(&shown);
        xylem_cli__add_candidate(cli, &shown, xylem_cli__short_id(&ids, found->session.id),
                                 (struct xylem_view){name.data, name.bytes}, found->active_ms);
        xylem_buffer_release(&name);
        if (text->bytes.bytes + shown.bytes.bytes + sizeof ", , ..." > XYLEM_ERROR_TEXT_BYTES) {
            break;
        }
        xylem_cli__add(text, count == 0 ? "" : ", ");
        xylem_cli__add_bytes(text, shown.bytes.data, shown.bytes.bytes);
        count++;
    }
    xylem_cli__add(text, count < search->count ? ", ..." : "");
    xylem_cli__part_end(text, &shown);
    xylem_cli__short_ids_release(&ids);
    return code;
}

static int fail_ambiguous(struct xylem_cli *cli, const struct search *search, const char *spec)
{
    struct xylem_cli__text text = {0};
    int code = 0;
    for (size_t i = 0; code == 0 && i < search->count; i++) {
        struct xylem_outline outline = {.active_ms = search->found[i].session.created_ms};
        code = xylem_outline_read(&outline, NULL, cli->txn, &search->found[i].session, &cli->err);
        search->found[i].active_ms = outline.active_ms;
        code = code == XYLEM_E_CORRUPT ? 0 : code;
    }
    qsort(search->found, search->count, sizeof *search->found, newest_first);
    xylem_cli__addf(&text, "'%s' is ambiguous: %zu sessions: ", spec, search->count);
    if (code == 0 && (code = add_candidates(cli, &text, search)) == 0) {
        return xylem_cli__fail_text(cli, XYLEM_E_CONFLICT, &text);
    }
    xylem_cli__text_release(&text);
    return code;
}

static int fail_deleted(struct xylem_cli *cli, const char *spec)
{
    struct xylem_cli__text text = {0};
    xylem_cli__addf(&text, "the session %s is deleted (", spec);
    xylem_cli__add_named(cli, &text, "undelete", spec);
    xylem_cli__add(&text, " brings it back)");
    return xylem_cli__fail_text(cli, XYLEM_E_DELETED, &text);
}

static int decide(struct xylem_cli *cli, struct search *search, struct xylem_session *session, const char *spec)
{
    char deleted[XYLEM_SESSION_ID_BYTES_MAX + 1];
    if (search->count == 1 && search->damaged && cli->command && cli->command->group == XYLEM_CLI__CHANGE) {
        return xylem_cli__fail(cli, XYLEM_E_CORRUPT,
                               "'%s' is not known: a damaged session may have the same name; name the session by its "
                               "id",
                               spec);
    }
    if (search->count == 1) {
        *session = search->found[0].session;
        return 0;
    }
    if (search->count > 1) {
        return fail_ambiguous(cli, search, spec);
    }
    if (search->whole || !search->deleted.data || search->state == XYLEM_SESSION_DELETED) {
        return XYLEM_E_NOT_FOUND;
    }
    memcpy(deleted, search->deleted.data, search->deleted.bytes);
    deleted[search->deleted.bytes] = '\0';
    return fail_deleted(cli, deleted);
}

/* --- By activity -------------------------------------------------------------------------------------------------- */

/* True, with the number, for `@last` (0) and `@last~n`. */
static bool is_last(uint64_t *back, const char *spec)
{
    *back = 0;
    return strcmp(spec, LAST) == 0 ||
           (strncmp(spec, LAST "~", sizeof LAST) == 0 && xylem_cli__number(back, spec + sizeof LAST));
}

/*
 * The live session, but no ledger, behind `back` others: 1 and the session, or 0 and the number of sessions. A damaged
 * session may be the last active, and another session in its place may be changed or deleted.
 */
static int step_back(struct xylem_cli *cli, struct xylem_session *session, int64_t *active_ms, uint64_t *back,
                     const char *spec, const struct xylem_outlines_options *options)
{
    struct xylem_outlines *outlines = NULL;
    uint64_t count = 0;
    int code = xylem_outlines_new(&outlines, cli->txn, options, &cli->err);
    while (code == 0 && (code = xylem_outlines_next(session, active_ms, outlines, &cli->err)) == 1) {
        bool wanted = session->state == XYLEM_SESSION_LIVE && session->name_space.bytes == 0;
        code = wanted ? xylem_cli__is_ledger(cli, session) : 1;
        if (code == 0 && count++ == *back) {
            code = 1;
            break;
        }
        code = code == 1 ? 0 : code;
    }
    if (code >= 0 && xylem_outlines_damaged(outlines)) {
        code = xylem_cli__fail(cli, XYLEM_E_CORRUPT,
                               "'%s' is not known: a damaged session may be the last active; name a session by its id",
                               spec);
    }
    xylem_outlines_free(outlines);
    *back = code == 0 ? count : *back;
    return code;
}

static int by_activity(struct xylem_cli *cli, struct xylem_session *session, const char *spec, uint64_t back)
{
    int64_t active_ms;
    int found = step_back(cli, session, &active_ms, &back, spec, NULL);
    return found != 0
               ? (found < 0 ? found : 0)
               : xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no session '%s': the store has %llu session%s", spec,
                                 (unsigned long long)back, back == 1 ? "" : "s");
}

/* The directory may have two forms: as written, and with links resolved. The last active session of both counts. */
int xylem_cli__session_of_directory(struct xylem_cli *cli, struct xylem_session *session, struct xylem_cli__text *none)
{
    char *directories[2] = {NULL, NULL};
    int64_t newest_ms = INT64_MIN;
    bool found = false;
    int code = xylem_cli__resolve_path(cli, directories, ".");
    for (size_t i = 0; code == 0 && i < 2; i++) {
        struct xylem_session last;
        int64_t active_ms;
        uint64_t back = 0;
        if (!directories[i] || (i == 1 && strcmp(directories[0], directories[1]) == 0)) {
            continue;
        }
        const struct xylem_outlines_options options = {.directory = xylem_view_of(directories[i])};
        code = step_back(cli, &last, &active_ms, &back, ".", &options);
        if (code == 1 && (!found || active_ms > newest_ms)) {
            *session = last;
            newest_ms = active_ms;
            found = true;
        }
        code = code < 0 ? code : 0;
    }
    if (code == 0 && !found) {
        code = XYLEM_E_NOT_FOUND;
        if (none) {
            xylem_cli__addf(none, "no session of %s", directories[0]);
        }
    }
    free(directories[0]);
    free(directories[1]);
    return code;
}

static int add_session(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_session *session)
{
    struct xylem_cli__short_ids ids;
    struct xylem_buffer name = {0};
    struct xylem_outline outline = {0};
    int code = xylem_cli__short_ids_read(cli, &ids);
    if (code == 0 && (code = xylem_outline_read(&outline, &name, cli->txn, session, &cli->err)) == 0) {
        xylem_cli__add_candidate(cli, text, xylem_cli__short_id(&ids, session->id),
                                 (struct xylem_view){name.data, name.bytes}, outline.active_ms);
    }
    xylem_buffer_release(&name);
    xylem_cli__short_ids_release(&ids);
    return code;
}

static int by_directory(struct xylem_cli *cli, struct xylem_session *session)
{
    struct xylem_session last;
    struct xylem_cli__text none = {0};
    int code = xylem_cli__session_of_directory(cli, session, &none);
    int active = code == XYLEM_E_NOT_FOUND ? by_activity(cli, &last, LAST, 0) : 1;
    if (active == 0) {
        xylem_cli__add(&none, "; @last is ");
        int added = add_session(cli, &none, &last);
        xylem_cli__add(&none, ": name a session");
        code = added < 0 ? added : code;
    } else if (active == XYLEM_E_NOT_FOUND) {
        xylem_cli__add(&none, "; the store has no session: ");
        xylem_cli__add_named(cli, &none, "import", NULL);
        xylem_cli__add(&none, " reads pi's sessions");
    }
    if (code == XYLEM_E_NOT_FOUND) {
        return xylem_cli__fail_text(cli, code, &none);
    }
    xylem_cli__text_release(&none);
    return code;
}

int xylem_cli__session_default(struct xylem_cli *cli, struct xylem_session *session)
{
    struct xylem_cli__text line = {0};
    int code = by_directory(cli, session);
    if (code != 0 || isatty(STDERR_FILENO) != 1) {
        return code;
    }
    xylem_cli__color_on(cli, &line, XYLEM_CLI__DIM);
    xylem_cli__add(&line, "session ");
    code = add_session(cli, &line, session);
    xylem_cli__color_off(cli, &line, XYLEM_CLI__DIM);
    xylem_cli__add(&line, "\n");
    if (code == 0 && !line.failed) {
        fwrite(line.bytes.data, 1, line.bytes.bytes, stderr);
    }
    xylem_cli__text_release(&line);
    return code == XYLEM_E_CORRUPT ? 0 : code;
}

int xylem_cli__check_new_id(struct xylem_cli *cli, const char *id)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    if (xylem_cli__session_by_activity(id)) {
        return xylem_cli__usage(cli, "'%s' names the session that was last active, and can be no id", id);
    }
    int code =
        xylem_cli__looks_like_id(id) ? xylem_sessions_beginning(&sessions, cli->txn, xylem_view_of(id), &cli->err) : 0;
    while (code == 0 && sessions && (code = xylem_sessions_next(&session, sessions, &cli->err)) == 1) {
        code = session.id.bytes == strlen(id)
                   ? 0 /* taken: another error */
                   : xylem_cli__usage(cli, "'%s' names the session %.*s, whose id begins so, and can be no id", id,
                                      (int)session.id.bytes, session.id.data);
    }
    xylem_sessions_free(sessions);
    return code;
}

bool xylem_cli__session_by_activity(const char *spec)
{
    uint64_t back;
    return strcmp(spec, ".") == 0 || is_last(&back, spec);
}

/* --- Names -------------------------------------------------------------------------------------------------------- */

bool xylem_cli__looks_like_id(const char *word)
{
    size_t bytes = strspn(word, "0123456789abcdefABCDEF-");
    return bytes >= ID_BYTES_MIN && word[bytes] == '\0';
}

/* A live session whose id begins with the word. */
static int by_beginning(struct xylem_cli *cli, struct xylem_session *session, const char *spec)
{
    struct search search = {.word = xylem_view_of(spec), .whole = true};
    struct xylem_sessions *sessions = NULL;
    struct xylem_session found;
    int code = xylem_sessions_beginning(&sessions, cli->txn, search.word, &cli->err);
    while (code == 0 && (code = xylem_sessions_next(&found, sessions, &cli->err)) == 1) {
        code = found.state == XYLEM_SESSION_LIVE ? keep(cli, &search, &found, PART) : 0;
    }
    xylem_sessions_free(sessions);
    code = code == 0 ? decide(cli, &search, session, spec) : code;
    search_release(&search);
    return code;
}

const char *xylem_cli__state_word(enum xylem_session_state state)
{
    static const char *const words[] = {"live", "importing", "deleted", "freed"};
    return words[state];
}

struct xylem_view xylem_cli__id_in_path(struct xylem_view path)
{
    const struct xylem_view end = xylem_view_of(".jsonl");
    const char *before = ends(path, end) ? memrchr(path.data, '_', path.bytes - end.bytes) : NULL;
    return before ? (struct xylem_view){before + 1, path.bytes - end.bytes - (size_t)(before + 1 - path.data)}
                  : (struct xylem_view){NULL, 0};
}

/* The session of a path with an id, found without a look at other sessions. NOT_FOUND has no error's text. */
static int by_path(struct xylem_cli *cli, struct search *search, struct xylem_session *session)
{
    const struct xylem_view id = xylem_cli__id_in_path(search->word);
    bool may_be_id = search->paths[0] && id.bytes > 0 && id.bytes <= XYLEM_SESSION_ID_BYTES_MAX;
    int code = may_be_id ? xylem_session_find(session, cli->txn, id, &cli->err) : XYLEM_E_NOT_FOUND;
    int found = code == 0 ? has_file(cli, search, session) : 0;
    return found == 1 ? 0 : found < 0 ? found : XYLEM_E_NOT_FOUND;
}

int xylem_cli__session_try(struct xylem_cli *cli, struct xylem_session *session, const char *spec,
                           enum xylem_cli__naming naming)
{
    struct xylem_view id = xylem_view_of(spec);
    struct search search;
    uint64_t back;
    int code = XYLEM_E_NOT_FOUND;
    if (id.bytes == 0) {
        return code;
    }
    if (id.bytes <= XYLEM_SESSION_ID_BYTES_MAX) {
        code = xylem_session_find(session, cli->txn, id, &cli->err);
    }
    if (code == XYLEM_E_DELETED) {
        return fail_deleted(cli, spec);
    }
    if (code == XYLEM_E_NOT_FOUND && xylem_cli__looks_like_id(spec)) {
        code = by_beginning(cli, session, spec);
    }
    if (code != XYLEM_E_NOT_FOUND || naming == XYLEM_CLI__BY_ID) {
        return code;
    }
    if (is_last(&back, spec)) {
        return by_activity(cli, session, spec, back);
    }
    if (strcmp(spec, ".") == 0) {
        return by_directory(cli, session);
    }
    if ((code = search_new(cli, &search, spec, naming == XYLEM_CLI__BY_WHOLE)) == 0 &&
        (code = by_path(cli, &search, session)) == XYLEM_E_NOT_FOUND && (code = search_all(cli, &search)) == 0) {
        code = decide(cli, &search, session, spec);
    }
    search_release(&search);
    return code;
}

int xylem_cli__session(struct xylem_cli *cli, struct xylem_session *session, const char *spec)
{
    /* A word too many, as in `rename my name`, must not change a session with such a part in its name. */
    bool changes = cli->command && cli->command->group == XYLEM_CLI__CHANGE;
    int code = xylem_cli__session_try(cli, session, spec, changes ? XYLEM_CLI__BY_WHOLE : XYLEM_CLI__BY_PART);
    if (code != XYLEM_E_NOT_FOUND || xylem_cli__session_by_activity(spec)) {
        return code;
    }
    if (*spec == '\0') {
        return xylem_cli__fail(cli, code, "expected an id or a name of a session, found an empty word");
    }
    const char *colon = strrchr(spec, ':');
    char *alone = colon ? strndup(spec, (size_t)(colon - spec)) : NULL;
    if (alone && xylem_cli__session_try(cli, session, alone, XYLEM_CLI__BY_ID) == 0) {
        code = xylem_cli__usage(cli, "%s takes a session without an entry: '%s', not '%s'; `fork` takes an entry",
                                cli->command->name, alone, spec);
    }
    free(alone);
    return code != XYLEM_E_NOT_FOUND ? code : xylem_cli__no_session(cli, spec, false);
}

int xylem_cli__session_exact(struct xylem_cli *cli, struct xylem_session *session, struct xylem_view id)
{
    struct xylem_sessions *sessions = NULL;
    int code = XYLEM_E_NOT_FOUND;
    if (id.bytes == 0 || id.bytes > XYLEM_SESSION_ID_BYTES_MAX) {
        return 0;
    }
    code = xylem_session_find(session, cli->txn, id, &cli->err);
    if (code != XYLEM_E_DELETED && code != XYLEM_E_NOT_FOUND) {
        return code == 0 ? 1 : code;
    }
    code = xylem_sessions_beginning(&sessions, cli->txn, id, &cli->err);
    code = code == 0 ? xylem_sessions_next(session, sessions, &cli->err) : code; /* longer ids come behind */
    xylem_sessions_free(sessions);
    return code != 1 ? code : xylem_base__view_equal(session->id, id);
}

int xylem_cli__session_deleted(struct xylem_cli *cli, struct xylem_session *session, const char *spec)
{
    struct search search;
    int found = xylem_cli__session_exact(cli, session, xylem_view_of(spec));
    int code = found < 0 ? found : XYLEM_E_NOT_FOUND;
    if (found == 1) {
        return session->state == XYLEM_SESSION_DELETED ? 0 : code;
    }
    if (found == 0 && *spec != '\0' && (code = search_new(cli, &search, spec, false)) == 0) {
        search.state = XYLEM_SESSION_DELETED;
        code = search_all(cli, &search);
        code = code == 0 ? decide(cli, &search, session, spec) : code;
        search_release(&search);
    }
    return code;
}

int xylem_cli__session_kept(struct xylem_cli *cli, struct xylem_session *session, const char *spec)
{
    int found = xylem_cli__session_exact(cli, session, xylem_view_of(spec));
    return found == 0 ? xylem_cli__session(cli, session, spec) : found < 0 ? found : 0;
}
