"""Both roles of sale.treaty, each in a thread of its own.

    treaty generate sale.treaty --language python -o gen
    PYTHONPATH=gen python3 sale.py
"""
import threading
from typing import assert_never

import sale_buyer
import sale_messages as messages
import sale_seller
import treaty_runtime as rt


def buy(link: rt.Link, budget: int) -> None:
    offered = sale_buyer.start(link).receive()
    price, state = offered.message.price, offered.next
    if price > budget:
        state.send_leave()
        return
    state.send_order(price).receive()
    print(f"buyer: got the goods for {price}")


def sell(link: rt.Link, price: int) -> None:
    answer = sale_seller.start(link).send_offer(price).receive()
    match answer:
        case sale_seller.GotOrder(next=state):
            state.send_goods()
        case sale_seller.GotLeave():
            print("seller: no sale")
        case _:
            assert_never(answer)


for price in (40, 60):
    network = rt.MemoryNetwork(messages.ROLES)
    seller = threading.Thread(target=sell, args=(network.link("seller"), price))
    seller.start()
    buy(network.link("buyer"), 50)
    seller.join()
