/* What the rows of the engine tell of a session. The texts come from other hosts: each is read with care, and shown tame. */
#include "base/json.h"
#include "fleet/cli/cli.h"

#include <math.h>
#include <string.h>

#define NAME_COLUMN 11u

static struct xylem_view string_of(const struct xylem_value *map, const char *key)
{
    const struct xylem_value *value = map ? xylem_value_get(map, key) : NULL;
    return value ? xylem_value_string(value) : (struct xylem_view){NULL, 0};
}

static double number_of(const struct xylem_value *map, const char *key)
{
    const struct xylem_value *value = map ? xylem_value_get(map, key) : NULL;
    double number = 0;
    return value && xylem_value_number(&number, value) && isfinite(number) && number >= 0 && number < 9e15 ? number : 0;
}

static const struct xylem_value *parse(struct xylem_base__tree *tree, struct xylem_view json)
{
    struct xylem_error err;
    xylem_base__tree_clear(tree);
    return json.data && xylem_base__json_parse(tree, json, &err) == 0 && tree->node_count > 0 ? tree->nodes : NULL;
}

void fleet_cli_about(struct fleet_cli_about *about, struct xylem_base__tree *tree, struct xylem_view json)
{
    const struct xylem_value *root = parse(tree, json);
    const struct xylem_value *deleted = root ? xylem_value_get(root, "deleted") : NULL;
    *about = (struct fleet_cli_about){
        .name = string_of(root, "name"),
        .cwd = string_of(root, "cwd"),
        .entries = (uint64_t)number_of(root, "entries"),
        .active_ms = (int64_t)number_of(root, "active"),
        .deleted = deleted && xylem_value_bool(deleted),
    };
}

/* --- The head ----------------------------------------------------------------------------------------------------- */

static void add_name(struct xylem_cli__text *text, struct xylem_view name, const struct xylem_cli *cli)
{
    xylem_cli__add_column(cli, text, name, NAME_COLUMN, XYLEM_CLI__DIM);
}

static void add_line(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name,
                     struct xylem_view value)
{
    size_t room = cli->width > NAME_COLUMN + 20 ? cli->width - NAME_COLUMN : SIZE_MAX;
    add_name(text, xylem_view_of(name), cli);
    xylem_cli__add_shown(cli, text, value.data ? value : xylem_view_of("none"), XYLEM_CLI__ONE_LINE, room);
    xylem_cli__add(text, "\n");
}

/* Each piece of the state in a line, as it stands. `readonly_from` and the like explain a piece, for programs. */
static void add_state(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_value *state)
{
    size_t room = cli->width > NAME_COLUMN + 20 ? cli->width - NAME_COLUMN : 200;
    const struct xylem_value *key = state ? xylem_value_first(state) : NULL;
    while (key) {
        const struct xylem_value *value = xylem_value_next(state, key);
        if (!value) {
            return;
        }
        struct xylem_view name = xylem_value_string(key);
        bool none = xylem_value_type(value) == XYLEM_VALUE_NIL;
        if (name.bytes > 0 && !memchr(name.data, '_', name.bytes)) {
            add_name(text, name, cli);
            xylem_cli__add_shown(cli, text, none ? xylem_view_of("none") : value->raw, XYLEM_CLI__ONE_LINE, room);
            xylem_cli__add(text, "\n");
        }
        key = xylem_value_next(state, value);
    }
}

/* The first words of a message of pi; data NULL: none. */
static struct xylem_view words_of(const struct xylem_value *message)
{
    const struct xylem_value *content = message ? xylem_value_get(message, "content") : NULL;
    struct xylem_view words = content ? xylem_value_string(content) : (struct xylem_view){NULL, 0};
    bool list = content && xylem_value_type(content) == XYLEM_VALUE_ARRAY;
    const struct xylem_value *part = list ? xylem_value_first(content) : NULL;
    for (; part && !words.data; part = xylem_value_next(content, part)) {
        words = string_of(part, "text");
    }
    return words;
}

/* An entry in a line: id, kind or role, words or payload. */
static void add_entry(struct xylem_cli__text *line, const struct xylem_value *entry)
{
    const struct xylem_value *payload = xylem_value_get(entry, "payload");
    const struct xylem_value *message = payload ? xylem_value_get(payload, "message") : NULL;
    struct xylem_view id = string_of(entry, "entry");
    struct xylem_view role = string_of(message, "role");
    struct xylem_view kind = role.data ? role : string_of(entry, "kind");
    struct xylem_view words = words_of(message);
    words = words.data || !payload ? words : payload->raw;
    xylem_cli__add_bytes(line, id.data, id.bytes);
    xylem_cli__add(line, " ");
    xylem_cli__add_bytes(line, kind.data, kind.bytes);
    xylem_cli__add(line, ": ");
    xylem_cli__add_bytes(line, words.data, words.bytes);
}

static void add_entries(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_value *entries)
{
    size_t room = cli->width > 40 ? cli->width - 2 : 120;
    const struct xylem_value *entry = entries ? xylem_value_first(entries) : NULL;
    xylem_cli__add(text, entry ? "newest entries, the newest first:\n" : "");
    for (; entry; entry = xylem_value_next(entries, entry)) {
        struct xylem_cli__text line = {0};
        add_entry(&line, entry);
        xylem_cli__add(text, "  ");
        xylem_cli__add_shown(cli, text, xylem_cli__text_view(&line), XYLEM_CLI__ONE_LINE, room);
        xylem_cli__add(text, "\n");
        xylem_cli__part_end(text, &line);
    }
}

void fleet_cli_add_head(struct fleet_cli *fleet, struct xylem_cli__text *text, const struct fleet_row *row)
{
    const struct xylem_cli *cli = fleet->cli;
    struct xylem_base__tree tree = {0};
    struct xylem_cli__text value = {0};
    const struct xylem_value *root = parse(&tree, row->head);
    add_line(cli, text, "session", row->id);
    xylem_cli__addf(&value, "%.*s", (int)row->host.bytes, row->host.data ? row->host.data : "");
    xylem_cli__addf(&value, "%s, epoch %llu", row->unowned ? "nobody" : "", (unsigned long long)row->epoch);
    add_line(cli, text, "owner", xylem_cli__text_view(&value));
    xylem_cli__text_clear(&value);
    if (root) {
        struct xylem_view leaf = string_of(root, "leaf");
        xylem_cli__addf(&value, "%.*s, depth %.0f", leaf.data ? (int)leaf.bytes : 4, leaf.data ? leaf.data : "none",
                        number_of(root, "depth"));
        add_line(cli, text, "at", xylem_cli__text_view(&value));
        add_state(cli, text, xylem_value_get(root, "state"));
        add_entries(cli, text, xylem_value_get(root, "entries"));
    } else {
        add_line(cli, text, "head", xylem_view_of("none was shipped"));
    }
    xylem_cli__part_end(text, &value);
    xylem_base__tree_release(&tree);
}

void fleet_cli_json_head(struct xylem_cli__text *text, const struct fleet_row *row)
{
    struct xylem_base__tree tree = {0};
    if (parse(&tree, row->head)) { /* a text that is no JSON would break the document */
        xylem_cli__add_bytes(text, row->head.data, row->head.bytes);
    } else {
        xylem_cli__add(text, "null");
    }
    xylem_base__tree_release(&tree);
}
