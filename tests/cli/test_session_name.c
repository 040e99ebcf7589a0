/* Which session a word means, beside a plain model. */
#include <ctype.h>
#include <time.h>

#include "store/format/keys.h"
#include "store/lmdb/tables.h"
#include "tests/cli/command.h"
#include "tests/lib/chance.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"
#include "xylem/outline.h"

static void make(struct command *command, const char *session, const char *name)
{
    char data[512];
    snprintf(data, sizeof data, "{\"name\":\"%s\"}", name);
    command_run(command, "append", session, "--create", "--kind", "session_info", "--data", data, NULL);
    assert_exit(command, 0);
}

static void assert_means(struct command *command, const char *word, const char *session)
{
    char wanted[256];
    char place[256];
    snprintf(place, sizeof place, "%s:@", word);
    command_run(command, "show", place, "--json", NULL);
    if (command->code != 0) {
        print_message("'%s' does not mean %s\n", word, session);
    }
    assert_exit(command, 0);
    snprintf(wanted, sizeof wanted, "{\"schema\":1,\"session\":\"%s\",", session);
    assert_contains(command->out, wanted);
}

static void assert_no_session(struct command *command, const char *word, int code, const char *text)
{
    char place[256];
    snprintf(place, sizeof place, "%s:@", word);
    command_run(command, "show", place, NULL);
    assert_error(command, code, text);
}

struct made {
    char id[32];
    char name[32];
};

static bool folds(const char *word)
{
    return strpbrk(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL;
}

static bool is_within(const char *text, const char *part)
{
    return folds(part) ? strcasestr(text, part) != NULL : strstr(text, part) != NULL;
}

/* How well a word matches, by the page: 4 an id, 3 a name, 2 a name in other case, 1 a part, 0 not. */
static int rank(const struct made *made, const char *word)
{
    size_t bytes = strlen(word);
    size_t id_bytes = strlen(made->id);
    if (strcmp(made->id, word) == 0) {
        return 4;
    }
    if (strcmp(made->name, word) == 0) {
        return 3;
    }
    if (folds(word) && strcasecmp(made->name, word) == 0) {
        return 2;
    }
    return bytes >= 4 &&
           (strncmp(made->id, word, bytes) == 0 ||
            (id_bytes >= bytes && strcmp(made->id + id_bytes - bytes, word) == 0) || is_within(made->name, word));
}

static void draw_word(char word[32], struct chance *chance, int least, int most)
{
    static const char letters[] = "aaab";
    int bytes = least + chance_below(chance, most - least + 1);
    for (int i = 0; i < bytes; i++) {
        word[i] = letters[chance_below(chance, 4)];
        word[i] = chance_one_in(chance, 12) ? (char)toupper(word[i]) : word[i];
    }
    word[bytes] = '\0';
}

TEST_WITH(whole_names_win_over_parts_and_none_of_several_is_picked, command_set_up, command_tear_down_verified)
{
    struct command *command = *state;
    struct made made[24];
    char word[32];
    const char *given = getenv("XYLEM_SEED");
    uint64_t seed = !given ? (uint64_t)time(NULL) : strtoull(given, NULL, 10);
    struct chance chance = chance_of(seed);
    print_message("XYLEM_SEED=%llu\n", (unsigned long long)seed);

    for (size_t i = 0; i < 24; i++) {
        draw_word(made[i].id, &chance, 3, 6);
        snprintf(made[i].id + strlen(made[i].id), 8, "%zu%s", i, i % 5 == 0 ? "bbab" : "aab"); /* ids differ */
        draw_word(made[i].name, &chance, 3, 9);
        make(command, made[i].id, made[i].name);
    }
    for (int round = 0; round < 300; round++) {
        const struct made *best = NULL;
        int best_rank = 0;
        int count = 0;
        const struct made *of = &made[chance_below(&chance, 24)];
        if (chance_one_in(&chance, 2)) {
            draw_word(word, &chance, 2, 5);
        } else {
            snprintf(word, sizeof word, "%s", chance_one_in(&chance, 2) ? of->id : of->name);
            word[chance_below(&chance, (int)strlen(word)) + 1] = '\0';
        }
        for (size_t i = 0; i < 24; i++) {
            int of_this = rank(&made[i], word);
            count = of_this > best_rank ? 1 : count + (of_this == best_rank && of_this > 0);
            best = of_this > best_rank ? &made[i] : best;
            best_rank = of_this > best_rank ? of_this : best_rank;
        }
        if (count == 1) {
            assert_means(command, word, best->id);
        } else {
            assert_no_session(command, word, count == 0 ? 3 : 4, count == 0 ? "there is no session" : "is ambiguous");
        }
    }
}

/* The kept list gives `c`, and breaks off at `b`. Only then the leaf of `a` is read: `a` may be older than `b`, or not. */
TEST_WITH(damage_behind_the_first_sessions_hides_what_was_active_before, command_set_up, command_tear_down)
{
    struct command *command = *state;
    static const char *const ids[] = {"a", "b", "c"};
    const struct xylem_view no_sum = xylem_view_of("no sum");
    struct store_builder builder;
    struct xylem_session session;
    struct xylem_outline outline;
    struct xylem_format__key key;
    struct xylem_error err;
    store_builder_open(&builder);
    for (size_t i = 0; i < 3; i++) {
        store_builder_messages(&builder, store_builder_session(&builder, ids[i]), 1);
    }
    store_builder_refresh(&builder);
    store_builder_must(xylem_session_find(&session, builder.txn, xylem_view_of("b"), &err), &err);
    store_builder_must(xylem_outline_read(&outline, NULL, builder.txn, &session, &err), &err);
    xylem_format__key_outline_active(&key, outline.active_ms, session.number);
    store_builder_must(xylem_lmdb__put(builder.txn, XYLEM_FORMAT__OUTLINES, key.view, no_sum, true, &err), &err);
    store_builder_commit(&builder);
    snprintf(command->store, sizeof command->store, "%.100s", builder.path);
    assert_means(command, "@last~1", "b");
    store_builder_must(xylem_session_find(&session, builder.txn, xylem_view_of("a"), &err), &err);
    store_builder_damage(&builder, session.leaf);
    store_builder_commit(&builder);
    assert_means(command, "@last", "c");
    assert_no_session(command, "@last~1", 5, "a damaged session may be the last active");
    store_builder_close(&builder);
}
