// Wires over HTTP/1.1 with layouts: method, path and status choose the message, then headers and the body.
#include <algorithm>

#include <fmt/format.h>

#include "wire/http_layout.h"

namespace treaty::wire {
namespace {

class HttpLayoutEngine final : public Engine {
public:
    HttpLayoutEngine(const expr::Pool& pool, const Wire& wire, std::span<const MessageShape> shapes)
        : pool_(pool), shapes_(shapes.begin(), shapes.end()), conditions_(conditions_of(pool, shapes)) {
        for (const Layout& l : wire.layouts) {
            HttpLayout layout(pool, l);
            if (!layout.complete()) continue;
            layouts_.push_back(std::move(layout));
            messages_.push_back(l.message.index);
        }
    }

    DecodeStep decode(std::string_view window, bool ended, Scratch& scratch, Decoded& out) const override {
        HttpHead head;
        DecodeStep step = read_head(window, scratch.limits, head);
        if (step.kind != DecodeStep::Kind::message) return step;
        std::string_view body;
        step = read_body(window, ended, head, scratch, body);
        if (step.kind != DecodeStep::Kind::message) return step;
        Mismatch mismatch;
        bool found =
            choose_layout(pool_, shapes_, messages_, conditions_, scratch, out, mismatch,
                          [&](std::size_t i, std::vector<expr::Value>& values, Mismatch* why) {
                              return layouts_[i].match(head, window, body, scratch.limits, values, why);
                          });
        if (!found) return DecodeStep::fault_at(mismatch.at, describe(head, mismatch), step.bytes);
        if (scratch.explain) explain_http(head, body, step.bytes, window, scratch);
        return step;
    }

    std::optional<EncodeFault> encode(MessageIndex message, std::span<const expr::Value> values,
                                      Scratch& scratch, std::string& out) const override {
        const HttpLayout* layout = find(message);
        std::size_t start = out.size();
        if (auto fault = layout->encode(values, out)) return fault;
        // Texts in a path or a header may run into each other; what would be read as something else is
        // refused.
        std::string_view written = std::string_view(out).substr(start);
        HttpHead head;
        std::string_view body;
        if (read_head(written, scratch.limits, head).kind != DecodeStep::Kind::message)
            return EncodeFault{none, "the head is longer than the limit"};
        if (read_body(written, true, head, scratch, body).kind != DecodeStep::Kind::message)
            return EncodeFault{none, "the message exceeds the limit"};
        std::vector<expr::Value> back;
        for (const expr::Field& f : shapes_[message].fields)
            back.push_back(blank_value(pool_.types(), f.type));
        Mismatch mismatch;
        bool same = layout->match(head, written, body, scratch.limits, back, &mismatch);
        // Values outside their ranges are written where that is wanted, and never read back.
        bool proper = true;
        for (std::size_t f = 0; !same && f < values.size(); ++f)
            proper = proper && expr::belongs(values[f], shapes_[message].fields[f].type, pool_.types());
        if (!same && proper)
            return EncodeFault{none, "the message would not be read back: " + mismatch.reason};
        for (std::size_t f = 0; same && f < values.size(); ++f)
            if (!(back[f] == values[f]))
                return EncodeFault{static_cast<std::uint32_t>(f),
                                   "the value would be read back as another one"};
        return std::nullopt;
    }

    bool carries(MessageIndex message) const override { return find(message) != nullptr; }

private:
    static constexpr std::uint32_t none = 0xffffffffu;

    const HttpLayout* find(MessageIndex message) const {
        auto at = std::find(messages_.begin(), messages_.end(), message);
        return at == messages_.end() ? nullptr : &layouts_[static_cast<std::size_t>(at - messages_.begin())];
    }

    std::string describe(const HttpHead& head, const Mismatch& mismatch) const {
        std::string what = head.request ? fmt::format("{} {}", readable(head.first), readable(head.second))
                                        : fmt::format("a response with status {}", readable(head.second));
        if (mismatch.reason.empty()) return fmt::format("{} matches no message", what);
        return fmt::format("{} does not match `{}`: {}", what,
                           pool_.names().text(shapes_[messages_[mismatch.layout]].name), mismatch.reason);
    }

    const expr::Pool& pool_;
    std::vector<MessageShape> shapes_;
    std::vector<Condition> conditions_;
    std::vector<HttpLayout> layouts_;
    std::vector<MessageIndex> messages_;  // by layout
};

}  // namespace

std::unique_ptr<Engine> make_http_layout_engine(const expr::Pool& pool, const Wire& wire,
                                                std::span<const MessageShape> shapes) {
    return std::make_unique<HttpLayoutEngine>(pool, wire, shapes);
}

}  // namespace treaty::wire
