#include "track/determined.h"

#include <algorithm>

namespace treaty::track {

using model::LabelId;
using model::Transition;

namespace {

constexpr std::size_t most_groups = 200;
constexpr std::size_t most_members = 1000;  // of a group
constexpr std::size_t most_nodes = 2000;    // of a search
// Of all questions in a session, in transitions looked at: some tenths of a second.
constexpr std::size_t most_work = 5'000'000;
constexpr std::size_t work_of_explaining = 2000;  // a configuration, roughly

}  // namespace

Determined::Determined(Inference& inference) : inference_(inference) {
    groups_.push_back({inference.start(), {}});
}

// False once there has been too much of it: then nothing is known any more.
bool Determined::spend(std::size_t work) {
    work_ += work;
    lost_ = lost_ || work_ > most_work;
    return !lost_;
}

bool Determined::add(std::vector<Group>& groups, Group group) const {
    if (std::find(groups.begin(), groups.end(), group) != groups.end()) return false;
    groups.push_back(std::move(group));
    return true;
}

std::vector<Configuration> Determined::after(const std::vector<Configuration>& members, LabelId label,
                                             const Values* values) {
    EventResult taken = inference_.take(members, inference_.relevance().of_label(label), values);
    lost_ = lost_ || taken.verdict == EventVerdict::lost || taken.after.size() > most_members;
    auto before = [](const Configuration& a, const Configuration& b) {
        return a.marking != b.marking ? a.marking < b.marking : hash(a.environment) < hash(b.environment);
    };
    std::sort(taken.after.begin(), taken.after.end(), before);
    return std::move(taken.after);
}

// Whether what came from it may have been sent by it, after something else that has not come yet.
bool Determined::explained(const Group& group) {
    if (std::none_of(group.pending.begin(), group.pending.end(),
                     [&](const Pending& p) { return inference_.relevance().output(p.label); }))
        return true;
    return std::any_of(group.members.begin(), group.members.end(), [&](const Configuration& c) {
        return !spend(work_of_explaining) || inference_.overtaken({c.marking, c.environment, group.pending});
    });
}

void Determined::observe(LabelId label, std::span<const expr::Value> values) {
    ++observed_;
    if (lost_) return;
    auto given = std::make_shared<const Values>(values.begin(), values.end());
    std::vector<Group> all;
    for (Group& group : groups_) {
        group.pending.push_back({label, given});
        add(all, std::move(group));
    }
    for (std::size_t i = 0; i < all.size() && !lost_; ++i) {
        for (std::size_t k = 0; k < all[i].pending.size(); ++k) {
            if (!inference_.may_take(all[i].pending, k)) continue;
            Group next{after(all[i].members, all[i].pending[k].label, all[i].pending[k].values.get()),
                       all[i].pending};
            if (next.members.empty()) continue;
            next.pending.erase(next.pending.begin() + static_cast<std::ptrdiff_t>(k));
            add(all, std::move(next));
        }
        lost_ = lost_ || all.size() > most_groups;
    }
    std::erase_if(all, [&](const Group& group) { return !explained(group); });
    groups_ = std::move(all);
}

bool Determined::takes(LabelId input) {
    return !lost_ && !groups_.empty() && std::all_of(groups_.begin(), groups_.end(), [&](const Group& group) {
        return drains(group, input);
    });
}

bool Determined::takes(LabelId input, std::span<const expr::Value> values) {
    if (!takes(input)) return false;
    const Values given(values.begin(), values.end());
    return std::all_of(groups_.begin(), groups_.end(), [&](const Group& group) {
        bool at_once = group.pending.empty() && !after(group.members, input, nullptr).empty();
        return !at_once || !after(group.members, input, &given).empty();
    });
}

// Where silent steps lead as well; data left aside, as in all that follows.
Determined::Markings Determined::silently(Markings from) {
    for (std::size_t i = 0; i < from.size() && from.size() <= most_members; ++i) {
        if (!spend(inference_.net().transitions().size() + from.size())) return from;
        for (const Transition& t : inference_.net().transitions()) {
            if (!t.silent() || !enabled(from[i], t)) continue;
            Marking next = fired(from[i], t);
            if (std::find(from.begin(), from.end(), next) == from.end()) from.push_back(std::move(next));
        }
    }
    return from;
}

Determined::Markings Determined::step(const Markings& from, LabelId label) {
    Markings next;
    for (const Marking& m : from)
        for (model::TransitionId id : inference_.relevance().of_label(label))
            if (const Transition& t = inference_.net().transitions()[id.index]; enabled(m, t))
                next.push_back(fired(m, t));
    next = silently(std::move(next));
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    return next;
}

// From wherever the role may get on its own, it can still take all that was sent to it. One that may have
// finished, and may also send something, has to take it without sending anything first.
bool Determined::drains(const Group& group, LabelId input) {
    const Relevance& relevance = inference_.relevance();
    std::map<Node, std::uint32_t> ids;
    std::vector<Node> nodes;
    std::vector<std::vector<std::uint32_t>> before, quietly_before;
    auto reach = [&](Node node, std::uint32_t from, bool quiet) {
        auto [place, added] = ids.try_emplace(node, static_cast<std::uint32_t>(nodes.size()));
        if (added) {
            nodes.push_back(std::move(node));
            before.emplace_back();
            quietly_before.emplace_back();
        }
        before[place->second].push_back(from);
        if (quiet) quietly_before[place->second].push_back(from);
    };
    Markings first;
    for (const Configuration& c : group.members) first.push_back(c.marking);
    first = silently(std::move(first));
    std::sort(first.begin(), first.end());
    first.erase(std::unique(first.begin(), first.end()), first.end());
    std::vector<LabelId> pending;
    for (const Pending& p : group.pending) pending.push_back(p.label);
    pending.push_back(input);
    reach({std::move(first), std::move(pending)}, 0, true);
    std::vector<bool> drained, may_have_stopped;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        if (lost_ || nodes.size() > most_nodes || nodes[i].first.size() > most_members) return false;
        const Node here = nodes[i];
        std::vector<Pending> waiting;
        for (LabelId l : here.second) waiting.push_back({l, nullptr});
        bool sends = false;
        for (std::size_t l = 1; l < inference_.net().alphabet().label_count(); ++l) {
            LabelId label(l);
            if (relevance.of_label(label).empty()) continue;
            bool channel_waits = false;
            for (std::size_t k = 0; k < waiting.size(); ++k) {
                LabelId p = here.second[k];
                channel_waits = channel_waits || (relevance.output(p) == relevance.output(label) &&
                                                  relevance.peer(p) == relevance.peer(label));
                if (p != label || !inference_.may_take(waiting, k)) continue;
                std::vector<LabelId> rest = here.second;
                rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
                if (Markings next = step(here.first, label); !next.empty())
                    reach({std::move(next), std::move(rest)}, i, true);
                break;
            }
            if (channel_waits || !relevance.output(label)) continue;
            if (Markings next = step(here.first, label); !next.empty()) {
                sends = true;
                reach({std::move(next), here.second}, i, false);
            }
        }
        drained.push_back(here.second.empty());
        bool finished = std::any_of(here.first.begin(), here.first.end(),
                                    [&](const Marking& m) { return successful(inference_.net(), m); });
        bool output_waits = std::any_of(here.second.begin(), here.second.end(),
                                        [&](LabelId l) { return relevance.output(l); });
        may_have_stopped.push_back(sends && finished && !output_waits);
    }
    auto leading = [&](const std::vector<std::vector<std::uint32_t>>& edges) {
        std::vector<bool> leads = drained;
        std::vector<std::uint32_t> work;
        for (std::uint32_t i = 0; i < leads.size(); ++i)
            if (leads[i]) work.push_back(i);
        while (!work.empty()) {
            std::uint32_t at = work.back();
            work.pop_back();
            for (std::uint32_t from : edges[at])
                if (!leads[from]) leads[from] = true, work.push_back(from);
        }
        return leads;
    };
    std::vector<bool> drains = leading(before), quietly = leading(quietly_before);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!(may_have_stopped[i] ? quietly : drains)[i]) return false;
    return true;
}

}  // namespace treaty::track
