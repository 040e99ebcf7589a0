/*
 * Writes and reads the entries of a ledger. Every entry has the place of the run and its counters, so the newest entry
 * alone says where the run stands. The id of an entry follows from its content:
 *
 *     start   i0.begin   i0.s1.a1   i0.s1.a1.end   i0.reset.a1   fresh.reset.a1   pause.1   resume.1   finish
 *
 * So no two entries of a ledger claim the same attempt.
 */
#include "sequence/ledger.h"

#include <stdio.h>

#include "base/json_writer.h"
#include "base/utf8.h"

#define WORD(name, word) word,
static const char *const event_words[] = {XYLEM_SEQUENCE__EVENT_LIST(WORD)};
static const char *const outcome_words[] = {XYLEM_SEQUENCE__OUTCOME_LIST(WORD)};
static const char *const kind_words[] = {XYLEM_STEP_KIND_LIST(WORD)};
static const char *const code_words[] = {XYLEM_RUN_CODE_LIST(WORD)};
#undef WORD
static const char *const decision_words[] = {"continue", "retry", "skip"};

/* --- Ids -------------------------------------------------------------------------------------------------------- */

void xylem_sequence__event_id(char id[XYLEM_SEQUENCE__EVENT_ID_BYTES], const struct xylem_sequence__event *event)
{
    unsigned run = event->run_index;
    unsigned attempt = event->attempt;
    size_t room = XYLEM_SEQUENCE__EVENT_ID_BYTES;
    switch (event->type) {
    case XYLEM_SEQUENCE__BEGIN:
        snprintf(id, room, "i%u.begin", run);
        break;
    case XYLEM_SEQUENCE__CLAIM:
        snprintf(id, room, "i%u.s%u.a%u", run, event->step_index, attempt);
        break;
    case XYLEM_SEQUENCE__END:
        snprintf(id, room, "i%u.s%u.a%u.end", run, event->step_index, attempt);
        break;
    case XYLEM_SEQUENCE__RESET:
        if (event->fresh) {
            snprintf(id, room, "fresh.reset.a%u", attempt);
        } else {
            snprintf(id, room, "i%u.reset.a%u", run, attempt);
        }
        break;
    /* A run pauses at most once between two resumes. */
    case XYLEM_SEQUENCE__PAUSE:
        snprintf(id, room, "pause.%u", event->resume_count + 1);
        break;
    case XYLEM_SEQUENCE__RESUME:
        snprintf(id, room, "resume.%u", event->resume_count);
        break;
    default:
        snprintf(id, room, "%s", event_words[event->type]);
        break;
    }
}

/* --- Writing ---------------------------------------------------------------------------------------------------- */

static void write_word(struct xylem_base__writer *writer, const char *member, const char *word)
{
    xylem_base__write_member(writer, member, xylem_view_of(word));
}

static void write_filled(struct xylem_base__writer *writer, const char *member, struct xylem_view text)
{
    if (text.bytes > 0) {
        xylem_base__write_member(writer, member, text);
    }
}

static void write_start(struct xylem_base__writer *writer, const struct xylem_sequence__event *event)
{
    xylem_base__write_member(writer, ",\"runId\":", event->run_id);
    xylem_base__write_member(writer, ",\"sequenceId\":", event->sequence_id);
    xylem_base__write(writer, ",\"steps\":");
    xylem_base__write_strings(writer, event->steps, event->step_count);
    xylem_base__write(writer, event->args ? ",\"args\":" : ",\"args\":null");
    if (event->args) {
        xylem_base__write_strings(writer, event->args, event->arg_count);
    }
    xylem_base__write_counted(writer, ",\"totalRuns\":", event->total_runs);
    xylem_base__write_flag(writer, ",\"fresh\":", event->fresh);
    xylem_base__write_member(writer, ",\"origin\":{\"session\":", event->origin);
    xylem_base__write_member(writer, ",\"entry\":", event->origin_entry);
    xylem_base__write_counted(writer, "},\"startedAt\":", (uint64_t)event->started_ms);
}

static void write_ending(struct xylem_base__writer *writer, const struct xylem_sequence__event *event)
{
    if (event->type != XYLEM_SEQUENCE__PAUSE) {
        write_word(writer, ",\"outcome\":", outcome_words[event->outcome]);
    }
    if (event->type == XYLEM_SEQUENCE__END) {
        xylem_base__write_member(writer, ",\"entry\":", event->entry);
    }
    if (event->code != XYLEM_RUN_CODE_NONE) {
        write_word(writer, ",\"code\":", code_words[event->code]);
    }
    write_filled(writer, ",\"message\":", event->message);
}

int xylem_sequence__event_write(struct xylem_buffer *json, const struct xylem_sequence__event *event)
{
    struct xylem_base__writer writer = {json, XYLEM_OK};
    write_word(&writer, "{\"version\":1,\"event\":", event_words[event->type]);
    xylem_base__write_counted(&writer, ",\"runIndex\":", event->run_index);
    xylem_base__write_counted(&writer, ",\"stepIndex\":", event->step_index);
    xylem_base__write_counted(&writer, ",\"attempt\":", event->attempt);
    xylem_base__write_counted(&writer, ",\"done\":", event->done_count);
    xylem_base__write_counted(&writer, ",\"skipped\":", event->skipped_count);
    xylem_base__write_counted(&writer, ",\"resumes\":", event->resume_count);
    switch (event->type) {
    case XYLEM_SEQUENCE__START:
        write_start(&writer, event);
        break;
    case XYLEM_SEQUENCE__BEGIN:
        xylem_base__write_member(&writer, ",\"session\":", event->session);
        break;
    case XYLEM_SEQUENCE__CLAIM:
        write_word(&writer, ",\"kind\":", kind_words[event->kind]);
        write_filled(&writer, ",\"name\":", event->name);
        write_filled(&writer, ",\"path\":", event->path);
        write_filled(&writer, ",\"hash\":", event->hash);
        xylem_base__write_member(&writer, ",\"textHash\":", event->text_hash);
        break;
    case XYLEM_SEQUENCE__RESET:
        xylem_base__write_flag(&writer, ",\"fresh\":", event->fresh);
        break;
    case XYLEM_SEQUENCE__RESUME:
        write_word(&writer, ",\"decision\":", decision_words[event->decision]);
        xylem_base__write_member(&writer, ",\"session\":", event->session);
        break;
    default:
        write_ending(&writer, event);
        break;
    }
    xylem_base__write(&writer, "}");
    return writer.code;
}

struct xylem_view xylem_sequence__message_cut(struct xylem_view message)
{
    size_t kept = 0;
    while (kept < message.bytes) {
        size_t character = xylem_base__wtf8_decode(NULL, message.data + kept, message.bytes - kept);
        character = character ? character : 1;
        if (kept + character > XYLEM_RUN_MESSAGE_BYTES_MAX) {
            break;
        }
        kept += character;
    }
    message.bytes = kept;
    return message;
}

/* --- Reading ---------------------------------------------------------------------------------------------------- */

static const struct xylem_value *member(const struct xylem_value *data, const char *name)
{
    return xylem_base__value_get(data, xylem_view_of(name));
}

static bool read_count(uint64_t *number, const struct xylem_value *data, const char *name, uint64_t max)
{
    int64_t read;
    if (!xylem_value_integer(&read, member(data, name)) || read < 0 || (uint64_t)read > max) {
        return false;
    }
    *number = (uint64_t)read;
    return true;
}

static bool read_small(uint32_t *number, const struct xylem_value *data, const char *name, uint32_t min, uint32_t max)
{
    uint64_t read = 0;
    bool fits = read_count(&read, data, name, max) && read >= min;
    *number = (uint32_t)read;
    return fits;
}

/* A string of at most `max` bytes, and not empty. */
static bool read_text(struct xylem_view *text, const struct xylem_value *data, const char *name, size_t max)
{
    *text = xylem_value_string(member(data, name));
    return text->bytes > 0 && text->bytes <= max;
}

/* The id of an entry, or null or absent. */
static bool read_entry(struct xylem_view *entry, const struct xylem_value *data)
{
    *entry = (struct xylem_view){NULL, 0};
    return xylem_value_type(member(data, "entry")) == XYLEM_VALUE_NIL ||
           read_text(entry, data, "entry", XYLEM_ENTRY_ID_BYTES_MAX);
}

static bool read_fresh(bool *fresh, const struct xylem_value *data)
{
    *fresh = xylem_value_bool(member(data, "fresh"));
    return xylem_value_type(member(data, "fresh")) == XYLEM_VALUE_BOOL;
}

/* The place of a string in a list of words; or `count`. */
static size_t read_word(const struct xylem_value *value, const char *const *words, size_t count)
{
    struct xylem_view word = xylem_value_string(value);
    size_t at = 0;
    while (at < count && (!word.data || !xylem_base__view_is(word, words[at]))) {
        at++;
    }
    return at;
}

/* A list of strings; gives their number and the sum of their bytes. */
static bool read_list(size_t *count, size_t *bytes, const struct xylem_value *list)
{
    *count = 0;
    *bytes = 0;
    if (xylem_value_type(list) != XYLEM_VALUE_ARRAY) {
        return false;
    }
    for (const struct xylem_value *item = xylem_value_first(list); item; item = xylem_value_next(list, item)) {
        if (xylem_value_type(item) != XYLEM_VALUE_STRING) {
            return false;
        }
        ++*count;
        *bytes += xylem_value_string(item).bytes;
    }
    return true;
}

static const char *read_start(struct xylem_sequence__event *event, const struct xylem_value *data)
{
    size_t bytes;
    uint64_t started = 0;
    if (!read_text(&event->run_id, data, "runId", XYLEM_UUID_TEXT_BYTES - 1)) {
        return "runId is not the id of a run";
    }
    if (!read_text(&event->sequence_id, data, "sequenceId", XYLEM_SEQUENCE_ID_BYTES_MAX)) {
        return "sequenceId is not the id of a sequence";
    }
    event->steps_value = member(data, "steps");
    if (!read_list(&event->step_count, &bytes, event->steps_value) || event->step_count < 1 ||
        event->step_count > XYLEM_SEQUENCE_STEPS_MAX || bytes > XYLEM_SEQUENCE_BYTES_MAX) {
        return "steps is not an array of 1 to 100 strings";
    }
    event->args_value = member(data, "args");
    if (xylem_value_type(event->args_value) == XYLEM_VALUE_NIL) {
        event->args_value = NULL;
    } else if (!read_list(&event->arg_count, &bytes, event->args_value) || event->arg_count > XYLEM_RUN_ARGS_MAX ||
               bytes > XYLEM_RUN_ARGS_BYTES_MAX) {
        return "args is not an array of at most 64 strings";
    }
    if (!read_small(&event->total_runs, data, "totalRuns", 1, XYLEM_RUN_ITERATIONS_MAX)) {
        return "totalRuns is not 1 to 1000";
    }
    if (!read_fresh(&event->fresh, data)) {
        return "fresh is not a bool";
    }
    const struct xylem_value *origin = member(data, "origin");
    if (!read_text(&event->origin, origin, "session", XYLEM_SESSION_ID_BYTES_MAX) ||
        !read_entry(&event->origin_entry, origin)) {
        return "origin has no session, or an invalid entry";
    }
    if (!read_count(&started, data, "startedAt", INT64_MAX)) {
        return "startedAt is not a time";
    }
    event->started_ms = (int64_t)started;
    return NULL;
}

static const char *read_claim(struct xylem_sequence__event *event, const struct xylem_value *data)
{
    size_t kind = read_word(member(data, "kind"), kind_words, XYLEM_STEP_KIND_COUNT);
    if (kind == XYLEM_STEP_KIND_COUNT) {
        return "kind is not the kind of a step";
    }
    event->kind = (enum xylem_step_kind)kind;
    event->name = xylem_value_string(member(data, "name"));
    event->path = xylem_value_string(member(data, "path"));
    event->hash = xylem_value_string(member(data, "hash"));
    if (!read_text(&event->text_hash, data, "textHash", 16) || event->text_hash.bytes != 16) {
        return "textHash is not 16 digits";
    }
    return NULL;
}

static const char *read_ending(struct xylem_sequence__event *event, const struct xylem_value *data)
{
    size_t outcome = read_word(member(data, "outcome"), outcome_words, XYLEM_SEQUENCE__OUTCOME_COUNT);
    size_t wrong = event->type == XYLEM_SEQUENCE__END ? XYLEM_SEQUENCE__STOPPED : XYLEM_SEQUENCE__SKIPPED;
    if (event->type != XYLEM_SEQUENCE__PAUSE && (outcome == XYLEM_SEQUENCE__OUTCOME_COUNT || outcome == wrong)) {
        return "outcome is not the outcome of a step or a run";
    }
    event->outcome = (enum xylem_sequence__outcome)outcome;
    const struct xylem_value *code = member(data, "code");
    size_t at = code ? read_word(code, code_words, XYLEM_RUN_CODE_COUNT) : XYLEM_RUN_CODE_NONE;
    if (at == XYLEM_RUN_CODE_COUNT) {
        return "code is not a code of a run";
    }
    event->code = (enum xylem_run_code)at;
    if (!read_entry(&event->entry, data)) {
        return "entry is not the id of an entry";
    }
    event->message = xylem_value_string(member(data, "message"));
    return NULL;
}

static const char *read_own(struct xylem_sequence__event *event, const struct xylem_value *data)
{
    switch (event->type) {
    case XYLEM_SEQUENCE__START:
        return read_start(event, data);
    case XYLEM_SEQUENCE__BEGIN:
        return read_text(&event->session, data, "session", XYLEM_SESSION_ID_BYTES_MAX) ? NULL
                                                                                       : "session is not a session";
    case XYLEM_SEQUENCE__CLAIM:
        return read_claim(event, data);
    case XYLEM_SEQUENCE__RESET:
        return read_fresh(&event->fresh, data) ? NULL : "fresh is not a bool";
    case XYLEM_SEQUENCE__RESUME:
        event->decision = (enum xylem_run_decision)read_word(member(data, "decision"), decision_words, 3);
        if ((unsigned)event->decision == 3) {
            return "decision is not a decision";
        }
        return read_text(&event->session, data, "session", XYLEM_SESSION_ID_BYTES_MAX) ? NULL
                                                                                       : "session is not a session";
    default:
        return read_ending(event, data);
    }
}

const char *xylem_sequence__event_read(struct xylem_sequence__event *event, struct xylem_view id,
                                       const struct xylem_value *data)
{
    char expected[XYLEM_SEQUENCE__EVENT_ID_BYTES];
    int64_t version;
    uint64_t counts_max = (uint64_t)XYLEM_RUN_ITERATIONS_MAX * XYLEM_SEQUENCE_STEPS_MAX;
    *event = (struct xylem_sequence__event){.type = XYLEM_SEQUENCE__START};
    if (!xylem_value_integer(&version, member(data, "version")) || version != 1) {
        return "version is not 1";
    }
    size_t type = read_word(member(data, "event"), event_words, XYLEM_SEQUENCE__EVENT_COUNT);
    if (type == XYLEM_SEQUENCE__EVENT_COUNT) {
        return "event is not an event of a ledger";
    }
    event->type = (enum xylem_sequence__event_type)type;
    if (!read_small(&event->run_index, data, "runIndex", 0, XYLEM_RUN_ITERATIONS_MAX - 1) ||
        !read_small(&event->step_index, data, "stepIndex", 0, XYLEM_SEQUENCE_STEPS_MAX) ||
        !read_small(&event->attempt, data, "attempt", 1, XYLEM_STEP_ATTEMPTS_MAX)) {
        return "runIndex, stepIndex or attempt is out of range";
    }
    if (!read_count(&event->done_count, data, "done", counts_max) ||
        !read_count(&event->skipped_count, data, "skipped", counts_max) ||
        !read_small(&event->resume_count, data, "resumes", 0, INT32_MAX)) {
        return "done, skipped or resumes is out of range";
    }
    const char *problem = read_own(event, data);
    if (problem) {
        return problem;
    }
    xylem_sequence__event_id(expected, event);
    return xylem_base__view_is(id, expected) ? NULL : "the id of the entry does not fit its data";
}
