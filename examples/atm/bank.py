#!/usr/bin/env python3
"""The bank of the cash machine: a JSON document a line on standard input and output.

usage: bank.py [--bug never-deny|swap|crash|silent|wrong]

It denies every third request, so that both answers occur. never-deny: it does not (which the protocol allows);
swap: a withdrawal is answered with granted; crash: ends with an exception at a request for the balance; silent: does
not answer a withdrawal; wrong: names a message that does not exist.
"""
import json
import random
import sys

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""


def say(message):
    print(json.dumps({"message": message}), flush=True)


def decide(yes, no):
    say(yes if bug == "never-deny" or random.random() < 0.67 else no)


for line in sys.stdin:
    kind = json.loads(line)["message"]
    if kind == "authReq":
        decide("granted", "denied")
    elif kind == "authWithdrawal":
        if bug == "silent":
            continue
        if bug in ("swap", "wrong"):
            say("granted" if bug == "swap" else "perhaps")
        else:
            decide("allow", "deny")
    elif kind == "getBalance":
        if bug == "crash":
            raise RuntimeError("no balance")
        say("balance")
    elif kind == "quit":
        break
