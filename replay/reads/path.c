/*
 * The path of a tool call becomes an absolute path, as the tools of pi resolve the path. Steps over the bytes:
 *
 *     @~/notes/../a b.txt   clean    @ goes, U+00A0 becomes a space
 *     ~/notes/../a b.txt    expand   the home, or a URL
 *     /home/a/notes/../a b.txt       anything else relative begins at cwd
 *     /home/a/a b.txt       resolve  by the text alone
 */
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/utf8.h"
#include "base/value.h"
#include "xylem/reads.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

static bool is_unicode_space(uint32_t code_point)
{
    return code_point == 0xA0 || (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x202F ||
           code_point == 0x205F || code_point == 0x3000;
}

static bool is_surrogate(uint32_t code_point)
{
    return code_point >= 0xD800 && code_point <= 0xDFFF;
}

/* Rule 1. Bytes that are no character stay: the names of files are bytes. */
static int clean(struct xylem_buffer *text, struct xylem_view input)
{
    size_t at = 0;
    while (at < input.bytes) {
        uint32_t code_point = 0;
        size_t used = xylem_base__wtf8_decode(&code_point, input.data + at, input.bytes - at);
        int code;
        if (used > 1 && is_unicode_space(code_point)) {
            code = xylem_buffer_add(text, " ", 1);
        } else if (used > 1 && is_surrogate(code_point)) {
            code = xylem_buffer_add(text, replacement, sizeof replacement - 1);
        } else {
            used = used ? used : 1;
            code = xylem_buffer_add(text, input.data + at, used);
        }
        if (code < 0) {
            return code;
        }
        at += used;
    }
    return 0;
}

/* --- file:// URLs, by the rules of the WHATWG for the scheme `file` ----------------------------------------------- */

static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    digit |= 0x20;
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* The byte of `%XX`, or -1. */
static int percent_byte(struct xylem_view text)
{
    if (text.bytes < 3 || text.data[0] != '%') {
        return -1;
    }
    int high = hex_digit(text.data[1]);
    int low = hex_digit(text.data[2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* The dots of a segment made of one or two dots, `.` or `%2e`; 0 for any other segment. */
static size_t dot_count(struct xylem_view segment)
{
    size_t dots = 0;
    while (segment.bytes > 0) {
        size_t used = segment.data[0] == '.' ? 1 : percent_byte(segment) == '.' ? 3 : 0;
        if (used == 0 || ++dots > 2) {
            return 0;
        }
        segment.data += used;
        segment.bytes -= used;
    }
    return dots;
}

/* Decodes a run of `%XX` at the start of `text`, and sets `used` to the bytes of the run. */
static int add_decoded(struct xylem_buffer *path, size_t *used, struct xylem_view text, struct xylem_error *err)
{
    size_t start = path->bytes;
    size_t at = 0;
    while (at < text.bytes && text.data[at] == '%') {
        int byte = percent_byte((struct xylem_view){text.data + at, text.bytes - at});
        if (byte < 0) {
            return xylem_base__fail(err, XYLEM_E_MALFORMED, "path: expected two hex digits behind %% in a file URL");
        }
        if (byte == 0 || byte == '/') {
            return xylem_base__fail(err, XYLEM_E_MALFORMED, "path: a file URL must not have %%00 or %%2F");
        }
        char decoded = (char)byte;
        if (xylem_buffer_add(path, &decoded, 1) < 0) {
            return xylem_base__fail_memory(err);
        }
        at += 3;
    }
    for (size_t i = start; i < path->bytes;) {
        uint32_t code_point = 0;
        size_t bytes = xylem_base__wtf8_decode(&code_point, path->data + i, path->bytes - i);
        if (bytes == 0 || is_surrogate(code_point)) {
            return xylem_base__fail(err, XYLEM_E_MALFORMED, "path: the %%XX of a file URL are not UTF-8");
        }
        i += bytes;
    }
    *used = at;
    return 0;
}

/* Appends `/` and the decoded segment. */
static int add_segment(struct xylem_buffer *path, struct xylem_view segment, struct xylem_error *err)
{
    if (xylem_buffer_add(path, "/", 1) < 0) {
        return xylem_base__fail_memory(err);
    }
    while (segment.bytes > 0) {
        const char *percent = memchr(segment.data, '%', segment.bytes);
        size_t used = percent ? (size_t)(percent - segment.data) : segment.bytes;
        int code = used > 0 ? xylem_buffer_add(path, segment.data, used) : add_decoded(path, &used, segment, err);
        if (code < 0) {
            return code == XYLEM_E_MEMORY ? xylem_base__fail_memory(err) : code;
        }
        segment.data += used;
        segment.bytes -= used;
    }
    return 0;
}

/* `C:` or `C|`: on Windows the name of a drive, and a URL never goes above a drive. */
static bool is_drive(struct xylem_view segment)
{
    char letter = segment.bytes == 2 ? (char)(segment.data[0] | 0x20) : '\0';
    return letter >= 'a' && letter <= 'z' && (segment.data[1] == ':' || segment.data[1] == '|');
}

/* Removes the last segment, which may be empty. A decoded segment has no slash. */
static void remove_segment(struct xylem_buffer *path)
{
    while (path->bytes > 0 && path->data[path->bytes - 1] != '/') {
        path->bytes--;
    }
    path->bytes -= path->bytes > 0;
}

/* Appends the path of the text behind the host: empty, or `/` and more. */
static int add_url_path(struct xylem_buffer *path, struct xylem_view text, struct xylem_error *err)
{
    size_t at = 0;
    while (at < text.bytes) {
        size_t start = ++at; /* behind the slash */
        while (at < text.bytes && text.data[at] != '/') {
            at++;
        }
        struct xylem_view segment = {text.data + start, at - start};
        size_t dots = dot_count(segment);
        if (dots == 2) {
            remove_segment(path);
        } else if (dots == 0) {
            if (path->bytes == 0 && is_drive(segment)) {
                return xylem_base__fail(err, XYLEM_E_MALFORMED, "path: a file URL must not begin at a drive");
            }
            int code = add_segment(path, segment, err);
            if (code < 0) {
                return code;
            }
        }
    }
    return xylem_buffer_add(path, "/", 1) < 0 ? xylem_base__fail_memory(err) : 0; /* an empty path is the root */
}

/*
 * Rule 4: the path of a URL, without its `file://`. The bytes that a reader of URLs drops are left out, `\` becomes `/`,
 * and the URL ends at the query.
 */
static int expand_url(struct xylem_buffer *path, struct xylem_view text, struct xylem_error *err)
{
    struct xylem_buffer url = {0};
    int code;
    while (text.bytes > 0 && (unsigned char)text.data[text.bytes - 1] <= 0x20) {
        text.bytes--;
    }
    for (size_t i = 0; i < text.bytes && text.data[i] != '?' && text.data[i] != '#'; i++) {
        char byte = text.data[i];
        if (byte != '\t' && byte != '\n' && byte != '\r' && xylem_buffer_add(&url, byte == '\\' ? "/" : &byte, 1) < 0) {
            code = xylem_base__fail_memory(err);
            goto out;
        }
    }
    const char *slash = url.bytes > 0 ? memchr(url.data, '/', url.bytes) : NULL;
    struct xylem_view host = {url.data, slash ? (size_t)(slash - url.data) : url.bytes};
    if (host.bytes > 0 && !xylem_base__view_is_name(host, "localhost")) {
        code = xylem_base__fail(err, XYLEM_E_MALFORMED, "path: expected no host in a file URL, found '%.*s'",
                                XYLEM_BASE__SHOWN(host));
        goto out;
    }
    code = add_url_path(path, (struct xylem_view){slash, url.bytes - host.bytes}, err);
out:
    xylem_buffer_release(&url);
    return code;
}

/* --- The key ------------------------------------------------------------------------------------------------------ */

/* Rules 3 to 5. */
static int expand(struct xylem_buffer *path, struct xylem_view text, const char *cwd, const char *home,
                  struct xylem_error *err)
{
    const struct xylem_view url = XYLEM_BASE__LITERAL("file://");
    const char *before = "";
    if (xylem_base__view_begins(text, XYLEM_BASE__LITERAL("~")) && (text.bytes == 1 || text.data[1] == '/')) {
        if (!home || !*home) {
            return xylem_base__fail(err, XYLEM_E_MALFORMED, "path: no home directory is known for '~'");
        }
        before = home;
        text.data++;
        text.bytes--;
    } else if (xylem_base__view_begins(text, url)) {
        return expand_url(path, (struct xylem_view){text.data + url.bytes, text.bytes - url.bytes}, err);
    }
    bool absolute = *before ? *before == '/' : xylem_base__view_begins(text, XYLEM_BASE__LITERAL("/"));
    if ((!absolute && (xylem_base__buffer_add_text(path, cwd) < 0 || xylem_buffer_add(path, "/", 1) < 0)) ||
        xylem_base__buffer_add_text(path, before) < 0 ||
        (text.bytes > 0 && xylem_buffer_add(path, text.data, text.bytes) < 0)) {
        return xylem_base__fail_memory(err);
    }
    return 0;
}

/* Rule 6. `path` is absolute. */
static int resolve(struct xylem_buffer *key, struct xylem_view path)
{
    for (size_t at = 0; at < path.bytes;) {
        size_t start = ++at;
        while (at < path.bytes && path.data[at] != '/') {
            at++;
        }
        struct xylem_view name = {path.data + start, at - start};
        if (xylem_base__view_is(name, "..")) {
            remove_segment(key);
        } else if (name.bytes > 0 && !xylem_base__view_is(name, ".") &&
                   (xylem_buffer_add(key, "/", 1) < 0 || xylem_buffer_add(key, name.data, name.bytes) < 0)) {
            return XYLEM_E_MEMORY;
        }
    }
    return key->bytes == 0 ? xylem_buffer_add(key, "/", 1) : 0;
}

int xylem_path_key(struct xylem_buffer *key, struct xylem_view input, const char *cwd, const char *home,
                   struct xylem_error *err)
{
    struct xylem_buffer text = {0};
    struct xylem_buffer path = {0};
    int code = 0;
    if (!key || xylem_base__view_lacks_bytes(input)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "path: a place for the key or the bytes of the path are missing");
    }
    xylem_base__buffer_clear(key);
    if (!cwd || cwd[0] != '/') {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "cwd: expected an absolute path, found '%s'", cwd ? cwd : "");
    }
    if (input.bytes > 0 && memchr(input.data, '\0', input.bytes)) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED, "path: it has a NUL byte");
    }
    if (clean(&text, input) < 0) {
        code = xylem_base__fail_memory(err);
        goto out;
    }
    struct xylem_view cleaned = xylem_base__buffer_view(&text);
    if (xylem_base__view_begins(cleaned, XYLEM_BASE__LITERAL("@"))) {
        cleaned.data++;
        cleaned.bytes--;
    }
    if ((code = expand(&path, cleaned, cwd, home, err)) < 0) {
        goto out;
    }
    if (resolve(key, xylem_base__buffer_view(&path)) < 0 || xylem_base__buffer_reserve(key, 0) < 0) {
        code = xylem_base__fail_memory(err);
    } else if (key->bytes > XYLEM_PATH_BYTES_MAX) {
        code = xylem_base__fail(err, XYLEM_E_LIMIT, "path: it has %zu bytes; the limit is %u", key->bytes,
                                XYLEM_PATH_BYTES_MAX);
    } else {
        key->data[key->bytes] = '\0'; /* names were removed */
    }
out:
    if (code < 0) {
        xylem_base__buffer_clear(key);
    }
    xylem_buffer_release(&text);
    xylem_buffer_release(&path);
    return code;
}
