// Decides what the tester sends next, if that is not left to chance: the machines of an abstract test.
//
// An abstract test has a machine for each role except the one under test, in which every choice of its own is
// made (Coto 2023, definition 3.5). They talk to the component, and unobserved to one another: messages
// between them wait in queues here. Data is ignored: it comes from the protocol as usual, so the code that
// follows the roles with their data (peers.h) also decides when they send each other a message. The machines
// decide what is sent; the protocol still decides what is right. Used for one session.
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

    // Called first. alone: nothing else decides when the roles talk to each other, so they do it at once.
    void begin(bool alone);
    // Whether this role wants to send this now, to the component or to another role.
    bool wants(model::RoleId from, model::RoleId to, model::MessageId message) const;
    void sent(model::RoleId from, model::RoleId to, model::MessageId message);
    // A message from the component, in order of arrival; each machine takes it when it gets there.
    void came(model::RoleId to, model::MessageId message);
    // All are where the test may end, and the queues are empty.
    bool succeeded() const;

private:
    struct At {
        Player player;
        model::StateId state;
    };
    void run_internal_steps();
    bool internal_step(At& at);
    const model::Edge* edge(const At& at, model::EventKind kind, model::RoleId from, model::RoleId to,
                            model::MessageId message) const;

    std::vector<At> players_;
    model::RoleId cut_;
    bool alone_ = true;
    std::map<std::pair<model::RoleId, model::RoleId>, std::deque<model::MessageId>> queues_;
};

}  // namespace treaty::drive
