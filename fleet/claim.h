/*
 * Taking a session over: look, claim, and once more after an unknown outcome. No I/O, no clock. The token tells a claimer
 * whether it won itself, so a claim may be sent any number of times.
 */
#ifndef FLEET_CLAIM_H
#define FLEET_CLAIM_H

#include "fleet/engine.h"

#define FLEET_HEARD_MS 60000u /* an owner that was heard from within this time is taken over with `force` alone */

enum fleet_claim_act {
    FLEET_CLAIM_ROW,     /* submit ROW */
    FLEET_CLAIM_SEND,    /* submit CLAIM with claim->seen */
    FLEET_CLAIM_WAIT,    /* an answer is on its way */
    FLEET_CLAIM_WON,     /* claim->epoch; what the claim's answer shows is acknowledged */
    FLEET_CLAIM_LOST,    /* another claimer was faster; the row is theirs: fleet_claim_begin() to try again */
    FLEET_CLAIM_LIVES,   /* the owner was heard from: `force` is needed */
    FLEET_CLAIM_MISSING, /* no such session */
    FLEET_CLAIM_FREED    /* its owner freed the session */
};

struct fleet_claim {
    bool force;
    bool asked;
    bool doubted; /* an outcome was unknown */
    /*
     * The epoch of the session in the store, set by the caller; 0: not there. An engine that came back from a backup may
     * have a smaller one, which the store would refuse: the claim goes on until the store can take its epoch.
     */
    uint64_t known;
    uint64_t seen;  /* the epoch that the claim replaces */
    uint64_t epoch; /* of the won claim */
    enum fleet_claim_act act;
};

void fleet_claim_begin(struct fleet_claim *claim, bool force);
enum fleet_claim_act fleet_claim_next(const struct fleet_claim *claim);
void fleet_claim_sent(struct fleet_claim *claim);
void fleet_claim_answer(struct fleet_claim *claim, const struct fleet_answer *answer);

#endif
