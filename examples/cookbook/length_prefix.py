#!/usr/bin/env python3
"""Sends messages back in capitals, as length_prefix.treaty describes them."""
import serving

options = serving.options(__doc__, 'pieces')


def read(stream, size):
    if options.bug == 'pieces':
        return stream.read1(size)  # the bug: what is there may be less
    return stream.read(size)


def talk(stream):
    while len(head := read(stream, 4)) == 4:
        size = int.from_bytes(head, 'big')
        message = read(stream, size)
        if len(message) < size or message[:1] != b's':
            return
        text = bytes(b - 32 if b'a'[0] <= b <= b'z'[0] else b for b in message[1:])
        serving.send(stream, (1 + len(text)).to_bytes(4, 'big') + b'e' + text)


serving.serve(options.port, talk)
