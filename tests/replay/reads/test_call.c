#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/test.h"
#include "xylem/reads.h"

/* A directory with the file `f`, which is noted. */
struct guarded {
    char directory[256];
    char file[300];
    struct xylem_reads *reads;
    struct xylem_reads_verdict verdict;
};

static int guard(void **state)
{
    struct guarded *guarded = calloc(1, sizeof *guarded);
    struct xylem_fingerprint found;
    char made[256];
    FILE *file;
    assert_non_null(guarded);
    test_directory_make(made, sizeof made, "call");
    assert_non_null(realpath(made, guarded->directory));
    snprintf(guarded->file, sizeof guarded->file, "%s/f", guarded->directory);
    assert_non_null(file = fopen(guarded->file, "w"));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(xylem_reads_new(&guarded->reads, NULL), 0);
    assert_int_equal(xylem_fingerprint_file(&found, guarded->file, NULL), 0);
    assert_int_equal(
        xylem_reads_note(guarded->reads, xylem_view_of(guarded->file), &found, XYLEM_READ_BY_READ, 1, NULL), 0);
    *state = guarded;
    return 0;
}

static int unguard(void **state)
{
    struct guarded *guarded = *state;
    xylem_reads_verdict_release(&guarded->verdict);
    xylem_reads_free(guarded->reads);
    assert_int_equal(remove(guarded->file), 0);
    assert_int_equal(remove(guarded->directory), 0);
    free(guarded);
    return 0;
}

#define GUARDED(test) TEST_WITH(test, guard, unguard)

/* Asks about a call in the directory, which is the home too. */
static int asked(struct guarded *guarded, const char *tool, const char *input)
{
    return xylem_reads_check_call(&guarded->verdict, guarded->reads, xylem_view_of(tool), xylem_view_of(input),
                                  guarded->directory, guarded->directory, NULL);
}

static void assert_why(struct guarded *guarded, const char *tool, const char *input, enum xylem_reads_why why)
{
    assert_int_equal(asked(guarded, tool, input), 1);
    assert_int_equal(guarded->verdict.why, why);
    assert_int_equal(guarded->verdict.block, why != XYLEM_READS_PASS);
}

GUARDED(the_file_of_an_edit_or_a_write_is_looked_at)
{
    struct guarded *guarded = *state;
    FILE *file;
    assert_why(guarded, "edit", "{\"path\":\"f\"}", XYLEM_READS_PASS);
    assert_why(guarded, "edit", "{\"path\":\"@~/./f\"}", XYLEM_READS_PASS);
    assert_why(guarded, "Write", "{\"file_path\":\"new\"}", XYLEM_READS_PASS);
    assert_why(guarded, "edit", "{\"path\":\"new\"}", XYLEM_READS_UNREAD);
    assert_non_null(file = fopen(guarded->file, "w"));
    assert_true(fputs("x", file) >= 0 && fclose(file) == 0);
    assert_why(guarded, "EDIT", "{\"path\":\"./f\"}", XYLEM_READS_CHANGED);
    assert_string_equal(guarded->verdict.message.data,
                        "Blocked: ./f changed on disk after it was read. Read it again, then try again.");
}

GUARDED(a_call_of_another_tool_passes)
{
    struct guarded *guarded = *state;
    assert_why(guarded, "edit", "{\"path\":\"new\"}", XYLEM_READS_UNREAD);
    assert_int_equal(asked(guarded, "read", "{\"path\":\"new\"}"), 0);
    assert_false(guarded->verdict.block);
    assert_int_equal(asked(guarded, "apply_patch", "no json"), 0);
    assert_false(guarded->verdict.block);
}

GUARDED(a_call_without_a_sound_path_is_blocked)
{
    static const char *const inputs[] = {"",
                                         "[]",
                                         "{}",
                                         "{\"path\":1}",
                                         "{\"path\":\"a\",\"path\":\"b\"}",
                                         "{\"path\":\"a\",\"file_path\":\"a\"}",
                                         "{\"path\":\"file://host/a\"}",
                                         "{\"path\":\"a\\u0000\"}"};
    struct guarded *guarded = *state;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        assert_int_equal(asked(guarded, "write", inputs[i]), 0);
        assert_true(guarded->verdict.block);
        assert_int_equal(
            strncmp(guarded->verdict.message.data, "Blocked: the path of the tool call cannot be used.\n", 51), 0);
        assert_true(guarded->verdict.message.bytes > 51);
    }
}

GUARDED(without_a_table_the_verdict_blocks)
{
    struct guarded *guarded = *state;
    assert_int_equal(
        xylem_reads_check_call(&guarded->verdict, NULL, xylem_view_of("edit"), xylem_view_of("{}"), NULL, NULL, NULL),
        XYLEM_E_ARGUMENT);
    assert_true(guarded->verdict.block);
    assert_int_equal(
        xylem_reads_check_call(NULL, guarded->reads, xylem_view_of("edit"), xylem_view_of("{}"), NULL, NULL, NULL),
        XYLEM_E_ARGUMENT);
}

GUARDED(a_relative_path_needs_a_directory)
{
    struct guarded *guarded = *state;
    struct xylem_view edit = xylem_view_of("edit");
    struct xylem_error err = {0};
    char input[400];
    snprintf(input, sizeof input, "{\"path\":\"%s\"}", guarded->file);
    assert_int_equal(
        xylem_reads_check_call(&guarded->verdict, guarded->reads, edit, xylem_view_of(input), NULL, NULL, NULL), 1);
    assert_false(guarded->verdict.block);
    assert_int_equal(xylem_reads_check_call(&guarded->verdict, guarded->reads, edit, xylem_view_of("{\"path\":\"f\"}"),
                                            NULL, NULL, NULL),
                     0);
    assert_non_null(strstr(guarded->verdict.message.data, "'cwd' is missing"));
    guarded->verdict.block = false;
    assert_int_equal(xylem_reads_check_call(&guarded->verdict, guarded->reads, edit, xylem_view_of("{\"path\":\"f\"}"),
                                            "rel", NULL, &err),
                     XYLEM_E_ARGUMENT);
    assert_true(guarded->verdict.block);
    assert_string_equal(err.text, "cwd: expected an absolute path, found 'rel'");
}
