#include "base/error.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define XYLEM_CODE_TEXT_ROW(name, value, text) \
    case name:                                 \
        return text;
#define XYLEM_CODE_NAME_ROW(name, value, text) \
    case name:                                 \
        return #name;

const char *xylem_code_text(int code)
{
    switch (code) {
        XYLEM_CODE_LIST(XYLEM_CODE_TEXT_ROW)
    default:
        return "unknown code";
    }
}

const char *xylem_code_name(int code)
{
    switch (code) {
        XYLEM_CODE_LIST(XYLEM_CODE_NAME_ROW)
    default:
        return "unknown";
    }
}

const char *xylem_version(void)
{
    return XYLEM_VERSION;
}

/* Copies `raw` to `text`, with control characters as \xNN. Stops before the first character that does not fit. */
static void copy_escaped(char *text, size_t capacity, const char *raw)
{
    size_t used = 0;
    size_t left = strlen(raw);
    while (left > 0) {
        size_t bytes = xylem_base__utf8_shown_bytes(raw, left);
        size_t want = bytes > 0 ? bytes : 4;
        if (used + want + 1 > capacity) {
            break;
        }
        if (bytes > 0) {
            memcpy(text + used, raw, bytes);
        } else {
            snprintf(text + used, 5, "\\x%02x", (unsigned)(unsigned char)*raw);
            bytes = 1;
        }
        used += want;
        raw += bytes;
        left -= bytes;
    }
    text[used] = '\0';
}

int xylem_base__fail(struct xylem_error *err, int code, const char *format, ...)
{
    if (err) {
        char raw[XYLEM_ERROR_TEXT_BYTES];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(raw, sizeof raw, format, arguments);
        va_end(arguments);
        err->code = code;
        copy_escaped(err->text, sizeof err->text, raw);
    }
    return code;
}

int xylem_base__check_abi(uint32_t abi, struct xylem_error *err)
{
    if (abi != XYLEM_ABI) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "the caller has binary interface %" PRIu32 ", libxylem " XYLEM_VERSION
                                " has %d: compile the caller with the headers of the installed library",
                                abi, XYLEM_ABI);
    }
    return 0;
}

int xylem_base__fail_memory(struct xylem_error *err)
{
    return xylem_base__fail(err, XYLEM_E_MEMORY, "out of memory");
}

const char *xylem_base__errno_text(int errnum)
{
    /* In glibc and musl this locale is a static object, without an allocation. */
    locale_t english = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (english == (locale_t)0) {
        return "unknown error";
    }
    const char *text = strerror_l(errnum, english);
    freelocale(english);
    return text ? text : "unknown error";
}

int xylem_base__fail_errno(struct xylem_error *err, int errnum, const char *what, const char *path)
{
    bool no_space = errnum == ENOSPC || errnum == EDQUOT || errnum == EFBIG;
    int code = no_space ? XYLEM_E_NO_SPACE : errnum == ENOMEM ? XYLEM_E_MEMORY : XYLEM_E_IO;
    return xylem_base__fail(err, code, "%s %s: %s", what, path, xylem_base__errno_text(errnum));
}

int xylem_base__shown_bytes(struct xylem_view view)
{
    return view.bytes > 200 ? 200 : (int)view.bytes;
}

const char *xylem_base__shown(struct xylem_view view)
{
    return view.data ? view.data : "";
}
