/* Writes HTML: the only place that escapes text for a page. */
#include "cli/page/html.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define FLUSH_BYTES 65536u
#define ESCAPE_BYTES 16u

static void add_view(struct xylem_cli__html *html, struct xylem_view view)
{
    xylem_cli__add_bytes(&html->text, view.data, view.bytes);
    html->bytes += view.bytes;
}

void xylem_cli__html_add(struct xylem_cli__html *html, const char *markup)
{
    add_view(html, xylem_view_of(markup));
}

/* The reference of a character that means something in HTML; NULL: none. */
static const char *reference_of(char character)
{
    static const char *const references[UCHAR_MAX + 1] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;"};
    return references[(unsigned char)character];
}

/* True for a character without a glyph that no script and no emoji needs. */
static bool is_unseen(uint32_t code_point)
{
    static const uint32_t ranges[][2] = {{0xAD, 0xAD},     {0x115F, 0x1160}, {0x180E, 0x180E},  {0x200B, 0x200B},
                                         {0x2060, 0x2064}, {0x206A, 0x206F}, {0x3164, 0x3164},  {0xFEFF, 0xFEFF},
                                         {0xFFA0, 0xFFA0}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (code_point >= ranges[i][0] && code_point <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

/*
 * The bytes of the character at `at` that a page shows as they are; 0: an escape stands there. A return before a newline
 * is a part of the newline.
 */
static size_t seen_bytes(struct xylem_view text, size_t at)
{
    const char *here = text.data + at;
    size_t left = text.bytes - at;
    uint32_t code_point = 0;
    if (*here == '\n' || *here == '\t' || (*here == '\r' && left > 1 && here[1] == '\n')) {
        return 1;
    }
    bool unseen = xylem_base__wtf8_decode(&code_point, here, left) > 1 && is_unseen(code_point);
    return unseen ? 0 : xylem_base__utf8_shown_bytes(here, left);
}

/* Writes the escape of a character, and gives the bytes of the character. */
static size_t write_escape(char escape[ESCAPE_BYTES], struct xylem_view text, size_t at)
{
    uint32_t code_point = 0;
    size_t bytes = xylem_base__wtf8_decode(&code_point, text.data + at, text.bytes - at);
    bool single = bytes < 2; /* a control character, or a byte outside of all characters */
    const char *format = single ? "\\x%02x" : code_point > 0xffff ? "\\U%08x" : "\\u%04x";
    (void)snprintf(escape, ESCAPE_BYTES, format, single ? (unsigned)(unsigned char)text.data[at] : code_point);
    return single ? 1 : bytes;
}

void xylem_cli__add_visible(struct xylem_cli__text *text, struct xylem_view bytes)
{
    char escape[ESCAPE_BYTES];
    for (size_t at = 0, seen; at < bytes.bytes; at += seen) {
        if ((seen = seen_bytes(bytes, at)) > 0) {
            xylem_cli__add_bytes(text, bytes.data + at, seen);
        } else {
            seen = write_escape(escape, bytes, at);
            xylem_cli__add(text, escape);
        }
    }
}

static void add_escaped(struct xylem_cli__html *html, struct xylem_view text, bool in_attribute)
{
    char escape[ESCAPE_BYTES];
    size_t done = 0;
    for (size_t at = 0; at < text.bytes;) {
        const char *reference = reference_of(text.data[at]);
        size_t seen = reference ? 0 : seen_bytes(text, at);
        if (seen > 0) {
            at += seen;
            continue;
        }
        add_view(html, (struct xylem_view){text.data + done, at - done});
        at += reference ? 1 : write_escape(escape, text, at);
        xylem_cli__html_add(html, reference || in_attribute ? "" : "<span class=\"odd\">");
        xylem_cli__html_add(html, reference ? reference : escape);
        xylem_cli__html_add(html, reference || in_attribute ? "" : "</span>");
        done = at;
    }
    if (done < text.bytes) {
        add_view(html, (struct xylem_view){text.data + done, text.bytes - done});
    }
}

void xylem_cli__html_text(struct xylem_cli__html *html, struct xylem_view text)
{
    add_escaped(html, text, false);
}

void xylem_cli__html_attribute(struct xylem_cli__html *html, struct xylem_view text)
{
    add_escaped(html, text, true);
}

void xylem_cli__html_shown(struct xylem_cli *cli, struct xylem_cli__html *html, struct xylem_view text)
{
    struct xylem_buffer left = {0};
    xylem_cli__html_text(html, xylem_cli__leave_out(cli, &left, text));
    xylem_buffer_release(&left);
}

void xylem_cli__html_anchor(const struct xylem_cli *cli, struct xylem_cli__html *html, struct xylem_view id,
                            struct xylem_position position, bool family)
{
    char escape[64];
    if (xylem_cli__is_left_out(cli, id)) {
        (void)snprintf(escape, sizeof escape, "e-~at-%llu-%llu", (unsigned long long)position.branch,
                       (unsigned long long)position.depth);
        xylem_cli__html_add(html, escape);
        return;
    }
    xylem_cli__html_add(html, "e-");
    for (size_t i = 0; i < id.bytes; i++) {
        char byte = id.data[i];
        if (byte != '\0' && strchr(XYLEM_BASE__DIGITS "abcdefghijklmnopqrstuvwxyz.-_", xylem_base__lower(byte))) {
            add_view(html, (struct xylem_view){id.data + i, 1});
        } else {
            (void)snprintf(escape, sizeof escape, "~%02x", (unsigned)(unsigned char)byte);
            xylem_cli__html_add(html, escape);
        }
    }
    (void)snprintf(escape, sizeof escape, ".%llu", (unsigned long long)position.branch);
    xylem_cli__html_add(html, family ? escape : "");
}

void xylem_cli__html_link(const struct xylem_cli *cli, struct xylem_cli__html *html, struct xylem_view id,
                          struct xylem_position position, bool family)
{
    xylem_cli__html_add(html, "<a href=\"#");
    xylem_cli__html_anchor(cli, html, id, position, family);
    xylem_cli__html_add(html, "\">");
}

void xylem_cli__html_count(struct xylem_cli__html *html, uint64_t count)
{
    struct xylem_cli__text made = {0};
    xylem_cli__add_count(&made, count);
    xylem_cli__html_put(html, "", &made, "");
}

void xylem_cli__html_made(struct xylem_cli__html *html, const struct xylem_cli__text *made)
{
    add_view(html, xylem_cli__text_view(made));
    html->text.failed = html->text.failed || made->failed;
}

void xylem_cli__html_put(struct xylem_cli__html *html, const char *before, struct xylem_cli__text *text,
                         const char *after)
{
    xylem_cli__html_add(html, before);
    xylem_cli__html_text(html, xylem_cli__text_view(text));
    xylem_cli__html_add(html, after);
    xylem_cli__part_end(&html->text, text);
}

int xylem_cli__html_flush(struct xylem_cli *cli, struct xylem_cli__html *html, bool all)
{
    if (html->code == 0 && html->text.failed) {
        html->code = xylem_cli__fail_memory(cli);
    }
    if (html->write && html->text.bytes.bytes > (all ? 0 : FLUSH_BYTES)) {
        if (html->code == 0) {
            html->code = html->write(html->context, html->text.bytes.data, html->text.bytes.bytes);
        }
        xylem_cli__text_clear(&html->text);
    }
    return html->code;
}
