#include "store/format/format.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/error.h"

const char *xylem_format__table_name(enum xylem_format__table table)
{
#define NAME_ROW(constant, name) [constant] = name,
    static const char *const names[] = {XYLEM_FORMAT__TABLE_LIST(NAME_ROW)};
#undef NAME_ROW
    return names[table];
}

int xylem_format__format_encode(struct xylem_buffer *row, uint64_t features, uint64_t change_count)
{
    const uint64_t numbers[] = {features, change_count};
    int code = xylem_base__add_u32(row, XYLEM_FORMAT__FORMAT_VERSION);
    return code < 0 ? code : xylem_base__add_u64s(row, numbers, 2);
}

uint64_t xylem_format__format_change_count(struct xylem_view row)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    xylem_base__read_u32(&cursor);
    xylem_base__read_u64(&cursor);
    return xylem_base__read_u64(&cursor);
}

/* The way out of an older store, with the program that wrote it. */
static const char *way_out(uint32_t version)
{
    return version < 2
               ? "export each session with the program that wrote it (`xylem sessions | awk 'NR > 1 { print $1 }' | "
                 "while read -r s; do xylem export --with-quarantine -o \"$s.jsonl\" \"$s\"; done`), and import "
                 "the files into a new store; deleted sessions, navigations and notes of owners stay behind"
               : "export its sessions with the program that wrote it (`xylem export --all DIRECTORY`), and import "
                 "the directory with this program into a new store (`xylem -s NEW import DIRECTORY`)";
}

static int unknown_feature(const char *path, uint64_t features, struct xylem_error *err)
{
#define LATER_ROW(bit, what) {bit, what},
    static const struct {
        uint64_t bit;
        const char *what;
    } later[] = {XYLEM_FORMAT__FEATURE_LATER_LIST(LATER_ROW)};
#undef LATER_ROW
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        if (features & later[i].bit) {
            return xylem_base__fail(err, XYLEM_E_TOO_NEW,
                                    "%s has %s, which this library does not know: use a newer version of xylem", path,
                                    later[i].what);
        }
    }
    return xylem_base__fail(err, XYLEM_E_TOO_NEW,
                            "%s uses features 0x%" PRIx64
                            ", which this library does not know: use a newer version of xylem",
                            path, features);
}

int xylem_format__format_check(uint64_t *features, const char *path, struct xylem_view row, struct xylem_error *err)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(row.data, row.bytes);
    uint32_t version = xylem_base__read_u32(&cursor);
    uint64_t read = xylem_base__read_u64(&cursor);
    if (cursor.failed) {
        return xylem_base__fail(err, XYLEM_E_CORRUPT, "%s: the row %s of the table meta has %zu bytes", path,
                                XYLEM_FORMAT__META_FORMAT, row.bytes);
    }
    if (version < XYLEM_FORMAT__FORMAT_VERSION) {
        return xylem_base__fail(err, XYLEM_E_TOO_OLD,
                                "%s has format version %" PRIu32 ", and this library reads version %u: %s", path,
                                version, XYLEM_FORMAT__FORMAT_VERSION, way_out(version));
    }
    if (version > XYLEM_FORMAT__FORMAT_VERSION) {
        return xylem_base__fail(err, XYLEM_E_TOO_NEW,
                                "%s has format version %" PRIu32
                                ", and this library reads version %u: use a newer version of xylem",
                                path, version, XYLEM_FORMAT__FORMAT_VERSION);
    }
    if (read & ~XYLEM_FORMAT__FEATURES_KNOWN) {
        return unknown_feature(path, read & ~XYLEM_FORMAT__FEATURES_KNOWN, err);
    }
    *features = read;
    return XYLEM_OK;
}
