/*
 * gate/ answers one question before a tool runs: with this state and this policy, block the call or go on?
 * It reads no store and no file.
 * Begin reading at gate.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
#ifndef XYLEM_GATE_GATE_H
#define XYLEM_GATE_GATE_H

#endif
