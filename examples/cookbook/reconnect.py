#!/usr/bin/env python3
"""Collects the readings of devices that may connect again, as reconnect.treaty describes it."""
import serving

options = serving.options(__doc__, 'forgets')
stored = {}


def talk(stream):
    device = ''
    for word, *rest in serving.words(stream):
        if word == 'HELLO':
            device = rest[0]
            if options.bug == 'forgets':
                stored[device] = 0
            serving.send(stream, f'WELCOME {stored.setdefault(device, 0)}\n')
        else:
            stored[device] = int(rest[0])
            serving.send(stream, f'STORED {rest[0]}\n')


serving.serve(options.port, talk)
