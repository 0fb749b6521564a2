// Misuses of the code for examples/sale, and the words with which the compiler refuses each.
#include "sale_buyer.hpp"
#include "sale_seller.hpp"

using namespace sale::messages;
using Link = treaty::Link<sale::Message>;

void wrong_message(Link& link) {
    // refused: only offer to buyer can be sent here. sale.treaty:6: seller sends offer to buyer
    sale::seller::start(link).send(goods{});
}

void wrong_order(Link& link) {
    // refused: nothing can be received here. sale.treaty:6: seller sends offer to buyer
    sale::seller::start(link).receive();
}

void ended_too_early(Link& link) {
    // refused: the protocol is not finished here. sale.treaty:6: buyer receives offer from seller
    sale::buyer::start(link).finish();
}

void forgotten_branch(Link& link) {
    // refused: match() has no handler for this possibility
    treaty::match(sale::seller::start(link).send(offer{5}).receive(),
                  [](treaty::Received<leave, sale::seller::Done>) {});
}

offer wrong_type_of_a_field() {
    // refused: invalid conversion from 'const char*'
    return offer{"cheap"};
}

void not_moved(Link& link) {
    auto state = sale::seller::start(link);
    // refused: passing 'sale::seller::SendOffer' as 'this' argument discards qualifiers
    state.send(offer{5});
}

void dropped(Link& link) {
    // refused: ignoring returned value of type 'sale::seller::SendOffer'
    sale::seller::start(link);
}
