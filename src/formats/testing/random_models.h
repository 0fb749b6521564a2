// Random small models of every kind, with and without data, for property tests. The same seed gives the same.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "expr/testing/random_expressions.h"
#include "model/machine.h"
#include "model/net.h"
#include "model/specification.h"
#include "model/system.h"

namespace treaty::formats::testing {

class RandomModels {
public:
    explicit RandomModels(std::uint64_t seed) : expressions_(world_, seed), data_(chance(50)) {}

    bool with_data() const { return data_; }
    void without_data() { data_ = false; }

    model::Specification specification() {
        model::Specification s;
        s.names = world_.names;
        s.types = world_.types;
        s.pool = world_.pool;
        s.named_types = {world_.point, world_.color};
        for (const char* role : {"A", "B", "Cc", "D"}) roles_.push_back(s.alphabet->role(role));
        for (std::size_t i = 0; i < 4; ++i) message(s, i);
        for (std::size_t n = 1 + below(2); n > 0; --n) s.protocols.push_back(protocol(s, s.protocols.size()));
        if (data_ && chance(50)) s.wires.push_back(wire(s));
        if (data_ && chance(50)) properties(s);
        return s;
    }

    model::Machine machine() {
        auto alphabet = std::make_shared<model::Alphabet>();
        return machine(alphabet, {}, plain_labels(*alphabet));
    }

    model::System system() {
        auto alphabet = std::make_shared<model::Alphabet>();
        std::vector<model::RoleId> roles;
        for (std::size_t i = 0; i < 2 + below(2); ++i) roles.push_back(alphabet->role(fmt::format("R{}", i)));
        std::vector<model::Machine> machines;
        for (model::RoleId self : roles) {
            std::vector<model::LabelId> labels;
            for (model::RoleId other : roles) {
                if (other == self) continue;
                for (const char* m : {"x", "y"}) {
                    labels.push_back(alphabet->send(self, other, alphabet->message(m)));
                    labels.push_back(alphabet->receive(other, self, alphabet->message(m)));
                }
            }
            std::shuffle(labels.begin(), labels.end(), shuffler_);
            machines.push_back(machine(alphabet, self, labels));
        }
        model::Channels channels;
        if (chance(30)) channels = {model::Mode::bag, 3};
        auto result = model::make_system("system", std::move(machines), channels);
        TREATY_CHECK(result.has_value());
        return std::move(*result);
    }

    model::Net net() {
        auto alphabet = std::make_shared<model::Alphabet>();
        std::vector<model::LabelId> labels = plain_labels(*alphabet);
        model::RoleId a = alphabet->role("A & \"B\""), b = alphabet->role("B<");
        labels.push_back(alphabet->interaction(a, b, alphabet->message("m")));
        labels.push_back(alphabet->send(a, b, alphabet->message("m")));
        labels.push_back(alphabet->receive(a, b, alphabet->message("n")));
        labels.push_back(alphabet->silent());
        model::NetBuilder builder("net", alphabet, data_ ? world_.pool : nullptr);
        std::size_t places = 1 + below(6);
        bool named = chance(40);
        for (std::size_t i = 0; i < places; ++i)
            builder.place({}, chance(20), named ? fmt::format("<{}> & co", i) : "");
        auto some = [&](unsigned percent) {
            std::vector<model::PlaceId> list;
            for (std::size_t i = 0; i < places; ++i)
                if (chance(percent))
                    list.insert(list.end(), chance(30) ? 1 + below(12) : 1, model::PlaceId(i));
            return list;
        };
        for (model::PlaceId p : some(30)) builder.initial(p);
        builder.initial(model::PlaceId(below(places)));
        for (model::PlaceId p : some(20)) builder.final(p);
        for (std::size_t n = below(8); n > 0; --n) {
            model::Transition t;
            t.label = labels[below(labels.size())];
            t.from = some(20);
            t.from.push_back(model::PlaceId(below(places)));
            t.to = some(30);
            if (data_) {
                t.clears = some(5);
                t.guard = maybe_condition();
                t.data = arguments();
                t.where = maybe_condition();
                t.assignments = assignments();
            }
            builder.transition(std::move(t));
        }
        auto result = builder.finish();
        TREATY_CHECK(result.has_value());
        return std::move(*result);
    }

    std::size_t below(std::size_t n) { return expressions_.below(n); }
    bool chance(unsigned percent) { return expressions_.chance(percent); }

private:
    // Data.

    expr::ExprId expression(expr::TypeId type) {
        return expressions_.expression(world_.types->base(type), static_cast<int>(below(5)));
    }
    expr::ExprId maybe_condition() { return chance(40) ? expression(world_.boolean) : expr::ExprId(); }
    expr::VarId variable() { return world_.variables[below(world_.variables.size())]; }
    expr::VarId variable(expr::TypeId type) {
        for (;;) {
            expr::VarId id = variable();
            if (world_.pool->variable(id).type == type) return id;
        }
    }
    model::Argument argument(expr::TypeId type) {
        switch (below(3)) {
            case 0: return {variable(type), {}, {}};
            case 1: return {{}, expression(type), {}};
            default: return {};
        }
    }
    expr::TypeId any_type() { return world_.pool->variable(variable()).type; }
    std::vector<model::Argument> arguments() {
        std::vector<model::Argument> list;
        for (std::size_t n = below(3); n > 0; --n) list.push_back(argument(any_type()));
        return list;
    }
    std::vector<model::Assignment> assignments() {
        std::vector<model::Assignment> list;
        for (std::size_t n = below(3); n > 1; --n) {
            expr::VarId v = variable();
            list.push_back({v, expression(world_.pool->variable(v).type)});
        }
        return list;
    }

    std::vector<model::LabelId> plain_labels(model::Alphabet& alphabet) {
        std::vector<model::LabelId> labels;
        std::vector<std::string> names{"a", "b", "ccc", "with blank", "\"q\", 1)", "\xc3\xa9"};
        std::shuffle(names.begin(), names.end(), shuffler_);
        labels.reserve(names.size());
        for (const std::string& name : names) labels.push_back(alphabet.plain(name));
        return labels;
    }

    model::Machine machine(const std::shared_ptr<model::Alphabet>& alphabet, model::RoleId role,
                           const std::vector<model::LabelId>& labels) {
        std::string name = role ? std::string(alphabet->name(role)) : "machine";
        model::MachineBuilder builder(name, alphabet, role, data_ ? world_.pool : nullptr);
        std::size_t states = 1 + below(7);
        bool named = chance(30);
        for (std::size_t i = 0; i < states; ++i)
            builder.state(chance(30), named ? fmt::format("q{}", 9 - i) : "");
        for (std::size_t n = below(3 * states); n > 0; --n) {
            model::EdgeData data;
            if (data_ && chance(60)) {
                data.guard = maybe_condition();
                data.data = arguments();
                data.where = maybe_condition();
                data.assignments = assignments();
            }
            model::LabelId label = chance(10) ? alphabet->silent() : labels[below(labels.size())];
            builder.edge(model::StateId(below(states)), label, model::StateId(below(states)), {},
                         std::move(data));
        }
        builder.set_initial(model::StateId(below(states)));
        auto result = builder.finish();
        TREATY_CHECK(result.has_value());
        return std::move(*result);
    }

    // Specifications.

    void message(model::Specification& s, std::size_t i) {
        s.alphabet->message(fmt::format("m{}", i));
        model::Message m;
        m.declared = chance(50);
        for (std::size_t n = data_ ? below(3) : 0; n > 0; --n) {
            expr::VarId v = variable();
            m.fields.push_back({s.names->intern(fmt::format("f{}", n)), world_.pool->variable(v).type});
            m.variables.push_back(v);
        }
        if (data_) m.where = maybe_condition();
        s.messages.push_back(std::move(m));
    }

    model::Protocol protocol(const model::Specification& s, std::size_t number) {
        model::ProtocolBuilder builder(fmt::format("P{}", number), {}, roles_);
        builder.open(model::NodeKind::sequence, {});
        for (std::size_t n = 1 + below(3); n > 0; --n) step(s, builder, 4, {});
        builder.close();
        auto result = builder.finish();
        TREATY_CHECK(result.has_value());
        return std::move(*result);
    }

    void block(const model::Specification& s, model::ProtocolBuilder& b, int depth,
               std::vector<model::LoopId> loops) {
        b.open(model::NodeKind::sequence, {});
        for (std::size_t n = below(3); n > 0; --n) step(s, b, depth, loops);
        b.close();
    }

    void interaction(const model::Specification& s, model::ProtocolBuilder& b) {
        std::size_t from = below(roles_.size()), to = (from + 1 + below(roles_.size() - 1)) % roles_.size();
        model::MessageId m(below(s.messages.size()));
        std::vector<model::Argument> list;
        for (const expr::Field& f : s.message(m).fields) list.push_back(argument(f.type));
        expr::ExprId where = data_ ? maybe_condition() : expr::ExprId();
        b.interaction({}, roles_[from], roles_[to], m, list, where, data_ && chance(10) ? 5'000'000 : -1);
    }

    void step(const model::Specification& s, model::ProtocolBuilder& b, int depth,
              std::vector<model::LoopId> loops) {
        using model::NodeKind;
        model::RoleId decider = chance(70) ? roles_[below(roles_.size())] : model::RoleId();
        switch (depth <= 0 ? 0 : below(data_ ? 13 : 6)) {
            default: return interaction(s, b);
            case 2:
            case 3:
                if (chance(50)) {
                    b.open_choice({}, decider);
                } else {
                    b.open(NodeKind::parallel, {});
                }
                for (std::size_t n = 2 + below(2); n > 0; --n) block(s, b, depth - 1, loops);
                return b.close();
            case 4:
                b.open_repeat({}, roles_[below(roles_.size())]);
                block(s, b, depth - 1, loops);
                return b.close();
            case 6: {
                model::LoopId loop = b.loop(fmt::format("L{}", below(3)));
                loops.push_back(loop);
                b.open_recursion({}, loop);
                block(s, b, depth - 1, loops);
                return b.close();
            }
            case 7:
                if (!loops.empty()) b.jump({}, loops[below(loops.size())]);
                return;
            case 8:
                b.open_while({}, expression(world_.boolean));
                block(s, b, depth - 1, loops);
                return b.close();
            case 9:
            case 10:
                if (chance(50)) {
                    b.open_conditional({}, expression(world_.boolean));
                } else {
                    b.open(NodeKind::interrupt, {});
                }
                block(s, b, depth - 1, loops);
                block(s, b, depth - 1, loops);
                return b.close();
            case 11: {
                expr::VarId v = variable();
                b.assign({}, v, expression(world_.pool->variable(v).type));
                return;
            }
            case 12: {
                model::SemaphoreId semaphore = b.semaphore(fmt::format("s{}", below(2)));
                if (chance(50))
                    b.signal({}, semaphore);
                else
                    b.wait({}, semaphore);
                return;
            }
        }
    }

    // Any form with any of its members: what is not there must come back as not there.
    model::Item item(int depth) {
        namespace forms = model::forms;
        model::Item i;
        switch (below(13)) {
            case 0: i.form = forms::Literal{any_text()}; break;
            case 1: i.form = forms::Pattern{{"[^ ]+", chance(50)}}; break;
            case 2: {
                forms::Text form;
                named(form);
                form.regex = {"[^ ]+", chance(50)};
                i.form = form;
                break;
            }
            case 3: {
                auto form = field<forms::Bits>();
                form.width = static_cast<std::uint32_t>(below(3) * 8);
                form.little_endian = chance(30);
                i.form = form;
                break;
            }
            case 4: {
                auto form = field<forms::ByteString>();
                if (chance(50)) form.size = expression(world_.integer);
                if (chance(10)) form.key = expression(world_.bytes);
                form.transform = static_cast<model::Transform>(below(4));
                i.form = form;
                break;
            }
            case 5: {
                auto form = field<forms::Decimal>();
                form.end = any_text();
                i.form = form;
                break;
            }
            case 6: {
                auto form = field<forms::Line>();
                form.end = any_text();
                form.transform = static_cast<model::Transform>(below(4));
                i.form = form;
                break;
            }
            case 7: {
                auto form = field<forms::Varint>();
                form.most_bytes = static_cast<std::uint32_t>(below(5));
                i.form = form;
                break;
            }
            case 8: i.form = forms::Check{expression(world_.boolean)}; break;
            case 9: {
                auto form = nest<forms::Conditional>(depth);
                form.condition = expression(world_.boolean);
                i.form = std::move(form);
                break;
            }
            case 10: {
                auto form = nest<forms::Repeat>(depth);
                if (chance(50)) form.count = expression(world_.integer);
                if (chance(30)) form.more = expression(world_.integer);
                i.form = std::move(form);
                break;
            }
            case 11: {
                auto form = nest<forms::Block>(depth);
                form.width = static_cast<std::uint32_t>(below(3) * 8);
                form.little_endian = chance(30);
                i.form = std::move(form);
                break;
            }
            case 12: {
                auto form = nest<forms::Part>(depth);
                named(form);
                form.variable = variable();
                i.form = std::move(form);
                break;
            }
        }
        return i;
    }

    std::string any_text() { return chance(50) ? "GET \"x\"\r\n" : std::string("\xff\x00", 2); }
    void named(model::forms::Named& form) {
        if (chance(50)) form.name = world_.name("field");
        if (chance(50)) form.variable = variable();
    }
    template <class Form>
    Form field() {
        Form form;
        named(form);
        if (chance(20)) form.collects = variable();
        if (chance(50)) form.value = expression(world_.integer);
        return form;
    }
    template <class Form>
    Form nest(int depth) {
        Form form;
        if (depth > 0)
            for (std::size_t n = below(3); n > 0; --n) form.inner.push_back(item(depth - 1));
        return form;
    }

    model::Wire wire(const model::Specification& s) {
        model::Wire w;
        w.name = world_.name("Lines");
        w.framing = static_cast<model::Framing>(below(5));
        if (w.framing == model::Framing::lines) w.terminator = "\r\n";
        if (w.framing == model::Framing::lines && chance(50))
            w.escapes = {{"\\", "\\\\", false}, {"\r\n", "\\n", false}, {".", "..", true}};
        if (w.framing == model::Framing::length_prefixed) w.prefix_bytes = 2;
        // Layouts over these two are documents, which are not made here.
        if (w.framing == model::Framing::json || w.framing == model::Framing::http) return w;
        for (std::uint32_t m = 0; m < s.messages.size(); ++m) {
            model::Layout layout;
            layout.message = model::MessageId(m);
            layout.fields = s.messages[m].variables;
            for (std::size_t n = below(4); n > 0; --n) layout.items.push_back(item(2));
            if (w.framing != model::Framing::lines && chance(30)) layout.items.push_back(protobuf(s, layout));
            w.layouts.push_back(std::move(layout));
        }
        return w;
    }

    // Those of the message's fields that are numbers, texts, bytes or members of an enumeration, or lists or
    // optionals of them.
    model::Item protobuf(const model::Specification& s, const model::Layout& layout) {
        using model::forms::ProtobufKind;
        model::forms::Protobuf form;
        form.open = chance(50);
        model::forms::ProtobufOneof oneof;
        const std::vector<expr::Field>& fields = s.message(layout.message).fields;
        for (std::uint32_t f = 0; f < fields.size(); ++f) {
            model::forms::ProtobufField field;
            field.name = fields[f].name;
            field.variable = layout.fields[f];
            field.number = f + 1;
            field.position = f;
            expr::TypeId type = fields[f].type;
            expr::TypeKind outer = s.types->kind(type);
            bool optional = outer == expr::TypeKind::optional, list = outer == expr::TypeKind::list;
            if (optional || list) type = (*s.types)[type].element;
            switch (s.types->kind(type)) {
                case expr::TypeKind::boolean: field.kind = ProtobufKind::boolean; break;
                case expr::TypeKind::integer: field.kind = static_cast<ProtobufKind>(below(10)); break;
                case expr::TypeKind::real: field.kind = ProtobufKind::float64; break;
                case expr::TypeKind::string: field.kind = ProtobufKind::string; break;
                case expr::TypeKind::bytes: field.kind = ProtobufKind::bytes; break;
                case expr::TypeKind::enumeration:
                    field.kind = ProtobufKind::enumeration;
                    field.closed = chance(50);
                    for (std::size_t m = 0; m < (*s.types)[type].members.size(); ++m)
                        field.numbers.push_back(static_cast<std::int32_t>(3 * m));
                    break;
                default: continue;
            }
            field.required = !optional && !list && chance(30);
            bool text = field.kind == ProtobufKind::string || field.kind == ProtobufKind::bytes;
            field.expanded = list && !text && chance(50);
            (optional ? oneof.inner : form.inner).push_back({{}, std::move(field)});
        }
        if (!oneof.inner.empty()) form.inner.push_back({{}, std::move(oneof)});
        return {{}, std::move(form)};
    }

    model::MessagePattern pattern(const model::Specification& s) {
        model::MessagePattern p;
        p.from = roles_[0];
        p.to = roles_[1 + below(3)];
        p.message = model::MessageId(below(s.messages.size()));
        const auto& fields = s.message(p.message).fields;
        for (std::uint32_t f = 0; f < fields.size(); ++f) {
            if (chance(50)) {
                p.fields.push_back({f, variable(fields[f].type), {}});
            } else {
                p.fields.push_back({f, {}, expression(fields[f].type)});
            }
        }
        p.where = maybe_condition();
        return p;
    }

    void properties(model::Specification& s) {
        for (std::size_t n = 1 + below(3); n > 0; --n) {
            model::Property p;
            p.name = world_.name(fmt::format("Q{}", n));
            p.at = roles_[below(4)];
            for (std::size_t k = below(3); k > 0; --k) p.after.push_back(pattern(s));
            for (std::size_t k = below(3); k > 0; --k) p.then.push_back(pattern(s));
            p.forbid = chance(30);
            p.within = static_cast<std::uint32_t>(below(5));
            if (chance(30)) p.within_ns = 3'000'000'000;
            s.properties.push_back(std::move(p));
        }
        model::Property global;
        global.name = world_.name("G");
        global.global = true;
        global.premises = {0};
        global.conclusions = {static_cast<std::uint32_t>(s.properties.size()) - 1};
        global.negated = chance(50);
        s.properties.push_back(std::move(global));
    }

    expr::SmallWorld world_;
    expr::RandomExpressions expressions_;
    bool data_;
    std::mt19937 shuffler_{1};
    std::vector<model::RoleId> roles_;
};

}  // namespace treaty::formats::testing
