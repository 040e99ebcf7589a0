# The page of each function, from what header.awk writes with `show` calls. Lines that begin with \001 say what follows:
#   type NAME, uses NAME...                       a struct or an enum, and the enums of its members
#   call NAME..., group NAME, uses NAME..., summary TEXT   functions with one comment
#   prototype NAME, text                          the prototype of one of them, their comment
# Writes OUT/NAME.3 for each function: its own name and prototype come first. `date` and `version` are of the title.

function add(line) {
    if (part == "type")
        type_text[name] = type_text[name] line "\n"
    else if (part == "prototype")
        prototype[name] = prototype[name] line "\n"
    else if (part == "text")
        text[item] = text[item] line "\n"
}

# A paragraph of "Errors:" is a section of the page.
function with_errors(text,    at, head) {
    at = index(text, "\\fIErrors:\\fR\n")
    if (at == 0)
        return text
    head = substr(text, 1, at - 1)
    sub(/\.PP\n$/, "", head)
    return head ".SH ERRORS\n" substr(text, at + length("\\fIErrors:\\fR\n"))
}

# Types of every call: libxylem(3) has them.
function is_common(type) {
    return type ~ /^struct xylem_(error|view|buffer|txn|store)$/
}

function add_types(list,    words, count, i, type) {
    count = split(list, words, ",")
    for (i = 1; i <= count; i++) {
        type = words[i]
        if (type == "" || is_common(type) || (type in shown) || type_text[type] == "")
            continue
        shown[type]
        types = types ".PP\n" bold(literal(type)) "\n.RS 4\n" type_text[type] ".RE\n"
        if (depth++ == 0)
            add_types(type_uses[type])
        depth--
    }
}

# The functions of the same part of the header.
function see_also(function_name,    words, count, i, list) {
    count = split(members[group[item_of[function_name]]], words, " ")
    for (i = 1; i <= count; i++)
        if (words[i] != function_name)
            list = list ",\n" bold(literal(words[i])) "(3)"
    return "\\fBlibxylem\\fR(3), which has the rules of every call" list
}

# A call that ends the result of another call of its comment says so.
function summary_of(function_name,    words, count, i) {
    count = split(names[item], words, " ")
    for (i = 1; i <= count && function_name ~ /_(free|release)$/; i++)
        if (words[i] != function_name && (words[i] ~ /_new$/ || function_name !~ /_free$/))
            return "Ends the result of " words[i] "()"
    return summary[item]
}

function put_page(function_name,    file, words, count, i) {
    file = out "/" function_name ".3"
    item = item_of[function_name]
    types = ""
    split("", shown)
    add_types(uses[item])
    printf "'\\\" t\n.TH %s 3 %s \"xylem %s\" \"xylem\"\n.ad l\n", toupper(function_name), date, version > file
    printf ".SH NAME\n%s \\- %s\n", function_name, summary_of(function_name) > file
    printf ".SH SYNOPSIS\n.nf\n\\fB#include <%s.h>\\fR\n.fi\n%s",
        index(judge, " " function_name " ") ? "xylem_judge" : "xylem", prototype[function_name] > file
    count = split(names[item], words, " ")
    for (i = 1; i <= count; i++)
        if (words[i] != function_name)
            printf "%s", prototype[words[i]] > file
    printf ".SH DESCRIPTION\n%s", with_errors(text[item]) > file
    if (types != "")
        printf ".SH TYPES\n%s", types > file
    printf ".SH SEE ALSO\n%s\n", see_also(function_name) > file
    close(file)
}

/^\001type / { part = "type"; name = substr($0, 7); next }
/^\001call / {
    item++
    part = ""
    names[item] = substr($0, 7)
    count = split(names[item], word, " ")
    for (i = 1; i <= count; i++) {
        item_of[word[i]] = item
        order[++function_count] = word[i]
    }
    next
}
/^\001group / {
    group[item] = substr($0, 8)
    members[group[item]] = members[group[item]] " " names[item]
    next
}
/^\001uses / {
    if (part == "type")
        type_uses[name] = substr($0, 7)
    else
        uses[item] = substr($0, 7)
    next
}
/^\001summary / { summary[item] = substr($0, 10); next }
/^\001prototype / { part = "prototype"; name = substr($0, 12); next }
/^\001text/ { part = "text"; next }
{ add($0) }

END {
    for (i = 1; i <= function_count; i++)
        put_page(order[i])
}
