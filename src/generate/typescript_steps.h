// What happens at a message, in TypeScript: its data is checked, values are remembered, and the role goes on.
// The states of a role (typescript_code.h) and its monitor (typescript_monitor.h) do the same with it.
//
// The text reads the message as `m`; what is not allowed throws rt.DataError.
#pragma once

#include <functional>
#include <string>

#include "generate/code_writer.h"

namespace treaty::generate {

class TypeScriptSteps {
public:
    // The statements after an alternative that applies.
    using Accept = std::function<std::string(const Alternative&, const std::string& indent)>;

    // data: what comes before what the role remembers, as "session.data.". The writer must outlive it.
    TypeScriptSteps(CodeWriter& writer, std::string data) : writer_(writer), data_(std::move(data)) {}

    std::string print(const Operation& operation, const std::string& indent, const Accept& accept);
    // The condition under which the role may end in the state; empty if it always may.
    std::string may_end(const StateCode& state);
    // What tells the possibilities of receive() apart: the message, and where several states may be next,
    // that state. A string literal.
    std::string received_kind(const RoleCode& role, const StateCode& state, const Operation& operation,
                              const Alternative& alternative) const;
    // The class of what the role remembers.
    std::string data_class(const RoleCode& role);

private:
    CodeWriter::Frame frame(const Operation& o) const { return {o.message, "m.", data_}; }
    std::string updates(const Alternative& a, const Operation& o, const std::string& indent);

    CodeWriter& writer_;
    std::string data_;
};

}  // namespace treaty::generate
