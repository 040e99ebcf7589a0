/* Parses a step without a catalogue. Pure. */
#ifndef XYLEM_SEQUENCE_STEP_H
#define XYLEM_SEQUENCE_STEP_H

#include "xylem/sequence.h"

/* The parts of a step. The views lie in the step. */
struct xylem_sequence__parts {
    enum xylem_step_problem problem; /* FINE, EMPTY, TOO_LONG, CONTROL, SHELL or MALFORMED */
    size_t control_at;               /* CONTROL: the offset of the byte */
    bool slash;                      /* FINE: a slash step, else a prompt */
    struct xylem_view trimmed;       /* the step without white space around; empty for TOO_LONG and CONTROL */
    struct xylem_view name;          /* of a slash step, without the slash; empty with a problem */
    struct xylem_view args;          /* of a slash step: the text behind the name; empty with a problem */
};

struct xylem_sequence__parts xylem_sequence__step_parse(struct xylem_view raw);

/*
 * The offset of the first control character other than tab, line feed and carriage return, or of the first byte that is
 * not WTF-8; the length of the text if there is neither.
 */
size_t xylem_sequence__control_at(struct xylem_view text);

/* The offset of the first white space; the length of the text if there is none. */
size_t xylem_sequence__space_at(struct xylem_view text);

#endif
