/*
 * Any bytes as Markdown, and as the payload of an entry, are a page of allowed tags that are closed, on which nothing
 * comes from outside but text. The HTML stays within its bounds, and so does a review. Input: the bytes; the last one chooses the kind.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/page/markdown.h"
#include "cli/page/review.h"
#include "tests/cli/page/entry_of.h"
#include "tests/cli/page/well_formed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Looks at the page, and releases it. */
static void end(struct xylem_cli__html *html, size_t size)
{
    check(!html->text.failed && html->code == 0 && html->bytes == html->text.bytes.bytes);
    check(!page_problem(html->text.bytes.data, html->text.bytes.bytes));
    /* the longest is the escape of a byte: an edit shows a line that is empty as `+ `, and no text twice but names */
    check(html->bytes <= 8192 + 64 * (uint64_t)size);
    check(html->markdown_ns <= UINT64_C(10000000000));
    xylem_cli__text_release(&html->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kinds[] = {"message", "compaction", "custom_message", "label", "model_change", "other"};
    struct xylem_view text = {(const char *)data, size};
    struct xylem_cli__locale locale = {true, true};
    struct xylem_cli cli = {.locale = &locale};
    struct xylem_cli__html html = {0};
    struct xylem_cli__page_cuts cuts = {0};
    if (size == 0) {
        return 0;
    }
    (void)xylem_cli__html_markdown(&cli, &html, text);
    end(&html, size);
    html = (struct xylem_cli__html){0};
    text.bytes--;
    struct xylem_entry entry = entry_of(kinds[data[text.bytes] % (sizeof kinds / sizeof kinds[0])], text);
    entry.id = (struct xylem_view){text.data, text.bytes < 40 ? text.bytes : 40};
    struct xylem_cli__beside beside = {.label = entry.id};
    check(xylem_cli__html_entry(&cli, &html, &cuts, &entry, &beside) == 0);
    end(&html, size);
    struct xylem_cli__text review = {0};
    uint64_t markdown_ns = 0;
    check(xylem_cli__review_entry(&cli, &review, &markdown_ns, &entry) == 0);
    check(review.bytes.bytes <= 16384 + 128 * (uint64_t)size && markdown_ns <= UINT64_C(10000000000));
    xylem_cli__text_release(&review);
    return 0;
}
