#!/usr/bin/env python3
"""Tests the bundled programs of examples/ with `treaty test`, right ones and wrong ones.

    scripts/check_programs.py --treaty build/test/treaty [--components build/test/tests] [NAME]...

Every program without a bug passes; every bug is found, as the kind of failure it is, and its saved run fails again
when it is replayed, and is fixed when the program without the bug is started instead. The bugs of TABLE are the types of
fault that every program must have: a message of another type, wrong data, no answer, an exception at each step, and one
after the last message. Then hostile components, made up here: each gets a verdict within its time limit, memory is
bounded, and nothing is left running; also not when treaty itself is interrupted. --components is where the C++ programs
were built; without it they are left out, which is printed.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import golden
from running import Failed

EXAMPLES = golden.ROOT / 'examples'
PYTHON = sys.executable
DEBIAN_PYTHON = '/usr/bin/python3'  # the one that Debian's packages are for
TCP = 'tcp://127.0.0.1:{port}'
PATIENT = '20s'  # machines that run tests are busy: only silence that is meant is waited for
HASTY = '500ms'
MEMORY_KB = 600_000  # what treaty may need at most, on top of what it needs to start (much, with sanitizers)

NO_MESSAGE, WRONG_DATA, UNEXPECTED = {'undecodable bytes'}, {'wrong data'}, {'unexpected message'}
SILENCE, EARLY, CRASH = {'silence'}, {'closed early'}, {'crash', 'closed early'}


class Program:
    """A bundled program: how it is tested, and the kinds of failure that each bug of its own may show itself as."""

    def __init__(self, protocol, role, command, via, bugs):
        self.protocol, self.role, self.command, self.via, self.bugs = EXAMPLES / protocol, role, command, via, bugs


def python(path):
    return f'{PYTHON} {EXAMPLES}/{path}'


def faults(kind, data, last, steps, broken=None):
    """The column of TABLE for a program: the failures that the types of fault show themselves as, and how many steps it
    takes part in, at each of which an exception is raised."""
    column = {'type': kind, 'payload': data, 'silent': SILENCE, 'end': last}
    return column | {f'exception --at {step}': broken or CRASH for step in range(1, steps + 1)}


ECHO = {'empty': WRONG_DATA, 'case': WRONG_DATA, 'late': UNEXPECTED}
ACCOUNT = 'atm/account.treaty'
# Data of atm.treaty and smtp.treaty is checked by the wire, so wrong data is reported as undecodable bytes.
TABLE = {
    'echo': faults(WRONG_DATA | UNEXPECTED, WRONG_DATA, {'crash'}, 3),
    'book shop': faults(UNEXPECTED, NO_MESSAGE, {'crash'}, 3),
    'bank': faults(UNEXPECTED, WRONG_DATA, {'crash'}, 2),
    'smtp server': faults(UNEXPECTED | NO_MESSAGE, UNEXPECTED | NO_MESSAGE, {'crash'}, 4),
    'smtp client': faults(UNEXPECTED | NO_MESSAGE, UNEXPECTED | NO_MESSAGE, {'crash'}, 6),
    'websocket': faults(NO_MESSAGE, WRONG_DATA, {'crash'}, 3, CRASH | NO_MESSAGE),
}
PROGRAMS = {
    'echo': Program('echo/echo.treaty', 'server', python('echo/server.py') + ' {port}', TCP, ECHO),
    'book shop': Program('book_shop/book_shop.treaty', 'server', python('book_shop/server.py'), 'stdio:',
                         {'second': WRONG_DATA}),
    'any book': Program('book_shop/any_book.treaty', 'server', python('book_shop/server.py'), 'stdio:',
                        {'negative': WRONG_DATA}),
    'bank': Program(ACCOUNT, 'B', python('atm/bank.py'), 'stdio:', {'swap': UNEXPECTED, 'wrong': NO_MESSAGE}),
    # What this one decides is not in the tester's hands, so its bugs are not replayed.
    'bank by chance': Program('atm/atm.treaty', 'B', python('atm/bank.py'), 'stdio:',
                              {'swap': UNEXPECTED, 'wrong': NO_MESSAGE}),
    'smtp server': Program('smtp/smtp.treaty', 'server', python('smtp/server.py') + ' {port}', TCP, {
        'rset': NO_MESSAGE | UNEXPECTED, 'quit': EARLY, 'crash': CRASH}),
    'smtp client': Program('smtp/smtp.treaty', 'client', python('smtp/client.py') + ' {port}',
                           'tcp-listen://127.0.0.1:{port}', {'hasty': NO_MESSAGE | UNEXPECTED, 'rude': EARLY}),
    'websocket': Program('websocket/echo.treaty', 'server',
                         f'{DEBIAN_PYTHON} {EXAMPLES}/websocket/server.py {{port}}', TCP, {}),
    'key and value': Program('keyvalue/keyvalue.treaty', 'server', python('keyvalue/server.py') + ' {port}', TCP,
                             {'append': WRONG_DATA, 'wrap': WRONG_DATA, 'case': WRONG_DATA}),
}
AFTER_THE_END = {'end', 'late'}
# What the same bug is called in a program that calls it something else.
NAMES = {('echo', 'payload'): 'case', ('echo in C++', 'payload'): 'case'}

ASK = '''message ok(text: string)
protocol Ask(A, B) {
  A -> B: ask
  B -> A: ok
  A -> B: more
  B -> A: ok
}
'''
REPLY = b'{"message":"ok","text":"x"}\n'
# Components that misbehave: a line for the shell, and the kinds of failure that are right.
HOSTILE = {
    'floods': (f"yes '{REPLY.decode().strip()}'", UNEXPECTED),
    'floods its errors': (f"head -c 100000000 /dev/zero >&2; read x; echo '{{}}'", NO_MESSAGE),
    'sends 1 GB': ('head -c 1000000000 /dev/zero', NO_MESSAGE),
    'sends a message of 1 GB': ("printf '{\"message\": \"ok\", \"text\": \"'; head -c 1000000000 /dev/zero | tr '\\0' x",
                                NO_MESSAGE | SILENCE),
    'stalls in mid message': ("printf '{\"message\": '; sleep 600", SILENCE),
    'never answers': ('sleep 600', SILENCE),
    'closes in mid message': ("read x; printf '{\"message\": '", NO_MESSAGE | EARLY),
    'closes at once': ('exit 0', EARLY),
    'closes its output and stays': ('exec >&-; sleep 600', EARLY),
    'ends with an error': ('exit 3', CRASH),
    'kills itself': ('kill -9 $$', CRASH),
    'ignores signals': ("trap '' TERM INT HUP QUIT; sleep 600; sleep 600", SILENCE),
    'forks': ('sleep 600 & sleep 600', SILENCE),
    'forks twice and leaves its session': ("(setsid sh -c '(setsid sleep 600 &) ; sleep 600' &) ; sleep 600", SILENCE),
    'forks, leaves and ends': ("trap '' TERM INT HUP; (setsid sh -c 'trap \"\" TERM HUP; sleep 600' &) ; exit 0",
                               EARLY | SILENCE),
    'forks without end': ('while true; do sleep 600 & sleep 0.01; done', SILENCE),
}
TELL = '''message tell(text: string)
message tick(text: string)
protocol Tell(A, B) {
  A -> B: tell
}
'''
TICK = """echo '{"message":"tick","text":"x"}'"""
CLIENT = """
import socket, sys, time
link = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
link.makefile('rb').read()
link.close()
time.sleep(0.3)
sys.exit(7)
"""
# Programs that receive something and send nothing: what they do after that; the right exit code, and failures.
AT_THE_END = {
    'reads and ends': ('cat > /dev/null', 0, None),
    'reads and stays': ('cat > /dev/null; sleep 600', 0, None),
    'reads slowly': ('sleep 0.3; cat > /dev/null', 0, None),
    'never reads': ('sleep 600', 3, None),
    'exits at once': ('exit 7', 1, {'crash'}),
    'exits late': ('sleep 0.3; exit 7', 1, {'crash'}),
    'reads and exits late': ('cat > /dev/null; sleep 0.3; exit 7', 1, {'crash'}),
    'closes its output and exits late': ('cat > /dev/null; exec >&-; sleep 0.3; exit 7', 1, {'crash'}),
    'sends more, late': (f'cat > /dev/null; sleep 0.3; {TICK}', 1, UNEXPECTED),
    'sends nonsense, late': ('cat > /dev/null; sleep 0.3; echo nonsense', 1, NO_MESSAGE),
    'is not there': ('treaty-has-no-such-program', 4, None),
    'cannot be executed': ('/', 4, None),
}


class Runner:
    """Runs treaty in one folder; everything that it starts carries a mark of this runner in its environment."""

    def __init__(self, treaty, folder):
        self.treaty, self.folder = treaty, folder
        self.mark = f'TREATY_TEST_MARK={os.getpid()}-{pathlib.Path(folder).name}'

    def start(self, *arguments):
        name, value = self.mark.split('=')
        return subprocess.Popen([self.treaty, *map(str, arguments), '--json'], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=golden.environment(self.treaty) | {name: value})

    def finish(self, process, timeout_s=1200):
        try:
            out, errors = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        if golden.crashed(process.returncode):
            raise Failed(f'treaty crashed:\n{errors}')
        return process.returncode, json.loads(out)

    def run(self, *arguments):
        return self.finish(self.start(*arguments))

    def left(self):
        """The processes that carry the mark and still run, by their ids."""
        found = {}
        for path in pathlib.Path('/proc').glob('[0-9]*/environ'):
            try:
                if self.mark.encode() in path.read_bytes().split(b'\0'):
                    found[int(path.parent.name)] = (path.parent / 'cmdline').read_bytes().replace(b'\0', b' ').decode()
            except OSError:
                pass  # it has just ended, or is someone else's
        return found

    def expect_nothing_left(self, what):
        # Who is killed may still be there for a moment.
        until = time.monotonic() + 20
        while (left := self.left()) and time.monotonic() < until:
            time.sleep(0.05)
        for process in left:
            os.kill(process, signal.SIGKILL)
        expect(not left, f'{what} left processes running', left)


def expect(condition, what, got):
    if not condition:
        raise Failed(f'{what}:\n{json.dumps(got, indent=1)[:3000]}')


def check_program(treaty, name, bug, kinds):
    """The right program passes; a bug is found, fails again, and is fixed."""
    program = PROGRAMS[name]
    flags = NAMES.get((name, bug), bug)
    hasty = kinds == SILENCE
    arguments = ['test', program.protocol, '--cut', program.role, '--via', program.via, '--seed', 1, '--startup', '60s',
                 '--silence', HASTY if hasty else PATIENT]
    if bug in TABLE.get(name, {}):  # these are small as they are
        arguments.append('--no-shrink')
    if bug in AFTER_THE_END:  # the program ends by itself: that is waited for
        arguments += ['--linger', PATIENT]
    if name == 'key and value':  # one server for all: each conversation has a store of its own
        arguments.append('--keep')
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        if not bug:
            code, got = runner.run(*arguments, '--sessions', 5, '--run', program.command)
            expect(code == 0 and got['verdicts']['pass'] == 5, f'{name} should pass', got)
            return
        code, got = runner.run(*arguments, '--sessions', 2000 if '--keep' in arguments else 200,
                               '--run', f'{program.command} --bug {flags}', '--save', 'failure.json')
        expect(code == 1 and got['failure']['problem'] in kinds, f'{name} --bug {flags} should fail with {kinds}', got)
        if name == 'bank by chance':
            return
        if bug == 'negative':  # as small as it can be
            said = got['witness']['events']
            expect(len(said) == 3 and said[0]['data'] == {'book': -1}, 'buy -1 and request are enough', got)
        code, got = runner.run('replay', 'failure.json')
        expect(code == 1, f'{name} --bug {flags} should fail again', got)
        if hasty:  # the right program gets all the time it needs to start
            saved = pathlib.Path(folder, 'failure.json')
            run = json.loads(saved.read_text(encoding='utf-8'))
            saved.write_text(json.dumps(run | {'silence_ms': 20000}), encoding='utf-8')
        code, got = runner.run('replay', 'failure.json', '--run', program.command)
        expect(code == 0, f'{name} without {flags} should be fixed', got)
        code, got = runner.run('replay')  # what is kept is the same
        expect(code == 1 and [one['verdict'] for one in got['saved']] == ['FAILED'], f'{flags} is kept', got)


def ask(runner, command, *more):
    """The arguments of a test of a component that answers ASK."""
    pathlib.Path(runner.folder, 'ask.treaty').write_text(ASK, encoding='utf-8')
    return ['test', 'ask.treaty', '--cut', 'B', '--run', command, '--no-shrink', '--sessions', 1, *more]


def check_hostile(treaty, name):
    command, kinds = HOSTILE[name]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        code, got = runner.run(*ask(runner, command, '--via', 'stdio:', '--silence', '1s' if SILENCE <= kinds else PATIENT))
        expect(code == 1 and got['failure']['problem'] in kinds, f'{name} should fail with {kinds}', got)
        runner.expect_nothing_left(name)


def check_end(treaty, name):
    """What a program does after the last message counts, however long it takes; one that behaves costs no time."""
    command, code, kinds = AT_THE_END[name]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        pathlib.Path(folder, 'tell.treaty').write_text(TELL, encoding='utf-8')
        stays = 'sleep 600' in command
        began = time.monotonic()
        got_code, got = runner.run('test', 'tell.treaty', '--cut', 'B', '--run', command,
                                   '--via', 'stdio:', '--no-shrink', '--sessions', 1,
                                   '--silence', HASTY if stays else PATIENT)
        expect(got_code == code, f'{name} should end with {code}', got)
        expect(not kinds or got['failure']['problem'] in kinds, f'{name} should fail with {kinds}', got)
        expect(time.monotonic() - began < 15, f'{name} should take as long as the program', time.monotonic() - began)
        runner.expect_nothing_left(name)


def check_client_end(treaty):
    """A client that ends with an error after the conversation."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        pathlib.Path(folder, 'tell.treaty').write_text(TELL, encoding='utf-8')
        pathlib.Path(folder, 'client.py').write_text(CLIENT, encoding='utf-8')
        code, got = runner.run('test', 'tell.treaty', '--cut', 'B', '--run',
                               f'{PYTHON} -ISs {folder}/client.py {{port}}', '--via', 'tcp-listen://127.0.0.1:{port}',
                               '--no-shrink', '--sessions', 1, '--silence', PATIENT)
        expect(code == 1 and got['failure']['problem'] == 'crash', 'the status of a client counts', got)
        runner.expect_nothing_left('a client')


# Serves one connection and then breaks.
SERVES_ONCE = """
import socket, sys
listener = socket.create_server(('127.0.0.1', int(sys.argv[1])))
link, _ = listener.accept()
link.makefile('rb').read()
listener.close()
link.close()
sys.exit(7)
"""


def check_kept_end(treaty):
    """A kept program that breaks between two sessions is not just started again."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        pathlib.Path(folder, 'tell.treaty').write_text(TELL, encoding='utf-8')
        pathlib.Path(folder, 'once.py').write_text(SERVES_ONCE, encoding='utf-8')
        code, got = runner.run('test', 'tell.treaty', '--cut', 'B', '--run',
                               f'{PYTHON} -ISs {folder}/once.py {{port}}', '--via', TCP, '--keep',
                               '--no-shrink', '--sessions', 3, '--silence', PATIENT)
        expect(code == 1 and got['failure']['problem'] in CRASH, 'a kept program has broken', got)
        runner.expect_nothing_left('a kept program')


def check_never_listens(treaty, command):
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        code, got = runner.run(*ask(runner, command, '--via', TCP, '--startup', '1s'))
        expect(code == 4, f'{command} never listens', got)
        runner.expect_nothing_left(command)


# Answers two lines as it should, but only so many bytes of it.
CUT_OFF = """
import os, socket, sys
left = int(sys.argv[1])
if len(sys.argv) > 2:
    listener = socket.create_server(('127.0.0.1', int(sys.argv[2])))
    link, _ = listener.accept()
    source, target = link.makefile('rb'), link.fileno()
else:
    source, target = sys.stdin, 1
for _ in range(2):
    source.readline()
    part = REPLY[:left]
    os.write(target, part)
    left -= len(part)
    if left == 0 and len(part) < len(REPLY):
        break
"""


def check_closing(treaty, via):
    """Closes at every possible byte: only the whole conversation passes; what ends its last line is not needed."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        program = pathlib.Path(folder, 'cut_off.py')
        program.write_text(f'REPLY = {REPLY!r}{CUT_OFF}', encoding='utf-8')
        for length in range(0 if via == 'stdio:' else len(REPLY), 2 * len(REPLY) + 1):
            command = f'{PYTHON} -ISs {program} {length}' + (' {port}' if via == TCP else '')
            code, got = runner.run(*ask(runner, command, '--via', via, '--silence', PATIENT))
            if length >= 2 * len(REPLY) - 1:
                expect(code == 0, f'{length} bytes should pass', got)
            else:
                expect(code == 1 and got['failure']['problem'] in EARLY | NO_MESSAGE,
                       f'{length} bytes should fail', got)
        runner.expect_nothing_left('closing at every byte')


def wait_for(path, what):
    """The component shows by a file that it has come this far."""
    until = time.monotonic() + 60
    while not path.exists():
        expect(time.monotonic() < until, f'{what} never came', str(path))
        time.sleep(0.02)


# Interruptions: the signals that treaty gets when the component has touched {mark}, what the component is, where it is
# reached, and the right exit codes.
STALLED = "trap '' TERM INT HUP; (setsid sleep 600 &) ; touch {mark}; sleep 600; sleep 600"
# Says nonsense when it is started first, and nothing when the failing run is tried again.
BROKEN_ONCE = 'if [ -e first ]; then touch {mark}; sleep 600; fi; touch first; read x; echo nonsense; sleep 600'
INTERRUPTS = {
    'in mid session': ([signal.SIGINT], STALLED, 'stdio:', {3}),
    'by SIGTERM': ([signal.SIGTERM], STALLED, 'stdio:', {3}),
    'twice in a row': ([signal.SIGINT, signal.SIGINT], STALLED, 'stdio:', {3}),
    'while starting': ([signal.SIGINT], STALLED, TCP, {3}),
    'while starting, twice in a row': ([signal.SIGINT, signal.SIGINT], STALLED, TCP, {3}),
    'while a failing run is tried again': ([signal.SIGINT], BROKEN_ONCE, 'stdio:', {1}),
    'killed in mid session': ([signal.SIGKILL], STALLED, 'stdio:', set()),
    'killed while starting': ([signal.SIGKILL], STALLED, TCP, set()),
}


def check_interrupt(treaty, name):
    """An interrupted test reports what was found and leaves nothing running."""
    signals, command, via, codes = INTERRUPTS[name]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        mark = pathlib.Path(folder, 'mark')
        arguments = ask(runner, command.replace('{mark}', str(mark)), '--via', via, '--silence', '10m', '--startup', '10m')
        if codes == {1}:
            arguments.remove('--no-shrink')
        process = runner.start(*arguments)
        wait_for(mark, name)
        for number in signals:
            process.send_signal(number)
        if signal.SIGKILL in signals:
            process.communicate(timeout=60)
        else:
            code, got = runner.finish(process, timeout_s=60)
            expect(code in codes, f'{name} should end with {codes}', got)
        runner.expect_nothing_left(name)


def wait_for_failure(store, process):
    """The failure that is kept, as soon as it is."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            with contextlib.closing(sqlite3.connect(f'file:{store}?mode=ro', uri=True)) as database:
                rows = database.execute('SELECT number, shrunk FROM failure').fetchall()
            if rows:
                return rows
        except sqlite3.OperationalError:
            pass  # not there yet, or being written
        expect(process.poll() is None, 'treaty should still be running', process.args)
        time.sleep(0.01)
    raise Failed('no failure was kept')


# What was found is kept before it is made small, and while the search goes on.
KILLED = {
    'while a failing run is made small': (BROKEN_ONCE.replace('{mark}', 'mark'), ['--silence', '10m']),
    'while the search goes on': ('while read x; do echo nonsense; done', ['--no-shrink', '--keep-going', '--sessions', 1000000]),
}


def check_killed(treaty, name):
    command, more = KILLED[name]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        arguments = [a for a in ask(runner, command, '--via', 'stdio:') if a not in ('--no-shrink', '--sessions', 1)]
        process = runner.start(*arguments, *more)
        rows = wait_for_failure(pathlib.Path(folder, 'treaty-failures.db'), process)
        expect(rows == [(1, 0)], 'it is not small yet', rows)
        if BROKEN_ONCE.startswith(command[:10]):
            wait_for(pathlib.Path(folder, 'mark'), name)
        process.kill()
        process.communicate()
        runner.expect_nothing_left(name)
        # The component sends nonsense once more.
        for left in ('first', 'mark'):
            pathlib.Path(folder, left).unlink(missing_ok=True)
        code, got = runner.run('replay', '--run', 'read x; echo nonsense')
        expect(code == 1 and [(one['number'], one['verdict']) for one in got['saved']] == [(1, 'FAILED')], name, got)
        code, got = runner.run('replay', '1', '--run', 'read x; echo nonsense')
        expect(code == 1 and got['failure']['problem'] in NO_MESSAGE, name, got)


# Takes a name and greets; anything but a greeting is refused by closing. The fragile one never recovers from that.
GREETER = """
import json, socketserver, sys, threading
fragile, broken = 'fragile' in sys.argv, []

class Greeter(socketserver.StreamRequestHandler):
    def handle(self):
        named = False
        for line in self.rfile:
            said = json.loads(line)
            right = said['message'] == ('ask' if named else 'name') and 1 <= said.get('n', 1) <= 9
            if not right:
                broken.append(fragile)
                return
            answer = {'message': 'told'} if named else {'message': 'hello'}
            named = True
            self.wfile.write((json.dumps(answer) + '\\n').encode() if not any(broken) else b'busy\\n')

socketserver.ThreadingTCPServer.allow_reuse_address = True
with socketserver.ThreadingTCPServer(('127.0.0.1', int(sys.argv[1])), Greeter) as server:
    server.serve_forever()
"""
GREETING = '''message name(n: int in 1..9)
protocol Greeting(client, server) {
  client -> server: name
  server -> client: hello
  repeat at client {
    client -> server: ask
    server -> client: told
  }
}
'''


def check_negative(treaty, fragile):
    """What is not allowed is refused; then the service still works, or the test reports that it does not."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        pathlib.Path(folder, 'greeter.py').write_text(GREETER, encoding='utf-8')
        pathlib.Path(folder, 'greeting.treaty').write_text(GREETING, encoding='utf-8')
        command = f'{PYTHON} -ISs greeter.py {{port}}'
        code, got = runner.run('test', 'greeting.treaty', '--cut', 'server', '--run', command + (' fragile' if fragile else ''),
                               '--via', TCP, '--keep', '--silence', PATIENT, '--strategy', 'negative', '--sessions', 30)
        if not fragile:
            expect(code == 0 and len(got['challenges']) >= 3, 'all that is not allowed is refused', got)
            return
        expect(code == 1 and 'in the session after' in got['failure']['reason'], 'it does not work any more', got)
        code, got = runner.run('replay')
        expect(code == 1 and got['saved'][0]['verdict'] == 'FAILED', 'it fails again, with both sessions', got)
        code, got = runner.run('replay', '1', '--run', command)
        expect(code == 0, 'the one that recovers is fixed', got)


# The bugs of the sensor that frames show which are damaged or come in pieces, and how.
SENSOR_BUGS = {'crc': {'accepted a forbidden message', 'unexpected message', 'wrong data'}, 'length': {'crash'}, 'hang': {'hang'},
               'pieces': {'silence', 'closed early', 'hang', 'undecodable bytes', 'unexpected message'}, 'deaf': {'silence', 'closed early'},
               'stored': {'wrong data'}}


def check_corrupt(treaty, bug, where, via):
    """A sensor that checks its frames passes; each that does not is found, fails again, and is fixed by the right one."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        right = f'{python("sensor/sensor.py")} {where}'
        sessions = 40 if bug is None else 1000
        code, got = runner.run('test', EXAMPLES / 'sensor/sensor.treaty', '--cut', 'sensor', '--via', via, '--strategy', 'corrupt',
                               '--reject', 'nak', '--sessions', sessions, '--silence', '3s' if bug else PATIENT,
                               '--run', right if bug is None else f'{right} --bug {bug}')
        if bug is None:
            expect(code == 0 and len(got['challenges']) >= 10, 'damaged frames of many kinds are refused', got)
            return
        expect(code == 1 and got['failure']['problem'] in SENSOR_BUGS[bug], f'{bug} should be found', got)
        code, got = runner.run('replay', '1')
        expect(code == 1, 'it fails again', got)
        code, got = runner.run('replay', '1', '--run', right)
        expect(code == 0, 'the right sensor is fixed', got)


def check_terminal(treaty, where, via):
    """Over a pseudo-terminal, given by name or as standard input and output, at any speed."""
    with tempfile.TemporaryDirectory() as folder:
        command = f'{python("sensor/sensor.py")} {where}'
        code, got = Runner(treaty, folder).run('test', EXAMPLES / 'sensor/sensor.treaty', '--cut', 'sensor', '--via', via,
                                               '--run', command, '--sessions', 5, '--silence', PATIENT)
        expect(code == 0 and got['completed'] == 5, 'the sensor passes', got)
        code, got = Runner(treaty, folder).run('test', EXAMPLES / 'sensor/sensor.treaty', '--cut', 'sensor', '--via', via,
                                               '--run', command + ' --bug crc', '--sessions', 200, '--silence', PATIENT,
                                               '--strategy', 'corrupt', '--reject', 'nak', '--store', 'crc')
        expect(code == 1 and got['failure']['problem'] in SENSOR_BUGS['crc'], 'the CRC is not checked', got)


def check_in_parallel(treaty):
    """Each bug of the key and value server, with two sessions at once."""
    program = PROGRAMS['key and value']
    with tempfile.TemporaryDirectory() as folder:
        for bug in program.bugs:
            code, got = Runner(treaty, folder).run('test', program.protocol, '--cut', program.role, '--via', TCP, '--keep',
                                                   '--run', f'{program.command} --bug {bug}', '--parallel', 2,
                                                   '--sessions', 2000, '--silence', PATIENT, '--no-shrink', '--store', bug)
            # Both sessions may be failing when the first one ends the campaign, each in its own way.
            expect(code == 1 and 1 <= len(got['findings']) <= 2, f'{bug} should be found', got)


def add_components(folder):
    """The programs in C++, built with and without a sanitizer."""
    def component(name, bugs):
        return Program('echo/echo.treaty', 'server', os.path.abspath(os.path.join(folder, name)), 'stdio:', bugs)

    deaths = {f'{how} --at {step}': CRASH for how in ('null', 'abort') for step in (1, 2)}
    PROGRAMS['echo in C++'] = component('echo_component', {'empty': WRONG_DATA} | deaths)
    PROGRAMS['echo in C++, sanitized'] = component('echo_component_sanitized', {'overflow': CRASH, 'null': CRASH})
    TABLE['echo in C++'] = faults(WRONG_DATA | UNEXPECTED, WRONG_DATA, {'crash'}, 2)


def has_websockets():
    return subprocess.run([DEBIAN_PYTHON, '-c', 'import websockets'], capture_output=True, check=False).returncode == 0


def check_data_phase(treaty):
    """Messages cross each other, and still there is one situation at a time in which the server may be."""
    with tempfile.TemporaryDirectory() as folder:
        code, got = Runner(treaty, folder).run('test', EXAMPLES / 'websocket/echo.treaty', '-p', 'DataPhase', '--cut', 'server',
                                               '--run', PROGRAMS['websocket'].command, '--via', TCP, '--sessions', 10,
                                               '--length', 100, '--silence', PATIENT)
        expect(code == 0 and got['coverage']['covered'] == 8 and got['possibilities'] == 1, 'one possibility at all times', got)


def all_jobs(treaty):
    jobs = {}
    if 'websocket' in PROGRAMS:
        jobs['websocket: data phase'] = lambda: check_data_phase(treaty)
    for name, program in PROGRAMS.items():
        for bug, kinds in ({None: set()} | TABLE.get(name, {}) | program.bugs).items():
            jobs[f'{name}: {bug or "right"}'] = lambda n=name, b=bug, k=kinds: check_program(treaty, n, b, k)
    for bug in [None, *SENSOR_BUGS]:
        jobs[f'sensor: {bug or "right"}'] = lambda b=bug: check_corrupt(treaty, b, '{port}', TCP)
    jobs['sensor: right, standard input and output'] = lambda: check_corrupt(treaty, None, '-', 'stdio:')
    jobs['sensor: a terminal by its name'] = lambda: check_terminal(treaty, '{tty}', 'pty:')
    jobs['sensor: a terminal as standard input and output'] = lambda: check_terminal(treaty, '-', 'pty:?baud=115200')
    for name in HOSTILE:
        jobs[f'hostile: {name}'] = lambda n=name: check_hostile(treaty, n)
    for name in AT_THE_END:
        jobs[f'at the end: {name}'] = lambda n=name: check_end(treaty, n)
    jobs['at the end: a client'] = lambda: check_client_end(treaty)
    jobs['at the end: a kept program'] = lambda: check_kept_end(treaty)
    for command in ('sleep 600', 'treaty-has-no-such-program'):
        jobs[f'hostile: never listens, {command}'] = lambda c=command: check_never_listens(treaty, c)
    for via in ('stdio:', TCP):
        jobs[f'hostile: closes at every byte, {via}'] = lambda v=via: check_closing(treaty, v)
    for name in KILLED:
        jobs[f'killed: {name}'] = lambda n=name: check_killed(treaty, n)
    jobs['negative: still works'] = lambda: check_negative(treaty, False)
    jobs['negative: works no more'] = lambda: check_negative(treaty, True)
    jobs['key and value: in parallel'] = lambda: check_in_parallel(treaty)
    for name in INTERRUPTS:
        jobs[f'interrupted: {name}'] = lambda n=name: check_interrupt(treaty, n)
    return jobs


def timed(job):
    """How long it took. Nothing is tried again: what fails now and then is wrong now and then."""
    begin = time.monotonic()
    job()
    return time.monotonic() - begin


def run_jobs(jobs, verbose):
    """How many did not go as expected; each is printed."""
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, future in [(n, pool.submit(timed, job)) for n, job in jobs.items()]:
            try:
                seconds = future.result()
                if verbose:
                    print(f'{seconds:6.1f} s  {name}', flush=True)
            except (Failed, subprocess.TimeoutExpired, ValueError) as fault:
                failed += 1
                print(f'{name}: {fault}')
    return failed


def memory_of_children():
    """What the largest of the programs that have been run needed, in kB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--treaty', required=True)
    parser.add_argument('--components')
    parser.add_argument('--verbose', action='store_true', help='how long each took')
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    if args.components:
        add_components(args.components)
    else:
        print('programs: those in C++ are left out (no --components)')
    if not has_websockets():
        print('programs: the WebSocket server is left out (no python3-websockets)')
        del PROGRAMS['websocket']
    subprocess.run([args.treaty, '--version'], check=True, stdout=subprocess.DEVNULL)
    to_start_kb = memory_of_children()
    jobs = all_jobs(os.path.abspath(args.treaty))
    wanted = {n: job for n, job in jobs.items() if not args.names or any(word in n for word in args.names)}
    failed = run_jobs(wanted, args.verbose)
    memory_kb = memory_of_children() - to_start_kb
    if memory_kb > MEMORY_KB:
        failed += 1
        print(f'some test needed {memory_kb} kB of memory, on top of {to_start_kb} kB to start')
    print(f'programs: {len(wanted) - failed} of {len(wanted)} as expected, at most {memory_kb // 1000} MB')
    return 1 if failed or not wanted else 0


if __name__ == '__main__':
    sys.exit(main())
