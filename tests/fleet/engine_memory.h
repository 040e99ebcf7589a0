/*
 * An engine in memory for tests. A `struct memory_fleet` is what all hosts share; each host has a handle of it, which is a
 * struct fleet_engine. An answer comes with the next poll, unless a test says otherwise.
 *
 *     struct memory_fleet *fleet = memory_fleet_new();
 *     struct fleet_engine *a = engine_memory_new(fleet);
 *     engine_memory_say(a, FLEET_APPEND, FLEET_UNKNOWN, true, 1); // the next append is done, and its answer is lost
 *     a->free(a);
 *     memory_fleet_free(fleet);
 */
#ifndef XYLEM_TESTS_FLEET_ENGINE_MEMORY_H
#define XYLEM_TESTS_FLEET_ENGINE_MEMORY_H

#include "tests/fleet/rows_memory.h"

#define ENGINE_MEMORY_REQUESTS_MAX 64u /* on their way; one more is BUSY */

struct memory_fleet;

struct memory_fleet *memory_fleet_new(void);
/* The handles must be freed before. */
void memory_fleet_free(struct memory_fleet *fleet);
/* The engine's clock, from which `silent_ms` is counted. Begins at 0. */
void memory_fleet_set_now(struct memory_fleet *fleet, uint64_t now_ms);
/* A backup of the engine, and the engine as it was then. A backup may come back many times. */
struct rows_table *memory_fleet_save(struct memory_fleet *fleet);
void memory_fleet_restore(struct memory_fleet *fleet, const struct rows_table *saved);
void memory_fleet_saved_free(struct rows_table *saved);
/* True if a segment, a head or an `about` has the bytes. */
bool memory_fleet_has(const struct memory_fleet *fleet, struct xylem_view bytes);
/* The version of a session; NULL: none. Lives until the next request. For damage: tests may change it. */
struct rows_version *memory_fleet_row(struct memory_fleet *fleet, struct xylem_view session);
/* Answers of that kind, of all handles. FLEET_ASK_COUNT: of all requests. */
uint64_t memory_fleet_count(const struct memory_fleet *fleet, enum fleet_ask ask, enum fleet_outcome outcome);

/* The handle's free() frees the handle. Requests on their way are dropped. */
struct fleet_engine *engine_memory_new(struct memory_fleet *fleet);
/*
 * The next `count` requests of the kind (FLEET_ASK_COUNT: of any) are answered with `outcome`. With `is_done` they are done
 * all the same, as when an answer is lost. What was said before comes first.
 */
void engine_memory_say(struct fleet_engine *engine, enum fleet_ask ask, enum fleet_outcome outcome, bool is_done,
                       unsigned count);
/* Requests wait, undone, until they are let go: for deadlines, and for what others do meanwhile. */
void engine_memory_hold(struct fleet_engine *engine, bool hold);
/* Of requests that are held: true: a dropped one is done when the others are let go, as a request that arrives late. */
void engine_memory_late(struct fleet_engine *engine, bool late);
/* Late requests arrive right before the next request of that kind, not when the others are let go. */
void engine_memory_late_before(struct fleet_engine *engine, enum fleet_ask ask);
/* Newer answers first. */
void engine_memory_reverse(struct fleet_engine *engine, bool reverse);
/* The requests that are on their way. */
size_t engine_memory_waiting(const struct fleet_engine *engine);

#endif
