"""Lamps that are dimmed by messages, as lights.yaml describes them, behind a bridge on standard input and output.

    python3 service.py [--bug]

A message is one JSON object with its channel, headers and payload. With --bug, every answer has the id of the first command.
"""
import json
import os
import sys


def documents():
    """The JSON documents of standard input, as they come."""
    decoder = json.JSONDecoder()
    text = ''
    while True:
        data = os.read(0, 65536)
        if not data:
            return
        text = (text + data.decode()).lstrip()
        while text:
            try:
                document, end = decoder.raw_decode(text)
            except json.JSONDecodeError:
                break
            yield document
            text = text[end:].lstrip()


def main():
    first = None
    for message in documents():
        number = message['headers']['id']
        first = first or number
        answer = {'channel': 'lights/answers', 'headers': {'re': first if '--bug' in sys.argv else number}, 'payload': message['payload']}
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
