/*
 * Shows the tables of the policies to a person. page_tables.txt lists the sections of the page, each with a table or a
 * list, and the arrays here list the shown fields of a row. A list is a string of names.
 *
 *     PROGRAMS BY VERB             the title; an explanation may follow
 *         npm cnpm                 a row: the names
 *           does     changes ...   the fields of the row, without empty fields
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "judge/policy/page.h"
#include "xylem/policy.h"

enum {
    COLUMN_MAX = 112,
    INTRO_COLUMN = 2,
    ROW_COLUMN = 4,
    LABEL_COLUMN = 6,
    FIELD_COLUMN = 21,
    RULE_CELLS = 21,
    POLICIES_CELLS = 18,
    SAME_BYTES_MIN = 200
};

struct page {
    struct xylem_buffer *text;
    int code;
};

/* A shown field of a row: a text; with `words` an enum; with `note` a bool. */
struct shown {
    const char *label; /* NULL ends a list */
    size_t at;
    const char *const *words;
    const char *note;
};

static void add(struct page *page, const char *text, size_t bytes)
{
    page->code = page->code < 0 ? page->code : xylem_buffer_add(page->text, text, bytes);
}

static void add_blanks(struct page *page, size_t count)
{
    while (count-- > 0) {
        add(page, " ", 1);
    }
}

/* Adds words, in lines from `column` to COLUMN_MAX. */
static void add_wrapped(struct page *page, const char *text, size_t column)
{
    size_t used = column;
    for (const char *at = text; *at != '\0'; at += strspn(at, " ")) {
        size_t bytes = strcspn(at, " ");
        if (used > column && used + 1 + bytes > COLUMN_MAX) {
            add(page, "\n", 1);
            add_blanks(page, column);
            used = column;
        }
        add(page, " ", used > column);
        add(page, at, bytes);
        used += bytes + (used > column);
        at += bytes;
    }
    add(page, "\n", 1);
}

static void add_title(struct page *page, const char *title)
{
    add_blanks(page, ROW_COLUMN);
    add_wrapped(page, title, ROW_COLUMN);
}

/* Adds a cell, filled with blanks up to the next column. */
static void add_cell(struct page *page, const char *text, size_t cells)
{
    size_t bytes = strlen(text);
    add(page, text, bytes);
    add_blanks(page, bytes < cells ? cells - bytes : 1);
}

static void add_field(struct page *page, const char *label, const char *text)
{
    if (text && *text != '\0') {
        add_blanks(page, LABEL_COLUMN);
        add_cell(page, label, FIELD_COLUMN - LABEL_COLUMN);
        add_wrapped(page, text, FIELD_COLUMN);
    }
}

/* --- Rows of fields ----------------------------------------------------------------------------------------------- */

#define TEXT(label, row, member) WORD(label, row, member, NULL)
#define WORD(label, row, member, words)                                  \
    {                                                                    \
        label, offsetof(struct xylem_policy__##row, member), words, NULL \
    }
#define NOTE(row, member, note)                                      \
    {                                                                \
        "", offsetof(struct xylem_policy__##row, member), NULL, note \
    }
#define END                 \
    {                       \
        NULL, 0, NULL, NULL \
    }

static const struct shown shown_table_row[] = {TEXT("does", table_row, what), TEXT("rule", table_row, rule), END};
static const char *const otherwise[] = {
    [XYLEM_POLICY__ELSE_PASSES] = "",
    [XYLEM_POLICY__ELSE_REFUSED] = "refused",
    [XYLEM_POLICY__ELSE_REFUSED_UNLISTED] = "refused, and with options that are not known too",
    [XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED] = "refused with operands, or with options that are not known",
};
static const struct shown shown_verb_row[] = {
    TEXT("does", verb_row, does.what),
    TEXT("rule", verb_row, does.rule),
    TEXT("source", verb_row, source),
    TEXT("writes", verb_row, writes),
    TEXT("destroys", verb_row, destroys),
    TEXT("destroys with", verb_row, destroys_with),
    TEXT("rewrites", verb_row, rewrites),
    TEXT("sends", verb_row, sends),
    TEXT("GET alone", verb_row, requests),
    TEXT("refused with", verb_row, refuses_with),
    TEXT("reads with", verb_row, reads_with),
    TEXT("writes with", verb_row, writes_with),
    WORD("otherwise", verb_row, otherwise, otherwise),
    TEXT("runs code with", verb_row, runs_with),
    TEXT("sends with", verb_row, sends_with),
    TEXT("code in", verb_row, code),
    TEXT("module in", verb_row, modules),
    TEXT("passes with", verb_row, unless),
    TEXT("shows alone", verb_row, shows),
    NOTE(verb_row, only_reads, "(readonly passes reading verbs alone)"),
    NOTE(verb_row, packages, "(a command may have the version of a package behind an @)"),
    NOTE(verb_row, own_commands, "(an operand that is not a verb is judged as a command)"),
    NOTE(verb_row, keys, "(the first word may be options without a dash)"),
    NOTE(verb_row, first_operand_ends, "(the words behind the first operand are not for the program)"),
    TEXT("harmless", verb_row, harmless),
    TEXT("needs", verb_row, needs),
    TEXT("values", verb_row, values),
    TEXT("operands", verb_row, operands),
    NOTE(verb_row, literal, "(strict passes no expansion)"),
    NOTE(verb_row, assigns, "(an operand NAME=value sets what the program runs)"),
    NOTE(verb_row, shows_nothing, "(not even --version and --help are harmless)"),
    NOTE(verb_row, plain, "(strict passes no operand with a colon or a slash, which may name a host)"),
    TEXT("options", verb_row, options),
    END,
};
static const struct shown shown_value_row[] = {TEXT("does", value_row, what), TEXT("texts", value_row, holds), END};
static const struct shown shown_writer_row[] = {TEXT("does", writer_row, what), TEXT("options", writer_row, options),
                                                END};
static const struct shown shown_code_row[] = {
    TEXT("runs", code_row, what),      TEXT("subcommands", code_row, verbs),
    TEXT("code in", code_row, code),   TEXT("settings in", code_row, settings),
    TEXT("others", code_row, options), END,
};
static const char *const values[] = {
    [XYLEM_POLICY__VALUE_ANY] = "any",
    [XYLEM_POLICY__VALUE_LOCALE] = "C, POSIX, en_US, none, or what ends in UTF-8",
    [XYLEM_POLICY__VALUE_ZONE] = "a name of letters, digits and /_+-",
    [XYLEM_POLICY__VALUE_NAME] = "a name of letters, digits and -+_.",
    [XYLEM_POLICY__VALUE_NUMBER] = "up to five digits",
    [XYLEM_POLICY__VALUE_CAT] = "cat",
};
static const struct shown shown_allowed_variable[] = {WORD("value", allowed_variable, value, values),
                                                      TEXT("why no other", allowed_variable, what), END};
static const struct shown shown_wrapper[] = {
    TEXT("is", wrapper, what),
    TEXT("options", wrapper, options),
    TEXT("runs nothing", wrapper, lookups),
    TEXT("writes", wrapper, writes),
    END,
};
static const char *const acts[] = {
    [XYLEM_POLICY__SETS_OPERANDS] = "are names of variables, or NAME=value",
    [XYLEM_POLICY__SETS_LAST] = "the second is the name of a variable",
    [XYLEM_POLICY__SETS_NONE] = "",
    [XYLEM_POLICY__TESTS] = "-v and -R evaluate a name",
    [XYLEM_POLICY__EVALUATES] = "are arithmetic",
    [XYLEM_POLICY__KEEPS_CODE] = "the first is code, which is judged",
    [XYLEM_POLICY__KEEPS_ALIASES] = "are NAME=code, which is judged",
    [XYLEM_POLICY__IS_NOT_DECIDABLE] = "never decidable",
};
static const struct shown shown_builtin[] = {
    WORD("operands", builtin, acts, acts),   TEXT("options", builtin, options),
    TEXT("names in", builtin, name_options), TEXT("code in", builtin, code_options),
    TEXT("undecidable", builtin, doubtful),  END,
};
static const char *const operands[] = {
    [XYLEM_POLICY__HATCH_OPTIONS] = "",
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
static const char *const readings[] = {
    [XYLEM_POLICY__READS_OPTIONS] = "",
    [XYLEM_POLICY__READS_UP_TO_OPERAND] = "no option follows the first operand",
    [XYLEM_POLICY__READS_FIRST_LETTER] = "no option follows the first operand, and letters do not stand together",
    [XYLEM_POLICY__READS_WRAPPED] = "the first operand begins a command, which is judged by itself",
    [XYLEM_POLICY__READS_NO_DASHES] = "-- is nothing special",
    [XYLEM_POLICY__READS_VALUES_APART] = "the value of a letter is always the next word",
    [XYLEM_POLICY__READS_NUMBERS] = "options may follow behind the digits of a value",
    [XYLEM_POLICY__READS_DASHED_VALUES] = "the program may read a value that begins with - as an option",
};
static const struct shown shown_hatch[] = {TEXT("harmless", hatch, harmless), WORD("operands", hatch, type, operands),
                                           WORD("words", hatch, reading, readings), END};

static const char *text_at(const void *row, size_t at)
{
    const char *text;
    memcpy(&text, (const char *)row + at, sizeof text);
    return text;
}

static void add_fields(struct page *page, const void *row, const struct shown *field)
{
    for (; field->label; field++) {
        const void *at = (const char *)row + field->at;
        unsigned number = 0;
        bool set = false;
        if (field->words) {
            memcpy(&number, at, sizeof number); /* enums are unsigned here */
            add_field(page, field->label, field->words[number]);
        } else if (field->note) {
            memcpy(&set, at, sizeof set);
            add_field(page, field->label, set ? field->note : NULL);
        } else {
            add_field(page, field->label, text_at(row, field->at));
        }
    }
}

/* --- Rows with more than fields ----------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void add_field_of(struct page *page, const char *label, const char *format,
                                                               ...)
{
    char text[8192]; /* longer than the longest list */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_field(page, label, text);
}

/* The reading verbs, the effect of a program without a verb, and a command in the words. */
static void add_verbs(struct page *page, const void *row)
{
    const struct xylem_policy__verb_row *verbs = row;
    for (const struct xylem_policy__reading_verbs *reads = verbs->reads; reads && reads->verbs; reads++) {
        add_field(page, "reads", strcmp(reads->verbs, ".") == 0 ? "any operands" : reads->verbs);
        add_field(page, "", reads->options);
    }
    if (verbs->alone) {
        add_field_of(page, "alone", "passes with %s", verbs->alone);
    }
    add_field(page, "runs",
              verbs->runs && strcmp(verbs->runs, ".") == 0 ? "the command in its words, which is judged" : verbs->runs);
}

static void add_hatch(struct page *page, const void *row)
{
    for (const struct xylem_policy__table_row *known = ((const struct xylem_policy__hatch *)row)->known; known->names;
         known++) {
        add_field(page, "hatch", known->names);
        add_field(page, "", known->what);
    }
}

/* A list with all options of an earlier row of the reading forms names the earlier row instead. */
static void add_git_options(struct page *page, const struct xylem_policy__git_form *row)
{
    const struct xylem_policy__git_form *same = xylem_policy__git_reading;
    const struct xylem_policy__git_form *end = same + xylem_policy__git_reading_count;
    while (same < end && same != row &&
           (strlen(same->options) <= SAME_BYTES_MIN || !strstr(row->options, same->options))) {
        same++;
    }
    if (same == end || same == row) {
        add_field(page, "options", strcmp(row->options, "*") == 0 ? "any" : row->options);
        return;
    }
    const char *at = strstr(row->options, same->options);
    add_field_of(page, "options", "%.*s%s%sall of git %.*s", (int)(at - row->options), row->options,
                 at + strlen(same->options), at > row->options ? " and " : "", (int)strcspn(same->subcommand, " "),
                 same->subcommand);
}

static void add_form(struct page *page, const void *form)
{
    const struct xylem_policy__git_form *row = form;
    add_field(page, "verbs", row->verb && *row->verb == '\0' ? "none" : row->verb);
    add_field(page, "does", row->what);
    add_git_options(page, row);
    add_field(page, "needs one of", row->needs);
    if (row->frees) {
        add_field_of(page, "operands", row->operands == 0 ? "none" : "at most %u", (unsigned)row->operands);
        add_field(page, "any behind", row->frees);
    }
    add_field(page, "not first", row->not_first);
    add_field(page, "sets a key", row->sets && strcmp(row->sets, "*") == 0 ? "always: which must be data" : row->sets);
    add_field(page, "readonly alone", row->connects ? "connects to another machine" : NULL);
    add_field(page, "asks", row->asks_editor ? "with -a and no message, which starts an editor" : NULL);
}

/* --- Sections ----------------------------------------------------------------------------------------------------- */

static const struct {
    size_t bytes;
    const struct shown *shown;
    void (*add_more)(struct page *page, const void *row);
} kinds[] = {
    [XYLEM_POLICY__ROW_TABLE] = {sizeof(struct xylem_policy__table_row), shown_table_row, NULL},
    [XYLEM_POLICY__ROW_VERB] = {sizeof(struct xylem_policy__verb_row), shown_verb_row, add_verbs},
    [XYLEM_POLICY__ROW_VALUE] = {sizeof(struct xylem_policy__value_row), shown_value_row, NULL},
    [XYLEM_POLICY__ROW_WRITER] = {sizeof(struct xylem_policy__writer_row), shown_writer_row, NULL},
    [XYLEM_POLICY__ROW_CODE] = {sizeof(struct xylem_policy__code_row), shown_code_row, NULL},
    [XYLEM_POLICY__ROW_VARIABLE] = {sizeof(struct xylem_policy__allowed_variable), shown_allowed_variable, NULL},
    [XYLEM_POLICY__ROW_WRAPPER] = {sizeof(struct xylem_policy__wrapper), shown_wrapper, NULL},
    [XYLEM_POLICY__ROW_BUILTIN] = {sizeof(struct xylem_policy__builtin), shown_builtin, NULL},
    [XYLEM_POLICY__ROW_HATCH] = {sizeof(struct xylem_policy__hatch), shown_hatch, add_hatch},
    [XYLEM_POLICY__ROW_FORM] = {sizeof(struct xylem_policy__git_form), NULL, add_form},
};

static void add_section(struct page *page, const struct xylem_policy__section *section)
{
    size_t left = section->count ? *section->count : SIZE_MAX;
    if (section->title) {
        add(page, "\n", 1);
        add_wrapped(page, section->title, 0);
    }
    if (section->intro) {
        add(page, "\n", 1);
        add_blanks(page, INTRO_COLUMN);
        add_wrapped(page, section->intro, INTRO_COLUMN);
        add(page, "\n", section->rows || section->listed);
    }
    for (const char *row = section->rows; row && left > 0 && text_at(row, 0);
         row += kinds[section->kind].bytes, left--) {
        add_title(page, text_at(row, 0));
        if (kinds[section->kind].shown) {
            add_fields(page, row, kinds[section->kind].shown);
        }
        if (kinds[section->kind].add_more) {
            kinds[section->kind].add_more(page, row);
        }
    }
    if (section->listed && section->label) {
        add_field(page, section->label, section->listed);
    } else if (section->listed) {
        add_title(page, section->listed);
    }
}

int xylem_policy_tables(struct xylem_buffer *text, struct xylem_error *err)
{
    struct page page = {text, 0};
    if (!text) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a buffer for the tables is needed");
    }
    size_t before = text->bytes;
    add_wrapped(&page, "RULES", 0);
    add(&page, "\n", 1);
    for (const struct xylem_policy__table_row *row = xylem_policy__rule_names; row->names; row++) {
        add_blanks(&page, ROW_COLUMN);
        add_cell(&page, row->names, RULE_CELLS);
        add_cell(&page, row->rule, POLICIES_CELLS);
        add_wrapped(&page, row->what, ROW_COLUMN + RULE_CELLS + POLICIES_CELLS);
    }
    for (const struct xylem_policy__section *section = xylem_policy__sections; section->names; section++) {
        add_section(&page, section);
    }
    if (page.code < 0) {
        xylem_base__buffer_cut(text, before);
        return xylem_base__fail_memory(err);
    }
    return 0;
}
