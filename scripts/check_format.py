#!/usr/bin/env python3
"""Holds every C++ source to the layout of .clang-format.

    scripts/check_format.py [--fix] [FILE]...

Without FILE, all .h and .cpp files of the tree. Lists the files that differ; --fix lays them out. Ends with 77, "skipped" for
ctest, where there is no clang-format (`make test` installs it).
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ('src', 'tests', 'bench', 'fuzz', 'examples')


def sources(root):
    return sorted(path for folder in FOLDERS for path in (root / folder).rglob('*') if path.suffix in ('.h', '.cpp'))


def differs(path, fix):
    """Whether the file is laid out otherwise; with `fix`, it is laid out."""
    before = path.read_bytes()
    after = subprocess.run(['clang-format', f'--assume-filename={path}'], input=before, stdout=subprocess.PIPE, check=True).stdout
    if before != after and fix:
        path.write_bytes(after)
    return before != after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--fix', action='store_true')
    parser.add_argument('files', nargs='*', type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which('clang-format'):
        print('format: clang-format is not installed')
        return 77
    files = [path.resolve() for path in options.files] or sources(ROOT)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [path for path, bad in zip(files, pool.map(lambda path: differs(path, options.fix), files)) if bad]
    for path in found:
        print(f'{os.path.relpath(path, ROOT)}: {"laid out" if options.fix else "not laid out; run `make format`"}')
    print(f'format: {len(found)} of {len(files)} files {"changed" if options.fix else "differ"}')
    return 1 if found and not options.fix else 0


if __name__ == '__main__':
    sys.exit(main())
