/* The kinds of the entries that the pieces of a state are made of, by number. */
#ifndef XYLEM_FUZZ_KINDS_H
#define XYLEM_FUZZ_KINDS_H

#include "tests/fuzz/scratch.h"
#include "xylem/state.h"

/*
 * The kind of that number, alive for the whole program. The first six are of readonly, nudge and sequence, then come
 * `message` and `other`, and behind them the kinds of every piece that was added since: so old inputs mean what they
 * did.
 */
static inline struct xylem_kind fuzz_kind(unsigned number)
{
    struct xylem_buffer storage = {NULL, 0, 0};
    struct xylem_kind kind = {number == 6 ? XYLEM_CLASS_HOST : XYLEM_CLASS_CUSTOM,
                              xylem_view_of(number == 6 ? "message" : "other")};
    const char *const *texts;
    unsigned wanted = number < 6 ? number : number - 2;
    unsigned count = 0;
    for (unsigned piece = 1; number != 6 && number != 7 && (texts = xylem_state_kinds(piece)); piece <<= 1) {
        for (; *texts; texts++) {
            if (count++ == wanted) {
                must(xylem_kind_parse(&kind, &storage, xylem_view_of(*texts), NULL) == XYLEM_OK, "no kind");
                must(!storage.data, "a kind of an extension needs no copy");
            }
        }
    }
    return kind;
}

#endif
