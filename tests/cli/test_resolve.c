/* Which entry is meant. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

/* A session `s` of the notes first, second, third and fourth. */
static int append_notes(void **state)
{
    command_set_up(state);
    struct command *command = *state;
    command_line(command, "append s --create --kind note --id first");
    command_line(command, "append s --kind note --id second");
    command_line(command, "append s --kind note --id third");
    command_line(command, "append s --kind note --id fourth");
    assert_exit(command, 0);
    return 0;
}

static void label(struct command *command, const char *target, const char *text)
{
    char data[256];

    snprintf(data, sizeof(data), "{\"targetId\":\"%s\",\"label\":\"%s\"}", target, text);
    command_run(command, "append", "s", "--kind", "label", "--data", data, NULL);
    assert_exit(command, 0);
}

static void leads_to(struct command *command, const char *spec, const char *id)
{
    char wanted[128];

    command_run(command, "show", "s", spec, "--json", NULL);
    assert_exit(command, 0);
    snprintf(wanted, sizeof(wanted), "\"id\":\"%s\"", id);
    assert_contains(command->out, wanted);
}

#define WITH_APPEND_NOTES(test) TEST_WITH(test, append_notes, command_tear_down_verified)

WITH_APPEND_NOTES(a_label_names_its_entry)
{
    struct command *command = *state;

    label(command, "third", "good");
    leads_to(command, "good", "third");
    leads_to(command, "good~2", "first");
    label(command, "second", "x"); /* shorter than a beginning of an id may be */
    leads_to(command, "x", "second");
    label(command, "second", "a label of words, which is longer than any id of an entry may be: 64 bytes");
    leads_to(command, "a label of words, which is longer than any id of an entry may be: 64 bytes", "second");
    command_run(command, "show", "s", "x", NULL);
    assert_error(command, 3, "there is no entry 'x' (the beginning of an id needs 4 characters)");
}

WITH_APPEND_NOTES(every_command_takes_labels)
{
    struct command *command = *state;
    const char *const lines[] = {"log s --at good",
                                 "state s --at good",
                                 "fork s good --id f",
                                 "navigate s good",
                                 "append s --kind note --parent good --expect good",
                                 "diff s:good s:good"};

    label(command, "second", "good");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_exit(command, 0);
    }
}

WITH_APPEND_NOTES(an_id_wins_over_a_label_and_a_label_over_a_beginning)
{
    struct command *command = *state;

    label(command, "first", "second");
    leads_to(command, "second", "second");
    label(command, "first", "thir");
    leads_to(command, "thir", "first");
    label(command, "second", "@");
    command_run(command, "navigate", "s", "fourth", NULL);
    leads_to(command, "@", "fourth");
    label(command, "first", "@~1");
    command_run(command, "navigate", "s", "fourth", NULL);
    leads_to(command, "@~1", "third");
    label(command, "fourth", "second~1");
    leads_to(command, "second~1", "fourth");
}

WITH_APPEND_NOTES(a_label_of_several_entries_is_ambiguous)
{
    struct command *command = *state;

    label(command, "first", "same");
    label(command, "third", "same");
    command_run(command, "show", "s", "same", NULL);
    assert_error(command, 4, "'same' is ambiguous: 2 entries have that label: first, third");
    command_run(command, "show", "s", "same~1", NULL);
    assert_error(command, 4, "2 entries have that label");
    label(command, "third", "other");
    leads_to(command, "same", "first");
}

WITH_APPEND_NOTES(a_label_of_an_entry_that_is_not_there_names_nothing)
{
    struct command *command = *state;

    label(command, "nowhere", "lost");
    command_run(command, "show", "s", "lost", NULL);
    assert_error(command, 3, "there is no entry 'lost'");
    label(command, "second", "lost");
    leads_to(command, "lost", "second");
    label(command, "second", "");
    command_run(command, "show", "s", "lost", NULL);
    assert_error(command, 3, "there is no entry 'lost'");
    command_run(command, "show", "s", "", NULL);
    assert_error(command, 3, "an entry id has 1 to 64 bytes, not 0");
}

WITH_APPEND_NOTES(an_ambiguous_beginning_lists_what_begins_so)
{
    struct command *command = *state;
    char line[64];

    for (int i = 0; i < 7; i++) {
        snprintf(line, sizeof(line), "append s --kind note --id many%d", i);
        command_line(command, line);
    }
    command_line(command, "show s many");
    assert_error(command, 4, "'many' is ambiguous: 7 entry ids begin with it: many0, many1, many2, many3, many4, ...");
}

WITH_APPEND_NOTES(a_depth_names_the_entry_of_the_path_that_has_it)
{
    struct command *command = *state;

    leads_to(command, "@^1", "first");
    leads_to(command, "@^3", "third");
    leads_to(command, "@^4", "fourth");
    leads_to(command, "third^2", "second");
    leads_to(command, "four^2", "second");
    label(command, "third", "good");
    leads_to(command, "good^1", "first");
    command_run(command, "show", "s", "@^9", NULL);
    assert_error(command, 3, "there is no entry '@^9': '@' has depth 5");
    command_run(command, "show", "s", "third^4", NULL);
    assert_error(command, 3, "there is no entry 'third^4': 'third' has depth 3");
    command_run(command, "show", "s", "@^0", NULL);
    assert_error(command, 3, "there is no entry '@^0'");
    command_run(command, "show", "s", "@^", NULL);
    assert_error(command, 3, "there is no entry '@^'");
    command_run(command, "show", "s", "@^18446744073709551616", NULL);
    assert_error(command, 3, "there is no entry '@^18446744073709551616'");
}

WITH_APPEND_NOTES(steps_follow_each_other)
{
    struct command *command = *state;

    command_line(command, "navigate s second");
    command_line(command, "append s --kind note --id fifth");
    leads_to(command, "@{1}^3~1", "second");
    leads_to(command, "@{1}~1^1", "first");
    leads_to(command, "@{1}~1~1", "second");
    leads_to(command, "@~0^3", "fifth");
    leads_to(command, "third~1^2", "second");
    command_run(command, "show", "s", "@{1}~1^4", NULL);
    assert_error(command, 3, "there is no entry '@{1}~1^4': '@{1}~1' has depth 3");
    command_run(command, "show", "s", "@^1~1^1", NULL);
    assert_error(command, 3, "there is no entry '@^1~1': '@^1' has depth 1");
}

WITH_APPEND_NOTES(steps_without_a_name_before_them_are_not_guessed)
{
    struct command *command = *state;

    command_run(command, "show", "s", "~1", NULL);
    assert_error(command, 3, "there is no entry '~1': write '@~1' to start from the leaf");
    command_run(command, "show", "s", "^9", NULL);
    assert_error(command, 3, "there is no entry '^9': write '@^9' to start from the leaf");
    command_run(command, "state", "s:^3~1", NULL);
    assert_error(command, 3, "there is no entry '^3~1': write '@^3~1' to start from the leaf");
    command_line(command, "append s --kind note --id ^9");
    leads_to(command, "^9", "^9");
    leads_to(command, "^9~1", "fourth");
}

WITH_APPEND_NOTES(an_id_or_a_label_with_a_step_in_it_wins)
{
    struct command *command = *state;

    command_line(command, "append s --kind note --id third^1");
    leads_to(command, "third^1", "third^1");
    leads_to(command, "third^1~2", "third");
    leads_to(command, "third^1^2", "second");
    label(command, "fourth", "third^2");
    leads_to(command, "third^2", "fourth");
    leads_to(command, "third^2~1", "third");
    command_line(command, "append s --kind note --id @^1");
    leads_to(command, "@^1", "@^1");
    label(command, "fourth", "@^2");
    leads_to(command, "@^2", "second");
    command_line(command, "append s --kind note --id none");
    leads_to(command, "none", "none");
}

WITH_APPEND_NOTES(every_command_takes_depths)
{
    struct command *command = *state;
    const char *const lines[] = {"log s --at @^2",
                                 "tree s",
                                 "state s --at @^2",
                                 "state s:@^2",
                                 "blame s readonly --at @^2",
                                 "diff s:@^2 :@^2",
                                 "fork s @^2 --id f",
                                 "navigate s @^2",
                                 "append s --kind note --parent @^2 --expect @^2"};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        command_line(command, lines[i]);
        assert_exit(command, 0);
    }
}

/* Where an entry must be meant that is an error, where `none` would do it is none. */
WITH_APPEND_NOTES(where_the_leaf_was_none_there_is_no_path)
{
    struct command *command = *state;

    command_must(command, "navigate s none");
    command_must(command, "state s --at @");
    assert_contains(command->out, "at         none: the path is empty\n");
    command_must(command, "append s --kind custom:readonly --id other --data {\"enabled\":true}");
    command_must(command, "navigate s third");
    command_must(command, "navigate s none");
    command_must(command, "navigate s first");
    command_must(command, "state s --at @{1}");
    assert_contains(command->out, "at         none: the path is empty\n");
    assert_contains(command->out, "readonly   off  the default: nothing decides\n");
    command_must(command, "state s:@{1} --json");
    assert_contains(command->out, "\"at\":{\"entry\":null,\"depth\":0}");
    command_must(command, "state s --at @{3}");
    assert_contains(command->out, "at         other, depth 1\n");
    assert_contains(command->out, "readonly   on   decided by other\n");
    command_must(command, "log s --at @{1}");
    assert_string_equal(command->out, "");
    command_line(command, "show s @{1}");
    assert_error(command, 3, "'@{1}' names no entry: the session had no current entry at that time");
    command_line(command, "state s --at @{1}~1");
    assert_error(command, 3, "'@{1}' names no entry: the session had no current entry at that time");
    command_line(command, "diff s:@{1} s");
    assert_error(command, 3, "'@{1}' names no entry: the session had no current entry at that time");
    command_must(command, "navigate s @{1}");
    assert_contains(command->out, "leaf: first -> none\n");
    command_line(command, "state s --at @^1");
    assert_error(command, 3, "'@' names no entry: the session has no current entry");
}

WITH_APPEND_NOTES(a_session_and_an_entry_may_be_one_word)
{
    struct command *command = *state;

    command_must(command, "append s:third --create --kind note --id inner");
    command_must(command, "state s:third --json"); /* the session of that id */
    assert_contains(command->out, "\"session\":\"s:third\",\"at\":{\"entry\":\"inner\"");
    command_must(command, "state s:second --json");
    assert_contains(command->out, "\"session\":\"s\",\"at\":{\"entry\":\"second\"");
    command_must(command, "state s:none --json");
    assert_contains(command->out, "\"session\":\"s\",\"at\":{\"entry\":null");
    command_must(command, "state s:third:inner --json");
    assert_contains(command->out, "\"session\":\"s:third\",\"at\":{\"entry\":\"inner\"");
    command_must(command, "state s:third --at inner --json");
    command_line(command, "state s:thi"); /* a whole id wins over the beginning of one */
    assert_error(command, 3, "there is no entry 'thi'");
    command_line(command, "state s:nowhere");
    assert_error(command, 3, "there is no entry 'nowhere'");
    command_line(command, "state nobody:third");
    assert_error(command, 3, "there is no session 'nobody:third'");
    command_line(command, "state s:second --at first");
    assert_error(command, 3, "there is no session 's:second'");
    command_line(command, "state s:second --every --json");
    assert_error(command, 3, "there is no session 's:second'");
}
