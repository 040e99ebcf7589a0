/* Finds a command, or a verb of a command, by name. */
#include "cli/cli.h"

#include <string.h>

/* What people of other programs type. Help and completion do not show these words. */
static const struct {
    const char *word;
    const char *command; /* NULL: the word means more than one command */
    const char *meant;   /* what to type instead */
} words[] = {
    {"ls", "sessions", NULL},
    {"list", "sessions", NULL},
    {"recent", "sessions", NULL},
    {"grep", "search", NULL},
    {"cat", "show", NULL},
    {"view", "show", NULL},
    {"get", "show", NULL},
    {"compare", "diff", NULL},
    {"less", "log", NULL},
    {"check", "verify", NULL},
    {"about", "version", NULL},
    {"man", "help", NULL},
    {"find", NULL, "`xylem search TEXT` finds what was said, `xylem sessions --name TEXT` a session"},
    {"resume", NULL, "`xylem open SESSION` goes on in pi"},
    {"continue", NULL, "`xylem open SESSION` goes on in pi"},
    {"checkout", NULL, "`xylem navigate SESSION:ENTRY` moves the leaf, `xylem open SESSION:ENTRY` goes on in a fork"},
    {"rm", NULL, "`xylem delete SESSION` deletes a session, `xylem redact SESSION:ENTRY` a text"},
    {"remove", NULL, "`xylem delete SESSION` deletes a session, `xylem redact SESSION:ENTRY` a text"},
    {"trash", NULL, "`xylem delete SESSION` deletes a session, `xylem redact SESSION:ENTRY` a text"},
    {"name", NULL, "`xylem rename SESSION NAME` names a session"},
    {"tag", NULL, "`xylem label SESSION:ENTRY TEXT` labels an entry"},
    {"dump", NULL, "`xylem export SESSION` writes a session file, `xylem export --all DIR` every session"},
    {"load", NULL, "`xylem import FILE` reads session files"},
    {"save", NULL, "`xylem export SESSION` writes a session file, `xylem backup DIRECTORY` copies the store"},
    {"send", NULL, "`xylem bundle SESSION | ssh HOST xylem unbundle` brings a session to another machine"},
    {"share", NULL, "`xylem bundle SESSION > FILE` writes a session for another store, `xylem unbundle FILE` takes it"},
    {"head", NULL, "`xylem log -r PLACE` lists the entries, the oldest first"},
    {"readonly", NULL, "`xylem state PLACE` says whether readonly is on, `--explain` why"},
    {"clean", NULL, "`xylem gc` frees deleted sessions, `xylem compact` gives the room back"},
    {"vacuum", NULL, "`xylem gc` frees deleted sessions, `xylem compact` gives the room back"},
    {"purge", NULL, "`xylem gc` frees deleted sessions, `xylem compact` gives the room back"},
    {"prune", NULL, "`xylem gc` frees deleted sessions, `xylem compact` gives the room back"},
    {"history", NULL, "`xylem log` lists the entries of a session, `xylem moves` what moved its leaf"},
    {"mv", NULL,
     "`xylem rename SESSION NAME` names a session, `xylem open --map OLD=NEW SESSION` follows a project that moved"},
    {"cp", NULL, "`xylem clone SESSION` copies a session, `xylem backup DIRECTORY` the store"},
    {"info", NULL,
     "`xylem stat` shows figures of the store, `xylem show PLACE` an entry, `xylem branches PLACE` a session"},
    {"usage", NULL, "`xylem stat --usage` sums tokens and cost"},
    {"cost", NULL, "`xylem stat --usage` sums tokens and cost"},
    {"tokens", NULL, "`xylem stat --usage` sums tokens and cost"},
    {"size", NULL, "`xylem stat --bytes` shows where the bytes are"},
    {"who", NULL, "`xylem stat --holders` lists the processes that have the store open"},
    {"lsof", NULL, "`xylem stat --holders` lists the processes that have the store open"},
    {"holders", NULL, "`xylem stat --holders` lists the processes that have the store open"},
    {"ps", NULL, "`xylem stat --holders` lists the processes that have the store open"},
    {"tail", NULL, "`xylem watch SESSION` prints entries as they are committed"},
    {"follow", NULL,
     "`xylem watch SESSION` prints entries as they are committed, `xylem import --follow` imports while pi writes"},
    {"pick", NULL, "`xylem sessions --pick` lets you choose a session"},
    {"forks", NULL, "`xylem tree --family SESSION` draws the sessions that are related by forks"},
    {"archive", NULL, "`xylem delete --older-than TIME` puts old sessions away, `xylem export SESSION` writes a file"},
    {"why", NULL, "`xylem state --explain PLACE` says which entry decided"},
    {"du", NULL, "`xylem stat --bytes` shows where the bytes are"},
    {"health", NULL, "`xylem verify` proves the store, `xylem repair NEW` saves what is sound"},
    {"reset", NULL, "`xylem navigate SESSION:ENTRY` moves the leaf; nothing is lost"},
    {"doctor", NULL, "`xylem verify` proves the store, `xylem repair NEW` saves what is sound"},
    {"fsck", NULL, "`xylem verify` proves the store, `xylem repair NEW` saves what is sound"},
    {"restore", NULL,
     "`xylem undelete SESSION` brings a deleted session back; of a backup, `cp -rp BACKUP NEW` (`xylem backup "
     "--help`); of a damaged store, `xylem repair NEW`"},
    {"fleet", NULL, "`apt install xylem-fleet` installs its program, a package of its own"},
    {"mcp", NULL, "`npm install -g xylem-mcp` installs its program, a package of its own"},
    {"undo", NULL, "`xylem navigate 'SESSION:@{1}'` takes a move back, `xylem undelete SESSION` a deletion"},
};
enum { WORD_COUNT = sizeof words / sizeof words[0] };

const struct xylem_cli__command *xylem_cli__command_find(const struct xylem_cli *cli, const char *name)
{
    for (size_t i = 0; i < WORD_COUNT; i++) {
        name = words[i].command && strcmp(words[i].word, name) == 0 ? words[i].command : name;
    }
    for (size_t i = 0; cli->commands[i]; i++) {
        if (strcmp(cli->commands[i]->name, name) == 0) {
            return cli->commands[i];
        }
    }
    return NULL;
}

bool xylem_cli__takes_text(const struct xylem_cli__command *command)
{
    return command->arguments_max > 0 && command->arguments_max <= XYLEM_CLI__ARGUMENTS_NAMED &&
           command->arguments[command->arguments_max - 1] == XYLEM_CLI__ANY;
}

const char *xylem_cli__verb_word(const struct xylem_cli__command *verb)
{
    return strchr(verb->name, ' ') + 1;
}

const struct xylem_cli__command *xylem_cli__verb_find(const struct xylem_cli__command *command, const char *name)
{
    for (size_t i = 0; command->verbs[i]; i++) {
        if (strcmp(xylem_cli__verb_word(command->verbs[i]), name) == 0) {
            return command->verbs[i];
        }
    }
    return NULL;
}

int xylem_cli__no_verb(struct xylem_cli *cli, const struct xylem_cli__command *command, const char *name)
{
    struct xylem_cli__suggestions suggestions = {.wanted = xylem_view_of(name)};
    struct xylem_cli__text text = {0};
    for (size_t i = 0; command->verbs[i]; i++) {
        xylem_cli__suggest_word(&suggestions, "", xylem_cli__verb_word(command->verbs[i]));
    }
    xylem_cli__addf(&text, "'%s' is not a verb of %s", name, command->name);
    xylem_cli__add_suggestions(&text, &suggestions, "'");
    cli->command = command; /* whose help lists the verbs */
    return xylem_cli__usage_text(cli, &text);
}

int xylem_cli__no_command(struct xylem_cli *cli, const char *name)
{
    struct xylem_cli__suggestions suggestions = {.wanted = xylem_view_of(name)};
    struct xylem_cli__text text = {0};
    for (size_t i = 0; cli->commands[i]; i++) {
        xylem_cli__suggest_word(&suggestions, "", cli->commands[i]->name);
    }
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (strcmp(words[i].word, name) == 0) {
            return xylem_cli__usage(cli, "there is no command '%s': %s", name, words[i].meant);
        }
    }
    xylem_cli__addf(&text, "there is no command '%s'", name);
    if (xylem_cli__looks_like_id(name)) {
        xylem_cli__addf(&text, ": `xylem log %s` looks into a session, `xylem show %s` at an entry", name, name);
    }
    xylem_cli__add_suggestions(&text, &suggestions, "'");
    return xylem_cli__usage_text(cli, &text);
}
