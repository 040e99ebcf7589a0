/* The passages of an entry as HTML. */
#ifndef XYLEM_CLI_PAGE_PASSAGE_H
#define XYLEM_CLI_PAGE_PASSAGE_H

#include "cli/page/page.h"

/* An entry under the brush. */
struct xylem_cli__painting {
    struct xylem_cli *cli;
    struct xylem_cli__html *html;
    struct xylem_cli__page_cuts *cuts;
    struct xylem_view id; /* of the entry, for the command that shows the rest */
    struct xylem_position position;
    const struct xylem_cli__said *said;
};

/* The beginning of a text, which is shown. Adds the bytes behind to `hidden`. */
struct xylem_view xylem_cli__paint_beginning(uint64_t *hidden, struct xylem_view text);
/* Says how much is hidden, if anything is, and counts. */
void xylem_cli__paint_hidden(struct xylem_cli__painting *painting, uint64_t hidden);
/* Paints a text, or the beginning of a long one, between two pieces of markup. */
void xylem_cli__paint_text(struct xylem_cli__painting *painting, const char *before, struct xylem_view text,
                           const char *after);
/* The same for a value: a string, or JSON. */
void xylem_cli__paint_value(struct xylem_cli__painting *painting, const char *before, const struct xylem_value *value,
                            const char *after);

/* A call of a tool; an edit or a write as lines that go and come (call.c). */
void xylem_cli__paint_call(struct xylem_cli__painting *painting, const struct xylem_cli__passage *call);
/* An image, or why none is shown (image.c). */
void xylem_cli__paint_image(struct xylem_cli__painting *painting, const struct xylem_cli__passage *image);

#endif
