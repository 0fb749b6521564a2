#include "watch/global_net.h"

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

}  // namespace

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
