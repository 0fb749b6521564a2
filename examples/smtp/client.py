#!/usr/bin/env python3
"""A small mail client: sends one mail and quits.

usage: client.py PORT [--bug hasty|rude]

hasty: does not wait for the answer to DATA and sends no DATA at all; rude: leaves without QUIT.
"""
import socket
import sys

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""

with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as link:
    lines = link.makefile("rwb")

    def read():
        return lines.readline().decode().rstrip("\r\n")

    def say(text):
        lines.write(text.encode() + b"\r\n")
        lines.flush()

    read()
    say("HELO localhost")
    read()
    say("MAIL FROM:<me@localhost>")
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
