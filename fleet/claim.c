#include "fleet/claim.h"

void fleet_claim_begin(struct fleet_claim *claim, bool force)
{
    *claim = (struct fleet_claim){.force = force, .act = FLEET_CLAIM_ROW};
}

enum fleet_claim_act fleet_claim_next(const struct fleet_claim *claim)
{
    return claim->asked ? FLEET_CLAIM_WAIT : claim->act;
}

void fleet_claim_sent(struct fleet_claim *claim)
{
    claim->asked = true;
}

/* The row is a hint: what it shows may be lost with its node, and then the claim finds another epoch. */
static void seen(struct fleet_claim *claim, const struct fleet_row *row)
{
    claim->act = FLEET_CLAIM_SEND;
    claim->seen = row->epoch;
    if (row->freed) {
        claim->act = FLEET_CLAIM_FREED;
    } else if (row->mine && !row->unowned) { /* an own claim won: the same claim once more acknowledges that */
        claim->seen = row->epoch > 0 ? row->epoch - 1 : 0;
    } else if (!row->unowned && !claim->force && row->silent_ms < FLEET_HEARD_MS) {
        claim->act = FLEET_CLAIM_LIVES;
    }
}

static void claimed(struct fleet_claim *claim, const struct fleet_row *row)
{
    if (row->epoch < claim->known && !row->freed) {
        claim->seen = row->epoch;
        return;
    }
    claim->act = row->freed ? FLEET_CLAIM_FREED : FLEET_CLAIM_WON;
    claim->epoch = row->epoch;
}

/* After an unknown outcome the same claim is sent again: a look could miss a claim that arrives late. */
void fleet_claim_answer(struct fleet_claim *claim, const struct fleet_answer *answer)
{
    const struct fleet_row *row = answer->row_count == 1 ? answer->rows : NULL;
    bool is_done = answer->outcome == FLEET_DONE && row && row->epoch < FLEET_ORDINAL_MAX;
    claim->asked = false;
    if (answer->ask == FLEET_ROW && claim->act == FLEET_CLAIM_ROW) {
        if (is_done) {
            seen(claim, row);
        } else if (answer->outcome == FLEET_NO) {
            claim->act = FLEET_CLAIM_MISSING;
        }
    } else if (answer->ask == FLEET_CLAIM && claim->act == FLEET_CLAIM_SEND) {
        claim->doubted = claim->doubted || answer->outcome == FLEET_UNKNOWN;
        if (is_done && row->mine && row->next > 0 && row->next <= FLEET_ORDINAL_MAX) {
            claimed(claim, row);
        } else if (answer->outcome == FLEET_NO || answer->outcome == FLEET_DONE) {
            claim->act = FLEET_CLAIM_LOST;
        }
    }
}
