/* Lists the programs that the confirm policy asks about. All others pass. */
#include "policy/words/tables.h"

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

#define GIT_REMOTE "--upload-pack: --receive-pack: --exec: -u: -o:"
#define TAR_CODE                                                                              \
    "-F -I --checkpoint-action --info-script --new-volume-script --rsh-command --to-command " \
    "--use-compress-program"

const struct xylem_policy__code_row xylem_policy__confirm_code[] = {
    {"su runuser", NULL,
     "-c: --command: -C: --session-command: -f --fast -g: --group: -G: --supp-group: -l --login -m -p "
     "--preserve-environment -P --pty -s: --shell: -T --no-pty -u: --user: -w: --whitelist-environment:",
     "-c --command -C --session-command", "a shell of another user runs the code"},
    {"tar bsdtar", NULL,
     "-x -c -t -r -u -A -d -v -z -j -J -Z -a -k -O -p -P -h -m -w -S -f: -C: -T: -X: -b: -g: -L: -N: -K: -V: -H: -F: "
     "-I: "
     "--checkpoint-action: --checkpoint? --info-script: --new-volume-script: --rsh-command: --to-command: "
     "--use-compress-program:",
     TAR_CODE, "tar runs the code; of --checkpoint-action, what stands behind exec="},
    {"rsync", NULL,
     "-a -v -z -r -h -P -n -u -l -p -t -g -o -D -H -A -X -x -S -W -c -i -q -R -L -k -K -C -0 -4 -6 -e: --rsh: "
     "--rsync-path:",
     "-e --rsh --rsync-path", "rsync runs the code here or there"},
    {"scp sftp", NULL,
     "-r -p -q -v -C -3 -4 -6 -T -O -A -B -a -f -N -b: -c: -D: -F: -i: -J: -l: -o: -P: -R: -S: -s: -X:", "-o -S",
     "the settings ProxyCommand and the like, and the program for the connection"},
    {"split", NULL, "-a: -b: -C: -d -e -l: -n: -t: -u -x --filter: --additional-suffix: --verbose", "--filter",
     "split runs the code for each part"},
    {"git", "rebase", "-x: --exec: -f -i -k -m -n -q -r -v -C: -s: -S? -X:", "-x --exec",
     "git runs the code behind each commit"},
    {"git", "filter-branch",
     "-d: -f --setup: --commit-filter: --env-filter: --index-filter: --msg-filter: --original: --parent-filter: "
     "--subdirectory-filter: --tag-name-filter: --tree-filter:",
     "--setup --commit-filter --env-filter --index-filter --msg-filter --parent-filter --tag-name-filter --tree-filter",
     "git runs the code for each commit"},
    {"git", "difftool", "-d -g -y -t: -x: --extcmd:", "-x --extcmd", "git runs the code for each file"},
    {"git", "grep", "-O? --open-files-in-pager?", "-O --open-files-in-pager", "git runs the code with the files"},
    {"git", "archive clone fetch fetch-pack ls-remote pull", GIT_REMOTE, "--upload-pack --exec -u",
     "git runs the code here or there"},
    {"git", "push send-pack", GIT_REMOTE, "--receive-pack --exec", "git runs the code here or there"},
    {NULL, NULL, NULL, NULL, NULL},
};
