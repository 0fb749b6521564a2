// A walk of machines over channels: sending and receiving are events of their own, unless channels are sync.
//
// The steps are those of explore/configuration.h, so a walk is a run that `treaty explore` knows; data is
// ignored. Silent steps of a machine are options too. Cost of a step: that of Semantics::steps().
#pragma once

#include "explore/configuration.h"
#include "step/walk.h"

namespace treaty::step {

class SystemWalk final : public Walk {
public:
    explicit SystemWalk(const model::System& system);  // which must outlive the walk

    const model::Alphabet& alphabet() const override { return semantics_.system().alphabet(); }
    Standing standing() const override { return positions_.back().standing; }
    std::span<const Option> options() const override { return positions_.back().options; }
    bool take(std::size_t option, const Values& values) override;  // without values
    bool back() override;
    std::span<const Taken> taken() const override { return taken_; }
    // What waits in each channel that is not empty.
    std::vector<std::string> where() const override;

    const explore::Configuration& configuration() const { return positions_.back().configuration; }

private:
    struct Position {
        explore::Configuration configuration;
        std::vector<explore::Run> steps;  // one an option
        std::vector<Option> options;
        Standing standing = Standing::stuck;
    };
    Position position(explore::Configuration configuration) const;
    Option option_of(const explore::Configuration& configuration, const explore::Run& step) const;

    explore::Semantics semantics_;
    std::vector<Taken> taken_;
    std::vector<Position> positions_;  // one more than events taken
};

}  // namespace treaty::step
