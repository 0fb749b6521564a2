#include "wire/ambiguity.h"

#include <algorithm>
#include <array>

#include "wire/line_escapes.h"
#include "wire/text_layout.h"

namespace treaty::wire {
namespace {

constexpr std::size_t most_messages = 64;
constexpr std::uint64_t samples_each = 24;
constexpr std::size_t fixed_bytes = 16;  // how far from its start a message is looked at for what is fixed

std::vector<Overlap> of_lines(const Codec& codec) {
    std::vector<Overlap> found;
    std::vector<TextLayout> layouts;
    const Wire& wire = codec.wire();
    LineEscapes escapes(escapes_of(wire));
    for (const Layout& l : wire.layouts) layouts.emplace_back(codec.pool(), l, codec.shapes()[l.message]);
    // A marker is compared with the line as it is, other layouts with its content.
    auto marked = [&](const TextLayout& marker, const TextLayout& other) -> std::optional<std::string> {
        std::string line = *marker.automaton()->shortest(), content;
        std::vector<std::size_t> places;
        bool read = !escapes.unescape(line, content, places);
        return read && other.automaton()->matches(content) ? std::optional(line) : std::nullopt;
    };
    for (std::size_t i = 0; i < layouts.size(); ++i)
        for (std::size_t j = i + 1; j < layouts.size(); ++j) {
            const expr::Automaton* a = layouts[i].automaton();
            const expr::Automaton* b = layouts[j].automaton();
            if (!a || !b) continue;
            bool first = layouts[i].is_marker(), second = layouts[j].is_marker();
            if (!escapes.empty() && first != second) {
                auto line = first ? marked(layouts[i], layouts[j]) : marked(layouts[j], layouts[i]);
                if (line) found.push_back({layouts[i].message(), layouts[j].message(), *line, first});
                continue;
            }
            auto both = a->both(*b);
            auto example = both ? both->shortest() : std::nullopt;
            if (!example) continue;
            auto only_first = a->both(b->complement());
            found.push_back({layouts[i].message(), layouts[j].message(), std::move(*example),
                             only_first && only_first->empty()});
        }
    return found;
}

class Search {
public:
    Search(expr::Pool& pool, const Codec& codec, std::span<const MessageRules> rules)
        : pool_(pool), codec_(codec), rules_(rules) {}

    std::vector<Overlap> run() {
        find_kinds();
        std::vector<Overlap> found;
        for (std::size_t i = 0; i < kinds_.size(); ++i)
            for (std::size_t j = i + 1; j < kinds_.size(); ++j)
                if (auto overlap = compare(kinds_[i], kinds_[j])) found.push_back(std::move(*overlap));
        return found;
    }

private:
    struct Kind {
        MessageIndex message = 0;
        std::vector<std::string> samples;
        std::array<unsigned char, fixed_bytes> mask{}, value{};  // bits that are the same in all samples
    };

    // In the order in which they are tried.
    void find_kinds() {
        std::vector<MessageIndex> order;
        for (const Layout& l : codec_.wire().layouts) order.push_back(l.message);
        if (order.empty())
            for (MessageIndex m = 0; m < rules_.size(); ++m)
                if (codec_.carries(m)) order.push_back(m);
        for (MessageIndex m : order) {
            if (kinds_.size() == most_messages) return;
            Sampler sampler(pool_, rules_[m], &codec_);
            Kind kind;
            kind.message = m;
            for (std::uint64_t n = 0; n < samples_each; ++n) {
                Made made = sampler.valid(1, n);
                if (made.found != expr::Found::yes) break;
                if (made.no_bytes.empty()) kind.samples.push_back(std::move(made.bytes));
            }
            find_fixed(kind);
            if (!kind.samples.empty()) kinds_.push_back(std::move(kind));
        }
    }

    static void find_fixed(Kind& kind) {
        if (kind.samples.empty()) return;
        kind.mask.fill(0xff);
        for (const std::string& s : kind.samples)
            for (std::size_t k = 0; k < fixed_bytes; ++k) {
                auto byte = static_cast<unsigned char>(k < s.size() ? s[k] : 0);
                if (&s == &kind.samples[0]) kind.value[k] = byte;
                kind.mask[k] =
                    static_cast<unsigned char>(k < s.size() ? kind.mask[k] & ~(byte ^ kind.value[k]) : 0);
            }
    }

    // How many bytes of these are the message; 0: none.
    std::size_t fits(MessageIndex message, std::string_view bytes) const {
        Decoder decoder(codec_);
        decoder.expect(std::array{message});
        decoder.feed(bytes);
        decoder.finish();
        Decoded out;
        return decoder.next(out) == DecodeStatus::message ? static_cast<std::size_t>(out.end) : 0;
    }

    // The bytes, with the bits that are fixed in the other kind.
    static std::string crossed(std::string bytes, const Kind& other) {
        for (std::size_t k = 0; k < fixed_bytes && k < bytes.size(); ++k)
            bytes[k] = static_cast<char>((static_cast<unsigned char>(bytes[k]) & ~other.mask[k]) |
                                         (other.value[k] & other.mask[k]));
        return bytes;
    }

    std::optional<Overlap> compare(const Kind& a, const Kind& b) const {
        std::optional<std::string> example;
        auto look = [&](const std::string& bytes) {
            if (example && example->size() <= bytes.size()) return;
            std::size_t first = fits(a.message, bytes), second = first > 0 ? fits(b.message, bytes) : 0;
            if (second > 0) example = bytes.substr(0, std::max(first, second));
        };
        for (const std::string& s : a.samples) look(s), look(crossed(s, b));
        for (const std::string& s : b.samples) look(s), look(crossed(s, a));
        if (!example) return std::nullopt;
        auto all = [&](const Kind& from, const Kind& into) {
            return std::all_of(from.samples.begin(), from.samples.end(),
                               [&](const std::string& s) { return fits(into.message, s) > 0; });
        };
        return Overlap{a.message, b.message, std::move(*example), all(a, b) && !all(b, a)};
    }

    expr::Pool& pool_;
    const Codec& codec_;
    std::span<const MessageRules> rules_;
    std::vector<Kind> kinds_;
};

}  // namespace

std::vector<Overlap> overlaps(expr::Pool& pool, const Codec& codec, std::span<const MessageRules> rules) {
    if (codec.wire().framing == Framing::json) return {};
    if (codec.wire().framing == Framing::lines) return of_lines(codec);
    return Search(pool, codec, rules).run();
}

}  // namespace treaty::wire
