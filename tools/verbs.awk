# Makes C of judge/policy/rules/verbs.txt: one row of the table a record.
#     awk -f tools/lines.awk -f tools/verbs.awk judge/policy/rules/verbs.txt > FILE.c
BEGIN {
    split("source does options harmless writes destroys sends rewrites runs requests unless code modules alone " \
          "runs-with sends-with destroys-with refuses-with reads-with writes-with operands needs values shows", texts)
    for (i = 1; i in texts; i++)
        kind[texts[i]] = "text"
    kind["program"] = kind["rule"] = kind["reads"] = kind["otherwise"] = kind["mark"] = kind["only-reads"] = "else"
    kind["try"] = kind["writing-words"] = kind["without-verbs"] = "else"
    verbs["writes"] = verbs["destroys"] = verbs["sends"] = verbs["rewrites"] = verbs["runs"] = 1
    verbs["requests"] = verbs["code"] = verbs["modules"] = verbs["alone"] = 1
    otherwise["passes"] = "PASSES"
    otherwise["refused"] = "REFUSED"
    otherwise["refused-unlisted"] = "REFUSED_UNLISTED"
    otherwise["refused-with-operands"] = "WITH_OPERANDS_REFUSED"
    split("packages own-commands common-word keys first-operand-ends literal plain shows-nothing assigns", marks)
    for (i in marks)
        marked[marks[i]] = 1
    print "/* Made by tools/verbs.awk of judge/policy/rules/verbs.txt. */"
    print "#include \"judge/policy/words/tables.h\""
}

# Adds reading verbs. `.` and `-` become entries of their own, which are looked for whole.
function add_reads(list, options,    count, words, i, rest) {
    count = split(list, words, / +/)
    for (i = 1; i <= count; i++) {
        if (words[i] == "." || words[i] == "-") {
            reads[++read_count] = words[i]
            behind[read_count] = options
        } else {
            rest = rest (rest ? " " : "") words[i]
        }
    }
    if (rest) {
        reads[++read_count] = rest
        behind[read_count] = options
        by_verb++
    }
}

# Ends the line that was read, with its continuations.
function end_line(    at, i, words, count) {
    if (!(key in kind))
        fail("expected a keyword, found \"" key "\"")
    if (key == "writing-words" || key == "without-verbs") {
        list[key] = text
        return
    }
    if (key != "program" && !names)
        fail("expected a line \"program\" before \"" key "\"")
    if (key == "program") {
        end_record()
        names = text
        count = split(text, words, / +/)
        for (i = 1; i <= count; i++)
            if (seen[words[i]]++)
                fail("expected a name once, found \"" words[i] "\" in a second record")
    } else if (key == "reads") {
        at = index(text, " : ")
        add_reads(at ? substr(text, 1, at - 1) : text, at ? substr(text, at + 3) : "")
    } else if (key == "otherwise") {
        if (!(text in otherwise))
            fail("otherwise: expected passes, refused, refused-unlisted or refused-with-operands, found \"" text "\"")
        refuses += text != "passes"
        field["otherwise"] = "XYLEM_POLICY__ELSE_" otherwise[text]
    } else if (key == "mark") {
        take_marks(words)
        for (i in words)
            field[i] = "true"
    } else if (key == "only-reads") {
        field["only_reads"] = "true"
    } else if (key == "rule") {
        rule = text
    } else if (key == "does") {
        what = text
    } else if (kind[key] == "text") {
        by_verb += key in verbs
        refuses += key ~ /^(writes|destroys|rewrites|alone|destroys-with|refuses-with|writes-with)$/
        text = key in given ? given[key] " " text : text
        given[key] = text
    }
}

function end_record(    i, name, text) {
    if (!names)
        return
    if (!("source" in given) || (refuses && (!rule || !what)))
        fail("expected the lines source, and rule and does of what readonly refuses, for " names)
    rule = rule ? rule : "verb" # of words that are not literal
    what = what ? what : "changes something"
    if (read_count > 0) {
        printf "\nstatic const struct xylem_policy__reading_verbs reads_%d[] = {\n", ++rows
        for (i = 1; i <= read_count; i++)
            printf "    {%s,\n     %s},\n", quoted(reads[i]), (behind[i] == "" ? "NULL" : quoted(behind[i]))
        print "    {NULL, NULL}};"
        field["reads"] = "reads_" rows
    }
    if ("harmless" in given) { # which options the program knows, and which of them are harmless
        text = "options" in given ? given["options"] " " : ""
        given["options"] = text given["harmless"]
    }
    table = table "    {.names = " quoted(names) ",\n     .does = {" quoted(rule) ", " quoted(what) "},\n"
    for (i = 1; i in texts; i++)
        if (texts[i] in given)
            table = table "     ." member(texts[i]) " = " quoted(given[texts[i]]) ",\n"
    for (name in field) # the order of members is of no account
        table = table "     ." name " = " field[name] ",\n"
    table = table "     .by_option = " (by_verb ? "false" : "true") "},\n"
    split("", given)
    split("", field)
    split("", reads)
    names = rule = what = ""
    by_verb = read_count = refuses = 0
}

function end_tables() {
    end_record()
    print "\nconst struct xylem_policy__verb_row xylem_policy__verb_table[] = {"
    printf "%s    {.names = NULL}};\n", table
    print "\nconst char xylem_policy__writing_words[] = " quoted(list["writing-words"]) ";"
    print "\nconst char xylem_policy__without_verbs[] = " quoted(list["without-verbs"]) ";"
}
