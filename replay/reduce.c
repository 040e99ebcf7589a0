/* The driver of reducers: one walk, each payload decoded once, each reducer until it is done. */
#include <stdlib.h>

#include "base/error.h"
#include "branch/arena.h"
#include "store/store.h"

/* A kind that a reducer asked for. */
struct wanted {
    struct xylem_kind kind;
    struct xylem_buffer storage;
    size_t reducer;
    size_t kind_index;
};

struct driver {
    struct xylem_reduction *reduction;
    const struct xylem_reducer *reducers;
    bool *done;
    size_t open_count; /* reducers that are not done */
    struct wanted *wanted;
    size_t wanted_count;
    struct xylem_base__tree tree;
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

static int driver_init(struct driver *driver, size_t reducer_count, struct xylem_error *err)
{
    size_t count = 0;
    int code = count_kinds(&count, driver->reducers, reducer_count, err);
    if (code < 0) {
        return code;
    }
    driver->done = calloc(reducer_count + 1, sizeof(*driver->done));
    driver->wanted = calloc(count + 1, sizeof(*driver->wanted));
    if (!driver->done || !driver->wanted) {
        return xylem_base__fail_memory(err);
    }
    driver->open_count = reducer_count;
    for (size_t i = 0; i < reducer_count; i++) {
        for (size_t k = 0; driver->reducers[i].kinds[k]; k++) {
            struct wanted *wanted = &driver->wanted[driver->wanted_count++];
            wanted->reducer = i;
            wanted->kind_index = k;
            code = xylem_kind_parse(&wanted->kind, &wanted->storage, xylem_view_of(driver->reducers[i].kinds[k]), err);
            if (code < 0) {
                return code;
            }
        }
    }
    return XYLEM_OK;
}

static void driver_release(struct driver *driver)
{
    for (size_t i = 0; i < driver->wanted_count; i++) {
        xylem_buffer_release(&driver->wanted[i].storage);
    }
    free(driver->wanted);
    free(driver->done);
    xylem_base__tree_release(&driver->tree);
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
        driver->done[reducer] = true;
        driver->open_count--;
        return XYLEM_OK;
    case XYLEM_VISIT_SKIP:
        return skipped_add(driver, visit, err);
    default:
        if (answer > 0) {
            return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reducer %s answered %d, which is no answer of a visitor",
                                    name, answer);
        }
        return xylem_base__fail(err, answer, "reducer %s failed: %s", name, xylem_code_text(answer));
    }
}

/* Decodes the entry for its visitors. What makes only this payload useless is told to them; damage ends the walk. */
static int decode(struct driver *driver, struct xylem_visit *visit, struct xylem_error *err)
{
    struct xylem_error why = {0};
    int code = xylem_store__payload_decode(&driver->tree, visit->entry, &why);
    visit->data_code = code;
    if (code == XYLEM_OK) {
        driver->reduction->decoded_count += visit->entry->payload_bytes > 0;
        driver->reduction->decoded_bytes += visit->entry->payload_bytes;
        visit->data = driver->tree.node_count > 0 ? &driver->tree.nodes[0] : NULL;
        return XYLEM_OK;
    }
    if (code == XYLEM_E_MALFORMED || code == XYLEM_E_REDACTED || code == XYLEM_E_LIMIT) {
        return XYLEM_OK;
    }
    return xylem_base__fail(err, code, "%s", why.text);
}

static bool kind_equal(struct xylem_kind a, struct xylem_kind b)
{
    return a.kind_class == b.kind_class && xylem_base__view_equal(a.name, b.name);
}

static int entry_visit(struct driver *driver, const struct xylem_entry *entry, struct xylem_error *err)
{
    struct xylem_visit visit = {.entry = entry};
    bool decoded = false;
    for (size_t i = 0; i < driver->wanted_count; i++) {
        const struct wanted *wanted = &driver->wanted[i];
        if (driver->done[wanted->reducer] || !kind_equal(wanted->kind, entry->kind)) {
            continue;
        }
        int code = decoded ? XYLEM_OK : decode(driver, &visit, err);
        decoded = true;
        if (code == XYLEM_OK) {
            visit.kind_index = wanted->kind_index;
            code = visit_one(driver, wanted->reducer, &visit, err);
        }
        if (code < 0) {
            return code;
        }
        /* A reducer that names a kind twice is still asked once. */
        while (i + 1 < driver->wanted_count && driver->wanted[i + 1].reducer == wanted->reducer) {
            i++;
        }
    }
    return XYLEM_OK;
}

static int drive(struct driver *driver, struct xylem_txn *txn, struct xylem_position from, struct xylem_error *err)
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
        code = entry_visit(driver, &entry, err);
    }
    xylem_walk_free(walk);
    return code;
}

int xylem_reduce(struct xylem_reduction *reduction, struct xylem_txn *txn, struct xylem_position from,
                 const struct xylem_reducer *reducers, size_t reducer_count, const struct xylem_reduce_options *options,
                 struct xylem_error *err)
{
    (void)options;
    struct driver driver = {.reduction = reduction, .reducers = reducers};
    *reduction = (struct xylem_reduction){0};
    int code = driver_init(&driver, reducer_count, err);
    if (code == XYLEM_OK) {
        code = drive(&driver, txn, from, err);
    }
    driver_release(&driver);
    if (code < 0) {
        xylem_reduction_release(reduction);
    }
    return code;
}

void xylem_reduction_release(struct xylem_reduction *reduction)
{
    if (reduction) {
        free(reduction->skipped);
        xylem_branch__arena_release(&reduction->storage);
        *reduction = (struct xylem_reduction){0};
    }
}
