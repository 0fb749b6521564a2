"""What codecs that `treaty generate` writes for Python need at run time, beside treaty_runtime.

A message is written as bytes, and read from the front of bytes.
"""
from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import treaty_runtime as rt

MESSAGE_LIMIT = 16 << 20  # bytes of a message
ITEM_LIMIT = 1_000_000  # rounds of repetitions, in a message


class CodecError(rt.Error):
    """The bytes of a message cannot be written: they could not be read back."""


class Malformed(rt.Error):
    """These bytes are no message."""

    def __init__(self, at: int) -> None:
        super().__init__(f"no message goes on like this at byte {at}")
        self.at = at  # how far any layout fits


class More(Exception):
    """Bytes are missing."""


def raw(text: str | bytes) -> bytes:
    return rt.to_bytes(text) if isinstance(text, str) else text


def masked(text: bytes, key: bytes) -> bytes:
    return bytes(b ^ key[i % len(key)] for i, b in enumerate(text)) if key else text


class Writer:
    """Writes a message."""

    def __init__(self, prefix: int) -> None:
        self._prefix = prefix
        self._out = bytearray()
        self._partial = 0
        self._filled = 0

    def literal(self, text: builtins.bytes) -> None:
        self._out += text

    def bits(self, n: int, width: int, what: str, little: bool = False) -> None:
        if not 0 <= n < 1 << min(width, 63):
            raise CodecError(what + " does not fit into its bits")
        if self._filled == 0 and width % 8 == 0:
            self._out += n.to_bytes(width // 8, "little" if little else "big")
            return
        for left in range(width - 1, -1, -1):
            self._partial = self._partial << 1 | n >> left & 1
            self._filled += 1
            if self._filled == 8:
                self._out.append(self._partial)
                self._partial = self._filled = 0

    def varint(self, n: int, most_bytes: int, what: str) -> None:
        if not 0 <= n < 1 << min(7 * most_bytes, 63):
            raise CodecError(what + " does not fit into its bytes")
        self._out += self._varint(n)

    def decimal(self, n: int, end: builtins.bytes) -> None:
        self._out += str(n).encode() + end

    def line(self, text: builtins.bytes, end: builtins.bytes, what: str) -> None:
        if (text + end).find(end) != len(text):
            raise CodecError(what + " contains its own terminator")
        self._out += text + end

    def bytes(self, text: builtins.bytes, size: int, what: str) -> None:
        self.sized(text, size, what)
        self._out += text

    def sized(self, text: builtins.bytes, size: int, what: str) -> None:
        if len(text) != size:
            raise CodecError(what + " does not have the size that the layout has room for")

    def rest(self, text: builtins.bytes) -> None:
        self._out += text

    def masked(self, text: builtins.bytes, key: builtins.bytes) -> None:
        self._out += masked(text, key)

    def zeros(self, size: int) -> None:
        if not 0 <= size <= MESSAGE_LIMIT:
            raise CodecError("the message is too long")
        self._out += b"\0" * size

    def check(self, holds: bool, what: str) -> None:
        if not holds:
            raise CodecError(what)

    def count(self, n: int) -> int:
        if not 0 <= n <= ITEM_LIMIT:
            raise CodecError("a count of the layout cannot be written")
        return n

    def open(self, width: int) -> int:
        """A block: its length is written when it is complete. width: bits, or 0 for a varint."""
        return len(self._out)

    def close(self, begin: int, width: int, little: bool) -> None:
        self._whole_bytes()
        n = len(self._out) - begin
        if n >= 1 << (28 if width == 0 else min(width, 63)):
            raise CodecError("the block is too long for its length")
        length = self._varint(n) if width == 0 else n.to_bytes(width // 8, "little" if little else "big")
        self._out[begin:begin] = length

    def done(self) -> builtins.bytes:
        self._whole_bytes()
        n = len(self._out)
        if n + self._prefix > MESSAGE_LIMIT or (self._prefix and n >> 8 * self._prefix):
            raise CodecError("the message is too long")
        return (n.to_bytes(self._prefix, "big") if self._prefix else b"") + builtins.bytes(self._out)

    def _whole_bytes(self) -> None:
        if self._filled:
            raise CodecError("the bits do not fill whole bytes")

    @staticmethod
    def _varint(n: int) -> builtins.bytes:
        out = bytearray()
        while n > 0x7F:
            out.append(n & 0x7F | 0x80)
            n >>= 7
        return builtins.bytes(out) + builtins.bytes([n])


class Reader:
    """Reads the parts of a message. whole: the message must be all of the bytes."""

    def __init__(self, data: builtins.bytes, whole: bool) -> None:
        self._data = data
        self._limit = len(data) if whole else None
        self._whole = whole
        self.at = 0
        self._bit = 0
        self._rounds = 0

    def literal(self, text: builtins.bytes) -> None:
        there = self._data[self.at : self.at + len(text)]
        for k, byte in enumerate(there):
            if byte != text[k]:
                raise Malformed(self.at + k)
        self._have(len(text))
        self.at += len(text)

    def bits(self, width: int, little: bool = False) -> int:
        begin = self.at * 8 + self._bit
        end = begin + width
        last = (end + 7) // 8
        if last > self.at:
            self._have(last - self.at)
        part = self._data[self.at : last]
        if self._bit == 0 and width % 8 == 0:
            n = int.from_bytes(part, "little" if little else "big")
        else:
            n = int.from_bytes(part, "big") >> (last * 8 - end) & (1 << width) - 1
        self.at, self._bit = divmod(end, 8)
        return self._signed(n, begin // 8)

    def varint(self, most_bytes: int) -> int:
        begin, n = self.at, 0
        for k in range(most_bytes):
            self._have(1)
            byte = self._data[self.at]
            self.at += 1
            n |= (byte & 0x7F) << 7 * k
            if byte & 0x80:
                continue
            if byte == 0 and k > 0:
                raise Malformed(self.at - 1)
            return self._signed(n, begin)
        raise Malformed(self.at - 1)

    def decimal(self, end: builtins.bytes) -> int:
        begin = k = self.at
        if self._data[k : k + 1] == b"-":
            k += 1
        while k < len(self._data) and 0x30 <= self._data[k] <= 0x39:
            k += 1
        if k - begin > 20:
            raise Malformed(begin)
        after = self._data[k : k + len(end)]
        if after and not end.startswith(after):
            raise Malformed(k)
        text = self.line(end)
        digits = text[1:] if text[:1] == b"-" else text
        if not digits.isdigit() or (digits[:1] == b"0" and text != b"0"):
            raise Malformed(begin)
        n = int(text)
        if not -(2**63) <= n < 2**63:
            raise Malformed(begin)
        return n

    def line(self, end: builtins.bytes) -> builtins.bytes:
        found = self._data.find(end, self.at)
        if self._limit is not None and (found < 0 or found + len(end) > self._limit) and len(self._data) >= self._limit:
            raise Malformed(self._limit)
        if found < 0 and len(self._data) - self.at <= MESSAGE_LIMIT:
            raise More
        if found < 0 or found + len(end) > MESSAGE_LIMIT:
            raise Malformed(self.at)
        text = self._data[self.at : found]
        self.at = found + len(end)
        return text

    def bytes(self, size: int) -> builtins.bytes:
        if size < 0:
            raise Malformed(self.at)
        self._have(size)
        self.at += size
        return self._data[self.at - size : self.at]

    def rest(self) -> builtins.bytes:
        """To the end of the block."""
        if self._limit is None:
            raise Malformed(self.at)
        return self.bytes(self._limit - self.at)

    def ranged(self, n: int, low: int, high: int) -> int:
        if not low <= n <= high:
            raise Malformed(self.at)
        return n

    def check(self, holds: bool) -> None:
        if not holds:
            raise Malformed(self.at)

    def rounds(self, count: int | None = None) -> Iterator[None]:
        """As often as the count says; without a count, to the end of the block."""
        if (count is None and self._limit is None) or (count is not None and not 0 <= count <= ITEM_LIMIT):
            raise Malformed(self.at)
        while self.at < self._limit if count is None and self._limit is not None else count:
            begin = self.at
            self._rounds += 1
            self.check(self._rounds <= ITEM_LIMIT)
            yield
            if count is None:
                self.check(self.at > begin)
            else:
                count -= 1

    def open(self, width: int, little: bool) -> int | None:
        """A block: gives the end of the one around it, for close(). width: bits of its length, or 0 for a varint."""
        outer = self._limit
        n = self.varint(4) if width == 0 else self.bits(width, little)
        self._have(n)
        self._limit = self.at + n
        return outer

    def close(self, outer: int | None) -> None:
        self.check(self.at == self._limit)
        self._limit = outer

    def done(self) -> None:
        self.check(self.at == self._limit if self._whole else self.at > 0)

    def _have(self, n: int) -> None:
        if self._limit is not None and n > self._limit - self.at:
            raise Malformed(self._limit)
        if self.at + n > MESSAGE_LIMIT:
            raise Malformed(self.at)
        if self.at + n > len(self._data):
            raise More

    def _signed(self, n: int, at: int) -> int:
        if n >= 2**63:
            raise Malformed(at)
        return n


@dataclass(frozen=True, slots=True)
class Decoded:
    message: rt.Message
    size: int  # in bytes
    condition_holds: bool  # the message's `where`; false only if no message fits whose does


Layout = Callable[[Reader], tuple[rt.Message, bool]]


def decode(data: bytes, ended: bool, prefix: int, layouts: Sequence[Layout]) -> Decoded | None:
    """The first message, in the order of the file, that fits and whose condition holds; if there is none, the first that fits."""
    if not data:
        return None
    whole, body = prefix > 0, data
    if whole:
        length = int.from_bytes(data[:prefix], "big")
        if len(data) >= prefix and length > MESSAGE_LIMIT:
            raise Malformed(0)
        body = data[prefix : prefix + length]
        if len(data) < prefix + length or len(data) < prefix:
            if ended:
                raise Malformed(len(data))
            return None
    fitting: Decoded | None = None
    reached = 0
    for layout in layouts:
        reader = Reader(body, whole)
        try:
            message, holds = layout(reader)
        except Malformed as fault:
            reached = builtins.max(reached, fault.at)
        except rt.NoValue:
            reached = builtins.max(reached, reader.at)
        except More:
            if not ended and len(body) < MESSAGE_LIMIT:
                return None
            reached = len(body)
        else:
            decoded = Decoded(message, prefix + reader.at, holds)
            if holds:
                return decoded
            fitting = fitting or decoded
    if fitting is None:
        raise Malformed(prefix + reached)
    return fitting
