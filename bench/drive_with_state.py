#!/usr/bin/env python3
"""Driving a program whose answers depend on what it has stored: memcached with three keys (bench/three_keys.treaty).

    bench/drive_with_state.py --treaty BUILD/treaty [--before OLD/treaty] [--rounds N] [--seeds N] [--only messages|found]

messages   messages per second of CPU time of the tester, both directions, and how often the solver was asked; in turns
           with --before, with Hypothesis (a model that says the same, no failure) and with a bare client that sends
           the same kinds of commands and looks at nothing
found      how long it takes to find that memcached pads numbers with blanks, which `Unpadded` does not allow: seconds
           until the first failure, and until it is small, medians over the seeds; beside Hypothesis

Each uses a memcached of its own, which is stopped again. CPU time is that of the process of the tester alone, so the
figures hold on a machine that does other things.
"""
import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'scripts'))

from ports import free_port  # noqa: E402

PYTHON = '/usr/bin/python3'  # the one that Debian's packages are for
PROTOCOL = ROOT / 'bench/three_keys.treaty'
LIMIT_S = 60

# The same keys and commands; run by Debian's Python: PORT SEED PADS EXAMPLES.
MODEL = '''
import re, socket, sys, time
from hypothesis import HealthCheck, Phase, seed, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

port, number, pads, examples = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == 'pads', int(sys.argv[4])
KEYS = st.sampled_from(['a', 'b', 'c'])
DATA = st.one_of(st.from_regex(rb'\\\\A[0-9]{1,18} *\\\\Z').filter(lambda d: len(d) <= 40), st.from_regex(rb'\\\\A[a-z]{0,8}\\\\Z'))
MORE = st.from_regex(rb'\\\\A[a-z0-9]{0,4}\\\\Z')
FLAGS = st.integers(0, 4294967295)
begin = time.monotonic()
first, messages = [], [0]
link = socket.create_connection(('127.0.0.1', port))
link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
lines = link.makefile('rb')

def ask(command, data=None):
    messages[0] += 2
    link.sendall(command.encode() + b'\\r\\n' + (data + b'\\r\\n' if data is not None else b''))
    return lines.readline()

class Store(RuleBasedStateMachine):
    @initialize()
    def clear(self):
        self.items = {}
        self.expect(ask('flush_all'), b'OK')

    def expect(self, got, wanted):
        if got != wanted + b'\\r\\n' and not first:
            first.append(time.monotonic() - begin)
        assert got == wanted + b'\\r\\n'

    @rule(key=KEYS, flags=FLAGS, data=DATA)
    def set(self, key, flags, data):
        self.expect(ask(f'set {key} {flags} 0 {len(data)}', data), b'STORED')
        self.items[key] = (data, flags)

    @rule(key=KEYS, flags=FLAGS, data=DATA)
    def add(self, key, flags, data):
        self.expect(ask(f'add {key} {flags} 0 {len(data)}', data), b'NOT_STORED' if key in self.items else b'STORED')
        self.items.setdefault(key, (data, flags))

    @precondition(lambda self: self.items)
    @rule(d=st.data(), flags=FLAGS, data=DATA)
    def replace(self, d, flags, data):
        key = d.draw(st.sampled_from(sorted(self.items)))
        self.expect(ask(f'replace {key} {flags} 0 {len(data)}', data), b'STORED')
        self.items[key] = (data, flags)

    @precondition(lambda self: self.items)
    @rule(d=st.data(), more=MORE, front=st.booleans())
    def extend(self, d, more, front):
        key = d.draw(st.sampled_from(sorted(self.items)))
        data, flags = self.items[key]
        if len(data) + len(more) > 40:
            return
        self.expect(ask(f'{"prepend" if front else "append"} {key} 0 0 {len(more)}', more), b'STORED')
        self.items[key] = (more + data if front else data + more, flags)

    @rule(key=KEYS)
    def get(self, key):
        if key not in self.items:
            return self.expect(ask(f'get {key}'), b'END')
        data, flags = self.items[key]
        self.expect(ask(f'get {key}'), f'VALUE {key} {flags} {len(data)}'.encode())
        self.expect(lines.readline(), data)
        self.expect(lines.readline(), b'END')

    def numbers(self):
        found = {k: int(d.strip(b' ')) for k, (d, _) in self.items.items() if re.fullmatch(rb'[0-9]{1,18} *', d)}
        return {k: n for k, n in found.items() if n <= 999999999999}

    def count(self, command, key, by, n):
        self.expect(ask(f'{command} {key} {by}'), str(n).encode())
        data, flags = self.items[key]
        self.items[key] = (str(n).encode().ljust(len(data)) if pads else str(n).encode(), flags)

    @precondition(lambda self: self.numbers())
    @rule(d=st.data())
    def incr(self, d):
        key = d.draw(st.sampled_from(sorted(self.numbers())))
        n = self.numbers()[key]
        by = d.draw(st.integers(0, 999999999999 - n))
        self.count('incr', key, by, n + by)

    @precondition(lambda self: self.numbers())
    @rule(d=st.data())
    def decr(self, d):
        key = d.draw(st.sampled_from(sorted(self.numbers())))
        n = self.numbers()[key]
        by = d.draw(st.integers(0, n))
        self.count('decr', key, by, n - by)

    @rule(key=KEYS)
    def delete(self, key):
        self.expect(ask(f'delete {key}'), b'DELETED' if key in self.items else b'NOT_FOUND')
        self.items.pop(key, None)

    @precondition(lambda self: self.items)
    @rule(d=st.data())
    def touch(self, d):
        self.expect(ask(f'touch {d.draw(st.sampled_from(sorted(self.items)))} 0'), b'TOUCHED')

try:
    run_state_machine_as_test(seed(number)(Store), settings=settings(max_examples=examples, stateful_step_count=20, database=None,
        deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink], print_blob=False))
except BaseException as problem:
    if not first and not isinstance(problem, AssertionError):
        raise
print('RESULT', first[0] if first else -1, time.monotonic() - begin, messages[0], flush=True)
'''


class Memcached:
    def __init__(self):
        self.port = free_port()
        user = ['-u', 'nobody'] if os.getuid() == 0 else []
        self.process = subprocess.Popen(['memcached', *user, '-l', '127.0.0.1', '-p', str(self.port), '-U', '0'])

    def __enter__(self):
        for _ in range(500):
            try:
                socket.create_connection(('127.0.0.1', self.port)).close()
                return self
            except OSError:
                time.sleep(0.01)
        raise SystemExit('memcached does not start')

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def cpu_of(arguments, folder):
    """What it printed and how many seconds of CPU time it took."""
    output = pathlib.Path(folder, 'output')
    with output.open('w', encoding='utf-8') as out:
        process = subprocess.Popen([str(a) for a in arguments], stdout=out, cwd=folder)
        _, _, usage = os.wait4(process.pid, 0)
    return output.read_text(encoding='utf-8'), usage.ru_utime + usage.ru_stime


def test(program, port, protocol, folder, *more):
    pathlib.Path(folder, 'store.db').unlink(missing_ok=True)  # what was found before is tried first
    text, cpu = cpu_of([program, 'test', PROTOCOL, '--protocol', protocol, '--cut', 'server', '--via', f'tcp://127.0.0.1:{port}',
                        '--length', 40, '--json', '--store', f'{folder}/store.db', *more], folder)
    return json.loads(text), cpu


def model(port, seed, pads, examples, folder):
    path = pathlib.Path(folder, 'model.py')
    path.write_text(MODEL, encoding='utf-8')
    text, cpu = cpu_of([PYTHON, path, port, seed, pads, examples], folder)
    found = [line.split() for line in text.splitlines() if line.startswith('RESULT')]
    if not found:
        raise SystemExit('the model cannot be run')
    first, end, messages = found[-1][1:]
    return float(first), float(end), int(messages), cpu


def bare(port, count):
    """Round trips with a command of each kind in turn; their number and the CPU time of this process."""
    link = socket.create_connection(('127.0.0.1', port))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    commands = [b'set a 0 0 2\r\n10\r\n', b'incr a 5\r\n', b'decr a 1\r\n', b'get a\r\n', b'delete b\r\n']
    before = time.process_time()
    for n in range(count):
        link.sendall(commands[n % len(commands)])
        link.recv(4096)
    return 2 * count, time.process_time() - before


def row(name, messages, cpu, rest=''):
    print(f'{name:24}{messages:>10} messages{cpu:>9.2f} s CPU{messages / cpu:>10.0f}/s{rest}', flush=True)


def measure_messages(args, folder):
    programs = [('before', args.before)] if args.before else []
    programs += [('treaty', args.treaty)]
    totals = {}

    def add(name, *numbers):
        totals[name] = [a + b for a, b in zip(totals.get(name, [0] * len(numbers)), numbers)]
    for seed in range(args.rounds):
        for name, program in programs:
            # Starting, reading and checking the protocol is the same for any number of sessions.
            with Memcached() as server:
                got, start = test(program, server.port, 'ThreeKeys', folder, '--sessions', 1, '--seed', seed)
                short = got['messages']
                got, cpu = test(program, server.port, 'ThreeKeys', folder, '--sessions', args.sessions, '--seed', seed)
            if got['answer'] != 'holds':
                raise SystemExit(f'{name}: {got["reason"]}')
            add(name, got['messages'] - short, cpu - start, got.get('solver_calls', 0))
        with Memcached() as server:
            add('hypothesis', *model(server.port, seed, 'pads', 200, folder)[2:], 0)
        with Memcached() as server:
            add('bare', *bare(server.port, 20000), 0)
    for name, (messages, cpu, calls) in totals.items():
        row(name, messages, cpu, f'   solver calls {calls}' if name == 'treaty' else '')


def median(values):
    return f'{statistics.median(values):8.2f}' if values else '     -  '


def measure_found(args, folder):
    programs = [('before', args.before)] if args.before else []
    programs += [('treaty', args.treaty)]
    print(f'{"":24}{"found":>10}{"first, s":>10}{"small, s":>10}{"CPU, s":>10}{"messages":>10}')
    results = {}
    for seed in range(args.seeds):
        for name, program in programs:
            with Memcached() as server:
                limits = ['--sessions', 1000000, '--limit-time', f'{LIMIT_S}s', '--seed', seed]
                quick, _ = test(program, server.port, 'Unpadded', folder, *limits, '--no-shrink')
                whole, cpu = test(program, server.port, 'Unpadded', folder, *limits)
            if whole['answer'] == 'fails':
                events = len(whole['witness']['events'])
                results.setdefault(name, []).append((quick['stats']['seconds'], whole['stats']['seconds'], cpu, events))
        with Memcached() as server:
            first, end, _, cpu = model(server.port, seed, 'plain', 1000000, folder)
        if first >= 0:
            results.setdefault('hypothesis', []).append((first, end, cpu, 0))
    for name, rows in results.items():
        columns = list(zip(*rows))
        print(f'{name:24}{len(rows):>7}/{args.seeds}{median(columns[0]):>10}{median(columns[1]):>10}{median(columns[2]):>10}'
              f'{statistics.median(columns[3]):>10.0f}', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--treaty', required=True)
    parser.add_argument('--before', help='an older one, measured in turns with it')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--sessions', type=int, default=500)
    parser.add_argument('--seeds', type=int, default=20)
    parser.add_argument('--only', choices=('messages', 'found'))
    args = parser.parse_args()
    args.treaty = pathlib.Path(args.treaty).resolve()
    with tempfile.TemporaryDirectory() as folder:
        if args.only != 'found':
            measure_messages(args, folder)
        if args.only != 'messages':
            measure_found(args, folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
