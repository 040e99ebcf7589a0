/*
 * What engine_postgres.c needs of a connection beyond postgres.h: statements that nobody waits for, and bytes as
 * parameters and results. Nothing here waits, but for the look-up of a host's name.
 */
#ifndef FLEET_WIRE_H
#define FLEET_WIRE_H

#include "fleet/postgres.h"

/* --- One connection ------------------------------------------------------------------------------------------------- */

enum fleet_wire_phase {
    FLEET_WIRE_OPENING,  /* FLEET_CONNECT_MS at most */
    FLEET_WIRE_IDLE,     /* takes a statement */
    FLEET_WIRE_BUSY,     /* a statement is on its way */
    FLEET_WIRE_ANSWERED, /* fleet_wire_take() */
    FLEET_WIRE_BROKEN    /* fleet_wire_why() */
};

/* Begins to connect to a node. */
int fleet_wire_start(struct fleet_sql **sql, const struct fleet_nodes *nodes, size_t at, struct xylem_error *err);
/* Does what can be done without waiting. */
enum fleet_wire_phase fleet_wire_step(struct fleet_sql *sql);
enum fleet_wire_phase fleet_wire_phase(const struct fleet_sql *sql);
/* The socket, -1: none; and the events of poll(2) to wait for. The socket may change with each step. */
int fleet_wire_fd(const struct fleet_sql *sql, short *events);
/* When an opening connection breaks, by xylem_base__steady_ms(). */
int64_t fleet_wire_deadline(const struct fleet_sql *sql);
/* Of a connection that was opened: whether the node takes writes, and on which timeline. */
bool fleet_wire_writable(const struct fleet_sql *sql, uint64_t *timeline);
/* Why a connection is broken. */
const char *fleet_wire_why(const struct fleet_sql *sql);

enum fleet_wire_type { FLEET_WIRE_BYTES, FLEET_WIRE_NUMBER, FLEET_WIRE_BOOL };

#define FLEET_WIRE_VALUES_MAX 16u

struct fleet_wire_value {
    enum fleet_wire_type type;
    struct xylem_view bytes; /* data NULL: null */
    uint64_t number;         /* as a bigint; or true and false */
};

/*
 * Sends a statement with bytes as parameters and results. The statement is prepared under its `name` once in a
 * connection. The bytes must live until the answer. Of an idle connection; a failure breaks the connection.
 */
void fleet_wire_send(struct fleet_sql *sql, const char *name, const char *statement,
                     const struct fleet_wire_value *values, size_t count);
/* The answer of an ANSWERED connection, which is idle then. Codes and rows as fleet_sql_run(). */
int fleet_wire_take(struct fleet_sql *sql, struct fleet_sql_rows **rows, struct xylem_error *err);

/* A cell of such an answer. Data NULL for null, and where the answer has no such cell. */
struct xylem_view fleet_wire_cell(const struct fleet_sql_rows *rows, size_t row, size_t column);

/* --- The node that takes writes --------------------------------------------------------------------------------------- */

/* Connections to all nodes at once. */
struct fleet_seek;
int fleet_seek_start(struct fleet_seek **seek, const struct fleet_nodes *nodes, struct xylem_error *err);
/* True: each node has answered, or will not. */
bool fleet_seek_step(struct fleet_seek *seek);
/* The connection to a node, of fleet_nodes_count(). */
struct fleet_sql *fleet_seek_connection(const struct fleet_seek *seek, size_t at);
/*
 * Behind the last step: the connection to the writable node of the highest timeline, which is the caller's then.
 * With 0 the text of `err` names nodes of an older timeline that take writes, too; else the text is empty.
 *
 * Errors:
 * - IO: no node takes writes, or two do on one timeline; the text says what each node said
 */
int fleet_seek_take(struct fleet_sql **sql, size_t *at, struct fleet_seek *seek, struct xylem_error *err);
void fleet_seek_free(struct fleet_seek *seek);

#endif
