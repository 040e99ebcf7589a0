/*
 * sequence/ plays recorded sequences of steps: parses a step, says what the step means under the commands of a host,
 * and leads a run of all steps from action to action, with a ledger in the store.
 * sequence/ starts no process, no session of a host and no model, and knows no host.
 * Begin reading at step.c (the parser), then resolve.c (the meaning of a step); of a run at ledger.h, then run.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
#ifndef XYLEM_SEQUENCE_SEQUENCE_H
#define XYLEM_SEQUENCE_SEQUENCE_H

#endif
