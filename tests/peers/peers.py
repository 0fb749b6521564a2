#!/usr/bin/env python3
"""The wires of library/ against programs that speak the protocols for a living, on loopback.

WebSocket: every frame that Treaty makes is the one Debian's python3-websockets makes, byte for byte, and the other
way round; an echo server answers Treaty's frames. MQTT, RESP, SMTP, memcached: a relay records what a real client and a real
server say to each other; Treaty must read every byte of both sides, and writing what it read must give the same
bytes. A peer that is not installed is left out, and said to be.
"""
import argparse
import asyncio
import json
import os
import random
import shutil
import smtplib
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARY = os.path.join(ROOT, "library")
HERE = os.path.dirname(os.path.abspath(__file__))

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from ports import free_port  # noqa: E402


class Missing(Exception):
    pass


def treaty(arguments, stdin=None):
    done = subprocess.run([OPTIONS.treaty] + arguments + ["--json"], input=stdin, capture_output=True, check=False)
    result = json.loads(done.stdout)
    if result["answer"] != "holds":
        raise AssertionError(f"{arguments}: {result.get('reason')} {result.get('fault')} {result.get('diagnostics')}")
    return result


def decode(name, data, wire, expect=None):
    arguments = ["decode", os.path.join(LIBRARY, name), "--wire", wire]
    if expect:
        arguments += ["--expect", ",".join(expect)]
    messages = treaty(arguments, stdin=data)["messages"]
    for m in messages:
        assert m["same_bytes"], f"written again it differs: {m}"
    return messages


def wait_for(port):
    for _ in range(6000):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.01)  # polling for a program that is starting; the loop is bounded
    raise AssertionError("the server did not start")


class Relay:
    """Forwards connections to a port and keeps what each side said."""

    def __init__(self, target):
        self.target = target
        self.said = []  # one pair of bytearrays a connection: client, server
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.threads = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            pair = (bytearray(), bytearray())
            self.said.append(pair)
            for source, sink, kept in ((client, server, pair[0]), (server, client, pair[1])):
                thread = threading.Thread(target=self.pump, args=(source, sink, kept), daemon=True)
                self.threads.append(thread)
                thread.start()

    @staticmethod
    def pump(source, sink, kept):
        try:
            while chunk := source.recv(65536):
                kept += chunk
                sink.sendall(chunk)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        self.listener.close()
        for thread in self.threads:
            thread.join(timeout=10)


def websocket():
    try:
        import websockets
        from websockets import frames
    except ImportError as error:
        raise Missing("python3-websockets") from error
    file = os.path.join(HERE, "frames.treaty")
    made = treaty(["data", file, "--message", "frame", "--count", str(OPTIONS.frames), "--seed", "7"])["values"]
    assert len(made) == OPTIONS.frames

    def real(fin, opcode, key, payload):
        frames.secrets.token_bytes = lambda n: key
        return frames.Frame(frames.Opcode(opcode), payload, fin).serialize(mask=bool(key))

    original = frames.secrets.token_bytes
    for row in made:
        d = row["data"]
        wanted = real(bool(d["fin"]), d["opcode"], bytes.fromhex(d["key"]), bytes.fromhex(d["payload"]))
        assert bytes.fromhex(row["bytes"]) == wanted, row

    rng = random.Random(11)
    stream, sent = bytearray(), []
    for i in range(OPTIONS.frames):
        opcode = rng.choice([0, 1, 2, 8, 9, 10])
        control = opcode >= 8
        size = rng.choice([0, 1, 5, 125] if control else [0, 1, 5, 125, 126, 127, 1000] + ([65535, 65536] if i % 500 == 0 else []))
        fin = control or rng.random() < 0.7
        key = rng.randbytes(4) if rng.random() < 0.5 else b""
        payload = rng.randbytes(size)
        stream += real(fin, opcode, key, payload)
        sent.append((int(fin), opcode, key.hex(), payload.hex()))
    frames.secrets.token_bytes = original
    got = decode("websocket.treaty", bytes(stream), "Frames")
    assert [(m["data"]["fin"], m["data"]["opcode"], m["data"]["key"], m["data"]["payload"]) for m in got] == sent

    # An echo server answers the whole binary frames among those that Treaty made.
    whole = [r for r in made if r["data"]["fin"] == 1 and r["data"]["opcode"] == 2 and r["data"]["masked"] == 1][:300]
    port = free_port()
    key_sent = []

    async def echo(connection, *_):
        try:
            async for message in connection:
                await connection.send(message)
        except websockets.ConnectionClosed:
            pass  # the test leaves without a word

    async def talk():
        async with websockets.serve(echo, "127.0.0.1", port, compression=None):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            opening = treaty(["data", os.path.join(LIBRARY, "websocket.treaty"), "--message", "open", "--wire", "Handshake",
                              "--count", "40", "--seed", "3"])["values"]
            fitting = [o for o in opening if o["data"]["host"].isalnum() and o["data"]["target"].isascii()
                       and all(c.isalnum() or c == "/" for c in o["data"]["target"])]
            key_sent.append(fitting[0]["data"]["sec_websocket_key"])
            writer.write(bytes.fromhex(fitting[0]["bytes"]))
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 101"), head + await reader.read(200)
            answer = bytearray()
            for row in whole:
                writer.write(bytes.fromhex(row["bytes"]))
                first = await reader.readexactly(2)
                answer += first
                length = first[1] & 127
                if length == 126:
                    more = await reader.readexactly(2)
                    answer += more
                    length = int.from_bytes(more, "big")
                answer += await reader.readexactly(length)
            writer.close()
            return head, bytes(answer)

    head, answer = asyncio.run(talk())
    accepted = treaty(["decode", os.path.join(LIBRARY, "websocket.treaty"), "--wire", "Handshake"], stdin=head)["messages"]
    assert accepted[0]["message"] == "accept", accepted
    # The answer of the real server is the one that the library computes from the key, and so are others.
    with tempfile.NamedTemporaryFile("w", suffix=".treaty") as pair:
        pair.write('import "library/websocket.treaty"\n'
                   "message pair(key: string, answer: string) where key matches /[A-Za-z0-9+\\/]{21}[AQgw]==/ "
                   "and answer == websocket_accept(key)\n"
                   f'message this(answer: string) where answer == websocket_accept("{key_sent[0]}")\n')
        pair.flush()
        this = treaty(["data", pair.name, "--message", "this", "--count", "1"])["values"]
        assert this[0]["data"]["answer"] == accepted[0]["data"]["sec_websocket_accept"], (this, accepted)
        pairs = treaty(["data", pair.name, "--message", "pair", "--count", "1000"])["values"]
    from websockets.utils import accept_key
    for row in pairs:
        assert accept_key(row["data"]["key"]) == row["data"]["answer"], row
    assert len({row["data"]["key"] for row in pairs}) > 500
    echoed = decode("websocket.treaty", answer, "Frames")
    assert [m["data"]["payload"] for m in echoed] == [r["data"]["payload"] for r in whole]
    return f"{len(made)} frames made, {len(got)} read, {len(echoed)} echoed, {len(pairs)} keys answered"


def start(command):
    if not shutil.which(command[0]):
        for folder in ("/usr/sbin", "/usr/bin"):
            if os.path.exists(os.path.join(folder, command[0])):
                command[0] = os.path.join(folder, command[0])
                break
        else:
            raise Missing(command[0])
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def mqtt():
    if not shutil.which("mosquitto_pub"):
        raise Missing("mosquitto-clients")
    port = free_port()
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as config:
        config.write(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
        config.flush()
        broker = start(["mosquitto", "-c", config.name])
        try:
            wait_for(port)
            relay = Relay(port)
            common = ["-h", "127.0.0.1", "-p", str(relay.port), "-V", "mqttv311"]
            subscriber = start(["mosquitto_sub", *common, "-t", "a/#", "-t", "b/+", "-q", "2", "-C", "3", "-i", "listener"])
            # It must have subscribed before anything is published: its SUBACK is the sign.
            for _ in range(6000):
                if relay.said and len(relay.said[0][1]) >= 9:
                    break
                time.sleep(0.01)
            else:
                raise AssertionError("mosquitto_sub did not subscribe")
            for quality in ("0", "1", "2"):
                subprocess.run(["mosquitto_pub", *common, "-t", f"a/{quality}", "-m", "x" * 200, "-q", quality, "-u", "me", "-P", "secret",
                                "--will-topic", "b/gone", "--will-payload", "bye", "--will-qos", "1", "-i", f"p{quality}"], check=True)
            subscriber.wait(timeout=120)
            relay.close()
        finally:
            broker.terminate()
            broker.wait(timeout=20)
    kinds = set()
    count = 0
    for client, server in relay.said:
        for side in (client, server):
            for m in decode("mqtt.treaty", bytes(side), "Mqtt"):
                kinds.add(m["message"])
                count += 1
                if m["message"] == "connect" and m["data"]["has_username"]:
                    assert m["data"]["username"] == "me" and bytes.fromhex(m["data"]["password"]) == b"secret", m
                    assert m["data"]["will_topic"] == "b/gone" and m["data"]["will_quality"] == 1, m
    wanted = {"connect", "connack", "publish", "puback", "pubrec", "pubrel", "pubcomp", "subscribe", "suback", "disconnect"}
    assert wanted <= kinds, wanted - kinds
    return f"{count} packets of {len(kinds)} kinds"


def resp():
    if not shutil.which("redis-cli"):
        raise Missing("redis-tools")
    port = free_port()
    server = start(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
    try:
        wait_for(port)
        relay = Relay(port)
        lines = ["PING", "SET a 1", "GET a", "GET none", "INCR a", "LPUSH l x y z", "LRANGE l 0 -1", "COMMAND INFO get set", "NOSUCH thing", "STRLEN a"]
        lines += [f"SET k{i} " + "v" * (i * 7) for i in range(60)] + [f"GET k{i}" for i in range(60)]
        subprocess.run(["redis-cli", "-h", "127.0.0.1", "-p", str(relay.port)], input="\n".join(lines).encode(), check=True,
                       stdout=subprocess.DEVNULL)
        relay.close()
    finally:
        server.terminate()
        server.wait(timeout=20)
    commands, replies, elements = 0, set(), 0
    for client, answers in relay.said:
        said = decode("resp.treaty", bytes(client), "Resp", ["command"])
        commands += len(said)
        # redis-cli first asks for the documentation of all commands: arrays inside arrays.
        for m in decode("resp.treaty", bytes(answers), "Resp"):
            replies.add(m["message"])
            if m["message"] == "nested":
                elements = max(elements, len(m["data"]["marks"]))
    assert commands >= len(lines), commands
    assert {"status", "failure", "number", "bulk", "nil", "command", "nested"} <= replies, replies
    return f"{commands} commands, replies of {len(replies)} kinds, an array of {elements} elements"


def smtp():
    try:
        from aiosmtpd.controller import Controller
        from aiosmtpd.handlers import Sink
    except ImportError as error:
        raise Missing("python3-aiosmtpd") from error
    controller = Controller(Sink(), hostname="127.0.0.1", port=free_port(), ready_timeout=60)
    controller.start()
    try:
        relay = Relay(controller.port)
        with smtplib.SMTP("127.0.0.1", relay.port, local_hostname="client.example") as client:
            client.ehlo()
            client.noop()
            for i in range(20):
                client.sendmail(f"from{i}@a.example", [f"to{i}@b.example"], f"Subject: {i}\r\n\r\nline one\r\n.dot\r\n..dots\r\nend\r\n")
            client.rset()
        with smtplib.SMTP("127.0.0.1", relay.port, local_hostname="client.example") as client:
            client.helo("again.example")
            client.docmd("QUUX")
        relay.close()
    finally:
        controller.stop()
    kinds, texts = set(), set()
    for client, server in relay.said:
        for m in treaty(["decode", os.path.join(LIBRARY, "smtp.treaty"), "--wire", "Smtp"], stdin=bytes(client))["messages"]:
            kinds.add(m["message"])
            if m["message"] == "line":
                texts.add(m["data"]["text"])
            assert m["same_bytes"] or m["message"] in ("ehlo", "helo", "mail", "rcpt", "data", "rset", "noop", "quit"), m
        for m in treaty(["decode", os.path.join(LIBRARY, "smtp.treaty"), "--wire", "Smtp", "--expect", "ready,more,reply"],
                        stdin=bytes(server))["messages"]:
            kinds.add(m["message"])
    wanted = {"ready", "ehlo", "helo", "mail", "rcpt", "data", "line", "dot", "rset", "noop", "quit", "more", "reply"}
    assert wanted <= kinds, wanted - kinds
    assert {".dot", "..dots", "end"} <= texts, texts  # as they were sent, though other dots stood in the bytes
    return f"lines of {len(kinds)} kinds"


def memcached():
    """What Treaty makes is taken by the server, and all that it answers is read; data comes back as it was stored."""
    program = shutil.which("memcached")
    if not program:
        raise Missing("memcached")
    port = free_port()
    server = start([program, "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-u", "nobody"])
    rng = random.Random(7)
    stored = {f"key{i}": rng.randbytes(rng.randrange(40)) + (b"\r\nEND\r\n" if i % 5 == 0 else b"") for i in range(30)}
    made = 0
    try:
        wait_for(port)
        relay = Relay(port)
        with socket.create_connection(("127.0.0.1", relay.port)) as client:
            said = client.makefile("rb")

            def ask(request):
                """Sends it, and reads up to the answer to a last request, whose answer is one of a kind."""
                client.sendall(request + b"version\r\n")
                while not said.readline().startswith(b"VERSION "):
                    pass

            for name in ("set", "add", "replace", "append", "prepend", "cas", "get", "gets", "incr", "decr", "delete", "touch"):
                result = treaty(["data", os.path.join(LIBRARY, "memcached.treaty"), "--message", name, "--count", "25"])
                for one in result["values"]:
                    ask(bytes.fromhex(one["bytes"]))
                    made += 1
            ask(b"flush_all\r\n" + b"set n 0 0 2\r\n41\r\n" + b"incr n 1\r\n" + b"incr nothing 1\r\n" + b"nonsense\r\n" +
                b"set n x 0 2\r\n" + b"delete n\r\n" + b"touch n 0\r\n")
            for key, data in stored.items():
                ask(f"set {key} 5 0 {len(data)}\r\n".encode() + data + b"\r\n")
            ask(b"get " + " ".join([*stored, "nothing"]).encode() + b"\r\n")
            ask(b"gets key1 key2\r\n" + b"cas key1 0 0 1 1\r\nx\r\n" + b"touch key2 0\r\n" + b"add key2 0 0 1\r\nx\r\n" +
                b"append key2 0 0 1\r\nx\r\n")
            client.sendall(b"quit\r\n")
            assert said.read() == b""
        relay.close()
    finally:
        server.terminate()
        server.wait(timeout=20)
    kinds, found = set(), {}
    for client, answers in relay.said:
        # What the client said wrongly on purpose is not a message.
        for m in decode("memcached.treaty", bytes(client).replace(b"nonsense\r\n", b"").replace(b"set n x 0 2\r\n", b""), "Memcached"):
            kinds.add(m["message"])
        for m in decode("memcached.treaty", bytes(answers), "Memcached"):
            kinds.add(m["message"])
            if m["message"] == "values":
                found.update(zip(m["data"]["keys"], m["data"]["data"]))
    wanted = {"get", "gets", "set", "add", "replace", "append", "prepend", "cas", "incr", "decr", "delete", "touch", "flush_all",
              "version", "quit", "values", "unique_values", "stored", "not_stored", "exists", "not_found", "deleted", "touched", "ok",
              "number", "version_is", "error", "client_error"}
    assert wanted <= kinds, wanted - kinds
    for key, data in stored.items():
        assert bytes.fromhex(found[key]) == data, key
    return f"{made} requests that Treaty made, messages of {len(kinds)} kinds"


def main():
    missing = 0
    for peer in (websocket, mqtt, resp, smtp, memcached):
        if OPTIONS.only and peer.__name__ not in OPTIONS.only:
            continue
        try:
            print(f"{peer.__name__}: {peer()}", flush=True)
        except Missing as error:
            print(f"{peer.__name__}: left out, {error} is not installed", flush=True)
            missing += 1
    return 77 if missing else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--treaty", required=True)
    parser.add_argument("--frames", type=int, default=10000)
    parser.add_argument("--only", nargs="*")
    OPTIONS = parser.parse_args()
    sys.exit(main())
