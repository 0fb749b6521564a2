#!/usr/bin/env python3
"""Delivers once it has the goods and the postage, in any order.

usage: shipper.py --buyer HOST:PORT [--port PORT] [--inform] [--bug no-postage]

no-postage: it does not wait for the postage.
"""
from peer import Peer, flag, listen, option

server = listen()
vendor = Peer(server.accept()[0])
wanted = {'Shipment'} if option('--bug') == 'no-postage' else {'Shipment', 'Postage'}
order = None
while wanted:
    message, number = vendor.receive()
    if message is None:
        raise SystemExit('the vendor has left')
    order = number
    wanted.discard(message)
buyer = Peer.connect(option('--buyer'))
buyer.send('Distribution', order)
buyer.close()
if flag('--inform'):
    vendor.send('Inform', order)
vendor.close()
