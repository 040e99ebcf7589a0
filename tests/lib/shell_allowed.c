#include "tests/lib/shell_allowed.h"

#include <string.h>

#include "base/buffer.h"
#include "judge/policy/rules/strict.h"
#include "judge/policy/words/names.h"
#include "tests/lib/test.h"

static void add_quoted(struct xylem_buffer *command, const char *word, size_t bytes)
{
    assert_int_equal(xylem_buffer_add(command, "'", 1), 0);
    for (size_t i = 0; i < bytes; i++) {
        bool quote = word[i] == '\'';
        assert_int_equal(xylem_buffer_add(command, quote ? "'\\''" : word + i, quote ? 4 : 1), 0);
    }
    assert_int_equal(xylem_buffer_add(command, "' ", 2), 0);
}

static bool allows_words(const struct xylem_policy *strict, const struct shell_event *event)
{
    struct xylem_buffer command = {0};
    struct xylem_verdict verdict = {0};
    const char *name = shell_base_name(event->what);
    add_quoted(&command, name, strlen(name));
    for (const char *word = event->how; *word != '\0';) {
        size_t bytes = strcspn(word, "\x1f");
        add_quoted(&command, word, bytes);
        word += bytes + (word[bytes] != '\0');
    }
    struct xylem_view text = {command.data, command.bytes};
    assert_int_equal(xylem_policy_judge(&verdict, strict, text, "/w", NULL), 0);
    bool allows = verdict.decision == XYLEM_ALLOW;
    xylem_verdict_release(&verdict);
    xylem_buffer_release(&command);
    return allows;
}

bool shell_allowed(const struct xylem_policy *strict, const struct shell_event *event)
{
    struct xylem_view name = xylem_view_of(shell_base_name(event->what));
    bool apart = strncmp(event->what, "/w/", 3) != 0 && strncmp(event->what, "./", 2) != 0;
    bool listed = event->what[0] == '/' && (xylem_policy__spelt_in(xylem_policy__strict_commands, name) ||
                                            xylem_policy__spelt_in(xylem_policy__strict_wrappers, name) ||
                                            xylem_policy__spelt_in("git git-bisect gzip", name));
    return apart && (listed || allows_words(strict, event));
}
