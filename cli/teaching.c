#include "cli/teaching.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/json.h"

/* --- The parts of a verdict --------------------------------------------------------------------------------------- */

/* A refused part of a command, and the rule that would allow the part. */
struct finding {
    struct xylem_view part;
    enum xylem_decision decision;
    bool helps; /* `rule` would allow the part; else `note` has the reason why no rule can */
    struct xylem_view rule;
    struct xylem_view note; /* of a rule that helps: the words that a wildcard of the rule never stands for */
};

typedef int (*see_finding)(void *context, const struct finding *finding);

/* True if the rule begins with the program of the part: the part is the command itself, and not the word around it. */
static bool names_program(struct xylem_view rule, struct xylem_view program)
{
    size_t end = 0;
    size_t from = 0;
    for (; end < rule.bytes && rule.data[end] != ' '; end++) {
        from = rule.data[end] == '/' ? end + 1 : from;
    }
    return xylem_base__view_equal((struct xylem_view){rule.data + from, end - from}, program);
}

static int each_refused(struct xylem_cli *cli, struct xylem_policy *policy, const struct xylem_verdict *verdict,
                        struct xylem_view command, const char *cwd, see_finding see, void *context)
{
    struct xylem_buffer rule = {0};
    struct xylem_buffer note = {0};
    bool seen = false;
    int code = 0;
    for (size_t i = 0; code == 0 && i <= verdict->judged_count; i++) {
        const struct xylem_judged *judged = i < verdict->judged_count ? &verdict->judged[i] : NULL;
        struct finding found = {.part = {command.data + verdict->offset, verdict->bytes},
                                .decision = verdict->decision,
                                .note = xylem_base__buffer_view(&verdict->reason)};
        if (judged ? judged->decision == XYLEM_ALLOW : seen) {
            continue; /* the last turn is for what decided outside of the commands: a function, a text not understood */
        }
        if (judged) {
            seen |= strcmp(judged->rule, verdict->rule) == 0;
            found.part = (struct xylem_view){command.data + judged->offset, judged->bytes};
            found.decision = judged->decision;
            code = xylem_policy_propose(&rule, &note, policy, found.part, cwd, &cli->err);
            found.rule = xylem_base__buffer_view(&rule);
            found.note = xylem_base__buffer_view(&note);
            found.helps = code > 0 && names_program(found.rule, xylem_base__buffer_view(&judged->name));
            if (code > 0 && !found.helps) {
                found.note = xylem_view_of("the command stands in a word of another command");
            }
        }
        code = code < 0 ? code : see(context, &found);
    }
    xylem_buffer_release(&rule);
    xylem_buffer_release(&note);
    return code;
}

/* True for a rule that ends in `**`. */
static bool is_broad(struct xylem_view rule)
{
    return rule.bytes > 3 && memcmp(rule.data + rule.bytes - 3, " **", 3) == 0;
}

/* Says what a broad rule does not allow: the changes, and the words of the note. */
static void add_never(struct xylem_cli__text *text, struct xylem_view note)
{
    xylem_cli__add(text, "`**` never stands for a change that readonly refuses");
    xylem_cli__add(text, note.bytes > 0 ? ", nor for " : "");
    xylem_cli__add_bytes(text, note.data, note.bytes);
}

/* --- Why ---------------------------------------------------------------------------------------------------------- */

struct why {
    struct xylem_cli *cli;
    struct xylem_cli__text *text;
    struct xylem_cli__text rules; /* JSON: the rules that help */
    const struct xylem_cli__teaching *teaching;
    bool helpless; /* no rule allows one of the parts */
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
    why->helpless |= !found->helps;
    if (found->helps) {
        xylem_cli__json_string(&why->rules, found->rule);
    }
    if (why->teaching->json) {
        xylem_cli__json_begin(why->text, '{');
        xylem_cli__member_string(why->text, "part", found->part);
        xylem_cli__member_maybe(why->text, "rule", found->helps ? found->rule : (struct xylem_view){NULL, 0});
        xylem_cli__member_string(why->text, "note", found->note);
        xylem_cli__json_end(why->text, '}');
        return 0;
    }
    struct xylem_cli__text line = {0};
    add_label(why, "part", found->part);
    if (!found->helps) {
        add_label(why, "no rule", found->note);
    } else if (is_broad(found->rule)) {
        add_never(&line, found->note);
        add_label(why, "but", xylem_cli__text_view(&line));
    }
    xylem_cli__part_end(why->text, &line);
    return 0;
}

/* `by  the rule recursive-rm of confirm`, or the person's own rule, which the reason names. */
static void add_decider(struct why *why, const struct xylem_verdict *verdict)
{
    struct xylem_cli__text line = {0};
    const char *config = why->teaching->config;
    if (strcmp(verdict->rule, "taught") == 0) {
        xylem_cli__addf(&line, "%s, in %s", verdict->reason.data, config ? config : "your file");
    } else if (verdict->decision == XYLEM_ALLOW) {
        xylem_cli__add(&line, "no rule: nothing that is built in or yours refuses it");
    } else {
        xylem_cli__addf(&line, "the rule %s, which is built in: xylem judge --tables", verdict->rule);
    }
    add_label(why, "by", xylem_cli__text_view(&line));
    xylem_cli__part_end(why->text, &line);
}

int xylem_cli__why(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__teaching *teaching,
                   struct xylem_policy *policy, const struct xylem_verdict *verdict, struct xylem_view command,
                   const char *cwd)
{
    struct why why = {.cli = cli, .text = text, .teaching = teaching};
    struct xylem_cli__text line = {0};
    if (teaching->json) {
        xylem_cli__member_begin(text, "changes", '[');
    } else {
        add_decider(&why, verdict);
    }
    int code = verdict->decision == XYLEM_ALLOW ? 0 : each_refused(cli, policy, verdict, command, cwd, see_why, &why);
    if (teaching->json) {
        xylem_cli__json_end(text, ']');
    } else if (why.rules.bytes.bytes > 0) {
        xylem_cli__addf(&line, "{\"allow\": [%s]}", why.rules.bytes.data);
        add_label(&why, why.helpless ? "partly" : "to allow", xylem_cli__text_view(&line));
    } else if (verdict->decision == XYLEM_ALLOW && verdict->judged_count == 1) {
        xylem_cli__add_bytes(&line, command.data + verdict->judged[0].offset, verdict->judged[0].bytes);
        if (!line.failed && xylem_policy_teach(policy, XYLEM_DENY, line.bytes.data, NULL) == 0) {
            xylem_cli__json_string(&why.rules, xylem_cli__text_view(&line));
            xylem_cli__text_clear(&line);
            xylem_cli__addf(&line, "{\"deny\": [%s]}", why.rules.bytes.data);
            add_label(&why, "to deny", xylem_cli__text_view(&line));
        }
    }
    xylem_cli__part_end(text, &line);
    xylem_cli__part_end(text, &why.rules);
    return code;
}

/* --- Learn -------------------------------------------------------------------------------------------------------- */

/* Asks with the same proposal, or with the same reason why there is none. */
struct group {
    struct xylem_cli__text part; /* the first */
    struct xylem_cli__text rule; /* empty: no rule can */
    struct xylem_cli__text note;
    uint64_t asked;
    uint64_t yes;
    uint64_t no;
};

#define GROUPS_MAX 10000u

struct learning {
    struct xylem_cli *cli;
    const struct xylem_cli__teaching *teaching;
    const char *path;
    struct xylem_policy *policies[XYLEM_POLICY_CONFIRM + 1];
    struct group *groups;
    size_t group_count;
    size_t group_capacity;
    uint64_t line;
    uint64_t asks;
    uint64_t allowed; /* asks that the policy allows today */
    uint64_t bad;
    uint64_t left_out; /* asks beyond GROUPS_MAX */
    struct xylem_view answer;
};

static struct group *group_of(struct learning *learning, const struct finding *found)
{
    struct xylem_view key = found->helps ? found->rule : found->note;
    for (size_t i = 0; i < learning->group_count; i++) {
        struct group *group = &learning->groups[i];
        bool helps = group->rule.bytes.bytes > 0;
        if (helps == found->helps &&
            xylem_base__view_equal(xylem_cli__text_view(helps ? &group->rule : &group->note), key)) {
            return group;
        }
    }
    struct group made = {0};
    if (learning->group_count == GROUPS_MAX ||
        xylem_cli__list_add(learning->cli, &learning->groups, &learning->group_count, &learning->group_capacity, &made,
                            sizeof made) < 0) {
        return NULL;
    }
    struct group *group = &learning->groups[learning->group_count - 1];
    xylem_cli__add_bytes(&group->part, found->part.data, found->part.bytes);
    xylem_cli__add_bytes(&group->rule, found->rule.data, found->helps ? found->rule.bytes : 0);
    xylem_cli__add_bytes(&group->note, found->note.data, found->note.bytes);
    return group;
}

static int see_ask(void *context, const struct finding *found)
{
    struct learning *learning = context;
    struct group *group = group_of(learning, found);
    if (group) {
        group->asked++;
        group->yes += xylem_base__view_is(learning->answer, "allow");
        group->no += xylem_base__view_is(learning->answer, "deny");
    }
    learning->left_out += !group;
    return 0;
}

/* A member of a line that is a string; empty without the member. False: another type, or twice. */
static bool read_member(struct xylem_view *value, const struct xylem_value *map, const char *name)
{
    bool twice = false;
    const struct xylem_value *member = xylem_base__value_member(map, (const char *const[]){name, NULL}, &twice);
    bool nil = !member || xylem_value_type(member) == XYLEM_VALUE_NIL;
    *value = nil ? xylem_view_of("") : xylem_value_string(member);
    return !twice && (nil || xylem_value_type(member) == XYLEM_VALUE_STRING);
}

/* What a line of the log should be and is not; NULL: an ask, or a decision that is no ask (`command` without data). */
static const char *read_ask(struct learning *learning, const struct xylem_value *map, struct xylem_view *command,
                            struct xylem_view *cwd, int *type)
{
    struct xylem_view policy;
    struct xylem_view decision;
    if (xylem_value_type(map) != XYLEM_VALUE_MAP || !read_member(command, map, "command") || command->bytes == 0 ||
        !read_member(&decision, map, "decision") || !read_member(&policy, map, "policy")) {
        return "expected an object with the strings command, policy and decision";
    }
    if (!read_member(cwd, map, "cwd") ||
        (cwd->bytes > 0 && (cwd->data[0] != '/' || memchr(cwd->data, 0, cwd->bytes)))) {
        return "cwd: expected an absolute path";
    }
    if (!read_member(&learning->answer, map, "answer") ||
        (learning->answer.bytes > 0 && !xylem_base__view_is(learning->answer, "allow") &&
         !xylem_base__view_is(learning->answer, "deny"))) {
        return "answer: expected allow or deny";
    }
    for (*type = 0; learning->teaching->policies[*type]; (*type)++) {
        if (xylem_base__view_is(policy, learning->teaching->policies[*type])) {
            command->data = xylem_base__view_is(decision, "ask") ? command->data : NULL;
            return NULL;
        }
    }
    return "policy: expected readonly, strict or confirm";
}

static int learn_line(struct learning *learning, struct xylem_base__tree *tree, struct xylem_view line)
{
    struct xylem_cli *cli = learning->cli;
    struct xylem_view command = {NULL, 0};
    struct xylem_view cwd = {NULL, 0};
    struct xylem_verdict verdict = {0};
    struct xylem_cli__text place = {0};
    struct xylem_error why;
    int type = 0;
    int code = xylem_base__json_parse(tree, line, &why);
    const char *bad = code < 0 ? why.text : read_ask(learning, tree->nodes, &command, &cwd, &type);
    if (code == XYLEM_E_MEMORY || bad || !command.data) {
        learning->bad += bad ? 1 : 0;
        if (bad && code != XYLEM_E_MEMORY) {
            xylem_cli__note(cli, "%s: line %llu is skipped: %s", learning->path, (unsigned long long)learning->line,
                            bad);
        }
        return code == XYLEM_E_MEMORY ? xylem_cli__fail_memory(cli) : 0;
    }
    xylem_cli__add_bytes(&place, cwd.data, cwd.bytes);
    struct xylem_policy **policy = &learning->policies[type];
    code = *policy ? 0 : xylem_cli__policy_read(cli, policy, (enum xylem_policy_type)type, learning->teaching->config);
    const char *from = cwd.bytes > 0 ? place.bytes.data : NULL;
    code = code == 0 ? xylem_policy_judge(&verdict, *policy, command, from, &cli->err) : code;
    learning->asks++;
    if (code == 0 && verdict.decision == XYLEM_ALLOW) {
        learning->allowed++;
    } else if (code == 0) {
        code = each_refused(cli, *policy, &verdict, command, from, see_ask, learning);
    }
    xylem_cli__text_release(&place);
    xylem_verdict_release(&verdict);
    return code;
}

static bool is_proposed(const struct group *group)
{
    return group->rule.bytes.bytes > 0 && group->no == 0;
}

static void add_group(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct group *group)
{
    bool helps = group->rule.bytes.bytes > 0;
    struct xylem_view shown = xylem_cli__text_view(helps ? &group->rule : &group->part);
    struct xylem_cli__text line = {0};
    xylem_cli__add(text, "  ");
    xylem_cli__add_shown(cli, text, shown, XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(text, "\n      ");
    xylem_cli__add_counted(text, group->asked, "ask", "asks");
    xylem_cli__addf(text, ", %llu answered yes, %llu answered no\n      ", (unsigned long long)group->yes,
                    (unsigned long long)group->no);
    if (!helps) {
        xylem_cli__addf(&line, "no rule can: %s", group->note.bytes.data);
    } else if (is_broad(shown)) {
        xylem_cli__add(&line, "also allows any other words behind; ");
        add_never(&line, xylem_cli__text_view(&group->note));
    } else {
        xylem_cli__add(&line, "allows exactly these words");
    }
    xylem_cli__add_shown(cli, text, xylem_cli__text_view(&line), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__part_end(text, &line);
    xylem_cli__add(text, "\n");
}

static void group_json(struct xylem_cli__text *text, const struct group *group)
{
    bool helps = group->rule.bytes.bytes > 0;
    xylem_cli__json_begin(text, '{');
    xylem_cli__member_maybe(text, "rule", helps ? xylem_cli__text_view(&group->rule) : (struct xylem_view){NULL, 0});
    xylem_cli__member_string(text, "part", xylem_cli__text_view(&group->part));
    xylem_cli__member_bool(text, "proposed", is_proposed(group));
    xylem_cli__member_count(text, "asked", group->asked);
    xylem_cli__member_count(text, "yes", group->yes);
    xylem_cli__member_count(text, "no", group->no);
    xylem_cli__member_string(text, "note", xylem_cli__text_view(&group->note));
    xylem_cli__json_end(text, '}');
}

/* The groups that are proposed, or the others. */
static size_t add_groups(const struct learning *learning, struct xylem_cli__text *text, bool proposed,
                         const char *title)
{
    size_t count = 0;
    for (size_t i = 0; i < learning->group_count; i++) {
        if (is_proposed(&learning->groups[i]) == proposed) {
            xylem_cli__add(text, count++ == 0 ? title : "");
            add_group(learning->cli, text, &learning->groups[i]);
        }
    }
    return count;
}

static int put_learnt(struct learning *learning)
{
    struct xylem_cli__text text = {0};
    bool json = learning->teaching->json;
    if (json) {
        xylem_cli__json_document(&text);
        xylem_cli__member_count(&text, "asks", learning->asks);
        xylem_cli__member_count(&text, "allowed", learning->allowed);
        xylem_cli__member_count(&text, "bad_lines", learning->bad);
        xylem_cli__member_count(&text, "left_out", learning->left_out);
        xylem_cli__member_begin(&text, "groups", '[');
        for (size_t i = 0; i < learning->group_count; i++) {
            group_json(&text, &learning->groups[i]);
        }
        xylem_cli__json_end(&text, ']');
        xylem_cli__member_begin(&text, "allow", '[');
    } else {
        xylem_cli__add_counted(&text, learning->asks, "ask", "asks");
        xylem_cli__addf(&text, ", %llu allowed by now", (unsigned long long)learning->allowed);
        if (learning->bad > 0) {
            xylem_cli__add_next_counted(&text, learning->bad, "line skipped", "lines skipped");
        }
        if (learning->left_out > 0) {
            xylem_cli__add_next_counted(&text, learning->left_out, "part left out", "parts left out");
        }
        xylem_cli__add(&text, "\n");
        bool any = add_groups(learning, &text, true, "rules to allow:\n") > 0;
        (void)add_groups(learning, &text, false, "no rule is proposed for:\n");
        xylem_cli__add(&text, any ? "to take them, add this to your file:\n  {\"allow\": [" : "");
    }
    size_t rules = 0;
    for (size_t i = 0; i < learning->group_count; i++) {
        if (is_proposed(&learning->groups[i])) {
            rules++;
            xylem_cli__json_string(&text, xylem_cli__text_view(&learning->groups[i].rule));
        }
    }
    if (json) {
        xylem_cli__json_end(&text, ']');
        xylem_cli__json_end(&text, '}');
    } else {
        xylem_cli__add(&text, rules > 0 ? "]}\n" : "");
    }
    return xylem_cli__put_output(learning->cli, &text, json);
}

int xylem_cli__learn(struct xylem_cli *cli, const struct xylem_cli__teaching *teaching, const char *path)
{
    struct learning learning = {.cli = cli, .teaching = teaching, .path = path};
    struct xylem_base__tree tree;
    struct xylem_cli__text log = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return xylem_cli__fail(cli, errno == ENOENT || errno == ENOTDIR ? XYLEM_E_NOT_FOUND : XYLEM_E_IO,
                               "%s cannot be read: %s", path, strerror(errno));
    }
    int code = xylem_cli__read_all(cli, &log, fd, XYLEM_CLI__ASKS_BYTES_MAX, false, path);
    close(fd);
    xylem_base__tree_init(&tree);
    struct xylem_view left = xylem_cli__text_view(&log);
    while (code == 0 && left.bytes > 0) {
        const char *end = memchr(left.data, '\n', left.bytes);
        struct xylem_view line = {left.data, end ? (size_t)(end - left.data) : left.bytes};
        learning.line++;
        code = line.bytes == 0 ? 0 : learn_line(&learning, &tree, line);
        left = (struct xylem_view){line.data + line.bytes + (end ? 1 : 0), left.bytes - line.bytes - (end ? 1 : 0)};
    }
    code = code == 0 ? put_learnt(&learning) : code;
    for (size_t i = 0; i < learning.group_count; i++) {
        xylem_cli__text_release(&learning.groups[i].part);
        xylem_cli__text_release(&learning.groups[i].rule);
        xylem_cli__text_release(&learning.groups[i].note);
    }
    for (size_t i = 0; i <= XYLEM_POLICY_CONFIRM; i++) {
        xylem_policy_free(learning.policies[i]);
    }
    free(learning.groups);
    xylem_base__tree_release(&tree);
    xylem_cli__text_release(&log);
    return code;
}
