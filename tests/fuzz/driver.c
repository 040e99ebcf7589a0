/*
 * A main for fuzz targets where libFuzzer is not at hand: replays every file of the corpus directories given, then
 * mutates them. Everything that chance decides follows from the seed that is printed.
 *
 *     fuzz_x [-runs N] [-seconds N] [-seed N] [-save FILE] [DIRECTORY|FILE]...
 *
 * Without -runs and -seconds nothing is mutated. An input that brings the process down is written to FILE (default:
 * fuzz.crash), so that `fuzz_x FILE` does it again.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_BYTES_MAX 65536u
#define SEED_COUNT_MAX 4096u
#define PATH_BYTES_MAX 4096u

struct input {
    uint8_t *data;
    size_t bytes;
};

struct options {
    uint64_t runs;    /* 0: no bound */
    uint64_t seconds; /* 0: no bound */
    uint64_t seed;
    bool no_runs; /* neither was given: replay only */
};

static struct input seeds[SEED_COUNT_MAX];
static size_t seed_count;
static uint64_t chance;

/* What a crash has to be able to reach. */
static const uint8_t *current_data;
static size_t current_bytes;
static const char *save_path; /* NULL: not saved */

/* xorshift64*: small, and the same everywhere. */
static uint64_t draw(void)
{
    chance ^= chance >> 12;
    chance ^= chance << 25;
    chance ^= chance >> 27;
    return chance * UINT64_C(2685821657736338717);
}

static size_t draw_below(size_t bound)
{
    return bound == 0 ? 0 : (size_t)((draw() >> 11) % bound);
}

/* Only calls that are safe in a signal handler. */
static void save_current(void)
{
    if (!save_path) {
        return;
    }
    int fd = open(save_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        return;
    }
    size_t done = 0;
    while (done < current_bytes) {
        ssize_t count = write(fd, current_data + done, current_bytes - done);
        if (count <= 0) {
            break;
        }
        done += (size_t)count;
    }
    (void)close(fd);
    static const char text[] = "fuzz: the input that did it is in ";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0 || write(STDERR_FILENO, save_path, strlen(save_path)) < 0 ||
        write(STDERR_FILENO, "\n", 1) < 0) {
        return;
    }
}

static void on_signal(int number)
{
    save_current();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* The sanitizers' runtimes call this before they end the process; without them nobody does. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void install_handlers(void)
{
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(save_current);
    }
    /* SIGSEGV and its like are the sanitizers' own, where there are some. */
    static const int always[] = {SIGABRT, SIGALRM};
    static const int alone[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
        (void)signal(always[i], on_signal);
    }
    for (size_t i = 0; i < sizeof alone / sizeof alone[0] && !__sanitizer_set_death_callback; i++) {
        (void)signal(alone[i], on_signal);
    }
}

/* Runs one input from a block of exactly its size, so that a read past its end is seen. */
static void run_input(const uint8_t *data, size_t bytes)
{
    uint8_t *copy = malloc(bytes == 0 ? 1 : bytes);
    if (!copy) {
        abort();
    }
    if (bytes > 0) {
        memcpy(copy, data, bytes);
    }
    current_data = copy;
    current_bytes = bytes;
    (void)alarm(60); /* an input that takes a minute is a find too */
    (void)LLVMFuzzerTestOneInput(copy, bytes);
    (void)alarm(0);
    current_bytes = 0;
    free(copy);
}

static void add_seed(const uint8_t *data, size_t bytes)
{
    if (seed_count == SEED_COUNT_MAX || bytes > INPUT_BYTES_MAX) {
        return;
    }
    uint8_t *copy = malloc(bytes == 0 ? 1 : bytes);
    if (!copy) {
        abort();
    }
    if (bytes > 0) {
        memcpy(copy, data, bytes);
    }
    seeds[seed_count++] = (struct input){copy, bytes};
}

static bool read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "fuzz: cannot read %s: %s\n", path, strerror(errno));
        return false;
    }
    static uint8_t data[INPUT_BYTES_MAX * 16u];
    size_t bytes = fread(data, 1, sizeof data, file);
    (void)fclose(file);
    run_input(data, bytes);
    add_seed(data, bytes);
    return true;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool read_path(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return read_file(path);
    }
    struct dirent **names = NULL;
    int count = scandir(path, &names, is_visible, by_name);
    bool good = count >= 0;
    for (int i = 0; i < count; i++) {
        char name[PATH_BYTES_MAX];
        int length = snprintf(name, sizeof name, "%s/%s", path, names[i]->d_name);
        if (good && length > 0 && (size_t)length < sizeof name) {
            good = read_file(name);
        }
        free(names[i]);
    }
    free(names);
    return good;
}

static size_t insert_bytes(uint8_t *data, size_t bytes, const void *what, size_t count)
{
    if (bytes + count > INPUT_BYTES_MAX) {
        return bytes;
    }
    size_t at = draw_below(bytes + 1);
    memmove(data + at + count, data + at, bytes - at);
    memcpy(data + at, what, count);
    return bytes + count;
}

/* Bytes that decoders are known to stumble over: extremes of lengths and numbers, quotes, brackets, escapes. */
static size_t insert_interesting(uint8_t *data, size_t bytes)
{
    static const struct {
        const char *text;
        size_t bytes;
    } list[] = {{"\0", 1},         {"\xff", 1},      {"\x7f", 1},
                {"\x80", 1},       {"\xff\xff", 2},  {"\xff\xff\xff\xff", 4},
                {"\0\0\0\x80", 4}, {"\xc3", 1},      {"\xed\xa0\x80", 3},
                {"\"", 1},         {"\\", 1},        {"\\ud83d", 6},
                {"\\u0000", 6},    {"[", 1},         {"{", 1},
                {"]}", 2},         {"\n", 1},        {"\r\n", 2},
                {"null", 4},       {"-0", 2},        {"1e999", 5},
                {"\xdd\xff", 2},   {"\xdf\xff", 2},  {"\xc7\x01", 2},
                {":", 1},          {",", 1},         {"18446744073709551616", 20},
                {"\"id\":", 5},    {"\"type\":", 7}, {"\"parentId\":", 11},
                {"\x94", 1},       {"\x84", 1},      {"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9}};
    size_t pick = draw_below(sizeof list / sizeof list[0]);
    return insert_bytes(data, bytes, list[pick].text, list[pick].bytes);
}

static size_t splice_seed(uint8_t *data, size_t bytes)
{
    const struct input *other = &seeds[draw_below(seed_count)];
    if (other->bytes == 0) {
        return bytes;
    }
    size_t from = draw_below(other->bytes);
    size_t count = 1 + draw_below(other->bytes - from);
    size_t at = draw_below(bytes + 1);
    if (at + count > INPUT_BYTES_MAX) {
        return bytes;
    }
    /* Half of the time the tail is replaced, else the piece goes in between. */
    if (draw_below(2) == 0) {
        return insert_bytes(data, bytes, other->data + from, count);
    }
    memcpy(data + at, other->data + from, count);
    return at + count > bytes ? at + count : bytes;
}

static size_t mutate_once(uint8_t *data, size_t bytes)
{
    size_t at = draw_below(bytes);
    switch (draw_below(8)) {
    case 0:
        if (bytes > 0) {
            data[at] ^= (uint8_t)(1u << draw_below(8));
        }
        return bytes;
    case 1:
        if (bytes > 0) {
            data[at] = (uint8_t)draw();
        }
        return bytes;
    case 2: /* a length or a count that is off by a little */
        if (bytes > 0) {
            data[at] = (uint8_t)(data[at] + draw_below(9) - 4u);
        }
        return bytes;
    case 3:
        return bytes == 0 ? 0 : at;
    case 4: {
        size_t count = bytes == 0 ? 0 : 1 + draw_below(bytes - at > 16 ? 16 : bytes - at);
        memmove(data + at, data + at + count, bytes - at - count);
        return bytes - count;
    }
    case 5: { /* the same again and again: nesting, long runs */
        uint8_t run[64];
        memset(run, bytes > 0 ? data[at] : 0, sizeof run);
        return insert_bytes(data, bytes, run, 1 + draw_below(sizeof run));
    }
    case 6:
        return splice_seed(data, bytes);
    default:
        return insert_interesting(data, bytes);
    }
}

static void run_mutation(void)
{
    static uint8_t data[INPUT_BYTES_MAX];
    const struct input *seed = &seeds[draw_below(seed_count)];
    size_t bytes = seed->bytes;
    if (bytes > 0) {
        memcpy(data, seed->data, bytes);
    }
    for (size_t left = 1 + draw_below(5); left > 0; left--) {
        bytes = mutate_once(data, bytes);
    }
    run_input(data, bytes);
}

static bool parse_options(struct options *options, int *first, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i += 2) {
        if (i + 1 == argc) {
            return false;
        }
        if (strcmp(argv[i], "-save") == 0) {
            save_path = argv[i + 1];
            continue;
        }
        char *end = NULL;
        errno = 0;
        uint64_t number = strtoull(argv[i + 1], &end, 10);
        if (errno != 0 || end == argv[i + 1] || *end != '\0') {
            return false;
        }
        if (strcmp(argv[i], "-runs") == 0) {
            options->runs = number;
        } else if (strcmp(argv[i], "-seconds") == 0) {
            options->seconds = number;
        } else if (strcmp(argv[i], "-seed") == 0) {
            options->seed = number;
        } else {
            return false;
        }
    }
    *first = i;
    options->no_runs = options->runs == 0 && options->seconds == 0;
    if (!save_path && !options->no_runs) {
        save_path = "fuzz.crash";
    }
    return true;
}

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct options options = {.seed = (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid()};
    int first = 1;
    if (!parse_options(&options, &first, argc, argv)) {
        fprintf(stderr, "usage: %s [-runs N] [-seconds N] [-seed N] [-save FILE] [DIRECTORY|FILE]...\n", argv[0]);
        return 2;
    }
    install_handlers();
    fprintf(stderr, "%s: seed %" PRIu64 "\n", argv[0], options.seed);
    chance = options.seed == 0 ? 1 : options.seed;
    double end = seconds_now() + (double)options.seconds;
    for (int i = first; i < argc; i++) {
        if (!read_path(argv[i])) {
            return 2;
        }
    }
    size_t replayed = seed_count;
    add_seed((const uint8_t *)"", 0);
    uint64_t runs = 0;
    while (!options.no_runs && (options.runs == 0 || runs < options.runs) &&
           (options.seconds == 0 || seconds_now() < end)) {
        run_mutation();
        runs++;
    }
    for (size_t i = 0; i < seed_count; i++) {
        free(seeds[i].data);
    }
    printf("%s: %zu inputs replayed, %" PRIu64 " mutated, no crash\n", argv[0], replayed, runs);
    return 0;
}
