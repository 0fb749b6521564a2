// A walk on a net: the whole protocol, the part of one role, or any net, with its data.
//
// Where silent steps leave it open in which of several situations the conversation is, all of them are kept,
// as a tracker keeps them (track/): an event is an option if one of them allows it. Steps of different lines
// are different options even if they look the same, and taking one settles which it was. Proposals are a
// function of the seed and of the events taken. Cost of a step: that of the guards, and of the data of each
// option.
#pragma once

#include <memory>

#include "model/machine.h"
#include "model/net.h"
#include "model/specification.h"
#include "step/event_data.h"
#include "step/walk.h"
#include "track/inference.h"

namespace treaty::step {

class NetWalk final : public Walk {
public:
    // subject: whose net it is; none for a whole protocol. specification: null for nets without messages of
    // their own (then no event has data). Both must outlive the walk.
    NetWalk(const model::Net& net, model::RoleId subject, model::Specification* specification,
            std::uint64_t seed);

    const model::Alphabet& alphabet() const override { return net_.alphabet(); }
    Standing standing() const override { return here().standing; }
    std::span<const Option> options() const override { return here().options; }
    bool take(std::size_t option, const Values& values) override;
    bool back() override;
    std::span<const Taken> taken() const override { return taken_; }
    // The values of variables, where all situations agree on them.
    std::vector<std::string> where() const override;

private:
    struct Position {
        std::vector<track::Configuration> set;
        std::vector<Option> options;
        std::vector<std::vector<track::EnabledTransition>> transitions;  // one list per option
        std::optional<expr::Environment> at_end;  // the values with which it may end here, if it may
        Standing standing = Standing::stuck;
        bool gave_up = false;  // a limit was reached while looking for what comes next
    };

    const Position& here() const { return positions_.back(); }
    Position position(std::vector<track::Configuration> set);
    void add_options(Position& position);
    // False if there is proof that no data suits.
    bool propose(const std::vector<track::EnabledTransition>& transitions, std::uint64_t salt,
                 Option& option);
    // The values with which silent steps may lead to a successful end.
    std::optional<expr::Environment> end_of(const track::Configuration& configuration, bool& gave_up) const;
    // The values before each event that may come next: silent steps on the way to it have changed them
    // already.
    std::vector<const expr::Environment*> known() const;

    const model::Net& net_;
    track::Inference inference_;
    std::unique_ptr<EventData> data_;
    std::uint64_t seed_;
    std::vector<Taken> taken_;
    std::vector<Position> positions_;  // one more than events taken
};

// The same machine as a net: one place a state, so that it can be walked. A state without edges is an end
// too.
model::Net net_of(const model::Machine& machine);

}  // namespace treaty::step
