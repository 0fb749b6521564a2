// A set of packed states: what every search remembers.
//
// Positions name states: find() gives the position of a known state, at() the state of a position. They are
// valid until the table grows. Adding is done a batch at a time; before each batch every thread asks
// needs_growth(), and when one gets true all of them meet and grow together (grow() may be called by all of
// them at once; each takes a part). insert() may run in several threads if the table allows it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explore/space.h"

namespace treaty::explore {

template <int W>
class Table {
public:
    static constexpr std::size_t nowhere = SIZE_MAX;

    virtual ~Table() = default;
    virtual bool concurrent() const = 0;  // insert() from several threads
    // Room for one more batch of at most this many successors from each thread?
    virtual bool needs_growth(std::size_t successors) const = 0;
    virtual void begin_growth() = 0;  // by one thread, before
    virtual void grow() = 0;          // by all threads; those that find no part left return at once
    virtual bool end_growth() = 0;    // by one thread, after; false: no memory, the table is as it was

    // Adds the batch's successors and sets fresh() for those that were new.
    virtual void insert(Batch<W>& batch, unsigned thread) = 0;

    virtual std::size_t find(const State<W>& state) const = 0;  // its position, or nowhere
    virtual State<W> at(std::size_t position) const = 0;
    virtual std::size_t positions() const = 0;  // all are below
};

}  // namespace treaty::explore
