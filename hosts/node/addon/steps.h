/* Steps as values of JavaScript. */
#ifndef XYLEM_NODE_STEPS_H
#define XYLEM_NODE_STEPS_H

#include "hosts/node/addon/calls.h"
#include "xylem/sequence.h"

struct step_value {
    const char *kind;
    const char *problem;
    struct xylem_view message;
    const char **warnings;
    size_t warning_count;
    struct xylem_view raw;
    struct xylem_view name;
    struct xylem_view args;
    struct xylem_view canonical;
    struct xylem_view path;
    struct xylem_view hash;
};

/* The members of a step_value. */
extern const struct field step_fields[];

/* Copies a step; the copy lives until the end of the call. */
int step_keep(struct step_value *value, struct call *call, const struct xylem_step *step);

#endif
