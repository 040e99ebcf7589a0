#include "judge/policy/git/tables.h"

/*
 * Options that several forms share, as lists (words/options.h). Each mark says how git itself parses the option:
 * `-S:` may take the next word as its value, `-M?` takes a glued value only.
 */
#define DIFF                                                                                                         \
    "-p -u -s -U? -z -R -B? -M? -C? -D -l: -S: -G: -O: -I: -X? -a -b -w -W -0 -1 -2 -3 --patch --no-patch "          \
    "--unified? --function-context --no-function-context --raw --patch-with-raw --patch-with-stat --numstat "        \
    "--shortstat --dirstat? --cumulative --dirstat-by-file? --check --summary --name-only --name-status --stat? "    \
    "--stat-width: --stat-name-width: --stat-graph-width: --stat-count: --compact-summary --no-compact-summary "     \
    "--binary --full-index --no-full-index --color? --no-color --ws-error-highlight: --abbrev? --no-abbrev "         \
    "--src-prefix: --dst-prefix: --line-prefix: --no-prefix --default-prefix --inter-hunk-context: "                 \
    "--output-indicator-new: --output-indicator-old: --output-indicator-context: --break-rewrites? --find-renames? " \
    "--irreversible-delete --find-copies? --find-copies-harder --no-find-copies-harder --no-renames --rename-empty " \
    "--no-rename-empty --follow --no-follow --minimal --no-minimal --ignore-all-space --ignore-space-change "        \
    "--ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines --ignore-matching-lines: "                        \
    "--no-ignore-matching-lines --indent-heuristic --no-indent-heuristic --patience --histogram --diff-algorithm: "  \
    "--anchored: --word-diff? --word-diff-regex: --color-words? --color-moved? --no-color-moved --color-moved-ws: "  \
    "--no-color-moved-ws --relative? --no-relative --text --no-text --exit-code --no-exit-code --quiet --no-quiet "  \
    "--no-ext-diff --no-textconv --ignore-submodules? --submodule? --ita-invisible-in-index "                        \
    "--ita-visible-in-index --pickaxe-all --pickaxe-regex --rotate-to: --skip-to: --find-object: --diff-filter: "    \
    "--cached --staged --merge-base --no-index --base --ours --theirs --end-of-options"

/* Options of log, and of the commands that walk history like log: the commits, and their order. */
#define REVISIONS                                                                                                  \
    "-# -n: --max-count: --skip: --since: --after: --since-as-filter: --until: --before: --max-age: --min-age: "   \
    "--author: --committer: --grep-reflog: --grep: --all-match --invert-grep -i --regexp-ignore-case "             \
    "--basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty --merges --no-merges " \
    "--min-parents? --max-parents? --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only "  \
    "--not --all --branches? --tags? --remotes? --glob: --exclude: --exclude-hidden: --reflog --alternate-refs "   \
    "--single-worktree --ignore-missing --bisect --stdin --cherry-mark --cherry-pick --left-only --right-only "    \
    "--cherry -g --walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense "  \
    "--sparse --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse "         \
    "--no-walk? --do-walk --maximal-only --end-of-options"

/* Options for the output of commits. */
#define COMMITS                                                                                                      \
    "--pretty? --format? --abbrev-commit --no-abbrev-commit --oneline --encoding: --expand-tabs? --no-expand-tabs "  \
    "--notes? --no-notes --show-notes? --show-notes-by-default --standard-notes --no-standard-notes "                \
    "--no-show-signature --relative-date --date: --parents --children --left-right --graph --no-graph "              \
    "--graph-lane-limit: --show-linear-break? --diff-merges: --no-diff-merges -m -c --cc --dd --combined-all-paths " \
    "-r -t --root --always"

#define LOG                                                                                                        \
    "-q -L: --source --no-source --use-mailmap --mailmap --no-mailmap --no-use-mailmap --decorate? --no-decorate " \
    "--decorate-refs: --decorate-refs-exclude: --no-decorate-refs --no-decorate-refs-exclude --clear-decorations " \
    "--full-diff --log-size " REVISIONS " " COMMITS " " DIFF

#define BLAME                                                                                                       \
    "-b -f -n -p -c -t -l -s -e -w -S: -C? -M? -L: --incremental --root --show-stats --progress --no-progress "     \
    "--score-debug --show-name --show-number --porcelain --line-porcelain --show-email --ignore-rev: "              \
    "--ignore-revs-file: --no-ignore-revs-file --no-ignore-rev --color-lines --color-by-age --minimal --contents: " \
    "--abbrev? --no-abbrev --date: --encoding: --since: --first-parent --reverse --ignore-all-space "               \
    "--ignore-space-change --ignore-space-at-eol --no-textconv --diff-algorithm: --end-of-options"

/* Options by which branch and tag list, and options for the list. */
#define REFS_LISTED                                                                                                  \
    "--contains? --no-contains? --with? --without? --merged? --no-merged? --points-at? --format: --sort: --no-sort " \
    "--color? --no-color --column? --no-column --ignore-case --omit-empty"
#define REFS_LISTING "-l --list --contains --no-contains --with --without --merged --no-merged --points-at"

#define BRANCH_LISTED \
    "-v --verbose -q --quiet -a --all -r --remotes -l --list --show-current --abbrev? --no-abbrev " REFS_LISTED
/* Eight digits at most: -n-1 makes a tag, and so does a number that wraps around to -1. */
#define TAG_LISTED "-l --list -n#? " REFS_LISTED

#define CONFIG_SHOWN                                                                                          \
    "-z --null --name-only --show-names --no-show-names --includes --no-includes --show-origin --show-scope " \
    "--default: --type: --no-type -t: --bool --int --bool-or-int --bool-or-str --path --expiry-date --fixed-value"
#define CONFIG_READ                                                                              \
    "--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list -l --local " \
    "--worktree " CONFIG_SHOWN
#define CONFIG_READING "--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list -l"
#define CONFIG_GET "--all --regexp --value: --url: --local --worktree " CONFIG_SHOWN
#define CONFIG_ELSEWHERE " --global --system -f: --file: --blob:"

#define STASH_PUSH                                                                                                   \
    "-k --keep-index --no-keep-index -S --staged -q --quiet -u --include-untracked --no-include-untracked -a --all " \
    "-m: --message: --pathspec-from-file: --pathspec-file-nul"

#define READS .walks = false, .allows_unknown = true
#define WALKS .walks = true, .allows_unknown = true

const struct xylem_policy__git_form xylem_policy__git_reading[] = {
    {"diff diff-files diff-index", .options = LOG, WALKS, .what = "shows differences"},
    {"diff-tree", .options = "--no-commit-id " LOG, WALKS, .what = "shows differences"},
    {"log show whatchanged rev-list", WALKS,
     .options = "--count --use-bitmap-index --test-bitmap --timestamp --header --commit-header --no-commit-header "
                "--bisect-vars --bisect-all --disk-usage? --objects --in-commit-order --objects-edge "
                "--objects-edge-aggressive --indexed-objects --unpacked --object-names --no-object-names --filter? "
                "--no-filter --filter-provided-objects --filter-print-omitted --missing? --exclude-promisor-objects "
                "--progress? " LOG,
     .what = "shows history"},
    {"shortlog", WALKS, .options = "-n --numbered -s --summary -e --email -c --committer -w? --group: --no-group " LOG,
     .what = "sums history up"},
    {"range-diff", WALKS,
     .options = "--creation-factor: --no-dual-color --dual-color --left-only --right-only --diff-merges: --notes? "
                "--no-notes " DIFF,
     .what = "compares two ranges of commits"},
    {"blame annotate", WALKS, .options = BLAME, .what = "shows who changed each line"},
    {"status", READS,
     .options = "-v --verbose --no-verbose -s --short -b --branch --no-branch --show-stash --no-show-stash "
                "--ahead-behind --no-ahead-behind --porcelain? --long -z --null -u? --untracked-files? --ignored? "
                "--ignore-submodules? --column? --no-column --no-renames --renames -M? --find-renames?",
     .what = "shows the state of the work tree"},
    {"grep", READS,
     .options = "--cached --no-index --untracked --no-untracked --exclude-standard --no-exclude-standard "
                "--recurse-submodules --no-recurse-submodules -v --invert-match -i --ignore-case -w --word-regexp -a "
                "--text -I -r --recursive --no-recursive --max-depth: -E --extended-regexp -G --basic-regexp -F "
                "--fixed-strings -P --perl-regexp -n --line-number --column -h -H --full-name -l "
                "--files-with-matches --name-only -L --files-without-match -z --null -o --only-matching -c --count "
                "--color? --no-color --break --heading -C: --context: -B: --before-context: -A: --after-context: "
                "--threads: -# -p --show-function -W --function-context -f: -e: --and --or --not -q --quiet "
                "--all-match -m: --max-count: --no-textconv --end-of-options",
     .what = "searches"},
    {"ls-files", READS,
     .options = "-z -t -v -f -c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -k --killed "
                "--directory --no-directory --eol --empty-directory --no-empty-directory -u --unmerged --resolve-undo "
                "-x: --exclude: -X: --exclude-from: --exclude-per-directory: --exclude-standard --full-name "
                "--recurse-submodules --error-unmatch --with-tree: --abbrev? --debug --deduplicate --sparse --format:",
     .what = "lists files"},
    {"ls-tree", READS,
     .options = "-d -r -t -z -l --long --name-only --name-status --object-only --full-name --full-tree --format: "
                "--abbrev?",
     .what = "lists a tree"},
    {"merge-tree", READS,
     .options = "--write-tree --trivial-merge --messages --no-messages -z --name-only --allow-unrelated-histories "
                "--stdin --merge-base: --quiet",
     .what = "shows the result of a merge; may leave unreferenced objects"},
    {"format-patch", WALKS,
     .options = "--stdout -n --numbered -N --no-numbered -s --signoff --no-signoff --cover-letter --no-cover-letter "
                "--numbered-files --suffix: --start-number: -v: --reroll-count: --filename-max-length: --rfc? "
                "--cover-from-description: --subject-prefix: -k --keep-subject --no-binary --zero-commit "
                "--ignore-if-in-upstream --no-stat --add-header: --to: --cc: --from? --no-from --in-reply-to: "
                "--attach? --inline? --thread? --no-thread --signature: --no-signature --base: --no-base "
                "--signature-file: --quiet --progress --interdiff: --range-diff: --creation-factor: "
                "--force-in-body-from " LOG,
     .needs = "--stdout", .what = "shows commits as mails"},
    {"rev-parse", READS, .options = "*", .what = "resolves names"},
    {"cat-file", READS,
     .options = "-e -p -t -s --allow-unknown-type --use-mailmap --mailmap --no-mailmap --no-use-mailmap --batch? "
                "--batch-check? -z -Z --batch-command? --batch-all-objects --buffer --no-buffer --follow-symlinks "
                "--unordered --path:",
     .what = "shows objects"},
    {"for-each-ref", READS,
     .options = "-s --shell -p --perl --python --tcl --count: --format: --color? --sort: --no-sort --points-at: "
                "--merged? --no-merged? --contains? --no-contains? --ignore-case --omit-empty --exclude: "
                "--include-root-refs --stdin --start-after:",
     .what = "lists references"},
    {"merge-base", READS, .options = "-a --all --octopus --independent --is-ancestor --fork-point",
     .what = "finds common ancestors"},
    {"fsck", READS,
     .options = "-v --verbose --unreachable --dangling --no-dangling --tags --root --cache --reflogs --no-reflogs "
                "--full --no-full --connectivity-only --strict --progress --no-progress --name-objects "
                "--no-name-objects --references --no-references",
     .what = "checks the objects"},
    {"show-ref", READS,
     .options = "--tags --heads --branches --verify --exists --head -d --dereference -s --hash? --abbrev? -q --quiet "
                "--exclude-existing?",
     .what = "lists references"},
    {"describe", READS,
     .options = "--contains --debug --all --tags --long --first-parent --abbrev? --no-abbrev --exact-match "
                "--candidates: --match: --exclude: --always --dirty? --broken? --no-match --no-exclude",
     .what = "names a commit by a tag"},
    {"name-rev", READS,
     .options = "--name-only --tags --refs: --exclude: --all --stdin --annotate-stdin --undefined --no-undefined "
                "--always",
     .what = "names commits by references"},
    {"cherry", READS, .options = "-v --verbose --abbrev?", .what = "shows commits that are not upstream"},
    {"count-objects", READS, .options = "-v --verbose -H --human-readable", .what = "counts objects"},
    {"var", READS, .options = "-l", .what = "shows a variable"},
    {"check-ignore", READS, .options = "-q --quiet -v --verbose --stdin -z -n --non-matching --no-index --index",
     .what = "says what is ignored"},
    {"check-attr", READS, .options = "-a --all --cached --stdin -z --source:", .what = "shows attributes"},
    {"check-mailmap", READS, .options = "--stdin --mailmap-file: --mailmap-blob:", .what = "shows names"},
    {"check-ref-format", READS, .options = "*", .what = "checks a name"},
    {"patch-id", READS, .options = "--stable --unstable --verbatim", .what = "sums up a patch that it reads"},
    {"get-tar-commit-id", READS, .options = "", .what = "reads an archive"},
    {"show-branch", READS,
     .options = "-a --all -r --remotes --color? --no-color --more? --list --no-name --current --sha1-name "
                "--merge-base --independent --topo-order --topics --sparse --date-order -g? --reflog?",
     .what = "shows branches and their commits"},
    {"version", READS, .options = "--build-options", .what = "shows the version"},
    {"ls-remote", .connects = true,
     .options = "-h --heads -b --branches -t --tags --refs -q --quiet --exit-code --get-url --sort: --symref -o: "
                "--server-option:",
     .what = "asks a remote what it has"},
    {"archive", .options = "-l --list", .needs = "-l --list", .what = "lists the formats of archives"},
    {"add", .needs = "-n --dry-run",
     .options = "-n --dry-run -v --verbose -f --force -u --update -N --intent-to-add -A --all --no-all "
                "--ignore-removal --no-ignore-removal --ignore-errors --ignore-missing --sparse --pathspec-from-file: "
                "--pathspec-file-nul",
     .what = "says what would be staged"},

    {"branch", .options = "-i " BRANCH_LISTED, .frees = REFS_LISTING " --show-current", .what = "lists branches"},
    {"tag", .options = "-i " TAG_LISTED, .frees = REFS_LISTING " -n", .what = "lists tags"},
    {"apply", .needs = "--stat --numstat --summary --check",
     .options = "--stat --numstat --summary --check --exclude: --include: -p: -C: --index --cached -R --reverse -z "
                "--unidiff-zero --allow-overlap --whitespace: --ignore-space-change --ignore-whitespace "
                "--inaccurate-eof --recount --directory: --allow-empty -v --verbose -q --quiet --unsafe-paths "
                "--binary --allow-binary-replacement --no-add",
     .what = "looks at a patch"},
    {"symbolic-ref", .options = "-q --quiet --short --recurse --no-recurse", .frees = "", .operands = 1,
     .what = "shows what a reference stands for"},
    {"config", "", .not_first = "edit set unset rename-section remove-section", .options = CONFIG_READ CONFIG_ELSEWHERE,
     .frees = CONFIG_READING, .operands = 1, .operands_end = true, .what = "shows the configuration"},
    {"config", "get", .options = CONFIG_GET CONFIG_ELSEWHERE, .what = "shows the configuration"},
    {"config", "list", .options = "--local --worktree " CONFIG_SHOWN CONFIG_ELSEWHERE, .frees = "",
     .what = "shows the configuration"},
    {"stash", "list", WALKS, .options = LOG, .what = "lists what is stashed"},
    {"stash", "show", WALKS, .options = "--include-untracked --no-include-untracked --only-untracked " LOG,
     .what = "shows what is stashed"},
    {"remote", "", .options = "-v --verbose", .frees = "", .what = "lists remotes"},
    {"remote", "show", .options = "-n", .connects = true, .what = "asks a remote what it has"},
    {"remote", "get-url", .options = "--push --all", .what = "shows a remote's address"},
    {"reflog", "", WALKS, .options = LOG, .not_first = "expire delete drop write", .what = "shows the reflog"},
    {"reflog", "show", WALKS, .options = LOG, .what = "shows the reflog"},
    {"reflog", "exists list", .options = "", .what = "shows the reflog"},
    {"notes", "", .options = "--ref:", .frees = "", .what = "lists notes"},
    {"notes", "list show get-ref", .options = "", .what = "shows notes"},
    {"worktree", "list", .options = "-v --verbose --porcelain -z --expire:", .what = "lists work trees"},
    {"stripspace", READS, .options = "-s --strip-comments -c --comment-lines", .what = "cleans text"},
    {"interpret-trailers", .options = "--parse --only-trailers --only-input --unfold --no-divider", .needs = "--parse",
     .what = "shows the trailers of a message"}, /* without --parse it runs commands of the configuration */
    {"help", .options = "-a --all -g --guides -c --config --no-external-commands --no-aliases -v --verbose",
     .frees = "", .needs = "-a --all -g --guides -c --config", .what = "lists commands"},
    {"lfs", "ls-files", .connects = true,
     .options =
         "-l --long -s --size -d --debug -a --all -n --name-only -j --json --deleted -I: --include: -X: --exclude:",
     .what = "lists files"},
    {"lfs", "env version", .connects = true, .options = "", .what = "shows what is installed"},
    {"lfs", "status", .connects = true, .options = "-p --porcelain -j --json", .what = "shows files"},
    {"lfs", "track", .connects = true, .options = "-j --json", .frees = "", .what = "lists patterns"},
    {"submodule", "", .options = "-q --quiet --cached", .frees = "", .what = "shows submodules"},
    {"submodule", "status", .options = "-q --quiet --cached --recursive", .what = "shows submodules"},
    {"submodule", "summary", .options = "-q --quiet --cached --files --summary-limit: -n:", .what = "shows submodules"},
    {"bisect", "log", .options = "", .what = "shows the bisection"},
    {"bisect", "terms", .options = "--term-good --term-bad --term-old --term-new", .what = "shows the bisection"},
    {"sparse-checkout", "list", .options = "", .frees = "", .what = "lists what is checked out"},
};
const size_t xylem_policy__git_reading_count = sizeof xylem_policy__git_reading / sizeof *xylem_policy__git_reading;

const struct xylem_policy__git_form xylem_policy__git_local[] = {
    {"add",
     .options = "-n --dry-run -v --verbose -f --force -u --update --renormalize -N --intent-to-add -A --all --no-all "
                "--ignore-removal --no-ignore-removal --refresh --ignore-errors --ignore-missing --sparse --chmod: "
                "--pathspec-from-file: --pathspec-file-nul",
     .what = "stages files"},
    {"branch",
     .options = "-t --track? --no-track -u: --set-upstream-to: --unset-upstream -d --delete -D -m --move -M -c --copy "
                "-C --create-reflog -f --force " BRANCH_LISTED,
     .what = "makes, renames and deletes local branches"},
    {"tag", .asks_editor = true,
     .options = "-d --delete -a --annotate -m: --message: -F: --file: --cleanup: -f --force --create-reflog "
                "--trailer: --no-sign " TAG_LISTED,
     .what = "makes and deletes local tags"},
    {"config", "", .not_first = "edit set unset rename-section remove-section",
     .options = "--add --replace-all --unset --unset-all --remove-section --append --comment: " CONFIG_READ,
     .frees = CONFIG_READING, .operands = 1, .operands_end = true,
     .sets = "--add --replace-all --unset --unset-all --remove-section --append",
     .what = "shows and sets local keys that are data"},
    {"config", "get", .options = CONFIG_GET, .what = "shows the configuration"},
    {"config", "list", .options = "--local --worktree " CONFIG_SHOWN, .frees = "", .what = "shows the configuration"},
    {"config", "set", .options = "--all --append --comment: --value: --local --worktree " CONFIG_SHOWN,
     .operands_end = true, .sets = "*", .what = "sets a local key that is data"},
    {"config", "unset remove-section", .options = "--all --value: --local --worktree --fixed-value",
     .operands_end = true, .sets = "*", .what = "removes a local key that is data"},
    {"stash", "", .options = STASH_PUSH, .frees = "", .what = "stashes changes"},
    {"stash", "push save", .options = STASH_PUSH, .what = "stashes changes"},
    {"stash", "pop apply", .options = "--index -q --quiet", .what = "takes stashed changes back"},
    {"stash", "drop clear create store", .options = "-q --quiet -m: --message:", .what = "changes what is stashed"},
    {"stash", "list", WALKS, .options = LOG, .what = "lists what is stashed"},
    {"stash", "show", WALKS, .options = "--include-untracked --no-include-untracked --only-untracked " LOG,
     .what = "shows what is stashed"},
    {"remote", "", .options = "-v --verbose", .frees = "", .what = "lists remotes"},
    {"remote", "add", .options = "--tags --no-tags -t: --track: -m: --master: --mirror?", .what = "adds a remote"},
    {"remote", "rename remove rm get-url set-branches set-url",
     .options = "--progress --no-progress --push --all --add --delete", .what = "changes a remote's definition"},
    {"remote", "set-head", .options = "-d --delete", .what = "changes a remote's default branch"},
};
const size_t xylem_policy__git_local_count = sizeof xylem_policy__git_local / sizeof *xylem_policy__git_local;

#define STRICT_SUBCOMMANDS                                                                                             \
    "interpret-trailers stripspace annotate archive bisect blame branch cat-file check-attr check-ignore "             \
    "check-mailmap check-ref-format cherry "                                                                           \
    "config count-objects describe diff diff-files diff-index diff-tree for-each-ref fsck get-tar-commit-id grep log " \
    "ls-files ls-tree merge-base name-rev notes patch-id range-diff reflog remote rev-list rev-parse shortlog show "   \
    "show-branch show-ref sparse-checkout stash status symbolic-ref tag var version worktree"

const char xylem_policy__git_strict_subcommands[] = STRICT_SUBCOMMANDS;
const char xylem_policy__git_plain_subcommands[] =
    "interpret-trailers stripspace interpret-trailers stripspace format-patch " STRICT_SUBCOMMANDS;

const char xylem_policy__git_options[] =
    "-C: --git-dir: --work-tree: --namespace: -P --no-pager --bare --no-replace-objects --no-optional-locks "
    "--no-lazy-fetch --no-advice --literal-pathspecs --no-literal-pathspecs --glob-pathspecs --noglob-pathspecs "
    "--icase-pathspecs";

const char xylem_policy__git_texts[] =
    "--author --committer --grep --grep-reflog --since --since-as-filter --until --after --before --max-count -n "
    "--skip "
    "--max-age --min-age --date -S -G --pickaxe-regex --find-object --glob --exclude --branches --tags --remotes";

const char xylem_policy__git_valued_options[] =
    "-C: -c: --git-dir: --work-tree: --namespace: --config-env: --super-prefix: --attr-source: --exec-path? "
    "--list-cmds? -P -p --paginate --no-pager --bare --no-replace-objects --no-optional-locks --no-lazy-fetch "
    "--no-advice --literal-pathspecs --no-literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs "
    "--html-path --man-path --info-path";

const char xylem_policy__git_hatches[] =
    "--output --output-directory --no-stdout --ext-diff --textconv --filters --show-signature --open-files-in-pager "
    "--lost-found --remerge-diff --exec --remote --upload-pack --receive-pack --help --edit --interactive "
    "--ext-grep --paginate --in-place --exec-path";

const char xylem_policy__git_elsewhere[] =
    "--submodule --recurse-submodules --show-superproject-working-tree --alternate-refs";
const char xylem_policy__git_elsewhere_subcommands[] = "ls-remote merge-tree";

const char xylem_policy__git_formats[] = "--format --pretty --group --sort --batch --batch-check --batch-command";

const char xylem_policy__git_writing[] =
    "am archimport backfill bundle checkout checkout-index checkout--worker cherry-pick citool clean clone commit "
    "commit-graph commit-tree credential credential-cache credential-store cvsexportcommit cvsimport cvsserver daemon "
    "difftool fast-export fast-import fetch fetch-pack filter-branch for-each-repo gc gui hash-object hook http-fetch "
    "http-push imap-send index-pack init init-db instaweb maintenance merge merge-file merge-index "
    "merge-octopus merge-one-file merge-ours merge-recursive merge-resolve merge-subtree mergetool mktag mktree "
    "multi-pack-index mv p4 pack-objects pack-redundant pack-refs prune prune-packed pull push quiltimport read-tree "
    "rebase receive-pack refs remote-ext remote-fd repack replace replay request-pull rerere reset restore revert rm "
    "send-email send-pack shell sh-i18n split-index stage submodule--helper subtree svn switch unpack-file "
    "unpack-objects update-index update-ref update-server-info upload-archive upload-pack web--browse write-tree";

const char xylem_policy__git_harmless_keys[] =
    "user.name user.email user.signingkey user.useconfigonly author.name author.email committer.name committer.email "
    "advice.* color.* column.* branch.*.remote branch.*.merge branch.*.rebase branch.*.pushremote branch.*.description "
    "branch.autosetupmerge branch.autosetuprebase core.abbrev core.autocrlf core.bigfilethreshold core.checkstat "
    "core.commentchar core.compression core.deltabasecachelimit core.eol core.filemode core.ignorecase core.ignorestat "
    "core.logallrefupdates core.loosecompression core.maxtreedepth core.precomposeunicode core.preloadindex "
    "core.quotepath core.safecrlf core.sharedrepository core.sparsecheckout core.sparsecheckoutcone core.splitindex "
    "core.symlinks core.trustctime core.untrackedcache core.warnambiguousrefs core.whitespace core.longpaths "
    "apply.ignorewhitespace apply.whitespace blame.* commit.cleanup commit.status commit.verbose clean.requireforce "
    "diff.algorithm diff.autorefreshindex diff.colormoved diff.colormovedws diff.context diff.dirstat "
    "diff.ignoresubmodules diff.indentheuristic diff.interhunkcontext diff.mnemonicprefix diff.noprefix diff.relative "
    "diff.renamelimit diff.renames diff.statgraphwidth diff.suppressblankempty diff.wordregex diff.wserrorhighlight "
    "diff.*.binary diff.*.wordregex diff.*.xfuncname fetch.all fetch.output fetch.parallel fetch.prune fetch.prunetags "
    "fetch.recursesubmodules fetch.showforcedupdates fetch.writecommitgraph format.attach format.cc format.coverletter "
    "format.encodeemailheaders format.from format.headers format.notes format.numbered format.signature format.signoff "
    "format.subjectprefix format.suffix format.thread format.to gc.auto gc.autodetach gc.autopacklimit grep.column "
    "grep.extendedregexp grep.fullname grep.linenumber grep.patterntype grep.threads i18n.commitencoding "
    "i18n.logoutputencoding index.skiphash index.threads index.version init.defaultbranch log.abbrevcommit log.date "
    "log.decorate log.excludedecoration log.follow log.graphcolors log.initialdecorationset log.mailmap log.showroot "
    "mailmap.blob mailmap.file merge.branchdesc merge.conflictstyle merge.ff merge.log merge.renamelimit merge.renames "
    "merge.stat merge.suppressdest merge.autostash merge.directoryrenames notes.displayref notes.mergestrategy "
    "notes.rewritemode notes.rewriteref pack.compression pack.depth pack.threads pack.window pack.windowmemory pull.ff "
    "pull.rebase push.autosetupremote push.default push.followtags push.recursesubmodules push.useforceifincludes "
    "rebase.abbreviatecommands rebase.autosquash rebase.autostash rebase.missingcommitscheck rebase.rebasemerges "
    "rebase.stat rebase.updaterefs remote.pushdefault remote.*.url remote.*.pushurl remote.*.fetch remote.*.push "
    "remote.*.mirror remote.*.prune remote.*.prunetags remote.*.skipdefaultupdate remote.*.skipfetchall "
    "remote.*.tagopt rerere.autoupdate rerere.enabled showbranch.default splitindex.maxpercentchange "
    "splitindex.sharedindexexpire stash.showincludeuntracked stash.showpatch stash.showstat status.aheadbehind "
    "status.branch status.displaycommentprefix status.relativepaths status.renamelimit status.renames status.short "
    "status.showstash status.showuntrackedfiles submodule.*.active submodule.*.branch submodule.*.ignore "
    "submodule.*.url submodule.active versionsort.suffix worktree.guessremote";
