// What a .proto file declares, as far as a protocol needs it, without the headers of protobuf.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/source.h"
#include "formats/notation.h"

namespace treaty::formats::proto {

struct Enumeration {
    std::string name = {};                                           // without the package: "Order.State"
    std::vector<std::pair<std::string, std::int32_t>> members = {};  // without second names of a number
    bool closed = false;                                             // other numbers are unknown fields
};

struct Message;

struct Field {
    enum class Presence : std::uint8_t { plain, optional, required, repeated, map };
    static constexpr int no_oneof = -1;

    std::string name = {};
    std::int32_t number = 0;
    Presence presence = Presence::plain;
    std::string kind = {};  // "int32", "enum", "message"; of a map its values
    std::string key = {};   // of a map
    const Message* message = nullptr;
    const Enumeration* enumeration = nullptr;
    bool expanded = false;           // a list of numbers that is not packed
    int oneof = no_oneof;            // its position in the message
    std::string default_value = {};  // of proto2, as it is written; empty: that of the type
};

struct Message {
    std::string name = {};  // without the package: "Order.Line"
    std::vector<Field> fields = {};
    base::Span span = {};
    bool outermost = true;  // not inside another message
    std::size_t size = 0;   // fields and members of enumerations, with those of the messages inside
    std::size_t depth = 0;  // of messages inside one another
};

constexpr std::size_t most_fields = 20'000;  // of a message, and in all layouts of a file

struct Method {
    std::string name = {};
    std::string path = {};  // "/shop.Shop/Reserve"
    const Message* request = nullptr;
    const Message* reply = nullptr;
    bool client_streams = false, server_streams = false;
    base::Span span = {};
};

struct Service {
    std::string name = {};
    std::vector<Method> methods = {};
    base::Span span = {};
};

struct Schema {
    std::string package = {};
    std::deque<Message> messages = {};
    std::deque<Enumeration> enumerations = {};
    std::vector<const Message*> own = {};  // those of the file itself, in its order
    std::vector<Service> services = {};
};

// Reads the file and what it imports. Nothing after an error, which was reported.
std::optional<Schema> read_schema(const Loading& loading);

}  // namespace treaty::formats::proto
