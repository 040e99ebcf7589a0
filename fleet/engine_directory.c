#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/os.h"
#include "fleet/directory.h"
#include "fleet/files.h"
#include "fleet/frame.h"
#include "fleet/object.h"

#define MARKER "xylem-fleet"
#define ROW "row"
#define OBJECT_BYTES_MAX (FLEET_FRAME_BYTES_MAX + 1024u)
#define SMALL_BYTES_MAX 131072u  /* of a marker, or a row with its head */
#define ID_PART_BYTES 100u       /* of an id in one name: a name has 255 bytes at most */
#define READ_BYTES_MAX 16777216u /* of the pieces of one answer, unless one piece has more */
#define LIST_ROWS_MAX 1000u
#define TEXT_BYTES 1024u

struct id_list {
    struct xylem_buffer *ids;
    size_t count;
    size_t capacity;
};

struct directory {
    struct fleet_engine engine;
    char *path;
    int lock; /* -1: nothing was written yet */
    int event;
    bool answered;
    struct fleet_answer answer;
    char text[TEXT_BYTES];
    struct fleet_row *rows;
    struct xylem_buffer *row_files; /* with the views of the rows */
    struct fleet_piece *pieces;
    struct xylem_buffer *bodies;
    size_t row_capacity;
    size_t row_file_capacity;
    size_t piece_capacity;
    size_t body_capacity;
    struct id_list list; /* of the last LIST from the first */
};

/* The session of a request. */
struct place {
    struct directory *directory;
    const struct fleet_request *request;
    char *path;
    struct xylem_buffer row_file;
    struct fleet_row row; /* next 1 and chain 0 without a row */
    bool found;
    uint64_t *froms; /* the ordinals that name segments, ascending */
    size_t from_count;
    size_t from_capacity;
    struct xylem_error *err;
};

/* --- Answers ------------------------------------------------------------------------------------------------------ */

static void forget_answer(struct directory *directory)
{
    for (size_t i = 0; i < directory->answer.row_count; i++) {
        xylem_buffer_release(&directory->row_files[i]);
    }
    for (size_t i = 0; i < directory->answer.piece_count; i++) {
        xylem_buffer_release(&directory->bodies[i]);
    }
    directory->answer = (struct fleet_answer){.text = directory->text};
    directory->text[0] = '\0';
}

__attribute__((format(printf, 3, 4))) static int say(struct directory *directory, enum fleet_outcome outcome,
                                                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(directory->text, sizeof directory->text, format, arguments);
    va_end(arguments);
    directory->answer.outcome = outcome;
    return 0;
}

/* Takes the row's memory. */
static int add_row(struct directory *directory, struct fleet_row *row, struct xylem_buffer *file,
                   struct xylem_error *err)
{
    size_t count = directory->answer.row_count;
    struct fleet_row *rows =
        xylem_base__with_room(directory->rows, &directory->row_capacity, count, sizeof *directory->rows);
    directory->rows = rows ? rows : directory->rows;
    struct xylem_buffer *files =
        xylem_base__with_room(directory->row_files, &directory->row_file_capacity, count, sizeof *directory->row_files);
    directory->row_files = files ? files : directory->row_files;
    if (!rows || !files) {
        return xylem_base__fail_memory(err);
    }
    rows[count] = *row;
    files[count] = *file;
    *file = (struct xylem_buffer){0};
    directory->answer.rows = rows;
    directory->answer.row_count++;
    return 0;
}

static int add_piece(struct directory *directory, const struct fleet_piece *piece, struct xylem_buffer *body,
                     struct xylem_error *err)
{
    size_t count = directory->answer.piece_count;
    struct fleet_piece *pieces =
        xylem_base__with_room(directory->pieces, &directory->piece_capacity, count, sizeof *directory->pieces);
    directory->pieces = pieces ? pieces : directory->pieces;
    struct xylem_buffer *bodies =
        xylem_base__with_room(directory->bodies, &directory->body_capacity, count, sizeof *directory->bodies);
    directory->bodies = bodies ? bodies : directory->bodies;
    if (!pieces || !bodies) {
        return xylem_base__fail_memory(err);
    }
    pieces[count] = *piece;
    pieces[count].body = xylem_base__buffer_view(body);
    bodies[count] = *body;
    *body = (struct xylem_buffer){0};
    directory->answer.pieces = pieces;
    directory->answer.piece_count++;
    return 0;
}

/* --- Places ------------------------------------------------------------------------------------------------------- */

static int put_session_path(struct xylem_buffer *path, const struct directory *directory, struct xylem_view id)
{
    unsigned first = (unsigned)(fleet_frame_sum(id) >> 56);
    int code = xylem_base__buffer_add_format(path, "%s/sessions/%02x/", directory->path, first);
    while (code == 0 && id.bytes > ID_PART_BYTES) {
        code = fleet_hex_add(path, (struct xylem_view){id.data, ID_PART_BYTES});
        code = code < 0 ? code : xylem_base__buffer_add_text(path, "+/");
        id = (struct xylem_view){id.data + ID_PART_BYTES, id.bytes - ID_PART_BYTES};
    }
    code = code < 0 ? code : fleet_hex_add(path, id);
    return code;
}

static void segment_name(char name[17], uint64_t from)
{
    (void)snprintf(name, 17, "%016" PRIx64, from);
}

/* Damage of a file, with its name, and with what a person can do. */
static int fail_damaged(struct place *place, int code, const char *name, const char *way_out)
{
    struct xylem_error why = *place->err;
    return code == XYLEM_E_MEMORY || code == XYLEM_E_IO ? code
           : code == XYLEM_E_TOO_NEW
               ? xylem_base__fail(place->err, code, "%s/%s: %s", place->path, name, why.text)
               : xylem_base__fail(place->err, code, "%s/%s: %s: %s", place->path, name, why.text, way_out);
}

static int read_row(struct place *place)
{
    char *path = xylem_base__path_join(place->path, ROW);
    struct fleet_object object;
    struct xylem_buffer file = {0};
    int code = path ? fleet_file_read(&file, path, SMALL_BYTES_MAX, place->err) : xylem_base__fail_memory(place->err);
    free(path);
    if (code == 0) {
        code = fleet_object_read(&object, FLEET_OBJECT_ROW, xylem_base__buffer_view(&file), place->err);
        struct xylem_view id = place->request->session;
        if (code == 0 && (object.row.id.bytes != id.bytes || memcmp(object.row.id.data, id.data, id.bytes) != 0)) {
            code = xylem_base__fail(place->err, XYLEM_E_CORRUPT, "the row of another session");
        }
    }
    if (code < 0) {
        xylem_buffer_release(&file);
        return code == XYLEM_E_NOT_FOUND
                   ? 0
                   : fail_damaged(place, code, ROW, "remove the file, and the row is made of the segments");
    }
    int64_t age_ms = xylem_base__now_ms() - object.written_ms;
    place->row = object.row;
    place->row.silent_ms = age_ms > 0 ? (uint64_t)age_ms : 0;
    place->row_file = file;
    place->found = true;
    return 1;
}

static int note_from(void *context, const char *name)
{
    struct place *place = context;
    struct xylem_buffer bytes = {0};
    bool named = fleet_hex_read(&bytes, xylem_view_of(name)) && bytes.bytes == sizeof(uint64_t);
    uint64_t from = 0;
    if (named) {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(bytes.data, bytes.bytes);
        from = xylem_base__read_u64_be(&cursor);
    }
    xylem_buffer_release(&bytes);
    if (!named) {
        return 0;
    }
    uint64_t *froms = xylem_base__with_room(place->froms, &place->from_capacity, place->from_count, sizeof *froms);
    if (!froms) {
        return xylem_base__fail_memory(place->err);
    }
    place->froms = froms;
    place->froms[place->from_count++] = from;
    return 0;
}

static int read_names(struct place *place)
{
    int code = fleet_directory_each(place->path, note_from, place, place->err);
    if (place->from_count > 0) {
        qsort(place->froms, place->from_count, sizeof *place->froms, xylem_base__compare_numbers);
    }
    return code;
}

/* Reads the segment that begins at `from`: 1, or 0 if there is none. `file` has the views of the object. */
static int read_object(struct fleet_object *object, struct xylem_buffer *file, struct place *place, uint64_t from)
{
    char name[17];
    segment_name(name, from);
    char *path = xylem_base__path_join(place->path, name);
    int code = path ? fleet_file_read(file, path, OBJECT_BYTES_MAX, place->err) : xylem_base__fail_memory(place->err);
    free(path);
    if (code == XYLEM_E_NOT_FOUND) {
        return 0;
    }
    code = code < 0 ? code : fleet_object_read(object, FLEET_OBJECT_SEGMENT, xylem_base__buffer_view(file), place->err);
    struct xylem_view id = place->request->session;
    if (code == 0 && (object->piece.from != from || object->session.bytes != id.bytes ||
                      memcmp(object->session.data, id.data, id.bytes) != 0)) {
        code = xylem_base__fail(place->err, XYLEM_E_CORRUPT, "the segment of another session or place");
    }
    return code < 0 ? fail_damaged(place, code, name,
                                   "remove the directory of the session, and `xylem fleet archive` copies it anew")
                    : 1;
}

/* The same, with the segment that the frame holds. */
static int read_piece(struct fleet_piece *piece, struct xylem_buffer *body, struct place *place, uint64_t from)
{
    struct xylem_buffer file = {0};
    struct fleet_object object;
    char name[17];
    int code = read_object(&object, &file, place, from);
    if (code == 1) {
        *piece = object.piece;
        code = fleet_frame_expand(body, object.piece.body, place->err);
        segment_name(name, from);
        code = code < 0 ? fail_damaged(place, code, name, "the archive needs a copy of the file") : 1;
    }
    xylem_buffer_release(&file);
    return code;
}

/* A row that is missing: as far as segments follow each other. 1, or 0 without any. */
static int make_row(struct place *place)
{
    int code = read_names(place);
    for (size_t i = 0; code >= 0 && i < place->from_count; i++) {
        struct xylem_buffer file = {0};
        struct fleet_object object;
        uint64_t from = place->froms[i];
        code = from == 0 || from == place->row.next ? read_object(&object, &file, place, from) : 0;
        if (code == 1) {
            uint64_t generation = object.piece.generation;
            place->found = true;
            place->row.freed = place->row.freed || from == 0;
            place->row.next = from == 0 ? place->row.next : object.piece.to;
            place->row.chain = from == 0 ? place->row.chain : object.piece.chain;
            place->row.generation = generation > place->row.generation ? generation : place->row.generation;
            place->row.bytes += file.bytes;
        }
        xylem_buffer_release(&file);
    }
    return code < 0 ? code : place->found;
}

static void leave(struct place *place)
{
    free(place->path);
    free(place->froms);
    xylem_buffer_release(&place->row_file);
}

/* Finds the row. Leave the place in any case. */
static int enter(struct place *place, struct directory *directory, const struct fleet_request *request,
                 struct xylem_error *err)
{
    struct xylem_buffer path = {0};
    *place = (struct place){.directory = directory, .request = request, .err = err};
    place->row = (struct fleet_row){.id = request->session, .next = 1, .unowned = true, .host = {"", 0}};
    if (put_session_path(&path, directory, request->session) < 0) {
        xylem_buffer_release(&path);
        return xylem_base__fail_memory(err);
    }
    place->path = path.data;
    int code = read_row(place);
    return code == 0 ? make_row(place) : code;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* The first write of a process locks the archive. */
static int lock(struct directory *directory, struct xylem_error *err)
{
    if (directory->lock >= 0) {
        return 0;
    }
    char *path = xylem_base__path_join(directory->path, MARKER);
    int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    int code = !path    ? xylem_base__fail_memory(err)
               : fd < 0 ? xylem_base__fail_errno(err, errno, "cannot open", path)
                        : 0;
    if (code == 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        code = xylem_base__fail(err, XYLEM_E_BUSY,
                                "another process writes into the archive %s: wait until that process has ended",
                                directory->path);
    }
    free(path);
    if (code < 0 && fd >= 0) {
        close(fd);
    } else if (code == 0) {
        directory->lock = fd;
    }
    return code;
}

/* A failure behind a rename: the file may be there or not. */
static int write_file(struct place *place, const char *name, const struct fleet_object *object, size_t *file_bytes)
{
    struct xylem_buffer file = {0};
    bool renamed = false;
    int code = fleet_object_write(&file, object, place->err);
    code = code < 0 ? code : fleet_directory_make(place->path, strlen(place->directory->path), place->err);
    code = code < 0 ? code : fleet_file_write(&renamed, place->path, name, xylem_base__buffer_view(&file), place->err);
    *file_bytes = file.bytes;
    xylem_buffer_release(&file);
    if (code < 0 && renamed && code != XYLEM_E_MEMORY) {
        say(place->directory, FLEET_UNKNOWN, "%s", place->err->text);
        return 1;
    }
    return code;
}

/* The row is written behind what it tells of. */
static int write_row(struct place *place)
{
    struct fleet_object object = {.type = FLEET_OBJECT_ROW, .row = place->row, .written_ms = xylem_base__now_ms()};
    size_t bytes;
    int code = write_file(place, ROW, &object, &bytes);
    return code == 0 ? say(place->directory, FLEET_DONE, "%s", "") : code;
}

/* Writes the body of the request, with these numbers. `old_bytes`: of the file in its place. */
static int write_segment(struct place *place, const struct fleet_piece *piece, size_t old_bytes)
{
    struct fleet_object object = {.type = FLEET_OBJECT_SEGMENT, .piece = *piece, .session = place->request->session};
    struct xylem_buffer frame = {0};
    size_t bytes = 0;
    char name[17];
    int code = fleet_frame_pack(&frame, place->request->body, place->err);
    object.piece.body = xylem_base__buffer_view(&frame);
    segment_name(name, piece->from);
    code = code < 0 ? code : write_file(place, name, &object, &bytes);
    xylem_buffer_release(&frame);
    if (code == 0) {
        place->row.bytes = place->row.bytes > old_bytes ? place->row.bytes - old_bytes + bytes : bytes;
        place->row.generation = piece->generation > place->row.generation ? piece->generation : place->row.generation;
    }
    return code;
}

static bool same_view(struct xylem_view left, struct xylem_view right)
{
    return left.bytes == right.bytes && (left.bytes == 0 || memcmp(left.data, right.data, left.bytes) == 0);
}

/* What the archive has already: the same bytes are said twice, others are another history. */
static int append_again(struct place *place)
{
    const struct fleet_request *request = place->request;
    struct fleet_piece piece = {.to = 0};
    struct xylem_buffer body = {0};
    int code = read_piece(&piece, &body, place, request->from);
    bool same = code == 1 && piece.to == request->to && piece.chain == request->after &&
                same_view(xylem_base__buffer_view(&body), request->body);
    xylem_buffer_release(&body);
    return code < 0 ? code
           : same   ? say(place->directory, FLEET_DONE, "%s", "")
                    : say(place->directory, FLEET_NO, "the archive has other bytes for the changes from %" PRIu64 " on",
                          request->from);
}

/* What lists show, and the head: a text that was redacted may stand there, too. */
static void take_shown(struct place *place)
{
    const struct fleet_request *request = place->request;
    place->row.about = request->about.data ? request->about : place->row.about;
    place->row.head = request->head.data ? request->head : place->row.head;
}

static int append_new(struct place *place)
{
    const struct fleet_request *request = place->request;
    const struct fleet_piece piece = {
        .from = request->from, .to = request->to, .chain = request->after, .generation = request->generation};
    struct fleet_row *row = &place->row;
    int code = write_segment(place, &piece, 0);
    row->next = request->to;
    row->chain = request->after;
    row->epoch = request->epoch > row->epoch ? request->epoch : row->epoch;
    row->host = request->host.bytes > 0 ? request->host : row->host;
    take_shown(place);
    return code == 0 ? write_row(place) : code < 0 ? code : 0;
}

static int do_append(struct place *place)
{
    const struct fleet_request *request = place->request;
    const struct fleet_row *row = &place->row;
    if (row->freed) {
        return say(place->directory, FLEET_NO, "the session was freed in the archive");
    }
    if (request->from < row->next) {
        return append_again(place);
    }
    if (request->from > row->next) {
        return say(place->directory, FLEET_NO,
                   "a gap: the archive has the changes before %" PRIu64 ", and these begin at %" PRIu64, row->next,
                   request->from);
    }
    if (request->before != row->chain) {
        return say(place->directory, FLEET_NO,
                   "another history: the chain of the archive before the change %" PRIu64 " is %016" PRIx64
                   ", that of the changes %016" PRIx64,
                   row->next, row->chain, request->before);
    }
    return append_new(place);
}

static int do_rewrite(struct place *place)
{
    const struct fleet_request *request = place->request;
    struct xylem_buffer file = {0};
    struct fleet_object object = {.type = FLEET_OBJECT_SEGMENT};
    int code = request->from < place->row.next ? read_object(&object, &file, place, request->from) : 0;
    size_t old_bytes = file.bytes;
    struct fleet_piece piece = object.piece;
    xylem_buffer_release(&file);
    if (code < 0) {
        return code;
    }
    if (code == 0 || piece.to != request->to) {
        return say(place->directory, FLEET_NO, "the archive has no segment of the changes %" PRIu64 " to %" PRIu64,
                   request->from, request->to - 1);
    }
    if (request->generation < piece.generation) {
        return say(place->directory, FLEET_NO,
                   "the archive has generation %" PRIu64 " of the segment, and this is the older %" PRIu64,
                   piece.generation, request->generation);
    }
    piece.generation = request->generation;
    take_shown(place);
    code = write_segment(place, &piece, old_bytes);
    return code == 0 ? write_row(place) : code < 0 ? code : 0;
}

/* Removes all segments but the remains. */
static int remove_segments(struct place *place)
{
    char name[17];
    int code = read_names(place);
    for (size_t i = 0; code >= 0 && i < place->from_count; i++) {
        segment_name(name, place->froms[i]);
        code = place->froms[i] > 0 || place->request->body.bytes == 0 ? fleet_file_remove(place->path, name, place->err)
                                                                      : 0;
    }
    return code < 0 ? code : xylem_base__directory_sync(place->path, place->path, place->err);
}

/* The remains come first, the row last: whatever is interrupted is done again by the next FREE. */
static int do_free(struct place *place)
{
    const struct fleet_piece remains = {.generation = place->request->generation};
    int code = fleet_directory_make(place->path, strlen(place->directory->path), place->err);
    place->row.bytes = 0;
    if (code == 0 && place->request->body.bytes > 0) {
        code = write_segment(place, &remains, 0);
    }
    if (code == 0) {
        place->from_count = 0;
        code = remove_segments(place);
        place->row.freed = true;
        take_shown(place);
        place->row.head = (struct xylem_view){NULL, 0};
        code = code < 0 ? code : write_row(place);
    }
    return code < 0 ? code : 0;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static int do_row(struct place *place)
{
    say(place->directory, FLEET_DONE, "%s", "");
    return add_row(place->directory, &place->row, &place->row_file, place->err);
}

/* The remains alone, or the segments that end behind `from`. What lies behind the row was interrupted. */
static bool is_wanted(const struct place *place, size_t at)
{
    uint64_t from = place->froms[at];
    uint64_t following = at + 1 < place->from_count ? place->froms[at + 1] : UINT64_MAX;
    return place->row.freed ? from == 0 : from > 0 && from < place->row.next && following > place->request->from;
}

static int do_read(struct place *place)
{
    struct directory *directory = place->directory;
    uint64_t bytes = 0;
    bool made = place->from_count > 0; /* of a row that was missing */
    int code = do_row(place);
    code = code < 0 || made ? code : read_names(place);
    for (size_t i = 0; code >= 0 && i < place->from_count && bytes < READ_BYTES_MAX &&
                       directory->answer.piece_count < (place->request->limit > 0 ? place->request->limit : 1);
         i++) {
        struct fleet_piece piece;
        struct xylem_buffer body = {0};
        code = is_wanted(place, i) ? read_piece(&piece, &body, place, place->froms[i]) : 0;
        if (code == 1 && (piece.to > place->request->from || place->row.freed)) {
            bytes += body.bytes;
            code = add_piece(directory, &piece, &body, place->err);
        }
        xylem_buffer_release(&body);
    }
    /* What stands before the damage can be taken. */
    return code < 0 && code != XYLEM_E_MEMORY && directory->answer.piece_count > 0 ? 0 : code < 0 ? code : 0;
}

/* --- Lists -------------------------------------------------------------------------------------------------------- */

/* A directory on the way to ids. */
struct level {
    struct directory *directory;
    const char *path;
    struct xylem_buffer id; /* of the directories above */
    unsigned first;
    struct xylem_error *err;
};

static void forget_list(struct id_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        xylem_buffer_release(&list->ids[i]);
    }
    list->count = 0;
}

static int compare_views(struct xylem_view left, struct xylem_view right)
{
    size_t both = left.bytes < right.bytes ? left.bytes : right.bytes;
    int compared = both > 0 ? memcmp(left.data, right.data, both) : 0;
    return compared != 0 ? compared : (left.bytes > right.bytes) - (left.bytes < right.bytes);
}

static int compare_ids(const void *left, const void *right)
{
    return compare_views(xylem_base__buffer_view(left), xylem_base__buffer_view(right));
}

/* Takes the id's memory, if the name of the first directory is that of the id. */
static int add_id(struct level *level, struct xylem_buffer *id)
{
    struct id_list *list = &level->directory->list;
    struct xylem_view view = xylem_base__buffer_view(id);
    if (view.bytes == 0 || view.bytes > XYLEM_SESSION_ID_BYTES_MAX || fleet_frame_sum(view) >> 56 != level->first) {
        return 0;
    }
    struct xylem_buffer *ids = xylem_base__with_room(list->ids, &list->capacity, list->count, sizeof *ids);
    if (!ids) {
        return xylem_base__fail_memory(level->err);
    }
    list->ids = ids;
    list->ids[list->count++] = *id;
    *id = (struct xylem_buffer){0};
    return 0;
}

static int note_id(void *context, const char *name);

/* An id that goes on in the directory below. */
static int go_below(struct level *level, const char *name, struct xylem_buffer *id)
{
    struct level below = {.directory = level->directory, .first = level->first, .err = level->err, .id = *id};
    char *path = xylem_base__path_join(level->path, name);
    below.path = path;
    int code = path ? fleet_directory_each(path, note_id, &below, level->err) : xylem_base__fail_memory(level->err);
    free(path);
    return code;
}

/* Names that no archive gives are skipped. */
static int note_id(void *context, const char *name)
{
    struct level *level = context;
    struct xylem_buffer id = {0};
    struct xylem_view digits = xylem_view_of(name);
    bool goes_on = digits.bytes == 2 * ID_PART_BYTES + 1 && name[digits.bytes - 1] == '+';
    digits.bytes -= goes_on;
    int code = xylem_buffer_add(&id, level->id.data, level->id.bytes);
    if (code < 0) {
        code = xylem_base__fail_memory(level->err);
    } else if (digits.bytes > 0 && digits.bytes <= 2 * ID_PART_BYTES && fleet_hex_read(&id, digits) &&
               id.bytes <= XYLEM_SESSION_ID_BYTES_MAX) {
        code = goes_on ? go_below(level, name, &id) : add_id(level, &id);
    }
    xylem_buffer_release(&id);
    return code;
}

static int read_ids(struct directory *directory, struct xylem_error *err)
{
    struct id_list *list = &directory->list;
    int code = 0;
    forget_list(list);
    for (unsigned first = 0; code >= 0 && first < 256; first++) {
        struct xylem_buffer path = {0};
        code = xylem_base__buffer_add_format(&path, "%s/sessions/%02x", directory->path, first);
        struct level level = {.directory = directory, .path = path.data, .first = first, .err = err};
        code = code < 0 ? xylem_base__fail_memory(err) : fleet_directory_each(path.data, note_id, &level, err);
        xylem_buffer_release(&path);
    }
    if (list->count > 0) {
        qsort(list->ids, list->count, sizeof *list->ids, compare_ids);
    }
    return code < 0 ? code : 0;
}

/* Adds the row of an id, if there is one. */
static int list_row(struct directory *directory, struct xylem_view id, struct xylem_error *err)
{
    const struct fleet_request request = {.session = id};
    struct place place;
    int code = enter(&place, directory, &request, err);
    if (code == 1) {
        place.row.head = (struct xylem_view){NULL, 0};
        code = add_row(directory, &place.row, &place.row_file, err);
    }
    leave(&place);
    return code;
}

static int do_list(struct directory *directory, const struct fleet_request *request, struct xylem_error *err)
{
    struct id_list *list = &directory->list;
    uint32_t limit = request->limit == 0 || request->limit > LIST_ROWS_MAX ? LIST_ROWS_MAX : request->limit;
    size_t at = 0;
    int code = !request->behind.data || list->count == 0 ? read_ids(directory, err) : 0;
    while (request->behind.data && at < list->count &&
           compare_views(xylem_base__buffer_view(&list->ids[at]), request->behind) <= 0) {
        at++;
    }
    for (; code >= 0 && at < list->count && directory->answer.row_count < limit; at++) {
        code = list_row(directory, xylem_base__buffer_view(&list->ids[at]), err);
    }
    return code < 0 ? code : say(directory, FLEET_DONE, "%s", "");
}

/* --- Requests ----------------------------------------------------------------------------------------------------- */

static int check_request(const struct fleet_request *request, struct xylem_error *err)
{
    bool ranged = request->ask != FLEET_APPEND && request->ask != FLEET_REWRITE
                      ? true
                      : request->from > 0 && request->to > request->from && request->to <= FLEET_ORDINAL_MAX &&
                            request->body.bytes > 0;
    bool named = request->ask == FLEET_LIST ||
                 (request->session.bytes > 0 && request->session.bytes <= XYLEM_SESSION_ID_BYTES_MAX);
    return ranged && named && request->host.bytes <= FLEET_HOST_BYTES_MAX &&
                   request->about.bytes <= FLEET_ABOUT_BYTES_MAX && request->head.bytes <= FLEET_HEAD_BYTES_MAX
               ? 0
               : xylem_base__fail(err, XYLEM_E_LIMIT, "the request has a member beyond its limit");
}

static int do_session(struct directory *directory, const struct fleet_request *request, struct xylem_error *err)
{
    static int (*const doing[FLEET_ASK_COUNT])(struct place *) = {[FLEET_ROW] = do_row,
                                                                  [FLEET_READ] = do_read,
                                                                  [FLEET_APPEND] = do_append,
                                                                  [FLEET_REWRITE] = do_rewrite,
                                                                  [FLEET_FREE] = do_free};
    struct place place;
    int code = fleet_ask_writes(request->ask) ? lock(directory, err) : 0;
    if (code < 0) {
        return code;
    }
    code = enter(&place, directory, request, err);
    if (code == 0 && request->ask != FLEET_APPEND && request->ask != FLEET_FREE) {
        code = say(directory, FLEET_NO, "the archive has no such session");
    } else if (code >= 0) {
        code = doing[request->ask](&place);
    }
    leave(&place);
    bool damage =
        code == XYLEM_E_CORRUPT || code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT || code == XYLEM_E_TOO_NEW;
    return damage && fleet_ask_writes(request->ask) ? say(directory, FLEET_NO, "%s", err->text) : code;
}

static int answer_request(struct directory *directory, const struct fleet_request *request, struct xylem_error *err)
{
    switch (request->ask) {
    case FLEET_CLAIM:
    case FLEET_LOOK:
    case FLEET_RELEASE:
    case FLEET_ASK_COUNT:
        return say(directory, FLEET_REFUSED,
                   "%s is an archive, where nobody can own a session: name the fleet's PostgreSQL", directory->path);
    case FLEET_LIST:
        return do_list(directory, request, err);
    default:
        return do_session(directory, request, err);
    }
}

static int submit(struct fleet_engine *engine, uint64_t number, const struct fleet_request *request,
                  struct xylem_error *err)
{
    struct directory *directory = (struct directory *)engine;
    struct xylem_error why = {0};
    if (directory->answered) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "an archive takes one request at a time");
    }
    int code = check_request(request, err);
    if (code < 0) {
        return code;
    }
    forget_answer(directory);
    code = answer_request(directory, request, &why);
    if (code == XYLEM_E_MEMORY) {
        forget_answer(directory);
        return xylem_base__fail_memory(err);
    }
    if (code < 0) {
        forget_answer(directory);
        say(directory, FLEET_REFUSED, "%s", why.text);
    }
    directory->answer.number = number;
    directory->answer.ask = request->ask;
    directory->answered = true;
    (void)eventfd_write(directory->event, 1);
    return 0;
}

static int poll_answer(struct fleet_engine *engine, struct fleet_answer *answer, struct xylem_error *err)
{
    struct directory *directory = (struct directory *)engine;
    eventfd_t count;
    (void)err;
    if (!directory->answered) {
        return 0;
    }
    directory->answered = false;
    (void)eventfd_read(directory->event, &count);
    *answer = directory->answer;
    return 1;
}

static int event_fd(struct fleet_engine *engine)
{
    return ((struct directory *)engine)->event;
}

/* The answer is there already. */
static void drop(struct fleet_engine *engine, uint64_t number)
{
    (void)engine;
    (void)number;
}

static void free_directory(struct fleet_engine *engine)
{
    struct directory *directory = (struct directory *)engine;
    forget_answer(directory);
    forget_list(&directory->list);
    xylem_base__file_close(&directory->lock);
    xylem_base__file_close(&directory->event);
    free(directory->list.ids);
    free(directory->rows);
    free(directory->row_files);
    free(directory->pieces);
    free(directory->bodies);
    free(directory->path);
    free(directory);
}

/* --- Opening ------------------------------------------------------------------------------------------------------ */

static int note_stranger(void *context, const char *name)
{
    bool *strange = context;
    *strange = *strange || strcmp(name, FLEET_FILE_NEW) != 0;
    return 0;
}

/* Draws the id of a new archive. */
static int write_marker(const char *path, struct xylem_error *err)
{
    struct fleet_object object = {.type = FLEET_OBJECT_MARKER};
    struct xylem_buffer file = {0};
    bool strange = false;
    bool renamed;
    int code = fleet_directory_each(path, note_stranger, &strange, err);
    if (code >= 0 && strange) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s has other files, and is no archive: name an archive, or an empty directory", path);
    }
    if (code >= 0 && (code = xylem_base__directory_make(path, err)) >= 0 &&
        (code = xylem_base__random(object.id, sizeof object.id, err)) >= 0 &&
        (code = fleet_object_write(&file, &object, err)) >= 0) {
        code = fleet_file_write(&renamed, path, MARKER, xylem_base__buffer_view(&file), err);
    }
    xylem_buffer_release(&file);
    return code < 0 ? code : 0;
}

static int read_marker(struct directory *directory, struct xylem_error *err)
{
    char *path = xylem_base__path_join(directory->path, MARKER);
    struct xylem_buffer file = {0};
    struct fleet_object object;
    int code = path ? fleet_file_read(&file, path, SMALL_BYTES_MAX, err) : xylem_base__fail_memory(err);
    if (code == 0 &&
        (code = fleet_object_read(&object, FLEET_OBJECT_MARKER, xylem_base__buffer_view(&file), err)) < 0) {
        const struct xylem_error why = *err;
        code = xylem_base__fail(err, code, "%s: %s", path, why.text);
    } else if (code == 0) {
        memcpy(directory->engine.id, object.id, sizeof object.id);
    }
    xylem_buffer_release(&file);
    free(path);
    return code;
}

static int open_archive(struct directory *directory, bool make, struct xylem_error *err)
{
    int code = read_marker(directory, err);
    if (code == XYLEM_E_NOT_FOUND) {
        code = make ? write_marker(directory->path, err)
                    : xylem_base__fail(err, code, "%s is no archive of `xylem fleet archive`", directory->path);
        code = code < 0 ? code : read_marker(directory, err);
    }
    return code;
}

int fleet_engine_directory(struct fleet_engine **engine, const char *directory, bool make, struct xylem_error *err)
{
    struct xylem_error why = {0};
    struct directory *made = calloc(1, sizeof *made);
    if (!made) {
        return xylem_base__fail_memory(err);
    }
    made->engine = (struct fleet_engine){
        .submit = submit, .poll = poll_answer, .fd = event_fd, .drop = drop, .free = free_directory};
    made->lock = -1;
    made->answer.text = made->text;
    made->path = strdup(directory);
    made->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int code = !made->path       ? xylem_base__fail_memory(&why)
               : made->event < 0 ? xylem_base__fail_errno(&why, errno, "cannot open", "an event")
                                 : open_archive(made, make, &why);
    if (code < 0) {
        free_directory(&made->engine);
        return xylem_base__fail(err, code, "%s", why.text);
    }
    *engine = &made->engine;
    return 0;
}
