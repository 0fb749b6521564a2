#!/usr/bin/env python3
"""A cache before an origin, as cache.treaty describes it."""
import socket

import serving

options = serving.options(__doc__, 'boundary', origin='the port of the origin')
origin = socket.create_connection(('127.0.0.1', options.origin)).makefile('rwb')
entries = {}  # for each key the text and the time at which it expires


def talk(stream):
    for _, key, time in serving.words(stream):
        text, end = entries.get(key, ('', -1))
        if not (int(time) <= end if options.bug == 'boundary' else int(time) < end):
            serving.send(origin, f'FETCH {key}\n')
            _, ttl, text = origin.readline().decode().rstrip('\n').split(' ', 2)
            entries[key] = text, int(time) + int(ttl)
        serving.send(stream, f'VALUE {text}\n')


serving.serve(options.port, talk)
