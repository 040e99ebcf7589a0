/*
 * Plays a sequence twice, with a function in place of a model. `play` is the loop of a host; the rest makes a store and
 * a sequence. usage: sequence STORE, a directory that does not exist yet
 */
#include <inttypes.h>
#include <stdio.h>
#include <xylem.h>

/* The commands that this host has. */
static const char commands[] = "{\"schema\":1,\"commands\":[{\"name\":\"note\",\"source\":\"own\"}]}";

/* The hash with which a step is claimed is of the host's choice: here FNV-1a. */
static void hash_text(char hash[17], const struct xylem_buffer *text)
{
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < text->bytes; i++) {
        sum = (sum ^ (unsigned char)text->data[i]) * 1099511628211u;
    }
    snprintf(hash, 17, "%016" PRIx64, sum);
}

/* Stands for a model: returns when the model has answered, 0 for an answer. */
static int execute(const struct xylem_action *action, const struct xylem_buffer *text)
{
    printf("run %u, step %u, %s: %.*s\n", (unsigned)action->run_index + 1, (unsigned)action->step_index + 1,
           xylem_step_kind_word(action->step->kind), (int)text->bytes, text->data ? text->data : "");
    return 0;
}

/* Makes the text of a step, claims the step, executes it, and reports the end. */
static int step(struct xylem_run *run, const struct xylem_action *action, struct xylem_error *err)
{
    struct xylem_buffer text = {0};
    char hash[17];
    int code = xylem_step_text(&text, action->step, action->state->args, action->state->arg_count, err);
    if (code == 0) {
        hash_text(hash, &text);
        code = xylem_run_claim(run, xylem_view_of(hash), err);
    }
    if (code == 0) { /* the claim of the step is durable */
        code = execute(action, &text) == 0
                   ? xylem_run_done(run, xylem_view_of(NULL), err)
                   : xylem_run_failed(run, XYLEM_RUN_CODE_TURN_ERROR, xylem_view_of("the model failed"), err);
    }
    xylem_buffer_release(&text);
    return code;
}

/* Plays the run to its end. After an error the run is closed: what was not reported is then paused or interrupted. */
static int play(struct xylem_run *run, const struct xylem_catalogue *catalogue, struct xylem_error *err)
{
    struct xylem_action action = {.type = XYLEM_ACTION_EXECUTE};
    char session[32];
    int code = 0;
    while (code == 0 && (code = xylem_run_next(&action, run, catalogue, err)) == 0 &&
           action.type != XYLEM_ACTION_FINISHED) {
        if (action.type == XYLEM_ACTION_NEW_SESSION) { /* a real host makes a session here */
            snprintf(session, sizeof session, "session-%u", (unsigned)action.run_index);
            code = xylem_run_in_session(run, xylem_view_of(session), err);
        } else {
            code = step(run, &action, err);
        }
    }
    if (code == 0) {
        printf("the run is %s\n", xylem_run_phase_word(action.state->phase));
    }
    int closed = xylem_run_close(run, code < 0 ? NULL : err);
    return code < 0 ? code : closed;
}

int main(int argc, char **argv)
{
    struct xylem_error err;
    struct xylem_store *store = NULL;
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_resolution problem = {0};
    struct xylem_run *run = NULL;
    char run_id[XYLEM_UUID_TEXT_BYTES];
    const struct xylem_open_options open = {.create = true};
    const struct xylem_view steps[] = {xylem_view_of("Plan work on $1"), xylem_view_of("/note planned")};
    const struct xylem_view args[] = {xylem_view_of("the parser")};
    const struct xylem_run_options options = {.sequence_id = xylem_view_of("example"),
                                              .steps = steps,
                                              .step_count = 2,
                                              .args = args,
                                              .arg_count = 1,
                                              .substitute = true,
                                              .total_runs = 2,
                                              .session = xylem_view_of("session-0")};
    int code;
    if ((code = xylem_open(&store, argc > 1 ? argv[1] : "example.store", &open, &err)) < 0 ||
        (code = xylem_catalogue_new_json(&catalogue, xylem_view_of(commands), &err)) < 0 ||
        (code = xylem_run_start(&run, run_id, &problem, store, catalogue, &options, &err)) < 0 ||
        (code = play(run, catalogue, &err)) < 0) {
        fprintf(stderr, "%s\n", err.text);
    }
    xylem_resolution_release(&problem);
    xylem_catalogue_free(catalogue);
    return xylem_close(store, NULL) < 0 || code < 0;
}
