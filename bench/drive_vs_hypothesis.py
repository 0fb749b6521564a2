#!/usr/bin/env python3
"""The benchmark of driving, then how long it takes to find and to shrink each bug of the key-value server, beside
Hypothesis (python3-hypothesis) with a model that says the same.

    bench/drive_vs_hypothesis.py --bench build/bench/bench/drive_bench [--treaty TREATY] [--seeds N] [--bugs NAMES]

Both talk to examples/keyvalue/server.py over TCP, one server for all conversations of a campaign; the limit is 60 s each.
Times are medians over the seeds, in seconds; found: in how many of the seeds.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'scripts'))

from ports import free_port  # noqa: E402

SERVER = ROOT / 'examples/keyvalue/server.py'
PYTHON = '/usr/bin/python3'  # the one that Debian's packages are for
BUGS = ('append', 'wrap', 'case')
LIMIT_S = 60

# The same three names, the same operations, at most as many of them; run by Debian's Python: PORT SEED.
MODEL = '''
import socket, string, sys, time
from hypothesis import HealthCheck, Phase, seed, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

port, number = int(sys.argv[1]), int(sys.argv[2])
KEYS = st.text(alphabet=string.ascii_letters + string.digits, min_size=1)
TEXTS = st.text(alphabet=string.ascii_lowercase + string.digits)
STEPS = st.integers(-10**12, 10**12)
begin = time.monotonic()
first = []

class Store(RuleBasedStateMachine):
    def ask(self, line):
        self.link.sendall((line + '\\n').encode())
        return self.lines.readline().decode().rstrip('\\n')

    def expect(self, got, wanted):
        if got != wanted and not first:
            first.append(time.monotonic() - begin)
        assert got == wanted

    @initialize(names=st.lists(KEYS, min_size=3, max_size=3, unique=True), x=TEXTS, y=TEXTS, n=STEPS)
    def open(self, names, x, y, n):
        self.link = socket.create_connection(('127.0.0.1', port))
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = self.link.makefile('rb')
        self.a, self.b, self.c = names
        self.x, self.y, self.n = x, y, n
        self.expect(self.ask('CLEAR'), 'OK')
        self.expect(self.ask(f'SET {self.a} {x}'), 'OK')
        self.expect(self.ask(f'SET {self.b} {y}'), 'OK')
        self.expect(self.ask(f'ADD {self.c} {n}'), f'COUNT {n}')

    @rule(x=TEXTS)
    def set(self, x):
        self.expect(self.ask(f'SET {self.a} {x}'), 'OK')
        self.x = x

    @rule(more=TEXTS)
    def append(self, more):
        self.x += more
        self.expect(self.ask(f'APPEND {self.a} {more}'), f'SIZE {len(self.x)}')

    @rule(which=st.booleans())
    def get(self, which):
        self.expect(self.ask('GET ' + (self.b if which else self.a)), 'TEXT ' + (self.y if which else self.x))

    @rule(by=STEPS)
    def add(self, by):
        self.n += by
        self.expect(self.ask(f'ADD {self.c} {by}'), f'COUNT {self.n}')

    def teardown(self):
        if hasattr(self, 'link'):
            self.lines.close()
            self.link.close()

try:
    run_state_machine_as_test(seed(number)(Store), settings=settings(max_examples=1000000, stateful_step_count=10, database=None,
        deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink], print_blob=False))
except BaseException:
    pass
print('RESULT', first[0] if first else -1, time.monotonic() - begin, flush=True)
'''


def hypothesis(bug, seed, folder):
    """Seconds to the first failure and to the end of shrinking; nothing if it was not found in time."""
    import socket
    import time
    port = free_port()
    server = subprocess.Popen([PYTHON, str(SERVER), str(port), '--bug', bug])
    try:
        for _ in range(500):
            try:
                socket.create_connection(('127.0.0.1', port)).close()
                break
            except OSError:
                time.sleep(0.01)
        model = pathlib.Path(folder, 'model.py')
        model.write_text(MODEL, encoding='utf-8')
        try:
            done = subprocess.run([PYTHON, str(model), str(port), str(seed)], capture_output=True, text=True, timeout=LIMIT_S,
                                  check=False, cwd=folder)
        except subprocess.TimeoutExpired:
            return None
        found = [line.split() for line in done.stdout.splitlines() if line.startswith('RESULT')]
        if not found:
            raise SystemExit(f'the model cannot be run:\n{done.stderr[-2000:]}')
        first, end = map(float, found[-1][1:])
        return (first, end - first) if first >= 0 else None
    finally:
        server.kill()
        server.wait()


def treaty(program, bug, seed, folder):
    def run(*more):
        done = subprocess.run([program, 'test', str(ROOT / 'examples/keyvalue/keyvalue.treaty'), '--cut', 'server', '--run',
                               f'{PYTHON} {SERVER} {{port}} --bug {bug}', '--via', 'tcp://127.0.0.1:{port}', '--keep',
                               '--sessions', '1000000', '--limit-time', f'{LIMIT_S}s', '--seed', str(seed), '--json',
                               '--store', f'{folder}/{bug}-{seed}-{len(more)}.db', *more],
                              capture_output=True, text=True, timeout=3 * LIMIT_S, check=False)
        got = json.loads(done.stdout)
        return got['stats']['seconds'] if got['answer'] == 'fails' else None
    first, whole = run('--no-shrink'), run()
    return (first, max(0.0, whole - first)) if first is not None and whole is not None else None


def median(times, which):
    found = [t[which] for t in times if t]
    return f'{statistics.median(found):8.2f}' if found else '     -  '


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bench', required=True)
    parser.add_argument('--treaty')
    parser.add_argument('--seeds', type=int, default=5)
    parser.add_argument('--only', choices=('bench', 'bugs'))
    parser.add_argument('--bugs', default=','.join(BUGS), help='which of them')
    args = parser.parse_args()
    if args.only != 'bugs':
        subprocess.run([args.bench], check=True)
    if args.only == 'bench':
        return 0
    program = args.treaty or str(pathlib.Path(args.bench).resolve().parent.parent / 'treaty')
    peer = subprocess.run([PYTHON, '-c', 'import hypothesis'], capture_output=True, check=False).returncode == 0
    if not peer:
        print('hypothesis is not installed: only treaty is measured')
    print(f'{"":8}{"treaty":>30}{"hypothesis":>30}')
    print(f'{"bug":8}' + f'{"found":>10}{"first":>10}{"shrink":>10}' * (2 if peer else 1))
    with tempfile.TemporaryDirectory() as folder:
        for bug in args.bugs.split(','):
            rows = [[treaty(program, bug, seed, folder) for seed in range(args.seeds)]]
            if peer:
                rows.append([hypothesis(bug, seed, folder) for seed in range(args.seeds)])
            line = f'{bug:8}'
            for times in rows:
                found = f'{sum(t is not None for t in times)}/{len(times)}'
                line += f'{found:>10}{median(times, 0):>10}{median(times, 1):>10}'
            print(line, flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
