#include "cli/inputs.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/suggest.h"
#include "cli/codes.h"
#include "formats/load.h"

namespace treaty::cli {
namespace {

std::string quoted_list(const std::vector<std::string_view>& names) {
    std::string out;
    for (std::string_view name : names) out += fmt::format("{}{}", out.empty() ? "" : ", ", name);
    return out;
}

std::string suggestion(std::string_view name, const std::vector<std::string_view>& known) {
    // Every one-letter name is near to every other.
    std::string_view meant = name.size() > 1 ? base::nearest(name, known) : std::string_view();
    return meant.empty() ? "there are: " + quoted_list(known) : fmt::format("did you mean {}?", meant);
}

// Of all that was read since there were `first` sources: lengths too, so that nothing can move from one to the
// next.
std::string digest_of(const base::SourceMap& sources, std::size_t first) {
    std::uint64_t one = 1, other = 2;
    for (std::size_t i = first; i < sources.size(); ++i) {
        std::uint64_t text = base::hash_bytes(sources.text(base::FileId(i)));
        one = base::combine(one, text);
        other = base::mix(other ^ text) + sources.text(base::FileId(i)).size();
    }
    return fmt::format("{:016x}{:016x}", one, base::mix(other));
}

}  // namespace

Loaded load(Session& session, const std::string& path) {
    return formats::load(path, session.sources, session.diagnostics);
}

const model::Protocol* choose_protocol(Session& session, const model::Specification& specification,
                                       const std::string& name) {
    const model::Protocol* found =
        name.empty() ? specification.main_protocol() : specification.find_protocol(name);
    if (found) return found;
    if (specification.protocols.empty()) {
        session.report(codes::wrong_content, "the file declares no protocol");
        return nullptr;
    }
    std::vector<std::string_view> known;
    for (const model::Protocol& protocol : specification.protocols) known.push_back(protocol.name());
    session.report(codes::no_such_protocol, fmt::format("there is no protocol {}", name))
        .help(suggestion(name, known));
    return nullptr;
}

std::optional<ProtocolInput> protocol_of(Session& session, Loaded loaded, const std::string& path,
                                         const std::string& name) {
    if (!loaded) return std::nullopt;
    auto* specification = std::get_if<model::Specification>(&loaded.model);
    if (!specification) {
        session.report(codes::wrong_content,
                       fmt::format("{} holds {}, not a protocol", path, formats::describe(loaded)));
        return std::nullopt;
    }
    const model::Protocol* protocol = choose_protocol(session, *specification, name);
    if (!protocol) return std::nullopt;
    // Protocols live in a vector, whose elements stay where they are when it moves.
    return ProtocolInput{std::move(*specification), protocol};
}

std::optional<ProtocolInput> load_protocol(Session& session, const std::string& path,
                                           const std::string& name) {
    std::size_t first = session.sources.size();
    auto input = protocol_of(session, load(session, path), path, name);
    if (input) input->digest = digest_of(session.sources, first);
    return input;
}

std::optional<std::vector<model::RoleId>> choose_roles(Session& session,
                                                       const model::Specification& specification,
                                                       const model::Protocol& protocol,
                                                       const std::string& list) {
    std::vector<std::string_view> known;
    for (model::RoleId role : protocol.roles()) known.push_back(specification.alphabet->name(role));
    std::vector<model::RoleId> chosen;
    for (std::size_t start = 0; start <= list.size();) {
        std::size_t end = std::min(list.find(',', start), list.size());
        std::string_view name = std::string_view(list).substr(start, end - start);
        start = end + 1;
        bool found = false;
        for (model::RoleId role : protocol.roles()) {
            if (specification.alphabet->name(role) != name) continue;
            chosen.push_back(role);
            found = true;
        }
        if (found) continue;
        session.report(codes::no_such_role, fmt::format("{} has no role {}", protocol.name(), name))
            .help(suggestion(name, known));
        return std::nullopt;
    }
    return chosen;
}

}  // namespace treaty::cli
