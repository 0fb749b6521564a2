#!/usr/bin/env python3
"""Drives `treaty lsp` as an editor does: every request, edits in any script, and hostile input.

    scripts/check_editors.py --treaty build/test/treaty

Then it checks the grammar and the snippets of editors/vscode. Neovim, where it is installed, runs without a screen: it opens
a file with an error, sees the diagnostic, applies the quick fix, renames a role and formats. Prints one line per failure
and exits with 1 if there is one.
"""
import argparse
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
BROKEN = '''message pay(amount: int)

protocol Shop(buyer, seller) {
  buyer -> seler: order
  choice at seller {
    seller -> buyer: pay(let x)
    buyer -> seller: ok
  } or {
    seller -> buyer: no
  }
}
'''
SHOP = BROKEN.replace('seler', 'seller')


class Client:
    """One server and the messages that came from it."""

    def __init__(self, treaty, folder):
        self.server = subprocess.Popen([treaty, 'lsp', '--pause', '20ms'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.came = queue.Queue()
        self.folder = folder
        self.last = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        stream = self.server.stdout
        while True:
            length = None
            while (line := stream.readline()) not in (b'\r\n', b''):
                if line.lower().startswith(b'content-length:'):
                    length = int(line.split(b':')[1])
            if length is None:
                self.came.put(None)
                return
            self.came.put(json.loads(stream.read(length)))

    def raw(self, data):
        self.server.stdin.write(data)
        self.server.stdin.flush()

    def send(self, message):
        content = json.dumps(message).encode()
        self.raw(b'Content-Length: %d\r\n\r\n' % len(content) + content)

    def notify(self, method, params):
        self.send({'jsonrpc': '2.0', 'method': method, 'params': params})

    def wait(self, fits):
        while True:
            message = self.came.get(timeout=60)
            if message is None:
                raise RuntimeError('the server has ended')
            if fits(message):
                return message

    def ask(self, method, params):
        self.last += 1
        self.send({'jsonrpc': '2.0', 'id': self.last, 'method': method, 'params': params})
        return self.wait(lambda m: m.get('id') == self.last and 'method' not in m)

    def result(self, method, params):
        answer = self.ask(method, params)
        if 'error' in answer:
            raise RuntimeError(f'{method}: {answer["error"]}')
        return answer['result']

    def begin(self):
        found = self.result('initialize', {'processId': os.getpid(), 'capabilities': {},
                                           'workspaceFolders': [{'uri': self.folder.as_uri(), 'name': 'x'}]})
        self.notify('initialized', {})
        return found['capabilities']

    def open(self, path, text):
        self.notify('textDocument/didOpen', {'textDocument': {'uri': path.as_uri(), 'languageId': 'treaty', 'version': 1,
                                                              'text': text}})

    def change(self, path, version, changes):
        self.notify('textDocument/didChange', {'textDocument': {'uri': path.as_uri(), 'version': version},
                                               'contentChanges': changes})

    def diagnostics(self, path, version, fits=lambda found: True):
        return self.wait(lambda m: m.get('method') == 'textDocument/publishDiagnostics' and
                         m['params']['uri'] == path.as_uri() and m['params'].get('version') == version and
                         fits(m['params']['diagnostics']))['params']['diagnostics']

    def end(self):
        self.result('shutdown', None)
        self.notify('exit', None)
        return self.server.wait(timeout=60)


class Checks:
    def __init__(self):
        self.faults = 0
        self.count = 0

    def equal(self, what, found, wanted):
        self.count += 1
        if found != wanted:
            self.faults += 1
            print(f'{what}: found {found!r}, expected {wanted!r}')

    def true(self, what, found):
        self.equal(what, bool(found), True)


def position(text, part, inside=0):
    """Where a part of the text begins, as the protocol counts."""
    at = text.index(part) + inside
    line = text.count('\n', 0, at)
    return {'line': line, 'character': len(text[text.rfind('\n', 0, at) + 1:at].encode('utf-16-le')) // 2}


def applied(text, edits):
    """The text after edits, which do not overlap."""
    lines = text.split('\n')

    def offset(place):
        units = lines[place['line']].encode('utf-16-le')[:2 * place['character']]
        return sum(len(line) + 1 for line in lines[:place['line']]) + len(units.decode('utf-16-le'))

    for edit in sorted(edits, key=lambda e: offset(e['range']['start']), reverse=True):
        text = text[:offset(edit['range']['start'])] + edit['newText'] + text[offset(edit['range']['end']):]
    return text


def check_diagnostics(checks, client, path, treaty):
    """The diagnostics of an open text are those of `treaty check`; the quick fix repairs it."""
    client.open(path, BROKEN)
    found = client.diagnostics(path, 1)
    checks.equal('code', [d['code'] for d in found], ['T0202'])
    checks.equal('place', found[0]['range']['start'], position(BROKEN, 'seler'))
    checks.true('link', found[0]['codeDescription']['href'])
    copy = path.with_name('copy.treaty')
    copy.write_text(BROKEN)
    report = json.loads(subprocess.run([treaty, 'check', '--json', copy], capture_output=True, text=True).stdout)
    checks.equal('same codes as check', [d['code'] for d in report['diagnostics']], [d['code'] for d in found])
    copy.unlink()
    actions = client.result('textDocument/codeAction', {'textDocument': {'uri': path.as_uri()}, 'range': found[0]['range'],
                                                        'context': {'diagnostics': found}})
    checks.equal('quick fixes', [a['title'] for a in actions], ['Change to `seller`', 'Add role `seler` to Shop'])
    edits = actions[0]['edit']['changes'][path.as_uri()]
    checks.equal('quick fix', applied(BROKEN, edits), SHOP)
    client.change(path, 2, [{'range': e['range'], 'text': e['newText']} for e in edits])
    client.diagnostics(path, 2, lambda found: not [d for d in found if d['severity'] == 1])


def check_navigation(checks, client, path):
    document = {'textDocument': {'uri': path.as_uri()}}

    def at(part, inside=0):
        return {**document, 'position': position(SHOP, part, inside)}

    symbols = client.result('textDocument/documentSymbol', document)
    checks.equal('symbols', [(s['name'], [c['name'] for c in s.get('children', [])]) for s in symbols],
                 [('pay', ['amount']), ('Shop', ['buyer', 'seller'])])
    checks.equal('range of a protocol', symbols[1]['range']['end']['line'], SHOP.count('\n') - 1)
    definition = client.result('textDocument/definition', at('pay(let'))
    checks.equal('definition', definition['range']['start'], position(SHOP, 'pay'))
    found = client.result('textDocument/references', {**at('seller)'), 'context': {'includeDeclaration': True}})
    checks.equal('references', len(found), SHOP.count('seller'))
    checks.equal('highlights', len(client.result('textDocument/documentHighlight', at('seller)'))), SHOP.count('seller'))
    checks.equal('prepare rename', client.result('textDocument/prepareRename', at('seller)'))['start'],
                 position(SHOP, 'seller)'))
    edits = client.result('textDocument/rename', {**at('seller)'), 'newName': 'vendor'})['changes'][path.as_uri()]
    checks.equal('rename', applied(SHOP, edits), SHOP.replace('seller', 'vendor'))
    for name in ('buyer', 'choice', 'a b', ''):
        checks.equal(f'rename to {name!r}', client.ask('textDocument/rename', {**at('seller)'), 'newName': name})
                     .get('error', {}).get('code'), -32803)
    checks.true('workspace symbols', client.result('workspace/symbol', {'query': 'sho'}))


def check_files(checks, client, folder):
    """Rename and definition across files; a file that is deleted under the server."""
    parts, shop = folder / 'parts.treaty', folder / 'imports.treaty'
    text = 'import "parts.treaty"\n\nprotocol P(a, b) {\n  a -> b: deliver(1)\n}\n'
    parts.write_text('message deliver(count: int)\n')
    shop.write_text(text)
    client.open(shop, text)
    client.diagnostics(shop, 1, lambda found: not found)
    at = {'textDocument': {'uri': shop.as_uri()}, 'position': position(text, 'deliver')}
    checks.equal('definition in another file', client.result('textDocument/definition', at)['uri'], parts.as_uri())
    changes = client.result('textDocument/rename', {**at, 'newName': 'ship'})['changes']
    checks.equal('rename in both files', sorted(changes), sorted([parts.as_uri(), shop.as_uri()]))
    links = client.result('textDocument/documentLink', {'textDocument': {'uri': shop.as_uri()}})
    checks.equal('link', [link['target'] for link in links], [parts.as_uri()])
    parts.unlink()
    client.notify('workspace/didChangeWatchedFiles', {'changes': [{'uri': parts.as_uri(), 'type': 3}]})
    client.diagnostics(shop, 1, lambda found: [d['code'] for d in found] == ['T0221'])
    shop.unlink()
    checks.true('a deleted file is still open', client.result('textDocument/documentSymbol', {'textDocument': {'uri': shop.as_uri()}}))
    client.notify('textDocument/didClose', {'textDocument': {'uri': shop.as_uri()}})


def labels(client, path, text, part, inside=0):
    found = client.result('textDocument/completion', {'textDocument': {'uri': path.as_uri()},
                                                      'position': position(text, part, inside)})
    return [item['label'] for item in found['items']]


def check_writing(checks, client, folder):
    path = folder / 'writing.treaty'
    client.open(path, SHOP)
    version = 1

    def with_line(line):
        nonlocal version
        version += 1
        text = SHOP.replace('  choice at seller {', line + '\n  choice at seller {')
        client.change(path, version, [{'text': text}])
        return text

    text = with_line('  buyer -> ')
    checks.equal('receivers', labels(client, path, text, '  buyer -> \n', 11), ['buyer', 'seller'])
    text = with_line('  buyer -> seller: ')
    checks.equal('messages', labels(client, path, text, '  buyer -> seller: \n', 19), ['pay', 'order', 'ok', 'no'])
    text = with_line('  buyer -> seller: pa')
    checks.true('messages with a beginning', 'pay' in labels(client, path, text, 'seller: pa\n', 10))
    text = with_line('  ')
    checks.true('steps', {'buyer', 'choice', 'repeat'} <= set(labels(client, path, text, '  \n', 2)))
    text = with_line('  seller -> buyer: pay(')
    checks.true('arguments', {'let', 'amount', 'true'} <= set(labels(client, path, text, 'pay(\n', 4)))
    help_ = client.result('textDocument/signatureHelp', {'textDocument': {'uri': path.as_uri()},
                                                         'position': position(text, 'pay(\n', 4)})
    checks.equal('signature', help_['signatures'][0]['label'], 'pay(amount: int)')
    client.change(path, 50, [{'text': 'import "lib'}])
    checks.true('library', 'library/smtp.treaty' in labels(client, path, 'import "lib', 'lib', 3))
    client.change(path, 51, [{'text': SHOP.replace('    seller', '  seller')}])
    edits = client.result('textDocument/formatting', {'textDocument': {'uri': path.as_uri()}, 'options': {}})
    checks.equal('formatting', applied(SHOP.replace('    seller', '  seller'), edits), SHOP)
    client.change(path, 52, [{'text': SHOP}])
    checks.equal('nothing to format', client.result('textDocument/formatting', {'textDocument': {'uri': path.as_uri()},
                                                                              'options': {}}), [])


def check_reading(checks, client, path, capabilities):
    document = {'textDocument': {'uri': path.as_uri()}}
    hover = client.result('textDocument/hover', {**document, 'position': position(SHOP, 'pay(let')})['contents']['value']
    checks.true('hover of a message', 'message pay(amount: int)' in hover and '`seller` -> `buyer`, line 6' in hover)
    hover = client.result('textDocument/hover', {**document, 'position': position(SHOP, 'seller)')})['contents']['value']
    checks.true('hover of a role', 'seller buyer!pay' in hover)
    checks.equal('hover of nothing', client.result('textDocument/hover', {**document, 'position': {'line': 1, 'character': 0}}), None)
    folds = client.result('textDocument/foldingRange', document)
    checks.equal('folding', [(f['startLine'], f['endLine']) for f in folds], [(2, 9), (4, 6), (7, 8)])
    chain = client.result('textDocument/selectionRange', {**document, 'positions': [position(SHOP, 'order')]})[0]
    lines = []
    while chain:
        lines.append(chain['range']['end']['line'] - chain['range']['start']['line'])
        chain = chain.get('parent')
    checks.true('selection grows', lines == sorted(lines) and lines[-1] == SHOP.count('\n'))
    data = client.result('textDocument/semanticTokens/full', document)['data']
    legend = capabilities['semanticTokensProvider']['legend']['tokenTypes']
    checks.equal('semantic tokens', [legend[data[i + 3]] for i in range(0, 35, 5)],
                 ['keyword', 'event', 'property', 'keyword', 'namespace', 'class', 'class'])
    whole = {'start': {'line': 0, 'character': 0}, 'end': {'line': 99, 'character': 0}}
    hints = client.result('textDocument/inlayHint', {**document, 'range': whole})
    checks.equal('inlay hints', [h['label'] for h in hints], [': int'])


def check_commands(checks, client, path):
    lenses = client.result('textDocument/codeLens', {'textDocument': {'uri': path.as_uri()}})
    checks.equal('lenses', [lens['command']['title'] for lens in lenses],
                 ['check', 'explore', 'project', 'draw', 'step', 'test'])
    wanted = {'check': 'Shop', 'explore': 'holds', 'project': 'seller buyer!pay', 'draw': 'order'}
    for lens in lenses:
        command = lens['command']
        answer = client.result('workspace/executeCommand', {'command': command['command'], 'arguments': command['arguments']})
        if command['title'] in wanted:
            checks.true(f'command {command["title"]}: {answer["text"]!r}', wanted[command['title']] in answer['text'])
        else:
            checks.true(f'command {command["title"]}', f'treaty {command["title"]}' in answer['terminal'])
        if command['title'] == 'draw':
            checks.true('picture', answer['svg'].startswith('<svg'))


def check_scripts(checks, client, folder):
    """Positions count UTF-16 code units, whatever the script."""
    path = folder / 'scripts.treaty'
    text = '// \U0001f600 \u4e2d\u6587\nprotocol P(\u00e9a, b) {\n  \u00e9a -> b: x // \U0001f600\n}\n'
    client.open(path, text)
    client.diagnostics(path, 1)
    client.change(path, 2, [{'range': {'start': position(text, '\U0001f600 \u4e2d'), 'end': position(text, ' \u4e2d')}, 'text': '\U0001d49c!'},
                            {'range': {'start': {'line': 2, 'character': 8}, 'end': {'line': 2, 'character': 9}}, 'text': 'c'}])
    found = client.diagnostics(path, 2)
    checks.equal('place after letters with accents', found[0]['range']['start'], {'line': 2, 'character': 8})


def check_notations(checks, client, folder):
    """Files of other notations have diagnostics too."""
    texts = {'a.gc': 'A -> B : ;', 'a.fsa': '.outputs A\nnonsense', 'a.scr': 'global protocol P(role A', 'a.nuscr': 'global protocol',
             'a.csp': 'P = a -> ', 'a.schora': 'nonsense (', 'a.pnml': '<pnml>'}
    for name, text in texts.items():
        client.open(folder / name, text)
        checks.true(f'{name} has a diagnostic', client.diagnostics(folder / name, 1))


def check_hostile(checks, client, path):
    def refused(data, code):
        client.raw(data)
        answer = client.wait(lambda m: 'error' in m and m.get('id') is None)
        checks.equal(f'{data[:40]!r}', answer['error']['code'], code)

    refused(b'Content-Type: x\r\n\r\n', -32700)
    refused(b'Content-Length: ten\r\n\r\n', -32700)
    refused(b'Content-Length: 3\r\n\r\n{]}', -32700)
    refused(b'Content-Length: 2\r\n\r\n[]', -32600)
    refused(b'Content-Length: 1073741824\r\n\r\n', -32600)
    for _ in range(1024):
        client.raw(bytes(1 << 20))
    refused(b'Content-Length: 202\r\n\r\n' + b'[' * 202, -32700)
    document = {'textDocument': {'uri': path.as_uri()}}
    for place in ({'line': 10**9, 'character': 0}, {'line': 0, 'character': 10**12}, {'line': -1, 'character': -5}):
        for method in ('hover', 'completion', 'definition', 'references', 'signatureHelp'):
            checks.true(f'{method} at {place}', 'error' not in client.ask(f'textDocument/{method}', {**document, 'position': place}))
    client.change(path, 90, [{'range': {'start': {'line': 10**6, 'character': 3}, 'end': {'line': 0, 'character': 0}}, 'text': '// end\n'}])
    client.diagnostics(path, 90)
    checks.equal('no such document', client.ask('textDocument/hover', {'textDocument': {'uri': 'file:///none.treaty'},
                                                                     'position': {'line': 0, 'character': 0}})['error']['code'], -32803)
    checks.equal('wrong parameters', client.ask('textDocument/hover', {**document, 'position': 'x'})['error']['code'], -32602)
    checks.equal('unknown method', client.ask('textDocument/none', {})['error']['code'], -32601)


def check_server(checks, treaty, folder):
    client = Client(treaty, folder)
    try:
        checks.equal('before initialize', client.ask('textDocument/hover', {})['error']['code'], -32002)
        capabilities = client.begin()
        path = folder / 'shop.treaty'
        check_diagnostics(checks, client, path, treaty)
        check_navigation(checks, client, path)
        check_files(checks, client, folder)
        check_writing(checks, client, folder)
        check_reading(checks, client, path, capabilities)
        check_commands(checks, client, path)
        check_scripts(checks, client, folder)
        check_notations(checks, client, folder)
        check_hostile(checks, client, path)
        checks.equal('exit code', client.end(), 0)
        rude = Client(treaty, folder)
        rude.begin()
        rude.server.stdin.close()
        checks.equal('exit code without shutdown', rude.server.wait(timeout=60), 1)
    finally:
        client.server.kill()
        client.server.wait()


def expanded(body):
    """A snippet as it is inserted, every placeholder with its default."""
    text = body if isinstance(body, str) else '\n'.join(body)
    return re.sub(r'\$\d', '', re.sub(r'\$\{\d+:([^}]*)\}', r'\1', text)).replace('\\\\', '\\')


def check_vscode(checks, treaty, folder):
    """The grammar knows every keyword of the lexer; every snippet is a right text in its place."""
    extension = ROOT / 'editors/vscode'
    grammar = (extension / 'syntaxes/treaty.tmLanguage.json').read_text()
    json.loads(grammar)
    words = re.findall(r'"([a-z]+)"', (ROOT / 'src/lang/lexer.cpp').read_text().split('array keywords = {', 1)[1].split('}', 1)[0])
    checks.true('keywords of the lexer', len(words) > 30)
    checks.equal('keywords that the grammar lacks', [w for w in words if not re.search(rf'\b{w}\b', grammar)], [])
    manifest = json.loads((extension / 'package.json').read_text())
    for part in manifest['contributes']['grammars'] + manifest['contributes']['snippets']:
        checks.true(f'{part["path"]} exists', (extension / part['path']).exists())
    checks.true('no addresses in the lock file', '"resolved"' not in (extension / 'package-lock.json').read_text())
    around = {'protocol': '{}', 'message': '{}', 'wire': 'message say(text: string)\n\n{}',
              'property': 'protocol P(role, other) {{\n  role -> other: request\n  other -> role: answer\n}}\n\n{}',
              'interaction': 'protocol P(from, to) {{\n  {}\n}}', 'par': 'protocol P(a, b) {{\n  a -> b: x\n  {}\n}}'}
    for name, snippet in json.loads((extension / 'snippets/treaty.json').read_text()).items():
        path = folder / f'{name}.treaty'
        path.write_text(around.get(name, 'protocol P(role, other) {{\n  {}\n}}').format(expanded(snippet['body'])) + '\n')
        run = subprocess.run([treaty, 'check', path], capture_output=True, text=True)
        # A text without a protocol has nothing to check: undecided.
        expected = 0 if 'protocol' in path.read_text() else 3
        checks.equal(f'snippet {name}: {run.stderr}', run.returncode, expected)


def check_nvim(checks, nvim, treaty, folder):
    """A real client: scripts/nvim_session.lua has the steps."""
    path = folder / 'nvim.treaty'
    path.write_text(BROKEN.replace('    buyer', '  buyer'))
    environment = {**os.environ, 'TREATY': treaty, 'TREATY_FILE': str(path), 'XDG_STATE_HOME': str(folder),
                   'XDG_DATA_HOME': str(folder), 'XDG_CONFIG_HOME': str(folder)}
    run = subprocess.run([nvim, '--headless', '--clean', '--cmd', f'set rtp+={ROOT}/editors/nvim', '-c',
                          f'luafile {ROOT}/scripts/nvim_session.lua'],
                         capture_output=True, text=True, timeout=120, env=environment, cwd=folder)
    checks.equal(f'nvim: {run.stdout}{run.stderr}', run.returncode, 0)
    checks.equal('what nvim wrote', path.read_text(), SHOP.replace('seller', 'vendor'))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--treaty', required=True)
    arguments = parser.parse_args()
    treaty = str(pathlib.Path(arguments.treaty).resolve())
    nvim = shutil.which('nvim')
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        check_server(checks, treaty, pathlib.Path(name).resolve())
        check_vscode(checks, treaty, pathlib.Path(name).resolve())
    if nvim:
        with tempfile.TemporaryDirectory() as name:
            check_nvim(checks, nvim, treaty, pathlib.Path(name).resolve())
    without = '' if nvim else ', without Neovim (not installed)'
    print(f'check_editors: {checks.count} checks, {checks.faults} faults{without}')
    return 1 if checks.faults else 0


if __name__ == '__main__':
    sys.exit(main())
