#!/usr/bin/env python3
"""Puts every protocol of examples/ through every verb that works on files.

    scripts/check_examples.py --treaty build/test/treaty [FILE]...

For each examples/*/*.treaty: `check` holds, unless the first line of the file is `expect: T0402 ...`, which names
exactly the codes that must be reported (no is the answer if one is an error), or `expect: undecided`; it is in canonical layout; it can be drawn in every way, as well-formed SVG; it
goes through JSON and back to the same model; through .gc, .fsa, .scr, .mmd, .puml, .bpmn and .pnml it goes too, or is refused with a diagnostic and
nothing is written. Files in other notations are checked and converted the same way. A script (.schora) is run, and its
answer is the one its first line names: `// answer: fails`. Each folder has a README.md.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import golden

ROOT = golden.ROOT
PICTURES = ('graph', 'net', 'machine', 'msc')
NOTATIONS = ('gc', 'fsa', 'scr', 'mmd', 'puml', 'bpmn', 'pnml')
READ = ('.treaty', '.gc', '.fsa', '.scr', '.nuscr', '.mmd', '.puml', '.bpmn', '.yaml', '.proto')
SCRIPTS = ('.schora',)
EXITS = {'holds': 0, 'fails': 1, 'conditional': 1, 'undecided': 3}


class Failed(Exception):
    pass


class Runner:
    """Runs treaty in one folder and complains about crashes."""

    def __init__(self, treaty, folder):
        self.treaty = treaty
        self.folder = folder

    def run(self, *arguments):
        done = subprocess.run([self.treaty, *map(str, arguments)], cwd=self.folder, env=golden.environment(self.treaty),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=golden.TIMEOUT_S,
                              errors='backslashreplace')
        if golden.crashed(done.returncode):
            raise Failed(f'treaty {" ".join(map(str, arguments))} crashed:\n{done.stderr}')
        return done

    def must(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            raise Failed(f'treaty {" ".join(map(str, arguments))} ended with {done.returncode}:\n{done.stdout}{done.stderr}')
        return done


def expected_codes(path):
    """The codes a `// expect:` line names, or nothing."""
    first = path.read_text(encoding='utf-8').split('\n', 1)[0]
    match = re.match(r'//.*\bexpect:\s*(.*)', first)
    return set(re.findall(r'T\d{4}', match.group(1))) if match else set()


def expects_undecided(path):
    """Whether the `// expect:` line expects undecided."""
    first = path.read_text(encoding='utf-8').split('\n', 1)[0]
    return re.match(r'//.*\bexpect:.*\bundecided\b', first) is not None


def check_verdict(runner, path):
    expected = expected_codes(path)
    done = runner.run('check', path, '--json')
    result = json.loads(done.stdout)
    found = {d['code'] for d in result['diagnostics'] if d['severity'] != 'note'}
    if expects_undecided(path):
        if done.returncode != 3 or found != expected:
            raise Failed(f'check reports {sorted(found)} and ends with {done.returncode}; expected undecided')
        return set()
    if expected:
        harmless = all(d['severity'] != 'error' for d in result['diagnostics'])
        if found != expected or (done.returncode == 0) != harmless:
            raise Failed(f'check reports {sorted(found)} and ends with {done.returncode}; expected {sorted(expected)}')
    elif done.returncode != 0 or found:
        raise Failed(f'check ends with {done.returncode}:\n{runner.run("check", path).stderr}')
    return expected


def check_pictures(runner, path):
    for kind in PICTURES:
        target = runner.folder / f'{kind}.svg'
        runner.must('show', path, '--as', kind, '-o', target)
        try:
            top = xml.etree.ElementTree.parse(target).getroot()
        except xml.etree.ElementTree.ParseError as fault:
            raise Failed(f'show --as {kind} writes malformed SVG: {fault}') from fault
        if not top.tag.endswith('svg') or not len(top):
            raise Failed(f'show --as {kind} writes no picture')
    for kind in PICTURES[:3]:
        runner.must('show', path, '--as', kind, '-o', f'{kind}.dot')


def without_places(value):
    """A JSON value without what a round trip may change: where things are in the text, and steps that are grouped
    because they came from a call."""
    if isinstance(value, dict):
        plain = {k: without_places(v) for k, v in value.items() if k not in ('span', 'line', 'column', 'file', 'source')}
        if plain.get('kind') != 'sequence' or 'parts' not in plain:
            return plain
        parts = []
        for part in plain['parts']:
            grouped = isinstance(part, dict) and part.get('kind') == 'sequence' and 'parts' in part
            parts += part['parts'] if grouped else [part]
        return parts[0] if len(parts) == 1 else plain | {'parts': parts}
    if isinstance(value, list):
        return [without_places(v) for v in value]
    return value


# Members of a JSON model that are numbers of variables, or lists of them.
VARIABLES = ('var', 'let', 'variable', 'collects', 'parameters', 'fields')


def comparable(model):
    """A model as JSON without places, its variables numbered in the order in which they occur and named without a number at the
    end: a call with values is printed as its steps, so that its variables get other numbers, and `items_2` where two are `items`."""
    declared = model['variables']
    numbers = {}

    def renumbered(value, of_variable=False):
        if isinstance(value, list):
            return [renumbered(v, of_variable) for v in value]
        if isinstance(value, dict):
            # An empty list has the type of what it is used as; the text states the type of the variable instead.
            left_out = ('type',) if value.get('literal') == [] else ()
            return {key: v if key == 'literal' else renumbered(v, key in VARIABLES)
                    for key, v in value.items() if key not in left_out}
        return numbers.setdefault(value, len(numbers)) if of_variable and type(value) is int else value

    plain = renumbered(without_places({key: v for key, v in model.items() if key != 'variables'}))
    used = [declared[number] | {'name': re.sub(r'_\d+$', '', declared[number]['name'])} for number in numbers]
    return plain | {'variables': used}


def check_json(runner, path):
    runner.must('convert', path, '-o', 'one.json')
    runner.must('convert', 'one.json', '-o', 'two.json')
    one, two = ((runner.folder / n).read_text() for n in ('one.json', 'two.json'))
    if one != two:
        raise Failed('JSON does not read back to the same model')
    if path.suffix == '.treaty':
        runner.must('convert', 'one.json', '-o', 'back.treaty')
        runner.must('convert', 'back.treaty', '-o', 'three.json')
        three = (runner.folder / 'three.json').read_text()
        if comparable(json.loads(one)) != comparable(json.loads(three)):
            raise Failed('through JSON and back to .treaty the model changes')


def check_notation(runner, path, notation):
    """Returns whether the notation can carry the example."""
    first, second = runner.folder / f'one.{notation}', runner.folder / f'two.{notation}'
    done = runner.run('convert', path, '-o', first)
    if done.returncode != 0:
        if done.returncode != 2 or not re.search(r'\bT\d{4}\b', done.stderr):
            raise Failed(f'convert to .{notation} ends with {done.returncode} without saying why:\n{done.stderr}')
        if first.exists():
            raise Failed(f'convert to .{notation} refuses, but writes a file')
        return False
    runner.must('convert', first, '-o', second)
    if first.read_text() != second.read_text():
        raise Failed(f'.{notation} does not read back to the same model')
    return True


def check_script(runner, path):
    match = re.match(r'//\s*answer:\s*(\w+)\n', path.read_text(encoding='utf-8'))
    if not match or match.group(1) not in EXITS:
        raise Failed('the first line does not name the answer: // answer: holds')
    done = runner.run('run', path, '--json')
    result = json.loads(done.stdout)
    if result.get('answer') != match.group(1) or done.returncode != EXITS[match.group(1)]:
        raise Failed(f'the answer is {result.get("answer")}, the exit code {done.returncode}')
    if not result['commands']:
        raise Failed('it has no commands')


def check_file(path, treaty):
    """Returns (what is wrong or nothing, the notations that can carry it)."""
    carried = []
    with tempfile.TemporaryDirectory(prefix='examples-') as name:
        runner = Runner(treaty, pathlib.Path(name))
        try:
            if path.suffix in SCRIPTS:
                check_script(runner, path)
                return '', carried
            if check_verdict(runner, path):
                return '', carried
            if path.suffix == '.treaty':
                runner.must('fmt', '--check', path)
                check_pictures(runner, path)
            check_json(runner, path)
            carried = [n for n in NOTATIONS if check_notation(runner, path, n)]
        except (Failed, subprocess.TimeoutExpired, json.JSONDecodeError, KeyError) as fault:
            return f'{os.path.relpath(path, ROOT)}: {fault}', carried
    return '', carried


def main():
    arguments = argparse.ArgumentParser(description='put every example through every verb')
    arguments.add_argument('--treaty', default=str(ROOT / 'build/test/treaty'))
    arguments.add_argument('files', nargs='*', type=lambda p: pathlib.Path(p).resolve())
    options = arguments.parse_args()
    treaty = str(pathlib.Path(options.treaty).resolve())
    files = options.files or sorted(p for p in (ROOT / 'examples').glob('*/*') if p.suffix in READ + SCRIPTS)
    if not files:
        sys.exit('check_examples: there are no examples')
    faults = [f'examples/{d.name}: there is no README.md' for d in sorted((ROOT / 'examples').iterdir())
              if d.is_dir() and not (d / 'README.md').exists()]
    seen = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (fault, carried) in zip(files, pool.map(lambda p: check_file(p, treaty), files)):
            print(f'{os.path.relpath(path, ROOT)}: {"FAILED" if fault else "ok"}{"".join(" ." + n for n in carried)}')
            if fault:
                faults.append(fault)
            seen.update(carried)
    if not options.files:
        faults += [f'no example goes through .{n}' for n in NOTATIONS if n not in seen]
    for fault in faults:
        print(fault + '\n')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
