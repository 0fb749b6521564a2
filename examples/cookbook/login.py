#!/usr/bin/env python3
"""Logs clients in by challenge and response, as login.treaty describes it."""
import hashlib
import secrets

import serving

SECRET = 'open sesame'
options = serving.options(__doc__, 'repeats')


def talk(stream):
    nonce = ''
    for word, *rest in serving.words(stream):
        if word == 'HELLO':
            nonce = '0123456789abcdef' if options.bug == 'repeats' else secrets.token_hex(16)
            serving.send(stream, f'CHALLENGE {nonce}\n')
            continue
        right = hashlib.sha256((nonce + SECRET).encode()).hexdigest()
        serving.send(stream, 'WELCOME\n' if rest == [right] else 'DENIED\n')


serving.serve(options.port, talk)
