#!/usr/bin/env python3
"""Through how many sources a request goes, and how often it crosses from one layer to another.

    scripts/files_per_request.py [--list] [--root DIR] TREATY ARGUMENT...
    scripts/files_per_request.py build/quick/treaty check examples/shop/shop.treaty

Runs the command under callgrind (Debian package valgrind, which is needed only for this) and looks at the functions that were
really called. Printed are

- the sources of src/ whose functions ran, by layer: .cpp files, and headers that hold code;
- the crossings: pairs of a calling and a called function in different groups of layers, and how often they were called. The
  groups are cli, report (with draw), api, and the engines (every layer below api). Constructors, destructors and operators are
  left out: they move data, they ask nothing.

A function is assigned to a file by its name: first the file that defines `Class::function` or the function itself, else the one that
defines its class. Where several files fit, the function adds a file only if none of them is counted already. The compiler may
have inlined a small function into its caller; then it is not seen. So the numbers are lower bounds, and those of an unoptimised
build (preset quick) are the best. What only static initialisers call is not counted.
"""
import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

UP = {'cli': 'cli', 'lsp': 'lsp', 'report': 'report', 'draw': 'report', 'api': 'api'}
POSITION = re.compile(r'^(c?fn)=\((\d+)\)(?: (.*))?$')
CALLS = re.compile(r'^calls=(\d+)')
TYPE = re.compile(r'^\s*(?:template <.*>\s*)?(?:class|struct|union)\s+(\w+)[^;]*\{', re.M)
MEMBER = re.compile(r'\b(\w+)::(~?\w+)\(')
FUNCTION = re.compile(r'^(?!namespace\b|using\b|#|//|\s|\}).*?\b(\w+)\(', re.M)


def called(path):
    """The dynamic call graph of one callgrind file: (caller, callee) -> times."""
    names, graph = {}, collections.Counter()
    caller = callee = None
    for line in path.read_text(encoding='utf-8', errors='replace').splitlines():
        position = POSITION.match(line)
        if position:
            kind, number, name = position.groups()
            if name:
                names[number] = re.sub(r"'\d+$", '', name)  # '2: called from itself
            if kind == 'fn':
                caller = names[number]
            else:
                callee = names[number]
        elif callee:
            times = CALLS.match(line)
            if times:
                graph[caller, callee] += int(times.group(1))
                callee = None
    return graph


def without_arguments(name):
    """`treaty::a::B<int>::c(int) const` as ['treaty', 'a', 'B', 'c']; a lambda is the function that holds it."""
    out, depth = '', 0
    for c in name.replace('(anonymous namespace)::', ''):
        if c in '<([{' and not out.endswith('operator'):
            depth += 1
        if depth == 0:
            out += c
        if c in '>)]}' and depth:
            depth -= 1
    words = [word for word in out.split() if word.startswith('treaty::')]
    # A function template has its result in front. What follows an empty part is inside a lambda.
    return words[-1].split('::::')[0].rstrip(':').split('::') if words else []


def holder_of_lambda(name):
    """The function in which the first lambda of a name is; empty if no lambda has it."""
    before, found, _ = name.partition('::{lambda')
    before = before.removesuffix(' const')
    depth, start = 0, len(before) if found else 0
    while start > 0 and (depth > 0 or before[start - 1] not in '<,( '):
        start -= 1
        depth += (before[start] in ')>') - (before[start] in '(<')
    return before[start:] if found else ''


def parts_of(name):
    """The parts of the name of a function of ours, without `treaty`; empty for any other function."""
    if name.startswith('std::'):
        name = holder_of_lambda(name)  # a function object of ours that the library calls
    parts = without_arguments(name)
    return parts[1:] if len(parts) > 2 and parts[0].endswith('treaty') else []


def is_special(parts):
    return parts[-1].startswith(('~', 'operator')) or (len(parts) > 2 and parts[-1] == parts[-2])


class Sources:
    """Which files of a layer define what."""

    def __init__(self, root):
        self.files = collections.defaultdict(lambda: collections.defaultdict(set))
        for path in sorted([*root.glob('src/**/*.h'), *root.glob('src/**/*.cpp')]):
            shown = path.relative_to(root / 'src')
            if path.name.endswith('_test.cpp') or 'testing' in shown.parts:
                continue
            text, layer = path.read_text(encoding='utf-8'), self.files[shown.parts[0]]
            for name in TYPE.findall(text):
                layer['type', name].add(str(shown))
            for line in text.splitlines():
                if not line[:1].isspace():
                    for of, name in MEMBER.findall(line.split('//')[0]):
                        layer['member', of, name].add(str(shown))
            if path.suffix == '.cpp':
                for name in FUNCTION.findall(text):
                    layer['function', name].add(str(shown))
            else:
                for name in re.findall(r'^(?:inline|constexpr|template).*?\b(\w+)\(', text, re.M):
                    layer['function', name].add(str(shown))

    def of(self, parts):
        """The files that may define the function, best guess first found."""
        layer = self.files.get(parts[0])
        if layer is None:
            return set()
        keys = [('member', parts[-2], parts[-1])] if len(parts) > 2 else [('function', parts[-1])]
        keys += [('type', part) for part in reversed(parts[1:-1])] + [('function', part) for part in reversed(parts[1:])]
        return next((layer[key] for key in keys if key in layer), set())


def reached(graph):
    """The functions that something else than a static initialiser has called."""
    out, called_by = collections.defaultdict(set), collections.defaultdict(set)
    for caller, callee in graph:
        out[caller].add(callee)
        called_by[callee].add(caller)
    todo = [name for name in out if not called_by[name] and '_GLOBAL__sub_I' not in name] + ['main']
    seen = set()
    while todo:
        name = todo.pop()
        if name in seen or '_GLOBAL__sub_I' in name or name.startswith('__libc_csu_init'):
            continue
        seen.add(name)
        todo.extend(out[name])
    return seen


def count_files(names, sources):
    """The files of these functions, certain ones first, then one for each function that fits only files not counted."""
    found, open_ones = set(), []
    for name in names:
        parts = parts_of(name)
        files = sources.of(parts) if parts else set()
        if len(files) == 1:
            found |= files
        elif files:
            open_ones.append(files)
    for files in open_ones:
        if not files & found:
            found.add(sorted(files, key=lambda f: (not f.endswith('.cpp'), f))[0])
    return found


def crossings(graph, live):
    """(group, group) -> {(caller, callee): times} of calls between groups of layers."""
    found = collections.defaultdict(collections.Counter)
    for (caller, callee), times in graph.items():
        above, below = parts_of(caller), parts_of(callee)
        if caller not in live or not above or not below or is_special(below) or is_special(above):
            continue
        pair = tuple(UP.get(parts[0], 'engines') for parts in (above, below))
        if pair[0] != pair[1] and 'base' not in (above[0], below[0]):
            found[pair]['::'.join(above), '::'.join(below)] += times
    return found


def run(command):
    """The call graph of a command, that of it and all it forks, its exit code and its output."""
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen(['valgrind', '--tool=callgrind', '-q', f'--callgrind-out-file={folder}/out.%p', *command],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            output = process.communicate()[0]
        forked = collections.Counter()  # what a forked process did begins with all that its parent had done
        for path in pathlib.Path(folder).iterdir():
            forked += called(path)
        return called(pathlib.Path(folder) / f'out.{process.pid}'), forked, process.returncode, output


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--list', action='store_true', help='print the files and the crossing calls')
    options.add_argument('--root', type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options.add_argument('command', nargs=argparse.REMAINDER)
    asked = options.parse_args()
    if not asked.command:
        options.error('which command?')
    if not shutil.which('valgrind'):
        print('files_per_request: valgrind is not installed', file=sys.stderr)
        return 4
    graph, forked, code, output = run(asked.command)
    files = count_files(reached(forked), Sources(asked.root))
    by_layer = collections.Counter(file.split('/')[0] for file in files)
    sources = sum(file.endswith('.cpp') for file in files)
    print(f'exit code {code}, last line: {(output.strip().splitlines() or [""])[-1]}')
    print(f'files: {sources} sources and {len(files) - sources} headers in {len(by_layer)} layers')
    print('  ' + ', '.join(f'{layer} {n}' for layer, n in sorted(by_layer.items(), key=lambda item: (-item[1], item[0]))))
    for (above, below), calls in sorted(crossings(graph, reached(graph)).items()):
        callees = {callee for _, callee in calls}
        print(f'crossings {above} -> {below}: {len(callees)} functions called from {len({c for c, _ in calls})}, '
              f'{sum(calls.values())} calls')
        if asked.list:
            for (caller, callee), times in sorted(calls.items()):
                print(f'    {caller} -> {callee} ({times})')
    if asked.list:
        print(*sorted(files), sep='\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
