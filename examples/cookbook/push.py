#!/usr/bin/env python3
"""Sends events by itself until it is stopped, as push.treaty describes it."""
import json
import threading

import serving

options = serving.options(__doc__, 'late')


def talk(stream):
    stop, sent = threading.Event(), 0

    def push():
        nonlocal sent
        while sent < 3 and not stop.is_set():
            sent += 1
            serving.send(stream, json.dumps({'number': sent, 'event': 'tick'}) + '\n')

    stream.readline()
    pushing = threading.Thread(target=push)
    pushing.start()
    if stream.readline():
        stop.set()
        pushing.join()
        serving.send(stream, json.dumps({'stopped': sent}) + '\n')
        if options.bug == 'late':  # the bug: an event after the end
            serving.send(stream, json.dumps({'number': sent + 1, 'event': 'tick'}) + '\n')


serving.serve(options.port, talk)
