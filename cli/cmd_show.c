/* xylem show: prints an entry and its payload. */
#include "cli/cli.h"
#include "cli/show/entries.h"
#include "xylem/branch.h"

#define REST_CELLS 100u /* cells of a member if the width of a line is not known */
#define CHILDREN_SHOWN 8u

struct show_options {
    struct xylem_cli__form form;
    bool full;
    bool raw;
    struct xylem_cli__patterns patterns;
};

static const struct xylem_cli__option show_table[] = {
    {"full", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct show_options, full), "print long texts whole", NULL},
    XYLEM_CLI__FORM_ROWS(struct show_options, "the same"),
    {"raw", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct show_options, raw), "print the payload's stored bytes", NULL},
    XYLEM_CLI__LEFT_OUT_ROWS(struct show_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static void add_name(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name)
{
    xylem_cli__add_column(cli, text, xylem_view_of(name), 10, XYLEM_CLI__DIM);
}

static void add_row(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name,
                    struct xylem_view value, const char *color)
{
    add_name(cli, text, name);
    xylem_cli__add_colored(cli, text, value, color);
    xylem_cli__add(text, "\n");
}

static void add_facts(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry)
{
    static const char *const formats[] = {"none", "msgpack", "json", "line"};
    bool known = (size_t)entry->format < sizeof formats / sizeof formats[0];
    add_name(cli, text, "time");
    xylem_cli__add_time(text, entry->time_ms);
    xylem_cli__addf(text, ".%03d ", (int)(((entry->time_ms % 1000) + 1000) % 1000));
    xylem_cli__add_ago(cli, text, entry->time_ms);
    xylem_cli__add(text, "\n");
    add_name(cli, text, "place");
    xylem_cli__addf(text, "depth %llu, branch %llu, lsn %llu\n", (unsigned long long)entry->position.depth,
                    (unsigned long long)entry->position.branch, (unsigned long long)entry->lsn);
    add_name(cli, text, "check");
    xylem_cli__addf(text, "%016llx\n", (unsigned long long)entry->check);
    add_name(cli, text, "payload");
    bool redacted = (entry->flags & XYLEM_ENTRY_REDACTED) != 0;
    if (redacted) {
        bool dropped = (entry->flags & XYLEM_ENTRY_HASH_DROPPED) != 0;
        xylem_cli__add(text, dropped ? "redacted, its hash dropped" : "redacted");
    } else if (entry->format == XYLEM_FORMAT_NONE) {
        xylem_cli__add(text, "none");
    } else {
        xylem_cli__add_size(text, entry->payload_bytes);
        xylem_cli__addf(text, " of %s", known ? formats[entry->format] : "unknown");
    }
    if (entry->line_bytes > 0 && !redacted && entry->format != XYLEM_FORMAT_LINE) {
        xylem_cli__add(text, ", imported line kept: ");
        xylem_cli__add_size(text, entry->line_bytes);
    } else if ((entry->flags & XYLEM_ENTRY_IMPORTED) != 0) {
        xylem_cli__add(text, ", imported");
    }
    xylem_cli__add(text, "\n");
}

/* `usage  {"input":1446,...}`: members of the payload that were not shown yet. */
static void add_rest(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__said *said,
                     const struct xylem_value *map, bool full)
{
    size_t cells = full ? SIZE_MAX : cli->width == 0 ? REST_CELLS : cli->width > 40 ? cli->width - 20 : 20;
    const struct xylem_value *name = xylem_value_type(map) == XYLEM_VALUE_MAP ? xylem_value_first(map) : NULL;
    while (name) {
        const struct xylem_value *member = xylem_value_next(map, name);
        if (member != said->message && !xylem_cli__said_shows(said, xylem_value_string(name), member)) {
            struct xylem_buffer json = {0};
            text->failed = text->failed || xylem_value_json(&json, member) != 0;
            xylem_cli__color_on(cli, text, XYLEM_CLI__DIM);
            size_t filled = xylem_cli__add_shown(cli, text, xylem_value_string(name), XYLEM_CLI__EXACT, 40);
            xylem_cli__color_off(cli, text, XYLEM_CLI__DIM);
            xylem_cli__add_repeated(text, " ", filled < 16 ? 18 - filled : 2);
            xylem_cli__add_shown(cli, text, (struct xylem_view){json.data, json.bytes}, XYLEM_CLI__EXACT, cells);
            xylem_cli__add(text, "\n");
            xylem_buffer_release(&json);
        }
        name = xylem_value_next(map, member);
    }
}

/* Puts a blank line before the text appended since `start`, if there is any. */
static void end_part(struct xylem_cli__text *text, size_t start)
{
    if (text->bytes.bytes == start + 1) {
        text->bytes.bytes = start;
    }
}

/* Adds the children of an entry in the session; reads the header of each entry of the session. */
static int add_children(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_session *session,
                        struct xylem_position position)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    size_t count = 0;
    int code = xylem_scan_new(&scan, cli->txn, session->number, &cli->err);
    add_name(cli, text, "children");
    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        code = 0;
        if (xylem_cli__position_equal(entry.parent, position) && ++count <= CHILDREN_SHOWN) {
            xylem_cli__add(text, count == 1 ? "" : ", ");
            xylem_cli__add_colored(cli, text, entry.id, XYLEM_CLI__YELLOW);
        }
    }
    xylem_scan_free(scan);
    if (count == 0) {
        xylem_cli__add(text, "none (a tip)");
    } else if (count > CHILDREN_SHOWN) {
        xylem_cli__addf(text, ", and %zu more", count - CHILDREN_SHOWN);
    }
    xylem_cli__add(text, "\n");
    return code;
}

static int add_human(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_session *session,
                     const struct xylem_entry *entry, const struct xylem_label *label, bool full)
{
    struct xylem_view parent = xylem_view_of("none (a root)");
    struct xylem_cli__said said = {0};
    int code = xylem_entry_parent_id(&parent, cli->txn, entry, &cli->err);
    const char *color = code == 1 ? XYLEM_CLI__YELLOW : NULL;
    if (code >= 0 && (code = xylem_cli__said_read(cli, &said, entry)) == 0) {
        add_row(cli, text, "entry", entry->id, XYLEM_CLI__YELLOW);
        add_row(cli, text, "parent", parent, color);
        code = add_children(cli, text, session, entry->position);
    }
    if (code == 0) {
        add_name(cli, text, "kind");
        xylem_cli__add_kind_and_role(cli, text, &said);
        xylem_cli__add(text, "\n");
        if (label) {
            add_row(cli, text, "label", label->text, XYLEM_CLI__MAGENTA);
        }
        add_facts(cli, text, entry);
        size_t start = text->bytes.bytes;
        xylem_cli__add(text, "\n");
        xylem_cli__add_said(cli, text, &said, full);
        end_part(text, start);
        start = text->bytes.bytes;
        xylem_cli__add(text, "\n");
        if (said.message) {
            add_rest(cli, text, &said, said.message, full);
        }
        if (said.message != said.value) {
            add_rest(cli, text, &said, said.value, full);
        }
        end_part(text, start);
    }
    xylem_cli__said_release(&said);
    return code;
}

static int add_json(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_session *session,
                    const struct xylem_entry *entry, const struct xylem_label *label)
{
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "session", session->id);
    int code = xylem_cli__json_entry(cli, text, entry, XYLEM_MEMBERS_ENTRY | XYLEM_MEMBERS_STORED);
    if (code == 0) {
        xylem_cli__member_maybe(text, "label", label ? label->text : (struct xylem_view){NULL, 0});
        code = xylem_cli__json_entry(cli, text, entry, XYLEM_MEMBERS_PAYLOAD);
    }
    xylem_cli__json_end(text, '}');
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct show_options *given = options;
    struct xylem_cli__place place;
    struct xylem_entry entry;
    struct xylem_view payload;
    struct xylem_labels labels = {0};
    struct xylem_cli__text text = {0};
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, given->form, NULL);
    if (code == 0 && documents.wanted && given->raw) {
        code = xylem_cli__usage(cli, "--raw cannot be combined with --json or --jsonl");
    }
    if (code == 0 && (code = xylem_cli__leave_out_given(cli, &given->patterns)) == 0 && cli->left_out && given->raw) {
        code = xylem_cli__usage(cli, "--raw prints the stored bytes, and leaves nothing out: give --json");
    }
    if (code != 0 || (code = xylem_cli__open_paged(cli, !documents.wanted && !given->raw)) != 0 ||
        (code = xylem_cli__place_find(cli, &place, arguments[0], XYLEM_CLI__LOOKED_AT, xylem_cli__entry)) != 0 ||
        (code = xylem_cli__entry_read(cli, &entry, place.position)) != 0) {
        return code;
    }
    if (given->raw) {
        code = xylem_entry_payload(&payload, &entry, &cli->err);
        return code != 0 ? code : xylem_cli__put_stored(cli, payload.data, payload.bytes);
    }
    code = xylem_cli__labels_read(cli, &labels, place.session.number);
    if (code == 0) {
        const struct xylem_label *label = xylem_cli__label_of(&labels, entry.id);
        code = documents.wanted ? add_json(cli, &text, &place.session, &entry, label)
                                : add_human(cli, &text, &place.session, &entry, label, given->full);
    }
    if (code == 0) {
        code = xylem_cli__documents_put(cli, &documents, &text);
    }
    code = code == 0 && !documents.wanted ? xylem_cli__note_way_back(cli, &place.session) : code;
    xylem_labels_release(&labels);
    xylem_cli__text_release(&text);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_show = {
    .name = "show",
    .group = XYLEM_CLI__LOOK,
    .often = true,
    .summary = "Show one entry and its payload",
    .usage = "[PLACE] [--full] [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] "
             "[--json|--jsonl|--raw]",
    .details = "The place of a session alone is its leaf.\n",
    .options = show_table,
    .options_bytes = sizeof(struct show_options),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
