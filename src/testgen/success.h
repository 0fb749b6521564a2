// When a configuration of a component with its test is successful: every test machine is in a success state,
// the channels that count are empty, and, if success means the end of the protocol and there is an observer,
// what was seen is a whole run of it (comply.h). Machine 0 is the component. Keeps references
// to the states and the observer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explore/configuration.h"
#include "testgen/observer.h"

namespace treaty::testgen {

class Success {
public:
    // states: by test machine, by state. stable: the channels that must be empty; all if none are given.
    // observer: null if nothing is compared with the protocol.
    Success(const explore::Stepping& stepping, std::vector<const std::vector<bool>*> states,
            const std::optional<std::vector<explore::Channel>>& stable, const Observer* observer);

    bool in_states(const explore::Configuration& at) const;
    bool stable(const explore::Configuration& at) const;
    bool reached(const explore::Configuration& at, std::uint32_t observed) const {
        return in_states(at) && stable(at) && (!observer_ || observer_->complete(observed));
    }
    // The channels that must be empty, ascending.
    const std::vector<std::size_t>& watched() const { return watched_; }
    bool watches(std::size_t channel) const;

private:
    std::vector<const std::vector<bool>*> states_;
    const Observer* observer_;
    std::vector<std::size_t> watched_;
};

}  // namespace treaty::testgen
