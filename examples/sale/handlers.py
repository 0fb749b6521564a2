"""Both roles of sale.treaty with a handler per message, each in a thread of its own.

    treaty generate sale.treaty --language python --handlers -o gen
    PYTHONPATH=gen python3 handlers.py
"""
import threading

import sale_buyer_handlers
import sale_messages as messages
import sale_seller_handlers
import treaty_runtime as rt


class Buyer(sale_buyer_handlers.Handlers):
    def on_offer(self, m: messages.offer, sender: str) -> None:
        self.send(sender, messages.leave() if m.price > 50 else messages.order(m.price))

    def on_goods(self, m: messages.goods, sender: str) -> None:
        print("buyer: got the goods")


class Seller(sale_seller_handlers.Handlers):
    def on_order(self, m: messages.order, sender: str) -> None:
        self.send(sender, messages.goods())

    def on_leave(self, m: messages.leave, sender: str) -> None:
        print("seller: no sale")


def sell(link: rt.Link, price: int) -> None:
    with Seller(link) as seller:
        seller.send("buyer", messages.offer(price))
        seller.run()


for price in (40, 60):
    network = rt.MemoryNetwork(messages.ROLES)
    selling = threading.Thread(target=sell, args=(network.link("seller"), price))
    selling.start()
    with Buyer(network.link("buyer")) as buyer:
        buyer.run()
    selling.join()
