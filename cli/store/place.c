/*
 * Finds what a person means by one word: a session, or an entry of a session.
 *
 *     01a1f9f7-22cb            a session, for its leaf (session_name.c has the ways to name a session)
 *     01a1f9f7-22cb:8d16e680   an entry of that session (resolve.c has the ways to name an entry)
 *     :8d16e680                an entry of the session of this directory
 *     8d16e680                 an entry by its whole id, of any session
 *     no word                  the session of this directory
 *
 * A command that changes something takes the first two alone.
 *
 * The first way with a match counts. A session before a `:` is looked for in the same way; the longest counts, because
 * an id, a name and an entry may hold a `:`.
 *
 * 1. the id of a session, or a beginning of an id
 * 2. `@last`, `.`, a name, a file
 * 3. the id of an entry, if the word looks like an id
 * 4. a part of an id or a name
 * 5. the id of an entry of another shape
 */
#include "cli/store/listing.h"
#include "xylem/branch.h"

#include <stdlib.h>
#include <string.h>

/* --- An entry without a session ----------------------------------------------------------------------------------- */

/* A live session with an entry: the owner of the entry, else the session that was last active. */
struct holder {
    struct xylem_position position;
    uint64_t tree;
    struct xylem_session session;
    int64_t active_ms;
    bool found;
};

static int look(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct holder *holder = context;
    struct xylem_outline outline;
    if (session->state != XYLEM_SESSION_LIVE || session->tree != holder->tree) {
        return 0;
    }
    int code = xylem_belongs(cli->txn, session->number, holder->position, &cli->err);
    if (code > 0 && (code = xylem_outline_read(&outline, NULL, cli->txn, session, &cli->err)) == 0 &&
        (!holder->found || outline.active_ms > holder->active_ms)) {
        *holder = (struct holder){holder->position, holder->tree, *session, outline.active_ms, true};
    }
    return code;
}

/* NOT_FOUND, without an error's text, if no live session has the entry. */
static int find_holder(struct xylem_cli *cli, struct holder *holder, struct xylem_position position)
{
    uint64_t number = 0;
    *holder = (struct holder){.position = position};
    int code = xylem_cli__owner(cli, &number, position);
    if (code != 0) {
        return code;
    }
    if ((code = xylem_session_read(&holder->session, cli->txn, number, &cli->err)) == XYLEM_E_NOT_FOUND) {
        return xylem_cli__fail(cli, XYLEM_E_CORRUPT, "the entry at branch %llu, depth %llu is of no session",
                               (unsigned long long)position.branch, (unsigned long long)position.depth);
    }
    if (code == 0 && (holder->session.state != XYLEM_SESSION_LIVE || holder->session.name_space.bytes > 0)) {
        holder->tree = holder->session.tree;
        code = xylem_cli__each_session(cli, look, holder);
        code = code == 0 && !holder->found ? XYLEM_E_NOT_FOUND : code;
    }
    return code;
}

static int in_any_session(struct xylem_cli *cli, struct xylem_cli__place *place, struct xylem_view id)
{
    struct xylem_cli__candidates candidates = {0};
    struct xylem_finds *finds = NULL;
    struct xylem_entry entry;
    int code = xylem_finds_new(&finds, cli->txn, id, &cli->err);
    while (code == 0 && (code = xylem_finds_next(&entry, finds, &cli->err)) == 1) {
        struct holder holder;
        struct xylem_cli__text name = {0};
        code = find_holder(cli, &holder, entry.position);
        if (code == 0) {
            *place = (struct xylem_cli__place){.session = holder.session, .position = entry.position};
            xylem_cli__add_bytes(&name, holder.session.id.data, holder.session.id.bytes);
            xylem_cli__add(&name, ":");
            xylem_cli__add_bytes(&name, id.data, id.bytes);
            xylem_cli__candidate(&candidates, xylem_cli__text_view(&name));
        }
        xylem_cli__text_release(&name);
        code = code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    xylem_finds_free(finds);
    return xylem_cli__candidates_end(cli, &candidates, code, id, "entries have that id");
}

/* NOT_FOUND, without an error's text, if no live session has an entry of that id. */
static int by_entry(struct xylem_cli *cli, struct xylem_cli__place *place, const char *word)
{
    struct xylem_view id = xylem_view_of(word);
    if (id.bytes == 0 || id.bytes > XYLEM_ENTRY_ID_BYTES_MAX) {
        return XYLEM_E_NOT_FOUND;
    }
    int code = xylem_cli__session_of_directory(cli, &place->session, NULL);
    if (code == 0) {
        code = xylem_find(&place->position, cli->txn, place->session.number, id, &cli->err);
    } else if (code == XYLEM_E_CORRUPT) {
        code = XYLEM_E_NOT_FOUND; /* a damaged session of this directory does not hide the entry of another session */
    }
    code = code == XYLEM_E_NOT_FOUND ? in_any_session(cli, place, id) : code;
    place->is_entry = code == 0;
    return code;
}

/* An id of an entry with steps behind: `9266779b~3`. */
static int by_steps(struct xylem_cli *cli, struct xylem_cli__place *place, const char *word,
                    xylem_cli__entry_finder *find, bool *decided)
{
    size_t bytes = strcspn(word, "~^");
    char *id = bytes > 0 && word[bytes] != '\0' ? strndup(word, bytes) : NULL;
    int code = id ? by_entry(cli, place, id) : XYLEM_E_NOT_FOUND;
    free(id);
    *decided = code == 0;
    return code == 0 ? find(cli, &place->position, &place->session, word) : code;
}

/* --- SESSION, SESSION:ENTRY --------------------------------------------------------------------------------------- */

/*
 * Reads the word as SESSION:ENTRY. NOT_FOUND if no session stands before a `:`. `decided` is set if there is such a
 * session: the code is then about the entry, and no other session is tried.
 */
static int split(struct xylem_cli *cli, struct xylem_cli__place *place, const char *word,
                 enum xylem_cli__place_form form, enum xylem_cli__naming naming, xylem_cli__entry_finder *find,
                 bool *decided)
{
    bool kept = form == XYLEM_CLI__KEPT_ENTRY && naming == XYLEM_CLI__BY_ID;
    char *session = strdup(word);
    char *colon;
    int code = session ? XYLEM_E_NOT_FOUND : xylem_cli__fail_memory(cli);
    while (code == XYLEM_E_NOT_FOUND && !*decided && (colon = strrchr(session, ':'))) {
        *colon = '\0';
        int found = kept ? xylem_cli__session_exact(cli, &place->session, xylem_view_of(session)) : 0;
        code = found != 0         ? (found < 0 ? found : 0)
               : colon == session ? XYLEM_E_NOT_FOUND
                                  : xylem_cli__session_try(cli, &place->session, session, naming);
        if (code == 0) {
            *decided = true;
            place->is_entry = true;
            code = find(cli, &place->position, &place->session, word + (colon - session) + 1);
        }
    }
    free(session);
    return code;
}

/* Gives the leaf, which may be none if `find` allows none. */
static int take_leaf(struct xylem_cli *cli, struct xylem_cli__place *place, xylem_cli__entry_finder *find)
{
    place->position = place->session.leaf;
    return xylem_cli__position_none(place->session.leaf) ? find(cli, &place->position, &place->session, "@") : 0;
}

/*
 * For ENTRY and :ENTRY where the session must be named: says which session has the entry. NOT_FOUND, without an
 * error's text, if the word is neither.
 */
static int fail_entry(struct xylem_cli *cli, struct xylem_cli__place *place, const char *word)
{
    const char *entry = *word == ':' ? word + 1 : word;
    int code = by_entry(cli, place, entry);
    if (code == 0) {
        struct xylem_cli__text text = {0};
        struct xylem_cli__text whole = {0};
        xylem_cli__addf(&whole, "%.*s:%s", (int)place->session.id.bytes, place->session.id.data, entry);
        xylem_cli__addf(&text, "'%s' is an entry, and %s needs the session too: ", word, cli->command->name);
        xylem_cli__add_again(cli, &text, word, whole.failed ? word : whole.bytes.data);
        xylem_cli__part_end(&text, &whole);
        return xylem_cli__fail_text(cli, XYLEM_E_ARGUMENT, &text);
    }
    if (code == XYLEM_E_NOT_FOUND && *word == ':') {
        code = xylem_cli__usage(cli, "%s needs the session too: SESSION%s", cli->command->name, word);
    }
    return code;
}

/* Error: says the place that `S@~3`, `S/E` or `S~3` means; without an error's text if no session stands before. */
static int fail_separator(struct xylem_cli *cli, struct xylem_cli__place *place, const char *word)
{
    size_t bytes = strcspn(word, "/@~^");
    char *session = word[bytes] != '\0' ? strndup(word, bytes) : NULL;
    int code = XYLEM_E_NOT_FOUND;
    if (session && xylem_cli__session_try(cli, &place->session, session, XYLEM_CLI__BY_ID) == 0) {
        bool slash = word[bytes] == '/' || (word[bytes] == '@' && !strchr("~^{", word[bytes + 1]));
        code =
            xylem_cli__usage(cli, "an entry stands behind a ':': '%s:%s%s'", session,
                             strchr("~^", word[bytes]) ? "@" : "", word + bytes + (slash && word[bytes + 1] != '\0'));
    }
    free(session);
    return code;
}

static int by_word(struct xylem_cli *cli, struct xylem_cli__place *place, const char *word,
                   enum xylem_cli__place_form form, xylem_cli__entry_finder *find)
{
    bool needs_entry = form == XYLEM_CLI__CHANGED_ENTRY || form == XYLEM_CLI__KEPT_ENTRY;
    bool has_colon = strchr(word, ':');
    bool decided = false;
    int code = XYLEM_E_NOT_FOUND;
    if (needs_entry && !has_colon) {
        code = fail_entry(cli, place, word);
        code = code == XYLEM_E_NOT_FOUND ? xylem_cli__session(cli, &place->session, word) : code;
        return code == 0
                   ? xylem_cli__usage(cli, "'%s' is a session, expected SESSION:ENTRY; '%s:@' is its current entry",
                                      word, word)
                   : code;
    }
    for (int naming = XYLEM_CLI__BY_ID; naming <= XYLEM_CLI__BY_PART && code == XYLEM_E_NOT_FOUND && !decided;
         naming++) {
        if (naming == XYLEM_CLI__BY_PART && form == XYLEM_CLI__LOOKED_AT && xylem_cli__looks_like_id(word)) {
            code = by_entry(cli, place, word);
        }
        if (code == XYLEM_E_NOT_FOUND && !needs_entry &&
            (code = xylem_cli__session_try(cli, &place->session, word, (enum xylem_cli__naming)naming)) == 0) {
            return take_leaf(cli, place, find);
        }
        if (code == XYLEM_E_NOT_FOUND && has_colon) {
            code = split(cli, place, word, form, (enum xylem_cli__naming)naming, find, &decided);
        }
    }
    if (code != XYLEM_E_NOT_FOUND || decided || xylem_cli__session_by_activity(word)) {
        return code;
    }
    code = form == XYLEM_CLI__LOOKED_AT ? by_entry(cli, place, word) : fail_entry(cli, place, word);
    code =
        code == XYLEM_E_NOT_FOUND && form == XYLEM_CLI__LOOKED_AT ? by_steps(cli, place, word, find, &decided) : code;
    code = code == XYLEM_E_NOT_FOUND && !decided ? fail_separator(cli, place, word) : code;
    return code == XYLEM_E_NOT_FOUND && !decided ? xylem_cli__no_session(cli, word, form == XYLEM_CLI__LOOKED_AT)
                                                 : code;
}

int xylem_cli__place_find(struct xylem_cli *cli, struct xylem_cli__place *place, const char *word,
                          enum xylem_cli__place_form form, xylem_cli__entry_finder *find)
{
    *place = (struct xylem_cli__place){.is_entry = false};
    if (form != XYLEM_CLI__LOOKED_AT || (word && *word != ':')) {
        return by_word(cli, place, word, form, find);
    }
    /* an id of a session may begin with a `:` */
    int code = word ? xylem_cli__session_try(cli, &place->session, word, XYLEM_CLI__BY_ID) : XYLEM_E_NOT_FOUND;
    bool names_entry = word && code == XYLEM_E_NOT_FOUND;
    code = code == XYLEM_E_NOT_FOUND ? xylem_cli__session_default(cli, &place->session) : code;
    if (code != 0 || !names_entry) {
        return code != 0 ? code : take_leaf(cli, place, find);
    }
    place->is_entry = true;
    return find(cli, &place->position, &place->session, word + 1);
}
