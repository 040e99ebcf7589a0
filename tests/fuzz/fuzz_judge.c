/*
 * Any bytes as a shell command under one of the policies, which the first byte chooses, and whether the directory is
 * known: the verdict is one that the policy can give, and all of it lies within the text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "xylem/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static const struct xylem_policy *policy_for(unsigned choice)
{
    static struct xylem_policy *policies[5];
    if (!policies[0]) {
        struct xylem_policy_config writes = {.type = XYLEM_POLICY_READONLY, .temp_writes = "/tmp/agent"};
        struct xylem_policy_config local = {.type = XYLEM_POLICY_STRICT, .git_local_writes = true};
        for (unsigned i = 0; i < 3; i++) {
            struct xylem_policy_config config = {.type = (enum xylem_policy_type)i};
            require(xylem_policy_new(&policies[i], &config, NULL) == 0);
        }
        require(xylem_policy_new(&policies[3], &writes, NULL) == 0);
        require(xylem_policy_new(&policies[4], &local, NULL) == 0);
    }
    return policies[choice];
}

/* One line of UTF-8, without anything that a terminal would act on. */
static void check_reason(const struct xylem_buffer *reason)
{
    require(reason->bytes > 0 && xylem_base__wtf8_valid(reason->data, reason->bytes));
    for (size_t i = 0; i < reason->bytes; i++) {
        require((unsigned char)reason->data[i] >= 0x20 && reason->data[i] != 0x7f);
    }
}

static void check_span(size_t offset, size_t bytes, size_t size)
{
    require(offset <= size && bytes <= size - offset);
}

static void check_verdict(const struct xylem_verdict *verdict, enum xylem_decision refusal, size_t size, bool cwd_known)
{
    bool refused_one = false;
    require(verdict->decision == refusal || verdict->decision == XYLEM_ALLOW);
    require(verdict->rule != NULL && verdict->rule[0] != '\0');
    require((verdict->decision == XYLEM_ALLOW) == (strcmp(verdict->rule, "allowed") == 0));
    check_reason(&verdict->reason);
    check_span(verdict->offset, verdict->bytes, size);
    for (size_t i = 0; i < verdict->judged_count; i++) {
        const struct xylem_judged *judged = &verdict->judged[i];
        require(judged->rule != NULL && (judged->decision == refusal || judged->decision == XYLEM_ALLOW));
        check_span(judged->offset, judged->bytes, size);
        refused_one |= judged->decision != XYLEM_ALLOW;
    }
    require(!refused_one || verdict->decision == refusal);
    for (size_t i = 0; i < verdict->git_directory_count; i++) {
        require(verdict->git_directories[i].bytes > 0);
        require(!cwd_known || verdict->git_directories[i].data[0] == '/');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct xylem_verdict verdict; /* one serves for all, as it may */
    static const enum xylem_decision refusals[] = {XYLEM_DENY, XYLEM_ASK, XYLEM_ASK, XYLEM_DENY, XYLEM_ASK};
    if (size == 0) {
        return 0;
    }
    unsigned choice = data[0] % 5u;
    bool cwd_known = (data[0] & 0x80u) != 0;
    struct xylem_view command = {(const char *)data + 1, size - 1};
    require(xylem_policy_judge(&verdict, policy_for(choice), command, cwd_known ? "/home/user" : NULL, NULL) == 0);
    check_verdict(&verdict, refusals[choice], command.bytes, cwd_known);
    return 0;
}
