/*
 * What the rows of the failure matrix do to an engine of PostgreSQL, for matrix.sh: floods that record what was
 * acknowledged, races, takeovers. Each mode ends with a line of counts; the exit code is 1 if a count is wrong.
 *
 *     matrix flood URL FILE WRITERS SECONDS   each writer appends to a session of its own; ends early when FILE.stop is there
 *     matrix check URL FILE                   compares what FILE says with the engine
 *     matrix race URL ROUNDS                  two that think they own append the same ordinal
 *     matrix takeover URL ROUNDS              the owner appends, two others claim
 *     matrix stale URL ROUNDS                 one claims behind an old list
 *     matrix orders URL ROUNDS                an append comes twice, early, and again much later
 *
 * The change of ordinal n of a session has the body `ID n`, so a change that came twice or elsewhere is found.
 */
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/value.h"
#include "fleet/postgres.h"

#define DEADLINE_MS (FLEET_CONNECT_MS + 2000) /* the search for the node waits so long for a silent one */
#define PAUSE_MS 30
#define WRITERS_MAX 16u
#define ORDINALS_MAX 400000u
#define ENDLESS_MS 60000 /* an engine that does not answer for so long fails the row */

static const char *url;

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputc('\n', stderr);
    exit(2);
}

/* `single`: also a node that acknowledges alone, which a control leaves behind. */
static struct fleet_engine *connect_engine(unsigned connections, bool single)
{
    struct fleet_postgres_options options = {.connections = connections, .allow_single = single};
    struct xylem_error err = {0};
    struct fleet_nodes *nodes; /* lives as long as the process */
    struct fleet_engine *engine;
    int64_t end = xylem_base__steady_ms() + ENDLESS_MS;
    if (fleet_nodes_new(&nodes, url, &err) < 0) {
        die("%s", err.text);
    }
    while (fleet_engine_postgres(&engine, nodes, &options, &err) < 0) {
        if (xylem_base__steady_ms() > end) {
            die("%s", err.text);
        }
        (void)usleep(PAUSE_MS * 1000);
    }
    return engine;
}

/* SplitMix64: other chains for other changes. */
static uint64_t mix(uint64_t chain, uint64_t salt)
{
    uint64_t z = chain + (salt + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* --- One request after the other -------------------------------------------------------------------------------------- */

struct asked {
    enum fleet_outcome outcome;
    bool has_row;
    struct fleet_row row; /* without its views */
    char text[300];
};

static void submit(struct fleet_engine *engine, uint64_t number, const struct fleet_request *request)
{
    struct xylem_error err;
    if (engine->submit(engine, number, request, &err) < 0) {
        die("submit %s: %s", fleet_ask_word(request->ask), err.text);
    }
}

/* `piece` may be NULL. */
static void take(struct asked *asked, struct fleet_engine *engine, uint64_t number,
                 void (*piece)(void *, const struct fleet_piece *), void *context)
{
    struct fleet_answer answer;
    struct xylem_error err;
    int64_t deadline = xylem_base__steady_ms() + DEADLINE_MS;
    int got;
    while ((got = engine->poll(engine, &answer, &err)) == 0) {
        struct pollfd ready = {.fd = engine->fd(engine), .events = POLLIN};
        (void)poll(&ready, 1, 20);
        if (xylem_base__steady_ms() > deadline) {
            engine->drop(engine, number);
            deadline = INT64_MAX;
        }
    }
    if (got < 0) {
        die("poll: %s", err.text);
    }
    memset(asked, 0, sizeof *asked);
    asked->outcome = answer.outcome;
    asked->has_row = answer.row_count > 0;
    if (asked->has_row) {
        asked->row = answer.rows[0];
    }
    (void)snprintf(asked->text, sizeof asked->text, "%s", answer.outcome == FLEET_DONE ? "" : answer.text);
    for (size_t i = 0; piece && i < answer.piece_count; i++) {
        piece(context, &answer.pieces[i]);
    }
}

static enum fleet_outcome ask(struct asked *asked, struct fleet_engine *engine, const struct fleet_request *request)
{
    submit(engine, 1, request);
    take(asked, engine, 1, NULL, NULL);
    return asked->outcome;
}

/* As ask(), until the outcome is known. For requests that may come twice: CLAIM, LOOK, reads. */
static enum fleet_outcome insist(struct asked *asked, struct fleet_engine *engine, const struct fleet_request *request)
{
    int64_t end = xylem_base__steady_ms() + ENDLESS_MS;
    while (ask(asked, engine, request) != FLEET_DONE && asked->outcome != FLEET_NO) {
        if (xylem_base__steady_ms() > end) {
            die("%s: no answer within a minute: %s", fleet_ask_word(request->ask), asked->text);
        }
        (void)usleep(PAUSE_MS * 1000);
    }
    return asked->outcome;
}

/* --- A writer ----------------------------------------------------------------------------------------------------------- */

struct writer {
    char id[40];
    unsigned char token[FLEET_TOKEN_BYTES];
    char body[80];
    uint64_t salt; /* tells apart what two write under one ordinal */
    uint64_t epoch;
    uint64_t next;
    uint64_t *chains; /* behind each ordinal, as this writer knows them */
    uint64_t lost;
    uint64_t acknowledged;
    enum fleet_ask doing;
    int64_t deadline; /* 0: nothing is on its way */
    int64_t pause;    /* the next request goes then */
    bool fenced;
};

static void draw(void *out, size_t bytes)
{
    struct xylem_error err;
    if (xylem_base__random(out, bytes, &err) < 0) {
        die("%s", err.text);
    }
}

static void writer_begin(struct writer *writer, const char *id)
{
    memset(writer, 0, sizeof *writer);
    draw(writer->token, sizeof writer->token);
    (void)snprintf(writer->id, sizeof writer->id, "%s", id);
    writer->chains = calloc(ORDINALS_MAX, sizeof *writer->chains);
    if (!writer->chains) {
        die("out of memory");
    }
    writer->next = 1;
    writer->doing = FLEET_CLAIM;
}

static void fill(struct fleet_request *request, struct writer *writer, enum fleet_ask what)
{
    *request = (struct fleet_request){.ask = what,
                                      .session = xylem_view_of(writer->id),
                                      .epoch = writer->epoch,
                                      .host = xylem_view_of("matrix"),
                                      .make = what == FLEET_CLAIM && writer->epoch == 0};
    memcpy(request->owner, writer->token, sizeof request->owner);
    if (what != FLEET_APPEND) {
        return;
    }
    if (writer->next + 1 >= ORDINALS_MAX) {
        die("too many ordinals");
    }
    (void)snprintf(writer->body, sizeof writer->body, "%s %llu", writer->id, (unsigned long long)writer->next);
    request->body = xylem_view_of(writer->body);
    request->from = writer->next;
    request->to = writer->next + 1;
    request->before = writer->chains[writer->next - 1];
    request->after = mix(request->before, writer->salt + writer->next);
}

static void must_claim(struct fleet_engine *engine, struct writer *writer, uint64_t seen)
{
    struct fleet_request request;
    struct asked asked;
    writer->epoch = seen;
    fill(&request, writer, FLEET_CLAIM);
    if (insist(&asked, engine, &request) != FLEET_DONE) {
        die("claim: %s", asked.text);
    }
    writer->epoch = asked.row.epoch;
    writer->next = asked.row.next;
    writer->chains[writer->next - 1] = asked.row.chain;
}

/* --- A flood ------------------------------------------------------------------------------------------------------------ */

static void acknowledge(FILE *file, struct writer *writer)
{
    uint64_t chain = mix(writer->chains[writer->next - 1], writer->salt + writer->next);
    (void)fprintf(file, "%s %llu %016llx\n", writer->id, (unsigned long long)writer->next, (unsigned long long)chain);
    writer->chains[writer->next] = chain;
    writer->next++;
    writer->acknowledged++;
}

/* A look that is done acknowledges what it shows. */
static void flood_looked(FILE *file, struct writer *writer, const struct fleet_row *row)
{
    uint64_t expected = mix(writer->chains[writer->next - 1], writer->salt + writer->next);
    writer->fenced = !row->mine;
    writer->doing = FLEET_APPEND;
    if (writer->fenced) {
        return;
    }
    if (row->next == writer->next + 1 && row->chain == expected) {
        acknowledge(file, writer);
    } else if (row->next < writer->next) {
        (void)fprintf(file, "lost %s %llu %llu\n", writer->id, (unsigned long long)row->next,
                      (unsigned long long)writer->next);
        writer->lost += writer->next - row->next;
        writer->next = row->next;
    } else if (row->next > writer->next) {
        die("%s: the engine has %llu changes, and %llu were sent", writer->id, (unsigned long long)row->next - 1,
            (unsigned long long)writer->next);
    }
}

static void flood_answered(FILE *file, struct writer *writer, const struct fleet_answer *answer)
{
    writer->deadline = 0;
    writer->pause = answer->outcome == FLEET_DONE ? 0 : xylem_base__steady_ms() + PAUSE_MS;
    if (answer->ask == FLEET_CLAIM && answer->outcome == FLEET_DONE) {
        writer->epoch = answer->rows[0].epoch;
        writer->doing = FLEET_APPEND;
    } else if (answer->ask == FLEET_APPEND && answer->outcome == FLEET_DONE) {
        acknowledge(file, writer);
    } else if (answer->ask == FLEET_APPEND && (answer->outcome == FLEET_UNKNOWN || answer->outcome == FLEET_NO)) {
        writer->doing = FLEET_LOOK;
    } else if (answer->ask == FLEET_LOOK && answer->outcome == FLEET_DONE) {
        flood_looked(file, writer, &answer->rows[0]);
    } else if (answer->outcome == FLEET_NO) {
        die("%s of %s: %s", fleet_ask_word(answer->ask), writer->id, answer->text);
    }
}

static void flood_send(struct fleet_engine *engine, struct writer *writer, uint64_t number)
{
    struct fleet_request request;
    int64_t now = xylem_base__steady_ms();
    if (writer->deadline && now > writer->deadline) {
        engine->drop(engine, number);
        writer->deadline = INT64_MAX;
    }
    if (!writer->deadline && now >= writer->pause && !writer->fenced) {
        fill(&request, writer, writer->doing);
        submit(engine, number, &request);
        writer->deadline = now + DEADLINE_MS;
    }
}

static int flood(const char *path, unsigned count, int seconds)
{
    static struct writer writers[WRITERS_MAX];
    char stop[4096];
    char prefix[9] = {0};
    uint64_t acknowledged = 0;
    uint64_t lost = 0;
    FILE *file = fopen(path, "w");
    struct fleet_engine *engine = connect_engine(count, false);
    if (!file || count > WRITERS_MAX) {
        die("%s", file ? "too many writers" : path);
    }
    (void)setvbuf(file, NULL, _IOLBF, 0);
    (void)snprintf(stop, sizeof stop, "%s.stop", path);
    unsigned char drawn[4];
    draw(drawn, sizeof drawn);
    (void)snprintf(prefix, sizeof prefix, "%02x%02x%02x%02x", drawn[0], drawn[1], drawn[2], drawn[3]);
    for (unsigned i = 0; i < count; i++) {
        char id[40];
        (void)snprintf(id, sizeof id, "flood-%s-%u", prefix, i);
        writer_begin(&writers[i], id);
    }
    int64_t end = xylem_base__steady_ms() + seconds * 1000;
    while (xylem_base__steady_ms() < end && access(stop, F_OK) != 0) {
        struct fleet_answer answer;
        struct xylem_error err;
        struct pollfd ready = {.fd = engine->fd(engine), .events = POLLIN};
        for (unsigned i = 0; i < count; i++) {
            flood_send(engine, &writers[i], i);
        }
        (void)poll(&ready, 1, 20);
        while (engine->poll(engine, &answer, &err) == 1) {
            flood_answered(file, &writers[answer.number], &answer);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        acknowledged += writers[i].acknowledged;
        lost += writers[i].lost;
    }
    (void)fclose(file);
    printf("acknowledged %llu lost %llu\n", (unsigned long long)acknowledged, (unsigned long long)lost);
    return lost > 0;
}

/* --- What the engine has -------------------------------------------------------------------------------------------------- */

struct reading {
    const char *id;
    uint64_t *chains;
    uint64_t next;
    uint64_t doubled; /* pieces that hold another change than their ordinal says */
};

static void read_piece(void *context, const struct fleet_piece *piece)
{
    struct reading *reading = context;
    char expected[80];
    (void)snprintf(expected, sizeof expected, "%s %llu", reading->id, (unsigned long long)piece->from);
    if (piece->from != reading->next || piece->to != piece->from + 1 ||
        !xylem_base__view_equal(piece->body, xylem_view_of(expected))) {
        reading->doubled++;
    }
    if (piece->from < ORDINALS_MAX) {
        reading->chains[piece->from] = piece->chain;
    }
    reading->next = piece->to;
}

static void read_session(struct fleet_engine *engine, struct reading *reading)
{
    struct fleet_request request = {.ask = FLEET_READ, .session = xylem_view_of(reading->id), .limit = 1000};
    struct asked asked = {.has_row = true};
    int64_t end = xylem_base__steady_ms() + ENDLESS_MS;
    reading->next = 1;
    do {
        request.from = reading->next;
        submit(engine, 1, &request);
        take(&asked, engine, 1, read_piece, reading);
        if (asked.outcome == FLEET_NO) {
            return;
        }
        if (asked.outcome != FLEET_DONE) {
            (void)usleep(PAUSE_MS * 1000);
            if (xylem_base__steady_ms() > end) {
                die("read: %s", asked.text);
            }
        }
    } while (asked.outcome != FLEET_DONE || reading->next < asked.row.next);
}

static int check(const char *path)
{
    char id[40] = "";
    char line[40];
    unsigned long long ordinal;
    unsigned long long chain;
    uint64_t acknowledged = 0;
    uint64_t lost = 0;
    uint64_t doubled = 0;
    static char names[WRITERS_MAX][40];
    static struct reading readings[WRITERS_MAX];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        die("%s cannot be read", path);
    }
    struct fleet_engine *engine = connect_engine(1, true);
    while (fscanf(file, "%39s %llu %llx", line, &ordinal, &chain) == 3) {
        size_t at = 0;
        while (at < count && strcmp(names[at], line) != 0) {
            at++;
        }
        if (at == count && count < WRITERS_MAX) {
            (void)snprintf(names[at], sizeof id, "%s", line);
            readings[at] = (struct reading){.id = names[at], .chains = calloc(ORDINALS_MAX, sizeof(uint64_t))};
            read_session(engine, &readings[at]);
            doubled += readings[at].doubled;
            count++;
        }
        acknowledged++;
        lost += ordinal >= readings[at].next || readings[at].chains[ordinal] != chain;
    }
    printf("acknowledged %llu lost %llu doubled %llu\n", (unsigned long long)acknowledged, (unsigned long long)lost,
           (unsigned long long)doubled);
    return lost + doubled > 0;
}

/* --- Races ------------------------------------------------------------------------------------------------------------------ */

struct counts {
    uint64_t rounds;
    uint64_t acknowledged;
    uint64_t wrong;
};

static void expect(struct counts *counts, bool is_so, const char *what)
{
    if (!is_so) {
        counts->wrong++;
        (void)fprintf(stderr, "round %llu: %s\n", (unsigned long long)counts->rounds, what);
    }
}

static int tell(const struct counts *counts)
{
    printf("rounds %llu acknowledged %llu wrong %llu\n", (unsigned long long)counts->rounds,
           (unsigned long long)counts->acknowledged, (unsigned long long)counts->wrong);
    return counts->wrong > 0;
}

static void draw_id(char *id, size_t bytes, const char *what)
{
    uint32_t number;
    draw(&number, sizeof number);
    (void)snprintf(id, bytes, "%s-%08x", what, number);
}

/* True if the writer's append is in the engine, by a look. The engine may be at a failover. */
static bool landed(struct fleet_engine *engine, struct writer *writer, const struct fleet_request *sent)
{
    struct fleet_request request;
    struct asked asked;
    fill(&request, writer, FLEET_LOOK);
    insist(&asked, engine, &request);
    return asked.has_row && asked.row.next == sent->to && asked.row.chain == sent->after;
}

static int race(uint64_t rounds)
{
    struct fleet_engine *engines[] = {connect_engine(1, false), connect_engine(1, false)};
    struct writer writers[2];
    struct counts counts = {0};
    char id[40];
    draw_id(id, sizeof id, "race");
    for (size_t i = 0; i < 2; i++) {
        writer_begin(&writers[i], id);
        memcpy(writers[i].token, writers[0].token, sizeof writers[i].token); /* a copied store */
        must_claim(engines[i], &writers[i], 0);
        writers[i].salt = i << 32;
    }
    for (; counts.rounds < rounds; counts.rounds++) {
        struct fleet_request requests[2];
        struct asked asked[2];
        bool won[2];
        for (size_t i = 0; i < 2; i++) {
            fill(&requests[i], &writers[i], FLEET_APPEND);
        }
        submit(engines[counts.rounds % 2], 1, &requests[counts.rounds % 2]);
        submit(engines[1 - counts.rounds % 2], 1, &requests[1 - counts.rounds % 2]);
        for (size_t i = 0; i < 2; i++) {
            take(&asked[i], engines[i], 1, NULL, NULL);
        }
        bool sure = true;
        for (size_t i = 0; i < 2; i++) {
            sure = sure && (asked[i].outcome == FLEET_DONE || asked[i].outcome == FLEET_NO);
        }
        for (size_t i = 0; i < 2; i++) {
            won[i] = sure ? asked[i].outcome == FLEET_DONE : landed(engines[i], &writers[i], &requests[i]);
            expect(&counts, won[i] || asked[i].outcome != FLEET_DONE, "an acknowledged append is not there");
        }
        expect(&counts, !(won[0] && won[1]), "two winners");
        expect(&counts, won[0] || won[1] || !sure, "no winner");
        if (!won[0] && !won[1]) {
            continue; /* a failover took both: the same ordinal again */
        }
        counts.acknowledged++;
        for (size_t i = 0; i < 2; i++) {
            writers[i].chains[writers[i].next++] = requests[won[0] ? 0 : 1].after;
        }
    }
    struct reading reading = {.id = id, .chains = calloc(ORDINALS_MAX, sizeof(uint64_t))};
    read_session(engines[0], &reading);
    expect(&counts, reading.next == writers[0].next && reading.doubled == 0, "a gap, or an append too many");
    for (uint64_t i = 1; i < reading.next; i++) {
        expect(&counts, reading.chains[i] == writers[0].chains[i], "another winner than was told");
    }
    return tell(&counts);
}

/* --- Takeovers ---------------------------------------------------------------------------------------------------------------- */

static void must_append(struct counts *counts, struct fleet_engine *engine, struct writer *writer, bool wanted,
                        const char *what)
{
    struct fleet_request request;
    struct asked asked;
    fill(&request, writer, FLEET_APPEND);
    ask(&asked, engine, &request);
    expect(counts, asked.outcome == (wanted ? FLEET_DONE : FLEET_NO), what);
    if (asked.outcome == FLEET_DONE) {
        writer->chains[writer->next++] = request.after;
        counts->acknowledged++;
    }
}

/* The winner goes on from what the claim's answer says. */
static void take_claim(struct counts *counts, struct writer *winner, const struct asked *claimed,
                       const struct fleet_request *append, bool appended)
{
    winner->epoch = claimed->row.epoch;
    winner->next = claimed->row.next;
    winner->chains[winner->next - 1] = claimed->row.chain;
    bool has_it = claimed->row.next == append->to && claimed->row.chain == append->after;
    expect(counts, has_it == appended, "the claim's answer and the owner's append disagree");
}

static int takeover(uint64_t rounds)
{
    struct fleet_engine *engines[3];
    struct writer writers[3];
    struct counts counts = {0};
    size_t owner = 0;
    char id[40];
    draw_id(id, sizeof id, "takeover");
    for (size_t i = 0; i < 3; i++) {
        engines[i] = connect_engine(1, false);
        writer_begin(&writers[i], id);
    }
    must_claim(engines[0], &writers[0], 0);
    for (; counts.rounds < rounds; counts.rounds++) {
        size_t x = (owner + 1) % 3;
        size_t y = (owner + 2) % 3;
        struct fleet_request requests[3];
        struct asked asked[3];
        for (size_t i = 0; i < 3; i++) {
            writers[i].epoch = writers[owner].epoch;
            fill(&requests[i], &writers[i], i == owner ? FLEET_APPEND : FLEET_CLAIM);
        }
        for (size_t i = 0; i < 3; i++) {
            size_t at = (counts.rounds + i) % 3;
            submit(engines[at], 1, &requests[at]);
        }
        for (size_t i = 0; i < 3; i++) {
            take(&asked[i], engines[i], 1, NULL, NULL);
        }
        bool appended = asked[owner].outcome == FLEET_DONE;
        bool x_won = asked[x].outcome == FLEET_DONE;
        counts.acknowledged += appended ? 1 : 0;
        expect(&counts, x_won != (asked[y].outcome == FLEET_DONE), "not exactly one claim won");
        size_t winner = x_won ? x : y;
        size_t loser = x_won ? y : x;
        take_claim(&counts, &writers[winner], &asked[winner], &requests[owner], appended);
        struct writer other = writers[winner];
        memcpy(other.token, writers[loser].token, sizeof other.token);
        must_append(&counts, engines[loser], &other, false, "the loser of the claims appended");
        memcpy(other.token, writers[owner].token, sizeof other.token);
        other.epoch = writers[owner].epoch;
        must_append(&counts, engines[owner], &other, false, "the old owner appended");
        must_append(&counts, engines[winner], &writers[winner], true, "the winner's append was refused");
        owner = winner;
    }
    struct reading reading = {.id = id, .chains = calloc(ORDINALS_MAX, sizeof(uint64_t))};
    read_session(engines[0], &reading);
    expect(&counts, reading.next == writers[owner].next && reading.doubled == 0, "a gap, or an append too many");
    return tell(&counts);
}

static int stale(uint64_t rounds)
{
    struct fleet_engine *engines[] = {connect_engine(1, false), connect_engine(1, false)};
    struct writer writers[2];
    struct counts counts = {0};
    char id[40];
    draw_id(id, sizeof id, "stale");
    for (size_t i = 0; i < 2; i++) {
        writer_begin(&writers[i], id);
    }
    must_claim(engines[0], &writers[0], 0);
    for (; counts.rounds < rounds; counts.rounds++) {
        struct writer *owner = &writers[counts.rounds % 2];
        struct writer *claimer = &writers[1 - counts.rounds % 2];
        struct fleet_engine *theirs = engines[counts.rounds % 2];
        struct fleet_engine *mine = engines[1 - counts.rounds % 2];
        struct fleet_request request;
        struct asked listed;
        fill(&request, claimer, FLEET_ROW);
        insist(&listed, mine, &request);
        for (uint64_t i = 0; i <= counts.rounds % 3; i++) {
            must_append(&counts, theirs, owner, true, "the owner's append was refused");
        }
        must_claim(mine, claimer, listed.row.epoch);
        struct writer by_list = *claimer;
        uint64_t kept = claimer->chains[listed.row.next - 1];
        by_list.next = listed.row.next;
        by_list.chains[by_list.next - 1] = listed.row.chain;
        must_append(&counts, mine, &by_list, false, "an append by the stale list was taken");
        if (by_list.next != claimer->next) {
            claimer->chains[listed.row.next - 1] = kept;
        }
        must_append(&counts, mine, claimer, true, "an append by the claim's answer was refused");
    }
    struct reading reading = {.id = id, .chains = calloc(ORDINALS_MAX, sizeof(uint64_t))};
    read_session(engines[0], &reading);
    expect(&counts, reading.doubled == 0 && reading.next == counts.acknowledged + 1, "a gap, or an append too many");
    return tell(&counts);
}

/* The same append through two connections at once, one that comes too early, and an old one again. */
static int orders(uint64_t rounds)
{
    struct fleet_engine *engines[] = {connect_engine(1, false), connect_engine(1, false)};
    struct writer writer;
    struct counts counts = {0};
    char id[40];
    draw_id(id, sizeof id, "orders");
    writer_begin(&writer, id);
    must_claim(engines[0], &writer, 0);
    for (; counts.rounds < rounds; counts.rounds++) {
        struct fleet_request request;
        struct asked asked[2];
        struct writer early = writer;
        fill(&request, &writer, FLEET_APPEND);
        early.chains[writer.next] = request.after;
        early.next++;
        must_append(&counts, engines[0], &early, false, "an append behind a gap was taken");
        fill(&request, &writer, FLEET_APPEND);
        submit(engines[0], 1, &request);
        submit(engines[1], 1, &request);
        take(&asked[0], engines[0], 1, NULL, NULL);
        take(&asked[1], engines[1], 1, NULL, NULL);
        expect(&counts, (asked[0].outcome == FLEET_DONE) != (asked[1].outcome == FLEET_DONE), "not taken once");
        ask(&asked[0], engines[0], &request);
        expect(&counts, asked[0].outcome == FLEET_NO, "an old append was taken again");
        writer.chains[writer.next++] = request.after;
        counts.acknowledged++;
    }
    struct reading reading = {.id = id, .chains = calloc(ORDINALS_MAX, sizeof(uint64_t))};
    read_session(engines[0], &reading);
    expect(&counts, reading.doubled == 0 && reading.next == writer.next, "a gap, or an append too many");
    return tell(&counts);
}

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 3 ? argv[1] : "";
    url = argc > 3 ? argv[2] : "";
    if (strcmp(mode, "flood") == 0 && argc == 6) {
        return flood(argv[3], (unsigned)number(argv[4]), (int)number(argv[5]));
    }
    return strcmp(mode, "check") == 0      ? check(argv[3])
           : strcmp(mode, "race") == 0     ? race(number(argv[3]))
           : strcmp(mode, "takeover") == 0 ? takeover(number(argv[3]))
           : strcmp(mode, "stale") == 0    ? stale(number(argv[3]))
           : strcmp(mode, "orders") == 0   ? orders(number(argv[3]))
                                           : 2;
}
