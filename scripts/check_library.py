#!/usr/bin/env python3
"""Uses Treaty as a library from outside its tree, as docs/library.md describes.

    scripts/check_library.py --build build/test

Installs the library of a build folder into a temporary one, builds examples/library with find_package(Treaty) against it, and
runs it: on a protocol that holds, on one that can go wrong, on a file with an error and on one that is not there. Fails, too, if
the installed package names a folder of this tree, or has something of report, cli or CLI11 in it.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GUESS = '''protocol Guess(A, B, C) {
  choice at A {
    A -> B: left
    C -> B: one
  } or {
    A -> B: right
    C -> B: two
  }
}
'''
RUNS = [  # file, text, exit code, what must be printed
    ('good.treaty', 'protocol Hello(A, B) {\n  A -> B: hi\n}\n', 0, [r'^holds: no fault found$']),
    ('guess.treaty', GUESS, 1, [r'^  A -> B: (left|right)$|^  A B!(left|right)$', r'^fails: Guess can go wrong$']),
    ('typo.treaty', 'protocol Typo(A, B) {\n  A -> D: hi\n}\n', 2, [r'^typo\.treaty:2:8: error T\d{4}: .*`D`']),
    ('missing.treaty', None, None, [r'missing\.treaty']),
]


def cached(build, name):
    """A value of the build folder's cache, or nothing."""
    match = re.search(rf'^{name}:\w+=(.*)$', (build / 'CMakeCache.txt').read_text(encoding='utf-8'), re.M)
    return match.group(1) if match else ''


def must(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f'library: {" ".join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}')
    return done


def package_faults(prefix):
    """What must not be in an installed package."""
    for path in sorted(prefix.rglob('*')):
        shown = path.relative_to(prefix)
        if set(shown.parts) & {'report', 'cli', 'draw'} or re.search(r'treaty_(report|cli|draw)\.', path.name):
            yield f'{shown} is installed, but api is below it'
        if path.suffix in ('.cmake', '.h'):
            text = path.read_text(encoding='utf-8')
            if str(ROOT) in text or str(prefix) in text:
                yield f'{shown} names a folder of this machine'
            if re.search(r'#include <(CLI|gtest)/', text):
                yield f'{shown} includes what a user of the library does not need'


def run_faults(program, folder):
    """What the example does otherwise than it should."""
    for name, text, code, patterns in RUNS:
        if text is not None:
            (folder / name).write_text(text, encoding='utf-8')
        done = subprocess.run([program, name], cwd=folder, capture_output=True, text=True, timeout=600)
        shown = f'check_protocol {name} ended with {done.returncode} and printed\n{done.stdout}{done.stderr}'
        if code is not None and done.returncode != code:
            yield f'{shown}expected: {code}'
        if code is None and done.returncode in (0, 1):
            yield f'{shown}expected: no verdict'
        for pattern in patterns:
            if not re.search(pattern, done.stdout, re.M):
                yield f'{shown}expected a line like {pattern}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    with tempfile.TemporaryDirectory(prefix='treaty-library-') as name:
        folder = pathlib.Path(name)
        prefix, example = folder / 'prefix', folder / 'example'
        must('cmake', '--install', build, '--prefix', prefix, '--component', 'library')
        faults = list(package_faults(prefix))
        # The same compiler; no flag of ours: whatever the library needs must come with its target.
        must('cmake', '-G', 'Ninja', '-S', ROOT / 'examples/library', '-B', example, f'-DCMAKE_PREFIX_PATH={prefix}',
             f'-DCMAKE_CXX_COMPILER={cached(build, "CMAKE_CXX_COMPILER")}', '-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror',
             env={k: v for k, v in os.environ.items() if k not in ('CXXFLAGS', 'LDFLAGS')})
        must('cmake', '--build', example)
        faults += run_faults(example / 'check_protocol', folder)
    for fault in faults:
        print(fault)
    print(f'library: {len(faults)} faults' if faults else f'library: no fault in {len(RUNS)} runs')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
