#!/usr/bin/env python3
"""An echo server over lines. usage: server.py PORT [--bug empty|case|crash|silent|late]

Each bug is one a real server might have: a wrong answer to the empty line, letters changed, a crash after the
second line, no answer at all, or a stray line after the client has gone quiet.
"""
import socketserver
import sys

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""


class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        for count, line in enumerate(self.rfile):
            text = line.rstrip(b"\n")
            if bug == "crash" and count == 1:
                raise RuntimeError("the second line was too much")
            if bug == "silent" and count == 1:
                continue
            if bug == "empty" and text == b"":
                text = b"BUG!"
            if bug == "case":
                text = text.upper()
            self.wfile.write(text + b"\n")
        if bug == "late":
            self.wfile.write(b"one more thing\n")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


with Server(("127.0.0.1", int(sys.argv[1])), Echo) as server:
    server.serve_forever()
