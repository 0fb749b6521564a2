#!/usr/bin/env python3
"""A voter, as election.treaty describes it."""
import json

import serving

options = serving.options(__doc__, 'twice')


def talk(stream):
    term, chosen = 0, ''
    for line in stream:
        request = json.loads(line)
        granted = request['term'] > term or request['term'] == term and chosen in ('', request['candidate'])
        if options.bug == 'twice':
            granted = request['term'] >= term
        if granted:
            term, chosen = request['term'], request['candidate']
        serving.send(stream, json.dumps({'term': term, 'granted': granted}) + '\n')


serving.serve(options.port, talk)
