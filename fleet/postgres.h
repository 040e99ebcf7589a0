/*
 * Connections to the nodes of a PostgreSQL cluster. postgres.c is the only file that includes libpq-fe.h.
 *
 * A URL names all nodes. Which of them takes writes is asked on each connection: all are asked, and of those that take
 * writes the one of the highest timeline is taken, since an old primary that came back takes writes, too, and acknowledges
 * nothing (libpq's target_session_attrs would go there if it stood first).
 */
#ifndef FLEET_POSTGRES_H
#define FLEET_POSTGRES_H

#include "fleet/engine.h"

#define FLEET_CONNECT_MS 3000u /* for a silent node; the deadline of a request must be longer */

/* --- Where ---------------------------------------------------------------------------------------------------------- */

/* The nodes of a URL (`postgresql://n1:5432,n2:5433/xylem?...`), and what every connection has. */
struct fleet_nodes;
/*
 * Errors:
 * - ARGUMENT: no URL that libpq understands, or a URL with a password in it (~/.pgpass has passwords)
 * - MEMORY
 */
int fleet_nodes_new(struct fleet_nodes **nodes, const char *url, struct xylem_error *err);
size_t fleet_nodes_count(const struct fleet_nodes *nodes);
/* `HOST:PORT`, for people. */
const char *fleet_nodes_name(const struct fleet_nodes *nodes, size_t at);
const char *fleet_nodes_host(const struct fleet_nodes *nodes, size_t at);
const char *fleet_nodes_port(const struct fleet_nodes *nodes, size_t at);
void fleet_nodes_free(struct fleet_nodes *nodes);

/* --- One connection, one statement after the other (cluster.c) ------------------------------------------------------ */

struct fleet_sql;
struct fleet_sql_rows; /* texts in rows and columns */

/* Waits FLEET_CONNECT_MS at most. IO: the node does not answer, or refuses; the text is libpq's first line. */
int fleet_sql_open(struct fleet_sql **sql, const struct fleet_nodes *nodes, size_t at, struct xylem_error *err);
/*
 * The writable node of the highest timeline. `at` (may be NULL): which.
 *
 * Errors:
 * - IO: no node takes writes, or two do on one timeline; the text says what each node said
 */
int fleet_sql_open_writable(struct fleet_sql **sql, const struct fleet_nodes *nodes, size_t *at,
                            struct xylem_error *err);
/*
 * Runs one statement, or with no parameters several; waits `deadline_ms` at most, and closes the connection then.
 * `parameters` are texts, NULL for null. `rows` may be NULL.
 *
 * Errors:
 * - IO: the connection broke, or the deadline passed: the outcome of a statement that writes is unknown
 * - CONFLICT: the server refused; `fleet_sql_state()` has the SQLSTATE
 * - OUTCOME_UNKNOWN: a warning came with the commit
 */
int fleet_sql_run(struct fleet_sql *sql, struct fleet_sql_rows **rows, const char *statement,
                  const char *const *parameters, size_t parameter_count, unsigned deadline_ms, struct xylem_error *err);
const char *fleet_sql_state(const struct fleet_sql *sql); /* of the last refusal; "" */
/* `hear` gets each message that is neither an answer nor a warning, such as those of VACUUM VERBOSE. `detail` may be NULL. */
typedef void fleet_sql_hear(void *context, const char *text, const char *detail);
void fleet_sql_listen(struct fleet_sql *sql, fleet_sql_hear *hear, void *context);
void fleet_sql_close(struct fleet_sql *sql);

size_t fleet_sql_row_count(const struct fleet_sql_rows *rows);
/* The text of a cell; NULL for null. Lives as long as the rows. */
const char *fleet_sql_cell(const struct fleet_sql_rows *rows, size_t row, size_t column);
void fleet_sql_rows_free(struct fleet_sql_rows *rows);

/* --- The engine (engine_postgres.c) --------------------------------------------------------------------------------- */

struct fleet_postgres_options {
    bool allow_single;    /* a cluster without a list of standbys, or with fsync off, is taken as well */
    unsigned connections; /* 0: 4 */
};

/*
 * Connects, and checks: the schema of `fleet init` and its version; unless allow_single, that the list of standbys forces a
 * flush on another node, and fsync. The same is checked at each later connection after a doubt. `nodes` must live as long
 * as the engine. After the opening nothing waits for a node, but names of hosts are looked up.
 *
 * Errors:
 * - IO: no node that takes writes answers
 * - NOT_FOUND: the database has no schema of `fleet init`
 * - TOO_NEW: the schema is of a newer xylem-fleet
 * - CONFLICT: the cluster acknowledges on one node alone
 * - MEMORY
 */
int fleet_engine_postgres(struct fleet_engine **engine, const struct fleet_nodes *nodes,
                          const struct fleet_postgres_options *options, struct xylem_error *err);

#endif
