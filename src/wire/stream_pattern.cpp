#include "wire/stream_pattern.h"

#include "solve/pattern_tree.h"
#include "wire/number_pattern.h"

namespace treaty::wire {

using solve::Automaton;

namespace {

constexpr std::size_t longest_drawn = 12;

}  // namespace

std::string stream_pattern_fault(const std::string& pattern) {
    auto made = StreamPattern::make(pattern);
    return made ? "" : made.error();
}

base::Result<StreamPattern> StreamPattern::make(const std::string& pattern) {
    auto tree = solve::read_pattern(pattern);
    auto automaton = tree ? Automaton::of(std::span(&*tree, 1)) : std::nullopt;
    if (!automaton) return base::Fault{"this pattern is too complicated to be read byte by byte"};
    if (automaton->empty()) return base::Fault{"no text matches this pattern"};
    StreamPattern made(std::move(*automaton));
    made.simplest_ = tree->simplest_text();
    made.digits_ = one_length(*tree).value_or(0);
    return made;
}

StreamPattern::StreamPattern(Automaton automaton) : automaton_(std::move(automaton)) {
    last_.assign(automaton_.state_count(), true);
    for (Automaton::State s = 0; s < automaton_.state_count(); ++s)
        for (unsigned b = 0; b < 256 && last_[s]; ++b)
            last_[s] =
                automaton_.distance(automaton_.next(s, static_cast<unsigned char>(b))) == Automaton::never;
}

StreamPattern::Match StreamPattern::match(std::string_view bytes, bool last) const {
    Automaton::State s = automaton_.initial();
    for (std::size_t i = 0;; ++i) {
        bool ends = last_[s] || (i == bytes.size() && last);
        if (!ends && i == bytes.size()) return {Match::Kind::more, i};
        Automaton::State next = ends ? s : automaton_.next(s, static_cast<unsigned char>(bytes[i]));
        if (ends || automaton_.distance(next) == Automaton::never)
            return {automaton_.accepts(s) ? Match::Kind::text : Match::Kind::fault, i};
        s = next;
    }
}

// A walk at random, mostly over letters and digits, that turns towards an end after some bytes.
std::string StreamPattern::draw(solve::Choices& choices) const {
    std::string text;
    Automaton::State s = automaton_.initial();
    while (!last_[s]) {
        if (automaton_.accepts(s) && (text.size() >= longest_drawn || choices.draw(4) == 0)) break;
        std::vector<unsigned char> good, any;
        for (unsigned b = 0; b < 256; ++b) {
            auto byte = static_cast<unsigned char>(b);
            std::uint32_t left = automaton_.distance(automaton_.next(s, byte));
            bool on_the_way = text.size() < longest_drawn || left < automaton_.distance(s);
            if (left == Automaton::never || !on_the_way) continue;
            any.push_back(byte);
            if ((b >= 'a' && b <= 'z') || (b >= '0' && b <= '9')) good.push_back(byte);
        }
        const auto& from = good.empty() || choices.draw(10) == 9 ? any : good;
        unsigned char byte = from[static_cast<std::size_t>(choices.draw(from.size()))];
        text += static_cast<char>(byte);
        s = automaton_.next(s, byte);
    }
    return text;
}

}  // namespace treaty::wire
