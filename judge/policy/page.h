/*
 * Declares the page of the tables: the sections (page_tables.txt), and how a row of a table is shown (tables.c).
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

struct xylem_policy__page;

/* A shown field of a row: a text; with `words` an enum; with `note` a bool. */
struct xylem_policy__shown {
    const char *label; /* NULL ends a list */
    size_t at;
    const char *const *words;
    const char *note;
};

struct xylem_policy__section {
    const char *names; /* of the section, for readers of the text */
    const char *title; /* NULL: the section goes on */
    const char *intro;
    const void *rows; /* each begins with its names; NULL names end the table, if `count` is NULL */
    size_t row_bytes;
    const size_t *count;
    const struct xylem_policy__shown *shown;
    void (*more)(struct xylem_policy__page *page, const void *row); /* NULL: nothing */
    const char *label;                                              /* of the list; NULL: none */
    const char *listed;
};

extern const struct xylem_policy__section xylem_policy__sections[];

extern const struct xylem_policy__shown xylem_policy__shown_table_row[];
extern const struct xylem_policy__shown xylem_policy__shown_verb_row[];
extern const struct xylem_policy__shown xylem_policy__shown_value_row[];
extern const struct xylem_policy__shown xylem_policy__shown_writer_row[];
extern const struct xylem_policy__shown xylem_policy__shown_code_row[];
extern const struct xylem_policy__shown xylem_policy__shown_allowed_variable[];
extern const struct xylem_policy__shown xylem_policy__shown_wrapper[];
extern const struct xylem_policy__shown xylem_policy__shown_builtin[];
extern const struct xylem_policy__shown xylem_policy__shown_hatch[];

/* What a row has beside its fields: verbs and commands, hatches, and the forms of git. */
void xylem_policy__add_verbs(struct xylem_policy__page *page, const void *row);
void xylem_policy__add_hatch(struct xylem_policy__page *page, const void *row);
void xylem_policy__add_form(struct xylem_policy__page *page, const void *form);

#endif
