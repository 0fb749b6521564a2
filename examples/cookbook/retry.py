#!/usr/bin/env python3
"""Takes payments with keys, as retry.treaty describes them."""
import itertools
import json

import serving

options = serving.options(__doc__, 'twice')
receipts, numbers, total = {}, itertools.count(1), 0


def answer(method, path, headers, body):
    global total
    key = headers['Idempotency-Key']
    if key not in receipts or options.bug == 'twice':
        total += json.loads(body)['amount']
        receipts[key] = {'receipt': next(numbers), 'total': total}
    return 201, receipts[key]


serving.serve_http(options.port, answer)
