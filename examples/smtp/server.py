#!/usr/bin/env python3
"""A small mail server: the minimal implementation of RFC 821.

usage: server.py PORT [--bug NAME [--at N]]

rset: RSET is answered with an error after MAIL; dot: the end of a mail is not noticed when its first line is empty;
quit: QUIT is not answered; crash: ends with an exception when a mail has no line; type: NOOP is answered with 354;
payload: the greeting names no host. At the first line or at the N-th: silent: no answer from there on; exception:
ends with one. end: ends with one after the client has gone.
"""
import socketserver
import sys
import time

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""
at = int(sys.argv[sys.argv.index("--at") + 1]) if "--at" in sys.argv else 1


class Mail(socketserver.StreamRequestHandler):
    count = 0

    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def read(self):
        line = self.rfile.readline()
        self.count += 1
        if bug == "exception" and self.count == at:
            raise RuntimeError(f"line {self.count} was too much")
        if bug == "silent" and self.count == at:
            time.sleep(3600)
        return None if not line else line.rstrip(b"\r\n").decode("utf-8", "replace")

    def receive_mail(self):
        self.say("354 go on")
        count, first = 0, None
        while (line := self.read()) is not None:
            if line == "." and not (bug == "dot" and first == ""):
                if bug == "crash" and count == 0:
                    raise RuntimeError("a mail without a line")
                break
            first = line if count == 0 else first
            count += 1
        self.say("250 taken")

    def converse(self):
        sender = False
        while (line := self.read()) is not None:
            word = line[:4].upper()
            if word == "NOOP":
                self.say("354 go on" if bug == "type" else "250 fine")
            elif word in ("HELO", "EHLO"):
                self.say("250 fine")
            elif word == "MAIL":
                sender = True
                self.say("250 fine")
            elif word == "RCPT":
                self.say("550 no such user" if "nobody" in line else "250 fine")
            elif word == "DATA":
                self.receive_mail()
                sender = False
            elif word == "RSET":
                self.say("503 not now" if bug == "rset" and sender else "250 fine")
                sender = False
            elif word == "QUIT":
                if bug != "quit":
                    self.say("221 localhost bye")
                return
            else:
                self.say("500 what")

    def handle(self):
        self.say("220 " if bug == "payload" else "220 localhost ready")
        self.converse()
        if bug == "end":
            raise RuntimeError("nobody is there")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


with Server(("127.0.0.1", int(sys.argv[1])), Mail) as server:
    server.serve_forever()
