#include "tests/bench/faults/check.h"

#include <inttypes.h>
#include <xxhash.h>

#include "tests/lib/chance.h"

/* --- Texts ---------------------------------------------------------------------------------------------------------- */

void faults_id(char id[FAULTS_ID_BYTES], const char *text)
{
    snprintf(id, FAULTS_ID_BYTES, "%016" PRIx64, (uint64_t)XXH3_64bits(text, strlen(text)));
}

static const char *const begins[] = {"{\"message\":{\"role\":\"user\",\"content\":\"",
                                     "{\"message\":{\"role\":\"assistant\",\"content\":\""};
static const char ends[] = "\"}}";

void faults_payload(char payload[FAULTS_TEXT_BYTES + 100], const char *role, const char *text)
{
    snprintf(payload, FAULTS_TEXT_BYTES + 100, "%s%s%s", begins[role[0] == 'a'], text, ends);
}

/* Each byte around the text must be as it was written; of another payload all is given, which has no such hash. */
const char *faults_payload_text(char text[FAULTS_TEXT_BYTES], const char *payload, size_t bytes)
{
    size_t from = 0;
    size_t behind = strlen(ends);
    for (int i = 0; i < 2; i++) {
        size_t begin = strlen(begins[i]);
        bool right = bytes > begin + behind && memcmp(payload, begins[i], begin) == 0;
        from = right && memcmp(payload + bytes - behind, ends, behind) == 0 ? begin : from;
    }
    snprintf(text, FAULTS_TEXT_BYTES, "%.*s", (int)(bytes - from - (from > 0 ? behind : 0)), payload + from);
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

struct faults_item {
    char id[FAULTS_ID_BYTES];
    char parent[FAULTS_ID_BYTES];
    int order; /* as the peer gave it */
    int session;
    int writer;
    int own_session; /* as the text says */
    int number;
    int before;
    bool is_named; /* the text says who the entry is, be it damaged elsewhere: wrong then, and not lost */
    bool is_good;  /* the text has its hash */
    bool is_mark;  /* the peer says that the text is lost */
    bool leads;    /* to a root */
    bool on_path;
    struct faults_item *up; /* NULL: a root, or the parent is not there */
    char *text;
};

void faults_reading_free(struct faults_reading *reading)
{
    for (int i = 0; i < reading->count; i++) {
        free(reading->items[i].text);
    }
    free(reading->items);
}

static bool has_its_hash(const char *text)
{
    char hash[20];
    const char *space = strrchr(text, ' ');
    snprintf(hash, sizeof hash, "%016" PRIx64, (uint64_t)XXH3_64bits(text, (size_t)(space - text)));
    return strcmp(hash, space + 1) == 0;
}

static bool find_names(struct faults_item *item, const char *text)
{
    int found = 0;
    for (const char *at = text ? strchr(text, 'w') : NULL; at && found != 4; at = strchr(at + 1, 'w')) {
        found = sscanf(at, "w%d s%d n%d p%d ", &item->writer, &item->own_session, &item->number, &item->before);
    }
    return found == 4 && item->writer >= 0 && item->number >= 0 && item->before < FAULTS_NUMBERS;
}

void faults_reading_add(void *context, const struct faults_read *read)
{
    struct faults_reading *reading = context;
    if (reading->count == reading->room) {
        reading->room = reading->room ? reading->room * 2 : 64;
        reading->items = realloc(reading->items, (size_t)reading->room * sizeof *reading->items);
    }
    struct faults_item *item = &reading->items[reading->count];
    *item = (struct faults_item){.order = reading->count++, .session = read->session, .is_mark = !read->text};
    snprintf(item->id, sizeof item->id, "%s", read->id);
    snprintf(item->parent, sizeof item->parent, "%s", read->parent ? read->parent : "");
    item->is_named = find_names(item, read->text);
    item->is_good = item->is_named && has_its_hash(read->text);
    item->text = item->is_good ? strdup(read->text) : NULL;
}

void faults_reading_print(const struct faults_reading *reading)
{
    for (int i = 0; i < reading->count; i++) {
        printf("%s\n", reading->items[i].text ? reading->items[i].text : "?");
    }
}

static int by_id(const void *a, const void *b)
{
    const struct faults_item *one = a;
    const struct faults_item *other = b;
    return one->session != other->session ? one->session - other->session : strcmp(one->id, other->id);
}

/*
 * Sorts the entries, finds the parents, and gives the doubles. `given` gets the entries in the order of the peer, where a
 * parent stands before its children: one way up tells which lead to a root, one way down which lie on the newest path.
 */
static int link_entries(struct faults_reading *reading, struct faults_item **given)
{
    int doubles = 0;
    struct faults_item *newest[FAULTS_SESSIONS] = {NULL};
    qsort(reading->items, (size_t)reading->count, sizeof *reading->items, by_id);
    for (int i = 0; i < reading->count; i++) {
        struct faults_item *item = &reading->items[i];
        struct faults_item key = {.session = item->session};
        memcpy(key.id, item->parent, sizeof key.id);
        item->up = key.id[0] ? bsearch(&key, reading->items, (size_t)reading->count, sizeof key, by_id) : NULL;
        doubles += i > 0 && by_id(item - 1, item) == 0;
        given[item->order] = item;
    }
    for (int i = 0; i < reading->count; i++) {
        given[i]->leads = given[i]->up ? given[i]->up->leads : !given[i]->parent[0];
        newest[given[i]->session % FAULTS_SESSIONS] = given[i];
    }
    for (int i = reading->count - 1; i >= 0; i--) {
        given[i]->on_path = given[i]->on_path || given[i] == newest[given[i]->session % FAULTS_SESSIONS];
        if (given[i]->on_path && given[i]->up) {
            given[i]->up->on_path = true;
        }
    }
    return doubles;
}

/* An entry stands behind the one before it, or behind one between the two that was never acknowledged. */
static bool has_right_parent(const struct faults_item *item, const bool *present)
{
    const struct faults_item *up = item->up;
    if (!up || item->before <= 0 || !present[item->before]) {
        return item->parent[0] || item->before <= 0 || !present[item->before];
    }
    return !up->is_good || up->writer >= FAULTS_WRITERS ||
           (up->writer == item->writer && up->number >= item->before && up->number < item->number);
}

static bool is_wrong(const struct faults_item *item, bool present[][FAULTS_NUMBERS])
{
    bool elsewhere = item->session < FAULTS_SESSIONS && item->session != item->own_session &&
                     item->session != item->own_session + 2; /* nor in its fork */
    return !item->is_mark && (!item->is_good || elsewhere ||
                              (item->writer < FAULTS_WRITERS && !has_right_parent(item, present[item->writer])));
}

void faults_reading_count(int *counts, struct faults_reading *reading, const struct faults_acked *acked)
{
    static bool present[FAULTS_WRITERS][FAULTS_NUMBERS];
    struct faults_item **given = calloc((size_t)reading->count + 1, sizeof(struct faults_item *));
    memset(present, 0, sizeof present);
    memset(counts, 0, (FAULTS_ASIDE + 1) * sizeof *counts);
    counts[FAULTS_SEEN] = reading->count;
    counts[FAULTS_WRONG] = link_entries(reading, given);
    for (int i = 0; i < reading->count; i++) {
        const struct faults_item *item = given[i];
        if (item->is_named && item->writer < FAULTS_WRITERS && item->number < FAULTS_NUMBERS &&
            (item->own_session == item->session || item->session >= FAULTS_SESSIONS)) {
            present[item->writer][item->number] = true;
        }
    }
    for (int i = 0; i < reading->count; i++) {
        counts[FAULTS_WRONG] += is_wrong(given[i], present);
        counts[FAULTS_UNREACHABLE] += !given[i]->leads;
        counts[FAULTS_ASIDE] += !given[i]->on_path;
    }
    for (int i = 0; acked && i < FAULTS_WRITERS * FAULTS_NUMBERS; i++) {
        int writer = i / FAULTS_NUMBERS;
        counts[FAULTS_LOST] += acked->entries[writer][i % FAULTS_NUMBERS] && !present[writer][i % FAULTS_NUMBERS];
    }
    free(given);
}
