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
    {"insmod rmmod modprobe depmod ldconfig renice", "process", "changes how the system runs"},
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
     "nix-collect-garbage nix-channel ensurepip easy_install cpan cpanm cpanminus softwareupdate pkg_add pkg_delete",
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
    {"HISTFILE", "environment", "names the file that HISTFILESIZE cuts at once"},
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

#define NODE_OPTIONS                                                                                                 \
    "-g --global -D -S -E -O -P -B -s -q -d -dd -ddd --silent --quiet --verbose --json --long --parseable --yes -y " \
    "--force -f --prefix: -C: --dir: --cwd: --registry: --userconfig: --cache: --loglevel: --workspace: -w: "        \
    "--workspaces --filter: -F: -r --recursive --offline --prefer-offline --no-audit --no-fund --ignore-scripts "    \
    "--include: --omit: --production --dry-run --version -v --help -h"
#define PYTHON_OPTIONS "-q --quiet -v --verbose -n --no-interaction --no-cache --offline --directory: --project: "

const struct xylem_policy__verb_row xylem_policy__readonly_verbs[] = {
    {.names = "npm cnpm",
     .options = NODE_OPTIONS " --call: -c:",
     .refused = "i in ins inst* isnt* add a ci ic clean-install* install-clean isntall-clean install* it cit sit un "
                "unin* unlink uninst* remove rm r up upd* upg* udpate dedu* ddp prune publ* unpub* link ln rebuild rb "
                "init create innit version/* deprecate undeprecate dist-tag/add dist-tag/rm dist-tags/add dist-tags/rm "
                "shrinkwrap audit/fix pkg/set pkg/delete pkg/fix config/set config/delete config/edit config/fix "
                "c/set c/delete c/edit set edit cache/clean cache/add cache/rm owner/add owner/rm access/set "
                "access/grant access/revoke token/create token/revoke team/* adduser add-user login logout star "
                "unstar hook/* org/set org/rm profile/set profile/enable-2fa profile/disable-2fa approve-scripts "
                "deny-scripts trust/github trust/gitlab trust/revoke",
     .runs = "exec x explore/*",
     .code = "-c --call",
     .packages = true,
     .does = {"package-manager", "changes packages"}},
    {.names = "pnpm",
     .options = NODE_OPTIONS " --shell-mode -c",
     .refused = "i in inst* add ci install-test it up upd* upgrade remove rm uninstall un unin* link ln unlink dedupe "
                "prune publish import rebuild rb fetch patch patch-commit patch-remove init create deploy setup env/* "
                "self-update store/prune store/add config/set config/delete c/set c/delete cache/delete version/*",
     .runs = "exec dlx",
     .packages = true,
     .own_commands = true,
     .does = {"package-manager", "changes packages"}},
    {.names = "yarn yarnpkg",
     .options = NODE_OPTIONS " --immutable --frozen-lockfile --check-cache --mode: --non-interactive --top-level -T -W "
                             "-A --all --exclude: --from: --since -p --parallel -i --interlaced -t -j: --jobs:",
     .refused = "install add remove up upgrade upgrade-interactive update link unlink dedupe prune publish npm/publish "
                "npm/login npm/logout npm/tag/add npm/tag/remove import init create rebuild unplug patch patch-commit "
                "version/* set/* self-update autoclean cache/clean policies/* plugin/import plugin/remove "
                "config/set config/unset config/delete owner/add owner/remove tag/add tag/remove login logout "
                "global/add global/remove global/upgrade workspace/*/add workspace/*/remove workspace/*/install "
                "workspace/*/up workspace/*/upgrade workspaces/foreach/add workspaces/foreach/remove "
                "workspaces/foreach/up workspaces/foreach/install workspaces/focus generate-lock-entry",
     .runs = "exec dlx run",
     .alone = "--version -v --help -h",
     .packages = true,
     .own_commands = true,
     .does = {"package-manager", "changes packages"}},
    {.names = "bun",
     .options = NODE_OPTIONS " --watch --hot --smol -b --bun -i -p: --print: -e: --eval: -r: --preload: --config: -c: "
                             "--env-file: --cwd:",
     .refused = "install i add a remove rm uninstall update upgrade link unlink publish prune patch patch-commit init "
                "create c pm/cache/rm pm/trust pm/migrate",
     .runs = "x",
     .packages = true,
     .does = {"package-manager", "changes packages"}},
    {.names = "npx bunx pnpx",
     .options = "-y --yes --no -q --quiet --silent -p: --package: -c: --call: -w: --workspace: --workspaces --bun "
                "--ignore-existing --no-install --version -v --help -h --prefix: --registry:",
     .runs = ".",
     .code = "-c --call",
     .packages = true,
     .does = {"package-manager", "runs a package's program"}},
    {.names = "script",
     .options = "-a --append -c: --command: -E: --echo: -e --return -f --flush --force -I: --log-in: -B: --log-io: -O: "
                "--log-out: -T: --log-timing: -m: --logging-format: -o: --output-limit: -q --quiet -h --help -V "
                "--version",
     .runs = "*",
     .code = "-c --command",
     .does = {"wrapper", "runs a command at a terminal of its own"}},
    {.names = "corepack",
     .options = "-h --help --version -v",
     .refused = "enable disable install prepare pack up use cache/clean cache/clear",
     .runs = ".",
     .does = {"package-manager", "changes packages"}},
    {.names = "pip pip2 pip3 pip3.* pip2.*",
     .options =
         "-q --quiet -v --verbose --isolated --require-virtualenv --python: --log: --no-input --keyring-provider: "
         "--proxy: --retries: --timeout: --exists-action: --trusted-host: --cert: --client-cert: --cache-dir: "
         "--no-cache-dir --disable-pip-version-check --no-color --debug -V --version -h --help",
     .refused = "install uninstall download wheel lock config/set config/unset config/edit cache/purge cache/remove",
     .does = {"package-manager", "changes packages"}},
    {.names = "python python2 python3 python2.* python3.* pypy pypy3",
     .options = "-b -bb -B -d -E -i -I -O -OO -P -q -s -S -u -v -V -W: -x -X: -c: -m: -h --help --version "
                "--check-hash-based-pycs:",
     .modules = "-m",
     .does = {"package-manager", "runs a module, which may be a package manager"}},
    {.names = "pipx",
     .options = "-q --quiet -v --verbose --global -h --help --version --spec: --python: --pip-args: --no-cache",
     .refused = "install install-all inject uninject uninstall uninstall-all upgrade upgrade-all upgrade-shared "
                "reinstall reinstall-all pin unpin ensurepath interpreter/prune interpreter/upgrade",
     .runs = "run",
     .packages = true,
     .does = {"package-manager", "changes packages"}},
    {.names = "uv",
     .options =
         PYTHON_OPTIONS "--with: --extra: --group: --python: -p: --isolated --frozen --locked --no-sync "
                        "--all-extras --dev --no-dev --package: --env-file: --config-file: --cache-dir: --color: "
                        "-V --version -h --help -m --module -s --script",
     .refused = "add remove sync lock venv init publish version/* pip/install pip/uninstall pip/sync tool/install "
                "tool/uninstall tool/upgrade tool/update-shell python/install python/uninstall python/upgrade "
                "python/pin self/update cache/clean cache/prune auth/login auth/logout",
     .runs = "run tool/run",
     .does = {"package-manager", "changes packages"}},
    {.names = "uvx",
     .options = PYTHON_OPTIONS "--with: --from: --python: -p: --isolated -V --version -h --help",
     .runs = ".",
     .packages = true,
     .does = {"package-manager", "runs a package's program"}},
    {.names = "poetry pdm rye hatch pipenv",
     .options = PYTHON_OPTIONS "-C: -P: -p: --env: -e: --ansi --no-ansi -V --version -h --help -vv -vvv",
     .refused =
         "add remove install uninstall update upgrade lock sync init new publish use fix clean config/set import "
         "version/* self/* env/use env/remove env/create env/prune cache/clear venv/create venv/remove "
         "plugin/add plugin/remove toolchain/fetch toolchain/remove tools/install tools/uninstall pin fetch",
     .runs = "run",
     .does = {"package-manager", "changes packages"}},
    {.names = "conda mamba micromamba",
     .options = "-n: --name: -p: --prefix: -r: --root-prefix: --no-capture-output --live-stream --cwd: -v --verbose -q "
                "--quiet -y --yes --json -V --version -h --help -a --attach: -e: --env:",
     .refused = "install remove uninstall update upgrade create clean rename init env/create env/remove env/update "
                "self-update build",
     .runs = "run",
     .does = {"package-manager", "changes packages"}},
    {.names = "cargo",
     .options = "-v --verbose -vv -q --quiet --offline --frozen --locked --color: --config: -Z: -C: --manifest-path: "
                "--list -V --version -h --help",
     .refused = "install uninstall add remove rm update publish yank owner login logout init new vendor "
                "generate-lockfile clean binstall",
     .rewrites = "fix fmt",
     .unless = "--check",
     .with = "--fix",
     .does = {"package-manager", "changes packages"}},
    {.names = "rustup",
     .options = "-v --verbose -q --quiet -V --version -h --help",
     .refused = "install uninstall update upgrade default init self/* toolchain/install toolchain/uninstall "
                "toolchain/link toolchain/add toolchain/remove toolchain/update target/add target/install "
                "target/remove target/uninstall component/add component/remove override/set override/unset "
                "override/add override/remove set/*",
     .runs = "run/*",
     .does = {"package-manager", "changes toolchains"}},
    {.names = "gem",
     .options = "-v -V --verbose -q --quiet --silent --config-file: --backtrace --debug --norc --version -h --help",
     .refused =
         "i inst* uninst* uni* update upd* cleanup cle* push yank pristine pri* install fetch unpack owner sign* "
         "rdoc cert",
     .runs = "exec",
     .does = {"package-manager", "changes packages"}},
    {.names = "bundle bundler",
     .options = "--verbose -V --no-color --retry: -r: --gemfile: --path: --jobs: -j: --quiet --local --deployment "
                "--version -v --help -h",
     .refused =
         "i inst* install update upd* add remove clean lock init inject binstubs package pack cache pristine gem "
         "plugin/install plugin/uninstall config/set config/unset config/*/*",
     .runs = "exec e ex exe",
     .alone = "--version -v --help -h",
     .does = {"package-manager", "changes packages"}},
    {.names = "go",
     .options = "-C:",
     .refused = "get install mod/tidy mod/download mod/init mod/vendor mod/edit work/init work/use work/edit work/sync "
                "work/vendor clean telemetry/on telemetry/off",
     .rewrites = "fix fmt",
     .does = {"package-manager", "changes packages"}},
    {.names = "composer",
     .options = "-q --quiet -v -vv -vvv --verbose -n --no-interaction --profile --no-plugins --no-scripts -d: "
                "--working-dir: --no-cache --ansi --no-ansi -V --version -h --help",
     .refused = "install i update u upgrade require r remove rm uninstall reinstall init create-project bump "
                "self-update selfupdate clear-cache clearcache cc dump-autoload dumpautoload archive config/*/* "
                "global/require global/install global/update global/remove",
     .does = {"package-manager", "changes packages"}},
    {.names = "brew",
     .options = "-q --quiet -v --verbose -d --debug --cask --casks --formula --formulae -h --help --version",
     .refused =
         "install reinstall uninstall remove rm upgrade update up update-reset link ln unlink cleanup autoremove "
         "tap/* untap pin unpin tap-new create edit extract migrate postinstall bundle developer services/start "
         "services/stop services/restart services/run services/kill services/cleanup analytics/on analytics/off",
     .does = {"package-manager", "changes packages"}},
    {.names = "port",
     .options = "-v -d -q -n -R -u -f -o -s -b -c -k -N -D: -F: -p -t -y",
     .refused = "install uninstall upgrade selfupdate sync clean activate deactivate reclaim setrequested "
                "unsetrequested select load unload reload migrate snapshot restore edit ed",
     .does = {"package-manager", "changes packages"}},
    {.names = "apt apt-get aptitude apt-mark nala",
     .options = "-y --yes --assume-yes -q -qq --quiet -s --simulate --dry-run -d --download-only -f --fix-broken -m "
                "--no-install-recommends --reinstall --allow-downgrades --allow-unauthenticated --force-yes -o: "
                "--option: -c: --config-file: -t: --target-release: --default-release: -a: -u -V -b --only-upgrade "
                "--no-upgrade --purge --auto-remove -F: -w: -v --version -h --help",
     .refused = "install reinstall remove purge update upgrade full-upgrade dist-upgrade safe-upgrade dselect-upgrade "
                "autoremove autopurge auto-remove autoclean auto-clean clean build-dep satisfy edit-sources source "
                "download markauto unmarkauto hold unhold keep forbid-version forget-new auto manual minimize-manual "
                "add-user-tag fetch history/undo history/redo history/clear modernize-sources",
     .does = {"package-manager", "changes packages"}},
    {.names = "dnf dnf5 yum microdnf zypper tdnf",
     .options = "-y --assumeyes --assumeno -q --quiet -v --verbose -n --non-interactive -C --cacheonly --refresh "
                "--installroot: --releasever: -x: --exclude: --enablerepo: --disablerepo: --repo: --repoid: -c: "
                "--config: --setopt: --root: -R: --gpg-auto-import-keys --no-refresh --nogpgcheck -b --best --nobest "
                "--version -h --help",
     .refused = "install in localinstall reinstall remove rm erase autoremove update up upgrade upgrade-minimal "
                "update-minimal downgrade swap distro-sync dsync dup dist-upgrade patch pch install-new-recommends "
                "inr source-install si groupinstall groupremove groupupdate group/install group/remove group/upgrade "
                "module/install module/enable module/disable module/reset module/remove module/switch-to mark clean "
                "makecache refresh ref addrepo ar removerepo rr modifyrepo mr renamerepo nr addservice as addlock al "
                "removelock rl cleanlocks cl config-manager copr builddep build-dep download history/undo "
                "history/redo history/rollback offline-upgrade system-upgrade shell sh versionlock/add "
                "versionlock/delete versionlock/clear",
     .does = {"package-manager", "changes packages"}},
    {.names = "apk",
     .options = "-q --quiet -v --verbose -i -p: --root: -X: --repository: -U --update-cache --no-cache -t: --virtual: "
                "-f --force --allow-untrusted --no-progress --keys-dir: --arch: --cache-dir: -V --version -h --help",
     .refused = "add del upgrade update fix fetch cache/clean cache/download cache/sync",
     .does = {"package-manager", "changes packages"}},
    {.names = "snap",
     .options = "-h --help --version",
     .refused = "install remove refresh revert enable disable start stop restart set unset switch alias unalias prefer "
                "connect disconnect save restore forget try ack login logout create-user remove-user download wait "
                "reboot",
     .does = {"package-manager", "changes packages"}},
    {.names = "flatpak",
     .options = "-v --verbose --ostree-verbose --user --system --installation: -h --help --version",
     .refused = "install uninstall remove update upgrade mask pin repair config override make-current remote-add "
                "remote-modify remote-delete permission-* document-* kill build-* create-usb mirror",
     .does = {"package-manager", "changes packages"}},
    {.names = "nix",
     .options = "-v --verbose --debug --quiet --extra-experimental-features: --experimental-features: --option: "
                "--offline --refresh --impure -L --print-build-logs --version --help",
     .refused = "profile/install profile/add profile/remove profile/upgrade profile/rollback profile/wipe-history "
                "upgrade-nix store/delete store/gc store/optimise store/add* flake/update flake/lock flake/init "
                "flake/new registry/add registry/remove registry/pin channel/* copy",
     .does = {"package-manager", "changes packages"}},
    {.names = "opam cabal luarocks pear pecl conan tlmgr deno vcpkg pod cpm",
     .options = "-y --yes -q --quiet -v --verbose -g --global --local --tree: -h --help -V --version",
     .refused = "install i add remove rm uninstall update up upgrade update-all upgrade-all purge publish upload push "
                "init setup integrate deintegrate make make_local unpack unpin reinstall pin/add pin/remove pin/edit "
                "repo/add repo/remove repo/update repo/push cache/clean channel-add channel-delete channel-discover "
                "channel-update switch/create switch/remove switch/set",
     .rewrites = "fmt",
     .runs = "exec",
     .does = {"package-manager", "changes packages"}},
    {.names = "dotnet nuget",
     .options = "-h --help --version -d --diagnostics",
     .refused = "restore install update push delete add/* remove/* tool/install tool/uninstall tool/update "
                "tool/restore package/add package/remove package/update workload/install workload/uninstall "
                "workload/update nuget/push nuget/delete nuget/add nuget/remove new/install new/uninstall",
     .does = {"package-manager", "changes packages"}},
    {.names = "pkg pkgin opkg guix spack pixi asdf mise sdk volta fnm nvm pyenv rbenv choco scoop winget",
     .options = "-y --yes -q --quiet -v --verbose -g --global -h --help -V --version",
     .refused = "install i add remove rm delete del uninstall update up upgrade autoremove clean prune lock unlock "
                "fetch set use unuse default alias unalias pin unpin link unlink reshim init global local pull gc "
                "plugin/add plugin/remove plugin/update plugins/install plugins/uninstall plugins/update tool/install "
                "self-update selfupdate self/update",
     .does = {"package-manager", "changes packages"}},
    {.names = "ruff",
     .options = "-v --verbose -q --quiet -s --silent --config: --isolated -h --help -V --version",
     .refused = "format clean",
     .unless = "--check --diff",
     .with = "--fix --unsafe-fixes --fix-only --add-noqa",
     .common_word = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "biome",
     .options = "--colors: --config-path: --log-level: -h --help -V --version",
     .refused = "init migrate",
     .with = "--write --fix --apply --apply-unsafe",
     .does = {"file-mutation", "changes files in place"}},
    {.names = "dart mix sqlfluff taplo buf php-cs-fixer zig dprint",
     .options = "-h --help -v --verbose --version -q --quiet",
     .refused = "format fmt fix pub/add pub/get pub/remove pub/upgrade deps.get deps.update deps.clean ecto.drop",
     .unless = "--check --diff --dry-run --check-formatted --output=none -d",
     .with = "-w --write",
     .common_word = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "7z 7za 7zr unrar",
     .options = "",
     .refused = "x e d u rn",
     .unless = "-so",
     .does = {"file-mutation", "unpacks or changes an archive"}},
    {.names = "kubectl oc",
     .options = "-n: --namespace: --context: --cluster: --user: -s: --server: --kubeconfig: --as: --as-group: --token: "
                "--request-timeout: -v: -c: --container: -i -t -it -ti --stdin --tty -q --quiet -h --help",
     .refused = "apply create delete replace patch edit scale autoscale rollout/restart rollout/undo rollout/pause "
                "rollout/resume set label annotate expose run drain cordon uncordon taint cp debug certificate/approve "
                "certificate/deny krew/install krew/uninstall krew/upgrade new-app new-project start-build adm",
     .runs = "exec/* rsh/*",
     .unless = "--dry-run",
     .does = {"remote", "changes other machines"}},
    {.names = "helm",
     .options = "-n: --namespace: --kube-context: --kubeconfig: --debug -h --help",
     .refused = "install upgrade uninstall delete del un rollback push",
     .unless = "--dry-run",
     .does = {"remote", "changes other machines"}},
    {.names = "terraform tofu terragrunt",
     .options = "-help -version",
     .refused = "apply destroy import taint untaint state/rm state/mv state/push state/replace-provider workspace/new "
                "workspace/delete force-unlock run-all/apply run-all/destroy",
     .rewrites = "fmt",
     .unless = "-check",
     .does = {"remote", "changes other machines"}},
    {.names = "pulumi cdk cdktf serverless sls sam flyctl fly",
     .options = "-h --help --version -C: --cwd: -y --yes",
     .refused =
         "up deploy destroy delete remove import refresh cancel state/delete stack/rm stack/init machine/destroy "
         "apps/destroy secrets/set secrets/unset",
     .does = {"remote", "changes other machines"}},
    {.names = "docker podman nerdctl",
     .options = "--config: -c: --context: -D --debug -H: --host: -l: --log-level: --tls --tlsverify -h --help -v: "
                "--version -e: --env: --env-file: -u: --user: -w: --workdir: --detach-keys: -i -t -d -it -ti -dit -itd "
                "--interactive --tty --detach --privileged --rm --name: --network: --net: --entrypoint: --volume: "
                "--mount: -p: --publish: --platform: --init -f: --file: --project-name: --profile: "
                "--project-directory: -T --no-TTY --index:",
     .refused =
         "rm rmi kill stop restart pause unpause rename update commit cp load import push login logout "
         "container/rm container/kill container/stop container/restart container/prune container/rename container/cp "
         "container/commit container/update image/rm image/prune image/push image/load image/import volume/rm "
         "volume/prune volume/create network/rm network/prune network/create network/connect network/disconnect "
         "system/prune builder/prune buildx/prune buildx/rm compose/down compose/rm compose/kill swarm/* service/rm "
         "service/create service/update service/scale service/rollback stack/rm stack/deploy secret/rm secret/create "
         "config/rm config/create node/rm node/update context/rm plugin/rm plugin/install machine/rm pod/rm pod/kill",
     .runs = "exec/* run/* container/exec/* container/run/* compose/exec/* compose/run/*",
     .does = {"remote", "changes containers, images or volumes"}},
    {.names = "docker-compose podman-compose",
     .options = "-f: --file: -p: --project-name: --profile: --env-file: --project-directory: -T -d -i -t -it --rm "
                "--no-deps -e: --env: -u: --user: -w: --workdir: --name: --entrypoint: -v: --volume: -h --help",
     .refused = "down rm kill",
     .runs = "exec/* run/*",
     .does = {"remote", "changes containers, images or volumes"}},
    {.names = "gh",
     .options = "-R: --repo: -h --help --version",
     .reads =
         "pr/list pr/ls pr/view pr/diff pr/checks pr/status issue/list issue/ls issue/view issue/status repo/list "
         "repo/ls repo/view repo/autolink/list repo/autolink/view repo/deploy-key/list repo/gitignore/list "
         "repo/gitignore/view repo/license/list repo/license/view run/list run/ls run/view run/watch release/list "
         "release/ls release/view workflow/list workflow/ls workflow/view gist/list gist/ls gist/view label/list "
         "label/ls search/* status auth/status auth/token secret/list secret/ls variable/list variable/ls "
         "variable/get cache/list cache/ls ruleset/list ruleset/ls ruleset/view ruleset/check rs/list rs/view "
         "rs/check project/list project/ls project/view project/field-list project/item-list org/list ssh-key/list "
         "gpg-key/list extension/list extension/search ext/list config/list config/get alias/list codespace/list "
         "codespace/view codespace/logs cs/list attestation/verify at/verify browse completion help version",
     .requests = "api",
     .does = {"remote", "is not known to only read: it may change shared work, or files"}},
    {.names = "glab",
     .options = "-R: --repo: -h --help -v --version",
     .reads =
         "mr/list mr/ls mr/view mr/show mr/diff mr/issues mr/approvers merge-request/list merge-request/view "
         "issue/list issue/ls issue/view issue/show incident/list incident/view iteration/list milestone/list "
         "milestone/get ci/list ci/status ci/trace ci/get ci/lint ci/stats pipeline/list pipeline/status "
         "pipeline/get pipe/list job/list repo/list repo/view repo/search repo/contributors project/view "
         "release/list release/view label/list label/get snippet/list snippet/view variable/list variable/get "
         "schedule/list deploy-key/list deploy-key/get ssh-key/list ssh-key/get gpg-key/list token/list user/events "
         "config/get alias/list auth/status changelog/generate completion help version check-update",
     .requests = "api",
     .does = {"remote", "is not known to only read: it may change shared work, or files"}},
    {.names = "hub",
     .options = "-h --help --version",
     .reads = "pr/list pr/show issue/show issue/labels release/show gist/show ci-status browse compare help version",
     .requests = "api",
     .common_word = true,
     .does = {"remote", "is not known to only read: it may change shared work, or files"}},
    {.names = "aws",
     .options = "--profile: --region: --output: --query: --endpoint-url: --no-cli-pager --no-paginate --debug "
                "--no-verify-ssl --no-sign-request --color: --ca-bundle:",
     .refused =
         "s3/rm s3/mv s3/cp s3/sync s3/mb s3/rb */delete-* */create-* */put-* */update-* */terminate-* */modify-* "
         "*/attach-* */detach-* */associate-* */disassociate-* */register-* */deregister-* */run-instances "
         "*/stop-instances */start-instances */reboot-* */remove-* */add-* */tag-* */untag-* */revoke-* "
         "*/authorize-* cloudformation/deploy configure/set",
     .unless = "--dry-run --dryrun",
     .does = {"remote", "changes other machines"}},
    {.names = "hostnamectl timedatectl localectl loginctl",
     .options =
         "-H: --host: -M: --machine: --static --transient --pretty --no-pager --no-ask-password -h --help --version",
     .refused = "set-* hostname/* icon-name/* chassis/* deployment/* location/* ntp-servers revert terminate-* kill-* "
                "lock-* unlock-* enable-linger disable-linger activate attach flush-devices",
     .common_word = true,
     .does = {"process", "changes settings of the system"}},
    {.names = "ip",
     .options = "-4 -6 -br -brief -j -json -p -d -s -o -c -color -h -V -f: -family: -n: -netns: -a -all",
     .refused = "*/add */a* */del* */d */change */chg */replace */prepend */append */set l*/s l*/se */flush */f */save "
                "*/restore",
     .runs = "netns/exec/*",
     .common_word = true,
     .does = {"process", "changes settings of the network"}},
    {.names = "ufw",
     .options = "--dry-run --force --version -h --help",
     .refused = "enable disable allow deny reject limit delete insert prepend route reload reset default logging",
     .unless = "--dry-run",
     .does = {"process", "changes settings of the network"}},
    {.names = "nmcli nft",
     .options = "-t -p -m: -c: -f: -g: -e: -w: -a -j -n -s -h --help --version",
     .refused = "*/up */down */add */modify */delete */edit */clone */import */connect */disconnect */reapply */set "
                "*/hotspot */on */off */reload add delete flush insert replace create destroy reset",
     .common_word = true,
     .does = {"process", "changes settings of the network"}},
    {.names = "launchctl",
     .options = "-w -F -S: -D:",
     .refused = "load unload start stop kill kickstart bootstrap bootout enable disable remove submit setenv unsetenv "
                "config reboot",
     .does = {"process", "starts, ends or changes services"}},
    {.names = "stack cabal-install mas krew",
     .options = "-h --help --version -v -y --yes",
     .refused = "install uninstall remove upgrade update purge lucky unpack new init upload setup",
     .runs = "exec",
     .common_word = true,
     .does = {"package-manager", "changes packages"}},
    {.names = "systemctl",
     .options = "--user --system --global -q --quiet -a --all -l --full --no-pager --no-block --now -f --force --plain "
                "--no-legend -t: --type: --state: -p: --property: -P: -s: --signal: -n: --lines: -o: --output: -H: "
                "--host: -M: --machine: -r --recursive --failed --value --version -h --help",
     .refused =
         "start stop reload restart try-restart reload-or-restart try-reload-or-restart kill freeze thaw isolate "
         "clean enable disable reenable preset preset-all mask unmask link revert add-wants add-requires edit "
         "set-property set-default set-environment unset-environment import-environment reset-failed "
         "daemon-reload daemon-reexec default rescue emergency halt poweroff reboot kexec soft-reboot exit "
         "switch-root suspend hibernate hybrid-sleep suspend-then-hibernate sleep bind mount-image",
     .does = {"process", "starts, ends or changes services"}},
    {.names = "service rc-service",
     .options = "--status-all -h --help --version",
     .refused = "*/start */stop */restart */reload */force-reload */try-restart */zap",
     .does = {"process", "starts or ends services"}},
    {.names = NULL},
};

const struct xylem_policy__table_row xylem_policy__readonly_modules = {"ensurepip easy_install", "package-manager",
                                                                       "changes installed packages"};

const struct xylem_policy__flag_row xylem_policy__readonly_flags[] = {
    {.names = "pacman yay paru pamac",
     .options = "-q -u -c -n -k -m -t -d -e -o -x -f -v -b: -r: --sysupgrade --clean --dbpath: --root: --config: "
                "--color: --noconfirm --needed",
     .refused = "-R -U -D -y -w --remove --upgrade --database --refresh --downloadonly",
     .reads = "-Q -F -T -V -h -s -i -l -g -p --query --files --deptest --version --help --search --info --list "
              "--groups --print",
     .writes = "-S --sync",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED,
     .does = {"package-manager", "changes packages"}},
    {.names = "dpkg dpkg-deb",
     .options = "-l -L -s -S -p -C -V -c -I -f -W -D: -E -G -O --admindir: --root: --instdir:",
     .refused =
         "-i -r -P -A -x -X -R -e -b --install --remove --purge --configure --unpack --record-avail --update-avail "
         "--merge-avail --clear-avail --forget-old-unavail --set-selections --clear-selections --triggers-only "
         "--add-architecture --remove-architecture --extract --vextract --raw-extract --control --build",
     .does = {"package-manager", "changes packages"}},
    {.names = "rpm",
     .options =
         "-a -f -l -c -d -p -R -s -v -h -g --root: -r: --dbpath: --queryformat: --qf: --whatrequires: --whatprovides:",
     .refused = "-U -F -e -E: --install --upgrade --freshen --erase --import --rebuilddb --initdb --reinstall --eval: "
                "--pipe: --restore --setperms --setugids --setcaps --undefine --delsign --addsign --resign",
     .reads = "-q -V -K --query --verify --checksig --version --help --querytags --showrc",
     .writes = "-i",
     .does = {"package-manager", "changes packages"}},
    {.names = "nix-env",
     .options =
         "-q -p: -f: -A: -a -P -b -s --query --profile: --file: --attr: --available --installed --list-generations",
     .refused = "-i -e -u -r -S: -G: --install --uninstall --upgrade --set --rollback --switch-profile: "
                "--switch-generation: --delete-generations --set-flag",
     .does = {"package-manager", "changes packages"}},
    {.names = "history",
     .options = "-c -d: -n -r -p -s",
     .refused = "-a -w",
     .does = {"file-mutation", "writes a file of commands"}},
    {.names = "update-alternatives",
     .options = "--altdir: --admindir: --instdir: --root: --log: --quiet --verbose --debug --force --skip-auto",
     .reads = "--display --list --query --get-selections --version --help",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED,
     .does = {"package-manager", "changes installed packages"}},
    {.names = "start-stop-daemon",
     .options = "-p: --pidfile: -x: --exec: -n: --name: -u: --user: -q --quiet -v --verbose",
     .refused = "-S --start -K --stop",
     .reads = "-T --status -H --help -V --version",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED,
     .does = {"process", "starts or ends processes"}},
    {.names = "emerge",
     .options = "-v --verbose -u -D -N -a -q",
     .reads = "-s --search -S --searchdesc -p --pretend --info -V --version -h --help",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED,
     .does = {"package-manager", "changes packages"}},
    {.names = "kill",
     .reads = "-0 -l -L --list --table",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED_UNLISTED,
     .does = {"process", "ends or signals processes"}},
    {.names = "passwd",
     .options = "-a --all -R: --root:",
     .reads = "-S --status -h --help",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED_UNLISTED,
     .does = {"privilege", "changes accounts"}},
    {.names = "chage",
     .options = "-i --iso8601 -R: --root:",
     .reads = "-l --list -h --help",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED_UNLISTED,
     .does = {"privilege", "changes accounts"}},
    {.names = "crontab",
     .options = "-i -u:",
     .refused = "-e -r",
     .reads = "-l -V",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED,
     .does = {"file-mutation", "changes scheduled commands"}},
    {.names = "fdisk sfdisk parted",
     .options = "-s --script -m --machine",
     .reads = "-l --list -d --dump -J --json -V --version -v -h --help",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED,
     .does = {"file-mutation", "changes partitions"}},
    {.names = "mount swapon",
     .options = "-l --show-labels -t: --types: -v --verbose -V --version -h --help --show --show? -s --summary "
                "--noheadings --raw --bytes",
     .otherwise = XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED,
     .does = {"file-mutation", "changes mounts or swap space"}},
    {.names = "fuser",
     .options = "-a -m -n: -s -u -v -i -w -M -l -c -f -V",
     .refused = "-k --kill",
     .does = {"process", "ends processes"}},
    {.names = "gofmt gofumpt goimports shfmt prettier prettierd",
     .options = "-d -e -l -s -r: -c -v -lang: -local: -srcdir: -i: -ln: --indent: --check --list-different --config: "
                "--parser: --stdin-filepath: --plugin: --log-level: --loglevel:",
     .refused = "-w --w --write -write",
     .common_word = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "iconv xmllint xsltproc",
     .options = "-f: -t: -c -s -l --from-code: --to-code: --format --noout --xpath: --list --stringparam: --param:",
     .refused = "-o --output --writesubtree",
     .common_word = true,
     .does = {"option", "writes its result to a file"}},
    {.names = "sysctl",
     .options = "-a -A -X -b -d -e -N -n -q -r: --pattern: --values --names --all --ignore --quiet --help --version",
     .refused = "-w -p? --system -f --write --load?",
     .common_word = true,
     .does = {"process", "changes settings of the kernel"}},
    {.names = "dmesg",
     .options = "-H -k -L? -T -t -u -w -W -x -r -e -J -S -P -d -l: -f: -s: -F: --since: --until: --level: --facility: "
                "--color? --human --kernel --ctime --follow",
     .refused = "-C -c -D -E -n: --clear --read-clear --console-off --console-on --console-level:",
     .common_word = true,
     .does = {"process", "clears or changes the kernel's messages"}},
    {.names = "journalctl",
     .options = "-u: -n: -b? -k -f -r -e -x -a -q -o: -S: -U: -p: -t: -g: -c: -D: -M: -F: -N -m",
     .refused = "--rotate --vacuum-size --vacuum-time --vacuum-files --flush --sync --relinquish-var --setup-keys "
                "--update-catalog",
     .does = {"file-mutation", "removes or moves logs"}},
    {.names = "hwclock",
     .options = "-r -u -l -v -D --show --get --date: --verbose",
     .refused = "-w -s -a --systohc --hctosys --set --adjust --setepoch --param-set",
     .does = {"process", "sets a clock"}},
    {.names = "iptables ip6tables ebtables arptables",
     .options = "-n -v -x -t: -w --line-numbers --table:",
     .reads = "-L -S --list --list-rules -C -h --help -V --version",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED,
     .does = {"process", "changes settings of the network"}},
    {.names = "ssh-keygen",
     .options = "-f: -E: -v -m: -t: -b: -N: -P: -C: -q",
     .reads = "-l -F: -y -e -B -Q -L",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED,
     .does = {"file-mutation", "writes keys"}},
    {.names = "ssh-add",
     .options = "-q -v",
     .reads = "-l -L -T -h",
     .otherwise = XYLEM_POLICY__ELSE_REFUSED,
     .does = {"process", "changes the keys of the agent"}},
    {.names = "codespell typos",
     .options = "-d -q: -S: --skip: -L: -I: --config: -c:",
     .refused = "-w --write-changes",
     .common_word = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "djlint uncrustify qpdf mlr elm-format ormolu fourmolu ocamlformat cmake-format autoflake gersemi nph "
              "docformatter add-trailing-comma latexindent perltidy tidy xmlformat",
     .options = "-c: -q -l: -f:",
     .refused = "-i -I -b -m -modify --in-place --inplace --reformat --replace --no-backup --replace-input --yes "
                "--mode -w --overwrite",
     .common_word = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "buildifier",
     .options = "-v -r -type: --type: -lint: --lint:",
     .reads = "-mode: --mode: -d",
     .otherwise = XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED,
     .common_word = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "strip",
     .options = "-o: -s -S -g -d -x -X -K: -N: -p -v",
     .reads = "-V --version -h --help",
     .otherwise = XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED,
     .common_word = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "ar",
     .options = "-t -p -v -V --version --help -c -u -S -o -D -U",
     .refused = "-r -d -q -m -x -s",
     .keys = true,
     .common_word = true,
     .does = {"file-mutation", "unpacks or changes an archive"}},
    {.names = "clang-format autopep8 yapf",
     .options =
         "-style: --style: -n --dry-run -Werror --Werror -d --diff -r --recursive -p --parallel -a --aggressive -v "
         "--verbose -q --quiet -lines: --lines: -l: -e: --exclude: -vv --max-line-length: --select: --ignore:",
     .refused = "-i --i --in-place",
     .common_word = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "eslint stylelint tslint standard xo oxlint standardrb markdownlint markdownlint-cli2 ktlint swiftlint "
              "clippy-driver clang-tidy",
     .options = "-c: --config: --ext: --rule: --quiet -f: --format: --max-warnings: --cache --no-eslintrc",
     .refused = "--fix --fix-suggestions --fix-dangerously --fix-errors --init --output-file -o",
     .common_word = true,
     .does = {"file-mutation", "changes or writes files"}},
    {.names = "rubocop",
     .options = "-f: --format: --only: --except: -c: --config: -d -D -l --lint -P --parallel",
     .refused = "-a -A -x --autocorrect --autocorrect-all --auto-correct --auto-correct-all --safe-auto-correct "
                "--fix-layout --auto-gen-config -o --out",
     .common_word = true,
     .does = {"file-mutation", "changes or writes files"}},
    {.names = "black",
     .options = "-l: --line-length: -t: --target-version: --pyi --ipynb -S --skip-string-normalization -C --preview "
                "--unstable --color --no-color --fast --safe --include: --exclude: --extend-exclude: --force-exclude: "
                "--stdin-filename: -W: --workers: -q --quiet -v --verbose --config:",
     .reads = "-c: --code: --check --diff --version -h --help",
     .otherwise = XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED,
     .common_word = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "isort rustfmt stylua nixfmt swiftformat",
     .options = "--edition: --config: --config-path: --color: --profile: -l: --line-length: -q --quiet -v --verbose",
     .reads = "-c --check --check-only --diff --df -d --stdout --show-files --show-config --version -V --vn -h --help "
              "--lint --dryrun --print-config:",
     .otherwise = XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED,
     .common_word = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "dos2unix unix2dos mac2unix unix2mac",
     .options = "-q --quiet -k --keepdate -f --force -s --safe -b --keep-bom -m --add-bom -r --remove-bom",
     .reads = "-i? --info? -O --to-stdout -h --help -V --version -L --license",
     .otherwise = XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED,
     .common_word = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "gzip gunzip pigz unpigz bzip2 bunzip2 pbzip2 xz unxz pixz lzma unlzma zstd unzstd lz4 unlz4 compress "
              "uncompress lzip brotli",
     .options = "-d --decompress --uncompress -z --compress -f --force -k --keep -n --no-name -N --name -q --quiet -r "
                "--recursive -S: --suffix: -v --verbose -# --fast --best -1 -2 -3 -4 -5 -6 -7 -8 -9 -0 -e --extreme "
                "-T: --threads: -M: -F: --format: --rm --rsyncable -s --small -p: -b: --long --ultra",
     .reads = "-c --stdout --to-stdout -l --list -t --test -h --help -V --version -L --license",
     .otherwise = XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED,
     .common_word = true,
     .does = {"file-mutation", "replaces files"}},
    {.names = "tar bsdtar",
     .options =
         "-c -f: -z -j -J -Z -a -v -C: -p -k -h -P -m -w -T: -X: -b: -g: -L: -N: -K: -V: -H: --file: --directory: "
         "--exclude: --exclude-from: --files-from: --strip-components: --gzip --bzip2 --xz --zstd --verbose "
         "--wildcards --transform: --one-top-level? --no-same-owner --create --full-time --totals --numeric-owner",
     .refused =
         "-r -u -A --append --update --catenate --concatenate --delete --to-command -I -F --use-compress-program "
         "--info-script --new-volume-script --rsh-command --checkpoint-action --remove-files",
     .reads = "-t --list -O --to-stdout -d --diff --compare --help --version --usage",
     .writes = "-x --extract --get",
     .keys = true,
     .common_word = true,
     .does = {"file-mutation", "unpacks, changes an archive, or runs a program"}},
    {.names = "unzip",
     .options = "-q -qq -o -n -j -a -aa -b -C -L -M -V -W -X -d: -x: -P: -1 -2 -s -m -T",
     .reads = "-l -p -t -Z -z -v -c -h -hh",
     .otherwise = XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED,
     .common_word = true,
     .does = {"file-mutation", "unpacks an archive"}},
    {.names = "zip",
     .options = "-r -q -j -9 -1 -0 -v -x: -i: -P: -h -L -y -D -X -e -T",
     .refused = "-m -d -F -FF -TT: --unzip-command --delete --move --fix --fixfix",
     .common_word = true,
     .does = {"file-mutation", "changes an archive, removes files, or runs a program"}},
    {.names = "cpio",
     .options =
         "-o -v -d -m -u -H: -F: -I: -O: -E: -A -0 --create --quiet --null --format: --file: --no-absolute-filenames",
     .refused = "-p --pass-through --rsh-command",
     .reads = "-t --list --to-stdout",
     .writes = "-i --extract",
     .common_word = true,
     .does = {"file-mutation", "unpacks an archive, or copies files"}},
    {.names = "perl perl5*",
     .options =
         "-e: -E: -I: -M? -m? -n -p -l#? -a -F? -0#? -w -W -X -s -S -t -T -u -U -v -V? -x? -c -C#? -d? -D -f -g -h",
     .refused = "-i?",
     .first_operand_ends = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = "ruby",
     .options = "-e: -E: -I: -r: -n -p -l -a -F? -0#? -w -W#? -W:no-experimental -W:no-deprecated -W:no-performance -s "
                "-S -x? -c -C: -h -v -y -d -T#? -K?",
     .refused = "-i?",
     .first_operand_ends = true,
     .does = {"file-mutation", "changes files in place"}},
    {.names = NULL},
};
