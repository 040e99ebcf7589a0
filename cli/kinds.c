/* Which kinds of entries are asked for: an option that may be given more than once. */
#include "cli/cli.h"

int xylem_cli__kinds_read(struct xylem_cli *cli, struct xylem_cli__kinds *kinds, const struct xylem_cli__list *given)
{
    int code = 0;

    kinds->given = given;
    for (size_t i = 0; i < given->count && code == 0; i++) {
        code = xylem_kind_parse(&kinds->list[i], &kinds->storage[i], xylem_view_of(given->texts[i]), &cli->err);
    }
    return code;
}

bool xylem_cli__kind_equal(struct xylem_kind a, struct xylem_kind b)
{
    return a.kind_class == b.kind_class && xylem_cli__view_equal(a.name, b.name);
}

bool xylem_cli__kinds_match(struct xylem_cli__kinds *kinds, struct xylem_kind kind)
{
    bool wanted = kinds->given->count == 0;

    for (size_t i = 0; i < kinds->given->count; i++) {
        if (xylem_cli__kind_equal(kinds->list[i], kind)) {
            kinds->found[i] = true;
            wanted = true;
        }
    }
    return wanted;
}

/* A kind may be one that is yet to come: it is no error if there is none. */
void xylem_cli__kinds_note_missing(struct xylem_cli *cli, const struct xylem_cli__kinds *kinds, const char *where)
{
    struct xylem_cli__text text = {0};

    for (size_t i = 0; i < kinds->given->count; i++) {
        if (!kinds->found[i]) {
            xylem_cli__add_shown(cli, &text, xylem_view_of(kinds->given->texts[i]), XYLEM_CLI__EXACT, SIZE_MAX);
            xylem_cli__note(cli, "no entry of the %s is of the kind '%s'", where, text.failed ? "?" : text.bytes.data);
            xylem_cli__text_clear(&text);
        }
    }
    xylem_cli__text_release(&text);
}

void xylem_cli__kinds_release(struct xylem_cli__kinds *kinds)
{
    for (size_t i = 0; i < XYLEM_CLI__LIST_MAX; i++) {
        xylem_buffer_release(&kinds->storage[i]);
    }
}
