#!/usr/bin/env python3
"""Notes over HTTP, as rest.treaty describes them."""
import itertools
import json
import re

import serving

options = serving.options(__doc__, 'undead')
notes = {}
numbers = itertools.count(1)


def answer(method, path, headers, body):
    if (method, path) == ('POST', '/notes'):
        number = next(numbers)
        notes[number] = json.loads(body)['text']
        return 201, {'id': number}
    found = re.fullmatch(r'/notes/(\d+)', path)
    number = int(found[1]) if found else 0
    if number not in notes:
        return 404, {'error': 'not found'}
    if method == 'GET':
        return 200, {'text': notes[number]}
    if options.bug != 'undead':
        del notes[number]
    return 204, None


serving.serve_http(options.port, answer)
