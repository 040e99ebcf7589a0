/* Reads the steps of a sequence from a session or from a file, and prints steps. */
#include "cli/sequence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_CELLS_MIN 20u /* on narrower terminals the lines run on */

void xylem_cli__steps_release(struct xylem_cli__steps *steps)
{
    free(steps->made);
    xylem_document_free(steps->document);
    xylem_cli__text_release(&steps->file);
    xylem_state_release(&steps->state);
    *steps = (struct xylem_cli__steps){0};
}

/* Reads the snapshot that counts at a position of `steps->session`. */
static int read_snapshot(struct xylem_cli *cli, struct xylem_cli__steps *steps, struct xylem_position at)
{
    const struct xylem_reduce_options options = {.pieces = XYLEM_PIECE_SEQUENCE};
    int code = xylem_cli__rehydrate(cli, &steps->state, at, NULL, &options);
    if (code < 0) {
        return code;
    }
    if (!steps->state.sequence.present) {
        bool leaf = xylem_cli__position_equal(at, steps->session.leaf);
        return xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "session %.*s has no sequence at %s",
                               (int)steps->session.id.bytes, steps->session.id.data, leaf ? "its leaf" : "that entry");
    }
    steps->list = steps->state.sequence.steps;
    steps->count = steps->state.sequence.step_count;
    return 0;
}

int xylem_cli__steps_stored(struct xylem_cli *cli, struct xylem_cli__steps *steps, const char *spec)
{
    struct xylem_cli__place place;
    int code = xylem_cli__place_find(cli, &place, spec, XYLEM_CLI__NAMED, xylem_cli__entry_or_none);
    steps->session = place.session;
    return code < 0 ? code : read_snapshot(cli, steps, place.position);
}

int xylem_cli__steps_of(struct xylem_cli *cli, struct xylem_cli__steps *steps, const struct xylem_session *session)
{
    steps->session = *session;
    return read_snapshot(cli, steps, session->leaf);
}

int xylem_cli__sequence_input(struct xylem_cli *cli, struct xylem_cli__text *text, const char *path)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return xylem_cli__fail(cli, errno == ENOENT || errno == ENOTDIR ? XYLEM_E_NOT_FOUND : XYLEM_E_IO,
                               "%s cannot be read: %s", path, strerror(errno));
    }
    int code = xylem_cli__read_all(cli, text, fd, XYLEM_CLI__SEQUENCE_INPUT_BYTES_MAX, false,
                                   standard ? "standard input" : path);
    if (!standard) {
        close(fd);
    }
    return code;
}

int xylem_cli__check_inputs(struct xylem_cli *cli, const char *file, const char *commands)
{
    if (file && commands && strcmp(file, "-") == 0 && strcmp(commands, "-") == 0) {
        return xylem_cli__usage(cli, "--file - and --commands - cannot be combined");
    }
    return 0;
}

int xylem_cli__steps_array(struct xylem_cli *cli, struct xylem_cli__steps *steps, const struct xylem_value *array,
                           const char *what)
{
    if (!array || xylem_value_type(array) != XYLEM_VALUE_ARRAY) {
        return xylem_cli__fail(cli, XYLEM_E_MALFORMED, "%s: expected an array of strings", what);
    }
    size_t count = xylem_value_count(array);
    steps->made = calloc(count + 1, sizeof *steps->made);
    if (!steps->made) {
        return xylem_cli__fail_memory(cli);
    }
    size_t at = 0;
    for (const struct xylem_value *step = xylem_value_first(array); step; step = xylem_value_next(array, step)) {
        if (xylem_value_type(step) != XYLEM_VALUE_STRING) {
            return xylem_cli__fail(cli, XYLEM_E_MALFORMED, "%s: element %zu is not a string", what, at + 1);
        }
        steps->made[at++] = xylem_value_string(step);
    }
    steps->list = steps->made;
    steps->count = count;
    return 0;
}

int xylem_cli__steps_file(struct xylem_cli *cli, struct xylem_cli__steps *steps, const char *path)
{
    int code = xylem_cli__sequence_input(cli, &steps->file, path);
    if (code < 0) {
        return code;
    }
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    code = xylem_document_new_json(&steps->document, xylem_cli__text_view(&steps->file), &cli->err);
    return code < 0 ? xylem_cli__fail_in(cli, code, name)
                    : xylem_cli__steps_array(cli, steps, xylem_document_value(steps->document), name);
}

void xylem_cli__add_fact(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name)
{
    xylem_cli__add_column(cli, text, xylem_view_of(name), XYLEM_CLI__FACT_CELLS, XYLEM_CLI__DIM);
}

/* Appends one line of a text, broken between words to the width of the terminal. */
static void add_line(const struct xylem_cli *cli, struct xylem_cli__text *text, size_t indent, struct xylem_view line)
{
    size_t room = cli->width >= indent + WORDS_CELLS_MIN ? cli->width : SIZE_MAX;
    size_t used = indent;
    while (line.bytes > 0) {
        const char *space = memchr(line.data + 1, ' ', line.bytes - 1);
        struct xylem_view word = {line.data, space ? (size_t)(space - line.data) : line.bytes};
        size_t cells = xylem_cli__cells(cli, word, SIZE_MAX);
        if (used > indent && used + cells > room) {
            xylem_cli__end_line(text);
            xylem_cli__add_repeated(text, " ", indent);
            used = indent;
            if (word.data[0] == ' ') {
                word = (struct xylem_view){word.data + 1, word.bytes - 1};
                cells--;
                line = (struct xylem_view){line.data + 1, line.bytes - 1};
            }
        }
        used += xylem_cli__add_shown(cli, text, word, XYLEM_CLI__EXACT, SIZE_MAX);
        line = (struct xylem_view){line.data + word.bytes, line.bytes - word.bytes};
    }
    xylem_cli__end_line(text);
}

void xylem_cli__add_indented(const struct xylem_cli *cli, struct xylem_cli__text *text, size_t used,
                             struct xylem_view words)
{
    struct xylem_buffer left = {0};
    words = xylem_cli__leave_out(cli, &left, words); /* before a break, which would show parts */
    for (bool first = true; words.data; first = false) {
        const char *end = words.bytes > 0 ? memchr(words.data, '\n', words.bytes) : NULL;
        size_t bytes = end ? (size_t)(end - words.data) : words.bytes;
        xylem_cli__add_repeated(text, " ", first ? 0 : used);
        add_line(cli, text, used, (struct xylem_view){words.data, bytes});
        words = end ? (struct xylem_view){end + 1, words.bytes - bytes - 1} : (struct xylem_view){NULL, 0};
    }
    xylem_buffer_release(&left);
}
