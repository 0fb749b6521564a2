// What happens at a message, in Python: its data is checked, values are remembered, and the role goes on. The
// states of a role (python_code.h) and its monitor (python_monitor.h) do the same with it.
//
// The text is the body of a method, which reads the message as `m`; what is not allowed raises rt.DataError.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "generate/code_writer.h"

namespace treaty::generate {

// The classes of what is received, by message and the state after it: "GotOrder".
using ReceivedNames = std::map<std::pair<model::MessageId, std::size_t>, std::string>;
ReceivedNames received_names(const RoleCode& role, const model::Alphabet& alphabet);

class PythonSteps {
public:
    // The statements after an alternative that applies.
    using Accept = std::function<std::string(const Alternative&, std::string_view indent)>;

    // data: where what the role remembers is. The writer must outlive it.
    PythonSteps(CodeWriter& writer, std::string data) : writer_(writer), data_(std::move(data)) {}

    std::string print(const Operation& operation, const Accept& accept);
    static bool reads_data(const Operation& operation);
    // The condition under which the role may end in the state; empty if it always may.
    std::string may_end(const StateCode& state, const std::string& data);
    // The class of what the role remembers.
    std::string data_class(const RoleCode& role);

private:
    static CodeWriter::Frame frame(const Operation& o) { return {o.message, "m.", "data."}; }
    std::string updates(const Alternative& a, const Operation& o, std::string_view indent);

    CodeWriter& writer_;
    std::string data_;
};

}  // namespace treaty::generate
