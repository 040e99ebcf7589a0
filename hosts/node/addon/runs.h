/*
 * The runs that this process owns, for every environment of JavaScript in the process: a run goes on across sessions,
 * reloads and workers, and only its id crosses them.
 *
 *     table ── open run (the run's id) ── struct xylem_run, one call at a time
 *                 │ a reference: shared store
 *                 └── the catalogue of the present action
 *
 * Every call here may come from any thread.
 */
#ifndef XYLEM_NODE_RUNS_H
#define XYLEM_NODE_RUNS_H

#include "hosts/node/addon/stores.h"
#include "xylem/sequence.h"

struct open_run;

/* xylem_run_start() and xylem_run_open(); the run is in the table then. An open run is not opened again: CONFLICT. */
int runs_start(char run_id[XYLEM_UUID_TEXT_BYTES], struct shared_store *store, const struct xylem_catalogue *catalogue,
               const struct xylem_run_options *options, struct xylem_error *err);
int runs_open(struct shared_store *store, struct xylem_view run_id, enum xylem_run_decision decision,
              struct xylem_view session, struct xylem_error *err);
bool runs_is_open(struct xylem_view run_id);

/* Waits for the other calls with the run, and keeps them out until runs_leave(). NULL: NOT_FOUND. */
struct open_run *runs_enter(struct xylem_view run_id, struct xylem_error *err);
void runs_leave(struct open_run *open);
struct xylem_run *runs_handle(const struct open_run *open);
/* xylem_run_next(); the run takes the catalogue, in any case. */
int runs_next(struct xylem_action *action, struct open_run *open, struct xylem_catalogue *catalogue,
              struct xylem_error *err);
/* xylem_run_close(). A run that is not open here: nothing. */
int runs_close(struct xylem_view run_id, struct xylem_error *err);

#endif
