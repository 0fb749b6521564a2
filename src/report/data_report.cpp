#include "report/data_report.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/hex.h"

namespace treaty::report {
namespace {

std::string text_of(const api::MadeMessage& message) {
    std::string values;
    for (const api::FieldValue& field : message.fields)
        values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", field.name, field.written);
    std::string text = message.name + (values.empty() ? "\n" : fmt::format("({})\n", values));
    if (!message.breaks.empty()) text += fmt::format("    breaks  {}\n", message.breaks);
    if (message.bytes) text += fmt::format("    bytes   {}\n", base::quoted_bytes(*message.bytes));
    if (!message.no_bytes.empty()) text += fmt::format("    no bytes: {}\n", message.no_bytes);
    return text;
}

Json entry_of(const api::MadeMessage& message) {
    Json values = Json::object(), how = Json::object();
    for (std::size_t i = 0; i < message.fields.size(); ++i) {
        values[message.fields[i].name] = to_json(message.fields[i].value);
        how[message.fields[i].name] = message.how[i];
    }
    Json entry = {{"message", message.name}, {"data", std::move(values)}, {"how", std::move(how)}};
    if (!message.breaks.empty()) entry["breaks"] = message.breaks;
    if (message.bytes) entry["bytes"] = base::to_hex(*message.bytes);
    if (!message.no_bytes.empty()) entry["no_bytes"] = message.no_bytes;
    return entry;
}

// Which strategies the values of each field came from; empty if there are no fields.
std::string strategies(const api::DataAnswer& answer) {
    std::map<std::string, std::set<std::string>> used;
    for (const api::MadeMessage& message : answer.messages)
        for (std::size_t i = 0; i < message.fields.size(); ++i) {
            const std::string& field = message.fields[i].name;
            used[answer.kinds.size() > 1 ? message.name + "." + field : field].insert(message.how[i]);
        }
    std::string text;
    for (const auto& [field, ways] : used)
        text += fmt::format("{}{} by {}", text.empty() ? "" : "; ", field, fmt::join(ways, ", "));
    return text.empty() ? text : fmt::format("made: {}\n", text);
}

}  // namespace

Own own_part(const api::DataAnswer& answer) {
    Own own;
    own.quiet = answer.verdict == api::Verdict::holds;
    own.fields["seed"] = answer.seed;
    own.fields["values"] = Json::array();
    for (const api::MadeMessage& message : answer.messages) {
        own.text += text_of(message);
        own.fields["values"].push_back(entry_of(message));
    }
    if (answer.verdict == api::Verdict::holds) own.text += strategies(answer);
    return own;
}

}  // namespace treaty::report
