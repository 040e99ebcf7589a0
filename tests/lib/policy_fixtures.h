/* The cases in the folder fixtures/policy, and the policies that they ask. */
#ifndef XYLEM_TESTS_LIB_POLICY_FIXTURES_H
#define XYLEM_TESTS_LIB_POLICY_FIXTURES_H

#include "xylem/policy.h"

struct policy_fixture {
    char place[712]; /* file:line */
    const char *policy_name;
    enum xylem_policy_type type;
    struct xylem_view command;
    enum xylem_decision expected;
    const struct xylem_policy *policy;
    struct xylem_view config; /* JSON; empty: none */
    const char *cwd;          /* NULL: none */
    const char *rule;         /* NULL: any */
};

struct policy_fixtures {
    struct policy_fixture *list;
    size_t count;
};

/* All of them, in the order of the files' names. A file that cannot be read, or has another form, ends the program. */
void policy_fixtures_read(struct policy_fixtures *fixtures);
void policy_fixtures_release(struct policy_fixtures *fixtures);

#endif
