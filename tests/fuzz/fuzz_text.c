/*
 * The readers of short texts: times, kinds, minted ids, and what of a text may be shown. What is read must come back.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/time.h"
#include "base/value.h"
#include "store/format/minted_id.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_time(struct xylem_view text)
{
    int64_t time_ms;
    int64_t again;
    char written[XYLEM_BASE__ISO_BYTES];
    if (xylem_base__time_read(&time_ms, text)) {
        struct xylem_view back = {written, xylem_base__time_write(written, time_ms)};
        if (!xylem_base__time_read(&again, back) || again != time_ms) {
            abort();
        }
    }
}

static void read_kind(struct xylem_view text)
{
    struct xylem_buffer storage = {NULL, 0, 0};
    struct xylem_buffer written = {NULL, 0, 0};
    struct xylem_kind kind;
    if (xylem_kind_parse(&kind, &storage, text, NULL) == XYLEM_OK && xylem_kind_text(&written, kind) == XYLEM_OK) {
        struct xylem_view back = {written.data, written.bytes};
        if (!xylem_base__view_equal(back, text)) {
            abort();
        }
    }
    xylem_buffer_release(&storage);
    xylem_buffer_release(&written);
}

static void read_minted(struct xylem_view text)
{
    char again[XYLEM_BASE__UUID_TEXT_BYTES];
    uint64_t lsn;
    uint64_t of_again;
    if (xylem_format__minted_lsn(&lsn, text)) {
        xylem_format__minted_id(again, 0, lsn, 0);
        if (!xylem_format__minted_lsn(&of_again, (struct xylem_view){again, sizeof again}) || of_again != lsn) {
            abort();
        }
    }
}

static void show(struct xylem_view text)
{
    struct xylem_error err;
    xylem_base__fail(&err, XYLEM_E_MALFORMED, "%.*s", xylem_base__shown_bytes(text), xylem_base__shown(text));
    for (const char *at = err.text; *at; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_view text = {(const char *)data, size};
    read_time(text);
    read_kind(text);
    read_minted(text);
    show(text);
    return 0;
}
