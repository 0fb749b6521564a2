"""Misuses of the code for examples/sale, and the words with which the type checker refuses each."""
from typing import assert_never

import sale_buyer
import sale_seller
import treaty_runtime as rt


def wrong_message(link: rt.Link) -> None:
    sale_seller.start(link).send_goods()  # refused: "SendOffer" has no attribute "send_goods"


def wrong_order(link: rt.Link) -> None:
    sale_seller.start(link).receive()  # refused: "SendOffer" has no attribute "receive"


def ended_too_early(link: rt.Link) -> None:
    sale_buyer.start(link).finish()  # refused: "ReceiveOffer" has no attribute "finish"


def forgotten_branch(link: rt.Link) -> None:
    answer = sale_seller.start(link).send_offer(5).receive()
    match answer:
        case sale_seller.GotLeave():
            pass
        case _:
            assert_never(answer)  # refused: Argument 1 to "assert_never" has incompatible type "GotOrder"


def wrong_type_of_a_field(link: rt.Link) -> None:
    sale_seller.start(link).send_offer("cheap")  # refused: incompatible type "str"; expected "int"
