/*
 * xylem's judge: may a shell command run, and may a tool of an agent run?
 *
 * The judge is a library of its own, libxylem-judge.a (pkg-config: xylem-judge). A program that links the judge alone
 * loads no other library but the C library, and needs no store. A host of sessions links both libraries, in either
 * order. The rules that hold for every call are those of xylem.h.
 */
#ifndef XYLEM_JUDGE_H
#define XYLEM_JUDGE_H

#include "xylem/base.h"
#include "xylem/policy.h"
#include "xylem/gate.h"

#endif
