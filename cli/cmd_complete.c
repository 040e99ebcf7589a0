/*
 * xylem complete: prints completions of a command line, for the scripts in completions/. Reads the same tables as the
 * parser of the command line.
 *
 * A line is `candidate TAB description`. A line without a tab is `files` or `directories`, which the shell lists
 * itself. No error is printed, because a person is typing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/store/listing.h"
#include "xylem/branch.h"
#include "xylem/sequence.h"

#define DESCRIPTION_CELLS 60u
#define SUMMARIES_MAX 200u /* of the newest entries; older entries are described by their kind */
#define NEWEST_MAX 1000u   /* most sessions or entries offered for an empty word */
#define KINDS_LOOKED_AT 2000u

/* A command line up to the completed word. */
struct line {
    const struct xylem_cli__command *command; /* NULL: not known yet */
    const struct xylem_cli__option *pending;  /* the option that takes the last word as value; NULL: none */
    const char *arguments[XYLEM_CLI__ARGUMENTS_NAMED];
    size_t argument_count;
    bool only_arguments;
    const char *word;            /* the completed word */
    struct xylem_view before;    /* the part of the word before the candidate: `--kind=`, `session:` */
    struct xylem_cli__text text; /* the candidates */
    struct xylem_cli__text shown;
};

/* --- Candidates ------------------------------------------------------------------------------------------------- */

/* True if shell and terminal take the bytes unchanged: no blanks, no control bytes, nothing to escape. */
static bool is_plain(const struct xylem_cli *cli, struct line *line, struct xylem_view bytes)
{
    if (bytes.bytes > 0 && memchr(bytes.data, ' ', bytes.bytes)) {
        return false;
    }
    xylem_cli__text_clear(&line->shown);
    xylem_cli__add_shown(cli, &line->shown, bytes, XYLEM_CLI__EXACT, SIZE_MAX);
    return line->shown.bytes.bytes == bytes.bytes;
}

static bool is_offered(const struct xylem_cli *cli, struct line *line, struct xylem_view candidate)
{
    size_t wanted = strlen(line->word);
    return candidate.bytes > 0 && candidate.bytes >= wanted && memcmp(candidate.data, line->word, wanted) == 0 &&
           is_plain(cli, line, candidate);
}

/*
 * Begins a candidate; the caller adds a description and ends the line. False if the candidate is not plain, or does not
 * begin with the word.
 */
static bool begin(const struct xylem_cli *cli, struct line *line, struct xylem_view candidate)
{
    if (!is_offered(cli, line, candidate)) {
        return false;
    }
    xylem_cli__add_bytes(&line->text, line->before.data, line->before.bytes);
    xylem_cli__add_bytes(&line->text, candidate.data, candidate.bytes);
    xylem_cli__add(&line->text, "\t");
    return true;
}

static void offer(const struct xylem_cli *cli, struct line *line, const char *candidate, const char *description)
{
    if (begin(cli, line, xylem_view_of(candidate))) {
        xylem_cli__addf(&line->text, "%s\n", description);
    }
}

/* Offers commands, or the verbs of a command; `list` may be NULL. */
static void offer_commands(const struct xylem_cli *cli, struct line *line, const struct xylem_cli__command *const *list,
                           bool verbs)
{
    for (; list && *list; list++) {
        offer(cli, line, verbs ? xylem_cli__verb_word(*list) : (*list)->name, (*list)->summary);
    }
    const struct xylem_cli__program *program = NULL;
    while (!verbs && (program = xylem_cli__program_next(cli, program))) {
        offer(cli, line, program->word, program->summary);
    }
}

static void offer_options(const struct xylem_cli *cli, struct line *line, const struct xylem_cli__option *option)
{
    char name[64];
    for (; option && option->name; option++) {
        snprintf(name, sizeof name, "--%s", option->name);
        offer(cli, line, name, option->help);
    }
}

/* --- Sessions --------------------------------------------------------------------------------------------------- */

/* Adds a session of the wanted state; no ledger. A damaged session is no choice. */
static int choose(struct xylem_cli *cli, struct xylem_cli__listing *choices, const struct xylem_session *session)
{
    struct xylem_cli__listed listed;
    bool wanted = session->state == (choices->wanted.deleted ? XYLEM_SESSION_DELETED : XYLEM_SESSION_LIVE) &&
                  session->name_space.bytes == 0;
    int code = wanted ? xylem_cli__is_ledger(cli, session) : 1;
    code = code == 0 ? xylem_cli__listed_read(cli, choices, &listed, session) : code;
    return code == 1 || code == XYLEM_E_CORRUPT ? 0
           : code < 0
               ? code
               : xylem_cli__list_add(cli, &choices->list, &choices->count, &choices->capacity, &listed, sizeof listed);
}

static int choose_newest(struct xylem_cli *cli, struct xylem_cli__listing *choices)
{
    struct xylem_outlines *outlines = NULL;
    struct xylem_session session;
    int64_t active_ms;
    int code = xylem_outlines_new(&outlines, cli->txn, NULL, &cli->err);
    while (code == 0 && choices->count < NEWEST_MAX &&
           (code = xylem_outlines_next(&session, &active_ms, outlines, &cli->err)) == 1) {
        code = choose(cli, choices, &session);
    }
    xylem_outlines_free(outlines);
    return code;
}

static int choose_by_id(struct xylem_cli *cli, struct xylem_cli__listing *choices, const char *word)
{
    struct xylem_sessions *sessions = NULL;
    struct xylem_session session;
    int code = xylem_sessions_beginning(&sessions, cli->txn, xylem_view_of(word), &cli->err);
    while (code == 0 && (code = xylem_sessions_next(&session, sessions, &cli->err)) == 1) {
        code = choose(cli, choices, &session);
    }
    xylem_sessions_free(sessions);
    return code;
}

static int choose_by_name(struct xylem_cli *cli, struct xylem_cli__listing *choices, const char *word)
{
    const struct xylem_view all = {NULL, 0};
    struct xylem_names *names = NULL;
    struct xylem_session session;
    struct xylem_view name;
    uint64_t number;
    int code = xylem_names_new(&names, cli->txn, all, &cli->err);
    while (code == 0 && (code = xylem_names_next(&number, &name, names, &cli->err)) == 1) {
        code = xylem_base__view_begins(name, xylem_view_of(word))
                   ? xylem_session_read(&session, cli->txn, number, &cli->err)
                   : 1;
        code = code == 0 ? choose(cli, choices, &session) : code == 1 ? 0 : code;
    }
    xylem_names_free(names);
    return code;
}

static int last_active_first(const void *a, const void *b)
{
    int64_t left = ((const struct xylem_cli__listed *)a)->active_ms;
    int64_t right = ((const struct xylem_cli__listed *)b)->active_ms;
    return (left < right) - (left > right);
}

static void offer_session(const struct xylem_cli *cli, struct line *line, const struct xylem_cli__listing *choices,
                          const struct xylem_cli__listed *listed)
{
    struct xylem_view name = xylem_cli__listed_name(choices, listed);
    if (!begin(cli, line, listed->id)) {
        return;
    }
    if (name.data) {
        xylem_cli__add_shown(cli, &line->text, name, XYLEM_CLI__ONE_LINE, DESCRIPTION_CELLS / 2);
        xylem_cli__add(&line->text, ", ");
    }
    xylem_cli__add_age(cli, &line->text, listed->active_ms);
    if (listed->cwd.data) {
        xylem_cli__add(&line->text, ", ");
        xylem_cli__add_shown(cli, &line->text, listed->cwd, XYLEM_CLI__ONE_LINE, DESCRIPTION_CELLS / 2);
    }
    xylem_cli__add(&line->text, "\n");
}

/* Offers the name of a session, if no other session has the name. */
static void offer_name(const struct xylem_cli *cli, struct line *line, const struct xylem_cli__listing *choices,
                       const struct xylem_cli__listed *listed)
{
    struct xylem_view name = xylem_cli__listed_name(choices, listed);
    bool unique = true;
    for (size_t i = 0; unique && i < choices->count; i++) {
        unique = &choices->list[i] == listed ||
                 !xylem_base__view_equal(name, xylem_cli__listed_name(choices, &choices->list[i]));
    }
    if (unique && begin(cli, line, name)) {
        xylem_cli__add(&line->text, "name of ");
        xylem_cli__add_candidate(cli, &line->text, listed->id, (struct xylem_view){NULL, 0}, listed->active_ms);
        xylem_cli__add(&line->text, "\n");
    }
}

/* Offers what was chosen, the last active first. */
static int offer_choices(struct xylem_cli *cli, struct line *line, struct xylem_cli__listing *choices, int code,
                         void (*offer_one)(const struct xylem_cli *, struct line *, const struct xylem_cli__listing *,
                                           const struct xylem_cli__listed *))
{
    if (choices->count > 1) {
        qsort(choices->list, choices->count, sizeof *choices->list, last_active_first);
    }
    for (size_t i = 0; code == 0 && i < choices->count; i++) {
        offer_one(cli, line, choices, &choices->list[i]);
    }
    xylem_cli__listing_release(choices);
    return code;
}

/* Offers the last active sessions, or for a word the sessions whose ids or names begin so. */
static void offer_sessions(struct xylem_cli *cli, struct line *line, bool deleted)
{
    struct xylem_cli__listing choices = {.wanted.deleted = deleted};
    bool any = *line->word != '\0';
    int code = any ? choose_by_id(cli, &choices, line->word) : choose_newest(cli, &choices);
    code = offer_choices(cli, line, &choices, code, offer_session);
    if (code != 0 || deleted) {
        return;
    }
    if (any && offer_choices(cli, line, &choices, choose_by_name(cli, &choices, line->word), offer_name) != 0) {
        return;
    }
    if (*line->word == '@') {
        offer(cli, line, "@last", "the session that was last active");
        offer(cli, line, "@last~1", "the session that was active before");
    }
    if (strchr(line->word, '/')) {
        xylem_cli__add(&line->text, "files\n");
    }
}

/* Offers the runs, each described by its phase and place. */
static void offer_runs(struct xylem_cli *cli, struct line *line)
{
    struct xylem_runs *runs = NULL;
    struct xylem_run_state state = {.storage = NULL};
    int code = xylem_runs_new(&runs, cli->txn, &cli->err);
    while (code == 0 && (code = xylem_runs_next(&state, runs, &cli->err)) == 1) {
        if (begin(cli, line, xylem_view_of(state.run_id))) {
            xylem_cli__addf(&line->text, "%s, %u of %u, ", xylem_run_phase_word(state.phase), state.run_index + 1,
                            state.total_runs);
            xylem_cli__add_age(cli, &line->text, state.newest_ms);
            xylem_cli__add(&line->text, "\n");
        }
        xylem_run_state_release(&state);
        code = 0;
    }
    xylem_runs_free(runs);
}

/* --- Entries ---------------------------------------------------------------------------------------------------- */

/* The candidate entries of a session, in lsn order. */
struct entries {
    struct xylem_position *list;
    size_t count;
    size_t capacity;
};

static int gather_after(struct xylem_cli *cli, struct line *line, struct entries *entries, uint64_t session,
                        uint64_t lsn)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = xylem_scan_after(&scan, cli->txn, session, lsn, &cli->err);
    entries->count = 0;
    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        code = is_offered(cli, line, entry.id)
                   ? xylem_cli__list_add(cli, &entries->list, &entries->count, &entries->capacity, &entry.position,
                                         sizeof entry.position)
                   : 0;
    }
    xylem_scan_free(scan);
    return code;
}

/*
 * Gathers entries whose ids begin with the word; for an empty word, only the newest entries. The search goes back in
 * growing steps.
 */
static int gather_entries(struct xylem_cli *cli, struct line *line, struct entries *entries,
                          const struct xylem_session *session)
{
    uint64_t last = session->last_lsn;
    int code = 0;
    if (*line->word != '\0') {
        return gather_after(cli, line, entries, session->number, 0);
    }
    for (uint64_t back = NEWEST_MAX; code == 0 && entries->count < NEWEST_MAX; back *= 8) {
        code = gather_after(cli, line, entries, session->number, last > back ? last - back : 0);
        if (last <= back) {
            break;
        }
    }
    if (entries->count > NEWEST_MAX) {
        memmove(entries->list, entries->list + (entries->count - NEWEST_MAX), NEWEST_MAX * sizeof *entries->list);
        entries->count = NEWEST_MAX;
    }
    return code;
}

static int offer_entry(struct xylem_cli *cli, struct line *line, const struct xylem_labels *labels,
                       struct xylem_position position, bool with_summary)
{
    struct xylem_entry entry;
    int code = xylem_cli__entry_read(cli, &entry, position);
    if (code != 0 || !begin(cli, line, entry.id)) {
        return code;
    }
    struct xylem_view label = xylem_cli__label_text(labels, entry.id);
    if (label.data) {
        xylem_cli__add(&line->text, "[");
        xylem_cli__add_shown(cli, &line->text, label, XYLEM_CLI__ONE_LINE, DESCRIPTION_CELLS / 2);
        xylem_cli__add(&line->text, "] ");
    }
    xylem_cli__add_kind(cli, &line->text, entry.kind);
    if (with_summary) {
        xylem_cli__add(&line->text, ": ");
        code = xylem_cli__add_summary(cli, &line->text, &entry, DESCRIPTION_CELLS);
    }
    xylem_cli__add(&line->text, "\n");
    return code;
}

#define MOVES_OFFERED 8u

/*
 * Offers `@`, steps, and `@{n}` for the last navigations, each described by the target of the move. Steps are offered
 * only behind a typed `@`, because any number of steps may follow.
 */
static int offer_places(struct xylem_cli *cli, struct line *line, const struct xylem_session *session)
{
    char spec[32];
    int code = 0;
    offer(cli, line, "@", "the leaf");
    if (*line->word == '@') {
        offer(cli, line, "@~1", "the entry before the leaf");
        offer(cli, line, "@^1", "the root of the leaf's path: its entry of depth 1");
    }
    for (uint64_t back = 1; code == 0 && back <= session->move_count && back <= MOVES_OFFERED; back++) {
        struct xylem_move move;
        snprintf(spec, sizeof spec, "@{%llu}", (unsigned long long)back);
        code = xylem_cli__move_read(cli, &move, session->number, session->move_count - back + 1);
        if (code == 0 && begin(cli, line, xylem_view_of(spec))) {
            struct xylem_view to;
            xylem_cli__add(&line->text, "the leaf before it was moved to ");
            code = xylem_cli__entry_id(cli, &to, move.to);
            xylem_cli__add_shown(cli, &line->text, to.data ? to : xylem_view_of("none"), XYLEM_CLI__ONE_LINE,
                                 DESCRIPTION_CELLS);
            xylem_cli__add(&line->text, ", ");
            xylem_cli__add_age(cli, &line->text, move.time_ms);
            xylem_cli__add(&line->text, " ago\n");
        }
    }
    return code;
}

/* Offers `@` first, then labels, then labelled entries, then the newest entries. */
static void offer_entries(struct xylem_cli *cli, struct line *line, const char *spec)
{
    struct xylem_session session;
    struct xylem_labels labels = {0};
    struct entries entries = {0};
    int code = spec ? xylem_cli__session(cli, &session, spec) : XYLEM_E_NOT_FOUND;
    if (code == 0 && (code = xylem_cli__labels_read(cli, &labels, session.number)) == 0 &&
        (code = gather_entries(cli, line, &entries, &session)) == 0) {
        code = offer_places(cli, line, &session);
    }
    for (size_t i = 0; code == 0 && i < labels.label_count; i++) {
        if (labels.labels[i].text.bytes > 0 && begin(cli, line, labels.labels[i].text)) {
            xylem_cli__add(&line->text, "label of ");
            xylem_cli__add_shown(cli, &line->text, labels.labels[i].target_id, XYLEM_CLI__ONE_LINE, DESCRIPTION_CELLS);
            xylem_cli__add(&line->text, "\n");
        }
    }
    for (int labelled = 1; code == 0 && labelled >= 0; labelled--) {
        for (size_t i = entries.count; code == 0 && i > 0; i--) {
            struct xylem_view id;
            code = xylem_cli__entry_id(cli, &id, entries.list[i - 1]);
            if (code == 0 && !xylem_cli__label_of(&labels, id) == (labelled == 0)) {
                bool newest = entries.count - i < SUMMARIES_MAX;
                code = offer_entry(cli, line, &labels, entries.list[i - 1], newest || labelled == 1);
            }
        }
    }
    free(entries.list);
    xylem_labels_release(&labels);
}

/* Offers the kinds of the newest entries on the leaf's path. */
static void offer_kinds(struct xylem_cli *cli, struct line *line, const char *spec)
{
    struct xylem_session session;
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    struct xylem_cli__text kind = {0};
    struct xylem_cli__text seen = {0}; /* each kind stands between two tabs */
    if (!spec || xylem_cli__session(cli, &session, spec) < 0 ||
        xylem_walk_new(&walk, cli->txn, session.leaf, &cli->err) < 0) {
        return;
    }
    for (size_t i = 0; i < KINDS_LOOKED_AT && xylem_walk_next(&entry, walk, &cli->err) == 1; i++) {
        xylem_cli__text_clear(&kind);
        xylem_cli__add(&kind, "\t");
        xylem_cli__add_kind(cli, &kind, entry.kind);
        xylem_cli__add(&kind, "\t");
        if (kind.failed || seen.failed || (seen.bytes.bytes > 0 && strstr(seen.bytes.data, kind.bytes.data))) {
            continue;
        }
        xylem_cli__add_bytes(&seen, kind.bytes.data, kind.bytes.bytes);
        kind.bytes.data[kind.bytes.bytes - 1] = '\0';
        offer(cli, line, kind.bytes.data + 1, "");
    }
    xylem_walk_free(walk);
    xylem_cli__text_release(&kind);
    xylem_cli__text_release(&seen);
}

/* --- Choosing candidates ------------------------------------------------------------------------------------------ */

/* Returns the session named on the line; NULL if there is none. */
static const char *session_on(const struct line *line)
{
    for (size_t i = 0; i < line->argument_count && i < XYLEM_CLI__ARGUMENTS_NAMED; i++) {
        enum xylem_cli__argument kind = line->command->arguments[i];
        if (kind == XYLEM_CLI__SESSION || kind == XYLEM_CLI__SESSION_ENTRY) {
            return line->arguments[i];
        }
    }
    return NULL;
}

/*
 * Returns the end of the session's id in the word: the longest part before a `:` that is the id of a session, else the
 * part before the first `:`.
 */
static const char *end_of_session(struct xylem_cli *cli, const char *word)
{
    struct xylem_session session;
    for (size_t bytes = strlen(word); bytes > 0; bytes--) {
        struct xylem_view id = {word, bytes - 1};
        if (word[bytes - 1] == ':' && id.bytes > 0 && id.bytes <= XYLEM_SESSION_ID_BYTES_MAX &&
            xylem_session_find(&session, cli->txn, id, &cli->err) == 0) {
            return word + id.bytes;
        }
    }
    return strchr(word, ':');
}

/*
 * Offers SESSION, or SESSION:ENTRY behind a colon. For a word that begins with a colon, the session is the one already
 * named. An id may contain a colon, so the typed word may also be the beginning of an id.
 */
static void offer_session_entries(struct xylem_cli *cli, struct line *line)
{
    const char *colon = end_of_session(cli, line->word);
    offer_sessions(cli, line, false);
    if (!colon || !is_plain(cli, line, (struct xylem_view){line->word, (size_t)(colon - line->word)})) {
        return;
    }
    const char *named = line->argument_count > 0 ? line->arguments[0] : "";
    const char *end = end_of_session(cli, named);
    size_t named_bytes = end ? (size_t)(end - named) : strlen(named);
    char *spec = colon == line->word ? strndup(named, named_bytes) : strndup(line->word, (size_t)(colon - line->word));
    if (spec) {
        line->before = (struct xylem_view){line->word, (size_t)(colon + 1 - line->word)};
        line->word = colon + 1;
        offer_entries(cli, line, spec);
    }
    free(spec);
}

/* Offers the words of an array that ends in NULL. */
static void offer_words(const struct xylem_cli *cli, struct line *line, const char *const *words)
{
    for (; *words; words++) {
        offer(cli, line, *words, "");
    }
}

static void offer_kind_of(struct xylem_cli *cli, struct line *line, enum xylem_cli__argument kind)
{
    bool of_store = kind == XYLEM_CLI__SESSION || kind == XYLEM_CLI__ENTRY || kind == XYLEM_CLI__SESSION_ENTRY ||
                    kind == XYLEM_CLI__KIND || kind == XYLEM_CLI__DELETED || kind == XYLEM_CLI__RUN;
    if (of_store && xylem_cli__open_reading(cli) != 0) {
        return;
    }
    switch (kind) {
    case XYLEM_CLI__ANY:
        break;
    case XYLEM_CLI__SESSION:
    case XYLEM_CLI__DELETED:
        offer_sessions(cli, line, kind == XYLEM_CLI__DELETED);
        break;
    case XYLEM_CLI__ENTRY:
        offer_entries(cli, line, session_on(line));
        break;
    case XYLEM_CLI__SESSION_ENTRY:
        offer_session_entries(cli, line);
        break;
    case XYLEM_CLI__KIND:
        offer_kinds(cli, line, session_on(line));
        break;
    case XYLEM_CLI__FILE:
        xylem_cli__add(&line->text, "files\n");
        break;
    case XYLEM_CLI__DIRECTORY:
        xylem_cli__add(&line->text, "directories\n");
        break;
    case XYLEM_CLI__COMMAND:
        offer_commands(cli, line, cli->commands, false);
        break;
    case XYLEM_CLI__RUN:
        offer_runs(cli, line);
        break;
    case XYLEM_CLI__WORD:
        if (line->command->words) {
            offer_words(cli, line, line->command->words());
        } else { /* the second argument of `help` */
            const struct xylem_cli__command *command = xylem_cli__command_find(cli, line->arguments[0]);
            offer_commands(cli, line, command ? command->verbs : NULL, true);
        }
        break;
    }
}

/* Offers values of an option. The kind of value is known by the argument's name in help. */
static void offer_values(struct xylem_cli *cli, struct line *line, const struct xylem_cli__option *option)
{
    static const struct {
        const char *argument;
        enum xylem_cli__argument kind;
    } kinds[] = {{"ENTRY", XYLEM_CLI__ENTRY}, {"SESSION", XYLEM_CLI__SESSION}, {"KIND", XYLEM_CLI__KIND},
                 {"FILE", XYLEM_CLI__FILE},   {"DIR", XYLEM_CLI__DIRECTORY},   {"COMMAND", XYLEM_CLI__COMMAND},
                 {"RUN", XYLEM_CLI__RUN}};
    bool takes_text = option->type == XYLEM_CLI__TEXT || option->type == XYLEM_CLI__LIST;
    if (option->type == XYLEM_CLI__CHOICE) {
        offer_words(cli, line, option->choices);
    }
    for (size_t i = 0; takes_text && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].argument, option->argument) == 0) {
            offer_kind_of(cli, line, kinds[i].kind);
        }
    }
}

static void offer_arguments(struct xylem_cli *cli, struct line *line)
{
    enum xylem_cli__argument kind = XYLEM_CLI__ANY;
    for (size_t i = 0; i <= line->argument_count && i < XYLEM_CLI__ARGUMENTS_NAMED; i++) {
        kind = line->command->arguments[i] == XYLEM_CLI__ANY ? kind : line->command->arguments[i];
    }
    if (xylem_cli__takes_text(line->command) && line->argument_count + 1 == line->command->arguments_max) {
        return; /* a person writes the text */
    }
    if (line->argument_count < line->command->arguments_max) {
        offer_kind_of(cli, line, kind);
    } else if (!line->only_arguments) {
        offer_options(cli, line, line->command->options);
        offer_options(cli, line, xylem_cli__global_options);
    }
}

static void complete(struct xylem_cli *cli, struct line *line)
{
    const char *equals = strchr(line->word, '=');
    if (line->pending) {
        offer_values(cli, line, line->pending);
    } else if (!line->only_arguments && strncmp(line->word, "--", 2) == 0 && equals) {
        const struct xylem_cli__option *option =
            xylem_cli__option_find(line->command, line->word + 2, (size_t)(equals - line->word) - 2, 0);
        line->before = (struct xylem_view){line->word, (size_t)(equals + 1 - line->word)};
        line->word = equals + 1;
        if (option) {
            offer_values(cli, line, option);
        }
    } else if (!line->only_arguments && line->word[0] == '-') {
        offer_options(cli, line, line->command ? line->command->options : NULL);
        offer_options(cli, line, xylem_cli__global_options);
    } else if (!line->command) {
        offer_commands(cli, line, cli->commands, false);
    } else if (line->command->verbs) {
        offer_commands(cli, line, line->command->verbs, true);
    } else {
        offer_arguments(cli, line);
    }
}

/* --- The words before ------------------------------------------------------------------------------------------- */

/* Notes a --store option on the line. */
static void take_value(struct xylem_cli *cli, const struct xylem_cli__option *option, const char *value)
{
    if (option && strcmp(option->name, "store") == 0) {
        cli->store_option = value;
    }
}

static void take_option(struct xylem_cli *cli, struct line *line, const char *word)
{
    const struct xylem_cli__option *option = NULL;
    const char *equals = strchr(word, '=');
    if (word[1] == '-') {
        size_t bytes = equals ? (size_t)(equals - word) - 2 : strlen(word + 2);
        option = xylem_cli__option_find(line->command, word + 2, bytes, 0);
        if (equals) {
            take_value(cli, option, equals + 1);
        } else if (option && option->type != XYLEM_CLI__FLAG) {
            line->pending = option;
        }
        return;
    }
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        option = xylem_cli__option_find(line->command, NULL, 0, *letter);
        if (option && option->type != XYLEM_CLI__FLAG) {
            line->pending = letter[1] == '\0' ? option : NULL;
            take_value(cli, option, letter + 1);
            return;
        }
    }
}

/* False if the word is not a command: then nothing is offered. */
static bool take_word(struct xylem_cli *cli, struct line *line, const char *word)
{
    if (line->pending) {
        take_value(cli, line->pending, word);
        line->pending = NULL;
    } else if (!line->only_arguments && strcmp(word, "--") == 0) {
        line->only_arguments = true;
    } else if (!line->only_arguments && word[0] == '-' && word[1] != '\0') {
        take_option(cli, line, word);
    } else if (!line->command) {
        line->command = xylem_cli__command_find(cli, word);
        line->only_arguments = false;
        return line->command;
    } else if (line->command->verbs) {
        line->command = xylem_cli__verb_find(line->command, word);
        line->only_arguments = false;
        return line->command;
    } else {
        if (line->argument_count < XYLEM_CLI__ARGUMENTS_NAMED) {
            line->arguments[line->argument_count] = word;
        }
        line->argument_count++;
    }
    return true;
}

/* Lets the program of a command that is none here complete the whole line. */
static int ask_beside(struct xylem_cli *cli, const char *command, char *const *all)
{
    size_t count = 0;
    while (all[count]) {
        count++;
    }
    char **words = calloc(count + 3, sizeof *words);
    if (!words) {
        return xylem_cli__fail_memory(cli);
    }
    words[0] = "complete";
    words[1] = "--";
    memcpy(words + 2, all, count * sizeof *words);
    int code = xylem_cli__become(cli, command, words, NULL);
    free(words);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct line line = {.word = ""};
    char *const *all = arguments;
    bool known = true;
    (void)options;
    for (; known && arguments[0] && arguments[1]; arguments++) {
        known = take_word(cli, &line, arguments[0]);
        if (!known && !line.command && ask_beside(cli, arguments[0], all) < 0) {
            break;
        }
    }
    line.word = arguments[0] ? arguments[0] : "";
    if (known) {
        complete(cli, &line);
    }
    int code = xylem_cli__put_unbroken(cli, &line.text);
    xylem_cli__text_release(&line.text);
    xylem_cli__text_release(&line.shown);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_complete = {
    .name = "complete",
    .group = XYLEM_CLI__PLUMBING,
    .summary = "List completions of a command line, for shells",
    .usage = "-- WORD...",
    .details =
        "The words are those behind `xylem`; the last word, which may be empty, is completed. A line has a\n"
        "completion, a tab, and a description. A line without a tab is `files` or `directories`: the shell lists\n"
        "those.\n",
    .arguments_max = SIZE_MAX,
    .quiet = true,
    .run = run,
};
