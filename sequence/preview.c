/* The steps of a sequence as numbered lines. */
#include "base/buffer.h"
#include "sequence/cells.h"

#define NUMBER_CELLS_MIN 2

static int number_cells(size_t step_count)
{
    int cells = 1;
    for (; step_count >= 10; step_count /= 10) {
        cells++;
    }
    return cells < NUMBER_CELLS_MIN ? NUMBER_CELLS_MIN : cells;
}

static int end_line(const struct xylem_sequence__line *line)
{
    return line->code < 0 ? line->code : xylem_buffer_add(line->text, "\n", 1);
}

/* The lines behind the given lines of a step. */
static size_t count_lines(struct xylem_view rest)
{
    struct xylem_view line;
    size_t count = 1;
    while (xylem_sequence__first_line(&line, &rest, rest)) {
        count++;
    }
    return count;
}

/*
 *      2  Plan the implementation     the number, right-aligned in `indent` cells, and two blanks
 *         and name the files          further lines below the first line
 *         (2 more lines)
 */
static int add_step(struct xylem_buffer *text, struct xylem_view step, size_t number, int indent,
                    const struct xylem_sequence_text_options *options)
{
    uint32_t lines_max = options && options->step_lines > 0 ? options->step_lines : UINT32_MAX;
    struct xylem_view rest = step;
    bool more = true;
    for (uint32_t at = 0; more; at++) {
        struct xylem_sequence__line line = xylem_sequence__line_begin(text, options);
        struct xylem_view shown = {NULL, 0};
        size_t left = at == lines_max ? count_lines(rest) : 0;
        more = left == 0 && xylem_sequence__first_line(&shown, &rest, rest);
        if (at == 0) {
            xylem_sequence__line_format(&line, "%*zu", indent, number);
        }
        if (left > 0 || shown.bytes > 0) { /* no blanks at the end of a line */
            xylem_sequence__line_format(&line, "%*s", at == 0 ? 2 : indent + 2, "");
        }
        if (left > 0) {
            xylem_sequence__line_format(&line, left == 1 ? "(%zu more line)" : "(%zu more lines)", left);
        } else {
            xylem_sequence__line_add(&line, shown);
        }
        int code = end_line(&line);
        if (code < 0) {
            return code;
        }
    }
    return XYLEM_OK;
}

int xylem_sequence_preview(struct xylem_buffer *text, const struct xylem_view *steps, size_t step_count,
                           const struct xylem_sequence_text_options *options)
{
    size_t before = text->bytes;
    struct xylem_sequence__line line = xylem_sequence__line_begin(text, options);
    xylem_sequence__line_format(&line, step_count == 1 ? "Sequence, %zu step" : "Sequence, %zu steps", step_count);
    int code = end_line(&line);
    for (size_t i = 0; code == XYLEM_OK && i < step_count; i++) {
        code = add_step(text, steps[i], i + 1, number_cells(step_count), options);
    }
    if (code < 0 && text->data) {
        text->bytes = before;
        text->data[before] = '\0';
    }
    return code;
}
