/*
 * Checks the HTML of a page by its own knowledge of what a page may have: allowed tags that are closed in their order,
 * allowed attributes, all `<` part of a tag, no character that nobody sees, links to the web and to a mailbox, images
 * of four types.
 */
#ifndef XYLEM_TESTS_CLI_PAGE_WELL_FORMED_H
#define XYLEM_TESTS_CLI_PAGE_WELL_FORMED_H

#include <stdlib.h>
#include <string.h>

#include "cli/page/html.h"

#define PAGE_DEPTH_MAX 200u

static inline bool page_one_of(const char *words, const char *word, size_t bytes)
{
    char wanted[40];
    if (bytes == 0 || bytes > sizeof wanted - 3) {
        return false;
    }
    wanted[0] = ' ';
    memcpy(wanted + 1, word, bytes);
    wanted[bytes + 1] = ' ';
    wanted[bytes + 2] = '\0';
    return strstr(words, wanted) != NULL;
}

static inline bool page_begins(const char *at, size_t left, const char *beginning)
{
    return left >= strlen(beginning) && memcmp(at, beginning, strlen(beginning)) == 0;
}

/* The value of an attribute, without the quotes. */
static inline bool page_value_allowed(const char *name, size_t name_bytes, const char *value, size_t bytes)
{
    static const char *const links[] = {"#e-", "http://", "https://", "mailto:", "HTTP://"};
    static const char *const images[] = {"data:image/png;base64,", "data:image/jpeg;base64,", "data:image/gif;base64,",
                                         "data:image/webp;base64,"};
    bool allowed = !page_one_of(" href src id ", name, name_bytes);
    for (size_t i = 0; page_one_of(" href ", name, name_bytes) && i < sizeof links / sizeof links[0]; i++) {
        /* the case of a scheme is free */
        allowed = allowed || (bytes >= strlen(links[i]) && strncasecmp(value, links[i], strlen(links[i])) == 0);
    }
    for (size_t i = 0; page_one_of(" src ", name, name_bytes) && i < sizeof images / sizeof images[0]; i++) {
        allowed = allowed || page_begins(value, bytes, images[i]);
    }
    return allowed || (page_one_of(" id ", name, name_bytes) && page_begins(value, bytes, "e-"));
}

/* Reads attributes up to `>`; NULL: one is not allowed. */
static inline const char *page_attributes(const char *at, const char *end)
{
    while (at < end && *at == ' ') {
        const char *name = ++at;
        while (at < end && (*at == '-' || (*at >= 'a' && *at <= 'z'))) {
            at++;
        }
        size_t bytes = (size_t)(at - name);
        if (!page_one_of(" href rel class id start type disabled checked aria-label alt src loading open datetime "
                         "data-kind data-role data-label data-leaf data-failed ",
                         name, bytes)) {
            return NULL;
        }
        if (at + 1 < end && at[0] == '=' && at[1] == '"') {
            const char *value = at + 2;
            const char *close = memchr(value, '"', (size_t)(end - value));
            if (!close || memchr(value, '<', (size_t)(close - value)) ||
                !page_value_allowed(name, bytes, value, (size_t)(close - value))) {
                return NULL;
            }
            at = close + 1;
        }
    }
    return at < end && *at == '>' ? at + 1 : NULL;
}

/* Gives the place of the first problem, or NULL. */
static inline const char *page_problem(const char *data, size_t bytes)
{
    static const char *const tags =
        " a article b blockquote br code dd del details div dl dt em figure footer h4 h5 h6 "
        "header hr img input ins li ol p pre span strong summary table tbody td th thead "
        "time tr ul ";
    const char *open[PAGE_DEPTH_MAX];
    size_t open_bytes[PAGE_DEPTH_MAX];
    size_t depth = 0;
    const char *end = data + bytes;
    for (const char *at = data; at && at < end;) {
        if (*at != '<') {
            size_t shown =
                *at == '\n' || *at == '\t' || *at == '\r' ? 1 : xylem_base__utf8_shown_bytes(at, (size_t)(end - at));
            if (shown == 0 || *at == '>' || *at == '"' || *at == '\'') {
                return at;
            }
            at += shown;
            continue;
        }
        const char *tag = at;
        bool closing = at + 1 < end && at[1] == '/';
        const char *name = at + 1 + (closing ? 1 : 0);
        for (at = name; at < end && ((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9'));) {
            at++;
        }
        size_t length = (size_t)(at - name);
        at = closing ? (at < end && *at == '>' ? at + 1 : NULL) : page_attributes(at, end);
        if (!at || !page_one_of(tags, name, length)) {
            return tag;
        }
        if (closing) {
            depth--;
            if (depth >= PAGE_DEPTH_MAX || open_bytes[depth] != length || memcmp(open[depth], name, length) != 0) {
                return tag;
            }
        } else if (!page_one_of(" br hr img input ", name, length)) {
            if (depth == PAGE_DEPTH_MAX) {
                return tag;
            }
            open[depth] = name;
            open_bytes[depth++] = length;
        }
    }
    return depth > 0 ? open[depth - 1] : NULL;
}

#endif
