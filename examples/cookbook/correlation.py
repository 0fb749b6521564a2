#!/usr/bin/env python3
"""Squares numbers, in a thread per request, as correlation.treaty describes it."""
import json
import threading

import serving

options = serving.options(__doc__, 'cache')


def talk(stream):
    lock, answers = threading.Lock(), {}

    def work(request):
        number, n = request['id'], request['n']
        answer = {'id': number, 'square': n * n}
        with lock:
            if options.bug == 'cache':  # the bug: what is kept for a number includes the id of the first request
                answer = answers.setdefault(n, answer)
            serving.send(stream, json.dumps(answer) + '\n')

    for line in stream:
        threading.Thread(target=work, args=[json.loads(line)], daemon=True).start()


serving.serve(options.port, talk)
