/* xylem: limits, codes and errors, bytes, values. The rules of xylem.h hold for every call. */
#ifndef XYLEM_BASE_H
#define XYLEM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define XYLEM_API __attribute__((visibility("default")))
#else
#define XYLEM_API
#endif

/* --- Binary interface ------------------------------------------------------------------------------------------- */

/*
 * The number of the binary interface. The number changes with the layout of a public struct, and the name of the shared
 * library (`libxylem.so.2`) changes with the number.
 *
 * xylem_open(), xylem_policy_new(), xylem_policy_new_json(), xylem_catalogue_new(), xylem_catalogue_new_json(),
 * xylem_compact() and xylem_repair() take structs and need no handle. So these calls are inline functions around
 * functions that end in `_abi`, and hand the number of the caller's header to the library. The library refuses another
 * number with ARGUMENT, before the library reads or writes a struct of the caller; of `err` the library then writes the
 * code and less than 256 bytes of text. A binding for another language calls the `_abi` functions, with the number for
 * which the binding declares its structs.
 */
#define XYLEM_ABI 2

#define XYLEM_VERSION "0.1.0"
#define XYLEM_VERSION_NUMBER 100 /* of the header, for #if: 10000 * major + 100 * minor + patch */

/* The version of the linked library, in the form of XYLEM_VERSION. Static; any thread. */
XYLEM_API const char *xylem_version(void);

/* --- Limits ----------------------------------------------------------------------------------------------------- */

#define XYLEM_ENTRY_ID_BYTES_MAX 64u        /* an entry id has 1 to 64 bytes */
#define XYLEM_SESSION_ID_BYTES_MAX 200u     /* a session id has 1 to 200 bytes */
#define XYLEM_NAMESPACE_BYTES_MAX 4096u     /* a namespace of session ids has 0 to 4,096 bytes */
#define XYLEM_KIND_NAME_BYTES_MAX 4096u     /* a kind's name has 0 to 4,096 bytes */
#define XYLEM_PAYLOAD_BYTES_MAX 268435456u  /* a payload has at most 256 MiB */
#define XYLEM_LINE_BYTES_MAX 268435456u     /* a line of a session file has at most 256 MiB */
#define XYLEM_HOLES_MAX 8u                  /* holes of a line of another host */
#define XYLEM_NESTING_MAX 512u              /* arrays and maps nest at most 512 deep */
#define XYLEM_VALUES_MAX 4194304u           /* values of one payload or line, keys counted too: 4 Mi */
#define XYLEM_APPEND_ENTRIES_MAX 65536u     /* entries of one append */
#define XYLEM_HEADS_MAX 4096u               /* kinds on one path with heads of their own */
#define XYLEM_READER_SLOTS 1022u            /* read transactions open, or kept, over all processes */
#define XYLEM_REASON_BYTES_MAX 256u         /* the reason of a navigation, or of a redaction */
#define XYLEM_HOST_BYTES_MAX 255u           /* the name of the machine of a session's owner */
#define XYLEM_OWNER_BYTES_MAX 64u           /* the store that owns a session: 1 to 64 bytes */
#define XYLEM_TODO_ITEMS_MAX 1024u          /* a todo list has at most 1,024 items */
#define XYLEM_TODO_TEXT_BYTES_MAX 4096u     /* the text of an item has at most 4,096 bytes */
#define XYLEM_TODO_ID_MAX 9007199254740991  /* the greatest integer that JavaScript holds exactly */
#define XYLEM_OUTLINE_WORDS_BYTES_MAX 120u  /* of the first or the last words of a session */
#define XYLEM_WORDS_MAX 12u                 /* words of a piece of the state, for people */
#define XYLEM_TABLE_COUNT 13u               /* tables of a store */
#define XYLEM_PATTERNS_MAX 1024u            /* patterns of an export or a redaction */
#define XYLEM_PATTERN_BYTES_MAX 1024u       /* a pattern has at most 1,024 bytes */
#define XYLEM_PATTERN_NESTING_MAX 32u       /* groups of a pattern nest at most 32 deep */
#define XYLEM_COMMAND_BYTES_MAX 131072u     /* a longer shell command is not understood */
#define XYLEM_COMMAND_NESTING_MAX 16u       /* a command that nests deeper is not understood either */
#define XYLEM_CONFIG_BYTES_MAX 1048576u     /* a policy's configuration has at most 1 MiB */
#define XYLEM_HOOK_BYTES_MAX 1048576u       /* a longer input of a hook is not answered */
#define XYLEM_STEP_BYTES_MAX 65536u         /* a step of a sequence has at most 64 KiB */
#define XYLEM_STEP_TEXT_BYTES_MAX 16777216u /* the text of a step, its arguments put in: at most 16 MiB */
#define XYLEM_STEP_ATTEMPTS_MAX 100u        /* attempts of one step of a run */
#define XYLEM_SEQUENCE_STEPS_MAX 100u       /* a sequence has at most 100 steps */
#define XYLEM_SEQUENCE_BYTES_MAX 1048576u   /* the steps of a sequence have at most 1 MiB together */
#define XYLEM_SEQUENCE_ID_BYTES_MAX 64u     /* the id of a sequence has 1 to 64 bytes */
#define XYLEM_RUN_ITERATIONS_MAX 1000u      /* a run plays its sequence at most 1,000 times */
#define XYLEM_RUN_ARGS_MAX 64u              /* arguments of a run */
#define XYLEM_RUN_ARGS_BYTES_MAX 65536u     /* the arguments of a run have at most 64 KiB together */
#define XYLEM_RUN_TEXT_HASH_DIGITS 16u      /* of the hash of the text that a host sends */
#define XYLEM_RUN_MESSAGE_BYTES_MAX 1024u   /* a longer message of a run is cut */
#define XYLEM_RUNS_WAITING_MAX 100u         /* runs that the search for a waiting run looks at, the newest */
#define XYLEM_CATALOGUE_COMMANDS_MAX 4096u  /* commands of a catalogue */
#define XYLEM_COMMAND_NAME_BYTES_MAX 256u   /* the name of a command has 1 to 256 bytes */
#define XYLEM_COMMAND_HASH_BYTES_MAX 64u    /* the hash of a command's file has at most 64 bytes */
#define XYLEM_PATH_BYTES_MAX 4095u          /* a path of a file has at most 4,095 bytes */
#define XYLEM_READS_FILES_MAX 100u          /* noted files of a session */
#define XYLEM_READS_BYTES_MAX 1048576u      /* keys and hashes of the noted files have at most 1 MiB together */
#define XYLEM_READS_KEY_BYTES_MAX 16384u    /* the key of a noted file has 1 to 16,384 bytes */
#define XYLEM_READS_ENTRIES_MAX 33u         /* entries that a load of noted files reads */
#define XYLEM_READS_SESSIONS_MAX 64u        /* sessions that the search for a file's last writer asks */
#define XYLEM_FILE_HASH_BYTES_MAX 151u      /* the hash of a file, with the name of its algorithm */

/* --- Errors ----------------------------------------------------------------------------------------------------- */

/* X(name, value, text): every code of a call. */
#define XYLEM_CODE_LIST(X)                                                                    \
    X(XYLEM_OK, 0, "ok")                                                                      \
    X(XYLEM_E_MEMORY, -1, "out of memory")                                                    \
    X(XYLEM_E_ARGUMENT, -2, "the call was used in a way that it does not allow")              \
    X(XYLEM_E_MALFORMED, -3, "the input is not well-formed")                                  \
    X(XYLEM_E_LIMIT, -4, "a limit is exceeded")                                               \
    X(XYLEM_E_NOT_FOUND, -5, "not found")                                                     \
    X(XYLEM_E_EXISTS, -6, "it exists already")                                                \
    X(XYLEM_E_CONFLICT, -7, "somebody else changed it first")                                 \
    X(XYLEM_E_BUSY, -8, "in use")                                                             \
    X(XYLEM_E_CORRUPT, -9, "the store is damaged")                                            \
    X(XYLEM_E_IO, -10, "input or output failed")                                              \
    X(XYLEM_E_NO_SPACE, -11, "no space left")                                                 \
    X(XYLEM_E_TOO_NEW, -12, "the store is newer than this library")                           \
    X(XYLEM_E_NOT_A_STORE, -13, "this is not a xylem store")                                  \
    X(XYLEM_E_READ_ONLY, -14, "opened for reading only")                                      \
    X(XYLEM_E_FORKED, -15, "the store was opened before fork(2)")                             \
    X(XYLEM_E_OUTCOME_UNKNOWN, -16, "it is not known whether the commit took place")          \
    X(XYLEM_E_MAP_FULL, -17, "the memory map is full; abort, and begin again: it grows then") \
    X(XYLEM_E_READERS_FULL, -18, "every reader slot is taken")                                \
    X(XYLEM_E_DELETED, -19, "the session is deleted")                                         \
    X(XYLEM_E_REDACTED, -20, "the payload was redacted")                                      \
    X(XYLEM_E_STOPPED, -21, "stopped by the caller")                                          \
    X(XYLEM_E_FREED, -22, "it was freed")                                                     \
    X(XYLEM_E_TOO_OLD, -23, "the store is older than this library")

#define XYLEM_CODE_ENUM_ROW(name, value, text) name = value,
enum xylem_code { XYLEM_CODE_LIST(XYLEM_CODE_ENUM_ROW) };
#undef XYLEM_CODE_ENUM_ROW

#define XYLEM_ERROR_TEXT_BYTES 512u

/* An error. `text` is one line, ends in NUL, and has no control bytes: bytes from outside are escaped. */
struct xylem_error {
    int code;
    char text[XYLEM_ERROR_TEXT_BYTES];
};

/* The fixed text of a code, "unknown code" for any other number. Static; any thread. */
XYLEM_API const char *xylem_code_text(int code);

/* The name of a code, such as "XYLEM_E_CONFLICT"; "unknown" for any other number. Static; any thread. */
XYLEM_API const char *xylem_code_name(int code);

/* --- Bytes ------------------------------------------------------------------------------------------------------ */

/* Borrowed bytes, not ended by NUL. `data` may be NULL when `bytes` is 0. */
struct xylem_view {
    const char *data;
    size_t bytes;
};

/* Owned bytes. Start with a zeroed struct. `data` is NULL, or `bytes` bytes and a NUL behind them. */
struct xylem_buffer {
    char *data;
    size_t bytes;
    size_t capacity;
};

/* A view of a string that ends in NUL (NULL: an empty view). */
XYLEM_API struct xylem_view xylem_view_of(const char *text);

/*
 * Appends bytes to a buffer.
 *
 * Errors:
 * - MEMORY: the buffer is unchanged
 */
XYLEM_API int xylem_buffer_add(struct xylem_buffer *buffer, const void *data, size_t bytes);

/*
 * Appends a JSON string, quotes included. `"`, `\` and control bytes are escaped like in JSON.stringify(). A lone
 * surrogate (three bytes of WTF-8) becomes `\udXXX`; a byte that is no part of WTF-8 becomes U+FFFD.
 *
 * Errors:
 * - MEMORY
 */
XYLEM_API int xylem_buffer_add_json_string(struct xylem_buffer *buffer, struct xylem_view text);

/*
 * Appends a number like JSON.stringify(): in the fewest digits that give the same double back, in every locale. NaN and
 * infinities are written like in xylem_value_json().
 *
 * Errors:
 * - MEMORY: the buffer is unchanged
 */
XYLEM_API int xylem_buffer_add_json_number(struct xylem_buffer *buffer, double number);

/* Frees the bytes and zeroes the struct. */
XYLEM_API void xylem_buffer_release(struct xylem_buffer *buffer);

/* --- Values ----------------------------------------------------------------------------------------------------- */

/*
 * The decoded data of an entry: the values of JSON, with integers apart from other numbers. A value is a borrowed view
 * and lives as long as its document, or as the visit of a reducer. Strings are WTF-8: UTF-8 with lone surrogates as
 * three bytes each.
 */
enum xylem_value_type {
    XYLEM_VALUE_NIL,
    XYLEM_VALUE_BOOL,
    XYLEM_VALUE_INT,    /* fits int64_t */
    XYLEM_VALUE_UINT,   /* greater than INT64_MAX, fits uint64_t */
    XYLEM_VALUE_DOUBLE, /* any other number; may be infinite or NaN */
    XYLEM_VALUE_STRING,
    XYLEM_VALUE_ARRAY,
    XYLEM_VALUE_MAP
};

struct xylem_value;

/* The type of a value; NULL counts as nil. The calls on values take any value or NULL, and never fail. */
XYLEM_API enum xylem_value_type xylem_value_type(const struct xylem_value *value);
/* The truth of a bool; false for every other type. */
XYLEM_API bool xylem_value_bool(const struct xylem_value *value);
/* True, and the number, if the value is a whole number that fits int64_t (1.0 does, 1.5 does not). */
XYLEM_API bool xylem_value_integer(int64_t *number, const struct xylem_value *value);
/* True, and the number, if the value is a number of any type; large integers are rounded. */
XYLEM_API bool xylem_value_number(double *number, const struct xylem_value *value);
/* A string's bytes; an empty view for every other type. */
XYLEM_API struct xylem_view xylem_value_string(const struct xylem_value *value);
/* Elements of an array, pairs of a map; 0 for every other type. */
XYLEM_API size_t xylem_value_count(const struct xylem_value *value);
/* The value under a key of a map; of several equal keys the last counts. NULL: the map has no such key. */
XYLEM_API const struct xylem_value *xylem_value_get(const struct xylem_value *map, const char *key);
/*
 * The children in order: xylem_value_first() gives the first child or NULL, xylem_value_next() the child after `child`
 * or NULL. The children of an array are its elements; the children of a map are key, value, key, value.
 */
XYLEM_API const struct xylem_value *xylem_value_first(const struct xylem_value *parent);
XYLEM_API const struct xylem_value *xylem_value_next(const struct xylem_value *parent, const struct xylem_value *child);
/*
 * Appends the value as JSON without white space, numbers like in JSON.stringify(). Integers are written out in full.
 * NaN becomes null, since JSON has no NaN; an infinity becomes 1e999 or -1e999, and reads back as an infinity.
 *
 * Errors:
 * - MEMORY
 */
XYLEM_API int xylem_value_json(struct xylem_buffer *buffer, const struct xylem_value *value);

#ifdef __cplusplus
}
#endif

#endif
