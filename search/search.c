/*
 * The call: reads the scope, searches the log with several readers, and joins their results.
 *
 *     calling thread      scope ──> reader ──> joins ──> quarantine ──> report
 *     more threads             └──> reader ──┘
 *
 * Each thread takes segments of the log in turn. The joined result does not depend on who took which: hits have a total
 * order, counts add up, and problems are sorted.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/numbers.h"
#include "search/reader.h"
#include "store/lmdb/tables.h"

#define PROGRESS_MS 50u        /* a person who ends a search does not wait */
#define SEGMENTS_PER_THREAD 4u /* with fewer segments, another thread is not worth its start */

/* A thread beside the calling thread. */
struct helper {
    struct xylem_search__reader reader;
    pthread_t thread;
    struct run *run;
};

struct run {
    struct xylem_search_options options;
    struct xylem_search__query query;
    struct xylem_search__scope scope;
    struct xylem_search__shared shared;
    struct xylem_search__reader own; /* of the calling thread; the results of all readers end here */
    struct helper *helpers;
    unsigned helper_count; /* started */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned working;   /* helpers that still work; guarded by `lock` */
    uint64_t paused_ms; /* time of the last progress */
    struct xylem_error *err;
};

/* --- Progress ----------------------------------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Tells the caller how far the search is, about twenty times a second. */
static int tell_progress(void *context)
{
    struct run *run = context;
    uint64_t now = now_ms();
    if (!run->options.progress || now - run->paused_ms < PROGRESS_MS) {
        return 0;
    }
    run->paused_ms = now;
    struct xylem_search_progress so_far = {.entry_count = atomic_load(&run->shared.entry_count),
                                           .entry_total = run->scope.entry_total,
                                           .match_count = atomic_load(&run->shared.match_count)};
    return run->options.progress(run->options.context, &so_far);
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

static void *help(void *context)
{
    struct helper *helper = context;
    struct run *run = helper->run;
    xylem_search__reader_run(&helper->reader);
    pthread_mutex_lock(&run->lock);
    run->working--;
    pthread_cond_signal(&run->changed);
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

/*
 * Starts a helper with a read transaction of the same snapshot. False: no slot, no memory, or a commit came in between;
 * the search goes on without more help.
 */
static bool start_helper(struct run *run)
{
    struct helper *helper = &run->helpers[run->helper_count];
    struct xylem_txn *txn = NULL;
    uint64_t own = 0;
    uint64_t theirs = 0;
    if (!xylem_lmdb__snapshot_number(&own, run->own.txn) ||
        xylem_begin(&txn, xylem_lmdb__handle(run->own.txn), XYLEM_READ, NULL) < 0) {
        return false;
    }
    helper->run = run;
    helper->reader.shared = &run->shared;
    helper->reader.txn = txn;
    if (xylem_lmdb__snapshot_number(&theirs, txn) && theirs == own &&
        xylem_search__reader_init(&helper->reader) == XYLEM_OK) {
        run->working++; /* no other thread reads the number of a helper before its start */
        if (pthread_create(&helper->thread, NULL, help, helper) == 0) {
            return true;
        }
        run->working--;
    }
    xylem_search__reader_release(&helper->reader);
    xylem_abort(txn);
    return false;
}

static void start_helpers(struct run *run)
{
    unsigned threads = run->options.threads;
    size_t useful = run->scope.segment_count / SEGMENTS_PER_THREAD;
    if (threads == 0) {
        cpu_set_t set;
        threads = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    }
    threads = threads > XYLEM_SEARCH_THREADS_MAX ? XYLEM_SEARCH_THREADS_MAX : threads;
    threads = threads > useful ? (unsigned)useful : threads;
    run->helpers = threads > 1 ? calloc(threads - 1, sizeof *run->helpers) : NULL; /* beside the calling thread */
    bool more = run->helpers != NULL;
    while (more && run->helper_count < threads - 1) {
        pthread_mutex_lock(&run->lock);
        more = start_helper(run);
        run->helper_count += more;
        pthread_mutex_unlock(&run->lock);
    }
}

/* Waits for the helpers, with progress. */
static void await_helpers(struct run *run)
{
    pthread_mutex_lock(&run->lock);
    while (run->working > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)PROGRESS_MS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&run->changed, &run->lock, &until) == ETIMEDOUT) {
            pthread_mutex_unlock(&run->lock);
            if (run->own.code == XYLEM_OK && tell_progress(run) != 0) {
                run->own.code = xylem_base__fail(&run->own.err, XYLEM_E_STOPPED, "the search was stopped");
                atomic_store(&run->shared.stop, true);
            }
            pthread_mutex_lock(&run->lock);
        }
    }
    pthread_mutex_unlock(&run->lock);
}

/* True if the code says only that another thread failed. */
static bool is_stop(int code)
{
    return code == XYLEM_OK || code == XYLEM_E_STOPPED;
}

/* Adds the results of the helpers to those of the calling thread. */
static void end_helpers(struct run *run)
{
    struct xylem_search__reader *own = &run->own;
    for (unsigned i = 0; i < run->helper_count; i++) {
        struct xylem_search__reader *other = &run->helpers[i].reader;
        pthread_join(run->helpers[i].thread, NULL);
        own->entry_count += other->entry_count;
        own->payload_bytes += other->payload_bytes;
        own->match_count += other->match_count;
        for (size_t j = 0; j < run->scope.session_count; j++) {
            struct xylem_search__count *count = &own->counts[j];
            count->match_count += other->counts[j].match_count;
            count->seen_count += other->counts[j].seen_count;
            count->newest_ms =
                other->counts[j].newest_ms > count->newest_ms ? other->counts[j].newest_ms : count->newest_ms;
        }
        if (!is_stop(other->code) && is_stop(own->code)) {
            own->code = other->code;
            own->err = other->err;
        }
        int code = xylem_search__problems_move(&own->problems, &other->problems, &own->err);
        code = code < 0 ? code : xylem_search__kept_move(&own->kept, &other->kept, &own->err);
        own->code = code < 0 ? code : own->code;
        xylem_search__reader_release(other);
        xylem_abort(other->txn);
    }
    free(run->helpers);
    run->helpers = NULL;
}

/* --- After the pass ----------------------------------------------------------------------------------------------- */

static bool filters_entries(const struct xylem_search_options *options)
{
    return options->kind_count > 0 || options->role_count > 0 || options->tool_count > 0 || options->since_ms ||
           options->until_ms || options->errors;
}

static int tell_problems(struct run *run)
{
    struct xylem_search__problems *problems = &run->own.problems;
    xylem_search__problems_sort(problems);
    for (size_t i = 0; run->options.damaged && i < problems->count; i++) {
        const struct xylem_search__problem *found = &problems->list[i];
        const struct xylem_search__session *session = xylem_search__scope_session(&run->scope, found->session);
        struct xylem_problem problem = {.table = found->table, .position = found->position, .text = found->text.data};
        if (session) {
            problem.session_id = session->id;
        }
        if (found->entry_id.bytes > 0) {
            problem.entry_id = xylem_base__buffer_view(&found->entry_id);
        }
        if (run->options.damaged(run->options.context, &problem) != 0) {
            return xylem_base__fail(&run->own.err, XYLEM_E_STOPPED, "the search was stopped");
        }
    }
    return XYLEM_OK;
}

/* --- The report --------------------------------------------------------------------------------------------------- */

/* The memory of a report. */
struct storage {
    struct xylem_search__kept kept;
    struct xylem_search_hit *hits;
    struct xylem_search_session *sessions;
    uint64_t *members; /* the sessions of all hits, one list after the other */
};

static int compare_sessions(const void *left, const void *right)
{
    const struct xylem_search_session *a = left;
    const struct xylem_search_session *b = right;
    return a->newest_ms != b->newest_ms ? (a->newest_ms < b->newest_ms) - (a->newest_ms > b->newest_ms)
                                        : (a->number < b->number) - (a->number > b->number);
}

/* Reports the hits, each with the sessions that have its entry. */
static int report_hits(struct xylem_search_report *report, const struct run *run)
{
    struct storage *storage = report->storage;
    const struct xylem_search__scope *scope = &run->scope;
    struct xylem_base__numbers members = {NULL, 0, 0};
    uint64_t *leaves = calloc(scope->branch_count + 1, sizeof *leaves);
    uint64_t branch = 0; /* of `leaves`; 0: none yet */
    int code = XYLEM_OK;
    storage->hits = calloc(storage->kept.count + 1, sizeof *storage->hits);
    if (!storage->hits || !leaves) {
        code = xylem_base__fail_memory(run->err);
    }
    for (size_t i = 0; code == XYLEM_OK && i < storage->kept.count; i++) {
        struct xylem_search_hit *hit = &storage->hits[i];
        size_t before = members.count;
        *hit = storage->kept.list[i].hit;
        if (hit->position.branch != 0 && branch != hit->position.branch) {
            branch = hit->position.branch;
            xylem_search__scope_leaves(leaves, scope, branch);
        }
        for (size_t j = 0; code == XYLEM_OK && j < scope->session_count; j++) {
            const struct xylem_search__session *session = &scope->sessions[j];
            bool has = hit->position.branch == 0 ? session->number == hit->session
                                                 : xylem_search__scope_has(scope, session, hit->position, leaves);
            code = has ? xylem_base__numbers_add(&members, session->number, run->err) : XYLEM_OK;
        }
        hit->session_count = members.count - before;
    }
    storage->members = members.list;
    size_t at = 0;
    for (size_t i = 0; code == XYLEM_OK && i < storage->kept.count; i++) {
        storage->hits[i].sessions = storage->members + at;
        at += storage->hits[i].session_count;
    }
    free(leaves);
    report->hits = storage->hits;
    report->hit_count = storage->kept.count;
    return code;
}

static int make_report(struct xylem_search_report *report, struct run *run)
{
    const struct xylem_search__scope *scope = &run->scope;
    struct storage *storage = calloc(1, sizeof *storage);
    if (!storage) {
        return xylem_base__fail_memory(run->err);
    }
    report->storage = storage;
    xylem_search__kept_sort(&run->own.kept);
    storage->kept = run->own.kept;
    run->own.kept = (struct xylem_search__kept){.max = 0};
    report->match_count = run->own.match_count;
    report->entry_count = run->own.entry_count;
    report->payload_bytes = run->own.payload_bytes;
    report->problem_count = run->own.problems.count;
    report->thread_count = run->helper_count + 1;
    report->ignored_case = run->query.term_count > 0;
    for (size_t i = 0; i < run->query.term_count; i++) {
        report->ignored_case = report->ignored_case && run->query.terms[i].caseless;
    }
    storage->sessions = calloc(scope->session_count + 1, sizeof *storage->sessions);
    if (!storage->sessions) {
        return xylem_base__fail_memory(run->err);
    }
    for (size_t i = 0; i < scope->session_count; i++) {
        const struct xylem_search__count *count = &run->own.counts[i];
        if (count->match_count > 0) {
            storage->sessions[report->session_count++] =
                (struct xylem_search_session){scope->sessions[i].number, count->match_count, count->newest_ms};
        }
    }
    qsort(storage->sessions, report->session_count, sizeof *storage->sessions, compare_sessions);
    report->sessions = storage->sessions;
    return report_hits(report, run);
}

void xylem_search_report_release(struct xylem_search_report *report)
{
    struct storage *storage = report ? report->storage : NULL;
    if (storage) {
        xylem_search__kept_release(&storage->kept);
        free(storage->hits);
        free(storage->sessions);
        free(storage->members);
        free(storage);
    }
    if (report) {
        memset(report, 0, sizeof *report);
    }
}

/* --- The call ----------------------------------------------------------------------------------------------------- */

/* The pass over the log, and what follows, with the error in the reader of the calling thread. */
static int search(struct run *run)
{
    static const struct xylem_position none = {0, 0};
    struct xylem_search__reader *own = &run->own;
    start_helpers(run);
    xylem_search__reader_run(own);
    await_helpers(run);
    end_helpers(run);
    /* The row of a session counts the entries of its branches: another number means lost entries. */
    for (size_t i = 0; own->code == XYLEM_OK && i < run->scope.session_count; i++) {
        const struct xylem_search__session *session = &run->scope.sessions[i];
        if (session->wanted && session->own_entry_count != own->counts[i].seen_count) {
            own->code =
                xylem_search__problems_add(&own->problems, "log", session->number, none, (struct xylem_view){NULL, 0},
                                           "the session has another number of entries than its row says", &own->err);
        }
    }
    if (own->code == XYLEM_OK && run->options.quarantine && !filters_entries(&run->options)) {
        own->code = xylem_search__reader_quarantine(own);
    }
    if (own->code == XYLEM_OK) {
        own->code = tell_problems(run);
    }
    return own->code;
}

int xylem_search(struct xylem_search_report *report, struct xylem_txn *txn, const struct xylem_search_options *options,
                 struct xylem_error *err)
{
    memset(report, 0, sizeof *report);
    if (!txn || !options) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a search needs a transaction and options");
    }
    struct run run = {.options = *options,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .changed = PTHREAD_COND_INITIALIZER,
                      .paused_ms = now_ms(),
                      .err = err};
    run.options.hits_max = options->hits_max > 0 ? options->hits_max : XYLEM_SEARCH_HITS_DEFAULT;
    run.shared.query = &run.query;
    run.shared.scope = &run.scope;
    run.own =
        (struct xylem_search__reader){.shared = &run.shared, .txn = txn, .pause = tell_progress, .pause_context = &run};
    int code;
    if ((code = xylem_search__query_make(&run.query, &run.options, err)) < 0 ||
        (code = xylem_search__scope_read(&run.scope, &run.own.problems, txn, &run.options, err)) < 0) {
        goto out;
    }
    if ((code = xylem_search__reader_init(&run.own)) < 0 || (code = search(&run)) < 0) {
        if (err) {
            *err = run.own.err;
        }
        goto out;
    }
    code = make_report(report, &run);
out:
    if (code < 0) {
        xylem_search_report_release(report);
    }
    xylem_search__reader_release(&run.own);
    xylem_search__scope_release(&run.scope);
    xylem_search__query_release(&run.query);
    return code;
}
