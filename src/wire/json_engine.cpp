// Wires over JSON without layouts: a message is an object. One member (called `message` unless the wire says
// otherwise) names the message, the others are its fields. Documents follow one another, with blanks between
// them as one likes; encoding ends each with a line break. The members may come in any order; an optional
// field may be missing.
#include <fmt/format.h>

#include "wire/condition.h"
#include "wire/engine.h"
#include "wire/json_text.h"

namespace treaty::wire {
namespace {

class JsonEngine final : public Engine {
public:
    JsonEngine(const expr::Pool& pool, const Wire& wire, std::span<const MessageShape> shapes)
        : pool_(pool),
          selector_(wire.selector.empty() ? "message" : wire.selector),
          shapes_(shapes.begin(), shapes.end()),
          conditions_(conditions_of(pool, shapes)) {}

    DecodeStep decode(std::string_view window, bool ended, Scratch& scratch, Decoded& out) const override {
        std::size_t end = JsonScanner::end_of_document(window);
        if (end == std::string_view::npos) {
            if (window.size() >= scratch.limits.message_bytes)
                return DecodeStep::fault_at(0, "the document is longer than the limit");
            if (!ended) return DecodeStep::more_than(window.size() + 1);
            return DecodeStep::fault_at(window.size(), "the document is not complete");
        }
        std::size_t after = end;
        JsonText text(pool_, window.substr(0, end), scratch.limits);
        std::vector<JsonMember> members;
        if (!text.object(members)) return DecodeStep::fault_at(text.fault().at, text.fault().reason, after);
        const JsonMember* kind = find(members, selector_);
        if (!kind)
            return DecodeStep::fault_at(
                0, fmt::format("the JSON object has no `{}` member, which names the message", selector_),
                after);
        auto name = text.string_at(*kind);
        if (!name) return DecodeStep::fault_at(text.fault().at, text.fault().reason, after);
        std::size_t m = 0;
        while (m < shapes_.size() && pool_.names().text(shapes_[m].name) != *name) ++m;
        if (m == shapes_.size() || !scratch.is_expected(static_cast<MessageIndex>(m)))
            return DecodeStep::fault_at(
                kind->begin, fmt::format("`{}` is not a message that can come here", readable(*name)), after);
        out.message = out.layout = static_cast<MessageIndex>(m);
        DecodeStep step = fields(text, members, shapes_[m], scratch, out);
        step.resync = after;
        if (step.kind == DecodeStep::Kind::message)
            out.condition_holds = conditions_[m].holds(out.fields, scratch);
        return step.kind == DecodeStep::Kind::message ? DecodeStep::message_of(after) : step;
    }

    std::optional<EncodeFault> encode(MessageIndex message, std::span<const expr::Value> values, Scratch&,
                                      std::string& out) const override {
        const MessageShape& shape = shapes_[message];
        out += '{';
        append_json_string(selector_, out);
        out += ':';
        if (!append_json_string(pool_.names().text(shape.name), out))
            return EncodeFault{0xffffffffu, "the name of the message is not valid UTF-8"};
        for (std::size_t f = 0; f < values.size(); ++f) {
            out += ',';
            append_json_string(pool_.names().text(shape.fields[f].name), out);
            out += ':';
            if (!append_json(pool_, shape.fields[f].type, values[f], out))
                return EncodeFault{static_cast<std::uint32_t>(f), "JSON cannot express this value"};
        }
        out += "}\n";
        return std::nullopt;
    }

    bool ignorable(std::string_view window) const override {
        return window.find_first_not_of(" \t\r\n") == std::string_view::npos;
    }

    bool carries(MessageIndex message) const override {
        if (message >= shapes_.size()) return false;
        for (const expr::Field& f : shapes_[message].fields)
            if (pool_.names().text(f.name) == selector_) return false;
        return true;
    }

private:
    static const JsonMember* find(const std::vector<JsonMember>& members, std::string_view key) {
        for (const JsonMember& m : members)
            if (m.key == key) return &m;
        return nullptr;
    }

    DecodeStep fields(JsonText& text, const std::vector<JsonMember>& members, const MessageShape& shape,
                      Scratch& scratch, Decoded& out) const {
        scratch.lists.assign(shape.fields.size(), expr::Value());
        out.fields.assign(shape.fields.size(), FieldView());
        std::size_t known = 1;
        for (std::size_t f = 0; f < shape.fields.size(); ++f) {
            std::string_view name = pool_.names().text(shape.fields[f].name);
            const JsonMember* member = find(members, name);
            if (member) ++known;
            expr::Value& value = scratch.lists[f];
            if (!member && pool_.types().kind(shape.fields[f].type) == expr::TypeKind::optional) {
                value = expr::Sequence{};
            } else if (!member) {
                return DecodeStep::fault_at(0, fmt::format("the JSON object has no `{}` member", name));
            } else {
                auto read = text.value(*member, shape.fields[f].type);
                if (!read) {
                    text.inside(name);
                    return DecodeStep::fault_at(text.fault().at, text.fault().reason);
                }
                value = std::move(*read);
                if (scratch.explain)
                    scratch.pieces.push_back(
                        {std::string(name),
                         expr::print(value, shape.fields[f].type, pool_.types(), pool_.names()),
                         member->begin * 8, member->end * 8, 0});
            }
            out.fields[f] = view_of(value);
        }
        if (known == members.size()) return DecodeStep::message_of(0);
        for (const JsonMember& m : members) {
            bool declared = m.key == selector_;
            for (const expr::Field& f : shape.fields)
                declared = declared || m.key == pool_.names().text(f.name);
            if (!declared)
                return DecodeStep::fault_at(m.key_at,
                                            fmt::format("the message has no field `{}`", readable(m.key)));
        }
        return DecodeStep::message_of(0);
    }

    const expr::Pool& pool_;
    std::string selector_;
    std::vector<MessageShape> shapes_;
    std::vector<Condition> conditions_;
};

}  // namespace

std::unique_ptr<Engine> make_json_engine(const expr::Pool& pool, const Wire& wire,
                                         std::span<const MessageShape> shapes) {
    if (!wire.layouts.empty()) return make_document_engine(pool, wire, shapes);
    return std::make_unique<JsonEngine>(pool, wire, shapes);
}

}  // namespace treaty::wire
