// How long reading and checking a protocol takes, by its size: it should grow with the text and no faster.
//
//   lang_bench          prints a table from 10 kB to 10 MB and the growth between neighbours
//
// The text is generated: 200 roles, nested choices, parallel segments, loops, and data that passes from role
// to role, 20,000 interactions in a megabyte.
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/source.h"
#include "lang/format.h"
#include "lang/read.h"

namespace {

using namespace treaty;

class Generator {
public:
    explicit Generator(std::uint32_t seed) : random_(seed) {}

    std::string protocol(std::size_t bytes) {
        text_ = "message order(amount: int, note: string)\nmessage price(amount: int)\n\nprotocol Large(";
        for (std::size_t i = 0; i < roles; ++i) text_ += fmt::format("{}r{}", i == 0 ? "" : ", ", i);
        text_ += ") {\n";
        while (text_.size() < bytes) step(1);
        text_ += "}\n";
        return std::move(text_);
    }

    std::size_t interactions() const { return interactions_; }

private:
    static constexpr std::size_t roles = 200;

    std::size_t pick(std::size_t n) { return random_() % n; }
    void line(int depth, std::string_view what) {
        text_.append(static_cast<std::size_t>(depth) * 2, ' ');
        text_ += what;
        text_ += '\n';
    }

    void interaction(int depth, std::size_t from) {
        std::size_t to = (from + 1 + pick(roles - 1)) % roles;
        line(depth, fmt::format("r{} -> r{}: step{}", from, to, interactions_++));
    }

    void step(int depth) {
        std::size_t role = pick(roles);
        switch (depth < 12 ? pick(10) : 9) {
            case 0: return block(depth, fmt::format("choice at r{}", role), "or", role);
            case 1: return block(depth, "par", "and", role);
            case 2: return block(depth, fmt::format("repeat at r{}", role), "", role);
            case 3: {
                std::size_t to = (role + 1 + pick(roles - 1)) % roles;
                line(depth, fmt::format("r{} -> r{}: order(let x{}, _)", role, to, interactions_));
                line(depth, fmt::format("r{} -> r{}: price(x{} * 2 + 1) where x{} > 0", to, role,
                                        interactions_, interactions_));
                interactions_ += 2;
                return;
            }
            default: return interaction(depth, role);
        }
    }

    void block(int depth, std::string_view head, std::string_view separator, std::size_t role) {
        std::size_t branches = separator.empty() ? 1 : 2 + pick(2);
        for (std::size_t i = 0; i < branches; ++i) {
            line(depth, i == 0 ? fmt::format("{} {{", head) : fmt::format("}} {} {{", separator));
            interaction(depth + 1, role);
            for (std::size_t k = pick(3); k > 0; --k) step(depth + 1);
        }
        line(depth, "}");
    }

    std::mt19937 random_;
    std::string text_;
    std::size_t interactions_ = 0;
};

double seconds_to_read(const std::string& text, std::size_t& errors) {
    double best = 1e9;
    for (int round = 0; round < (text.size() > 2'000'000 ? 3 : 7); ++round) {
        base::SourceMap sources;
        base::FileId file = sources.add("large.treaty", text);
        base::Diagnostics diagnostics;
        auto start = std::chrono::steady_clock::now();
        auto spec = lang::read(sources, file, diagnostics);
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        errors = diagnostics.errors();
    }
    return best;
}

}  // namespace

int main() {
    fmt::print("reading and checking a protocol, by size (best of several)\n\n");
    fmt::print("{:>10} {:>13} {:>11} {:>9} {:>8}\n", "bytes", "interactions", "seconds", "MB/s", "growth");
    double previous_per_byte = 0;
    for (std::size_t bytes : {10'000u, 100'000u, 1'000'000u, 10'000'000u}) {
        Generator generator(7);
        std::string text = generator.protocol(bytes);
        std::size_t errors = 0;
        double seconds = seconds_to_read(text, errors);
        double per_byte = seconds / static_cast<double>(text.size());
        fmt::print("{:>10} {:>13} {:>11.4f} {:>9.1f} {:>8}\n", text.size(), generator.interactions(), seconds,
                   1e-6 / per_byte,
                   previous_per_byte > 0 ? fmt::format("{:.2f}", per_byte / previous_per_byte) : "");
        if (errors > 0) {
            fmt::print("the generated protocol has {} errors\n", errors);
            return 1;
        }
        previous_per_byte = per_byte;
    }
    fmt::print("\ngrowth is the cost of a byte against the row above: 1 is linear.\n");
    return 0;
}
