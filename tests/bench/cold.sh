#!/bin/sh
# The bytes that the command reads from the disk to find a session, with nothing of the store in memory: 5,000 sessions of
# 12 messages, half of which have a name. The directory must lie on a disk, not on tmpfs: tests/bench/cold.sh XYLEM DIR
set -eu
[ $# -eq 2 ] || {
    echo 'usage: tests/bench/cold.sh XYLEM DIRECTORY' >&2
    exit 2
}
xylem=$(realpath "$1")
mkdir -p "$2"
cd "$2"
sessions=${SESSIONS:-5000}

[ -d store ] || {
    mkdir -p files
    awk -v sessions="$sessions" 'BEGIN {
        srand(7)
        words = ""
        for (i = 0; i < 250; i++) words = words " word" int(rand() * 5000)
        for (s = 0; s < sessions; s++) {
            id = sprintf("%08x-%04x-7000-8000-%012x", 27000000 + s * 13, s % 65536, s)
            file = sprintf("files/%05d_%s.jsonl", s, id)
            printf "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",", id >file
            printf "\"timestamp\":\"2026-11-20T12:00:00.000Z\",\"cwd\":\"/p/%d\"}\n", s % 40 >file
            parent = "null"
            for (e = 0; e < 12; e++) {
                entry = sprintf("%08x", s * 16 + e + 268435456)
                printf "{\"type\":\"message\",\"id\":\"%s\",\"parentId\":%s,", entry, parent >file
                printf "\"timestamp\":\"2026-11-20T12:%02d:%02d.000Z\",", int(s / 100), e >file
                printf "\"message\":{\"role\":\"user\",\"content\":\"%d%s\"}}\n", s, words >file
                parent = "\"" entry "\""
            }
            if (s % 2) {
                printf "{\"type\":\"session_info\",\"id\":\"n%07x\",\"parentId\":%s,", s, parent >file
                printf "\"timestamp\":\"2026-11-20T13:00:00.000Z\",\"name\":\"name %d\"}\n", s >file
            }
            close(file)
        }
    }'
    "$xylem" -s store import -q files >/dev/null 2>&1
}

file=$(basename files/02500_*.jsonl)
id=${file#*_}
id=${id%.jsonl}
short=$(echo "$id" | cut -c1-13)
entry=$("$xylem" -s store log "$id" -n 1 --jsonl | sed 's/.*"entry":"\([^"]*\)".*/\1/')
printf '%s sessions, data.mdb of %s bytes\n' "$sessions" "$(stat -c %s store/data.mdb)"
for words in "log $id -n 1" "log $short -n 1" "show $entry" "log 'name 2501' -n 1" "log $PWD/files/$file -n 1" 'log @last -n 1' \
    'sessions -n 5' "complete -- show ''"; do
    sync
    dd of=store/data.mdb oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null
    before=$(awk '/^read_bytes/ { print $2 }' "/proc/$$/io")
    eval "\"\$xylem\" -s store $words" >/dev/null 2>&1
    after=$(awk '/^read_bytes/ { print $2 }' "/proc/$$/io")
    printf '%10d KiB  xylem %s\n' $(((after - before) / 1024)) "$words"
done
