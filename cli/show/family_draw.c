/*
 * Draws a family of sessions, roots at the top.
 *
 *   SESSION             OWN  SHARED  FORKED AT    READONLY  LEAF
 *   o 01a1f9f7-22cb      31       -  -            on          2h
 *   |-* 01a1f9f7-23f3     2      18  8db136e6     on          2h    the asked session
 *   `-o 01a1f9f7-2412     8    none  -            on          2h
 */
#include "cli/show/entries.h"
#include "cli/store/family.h"
#include "xylem/branch.h"
#include "xylem/outline.h"
#include "xylem/state.h"

#define LEVEL_MAX XYLEM_CLI__LANES_MAX
#define LEVEL_MAX_NARROW 4u /* LEVEL_MAX if whole ids do not fit */
#define OTHER_COLUMNS 72u   /* cells that the other columns take, or want */

/* On narrow terminals the last three columns are left out. SESSION and FORKED AT are as short as possible. */
static const struct xylem_cli__column columns[] = {
    {"SESSION", false, 0, XYLEM_CLI__YELLOW, true},
    {"OWN", true, 0, NULL, false},
    {"SHARED", true, 0, NULL, false},
    {"FORKED AT", false, 0, XYLEM_CLI__YELLOW, true},
    {"", false, 7, XYLEM_CLI__RED, false},
    {"READONLY", false, 0, XYLEM_CLI__RED, false},
    {"LEAF", true, 0, XYLEM_CLI__DIM, false},
    {"NAME", false, 8, XYLEM_CLI__BOLD, false},
};
#define COLUMN_COUNT (sizeof columns / sizeof columns[0])
#define NARROW_COLUMN_COUNT (COLUMN_COUNT - 3)
#define NARROW_CELLS 80u

struct drawing {
    const struct xylem_cli__family *family;
    struct xylem_cli__documents *documents;
    struct xylem_cli__table table;
    struct xylem_cli__text text;
    struct xylem_cli__lanes lanes;
    size_t short_bytes; /* bytes of the ids; SIZE_MAX: whole ids */
};

/* The facts on a session in its line. */
struct facts {
    const struct xylem_cli__kin *kin;
    struct xylem_session session;
    struct xylem_view base_id;
    struct xylem_view base_shown; /* if room is short, the shortest unique beginning in the session */
    uint64_t shared;
    uint64_t own;
    struct xylem_entry leaf;
    bool has_leaf;
    bool readonly;
    bool has_name;
    struct xylem_buffer name;
};

static struct xylem_view name_of(const struct facts *facts)
{
    return facts->has_name ? (struct xylem_view){facts->name.data, facts->name.bytes} : (struct xylem_view){NULL, 0};
}

/*
 * The name and the number of own entries come from the last entries of the session's branches, so the other entries are
 * not read: many sessions may share a long path.
 */
static int gather(struct xylem_cli *cli, const struct xylem_cli__family *family, struct facts *facts)
{
    const struct xylem_cli__kin *kin = facts->kin;
    const struct xylem_session *session = &facts->session;
    struct xylem_outline outline;
    struct xylem_state state = {0};
    int code = xylem_session_read(&facts->session, cli->txn, kin->number, &cli->err);
    code = code == 0 ? xylem_cli__entry_id(cli, &facts->base_id, session->base) : code;
    if (code == 0 && kin->parent != XYLEM_CLI__NO_KIN && facts->base_id.data) {
        code = xylem_belongs(cli->txn, family->kin[kin->parent].number, session->base, &cli->err);
        facts->shared = code == 1 ? session->base.depth : 0;
        code = code == 1 ? 0 : code;
    }
    if (code == 0 && (code = xylem_outline_read(&outline, &facts->name, cli->txn, session, &cli->err)) == 0) {
        facts->own = outline.entry_count - session->base.depth;
        facts->has_name = outline.has_name;
        facts->has_leaf = !xylem_cli__position_none(session->leaf);
    }
    if (code == 0 && facts->has_leaf) {
        code = xylem_cli__entry_read(cli, &facts->leaf, session->leaf);
    }
    if (code == 0) {
        code = xylem_cli__rehydrate(cli, &state, session->leaf, NULL, NULL);
        facts->readonly = state.readonly.enabled;
    }
    xylem_state_release(&state);
    return code;
}

/* --- For people ------------------------------------------------------------------------------------------------- */

static int shorten_base(struct xylem_cli *cli, struct facts *facts)
{
    struct xylem_cli__short_ids ids = {0};
    int code = 0;
    facts->base_shown = facts->base_id;
    if (facts->base_id.data && !xylem_cli__ids_fit(cli, xylem_cli__cells(cli, facts->base_id, SIZE_MAX))) {
        code = xylem_cli__short_ids_add_entries(cli, &ids, facts->kin->number);
        facts->base_shown = xylem_cli__short_id(&ids, facts->base_id);
    }
    xylem_cli__short_ids_release(&ids);
    return code;
}

static void add_mark(struct xylem_cli__text *cell, bool given, const char *mark)
{
    if (given) {
        xylem_cli__add(cell, cell->bytes.bytes > 0 ? ", " : "");
        xylem_cli__add(cell, mark);
    }
}

static void add_row(const struct xylem_cli *cli, struct drawing *drawing, const struct facts *facts, size_t level,
                    bool damaged)
{
    struct xylem_cli__table *table = &drawing->table;
    struct xylem_cli__text *cell = &drawing->table.cell;
    const struct xylem_cli__kin *kin = facts->kin;
    bool asked = kin == &drawing->family->kin[drawing->family->asked];
    bool has_parent = kin->parent != XYLEM_CLI__NO_KIN;
    size_t id_bytes = xylem_cli__is_left_out(cli, kin->id) ? SIZE_MAX : drawing->short_bytes; /* no part of a match */
    struct xylem_view id = xylem_cli__id_beginning(kin->id, id_bytes);
    xylem_cli__add_lanes(cli, cell, &drawing->lanes, level, kin->next_sibling != XYLEM_CLI__NO_KIN);
    xylem_cli__add(cell, xylem_cli__utf8(cli) ? (asked ? "● " : "○ ") : (asked ? "* " : "o "));
    xylem_cli__add_shown(cli, cell, id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__table_end_cell(table);
    if (damaged) {
        xylem_cli__table_add(table, xylem_view_of("?"));
    } else {
        xylem_cli__table_add_count(table, facts->own);
    }
    if (has_parent && !damaged && facts->shared > 0) {
        xylem_cli__table_add_count(table, facts->shared);
    } else {
        xylem_cli__table_add(table, xylem_view_of(!has_parent ? "-" : damaged ? "?" : "none"));
    }
    xylem_cli__table_add(table, facts->base_shown.data ? facts->base_shown : xylem_view_of("-"));
    add_mark(cell, facts->session.state != XYLEM_SESSION_LIVE, xylem_cli__state_word(facts->session.state));
    add_mark(cell, facts->session.name_space.bytes > 0, "in a namespace");
    add_mark(cell, damaged, "damaged");
    add_mark(cell, kin->circle, "comes from itself");
    add_mark(cell, !has_parent && !kin->circle && kin->named.data, "source not here");
    xylem_cli__table_end_cell(table);
    if (table->column_count == NARROW_COLUMN_COUNT) {
        return;
    }
    xylem_cli__table_add(table, xylem_view_of(damaged ? "?" : facts->readonly ? "on" : "off"));
    if (facts->has_leaf && !damaged) {
        xylem_cli__add_age(cli, cell, facts->leaf.time_ms);
    } else {
        xylem_cli__add(cell, damaged ? "?" : "none");
    }
    xylem_cli__table_end_cell(table);
    xylem_cli__table_add(table, facts->has_name ? name_of(facts) : xylem_view_of("-"));
}

/* The session on the next line. Without recursion, because a chain of forks may be long. */
static size_t next(const struct xylem_cli__family *family, size_t at, size_t *level)
{
    const struct xylem_cli__kin *kin = family->kin;
    if (kin[at].first_child != XYLEM_CLI__NO_KIN) {
        (*level)++;
        return kin[at].first_child;
    }
    while (at != XYLEM_CLI__NO_KIN && kin[at].next_sibling == XYLEM_CLI__NO_KIN) {
        at = kin[at].parent;
        *level -= *level > 0 ? 1 : 0;
    }
    return at == XYLEM_CLI__NO_KIN ? at : kin[at].next_sibling;
}

/* Chooses the layout: if whole ids do not fit, ids are cut to unique beginnings. */
static void choose_layout(const struct xylem_cli *cli, struct drawing *drawing)
{
    const struct xylem_cli__family *family = drawing->family;
    size_t longest = 0;
    size_t prefix_bytes = XYLEM_CLI__SHORT_BYTES_MIN;
    size_t level = 0;
    for (size_t at = family->first_root; at != XYLEM_CLI__NO_KIN; at = next(family, at, &level)) {
        const struct xylem_cli__kin *kin = &family->kin[at];
        size_t cells = xylem_cli__cells(cli, kin->id, SIZE_MAX) + 2 * (level < LEVEL_MAX ? level : LEVEL_MAX + 2);
        longest = cells > longest ? cells : longest;
        prefix_bytes = kin->prefix_bytes > prefix_bytes ? kin->prefix_bytes : prefix_bytes;
    }
    bool fits = cli->width == 0 || cli->width >= longest + OTHER_COLUMNS;
    drawing->short_bytes = fits ? SIZE_MAX : prefix_bytes;
    drawing->lanes.level_max = fits ? LEVEL_MAX : LEVEL_MAX_NARROW;
    drawing->table.column_count = cli->width > 0 && cli->width < NARROW_CELLS ? NARROW_COLUMN_COUNT : COLUMN_COUNT;
}

/* --- For programs ----------------------------------------------------------------------------------------------- */

static int print_json(struct xylem_cli *cli, struct drawing *drawing, const struct facts *facts)
{
    struct xylem_cli__text *text = &drawing->text;
    const struct xylem_cli__kin *kin = facts->kin;
    const struct xylem_session *session = &facts->session;
    xylem_cli__json_document(text);
    xylem_cli__member_session(text, session->id, session->name_space);
    xylem_cli__member_maybe(text, "source", xylem_cli__family_source(drawing->family, kin));
    xylem_cli__member_maybe(text, "parent_session", session->parent);
    xylem_cli__member_maybe(text, "forked_at", facts->base_id);
    xylem_cli__member_count(text, "forked_depth", session->base.depth);
    xylem_cli__member_count(text, "shared_count", facts->shared);
    xylem_cli__member_count(text, "own_count", facts->own);
    xylem_cli__member_count(text, "tree", session->tree);
    xylem_cli__member_string(text, "state", xylem_view_of(xylem_cli__state_word(session->state)));
    xylem_cli__member_maybe(text, "name", name_of(facts));
    xylem_cli__member_time(text, "created", session->created_ms);
    xylem_cli__member_maybe(text, "leaf", facts->leaf.id);
    xylem_cli__member_maybe_time(text, "leaf_time", facts->has_leaf, facts->leaf.time_ms);
    xylem_cli__member_bool(text, "readonly", facts->readonly);
    xylem_cli__json_end(text, '}');
    return xylem_cli__documents_put(cli, drawing->documents, text);
}

/* --- Both ------------------------------------------------------------------------------------------------------- */

/* Damage in one session does not hide other sessions: the damage is reported, and decides the exit code. */
static int add_kin(struct xylem_cli *cli, struct drawing *drawing, size_t index, size_t level)
{
    const struct xylem_cli__kin *kin = &drawing->family->kin[index];
    struct facts facts = {.kin = kin};
    int result = gather(cli, drawing->family, &facts);
    result = result != 0 || drawing->documents->wanted ? result : shorten_base(cli, &facts);
    bool damaged = result == XYLEM_E_CORRUPT;
    if (damaged) {
        xylem_cli__note(cli, "session %.*s: %s", (int)kin->id.bytes, kin->id.data, cli->err.text);
        result = XYLEM_CLI__CORRUPT;
    }
    if (result >= 0 && !drawing->documents->wanted) {
        add_row(cli, drawing, &facts, level, damaged);
    } else if (result == 0) {
        result = print_json(cli, drawing, &facts);
    }
    xylem_buffer_release(&facts.name);
    return result;
}

int xylem_cli__family(struct xylem_cli *cli, const struct xylem_session *asked, struct xylem_cli__documents *documents)
{
    struct xylem_cli__family family;
    struct drawing drawing = {
        .family = &family, .documents = documents, .table = {.columns = columns, .column_count = COLUMN_COUNT}};
    size_t level = 0;
    int result = xylem_cli__family_read(cli, &family, asked);
    if (result == 0) {
        choose_layout(cli, &drawing);
        for (size_t at = family.first_root; result >= 0 && at != XYLEM_CLI__NO_KIN; at = next(&family, at, &level)) {
            int code = add_kin(cli, &drawing, at, level);
            result = code != 0 ? code : result;
        }
    }
    if (result >= 0) {
        int code =
            documents->wanted ? xylem_cli__documents_end(cli, documents) : xylem_cli__table_put(cli, &drawing.table);
        result = code != 0 ? code : result;
    }
    xylem_cli__family_release(&family);
    xylem_cli__table_release(&drawing.table);
    xylem_cli__text_release(&drawing.text);
    return result;
}
