#!/usr/bin/env python3
"""Tests the three JSON services of examples/shop_services, right ones and wrong ones, and watches them through the proxy; and the service
of examples/petstore, from its OpenAPI document and from its workflow in Arazzo; the lamps of examples/lights, from their AsyncAPI
document; and the service of examples/inventory, from its .proto file.

    scripts/check_services.py --treaty build/test/treaty [NAME]...

The protocol holds. `treaty test` alone runs the campaigns of treaty.toml, from its folder and from another, and all pass; with the bug
of one service that one fails. Each service is tested alone: Treaty plays the client and the other services. Every service without a
bug passes, and each of the five bugs is found, in the service that has it. Then a client orders from the three services through
`treaty proxy`, and `treaty watch` finds no violation in the recorded traffic, with every message understood;
with a bug that only shows between the services, it does find one. The pet store passes, and both of its bugs are found; the workflow finds
the one that it can meet. The lamps pass, and their bug is found; the inventory passes, and each of its bugs is found. Nothing is left
running.
"""
import argparse
import contextlib
import http.client
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import golden
import ports as claimed
from check_programs import Runner, expect
from proxied import start_proxy
from running import LIMIT, Failed, process, until

FOLDER = golden.ROOT / 'examples/shop_services'
PROTOCOL = FOLDER / 'shop.treaty'
PYTHON = sys.executable

PETSTORE = golden.ROOT / 'examples/petstore'
PETSTORE_BUGS = {'weight': {'undecodable bytes'}, 'status': {'undecodable bytes'}}

# service: its command, and where each role that Treaty plays meets it
SERVICES = {
    'order': (f'{PYTHON} {FOLDER}/order.py --port {{port}} --stock http://127.0.0.1:{{port:stock}} '
              '--payment http://127.0.0.1:{port:payment}',
              ['client=http://127.0.0.1:{port}', 'stock=http-listen://127.0.0.1:{port:stock}',
               'payment=http-listen://127.0.0.1:{port:payment}']),
    'stock': (f'{PYTHON} {FOLDER}/stock.py --port {{port}}', ['http://127.0.0.1:{port}']),
    'payment': (f'{PYTHON} {FOLDER}/payment.py --port {{port}}', ['http://127.0.0.1:{port}']),
}
# bug: the service that has it, and the failures that it may show itself as
BUGS = {
    'total': ('order', {'wrong data'}),
    'leak': ('order', {'unexpected message', 'missing message', 'silence'}),
    'last': ('stock', {'wrong data'}),
    'release': ('stock', {'wrong data'}),
    'text': ('payment', {'undecodable bytes'}),
}


def test(runner, service, bug='', *more):
    command, via = SERVICES[service]
    arguments = ['test', PROTOCOL, '--cut', service, '--run', command + (f' --bug {bug}' if bug else ''), '--silence', '20s',
                 '--sessions', '6', '--seed', '1', *more]
    for address in via:
        arguments += ['--via', address]
    return runner.run(*arguments)


def check_right(treaty, service):
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        code, got = test(runner, service)
        expect(code == 0 and got['verdicts']['pass'] == 6, f'{service} does not pass', got)
        runner.expect_nothing_left(service)


def check_bug(treaty, bug):
    service, kinds = BUGS[bug]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        code, got = test(runner, service, bug, '--sessions', '60', '--no-shrink')
        expect(code == 1 and got['failure']['problem'] in kinds, f'bug {bug} of {service} should be found as {kinds}', got)
        runner.expect_nothing_left(f'{service} with bug {bug}')


LIGHTS = golden.ROOT / 'examples/lights'


def test_petstore(runner, bug, *more, document='petstore.yaml'):
    command = f'{PYTHON} {PETSTORE}/service.py --port {{port}}' + (f' --bug {bug}' if bug else '')
    return runner.run('test', PETSTORE / document, '--cut', 'server', '--run', command, '--via', 'http://127.0.0.1:{port}',
                      '--silence', '20s', '--seed', '1', *more)


def check_petstore(treaty):
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        code, got = runner.run('check', PETSTORE / 'petstore.yaml')
        expect(code == 0, 'the document of the pet store does not hold', got)
        code, got = test_petstore(runner, '', '--sessions', '10')
        expect(code == 0 and got['verdicts']['pass'] == 10, 'the pet store does not pass', got)
        for bug, kinds in PETSTORE_BUGS.items():
            code, got = test_petstore(runner, bug, '--sessions', '60', '--no-shrink')
            expect(code == 1 and got['failure']['problem'] in kinds, f'bug {bug} of the pet store should be found as {kinds}', got)
        runner.expect_nothing_left('the pet store')


INVENTORY = golden.ROOT / 'examples/inventory'
INVENTORY_BUGS = {'kind': {'undecodable bytes'}, 'status': {'silence', 'missing message'}, 'refused': {'wrong data'}}


def test_inventory(runner, bug, *more):
    command = f'{PYTHON} {INVENTORY}/server.py {{port}}' + (f' --bug {bug}' if bug else '')
    return runner.run('test', INVENTORY / 'inventory.proto', '--cut', 'server', '--run', command, '--via', 'tcp://127.0.0.1:{port}',
                      '--silence', '2s' if bug == 'status' else '20s', '--seed', '1', *more)


def check_inventory(treaty):
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        code, got = runner.run('check', INVENTORY / 'inventory.proto')
        expect(code == 0, 'the .proto file of the inventory does not hold', got)
        code, got = test_inventory(runner, '', '--sessions', '20')
        expect(code == 0 and got['verdicts']['pass'] == 20, 'the inventory does not pass', got)
        for bug, kinds in INVENTORY_BUGS.items():
            code, got = test_inventory(runner, bug, '--sessions', '60', '--no-shrink')
            expect(code == 1 and got['failure']['problem'] in kinds, f'bug {bug} of the inventory should be found as {kinds}', got)
        runner.expect_nothing_left('the inventory')


def check_workflow(treaty):
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        code, got = test_petstore(runner, '', '--sessions', '10', document='adopt.yaml')
        expect(code == 0 and got['verdicts']['pass'] == 10, 'the pet store does not pass its workflow', got)
        code, got = test_petstore(runner, 'status', '--sessions', '10', '--no-shrink', document='adopt.yaml')
        expect(code == 1 and got['failure']['problem'] in PETSTORE_BUGS['status'], 'the workflow should find the bug status', got)
        runner.expect_nothing_left('the workflow')


def check_lights(treaty):
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(treaty, folder)
        for bug, answer in (('', 0), ('--bug', 1)):
            code, got = runner.run('test', LIGHTS / 'lights.yaml', '--cut', 'service', '--run',
                                   f'{PYTHON} {LIGHTS}/service.py {bug}', '--via', 'stdio:', '--silence', '20s', '--sessions', '10',
                                   '--seed', '1', '--no-shrink')
            expect(code == answer, f'the lamps {bug} end with {code}', got)
            expect(not bug or got['failure']['problem'] == 'wrong data', 'the wrong correlation id should be found', got)
        runner.expect_nothing_left('the lamps')


def answers(port):
    try:
        connection = http.client.HTTPConnection('127.0.0.1', port, timeout=LIMIT)
        connection.request('GET', '/ready')
        connection.getresponse().read()
        connection.close()
        return True
    except OSError:
        return False


def order(port, number, sku, quantity, note=None):
    body = {'customer': f'customer {number}', 'lines': [{'sku': sku, 'quantity': quantity}]}
    if note:
        body['note'] = note
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=LIMIT)
    connection.request('POST', '/orders', json.dumps(body, indent=1), {'X-Request-Id': f'req{number}'})
    status = connection.getresponse().status
    connection.close()
    return status


def watched(treaty, bugs):
    """The exit code of `treaty watch` for eight orders, its answer, and the statuses of the replies."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        ports = {service: claimed.free_port() for service in SERVICES}
        links = [(client, service, ports[service])
                 for client, service in (('client', 'order'), ('order', 'stock'), ('order', 'payment'))]
        proxy, at = start_proxy(stack, treaty, folder, links)
        for service, more in (('stock', []), ('payment', []),
                              ('order', ['--stock', f'http://{at[1]}', '--payment', f'http://{at[2]}'])):
            bug = ['--bug', bugs[service]] if service in bugs else []
            stack.enter_context(process(PYTHON, FOLDER / f'{service}.py', '--port', ports[service], *more, *bug,
                                        stderr=subprocess.DEVNULL))
            until(lambda port=ports[service]: answers(port), f'the start of {service}')
        front = int(at[0].rsplit(':', 1)[1])
        orders = [('apple', 3), ('plum', 2), ('plum', 9), ('apple', 8), ('apple', 4), ('pear', 9), ('apple', 1), ('pear', 2)]
        statuses = [order(front, number, sku, quantity, 'please hurry' if number % 2 else None)
                    for number, (sku, quantity) in enumerate(orders)]
        proxy.send_signal(signal.SIGTERM)
        proxy.communicate(timeout=LIMIT)
        done = subprocess.run([treaty, 'watch', PROTOCOL, '--from', folder / 'traffic.jsonl', '--session', 'field:request',
                               '--json'], capture_output=True, text=True, check=False, env=golden.environment(treaty),
                              stdin=subprocess.DEVNULL, timeout=LIMIT)
        if golden.crashed(done.returncode) or not done.stdout:
            raise Failed(f'treaty watch crashed:\n{done.stderr}')
        return done.returncode, json.loads(done.stdout), statuses


def check_watched(treaty, bugs, holds):
    code, got, statuses = watched(treaty, bugs)
    expect(got['garbled'] == 0 and code == (0 if holds else 1), f'watched with {bugs or "no bug"}', got)
    if not bugs:
        expect(statuses == [201, 201, 402, 201, 409, 201, 201, 201], 'the replies are not those of the services', statuses)


def check_protocol(treaty):
    with tempfile.TemporaryDirectory() as folder:
        code, got = Runner(treaty, folder).run('check', PROTOCOL)
        expect(code == 0 and all(d['severity'] == 'note' for d in got['diagnostics']), 'the protocol does not hold', got)


def check_project(treaty):
    with tempfile.TemporaryDirectory() as name:
        copy = pathlib.Path(name) / 'shop'
        shutil.copytree(FOLDER, copy)
        runner = Runner(treaty, copy)
        code, got = runner.run('test')
        expect(code == 0 and [c['name'] for c in got['campaigns']] == ['stock', 'payment', 'order']
               and all(c['verdicts']['pass'] == 6 for c in got['campaigns']), 'the campaigns do not pass', got)
        runner.expect_nothing_left('treaty test')
        project = copy / 'treaty.toml'
        project.write_text(project.read_text(encoding='utf-8').replace('payment.py --port', 'payment.py --bug text --port'),
                           encoding='utf-8')
        elsewhere = Runner(treaty, name)
        code, got = elsewhere.run('test', '--project', 'shop/treaty.toml', '--sessions', '60', '--no-shrink', '--campaign', 'payment')
        expect(code == 1 and [c['answer'] for c in got['campaigns']] == ['fails'], 'the bug of payment is not found', got)
        elsewhere.expect_nothing_left('treaty test --project')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--treaty', required=True)
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    treaty = str(pathlib.Path(options.treaty).resolve())
    jobs = {'check': lambda: check_protocol(treaty), 'project': lambda: check_project(treaty)}
    for service in SERVICES:
        jobs[service] = lambda service=service: check_right(treaty, service)
    for bug in BUGS:
        jobs[f'bug {bug}'] = lambda bug=bug: check_bug(treaty, bug)
    jobs['petstore'] = lambda: check_petstore(treaty)
    jobs['inventory'] = lambda: check_inventory(treaty)
    jobs['workflow'] = lambda: check_workflow(treaty)
    jobs['lights'] = lambda: check_lights(treaty)
    jobs['watched'] = lambda: check_watched(treaty, {}, True)
    jobs['watched with a bug'] = lambda: check_watched(treaty, {'order': 'leak'}, False)
    failed = 0
    for name, job in jobs.items():
        if options.names and name not in options.names:
            continue
        try:
            job()
            print(f'{name}: as expected', flush=True)
        except (Failed, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f'{name}: {error}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
