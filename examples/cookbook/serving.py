"""What the programs of the cookbook have in common: an option for the port, one for a bug, and a server with a thread per connection."""
import argparse
import json
import socket
import socketserver


def options(description, *bugs, **ports):
    """The options of a program: --port, --bug with one of `bugs`, and a number for each of `ports`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('--port', type=int, required=True, help='the port to listen on')
    parser.add_argument('--bug', choices=bugs, help='behave wrongly in this way')
    for name, meaning in ports.items():
        parser.add_argument(f'--{name}', type=int, required=True, help=meaning)
    return parser.parse_args()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


def serve(port, talk):
    """Calls talk(stream) for each connection; `stream` is a file of bytes that is read and written without a buffer in between."""
    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.request.makefile('rwb') as stream:
                try:
                    talk(stream)
                except ConnectionError:  # the other side is gone
                    pass

    with Server(('127.0.0.1', port), Handler) as server:
        server.serve_forever()


def send(stream, data):
    stream.write(data.encode() if isinstance(data, str) else data)
    stream.flush()


def words(stream):
    """The words of each line."""
    for line in stream:
        yield line.decode().rstrip('\n').split(' ')


def serve_http(port, answer):
    """Calls answer(method, path, headers, body) for each request; it returns a status, a body, and headers if there are any. A body of
    bytes is sent as it is, None as no body, and anything else as JSON."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer  # takes time, which the others need not spend

    class Handler(BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        disable_nagle_algorithm = True

        def handle_request(self):
            body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
            status, content, *headers = answer(self.command, self.path, self.headers, body)
            if content is not None and not isinstance(content, bytes):
                content = json.dumps(content).encode()
            self.send_response(status)
            for name, value in (headers[0] if headers else {}).items():
                self.send_header(name, str(value))
            if status != 204:
                self.send_header('Content-Length', str(len(content or b'')))
            self.end_headers()
            self.wfile.write(content or b'')

        do_GET = do_POST = do_PATCH = do_DELETE = handle_request

        def log_message(self, format, *args):
            pass

    class HttpServer(ThreadingHTTPServer):
        daemon_threads = True

    HttpServer(('127.0.0.1', port), Handler).serve_forever()
