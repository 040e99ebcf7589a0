#include "tests/bench/faults/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tests/lib/chance.h"

/* --- Texts ---------------------------------------------------------------------------------------------------------- */

void faults_id(char id[FAULTS_ID_BYTES], const char *text)
{
    snprintf(id, FAULTS_ID_BYTES, "%016" PRIx64, (uint64_t)XXH3_64bits(text, strlen(text)));
}

#define PAYLOAD_BEGINS "{\"message\":{\"role\":\""
#define PAYLOAD_GOES_ON "\",\"content\":\""
#define PAYLOAD_ENDS "\"}}"

void faults_payload(char *payload, size_t room, const char *role, const char *text)
{
    snprintf(payload, room, PAYLOAD_BEGINS "%s" PAYLOAD_GOES_ON "%s" PAYLOAD_ENDS, role, text);
}

/* Each byte around the text must be as it was written; of another payload all is given, which has no such hash. */
const char *faults_payload_text(char text[FAULTS_TEXT_BYTES], const char *payload, size_t bytes)
{
    const char *roles[] = {PAYLOAD_BEGINS "user" PAYLOAD_GOES_ON, PAYLOAD_BEGINS "assistant" PAYLOAD_GOES_ON};
    size_t ends = strlen(PAYLOAD_ENDS);
    for (int i = 0; i < 2; i++) {
        size_t begins = strlen(roles[i]);
        if (bytes >= begins + ends && bytes - begins - ends < FAULTS_TEXT_BYTES &&
            memcmp(payload, roles[i], begins) == 0 && memcmp(payload + bytes - ends, PAYLOAD_ENDS, ends) == 0) {
            snprintf(text, FAULTS_TEXT_BYTES, "%.*s", (int)(bytes - begins - ends), payload + begins);
            return text;
        }
    }
    snprintf(text, FAULTS_TEXT_BYTES, "%.*s", (int)(bytes < FAULTS_TEXT_BYTES ? bytes : FAULTS_TEXT_BYTES - 1),
             payload);
    return text;
}

const char *faults_role(int number)
{
    return number % 2 == 0 ? "assistant" : "user";
}

static void make_text(struct faults_step *step, int before, int bytes)
{
    struct chance chance = chance_of((uint64_t)step->writer << 32 | (uint64_t)step->number);
    int at =
        snprintf(step->text, sizeof step->text, "w%d s%d n%d p%d ", step->writer, step->session, step->number, before);
    for (int left = bytes / 2 + chance_below(&chance, bytes); left > 0 && at < FAULTS_TEXT_BYTES - 40; left--) {
        step->text[at++] = (char)('a' + chance_below(&chance, 26));
    }
    uint64_t hash = XXH3_64bits(step->text, (size_t)at);
    snprintf(step->text + at, sizeof step->text - (size_t)at, " %016" PRIx64, hash);
}

void faults_next(struct faults_step *step, struct faults_writer *writer)
{
    int fork = 2 + writer->writer;
    step->writer = writer->writer;
    if (writer->forks && writer->number >= 8 && writer->last[fork] == 0) {
        step->session = fork;
        step->number = 0;
        writer->last[fork] = writer->last[writer->session];
        return;
    }
    step->number = ++writer->number;
    step->session = writer->forks && writer->last[fork] > 0 && step->number % 3 == 0 ? fork : writer->session;
    make_text(step, writer->shares ? 0 : writer->last[step->session], writer->bytes);
    writer->last[step->session] = step->number;
}

/* --- Reading -------------------------------------------------------------------------------------------------------- */

struct item {
    char id[FAULTS_ID_BYTES];
    char parent[FAULTS_ID_BYTES];
    int session;
    int writer;
    int own_session; /* as the text says */
    int number;
    int before;
    bool good;    /* the text has its hash */
    bool damaged; /* the text has not, and still names the entry: wrong, and not lost */
    bool mark;    /* the peer says that the text is lost */
    enum { UNKNOWN, LOOKING, LEADS, BROKEN } state;
    int up; /* the parent's place; -1: there is none */
    bool on_path;
    char *text;
};

struct faults_reading {
    struct item *items;
    int count;
    int room;
};

struct faults_reading *faults_reading_new(void)
{
    return calloc(1, sizeof(struct faults_reading));
}

void faults_reading_free(struct faults_reading *reading)
{
    for (int i = 0; i < reading->count; i++) {
        free(reading->items[i].text);
    }
    free(reading->items);
    free(reading);
}

static bool has_its_hash(const char *text)
{
    const char *space = strrchr(text, ' ');
    char hash[20];
    if (!space) {
        return false;
    }
    snprintf(hash, sizeof hash, "%016" PRIx64, (uint64_t)XXH3_64bits(text, (size_t)(space - text)));
    return strcmp(hash, space + 1) == 0;
}

/* Who an entry is, also if its text is damaged elsewhere. */
static bool find_names(struct item *item, const char *text)
{
    for (const char *at = strchr(text, 'w'); at; at = strchr(at + 1, 'w')) {
        if (sscanf(at, "w%d s%d n%d p%d ", &item->writer, &item->own_session, &item->number, &item->before) == 4) {
            return item->writer >= 0 && item->number >= 0;
        }
    }
    return false;
}

void faults_reading_add(void *context, const struct faults_read *read)
{
    struct faults_reading *reading = context;
    if (reading->count == reading->room) {
        reading->room = reading->room ? reading->room * 2 : 64;
        reading->items = realloc(reading->items, (size_t)reading->room * sizeof *reading->items);
    }
    struct item *item = &reading->items[reading->count++];
    memset(item, 0, sizeof *item);
    snprintf(item->id, sizeof item->id, "%s", read->id);
    snprintf(item->parent, sizeof item->parent, "%s", read->parent ? read->parent : "");
    item->mark = !read->text;
    bool named = read->text && find_names(item, read->text);
    item->good = named && has_its_hash(read->text);
    item->damaged = named && !item->good;
    item->session = read->session;
    item->text = item->good ? strdup(read->text) : NULL;
    item->up = -1;
}

void faults_reading_print(const struct faults_reading *reading)
{
    for (int i = 0; i < reading->count; i++) {
        printf("%s\n", reading->items[i].text ? reading->items[i].text : "?");
    }
}

static const struct faults_reading *sorted; /* qsort has no context */

static int by_id(const void *a, const void *b)
{
    const struct item *one = &sorted->items[*(const int *)a];
    const struct item *other = &sorted->items[*(const int *)b];
    int order = one->session != other->session ? one->session - other->session : strcmp(one->id, other->id);
    return order ? order : *(const int *)a - *(const int *)b;
}

/* Finds the parent of each entry among the entries of its session; an id that comes twice is wrong once more. */
static int link_parents(struct faults_reading *reading)
{
    int doubles = 0;
    int *order = malloc(sizeof *order * (size_t)(reading->count + 1));
    for (int i = 0; i < reading->count; i++) {
        order[i] = i;
    }
    sorted = reading;
    qsort(order, (size_t)reading->count, sizeof *order, by_id);
    for (int i = 0; i < reading->count; i++) {
        struct item *item = &reading->items[i];
        int low = 0;
        for (int high = reading->count; low < high;) {
            int middle = (low + high) / 2;
            const struct item *other = &reading->items[order[middle]];
            bool less =
                other->session != item->session ? other->session < item->session : strcmp(other->id, item->parent) < 0;
            low = less ? middle + 1 : low;
            high = less ? high : middle;
        }
        bool found = low < reading->count && reading->items[order[low]].session == item->session &&
                     strcmp(reading->items[order[low]].id, item->parent) == 0;
        item->up = item->parent[0] && found ? order[low] : -1;
        const struct item *next = i > 0 ? &reading->items[order[i - 1]] : NULL;
        const struct item *same = &reading->items[order[i]];
        doubles += next && next->session == same->session && strcmp(next->id, same->id) == 0;
    }
    free(order);
    return doubles;
}

/* Follows the parents to a root, or to one whose state is known. */
static void lead(struct faults_reading *reading, int from)
{
    int at = from;
    while (at >= 0 && reading->items[at].state == UNKNOWN) {
        reading->items[at].state = LOOKING;
        int up = reading->items[at].up;
        if (up < 0) {
            reading->items[at].state = reading->items[at].parent[0] ? BROKEN : LEADS;
            break;
        }
        at = up;
    }
    bool leads = reading->items[at].state == LEADS;
    for (at = from; at >= 0 && reading->items[at].state == LOOKING; at = reading->items[at].up) {
        reading->items[at].state = leads ? LEADS : BROKEN;
    }
}

/* An entry stands behind the one before it, or behind one between the two that was never acknowledged. */
static bool has_right_parent(const struct faults_reading *reading, const struct item *item, const bool *present)
{
    if (item->up < 0 || item->before <= 0 || !present[item->before]) {
        return item->parent[0] || item->before <= 0 || !present[item->before];
    }
    const struct item *parent = &reading->items[item->up];
    return !parent->good || parent->writer >= FAULTS_WRITERS ||
           (parent->writer == item->writer && parent->number >= item->before && parent->number < item->number);
}

static bool is_wrong(const struct faults_reading *reading, const struct item *item, bool present[][FAULTS_NUMBERS])
{
    bool elsewhere = item->session < FAULTS_SESSIONS && item->session != item->own_session &&
                     item->session != item->own_session + 2; /* nor in its fork */
    return !item->mark && (!item->good || elsewhere ||
                           (item->writer < FAULTS_WRITERS && !has_right_parent(reading, item, present[item->writer])));
}

static void mark_paths(struct faults_reading *reading)
{
    int newest[FAULTS_SESSIONS] = {-1, -1, -1, -1};
    for (int i = 0; i < reading->count; i++) {
        if (reading->items[i].session < FAULTS_SESSIONS) {
            newest[reading->items[i].session] = i;
        }
    }
    for (int i = 0; i < FAULTS_SESSIONS; i++) {
        for (int at = newest[i]; at >= 0 && !reading->items[at].on_path; at = reading->items[at].up) {
            reading->items[at].on_path = true;
        }
    }
}

void faults_reading_count(struct faults_counts *counts, struct faults_reading *reading,
                          const struct faults_acked *acked)
{
    static bool present[FAULTS_WRITERS][FAULTS_NUMBERS];
    memset(present, 0, sizeof present);
    memset(counts, 0, sizeof *counts);
    counts->wrong = link_parents(reading);
    counts->seen = reading->count;
    mark_paths(reading);
    for (int i = 0; i < reading->count; i++) {
        const struct item *item = &reading->items[i];
        if ((item->good || item->damaged) && item->writer < FAULTS_WRITERS && item->number < FAULTS_NUMBERS &&
            (item->own_session == item->session || item->session >= FAULTS_SESSIONS)) {
            present[item->writer][item->number] = true;
        }
    }
    for (int i = 0; i < reading->count; i++) {
        const struct item *item = &reading->items[i];
        lead(reading, i);
        counts->wrong += is_wrong(reading, item, present);
        counts->unreachable += item->state == BROKEN;
        counts->aside += !item->on_path;
    }
    for (int writer = 0; acked && writer < FAULTS_WRITERS; writer++) {
        for (int number = 0; number < FAULTS_NUMBERS; number++) {
            counts->lost += acked->entries[writer][number] && !present[writer][number];
        }
    }
}
