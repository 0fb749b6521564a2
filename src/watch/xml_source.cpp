// The XML form of Nguyen 2013, listing 4.2: message elements, one after the other or inside one element:
//
//   <message source="c" destination="s" direction="reception" name="Request" tstamp="1377782250120">
//     <weight>3</weight>
//   </message>
//
// A child element is a field of the message; fields of records are its children in turn. `tstamp` counts
// milliseconds; `session` and `id` are read where they are given.
#include <algorithm>

#include <pugixml.hpp>

#include "base/decimal.h"
#include "expr/value_text.h"
#include "watch/source.h"

namespace treaty::watch {
namespace {

class XmlSource : public Source {
public:
    explicit XmlSource(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

    base::Result<void> load(const std::string& text) {
        auto result = document_.load_buffer(text.data(), text.size(),
                                            pugi::parse_default | pugi::parse_fragment, pugi::encoding_utf8);
        // What was read before the fault is used: a log may end in the middle of a message.
        if (!result) broken_ = result.description();
        std::size_t line = 1, at = 0;
        auto place = [&](const pugi::xml_node& node) {
            auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
            for (; at < offset && at < text.size(); ++at) line += text[at] == '\n';
            messages_.push_back({node, line});
        };
        for (pugi::xml_node node : document_.children()) {
            if (std::string_view(node.name()) == "message") {
                place(node);
                continue;
            }
            for (pugi::xml_node inner : node.children("message")) place(inner);
        }
        if (messages_.empty() && !broken_.empty()) return base::Fault{broken_};
        return {};
    }

    ReadResult next(Record& record, std::string& fault) override {
        record.clear();
        if (position_ == messages_.size()) {
            if (broken_.empty()) return ReadResult::end;
            fault = std::move(broken_);
            broken_.clear();
            record.line = messages_.empty() ? 1 : messages_.back().second;
            return ReadResult::fault;
        }
        auto [node, line] = messages_[position_++];
        record.line = line;
        return understand(node, record, fault) ? ReadResult::record : ReadResult::fault;
    }

    bool can_resume() const override { return true; }
    Mark before_last() const override { return {position_ - (position_ > 0 ? 1 : 0), 0, {}}; }
    Mark after_last() const override { return {position_, 0, {}}; }
    bool resume(const Mark& mark) override {
        if (mark.offset > messages_.size()) return false;
        position_ = static_cast<std::size_t>(mark.offset);
        return true;
    }

private:
    bool understand(pugi::xml_node node, Record& record, std::string& fault) {
        std::string_view direction = node.attribute("direction").value();
        if (direction != "sending" && direction != "reception") {
            fault = "`direction` must be sending or reception";
            return false;
        }
        record.side = direction == "sending" ? Side::sent : Side::received;
        record.from = vocabulary_.role(node.attribute("source").value());
        record.to = vocabulary_.role(node.attribute("destination").value());
        if (!record.from || !record.to || record.from == record.to) {
            fault = "the record does not name two roles of the protocol";
            return false;
        }
        vocabulary_.set_message(record, node.attribute("name").value());
        if (auto stamp = node.attribute("tstamp")) {
            record.time_ns = base::scaled_decimal(stamp.value(), 1'000'000);
            if (!record.time_ns) {
                fault = "`tstamp` is not a number of milliseconds";
                return false;
            }
        }
        record.session = node.attribute("session").value();
        record.correlation = node.attribute("id").value();
        if (record.message) data(node, record);
        return true;
    }

    std::optional<expr::Value> value(pugi::xml_node node, expr::TypeId type) const {
        const model::Specification& spec = vocabulary_.specification();
        const expr::Type& t = (*spec.types)[type];
        if (t.kind != expr::TypeKind::record)
            return expr::value_of_text(node.text().get(), type, *spec.types, *spec.names);
        expr::Sequence fields;
        for (const expr::Field& f : t.fields) {
            pugi::xml_node part = node.child(std::string(spec.names->text(f.name)).c_str());
            auto field = part ? value(part, f.type) : std::nullopt;
            if (!field) return std::nullopt;
            fields.items.push_back(std::move(*field));
        }
        return expr::Value(std::move(fields));
    }

    void data(pugi::xml_node node, Record& record) const {
        const model::Specification& spec = vocabulary_.specification();
        for (const expr::Field& f : spec.message(record.message).fields) {
            std::string name(spec.names->text(f.name));
            pugi::xml_node part = node.child(name.c_str());
            auto field = part ? value(part, f.type) : std::nullopt;
            if (!field) {
                record.misfit = misfit_of(
                    spec, f, part ? std::optional<std::string_view>(part.text().get()) : std::nullopt);
                return;
            }
            record.values.push_back(std::move(*field));
        }
    }

    const Vocabulary& vocabulary_;
    pugi::xml_document document_;
    std::vector<std::pair<pugi::xml_node, std::size_t>> messages_;
    std::size_t position_ = 0;
    std::string broken_;
};

}  // namespace

base::Result<std::unique_ptr<Source>> xml_source(std::unique_ptr<LineReader> lines,
                                                 const Vocabulary& vocabulary) {
    lines->stop_following();
    std::string text;
    std::string_view line;
    for (bool too_long = false; lines->next(line, too_long) == Line::line; text += '\n') {
        if (too_long || text.size() + line.size() > file_limit) return base::Fault{"the XML is too large"};
        text += line;
    }
    auto source = std::make_unique<XmlSource>(vocabulary);
    if (auto loaded = source->load(text); !loaded) return base::Fault{loaded.error()};
    return {std::move(source)};
}

}  // namespace treaty::watch
