// Wires whose messages are JSON documents with a layout: one per line, or one after the other with any blanks
// between them. Messages are told apart by what their layouts fix: constants and the members they have.
#include <algorithm>

#include <fmt/format.h>

#include "expr/value.h"
#include "wire/json_layout.h"
#include "wire/layout_choice.h"

namespace treaty::wire {
namespace {

class DocumentEngine final : public Engine {
public:
    DocumentEngine(const expr::Pool& pool, const Wire& wire, std::span<const MessageShape> shapes)
        : pool_(pool),
          lines_(wire.framing == Framing::lines),
          terminator_(lines_ && !wire.terminator.empty() ? wire.terminator : "\n"),
          shapes_(shapes.begin(), shapes.end()),
          conditions_(conditions_of(pool, shapes)) {
        for (const Layout& l : wire.layouts) {
            if (l.items.size() != 1 || !model::is_json(l.items[0])) continue;
            layouts_.emplace_back(pool, l.items[0], l.fields);
            messages_.push_back(l.message.index);
        }
    }

    DecodeStep decode(std::string_view window, bool ended, Scratch& scratch, Decoded& out) const override {
        std::size_t end = 0, after = 0;
        DecodeStep step = lines_ ? find_line(window, ended, scratch, end, after)
                                 : find_document(window, ended, scratch, end, after);
        if (step.kind != DecodeStep::Kind::message) return step;
        std::string_view document = window.substr(0, end);
        Mismatch mismatch;
        bool found = choose_layout(pool_, shapes_, messages_, conditions_, scratch, out, mismatch,
                                   [&](std::size_t i, std::vector<expr::Value>& values, Mismatch* why) {
                                       JsonFault fault;
                                       if (layouts_[i].read(document, scratch.limits, values, fault))
                                           return true;
                                       if (why)
                                           *why = {0, layouts_[i].fit(document, scratch.limits, values),
                                                   fault.at, std::move(fault.reason), i};
                                       return false;
                                   });
        if (!found) return DecodeStep::fault_at(mismatch.at, describe(mismatch), after);
        if (scratch.explain) explain(window, after, out, scratch);
        return DecodeStep::message_of(after);
    }

    std::optional<EncodeFault> encode(MessageIndex message, std::span<const expr::Value> values,
                                      Scratch& scratch, std::string& out) const override {
        std::size_t i = 0;
        while (messages_[i] != message) ++i;
        std::size_t start = out.size();
        std::uint32_t field = 0xffffffffu;
        if (!layouts_[i].write(values, out, field))
            return EncodeFault{field, "JSON cannot express this value"};
        std::vector<expr::Value> back;
        for (const expr::Field& f : shapes_[message].fields)
            back.push_back(blank_value(pool_.types(), f.type));
        JsonFault fault;
        Limits limits = scratch.limits;
        bool same = layouts_[i].read(std::string_view(out).substr(start), limits, back, fault) &&
                    std::equal(back.begin(), back.end(), values.begin(), values.end());
        if (!same && fault.reason.empty())
            return EncodeFault{0xffffffffu, "the value would not be read back as it is"};
        if (lines_ && std::string_view(out).substr(start).find(terminator_) != std::string_view::npos)
            return EncodeFault{0xffffffffu, "the line contains its own terminator"};
        out += terminator_;
        return std::nullopt;
    }

    bool carries(MessageIndex message) const override {
        return std::find(messages_.begin(), messages_.end(), message) != messages_.end();
    }

    bool ignorable(std::string_view window) const override {
        return !lines_ && window.find_first_not_of(" \t\r\n") == std::string_view::npos;
    }

private:
    DecodeStep find_line(std::string_view window, bool ended, Scratch& scratch, std::size_t& end,
                         std::size_t& after) const {
        std::size_t from = scratch.scanned > terminator_.size() ? scratch.scanned - terminator_.size() : 0;
        end = window.find(terminator_, from);
        if (end == std::string_view::npos) {
            scratch.scanned = window.size();
            if (window.size() >= scratch.limits.message_bytes)
                return DecodeStep::fault_at(scratch.limits.message_bytes,
                                            "the line is longer than the limit");
            if (ended) return DecodeStep::fault_at(window.size(), "the last line is not terminated");
            return DecodeStep::more_than(window.size() + 1);
        }
        after = end + terminator_.size();
        if (after > scratch.limits.message_bytes)
            return DecodeStep::fault_at(scratch.limits.message_bytes, "the line is longer than the limit",
                                        after);
        return DecodeStep::message_of(after);
    }

    static DecodeStep find_document(std::string_view window, bool ended, Scratch& scratch, std::size_t& end,
                                    std::size_t& after) {
        end = after = JsonScanner::end_of_document(window);
        if (end != std::string_view::npos) return DecodeStep::message_of(after);
        if (window.size() >= scratch.limits.message_bytes)
            return DecodeStep::fault_at(0, "the document is longer than the limit");
        if (!ended) return DecodeStep::more_than(window.size() + 1);
        return DecodeStep::fault_at(window.size(), "the document is not complete");
    }

    std::string describe(const Mismatch& mismatch) const {
        if (mismatch.reason.empty()) return "no message is expected here";
        return layouts_.size() == 1 ? mismatch.reason
                                    : fmt::format("the document matches no message; {}", mismatch.reason);
    }

    void explain(std::string_view window, std::size_t after, const Decoded& out, Scratch& scratch) const {
        scratch.pieces.push_back({"document", readable(window.substr(0, after)), 0, after * 8, 0});
        const MessageShape& shape = shapes_[out.message];
        for (std::size_t f = 0; f < shape.fields.size(); ++f)
            scratch.pieces.push_back(
                {std::string(pool_.names().text(shape.fields[f].name)),
                 expr::print(scratch.lists[f], shape.fields[f].type, pool_.types(), pool_.names()), 0,
                 after * 8, 1});
    }

    const expr::Pool& pool_;
    bool lines_;
    std::string terminator_;
    std::vector<MessageShape> shapes_;
    std::vector<Condition> conditions_;
    std::vector<JsonLayout> layouts_;
    std::vector<MessageIndex> messages_;  // by layout
};

}  // namespace

std::unique_ptr<Engine> make_document_engine(const expr::Pool& pool, const Wire& wire,
                                             std::span<const MessageShape> shapes) {
    return std::make_unique<DocumentEngine>(pool, wire, shapes);
}

}  // namespace treaty::wire
