/* An entry with a payload in JSON, and no store. */
#ifndef XYLEM_TESTS_CLI_PAGE_ENTRY_OF_H
#define XYLEM_TESTS_CLI_PAGE_ENTRY_OF_H

#include "cli/page/page.h"
#include "store/format/hash.h"

static inline struct xylem_entry entry_of(const char *kind, struct xylem_view json)
{
    struct xylem_entry entry = {.id = xylem_view_of("8d16e680"),
                                .kind = {XYLEM_CLASS_HOST, xylem_view_of(kind)},
                                .time_ms = INT64_C(1795194000000),
                                .format = XYLEM_FORMAT_JSON,
                                .payload_bytes = (uint32_t)json.bytes};
    entry.unverified.payload = json.data;
    entry.unverified.payload_hash = xylem_format__hash(json);
    return entry;
}

#endif
