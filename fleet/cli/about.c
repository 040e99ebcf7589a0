/* What the rows of the engine tell of a session. The texts come from other hosts: each is read with care, and shown tame. */
#include "base/json.h"
#include "fleet/cli/cli.h"

#include <math.h>
#include <string.h>

#define NAME_COLUMN 11u
#define ENTRY_CELLS 120u /* if the width of a line is not known */

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

static bool is_true(const struct xylem_value *map, const char *key)
{
    const struct xylem_value *value = map ? xylem_value_get(map, key) : NULL;
    return value && xylem_value_bool(value);
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
    *about = (struct fleet_cli_about){
        .name = string_of(root, "name"),
        .prompt = string_of(root, "prompt"),
        .cwd = string_of(root, "cwd"),
        .entries = (uint64_t)number_of(root, "entries"),
        .active_ms = (int64_t)number_of(root, "active"),
        .deleted = is_true(root, "deleted"),
    };
}

struct xylem_view fleet_cli_owner(const struct fleet_row *row)
{
    return row->unowned ? (struct xylem_view){NULL, 0} : row->host;
}

/* --- The head, for people ----------------------------------------------------------------------------------------- */

static void add_text(struct xylem_cli__text *text, struct xylem_view view)
{
    xylem_cli__add_bytes(text, view.data, view.bytes);
}

/* Ends a line with its value, which is emptied. */
static void end_line(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name,
                     struct xylem_cli__text *value)
{
    xylem_cli__add_column(cli, text, xylem_view_of(name), NAME_COLUMN, XYLEM_CLI__DIM);
    xylem_cli__add_shown(cli, text, xylem_cli__text_view(value), XYLEM_CLI__ONE_LINE, SIZE_MAX);
    xylem_cli__add(text, "\n");
    xylem_cli__text_clear(value);
}

static void add_sequence(struct xylem_cli__text *value, const struct xylem_value *sequence)
{
    const struct xylem_value *steps = xylem_value_get(sequence, "steps");
    add_text(value, string_of(sequence, "sequence_id"));
    xylem_cli__add_next_counted(value, steps ? xylem_value_count(steps) : 0, "step", "steps");
}

static void add_todo(struct xylem_cli__text *value, const struct xylem_value *todo)
{
    const struct xylem_value *items = xylem_value_get(todo, "items");
    const struct xylem_value *item = items ? xylem_value_first(items) : NULL;
    unsigned long long count = 0;
    unsigned long long done_count = 0;
    for (; item; item = xylem_value_next(items, item)) {
        count++;
        done_count += is_true(item, "done") ? 1 : 0;
    }
    xylem_cli__addf(value, "%llu of %llu done", done_count, count);
}

static void add_mark(struct xylem_cli__text *value, const struct xylem_value *mark)
{
    xylem_cli__addf(value, "iteration %.0f of %.0f of run ", number_of(mark, "iteration") + 1,
                    number_of(mark, "iteration_count"));
    add_text(value, string_of(mark, "run_id"));
    xylem_cli__add(value, ": ");
    add_text(value, string_of(mark, "event"));
}

/* The pieces as `xylem state` words them, without the entries that decided. */
static void add_state(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_value *state)
{
    static const struct {
        const char *name;
        void (*add)(struct xylem_cli__text *value, const struct xylem_value *piece);
    } pieces[] = {{"sequence", add_sequence}, {"todo", add_todo}, {"mark", add_mark}};
    const struct xylem_value *nudge = state ? xylem_value_get(state, "nudge") : NULL;
    struct xylem_cli__text value = {0};
    xylem_cli__add(&value, is_true(state, "readonly") ? "on" : "off");
    end_line(cli, text, "readonly", &value);
    xylem_cli__add(&value, is_true(nudge, "due") ? "due: readonly went " : "none due");
    add_text(&value, is_true(nudge, "due") ? string_of(nudge, "direction") : xylem_view_of(""));
    end_line(cli, text, "nudge", &value);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        const struct xylem_value *piece = state ? xylem_value_get(state, pieces[i].name) : NULL;
        if (piece && xylem_value_type(piece) == XYLEM_VALUE_MAP) {
            pieces[i].add(&value, piece);
        } else {
            xylem_cli__add(&value, "none");
        }
        end_line(cli, text, pieces[i].name, &value);
    }
    xylem_cli__part_end(text, &value);
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
static void add_entry(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_value *entry)
{
    const struct xylem_value *payload = xylem_value_get(entry, "payload");
    const struct xylem_value *message = payload ? xylem_value_get(payload, "message") : NULL;
    struct xylem_cli__text line = {0};
    struct xylem_view role = string_of(message, "role");
    struct xylem_view words = words_of(message);
    add_text(&line, string_of(entry, "entry"));
    xylem_cli__add(&line, " ");
    add_text(&line, role.data ? role : string_of(entry, "kind"));
    xylem_cli__add(&line, ": ");
    add_text(&line, words.data || !payload ? words : payload->raw);
    xylem_cli__add(text, "  ");
    xylem_cli__add_shown(cli, text, xylem_cli__text_view(&line), XYLEM_CLI__ONE_LINE,
                         cli->width > 40 ? cli->width - 2 : ENTRY_CELLS);
    xylem_cli__add(text, "\n");
    xylem_cli__part_end(text, &line);
}

static void add_place(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_value *root)
{
    const struct xylem_value *entries = xylem_value_get(root, "entries");
    const struct xylem_value *entry = entries ? xylem_value_first(entries) : NULL;
    struct xylem_cli__text value = {0};
    struct xylem_view leaf = string_of(root, "leaf");
    add_text(&value, leaf.data ? leaf : xylem_view_of("none"));
    xylem_cli__addf(&value, ", depth %.0f", number_of(root, "depth"));
    end_line(cli, text, "at", &value);
    xylem_cli__part_end(text, &value);
    add_state(cli, text, xylem_value_get(root, "state"));
    xylem_cli__add(text, entry ? "newest entries, the newest first:\n" : "");
    for (; entry; entry = xylem_value_next(entries, entry)) {
        add_entry(cli, text, entry);
    }
}

enum fleet_cli_here fleet_cli_here(const struct xylem_session *session, const struct fleet_row *row)
{
    return session->owner.bytes > 0 ? FLEET_CLI_FOLLOWS
           : row->mine              ? FLEET_CLI_OWNS
           : session->epoch > 0     ? FLEET_CLI_FENCED
                                    : FLEET_CLI_NOT_HERE;
}

void fleet_cli_add_head(struct fleet_cli *fleet, struct xylem_cli__text *text, const struct fleet_row *row)
{
    const struct xylem_cli *cli = fleet->cli;
    struct xylem_base__tree tree = {0};
    struct xylem_cli__text value = {0};
    struct xylem_view owner = fleet_cli_owner(row);
    const struct xylem_value *root = parse(&tree, row->head);
    if (fleet->given->form.json) { /* a text that is no JSON would break the document */
        add_text(text, root ? row->head : xylem_view_of("null"));
    } else {
        add_text(&value, row->id);
        end_line(cli, text, "session", &value);
        add_text(&value, owner.data ? owner : xylem_view_of("nobody"));
        xylem_cli__addf(&value, ", epoch %llu", (unsigned long long)row->epoch);
        end_line(cli, text, "owner", &value);
    }
    if (!fleet->given->form.json && root) {
        add_place(cli, text, root);
    } else if (!fleet->given->form.json) {
        xylem_cli__add(&value, "none was shipped");
        end_line(cli, text, "head", &value);
    }
    xylem_cli__part_end(text, &value);
    xylem_base__tree_release(&tree);
}
