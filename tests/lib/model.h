/*
 * What a store should hold, as plain arrays: every answer is found by looking at all of it. Changes stand in the order
 * in which they were made, so a change's index plus one is its lsn.
 */
#ifndef XYLEM_TESTS_LIB_MODEL_H
#define XYLEM_TESTS_LIB_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/lib/chance.h"
#include "xylem/feed.h"
#include "xylem/state.h"

#define MODEL_ENTRIES_MAX 2048
#define MODEL_SESSIONS_MAX 64
#define MODEL_BRANCHES_MAX 2048
#define MODEL_CHANGES_MAX 4096
#define MODEL_NONE (-1)

struct model_entry {
    char id[16];
    char json[192]; /* empty: no payload */
    const char *kind;
    int parent; /* index, or MODEL_NONE */
    int owner;  /* session */
    uint64_t depth;
    struct xylem_position position;
    uint64_t lsn;
    int64_t time_ms;
    int toggle;     /* of a valid readonly toggle: 0 or 1, else MODEL_NONE */
    int direction;  /* of a valid nudge: 0 off, 1 on, else MODEL_NONE */
    bool delivered; /* of a valid nudge */
    int sequence;   /* of a valid snapshot: its number, else MODEL_NONE */
    int todo;       /* of a valid todo list: the id of its only item, 0 for an empty list, else MODEL_NONE */
    bool result;    /* the list is the result of a tool */
    bool redacted;
    bool freed;
};

struct model_session {
    uint64_t number;
    char id[16];
    int base;
    int leaf;
    bool deleted;
    bool freed; /* it was deleted when entries were freed: nothing brings it back */
    uint64_t last_lsn;
    uint64_t move_count;
    int last_move_from;
    int last_move_to;
    int64_t last_move_ms;
    uint64_t change_count;
    uint64_t chain; /* over the changes */
};

struct model_branch {
    uint64_t number;
    int owner;
    int tip;
};

struct model_change {
    enum xylem_change_type type;
    int session;
    uint64_t ordinal;     /* FREED: 0 */
    int entry;            /* ENTRY, REDACTED, else MODEL_NONE */
    uint64_t move_number; /* MOVED, else 0 */
    char freed_id[16];    /* FREED, else empty */
};

struct model {
    struct model_entry entries[MODEL_ENTRIES_MAX];
    int entry_count;
    struct model_session sessions[MODEL_SESSIONS_MAX];
    int session_count;
    struct model_branch branches[MODEL_BRANCHES_MAX];
    int branch_count;
    struct model_change changes[MODEL_CHANGES_MAX];
    int change_count;
    uint64_t chain; /* over the changes of all sessions */
};

/* What xylem_rehydrate() should say. */
struct model_state {
    bool enabled;
    enum xylem_from from;
    int decided_by; /* the toggle's entry, or MODEL_NONE */
    bool due;
    int sequence; /* the snapshot's entry, or MODEL_NONE */
    int todo;     /* the todo list's entry, or MODEL_NONE */
};

/* Fills in kind, payload and what it means, at random: valid and invalid data alike. */
void model_make_entry(struct model_entry *entry, struct chance *chance);

bool model_on_path(const struct model *model, int entry, int from);
bool model_belongs(const struct model *model, int session, int entry);
/* The session's entry of that id, or MODEL_NONE. */
int model_find(const struct model *model, int session, const char *id);
int model_ancestor_at(const struct model *model, int from, uint64_t depth);
int model_common_ancestor(const struct model *model, int a, int b);
bool model_is_tip(const struct model *model, int session, int entry);
/* Notes a change, and gives its lsn. */
uint64_t model_note(struct model *model, enum xylem_change_type type, int session, int entry);
/* Is it a change that the feed still gives? */
bool model_gives(const struct model *model, int change);
/* What xylem_redact() of this entry alone should do: a redacted toggle means on, and other redacted data nothing. */
void model_redact(struct model *model, int entry);
/*
 * What xylem_gc() should do: frees each entry that belongs to no session that is not deleted, and tells of each session
 * that it frees, the newest first. Gives how many entries.
 */
uint64_t model_gc(struct model *model);
/* Has the branch an entry that was not freed? */
bool model_branch_is_left(const struct model *model, uint64_t number);
struct model_branch *model_branch_of(struct model *model, uint64_t number);
struct model_state model_rehydrate(const struct model *model, int from, const struct xylem_event *event);
/* The entry of the todo list on the path; `results`: those of tools count, too. */
int model_todo(const struct model *model, int from, bool results);

/*
 * A random session that is not deleted (or is, and was not freed), or MODEL_NONE; a random entry of it, or MODEL_NONE.
 */
int model_any_session(const struct model *model, struct chance *chance);
int model_any_deleted(const struct model *model, struct chance *chance);
int model_any_entry_of(const struct model *model, struct chance *chance, int session);

#endif
