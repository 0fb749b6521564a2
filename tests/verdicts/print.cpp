#include "print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace treaty::verdicts {
namespace {

class Printer {
public:
    explicit Printer(const Protocol& protocol) : protocol_(protocol) {}

    std::string run() {
        text_ = fmt::format("protocol {}({}) {{\n", protocol_.name, fmt::join(protocol_.roles, ", "));
        block(protocol_.body, 1);
        return text_ + "}\n";
    }

private:
    const std::string& role(Role r) const { return protocol_.roles[r]; }
    void line(int depth, const std::string& text) {
        text_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text + "\n";
    }
    void block(const Block& steps, int depth) {
        for (const Step& step : steps) this->step(step, depth);
    }

    // `head { ... } joint { ... }`
    void blocks(const std::string& head, const std::string& joint, const std::vector<Block>& all, int depth) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            line(depth, (i == 0 ? head : "} " + joint) + " {");
            block(all[i], depth + 1);
        }
        line(depth, "}");
    }

    void step(const Step& s, int depth) {
        switch (s.kind) {
            case Step::Kind::interaction: line(depth, interaction(s)); break;
            case Step::Kind::choice: blocks("choice at " + role(s.from), "or", s.blocks, depth); break;
            case Step::Kind::optional: blocks("optional at " + role(s.from), "", s.blocks, depth); break;
            case Step::Kind::repeat: blocks("repeat at " + role(s.from), "", s.blocks, depth); break;
            case Step::Kind::rec: blocks("rec " + s.name, "", s.blocks, depth); break;
            case Step::Kind::jump: line(depth, "continue " + s.name); break;
            case Step::Kind::par: blocks("par", "and", s.blocks, depth); break;
            case Step::Kind::conditional: blocks("if " + expr(*s.condition), "else", s.blocks, depth); break;
            case Step::Kind::loop: blocks("while " + expr(*s.condition), "", s.blocks, depth); break;
            case Step::Kind::let: line(depth, fmt::format("let {} = {}", s.name, expr(*s.condition))); break;
            case Step::Kind::call: {
                std::vector<std::string> names;
                for (Role r : s.roles) names.push_back(role(r));
                line(depth, fmt::format("do {}({})", s.name, fmt::join(names, ", ")));
            }
        }
    }

    std::string interaction(const Step& s) const {
        std::string text = fmt::format("{} -> {}: {}", role(s.from), role(s.to), s.name);
        std::vector<std::string> arguments;
        for (const Argument& a : s.arguments)
            arguments.push_back(a.kind == Argument::Kind::bind    ? "let " + a.name
                                : a.kind == Argument::Kind::value ? expr(a.value)
                                                                  : "_");
        if (!arguments.empty()) text += fmt::format("({})", fmt::join(arguments, ", "));
        if (s.condition) text += " where " + expr(*s.condition);
        return text;
    }

    static std::string expr(const Expr& e) {
        using Kind = Expr::Kind;
        auto binary = [&](const char* op) {
            return fmt::format("{} {} {}", part(e.parts[0]), op, part(e.parts[1]));
        };
        switch (e.kind) {
            case Kind::number: return std::to_string(e.value);
            case Kind::truth: return e.value ? "true" : "false";
            case Kind::variable: return e.name;
            case Kind::equal: return binary("==");
            case Kind::not_equal: return binary("!=");
            case Kind::less: return binary("<");
            case Kind::add: return binary("+");
            case Kind::modulo: return binary("mod");
            case Kind::divide: return binary("/");
            case Kind::negation: return "not " + part(e.parts[0]);
        }
        return {};
    }
    static std::string part(const Expr& e) { return e.parts.empty() ? expr(e) : "(" + expr(e) + ")"; }

    const Protocol& protocol_;
    std::string text_;
};

}  // namespace

std::string print(const File& file) {
    std::string text;
    for (const auto& [name, types] : file.messages) {
        std::vector<std::string> fields;
        for (std::size_t i = 0; i < types.size(); ++i)
            fields.push_back(fmt::format("f{}: {}", i, types[i] == Type::truth ? "bool" : "int in 0..2"));
        text += fmt::format("message {}({})\n", name, fmt::join(fields, ", "));
    }
    for (const Protocol& protocol : file.protocols) text += "\n" + Printer(protocol).run();
    return text;
}

}  // namespace treaty::verdicts
