#include "judge/policy/rules/hatches.h"

/*
 * Programs with hatches, and their options. The options come from the manuals of GNU and util-linux programs, ripgrep,
 * fd, ag, both programs that are called yq, less, man-db and file. The manuals of busybox and BSD count where a letter
 * means something else there.
 */

const struct xylem_policy__hatch xylem_policy__hatch_table[] = {
    {.names = "find",
     .harmless =
         "-H -L -P -E -X -x -s -O? -D: -daystart -follow -nowarn -warn -regextype: -depth -files0-from: -maxdepth: "
         "-mindepth: -mount -noleaf -xdev -ignore_readdir_race -noignore_readdir_race -amin: -anewer: -atime: -cmin: "
         "-cnewer: -context: -ctime: -empty -false -fstype: -gid: -group: -ilname: -iname: -inum: -iwholename: -ipath: "
         "-iregex: -links: -lname: -mmin: -mtime: -name: -newer: -neweraa: -neweraB: -newerac: -neweram: -newerat: "
         "-newerBa: -newerBB: -newerBc: -newerBm: -newerBt: -newerca: -newercB: -newercc: -newercm: -newerct: "
         "-newerma: -newermB: -newermc: -newermm: -newermt: -nouser -nogroup -path: -perm: -regex: -readable -writable "
         "-executable -wholename: -size: -true -type: -uid: -used: -user: -xtype: -samefile: -print -print0 -printf: "
         "-ls -prune -quit -a -o -and -or -not -exec -execdir -ok -okdir -help --help -version --version",
     .reading = XYLEM_POLICY__READS_NO_DASHES,
     .type = XYLEM_POLICY__HATCH_FIND,
     .known = {{"-delete", "option", "deletes files"},
               {"-fprint: -fprint0: -fprintf: -fls:", "option", "writes a file"}}},
    {.names = "sed",
     .harmless =
         "-n --quiet --silent -e: --expression: -E -r --regexp-extended -s --separate -u --unbuffered -z --null-data "
         "--zero-terminated --line-length: --posix --debug --sandbox --follow-symlinks -b --binary --help --version",
     .type = XYLEM_POLICY__HATCH_SED,
     .known = {{"-i? -I? --in-place?", "option", "edits files in place"},
               {"-f: --file:", "option", "runs a program from a file"}}},
    {.names = "awk gawk mawk nawk",
     .harmless = "-F: --field-separator: -v: --assign: -e: --source: -b --characters-as-bytes -c --traditional -C "
                 "--copyright -h --help -k --csv -L? --lint? -M --bignum -n --non-decimal-data -N --use-lc-numeric -O "
                 "--optimize -P --posix -r --re-interval -s --no-optimize -S --sandbox -t --lint-old -V --version",
     .type = XYLEM_POLICY__HATCH_AWK,
     .known = {{"-f: --file: -E: --exec: -i: --include:", "option", "runs a program from a file"},
               {"-l: --load:", "option", "loads a library"},
               {"-o? --pretty-print? -p? --profile? -d? --dump-variables?", "option", "writes a file"},
               {"-D? --debug?", "option", "runs a debugger"},
               {"-W:", "option", "has further options in its value"}}},
    {.names = "sort",
     .harmless = "-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort -i "
                 "--ignore-nonprinting -M --month-sort -h --human-numeric-sort -n --numeric-sort -R --random-sort "
                 "--random-source: -r --reverse --sort: -V --version-sort --batch-size: -c --check? -C --debug "
                 "--files0-from: -k: --key: -m --merge -s --stable -S: --buffer-size: -t: --field-separator: "
                 "--parallel: -u --unique -z --zero-terminated --help --version",
     .known = {{"-o: --output:", "option", "writes its result to a file"},
               {"-T: --temporary-directory:", "option", "writes temporary files to the directory in its value"},
               {"--compress-program:", "wrapper", "runs a program"}}},
    {.names = "shuf",
     .harmless = "-e --echo -i: --input-range: -n: --head-count: --random-source: -r --repeat -z --zero-terminated "
                 "--help --version",
     .known = {{"-o: --output:", "option", "writes its result to a file"}}},
    {.names = "base64",
     .harmless = "-d --decode -D -i --ignore-garbage -w: --wrap: -b: --break: -h --help --version",
     .known = {{"-o: --output:", "option", "writes its result to a file on systems other than Linux"}}},
    {.names = "uniq",
     .harmless = "-c --count -d --repeated -D --all-repeated? -f: --skip-fields: --group? -i --ignore-case -s: "
                 "--skip-chars: -u --unique -z --zero-terminated -w: --check-chars: -# --help --version",
     .reading = XYLEM_POLICY__READS_UP_TO_OPERAND,
     .type = XYLEM_POLICY__HATCH_OUTPUT},
    {.names = "xxd",
     .harmless = "-a -autoskip -b -bits -C -capitalize -c: -cols: -d -E -EBCDIC -e -g: -h -help -i -include -l: -len: "
                 "-n: -name: -o: -p -ps -postscript -plain -R: -s: -seek: -u -v -version",
     .reading = XYLEM_POLICY__READS_FIRST_LETTER,
     .type = XYLEM_POLICY__HATCH_OUTPUT,
     .known = {{"-r -revert --revert", "option", "turns a dump into binary, and patches files with it"}}},
    {.names = "tree",
     .harmless = "-a -d -l -f -x -L: -P: -I: -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J -T: "
                 "--gitignore --gitfile: --ignore-case --matchdirs --metafirst --prune --info --infofile: --noreport "
                 "--charset: --filelimit: --si --du --timefmt: --inodes --device --sort: --dirsfirst --filesfirst "
                 "--nolinks --hintro: --houtro: --fromfile --fromtabfile --fflinks --version --help",
     .reading = XYLEM_POLICY__READS_VALUES_APART,
     .known = {{"-o:", "option", "writes its result to a file"},
               {"-R", "option", "writes a file in each directory"},
               {"-H:", "option", "links the files that -R writes"}}},
    {.names = "rg",
     .harmless =
         "-A: --after-context: --auto-hybrid-regex -B: --before-context: --binary --block-buffered -b --byte-offset -s "
         "--case-sensitive --color: --colors: --column -C: --context: --context-separator: -c --count --count-matches "
         "--crlf --debug --dfa-size-limit: -E: --encoding: --engine: --field-context-separator: "
         "--field-match-separator: -f: --file: --files -l --files-with-matches --files-without-match -F "
         "--fixed-strings -L --follow --generate: -g: --glob: --glob-case-insensitive --heading -h --help -. --hidden "
         "--hyperlink-format: --iglob: -i --ignore-case --ignore-file: --ignore-file-case-insensitive --include-zero "
         "-v --invert-match --json --line-buffered -n --line-number -x --line-regexp -M: --max-columns: "
         "--max-columns-preview -m: --max-count: -d: --max-depth: --maxdepth: --max-filesize: --messages --mmap -U "
         "--multiline --multiline-dotall -I -N -0 --null --null-data --one-file-system -o --only-matching --passthru "
         "--passthrough --path-separator: -P --pcre2 --pcre2-version -p --pretty -q --quiet --regex-size-limit: -e: "
         "--regexp: -r: --replace: -S --smart-case --sort: --sortr: --sort-files --stats --stop-on-nonmatch -a --text "
         "-j: --threads: --trace --trim -t: --type: --type-add: --type-clear: --type-list -T: --type-not: --unicode -u "
         "--unrestricted -V --version --vimgrep -H --with-filename -w --word-regexp --no-auto-hybrid-regex --no-binary "
         "--no-block-buffered --no-byte-offset --no-column --no-config --no-context-separator --no-crlf --no-encoding "
         "--no-filename --no-fixed-strings --no-follow --no-glob-case-insensitive --no-heading --no-hidden --no-ignore "
         "--no-ignore-dot --no-ignore-exclude --no-ignore-file-case-insensitive --no-ignore-files --no-ignore-global "
         "--no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-include-zero --no-invert-match --no-json "
         "--no-line-buffered --no-line-number --no-max-columns-preview --no-messages --no-mmap --no-multiline "
         "--no-multiline-dotall --no-one-file-system --no-pcre2 --no-pcre2-unicode --no-pre --no-require-git "
         "--no-search-zip --no-sort-files --no-stats --no-text --no-trim --no-unicode",
     .reading = XYLEM_POLICY__READS_DASHED_VALUES,
     .known = {{"--pre:", "wrapper", "runs a program on every file"},
               {"--hostname-bin:", "wrapper", "runs a program"},
               {"-z --search-zip", "option", "runs the programs that unpack files"}}},
    {.names = "fd fdfind",
     .harmless =
         "-H --hidden -I --no-ignore --no-ignore-vcs --no-ignore-parent --no-global-ignore-file --no-hidden --ignore "
         "--ignore-vcs --require-git --no-require-git -u --unrestricted -s --case-sensitive -i --ignore-case -g --glob "
         "--regex -F --fixed-strings --and: -a --absolute-path --relative-path -L --follow --no-follow -p --full-path "
         "-0 --print0 -d: --max-depth: --maxdepth: --min-depth: --exact-depth: -E: --exclude: --prune -t: --type: -e: "
         "--extension: -S: --size: --changed-within: --change-newer-than: --newer: --changed-after: --changed-before: "
         "--change-older-than: --older: -o: --owner: --format: --batch-size: --ignore-file: -c: --color: --hyperlink? "
         "-j: --threads: --max-results: -1 -q --quiet --has-results --show-errors --base-directory: -C: "
         "--path-separator: --search-path: --strip-cwd-prefix? --one-file-system --mount --xdev -h --help -V --version "
         "-x: --exec: -X: --exec-batch:",
     .reading = XYLEM_POLICY__READS_DASHED_VALUES,
     .type = XYLEM_POLICY__HATCH_FD,
     .known = {{"-l --list-details", "option", "runs ls"}}},
    {.names = "ag",
     .harmless =
         "--ackmate -A: --after: -B: --before: -C: --context: --break --nobreak -c --count --color --nocolor "
         "--color-line-number: --color-match: --color-path: --column --filename --nofilename -H --heading --noheading "
         "--group --nogroup -g: --filename-pattern: -l --files-with-matches -L --files-without-matches "
         "--print-all-files --numbers --nonumbers -o --only-matching --print-long-lines --passthrough --passthru "
         "--silent --stats --stats-only --vimgrep -0 --null --print0 -a --all-types -D --debug --depth: -f --follow "
         "--nofollow -F --fixed-strings -G: --file-search-regex: --hidden -i --ignore-case --ignore: --ignore-dir: -m: "
         "--max-count: --multiline --nomultiline -n --norecurse -r -R --recurse --one-device -p: --path-to-ignore: -Q "
         "--literal -s --case-sensitive -S --smart-case --search-binary -t --all-text -u --unrestricted -U "
         "--skip-vcs-ignores -v --invert-match -w --word-regexp -W: --width: -z --search-zip --workers: "
         "--list-file-types -h --help -V --version --nopager --actionscript --ada --asciidoc --apl --asm --asp --aspx "
         "--batch --bazel --bitbake --cc --cfmx --chpl --clojure --coffee --config --coq --cpp --crystal --csharp "
         "--cshtml --css --cython --delphi --dlang --dot --dts --ebuild --elisp --elixir --elm --erlang --factor "
         "--fortran --fsharp --gettext --glsl --go --gradle --groovy --haml --handlebars --haskell --haxe --hh --html "
         "--idris --ini --ipython --isabelle --j --jade --java --jinja2 --js --json --jsp --julia --kotlin --less "
         "--liquid --lisp --log --lua --m4 --make --mako --markdown --mason --matlab --mathematica --md --mercury "
         "--naccess --nim --nix --objc --objcpp --ocaml --octave --org --parrot --pdb --perl --php --pike --plist "
         "--plone --powershell --proto --ps1 --pug --puppet --python --qml --racket --rake --razor --restructuredtext "
         "--rs --r --rdoc --ruby --rust --salt --sass --scala --scheme --shell --smalltalk --sml --sql --stata "
         "--stylus --swift --tcl --terraform --tex --thrift --tla --tt --toml --ts --twig --vala --vb --velocity "
         "--verilog --vhdl --vim --vue --wix --wsdl --wadl --xml --yaml --zeek --zephir",
     .reading = XYLEM_POLICY__READS_DASHED_VALUES,
     .known = {{"--pager:", "wrapper", "runs a program"}}},
    {.names = "yq",
     .harmless = "-r --unwrapScalar? --raw-output -P --prettyPrint -C --colors --color-output -M --no-colors "
                 "--monochrome-output -e --exit-status -n --null-input -N --no-doc -j --tojson --join-output -o: "
                 "--output-format: -p: --input-format: -I: --indent: --expression: --from-file: --header-preprocess? "
                 "--front-matter: -v --verbose -0 --nul-output --string-interpolation? --csv-auto-parse? "
                 "--csv-separator: --tsv-auto-parse? --properties-separator: --properties-array-brackets "
                 "--xml-attribute-prefix: --xml-content-name: --xml-keep-namespace? --xml-raw-token? --xml-strict-mode "
                 "--xml-skip-directives --xml-skip-proc-inst --xml-directive-name: --xml-proc-inst-prefix: "
                 "--yaml-fix-merge-anchor-to-spec --lua-globals --lua-unquoted --lua-prefix: --lua-suffix: "
                 "--security-disable-env-ops --security-disable-file-ops -y --yaml-output --yml-output -Y "
                 "--yaml-roundtrip --yml-roundtrip --yaml-output-grammar-version: --yml-out-ver: -w: --width: "
                 "--indentless-lists --indentless -c --compact-output --slurp -R --raw-input -S --sort-keys --tab "
                 "--arg: --argjson: --slurpfile: --rawfile: --args --jsonargs -h --help -V --version",
     .reading = XYLEM_POLICY__READS_DASHED_VALUES,
     .known = {{"-i --inplace --in-place", "option", "edits files in place"},
               {"-s --split-exp: --split-exp-file:", "option", "splits into files"},
               {"--security-enable-system-operator", "option", "lets its expression run programs"}}},
    {.names = "less",
     .harmless = "-a -A -b: -B -c -C -e -E -f -F -g -G -h: -i -I -j: -J -K -L -m -M -n -N -q -Q -r -R -s -S -u -U -V "
                 "-w -W -x: -X -y: -z: -~ --search-skip-screen --SEARCH-SKIP-SCREEN --auto-buffers --clear-screen "
                 "--quit-at-eof --QUIT-AT-EOF --force --quit-if-one-screen --hilite-search --HILITE-SEARCH "
                 "--ignore-case --IGNORE-CASE --status-column --quit-on-intr --no-lessopen --long-prompt --LONG-PROMPT "
                 "--line-numbers --LINE-NUMBERS --quiet --QUIET --silent --SILENT --raw-control-chars "
                 "--RAW-CONTROL-CHARS --squeeze-blank-lines --chop-long-lines --underline-special --UNDERLINE-SPECIAL "
                 "--version --hilite-unread --HILITE-UNREAD --no-init --tilde --file-size --follow-name --incsearch "
                 "--mouse --MOUSE --no-keypad --no-histdups --use-color --help",
     .reading = XYLEM_POLICY__READS_NUMBERS,
     .type = XYLEM_POLICY__HATCH_PAGER,
     .known = {{"-o: -O: --log-file: --LOG-FILE:", "option", "copies what it shows to a file"},
               {"-k: --lesskey-file: --lesskey-src: --lesskey-content:", "option", "reads keys that can run commands"},
               {"-t: --tag: -T: --tag-file:", "option", "runs the program that looks up tags"},
               {"--cmd:", "wrapper", "runs a command when it starts"}}},
    {.names = "more",
     .harmless = "-d -f -l -c -s -u -e -n: -# --silent --logical --clean-print --squeeze --plain --lines: "
                 "--exit-on-eof -V --help --version",
     .reading = XYLEM_POLICY__READS_NUMBERS,
     .type = XYLEM_POLICY__HATCH_PAGER,
     .known = {{"-o: -O: --log-file: -k: -t: -p:", "option", "is an option of less, and more may be less"}}},
    {.names = "man",
     .harmless = "-f --whatis -k --apropos -K --global-apropos -w --where --path --location -W --where-cat "
                 "--location-cat -L: --locale: -S: -s: --sections: -e: --extension: -i --ignore-case -I --match-case "
                 "--regex --wildcard --names-only -a --all --no-subpages -7 --ascii -d --debug -D --default "
                 "--no-hyphenation --nh --no-justification --nj --help --usage -V --version",
     .type = XYLEM_POLICY__HATCH_PAGES,
     .known = {{"-P: --pager: -H? --html? -X? --gxditview? -p: --preprocessor:", "wrapper", "runs a program"},
               {"-C: --config-file:", "option", "reads a configuration that can name programs"},
               {"-r: --prompt:", "option", "hands options to the pager"},
               {"-u --update -c --catman", "option", "writes its cache"},
               {"-T? --troff-device? -t --troff -Z --ditroff", "option", "has a page formatted for a device"},
               {"-l --local-file -M: --manpath:", "option", "formats a page from any file"}}},
    {.names = "date",
     .harmless = "-d: --date: --debug -f: --file: -I? --iso-8601? --resolution -R --rfc-email --rfc-822 --rfc-2822 "
                 "--rfc-3339: -r: --reference: -u --utc --universal --uct --help --version",
     .type = XYLEM_POLICY__HATCH_DATE,
     .known = {{"-s: --set:", "option", "sets the clock"}}},
    {.names = "hostname",
     .harmless = "-a --alias -A --all-fqdns -d --domain -f --fqdn --long -i --ip-address -I --all-ip-addresses -s "
                 "--short -v --verbose -y --yp --nis -V --version -h --help",
     .type = XYLEM_POLICY__HATCH_SETS,
     .known = {{"-F: --file: -b --boot", "option", "sets the name"}}},
    {.names = "file",
     .harmless = "-v --version -b --brief -c --checking-printout -e: --exclude: --exclude-quiet: -f: --files-from: -F: "
                 "--separator: -i -I --mime --apple --extension --mime-type --mime-encoding -k --keep-going -l --list "
                 "-L --dereference -h --no-dereference -m: --magic-file: -n --no-buffer -N --no-pad -0 --print0 -P: "
                 "--parameter: -r --raw -s --special-files --help",
     .known = {{"-C --compile", "option", "writes a magic file"},
               {"-z --uncompress -Z --uncompress-noreport", "option", "runs the programs that unpack files"},
               {"-p --preserve-date", "option", "changes the times of files"},
               {"-S --no-sandbox", "option", "gives up its sandbox"}}},
    {.names = "diff",
     .harmless =
         "--normal -q --brief -s --report-identical-files -c -C: --context? -u -U: --unified? -e --ed -f --forward-ed "
         "-n --rcs -y --side-by-side -W: --width: --left-column --suppress-common-lines -p --show-c-function -F: "
         "--show-function-line: -L: --label: -t --expand-tabs -T --initial-tab --tabsize: --suppress-blank-empty -r "
         "--recursive --no-dereference -N --new-file -P --unidirectional-new-file --ignore-file-name-case "
         "--no-ignore-file-name-case -x: --exclude: -X: --exclude-from: -S: --starting-file: --from-file: --to-file: "
         "-i --ignore-case -E --ignore-tab-expansion -Z --ignore-trailing-space -b --ignore-space-change -w "
         "--ignore-all-space -B --ignore-blank-lines -I: --ignore-matching-lines: -a --text --strip-trailing-cr -D: "
         "--ifdef: --old-group-format: --new-group-format: --changed-group-format: --unchanged-group-format: "
         "--line-format: --old-line-format: --new-line-format: --unchanged-line-format: -d --minimal --horizon-lines: "
         "-H --speed-large-files --color? --palette: --binary -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --help -v --version",
     .known = {{"-l --paginate", "option", "runs pr"}}},
    {.names = "column",
     .harmless =
         "-t --table -n: --table-name: -O: --table-order: -N: --table-columns: -l: --table-columns-limit: -E: "
         "--table-noextreme: -d --table-noheadings -e --table-header-repeat -H: --table-hide: -R: --table-right: -T: "
         "--table-truncate: -W: --table-wrap: -C: --table-column: -m --table-maxout -L --keep-empty-lines "
         "--table-empty-lines -J --json -r: --tree: -i: --tree-id: -p: --tree-parent: -c: --output-width: -o: "
         "--output-separator: -s: --separator: -S: --use-spaces: -x --fillrows -h --help -V --version"},
    {.names = "lsof",
     .harmless = "-? -h -a -b -C -E -l -n -N -O -P -Q -R -t -U -v -V -w -X -H -J -c: -d: -e: -p: -u: -F? -f? -g? -i? "
                 "-K? -L? -M -o? -r? -s? -S? -T? -x? -z? -Z?",
     .type = XYLEM_POLICY__HATCH_HOSTS,
     .known = {{"-D:", "option", "writes a cache of devices"}}},
    {.names = "locate",
     .harmless = "-A --all -b --basename -c --count -d: --database: -e --existing -E --non-existing -h --help -i "
                 "--ignore-case -p --print --ignore-spaces -l: --limit: -n: -L --follow -m --mmap -P -H --nofollow -0 "
                 "--null -N --literal -S --statistics -q --quiet -r: --regexp: --regex --regextype: -s --stdio -t "
                 "--transliterate -V --version -w --wholename",
     .known = {{"-u -U: -o:", "option", "makes slocate write its database"}}},
    {.names = "uname",
     .harmless =
         "-a --all -b -i --hardware-platform -K -m --machine -n --nodename -o --operating-system -p --processor -r "
         "--kernel-release --release --sysname -s --kernel-name -U -v --kernel-version --help --version",
     .known = {{"-S:", "option", "sets the name on systems other than Linux"}}},
    {.names = "env",
     .harmless = "-i --ignore-environment -0 --null -u: --unset: -v --debug --block-signal? --default-signal? "
                 "--ignore-signal? --list-signal-handling --help --version",
     .reading = XYLEM_POLICY__READS_WRAPPED,
     .known = {{"-S: --split-string:", "option", "makes a command from a text"},
               {"-C: --chdir:", "option", "runs the command in another directory"},
               {"-P:", "option", "looks for the command elsewhere"}}},
    {.names = "nice", .harmless = "-n: --adjustment: -# --help --version", .reading = XYLEM_POLICY__READS_WRAPPED},
    {.names = "timeout",
     .harmless = "-k: --kill-after: -s: --signal: -f --foreground -p --preserve-status -v --verbose --help --version",
     .reading = XYLEM_POLICY__READS_WRAPPED},
    {.names = "stdbuf",
     .harmless = "-i: --input: -o: --output: -e: --error: --help --version",
     .reading = XYLEM_POLICY__READS_WRAPPED},
    {.names = "time",
     .harmless = "-p --portability -v --verbose -q --quiet -f: --format: -h --help -V --version",
     .reading = XYLEM_POLICY__READS_WRAPPED,
     .known = {{"-o: --output: -a --append", "option", "writes its figures to a file"}}},
    {.names = NULL},
};
