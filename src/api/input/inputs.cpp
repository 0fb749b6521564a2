#include "api/input/inputs.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "base/suggest.h"
#include "formats/codes.h"
#include "formats/load.h"

namespace treaty::api {
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

// The tables of a document are shared: what engines add goes into a copy.
Loaded copy_of(const Loaded& loaded) {
    Loaded result;
    if (auto* specification = loaded.get<model::Specification>()) result.model = specification->copy();
    if (auto* system = loaded.get<model::System>()) result.model = system->copy();
    auto copied = [](const auto& one) {
        auto pool = one.pool() ? expr::copy_of(*one.pool()) : nullptr;
        return one.over(std::make_shared<model::Alphabet>(one.alphabet()), std::move(pool));
    };
    if (auto* machine = loaded.get<model::Machine>()) result.model = copied(*machine);
    if (auto* net = loaded.get<model::Net>()) result.model = copied(*net);
    return result;
}

}  // namespace

Loaded load(const Inquiry& inquiry, const std::string& path, lang::Knowing knowing) {
    return copy_of(inquiry.open(path, knowing)->loaded);
}

const model::Protocol* choose_protocol(const Inquiry& inquiry, const model::Specification& specification,
                                       const std::string& name) {
    const model::Protocol* found =
        name.empty() ? specification.main_protocol() : specification.find_protocol(name);
    if (found) return found;
    if (specification.protocols.empty()) {
        inquiry.report(codes::wrong_content, "the file declares no protocol");
        return nullptr;
    }
    std::vector<std::string_view> known;
    for (const model::Protocol& protocol : specification.protocols) known.push_back(protocol.name());
    inquiry.report(codes::no_such_protocol, fmt::format("unknown protocol {}", name))
        .help(suggestion(name, known));
    return nullptr;
}

std::optional<ProtocolInput> protocol_of(const Inquiry& inquiry, Loaded loaded, const std::string& path,
                                         const std::string& name) {
    if (!loaded) return std::nullopt;
    auto* specification = std::get_if<model::Specification>(&loaded.model);
    if (!specification) {
        inquiry.report(codes::wrong_content,
                       fmt::format("{} contains {}, not a protocol", path, formats::describe(loaded)));
        return std::nullopt;
    }
    const model::Protocol* protocol = choose_protocol(inquiry, *specification, name);
    if (!protocol) return std::nullopt;
    // Protocols live in a vector, whose elements stay where they are when it moves.
    return ProtocolInput{std::move(*specification), protocol};
}

std::optional<ProtocolInput> load_protocol(const Inquiry& inquiry, const std::string& path,
                                           const std::string& name) {
    auto document = inquiry.open(path, lang::Knowing::demanded);
    auto input = protocol_of(inquiry, copy_of(document->loaded), path, name);
    if (input) input->digest = document->digest;
    return input;
}

std::optional<std::vector<model::RoleId>> choose_roles(const Inquiry& inquiry,
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
        inquiry.report(codes::no_such_role, fmt::format("{} has no role {}", protocol.name(), name))
            .help(suggestion(name, known));
        return std::nullopt;
    }
    return chosen;
}

std::optional<base::FileId> read_text(const Inquiry& inquiry, const std::string& path) {
    base::Result<std::string> read = inquiry.workspace.read(path);
    if (read) return inquiry.sources().add(path, std::move(*read));
    inquiry.report(formats::codes::unreadable, read.error());
    return std::nullopt;
}

}  // namespace treaty::api
