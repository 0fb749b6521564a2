#!/usr/bin/env python3
"""What holds for the program as a whole, whatever verb is asked.

    scripts/check_cli.py --treaty build/test/treaty

Exit codes agree with the JSON envelope; colour only on a terminal and never against NO_COLOR; a refused or failed run
leaves the target file as it was; a full disk, a closed pipe and an interrupt are survived; every verb is in the manual
page; the completions are what `treaty help` lists, and complete.
"""
import argparse
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import completions
import golden

ROOT = golden.ROOT
TREATY = str(ROOT / 'build/test/treaty')

GOOD = 'protocol P(A, B) {\n  A -> B: ping\n  B -> A: pong\n}\n'
BAD = 'protocol P(A, B) {\n  A -> D: ping\n}\n'


def caught(pid):
    """The signals that a process has a handler for, as bits."""
    found = re.search(r'^SigCgt:\s*(\w+)$', pathlib.Path(f'/proc/{pid}/status').read_text(encoding='utf-8'), re.M)
    return int(found[1], 16) if found else 0


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix='cli-')
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.good = self.put('good.treaty', GOOD)
        self.bad = self.put('bad.treaty', BAD)

    def put(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding='utf-8')
        return path

    def run_treaty(self, *arguments, env=None, **more):
        done = subprocess.run([TREATY, *map(str, arguments)], cwd=self.folder, env=golden.environment(TREATY) | (env or {}),
                              stdin=subprocess.DEVNULL, capture_output='stdout' not in more, text=True,
                              timeout=golden.TIMEOUT_S, **more)
        self.assertFalse(golden.crashed(done.returncode), f'{arguments} crashed:\n{done.stderr}')
        return done

    def on_terminal(self, *arguments, env=None):
        """What a person sees: both outputs connected to a pseudo-terminal."""
        try:
            master, slave = pty.openpty()
        except OSError:
            self.skipTest('there are no pseudo-terminals here')
        child = subprocess.Popen([TREATY, *map(str, arguments)], cwd=self.folder, stdout=slave, stderr=slave,
                                 stdin=subprocess.DEVNULL, env=golden.environment(TREATY) | {'TERM': 'xterm'} | (env or {}))
        os.close(slave)
        seen = b''
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            seen += part
        os.close(master)
        child.wait(timeout=golden.TIMEOUT_S)
        return seen.decode('utf-8', 'replace')


class Colour(Case):
    def test_only_on_a_terminal(self):
        self.assertIn('\x1b[', self.on_terminal('check', self.bad))
        self.assertNotIn('\x1b', self.run_treaty('check', self.bad).stderr)

    def test_no_color_is_honoured(self):
        self.assertNotIn('\x1b[', self.on_terminal('check', self.bad, env={'NO_COLOR': '1'}))
        self.assertIn('\x1b[', self.on_terminal('check', self.bad, env={'NO_COLOR': ''}))
        self.assertNotIn('\x1b[', self.on_terminal('check', self.bad, env={'TERM': 'dumb'}))

    def test_the_option_decides(self):
        self.assertIn('\x1b[', self.run_treaty('check', self.bad, '--color', 'always').stderr)
        self.assertNotIn('\x1b[', self.on_terminal('check', self.bad, '--color', 'never'))


class Usage(Case):
    def test_help_of_every_verb(self):
        for verb, _ in completions.verbs(TREATY):
            by_help, by_option = self.run_treaty('help', verb), self.run_treaty(verb, '--help')
            self.assertEqual((by_help.returncode, by_help.stdout), (0, by_option.stdout))
            self.assertIn(f'usage: treaty {verb}', by_help.stdout)
            self.assertIn('--json', by_help.stdout)

    def test_bad_usage_is_two_and_one_clear_line(self):
        for arguments in (['chek'], ['check'], ['check', '--jsno', 'x'], ['show', '--as'], ['help', 'nothing'],
                          ['check', 'a.treaty', '--jobs', 'many'], ['--nothing']):
            done = self.run_treaty(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ''), arguments)
            self.assertRegex(done.stderr, r'^error(\[T\d{4}\])?: ')

    def test_version(self):
        done = self.run_treaty('--version')
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r'^treaty \d+\.\d+\.\d+\n$')
        done = self.run_treaty('--version', '--json')
        self.assertEqual(done.returncode, 0)
        self.assertRegex(json.loads(done.stdout)['version'], r'^\d+\.\d+\.\d+$')


class WhoIsToBlame(Case):
    """2: the command or its input, also an input that cannot be read. 4: what is refused although both are right."""
    WIRE = ('message n(x: int in 0..9)\nprotocol P(A, B) {\n  A -> B: n\n}\n'
            'wire W over stream {\n  n(x) = {\n    x: 8\n  }\n}\n')

    def setUp(self):
        super().setUp()
        self.wire = self.put('wire.treaty', self.WIRE)
        self.log = self.put('log.jsonl', '{"from": "A", "to": "B", "dir": "->", "message": "ping"}\n')

    def codes(self, commands, code, text):
        for command in commands:
            done = self.run_treaty(*command)
            self.assertEqual(done.returncode, code, f'{command}: {done.stdout}{done.stderr}')
            self.assertRegex(done.stderr, rf'error\[T\d{{4}}\]: .*({text})')

    def test_an_input_that_cannot_be_read_is_two(self):
        no = self.folder / 'no' / 'such'
        treaty, text = f'{no}.treaty', f'{no}.x'
        one_file = {verb: [f'{no}.csp' if verb == 'refine' else treaty] for verb, _ in completions.verbs(TREATY)}
        for verb in ('help', 'lsp', 'serve', 'proxy', 'complete', 'run', 'mine', 'replay', 'comply', 'conform', 'diff', 'refine', 'decode'):
            one_file.pop(verb, None)
        more = {'show': ['--as', 'net', '-o', 'x.svg'], 'convert': ['-o', 'x.json'], 'project': ['--role', 'A'],
                'unfold': ['--times', '2'], 'test': ['--cut', 'B', '--via', 'stdio:', '--run', 'cat'],
                'simulate': ['--role', 'A', '--via', 'stdio:', '--run', 'cat'], 'watch': ['--from', self.log],
                'tests': ['--cut', 'B'], 'mutate': ['--cut', 'B'], 'step': [], 'generate': ['--language', 'c++', '-o', 'x']}
        commands = [[verb, *files, *more.get(verb, [])] for verb, files in one_file.items()]
        commands += [['run', f'{no}.csp'], ['conform', treaty, treaty], ['diff', treaty, treaty], ['refine', f'{no}.csp', f'{no}.csp'],
                     ['comply', treaty, treaty], ['complete', treaty],
                     ['decode', treaty], ['decode', self.wire, '--input', text], ['mine', text, '-o', 'x.treaty'],
                     ['replay', text], ['replay', '--store', text], ['watch', self.good, '--from', text],
                     ['data', self.wire, '--message', 'n', '--profile', text],
                     ['test', self.wire, '--cut', 'B', '--via', 'stdio:', '--run', 'cat', '--profile', text,
                      '--strategy', 'profile']]
        self.codes(commands, 2, '[Nn]o such file')

    def test_an_address_that_is_not_one_is_two(self):
        via = 'tcp://127.0.0.1:99999'
        self.codes([['test', self.good, '--cut', 'B', '--via', via],
                    ['simulate', self.good, '--role', 'A', '--via', via],
                    ['proxy', '--listen', '127.0.0.1:99999', '--to', '127.0.0.1:1', '--between', 'A,B', '-o', 'x'],
                    ['proxy', '--listen', '127.0.0.1:0', '--to', '127.0.0.1:99999', '--between', 'A,B', '-o', 'x'],
                    ['watch', self.good, '--from', self.log, '--metrics', '127.0.0.1:99999']], 2, 'is not a port number|is not HOST:PORT')

    def test_an_output_that_cannot_be_written_is_four(self):
        no = self.folder / 'no' / 'such'
        test = ['test', self.good, '--cut', 'B', '--via', 'stdio:', '--silence', '20s', '--sessions', '1', '--run',
                """read x; echo '{"message": "pong"}'; cat"""]
        self.codes([['show', self.good, '--as', 'net', '-o', f'{no}.svg'], ['convert', self.good, '-o', f'{no}.json'],
                    ['mine', self.log, '-o', f'{no}.treaty'], ['data', self.wire, '--message', 'n', '--output', f'{no}.bin'],
                    ['proxy', '--listen', '127.0.0.1:0', '--to', '127.0.0.1:1', '--between', 'A,B', '-o', no],
                    ['watch', self.good, '--from', self.log, '--verdicts', no],
                    ['watch', self.good, '--from', self.log, '--state', no],
                    [*test, '--store', no], [*test, '--html', f'{no}.html'], [*test, '--junit', f'{no}.xml']], 4,
                   'cannot write|cannot be written')

    def test_a_program_that_cannot_be_started_is_four(self):
        for run in ('treaty-has-no-such-program', '/'):
            for via in ('stdio:', 'tcp://127.0.0.1:{port}'):
                self.codes([['test', self.good, '--cut', 'B', '--via', via, '--run', run],
                            ['simulate', self.good, '--role', 'A', '--via', via, '--run', run]], 4,
                           'no such program|cannot be executed|already ended')


class Envelope(Case):
    ANSWERS = {'holds': 0, 'fails': 1, 'conditional': 1, 'undecided': 3}

    def commands(self):
        known = [verb for verb, _ in completions.verbs(TREATY)]
        for path in (self.good, self.bad, self.folder / 'missing.treaty'):
            for verb, rest in (('check', [path]), ('fmt', [path]), ('show', [path, '--as', 'net', '-o', 'x.svg']),
                               ('convert', [path, '-o', 'x.json']), ('project', [path, '--role', 'A']),
                               ('unfold', [path, '--times', '2']), ('explore', [path])):
                if verb in known:
                    yield verb, rest
        yield 'help', []
        yield 'help', ['codes']
        yield 'explore', [self.good, '--limit-states', '1']

    def test_json_agrees_with_the_exit_code(self):
        seen = set()
        for verb, rest in self.commands():
            done = self.run_treaty(verb, *rest, '--json')
            result = json.loads(done.stdout)
            self.assertEqual(result['treaty'], 1)
            self.assertEqual(result['verb'], verb)
            plain = self.run_treaty(verb, *rest)
            self.assertEqual(plain.returncode, done.returncode, (verb, rest))
            if result.get('answer') is not None:
                self.assertEqual(self.ANSWERS[result['answer']], done.returncode, (verb, rest))
            else:
                self.assertIn(done.returncode, (2, 4), (verb, rest))
                self.assertTrue(result['diagnostics'], (verb, rest))
            seen.add(done.returncode)
        self.assertLessEqual({0, 2, 3}, seen)


class World(Case):
    def test_a_refused_run_leaves_the_target_alone(self):
        target = self.put('kept.json', 'precious')
        self.assertEqual(self.run_treaty('convert', self.bad, '-o', target).returncode, 2)
        self.assertEqual(target.read_text(), 'precious')

    def test_a_folder_that_does_not_exist(self):
        done = self.run_treaty('convert', self.good, '-o', self.folder / 'no/where.json')
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r'^error\[T\d{4}\]: ')

    def test_nothing_is_left_behind(self):
        before = sorted(os.listdir(self.folder))
        self.run_treaty('convert', self.good, '-o', self.folder / 'no/where.json')
        self.run_treaty('convert', self.bad, '-o', self.folder / 'x.json')
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_a_full_disk(self):
        with open('/dev/full', 'w', encoding='utf-8') as full:
            done = self.run_treaty('fmt', self.good, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 4)

    def test_a_reader_that_goes_away(self):
        big = self.put('big.treaty', 'protocol P(A, B) {\n' + '  A -> B: ping\n' * 20000 + '}\n')
        done = subprocess.run(['bash', '-c', 'set -o pipefail; "$0" fmt "$1" | head -n 1 >/dev/null; echo "${PIPESTATUS[0]}"',
                               TREATY, str(big)], env=golden.environment(TREATY), capture_output=True, text=True, check=False)
        self.assertIn(done.stdout.strip(), ('0', '4'), done.stderr)

    def interrupted(self, *arguments):
        """The output of a command that is interrupted as soon as it handles signals."""
        child = subprocess.Popen([TREATY, *map(str, arguments)], cwd=self.folder, env=golden.environment(TREATY),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.kill)
        begun = time.monotonic()
        while not caught(child.pid) & 1 << signal.SIGINT - 1:
            self.assertIsNone(child.poll(), 'it ended before it could be interrupted')
            self.assertLess(time.monotonic() - begun, golden.TIMEOUT_S)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=golden.TIMEOUT_S)
        return child.returncode, out

    def test_a_script_that_is_interrupted(self):
        shop = (ROOT / 'examples/shop/shop.schora').read_text(encoding='utf-8')
        shop += '  conformance impl spec\n  showRealizableSTG spec SYNC\n' * 3000
        script = self.put('long.schora', shop.replace('  conformance mutant spec\n', ''))
        endless = self.put('endless.csp', 'channel a\nP(n) = a -> P(n + 1)\nassert P(0) :[deadlock free [F]]\n')
        for arguments in ([script], [endless, '--limit-states', 10**12]):
            code, out = self.interrupted('run', *arguments)
            self.assertEqual(code, 3, out)
            self.assertIn('interrupted', out)
            self.assertNotIn('the time is up', out)

    def test_standard_input(self):
        done = subprocess.run([TREATY, 'fmt', '-'], input='protocol P(A,B){A->B:m}', capture_output=True, text=True,
                              env=golden.environment(TREATY), check=False)
        self.assertEqual((done.returncode, done.stdout), (0, 'protocol P(A, B) {\n  A -> B: m\n}\n'))


class Packaging(Case):
    def test_completions_are_up_to_date(self):
        for name, text in completions.written(TREATY).items():
            path = completions.FOLDER / name
            self.assertTrue(path.exists() and path.read_text(encoding='utf-8') == text,
                            f'{name} is stale; run scripts/completions.py --update')

    def complete(self, *words):
        script = f'source {completions.FOLDER}/treaty.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _treaty; printf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run(['bash', '-c', script, 'bash', 'treaty', *words], cwd=self.folder, capture_output=True,
                              text=True, check=True)
        return done.stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.complete('che'), ['check'])
        self.assertEqual(self.complete('check', '--limit-t'), ['--limit-time'])
        self.assertEqual(self.complete('check', 'go'), ['good.treaty'])
        self.assertEqual(self.complete('check', '--color', 'ne'), ['never'])
        self.assertEqual(self.complete('help', 'ch'), ['check'])
        self.assertEqual(self.complete('check', '--jobs', ''), [])

    def test_the_manual_page_knows_every_verb_and_common_option(self):
        page = (ROOT / 'packaging/treaty.1').read_text(encoding='utf-8').replace('\\-', '-')
        described = {word for line in re.findall(r'^\.TP\n\.BI?R? (.*)', page, re.M)
                     for word in re.findall(r'[\w-]+', line)}
        known = [verb for verb, _ in completions.verbs(TREATY)]
        for verb in known:
            self.assertIn(verb, described)
        common = set.intersection(*({o.names[-1] for o in completions.options(TREATY, verb)} for verb in known))
        for option in common | {'--version'}:
            self.assertIn(option, described)
        verbs_section = page.split('.SH VERBS', 1)[1].split('.SH', 1)[0]
        for verb in re.findall(r'^\.TP\n\.B (\S+)', verbs_section, re.M):
            self.assertIn(verb, known, 'the manual page describes a verb that does not exist')


def main():
    global TREATY
    arguments = argparse.ArgumentParser(description='check the program as a whole')
    arguments.add_argument('--treaty', default=TREATY)
    options, rest = arguments.parse_known_args()
    TREATY = str(pathlib.Path(options.treaty).resolve())
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == '__main__':
    main()
