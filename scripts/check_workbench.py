#!/usr/bin/env python3
"""Checks the workbench: who may ask, what is reached, what visitors may use, and what a person sees in Chromium.

    scripts/check_workbench.py --treaty build/test/treaty [--pictures FOLDER]

Without a browser: tokens, hosts and origins; paths that leave the folder, in every form, by every request; floods; limits;
questions side by side; what becomes of programs when a tab is closed or the workbench is killed. Then web/test/browse.mjs does
with puppeteer-core what a person does. Without npm, or without Chromium, that part is left out and reported; without npm
the page cannot be built, and the test ends with 77. --pictures keeps pictures of the page.
"""
import argparse
import contextlib
import html
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import build_page
import golden
from check_html import chromium
from editor_client import Checks
from workbench_client import Served, Tab

WEB = golden.ROOT / 'web'
EXAMPLES = golden.ROOT / 'examples'
SECRET = 'Geheimnis4711'
PATIENCE = 60  # seconds; only reached if something is broken
LARGEST_PAGE = 1 << 20

# Pairs that talk side by side: more configurations than anybody waits for.
LARGE = 'protocol Large(' + ', '.join(f'a{i}, b{i}' for i in range(14)) + ') {\n  par {\n' + '\n  } and {\n'.join(
    f'    a{i} -> b{i}: x{i}\n    b{i} -> a{i}: y{i}\n    a{i} -> b{i}: z{i}' for i in range(14)) + '\n  }\n}\n'
EXPLORE = {'question': 'explore', 'values': {'file': 'large.treaty', 'every interleaving': True, 'limit states': '9000000000', 'limit time': '1h'}}


def wait_until(what):
    """Whether it becomes true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.02)
    return False


def alive(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        state = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]
        return state != 'Z'
    return False


def make_folder(name):
    """A folder to serve, with links that lead out of it, and something outside that nobody may see."""
    outside = pathlib.Path(name, 'outside')
    folder = pathlib.Path(name, 'inside')
    (folder / 'sub').mkdir(parents=True)
    outside.mkdir()
    (outside / 'secret.treaty').write_text(f'protocol {SECRET}(a, b) {{\n  a -> b: {SECRET}m\n}}\n')
    (folder / 'secret.treaty').symlink_to(outside / 'secret.treaty')
    (folder / 'linked').symlink_to(outside)
    (folder / 'up').symlink_to('..')
    (folder / 'pipe').touch()
    (folder / 'pipe').unlink()
    os.mkfifo(folder / 'pipe')
    shutil.copy(EXAMPLES / 'withdraw/withdraw.treaty', folder)
    shutil.copy(EXAMPLES / 'withdraw/withdraw.treaty', folder / 'sub/inner.treaty')
    (folder / 'large.treaty').write_text(LARGE)
    return folder, outside


def check_gate(checks, treaty, page, folder):
    with Served(treaty, folder, '--page', page) as served:
        token = served.path.strip('/')
        status, fields, body = served.request(served.path)
        checks.equal('the page', (status, b'<script src="app.js">' in body), (200, True))
        policy = fields.get('content-security-policy', '')
        checks.true(f'a policy without inline scripts: {policy}', "default-src 'none'" in policy and "script-src 'self';" in policy
                    and 'unsafe' not in policy and "frame-ancestors 'none'" in policy)
        checks.equal('no script in the page itself', body.count(b'<script'), 1)
        nonces = {served.request(served.path)[2] for _ in range(3)}
        checks.equal('a nonce for each visit', len(nonces), 3)
        checks.equal('files of the page', [served.request(served.path + one)[0] for one in ('app.js', 'app.css', 'examples.json', 'icon.svg')], [200] * 4)
        wrong = ['/', f'/{token}', f'/{token[:-1]}/', f'/{token[:-1]}x/', f'/{token}x/', f'/{token.upper()}x/', f'//{token}/', f'/x/{token}/',
                 '/socket', '/lsp', f'/?token={token}', f'/%2e%2e/{token}/', '/' + 'a' * 32 + '/']
        for path in wrong:
            checks.equal(f'without the token: {path}', served.request(path)[0], 403)
        for host in ('evil.example', f'evil.example:{served.port}', '127.0.0.1', f'127.0.0.1:{served.port + 1}', ''):
            checks.equal(f'Host {host}', served.request(served.path, Host=host)[0] in (400, 403), True)
        checks.equal('known as localhost', served.request(served.path, Host=f'localhost:{served.port}')[0], 200)
        for origin in ('http://evil.example', 'null', f'http://evil.example:{served.port}', 'http://127.0.0.1', f'http://127.0.0.1:{served.port}.evil.example'):
            checks.equal(f'Origin {origin}', served.request(served.path, Origin=origin)[0], 403)
            for name in ('socket', 'lsp'):
                with Tab(served, name, {'Origin': origin}) as tab:
                    checks.equal(f'a socket {name} for {origin}', tab.status, 403)
        for name in ('socket', 'lsp'):
            with Tab(served, name, path='/' + name) as tab:
                checks.equal(f'a socket {name} without a token', tab.status, 403)
            with Tab(served, name, {'Host': 'evil.example'}) as tab:
                checks.equal(f'a socket {name} for another host', tab.status, 403)
            with Tab(served, name, {'Origin': f'http://{served.host}'}) as tab:
                checks.equal(f'a socket {name} for the page', tab.status, 101)
        for method in ('POST', 'PUT', 'DELETE', 'OPTIONS'):
            checks.equal(method, served.request(served.path, method=method)[0], 405)
        for path in ('../app.js', '..%2fapp.js', '%2e%2e/%2e%2e/etc/passwd', '/etc/passwd', 'inside/withdraw.treaty', 'withdraw.treaty', 'app.js/'):
            checks.equal(f'a file that is not of the page: {path}', served.request(served.path + path)[0], 404)
        checks.true('the packed page is small enough', packed_size(page) < LARGEST_PAGE)


def packed_size(page):
    import gzip
    return sum(len(gzip.compress(one.read_bytes())) for one in pathlib.Path(page).iterdir())


OUTSIDE = ['../outside/secret.treaty', 'sub/../../outside/secret.treaty', './../outside/secret.treaty', 'secret.treaty', 'linked/secret.treaty',
           'up/outside/secret.treaty', 'sub/../linked/secret.treaty', 'linked/../outside/secret.treaty', '..//outside//secret.treaty', '{outside}/secret.treaty',
           '//{outside}/secret.treaty', 'withdraw.treaty/../../outside/secret.treaty', 'nothing/../../outside/secret.treaty']
# What is a name like any other where it is used, and must not be taken for a path that leads out.
STRANGE = ['..%2foutside%2fsecret.treaty', '..\\outside\\secret.treaty', 'file://{outside}/secret.treaty', '%2e%2e/outside/secret.treaty', 'withdraw.treaty\0', '', '.', '..',
           'pipe']


def check_paths(checks, treaty, page, folder, outside):
    before = (outside / 'secret.treaty').read_text()
    with Served(treaty, folder, '--page', page) as served, served.tab() as tab:
        listed = [one['path'] for one in tab.ask('files')['result']['files']]
        checks.equal('only files of the folder are listed', listed, ['large.treaty', 'sub/inner.treaty', 'withdraw.treaty'])
        checks.true('a file of the folder', 'protocol Withdraw' in tab.ask('read', path='sub/inner.treaty')['result']['text'])
        for path in [one.format(outside=outside) for one in OUTSIDE + STRANGE]:
            asked = {
                'read': tab.ask('read', path=path), 'write': tab.ask('write', path=path, text='x'),
                'check': tab.ask('ask', question='check', values={'file': path}),
                'replace': tab.ask('ask', question='explore', values={'file': 'withdraw.treaty', 'replace': f'A={path}'}),
                'log': tab.ask('ask', question='watch', values={'file': 'withdraw.treaty', 'logs': path}),
                'picture': tab.ask('picture', file=path), 'walk': tab.ask('walk', file=path),
                'import': tab.ask('ask', question='check', values={'file': 'new.treaty'}, texts={'new.treaty': f'import {json.dumps(path)}\nprotocol P(a, b) {{\n  a -> b: m\n  do {SECRET[:3]}(a, b)\n}}\n'}),
            }
            for what, answer in asked.items():
                checks.true(f'{what} of {path!r}: {json.dumps(answer)[:300]}', SECRET not in json.dumps(answer))
                if what in ('read', 'write'):
                    checks.true(f'{what} of {path!r} is refused: {json.dumps(answer)[:200]}', 'error' in answer)
        for path in ('-', 'capture:lo', 'A=-', 'A=capture:lo'):
            checks.true(f'a log {path}', 'error' in tab.ask('ask', question='watch', values={'file': 'withdraw.treaty', 'logs': path}))
        checks.equal('nothing outside has changed', ((outside / 'secret.treaty').read_text(), sorted(one.name for one in outside.iterdir())), (before, ['secret.treaty']))
        checks.true('hidden files are not written', 'error' in tab.ask('write', path='.bashrc', text='x') and 'error' in tab.ask('write', path='sub/.x/y', text='x'))
        tab.ask('write', path='new.treaty', text='// new\n')
        checks.equal('a file that was written', (folder / 'new.treaty').read_text(), '// new\n')
        (folder / 'new.treaty').unlink()
        check_editor_paths(checks, served, folder, outside)


def check_editor_paths(checks, served, folder, outside):
    """The language server reads nothing outside, whatever the page says is open."""
    with served.tab('lsp') as editor:
        editor.send({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'rootUri': outside.as_uri(), 'capabilities': {}}})
        editor.receive()
        text = f'import "../outside/secret.treaty"\nprotocol P(a, b) {{\n  a -> b: {SECRET}m\n  do {SECRET}(a, b)\n}}\n'
        editor.send({'jsonrpc': '2.0', 'method': 'textDocument/didOpen', 'params': {'textDocument': {'uri': (folder / 'x.treaty').as_uri(), 'languageId': 'treaty', 'version': 1, 'text': text}}})
        message = editor.receive()
        while message.get('method') != 'textDocument/publishDiagnostics':
            message = editor.receive()
        checks.true(f'an import from outside is not read: {json.dumps(message)[:300]}', any('outside of the folder' in one['message'] for one in message['params']['diagnostics']))
        editor.send({'jsonrpc': '2.0', 'id': 2, 'method': 'workspace/symbol', 'params': {'query': ''}})
        while message.get('id') != 2:
            message = editor.receive()
        checks.true('symbols of files outside are not listed', not any(SECRET in one['name'] and 'secret' in one['location']['uri'] for one in message.get('result') or []))


def check_floods(checks, treaty, page, folder):
    with Served(treaty, folder, '--page', page) as served:
        for text in ('[' * 100_000, '{"id":1,"method":' + '[' * 60 + ']' * 60 + '}', 'no json', '7', '"x"', b'\xff\xfe'):
            with served.tab() as tab:
                tab.send_text(text)
                try:
                    answered = tab.receive()
                except ConnectionError:
                    answered = 'closed'
                checks.equal(f'not a request: {text[:20]!r}', answered, 'closed')
        with served.tab() as tab:
            for wrong in ({'id': 'x', 'method': 'files'}, {'method': 'files'}, {'id': 1, 'method': 'nothing'}, {'id': 1}, {'id': 1, 'method': 7}):
                tab.send(wrong)
                checks.true(f'{wrong}', 'error' in tab.receive())
            for params in (7, [], {'question': 7}, {'question': 'check', 'values': 7}, {'question': 'check', 'values': {'file': 7}}, {'question': 'explore', 'values': {'file': 'withdraw.treaty', 'bound': -1}}, {'question': 'explore', 'values': {'file': 'withdraw.treaty', 'mode': 'x'}}):
                tab.send({'id': 9, 'method': 'ask', 'params': params})
                checks.true(f'a malformed question {params}', 'error' in tab.receive())
        with served.tab() as flood, served.tab() as other:
            flood.connection.settimeout(5)
            with contextlib.suppress(OSError):
                for i in range(20_000):
                    flood.send({'id': i, 'method': 'files', 'params': {}})
            checks.true('another tab is answered during a flood', 'result' in other.ask('files'))
        with served.tab('lsp') as flood, served.tab() as other:
            flood.connection.settimeout(5)
            flood.send({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'capabilities': {}}})
            with contextlib.suppress(OSError):
                for i in range(20_000):
                    flood.send({'jsonrpc': '2.0', 'id': i + 2, 'method': 'workspace/symbol', 'params': {'query': ''}})
            checks.true('another tab is answered during a flood of the language server', 'result' in other.ask('files'))
        with served.tab() as tab:
            with contextlib.suppress(OSError):
                tab.send_text('{"id": 1, "method": "write", "params": {"path": "x.treaty", "text": "' + 'x' * (100 << 20) + '"}}')
            try:
                answered = tab.receive()
            except OSError:
                answered = 'closed'
            checks.equal('a message of 100 MB', answered, 'closed')
        tabs = [served.tab() for _ in range(60)]
        checks.equal('no more than 50 tabs', [one.status for one in tabs].count(101), 50)
        for one in tabs:
            one.connection.close()
        checks.true('closed tabs make room', wait_until(lambda: one_status(served) == 101))
        checks.equal('still there', served.process.poll(), None)


def one_status(served):
    with served.tab() as tab:
        return tab.status


def check_limits(checks, treaty, page, folder):
    with Served(treaty, folder, '--page', page) as served, served.tab() as tab:
        names = [one['name'] for one in tab.ask('hello')['result']['questions']]
        checks.true(f'nothing to run without --allow-run: {names}', not {'test', 'replay', 'complete', 'proxy'} & set(names))
        for question in ('test', 'replay', 'complete', 'proxy'):
            answer = tab.ask('ask', question=question, values={'file': 'withdraw.treaty', 'cut': 'A', 'run': f'touch {folder}/ran', 'sut': f'touch {folder}/ran'})
            checks.true(f'{question} is refused: {answer}', '--allow-run' in answer.get('error', ''))
    with Served(treaty, folder, '--page', page, '--read-only') as served, served.tab() as tab, served.tab() as other:
        checks.true('nothing is written', 'read-only' in tab.ask('write', path='new.treaty', text='x').get('error', ''))
        for question in ('test', 'replay', 'complete', 'proxy', 'failures'):
            checks.true(f'{question} is refused', 'read-only' in tab.ask('ask', question=question, values={}).get('error', ''))
        answers = [tab.ask('ask', question='test', values={}).get('error', '') for _ in range(200)]
        checks.true('who has an answer may ask again at once', all('read-only' in one for one in answers))
        first, second = tab.begin('ask', **EXPLORE), tab.begin('ask', **EXPLORE)
        third = tab.answer(tab.begin('ask', **EXPLORE))
        checks.true(f'two questions at once: {third}', 'cancel one' in third.get('error', ''))
        tab.cancel(first)
        checks.true('the first one is cancelled', tab.answer(first)['result']['cancelled'])
        answer = tab.answer(second)['result']
        checks.equal('the second one ends by itself', (answer['cancelled'], answer['json']['answer']), (False, 'undecided'))
        checks.true('another visitor is served', 'result' in other.ask('hello'))
    checks.equal('nothing was run or written', [(folder / one).exists() for one in ('ran', 'new.treaty')], [False, False])
    for options in (['--allow-run', '--read-only'], ['--listen', '0.0.0.0:0'], ['--cert', 'x.pem'], ['--listen', 'nonsense'], ['--token', 'short', '--page', page]):
        done = subprocess.run([treaty, 'serve', str(folder), '--no-browser', *options], capture_output=True, text=True, timeout=PATIENCE, check=False)
        checks.true(f'{options} is refused: {done.stderr}', done.returncode in (2, 4) and 'error[' in done.stderr)


def check_concurrency(checks, treaty, page, folder):
    with Served(treaty, folder, '--page', page) as served, served.tab() as one, served.tab() as two:
        asked = [(tab, tab.begin('ask', **EXPLORE)) for tab in (one, two) for _ in range(5)]
        for tab in (one, two):
            waiting = {number for at, number in asked if at is tab}
            while waiting:
                message = tab.receive()
                checks.true('progress before an answer', 'progress' in message)
                waiting.discard(message['id'])
        checks.true('a picture while ten questions run', 'svg' in two.ask('picture', file='withdraw.treaty')['result'])
        terminal = subprocess.run([treaty, 'check', 'withdraw.treaty'], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
        checks.equal('the same folder in a terminal', terminal.returncode, 0)
        for tab, number in asked:
            tab.cancel(number)
        for tab, number in asked[:1] + asked[5:6]:
            checks.true('cancelled', tab.answer(number)['result']['cancelled'])


# Answers, and leaves the number of its process in a file. With `wrong` it answers every third line with another one.
COMPONENT = '''import os, pathlib, socketserver, sys
pathlib.Path(sys.argv[2], f'{os.getpid()}.pid').touch()
class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        for number, line in enumerate(self.rfile, 1):
            wrong = 'wrong' in sys.argv and number % 3 == 0
            self.wfile.write(b'x' + line if wrong else line)
            self.wfile.flush()
socketserver.TCPServer.allow_reuse_address = True
socketserver.TCPServer(('127.0.0.1', int(sys.argv[1])), Echo).serve_forever()
'''


def check_programs(checks, treaty, page, name):
    folder = pathlib.Path(name, 'programs')
    folder.mkdir()
    shutil.copy(EXAMPLES / 'echo/echo.treaty', folder)
    (folder / 'component.py').write_text(COMPONENT)
    pids = folder / 'pids'
    pids.mkdir()
    campaign = {'question': 'test', 'values': {'file': 'echo.treaty', 'cut': 'server', 'run': f'{sys.executable} component.py {{port}} pids', 'via': 'tcp://127.0.0.1:{port}', 'sessions': '1000000', 'silence': '60s'}}

    def started():
        return [int(one.stem) for one in pids.iterdir()]

    for how in ('closed', 'cancelled', 'killed'):
        with Served(treaty, folder, '--page', page, '--allow-run') as served, served.tab() as tab:
            number = tab.begin('ask', **campaign)
            while 'campaign' not in (tab.receive().get('progress') or {}):
                pass
            checks.true(f'{how}: programs were started', started())
            if how == 'closed':
                tab.connection.close()
            elif how == 'cancelled':
                tab.cancel(number)
                checks.true('cancelled', tab.answer(number)['result']['cancelled'])
            else:
                served.process.kill()
            checks.true(f'{how}: no program is left', wait_until(lambda: not any(alive(pid) for pid in started())))
    check_campaign(checks, treaty, page, folder)
    check_proxy(checks, treaty, page, folder)
    check_walk(checks, treaty, page, folder)


def check_campaign(checks, treaty, page, folder):
    """A campaign as it runs: the machine, what is seen of it, failures as they are found; killed, they are kept."""
    values = {'file': 'echo.treaty', 'cut': 'server', 'run': f'{sys.executable} component.py {{port}} pids wrong', 'via': 'tcp://127.0.0.1:{port}', 'keep going': True,
              'keep': True, 'silence': '60s'}
    with Served(treaty, folder, '--page', page, '--allow-run') as served, served.tab() as tab:
        number = tab.begin('ask', question='test', values=values | {'sessions': '1000000'})
        machine, seen, failures = '', [], []
        while not failures:
            made = tab.receive().get('progress') or {}
            machine = made.get('machine', machine)
            seen += [made['seen']] if 'seen' in made else []
            failures += made.get('failures', [])
        checks.true('the machine before the first session', '<svg' in machine and 'edge step-0' in html.unescape(machine) and not any(seen[0]))
        checks.true(f'what is seen of it grows: {seen}', any(seen[-1]))
        checks.true(f'a failure as it was found: {failures[0]}', failures[0]['problem'] == 'wrong data' and len(failures[0]['run']['events']) >= 6)
        served.process.kill()
        served.process.wait()
    with Served(treaty, folder, '--page', page, '--allow-run') as served, served.tab() as tab:
        kept = tab.ask('ask', question='failures', values={})['result']['json']['failures']
        checks.true(f'killed, it has kept the failure: {kept}', len(kept) >= 1)
        answer = tab.ask('ask', question='test', values=values | {'sessions': '4'})['result']
        checks.equal('the report of the next run', answer['json']['answer'], 'fails')
        checks.true(f'the same in a terminal: {answer["command"]}', answer['command'].startswith('treaty test echo.treaty --cut server --run ') and answer['command'].endswith('--keep --keep-going --seed 0'))
        checks.true(f'its sessions: {answer["sessions"]}', answer['sessions'] and all(one['sent'] > 0 and one['received'] > 0 and one['seconds'] > 0 for one in answer['sessions']))
        checks.true('its page', '<h2>Sessions</h2>' in answer['page'] and answer['command'].replace('"', '&quot;').replace('>', '&gt;')[:30] in answer['page'])
        for failure in kept:
            subprocess.run([treaty, 'replay', '--forget', str(failure['number'])], cwd=folder, capture_output=True, timeout=PATIENCE, check=False)


def check_proxy(checks, treaty, page, folder):
    """Traffic is forwarded and recorded until the tab cancels it."""
    with socket.create_server(('127.0.0.1', 0)) as service, Served(treaty, folder, '--page', page, '--allow-run') as served, served.tab() as tab:
        number = tab.begin('ask', question='proxy', values={'links': f'127.0.0.1:0 127.0.0.1:{service.getsockname()[1]} client,server', 'log': 'traffic.jsonl'})
        made = tab.receive()
        while 'listening' not in (made.get('progress') or {}):
            checks.true(f'a proxy starts: {made}', 'progress' in made)
            made = tab.receive()
        host, _, port = made['progress']['listening'][0].rpartition(':')
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as client:
            client.sendall(b'hello\n')
            there, _ = service.accept()
            with there:
                checks.equal('what a client sends is forwarded', there.recv(100), b'hello\n')
                there.sendall(b'hello\n')
                checks.equal('and the answer', client.recv(100), b'hello\n')
        log = folder / 'traffic.jsonl'
        checks.true('both are recorded', wait_until(lambda: log.exists() and len(log.read_text().splitlines()) >= 2))
        tab.cancel(number)
        checks.true('the proxy is stopped', tab.answer(number)['result']['cancelled'])
        answer = tab.ask('ask', question='proxy', values={'links': '0.0.0.0:0 127.0.0.1:1 a,b'})
        checks.true(f'for other machines it does not listen: {answer}', 'other machines' in answer.get('error', ''))


def check_walk(checks, treaty, page, folder):
    """A walk that is saved as a test: the right program passes it, the wrong one fails."""
    with Served(treaty, folder, '--page', page) as served, served.tab() as tab:
        walk = tab.ask('walk', file='echo.treaty')['result']['walk']
        for _ in range(6):
            taken = tab.ask('take', walk=walk, how='random')['result']
        checks.equal('six events', [one['message'] for one in taken['run']['events']], ['say', 'echo'] * 3)
        for options, code in (('', 0), (' wrong', 1)):
            made = tab.ask('walk_as_test', walk=walk, cut='server', run=f'{sys.executable} component.py {{port}} pids{options}', via='tcp://127.0.0.1:{port}')
            (folder / 'walk.json').write_text(made['result']['text'])
            done = subprocess.run([treaty, 'replay', 'walk.json'], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
            checks.equal(f'a walk as a test of{options or " the right program"}: {done.stdout}', done.returncode, code)
        checks.true('only of a role of the protocol', 'error' in tab.ask('walk_as_test', walk=walk, cut='nobody', run='', via=''))


NO_PAGE = '''#include <array>
#include <string_view>
struct EmbeddedFile { std::string_view name, bytes; };
#include "page_files.inc"
static_assert(embedded_files.empty());
'''


def check_without_npm(checks, name):
    """The program is built without the page, and what is missing is printed."""
    folder = pathlib.Path(name, 'without')
    folder.mkdir()
    script = golden.ROOT / 'scripts/build_page.py'
    made = subprocess.run([sys.executable, script, '--embed', folder / 'page_files.inc'], capture_output=True, text=True, timeout=PATIENCE, check=False, env={'PATH': '/nowhere'})
    checks.equal(f'without npm: {made.stderr}', (made.returncode, made.stdout.strip()), (0, 'treaty is built without the page of the workbench: npm is not installed'))
    (folder / 'none.cpp').write_text(NO_PAGE)
    compiled = subprocess.run(['c++', '-std=c++20', '-fsyntax-only', folder / 'none.cpp'], capture_output=True, text=True, timeout=PATIENCE, check=False)
    checks.equal(f'and it compiles: {compiled.stderr}', compiled.returncode, 0)


def check_in_browser(checks, treaty, page, folder, pictures):
    """What web/test/browse.mjs asserts; it prints a line for each check, and what failed."""
    environment = {**os.environ, **golden.environment(treaty), 'TREATY': treaty, 'PAGE': page, 'CHROMIUM': chromium(), 'FOLDER': str(folder), 'ROOT': str(golden.ROOT), 'PYTHON': sys.executable}
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
        environment['PICTURES'] = str(pictures.resolve())
    done = subprocess.run(['node', 'test/browse.mjs'], cwd=WEB, capture_output=True, text=True, timeout=900, env=environment, check=False)
    lines = done.stdout.splitlines()
    checks.count += sum(line.startswith('ok ') for line in lines)
    for line in lines:
        if not line.startswith('ok '):
            print(line)
    checks.equal(f'the browser: {done.stderr[-3000:]}', done.returncode, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--treaty', required=True)
    parser.add_argument('--pictures', type=pathlib.Path)
    given = parser.parse_args()
    treaty = str(pathlib.Path(given.treaty).resolve())
    if not shutil.which('npm'):
        print('check_workbench: left out (no npm)')
        return 77
    fault = build_page.build()
    if fault:
        print(f'check_workbench: {fault}')
        return 1
    checks = Checks()
    code, output = build_page.npm('run', '--silent', 'types')
    checks.equal(f'types: {output if code else ""}', code, 0)
    page = str(WEB / 'out')
    with tempfile.TemporaryDirectory() as name:
        name = str(pathlib.Path(name).resolve())
        folder, outside = make_folder(name)
        check_gate(checks, treaty, page, folder)
        check_paths(checks, treaty, page, folder, outside)
        check_floods(checks, treaty, page, folder)
        check_limits(checks, treaty, page, folder)
        check_concurrency(checks, treaty, page, folder)
        check_programs(checks, treaty, page, name)
        check_without_npm(checks, name)
        if chromium():
            check_in_browser(checks, treaty, page, pathlib.Path(name, 'browser'), given.pictures)
    without = '' if chromium() else ', without Chromium (not installed)'
    print(f'check_workbench: {checks.count} checks, {checks.faults} faults{without}')
    return 1 if checks.faults else 0


if __name__ == '__main__':
    sys.exit(main())
