#!/usr/bin/env python3
"""
Runs the examples of judge/policy/rules/verbs.txt (the lines `try`) in a sandbox, and compares what they did with what
`reads` promises: no file written but in the home and in /tmp, no socket to a network, no program started but those that
read. Each example must be allowed by strict as well. Needs bubblewrap and strace; a program that this machine has not is
skipped and counted.

    test_verbs_tried.py XYLEM [--show] [WORD]

With --show each example is printed with its time, its exit status and its last line of output: does the example reach what it is
for? With a word only the examples with the word are run.
"""
import concurrent.futures
import os
import re
import shlex
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import wave
import zipfile
import zlib

VERBS = 'judge/policy/rules/verbs.txt'
WORK = '/mnt'
WORKERS = 4
# The programs of the machine, without those in a home: the sandbox has an empty home.
PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games'
# What a program may start. Its children are traced as the program is: what they write is found all the same.
READERS = set('''awk basename bzip2 cat cmp cut dirname diff expr file find gawk grep egrep fgrep gzip head ls mawk od
    printf readlink sed sh sort stty tail test tr uname wc which xz zstd bash dash env getconf locale less more zcat
    groff man preconv nroff tbl troff col manpath man-db python3 perl id lz4 grotty pager sensible-pager perldoc rm tar
    getopt tty pwd tree lsb_release ldconfig git node ruby gpg dpkg dpkg-query dpkg-deb dpkg-divert apt-get gcc cc1 as
    collect2 conmon rpmkeys dmidecode pg_ctl run-parts sadc zgrep zdiff zstdcat
    apt-helper xargs hg php ld iptables chmod chown mkdir mktemp install mv stat curl ghc ghc-pkg'''.split())
# The verbs of these programs are programs: go-tools/nm, rbenv-root. So are the scripts of services.
READERS_PATHS = re.compile(r'.*/(go[^/]*/pkg/tool|rbenv)/|/etc/init\.d/')
TRACED = ('execve,chdir,connect,sendto,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,'
          'link,linkat,symlink,symlinkat,chmod,fchmodat,chown,lchown,fchownat,truncate,ftruncate,utimensat,mknod,mknodat,'
          'kill,setxattr,lsetxattr,removexattr,mount,umount2,sethostname,init_module,finit_module')
HARMLESS_PATHS = re.compile('|'.join((
    r'/dev/(null|tty|zero|full|ptmx|pts/|shm/)|/proc/|(/var)?/tmp(/|$)|/root|/home|/run/user',
    r'/dev/mapper(/control)?$',                                       # the door of the device mapper, which lvm makes
    r'/run/lock(/|$)|/run/lvm/|/run/(zypp\.pid|ufw\.lock)|/etc/\.pwd\.lock|/mnt/r/locks/|/mnt/b/lock\.',         # locks
    r'/var/log/(dnf|hawkey|zypper|zypp/history|postgresql)',                            # what administrators' tools log
    r'/var/cache/(man|apt|dnf|zypp)/|/run/blkid',                                   # made again when they are not there
    r'/(var/lib|run)/(containers|flatpak|libpod|crun|pacman)|/run/runc|/nix(/var|$)',  # made empty by the first command
    r'/(var/)?run/(lock/)?(apache2|postgresql)',                                            # made empty before each start
)))
# Programs that ask the host of the person's own configuration, which is this machine if there is no configuration.
CONFIGURED = set('kubectl etcdctl redis-cli influx mysqladmin mysqldump mysqlshow npm s3cmd pear cabal'.split())
# Programs that open files for writing which they only read, such as databases which they lock.
OPENING = {'svn': 'wc.db', 'tidy': '', 'dnf': 'history.sqlite', 'zypper': 'rpmdb.sqlite'}
ENVIRONMENT = {'PATH': PATH, 'RESTIC_REPOSITORY': WORK + '/r', 'RESTIC_PASSWORD': 'x', 'TERM': 'xterm',
               'BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK': 'yes', 'BORG_RELOCATED_REPO_ACCESS_IS_OK': 'yes'}


def examples(path):
    """Gives the command and the line number of each example."""
    command = None
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        if line.startswith('try '):
            command = line[4:].strip()
            yield command, number


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as out:
        out.write(content if isinstance(content, bytes) else content.encode())


def png():
    """One black pixel."""
    def chunk(name, content):
        return struct.pack('>I', len(content)) + name + content + struct.pack('>I', zlib.crc32(name + content))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 1, 1, 8, 0, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(b'\0\0')) + chunk(b'IEND', b''))


def pdf():
    """One empty page."""
    objects = (b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[3 0 R]/Count 1>>',
               b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>')
    content, places = b'%PDF-1.4\n', b''
    for number, about in enumerate(objects, 1):
        places += b'%010d 00000 n \n' % len(content)
        content += b'%d 0 obj\n%s\nendobj\n' % (number, about)
    return content + (b'xref\n0 4\n0000000000 65535 f \n%strailer\n<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n'
                      % (places, len(content)))


TEXTS = {
    'f': 'one\ntwo\n',
    'd/f': 'three\n',
    'd/a.ts': 'let a = 1;\n',
    'd/tsconfig.json': '{}\n',
    'a.json': '{"a": [1, 2]}\n',
    'a.xml': '<a><b/></a>\n',
    'a.csv': 'x,y\n1,2\n',
    'a.js': 'var a = 1;\n',
    'a.py': 'a=1\n',
    'a.rs': 'fn main() {}\n',
    'o.c': 'int main(void) { return 0; }\n',
    'go.mod': 'module example.org/m\n',
    'a.go': 'package m\n',
    'cover.out': 'mode: set\n',
    'composer.json': '{}\n',
    'docker-compose.yml': 'services: {}\n',
    'c/Cargo.toml': '[package]\nname = "c"\nversion = "1.0.0"\n',
    'c/Cargo.lock': 'version = 3\n\n[[package]]\nname = "c"\nversion = "1.0.0"\n',
    'c/src/main.rs': 'fn main() {}\n',
    'package.json': '{"name": "x", "version": "1.0.0"}\n',
    'package-lock.json': '{"name": "x", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name": "x"}}}\n',
    'p/DEBIAN/control': 'Package: p\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n',
    'a.png': png(),
    'a.pdf': pdf(),
}
# The files that programs make. A program that is not there makes none.
COMMANDS = (
    'gzip -c f >a.gz', 'xz -c f >a.xz', 'bzip2 -c f >a.bz2', 'zstd -q -c f >a.zst', 'lz4 -q -c f >a.lz4', 'lzip -c f >a.lz',
    'lzma -c f >a.lzma', 'tar cf a.tar f d', 'tar czf a.tgz f d', 'echo f | cpio --quiet -o -F a.cpio',
    'openssl req -x509 -newkey rsa:2048 -nodes -keyout a.key -out a.pem -days 9 -subj /CN=x',
    'openssl req -new -key a.key -out a.csr -subj /CN=x',
    'openssl pkcs12 -export -in a.pem -inkey a.key -out a.p12 -passout pass:x',
    'openssl crl2pkcs7 -nocrl -certfile a.pem -out a.p7',
    'openssl genpkey -genparam -algorithm DH -pkeyopt group:ffdhe2048 -out a.dh',
    'ssh-keygen -q -t ed25519 -N "" -f k', 'age-keygen -o a.age', 'dpkg-deb -b p a.deb', 'gcc -g -c -o o.o o.c',
    'ar rc a.a o.o', 'cscope -b -c o.c', 'truncate -s 2M a.disk', 'echo , | sfdisk -q a.disk',
    'borg init -e none b && borg create b::x f', 'restic -q init && restic -q backup f',
    'svnadmin create s && svn -q import -m x d file:///mnt/s && svn -q checkout file:///mnt/s w',
    'gpg -q --batch --passphrase "" --quick-gen-key x@example.org ed25519 && gpg -q --export x@example.org >a.kbx &&'
    ' cp a.kbx a.pub && gpg -q --detach-sign -a -o a.asc f',
    'git init -q && git remote add origin https://example.org/o/r.git', 'hg -q init',
)


def make_files(directory):
    for name, content in TEXTS.items():
        write(os.path.join(directory, name), content)
    with zipfile.ZipFile(os.path.join(directory, 'a.zip'), 'w') as archive:
        archive.write(os.path.join(directory, 'f'), 'f')
    with wave.open(os.path.join(directory, 'a.wav'), 'wb') as sound:
        sound.setparams((1, 1, 8000, 0, 'NONE', ''))
        sound.writeframes(bytes(8000))
    base = sqlite3.connect(os.path.join(directory, 'a.db'))
    base.execute('create table t(x)')
    base.commit()
    base.close()
    # The files are made where the examples find them, with a home that the examples do not see.
    for command in COMMANDS:
        if all(shutil.which(word, path=PATH) for word in re.findall(r'(?:^|\| )(\S+)', command)):
            done = subprocess.run(['bwrap', '--dev-bind', '/', '/', '--tmpfs', os.path.expanduser('~'), '--bind', directory,
                                   WORK, '--chdir', WORK, '--unshare-pid', '--die-with-parent', 'sh', '-c', command],
                                  env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit('%s: %s' % (command, done.stderr.strip()))


def state_of(directory):
    """Each path with its type; each file with its size, time and content as well."""
    state = {}
    for base, names, files in os.walk(directory):
        for name in names + files:
            path = os.path.join(base, name)
            about = os.lstat(path)
            if os.path.isdir(path):
                state[path] = about.st_mode
            else:
                content = open(path, 'rb').read() if os.path.isfile(path) else b''
                state[path] = (about.st_mode, about.st_size, about.st_mtime_ns, content)
    return state


def run(directory, words):
    """Runs the words in a sandbox, and gives the lines of the trace, the exit status and the output."""
    with tempfile.TemporaryDirectory() as logs:
        bwrap = ['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs',
                 '/var/tmp', '--tmpfs', '/run', '--tmpfs', os.path.expanduser('~'), '--bind', directory, WORK, '--bind', logs, '/srv', '--chdir', WORK,
                 '--unshare-net', '--unshare-pid', '--unshare-ipc', '--die-with-parent', '--new-session']
        trace = ['strace', '-f', '--seccomp-bpf', '-yy', '-qq', '-s', '300', '-e', 'trace=' + TRACED, '-e', 'signal=none', '-o',
                 '/srv/log', '--']
        try:
            done = subprocess.run(bwrap + trace + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=20, check=False, env={**os.environ, **ENVIRONMENT})
        except subprocess.TimeoutExpired:
            return ['0 timeout'], -1, b''
        log = os.path.join(logs, 'log')
        lines = open(log, errors='replace').read().split('\n') if os.path.exists(log) else ['0 not traced']
        return lines, done.returncode, done.stdout


def calls_of(lines):
    """The calls of a trace, each whole: a call that another process interrupts stands in two lines."""
    begun = {}
    for line in lines:
        pid, _, call = line.partition(' ')
        call = call.strip()
        if call.endswith('<unfinished ...>'):
            begun[pid] = call[:-len('<unfinished ...>')]
        elif call.startswith('<... '):
            yield pid, begun.pop(pid, '') + call.partition(' resumed>')[2]
        else:
            yield pid, call
    yield from begun.items()


def paths_of(call, place):
    """The paths that a call names, whole; those without a folder start from the place."""
    for folder, path in re.findall(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"', call):
        yield os.path.normpath(os.path.join(place, folder, path))


def is_harmless(call, name, program, pids, place):
    """Is the call, which did not fail, one that a program that reads may do?"""
    if name in ('connect', 'sendto'):
        network = re.search(r'sa_family=AF_INET6?, sin6?_port=htons\(([1-9]\d*)', call)
        asks_for_way = network and name == 'connect' and '<UDP' in call and network.group(1) != '53'
        return not network or asks_for_way or program in CONFIGURED
    if name == 'kill':
        return ', 0)' in call or re.match(r'kill\((\d+)', call).group(1) in pids
    if name in ('open', 'openat', 'openat2') and (not re.search(r'O_(WRONLY|RDWR|CREAT|TRUNC)', call) or (
            program in OPENING and OPENING[program] in call and 'O_TRUNC' not in call)):
        return True
    return all(HARMLESS_PATHS.match(path) for path in paths_of(call, place))


def deeds(lines, words):
    """What the trace shows beyond reading."""
    found = []
    first = True
    pids = {line.partition(' ')[0] for line in lines}
    places = {}
    for pid, call in calls_of(lines):
        name = call.split('(')[0]
        place = places.get(pid, WORK)
        if name == 'execve':
            path = re.search(r'"([^"]*)"', call).group(1)
            program = os.path.basename(path)
            if call.endswith('= 0') and not first and program not in READERS and program != words[0]:
                if not READERS_PATHS.match(path):
                    found.append('started ' + program)
            first = first and not call.endswith('= 0')
        elif name == 'chdir':
            places[pid] = next(paths_of(call, place), place)
        elif call in ('timeout', 'not traced'):
            found.append(call)
        elif name in TRACED.split(',') and not re.search(r'= -1 E(NOENT|ACCES|NOTDIR|EXIST|LOOP|AFNOSUPPORT)', call):
            if not is_harmless(call, name, words[0], pids, place):
                found.append(re.sub(r'\s+= .*', '', call)[:120])
    return found + ['was not started'] * first


class Bench:
    """A folder of files for each worker."""

    def __init__(self, xylem, directory, show):
        self.xylem, self.directory, self.show = xylem, directory, show
        self.own = threading.local()
        self.lock = threading.Lock()
        self.count = 0

    def place(self):
        if not hasattr(self.own, 'directory'):
            with self.lock:
                self.count += 1
                self.own.directory = '%s/%d' % (self.directory, self.count)
            self.renew()
        return self.own.directory

    def renew(self):
        """Gives the worker the files as they were made."""
        shutil.rmtree(self.own.directory, ignore_errors=True)
        shutil.copytree(self.directory + '/made', self.own.directory, symlinks=True)
        self.own.before = state_of(self.own.directory)

    def done(self, command):
        """Runs the command, and gives what it did beyond reading."""
        words = shlex.split(command)
        directory = self.place()
        began = time.monotonic()
        lines, status, output = run(directory, words)
        found = deeds(lines, words)
        if state_of(directory) != self.own.before:
            found.append('changed the directory')
            self.renew()
        if self.show:
            print('%s\n    %.1f s, %d: %s' % (command, time.monotonic() - began, status, output.decode(errors='replace').strip().split('\n')[-1][:150]))
        return found

    def problem_of(self, example):
        """Gives the problem of an example, or none; or that its program is not here."""
        command, number = example
        said = subprocess.run([self.xylem, 'judge', '--policy', 'strict', '--', command], capture_output=True, text=True)
        if said.returncode != 0:
            return '%s:%d: strict does not allow: %s\n    %s' % (VERBS, number, command, said.stdout.strip())
        if not shutil.which(shlex.split(command)[0], path=PATH):
            return 'absent'
        found = self.done(command)
        return found and '%s:%d: %s: %s' % (VERBS, number, command, ', '.join(sorted(set(found))[:4]))


def main():
    words = [word for word in sys.argv[2:] if word != '--show']
    for tool in ('bwrap', 'strace'):
        if not shutil.which(tool):
            print('skipped: %s is not there' % tool)
            return 0
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(directory + '/made')
        make_files(directory + '/made')
        bench = Bench(sys.argv[1], directory, '--show' in sys.argv)
        problems = ['%s: the sandbox does not notice what it does' % control
                    for control in ('touch x', 'sort -o f f', 'env setarch -R ls', 'curl -s http://127.0.0.1:9/', 'mkdir x',
                                    'chmod 600 f', 'cp f x', 'mv f /tmp/f')
                    if shutil.which(control.split()[0]) and not bench.done(control)]
        chosen = [example for example in examples(VERBS) if not words or words[0] in example[0]]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            results = list(pool.map(bench.problem_of, chosen))
    absent = results.count('absent')
    problems += [result for result in results if result and result != 'absent']
    print('\n'.join(problems), end='\n' * bool(problems))
    print('verbs: %d examples tried, %d of programs that are not here, %d problems'
          % (len(results) - absent, absent, len(problems)))
    return bool(problems)


if __name__ == '__main__':
    sys.exit(main())
