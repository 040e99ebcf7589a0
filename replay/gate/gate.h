/*
 * gate/ decides before a tool runs whether this state and this policy block the call.
 * gate/ reads no store, and a file only for the check of reads.
 * Begin reading at gate.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
#ifndef XYLEM_GATE_GATE_H
#define XYLEM_GATE_GATE_H

#endif
