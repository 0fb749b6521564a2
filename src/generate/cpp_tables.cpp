#include "generate/cpp_tables.h"

#include <fmt/format.h>

#include "generate/pattern_rows.h"

namespace treaty::generate {
namespace {

// Numbers, twenty on a line.
template <typename Range>
std::string listed(const Range& numbers) {
    std::string text;
    std::size_t n = 0;
    for (auto number : numbers)
        text += fmt::format("{}{}", n++ % 20 == 0 ? "\n    " : " ", static_cast<unsigned>(number)) + ",";
    return text;
}

class CppMessages {
public:
    CppMessages(const RoleSource& source, base::Diagnostics& diagnostics)
        : source_(source), writer_(source, Language::cpp, diagnostics, "messages::") {}

    std::optional<GeneratedFile> run() {
        std::string types, messages, functions;
        for (expr::TypeId type : writer_.named_types()) types += named_type(type);
        for (model::MessageId m : writer_.messages()) messages += message(m);
        for (expr::FunctionId f : writer_.functions()) functions += function(f);
        for (model::MessageId m : writer_.messages()) functions += fault(m);
        if (!writer_.ok()) return std::nullopt;
        const std::string& name = writer_.protocol_name();
        std::string text = fmt::format(
            "// Messages of the protocol {}. Written by treaty generate from {}; do not edit.\n#pragma "
            "once\n\n"
            "#include \"treaty_runtime.hpp\"\n\nnamespace {} {{\n\n",
            writer_.protocol().name(), writer_.source_file(), name);
        text += roles() + "namespace messages {\n\n" + types + messages + cpp_patterns(writer_.patterns()) +
                functions + "}  // namespace messages\n\n" + variant();
        return GeneratedFile{name + "_messages.hpp", text + fmt::format("}}  // namespace {}\n", name)};
    }

private:
    std::string roles() {
        std::string text = "namespace role {\n\n", names;
        for (model::RoleId role : writer_.protocol().roles()) {
            text += fmt::format("inline constexpr std::size_t {} = {};\n", writer_.name(role),
                                writer_.position(role));
            names +=
                fmt::format("{}{}", names.empty() ? "" : ", ", writer_.quoted(writer_.alphabet().name(role)));
        }
        text += fmt::format("inline constexpr std::size_t count = {};\n", writer_.protocol().roles().size());
        text += fmt::format("inline constexpr const char* names[] = {{{}}};\n\n", names);
        text +=
            "// The receiver, where a message may be sent to several: send(role::to<role::B>{}, message).\n"
            "template <std::size_t Peer>\nstruct to {};\n\n";
        return text + "}  // namespace role\n\n";
    }

    std::string variant() {
        std::string types, names;
        for (model::MessageId m : writer_.messages()) {
            types += fmt::format("{}messages::{}", types.empty() ? "" : ",\n                             ",
                                 writer_.name(m));
            names +=
                fmt::format("{}{}", names.empty() ? "" : ", ", writer_.quoted(writer_.alphabet().name(m)));
        }
        if (types.empty()) {
            types = "std::monostate";  // nothing is ever sent
            names = "\"\"";
        }
        return fmt::format(
            "using Message = std::variant<{}>;\n\ninline constexpr const char* message_names[] = {{{}}};\n\n",
            types, names);
    }

    std::string struct_of(const std::string& name, const std::vector<expr::Field>& fields, base::Span at) {
        std::string text = fmt::format("struct {} {{\n", name);
        for (const expr::Field& f : fields)
            text +=
                fmt::format("    {} {}{{}};\n", writer_.type(f.type, at), writer_.types().field_name(f.name));
        return text + fmt::format(
                          "    friend auto operator<=>(const messages::{0}&, const messages::{0}&) = "
                          "default;\n}};\n\n",
                          name);
    }

    std::string named_type(expr::TypeId id) {
        const expr::Type& type = writer_.types().types()[id];
        std::string name = writer_.types().name_of(id);
        if (type.kind == expr::TypeKind::record)
            return struct_of(name, type.fields, writer_.protocol().span());
        std::string members;
        for (std::size_t i = 0; i < type.members.size(); ++i)
            members += (i == 0 ? "" : ", ") + writer_.types().member_name(id, i);
        return fmt::format("enum class {} {{ {} }};\n\n", name, members);
    }

    std::string message(model::MessageId id) {
        const model::Message& declared = writer_.specification().message(id);
        Place place = place_of(source_.sources, declared.span);
        std::string text;
        if (place.line != 0) text = fmt::format("// {}: {}\n", place.reference(), place.text);
        return text + struct_of(writer_.name(id), declared.fields, declared.span);
    }

    std::string function(expr::FunctionId id) {
        const expr::Function& f = writer_.pool().function(id);
        std::string parameters;
        std::vector<std::string> names;
        for (expr::VarId p : f.parameters) {
            names.push_back(writer_.field_name(p) + "_");  // so that it hides no type
            parameters += fmt::format(
                "{}const {}& {}", parameters.empty() ? "" : ", ",
                writer_.type(writer_.pool().variable(p).type, writer_.protocol().span()), names.back());
        }
        std::string name = writer_.function_name(id).substr(std::string_view("messages::").size());
        std::string result = writer_.type(f.result, writer_.protocol().span());
        return fmt::format("inline {} {}({}) {{\n    return {};\n}}\n\n", result, name, parameters,
                           writer_.body(id, names));
    }

    // Why the protocol does not allow a message, wherever it is.
    std::string fault(model::MessageId id) {
        const model::Message& declared = writer_.specification().message(id);
        Place place = place_of(source_.sources, declared.span);
        std::string_view name = writer_.alphabet().name(id);
        std::string checks;
        for (std::size_t i = 0; i < declared.fields.size(); ++i) {
            std::string field = writer_.types().field_name(declared.fields[i].name);
            std::string range = writer_.in_range(declared.fields[i].type, "m." + field);
            if (!range.empty())
                checks += fmt::format(
                    "    if (!({})) return {};\n", range,
                    writer_.quoted(fmt::format("{}: {}.{} must be {}", place.reference(), name, field,
                                               writer_.range_text(declared.fields[i].type))));
        }
        if (declared.where)
            checks +=
                fmt::format("    if (!treaty::holds([&] {{ return {}; }}))\n        return {};\n",
                            writer_.condition({{declared.where, ""}}, {id, "m.", ""}, declared.span),
                            writer_.quoted(fmt::format("{}: requires {}", place.reference(), place.text)));
        return fmt::format(
            "// Why no step allows this message; null if the data is as declared.\n"
            "inline const char* fault(const {}&{}) {{\n{}    return nullptr;\n}}\n\n",
            writer_.name(id), checks.empty() ? "" : " m", checks);
    }

    const RoleSource& source_;
    CodeWriter writer_;
};

}  // namespace

std::string cpp_patterns(const PatternTable& patterns) {
    std::string text;
    for (const auto& [pattern, name] : patterns.names()) {
        auto rows = pattern_rows(pattern);
        if (!rows) continue;  // refused where it is used
        text += fmt::format("inline constexpr std::uint16_t {}_next[] = {{{}}};\n", name, listed(rows->next));
        text +=
            fmt::format("inline constexpr bool {}_accepting[] = {{{}}};\n", name, listed(rows->accepting));
        text += fmt::format(
            "inline constexpr treaty::Pattern {0} = {{{{{1}}},\n    {2}, {0}_next, {0}_accepting}};\n\n",
            name, listed(rows->classes), rows->class_count);
    }
    return text;
}

std::optional<GeneratedFile> cpp_messages(const RoleSource& source, base::Diagnostics& diagnostics) {
    return CppMessages(source, diagnostics).run();
}

}  // namespace treaty::generate
