#include "api/decode.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "base/hex_text.h"
#include "base/wording.h"
#include "formats/codes.h"
#include "track/broken_condition.h"
#include "wire/shapes.h"

namespace treaty::api {
namespace {

using wire::DecodeStatus;

class Decoding {
public:
    Decoding(const Inquiry& inquiry, DecodeAnswer& answer, const model::Specification& s,
             const wire::Codec& codec, std::string_view bytes)
        : inquiry_(inquiry), answer_(answer), s_(s), encoder_(codec), bytes_(bytes) {}

    void run(wire::Decoder& decoder) {
        wire::Decoded message;
        DecodeStatus status;
        while ((status = decoder.next(message)) == DecodeStatus::message) {
            answer_.messages.push_back(one(decoder, message));
            if (inquiry_.context.deadline.passed()) return stopped();
        }
        if (status == DecodeStatus::end) return conclude();
        answer_.fault = fault_of(decoder.fault());
        inquiry_.fails(
            fmt::format("byte {} does not match: {}", answer_.fault->offset, answer_.fault->reason));
    }

private:
    void conclude() {
        std::size_t wrong = 0;
        const DecodedMessage* first = nullptr;
        for (const DecodedMessage& message : answer_.messages) {
            if (message.condition_holds) continue;
            if (!first) first = &message;
            ++wrong;
        }
        if (!first) return inquiry_.holds(base::counted(answer_.messages.size(), "message"));
        std::string others = wrong > 1 ? fmt::format("; {} more", base::counted(wrong - 1, "message")) : "";
        inquiry_.fails(fmt::format("{} at byte {} violates its declaration: it requires {}{}", first->name,
                                   first->begin, first->broken, others));
    }

    // "low <= high, but low = 9, high = 2"
    std::string broken_by(model::MessageId message, const DecodedMessage& decoded,
                          std::span<const expr::Value> values) const {
        std::string text = track::broken_declaration(s_, message, values);
        const model::Message& declared = s_.message(message);
        for (std::size_t i = 0; i < decoded.fields.size() && i < declared.fields.size(); ++i)
            text += fmt::format("{}{} = {}", i == 0 ? ", but " : ", ", decoded.fields[i].name,
                                track::print_short(s_, values[i], declared.fields[i].type));
        return text;
    }

    DecodedMessage one(const wire::Decoder& decoder, const wire::Decoded& message) {
        std::vector<expr::Value> values = decoder.values(message);
        DecodedMessage result;
        result.name = s_.alphabet->name(model::MessageId(message.message));
        result.begin = message.begin;
        result.end = message.end;
        result.fields = field_values(s_, model::MessageId(message.message), values);
        for (wire::MessageIndex other : message.also)
            result.also.emplace_back(s_.alphabet->name(model::MessageId(other)));
        std::string again;
        result.same_bytes = !encoder_.encode(message.message, values, again) &&
                            again == bytes_.substr(message.begin, message.end - message.begin);
        result.condition_holds = message.condition_holds;
        if (!result.condition_holds)
            result.broken = broken_by(model::MessageId(message.message), result, values);
        result.pieces = message.pieces;
        return result;
    }

    DecodeFault fault_of(const wire::DecodeFault& fault) const {
        DecodeFault result{fault.offset, fault.reason, fault.offset > 8 ? fault.offset - 8 : 0, {}};
        if (result.nearby_begin < bytes_.size()) result.nearby = bytes_.substr(result.nearby_begin, 16);
        return result;
    }

    void stopped() {
        answer_.bound.stopped(inquiry_.context.deadline.reason());
        answer_.bound.add("messages", answer_.messages.size());
        inquiry_.undecided("not all bytes were read");
    }

    const Inquiry& inquiry_;
    DecodeAnswer& answer_;
    const model::Specification& s_;
    wire::Encoder encoder_;
    std::string_view bytes_;
};

// Nothing if one of them is not a message of the file.
std::optional<std::vector<wire::MessageIndex>> expected_messages(const Inquiry& inquiry,
                                                                 const model::Specification& s,
                                                                 const std::vector<std::string>& names) {
    std::vector<wire::MessageIndex> messages;
    for (const std::string& name : names) {
        auto message = choose_message(inquiry, s, name);
        if (!message) return std::nullopt;
        messages.push_back(message->index);
    }
    return messages;
}

void decode(const Inquiry& inquiry, const DecodeQuestion& question, DecodeAnswer& answer) {
    auto specification = load_specification(inquiry, question.file);
    if (!specification) return;
    const wire::Wire* wire = choose_wire(inquiry, *specification, question.wire);
    if (!wire) return;
    auto expected = expected_messages(inquiry, *specification, question.expected);
    if (!expected) return;
    base::Result<std::string> bytes = inquiry.workspace.read(question.input);
    if (!bytes) {
        inquiry.report(formats::codes::unreadable, bytes.error());
        return;
    }
    if (question.hex) {
        bytes = base::bytes_of_hex_text(*bytes);
        if (!bytes) {
            inquiry.report(codes::not_hexadecimal, fmt::format("{}: {}", question.input, bytes.error()));
            return;
        }
    }
    answer.wire = specification->names->text(wire->name);
    std::vector<wire::MessageShape> shapes = wire::message_shapes(*specification);
    wire::Codec codec(*specification->pool, *wire, shapes);
    report_overlaps(inquiry, *specification, codec, false);
    wire::Limits limits;
    if (question.message_bytes) limits.message_bytes = *question.message_bytes;
    wire::Decoder decoder(codec, limits);
    decoder.explain(true);
    decoder.expect(*expected);
    decoder.feed(*bytes);
    decoder.finish();
    Decoding(inquiry, answer, *specification, codec, *bytes).run(decoder);
}

}  // namespace

DecodeAnswer decode(const Workspace& workspace, const DecodeQuestion& question, const Context& context) {
    DecodeAnswer answer;
    answer.inputs = {question.file};
    decode(Inquiry(workspace, context, answer), question, answer);
    return answer;
}

}  // namespace treaty::api
