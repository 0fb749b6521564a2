// Who decides what the tester says next, where that is not left to chance: the machines of an abstract test.
//
// An abstract test has a machine for each role but the one under test, in which every choice of its own is
// made (Coto 2023, definition 3.5). They talk to the component, and unobserved to one another: what
// they say to each other waits in queues here. Data is left aside: it comes from the protocol, as always, and
// so whoever follows the roles with their data (peers.h) also says when they say something to each other. The
// machines say what is sent; what is right is judged by the protocol all the same. Used for one session.
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "model/machine.h"

namespace treaty::drive {

class Director {
public:
    struct Player {
        model::Machine machine;
        std::vector<bool> success;  // by state: where its part of the test may end
    };
    Director(std::vector<Player> players, model::RoleId cut);

    // Before anything else. alone: nobody says when the roles talk to each other, so they do it at once.
    void begin(bool alone);
    // Whether this role wants to say this now, to the component or another role.
    bool wants(model::RoleId from, model::RoleId to, model::MessageId message) const;
    void sent(model::RoleId from, model::RoleId to, model::MessageId message);
    // What the component says, in the order of arrival; each machine takes it when it comes to it.
    void came(model::RoleId to, model::MessageId message);
    // All are where the test may end, and nothing lies in a queue.
    bool succeeded() const;

private:
    struct At {
        Player player;
        model::StateId state;
    };
    void settle();
    bool internal_step(At& at);
    const model::Edge* edge(const At& at, model::EventKind kind, model::RoleId from, model::RoleId to,
                            model::MessageId message) const;

    std::vector<At> players_;
    model::RoleId cut_;
    bool alone_ = true;
    std::map<std::pair<model::RoleId, model::RoleId>, std::deque<model::MessageId>> queues_;
};

}  // namespace treaty::drive
