/*
 * What stores should hold between which sessions travel, as plain arrays. A store is a list of entries and a list of
 * sessions, a session is a list of changes, and a segment is a slice of such a list.
 */
#ifndef XYLEM_TESTS_LIB_TRAVEL_MODEL_H
#define XYLEM_TESTS_LIB_TRAVEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xylem/feed.h"
#include "xylem/session.h"

#define TRAVEL_ENTRIES_MAX 600
#define TRAVEL_SESSIONS_MAX 40
#define TRAVEL_CHANGES_MAX 160
#define TRAVEL_LINES_MAX 24
#define TRAVEL_NONE (-1)

typedef char travel_id[40];

/* What two stores compare of an entry. */
struct travel_content {
    char kind[24];
    unsigned kind_class;
    unsigned format;
    int64_t time_ms;
    bool imported;
    bool redacted;
    bool dropped;      /* its hash, too */
    uint64_t hash;     /* of the payload, or what replaced it */
    char payload[160]; /* of a redacted entry: the reason */
    char line[260];    /* the kept line, or empty */
};

struct travel_entry {
    travel_id id;
    int parent; /* index, or TRAVEL_NONE */
    int owner;  /* session */
    bool freed;
    struct xylem_position position; /* none: not looked up yet */
    struct travel_content content;
};

struct travel_change {
    enum xylem_change_type type;
    int64_t time_ms; /* ENTRY, MOVED */
    travel_id id;    /* ENTRY, REDACTED: of the entry; MOVED: of the target, or empty */
    travel_id from;  /* MOVED */
    int entry;       /* ENTRY, REDACTED: index */
};

/* A line in quarantine. */
struct travel_line {
    uint64_t line;
    bool empty; /* redacted */
    char raw[260];
};

/* The states of xylem_session, and one more: */
#define TRAVEL_GONE 99 /* the row was freed */

struct travel_session {
    travel_id id; /* of a freed session, too */
    int state;
    uint64_t number; /* 0: not looked up yet */
    char owner[8];   /* empty: the store */
    uint64_t epoch;
    int base;
    int leaf;
    int imported_leaf;
    struct travel_change changes[TRAVEL_CHANGES_MAX];
    int count;
    struct travel_line lines[TRAVEL_LINES_MAX];
    int line_count;
};

struct travel_store {
    struct travel_entry entries[TRAVEL_ENTRIES_MAX];
    int entry_count;
    struct travel_session sessions[TRAVEL_SESSIONS_MAX];
    int session_count;
};

/* A change as it travels. */
struct travel_sent {
    struct travel_change change;
    struct travel_content content; /* ENTRY, REDACTED: as it was when the change was packed */
    travel_id parent;              /* ENTRY: empty for a root */
    uint64_t parent_check;         /* ENTRY */
    uint64_t check;                /* ENTRY */
};

struct travel_segment {
    travel_id session;
    uint64_t from;
    uint64_t to;
    uint64_t before; /* the chain behind the change before */
    bool has_document;
    bool freed;
    bool has_checks;        /* no hash was dropped from `from` on */
    bool has_last_check;    /* none from `to` on */
    travel_id base_session; /* empty: none */
    travel_id base_entry;
    uint64_t base_check;
    struct travel_sent *changes;
    int count;
    /* The document. */
    travel_id leaf;
    travel_id imported_leaf;
    struct travel_line lines[TRAVEL_LINES_MAX];
    int line_count;
};

/* What an apply should report. */
struct travel_report {
    bool is_new;
    uint64_t change_count;
    uint64_t entry_count;
    bool deleted; /* here: of the segment only redactions count */
};

/* The index of the session of that id that is not freed, or TRAVEL_NONE; and of the remains of a freed session. */
int travel_session_of(const struct travel_store *store, const char *id);
int travel_remains_of(const struct travel_store *store, const char *id);
/* Is the entry on the path that ends at `from`? */
bool travel_on_path(const struct travel_store *store, int entry, int from);
bool travel_belongs(const struct travel_store *store, int session, int entry);
/* The entry of the session of that id, or TRAVEL_NONE. */
int travel_find(const struct travel_store *store, int session, const char *id);
/* A hash of the entry and all before on its path. */
uint64_t travel_check(const struct travel_store *store, int entry);
/* Of the first `count` changes. */
uint64_t travel_chain(const struct travel_session *session, uint64_t count);

/*
 * Packs the changes [from, to) of a session; `to` 0: all, and the document. A freed session: its entries. The memory of
 * `changes` is the caller's.
 */
struct travel_segment travel_pack(const struct travel_store *store, int session, uint64_t from, uint64_t to);
/*
 * What xylem_segment_apply() should answer: OK, NOT_FOUND, CONFLICT or DELETED. After an answer below OK the store is
 * to be thrown away.
 */
int travel_apply(struct travel_report *report, struct travel_store *store, const struct travel_segment *segment,
                 const char *owner, uint64_t epoch);

#endif
