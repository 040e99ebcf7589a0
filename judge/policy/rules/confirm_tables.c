/* Lists the programs that the confirm policy asks about. All others pass. */
#include "judge/policy/git/tables.h"
#include "judge/policy/words/tables.h"

const struct xylem_policy__table_row xylem_policy__confirm_patterns[] = {
    {"rm", "recursive-rm", "with -r, -R or --recursive removes whole trees"},
    {"sudo", "sudo", "runs with another user's rights"},
    {"chmod chown", "mode-777", "with 777 lets everybody write"},
    {"dd", "dd", "with if= or of= may overwrite files or devices"},
    {"mkfs mkfs.*", "mkfs", "overwrites a device with a file system"},
    {"git", "force-push", "push with -f, --force, --force-with-lease or +ref overwrites the history of a remote"},
    {"tee", "device-write", "writes to a device"},
    {"truncate", "truncate-to-zero", "with a size of 0 empties files"},
    {NULL, NULL, NULL},
};

const struct xylem_policy__table_row xylem_policy__confirm_devices[] = {
    {"null", "device-write", "keeps nothing"},
    {"stdout stderr tty fd/*", "device-write", "is open already, or is the terminal"},
    {NULL, NULL, NULL},
};

const struct xylem_policy__code_row xylem_policy__confirm_code[] = {
    {.names = "su runuser sg",
     .code = "-c: --command: -C: --session-command:",
     .options = "-f --fast -g: --group: -G: --supp-group: -l --login -m -p --preserve-environment -P --pty -s: "
                "--shell: -T --no-pty -u: --user: -w: --whitelist-environment:",
     .what = "a shell of another user runs the code"},
    {.names = "tar bsdtar",
     .code = "-F: -I: --checkpoint-action: --info-script: --new-volume-script: --rsh-command: --to-command: "
             "--use-compress-program:",
     .options = "-x -c -t -r -u -A -d -v -z -j -J -Z -a -k -O -p -P -h -m -w -S -f: -C: -T: -X: -b: -g: -L: -N: -K: "
                "-V: -H: --checkpoint?",
     .what = "tar runs the code; of --checkpoint-action, what stands behind exec="},
    {.names = "rsync",
     .code = "-e: --rsh: --rsync-path:",
     .options = "-a -v -z -r -h -P -n -u -l -p -t -g -o -D -H -A -X -x -S -W -c -i -q -R -L -k -K -C -0 -4 -6",
     .what = "rsync runs the code here or there"},
    {.names = "scp sftp",
     .code = "-S:",
     .settings = "-o:",
     .options = "-r -p -q -v -C -3 -4 -6 -T -O -A -B -a -f -N -b: -c: -D: -F: -i: -J: -l: -P: -R: -s: -X:",
     .what = "the settings ProxyCommand and the like, and the program for the connection"},
    {.names = "split",
     .code = "--filter:",
     .options = "-a: -b: -C: -d -e -l: -n: -t: -u -x --additional-suffix: --verbose",
     .what = "split runs the code for each part"},
    {.names = "git",
     .settings = "-c:",
     .options = xylem_policy__git_valued_options,
     .what = "git runs the code of an alias, a pager and the like"},
    {.names = "git",
     .verbs = "rebase",
     .code = "-x: --exec:",
     .options = "-f -i -k -m -n -q -r -v -C: -s: -S? -X:",
     .what = "git runs the code behind each commit"},
    {.names = "git",
     .verbs = "filter-branch",
     .code = "--setup: --commit-filter: --env-filter: --index-filter: --msg-filter: --parent-filter: "
             "--tag-name-filter: --tree-filter:",
     .options = "-d: -f --original: --subdirectory-filter:",
     .what = "git runs the code for each commit"},
    {.names = "git",
     .verbs = "difftool",
     .code = "-x: --extcmd:",
     .options = "-d -g -y -t:",
     .what = "git runs the code for each file"},
    {.names = "git", .verbs = "grep", .code = "-O? --open-files-in-pager?", .what = "git runs the code with the files"},
    {.names = "git",
     .verbs = "archive clone fetch fetch-pack ls-remote pull",
     .code = "--upload-pack: --exec: -u:",
     .settings = "-c: --config:",
     .options = "--receive-pack: -o:",
     .what = "git runs the code here or there"},
    {.names = "git",
     .verbs = "push send-pack",
     .code = "--receive-pack: --exec:",
     .options = "--upload-pack: -u: -o:",
     .what = "git runs the code here or there"},
    {.names = NULL},
};
