/*
 * gate/ is the one question before a tool runs: a state and a policy come in, block or go on comes out.
 * It reads no store and no file.
 * Begin reading at gate.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
#ifndef XYLEM_GATE_GATE_H
#define XYLEM_GATE_GATE_H

#endif
