// One observed event: who recorded it, what was sent from whom to whom, with which data, in which session.
//
// Names are resolved against the protocol where it knows them; a message between two known roles that the
// protocol does not have keeps its name and no id (it is an added interaction and will be filtered out).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "expr/value.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::watch {

enum class Side : std::uint8_t {
    sent,      // recorded by the sender
    received,  // recorded by the receiver
    both,      // recorded by an observer of the whole: sent and received
};

struct Record {
    std::uint32_t source = 0;
    std::uint64_t line = 0;
    std::optional<std::int64_t> time_ns;
    Side side = Side::sent;
    model::RoleId from, to;
    model::MessageId message;  // none: not a message of the protocol
    std::string name;          // of a message that the protocol does not have; of another one it may be empty
    std::vector<expr::Value> values;
    std::string misfit;  // why the data does not fit the message; empty if it fits
    std::string session;
    std::string correlation;  // pairs a sending with its reception; empty: the order on the channel does
    bool hole = false;        // no message: some that went from one to the other may be missing here
    bool backwards = false;   // its time is before that of the record before it in the same log

    // As new, but for the source; what was allocated is kept.
    void clear();

    model::RoleId observer() const { return side == Side::received ? to : from; }
};

// Names in the logs, and what they are in the protocol.
class Vocabulary {
public:
    Vocabulary(const model::Specification& specification, const model::Protocol& protocol);
    // Learns: names that it has not heard become roles and messages of the specification, if they are names.
    explicit Vocabulary(model::Specification& specification)
        : specification_(specification), learning_(&specification) {}

    void map_address(std::string address, model::RoleId role) { addresses_[std::move(address)] = role; }
    // By mapped address, by name, or by the last part of an address (".../processes/vendor"); none if
    // unknown.
    model::RoleId role(std::string_view name_or_address) const;
    // Fills in message and name.
    void set_message(Record& record, std::string_view name) const;
    const model::Specification& specification() const { return specification_; }

private:
    const model::Specification& specification_;
    model::Specification* learning_ = nullptr;
    absl::flat_hash_map<std::string, model::RoleId> roles_, addresses_;
};

// By what the records of one conversation know each other.
struct SessionRule {
    enum class By : std::uint8_t { given, id, field } by = By::given;
    std::string field;

    // "session" (or "connection"), "id", "field:NAME"; nothing for anything else.
    static std::optional<SessionRule> parse(std::string_view text);
    // False if the record does not have what the rule asks for; then it stays as it is.
    bool apply(Record& record, const model::Specification& specification) const;
};

}  // namespace treaty::watch
