# Of tools/proof.sh: reads what the faults printed, and writes the tables and the chart of docs/proof.md into the folder
# `work`; what a control did not find goes into `missing`.

function thousands(number, text) {
    for (text = sprintf("%.0f", number); match(text, /[0-9][0-9][0-9][0-9](,|$)/);)
        text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
    return text
}
function count(number, trials) { return number ? thousands(number) (trials ? " in " thousands(trials) : "") : "0" }
function time(ms) { return ms < 0.1 ? "under 0.1 ms" : ms < 9.95 ? sprintf("%.1f ms", ms) : ms < 9995 ? sprintf("%.0f ms", ms) : sprintf("%.0f s", ms / 1000) }
function usable(key) {
    if (never[key] == trials[key]) return "never"
    return time(all[key, never[key] + int((trials[key] - never[key]) / 2) + 1]) (never[key] ? ", never in " thousands(never[key]) : "")
}
# Does what the peer promises allow what happened?
function allowed(promise) { return promise ~ /^(nothing|may lose)/ }

/^#/ { next }
FILENAME ~ /faults\/peers$/ { order[++peers] = $1; label[$1] = $2; for (j = 1; j <= 4; j++) promise[$1, j] = $(j + 2); documents[$1] = $7; next }
$1 == "run" { run[$2] = $3; next }
$1 == "check" { checked[$2] = $3; says[$2] = $4; next }
# The trials come sorted: by their times last, with those that never ended first.
$1 == "trial" {
    key = $2 SUBSEP $3
    promises[key] = promise[$3, $2 == "power" ? 2 : $2 == "full" || $2 == "calls" ? 3 : $2 == "bit" || $2 == "tail" ? 4 : 1]
    here[key] = 1; acked[key] += $4; lost[key] += $5; lost_in[key] += $5 > 0
    wrong[key] += $6; unreachable[key] += $7; aside[key] += $8; refused[key] += $9
    all[key, ++trials[key]] = $11; never[key] += $11 < 0
    harm = $5 + $6 + $7 + $9 + $10 + ($2 == "two" ? $8 : 0) > 0
    hurt[key] += harm; said[key] += $10; all_hurt[$2] += harm
}
$1 == "beside" { wrong[$2, $3] += $4; unreachable[$2, $3] += $5 }
$1 == "first" { first[$2] = first[$2] == "" || first[$2] > $3 + 0 ? $3 + 0 : first[$2] }

function row(out, fault, peer, key, special) {
    key = fault SUBSEP peer
    if (!(key in here)) {
        if (peer != "pi") { print fault ": " peer " has no figures" > (work "/missing"); return }
        print "| " label[peer] " | | " (run["why"] != "" ? "not run here" : "calls not watched: see the next row") " | | | | | | |" > out
        return
    }
    special = fault == "two" ? count(aside[key]) : fault == "size" ? time(first[peer]) : count(refused[key])
    print "| " label[peer] " | " promises[key] " | " thousands(acked[key]) " in " thousands(trials[key]) " | " count(lost[key], lost_in[key]) " | " \
        count(wrong[key]) " | " count(unreachable[key]) " | " special " | " \
        (hurt[key] ? thousands(said[key]) " of " thousands(hurt[key]) : "-") " | " usable(key) " |" > out
}
function table(fault, special, i, out) {
    out = work "/" fault ".md"
    print "| way to keep it | promises | acknowledged | lost | wrong | unreachable | " special " | said, of hurt | usable again |" > out
    print "|---|---|---:|---:|---:|---:|---:|---:|---:|" > out
    for (i = 1; i <= peers; i++)
        row(out, fault, order[i])
    close(out)
}
function must(right, what) { if (!right) print what > (work "/missing") }

function put(text) { print text > (work "/proof.svg") }
function at(x, y, anchor, text, more) {
    gsub(/`/, "", text)
    put(sprintf("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\"%s>%s</text>", x, y, anchor, more, text))
}
function box(x, y, width, colour) { if (width > 0) put(sprintf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"14\" fill=\"%s\"/>", x, y, width, colour)) }
# A row a peer, a column a fault. A bar is the share of the trials that hurt: first those that nobody told of.
function chart(i, j, x, y, key, silent, share) {
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 " 130 + peers * 30 "\" width=\"900\" height=\"" 130 + peers * 30 \
        "\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#7a7f87\" role=\"img\">")
    put("<title>Trials that hurt, by fault and way to keep a session</title>")
    at(16, 24, "start", "Trials that hurt, by fault and way to keep a session", " font-size=\"15\" font-weight=\"bold\"")
    box(16, 38, 14, "#d9772b"); at(36, 50, "start", "and nobody said so")
    box(180, 38, 14, "#3b82d0"); at(200, 50, "start", "and the peer said so")
    at(350, 50, "start", "* its documents promise no more")
    for (j = 1; j <= faults; j++)
        at(262 + (j - 1) * 80, 84, "start", title[j])
    for (i = 1; i <= peers; i++) {
        y = 96 + i * 30 - 30
        at(250, y + 12, "end", order[i] == "early" ? "control: writes later" : label[order[i]])
        for (j = 1; j <= faults; j++) {
            key = fault[j] SUBSEP order[i]
            x = 262 + (j - 1) * 80
            if (!(key in here)) { at(x, y + 12, "start", "-"); continue }
            silent = (hurt[key] - said[key]) / trials[key]; silent = silent > 1 ? 1 : silent
            share = hurt[key] / trials[key]; share = share > 1 ? 1 : share
            put(sprintf("<rect x=\"%d\" y=\"%d\" width=\"34\" height=\"14\" fill=\"#7a7f87\" fill-opacity=\"0.15\"/>", x, y))
            box(x, y, silent * 34, "#d9772b")
            box(x + silent * 34, y, (share - silent) * 34, "#3b82d0")
            at(x + 38, y + 12, "start", (share > 0 && share < 0.005 ? "<1" : sprintf("%.0f", share * 100)) "%" \
                (share > 0 && allowed(promises[key]) ? "*" : ""), " font-size=\"11\"")
        }
    }
    put("</svg>")
}

END {
    faults = split("kill power full calls bit tail two size", fault, " ")
    split("kill -9|power cut|full disk|failing calls|flipped bit|cut tail|two writers|100 MB", title, "|")
    for (j = 1; j <= faults; j++) {
        table(fault[j], fault[j] == "two" ? "off the path" : fault[j] == "size" ? "first append" : "refused")
        must(all_hurt[fault[j]] > 0, "the control of '" title[j] "' found nothing: the fault hurt nobody")
    }
    must(lost["kill", "early"] > 0, "the driver that acknowledges before it writes was not caught by kill -9")
    must(lost["power", "early"] > 0, "the driver that acknowledges before it writes was not caught by a power cut")
    out = work "/promises.md"
    print "| way to keep it | after kill -9 | after a power cut | of a failing call | of damage | by |\n|---|---|---|---|---|---|" > out
    for (i = 1; i <= peers; i++)
        print "| " label[order[i]] " | " promise[order[i], 1] " | " promise[order[i], 2] " | " promise[order[i], 3] " | " promise[order[i], 4] " | " documents[order[i]] " |" > out
    out = work "/checks.md"
    print "| driver | entries, by driver and scan | own tool |\n|---|---:|---|" > out
    for (i = 1; i <= peers; i++)
        print "| " label[order[i]] " | " (order[i] in checked ? checked[order[i]] : "not run here") " | " says[order[i]] " |" > out
    out = work "/controls.md"
    print "| control | found |\n|---|---|" > out
    print "| acknowledges before it writes, kill -9 | " count(lost["kill", "early"], lost_in["kill", "early"]) " |" > out
    print "| the same, power cut | " count(lost["power", "early"], lost_in["power", "early"]) " |" > out
    for (j = 1; j <= faults; j++)
        print "| somebody is hurt: " title[j] " | " thousands(all_hurt[fault[j]]) " trials |" > out
    out = work "/run.md"
    print "The run: " run["versions"] ". " run["machine"] ". Seed " run["seed"] ", scale " run["scale"] ", " run["seconds"] " seconds." > out
    chart()
}
