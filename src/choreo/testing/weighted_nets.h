// For tests: nets with several tokens on a place and arcs of any weight, at random and of well-known shapes,
// and the plain token game on them, which counts tokens in an array and knows no other trick.
#pragma once

#include <deque>
#include <map>
#include <random>
#include <string>

#include <fmt/format.h>

#include "base/check.h"
#include "model/net.h"

namespace treaty::choreo::testing {

struct WeightedShape {
    bool silent = true;         // some transitions
    bool own_labels = false;    // each transition an event of its own
    bool clears = false;        // some transitions empty places
    bool conservative = false;  // each transition puts as many tokens as it takes, so that the net is bounded
};

inline model::Net random_weighted_net(const WeightedShape& shape, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    auto alphabet = std::make_shared<model::Alphabet>();
    model::NetBuilder builder("weighted", alphabet);
    std::size_t places = 2 + below(4);
    for (std::size_t i = 0; i < places; ++i) builder.place({}, below(8) == 0);
    auto any = [&] { return model::PlaceId(below(places)); };
    for (std::size_t n = 1 + below(5); n > 0; --n) builder.initial(any());
    for (std::size_t n = below(4); n > 0; --n) builder.final(any());
    for (std::size_t i = 0, n = 1 + below(5); i < n; ++i) {
        model::Transition t;
        bool silent = shape.silent && below(3) == 0;
        t.label = silent ? alphabet->silent()
                         : alphabet->plain(fmt::format("t{}", shape.own_labels ? i : below(3)));
        for (std::size_t k = 1 + below(3); k > 0; --k) t.from.push_back(any());
        std::size_t puts = shape.conservative ? t.from.size() : below(t.from.size() + 2);
        for (std::size_t k = 0; k < puts; ++k) t.to.push_back(any());
        if (shape.clears && below(4) == 0) t.clears.push_back(any());
        builder.transition(std::move(t));
    }
    auto net = builder.finish();
    TREATY_CHECK(net.has_value());
    return std::move(*net);
}

// A net from lines such as "take: a 2*b -> c" and, for the start, "3*a b".
inline model::Net net_of_lines(const std::string& name, const std::string& start,
                               const std::vector<std::string>& lines) {
    auto alphabet = std::make_shared<model::Alphabet>();
    model::NetBuilder builder(name, alphabet);
    std::map<std::string, model::PlaceId> places;
    auto tokens = [&](std::string_view text) {
        std::vector<model::PlaceId> list;
        while (true) {
            text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
            if (text.empty()) return list;
            std::string word(text.substr(0, text.find(' ')));
            text.remove_prefix(word.size());
            std::size_t star = word.find('*');
            int count = star == std::string::npos ? 1 : std::stoi(word.substr(0, star));
            if (star != std::string::npos) word = word.substr(star + 1);
            auto [place, added] = places.try_emplace(word);
            if (added) place->second = builder.place({}, false, word);
            list.insert(list.end(), static_cast<std::size_t>(count), place->second);
        }
    };
    for (model::PlaceId p : tokens(start)) builder.initial(p);
    for (const std::string& line : lines) {
        std::size_t colon = line.find(':'), arrow = line.find("->");
        model::Transition t;
        t.label = alphabet->plain(line.substr(0, colon));
        t.from = tokens(std::string_view(line).substr(colon + 1, arrow - colon - 1));
        t.to = tokens(std::string_view(line).substr(arrow + 2));
        builder.transition(std::move(t));
    }
    auto net = builder.finish();
    TREATY_CHECK(net.has_value());
    return std::move(*net);
}

// A production line of four cells with n cards each (Ciardo and Tilgner).
inline model::Net kanban(int n) {
    std::string start;
    std::vector<std::string> lines;
    for (int i = 1; i <= 4; ++i) {
        start += fmt::format("{}*card{} ", n, i);
        lines.push_back(fmt::format("redo{0}: work{0} -> back{0}", i));
        lines.push_back(fmt::format("ok{0}: work{0} -> out{0}", i));
        lines.push_back(fmt::format("back{0}: back{0} -> work{0}", i));
    }
    lines.insert(lines.end(),
                 {"in: card1 -> work1", "out: out4 -> card4", "split: out1 card2 card3 -> card1 work2 work3",
                  "join: out2 out3 card4 -> card2 card3 work4"});
    return net_of_lines("Kanban", start, lines);
}

// A flexible manufacturing system with n pallets of each of three kinds (Ciardo and Trivedi).
inline model::Net manufacturing(int n) {
    return net_of_lines(
        "FMS", fmt::format("{0}*P1 {0}*P2 {0}*P3 3*M1 M2 2*M3", n),
        {"p1: P1 -> P1wM1",       "m1: P1wM1 M1 -> P1M1", "p1m1: P1M1 -> P1d M1",   "p1e: P1d -> P1s",
         "p1j: P1d -> P1wP2",     "p1s: P1s -> P1",       "p2: P2 -> P2wM2",        "m2: P2wM2 M2 -> P2M2",
         "p2m2: P2M2 -> P2d M2",  "p2e: P2d -> P2s",      "p2j: P2d -> P2wP1",      "p2s: P2s -> P2",
         "x: P1wP2 P2wP1 -> P12", "p12: P12 -> P12wM3",   "m3: P12wM3 M3 -> P12M3", "p12m3: P12M3 -> P12s M3",
         "p12s: P12s -> P1 P2",   "p3: P3 -> P3M2",       "p3m2: P3M2 -> P3s",      "p3s: P3s -> P3"});
}

inline model::Net philosophers(int n) {
    std::string start;
    std::vector<std::string> lines;
    for (int i = 0; i < n; ++i) {
        int j = (i + 1) % n;
        start += fmt::format("think{0} fork{0} ", i);
        lines.push_back(fmt::format("left{0}: think{0} fork{0} -> hasleft{0}", i));
        lines.push_back(fmt::format("then_right{0}: hasleft{0} fork{1} -> eat{0}", i, j));
        lines.push_back(fmt::format("right{0}: think{0} fork{1} -> hasright{0}", i, j));
        lines.push_back(fmt::format("then_left{0}: hasright{0} fork{0} -> eat{0}", i));
        lines.push_back(fmt::format("end{0}: eat{0} -> think{0} fork{0} fork{1}", i, j));
    }
    return net_of_lines("Philosophers", start, lines);
}

class TokenGame {
public:
    using Counts = std::vector<std::uint32_t>;

    explicit TokenGame(const model::Net& net) : net_(net) {}

    Counts counts(std::span<const model::PlaceId> tokens) const {
        Counts result(net_.places().size());
        for (model::PlaceId p : tokens) ++result[p.index];
        return result;
    }
    Counts initial() const { return counts(net_.initial()); }

    std::optional<Counts> fire(Counts now, const model::Transition& t) const {
        for (model::PlaceId p : t.from)
            if (now[p.index]-- == 0) return std::nullopt;
        for (model::PlaceId p : t.clears) now[p.index] = 0;
        for (model::PlaceId p : t.to) ++now[p.index];
        return now;
    }

    bool successful(const Counts& now) const {
        Counts want = counts(net_.final());
        for (std::size_t p = 0; p < now.size(); ++p)
            if (net_.places()[p].semaphore ? now[p] < want[p] : now[p] != want[p]) return false;
        return true;
    }

    struct Space {
        std::size_t states = 0, steps = 0, dead = 0;
        bool complete = true;  // no more than `limit` states
    };
    Space explore(std::size_t limit) const {
        Space space;
        std::map<Counts, std::size_t> seen{{initial(), 0}};
        std::deque<Counts> work{initial()};
        for (; !work.empty(); work.pop_front()) {
            bool moved = false;
            for (const model::Transition& t : net_.transitions()) {
                auto next = fire(work.front(), t);
                if (!next) continue;
                moved = true;
                ++space.steps;
                if (seen.emplace(*next, seen.size()).second) work.push_back(*next);
            }
            if (!moved) ++space.dead;
            if (seen.size() > limit) {
                space.complete = false;
                break;
            }
        }
        space.states = seen.size();
        return space;
    }

private:
    const model::Net& net_;
};

}  // namespace treaty::choreo::testing
