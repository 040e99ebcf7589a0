#include "tests/lib/costs.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void add(struct costs *costs, const char *before, uint64_t count, const char *what)
{
    size_t used = strlen(costs->text);
    if (count > 0) {
        (void)snprintf(costs->text + used, sizeof costs->text - used, "%s%" PRIu64 " %s%s", before, count, what,
                       count > 1 ? "s" : "");
    }
}

static void add_name(struct costs *costs, const char *name)
{
    size_t used = strlen(costs->text);
    (void)snprintf(costs->text + used, sizeof costs->text - used, "%s%s", used > 0 ? "; " : "", name);
}

struct costs costs_since(const struct xylem_txn *txn, const struct xylem_counters *before)
{
    struct costs costs = {.text = ""};
    struct xylem_counters now;
    xylem_counters_read(&now, txn);
    for (unsigned table = 0; table < XYLEM_TABLE_COUNT; table++) {
        uint64_t gets = costs.counters.tables[table].gets = now.tables[table].gets - before->tables[table].gets;
        uint64_t seeks = costs.counters.tables[table].seeks = now.tables[table].seeks - before->tables[table].seeks;
        uint64_t steps = costs.counters.tables[table].steps = now.tables[table].steps - before->tables[table].steps;
        uint64_t puts = costs.counters.tables[table].puts = now.tables[table].puts - before->tables[table].puts;
        if (gets + seeks + steps + puts > 0) {
            add_name(&costs, now.tables[table].name);
        }
        add(&costs, " ", gets, "get");
        add(&costs, " ", seeks, "seek");
        add(&costs, " ", steps, "step");
        add(&costs, " ", puts, "put");
    }
    costs.counters.record_count = now.record_count - before->record_count;
    costs.counters.record_bytes = now.record_bytes - before->record_bytes;
    add(&costs, "; ", costs.counters.record_count, "record");
    return costs;
}

struct costs costs_of(const struct xylem_txn *txn)
{
    static const struct xylem_counters zero;
    return costs_since(txn, &zero);
}

/* The sum, over all tables, of the counter that lies that far behind a table's beginning. */
static uint64_t sum_of(const struct costs *costs, size_t offset)
{
    uint64_t sum = 0;
    for (unsigned table = 0; table < XYLEM_TABLE_COUNT; table++) {
        uint64_t count;
        memcpy(&count, (const char *)&costs->counters.tables[table] + offset, sizeof count);
        sum += count;
    }
    return sum;
}

/* Of a table's counters. */
#define OFFSET(counter) (offsetof(struct xylem_counters, tables[0].counter) - offsetof(struct xylem_counters, tables))

uint64_t costs_gets(const struct costs *costs)
{
    return sum_of(costs, OFFSET(gets));
}

uint64_t costs_seeks(const struct costs *costs)
{
    return sum_of(costs, OFFSET(seeks));
}

uint64_t costs_steps(const struct costs *costs)
{
    return sum_of(costs, OFFSET(steps));
}

uint64_t costs_puts(const struct costs *costs)
{
    return sum_of(costs, OFFSET(puts));
}
