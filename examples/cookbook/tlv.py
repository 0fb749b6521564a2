#!/usr/bin/env python3
"""Accepts the options that it knows, as tlv.treaty describes them."""
import serving

KNOWN = {1, 3, 6}
options = serving.options(__doc__, 'skip')


def talk(stream):
    while head := stream.read(3):
        block = stream.read(int.from_bytes(head[1:], 'big'))
        accepted, at = b'', 0
        while at + 1 < len(block):
            kind, size = block[at], block[at + 1]
            if kind in KNOWN:
                accepted += bytes([kind])
            elif options.bug == 'skip':
                size = 0  # the bug: takes the value of an unknown option for further options
            at += 2 + size
        serving.send(stream, b'\x02' + len(accepted).to_bytes(2, 'big') + accepted)


serving.serve(options.port, talk)
