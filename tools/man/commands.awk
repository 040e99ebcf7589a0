# What `xylem help --jsonl` says of commands, as man(7): `show` is names, list, synopsis, options, globals, details, verbs.

# Reads the JSON text of one document into value[path]: options.0.name and so on. count[path] of a list.
function parse(path,    first, key, i) {
    first = substr(json, at, 1)
    if (first == "{" || first == "[") {
        at++
        for (i = 0; substr(json, at, 1) !~ /[]}]/; i++) {
            if (substr(json, at, 1) == ",")
                at++
            key = i
            if (first == "{") {
                key = parse_string()
                at++
            }
            parse(path (path == "" ? "" : ".") key)
        }
        at++
        count[path] = i
    } else if (first == "\"") {
        value[path] = parse_string()
    } else {
        match(substr(json, at), /^[a-z0-9.+-]+/)
        value[path] = substr(json, at, RLENGTH)
        if (value[path] == "null")
            delete value[path]
        at += RLENGTH
    }
}

function parse_string(    out, character) {
    for (at++; (character = substr(json, at, 1)) != "\""; at++) {
        if (character == "")
            fail("the document ends in a string")
        if (character == "\\") {
            character = substr(json, ++at, 1)
            if (character == "n")
                character = "\n"
            else if (character !~ /["\\\/]/)
                fail("an escape of a kind that help texts do not need: " character)
        }
        out = out character
    }
    at++
    return out
}

# A usage whose parts in brackets are not broken.
function put_usage(usage,    out, depth, i, character) {
    for (i = 1; i <= length(usage); i++) {
        character = substr(usage, i, 1)
        depth += character == "["
        depth -= character == "]"
        out = out (character == " " && depth > 0 ? "\001" : character)
    }
    count_words = split(out, words, " ")
    for (i = 1; i <= count_words; i++) {
        out = typed_usage(words[i])
        gsub(/\001/, "\\ ", out)
        gsub(/\\%/, "", out) # inside of a word it is where a hyphen may stand, before it none may
        print "\\%" out
    }
}

# Brackets, bars and dots are not typed.
function typed_usage(word,    out, start, bytes) {
    while (match(word, /[][|]|\.\.\./)) {
        start = RSTART
        bytes = RLENGTH
        out = out (start > 1 ? typed(substr(word, 1, start - 1)) : "") substr(word, start, bytes)
        word = substr(word, start + bytes)
    }
    return out (word == "" ? "" : typed(word))
}

# What the help text leaves out of the choices.
function choices_left(path, help,    i, missing, list) {
    for (i = 0; i < count[path ".choices"]; i++) {
        list = list (i == 0 ? "" : i + 1 == count[path ".choices"] ? " or " : ", ") "`" value[path ".choices." i] "`"
        if (index(help, value[path ".choices." i]) == 0)
            missing = 1
    }
    return missing ? "; one of " list : ""
}

function put_option(path,    tag, help) {
    tag = "--" value[path ".name"] (path ".argument" in value ? " " value[path ".argument"] : "")
    if (path ".letter" in value)
        tag = "-" value[path ".letter"] ", " tag
    help = value[path ".help"]
    print ".TP\n" typed(tag)
    help = help choices_left(path, help) "."
    # A sentence begins with a capital, unless its first word is one that is typed.
    if (help ~ /^[a-z]+[ ,.]/ && !(count[path ".choices"] > 0 && index(help, value[path ".choices.0"]) == 1))
        help = toupper(substr(help, 1, 1)) substr(help, 2)
    print guarded(inline(help))
}

# The options of the command, or of a verb: `path` is where they stand in the document.
function put_options(path, global,    i) {
    for (i = 0; i < count[path "options"]; i++)
        if (value[path "options." i ".global"] == global)
            put_option(path "options." i)
}

function put_synopsis(path) {
    print ".SY \"xylem " value[path "command"] "\""
    put_usage(value[path "usage"])
    print ".YS"
}

# Paragraphs are apart by an empty line.
function put_details(text,    paragraphs, i, paragraph) {
    paragraphs = split(text, paragraph, "\n\n")
    for (i = 1; i <= paragraphs; i++) {
        gsub(/\n/, " ", paragraph[i])
        sub(/ +$/, "", paragraph[i])
        print (i > 1 ? ".PP\n" : "") guarded(inline(paragraph[i]))
    }
}

function put_facts(path,    i) {
    print name "\tusage\t" value[path "usage"]
    for (i = 0; i < count[path "options"]; i++)
        print name "\t" (value[path "options." i ".global"] == "true" ? "global" : "option") "\t" \
            value[path "options." i ".name"] "\t" value[path "options." i ".letter"]
}

{
    json = $0
    at = 1
    split("", value)
    split("", count)
    parse("")
    name = value["command"]
    if (show == "names")
        print name
    if (show == "facts" && count["verbs"] == 0)
        put_facts("")
    for (verb = 0; show == "facts" && verb < count["verbs"]; verb++)
        put_facts("verbs." verb ".")
    if (show == "list")
        print ".TP\n\\fBxylem\\-" literal(name) "\\fR(1)\n" guarded(inline(value["summary"])) "."
    if (command != name)
        next
    if (show == "summary")
        print inline(tolower(substr(value["summary"], 1, 1)) substr(value["summary"], 2))
    if (show == "synopsis" && count["verbs"] == 0)
        put_synopsis("")
    for (verb = 0; show == "synopsis" && verb < count["verbs"]; verb++)
        put_synopsis("verbs." verb ".")
    if (show == "options")
        put_options("", "false")
    for (verb = 0; show == "options" && verb < count["verbs"]; verb++)
        if (value["verbs." verb ".options.0.global"] == "false") {
            print ".SS " typed(value["verbs." verb ".command"])
            put_options("verbs." verb ".", "false")
        }
    if (show == "details")
        put_details(value["details"])
    for (verb = 0; show == "verbs" && verb < count["verbs"]; verb++) {
        print ".SS " typed(value["verbs." verb ".command"])
        put_synopsis("verbs." verb ".")
        print ".PP\n" guarded(inline(value["verbs." verb ".summary"])) "."
        if (("verbs." verb ".details") in value) {
            print ".PP"
            put_details(value["verbs." verb ".details"])
        }
        put_options("verbs." verb ".", "false")
    }
    if (show == "globals")
        put_options("", "true")
}
