#!/usr/bin/env python3
"""Random edits of random files in `treaty lsp`, with requests and cancellations: at the end each file has the diagnostics of
`treaty check`.

    scripts/check_edits.py --treaty build/test/treaty [--seed N]

The files are those of examples/, library/, tests/golden/ and the corpus of the fuzzers. Edits go to several open files in any order,
and the memory of the server stays flat. TREATY_TEST_SCALE multiplies the edits. Prints the seed, one line per failure, and
exits with 1 if there is one.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from editor_client import Checks, Client

ROOT = pathlib.Path(__file__).resolve().parent.parent
PIECES = ['x', '\n', ' ', '}', '{', '(', ')', '-> ', ': ', ', ', '"', '/', '// ', '/*', '*/', 'let ', 'choice at a {\n', ' or {', 'message m(x: int)\n',
          'where ', 'é', '\U0001f600', '中', '', '', '', '', '0', '==', 'protocol Q(a, b) {\n  a -> b: hello\n}\n']
REQUESTS = ['hover', 'completion', 'definition', 'documentHighlight', 'signatureHelp']
WHOLE = ['documentSymbol', 'foldingRange', 'semanticTokens/full', 'codeLens', 'formatting', 'documentLink']


def texts():
    """Texts of every kind: examples, golden inputs, what the fuzzer has kept."""
    found = [path.read_text() for path in sorted(ROOT.glob('examples/*/*.treaty')) + sorted(ROOT.glob('library/*.treaty'))]
    for path in sorted(ROOT.glob('tests/golden/**/*.test')):
        for part in re.split(r'^--- file ', path.read_text(errors='replace'), flags=re.M)[1:]:
            name, _, rest = part.partition('\n')
            if name.endswith('.treaty'):
                found.append(re.split(r'^--- ', rest, flags=re.M)[0])
    for path in sorted((ROOT / 'src/formats/treaty/corpus/treaty').iterdir()):
        try:
            found.append(path.read_bytes().decode())
        except UnicodeDecodeError:
            pass
    # Long ones only slow the test down, and a lone carriage return is a line break only for editors.
    return [text for text in found if len(text) < 3000 and '\r' not in text and '\0' not in text]


def utf16(text):
    return len(text.encode('utf-16-le')) // 2


class Document:
    def __init__(self, path, text):
        self.path, self.text, self.version, self.original = path, text, 1, text

    def position(self, offset):
        line = self.text.count('\n', 0, offset)
        return {'line': line, 'character': utf16(self.text[self.text.rfind('\n', 0, offset) + 1:offset])}

    def edit(self, chance):
        """One change of the text, as the protocol has it."""
        self.version += 1
        if chance.random() < 0.08:
            self.text = self.original
            return {'text': self.text}
        begin = chance.randrange(len(self.text) + 1)
        end = min(len(self.text), begin + chance.choice([0, 0, 1, 2, 5]))
        by = chance.choice(PIECES)
        change = {'range': {'start': self.position(begin), 'end': self.position(end)}, 'text': by}
        self.text = self.text[:begin] + by + self.text[end:]
        return change


def shown(diagnostics):
    """What `treaty check` reports too: without the runs that it shows in another way."""
    severities = {1: 'error', 2: 'warning', 3: 'note'}
    return sorted((one['code'], severities[one['severity']], one['range']['start']['line'] + 1, one['message'].split('\nhelp: ')[0])
                  for one in diagnostics if 'code' in one)


def checked(treaty, document):
    document.path.write_text(document.text)
    run = subprocess.run([treaty, 'check', '--json', document.path], capture_output=True, text=True, timeout=120)
    document.path.unlink()
    report = json.loads(run.stdout)
    return sorted((one['code'], one['severity'], one.get('line', 1), one['message']) for one in report['diagnostics'])


class Session:
    """Some files open at once, edited in any order."""

    def __init__(self, checks, treaty, chance, chosen):
        self.checks, self.treaty, self.chance = checks, treaty, chance
        self.folder = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.client = Client(treaty, self.folder, pause='5ms', environment={**os.environ, 'ASAN_OPTIONS': 'quarantine_size_mb=1'})
        self.client.begin()
        self.documents = [Document(self.folder / f'text{i}.treaty', text) for i, text in enumerate(chosen)]
        for one in self.documents:
            self.client.open(one.path, one.text)

    def edit(self, count):
        for _ in range(count):
            one = self.chance.choice(self.documents)
            self.client.change(one.path, one.version + 1, [one.edit(self.chance)])
            if self.chance.random() < 0.2:
                self.ask(one)
            # What came is read, so that the server is never waited for by its own output.
            while not self.client.came.empty():
                self.client.came.get()

    def ask(self, document):
        self.client.last += 1
        params = {'textDocument': {'uri': document.path.as_uri()}, 'options': {}}
        method = self.chance.choice(REQUESTS + WHOLE)
        if method in REQUESTS:
            params['position'] = document.position(self.chance.randrange(len(document.text) + 1))
        self.client.send({'jsonrpc': '2.0', 'id': self.client.last, 'method': f'textDocument/{method}', 'params': params})
        if self.chance.random() < 0.5:
            self.client.notify('$/cancelRequest', {'id': self.client.last})

    def memory(self):
        """Resident bytes of the server."""
        return int(pathlib.Path(f'/proc/{self.client.server.pid}/statm').read_text().split()[1]) * os.sysconf('SC_PAGE_SIZE')

    def compare(self):
        """The last word of the server about each file, against that of the command line."""
        for one in self.documents:
            # One more version, which changes nothing: what is published for it is published after all edits.
            self.client.change(one.path, one.version + 1, [{'text': one.text}])
            one.version += 1
            wanted = checked(self.treaty, one)
            found, until = None, time.monotonic() + 60
            while found != wanted and time.monotonic() < until:
                try:
                    found = shown(self.client.diagnostics(one.path, one.version, wait=until - time.monotonic()))
                except Exception:  # nothing more came
                    break
            self.checks.equal(f'diagnostics of\n{one.text}\n', found, wanted)

    def end(self):
        self.checks.equal('exit code', self.client.end(), 0)
        for path in self.folder.iterdir():
            path.unlink()
        self.folder.rmdir()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--treaty', required=True)
    parser.add_argument('--seed', type=int, default=1)
    arguments = parser.parse_args()
    treaty = str(pathlib.Path(arguments.treaty).resolve())
    scale = max(1, int(os.environ.get('TREATY_TEST_SCALE', '1')))
    print(f'check_edits: seed {arguments.seed}')
    chance, checks, all_texts, edits = random.Random(arguments.seed), Checks(), texts(), 0
    checks.true('texts', len(all_texts) > 100)
    for _ in range(3 * scale):
        session = Session(checks, treaty, chance, chance.sample(all_texts, 4))
        session.edit(400)
        session.compare()
        session.end()
        edits += 400
    # Memory: what the first edits need is what all need.
    session = Session(checks, treaty, chance, chance.sample(all_texts, 2))
    session.edit(600)
    session.compare()
    before = session.memory()
    session.edit(1500 * scale)
    session.compare()
    grown = session.memory() - before
    checks.true(f'memory is flat: {before} bytes and then {grown} more', grown < (48 << 20))
    session.end()
    edits += 600 + 1500 * scale
    print(f'check_edits: {edits} edits, {checks.count} checks, {checks.faults} faults, {grown >> 10} KiB more memory at the end')
    return 1 if checks.faults else 0


if __name__ == '__main__':
    sys.exit(main())
