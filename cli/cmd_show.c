/* xylem show */
#include "cli/cli.h"

struct show_options {
    struct xylem_cli__form form;
    bool raw;
};

static const struct xylem_cli__option show_table[] = {XYLEM_CLI__FORM_ROWS(struct show_options, "the same"),
                                                      {"raw", 0, NULL, XYLEM_CLI__FLAG,
                                                       offsetof(struct show_options, raw),
                                                       "print the payload's bytes as they are stored", NULL},
                                                      {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static const char *const format_words[] = {"none", "msgpack", "json"};

static const char *format_word(enum xylem_format format)
{
    return (size_t)format < sizeof(format_words) / sizeof(format_words[0]) ? format_words[format] : "unknown";
}

static void add_name(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name)
{
    xylem_cli__add_column(cli, text, xylem_view_of(name), 10, XYLEM_CLI__DIM);
}

static void add_row(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name,
                    struct xylem_view value, const char *color)
{
    add_name(cli, text, name);
    xylem_cli__color_on(cli, text, color);
    xylem_cli__add_shown(cli, text, value, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__color_off(cli, text, color);
    xylem_cli__add(text, "\n");
}

static void add_facts(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry)
{
    add_name(cli, text, "time");
    xylem_cli__add_iso(text, entry->time_ms);
    xylem_cli__add(text, " (");
    xylem_cli__add_age(cli, text, entry->time_ms);
    xylem_cli__add(text, " ago)\n");
    add_name(cli, text, "place");
    xylem_cli__addf(text, "depth %llu, branch %llu, lsn %llu\n", (unsigned long long)entry->position.depth,
                    (unsigned long long)entry->position.branch, (unsigned long long)entry->lsn);
    add_name(cli, text, "check");
    xylem_cli__addf(text, "%016llx\n", (unsigned long long)entry->check);
    add_name(cli, text, "payload");
    if (entry->format == XYLEM_FORMAT_NONE) {
        xylem_cli__add(text, "none");
    } else {
        xylem_cli__add_size(text, entry->payload_bytes);
        xylem_cli__addf(text, " of %s", format_word(entry->format));
    }
    if (entry->line_bytes > 0) {
        xylem_cli__add(text, ", imported line kept: ");
        xylem_cli__add_size(text, entry->line_bytes);
    } else if ((entry->flags & XYLEM_ENTRY_IMPORTED) != 0) {
        xylem_cli__add(text, ", imported");
    }
    xylem_cli__add(text, "\n");
}

static int add_payload(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry)
{
    struct xylem_document *document = NULL;
    int code = xylem_document_new(&document, entry, &cli->err);

    if (code == XYLEM_E_REDACTED || code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT) {
        xylem_cli__addf(text, "\n(%s)\n", cli->err.text);
        return 0;
    }
    if (code == 0 && xylem_document_value(document) != NULL) {
        xylem_cli__add(text, "\n");
        xylem_cli__add_pretty(cli, text, xylem_document_value(document), 0);
        xylem_cli__add(text, "\n");
    }
    xylem_document_free(document);
    return code;
}

static int add_human(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry,
                     const struct xylem_label *label)
{
    struct xylem_view parent;
    struct xylem_cli__text kind = {0};
    int code = xylem_cli__entry_id(cli, &parent, entry->parent);

    if (code != 0) {
        return code;
    }
    add_row(cli, text, "entry", entry->id, XYLEM_CLI__YELLOW);
    add_row(cli, text, "parent", parent.data == NULL ? xylem_view_of("none, it is a root") : parent, NULL);
    xylem_cli__add_kind(cli, &kind, entry->kind);
    add_row(cli, text, "kind", xylem_cli__text_view(&kind), XYLEM_CLI__CYAN);
    xylem_cli__text_release(&kind);
    if (label != NULL) {
        add_row(cli, text, "label", label->text, XYLEM_CLI__MAGENTA);
    }
    add_facts(cli, text, entry);
    return add_payload(cli, text, entry);
}

static int add_json(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_session *session,
                    const struct xylem_entry *entry, const struct xylem_label *label)
{
    xylem_cli__json_document(text);
    xylem_cli__json_key(text, "session");
    xylem_cli__json_string(text, session->id);
    int code = xylem_cli__json_entry(cli, text, entry);
    if (code != 0) {
        return code;
    }
    xylem_cli__json_key(text, "branch");
    xylem_cli__json_count(text, entry->position.branch);
    xylem_cli__json_key(text, "lsn");
    xylem_cli__json_count(text, entry->lsn);
    xylem_cli__json_key(text, "check");
    xylem_cli__json_hex(text, entry->check);
    xylem_cli__json_key(text, "label");
    xylem_cli__json_maybe(text, label == NULL ? (struct xylem_view){NULL, 0} : label->text);
    xylem_cli__json_key(text, "imported");
    xylem_cli__json_bool(text, (entry->flags & XYLEM_ENTRY_IMPORTED) != 0);
    xylem_cli__json_key(text, "line_bytes");
    xylem_cli__json_count(text, entry->line_bytes);
    xylem_cli__json_key(text, "format");
    xylem_cli__json_string(text, xylem_view_of(format_word(entry->format)));
    xylem_cli__json_key(text, "payload_bytes");
    xylem_cli__json_count(text, entry->payload_bytes);
    code = xylem_cli__json_payload(cli, text, entry);
    xylem_cli__json_end(text, '}');
    return code;
}

static int show(struct xylem_cli *cli, const struct xylem_session *session, const struct xylem_entry *entry,
                struct xylem_cli__documents *documents, bool raw)
{
    struct xylem_cli__text text = {0};
    struct xylem_labels labels = {0};
    struct xylem_view payload;
    int code;

    if (raw) {
        code = xylem_entry_payload(&payload, entry, &cli->err);
        return code != 0 ? code : xylem_cli__put_bytes(cli, payload.data, payload.bytes);
    }
    code = xylem_cli__labels_read(cli, &labels, session->number);
    if (code == 0) {
        const struct xylem_label *label = xylem_cli__label_of(&labels, entry->id);
        code = documents->wanted ? add_json(cli, &text, session, entry, label) : add_human(cli, &text, entry, label);
    }
    if (code == 0) {
        code = documents->wanted ? xylem_cli__documents_put(cli, documents, &text) : xylem_cli__put(cli, &text);
    }
    xylem_labels_release(&labels);
    xylem_cli__text_release(&text);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options)
{
    const struct show_options *given = options;
    struct xylem_session session;
    struct xylem_position position;
    struct xylem_entry entry;
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, given->form, NULL);

    (void)argument_count;
    if (code == 0 && documents.wanted && given->raw) {
        code = xylem_cli__usage(cli, "--raw and --json or --jsonl exclude each other");
    }
    if (code == 0 && !documents.wanted && !given->raw) {
        xylem_cli__pager_start(cli);
    }
    if (code != 0 || (code = xylem_cli__open_reading(cli)) != 0 ||
        (code = xylem_cli__session(cli, &session, arguments[0])) != 0 ||
        (code = xylem_cli__entry(cli, &position, &session, arguments[1])) != 0 ||
        (code = xylem_entry_read(&entry, cli->txn, position, &cli->err)) != 0) {
        return code;
    }
    return show(cli, &session, &entry, &documents, given->raw);
}

const struct xylem_cli__command xylem_cli__cmd_show = {
    .name = "show",
    .summary = "Show one entry and its payload",
    .usage = "SESSION ENTRY [--json|--jsonl|--raw]",
    .options = show_table,
    .options_bytes = sizeof(struct show_options),
    .arguments_min = 2,
    .arguments_max = 2,
    .run = run,
};
