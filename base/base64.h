/* Bytes as text: base64 of RFC 4648, with padding. */
#ifndef XYLEM_BASE_BASE64_H
#define XYLEM_BASE_BASE64_H

#include <stdbool.h>

#include "xylem/base.h"

/* Appends the text of the bytes. 0 or XYLEM_E_MEMORY. */
int xylem_base__base64_add(struct xylem_buffer *out, struct xylem_view bytes);
/* Appends the bytes of a text. MALFORMED: a text that xylem_base__base64_add() does not write. MEMORY. */
int xylem_base__base64_read(struct xylem_buffer *out, struct xylem_view text);

#endif
