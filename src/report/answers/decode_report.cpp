#include "report/answers.h"

#include <fmt/format.h>

#include "api/decode.h"

namespace treaty::report {
namespace {

constexpr std::size_t longest_value = 60;

std::string place(std::uint64_t bit) {
    return bit % 8 == 0 ? fmt::format("{}", bit / 8) : fmt::format("{}.{}", bit / 8, bit % 8);
}

std::string text_of(const wire::Piece& p) {
    std::string indent(std::size_t{2} * p.depth, ' ');
    std::string at = fmt::format("{}..{}", place(p.bit_begin), place(p.bit_end));
    std::string name = p.name.empty() ? "" : p.name + " = ";
    std::string hex = p.hexadecimal.empty() ? "" : fmt::format(" ({})", p.hexadecimal);
    return fmt::format("    {:<14} {}{}{}{}\n", at, indent, name, p.value, hex);
}

std::string text_of(const api::DecodedMessage& message) {
    std::string values;
    for (const api::FieldValue& field : message.fields) {
        if (!values.empty()) values += ", ";
        bool fits = field.written.size() <= longest_value;
        values += fits ? field.written : fmt::format("{}...", field.written.substr(0, longest_value - 3));
    }
    std::string text = fmt::format("{:>6}..{:<6} {}{}", message.begin, message.end, message.name,
                                   message.fields.empty() ? "" : fmt::format("({})", values));
    if (!message.also.empty()) text += fmt::format("; also {}", fmt::join(message.also, ", "));
    if (!message.condition_holds) text += fmt::format("; its declaration requires {}", message.broken);
    text += '\n';
    for (const wire::Piece& piece : message.pieces) text += text_of(piece);
    return text;
}

Json entry_of(const api::DecodedMessage& message) {
    Json data = Json::object(), pieces = Json::array();
    for (const api::FieldValue& field : message.fields) data[field.name] = to_json(field.value);
    for (const wire::Piece& p : message.pieces) {
        pieces.push_back(
            {{"name", p.name}, {"value", p.value}, {"bit_begin", p.bit_begin}, {"bit_end", p.bit_end}});
        if (!p.hexadecimal.empty()) pieces.back()["hex"] = p.hexadecimal;
    }
    return {{"message", message.name},
            {"begin", message.begin},
            {"end", message.end},
            {"data", std::move(data)},
            {"also", message.also},
            {"same_bytes", message.same_bytes},
            {"pieces", std::move(pieces)},
            {"broken", message.broken},
            {"condition_holds", message.condition_holds}};
}

// The bytes around the first one that does not fit, with a mark under it.
std::string nearby(const api::DecodeFault& fault) {
    std::string hex, text, mark;
    for (std::size_t i = 0; i < fault.nearby.size(); ++i) {
        auto b = static_cast<unsigned char>(fault.nearby[i]);
        std::uint64_t offset = fault.nearby_begin + i;
        hex += fmt::format("{:02x} ", b);
        text += b >= 0x20 && b < 0x7f ? fault.nearby[i] : '.';
        mark += offset == fault.offset ? "^^" : offset < fault.offset ? "   " : "";
    }
    if (fault.offset >= fault.nearby_begin + fault.nearby.size()) mark += "^ the end";
    return fmt::format("    {:>6}  {:<48} {}\n            {}\n", fault.nearby_begin, hex, text, mark);
}

}  // namespace

Own own_part(const api::DecodeAnswer& answer) {
    Own own;
    if (!answer.verdict) return own;
    own.fields["messages"] = Json::array();
    for (const api::DecodedMessage& message : answer.messages) {
        own.text += text_of(message);
        own.fields["messages"].push_back(entry_of(message));
    }
    own.fields["wire"] = answer.wire;
    if (!answer.fault) return own;
    own.fields["fault"] = {{"offset", answer.fault->offset}, {"reason", answer.fault->reason}};
    own.text += nearby(*answer.fault);
    return own;
}

}  // namespace treaty::report
