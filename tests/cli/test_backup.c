/* xylem backup: a copy beside live writers, and how it is restored. */
#include "tests/cli/command.h"
#include "tests/lib/test.h"

TEST_WITH(a_backup_says_how_it_is_restored_and_that_works, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    char copy[256];
    char line[1024];

    command_path(copy, command, "it's a\tcopy");
    command_run(command, "backup", copy, NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "verified: 1 session, ");
    /* The two commands, with a name for the new directory and the program that is tested. */
    char *cp = strstr(command->out, "  cp -rp ");
    assert_non_null(cp);
    cp[strcspn(cp, "\n")] = '\0';
    char *end = strstr(cp, " NEW_DIRECTORY");
    assert_non_null(end);
    *end = '\0';
    command_path(line, command, "script");
    char script[2048];
    int bytes = snprintf(script, sizeof(script), "%s %s/restored && %s --store %s/restored verify >/dev/null\n", cp,
                         command->directory, command_program(), command->directory);
    command_write_file(line, script, (size_t)bytes);
    char run[1100];
    snprintf(run, sizeof(run), "bash %s", line);
    assert_int_equal(system(run), 0);
    assert_int_equal(command_mode(command, "restored"), 0700);
    assert_int_equal(command_mode(command, "restored/data.mdb"), 0600);
    snprintf(copy, sizeof(copy), "%s/restored", command->directory);
    command_run(command, "log", SCENARIO_ID, "-s", copy, NULL);
    assert_exit(command, 0);
    assert_string_equal(command->err, "");
}

TEST_WITH(a_backup_for_programs_is_one_document, command_set_up_scenario, command_tear_down_verified)
{
    struct command *command = *state;
    char copy[256];

    command_path(copy, command, "copy");
    command_run(command, "backup", copy, "--json", NULL);
    assert_exit(command, 0);
    assert_contains(command->out, "{\"schema\":1,\"store\":\"");
    assert_contains(command->out, "/copy\",\"bytes\":");
    assert_contains(command->out, "\"sessions\":1,");
    command_run(command, "backup", copy, NULL);
    assert_error(command, 4, "exists already");
    command_run(command, "backup", "/no/such/directory", NULL);
    assert_error(command, 6, "/no/such");
    command_run(command, "backup", copy, "-s", "/no/such/store", NULL);
    assert_error(command, 3, "there is no store");
}
