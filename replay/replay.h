/*
 * replay/ brings state back: a driver shows each reducer the entries of its kinds on a path, newest to oldest, and the
 * pieces of the state are made of what the reducers found.
 * It writes nothing, and knows no host: events come in, a state goes out.
 * Begin reading at reduce.c (the driver), then rehydrate.c and one piece: readonly.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
#ifndef XYLEM_REPLAY_REPLAY_H
#define XYLEM_REPLAY_REPLAY_H

#endif
