// System: machines that talk over channels, and how the channels behave.
//
// One machine per role, all over one alphabet. A message travels on the channel of its ordered pair of
// roles, or in `mailbox` mode on the one queue of its receiver. The bound is the capacity of each channel;
// none means unbounded. In `sync` mode there are no channels: sender and receiver step together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/machine.h"

namespace treaty::model {

enum class Mode : std::uint8_t { sync, fifo, bag, mailbox };

std::string_view to_string(Mode mode);
std::optional<Mode> parse_mode(std::string_view text);

struct Channels {
    Mode mode = Mode::fifo;
    std::optional<std::uint32_t> bound;
};

class System {
public:
    const std::string& name() const { return name_; }
    const std::shared_ptr<Alphabet>& alphabet_ptr() const { return alphabet_; }
    const Alphabet& alphabet() const { return *alphabet_; }
    std::span<const Machine> machines() const { return machines_; }
    const Channels& channels() const { return channels_; }
    // The same over copies of its tables, in which all ids mean the same.
    System copy() const;
    // The machine of a role, by its position; none if the role has no machine.
    std::optional<std::size_t> machine_of(RoleId role) const;

private:
    friend std::optional<System> make_system(std::string, std::vector<Machine>, Channels, std::string*);
    std::string name_;
    std::shared_ptr<Alphabet> alphabet_;
    std::vector<Machine> machines_;
    Channels channels_;
};

// Refuses machines over different alphabets, two machines of one role, a machine without a role, and an edge
// whose subject is not the machine's role; *fault names it.
std::optional<System> make_system(std::string name, std::vector<Machine> machines, Channels channels,
                                  std::string* fault = nullptr);

}  // namespace treaty::model
