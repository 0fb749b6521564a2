#include <algorithm>

#include <fmt/format.h>

#include "formats/pnml/pnml.h"
#include "formats/xml.h"

namespace treaty::formats {
namespace {

using xml::escaped;
using xml::writable;

constexpr std::string_view our_note = "<toolspecific tool=\"treaty\" version=\"1\">";

std::size_t tokens_on(std::span<const model::PlaceId> tokens, std::size_t i) {
    auto [first, last] = std::equal_range(tokens.begin(), tokens.end(), model::PlaceId(i));
    return static_cast<std::size_t>(last - first);
}

std::string place_element(const model::Net& net, std::size_t i) {
    const model::Place& place = net.places()[i];
    std::string out = fmt::format("      <place id=\"p{}\">", i);
    if (!place.name.empty()) out += fmt::format("<name><text>{}</text></name>", escaped(place.name));
    std::size_t initial = tokens_on(net.initial(), i), final = tokens_on(net.final(), i);
    if (initial > 0) out += fmt::format("<initialMarking><text>{}</text></initialMarking>", initial);
    if (final > 0 || place.semaphore) out += our_note;
    if (final > 0) out += final == 1 ? "<final/>" : fmt::format("<final>{}</final>", final);
    if (place.semaphore) out += "<semaphore/>";
    if (final > 0 || place.semaphore) out += "</toolspecific>";
    return out + "</place>\n";
}

// Weight 1 is what an arc without an inscription has.
std::string weight_element(std::uint32_t weight) {
    return weight == 1 ? "/>" : fmt::format("><inscription><text>{}</text></inscription></arc>", weight);
}

std::string event_element(const model::Alphabet& alphabet, model::LabelId label) {
    const model::Event& e = alphabet.event(label);
    std::string_view kind;
    switch (e.kind) {
        case model::EventKind::silent: return "<event kind=\"silent\"/>";
        case model::EventKind::plain:
            return fmt::format("<event kind=\"plain\" message=\"{}\"/>", escaped(alphabet.name(e.message)));
        case model::EventKind::interaction: kind = "interaction"; break;
        case model::EventKind::send: kind = "send"; break;
        case model::EventKind::receive: kind = "receive"; break;
    }
    return fmt::format("<event kind=\"{}\" from=\"{}\" to=\"{}\" message=\"{}\"/>", kind,
                       escaped(alphabet.name(e.from)), escaped(alphabet.name(e.to)),
                       escaped(alphabet.name(e.message)));
}

void check(const model::Net& net, Conversion& conversion) {
    std::size_t data = 0, clears = 0;
    std::vector<bool> told(net.alphabet().label_count());
    for (const model::Transition& t : net.transitions()) {
        if (t.guard || t.where || !t.data.empty() || !t.assignments.empty()) ++data;
        if (!t.clears.empty()) ++clears;
        std::string text = net.alphabet().print(t.label);
        if (!writable(text) && !told[t.label.index]) {
            conversion.refuse({}, "the name of an event contains characters that XML does not allow");
            told[t.label.index] = true;
        }
    }
    if (data > 0)
        conversion.refuse(
            {}, fmt::format("{} transition{} with data, which place/transition nets cannot express", data,
                            data == 1 ? "" : "s"));
    if (clears > 0)
        conversion.refuse({}, fmt::format("{} transition{} that interrupt others by clearing their places, "
                                          "which place/transition nets cannot express",
                                          clears, clears == 1 ? "" : "s"));
    bool named = std::all_of(net.places().begin(), net.places().end(),
                             [](const model::Place& p) { return writable(p.name); });
    if (!named) conversion.refuse({}, "the name of a place contains characters that XML does not allow");
    if (!writable(net.name()))
        conversion.refuse({}, "the name of the net contains characters that XML does not allow");
}

}  // namespace

std::optional<std::string> write_pnml(const model::Net& net, Conversion& conversion) {
    check(net, conversion);
    if (!conversion.ok()) return std::nullopt;
    std::string out;
    auto into = std::back_inserter(out);
    fmt::format_to(into,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
                   "  <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n"
                   "    <name><text>{}</text></name>\n    <page id=\"page\">\n",
                   escaped(net.name()));
    for (std::size_t i = 0; i < net.places().size(); ++i) out += place_element(net, i);
    for (std::size_t i = 0; i < net.transitions().size(); ++i) {
        const model::Transition& t = net.transitions()[i];
        fmt::format_to(
            into,
            "      <transition id=\"t{}\"><name><text>{}</text></name>{}{}</toolspecific></transition>\n", i,
            t.silent() ? "" : escaped(net.alphabet().print(t.label)), our_note,
            event_element(net.alphabet(), t.label));
    }
    std::size_t arcs = 0;
    for (std::size_t i = 0; i < net.transitions().size(); ++i) {
        for (auto [p, weight] : model::counted(net.transitions()[i].from))
            fmt::format_to(into, "      <arc id=\"a{}\" source=\"p{}\" target=\"t{}\"{}\n", arcs++, p.index,
                           i, weight_element(weight));
        for (auto [p, weight] : model::counted(net.transitions()[i].to))
            fmt::format_to(into, "      <arc id=\"a{}\" source=\"t{}\" target=\"p{}\"{}\n", arcs++, i,
                           p.index, weight_element(weight));
    }
    out += "    </page>\n  </net>\n</pnml>\n";
    return out;
}

}  // namespace treaty::formats
