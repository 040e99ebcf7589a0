/* The options of all commands, as `xylem help --json` lists them. */
#include <stdio.h>

#include "base/value.h"
#include "tests/cli/command.h"
#include "tests/lib/test.h"
#include "xylem/entry.h"

/* Each letter, and its one meaning. */
static const struct {
    char letter;
    const char *name;
} letters[] = {{'a', "all"},    {'b', "before"}, {'C', "context"}, {'c', "count"}, {'d', "dir"},
               {'e', "regex"},  {'f', "follow"}, {'h', "help"},    {'k', "kind"},  {'l', "list"},
               {'n', "number"}, {'o', "output"}, {'p', "policy"},  {'q', "quiet"}, {'r', "reverse"},
               {'s', "store"},  {'t', "tool"},   {'V', "version"}, {'y', "yes"}};

struct seen {
    char name[32];
    bool takes_argument;
};

static struct seen seen[256];
static size_t seen_count;

/* The letter that the table has for the name; 0: none. */
static char letter_of(struct xylem_view name)
{
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if (xylem_base__view_equal(xylem_view_of(letters[i].name), name)) {
            return letters[i].letter;
        }
    }
    return 0;
}

/*
 * A name has one letter or none, and an argument in all commands or in none; but for --check: `files` checks a PATH,
 * `unbundle` its own FILE.
 */
static void look_at_option(const char *command, const struct xylem_value *option)
{
    struct xylem_view name = xylem_value_string(xylem_value_get(option, "name"));
    struct xylem_view letter = xylem_value_string(xylem_value_get(option, "letter"));
    bool takes_argument = xylem_value_type(xylem_value_get(option, "argument")) == XYLEM_VALUE_STRING;
    size_t at = 0;
    if ((letter.bytes == 1 ? letter.data[0] : 0) != letter_of(name)) {
        fail_msg("%s: --%.*s has the letter '%.*s'", command, (int)name.bytes, name.data, (int)letter.bytes,
                 letter.data ? letter.data : "");
    }
    while (at < seen_count && !xylem_base__view_equal(xylem_view_of(seen[at].name), name)) {
        at++;
    }
    if (at == seen_count) {
        assert_true(at < sizeof seen / sizeof seen[0] && name.bytes < sizeof seen[0].name);
        memcpy(seen[at].name, name.data, name.bytes);
        seen[at].takes_argument = takes_argument;
        seen_count++;
    }
    if (seen[at].takes_argument != takes_argument && !xylem_base__view_equal(name, xylem_view_of("check"))) {
        fail_msg("%s: --%s has an argument in one command, and none in another", command, seen[at].name);
    }
}

static size_t look_at_commands(const struct xylem_value *list)
{
    size_t count = 0;
    for (const struct xylem_value *command = xylem_value_first(list); command;
         command = xylem_value_next(list, command)) {
        char name[64];
        struct xylem_view word = xylem_value_string(xylem_value_get(command, "command"));
        const struct xylem_value *options = xylem_value_get(command, "options");
        snprintf(name, sizeof name, "%.*s", (int)word.bytes, word.data);
        for (const struct xylem_value *option = xylem_value_first(options); option;
             option = xylem_value_next(options, option), count++) {
            look_at_option(name, option);
        }
        count += look_at_commands(xylem_value_get(command, "verbs"));
    }
    return count;
}

TEST_WITH(a_letter_means_one_option_in_all_commands, command_set_up, command_tear_down)
{
    struct command *command = *state;
    struct xylem_document *parsed = NULL;
    command_must(command, "help --json");
    assert_int_equal(xylem_document_new_json(&parsed, (struct xylem_view){command->out, strlen(command->out)}, NULL),
                     0);
    assert_true(look_at_commands(xylem_value_get(xylem_document_value(parsed), "commands")) > 300);
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        size_t at = 0;
        while (at < seen_count && strcmp(seen[at].name, letters[i].name) != 0) {
            at++;
        }
        assert_true(at < seen_count); /* the table has no letter of an option that is gone */
    }
    xylem_document_free(parsed);
}
