// What the programs that follow scripts need, beside the generated code.
#pragma once

#include "treaty_runtime.hpp"

// One of several possibilities, or the only one.
template <class Wanted, class Given>
Wanted possibility(Given given) {
    if constexpr (std::is_same_v<Wanted, Given>) return given;
    else return std::get<Wanted>(std::move(given));
}

inline void expect(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

// The data is not allowed; the state may still be used.
template <class Operation>
void refuses(Operation operation) {
    try {
        operation();
    } catch (const treaty::DataError& error) {
        expect(std::string_view(error.what()).find(".treaty:") != std::string_view::npos, "an error without its line");
        return;
    }
    expect(false, "data that is not allowed was sent");
}

template <class Message, class Next, class Given>
Next received(Given given, const Message& message, std::size_t from) {
    auto arrived = possibility<treaty::Received<Message, Next>>(std::move(given));
    expect(arrived.from == from, "the message came from another role");
    expect(arrived.message == message, "the message came with other data");
    return std::move(arrived.next);
}

inline bool leaving_is_allowed = false;
inline bool abandoned = false;

inline void begin_to_leave(bool ended) {
    leaving_is_allowed = ended;
    abandoned = false;
    treaty::abandoned_handler() = [](const char*) { abandoned = true; };
}
inline void has_left() { expect(!leaving_is_allowed || !abandoned, "a session that ended was abandoned"); }

template <class State>
void drop(State) {}

inline void allowed(const treaty::Judgement& judgement) {
    if (judgement) expect(false, judgement->text().c_str());
}
inline void refused(const treaty::Judgement& judgement) {
    expect(judgement.has_value(), "the monitor allows what watch refuses");
    expect(judgement->data || judgement->text().find(", but ") != std::string::npos, "the words of a violation");
}
