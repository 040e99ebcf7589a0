/* xylem append: adds entries to a session. */
#include "cli/cli.h"
#include "xylem/append.h"

#include <string.h>
#include <unistd.h>

struct append_options {
    const char *kind;
    const char *data;
    const char *id;
    const char *parent;
    const char *expect;
    bool create;
    bool only_in_store;
    bool json;
};

static const struct xylem_cli__option append_table[] = {
    {"kind", 'k', "KIND", XYLEM_CLI__TEXT, offsetof(struct append_options, kind),
     "the entry's kind: `custom:NAME`, or a kind of the host", NULL},
    {"data", 0, "JSON", XYLEM_CLI__TEXT, offsetof(struct append_options, data),
     "the payload; - reads the payload from standard input", NULL},
    {"id", 0, "ID", XYLEM_CLI__TEXT, offsetof(struct append_options, id), "the entry's id (default: a fresh id)", NULL},
    {"parent", 0, "ENTRY", XYLEM_CLI__TEXT, offsetof(struct append_options, parent),
     "append behind this entry, or `none` (default: the leaf)", NULL},
    {"expect", 0, "ENTRY", XYLEM_CLI__TEXT, offsetof(struct append_options, expect),
     "refuse unless the leaf is this entry, or `none`", NULL},
    {"create", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct append_options, create),
     "create the session if it does not exist", NULL},
    XYLEM_CLI__ONLY_IN_STORE_ROW(struct append_options),
    XYLEM_CLI__JSON_ROW(struct append_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct addition {
    const char *session_spec;
    const struct append_options *options;
    struct xylem_new_entry entry;
    struct xylem_cli__text text;
};

/* With --create, an unknown session is created with exactly the given id. */
static int find_or_create(struct xylem_cli *cli, struct xylem_session *session, const struct addition *addition)
{
    struct xylem_session_options options = {.id = xylem_view_of(addition->session_spec)};
    if (addition->options->create && !xylem_cli__session_by_activity(addition->session_spec)) {
        int code = xylem_session_find(session, cli->txn, options.id, &cli->err);
        if (code == XYLEM_E_NOT_FOUND && (code = xylem_cli__check_new_id(cli, addition->session_spec)) == 0) {
            code = xylem_session_create(session, cli->txn, &options, &cli->err);
        }
        return code;
    }
    return xylem_cli__session(cli, session, addition->session_spec);
}

static int change(struct xylem_cli *cli, void *context)
{
    struct addition *addition = context;
    const struct append_options *given = addition->options;
    struct xylem_append_options options = {.parent = XYLEM_PARENT_LEAF};
    struct xylem_session session;
    struct xylem_position expected = {0, 0};
    struct xylem_position first;
    struct xylem_view id;
    int code = find_or_create(cli, &session, addition);
    code = code < 0 ? code
                    : xylem_cli__check_host(cli, &session, given->only_in_store,
                                            "in pi, an extension calls pi.appendEntry()");
    xylem_cli__text_clear(&addition->text);
    if (code == 0 && !given->data && xylem_cli__input_waits()) {
        code =
            xylem_cli__usage(cli, "--data is missing, but standard input has data: give --data - to take the payload "
                                  "from standard input, or </dev/null to append without a payload");
    }
    if (code == 0 && given->parent) {
        code = xylem_cli__entry_or_none(cli, &options.parent_position, &session, given->parent);
        options.parent = xylem_cli__position_none(options.parent_position) ? XYLEM_PARENT_NONE : XYLEM_PARENT_AT;
    }
    if (code == 0 && given->expect) {
        code = xylem_cli__entry_or_none(cli, &expected, &session, given->expect);
        options.expected_leaf = &expected;
    }
    if (code != 0) {
        return code;
    }
    code = xylem_append(&first, cli->txn, session.number, &addition->entry, 1, &options, &cli->err);
    code = xylem_cli__if_leased(cli, code, session.id);
    if (code != 0 || (code = xylem_cli__entry_id(cli, &id, first)) != 0) {
        return code;
    }
    if (given->json) {
        xylem_cli__json_made(&addition->text, session.id, &id);
        return 0;
    }
    xylem_cli__add_bytes(&addition->text, id.data, id.bytes);
    xylem_cli__add(&addition->text, "\n");
    return 0;
}

/* Checks the options before the store is opened. */
static int prepare(struct xylem_cli *cli, struct addition *addition, struct xylem_cli__text *data,
                   struct xylem_buffer *kind_bytes)
{
    const struct append_options *given = addition->options;
    struct xylem_new_entry *entry = &addition->entry;
    int code = 0;
    if (!given->kind || *given->kind == '\0') {
        return xylem_cli__usage(cli, "--kind is missing: a kind of the host such as message, or custom:NAME");
    }
    if (given->id && *given->id == '\0') {
        return xylem_cli__usage(cli, "an id has 1 to %u bytes", XYLEM_ENTRY_ID_BYTES_MAX);
    }
    entry->id = xylem_view_of(given->id);
    code = xylem_kind_parse(&entry->kind, kind_bytes, xylem_view_of(given->kind), &cli->err);
    if (code != 0) {
        return code;
    }
    if (!given->data && xylem_cli__kind_is_message(entry->kind)) {
        return xylem_cli__usage(cli, "a message has a payload: give --data JSON, or --data - to read standard input");
    }
    if (!given->data) {
        return 0;
    }
    entry->format = XYLEM_FORMAT_JSON;
    if (strcmp(given->data, "-") != 0) {
        entry->payload = xylem_view_of(given->data);
        return 0;
    }
    code = xylem_cli__read_all(cli, data, STDIN_FILENO, XYLEM_PAYLOAD_BYTES_MAX, false, "the payload");
    entry->payload = xylem_cli__text_view(data);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct addition addition = {.session_spec = arguments[0], .options = options};
    struct xylem_cli__text data = {0};
    struct xylem_buffer kind_bytes = {0};
    int code;
    if ((code = prepare(cli, &addition, &data, &kind_bytes)) < 0 ||
        (code = xylem_cli__change(cli, change, &addition)) < 0) {
        goto out;
    }
    const char *meant = xylem_cli__kind_meant(addition.entry.kind);
    if (xylem_cli__kind_is_role(addition.entry.kind)) {
        xylem_cli__note(cli, "warning: %s is a role: a message has --kind message, and its role in --data",
                        addition.options->kind);
    } else if (meant) {
        xylem_cli__note(cli, "warning: an entry of the kind %s changes no state: did you mean %s?",
                        addition.options->kind, meant);
    }
    /* an id is printed as stored */
    code = addition.options->json ? xylem_cli__put_json(cli, &addition.text)
                                  : xylem_cli__put_json_piece(cli, &addition.text);
out:
    xylem_buffer_release(&kind_bytes);
    xylem_cli__text_release(&data);
    xylem_cli__text_release(&addition.text);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_append = {
    .name = "append",
    .group = XYLEM_CLI__CHANGE,
    .summary = "Append an entry to a session",
    .usage = "SESSION --kind KIND [--data JSON|-] [--id ID] [--parent ENTRY|none] [--expect ENTRY|none] [--create] "
             "[--only-in-store] [--json]",
    .details = "Prints the new entry's id. Without --data the entry has no payload; a message must have a payload.\n",
    .options = append_table,
    .options_bytes = sizeof(struct append_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .surplus = "--data JSON gives the payload",
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
