#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/os.h"
#include "base/value.h"
#include "fleet/directory.h"
#include "fleet/files.h"
#include "fleet/frame.h"
#include "fleet/object.h"

#define MARKER "xylem-fleet"
#define SESSIONS "/sessions"
#define ROW "row"
#define SEGMENT_NAME_BYTES 17u
#define SEGMENT_BYTES_MAX (FLEET_FRAME_BYTES_MAX + 1024u) /* of a file */
#define SMALL_BYTES_MAX 16384u                            /* of a marker or a row */
#define ID_PART_BYTES 100u                                /* of an id in one name: a name has 255 bytes at most */
#define READ_BYTES_MAX 16777216u                          /* of an answer's pieces, unless one piece has more */
#define ROWS_MAX 256u
#define PIECES_MAX 64u

struct names {
    struct dirent **list;
    int count;
};

struct directory {
    struct fleet_engine engine;
    char *path;
    int lock; /* -1: nothing was written yet */
    int event;
    bool answered;
    struct fleet_answer answer;
    struct xylem_error why; /* with the text of the answer */
    struct fleet_row rows[ROWS_MAX];
    struct fleet_piece pieces[PIECES_MAX];
    struct xylem_buffer memory[ROWS_MAX + PIECES_MAX]; /* of the views of rows and pieces */
    size_t piece_bytes;
    struct names sessions; /* of the last LIST from the first */
};

/* The session of a request. */
struct place {
    struct directory *directory;
    const struct fleet_request *request;
    char *path;
    struct fleet_object row;  /* next 1 and chain 0 without a row */
    struct xylem_buffer file; /* with the views of the row */
    struct names segments;    /* read once, in the order of their ordinals */
    struct xylem_error *err;
};

/* --- Answers ------------------------------------------------------------------------------------------------------ */

static void forget_answer(struct directory *directory)
{
    for (size_t i = 0; i < ROWS_MAX + PIECES_MAX; i++) {
        xylem_buffer_release(&directory->memory[i]);
    }
    directory->answer =
        (struct fleet_answer){.text = directory->why.text, .rows = directory->rows, .pieces = directory->pieces};
    directory->why.text[0] = '\0';
    directory->piece_bytes = 0;
}

/* --- Names -------------------------------------------------------------------------------------------------------- */

/* The order of the bytes: that of ids and ordinals, too, since a `+` comes before all digits. */
static int compare_names(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

static int is_segment(const struct dirent *entry)
{
    return strlen(entry->d_name) == SEGMENT_NAME_BYTES - 1 &&
           entry->d_name[strspn(entry->d_name, XYLEM_BASE__HEX_DIGITS)] == '\0';
}

/* The last part of an id. */
static int is_rest(const struct dirent *entry)
{
    size_t digits = strspn(entry->d_name, XYLEM_BASE__HEX_DIGITS);
    return digits > 0 && digits <= 2 * ID_PART_BYTES && digits % 2 == 0 && entry->d_name[digits] == '\0';
}

static int is_id(const struct dirent *entry)
{
    return is_rest(entry) || (strspn(entry->d_name, XYLEM_BASE__HEX_DIGITS) == 2 * ID_PART_BYTES &&
                              strcmp(entry->d_name + 2 * ID_PART_BYTES, "+") == 0);
}

static int is_strange(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
           strcmp(entry->d_name, FLEET_FILE_NEW) != 0;
}

static void forget_names(struct names *names)
{
    while (names->count > 0) {
        free(names->list[--names->count]);
    }
    free(names->list);
    *names = (struct names){NULL, 0};
}

/* A missing directory has none. */
static int read_names(struct names *names, const char *path, int (*is_name)(const struct dirent *),
                      struct xylem_error *err)
{
    forget_names(names);
    int count = scandir(path, &names->list, is_name, compare_names);
    names->count = count > 0 ? count : 0;
    names->list = count >= 0 ? names->list : NULL;
    return count >= 0 || errno == ENOENT || errno == ENOTDIR
               ? 0
               : xylem_base__fail_errno(err, errno, "cannot read the directory", path);
}

/* The path of a session below `sessions`. */
static int add_id(struct xylem_buffer *path, struct xylem_view id)
{
    int code = xylem_base__buffer_add_text(path, "");
    for (size_t i = 0; code == 0 && i < id.bytes; i++) {
        code = xylem_base__buffer_add_format(path, i == ID_PART_BYTES ? "+/%02x" : "%02x", (unsigned char)id.data[i]);
    }
    return code;
}

/* NULL: no memory. */
static char *session_path(const struct directory *directory, struct xylem_view id)
{
    struct xylem_buffer path = {0};
    if (xylem_base__buffer_add_format(&path, "%s" SESSIONS "/", directory->path) < 0 || add_id(&path, id) < 0) {
        xylem_buffer_release(&path);
    }
    return path.data;
}

static const char *file_name(char name[SEGMENT_NAME_BYTES], const struct fleet_object *object)
{
    (void)snprintf(name, SEGMENT_NAME_BYTES, object->type == FLEET_OBJECT_ROW ? ROW : "%016" PRIx64, object->from);
    return name;
}

/* --- Places ------------------------------------------------------------------------------------------------------- */

/* A file that was copied to another place is of another session, or has other changes. */
static int check_place(const struct place *place, const struct fleet_object *object, const char *name)
{
    char right[SEGMENT_NAME_BYTES];
    char *path = session_path(place->directory, object->id);
    int code = !path ? xylem_base__fail_memory(place->err)
               : strcmp(path, place->path) == 0 && strcmp(file_name(right, object), name) == 0
                   ? 0
                   : xylem_base__fail(place->err, XYLEM_E_CORRUPT, "the file is of another session or place");
    free(path);
    return code;
}

/* Damage of a file, with its name, and with what a person can do. */
static int fail_damaged(const struct place *place, int code, const char *name)
{
    const struct xylem_error why = *place->err;
    const char *way_out = code == XYLEM_E_TOO_NEW ? ""
                          : strcmp(name, ROW) == 0
                              ? ": remove the file, and the row is made of the segments"
                              : ": remove the directory of the session, and `xylem fleet archive` copies it anew";
    return code == XYLEM_E_MEMORY || code == XYLEM_E_IO
               ? code
               : xylem_base__fail(place->err, code, "%s/%s: %s%s", place->path, name, why.text, way_out);
}

/* Reads a file of the session: 1, or 0 if there is none. `file` has the views of the object. */
static int read_file(struct fleet_object *object, struct xylem_buffer *file, const struct place *place,
                     const char *name)
{
    bool is_row = strcmp(name, ROW) == 0;
    enum fleet_object_type type = is_row ? FLEET_OBJECT_ROW : FLEET_OBJECT_SEGMENT;
    char *path = xylem_base__path_join(place->path, name);
    int code = path ? fleet_file_read(file, path, is_row ? SMALL_BYTES_MAX : SEGMENT_BYTES_MAX, place->err)
                    : xylem_base__fail_memory(place->err);
    free(path);
    if (code == XYLEM_E_NOT_FOUND) {
        return 0;
    }
    code = code < 0 ? code : fleet_object_read(object, type, xylem_base__buffer_view(file), place->err);
    code = code < 0 ? code : check_place(place, object, name);
    return code < 0 ? fail_damaged(place, code, name) : 1;
}

static int read_segments(struct place *place)
{
    return place->segments.list ? 0 : read_names(&place->segments, place->path, is_segment, place->err);
}

/* The ordinal at which a segment begins; 0: the remains, which come first. */
static uint64_t from_of(const struct place *place, int at)
{
    return at < place->segments.count ? strtoull(place->segments.list[at]->d_name, NULL, 16) : UINT64_MAX;
}

/* A row that is missing: as far as segments follow each other. 1, or 0 without any. */
static int make_row(struct place *place)
{
    struct fleet_object *row = &place->row;
    int code = read_segments(place);
    bool found = false;
    for (int i = 0; code >= 0 && i < place->segments.count; i++) {
        struct xylem_buffer file = {0};
        struct fleet_object object;
        bool follows = from_of(place, i) == 0 || from_of(place, i) == row->to;
        code = follows ? read_file(&object, &file, place, place->segments.list[i]->d_name) : 0;
        if (code != 1) {
            xylem_buffer_release(&file);
            continue;
        }
        found = true;
        row->freed = row->freed || object.from == 0;
        row->to = object.from == 0 ? 1 : object.to;
        row->chain = object.chain;
        row->generation = object.generation > row->generation ? object.generation : row->generation;
        row->id = object.id;
        xylem_buffer_release(&place->file);
        place->file = file;
    }
    return code < 0 ? code : found;
}

static void leave(struct place *place)
{
    free(place->path);
    forget_names(&place->segments);
    xylem_buffer_release(&place->file);
}

/* Takes the path, and finds the row: 1, or 0 if there is none. Leave the place in any case. */
static int enter(struct place *place, struct directory *directory, const struct fleet_request *request, char *path,
                 struct xylem_error *err)
{
    *place = (struct place){.directory = directory, .request = request, .path = path, .err = err};
    place->row = (struct fleet_object){.id = request->session, .to = 1, .host = {"", 0}};
    int code = path ? read_file(&place->row, &place->file, place, ROW) : xylem_base__fail_memory(err);
    return code == 0 ? make_row(place) : code;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* The first write of a process locks the archive. Mounts without locks are taken as well. */
static int lock(struct directory *directory, struct xylem_error *err)
{
    if (directory->lock >= 0) {
        return 0;
    }
    char *path = xylem_base__path_join(directory->path, MARKER);
    directory->lock = path ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    int code = !path                 ? xylem_base__fail_memory(err)
               : directory->lock < 0 ? xylem_base__fail_errno(err, errno, "cannot open", path)
                                     : xylem_base__lock_exclusive(directory->lock, path, err);
    free(path);
    if (code == XYLEM_E_BUSY) {
        xylem_base__file_close(&directory->lock);
        return xylem_base__fail(err, code,
                                "another process writes into the archive %s: wait until that process has ended",
                                directory->path);
    }
    return directory->lock >= 0 ? 0 : code;
}

int fleet_directory_write(struct fleet_engine *engine, const struct fleet_object *object, struct xylem_error *err)
{
    struct directory *directory = (struct directory *)engine;
    struct xylem_buffer file = {0};
    char name[SEGMENT_NAME_BYTES];
    char *path = session_path(directory, object->id);
    int code = path ? lock(directory, err) : xylem_base__fail_memory(err);
    code = code < 0 ? code : fleet_object_write(&file, object, err);
    code = code < 0 ? code
                    : fleet_file_write(path, strlen(directory->path), file_name(name, object),
                                       xylem_base__buffer_view(&file), err);
    xylem_buffer_release(&file);
    free(path);
    return code;
}

static int remove_file(const char *directory, const char *name, struct xylem_error *err)
{
    char *path = xylem_base__path_join(directory, name);
    int code = !path                                  ? xylem_base__fail_memory(err)
               : unlink(path) != 0 && errno != ENOENT ? xylem_base__fail_errno(err, errno, "cannot remove", path)
                                                      : 0;
    free(path);
    return code;
}

int fleet_directory_clear(struct fleet_engine *engine, struct xylem_view session, bool all, struct xylem_error *err)
{
    struct directory *directory = (struct directory *)engine;
    struct names names = {NULL, 0};
    char *path = session_path(directory, session);
    int code = path ? lock(directory, err) : xylem_base__fail_memory(err);
    code = code < 0 ? code : read_names(&names, path, is_segment, err);
    for (int i = 0; code >= 0 && i < names.count; i++) {
        const char *name = names.list[i]->d_name;
        code = all || strtoull(name, NULL, 16) > 0 ? remove_file(path, name, err) : 0;
    }
    code = code < 0 || names.count == 0 ? code : xylem_base__directory_sync(path, path, err);
    forget_names(&names);
    free(path);
    return code;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

/* The answer takes the memory of the row. */
static void add_row(struct place *place)
{
    struct directory *directory = place->directory;
    const struct fleet_object *row = &place->row;
    directory->memory[directory->answer.row_count] = place->file;
    place->file = (struct xylem_buffer){0};
    directory->rows[directory->answer.row_count++] =
        (struct fleet_row){.id = row->id,
                           .epoch = row->epoch,
                           .next = row->to,
                           .chain = row->chain,
                           .unowned = true,
                           .freed = row->freed == 1,
                           .generation = row->generation,
                           .host = row->host,
                           .about = row->about.bytes > 0 ? row->about : (struct xylem_view){NULL, 0}};
}

/* The remains alone, or the segments that end behind `from`. What lies behind the row was interrupted. */
static bool is_wanted(const struct place *place, int at)
{
    uint64_t from = from_of(place, at);
    return place->row.freed ? from == 0
                            : from > 0 && from < place->row.to && from_of(place, at + 1) > place->request->from;
}

static int add_piece(struct place *place, const char *name)
{
    struct directory *directory = place->directory;
    size_t at = directory->answer.piece_count;
    struct xylem_buffer *body = &directory->memory[ROWS_MAX + at];
    struct xylem_buffer file = {0};
    struct fleet_object object;
    int code = read_file(&object, &file, place, name);
    if (code == 1 && (object.to > place->request->from || place->row.freed)) {
        code = fleet_frame_expand(body, object.frame, place->err);
        code = code < 0 ? fail_damaged(place, code, name) : 0;
        directory->pieces[at] = (struct fleet_piece){object.from, object.to, object.chain, object.generation,
                                                     xylem_base__buffer_view(body)};
        directory->answer.piece_count += code == 0;
        directory->piece_bytes += body->bytes;
    }
    xylem_buffer_release(&file);
    return code;
}

static int add_pieces(struct place *place)
{
    struct directory *directory = place->directory;
    size_t limit = place->request->limit < PIECES_MAX ? place->request->limit : PIECES_MAX;
    int code = read_segments(place);
    for (int i = 0; code >= 0 && i < place->segments.count && directory->piece_bytes < READ_BYTES_MAX &&
                    directory->answer.piece_count < limit;
         i++) {
        code = is_wanted(place, i) ? add_piece(place, place->segments.list[i]->d_name) : 0;
    }
    /* What stands before the damage can be taken. */
    return code < 0 && (code == XYLEM_E_MEMORY || directory->answer.piece_count == 0) ? code : 0;
}

/* --- Lists -------------------------------------------------------------------------------------------------------- */

/* Adds the row of a session, if there is one. */
static int list_row(struct directory *directory, const char *path, struct xylem_error *err)
{
    const struct fleet_request request = {.ask = FLEET_LIST};
    struct place place;
    int code = enter(&place, directory, &request, strdup(path), err);
    if (code == 1) {
        add_row(&place);
    }
    leave(&place);
    return code;
}

/* Lists what comes behind a path below `sessions`. An id of more than 100 bytes goes on in a directory below. */
static int list(struct directory *directory, const struct names *names, const char *above, const char *behind,
                size_t limit, struct xylem_error *err)
{
    int code = 0;
    for (int i = 0; code >= 0 && i < names->count && directory->answer.row_count < limit; i++) {
        const char *name = names->list[i]->d_name;
        size_t bytes = strlen(name);
        int order = strncmp(name, behind, bytes);
        bool goes_on = name[bytes - 1] == '+';
        if (order < 0 || (order == 0 && !goes_on && strcmp(name, behind) <= 0)) {
            continue;
        }
        struct names below = {NULL, 0};
        char *path = xylem_base__path_join(above, name);
        code = !path     ? xylem_base__fail_memory(err)
               : goes_on ? read_names(&below, path, is_rest, err)
                         : list_row(directory, path, err);
        code = code < 0 || !goes_on ? code
                                    : list(directory, &below, path, order == 0 ? behind + bytes + 1 : "", limit, err);
        forget_names(&below);
        free(path);
    }
    return code;
}

static int do_list(struct directory *directory, const struct fleet_request *request, struct xylem_error *err)
{
    size_t limit = request->limit < ROWS_MAX ? request->limit : ROWS_MAX;
    struct xylem_buffer behind = {0};
    struct xylem_buffer above = {0};
    int code = add_id(&behind, request->behind) < 0 ||
                       xylem_base__buffer_add_format(&above, "%s" SESSIONS, directory->path) < 0
                   ? xylem_base__fail_memory(err)
                   : 0;
    if (code == 0 && (!request->behind.data || !directory->sessions.list)) {
        code = read_names(&directory->sessions, above.data, is_id, err);
    }
    code = code < 0 ? code : list(directory, &directory->sessions, above.data, behind.data, limit, err);
    xylem_buffer_release(&behind);
    xylem_buffer_release(&above);
    return code < 0 ? code : 0;
}

/* --- Requests ----------------------------------------------------------------------------------------------------- */

static int do_session(struct directory *directory, const struct fleet_request *request, struct xylem_error *err)
{
    struct place place;
    int code = enter(&place, directory, request, session_path(directory, request->session), err);
    if (code == 0) {
        code = xylem_base__fail(err, XYLEM_E_NOT_FOUND, "the archive has no such session");
    } else if (code > 0) {
        add_row(&place);
        code = request->ask == FLEET_READ ? add_pieces(&place) : 0;
    }
    leave(&place);
    return code;
}

static int answer_request(struct directory *directory, const struct fleet_request *request, struct xylem_error *err)
{
    bool named = request->session.bytes > 0 && request->session.bytes <= XYLEM_SESSION_ID_BYTES_MAX;
    if (fleet_ask_writes(request->ask)) {
        return xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s is an archive, where nobody can own a session: name the fleet's PostgreSQL",
                                directory->path);
    }
    return request->ask == FLEET_LIST ? do_list(directory, request, err)
           : named                    ? do_session(directory, request, err)
                                      : xylem_base__fail(err, XYLEM_E_LIMIT, "the id of a session has 1 to %u bytes",
                                                         XYLEM_SESSION_ID_BYTES_MAX);
}

static int submit(struct fleet_engine *engine, uint64_t number, const struct fleet_request *request,
                  struct xylem_error *err)
{
    struct directory *directory = (struct directory *)engine;
    if (directory->answered) {
        return xylem_base__fail(err, XYLEM_E_BUSY, "an archive takes one request at a time");
    }
    forget_answer(directory);
    int code = answer_request(directory, request, &directory->why);
    if (code == XYLEM_E_MEMORY || code == XYLEM_E_LIMIT) {
        return xylem_base__fail(err, code, "%s", directory->why.text);
    }
    if (code < 0) {
        directory->answer.row_count = directory->answer.piece_count = 0;
        directory->answer.outcome = code == XYLEM_E_NOT_FOUND ? FLEET_NO : FLEET_REFUSED;
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
    forget_names(&directory->sessions);
    xylem_base__file_close(&directory->lock);
    xylem_base__file_close(&directory->event);
    free(directory->path);
    free(directory);
}

/* --- Opening ------------------------------------------------------------------------------------------------------ */

/* Draws the id of a new archive. */
static int write_marker(const char *path, struct xylem_error *err)
{
    unsigned char id[16];
    const struct fleet_object marker = {.type = FLEET_OBJECT_MARKER, .id = {(const char *)id, sizeof id}};
    struct xylem_buffer file = {0};
    struct names strange = {NULL, 0};
    int code = read_names(&strange, path, is_strange, err);
    if (code == 0 && strange.count > 0) {
        code = xylem_base__fail(err, XYLEM_E_CONFLICT,
                                "%s has other files, and is no archive: name an archive, or an empty directory", path);
    }
    if (code == 0 && (code = xylem_base__directory_make(path, err)) >= 0 &&
        (code = xylem_base__random(id, sizeof id, err)) >= 0 && (code = fleet_object_write(&file, &marker, err)) >= 0) {
        code = fleet_file_write(path, strlen(path), MARKER, xylem_base__buffer_view(&file), err);
    }
    forget_names(&strange);
    xylem_buffer_release(&file);
    return code;
}

static int read_marker(struct directory *directory, struct xylem_error *err)
{
    char *path = xylem_base__path_join(directory->path, MARKER);
    struct xylem_buffer file = {0};
    struct fleet_object marker;
    int code = path ? fleet_file_read(&file, path, SMALL_BYTES_MAX, err) : xylem_base__fail_memory(err);
    if (code == 0 &&
        (code = fleet_object_read(&marker, FLEET_OBJECT_MARKER, xylem_base__buffer_view(&file), err)) < 0) {
        const struct xylem_error why = *err;
        code = xylem_base__fail(err, code, "%s: %s", path, why.text);
    } else if (code == 0) {
        memcpy(directory->engine.id, marker.id.data, sizeof directory->engine.id);
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
