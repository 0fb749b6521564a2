#include "slow_language.h"

#include <algorithm>

namespace treaty::verdicts {

SlowLanguage::SlowLanguage(const Flow& flow, std::size_t max_terms) : flow_(flow), max_terms_(max_terms) {
    make(Kind::fail, 0, {});
    make(Kind::empty, 0, {});
    make(Kind::never, 0, {});
    start_ = expression(flow.main);
}

int SlowLanguage::make(Kind kind, int interaction, std::vector<int> parts) {
    Term term{kind, interaction, std::move(parts)};
    auto [it, added] = ids_.try_emplace(term, static_cast<int>(terms_.size()));
    if (added) terms_.push_back(std::move(term));
    return it->second;
}

// Flat, without what does nothing; nothing follows what never ends.
int SlowLanguage::sequence(const std::vector<int>& parts) {
    std::vector<int> flat;
    for (int part : parts) {
        if (part == fail) return fail;
        if (part == empty) continue;
        if (terms_[part].kind == Kind::sequence)
            flat.insert(flat.end(), terms_[part].parts.begin(), terms_[part].parts.end());
        else if (flat.empty() || flat.back() != part || terms_[part].kind != Kind::star)
            flat.push_back(part);
        if (flat.back() == never) break;
    }
    if (flat.empty()) return empty;
    return flat.size() == 1 ? flat[0] : make(Kind::sequence, 0, std::move(flat));
}

int SlowLanguage::choice(const std::vector<int>& parts) {
    std::vector<int> flat;
    for (int part : parts) {
        if (part == fail) continue;
        if (terms_[part].kind == Kind::choice)
            flat.insert(flat.end(), terms_[part].parts.begin(), terms_[part].parts.end());
        else
            flat.push_back(part);
    }
    std::sort(flat.begin(), flat.end());
    flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
    if (flat.empty()) return fail;
    return flat.size() == 1 ? flat[0] : make(Kind::choice, 0, std::move(flat));
}

int SlowLanguage::shuffle(std::vector<int> parts) {
    if (std::find(parts.begin(), parts.end(), fail) != parts.end()) return fail;
    std::erase(parts, empty);
    std::sort(parts.begin(), parts.end());
    if (parts.empty()) return empty;
    return parts.size() == 1 ? parts[0] : make(Kind::shuffle, 0, std::move(parts));
}

int SlowLanguage::star(int part) {
    if (part == fail || part == empty) return empty;
    return terms_[part].kind == Kind::star ? part : make(Kind::star, 0, {part});
}

int SlowLanguage::item(const FlowEdge& edge) {
    if (edge.interaction >= 0) return make(Kind::whole, edge.interaction, {});
    std::vector<int> segments;
    for (int graph : edge.segments) segments.push_back(expression(graph));
    return shuffle(segments);
}

// One extra place, `end`, represents the end; places that cannot get there go to it by `never`.
int SlowLanguage::expression(int index) {
    if (auto it = expressions_.find(index); it != expressions_.end()) return it->second;
    const FlowGraph& graph = flow_.graphs[index];
    int end = static_cast<int>(graph.out.size());
    std::map<int, std::map<int, int>> way;  // from, to, term
    for (int p = 0; p < end; ++p)
        for (const FlowEdge& edge : graph.out[p]) {
            int& term = way[p].try_emplace(edge.to, fail).first->second;
            term = choice({term, item(edge)});
        }
    std::vector<bool> ends(end, false);
    if (graph.end >= 0) {
        ends[graph.end] = true;
        way[graph.end][end] = empty;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int p = 0; p < end; ++p)
            for (const FlowEdge& edge : graph.out[p])
                if (!ends[p] && ends[edge.to]) ends[p] = changed = true;
    }
    for (int p = 0; p < end; ++p)
        if (!ends[p]) way[p][end] = never;
    for (int gone = end - 1; gone > 0; --gone) {
        int round = way[gone].contains(gone) ? star(way[gone][gone]) : empty;
        for (int from = 0; from < gone; ++from) {
            if (!way[from].contains(gone)) continue;
            int head = way[from][gone];
            way[from].erase(gone);
            for (const auto& [to, tail] : way[gone]) {
                if (to == gone) continue;
                int& term = way[from].try_emplace(to, fail).first->second;
                term = choice({term, sequence({head, round, tail})});
            }
        }
    }
    int round = way[0].contains(0) ? star(way[0][0]) : empty;
    return expressions_[index] = sequence({round, way[0].contains(end) ? way[0][end] : fail});
}

Role SlowLanguage::subject(const Event& event) const {
    const Interaction& i = flow_.interactions[event.interaction];
    return event.send ? i.from : i.to;
}

int SlowLanguage::after(int residual, const Event& event) {
    return take(residual, event);
}

int SlowLanguage::take(int id, const Event& event) {
    if (exhausted()) return fail;
    Term term = terms_[id];
    if (term.kind == Kind::fail || term.kind == Kind::empty || term.kind == Kind::never) return fail;
    if (term.kind == Kind::whole)
        return event.send && term.interaction == event.interaction
                   ? make(Kind::received, term.interaction, {})
                   : fail;
    if (term.kind == Kind::received)
        return !event.send && term.interaction == event.interaction ? empty : fail;
    if (auto it = taken_.find({id, event}); it != taken_.end()) return it->second;
    int result = taken_from(term, id, event);
    return taken_[{id, event}] = result;
}

int SlowLanguage::taken_from(const Term& term, int id, const Event& event) {
    Role role = subject(event);
    std::vector<int> results;
    if (term.kind == Kind::star) return sequence({without(id, role), take(term.parts[0], event), id});
    if (term.kind == Kind::choice)
        for (int part : term.parts) results.push_back(take(part, event));
    if (term.kind == Kind::shuffle)
        for (std::size_t i = 0; i < term.parts.size(); ++i) {
            auto changed = term.parts;
            changed[i] = take(changed[i], event);
            results.push_back(shuffle(changed));
        }
    if (term.kind == Kind::sequence) {
        auto parts = term.parts;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            auto changed = parts;
            changed[i] = take(parts[i], event);
            results.push_back(sequence(changed));
            parts[i] = without(parts[i], role);
            if (parts[i] == fail) break;
        }
    }
    return choice(results);
}

// The ways in which the role has nothing to do.
int SlowLanguage::without(int id, Role role) {
    Term term = terms_[id];
    switch (term.kind) {
        case Kind::fail:
        case Kind::never: return fail;
        case Kind::empty: return id;
        case Kind::whole: {
            const Interaction& i = flow_.interactions[term.interaction];
            return i.from == role || i.to == role ? fail : id;
        }
        case Kind::received: return flow_.interactions[term.interaction].to == role ? fail : id;
        default: break;
    }
    if (auto it = without_.find({id, role}); it != without_.end()) return it->second;
    int result = stripped(term, id, role);
    return without_[{id, role}] = result;
}

int SlowLanguage::stripped(const Term& term, int, Role role) {
    std::vector<int> parts;
    for (int part : term.parts) parts.push_back(without(part, role));
    if (term.kind == Kind::sequence) return sequence(parts);
    if (term.kind == Kind::choice) return choice(parts);
    if (term.kind == Kind::shuffle) return shuffle(parts);
    return star(parts[0]);
}

}  // namespace treaty::verdicts
