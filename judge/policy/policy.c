/* Makes a policy from its type and the lists of its configuration. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "judge/policy/policy.h"
#include "judge/policy/rules/shared.h"
#include "judge/policy/rules/taught.h"

static const struct xylem_policy__rules *const rules_of_type[] = {
    [XYLEM_POLICY_READONLY] = &xylem_policy__rules_readonly,
    [XYLEM_POLICY_STRICT] = &xylem_policy__rules_strict,
    [XYLEM_POLICY_CONFIRM] = &xylem_policy__rules_confirm,
};

static void names_release(struct xylem_policy__names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->names[i]);
    }
    free(names->names);
}

/* Copies a list of names. ARGUMENT for a name that is NULL or empty. */
static int names_copy(struct xylem_policy__names *names, const char *const *list, size_t count, const char *what,
                      struct xylem_error *err)
{
    if (!list) {
        return count == 0 ? 0 : xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: a list of %zu names is NULL", what, count);
    }
    names->names = calloc(count == 0 ? 1 : count, sizeof *names->names);
    if (!names->names) {
        return xylem_base__fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        if (!list[i] || list[i][0] == '\0') {
            return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: name %zu is empty", what, i + 1);
        }
        names->names[i] = strdup(list[i]);
        if (!names->names[i]) {
            return xylem_base__fail_memory(err);
        }
        names->count++;
    }
    return 0;
}

/* True for an absolute path below the root without `..`. */
static bool plain_directory(const char *path)
{
    bool below_root = false;
    if (path[0] != '/') {
        return false;
    }
    for (const char *at = path; at; at = strchr(at + 1, '/')) {
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
    bool for_strict = config->allowed_commands || config->git_readonly_subcommands || config->wrapper_commands ||
                      config->command_directories || config->allow_output_redirections || config->git_local_writes;
    if ((unsigned)config->type >= sizeof rules_of_type / sizeof rules_of_type[0]) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "type: expected readonly, strict or confirm, found %d",
                                (int)config->type);
    }
    if (for_strict && config->type != XYLEM_POLICY_STRICT) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "allowed_commands and similar options belong to the policy 'strict', not to '%s'",
                                rules_of_type[config->type]->name);
    }
    if (!config->temp_writes) {
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
    int code;
    if ((code = names_copy(&policy->allowed_commands, config->allowed_commands, config->allowed_command_count,
                           "allowed_commands", err)) < 0 ||
        (code = names_copy(&policy->git_readonly_subcommands, config->git_readonly_subcommands,
                           config->git_readonly_subcommand_count, "git_readonly_subcommands", err)) < 0 ||
        (code = names_copy(&policy->wrapper_commands, config->wrapper_commands, config->wrapper_command_count,
                           "wrapper_commands", err)) < 0 ||
        (code = names_copy(&policy->command_directories, config->command_directories, config->command_directory_count,
                           "command_directories", err)) < 0) {
        return code;
    }
    for (size_t i = 0; i < policy->command_directories.count; i++) {
        if (!plain_directory(policy->command_directories.names[i])) {
            return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                    "command_directories: expected an absolute path without '..', found '%s'",
                                    policy->command_directories.names[i]);
        }
    }
    return 0;
}

/* ARGUMENT: the text names the list and the rule. */
static int teach(struct xylem_policy *policy, enum xylem_decision decision, const char *const *rules, size_t count,
                 struct xylem_error *err)
{
    const char *list = xylem_policy__decision_word(decision);
    struct xylem_error why;
    if (!rules && count > 0) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "%s: a list of %zu rules is NULL", list, count);
    }
    for (size_t i = 0; i < count; i++) {
        int code = xylem_policy__taught_add(policy, decision, rules[i] ? rules[i] : "", &why);
        if (code < 0) {
            return xylem_base__fail(err, code, "%s[%zu]: %s", list, i, why.text);
        }
    }
    return 0;
}

int xylem_policy_new_abi(uint32_t abi, struct xylem_policy **policy, const struct xylem_policy_config *config,
                         struct xylem_error *err)
{
    const struct xylem_policy_config none = {0};
    int code = xylem_base__check_abi(abi, err);
    if (code < 0) {
        return code;
    }
    config = config ? config : &none;
    if (!policy) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a place for the policy is missing");
    }
    if ((code = check_config(config, err)) < 0) {
        return code;
    }
    struct xylem_policy *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->type = config->type;
    made->rules = rules_of_type[config->type];
    made->allow_output_redirections = config->allow_output_redirections;
    made->git_local_writes = config->git_local_writes;
    made->find_taught = xylem_policy__taught_find;
    (void)((code = copy_lists(made, config, err)) < 0 ||
           (code = teach(made, XYLEM_ALLOW, config->allow, config->allow_count, err)) < 0 ||
           (code = teach(made, XYLEM_ASK, config->ask, config->ask_count, err)) < 0 ||
           (code = teach(made, XYLEM_DENY, config->deny, config->deny_count, err)) < 0);
    if (code == 0 && config->temp_writes) {
        made->temp_writes = strdup(config->temp_writes);
        code = made->temp_writes ? 0 : xylem_base__fail_memory(err);
    }
    if (code < 0) {
        xylem_policy_free(made);
        return code;
    }
    *policy = made;
    return 0;
}

void xylem_policy_free(struct xylem_policy *policy)
{
    if (!policy) {
        return;
    }
    names_release(&policy->allowed_commands);
    names_release(&policy->git_readonly_subcommands);
    names_release(&policy->wrapper_commands);
    names_release(&policy->command_directories);
    free(policy->temp_writes);
    free(policy->taught.rules);
    xylem_shell__arena_release(&policy->taught.arena);
    free(policy);
}

const char *xylem_policy__decision_word(enum xylem_decision decision)
{
    return decision == XYLEM_ALLOW ? "allow" : decision == XYLEM_ASK ? "ask" : "deny";
}
