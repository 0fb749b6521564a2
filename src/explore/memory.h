// Memory for large tables: zeroed pages straight from the system, counted against one budget.
//
// A search takes everything large from one Budget and ends as "memory limit" when it is refused, so it never
// meets the system's out-of-memory killer. Pages of 2 MiB and more ask for huge pages: a table probe then
// rarely misses the address cache as well. A Budget may be shared by threads; Pages belong to one owner.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace treaty::explore {

class Budget {
public:
    // At most `asked` bytes, and at most nine tenths of what the machine (or its control group) has left now.
    explicit Budget(std::uint64_t asked = UINT64_MAX);

    bool take(std::size_t bytes);  // false: it would exceed the limit, nothing was taken
    void give(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
    std::size_t used() const { return used_.load(std::memory_order_relaxed); }
    std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }
    std::size_t limit() const { return limit_; }

private:
    std::size_t limit_;
    std::atomic<std::size_t> used_{0};
    std::atomic<std::size_t> peak_{0};
};

class Pages {
public:
    Pages() = default;
    // Empty (false) if the budget or the system refuses. The budget must outlive the pages.
    static Pages allocate(Budget& budget, std::size_t bytes);
    // Addresses only: bytes may be used once commit() has taken them from the budget, a part at a time.
    static Pages reserve(Budget& budget, std::size_t bytes);
    Pages(Pages&& other) noexcept { swap(other); }
    Pages& operator=(Pages&& other) noexcept {
        Pages(std::move(other)).swap(*this);
        return *this;
    }
    ~Pages();

    bool commit(std::size_t bytes);
    // These bytes will be written soon: asks the system for their pages at once. A page that is read first
    // and written then costs two faults, and an interrupt of every other core.
    void touch(std::size_t offset, std::size_t bytes);
    // These bytes are not used any more; the system gets back the whole pages among them.
    void discard(std::size_t offset, std::size_t bytes);

    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }
    explicit operator bool() const { return data_ != nullptr; }

private:
    void swap(Pages& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(budget_, other.budget_);
        committed_ = other.committed_.exchange(committed_);
    }

    void* data_ = nullptr;
    std::size_t size_ = 0;
    std::atomic<std::size_t> committed_{0};
    Budget* budget_ = nullptr;
};

}  // namespace treaty::explore
