#include "reduce.h"

namespace treaty::verdicts {
namespace {

// Offers every file that is one part smaller, until one is taken.
class Smaller {
public:
    Smaller(File& file, const std::function<bool(const File&)>& shows) : file_(file), shows_(shows) {}

    bool any() { return in(file_.tested().body); }

private:
    bool taken() const { return shows_(file_); }

    template <class T>
    bool instead(T& part, T other) {
        std::swap(part, other);
        if (taken()) return true;
        std::swap(part, other);
        return false;
    }

    bool in(Block& block) {
        for (std::size_t i = 0; i < block.size(); ++i) {
            Block without = block;
            without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
            if (instead(block, without)) return true;
            for (const Block& inner : block[i].blocks) {
                Block opened = without;
                opened.insert(opened.begin() + static_cast<std::ptrdiff_t>(i), inner.begin(), inner.end());
                if (instead(block, opened)) return true;
            }
        }
        for (Step& step : block)
            if (in(step)) return true;
        return false;
    }

    bool in(Step& step) {
        if (step.kind == Step::Kind::interaction) {
            if (step.condition && instead(step.condition, {})) return true;
            if (!step.arguments.empty() && step.arguments[0].kind != Argument::Kind::any &&
                instead(step.arguments, {Argument{}}))
                return true;
            if (!step.arguments.empty()) {
                Step plain = step;
                plain.arguments.clear();
                plain.condition.reset();
                plain.name = "m9";
                if (instead(step, plain)) return true;
            }
        }
        if (step.blocks.size() > 2 || (step.kind == Step::Kind::conditional && step.blocks.size() > 1))
            for (std::size_t i = 0; i < step.blocks.size(); ++i) {
                auto fewer = step.blocks;
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
                if (instead(step.blocks, fewer)) return true;
            }
        for (Block& inner : step.blocks)
            if (in(inner)) return true;
        return false;
    }

    File& file_;
    const std::function<bool(const File&)>& shows_;
};

}  // namespace

File reduced(File file, const std::function<bool(const File&)>& shows) {
    for (int rounds = 0; rounds < 400; ++rounds)
        if (!Smaller(file, shows).any()) break;
    return file;
}

}  // namespace treaty::verdicts
