#include "sequence/message.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "base/value.h"

#define SHOWN_MAX 60u /* characters of a foreign text */

/* A foreign text as it is shown. */
struct shown {
    char text[4 * SHOWN_MAX + 1];
};

/*
 * Control characters, and bytes that are not UTF-8, become \xNN. Stops before the first character that would be one
 * shown character too many.
 */
static struct shown shown(struct xylem_view text)
{
    struct shown shown;
    size_t characters = 0;
    size_t end = 0;
    for (size_t at = 0; at < text.bytes;) {
        size_t bytes = xylem_base__utf8_shown_bytes(text.data + at, text.bytes - at);
        characters += bytes > 0 ? 1 : 4;
        if (characters > SHOWN_MAX) {
            break;
        }
        if (bytes > 0) {
            memcpy(shown.text + end, text.data + at, bytes);
            end += bytes;
            at += bytes;
        } else {
            end +=
                (size_t)snprintf(shown.text + end, sizeof "\\x00", "\\x%02x", (unsigned)(unsigned char)text.data[at++]);
        }
    }
    shown.text[end] = '\0';
    return shown;
}

/* Names the allowed arguments of a command, as `nothing, on or off`. */
static int add_arguments(struct xylem_buffer *buffer, const struct xylem_step *step,
                         const struct xylem_command *command)
{
    struct xylem_buffer list = {0};
    int code = 0;
    for (size_t i = 0; code == 0 && i < command->argument_count && list.bytes < XYLEM_STEP_BYTES_MAX; i++) {
        const char *before = i == 0 ? "" : i + 1 == command->argument_count ? " or " : ", ";
        struct xylem_view text = command->arguments[i];
        text = text.bytes > 0 ? text : XYLEM_BASE__LITERAL("nothing");
        code = xylem_base__buffer_add_text(&list, before);
        code = code < 0 ? code : xylem_buffer_add(&list, text.data, text.bytes);
    }
    if (code == 0) {
        code = xylem_base__buffer_add_format(buffer, "/%s takes %s, not '%s'", shown(step->name).text,
                                             shown(xylem_base__buffer_view(&list)).text, shown(step->args).text);
    }
    xylem_buffer_release(&list);
    return code;
}

int xylem_sequence__add_message(struct xylem_buffer *buffer, const struct xylem_step *step,
                                const struct xylem_sequence__parts *parts, const struct xylem_command *command,
                                struct xylem_view near)
{
    const struct shown name = shown(step->name);
    switch (step->problem) {
    case XYLEM_STEP_FINE:
    case XYLEM_STEP_PROBLEM_COUNT:
        return 0;
    case XYLEM_STEP_EMPTY:
        return xylem_base__buffer_add_text(buffer, "the step is empty");
    case XYLEM_STEP_TOO_LONG:
        return xylem_base__buffer_add_format(buffer, "the step has %zu bytes, at most %u are allowed", step->raw.bytes,
                                             XYLEM_STEP_BYTES_MAX);
    case XYLEM_STEP_CONTROL:
        return xylem_base__buffer_add_format(buffer, "the step has a control character at byte %zu", parts->control_at);
    case XYLEM_STEP_SHELL:
        return xylem_base__buffer_add_format(
            buffer, "'%s' runs a shell command, which a sequence cannot do: ask for it in words",
            shown(parts->trimmed).text);
    case XYLEM_STEP_MALFORMED:
        return xylem_base__buffer_add_format(buffer,
                                             "'%s' is no command: a name follows the slash, without another slash; to "
                                             "send it as text begin with a word",
                                             shown(parts->trimmed).text);
    case XYLEM_STEP_RESET:
        return xylem_base__buffer_add_text(
            buffer, "/new is no step: each run after the first begins in a new session by itself");
    case XYLEM_STEP_RECURSIVE:
        return xylem_base__buffer_add_text(buffer, "a sequence cannot run a sequence");
    case XYLEM_STEP_INTERACTIVE:
        return xylem_base__buffer_add_format(buffer, "/%s opens a dialog of the host and cannot be run by a sequence",
                                             name.text);
    case XYLEM_STEP_EXTENSION:
        return xylem_base__buffer_add_format(
            buffer, "/%s belongs to %s%s, which does not offer the command to sequences", name.text,
            command->path.bytes > 0 ? "the extension " : "another extension", shown(command->path).text);
    case XYLEM_STEP_UNKNOWN:
        return xylem_base__buffer_add_format(buffer, "there is no command, prompt or skill /%s%s%s%s", name.text,
                                             near.bytes > 0 ? "; is /" : "", shown(near).text,
                                             near.bytes > 0 ? " meant?" : "");
    case XYLEM_STEP_ARGUMENTS:
        return add_arguments(buffer, step, command);
    case XYLEM_STEP_NO_HOST:
        return xylem_base__buffer_add_format(buffer, "this host cannot run /%s from a sequence", name.text);
    }
    return 0;
}
