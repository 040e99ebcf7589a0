# A section of a page of docs/ as man(7): paragraphs, lists, tables, code. With `part`, one part of it:
#   prose     what stands before what programs read, without usage lines and without examples
#   examples  blocks that begin with a command line
#   json      what programs read: everything from the first paragraph on that begins with it
#   ITEM      the paragraph that begins with **ITEM.** and what belongs to it
# The section is the one whose heading has `section` in its list of names, up to the next of the same level.

BEGIN { CODE_CELLS = 73 }

function section_named(heading,    names, count, i) {
    if (heading == section)
        return 1
    count = split(heading, names, ", ")
    for (i = 1; i <= count; i++)
        if (names[i] == section)
            return 1
    return 0
}

function wanted(is_example) {
    if (part == "")
        return 1
    if (part == "examples")
        return is_example
    if (part == "prose")
        return !is_example && !in_json
    if (part == "json")
        return !is_example && in_json
    return item == part
}

function end_paragraph(    text) {
    text = paragraph
    paragraph = ""
    if (text == "" || (part != "" && text ~ /^`xylem [^`]*`$/))
        return
    if (part == "prose" || part == "json")
        in_json = in_json || text ~ /^`--json`|^A document of `--jsonl`/
    if (match(text, /^\*\*[A-Z][A-Za-z ]*\.\*\* ?/)) {
        item = substr(text, 3, index(text, ".**") - 3)
        if (part == item)
            text = substr(text, RLENGTH + 1)
    }
    if (text == "" || !wanted(0))
        return
    if (bullet != "")
        print ".IP " bullet
    else
        print ".PP"
    print guarded(inline(text))
}

# Does the first so many characters of a command line leave a quote open? What is broken there means something else.
function is_quoted(line, at,    i, c, open) {
    open = ""
    for (i = 1; i < at; i++) {
        c = substr(line, i, 1)
        if (open == "" && (c == "\"" || c == "'"))
            open = c
        else if (c == open)
            open = ""
    }
    return open != ""
}

# A line that does not fit beside the margin of a page in 80 columns goes on below, indented, where it has a space.
function put_code(line,    strong, at, cells) {
    strong = line ~ /^\$ /
    for (;;) {
        cells = line
        gsub(/[\300-\377][\200-\277]+/, "x", cells)
        at = 0
        if (length(cells) > CODE_CELLS)
            for (at = CODE_CELLS - 1; at > 20 && (substr(line, at, 1) != " " || (strong && is_quoted(line, at))); at--)
                ;
        if (at <= 20) {
            print guarded(strong ? bold(literal(line)) : literal(line))
            return
        }
        cells = substr(line, 1, at - 1)
        sub(/ +$/, "", cells)
        cells = cells (strong ? " \\" : "")
        print guarded(strong ? bold(literal(cells)) : literal(cells))
        line = "    " trimmed(substr(line, at))
    }
}

function end_code(    i) {
    if (code_count > 0 && wanted(code_line[1] ~ /^\$ /)) {
        print ".PP\n.nf"
        for (i = 1; i <= code_count; i++)
            put_code(code_line[i])
        print ".fi"
    }
    code_count = gap = 0
}

# How many cells a column needs, and which ones are too wide to stand beside others.
function measure(    row, column, cells) {
    fixed_cells = 0
    wide_count = 0
    for (column = 1; column <= columns; column++) {
        cells = 0
        for (row = 1; row <= rows; row++)
            if (length(cell[row, column]) > cells)
                cells = length(cell[row, column])
        wide[column] = column == columns || (column > 1 && cells > 18)
        wide_count += wide[column]
        fixed_cells += wide[column] ? 0 : cells + 3
    }
}

# A row is a tag and what it means; where several columns mean something, their headings say what.
function put_list(    row, column, tag, text) {
    if (cell[1, 1] ~ / /)
        print ".PP\n" italic(prose(toupper(substr(cell[1, 1], 1, 1)) substr(cell[1, 1], 2) ":"))
    for (row = 2; row <= rows; row++) {
        tag = text = ""
        for (column = 1; column <= columns; column++) {
            if (column == 1 || (!wide[column] && wide_count == 1))
                tag = tag (tag == "" ? "" : "\\ \\ ") inline(cell[row, column])
            else if (columns == 2 || wide_count == 1)
                text = inline(cell[row, column])
            else if (cell[row, column] != "")
                text = text (text == "" ? "" : "\n.br\n") italic(prose(cell[1, column]) ":") " " inline(cell[row, column])
        }
        print (text == "" ? ".PP\n" guarded(tag) : ".TP\n" guarded(tag) "\n" guarded(text))
    }
}

function put_table(    row, column, formats, text) {
    for (column = 1; column <= columns; column++)
        formats = formats (column > 1 ? " " : "") (wide[column] ? "lx" : "l")
    print ".PP\n.TS\nnokeep;\n" formats "."
    for (row = 1; row <= rows; row++) {
        for (column = 1; column <= columns; column++) {
            text = row == 1 ? italic(prose(cell[1, column])) : inline(cell[row, column])
            printf "%s", (column > 1 ? "\t" : "") (wide[column] ? "T{\n.ad l\n" guarded(text) "\nT}" : text)
        }
        print ""
    }
    print ".TE"
}

function end_table() {
    if (rows > 0 && wanted(0)) {
        measure()
        if (columns > 2 && wide_count == 1 && fixed_cells <= 34)
            put_table()
        else
            put_list()
    }
    rows = 0
}

function end_block() {
    end_paragraph()
    end_code()
    end_table()
}

function add_row(line,    cells, count, i) {
    gsub(/\\\|/, "\001", line)
    count = split(line, cells, "|")
    if (line ~ /^\|[-| :]+\|$/)
        return
    rows++
    columns = count - 2
    for (i = 1; i <= columns; i++) {
        gsub(/\001/, "|", cells[i + 1])
        cell[rows, i] = trimmed(cells[i + 1])
    }
}

{ sub(/\r$/, "") }

/^```/ {
    if (inside)
        end_paragraph()
    fenced = !fenced
    if (!fenced && inside)
        end_code()
    next
}

!fenced && /^##* / {
    if (inside)
        end_block()
    level = index($0, " ") - 1
    if (inside && level > section_level) {
        if (part == "")
            print ".SS " inline(substr($0, level + 2))
        next
    }
    inside = section_named(substr($0, level + 2))
    if (inside) {
        section_level = level
        found = 1
    }
    next
}

!inside || /^<!--/ { next }

fenced { code_line[++code_count] = $0; next }

# Code goes on behind empty lines if the next line is indented too.
/^$/ && code_count > 0 { gap++; next }

gap > 0 && /^    / {
    for (; gap > 0; gap--)
        code_line[++code_count] = ""
}

gap > 0 { end_block(); bullet = "" }

/^$/ {
    end_block()
    bullet = ""
    next
}

/^    / && paragraph == "" && bullet == "" { code_line[++code_count] = substr($0, 5); next }

/^\|/ { end_paragraph(); end_code(); add_row($0); next }

/^- / { end_block(); bullet = "\\(bu 2"; paragraph = substr($0, 3); next }

/^[0-9]+\. / { end_block(); bullet = substr($0, 1, index($0, ".")) " 3"; paragraph = substr($0, index($0, " ") + 1); next }

{ end_code(); end_table(); paragraph = paragraph (paragraph == "" ? "" : " ") trimmed($0) }

END {
    if (inside)
        end_block()
    if (!failed && !found) {
        print "man: " FILENAME ": there is no section '" section "'" > "/dev/stderr"
        exit 1
    }
}
