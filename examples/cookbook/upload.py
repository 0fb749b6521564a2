#!/usr/bin/env python3
"""Takes files in chunks, as upload.treaty describes it."""
import hashlib
import itertools

import serving

options = serving.options(__doc__, 'overlap')
files, numbers = {}, itertools.count(1)


def answer(method, path, headers, body):
    if method == 'POST':
        name = f'f{next(numbers)}'
        files[name] = b''
        return 201, {'id': name}
    name = path.split('/')[2]
    if method == 'GET':
        return 200, {'sha256': hashlib.sha256(files[name]).hexdigest()}
    offset, size = int(headers['Upload-Offset']), len(files[name])
    if offset > size if options.bug == 'overlap' else offset != size:
        return 409, None, {'Upload-Offset': size}
    files[name] = files[name][:offset] + body
    return 204, None, {'Upload-Offset': len(files[name])}


serving.serve_http(options.port, answer)
