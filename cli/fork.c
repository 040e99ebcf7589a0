#include "cli/fork.h"
#include "cli/show/entries.h"
#include "xylem/branch.h"

const struct xylem_cli__option xylem_cli__fork_table[] = {
    {"before", 'b', NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__fork_options, before),
     "share the path up to the entry's parent, not up to the entry", NULL},
    {"id", 0, "ID", XYLEM_CLI__TEXT, offsetof(struct xylem_cli__fork_options, id),
     "the new session's id (default: a fresh id)", NULL},
    {"labels", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__fork_options, labels),
     "append labels of the source that lie outside of the shared path", NULL},
    XYLEM_CLI__JSON_ROW(struct xylem_cli__fork_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct making {
    char **arguments;
    const struct xylem_cli__fork_options *given;
    struct xylem_cli__text text;
    struct xylem_cli__text unanswered; /* a sentence */
    size_t appended;
    size_t missing;
};

/*
 * Counts the labels that xylem_fork_labels() would append to a new fork: labels that the source set, changed or removed
 * outside of the shared path. Of a label that the source has, the fork has the target entry, but not the text.
 */
static int count_missing(struct xylem_cli *cli, size_t *missing, uint64_t fork, uint64_t source)
{
    struct xylem_labels theirs = {0};
    struct xylem_labels ours = {0};
    int code;
    *missing = 0;
    if ((code = xylem_cli__labels_read(cli, &theirs, source)) < 0 ||
        (code = xylem_cli__labels_read(cli, &ours, fork)) < 0) {
        goto out;
    }
    for (size_t i = 0; code == 0 && i < theirs.label_count; i++) {
        const struct xylem_label *label = &theirs.labels[i];
        struct xylem_view text = xylem_cli__label_text(&ours, label->target_id);
        struct xylem_position position;
        if (!text.data || !xylem_base__view_equal(text, label->text)) {
            code = xylem_find(&position, cli->txn, fork, label->target_id, &cli->err);
            *missing += code == 0 ? 1 : 0;
            code = code == XYLEM_E_NOT_FOUND ? 0 : code;
        }
    }
    for (size_t i = 0; code == 0 && i < ours.label_count; i++) {
        *missing += xylem_cli__label_of(&theirs, ours.labels[i].target_id) ? 0 : 1;
    }
out:
    xylem_labels_release(&theirs);
    xylem_labels_release(&ours);
    return code;
}

static int describe(struct xylem_cli *cli, struct making *making, uint64_t fork, uint64_t source)
{
    struct xylem_session session;
    struct xylem_session original;
    struct xylem_view base_id;
    int code = xylem_session_read(&session, cli->txn, fork, &cli->err);
    if (code != 0 || (code = xylem_session_read(&original, cli->txn, source, &cli->err)) != 0 ||
        (code = xylem_cli__entry_id(cli, &base_id, session.base)) != 0) {
        return code;
    }
    xylem_cli__text_clear(&making->text);
    xylem_cli__text_clear(&making->unanswered);
    if (!making->given->json) {
        xylem_cli__add_shown(cli, &making->text, session.id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(&making->text, "\n");
        return xylem_cli__add_unanswered(cli, &making->unanswered, session.base);
    }
    xylem_cli__json_document(&making->text);
    xylem_cli__member_string(&making->text, "session", session.id);
    xylem_cli__member_string(&making->text, "source", original.id);
    xylem_cli__member_maybe(&making->text, "forked_at", base_id);
    xylem_cli__member_count(&making->text, "forked_depth", session.base.depth);
    xylem_cli__member_count(&making->text, "labels_appended", making->appended);
    xylem_cli__member_count(&making->text, "labels_missing", making->missing);
    xylem_cli__json_end(&making->text, '}');
    return 0;
}

static int change(struct xylem_cli *cli, void *context)
{
    struct making *making = context;
    const struct xylem_cli__fork_options *given = making->given;
    struct xylem_session_options options = {.id = xylem_view_of(given->id)};
    struct xylem_cli__place place;
    struct xylem_session *source = &place.session;
    struct xylem_session fork;
    int code;
    if (given->id && (code = xylem_cli__check_new_id(cli, given->id)) != 0) {
        return code;
    }
    if (cli->command->arguments[0] == XYLEM_CLI__SESSION) { /* clone, which takes no entry */
        code = xylem_cli__session(cli, source, making->arguments[0]);
        code = code < 0 ? code : xylem_clone(&fork, cli->txn, source->number, &options, &cli->err);
    } else if ((code = xylem_cli__place_find(cli, &place, making->arguments[0], XYLEM_CLI__CHANGED_ENTRY,
                                             xylem_cli__entry)) == 0) {
        code = xylem_fork(&fork, cli->txn, source->number, place.position,
                          given->before ? XYLEM_FORK_BEFORE : XYLEM_FORK_AT, &options, &cli->err);
    }
    making->appended = 0;
    if (code == 0 && given->labels) {
        code = xylem_fork_labels(&making->appended, cli->txn, fork.number, source->number, &cli->err);
    }
    if (code != 0 || (code = count_missing(cli, &making->missing, fork.number, source->number)) != 0) {
        return code;
    }
    return describe(cli, making, fork.number, source->number);
}

int xylem_cli__fork_run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__fork_options *given = options;
    struct making making = {.arguments = arguments, .given = given};
    if (given->id && *given->id == '\0') {
        return xylem_cli__usage(cli, "a session id has 1 to %u bytes", XYLEM_SESSION_ID_BYTES_MAX);
    }
    int code = xylem_cli__change(cli, change, &making);
    if (code == 0) {
        code = xylem_cli__put_output(cli, &making.text, given->json);
    }
    bool notes = code == 0 && !given->json;
    if (notes && making.appended > 0) {
        xylem_cli__note(cli, "%zu label%s of the source appended", making.appended, making.appended == 1 ? "" : "s");
    }
    if (notes && making.missing > 0) {
        xylem_cli__note(cli,
                        "%zu label%s of the source lie%s outside of the shared path and %s left behind"
                        " (--labels appends such labels)",
                        making.missing, making.missing == 1 ? "" : "s", making.missing == 1 ? "s" : "",
                        making.missing == 1 ? "was" : "were");
    }
    if (notes && making.unanswered.bytes.bytes > 0) {
        xylem_cli__note(cli, "%s", making.unanswered.bytes.data);
    }
    xylem_cli__text_release(&making.unanswered);
    xylem_cli__text_release(&making.text);
    return code;
}
