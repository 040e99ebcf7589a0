/* xylem log: lists the entries of a path, newest first. */
#include "cli/cli.h"
#include "cli/show/entries.h"
#include "xylem/branch.h"

#include <stdlib.h>

struct log_options {
    struct xylem_cli__list kinds;
    const char *since;
    const char *until;
    struct xylem_cli__count count;
    bool full;
    bool reverse;
    struct xylem_cli__patterns patterns;
    struct xylem_cli__form form;
};

static const struct xylem_cli__option log_table[] = {
    {"number", 'n', "N", XYLEM_CLI__COUNT, offsetof(struct log_options, count), "at most N entries, the newest", NULL},
    {"kind", 'k', "KIND", XYLEM_CLI__LIST, offsetof(struct log_options, kinds),
     "only entries of this kind, or messages of this role: compaction, custom:readonly, user (may be repeated)", NULL},
    {"since", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct log_options, since),
     "only entries since TIME: 2h, 3d, 2026-11-20", NULL},
    {"until", 0, "TIME", XYLEM_CLI__TEXT, offsetof(struct log_options, until), "only entries up to TIME", NULL},
    {"reverse", 'r', NULL, XYLEM_CLI__FLAG, offsetof(struct log_options, reverse), "oldest first", NULL},
    {"full", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct log_options, full), "print each entry whole, as a paragraph",
     NULL},
    XYLEM_CLI__LEFT_OUT_ROWS(struct log_options),
    XYLEM_CLI__FORM_ROWS(struct log_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* The list, newest entry first. */
struct list {
    const struct log_options *given;
    struct xylem_cli__kinds kinds;
    int64_t since_ms;
    int64_t until_ms;
    struct xylem_position *positions;
    size_t count;
    size_t capacity;
    struct xylem_labels labels;
    struct xylem_cli__short_ids short_ids;
    struct xylem_cli__lines lines;
    struct xylem_cli__documents documents;
    struct xylem_cli__text text;
};

/* Gathers the listed entries first: the widths of the columns are known only at the end. */
static int gather(struct xylem_cli *cli, struct list *list, struct xylem_position from)
{
    struct xylem_cli__count limit = list->given->count;
    struct xylem_walk *path = NULL;
    struct xylem_entry entry;
    int code = xylem_walk_new(&path, cli->txn, from, &cli->err);
    while (code == 0 && (!limit.given || list->count < limit.number)) {
        code = xylem_cli__stored(cli, xylem_walk_next(&entry, path, &cli->err), from);
        if (code != 1) {
            break;
        }
        code = xylem_cli__kinds_match(cli, &list->kinds, &entry);
        if (code == 1 && (entry.time_ms < list->since_ms || entry.time_ms > list->until_ms)) {
            code = 0;
        } else if (code == 1) {
            xylem_cli__lines_measure(cli, &list->lines, &entry);
            code = xylem_cli__list_add(cli, &list->positions, &list->count, &list->capacity, &entry.position,
                                       sizeof entry.position);
        }
    }
    xylem_walk_free(path);
    return code;
}

/* `8d16e680  message assistant`, then `2026-11-20 17:18:05 (2h ago), depth 6, 312 B`, then the text. */
static int add_paragraph(struct xylem_cli *cli, struct list *list, const struct xylem_entry *entry, bool first)
{
    struct xylem_cli__text *text = &list->text;
    struct xylem_cli__said said;
    int code = xylem_cli__said_read(cli, &said, entry);
    if (code == 0) {
        xylem_cli__add(text, first ? "" : "\n");
        xylem_cli__add_colored(cli, text, entry->id, XYLEM_CLI__YELLOW);
        xylem_cli__add(text, "  ");
        xylem_cli__add_kind_and_role(cli, text, &said);
        xylem_cli__add(text, "  ");
        xylem_cli__add_marks(cli, text, &list->lines, entry);
        xylem_cli__end_line(text);
        xylem_cli__color_on(cli, text, XYLEM_CLI__DIM);
        xylem_cli__add_time(text, entry->time_ms);
        xylem_cli__add(text, " ");
        xylem_cli__add_ago(cli, text, entry->time_ms);
        xylem_cli__addf(text, ", depth %llu, ", (unsigned long long)entry->position.depth);
        xylem_cli__add_size(text, entry->payload_bytes);
        xylem_cli__color_off(cli, text, XYLEM_CLI__DIM);
        xylem_cli__add(text, "\n");
        size_t bytes = text->bytes.bytes;
        xylem_cli__add(text, "\n");
        xylem_cli__add_said(cli, text, &said, true);
        if (text->bytes.bytes == bytes + 1) {
            text->bytes.bytes = bytes; /* drops an empty paragraph */
        }
    }
    xylem_cli__said_release(&said);
    return code;
}

static int print(struct xylem_cli *cli, struct list *list)
{
    struct xylem_entry entry;
    int code = 0;
    for (size_t i = 0; code == 0 && i < list->count; i++) {
        code = xylem_cli__entry_read(cli, &entry, list->positions[list->given->reverse ? list->count - 1 - i : i]);
        if (code != 0) {
            break;
        }
        if (list->documents.wanted) {
            xylem_cli__json_document(&list->text);
            if ((code = xylem_cli__json_entry(cli, &list->text, &entry, XYLEM_MEMBERS_ENTRY)) == 0) {
                xylem_cli__member_maybe(&list->text, "label", xylem_cli__label_text(&list->labels, entry.id));
                code = xylem_cli__json_entry(cli, &list->text, &entry, XYLEM_MEMBERS_PAYLOAD);
            }
            xylem_cli__json_end(&list->text, '}');
        } else if (list->given->full) {
            code = add_paragraph(cli, list, &entry, i == 0);
        } else {
            code = xylem_cli__add_entry_line(cli, &list->text, &list->lines, &entry, 0);
        }
        if (code == 0) {
            code = xylem_cli__documents_put(cli, &list->documents, &list->text);
        }
    }
    return code == 0 ? xylem_cli__documents_end(cli, &list->documents) : code;
}

static void note_nothing(struct xylem_cli *cli, const struct xylem_session *session, bool filtered)
{
    struct xylem_cli__text text = {0};
    char *id = strndup(session->id.data, session->id.bytes);
    xylem_cli__add(&text, filtered ? "no entry of the path passes the filters" : "the path has no entry");
    if (!filtered && id && session->last_lsn > 0) {
        xylem_cli__add(&text, "; ");
        xylem_cli__add_named(cli, &text, "tree", id);
        xylem_cli__add(&text, " shows all entries");
    }
    free(id);
    xylem_cli__note(cli, "%s", text.failed ? "" : text.bytes.data);
    xylem_cli__text_release(&text);
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct log_options *given = options;
    struct list list = {.given = given, .since_ms = INT64_MIN, .until_ms = INT64_MAX};
    struct xylem_cli__place place;
    int code;
    if ((code = xylem_cli__documents_start(cli, &list.documents, given->form, "entries")) < 0 ||
        (code = xylem_cli__leave_out_given(cli, &given->patterns)) < 0 ||
        (code = xylem_cli__kinds_read(cli, &list.kinds, &given->kinds)) < 0 ||
        (code = xylem_cli__when_between(cli, &list.since_ms, &list.until_ms, given->since, given->until)) < 0 ||
        (code = xylem_cli__open_paged(cli, !list.documents.wanted)) < 0 ||
        (code = xylem_cli__place_find(cli, &place, arguments[0], XYLEM_CLI__LOOKED_AT, xylem_cli__entry_or_none)) < 0) {
        goto out;
    }
    list.lines.labels = &list.labels;
    list.lines.leaf = place.session.leaf;
    if ((code = xylem_cli__labels_read(cli, &list.labels, place.session.number)) < 0 ||
        (code = gather(cli, &list, place.position)) < 0) {
        goto out;
    }
    if (!list.documents.wanted && !xylem_cli__ids_fit(cli, list.lines.id_cells)) {
        code = xylem_cli__short_ids_add_entries(cli, &list.short_ids, place.session.number);
        xylem_cli__lines_shorten(cli, &list.lines, &list.short_ids);
    }
    if (code == 0 && (code = print(cli, &list)) == 0 && (!given->count.given || list.count < given->count.number)) {
        xylem_cli__kinds_note_missing(cli, &list.kinds, " of the path");
    }
    bool none_wanted = given->count.given && given->count.number == 0;
    if (code == 0 && list.count == 0 && !none_wanted && given->kinds.count == 0 && !list.documents.wanted) {
        note_nothing(cli, &place.session, given->since || given->until);
    }
out:
    free(list.positions);
    xylem_cli__kinds_release(&list.kinds);
    xylem_labels_release(&list.labels);
    xylem_cli__short_ids_release(&list.short_ids);
    xylem_cli__text_release(&list.text);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_log = {
    .name = "log",
    .group = XYLEM_CLI__LOOK,
    .often = true,
    .summary = "List the entries of a path, newest first",
    .usage = "[PLACE] [-n N] [--kind KIND]... [--since TIME] [--until TIME] [--reverse] "
             "[--full] [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] [--json|--jsonl]",
    .details =
        "A line has depth, id, age (in a pipe: local time), role or kind, labels, a summary of the entry, and the\n"
        "size of a payload of 4 KiB or more.\n",
    .options = log_table,
    .options_bytes = sizeof(struct log_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
