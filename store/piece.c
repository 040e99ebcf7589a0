/* Sizes the pieces of a long write by the time that each piece holds the lock. */
#include <time.h>

#include "base/clock.h"
#include "store/store.h"

#define BYTES_FIRST (UINT64_C(4) << 20) /* of the first piece: nothing is known of the disk yet */
#define REST_MS 5                       /* between two pieces */
#define BYTES_MIN (UINT64_C(1) << 16)

void xylem_store__piece_begin(struct xylem_store__piece *piece)
{
    piece->begun_ms = xylem_base__steady_ms();
    piece->bytes = piece->bytes > 0 ? piece->bytes : BYTES_FIRST;
}

bool xylem_store__piece_full(const struct xylem_store__piece *piece, uint64_t bytes)
{
    return bytes >= piece->bytes_max ||
           (piece->begun_ms != 0 &&
            (bytes >= piece->bytes || xylem_base__steady_ms() - piece->begun_ms >= XYLEM_STORE__FILL_MS));
}

void xylem_store__piece_end(struct xylem_store__piece *piece, uint64_t bytes)
{
    static const struct timespec rest = {.tv_nsec = REST_MS * 1000000};
    int64_t held_ms = xylem_base__steady_ms() - piece->begun_ms;
    if (held_ms >=
        REST_MS) { /* the lock is not fair: without a rest the next piece is faster than a waiter that wakes up */
        nanosleep(&rest, NULL);
    }
    if (held_ms > XYLEM_STORE__HOLD_MS / 2) {
        uint64_t fits = bytes / (uint64_t)held_ms * (XYLEM_STORE__HOLD_MS / 2);
        piece->bytes = fits > BYTES_MIN ? fits : BYTES_MIN;
    } else if (bytes >= piece->bytes / 2 && piece->bytes < piece->bytes_max) {
        piece->bytes += piece->bytes / 4;
    }
}
