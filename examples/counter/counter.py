#!/usr/bin/env python3
"""The counter as a program that treaty can test: an event a line, over standard input and output or over TCP.

    counter.py [--up-to N] [--fault KIND] [--unix PATH] [--tcp COMMAND...]

With --tcp it listens on a free port of this machine and runs COMMAND, in which {port} stands for the port, then exits
as COMMAND does; with --unix as well it listens there instead; every connection is a counter of its own. Faults: `die` and `hang` at the second add, `odd` answers it
with an event that nobody has, `moody` counts one further in every second run, `stop` says that it has ended at N.
"""
import argparse
import itertools
import os
import socketserver
import subprocess
import sys
import threading


def answer(event, count, limit, fault):
    """What the counter says to one offered event, and how far it has counted then."""
    if event == "add" and count < limit:
        if fault == "odd" and count == 1:
            return "accept multiply", count
        return "accept add", count + 1
    if event == "sub" and count > 0:
        return "accept sub", count - 1
    return "refuse", count


def converse(read, write, limit, fault):
    """One counter, until nobody asks any more."""
    count = 0
    for line in read:
        word, *offered = line.split()
        if word == "reset":
            count = 0
            write("ready\n")
            continue
        if fault == "die" and count == 1 and offered == ["add"]:
            return
        if fault == "hang" and count == 1 and offered == ["add"]:
            for _ in read:
                pass
            return
        if fault == "stop" and count == limit:
            write("end\n")
            continue
        said = "refuse"
        for event in offered:
            said, count = answer(event, count, limit, fault)
            if said != "refuse":
                break
        write(said + "\n")


def serve(options):
    runs = itertools.count()

    class Connection(socketserver.StreamRequestHandler):
        def handle(self):
            more = 1 if options.fault == "moody" and next(runs) % 2 == 1 else 0

            def write(text):
                self.wfile.write(text.encode())

            try:
                converse((line.decode() for line in self.rfile), write, options.up_to + more, options.fault)
            except ConnectionError:
                pass  # the tester has seen enough

    class Server(socketserver.ThreadingUnixStreamServer if options.unix else socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server(options.unix or ("127.0.0.1", 0), Connection) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = options.unix or str(server.server_address[1])
        status = subprocess.run([word.replace("{port}", port) for word in options.tcp], check=False).returncode
        sys.stdout.flush()
        os._exit(status)  # without closing connections that hang


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--up-to", type=int, default=2)
    parser.add_argument("--fault", choices=["die", "hang", "odd", "moody", "stop"])
    parser.add_argument("--unix")
    parser.add_argument("--tcp", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.tcp:
        serve(options)

    def write(text):
        sys.stdout.write(text)
        sys.stdout.flush()

    try:
        converse(sys.stdin, write, options.up_to, options.fault)
    except BrokenPipeError:
        os._exit(0)


main()
