#!/usr/bin/env python3
"""Tests the bundled programs of examples/ with `treaty test`, right ones and wrong ones.

    scripts/check_programs.py --treaty build/dev/treaty [NAME]...

Every program without a bug passes; every bug is found, as the kind of failure it is, and its saved run fails again
when it is replayed, and is fixed when the program without the bug is started instead. Then hostile components, made
up here: each gets a verdict within its time limit, and nothing is left running.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import golden

EXAMPLES = golden.ROOT / 'examples'
PYTHON = sys.executable
TCP = 'tcp://127.0.0.1:{port}'
PATIENT = '20s'  # machines that run tests are busy: only silence that is meant is waited for

# name: (protocol, role, command, address, {bug: (kinds of failure, further arguments)})
CRASH = {'crash', 'closed early'}
QUICK = ['--silence', '1s']
PROGRAMS = {
    'echo': ('echo/echo.treaty', 'server', 'echo/server.py {port}', TCP, {
        'empty': ({'wrong data'}, []), 'case': ({'wrong data'}, []), 'crash': (CRASH, []),
        'silent': ({'silence'}, QUICK), 'late': ({'unexpected message'}, [])}),
    'book_shop': ('book_shop/book_shop.treaty', 'server', 'book_shop/server.py', 'stdio:', {
        'second': ({'wrong data'}, []), 'crash': (CRASH, []), 'type': ({'bytes that are no message'}, []),
        'silent': ({'silence'}, QUICK)}),
    'bank': ('atm/atm.treaty', 'B', 'atm/bank.py', 'stdio:', {
        'swap': ({'unexpected message'}, []), 'wrong': ({'bytes that are no message'}, []), 'crash': (CRASH, []),
        'silent': ({'silence'}, QUICK)}),
    'smtp_server': ('smtp/smtp.treaty', 'server', 'smtp/server.py {port}', TCP, {
        'rset': ({'bytes that are no message', 'unexpected message'}, []), 'quit': ({'closed early'}, []),
        'crash': (CRASH, [])}),
    'smtp_client': ('smtp/smtp.treaty', 'client', 'smtp/client.py {port}', 'tcp-listen://127.0.0.1:{port}', {
        'hasty': ({'bytes that are no message', 'unexpected message'}, []), 'rude': ({'closed early'}, [])}),
}

# Components that misbehave: a shell or Python line, and the kinds of failure that are right (empty: none).
HOSTILE = {
    'floods': ("yes '{\"message\": \"ok\"}'", {'unexpected message'}),
    'floods one message': ("head -c 100000000 /dev/zero | tr '\\0' x", {'bytes that are no message'}),
    'stalls in mid message': ("printf '{\"message\": '; sleep 600", {'silence'}),
    'closes in mid message': ("read x; printf '{\"message\": '", {'bytes that are no message', 'closed early'}),
    'closes at once': ('exit 0', {'closed early'}),
    'ends with an error': ('exit 3', {'crash', 'closed early'}),
    'kills itself': ('kill -9 $$', {'crash', 'closed early'}),
    'ignores signals and forks': ("trap '' TERM INT HUP; (setsid sleep 611 &) ; sleep 611", {'silence'}),
}
ASK = 'protocol Ask(A, B) {\n  A -> B: ask\n  B -> A: ok\n}\n'


class Failed(Exception):
    pass


class Runner:
    def __init__(self, treaty, folder):
        self.treaty, self.folder = treaty, folder

    def run(self, *arguments):
        done = subprocess.run([self.treaty, *map(str, arguments), '--json'], cwd=self.folder, capture_output=True, text=True,
                              env=golden.environment(self.treaty), stdin=subprocess.DEVNULL, timeout=300)
        if golden.crashed(done.returncode):
            raise Failed(f'treaty {arguments} crashed:\n{done.stderr}')
        return done.returncode, json.loads(done.stdout)


def expect(condition, what, got):
    if not condition:
        raise Failed(f'{what}:\n{json.dumps(got, indent=1)[:3000]}')


def check_program(treaty, name, bug):
    protocol, role, command, via, bugs = PROGRAMS[name]
    right = f'{PYTHON} {EXAMPLES}/{command}'
    kinds, more = bugs[bug] if bug else (set(), [])
    arguments = ['test', EXAMPLES / protocol, '--cut', role, '--via', via, '--sessions', 200 if bug else 10]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        wrong = right + (f' --bug {bug}' if bug else '')
        code, got = runner.run(*arguments, '--run', wrong, *(more or ['--silence', PATIENT]), '--seed', 1)
        if not bug:
            expect(code == 0 and got['verdicts']['pass'] == 10, f'{name} should pass', got)
            return
        expect(code == 1 and got['failure']['problem'] in kinds, f'{name} --bug {bug} should fail with {kinds}', got)
        if name == 'bank':  # what the bank decides is not in the tester's hands
            return
        code, got = runner.run('replay', 'treaty-failure.json')
        expect(code == 1, f'{name} --bug {bug} should fail again', got)
        # The right program gets all the time it needs to start.
        saved = pathlib.Path(folder, 'treaty-failure.json')
        saved.write_text(json.dumps({**json.loads(saved.read_text(encoding='utf-8')), 'silence_ms': 20000}), encoding='utf-8')
        code, got = runner.run('replay', 'treaty-failure.json', '--run', right)
        expect(code == 0, f'{name} without {bug} should be fixed', got)


def check_hostile(treaty, name):
    command, kinds = HOSTILE[name]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'ask.treaty').write_text(ASK, encoding='utf-8')
        mark = f'TREATY_TEST_MARK={os.getpid()}-{name.replace(" ", "-")}'
        code, got = Runner(treaty, folder).run('test', 'ask.treaty', '--cut', 'B', '--via', 'stdio:', '--silence', '1s',
                                               '--run', f'export {mark}; {command}', '--sessions', 2)
        expect(code == 1 and got['failure']['problem'] in kinds, f'{name} should fail with {kinds}', got)
        left = subprocess.run(['grep', '-laz', '--', mark, *map(str, pathlib.Path('/proc').glob('[0-9]*/environ'))],
                              capture_output=True, text=True, check=False).stdout
        expect(not left, f'{name} left processes running', left)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--treaty', required=True)
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    treaty = os.path.abspath(args.treaty)
    jobs = {}
    for name, (_, _, _, _, bugs) in PROGRAMS.items():
        for bug in [None, *bugs]:
            jobs[f'{name} {bug or "right"}'] = lambda n=name, b=bug: check_program(treaty, n, b)
    for name in HOSTILE:
        jobs[f'hostile: {name}'] = lambda n=name: check_hostile(treaty, n)
    wanted = {n: job for n, job in jobs.items() if not args.names or any(word in n for word in args.names)}
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, future in [(n, pool.submit(job)) for n, job in wanted.items()]:
            try:
                future.result()
            except (Failed, subprocess.TimeoutExpired, ValueError) as fault:
                failed += 1
                print(f'{name}: {fault}')
    print(f'programs: {len(wanted) - failed} of {len(wanted)} as expected')
    return 1 if failed or not wanted else 0


if __name__ == '__main__':
    sys.exit(main())
