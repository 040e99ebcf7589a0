/*
 * The fleet in virtual time. FLEET_SEED, FLEET_STEPS, FLEET_HOSTS and FLEET_SESSIONS run one run; a run prints what
 * happened in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/fleet/simulate.h"
#include "tests/lib/test.h"

/* Seeds that a mutant may take. */
#define MUTANT_SEEDS 80u

static void print_report(const struct simulate_options *options, const struct simulate_report *report)
{
    printf(
        "seed %llu: %llu steps, %u hosts, %u sessions, %llu s; %llu changes, %llu acknowledged by %llu answers; "
        "%llu failovers (%llu refused at first), %llu takeovers, %llu fenced, %llu forks; %llu unknown outcomes, "
        "%llu late, %llu doubled; %llu redactions, %llu released, %llu freed; %llu crashes of hosts, %llu of nodes, "
        "%llu answers of old primaries, %llu cancelled waits; %llu backups of hosts and %llu of the engine came back\n",
        (unsigned long long)options->seed, (unsigned long long)report->steps, options->hosts, options->sessions,
        (unsigned long long)report->now_ms / 1000, (unsigned long long)report->changes,
        (unsigned long long)report->acknowledged, (unsigned long long)report->acknowledgements,
        (unsigned long long)report->failovers, (unsigned long long)report->refused,
        (unsigned long long)report->takeovers, (unsigned long long)report->fenced, (unsigned long long)report->forks,
        (unsigned long long)report->unknown, (unsigned long long)report->late, (unsigned long long)report->doubled,
        (unsigned long long)report->redactions, (unsigned long long)report->releases, (unsigned long long)report->freed,
        (unsigned long long)report->host_crashes, (unsigned long long)report->kills,
        (unsigned long long)report->zombies, (unsigned long long)report->cancels,
        (unsigned long long)report->host_restores, (unsigned long long)report->engine_restores);
    fflush(stdout);
}

static struct simulate_report run(struct simulate_options options)
{
    struct simulate_report report;
    simulate(&report, &options);
    print_report(&options, &report);
    if (report.violation[0]) {
        fail_msg("FLEET_SEED=%llu FLEET_STEPS=%llu FLEET_HOSTS=%u FLEET_SESSIONS=%u, step %llu: %s",
                 (unsigned long long)options.seed, (unsigned long long)options.steps, options.hosts, options.sessions,
                 (unsigned long long)report.violated_at, report.violation);
    }
    assert_true(report.acknowledged > 0);
    return report;
}

static void add(struct simulate_report *sum, struct simulate_report report)
{
    sum->failovers += report.failovers;
    sum->zombies += report.zombies;
    sum->late += report.late;
    sum->doubled += report.doubled;
    sum->redactions += report.redactions;
}

/* Another seed each day would hide what one run found: every run has its own, and prints it. */
static uint64_t drawn_seed(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) % 1000000000u;
}

static bool is_one_run(void)
{
    return getenv("FLEET_SEED") || getenv("FLEET_STEPS") || getenv("FLEET_HOSTS") || getenv("FLEET_SESSIONS");
}

TEST(nothing_acknowledged_is_lost_doubled_reordered_or_won_twice)
{
    uint64_t seed = test_number_from("FLEET_SEED", drawn_seed());
    struct simulate_report sum = {0};
    if (is_one_run()) {
        run((struct simulate_options){.seed = seed,
                                      .steps = test_number_from("FLEET_STEPS", 100000),
                                      .hosts = (unsigned)test_number_from("FLEET_HOSTS", 8),
                                      .sessions = (unsigned)test_number_from("FLEET_SESSIONS", 20)});
        return;
    }
    for (uint64_t i = test_number_from("FLEET_ROUNDS", test_rounds(40)); i > 0; i--) {
        add(&sum, run((struct simulate_options){.seed = seed + i, .steps = 100000, .hosts = 8, .sessions = 20}));
        add(&sum, run((struct simulate_options){.seed = seed + i, .steps = 30000, .hosts = 3, .sessions = 2}));
    }
    assert_true(sum.failovers > 0);
    assert_true(sum.zombies > 0);
    assert_true(sum.late > 0);
    assert_true(sum.doubled > 0);
    assert_true(sum.redactions > 0);
}

TEST(a_thousand_hosts_share_an_engine)
{
    if (!is_one_run()) {
        run((struct simulate_options){.seed = drawn_seed(), .steps = 300000, .hosts = 1000, .sessions = 100000});
    }
}

TEST(a_seed_gives_the_same_run_again)
{
    struct simulate_options options = {.seed = 11, .steps = 20000, .hosts = 5, .sessions = 9};
    struct simulate_report first;
    struct simulate_report second;
    simulate(&first, &options);
    simulate(&second, &options);
    assert_memory_equal(&first, &second, sizeof first);
}

static void catch_mutant(enum simulate_mutant mutant, uint64_t seed)
{
    struct simulate_options options = {.seed = seed, .steps = 100000, .hosts = 8, .sessions = 20, .mutant = mutant};
    struct simulate_report report;
    for (; options.seed < seed + MUTANT_SEEDS; options.seed++) {
        simulate(&report, &options);
        if (report.violation[0]) {
            printf("%s: seed %llu, step %llu: %s\n", simulate_mutant_word(mutant), (unsigned long long)options.seed,
                   (unsigned long long)report.violated_at, report.violation);
            return;
        }
    }
    fail_msg("%s: not found by %u seeds", simulate_mutant_word(mutant), MUTANT_SEEDS);
}

/* Mutants that take a rare meeting of events begin near a seed that has one. */
TEST(each_mutant_is_found)
{
    static const uint64_t seeds[MUTANT_COUNT] = {
        [MUTANT_ALREADY_THERE] = 6, [MUTANT_BEFORE_CUT] = 17,    [MUTANT_OLD_TIMELINE] = 33,
        [MUTANT_ONE_SEEN] = 2,      [MUTANT_CANCEL_IS_DONE] = 2, [MUTANT_GENERATION_UNCHECKED] = 13,
    };
    for (unsigned mutant = MUTANT_NONE + 1; mutant < MUTANT_COUNT && !is_one_run(); mutant++) {
        catch_mutant((enum simulate_mutant)mutant, seeds[mutant] ? seeds[mutant] : 1);
    }
}
