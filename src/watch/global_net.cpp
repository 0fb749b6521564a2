#include "watch/global_net.h"

#include <algorithm>

#include "base/check.h"

namespace treaty::watch {
namespace {

template <class Add>
model::Net rebuilt(const model::Net& net, std::shared_ptr<expr::Pool> pool, const Add& add) {
    model::NetBuilder builder(std::string(net.name()), net.alphabet_ptr(), std::move(pool));
    for (const model::Place& p : net.places()) builder.place(p.node, p.semaphore);
    for (const model::Transition& t : net.transitions()) add(builder, t);
    for (model::PlaceId p : net.initial()) builder.initial(p);
    for (model::PlaceId p : net.final()) builder.final(p);
    auto result = builder.finish();
    TREATY_CHECK(result.has_value());
    return std::move(*result);
}

std::vector<bool> read_variables(const model::Net& net) {
    std::vector<bool> read;
    auto note = [&](expr::ExprId e) {
        if (!e) return;
        for (expr::VarId v : net.pool()->variables_of(e)) {
            if (read.size() <= v.index) read.resize(v.index + 1);
            read[v.index] = true;
        }
    };
    for (const model::Transition& t : net.transitions()) {
        note(t.guard);
        note(t.where);
        for (const model::Argument& a : t.data) note(a.value);
        for (const model::Assignment& a : t.assignments) note(a.value);
    }
    return read;
}

}  // namespace

ReducedNet without_unread(const model::Net& net) {
    std::vector<std::uint32_t> arity(net.alphabet().label_count(), any_arity);
    if (!net.pool()) return {rebuilt(net, nullptr, [](auto& b, const auto& t) { b.transition(t); }), arity};
    std::vector<bool> read = read_variables(net), asked(arity.size());
    auto kept = [&](const model::Argument& a) {
        return a.value || (a.bind && a.bind.index < read.size() && read[a.bind.index]);
    };
    // Data can only be dropped for all transitions of a label together: how many values there must be is then
    // asked by label.
    for (const model::Transition& t : net.transitions()) {
        if (t.silent()) continue;
        auto size = static_cast<std::uint32_t>(t.data.size());
        std::uint32_t& known = arity[t.label.index];
        if (t.where || size == 0 || (known != any_arity && known != size) ||
            std::any_of(t.data.begin(), t.data.end(), kept))
            asked[t.label.index] = true;
        known = size;
    }
    for (std::size_t i = 0; i < arity.size(); ++i)
        if (asked[i]) arity[i] = any_arity;
    auto add = [&](model::NetBuilder& builder, model::Transition t) {
        for (model::Argument& a : t.data)
            if (!kept(a)) a.bind = {};
        if (!t.silent() && !asked[t.label.index]) t.data.clear();
        builder.transition(std::move(t));
    };
    return {rebuilt(net, net.pool(), add), std::move(arity)};
}

model::Net without_data(const model::Net& net) {
    return rebuilt(net, nullptr, [](model::NetBuilder& builder, const model::Transition& t) {
        model::Transition plain;
        plain.label = t.label;
        plain.node = t.node;
        plain.from = t.from;
        plain.to = t.to;
        plain.clears = t.clears;
        builder.transition(std::move(plain));
    });
}

model::Net lasting(const model::Net& net) {
    return rebuilt(net, net.pool(), [](model::NetBuilder& builder, const model::Transition& t) {
        if (t.silent()) {
            builder.transition(t);
            return;
        }
        model::Alphabet& alphabet = builder.alphabet();
        const model::Event event = alphabet.event(t.label);
        model::PlaceId between = builder.place(t.node);
        model::Transition begin = t;
        begin.label = alphabet.send(event.from, event.to, event.message);
        begin.to = {between};
        model::Transition end;
        end.label = alphabet.receive(event.from, event.to, event.message);
        end.node = t.node;
        end.from = {between};
        end.to = t.to;
        builder.transition(std::move(begin));
        builder.transition(std::move(end));
    });
}

}  // namespace treaty::watch
