# Reads the texts with tables of the judge, before the program that makes C of one of them:
#     awk -f tools/lines.awk -f tools/verbs.awk judge/policy/rules/verbs.txt > FILE.c
#
# A line is a key, blanks, and a text. The text goes on in lines that begin with a blank. `#` begins a comment. The
# program has two functions: end_line() takes `key` and `text`, and end_tables() prints what is left.
function fail(text) {
    print FILENAME ":" line ": " text > "/dev/stderr"
    exit failed = 1
}

# A C string.
function quoted(text) {
    gsub(/[\\"]/, "\\\\&", text)
    return "\"" text "\""
}

function member(name) {
    gsub(/-/, "_", name)
    return name
}

# Takes the marks in the text: `found` gets the name of each member. `marks` has the known marks.
function take_marks(found,    words, i) {
    split("", found)
    split(text, words)
    for (i in words) {
        if (!(words[i] in marked))
            fail("mark: found \"" words[i] "\", which is no mark")
        found[member(words[i])] = 1
    }
}

function take_line() {
    if (key != "")
        end_line()
    key = ""
}

/^#/ || /^ *$/ { next }
/^ / {
    sub(/^ +/, "")
    text = text " " $0
    next
}
{
    take_line()
    line = FNR
    key = $1
    text = $0
    sub(/^[^ ]+ */, "", text)
}
END {
    if (failed)
        exit 1
    take_line()
    end_tables()
}
