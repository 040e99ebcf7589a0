#!/bin/sh
# The tests of the addon, as one program: <build>/tests/hosts/node is a link to this file. They need Node alone. An addon
# with the address sanitizer needs the sanitizer's library in front of all others.
set -eu
XYLEM_NATIVE=$(cd "${0%/tests/*}/node" && pwd)
export XYLEM_NATIVE
runtime=$(readelf -d "$XYLEM_NATIVE"/prebuilds/*/xylem.node | sed -n 's/.*(NEEDED).*\[\(libasan[^]]*\)\]/\1/p')
if [ -n "$runtime" ]; then
    # Node itself does not free all it has at its end.
    export LD_PRELOAD="$runtime" ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0:detect_stack_use_after_return=0"
fi
exec "${NODE:-node}" --test --test-reporter=tap hosts/node/test/*.test.mjs
