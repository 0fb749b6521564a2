#!/usr/bin/env python3
"""Runs clang-tidy over all sources of a build.

    scripts/check_tidy.py --build build/test [--jobs N] [--only K] [--profile]

Prints what clang-tidy finds; ends with 1 if that is anything. The checks are in .clang-tidy.

clang-tidy reads and examines all headers anew for each source, which takes many times as long as the source itself. So the sources
are read in few large units: scripts/unity_groups.py puts together those whose private names differ. A unit in which nothing was
found is not read again until a source, a header or the checks change; what was read is in BUILD/tidy.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

import unity_groups

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ('src', 'tests', 'fuzz', 'bench')
MAX_LINES = 30000
ENTRIES = ('main', 'LLVMFuzzerTestOneInput')  # one per program
NAMESPACE = re.compile(r'^namespace ([\w:]+) \{$', re.M)
TEST = re.compile(r'^(?:[A-Z]+_)*(?:TEST|TEST_F|TEST_P|PROP)\((\w+,\s*\w+)', re.M)


def of_the_tree(path):
    return any(path.is_relative_to(ROOT / folder) for folder in FOLDERS)


def sources_and_flags(build):
    """What the build compiles, without what it generates, and the folders and macros that its sources need."""
    sources, flags = {}, {}
    for command in json.loads((build / 'compile_commands.json').read_text(encoding='utf-8')):
        file = pathlib.Path(command['directory'], command['file'])
        if of_the_tree(file):
            sources[file] = None
        elif '/units/' in str(file):
            for name in re.findall(r'#include "(.*)"', file.read_text(encoding='utf-8')):
                sources[ROOT / 'src' / name] = None
        words = iter(shlex.split(command['command']))
        for word in words:
            if word == '-isystem':
                flags.setdefault(f'-isystem{next(words)}')
            elif word.startswith('-I') or word.startswith('-D') and word.split('=')[0] not in {f.split('=')[0] for f in flags}:
                flags.setdefault(word)
    return list(sources), list(flags)


def state_of_the_tree(flags):
    """A digest of everything a finding depends on but the text of the unit."""
    digest = hashlib.sha256(' '.join(flags).encode())
    for path in (ROOT / '.clang-tidy', pathlib.Path(__file__)):
        digest.update(path.read_bytes())
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob('*')):
            if path.suffix in ('.h', '.def', '.inc'):
                digest.update(path.read_bytes())
    return digest


class Source(unity_groups.Source):
    """A source among those of other folders and programs: what is private to a namespace meets nobody in another one."""

    def __init__(self, path):
        super().__init__(path)
        code = unity_groups.NO_CODE.sub('', pathlib.Path(path).read_text(encoding='utf-8'))
        self.namespaces = set(NAMESPACE.findall(code)) or {''}
        undone = set(re.findall(r'^#\s*undef\s+(\w+)', code, re.M))
        self.private = {name: meaning for name, meaning in self.private.items() if name not in undone}
        self.private |= {f'TEST {name}': unity_groups.Meaning(place=min(self.namespaces)) for name in TEST.findall(code)}
        # Which names this declares for all sources of the namespace is not known.
        self.opened = self.namespaces if re.search(r'^using enum ', code, re.M) else set()

    def is_beside(self, other):
        """Whether they have code in one namespace, or one in a namespace within the other's."""
        return any(one == another or '::' in one and another.startswith(one + '::') or '::' in another and one.startswith(another + '::')
                   for one in self.namespaces for another in other.namespaces)

    def fits(self, other):
        beside = self.is_beside(other)
        return not beside or super().fits(other) and not self.opened and not other.opened


def units_of(paths):
    """The sources in groups that are read as one, as few as possible: those that fit with the fewest others choose first."""
    sources = [Source(str(path)) for path in paths]
    strangers = {one: sum(not one.fits(other) for other in sources) for one in sources}
    groups = unity_groups.groups(sorted(sources, key=lambda one: -strangers[one]), MAX_LINES)
    return [sorted(pathlib.Path(one.path) for one in group) for group in groups]


class Unit:
    def __init__(self, folder, number, sources, state):
        self.path = folder / f'unit_{number}.cpp'
        lines = []  # programs that are read as one each get an entry of their own
        for k, source in enumerate(sources):
            entries = [name for name in ENTRIES if re.search(rf'^[\w" ]*\b{name}\(', source.read_text(encoding='utf-8'), re.M)]
            lines += [*(f'#define {name} {name}_{k}' for name in entries), f'#include "{source}"', *(f'#undef {name}' for name in entries)]
        text = '\n'.join(lines) + '\n'
        self.path.write_text(text, encoding='utf-8')
        digest = state.copy()
        for source in sources:
            digest.update(source.read_bytes())
        self.passed = folder / f'{digest.hexdigest()}.passed'

    def check(self, flags, profile):
        """What is found, as text; empty if nothing is."""
        if self.passed.exists() and not profile:
            return ''
        started = time.monotonic()
        command = ['clang-tidy', '--quiet', *(['--enable-check-profile'] if profile else []), str(self.path), '--', '-std=c++20', '-w', *flags]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        if done.returncode == 0:
            self.passed.touch()
        if profile:
            return f'{self.path.name}: {time.monotonic() - started:.0f} s\n{done.stdout}{done.stderr}'
        return '' if done.returncode == 0 else done.stdout or done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path, required=True)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--only', type=int, action='append', help='the number of a unit; repeatable')
    parser.add_argument('--profile', action='store_true', help='print how long each check takes')
    options = parser.parse_args()
    if not shutil.which('clang-tidy'):
        print('tidy: clang-tidy is not installed; `scripts/setup.sh lint` installs it')
        return 1
    build = options.build.resolve()
    sources, flags = sources_and_flags(build)
    state = state_of_the_tree(flags)
    folder = build / 'tidy'
    folder.mkdir(exist_ok=True)
    units = [Unit(folder, number, group, state) for number, group in enumerate(units_of(sources))]
    if options.only is not None:
        units = [units[number] for number in options.only]
    for old in set(folder.glob('*.passed')) - {unit.passed for unit in units}:
        old.unlink()
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda unit: unit.check(flags, options.profile), units):
            print(found, end='', flush=True)
            bad += bool(found)
    print(f'tidy: {len(sources)} sources in {len(units)} units, {bad} with findings')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
