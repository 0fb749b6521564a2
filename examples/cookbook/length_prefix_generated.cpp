// The server of length_prefix.treaty, made of generated code.
//
//     treaty generate length_prefix.treaty --language c++ --codec -o gen
//     g++ -std=c++20 -I gen length_prefix_generated.cpp -o server && ./server PORT
#include "length_prefix_codec.hpp"
#include "length_prefix_server.hpp"
#include "treaty_streams.hpp"

using namespace length_prefix;

void serve(treaty::Link<Message>& link) {
    auto got = server::start(link).receive();
    while (auto* said = std::get_if<treaty::Received<messages::say, server::SendEcho>>(&got)) {
        messages::echo answer{treaty::upper(said->message.text)};
        auto next = std::move(said->next).send(std::move(answer));
        got = std::move(next).receive();
    }
}

int main(int, char** arguments) {
    int listener = treaty::listen_locally(static_cast<std::uint16_t>(std::atoi(arguments[1])));
    for (;;) {
        int connection = ::accept(listener, nullptr, nullptr);
        if (connection < 0) continue;
        treaty::Streams<Message> link(role::count, codec::encode, codec::decode);
        link.add(role::client, connection, connection);
        try {
            serve(link);
        } catch (const treaty::Error& error) {
            std::fprintf(stderr, "%s\n", error.what());
        }
    }
}
