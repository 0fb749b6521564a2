// The states of one level that wait to be expanded, in blocks that are used again as soon as they are empty.
//
// Threads append to their own Frontier. When the level is full it is cut into units, which threads take from
// a common list; a block goes back to the pool when the last of its units is done, so two levels of a search
// never need twice the memory of one.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "explore/memory.h"
#include "explore/run_log.h"
#include "explore/space.h"

namespace treaty::explore {

class BlockPool {
public:
    static constexpr std::size_t block_size = std::size_t(1) << 16;
    explicit BlockPool(Budget& budget) : budget_(budget) {}

    Pages take() {
        std::lock_guard lock(mutex_);
        if (free_.empty()) return Pages::allocate(budget_, block_size);
        Pages block = std::move(free_.back());
        free_.pop_back();
        return block;
    }
    void give(Pages block) {
        std::lock_guard lock(mutex_);
        free_.push_back(std::move(block));
    }

private:
    Budget& budget_;
    std::mutex mutex_;
    std::vector<Pages> free_;
};

struct FrontierBlock {
    Pages pages;
    std::uint32_t count = 0;
    std::atomic<std::uint32_t> units_left{0};
};

template <int W>
class Frontier {
public:
    static constexpr std::size_t per_block = BlockPool::block_size / sizeof(State<W>);

    bool push(const State<W>& state, BlockPool& pool) {
        if (room_ == 0 && !add_block(pool)) return false;
        *next_++ = state;
        --room_;
        return true;
    }
    // All that was pushed; what is pushed next starts a new level.
    std::deque<FrontierBlock> release() {
        if (!blocks_.empty()) blocks_.back().count = static_cast<std::uint32_t>(per_block - room_);
        room_ = 0;
        return std::exchange(blocks_, {});
    }

private:
    bool add_block(BlockPool& pool) {
        Pages pages = pool.take();
        if (!pages) return false;
        next_ = pages.as<State<W>>();
        room_ = per_block;
        FrontierBlock& block = blocks_.emplace_back();
        block.pages = std::move(pages);
        block.count = per_block;
        return true;
    }

    std::deque<FrontierBlock> blocks_;
    State<W>* next_ = nullptr;
    std::size_t room_ = 0;
};

// A part of a level: consecutive finds of one thread.
template <int W>
struct FrontierUnit {
    const State<W>* first = nullptr;
    std::uint32_t count = 0;
    NodeRef node;
    FrontierBlock* block = nullptr;
};

}  // namespace treaty::explore
