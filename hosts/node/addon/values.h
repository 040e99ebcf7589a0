/*
 * Carries values between JavaScript and C. A table of fields says where the values of an operation lie in its struct:
 *
 *     {"path", FIELD_NAME, AT(open_call, path)}
 *
 * The same kinds of tables read arguments and members of arguments, and make answers.
 */
#ifndef XYLEM_NODE_VALUES_H
#define XYLEM_NODE_VALUES_H

#include <stddef.h>

#include "xylem/base.h"

#include "hosts/node/addon/napi.h"

/* The types of fields, with the type of the member in C. */
enum field_type {
    FIELD_STRING,       /* struct xylem_view, in WTF-8; in an answer, data NULL is null */
    FIELD_STRING_MAYBE, /* const struct xylem_view *: NULL without a value; null is an empty view */
    FIELD_BUFFER,       /* struct xylem_buffer, of an answer */
    FIELD_BUFFERS,      /* struct xylem_buffer *, of an answer, their number at `count_at` */
    FIELD_NAME,         /* const char *: a string without NUL; in an answer, NULL is null */
    FIELD_STRINGS,      /* struct xylem_view *, their number at `count_at` */
    FIELD_NAMES,        /* const char **, with NULL behind the last; their number at `count_at`, if not 0 */
    FIELD_BOOL,         /* bool */
    FIELD_BOOL_MAYBE,   /* const bool *: NULL without a value */
    FIELD_TIME_MAYBE, /* const int64_t *: milliseconds, a whole number from 0; NULL without a value, in an answer null */
    FIELD_COUNT,      /* uint64_t: a whole number from 0 to 2^53 - 1 */
    FIELD_TIME,       /* int64_t, of an answer: milliseconds */
    FIELD_WORD,       /* an enum: the number of the word in `words` */
    FIELD_OBJECT,     /* members, which are `fields` of the same struct */
    FIELD_OBJECT_MAYBE, /* a pointer to a struct with `fields`, of an answer; NULL is null */
    FIELD_OBJECTS,      /* an array of structs with `fields`, of `item_bytes` each; their number at `count_at` */
    FIELD_STORE,        /* struct shared_store *: a handle; an argument gets a reference, an answer gives one */
    FIELD_CLOSED_STORE, /* struct shared_store *: takes the reference of the handle; NULL: closed before */
    FIELD_STATE,        /* struct xylem_state *: a handle; an answer gives the state away */
    FIELD_READS,        /* struct shared_reads *: a handle; an argument gets a reference, an answer gives one */
    FIELD_STOP          /* struct shared_stop *: likewise */
};

struct field {
    const char *name; /* for people; of a member, also its name. NULL ends a table. */
    enum field_type type;
    bool optional; /* undefined leaves the member as it is */
    size_t at;
    size_t count_at;
    size_t item_bytes;
    const char *const *words; /* ends in NULL */
    const struct field *fields;
};

#define AT(structure, member) .at = offsetof(struct structure, member)
#define MAYBE_AT(structure, member) .optional = true, .at = offsetof(struct structure, member)
#define COUNT_AT(structure, member) .count_at = offsetof(struct structure, member)

/* The memory of arguments: lives until the end of the call, or of its promise. Starts zeroed. */
struct arena {
    struct block *blocks;
};

/* Zeroed memory; NULL: none is left. */
void *arena_take(struct arena *arena, size_t bytes);
void arena_release(struct arena *arena);

struct reader {
    napi_env env;
    struct arena *arena;
    struct xylem_error *err;
};

/* Reads arguments into a struct, one for each field. False, with `err` filled: a value has the wrong type. */
bool read_arguments(void *into, const struct reader *reader, const struct field *fields, const napi_value *arguments);

/* Makes the value of a field, or an object with all fields. NULL: an exception is pending, or memory is short. */
napi_value make_value(napi_env env, void *from, const struct field *field);
napi_value make_object(napi_env env, void *from, const struct field *fields);
napi_value make_string(napi_env env, struct xylem_view text);
/* An Error with the members `code` (the number), `name` (XYLEM_E_...) and `message`. */
napi_value make_error(napi_env env, const struct xylem_error *err);

#endif
