// How each state was first reached, in two bytes per state.
//
// A breadth-first search by one thread finds the children of its first parent, then those of the next, and so
// on. The log writes down, for each parent in turn, how many new children it had and which of its successors
// they were (numbers of seven bits per byte). A state's number is its place among the thread's finds; its
// parent is found by reading on from the last note of where the log was (one per unit of parents). Parents of
// a unit are consecutive finds of one thread. Cost: about two bytes per state; parent() reads one unit.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/memory.h"

namespace treaty::explore {

// A state, by the thread that found it and its place among that thread's finds.
struct NodeRef {
    std::uint32_t thread = 0;
    std::uint32_t number = 0;
};

class RunLog {
public:
    explicit RunLog(Budget& budget) : budget_(budget) {}

    // What follows are children of `first` and the finds after it. The first of them has this number.
    void begin_unit(NodeRef first, std::uint32_t child) { units_.push_back({size_, first, child}); }
    // The next parent: how many new children, and which successors they were. False: out of memory.
    bool put(std::uint32_t value) {
        if (size_ + 5 > blocks_.size() * block_size && !add_block()) return false;
        while (value >= 128) {
            put_byte(static_cast<std::uint8_t>(value | 128));
            value >>= 7;
        }
        put_byte(static_cast<std::uint8_t>(value));
        return true;
    }

    struct Origin {
        NodeRef parent;
        std::uint32_t choice;
    };
    Origin origin(std::uint32_t number) const;  // of a child that was put

private:
    static constexpr std::size_t block_size = std::size_t(1) << 16;
    struct Unit {
        std::uint64_t offset;
        NodeRef first;
        std::uint32_t child;
    };

    bool add_block();
    void put_byte(std::uint8_t byte) {
        blocks_[size_ / block_size].as<std::uint8_t>()[size_ % block_size] = byte;
        ++size_;
    }
    std::uint32_t get(std::uint64_t& offset) const;

    Budget& budget_;
    std::vector<Pages> blocks_;
    std::vector<Unit> units_;
    std::uint64_t size_ = 0;
};

}  // namespace treaty::explore
