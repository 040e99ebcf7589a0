/* A path that a host holds: asks the host for an entry, and decodes the data of the entry. */
#include "base/error.h"
#include "base/json.h"
#include "replay/pieces.h"

int xylem_replay__held_next(struct xylem_replay__held *held, struct xylem_error *err)
{
    struct xylem_held_entry given = {0};
    if (!held->next) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a rehydration from held entries needs a function for entries");
    }
    int found = held->next(held->context, &given);
    if (found < 0) {
        return xylem_base__fail(err, found, "the host gives no entry: %s", xylem_code_text(found));
    }
    if (found == 0) {
        return 0;
    }
    if (found > 1) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "held entry: expected the answer 0 or 1, found %d", found);
    }
    if ((unsigned)given.kind.kind_class > XYLEM_CLASS_CUSTOM) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "held entry: the class of its kind is %d; expected %d (host) or %d (custom)",
                                (int)given.kind.kind_class, (int)XYLEM_CLASS_HOST, (int)XYLEM_CLASS_CUSTOM);
    }
    if (xylem_base__view_lacks_bytes(given.id) || xylem_base__view_lacks_bytes(given.kind.name) ||
        xylem_base__view_lacks_bytes(given.data)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "held entry: a view has a length, but no bytes");
    }
    held->data = given.data;
    held->entry = (struct xylem_entry){.id = given.id,
                                       .kind = given.kind,
                                       .lsn = held->entry.lsn - 1,
                                       .format = given.data.data ? XYLEM_FORMAT_JSON : XYLEM_FORMAT_NONE,
                                       .payload_bytes = (uint32_t)given.data.bytes};
    return 1;
}

int xylem_replay__held_decode(struct xylem_base__tree *tree, const struct xylem_replay__held *held,
                              struct xylem_error *err)
{
    xylem_base__tree_clear(tree);
    if (held->data.bytes > XYLEM_PAYLOAD_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "the data has %zu bytes; the limit is %u", held->data.bytes,
                                XYLEM_PAYLOAD_BYTES_MAX);
    }
    return held->data.data ? xylem_base__json_parse(tree, held->data, err) : XYLEM_OK;
}
