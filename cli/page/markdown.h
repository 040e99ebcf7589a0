/* Markdown, parsed by libcmark-gfm within bounds; as HTML for a page, and as a document for a review. */
#ifndef XYLEM_CLI_PAGE_MARKDOWN_H
#define XYLEM_CLI_PAGE_MARKDOWN_H

#include "cli/page/html.h"

struct cmark_mem;
struct cmark_node;

#define XYLEM_CLI__LANGUAGE_MAX 32u /* bytes of the word behind a fence */

/*
 * Takes a piece of a text. The document lives in the arena of xylem_cli__markdown_memory(), and may be changed. Without
 * a document the piece costs too much, and is to be shown as it is; what was made of its document before is to be
 * dropped. Gives false if the result is too long. No memory but the arena's may be held while libcmark-gfm is called: a
 * full arena leaves the function by longjmp().
 */
typedef bool xylem_cli__markdown_taker(void *context, struct xylem_view piece, struct cmark_node *document);

/*
 * Hands all pieces of a text to `take`, with escapes of what nobody sees. Gives false if a piece came without a document:
 * too long or too deep, more than an arena, or no time is left. A block of whose text `cli->left_out` matches a part is
 * plain text without the part. `used_ns` is the time that was used before.
 */
bool xylem_cli__markdown_each(const struct xylem_cli *cli, uint64_t *used_ns, struct xylem_view text,
                              xylem_cli__markdown_taker *take, void *context);
/* The most bytes that a piece may become. */
size_t xylem_cli__markdown_bytes_max(struct xylem_view piece);
/* The arena, for nodes that are added to a document. */
struct cmark_mem *xylem_cli__markdown_memory(void);

/* Gives the language of code, in lower case, from the text behind its fence: empty unless it is a plain word. */
void xylem_cli__markdown_language(char language[XYLEM_CLI__LANGUAGE_MAX + 1], struct xylem_view info);
/* True for an address of the web or of a mailbox. */
bool xylem_cli__markdown_leads(const char *address);

/*
 * Appends the text as HTML: headings become h4 to h6, links keep http, https and mailto, images become links, HTML of
 * the text becomes text. Gives false if a part of the text is shown as it is.
 */
bool xylem_cli__html_markdown(const struct xylem_cli *cli, struct xylem_cli__html *html, struct xylem_view text);

#endif
