"""A small service that its OpenAPI document describes, with Python's standard library only.

    python3 service.py --port 8080 [--bug weight|status]

Each bug breaks one promise of petstore.yaml: `weight` rounds light pets to a weight of 0, `status` answers 500 when a pet is removed a second time.
"""
import argparse
import http.server
import json
import urllib.parse


class Store:
    def __init__(self, bug):
        self.bug = bug
        self.pets = {}
        self.last = 0

    def add(self, pet):
        self.last += 1
        pet = {'id': self.last} | {k: v for k, v in pet.items() if v is not None}
        if self.bug == 'weight' and pet.get('weight', 10) < 10:
            pet['weight'] = 0
        self.pets[self.last] = pet
        return 201, pet

    def list(self, query):
        kind = query.get('kind', [None])[0]
        found = [p for p in self.pets.values() if kind in (None, p['kind'])]
        return 200, {'pets': found[:int(query.get('limit', ['50'])[0])], 'total': len(found)}

    def get(self, number):
        if number not in self.pets:
            return 404, {'code': 404, 'message': f'no pet {number}'}
        return 200, self.pets[number]

    def remove(self, number):
        if number not in self.pets:
            if self.bug == 'status':
                return 500, {'code': 500, 'message': 'key error'}
            return self.get(number)
        del self.pets[number]
        return 204, None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def answer(self, status, body):
        data = b'' if body is None else json.dumps(body).encode()
        self.send_response(status)
        if body is not None:
            self.send_header('Content-Type', 'application/json')
        if status != 204:
            self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def route(self):
        url = urllib.parse.urlsplit(self.path)
        parts = url.path.strip('/').split('/')
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        store = self.server.store
        if parts == ['api', 'pets'] and self.command == 'GET':
            return store.list(urllib.parse.parse_qs(url.query))
        if parts == ['api', 'pets'] and self.command == 'POST':
            return store.add(json.loads(body))
        if parts[:2] == ['api', 'pets'] and len(parts) == 3 and self.command in ('GET', 'DELETE'):
            return (store.get if self.command == 'GET' else store.remove)(int(parts[2]))
        return 404, {'code': 404, 'message': 'no such page'}

    def do_GET(self):
        self.answer(*self.route())

    do_POST = do_DELETE = do_GET

    def log_message(self, *_):
        pass


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument('--port', type=int, required=True)
    arguments.add_argument('--bug', choices=['weight', 'status'])
    options = arguments.parse_args()
    server = http.server.ThreadingHTTPServer(('127.0.0.1', options.port), Handler)
    server.store = Store(options.bug)
    server.serve_forever()


if __name__ == '__main__':
    main()
