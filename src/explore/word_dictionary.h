// Numbers for 64-bit words: equal words have equal numbers, counted from 0 in order of first appearance.
//
// For the parts of states that occur again and again. Cost: 8 bytes per word and 5 to 10 for its place in the
// index.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "explore/memory.h"

namespace treaty::explore {

class WordDictionary {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    explicit WordDictionary(Budget& budget) : budget_(budget) {}
    ~WordDictionary() { budget_.give(taken_); }
    WordDictionary(const WordDictionary&) = delete;
    WordDictionary& operator=(const WordDictionary&) = delete;

    // none if the budget refuses.
    std::uint32_t intern(std::uint64_t word) {
        if ((words_.size() + 1) * 4 > index_.size() * 3 && !grow()) return none;
        std::size_t at = slot(word);
        if (index_[at] == 0) {
            words_.push_back(word);
            index_[at] = static_cast<std::uint32_t>(words_.size());
        }
        return index_[at] - 1;
    }
    std::uint32_t find(std::uint64_t word) const {
        return index_.empty() ? none : index_[slot(word)] - 1;  // 0 - 1 is none
    }
    std::uint64_t word(std::uint32_t number) const { return words_[number]; }
    std::size_t size() const { return words_.size(); }

private:
    std::size_t slot(std::uint64_t word) const {
        std::size_t at = base::mix(word) & (index_.size() - 1);
        while (index_[at] != 0 && words_[index_[at] - 1] != word) at = (at + 1) & (index_.size() - 1);
        return at;
    }
    bool grow() {
        std::size_t size = index_.empty() ? 64 : index_.size() * 2;
        std::size_t bytes =
            (size - index_.size()) * (4 + 6);  // its slots, and words for three quarters of them
        if (size > (std::size_t(1) << 31) || !budget_.take(bytes)) return false;
        taken_ += bytes;
        index_.assign(size, 0);
        words_.reserve(size / 4 * 3);
        for (std::uint32_t i = 0; i < words_.size(); ++i) index_[slot(words_[i])] = i + 1;
        return true;
    }

    Budget& budget_;
    std::size_t taken_ = 0;
    std::vector<std::uint64_t> words_;
    std::vector<std::uint32_t> index_;  // a word's number and 1; 0: free
};

}  // namespace treaty::explore
