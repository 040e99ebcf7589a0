#include "sequence/message.h"

#include "base/buffer.h"
#include "base/utf8.h"
#include "base/value.h"

#define SHOWN_MAX 60u /* characters of a foreign text */

/*
 * Appends the text as text is shown: control characters, and bytes that are not UTF-8, become \xNN. Stops before the
 * first character that would be one shown character too many.
 */
static int add_shown(struct xylem_buffer *buffer, struct xylem_view text)
{
    size_t characters = 0;
    for (size_t at = 0; at < text.bytes;) {
        size_t bytes = xylem_base__utf8_shown_bytes(text.data + at, text.bytes - at);
        int code;
        characters += bytes > 0 ? 1 : 4;
        if (characters > SHOWN_MAX) {
            break;
        }
        if (bytes > 0) {
            code = xylem_buffer_add(buffer, text.data + at, bytes);
        } else {
            code = xylem_base__buffer_add_format(buffer, "\\x%02x", (unsigned)(unsigned char)text.data[at]);
            bytes = 1;
        }
        if (code < 0) {
            return code;
        }
        at += bytes;
    }
    return 0;
}

/* The allowed arguments of a command, as `nothing, on or off`. */
static int add_list(struct xylem_buffer *list, const struct xylem_command *command)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < command->argument_count && list->bytes < XYLEM_STEP_BYTES_MAX; i++) {
        const char *before = i == 0 ? "" : i + 1 == command->argument_count ? " or " : ", ";
        struct xylem_view text = command->arguments[i];
        text = text.bytes > 0 ? text : XYLEM_BASE__LITERAL("nothing");
        code = xylem_base__buffer_add_text(list, before);
        code = code < 0 ? code : xylem_buffer_add(list, text.data, text.bytes);
    }
    return code;
}

/* A message under construction: the first failure stays, and later calls do nothing. */
struct message {
    struct xylem_buffer *buffer;
    int code;
};

static void add(struct message *message, const char *text)
{
    message->code = message->code < 0 ? message->code : xylem_base__buffer_add_text(message->buffer, text);
}

static void add_foreign(struct message *message, struct xylem_view text)
{
    message->code = message->code < 0 ? message->code : add_shown(message->buffer, text);
}

static void add_number(struct message *message, size_t number)
{
    message->code = message->code < 0 ? message->code : xylem_base__buffer_add_format(message->buffer, "%zu", number);
}

/* Three texts around a foreign text. */
static void add_around(struct message *message, const char *before, struct xylem_view text, const char *behind)
{
    add(message, before);
    add_foreign(message, text);
    add(message, behind);
}

static void add_arguments(struct message *message, const struct xylem_step *step, const struct xylem_command *command)
{
    struct xylem_buffer list = {0};
    message->code = message->code < 0 ? message->code : add_list(&list, command);
    add_around(message, "/", step->name, " takes ");
    add_around(message, "", xylem_base__buffer_view(&list), ", not '");
    add_around(message, "", step->args, "'");
    xylem_buffer_release(&list);
}

static void add_extension(struct message *message, const struct xylem_step *step, const struct xylem_command *command)
{
    if (command->path.bytes > 0) {
        add_around(message, "/", step->name, " belongs to the extension ");
        add_around(message, "", command->path, ", which does not offer the command to sequences");
    } else {
        add_around(message, "/", step->name,
                   " belongs to another extension, which does not offer the command to sequences");
    }
}

static void add_unknown(struct message *message, const struct xylem_step *step, struct xylem_view near)
{
    add_around(message, "there is no command, prompt or skill /", step->name, "");
    if (near.bytes > 0) {
        add_around(message, "; is /", near, " meant?");
    }
}

static void add_number_around(struct message *message, const char *before, size_t number, const char *behind)
{
    add(message, before);
    add_number(message, number);
    add(message, behind);
}

int xylem_sequence__add_message(struct xylem_buffer *buffer, const struct xylem_step *step,
                                const struct xylem_sequence__parts *parts, const struct xylem_command *command,
                                struct xylem_view near)
{
    struct message message = {buffer, 0};
    switch (step->problem) {
    case XYLEM_STEP_FINE:
    case XYLEM_STEP_PROBLEM_COUNT:
        break;
    case XYLEM_STEP_EMPTY:
        add(&message, "the step is empty");
        break;
    case XYLEM_STEP_TOO_LONG:
        add_number_around(&message, "the step has ", step->raw.bytes, " bytes, at most ");
        add_number_around(&message, "", XYLEM_STEP_BYTES_MAX, " are allowed");
        break;
    case XYLEM_STEP_CONTROL:
        add_number_around(&message, "the step has a control character at byte ", parts->control_at, "");
        break;
    case XYLEM_STEP_SHELL:
        add_around(&message, "'", parts->trimmed,
                   "' runs a shell command, which a sequence cannot do: ask for it in words");
        break;
    case XYLEM_STEP_MALFORMED:
        add_around(&message, "'", parts->trimmed,
                   "' is no command: a name follows the slash, without another slash; to send it as text begin with a "
                   "word");
        break;
    case XYLEM_STEP_RESET:
        add(&message, "/new is no step: each run after the first begins in a new session by itself");
        break;
    case XYLEM_STEP_RECURSIVE:
        add(&message, "a sequence cannot run a sequence");
        break;
    case XYLEM_STEP_INTERACTIVE:
        add_around(&message, "/", step->name, " opens a dialog of the host and cannot be run by a sequence");
        break;
    case XYLEM_STEP_EXTENSION:
        add_extension(&message, step, command);
        break;
    case XYLEM_STEP_UNKNOWN:
        add_unknown(&message, step, near);
        break;
    case XYLEM_STEP_ARGUMENTS:
        add_arguments(&message, step, command);
        break;
    case XYLEM_STEP_NO_HOST:
        add_around(&message, "this host cannot run /", step->name, " from a sequence");
        break;
    }
    return message.code;
}
