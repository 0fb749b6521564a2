// Both roles of sale.treaty, each in a thread of its own.
//
//     treaty generate sale.treaty --language c++ -o gen
//     g++ -std=c++20 -I gen sale.cpp -o sale && ./sale
#include <cstdio>
#include <thread>

#include "sale_buyer.hpp"
#include "sale_seller.hpp"

using namespace sale::messages;
using Link = treaty::Link<sale::Message>;
using treaty::Received;

void buy(Link& link, std::int64_t budget) {
    auto [from, offered, state] = sale::buyer::start(link).receive();
    if (offered.price > budget) {
        std::move(state).send(leave{});
        return;
    }
    auto arrived = std::move(state).send(order{offered.price}).receive();
    std::printf("buyer: got the goods for %d\n", static_cast<int>(offered.price));
}

void sell(Link& link, std::int64_t price) {
    auto answer = sale::seller::start(link).send(offer{price}).receive();
    treaty::match(
        std::move(answer),
        [](Received<order, sale::seller::SendGoods> got) { std::move(got.next).send(goods{}); },
        [](Received<leave, sale::seller::Done>) { std::puts("seller: no sale"); });
}

int main() {
    for (std::int64_t price : {40, 60}) {
        treaty::MemoryNetwork<sale::Message> network(sale::role::count);
        std::thread seller([&] { sell(network.link(sale::role::seller), price); });
        buy(network.link(sale::role::buyer), 50);
        seller.join();
    }
}
