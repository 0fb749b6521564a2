#!/usr/bin/env python3
"""A broker of topics, as publish.treaty describes it."""
import threading

import serving

options = serving.options(__doc__, 'prefix')
topics, lock = {}, threading.Lock()  # the topics of each connection


def matches(subscribed, topic):
    return topic.startswith(subscribed) if options.bug == 'prefix' else topic == subscribed


def talk(stream):
    with lock:
        topics[stream] = set()
    try:
        for word, *rest in serving.words(stream):
            if word == 'BYE':
                return
            topic, *text = rest
            with lock:
                if word == 'SUB':
                    topics[stream].add(topic)
                    serving.send(stream, 'OK\n')
                elif word == 'UNSUB':
                    topics[stream].discard(topic)
                    serving.send(stream, 'OK\n')
                else:
                    readers = [r for r, wanted in topics.items() if any(matches(w, topic) for w in wanted)]
                    for reader in readers:
                        serving.send(reader, f'EVENT {topic} {" ".join(text)}\n')
                    serving.send(stream, f'SENT {len(readers)}\n')
    finally:
        with lock:
            del topics[stream]


serving.serve(options.port, talk)
