#!/usr/bin/env python3
"""The receiver of numbered pieces, as window.treaty describes it."""
import json

import serving

WINDOW = 4
options = serving.options(__doc__, 'twice')


def talk(stream):
    pieces, following, text = {}, 0, ''
    for line in stream:
        message = json.loads(line)
        if 'number' in message:
            number = message['number']
            if number >= following or options.bug == 'twice':
                pieces[number] = message['text']
            while following in pieces:
                text += pieces.pop(following)
                following += 1
            if options.bug == 'twice' and number < following and number in pieces:  # the bug: a piece that comes again is added again
                text += pieces.pop(number)
        elif 'poll' in message:
            missing = [n for n in range(following, following + WINDOW) if n not in pieces]
            serving.send(stream, json.dumps({'next': following, 'missing': missing}) + '\n')
        else:
            serving.send(stream, json.dumps({'delivered': text}) + '\n')


serving.serve(options.port, talk)
