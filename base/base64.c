#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int xylem_base__base64_add(struct xylem_buffer *out, struct xylem_view bytes)
{
    const unsigned char *data = (const unsigned char *)bytes.data;
    int code = XYLEM_OK;
    for (size_t i = 0; code == XYLEM_OK && i < bytes.bytes; i += 3) {
        size_t left = bytes.bytes - i;
        unsigned group =
            (unsigned)data[i] << 16 | (left > 1 ? (unsigned)data[i + 1] << 8 : 0) | (left > 2 ? data[i + 2] : 0);
        const char four[] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                             left > 2 ? digits[group & 63] : '='};
        code = xylem_buffer_add(out, four, sizeof four);
    }
    return code;
}

/* Four digits, of which the last two may be padding at the end of the text. */
int xylem_base__base64_read(struct xylem_buffer *out, struct xylem_view text)
{
    int code = text.bytes % 4 == 0 ? XYLEM_OK : XYLEM_E_MALFORMED;
    for (size_t i = 0; code == XYLEM_OK && i < text.bytes; i += 4) {
        uint32_t group = 0;
        size_t count = 4;
        while (i + 4 == text.bytes && count > 2 && text.data[i + count - 1] == '=') {
            count--;
        }
        for (size_t j = 0; j < 4; j++) {
            const char *digit = j < count ? memchr(digits, text.data[i + j], sizeof digits - 1) : digits;
            if (!digit) {
                return XYLEM_E_MALFORMED;
            }
            group = group << 6 | (uint32_t)(digit - digits);
        }
        const unsigned char three[] = {(unsigned char)(group >> 16), (unsigned char)(group >> 8), (unsigned char)group};
        bool rest = (count < 4 && three[2] != 0) || (count < 3 && three[1] != 0); /* bits that no byte takes */
        code = rest ? XYLEM_E_MALFORMED : xylem_buffer_add(out, three, count - 1);
    }
    return code;
}
