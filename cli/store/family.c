/*
 * Finds the sessions that are related to a session: the sessions of its tree, and the sessions that headers link, over
 * any number of steps. A session's source is the session that the header names, if the store has such a session, else
 * the session that owns the branch of the base.
 */
#include "cli/store/family.h"
#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct xylem_cli__family *family;
    size_t capacity;
    uint64_t asked; /* the number of the session; 0: all sessions of the store */
};

/* The ledger of a run names the session of its host, but belongs to no family. */
static int add_kin(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct reading *reading = context;
    const struct xylem_cli__kin kin = {.number = session->number,
                                       .tree = session->tree,
                                       .id = session->id,
                                       .name_space = session->name_space,
                                       .named = session->parent,
                                       .base = session->base,
                                       .parent = XYLEM_CLI__NO_KIN,
                                       .first_child = XYLEM_CLI__NO_KIN,
                                       .next_sibling = XYLEM_CLI__NO_KIN};
    int code = session->number == reading->asked ? 0 : xylem_cli__is_ledger(cli, session);
    if (code == XYLEM_E_CORRUPT && reading->asked == 0) {
        code = 1; /* a listing has reported the session, and lists the others */
    }
    if (code != 0 || session->state == XYLEM_SESSION_FREED) {
        return code < 0 ? code : 0; /* the remaining entries of a freed session belong to the sharing sessions */
    }
    return xylem_cli__list_add(cli, &reading->family->kin, &reading->family->count, &reading->capacity, &kin,
                               sizeof kin);
}

static int compare_ids(const void *a, const void *b)
{
    const struct xylem_cli__kin *left = *(struct xylem_cli__kin *const *)a;
    const struct xylem_cli__kin *right = *(struct xylem_cli__kin *const *)b;
    int order = xylem_base__view_order(left->id, right->id);
    return order != 0 ? order : xylem_base__view_order(left->name_space, right->name_space);
}

/* The session with that id in the namespace of `kin`. */
static size_t find_id(const struct xylem_cli__family *family, struct xylem_cli__kin *const *by_id,
                      const struct xylem_cli__kin *kin, struct xylem_view id)
{
    struct xylem_cli__kin wanted = {.id = id, .name_space = kin->name_space};
    struct xylem_cli__kin *key = &wanted;
    struct xylem_cli__kin *const *found = bsearch(&key, by_id, family->count, sizeof *by_id, compare_ids);
    return found ? (size_t)(*found - family->kin) : XYLEM_CLI__NO_KIN;
}

/*
 * Finds the session that a header names, as an import does (enum xylem_import_source): by the id in the name of a
 * session file, as pi makes the name (the text behind the last `_` of the path's last part, without `.jsonl`), else by
 * the whole text as an id. An import also reads the file at that path; a drawing of the store reads no file.
 */
static size_t find_named(const struct xylem_cli__family *family, struct xylem_cli__kin *const *by_id,
                         const struct xylem_cli__kin *kin)
{
    struct xylem_view text = kin->named;
    static const char suffix[] = ".jsonl";
    const size_t suffix_bytes = sizeof suffix - 1;
    bool has_suffix =
        text.bytes >= suffix_bytes && memcmp(text.data + text.bytes - suffix_bytes, suffix, suffix_bytes) == 0;
    size_t end = text.bytes - (has_suffix ? suffix_bytes : 0);
    const char *underscore = end == 0 ? NULL : memrchr(text.data, '_', end);
    size_t found = XYLEM_CLI__NO_KIN;
    if (underscore) {
        struct xylem_view id = {underscore + 1, end - (size_t)(underscore + 1 - text.data)};
        bool in_last_part = id.bytes > 0 && !memchr(id.data, '/', id.bytes);
        found = in_last_part ? find_id(family, by_id, kin, id) : found;
    }
    return found != XYLEM_CLI__NO_KIN || text.bytes == 0 ? found : find_id(family, by_id, kin, text);
}

static int compare_numbers(const void *a, const void *b)
{
    return xylem_base__compare_numbers(&((const struct xylem_cli__kin *)a)->number,
                                       &((const struct xylem_cli__kin *)b)->number);
}

size_t xylem_cli__family_find(const struct xylem_cli__family *family, uint64_t number)
{
    struct xylem_cli__kin key = {.number = number};
    const struct xylem_cli__kin *found =
        family->count == 0 ? NULL : bsearch(&key, family->kin, family->count, sizeof key, compare_numbers);
    return found ? (size_t)(found - family->kin) : XYLEM_CLI__NO_KIN;
}

struct xylem_view xylem_cli__family_source(const struct xylem_cli__family *family, const struct xylem_cli__kin *kin)
{
    const struct xylem_cli__kin *source = kin->parent == XYLEM_CLI__NO_KIN ? NULL : &family->kin[kin->parent];
    bool is_clear = source && xylem_base__view_equal(source->name_space, kin->name_space);
    return is_clear ? source->id : (struct xylem_view){NULL, 0};
}

/* --- Related sessions --------------------------------------------------------------------------------------------- */

/* Finds the head of a set of related sessions, and halves the way to the head for later searches. */
static size_t head_of(size_t *heads, size_t kin)
{
    while (heads[kin] != kin) {
        heads[kin] = heads[heads[kin]];
        kin = heads[kin];
    }
    return kin;
}

static void relate(size_t *heads, size_t a, size_t b)
{
    heads[head_of(heads, a)] = head_of(heads, b);
}

static int compare_trees(const void *a, const void *b)
{
    return xylem_base__compare_numbers(&(*(struct xylem_cli__kin *const *)a)->tree,
                                       &(*(struct xylem_cli__kin *const *)b)->tree);
}

/* Keeps the sessions that are related to the asked session, and adjusts indexes to the shortened list. */
static void keep_related(struct xylem_cli__family *family, size_t *heads, size_t asked)
{
    size_t wanted = head_of(heads, asked);
    size_t count = 0;
    for (size_t i = 0; i < family->count; i++) {
        heads[i] = head_of(heads, i);
    }
    for (size_t i = 0; i < family->count; i++) {
        heads[i] = heads[i] == wanted ? count++ : XYLEM_CLI__NO_KIN;
    }
    for (size_t i = 0; i < family->count; i++) {
        struct xylem_cli__kin *kin = &family->kin[i];
        if (heads[i] != XYLEM_CLI__NO_KIN) {
            kin->parent = kin->parent == XYLEM_CLI__NO_KIN ? kin->parent : heads[kin->parent];
            family->kin[heads[i]] = *kin;
        }
    }
    family->asked = heads[asked];
    family->count = count;
}

/* `heads` and `sorted` have room for all sessions. */
static void find_related(struct xylem_cli__family *family, const struct xylem_session *asked, size_t *heads,
                         struct xylem_cli__kin **sorted)
{
    for (size_t i = 0; i < family->count; i++) {
        heads[i] = i;
        sorted[i] = &family->kin[i];
    }
    qsort(sorted, family->count, sizeof *sorted, compare_trees);
    for (size_t i = 1; i < family->count; i++) {
        if (sorted[i]->tree == sorted[i - 1]->tree) {
            relate(heads, (size_t)(sorted[i] - family->kin), (size_t)(sorted[i - 1] - family->kin));
        }
    }
    qsort(sorted, family->count, sizeof *sorted, compare_ids);
    for (size_t i = 0; i < family->count; i++) { /* one byte more than an id shares with a neighbour makes it unique */
        struct xylem_view id = sorted[i]->id;
        size_t before = i == 0 ? 0 : xylem_cli__id_shared_bytes(id, sorted[i - 1]->id);
        size_t behind = i + 1 == family->count ? 0 : xylem_cli__id_shared_bytes(id, sorted[i + 1]->id);
        sorted[i]->prefix_bytes = 1 + (before > behind ? before : behind);
    }
    for (size_t i = 0; i < family->count; i++) {
        size_t named = find_named(family, sorted, &family->kin[i]);
        if (named != XYLEM_CLI__NO_KIN && named != i) {
            family->kin[i].parent = named;
            relate(heads, i, named);
        }
    }
    if (asked) {
        keep_related(family, heads, xylem_cli__family_find(family, asked->number));
    }
}

/* --- Sources ------------------------------------------------------------------------------------------------------ */

/* If no header names a stored session, the owner of the base is the source. */
static int find_owners(struct xylem_cli *cli, struct xylem_cli__family *family)
{
    int code = 0;
    for (size_t i = 0; i < family->count && code == 0; i++) {
        struct xylem_cli__kin *kin = &family->kin[i];
        uint64_t owner = 0;
        if (kin->parent != XYLEM_CLI__NO_KIN || xylem_cli__position_none(kin->base)) {
            continue;
        }
        code = xylem_cli__owner(cli, &owner, kin->base);
        if (code == XYLEM_E_CORRUPT) { /* reported when the session is drawn */
            code = 0;
        } else if (code == 0 && owner != kin->number) {
            kin->parent = xylem_cli__family_find(family, owner);
        }
    }
    return code;
}

/* Headers may lead in a circle. The oldest session of the circle becomes a root. */
static void cut_circles(struct xylem_cli__family *family)
{
    for (size_t i = 0; i < family->count; i++) {
        size_t at = i;
        while (at != XYLEM_CLI__NO_KIN && family->kin[at].mark == 0) {
            family->kin[at].mark = i + 1;
            at = family->kin[at].parent;
        }
        if (at == XYLEM_CLI__NO_KIN || family->kin[at].mark != i + 1) {
            continue;
        }
        size_t oldest = at;
        for (size_t next = family->kin[at].parent; next != at; next = family->kin[next].parent) {
            oldest = next < oldest ? next : oldest;
        }
        family->kin[oldest].parent = XYLEM_CLI__NO_KIN;
        family->kin[oldest].circle = true;
    }
}

int xylem_cli__family_read(struct xylem_cli *cli, struct xylem_cli__family *family, const struct xylem_session *asked)
{
    struct reading reading = {.family = family, .asked = asked ? asked->number : 0};
    *family = (struct xylem_cli__family){0};
    int code = xylem_cli__each_session_of_store(cli, add_kin, &reading);
    size_t *heads = calloc(family->count + 1, sizeof *heads);
    struct xylem_cli__kin **sorted = calloc(family->count + 1, sizeof(struct xylem_cli__kin *));
    code = code != 0 || (heads && sorted) ? code : xylem_cli__fail_memory(cli);
    if (code == 0 && family->count > 0) {
        find_related(family, asked, heads, sorted);
        code = find_owners(cli, family);
    }
    free(heads);
    free(sorted);
    if (code != 0) {
        return code;
    }
    cut_circles(family);
    family->first_root = XYLEM_CLI__NO_KIN;
    for (size_t i = family->count; i > 0; i--) { /* each child is put in front: in the order of creation */
        struct xylem_cli__kin *kin = &family->kin[i - 1];
        size_t *first = kin->parent == XYLEM_CLI__NO_KIN ? &family->first_root : &family->kin[kin->parent].first_child;
        kin->next_sibling = *first;
        *first = i - 1;
    }
    return 0;
}

void xylem_cli__family_release(struct xylem_cli__family *family)
{
    free(family->kin);
    *family = (struct xylem_cli__family){0};
}
