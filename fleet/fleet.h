/*
 * fleet/ lets sessions outlive their machine: it ships the changes of a store's sessions to an engine that all hosts share,
 * and takes sessions of other hosts into the store. fleet/ is a library of its own, libxylem-fleet.a, beside libxylem.
 * fleet/ uses the public headers and base/, and repeats no rule of the library. ship.c, pull.c and promotion.c decide; they
 * do no I/O and read no clock, so that a simulation runs the same code. Only postgres.c includes libpq-fe.h.
 * Begin reading at engine.h, which has the requests, then ship.h, then shipper.c, which does what ship.c decides.
 * Other rooms may include: archive.h claim.h cluster.h config.h directory.h news.h postgres.h puller.h shipper.h verify.h wait.h
 */
#ifndef FLEET_FLEET_H
#define FLEET_FLEET_H

#endif
