/* xylem label: sets or removes the label of an entry, by a `label` entry as pi writes it. */
#include "cli/cli.h"
#include "xylem/branch.h"

struct label_options {
    bool only_in_store;
    bool json;
};

static const struct xylem_cli__option label_table[] = {XYLEM_CLI__ONLY_IN_STORE_ROW(struct label_options),
                                                       XYLEM_CLI__JSON_ROW(struct label_options),
                                                       {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct labelling {
    char **arguments;
    const struct label_options *given;
    struct xylem_cli__text text; /* for people: the old and the new label */
    struct xylem_cli__text payload;
};

/* Makes the payload and the line for people. Error: there is no label to remove. */
static int describe(struct xylem_cli *cli, struct labelling *labelling, const struct xylem_session *session,
                    struct xylem_view target)
{
    struct xylem_view wanted = xylem_view_of(labelling->arguments[1]);
    struct xylem_labels labels = {0};
    int code = xylem_cli__labels_read(cli, &labels, session->number);
    struct xylem_view label = xylem_cli__label_text(&labels, target);
    xylem_cli__text_clear(&labelling->text);
    xylem_cli__text_clear(&labelling->payload);
    if (code == 0 && wanted.bytes == 0 && label.bytes == 0) {
        code = xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "the entry %.*s has no label", (int)target.bytes, target.data);
    }
    if (code == 0 && labelling->given->json) {
        xylem_cli__json_change(&labelling->text, session->id, target, label, wanted);
    } else if (code == 0) {
        xylem_cli__add(&labelling->text, "label of ");
        xylem_cli__add_shown(cli, &labelling->text, target, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(&labelling->text, ": ");
        xylem_cli__add_change(cli, &labelling->text, label, wanted);
        xylem_cli__add(&labelling->text, "\n");
    }
    if (code == 0) {
        xylem_cli__json_begin(&labelling->payload, '{');
        xylem_cli__member_string(&labelling->payload, "targetId", target);
        if (wanted.bytes > 0) { /* an entry without the member removes the label */
            xylem_cli__member_string(&labelling->payload, "label", wanted);
        }
        xylem_cli__json_end(&labelling->payload, '}');
    }
    xylem_labels_release(&labels);
    return code;
}

static int change(struct xylem_cli *cli, void *context)
{
    struct labelling *labelling = context;
    struct xylem_cli__place place;
    struct xylem_view target;
    int code;
    if ((code = xylem_cli__place_find(cli, &place, labelling->arguments[0], XYLEM_CLI__CHANGED_ENTRY,
                                      xylem_cli__entry)) < 0 ||
        (code = xylem_cli__check_host(cli, &place.session, labelling->given->only_in_store,
                                      "in pi, press shift+l on the entry in /tree")) < 0 ||
        (code = xylem_cli__entry_id(cli, &target, place.position)) < 0 ||
        (code = describe(cli, labelling, &place.session, target)) < 0) {
        return code;
    }
    code = xylem_cli__append_host(cli, &place.session, "label", &labelling->payload);
    return xylem_cli__if_leased(cli, code, place.session.id);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct labelling labelling = {.arguments = arguments, .given = options};
    const char *label = arguments[1];
    if (label && *label == '\0') {
        return xylem_cli__usage(cli, "the TEXT is empty: leave TEXT out to remove the label");
    }
    if (label && xylem_cli__label_is_hidden(xylem_view_of(label))) {
        return xylem_cli__usage(cli, "the label '%s' would not name the entry: '%s' means another place", label, label);
    }
    int code = xylem_cli__change_and_put(cli, change, &labelling, &labelling.text, labelling.given->json);
    xylem_cli__text_release(&labelling.payload);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_label = {
    .name = "label",
    .group = XYLEM_CLI__CHANGE,
    .summary = "Set or remove the label of an entry",
    .usage = "SESSION:ENTRY [TEXT] [--only-in-store] [--json]",
    .details =
        "Appends a `label` entry behind the leaf, as pi does. Without TEXT the label is removed. Prints the old and\n"
        "the new label.\n",
    .options = label_table,
    .options_bytes = sizeof(struct label_options),
    .arguments_min = 1,
    .arguments_max = 2,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
