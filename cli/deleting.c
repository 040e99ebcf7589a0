/* Describes a session for `delete` and `undelete`: for people, for programs, and its last activity. */
#include "cli/deleting.h"
#include "xylem/branch.h"

int xylem_cli__describe_session(struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_session *session)
{
    struct xylem_labels labels = {0};
    int code = xylem_labels_read(&labels, cli->txn, session->number, &cli->err);
    xylem_cli__add(text, "session ");
    xylem_cli__add_shown(cli, text, session->id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, " (");
    if (labels.name.data) {
        xylem_cli__add_shown(cli, text, labels.name, XYLEM_CLI__ONE_LINE, 60);
        xylem_cli__add(text, ", ");
    }
    if (session->state == XYLEM_SESSION_IMPORTING || session->import_unfinished) {
        xylem_cli__add(text, "its import has not finished)");
    } else {
        xylem_cli__addf(text, "its leaf has depth %llu)", (unsigned long long)session->leaf.depth);
    }
    xylem_labels_release(&labels);
    return code != 0 || !text->failed ? code : xylem_cli__fail_memory(cli);
}

static void take_newest(int64_t *newest_ms, int64_t time_ms)
{
    *newest_ms = time_ms > *newest_ms ? time_ms : *newest_ms;
}

int xylem_cli__last_active(struct xylem_cli *cli, int64_t *time_ms, const struct xylem_session *session)
{
    struct xylem_move move;
    struct xylem_entry leaf;
    struct xylem_tips *tips = NULL; /* they have the newest entry of each branch */
    struct xylem_tip tip;
    int code = 0;
    *time_ms = session->created_ms;
    if (!xylem_cli__position_none(session->leaf) && (code = xylem_cli__entry_read(cli, &leaf, session->leaf)) == 0) {
        take_newest(time_ms, leaf.time_ms);
    }
    if (code == 0 && session->move_count > 0 &&
        (code = xylem_cli__move_read(cli, &move, session->number, session->move_count)) == 0) {
        take_newest(time_ms, move.time_ms);
    }
    code = code == 0 ? xylem_tips_new(&tips, cli->txn, session->number, &cli->err) : code;
    while (code == 0 && (code = xylem_tips_next(&tip, tips, &cli->err)) == 1) {
        take_newest(time_ms, tip.entry.time_ms);
        code = 0;
    }
    xylem_tips_free(tips);
    return code;
}

int xylem_cli__add_deleted(struct xylem_cli *cli, struct xylem_cli__text *elements, const struct xylem_session *session)
{
    struct xylem_labels labels = {0};
    int64_t active_ms;
    int code;
    if ((code = xylem_cli__last_active(cli, &active_ms, session)) == 0 &&
        (code = xylem_labels_read(&labels, cli->txn, session->number, &cli->err)) == 0) {
        xylem_cli__json_begin(elements, '{');
        xylem_cli__member_string(elements, "session", session->id);
        xylem_cli__member_maybe(elements, "name", labels.name);
        xylem_cli__member_time(elements, "active", active_ms);
        xylem_cli__json_end(elements, '}');
    }
    xylem_labels_release(&labels);
    return code != 0 || !elements->failed ? code : xylem_cli__fail_memory(cli);
}

int xylem_cli__put_deleted(struct xylem_cli *cli, bool dry_run, const struct xylem_cli__text *sessions,
                           const struct xylem_cli__text *left)
{
    struct xylem_cli__text text = {0};
    xylem_cli__json_document(&text);
    xylem_cli__member_bool(&text, "dry_run", dry_run);
    xylem_cli__member_list(&text, "sessions", sessions);
    xylem_cli__member_list(&text, "left", left);
    xylem_cli__json_end(&text, '}');
    return xylem_cli__put_output(cli, &text, true);
}

void xylem_cli__note_deleted(struct xylem_cli *cli, const char *command, const char *argument, const char *does)
{
    struct xylem_cli__text next = {0};
    xylem_cli__add_named(cli, &next, command, argument);
    xylem_cli__addf(&next, " %s, until ", does);
    xylem_cli__add_named(cli, &next, "gc", NULL);
    if (!next.failed) {
        xylem_cli__note(cli, "%s", next.bytes.data);
    }
    xylem_cli__text_release(&next);
}
