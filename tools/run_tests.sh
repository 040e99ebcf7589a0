#!/bin/sh
# Runs test programs and transcripts, as many at a time as there are processors, and counts their test functions and
# sections. One line for each, and below it what a program says behind `figures: ` (kills, states, flips: what a matrix
# went through); the output only if it failed. The last line is `N passed, M failed`. Fails if a program fails, crashes,
# takes too long or runs no test.
set -eu

# A test program is <build>/tests/<room>/test_<name>, and a transcript <build>/tests/<room>/<name>.t, a link to the file
# that cram runs; the command under test is <build>/xylem.
run_one() {
    program=$1
    results=$2
    sections=0
    set -- "$program"
    case $program in
    *.t)
        set -- "$(command -v cram3 || command -v cram)" "$(readlink -f "$program")"
        # A section begins with a paragraph of prose; the first paragraph says what the file is about.
        sections=$(awk '/^[^ ]/ && !prose { count++ } { prose = /^[^ ]/ } END { print count - 1 }' "$program")
        ;;
    esac
    name=$(echo "$program" | tr / _)
    output=$results/$name.output
    began=$(date +%s)
    status=0
    case $program in /*) absolute=$program ;; *) absolute=$PWD/$program ;; esac
    # At length they run without sanitizers, with which they would take hours.
    case $program in */san/*) unset XYLEM_TORTURE ;; esac
    # What is lost without a sync is tried on the disk.
    case $program:${TMPDIR:-} in */crash/*:"$results") unset TMPDIR ;; esac
    XYLEM_BIN=${absolute%%/tests/*}/xylem \
    ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=0:exitcode=99:detect_stack_use_after_return=1:allocator_may_return_null=1} \
    UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1} \
        timeout -k 5 "${TEST_SECONDS:-600}" "$@" >"$output" 2>&1 </dev/null || status=$?
    # Of cmocka's own lines: "[  PASSED  ] 3 test(s).", "[  FAILED  ] 1 test(s), listed below:". Of Node's: "# pass 3". Of
    # cram's: "# Ran 1 tests, 0 skipped, 0 failed."
    counts=$(awk -v sections="$sections" '
        /^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
        /^\[  (FAILED|SKIPPED) / { sub(/\] [^ ]+: /, "] ") } # of cmocka 1.1.7: "[  FAILED  ] FILE: 1 test(s), ..."
        /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
        /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
        /^# pass [0-9]+$/ { passed += $3 }
        /^# (fail|cancelled) [0-9]+$/ { failed += $3 }
        /^# skipped [0-9]+$/ { skipped += $3 }
        /^# Ran 1 tests, 0 skipped, 0 failed\.$/ { passed += sections }
        /^# Ran 1 tests, 0 skipped, 1 failed\.$/ { failed++ }
        /^# Ran 1 tests, 1 skipped, 0 failed\.$/ { skipped += sections }
        END { print passed + 0, failed + 0, skipped + 0 }' "$output")
    set -- $counts
    passed=$1 failed=$2 skipped=$3
    problem=''
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        problem="took longer than ${TEST_SECONDS:-600} s"
    elif [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
        problem="ended with status $status"
    elif [ $((passed + skipped)) -eq 0 ] && [ "$failed" -eq 0 ]; then
        problem='ran no test'
    fi
    [ -z "$problem" ] || failed=$((failed + 1))
    echo "$passed $failed" >"$results/$name.counts"
    line="$program: $passed passed"
    [ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
    [ "$failed" -eq 0 ] || line="$line, $failed FAILED"
    [ -z "$problem" ] || line="$line ($problem)"
    line="$line, $(($(date +%s) - began)) s"
    if [ "$failed" -eq 0 ]; then
        {
            echo "$line"
            sed -n 's/^figures: /    /p' "$output"
            sed -n 's/^\[  SKIPPED \] \([a-z0-9_]*\)$/    skipped: \1/p' "$output" | sort -u # cmocka lists them once more
        } >"$output.shown"
    else
        { echo "--- $program"; grep -v '^\[ RUN  \|^\[       OK' "$output" | tail -n 200; echo "--- $line"; } >"$output.shown"
    fi
    case $program in *.t) rm -f "$(readlink -f "$program").err" ;; esac # the diff shows what cram wrote there
    cat "$output.shown" # in one write, so that what two programs say stays apart
}

if [ "${1:-}" = --one ]; then
    run_one "$3" "$2"
    exit 0
fi

# A short run has its stores in memory, unless $TMPDIR names a place: no test waits for the disk.
memory_kib=0
if [ -n "${XYLEM_SHORT:-}" ] && [ -z "${XYLEM_TORTURE:-}${TMPDIR:-}" ] && [ -w /dev/shm ]; then
    memory_kib=$(df -Pk /dev/shm | awk 'END { print $4 }')
fi
if [ "$memory_kib" -ge 2097152 ]; then
    results=$(mktemp -d /dev/shm/xylem-XXXXXX)
    chmod 755 "$results" # for runs as another user
    export TMPDIR="$results"
else
    results=$(mktemp -d)
fi
trap 'rm -rf "$results"' EXIT
trap 'exit 130' INT TERM
[ $# -gt 0 ] || { echo 'run_tests: no test programs given' >&2; echo '0 passed, 1 failed'; exit 1; }
printf '%s\n' "$@" | xargs -P "${TEST_JOBS:-$(nproc)}" -n 1 "$0" --one "$results"

# A program without counts did not even start.
cat "$results"/*.counts | awk -v programs=$# '
    { passed += $1; failed += $2 }
    END {
        failed += programs - NR
        print passed + 0 " passed, " failed + 0 " failed"
        exit failed > 0
    }'
