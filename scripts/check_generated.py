#!/usr/bin/env python3
"""Compiles and runs what `treaty generate` writes.

    scripts/check_generated.py --treaty build/test/treaty --sessions build/test/tests/generated/generated_sessions
                               [--language c++]... [--random COUNT]

For every example, in each language: the code of all roles is accepted by the compiler or type checker with all warnings on, and the
roles together go through sessions of the protocol, over transports in memory, to the end. Monitors allow and refuse what `treaty
watch` does. Handlers and scaffolds are accepted, too. Codecs agree with `treaty data` and `treaty decode` (generated_codecs.py). Misuses of the code of one example are refused, with the words that
tests/generated/misuse/ expects. C++ needs g++ (and is compiled by
clang++ too, if it is there), Python mypy, and TypeScript npm, which installs the
compiler that builds the page (web/); a language whose checker is not installed is left out.

Set TREATY_TEST_SCALE to go through random protocols too, ten for each unit of it, and to run the larger examples in C++.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import generated_codecs
from build_page import WEB, install

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / 'tests/generated'
EXTENSIONS = {'c++': 'cpp', 'python': 'py', 'typescript': 'ts'}
LANGUAGES = tuple(EXTENSIONS)
SCALE = int(os.environ.get('TREATY_TEST_SCALE', '1'))
LARGE = 900  # lines of C++; such programs are compiled, but run only with TREATY_TEST_SCALE
UNITS = 2  # C++ sources of one folder, compiled side by side: the standard library is read once for each
SALE = ROOT / 'examples/sale'
PRINTED = {  # what the programs of examples/sale print
    'sale': 'buyer: got the goods for 40\nseller: no sale\n',
    'handlers': 'buyer: got the goods\nseller: no sale\n',
    'monitored': 'offer 40: allowed\n'
                 'goods: sale.treaty:8: seller receives order from buyer or leave from buyer, but sent goods to buyer\n'
                 'order 30: sale.treaty:8: buyer -> seller: order(price): requires order.price == price\n'
                 'order 40: allowed\n'
                 'next: sale.treaty:9: seller sends goods to buyer\n',
}
CLANG = ['clang++', '-std=c++20', '-Wall', '-Wextra', '-Werror', '-Wconsumed', '-fsyntax-only', '-I.']
GCC = ['g++', '-std=c++20', '-O0', '-Wall', '-Wextra', '-Wpedantic', '-Werror']
TSC = WEB / 'node_modules/.bin/tsc'
TSC_OPTIONS = ['--strict', '--noUncheckedIndexedAccess', '--noImplicitOverride', '--target', 'es2022', '--module', 'nodenext',
               '--lib', 'es2022,dom', '--types', '', '--rootDir', '.']


class Failed(Exception):
    pass


def run(*command, folder, refused=False):
    """The output of a command that must succeed, or must not."""
    done = subprocess.run([str(c) for c in command], cwd=folder, text=True, capture_output=True, timeout=1800, check=False,
                          env={**os.environ, 'LC_ALL': 'C'})
    if (done.returncode != 0) != refused:
        raise Failed(f'{" ".join(str(c) for c in command)}\n{(done.stdout + done.stderr)[:4000]}')
    return done.stdout + done.stderr


def missing(language):
    """What a language needs and is not there."""
    if language == 'c++':
        return '' if shutil.which('g++') else 'g++'
    if language == 'python':
        return '' if shutil.which('mypy') else 'mypy'
    if not shutil.which('npm'):
        return 'npm'
    return 'typescript' if install() else ''


def is_large(program):
    """Whether compiling a program in C++ takes seconds."""
    name = program.stem.removesuffix('_sessions')
    return sum(len(p.read_text(encoding='utf-8').splitlines()) for p in program.parent.glob(f'{name}_*.hpp')) > LARGE


def parts(folder, extension):
    """Generated code that no session runs."""
    return [p for kind in ('handlers', 'impl') for p in sorted(folder.glob(f'*_{kind}.{extension}'))]


def cpp(folder):
    shutil.copy(HERE / 'support.hpp', folder)
    programs = sorted(folder.glob('*_sessions.hpp'))
    if SCALE == 1:
        large = [p for p in programs if is_large(p)]
        programs = [p for p in programs if p not in large]
    else:
        large = []
    only_read = [*large, *parts(folder, 'hpp')]
    (folder / 'only_read.cpp').write_text(''.join(f'#include "{p.name}"\n' for p in only_read), encoding='utf-8')
    running = [subprocess.Popen([*GCC, '-fsyntax-only', 'only_read.cpp'], cwd=folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)]
    for unit in range(min(UNITS, len(programs))):
        names = [p.stem for p in programs[unit::UNITS]]
        text = '#include "support.hpp"\n' + ''.join(f'#include "{n}.hpp"\n' for n in names) + 'int main() {\n'
        text += ''.join(f'    {n.removesuffix("_sessions")}::run_sessions();\n' for n in names) + '}\n'
        (folder / f'unit_{unit}.cpp').write_text(text, encoding='utf-8')
        running.append(subprocess.Popen([*GCC, f'unit_{unit}.cpp', '-o', f'unit_{unit}'], cwd=folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    faults = [process.communicate()[0] for process in running]
    for process, fault in zip(running, faults):
        if process.returncode:
            raise Failed(fault[:4000])
    for unit in range(len(running) - 1):
        run(f'./unit_{unit}', folder=folder)


def python(folder):
    shutil.copy(HERE / 'support.py', folder)
    names = sorted(p.stem for p in folder.glob('*_sessions.py'))
    text = ''.join(f'import {n}\n' for n in names + [p.stem for p in parts(folder, 'py')])
    text += ''.join(f'{n}.run_sessions()\n' for n in names)
    (folder / 'main.py').write_text(text, encoding='utf-8')
    run('mypy', '--strict', '--no-error-summary', f'--cache-dir={folder}/.cache', 'main.py', folder=folder)
    run(sys.executable, '-B', 'main.py', folder=folder)


def typescript(folder):
    shutil.copy(HERE / 'support.ts', folder)
    names = sorted(p.stem for p in folder.glob('*_sessions.ts'))
    text = ''.join(f'import {{ run_sessions as {n} }} from "./{n}.js";\n' for n in names)
    text += ''.join(f'import "./{p.stem}.js";\n' for p in parts(folder, 'ts'))
    (folder / 'main.ts').write_text(text + ''.join(f'await {n}();\n' for n in names), encoding='utf-8')
    (folder / 'package.json').write_text('{"type": "module"}\n', encoding='utf-8')
    run(TSC, *TSC_OPTIONS, '--outDir', 'out', 'main.ts', folder=folder)
    (folder / 'out/package.json').write_text('{"type": "module"}\n', encoding='utf-8')
    run('node', 'out/main.js', folder=folder)


CHECKS = {'c++': cpp, 'python': python, 'typescript': typescript}


def sessions(writer, language, arguments, folder):
    """Generates into a folder and goes through all that is there."""
    shown = run(writer, language, folder, *arguments, folder=ROOT)
    for line in shown.splitlines():
        if 'left out' in line or ': 0 of' in line:
            print(f'{language}: {line}')
    for group in sorted(folder.iterdir()):
        CHECKS[language](group)
    return shown.count(' sessions completed')


def program(language, source, folder):
    """What a program prints, which the compiler or type checker accepts."""
    shutil.copy(source, folder)
    if language == 'c++':
        run(*GCC, source.name, '-o', source.stem, folder=folder)
        if shutil.which('clang++'):
            run(*CLANG, source.name, folder=folder)
        return run(f'./{source.stem}', folder=folder)
    if language == 'python':
        run('mypy', '--strict', f'--cache-dir={folder}/.cache', source.name, folder=folder)
        return run(sys.executable, '-B', source.name, folder=folder)
    run(TSC, *TSC_OPTIONS, '--outDir', 'out', source.name, folder=folder)
    shutil.copy(folder / 'package.json', folder / 'out')
    return run('node', f'out/{source.stem}.js', folder=folder)


def programs(language, folder):
    """The programs of examples/sale print what they should, and the functions of the runtime compute what values.* states."""
    for name, printed in PRINTED.items():
        shown = program(language, SALE / f'{name}.{EXTENSIONS[language]}', folder)
        if shown != printed:
            raise Failed(f'{name}.{EXTENSIONS[language]} printed\n{shown}')
    program(language, HERE / f'values.{EXTENSIONS[language]}', folder)


def misuses(language, folder):
    """Each source of misuse/ is refused, with what its lines `refused:` name."""
    sources = sorted((HERE / 'misuse').glob(f'*.{EXTENSIONS[language]}'))
    if not shutil.which('clang++'):
        sources = [source for source in sources if 'used_twice' not in source.name]
    for source in sources:
        shutil.copy(source, folder)
        wanted = re.findall(r'refused: (.*)', source.read_text(encoding='utf-8'))
        if language == 'c++':
            compiler = CLANG if 'used_twice' in source.name else [*GCC, '-fsyntax-only']
            output = run(*compiler, source.name, folder=folder, refused=True)
        elif language == 'python':
            output = run('mypy', '--strict', f'--cache-dir={folder}/.cache', source.name, folder=folder, refused=True)
        else:
            output = run(TSC, *TSC_OPTIONS, '--noEmit', source.name, folder=folder, refused=True)
        for words in wanted:
            if words not in output:
                raise Failed(f'{source.name}: expected "{words}" in\n{output[:3000]}')
        if not wanted:
            raise Failed(f'{source.name} has no line `refused:`')
    return len(sources)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--treaty', required=True, type=pathlib.Path)
    parser.add_argument('--sessions', required=True, type=pathlib.Path)
    parser.add_argument('--language', action='append', choices=LANGUAGES)
    parser.add_argument('--random', type=int, default=10 * (SCALE - 1))
    arguments = parser.parse_args()
    writer, treaty = arguments.sessions.resolve(), arguments.treaty.resolve()
    examples = sorted((ROOT / 'examples').glob('*/*.treaty'))
    failures = 0
    for language in arguments.language or LANGUAGES:
        if lacking := missing(language):
            print(f'{language}: left out ({lacking} is not installed)')
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                done = sessions(writer, language, examples, pathlib.Path(folder))
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                (folder / 'package.json').write_text('{"type": "module"}\n', encoding='utf-8')
                run(treaty, 'generate', SALE / 'sale.treaty', '--language', language, '--handlers', '-o', folder, folder=ROOT)
                programs(language, folder)
                refused = misuses(language, folder)
            with tempfile.TemporaryDirectory() as folder:
                random = 0
                if arguments.random:
                    random = sessions(writer, language, ['--random', 1, arguments.random], pathlib.Path(folder))
            print(f'{language}: {done} examples, {random} random protocols, {refused} misuses refused')
            if language != 'typescript':
                with tempfile.TemporaryDirectory() as folder:
                    cases = generated_codecs.check(treaty, ROOT, pathlib.Path(folder), GCC if language == 'c++' else [])
                print(f'{language}: codecs agree in {cases} cases')
        except (Failed, AssertionError) as fault:
            print(f'{language}: FAILED: {fault}')
            failures += 1
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
