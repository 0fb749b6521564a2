// A program that has its own way of sending, and a monitor that judges what the seller does.
//
//     treaty generate sale.treaty --language c++ --monitor -o gen
//     g++ -std=c++20 -I gen monitored.cpp -o monitored && ./monitored
#include <cstdio>

#include "sale_seller_monitor.hpp"

using namespace sale::messages;

void report(const char* event, const treaty::Judgement& violation) {
    std::printf("%s: %s\n", event, violation ? violation->text().c_str() : "allowed");
}

int main() {
    sale::seller::Monitor monitor;
    report("offer 40", monitor.sent(sale::role::buyer, offer{40}));
    report("goods", monitor.sent(sale::role::buyer, goods{}));
    report("order 30", monitor.received(sale::role::buyer, order{30}));
    report("order 40", monitor.received(sale::role::buyer, order{40}));
    std::printf("next: %s\n", monitor.step());
}
