#include "explore/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace treaty::explore {
namespace {

constexpr std::size_t huge_page = std::size_t(2) << 20;
constexpr std::size_t small_page = 4096;

std::uint64_t available_memory() {
    std::uint64_t available = UINT64_MAX;
    std::ifstream info("/proc/meminfo");
    for (std::string key; info >> key;) {
        std::uint64_t kilobytes = 0;
        if (key == "MemAvailable:" && info >> kilobytes) available = kilobytes * 1024;
        info.ignore(256, '\n');
    }
    std::uint64_t group_limit = 0, group_used = 0;
    std::ifstream max("/sys/fs/cgroup/memory.max"), current("/sys/fs/cgroup/memory.current");
    if (max >> group_limit && current >> group_used)
        available = std::min(available, group_limit > group_used ? group_limit - group_used : 0);
    return available;
}

}  // namespace

Budget::Budget(std::uint64_t asked) {
    std::uint64_t available = available_memory();
    std::uint64_t most = available == UINT64_MAX ? UINT64_MAX : available / 10 * 9;
    limit_ = static_cast<std::size_t>(std::min(asked, most));
}

bool Budget::take(std::size_t bytes) {
    std::size_t before = used_.load(std::memory_order_relaxed);
    do {
        if (bytes > limit_ || before > limit_ - bytes) return false;
    } while (!used_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    std::size_t now = before + bytes, peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    return true;
}

Pages Pages::allocate(Budget& budget, std::size_t bytes) {
    Pages pages = reserve(budget, bytes);
    if (pages && !pages.commit(pages.size_)) return {};
    return pages;
}

Pages Pages::reserve(Budget& budget, std::size_t bytes) {
    if (bytes > budget.limit()) return {};
    bool huge = bytes >= huge_page;
    bytes = std::max(bytes, small_page);
    bytes = (bytes + small_page - 1) / small_page * small_page;
    // A mapping of huge pages must start on a multiple of their size: map more and give the ends back.
    std::size_t mapped = huge ? bytes + huge_page : bytes;
    void* start =
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return {};
    Pages pages;
    pages.data_ = start;
    if (huge) {
        auto address = reinterpret_cast<std::uintptr_t>(start);
        std::uintptr_t aligned = (address + huge_page - 1) / huge_page * huge_page;
        if (aligned > address) munmap(start, aligned - address);
        std::size_t tail = mapped - (aligned - address) - bytes;
        pages.data_ = reinterpret_cast<void*>(aligned);
        if (tail > 0) munmap(static_cast<char*>(pages.data_) + bytes, tail);
        madvise(pages.data_, bytes, MADV_HUGEPAGE);
    }
    pages.size_ = bytes;
    pages.budget_ = &budget;
    return pages;
}

bool Pages::commit(std::size_t bytes) {
    if (!budget_->take(bytes)) return false;
    committed_.fetch_add(bytes, std::memory_order_relaxed);
    return true;
}

void Pages::touch(std::size_t offset, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
    std::size_t begin = offset / small_page * small_page;
    std::size_t end = std::min(size_, (offset + bytes + small_page - 1) / small_page * small_page);
    madvise(static_cast<char*>(data_) + begin, end - begin,
            MADV_POPULATE_WRITE);  // older systems refuse: no harm
#else
    static_cast<void>(offset);
    static_cast<void>(bytes);
#endif
}

void Pages::discard(std::size_t offset, std::size_t bytes) {
    std::size_t begin = (offset + huge_page - 1) / huge_page * huge_page;
    std::size_t end = (offset + bytes) / huge_page * huge_page;
    if (begin < end) madvise(static_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
    committed_.fetch_sub(bytes, std::memory_order_relaxed);
    budget_->give(bytes);
}

Pages::~Pages() {
    if (!data_) return;
    munmap(data_, size_);
    budget_->give(committed_);
}

}  // namespace treaty::explore
