#!/usr/bin/env python3
"""Measures the page of the workbench in Chromium: first paint, size, typing, a picture of 500 states.

    bench/workbench_page.py --treaty build/release/treaty [--loads 20] [--keys 400]

Typing is the time from a key to the end of the frame with its letter, alone and while a campaign of a million sessions
against the SMTP server of the examples runs. Needs npm and Chromium, without which it ends with 77. docs/workbench.md has the table.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'scripts'))

import build_page
import golden
from check_html import chromium


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--treaty', required=True)
    parser.add_argument('--loads', type=int, default=20)
    parser.add_argument('--keys', type=int, default=400)
    given = parser.parse_args()
    treaty = str(pathlib.Path(given.treaty).resolve())
    fault = 'Chromium is not installed' if not chromium() else build_page.build()
    if fault:
        print(f'workbench_page: left out ({fault})')
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, **golden.environment(treaty), 'TREATY': treaty, 'PAGE': '', 'CHROMIUM': chromium(), 'FOLDER': f'{folder}/files',
                       'ROOT': str(ROOT), 'PYTHON': sys.executable, 'LOADS': str(given.loads), 'KEYS': str(given.keys)}
        done = subprocess.run(['node', 'test/measure.mjs'], cwd=build_page.WEB, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        print(done.stdout + done.stderr)
        return 1
    found = json.loads(done.stdout)
    print('| what | p50 | p99 |')
    print('| --- | --- | --- |')
    for name, key in (('first paint', 'paint'), ('files listed', 'ready'), ('key to frame', 'typing'), ('key to frame, while a campaign runs', 'typingWithCampaign')):
        print(f'| {name} | {found[key]["p50"]:.0f} ms | {found[key]["p99"]:.0f} ms |')
    print(f'| a machine of 500 states, from the click to the picture | {found["picture"]} ms | |')
    print(f'| page, compressed | {found["bytes"] / 1000:.0f} kB | |')
    return 0


if __name__ == '__main__':
    sys.exit(main())
