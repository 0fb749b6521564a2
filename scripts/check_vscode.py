#!/usr/bin/env python3
"""Builds the extension for Visual Studio Code and checks it.

    scripts/check_vscode.py --treaty build/test/treaty

The types, the package (.vsix) with its manifest, the grammar with the tests of editors/vscode/test/grammar, the modules, every
request of the server through the protocol library of editors, and the page of the preview in Chromium, where it is installed:
a click on an arrow leads to its line. Needs npm; without it the test is left out (exit code 77).
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from check_html import browse, chromium, console
from editor_client import Checks, Client

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXTENSION = ROOT / 'editors/vscode'
SHOP = (ROOT / 'examples/withdraw/withdraw.treaty')

# Plays the editor in the page: it sends a picture, clicks, moves the cursor, chooses, and writes down what came back.
EDITOR = '''<script nonce="test">
const sent = [];
window.host = { postMessage: (message) => sent.push(message) };
const given = GIVEN;
window.addEventListener('load', async () => {
  const turn = () => new Promise((resolve) => setTimeout(resolve, 20));
  window.postMessage(given, '*');
  await turn();
  const found = { title: document.getElementById('title').textContent, svg: document.querySelectorAll('#picture svg').length };
  const arrow = document.querySelector('#picture .line-5');
  arrow.querySelector('text, line, path').dispatchEvent(new MouseEvent('click', { bubbles: true }));
  found.clicked = [...document.querySelectorAll('.marked')].map((one) => one.getAttribute('class'));
  window.postMessage({ type: 'mark', line: 4 }, '*');
  await turn();
  found.marked = [...document.querySelectorAll('.marked')].map((one) => one.getAttribute('class'));
  document.querySelector('button[data-kind="graph"]').click();
  found.pressed = document.querySelector('button[aria-pressed="true"]').dataset.kind;
  window.postMessage({ ...given, kind: 'machine', role: 'A' }, '*');
  await turn();
  const roles = document.getElementById('roles');
  found.roles = [...roles.options].map((one) => one.value);
  found.role = roles.value;
  roles.value = 'B';
  roles.dispatchEvent(new Event('change'));
  found.sent = sent;
  const probe = document.createElement('pre');
  probe.id = 'probe';
  probe.textContent = JSON.stringify(found);
  document.body.append(probe);
});
</script>'''


def npm(*arguments, environment=None):
    run = subprocess.run(['npm', *arguments], cwd=EXTENSION, capture_output=True, text=True, timeout=900, env=environment)
    return run.returncode, run.stdout + run.stderr


def install():
    """What the lock file names, once for each version of it; scripts of packages are not run."""
    done = EXTENSION / 'node_modules/.package-lock.json'
    if done.exists() and done.stat().st_mtime >= (EXTENSION / 'package-lock.json').stat().st_mtime:
        return 0, ''
    code, output = npm('ci', '--no-audit', '--no-fund', '--ignore-scripts')
    if code == 0:
        done.touch()
    return code, output


def check_package(checks):
    manifest = json.loads((EXTENSION / 'package.json').read_text())
    with zipfile.ZipFile(EXTENSION / 'out/treaty.vsix') as package:
        names = set(package.namelist())
        inside = json.loads(package.read('extension/package.json'))
        about = package.read('extension.vsixmanifest').decode()
    checks.equal('manifest in the package', inside, manifest)
    checks.true('identity', f'Id="{manifest["name"]}" Version="{manifest["version"]}"' in about)
    parts = manifest['contributes']
    wanted = [manifest['main']] + [one['path'] for one in parts['grammars'] + parts['snippets']]
    wanted += [one['configuration'] for one in parts['languages'] if 'configuration' in one]
    checks.equal('files that the package lacks', [path for path in wanted if 'extension/' + path.removeprefix('./') not in names], [])
    checks.equal('files that do not belong in it', [name for name in names if 'node_modules' in name or '/test/' in name or name.endswith('.ts')], [])
    sources = ''.join(path.read_text() for path in (EXTENSION / 'src').glob('*.ts'))
    checks.equal('commands that nobody registers', [one['command'] for one in parts['commands']
                                                    if f"registerCommand('{one['command']}'" not in sources], [])


def check_matcher(checks, treaty, folder):
    """The problem matcher finds what `treaty check` prints."""
    path = folder / 'wrong.treaty'
    path.write_text('protocol P(a, b) {\n  a -> c: x\n}\n')
    lines = subprocess.run([treaty, 'check', path.name], cwd=folder, capture_output=True, text=True).stderr.splitlines()
    first, second = json.loads((EXTENSION / 'package.json').read_text())['contributes']['problemMatchers'][0]['pattern']
    found = []
    for i in range(len(lines) - 1):
        message, place = re.match(first['regexp'], lines[i]), re.match(second['regexp'], lines[i + 1])
        if message and place:
            found.append((message[first['severity']], message[first['code']], place[second['file']], place[second['line']], place[second['column']]))
    checks.equal('problems', found, [('error', 'T0202', 'wrong.treaty', '2', '8')])


def picture(treaty, folder):
    """What the server draws, as the extension passes it to the page."""
    client = Client(treaty, folder)
    client.begin()
    path = folder / 'withdraw.treaty'
    client.open(path, SHOP.read_text())
    answer = client.result('workspace/executeCommand', {'command': 'treaty.draw', 'arguments': [
        {'uri': path.as_uri(), 'protocol': 'Withdraw', 'as': 'msc'}]})
    client.end()
    return {'type': 'show', 'title': 'Withdraw', 'kind': 'msc', 'roles': answer['roles'], 'role': '', 'svg': answer['svg'], 'text': ''}


def page(script):
    """The page of the panel, with a script in place of the editor."""
    bundle = EXTENSION / 'out/page.js'
    code, output = npm('exec', '--', 'esbuild', 'src/page.ts', '--bundle', '--platform=node', '--format=cjs', f'--outfile={bundle}',
                       '--log-level=warning')
    if code != 0:
        raise RuntimeError(output)
    made = subprocess.run(['node', '-e', f"process.stdout.write(require({json.dumps(str(bundle))}).page('test', 'window.host'))"],
                          capture_output=True, text=True, check=True)
    return made.stdout.replace('<script nonce', script + '\n<script nonce', 1)


def check_page(checks, treaty, folder):
    given = picture(treaty, folder)
    file = folder / 'page.html'
    file.write_text(page(EDITOR.replace('GIVEN', json.dumps(given).replace('</', '<\\/'))))
    dom, errors = browse(file, folder, '--dump-dom')
    found = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)
    checks.true(f'the page ran: {errors[-600:]}', found)
    if not found:
        return
    found = json.loads(found.group(1).replace('&quot;', '"').replace('&gt;', '>').replace('&lt;', '<').replace('&amp;', '&'))
    checks.equal('no message on the console', console(errors), [])
    checks.equal('title and picture', (found['title'], found['svg']), ('Withdraw', 1))
    checks.true('a click marks the part', found['clicked'] and all('line-5' in one for one in found['clicked']))
    checks.true('the cursor marks a part', found['marked'] and all('line-4' in one for one in found['marked']))
    checks.equal('kind of the picture', found['pressed'], 'msc')
    checks.equal('roles', (found['roles'], found['role']), (['', 'C', 'A', 'B'], 'A'))
    checks.equal('what the page sent', found['sent'], [
        {'type': 'ready'}, {'type': 'go', 'line': 5}, {'type': 'choose', 'kind': 'graph', 'role': ''},
        {'type': 'choose', 'kind': 'machine', 'role': 'B'}])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--treaty', required=True)
    treaty = str(pathlib.Path(parser.parse_args().treaty).resolve())
    if not shutil.which('npm'):
        print('check_vscode: left out (no npm)')
        return 77
    checks = Checks()
    environment = {**os.environ, 'TREATY': treaty}
    for what, step in (('packages', install), ('build', lambda: npm('run', '--silent', 'build')), ('package', lambda: npm('run', '--silent', 'package')),
                       ('tests', lambda: npm('run', '--silent', 'test', environment=environment))):
        code, output = step()
        checks.equal(f'{what}: {output if code else ""}', code, 0)
        if code != 0:
            return 1
    check_package(checks)
    with tempfile.TemporaryDirectory() as name:
        check_matcher(checks, treaty, pathlib.Path(name).resolve())
    without = '' if chromium() else ', without Chromium (not installed)'
    if chromium():
        with tempfile.TemporaryDirectory() as name:
            check_page(checks, treaty, pathlib.Path(name).resolve())
    print(f'check_vscode: {checks.count} checks, {checks.faults} faults{without}')
    return 1 if checks.faults else 0


if __name__ == '__main__':
    sys.exit(main())
