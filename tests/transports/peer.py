#!/usr/bin/python3
"""Either side of ask.treaty over any transport, by Python's own libraries; or a counter that accepts offered events.

    peer.py server|client OVER ADDRESS [--counter] [--wrong] [--certificate FILE --key FILE]

OVER is tcp, tls, unix, udp, ws, wss, http, https; ADDRESS a port, or the path of a Unix socket. With --wrong every
third answer is wrong (server), or the client asks for what is not allowed; a counter counts one too far.
"""
import argparse
import asyncio
import http.client
import http.server
import json
import os
import socket
import ssl

HOST = '127.0.0.1'
QUESTIONS = [3, 1, 4, 1, 5]


class Server:
    def __init__(self, wrong):
        self.wrong, self.asked = wrong, 0

    def answer(self, text):
        """What is answered to one message, or None."""
        message = json.loads(text)
        if message['message'] != 'ask':
            return None
        self.asked += 1
        off = 1 if self.wrong and self.asked % 3 == 0 else 0
        return json.dumps({'message': 'answer', 'n': message['n'] + off})


class Counter:
    def __init__(self, wrong):
        self.count, self.limit = 0, 3 if wrong else 2

    def answer(self, text):
        word, *offered = (text.decode() if isinstance(text, bytes) else text).split()
        if word == 'reset':
            self.count = 0
            return 'ready'
        step = {'add': 1, 'sub': -1}
        for event in offered:
            if 0 <= self.count + step[event] <= self.limit:
                self.count += step[event]
                return f'accept {event}'
        return 'refuse'


def asking(wrong):
    """What a client says; it is sent the answers."""
    for n in QUESTIONS:
        yield json.dumps({'message': 'ask', 'n': -n if wrong and n == 4 else n})
    yield '{"message": "bye"}'


def counting(wrong):
    counter = Counter(wrong)
    offer = yield 'ready'
    while offer:
        offer = yield counter.answer(offer)


def converse(args, tell, hear):
    """The client's part, by what sends a message and what waits for the answer."""
    part = (counting if args.counter else asking)(args.wrong)
    try:
        said = next(part)
        while True:
            tell(said)
            said = part.send(None if 'bye' in said else hear())
    except (StopIteration, ConnectionError):
        pass


def server_context(args):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(args.certificate, args.key)
    return context


def client_context():
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def stream_server(args, server):
    unix = args.over == 'unix'
    listener = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(args.address if unix else (HOST, int(args.address)))
    listener.listen()
    while True:
        connection, _ = listener.accept()
        if args.over == 'tls':
            connection = server_context(args).wrap_socket(connection, server_side=True)
        with connection, connection.makefile('rw') as lines:
            for line in lines:
                answer = server.answer(line)
                if answer:
                    print(answer, file=lines, flush=True)


def stream_client(args):
    unix = args.over == 'unix'
    connection = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
    connection.connect(args.address if unix else (HOST, int(args.address)))
    if args.over == 'tls':
        connection = client_context().wrap_socket(connection)
    with connection, connection.makefile('rw') as lines:
        converse(args, lambda text: print(text, file=lines, flush=True), lines.readline)


def udp_server(args, server):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        here.bind((HOST, int(args.address)))
        while True:
            data, sender = here.recvfrom(65536)
            answer = server.answer(data)
            if answer:
                here.sendto(answer.encode(), sender)


def udp_client(args):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        here.connect((HOST, int(args.address)))
        converse(args, lambda text: here.send(text.encode()), lambda: here.recv(65536))


async def websocket_server(args, server):
    import websockets

    async def talk(connection):
        async for message in connection:
            answer = server.answer(message)
            if answer:
                await connection.send(answer)
    async with websockets.serve(talk, HOST, int(args.address), ssl=server_context(args) if args.over == 'wss' else None):
        await asyncio.Future()


async def websocket_client(args):
    import websockets
    context = {'ssl': client_context()} if args.over == 'wss' else {}
    part = (counting if args.counter else asking)(args.wrong)
    async with websockets.connect(f'{args.over}://{HOST}:{args.address}/chat', **context) as connection:
        try:
            said = next(part)
            while True:
                await connection.send(said)
                said = part.send(None if 'bye' in said else await connection.recv())
        except (StopIteration, websockets.ConnectionClosed):
            pass


def http_server(args, server):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = os.environ.get('PEER_HTTP', 'HTTP/1.1')

        def do_POST(self):
            answer = server.answer(self.rfile.read(int(self.headers['Content-Length']))) or ''
            self.send_response(200 if answer else 204)
            if answer:
                self.send_header('Content-Length', str(len(answer)))
            self.end_headers()
            self.wfile.write(answer.encode())

        def log_message(self, *_):
            pass
    service = http.server.ThreadingHTTPServer((HOST, int(args.address)), Handler)
    if args.over == 'https':
        service.socket = server_context(args).wrap_socket(service.socket, server_side=True)
    service.serve_forever()


def http_client(args):
    answers = []

    def post(text):
        # A connection for each, as simple clients do.
        kind = http.client.HTTPSConnection if args.over == 'https' else http.client.HTTPConnection
        context = {'context': client_context()} if args.over == 'https' else {}
        connection = kind(HOST, int(args.address), **context)
        connection.request('POST', '/', text)
        answers.append(connection.getresponse().read())
        connection.close()
    converse(args, post, answers.pop)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('side', choices=['server', 'client'])
    parser.add_argument('over')
    parser.add_argument('address')
    parser.add_argument('--counter', action='store_true')
    parser.add_argument('--wrong', action='store_true')
    parser.add_argument('--certificate')
    parser.add_argument('--key')
    args = parser.parse_args()
    server = Counter(args.wrong) if args.counter else Server(args.wrong)
    if args.side == 'server':
        if args.over in ('ws', 'wss'):
            asyncio.run(websocket_server(args, server))
        {'udp': udp_server, 'http': http_server, 'https': http_server}.get(args.over, stream_server)(args, server)
    elif args.over in ('ws', 'wss'):
        asyncio.run(websocket_client(args))
    else:
        {'udp': udp_client, 'http': http_client, 'https': http_client}.get(args.over, stream_client)(args)


if __name__ == '__main__':
    main()
