// Printing goes in two steps: a plain text of everything, then the formatter, so that there is one layout.
#include "lang/print.h"

#include <optional>
#include <span>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "expr/print.h"
#include "expr/value.h"
#include "lang/format.h"
#include "lang/lexer.h"
#include "wire/protobuf_types.h"

namespace treaty::lang {
namespace {

namespace forms = model::forms;
using expr::ExprId;
using expr::VarId;
using model::Node;
using model::NodeId;
using model::NodeKind;

std::string duration(std::int64_t ns) {
    struct Unit {
        std::int64_t ns;
        std::string_view name;
    };
    static constexpr Unit units[] = {
        {3'600'000'000'000, "h"}, {60'000'000'000, "m"}, {1'000'000'000, "s"}, {1'000'000, "ms"}};
    for (const Unit& u : units)
        if (ns % u.ns == 0 && ns > 0) return fmt::format("{}{}", ns / u.ns, u.name);
    return ns % 1000 == 0 ? fmt::format("{}us", ns / 1000) : fmt::format("{}.{:03}us", ns / 1000, ns % 1000);
}

// Names of variables as they are printed: each visible name means one variable.
class Printer {
public:
    explicit Printer(const model::Specification& spec) : spec_(spec), pool_(*spec.pool), types_(*spec.types) {
        for (std::size_t i = 0; i < types_.size(); ++i)
            for (base::NameId m : types_[expr::TypeId(i)].members)
                reserved_.insert(std::string(spec.names->text(m)));
    }

    // Each declaration by itself. undeclared: messages without one, too.
    std::vector<PrintedDeclaration> run(bool undeclared) {
        std::vector<PrintedDeclaration> all;
        auto take = [&](std::string_view kind, std::string_view name) {
            if (!out_.empty()) all.push_back({kind, std::string(name), std::move(out_)});
            out_.clear();
        };
        for (expr::TypeId t : spec_.named_types) {
            named_type(t);
            take(types_[t].kind == expr::TypeKind::record ? "record" : "enum", text(types_[t].name));
        }
        for (std::size_t i = 0; i < pool_.function_count(); ++i) {
            const expr::Function& f = pool_.function(expr::FunctionId(i));
            if (!f.name) continue;  // what is done for each item is printed where it is done
            function(expr::FunctionId(i));
            take(is_predicate(f) ? "predicate" : "function", text(f.name));
        }
        for (std::size_t i = 0; i < spec_.messages.size(); ++i) {
            std::string_view name = spec_.alphabet->name(model::MessageId(i));
            message(model::MessageId(i));
            if (undeclared && out_.empty()) out_ = fmt::format("message {}\n", name);
            take("message", name);
        }
        for (const model::Protocol& p : spec_.protocols) {
            protocol(p);
            take("protocol", p.name());
        }
        for (const model::Wire& w : spec_.wires) {
            wire(w);
            take("wire", text(w.name));
        }
        for (const model::Property& p : spec_.properties) {
            property(p);
            take("property", text(p.name));
        }
        return all;
    }

private:
    std::string_view text(base::NameId id) const { return spec_.names->text(id); }
    std::string_view role(model::RoleId id) const { return spec_.alphabet->name(id); }
    std::string type(expr::TypeId id) const { return types_.print(id, *spec_.names); }
    // [], {} and none do not show what their type is.
    bool is_empty_literal(expr::ExprId e) const {
        if (types_.kind(pool_[e].type) == expr::TypeKind::record) return false;
        if (!pool_.is_literal(e)) return pool_[e].op == expr::Op::none || is_empty_collection(e);
        auto items = std::get_if<expr::Sequence>(&pool_.literal_of(e).v);
        return items && items->items.empty();
    }
    bool is_empty_collection(expr::ExprId e) const {
        expr::Op op = pool_[e].op;
        bool collection = op == expr::Op::list || op == expr::Op::set || op == expr::Op::map;
        return collection && pool_.children(e).empty();
    }

    std::string expression(ExprId e) const { return expr::print(pool_, e, printed_as_); }

    // The name to bind a variable by: its own, unless that would mean something else here.
    std::string bind(VarId v) {
        if (auto known = printed_as_.find(v); known != printed_as_.end() && visible_[known->second] == v)
            return known->second;
        std::string own(text(pool_.variable(v).name));
        std::string name = own;
        for (int n = 2; reserved_.contains(name) || taken(name, v); ++n) name = fmt::format("{}_{}", own, n);
        return bind_as(v, std::move(name));
    }

    std::string bind_as(VarId v, std::string name) {
        trail_.emplace_back(name, visible_[name]);
        visible_[name] = v;
        printed_as_[v] = name;
        return name;
    }

    bool taken(const std::string& name, VarId v) const {
        auto found = visible_.find(name);
        return found != visible_.end() && found->second && found->second != v;
    }

    std::size_t enter() const { return trail_.size(); }
    void leave(std::size_t mark) {
        while (trail_.size() > mark) {
            visible_[trail_.back().first] = trail_.back().second;
            trail_.pop_back();
        }
    }

    // --- declarations

    std::string fields(const std::vector<expr::Field>& all) {
        std::string result;
        for (const expr::Field& f : all)
            result += fmt::format("{}{}: {}", result.empty() ? "" : ", ", text(f.name), type(f.type));
        return result;
    }

    void named_type(expr::TypeId id) {
        const expr::Type& t = types_[id];
        if (t.kind == expr::TypeKind::record) {
            out_ += fmt::format("record {} {{ {} }}\n", text(t.name), fields(t.fields));
            return;
        }
        std::string members;
        for (base::NameId m : t.members) members += fmt::format("{}{}", members.empty() ? "" : ", ", text(m));
        out_ += fmt::format("enum {} {{ {} }}\n", text(t.name), members);
    }

    bool is_predicate(const expr::Function& f) const {
        return types_.kind(f.result) == expr::TypeKind::boolean;
    }

    void function(expr::FunctionId id) {
        const expr::Function& f = pool_.function(id);
        if (!f.body) return;
        std::size_t mark = enter();
        std::string parameters;
        for (VarId v : f.parameters)
            parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", bind(v),
                                      type(pool_.variable(v).type));
        bool predicate = is_predicate(f);
        std::string result = predicate ? "" : fmt::format(": {}", type(f.result));
        out_ += fmt::format("{} {}({}){} = {}\n", predicate ? "predicate" : "function", text(f.name),
                            parameters, result, expression(f.body));
        leave(mark);
    }

    void message(model::MessageId id) {
        const model::Message& m = spec_.message(id);
        if (!m.declared) return;
        std::size_t mark = enter();
        for (VarId v : m.variables) bind_as(v, std::string(text(pool_.variable(v).name)));
        std::string data = m.fields.empty() ? "" : fmt::format("({})", fields(m.fields));
        std::string where = m.where ? fmt::format(" where {}", expression(m.where)) : "";
        out_ += fmt::format("message {}{}{}\n", spec_.alphabet->name(id), data, where);
        leave(mark);
    }

    // --- protocols

    void protocol(const model::Protocol& p) {
        p_ = &p;
        loop_names_.assign(p.loop_count(), {});
        std::string roles;
        for (model::RoleId r : p.roles()) roles += fmt::format("{}{}", roles.empty() ? "" : ", ", role(r));
        out_ += fmt::format("protocol {}({}) ", p.name(), roles);
        block(p.root());
        out_ += '\n';
    }

    // A node in braces; a sequence gives its children.
    void block(NodeId id) {
        std::size_t mark = enter();
        out_ += "{\n";
        if ((*p_)[id].kind == NodeKind::sequence)
            for (NodeId c : p_->children(id)) step(c);
        else
            step(id);
        out_ += "}";
        leave(mark);
    }

    void blocks(NodeId id, std::string_view separator) {
        bool first = true;
        for (NodeId c : p_->children(id)) {
            if (!first) out_ += separator;
            first = false;
            block(c);
        }
        out_ += '\n';
    }

    std::string decider(const Node& n) { return n.role ? fmt::format(" at {}", role(n.role)) : ""; }

    bool empty(NodeId id) const { return (*p_)[id].kind == NodeKind::sequence && (*p_)[id].child_count == 0; }

    void step(NodeId id) {
        const Node& n = (*p_)[id];
        auto children = p_->children(id);
        switch (n.kind) {
            case NodeKind::sequence:
                for (NodeId c : children) step(c);
                return;
            case NodeKind::interaction: return interaction(id);
            case NodeKind::choice:
                if (children.size() == 2 && empty(children[1])) {
                    out_ += fmt::format("optional{} ", decider(n));
                    block(children[0]);
                    out_ += '\n';
                    return;
                }
                if (children.size() == 1) return step(children[0]);
                out_ += fmt::format("choice{} ", decider(n));
                return blocks(id, " or ");
            case NodeKind::parallel:
                if (children.size() == 1) return step(children[0]);
                out_ += "par ";
                return blocks(id, " and ");
            case NodeKind::repeat: out_ += fmt::format("repeat{} ", decider(n)); return blocks(id, "");
            case NodeKind::recursion:
                loop_names_[n.loop.index] = fresh_loop(n.loop);
                open_loops_.insert(loop_names_[n.loop.index]);
                out_ += fmt::format("rec {} ", loop_names_[n.loop.index]);
                blocks(id, "");
                open_loops_.erase(loop_names_[n.loop.index]);
                return;
            case NodeKind::jump: out_ += fmt::format("continue {}\n", loop_names_[n.loop.index]); return;
            case NodeKind::while_loop:
                out_ += fmt::format("while {} ", expression(n.guard));
                return blocks(id, "");
            case NodeKind::conditional:
                out_ += fmt::format("{} {} ", empty(children[1]) ? "when" : "if", expression(n.guard));
                block(children[0]);
                otherwise(children[1]);
                out_ += '\n';
                return;
            case NodeKind::interrupt: out_ += "try "; return blocks(id, " interrupt ");
            case NodeKind::assign: {
                std::string value = expression(n.guard);
                std::string name = bind(n.variable);
                if (is_empty_literal(n.guard)) name += ": " + type(pool_.variable(n.variable).type);
                out_ += fmt::format("let {} = {}\n", name, value);
                return;
            }
            case NodeKind::signal:
                out_ += fmt::format("signal {}\n", p_->semaphore_name(n.semaphore));
                return;
            case NodeKind::wait: out_ += fmt::format("wait {}\n", p_->semaphore_name(n.semaphore)); return;
        }
    }

    // What a condition that does not hold leads to. A block with another condition and nothing else continues
    // the chain.
    void otherwise(NodeId id) {
        for (; !empty(id); id = p_->children(p_->children(id)[0])[1]) {
            bool chain = (*p_)[id].kind == NodeKind::sequence && p_->children(id).size() == 1 &&
                         (*p_)[p_->children(id)[0]].kind == NodeKind::conditional;
            out_ += " else ";
            if (!chain) return block(id);
            NodeId inner = p_->children(id)[0];
            out_ += fmt::format("if {} ", expression((*p_)[inner].guard));
            block(p_->children(inner)[0]);
        }
    }

    std::string fresh_loop(model::LoopId loop) const {
        std::string own(p_->loop_name(loop));
        std::string name = own;
        for (int n = 2; open_loops_.contains(name); ++n) name = fmt::format("{}_{}", own, n);
        return name;
    }

    void interaction(NodeId id) {
        const Node& n = (*p_)[id];
        std::string arguments;
        for (const model::Argument& a : p_->arguments(id)) {
            if (!arguments.empty()) arguments += ", ";
            if (a.bind)
                arguments += fmt::format("let {}", bind(a.bind));
            else
                arguments += a.value ? expression(a.value) : "_";
        }
        out_ += fmt::format("{} -> {}: {}", role(n.role), role(n.to), spec_.alphabet->name(n.message));
        if (n.argument_count > 0) out_ += fmt::format("({})", arguments);
        if (n.guard) out_ += fmt::format(" where {}", expression(n.guard));
        if (n.within_ns >= 0) out_ += fmt::format(" within {}", duration(n.within_ns));
        out_ += '\n';
    }

    // --- wires and properties

    static std::string regex(const model::Regex& r) {
        std::string pattern = r.pattern;
        bool ignore_case = r.ignore_case;
        if (pattern.starts_with("(?i)")) {
            pattern.erase(0, 4);
            ignore_case = true;
        }
        if (pattern.empty()) pattern = "(?:)";  // two slashes would begin a comment
        std::string escaped;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            if (pattern[i] == '\\' && i + 1 < pattern.size()) {
                escaped += pattern[i++];
                escaped += pattern[i];
            } else {
                escaped += pattern[i] == '/' ? "\\/" : std::string(1, pattern[i]);
            }
        }
        return fmt::format("/{}/{}", escaped, ignore_case ? "i" : "");
    }

    void wire(const model::Wire& w) {
        static constexpr std::string_view framings[] = {"lines", "stream", "json", "http", "length-prefixed"};
        out_ += fmt::format("wire {} over {}", text(w.name), framings[static_cast<std::size_t>(w.framing)]);
        if (w.framing == model::Framing::lines) out_ += " " + expr::quote(w.terminator);
        std::string separator = " escapes ";
        for (const model::Escape& e : w.escapes) {
            out_ += fmt::format("{}{}{} as {}", separator, expr::quote(e.text), e.at_start ? " at start" : "",
                                expr::quote(e.written));
            separator = ", ";
        }
        if (w.framing == model::Framing::json && !w.selector.empty()) out_ += " " + expr::quote(w.selector);
        if (w.framing == model::Framing::length_prefixed) out_ += fmt::format(" {}", w.prefix_bytes);
        out_ += " {\n";
        for (const model::Layout& l : w.layouts) layout(w, l);
        out_ += "}\n";
    }

    void layout(const model::Wire& w, const model::Layout& l) {
        std::size_t mark = enter();
        std::string names;
        const model::Message& m = spec_.message(l.message);
        for (std::size_t i = 0; i < l.fields.size(); ++i) {
            bind_as(l.fields[i], std::string(text(m.fields[i].name)));
            names += fmt::format("{}{}", names.empty() ? "" : ", ", text(m.fields[i].name));
        }
        out_ += std::string(spec_.alphabet->name(l.message));
        if (!names.empty()) out_ += fmt::format("({})", names);
        out_ += " =";
        name_parts(l.items);
        if (!l.items.empty() && (w.framing == model::Framing::http || model::is_json(l.items[0]))) {
            for (const model::Item& i : l.items) {
                out_ += model::is_json(i) ? " json " : " ";
                item(i);
            }
            out_ += '\n';
            return leave(mark);
        }
        bool binary = w.framing != model::Framing::lines;
        in_braces_ = binary;
        if (l.items.size() == 1 && model::is<forms::Protobuf>(l.items[0])) {
            out_ += ' ';
            item(l.items[0]);
            return leave(mark);
        }
        if (binary) out_ += " {\n";
        for (const model::Item& i : l.items) item(i);
        out_ += binary ? "}\n" : "\n";
        leave(mark);
    }

    void item(const model::Item& i) {
        std::visit([&](const auto& form) { print(form); }, i.form);
    }

    void print(const forms::Literal& i) { out_ += " " + expr::quote(i.text) + (in_braces_ ? "\n" : ""); }
    void print(const forms::Pattern& i) { out_ += " " + regex(i.regex) + (in_braces_ ? "\n" : ""); }
    void print(const forms::Text& i) {
        if (!in_braces_) {
            out_ += fmt::format(" {}:{}", text(i.name), regex(i.regex));
            return;
        }
        field(i, regex(i.regex));
        out_ += '\n';
    }

    void print(const forms::Bits& i) {
        field(i, fmt::format("{}{}", i.width, i.little_endian ? " little" : ""));
        out_ += '\n';
    }
    void print(const forms::Decimal& i) {
        field(i, "decimal " + expr::quote(i.end));
        out_ += '\n';
    }
    void print(const forms::Varint& i) {
        field(i, fmt::format("varint {}", i.most_bytes));
        out_ += '\n';
    }
    void print(const forms::Line& i) {
        field(i, "line " + expr::quote(i.end));
        out_ += transform(i.transform) + '\n';
    }
    void print(const forms::ByteString& i) {
        field(i, i.size ? fmt::format("bytes ({})", expression(i.size)) : "bytes rest");
        if (i.key) out_ += fmt::format(" xor ({})", expression(i.key));
        out_ += transform(i.transform) + '\n';
    }

    void print(const forms::Check& i) { out_ += fmt::format("check {}\n", expression(i.condition)); }
    void print(const forms::Conditional& i) {
        out_ += fmt::format("if {} ", expression(i.condition));
        inner(i);
    }
    void print(const forms::Block& i) {
        out_ += i.width == 0 ? "block varint "
                             : fmt::format("block {}{} ", i.width, i.little_endian ? " little" : "");
        inner(i);
    }
    void print(const forms::Part& i) {
        out_ += bind(i.variable) + ": part ";
        inner(i);
    }
    void print(const forms::Repeat& i) {
        std::size_t mark = enter();
        std::string count = i.count            ? expression(i.count) + " "
                            : !i.until.empty() ? fmt::format("until {} ", expr::quote(i.until))
                                               : "";
        name_elements(i.inner);
        if (i.more) name_read(i.inner);
        out_ += fmt::format("repeat {}{}", count, i.more ? fmt::format("more {} ", expression(i.more)) : "");
        inner(i, mark);
    }

    // --- protobuf

    void print(const forms::Protobuf& i) {
        out_ += "protobuf ";
        protobuf_fields(i, i.open, {});
        out_ += '\n';
    }
    void print(const forms::ProtobufOneof& i) { protobuf_oneof(i, {}); }
    void print(const forms::ProtobufField& i) { protobuf_field(i, {}); }

    // record: of the fields; none for those of the message, which have variables.
    void protobuf_fields(const forms::Nest& nest, bool open, expr::TypeId record) {
        std::string separator = "{ ";
        for (const model::Item& i : nest.inner) {
            out_ += separator;
            separator = ", ";
            if (const auto* field = model::as<forms::ProtobufField>(i))
                protobuf_field(*field, record);
            else if (const auto* oneof = model::as<forms::ProtobufOneof>(i))
                protobuf_oneof(*oneof, record);
        }
        if (open) out_ += separator + "...";
        out_ += nest.inner.empty() && !open ? "{}" : " }";
    }

    void protobuf_oneof(const forms::ProtobufOneof& i, expr::TypeId record) {
        out_ += "oneof ";
        protobuf_fields(i, false, record);
    }

    void protobuf_field(const forms::ProtobufField& i, expr::TypeId record) {
        std::string_view word = wire::protobuf_word(i.kind);
        out_ += fmt::format("{}: {}{}{}", i.number, i.required ? "required " : "",
                            i.expanded ? "expanded " : "", i.closed ? "closed " : "");
        out_ +=
            i.map ? fmt::format("map<{}, {}> ", wire::protobuf_word(i.key), word) : fmt::format("{} ", word);
        out_ += i.variable ? bind(i.variable) : std::string(text(types_[record].fields[i.position].name));
        bool is_message = i.kind == forms::ProtobufKind::message;
        if (!is_message && i.kind != forms::ProtobufKind::enumeration) return;
        expr::TypeId type =
            i.variable ? pool_.variable(i.variable).type : types_[record].fields[i.position].type;
        expr::TypeKind kind = types_.kind(type);
        if (kind == expr::TypeKind::map)
            type = types_.value_of(type);
        else if (kind == expr::TypeKind::list || kind == expr::TypeKind::optional)
            type = types_[type].element;
        out_ += ' ';
        if (is_message) return protobuf_fields(i, i.open, type);
        std::string separator = "{ ";
        for (std::size_t m = 0; m < i.numbers.size() && m < types_[type].members.size(); ++m) {
            out_ += fmt::format("{}{} = {}", separator, text(types_[type].members[m]), i.numbers[m]);
            separator = ", ";
        }
        out_ += " }";
    }

    // --- documents

    void print(const forms::JsonConstant& i) {
        if (auto* flag = std::get_if<bool>(&i.value))
            out_ += *flag ? "true" : "false";
        else if (auto* number = std::get_if<std::int64_t>(&i.value))
            out_ += fmt::format("{}", *number);
        else if (auto* real = std::get_if<double>(&i.value))
            out_ += expr::print(*real, spec_.types->real(), *spec_.types, *spec_.names);
        else if (auto* string = std::get_if<std::string>(&i.value))
            out_ += expr::quote(*string);
        else
            out_ += "null";
    }
    void print(const forms::JsonValue& i) {
        out_ += path(i);
        if (i.transform == model::Transform::base64) out_ += " as base64";
    }
    void print(const forms::JsonMember& i) {
        out_ += fmt::format("{}{}: ", i.may_be_absent ? "optional " : "", expr::quote(i.key));
        item(i.inner.front());
    }
    void print(const forms::JsonObject& i) {
        out_ += "{ ";
        separated(i.inner);
        if (i.open) out_ += i.inner.empty() ? "..." : ", ...";
        out_ += " }";
    }
    void print(const forms::JsonArray& i) {
        out_ += '[';
        separated(i.inner);
        out_ += ']';
    }
    void print(const forms::JsonEach& i) {
        std::string list = path(i.list);
        std::size_t mark = enter();
        std::string element = bind(i.variable);
        out_ += '[';
        item(i.inner.front());
        out_ += fmt::format(" for {} in {}]", element, list);
        leave(mark);
    }
    void print(const forms::HttpRequest& i) {
        std::string target = text_of(i.path);
        char separator = '?';
        for (const forms::Parameter& p : i.query) {
            target += fmt::format("{}{}={}", separator, p.name, text_of(p.value));
            separator = '&';
        }
        if (i.open) target += fmt::format("{}...", separator);
        out_ += fmt::format("{} {}", i.method, expr::quote(target));
    }
    void print(const forms::HttpStatus& i) {
        if (i.variable) out_ += bind(i.variable) + ": ";
        out_ += i.low == i.high ? fmt::format("{}", i.low) : fmt::format("{}..{}", i.low, i.high);
    }
    void print(const forms::HttpHeader& i) {
        out_ += fmt::format("header {} = {}", expr::quote(i.header), expr::quote(text_of(i.value)));
    }
    void print(const forms::FormBody& i) {
        out_ += "form { ";
        std::string separator;
        for (const forms::Parameter& p : i.parameters) {
            out_ += fmt::format("{}{}: {}", separator, expr::quote(p.name), expr::quote(text_of(p.value)));
            separator = ", ";
        }
        if (i.open) out_ += separator + "...";
        out_ += " }";
    }
    void print(const forms::TextBody& i) { out_ += "text " + expr::quote(text_of(i.text)); }
    void print(const forms::BytesBody& i) { out_ += "bytes " + bind(i.variable); }
    void print(const forms::AnyBody&) { out_ += "..."; }

    void separated(std::span<const model::Item> items) {
        for (std::size_t k = 0; k < items.size(); ++k) {
            if (k > 0) out_ += ", ";
            item(items[k]);
        }
    }

    std::string path(const forms::Path& p) {
        std::string out = bind(p.variable);
        expr::TypeId type = pool_.variable(p.variable).type;
        for (std::uint32_t f : p.fields) {
            const expr::Field& field = (*spec_.types)[type].fields[f];
            out += fmt::format(".{}", text(field.name));
            type = field.type;
        }
        return out;
    }

    // With its fields in braces.
    std::string text_of(const forms::Template& parts) {
        std::string out;
        for (const forms::TextPart& p : parts) {
            if (p.variable) {
                out += fmt::format("{{{}}}", bind(p.variable));
                continue;
            }
            for (char c : p.text) out.append(c == '{' || c == '}' ? 2 : 1, c);
        }
        return out;
    }

    void inner(const forms::Nest& nest, std::optional<std::size_t> mark = std::nullopt) {
        out_ += "{\n";
        for (const model::Item& i : nest.inner) item(i);
        if (mark) leave(*mark);
        out_ += "}\n";
    }

    // Its name or fixed value, how it is written, and what it is computed from.
    void field(const forms::Field& i, std::string_view form) {
        out_ += fmt::format("{}: {}", i.variable ? bind(i.variable) : expression(i.value), form);
        if (i.variable && i.value) out_ += fmt::format(" = {}", expression(i.value));
    }

    static std::string transform(model::Transform t) {
        switch (t) {
            case model::Transform::none: break;
            case model::Transform::base64: return " as base64";
            case model::Transform::hex: return " as hex";
            case model::Transform::reversed: return " as reversed";
        }
        return "";
    }

    // A part may be computed with before it comes.
    void name_parts(std::span<const model::Item> items) {
        for (const model::Item& i : items) {
            if (model::is<forms::Part>(i)) bind(model::variable_of(i));
            name_parts(model::inner_of(i));
        }
    }

    // What a repetition asks for more by is written before the names that it uses.
    void name_read(std::span<const model::Item> items) {
        for (const model::Item& i : items) {
            expr::VarId variable = model::variable_of(i);
            if (variable && !model::list_of(i)) bind(variable);
            name_read(model::inner_of(i));
        }
    }

    // Inside a repetition an element goes by the name of its list.
    void name_elements(std::span<const model::Item> items) {
        for (const model::Item& i : items) {
            if (expr::VarId list = model::list_of(i))
                bind_as(model::variable_of(i), std::string(text(pool_.variable(list).name)));
            if (!model::is<forms::Repeat>(i)) name_elements(model::inner_of(i));
        }
    }

    std::string pattern(const model::MessagePattern& m) {
        std::string result =
            fmt::format("{} -> {}: {}", role(m.from), role(m.to), spec_.alphabet->name(m.message));
        std::string inner;
        for (const model::FieldPattern& f : m.fields) {
            std::string_view field = text(spec_.message(m.message).fields[f.field].name);
            std::string value = f.bind ? "let " + bind(f.bind) : expression(f.equals);
            inner += fmt::format("{}{} = {}", inner.empty() ? "" : ", ", field, value);
        }
        if (!inner.empty()) result += fmt::format("({})", inner);
        if (m.where) result += fmt::format(" where {}", expression(m.where));
        return result;
    }

    void property(const model::Property& p) {
        auto names = [&](const std::vector<std::uint32_t>& positions) {
            std::string result;
            for (std::uint32_t i : positions)
                result += fmt::format("{}{}", result.empty() ? "" : ", ", text(spec_.properties[i].name));
            return result;
        };
        if (p.global) {
            out_ += fmt::format("property {}: {} implies {}{}\n", text(p.name), names(p.premises),
                                p.negated ? "not " : "", names(p.conclusions));
            return;
        }
        std::size_t mark = enter();
        out_ += fmt::format("property {} at {} {{\n", text(p.name), role(p.at));
        for (const model::MessagePattern& m : p.after) out_ += fmt::format("after {}\n", pattern(m));
        std::string then;
        for (const model::MessagePattern& m : p.then) {
            std::size_t inner = enter();
            then += fmt::format("{}{}", then.empty() ? "" : " or ", pattern(m));
            leave(inner);
        }
        out_ += fmt::format("{} {}\n", p.forbid ? "forbid" : "expect", then);
        out_ += p.within_ns >= 0 ? fmt::format("within {}\n", duration(p.within_ns))
                                 : fmt::format("within {}\n", p.within);
        out_ += "}\n";
        leave(mark);
    }

    const model::Specification& spec_;
    const expr::Pool& pool_;
    const expr::Types& types_;
    std::string out_;
    bool in_braces_ = false;  // a binary layout is being printed
    const model::Protocol* p_ = nullptr;
    std::vector<std::string> loop_names_;
    absl::flat_hash_set<std::string> open_loops_;
    absl::flat_hash_set<std::string> reserved_;  // members of enumerations
    absl::flat_hash_map<std::string, VarId> visible_;
    absl::flat_hash_map<VarId, std::string> printed_as_;
    std::vector<std::pair<std::string, VarId>> trail_;
};

std::string laid_out(std::string plain) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    base::FileId file = sources.add("", std::move(plain));
    std::optional<std::string> formatted = format(sources, file, diagnostics);
    // Names that the language cannot write (see unwritable_name) leave the plain text as the best there is.
    return formatted ? std::move(*formatted) : std::string(sources.text(file));
}

bool writable(std::string_view name, bool any_word) {
    base::SourceMap sources;
    base::Names names;
    base::Diagnostics diagnostics;
    base::FileId file = sources.add("", std::string(name));
    TokenList tokens = lex(sources, file, names, diagnostics);
    return tokens.tokens.size() == 2 && tokens.comments.empty() && diagnostics.ok() &&
           tokens.tokens[0].begin == 0 &&
           (tokens.tokens[0].kind == TokenKind::name || (any_word && is_word(tokens.tokens[0].kind))) &&
           tokens.tokens[0].end == name.size();
}

}  // namespace

std::string print(const model::Specification& specification) {
    std::string plain;
    for (const PrintedDeclaration& one : Printer(specification).run(false)) plain += one.text;
    return laid_out(std::move(plain));
}

std::vector<PrintedDeclaration> print_declarations(const model::Specification& specification) {
    std::vector<PrintedDeclaration> all = Printer(specification).run(true);
    for (PrintedDeclaration& one : all) one.text = laid_out(std::move(one.text));
    return all;
}

bool writable_role(std::string_view name) {
    return writable(name, false);
}
bool writable_message(std::string_view name) {
    return writable(name, true);
}

std::optional<std::string> unwritable_name(const model::Specification& specification) {
    const model::Alphabet& a = *specification.alphabet;
    for (std::size_t i = 0; i < a.role_count(); ++i)
        if (std::string_view n = a.name(model::RoleId(i)); !writable(n, false)) return std::string(n);
    for (std::size_t i = 0; i < a.message_count(); ++i)
        if (std::string_view n = a.name(model::MessageId(i)); !writable(n, true)) return std::string(n);
    for (const model::Protocol& p : specification.protocols) {
        if (!writable(p.name(), false)) return std::string(p.name());
        for (std::size_t i = 0; i < p.loop_count(); ++i)
            if (!writable(p.loop_name(model::LoopId(i)), false))
                return std::string(p.loop_name(model::LoopId(i)));
    }
    return std::nullopt;
}

}  // namespace treaty::lang
