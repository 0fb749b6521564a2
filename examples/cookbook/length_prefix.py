#!/usr/bin/env python3
"""Sends messages back in capitals, as length_prefix.treaty describes them."""
import serving

options = serving.options(__doc__, 'end')


def talk(stream):
    while len(head := stream.read(4)) == 4:
        size = int.from_bytes(head, 'big')
        message = stream.read(size)
        if len(message) < size and options.bug != 'end' or message[:1] != b's':
            return  # the input has ended in the middle of a message, or it is not one
        text = bytes(b - 32 if b'a'[0] <= b <= b'z'[0] else b for b in message[1:])
        serving.send(stream, (1 + len(text)).to_bytes(4, 'big') + b'e' + text)


serving.serve(options.port, talk)
