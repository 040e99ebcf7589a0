/*
 * Which sessions of the store go to the fleet. If a session is held back, the forks of the session are held back too,
 * because a fork shows the text of the source. A fork goes together with the source only: without the source nobody can
 * read the fork.
 */
#include "fleet/cli/choice.h"
#include "xylem/branch.h"
#include "xylem/store.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replaces a fork by its source. 1: done. 0: the session is no fork, or the source was freed. */
static int go_to_source(struct xylem_session *session, struct xylem_txn *txn, struct xylem_error *err)
{
    uint64_t number;
    int code = session->base.depth == 0 ? XYLEM_E_NOT_FOUND : xylem_owner(&number, txn, session->base, err);
    code = code < 0 ? code : xylem_session_read(session, txn, number, err);
    return code == 0 ? 1 : code == XYLEM_E_NOT_FOUND || code == XYLEM_E_FREED ? 0 : code;
}

/* --- Reading the choice ------------------------------------------------------------------------------------------- */

/* Adds a named session, and the sources of the session. */
static int add_with_sources(struct fleet_cli_choice *choice, struct xylem_session session)
{
    struct xylem_cli *cli = choice->fleet->cli;
    int code = 1;
    while (code == 1) {
        code = xylem_base__numbers_add(&choice->named, session.number, &cli->err);
        code = code == 0 ? go_to_source(&session, cli->txn, &cli->err) : code;
    }
    return code;
}

static int hold_all(struct fleet_cli_choice *choice, const struct xylem_cli__list *except)
{
    struct xylem_cli *cli = choice->fleet->cli;
    const struct fleet_config_words *words = &choice->fleet->config.except;
    struct xylem_session session;
    int code = 0;
    for (size_t i = 0; code == 0 && i < except->count; i++) {
        code = xylem_cli__session_kept(cli, &session, except->texts[i]);
        code = code == 0 ? xylem_base__numbers_add(&choice->held, session.number, &cli->err) : code;
    }
    for (size_t i = 0; code == 0 && i < words->count; i++) { /* a session that the store lacks is no error */
        code = xylem_cli__session_exact(cli, &session, xylem_view_of(words->words[i]));
        code = code == 1 ? xylem_base__numbers_add(&choice->held, session.number, &cli->err) : code;
    }
    return code;
}

static int add_directories(struct fleet_cli_choice *choice, const struct xylem_cli__list *directories)
{
    for (size_t i = 0; i < directories->count; i++) {
        char *path = realpath(directories->texts[i], NULL);
        path = path ? path : strdup(directories->texts[i]); /* the sessions of a removed directory stay */
        if (!path) {
            return xylem_cli__fail_memory(choice->fleet->cli);
        }
        choice->directories.words[choice->directories.count++] = path;
        if (*path != '/') {
            return xylem_cli__usage(choice->fleet->cli, "--dir: there is no directory %s", path);
        }
    }
    return 0;
}

int fleet_cli_choose(struct fleet_cli_choice *choice, struct fleet_cli *fleet, char **sessions)
{
    struct xylem_cli *cli = fleet->cli;
    const struct fleet_cli_given *given = fleet->given;
    struct xylem_session session;
    bool chooses = *sessions || given->directories.count > 0;
    choice->fleet = fleet;
    if (!chooses && !given->all && fleet->config.directories.count == 0) {
        return xylem_cli__usage(cli,
                                "nothing says which sessions go: name sessions, or --dir DIR, or --all, or write lines "
                                "`directory DIR` to %s; --dry-run shows what would go",
                                fleet->config.path ? fleet->config.path : "~/.config/xylem/fleet");
    }
    if (given->all && chooses) {
        return xylem_cli__usage(cli, "--all names every session: give neither sessions nor --dir");
    }
    int code = add_directories(choice, &given->directories);
    for (; code == 0 && *sessions; sessions++) {
        code = xylem_cli__session_kept(cli, &session, *sessions);
        code = code == 0 ? add_with_sources(choice, session) : code;
    }
    code = code == 0 ? hold_all(choice, &given->except) : code;
    xylem_base__numbers_sort(&choice->named);
    xylem_base__numbers_sort(&choice->held);
    return code;
}

static const char unchosen[] = "it was not chosen";

bool fleet_cli_unchosen(const char *reason)
{
    return strcmp(reason, unchosen) == 0;
}

/* --- Asking ------------------------------------------------------------------------------------------------------- */

static bool is_chosen(const struct fleet_cli_choice *choice, const struct xylem_session *session)
{
    bool named = choice->named.count > 0;
    const struct fleet_config_words *directories =
        named || choice->directories.count > 0 ? &choice->directories : &choice->fleet->config.directories;
    /* a session that the fleet has is always shipped, because a redaction must follow the text */
    return choice->fleet->given->all || session->epoch > 0 ||
           xylem_base__numbers_have(&choice->named, session->number) ||
           (session->cwd.data && fleet_config_covers(directories, session->cwd));
}

int fleet_cli_ships(void *context, struct xylem_txn *txn, const struct xylem_session *session, const char **reason)
{
    const struct fleet_cli_choice *choice = context;
    struct xylem_session at = *session;
    bool chosen = is_chosen(choice, session);
    bool whole = true; /* all sources go, too; the fleet already has the sessions of other hosts */
    int code = 1;
    while (code == 1) {
        whole = whole && (is_chosen(choice, &at) || at.owner.bytes > 0 || at.state == XYLEM_SESSION_FREED);
        if (xylem_base__numbers_have(&choice->held, at.number)) {
            *reason = at.number == session->number ? "--except, or `except` of the configuration, holds it back"
                                                   : "it is a fork of a session that is held back";
            return 0;
        }
        code = go_to_source(&at, txn, &choice->fleet->cli->err);
    }
    *reason = !chosen ? unchosen : "it is a fork of a session that was not chosen: name that one, too";
    return code < 0 ? code : chosen && whole;
}

struct missed {
    struct fleet_cli_choice *choice;
    struct xylem_base__numbers *numbers;
    struct xylem_base__numbers
        as_known; /* sessions whose row is as the store expects, or a copy's row that has as much */
    bool listed;
};

static int note_row(struct fleet_cli *fleet, void *context, const struct fleet_row *row)
{
    struct missed *missed = context;
    struct xylem_session session;
    int code = xylem_cli__session_exact(fleet->cli, &session, row->id);
    enum fleet_cli_here here = code == 1 ? fleet_cli_here(&session, row) : FLEET_CLI_NOT_HERE;
    bool as_known = (here == FLEET_CLI_OWNS && row->epoch == session.epoch && row->next == session.history.count + 1) ||
                    (here == FLEET_CLI_FOLLOWS && row->next > session.history.count);
    return as_known ? xylem_base__numbers_add(&missed->as_known, session.number, &fleet->cli->err)
                    : (code < 0 ? code : 0);
}

/*
 * A ship looks at each session whose row differs from what the store expects. Another host may have taken such a session
 * over, or the engine may have lost the session: the feed tells neither before the next change. What the engine lacks of a
 * copy is told: its owner ships the copy, unless the owner was lost together with an engine.
 */
static int look_at(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    const struct missed *missed = context;
    const char *reason;
    bool named = xylem_base__numbers_have(&missed->choice->named, session->number);
    bool other = session->epoch > 0 && missed->listed && !xylem_base__numbers_have(&missed->as_known, session->number);
    if (other && session->owner.bytes > 0 && session->state == XYLEM_SESSION_LIVE &&
        (named || missed->choice->fleet->given->all)) {
        fleet_cli_tell(missed->choice->fleet, &(struct fleet_news){.type = FLEET_NEWS_BEHIND, .session = session->id});
    }
    bool may_be = session->owner.bytes == 0 && session->history.count > 0 &&
                  (session->state == XYLEM_SESSION_LIVE || (other && session->state == XYLEM_SESSION_DELETED));
    int ships = may_be && (named || other || session->epoch == 0)
                    ? fleet_cli_ships(missed->choice, cli->txn, session, &reason)
                    : 0;
    return ships == 1 ? xylem_base__numbers_add(missed->numbers, session->number, &cli->err) : ships;
}

int fleet_cli_missed(struct fleet_cli_choice *choice, struct xylem_base__numbers *numbers)
{
    struct missed missed = {.choice = choice, .numbers = numbers};
    struct xylem_cli *cli = choice->fleet->cli;
    int code = xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err);
    if (code == 0) {
        code = fleet_cli_each_row(choice->fleet, note_row, &missed);
        missed.listed = code == 0;
        code = code == XYLEM_E_IO ? 0 : code; /* the engine is away: this ship waits, and the next ship lists */
        xylem_base__numbers_sort(&missed.as_known);
    }
    code = code == 0 ? xylem_cli__each_session(cli, look_at, &missed) : code;
    xylem_abort(cli->txn);
    cli->txn = NULL;
    free(missed.as_known.list);
    return code;
}

void fleet_cli_choice_release(struct fleet_cli_choice *choice)
{
    for (size_t i = 0; i < choice->directories.count; i++) {
        free(choice->directories.words[i]);
    }
    free(choice->named.list);
    free(choice->held.list);
}
