/*
 * judge/gate/ decides before a tool runs whether readonly mode, a policy and the caller's verdict on a file block the
 * call. judge/gate/ reads no store and no file.
 * Begin reading at gate.c.
 * Other rooms may include: nothing; xylem/gate.h has the calls.
 */
#ifndef XYLEM_GATE_GATE_H
#define XYLEM_GATE_GATE_H

#endif
