/*
 * What engine_postgres.c needs of a connection beyond postgres.h: statements that nobody waits for, and bytes as
 * parameters and results. Nothing here waits, but for the look-up of a host's name.
 */
#ifndef FLEET_WIRE_H
#define FLEET_WIRE_H

#include "fleet/postgres.h"

/* --- One connection ------------------------------------------------------------------------------------------------- */

enum fleet_wire_phase {
    FLEET_WIRE_CONNECTING, /* FLEET_CONNECT_MS at most, with the next one and the hello */
    FLEET_WIRE_ASKING,     /* what the node is */
    FLEET_WIRE_BUSY,       /* a statement is on its way */
    FLEET_WIRE_IDLE,       /* takes a statement */
    FLEET_WIRE_ANSWERED,   /* fleet_wire_take() */
    FLEET_WIRE_BROKEN      /* fleet_wire_take() says why */
};

/*
 * Begins to connect to a node. `hello` (NULL: none) is sent as the first statements, as texts, to a node that takes writes:
 * their answer waits when the connection is open.
 */
int fleet_wire_start(struct fleet_sql **sql, const struct fleet_nodes *nodes, size_t at, const char *hello,
                     struct xylem_error *err);
/* Does what can be done without waiting. */
enum fleet_wire_phase fleet_wire_step(struct fleet_sql *sql);
/* The socket, -1: none; and the events of poll(2) to wait for. The socket may change with each step. */
int fleet_wire_fd(const struct fleet_sql *sql, short *events);
/* True: the connection opens, and breaks by itself if that takes too long; so fleet_wire_step() must be called. */
bool fleet_wire_opens(const struct fleet_sql *sql);
/* The timeline on which the node of an open connection takes writes; 0: it takes none. */
uint64_t fleet_wire_timeline(const struct fleet_sql *sql);

#define FLEET_WIRE_VALUES_MAX 16u

struct fleet_wire_value {
    bool is_number; /* a bigint; else bytes */
    uint64_t number;
    struct xylem_view bytes; /* data NULL: null */
};

/* Sends a statement that was prepared under the name; its answer has bytes. Of an idle connection. */
void fleet_wire_send(struct fleet_sql *sql, const char *name, const struct fleet_wire_value *values, size_t count);
/* The answer of an ANSWERED connection, which is idle then. Codes and rows as fleet_sql_run(). */
int fleet_wire_take(struct fleet_sql *sql, struct fleet_sql_rows **rows, struct xylem_error *err);
/* A cell of such an answer. Data NULL for null, and where the answer has no such cell. */
struct xylem_view fleet_wire_cell(const struct fleet_sql_rows *rows, size_t row, size_t column);

/* --- The node that takes writes --------------------------------------------------------------------------------------- */

/* Begins to connect to all nodes. `each` has room for FLEET_NODES_MAX; with an error it is all NULL. */
int fleet_seek_start(struct fleet_sql **each, const struct fleet_nodes *nodes, const char *hello,
                     struct xylem_error *err);
/* One step of each connection that is there. True: each is open, or broken. */
bool fleet_seek_step(struct fleet_sql *const *each, size_t count);
/*
 * Behind the last step: the connection to the writable node of the highest timeline. All others are closed, also with an
 * error, and `each` is all NULL.
 *
 * Errors:
 * - IO: no node takes writes, or two do on one timeline; the text says what each node said
 */
int fleet_seek_take(struct fleet_sql **sql, size_t *at, struct fleet_sql **each, size_t count, struct xylem_error *err);

#endif
