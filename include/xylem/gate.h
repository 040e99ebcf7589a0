/* xylem: may a tool run, in this state? The rules of xylem.h hold for every call. */
#ifndef XYLEM_GATE_H
#define XYLEM_GATE_H

#include "state.h"
#include "policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Gate --------------------------------------------------------------------------------------------------------- */

/*
 * The one question that a host asks before a tool runs: with the state that holds, may it? The rules and the texts are
 * those of the readonly mode's design (pi-agenticoding): while readonly is on, `write` and `edit` are blocked, a `bash`
 * command is judged, every other tool goes on. The names of these three count in any case of letters.
 */

/* Borrowed for the call. */
struct xylem_tool_call {
    struct xylem_view name;  /* of the tool */
    struct xylem_view input; /* a JSON object, as the model gave it; of `bash` its string `command` is judged */
    const char *cwd;         /* where it would run: an absolute path; NULL: not known */
};

/* Starts zeroed, and ends in xylem_gate_release(); a zeroed answer blocks nothing only because nothing was asked. */
struct xylem_gate {
    bool block;
    struct xylem_buffer reason;    /* for the model: the design's words, then the policy's; empty if the call goes on */
    bool judged;                   /* `verdict` was filled */
    struct xylem_verdict verdict;  /* of a bash command */
    struct xylem_buffer offending; /* the part of the command that decided; empty if no part did, or the call goes on */
};

/*
 * Says whether a tool call is blocked. Input that cannot be read (no JSON, no object, a `command` that is no string)
 * blocks a bash call while readonly is on. `policy` NULL: the readonly policy as it is built in. `gate` is emptied first.
 * On an error it blocks. ARGUMENT (no state, a cwd that is not absolute), MEMORY. Any thread.
 */
XYLEM_API int xylem_gate_ask(struct xylem_gate *gate, const struct xylem_state *state,
                             const struct xylem_tool_call *call, const struct xylem_policy *policy,
                             struct xylem_error *err);
XYLEM_API void xylem_gate_release(struct xylem_gate *gate);

/*
 * The same for hosts that speak JSON: `call` is an object with the tool's name (`toolName`, as in pi's event, or
 * `tool_name`, or `name`), its input (`input` or `tool_input`) and maybe `cwd`. Appends one document without a newline:
 * `schema` (1), `block`, `reason` (a string or null), `readonly`, `tool` (a string or null); of a command that was judged
 * `verdict` (`allow`, `ask` or `deny`), `rule`, `why` (the verdict's reason) and `offending` (the part of the command that
 * decided), else null. A call that is not of that shape is blocked while readonly is on. Sets `decision`: the verdict's
 * where a policy blocks the command, else DENY or ALLOW. Errors as above.
 */
XYLEM_API int xylem_gate_json(struct xylem_buffer *answer, enum xylem_decision *decision,
                              const struct xylem_state *state, struct xylem_view call,
                              const struct xylem_policy *policy, struct xylem_error *err);

/*
 * The tools that a child session gets: moves the names that it may have to the front, in their order, and gives their
 * number. While readonly is on these are all but `write` and `edit`. The strings are the caller's. Any thread.
 */
XYLEM_API size_t xylem_gate_child_tools(const struct xylem_state *state, const char **names, size_t count);

/* What a host adds to the prompt of a child; "" while readonly is off. Static; any thread. */
XYLEM_API const char *xylem_gate_child_notice(const struct xylem_state *state);

/* The message of the nudge that is due, or NULL if none is. Static; any thread. */
XYLEM_API const char *xylem_gate_nudge(const struct xylem_state *state);

/* What a status line shows, in UTF-8; "" while readonly is off. Static; any thread. */
XYLEM_API const char *xylem_gate_badge(const struct xylem_state *state);

#ifdef __cplusplus
}
#endif

#endif
