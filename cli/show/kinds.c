/* Selects entries by kind: an option that may be repeated. */
#include "cli/show/entries.h"

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

/* 1 if a given name is the message's role, and notes the name as found; else 0. */
static int match_role(struct xylem_cli *cli, struct xylem_cli__kinds *kinds, const struct xylem_entry *entry)
{
    struct xylem_cli__said said;
    int code = xylem_cli__said_read(cli, &said, entry);
    for (size_t i = 0; code >= 0 && said.role.data && i < kinds->given->count; i++) {
        if (may_be_role(kinds->list[i]) && xylem_base__view_equal(kinds->list[i].name, said.role)) {
            kinds->found[i] = true;
            code = 1;
        }
    }
    xylem_cli__said_release(&said);
    return code;
}

int xylem_cli__kinds_match(struct xylem_cli *cli, struct xylem_cli__kinds *kinds, const struct xylem_entry *entry)
{
    int wanted = kinds->given->count == 0 ? 1 : 0;
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
    int matched = match_role(cli, kinds, entry);
    return matched < 0 || matched > wanted ? matched : wanted;
}

/* A kind may appear in later entries, so a missing kind is no error. */
void xylem_cli__kinds_note_missing(struct xylem_cli *cli, const struct xylem_cli__kinds *kinds, const char *where)
{
    for (size_t i = 0; i < kinds->given->count; i++) {
        const char *meant = xylem_cli__kind_meant(kinds->list[i]);
        if (!kinds->found[i]) {
            xylem_cli__note(cli, "no entry of the %s is of the kind%s '%s'%s%s%s", where,
                            may_be_role(kinds->list[i]) ? " or role" : "", kinds->given->texts[i],
                            !meant ? "" : ": did you mean ", meant ? meant : "", meant ? "?" : "");
        }
    }
}

void xylem_cli__kinds_release(struct xylem_cli__kinds *kinds)
{
    for (size_t i = 0; i < XYLEM_CLI__LIST_MAX; i++) {
        xylem_buffer_release(&kinds->storage[i]);
    }
}
