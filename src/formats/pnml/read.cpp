// Reading goes in three passes over the XML: all places and transitions with their ids, then references to
// them, then arcs; a file may list them in any order.

#include <algorithm>
#include <charconv>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/check.h"
#include "formats/codes.h"
#include "formats/pnml/pnml.h"
#include "formats/xml.h"

namespace treaty::formats {
namespace {

using base::Span;
using model::PlaceId;
using pugi::xml_node;
using xml::child;
using xml::local_name;
using xml::trimmed;

constexpr std::size_t max_size = std::size_t{256} << 20;
constexpr std::size_t max_pages = 100;         // inside one another
constexpr std::int64_t max_count = 1'000'000;  // tokens of one arc or place

struct Target {
    enum class Kind : std::uint8_t { place, transition, reference } kind;
    std::uint32_t index;  // of the place, transition or reference
    xml_node node;
};

class Reader {
public:
    Reader(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics)
        : sources_(sources), text_(sources.text(file)), file_(file), diagnostics_(diagnostics) {}

    std::optional<model::Net> run() {
        std::size_t errors = diagnostics_.errors();
        if (text_.size() > max_size) {
            report(codes::pnml_too_large, {}, fmt::format("the file has more than {} bytes", max_size));
            return std::nullopt;
        }
        if (!xml::read(sources_, file_, document_, diagnostics_)) return std::nullopt;
        xml_node net = find_net();
        if (!net) return std::nullopt;
        flatten(net);
        collect();
        resolve_references();
        for (const xml_node& node : nodes_)
            if (local_name(node) == "arc") arc(node);
        final_markings(net);
        if (diagnostics_.errors() == errors) check_shape(net);
        if (diagnostics_.errors() > errors) return std::nullopt;
        return build(net);
    }

private:
    Span span(const xml_node& node) const { return xml::span_of(node, file_); }
    base::Diagnostic& report(const base::Code& code, const xml_node& node, std::string message) {
        return diagnostics_.report(code, span(node), std::move(message));
    }

    // The parts of the net, in the order of the file.

    xml_node find_net() {
        xml_node root = document_.document_element();
        xml_node found;
        if (root && local_name(root) == "pnml") {
            for (xml_node c : root.children()) {
                if (local_name(c) != "net") continue;
                if (found) {
                    report(codes::pnml_no_net, c, "a second net in one file");
                    return {};
                }
                found = c;
            }
        }
        if (!found) {
            report(codes::pnml_no_net, root, "this file contains no net");
            return {};
        }
        std::string_view type = found.attribute("type").value();
        bool plain = type.empty() || type.find("ptnet") != std::string_view::npos ||
                     type.find("pnmlcoremodel") != std::string_view::npos || type == "P/T net" ||
                     type.find("pnml") == std::string_view::npos;
        if (!plain) {
            report(codes::pnml_kind, found, fmt::format("nets of type `{}` are not supported", type));
            return {};
        }
        return found;
    }

    void flatten(const xml_node& net) {
        std::vector<std::pair<xml_node, std::size_t>> pending{{net, 0}};
        while (!pending.empty()) {
            auto [container, depth] = pending.back();
            pending.pop_back();
            if (depth > max_pages) {
                report(codes::pnml_too_large, container,
                       fmt::format("pages are nested deeper than {}", max_pages));
                return;
            }
            std::size_t before = pending.size();
            for (xml_node c : container.children()) {
                if (local_name(c) == "page") {
                    pending.emplace_back(c, depth + 1);
                } else if (c.type() == pugi::node_element) {
                    nodes_.push_back(c);
                }
            }
            std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(before), pending.end());
        }
    }

    // Places, transitions and references.

    bool declare(const xml_node& node, Target target) {
        std::string_view id = node.attribute("id").value();
        if (id.empty()) {
            report(codes::pnml_id, node, fmt::format("this {} has no id", local_name(node)));
            return false;
        }
        auto [first, added] = ids_.try_emplace(id, target);
        if (!added)
            report(codes::pnml_id, node, fmt::format("a second `{}`", id))
                .label(span(first->second.node), "first here");
        return added;
    }

    void collect() {
        for (const xml_node& node : nodes_) {
            std::string_view kind = local_name(node);
            if (kind == "place") {
                if (declare(node, {Target::Kind::place, static_cast<std::uint32_t>(places_.size()), node}))
                    place(node);
            } else if (kind == "transition") {
                if (declare(node, {Target::Kind::transition, static_cast<std::uint32_t>(transitions_.size()),
                                   node}))
                    transition(node);
            } else if (kind == "referencePlace" || kind == "referenceTransition") {
                declare(node, {Target::Kind::reference, 0, node});
            }
        }
    }

    xml_node our_note(const xml_node& node) const {
        for (xml_node c : node.children())
            if (local_name(c) == "toolspecific" && std::string_view(c.attribute("tool").value()) == "treaty")
                return c;
        return {};
    }

    struct PlaceData {
        std::string name;
        std::size_t initial = 0, final = 0;  // tokens
        bool semaphore = false;
    };

    void place(const xml_node& node) {
        PlaceData data;
        data.name = place_name(node);
        plain_labels(node);
        data.initial = tokens(child(node, "initialMarking"), 0, 0, "a place holds");
        xml_node note = our_note(node);
        xml_node final = child(note, "final");
        if (final) data.final = final.text().empty() ? 1 : tokens(final, 0, 1, "a final place holds");
        data.semaphore = static_cast<bool>(child(note, "semaphore"));
        marked_ += data.initial + data.final;
        places_.push_back(std::move(data));
    }

    // An id in the form of our writer carries no meaning and is not a name.
    std::string place_name(const xml_node& node) const {
        std::string_view name = trimmed(child(child(node, "name"), "text").text().get());
        if (!name.empty()) return std::string(name);
        std::string id = node.attribute("id").value();
        return id == fmt::format("p{}", places_.size()) ? "" : id;
    }

    // Labels that would change what the net does, and that only richer kinds of nets have.
    void plain_labels(const xml_node& node) {
        for (std::string_view name : {"hlinitialMarking", "hlinscription"})
            if (xml_node label = child(node, name))
                report(codes::pnml_kind, label, "nets with coloured tokens are not supported");
        xml_node capacity = child(node, "capacity");
        auto most = number(capacity);
        if (capacity && most && *most > 0)
            report(codes::pnml_kind, capacity, "places with a capacity are not supported");
    }

    // The number that a label holds, in either of the forms `2` and, as PIPE writes it, `Default,2`.
    static std::optional<std::int64_t> number(const xml_node& label) {
        xml_node holder = child(label, "text");
        if (!holder) holder = child(label, "value");
        std::string_view text = trimmed(holder ? holder.text().get() : label.text().get());
        constexpr std::string_view only_kind = "Default,";
        if (text.substr(0, only_kind.size()) == only_kind) text.remove_prefix(only_kind.size());
        std::int64_t value = 0;
        auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (fault == std::errc::result_out_of_range) return max_count + 1;
        if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
        return value;
    }

    // The number of tokens that a label holds; gives `least` after a report.
    std::size_t tokens(const xml_node& label, std::size_t absent, std::int64_t least, std::string_view who) {
        if (!label) return absent;
        auto value = number(label);
        if (value && *value >= least && *value <= max_count) return static_cast<std::size_t>(*value);
        report(codes::pnml_weight, label, fmt::format("{} {} to {} tokens", who, least, max_count));
        return static_cast<std::size_t>(least);
    }

    void transition(const xml_node& node) {
        model::Transition t;
        if (xml_node event = child(our_note(node), "event")) {
            t.label = noted_event(event);
        } else if (!invisible(node)) {
            xml_node name = child(node, "name");
            std::string_view text = trimmed(child(name, "text").text().get());
            if (!name) text = node.attribute("id").value();
            t.label = text.empty() ? alphabet_->silent() : alphabet_->plain(text);
        } else {
            t.label = alphabet_->silent();
        }
        transitions_.push_back(std::move(t));
        transition_nodes_.push_back(node);
    }

    static bool invisible(const xml_node& node) {
        for (xml_node c : node.children())
            if (local_name(c) == "toolspecific" &&
                std::string_view(c.attribute("activity").value()) == "$invisible$")
                return true;
        return false;
    }

    model::LabelId noted_event(const xml_node& event) {
        std::string_view kind = event.attribute("kind").value();
        std::string_view from = event.attribute("from").value(), to = event.attribute("to").value();
        std::string_view message = event.attribute("message").value();
        if (kind == "silent") return alphabet_->silent();
        if (kind == "plain") return alphabet_->plain(message);
        bool known = kind == "interaction" || kind == "send" || kind == "receive";
        if (!known || from == to) {
            report(codes::pnml_event, event,
                   known ? "sender and receiver of an event must be different roles"
                         : fmt::format("unknown kind of event `{}`", kind));
            return alphabet_->silent();
        }
        model::RoleId a = alphabet_->role(from), b = alphabet_->role(to);
        model::MessageId m = alphabet_->message(message);
        if (kind == "interaction") return alphabet_->interaction(a, b, m);
        return kind == "send" ? alphabet_->send(a, b, m) : alphabet_->receive(a, b, m);
    }

    // A reference means what it refers to, through other references.
    void resolve_references() {
        for (const xml_node& node : nodes_) {
            std::string_view kind = local_name(node);
            if (kind != "referencePlace" && kind != "referenceTransition") continue;
            const Target* target = find(node.attribute("ref").value());
            Target::Kind wanted = kind == "referencePlace" ? Target::Kind::place : Target::Kind::transition;
            if (!target || target->kind != wanted)
                report(codes::pnml_reference, node,
                       fmt::format("`{}` is not a {} of this file", node.attribute("ref").value(),
                                   wanted == Target::Kind::place ? "place" : "transition"));
        }
    }

    const Target* find(std::string_view id) const {
        for (std::size_t hops = 0; hops <= max_pages; ++hops) {
            auto found = ids_.find(id);
            if (found == ids_.end()) return nullptr;
            if (found->second.kind != Target::Kind::reference) return &found->second;
            id = found->second.node.attribute("ref").value();
        }
        return nullptr;
    }

    // Arcs.

    void arc(const xml_node& node) {
        std::string_view kind = arc_kind(node);
        if (!kind.empty()) {
            report(codes::pnml_kind, node, fmt::format("arcs of type `{}` are not supported", kind))
                .help(
                    "only ordinary arcs, which take and put tokens, are supported; not inhibitor, reset or "
                    "read arcs");
            return;
        }
        plain_labels(node);
        const Target* ends[2];
        std::size_t i = 0;
        for (const char* end : {"source", "target"}) {
            std::string_view id = node.attribute(end).value();
            ends[i] = find(id);
            if (!ends[i++]) {
                report(codes::pnml_reference, node,
                       fmt::format("the {} `{}` of this arc is unknown", end, id));
                return;
            }
        }
        if (ends[0]->kind == ends[1]->kind) {
            report(codes::pnml_arc, node, "an arc joins a place and a transition");
            return;
        }
        std::size_t weight = tokens(child(node, "inscription"), 1, 1, "an arc takes or puts");
        if ((carried_ += weight) > model::Net::max_tokens) return;
        bool takes = ends[0]->kind == Target::Kind::place;
        std::uint32_t p = ends[takes ? 0 : 1]->index, t = ends[takes ? 1 : 0]->index;
        auto& list = takes ? transitions_[t].from : transitions_[t].to;
        list.insert(list.end(), weight, PlaceId(p));
    }

    // The kind of arc, from an attribute or one of two labels; empty for an ordinary one.
    static std::string_view arc_kind(const xml_node& node) {
        auto ordinary = [](std::string_view value) {
            return value.empty() || value == "normal" || value == "ordinary";
        };
        for (const char* name : {"type", "arctype", "arcType"}) {
            std::string_view attribute = trimmed(node.attribute(name).value());
            if (!ordinary(attribute)) return attribute;
            xml_node label = child(node, name);
            std::string_view value = trimmed(label.attribute("value").value());
            if (value.empty()) value = trimmed(child(label, "text").text().get());
            if (value.empty()) value = trimmed(label.text().get());
            if (!ordinary(value)) return value;
        }
        return {};
    }

    // ProM writes final markings next to the pages.
    void final_markings(const xml_node& net) {
        xml_node all = child(net, "finalmarkings");
        if (!all) return;
        std::size_t count = 0;
        for (xml_node marking : all.children()) {
            if (local_name(marking) != "marking") continue;
            if (++count > 1) {
                report(codes::pnml_kind, marking, "more than one final marking");
                return;
            }
            for (xml_node entry : marking.children())
                if (local_name(entry) == "place") final_place(entry);
        }
    }

    void final_place(const xml_node& entry) {
        const Target* target = find(entry.attribute("idref").value());
        if (!target || target->kind != Target::Kind::place) {
            report(codes::pnml_reference, entry,
                   fmt::format("`{}` is not a place of this file", entry.attribute("idref").value()));
            return;
        }
        std::size_t count = tokens(entry, 0, 0, "a final place holds");
        std::size_t& final = places_[target->index].final;
        marked_ += count - std::min(count, final);
        final = std::max(final, count);
    }

    void check_shape(const xml_node& net) {
        if (std::max(carried_, marked_) > model::Net::max_tokens) {
            report(codes::pnml_too_large, net,
                   fmt::format("the {} of this net have more than {} tokens in total",
                               carried_ > marked_ ? "arcs" : "markings", model::Net::max_tokens));
            return;
        }
        for (std::size_t i = 0; i < transitions_.size(); ++i)
            if (transitions_[i].from.empty())
                report(codes::pnml_source, transition_nodes_[i], "this transition takes from no place")
                    .help("give it its own marked place, with an arc back if it may happen again");
        bool marked =
            std::any_of(places_.begin(), places_.end(), [](const PlaceData& p) { return p.initial > 0; });
        if (!marked) report(codes::pnml_unmarked, net, "no place of this net is marked at the start");
    }

    std::optional<model::Net> build(const xml_node& net) {
        xml_node name = child(child(net, "name"), "text");
        model::NetBuilder builder(name ? name.text().get() : net.attribute("id").value(), alphabet_);
        for (PlaceData& data : places_) {
            PlaceId id = builder.place({}, data.semaphore, std::move(data.name));
            for (std::size_t i = 0; i < data.initial; ++i) builder.initial(id);
            for (std::size_t i = 0; i < data.final; ++i) builder.final(id);
        }
        for (model::Transition& t : transitions_) builder.transition(std::move(t));
        auto result = builder.finish();
        TREATY_CHECK(result.has_value());
        return result;
    }

    const base::SourceMap& sources_;
    std::string_view text_;
    base::FileId file_;
    base::Diagnostics& diagnostics_;
    pugi::xml_document document_;
    std::vector<xml_node> nodes_;
    absl::flat_hash_map<std::string_view, Target> ids_;
    std::shared_ptr<model::Alphabet> alphabet_ = std::make_shared<model::Alphabet>();
    std::vector<PlaceData> places_;
    std::vector<model::Transition> transitions_;
    std::vector<xml_node> transition_nodes_;
    std::size_t carried_ = 0, marked_ = 0;  // tokens of all arcs, and of the initial and final markings
};

}  // namespace

std::optional<model::Net> read_pnml(const base::SourceMap& sources, base::FileId file,
                                    base::Diagnostics& diagnostics) {
    return Reader(sources, file, diagnostics).run();
}

}  // namespace treaty::formats
