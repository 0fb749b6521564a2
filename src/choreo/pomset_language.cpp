// Taking an event e of role X out of a set of pomsets, on terms:
//
//   - out of an interaction: its send leaves its reception, its reception leaves nothing more;
//   - out of a choice: out of each branch; out of a parallel block: out of any one branch;
//   - out of a sequence: out of part i, provided that X has nothing to do in the parts before it. Those parts
//     stay, without the branches in which X would have something to do: without(term, X);
//   - out of a loop: some rounds without X, then the round that e belongs to, then the loop again.
//
// A recursion L { G } is the rounds of G that end by jumping to L, any number of them, and then G's ways to
// end: `round_of` and `ending_of` pick those two apart, so no term ever holds a jump. A recursion without a
// way to end is an endless loop for each of its independent parts, after which nothing happens. Long
// sequences stay ranges of the tree until something happens inside.
#include "choreo/pomset_language.h"

#include <algorithm>
#include <tuple>

#include "choreo/independent_parts.h"
#include "choreo/participants.h"
#include "choreo/residual_terms.h"
#include "model/endings.h"

namespace treaty::choreo {

using model::EventKind;
using model::LabelId;
using model::LoopId;
using model::NodeId;
using model::NodeKind;
using model::RoleId;

class PomsetLanguage::Terms {
public:
    Terms(const model::Specification& spec, const model::Protocol& protocol, std::size_t max_terms)
        : spec_(spec), protocol_(protocol), participants_(protocol), max_terms_(max_terms) {
        classify();
        if (why_.empty()) start_ = ending_of(protocol.root());
    }

    const std::string& why() const { return why_; }
    TermId start() const { return start_; }
    const TermPool& pool() const { return pool_; }
    bool exhausted() const { return exhausted_; }

    std::optional<TermId> after(TermId term, LabelId event) {
        RoleId subject = spec_.alphabet->subject(event);
        if (!subject) return pool_.fail();
        cut_off_ = false;
        TermId result = take(term, event, subject);
        if (cut_off_) return std::nullopt;
        return result;
    }

    std::vector<LabelId> events() const {
        std::vector<LabelId> all;
        for (std::size_t i = 0; i < protocol_.size(); ++i) {
            const model::Node& n = protocol_[NodeId(i)];
            if (n.kind != NodeKind::interaction) continue;
            all.push_back(spec_.alphabet->send(n.role, n.to, n.message));
            all.push_back(spec_.alphabet->receive(n.role, n.to, n.message));
        }
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

private:
    // How a subtree may be left: by its end; else only by jumps; else not at all.
    enum class Exit : std::uint8_t { ends, jumps, never };

    void classify() {
        exit_.assign(protocol_.size(), Exit::ends);
        nullable_.assign(protocol_.size(), false);
        jumps_.resize(protocol_.loop_count());
        for (std::size_t i = 0; i < protocol_.size(); ++i)
            if (protocol_[NodeId(i)].kind == NodeKind::jump)
                jumps_[protocol_[NodeId(i)].loop.index].push_back(NodeId(i));
        model::Endings endings(protocol_);
        for (std::size_t i = protocol_.size(); i-- > 0;) classify(NodeId(i), endings);
    }

    void classify(NodeId id, const model::Endings& endings) {
        const model::Node& node = protocol_[id];
        auto children = protocol_.children(id);
        Exit& exit = exit_[id.index];
        auto any = [&](Exit e) {
            return std::any_of(children.begin(), children.end(),
                               [&](NodeId c) { return exit_[c.index] == e; });
        };
        bool all_null =
            std::all_of(children.begin(), children.end(), [&](NodeId c) { return nullable_[c.index]; });
        bool one_null =
            std::any_of(children.begin(), children.end(), [&](NodeId c) { return nullable_[c.index]; });
        switch (node.kind) {
            case NodeKind::sequence:
                for (NodeId c : children)
                    if (exit == Exit::ends) exit = exit_[c.index];
                nullable_[id.index] = all_null;
                break;
            case NodeKind::interaction: break;
            case NodeKind::choice:
            case NodeKind::conditional:
                exit = any(Exit::ends) ? Exit::ends : any(Exit::never) ? Exit::never : Exit::jumps;
                nullable_[id.index] = one_null;
                break;
            case NodeKind::parallel:
                exit = any(Exit::never) ? Exit::never : Exit::ends;
                nullable_[id.index] = all_null;
                if (endings.leaves(id)) why_ = "a jump leaves a parallel branch";
                break;
            case NodeKind::repeat:
            case NodeKind::while_loop: nullable_[id.index] = true; break;
            case NodeKind::recursion: {
                exit = exit_[children[0].index];
                bool rounds = jumps_to(children[0], node.loop);
                if (exit == Exit::jumps && rounds) exit = Exit::never;
                nullable_[id.index] = one_null;
                break;
            }
            case NodeKind::jump: exit = Exit::jumps; break;
            case NodeKind::assign: nullable_[id.index] = true; break;
            case NodeKind::interrupt: why_ = "interruption has no pomset meaning"; break;
            case NodeKind::signal:
            case NodeKind::wait: why_ = "semaphores have no pomset meaning"; break;
        }
    }

    bool jumps_to(NodeId subtree, LoopId loop) const {
        const auto& jumps = jumps_[loop.index];
        auto at = std::lower_bound(jumps.begin(), jumps.end(), subtree);
        return at != jumps.end() && at->index < protocol_[subtree].subtree_end;
    }

    // The pomsets of a subtree that reach its end.
    TermId ending_of(NodeId id) {
        if (auto it = endings_.find(id); it != endings_.end()) return it->second;
        TermId result = make_ending(id);
        endings_[id] = result;
        return result;
    }

    TermId make_ending(NodeId id) {
        const model::Node& node = protocol_[id];
        auto children = protocol_.children(id);
        std::vector<TermId> parts;
        switch (node.kind) {
            case NodeKind::sequence: return ending_of_sequence(id);
            case NodeKind::interaction: return pool_.whole(first_alike(id));
            case NodeKind::choice:
            case NodeKind::conditional:
                for (NodeId child : children) parts.push_back(ending_of(child));
                return pool_.choice(std::move(parts));
            case NodeKind::parallel:
                for (NodeId child : children) parts.push_back(ending_of(child));
                return pool_.parallel(std::move(parts));
            case NodeKind::repeat:
            case NodeKind::while_loop: return pool_.repeat(ending_of(children[0]));
            case NodeKind::recursion: {
                TermId round = round_of(children[0], node.loop), end = ending_of(children[0]);
                if (end == pool_.fail() && round != pool_.fail()) return endless(round);
                parts = {pool_.repeat(round), end};
                return pool_.sequence(parts);
            }
            case NodeKind::assign: return pool_.empty();
            default: return pool_.fail();
        }
    }

    // Rounds for ever. What happens in them without a role in common may drift apart without bound, and every
    // beginning of one may be combined with every beginning of the other: so each part is a loop of its own,
    // and how far one is ahead of another need not be remembered.
    TermId endless(TermId round) {
        auto children_of = [this](TermId range) {
            Term t = pool_[range];
            std::vector<TermId> terms;
            for (std::uint32_t i = t.first; i < t.last; ++i)
                terms.push_back(ending_of(protocol_.children(t.node)[i]));
            return terms;
        };
        std::vector<TermId> loops;
        for (TermId part : independent_parts(pool_, protocol_, round, children_of))
            loops.push_back(pool_.endless(part));
        if (loops.empty()) return pool_.never();
        return pool_.parallel(std::move(loops));
    }

    // Interactions that are written several times are one term.
    NodeId first_alike(NodeId id) {
        const model::Node& node = protocol_[id];
        return alike_.try_emplace(std::tuple(node.role, node.to, node.message), id).first->second;
    }

    TermId ending_of_sequence(NodeId id) {
        if (exit_[id.index] == Exit::jumps) return pool_.fail();
        auto children = protocol_.children(id);
        std::uint32_t end = 0;
        while (end < children.size() && exit_[children[end].index] == Exit::ends) ++end;
        if (end < children.size()) ++end;  // the child that never ends
        return range(id, 0, end);
    }

    TermId range(NodeId sequence, std::uint32_t from, std::uint32_t to) {
        auto children = protocol_.children(sequence);
        while (from < to && idle(children[from])) ++from;
        if (from + 1 == to) return ending_of(children[from]);
        bool nullable = true;
        for (std::uint32_t i = from; i < to && nullable; ++i) nullable = nullable_[children[i].index];
        return pool_.range(sequence, from, to, nullable);
    }
    bool idle(NodeId id) const {
        return protocol_[id].kind == NodeKind::assign ||
               (protocol_[id].kind == NodeKind::sequence && protocol_.children(id).empty());
    }

    // The pomsets of a subtree that jump to a loop around it.
    TermId round_of(NodeId id, LoopId loop) {
        if (!jumps_to(id, loop)) return pool_.fail();
        if (auto it = rounds_.find({id, loop}); it != rounds_.end()) return it->second;
        TermId result = make_round(id, loop);
        rounds_[{id, loop}] = result;
        return result;
    }

    TermId make_round(NodeId id, LoopId loop) {
        const model::Node& node = protocol_[id];
        auto children = protocol_.children(id);
        std::vector<TermId> parts;
        switch (node.kind) {
            case NodeKind::sequence:
                for (std::uint32_t i = 0; i < children.size(); ++i) {
                    std::vector<TermId> way{range(id, 0, i), round_of(children[i], loop)};
                    parts.push_back(pool_.sequence(way));
                    if (exit_[children[i].index] != Exit::ends) break;
                }
                return pool_.choice(std::move(parts));
            case NodeKind::choice:
            case NodeKind::conditional:
                for (NodeId child : children) parts.push_back(round_of(child, loop));
                return pool_.choice(std::move(parts));
            case NodeKind::repeat:
            case NodeKind::while_loop:
                parts = {pool_.repeat(ending_of(children[0])), round_of(children[0], loop)};
                return pool_.sequence(parts);
            case NodeKind::recursion:
                parts = {pool_.repeat(round_of(children[0], node.loop)), round_of(children[0], loop)};
                return pool_.sequence(parts);
            case NodeKind::jump: return pool_.empty();
            default: return pool_.fail();
        }
    }

    // The child of the sequence, at `from` or later, in which the role next takes part; `to` if in none.
    std::uint32_t next_part(NodeId sequence, std::uint32_t from, std::uint32_t to, RoleId role) const {
        auto children = protocol_.children(sequence);
        NodeId at = participants_.next(role, children[from]);
        auto after = std::upper_bound(children.begin() + from, children.begin() + to, at);
        auto child = static_cast<std::uint32_t>(after - children.begin()) - 1;
        return at && at.index < protocol_[children[child]].subtree_end ? child : to;
    }

    // The pomsets in which the role has nothing (left) to do.
    TermId without(TermId term, RoleId role) {
        Term t = pool_[term];
        switch (t.kind) {
            case TermKind::fail:
            case TermKind::never:
            case TermKind::endless: return pool_.fail();
            case TermKind::empty: return term;
            case TermKind::whole:
                return protocol_[t.node].role == role || protocol_[t.node].to == role ? pool_.fail() : term;
            case TermKind::sent: return protocol_[t.node].to == role ? pool_.fail() : term;
            case TermKind::range:
                if (next_part(t.node, t.first, t.last, role) == t.last && ends_all(t)) return term;
                break;
            default: break;
        }
        if (auto it = without_.find({term, role}); it != without_.end()) return it->second;
        TermId result = make_without(term, t, role);
        without_[{term, role}] = result;
        return result;
    }

    bool ends_all(const Term& range) const {
        return exit_[protocol_.children(range.node)[range.last - 1].index] == Exit::ends;
    }

    TermId make_without(TermId term, const Term& t, RoleId role) {
        std::vector<TermId> parts;
        if (t.kind == TermKind::range) {
            auto children = protocol_.children(t.node);
            if (!ends_all(t)) return pool_.fail();
            for (std::uint32_t i = t.first; i < t.last;) {
                std::uint32_t next = next_part(t.node, i, t.last, role);
                parts.push_back(range(t.node, i, next));
                if (next == t.last) break;
                parts.push_back(without(ending_of(children[next]), role));
                if (parts.back() == pool_.fail()) return pool_.fail();
                i = next + 1;
            }
            return pool_.sequence(parts);
        }
        auto own = pool_.parts(term);
        std::vector<TermId> children(own.begin(), own.end());
        for (TermId child : children) {
            parts.push_back(without(child, role));
            bool all_needed = t.kind == TermKind::sequence || t.kind == TermKind::parallel;
            if (all_needed && parts.back() == pool_.fail()) return pool_.fail();
        }
        switch (t.kind) {
            case TermKind::sequence: return pool_.sequence(parts);
            case TermKind::choice: return pool_.choice(std::move(parts));
            case TermKind::parallel: return pool_.parallel(std::move(parts));
            case TermKind::repeat: return pool_.repeat(parts[0]);
            default: return pool_.fail();
        }
    }

    // What was remembered stays valid when there is no room for more, so that a question keeps its answer. A
    // result that was cut off inside is wrong: it is not remembered, and cut_off_ tells after().
    TermId take(TermId term, LabelId event, RoleId subject) {
        Term t = pool_[term];
        const model::Event& e = spec_.alphabet->event(event);
        switch (t.kind) {
            case TermKind::fail:
            case TermKind::empty:
            case TermKind::never: return pool_.fail();
            case TermKind::whole:
                return e.kind == EventKind::send && matches(t.node, e) ? pool_.sent(t.node) : pool_.fail();
            case TermKind::sent:
                return e.kind == EventKind::receive && matches(t.node, e) ? pool_.empty() : pool_.fail();
            default: break;
        }
        if (auto it = taken_.find({term, event}); it != taken_.end()) return it->second;
        if (pool_.size() > max_terms_) exhausted_ = cut_off_ = true;
        if (cut_off_) return pool_.fail();
        TermId result = make_take(term, t, event, subject);
        if (cut_off_) return pool_.fail();
        taken_[{term, event}] = result;
        return result;
    }

    bool matches(NodeId interaction, const model::Event& e) const {
        const model::Node& n = protocol_[interaction];
        return n.role == e.from && n.to == e.to && n.message == e.message;
    }

    TermId make_take(TermId term, const Term& t, LabelId event, RoleId subject) {
        if (t.kind == TermKind::range) return take_from_range(t, event, subject);
        auto own = pool_.parts(term);
        std::vector<TermId> parts(own.begin(), own.end()), results;
        switch (t.kind) {
            case TermKind::choice:
                for (TermId part : parts) results.push_back(take(part, event, subject));
                break;
            case TermKind::parallel:
                for (std::size_t i = 0; i < parts.size(); ++i) {
                    if (i > 0 && parts[i] == parts[i - 1]) continue;
                    auto changed = parts;
                    changed[i] = take(parts[i], event, subject);
                    results.push_back(pool_.parallel(std::move(changed)));
                }
                break;
            case TermKind::sequence:
                for (std::size_t i = 0; i < parts.size(); ++i) {
                    TermId rest = take(parts[i], event, subject);
                    if (rest != pool_.fail()) {
                        auto changed = parts;
                        changed[i] = rest;
                        results.push_back(pool_.sequence(changed));
                    }
                    parts[i] = without(parts[i], subject);
                    if (parts[i] == pool_.fail()) break;
                }
                break;
            case TermKind::repeat: {
                std::vector<TermId> rounds{without(term, subject), take(parts[0], event, subject), term};
                return pool_.sequence(rounds);
            }
            case TermKind::endless: {
                std::vector<TermId> rounds{without(pool_.repeat(parts[0]), subject),
                                           take(parts[0], event, subject), term};
                return pool_.sequence(rounds);
            }
            default: break;
        }
        return pool_.choice(std::move(results));
    }

    TermId take_from_range(const Term& t, LabelId event, RoleId subject) {
        auto children = protocol_.children(t.node);
        std::vector<TermId> before, results;
        for (std::uint32_t i = t.first; i < t.last;) {
            std::uint32_t next = next_part(t.node, i, t.last, subject);
            if (next == t.last) break;
            before.push_back(range(t.node, i, next));
            TermId child = ending_of(children[next]);
            if (TermId rest = take(child, event, subject); rest != pool_.fail()) {
                auto parts = before;
                parts.push_back(rest);
                parts.push_back(range(t.node, next + 1, t.last));
                results.push_back(pool_.sequence(parts));
            }
            before.push_back(without(child, subject));
            if (before.back() == pool_.fail()) break;
            i = next + 1;
        }
        return pool_.choice(std::move(results));
    }

    const model::Specification& spec_;
    const model::Protocol& protocol_;
    Participants participants_;
    std::size_t max_terms_;
    bool exhausted_ = false;
    bool cut_off_ = false;  // the question that is being answered
    std::string why_;
    std::vector<Exit> exit_;      // by node
    std::vector<bool> nullable_;  // by node: may be done without an event
    TermPool pool_;
    TermId start_;
    std::vector<std::vector<NodeId>> jumps_;  // by loop, ascending
    absl::flat_hash_map<std::tuple<RoleId, RoleId, model::MessageId>, NodeId> alike_;
    absl::flat_hash_map<NodeId, TermId> endings_;
    absl::flat_hash_map<std::pair<NodeId, LoopId>, TermId> rounds_;
    absl::flat_hash_map<std::pair<TermId, LabelId>, TermId> taken_;
    absl::flat_hash_map<std::pair<TermId, RoleId>, TermId> without_;
};

PomsetLanguage::PomsetLanguage(std::unique_ptr<Terms> terms) : terms_(std::move(terms)) {}
PomsetLanguage::PomsetLanguage(PomsetLanguage&&) noexcept = default;
PomsetLanguage& PomsetLanguage::operator=(PomsetLanguage&&) noexcept = default;
PomsetLanguage::~PomsetLanguage() = default;

base::Result<PomsetLanguage> PomsetLanguage::of(const model::Specification& specification,
                                                const model::Protocol& protocol, std::size_t max_terms) {
    auto terms = std::make_unique<Terms>(specification, protocol, max_terms);
    if (!terms->why().empty()) return base::Fault{terms->why()};
    return PomsetLanguage(std::move(terms));
}

Residual PomsetLanguage::start() const {
    return terms_->start();
}
Residual PomsetLanguage::after(Residual residual, LabelId event) {
    return terms_->after(residual, event).value_or(terms_->pool().fail());
}
std::optional<Residual> PomsetLanguage::try_after(Residual residual, LabelId event) {
    return terms_->after(residual, event);
}
bool PomsetLanguage::possible(Residual residual) const {
    return residual != terms_->pool().fail();
}
bool PomsetLanguage::complete(Residual residual) const {
    return terms_->pool()[residual].nullable;
}
bool PomsetLanguage::exhausted() const {
    return terms_->exhausted();
}

std::vector<LabelId> PomsetLanguage::next(Residual residual) {
    std::vector<LabelId> result;
    for (LabelId event : terms_->events())
        if (possible(after(residual, event))) result.push_back(event);
    return result;
}

base::Answer PomsetLanguage::contains_prefix(std::span<const LabelId> word) {
    Residual at = start();
    for (LabelId event : word) at = after(at, event);
    if (exhausted()) return base::Answer::undecided;
    return possible(at) ? base::Answer::holds : base::Answer::fails;
}

base::Answer PomsetLanguage::contains(std::span<const LabelId> word) {
    Residual at = start();
    for (LabelId event : word) at = after(at, event);
    if (exhausted()) return base::Answer::undecided;
    return complete(at) ? base::Answer::holds : base::Answer::fails;
}

}  // namespace treaty::choreo
