/* Writes HTML. Markup is a literal of this program; text from outside is escaped here, and nowhere else. */
#ifndef XYLEM_CLI_PAGE_HTML_H
#define XYLEM_CLI_PAGE_HTML_H

#include "cli/term/term.h"
#include "xylem/session.h"

/* A page under construction. Start zeroed, with `write` and `context`. */
struct xylem_cli__html {
    struct xylem_cli__text text;                                 /* not written yet */
    int (*write)(void *context, const void *data, size_t bytes); /* NULL: everything stays in `text` */
    void *context;
    uint64_t bytes;       /* written, and in `text` */
    uint64_t markdown_ns; /* of the processor, used by the Markdown of the page */
    uint64_t image_bytes; /* of images within the page */
    int code;             /* the first answer of `write` that is not 0: nothing is written after it */
};

/* Appends markup: a string literal of the program, never text from outside. */
void xylem_cli__html_add(struct xylem_cli__html *html, const char *markup);
/*
 * Appends text with an escape for each character that no reader sees: all that xylem_base__is_shown() has as unsafe but
 * newlines and tabs, bytes that are no UTF-8, and what is nothing but unseen: U+00AD, U+115F, U+1160, U+180E, U+200B,
 * U+2060 to U+2064, U+206A to U+206F, U+3164, U+FEFF, U+FFA0, U+FFF9 to U+FFFB, and the tags U+E0000 to U+E007F, also in
 * the flags of England, Scotland and Wales.
 */
void xylem_cli__add_visible(struct xylem_cli__text *text, struct xylem_view bytes);
/*
 * Appends text from outside, for the content of an element or for an attribute in double quotes. `<`, `>`, `&`, `"` and
 * `'` become references. The escapes of xylem_cli__add_visible() stand in <span class="odd">, but for an attribute alone.
 */
void xylem_cli__html_text(struct xylem_cli__html *html, struct xylem_view text);
void xylem_cli__html_attribute(struct xylem_cli__html *html, struct xylem_view text);
/* The same without what the user leaves out (`cli->left_out`), for text that no xylem_cli__said gave. */
void xylem_cli__html_shown(struct xylem_cli *cli, struct xylem_cli__html *html, struct xylem_view text);
/*
 * Appends `e-ID`: the anchor of an entry, for `id="..."` and behind `href="#`. Other bytes than letters, digits, `.`, `-`
 * and `_` become `~hh`. On the page of a family, where forks may each make an entry of the same id, every anchor has the
 * branch: `e-ID.BRANCH`. An id that `cli->left_out` matches is left out: `e-~at-BRANCH-DEPTH`.
 */
void xylem_cli__html_anchor(const struct xylem_cli *cli, struct xylem_cli__html *html, struct xylem_view id,
                            struct xylem_position position, bool family);
/* Begins a link to an entry: `<a href="#e-ID">`. */
void xylem_cli__html_link(const struct xylem_cli *cli, struct xylem_cli__html *html, struct xylem_view id,
                          struct xylem_position position, bool family);
/* Appends a number, `1,234`. */
void xylem_cli__html_count(struct xylem_cli__html *html, uint64_t count);
/* Appends HTML that this program made. */
void xylem_cli__html_made(struct xylem_cli__html *html, const struct xylem_cli__text *made);
/* Appends markup, the text as xylem_cli__html_text() does, and markup. Releases the text. */
void xylem_cli__html_put(struct xylem_cli__html *html, const char *before, struct xylem_cli__text *text,
                         const char *after);
/* Writes out `text` once it is long; returns `code`, MEMORY included. */
int xylem_cli__html_flush(struct xylem_cli *cli, struct xylem_cli__html *html, bool all);

#endif
