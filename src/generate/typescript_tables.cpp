#include "generate/typescript_tables.h"

#include <fmt/format.h>

#include "generate/pattern_rows.h"

namespace treaty::generate {
namespace {

// An array over as many lines as it needs.
std::string array(const std::vector<std::string>& items) {
    std::string text = "[";
    std::size_t width = 0;
    for (const std::string& item : items) {
        text += width == 0 ? fmt::format("\n    {},", item) : fmt::format(" {},", item);
        width = width > 70 ? 0 : width + item.size() + 2;
    }
    return text + "\n  ]";
}

class TypeScriptMessages {
public:
    TypeScriptMessages(const RoleSource& source, base::Diagnostics& diagnostics)
        : source_(source), writer_(source, Language::typescript, diagnostics, "") {}

    std::optional<GeneratedFile> run() {
        std::string types, messages, functions, names;
        for (expr::TypeId type : writer_.named_types()) types += named_type(type);
        for (model::MessageId m : writer_.messages()) {
            messages += message(m);
            names += fmt::format("\n  | {}", writer_.name(m));
        }
        for (expr::FunctionId f : writer_.functions()) functions += function(f);
        std::string body = types + messages +
                           fmt::format("export type Message ={};\n\n", names.empty() ? " never" : names) +
                           functions + fault();
        if (!writer_.ok()) return std::nullopt;
        body = typescript_patterns(writer_.patterns()) + body;
        std::string text = fmt::format(
            "// Messages of the protocol {}. Written by treaty generate from {}; do not edit.\n{}\n",
            writer_.protocol().name(), writer_.source_file(),
            body.find("rt.") == std::string::npos ? "" : "import * as rt from \"./treaty_runtime.js\";\n");
        text += fmt::format("export const roles = [{}] as const;\n\n", roles()) + body;
        return GeneratedFile{writer_.protocol_name() + "_messages.ts", std::move(text)};
    }

private:
    std::string roles() {
        std::string names;
        for (model::RoleId role : writer_.protocol().roles())
            names += (names.empty() ? "" : ", ") + writer_.quoted(writer_.alphabet().name(role));
        return names;
    }

    std::string fields(const std::vector<expr::Field>& fields, base::Span at) {
        std::string text;
        for (const expr::Field& f : fields)
            text += fmt::format("  readonly {}: {};\n", writer_.types().field_name(f.name),
                                writer_.type(f.type, at));
        return text;
    }

    std::string named_type(expr::TypeId id) {
        const expr::Type& type = writer_.types().types()[id];
        std::string name = writer_.types().name_of(id);
        if (type.kind == expr::TypeKind::record)
            return fmt::format("export interface {} {{\n{}}}\n\n", name,
                               fields(type.fields, writer_.protocol().span()));
        std::string names, order;
        for (base::NameId member : type.members) {
            std::string text = writer_.quoted(writer_.specification().names->text(member));
            names += (names.empty() ? "" : " | ") + text;
            order += (order.empty() ? "" : ", ") + text;
        }
        return fmt::format("export type {0} = {1};\nexport const {0}Order: readonly {0}[] = [{2}];\n\n", name,
                           names, order);
    }

    std::string message(model::MessageId id) {
        const model::Message& declared = writer_.specification().message(id);
        Place place = place_of(source_.sources, declared.span);
        std::string text, parameters, items;
        if (place.line != 0) text = fmt::format("// {}: {}\n", place.reference(), place.text);
        auto names = writer_.parameter_names(id, {});
        for (std::size_t i = 0; i < declared.fields.size(); ++i) {
            std::string field = writer_.types().field_name(declared.fields[i].name);
            parameters += fmt::format("{}{}: {}", i == 0 ? "" : ", ", names[i],
                                      writer_.type(declared.fields[i].type, declared.span));
            items += fmt::format(", {}", field);
        }
        std::string kind = writer_.quoted(writer_.alphabet().name(id));
        return text + fmt::format(
                          "export interface {0} {{\n  readonly kind: {1};\n{2}}}\n"
                          "export function {0}({3}): {0} {{\n  return {{ kind: {1}{4} }};\n}}\n\n",
                          writer_.name(id), kind, fields(declared.fields, declared.span), parameters, items);
    }

    std::string fault() {
        std::string cases;
        for (model::MessageId id : writer_.messages()) {
            std::string own = checks(id);
            if (!own.empty())
                cases += fmt::format("    case {}:\n{}      break;\n",
                                     writer_.quoted(writer_.alphabet().name(id)), own);
        }
        if (cases.empty())
            return "// All data is as declared if its types are.\n"
                   "export function fault(_: Message): string | undefined {\n  return undefined;\n}\n";
        return fmt::format(
            "// Why no step allows this message; undefined if the data is as declared.\n"
            "export function fault(m: Message): string | undefined {{\n  switch (m.kind) {{\n{}  }}\n"
            "  return undefined;\n}}\n",
            cases);
    }

    std::string checks(model::MessageId id) {
        const model::Message& declared = writer_.specification().message(id);
        Place place = place_of(source_.sources, declared.span);
        std::string text;
        for (const expr::Field& f : declared.fields) {
            std::string field = writer_.types().field_name(f.name);
            std::string range = writer_.in_range(f.type, "m." + field);
            if (!range.empty())
                text += fmt::format("      if (!({})) return {};\n", range,
                                    writer_.quoted(fmt::format("{}: {}.{} must be {}", place.reference(),
                                                               writer_.alphabet().name(id), field,
                                                               writer_.range_text(f.type))));
        }
        if (declared.where)
            text +=
                fmt::format("      if (!rt.holds(() => {})) return {};\n",
                            writer_.condition({{declared.where, ""}}, {id, "m.", ""}, declared.span),
                            writer_.quoted(fmt::format("{}: requires {}", place.reference(), place.text)));
        return text;
    }

    std::string function(expr::FunctionId id) {
        const expr::Function& f = writer_.pool().function(id);
        std::string parameters;
        std::vector<std::string> names;
        for (expr::VarId p : f.parameters) {
            names.push_back(writer_.field_name(p) + "_");  // so that it hides nothing
            parameters +=
                fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", names.back(),
                            writer_.type(writer_.pool().variable(p).type, writer_.protocol().span()));
        }
        return fmt::format("export function {}({}): {} {{\n  return {};\n}}\n\n", writer_.function_name(id),
                           parameters, writer_.type(f.result, writer_.protocol().span()),
                           writer_.body(id, names));
    }

    const RoleSource& source_;
    CodeWriter writer_;
};

}  // namespace

std::string typescript_patterns(const PatternTable& patterns) {
    std::string text;
    for (const auto& [pattern, name] : patterns.names()) {
        auto rows = pattern_rows(pattern);
        if (!rows) continue;  // refused where it is used
        std::vector<std::string> next, accepting, classes;
        for (std::size_t s = 0; s < rows->accepting.size(); ++s) {
            std::string row;
            for (std::size_t c = 0; c < rows->class_count; ++c) {
                std::uint16_t target = rows->next[s * rows->class_count + c];
                row += fmt::format("{}{}", c == 0 ? "" : ", ",
                                   target == PatternRows::dead ? -1 : static_cast<int>(target));
            }
            next.push_back(fmt::format("[{}]", row));
            accepting.emplace_back(rows->accepting[s] ? "true" : "false");
        }
        for (std::uint8_t c : rows->classes) classes.push_back(fmt::format("{}", c));
        text +=
            fmt::format("const {}: rt.Pattern = {{\n  classes: {},\n  next: {},\n  accepting: {},\n}};\n\n",
                        name, array(classes), array(next), array(accepting));
    }
    return text;
}

std::optional<GeneratedFile> typescript_messages(const RoleSource& source, base::Diagnostics& diagnostics) {
    return TypeScriptMessages(source, diagnostics).run();
}

}  // namespace treaty::generate
