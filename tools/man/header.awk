# The public headers, in the order of tools/headers.sh, as man(7): `show` is rules, overview, reference or names. Each line
# of the reference is made from a line of a header; a line that is not understood ends the run. Or the pieces of the pages
# of the functions, for calls.awk: `show` is calls. Or the structs for tools/abi.sh: `show` is layout.

# --- Output ---------------------------------------------------------------------------------------------------------

# A comment has a chunk for each paragraph and each item of a list: see add_line().
function put_description(text,    chunk, count, i, in_list, behind_gap) {
    count = split(text, chunk, "\n")
    for (i = 1; i <= count; i++) {
        text = trimmed(chunk[i])
        gsub(/  +/, " ", text)
        if (text == "") {
            behind_gap = behind_gap || i > 1
            continue
        }
        if (text ~ /^- / && !in_list)
            print ".PD 0"
        if (text !~ /^- / && in_list)
            print ".PD"
        in_list = text ~ /^- /
        if (in_list)
            print ".IP \\(bu 3\n" guarded(item(substr(text, 3)))
        else if (text == "Errors:")
            print (i > 1 ? ".PP\n" : "") italic(text)
        else
            print (behind_gap ? ".PP\n" : "") guarded(inline(text))
        behind_gap = 0
    }
    if (in_list)
        print ".PD"
}

# The codes at the head of an item are bold.
function item(text,    codes, word, count, i) {
    if (!match(text, /^[A-Z_]+(, [A-Z_]+)*(:|$)/))
        return inline(text)
    codes = substr(text, 1, RLENGTH)
    text = substr(text, RLENGTH + 1)
    sub(/:$/, "", codes)
    count = split(codes, word, ", ")
    codes = ""
    for (i = 1; i <= count; i++) {
        if (!(("XYLEM_E_" word[i]) in known_code))
            fail("a code that is not in XYLEM_CODE_LIST: " word[i])
        codes = codes (i > 1 ? ", " : "") named(word[i])
    }
    return codes (text == "" ? "" : ":" inline(text))
}

# Lines of a comment are one paragraph, but for empty lines, "Errors:" and items, which begin with "- ".
function add_line(comment, line) {
    line = trimmed(comment_line(line))
    return comment (line == "" ? "\n\n" : line == "Errors:" || line ~ /^- / ? "\n" line : " " line)
}

# A prototype that breaks between its parameters and hangs.
function put_prototype(text,    open, head, parameters, i, character, piece) {
    sub(/^XYLEM_API */, "", text)
    gsub(/ +/, " ", text)
    open = index(text, "(")
    head = substr(text, 1, open)
    parameters = substr(text, open + 1)
    print ".HP 4"
    piece = head "\\:"
    for (i = 1; i <= length(parameters); i++) {
        character = substr(parameters, i, 1)
        piece = piece character
        if (character == ",") {
            put_piece(piece)
            piece = ""
            i++
        }
    }
    put_piece(piece)
}

function put_piece(piece) {
    gsub(/ /, "\\ ", piece)
    print bold("\\%" piece)
}

function put_members(    i) {
    if (member_count > 0)
        print ".PD 0"
    for (i = 1; i <= member_count; i++) {
        print (i > 1 && member_text[i - 1] == "" ? ".TQ" : ".TP 4") "\n" bold(literal(member[i]))
        if (member_text[i] != "")
            put_description(member_text[i])
        else if (i == member_count)
            print "\\&"
    }
    if (member_count > 0)
        print ".PD"
    member_count = 0
}

function add_member(name, text) {
    member[++member_count] = name
    member_text[member_count] = trimmed(text)
}

# --- Items: a comment, and the declarations below it ----------------------------------------------------------------

function add_prototype(text) {
    prototype[++prototype_count] = text
}

function flush(    i, nested, described) {
    for (i = 1; i <= prototype_count; i++)
        if (prototype[i] ~ /struct xylem_error \*err\)/ && prototype[i] !~ /_abi\(/ && comment !~ /\nErrors:\n/)
            fail("a function with an error, and a comment without a list of errors: " prototype[i])
    if (show == "reference" && (prototype_count > 0 || member_count > 0 || title != "" || comment != "")) {
        nested = title != "" || prototype_count > 0
        if (title != "")
            print ".PP\n" bold(literal(title))
        else if (!nested)
            print ".PP"
        for (i = 1; i <= prototype_count; i++)
            if (prototype[i] ~ /\(/)
                put_prototype(prototype[i])
            else
                print ".PP\n" bold(literal(prototype[i]))
        described = nested && (comment != "" || member_count > 0)
        if (described)
            print ".RS 4"
        if (comment != "")
            put_description(comment)
        put_members()
        if (described)
            print ".RE"
    }
    if (show == "calls")
        put_call()
    if (show == "layout" && title ~ /^struct /)
        put_layout()
    comment = ""
    title = ""
    prototype_count = 0
    member_count = 0
}

# The structs and enums that a text names, with a comma behind each.
function named_types(text,    list) {
    while (match(text, /(struct|enum) xylem_[a-z_]+/)) {
        list = list substr(text, RSTART, RLENGTH) ","
        text = substr(text, RSTART + RLENGTH)
    }
    return list
}

# The first sentence of the comment, in one line, for NAME.
function summary(    text, short) {
    text = trimmed(comment)
    sub(/\n.*/, "", text)
    sub(/\. .*/, "", text)
    gsub(/ \([^)]*\)|`/, "", text)
    gsub(/  +/, " ", text)
    short = text
    sub(/(: |; ).*/, "", short)
    if (length(short) > 30)
        text = short
    for (short = text; length(short) > 110 && sub(/,[^,]*$/, "", short);)
        text = short
    sub(/[.:]$/, "", text)
    return prose(text)
}

# A type, or functions with one comment: see calls.awk.
function put_call(    i, functions, types) {
    for (i = 1; i <= prototype_count; i++)
        if (match(prototype[i], /xylem_[a-z0-9_]+\(/)) {
            functions = functions " " substr(prototype[i], RSTART, RLENGTH - 1)
            types = types named_types(prototype[i])
        } else {
            print "\001type " substr(prototype[i], 1, length(prototype[i]) - 1)
        }
    for (i = 1; i <= member_count; i++)
        types = types named_types(member[i])
    if (title != "") {
        gsub(/struct xylem_[a-z_]+,/, "", types)
        print "\001type " title "\n\001uses " types
    } else if (functions != "") {
        print "\001call" functions "\n\001group " group "\n\001uses " types "\n\001summary " summary()
        for (i = 1; i <= prototype_count; i++)
            if (match(prototype[i], /xylem_[a-z0-9_]+\(/)) {
                print "\001prototype " substr(prototype[i], RSTART, RLENGTH - 1)
                put_prototype(prototype[i])
            }
        print "\001text"
    } else if (prototype_count == 0) {
        return
    }
    if (comment != "")
        put_description(comment)
    put_members()
}

# STRUCT(type) and MEMBER(type, member) for each member of a struct. Of an array of structs the first element is taken.
function put_layout(    i, name) {
    print "STRUCT(" title ")"
    for (i = 1; i <= member_count; i++) {
        name = member[i]
        if (match(name, /\(\*[a-z_]+\)/))
            name = substr(name, RSTART + 2, RLENGTH - 3)
        sub(/\[[^]]+\]$/, "", name)
        gsub(/\[\]/, "[0]", name)
        match(name, /[a-z0-9_.\[\]]+$/)
        print "MEMBER(" title ", " substr(name, RSTART) ")"
    }
}

function begin_group(name) {
    group = name
    groups[++group_count] = group
    if (show == "reference")
        print ".SH " toupper(group)
}

# --- Reading --------------------------------------------------------------------------------------------------------

# Takes the comment off a line's end.
function split_comment(line) {
    line_comment = ""
    if (match(line, / *\/\*.*\*\/ *$/)) {
        line_comment = substr(line, RSTART, RLENGTH)
        gsub(/^ *\/\* *| *\*\/ *$/, "", line_comment)
        line = substr(line, 1, RSTART - 1)
    }
    return trimmed(line)
}

# The lines of a struct, from body[1] on. Members of a struct inside of it have its name before them.
function read_struct(    i, line, text, closing, depth, prefix, hidden) {
    for (i = 1; i <= body_count; i++) {
        line = body[i]
        if (line ~ /^ *\/\*/ && line !~ /\*\/ *$/) {
            do {
                i++
                line = line " " comment_line(body[i])
            } while (body[i] !~ /\*\/ *$/)
            line = line " */"
        }
        line = split_comment(line)
        text = trimmed(text " " line_comment)
        if (line == "")
            continue
        if (line ~ /^struct \{$/) {
            prefix = closing_name(i + 1)
            continue
        }
        if (line ~ /^\}/) {
            if (hidden)
                add_member(prefix, text)
            prefix = ""
            hidden = 0
            text = ""
            continue
        }
        if (prefix == "unverified")
            hidden = 1
        if (line !~ /;$/)
            fail("a member that is not understood: " line)
        if (!hidden) {
            add_member(with_prefix(line, prefix), text)
            text = ""
        }
    }
}

function comment_line(line) {
    sub(/^ *\*\/? ?/, "", line)
    sub(/ *\*\/ *$/, "", line)
    return line
}

function closing_name(i) {
    while (body[i] !~ /^ *\}/)
        i++
    closing = split_comment(body[i])
    gsub(/^\} *|;$/, "", closing)
    sub(/\[.*/, "[]", closing)
    return closing
}

function with_prefix(line, prefix) {
    sub(/;$/, "", line)
    if (prefix != "")
        match(line, /[a-z_0-9]+(\[[^]]*\])?$/)
    return prefix == "" ? line : substr(line, 1, RSTART - 1) prefix "." substr(line, RSTART)
}

function read_enum(    i, line) {
    for (i = 1; i <= body_count; i++) {
        line = split_comment(body[i])
        sub(/,$/, "", line)
        if (line !~ /^XYLEM_[A-Z0-9_]+( = -?[0-9]+)?$/)
            fail("a constant that is not understood: " line)
        add_member(line, line_comment)
    }
}

# X(NAME, value, "text"), the rows of a list that makes an enum.
function read_row(line,    fields) {
    sub(/ *\\$/, "", line)
    sub(/^ *X\(/, "", line)
    sub(/\)$/, "", line)
    match(line, /^[A-Z0-9_]+, [^,]+, /)
    fields = substr(line, 1, RLENGTH - 2)
    line = substr(line, RLENGTH + 1)
    gsub(/^"|"$/, "", line)
    gsub(/"/, "", fields)
    sub(/, /, "  ", fields)
    if (fields ~ /^XYLEM_E_/)
        known_code[substr(fields, 1, index(fields, " ") - 1)]
    add_member(fields, line)
}

NR == 1 {
    reading = "rules"
    begin_group("Version")
}

# The head of another header is not in the manual.
FNR == 1 && NR > 1 {
    flush()
    reading = "head"
}

reading == "head" {
    if (/\*\/$/)
        reading = ""
    next
}

# The rules at the top of the header: a word, its text, and lines that go on.
reading == "rules" {
    if (/^ \*\//) {
        reading = ""
        next
    }
    if (show == "rules" && match($0, /^ \*   [A-Za-z]+(\([0-9]\))?  +/)) {
        print ".TP\n" bold(trimmed(substr($0, 3, RLENGTH - 2)))
        print guarded(inline(substr($0, RLENGTH + 1)))
    } else if (show == "rules" && /^ \*               /) {
        print guarded(inline(trimmed(substr($0, 3))))
    }
    next
}

/^\/\* --- .* ---/ {
    flush()
    gsub(/^\/\* --- | -+ \*\/$/, "")
    begin_group($0)
    next
}

reading == "comment" {
    if (/\*\/$/)
        reading = ""
    else
        comment = add_line(comment, $0)
    next
}

reading == "struct" || reading == "enum" {
    if (/^\};$/) {
        if (reading == "struct")
            read_struct()
        else
            read_enum()
        reading = ""
        flush()
    } else {
        body[++body_count] = $0
    }
    next
}

reading == "list" {
    if (/^ *X\(/)
        read_row($0)
    if (!/\\$/)
        reading = ""
    next
}

reading == "prototype" {
    declaration = declaration " " trimmed($0)
    if (/;$/) {
        declare(declaration)
        reading = ""
    }
    next
}

reading == "inline" {
    if (/^\{$/) {
        sub(/^static inline /, "XYLEM_API ", declaration)
        declare(declaration ";")
    } else if (/^\}$/)
        reading = ""
    else if (!/^    return /)
        declaration = declaration " " trimmed($0)
    next
}

function declare(text,    name) {
    add_prototype(text)
    match(text, /xylem_[a-z0-9_]+\(/)
    name = substr(text, RSTART, RLENGTH - 1)
    members_of[group] = members_of[group] (members_of[group] == "" ? "" : ", ") "`" name "`"
    if (show == "names")
        print name
    if (show == "prototypes") {
        sub(/^XYLEM_API */, "", text)
        print text
    }
}

/^$/ { flush(); next }
/^\/\*$/ { flush(); reading = "comment"; next }
/^\/\*.*\*\/$/ { flush(); comment = comment_line(substr($0, 2)); next }
/^#define XYLEM_[A-Z0-9_]+_LIST\(X\)/ {
    sub(/^ *X\([a-z, ]*\): /, "", comment)
    comment = toupper(substr(comment, 1, 1)) substr(comment, 2)
    reading = "list"
    next
}
/^#define XYLEM_[A-Z0-9_]+ / {
    text_line = split_comment($0)
    sub(/^#define /, "", text_line)
    if (text_line !~ /^XYLEM_API/) {
        sub(/u$/, "", text_line)
        sub(/ +/, "  ", text_line)
        add_member(text_line, line_comment)
    }
    next
}
/^#|^extern "C" \{$|^\}$/ { next }
/^struct xylem_[a-z_]+;$/ { add_prototype($0); next }
/^enum xylem_[a-z_]+ \{ XYLEM_[A-Z_]+_LIST/ {
    title = $1 " " $2
    comment = "The type of these constants."
    next
}
/^enum xylem_[a-z_]+ \{.*\};$/ {
    title = $1 " " $2
    line = $0
    sub(/^[^{]*\{ */, "", line)
    sub(/ *\};$/, "", line)
    body_count = split(line, body, ", ")
    read_enum()
    flush()
    next
}
/^(struct|enum) xylem_[a-z_]+ \{$/ { title = $1 " " $2; reading = $1; body_count = 0; next }
/^XYLEM_API / {
    declaration = $0
    if (/;$/)
        declare(declaration)
    else
        reading = "prototype"
    next
}
# An inline function has a prototype above its body.
/^static inline / {
    declaration = $0
    reading = "inline"
    next
}
{ fail("a line that is not understood: " $0) }

END {
    if (failed)
        exit 1
    flush()
    if (show == "overview")
        for (i = 1; i <= group_count; i++)
            if (groups[i] in members_of)
                print ".TP\n" groups[i] "\n" inline(members_of[groups[i]])
}
