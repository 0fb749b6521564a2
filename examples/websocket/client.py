#!/usr/bin/python3
"""A session of the client of Debian's python3-websockets with an echo server: client.py PORT"""
import asyncio
import sys

import websockets


async def main():
    address = f"ws://127.0.0.1:{sys.argv[1]}/"
    async with websockets.connect(address, ping_interval=None, compression=None) as link:
        for said in ("hello", "", "h\u00e4\u20ac\U0001f600\n", b"\x00\xff" * 100, b"x" * 70000):
            await link.send(said)
            assert await link.recv() == said
        await link.send(["in ", "three ", "parts"])
        assert await link.recv() == "in three parts"
        await link.send([b"\x01", b"\x02"])
        assert await link.recv() == b"\x01\x02"
        await (await link.ping(b"are you there"))


asyncio.run(main())
