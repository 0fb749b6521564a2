// Wires over lines: a message is a line up to its terminator. The first layout, in the order of the file,
// that matches the whole line, and whose message's condition holds, is the message; others that match are
// named too when patterns overlap. Where the wire has escapes, layouts describe the line's content, and
// markers the line as it is.
#include <cstring>

#include <fmt/format.h>

#include "wire/condition.h"
#include "wire/engine.h"
#include "wire/line_escapes.h"
#include "wire/text_layout.h"

namespace treaty::wire {
namespace {

class LinesEngine final : public Engine {
public:
    LinesEngine(const expr::Pool& pool, const Wire& wire, std::span<const MessageShape> shapes)
        : terminator_(wire.terminator.empty() ? "\n" : wire.terminator),
          escapes_(wire.escapes),
          conditions_(conditions_of(pool, shapes)) {
        for (const Layout& l : wire.layouts) {
            layouts_.emplace_back(pool, l, shapes[l.message.index]);
            if (by_message_.size() <= l.message.index) by_message_.resize(l.message.index + 1, none);
            by_message_[l.message.index] = static_cast<std::uint32_t>(layouts_.size() - 1);
        }
        find_overlaps();
    }

    DecodeStep decode(std::string_view window, bool ended, Scratch& scratch, Decoded& out) const override {
        std::size_t from = scratch.scanned > terminator_.size() ? scratch.scanned - terminator_.size() : 0;
        std::size_t end = find_terminator(window, from);
        if (end == std::string_view::npos) {
            scratch.scanned = window.size();
            if (window.size() >= scratch.limits.message_bytes)
                return DecodeStep::fault_at(scratch.limits.message_bytes,
                                            "the line is longer than the limit");
            if (ended) return DecodeStep::fault_at(window.size(), "the last line is not terminated");
            return DecodeStep::more_than(window.size() + 1);
        }
        std::string_view line = window.substr(0, end);
        std::size_t after = end + terminator_.size();
        if (after > scratch.limits.message_bytes)
            return DecodeStep::fault_at(scratch.limits.message_bytes, "the line is longer than the limit",
                                        after);
        Line parsed{line, line, {}, {}};
        if (!escapes_.empty()) {
            std::string& content = scratch.text();
            parsed.unreadable = escapes_.unescape(line, content, parsed.places);
            parsed.content = content;
        }
        std::optional<std::size_t> chosen;
        out.condition_holds = false;
        for (std::size_t i = 0; i < layouts_.size() && !out.condition_holds; ++i) {
            if (!scratch.is_expected(layouts_[i].message()) || !matches(i, parsed, out.fields)) continue;
            out.condition_holds = holds(i, out.fields, scratch);
            if (!chosen || out.condition_holds) chosen = i;
        }
        if (!chosen) return mismatch(parsed, after, scratch);
        choose(*chosen, parsed, scratch, out);
        return DecodeStep::message_of(after);
    }

    std::optional<EncodeFault> encode(MessageIndex message, std::span<const expr::Value> fields, Scratch&,
                                      std::string& out) const override {
        std::size_t start = out.size();
        if (auto fault = layouts_[by_message_[message]].encode(fields, out)) return fault;
        if (!escapes_.empty() && !markers_[by_message_[message]]) {
            std::string line = escapes_.escape(std::string_view(out).substr(start)), back;
            std::vector<std::size_t> places;
            if (escapes_.unescape(line, back, places) || back != std::string_view(out).substr(start))
                return EncodeFault{none, "the line would not be read back as the same text"};
            out.replace(start, out.size() - start, line);
        }
        std::size_t end = out.size();
        out += terminator_;
        if (find_terminator(std::string_view(out).substr(start), 0) != end - start)
            return EncodeFault{0xffffffffu, "the line contains its own terminator"};
        return std::nullopt;
    }

    std::optional<std::vector<expr::Value>> reread(MessageIndex message,
                                                   std::span<const expr::Value> fields) const override {
        return layouts_[by_message_[message]].reread(fields);
    }

    bool carries(MessageIndex message) const override {
        return message < by_message_.size() && by_message_[message] != none;
    }

private:
    static constexpr std::uint32_t none = 0xffffffffu;

    struct Line {
        std::string_view raw, content;
        std::optional<std::size_t> unreadable;  // where its escapes are invalid
        std::vector<std::size_t> places;        // of the content's bytes in the line; none without escapes

        std::size_t place(std::size_t at) const { return places.empty() ? at : places[at]; }
    };

    bool matches(std::size_t layout, const Line& line, std::vector<FieldView>& fields) const {
        const TextLayout& l = layouts_[layout];
        bool as_it_is = escapes_.empty() || markers_[layout];
        if (!as_it_is && line.unreadable) return false;
        std::string_view text = as_it_is ? line.raw : line.content;
        return l.may_begin(text) && l.match(text, fields);
    }

    bool holds(std::size_t layout, const std::vector<FieldView>& fields, Scratch& scratch) const {
        return conditions_[layouts_[layout].message()].holds(fields, scratch);
    }

    // Names the others that fit as well, then leaves the fields of the one that was chosen.
    void choose(std::size_t chosen, const Line& line, Scratch& scratch, Decoded& out) const {
        out.message = layouts_[chosen].message();
        out.layout = static_cast<std::uint32_t>(chosen);
        for (std::uint32_t other : overlaps_[chosen])
            if (scratch.is_expected(layouts_[other].message()) && matches(other, line, out.fields) &&
                holds(other, out.fields, scratch) == out.condition_holds)
                out.also.push_back(layouts_[other].message());
        if (!overlaps_[chosen].empty() || !out.condition_holds) matches(chosen, line, out.fields);
        if (scratch.explain) explain(layouts_[chosen], line, out, scratch);
    }

    std::size_t find_terminator(std::string_view window, std::size_t from) const {
        char last = terminator_.back();
        std::size_t n = terminator_.size();
        for (std::size_t at = from; at < window.size();) {
            const void* hit = std::memchr(window.data() + at, last, window.size() - at);
            if (!hit) return std::string_view::npos;
            auto end = static_cast<std::size_t>(static_cast<const char*>(hit) - window.data()) + 1;
            if (end >= n && window.compare(end - n, n, terminator_) == 0) return end - n;
            at = end;
        }
        return std::string_view::npos;
    }

    DecodeStep mismatch(const Line& line, std::size_t after, const Scratch& scratch) const {
        if (line.unreadable)
            return DecodeStep::fault_at(
                *line.unreadable, "not a valid escape sequence, or a character that must be escaped", after);
        std::size_t best = 0;
        for (const TextLayout& l : layouts_)
            if (scratch.is_expected(l.message())) best = std::max(best, l.fits_up_to(line.content));
        if (best == line.content.size())
            return DecodeStep::fault_at(line.raw.size(),
                                        "the line is too short, or a field cannot have this value", after);
        return DecodeStep::fault_at(line.place(best),
                                    fmt::format("unexpected \"{}\"", readable(line.content.substr(best, 1))),
                                    after);
    }

    void explain(const TextLayout& l, const Line& line, const Decoded& out, Scratch& scratch) const {
        bool escaped = !escapes_.empty() && !markers_[out.layout];
        l.explain(escaped ? line.content : line.raw, out.fields, scratch.pieces);
        for (Piece& p : scratch.pieces)
            if (escaped) {
                p.bit_begin = line.place(static_cast<std::size_t>(p.bit_begin / 8)) * 8;
                p.bit_end = line.place(static_cast<std::size_t>(p.bit_end / 8)) * 8;
            }
        scratch.pieces.push_back(
            {"", readable(terminator_), line.raw.size() * 8, (line.raw.size() + terminator_.size()) * 8, 0});
    }

    void find_overlaps() {
        overlaps_.resize(layouts_.size());
        for (const TextLayout& l : layouts_) markers_.push_back(l.is_marker());
        for (std::size_t i = 0; i < layouts_.size(); ++i)
            for (std::size_t j = i + 1; j < layouts_.size(); ++j) {
                const solve::Automaton* a = layouts_[i].automaton();
                const solve::Automaton* b = layouts_[j].automaton();
                // A marker is in the line unescaped; other layouts describe the unescaped content.
                bool alike = escapes_.empty() || markers_[i] == markers_[j];
                auto both = a && b ? a->both(*b) : std::nullopt;
                if (!alike || !both || !both->empty()) overlaps_[i].push_back(static_cast<std::uint32_t>(j));
            }
    }

    std::string terminator_;
    LineEscapes escapes_;
    std::vector<Condition> conditions_;  // by message
    std::vector<bool> markers_;          // by layout
    std::vector<TextLayout> layouts_;
    std::vector<std::uint32_t> by_message_;
    std::vector<std::vector<std::uint32_t>> overlaps_;  // by layout: later ones that may match the same line
};

}  // namespace

std::unique_ptr<Engine> make_lines_engine(const expr::Pool& pool, const Wire& wire,
                                          std::span<const MessageShape> shapes) {
    bool documents =
        !wire.layouts.empty() && !wire.layouts[0].items.empty() && model::is_json(wire.layouts[0].items[0]);
    if (documents) return make_document_engine(pool, wire, shapes);
    return std::make_unique<LinesEngine>(pool, wire, shapes);
}

}  // namespace treaty::wire
