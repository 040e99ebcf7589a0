/* Selects entries by kind: an option that may be repeated. */
#include "cli/show/entries.h"

#include <string.h>

int xylem_cli__kinds_read(struct xylem_cli *cli, struct xylem_cli__kinds *kinds, const struct xylem_cli__list *given)
{
    int code = 0;
    kinds->given = given;
    for (size_t i = 0; i < given->count && code == 0; i++) {
        code = xylem_kind_parse(&kinds->list[i], &kinds->storage[i], xylem_view_of(given->texts[i]), &cli->err);
    }
    return code;
}

/* Every message is of the kind `message`, whatever its role. */
static bool may_be_role(struct xylem_kind kind)
{
    return kind.kind_class == XYLEM_CLASS_HOST && !xylem_cli__kind_is_message(kind);
}

int xylem_cli__kinds_match(struct xylem_cli *cli, struct xylem_cli__kinds *kinds, const struct xylem_entry *entry)
{
    int wanted = kinds->given->count == 0 ? 1 : 0;
    struct xylem_cli__said said;
    bool roles = false;
    for (size_t i = 0; i < kinds->given->count; i++) {
        if (xylem_cli__kind_equal(kinds->list[i], entry->kind)) {
            kinds->found[i] = true;
            wanted = 1;
        }
        roles = roles || may_be_role(kinds->list[i]);
    }
    if (!roles || !xylem_cli__kind_is_message(entry->kind)) {
        return wanted;
    }
    int code = xylem_cli__said_read(cli, &said, entry);
    for (size_t i = 0; code == 0 && said.role.data && i < kinds->given->count; i++) {
        if (may_be_role(kinds->list[i]) && xylem_base__view_equal(kinds->list[i].name, said.role)) {
            kinds->found[i] = true;
            wanted = 1;
        }
    }
    xylem_cli__said_release(&said);
    return code < 0 ? code : wanted;
}

void xylem_cli__kinds_add_missing(struct xylem_cli__text *text, const struct xylem_cli__kinds *kinds, size_t index,
                                  const char *where)
{
    const char *word = kinds->given->texts[index];
    const char *meant = xylem_cli__kind_meant(kinds->list[index]);
    struct xylem_cli__suggestions suggestions = {.wanted = xylem_view_of(word)};
    bool is_role = may_be_role(kinds->list[index]);
    if (meant) {
        xylem_cli__suggest(&suggestions, 0, meant);
    }
    bool unused = xylem_cli__kind_is_role(kinds->list[index]); /* a role that no entry has */
    for (size_t i = 0; is_role && !meant && !unused && xylem_cli__roles[i]; i++) {
        xylem_cli__suggest_word(&suggestions, "", xylem_cli__roles[i]);
    }
    xylem_cli__addf(text, "no entry%s is of the kind%s '%s'", where, is_role ? " or role" : "", word);
    xylem_cli__add_suggestions(text, &suggestions, "'");
}

/* A kind may appear in later entries, so a missing kind is no error. */
void xylem_cli__kinds_note_missing(struct xylem_cli *cli, const struct xylem_cli__kinds *kinds, const char *where)
{
    for (size_t i = 0; i < kinds->given->count; i++) {
        struct xylem_cli__text text = {0};
        if (!kinds->found[i]) {
            xylem_cli__kinds_add_missing(&text, kinds, i, where);
            xylem_cli__note(cli, "%s", text.failed ? kinds->given->texts[i] : text.bytes.data);
        }
        xylem_cli__text_release(&text);
    }
}

void xylem_cli__kinds_release(struct xylem_cli__kinds *kinds)
{
    for (size_t i = 0; i < XYLEM_CLI__LIST_MAX; i++) {
        xylem_buffer_release(&kinds->storage[i]);
    }
}
