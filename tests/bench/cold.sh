#!/bin/sh
# The bytes that the command reads from the disk to find and list sessions, and the major faults, with nothing of the
# store in memory. The sessions have the shapes of fixtures/sessions: their entries, tips and names, each line seven
# times as long. The directory must lie on a disk, not on tmpfs: tests/bench/cold.sh XYLEM DIR. SESSIONS=n, STALE=n
set -eu
[ $# -eq 2 ] || {
    echo 'usage: tests/bench/cold.sh XYLEM DIRECTORY' >&2
    exit 2
}
xylem=$(realpath "$1")
shapes=$(realpath fixtures/sessions)
mkdir -p "$2"
cd "$2"
sessions=${SESSIONS:-5200}
stale=${STALE:-$((sessions / 10))} # sessions that grow after the import, by a message each

[ -d store ] || {
    mkdir -p files
    find "$shapes" -name '*.jsonl' | sort >shapes
    awk -v sessions="$sessions" '
        # A line of a shape: the text up to its time, the text behind, and what it is.
        function take(shape, n, line) {
            kind[shape, n] = n == 0 ? "header" : line ~ /^{"type":"session_info"/ ? "name" : line ~ /^{"type":"message"/ && line ~ /}$/ ? "message" : ""
            bytes[shape, n] = length(line)
            if (kind[shape, n] == "message") line = substr(line, 1, length(line) - 1)
            at = match(line, /"timestamp":"20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T/)
            before[shape, n] = at ? substr(line, 1, at + 12) : line
            behind[shape, n] = at ? substr(line, at + 23) : ""
            dated[shape, n] = at > 0
        }
        {
            shapes++
            for (n = 0; (getline line <$0) > 0; n++) take(NR, n, line)
            lines[NR] = n
            close($0)
        }
        END {
            srand(7)
            for (i = 0; i < 4000; i++) noise = noise " word" int(rand() * 5000)
            for (s = 0; s < sessions; s++) {
                id = sprintf("%08x-%04x-7000-8000-%012x", 27000000 + s * 13, s % 65536, s)
                file = sprintf("files/%05d_%s.jsonl", s, id)
                day = sprintf("2026-%02d-%02d", 1 + s * 11 / sessions, 1 + s % 28)
                k = 1 + s % shapes
                for (n = 0; n < lines[k]; n++) {
                    head = before[k, n]
                    tail = behind[k, n]
                    if (kind[k, n] == "header") {
                        sub(/"id":"[^"]*"/, "\"id\":\"" id "\"", head)
                        sub(/"cwd":"[^"]*"/, "\"cwd\":\"/p/" s % 40 "\"", tail)
                    } else if (kind[k, n] == "name") {
                        sub(/"name":"/, "\"name\":\"" s " ", tail)
                    } else if (kind[k, n] == "message") {
                        tail = tail ",\"pad\":\"" substr(noise, 1 + int(rand() * 9000), 6 * bytes[k, n]) "\"}"
                    }
                    print head (dated[k, n] ? day : "") tail >file
                }
                close(file)
            }
        }' shapes
    "$xylem" -s store import -q files >/dev/null 2>&1 || [ $? -eq 1 ] # some of the shapes are damaged
}

# Of the sessions with a name one of the smallest: what `log` reads of the session itself is not of interest.
"$xylem" -s store sessions --jsonl |
    sed -n 's/.*"session":"\([^"]*\)".*"entry_count":\([0-9]*\).*"name":"\([^"]*\)".*/\2 \1 \3/p' | sort -n | sed -n 50p >chosen
read -r _ id name <chosen
short=$(echo "$id" | cut -c1-13)
file=$(printf '%s\n' files/*_"$id".jsonl)
entry=$("$xylem" -s store log "$id" -n 1 --jsonl | sed 's/.*"entry":"\([^"]*\)".*/\1/')

# Prints the bytes and the faults of each command.
measure() {
    for words in "log $id -n 1" "log $short -n 1" "show $id:$entry" "log '$name' -n 1" "log $PWD/$file -n 1" \
        'log @last -n 1' "complete -- show ''" "complete -- show 01" 'sessions -n 20' "sessions -d /p/7" sessions; do
        sync
        dd of=store/data.mdb oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null
        bytes=$(awk '/^read_bytes/ { print $2 }' "/proc/$$/io")
        faults=$(cut -d ' ' -f 13 "/proc/$$/stat")
        eval "\"\$xylem\" -s store $words" >/dev/null 2>&1
        bytes=$(($(awk '/^read_bytes/ { print $2 }' "/proc/$$/io") - bytes))
        faults=$(($(cut -d ' ' -f 13 "/proc/$$/stat") - faults))
        printf '%10d KiB %6d faults  xylem %s\n' $((bytes / 1024)) "$faults" "$words"
    done
}

printf '%s sessions, data.mdb of %s bytes\n' "$sessions" "$(stat -c %s store/data.mdb)"
measure
"$xylem" -s store sessions --jsonl | awk -v stale="$stale" -v sessions="$sessions" '
    NR % int(sessions / stale) == 0 { sub(/.*"session":"/, ""); sub(/".*/, ""); print }' >grow
while read -r grown; do
    "$xylem" -s store append "$grown" --only-in-store --kind message --data '{"role":"user","content":"more"}' >/dev/null
done <grow
printf '%s sessions grew\n' "$(wc -l <grow)"
measure
