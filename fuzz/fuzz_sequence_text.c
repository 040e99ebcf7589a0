/*
 * Any bytes as the steps and the names of a run, as a foreign snapshot or a ledger may have them. Every text is UTF-8
 * that can be shown, no line has more cells than allowed, and a text without a limit begins like the cut text.
 *
 * Input: a byte for the phase, a byte for the cells, a byte for the lines of a step; then steps, each ended by a NUL.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sequence/cells.h"

#define STEPS_MAX 16u
#define HEAD_BYTES 3u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Checks the lines of a text: `newlines` tells whether each line ends in a line feed, or there is one line. */
static void check_text(const struct xylem_buffer *text, uint32_t cells_max, bool newlines)
{
    size_t cells = 0;
    for (size_t at = 0; at < text->bytes;) {
        uint32_t code_point = 0;
        size_t bytes = xylem_base__utf8_shown_bytes(text->data + at, text->bytes - at);
        if (newlines && text->data[at] == '\n') {
            cells = 0;
            bytes = 1;
        } else {
            check(bytes > 0);
            check(xylem_base__wtf8_decode(&code_point, text->data + at, text->bytes - at) == bytes);
            cells += xylem_sequence__cells(code_point);
        }
        check(cells_max == 0 || cells <= cells_max);
        at += bytes;
    }
    check(!newlines || text->data[text->bytes - 1] == '\n');
}

static void check_preview(const struct xylem_view *steps, size_t count,
                          const struct xylem_sequence_text_options *options)
{
    struct xylem_buffer text = {0};
    check(xylem_sequence_preview(&text, steps, count, options) == 0);
    check_text(&text, options->cells, true);
    xylem_buffer_release(&text);
}

static void check_run(const struct xylem_run_state *run, const struct xylem_sequence_text_options *options)
{
    const struct xylem_sequence_text_options whole = {.ascii = options->ascii, .own_session = options->own_session};
    struct xylem_buffer cut = {0};
    struct xylem_buffer text = {0};
    check(xylem_run_status(&cut, run, options) == 0 && xylem_run_status(&text, run, &whole) == 0);
    check_text(&cut, options->cells, false);
    check_text(&text, 0, false);
    size_t mark = options->ascii ? 1 : 3; /* the bytes of the ellipsis */
    bool same = cut.bytes == text.bytes && memcmp(cut.data, text.data, cut.bytes) == 0;
    check(same || (cut.bytes >= mark && memcmp(cut.data, text.data, cut.bytes - mark) == 0));
    xylem_buffer_release(&cut);
    xylem_buffer_release(&text);
    check(xylem_run_notice(&text, run, options) == 0);
    check_text(&text, 0, false);
    xylem_buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_view steps[STEPS_MAX];
    size_t count = 0;
    if (size < HEAD_BYTES) {
        return 0;
    }
    struct xylem_sequence_text_options options = {
        .ascii = data[0] & 0x80u, .cells = data[1], .step_lines = data[2] & 0x7u, .own_session = {"fork", 4}};
    for (size_t at = HEAD_BYTES; at < size && count < STEPS_MAX;) {
        const uint8_t *end = memchr(data + at, '\0', size - at);
        size_t bytes = end ? (size_t)(end - (data + at)) : size - at;
        steps[count++] = (struct xylem_view){(const char *)data + at, bytes};
        at += bytes + 1;
    }
    struct xylem_run_state run = {.phase = (enum xylem_run_phase)(data[0] % XYLEM_RUN_PHASE_COUNT),
                                  .steps = steps,
                                  .step_count = count,
                                  .total_runs = data[1],
                                  .run_index = data[2],
                                  .step_index = data[2] % (STEPS_MAX + 1),
                                  .code = (enum xylem_run_code)(data[2] % XYLEM_RUN_CODE_COUNT),
                                  .session = count > 0 ? steps[0] : (struct xylem_view){NULL, 0}};
    if (data[0] & 0x40u) {
        options.own_session = run.session;
    }
    check_preview(steps, count, &options);
    check_run(&run, &options);
    return 0;
}
