#include "tests/bench/generate.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    POOL_WORDS = 60000,
    FORK_ONE_IN = 200,
    LARGE_ONE_IN = 2000,
    LARGE_BYTES = 100000,
    MEDIAN_BYTES = 300,
    FIRST_TIME_MS = 1000
};
#define SIGMA 1.2                         /* of the logarithm of a payload's size */
#define BEGIN_MS INT64_C(1795195085515)   /* 2026-11-20 */
#define TAU 6.283185307179586476925286766 /* of a circle */

struct generator {
    struct xylem_buffer *file;
    uint64_t random;
    struct xylem_buffer pool; /* text, escaped for JSON */
    uint32_t starts[POOL_WORDS];
    int64_t time_ms;
    uint32_t number; /* of the entry */
    char id[BENCH_ENTRY_ID_BYTES + 1u];
    char parent[BENCH_ENTRY_ID_BYTES + 3u]; /* with its quotes, or null */
    char time[32];
};

static uint64_t random_next(struct generator *generator)
{
    uint64_t z = generator->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint32_t random_below(struct generator *generator, uint32_t limit)
{
    return (uint32_t)((random_next(generator) >> 32) * limit >> 32);
}

static void add_bytes(struct xylem_buffer *buffer, const void *data, size_t bytes)
{
    if (xylem_buffer_add(buffer, data, bytes) < 0) {
        fprintf(stderr, "bench: no memory for a session file\n");
        exit(1);
    }
}

__attribute__((format(printf, 2, 3))) static void add(struct generator *generator, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_bytes(generator->file, text, (size_t)bytes);
}

void bench_entry_id(char id[BENCH_ENTRY_ID_BYTES + 1u], uint32_t number)
{
    /* Each step can be undone, so that no two numbers meet. */
    uint32_t mixed = number + 1u; /* 0 would become 0 */
    mixed ^= mixed >> 16;
    mixed *= 0x85ebca6bu;
    mixed ^= mixed >> 13;
    mixed *= 0xc2b2ae35u;
    mixed ^= mixed >> 16;
    snprintf(id, BENCH_ENTRY_ID_BYTES + 1u, "%08" PRIx32, mixed);
}

/* --- Text ------------------------------------------------------------------------------------------------------- */

/* Words of prose, code and what tools print, with as many escapes as such text has. */
static void make_pool(struct generator *generator)
{
    static const char *const words[] = {
        "the",   "of",           "to",      "and",      "function",     "returns",      "value",
        "in",    "entry",        "session", "read",     "write",        "if",           "file",
        "error", "const",        "a",       "await",    "async",        "import",       "from",
        "test",  "passed",       "failed",  "expected", "src/index.ts", "=>",           "return",
        "null",  "{\\n  ",       "}\\n",    ";\\n",     "\\n\\n",       "\\\"utf8\\\"", "(path)",
        "0x1f",  "package.json", "state",   "branch",   "tree",         "is",           "not",
        "that",  "with",         "line",    "128:",     "warning:",     "\\tlet",       "naïve",
        "—",     "build",        "server",  "client",   "config"};
    for (size_t i = 0; i < POOL_WORDS; i++) {
        const char *word = words[random_below(generator, sizeof words / sizeof *words)];
        generator->starts[i] = (uint32_t)generator->pool.bytes;
        add_bytes(&generator->pool, word, strlen(word));
        add_bytes(&generator->pool, " ", 1);
    }
}

/* Whole words of the pool, of about so many bytes. */
static void add_text(struct generator *generator, size_t bytes)
{
    const uint32_t *starts = generator->starts;
    size_t begin = random_below(generator, POOL_WORDS / 2);
    size_t end = begin + 1;
    while (end + 1 < POOL_WORDS && starts[end] - starts[begin] < bytes) {
        end++;
    }
    add_bytes(generator->file, generator->pool.data + starts[begin], starts[end] - starts[begin] - 1);
}

/* How long the text of a payload is that has so many bytes besides. */
static size_t text_bytes(struct generator *generator, size_t besides)
{
    double a = ((double)(random_next(generator) >> 11) + 1.0) / 9007199254740993.0;
    double b = (double)(random_next(generator) >> 11) / 9007199254740992.0;
    double bytes = MEDIAN_BYTES * exp(SIGMA * sqrt(-2.0 * log(a)) * cos(TAU * b));
    if (random_below(generator, LARGE_ONE_IN) == 0) {
        bytes = LARGE_BYTES * (0.5 + b);
    }
    return bytes > (double)besides + 1.0 ? (size_t)bytes - besides : 1;
}

/* --- Entries ---------------------------------------------------------------------------------------------------- */

/* pi writes the id behind the type, and in a custom entry behind the data. */
static void add_ids(struct generator *generator)
{
    add(generator, ",\"id\":\"%s\",\"parentId\":%s,\"timestamp\":\"%s\"", generator->id, generator->parent,
        generator->time);
}

static void begin_entry(struct generator *generator, const char *type)
{
    add(generator, "{\"type\":\"%s\"", type);
    add_ids(generator);
}

static void add_user(struct generator *generator)
{
    begin_entry(generator, "message");
    add(generator, ",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"");
    add_text(generator, text_bytes(generator, 100));
    add(generator, "\"}],\"timestamp\":%" PRId64 "}}\n", generator->time_ms - 2);
}

static void add_assistant(struct generator *generator)
{
    uint32_t input = random_below(generator, 90000);
    uint32_t output = random_below(generator, 3000);
    begin_entry(generator, "message");
    add(generator, ",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"");
    add_text(generator, text_bytes(generator, 450));
    add(generator, "\"}");
    if (random_below(generator, 2) == 0) {
        add(generator, ",{\"type\":\"toolCall\",\"id\":\"call_%" PRIu32 "\",\"name\":\"read\",\"arguments\":{\"path\":",
            generator->number);
        add(generator, "\"src/file%" PRIu32 ".ts\"}}", random_below(generator, 1000));
    }
    add(generator,
        "],\"api\":\"openai-completions\",\"provider\":\"fauxhost\",\"model\":\"faux-1\",\"usage\":{\"input\":%" PRIu32
        ",\"output\":%" PRIu32 ",\"cacheRead\":0,\"cacheWrite\":0,\"reasoning\":0,\"totalTokens\":%" PRIu32
        ",\"cost\":{\"input\":%.6g,\"output\":%.6g,\"cacheRead\":0,\"cacheWrite\":0,\"total\":%.6g}}",
        input, output, input + output, input * 1e-6, output * 2e-6, input * 1e-6 + output * 2e-6);
    add(generator, ",\"stopReason\":\"stop\",\"timestamp\":%" PRId64 ",\"responseId\":\"cc-%" PRIu32 "\"}}\n",
        generator->time_ms - 20, generator->number);
}

static void add_tool_result(struct generator *generator)
{
    begin_entry(generator, "message");
    add(generator,
        ",\"message\":{\"role\":\"toolResult\",\"toolCallId\":\"call_%" PRIu32 "\",\"toolName\":\"read\""
        ",\"content\":[{\"type\":\"text\",\"text\":\"",
        generator->number - 1u);
    add_text(generator, text_bytes(generator, 180));
    add(generator, "\"}],\"details\":{},\"isError\":false,\"timestamp\":%" PRId64 "}}\n", generator->time_ms);
}

static void add_custom(struct generator *generator)
{
    uint32_t choice = random_below(generator, 10);
    add(generator, "{\"type\":\"custom\",\"customType\":");
    if (choice < 2) {
        add(generator, "\"readonly\",\"data\":{\"enabled\":%s}", choice ? "true" : "false");
    } else if (choice < 4) {
        add(generator,
            "\"sequence\",\"data\":{\"version\":1,\"sequenceId\":\"seq-%" PRIu32 "\",\"steps\":[\"/readonly\"",
            generator->number);
        for (uint32_t steps = random_below(generator, 4); steps > 0; steps--) {
            add(generator, ",\"");
            add_text(generator, 40);
            add(generator, "\"");
        }
        add(generator, "],\"updatedAt\":%" PRId64 "}", generator->time_ms);
    } else {
        add(generator, "\"todo\",\"data\":{\"n\":%" PRIu32 ",\"ratio\":0.%" PRIu32 "5,\"done\":false,\"note\":null",
            generator->number, random_below(generator, 9) + 1u);
        add(generator, ",\"items\":[{\"id\":1,\"text\":\"");
        add_text(generator, text_bytes(generator, 90));
        add(generator, "\"}]}");
    }
    add_ids(generator);
    add(generator, "}\n");
}

static void add_other(struct generator *generator)
{
    char target[BENCH_ENTRY_ID_BYTES + 1u];
    bench_entry_id(target, random_below(generator, generator->number));
    switch (random_below(generator, 5)) {
    case 0:
        begin_entry(generator, "model_change");
        add(generator, ",\"provider\":\"fauxhost\",\"modelId\":\"faux-1\"}\n");
        return;
    case 1:
        begin_entry(generator, "thinking_level_change");
        add(generator, ",\"thinkingLevel\":\"off\"}\n");
        return;
    case 2:
        begin_entry(generator, "label");
        add(generator, ",\"targetId\":\"%s\",\"label\":\"L%" PRIu32 "\"}\n", target, generator->number);
        return;
    case 3:
        begin_entry(generator, "session_info");
        add(generator, ",\"name\":\"walk %" PRIu32 "\"}\n", generator->number);
        return;
    default:
        begin_entry(generator, "compaction");
        add(generator, ",\"summary\":\"## Goal\\n");
        add_text(generator, text_bytes(generator, 150));
        add(generator,
            "\",\"firstKeptEntryId\":\"%s\",\"tokensBefore\":3251,\"details\":{\"readFiles\":[\"f5.txt\"],"
            "\"modifiedFiles\":[]},\"fromHook\":false}\n",
            target);
        return;
    }
}

static void add_entry(struct generator *generator)
{
    static void (*const adders[])(struct generator *) = {add_user,        add_assistant,   add_assistant, add_assistant,
                                                         add_tool_result, add_tool_result, add_custom};
    if (generator->number > 0 && random_below(generator, 25) == 0) {
        add_other(generator);
    } else {
        adders[random_below(generator, sizeof adders / sizeof *adders)](generator);
    }
}

static void set_time(struct generator *generator)
{
    time_t seconds = (time_t)(generator->time_ms / 1000);
    struct tm parts;
    char text[24];
    gmtime_r(&seconds, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(generator->time, sizeof generator->time, "%s.%03dZ", text, (int)(generator->time_ms % 1000));
}

static void set_parent(struct generator *generator)
{
    char id[BENCH_ENTRY_ID_BYTES + 1u];
    uint32_t number = generator->number;
    if (number == 0) {
        snprintf(generator->parent, sizeof generator->parent, "null");
        return;
    }
    bool forks = random_below(generator, FORK_ONE_IN) == 0;
    bench_entry_id(id, forks ? random_below(generator, number) : number - 1u);
    snprintf(generator->parent, sizeof generator->parent, "\"%s\"", id);
}

void bench_generate(struct xylem_buffer *file, size_t entry_count, uint64_t seed)
{
    struct generator *generator = calloc(1, sizeof *generator);
    if (!generator) {
        fprintf(stderr, "bench: no memory for a session file\n");
        exit(1);
    }
    generator->file = file;
    generator->random = seed;
    generator->time_ms = BEGIN_MS;
    make_pool(generator);
    set_time(generator);
    add(generator, "{\"type\":\"session\",\"version\":3,\"id\":\"01a1f9f7-22cb-72e7-96e0-%012" PRIx64 "\"",
        seed & UINT64_C(0xffffffffffff));
    add(generator, ",\"timestamp\":\"%s\",\"cwd\":\"/home/dev/project\"}\n", generator->time);
    for (size_t i = 0; i < entry_count; i++) {
        generator->number = (uint32_t)i;
        generator->time_ms += 1 + random_below(generator, FIRST_TIME_MS);
        set_time(generator);
        set_parent(generator);
        bench_entry_id(generator->id, generator->number);
        add_entry(generator);
    }
    xylem_buffer_release(&generator->pool);
    free(generator);
}
