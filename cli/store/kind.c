/* Compares and prints kinds of entries. */
#include "cli/store/store.h"
#include "xylem/state.h"

#include <string.h>

bool xylem_cli__kind_equal(struct xylem_kind a, struct xylem_kind b)
{
    return a.kind_class == b.kind_class && xylem_base__view_equal(a.name, b.name);
}

bool xylem_cli__kind_is_message(struct xylem_kind kind)
{
    return xylem_cli__kind_equal(kind, (struct xylem_kind){XYLEM_CLASS_HOST, xylem_view_of("message")});
}

const char *const xylem_cli__roles[] = {"user", "assistant", "toolResult", "system", "bashExecution", NULL};

bool xylem_cli__kind_is_role(struct xylem_kind kind)
{
    const char *const *role = xylem_cli__roles;
    while (*role && !xylem_base__view_is(kind.name, *role)) {
        role++;
    }
    return *role && kind.kind_class == XYLEM_CLASS_HOST;
}

const char *xylem_cli__kind_meant(struct xylem_kind kind)
{
    static const char custom[] = "custom:";
    const char *const *text;
    if (kind.kind_class != XYLEM_CLASS_HOST) {
        return NULL;
    }
    for (unsigned piece = 1; (text = xylem_state_kinds(piece)); piece <<= 1) {
        for (; *text; text++) {
            if (strncmp(*text, custom, strlen(custom)) == 0 && xylem_base__view_is(kind.name, *text + strlen(custom))) {
                return *text;
            }
        }
    }
    return NULL;
}

void xylem_cli__add_kind(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_kind kind)
{
    struct xylem_buffer spelt = {0};
    text->failed = text->failed || xylem_kind_text(&spelt, kind) != 0;
    xylem_cli__add_shown(cli, text, (struct xylem_view){spelt.data, spelt.bytes}, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_buffer_release(&spelt);
}
