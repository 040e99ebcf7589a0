/* xylem complete, and the scripts in cli/completions/ in the shells that they are for. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"
#include "xylem/state.h"

#define ID "01a1f9f7-22cb-72e7-96e0-96825857127f"

/* What is offered for a line: the words behind `xylem`, the last of which is completed (`_` for an empty one). */
static void complete(struct command *command, const char *words)
{
    const char *arguments[WORDS_MAX] = {"complete", "--"};
    char *copy = strdup(words);
    size_t count = 2;

    assert_non_null(copy);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        arguments[count++] = strcmp(word, "_") == 0 ? "" : word;
    }
    command_end(command, command_start(command, arguments, count));
    free(copy);
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
}

static void assert_offers(struct command *command, const char *words, const char *expected)
{
    complete(command, words);
    if (strcmp(command->out, expected) != 0) {
        print_message("%s:\n", words);
    }
    assert_string_equal(command->out, expected);
}

/* The candidates alone, each with a space behind it. */
static void assert_candidates(struct command *command, const char *words, const char *expected)
{
    char found[4096] = "";

    complete(command, words);
    for (const char *line = command->out; *line != '\0'; line = strchr(line, '\n') + 1) {
        strncat(found, line, strcspn(line, "\t\n"));
        strcat(found, " ");
        assert_true(strlen(found) < sizeof(found) - 256);
    }
    assert_string_equal(found, expected);
}

#define WITH_SCENARIO(test) TEST_WITH(test, command_set_up_scenario, command_tear_down_verified)

WITH_SCENARIO(commands_are_offered)
{
    struct command *command = *state;

    assert_offers(command, "sho", "show\tShow one entry and its payload\n");
    assert_candidates(command, "st", "state stat ");
    assert_candidates(command, "help ver", "verify version ");
    assert_candidates(command, "-s /nowhere --no-pager lo", "log ");
    assert_candidates(command, "-- lo", "log ");
    assert_candidates(command, "nonsense", "");
    assert_candidates(command, "nonsense _", "");
    complete(command, "_");
    assert_contains(command->out, "init\tMake an empty store\n");
    assert_contains(command->out, "\ncomplete\t");
    command_line(command, "complete");
    assert_exit(command, 0);
    assert_contains(command->out, "init\tMake an empty store\n");
}

WITH_SCENARIO(options_and_their_choices_are_offered)
{
    struct command *command = *state;

    assert_offers(command, "log --at", "--at\tthe path of this entry (default: the leaf)\n");
    assert_candidates(command, "log --json", "--json --jsonl ");
    assert_candidates(command, "state s --event _", "session_start session_tree toggled ");
    assert_candidates(command, "--no-p", "--no-pager ");
    assert_candidates(command, "log --col", "--color ");
    assert_candidates(command, "log -- --col", "");
    assert_candidates(command, "--color _", "auto always never ");
    assert_candidates(command, "log --color=al", "--color=always ");
    assert_candidates(command, "sessions --sort e", "entries ");
    assert_candidates(command, "sessions --name _", "");
    assert_candidates(command, "log --nonsense=", "");
    complete(command, "version _");
    assert_contains(command->out, "--json\t");
}

WITH_SCENARIO(files_and_directories_are_left_to_the_shell)
{
    struct command *command = *state;

    assert_offers(command, "import _", "files\n");
    assert_offers(command, "import a b c", "files\n");
    assert_offers(command, "export " ID " -o _", "files\n");
    assert_offers(command, "export " ID " --output=x", "files\n");
    assert_offers(command, "-s _", "directories\n");
    assert_offers(command, "log --store x", "directories\n");
    assert_offers(command, "sessions --dir _", "directories\n");
}

WITH_SCENARIO(sessions_are_offered_the_last_active_first)
{
    struct command *command = *state;

    command_run(command, "append", "older", "--create", "--kind", "note", NULL);
    command_run(command, "append", "has blank", "--create", "--kind", "note", NULL);
    command_run(command, "append", "evil\x1b[2J", "--create", "--kind", "note", NULL);
    command_run(command, "delete", "older", "--yes", NULL);
    command_run(command, "append", "newer", "--create", "--kind", "note", NULL);
    assert_offers(command, "log " ID, ID "\tscenario one, 2h, /home/dev/proj\n");
    assert_offers(command, "log 01a1", ID "\tscenario one, 2h, /home/dev/proj\n");
    assert_candidates(command, "log n", "newer ");
    assert_candidates(command, "tree zz", "");
    complete(command, "log _");
    assert_null(strstr(command->out, "older"));
    assert_null(strstr(command->out, "blank"));
    assert_null(strstr(command->out, "evil"));
}

WITH_SCENARIO(entries_of_the_session_on_the_line_are_offered)
{
    struct command *command = *state;

    assert_offers(command, "show " ID " 88", "88fe2aff\tcustom:readonly: {\"enabled\":true}\n");
    assert_candidates(command, "show 01a1 88", "88fe2aff ");
    complete(command, "log " ID " --at 6f75");
    assert_contains(command->out, "6f7578e6\t[after-block] message: ");
    assert_candidates(command, "log --at 88", ""); /* of no session */
    assert_candidates(command, "log " ID " --at=88", "--at=88fe2aff ");
    assert_candidates(command, "log --at=88 " ID " --at 88", "88fe2aff ");
    assert_candidates(command, "append --parent 88fe2aff " ID " --expect 88", "88fe2aff ");
    assert_candidates(command, "navigate nobody _", "");
    complete(command, "show " ID " _");
    assert_int_equal(strncmp(command->out, "@\tthe leaf\nafter-block\tlabel of 6f7578e6\n6f7578e6\t[after-block] ", 64),
                     0);
    assert_contains(command->out, "\n32512cc7\tmessage: assistant: echo: after resume\n");
    assert_candidates(command, "show " ID " after", "after-block ");
    assert_candidates(command, "tree " ID " --kind custom:r", "custom:readonly ");
}

WITH_SCENARIO(places_are_offered_with_the_leaf)
{
    struct command *command = *state;

    assert_candidates(command, "show " ID " @", "@ @~1 @^1 ");
    command_line(command, "navigate " ID " none --only-in-store");
    command_line(command, "navigate " ID " 6f7578e6 --only-in-store");
    assert_exit(command, 0);
    command->now = "2036-11-20T19:30:00Z";
    assert_candidates(command, "log " ID " --at @{", "@{1} @{2} ");
    complete(command, "show " ID " _");
    assert_int_equal(strncmp(command->out, "@\tthe leaf\n@{1}\tthe leaf before it was moved to 6f7578e6, ", 58), 0);
    assert_contains(command->out, "\n@{2}\tthe leaf before it was moved to none, ");
    assert_candidates(command, "state " ID ":@{2", ID ":@{2} ");
    for (int i = 0; i < 9; i++) {
        command_line(command, "navigate " ID " @{1} --only-in-store");
        assert_exit(command, 0);
    }
    assert_candidates(command, "show " ID " @{", "@{1} @{2} @{3} @{4} @{5} @{6} @{7} @{8} ");
}

WITH_SCENARIO(pieces_of_state_are_offered_to_blame)
{
    struct command *command = *state;
    char names[256] = "";

    for (const char *const *name = xylem_piece_names(); *name; name++) {
        strcat(strcat(names, *name), " ");
        assert_true(strlen(names) < sizeof(names) - 64);
    }
    assert_candidates(command, "blame s _", names);
    assert_candidates(command, "lease _", "status break ");
    assert_candidates(command, "lease break 01a1f9f7-22", ID " ");
    assert_candidates(command, "-s /no/such/place blame s r", "readonly ");
    assert_candidates(command, "blame 01a1f9f7-22", ID " ");
    assert_candidates(command, "blame " ID ":88", ID ":88fe2aff ");
    assert_candidates(command, "blame " ID " readonly --at 88", "88fe2aff ");
    assert_candidates(command, "state " ID " --at 88", "88fe2aff ");
    assert_candidates(command, "moves 01a1", ID " ");
}

WITH_SCENARIO(names_of_sessions_are_offered_once_a_word_begins)
{
    struct command *command = *state;

    command_must(command, "append one --create --kind note");
    command_must(command, "append two --create --kind note");
    command_must(command, "rename one login");
    assert_candidates(command, "log lo", "login ");
    command_run(command, "complete", "--", "log", "lo", NULL);
    assert_contains(command->out, "login\tname of one (");
    command_must(command, "rename two login"); /* names both: not offered */
    assert_candidates(command, "log lo", "");
    assert_candidates(command, "log scen", ""); /* `scenario one` has a blank */
    assert_candidates(command, "log @", "@last @last~1 ");
    assert_candidates(command, "log fixtures/", "files ");
    assert_candidates(command, "show @last:@~", "@last:@~1 ");
}

WITH_SCENARIO(both_ends_of_a_diff_are_offered)
{
    struct command *command = *state;

    assert_candidates(command, "diff 01a1f9f7-22", ID " ");
    assert_candidates(command, "diff " ID ":88", ID ":88fe2aff ");
    assert_candidates(command, "diff " ID ":@ :after", ":after-block ");
    assert_candidates(command, "diff " ID " :88", ":88fe2aff ");
    assert_candidates(command, "diff :88", "");
}

WITH_SCENARIO(an_id_with_a_colon_is_no_session_and_entry)
{
    struct command *command = *state;

    command_line(command, "append of:one --create --kind note --id first");
    assert_exit(command, 0);
    assert_candidates(command, "diff of", "of:one ");
    assert_candidates(command, "diff of:", "of:one ");
    assert_candidates(command, "diff of:one:", "of:one:@ of:one:first ");
    assert_candidates(command, "diff of:one:f", "of:one:first ");
    assert_candidates(command, "diff of:one:@ :f", ":first ");
}

WITH_SCENARIO(what_a_terminal_would_act_on_is_not_given_back)
{
    struct command *command = *state;

    command_line(command, "append \x1b[2Jabc --create --kind note --id first");
    assert_exit(command, 0);
    assert_offers(command, "diff \x1b[2Jabc:", "");
    assert_offers(command, "diff \x1b[2J", "");
}

/*
 * With nothing typed, only the newest of very many are offered; what begins as the word does is offered all the same.
 */
WITH_SCENARIO(of_very_many_entries_the_newest_are_offered)
{
    struct command *command = *state;
    char path[256];
    size_t count = 0;

    command_path(path, command, "many.jsonl");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"type\":\"session\",\"version\":3,\"id\":\"many\",\"timestamp\":\"2026-11-20T00:00:00.000Z\","
          "\"cwd\":\"/\"}\n",
          file);
    for (int i = 1; i <= 1200; i++) {
        fprintf(file, "{\"type\":\"note\",\"id\":\"n-%d\",\"parentId\":", i);
        fprintf(file, i == 1 ? "null" : "\"n-%d\"", i - 1);
        fputs(",\"timestamp\":\"2026-11-20T00:00:00.000Z\"}\n", file);
    }
    assert_int_equal(fclose(file), 0);
    command_run(command, "import", "-q", path, NULL);
    assert_exit(command, 0);
    complete(command, "show many _");
    for (const char *at = command->out; (at = strchr(at, '\n')) != NULL; at++) {
        count++;
    }
    assert_int_equal(count, 1001); /* and `@` */
    assert_contains(command->out, "\nn-1200\t");
    assert_contains(command->out, "\nn-201\t");
    assert_null(strstr(command->out, "\nn-200\t"));
    assert_candidates(command, "show many n-19", "n-199 n-198 n-197 n-196 n-195 n-194 n-193 n-192 n-191 n-190 n-19 ");
}

WITH_SCENARIO(kinds_of_the_session_are_offered)
{
    struct command *command = *state;

    command_line(command, "append " ID " --kind custom:readonly --data {\"enabled\":true}");
    assert_candidates(command, "append " ID " --kind cust", "custom:readonly ");
    assert_candidates(command, "append " ID " -k mess", "message ");
    assert_candidates(command, "append --kind cust", "");
}

WITH_SCENARIO(beyond_the_arguments_there_are_options)
{
    struct command *command = *state;

    assert_candidates(command, "log " ID " --js", "--json --jsonl ");
    complete(command, "log " ID " _");
    assert_contains(command->out, "--at\t");
    assert_null(strstr(command->out, ID));
}

TEST_WITH(without_a_store_it_is_silent, command_set_up_scenario, command_tear_down)
{
    struct command *command = *state;

    assert_candidates(command, "-s /no/such/place log _", "");
    assert_candidates(command, "--store=/no/such/place log _", "");
    assert_candidates(command, "-s/no/such/place show x _", "");
    snprintf(command->store, sizeof(command->store), "%s/none", command->directory);
    assert_candidates(command, "log _", "");
    assert_candidates(command, "lo", "log ");
}

/* A damaged session is not offered, and nothing is said of it. */
WITH_SCENARIO(it_never_complains)
{
    struct command *command = *state;
    char path[256];
    size_t bytes = 0;

    snprintf(path, sizeof(path), "%s/data.mdb", command->store);
    char *data = command_read_file(path, &bytes);
    char *last = memmem(data, bytes, "32512cc7", 8);
    while (last != NULL) { /* the leaf's record, wherever the file has it */
        *last = 'x';
        last = memmem(last, bytes - (size_t)(last - data), "32512cc7", 8);
    }
    command_write_file(path, data, bytes);
    free(data);
    assert_candidates(command, "log _", "");
    assert_candidates(command, "show " ID " _", "");
    command_tear_down(state);
    command_set_up_scenario(state);
}

/* --- In the shells ---------------------------------------------------------------------------------------------- */

/* Runs a script in a shell that must be there, with the command's path as $PROGRAM; what it prints is in `out`. */
static void run_in(struct command *command, const char *shell, const char *option, const char *script)
{
    char program[4096];
    char home[300];
    char *whole = NULL;
    const char *arguments[] = {option, "-c", NULL};

    assert_non_null(realpath(command_program(), program));
    snprintf(home, sizeof(home), "%s", command->directory);
    assert_true(
        asprintf(&whole,
                 strcmp(shell, "fish") == 0 ? "set -x PROGRAM %s; set -x HOME %s; %s" : "PROGRAM=%s; HOME=%s; %s",
                 program, home, script) > 0);
    arguments[2] = whole;
    char *before = getenv("XYLEM_BIN") == NULL ? NULL : strdup(getenv("XYLEM_BIN"));
    char path[64];
    snprintf(path, sizeof(path), "/usr/bin/%s", shell);
    if (access(path, X_OK) != 0) {
        fail_msg("%s is not there: `make deps` installs it", path);
    }
    setenv("XYLEM_BIN", path, 1);
    command_end(command, command_start(command, arguments, 3));
    if (before == NULL) {
        unsetenv("XYLEM_BIN");
    } else {
        setenv("XYLEM_BIN", before, 1);
    }
    free(before);
    free(whole);
    assert_exit(command, 0);
}

/* Runs the function as bash does: the line, and its words as bash splits them. */
#define IN_BASH(line, words)                                                                              \
    "source cli/completions/xylem.bash; COMP_LINE=\"" line "\"; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(" words \
    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _xylem; printf '%s\\n' \"${COMPREPLY[@]}\""

static void assert_in_bash(struct command *command, const char *script, const char *expected)
{
    run_in(command, "bash", "--norc", script);
    assert_string_equal(command->out, expected);
    assert_string_equal(command->err, "");
}

WITH_SCENARIO(bash_completes)
{
    struct command *command = *state;

    command_run(command, "append", "semi;colon$x", "--create", "--kind", "note", NULL);
    command_run(command, "append", "with:colon", "--create", "--kind", "note", NULL);
    assert_in_bash(command, IN_BASH("$PROGRAM sho", "$PROGRAM sho"), "show\n");
    assert_in_bash(command, IN_BASH("$PROGRAM show 01a1 88", "$PROGRAM show 01a1 88"), "88fe2aff\n");
    assert_in_bash(command, IN_BASH("$PROGRAM log 01a1", "$PROGRAM log 01a1"), ID "\n");
    assert_in_bash(command, IN_BASH("$PROGRAM --color=al", "$PROGRAM --color = al"), "always\n");
    assert_in_bash(command, IN_BASH("$PROGRAM --color=", "$PROGRAM --color ="), "auto\nalways\nnever\n");
    assert_in_bash(command, IN_BASH("$PROGRAM log with:co", "$PROGRAM log with : co"), "colon\n");
    assert_in_bash(command, IN_BASH("$PROGRAM log semi", "$PROGRAM log semi"), "semi\\;colon\\$x\n");
    assert_in_bash(command, IN_BASH("$PROGRAM import inclu", "$PROGRAM import inclu"), "include\n");
    assert_in_bash(command, IN_BASH("$PROGRAM -s inclu", "$PROGRAM -s inclu"), "include\n");
    assert_in_bash(command, IN_BASH("$PROGRAM nonsense ", "$PROGRAM nonsense ''"), "\n");
    assert_in_bash(command, IN_BASH("$PROGRAM log '01a1", "$PROGRAM log \"'01a1\""), ID "\n");
    run_in(command, "bash", "--norc", "source cli/completions/xylem.bash; complete -p xylem");
    assert_string_equal(command->out, "complete -F _xylem xylem\n");
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

WITH_SCENARIO(zsh_completes)
{
    struct command *command = *state;
    char *script = NULL;

    assert_true(asprintf(&script, "LINES_TO_TRY='%s'\n%s",
                         "xylem_sho xylem_show_01a1_88 xylem_log_01a1 xylem_--color=al xylem_import_inclu "
                         "xylem_--store=inclu xylem_log_01a1_--jsonl",
                         in_zsh) > 0);
    run_in(command, "zsh", "-f", script);
    free(script);
    assert_string_equal(command->out, "xylem show \n"
                                      "xylem show 01a1 88fe2aff \n"
                                      "xylem log " ID " \n"
                                      "xylem --color=always \n"
                                      "xylem import include/\n"
                                      "xylem --store=include/\n"
                                      "xylem log 01a1 --jsonl \n");
}

static void assert_in_fish(struct command *command, const char *line, const char *expected)
{
    char script[512];

    snprintf(script, sizeof(script), "source cli/completions/xylem.fish; complete -C \"$PROGRAM %s\"", line);
    run_in(command, "fish", "--no-config", script);
    assert_string_equal(command->out, expected);
}

WITH_SCENARIO(fish_completes)
{
    struct command *command = *state;

    assert_in_fish(command, "sho", "show\tShow one entry and its payload\n");
    assert_in_fish(command, "show 01a1 88", "88fe2aff\tcustom:readonly: {\"enabled\":true}\n");
    assert_in_fish(command, "log 01a1", ID "\tscenario one, 2h, /home/dev/proj\n");
    assert_in_fish(command, "--color=al", "--color=always\n");
    assert_in_fish(command, "import inclu", "include/\n");
    assert_in_fish(command, "--store=inclu", "--store=include/\n");
    assert_in_fish(command, "nonsense ", "");
}
