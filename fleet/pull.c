#include "fleet/pull.h"

void fleet_pull_begin(struct fleet_pull *pull, uint64_t have, uint64_t chain)
{
    *pull = (struct fleet_pull){.have = have, .chain = chain, .found = FLEET_PULL_READ};
}

enum fleet_pull_act fleet_pull_next(const struct fleet_pull *pull)
{
    return pull->asked ? FLEET_PULL_WAIT : pull->found;
}

void fleet_pull_sent(struct fleet_pull *pull)
{
    pull->asked = true;
}

/* Where the store stands beside the row; `more`: what is missing. */
static enum fleet_pull_act beside_row(const struct fleet_pull *pull, enum fleet_pull_act more)
{
    if (pull->next != pull->have + 1) {
        return pull->next > pull->have ? more : FLEET_PULL_COMPARE;
    }
    return pull->last == pull->chain ? FLEET_PULL_CURRENT : FLEET_PULL_DIVERGED;
}

void fleet_pull_answer(struct fleet_pull *pull, const struct fleet_answer *answer)
{
    const struct fleet_row *row = answer->row_count == 1 ? answer->rows : NULL;
    pull->asked = false;
    if (answer->outcome == FLEET_NO) {
        pull->found = FLEET_PULL_MISSING;
        return;
    }
    if (answer->outcome != FLEET_DONE || !row || row->next == 0 || row->next > FLEET_ORDINAL_MAX) {
        return;
    }
    pull->next = row->next;
    pull->last = row->chain;
    pull->epoch = row->epoch;
    if (row->freed) {
        pull->found = FLEET_PULL_FREED;
    } else if (row->epoch < pull->kept) {
        pull->found = row->next > pull->have ? FLEET_PULL_BEHIND : FLEET_PULL_COMPARE;
    } else if (answer->piece_count == 0) {
        pull->found = beside_row(pull, FLEET_PULL_GAP);
    }
}

enum fleet_pull_act fleet_pull_piece(struct fleet_pull *pull, const struct fleet_piece *piece)
{
    if (pull->found == FLEET_PULL_FREED) { /* the remains, and pieces that are there no more in the next read */
        return piece->from == 0 ? FLEET_PULL_APPLY : FLEET_PULL_SKIP;
    }
    if (pull->found != FLEET_PULL_READ) {
        return FLEET_PULL_SKIP;
    }
    if (piece->from == 0 || piece->to <= piece->from || piece->from > pull->have + 1 || piece->to > pull->next) {
        pull->found = FLEET_PULL_GAP;
        return FLEET_PULL_GAP;
    }
    return piece->to > pull->have + 1 ? FLEET_PULL_APPLY : FLEET_PULL_SKIP;
}

void fleet_pull_applied(struct fleet_pull *pull, uint64_t count, uint64_t chain, bool conflict)
{
    if (pull->found != FLEET_PULL_READ) {
        return;
    }
    if (conflict) {
        pull->found = FLEET_PULL_DIVERGED;
    } else if (count <= pull->have) {
        pull->found = FLEET_PULL_GAP;
    } else {
        pull->have = count;
        pull->chain = chain;
        pull->kept = pull->epoch;
        pull->found = beside_row(pull, FLEET_PULL_READ);
    }
}

void fleet_pull_compared(struct fleet_pull *pull, bool is_equal)
{
    if (pull->found == FLEET_PULL_COMPARE) {
        pull->found = is_equal ? FLEET_PULL_BEHIND : FLEET_PULL_DIVERGED;
    }
}

bool fleet_pull_stands(const struct fleet_pull *pull, uint64_t epoch)
{
    return pull->kept <= epoch && pull->epoch <= epoch;
}
