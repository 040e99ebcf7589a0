# Completion of the command xylem in bash. What may stand where is known to `xylem complete` alone.

_xylem() {
    # Bash splits words at `=` and `:`; put together what is written together, up to the cursor's word.
    local -a words=()
    local i piece gap rest=$COMP_LINE
    for ((i = 0; i <= COMP_CWORD; i++)); do
        piece=${COMP_WORDS[i]}
        gap=${rest%%[![:space:]]*}
        rest=${rest:${#gap}}
        rest=${rest#"$piece"}
        if ((i > 0)) && [[ -z $gap && -n $piece ]]; then
            words[${#words[@]} - 1]+=$piece
        else
            words+=("$piece")
        fi
    done

    # What stands quoted is meant without its quotes.
    local program=${words[0]/#\~\//$HOME/} word
    local -a meant=()
    for word in "${words[@]:1}"; do
        word=${word//[\"\'\\]/}
        meant+=("${word/#\~\//$HOME/}")
    done

    # Bash replaces only the part of the word behind the last `=` or `:`.
    local whole=${words[${#words[@]} - 1]} part=${COMP_WORDS[COMP_CWORD]} kept
    [[ $part == [=:]* ]] && part=
    kept=${whole:0:${#whole}-${#part}}

    local line candidate
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        *$'\t'*)
            candidate=${line%%$'\t'*}
            printf -v candidate %q "$candidate"
            printf -v gap %q "$kept"
            COMPREPLY+=("${candidate#"$gap"}")
            ;;
        files)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$part")
            ;;
        directories)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$part")
            ;;
        esac
    done < <("$program" complete -- "${meant[@]}" 2>/dev/null)
    # The newest first, as they come; older versions of bash sort.
    compopt -o nosort 2>/dev/null
    return 0
}

complete -F _xylem xylem
