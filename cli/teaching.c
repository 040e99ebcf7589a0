#include "cli/teaching.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/json.h"

/* --- The parts of a verdict --------------------------------------------------------------------------------------- */

/* A refused part of a command, and the rule that would allow the part; without a rule, the reason why no rule can. */
struct finding {
    struct xylem_view part;
    struct xylem_view rule;
    struct xylem_view note;
};

typedef int (*see_finding)(void *context, const struct finding *finding);

/* True if the rule begins with the program of the part: the part is the command itself, and not the word around it. */
static bool names_program(struct xylem_view rule, struct xylem_view program)
{
    const char *space = rule.bytes > 0 ? memchr(rule.data, ' ', rule.bytes) : NULL;
    struct xylem_view first = {rule.data, space ? (size_t)(space - rule.data) : rule.bytes};
    if (program.bytes == 0 || first.bytes < program.bytes) {
        return false;
    }
    const char *end = first.data + first.bytes - program.bytes;
    return memcmp(end, program.data, program.bytes) == 0 && (first.bytes == program.bytes || end[-1] == '/');
}

#define PARTS_MAX 100u /* of one command; a person reads no more */

/* True if the command before has the same text refused already. */
static bool is_repeated(const struct xylem_verdict *verdict, size_t i, struct xylem_view command)
{
    const struct xylem_judged *judged = &verdict->judged[i];
    const struct xylem_judged *other = verdict->judged;
    while (other < judged &&
           (other->decision == XYLEM_ALLOW || other->bytes != judged->bytes ||
            memcmp(command.data + other->offset, command.data + judged->offset, judged->bytes) != 0)) {
        other++;
    }
    return other < judged;
}

/* Sees each refused command; and what decided, if that is no command: a function, or a text that was not understood. */
static int each_refused(struct xylem_cli *cli, struct xylem_policy *policy, const struct xylem_verdict *verdict,
                        struct xylem_view command, see_finding see, void *context)
{
    struct xylem_buffer rule = {0};
    struct xylem_buffer note = {0};
    bool seen = verdict->decision == XYLEM_ALLOW;
    size_t parts = 0;
    int code = 0;
    for (size_t i = 0; code >= 0 && i < verdict->judged_count; i++) {
        const struct xylem_judged *judged = &verdict->judged[i];
        struct finding found = {.part = {command.data + judged->offset, judged->bytes}};
        if (judged->decision == XYLEM_ALLOW || parts == PARTS_MAX || is_repeated(verdict, i, command)) {
            continue;
        }
        parts++;
        seen |= strcmp(judged->rule, verdict->rule) == 0;
        code = xylem_policy_propose(&rule, &note, policy, found.part, &cli->err);
        found.note = xylem_base__buffer_view(&note);
        if (code > 0 && names_program(xylem_base__buffer_view(&rule), xylem_base__buffer_view(&judged->name))) {
            found.rule = xylem_base__buffer_view(&rule);
        } else if (code > 0) {
            found.note = xylem_view_of("the command stands in a word of another command");
        }
        code = code < 0 ? code : see(context, &found);
    }
    struct finding decided = {.part = {command.data + verdict->offset, verdict->bytes},
                              .note = xylem_base__buffer_view(&verdict->reason)};
    code = code < 0 || seen ? code : see(context, &decided);
    xylem_buffer_release(&rule);
    xylem_buffer_release(&note);
    return code;
}

/* What a rule allows besides the part; or why there is none. */
static struct xylem_view meaning_of(struct xylem_view rule, struct xylem_view note)
{
    bool broad = rule.bytes > 3 && memcmp(rule.data + rule.bytes - 3, " **", 3) == 0;
    return rule.bytes == 0 ? note
           : broad ? xylem_view_of("any words behind, but none that a table knows to change or to run something")
                   : xylem_view_of("exactly these words");
}

/* --- Why ---------------------------------------------------------------------------------------------------------- */

struct why {
    struct xylem_cli *cli;
    struct xylem_cli__text *text;
    struct xylem_cli__text rules; /* JSON: the rules that help */
    struct xylem_policy *policy;  /* learns them */
};

static void add_label(struct why *why, const char *label, struct xylem_view value)
{
    xylem_cli__add(why->text, "  ");
    xylem_cli__add_column(why->cli, why->text, xylem_view_of(label), 10, XYLEM_CLI__DIM);
    xylem_cli__add_shown(why->cli, why->text, value, XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(why->text, "\n");
}

static int see_why(void *context, const struct finding *found)
{
    struct why *why = context;
    add_label(why, "part", found->part);
    add_label(why, found->rule.bytes > 0 ? "allows" : "no rule", meaning_of(found->rule, found->note));
    if (found->rule.bytes > 0) {
        xylem_cli__json_string(&why->rules, found->rule);
    }
    return found->rule.bytes > 0 ? xylem_policy_teach(why->policy, XYLEM_ALLOW, found->rule.data, &why->cli->err) : 0;
}

int xylem_cli__why(struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_policy *policy, const char *config,
                   const struct xylem_verdict *verdict, struct xylem_view command)
{
    struct xylem_verdict after = {0};
    struct why why = {.cli = cli, .text = text, .policy = policy};
    struct xylem_cli__text line = {0};
    bool allowed = verdict->decision == XYLEM_ALLOW;
    bool taught = strcmp(verdict->rule, "taught") == 0;
    xylem_cli__addf(&line, "%s%s%s",
                    allowed && !taught ? "no rule, built in or yours"
                    : taught           ? "a rule in "
                                       : "the rule ",
                    taught    ? config
                    : allowed ? ""
                              : verdict->rule,
                    taught || allowed ? "" : ", built in: see xylem judge --tables");
    add_label(&why, "by", xylem_cli__text_view(&line));
    int code = each_refused(cli, policy, verdict, command, see_why, &why);
    xylem_cli__text_clear(&line);
    xylem_cli__add_bytes(&line, command.data, command.bytes);
    if (allowed && !line.failed && xylem_policy_teach(policy, XYLEM_DENY, line.bytes.data, NULL) == 0) {
        xylem_cli__json_string(&why.rules, command);
    }
    code = code < 0 ? code : xylem_policy_judge(&after, policy, command, NULL, &cli->err);
    bool helps = allowed || after.decision == XYLEM_ALLOW;
    if (code >= 0 && why.rules.bytes.bytes > 0 && (code = xylem_cli__put(cli, text)) == 0) {
        xylem_cli__text_clear(&line);
        xylem_cli__addf(&line, "{\"%s\": [%s]}", allowed ? "deny" : "allow", why.rules.bytes.data);
        add_label(&why, allowed ? "to deny" : helps ? "to allow" : "in part", xylem_cli__text_view(&line));
        code = xylem_cli__put_unbroken(cli, text); /* a person copies the line */
        if (!helps) {
            add_label(&why, "left", xylem_base__buffer_view(&after.reason));
        }
    }
    xylem_verdict_release(&after);
    xylem_cli__part_end(text, &line);
    xylem_cli__part_end(text, &why.rules);
    return code < 0 ? code : 0;
}

/* --- Learn -------------------------------------------------------------------------------------------------------- */

/* Asks with the same rule, or with the same reason why no rule can. */
struct group {
    struct xylem_cli__text part; /* the first */
    struct xylem_cli__text rule; /* empty: no rule can, and `note` has the reason */
    struct xylem_cli__text note;
    uint64_t asked;
    uint64_t yes;
    uint64_t no;
    uint64_t unanswered; /* nobody could be asked */
};

#define GROUPS_MAX 10000u /* each part is compared with all groups */

struct learning {
    struct xylem_cli *cli;
    const char *config;
    struct xylem_policy *judges[XYLEM_POLICY_CONFIRM + 1]; /* of each policy that the log names */
    struct group *groups;
    size_t group_count;
    size_t group_capacity;
    uint64_t asks;
    uint64_t allowed; /* asks that the policy allows today */
    uint64_t bad;     /* lines */
    struct xylem_view answer;
};

static struct group *group_of(struct learning *learning, const struct finding *found)
{
    struct group made = {0};
    for (size_t i = 0; i < learning->group_count; i++) {
        struct group *group = &learning->groups[i];
        if (xylem_base__view_equal(xylem_cli__text_view(&group->rule), found->rule) &&
            xylem_base__view_equal(xylem_cli__text_view(&group->note), found->note)) {
            return group;
        }
    }
    if (learning->group_count == GROUPS_MAX) {
        (void)xylem_cli__fail(learning->cli, XYLEM_E_LIMIT, "the log has more than %u different asks: cut the log",
                              GROUPS_MAX);
        return NULL;
    }
    if (xylem_cli__list_add(learning->cli, &learning->groups, &learning->group_count, &learning->group_capacity, &made,
                            sizeof made) < 0) {
        return NULL;
    }
    struct group *group = &learning->groups[learning->group_count - 1];
    xylem_cli__add_bytes(&group->part, found->part.data, found->part.bytes);
    xylem_cli__add_bytes(&group->rule, found->rule.data, found->rule.bytes);
    xylem_cli__add_bytes(&group->note, found->note.data, found->note.bytes);
    bool failed = group->part.failed || group->rule.failed || group->note.failed;
    return failed && xylem_cli__fail_memory(learning->cli) < 0 ? NULL : group;
}

static int see_ask(void *context, const struct finding *found)
{
    struct learning *learning = context;
    struct group *group = group_of(learning, found);
    if (!group) {
        return learning->cli->err.code;
    }
    group->asked++;
    group->yes += xylem_base__view_is(learning->answer, "allow");
    group->no += xylem_base__view_is(learning->answer, "deny");
    group->unanswered += xylem_base__view_is(learning->answer, "none");
    return 0;
}

/* A member of a line that is a string; empty for null, and without the member. */
static struct xylem_view read_member(bool *bad, const struct xylem_value *map, const char *name)
{
    const struct xylem_value *member = xylem_base__value_member(map, (const char *const[]){name, NULL}, bad);
    bool nil = !member || xylem_value_type(member) == XYLEM_VALUE_NIL;
    *bad |= !nil && xylem_value_type(member) != XYLEM_VALUE_STRING;
    return nil ? xylem_view_of("") : xylem_value_string(member);
}

/* Judges the ask of a line anew. 0, also for a bad line, which is named, and for a line that is no ask. */
static int learn_line(struct learning *learning, struct xylem_base__tree *tree, struct xylem_view line,
                      const char *const *policies, const char *place)
{
    struct xylem_verdict verdict = {0};
    struct xylem_error why = {.text = "expected an object with the strings policy (readonly, strict or confirm), "
                                      "command and decision, and perhaps answer (allow, deny or none)"};
    int type = 0;
    int code = xylem_base__json_parse(tree, line, &why);
    bool bad = code < 0 || xylem_value_type(tree->nodes) != XYLEM_VALUE_MAP;
    const struct xylem_value *map = bad ? NULL : tree->nodes;
    struct xylem_view policy = read_member(&bad, map, "policy");
    struct xylem_view command = read_member(&bad, map, "command");
    struct xylem_view decision = read_member(&bad, map, "decision");
    struct xylem_view rule = read_member(&bad, map, "rule");
    learning->answer = read_member(&bad, map, "answer");
    bad |= learning->answer.bytes > 0 && !xylem_base__view_is(learning->answer, "allow") &&
           !xylem_base__view_is(learning->answer, "deny") && !xylem_base__view_is(learning->answer, "none");
    while (policies[type] && !xylem_base__view_is(policy, policies[type])) {
        type++;
    }
    if (bad || !policies[type]) {
        learning->bad++;
        xylem_cli__note(learning->cli, "%s is skipped: %s", place, why.text);
        return code == XYLEM_E_MEMORY ? xylem_cli__fail_memory(learning->cli) : 0;
    }
    if (!xylem_base__view_is(decision, "ask") || command.bytes == 0 || xylem_base__view_is(rule, "repository") ||
        xylem_base__view_is(rule, "tool")) {
        return 0; /* no rule changes the answer about a tool, or about a repository */
    }
    learning->asks++;
    struct xylem_policy **judge = &learning->judges[type];
    code = *judge ? 0 : xylem_cli__policy_read(learning->cli, judge, (enum xylem_policy_type)type, learning->config);
    code = code < 0 ? code : xylem_policy_judge(&verdict, *judge, command, NULL, &learning->cli->err);
    learning->allowed += code == 0 && verdict.decision == XYLEM_ALLOW;
    code = code < 0 ? code : each_refused(learning->cli, *judge, &verdict, command, see_ask, learning);
    xylem_verdict_release(&verdict);
    return code;
}

static bool is_proposed(const struct group *group)
{
    return group->rule.bytes.bytes > 0 && group->no == 0 && group->unanswered < group->asked;
}

static void add_group(const struct learning *learning, struct xylem_cli__text *text, const struct group *group)
{
    struct xylem_view rule = xylem_cli__text_view(&group->rule);
    xylem_cli__add(text, is_proposed(group) ? "  allow     " : "  not       ");
    xylem_cli__add_shown(learning->cli, text, rule.bytes > 0 ? rule : xylem_cli__text_view(&group->part),
                         XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(text, "\n            ");
    xylem_cli__add_counted(text, group->asked, "ask", "asks");
    xylem_cli__addf(text, ", %llu yes, %llu no; ", (unsigned long long)group->yes, (unsigned long long)group->no);
    xylem_cli__add_shown(learning->cli, text, meaning_of(rule, xylem_cli__text_view(&group->note)), XYLEM_CLI__ONE_LINE,
                         SIZE_MAX);
    xylem_cli__add(text, "\n");
}

static void group_json(struct xylem_cli__text *text, const struct group *group)
{
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_string(text, "part", xylem_cli__text_view(&group->part));
    bool helps = group->rule.bytes.bytes > 0;
    struct xylem_view none = {NULL, 0};
    xylem_cli__member_maybe(text, "rule", helps ? xylem_cli__text_view(&group->rule) : none);
    xylem_cli__member_maybe(text, "no_rule", helps ? none : xylem_cli__text_view(&group->note));
    xylem_cli__member_bool(text, "proposed", is_proposed(group));
    xylem_cli__member_count(text, "asked", group->asked);
    xylem_cli__member_count(text, "yes", group->yes);
    xylem_cli__member_count(text, "no", group->no);
    xylem_cli__json_end(text, '}');
}

static int put_learnt(struct learning *learning, bool json)
{
    struct xylem_cli__text text = {0};
    struct xylem_cli__text rules = {0};
    if (json) {
        xylem_cli__json_document(&text);
        xylem_cli__member_count(&text, "asks", learning->asks);
        xylem_cli__member_count(&text, "allowed", learning->allowed);
        xylem_cli__member_count(&text, "bad_lines", learning->bad);
        xylem_cli__member_begin(&text, "groups", '[');
    } else {
        xylem_cli__add_counted(&text, learning->asks, "ask", "asks");
        xylem_cli__addf(&text, ", %llu allowed by now", (unsigned long long)learning->allowed);
        xylem_cli__add_next_counted(&text, learning->bad, "line skipped", "lines skipped");
        xylem_cli__add(&text, "\n");
    }
    for (size_t i = 0; i < learning->group_count; i++) {
        struct group *group = &learning->groups[i];
        if (json) {
            group_json(&text, group);
        } else {
            add_group(learning, &text, group);
        }
        if (is_proposed(group)) {
            xylem_cli__json_string(&rules, xylem_cli__text_view(&group->rule));
        }
    }
    bool any = rules.bytes.bytes > 0;
    xylem_cli__addf(&text,
                    json  ? "],\"allow\":[%s]}"
                    : any ? "for your file:\n  {\"allow\": [%s]}\n"
                          : "%s",
                    any ? rules.bytes.data : "");
    xylem_cli__part_end(&text, &rules);
    return xylem_cli__put_output(learning->cli, &text, json);
}

int xylem_cli__learn(struct xylem_cli *cli, const char *const *policies, const char *config, const char *path,
                     bool json)
{
    struct learning learning = {.cli = cli, .config = config};
    struct xylem_base__tree tree;
    struct xylem_cli__text log = {0};
    struct xylem_cli__text place = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int code = fd >= 0 ? xylem_cli__read_all(cli, &log, fd, XYLEM_CLI__ASKS_BYTES_MAX, false, path)
                       : xylem_cli__fail(cli, errno == ENOENT || errno == ENOTDIR ? XYLEM_E_NOT_FOUND : XYLEM_E_IO,
                                         "%s cannot be read: %s", path, strerror(errno));
    xylem_base__tree_init(&tree);
    struct xylem_view left = xylem_cli__text_view(&log);
    for (unsigned long long number = 1; code == 0 && left.bytes > 0; number++) {
        const char *end = memchr(left.data, '\n', left.bytes);
        struct xylem_view line = {left.data, end ? (size_t)(end - left.data) : left.bytes};
        size_t bytes = line.bytes + (end ? 1 : 0);
        left = (struct xylem_view){left.data + bytes, left.bytes - bytes};
        xylem_cli__text_clear(&place);
        xylem_cli__addf(&place, "%s: line %llu", path, number);
        code = place.failed      ? xylem_cli__fail_memory(cli)
               : line.bytes == 0 ? 0
                                 : learn_line(&learning, &tree, line, policies, place.bytes.data);
    }
    code = code == 0 ? put_learnt(&learning, json) : code;
    for (size_t i = 0; i < learning.group_count; i++) {
        xylem_cli__text_release(&learning.groups[i].part);
        xylem_cli__text_release(&learning.groups[i].rule);
        xylem_cli__text_release(&learning.groups[i].note);
    }
    for (size_t i = 0; i <= XYLEM_POLICY_CONFIRM; i++) {
        xylem_policy_free(learning.judges[i]);
    }
    free(learning.groups);
    xylem_base__tree_release(&tree);
    xylem_cli__text_release(&log);
    xylem_cli__text_release(&place);
    if (fd >= 0) {
        close(fd);
    }
    return code;
}
