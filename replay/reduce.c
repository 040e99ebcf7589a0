/*
 * The driver of reducers. The driver walks from wanted entry to wanted entry, newest to oldest, decodes each payload
 * once, and shows the entry to each open reducer that wants the kind. A reducer is open until the reducer answers DONE.
 *
 *     path, newest first    n3   m    t2   m    n2   m    t1
 *     reducer of n, t       GO_ON     GO_ON     DONE
 *     reducer of t                    SKIP                DONE: the walk ends
 *
 * Cases:
 *
 *   GO_ON             the reducer gets the next older entry of its kinds
 *   DONE              the reducer gets no more entries; a kind without an open reducer is closed
 *   SKIP              the entry is listed in `skipped`; then as GO_ON
 *   another number    the walk fails
 *   damaged payload   the walk fails
 *   unusable payload  redacted, malformed or beyond a limit: the visitor gets no data, and the cause in `data_code`
 */
#include <assert.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "branch/arena.h"
#include "replay/pieces.h"
#include "store/store.h"
#include "xylem/branch.h"

/* A kind that a reducer asked for. */
struct wanted {
    size_t reducer;
    size_t kind_index;                     /* among the reducer's kinds */
    struct xylem_store__walked_kind *kind; /* shared with other reducers of the same kind */
    struct wanted *next;                   /* of the next reducer of the same kind */
    struct xylem_buffer storage;
};

/* Lists on the stack for up to FEW reducers and kinds: an allocation is a large part of the time of a rehydration. */
#define FEW 16u

struct few {
    struct wanted wanted[FEW];
    struct xylem_store__walked_kind kinds[FEW];
    struct wanted *first[FEW];
    bool done[FEW];
};

struct driver {
    struct xylem_reduction *reduction;
    const struct xylem_reducer *reducers;
    size_t open_count; /* reducers that are not done */
    void *room;        /* owned: memory of the four lists below; NULL: the lists lie in a struct few */
    struct wanted *wanted;
    size_t wanted_count;
    struct xylem_store__walked_kind *kinds;
    size_t kind_count;
    struct wanted **first; /* by kind */
    bool *done;            /* by reducer */
    struct xylem_base__tree *tree;
    const struct xylem_replay__held *held; /* NULL: the entries lie in a store */
    size_t skipped_capacity;
};

/* The kind in the list of walked kinds, or NULL. */
static struct xylem_store__walked_kind *find_kind(const struct driver *driver, const struct xylem_kind *kind)
{
    for (size_t i = 0; i < driver->kind_count; i++) {
        if (xylem_store__kind_equal(&driver->kinds[i].kind, kind)) {
            return &driver->kinds[i];
        }
    }
    return NULL;
}

static int make_room(struct driver *driver, struct few *few, size_t reducer_count, size_t wanted_count)
{
    if (reducer_count <= FEW && wanted_count <= FEW) {
        driver->wanted = few->wanted;
        driver->kinds = few->kinds;
        driver->first = few->first;
        driver->done = few->done;
    } else {
        driver->room = malloc(wanted_count * (sizeof *driver->wanted + sizeof *driver->kinds + sizeof *driver->first) +
                              reducer_count * sizeof *driver->done);
        if (!driver->room) {
            return XYLEM_E_MEMORY;
        }
        driver->wanted = driver->room;
        driver->kinds = (struct xylem_store__walked_kind *)(driver->wanted + wanted_count);
        driver->first = (struct wanted **)(driver->kinds + wanted_count);
        driver->done = (bool *)(driver->first + wanted_count);
    }
    for (size_t i = 0; i < reducer_count; i++) {
        driver->done[i] = false;
    }
    return XYLEM_OK;
}

/* Lists the wanted kind for its reducer. A reducer that names a kind twice is listed once, so it sees an entry once. */
static void list_wanted(struct driver *driver, struct wanted *wanted)
{
    struct wanted **at = &driver->first[wanted->kind - driver->kinds];
    while (*at && (*at)->reducer != wanted->reducer) {
        at = &(*at)->next;
    }
    *at = *at ? *at : wanted;
}

/* Parses the kind, and finds the walked kind that another reducer shares. */
static int parse_wanted(struct xylem_kind *kind, struct driver *driver, struct wanted *wanted, const char *text,
                        struct xylem_error *err)
{
    int code = xylem_kind_parse(kind, &wanted->storage, xylem_view_of(text), err);
    wanted->kind = code < 0 ? NULL : find_kind(driver, kind);
    return code;
}

static int driver_init(struct driver *driver, struct few *few, size_t reducer_count,
                       const struct xylem_kind *const *parsed, struct xylem_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < reducer_count; i++) {
        const struct xylem_reducer *reducer = &driver->reducers[i];
        if (!reducer->kinds || !reducer->visit) {
            return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reducer %s has no list of kinds or no visitor",
                                    reducer->name ? reducer->name : "without a name");
        }
        for (const char *const *kind = reducer->kinds; *kind; kind++) {
            count++;
        }
    }
    if (make_room(driver, few, reducer_count, count) < 0) {
        return xylem_base__fail_memory(err);
    }
    driver->open_count = reducer_count;
    for (size_t i = 0; i < reducer_count; i++) {
        const char *const *kinds = driver->reducers[i].kinds;
        for (size_t k = 0; kinds[k]; k++) {
            struct wanted *wanted = &driver->wanted[driver->wanted_count++];
            struct xylem_kind own;
            *wanted = (struct wanted){.reducer = i, .kind_index = k};
            int code = parsed ? XYLEM_OK : parse_wanted(&own, driver, wanted, kinds[k], err);
            if (code < 0) {
                return code;
            }
            assert(!parsed || !find_kind(driver, &parsed[i][k]));
            if (!wanted->kind) {
                wanted->kind = &driver->kinds[driver->kind_count];
                driver->first[driver->kind_count++] = NULL;
                *wanted->kind = (struct xylem_store__walked_kind){.kind = parsed ? parsed[i][k] : own};
            }
            list_wanted(driver, wanted);
        }
    }
    return XYLEM_OK;
}

static int skipped_add(struct driver *driver, const struct xylem_visit *visit, struct xylem_error *err)
{
    struct xylem_reduction *reduction = driver->reduction;
    struct xylem_skipped *list =
        xylem_base__with_room(reduction->skipped, &driver->skipped_capacity, reduction->skipped_count, sizeof *list);
    if (!list) {
        return xylem_base__fail_memory(err);
    }
    reduction->skipped = list;
    struct xylem_buffer kind = {0};
    struct xylem_skipped skipped = {.position = visit->entry->position,
                                    .reason = visit->reason ? visit->reason : "no reason was given"};
    int code;
    if ((code = xylem_kind_text(&kind, visit->entry->kind)) < 0 ||
        (code = xylem_branch__arena_copy(&skipped.kind, &reduction->storage, xylem_base__buffer_view(&kind))) < 0 ||
        (code = xylem_branch__arena_copy(&skipped.entry_id, &reduction->storage, visit->entry->id)) < 0) {
        code = xylem_base__fail_memory(err);
    } else {
        list[reduction->skipped_count++] = skipped;
    }
    xylem_buffer_release(&kind);
    return code;
}

static bool has_open_reducer(const struct driver *driver, const struct xylem_store__walked_kind *kind)
{
    const struct wanted *wanted = driver->first[kind - driver->kinds];
    while (wanted && driver->done[wanted->reducer]) {
        wanted = wanted->next;
    }
    return wanted;
}

/* Marks the reducer as done, and closes the kinds that no open reducer wants. */
static void finish(struct driver *driver, size_t reducer)
{
    assert(!driver->done[reducer] && driver->open_count > 0);
    driver->done[reducer] = true;
    if (--driver->open_count == 0) {
        return; /* the walk ends */
    }
    for (size_t i = 0; i < driver->wanted_count; i++) {
        struct wanted *wanted = &driver->wanted[i];
        if (wanted->reducer == reducer) {
            wanted->kind->closed = !has_open_reducer(driver, wanted->kind);
        }
    }
}

static int visit_one(struct driver *driver, size_t reducer, struct xylem_visit *visit, struct xylem_error *err)
{
    const struct xylem_reducer *with = &driver->reducers[reducer];
    const char *name = with->name ? with->name : "without a name";
    visit->reason = NULL;
    int answer = with->visit(with->context, visit);
    switch (answer) {
    case XYLEM_VISIT_GO_ON:
        return XYLEM_OK;
    case XYLEM_VISIT_DONE:
        finish(driver, reducer);
        return XYLEM_OK;
    case XYLEM_VISIT_SKIP:
        return skipped_add(driver, visit, err);
    default:
        if (answer > 0) {
            return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reducer %s: expected an answer of a visitor, found %d",
                                    name, answer);
        }
        return xylem_base__fail(err, answer, "reducer %s failed: %s", name, xylem_code_text(answer));
    }
}

/*
 * Decodes the payload, and shows the entry to each open reducer of the kind. `data_code` of the visit has the cause of
 * an unusable payload; damage is an error.
 */
static int entry_visit(struct driver *driver, const struct xylem_entry *entry,
                       const struct xylem_store__walked_kind *kind, struct xylem_error *err)
{
    struct xylem_visit visit = {.entry = entry};
    struct xylem_error why;
    int code = driver->held ? xylem_replay__held_decode(driver->tree, driver->held, &why)
                            : xylem_store__payload_decode(driver->tree, entry, &why);
    visit.data_code = code;
    if (code == XYLEM_OK) {
        driver->reduction->decoded_count += entry->payload_bytes > 0;
        driver->reduction->decoded_bytes += entry->payload_bytes;
        visit.data = driver->tree->node_count > 0 ? &driver->tree->nodes[0] : NULL;
    } else if (code != XYLEM_E_MALFORMED && code != XYLEM_E_REDACTED && code != XYLEM_E_LIMIT) {
        return xylem_base__fail(err, code, "%s", why.text);
    }
    code = XYLEM_OK;
    for (const struct wanted *wanted = driver->first[kind - driver->kinds]; code == XYLEM_OK && wanted;
         wanted = wanted->next) {
        if (!driver->done[wanted->reducer]) {
            visit.kind_index = wanted->kind_index;
            code = visit_one(driver, wanted->reducer, &visit, err);
        }
    }
    return code;
}

/* The usual walk: follows the links of the records from wanted entry to wanted entry. */
static int follow_links(struct driver *driver, struct xylem_txn *txn, const struct xylem_entry *from,
                        struct xylem_error *err)
{
    struct xylem_store__kind_walk walk;
    struct xylem_store__walked_kind *kind = NULL;
    int code = XYLEM_OK;
    xylem_store__kind_walk_start(&walk, txn, from, driver->kinds, driver->kind_count);
    while (code == XYLEM_OK && driver->open_count > 0) {
        code = xylem_store__kind_walk_next(&kind, &walk, err);
        if (code <= 0) {
            break;
        }
        code = entry_visit(driver, &walk.at, kind, err);
    }
    driver->reduction->looked_at = walk.read_count + 1;
    return code;
}

/* Shows an entry of any kind to the open reducers of the kind. */
static int any_entry_visit(struct driver *driver, const struct xylem_entry *entry, struct xylem_error *err)
{
    driver->reduction->looked_at++;
    const struct xylem_store__walked_kind *kind = find_kind(driver, &entry->kind);
    return kind && !kind->closed ? entry_visit(driver, entry, kind, err) : XYLEM_OK;
}

/* The reference walk, for the option `scan`: reads every entry of the path. */
static int scan(struct driver *driver, struct xylem_txn *txn, struct xylem_position from, struct xylem_error *err)
{
    struct xylem_walk *walk = NULL;
    int code = xylem_walk_new(&walk, txn, from, err);
    while (code == XYLEM_OK && driver->open_count > 0) {
        struct xylem_entry entry;
        code = xylem_walk_next(&entry, walk, err);
        if (code <= 0) {
            break;
        }
        code = any_entry_visit(driver, &entry, err);
    }
    xylem_walk_free(walk);
    return code;
}

/* The walk over the entries of a host: the first entry is at hand, and the host gives the next ones. */
static int ask_host(struct driver *driver, struct xylem_replay__held *held, struct xylem_error *err)
{
    int code;
    do {
        code = any_entry_visit(driver, &held->entry, err);
    } while (code == XYLEM_OK && driver->open_count > 0 && (code = xylem_replay__held_next(held, err)) > 0);
    return code;
}

int xylem_replay__reduce(struct xylem_reduction *reduction, const struct xylem_replay__path *path,
                         const struct xylem_reducer *reducers, size_t reducer_count,
                         const struct xylem_kind *const *parsed, struct xylem_error *err)
{
    struct xylem_base__tree tree;
    struct few few;
    struct driver driver = {.reduction = reduction, .reducers = reducers, .tree = &tree, .held = path->held};
    assert(!reduction->skipped && reduction->skipped_count == 0 && !reduction->storage);
    xylem_base__tree_init(&tree);
    int code = driver_init(&driver, &few, reducer_count, parsed, err);
    if (code == XYLEM_OK && driver.open_count > 0 && path->held) {
        code = ask_host(&driver, path->held, err);
    } else if (code == XYLEM_OK && driver.open_count > 0 && path->from) {
        code = path->scan ? scan(&driver, path->txn, path->from->position, err)
                          : follow_links(&driver, path->txn, path->from, err);
    }
    for (size_t i = 0; !parsed && i < driver.wanted_count; i++) {
        xylem_buffer_release(&driver.wanted[i].storage);
    }
    free(driver.room);
    xylem_base__tree_release(&tree);
    if (code < 0) {
        xylem_reduction_release(reduction);
    }
    return code;
}

int xylem_reduce(struct xylem_reduction *reduction, struct xylem_txn *txn, struct xylem_position from,
                 const struct xylem_reducer *reducers, size_t reducer_count, const struct xylem_reduce_options *options,
                 struct xylem_error *err)
{
    struct xylem_entry entry;
    bool none = xylem_format__position_none(from);
    *reduction = (struct xylem_reduction){0};
    int code = none ? XYLEM_OK : xylem_entry_read(&entry, txn, from, err);
    if (code < 0) {
        return code;
    }
    const struct xylem_replay__path path = {.txn = txn, .from = none ? NULL : &entry, .scan = options && options->scan};
    return xylem_replay__reduce(reduction, &path, reducers, reducer_count, NULL, err);
}

int xylem_reduce_from(struct xylem_reduction *reduction, int (*next)(void *context, struct xylem_held_entry *entry),
                      void *context, const struct xylem_reducer *reducers, size_t reducer_count,
                      struct xylem_error *err)
{
    struct xylem_replay__held held = {.next = next, .context = context, .entry.lsn = UINT64_MAX};
    *reduction = (struct xylem_reduction){0};
    int code = xylem_replay__held_next(&held, err);
    if (code < 0) {
        return code;
    }
    const struct xylem_replay__path path = {.held = code > 0 ? &held : NULL};
    return xylem_replay__reduce(reduction, &path, reducers, reducer_count, NULL, err);
}

void xylem_reduction_release(struct xylem_reduction *reduction)
{
    if (reduction) {
        free(reduction->skipped);
        xylem_branch__arena_release(&reduction->storage);
        *reduction = (struct xylem_reduction){0};
    }
}
