/*
 * The driver of reducers: it goes along the entries that they want, newest to oldest, decodes each payload once, and
 * stops asking a reducer that is done.
 */
#include <stdlib.h>

#include "base/error.h"
#include "branch/arena.h"
#include "replay/pieces.h"
#include "store/store.h"

/* A kind that a reducer asked for. */
struct wanted {
    size_t reducer;
    size_t kind_index;                     /* among the reducer's kinds */
    struct xylem_store__walked_kind *kind; /* several may want the same */
    struct xylem_buffer storage;
};

/* Room for what few reducers want: a rehydration is over in the time of a few allocations. */
#define FEW 16u

struct few {
    struct wanted wanted[FEW];
    struct xylem_store__walked_kind kinds[FEW];
    bool done[FEW];
};

struct driver {
    struct xylem_reduction *reduction;
    const struct xylem_reducer *reducers;
    size_t open_count; /* reducers that are not done */
    void *room;        /* owned: what the three lists lie in, or NULL if they are few */
    struct wanted *wanted;
    size_t wanted_count;
    struct xylem_store__walked_kind *kinds;
    size_t kind_count;
    bool *done; /* by reducer */
    struct xylem_base__tree *tree;
    size_t skipped_capacity;
};

static int count_kinds(size_t *count, const struct xylem_reducer *reducers, size_t reducer_count,
                       struct xylem_error *err)
{
    *count = 0;
    for (size_t i = 0; i < reducer_count; i++) {
        if (!reducers[i].kinds || !reducers[i].visit) {
            return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reducer %s has no list of kinds or no visitor",
                                    reducers[i].name ? reducers[i].name : "without a name");
        }
        for (const char *const *kind = reducers[i].kinds; *kind; kind++) {
            ++*count;
        }
    }
    return XYLEM_OK;
}

/* The kind as it is walked along: each stands there once, whoever wants it. */
static struct xylem_store__walked_kind *walked_kind(struct driver *driver, const struct xylem_kind *kind)
{
    for (size_t i = 0; i < driver->kind_count; i++) {
        if (xylem_store__kind_equal(&driver->kinds[i].kind, kind)) {
            return &driver->kinds[i];
        }
    }
    driver->kinds[driver->kind_count] = (struct xylem_store__walked_kind){.kind = *kind};
    return &driver->kinds[driver->kind_count++];
}

static int add_wanted(struct driver *driver, size_t reducer, size_t kind_index, const struct xylem_kind *parsed,
                      struct xylem_error *err)
{
    struct wanted *wanted = &driver->wanted[driver->wanted_count++];
    *wanted = (struct wanted){.reducer = reducer, .kind_index = kind_index};
    if (parsed) {
        wanted->kind = walked_kind(driver, &parsed[kind_index]);
        return XYLEM_OK;
    }
    struct xylem_kind kind;
    int code =
        xylem_kind_parse(&kind, &wanted->storage, xylem_view_of(driver->reducers[reducer].kinds[kind_index]), err);
    if (code == XYLEM_OK) {
        wanted->kind = walked_kind(driver, &kind);
    }
    return code;
}

static int make_room(struct driver *driver, struct few *few, size_t reducer_count, size_t wanted_count)
{
    if (reducer_count <= FEW && wanted_count <= FEW) {
        driver->wanted = few->wanted;
        driver->kinds = few->kinds;
        driver->done = few->done;
    } else {
        driver->room = malloc(wanted_count * (sizeof(*driver->wanted) + sizeof(*driver->kinds)) +
                              reducer_count * sizeof(*driver->done));
        if (!driver->room) {
            return XYLEM_E_MEMORY;
        }
        driver->wanted = driver->room;
        driver->kinds = (struct xylem_store__walked_kind *)(driver->wanted + wanted_count);
        driver->done = (bool *)(driver->kinds + wanted_count);
    }
    for (size_t i = 0; i < reducer_count; i++) {
        driver->done[i] = false;
    }
    return XYLEM_OK;
}

static int driver_init(struct driver *driver, struct few *few, size_t reducer_count,
                       const struct xylem_kind *const *parsed, struct xylem_error *err)
{
    size_t count = 0;
    int code = count_kinds(&count, driver->reducers, reducer_count, err);
    if (code < 0) {
        return code;
    }
    if (make_room(driver, few, reducer_count, count) < 0) {
        return xylem_base__fail_memory(err);
    }
    driver->open_count = reducer_count;
    for (size_t i = 0; code == XYLEM_OK && i < reducer_count; i++) {
        for (size_t k = 0; code == XYLEM_OK && driver->reducers[i].kinds[k]; k++) {
            code = add_wanted(driver, i, k, parsed ? parsed[i] : NULL, err);
        }
    }
    return code;
}

static void driver_release(struct driver *driver)
{
    for (size_t i = 0; i < driver->wanted_count; i++) {
        if (driver->wanted[i].storage.data) {
            xylem_buffer_release(&driver->wanted[i].storage);
        }
    }
    free(driver->room);
    xylem_base__tree_release(driver->tree);
}

static int skipped_add(struct driver *driver, const struct xylem_visit *visit, struct xylem_error *err)
{
    struct xylem_reduction *reduction = driver->reduction;
    if (reduction->skipped_count == driver->skipped_capacity) {
        size_t capacity = driver->skipped_capacity ? driver->skipped_capacity * 2 : 8;
        struct xylem_skipped *skipped = realloc(reduction->skipped, capacity * sizeof(*skipped));
        if (!skipped) {
            return xylem_base__fail_memory(err);
        }
        reduction->skipped = skipped;
        driver->skipped_capacity = capacity;
    }
    struct xylem_buffer kind = {0};
    struct xylem_skipped skipped = {.position = visit->entry->position,
                                    .reason = visit->reason ? visit->reason : "no reason was given"};
    int code = xylem_kind_text(&kind, visit->entry->kind);
    if (code == XYLEM_OK) {
        struct xylem_view text = {kind.data, kind.bytes};
        code = xylem_branch__arena_copy(&skipped.kind, &reduction->storage, text);
    }
    if (code == XYLEM_OK) {
        code = xylem_branch__arena_copy(&skipped.entry_id, &reduction->storage, visit->entry->id);
    }
    xylem_buffer_release(&kind);
    if (code < 0) {
        return xylem_base__fail_memory(err);
    }
    reduction->skipped[reduction->skipped_count++] = skipped;
    return XYLEM_OK;
}

/* A reducer needs no more: neither do its kinds, but for those that another one still wants. */
static void finish(struct driver *driver, size_t reducer)
{
    driver->done[reducer] = true;
    if (--driver->open_count == 0) {
        return; /* nobody goes on */
    }
    for (size_t i = 0; i < driver->kind_count; i++) {
        driver->kinds[i].closed = true;
    }
    for (size_t i = 0; i < driver->wanted_count; i++) {
        if (!driver->done[driver->wanted[i].reducer]) {
            driver->wanted[i].kind->closed = false;
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

/* Decodes the entry for its visitors. What makes only this payload useless is told to them; damage ends the walk. */
static int decode(struct driver *driver, struct xylem_visit *visit, struct xylem_error *err)
{
    struct xylem_error why;
    int code = xylem_store__payload_decode(driver->tree, visit->entry, &why);
    visit->data_code = code;
    if (code == XYLEM_OK) {
        driver->reduction->decoded_count += visit->entry->payload_bytes > 0;
        driver->reduction->decoded_bytes += visit->entry->payload_bytes;
        visit->data = driver->tree->node_count > 0 ? &driver->tree->nodes[0] : NULL;
        return XYLEM_OK;
    }
    if (code == XYLEM_E_MALFORMED || code == XYLEM_E_REDACTED || code == XYLEM_E_LIMIT) {
        return XYLEM_OK;
    }
    return xylem_base__fail(err, code, "%s", why.text);
}

/* Shows an entry of that kind to those who want it, each once, however often they name the kind. */
static int entry_visit(struct driver *driver, const struct xylem_entry *entry,
                       const struct xylem_store__walked_kind *kind, struct xylem_error *err)
{
    struct xylem_visit visit = {.entry = entry};
    const struct wanted *asked = NULL;
    int code = decode(driver, &visit, err);
    for (size_t i = 0; code == XYLEM_OK && i < driver->wanted_count; i++) {
        const struct wanted *wanted = &driver->wanted[i];
        if (wanted->kind != kind || driver->done[wanted->reducer] || (asked && asked->reducer == wanted->reducer)) {
            continue;
        }
        asked = wanted;
        visit.kind_index = wanted->kind_index;
        code = visit_one(driver, wanted->reducer, &visit, err);
    }
    return code;
}

/* The driver as it is meant: from one wanted entry to the next. */
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

static struct xylem_store__walked_kind *wanted_kind(struct driver *driver, struct xylem_kind kind)
{
    for (size_t i = 0; i < driver->kind_count; i++) {
        if (!driver->kinds[i].closed && xylem_store__kind_equal(&driver->kinds[i].kind, &kind)) {
            return &driver->kinds[i];
        }
    }
    return NULL;
}

/* The reference: every entry of the path. */
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
        driver->reduction->looked_at++;
        const struct xylem_store__walked_kind *kind = wanted_kind(driver, entry.kind);
        code = kind ? entry_visit(driver, &entry, kind, err) : XYLEM_OK;
    }
    xylem_walk_free(walk);
    return code;
}

int xylem_replay__reduce(struct xylem_reduction *reduction, struct xylem_txn *txn, const struct xylem_entry *from,
                         const struct xylem_reducer *reducers, size_t reducer_count,
                         const struct xylem_kind *const *parsed, const struct xylem_reduce_options *options,
                         struct xylem_error *err)
{
    struct xylem_base__tree tree;
    struct few few;
    struct driver driver = {.reduction = reduction, .reducers = reducers, .tree = &tree};
    xylem_base__tree_init(&tree);
    int code = driver_init(&driver, &few, reducer_count, parsed, err);
    if (code == XYLEM_OK && from && driver.open_count > 0) {
        code =
            options && options->scan ? scan(&driver, txn, from->position, err) : follow_links(&driver, txn, from, err);
    }
    driver_release(&driver);
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
    return code < 0 ? code
                    : xylem_replay__reduce(reduction, txn, none ? NULL : &entry, reducers, reducer_count, NULL, options,
                                           err);
}

void xylem_reduction_release(struct xylem_reduction *reduction)
{
    if (reduction) {
        free(reduction->skipped);
        xylem_branch__arena_release(&reduction->storage);
        *reduction = (struct xylem_reduction){0};
    }
}
