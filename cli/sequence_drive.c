/*
 * xylem sequence drive: plays a run for a host that speaks JSON lines. docs/sequences.md has the protocol. Each line of
 * the host gets one answer, in order; a line that is refused changes nothing.
 */
#include "cli/sequence.h"
#include "cli/sequence_lines.h"

#include <string.h>

struct drive_options {
    const char *file;
    const char *session;
};

static const struct xylem_cli__option drive_table[] = {
    {"file", 0, "FILE", XYLEM_CLI__TEXT, offsetof(struct drive_options, file),
     "drive start: the new run, as a JSON object; FILE cannot be -", NULL},
    {"session", 0, "SESSION", XYLEM_CLI__TEXT, offsetof(struct drive_options, session),
     "drive RUN: the session of the host in which the run goes on (default: the session of the run)", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

struct drive {
    struct xylem_run *run; /* NULL: interrupted, and nothing was decided yet */
    char run_id[XYLEM_UUID_TEXT_BYTES];
    struct xylem_cli__text session; /* in which an interrupted run goes on */
    struct xylem_catalogue *catalogue;
    struct xylem_cli__lines_in lines;
    struct xylem_cli__text answer;
    bool finished; /* the host got the end of the run */
    bool paused;   /* the host paused the run */
};

/* --- Answers ------------------------------------------------------------------------------------------------------ */

static void begin_answer(struct drive *drive, const char *action)
{
    xylem_cli__json_document(&drive->answer);
    xylem_cli__member_string(&drive->answer, "action", xylem_view_of(action));
    xylem_cli__member_string(&drive->answer, "run_id", xylem_view_of(drive->run_id));
}

/*
 * The text comes last, so that a program without a JSON parser finds the text. The text of a template is as authored:
 * the host splits that text by a rule of its own.
 */
static int answer_execute(struct xylem_cli *cli, struct drive *drive, const struct xylem_action *action)
{
    struct xylem_cli__text *answer = &drive->answer;
    const struct xylem_step *step = action->step;
    const struct xylem_run_state *state = action->state;
    const struct xylem_view none = {NULL, 0};
    struct xylem_buffer text = {0};
    begin_answer(drive, "execute");
    xylem_cli__member_count(answer, "iteration", action->run_index);
    xylem_cli__member_count(answer, "step_index", action->step_index);
    xylem_cli__member_count(answer, "attempt", action->attempt);
    xylem_cli__member_string(answer, "kind", xylem_view_of(xylem_step_kind_word(step->kind)));
    xylem_cli__member_maybe(answer, "name", step->name.bytes > 0 ? step->name : none);
    xylem_cli__member_maybe(answer, "canonical", step->canonical.bytes > 0 ? step->canonical : none);
    xylem_cli__member_warnings(answer, step);
    xylem_cli__member_string(answer, "raw", step->raw);
    xylem_cli__member_strings(answer, "args", state->args, state->arg_count);
    int code = xylem_step_text(&text, step, state->args, state->arg_count, &cli->err);
    xylem_cli__member_string(answer, "text", (struct xylem_view){text.data ? text.data : "", text.bytes});
    xylem_cli__json_end(answer, '}');
    xylem_buffer_release(&text);
    return code;
}

static int answer_action(struct xylem_cli *cli, struct drive *drive, const struct xylem_action *action)
{
    const struct xylem_run_state *state = action->state;
    const struct xylem_view none = {NULL, 0};
    switch (action->type) {
    case XYLEM_ACTION_EXECUTE:
        return answer_execute(cli, drive, action);
    case XYLEM_ACTION_NEW_SESSION:
        begin_answer(drive, "new-session");
        xylem_cli__member_count(&drive->answer, "iteration", action->run_index);
        break;
    case XYLEM_ACTION_FINISHED:
        begin_answer(drive, "finished");
        xylem_cli__member_string(&drive->answer, "outcome", xylem_view_of(xylem_run_phase_word(state->phase)));
        xylem_cli__member_maybe(&drive->answer, "code",
                                state->code == XYLEM_RUN_CODE_NONE ? none
                                                                   : xylem_view_of(xylem_run_code_word(state->code)));
        xylem_cli__member_maybe(&drive->answer, "message", state->message.bytes > 0 ? state->message : none);
        drive->finished = true;
        break;
    }
    xylem_cli__json_end(&drive->answer, '}');
    return 0;
}

/* --- Lines of the host -------------------------------------------------------------------------------------------- */

enum word { NEXT, CLAIM, DONE, SESSION, FAILED, STOP, PAUSE, DECIDE, WORD_COUNT };

static const char *const words[WORD_COUNT] = {"next", "claim", "done", "session", "failed", "stop", "pause", "decide"};

/* A null is a string that is not given. */
static int string_of(struct xylem_cli *cli, struct xylem_view *string, const struct xylem_value *value,
                     const char *what)
{
    *string = (struct xylem_view){NULL, 0};
    if (!value || xylem_value_type(value) == XYLEM_VALUE_NIL) {
        return 0;
    }
    if (xylem_value_type(value) != XYLEM_VALUE_STRING) {
        return xylem_cli__fail(cli, XYLEM_E_MALFORMED, "%s is not a string", what);
    }
    *string = xylem_value_string(value);
    return 0;
}

static int read_catalogue(struct xylem_cli *cli, struct xylem_catalogue **catalogue, const struct xylem_value *value)
{
    struct xylem_buffer json = {0};
    int code = xylem_value_json(&json, value);
    if (code < 0) {
        code = xylem_cli__fail_memory(cli);
    } else if ((code = xylem_catalogue_new_json(catalogue, (struct xylem_view){json.data, json.bytes}, &cli->err)) <
               0) {
        code = xylem_cli__fail_in(cli, code, "catalogue");
    }
    xylem_buffer_release(&json);
    return code;
}

/* A refused line changes nothing, so its catalogue counts only after the action. */
static int hear_next(struct xylem_cli *cli, struct drive *drive, const struct xylem_value *line)
{
    const struct xylem_value *value = xylem_value_get(line, "catalogue");
    struct xylem_catalogue *catalogue = NULL;
    struct xylem_action action;
    int code = value ? read_catalogue(cli, &catalogue, value) : 0;
    if (code == 0 && !catalogue && !drive->catalogue) {
        code = xylem_cli__fail(cli, XYLEM_E_ARGUMENT, "the first next needs a catalogue of the host's commands");
    }
    if (code < 0 ||
        (code = xylem_run_next(&action, drive->run, catalogue ? catalogue : drive->catalogue, &cli->err)) < 0) {
        xylem_catalogue_free(catalogue);
        return code;
    }
    if (catalogue) {
        xylem_catalogue_free(drive->catalogue);
        drive->catalogue = catalogue;
    }
    return answer_action(cli, drive, &action);
}

static int hear_failed(struct xylem_cli *cli, struct drive *drive, const struct xylem_value *value)
{
    struct xylem_view word;
    struct xylem_view message;
    int code;
    if ((code = string_of(cli, &word, xylem_value_get(value, "code"), "failed.code")) < 0 ||
        (code = string_of(cli, &message, xylem_value_get(value, "message"), "failed.message")) < 0) {
        return code;
    }
    for (int i = XYLEM_RUN_CODE_NONE + 1; i < XYLEM_RUN_CODE_COUNT; i++) {
        if (xylem_base__view_is(word, xylem_run_code_word((enum xylem_run_code)i))) {
            return xylem_run_failed(drive->run, (enum xylem_run_code)i, message, &cli->err);
        }
    }
    return xylem_cli__fail(cli, XYLEM_E_MALFORMED, "failed.code is not a reason of a failure");
}

/*
 * The words with one string. Between two steps a pause is recorded; in a step the run is interrupted after the end of
 * this process.
 */
static int hear_string(struct xylem_cli *cli, struct drive *drive, enum word word, const struct xylem_value *value)
{
    struct xylem_view string;
    int code = word == DONE ? string_of(cli, &string, xylem_value_get(value, "entry"), "done.entry")
                            : string_of(cli, &string, value, words[word]);
    if (code < 0) {
        return code;
    }
    switch (word) {
    case CLAIM:
        return xylem_run_claim(drive->run, string, &cli->err);
    case DONE:
        return xylem_run_done(drive->run, string, &cli->err);
    case SESSION:
        return xylem_run_in_session(drive->run, string, &cli->err);
    case STOP:
        return xylem_run_stop(drive->run, string, &cli->err);
    default:
        code = xylem_run_pause(drive->run, XYLEM_RUN_CODE_LEFT, string, &cli->err);
        drive->paused = code == 0;
        return code;
    }
}

static int hear_decide(struct xylem_cli *cli, struct drive *drive, const struct xylem_value *line)
{
    struct xylem_view word;
    struct xylem_view session;
    int code;
    if ((code = string_of(cli, &word, xylem_value_get(line, "decide"), "decide")) < 0 ||
        (code = string_of(cli, &session, xylem_value_get(line, "session"), "session")) < 0) {
        return code;
    }
    bool retry = xylem_base__view_is(word, "retry");
    if (!retry && !xylem_base__view_is(word, "skip")) {
        return xylem_cli__fail(cli, XYLEM_E_MALFORMED, "decide takes \"retry\" or \"skip\"");
    }
    if (drive->run) {
        return xylem_cli__fail(cli, XYLEM_E_ARGUMENT, "the run is not interrupted: nothing is to be decided");
    }
    return xylem_run_open(&drive->run, cli->store, xylem_view_of(drive->run_id),
                          retry ? XYLEM_RUN_RETRY : XYLEM_RUN_SKIP,
                          session.data ? session : xylem_cli__text_view(&drive->session), &cli->err);
}

/* Gives the word of a line; WORD_COUNT if the line has none, or several. The session of a decision is no word. */
static enum word find_word(const struct xylem_value *line)
{
    enum word found = WORD_COUNT;
    bool decides = xylem_value_get(line, words[DECIDE]);
    for (int i = 0; i < WORD_COUNT; i++) {
        if (xylem_value_get(line, words[i]) && !(decides && i == SESSION)) {
            if (found != WORD_COUNT) {
                return WORD_COUNT;
            }
            found = (enum word)i;
        }
    }
    return found;
}

static int hear(struct xylem_cli *cli, struct drive *drive, const struct xylem_value *line)
{
    enum word word = line && xylem_value_type(line) == XYLEM_VALUE_MAP ? find_word(line) : WORD_COUNT;
    if (word == WORD_COUNT) {
        return xylem_cli__fail(
            cli, XYLEM_E_MALFORMED,
            "expected an object with one of next, claim, done, session, failed, stop, pause, decide");
    }
    const struct xylem_value *value = xylem_value_get(line, words[word]);
    if (!drive->run && word != DECIDE) {
        return xylem_cli__fail(cli, XYLEM_E_ARGUMENT, "the run is interrupted: decide \"retry\" or \"skip\" first");
    }
    if (word == NEXT) {
        return hear_next(cli, drive, line);
    }
    int code = word == FAILED   ? hear_failed(cli, drive, value)
               : word == DECIDE ? hear_decide(cli, drive, line)
                                : hear_string(cli, drive, word, value);
    if (code == 0) {
        xylem_cli__json_document(&drive->answer);
        xylem_cli__member_bool(&drive->answer, "ok", true);
        xylem_cli__json_end(&drive->answer, '}');
    }
    return code;
}

/* --- The loop ----------------------------------------------------------------------------------------------------- */

/* True if the run cannot be played any longer by this process. */
static bool is_fatal(int code)
{
    return code == XYLEM_E_MEMORY || code == XYLEM_E_CORRUPT || code == XYLEM_E_OUTCOME_UNKNOWN ||
           code == XYLEM_E_CONFLICT;
}

/* Answers a line. Gives 0; or an error after which the loop ends. */
static int answer_line(struct xylem_cli *cli, struct drive *drive, struct xylem_view line, bool too_long)
{
    struct xylem_document *document = NULL;
    int code = too_long ? xylem_cli__fail(cli, XYLEM_E_LIMIT, "a line has at most %zu bytes",
                                          XYLEM_CLI__SEQUENCE_INPUT_BYTES_MAX)
                        : xylem_document_new_json(&document, line, &cli->err);
    code = code < 0 ? code : hear(cli, drive, xylem_document_value(document));
    xylem_document_free(document);
    if (code < 0) {
        xylem_cli__text_clear(&drive->answer);
        xylem_cli__json_document(&drive->answer);
        xylem_cli__member_begin(&drive->answer, "error", '{');
        xylem_cli__member_count(&drive->answer, "exit_code", (uint64_t)xylem_cli__exit_code(code));
        xylem_cli__member_string(&drive->answer, "text", xylem_view_of(cli->err.text));
        xylem_cli__json_end(&drive->answer, '}');
        xylem_cli__json_end(&drive->answer, '}');
    }
    xylem_cli__lines_signals(&drive->lines, true);
    int written = xylem_cli__put_json(cli, &drive->answer);
    written = written < 0 ? written : xylem_cli__flush(cli);
    xylem_cli__lines_signals(&drive->lines, false);
    return written < 0 ? written : is_fatal(code) ? code : 0;
}

/* Gives the exit code. */
static int play(struct xylem_cli *cli, struct drive *drive)
{
    struct xylem_run_state state = {.storage = NULL};
    struct xylem_view line;
    int code = xylem_cli__lines_start(cli, &drive->lines);
    int signal_number = 0;
    while (code == 0 && !drive->finished && !drive->paused) {
        code = xylem_cli__lines_next(cli, &drive->lines, &line, XYLEM_CLI__SEQUENCE_INPUT_BYTES_MAX);
        if (code == XYLEM_CLI__LINE || code == XYLEM_CLI__LINE_TOO_LONG) {
            code = answer_line(cli, drive, line, code == XYLEM_CLI__LINE_TOO_LONG);
        }
    }
    if (code == XYLEM_CLI__LINES_END || code == XYLEM_CLI__LINES_SIGNAL) {
        bool by_signal = code == XYLEM_CLI__LINES_SIGNAL;
        const char *why = by_signal ? "a signal ended the process" : "the host closed its end";
        signal_number = by_signal ? drive->lines.signal_number : 0;
        code = 0;
        if (drive->run && !drive->paused) { /* in a step nothing is recorded, and the run is interrupted */
            code = xylem_run_pause(drive->run, XYLEM_RUN_CODE_SHUTDOWN, xylem_view_of(why), &cli->err);
            code = code == XYLEM_E_ARGUMENT ? 0 : code; /* a run that has ended cannot be paused */
        }
    }
    struct xylem_error first = cli->err;
    int closed = xylem_run_close(drive->run, &cli->err);
    drive->run = NULL;
    if (code < 0) {
        cli->err = first;
    }
    code = code < 0 ? code : closed;
    xylem_cli__lines_end(&drive->lines);
    if (code < 0 || signal_number != 0) {
        return code < 0 ? code : XYLEM_CLI__INTERRUPTED;
    }
    /* A run whose end the host did not ask for counts as its end too. */
    if ((code = xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err)) == 0 &&
        (code = xylem_run_read(&state, cli->txn, xylem_view_of(drive->run_id), &cli->err)) == 0) {
        code = state.phase == XYLEM_RUN_DONE ? XYLEM_CLI__OK : XYLEM_CLI__PROBLEM;
    }
    xylem_run_state_release(&state);
    return code;
}

/* --- The run ------------------------------------------------------------------------------------------------------ */

static int open_run(struct xylem_cli *cli, struct drive *drive, const char *spec, const char *session)
{
    struct xylem_run_state state = {.storage = NULL};
    int code;
    if ((code = xylem_cli__open_reading(cli)) < 0 || (code = xylem_cli__run_read(cli, &state, spec)) < 0) {
        goto out;
    }
    memcpy(drive->run_id, state.run_id, sizeof drive->run_id);
    struct xylem_view own = session ? xylem_view_of(session) : state.host_session;
    xylem_cli__add_bytes(&drive->session, own.data, own.bytes);
    xylem_cli__close_store(cli);
    if (drive->session.failed) {
        code = xylem_cli__fail_memory(cli);
    } else if ((code = xylem_cli__open_writing(cli)) == 0 && state.phase != XYLEM_RUN_INTERRUPTED) {
        code = xylem_run_open(&drive->run, cli->store, xylem_view_of(drive->run_id), XYLEM_RUN_CONTINUE,
                              xylem_cli__text_view(&drive->session), &cli->err);
    }
out:
    xylem_run_state_release(&state);
    return code;
}

/* The request of a start: an object of a file, and what the request leaves to the session. */
struct request {
    struct xylem_cli__text file;
    struct xylem_document *document;
    struct xylem_cli__steps steps;
    struct xylem_cli__steps args;
    struct xylem_cli__text entry; /* the leaf of the session */
    struct xylem_cli__text sequence_id;
    struct xylem_run_options options;
};

/*
 * Takes the leaf of the session, and the steps of its snapshot if the request has none. A program gives the whole id:
 * the beginning of an id would give the steps of another session than the run names.
 */
static int take_session(struct xylem_cli *cli, struct request *request, bool with_steps)
{
    struct xylem_run_options *options = &request->options;
    struct xylem_session session;
    struct xylem_view leaf;
    int code = xylem_cli__open_reading(cli);
    if (code < 0) {
        return code;
    }
    code = xylem_session_find(&session, cli->txn, options->session, &cli->err);
    if (code == 0 && with_steps && (code = xylem_cli__steps_of(cli, &request->steps, &session)) == 0) {
        xylem_cli__add_bytes(&request->sequence_id, request->steps.state.sequence.sequence_id.data,
                             request->steps.state.sequence.sequence_id.bytes);
    }
    if (code == 0 && !options->entry.data && (code = xylem_cli__entry_id(cli, &leaf, session.leaf)) == 0 && leaf.data) {
        xylem_cli__add_bytes(&request->entry, leaf.data, leaf.bytes);
        options->entry = xylem_cli__text_view(&request->entry);
    }
    if ((code == XYLEM_E_NOT_FOUND || code == XYLEM_E_DELETED) && !with_steps) {
        code = 0; /* the session of a host need not be in this store */
    }
    xylem_cli__close_store(cli);
    return code;
}

static int read_members(struct xylem_cli *cli, struct drive *drive, struct request *request)
{
    const struct xylem_value *object = xylem_document_value(request->document);
    struct xylem_run_options *options = &request->options;
    const struct xylem_value *steps = xylem_value_get(object, "steps");
    const struct xylem_value *args = xylem_value_get(object, "args");
    const struct xylem_value *runs = xylem_value_get(object, "iteration_count");
    const struct xylem_value *fresh = xylem_value_get(object, "fresh");
    const struct xylem_value *catalogue = xylem_value_get(object, "catalogue");
    int64_t number = 1;
    int code;
    if (xylem_value_type(object) != XYLEM_VALUE_MAP) {
        return xylem_cli__fail(cli, XYLEM_E_MALFORMED, "expected an object");
    }
    if ((code = string_of(cli, &options->session, xylem_value_get(object, "session"), "session")) < 0 ||
        (code = string_of(cli, &options->entry, xylem_value_get(object, "entry"), "entry")) < 0 ||
        (code = string_of(cli, &options->cwd, xylem_value_get(object, "cwd"), "cwd")) < 0 ||
        (code = string_of(cli, &options->sequence_id, xylem_value_get(object, "sequence_id"), "sequence_id")) < 0 ||
        (steps && (code = xylem_cli__steps_array(cli, &request->steps, steps, "steps")) < 0) ||
        (args && xylem_value_type(args) != XYLEM_VALUE_NIL &&
         (code = xylem_cli__steps_array(cli, &request->args, args, "args")) < 0)) {
        return code;
    }
    if (!options->session.data || !catalogue) {
        return xylem_cli__fail(cli, XYLEM_E_MALFORMED, "%s is missing", catalogue ? "session" : "catalogue");
    }
    if (steps && !options->sequence_id.data) {
        return xylem_cli__fail(cli, XYLEM_E_MALFORMED, "sequence_id is missing: steps need the id of their sequence");
    }
    if (runs && (!xylem_value_integer(&number, runs) || number < 1 || number > XYLEM_RUN_ITERATIONS_MAX)) {
        return xylem_cli__fail(cli, XYLEM_E_MALFORMED, "iteration_count is not a number from 1 to %u",
                               XYLEM_RUN_ITERATIONS_MAX);
    }
    if (fresh && xylem_value_type(fresh) != XYLEM_VALUE_BOOL) {
        return xylem_cli__fail(cli, XYLEM_E_MALFORMED, "fresh is not true or false");
    }
    options->total_runs = (uint32_t)number;
    options->fresh = fresh && xylem_value_bool(fresh);
    options->substitute = request->args.list != NULL;
    options->args = request->args.list;
    options->arg_count = request->args.count;
    if ((code = read_catalogue(cli, &drive->catalogue, catalogue)) < 0 ||
        (code = take_session(cli, request, !steps)) < 0) {
        return code;
    }
    options->steps = request->steps.list;
    options->step_count = request->steps.count;
    options->sequence_id =
        options->sequence_id.data ? options->sequence_id : xylem_cli__text_view(&request->sequence_id);
    return 0;
}

static int start_run(struct xylem_cli *cli, struct drive *drive, const char *path)
{
    struct request request = {.document = NULL};
    struct xylem_resolution resolution = {0};
    int code = xylem_cli__sequence_input(cli, &request.file, path);
    if (code < 0) {
        goto out;
    }
    if ((code = xylem_document_new_json(&request.document, xylem_cli__text_view(&request.file), &cli->err)) < 0 ||
        (code = read_members(cli, drive, &request)) < 0) {
        xylem_cli__fail_in(cli, code, path);
        goto out;
    }
    if ((code = xylem_cli__open_writing(cli)) < 0) {
        goto out;
    }
    code = xylem_run_start(&drive->run, drive->run_id, &resolution, cli->store, drive->catalogue, &request.options,
                           &cli->err);
    if (code == XYLEM_E_MALFORMED && resolution.problem != XYLEM_SEQUENCE_FINE) {
        xylem_cli__note(cli, "%s", cli->err.text);
        code = XYLEM_CLI__PROBLEM;
    }
out:
    xylem_resolution_release(&resolution);
    xylem_cli__steps_release(&request.steps);
    xylem_cli__steps_release(&request.args);
    xylem_cli__text_release(&request.entry);
    xylem_cli__text_release(&request.sequence_id);
    xylem_document_free(request.document);
    xylem_cli__text_release(&request.file);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct drive_options *given = options;
    struct drive drive = {.run = NULL};
    bool starts = strcmp(arguments[0], "start") == 0;
    if (starts != (given->file != NULL)) {
        return xylem_cli__usage(cli, starts ? "an option is missing: xylem sequence drive start --file FILE"
                                            : "--file is for `sequence drive start`");
    }
    if (starts && strcmp(given->file, "-") == 0) {
        return xylem_cli__usage(cli, "--file cannot be -: standard input has the lines of the host");
    }
    if (starts && given->session) {
        return xylem_cli__usage(cli, "--session is for `sequence drive RUN`");
    }
    int code = starts ? start_run(cli, &drive, given->file) : open_run(cli, &drive, arguments[0], given->session);
    code = code != 0 ? code : play(cli, &drive);
    xylem_catalogue_free(drive.catalogue);
    xylem_cli__text_release(&drive.session);
    xylem_cli__text_release(&drive.answer);
    return code;
}

const struct xylem_cli__command xylem_cli__sequence_drive = {
    .name = "sequence drive",
    .summary = "Play a run for a host that speaks JSON lines",
    .usage = "RUN [--session SESSION]|start --file FILE",
    .details =
        "Reads a line for each request of the host, and answers each with a line: the next action, `ok`, or an\n"
        "error. `start` makes a new run of the steps in FILE, or of the session's sequence. The end of input pauses\n"
        "the run between two steps; in a step the run is interrupted, and goes on after a decision. Exit codes: 0:\n"
        "the run is done; 1: the run failed, was stopped, or stays paused or interrupted; 4: another process took\n"
        "the run.\n",
    .options = drive_table,
    .options_bytes = sizeof(struct drive_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__RUN},
    .run = run,
};
