#!/usr/bin/env python3
"""A sensor on a serial link, as sensor.treaty describes it.

    sensor.py PORT         listens on a TCP port of this machine and serves one host after the other
    sensor.py -            talks on standard input and output
    sensor.py /dev/pts/5   talks on a terminal in raw mode

With --bug NAME it is wrong in one way:
    crc      does not check the CRC
    length   does not check the length, and breaks if a payload is too short
    hang     waits for the rest of a frame for ever, also when the input has ended
    pieces   takes what one read returns for a whole frame
    deaf     after a damaged frame it does not answer any more
    stored   stores a name before it checks the CRC
"""
import argparse
import os
import socket
import struct
import sys

SET_NAME, GET_NAME, READ, STOP, ACK, NAME_IS, VALUE, NAK = 1, 2, 3, 4, 128, 130, 131, 255
SIZES = {SET_NAME: range(33), GET_NAME: [0], READ: [1], STOP: [0]}
BAD_CRC, BAD_FRAME, BAD_CHANNEL = 1, 2, 3


def crc16(data):
    """CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xffff, nothing reflected, no final xor."""
    crc = 0xffff
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xffff
    return crc


def frame(kind, payload=b''):
    body = bytes([kind, len(payload)]) + payload
    return b'~' + body + struct.pack('>H', crc16(body))


class Sensor:
    def __init__(self, read, write, bug):
        self.read, self.write, self.bug = read, write, bug
        self.waiting = b''
        self.name = b'sensor'
        self.deaf = False

    def take(self, n):
        """The next n bytes; None if the input ends before."""
        while len(self.waiting) < n:
            if self.bug == 'pieces' and self.waiting:
                return None
            some = self.read()
            if not some and self.bug != 'hang':
                return None
            self.waiting += some
        taken, self.waiting = self.waiting[:n], self.waiting[n:]
        return taken

    def answer(self, reply):
        if not self.deaf:
            self.write(reply)

    def refuse(self, code):
        self.answer(frame(NAK, bytes([code])))
        self.deaf = self.bug == 'deaf'

    def serve(self):
        while (start := self.take(1)) is not None:
            if start != b'~':
                continue  # between frames: wait for the next one
            head = self.take(2)
            if head is None:
                return
            kind, size = head
            if self.bug != 'length' and size not in SIZES.get(kind, []):
                self.refuse(BAD_FRAME)
                continue
            payload = self.take(size)
            crc = payload is not None and self.take(2)
            if not crc:
                return
            if self.bug == 'stored' and kind == SET_NAME:
                self.name = payload
            if self.bug == 'length' and kind == READ:
                payload = bytes([payload[0]])
            if self.bug != 'crc' and crc != struct.pack('>H', crc16(head + payload)):
                self.refuse(BAD_CRC)
                continue
            self.act(kind, payload)
            if kind == STOP:
                return

    def act(self, kind, payload):
        if kind == SET_NAME:
            self.name = payload
            self.answer(frame(ACK))
        elif kind == GET_NAME:
            self.answer(frame(NAME_IS, self.name))
        elif kind == READ and payload[0] > 3:
            self.answer(frame(NAK, bytes([BAD_CHANNEL])))
        elif kind == READ:
            self.answer(frame(VALUE, payload + struct.pack('>H', 1000 + 7 * payload[0])))
        else:
            self.answer(frame(ACK))


def serve_stream(descriptor_in, descriptor_out, bug):
    def read():
        try:
            return os.read(descriptor_in, 4096)
        except OSError:  # a terminal whose other side is gone
            return b''

    def write(data):
        while data:
            data = data[os.write(descriptor_out, data):]

    Sensor(read, write, bug).serve()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('where', help='a port, a terminal, or - for standard input and output')
    parser.add_argument('--bug', default='', choices=['', 'crc', 'length', 'hang', 'pieces', 'deaf', 'stored'])
    arguments = parser.parse_args()
    if arguments.where == '-':
        return serve_stream(0, 1, arguments.bug)
    if arguments.where.startswith('/'):
        terminal = os.open(arguments.where, os.O_RDWR | os.O_NOCTTY)
        return serve_stream(terminal, terminal, arguments.bug)
    with socket.create_server(('127.0.0.1', int(arguments.where))) as server:
        while True:
            host, _ = server.accept()
            with host:
                host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                Sensor(lambda: host.recv(4096), host.sendall, arguments.bug).serve()


if __name__ == '__main__':
    sys.exit(main())
