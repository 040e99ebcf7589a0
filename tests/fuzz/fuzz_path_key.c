/* Any path of a tool call against the rules of keys: absolute, plain, within the limit, and the key of itself. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "xylem/reads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(bool right)
{
    if (!right) {
        abort();
    }
}

/* True for a text with a space of rule 1, or with a surrogate: the rules change such a key. */
static bool has_odd_character(const struct xylem_buffer *text)
{
    for (size_t at = 0; at < text->bytes;) {
        uint32_t code_point = 0;
        size_t used = xylem_base__wtf8_decode(&code_point, text->data + at, text->bytes - at);
        if (used > 1 &&
            (code_point == 0xA0 || (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x202F ||
             code_point == 0x205F || code_point == 0x3000 || (code_point >= 0xD800 && code_point <= 0xDFFF))) {
            return true;
        }
        at += used ? used : 1;
    }
    return false;
}

/* Absolute, without empty names, `.` and `..`. */
static void check_form(const struct xylem_buffer *key)
{
    must(key->bytes > 0 && key->bytes <= XYLEM_PATH_BYTES_MAX && key->data[0] == '/');
    must(strlen(key->data) == key->bytes);
    must(!strstr(key->data, "//") && !strstr(key->data, "/./") && !strstr(key->data, "/../"));
    const char *last = strrchr(key->data, '/') + 1;
    must((*last || key->bytes == 1) && strcmp(last, ".") != 0 && strcmp(last, "..") != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const homes[] = {"/home/ada", "rel/../home", "", NULL};
    struct xylem_error err = {0};
    struct xylem_buffer key = {0};
    struct xylem_buffer again = {0};
    const char *home = bytes > 0 ? homes[data[0] % 4] : NULL;
    struct xylem_view input = {(const char *)data + (bytes > 0), bytes - (bytes > 0)};
    int code = xylem_path_key(&key, input, "/srv/./dir//", home, &err);
    if (code < 0) {
        must(key.bytes == 0 && err.code == code && err.text[0]);
        must(code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT);
    } else {
        check_form(&key);
        if (!has_odd_character(&key)) {
            must(xylem_path_key(&again, (struct xylem_view){key.data, key.bytes}, "/elsewhere", "/other", &err) == 0);
            must(again.bytes == key.bytes && memcmp(again.data, key.data, key.bytes) == 0);
        }
    }
    xylem_buffer_release(&key);
    xylem_buffer_release(&again);
    return 0;
}
