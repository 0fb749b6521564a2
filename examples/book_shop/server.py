#!/usr/bin/env python3
"""The book shop's server: a JSON document a line on standard input and output.

usage: server.py [--bug negative|second|crash|type|silent]

negative: books below zero are not put into the basket; second: a book is not put into a basket that holds one
already; crash: ends with an exception at a request; type: the basket comes as text; silent: no answer to a request.
"""
import json
import sys

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""
books = []
for line in sys.stdin:
    message = json.loads(line)
    kind = message["message"]
    if kind == "buy":
        lost = (bug == "negative" and message["book"] < 0) or (bug == "second" and books)
        if not lost:
            books.append(message["book"])
    elif kind == "request":
        if bug == "crash":
            raise RuntimeError("no basket")
        if bug == "silent":
            continue
        answer = str(books) if bug == "type" else books
        print(json.dumps({"message": "basket", "books": answer}), flush=True)
    elif kind == "stop":
        break
