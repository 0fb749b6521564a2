#!/usr/bin/env python3
"""A small mail client: sends one mail and quits.

usage: client.py PORT [--bug NAME [--at N]]

hasty: sends a line of the mail before DATA; rude: leaves without QUIT; type: names a recipient before the sender;
payload: the sender without brackets. At the first answer or at the N-th: silent: says nothing any more; exception:
ends with one. end: ends with one after the last message.
"""
import socket
import sys
import time

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""
at = int(sys.argv[sys.argv.index("--at") + 1]) if "--at" in sys.argv else 1
answers = 0

with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as link:
    lines = link.makefile("rwb")

    def read():
        global answers
        answers += 1
        lines.readline()
        if bug == "exception" and answers == at:
            raise RuntimeError(f"answer {answers} was too much")
        if bug == "silent" and answers == at:
            time.sleep(3600)

    def say(text):
        lines.write(text.encode() + b"\r\n")
        lines.flush()

    read()
    say("HELO localhost")
    read()
    if bug == "type":
        say("RCPT TO:<you@localhost>")
        read()
    say("MAIL FROM:me@localhost" if bug == "payload" else "MAIL FROM:<me@localhost>")
    read()
    say("RCPT TO:<you@localhost>")
    read()
    if bug == "hasty":
        say("hello")
    say("DATA")
    read()
    say("hello")
    say(".")
    read()
    if bug != "rude":
        say("QUIT")
        read()
if bug == "end":
    raise RuntimeError("nothing is left to do")
