#!/usr/bin/python3
"""A WebSocket echo server built on Debian's python3-websockets.

usage: server.py PORT [--bug NAME [--at N]]

type: bytes are answered with text; payload: the answer is longer than what was said. At the first message or at the
N-th: silent: no answer, not even to a ping; exception: ends with one. end: ends with one when the connection closes.
"""
import asyncio
import sys
import time

import websockets

bug = sys.argv[sys.argv.index("--bug") + 1] if "--bug" in sys.argv else ""
at = int(sys.argv[sys.argv.index("--at") + 1]) if "--at" in sys.argv else 1


async def echo(socket):
    try:
        await answer_all(socket)
    except websockets.ConnectionClosed:
        pass  # the client left for another reason than the end of the conversation
    if bug == "end":
        raise RuntimeError("nobody is there")


async def answer_all(socket):
    count = 0
    async for message in socket:
        count += 1
        if bug == "exception" and count == at:
            raise RuntimeError(f"message {count} was too much")
        if bug == "silent" and count == at:
            time.sleep(3600)
        answer = message.hex() if bug == "type" else message
        await socket.send(answer + b"!" if bug == "payload" else answer)


async def main():
    async with websockets.serve(echo, "127.0.0.1", int(sys.argv[1]), ping_interval=None, compression=None):
        await asyncio.Future()


asyncio.run(main())
