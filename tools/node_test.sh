#!/bin/sh
# The tests of the addon, as one program: <build>/tests/hosts/node is a link to this file. The tests need the command
# <build>/xylem, and Node: NODE is Node, or a program that emulates a Node. An addon with the address sanitizer needs
# the sanitizer's library in front of all others.
set -eu
XYLEM_NATIVE=$(cd "${0%/tests/*}/node" && pwd)
XYLEM_BIN=$(cd "${0%/tests/*}" && pwd)/xylem
NODE=${NODE:-node}
export XYLEM_NATIVE XYLEM_BIN NODE
runtime=$(readelf -d "$XYLEM_NATIVE"/prebuilds/*/xylem.node | sed -n 's/.*(NEEDED).*\[\(libasan[^]]*\)\]/\1/p')
if [ -n "$runtime" ]; then
    # Node itself does not free all it has at its end.
    export LD_PRELOAD="$runtime" ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0:detect_stack_use_after_return=0"
fi
# One after the other: `node --test` starts itself again, and an emulated Node is no program of this machine.
status=0
for file in hosts/node/test/*.test.mjs; do
    "$NODE" --test-reporter=tap "$file" || status=1
done
exit $status
