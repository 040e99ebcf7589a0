#include "store/pages/check.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/value.h"
#include "store/pages/copy.h"
#include "store/pages/walk.h"

#define TURNS_READINGS 3u      /* equal readings of both meta pages before check_turns() reports a problem */
#define TURNS_ATTEMPTS_MAX 64u /* a writer that changes every reading proves that the meta pages take turns */
#define UNWRITTEN_PAGES_MAX (UINT64_C(1) << 20) /* pages beyond the end of the file that have bits of their own */

#define ALL_TABLES ((UINT32_C(1) << XYLEM_FORMAT__TABLE_COUNT) - 1)

/* --- The free list ----------------------------------------------------------------------------------------------- */

#define IDS_AT_ONCE 512u

/* Counts of wrong pages in one list: else a garbled list would be one problem for each page. */
struct list {
    struct xylem_pages__walk *walk;
    uint64_t before; /* the page before; pages must descend */
    uint64_t outside_count;
    uint64_t unordered_count;
    uint64_t used_count;
    uint64_t twice_count;
    uint64_t first; /* the first page that is in use, or in the list for the second time */
};

static void visit_free_page(struct list *list, uint64_t page)
{
    struct xylem_pages__check *check = list->walk->check;
    if (page < XYLEM_PAGES__META_PAGES || page > check->last_page) {
        list->outside_count++;
    } else if (page >= list->before) {
        list->unordered_count++;
    } else if (page < check->bit_count) {
        bool used = xylem_pages__page_bit(check->used, page);
        bool twice = !xylem_pages__page_bit_take(check->freed, page);
        list->first = (used || twice) && !list->first ? page : list->first;
        list->used_count += used;
        list->twice_count += !used && twice;
    }
    list->before = page;
    check->found->free_count++;
}

/* Visits the `count` pages of a list, which follow the u64 count at the beginning of the value. */
static bool visit_ids(struct list *list, const struct xylem_pages__node *node, uint64_t count)
{
    struct xylem_pages__walk *walk = list->walk;
    unsigned char bytes[IDS_AT_ONCE * 8];
    for (uint64_t done = 0; done < count && walk->check->code == XYLEM_OK;) {
        size_t now = count - done < IDS_AT_ONCE ? (size_t)(count - done) : IDS_AT_ONCE;
        const unsigned char *ids = bytes;
        if (!(node->flags & XYLEM_PAGES__NODE_BIG)) {
            ids = node->data + 8 + done * 8;
        } else if (!xylem_pages__page_read(walk, bytes, now * 8, node->first_page,
                                           XYLEM_PAGES__PAGE_HEADER_BYTES + 8 + (size_t)done * 8)) {
            return false;
        }
        for (size_t i = 0; i < now; i++) {
            visit_free_page(list, xylem_pages__page_number_at(ids + i * 8, 8));
        }
        done += now;
    }
    return true;
}

static void report_list(const struct list *list, uint64_t page, uint64_t txn)
{
    struct xylem_pages__walk *walk = list->walk;
    if (list->outside_count > 0) {
        xylem_pages__page_problem(walk, page,
                                  "transaction %" PRIu64 " gave back %" PRIu64
                                  " pages that no store has (the last page is %" PRIu64 ")",
                                  txn, list->outside_count, walk->check->last_page);
    }
    if (list->unordered_count > 0) {
        xylem_pages__page_problem(walk, page, "the pages that transaction %" PRIu64 " gave back do not descend", txn);
    }
    if (list->used_count > 0) {
        xylem_pages__page_problem(walk, page,
                                  "transaction %" PRIu64 " gave back %" PRIu64
                                  " pages that are in use, such as page %" PRIu64 ": a writer would overwrite them",
                                  txn, list->used_count, list->first);
    }
    if (list->twice_count > 0) {
        xylem_pages__page_problem(walk, page,
                                  "transaction %" PRIu64 " gave back %" PRIu64
                                  " pages that were given back before, such as page %" PRIu64,
                                  txn, list->twice_count, list->first);
    }
}

static void visit_free_list(struct xylem_pages__walk *walk, uint64_t page, const struct xylem_pages__node *node)
{
    struct list list = {.walk = walk, .before = UINT64_MAX};
    unsigned char number[8];
    uint64_t txn = xylem_pages__page_number_at((const unsigned char *)node->key.data, 8);
    if (txn > walk->check->pages->txn_id) {
        xylem_pages__page_problem(walk, page,
                                  "lists pages that transaction %" PRIu64 " gave back; expected transaction %" PRIu64
                                  " or an older one",
                                  txn, walk->check->pages->txn_id);
    }
    const unsigned char *count_bytes = node->data;
    if (node->flags & XYLEM_PAGES__NODE_BIG && node->value_bytes >= 8) {
        if (!xylem_pages__page_read(walk, number, sizeof number, node->first_page, XYLEM_PAGES__PAGE_HEADER_BYTES)) {
            return;
        }
        count_bytes = number;
    }
    uint64_t count = node->value_bytes < 8 ? UINT64_MAX : xylem_pages__page_number_at(count_bytes, 8);
    if (count > (node->value_bytes < 8 ? 0 : node->value_bytes / 8 - 1)) {
        xylem_pages__page_problem(
            walk, page, "the list of transaction %" PRIu64 " counts more pages than its %" PRIu64 " bytes can hold",
            txn, node->value_bytes);
        return;
    }
    if (visit_ids(&list, node, count)) {
        report_list(&list, page, txn);
    }
}

/* --- The tables -------------------------------------------------------------------------------------------------- */

static void visit_table(struct xylem_pages__walk *main_walk, uint64_t page, const struct xylem_pages__node *node)
{
    struct xylem_pages__check *check = main_walk->check;
    if (node->value_bytes != XYLEM_PAGES__TREE_BYTES) {
        xylem_pages__page_problem(main_walk, page, "%" PRIu64 " bytes describe a table; expected %u", node->value_bytes,
                                  XYLEM_PAGES__TREE_BYTES);
        return;
    }
    unsigned table = 0;
    while (table < XYLEM_FORMAT__TABLE_COUNT && !xylem_base__view_is(node->key, xylem_format__table_name(table))) {
        table++;
    }
    if (table == XYLEM_FORMAT__TABLE_COUNT) {
        xylem_pages__page_blemish(main_walk, page, "there is an unknown table, %.*s", XYLEM_BASE__SHOWN(node->key));
        return;
    }
    struct xylem_pages__walk walk = {.check = check,
                                     .table = xylem_format__table_name(table),
                                     .name = xylem_format__table_name(table),
                                     .tree = xylem_pages__tree_at(node->data),
                                     .level = XYLEM_PAGES__TREE_DEPTH_MAX};
    check->described_tables |= UINT32_C(1) << table;
    if (walk.tree.flags != 0) {
        xylem_pages__page_problem(&walk, page, "the table is said to have flags 0x%x; expected 0", walk.tree.flags);
    } else {
        xylem_pages__tree_walk(&walk);
    }
    if (!walk.unsound) {
        check->found->unsound_tables &= ~(UINT32_C(1) << table);
    }
}

/* --- The meta pages ---------------------------------------------------------------------------------------------- */

/* Checks the fields that no commit changes: a commit may be writing the other fields now. */
static void check_meta(struct xylem_pages__walk *walk, uint64_t number, const struct xylem_pages__meta *meta)
{
    if (meta->number != number || meta->kind != XYLEM_PAGES__PAGE_META) {
        xylem_pages__page_problem(walk, 0, "meta page %" PRIu64 " says that it is page %" PRIu64 " of kind 0x%x",
                                  number, meta->number, meta->kind);
    }
    if (meta->magic != XYLEM_PAGES__META_MAGIC || meta->version != XYLEM_PAGES__META_VERSION) {
        xylem_pages__page_problem(
            walk, 0, "meta page %" PRIu64 " begins with 0x%" PRIx64 ", version %" PRIu64 "; expected 0x%x and %u",
            number, meta->magic, meta->version, XYLEM_PAGES__META_MAGIC, XYLEM_PAGES__META_VERSION);
    }
    if (meta->page_bytes != walk->check->page_bytes) {
        xylem_pages__page_problem(walk, 0, "meta page %" PRIu64 " says that pages have %" PRIu64 " bytes; expected %zu",
                                  number, meta->page_bytes, walk->check->page_bytes);
    }
}

/*
 * LMDB takes the meta page with the greater transaction as the newest meta page. If one bit of a transaction is wrong,
 * LMDB may take the older page: then the newest commit is lost without an error, and the next commit writes over it. So
 * the two transactions must follow each other. While others commit, the two pages may come from different moments:
 * only a wrong pair that stays the same over TURNS_READINGS readings is a problem.
 */
static void check_turns(struct xylem_pages__walk *walk)
{
    uint64_t before[XYLEM_PAGES__META_PAGES] = {0, 0};
    int fd = walk->check->pages->fd;
    for (unsigned attempt = 0, same = 0; same < TURNS_READINGS && attempt < TURNS_ATTEMPTS_MAX; attempt++) {
        struct xylem_pages__meta first;
        struct xylem_pages__meta second;
        if (!xylem_pages__meta_read(&first, fd, 0, walk->check->page_bytes) ||
            !xylem_pages__meta_read(&second, fd, 1, walk->check->page_bytes)) {
            return; /* meta_read() has reported this */
        }
        if (xylem_pages__metas_take_turns(first.txn_id, second.txn_id)) {
            return;
        }
        same = attempt > 0 && first.txn_id == before[0] && second.txn_id == before[1] ? same + 1 : 1;
        before[0] = first.txn_id;
        before[1] = second.txn_id;
        if (same == TURNS_READINGS) {
            xylem_pages__page_problem(walk, 0,
                                      "the meta pages are of the transactions %" PRIu64 " and %" PRIu64
                                      ", and neither is the other's successor: LMDB may read an older commit than "
                                      "the newest",
                                      first.txn_id, second.txn_id);
        }
        sched_yield();
    }
}

/* Reads the two trees of the snapshot from its meta page. False if the meta page is damaged or gone. */
static bool meta_read(struct xylem_pages__walk *walk, struct xylem_pages__tree *free_list,
                      struct xylem_pages__tree *main_table)
{
    struct xylem_pages__check *check = walk->check;
    unsigned char page[XYLEM_PAGES__META_END];
    unsigned char again[XYLEM_PAGES__META_END];
    bool known = false;
    uint64_t newest = 0;
    for (uint64_t number = 0; number < XYLEM_PAGES__META_PAGES; number++) {
        if (!xylem_pages__page_read(walk, page, sizeof page, number, 0)) {
            continue;
        }
        struct xylem_pages__meta meta = xylem_pages__meta_at(page);
        check_meta(walk, number, &meta);
        newest = meta.txn_id > newest ? meta.txn_id : newest;
        if (meta.txn_id != check->pages->txn_id || known || (meta.txn_id > 0 && number != meta.txn_id % 2)) {
            continue;
        }
        if (!xylem_pages__page_read(walk, again, sizeof again, number, 0) || memcmp(page, again, sizeof page) != 0) {
            check->found->snapshot_gone = true; /* a commit writes over the page now: the bytes may be a mixture */
            return false;
        }
        known = true;
        *free_list = meta.free_list;
        *main_table = meta.main_table;
        check->last_page = meta.last_page;
        if (check->last_page < 1 || check->last_page >= meta.map_bytes / check->page_bytes) {
            xylem_pages__page_problem(
                walk, 0, "meta page %" PRIu64 " says that the last page is %" PRIu64 " in a map of %" PRIu64 " bytes",
                number, check->last_page, meta.map_bytes);
            return false;
        }
    }
    check_turns(walk);
    /* Two commits since the snapshot have written over the meta page: this is no damage, but the trees are unknown. */
    check->found->snapshot_gone = !known && newest > check->pages->txn_id + 1;
    if (!known && !check->found->snapshot_gone) {
        xylem_pages__page_problem(walk, 0, "no meta page is of transaction %" PRIu64 "; the newest is of %" PRIu64,
                                  check->pages->txn_id, newest);
    }
    return known;
}

/*
 * Reads the two trees of the snapshot. A copy knows the trees, also after later commits wrote over the meta page. False
 * if the trees are unknown.
 */
static bool trees_read(struct xylem_pages__walk *walk, struct xylem_pages__tree *free_list,
                       struct xylem_pages__tree *main_table)
{
    struct xylem_pages__check *check = walk->check;
    bool known = meta_read(walk, free_list, main_table);
    if (check->copy && (known || check->found->snapshot_gone)) {
        *free_list = check->copy->snapshot->free_list;
        *main_table = check->copy->snapshot->main_table;
        check->last_page = check->copy->snapshot->last_page;
        known = true;
    }
    return known && check->code == XYLEM_OK;
}

/* --- The whole --------------------------------------------------------------------------------------------------- */

static int check_bits(struct xylem_pages__check *check)
{
    uint64_t most = check->file_pages + UNWRITTEN_PAGES_MAX;
    check->bit_count = check->last_page < most ? check->last_page + 1 : most;
    check->used = calloc((size_t)(check->bit_count / 8 + 1), 1);
    check->freed = calloc((size_t)(check->bit_count / 8 + 1), 1);
    check->covered = malloc(check->page_bytes / 2);
    return check->used && check->freed && check->covered ? XYLEM_OK : xylem_base__fail_memory(check->err);
}

/* The creation of a store makes all tables: a missing table is a problem. */
static void check_tables_described(struct xylem_pages__walk *tables)
{
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        if (!(tables->check->described_tables & UINT32_C(1) << table)) {
            xylem_pages__page_blemish(tables, 0, "the table %s is missing", xylem_format__table_name(table));
        }
    }
}

enum part { EVERYTHING, FREE_LIST, LIST_OF_TABLES };

/*
 * Walks the tables first, then the free list, so that pages of the free list are compared with used pages. In the free
 * list the walk meets a leaf page before the lists of the leaf.
 */
static int run(struct xylem_pages__check *check, enum part part, const char *path)
{
    struct stat file;
    struct xylem_pages__tree free_tree;
    struct xylem_pages__tree main_tree;
    struct xylem_pages__walk meta = {.check = check};
    const struct xylem_pages__pages *pages = check->pages;
    memset(check->found, 0, sizeof *check->found);
    if (fstat(pages->fd, &file) != 0 || !xylem_pages__is_page_size(pages->page_bytes)) {
        return xylem_base__fail(check->err, XYLEM_E_CORRUPT, "%s: cannot read the length of the file", path);
    }
    check->page_bytes = (size_t)pages->page_bytes;
    check->file_pages = (uint64_t)file.st_size / pages->page_bytes;
    check->found->unsound_tables = ALL_TABLES;
    if (!trees_read(&meta, &free_tree, &main_tree) || (check->code = check_bits(check)) < 0) {
        goto out;
    }
    struct xylem_pages__walk tables = {.check = check, .tree = main_tree, .name = "the list of tables"};
    tables.visit = part == EVERYTHING ? visit_table : NULL;
    tables.shape_only = part == LIST_OF_TABLES;
    if (part != FREE_LIST) {
        xylem_pages__tree_walk(&tables);
    }
    if (part == EVERYTHING && tables.unsound) {
        check->found->unsound_tables = ALL_TABLES;
    } else if (part == EVERYTHING && check->code == XYLEM_OK) {
        check_tables_described(&tables);
    }
    struct xylem_pages__walk list = {.check = check, .tree = free_tree, .name = "the free list", .numbers = true};
    list.visit = visit_free_list;
    if (part != LIST_OF_TABLES && check->code == XYLEM_OK) {
        xylem_pages__tree_walk(&list);
    }
    if (part == EVERYTHING && check->code == XYLEM_OK) {
        uint64_t known = 0;
        for (uint64_t byte = 0; byte <= (check->bit_count - 1) / 8; byte++) {
            known += (unsigned)__builtin_popcount(check->used[byte] | check->freed[byte]);
        }
        check->found->leaked_count = check->bit_count - XYLEM_PAGES__META_PAGES - known;
    }
    if (check->copy && check->code == XYLEM_OK) {
        check->code = xylem_pages__copy_metas(check->copy, check->err);
    }
out:
    for (size_t level = 0; level < XYLEM_PAGES__LEVELS_MAX; level++) {
        free(check->levels[level]);
    }
    free(check->used);
    free(check->freed);
    free(check->covered);
    return check->code;
}

int xylem_pages__pages_check_all(struct xylem_pages__pages_found *found, const struct xylem_pages__pages *pages,
                                 const struct xylem_pages__pages_listener *listener, struct xylem_error *err)
{
    struct xylem_pages__check check = {.pages = pages, .found = found, .listener = listener, .err = err};
    return run(&check, EVERYTHING, "data.mdb");
}

struct first {
    const char *path;
    struct xylem_error *err;
};

static int keep_first(void *context, uint64_t page, const char *table, const char *text)
{
    struct first *first = context;
    xylem_base__fail(first->err, XYLEM_E_CORRUPT, "%s/data.mdb: page %" PRIu64 "%s%s: %s", first->path, page,
                     table ? ", of the table " : "", table ? table : "", text);
    return 1;
}

static int first_problem(struct xylem_pages__pages_found *found, const struct xylem_pages__pages *pages, enum part part,
                         const struct xylem_pages__copy *copy, const char *path, struct xylem_error *err)
{
    struct first first = {path, err};
    struct xylem_error stopped;
    struct xylem_pages__pages_listener listener = {.problem = keep_first, .context = &first};
    struct xylem_pages__check check = {
        .pages = pages, .found = found, .listener = &listener, .copy = copy, .err = &stopped};
    int code = run(&check, part, path);
    if (code == XYLEM_E_STOPPED) {
        return XYLEM_E_CORRUPT;
    }
    return code == XYLEM_OK ? XYLEM_OK : xylem_base__fail(err, code, "%s", stopped.text);
}

int xylem_pages__pages_check_free(const struct xylem_pages__pages *pages, const char *path, struct xylem_error *err)
{
    struct xylem_pages__pages_found found;
    return first_problem(&found, pages, FREE_LIST, NULL, path, err);
}

int xylem_pages__pages_check_list(const struct xylem_pages__pages *pages, const char *path, struct xylem_error *err)
{
    struct xylem_pages__pages_found found;
    return first_problem(&found, pages, LIST_OF_TABLES, NULL, path, err);
}

int xylem_pages__pages_copy(struct xylem_pages__pages_found *found, const struct xylem_pages__pages *pages,
                            const struct xylem_pages__copy *copy, const char *path, struct xylem_error *err)
{
    return first_problem(found, pages, EVERYTHING, copy, path, err);
}
