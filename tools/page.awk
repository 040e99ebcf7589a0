# Makes C of a part of a page, page.css or page.js: its text, a string for each line, and its hash as a CSP has it.
# `name`: css or js. `sha256`: of the text, in hexadecimal digits.

# Three hexadecimal digits are two digits of base64.
function base64(hex,    digits, text, i, bits) {
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    hex = hex "00"
    for (i = 1; i < length(hex); i += 3) {
        bits = value(hex, i) * 256 + value(hex, i + 1) * 16 + value(hex, i + 2)
        text = text substr(digits, int(bits / 64) + 1, 1) substr(digits, bits % 64 + 1, 1)
    }
    return substr(text, 1, length(text) - 1) "="
}

function value(hex, at) {
    return index("0123456789abcdef", substr(hex, at, 1)) - 1
}

BEGIN {
    sub(/ .*/, "", sha256)
    if (!name) {
        print "sha256-" base64(sha256)
        exit
    }
    print "/* Made by tools/page.awk. */"
    print "extern const char xylem_cli__page_" name "[], xylem_cli__page_" name "_hash[];"
    print "const char xylem_cli__page_" name "_hash[] = \"sha256-" base64(sha256) "\";"
    print "const char xylem_cli__page_" name "[] ="
}

{
    gsub(/[\\"]/, "\\\\&")
    print "    \"" $0 "\\n\""
}

END {
    if (name)
        print "    ;"
}
