#!/usr/bin/env python3
"""A small mail server: the minimal implementation of RFC 821.

usage: server.py PORT [--bug rset|dot|quit|crash]

rset: RSET is answered with an error after MAIL; dot: the end of a mail is not noticed when its first line is empty;
quit: QUIT is not answered; crash: ends with an exception when a mail has no line.
"""
import socketserver
import sys

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""


class Mail(socketserver.StreamRequestHandler):
    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def read(self):
        line = self.rfile.readline()
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

    def handle(self):
        self.say("220 localhost ready")
        sender = False
        while (line := self.read()) is not None:
            word = line[:4].upper()
            if word in ("HELO", "EHLO", "NOOP"):
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


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


with Server(("127.0.0.1", int(sys.argv[1])), Mail) as server:
    server.serve_forever()
