#!/usr/bin/python3
"""A mail server built on Debian's python3-aiosmtpd; it answers a mail with a digest of what it has got.

usage: aiosmtpd_server.py PORT
"""
import asyncio
import hashlib
import sys

from aiosmtpd.smtp import SMTP


class Digest:
    async def handle_DATA(self, server, session, envelope):
        return f"250 sha256 {hashlib.sha256(envelope.original_content).hexdigest()}"


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Digest(), hostname="localhost", loop=loop), "127.0.0.1", int(sys.argv[1]))
    async with server:
        await server.serve_forever()


asyncio.run(main())
