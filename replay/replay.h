/*
 * replay/ reads state back from a path: a driver shows each reducer the entries of its kinds, newest to oldest, and
 * rehydration makes the pieces of the state from the results of the reducers.
 * The room writes nothing and knows no host: an event comes in, a state goes out.
 * Begin reading at reduce.c (the driver), then rehydrate.c and one piece: readonly.c.
 * Other rooms may include: visit.h words.h
 */
#ifndef XYLEM_REPLAY_REPLAY_H
#define XYLEM_REPLAY_REPLAY_H

#endif
