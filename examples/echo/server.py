#!/usr/bin/env python3
"""An echo server over lines. usage: server.py PORT [--bug NAME [--at N]]

Each bug is one a real server might have, at the first line or at the N-th: empty: a wrong answer to the empty line;
case: letters changed; type: a line of its own before the answer; silent: no answer from there on; exception: ends
with one instead of answering; end: the same after the client has gone; late: a stray line then.
"""
import socketserver
import sys
import time

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""
at = int(sys.argv[sys.argv.index("--at") + 1]) if "--at" in sys.argv else 1


class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        for count, line in enumerate(self.rfile, 1):
            text = line.rstrip(b"\n")
            if bug == "exception" and count == at:
                raise RuntimeError(f"line {count} was too much")
            if bug == "silent" and count == at:
                time.sleep(3600)
            if bug == "type" and count == at:
                self.wfile.write(b"you said:\n")
            if bug == "empty" and text == b"":
                text = b"BUG!"
            if bug == "case":
                text = text.upper()
            self.wfile.write(text + b"\n")
        if bug == "late":
            self.wfile.write(b"one more thing\n")
        if bug == "end":
            raise RuntimeError("nobody is there")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


with Server(("127.0.0.1", int(sys.argv[1])), Echo) as server:
    server.serve_forever()
