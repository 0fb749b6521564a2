#!/usr/bin/env python3
"""A store of texts and counters over lines. usage: server.py PORT [--bug NAME]

Each bug shows only at a boundary: append: an append that brings a text to a length that is a power of two, at least 64,
loses its last byte; wrap: a counter has 32 bits; case: names that differ only in case are the same.
"""
import socketserver
import sys

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""


def name(key):
    return key.lower() if bug == "case" else key


def appended(text, more):
    text += more
    full = len(text) >= 64 and len(text) & (len(text) - 1) == 0
    return text[:-1] if bug == "append" and more and full else text


def added(count, by):
    count += by
    return (count + 2**31) % 2**32 - 2**31 if bug == "wrap" else count


class Store(socketserver.StreamRequestHandler):
    def setup(self):
        super().setup()
        self.texts, self.counts = {}, {}

    def answer(self, command, key="", data=""):
        key = name(key)
        if command == "CLEAR":
            self.texts, self.counts = {}, {}
        elif command == "SET":
            self.texts[key] = data
        elif command == "GET":
            return "TEXT " + self.texts.get(key, "")
        elif command == "APPEND":
            self.texts[key] = appended(self.texts.get(key, ""), data)
            return f"SIZE {len(self.texts[key])}"
        elif command == "ADD":
            self.counts[key] = added(self.counts.get(key, 0), int(data))
            return f"COUNT {self.counts[key]}"
        return "OK"

    def handle(self):
        for line in self.rfile:
            self.wfile.write((self.answer(*line.decode().rstrip("\n").split(" ")) + "\n").encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


with Server(("127.0.0.1", int(sys.argv[1])), Store) as server:
    server.serve_forever()
