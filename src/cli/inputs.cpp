#include "cli/inputs.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/suggest.h"
#include "cli/codes.h"
#include "formats/aut.h"
#include "formats/fsa.h"
#include "formats/gc.h"
#include "formats/names.h"
#include "lang/read.h"

namespace treaty::cli {
namespace {

std::string quoted_list(const std::vector<std::string_view>& names) {
    std::string out;
    for (std::string_view name : names) out += fmt::format("{}{}", out.empty() ? "" : ", ", name);
    return out;
}

std::string suggestion(std::string_view name, const std::vector<std::string_view>& known) {
    std::string_view meant = base::nearest(name, known);
    return meant.empty() ? "there are: " + quoted_list(known) : fmt::format("did you mean {}?", meant);
}

template <class T>
std::optional<Model> as_model(std::optional<T> model) {
    if (!model) return std::nullopt;
    return Model(std::move(*model));
}

}  // namespace

std::optional<Model> load(Session& session, const std::string& path) {
    base::FileText text = base::read_file(path);
    if (!text.text) {
        session.report(codes::cannot_read, text.fault);
        return std::nullopt;
    }
    base::FileId file = session.sources.add(path, std::move(*text.text));
    std::string extension = formats::extension_of(path);
    if (extension == "gc") return as_model(formats::read_gc(session.sources, file, session.diagnostics));
    if (extension == "fsa") return as_model(formats::read_fsa(session.sources, file, session.diagnostics));
    if (extension == "aut") return as_model(formats::read_aut(session.sources, file, session.diagnostics));
    return as_model(lang::read(session.sources, file, session.diagnostics));
}

std::string_view describe(const Model& model) {
    static constexpr std::string_view names[] = {"protocols", "a net", "a machine", "a system of machines"};
    return names[model.index()];
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

std::optional<ProtocolInput> protocol_of(Session& session, Model model, const std::string& path,
                                         const std::string& name) {
    auto* specification = std::get_if<model::Specification>(&model);
    if (!specification) {
        session.report(codes::wrong_content,
                       fmt::format("{} holds {}, not a protocol", path, describe(model)));
        return std::nullopt;
    }
    const model::Protocol* protocol = choose_protocol(session, *specification, name);
    if (!protocol) return std::nullopt;
    // Protocols live in a vector, whose elements stay where they are when it moves.
    return ProtocolInput{std::move(*specification), protocol};
}

std::optional<ProtocolInput> load_protocol(Session& session, const std::string& path,
                                           const std::string& name) {
    auto model = load(session, path);
    if (!model) return std::nullopt;
    return protocol_of(session, std::move(*model), path, name);
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
