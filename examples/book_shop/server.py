#!/usr/bin/env python3
"""The book shop's server: a JSON document a line on standard input and output.

usage: server.py [--bug NAME [--at N]]

negative: books below zero are not put into the basket; second: a book is not put into a basket that holds one
already; payload: the basket comes as text; type: a request is answered with an empty stop. At the first message or at
the N-th: silent: no answer from there on; exception: ends with one. end: ends with one after the last message.
"""
import json
import sys
import time

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""
at = int(sys.argv[sys.argv.index("--at") + 1]) if "--at" in sys.argv else 1
books = []
for count, line in enumerate(sys.stdin, 1):
    message = json.loads(line)
    kind = message["message"]
    if bug == "exception" and count == at:
        raise RuntimeError(f"message {count} was too much")
    if bug == "silent" and count >= at:
        time.sleep(3600)
    if kind == "buy":
        lost = (bug == "negative" and message["book"] < 0) or (bug == "second" and books)
        if not lost:
            books.append(message["book"])
    elif kind == "request":
        answer = {"message": "basket", "books": str(books) if bug == "payload" else books}
        print(json.dumps({"message": "stop"} if bug == "type" else answer), flush=True)
    elif kind == "stop":
        break
if bug == "end":
    raise RuntimeError("the shop is closed")
