// A budget of steps is handed down the tree. Every block draws from a set of ordered pairs of roles; with
// separate channels a parallel block divides its pairs among its branches.
#include "choreo/testing/random_protocol.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/check.h"
#include "base/seeded_random.h"

namespace treaty::choreo {

namespace {

using model::MessageId;
using model::NodeKind;
using model::RoleId;

struct Pair {
    RoleId from, to;
};

class Generator {
public:
    Generator(model::Specification& spec, const RandomShape& shape, std::uint64_t seed)
        : shape_(shape), random_(seed), spec_(spec), builder_("Random", {}, make_roles(spec, shape)) {
        for (std::uint32_t i = 0; i < std::max(1u, shape.messages); ++i)
            messages_.push_back(spec.alphabet->message(fmt::format("m{}", i)));
    }

    model::Protocol run() {
        std::vector<Pair> pairs;
        auto count = std::max(2u, shape_.roles);
        for (std::uint32_t a = 0; a < count; ++a)
            for (std::uint32_t b = 0; b < count; ++b)
                if (a != b) pairs.push_back({role(a), role(b)});
        block(pairs, shape_.steps, shape_.depth);
        spec_.messages.resize(spec_.alphabet->message_count());
        auto protocol = builder_.finish();
        TREATY_CHECK(protocol.has_value());
        return std::move(*protocol);
    }

private:
    static std::vector<RoleId> make_roles(model::Specification& spec, const RandomShape& shape) {
        std::vector<RoleId> roles;
        for (std::uint32_t i = 0; i < std::max(2u, shape.roles); ++i)
            roles.push_back(spec.alphabet->role(fmt::format("R{}", i)));
        return roles;
    }
    RoleId role(std::uint32_t i) const { return spec_.alphabet->find_role(fmt::format("R{}", i)); }

    void interaction(const Pair& pair, MessageId message) {
        builder_.interaction({}, pair.from, pair.to, message);
    }
    MessageId any_message() { return messages_[random_.below(static_cast<std::uint32_t>(messages_.size()))]; }
    const Pair& any_pair(const std::vector<Pair>& pairs) {
        return pairs[random_.below(static_cast<std::uint32_t>(pairs.size()))];
    }

    // A sequence of about `steps` interactions.
    void block(const std::vector<Pair>& pairs, std::uint32_t steps, std::uint32_t depth) {
        builder_.open(NodeKind::sequence, {});
        while (steps > 0) {
            std::uint32_t part = 1 + random_.below(steps);
            if (depth == 0 || part < 2 || random_.percent(30)) {
                if (shape_.semaphores && in_parallel_ > 0 && random_.percent(25))
                    semaphore();
                else
                    interaction(any_pair(pairs), any_message());
                steps -= 1;
            } else {
                composite(pairs, part, depth - 1);
                steps -= part;
            }
        }
        builder_.close();
    }

    void composite(const std::vector<Pair>& pairs, std::uint32_t steps, std::uint32_t depth) {
        std::vector<void (Generator::*)(const std::vector<Pair>&, std::uint32_t, std::uint32_t)> kinds;
        if (shape_.choices) kinds.push_back(&Generator::choice);
        if (shape_.loops) kinds.push_back(&Generator::loop);
        if (shape_.recursion) kinds.push_back(&Generator::recursion);
        if (shape_.parallel) kinds.push_back(&Generator::parallel);
        if (shape_.interrupts) kinds.push_back(&Generator::interrupt);
        if (kinds.empty()) return block(pairs, steps, 0);
        (this->*kinds[random_.below(static_cast<std::uint32_t>(kinds.size()))])(pairs, steps, depth);
    }

    void semaphore() {
        auto name = builder_.semaphore(random_.percent(50) ? "s" : "t");
        if (random_.percent(50))
            builder_.signal({}, name);
        else
            builder_.wait({}, name);
    }

    // The decider's partners: the roles it can send to within these pairs.
    std::vector<Pair> from_decider(const std::vector<Pair>& pairs, RoleId decider) {
        std::vector<Pair> result;
        for (const Pair& p : pairs)
            if (p.from == decider) result.push_back(p);
        return result;
    }
    std::vector<Pair> among(const std::vector<Pair>& pairs, const std::vector<RoleId>& roles) {
        auto in = [&](RoleId r) { return std::find(roles.begin(), roles.end(), r) != roles.end(); };
        std::vector<Pair> result;
        for (const Pair& p : pairs)
            if (in(p.from) && in(p.to)) result.push_back(p);
        return result;
    }

    struct Decision {
        RoleId decider;
        std::vector<Pair> tell;    // whom the decider tells
        std::vector<Pair> inside;  // what those involved may do
    };
    Decision decide(const std::vector<Pair>& pairs) {
        Decision d;
        d.decider = any_pair(pairs).from;
        auto partners = from_decider(pairs, d.decider);
        std::vector<RoleId> roles{d.decider};
        for (const Pair& p : partners) {
            if (!d.tell.empty() && random_.percent(40)) continue;
            d.tell.push_back(p);
            roles.push_back(p.to);
        }
        d.inside = shape_.announced ? among(pairs, roles) : pairs;
        return d;
    }
    void announce(const Decision& d, MessageId message) {
        if (!shape_.announced) return;
        for (const Pair& p : d.tell)
            if (!random_.percent(shape_.careless)) interaction(p, message);
    }
    MessageId branch_message(std::uint32_t branch) {
        return spec_.alphabet->message(fmt::format("b{}", branch));
    }

    void choice(const std::vector<Pair>& pairs, std::uint32_t steps, std::uint32_t depth) {
        Decision d = decide(pairs);
        std::uint32_t count = 2 + random_.below(std::max(2u, shape_.branches) - 1);
        builder_.open_choice({}, d.decider);
        for (std::uint32_t i = 0; i < count; ++i) {
            builder_.open(NodeKind::sequence, {});
            announce(d, branch_message(i));
            bool again = !loops_.empty() && random_.percent(40);
            block(d.inside, again ? 1 + random_.below(std::max(1u, steps)) : random_.below(steps + 1), depth);
            if (again) builder_.jump({}, loops_.back());
            builder_.close();
        }
        builder_.close();
    }

    void loop(const std::vector<Pair>& pairs, std::uint32_t steps, std::uint32_t depth) {
        Decision d = decide(pairs);
        auto outer = std::move(loops_);  // no jump leaves a repeat here: the round would have two ends
        loops_.clear();
        builder_.open_repeat({}, d.decider);
        builder_.open(NodeKind::sequence, {});
        announce(d, branch_message(0));
        block(d.inside, std::max(1u, random_.below(steps + 1)), depth);
        builder_.close();
        builder_.close();
        loops_ = std::move(outer);
        announce(d, branch_message(1));
    }

    void recursion(const std::vector<Pair>& pairs, std::uint32_t steps, std::uint32_t depth) {
        model::LoopId name = builder_.loop(fmt::format("L{}", loop_count_++));
        builder_.open_recursion({}, name);
        loops_.push_back(name);
        choice(pairs, steps, depth);
        loops_.pop_back();
        builder_.close();
    }

    void parallel(const std::vector<Pair>& pairs, std::uint32_t steps, std::uint32_t depth) {
        std::uint32_t count = 2 + random_.below(std::max(2u, shape_.branches) - 1);
        std::vector<std::vector<Pair>> parts(count, pairs);
        if (shape_.separate_channels) {
            for (auto& part : parts) part.clear();
            for (const Pair& p : pairs) parts[random_.below(count)].push_back(p);
        }
        auto outer = std::move(loops_);  // nothing may jump out of a parallel branch
        loops_.clear();
        ++in_parallel_;
        builder_.open(NodeKind::parallel, {});
        for (const auto& part : parts) block(part, part.empty() ? 0 : random_.below(steps + 1), depth);
        builder_.close();
        --in_parallel_;
        loops_ = std::move(outer);
    }

    void interrupt(const std::vector<Pair>& pairs, std::uint32_t steps, std::uint32_t depth) {
        builder_.open(NodeKind::interrupt, {});
        block(pairs, std::max(1u, random_.below(steps + 1)), depth);
        block(pairs, random_.below(3), depth == 0 ? 0 : 1);
        builder_.close();
    }

    const RandomShape& shape_;
    base::SeededRandom random_;
    model::Specification& spec_;
    model::ProtocolBuilder builder_;
    std::vector<MessageId> messages_;
    std::vector<model::LoopId> loops_;  // that a branch may continue
    std::uint32_t loop_count_ = 0;
    std::uint32_t in_parallel_ = 0;
};

}  // namespace

model::Protocol random_protocol(model::Specification& specification, const RandomShape& shape,
                                std::uint64_t seed) {
    return Generator(specification, shape, seed).run();
}

}  // namespace treaty::choreo
