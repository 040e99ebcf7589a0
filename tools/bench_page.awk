# Of tools/bench_page.sh: reads figures, counts and tests/bench/page, and writes tables and charts into the folder `work`.

# --- Figures --------------------------------------------------------------------------------------------------------

# The value of a member of the line, without quotes. No text of a bench has a quote or a backslash.
function member(name, rest) {
    if (!match($0, "\"" name "\": "))
        return ""
    rest = substr($0, RSTART + RLENGTH)
    if (substr(rest, 1, 1) != "\"") {
        sub(/[,}].*/, "", rest)
        return rest + 0
    }
    rest = substr(rest, 2)
    sub(/".*/, "", rest)
    return rest
}
# Three digits.
function short(number) {
    return sprintf((number < 0.095 ? "%.4f" : number < 9.995 ? "%.2f" : number < 99.95 ? "%.1f" : "%.0f"), number)
}
function scaled(number, units, unit) {
    split(units, unit, " ")
    for (i = 1; number >= 999.5 && i < 4; i++)
        number /= 1000
    return short(number) (unit[i] == "-" ? "" : " " unit[i])
}
function thousands(number, text) {
    for (text = sprintf("%.0f", number); match(text, /[0-9][0-9][0-9][0-9](,|$)/);)
        text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
    return text
}
# What {question~table~row~what} names, table and row by their beginnings: a ratio, or a time, a speed (the ratio turned
# over), a rate, nanoseconds (ns), a value. {counts~operation~divisor} names instructions.
function figure(name, part, n, best) {
    split(name, part, "~")
    if (part[1] == "counts" && part[2] in counts)
        return thousands(counts[part[2]] / (part[3] ? part[3] : 1))
    for (n = figures; n > 0; n--)
        if (question[n] == part[1] && index(table[n], part[2]) == 1 && index(row[n], part[3]) == 1 &&
            (!best || row[best] != part[3]))
            best = n
    if (!best) {
        print name > (work "/missing")
        return "-"
    }
    if (part[4] == "time") return scaled(ns[best], "ns us ms s")
    if (part[4] == "ns") return ns[best]
    if (part[4] == "rate") return scaled(rate[best], "- k M G")
    if (part[4] == "value") return short(value[best])
    return short(part[4] == "speed" ? 1 / ratio[best] : ratio[best])
}
function expanded(text, done, behind) {
    for (; match(text, /\{[^}]*\}/); text = behind) {
        behind = substr(text, RSTART + RLENGTH)
        done = done substr(text, 1, RSTART - 1) figure(substr(text, RSTART + 1, RLENGTH - 2))
    }
    return done text
}
# A figure or a goal as a number: `1.2 us`, `at least 5 M`, `12,345`.
function plain(text, number) {
    gsub(/at least |,/, "", text)
    number = text + 0
    return text ~ /[0-9] (us|k)/ ? number * 1e3 : text ~ /[0-9] (ms|M)/ ? number * 1e6 : text ~ /[0-9] G/ ? number * 1e9 : number
}
# A goal is met if each of its parts is, as the page shows them.
function verdict(goals, found, reason, goal, part, i) {
    if (goals == "")
        return ""
    split(found, part, " / ")
    for (i = split(goals, goal, " / "); i > 0; i--)
        if (part[i] == "-" || (goals ~ /^at least/ ? plain(part[i]) < plain(goal[i]) : plain(part[i]) > plain(goal[i])))
            return "**missed**: " (reason == "" ? "no reason is known" : reason)
    return "met"
}

# --- Charts ---------------------------------------------------------------------------------------------------------

# Colours that can be told from white and from black.
function colour(name) {
    return name == "xylem" ? "#3b82d0" : name == "other" ? "#2f9e5f" : name == "peer" ? "#d9772b" : "#8a8f98"
}
function put(text) { print text > chart }
function label(x, y, anchor, text, more) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    put(sprintf("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\"%s>%s</text>", x, y, anchor, more, text))
}
function stroke(x1, y1, x2, y2, more) {
    put(sprintf("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>", x1, y1, x2, y2, more))
}
function begin_chart(width, height) {
    put(sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"" \
        " font-family=\"sans-serif\" font-size=\"13\" fill=\"#7a7f87\" role=\"img\">", width, height, width, height))
    put("<title>" title "</title>")
    label(16, 24, "start", title, " font-size=\"15\" font-weight=\"bold\"")
}
# The steps 1, 2 and 5 of a logarithmic axis, from the one below `least` to the one above `most`, in step[1..].
function axis(least, most, at, n) {
    for (at = 1e-3; next_step(at) <= least;)
        at = next_step(at)
    for (n = 1; n == 1 || step[n - 1] < most; at = next_step(at))
        step[n++] = at
    return n - 1
}
function next_step(at, digit) {
    digit = substr(sprintf("%.0e", at), 1, 1)
    return (digit == 2 ? at * 2.5 : at * 2)
}
function log_place(value, from, to, first, last) {
    return from + (to - from) * (log(value) - log(first)) / (log(last) - log(first))
}
# Bars from the line of the floor, 1, to the right if the work takes longer.
function bars(i, y, x, one, last, least, most) {
    least = 1
    for (i = 1; i <= lines; i++)
        if (number[i]) {
            least = number[i] < least ? number[i] : least
            most = number[i] > most ? number[i] : most
        }
    last = axis(least, most)
    begin_chart(720, 70 + lines * 22)
    for (i = 1; i <= last; i++) {
        x = log_place(step[i], 270, 660, step[1], step[last])
        stroke(x, 58, x, 60 + lines * 22, step[i] == 1 ? "stroke=\"#7a7f87\"" : "stroke=\"#7a7f87\" stroke-opacity=\"0.25\"")
        label(x, 50, "middle", step[i])
    }
    one = log_place(1, 270, 660, step[1], step[last])
    for (i = 1; i <= lines; i++) {
        y = 60 + i * 22
        if (kind[i] == "group") {
            label(16, y - 6, "start", name[i], " font-weight=\"bold\"")
            continue
        }
        x = log_place(number[i], 270, 660, step[1], step[last])
        put(sprintf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"14\" fill=\"%s\"/>", x < one ? x : one, y - 17,
            x < one ? one - x : x - one + 1, colour(kind[i])))
        label(260, y - 6, "end", name[i])
        label((x > one ? x : one) + 6, y - 6, "start", short(number[i]))
    }
}
# Lines over 10^3 to 10^6 entries; each has its name and its last time at its end, apart from the others'.
function curves(i, k, x, y, last, least, most, time, points, order, place) {
    for (i = 1; i <= lines; i++)
        for (k = split(times[i], time, " "); k > 0; k--) {
            least = !least || time[k] < least ? time[k] : least
            most = time[k] > most ? time[k] + 0 : most
        }
    last = axis(least, most)
    begin_chart(720, 360)
    for (i = 1; i <= last; i++) {
        y = log_place(step[i], 310, 50, step[1], step[last])
        stroke(70, y, 500, y, "stroke=\"#7a7f87\" stroke-opacity=\"0.25\"")
        label(62, y + 4, "end", scaled(step[i], "ns us ms s"))
    }
    for (k = 0; k < 4; k++)
        label(90 + k * 130, 332, "middle", thousands(10 ^ (k + 3)))
    label(285, 352, "middle", "entries on the path")
    for (i = 1; i <= lines; i++) {
        points = ""
        split(times[i], time, " ")
        for (k = 1; k <= 4; k++) {
            x = 90 + (k - 1) * 130
            y = log_place(time[k], 310, 50, step[1], step[last])
            points = points sprintf("%s%.1f,%.1f", k > 1 ? " " : "", x, y)
        }
        put(sprintf("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\"%s/>", points, colour(kind[i]),
            dash[i] ? " stroke-dasharray=\"" dash[i] "\"" : ""))
        for (k = i; k > 1 && place[order[k - 1]] > y; k--)
            order[k] = order[k - 1]
        order[k] = i
        place[i] = y
    }
    for (i = 1; i <= lines; i++) {
        k = order[i]
        split(times[k], time, " ")
        y = i > 1 && y + 18 > place[k] ? y + 18 : place[k]
        label(488, y + 4, "start", name[k] ", " scaled(time[4], "ns us ms s"), " fill=\"" colour(kind[k]) "\"")
    }
}
function end_chart() {
    if (chart == "")
        return
    if (!unknown && form == "bars")
        bars()
    else if (!unknown)
        curves()
    put("</svg>")
    close(chart)
    chart = unknown = ""
    lines = 0
}

# --- The three kinds of files ---------------------------------------------------------------------------------------

FILENAME !~ /page$/ && /^  "question"/ { asked = member("question") }
/^  "machine"/ && !machine {
    machine = member("cpu") ", " member("cores") " cores, " member("kernel") ", " member("store on") ", load " \
        member("load at start") " at the start"
}
/^  "versions"/ { versions = "LMDB " member("LMDB") ", SQLite " member("SQLite") ", " member("compiler") ", `" member("flags") "`" }
/^    \{"type": / {
    type = member("type")
    question[++figures] = asked
    row[figures] = member("name")
    table[figures] = type == "flat" ? "flat " member("from") : member("table")
    if (member("column") != "") {
        table[figures] = row[figures]
        row[figures] = member("column")
    }
    ratio[figures] = member("ratio")
    ns[figures] = member("median_ns")
    rate[figures] = member("rate")
    value[figures] = member("value")
}
FILENAME ~ /counts$/ && !/^#/ && !counted {
    for (i = counted = NF; i > 0; i--)
        if (split($i, pair, "=") == 2)
            counts[pair[1]] = pair[2]
}
FILENAME !~ /page$/ || /^#/ { next }
/^== / {
    end_chart()
    out = $2 == "instructions" || all ? work "/" $2 ".md" : ""
}
/^(bars|curves) / {
    end_chart()
    form = $1
    chart = work "/" $2 ".svg"
    out = ""
    title = $0
    sub(/^[^|]*\| /, "", title)
    if (!all)
        chart = ""
}
chart != "" && /^- / { name[++lines] = substr($0, 3); kind[lines] = "group"; number[lines] = 0 }
chart != "" && /^= / {
    split(substr($0, 3), cell, " \\| ")
    name[++lines] = cell[1]
    split(cell[2], look, " ")
    kind[lines] = look[1]
    dash[lines] = look[2]
    times[lines] = expanded(cell[3])
    number[lines] = times[lines] + 0
    unknown = unknown || times[lines] ~ /(^| )-/
}
out == "" { next }
/^\|/ { print expanded($0) > out }
/^@ / {
    split(substr($0, 3), cell, / *\| */)
    found = expanded(cell[5])
    print "| " cell[1] " | " expanded(cell[2]) " | " expanded(cell[3]) " | " cell[4] " | " found " | " verdict(cell[4], found, cell[6]) " |" > out
}
/^& / {
    split(substr($0, 3), cell, / *\| */)
    found = expanded(cell[3])
    print "| " cell[1] " | " cell[2] " | " found " | " verdict(cell[2], found, cell[4]) " |" > out
}
/^> / {
    text = substr($0, 3)
    sub(/MACHINE/, machine, text)
    sub(/VERSIONS/, versions, text)
    print text > out
}
END { end_chart() }
