# Makes C of a text with tables of the judge (judge/policy/*/*_tables.txt, judge/hook/hook_tables.txt):
#     awk -f tools/lines.awk -f tools/tables.awk judge/policy/rules/rules_tables.txt > FILE.c
#
#   include FILE         the header that declares the tables below
#   table NAME STRUCT    an array of struct xylem_policy__STRUCT; a name with two _ stands as it is. Each row begins with its line `names`
#   MEMBER TEXT          a string; `MEMBER = EXPRESSION`: C; `MEMBER | A | B`: a row of strings, of a member that has rows
#   list NAME TEXT       a string
BEGIN {
    print "/* Made by tools/tables.awk. */"
}

function full(name) {
    return name ~ /__/ ? name : "xylem_policy__" name
}

function end_rows() {
    if (rows != "")
        row = row ",\n     ." rows_of " = {" rows "}"
    rows = ""
}

function end_row() {
    end_rows()
    if (row != "")
        print row "},"
    row = ""
}

function end_table() {
    end_row()
    if (table != "")
        print "    {.names = NULL}};"
    table = ""
}

function end_line(    name, parts, count, i, cells) {
    if (key == "include") {
        print "#include \"" text "\""
    } else if (key == "list" || key == "table") {
        end_table()
        name = text
        sub(/ .*/, "", name)
        sub(/^[^ ]+ */, "", text)
        if (key == "list") {
            printf "\nconst char xylem_policy__%s[] = %s;\n", name, quoted(text)
        } else {
            table = name
            printf "\nconst struct %s %s[] = {\n", full(text), full(name)
        }
    } else if (table == "" || (row == "" && key != "names")) {
        fail("expected a table and a line \"names\" before \"" key "\"")
    } else if (key == "names") {
        end_row()
        row = "    {.names = " quoted(text)
    } else if (substr(text, 1, 2) == "| ") {
        count = split(substr(text, 3), parts, / \| /)
        for (i = 1; i <= count; i++)
            cells = cells (i > 1 ? ", " : "") quoted(parts[i])
        rows = rows (rows != "" ? ",\n      " : "") "{" cells "}"
        rows_of = key
    } else {
        row = row ",\n     ." key " = " (substr(text, 1, 2) == "= " ? substr(text, 3) : quoted(text))
    }
}

function end_tables() {
    end_table()
}
