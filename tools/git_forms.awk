# Makes C of judge/policy/git/git_forms.txt: two tables of forms, and lists of names.
#     awk -f tools/lines.awk -f tools/git_forms.awk judge/policy/git/git_forms.txt > FILE.c
BEGIN {
    split("options frees needs not-first sets", texts)
    for (i in texts)
        known[texts[i]] = 1
    known["does"] = known["operands"] = known["mark"] = 1
    split("walks allows-unknown connects asks-editor operands-end", marks)
    for (i in marks)
        marked[marks[i]] = 1
    print "/* Made by tools/git_forms.awk of judge/policy/git/git_forms.txt. */"
    print "#include \"judge/policy/git/tables.h\"\n"
}

# A C string, with $NAME replaced by the list.
function expanded(text,    words, count, i, out, name) {
    count = split(text, words, / +/)
    for (i = 1; i <= count; i++) {
        name = substr(words[i], 2)
        if (substr(words[i], 1, 1) == "$" && !(name in list))
            fail("expected a list above this line, found $" name)
        out = out (i > 1 ? " " : "") (substr(words[i], 1, 1) == "$" ? list[name] : words[i])
    }
    return quoted(out)
}

function end_line(    name, words, i, at, verb) {
    if (key == "list" || key == "names") {
        name = text
        sub(/ .*/, "", name)
        sub(/^[^ ]+ */, "", text)
        text = expanded(text)
        list[name] = substr(text, 2, length(text) - 2)
        if (key == "names")
            printf "const char xylem_policy__git_%s[] = %s;\n", name, text
    } else if (key == "form" || key == "local") {
        end_record()
        at = index(text, " /")
        verb = at ? substr(text, at + 3) : ""
        row = "    {" expanded(at ? substr(text, 1, at - 1) : text) ", " (at ? expanded(verb) : "NULL")
        table = key
    } else {
        if (!(key in known) || !row)
            fail("expected a form or a fact of a form, found \"" key "\"")
        if (key == "mark") {
            take_marks(words)
            for (i in words)
                row = row ",\n     ." i " = true"
        } else if (key == "operands") {
            row = row ",\n     .operands = " text
        } else {
            row = row ",\n     ." (key == "does" ? "what" : member(key)) " = " \
                  (key == "does" ? quoted(text) : expanded(text))
        }
    }
}

function end_record() {
    if (row)
        rows[table] = rows[table] row "},\n"
    row = ""
}

function end_tables() {
    end_record()
    printf "\nconst struct xylem_policy__git_form xylem_policy__git_reading[] = {\n%s};\n", rows["form"]
    print "const size_t xylem_policy__git_reading_count = sizeof xylem_policy__git_reading / sizeof *xylem_policy__git_reading;"
    printf "\nconst struct xylem_policy__git_form xylem_policy__git_local[] = {\n%s};\n", rows["local"]
    print "const size_t xylem_policy__git_local_count = sizeof xylem_policy__git_local / sizeof *xylem_policy__git_local;"
}
