/* The meaning of single steps: vectors 1 to 48. */
#include <stdlib.h>

#include "base/utf8.h"
#include "tests/sequence/one_catalogue.h"

TEST_FILE(set_up, tear_down)

static void resolve_under(struct xylem_step *step, const struct xylem_catalogue *under, struct xylem_view raw)
{
    struct xylem_error err = {0};
    assert_int_equal(xylem_step_resolve(step, under, raw, &err), 0);
    assert_ptr_equal(step->raw.data, raw.data);
    assert_int_equal(step->raw.bytes, raw.bytes);
}

/* `expected`: the kind with warnings, or the problem. */
static void expect_under(const struct xylem_catalogue *under, struct xylem_view raw, const char *expected)
{
    struct xylem_step step = {0};
    resolve_under(&step, under, raw);
    assert_step(&step, expected);
    xylem_step_release(&step);
}

static void expect(const char *raw, const char *expected)
{
    expect_under(catalogue, xylem_view_of(raw), expected);
}

static void expect_bytes(struct xylem_view raw, const char *expected)
{
    expect_under(catalogue, raw, expected);
}

static void expect_slash(const char *raw, const char *expected, const char *name, const char *args)
{
    struct xylem_step step = {0};
    resolve_under(&step, catalogue, xylem_view_of(raw));
    assert_step(&step, expected);
    assert_view(step.name, name);
    assert_view(step.args, args);
    xylem_step_release(&step);
}

static void expect_message(const char *raw, const char *expected, const char *message)
{
    struct xylem_step step = {0};
    resolve_under(&step, catalogue, xylem_view_of(raw));
    assert_step(&step, expected);
    assert_string_equal(text_of(&step.message), message);
    xylem_step_release(&step);
}

TEST(text_is_a_prompt_byte_for_byte)
{
    struct xylem_buffer text = {0};
    struct xylem_step step = {0};
    expect("Plan it", "prompt");                             /* vector 1 */
    resolve_under(&step, catalogue, LITERAL("  Plan it  ")); /* vector 2 */
    assert_step(&step, "prompt");
    assert_int_equal(xylem_step_text(&text, &step, NULL, 0, NULL), 0);
    assert_string_equal(text.data, "  Plan it  ");
    xylem_buffer_release(&text);
    xylem_step_release(&step);
    expect("See /etc/hosts", "prompt");     /* vector 36 */
    expect("# heading", "prompt");          /* vector 38 */
    expect("@file what is this", "prompt"); /* vector 38 */
}

TEST(white_space_alone_is_empty)
{
    expect_message("", "empty", "the step is empty"); /* vector 3 */
    expect(" \t\n", "empty");                         /* vector 4 */
    expect("\xC2\xA0\xEF\xBB\xBF", "empty");          /* vector 5 */
    expect_bytes((struct xylem_view){NULL, 0}, "empty");
}

TEST(white_space_is_what_trim_of_javascript_removes)
{
    for (uint32_t code_point = 0x80; code_point <= 0x10FFFF; code_point++) {
        static const uint32_t spaces[] = {0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                                          0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028,
                                          0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF};
        char text[8] = "";
        size_t bytes = xylem_base__wtf8_encode(text, code_point);
        bool space = false;
        struct xylem_step step = {0};
        for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
            space = space || spaces[i] == code_point;
        }
        memcpy(text + bytes, "/fix", 4);
        resolve_under(&step, catalogue, (struct xylem_view){text, bytes + 4});
        if ((step.kind == XYLEM_STEP_TEMPLATE) != space || step.problem != XYLEM_STEP_FINE) {
            fail_msg("U+%04X", (unsigned)code_point);
        }
        xylem_step_release(&step);
    }
}

TEST(a_command_of_its_own_checks_its_arguments)
{
    expect_slash("/readonly", "command toggles", "readonly", "");                                      /* vector 6 */
    expect_slash("/readonly on", "command", "readonly", "on");                                         /* vector 7 */
    expect_slash("/readonly  off ", "command", "readonly", "off");                                     /* vector 8 */
    expect_slash("/notebook  my topic", "command", "notebook", "my topic");                            /* vector 10 */
    expect_message("/readonly maybe", "arguments", "/readonly takes nothing, on or off, not 'maybe'"); /* vector 9 */
}

TEST(an_unknown_name_suggests_a_near_name)
{
    expect_message("/Readonly", "unknown",
                   "there is no command, prompt or skill /Readonly; is /readonly meant?"); /* vector 11 */
    expect_message("/readnoly", "unknown",
                   "there is no command, prompt or skill /readnoly; is /readonly meant?"); /* vector 12 */
    expect_message("/zzzzzz", "unknown", "there is no command, prompt or skill /zzzzzz");  /* vector 13 */
    expect_message("/newer", "unknown", "there is no command, prompt or skill /newer");    /* vector 17 */
    expect_message("/pdf", "unknown", "there is no command, prompt or skill /pdf");        /* vector 30 */
}

TEST(a_sequence_neither_resets_nor_runs_itself)
{
    expect_message("/new", "reset",
                   "/new is no step: each run after the first begins in a new session by itself"); /* vector 14 */
    expect(" /new", "reset");                                                                      /* vector 15 */
    expect("/new thing", "reset");                                                                 /* vector 16 */
    expect_message("/sequence", "recursive", "a sequence cannot run a sequence");                  /* vector 18 */
}

TEST(an_own_command_under_another_name_is_known_by_its_canonical_name)
{
    struct xylem_catalogue *renamed =
        catalogue_with(true, true,
                       ",{\"name\":\"sequence:2\",\"source\":\"own\",\"canonical\":\"sequence\"},"
                       "{\"name\":\"note:2\",\"source\":\"own\",\"canonical\":\"note\",\"hash\":\"h2\"}");
    struct xylem_step step = {0};
    expect_under(renamed, LITERAL("/sequence:2"), "recursive");
    resolve_under(&step, renamed, LITERAL("/note:2 x"));
    assert_step(&step, "command");
    assert_view(step.name, "note:2");
    assert_view(step.canonical, "note");
    assert_view(step.hash, "h2");
    resolve_under(&step, renamed, LITERAL("/notebook")); /* a step is emptied for the next text */
    assert_view(step.canonical, "notebook");
    assert_view(step.hash, "");
    resolve_under(&step, renamed, LITERAL("/plan"));
    assert_view(step.canonical, "");
    assert_view(step.hash, "h1");
    xylem_step_release(&step);
    xylem_catalogue_free(renamed);
}

TEST(compact_is_the_hosts_compaction)
{
    struct xylem_catalogue *cannot = catalogue_with(false, true, "");
    struct xylem_catalogue *own = catalogue_with(true, true,
                                                 ",{\"name\":\"compact\",\"source\":\"own\",\"arguments\":[\"x\"]},"
                                                 "{\"name\":\"compact\",\"source\":\"prompt\"}");
    struct xylem_step step = {0};
    expect_slash("/compact", "compact", "compact", "");                              /* vector 19 */
    expect_slash("/compact keep the names", "compact", "compact", "keep the names"); /* vector 20 */
    resolve_under(&step, cannot, LITERAL("/compact"));                               /* vector 21 */
    assert_step(&step, "no-host");
    assert_string_equal(step.message.data, "this host cannot run /compact from a sequence");
    xylem_step_release(&step);
    expect_under(own, LITERAL("/compact"), "compact shadowed"); /* vector 47 */
    xylem_catalogue_free(cannot);
    xylem_catalogue_free(own);
}

TEST(dialogs_and_commands_of_extensions_are_refused)
{
    expect_message("/settings", "interactive",
                   "/settings opens a dialog of the host and cannot be run by a sequence"); /* vector 22 */
    expect("/tree", "interactive");                                                         /* vector 23 */
    expect("/model gpt", "interactive");                                                    /* vector 23 */
    expect_message(
        "/publish now", "extension",
        "/publish belongs to the extension /x/pub.ts, which does not offer the command to sequences"); /* vector 24 */
    expect("/review src", "extension");                                                                /* vector 25 */
    struct xylem_catalogue *unnamed = catalogue_with(true, true, ",{\"name\":\"deploy\",\"source\":\"extension\"}");
    struct xylem_step step = {0};
    resolve_under(&step, unnamed, LITERAL("/deploy"));
    assert_string_equal(step.message.data,
                        "/deploy belongs to another extension, which does not offer the command to sequences");
    xylem_step_release(&step);
    xylem_catalogue_free(unnamed);
}

TEST(templates_and_skills_are_expanded_by_the_host)
{
    struct xylem_catalogue *cannot = catalogue_with(true, false, "");
    struct xylem_step step = {0};
    resolve_under(&step, catalogue, LITERAL("/plan the parser")); /* vector 26 */
    assert_step(&step, "template");
    assert_view(step.args, "the parser");
    assert_view(step.path, "/p/plan.md");
    xylem_step_release(&step);
    expect_slash("/plan\ntwo lines", "template", "plan", "two lines");       /* vector 27 */
    expect_slash("/skill:pdf merge a b", "skill", "skill:pdf", "merge a b"); /* vector 28 */
    expect("/skill:none", "unknown");                                        /* vector 29 */
    expect_under(cannot, LITERAL("/plan"), "no-host");                       /* vector 31 */
    expect_under(cannot, LITERAL("/skill:pdf"), "no-host");
    expect_under(cannot, LITERAL("/readonly on"), "command");
    xylem_catalogue_free(cannot);
}

TEST(a_slash_needs_a_name_without_another_slash)
{
    expect_message("/", "malformed",
                   "'/' is no command: a name follows the slash, without another slash; to send it as text begin with "
                   "a word");                       /* vector 32 */
    expect("/ plan", "malformed");                  /* vector 33 */
    expect("//plan", "malformed");                  /* vector 34 */
    expect("/etc/hosts is readable?", "malformed"); /* vector 35 */
    expect("/plan a/b", "template");
}

TEST(a_shell_command_is_refused)
{
    expect("!ls", "shell");  /* vector 37 */
    expect("!!ls", "shell"); /* vector 37 */
    expect_message(" !ls", "shell",
                   "'!ls' runs a shell command, which a sequence cannot do: ask for it in words"); /* vector 37 */
}

TEST(control_characters_are_named_by_their_byte)
{
    struct xylem_step step = {0};
    resolve_under(&step, catalogue, LITERAL("a\0b")); /* vector 39 */
    assert_step(&step, "control");
    assert_string_equal(step.message.data, "the step has a control character at byte 1");
    xylem_step_release(&step);
    expect_message("a\x1b[31m", "control", "the step has a control character at byte 1"); /* vector 40 */
    expect("a\tb\r\nc", "prompt");                                                        /* vector 41 */
    expect_message("ab\xFF", "control", "the step has a control character at byte 2");    /* vector 45 */
    expect("\x1b", "control"); /* before the question whether the step is empty */
    for (int byte = 0; byte < 0x80; byte++) {
        char text[2] = {'a', (char)byte};
        bool control = (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
        expect_bytes((struct xylem_view){text, 2}, control ? "control" : "prompt");
    }
    expect("a\xC2\x85z", "prompt"); /* C1 is allowed */
}

TEST(lone_surrogates_are_kept_and_pairs_of_them_are_no_text)
{
    struct xylem_step step = {0};
    struct xylem_buffer text = {0};
    resolve_under(&step, catalogue, LITERAL("a\xED\xA0\x80")); /* vector 44 */
    assert_step(&step, "prompt");
    assert_int_equal(xylem_step_text(&text, &step, NULL, 0, NULL), 0);
    assert_string_equal(text.data, "a\xED\xA0\x80");
    xylem_buffer_release(&text);
    xylem_step_release(&step);
    expect("\xED\xB8\x80\xED\xA0\xBD", "prompt"); /* low, then high */
    expect_message("a\xED\xA0\xBD\xED\xB8\x80", "control", "the step has a control character at byte 4");
}

TEST(a_step_and_a_name_have_limits)
{
    char *text = malloc(XYLEM_STEP_BYTES_MAX + 1);
    struct xylem_step step = {0};
    assert_non_null(text);
    memset(text, 'x', XYLEM_STEP_BYTES_MAX + 1);
    expect_bytes((struct xylem_view){text, XYLEM_STEP_BYTES_MAX}, "prompt"); /* vector 42 */
    resolve_under(&step, catalogue, (struct xylem_view){text, XYLEM_STEP_BYTES_MAX + 1});
    assert_step(&step, "too-long"); /* vector 42 */
    assert_string_equal(step.message.data, "the step has 65537 bytes, at most 65536 are allowed");
    xylem_step_release(&step);
    text[0] = '/';
    expect_bytes((struct xylem_view){text, 1 + XYLEM_COMMAND_NAME_BYTES_MAX}, "unknown");   /* vector 43 */
    expect_bytes((struct xylem_view){text, 2 + XYLEM_COMMAND_NAME_BYTES_MAX}, "malformed"); /* vector 43 */
    free(text);
}

TEST(the_first_command_of_a_source_wins_and_the_host_looks_at_sources_in_an_order)
{
    struct xylem_catalogue *several = catalogue_with(
        true, true,
        ",{\"name\":\"plan\",\"source\":\"prompt\",\"path\":\"/q/plan.md\"},{\"name\":\"fix\",\"source\":\"own\"},"
        "{\"name\":\"skill:pdf\",\"source\":\"prompt\"},{\"name\":\"tree\",\"source\":\"own\"},"
        "{\"name\":\"publish\",\"source\":\"own\"}");
    struct xylem_catalogue *builtin = catalogue_with(true, true, ",{\"name\":\"plan\",\"source\":\"builtin\"}");
    struct xylem_step step = {0};
    resolve_under(&step, several, LITERAL("/plan")); /* vector 46 */
    assert_step(&step, "template");
    assert_view(step.path, "/p/plan.md");
    xylem_step_release(&step);
    expect_under(several, LITERAL("/fix"), "command shadowed");
    expect_under(several, LITERAL("/skill:pdf"), "skill shadowed");
    expect_under(several, LITERAL("/tree"), "interactive");
    expect_under(several, LITERAL("/publish"), "command");
    expect_under(builtin, LITERAL("/plan"), "interactive"); /* vector 48 */
    xylem_catalogue_free(several);
    xylem_catalogue_free(builtin);
}

TEST(only_names_that_a_sequence_can_use_are_suggested)
{
    struct xylem_catalogue *cannot = catalogue_with(true, false, "");
    struct xylem_step step = {0};
    static const struct {
        const char *raw;
        const char *meant; /* NULL: no suggestion */
    } rows[] = {
        {"/compcat", "compact"}, /* is no command of the catalogue, and is meant all the same */
        {"/publsih", NULL},      /* another extension's */
        {"/setings", NULL},      /* a dialog */
        {"/sequense", NULL},     /* refused */
        {"/skill:pfd", NULL},    /* this host expands nothing */
        {"/readnl", "readonly"}, /* two edits */
        {"/reanl", NULL},        /* three */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[160];
        resolve_under(&step, cannot, xylem_view_of(rows[i].raw));
        snprintf(expected, sizeof expected, "there is no command, prompt or skill %s%s%s%s", rows[i].raw,
                 rows[i].meant ? "; is /" : "", rows[i].meant ? rows[i].meant : "", rows[i].meant ? " meant?" : "");
        assert_string_equal(step.message.data, expected);
    }
    xylem_step_release(&step);
    xylem_catalogue_free(cannot);
}

TEST(messages_are_one_escaped_line_with_texts_of_60_characters)
{
    char raw[256] = "!";
    char expected[256];
    for (int i = 0; i < 80; i++) {
        strcat(raw, "\xC3\xA9");
    }
    snprintf(expected, sizeof expected, "'%.*s' runs a shell command, which a sequence cannot do: ask for it in words",
             1 + 59 * 2, raw);
    expect_message(raw, "shell", expected);
    expect_message(
        "!a\nb\xED\xA0\x80\xC2\x9B", "shell",
        "'!a\\x0ab\\xed\\xa0\\x80\\xc2\\x9b' runs a shell command, which a sequence cannot do: ask for it in "
        "words");
    /* 57 characters, and then an escape of four */
    snprintf(raw, sizeof raw, "!%056d\nb", 0);
    snprintf(expected, sizeof expected,
             "'!%056d' runs a shell command, which a sequence cannot do: ask for it in words", 0);
    expect_message(raw, "shell", expected);
}

TEST(words_and_calls_outside_of_the_contract)
{
    struct xylem_step step = {0};
    struct xylem_error err = {0};
    assert_string_equal(xylem_step_kind_word(XYLEM_STEP_COMPACT), "compact");
    assert_string_equal(xylem_step_kind_word(XYLEM_STEP_KIND_COUNT), "unknown");
    assert_string_equal(xylem_step_problem_word(XYLEM_STEP_FINE), "");
    assert_string_equal(xylem_step_problem_word(XYLEM_STEP_PROBLEM_COUNT), "unknown");
    assert_string_equal(xylem_sequence_problem_word(XYLEM_SEQUENCE_STEP), "step");
    assert_string_equal(xylem_sequence_problem_word(XYLEM_SEQUENCE_PROBLEM_COUNT), "unknown");
    assert_string_equal(xylem_step_warning_word(XYLEM_STEP_WARN_CHANGED), "changed");
    assert_null(xylem_step_warning_word(0));
    assert_null(xylem_step_warning_word(XYLEM_STEP_WARN_TOGGLES | XYLEM_STEP_WARN_SHADOWED));
    assert_int_equal(xylem_step_resolve(&step, NULL, LITERAL("x"), &err), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_step_resolve(&step, catalogue, (struct xylem_view){NULL, 1}, &err), XYLEM_E_ARGUMENT);
    xylem_step_release(NULL);
}
