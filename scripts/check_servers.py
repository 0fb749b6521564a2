#!/usr/bin/env python3
"""Tests programs that speak real protocols, servers and clients, as Debian ships them, with `treaty test`.

    scripts/check_servers.py --treaty build/test/treaty [--sessions N [--parallel N]] [NAME]...

What there is to do is in examples/*/servers.json, a list of entries:

    name       what it is called here
    needs      programs and files that must be there; without them the entry is left out, which is printed
    file       the protocol, beside the list; `protocol` selects one of the file (default: the last)
    cut        the role that the program plays
    run, via   how it is started and reached; {here} is the folder of the list, {python} Debian's
    sessions   how many conversations (40), after which `length` of messages (40)
    silence    how long it may say nothing (30s)
    options    further ones of treaty test
    never      steps that this program never takes, as `sender -> receiver: message`. All others must be seen.
    may_miss   true: steps are left out whenever the program decides on them (a client has one thing to do)
    finding    the heading of docs/findings.md under which a difference is described: then the test must fail, with
               the failure that `says` is part of, and its replay must fail as well

Every session of an entry without a finding passes and comes to its end. --sessions N runs so many of each server that has
no finding: that is how docs/findings.md got its numbers; --parallel sets how many at once, since most of the time is spent
waiting for programs to start, to end, and to say nothing. Each NAME is a whole one, or part of
those that are meant; one that means nothing is an error. Everything listens on 127.0.0.1 and has ended when this ends.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import golden
from check_programs import Failed, Runner, expect, timed

LISTS = 'examples/*/servers.json'
PYTHON = '/usr/bin/python3'  # the one that Debian's packages are for
PATIENT = '30s'  # machines that run tests are busy
SHORT = {'--strategy', '--until-coverage'}  # what makes a small number of sessions see much


class Entry:
    def __init__(self, path, what):
        self.folder, self.what = path.parent, what
        self.name = f'{path.parent.name}: {what["name"]}'

    def text(self, key):
        return self.what[key].replace('{here}', str(self.folder)).replace('{python}', PYTHON)

    def missing(self):
        """What is needed and not there."""
        def there(need):
            if need.startswith('python:'):
                command = [PYTHON, '-c', f'import {need.removeprefix("python:")}']
                return subprocess.run(command, capture_output=True, check=False).returncode == 0
            return shutil.which(need, path=os.environ['PATH'] + ':/usr/sbin:/sbin') or pathlib.Path(need).exists()
        return [need for need in self.what.get('needs', []) if not there(need)]

    def arguments(self, sessions, parallel):
        what = self.what
        arguments = ['test', self.folder / what['file'], '--cut', what['cut'], '--run', self.text('run'),
                     '--via', self.text('via'), '--sessions', sessions or what.get('sessions', 40),
                     '--length', what.get('length', 40), '--silence', what.get('silence', PATIENT), '--startup', '60s', '--seed', what.get('seed', 1)]
        if 'protocol' in what:
            arguments += ['--protocol', what['protocol']]
        options = what.get('options', [])
        if sessions:  # many sessions are drawn alike, and none is left out
            arguments += ['--parallel', parallel]
            options = [o for i, o in enumerate(options) if not {o, options[i - 1] if i else ''} & SHORT]
        if 'finding' in what:
            options = options + ['--save', 'failure.json']
        return arguments + options


class Stoppable(Runner):
    """A runner whose tests end when this script does: treaty ends what it has started."""
    running = set()
    stopped = False

    def start(self, *arguments):
        if Stoppable.stopped:
            raise Failed('stopped')
        process = super().start(*arguments)
        Stoppable.running.add(process)
        return process

    def finish(self, process, timeout_s=300):
        try:
            return super().finish(process, timeout_s)
        finally:
            Stoppable.running.discard(process)

    @classmethod
    def stop(cls):
        cls.stopped = True
        for process in list(cls.running):
            process.terminate()


def check(treaty, entry, sessions, parallel):
    """One line about what was seen."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Stoppable(treaty, folder)
        code, got = runner.finish(runner.start(*entry.arguments(sessions, parallel)), timeout_s=14000 if sessions else 300)
        if 'finding' in entry.what:
            expect(code == 1 and entry.what['says'] in got['reason'], f'{entry.name} should fail: {entry.what["says"]}', got)
            code, got = runner.run('replay', 'failure.json')
            expect(code == 1, f'{entry.name} should fail again', got)
            runner.expect_nothing_left(entry.name)
            return 'differs, as in docs/findings.md'
        expect(code == 0 and got['verdicts']['pass'] == got['sessions'], f'{entry.name} should pass', got)
        expect(got['sessions'] == got.get('ended', got['sessions']), f'{entry.name}: some came to no end', got)
        missing = got['coverage']['missing']
        if not entry.what.get('may_miss'):
            ours = [step for step in missing if step['by'] == 'tester']
            expect(not ours, f'{entry.name}: this was never tried', ours)
            unseen = {step['step'] for step in missing} - set(entry.what.get('never', []))
            expect(not unseen, f'{entry.name}: steps were never seen', sorted(unseen))
            seen = set(entry.what.get('never', [])) - {step['step'] for step in missing}
            expect(not seen, f'{entry.name}: this should never happen', sorted(seen))
        runner.expect_nothing_left(entry.name)
        return f'{got["sessions"]} sessions, {got["messages"]} messages, {got["coverage"]["covered"]} of {got["coverage"]["total"]} steps'


def described(entry):
    text = (golden.ROOT / 'docs' / 'findings.md').read_text(encoding='utf-8')
    return f'## {entry.what["finding"]}\n' in text


def selected(entries, words):
    """Those that the words name, in their own order, and the words that name none. A word that is a whole name means that
    one, any other all whose names it is part of."""
    chosen, nothing = set(), []
    for word in words:
        found = {e.name for e in entries if e.name == word} or {e.name for e in entries if word in e.name}
        chosen |= found
        nothing += [] if found else [word]
    return [e for e in entries if e.name in chosen], nothing


def run_all(treaty, entries, sessions, parallel):
    """How many did not go as expected. Prints each of them, how long the others took and what was seen."""
    said = {}

    def job(entry):
        said[entry.name] = check(treaty, entry, sessions, parallel)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(1 if sessions else os.cpu_count()) as pool:
        for entry, future in [(e, pool.submit(timed, lambda e=e: job(e))) for e in entries]:
            try:
                seconds = future.result()
                print(f'{seconds:6.1f} s  {entry.name}: {said[entry.name]}', flush=True)
            except (Failed, subprocess.TimeoutExpired, ValueError, KeyError) as fault:
                failed += 1
                print(f'{entry.name}: {fault}', flush=True)
            except KeyboardInterrupt:
                Stoppable.stop()
                pool.shutdown(wait=True, cancel_futures=True)
                raise
    return failed


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    signal.signal(signal.SIGTERM, interrupt)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--treaty', required=True)
    parser.add_argument('--sessions', type=int, default=0)
    parser.add_argument('--parallel', type=int, default=8)
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    entries = [Entry(path, what) for path in sorted(golden.ROOT.glob(LISTS))
               for what in json.loads(path.read_text(encoding='utf-8'))]
    if args.sessions:
        entries = [e for e in entries if e.what['cut'] != 'client' and 'finding' not in e.what]
    if args.names:
        entries, nothing = selected(entries, args.names)
        if nothing:
            parser.error('; '.join(f'{word!r} selects nothing' for word in nothing))
    begin, failed, left_out = time.monotonic(), 0, 0
    ready = []
    for entry in entries:
        if missing := entry.missing():
            left_out += 1
            print(f'{entry.name}: left out (no {", ".join(missing)})')
            continue
        if 'finding' in entry.what and not described(entry):
            failed += 1
            print(f'{entry.name}: docs/findings.md does not describe it')
            continue
        ready.append(entry)
    failed += run_all(os.path.abspath(args.treaty), ready, args.sessions, args.parallel)
    print(f'servers: {len(ready) - failed} of {len(ready)} as expected, {left_out} left out, {time.monotonic() - begin:.0f} s')
    return 1 if failed or not entries else 0


if __name__ == '__main__':
    sys.exit(main())
