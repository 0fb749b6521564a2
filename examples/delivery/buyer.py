#!/usr/bin/env python3
"""Orders once, pays what is confirmed, and waits for the invoice and the goods.

usage: buyer.py --vendor HOST:PORT [--port PORT] [--order N] [--tls --ca FILE]
"""
from peer import Peer, listen, option

order = int(option('--order', '1'))
server = listen()
vendor = Peer.connect(option('--vendor'))
vendor.send('Order', order)
answer, _ = vendor.receive()
if answer == 'Confirm':
    vendor.send('Payment', order)
    vendor.receive()
    shipper = Peer(server.accept()[0])
    shipper.receive()
    shipper.close()
vendor.close()
