/* A pull that a ship drives beside its own requests. Private to puller.c, shipper.c and land.c. */
#ifndef FLEET_HAUL_H
#define FLEET_HAUL_H

#include "fleet/puller.h"
#include "fleet/traffic.h"

/*
 * As fleet_puller_new(), but the requests go through the traffic of the caller, who hands the answers on.
 */
int fleet_puller_new_beside(struct fleet_puller **puller, struct xylem_store *store, struct fleet_traffic *traffic,
                            const struct fleet_puller_options *options, struct xylem_error *err);
/* The answer to a request that the puller sent. */
int fleet_puller_answer(struct fleet_puller *puller, void *job, const struct fleet_answer *answer,
                        struct xylem_error *err);
/* Sends what can be sent. */
int fleet_puller_work(struct fleet_puller *puller, struct xylem_error *err);
/* 1: the pull of the session goes on; 0: it ended, or never began; -1: it ended without all changes. Forgets an end. */
int fleet_puller_works(struct fleet_puller *puller, struct xylem_view session);

#endif
