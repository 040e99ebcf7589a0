/* xylem judge: judges a shell command by a policy. */
#include "base/buffer.h"
#include "cli/teaching.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_CELLS_MIN 16u
#define COMMAND_CELLS_IN_PIPES 72u
#define BESIDE_CELLS 11u /* in front of the commands, and between commands and rules */
#define IN_CELLS 4u      /* cells of " in " */
#define THE_DECISION SIZE_MAX

struct judge_options {
    int policy;
    const char *config;
    const char *cwd;
    bool json;
    bool explain;
    bool jsonl;
    bool tables;
    bool why;
    const char *learn;
};

/* In the order of enum xylem_policy_type. */
static const char *const policies[] = {"readonly", "strict", "confirm", NULL};

static const struct xylem_cli__option judge_table[] = {
    {"policy", 'p', "POLICY", XYLEM_CLI__CHOICE, offsetof(struct judge_options, policy),
     "readonly (default), strict or confirm", policies},
    {"config", 0, "FILE", XYLEM_CLI__TEXT, offsetof(struct judge_options, config), "the policy's options, as JSON",
     NULL},
    {"cwd", 0, "DIR", XYLEM_CLI__TEXT, offsetof(struct judge_options, cwd),
     "where the command would run: an absolute path (default: not known)", NULL},
    XYLEM_CLI__JSON_ROW(struct judge_options),
    {"explain", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct judge_options, explain),
     "show all commands found, and underline the part that decided", NULL},
    {"jsonl", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct judge_options, jsonl),
     "answer each line of standard input: a JSON object with `command` and perhaps `cwd`", NULL},
    {"tables", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct judge_options, tables),
     "print the tables of all policies, instead of a judgement", NULL},
    {"why", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct judge_options, why),
     "say which rule decided, and the line for your file that would change the answer", NULL},
    {"learn", 0, "LOG", XYLEM_CLI__TEXT, offsetof(struct judge_options, learn),
     "propose rules from a log of asks, and write nothing", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* --- For people ------------------------------------------------------------------------------------------------- */

/* The list of found commands, one a line. */
struct listing {
    const struct xylem_cli *cli;
    struct xylem_cli__text *text;
    struct xylem_view command;
    const struct xylem_verdict *verdict;
    size_t cells; /* width of the column of commands */
};

static bool stand_at_the_same(const struct xylem_judged *a, const struct xylem_judged *b)
{
    return a->offset == b->offset && a->bytes == b->bytes;
}

/*
 * True if the command stands in the code of a word (`sh -c CODE`): all such commands have the word's place, so
 * only names tell the commands apart.
 */
static bool is_told_by_name(const struct xylem_verdict *verdict, size_t i)
{
    const struct xylem_judged *judged = &verdict->judged[i];
    return judged->name.bytes > 0 && ((i > 0 && stand_at_the_same(judged, judged - 1)) ||
                                      (i + 1 < verdict->judged_count && stand_at_the_same(judged, judged + 1)));
}

/* Adds as much of a command, or of the deciding part, as fits into `cells`. Gives the cells used. */
static size_t add_found(const struct listing *listing, struct xylem_cli__text *text, size_t i, size_t cells)
{
    const struct xylem_verdict *verdict = listing->verdict;
    bool decision = i == THE_DECISION;
    struct xylem_view part = {listing->command.data + (decision ? verdict->offset : verdict->judged[i].offset),
                              decision ? verdict->bytes : verdict->judged[i].bytes};
    size_t filled = 0;
    if (!decision && is_told_by_name(verdict, i)) {
        struct xylem_view name = {verdict->judged[i].name.data, verdict->judged[i].name.bytes};
        filled = xylem_cli__add_shown(listing->cli, text, name, XYLEM_CLI__ONE_LINE, cells);
        if (cells - filled <= IN_CELLS) {
            return filled;
        }
        xylem_cli__add(text, " in ");
        filled += IN_CELLS;
    }
    return filled + xylem_cli__add_shown(listing->cli, text, part, XYLEM_CLI__ONE_LINE, cells - filled);
}

static void add_line(const struct listing *listing, enum xylem_decision decision, const char *rule, size_t depth,
                     size_t i)
{
    size_t cells = listing->cells;
    size_t indent = depth * 2 < cells / 2 ? depth * 2 : cells / 2;
    size_t filled;
    xylem_cli__add(listing->text, "  ");
    xylem_cli__add_column(listing->cli, listing->text, xylem_view_of(xylem_cli__decision_word(decision)), 7,
                          xylem_cli__decision_color(decision));
    xylem_cli__add_repeated(listing->text, " ", indent);
    filled = add_found(listing, listing->text, i, cells - indent);
    xylem_cli__add_repeated(listing->text, " ", cells - indent - filled + 2);
    xylem_cli__add_colored(listing->cli, listing->text, xylem_view_of(rule), XYLEM_CLI__DIM);
    xylem_cli__end_line(listing->text);
}

/*
 * Returns the width of the column of commands: the widest command, limited by the terminal's room beside verdicts and
 * rules.
 */
static size_t found_cells(const struct listing *listing, bool decision)
{
    const struct xylem_verdict *verdict = listing->verdict;
    size_t width = listing->cli->width;
    size_t beside = decision ? strlen(verdict->rule) : 0;
    size_t most = COMMAND_CELLS_IN_PIPES;
    struct xylem_cli__text shown = {0};
    for (size_t i = 0; i < verdict->judged_count; i++) {
        size_t cells = strlen(verdict->judged[i].rule);
        beside = cells > beside ? cells : beside;
    }
    if (width > 0) {
        most = width > COMMAND_CELLS_MIN + BESIDE_CELLS + beside ? width - BESIDE_CELLS - beside : COMMAND_CELLS_MIN;
    }
    size_t widest = decision ? add_found(listing, &shown, THE_DECISION, most) : 0;
    for (size_t i = 0; i < verdict->judged_count; i++) {
        xylem_cli__text_clear(&shown);
        size_t cells = verdict->judged[i].depth * 2 + add_found(listing, &shown, i, most);
        widest = cells > widest ? cells : widest;
    }
    xylem_cli__text_release(&shown);
    widest = widest > COMMAND_CELLS_MIN ? widest : COMMAND_CELLS_MIN;
    return widest < most ? widest : most;
}

/*
 * True if the deciding part is not one of the found commands: a function, a redirection without a command, arithmetic,
 * or text that was not understood. The list then has a row for the deciding part.
 */
static bool is_decision_missing(const struct xylem_verdict *verdict)
{
    for (size_t i = 0; i < verdict->judged_count; i++) {
        if (verdict->judged[i].decision != XYLEM_ALLOW && strcmp(verdict->judged[i].rule, verdict->rule) == 0) {
            return false;
        }
    }
    return verdict->decision != XYLEM_ALLOW && verdict->bytes > 0;
}

static void add_explanation(const struct xylem_cli *cli, struct xylem_cli__text *text,
                            const struct xylem_verdict *verdict, struct xylem_view command)
{
    struct listing listing = {.cli = cli, .text = text, .command = command, .verdict = verdict};
    bool missing = is_decision_missing(verdict);
    if (command.bytes > 0) {
        xylem_cli__add(text, "\n");
        xylem_cli__add_underlined(cli, text, command, verdict->offset, verdict->bytes,
                                  xylem_cli__decision_color(verdict->decision));
    }
    listing.cells = found_cells(&listing, missing);
    xylem_cli__add(text, missing || verdict->judged_count > 0 ? "\n" : "");
    for (size_t i = 0; i <= verdict->judged_count; i++) {
        const struct xylem_judged *judged = i < verdict->judged_count ? &verdict->judged[i] : NULL;
        if (missing && (!judged || judged->offset > verdict->offset)) {
            add_line(&listing, verdict->decision, verdict->rule, 0, THE_DECISION);
            missing = false;
        }
        if (judged) {
            add_line(&listing, judged->decision, judged->rule, judged->depth, i);
        }
    }
    for (size_t i = 0; i < verdict->git_directory_count; i++) {
        xylem_cli__addf(text, "%sgit would run in ", i == 0 ? "\n" : "");
        xylem_cli__add_shown(cli, text, xylem_base__buffer_view(&verdict->git_directories[i]), XYLEM_CLI__EXACT,
                             SIZE_MAX);
        xylem_cli__add(text, "\n");
    }
    if (verdict->git_directory_unknown) {
        xylem_cli__add(text, verdict->git_directory_count == 0 ? "\n" : "");
        xylem_cli__add(text, "git would run in a directory that is not known\n");
    }
}

/* --- For programs ----------------------------------------------------------------------------------------------- */

static void json_view(struct xylem_cli__text *text, const char *key, const struct xylem_buffer *bytes)
{
    xylem_cli__member_string(text, key, (struct xylem_view){bytes->data ? bytes->data : "", bytes->bytes});
}

static void json_decision(struct xylem_cli__text *text, enum xylem_decision decision, const char *rule)
{
    xylem_cli__member_string(text, "verdict", xylem_view_of(xylem_cli__decision_word(decision)));
    xylem_cli__member_string(text, "rule", xylem_view_of(rule));
}

static void json_span(struct xylem_cli__text *text, size_t offset, size_t bytes)
{
    xylem_cli__member_count(text, "offset", offset);
    xylem_cli__member_count(text, "bytes", bytes);
}

static void json_verdict(struct xylem_cli__text *text, const struct xylem_verdict *verdict, const char *policy)
{
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "policy", xylem_view_of(policy));
    json_decision(text, verdict->decision, verdict->rule);
    json_view(text, "reason", &verdict->reason);
    json_span(text, verdict->offset, verdict->bytes);
    xylem_cli__member_begin(text, "judged", '[');
    for (size_t i = 0; i < verdict->judged_count; i++) {
        const struct xylem_judged *judged = &verdict->judged[i];
        xylem_cli__json_begin(text, '{');
        json_view(text, "name", &judged->name);
        json_decision(text, judged->decision, judged->rule);
        json_span(text, judged->offset, judged->bytes);
        xylem_cli__member_count(text, "depth", judged->depth);
        xylem_cli__json_end(text, '}');
    }
    xylem_cli__json_end(text, ']');
    xylem_cli__member_begin(text, "git_directories", '[');
    for (size_t i = 0; i < verdict->git_directory_count; i++) {
        xylem_cli__json_string(text, xylem_base__buffer_view(&verdict->git_directories[i]));
    }
    xylem_cli__json_end(text, ']');
    xylem_cli__member_bool(text, "git_directory_unknown", verdict->git_directory_unknown);
    xylem_cli__json_end(text, '}');
}

/* --- Judging ---------------------------------------------------------------------------------------------------- */

static int judge_one(struct xylem_cli *cli, struct xylem_policy *policy, struct xylem_view command,
                     const struct judge_options *given)
{
    struct xylem_verdict verdict = {0};
    struct xylem_cli__text text = {0};
    int code = xylem_policy_judge(&verdict, policy, command, given->cwd, &cli->err);
    if (code == 0 && given->json) {
        json_verdict(&text, &verdict, policies[given->policy == 0 ? 0 : given->policy - 1]);
    } else if (code == 0) {
        xylem_cli__add_colored(cli, &text, xylem_view_of(xylem_cli__decision_word(verdict.decision)),
                               xylem_cli__decision_color(verdict.decision));
        xylem_cli__add(&text, ": ");
        xylem_cli__add_shown(cli, &text, xylem_base__buffer_view(&verdict.reason), XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(&text, "\n");
        if (given->explain) {
            add_explanation(cli, &text, &verdict, command);
        }
    }
    if (code == 0 && given->why) {
        code = xylem_cli__why(cli, &text, policy, given->config, &verdict, command);
    }
    if (code == 0 && (code = xylem_cli__put_output(cli, &text, given->json)) == 0) {
        code = xylem_cli__decision_exit(verdict.decision);
    }
    xylem_verdict_release(&verdict);
    return code;
}

/* Reads the next line without the newline, cut at the length limit. False at the end. */
static bool read_line(struct xylem_cli__text *line)
{
    int c = getc_unlocked(stdin);
    bool found = c != EOF;
    xylem_cli__text_clear(line);
    for (; c != EOF && c != '\n'; c = getc_unlocked(stdin)) {
        if (line->bytes.bytes <= XYLEM_HOOK_BYTES_MAX) {
            char byte = (char)c;
            xylem_cli__add_bytes(line, &byte, 1);
        }
    }
    return found;
}

static int judge_lines(struct xylem_cli *cli, const struct xylem_policy *policy, const char *cwd)
{
    struct xylem_cli__text line = {0};
    struct xylem_cli__text answer = {0};
    int code = 0;
    while (code == 0 && read_line(&line)) {
        code = line.failed ? xylem_cli__fail_memory(cli)
                           : xylem_policy_answer(&answer.bytes, policy, xylem_cli__text_view(&line), cwd, &cli->err);
        if (code == 0 && (code = xylem_cli__put_json(cli, &answer)) == 0) {
            code = xylem_cli__flush(cli);
        }
    }
    if (code == 0 && ferror(stdin)) {
        code = xylem_cli__fail(cli, XYLEM_E_IO, "standard input cannot be read: %s", strerror(errno));
    }
    xylem_cli__text_release(&line);
    xylem_cli__text_release(&answer);
    return code;
}

static int check(struct xylem_cli *cli, const char *command, const struct judge_options *given)
{
    if (given->tables && (command || given->policy != 0 || given->config || given->cwd || given->json ||
                          given->explain || given->jsonl || given->why || given->learn)) {
        return xylem_cli__usage(cli, "--tables stands alone");
    }
    if (given->learn && (command || given->policy != 0 || given->cwd || given->explain || given->jsonl || given->why)) {
        return xylem_cli__usage(cli, "--learn takes --config and --json alone: each line of LOG has its policy");
    }
    if (given->why && (given->json || given->jsonl)) {
        return xylem_cli__usage(cli, "--json%s and --why cannot be combined", given->json ? "" : "l");
    }
    if (given->jsonl && (given->json || given->explain)) {
        return xylem_cli__usage(cli, "--jsonl and --%s cannot be combined", given->json ? "json" : "explain");
    }
    if (given->json && given->explain) {
        return xylem_cli__usage(cli, "--json and --explain cannot be combined: --json has all that --explain shows");
    }
    if (given->jsonl && command) {
        return xylem_cli__usage(cli, "--jsonl reads commands from standard input: expected no COMMAND");
    }
    if (!given->jsonl && !given->tables && !given->learn && !command) {
        return xylem_cli__usage(cli, "an argument is missing: xylem judge COMMAND");
    }
    if (given->cwd && *given->cwd != '/') {
        return xylem_cli__usage(cli, "--cwd takes an absolute path, not '%s'", given->cwd);
    }
    return 0;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct judge_options *given = options;
    enum xylem_policy_type type =
        given->policy == 0 ? XYLEM_POLICY_READONLY : (enum xylem_policy_type)(given->policy - 1);
    struct xylem_policy *policy = NULL;
    struct xylem_cli__text text = {0};
    int code = check(cli, arguments[0], given);
    if (code == 0 && given->tables) {
        xylem_cli__pager_start(cli);
        code = xylem_policy_tables(&text.bytes, &cli->err);
        code = code < 0 ? code : xylem_cli__put_unbroken(cli, &text); /* the lines are broken already */
    } else if (code == 0 && given->learn) {
        code = xylem_cli__learn(cli, policies, given->config, given->learn, given->json);
    } else if (code == 0 && (code = xylem_cli__policy_read(cli, &policy, type, given->config)) == 0) {
        bool reads = !given->jsonl && strcmp(arguments[0], "-") == 0; /* the command comes from standard input */
        code = reads
                   ? xylem_cli__read_all(cli, &text, STDIN_FILENO, XYLEM_COMMAND_BYTES_MAX + 1u, true, "standard input")
                   : 0;
        struct xylem_view command = reads ? xylem_cli__text_view(&text) : xylem_view_of(arguments[0]);
        code = code != 0      ? code
               : given->jsonl ? judge_lines(cli, policy, given->cwd)
                              : judge_one(cli, policy, command, given);
    }
    xylem_cli__text_release(&text);
    xylem_policy_free(policy);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_judge = {
    .name = "judge",
    .group = XYLEM_CLI__KEEP,
    .summary = "Say what a policy answers to a shell command",
    .usage = "[--policy readonly|strict|confirm] [--config FILE] [--cwd DIR] [--json|--explain] [--why] "
             "COMMAND|-|--jsonl|--tables|--learn LOG",
    .details =
        "COMMAND is one argument, so quote it: xylem judge 'ls -la | head'. - reads the command from standard\n"
        "input. Nothing is run, and no file that the command names is read. Exit codes: 0 allow, 1 deny, 8 ask;\n"
        "with --jsonl always 0.\n",
    .options = judge_table,
    .options_bytes = sizeof(struct judge_options),
    .arguments_max = 1,
    .run = run,
};
