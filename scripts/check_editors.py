#!/usr/bin/env python3
"""Drives `treaty lsp` as an editor does: every request, edits in any script, and hostile input.

    scripts/check_editors.py --treaty build/test/treaty

Then it checks the grammar and the snippets of editors/vscode. Neovim, where it is installed, runs without a screen: it opens
a file with an error, sees the diagnostic, applies the quick fix, renames a role and formats. Prints one line per failure
and exits with 1 if there is one.
"""
import argparse
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from editor_client import Checks, Client, applied, position

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
        if command['title'] == 'draw':
            check_pictures(checks, client, path)
        answer = client.result('workspace/executeCommand', {'command': command['command'], 'arguments': command['arguments']})
        if command['title'] in wanted:
            checks.true(f'command {command["title"]}: {answer["text"]!r}', wanted[command['title']] in answer['text'])
        else:
            checks.true(f'command {command["title"]}', f'treaty {command["title"]}' in answer['terminal'])
        if command['title'] == 'draw':
            checks.true('picture', answer['svg'].startswith('<svg'))


def check_pictures(checks, client, path):
    """Every picture has parts that know their lines; one of a single role has only its part."""
    for kind in ('msc', 'graph', 'net', 'machine'):
        answer = client.result('workspace/executeCommand', {'command': 'treaty.draw', 'arguments': [
            {'uri': path.as_uri(), 'protocol': 'Shop', 'as': kind}]})
        lines = {int(one) for one in re.findall(r'class="[^"]*\bline-(\d+)\b', html.unescape(answer.get('svg', '')))}
        checks.true(f'lines of the {kind}: {sorted(lines)}', {4, 6, 7, 9} <= lines and max(lines) < SHOP.count('\n'))
        checks.equal(f'roles of the {kind}', answer['roles'], ['buyer', 'seller'])
    one = client.result('workspace/executeCommand', {'command': 'treaty.draw', 'arguments': [
        {'uri': path.as_uri(), 'protocol': 'Shop', 'as': 'machine', 'role': 'buyer'}]})
    checks.true('machine of one role', 'seller!order' in one['svg'])
    wrong = client.ask('workspace/executeCommand', {'command': 'treaty.draw', 'arguments': [{'uri': path.as_uri(), 'as': 'poem'}]})
    checks.equal('unknown kind of picture', wrong['error']['code'], -32602)


WRONG_RUN = '''protocol P(a, b, c) {
  choice at a {
    a -> b: x
    c -> b: y
  } or {
    a -> b: z
  }
}
'''


def check_answers(checks, client, folder):
    """A counterexample whose arrows lead to their lines; properties; campaigns."""
    path = folder / 'wrong.treaty'
    client.open(path, WRONG_RUN)
    answer = client.result('workspace/executeCommand', {'command': 'treaty.explore', 'arguments': [{'uri': path.as_uri(), 'protocol': 'P'}]})
    checks.true(f'a run that goes wrong: {answer["text"]}', 'fails' in answer['text'] and re.search(r'class="line-[346]"', answer['svg']))
    text = SHOP + '''
property Paid at buyer {
  after buyer -> seller: order
  expect seller -> buyer: pay
  within 1
}
'''
    path = folder / 'property.treaty'
    client.open(path, text)
    lenses = client.result('textDocument/codeLens', {'textDocument': {'uri': path.as_uri()}})
    last = lenses[-1]['command']
    checks.equal('lens of a property', (last['command'], last['arguments'][0]['property']), ('treaty.checkProperty', 'Paid'))
    answer = client.result('workspace/executeCommand', {'command': last['command'], 'arguments': last['arguments']})
    checks.true(f'a property that is violated: {answer["text"]}', 'Paid' in answer['text'] and '<svg' in answer.get('svg', ''))
    project = folder / 'treaty.toml'
    text = '[defaults]\nfile = "shop.treaty"\n\n[[campaign]]\nname = "one"\ncut = "seller"\n\n[[campaign]]\nname = "two"\ncat = "buyer"\n'
    client.open(project, text)
    found = client.diagnostics(project, 1)
    checks.equal('faults of a project file', sorted((d['code'], d['range']['start']['line']) for d in found), [('T0917', 9), ('T0919', 8)])
    client.change(project, 2, [{'text': text.replace('cat', 'cut')}])
    client.diagnostics(project, 2, lambda found: not found)
    document = {'textDocument': {'uri': project.as_uri()}}
    lenses = client.result('textDocument/codeLens', document)
    checks.equal('lenses of campaigns', [(lens['range']['start']['line'], lens['command']['arguments'][0]['campaign']) for lens in lenses],
                 [(4, 'one'), (8, 'two')])
    answer = client.result('workspace/executeCommand', {'command': 'treaty.runCampaign', 'arguments': lenses[1]['command']['arguments']})
    checks.true('command of a campaign', "--campaign 'two'" in answer['terminal'])
    checks.equal('symbols of a project file', [s['name'] for s in client.result('textDocument/documentSymbol', document)], ['one', 'two'])


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
    good = {'b.gc': ('A -> B : m;B -> A : n', ['B'], ['check', 'explore', 'project', 'draw', 'step', 'test']),
            'b.fsa': ('.outputs A\n.state graph\nq0 1 ! m q1\n.marking q0\n.end\n.outputs B\n.state graph\nq0 0 ? m q1\n.marking q0\n.end\n',
                      ['A', 'B'], ['check', 'explore', 'draw', 'step']),
            'b.scr': ('module M;\nglobal protocol P(role A, role B) { m() from A to B; }', ['P'],
                      ['check', 'explore', 'project', 'draw', 'step', 'test']),
            'b.csp': ('channel a\nP = a -> P\nassert P :[deadlock free]\n', ['P'], ['run'])}
    for name, (text, symbols, lenses) in good.items():
        path = folder / name
        document = {'textDocument': {'uri': path.as_uri()}}
        client.open(path, text)
        checks.equal(f'{name} has no faults', [d['message'] for d in client.diagnostics(path, 1) if d['severity'] == 1], [])
        found = [s['name'] for s in client.result('textDocument/documentSymbol', document)]
        checks.equal(f'symbols of {name}', found[:len(symbols)] if name != 'b.gc' else symbols, symbols)
        checks.equal(f'lenses of {name}', [one['command']['title'] for one in client.result('textDocument/codeLens', document)], lenses)
        for one in client.result('textDocument/codeLens', document):
            answer = client.result('workspace/executeCommand', {'command': one['command']['command'], 'arguments': one['command']['arguments']})
            checks.true(f'{name}: {one["command"]["title"]}', answer.get('text') or answer.get('terminal') or answer.get('svg'))
    edits = client.result('textDocument/formatting', {'textDocument': {'uri': (folder / 'b.gc').as_uri()}, 'options': {}})
    checks.equal('a .gc text is formatted', applied(good['b.gc'][0], edits), 'A -> B : m;\nB -> A : n\n')
    client.change(folder / 'b.gc', 2, [{'text': 'A -> B : m; // why\nB -> A : n'}])
    checks.equal('one with a comment is not', client.result('textDocument/formatting', {
        'textDocument': {'uri': (folder / 'b.gc').as_uri()}, 'options': {}}), [])


def check_ranges(checks, client, folder):
    """Formatting of a range changes its lines and no others; formatting of a text keeps lines that are right."""
    path = folder / 'range.treaty'
    text = 'protocol P(a,b) {\n    a -> b:x\n  b -> a: y\n     a->b: z\n}\n'
    client.open(path, text)
    document = {'textDocument': {'uri': path.as_uri()}, 'options': {}}
    edits = client.result('textDocument/formatting', document)
    checks.equal('formatted', applied(text, edits), 'protocol P(a, b) {\n  a -> b: x\n  b -> a: y\n  a -> b: z\n}\n')
    checks.equal('lines that change', [(e['range']['start']['line'], e['range']['end']['line']) for e in edits], [(0, 2), (3, 4)])
    span = {'start': {'line': 3, 'character': 2}, 'end': {'line': 3, 'character': 5}}
    edits = client.result('textDocument/rangeFormatting', {**document, 'range': span})
    checks.equal('formatted range', applied(text, edits), text.replace('     a->b: z', '  a -> b: z'))


def golden_texts():
    """The inputs of the golden tests of the language: one file each."""
    for path in sorted((ROOT / 'tests/golden/lang').glob('*.test')) + sorted((ROOT / 'tests/golden/check').glob('*.test')):
        parts = re.split(r'^--- file ', path.read_text(), flags=re.M)[1:]
        for part in parts if len(parts) == 1 else []:
            name, _, rest = part.partition('\n')
            if name.endswith('.treaty'):
                yield path.stem, re.split(r'^--- ', rest, flags=re.M)[0]


def reported(treaty, path, text):
    """What `treaty check` reports of a text."""
    path.write_text(text)
    run = subprocess.run([treaty, 'check', '--json', path], capture_output=True, text=True, timeout=120)
    path.unlink()
    return sorted((one['code'], one['message']) for one in json.loads(run.stdout)['diagnostics'])


def settled(client, path, version, wanted):
    """The diagnostics of a version once they are all that `treaty check` reports."""
    return client.diagnostics(path, version, lambda found: sorted((d['code'], d['message'].split('\nhelp: ')[0]) for d in found
                                                                  if 'code' in d) == wanted)


def check_quick_fixes(checks, treaty, folder):
    """Each preferred quick fix of each diagnostic of the golden tests removes that diagnostic."""
    client = Client(treaty, folder, pause='0ms')
    client.begin()
    repaired = set()
    for name, text in golden_texts():
        path = folder / f'{name}.treaty'
        before = reported(treaty, path, text)
        client.open(path, text)
        for one in settled(client, path, 1, before):
            actions = client.result('textDocument/codeAction', {'textDocument': {'uri': path.as_uri()}, 'range': one['range'],
                                                                'context': {'diagnostics': [one]}})
            for action in actions:
                if not action['isPreferred']:
                    continue
                edited = applied(text, action['edit']['changes'][path.as_uri()])
                same = (one.get('code'), one['message'].split('\nhelp: ')[0])
                after = reported(treaty, path, edited)
                checks.true(f'{name}: {action["title"]} repairs {one["message"]!r}:\n{edited}\n{after}', after.count(same) < max(1, before.count(same)))
                repaired.add(one.get('code'))
        client.notify('textDocument/didClose', {'textDocument': {'uri': path.as_uri()}})
    client.end()
    wanted = {'T0101', 'T0102', 'T0103', 'T0104', 'T0106', 'T0110', 'T0111', 'T0113', 'T0115', 'T0116', 'T0117', 'T0202', 'T0205', 'T0206', 'T0207',
              'T0208', 'T0209', 'T0210', 'T0214', 'T0215', 'T0216', 'T0307', 'T0401', 'T0402', 'T0411', 'T0501'}
    checks.equal('diagnostics without a quick fix', sorted(wanted - repaired), [])


def check_added_messages(checks, client, treaty, folder):
    """A missing value is carried by a message that is there, or by one of its own; additions repair a whole protocol."""
    path = folder / 'supply.treaty'
    text = '''message order(amount: int)
message deliver(amount: int)

protocol Supply(shop, office, depot) {
  shop -> office: order(let n)
  office -> depot: go
  depot -> shop: deliver(n)
}
'''
    client.open(path, text)
    found = client.diagnostics(path, 1, lambda found: [d for d in found if d.get('code') == 'T0401'])
    one = [d for d in found if d.get('code') == 'T0401']
    actions = client.result('textDocument/codeAction', {'textDocument': {'uri': path.as_uri()}, 'range': one[0]['range'], 'context': {'diagnostics': one}})
    checks.true(f'ways to tell a value: {[a["title"] for a in actions]}',
                [a['title'] for a in actions][:2] == ['Let `office -> depot: go` carry `n`', 'Add `shop -> depot: tell_n(n)`'] and len(actions) >= 2)
    for version, action in enumerate(actions, 2):
        edited = applied(text, action['edit']['changes'][path.as_uri()])
        client.change(path, version, [{'text': edited}])
        client.diagnostics(path, version, lambda found: not [d for d in found if d['severity'] == 1])
    branch = folder / 'branch.treaty'
    wanted = reported(treaty, branch, WRONG_RUN)
    client.open(branch, WRONG_RUN)
    found = settled(client, branch, 1, wanted)
    about = [d for d in found if d.get('code', '').startswith('T10')]
    actions = client.result('textDocument/codeAction', {'textDocument': {'uri': (folder / 'branch.treaty').as_uri()},
                                                        'range': about[0]['range'], 'context': {'diagnostics': about[:1]}})
    checks.true(f'additions that repair a protocol: {[a["title"] for a in actions]}', [a for a in actions if a['title'].startswith('Add')])
    for action in [a for a in actions if a['title'].startswith('Add')]:
        edited = applied(WRONG_RUN, action['edit']['changes'][branch.as_uri()])
        checks.equal(f'repaired\n{edited}', reported(treaty, branch, edited), [])


def check_knowledge(checks, client, folder):
    """Who knows a value: after `let`, and where it is used; what a role has to do from a step on."""
    path = folder / 'known.treaty'
    text = '''message order(amount: int)
message deliver(amount: int)

protocol Supply(shop, office, depot) {
  shop -> office: order(let n)
  let m = n + 1
  office -> depot: deliver(m)
  depot -> shop: done
}
'''
    client.open(path, text)
    document = {'textDocument': {'uri': path.as_uri()}}
    whole = {'start': {'line': 0, 'character': 0}, 'end': {'line': 99, 'character': 0}}
    hints = client.result('textDocument/inlayHint', {**document, 'range': whole})
    checks.equal('who knows a value', [h['label'] for h in hints], [': int', 'known to shop, office'])
    hover = client.result('textDocument/hover', {**document, 'position': position(text, 'm)')})['contents']['value']
    checks.true(f'hover of a value: {hover}', 'known here to `shop`, `office`' in hover)
    hover = client.result('textDocument/hover', {**document, 'position': position(text, 'depot -> shop')})['contents']['value']
    checks.true(f'the rest of a role: {hover}', 'from here on' in hover and 'depot shop!done' in hover and 'deliver' not in hover)
    typed = text.replace('office -> depot: deliver(m)', 'depot -> shop: deliver(')
    client.change(path, 2, [{'text': typed}])
    found = client.result('textDocument/completion', {**document, 'position': position(typed, 'deliver(\n', 8)})['items']
    names = [item['label'] for item in found]
    checks.true(f'values that the role does not know come last: {names[:6]}', 'n' in names and names.index('n') > names.index('true'))
    checks.equal('and are marked', [item['detail'] for item in found if item['label'] == 'n'], ['depot does not know it'])


def check_websocket(checks, treaty, folder):
    """The same server over WebSocket: two clients with documents of their own; pages of other servers are refused."""
    try:
        import asyncio
        import websockets
    except ImportError:
        return False
    server = subprocess.Popen([treaty, 'lsp', '--websocket', '127.0.0.1:0', '--pause', '20ms'], stdout=subprocess.PIPE, text=True)
    address = server.stdout.readline().split()[-1]

    async def ask(socket, number, method, params):
        await socket.send(json.dumps({'jsonrpc': '2.0', 'id': number, 'method': method, 'params': params}))
        while (message := json.loads(await asyncio.wait_for(socket.recv(), 60))).get('id') != number:
            pass
        return message

    async def client(text):
        uri = (folder / 'web.treaty').as_uri()
        async with websockets.connect(address, max_size=None) as socket:
            await socket.send('{]')
            refused = json.loads(await socket.recv())
            await ask(socket, 1, 'initialize', {'capabilities': {}})
            await socket.send(json.dumps({'jsonrpc': '2.0', 'method': 'textDocument/didOpen', 'params': {
                'textDocument': {'uri': uri, 'languageId': 'treaty', 'version': 1, 'text': text}}}))
            codes = None
            while codes is None:
                message = json.loads(await asyncio.wait_for(socket.recv(), 60))
                if message.get('method') == 'textDocument/publishDiagnostics':
                    codes = [d.get('code') for d in message['params']['diagnostics'] if d['severity'] == 1]
            await ask(socket, 2, 'shutdown', None)
            await socket.send(json.dumps({'jsonrpc': '2.0', 'method': 'exit'}))
            return refused['error']['code'], codes

    async def foreign():
        try:
            async with websockets.connect(address, origin='http://example.org'):
                return 101
        except websockets.InvalidStatusCode as fault:
            return fault.status_code

    async def session():
        return await asyncio.gather(client(BROKEN), client(SHOP), foreign())

    try:
        checks.equal('WebSocket', asyncio.run(session()), [(-32700, ['T0202']), (-32700, []), 403])
    finally:
        server.terminate()
        checks.equal('exit code of the WebSocket server', server.wait(timeout=60), 0)
    return True

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
        check_answers(checks, client, folder)
        check_ranges(checks, client, folder)
        check_added_messages(checks, client, treaty, folder)
        check_knowledge(checks, client, folder)
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
    syntax = (ROOT / 'editors/nvim/syntax/treaty.vim').read_text()
    for what, text in (('grammar', grammar), ('syntax file', syntax)):
        checks.equal(f'keywords that the {what} lacks', [w for w in words if not re.search(rf'\b{w}\b', text)], [])
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
    with tempfile.TemporaryDirectory() as name:
        check_quick_fixes(checks, treaty, pathlib.Path(name).resolve())
        web = check_websocket(checks, treaty, pathlib.Path(name).resolve())
    if nvim:
        with tempfile.TemporaryDirectory() as name:
            check_nvim(checks, nvim, treaty, pathlib.Path(name).resolve())
    without = ('' if nvim else ', without Neovim (not installed)') + ('' if web else ', without WebSocket (python3-websockets is not installed)')
    print(f'check_editors: {checks.count} checks, {checks.faults} faults{without}')
    return 1 if checks.faults else 0


if __name__ == '__main__':
    sys.exit(main())
