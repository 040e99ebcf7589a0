/*
 * Shows the tables of the policies to a person. `sections` lists the sections of the page, each with a table or a list,
 * and arrays of `struct shown` list the shown fields of a row. A list is a string of names.
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
#include "judge/policy/engine/builtins.h"
#include "judge/policy/engine/engine.h"
#include "judge/policy/engine/environment.h"
#include "judge/policy/engine/wrappers.h"
#include "judge/policy/git/tables.h"
#include "judge/policy/rules/hatches.h"
#include "judge/policy/rules/strict.h"
#include "judge/policy/words/tables.h"
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

/* A shown field of a row: a text; with `words` an enum; with `note` a bool. */
struct shown {
    const char *label; /* NULL ends a list */
    size_t at;
    const char *const *words;
    const char *note;
};

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

static const struct shown table_row[] = {TEXT("does", table_row, what), TEXT("rule", table_row, rule), END};
static const char *const otherwise[] = {
    [XYLEM_POLICY__ELSE_PASSES] = "",
    [XYLEM_POLICY__ELSE_REFUSED] = "refused",
    [XYLEM_POLICY__ELSE_REFUSED_UNLISTED] = "refused, and with options that are not known too",
    [XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED] = "refused with operands, or with options that are not known",
};
static const struct shown verb_row[] = {
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
    TEXT("operands", verb_row, operands),
    NOTE(verb_row, literal, "(strict passes no expansion)"),
    NOTE(verb_row, shows_nothing, "(not even --version and --help are harmless)"),
    NOTE(verb_row, plain, "(strict passes no operand with a colon or a slash, which may name a host)"),
    TEXT("options", verb_row, options),
    END,
};
static const struct shown value_row[] = {TEXT("does", value_row, what), TEXT("texts", value_row, holds), END};
static const struct shown writer_row[] = {TEXT("does", writer_row, what), TEXT("options", writer_row, options), END};
static const struct shown code_row[] = {
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
static const struct shown allowed_variable[] = {WORD("value", allowed_variable, value, values),
                                                TEXT("why no other", allowed_variable, what), END};
static const struct shown wrapper[] = {
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
static const struct shown builtin[] = {
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
static const struct shown hatch[] = {TEXT("harmless", hatch, harmless), WORD("operands", hatch, type, operands),
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

#define ROWS(table, fields) .rows = xylem_policy__##table, .row_bytes = sizeof xylem_policy__##table[0], .shown = fields
#define LIST(name, names) .label = name, .list = xylem_policy__##names

static const struct section {
    const char *title; /* NULL: the section goes on */
    const char *intro;
    const void *rows; /* each begins with its names; NULL names end the table, if `count` is NULL */
    size_t row_bytes;
    const size_t *count;
    const struct shown *shown;
    void (*more)(struct page *page, const void *row); /* NULL: nothing */
    const char *label;                                /* of the list; empty: none */
    const char *list;
} sections[] = {
    {"HOW TO READ THE LISTS",
     "Blanks separate names. NAME* stands for every name with the beginning NAME, *NAME for every name "
     "with the end NAME. -n and --name take no value. -n: and --name: take a value: glued, behind =, or "
     "as the next word. -n? and --name? take a glued value, or none. -# is a dash and digits. Letters "
     "may stand together behind one dash. An abbreviation of a long option is an unknown option, except "
     "for the hatches of readonly.",
     .rows = NULL},
    {"READONLY: PROGRAMS", "Refused with any arguments. Only the last part of the path counts.",
     ROWS(readonly_programs, table_row)},
    {"PROGRAMS BY VERB AND BY OPTION",
     "Programs with verbs, such as package managers and programs for other machines, and programs whose options tell. "
     "A verb is the first word behind the options. cache/clean means two verbs, and * stands for any verb; - is the "
     "program without operands. strict allows what `reads`, with the options below it and the harmless ones. readonly "
     "refuses what `writes`, `destroys` or `rewrites`, and passes npm test and cargo build. confirm asks about what "
     "`destroys`. A command behind a verb of `runs` is judged. A verb of `rewrites` changes files in place "
     "(file-mutation). With an option of `passes with` nothing is refused; for a verb of `rewrites` the option may "
     "stand behind --: cargo fmt -- --check.",
     .rows = xylem_policy__verb_table, .row_bytes = sizeof(struct xylem_policy__verb_row), .shown = verb_row,
     .more = add_verbs},
    {NULL, "Of other programs readonly refuses these words, where the first word or the second is one of them:",
     LIST("", writing_words)},
    {NULL, "Of these programs readonly asks no word:", LIST("", without_verbs)},
    {NULL,
     "Some systems name the programs of GNU with a g in front (gsed). All policies judge such a program by the name "
     "without the g, and original-awk and bwk-awk like awk:",
     LIST("", gnu_programs)},
    {NULL, "python -m NAME is judged like the program NAME. These modules are refused as well:",
     ROWS(readonly_modules, table_row)},
    {"READONLY: REDIRECTIONS",
     "A redirection that writes is refused, except to these files. 2>&1 and >&- pass. A redirection from "
     "or to /dev/tcp and /dev/udp opens a connection and is refused.",
     ROWS(harmless_targets, table_row)},
    {"READONLY: VARIABLES",
     "These variables are the configuration of git. They are refused like git -c, except with the value "
     "/dev/null:",
     ROWS(refused_variables, table_row)},
    {NULL, "These variables are refused if the value holds one of the texts:", ROWS(refused_values, value_row)},
    {NULL, "Other programs run the value of these variables. readonly and confirm judge the value as code:",
     ROWS(command_variables, table_row)},
    {"READONLY: PROGRAMS FOR TEMP_WRITES",
     "These programs may write below the directory in temp_writes, if every operand is a literal "
     "absolute path below the directory, without .., and every option is in the table:",
     ROWS(temp_writers, writer_row)},
    {"STRICT: ALLOWED COMMANDS", "allowed_commands replaces the list.", LIST("", strict_commands)},
    {"STRICT: WRAPPERS", "wrapper_commands replaces the list with other names from WRAPPERS.",
     LIST("", strict_wrappers)},
    {"STRICT: DIRECTORIES",
     "A command with a slash in the name must lie in one of these directories. command_directories adds "
     "directories.",
     LIST("", strict_directories)},
    {"STRICT: NEVER ALLOWED", "No configuration allows these programs.", ROWS(strict_never, table_row)},
    {"STRICT: BUILTINS", "These builtins of the shell pass:", ROWS(strict_builtins, table_row)},
    {"HATCHES",
     "A hatch is an option, an operand or a program in an argument by which a reading program writes a "
     "file or runs another program. `harmless` lists all options that strict allows; strict asks about "
     "any other option, and about abbreviations. `hatch` lists the known hatches; readonly refuses only "
     "these.",
     ROWS(hatch_table, hatch), .more = add_hatch},
    {"OTHER LISTS", "What single rules look up.", LIST("request", request_options)},
    {NULL, NULL, LIST("hashes", hash_options)},
    {NULL, NULL, LIST("set by shells", set_by_shell)},
    {NULL, NULL, LIST("ssh", ssh_settings)},
    {NULL, NULL, LIST("interpreters", interpreters)},
    {NULL, NULL, LIST("git", git_unruled)},
    {NULL, NULL, LIST("set -o", set_names)},
    {NULL, NULL, LIST("awk", awk_builtins)},
    {"STRICT: VARIABLES",
     "strict asks about a command that sets one of these variables in any way: before a command, alone, "
     "by env, export, declare, read, mapfile or printf -v, as the variable of a loop, by ${x:=}, or in "
     "arithmetic. IFS before read passes.",
     ROWS(environment_table, table_row)},
    {NULL,
     "A variable before a command, or behind env, goes into the environment of a program. There only "
     "these variables pass, with these values. A value that is appended with +=, or is an array, is not "
     "known. (In some encodings a backslash is the second half of a character, so the locale counts.)",
     ROWS(environment_allowed, allowed_variable)},
    {"CONFIRM",
     "Options count in all spellings that the programs know: rm --rec, options behind operands, chmod "
     "0777, git push --force-w. The size of truncate may be 0, 00 or 0K; +0 changes nothing.",
     ROWS(confirm_patterns, table_row)},
    {NULL, "confirm asks about writes below /dev, by a redirection or by tee, except to these files:",
     ROWS(confirm_devices, table_row)},
    {NULL,
     "These options hold code that a program runs; `settings in` names options with a value NAME=CODE. "
     "confirm judges literal code, besides the strings of awk programs with system() or a pipe, the e of "
     "sed, and the hatches of sort, rg, ag, less and man that run a program:",
     ROWS(confirm_code, code_row)},
    {"WRAPPERS",
     "All policies judge the command that a wrapper runs. An option that the table does not list makes "
     "the wrapper undecided: the place of the inner command is not known then. readonly and strict "
     "refuse an option of `writes`; confirm searches the value for names. With an option of `runs "
     "nothing` no command runs. strict allows only its own list, xargs and find.",
     ROWS(wrappers, wrapper)},
    {"BUILTINS OF THE SHELL",
     "Builtins set variables, keep code for later, or evaluate names as arithmetic. A name with a [ is "
     "undecided.",
     ROWS(builtins, builtin)},
    {"GIT: OPTIONS",
     "Options of git itself, before the subcommand. The harmless options pass with their values, and all "
     "others are refused. The known options only serve to find the subcommand.",
     LIST("harmless", git_options)},
    {NULL, NULL, LIST("known", git_valued_options)},
    {"GIT: SUBCOMMANDS THAT WRITE", "Refused with any options and any configuration:", LIST("", git_writing)},
    {"GIT: SUBCOMMANDS THAT READ",
     "Each row is a form: the subcommand and its verbs. The rules of git itself decide between listing "
     "and writing: git branch --sort=x N makes a branch. `operands` is the count of words that may "
     "follow, `any behind` names the options behind which any count may follow, and `needs one of` names "
     "options of which one must be given. readonly lets unknown long options pass in the plain rows, up "
     "to version; strict asks about them.",
     .rows = xylem_policy__git_reading, .row_bytes = sizeof xylem_policy__git_reading[0],
     .count = &xylem_policy__git_reading_count, .more = add_form},
    {NULL, "Without git_readonly_subcommands, strict allows these subcommands:", LIST("", git_strict_subcommands)},
    {NULL,
     "These options and subcommands start another git, or open another repository, in a directory that "
     "the command does not name. The verdict says that the directory is not known, and the hook approves "
     "none of them:",
     LIST("options", git_elsewhere)},
    {NULL, NULL, LIST("subcommands", git_elsewhere_subcommands)},
    {NULL,
     "These subcommands are plain: git itself only reads, and never prefers an alias. If a configuration "
     "allows other subcommands, the hook approves less.",
     LIST("", git_plain_subcommands)},
    {"GIT: HATCHES",
     "These options, and their abbreviations, write a file or run a program with any subcommand. The "
     "value of an option of `formats` must not ask for signatures (%G?): git would run gpg.",
     LIST("hatches", git_hatches)},
    {NULL, NULL, LIST("formats", git_formats)},
    {NULL, NULL, LIST("texts", git_texts)},
    {"GIT: LOCAL WRITES", "With git_local_writes these forms replace the reading forms of the same subcommands:",
     .rows = xylem_policy__git_local, .row_bytes = sizeof xylem_policy__git_local[0],
     .count = &xylem_policy__git_local_count, .more = add_form},
    {NULL,
     "git config may set a key only if the key is data. Every other key may name a program, now or in a "
     "later version:",
     LIST("", git_harmless_keys)},
};

static void add_section(struct page *page, const struct section *section)
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
        add(page, "\n", section->rows || section->list);
    }
    for (const char *row = section->rows; row && left > 0 && text_at(row, 0); row += section->row_bytes, left--) {
        add_title(page, text_at(row, 0));
        if (section->shown) {
            add_fields(page, row, section->shown);
        }
        if (section->more) {
            section->more(page, row);
        }
    }
    if (section->list && *section->label != '\0') {
        add_field(page, section->label, section->list);
    } else if (section->list) {
        add_title(page, section->list);
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
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        add_section(&page, &sections[i]);
    }
    if (page.code < 0) {
        xylem_base__buffer_cut(text, before);
        return xylem_base__fail_memory(err);
    }
    return 0;
}
