#include "report/answers.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "api/data.h"
#include "base/escape.h"
#include "base/hex.h"
#include "base/hex_text.h"
#include "wire/corrupt.h"

namespace treaty::report {
namespace {

std::string text_of(const api::CorruptedBytes& corrupted, bool hex) {
    const wire::Corruption& c = corrupted.corruption;
    std::string text =
        fmt::format("    {}: {}\n        {}\n", wire::to_string(c.damage), c.what, api::print(corrupted));
    return hex ? text + base::hex_dump(c.bytes, "        ")
               : text + fmt::format("        0x\"{}\"\n", base::to_hex(c.bytes));
}

Json entry_of(const api::CorruptedBytes& corrupted) {
    const wire::Corruption& c = corrupted.corruption;
    const wire::Reading& reading = corrupted.reading;
    Json says = {{"result", reading.fault  ? "refused"
                            : reading.more ? "incomplete"
                                           : "decoded"},
                 {"messages", corrupted.messages}};
    if (reading.fault) says["offset"] = reading.fault->offset;
    if (reading.fault) says["reason"] = reading.fault->reason;
    return {{"damage", wire::word_of(c.damage)},
            {"number", c.number},
            {"field", c.field},
            {"offset", c.offset},
            {"what", c.what},
            {"bytes", base::to_hex(c.bytes)},
            {"cuts", c.cuts},
            {"wire", std::move(says)}};
}

std::string text_of(const api::MadeMessage& message, bool hex) {
    std::string values;
    for (const api::FieldValue& field : message.fields)
        values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", field.name, field.written);
    std::string text = message.name + (values.empty() ? "\n" : fmt::format("({})\n", values));
    if (!message.breaks.empty()) text += fmt::format("    breaks  {}\n", message.breaks);
    if (message.bytes && hex)
        text += base::hex_dump(*message.bytes, "    ");
    else if (message.bytes)
        text += fmt::format("    bytes   {}\n", base::quoted_bytes(*message.bytes));
    if (!message.no_bytes.empty()) text += fmt::format("    no bytes: {}\n", message.no_bytes);
    for (const api::CorruptedBytes& one : message.corrupted) text += text_of(one, hex);
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
    for (const api::CorruptedBytes& one : message.corrupted) entry["corrupted"].push_back(entry_of(one));
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

Own own_part(const api::DataAnswer& answer, bool hex) {
    Own own;
    own.quiet = answer.verdict == api::Verdict::holds;
    own.fields["seed"] = answer.seed;
    own.fields["values"] = Json::array();
    for (const api::MadeMessage& message : answer.messages) {
        own.text += text_of(message, hex);
        own.fields["values"].push_back(entry_of(message));
    }
    if (answer.verdict == api::Verdict::holds) own.text += strategies(answer);
    return own;
}

}  // namespace treaty::report
