# Completion of the command xylem in fish. What may stand where is known to `xylem complete` alone.

function __xylem_complete
    set -l words (commandline -opc)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    set -l word (commandline -ct)
    set -l option (string match -r '^--[^=]*=' -- "$word")
    for line in ($program complete -- $words[2..-1] "$word" 2>/dev/null)
        switch $line
            case files
                for path in (__fish_complete_path (string replace -- "$option" '' "$word"))
                    printf '%s%s\n' "$option" $path
                end
            case directories
                for path in (__fish_complete_directories (string replace -- "$option" '' "$word") '')
                    printf '%s%s\n' "$option" $path
                end
            case '*'
                printf '%s\n' $line
        end
    end
end

# The newest first, as they come.
complete -c xylem -k -f -a '(__xylem_complete)'
