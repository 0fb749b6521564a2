// A state that is used twice: clang's -Wconsumed sees it.
#include "sale_seller.hpp"

void used_twice(treaty::Link<sale::Message>& link) {
    auto state = sale::seller::start(link);
    auto next = std::move(state).send(sale::messages::offer{5});
    // refused: invalid invocation of method 'send' on a temporary object while it is in the 'consumed' state
    auto again = std::move(state).send(sale::messages::offer{6});
}
