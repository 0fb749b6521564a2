// The decisions that a generator makes, as a list of numbers: made at random once, then replayed and made
// smaller.
//
// Everything generated is a function of its choices. 0 is always the simplest decision, so a list that is
// shorter, or smaller at its first difference, gives something simpler: that is all that shrinking needs to
// know. Beyond the end of a replayed list every decision is the simplest.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace treaty::solve {

enum class Bias : std::uint8_t {
    even,   // all alike
    small,  // near 0 often, near the end sometimes, anywhere now and then
};

enum class Lean : std::uint8_t {
    usual,  // by the bias
    edges,  // at the ends of the range, or one beside
    even,   // without the bias: as many of each, as in traffic that is meant to be realistic
};

class Choices {
public:
    explicit Choices(std::uint64_t seed) : random_(seed) {}
    explicit Choices(std::span<const std::uint64_t> recorded)
        : recorded_(recorded.begin(), recorded.end()), replaying_(true) {}

    // A number below bound; a bound of 0 means 2^64. A recorded one that is too large becomes the
    // largest.
    std::uint64_t draw(std::uint64_t bound, Bias bias = Bias::even);
    // 1 with about so many chances in a hundred.
    bool flag(unsigned percent);
    // A weighted decision: an index into weights, which are not all zero.
    std::size_t pick(std::span<const std::uint32_t> weights);

    // From now on this is how numbers with a bias are drawn.
    void lean(Lean how) { lean_ = how; }

    const std::vector<std::uint64_t>& made() const { return made_; }
    // Forgets what was decided since made() had this size: a try that failed leaves no trace.
    void rewind(std::size_t size) {
        made_.resize(size);
        next_ = size;
    }
    // Records a decision that was made elsewhere, or changes one that was.
    void note(std::size_t at, std::uint64_t choice) {
        if (at == made_.size())
            made_.push_back(choice);
        else
            made_[at] = choice;
    }
    bool replaying() const { return replaying_; }

private:
    std::uint64_t decide(std::uint64_t bound, Bias bias);
    std::uint64_t keep(std::uint64_t choice) {
        made_.push_back(choice);
        return choice;
    }

    std::mt19937_64 random_;
    std::vector<std::uint64_t> recorded_;
    std::size_t next_ = 0;
    bool replaying_ = false;
    Lean lean_ = Lean::usual;
    std::vector<std::uint64_t> made_;
};

}  // namespace treaty::solve
