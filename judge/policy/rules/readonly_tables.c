/* Lists the programs that the readonly policy refuses. All others pass. */
#include "judge/policy/words/tables.h"

const struct xylem_policy__table_row xylem_policy__readonly_programs[] = {
    {"rm rmdir unlink rimraf del-cli trash trash-cli trash-put gtrash", "file-mutation", "removes files"},
    {"mv rename prename file-rename mmv move-cli rename-cli", "file-mutation", "moves files"},
    {"cp install rsync scp sftp cpy cpy-cli copyfiles degit tiged giget", "file-mutation", "copies to files"},
    {"ln link", "file-mutation", "makes links"},
    {"mkdir mkfifo mknod mktemp mkdirp make-dir make-dir-cli", "file-mutation", "makes files or directories"},
    {"touch touch-cli", "file-mutation", "makes files, and changes their times"},
    {"chmod chown chgrp chattr setfacl setfattr chcon restorecon setcap", "file-mutation",
     "changes permissions or owners of files"},
    {"tee sponge", "file-mutation", "writes its input to files"},
    {"patch", "file-mutation", "changes files"},
    {"create-react-app create-next-app create-vite create-vue", "file-mutation", "makes a directory of files"},
    {"xbps-install xbps-remove ssh-copy-id", "package-manager", "changes installed packages"},
    {"split csplit", "file-mutation", "writes its input to files"},
    {"phpcbf pyupgrade astyle optipng jpegoptim mogrify", "file-mutation", "changes files in place"},
    {"insmod rmmod modprobe depmod renice", "process", "changes how the system runs"},
    {"dd ddrescue fallocate truncate", "file-mutation", "writes, cuts or fills files"},
    {"shred wipe srm scrub", "file-mutation", "overwrites files"},
    {"mkfs mkfs.* mke2fs mkswap mkdosfs wipefs", "file-mutation", "overwrites a device with a file system"},
    {"umount swapoff losetup partprobe cfdisk gdisk sgdisk cryptsetup tune2fs resize2fs", "file-mutation",
     "changes devices or mounts"},
    {"sudo sudoedit su doas pkexec run0 runuser gosu su-exec visudo vipw vigr", "privilege",
     "runs with another user's rights"},
    {"useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup delgroup chpasswd chgpasswd newusers "
     "chsh chfn pwconv pwunconv grpconv grpunconv gpasswd newgrp sg",
     "privilege", "changes accounts"},
    {"pkill killall killall5 xkill skill kill-port kill-port-process fkill fkill-cli tree-kill", "process",
     "ends or signals processes"},
    {"shutdown reboot poweroff halt telinit", "process", "ends all processes"},
    {"vi vim vim.* nvim view vimdiff nvimdiff rvim rview evim eview gvim gview gvimdiff nvi vis neovide", "editor",
     "is an editor"},
    {"nano rnano pico emacs emacs-* emacsclient emacsclient.* xemacs mg jmacs zile ed red ex micro helix hx kak joe "
     "jpico jstar jed mcedit editor sensible-editor select-editor",
     "editor", "is an editor"},
    {"code code-insiders code-server codium vscodium cursor windsurf zed zeditor subl sublime_text atom gedit "
     "gnome-text-editor kate kwrite mousepad leafpad pluma xed geany bbedit textmate idea pycharm webstorm goland "
     "clion phpstorm rubymine",
     "editor", "is an editor"},
    {"add-apt-repository apt-add-repository apt-key unattended-upgrade unattended-upgrades dpkg-reconfigure "
     "nix-collect-garbage ensurepip easy_install cpan cpanm cpanminus softwareupdate pkg_add pkg_delete",
     "package-manager", "changes installed packages"},
    {"git-*", "git", "is a git subcommand under its own name, and is not judged"},
    {NULL, NULL, NULL},
};

const struct xylem_policy__table_row xylem_policy__harmless_targets[] = {
    {"/dev/null", "redirection", "keeps nothing"},
    {NULL, NULL, NULL},
};

const struct xylem_policy__table_row xylem_policy__refused_variables[] = {
    {"GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_KEY_* GIT_CONFIG_VALUE_* "
     "GIT_CONFIG_PARAMETERS",
     "environment", "sets git's configuration, which names programs"},
    {"GIT_ALLOW_PROTOCOL GIT_PROTOCOL_FROM_USER", "environment", "lets git run programs that an address names"},
    {"GIT_TRACE*", "environment", "makes git write a file"},
    {"GIT_EXEC_PATH", "environment", "names the directory of git's programs"},
    {"GIT_INDEX_FILE", "environment", "names a file that git writes"},
    {"PERL5OPT PERL5DB PYTHONSTARTUP JQ_LIBRARY_PATH ZIPOPT UNZIPOPT TAPE", "environment",
     "names code, or options that write"},
    {"HISTFILE", "environment", "names the file that HISTFILESIZE cuts at once"},
    {NULL, NULL, NULL},
};

const struct xylem_policy__value_row xylem_policy__refused_values[] = {
    {"PAGER *_PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL FCEDIT *_EDITOR BROWSER *_BROWSER GIT_EXTERNAL_DIFF "
     "GIT_SSH "
     "GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS GIT_PROXY_COMMAND SVN_SSH CVS_RSH RSYNC_RSH RUSTC RUSTDOC RUSTC_WRAPPER "
     "RUSTC_WORKSPACE_WRAPPER "
     "CARGO_BUILD_RUSTC*",
     "./ ~/ /tmp/ /home/ /Users/ /dev/ /proc/", "names a program of one's own, which another program runs"},
    {"NODE_OPTIONS", "-r --require --import --loader", "makes node load code"},
    {"RUBYOPT", "-r", "makes ruby load code"},
    {"GOFLAGS", "exec", "makes go run a program"},
    {"LESS MORE", "+", "makes the pager run commands when it starts"},
    {NULL, NULL, NULL},
};

const struct xylem_policy__table_row xylem_policy__command_variables[] = {
    {"GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS GIT_PROXY_COMMAND",
     "environment", "makes git run a program"},
    {"PAGER MANPAGER GH_PAGER GLAB_PAGER LESSOPEN LESSCLOSE", "environment", "makes pagers run a program"},
    {"EDITOR VISUAL FCEDIT GH_EDITOR SVN_EDITOR", "environment", "is run by programs that edit"},
    {"BROWSER GH_BROWSER SVN_SSH CVS_RSH RSYNC_RSH", "environment", "is run by programs that connect or show a page"},
    {"BASH_CMDS BASH_ALIASES", "environment", "decides what the shell runs under a name"},
    {"PROMPT_COMMAND PS0 PS1 PS2 PS4", "environment", "is expanded by the shell, with its substitutions"},
    {"BASH_ENV ENV", "environment", "names a file that a shell runs when it starts"},
    {NULL, NULL, NULL},
};

const struct xylem_policy__writer_row xylem_policy__temp_writers[] = {
    {"tee", "-a --append -i --ignore-interrupts -p", "copies its input to the named files"},
    {"touch",
     "-a -m -c --no-create -h --no-dereference -d: --date: -r: --reference: -t: --time:", "creates the named files"},
    {"mkdir", "-p --parents -m: --mode: -v --verbose", "creates the named directories"},
    {NULL, NULL, NULL},
};

const struct xylem_policy__table_row xylem_policy__readonly_modules = {"ensurepip easy_install", "package-manager",
                                                                       "changes installed packages"};
