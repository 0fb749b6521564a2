#!/usr/bin/env python3
"""Answers questions in time, as timeout.treaty describes it."""
import json

import serving

options = serving.options(__doc__, 'silent')


def talk(stream):
    for line in stream:
        n = json.loads(line)['n']
        if options.bug == 'silent' and n < 0:
            continue
        reply = {'message': 'busy'} if n > 1000 else {'message': 'answer', 'n': n + 1}
        serving.send(stream, json.dumps(reply) + '\n')


serving.serve(options.port, talk)
