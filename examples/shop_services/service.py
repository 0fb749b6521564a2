"""What the three services have in common: JSON over HTTP, with the standard library only."""
import argparse
import json
import re
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Problem(Exception):
    """A request that is refused: the status and what the client is told."""

    def __init__(self, status, error, **details):
        super().__init__(error)
        self.status, self.body = status, {'error': error, **details}


class Service(BaseHTTPRequestHandler):
    """Calls the method of ROUTES whose path matches, with the parts of the path, and sends what it returns."""
    protocol_version = 'HTTP/1.1'
    ROUTES = []  # (method, pattern, name of the function)

    def dispatch(self):
        length = int(self.headers.get('Content-Length') or 0)
        raw = self.rfile.read(length)
        try:
            for method, pattern, name in self.ROUTES:
                found = re.fullmatch(pattern, self.path)
                if found and method == self.command:
                    payload = json.loads(raw) if raw else None
                    status, body = getattr(self, name)(*found.groups(), payload=payload)
                    return self.send(status, body)
            raise Problem(404, 'not found')
        except Problem as problem:
            return self.send(problem.status, problem.body)
        except (ValueError, KeyError, TypeError) as error:
            return self.send(400, {'error': f'bad request: {error}'})

    do_GET = do_POST = do_DELETE = dispatch

    def send(self, status, body):
        content = json.dumps(body, indent=2).encode() if body is not None else b''
        self.send_response(status)
        if content:
            self.send_header('Content-Type', 'application/json; charset=utf-8')
        if status != 204:
            self.send_header('Content-Length', str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format, *args):  # the access log is somebody else's
        pass


def call(method, url, payload=None, headers=None):
    """The status and the JSON body of a reply, whatever the status is."""
    data = None if payload is None else json.dumps(payload).encode()
    request = urllib.request.Request(url, data=data, method=method, headers=headers or {})
    if data is not None:
        request.add_header('Content-Type', 'application/json')
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            status, content = reply.status, reply.read()
    except urllib.error.HTTPError as error:
        status, content = error.code, error.read()
    return status, json.loads(content) if content else None


def options(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('--port', type=int, required=True)
    parser.add_argument('--bug', default='', help='behave wrongly in this way')
    return parser


def serve(handler, port):
    server = ThreadingHTTPServer(('127.0.0.1', port), handler)
    server.daemon_threads = True
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
