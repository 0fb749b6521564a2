"""`treaty serve` for scripts: starting it, asking it over HTTP, and its sockets, without a browser."""
import base64
import json
import os
import re
import socket
import struct
import subprocess
import urllib.parse


class Served:
    """A workbench on a folder, until the end of the `with` block."""

    def __init__(self, treaty, folder, *options, environment=None):
        self.process = subprocess.Popen([treaty, 'serve', str(folder), '--no-browser', *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment)
        line = self.process.stdout.readline()
        found = re.search(r'https?://\S+', line)
        if not found:
            raise RuntimeError(f'treaty serve did not start: {line}{self.process.communicate()[1]}')
        self.url = found.group(0)
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port, self.path = parts.netloc, parts.port, parts.path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=60)

    def connect(self):
        return socket.create_connection(('127.0.0.1', self.port), timeout=60)

    def request(self, path, method='GET', **fields):
        """Status, header fields and body of one exchange."""
        given = {'Host': self.host, 'Connection': 'close'} | {name.replace('_', '-'): value for name, value in fields.items()}
        head = f'{method} {path} HTTP/1.1\r\n' + ''.join(f'{name}: {value}\r\n' for name, value in given.items()) + '\r\n'
        with self.connect() as connection:
            connection.sendall(head.encode())
            reply = b''
            while block := connection.recv(1 << 16):
                reply += block
        head, _, body = reply.partition(b'\r\n\r\n')
        lines = head.decode('latin-1').split('\r\n')
        fields = dict(line.split(': ', 1) for line in lines[1:])
        return int(lines[0].split()[1]), {name.lower(): value for name, value in fields.items()}, body

    def tab(self, name='socket', **fields):
        return Tab(self, name, fields)


class Tab:
    """A WebSocket of the workbench. `status` is 101 if it was accepted."""

    def __init__(self, served, name, fields=None, path=None):
        self.connection = served.connect()
        self.buffer = b''
        self.last = 0
        given = {'Host': served.host, 'Upgrade': 'websocket', 'Connection': 'Upgrade', 'Sec-WebSocket-Version': '13',
                 'Sec-WebSocket-Key': base64.b64encode(os.urandom(16)).decode()} | (fields or {})
        target = path or served.path + name
        head = f'GET {target} HTTP/1.1\r\n' + ''.join(f'{name}: {value}\r\n' for name, value in given.items()) + '\r\n'
        self.connection.sendall(head.encode())
        while b'\r\n\r\n' not in self.buffer:
            block = self.connection.recv(1 << 16)
            if not block:
                break
            self.buffer += block
        head, _, self.buffer = self.buffer.partition(b'\r\n\r\n')
        self.status = int(head.split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def send_text(self, text):
        data = text.encode() if isinstance(text, str) else text
        size = len(data)
        head = b'\x81' + (struct.pack('>B', 128 | size) if size < 126 else struct.pack('>BH', 254, size) if size < 65536
                          else struct.pack('>BQ', 255, size))
        self.connection.sendall(head + b'\0\0\0\0' + data)  # masked by zeros

    def send(self, message):
        self.send_text(json.dumps(message))

    def _take(self, count):
        while len(self.buffer) < count:
            block = self.connection.recv(1 << 16)
            if not block:
                raise ConnectionError('closed')
            self.buffer += block
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def receive(self):
        """The next message; ConnectionError if the server has closed the socket."""
        text = b''
        while True:
            first, second = self._take(2)
            size = second & 127
            if size >= 126:
                size = struct.unpack('>H' if size == 126 else '>Q', self._take(2 if size == 126 else 8))[0]
            payload = self._take(size)
            if first & 15 == 8:
                raise ConnectionError('closed')
            if first & 15 in (0, 1, 2):
                text += payload
                if first & 128:
                    return json.loads(text)

    def begin(self, method, **params):
        self.last += 1
        self.send({'id': self.last, 'method': method, 'params': params})
        return self.last

    def answer(self, number, progress=None):
        """The answer of a request: {'result': ...} or {'error': ...}. progress is called with what comes before it."""
        while True:
            message = self.receive()
            if message.get('id') != number:
                continue
            if 'progress' not in message:
                return message
            if progress:
                progress(message['progress'])

    def ask(self, method, **params):
        return self.answer(self.begin(method, **params))

    def cancel(self, number):
        self.send({'cancel': number})
