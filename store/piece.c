/* Writes in pieces, and sizes the pieces by the time that each of them holds the lock. */
#include <time.h>

#include "base/clock.h"
#include "store/store.h"

#define BYTES_FIRST (UINT64_C(1) << 20) /* of the first piece: nothing is known of the disk yet */
#define BYTES_MIN (UINT64_C(1) << 16)
#define REST_MS 5 /* between two pieces */
/* What a piece should take: the next one is half as large again, and a disk is not always as fast as before. */
#define AIM_MS (XYLEM_STORE__HOLD_MS / 3)

void xylem_store__piece_begin(struct xylem_store__piece *piece)
{
    piece->begun_ms = xylem_base__steady_ms();
    piece->bytes = piece->bytes > 0 ? piece->bytes : BYTES_FIRST;
    piece->written = 0;
}

bool xylem_store__piece_full(const struct xylem_store__piece *piece)
{
    bool limited = piece->bytes_max > 0 && piece->written >= piece->bytes_max;
    bool timed = piece->begun_ms != 0 && piece->written > 0;
    return limited || (timed && (piece->written >= piece->bytes ||
                                 xylem_base__steady_ms() - piece->begun_ms >= XYLEM_STORE__FILL_MS));
}

struct writing {
    struct xylem_store__piece *piece;
    int (*write)(struct xylem_txn *txn, void *context, struct xylem_error *err);
    void *context;
    int result;
};

static int write_once(struct xylem_txn *txn, void *context, struct xylem_error *err)
{
    struct writing *writing = context;
    xylem_store__piece_begin(writing->piece);
    writing->result = writing->write(txn, writing->context, err);
    writing->piece->again = true;
    return writing->result;
}

int xylem_store__write_piece(struct xylem_store__piece *piece, struct xylem_store *store,
                             int (*write)(struct xylem_txn *txn, void *context, struct xylem_error *err), void *context,
                             struct xylem_error *err)
{
    static const struct timespec rest = {.tv_nsec = REST_MS * 1000000};
    struct writing writing = {piece, write, context, 0};
    piece->again = false;
    int code = xylem_store__in_transaction(store, write_once, &writing, err);
    if (code < 0) {
        return code;
    }
    int64_t held_ms = xylem_base__steady_ms() - piece->begun_ms;
    if (held_ms >= REST_MS) {
        nanosleep(&rest, NULL); /* the lock is not fair: without a rest the next piece comes before a waiter wakes up */
    }
    if (held_ms > AIM_MS) { /* the lock was held for too long: the next piece is smaller */
        uint64_t fits = piece->written / (uint64_t)held_ms * AIM_MS;
        piece->bytes = fits > BYTES_MIN ? fits : BYTES_MIN;
    } else if (piece->written >= piece->bytes / 2) {
        piece->bytes += piece->bytes / 2;
    }
    return writing.result;
}
