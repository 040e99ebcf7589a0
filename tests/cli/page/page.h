/* A page under test, and a small checker of its HTML. */
#ifndef XYLEM_TESTS_CLI_PAGE_PAGE_H
#define XYLEM_TESTS_CLI_PAGE_PAGE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/cli/page/well_formed.h"

/* The page is the text, and is well-formed. Releases the page. */
static inline void page_is(struct xylem_cli__html *html, const char *expected)
{
    assert_false(html->text.failed);
    assert_string_equal(html->text.bytes.data ? html->text.bytes.data : "", expected);
    assert_int_equal(html->bytes, strlen(expected));
    xylem_cli__text_release(&html->text);
}

/* The page is well-formed. Without that no other rule says anything. */
static inline void page_holds(const struct xylem_cli__html *html)
{
    const char *wrong = page_problem(html->text.bytes.data, html->text.bytes.bytes);
    if (wrong) {
        print_error("%.300s\n", wrong);
    }
    assert_null(wrong);
}

#endif
