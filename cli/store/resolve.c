/* Finds the entry that a user names. */
#include "cli/store/store.h"
#include "xylem/branch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void xylem_cli__candidate(struct xylem_cli__candidates *candidates, struct xylem_view name)
{
    if (++candidates->count <= XYLEM_CLI__CANDIDATES_SHOWN) {
        xylem_cli__add(&candidates->shown, candidates->count == 1 ? "" : ", ");
        xylem_cli__add_bytes(&candidates->shown, name.data, name.bytes);
    }
}

int xylem_cli__candidates_end(struct xylem_cli *cli, struct xylem_cli__candidates *candidates, int code,
                              struct xylem_view word, const char *what)
{
    if (code == 0 && candidates->count == 0) {
        code = XYLEM_E_NOT_FOUND;
    } else if (code == 0 && candidates->count > 1) {
        code = xylem_cli__fail(cli, XYLEM_E_CONFLICT, "'%.*s' is ambiguous: %zu %s: %s%s", (int)word.bytes, word.data,
                               candidates->count, what, xylem_cli__text_view(&candidates->shown).data,
                               candidates->count > XYLEM_CLI__CANDIDATES_SHOWN ? ", ..." : "");
    }
    xylem_cli__text_release(&candidates->shown);
    return code;
}

/* `tree` shows every entry with its id, on whatever branch. */
static int fail_to_tree(struct xylem_cli *cli, const struct xylem_session *session, struct xylem_cli__text *text)
{
    char *id = strndup(session->id.data, session->id.bytes);
    if (id) {
        xylem_cli__add(text, "; ");
        xylem_cli__add_named(cli, text, "tree --all", id);
        xylem_cli__add(text, " shows the ids");
    }
    free(id);
    return xylem_cli__fail_text(cli, XYLEM_E_NOT_FOUND, text);
}

static int no_entry(struct xylem_cli *cli, const struct xylem_session *session, struct xylem_view spec)
{
    struct xylem_cli__text text = {0};
    xylem_cli__addf(&text, "there is no entry '%.*s'", (int)spec.bytes, spec.data);
    if (spec.bytes < XYLEM_CLI__PART_BYTES_MIN) {
        xylem_cli__addf(&text, " (the beginning of an id needs %u characters)", XYLEM_CLI__PART_BYTES_MIN);
    }
    return fail_to_tree(cli, session, &text);
}

static int entry_by_prefix(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                           struct xylem_view spec)
{
    struct xylem_cli__candidates candidates = {0};
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = xylem_scan_new(&scan, cli->txn, session->number, &cli->err);
    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        if (xylem_base__view_begins(entry.id, spec)) {
            xylem_cli__candidate(&candidates, entry.id);
            *position = entry.position;
        }
        code = 0;
    }
    xylem_scan_free(scan);
    code = xylem_cli__candidates_end(cli, &candidates, code, spec, "entry ids begin with it");
    return code != XYLEM_E_NOT_FOUND ? code : no_entry(cli, session, spec);
}

static bool is_number(uint64_t *number, struct xylem_view digits)
{
    char text[24];
    if (digits.bytes >= sizeof text) {
        return false;
    }
    memcpy(text, digits.data, digits.bytes);
    text[digits.bytes] = '\0';
    return xylem_cli__number(number, text);
}

/* True, with the number, for `@{n}`. */
static bool is_move(uint64_t *number, struct xylem_view spec)
{
    return spec.bytes >= 4 && memcmp(spec.data, "@{", 2) == 0 && spec.data[spec.bytes - 1] == '}' &&
           is_number(number, (struct xylem_view){spec.data + 2, spec.bytes - 3});
}

/* Checks that the entry of a leaf or a move exists, unless the leaf is none; otherwise the store is damaged. */
static int check_entry(struct xylem_cli *cli, struct xylem_position position)
{
    struct xylem_view id;
    return xylem_cli__entry_id(cli, &id, position);
}

/* Returns the place of the leaf before the last `count` navigations. */
static int entry_by_move(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                         uint64_t count)
{
    struct xylem_move move = {.from = session->leaf};
    int code = 0;
    if (count > session->move_count) {
        return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no entry '@{%llu}': the session has %llu move%s",
                               (unsigned long long)count, (unsigned long long)session->move_count,
                               session->move_count == 1 ? "" : "s");
    }
    if (count > 0) {
        code = xylem_cli__move_read(cli, &move, session->number, session->move_count - count + 1);
    }
    *position = move.from;
    return code != 0 ? code : check_entry(cli, move.from);
}

/* 1 if the session has `label` entries on the path of some tip, else 0. Reads no other entries. */
static int has_labels(struct xylem_cli *cli, const struct xylem_session *session)
{
    const struct xylem_kind kind = {XYLEM_CLASS_HOST, xylem_view_of("label")};
    struct xylem_tips *tips = NULL;
    struct xylem_tip tip;
    struct xylem_entry newest;
    int code = xylem_newest_of_kind(&newest, cli->txn, session->leaf, kind, &cli->err);
    code = xylem_cli__stored(cli, code, session->leaf);
    if (code != 0) {
        return code;
    }
    code = xylem_tips_new(&tips, cli->txn, session->number, &cli->err);
    while (code == 0 && (code = xylem_tips_next(&tip, tips, &cli->err)) == 1) {
        code = xylem_newest_of_kind(&newest, cli->txn, tip.entry.position, kind, &cli->err);
    }
    xylem_tips_free(tips);
    return code;
}

/* NOT_FOUND, without an error's text, if no entry of the session has the label. */
static int entry_by_label(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                          struct xylem_view spec)
{
    struct xylem_cli__candidates candidates = {0};
    struct xylem_position found;
    struct xylem_labels labels = {0};
    int code = spec.bytes == 0 ? 0 : has_labels(cli, session);
    if (code <= 0) {
        return code == 0 ? XYLEM_E_NOT_FOUND : code;
    }
    code = xylem_labels_read(&labels, cli->txn, session->number, &cli->err);
    for (size_t i = 0; code == 0 && i < labels.label_count; i++) {
        if (!xylem_base__view_equal(labels.labels[i].text, spec)) {
            continue;
        }
        code = xylem_find(&found, cli->txn, session->number, labels.labels[i].target_id, &cli->err);
        if (code == 0) {
            *position = found;
            xylem_cli__candidate(&candidates, labels.labels[i].target_id);
        }
        code = code == XYLEM_E_NOT_FOUND ? 0 : code; /* a label may name an entry outside of the session */
    }
    xylem_labels_release(&labels);
    return xylem_cli__candidates_end(cli, &candidates, code, spec, "entries have that label");
}

/*
 * Finds an entry by its whole id or, with `labels`, by a label. NOT_FOUND, without an error's text, if there is no such
 * entry.
 */
static int entry_exact(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                       struct xylem_view spec, bool labels)
{
    bool may_be_id = spec.bytes > 0 && spec.bytes <= XYLEM_ENTRY_ID_BYTES_MAX;
    int code = may_be_id ? xylem_find(position, cli->txn, session->number, spec, &cli->err) : XYLEM_E_NOT_FOUND;
    return code != XYLEM_E_NOT_FOUND || !labels ? code : entry_by_label(cli, position, session, spec);
}

/* Resolves a name without steps. The leaf and its former places may be none. */
static int entry_base(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                      struct xylem_view spec)
{
    uint64_t moves = 0;
    if (spec.bytes == 1 && spec.data[0] == '@') {
        *position = session->leaf;
        return check_entry(cli, session->leaf);
    }
    if (is_move(&moves, spec)) {
        return entry_by_move(cli, position, session, moves);
    }
    int code = entry_exact(cli, position, session, spec, true);
    if (code != XYLEM_E_NOT_FOUND) {
        return code;
    }
    if (spec.bytes == 0) {
        return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND,
                               "expected an entry behind the ':', found nothing; @ is the leaf");
    }
    if (spec.bytes > XYLEM_ENTRY_ID_BYTES_MAX) {
        return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND,
                               "no entry has that label, and an entry id has 1 to %u bytes, not %zu",
                               XYLEM_ENTRY_ID_BYTES_MAX, spec.bytes);
    }
    return spec.bytes < XYLEM_CLI__PART_BYTES_MIN ? no_entry(cli, session, spec)
                                                  : entry_by_prefix(cli, position, session, spec);
}

/* Returns the offset of the last step of a spec, `~n` or `^n`; the length of the spec if there is no step. */
static size_t last_step(struct xylem_view spec)
{
    uint64_t number = 0;
    size_t at = spec.bytes;
    while (at > 0 && spec.data[at - 1] >= '0' && spec.data[at - 1] <= '9') {
        at--;
    }
    bool found = at > 0 && (spec.data[at - 1] == '~' || spec.data[at - 1] == '^') &&
                 is_number(&number, (struct xylem_view){spec.data + at, spec.bytes - at});
    return found ? at - 1 : spec.bytes;
}

bool xylem_cli__label_is_hidden(struct xylem_view label)
{
    uint64_t number;
    bool at = label.bytes > 0 && label.data[0] == '@';
    return xylem_base__view_is(label, "none") ||
           (at && (label.bytes == 1 || is_move(&number, label) || last_step(label) < label.bytes));
}

static int no_entry_in_none(struct xylem_cli *cli, const struct xylem_session *session, struct xylem_view name)
{
    struct xylem_cli__text text = {0};
    xylem_cli__addf(&text, "'%.*s' names no entry: the leaf %s none", (int)name.bytes, name.data,
                    name.bytes == 1 ? "is" : "was");
    return fail_to_tree(cli, session, &text);
}

/*
 * Resolves the name at the beginning of a spec, and gives its length in `bytes`; steps follow. A `~` or a `^` may be
 * part of an id or a label, so the whole spec is tried first, then the spec without its last step, and so on.
 */
static int entry_name(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                      const char *spec, size_t *bytes)
{
    struct xylem_view name = xylem_view_of(spec);
    size_t step;
    while ((step = last_step(name)) < name.bytes) {
        int code = entry_exact(cli, position, session, name, *spec != '@');
        if (code != XYLEM_E_NOT_FOUND) {
            *bytes = name.bytes;
            return code;
        }
        name.bytes = step;
    }
    *bytes = name.bytes;
    if (name.bytes == 0 && *spec != '\0') {
        /* The user may have meant the leaf, or lost an id, so the command does not guess. */
        return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no entry '%s': write '@%s' to start from the leaf",
                               spec, spec);
    }
    return entry_base(cli, position, session, name);
}

/* Resolves the name, then takes one step after the other. */
static int resolve(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                   const char *spec)
{
    size_t at = 0;
    int code = entry_name(cli, position, session, spec, &at);
    while (code == 0 && spec[at] != '\0') {
        size_t end = at + 1 + strspn(spec + at + 1, "0123456789");
        bool back = spec[at] == '~';
        uint64_t depth = position->depth;
        uint64_t number = 0;
        assert(back || spec[at] == '^');
        if (xylem_cli__position_none(*position)) {
            return no_entry_in_none(cli, session, (struct xylem_view){spec, at});
        }
        is_number(&number, (struct xylem_view){spec + at + 1, end - at - 1});
        if (back ? number >= depth : number == 0 || number > depth) {
            return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "there is no entry '%.*s': '%.*s' has depth %llu", (int)end,
                                   spec, (int)at, spec, (unsigned long long)depth);
        }
        uint64_t wanted = back ? depth - number : number;
        code = wanted == depth ? 0 : xylem_cli__ancestor_at(cli, position, *position, wanted);
        at = end;
    }
    return code;
}

int xylem_cli__entry(struct xylem_cli *cli, struct xylem_position *position, const struct xylem_session *session,
                     const char *spec)
{
    int code = resolve(cli, position, session, spec);
    return code == 0 && xylem_cli__position_none(*position) ? no_entry_in_none(cli, session, xylem_view_of(spec))
                                                            : code;
}

int xylem_cli__entry_or_none(struct xylem_cli *cli, struct xylem_position *position,
                             const struct xylem_session *session, const char *spec)
{
    if (strcmp(spec, "none") == 0) {
        *position = (struct xylem_position){0, 0};
        return 0;
    }
    return resolve(cli, position, session, spec);
}
