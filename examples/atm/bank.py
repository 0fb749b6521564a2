#!/usr/bin/env python3
"""The bank of the cash machine: a JSON document a line on standard input and output.

usage: bank.py [--bug NAME [--at N]]

For account.treaty it decides by the data: one pin in ten is wrong, and half of the amounts are too much. For
atm.treaty, where there is none, it denies a third of what it is asked, by chance. never-deny: it does not (which the
protocol allows); swap, type: a withdrawal is answered with granted; wrong: with a message that does not exist;
payload: pays out one more than was asked for, and tells a balance below zero. At the first message or at the N-th:
silent: no answer from there on; exception: ends with one. end: ends with one after the last message.
"""
import json
import random
import sys
import time

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""
at = int(sys.argv[sys.argv.index("--at") + 1]) if "--at" in sys.argv else 1


def say(message, **data):
    print(json.dumps({"message": message} | data), flush=True)


def agreed(number, limit, least):
    if bug == "never-deny":
        return True
    return random.random() < 0.67 if number is None else number % limit >= least


def withdrawal(amount):
    if bug in ("swap", "type", "wrong"):
        say("perhaps" if bug == "wrong" else "granted")
    elif not agreed(amount, 2, 1):
        say("deny")
    elif amount is None:
        say("allow")
    else:
        say("allow", amount=amount + 1 if bug == "payload" else amount)


with_data = False
for count, line in enumerate(sys.stdin, 1):
    message = json.loads(line)
    kind = message["message"]
    if bug == "exception" and count == at:
        raise RuntimeError(f"message {count} was too much")
    if bug == "silent" and count >= at:
        time.sleep(3600)
    if kind == "authReq":
        with_data = "pin" in message
        say("granted" if agreed(message.get("pin"), 10, 1) else "denied")
    elif kind == "authWithdrawal":
        withdrawal(message.get("amount"))
    elif kind == "getBalance":
        say("balance", **({"amount": -1 if bug == "payload" else 100} if with_data else {}))
    elif kind == "quit":
        break
if bug == "end":
    raise RuntimeError("the bank is closed")
