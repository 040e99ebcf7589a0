#include "tests/lib/policy_fixtures.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define FOLDER "fixtures/policy"
#define LINE_BYTES_MAX ((size_t)1048576)

static const char *const policy_names[] = {"readonly", "strict", "confirm"};
static const char *const verdict_names[] = {"deny", "ask", "allow"};

static void must(bool holds, const char *place, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s: %s\n", place, what);
        exit(1);
    }
}

static char *copy_of(struct xylem_view view)
{
    char *copy = malloc(view.bytes + 1);
    must(copy != NULL, FOLDER, "no memory");
    if (view.bytes > 0) {
        memcpy(copy, view.data, view.bytes);
    }
    copy[view.bytes] = '\0';
    return copy;
}

static unsigned index_in(const char *const *names, unsigned count, struct xylem_view name, const char *place)
{
    for (unsigned i = 0; i < count; i++) {
        if (strlen(names[i]) == name.bytes && memcmp(names[i], name.data, name.bytes) == 0) {
            return i;
        }
    }
    must(false, place, "a name that is not known");
    return 0;
}

/* Cases of one configuration share a policy. */
static const struct xylem_policy *policy_of(const struct policy_fixtures *fixtures, const struct policy_fixture *wanted)
{
    struct xylem_policy *policy = NULL;
    struct xylem_error err = {0};
    for (size_t i = 0; i < fixtures->count; i++) {
        const struct policy_fixture *known = &fixtures->list[i];
        if (known->type == wanted->type && known->config.bytes == wanted->config.bytes &&
            (known->config.bytes == 0 || memcmp(known->config.data, wanted->config.data, known->config.bytes) == 0)) {
            return known->policy;
        }
    }
    must(xylem_policy_new_json(&policy, wanted->type, wanted->config, &err) == 0, wanted->place, err.text);
    return policy;
}

static char *string_under(const struct xylem_value *object, const char *key)
{
    const struct xylem_value *value = xylem_value_get(object, key);
    return xylem_value_type(value) == XYLEM_VALUE_STRING ? copy_of(xylem_value_string(value)) : NULL;
}

static void add_case(struct policy_fixtures *fixtures, const char *place, struct xylem_view line)
{
    static struct xylem_base__tree tree;
    struct policy_fixture made = {0};
    struct xylem_error err = {0};
    must(xylem_base__json_parse(&tree, line, &err) == 0, place, err.text);
    const struct xylem_value *object = &tree.nodes[0];
    const struct xylem_value *config = xylem_value_get(object, "config");
    (void)snprintf(made.place, sizeof made.place, "%s", place);
    unsigned type = index_in(policy_names, 3, xylem_value_string(xylem_value_get(object, "policy")), place);
    unsigned expected = index_in(verdict_names, 3, xylem_value_string(xylem_value_get(object, "verdict")), place);
    must(xylem_value_type(xylem_value_get(object, "command")) == XYLEM_VALUE_STRING, place, "a command is missing");
    made.type = (enum xylem_policy_type)type;
    made.policy_name = policy_names[type];
    made.expected = (enum xylem_decision)expected;
    made.command = xylem_value_string(xylem_value_get(object, "command"));
    made.command.data = copy_of(made.command);
    if (config) {
        made.config = config->raw;
        made.config.data = copy_of(config->raw);
    }
    made.cwd = string_under(object, "cwd");
    made.rule = string_under(object, "rule");
    made.policy = policy_of(fixtures, &made);
    void *moved = realloc(fixtures->list, (fixtures->count + 1) * sizeof *fixtures->list);
    must(moved != NULL, place, "no memory");
    fixtures->list = moved;
    fixtures->list[fixtures->count++] = made;
    xylem_base__tree_release(&tree);
}

static void read_file(struct policy_fixtures *fixtures, const char *name)
{
    char path[600];
    char *line = malloc(LINE_BYTES_MAX);
    (void)snprintf(path, sizeof path, FOLDER "/%s", name);
    FILE *file = fopen(path, "rb");
    must(file != NULL && line != NULL, path, "it cannot be read");
    for (unsigned number = 1; fgets(line, (int)LINE_BYTES_MAX, file); number++) {
        char place[700];
        size_t bytes = strlen(line);
        (void)snprintf(place, sizeof place, "%s:%u", name, number);
        must(bytes > 0 && line[bytes - 1] == '\n', place, "the line has no end");
        add_case(fixtures, place, (struct xylem_view){line, bytes - 1});
    }
    (void)fclose(file);
    free(line);
}

static int is_cases(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".jsonl") == 0;
}

void policy_fixtures_read(struct policy_fixtures *fixtures)
{
    struct dirent **names = NULL;
    int count = scandir(FOLDER, &names, is_cases, alphasort);
    must(count > 0, FOLDER, "there are no cases");
    *fixtures = (struct policy_fixtures){0};
    for (int i = 0; i < count; i++) {
        read_file(fixtures, names[i]->d_name);
        free(names[i]);
    }
    free(names);
}

void policy_fixtures_release(struct policy_fixtures *fixtures)
{
    for (size_t i = 0; i < fixtures->count; i++) {
        struct policy_fixture *one = &fixtures->list[i];
        bool shared = false;
        for (size_t j = i + 1; j < fixtures->count; j++) {
            shared |= fixtures->list[j].policy == one->policy;
        }
        if (!shared) {
            xylem_policy_free((struct xylem_policy *)one->policy);
        }
        free((char *)one->command.data);
        free((char *)one->config.data);
        free((char *)one->cwd);
        free((char *)one->rule);
    }
    free(fixtures->list);
    *fixtures = (struct policy_fixtures){0};
}
