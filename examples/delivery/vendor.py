#!/usr/bin/env python3
"""Takes one order.

usage: vendor.py --shipper HOST:PORT [--port PORT] [--reject] [--invoice-last] [--informed]
                 [--bug no-postage|postage-first]

no-postage: the shipper is never paid; postage-first: it is paid before it gets the goods.
"""
from peer import Peer, flag, listen, option

bug = option('--bug')
server = listen()
buyer = Peer(server.accept()[0])
_, order = buyer.receive()
if flag('--reject'):
    buyer.send('Reject', order)
else:
    buyer.send('Confirm', order)
    buyer.receive()
    if not flag('--invoice-last'):
        buyer.send('Invoice', order)
    shipper = Peer.connect(option('--shipper'))
    sent = {'no-postage': ['Shipment'], 'postage-first': ['Postage', 'Shipment']}.get(bug, ['Shipment', 'Postage'])
    for message in sent:
        shipper.send(message, order)
    if flag('--invoice-last'):
        buyer.send('Invoice', order)
    if flag('--informed'):
        shipper.receive()
    # Until the shipper is done with it, unless it waits for more.
    if bug != 'no-postage':
        shipper.receive()
    shipper.close()
buyer.close()
