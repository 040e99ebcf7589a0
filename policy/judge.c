/* A policy, a verdict, and how a rule refuses. */
#include "policy/judge.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "policy/engine.h"
#include "policy/name_pattern.h"
#include "policy/words.h"

/* How often a command is judged that may be no command at all: guesses within guesses are many. */
#define GUESSES_MAX 16u

static const struct xylem_policy__rules *const rules_of_type[] = {
    [XYLEM_POLICY_READONLY] = &xylem_policy__rules_readonly,
    [XYLEM_POLICY_STRICT] = &xylem_policy__rules_strict,
    [XYLEM_POLICY_CONFIRM] = &xylem_policy__rules_confirm,
};

const char *xylem_policy__decision_word(enum xylem_decision decision)
{
    return decision == XYLEM_ALLOW ? "allow" : decision == XYLEM_ASK ? "ask" : "deny";
}

bool xylem_policy__names_hold(const struct xylem_policy__names *names, struct xylem_view name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (xylem_base__view_is(name, names->names[i])) {
            return true;
        }
    }
    return false;
}

static void names_release(struct xylem_policy__names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->names[i]);
    }
    free(names->names);
}

/* Copies a list; what is missing in it is the caller's mistake. */
static int names_copy(struct xylem_policy__names *names, const char *const *list, size_t count, const char *what,
                      struct xylem_error *err)
{
    if (list == NULL) {
        return count == 0 ? 0 : xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: a list of %zu names is NULL", what, count);
    }
    names->names = calloc(count == 0 ? 1 : count, sizeof *names->names);
    if (names->names == NULL) {
        return xylem_base__fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        if (list[i] == NULL || list[i][0] == '\0') {
            return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: name %zu is empty", what, i + 1);
        }
        names->names[i] = strdup(list[i]);
        if (names->names[i] == NULL) {
            return xylem_base__fail_memory(err);
        }
        names->count++;
    }
    return 0;
}

/* Absolute, and free of components that lead elsewhere. */
static bool plain_directory(const char *path)
{
    bool below_root = false;

    if (path[0] != '/') {
        return false;
    }
    for (const char *at = path; at != NULL; at = strchr(at + 1, '/')) {
        size_t bytes = strcspn(at + 1, "/");
        if (bytes == 2 && memcmp(at + 1, "..", 2) == 0) {
            return false;
        }
        below_root |= bytes > 1 || (bytes == 1 && at[1] != '.');
    }
    return below_root;
}

static int check_config(const struct xylem_policy_config *config, struct xylem_error *err)
{
    bool strict = config->type == XYLEM_POLICY_STRICT;
    bool for_strict = config->allowed_commands != NULL || config->git_readonly_subcommands != NULL ||
                      config->wrapper_commands != NULL || config->command_directories != NULL ||
                      config->allow_output_redirections || config->git_local_writes;

    if ((unsigned)config->type >= sizeof rules_of_type / sizeof rules_of_type[0]) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "there is no policy of the type %d", (int)config->type);
    }
    if (for_strict && !strict) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the policy '%s' takes no options of 'strict'",
                                rules_of_type[config->type]->name);
    }
    if (config->temp_writes == NULL) {
        return 0;
    }
    if (config->type != XYLEM_POLICY_READONLY) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "the policy '%s' takes no temp_writes",
                                rules_of_type[config->type]->name);
    }
    if (!plain_directory(config->temp_writes)) {
        return xylem_base__fail(
            err, XYLEM_E_ARGUMENT,
            "temp_writes: expected an absolute path of a directory below /, without '..', found '%s'",
            config->temp_writes);
    }
    return 0;
}

static int copy_lists(struct xylem_policy *policy, const struct xylem_policy_config *config, struct xylem_error *err)
{
    int code = names_copy(&policy->allowed_commands, config->allowed_commands, config->allowed_command_count,
                          "allowed_commands", err);

    code = code != 0 ? code
                     : names_copy(&policy->git_readonly_subcommands, config->git_readonly_subcommands,
                                  config->git_readonly_subcommand_count, "git_readonly_subcommands", err);
    code = code != 0 ? code
                     : names_copy(&policy->wrapper_commands, config->wrapper_commands, config->wrapper_command_count,
                                  "wrapper_commands", err);
    code = code != 0 ? code
                     : names_copy(&policy->command_directories, config->command_directories,
                                  config->command_directory_count, "command_directories", err);
    for (size_t i = 0; code == 0 && i < policy->command_directories.count; i++) {
        if (!plain_directory(policy->command_directories.names[i])) {
            code = xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                    "command_directories: expected an absolute path without '..', found '%s'",
                                    policy->command_directories.names[i]);
        }
    }
    return code;
}

int xylem_policy_new(struct xylem_policy **policy, const struct xylem_policy_config *config, struct xylem_error *err)
{
    const struct xylem_policy_config none = {0};

    config = config == NULL ? &none : config;
    if (policy == NULL) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a place for the policy is missing");
    }
    int code = check_config(config, err);
    if (code != 0) {
        return code;
    }
    struct xylem_policy *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return xylem_base__fail_memory(err);
    }
    made->type = config->type;
    made->rules = rules_of_type[config->type];
    made->allow_output_redirections = config->allow_output_redirections;
    made->git_local_writes = config->git_local_writes;
    code = copy_lists(made, config, err);
    if (code == 0 && config->temp_writes != NULL) {
        made->temp_writes = strdup(config->temp_writes);
        code = made->temp_writes == NULL ? xylem_base__fail_memory(err) : 0;
    }
    if (code != 0) {
        xylem_policy_free(made);
        return code;
    }
    *policy = made;
    return 0;
}

void xylem_policy_free(struct xylem_policy *policy)
{
    if (policy == NULL) {
        return;
    }
    names_release(&policy->allowed_commands);
    names_release(&policy->git_readonly_subcommands);
    names_release(&policy->wrapper_commands);
    names_release(&policy->command_directories);
    free(policy->temp_writes);
    free(policy);
}

/* Empties it, but keeps the memory of its lists. */
static void verdict_clear(struct xylem_verdict *verdict)
{
    for (size_t i = 0; i < verdict->judged_count; i++) {
        xylem_buffer_release(&verdict->judged[i].name);
    }
    for (size_t i = 0; i < verdict->git_directory_count; i++) {
        xylem_buffer_release(&verdict->git_directories[i]);
    }
    xylem_base__buffer_clear(&verdict->reason);
    verdict->judged_count = 0;
    verdict->git_directory_count = 0;
    verdict->git_directory_unknown = false;
    verdict->offset = 0;
    verdict->bytes = 0;
    verdict->decision = XYLEM_DENY;
    verdict->rule = "failed";
}

void xylem_verdict_release(struct xylem_verdict *verdict)
{
    if (verdict == NULL) {
        return;
    }
    verdict_clear(verdict);
    free(verdict->judged);
    free(verdict->git_directories);
    xylem_buffer_release(&verdict->reason);
    *verdict = (struct xylem_verdict){0};
}

const struct xylem_policy *xylem_policy__of(const struct xylem_policy__judge *judge)
{
    return judge->policy;
}

bool xylem_policy__elsewhere(const struct xylem_policy__judge *judge)
{
    return judge->elsewhere;
}

struct xylem_policy__arena *xylem_policy__arena_of(struct xylem_policy__judge *judge)
{
    return &judge->arena;
}

const struct xylem_policy__word *const *xylem_policy__values(const struct xylem_policy__judge *judge, size_t *count)
{
    *count = judge->value_count;
    return judge->values;
}

size_t *xylem_policy__values_seen(struct xylem_policy__judge *judge, unsigned search)
{
    return &judge->values_seen[search];
}

bool xylem_policy__value_set(const struct xylem_policy__judge *judge, struct xylem_policy__word *value)
{
    if (judge->value_set == NULL) {
        return false;
    }
    *value = *judge->value_set;
    if (judge->value_behind_name) {
        (void)xylem_policy__view_behind(&value->text, value->text, '=');
    }
    return true;
}

bool xylem_policy__value_partial(const struct xylem_policy__judge *judge)
{
    return judge->value_partial;
}

static bool lies_in(struct xylem_view inner, struct xylem_view outer)
{
    uintptr_t at = (uintptr_t)inner.data;
    uintptr_t begin = (uintptr_t)outer.data;

    return inner.data != NULL && outer.data != NULL && at >= begin && at <= begin + outer.bytes;
}

/* The unescaped part of the frame's text in whose copy it lies, or NULL. */
static const struct xylem_policy__text *unescaped_around(const struct xylem_policy__frame *frame, struct xylem_view at)
{
    size_t low = 0;
    size_t high = frame->unescaped_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct xylem_policy__text *text = frame->unescaped[middle];
        if (lies_in(at, text->copy)) {
            return text;
        }
        if ((uintptr_t)at.data < (uintptr_t)text->copy.data) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

/* Where it stands in the command itself: what comes from inner texts is where those stand. */
static struct xylem_view outermost(const struct xylem_policy__judge *judge, struct xylem_view at)
{
    const struct xylem_policy__frame *frame = judge->frame;

    while (frame != NULL) {
        if (!lies_in(at, frame->text)) {
            const struct xylem_policy__text *text = unescaped_around(frame, at);
            if (text != NULL) {
                at = text->at;
                continue;
            }
            if (frame->outer == NULL) {
                break;
            }
            frame = frame->outer;
            continue;
        }
        if (frame->outer == NULL) {
            return at;
        }
        at = frame->at;
        frame = frame->outer;
    }
    return (struct xylem_view){NULL, 0};
}

/* An offset and a length in the command, 0 and 0 for what stands nowhere in it. */
static void locate(const struct xylem_policy__judge *judge, struct xylem_view at, size_t *offset, size_t *bytes)
{
    const struct xylem_policy__frame *frame = judge->frame;

    while (frame != NULL && frame->outer != NULL) {
        frame = frame->outer;
    }
    struct xylem_view found = outermost(judge, at);
    *offset = found.data == NULL ? 0 : (size_t)(found.data - frame->text.data);
    *bytes = found.data == NULL ? 0 : found.bytes;
}

void xylem_policy__refuse_record(struct xylem_policy__judge *judge, size_t record, const char *rule)
{
    struct xylem_judged *judged = &judge->verdict->judged[record - 1];

    if (judged->decision == XYLEM_ALLOW) {
        judged->decision = judge->policy->rules->refusal;
        judged->rule = rule;
    }
}

bool xylem_policy__refuse(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule, const char *format,
                          ...)
{
    struct xylem_verdict *verdict = judge->verdict;
    struct xylem_error line;
    va_list arguments;

    if (judge->current > 0) {
        xylem_policy__refuse_record(judge, judge->current, rule);
    } else {
        judge->refused_outside = rule;
    }
    if (judge->refusal_count++ > 0) {
        return false;
    }
    verdict->decision = judge->policy->rules->refusal;
    verdict->rule = rule;
    locate(judge, at, &verdict->offset, &verdict->bytes);
    char text[XYLEM_ERROR_TEXT_BYTES];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    xylem_base__fail(&line, XYLEM_OK, "%s", text); /* escapes what comes from the command */
    judge->failed |= xylem_base__buffer_add_text(&verdict->reason, line.text) != 0;
    return false;
}

bool xylem_policy__undecided(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule, const char *why)
{
    bool passed = judge->policy->rules->undecided(judge, at, rule, why);

    judge->unread |= passed;
    return passed;
}

/* A record of the command, which is allowed until a rule refuses it. */
static bool add_judged(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    struct xylem_verdict *verdict = judge->verdict;
    void *moved = xylem_base__with_room(verdict->judged, &verdict->judged_capacity, verdict->judged_count,
                                        sizeof *verdict->judged);

    if (moved == NULL) {
        judge->failed = true;
        return false;
    }
    verdict->judged = moved;
    struct xylem_judged *judged = &verdict->judged[verdict->judged_count];
    *judged = (struct xylem_judged){.decision = XYLEM_ALLOW, .rule = "allowed", .depth = judge->depth};
    locate(judge, command->raw, &judged->offset, &judged->bytes);
    if (command->name.bytes > 0 && xylem_buffer_add(&judged->name, command->name.data, command->name.bytes) != 0) {
        judge->failed = true;
        return false;
    }
    verdict->judged_count++;
    judge->current = verdict->judged_count;
    return true;
}

struct xylem_view xylem_policy__span_of(const struct xylem_policy__word *const *words, size_t count)
{
    struct xylem_view raw = words[0]->raw;

    for (size_t i = count; i-- > 1;) {
        struct xylem_view last = words[i]->raw;
        if (last.data > raw.data) {
            raw.bytes = (size_t)(last.data - raw.data) + last.bytes;
            break;
        }
    }
    return raw;
}

static bool judge_named(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    bool passed = judge->policy->rules->command(judge, command);
    passed &= xylem_policy__judge_builtin(judge, command);
    passed &= xylem_policy__judge_wrapped(judge, command);
    return passed;
}

/*
 * The name is not literal. A policy that lets pass what it does not name looks at what it may become; where its last
 * component is known that is all that it goes by. Otherwise it is not decidable.
 */
static bool judge_unnamed(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    const struct xylem_policy__table_row *row = judge->policy->rules->programs;
    struct xylem_policy__command named = *command;
    struct xylem_view found;

    named.name = xylem_policy__known_basename(command->words[0]);
    if (row != NULL && named.name.bytes > 0) {
        return judge_named(judge, &named);
    }
    for (; row != NULL && row->names != NULL; row++) {
        if (xylem_policy__may_be_named(&found, command->words[0], row->names)) {
            return xylem_policy__refuse(judge, command->words[0]->raw, "not-decidable",
                                        "write the program's name out: it is not literal, and may be %.*s",
                                        (int)found.bytes, found.data);
        }
    }
    bool from_input = command->appended && command->words[0]->parts == NULL; /* xargs puts the name there */
    return xylem_policy__undecided(judge, command->raw, "not-decidable",
                                   "write the program's name out: it is not literal") &&
           (!from_input || xylem_policy__input_undecided(judge));
}

static bool judge_command(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    const struct xylem_policy__word *first = command->words[0];

    if (!first->literal) {
        return judge_unnamed(judge, command);
    }
    bool passed = judge_named(judge, command);
    struct xylem_policy__place here = judge->place;
    xylem_policy__place_follow(judge, command);
    if (command->behind_wrapper) { /* `command cd` changes it, `env cd` does not */
        xylem_policy__place_join(&judge->place, &here);
    }
    return passed;
}

bool xylem_policy__judge_words(struct xylem_policy__judge *judge, const struct xylem_policy__command *outer,
                               const struct xylem_policy__word *const *words, size_t count, bool appended)
{
    size_t before = judge->current;
    struct xylem_policy__command command = {
        .words = words, .count = count, .node = outer->node, .raw = outer->raw, .behind_wrapper = true};

    if (count == 0) {
        return true;
    }
    if (judge->wrapper_depth >= XYLEM_COMMAND_NESTING_MAX) {
        return xylem_policy__undecided(judge, words[0]->raw, "not-decidable", "commands nest too deep");
    }
    if (outer->words != NULL) {
        command.raw = xylem_policy__span_of(words, count);
    } else {
        command.behind_wrapper = false;
    }
    command.appended = appended || outer->appended;
    if (words[0]->literal) {
        command.name = xylem_policy__basename(words[0]->text);
    }
    judge->wrapper_depth += command.behind_wrapper;
    judge->depth += command.behind_wrapper;
    bool passed = add_judged(judge, &command) && judge_command(judge, &command);
    judge->wrapper_depth -= command.behind_wrapper;
    judge->depth -= command.behind_wrapper;
    judge->current = before;
    return passed;
}

bool xylem_policy__may_guess(struct xylem_policy__judge *judge)
{
    return judge->guess_count++ < GUESSES_MAX;
}

bool xylem_policy__judge_code(struct xylem_policy__judge *judge, const struct xylem_policy__word *word,
                              const char *rule)
{
    size_t refusals = judge->refusal_count;

    if (!word->literal) {
        return xylem_policy__undecided(judge, word->raw, rule, "write the code out: it is not literal");
    }
    if (judge->code_depth >= XYLEM_COMMAND_NESTING_MAX) {
        return xylem_policy__undecided(judge, word->raw, rule, "code nests too deep");
    }
    judge->code_depth++;
    judge->depth++;
    xylem_policy__judge_text(judge, word->text, word->raw);
    judge->code_depth--;
    judge->depth--;
    return judge->refusal_count == refusals;
}

int xylem_policy_judge(struct xylem_verdict *verdict, const struct xylem_policy *policy, struct xylem_view command,
                       const char *cwd, struct xylem_error *err)
{
    struct xylem_policy__judge judge = {.policy = policy, .verdict = verdict};

    if (verdict != NULL) {
        verdict_clear(verdict);
    }
    if (verdict == NULL || policy == NULL || (command.data == NULL && command.bytes > 0)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a place for the verdict, a policy and a command are needed");
    }
    if (cwd != NULL && cwd[0] != '/') {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "cwd: expected an absolute path, found '%s'", cwd);
    }
    xylem_policy__place_start(&judge, cwd);
    xylem_policy__judge_text(&judge, command, command);
    judge.failed |= judge.arena.failed;
    xylem_policy__arena_release(&judge.arena);
    free(judge.values);
    if (!judge.failed && judge.refusal_count == 0) {
        verdict->decision = XYLEM_ALLOW;
        verdict->rule = "allowed";
        judge.failed |= xylem_base__buffer_add_text(&verdict->reason,
                                                    judge.unread ? "nothing in it is refused, as far as it can be read"
                                                                 : "nothing in it is refused") != 0;
    }
    if (judge.failed) {
        verdict_clear(verdict);
        return xylem_base__fail_memory(err);
    }
    return 0;
}
