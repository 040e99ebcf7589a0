/*
 * docs/policy-tables.md shows the tables of the policies, each between `<!-- table: NAME -->` and `<!-- end -->`. The
 * tests compare the page with the tables of the code: `XYLEM_WRITE_EXPECTED=1 build/tests/judge/policy/test_docs`
 * writes the tables anew.
 */

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "judge/policy/engine/builtins.h"
#include "judge/policy/engine/environment.h"
#include "judge/policy/git/tables.h"
#include "judge/policy/rules/hatches.h"
#include "judge/policy/rules/strict.h"
#include "judge/policy/words/tables.h"
#include "judge/policy/engine/wrappers.h"
#include "tests/lib/policy_fixtures.h"
#include "tests/lib/test.h"

#define PAGE "docs/policy-tables.md"
#define REWRITE "XYLEM_WRITE_EXPECTED=1 build/tests/judge/policy/test_docs writes the tables anew"
#define TABLE "<!-- table: "
#define TABLE_END " -->"
#define REGION_END "<!-- end -->\n"

enum { COLUMN_MAX = 112, LABEL_COLUMN = 6, FIELD_COLUMN = 19 };

/* --- Writing ----------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void add(struct xylem_buffer *page, const char *format, ...)
{
    char text[8192];
    va_list arguments;

    va_start(arguments, format);
    int bytes = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_in_range(bytes, 0, sizeof text - 1);
    assert_int_equal(xylem_buffer_add(page, text, (size_t)bytes), 0);
}

/* Text in a table's cell: what Markdown would take for its own is escaped. */
static void add_prose(struct xylem_buffer *page, const char *text)
{
    for (; *text != '\0'; text++) {
        add(page, strchr("|*<_`", *text) != NULL ? "\\%c" : "%c", *text);
    }
}

/* Names in a cell, each as code: there only the bar would end the cell. */
static void add_names(struct xylem_buffer *page, const char *names)
{
    for (const char *at = names; *at != '\0';) {
        int bytes = (int)strcspn(at, " ");
        const char *bar = memchr(at, '|', (size_t)bytes);
        add(page, "%s`%.*s%s`", at == names ? "" : " ", bytes, at, bar == NULL ? "" : "\\|");
        assert_null(bar); /* no name has one; one that gets one needs more than this */
        at += bytes;
        at += strspn(at, " ");
    }
}

static void add_rows(struct xylem_buffer *page, const char *first, const char *last,
                     const struct xylem_policy__table_row *rows)
{
    add(page, "| %s | rule | %s |\n|---|---|---|\n", first, last);
    for (; rows->names != NULL; rows++) {
        add(page, "| ");
        add_names(page, rows->names);
        add(page, " | `%s` | ", rows->rule);
        add_prose(page, rows->what);
        add(page, " |\n");
    }
}

/* Words from `column` on, in lines that begin there. */
static void add_wrapped(struct xylem_buffer *page, const char *text, size_t column)
{
    size_t used = column;

    for (const char *at = text; *at != '\0';) {
        size_t bytes = strcspn(at, " ");
        if (used > column && used + 1 + bytes > COLUMN_MAX) {
            add(page, "\n%*s", (int)column, "");
            used = column;
        }
        add(page, "%s%.*s", used > column ? " " : "", (int)bytes, at);
        used += bytes + (used > column);
        at += bytes;
        at += strspn(at, " ");
    }
    add(page, "\n");
}

/* A list without a heading, as a block of code. */
static void add_list(struct xylem_buffer *page, const char *names)
{
    add(page, "    ");
    add_wrapped(page, names, 4);
}

/* The first line of an entry in a block of code. */
static void add_title(struct xylem_buffer *page, const char *title)
{
    add(page, "    ");
    add_wrapped(page, title, 4);
}

static void add_field(struct xylem_buffer *page, const char *label, const char *text)
{
    if (text != NULL && *text != '\0') {
        add(page, "%*s%-*s", LABEL_COLUMN, "", FIELD_COLUMN - LABEL_COLUMN, label);
        add_wrapped(page, text, FIELD_COLUMN);
    }
}

/* --- readonly ---------------------------------------------------------------------------------------------------- */

static void readonly_programs(struct xylem_buffer *page)
{
    add_rows(page, "program", "what it does", xylem_policy__readonly_programs);
}

static void readonly_verbs(struct xylem_buffer *page)
{
    for (const struct xylem_policy__verb_row *row = xylem_policy__readonly_verbs; row->names != NULL; row++) {
        add_title(page, row->names);
        add_field(page, "does", row->does.what);
        add_field(page, "rule", row->does.rule);
        add_field(page, "refused", row->refused);
        add_field(page, "passes", row->reads);
        add_field(page, "GET alone", row->requests);
        add_field(page, "rewrites", row->rewrites);
        add_field(page, "alone", row->alone == NULL ? "passes" : "refused, but with one of:");
        add_field(page, "", row->alone);
        bool bare = row->runs != NULL && strcmp(row->runs, ".") == 0;
        add_field(page, "runs", bare ? "the command in its words, which is judged" : row->runs);
        add_field(page, "code in", row->code);
        add_field(page, "module in", row->modules);
        add_field(page, "passes with", row->unless);
        add_field(page, "refused with", row->with);
        add_field(page, "", row->packages ? "(a command may have its package's version behind an @)" : NULL);
        add_field(page, "", row->own_commands ? "(an operand that is not a verb is judged as a command)" : NULL);
        add_field(page, "options", row->options);
    }
}

static void confirm_code(struct xylem_buffer *page)
{
    for (const struct xylem_policy__code_row *row = xylem_policy__confirm_code; row->names != NULL; row++) {
        add_title(page, row->names);
        add_field(page, "runs", row->what);
        add_field(page, "subcommands", row->verbs);
        add_field(page, "code in", row->code);
        add_field(page, "settings in", row->settings);
        add_field(page, "others", row->options);
    }
}

static void gnu_programs(struct xylem_buffer *page)
{
    add_list(page, xylem_policy__gnu_programs);
}

static void readonly_modules(struct xylem_buffer *page)
{
    const struct xylem_policy__table_row rows[] = {xylem_policy__readonly_modules, {NULL, NULL, NULL}};

    add_rows(page, "module", "what it does", rows);
}

static void readonly_flags(struct xylem_buffer *page)
{
    static const char *const otherwise[] = {
        [XYLEM_POLICY__ELSE_PASSES] = "passes",
        [XYLEM_POLICY__ELSE_REFUSED] = "refused",
        [XYLEM_POLICY__ELSE_REFUSED_UNLISTED] = "refused, and with options that are not known too",
        [XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED] = "refused with operands, or with options that are not known",
    };

    for (const struct xylem_policy__flag_row *row = xylem_policy__readonly_flags; row->names != NULL; row++) {
        add_title(page, row->names);
        add_field(page, "does", row->does.what);
        add_field(page, "rule", row->does.rule);
        add_field(page, "refused", row->refused);
        add_field(page, "else reads", row->reads);
        add_field(page, "else refused", row->writes);
        add_field(page, "otherwise", otherwise[row->otherwise]);
        add_field(page, "others", row->options);
        add_field(page, "", row->keys ? "(the first word may be options without a dash)" : NULL);
        add_field(page, "", row->first_operand_ends ? "(up to the first operand)" : NULL);
    }
}

static void harmless_targets(struct xylem_buffer *page)
{
    add_rows(page, "target", "why it is not a write", xylem_policy__harmless_targets);
}

static void refused_variables(struct xylem_buffer *page)
{
    add_rows(page, "variable", "what it does", xylem_policy__refused_variables);
}

static void command_variables(struct xylem_buffer *page)
{
    add_rows(page, "variable", "what it does", xylem_policy__command_variables);
}

static void temp_writers(struct xylem_buffer *page)
{
    for (const struct xylem_policy__writer_row *row = xylem_policy__temp_writers; row->names != NULL; row++) {
        add_title(page, row->names);
        add_field(page, "does", row->what);
        add_field(page, "options", row->options);
    }
}

/* --- strict ------------------------------------------------------------------------------------------------------ */

static void strict_commands(struct xylem_buffer *page)
{
    add_list(page, xylem_policy__strict_commands);
}

static void strict_wrappers(struct xylem_buffer *page)
{
    add_list(page, xylem_policy__strict_wrappers);
}

static void strict_directories(struct xylem_buffer *page)
{
    add_list(page, xylem_policy__strict_directories);
}

static void strict_never(struct xylem_buffer *page)
{
    add_rows(page, "program", "what it does", xylem_policy__strict_never);
}

static void strict_builtins(struct xylem_buffer *page)
{
    add_rows(page, "builtin", "when", xylem_policy__strict_builtins);
}

static void environment(struct xylem_buffer *page)
{
    add_rows(page, "variable", "what it does", xylem_policy__environment_table);
}

static void environment_allowed(struct xylem_buffer *page)
{
    static const char *const values[] = {
        [XYLEM_POLICY__VALUE_ANY] = "any",
        [XYLEM_POLICY__VALUE_LOCALE] = "C, POSIX, en_US, none, or what ends in UTF-8",
        [XYLEM_POLICY__VALUE_ZONE] = "a name of letters, digits and `/_+-`",
        [XYLEM_POLICY__VALUE_NAME] = "a name of letters, digits and `-+_.`",
        [XYLEM_POLICY__VALUE_NUMBER] = "up to five digits",
        [XYLEM_POLICY__VALUE_CAT] = "cat",
    };

    add(page, "| variable | value | why no other |\n|---|---|---|\n");
    for (const struct xylem_policy__allowed_variable *row = xylem_policy__environment_allowed; row->names != NULL;
         row++) {
        add(page, "| ");
        add_names(page, row->names);
        add(page, " | %s | ", values[row->value]);
        add_prose(page, row->value == XYLEM_POLICY__VALUE_ANY ? "" : row->what);
        add(page, " |\n");
    }
}

static void hatches(struct xylem_buffer *page)
{
    static const char *const reads[] = {
        [XYLEM_POLICY__READS_OPTIONS] = NULL,
        [XYLEM_POLICY__READS_UP_TO_OPERAND] = "no option follows the first operand",
        [XYLEM_POLICY__READS_FIRST_LETTER] = "no option follows the first operand, and letters do not stand together",
        [XYLEM_POLICY__READS_WRAPPED] = "the first operand begins a command, which is judged by itself",
        [XYLEM_POLICY__READS_NO_DASHES] = "`--` is nothing special",
        [XYLEM_POLICY__READS_VALUES_APART] = "a letter's value is always the next word",
        [XYLEM_POLICY__READS_NUMBERS] = "options may follow behind the digits of a value",
        [XYLEM_POLICY__READS_DASHED_VALUES] = "the program may read a value that begins with `-` as an option",
    };
    static const char *const operands[] = {
        [XYLEM_POLICY__HATCH_OPTIONS] = NULL,
        [XYLEM_POLICY__HATCH_OUTPUT] = "the second operand is written",
        [XYLEM_POLICY__HATCH_SETS] = "any operand is a value to set",
        [XYLEM_POLICY__HATCH_HOSTS] = "an operand with an @ names a host to look up in the network",
        [XYLEM_POLICY__HATCH_DATE] = "any operand but +FORMAT sets the clock",
        [XYLEM_POLICY__HATCH_PAGER] = "the pager runs +COMMAND",
        [XYLEM_POLICY__HATCH_PAGES] = "an operand with a slash is a file, and a page in a file can run programs",
        [XYLEM_POLICY__HATCH_FIND] = "an expression: the commands in it are judged",
        [XYLEM_POLICY__HATCH_SED] = "a program, which is read",
        [XYLEM_POLICY__HATCH_AWK] = "a program, which is read",
    };

    for (const struct xylem_policy__hatch *row = xylem_policy__hatch_table; row->names != NULL; row++) {
        add_title(page, row->names);
        add_field(page, "harmless", row->harmless);
        for (const struct xylem_policy__table_row *known = row->known; known->names != NULL; known++) {
            char text[512];
            snprintf(text, sizeof text, "%s (%s)", known->names, known->what);
            add_field(page, known == row->known ? "hatches" : "", text);
        }
        add_field(page, "operands", operands[row->type]);
        add_field(page, "words", reads[row->reading]);
    }
}

/* --- confirm ----------------------------------------------------------------------------------------------------- */

static void confirm_patterns(struct xylem_buffer *page)
{
    add_rows(page, "program", "what is asked about", xylem_policy__confirm_patterns);
}

static void confirm_devices(struct xylem_buffer *page)
{
    add_rows(page, "below `/dev`", "why it is not a write", xylem_policy__confirm_devices);
}

/* --- What all of them see through -------------------------------------------------------------------------------- */

static void wrappers(struct xylem_buffer *page)
{
    for (const struct xylem_policy__wrapper *row = xylem_policy__wrappers; row->names != NULL; row++) {
        add_title(page, row->names);
        add_field(page, "is", row->what);
        add_field(page, "options", row->options);
        add_field(page, "runs nothing", row->lookups);
        add_field(page, "writes", row->writes);
    }
}

static void builtins(struct xylem_buffer *page)
{
    static const char *const acts[] = {
        [XYLEM_POLICY__SETS_OPERANDS] = "are names of variables, or NAME=value",
        [XYLEM_POLICY__SETS_LAST] = "the second is the name of a variable",
        [XYLEM_POLICY__SETS_NONE] = NULL,
        [XYLEM_POLICY__TESTS] = "-v and -R evaluate a name",
        [XYLEM_POLICY__EVALUATES] = "are arithmetic",
        [XYLEM_POLICY__KEEPS_CODE] = "the first is code, which is judged",
        [XYLEM_POLICY__KEEPS_ALIASES] = "are NAME=code, which is judged",
        [XYLEM_POLICY__IS_NOT_DECIDABLE] = "never decidable",
    };

    for (const struct xylem_policy__builtin *row = xylem_policy__builtins; row->names != NULL; row++) {
        add_title(page, row->names);
        add_field(page, "operands", acts[row->acts]);
        add_field(page, "options", row->options);
        add_field(page, "names in", row->name_options);
        add_field(page, "code in", row->code_options);
        add_field(page, "undecidable", row->doubtful);
    }
}

/* --- git --------------------------------------------------------------------------------------------------------- */

/*
 * The row of the table, up to `end`, whose list stands whole in another one, and is long enough to be left out there.
 */
static const struct xylem_policy__git_form *with_same(const struct xylem_policy__git_form *rows,
                                                      const struct xylem_policy__git_form *end, const char *options)
{
    while (rows < end && (strlen(rows->options) <= 200 || strstr(options, rows->options) == NULL)) {
        rows++;
    }
    return rows == end ? NULL : rows;
}

/* A list that has all of an earlier row's says so, instead of saying all of it again. */
static void add_git_options(struct xylem_buffer *page, const struct xylem_policy__git_form *row)
{
    const struct xylem_policy__git_form *reading = xylem_policy__git_reading;
    const struct xylem_policy__git_form *reading_end = reading + xylem_policy__git_reading_count;
    bool is_reading = row >= reading && row < reading_end;
    const struct xylem_policy__git_form *same = with_same(reading, is_reading ? row : reading_end, row->options);
    char text[8192];

    if (same == NULL) {
        add_field(page, "options", strcmp(row->options, "*") == 0 ? "any" : row->options);
        return;
    }
    const char *at = strstr(row->options, same->options);
    snprintf(text, sizeof text, "%.*s%s%sall of git %.*s", (int)(at - row->options), row->options,
             at + strlen(same->options), at > row->options ? " and " : "", (int)strcspn(same->subcommand, " "),
             same->subcommand);
    add_field(page, "options", text);
}

static void add_operands(struct xylem_buffer *page, const struct xylem_policy__git_form *row)
{
    char text[64];

    if (row->frees == NULL) {
        return;
    }
    snprintf(text, sizeof text, row->operands == 0 ? "none" : "at most %u", (unsigned)row->operands);
    add_field(page, "operands", text);
    add_field(page, "any behind", row->frees);
}

static void add_forms(struct xylem_buffer *page, const struct xylem_policy__git_form *rows, size_t count)
{
    for (const struct xylem_policy__git_form *row = rows; row < rows + count; row++) {
        char title[512];
        snprintf(title, sizeof title, "%s%s%s", row->subcommand, row->verb == NULL || *row->verb == '\0' ? "" : " | ",
                 row->verb == NULL ? "" : row->verb);
        add_title(page, title);
        add_field(page, "does", row->what);
        add_git_options(page, row);
        add_field(page, "needs one of", row->needs);
        add_operands(page, row);
        add_field(page, "not first", row->not_first);
        add_field(page, "sets a key",
                  row->sets != NULL && strcmp(row->sets, "*") == 0 ? "always: which must be data" : row->sets);
        add_field(page, "readonly alone", row->connects ? "it connects to another machine" : NULL);
        add_field(page, "asks", row->asks_editor ? "with -a and no message, which starts an editor" : NULL);
    }
}

static void git_reading(struct xylem_buffer *page)
{
    add_forms(page, xylem_policy__git_reading, xylem_policy__git_reading_count);
}

static void git_local(struct xylem_buffer *page)
{
    add_forms(page, xylem_policy__git_local, xylem_policy__git_local_count);
}

static void git_strict(struct xylem_buffer *page)
{
    add_list(page, xylem_policy__git_strict_subcommands);
}

static void git_plain(struct xylem_buffer *page)
{
    add_list(page, xylem_policy__git_plain_subcommands);
}

static void git_elsewhere(struct xylem_buffer *page)
{
    add_title(page, "git");
    add_field(page, "options", xylem_policy__git_elsewhere);
    add_field(page, "subcommands", xylem_policy__git_elsewhere_subcommands);
}

static void git_options(struct xylem_buffer *page)
{
    add_title(page, "git");
    add_field(page, "harmless", xylem_policy__git_options);
    add_field(page, "known", xylem_policy__git_valued_options);
}

static void git_hatches(struct xylem_buffer *page)
{
    add_title(page, "any subcommand");
    add_field(page, "hatches", xylem_policy__git_hatches);
    add_field(page, "formats", xylem_policy__git_formats);
    add_field(page, "texts", xylem_policy__git_texts);
}

static void git_writing(struct xylem_buffer *page)
{
    add_list(page, xylem_policy__git_writing);
}

static void git_keys(struct xylem_buffer *page)
{
    add_list(page, xylem_policy__git_harmless_keys);
}

/* --- The page ---------------------------------------------------------------------------------------------------- */

static const struct region {
    const char *name;
    const char *tables; /* of the code, without what all their names begin with */
    void (*render)(struct xylem_buffer *page);
} regions[] = {
    {"readonly-programs", "readonly_programs", readonly_programs},
    {"readonly-verbs", "readonly_verbs", readonly_verbs},
    {"gnu-programs", "gnu_programs", gnu_programs},
    {"readonly-modules", "readonly_modules", readonly_modules},
    {"readonly-flags", "readonly_flags", readonly_flags},
    {"harmless-targets", "harmless_targets", harmless_targets},
    {"refused-variables", "refused_variables", refused_variables},
    {"command-variables", "command_variables", command_variables},
    {"temp-writers", "temp_writers", temp_writers},
    {"strict-commands", "strict_commands", strict_commands},
    {"strict-wrappers", "strict_wrappers", strict_wrappers},
    {"strict-directories", "strict_directories", strict_directories},
    {"strict-never", "strict_never", strict_never},
    {"strict-builtins", "strict_builtins", strict_builtins},
    {"environment", "environment_table", environment},
    {"environment-allowed", "environment_allowed", environment_allowed},
    {"hatches", "hatch_table", hatches},
    {"confirm-patterns", "confirm_patterns", confirm_patterns},
    {"confirm-devices", "confirm_devices", confirm_devices},
    {"confirm-code", "confirm_code", confirm_code},
    {"wrappers", "wrappers", wrappers},
    {"builtins", "builtins", builtins},
    {"git-reading", "git_reading git_reading_count", git_reading},
    {"git-strict", "git_strict_subcommands", git_strict},
    {"git-plain", "git_plain_subcommands", git_plain},
    {"git-elsewhere", "git_elsewhere git_elsewhere_subcommands", git_elsewhere},
    {"git-local", "git_local git_local_count", git_local},
    {"git-options", "git_options git_valued_options", git_options},
    {"git-hatches", "git_hatches git_formats git_texts", git_hatches},
    {"git-writing", "git_writing", git_writing},
    {"git-keys", "git_harmless_keys", git_keys},
};

enum { REGION_COUNT = sizeof regions / sizeof regions[0] };

static const struct region *region_of(const char *name, size_t bytes)
{
    for (size_t i = 0; i < REGION_COUNT; i++) {
        if (strlen(regions[i].name) == bytes && memcmp(regions[i].name, name, bytes) == 0) {
            return &regions[i];
        }
    }
    return NULL;
}

static size_t line_of(const char *text, const char *at)
{
    size_t line = 1;

    for (; text < at; text++) {
        line += *text == '\n';
    }
    return line;
}

/*
 * The page with its regions written anew; `problems` gets a line for each that was another, that no table has, or that
 * the page lacks.
 */
static void rewrite(struct xylem_buffer *page, struct xylem_buffer *problems, const char *old)
{
    bool seen[REGION_COUNT] = {false};
    const char *at = old;

    for (const char *mark; (mark = strstr(at, TABLE)) != NULL;) {
        const char *name = mark + strlen(TABLE);
        const char *name_end = strstr(name, TABLE_END "\n");
        const char *end = strstr(name, REGION_END);
        const struct region *region = name_end == NULL ? NULL : region_of(name, (size_t)(name_end - name));
        if (region == NULL || end == NULL || end < name_end || seen[region - regions]) {
            add(problems, PAGE ":%zu: no table has this name, or it has no end, or stands there twice\n",
                line_of(old, mark));
            assert_int_equal(xylem_buffer_add(page, at, (size_t)(name - at)), 0);
            at = name;
            continue;
        }
        const char *body = name_end + strlen(TABLE_END "\n");
        assert_int_equal(xylem_buffer_add(page, at, (size_t)(body - at)), 0);
        size_t before = page->bytes;
        add(page, "\n");
        region->render(page);
        add(page, "\n");
        if (page->bytes - before != (size_t)(end - body) ||
            memcmp(page->data + before, body, (size_t)(end - body)) != 0) {
            add(problems, PAGE ":%zu: the table '%s' is not the code's: " REWRITE "\n", line_of(old, mark),
                region->name);
        }
        seen[region - regions] = true;
        at = end;
    }
    assert_int_equal(xylem_buffer_add(page, at, strlen(at)), 0);
    for (size_t i = 0; i < REGION_COUNT; i++) {
        if (!seen[i]) {
            add(problems,
                PAGE ": it lacks '" TABLE "%s" TABLE_END
                     "': put it where it belongs, with '<!-- end -->' below; " REWRITE "\n",
                regions[i].name);
        }
    }
}

static char *read_page(const char *path)
{
    struct xylem_buffer text = {0};
    FILE *file = fopen(path, "rb");
    char chunk[65536];
    size_t bytes;

    assert_non_null(file);
    while ((bytes = fread(chunk, 1, sizeof chunk, file)) > 0) {
        assert_int_equal(xylem_buffer_add(&text, chunk, bytes), 0);
    }
    assert_false(ferror(file));
    fclose(file);
    char *copy = strdup(text.data == NULL ? "" : text.data);
    assert_non_null(copy);
    xylem_buffer_release(&text);
    return copy;
}

/* How many problems the page has; the text of them goes to `problems`, if that is wanted. */
static size_t problem_count(const char *page, struct xylem_buffer *problems)
{
    struct xylem_buffer anew = {0};
    struct xylem_buffer found = {0};
    size_t count = 0;

    rewrite(&anew, &found, page);
    for (size_t i = 0; i < found.bytes; i++) {
        count += found.data[i] == '\n';
    }
    if (problems != NULL && found.bytes > 0) {
        assert_int_equal(xylem_buffer_add(problems, found.data, found.bytes), 0);
    }
    xylem_buffer_release(&anew);
    xylem_buffer_release(&found);
    return count;
}

/* --- Tests ------------------------------------------------------------------------------------------------------- */

TEST(the_page_shows_the_tables_of_the_code)
{
    char *page = read_page(PAGE);
    struct xylem_buffer problems = {0};

    (void)state;
    if (getenv("XYLEM_WRITE_EXPECTED") != NULL) {
        struct xylem_buffer anew = {0};
        rewrite(&anew, &problems, page);
        FILE *file = fopen(PAGE, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(anew.data, 1, anew.bytes, file), anew.bytes);
        assert_int_equal(fclose(file), 0);
        free(page);
        page = strdup(anew.data);
        assert_non_null(page);
        xylem_buffer_release(&anew);
        xylem_base__buffer_clear(&problems);
    }
    if (problem_count(page, &problems) > 0) {
        fail_msg("\n%s", problems.data);
    }
    xylem_buffer_release(&problems);
    free(page);
}

/* A copy of the page in which `old` stands once as `anew`. */
static char *changed(const char *page, const char *old, const char *anew)
{
    const char *at = strstr(page, old);
    char *copy = NULL;

    assert_non_null(at);
    assert_true(asprintf(&copy, "%.*s%s%s", (int)(at - page), page, anew, at + strlen(old)) >= 0);
    return copy;
}

TEST(a_page_with_another_table_a_strange_one_or_one_less_is_refused)
{
    static const struct {
        const char *old;
        const char *anew;
        size_t problems;
    } changes[] = {
        {"`rmdir`", "`rmdirs`", 1},                                     /* another table */
        {"<!-- table: git-keys -->", "", 1},                            /* one less */
        {"<!-- table: git-keys -->", "<!-- table: git-kyes -->", 2},    /* both */
        {"<!-- table: git-keys -->", "<!-- table: git-writing -->", 2}, /* one twice, and one less */
    };
    char *page = read_page(PAGE);

    (void)state;
    assert_int_equal(problem_count(page, NULL), 0);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char *copy = changed(page, changes[i].old, changes[i].anew);
        assert_int_equal(problem_count(copy, NULL), changes[i].problems);
        free(copy);
    }
    free(page);
}

static bool is_listed(const char *list, const char *name, size_t bytes)
{
    for (const char *at = list; (at = strstr(at, name)) != NULL; at++) {
        if ((at == list || at[-1] == ' ') && (at[bytes] == ' ' || at[bytes] == '\0')) {
            return true;
        }
    }
    return false;
}

/* The tables that a header gives: `extern const struct xylem_policy__NAME_row xylem_policy__TABLE[];` and the like. */
static size_t check_header(const char *path)
{
    static const char prefix[] = "xylem_policy__";
    char *text = read_page(path);
    size_t count = 0;

    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *name = strncmp(line, "extern const ", 13) == 0 ? strrchr(line, ' ') : NULL;
        if (name == NULL || strstr(line, "struct xylem_policy__rules ") != NULL) {
            continue;
        }
        assert_int_equal(strncmp(name + 1, prefix, strlen(prefix)), 0);
        name += 1 + strlen(prefix);
        name[strcspn(name, "[;")] = '\0';
        bool shown = false;
        for (size_t i = 0; i < REGION_COUNT; i++) {
            shown |= is_listed(regions[i].tables, name, strlen(name));
        }
        if (!shown) {
            fail_msg("%s: the table %s%s is on no page: give it a region in tests/judge/policy/test_docs.c", path,
                     prefix, name);
        }
        count++;
    }
    free(text);
    return count;
}

TEST(every_table_of_the_headers_has_a_place_on_the_page)
{
    glob_t headers;
    size_t count = 0;

    (void)state;
    assert_int_equal(glob("judge/policy/*/*.h", 0, NULL, &headers), 0);
    for (size_t i = 0; i < headers.gl_pathc; i++) {
        count += check_header(headers.gl_pathv[i]);
    }
    globfree(&headers);
    assert_true(count >= REGION_COUNT);
}

/* --- The names of rules ------------------------------------------------------------------------------------------ */

enum { RULES_MAX = 96 };

struct rules {
    char *names[RULES_MAX];
    char *policies[RULES_MAX]; /* that have the rule: the second column */
    bool met[RULES_MAX];
    size_t count;
};

static size_t rule_at(const struct rules *rules, const char *name)
{
    size_t at = 0;

    while (at < rules->count && strcmp(rules->names[at], name) != 0) {
        at++;
    }
    return at;
}

/* A verdict of `policy` has the rule. */
static void meet(struct rules *rules, const char *name, const char *policy, const char *where)
{
    size_t at = rule_at(rules, name);

    if (at == rules->count) {
        fail_msg(PAGE ": the rule '%s' is not in the table of rules (%s)", name, where);
    }
    if (strstr(rules->policies[at], policy) == NULL && strcmp(rules->policies[at], "all") != 0) {
        fail_msg(PAGE ": the rule '%s' is one of %s too (%s)", name, policy, where);
    }
    rules->met[at] = true;
}

/* The first two columns of the table below `## Rules`. */
static struct rules read_rules(void)
{
    struct rules rules = {.count = 0};
    char *page = read_page(PAGE);
    char *at = strstr(page, "\n## Rules\n");

    assert_non_null(at);
    char *end = strstr(at + 1, "\n## ");
    assert_non_null(end);
    *end = '\0';
    for (at = strstr(at, "\n| `"); at != NULL; at = strstr(at + 1, "\n| `")) {
        const char *name = at + strlen("\n| `");
        size_t bytes = strcspn(name, "`");
        const char *policies = name + bytes + strlen("` | ");
        assert_true(rules.count < RULES_MAX);
        rules.names[rules.count] = strndup(name, bytes);
        rules.policies[rules.count] = strndup(policies, strcspn(policies, "|") - 1);
        assert_non_null(rules.names[rules.count]);
        assert_non_null(rules.policies[rules.count]);
        rules.count++;
    }
    free(page);
    return rules;
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
    struct rules rules = read_rules();

    (void)state;
    meet(&rules, "input", "readonly", "broken lines of judge --jsonl");
    meet(&rules, "failed", "readonly", "a verdict on which nothing was judged");
    judge_fixtures(&rules);
    for (size_t i = 0; i < rules.count; i++) {
        if (!rules.met[i]) {
            fail_msg(PAGE ": no command of fixtures/policy is met by the rule '%s'", rules.names[i]);
        }
        free(rules.names[i]);
        free(rules.policies[i]);
    }
}
