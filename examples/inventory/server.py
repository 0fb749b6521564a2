#!/usr/bin/env python3
"""The service of inventory.proto, with its messages encoded by hand.

    server.py PORT [--bug NAME]

Each frame is a line with its length in one byte, a byte that is 0, the length of the message in four bytes, and the message.

With --bug NAME it is wrong in one way:
    kind     lists items of a kind that the file does not have
    status   ends a list without a status
    refused  sends a reservation also when it refuses one
"""
import argparse
import socket
import struct

VARINT, EIGHT_BYTES, SIZED, FOUR_BYTES = 0, 1, 2, 5
SERVICE = '/inventory.Inventory/'
INVALID_ARGUMENT, UNIMPLEMENTED = 3, 12


def varint(n):
    out = b''
    while n > 0x7f:
        out += bytes([n & 0x7f | 0x80])
        n >>= 7
    return out + bytes([n])


def zigzag(n):
    return varint(n << 1 if n >= 0 else (-n << 1) - 1)


def unzigzag(n):
    return n >> 1 if n & 1 == 0 else -(n + 1 >> 1)


def field(number, kind, value):
    return varint(number << 3 | kind) + value


def sized(number, value):
    return field(number, SIZED, varint(len(value)) + value)


def text(number, value):
    return sized(number, value.encode()) if value else b''


def number(field_number, n):
    return field(field_number, VARINT, varint(n)) if n else b''


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        n = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            n |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return n

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def fields(self):
        """Number and value of each field; the value is a number or bytes."""
        while self.at < len(self.data):
            tag = self.varint()
            if tag & 7 == VARINT:
                yield tag >> 3, self.varint()
            else:
                yield tag >> 3, self.bytes({EIGHT_BYTES: 8, FOUR_BYTES: 4}.get(tag & 7) or self.varint())


class Item:
    def __init__(self, sku='', kind=0, change=0, places=()):
        self.sku, self.kind, self.change, self.places = sku, kind, change, dict(places)

    @staticmethod
    def read(data):
        item = Item()
        for n, value in Reader(data).fields():
            if n == 1:
                item.sku = value.decode()
            elif n == 2:
                item.kind = value
            elif n == 3:
                item.change = unzigzag(value & 0xffffffff)
            elif n == 4:
                entry = dict(Reader(value).fields())
                item.places[entry.get(1, b'').decode()] = entry.get(2, 0)
        return item

    def write(self):
        out = text(1, self.sku) + number(2, self.kind)
        if self.change:
            out += field(3, VARINT, zigzag(self.change))
        for place, count in self.places.items():
            out += sized(4, sized(1, place.encode()) + field(2, VARINT, varint(count)))
        return out


class Session:
    def __init__(self, connection, bug):
        self.input = connection.makefile('rb')
        self.connection, self.bug = connection, bug
        self.stock = [Item('hammer', 1, 5, {'north': 2, 'south': 3}), Item('nut', 2, -400)]
        if bug == 'kind':
            self.stock.append(Item('map', 7))

    def frame(self):
        """The line and the message of the next frame; nothing at the end."""
        size = self.input.read(1)
        if not size:
            return None
        line = self.input.read(size[0]).decode()
        _, length = struct.unpack('>BI', self.input.read(5))
        return line, self.input.read(length)

    def send(self, line, message):
        line = line.encode()
        self.connection.sendall(bytes([len(line)]) + line + struct.pack('>BI', 0, len(message)) + message)

    def status(self, code=0, why=''):
        self.send('status', number(1, code) + text(2, why))

    def run(self):
        while frame := self.frame():
            line, message = frame
            kind, _, path = line.partition(' ')
            name = path.removeprefix(SERVICE)
            getattr(self, f'{kind}_{name}', self.unknown)(message)

    def unknown(self, _):
        self.status(UNIMPLEMENTED, 'no such call')

    def call_Reserve(self, message):
        quantity = dict(Reader(message).fields()).get(2, 0)
        if quantity == 0 and self.bug == 'refused':
            self.send(f'reply {SERVICE}Reserve', b'')
        if quantity == 0:
            self.status(INVALID_ARGUMENT, 'nothing to reserve')
            return
        price = field(2, EIGHT_BYTES, struct.pack('<d', quantity * 0.25))
        note = sized(3, b'partly') if quantity > 1000 else b''
        self.send(f'reply {SERVICE}Reserve', field(1, EIGHT_BYTES, struct.pack('<Q', quantity)) + price + note)
        self.status()

    def call_List(self, message):
        kind = dict(Reader(message).fields()).get(1, 0)
        for item in self.stock:
            if kind in (0, item.kind):
                self.send(f'reply {SERVICE}List', item.write())
        if self.bug != 'status':
            self.status()

    def open_Restock(self, _):
        self.items = []

    def call_Restock(self, message):
        self.items.append(Item.read(message))

    def end_Restock(self, _):
        change = sum(item.change for item in self.items)
        summary = number(1, len(self.items))
        if change:
            summary += field(2, VARINT, zigzag(change))
        self.send(f'reply {SERVICE}Restock', summary)
        self.status()

    def open_Track(self, _):
        pass

    def call_Track(self, message):
        self.send(f'reply {SERVICE}Track', Item.read(message).write())

    def end_Track(self, _):
        self.status()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('port', type=int)
    parser.add_argument('--bug', choices=['kind', 'status', 'refused'])
    arguments = parser.parse_args()
    with socket.create_server(('127.0.0.1', arguments.port)) as server:
        while True:
            connection, _ = server.accept()
            with connection:
                Session(connection, arguments.bug).run()


if __name__ == '__main__':
    main()
