"""Decodes bytes with a generated codec, and compares what it makes of them with what Treaty makes of them.

    codecs.py NAME CASES

NAME_codec is the module; CASES is a file of JSON lines: the bytes, and the messages with their data, or the names of the messages and the
result for what comes after them. Prints what the bytes are, as codecs.hpp does.
"""
import dataclasses
import importlib
import json
import pathlib
import sys
from typing import Any

import treaty_codec as tc


def as_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [as_json(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, str):
        raw = tc.raw(value)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return {"hex": raw.hex()}
    return value


def data_of(message: Any) -> dict[str, Any]:
    return {f.name: as_json(getattr(message, f.name)) for f in dataclasses.fields(message)}


def name_of(message: Any) -> str:
    return type(message).__name__.rstrip("_")  # added to words of the language


def describe(name: str, codec: Any, data: bytes) -> tuple[list[Any], str, str]:
    """The messages, the result, and all of it in words."""
    messages: list[Any] = []
    words = name
    while True:
        try:
            decoded = codec.decode(data)
        except tc.Malformed:
            return messages, "refused", words + " refused"
        if decoded is None:
            result = "incomplete" if data else "end"
            return messages, result, f"{words} {result}"
        message = decoded.message
        try:
            again = codec.encode(message).hex()
        except tc.CodecError:
            again = "error"
        messages.append(message)
        words += f" {name_of(message)} {int(decoded.condition_holds)} {again}"
        data = data[decoded.size :]


def main(name: str, cases: str) -> None:
    codec = importlib.import_module(name + "_codec")
    for line in pathlib.Path(cases).read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        messages, result, words = describe(name, codec, bytes.fromhex(case["bytes"]))
        names = [name_of(m) for m in messages]
        if "data" in case:
            assert names == [case["message"]] and result == "end", (case, words)
            assert data_of(messages[0]) == case["data"], (case, messages)
            assert codec.encode(messages[0]).hex() == case["bytes"], (case, words)
        else:
            wanted = "end" if case["result"] == "decoded" else case["result"]
            assert names == case["messages"] and result == wanted, (case, words)
        print(words)


main(*sys.argv[1:])
