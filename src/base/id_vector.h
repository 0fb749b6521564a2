// A vector that is indexed by ids of one kind, so that a position in one table is not taken for a position in
// another.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/id.h"

namespace treaty::base {

// The ids of a table of this size, in order.
template <class IdType>
class IdRange {
public:
    class Iterator {
    public:
        explicit Iterator(std::size_t at) : at_(at) {}
        IdType operator*() const { return IdType(at_); }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        bool operator==(const Iterator&) const = default;

    private:
        std::size_t at_;
    };

    explicit IdRange(std::size_t size) : size_(size) {}
    Iterator begin() const { return Iterator(0); }
    Iterator end() const { return Iterator(size_); }

private:
    std::size_t size_;
};

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
    IdRange<IdType> ids() const { return IdRange<IdType>(items_.size()); }
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
    void resize(std::size_t size) { items_.resize(size); }
    void assign(std::size_t size, const T& value) { items_.assign(size, value); }
    void clear() { items_.clear(); }

    friend bool operator==(const IdVector&, const IdVector&) = default;

private:
    Items items_;
};

}  // namespace treaty::base
