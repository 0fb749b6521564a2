#!/usr/bin/env python3
"""Builds the page of the workbench from web/ into web/out/, and makes it a part of the program.

    scripts/build_page.py [--embed FILE.inc]

npm installs what web/package-lock.json names, once for each version of it. With --embed a page that cannot be built is
not an error: the program is built without it, and what is missing is printed. Without --embed it ends with 77 if there is
no npm, and with 1 if the page cannot be built.
"""
import argparse
import gzip
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEB = ROOT / 'web'
INDEX = 'index.html'  # filled in for each visitor, so it is not compressed
PIECE = 4000  # bytes in one literal


def npm(*arguments):
    run = subprocess.run(['npm', *arguments], cwd=WEB, capture_output=True, text=True, timeout=900, check=False)
    return run.returncode, run.stdout + run.stderr


def install():
    done = WEB / 'node_modules/.package-lock.json'
    if done.exists() and done.stat().st_mtime >= (WEB / 'package-lock.json').stat().st_mtime:
        return ''
    code, output = npm('ci', '--no-audit', '--no-fund', '--ignore-scripts')
    if code == 0:
        done.touch()
    return output if code else ''


def build():
    """What went wrong; empty if the page is in web/out/."""
    if not shutil.which('npm'):
        return 'npm is not installed'
    fault = install()
    if fault:
        return 'npm could not install the packages: ' + fault.strip().splitlines()[-1]
    code, output = npm('run', '--silent', 'build')
    return f'esbuild failed:\n{output}' if code else ''


def literal(data):
    """Bytes as C++ string literals; octal, because a hexadecimal escape has no end of its own."""
    pieces = []
    for at in range(0, len(data), PIECE):
        text = ''.join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f'\\{b:03o}' for b in data[at:at + PIECE])
        pieces.append(f'"{text}"')
    return '\n'.join(pieces) or '""'


def embedded(files):
    out = ['// Written by scripts/build_page.py.']
    rows = []
    for path in files:
        data = path.read_bytes()
        packed = data if path.name == INDEX else gzip.compress(data, 9, mtime=0)
        rows.append(f'{{"{path.name}", {{{literal(packed)}, {len(packed)}}}}},')
    out.append(f'constexpr std::array<EmbeddedFile, {len(rows)}> embedded_files{{{{')
    out += rows
    return '\n'.join(out) + '\n}};\n'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--embed', type=pathlib.Path)
    into = parser.parse_args().embed
    fault = build()
    if into:
        into.parent.mkdir(parents=True, exist_ok=True)
        if fault:
            print(f'treaty is built without the page of the workbench: {fault}')
        into.write_text(embedded([] if fault else sorted((WEB / 'out').iterdir())), encoding='ascii')
        return 0
    if fault:
        print(f'build_page: {fault}')
        return 77 if not shutil.which('npm') else 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
