#!/usr/bin/env python3
"""Watches the three services of examples/delivery live, through `treaty proxy`, and kills watches while they run.

    scripts/check_watching.py --treaty build/test/treaty [NAME]...

The eight rows of table 4.1 of Nguyen 2013 come out from real traffic as they do from its logs; once with TLS ended at the
proxy, once with a watch that follows the proxy's log, and once without a proxy, captured on loopback. A watch that is
killed with signal 9 again and again, on a log that grows, gives the verdicts of one undisturbed run. The proxy speaks TLS
to a service whose certificate it knows, and not to one whose it does not or that is for another host; the live view says
how it goes.
"""
import argparse
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import golden
import ports as claimed
from proxied import start_proxy
from running import LIMIT, Failed, process, until

DELIVERY = golden.ROOT / 'examples/delivery'
PYTHON = sys.executable
PING = b'ping of many bytes'  # long enough for a TLS service to see that it is not a greeting

# name: vendor's arguments, shipper's, buyer vendor shipper global; incomplete ones have a minus.
ROWS = {
    '1 rejected': (['--reject'], [], 'pass pass pass pass'),
    '2 accepted': ([], [], 'pass pass pass pass'),
    '3 invoice last': (['--invoice-last'], [], 'pass pass pass pass'),
    '4 inform': ([], ['--inform'], 'pass pass pass pass'),
    '5 informed': (['--informed'], ['--inform'], 'pass pass pass pass'),
    '6 no postage': (['--bug', 'no-postage'], [], 'pass- pass- pass- pass-'),
    '7 no postage at all': (['--bug', 'no-postage'], ['--bug', 'no-postage'], 'pass pass- fail fail-'),
    '8 postage first': (['--bug', 'postage-first'], [], 'pass fail fail fail'),
}


def service(stack, name, *arguments):
    running = stack.enter_context(process(PYTHON, DELIVERY / name, *arguments, stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE))
    if not running.stdout.readline().startswith('ready'):
        raise Failed(f'{name} did not start: {running.communicate(timeout=LIMIT)[1][-500:]}')
    return running


LINKS = (('buyer', 'vendor'), ('vendor', 'shipper'), ('shipper', 'buyer'))


def talk(stack, treaty, folder, row, tls=None):
    """One conversation through the proxy, which has ended when this is over."""
    vendor_does, shipper_does, _ = ROWS[row]
    ports = [claimed.free_port() for _ in range(3)]
    more = ['--cert', tls] if tls else []
    proxy, addresses = start_proxy(stack, treaty, folder, [(*link, port) for link, port in zip(LINKS, ports)], *more)
    secure = ['--tls', '--ca', tls] if tls else []
    vendor = service(stack, 'vendor.py', '--port', ports[0], '--shipper', addresses[1], *vendor_does, *secure)
    shipper = service(stack, 'shipper.py', '--port', ports[1], '--buyer', addresses[2], *shipper_does, *secure)
    buyer = service(stack, 'buyer.py', '--port', ports[2], '--vendor', addresses[0], *secure)
    vendor.wait(LIMIT)
    if '1' in row or '6' in row:  # nothing for the shipper to do, or nothing for the buyer to get
        if '6' in row:
            shipper.wait(LIMIT)
        else:
            buyer.wait(LIMIT)
    else:
        shipper.wait(LIMIT)
        buyer.wait(LIMIT)
    proxy.send_signal(signal.SIGTERM)
    out, _ = proxy.communicate(timeout=LIMIT)
    if proxy.returncode != 0 or json.loads(out)['records'] == 0:
        raise Failed(f'the proxy ended with {proxy.returncode}: {out}')


def verdicts(got):
    texts = [r['verdict'] + ('-' if r['incomplete'] else '') for r in [*got['roles'], got['global']]]
    return ' '.join(texts)


def watch(treaty, *arguments):
    done = subprocess.run([treaty, 'watch', *map(str, arguments), '--json'], capture_output=True, text=True, check=False,
                          env=golden.environment(treaty), stdin=subprocess.DEVNULL, timeout=LIMIT)
    if golden.crashed(done.returncode) or not done.stdout:
        raise Failed(f'treaty watch crashed:\n{done.stderr}')
    return json.loads(done.stdout)


def make_certificate(folder, name, whom='DNS:localhost,IP:127.0.0.1'):
    """A file with a key and its certificate, for localhost or another host."""
    both = folder / name
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost',
                    '-addext', f'subjectAltName={whom}', '-keyout', both, '-out', folder / 'cert.pem'],
                   check=True, capture_output=True)
    both.write_text(both.read_text() + (folder / 'cert.pem').read_text())
    return both


def check_row(treaty, row, tls=False):
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        certificate = None
        if tls:
            certificate = make_certificate(folder, 'proxy.pem')
        talk(stack, treaty, folder, row, certificate)
        got = watch(treaty, DELIVERY / 'delivery.treaty', '--from', folder / 'traffic.jsonl', '--session', 'field:order')
        if verdicts(got) != ROWS[row][2] or got['garbled'] != 0:
            raise Failed(f'row {row}: {verdicts(got)} instead of {ROWS[row][2]}:\n{json.dumps(got, indent=1)[:3000]}')


def answer_over_tls(listener, certificate):
    """A service that sends everything twice, to clients that speak TLS, until its listener is closed."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        client.settimeout(LIMIT)
        try:
            with context.wrap_socket(client, server_side=True) as secure:
                secure.sendall(secure.recv(1000) * 2)
        except OSError:
            pass  # a client that does not trust it hangs up


def ask_through_proxy(stack, treaty, folder, port, *arguments, host='127.0.0.1'):
    """What comes back from the service when a plain client asks through the proxy; and what was recorded."""
    addresses = folder / 'addresses'
    addresses.unlink(missing_ok=True)
    log = folder / 'asked.jsonl'
    log.unlink(missing_ok=True)
    proxy = stack.enter_context(
        process(treaty, 'proxy', '--listen', '127.0.0.1:0', '--to', f'{host}:{port}', '--between', 'asker,service', '-o',
                log, '--addresses', addresses, '--json', *arguments, env=golden.environment(treaty), stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL))
    until(lambda: addresses.exists() or proxy.poll() is not None, 'the start of the proxy')
    at_host, _, at = addresses.read_text(encoding='utf-8').split(' -> ')[0].rpartition(':')
    heard = b''
    with contextlib.suppress(OSError), socket.create_connection((at_host, int(at)), timeout=LIMIT) as client:
        client.sendall(PING)
        while piece := client.recv(1000):
            heard += piece
            if len(heard) >= 2 * len(PING):
                break
    proxy.send_signal(signal.SIGTERM)
    proxy.communicate(timeout=LIMIT)
    records = [json.loads(line) for line in log.read_text(encoding='utf-8').splitlines()] if log.exists() else []
    return heard, [(r['from'], bytes.fromhex(r['raw'])) for r in records if 'raw' in r]


def check_tls_to(treaty):
    """The service speaks TLS; its client does not, and need not."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        good, other = make_certificate(folder, 'good.pem'), make_certificate(folder, 'other.pem')
        listener = stack.enter_context(socket.create_server(('127.0.0.1', 0)))
        stack.callback(listener.shutdown, socket.SHUT_RDWR)
        port = listener.getsockname()[1]
        threading.Thread(target=answer_over_tls, args=(listener, good), daemon=True).start()
        heard, records = ask_through_proxy(stack, treaty, folder, port, '--tls-to', '--ca', good)
        if heard != PING * 2 or records != [('asker', PING), ('service', PING * 2)]:
            raise Failed(f'through TLS came {heard}, recorded was {records}')
        heard, _ = ask_through_proxy(stack, treaty, folder, port, '--tls-to', '--ca', other)
        if heard:
            raise Failed(f'a service that is not known sent {heard}')
        heard, _ = ask_through_proxy(stack, treaty, folder, port)
        if heard == PING * 2:
            raise Failed('the service speaks without TLS')


def check_tls_names(treaty):
    """A certificate that is trusted must also be for the host that the proxy was given, by name or by number."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        family, *_, local = socket.getaddrinfo('localhost', 0, type=socket.SOCK_STREAM)[0]
        certificates = {'localhost': make_certificate(folder, 'name.pem', 'DNS:localhost,IP:127.0.0.9'),
                        '127.0.0.1': make_certificate(folder, 'number.pem', 'DNS:elsewhere.example,IP:127.0.0.1')}
        for host, (kind, at) in {'localhost': (family, local[:2]), '127.0.0.1': (socket.AF_INET, ('127.0.0.1', 0))}.items():
            for whose, certificate in certificates.items():
                listener = stack.enter_context(socket.create_server(at, family=kind))
                stack.callback(listener.shutdown, socket.SHUT_RDWR)
                port = listener.getsockname()[1]
                threading.Thread(target=answer_over_tls, args=(listener, certificate), daemon=True).start()
                heard, _ = ask_through_proxy(stack, treaty, folder, port, '--tls-to', '--ca', certificate, host=host)
                if heard != (PING * 2 if whose == host else b''):
                    raise Failed(f'from {host} with the certificate of {whose} came {heard}')
                heard, _ = ask_through_proxy(stack, treaty, folder, port, '--tls-to', host=host)
                if heard != PING * 2:
                    raise Failed(f'from {host}, unchecked, came {heard}')


def check_live(treaty):
    """A line on the terminal that changes while the log grows, and nothing without being asked for."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        log = folder / 'traffic.jsonl'
        lines = traffic(random.Random(3), 20)
        command = [treaty, 'watch', DELIVERY / 'delivery.treaty', '--from', log, '--follow', '--json']
        for wanted in (True, False):
            log.write_text('\n'.join(lines[:50]) + '\n', encoding='utf-8')
            terminal, other = os.openpty()
            running = stack.enter_context(process(*command, *(['--live'] if wanted else ['--idle', '1s']), stdout=subprocess.PIPE,
                                                  stderr=other, env=golden.environment(treaty)))
            os.close(other)
            shown = []

            def read(terminal=terminal, shown=shown):
                with contextlib.suppress(OSError):
                    while piece := os.read(terminal, 1000):
                        shown.append(piece.decode())

            reader = threading.Thread(target=read, daemon=True)
            reader.start()
            if wanted:
                judged = sum(line.startswith('{"time') for line in lines[:50])
                until(lambda s=shown, j=judged: f'{j} messages' in ''.join(s), 'the first line of the live view')
                with log.open('a', encoding='utf-8') as file:
                    file.write('\n'.join(lines[50:]) + '\n')
                judged = sum(line.startswith('{"time') for line in lines)
                until(lambda s=shown, j=judged: f'{j} messages' in ''.join(s), 'the live view of what came later')
                running.send_signal(signal.SIGINT)
            running.communicate(timeout=LIMIT)
            reader.join(LIMIT)
            os.close(terminal)
            text = ''.join(shown)
            if wanted != ('messages,' in text) or (wanted and ' live, ' not in text):
                raise Failed(f'the terminal shows {text!r}')


def check_followed(treaty):
    """The watch runs while the services talk."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        log, fallen = folder / 'traffic.jsonl', folder / 'verdicts.jsonl'
        log.touch()
        watching = stack.enter_context(
            process(treaty, 'watch', DELIVERY / 'delivery.treaty', '--from', log, '--session', 'field:order', '--follow',
                    '--verdicts', fallen, '--json', env=golden.environment(treaty), stdout=subprocess.PIPE))
        talk(stack, treaty, folder, '8 postage first')
        until(lambda: fallen.exists() and '"role": "shipper"' in fallen.read_text().replace('":"', '": "'), 'the verdict')
        watching.send_signal(signal.SIGINT)
        got = json.loads(watching.communicate(timeout=LIMIT)[0])
        if verdicts(got) != ROWS['8 postage first'][2]:
            raise Failed(f'following: {verdicts(got)}')


def metrics(port):
    """The counters of a watch by name; none while it does not answer."""
    try:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f'http://127.0.0.1:{port}/metrics', timeout=LIMIT) as page:
            lines = page.read().decode().splitlines()
    except (OSError, http.client.HTTPException):
        return {}
    return {line.rsplit(' ', 1)[0]: int(line.rsplit(' ', 1)[1]) for line in lines if not line.startswith('#')}


def check_captured(treaty):
    """No proxy: the watch listens on the loopback interface, and serves its counters."""
    with contextlib.ExitStack() as stack:
        *ports, counters = [claimed.free_port() for _ in range(4)]
        known = zip(ports, ('vendor', 'shipper', 'buyer'), ('buyer', 'vendor', 'shipper'))
        maps = [f'--map={e}' for p, s, c in known for e in (f'127.0.0.1:{p}={s}', f'->127.0.0.1:{p}={c}')]
        heard = ' or '.join(f'port {p}' for p in ports)
        watching = stack.enter_context(
            process(treaty, 'watch', DELIVERY / 'delivery.treaty', '--from', f'capture:lo:{heard}', *maps, '--session',
                    'field:order', '--metrics', f'127.0.0.1:{counters}', '--json', env=golden.environment(treaty),
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        until(lambda: watching.poll() is not None or metrics(counters), 'the start of the watch')
        if watching.poll() is not None:
            reason = json.loads(watching.stdout.read())['diagnostics'][0]['message']
            if 'ermission' in reason or 'not permitted' in reason:
                return 'left out: capturing is not permitted here'
            raise Failed(f'the watch ended: {reason}')
        addresses = [f'127.0.0.1:{p}' for p in ports]
        vendor = service(stack, 'vendor.py', '--port', ports[0], '--shipper', addresses[1])
        shipper = service(stack, 'shipper.py', '--port', ports[1], '--buyer', addresses[2])
        buyer = service(stack, 'buyer.py', '--port', ports[2], '--vendor', addresses[0])
        for running in (vendor, shipper, buyer):
            running.wait(LIMIT)
        until(lambda: metrics(counters).get('treaty_messages_total', 0) >= 7, 'the seventh message')
        watching.send_signal(signal.SIGINT)
        got = json.loads(watching.communicate(timeout=LIMIT)[0])
        if verdicts(got) != 'pass pass pass pass' or got['messages'] != 7:
            raise Failed(f'captured: {verdicts(got)}: {json.dumps(got, indent=1)[:3000]}')
    return None


def traffic(chance, sessions):
    """Conversations of the delivery, right and wrong ones, interleaved."""
    talks = []
    for n in range(sessions):
        steps = [('buyer', 'vendor', 'Order'), ('vendor', 'buyer', 'Confirm'), ('buyer', 'vendor', 'Payment'),
                 ('vendor', 'buyer', 'Invoice'), ('vendor', 'shipper', 'Shipment'), ('vendor', 'shipper', 'Postage'),
                 ('shipper', 'buyer', 'Distribution')]
        if chance.random() < 0.3:
            del steps[chance.randrange(len(steps))]
        talks.append([json.dumps({'time': chance.random(), 'from': f, 'to': t, 'dir': '->', 'message': m, 'session': str(n),
                                  'data': {'order': n}}) for f, t, m in steps])
    lines = []
    while talks:
        one = chance.choice(talks)
        lines.append(one.pop(0))
        if chance.random() < 0.02:
            lines.append('{"garbled')
        if not one:
            talks.remove(one)
    return lines


def check_killed(treaty):
    """Signal 9 at random moments, while the log grows."""
    chance = random.Random(10)
    lines = traffic(chance, 3000)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        log = folder / 'traffic.jsonl'
        log.write_text('\n'.join(lines) + '\n', encoding='utf-8')
        common = [DELIVERY / 'delivery.treaty', '--from', log]
        whole = watch(treaty, *common, '--verdicts', folder / 'whole.jsonl')
        log.write_text('', encoding='utf-8')
        command = [treaty, 'watch', *common, '--verdicts', folder / 'killed.jsonl', '--state', folder / 'state', '--json']
        kills = 0
        position = 0
        while position < len(lines):
            more = chance.randrange(200, 2500)
            with log.open('a', encoding='utf-8') as file:
                file.write('\n'.join(lines[position:position + more]) + '\n')
            position += more
            with process(*command, '--follow', env=golden.environment(treaty), stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL) as running:
                time.sleep(chance.random() * 0.3)
                if running.poll() is not None:
                    raise Failed(f'the watch ended by itself with {running.returncode}')
                os.kill(running.pid, signal.SIGKILL)
                kills += 1
        got = watch(treaty, *common, '--verdicts', folder / 'killed.jsonl', '--state', folder / 'state')
        for field in ('roles', 'global', 'messages', 'sessions', 'garbled', 'deviations', 'coverage'):
            if got[field] != whole[field]:
                raise Failed(f'{field} after {kills} kills: {got[field]} instead of {whole[field]}')
        if (folder / 'killed.jsonl').read_bytes() != (folder / 'whole.jsonl').read_bytes():
            raise Failed(f'other verdicts after {kills} kills')
        if kills < 5:
            raise Failed('hardly ever killed')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--treaty', required=True)
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    treaty = str(pathlib.Path(options.treaty).resolve())
    checks = {f'row {row}': (lambda row=row: check_row(treaty, row)) for row in ROWS}
    checks['followed'] = lambda: check_followed(treaty)
    checks['killed'] = lambda: check_killed(treaty)
    checks['live'] = lambda: check_live(treaty)
    checks['captured'] = lambda: check_captured(treaty)
    if shutil.which('openssl'):
        checks['tls'] = lambda: check_row(treaty, '2 accepted', tls=True)
        checks['tls to the service'] = lambda: check_tls_to(treaty)
        checks['tls to another host'] = lambda: check_tls_names(treaty)
    chosen = {n: c for n, c in checks.items() if not options.names or n in options.names}

    def attempt(name):
        try:
            note = chosen[name]()
            return None, note
        except (Failed, OSError, subprocess.SubprocessError, ValueError, KeyError) as fault:
            return f'{type(fault).__name__}: {fault}', None

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, (fault, note) in zip(chosen, pool.map(attempt, chosen)):
            print(f'{name}: {"FAILED" if fault else note or "ok"}')
            if fault:
                failed += 1
                print(fault)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
