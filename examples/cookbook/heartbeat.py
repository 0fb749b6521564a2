#!/usr/bin/env python3
"""A node with a heartbeat, as heartbeat.treaty describes it."""
import json
import time

import serving

options = serving.options(__doc__, 'restarts')


def talk(stream):
    number = 1
    serving.send(stream, json.dumps({'message': 'beat', 'number': number}) + '\n')
    for line in stream:
        if json.loads(line)['message'] == 'stop':
            return
        time.sleep(0.01)
        number = 1 if options.bug == 'restarts' and number == 3 else number + 1
        serving.send(stream, json.dumps({'message': 'beat', 'number': number}) + '\n')


serving.serve(options.port, talk)
