"""What the three services share: a JSON document a line over TCP."""
import json
import socket
import ssl
import sys


def option(name, otherwise=None):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise


def flag(name):
    return name in sys.argv


def listen():
    server = socket.create_server(('127.0.0.1', int(option('--port', '0'))))
    print(f'ready {server.getsockname()[1]}', flush=True)
    return server


class Peer:
    def __init__(self, connection):
        self.connection, self.lines = connection, connection.makefile('r', encoding='utf-8')

    @staticmethod
    def connect(address):
        host, port = address.rsplit(':', 1)
        connection = socket.create_connection((host, int(port)))
        if flag('--tls'):
            context = ssl.create_default_context(cafile=option('--ca'))
            context.check_hostname = False
            connection = context.wrap_socket(connection)
        return Peer(connection)

    def send(self, message, order):
        self.connection.sendall((json.dumps({'message': message, 'order': order}) + '\n').encode())

    def receive(self):
        """The next message and its order; (None, None) when there is none."""
        line = self.lines.readline()
        if not line:
            return None, None
        document = json.loads(line)
        return document['message'], document['order']

    def close(self):
        self.lines.close()
        self.connection.close()
