/* The page of the tables: all tables of the code are on the page, and the rules that verdicts name. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/policy_fixtures.h"
#include "tests/lib/test.h"
#include "xylem/policy.h"

static char *read_source(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t bytes = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    text[bytes] = '\0';
    return text;
}

/* The page. The caller releases the page. */
static struct xylem_buffer page_of_tables(void)
{
    struct xylem_buffer page = {0};
    assert_int_equal(xylem_policy_tables(&page, NULL), 0);
    return page;
}

static void assert_shown(const struct xylem_buffer *page, const char *text)
{
    if (!strstr(page->data, text)) {
        fail_msg("the page lacks: %s", text);
    }
}

TEST(the_page_has_a_row_of_each_shape)
{
    struct xylem_buffer page = page_of_tables();
    assert_shown(&page, "RULES\n\n    allowed              all               nothing in the command is refused\n");
    assert_shown(&page, "\nREADONLY: PROGRAMS\n\n  Refused with any arguments.");
    assert_shown(&page, "\n    rm rmdir unlink rimraf");
    assert_shown(&page, "\n      does           removes files\n      rule           file-mutation\n");
    assert_shown(&page, "\n      otherwise      refused");
    assert_shown(&page, "(the first word may be options without a dash)\n");
    assert_shown(&page, "\n      alone          passes with --version -v --help -h\n");
    assert_shown(&page, "\n      runs           the command in its words, which is judged\n");
    assert_shown(&page, "\n      value          up to five digits\n");
    assert_shown(&page, "\n      hatch          ");
    assert_shown(&page, "all of git ");
    assert_shown(&page, "\n      operands       at most 1\n");
    assert_shown(&page, "\n      known          -C: -c: --git-dir:");
    xylem_buffer_release(&page);
}

TEST(no_line_of_the_page_is_wider_than_112_columns_but_by_one_word)
{
    struct xylem_buffer page = page_of_tables();
    for (char *line = strtok(page.data, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 112 || !strchr(line + 21, ' '));
    }
    xylem_buffer_release(&page);
}

TEST(the_page_is_appended)
{
    struct xylem_buffer page = {0};
    assert_int_equal(xylem_buffer_add(&page, "x", 1), 0);
    assert_int_equal(xylem_policy_tables(&page, NULL), 0);
    assert_int_equal(strncmp(page.data, "xRULES\n", 7), 0);
    assert_int_equal(xylem_policy_tables(NULL, NULL), XYLEM_E_ARGUMENT);
    xylem_buffer_release(&page);
}

/* The tables that a header gives: `extern const struct xylem_policy__NAME_row xylem_policy__TABLE[];` and the like. */
static size_t check_header(const char *path, const char *source)
{
    static const char prefix[] = "xylem_policy__";
    char *text = read_source(path);
    size_t count = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *name = strncmp(line, "extern const ", 13) == 0 ? strrchr(line, ' ') : NULL;
        if (!name || strstr(line, "struct xylem_policy__rules ")) {
            continue;
        }
        assert_int_equal(strncmp(name + 1, prefix, strlen(prefix)), 0);
        name += strlen(prefix);
        name[1 + strcspn(name + 1, "[;")] = '\0';
        bool shown = false;
        for (const char *at = source; (at = strstr(at, name + 1)); at++) {
            shown |= !strchr("abcdefghijklmnopqrstuvwxyz_", at[strlen(name + 1)]);
        }
        if (!shown) {
            fail_msg("%s: judge/policy/page_tables.txt does not show the table %s%s", path, prefix, name + 1);
        }
        count++;
    }
    free(text);
    return count;
}

TEST(every_table_of_the_headers_is_shown)
{
    glob_t headers;
    size_t count = 0;
    char *source = read_source("judge/policy/page_tables.txt");
    char *sections = strstr(source, "table        sections section");
    assert_non_null(sections);
    assert_int_equal(glob("judge/policy/*/*.h", 0, NULL, &headers), 0);
    for (size_t i = 0; i < headers.gl_pathc; i++) {
        count += check_header(headers.gl_pathv[i], sections);
    }
    globfree(&headers);
    free(source);
    assert_true(count >= 30);
}

/* --- The names of rules ------------------------------------------------------------------------------------------- */

enum { RULES_MAX = 96 };

struct rules {
    struct xylem_buffer page;
    const char *names[RULES_MAX];
    const char *policies[RULES_MAX]; /* that have the rule */
    bool met[RULES_MAX];
    size_t count;
};

/* A verdict of `policy` has the rule. */
static void meet(struct rules *rules, const char *name, const char *policy, const char *where)
{
    size_t at = 0;
    while (at < rules->count && strcmp(rules->names[at], name) != 0) {
        at++;
    }
    if (at == rules->count) {
        fail_msg("the page lacks the rule '%s' (%s)", name, where);
    }
    if (!strstr(rules->policies[at], policy) && strcmp(rules->policies[at], "all") != 0) {
        fail_msg("the rule '%s' is a rule of %s too (%s)", name, policy, where);
    }
    rules->met[at] = true;
}

/* The rows below RULES: a name, and behind blanks the policies. */
static void read_rules(struct rules *rules)
{
    rules->page = page_of_tables();
    *strstr(rules->page.data, "\n\nHOW TO READ") = '\0';
    for (char *line = strtok(rules->page.data, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(rules->count < RULES_MAX);
        if (strncmp(line, "    ", 4) == 0 && line[4] != ' ') {
            char *end = strchr(line + 4, ' ');
            rules->names[rules->count] = line + 4;
            rules->policies[rules->count] = end + strspn(end, " ");
            *strstr(rules->policies[rules->count++], "  ") = '\0';
            *end = '\0';
        }
    }
}

static void judge_fixtures(struct rules *rules)
{
    struct policy_fixtures fixtures;
    struct xylem_verdict verdict = {0};
    struct xylem_error err;
    policy_fixtures_read(&fixtures);
    for (size_t i = 0; i < fixtures.count; i++) {
        const struct policy_fixture *fixture = &fixtures.list[i];
        assert_int_equal(xylem_policy_judge(&verdict, fixture->policy, fixture->command, fixture->cwd, &err), 0);
        meet(rules, verdict.rule, fixture->policy_name, fixture->place);
        for (size_t judged = 0; judged < verdict.judged_count; judged++) {
            meet(rules, verdict.judged[judged].rule, fixture->policy_name, fixture->place);
        }
    }
    xylem_verdict_release(&verdict);
    policy_fixtures_release(&fixtures);
}

/* Both ways: what is met stands there, and what stands there is met. */
TEST(the_page_names_the_rules_that_verdicts_have)
{
    struct rules rules = {.count = 0};
    read_rules(&rules);
    meet(&rules, "input", "readonly", "broken lines of judge --jsonl");
    meet(&rules, "failed", "readonly", "a verdict on which nothing was judged");
    meet(&rules, "taught", "readonly", "test_taught.c");
    judge_fixtures(&rules);
    for (size_t i = 0; i < rules.count; i++) {
        if (!rules.met[i]) {
            fail_msg("no command of fixtures/policy is met by the rule '%s'", rules.names[i]);
        }
    }
    xylem_buffer_release(&rules.page);
}
