#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "cli/wire_inputs.h"
#include "expr/generate.h"
#include "expr/narrow.h"
#include "expr/print.h"
#include "model/wire_shapes.h"
#include "report/wording.h"
#include "wire/codec.h"
#include "wire/codes.h"
#include "wire/constraints.h"

namespace treaty::cli {
namespace {

using expr::ExprId;
using expr::Found;

// A message to be generated: its variables and what they must satisfy.
struct Task {
    model::MessageId message;
    std::vector<expr::VarId> variables;
    std::vector<ExprId> constraints;  // what may be broken, one by one
    std::vector<ExprId> always;       // what the wire needs
};

class Data {
public:
    Data(Session& session, model::Specification& s, const wire::Wire* wire)
        : session_(session),
          s_(s),
          pool_(*s.pool),
          wire_(wire),
          shapes_(model::wire_shapes(s)),
          generator_(pool_) {
        if (wire) codec_.emplace(pool_, *wire, shapes_), encoder_.emplace(*codec_);
        rows_ = report::Json::array();
    }

    // widened: ranges of fields become constraints like others, so that they can be broken.
    Task task_of(model::MessageId message, bool widened) {
        Task t{message, {}, {}, {}};
        const model::Message& m = s_.message(message);
        absl::flat_hash_map<expr::VarId, ExprId> by;
        for (std::size_t i = 0; i < m.fields.size(); ++i) {
            expr::TypeId type = m.fields[i].type;
            expr::VarId v = pool_.declare(m.fields[i].name, widened ? s_.types->base(type) : type);
            t.variables.push_back(v);
            if (i < m.variables.size()) by[m.variables[i]] = pool_.var(v);
            if (widened) ranges(t, (*s_.types)[type], pool_.var(v));
        }
        if (m.where)
            for (ExprId c : expr::conjuncts_of(pool_, expr::substitute(pool_, m.where, by)))
                t.constraints.push_back(c);
        if (wire_)
            t.always = wire::constraints(pool_, *wire_, message.index, shapes_[message.index], t.variables);
        return t;
    }

    bool valid(const Task& t, std::uint64_t count, std::uint64_t seed) {
        ExprId condition = all(t, t.constraints.size());
        for (std::uint64_t i = 0; i < count; ++i)
            if (!one(t, condition, seed + i, "")) return false;
        return true;
    }

    bool invalid(const Task& t, std::uint64_t count, std::uint64_t seed) {
        std::vector<std::size_t> breakable;
        for (std::size_t k = 0; k < t.constraints.size(); ++k) {
            expr::Choices choices(seed);
            if (generator_.generate(t.variables, all(t, k), {}, choices).found == Found::yes)
                breakable.push_back(k);
        }
        if (breakable.empty()) {
            session_.report(wire::codes::nothing_to_break,
                            "no constraint of this message can be broken alone");
            return false;
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            std::size_t k = breakable[i % breakable.size()];
            if (!one(t, all(t, k), seed + i, expr::print(pool_, t.constraints[k]))) return false;
        }
        return true;
    }

    report::Json rows() { return std::move(rows_); }
    const std::string& bytes() const { return bytes_; }
    std::optional<std::string> undecided;

private:
    void ranges(Task& t, const expr::Type& type, ExprId x) {
        auto add = [&](expr::Op op, std::int64_t bound) {
            t.constraints.push_back(pool_.make(op, s_.types->boolean(), std::array{x, pool_.integer(bound)}));
        };
        if (type.kind != expr::TypeKind::integer) return;
        if (type.low) add(expr::Op::greater_equal, *type.low);
        if (type.high) add(expr::Op::less_equal, *type.high);
    }

    // All constraints, but the one at `broken` negated.
    ExprId all(const Task& t, std::size_t broken) {
        ExprId e = pool_.boolean(true);
        for (std::size_t k = 0; k < t.constraints.size(); ++k)
            e = pool_.logical_and(e, k == broken ? pool_.logical_not(t.constraints[k]) : t.constraints[k]);
        // What the wire needs may itself forbid an invalid message; then it has values but no bytes.
        bool with_wire = broken >= t.constraints.size();
        for (ExprId c : t.always) e = with_wire ? pool_.logical_and(e, c) : e;
        return e;
    }

    bool one(const Task& t, ExprId condition, std::uint64_t seed, const std::string& breaks) {
        constexpr int tries = 50;  // for values that the wire can write
        for (int i = 0;; ++i) {
            expr::Choices choices(seed + static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u);
            expr::Generated g = generator_.generate(t.variables, condition, {}, choices);
            if (g.found == Found::no) return contradiction(g.core);
            if (g.found == Found::unknown) {
                undecided = g.reason;
                return false;
            }
            std::vector<expr::Value> values;
            for (expr::VarId v : t.variables) values.push_back(*g.values.get(v));
            std::string encoded, why;
            if (encoder_) encoder_->allow_out_of_range(!breaks.empty());
            if (encoder_)
                if (auto fault = encoder_->encode(t.message.index, values, encoded)) why = fault->reason;
            if (!why.empty() && i < tries && breaks.empty()) continue;
            row(t, values, g.how, encoded, why, breaks);
            return true;
        }
    }

    bool contradiction(const std::vector<ExprId>& core) {
        std::string list;
        for (ExprId c : core) list += fmt::format("{}{}", list.empty() ? "" : "; ", expr::print(pool_, c));
        session_.report(wire::codes::no_values, fmt::format("these cannot hold together: {}", list));
        return false;
    }

    void row(const Task& t, const std::vector<expr::Value>& values, const std::vector<std::string>& how,
             const std::string& encoded, const std::string& why, const std::string& breaks) {
        const model::Message& m = s_.message(t.message);
        report::Json data = report::Json::object(), ways = report::Json::object();
        std::string shown;
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::string name(s_.names->text(m.fields[i].name));
            data[name] = to_json(s_, m.fields[i].type, values[i]);
            ways[name] = how[i];
            shown += fmt::format("{}{} = {}", i > 0 ? ", " : "", name,
                                 expr::print(values[i], m.fields[i].type, *s_.types, *s_.names));
        }
        std::string name(s_.alphabet->name(t.message));
        report::Json row{{"message", name}, {"data", std::move(data)}, {"how", std::move(ways)}};
        session_.result.text += fmt::format("{}{}\n", name, values.empty() ? "" : fmt::format("({})", shown));
        if (!breaks.empty()) {
            row["breaks"] = breaks;
            session_.result.text += fmt::format("    breaks  {}\n", breaks);
        }
        if (encoder_ && why.empty()) {
            row["bytes"] = hexadecimal(encoded);
            session_.result.text += fmt::format("    bytes   {}\n", quoted_bytes(encoded));
            bytes_ += encoded;
        } else if (encoder_) {
            row["no_bytes"] = why;
            session_.result.text += fmt::format("    no bytes: {}\n", why);
        }
        rows_.push_back(std::move(row));
    }

    Session& session_;
    model::Specification& s_;
    expr::Pool& pool_;
    const wire::Wire* wire_;
    std::vector<wire::MessageShape> shapes_;
    expr::Generator generator_;
    std::optional<wire::Codec> codec_;
    std::optional<wire::Encoder> encoder_;
    report::Json rows_;
    std::string bytes_;
};

// The wire to write with: the named one, which must carry the message, or the last one that does.
bool wire_for(Session& session, const model::Specification& s, const std::string& name,
              model::MessageId message, const wire::Wire*& out) {
    auto carries = [&](const wire::Wire& w) {
        return wire::Codec(*s.pool, w, model::wire_shapes(s)).carries(message.index);
    };
    if (name.empty()) {
        for (const wire::Wire& w : s.wires)
            if (carries(w)) out = &w;
        return true;
    }
    out = choose_wire(session, s, name);
    if (!out) return false;
    if (carries(*out)) return true;
    session.report(wire::codes::not_carried,
                   fmt::format("{} has no layout for {}", name, s.alphabet->name(message)));
    return false;
}

}  // namespace

int verb_data(Arguments arguments) {
    Session session("data");
    CommandLine line(session);
    std::string file, message_name, wire_name, output;
    std::optional<std::uint64_t> count;
    bool invalid = false;
    line.positional("FILE", file, "a file that declares the message");
    line.option("-m,--message", "NAME", message_name, "which message", Needed::yes);
    line.option("-n,--count", "N", count, "how many (default: 10)");
    line.option("-w,--wire", "NAME", wire_name,
                "how it looks as bytes (default: the last wire that carries it)");
    line.option("-o,--output", "FILE", output, "write the bytes, one message after the other");
    line.flag("--invalid", invalid, "messages that break exactly one constraint each");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {file};
    auto specification = load_specification(session, file);
    if (!specification) return session.finish();
    auto message = choose_message(session, *specification, message_name);
    const wire::Wire* wire = nullptr;
    if (!message || !wire_for(session, *specification, wire_name, *message, wire)) return session.finish();
    Data data(session, *specification, wire);
    std::uint64_t n = std::min<std::uint64_t>(count.value_or(10), 1'000'000);
    Task task = data.task_of(*message, invalid);
    bool done =
        invalid ? data.invalid(task, n, session.options.seed) : data.valid(task, n, session.options.seed);
    session.result.quiet = true;
    session.result.extra["seed"] = session.options.seed;
    session.result.extra["values"] = data.rows();
    if (data.undecided) {
        session.result.quiet = false;
        session.result.answer = base::Answer::undecided;
        session.result.reason = *data.undecided;
        return session.finish();
    }
    if (!done) return session.finish();
    if (!output.empty() && !session.write(output, data.bytes())) return session.finish();
    return session.holds();
}

}  // namespace treaty::cli
