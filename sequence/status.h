/* Questions to the state of a run. */
#ifndef XYLEM_SEQUENCE_STATUS_H
#define XYLEM_SEQUENCE_STATUS_H

#include "xylem.h"

/* True if the run goes on, or may go on. A damaged or redacted run is not open. */
bool xylem_sequence__is_open(const struct xylem_run_state *state);

/* True if the session is the session in which the run goes on; also if either session is not known. */
bool xylem_sequence__is_own(const struct xylem_run_state *state, struct xylem_view own_session);

#endif
