#!/usr/bin/env python3
"""Runs every command that README.md and docs/*.md show, and compares what they print with what the text shows.

    scripts/check_readme.py --treaty build/test/treaty [--update] [FILE]...

A fenced block that opens with ```console holds commands (lines that begin with "$ ") and below each its output,
standard output and standard error as one. A line "..." in the output matches any number of lines. The blocks of one
document run in order in one folder, which holds links to examples/ and to the program as build/release/treaty, so a
later command can use what an earlier one wrote. A block that opens with ```treaty FILE, or a ```console `$ cat FILE`,
is an input: the first writes the file; a ```treaty block without a name is a whole file that must pass `treaty check` and
be in canonical form. Commands that change the machine (make, git, sudo, cd) are not run; a `make`
command must name an existing target. A treaty command in any other kind of shell block is a fault, for nobody would run
it.
"""
import argparse
import difflib
import os
import pathlib
import re
import sys
import tempfile

import golden

ROOT = golden.ROOT
NOT_RUN = ('make', 'git', 'sudo', 'cd', 'apt', 'apt-get', 'man')


def make_targets():
    text = (ROOT / 'Makefile').read_text(encoding='utf-8')
    return set(re.findall(r'^([a-z][a-z-]*):', text, re.M))


class Block:
    """A fenced block: its info string, its lines, and the number of its first line."""

    def __init__(self, info, start):
        self.info = info
        self.start = start
        self.lines = []


def blocks(text):
    """The fenced blocks of a Markdown text."""
    open_block, found = None, []
    for number, line in enumerate(text.splitlines(), 1):
        if open_block is None:
            match = re.match(r'^\s*```+\s*(.*)$', line)
            if match:
                open_block = Block(match.group(1).strip(), number + 1)
        elif re.match(r'^\s*```+\s*$', line):
            found.append(open_block)
            open_block = None
        else:
            open_block.lines.append(line)
    return found


def steps(block):
    """The commands of a console block: (line number, command, expected lines)."""
    found = []
    for offset, line in enumerate(block.lines):
        if line.startswith('$ '):
            found.append((block.start + offset, line[2:].strip(), []))
        elif found and found[-1][1].endswith('\\') and not found[-1][2]:
            number, command, _ = found[-1]
            found[-1] = (number, command[:-1].rstrip() + ' ' + line.strip(), [])
        elif found:
            found[-1][2].append(line)
        elif line.strip():
            raise golden.Malformed(f'line {block.start + offset}: output before any "$ command"')
    return found


def agrees(expected, actual):
    """Whether the actual lines are the expected ones, where "..." matches any lines."""
    parts, current = [], []
    for line in expected:
        if line.strip() == '...':
            parts.append(current)
            current = []
        else:
            current.append(line.rstrip())
    parts.append(current)
    actual = [line.rstrip() for line in actual]
    if len(parts) == 1:
        return actual == parts[0]
    if actual[:len(parts[0])] != parts[0]:
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        while at + len(part) <= len(actual) and actual[at:at + len(part)] != part:
            at += 1
        if at + len(part) > len(actual):
            return False
        at += len(part)
    last = parts[-1]
    return len(actual) - len(last) >= at and (not last or actual[-len(last):] == last)


def check_make(command):
    words = [w for w in command.split('#')[0].split()[1:] if '=' not in w and not w.startswith('-')]
    return [w for w in words if w not in make_targets()]


class Document:
    """One Markdown file being checked, with the folder its commands run in."""

    def __init__(self, path, treaty, folder):
        self.path = path
        self.shown = os.path.relpath(path, ROOT)
        self.treaty = treaty
        self.folder = folder
        self.text = path.read_text(encoding='utf-8')
        self.new_lines = self.text.splitlines()
        self.shift = 0  # how many lines updating has added so far
        self.faults = []
        self.ran = 0

    def fault(self, number, text):
        self.faults.append(f'{self.shown}:{number}: {text}')

    def check(self):
        for block in blocks(self.text):
            kind, _, rest = block.info.partition(' ')
            if kind == 'console':
                try:
                    for step in steps(block):
                        self.step(*step)
                except golden.Malformed as fault:
                    self.faults.append(f'{self.shown}: {fault}')
            elif rest and '=' not in rest:
                target = self.folder / rest
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text('\n'.join(block.lines) + '\n', encoding='utf-8')
            elif kind == 'treaty':
                self.example(block)
            elif kind in ('sh', 'bash', 'shell', ''):
                self.plain(block)

    def example(self, block):
        """A whole file in a ```treaty block: it must pass the check, or be undecided if it has no protocol, and be in
        canonical form."""
        self.ran += 1
        (self.folder / 'block.treaty').write_text('\n'.join(block.lines) + '\n', encoding='utf-8')
        check = 'treaty check block.treaty'
        if not any(line.startswith('protocol ') for line in block.lines):
            check = f'{{ {check} || test $? -eq 3; }}'
        command = f'{check} && treaty fmt --check block.treaty'
        out, _, code = golden.run_command(f'{{ {command}\n}} 2>&1', self.folder, golden.environment(self.treaty))
        if code != 0:
            self.fault(block.start, f'this file does not pass (exit {code}):\n{out}')

    def plain(self, block):
        for offset, line in enumerate(block.lines):
            words = line.strip().removeprefix('$ ').split()
            if words[:1] == ['make'] and block.info:
                for target in check_make(' '.join(words)):
                    self.fault(block.start + offset, f'there is no make target {target}')
            elif words[:1] == ['treaty'] and (block.info or line.strip().startswith('$')):
                self.fault(block.start + offset, 'a command in a block that is not run; open it with ```console')

    def step(self, number, command, expected):
        first = command.split()[0] if command.split() else ''
        if first in NOT_RUN:
            if first == 'make':
                for target in check_make(command):
                    self.fault(number, f'there is no make target {target}')
            return
        self.ran += 1
        out, _, code = golden.run_command(f'{{ {command}\n}} 2>&1', self.folder, golden.environment(self.treaty))
        if golden.crashed(code) or code in (126, 127):
            self.fault(number, f'crashed, hung or could not be started (exit {code}): {command}\n{out}')
            return
        expected_lines = golden.scrub('\n'.join(golden.tidy(expected)), self.folder).splitlines()
        actual = golden.tidy(out.splitlines())
        if agrees(expected_lines, actual):
            return
        difference = difflib.unified_diff(expected_lines, actual, 'the text shows', 'the command prints', lineterm='')
        self.fault(number, f'{command}\n' + '\n'.join(difference))
        begin = number + self.shift
        blank_after = len(expected) - len(golden.tidy(expected))
        end = begin + len(expected) - blank_after
        self.new_lines[begin:end] = actual
        self.shift += len(actual) - (end - begin)


def check_document(path, treaty, update):
    with tempfile.TemporaryDirectory(prefix='readme-') as name:
        folder = pathlib.Path(name)
        (folder / 'examples').symlink_to(ROOT / 'examples')
        (folder / 'build/release').mkdir(parents=True)
        (folder / 'build/release/treaty').symlink_to(pathlib.Path(treaty).resolve())
        document = Document(path, treaty, folder)
        document.check()
    if update and document.faults:
        path.write_text('\n'.join(document.new_lines) + '\n', encoding='utf-8')
    return document


def main():
    arguments = argparse.ArgumentParser(description='run the commands of the documents')
    arguments.add_argument('--treaty', default=str(ROOT / 'build/test/treaty'))
    arguments.add_argument('--update', action='store_true', help='write what the commands print into the documents')
    arguments.add_argument('files', nargs='*', type=pathlib.Path)
    options = arguments.parse_args()
    if not os.access(options.treaty, os.X_OK):
        sys.exit(f'check_readme: there is no program {options.treaty}')
    files = options.files or [p for p in [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md')),
                                          *sorted((ROOT / 'examples').glob('*/README.md'))] if p.exists()]
    faults, ran = [], 0
    for path in files:
        document = check_document(path.resolve(), options.treaty, options.update)
        faults += document.faults
        ran += document.ran
    for fault in faults:
        print(fault + '\n')
    print(f'check_readme: {ran} commands of {len(files)} documents run, {len(faults)} faults')
    if faults:
        print('check_readme: when the new output is right, run scripts/check_readme.py --update')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
