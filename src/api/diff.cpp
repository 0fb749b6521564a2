#include "api/diff.h"

#include <algorithm>
#include <set>
#include <utility>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "api/codes.h"
#include "api/input/inputs.h"
#include "base/wording.h"
#include "lang/print.h"

namespace treaty::api {
namespace {

using lang::PrintedDeclaration;

const PrintedDeclaration* find(const std::vector<PrintedDeclaration>& all, const PrintedDeclaration& like) {
    for (const PrintedDeclaration& one : all)
        if (one.kind == like.kind && one.name == like.name) return &one;
    return nullptr;
}

std::vector<DeclarationChange> changes_between(const std::vector<PrintedDeclaration>& before,
                                               const std::vector<PrintedDeclaration>& after) {
    std::vector<DeclarationChange> changes;
    for (const PrintedDeclaration& now : after) {
        const PrintedDeclaration* then = find(before, now);
        if (!then)
            changes.push_back({Change::added, std::string(now.kind), now.name, {}, now.text});
        else if (then->text != now.text)
            changes.push_back({Change::changed, std::string(now.kind), now.name, then->text, now.text});
    }
    for (const PrintedDeclaration& then : before)
        if (!find(after, then))
            changes.push_back({Change::removed, std::string(then.kind), then.name, then.text, {}});
    return changes;
}

// Where the interactions of a protocol are in the text. A call is expanded, so those of a protocol that is
// called are among those of its caller.
std::set<std::pair<std::uint32_t, std::uint32_t>> places(const model::Protocol& protocol) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> all;
    for (model::NodeId id(0u); id.index < protocol.size(); ++id.index) {
        const model::Node& node = protocol[id];
        if (node.kind == model::NodeKind::interaction && node.span.valid())
            all.emplace(node.span.file.index, node.span.begin);
    }
    return all;
}

// The protocols that no other one calls.
std::vector<const model::Protocol*> outermost(const model::Specification& specification) {
    std::vector<const model::Protocol*> found;
    for (const model::Protocol& protocol : specification.protocols) {
        auto own = places(protocol);
        bool called = false;
        for (const model::Protocol& other : specification.protocols) {
            if (&other == &protocol || own.empty() || called) continue;
            auto theirs = places(other);
            called = std::ranges::includes(theirs, own) && (theirs.size() > own.size() || &other > &protocol);
        }
        if (!called) found.push_back(&protocol);
    }
    return found;
}

class Comparison {
public:
    Comparison(const Inquiry& inquiry, const DiffQuestion& question, const model::Specification& before,
               const model::Specification& after, DiffAnswer& answer)
        : inquiry_(inquiry), question_(question), before_(before), after_(after), answer_(answer) {}

    void run() {
        answer_.changes =
            changes_between(lang::print_declarations(before_), lang::print_declarations(after_));
        find_changed_messages();
        compare_protocols();
        if (!question_.role.empty() && !role_found_) {
            inquiry_.report(codes::no_such_role,
                            fmt::format("no protocol of {} or {} has a role {}", question_.before,
                                        question_.after, question_.role));
            return;
        }
        answer_.compared = true;
        conclude();
    }

private:
    bool changed(std::string_view kind, std::string_view name) const {
        return std::ranges::any_of(answer_.changes, [&](const DeclarationChange& one) {
            return one.kind == kind && one.name == name && one.change == Change::changed;
        });
    }

    bool has_changed_type(const model::Message& message) const {
        for (expr::TypeId type : after_.named_types) {
            std::string_view name = after_.names->text((*after_.types)[type].name);
            if (!changed("record", name) && !changed("enum", name)) continue;
            for (const expr::Field& field : message.fields)
                if (after_.types->contains(field.type, type)) return true;
        }
        return false;
    }

    void find_changed_messages() {
        for (model::MessageId id(0u); id.index < after_.messages.size(); ++id.index) {
            std::string name(after_.alphabet->name(id));
            model::MessageId then = before_.alphabet->find_message(name);
            if (!then || then.index >= before_.messages.size()) continue;
            if (signature_of(before_, then) != signature_of(after_, id) ||
                has_changed_type(after_.message(id)))
                changed_messages_.insert(std::move(name));
        }
        values_changed_ = std::ranges::any_of(answer_.changes, [](const DeclarationChange& one) {
            return one.kind != "protocol" && one.kind != "wire" && one.kind != "property";
        });
    }

    void compare_protocols() {
        auto old_ones = outermost(before_), new_ones = outermost(after_);
        auto take = [](std::vector<const model::Protocol*>& from, const model::Protocol* which) {
            return which && std::erase(from, which) > 0;
        };
        // Those of the same name first, then the last ones of the files; what is left came or went.
        std::vector<std::pair<const model::Protocol*, const model::Protocol*>> pairs;
        for (const model::Protocol* now : std::vector(new_ones)) {
            const model::Protocol* then = before_.find_protocol(now->name());
            if (!then) continue;
            take(new_ones, now);
            take(old_ones, then);
            pairs.emplace_back(then, now);
        }
        for (const model::Protocol* then : std::vector(old_ones)) {
            const model::Protocol* now = after_.find_protocol(then->name());
            if (!now) continue;
            take(old_ones, then);
            pairs.emplace_back(then, now);
        }
        if (!old_ones.empty() && !new_ones.empty() && old_ones.back() == before_.main_protocol() &&
            new_ones.back() == after_.main_protocol()) {
            pairs.emplace_back(old_ones.back(), new_ones.back());
            old_ones.pop_back();
            new_ones.pop_back();
        }
        for (auto [then, now] : pairs) compare(*then, *now);
        for (const model::Protocol* now : new_ones) came_or_went(*now, after_, Change::added);
        for (const model::Protocol* then : old_ones) came_or_went(*then, before_, Change::removed);
    }

    bool asked(std::string_view role) {
        bool wanted = question_.role.empty() || question_.role == role;
        role_found_ |= wanted;
        return wanted;
    }

    static std::vector<std::string> roles_of(const model::Specification& specification,
                                             const model::Protocol& protocol) {
        std::vector<std::string> names;
        for (model::RoleId role : protocol.roles()) names.emplace_back(specification.alphabet->name(role));
        return names;
    }

    void came_or_went(const model::Protocol& protocol, const model::Specification& specification,
                      Change change) {
        ProtocolChange& entry = answer_.protocols.emplace_back();
        (change == Change::added ? entry.after : entry.before) = protocol.name();
        for (const std::string& role : roles_of(specification, protocol))
            if (asked(role)) entry.roles.push_back({role, change, {}});
    }

    void compare(const model::Protocol& then, const model::Protocol& now) {
        ProtocolChange& entry = answer_.protocols.emplace_back();
        entry.before = then.name();
        entry.after = now.name();
        PartVersion old_version{before_, then, question_.before, changed_messages_};
        PartVersion new_version{after_, now, question_.after, changed_messages_};
        bool same_text = then.name() == now.name() && !changed("protocol", now.name()) && !values_changed_;
        auto old_roles = roles_of(before_, then), new_roles = roles_of(after_, now);
        for (const std::string& role : new_roles) {
            if (!asked(role)) continue;
            if (std::ranges::find(old_roles, role) == old_roles.end()) {
                entry.roles.push_back({role, Change::added, {}});
                continue;
            }
            RoleChange& found = entry.roles.emplace_back(RoleChange{role, {}, {}});
            if (same_text) continue;
            found.part = compare_parts(inquiry_, old_version, new_version, role);
            if (found.part.verdict == Verdict::fails) found.change = Change::changed;
        }
        for (const std::string& role : old_roles)
            if (std::ranges::find(new_roles, role) == new_roles.end() && asked(role))
                entry.roles.push_back({role, Change::removed, {}});
    }

    void conclude() {
        std::vector<std::string> concerned, unknown, wires;
        std::string why_unknown;
        auto add = [](std::vector<std::string>& to, const std::string& name) {
            if (std::ranges::find(to, name) == to.end()) to.push_back(name);
        };
        for (const ProtocolChange& protocol : answer_.protocols)
            for (const RoleChange& role : protocol.roles) {
                if (role.change) add(concerned, role.role);
                if (role.part.verdict == Verdict::undecided) {
                    if (unknown.empty()) why_unknown = role.part.reason;
                    add(unknown, role.role);
                }
                const auto& run = role.part.only_after ? role.part.only_after : role.part.only_before;
                if (run && !answer_.witness) answer_.witness = run;
            }
        for (const DeclarationChange& one : answer_.changes)
            if (one.kind == "wire" && one.change != Change::added) wires.push_back(one.name);
        if (!concerned.empty())
            inquiry_.fails(fmt::format("the change concerns {}", fmt::join(concerned, ", ")));
        else if (!wires.empty())
            inquiry_.fails(fmt::format("the change of wire {} concerns every role", fmt::join(wires, ", ")));
        else if (!unknown.empty())
            inquiry_.undecided(fmt::format("whether the change concerns {} is not known: {}",
                                           fmt::join(unknown, ", "), why_unknown));
        else if (answer_.changes.empty())
            inquiry_.holds("nothing changed");
        else
            inquiry_.holds(question_.role.empty()
                               ? "the change concerns no role"
                               : fmt::format("the change does not concern {}", question_.role));
    }

    const Inquiry& inquiry_;
    const DiffQuestion& question_;
    const model::Specification& before_;
    const model::Specification& after_;
    DiffAnswer& answer_;
    absl::flat_hash_set<std::string> changed_messages_;
    bool values_changed_ = false;  // some declaration that a protocol may use
    bool role_found_ = false;
};

}  // namespace

DiffAnswer diff(const Workspace& workspace, const DiffQuestion& question, const Context& context) {
    DiffAnswer answer;
    answer.inputs = {question.before, question.after};
    Inquiry inquiry(workspace, context, answer);
    auto before = load_protocol(inquiry, question.before, "");
    auto after = load_protocol(inquiry, question.after, "");
    if (before && after)
        Comparison(inquiry, question, before->specification, after->specification, answer).run();
    return answer;
}

}  // namespace treaty::api
