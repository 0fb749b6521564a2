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
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ('src', 'tests', 'bench', 'fuzz', 'examples')
AT_ONCE = 40
NOTICE = re.compile(r'^(.*?):\d+:\d+: warning: code should be clang-formatted', re.M)


def sources(root):
    return sorted(path for folder in FOLDERS for path in (root / folder).rglob('*') if path.suffix in ('.h', '.cpp'))


def lay_out(paths):
    subprocess.run(['clang-format', '-i', *paths], check=True)


def that_differ(paths):
    """The files that are laid out otherwise. Many are read by one process: most of the time for one file is its start."""
    done = subprocess.run(['clang-format', '--dry-run', *paths], stderr=subprocess.PIPE, text=True, check=True)
    named = set(NOTICE.findall(done.stderr))
    return [path for path in paths if str(path) in named]


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
        groups = [files[i:i + AT_ONCE] for i in range(0, len(files), AT_ONCE)]
        found = [path for group in pool.map(that_differ, groups) for path in group]
    if found and options.fix:
        lay_out(found)
    for path in found:
        print(f'{os.path.relpath(path, ROOT)}: {"laid out" if options.fix else "not laid out; run `make format`"}')
    print(f'format: {len(found)} of {len(files)} files {"changed" if options.fix else "differ"}')
    return 1 if found and not options.fix else 0


if __name__ == '__main__':
    sys.exit(main())
