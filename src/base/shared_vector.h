// A vector whose copies share their elements until one of them is changed.
//
// note() keeps a number about the elements with them until they are changed.
//
// Copying costs one atomic increment, whatever the size; the first change of a copy that is still shared
// copies the elements, one level deep. Reading through a const one never copies. As with any vector, a change
// invalidates iterators; so does the first access to a shared one that is not const, so references that were
// taken from a const one must not be kept across it. Different copies may be used in different threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace treaty::base {

template <class T>
class SharedVector {
public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using pointer = T*;
    using const_pointer = const T*;
    using iterator = T*;
    using const_iterator = const T*;

    SharedVector() = default;
    SharedVector(std::initializer_list<T> from) : SharedVector(from.begin(), from.end()) {}
    SharedVector(std::vector<T> from)  // NOLINT: implicit by intent
        : SharedVector(std::make_move_iterator(from.begin()), std::make_move_iterator(from.end())) {}
    template <std::input_iterator Iterator>
    SharedVector(Iterator first, Iterator last) {
        auto count = static_cast<std::size_t>(std::distance(first, last));
        if (count == 0) return;
        block_ = Block::make(count);
        std::uninitialized_copy(first, last, block_->items());
        block_->size = count;
    }
    SharedVector(const SharedVector& other) noexcept : block_(other.block_) {
        if (block_) block_->users.fetch_add(1, std::memory_order_relaxed);
    }
    SharedVector(SharedVector&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    SharedVector& operator=(SharedVector other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~SharedVector() { release(); }

    operator std::vector<T>() const { return std::vector<T>(begin(), end()); }  // NOLINT: implicit by intent

    std::size_t size() const { return block_ ? block_->size : 0; }
    bool empty() const { return size() == 0; }
    const T* data() const { return block_ ? block_->items() : nullptr; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }
    const T& operator[](std::size_t i) const { return data()[i]; }
    const T& front() const { return data()[0]; }
    const T& back() const { return data()[size() - 1]; }
    bool shares_with(const SharedVector& other) const { return block_ == other.block_; }

    // What was noted since the last access that is not const; 0: nothing.
    std::uint32_t noted() const { return block_ ? block_->note.load(std::memory_order_relaxed) : 0; }
    void note(std::uint32_t number) const {
        if (block_) block_->note.store(number, std::memory_order_relaxed);
    }

    T* data() { return own(size()); }
    T* begin() { return data(); }
    T* end() { return data() + size(); }
    T& operator[](std::size_t i) { return data()[i]; }
    T& front() { return data()[0]; }
    T& back() { return data()[size() - 1]; }

    void reserve(std::size_t count) {
        if (count > 0) own(std::max(count, size()));
    }
    void clear() { release(); }
    void push_back(T value) { emplace_back(std::move(value)); }
    template <class... Arguments>
    T& emplace_back(Arguments&&... arguments) {
        T made(std::forward<Arguments>(arguments)...);  // it may be made of an element
        T* at = own(grown()) + block_->size;
        std::construct_at(at, std::move(made));
        ++block_->size;
        return *at;
    }
    void pop_back() {
        own(size());
        std::destroy_at(block_->items() + --block_->size);
    }
    void resize(std::size_t count) {
        while (size() > count) pop_back();
        reserve(count);
        while (size() < count) emplace_back();
    }
    T* insert(const T* position, T value) {
        auto at = position - std::as_const(*this).data();
        emplace_back(std::move(value));
        std::rotate(begin() + at, end() - 1, end());
        return begin() + at;
    }
    template <std::input_iterator Iterator>
    T* insert(const T* position, Iterator first, Iterator last) {  // not of this one
        auto at = position - std::as_const(*this).data();
        auto before = static_cast<std::ptrdiff_t>(size());
        reserve(size() + static_cast<std::size_t>(std::distance(first, last)));
        for (; first != last; ++first) emplace_back(*first);
        std::rotate(begin() + at, begin() + before, end());
        return begin() + at;
    }
    T* erase(const T* position) { return erase(position, position + 1); }
    T* erase(const T* first, const T* last) {
        auto from = first - std::as_const(*this).data(), to = last - std::as_const(*this).data();
        T* items = begin();
        std::move(items + to, end(), items + from);
        for (auto n = to - from; n > 0; --n) pop_back();
        return items + from;
    }
    // The same elements as another one, in memory of its own, which is kept if there is enough of it.
    void copy_from(const SharedVector& other) {
        if (block_ == other.block_) return;
        if (!block_ || !block_->alone() || block_->room < other.size()) {
            SharedVector fresh(other.begin(), other.end());
            std::swap(block_, fresh.block_);
            return;
        }
        block_->note.store(other.noted(), std::memory_order_relaxed);
        std::size_t both = std::min(size(), other.size());
        std::copy(other.begin(), other.begin() + both, block_->items());
        while (block_->size > both) std::destroy_at(block_->items() + --block_->size);
        for (; block_->size < other.size(); ++block_->size)
            std::construct_at(block_->items() + block_->size, other[block_->size]);
    }

    friend bool operator==(const SharedVector& a, const SharedVector& b) {
        return a.block_ == b.block_ || std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    template <class Which>
    friend std::size_t erase_if(SharedVector& from, Which which) {
        T* kept = std::remove_if(from.begin(), from.end(), which);
        auto gone = static_cast<std::size_t>(from.end() - kept);
        for (std::size_t n = gone; n > 0; --n) from.pop_back();
        return gone;
    }

private:
    struct Block {
        std::atomic<std::uint32_t> users{1};
        mutable std::atomic<std::uint32_t> note{0};
        std::size_t size = 0, room = 0;

        static constexpr std::size_t offset() {
            return (sizeof(Block) + alignof(T) - 1) / alignof(T) * alignof(T);
        }
        static Block* make(std::size_t room) {
            static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
            auto* block = new (::operator new(offset() + room * sizeof(T))) Block;
            block->room = room;
            return block;
        }
        T* items() {
            return std::launder(reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + offset()));
        }
        bool alone() const { return users.load(std::memory_order_acquire) == 1; }
    };

    std::size_t grown() const {
        return block_ && block_->size < block_->room ? block_->room : std::max<std::size_t>(2 * size(), 4);
    }
    // The elements, not shared, with room for so many.
    T* own(std::size_t room) {
        if (!block_ && room == 0) return nullptr;
        if (block_ && block_->alone() && block_->room >= room) {
            block_->note.store(0, std::memory_order_relaxed);
            return block_->items();
        }
        Block* fresh = Block::make(std::max(room, size()));
        std::size_t count = size();
        if (block_ && block_->alone())
            std::uninitialized_move(block_->items(), block_->items() + count, fresh->items());
        else if (block_)
            std::uninitialized_copy(block_->items(), block_->items() + count, fresh->items());
        fresh->size = count;
        release();
        block_ = fresh;
        return block_->items();
    }
    void release() {
        Block* block = std::exchange(block_, nullptr);
        if (!block || block->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        std::destroy(block->items(), block->items() + block->size);
        block->~Block();
        ::operator delete(block);
    }

    Block* block_ = nullptr;
};

}  // namespace treaty::base
