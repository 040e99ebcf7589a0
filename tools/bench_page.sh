#!/bin/sh
# Turns the figures of `make bench BENCH_JSON=DIR` into tables in Markdown: tools/bench_page.sh DIR
set -eu
[ $# -eq 1 ] && [ -d "$1" ] || {
    echo 'usage: tools/bench_page.sh DIR' >&2
    exit 2
}

# Each figure is one line of its document, so a line at a time will do.
awk '
    # The value of a member of the line, without quotes and escapes.
    function member(name, rest) {
        if (!match($0, "\"" name "\": "))
            return ""
        rest = substr($0, RSTART + RLENGTH)
        if (substr(rest, 1, 1) != "\"") {
            sub(/[,}].*/, "", rest)
            return rest + 0
        }
        rest = substr(rest, 2)
        match(rest, /^([^"\\]|\\.)*/)
        rest = substr(rest, 1, RLENGTH)
        gsub(/\\"/, "\"", rest)
        gsub(/\\\\/, "\\", rest)
        return rest
    }
    # Three digits.
    function short(number) {
        return sprintf((number < 0.095 ? "%.4f" : number < 9.995 ? "%.2f" : number < 99.95 ? "%.1f" : "%.0f"), number)
    }
    # As the benches print it: two digits behind the point where it is small.
    function figure(number) {
        return sprintf((number < 100 && number != int(number) ? "%.2f" : "%.0f"), number)
    }
    function time(ns) {
        if (ns < 999.5) return short(ns) " ns"
        if (ns < 999500) return short(ns / 1e3) " us"
        if (ns < 999500000) return short(ns / 1e6) " ms"
        return short(ns / 1e9) " s"
    }
    function rate(number) {
        if (number < 1e3) return short(number)
        if (number < 1e6) return short(number / 1e3) " k"
        if (number < 1e9) return short(number / 1e6) " M"
        return short(number / 1e9) " G"
    }
    # Of a table of figures, the row that is complete, and before the first one what heads them.
    function end_row() {
        if (row == "")
            return
        if (head != "")
            printf "%s | |\n%s---|\n", head, rule
        print line " | " unit " |"
        head = row = ""
    }
    !/"column": / { end_row() }
    FNR == 1 { table = "" }
    /^  "question"/ { printf "%s## %s\n", (NR == FNR ? "" : "\n"), member("question") }
    /^  "machine"/ {
        printf "\n%s, %s cores, %s, stores on %s, load %s at the start. ", member("cpu"), member("cores"),
            member("kernel"), member("store on"), member("load at start")
    }
    /^  "versions"/ {
        printf "xylem %s, LMDB %s, SQLite %s, %s, `%s`.\n", member("xylem"), member("LMDB"), member("SQLite"),
            member("compiler"), member("flags")
    }
    # A table is complete when another one, or something else, follows.
    /"type": "time"/ {
        if (member("table") != table) {
            table = member("table")
            printf "\n**%s**\n\n", table
            print "| | median | p99 | noise | samples | ratio | rounds | rate | a power cut loses |"
            print "|---|---:|---:|---:|---:|---:|---:|---:|---|"
        }
        printf "| %s | %s | %s | %.0f %% | %d | %s | %d | %s | %s |\n", member("name"), time(member("median_ns")),
            (member("p99_ns") ? time(member("p99_ns")) : "-"), member("noise") * 100, member("samples"),
            short(member("ratio")), member("ratio_rounds"),
            (member("rate") == "" ? "" : rate(member("rate")) " " member("rate_unit")), member("power_cut_loses")
        next
    }
    /"column": / {
        if (member("name") != row)
            end_row()
        if (member("table") != table) {
            table = member("table")
            printf "\n**%s**\n\n", table
            head = "| "
            rule = "|---|"
        }
        if (row == "") {
            row = line = member("name")
            sub(/^ +/, "", line)
            line = "| " line
            unit = member("unit")
        }
        if (head != "") {
            head = head " | " member("column")
            rule = rule "---:|"
        }
        line = line " | " ($0 ~ /"value": null/ ? "-" : figure(member("value")))
        next
    }
    /"type": "(flat|figure|note)"/ && table != "-" { table = "-"; print "" }
    /"type": "flat"/ {
        printf "- %s: %s times as long from \"%s\" to \"%s\", in %d rounds\n", member("name"), short(member("ratio")),
            member("from"), member("to"), member("ratio_rounds")
    }
    /"type": "figure"/ {
        name = member("name")
        sub(/^ +/, "", name)
        printf "- %s: %s %s\n", name, figure(member("value")), member("unit")
    }
    /"type": "note"/ { printf "- %s\n", member("text") }
    END { end_row() }
' "$1"/*.json
