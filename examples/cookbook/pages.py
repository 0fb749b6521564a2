#!/usr/bin/env python3
"""A list in pages, as pages.treaty describes it."""
from urllib.parse import parse_qs, urlsplit

import serving

ITEMS = ['ant', 'bee', 'cat', 'dog', 'eel', 'fox']
options = serving.options(__doc__, 'last')


def answer(method, path, headers, body):
    query = parse_qs(urlsplit(path).query)
    start = int(query.get('cursor', ['0'])[0])
    end = start + int(query['limit'][0])
    more = end <= len(ITEMS) if options.bug == 'last' else end < len(ITEMS)
    return 200, {'items': ITEMS[start:end], **({'next': end} if more else {})}


serving.serve_http(options.port, answer)
