"""Transports for generated code in Python: peers at streams of bytes, with a codec that `treaty generate --codec` writes.

A stream is a socket, or standard input and output (Stdio); socket.socketpair() gives two in memory.
"""
from __future__ import annotations

import os
import select
from collections.abc import Mapping
from typing import Protocol

import treaty_codec as tc
import treaty_runtime as rt


class Stream(Protocol):
    """What is needed of a socket."""

    def fileno(self) -> int: ...
    def recv(self, size: int, /) -> bytes: ...
    def sendall(self, data: bytes, /) -> None: ...
    def close(self) -> None: ...


class Codec(Protocol):
    """A module that treaty generate --codec has written."""

    def encode(self, m: rt.Message) -> bytes: ...
    def decode(self, data: bytes, ended: bool = False) -> tc.Decoded | None: ...


class Stdio:
    """Standard input and output as a stream."""

    def fileno(self) -> int:
        return 0

    def recv(self, size: int, /) -> bytes:
        return os.read(0, size)

    def sendall(self, data: bytes, /) -> None:
        while data:
            data = data[os.write(1, data) :]

    def close(self) -> None:
        os.close(1)


class Streams(rt.Link):
    """A link whose peers are at streams of bytes."""

    def __init__(self, codec: Codec, peers: Mapping[str, Stream]) -> None:
        self._codec = codec
        self._peers = dict(peers)
        self._buffers = dict.fromkeys(peers, b"")
        self._ended: set[str] = set()
        self._closed = False

    def send(self, to: str, message: rt.Message) -> None:
        data = self._codec.encode(message)
        try:
            self._peers[to].sendall(data)
        except OSError as error:
            raise rt.ConnectionClosed(f"cannot send to {to}: {error}") from error

    def receive(self, awaited: rt.Awaited) -> tuple[str, rt.Message] | None:
        while True:
            undecided: list[str] = []
            wrong: tuple[str, tc.Decoded] | None = None
            for peer in dict.fromkeys(peer for peer, _ in awaited):
                decoded = self._codec.decode(self._buffers[peer], peer in self._ended)
                if decoded is None:
                    undecided += [] if peer in self._ended else [peer]
                elif any(p == peer and isinstance(decoded.message, kind) for p, kind in awaited):
                    return self._take(peer, decoded)
                else:
                    wrong = peer, decoded
            if not undecided:
                return self._take(*wrong) if wrong else None
            self._wait(undecided)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            for stream in self._peers.values():
                stream.close()

    def _take(self, peer: str, decoded: tc.Decoded) -> tuple[str, rt.Message]:
        self._buffers[peer] = self._buffers[peer][decoded.size :]
        return peer, decoded.message

    def _wait(self, peers: list[str]) -> None:
        """Until bytes of one of them have come, or it has closed its side."""
        ready, _, _ = select.select([self._peers[p].fileno() for p in peers], [], [])
        for peer in peers:
            if self._peers[peer].fileno() not in ready:
                continue
            try:
                data = self._peers[peer].recv(65536)
            except OSError:
                data = b""
            self._buffers[peer] += data
            if not data:
                self._ended.add(peer)
