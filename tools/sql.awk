# Makes C of fleet/init.sql: a string for each line.
BEGIN {
    print "/* Made by tools/sql.awk. */"
    print "extern const char fleet_init_sql[];"
    print "const char fleet_init_sql[] ="
}

{
    gsub(/[\\"]/, "\\\\&")
    print "    \"" $0 "\\n\""
}

END {
    print "    ;"
}
