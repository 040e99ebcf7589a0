/*
 * Declares the sections of the page of the tables: page_tables.txt.
 */
#ifndef XYLEM_POLICY_PAGE_H
#define XYLEM_POLICY_PAGE_H

#include <stddef.h>

#include "judge/policy/engine/builtins.h"
#include "judge/policy/engine/engine.h"
#include "judge/policy/engine/environment.h"
#include "judge/policy/engine/wrappers.h"
#include "judge/policy/git/tables.h"
#include "judge/policy/rules/hatches.h"
#include "judge/policy/rules/strict.h"
#include "judge/policy/words/tables.h"

/* The rows of a table: tables.c has the size and the shown fields of each kind. */
enum xylem_policy__row_kind {
    XYLEM_POLICY__ROW_TABLE,
    XYLEM_POLICY__ROW_VERB,
    XYLEM_POLICY__ROW_VALUE,
    XYLEM_POLICY__ROW_WRITER,
    XYLEM_POLICY__ROW_CODE,
    XYLEM_POLICY__ROW_VARIABLE,
    XYLEM_POLICY__ROW_WRAPPER,
    XYLEM_POLICY__ROW_BUILTIN,
    XYLEM_POLICY__ROW_HATCH,
    XYLEM_POLICY__ROW_FORM,
};

struct xylem_policy__section {
    const char *names; /* of the section, for readers of the text */
    const char *title; /* NULL: the section goes on */
    const char *intro;
    const void *rows; /* each begins with its names; NULL names end the table, if `count` is NULL */
    enum xylem_policy__row_kind kind;
    const size_t *count;
    const char *label; /* of the list; NULL: none */
    const char *listed;
};

extern const struct xylem_policy__section xylem_policy__sections[];

#endif
