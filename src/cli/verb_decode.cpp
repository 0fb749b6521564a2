#include <fmt/format.h>

#include "base/file.h"
#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "cli/wire_inputs.h"
#include "model/wire_shapes.h"
#include "report/wording.h"
#include "wire/codec.h"

namespace treaty::cli {
namespace {

using wire::DecodeStatus;

class Explainer {
public:
    Explainer(Session& session, const model::Specification& s, const wire::Codec& codec,
              std::string_view bytes)
        : session_(session), s_(s), codec_(codec), encoder_(codec), bytes_(bytes) {}

    // Whether every byte belonged to a message.
    bool run(wire::Decoder& decoder) {
        wire::Decoded message;
        report::Json messages = report::Json::array();
        DecodeStatus status;
        while ((status = decoder.next(message)) == DecodeStatus::message) {
            messages.push_back(one(decoder, message));
            ++count_;
        }
        session_.result.extra["messages"] = std::move(messages);
        return status == DecodeStatus::end;
    }

    std::size_t count() const { return count_; }

private:
    report::Json one(const wire::Decoder& decoder, const wire::Decoded& message) {
        const auto& fields = codec_.shapes()[message.message].fields;
        std::vector<expr::Value> values = decoder.values(message);
        report::Json data = report::Json::object(), pieces = report::Json::array(),
                     also = report::Json::array();
        std::string shown;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            data[std::string(s_.names->text(fields[i].name))] = to_json(s_, fields[i].type, values[i]);
            std::string text = expr::print(values[i], fields[i].type, *s_.types, *s_.names);
            if (text.size() > 60) text = text.substr(0, 57) + "...";
            shown += fmt::format("{}{}", i > 0 ? ", " : "", text);
        }
        std::string_view name = s_.alphabet->name(model::MessageId(message.message));
        std::string text = fmt::format("{:>6}..{:<6} {}{}", message.begin, message.end, name,
                                       fields.empty() ? "" : fmt::format("({})", shown));
        for (wire::MessageIndex other : message.also) {
            text += fmt::format("{}{}", also.empty() ? "; also " : ", ",
                                s_.alphabet->name(model::MessageId(other)));
            also.push_back(std::string(s_.alphabet->name(model::MessageId(other))));
        }
        if (!message.condition_holds) text += "; its condition (where) does not hold";
        text += '\n';
        for (const wire::Piece& p : message.pieces) {
            text += piece(p);
            pieces.push_back(
                {{"name", p.name}, {"value", p.value}, {"bit_begin", p.bit_begin}, {"bit_end", p.bit_end}});
        }
        session_.result.text += text;
        std::string again;
        std::string_view own = bytes_.substr(message.begin, message.end - message.begin);
        bool same = !encoder_.encode(message.message, values, again) && again == own;
        return {{"message", std::string(name)}, {"begin", message.begin},
                {"end", message.end},           {"data", std::move(data)},
                {"also", std::move(also)},      {"same_bytes", same},
                {"pieces", std::move(pieces)},  {"condition_holds", message.condition_holds}};
    }

    static std::string place(std::uint64_t bit) {
        return bit % 8 == 0 ? fmt::format("{}", bit / 8) : fmt::format("{}.{}", bit / 8, bit % 8);
    }

    static std::string piece(const wire::Piece& p) {
        std::string indent(2 * p.depth, ' ');
        std::string at = fmt::format("{}..{}", place(p.bit_begin), place(p.bit_end));
        if (p.name.empty()) return fmt::format("    {:<14} {}{}\n", at, indent, p.value);
        return fmt::format("    {:<14} {}{} = {}\n", at, indent, p.name, p.value);
    }

    Session& session_;
    const model::Specification& s_;
    const wire::Codec& codec_;
    wire::Encoder encoder_;
    std::string_view bytes_;
    std::size_t count_ = 0;
};

// The bytes around the first one that does not fit, with a mark under it.
std::string context_of(std::string_view bytes, std::uint64_t offset) {
    std::uint64_t from = offset > 8 ? offset - 8 : 0;
    std::string hex, text, mark;
    for (std::uint64_t i = from; i < from + 16 && i < bytes.size(); ++i) {
        auto b = static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
        hex += fmt::format("{:02x} ", b);
        text += b >= 0x20 && b < 0x7f ? static_cast<char>(b) : '.';
        mark += i == offset ? "^^" : i < offset ? "   " : "";
    }
    if (offset >= bytes.size()) mark += "^ the end";
    return fmt::format("    {:>6}  {:<48} {}\n            {}\n", from, hex, text, mark);
}

}  // namespace

int verb_decode(Arguments arguments) {
    Session session("decode");
    CommandLine line(session);
    std::string file, wire_name, input = "-", expected;
    std::optional<std::uint64_t> most;
    line.positional("FILE", file, "a file that declares the wire");
    line.option("-w,--wire", "NAME", wire_name, "which wire of the file (default: the last)");
    line.option("-i,--input", "BYTES", input, "the file with the bytes (default: standard input)");
    line.option("-e,--expect", "MESSAGES", expected, "only these messages may come; separated by commas");
    line.option("--limit-bytes", "N", most, "how long one message may be (default: 16M)");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {file};
    auto specification = load_specification(session, file);
    if (!specification) return session.finish();
    const wire::Wire* wire = choose_wire(session, *specification, wire_name);
    if (!wire) return session.finish();
    std::vector<wire::MessageIndex> messages;
    for (std::size_t start = 0; !expected.empty() && start <= expected.size();) {
        std::size_t end = std::min(expected.find(',', start), expected.size());
        auto message = choose_message(session, *specification, expected.substr(start, end - start));
        if (!message) return session.finish();
        messages.push_back(message->index);
        start = end + 1;
    }
    base::FileText bytes = base::read_file(input);
    if (!bytes.text) {
        session.report(codes::bad_usage, fmt::format("{}: {}", input, bytes.fault));
        session.result.world_failed = true;
        return session.finish();
    }
    std::vector<wire::MessageShape> shapes = model::wire_shapes(*specification);
    wire::Codec codec(*specification->pool, *wire, shapes);
    report_overlaps(session, *specification, codec);
    wire::Limits limits;
    if (most) limits.message_bytes = *most;
    wire::Decoder decoder(codec, limits);
    decoder.explain(true);
    decoder.expect(messages);
    decoder.feed(*bytes.text);
    decoder.finish();
    Explainer explainer(session, *specification, codec, *bytes.text);
    bool whole = explainer.run(decoder);
    session.result.extra["wire"] = std::string(specification->names->text(wire->name));
    if (whole) return session.holds(report::counted(explainer.count(), "message"));
    const wire::DecodeFault& fault = decoder.fault();
    session.result.extra["fault"] = {{"offset", fault.offset}, {"reason", fault.reason}};
    session.result.text += context_of(*bytes.text, fault.offset);
    return session.fails(fmt::format("byte {} does not fit: {}", fault.offset, fault.reason));
}

}  // namespace treaty::cli
