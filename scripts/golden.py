#!/usr/bin/env python3
"""Golden tests: input, commands and expected output in one file.

    scripts/golden.py --treaty build/test/treaty [--update] [FILE or FOLDER]...

Without names it runs every tests/golden/**/*.test. A file looks like this:

    One or more lines that say what is shown.
    --- file shop.treaty
    protocol Shop(buyer, vendor) { ... }
    --- $ treaty check shop.treaty
    what it writes to standard output
    --- stderr
    what it writes to standard error (left out when nothing)
    --- exit 1 (left out when 0)

There may be several files and several commands. Commands run by bash, in order, in a fresh folder that holds the
files of the test and a link to examples/. What differs from run to run is replaced, see scrub(). --update writes
what the program prints now into the files: read the difference before you keep it.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMEOUT_S = 900


class Command:
    """One command of a test: its text, and what it is expected to write and return."""

    def __init__(self, text):
        self.text = text
        self.stdout = []
        self.stderr = []
        self.exit = 0


class Test:
    """A parsed .test file: about (lines), and parts in order, each a (name, lines) file or a Command."""

    def __init__(self, about, parts):
        self.about = about
        self.parts = parts

    def commands(self):
        return [p for p in self.parts if isinstance(p, Command)]


class Malformed(Exception):
    pass


def parse(text):
    """Reads the text of a .test file."""
    test = Test([], [])
    here = test.about
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith('--- file '):
            here = []
            test.parts.append((line[9:].strip(), here))
        elif line.startswith('--- $ '):
            command = Command(line[6:].strip())
            test.parts.append(command)
            here = command.stdout
        elif line == '--- stderr' or line.startswith('--- exit '):
            if not test.parts or not isinstance(test.parts[-1], Command):
                raise Malformed(f'line {number}: "{line}" belongs after a command')
            if line == '--- stderr':
                here = test.parts[-1].stderr
            else:
                test.parts[-1].exit = int(line[9:])
                here = []  # blank lines may follow
        else:
            here.append(line)
    for name, _ in (p for p in test.parts if not isinstance(p, Command)):
        if name.startswith('/') or '..' in name.split('/'):
            raise Malformed(f'the file name {name} leaves the folder of the test')
    if not test.commands():
        raise Malformed('there is no command (a line that begins with "--- $ ")')
    if not any(line.strip() for line in test.about):
        raise Malformed('the first lines must say what is shown')
    return test


def write(test):
    """The text that parse() reads as this test."""
    lines = list(test.about)
    for part in test.parts:
        if isinstance(part, Command):
            lines += [f'--- $ {part.text}'] + part.stdout
            if part.stderr:
                lines += ['--- stderr'] + part.stderr
            if part.exit:
                lines.append(f'--- exit {part.exit}')
        else:
            lines += [f'--- file {part[0]}'] + part[1]
    return '\n'.join(lines) + '\n'


SCRUBS = [
    (re.compile(r'\b\d+(\.\d+)?(e-\d+)? (s|ms|us|ns)\b'), r'N \3'),
    (re.compile(r'("(?:seconds|[a-z_]*_seconds|states_per_second|[a-z_]*_?bytes|memory)": )[\d.e+-]+'), r'\1N'),
    (re.compile(r'\b\d+(\.\d+)? (kB|MB|GB|KiB|MiB|GiB)\b'), r'N \2'),
    (re.compile(r'\b\d+(\.\d+)?([kM]| million)?( states)?(/s| a second)'), r'N\3\4'),
]


def scrub(text, folder):
    """The text without what changes from run to run: durations, rates, memory, the folder's name."""
    text = text.replace(str(folder), '{folder}')
    for pattern, replacement in SCRUBS:
        text = pattern.sub(replacement, text)
    return text


def environment(treaty):
    """A plain environment in which `treaty` is the program under test."""
    keep = {k: os.environ[k] for k in ('HOME', 'TMPDIR', 'LD_LIBRARY_PATH') if k in os.environ}
    return keep | {
        'PATH': f'{pathlib.Path(treaty).resolve().parent}:{os.environ.get("PATH", "/usr/bin:/bin")}',
        'LC_ALL': 'C.UTF-8',
        'COLUMNS': '100',
        'ASAN_OPTIONS': 'detect_leaks=1:abort_on_error=0:exitcode=99',
        'UBSAN_OPTIONS': 'print_stacktrace=1:exitcode=99',
    }


def run_command(text, folder, env):
    """Runs one command line; returns (stdout, stderr, exit code), scrubbed."""
    try:
        done = subprocess.run(['bash', '-c', text], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT_S)
        code, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        code, out, err = -1, late.stdout or b'', (late.stderr or b'') + b'\n(stopped: took too long)'
    return (scrub(out.decode('utf-8', 'backslashreplace'), folder),
            scrub(err.decode('utf-8', 'backslashreplace'), folder), code)


def crashed(code):
    """Whether an exit code means a signal, a sanitizer's report, or that it took too long."""
    return code < 0 or code == 99 or code >= 128


def play(test, treaty):
    """Runs all commands of a test; returns the same test with what really came out."""
    actual = Test(test.about, [])
    with tempfile.TemporaryDirectory(prefix='golden-') as name:
        folder = pathlib.Path(name)
        (folder / 'examples').symlink_to(ROOT / 'examples')
        for part in test.parts:
            if isinstance(part, Command):
                command = Command(part.text)
                out, err, command.exit = run_command(part.text, folder, environment(treaty))
                command.stdout, command.stderr = out.splitlines(), err.splitlines()
                actual.parts.append(command)
            else:
                path = folder / part[0]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text('\n'.join(part[1]) + '\n' if part[1] else '', encoding='utf-8')
                actual.parts.append(part)
    return actual


def tidy(lines):
    """Expected lines without the blank ones that separate sections for the reader's eye."""
    lines = list(lines)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def same(expected, actual):
    return all((a.exit, tidy(a.stdout), tidy(a.stderr)) == (b.exit, tidy(b.stdout), tidy(b.stderr))
               for a, b in zip(expected.commands(), actual.commands()))


def check(path, treaty, update):
    """Runs one file. Returns what to print about it: nothing when it agrees."""
    text = path.read_text(encoding='utf-8')
    shown = os.path.relpath(path, ROOT)
    try:
        expected = parse(text)
    except (Malformed, ValueError) as fault:
        return f'{shown}: {fault}'
    actual = play(expected, treaty)
    worst = next((c for c in actual.commands() if crashed(c.exit)), None)
    if worst:
        return f'{shown}: crashed or hung (exit {worst.exit}): {worst.text}\n' + '\n'.join(worst.stderr[:60])
    if same(expected, actual):
        return ''
    new = write(actual)
    if update:
        path.write_text(new, encoding='utf-8')
        print(f'updated {shown}')
        return ''
    return '\n'.join(difflib.unified_diff(text.splitlines(), new.splitlines(), shown, 'what came out', lineterm=''))


def main():
    arguments = argparse.ArgumentParser(description='run the golden tests')
    arguments.add_argument('--treaty', default=str(ROOT / 'build/test/treaty'), help='the program to run')
    arguments.add_argument('--update', action='store_true', help='write what comes out into the files')
    arguments.add_argument('--jobs', type=int, default=os.cpu_count())
    arguments.add_argument('names', nargs='*', type=pathlib.Path, help='files or folders; all without')
    options = arguments.parse_args()
    if not os.access(options.treaty, os.X_OK):
        sys.exit(f'golden: there is no program {options.treaty}')
    files = []
    for name in options.names or [ROOT / 'tests/golden']:
        files += sorted(name.rglob('*.test')) if name.is_dir() else [name]
    if not files:
        sys.exit('golden: no tests found')
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for report in pool.map(lambda f: check(f, options.treaty, options.update), files):
            if report:
                failed += 1
                print(report + '\n')
    print(f'golden: {len(files) - failed} of {len(files)} files agree')
    if failed:
        print('golden: when the new output is right, run scripts/golden.py --update')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
