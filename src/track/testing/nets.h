// For tests: small nets from lines of text, and sets of configurations as text.
//
//   p0 x! p1+p3      from p0, the component sends x to the tester, tokens on p1 and p3
//   p2+p4 a? p5      the component receives a from the tester
//   p1 ~ p2          silent
//   p0 end           the component may be finished at p0
// An event may name another peer: `a?U`. The first place named is p0, the initial one unless said otherwise.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "model/net.h"
#include "track/inference.h"

namespace treaty::track::testing {

struct TestNet {
    std::shared_ptr<model::Alphabet> alphabet = std::make_shared<model::Alphabet>();
    model::RoleId component = alphabet->role("S");
    std::map<std::string, std::uint32_t> places;
    std::vector<std::string> names;
    std::shared_ptr<model::Net> net;

    model::LabelId label(const std::string& text) const {
        auto mark = text.find_first_of("?!");
        model::MessageId message = alphabet->message(text.substr(0, mark));
        std::string peer = text.substr(mark + 1);
        model::RoleId other = alphabet->role(peer.empty() ? "T" : peer);
        return text[mark] == '?' ? alphabet->receive(other, component, message)
                                 : alphabet->send(component, other, message);
    }

    // "p1,p3 a?.b? | p5": markings and what is pending, sorted.
    std::string show(std::span<const Configuration> set) const {
        std::vector<std::string> parts;
        for (const Configuration& c : set) {
            std::string text;
            std::vector<std::string> tokens;
            for (std::uint32_t p : c.marking) tokens.push_back(names[p]);
            std::sort(tokens.begin(), tokens.end());
            for (const std::string& p : tokens) text += (text.empty() ? "" : ",") + p;
            for (std::size_t i = 0; i < c.pending.size(); ++i) {
                const model::Event& e = alphabet->event(c.pending[i].label);
                text += (i == 0 ? " " : ".") + std::string(alphabet->name(e.message)) +
                        (e.kind == model::EventKind::send ? "!" : "?");
            }
            parts.push_back(text);
        }
        std::sort(parts.begin(), parts.end());
        std::string result;
        for (const std::string& part : parts) result += (result.empty() ? "" : " | ") + part;
        return result;
    }
};

inline TestNet make_net(const std::string& text, const std::string& initial = "") {
    TestNet result;
    model::NetBuilder builder("test", result.alphabet);
    auto place = [&](const std::string& name) {
        auto [it, added] = result.places.try_emplace(name, static_cast<std::uint32_t>(result.names.size()));
        if (added) {
            result.names.push_back(name);
            builder.place();
        }
        return model::PlaceId(it->second);
    };
    auto list = [&](const std::string& names) {
        std::vector<model::PlaceId> ids;
        std::istringstream in(names);
        for (std::string one; std::getline(in, one, '+');) ids.push_back(place(one));
        return ids;
    };
    std::istringstream in(text);
    for (std::string from, event, to; in >> from >> event && (event == "end" || in >> to);) {
        if (event == "end") {
            for (model::PlaceId p : list(from)) builder.final(p);
            continue;
        }
        model::Transition t;
        t.from = list(from);
        t.to = list(to);
        t.label = event == "~" ? result.alphabet->silent() : result.label(event);
        builder.transition(std::move(t));
    }
    if (initial.empty()) builder.initial(model::PlaceId(0u));
    if (!initial.empty())
        for (model::PlaceId p : list(initial)) builder.initial(p);
    result.net = std::make_shared<model::Net>(*builder.finish());
    return result;
}

}  // namespace treaty::track::testing
