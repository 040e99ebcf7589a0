#!/usr/bin/env python3
"""
Runs the examples of judge/policy/rules/verbs.txt (the lines `try`) in a sandbox, and compares what they did with what
`reads` promises: no file written but in the home and in /tmp, no socket to a network, no program started but those that
read. Each example must be allowed by strict as well. Needs bubblewrap and strace; a program that this machine has not is
skipped and counted.

    test_verbs_tried.py XYLEM
"""
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile

VERBS = 'judge/policy/rules/verbs.txt'
WORK = '/mnt'
# What a program that is a script may start.
READERS = set('''awk basename bzip2 cat cmp cut dirname diff expr file find gawk grep egrep fgrep gzip head ls mawk od
    printf readlink sed sh sort stty tail test tr uname wc which xz zstd bash dash env getconf locale less more zcat
    groff man preconv nroff tbl troff col manpath man-db python3 perl id lz4'''.split())
TRACED = ('execve,connect,sendto,open,openat,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,'
          'link,linkat,symlink,symlinkat,chmod,fchmodat,chown,fchownat,truncate,ftruncate,utimensat,mknod,mknodat,kill')
HARMLESS_PATHS = re.compile(r'^(/dev/(null|tty|zero|full|ptmx|pts/|shm/)|/proc/|/tmp/|/root|/home|/run/user)')


def examples(path):
    """Gives the command and the line number of each example."""
    command = None
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        if line.startswith('try '):
            command = line[4:].strip()
            yield command, number


def make_files(directory):
    def path(name):
        return os.path.join(directory, name)
    open(path('f'), 'w').write('one\ntwo\n')
    os.mkdir(path('d'))
    open(path('d/f'), 'w').write('three\n')
    open(path('a.json'), 'w').write('{"a": [1, 2]}\n')
    open(path('a.xml'), 'w').write('<a><b/></a>\n')
    open(path('a.csv'), 'w').write('x,y\n1,2\n')
    with zipfile.ZipFile(path('a.zip'), 'w') as archive:
        archive.write(path('f'), 'f')
    base = sqlite3.connect(path('a.db'))
    base.execute('create table t(x)')
    base.commit()
    base.close()
    for name, words in (('a.gz', 'gzip -c'), ('a.xz', 'xz -c'), ('a.bz2', 'bzip2 -c'), ('a.zst', 'zstd -c'),
                        ('a.lz4', 'lz4 -c')):
        if shutil.which(words.split()[0]):
            with open(path(name), 'wb') as out:
                subprocess.run(words.split() + [path('f')], stdout=out, check=False)
    subprocess.run(['tar', 'cf', 'a.tar', 'f', 'd'], cwd=directory, check=True)
    subprocess.run(['tar', 'czf', 'a.tgz', 'f', 'd'], cwd=directory, check=True)
    if shutil.which('openssl'):
        subprocess.run('openssl req -x509 -newkey rsa:2048 -nodes -keyout a.key -out a.pem -days 9 -subj /CN=x'.split(),
                       cwd=directory, stderr=subprocess.DEVNULL, check=True)
    if shutil.which('ssh-keygen'):
        subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', 'k'], cwd=directory, check=True)
    if shutil.which('dpkg-deb'):
        os.makedirs(path('p/DEBIAN'))
        open(path('p/DEBIAN/control'), 'w').write(
            'Package: p\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n')
        subprocess.run(['dpkg-deb', '-b', 'p', 'a.deb'], cwd=directory, stdout=subprocess.DEVNULL, check=True)


def state_of(directory):
    """Each path with its type, size, time and content."""
    state = {}
    for base, names, files in os.walk(directory):
        for name in names + files:
            path = os.path.join(base, name)
            about = os.lstat(path)
            content = open(path, 'rb').read() if os.path.isfile(path) else b''
            state[path] = (about.st_mode, about.st_size, about.st_mtime_ns, content)
    return state


def run(directory, words):
    """Runs the words in a sandbox, and gives the lines of the trace."""
    with tempfile.TemporaryDirectory() as logs:
        bwrap = ['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs',
                 os.path.expanduser('~'), '--bind', directory, WORK, '--bind', logs, '/srv', '--chdir', WORK,
                 '--unshare-net', '--unshare-pid', '--unshare-ipc', '--die-with-parent', '--new-session']
        trace = ['strace', '-f', '-qq', '-e', 'trace=' + TRACED, '-e', 'signal=none', '-o', '/srv/log', '--']
        try:
            subprocess.run(bwrap + trace + words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=20, check=False)
        except subprocess.TimeoutExpired:
            return ['0 timeout']
        log = os.path.join(logs, 'log')
        return open(log, errors='replace').read().split('\n') if os.path.exists(log) else ['0 not traced']


def deeds(lines, words):
    """What the trace shows beyond reading."""
    found = []
    first = True
    for line in lines:
        call = re.sub(r'^\d+ +', '', line)
        if call in ('timeout', 'not traced'):
            found.append(call)
        name = call.split('(')[0]
        path = re.search(r'"([^"]*)"', call)
        path = path.group(1) if path else ''
        failed = re.search(r'= -1 E(NOENT|ACCES|NOTDIR|EXIST|LOOP|AFNOSUPPORT)', call)
        if name == 'execve':
            program = os.path.basename(path)
            if call.endswith('= 0') and not first and program not in READERS and program != words[0]:
                found.append('started ' + program)
            first = first and not call.endswith('= 0')
        elif name in ('connect', 'sendto'):
            if re.search(r'sa_family=AF_INET6?, sin6?_port=htons\([1-9]', call):
                found.append('connects')
        elif name in ('open', 'openat', 'creat'):
            writes = name == 'creat' or re.search(r'O_(WRONLY|RDWR|CREAT|TRUNC)', call)
            if writes and not failed and not HARMLESS_PATHS.match(path):
                found.append('opens to write ' + path)
        elif name == 'kill':
            if not re.search(r', 0\)', call):
                found.append('signals')
        elif '(' in call and name in TRACED and not failed and not HARMLESS_PATHS.match(path):
            if not (name == 'ftruncate' and not path):
                found.append('%s %s' % (name, path))
    return found


def main():
    xylem = sys.argv[1]
    for tool in ('bwrap', 'strace'):
        if not shutil.which(tool):
            print('skipped: %s is not there' % tool)
            return 0
    problems = tried = absent = 0
    with tempfile.TemporaryDirectory() as directory:
        make_files(directory)
        before = state_of(directory)
        for control in ('touch x', 'sort -o f f', 'env setarch -R ls', 'curl -s http://127.0.0.1:9/', 'mkdir x',
                        'chmod 600 f', 'cp f x'):
            words = control.split()
            if shutil.which(words[0]) and not deeds(run(directory, words), words):
                print('%s: the sandbox does not notice what it does' % control)
                problems += 1
            if state_of(directory) != before:
                shutil.rmtree(directory)
                os.mkdir(directory)
                make_files(directory)
                before = state_of(directory)
        for command, number in examples(VERBS):
            words = shlex.split(command)
            said = subprocess.run([xylem, 'judge', '--policy', 'strict', '--', command], capture_output=True, text=True)
            if said.returncode != 0:
                print('%s:%d: strict does not allow: %s\n    %s' % (VERBS, number, command, said.stdout.strip()))
                problems += 1
            if not shutil.which(words[0]):
                absent += 1
                continue
            tried += 1
            found = deeds(run(directory, words), words)
            after = state_of(directory)
            if after != before:
                found.append('changed the directory')
                before = after
            if found:
                print('%s:%d: %s: %s' % (VERBS, number, command, ', '.join(sorted(set(found))[:4])))
                problems += 1
    print('verbs: %d examples tried, %d of programs that are not here, %d problems' % (tried, absent, problems))
    return problems > 0


if __name__ == '__main__':
    sys.exit(main())
