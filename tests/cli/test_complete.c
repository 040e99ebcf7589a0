/* The script for zsh in cli/completions/, in a zsh on a terminal. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

#define ID "01a1f9f7-22cb-72e7-96e0-96825857127f"

/* Runs a script in zsh, with the command's path as $PROGRAM; what it prints is in `out`. */
static void run_in_zsh(struct command *command, const char *script)
{
    static const char zsh[] = "/usr/bin/zsh";
    char program[4096];
    char *whole = NULL;
    assert_non_null(realpath(command_program(), program));
    assert_true(asprintf(&whole, "PROGRAM=%s; HOME=%s; %s", program, command->directory, script) > 0);
    char *before = getenv("XYLEM_BIN") ? strdup(getenv("XYLEM_BIN")) : NULL;
    if (access(zsh, X_OK) != 0) {
        fail_msg("%s is not there: `make deps` installs it", zsh);
    }
    setenv("XYLEM_BIN", zsh, 1);
    command_end(command, command_start(command, (const char *const[]){"-f", "-c", whole}, 3));
    if (before) {
        setenv("XYLEM_BIN", before, 1);
    } else {
        unsetenv("XYLEM_BIN");
    }
    free(before);
    free(whole);
    assert_exit(command, 0);
}

/* A shell on a terminal of its own, in which a key completes the line and writes down what it has become. */
static const char in_zsh[] = "zmodload zsh/zpty\n"
                             "zpty z \"TERM=dumb zsh -f -i\"\n"
                             "zpty -w z \"PS1=; fpath=($PWD/cli/completions \\$fpath); autoload -Uz compinit;"
                             " compinit -u -D; path=(${PROGRAM:h} \\$path)\"\n"
                             "zpty -w z \"capture() { zle complete-word; print -r -- \\\"\\$BUFFER\\\" > $HOME/new;"
                             " mv $HOME/new $HOME/line }; zle -N capture; bindkey '^X' capture; print rea''dy\"\n"
                             "zpty -r z reply '*ready*'\n"
                             "for line in $=LINES_TO_TRY; do\n"
                             "    zpty -w -n z \"${line//_/ }\"$'\\x18'\n"
                             "    for i in {1..400}; do [[ -e $HOME/line ]] && break; sleep 0.05; done\n"
                             "    cat $HOME/line\n"
                             "    rm $HOME/line\n"
                             "    zpty -w -n z $'\\x15'\n"
                             "done\n"
                             "zpty -d z\n";

TEST_WITH(zsh_completes, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    char *script = NULL;
    assert_true(asprintf(&script, "LINES_TO_TRY='%s'\n%s",
                         "xylem_sho xylem_show_01a1:88 xylem_log_01a1 xylem_--color=al xylem_import_inclu "
                         "xylem_--store=inclu xylem_log_01a1_--jsonl",
                         in_zsh) > 0);
    run_in_zsh(command, script);
    free(script);
    assert_string_equal(command->out, "xylem show \n"
                                      "xylem show 01a1:88fe2aff \n"
                                      "xylem log " ID " \n"
                                      "xylem --color=always \n"
                                      "xylem import include/\n"
                                      "xylem --store=include/\n"
                                      "xylem log 01a1 --jsonl \n");
}
