#!/usr/bin/env python3
"""A device that reads frames with a checksum, as crc.treaty describes them."""
import struct

import serving

options = serving.options(__doc__, 'unchecked')


def crc16(data):
    """CRC-16/CCITT-FALSE."""
    crc = 0xffff
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xffff
    return crc


def talk(stream):
    while start := stream.read(1):
        if start != b'~':
            continue  # between two frames
        frame = stream.read(5)
        if len(frame) < 5:
            return
        kind, rate, crc = struct.unpack('>BHH', frame)
        if crc != crc16(frame[:3]) and options.bug != 'unchecked' or kind != 1 or not 1 <= rate <= 1000:
            continue
        body = struct.pack('>BH', 2, rate)
        serving.send(stream, b'~' + body + struct.pack('>H', crc16(body)))


serving.serve(options.port, talk)
