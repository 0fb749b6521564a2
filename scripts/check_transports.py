#!/usr/bin/env python3
"""Tests Python programs over every transport with `treaty test`, as servers and as clients, right ones and wrong ones;
and with `treaty complete`, offering events to a counter.

    scripts/check_transports.py --treaty build/test/treaty [NAME]...

The programs are those of tests/transports. Right ones pass; wrong ones fail with the data that is wrong, or with the event
that goes too far.
"""
import argparse
import functools
import os
import pathlib
import subprocess
import sys
import tempfile

import golden
from check_programs import Runner, expect, run_jobs

HERE = golden.ROOT / 'tests' / 'transports'
PYTHON = '/usr/bin/python3'  # the one that Debian's packages belong to
TRANSPORTS = ['tcp', 'tls', 'unix', 'udp', 'ws', 'wss', 'http', 'https']


def make_certificate(folder):
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost',
                    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', f'{folder}/key.pem', '-out', f'{folder}/certificate.pem'],
                   check=True, capture_output=True)


def peer(folder, over, side, wrong):
    """How the tester reaches it, and the command that starts it."""
    make_certificate(folder)
    place = '{tmp}/socket' if over == 'unix' else '{port}'
    address = f':{place}' if over == 'unix' else f'://127.0.0.1:{place}'
    encrypted = over in ('tls', 'wss', 'https')
    # A client is talked to by one that listens; a server's certificate is checked.
    via = over + ('-listen' if side == 'client' else '') + address
    if encrypted and side == 'server':
        via += f'?ca={folder}/certificate.pem'
    command = f'{PYTHON} {HERE}/peer.py {side} {over} {place}' + (' --wrong' if wrong else '')
    if encrypted:
        command += f' --certificate {folder}/certificate.pem --key {folder}/key.pem'
    return via, command


def check(treaty, over, side, wrong, old_http=False):
    with tempfile.TemporaryDirectory() as folder:
        via, command = peer(folder, over, side, wrong)
        if old_http:
            command = 'PEER_HTTP=HTTP/1.0 ' + command
        code, got = Runner(treaty, folder).run('test', HERE / 'ask.treaty', '--cut', side, '--via', via, '--run', command,
                                               '--sessions', 200 if wrong else 3, '--silence', '20s', '--startup', '60s', '--seed', 3)
        if wrong:
            expect(code == 1 and got['failure']['problem'] == 'wrong data', f'{over} {side} is wrong', got)
        else:
            expect(code == 0 and got['verdicts']['pass'] == 3, f'{over} {side} is right', got)


def check_offers(treaty, over, side, wrong):
    with tempfile.TemporaryDirectory() as folder:
        via, command = peer(folder, over, side, wrong)
        keep = [] if wrong else ['--keep']  # the wrong one is started for each test, the right one only once
        code, got = Runner(treaty, folder).run('complete', golden.ROOT / 'examples/counter/counter.csp', '--spec', 'Counter', '--sut',
                                               command + ' --counter', '--via', via, '--tests', 6, '--patience', '60s', *keep)
        verdicts = [test['verdict'] for test in got['tests']]
        expect((code, verdicts) == ((1, ['pass', 'fail']) if wrong else (3, ['pass'] * 6)), f'{over} {side}: {verdicts}', got)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--treaty', required=True)
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    treaty = os.path.abspath(args.treaty)
    jobs = {f'{over} {side} {"wrong" if wrong else "right"}': (over, side, wrong)
            for over in TRANSPORTS for side in ('server', 'client') for wrong in (False, True)}
    jobs = {n: (check, *job) for n, job in jobs.items()} | {f'offers: {n}': (check_offers, *job) for n, job in jobs.items()}
    jobs['http server that closes after each reply'] = (check, 'http', 'server', False, True)
    wanted = {n: job for n, job in jobs.items() if not args.names or any(word in n for word in args.names)}
    failed = run_jobs({n: functools.partial(job[0], treaty, *job[1:]) for n, job in wanted.items()}, False)
    print(f'transports: {len(wanted) - failed} of {len(wanted)} as expected')
    return 1 if failed or not wanted else 0


if __name__ == '__main__':
    sys.exit(main())
