/* Which entry is meant. */
#include "tests/cli/command.h"

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

static void a_label_names_its_entry(void **state)
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

static void every_command_takes_labels(void **state)
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

static void an_id_wins_over_a_label_and_a_label_over_a_beginning(void **state)
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

static void a_label_of_several_entries_is_ambiguous(void **state)
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

static void a_label_of_an_entry_that_is_not_there_names_nothing(void **state)
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
    assert_error(command, 3, "no entry has that label, and an entry id has 1 to 64 bytes, this one has 0");
}

static void an_ambiguous_beginning_lists_what_begins_so(void **state)
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, append_notes, command_tear_down_verified)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_label_names_its_entry),
        TEST(every_command_takes_labels),
        TEST(an_id_wins_over_a_label_and_a_label_over_a_beginning),
        TEST(a_label_of_several_entries_is_ambiguous),
        TEST(a_label_of_an_entry_that_is_not_there_names_nothing),
        TEST(an_ambiguous_beginning_lists_what_begins_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
