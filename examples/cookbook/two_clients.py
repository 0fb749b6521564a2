#!/usr/bin/env python3
"""Seats for several clients, as two_clients.treaty describes them."""
import threading

import serving

options = serving.options(__doc__, 'own')
shared, lock = set(), threading.Lock()


def talk(stream):
    taken = set() if options.bug == 'own' else shared  # the bug: each connection has seats of its own
    for word, *rest in serving.words(stream):
        if word == 'BYE':
            return
        seat = rest[0]
        with lock:
            free = seat not in taken
            taken.add(seat)
        serving.send(stream, f'{"BOOKED" if free else "TAKEN"} {seat}\n')


serving.serve(options.port, talk)
