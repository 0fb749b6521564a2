"""A client of `treaty lsp` for scripts: one server, the messages that came from it, and texts as the protocol counts them."""
import json
import os
import queue
import subprocess
import threading


class Client:
    """One server and the messages that came from it."""

    def __init__(self, treaty, folder, pause='20ms', environment=None):
        self.server = subprocess.Popen([treaty, 'lsp', '--pause', pause], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
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

    def wait(self, fits, wait=60):
        while True:
            message = self.came.get(timeout=max(wait, 0.01))
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

    def diagnostics(self, path, version, fits=lambda found: True, wait=60):
        return self.wait(lambda m: m.get('method') == 'textDocument/publishDiagnostics' and
                         m['params']['uri'] == path.as_uri() and m['params'].get('version') == version and
                         fits(m['params']['diagnostics']), wait)['params']['diagnostics']

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
