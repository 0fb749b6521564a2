// Both roles of sale.treaty with a handler per message, each in a thread of its own.
//
//     treaty generate sale.treaty --language c++ --handlers -o gen
//     g++ -std=c++20 -I gen handlers.cpp -o handlers && ./handlers
#include <cstdio>
#include <thread>

#include "sale_buyer_handlers.hpp"
#include "sale_seller_handlers.hpp"

using namespace sale::messages;

struct Buyer : sale::buyer::Handlers {
    using Handlers::Handlers;
    void on(std::size_t seller, const offer& m) override {
        if (m.price > 50)
            send(seller, leave{});
        else
            send(seller, order{m.price});
    }
    void on(std::size_t, const goods&) override { std::puts("buyer: got the goods"); }
};

struct Seller : sale::seller::Handlers {
    using Handlers::Handlers;
    void on(std::size_t buyer, const order&) override { send(buyer, goods{}); }
    void on(std::size_t, const leave&) override { std::puts("seller: no sale"); }
};

int main() {
    for (std::int64_t price : {40, 60}) {
        treaty::MemoryNetwork<sale::Message> network(sale::role::count);
        std::thread selling([&] {
            Seller seller(network.link(sale::role::seller));
            seller.send(sale::role::buyer, offer{price});
            seller.run();
        });
        Buyer(network.link(sale::role::buyer)).run();
        selling.join();
    }
}
