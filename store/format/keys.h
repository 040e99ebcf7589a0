/*
 * Encodes the keys of tables. Numbers are ordered numbers (base/bytes.h) but where a width stands:
 *
 *     sessions, branches, feed   | number |
 *     log                        | branch | depth |
 *     moves                      | session | number |
 *     ids                        | tree | head of the id's hash u32 | session | branch | depth |
 *     quarantine                 | session | line | hash of the line's hash and the source's name u64 |
 *     sides                      | session | lsn |
 *     kinds                      | class u8 | name |   or   | 0xff | number u32 |
 *     sources                    | session | name |
 *     session_ids                | id |   or   | 0xff | hash of the namespace | id |
 *     meta                       | name |
 *     outlines                   | tag u8 | and, by the tag:
 *       the head                 nothing
 *       a row, words, stale      | session |
 *       by activity              | activity, falling u64 | session, falling u64 |
 *       by directory             | directory | 0 u8 | activity, falling u64 | session, falling u64 |
 *       by name                  | name | session u64 |
 */
#ifndef XYLEM_FORMAT_KEYS_H
#define XYLEM_FORMAT_KEYS_H

#include "base/bytes.h"
#include "store/format/format.h"

/* A key with its own memory. */
struct xylem_format__key {
    unsigned char bytes[XYLEM_FORMAT__KEY_BYTES_MAX];
    struct xylem_view view; /* of `bytes` */
};

void xylem_format__key_u64(struct xylem_format__key *key, uint64_t number);
/* For log, moves and sides. */
void xylem_format__key_pair(struct xylem_format__key *key, uint64_t first, uint64_t second);

/*
 * The place of an entry in ids: the tree and the session that own the branch of the entry, the first four bytes of the
 * hash of its id, its position. Without a session and a position: before all rows of the tree and the hash.
 */
#define XYLEM_FORMAT__ID_HASH_BYTES 4u
struct xylem_format__id_place {
    uint64_t tree;
    uint32_t hash;
    uint64_t session;
    struct xylem_position position;
};
void xylem_format__key_id(struct xylem_format__key *key, const struct xylem_format__id_place *place);
bool xylem_format__key_read_id(struct xylem_format__id_place *place, struct xylem_view key);

/* The same line in two files has two keys, by the name of the source. */
void xylem_format__key_quarantine(struct xylem_format__key *key, uint64_t session, uint64_t line, uint64_t hash,
                                  struct xylem_view source);
/* The beginning of an id gives the beginning of the keys; one that is too long for an id begins no key. */
void xylem_format__key_session_id(struct xylem_format__key *key, struct xylem_view name_space, struct xylem_view id);
void xylem_format__key_kind_name(struct xylem_format__key *key, struct xylem_kind kind);
void xylem_format__key_kind_number(struct xylem_format__key *key, uint32_t number);
void xylem_format__key_source(struct xylem_format__key *key, uint64_t session, struct xylem_view name);
/* The head, or the beginning of all keys of a tag; rows of one session. */
void xylem_format__key_outline_tag(struct xylem_format__key *key, enum xylem_format__outline_tag tag);
void xylem_format__key_outline(struct xylem_format__key *key, enum xylem_format__outline_tag tag, uint64_t session);
/* The path without slashes at its end, as keys have it: of the root nothing, so that every path begins with the root. */
struct xylem_view xylem_format__outline_directory(struct xylem_view path);
/* The places of a session in lists, the last active first. */
void xylem_format__key_outline_active(struct xylem_format__key *key, int64_t active_ms, uint64_t session);
void xylem_format__key_outline_directory(struct xylem_format__key *key, struct xylem_view directory, int64_t active_ms,
                                         uint64_t session);
void xylem_format__key_outline_name(struct xylem_format__key *key, struct xylem_view name, uint64_t session);
/* The beginning of the keys of a name, and of longer names. */
void xylem_format__key_outline_named(struct xylem_format__key *key, struct xylem_view name);
/* The beginning of the keys of a directory, or with `below` of the directories that begin so. */
void xylem_format__key_outline_in(struct xylem_format__key *key, struct xylem_view directory, bool below);

#define XYLEM_FORMAT__OUTLINE_PLACE_BYTES 16u /* activity, session */
/* Reads the end of a key of the lists by activity and by directory. */
bool xylem_format__key_read_outline_place(int64_t *active_ms, uint64_t *session, struct xylem_view key);
/* Reads a key of the list of names. A name of XYLEM_FORMAT__NAME_KEY_BYTES_MAX bytes may be cut. */
bool xylem_format__key_read_outline_name(struct xylem_view *name, uint64_t *session, struct xylem_view key);

/* Reads a key back. False if the key has another form. `hash`: of the namespace; 0: the empty one. */
bool xylem_format__key_read_session_id(uint64_t *hash, struct xylem_view *id, struct xylem_view key);
bool xylem_format__key_read_u64(uint64_t *number, struct xylem_view key);
/* The number that a key begins with; 0 for no number. */
uint64_t xylem_format__key_first(struct xylem_view key);
/* Inline, as every step of a walk reads a key of the log. */
static inline bool xylem_format__key_read_pair(uint64_t *first, uint64_t *second, struct xylem_view key)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    *first = xylem_base__read_ordered(&cursor);
    *second = xylem_base__read_ordered(&cursor);
    return xylem_base__cursor_ended(&cursor);
}

#endif
