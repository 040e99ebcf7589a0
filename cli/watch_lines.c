/* The lines and documents of xylem watch. */
#include "cli/watch.h"

#include "cli/show/entries.h"

#define WHO_CELLS_MIN 10u /* most roles fit */
#define WHO_CELLS_MAX 15u
#define WIDTH_WITH_DAY 100u
#define SUMMARY_CELLS 72u
#define SUMMARY_CELLS_MIN 12u
#define DIRECTORY_CELLS_MAX 60u

void xylem_cli__watch_begin_event(struct xylem_cli__watched *watched, const struct xylem_cli__followed *followed,
                                  const char *event)
{
    xylem_cli__json_document(&watched->text);
    xylem_cli__member_string(&watched->text, "event", xylem_view_of(event));
    if (watched->whole_store && followed) {
        xylem_cli__member_string(&watched->text, "session", xylem_view_of(followed->id));
    }
}

void xylem_cli__watch_end_event(struct xylem_cli__watched *watched)
{
    xylem_cli__json_end(&watched->text, '}');
    xylem_cli__add(&watched->text, "\n");
}

/* Columns begin narrow and grow, because later entries are not known. */
static size_t widen(size_t *cells, size_t wanted)
{
    *cells = *cells > wanted ? *cells : wanted;
    return *cells;
}

/* Adds the session before a line, if the watch is of the whole store. Gives the cells. */
static size_t add_session(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                          const struct xylem_cli__followed *followed)
{
    struct xylem_view id = xylem_view_of(followed->id);
    if (!watched->whole_store) {
        return 0;
    }
    if (watched->short_ids.count == 0 && xylem_cli__short_ids_read(cli, &watched->short_ids) != 0) {
        watched->text.failed = true;
    }
    id = xylem_cli__short_id(&watched->short_ids, id);
    widen(&watched->session_cells, xylem_cli__cells(cli, id, SIZE_MAX));
    xylem_cli__add_column(cli, &watched->text, id, watched->session_cells, XYLEM_CLI__YELLOW);
    xylem_cli__add(&watched->text, "  ");
    return watched->session_cells + 2;
}

/* Adds a line with the parent if the entry does not follow the line above. */
static int add_fork_point(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                          const struct xylem_cli__followed *followed, const struct xylem_entry *entry)
{
    struct xylem_view parent;
    int code = xylem_entry_parent_id(&parent, cli->txn, entry, &cli->err);
    if (code < 0 || xylem_cli__position_equal(entry->parent, followed->shown)) {
        return code < 0 ? code : 0;
    }
    add_session(cli, watched, followed);
    xylem_cli__color_on(cli, &watched->text, XYLEM_CLI__DIM);
    if (code == 0) {
        xylem_cli__add(&watched->text, "a new root:");
    } else {
        xylem_cli__add(&watched->text, "below ");
        xylem_cli__add_shown(cli, &watched->text, parent, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(&watched->text, ":");
    }
    xylem_cli__color_off(cli, &watched->text, XYLEM_CLI__DIM);
    xylem_cli__add(&watched->text, "\n");
    return 0;
}

/* `id time who what-it-says` */
static int add_entry_line(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                          const struct xylem_cli__followed *followed, const struct xylem_entry *entry, bool is_new)
{
    struct xylem_cli__text who = {0};
    struct xylem_cli__text when = {0};
    /* On a narrow terminal the day is left out: new entries are from today. */
    size_t skipped = cli->width > 0 && cli->width < WIDTH_WITH_DAY ? sizeof("2026-11-20") : 0;
    struct xylem_cli__said said = {0};
    int code = is_new ? add_fork_point(cli, watched, followed, entry) : 0;
    if (code == 0 && (code = xylem_cli__said_read(cli, &said, entry)) == 0) {
        size_t used = add_session(cli, watched, followed);
        used += widen(&watched->id_cells, xylem_cli__cells(cli, entry->id, SIZE_MAX)) + 6;
        xylem_cli__add_column(cli, &watched->text, entry->id, watched->id_cells, XYLEM_CLI__YELLOW);
        xylem_cli__add(&watched->text, "  ");
        xylem_cli__add_time(&when, entry->time_ms);
        size_t cells = when.bytes.bytes > skipped ? when.bytes.bytes - skipped : 0;
        used += cells;
        xylem_cli__color_on(cli, &watched->text, XYLEM_CLI__DIM);
        xylem_cli__add_bytes(&watched->text, cells == 0 ? "" : when.bytes.data + skipped, cells);
        xylem_cli__color_off(cli, &watched->text, XYLEM_CLI__DIM);
        xylem_cli__add(&watched->text, "  ");
        xylem_cli__add_who(cli, &who, &said);
        size_t who_cells = xylem_cli__cells(cli, xylem_cli__text_view(&who), WHO_CELLS_MAX);
        used += widen(&watched->who_cells, who_cells < WHO_CELLS_MIN ? WHO_CELLS_MIN : who_cells);
        xylem_cli__add_column(cli, &watched->text, xylem_cli__text_view(&who), watched->who_cells,
                              xylem_cli__who_color(&said));
        xylem_cli__add(&watched->text, "  ");
        size_t left = cli->width == 0 ? SUMMARY_CELLS : cli->width > used ? cli->width - used : 0;
        xylem_cli__add_said_line(cli, &watched->text, &said, left < SUMMARY_CELLS_MIN ? SUMMARY_CELLS_MIN : left);
        xylem_cli__end_line(&watched->text);
    }
    xylem_cli__part_end(&watched->text, &when);
    xylem_cli__part_end(&watched->text, &who);
    xylem_cli__said_release(&said);
    return code;
}

int xylem_cli__watch_entry(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                           struct xylem_cli__followed *followed, const struct xylem_entry *entry, bool is_new)
{
    int code;
    if (watched->jsonl) {
        xylem_cli__watch_begin_event(watched, followed, "entry");
        xylem_cli__member_bool(&watched->text, "is_new", is_new);
        code = xylem_cli__json_entry(cli, &watched->text, entry, XYLEM_MEMBERS_ENTRY | XYLEM_MEMBERS_PAYLOAD);
        xylem_cli__watch_end_event(watched);
    } else {
        code = add_entry_line(cli, watched, followed, entry, is_new);
    }
    followed->shown = entry->position;
    return code;
}

int xylem_cli__watch_move(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                          struct xylem_cli__followed *followed, const struct xylem_move *move)
{
    struct xylem_view from;
    struct xylem_view to;
    int code;
    followed->shown = move->to;
    if ((code = xylem_cli__entry_id(cli, &from, move->from)) < 0 ||
        (code = xylem_cli__entry_id(cli, &to, move->to)) < 0) {
        return code;
    }
    if (watched->jsonl) {
        xylem_cli__watch_begin_event(watched, followed, "move");
        xylem_cli__member_count(&watched->text, "number", move->number);
        xylem_cli__member_time(&watched->text, "time", move->time_ms);
        xylem_cli__member_maybe(&watched->text, "from", from);
        xylem_cli__member_maybe(&watched->text, "to", to);
        xylem_cli__member_string(&watched->text, "reason", move->reason);
        xylem_cli__watch_end_event(watched);
        return 0;
    }
    add_session(cli, watched, followed);
    xylem_cli__color_on(cli, &watched->text, XYLEM_CLI__GREEN);
    xylem_cli__add(&watched->text, "leaf: ");
    xylem_cli__add_change(cli, &watched->text, from, to);
    if (move->reason.bytes > 0) {
        xylem_cli__add(&watched->text, " (");
        xylem_cli__add_shown(cli, &watched->text, move->reason, XYLEM_CLI__ONE_LINE, SIZE_MAX);
        xylem_cli__add(&watched->text, ")");
    }
    xylem_cli__color_off(cli, &watched->text, XYLEM_CLI__GREEN);
    xylem_cli__add(&watched->text, "\n");
    return 0;
}

/* The session with the entry of the base, and the id of the entry. A part of a freed session has no id. */
static int read_source(struct xylem_cli *cli, struct xylem_view *source, struct xylem_view *entry,
                       struct xylem_position base)
{
    struct xylem_session owner;
    uint64_t number;
    int code;
    *source = (struct xylem_view){NULL, 0};
    *entry = (struct xylem_view){NULL, 0};
    if (xylem_cli__position_none(base)) {
        return 0;
    }
    if ((code = xylem_cli__entry_id(cli, entry, base)) < 0 || (code = xylem_cli__owner(cli, &number, base)) < 0 ||
        (code = xylem_session_read(&owner, cli->txn, number, &cli->err)) < 0) {
        return code;
    }
    if (owner.id.bytes > 0 && owner.name_space.bytes == 0) { /* in a namespace the id alone means another session */
        *source = owner.id;
    }
    return 0;
}

int xylem_cli__watch_session(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                             const struct xylem_cli__followed *followed, const struct xylem_session *session)
{
    struct xylem_view source;
    struct xylem_view entry;
    int code = read_source(cli, &source, &entry, session->base);
    if (code < 0) {
        return code;
    }
    if (watched->jsonl) {
        xylem_cli__watch_begin_event(watched, followed, "session");
        xylem_cli__member_time(&watched->text, "created", session->created_ms);
        xylem_cli__member_maybe(&watched->text, "cwd", session->cwd);
        xylem_cli__member_maybe(&watched->text, "source", source);
        xylem_cli__member_maybe(&watched->text, "forked_at", entry);
        xylem_cli__watch_end_event(watched);
        return 0;
    }
    add_session(cli, watched, followed);
    xylem_cli__color_on(cli, &watched->text, XYLEM_CLI__GREEN);
    if (entry.data) {
        xylem_cli__add(&watched->text, "forked at ");
        xylem_cli__add_shown(cli, &watched->text, entry, XYLEM_CLI__EXACT, SIZE_MAX);
        if (source.data) {
            xylem_cli__add(&watched->text, " of ");
            xylem_cli__add_shown(cli, &watched->text, xylem_cli__short_id(&watched->short_ids, source),
                                 XYLEM_CLI__EXACT, SIZE_MAX);
        }
    } else {
        xylem_cli__add(&watched->text, "new session");
    }
    xylem_cli__color_off(cli, &watched->text, XYLEM_CLI__GREEN);
    if (session->cwd.data) {
        xylem_cli__add(&watched->text, "  ");
        xylem_cli__add_path(cli, &watched->text, "", session->cwd, DIRECTORY_CELLS_MAX);
    }
    xylem_cli__add(&watched->text, "\n");
    return 0;
}

int xylem_cli__watch_state(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                           const struct xylem_cli__followed *followed, enum xylem_change_type type)
{
    const char *word = xylem_change_word(type);
    if (watched->jsonl) {
        xylem_cli__watch_begin_event(watched, followed, word);
        xylem_cli__watch_end_event(watched);
        return 0;
    }
    add_session(cli, watched, followed);
    xylem_cli__add_colored(cli, &watched->text, xylem_view_of(word),
                           type == XYLEM_CHANGE_UNDELETED ? XYLEM_CLI__GREEN : XYLEM_CLI__RED);
    xylem_cli__add(&watched->text, "\n");
    return 0;
}

int xylem_cli__watch_redacted(struct xylem_cli *cli, struct xylem_cli__watched *watched,
                              const struct xylem_cli__followed *followed, struct xylem_view entry_id)
{
    if (watched->jsonl) {
        xylem_cli__watch_begin_event(watched, followed, xylem_change_word(XYLEM_CHANGE_REDACTED));
        xylem_cli__member_string(&watched->text, "entry", entry_id);
        xylem_cli__watch_end_event(watched);
        return 0;
    }
    add_session(cli, watched, followed);
    xylem_cli__add_colored(cli, &watched->text, xylem_view_of("redacted: "), XYLEM_CLI__RED);
    xylem_cli__add_shown(cli, &watched->text, entry_id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(&watched->text, "\n");
    return 0;
}
