/* Writes HTML: the only place that escapes text for a page. */
#include "cli/page/html.h"
#include "xylem/files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define FLUSH_BYTES 65536u

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

size_t xylem_cli__seen_bytes(const char *text, size_t bytes)
{
    uint32_t code_point = 0;
    bool unseen = xylem_base__wtf8_decode(&code_point, text, bytes) > 1 && is_unseen(code_point);
    return unseen ? 0 : xylem_base__utf8_shown_bytes(text, bytes);
}

/* The bytes of the character at `at` that a page shows as they are; 0: none. A return before a newline belongs to it. */
static size_t plain_bytes(struct xylem_view text, size_t at)
{
    char first = text.data[at];
    if (first == '\n' || first == '\t' || (first == '\r' && at + 1 < text.bytes && text.data[at + 1] == '\n')) {
        return 1;
    }
    return reference_of(first) ? 0 : xylem_cli__seen_bytes(text.data + at, text.bytes - at);
}

/* Adds the escape of what nobody sees, and gives the bytes that the escape stands for. */
static size_t add_odd(struct xylem_cli__html *html, struct xylem_view rest, bool in_attribute)
{
    char escape[16];
    uint32_t code_point = 0;
    size_t bytes = xylem_base__wtf8_decode(&code_point, rest.data, rest.bytes);
    bool single = bytes < 2; /* a control character, or a byte that belongs to no character */
    (void)snprintf(escape, sizeof escape,
                   single                ? "\\x%02x"
                   : code_point > 0xffff ? "\\U%08x"
                                         : "\\u%04x",
                   single ? (unsigned)(unsigned char)*rest.data : code_point);
    xylem_cli__html_add(html, in_attribute ? "" : "<span class=\"odd\">");
    xylem_cli__html_add(html, escape);
    xylem_cli__html_add(html, in_attribute ? "" : "</span>");
    return bytes > 0 ? bytes : 1;
}

static void add_escaped(struct xylem_cli__html *html, struct xylem_view text, bool in_attribute)
{
    size_t done = 0;
    for (size_t at = 0; at < text.bytes;) {
        size_t plain = plain_bytes(text, at);
        if (plain > 0) {
            at += plain;
            continue;
        }
        const char *reference = reference_of(text.data[at]);
        add_view(html, (struct xylem_view){text.data + done, at - done});
        if (reference) {
            xylem_cli__html_add(html, reference);
            at++;
        } else {
            at += add_odd(html, (struct xylem_view){text.data + at, text.bytes - at}, in_attribute);
        }
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
    if (cli->left_out && text.bytes > 0) {
        int found = xylem_patterns_redact_text(&left, cli->left_out->patterns, text, NULL);
        cli->left_out->count += found > 0 ? (uint64_t)found : 0;
        /* what cannot be searched is not shown */
        text = found < 0 ? xylem_view_of("[redacted]") : (struct xylem_view){left.data, left.bytes};
    }
    xylem_cli__html_text(html, text);
    xylem_buffer_release(&left);
}

void xylem_cli__html_anchor(const struct xylem_cli *cli, struct xylem_cli__html *html, struct xylem_view id,
                            struct xylem_position position, bool family)
{
    char escape[64];
    if (cli->left_out && xylem_patterns_match(cli->left_out->patterns, id, NULL) != 0) {
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
