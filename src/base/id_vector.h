// A vector that is indexed by ids of one kind, so that a position in one table is not taken for a position in
// another.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <utility>
#include <vector>

#include "base/id.h"

namespace treaty::base {

template <class IdType, class T>
class IdVector {
public:
    using Items = std::vector<T>;
    using value_type = T;

    IdVector() = default;
    explicit IdVector(std::size_t size) : items_(size) {}
    IdVector(std::size_t size, const T& value) : items_(size, value) {}
    IdVector(std::initializer_list<T> items) : items_(items) {}

    typename Items::reference operator[](IdType id) { return items_[id.index]; }
    typename Items::const_reference operator[](IdType id) const { return items_[id.index]; }

    std::size_t size() const { return items_.size(); }
    bool empty() const { return items_.empty(); }
    bool has(IdType id) const { return id.index < items_.size(); }
    // All ids at the time of the call: what is added later has to be asked for again.
    auto ids() const {
        return std::views::iota(std::size_t{0}, items_.size()) |
               std::views::transform([](std::size_t i) { return IdType(i); });
    }
    IdType next_id() const { return IdType(items_.size()); }  // of the item that is added next

    auto begin() { return items_.begin(); }
    auto end() { return items_.end(); }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }
    typename Items::reference front() { return items_.front(); }
    typename Items::const_reference front() const { return items_.front(); }
    typename Items::reference back() { return items_.back(); }
    typename Items::const_reference back() const { return items_.back(); }

    void push_back(T item) { items_.push_back(std::move(item)); }
    template <class... Parts>
    decltype(auto) emplace_back(Parts&&... parts) {
        return items_.emplace_back(std::forward<Parts>(parts)...);
    }
    template <class Position, class... More>
    auto insert(Position at, More&&... more) {
        return items_.insert(at, std::forward<More>(more)...);
    }
    template <class... Range>
    auto erase(Range&&... range) {
        return items_.erase(std::forward<Range>(range)...);
    }
    void pop_back() { items_.pop_back(); }
    void resize(std::size_t size) { items_.resize(size); }
    void assign(std::size_t size, const T& value) { items_.assign(size, value); }
    void clear() { items_.clear(); }

    friend bool operator==(const IdVector&, const IdVector&) = default;

private:
    Items items_;
};

}  // namespace treaty::base
