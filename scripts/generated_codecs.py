"""Generated codecs agree with `treaty data` and `treaty decode`; a part of check_generated.py.

For wires of the library and the examples: messages with their data, and the same bytes damaged in many ways. A codec in Python must give
the same data, the same bytes, and the same answer to what is damaged; one in C++ must do what that in Python does.
"""
import json
import re
import shutil
import subprocess
import sys

# The files, and the messages whose layouts have forms that are not generated.
WIRES = {
    'examples/cookbook/length_prefix.treaty': (),
    'examples/redis/redis.treaty': ('array', 'messages', 'nested'),
    'examples/thermostat/frost.treaty': (),
    'examples/cookbook/tlv.treaty': (),
    'library/mqtt.treaty': ('subscribe', 'unsubscribe'),
    'library/resp.treaty': ('nested',),
    'library/websocket.treaty': (),
}
COUNT = 100  # of messages of each kind


def without(text, names):
    """The text without the layouts of these messages."""
    for name in names:
        text = re.sub(rf'^  {name}(\([^)]*\))? = \{{(\n.*?^  \}}|[^\n]*\}})\n', '', text, flags=re.M | re.S)
    return text


def prepare(treaty, root, folder, path, names):
    """Writes a protocol of all messages of the wire, and the cases. Gives its name, the wire and how many cases there are."""
    text = without((root / path).read_text(encoding='utf-8'), names)
    wire = re.findall(r'^wire \w+ over (?:stream|length-prefixed).*?^\}', text, re.M | re.S)[-1]
    messages = list(dict.fromkeys(re.findall(r'^  (\w+)(?:\([^)]*\))? = \{', wire, re.M)))
    name = 'all_' + re.sub(r'\W', '_', path.split('/')[-1].removesuffix('.treaty'))
    steps = ''.join(f'  A -> B: {m}\n' for m in messages)
    file = folder / f'{name}.treaty'
    file.write_text(f'{text}\nprotocol {name}(A, B) {{\n{steps}}}\n', encoding='utf-8')
    cases = []

    def data(*options):
        done = subprocess.run([treaty, 'data', file, '--json', '--wire', wire.split()[1], *options], capture_output=True, text=True, check=False)
        return json.loads(done.stdout)['values']

    for message in messages:
        for value in data('--message', message, '--count', str(COUNT)):
            cases.append({'message': message, 'data': value['data'], 'bytes': value['bytes']})
        for value in data('--message', message, '--corrupt', '--count', '2'):
            cases += [{'bytes': c['bytes'], **c['wire']} for c in value['corrupted']]
    (folder / f'{name}.jsonl').write_text(''.join(json.dumps(c) + '\n' for c in cases), encoding='utf-8')
    (folder / f'{name}.hex').write_text(''.join(c['bytes'] + '\n' for c in cases), encoding='utf-8')
    return name, wire.split()[1], len(cases)


def tested_role(treaty, root, folder, compiler, run):
    """A program whose role is generated passes `treaty test` over TCP. Gives the number of sessions."""
    book, sessions = root / 'examples/cookbook', 100
    run(treaty, 'generate', book / 'length_prefix.treaty', '--language', 'c++' if compiler else 'python', '--codec', '-o', '.')
    source = book / f'length_prefix_generated.{"cpp" if compiler else "py"}'
    shutil.copy(source, folder)
    if compiler:
        run(*compiler, source.name, '-o', 'server')
        server = './server {port}'
    else:
        run('mypy', '--strict', '--no-error-summary', source.name)
        server = f'{sys.executable} -B {source.name} {{port}}'
    shown = run(treaty, 'test', book / 'length_prefix.treaty', '--cut', 'server', '--run', server, '--via', 'tcp://127.0.0.1:{port}',
                '--sessions', str(sessions), '--silence', '20s', '--length', '20')
    assert f'server passed {sessions} sessions' in shown and '0 failed, 0 unfinished' in shown, shown
    return sessions


def check(treaty, root, folder, compiler):
    """Gives the number of cases in which all agree, or raises with the difference. compiler: of C++, with options; empty: only Python."""
    tests = root / 'tests/generated'

    def run(*command):
        done = subprocess.run([str(c) for c in command], cwd=folder, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode:
            raise AssertionError(f'{command}\n{(done.stdout[-500:] + done.stderr)[:4000]}')
        return done.stdout

    total, shown, includes, calls = 0, '', '', ''
    for file in ('codecs.py', 'codecs.hpp'):
        shutil.copy(tests / file, folder)
    for path, names in WIRES.items():
        name, wire, count = prepare(treaty, root, folder, path, names)
        total += count
        for language in ('python', 'c++') if compiler else ('python',):
            run(treaty, 'generate', f'{name}.treaty', '--language', language, '--codec', '--wire', wire, '-o', '.')
        if not compiler:
            run('mypy', '--strict', '--no-error-summary', f'{name}_codec.py')
        shown += run(sys.executable, '-B', 'codecs.py', name, f'{name}.jsonl')
        includes += f'#include "{name}_codec.hpp"\n'
        calls += (f'    describe<{name}::Message>("{name}.hex", [](std::string_view b) {{ return {name}::codec::decode(b); }},\n'
                  f'        [](const {name}::Message& m, std::string& out) {{ {name}::codec::encode(m, out); }}, {name}::message_names);\n')
    total += tested_role(treaty, root, folder, compiler, run)
    if compiler:
        (folder / 'codecs.cpp').write_text(f'#include "codecs.hpp"\n{includes}int main() {{\n{calls}}}\n', encoding='utf-8')
        run(*compiler, 'codecs.cpp', '-o', 'codecs')
        own = run('./codecs').replace('.hex', '')
        for a, b in zip(shown.splitlines(), own.splitlines()):
            if a != b:
                raise AssertionError(f'Python: {a}\nC++:    {b}')
        assert shown == own
    return total
