# Makes C of search/match/secrets.txt: the rows without their examples.
#     awk -f tools/secrets.awk search/match/secrets.txt > FILE.c
BEGIN {
    print "/* Made by tools/secrets.awk of search/match/secrets.txt. */"
    print "#include \"search/match/secrets.h\"\n"
    print "const struct xylem_secret xylem_match__secret_rows[] = {"
}
/^(kind|starts|match|source) / {
    if ($1 != substr("kind  startsmatch source", 6 * count % 24 + 1, length($1))) {
        print FILENAME ":" FNR ": expected the lines kind, starts, match, source, in this order" > "/dev/stderr"
        exit failed = 1
    }
    sub(/^[a-z]+ +/, "")
    gsub(/\\/, "&&")
    gsub(/"/, "\\\\&")
    printf "%s\"%s\"%s\n", count % 4 ? "     " : "    {", $0, count % 4 == 3 ? "}," : ","
    count++
}
END {
    if (failed || count % 4)
        exit 1
    print "    {NULL, NULL, NULL, NULL}};"
}
