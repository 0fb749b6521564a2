#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/json/alphabet.h"
#include "formats/json/specification.h"

namespace treaty::formats {
namespace {

using model::NodeId;
using model::NodeKind;

class Writer {
public:
    Writer(JsonWriter& out, JsonDataWriter& data, const model::Specification& s, const model::Protocol& p)
        : out_(out), data_(data), s_(s), p_(p) {}

    void write() {
        out_.open_object();
        out_.text("name", p_.name());
        out_.key("roles").open_array(Layout::flat);
        for (model::RoleId role : p_.roles()) out_.text(s_.alphabet->name(role));
        out_.close_array();
        if (p_.loop_count() > 0) {
            out_.key("loops").open_array(Layout::flat);
            for (std::size_t i = 0; i < p_.loop_count(); ++i) out_.text(p_.loop_name(model::LoopId(i)));
            out_.close_array();
        }
        out_.key("body");
        node(p_.root());
        out_.close_object();
    }

private:
    void node(NodeId id) {
        const model::Node& n = p_[id];
        bool leaf = n.child_count == 0;
        out_.open_object(leaf ? Layout::flat : Layout::lines);
        out_.text("kind", model::to_string(n.kind));
        switch (n.kind) {
            case NodeKind::interaction: interaction(id); break;
            case NodeKind::choice:
            case NodeKind::repeat:
                if (n.role) out_.text("at", s_.alphabet->name(n.role));
                break;
            case NodeKind::recursion:
            case NodeKind::jump: out_.integer("loop", n.loop.index); break;
            case NodeKind::while_loop:
            case NodeKind::conditional: data_.condition("condition", n.guard); break;
            case NodeKind::assign:
                out_.integer("variable", n.variable.index);
                data_.condition("value", n.guard);
                break;
            case NodeKind::signal:
            case NodeKind::wait: out_.text("semaphore", p_.semaphore_name(n.semaphore)); break;
            case NodeKind::sequence:
            case NodeKind::parallel:
            case NodeKind::interrupt: break;
        }
        if (!leaf) {
            out_.key("parts").open_array();
            for (NodeId child : p_.children(id)) node(child);
            out_.close_array();
        }
        out_.close_object();
    }

    [[gnu::noinline]] void interaction(NodeId id) {
        const model::Node& n = p_[id];
        out_.text("from", s_.alphabet->name(n.role));
        out_.text("to", s_.alphabet->name(n.to));
        out_.text("message", s_.alphabet->name(n.message));
        data_.arguments("arguments", p_.arguments(id));
        data_.condition("where", n.guard);
        if (n.within_ns >= 0) out_.integer("within_ns", n.within_ns);
    }

    JsonWriter& out_;
    JsonDataWriter& data_;
    const model::Specification& s_;
    const model::Protocol& p_;
};

std::optional<NodeKind> parse_kind(std::string_view text) {
    for (int i = 0; i <= static_cast<int>(NodeKind::wait); ++i)
        if (model::to_string(static_cast<NodeKind>(i)) == text) return static_cast<NodeKind>(i);
    return std::nullopt;
}

class Reader {
public:
    Reader(JsonReader& in, JsonDataReader& data, const model::Specification& s)
        : in_(in), data_(data), s_(s) {}

    std::optional<model::Protocol> read(Json value) {
        if (!in_.is(value, JsonKind::object)) return std::nullopt;
        std::vector<model::RoleId> roles;
        Json list = in_.need_array(value, "roles");
        read_names(in_, list);
        if (list)
            for (Json r : list.items())
                if (model::RoleId role = read_role(in_, *s_.alphabet, r)) roles.push_back(role);
        roles_.insert(roles.begin(), roles.end());
        std::string name = in_.need_text(value, "name");
        if (!in_.ok()) return std::nullopt;
        builder_.emplace(std::move(name), value.span(), std::move(roles));
        if (Json loops = in_.maybe_array(value, "loops"))
            for (Json l : loops.items()) loops_.push_back({builder_->loop(in_.text(l)), false});
        node(in_.need(value, "body"));
        if (!in_.ok()) return std::nullopt;
        auto protocol = builder_->finish();
        if (!protocol) in_.report(codes::json_model, value, builder_->fault());
        return protocol;
    }

private:
    struct Loop {
        model::LoopId id;
        bool used;
    };

    // A composite is opened, then its parts are read, then it is closed.
    void node(Json value) {
        if (!in_.is(value, JsonKind::object)) return;
        if (builder_->depth() >= model::Protocol::max_depth) {
            if (in_.ok())
                in_.report(codes::json_too_large, value,
                           fmt::format("nested deeper than {} levels", model::Protocol::max_depth));
            return;
        }
        Json kind_value = in_.need(value, "kind");
        if (!in_.is(kind_value, JsonKind::string)) return;
        auto kind = parse_kind(kind_value.string());
        if (!kind) {
            in_.report(codes::json_type, kind_value, "unknown kind of step");
            return;
        }
        if (!open(*kind, value)) return;
        if (Json parts = in_.maybe_array(value, "parts"))
            for (Json part : parts.items()) node(part);
        builder_->close();
    }

    // False for a step without parts, and where something is wrong.
    [[gnu::noinline]] bool open(NodeKind kind, Json value) {
        base::Span span = value.span();
        switch (kind) {
            case NodeKind::interaction: interaction(value); return false;
            case NodeKind::jump: jump(value); return false;
            case NodeKind::assign: assign(value); return false;
            case NodeKind::signal:
            case NodeKind::wait: semaphore(kind, value); return false;
            case NodeKind::choice: builder_->open_choice(span, decider(value)); return true;
            case NodeKind::repeat: builder_->open_repeat(span, decider(value)); return true;
            case NodeKind::while_loop: builder_->open_while(span, condition(value)); return true;
            case NodeKind::conditional: builder_->open_conditional(span, condition(value)); return true;
            case NodeKind::recursion: return recursion(value);
            case NodeKind::sequence:
            case NodeKind::parallel:
            case NodeKind::interrupt: builder_->open(kind, span); return true;
        }
        return false;
    }

    model::RoleId role(Json value) {
        model::RoleId id = read_role(in_, *s_.alphabet, value);
        if (id && !roles_.contains(id))
            in_.report(codes::json_reference, value, "this role is not a role of the protocol");
        return id;
    }
    model::RoleId decider(Json value) { return role(in_.maybe(value, "at")); }
    expr::ExprId condition(Json value) {
        in_.need(value, "condition");
        return data_.condition(value, "condition");
    }

    void interaction(Json value) {
        model::RoleId from = role(in_.need(value, "from")), to = role(in_.need(value, "to"));
        Json message_value = in_.need(value, "message");
        model::MessageId message = read_message(in_, *s_.alphabet, message_value);
        if (from && from == to) in_.report(codes::json_model, value, "a role sends to itself");
        if (!message) return;
        auto arguments =
            data_.arguments(in_.maybe_array(value, "arguments"), s_.message(message).fields, true);
        expr::ExprId where = data_.condition(value, "where");
        std::int64_t within = -1;
        if (Json w = in_.maybe(value, "within_ns")) within = in_.integer(w, 0);
        if (in_.ok())
            builder_->interaction(value.span(), from, to, message, std::move(arguments), where, within);
    }

    std::optional<std::size_t> loop(Json value) {
        std::uint32_t i = in_.index(in_.need(value, "loop"), loops_.size(), "loops");
        return i == JsonReader::none_index ? std::nullopt : std::optional<std::size_t>(i);
    }

    bool recursion(Json value) {
        auto i = loop(value);
        if (!i) return false;
        if (loops_[*i].used) {
            in_.report(codes::json_twice, value, "two recursions share a loop");
            return false;
        }
        loops_[*i].used = true;
        builder_->open_recursion(value.span(), loops_[*i].id);
        return true;
    }

    void jump(Json value) {
        if (auto i = loop(value)) builder_->jump(value.span(), loops_[*i].id);
    }

    void assign(Json value) {
        expr::VarId variable = data_.variable(in_.need(value, "variable"));
        Json e = in_.need(value, "value");
        if (!variable || !e) return;
        expr::ExprId expression = data_.expression(e, s_.pool->variable(variable).type);
        if (expression) builder_->assign(value.span(), variable, expression);
    }

    void semaphore(NodeKind kind, Json value) {
        model::SemaphoreId id = builder_->semaphore(in_.need_text(value, "semaphore"));
        if (kind == NodeKind::signal)
            builder_->signal(value.span(), id);
        else
            builder_->wait(value.span(), id);
    }

    JsonReader& in_;
    JsonDataReader& data_;
    const model::Specification& s_;
    std::optional<model::ProtocolBuilder> builder_;
    absl::flat_hash_set<model::RoleId> roles_;
    std::vector<Loop> loops_;
};

}  // namespace

void write_protocol_json(JsonWriter& out, JsonDataWriter& data, const model::Specification& specification,
                         const model::Protocol& protocol) {
    Writer(out, data, specification, protocol).write();
}

std::optional<model::Protocol> read_protocol_json(JsonReader& in, JsonDataReader& data,
                                                  const model::Specification& specification, Json value) {
    return Reader(in, data, specification).read(value);
}

}  // namespace treaty::formats
