/*
 * judge/gate/ decides before a tool runs whether readonly mode, a policy and the caller's verdict on a file block the
 * call. judge/gate/ reads no store and no file.
 * Begin reading at gate.c.
 * Other rooms may include: gate.h
 */
#ifndef XYLEM_GATE_GATE_H
#define XYLEM_GATE_GATE_H

#include "xylem/gate.h"

/* What a tool does, by its name, and else by its annotations. Readonly mode blocks a tool from `WRITES` on. */
enum xylem_gate__effect {
    XYLEM_GATE__READS = 0, /* also a tool that nobody knows */
    XYLEM_GATE__SHELL,     /* the input has a command for bash */
    XYLEM_GATE__WRITES,
    XYLEM_GATE__FOREIGN_SHELL, /* the command is for another shell, which the judge does not read */
};

/* `options` may be NULL. */
enum xylem_gate__effect xylem_gate__effect(const struct xylem_tool_call *call,
                                           const struct xylem_gate_options *options);

#endif
