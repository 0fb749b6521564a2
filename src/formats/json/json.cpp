#include "formats/json/json.h"

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/json/machine.h"
#include "formats/json/net.h"
#include "formats/json/specification.h"

namespace treaty::formats {
namespace {

template <class Write>
std::string envelope(std::string_view model, Write write) {
    JsonWriter out;
    out.open_object();
    out.integer("treaty", json_version);
    out.text("model", model);
    write(out);
    out.close_object();
    return out.finish();
}

}  // namespace

std::string write_json(const model::Specification& specification) {
    return envelope("specification", [&](JsonWriter& out) { write_specification_json(out, specification); });
}

std::string write_json(const model::Net& net) {
    return envelope("net", [&](JsonWriter& out) { write_net_json(out, net); });
}

std::string write_json(const model::Machine& machine) {
    return envelope("machine", [&](JsonWriter& out) { write_machine_json(out, machine); });
}

std::string write_json(const model::System& system) {
    return envelope("system", [&](JsonWriter& out) { write_system_json(out, system); });
}

Loaded read_json(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    auto tree = JsonTree::parse(sources, file, diagnostics);
    if (!tree) return {};
    JsonReader in(diagnostics);
    Json root = tree->root();
    if (root.kind() != JsonKind::object || !root["treaty"]) {
        in.report(codes::json_version, root, "this is not a model of Treaty")
            .help("a model begins with {\"treaty\": 1, \"model\": ...");
        return {};
    }
    Json version = root["treaty"];
    if (version.kind() != JsonKind::integer || version.integer() != json_version) {
        in.report(codes::json_version, version, "unknown version of the schema")
            .help(fmt::format("this program reads version {}", json_version));
        return {};
    }
    Json kind = root["model"];
    std::string_view name = kind && kind.kind() == JsonKind::string ? kind.string() : std::string_view();
    if (name == "specification") return loaded(read_specification_json(in, root));
    if (name == "net") return loaded(read_net_json(in, root));
    if (name == "machine") return loaded(read_machine_json(in, root));
    if (name == "system") return loaded(read_system_json(in, root));
    in.report(codes::json_version, kind ? kind : root, "unknown kind of model")
        .help(root["verb"] ? "this is the result of a command, not a model"
                           : "known: \"specification\", \"net\", \"machine\" and \"system\"");
    return {};
}

}  // namespace treaty::formats
