#include "tests/fleet/rows_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

unsigned rows_flaws;

void *rows_memory(void *old, size_t bytes)
{
    void *memory = realloc(old, bytes ? bytes : 1);
    if (!memory) {
        abort();
    }
    return memory;
}

/* --- Counted bytes, pieces and versions ----------------------------------------------------------------------------- */

struct rows_bytes *rows_bytes_new(struct xylem_view view)
{
    if (!view.data) {
        return NULL;
    }
    struct rows_bytes *bytes = rows_memory(NULL, sizeof *bytes + view.bytes + 1);
    bytes->users = 1;
    bytes->bytes = view.bytes;
    memcpy(bytes->data, view.data, view.bytes);
    bytes->data[view.bytes] = '\0';
    return bytes;
}

struct rows_bytes *rows_bytes_use(struct rows_bytes *bytes)
{
    if (bytes) {
        bytes->users++;
    }
    return bytes;
}

void rows_bytes_drop(struct rows_bytes *bytes)
{
    if (bytes && --bytes->users == 0) {
        free(bytes);
    }
}

static struct xylem_view view_of(const struct rows_bytes *bytes)
{
    return bytes ? (struct xylem_view){bytes->data, bytes->bytes} : (struct xylem_view){NULL, 0};
}

static struct rows_piece *piece_new(uint64_t from, uint64_t to, uint64_t chain, uint64_t generation,
                                    struct xylem_view body)
{
    struct rows_piece *piece = rows_memory(NULL, sizeof *piece);
    *piece = (struct rows_piece){1, from, to, chain, generation, rows_bytes_new(body)};
    return piece;
}

static void piece_drop(struct rows_piece *piece)
{
    if (--piece->users == 0) {
        rows_bytes_drop(piece->body);
        free(piece);
    }
}

struct rows_version *rows_version_use(struct rows_version *version)
{
    if (version) {
        version->users++;
    }
    return version;
}

void rows_version_drop(struct rows_version *version)
{
    if (!version || --version->users > 0) {
        return;
    }
    for (size_t i = 0; i < version->piece_count; i++) {
        piece_drop(version->pieces[i]);
    }
    rows_bytes_drop(version->host);
    rows_bytes_drop(version->about);
    rows_bytes_drop(version->head);
    free(version);
}

/* A copy with room for `more` pieces. */
static struct rows_version *version_copy(const struct rows_version *old, size_t more)
{
    struct rows_version *made = rows_memory(NULL, sizeof *made + (old->piece_count + more) * sizeof *made->pieces);
    memcpy(made, old, sizeof *made + old->piece_count * sizeof *made->pieces);
    made->users = 1;
    for (size_t i = 0; i < made->piece_count; i++) {
        made->pieces[i]->users++;
    }
    rows_bytes_use(made->host);
    rows_bytes_use(made->about);
    rows_bytes_use(made->head);
    return made;
}

static void replace(struct rows_bytes **bytes, struct xylem_view view)
{
    if (view.data) {
        rows_bytes_drop(*bytes);
        *bytes = rows_bytes_new(view);
    }
}

/* --- What requests do ------------------------------------------------------------------------------------------------ */

static bool has_token(const struct rows_version *row, const struct fleet_request *request)
{
    return !row->unowned && memcmp(row->owner, request->owner, sizeof row->owner) == 0;
}

static struct rows_version *claim(struct rows_version *row, const struct fleet_request *request)
{
    static const struct rows_version none = {.next = 1};
    if (request->epoch >= FLEET_ORDINAL_MAX || (!row && !request->make)) {
        return NULL;
    }
    bool has_won = row && row->epoch == request->epoch + 1 && has_token(row, request);
    if (row && row->epoch != request->epoch && !has_won && !(rows_flaws & ROWS_FLAW_CLAIM)) {
        return NULL;
    }
    struct rows_version *made = version_copy(row ? row : &none, 0);
    made->epoch = request->epoch + 1;
    made->unowned = false;
    memcpy(made->owner, request->owner, sizeof made->owner);
    replace(&made->host, request->host);
    return made;
}

static struct rows_version *append(struct rows_version *row, const struct fleet_request *request)
{
    if (row->freed || (row->next != request->from && !(rows_flaws & ROWS_FLAW_ORDINAL)) ||
        (row->chain != request->before && !(rows_flaws & ROWS_FLAW_CHAIN))) {
        return NULL;
    }
    struct rows_version *made = version_copy(row, 1);
    made->pieces[made->piece_count++] =
        piece_new(request->from, request->to, request->after, row->generation, request->body);
    made->next = request->to;
    made->chain = request->after;
    replace(&made->about, request->about);
    replace(&made->head, request->head);
    return made;
}

static struct rows_version *rewrite(struct rows_version *row, const struct fleet_request *request)
{
    size_t at = 0;
    while (at < row->piece_count && row->pieces[at]->from != request->from) {
        at++;
    }
    if ((row->generation != request->generation && !(rows_flaws & ROWS_FLAW_GENERATION)) || at == row->piece_count ||
        row->pieces[at]->to != request->to) {
        return NULL;
    }
    struct rows_version *made = version_copy(row, 0);
    made->generation++;
    made->pieces[at] = piece_new(request->from, request->to, row->pieces[at]->chain, made->generation, request->body);
    row->pieces[at]->users--; /* the copy counted the piece */
    replace(&made->about, request->about);
    replace(&made->head, request->head);
    return made;
}

static struct rows_version *let_go(struct rows_version *row, const struct fleet_request *request)
{
    struct rows_version *made = version_copy(row, 1);
    for (size_t i = 0; i < made->piece_count; i++) {
        piece_drop(made->pieces[i]);
    }
    made->piece_count = 0;
    made->freed = true;
    replace(&made->about, request->about);
    rows_bytes_drop(made->head);
    made->head = NULL;
    if (request->body.bytes > 0) {
        made->pieces[made->piece_count++] = piece_new(0, 0, row->chain, row->generation, request->body);
    }
    return made;
}

static struct rows_version *release(struct rows_version *row)
{
    struct rows_version *made = version_copy(row, 0);
    made->unowned = true;
    memset(made->owner, 0, sizeof made->owner);
    return made;
}

enum fleet_outcome rows_decide(struct rows_version **made, struct rows_version *row,
                               const struct fleet_request *request, uint64_t now_ms)
{
    bool is_owners =
        row && ((row->epoch == request->epoch && has_token(row, request)) || (rows_flaws & ROWS_FLAW_FENCE));
    *made = NULL;
    switch (request->ask) {
    case FLEET_ROW:
    case FLEET_READ:
        return row ? FLEET_DONE : FLEET_NO;
    case FLEET_CLAIM:
        *made = claim(row, request);
        break;
    case FLEET_LOOK:
        *made = rows_version_use(row);
        break;
    case FLEET_APPEND:
        *made = is_owners ? append(row, request) : NULL;
        break;
    case FLEET_REWRITE:
        *made = is_owners ? rewrite(row, request) : NULL;
        break;
    case FLEET_FREE:
        *made = is_owners ? let_go(row, request) : NULL;
        break;
    case FLEET_RELEASE:
        *made = is_owners ? release(row) : NULL;
        break;
    default:
        return FLEET_DONE;
    }
    if (*made && has_token(*made, request)) {
        (*made)->heard_ms = now_ms;
    }
    return *made ? FLEET_DONE : FLEET_NO;
}

/* --- Ids -------------------------------------------------------------------------------------------------------------- */

static size_t hash_of(struct xylem_view id)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < id.bytes; i++) {
        hash = (hash ^ (unsigned char)id.data[i]) * UINT64_C(1099511628211);
    }
    return (size_t)(hash ^ (hash >> 29));
}

static bool is_id(const struct rows_bytes *bytes, struct xylem_view id)
{
    return bytes->bytes == id.bytes && memcmp(bytes->data, id.data, id.bytes) == 0;
}

/* The place of the id, or the free place where it belongs. */
static size_t place_of(const struct rows_ids *ids, struct xylem_view id)
{
    size_t place = hash_of(id) & (ids->place_count - 1);
    while (ids->places[place] && !is_id(ids->ids[ids->places[place] - 1], id)) {
        place = (place + 1) & (ids->place_count - 1);
    }
    return place;
}

size_t rows_ids_find(const struct rows_ids *ids, struct xylem_view id)
{
    size_t found = ids->place_count ? ids->places[place_of(ids, id)] : 0;
    return found ? found - 1 : ROWS_NONE;
}

static void make_places(struct rows_ids *ids)
{
    ids->place_count = ids->place_count ? 2 * ids->place_count : 64;
    free(ids->places);
    ids->places = rows_memory(NULL, ids->place_count * sizeof *ids->places);
    memset(ids->places, 0, ids->place_count * sizeof *ids->places);
    for (size_t i = 0; i < ids->count; i++) {
        ids->places[place_of(ids, view_of(ids->ids[i]))] = i + 1;
    }
}

size_t rows_ids_add(struct rows_ids *ids, struct xylem_view id)
{
    size_t found = rows_ids_find(ids, id);
    if (found != ROWS_NONE) {
        return found;
    }
    if (ids->count == ids->capacity) {
        ids->capacity = ids->capacity ? 2 * ids->capacity : 64;
        ids->ids = rows_memory(ids->ids, ids->capacity * sizeof(struct rows_bytes *));
    }
    if (2 * (ids->count + 1) > ids->place_count) {
        make_places(ids);
    }
    ids->places[place_of(ids, id)] = ids->count + 1;
    ids->ids[ids->count] = rows_bytes_new(id);
    return ids->count++;
}

static int compare_ids(const void *left, const void *right, void *context)
{
    struct rows_bytes *const *ids = context;
    const struct rows_bytes *one = ids[*(const size_t *)left];
    const struct rows_bytes *other = ids[*(const size_t *)right];
    int order = memcmp(one->data, other->data, one->bytes < other->bytes ? one->bytes : other->bytes);
    return order ? order : (one->bytes > other->bytes) - (one->bytes < other->bytes);
}

/* The numbers in the order of the bytes of the ids. */
static const size_t *rows_ids_sorted(struct rows_ids *ids)
{
    if (ids->sorted_count != ids->count) {
        ids->sorted = rows_memory(ids->sorted, ids->count * sizeof *ids->sorted);
        for (size_t i = 0; i < ids->count; i++) {
            ids->sorted[i] = i;
        }
        qsort_r(ids->sorted, ids->count, sizeof *ids->sorted, compare_ids, ids->ids);
        ids->sorted_count = ids->count;
    }
    return ids->sorted;
}

void rows_ids_release(struct rows_ids *ids)
{
    for (size_t i = 0; i < ids->count; i++) {
        rows_bytes_drop(ids->ids[i]);
    }
    free(ids->ids);
    free(ids->places);
    free(ids->sorted);
    *ids = (struct rows_ids){0};
}

/* --- Tables ----------------------------------------------------------------------------------------------------------- */

struct rows_version *rows_table_get(const struct rows_table *table, size_t number)
{
    return number < table->count ? table->rows[number] : NULL;
}

void rows_table_put(struct rows_table *table, size_t number, struct rows_version *version)
{
    if (number >= table->count) {
        size_t count = number + 1 + number / 2;
        table->rows = rows_memory(table->rows, count * sizeof(struct rows_version *));
        memset(table->rows + table->count, 0, (count - table->count) * sizeof(struct rows_version *));
        table->count = count;
    }
    rows_version_drop(table->rows[number]);
    table->rows[number] = version;
}

void rows_table_copy(struct rows_table *to, const struct rows_table *from)
{
    to->count = from->count;
    to->rows = rows_memory(NULL, from->count * sizeof(struct rows_version *));
    for (size_t i = 0; i < from->count; i++) {
        to->rows[i] = rows_version_use(from->rows[i]);
    }
}

void rows_table_release(struct rows_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        rows_version_drop(table->rows[i]);
    }
    free(table->rows);
    *table = (struct rows_table){0};
}

/* --- Requests ----------------------------------------------------------------------------------------------------------- */

int rows_request_check(const struct fleet_request *request, struct xylem_error *err)
{
    if (request->session.bytes > XYLEM_SESSION_ID_BYTES_MAX || request->host.bytes > FLEET_HOST_BYTES_MAX ||
        request->about.bytes > FLEET_ABOUT_BYTES_MAX) {
        return xylem_base__fail(err, XYLEM_E_LIMIT, "a member of the request `%s` is longer than its limit",
                                fleet_ask_word(request->ask));
    }
    bool has_range = request->ask == FLEET_APPEND || request->ask == FLEET_REWRITE;
    if ((request->ask != FLEET_LIST && request->session.bytes == 0) ||
        (has_range && (request->from == 0 || request->to <= request->from || request->to > FLEET_ORDINAL_MAX ||
                       !request->body.data)) ||
        ((request->ask == FLEET_READ || request->ask == FLEET_LIST) && request->limit == 0)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "no engine is asked so: `%s`", fleet_ask_word(request->ask));
    }
    return XYLEM_OK;
}

void rows_request_copy(struct rows_request *copy, const struct fleet_request *request)
{
    copy->request = *request;
    struct xylem_view *views[] = {&copy->request.session, &copy->request.host, &copy->request.body,
                                  &copy->request.about,   &copy->request.head, &copy->request.behind};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        bytes += views[i]->bytes;
    }
    copy->bytes = rows_memory(NULL, sizeof *copy->bytes + bytes + 1);
    *copy->bytes = (struct rows_bytes){1, bytes};
    char *at = copy->bytes->data;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        if (views[i]->data) {
            memcpy(at, views[i]->data, views[i]->bytes);
            views[i]->data = at;
            at += views[i]->bytes;
        }
    }
}

void rows_request_release(struct rows_request *copy)
{
    rows_bytes_drop(copy->bytes);
    copy->bytes = NULL;
}

/* --- Answers ------------------------------------------------------------------------------------------------------------ */

const char *rows_text(enum fleet_outcome outcome)
{
    static const char *const texts[] = {
        [FLEET_DONE] = "",
        [FLEET_NO] = "the row says otherwise: look at the row",
        [FLEET_RETRY] = "two transactions met: try again",
        [FLEET_UNKNOWN] = "the answer was lost: look at the row",
        [FLEET_REFUSED] = "the cluster acknowledges on one node alone: bring a standby back",
        [FLEET_UNREACHABLE] = "no node that takes writes answers: start one",
    };
    return texts[outcome];
}

static void show_row(struct fleet_row *shown, struct xylem_view id, const struct rows_version *row,
                     const struct fleet_request *request, uint64_t now_ms)
{
    bool has_head = request->ask == FLEET_ROW || request->ask == FLEET_CLAIM;
    *shown = (struct fleet_row){.id = id,
                                .epoch = row->epoch,
                                .next = row->next,
                                .chain = row->chain,
                                .mine = has_token(row, request),
                                .unowned = row->unowned,
                                .freed = row->freed,
                                .generation = row->generation,
                                .host = view_of(row->host),
                                .silent_ms = now_ms > row->heard_ms ? now_ms - row->heard_ms : 0,
                                .about = view_of(row->about),
                                .head = view_of(has_head ? row->head : NULL)};
    for (size_t i = 0; i < row->piece_count; i++) {
        shown->bytes += row->pieces[i]->body ? row->pieces[i]->body->bytes : 0;
    }
}

static void keep(struct rows_answer *made, struct rows_version *version)
{
    made->versions = rows_memory(made->versions, (made->version_count + 1) * sizeof(struct rows_version *));
    made->versions[made->version_count++] = rows_version_use(version);
}

static void show_pieces(struct rows_answer *made, const struct rows_version *row, const struct fleet_request *request)
{
    size_t count = 0;
    made->pieces = rows_memory(NULL, row->piece_count * sizeof *made->pieces);
    for (size_t i = 0; i < row->piece_count && count < request->limit; i++) {
        const struct rows_piece *piece = row->pieces[i];
        if (piece->to > request->from || row->freed) {
            made->pieces[count++] =
                (struct fleet_piece){piece->from, piece->to, piece->chain, piece->generation, view_of(piece->body)};
        }
    }
    made->answer.pieces = made->pieces;
    made->answer.piece_count = count;
}

void rows_answer_make_one(struct rows_answer *made, const struct fleet_request *request, uint64_t number,
                          enum fleet_outcome outcome, struct xylem_view id, struct rows_version *row, uint64_t now_ms)
{
    bool has_row = request->ask == FLEET_ROW || request->ask == FLEET_CLAIM || request->ask == FLEET_LOOK ||
                   request->ask == FLEET_READ;
    *made = (struct rows_answer){
        .answer = {.number = number, .ask = request->ask, .outcome = outcome, .text = rows_text(outcome)}};
    if (outcome != FLEET_DONE || !has_row) {
        return;
    }
    keep(made, row);
    made->rows = rows_memory(NULL, sizeof *made->rows);
    show_row(made->rows, id, row, request, now_ms);
    made->answer.rows = made->rows;
    made->answer.row_count = 1;
    if (request->ask == FLEET_READ) {
        show_pieces(made, row, request);
    }
}

static void make_list(struct rows_answer *made, const struct fleet_request *request, struct rows_ids *ids,
                      const struct rows_table *table, uint64_t now_ms)
{
    const size_t *sorted = rows_ids_sorted(ids);
    for (size_t i = 0; i < ids->count && made->answer.row_count < request->limit; i++) {
        struct xylem_view id = view_of(ids->ids[sorted[i]]);
        struct rows_version *row = rows_table_get(table, sorted[i]);
        size_t shorter = id.bytes < request->behind.bytes ? id.bytes : request->behind.bytes;
        int order = request->behind.data ? memcmp(id.data, request->behind.data, shorter) : 1;
        if (row && (order > 0 || (order == 0 && id.bytes > request->behind.bytes))) {
            made->rows = rows_memory(made->rows, (made->answer.row_count + 1) * sizeof *made->rows);
            show_row(&made->rows[made->answer.row_count++], id, row, request, now_ms);
            keep(made, row);
        }
    }
    made->answer.rows = made->rows;
}

void rows_answer_make(struct rows_answer *made, const struct fleet_request *request, uint64_t number,
                      enum fleet_outcome outcome, struct rows_ids *ids, const struct rows_table *table, uint64_t now_ms)
{
    size_t row = request->ask == FLEET_LIST ? ROWS_NONE : rows_ids_find(ids, request->session);
    rows_answer_make_one(made, request, number, outcome, row == ROWS_NONE ? request->session : view_of(ids->ids[row]),
                         row == ROWS_NONE ? NULL : rows_table_get(table, row), now_ms);
    if (request->ask == FLEET_LIST && outcome == FLEET_DONE) {
        make_list(made, request, ids, table, now_ms);
    }
}

void rows_answer_release(struct rows_answer *answer)
{
    for (size_t i = 0; i < answer->version_count; i++) {
        rows_version_drop(answer->versions[i]);
    }
    free(answer->versions);
    free(answer->rows);
    free(answer->pieces);
    *answer = (struct rows_answer){0};
}
