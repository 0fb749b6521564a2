#!/usr/bin/python3
"""A session of Debian's python3-redis with whatever server it is given: what it stores it gets back.

usage: client.py PORT
"""
import sys

import redis

link = redis.Redis("127.0.0.1", int(sys.argv[1]), single_connection_client=True)


def raw(*words):
    """A command and its reply as they are; the library makes transactions on a connection of their own."""
    link.connection.send_command(*words)
    return link.connection.read_response()


link.flushall()
link.set("s", "hello")
assert link.get("s") == b"hello"
assert link.append("s", b"\r\n\0\xff") == 9
assert link.strlen("s") == 9
assert link.type("s") == b"string"
assert link.delete("s") == 1
assert link.rpush("s", "one") == 1
assert link.lpush("s", "zero") == 2
assert link.lrange("s", 0, -1) == [b"zero", b"one"]
assert link.lindex("s", -1) == b"one"
assert link.lpop("s") == b"zero"
assert link.rpop("s") == b"one"
assert link.llen("s") == 0
assert link.get("n") is None
assert link.incrby("n", 41) == 41
link.set("n", -7)
assert link.execute_command("GET", "n") == b"-7"
assert raw("MULTI") == b"OK"
assert raw("INCRBY", "n", 3) == b"QUEUED"
assert raw("GET", "n") == b"QUEUED"
assert raw("EXEC") == [-4, b"-4"]
assert raw("SUBSCRIBE", "news") == [b"subscribe", b"news", 1]
assert raw("PING") == [b"pong", b""]
assert raw("UNSUBSCRIBE", "news") == [b"unsubscribe", b"news", 0]
assert link.ping()
link.execute_command("QUIT")
