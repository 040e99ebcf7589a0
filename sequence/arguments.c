#include "sequence/arguments.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"
#include "sequence/step.h"

#define NUMBER_DIGITS_MAX 9u

/*
 * A placeholder:
 *
 *     $N             `one`: argument N, from 1
 *     ${@:N}         arguments from N
 *     ${@:N:L}       at most L arguments from N
 *     $@ $ARGUMENTS  all arguments
 */
struct placeholder {
    size_t bytes; /* of the spelling */
    bool one;
    size_t first;
    size_t count;
};

/* Advances over a beginning that the text has. */
static bool take(struct xylem_view *text, struct xylem_view beginning)
{
    if (!xylem_base__view_begins(*text, beginning)) {
        return false;
    }
    *text = (struct xylem_view){text->data + beginning.bytes, text->bytes - beginning.bytes};
    return true;
}

/* Advances over 1 to 9 digits without a further digit behind. False: there is no such number. */
static bool take_number(struct xylem_view *text, size_t *number)
{
    size_t digits = 0;
    *number = 0;
    while (digits < text->bytes && text->data[digits] >= '0' && text->data[digits] <= '9') {
        if (digits == NUMBER_DIGITS_MAX) {
            return false;
        }
        *number = *number * 10 + (size_t)(text->data[digits++] - '0');
    }
    *text = (struct xylem_view){text->data + digits, text->bytes - digits};
    return digits > 0;
}

/* Reads the placeholder at the beginning of a text that begins with `$`. */
static bool read_placeholder(struct placeholder *placeholder, struct xylem_view text)
{
    struct xylem_view rest = text;
    *placeholder = (struct placeholder){.first = 1, .count = SIZE_MAX};
    if (take(&rest, XYLEM_BASE__LITERAL("${@:"))) {
        bool whole = take_number(&rest, &placeholder->first);
        if (whole && take(&rest, XYLEM_BASE__LITERAL(":"))) {
            whole = take_number(&rest, &placeholder->count);
        }
        if (!whole || !take(&rest, XYLEM_BASE__LITERAL("}"))) {
            return false;
        }
        placeholder->first += placeholder->first == 0; /* 0 counts as 1 */
    } else if (!take(&rest, XYLEM_BASE__LITERAL("$@")) && !take(&rest, XYLEM_BASE__LITERAL("$ARGUMENTS"))) {
        rest = (struct xylem_view){text.data + 1, text.bytes - 1};
        placeholder->one = true;
        if (!take_number(&rest, &placeholder->first)) {
            return false;
        }
    }
    placeholder->bytes = text.bytes - rest.bytes;
    return true;
}

/* The beginning of the text before the first `$`; all of the text without a `$`. */
static size_t plain_bytes(struct xylem_view text)
{
    const char *sign = text.bytes > 0 ? memchr(text.data, '$', text.bytes) : NULL;
    return sign ? (size_t)(sign - text.data) : text.bytes;
}

/* A text under construction: the first failure stays, and later calls do nothing. */
struct writer {
    struct xylem_buffer *text;
    size_t before; /* bytes of the buffer before the text */
    const struct xylem_view *args;
    size_t arg_count;
    int code;
};

static void add(struct writer *writer, struct xylem_view view)
{
    if (writer->code < 0) {
        return;
    }
    if (view.bytes > XYLEM_STEP_TEXT_BYTES_MAX - (writer->text->bytes - writer->before)) {
        writer->code = XYLEM_E_LIMIT;
        return;
    }
    writer->code = xylem_buffer_add(writer->text, view.data, view.bytes);
}

/* Adds the arguments of a placeholder, joined by one space. False: `$N` without an argument stays as written. */
static bool add_args(struct writer *writer, const struct placeholder *placeholder)
{
    if (placeholder->one && (placeholder->first == 0 || placeholder->first > writer->arg_count)) {
        return false;
    }
    size_t first = placeholder->first - 1;
    size_t left = first < writer->arg_count ? writer->arg_count - first : 0;
    size_t count = placeholder->one ? 1 : placeholder->count < left ? placeholder->count : left;
    for (size_t i = 0; i < count && writer->code == 0; i++) {
        add(writer, xylem_view_of(i == 0 ? "" : " "));
        add(writer, writer->args[first + i]);
    }
    return true;
}

/* Adds a text, with arguments in the place of placeholders. Arguments are not searched for placeholders. */
static void add_part(struct writer *writer, struct xylem_view part)
{
    struct xylem_view rest = part;
    while (rest.bytes > 0 && writer->code == 0) {
        struct placeholder placeholder;
        size_t bytes = plain_bytes(rest);
        add(writer, (struct xylem_view){rest.data, bytes});
        rest = (struct xylem_view){rest.data + bytes, rest.bytes - bytes};
        if (rest.bytes == 0) {
            return;
        }
        bytes = 1;
        if (read_placeholder(&placeholder, rest) && add_args(writer, &placeholder)) {
            bytes = placeholder.bytes;
        } else {
            add(writer, xylem_view_of("$"));
        }
        rest = (struct xylem_view){rest.data + bytes, rest.bytes - bytes};
    }
}

struct xylem_view xylem_sequence__place_of_args(const struct xylem_step *step)
{
    return step->kind == XYLEM_STEP_PROMPT ? step->raw : step->args;
}

bool xylem_sequence__lacks_argument(struct xylem_view text, size_t arg_count)
{
    for (size_t at = plain_bytes(text); at < text.bytes;) {
        struct xylem_view rest = {text.data + at, text.bytes - at};
        struct placeholder placeholder;
        if (!read_placeholder(&placeholder, rest)) {
            placeholder.bytes = 1;
        } else if (placeholder.one && placeholder.first > arg_count) {
            return true;
        }
        rest = (struct xylem_view){rest.data + placeholder.bytes, rest.bytes - placeholder.bytes};
        at += placeholder.bytes + plain_bytes(rest);
    }
    return false;
}

int xylem_args_put(struct xylem_buffer *put, struct xylem_view text, const struct xylem_view *args, size_t arg_count,
                   struct xylem_error *err)
{
    if (!put || xylem_base__view_lacks_bytes(text) || (!args && arg_count > 0)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "xylem_args_put: an argument is NULL");
    }
    for (size_t i = 0; i < arg_count; i++) {
        if (xylem_base__view_lacks_bytes(args[i])) {
            return xylem_base__fail(err, XYLEM_E_ARGUMENT, "argument %zu has a length, but is NULL", i + 1);
        }
    }
    struct writer writer = {.text = put, .before = put->bytes, .args = args, .arg_count = arg_count};
    if (args) {
        add_part(&writer, text);
    } else {
        add(&writer, text);
    }
    if (writer.code < 0) {
        xylem_base__buffer_cut(put, writer.before);
    }
    if (writer.code == XYLEM_E_LIMIT) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "expected a text of at most %u bytes, found more",
                                XYLEM_STEP_TEXT_BYTES_MAX);
    }
    return writer.code < 0 ? xylem_base__fail_memory(err) : 0;
}

int xylem_step_text(struct xylem_buffer *text, const struct xylem_step *step, const struct xylem_view *args,
                    size_t arg_count, struct xylem_error *err)
{
    if (!text || !step || (!args && arg_count > 0)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "expected a text, a step and arguments, found NULL");
    }
    if (step->problem != XYLEM_STEP_FINE) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "expected a step without a problem, found the problem '%s'",
                                xylem_step_problem_word(step->problem));
    }
    bool is_template = step->kind == XYLEM_STEP_TEMPLATE;
    bool named = is_template || step->kind == XYLEM_STEP_SKILL;
    size_t before = text->bytes;
    if (named && xylem_base__buffer_add_format(text, "/%.*s ", (int)step->name.bytes, step->name.data) < 0) {
        return xylem_base__fail_memory(err);
    }
    size_t head_end = text->bytes;
    int code = xylem_args_put(text, xylem_sequence__place_of_args(step), is_template ? NULL : args,
                              is_template ? 0 : arg_count, err);
    if (code < 0) {
        xylem_base__buffer_cut(text, before);
    } else if (named && text->bytes == head_end) {
        xylem_base__buffer_cut(text, head_end - 1); /* nothing behind the name: no space either */
    }
    return code;
}

/* True if the text has a placeholder that takes any number of arguments, or the beginning of such a placeholder. */
static bool asks(struct xylem_view text)
{
    for (size_t at = plain_bytes(text); at < text.bytes;) {
        struct xylem_view rest = {text.data + at, text.bytes - at};
        if (xylem_base__view_begins(rest, XYLEM_BASE__LITERAL("$@")) ||
            xylem_base__view_begins(rest, XYLEM_BASE__LITERAL("$ARGUMENTS")) ||
            xylem_base__view_begins(rest, XYLEM_BASE__LITERAL("${@:"))) {
            return true;
        }
        rest = (struct xylem_view){rest.data + 1, rest.bytes - 1};
        at += 1 + plain_bytes(rest);
    }
    return false;
}

bool xylem_sequence_wants_args(const struct xylem_view *steps, size_t step_count)
{
    for (size_t i = 0; i < step_count; i++) {
        struct xylem_sequence__parts parts = xylem_sequence__step_parse(steps[i]);
        if (parts.problem == XYLEM_STEP_FINE && asks(parts.slash ? parts.args : steps[i])) {
            return true;
        }
    }
    return false;
}
