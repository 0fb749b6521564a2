// What happens at a message, in C++: its data is checked, values are remembered, and the role goes on. The
// states of a role (cpp_code.h) and its monitor (cpp_monitor.h) do the same with it.
//
// The text reads the message as `m`, and what the role remembers by a prefix such as "c.data.".
#pragma once

#include <functional>
#include <string>

#include "generate/code_writer.h"

namespace treaty::generate {

class CppSteps {
public:
    // A statement that refuses the message; why is an expression of type const char*.
    using Refuse = std::function<std::string(const std::string& why)>;
    // The statements after an alternative that applies.
    using Accept = std::function<std::string(const Alternative&, const std::string& indent)>;

    // The writer must outlive it.
    CppSteps(CodeWriter& writer, std::string data, Refuse refuse)
        : writer_(writer), data_(std::move(data)), refuse_(std::move(refuse)) {}

    std::string print(const Operation& operation, const std::string& indent, const Accept& accept);
    // The condition under which the role may end in the state; empty if it always may.
    std::string may_end(const StateCode& state);
    // The members of the struct of what the role remembers.
    std::string data_members(const RoleCode& role, std::string_view indent);

private:
    CodeWriter::Frame frame(const Operation& o) const { return {o.message, "m.", data_}; }
    std::string updates(const Alternative& a, const Operation& o, const std::string& indent);

    CodeWriter& writer_;
    std::string data_;
    Refuse refuse_;
};

}  // namespace treaty::generate
