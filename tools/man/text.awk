# What the generators of the manual pages share: words into the language of man(7). Runs with LC_ALL=C, any awk.

# Stops the run, and with it the build of the page.
function fail(text) {
    print "man: " FILENAME ":" FNR ": " text > "/dev/stderr"
    failed = 1
    exit 1
}

function repeated(string, count,    text) {
    text = ""
    while (count-- > 0)
        text = text string
    return text
}

function trimmed(text) {
    sub(/^[ \t]+/, "", text)
    sub(/[ \t]+$/, "", text)
    return text
}

function learn_bytes(    i) {
    for (i = 128; i < 256; i++)
        byte_of[sprintf("%c", i)] = i
    learned = 1
}

# Characters that are no ASCII become \[uXXXX], so that a page needs no encoding.
function without_utf8(text,    out, i, count, byte, more, value) {
    if (text !~ /[\200-\377]/)
        return text
    if (!learned)
        learn_bytes()
    count = length(text)
    for (i = 1; i <= count; i++) {
        byte = substr(text, i, 1)
        if (!(byte in byte_of)) {
            out = out byte
            continue
        }
        value = byte_of[byte]
        more = value >= 240 ? 3 : value >= 224 ? 2 : 1
        value -= more == 3 ? 240 : more == 2 ? 224 : 192
        for (; more > 0; more--)
            value = value * 64 + byte_of[substr(text, ++i, 1)] - 128
        out = out sprintf("\\[u%04X]", value)
    }
    return out
}

# Text as it stands.
function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    gsub(/`/, "\\(ga", text)
    return without_utf8(text)
}

# Prose: two hyphens begin an option, and names are not hyphenated.
function prose(text) {
    gsub(/[A-Za-z]+_[A-Za-z0-9_]+|[A-Z][A-Z][A-Z]+|[a-z]+\/[a-z.\/]+/, "\002&", text)
    text = plain(text)
    gsub(/\002/, "\\%", text)
    gsub(/--/, "\\-\\-", text)
    return text
}

# Text that is typed or printed: hyphens and quotes stay what they are.
function literal(text) {
    text = plain(text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    gsub(/"/, "\\(dq", text)
    return text
}

function bold(text) {
    return "\\fB" text "\\fR"
}

function italic(text) {
    return "\\fI" text "\\fR"
}

# What is typed or named is not hyphenated.
function named(text) {
    text = literal(text)
    gsub(/ +/, "&\\%", text)
    return bold("\\%" text)
}

# A command line or an option: words in capitals stand for what a user gives, the others are typed.
function typed(text,    out, word) {
    while (match(text, /[A-Z]+/)) {
        word = substr(text, RSTART, RLENGTH)
        if (substr(text, RSTART + RLENGTH, 1) ~ /[A-Za-z0-9_]/ ||
            (RSTART > 1 && substr(text, RSTART - 1, 1) ~ /[$A-Za-z0-9_-]/))
            out = out named(substr(text, 1, RSTART + RLENGTH - 1))
        else
            out = out (RSTART > 1 ? named(substr(text, 1, RSTART - 1)) : "") italic(word)
        text = substr(text, RSTART + RLENGTH)
    }
    return out (text == "" ? "" : named(text))
}

# What stands between backquotes.
function code(text) {
    if (text ~ /^[A-Z]+$/ || text ~ /^-/ || text ~ /^xylem /)
        return typed(text)
    return text ~ /^[{[]/ ? literal(text) : named(text)
}

# A line of prose: `code`, **bold**, [text](address), functions.
function inline(text,    out, rest) {
    while (match(text, /`[^`]+`|\*\*[^*]+\*\*|\[[^]]+\]\([^)]+\)|xylem_[a-z0-9_]+\(\)/)) {
        out = out prose(substr(text, 1, RSTART - 1))
        rest = substr(text, RSTART + RLENGTH)
        text = substr(text, RSTART, RLENGTH)
        if (text ~ /^`/)
            out = out code(substr(text, 2, length(text) - 2))
        else if (text ~ /^\*/)
            out = out bold(prose(substr(text, 3, length(text) - 4)))
        else if (text ~ /^\[/)
            out = out inline(substr(text, 2, index(text, "](") - 2))
        else
            out = out named(substr(text, 1, length(text) - 2)) "()"
        text = rest
    }
    return out prose(text)
}

# No line of text may look like a request.
function guarded(line) {
    return line ~ /^[.']/ ? "\\&" line : line
}
