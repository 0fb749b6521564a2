#include "generate/python_tables.h"

#include <fmt/format.h>

#include "generate/literals.h"
#include "generate/pattern_rows.h"

namespace treaty::generate {
namespace {

// A tuple over as many lines as it needs.
std::string tuple(const std::vector<std::string>& items, std::string_view indent) {
    std::string text = "(";
    std::size_t width = 0;
    for (const std::string& item : items) {
        text += width == 0 ? fmt::format("\n{}    {},", indent, item) : fmt::format(" {},", item);
        width = width > 70 ? 0 : width + item.size() + 2;
    }
    return text + fmt::format("\n{})", indent);
}

class PythonMessages {
public:
    PythonMessages(const RoleSource& source, base::Diagnostics& diagnostics)
        : source_(source), writer_(source, Language::python, diagnostics, "") {}

    std::optional<GeneratedFile> run() {
        std::string types, messages, functions;
        for (expr::TypeId type : writer_.named_types()) types += named_type(type);
        for (model::MessageId m : writer_.messages()) messages += message(m);
        for (expr::FunctionId f : writer_.functions()) functions += function(f);
        if (!writer_.ok()) return std::nullopt;
        bool enumerations = types.find("(IntEnum)") != std::string::npos;
        std::string text = fmt::format(
            "\"\"\"Messages of the protocol {}. Written by treaty generate from {}; do not edit.\"\"\"\n"
            "from __future__ import annotations\n\nfrom dataclasses import dataclass\n{}\n"
            "import treaty_runtime as rt\n\nROLES = ({},)\n",
            writer_.protocol().name(), writer_.source_file(),
            enumerations ? "from enum import IntEnum\n" : "", roles());
        text += python_patterns(writer_.patterns()) + types + messages + functions;
        return GeneratedFile{writer_.protocol_name() + "_messages.py", std::move(text)};
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
            text += fmt::format("    {}: {}\n", writer_.types().field_name(f.name), writer_.type(f.type, at));
        return text;
    }

    std::string named_type(expr::TypeId id) {
        const expr::Type& type = writer_.types().types()[id];
        std::string name = writer_.types().name_of(id);
        if (type.kind == expr::TypeKind::record) {
            std::string own = fields(type.fields, writer_.protocol().span());
            return fmt::format("\n\n@dataclass(frozen=True, slots=True, order=True)\nclass {}:\n{}", name,
                               own.empty() ? "    pass\n" : own);
        }
        std::string text = fmt::format("\n\nclass {}(IntEnum):\n", name);
        for (std::size_t i = 0; i < type.members.size(); ++i)
            text += fmt::format("    {} = {}\n", writer_.types().member_name(id, i), i);
        return text;
    }

    std::string message(model::MessageId id) {
        const model::Message& declared = writer_.specification().message(id);
        Place place = place_of(source_.sources, declared.span);
        std::string text =
            fmt::format("\n\n@dataclass(frozen=True, slots=True)\nclass {}(rt.Message):\n", writer_.name(id));
        if (place.line != 0)
            text += fmt::format("    {}\n\n",
                                python_docstring({fmt::format("{}: {}", place.reference(), place.text)}, ""));
        std::string own = fields(declared.fields, declared.span);
        return text + own + (own.empty() ? "" : "\n") + fault(id);
    }

    std::string fault(model::MessageId id) {
        const model::Message& declared = writer_.specification().message(id);
        Place place = place_of(source_.sources, declared.span);
        std::string_view name = writer_.alphabet().name(id);
        std::string checks;
        for (const expr::Field& f : declared.fields) {
            std::string field = writer_.types().field_name(f.name);
            std::string range = writer_.in_range(f.type, "self." + field);
            if (!range.empty())
                checks += fmt::format("        if not ({}):\n            return {}\n", range,
                                      writer_.quoted(fmt::format("{}: {}.{} must be {}", place.reference(),
                                                                 name, field, writer_.range_text(f.type))));
        }
        if (declared.where)
            checks +=
                fmt::format("        if not rt.holds(lambda: {}):\n            return {}\n",
                            writer_.condition({{declared.where, ""}}, {id, "self.", ""}, declared.span),
                            writer_.quoted(fmt::format("{}: requires {}", place.reference(), place.text)));
        return fmt::format("    def fault(self) -> str | None:\n{}        return None\n", checks);
    }

    std::string function(expr::FunctionId id) {
        const expr::Function& f = writer_.pool().function(id);
        std::string parameters;
        std::vector<std::string> names;
        for (expr::VarId p : f.parameters) {
            names.push_back(writer_.field_name(p) + "_");  // so that it hides no type
            parameters +=
                fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", names.back(),
                            writer_.type(writer_.pool().variable(p).type, writer_.protocol().span()));
        }
        return fmt::format("\n\ndef {}({}) -> {}:\n    return {}\n", writer_.function_name(id), parameters,
                           writer_.type(f.result, writer_.protocol().span()), writer_.body(id, names));
    }

    const RoleSource& source_;
    CodeWriter writer_;
};

}  // namespace

std::string python_patterns(const PatternTable& patterns) {
    std::string text;
    for (const auto& [pattern, name] : patterns.names()) {
        auto rows = pattern_rows(pattern);
        if (!rows) continue;  // refused where it is used
        std::vector<std::string> next, accepting;
        for (std::size_t s = 0; s < rows->accepting.size(); ++s) {
            std::string row;
            for (std::size_t c = 0; c < rows->class_count; ++c) {
                std::uint16_t target = rows->next[s * rows->class_count + c];
                row += fmt::format("{}, ", target == PatternRows::dead ? -1 : static_cast<int>(target));
            }
            next.push_back(fmt::format("({})", row.substr(0, row.size() - (rows->class_count == 1 ? 1 : 2))));
            accepting.emplace_back(rows->accepting[s] ? "True" : "False");
        }
        std::vector<std::string> classes;
        for (std::uint8_t c : rows->classes) classes.push_back(fmt::format("{}", c));
        text += fmt::format("\n{} = rt.Pattern(\n    bytes({}),\n    {},\n    {},\n)\n", name,
                            tuple(classes, "    "), tuple(next, "    "), tuple(accepting, "    "));
    }
    return text;
}

std::string python_docstring(const std::vector<std::string>& lines, std::string_view indent) {
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::string_view before = i == 0 || lines[i].empty() ? std::string_view() : indent;
        std::string quoted = text_literal(lines[i], Language::python).value_or("\"\"");
        std::string inner = quoted.substr(1, quoted.size() - 2);
        text += fmt::format("{}{}{}", i == 0 ? "" : "\n", before, inner);
    }
    return fmt::format("\"\"\"{}{}\"\"\"", text, lines.size() > 1 ? fmt::format("\n{}", indent) : "");
}

std::optional<GeneratedFile> python_messages(const RoleSource& source, base::Diagnostics& diagnostics) {
    return PythonMessages(source, diagnostics).run();
}

}  // namespace treaty::generate
