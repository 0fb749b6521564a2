#include "formats/json/json.h"

#include <gtest/gtest.h>

#include "formats/json/machine.h"
#include "formats/json/ops.h"
#include "formats/testing/random_models.h"
#include "formats/testing/reading.h"

namespace treaty::formats::json_test {
namespace {

using testing::RandomModels;

struct Result {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    Loaded loaded;
};

std::unique_ptr<Result> read(std::string text) {
    auto r = std::make_unique<Result>();
    base::FileId file = r->sources.add("model.json", std::move(text));
    r->loaded = read_json(r->sources, file, r->diagnostics);
    return r;
}

std::string faults(std::string text) {
    auto r = read(std::move(text));
    EXPECT_EQ(static_cast<bool>(r->loaded), r->diagnostics.ok());
    return testing::listing(r->sources, r->diagnostics);
}

std::string write_again(const Loaded& loaded) {
    return std::visit(
        [](const auto& model) -> std::string {
            if constexpr (std::is_same_v<std::decay_t<decltype(model)>, std::monostate>)
                return "nothing";
            else
                return write_json(model);
        },
        loaded.model);
}

template <class Model>
void expect_stable(const Model& model) {
    std::string once = write_json(model);
    auto r = read(once);
    ASSERT_TRUE(r->loaded.template get<Model>()) << testing::listing(r->sources, r->diagnostics) << once;
    ASSERT_EQ(write_again(r->loaded), once);
}

TEST(json_property, every_model_reads_back_to_the_same_bytes) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(seed);
        expect_stable(RandomModels(seed).specification());
        expect_stable(RandomModels(seed).machine());
        expect_stable(RandomModels(seed).system());
        expect_stable(RandomModels(seed).net());
    }
}

TEST(json_property, machines_and_nets_are_the_same_models) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        model::Machine m = RandomModels(seed).machine();
        auto r = read(write_json(m));
        const auto* back = r->loaded.get<model::Machine>();
        ASSERT_TRUE(back);
        ASSERT_TRUE(model::same_machine(m, *back));
        ASSERT_EQ(m.has_data(), back->has_data());
        ASSERT_EQ(m.name(), back->name());
        for (std::size_t s = 0; s < m.state_count(); ++s)
            ASSERT_EQ(m.state_name(model::StateId(s)), back->state_name(model::StateId(s)));
        model::Net n = RandomModels(seed).net();
        auto q = read(write_json(n));
        const auto* net = q->loaded.get<model::Net>();
        ASSERT_TRUE(net);
        ASSERT_EQ(n.places().size(), net->places().size());
        for (std::size_t p = 0; p < n.places().size(); ++p)
            ASSERT_EQ(n.places()[p].name, net->places()[p].name);
        ASSERT_TRUE(std::ranges::equal(n.initial(), net->initial()));
        ASSERT_TRUE(std::ranges::equal(n.final(), net->final()));
        for (std::size_t t = 0; t < n.transitions().size(); ++t) {
            const auto &a = n.transitions()[t], &b = net->transitions()[t];
            ASSERT_TRUE(a.label == b.label && a.from == b.from && a.to == b.to && a.clears == b.clears);
        }
    }
}

// Expressions are the same if they print and evaluate the same; the pools differ.
TEST(json_property, guards_keep_their_meaning) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        expr::SmallWorld world;
        expr::RandomExpressions random(world, seed);
        auto alphabet = std::make_shared<model::Alphabet>();
        model::MachineBuilder builder("m", alphabet, {}, world.pool);
        builder.state();
        model::EdgeData data;
        data.guard = random.expression(world.boolean, 6);
        builder.edge(model::StateId(0u), alphabet->silent(), model::StateId(0u), {}, data);
        auto r = read(write_json(*builder.finish()));
        const auto* back = r->loaded.get<model::Machine>();
        ASSERT_TRUE(back);
        expr::ExprId guard = back->data(model::StateId(0u), 0).guard;
        for (int i = 0; i < 5; ++i) {
            expr::Environment environment = random.environment(90);
            auto a = expr::evaluate(*world.pool, data.guard, environment);
            auto b = expr::evaluate(*back->pool(), guard, environment);
            ASSERT_EQ(a.index(), b.index());
            if (auto* value = std::get_if<expr::Value>(&a)) {
                ASSERT_EQ(*value, std::get<expr::Value>(b));
            }
        }
    }
}

TEST(json_property, broken_texts_never_crash_and_good_ones_are_stable) {
    std::vector<std::string> texts;
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
        texts.push_back(write_json(RandomModels(seed).specification()));
        texts.push_back(write_json(RandomModels(seed).machine()));
        texts.push_back(write_json(RandomModels(seed).system()));
        texts.push_back(write_json(RandomModels(seed).net()));
    }
    std::size_t good = 0;
    for (std::uint32_t seed = 0; seed < 4000; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        std::string text = testing::mutated(texts[seed % texts.size()], random, "0123456789-\"{}[]:,abt ");
        auto r = read(text);
        ASSERT_EQ(static_cast<bool>(r->loaded), r->diagnostics.ok());
        if (!r->loaded) continue;
        ++good;
        std::string once = write_again(r->loaded);
        auto back = read(once);
        ASSERT_TRUE(back->loaded) << testing::listing(back->sources, back->diagnostics) << once;
        ASSERT_EQ(write_again(back->loaded), once);
    }
    EXPECT_GT(good, 50u);
}

// Values of the wrong type in every place: each value in turn is replaced by others.
TEST(json_property, every_value_is_checked) {
    const std::string others[] = {"null", "true", "-1", "1000000000000", "\"x\"", "[]", "{}", "[[]]", "0"};
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        RandomModels models(seed);
        for (const std::string& text : {write_json(models.specification()), write_json(models.machine()),
                                        write_json(models.system()), write_json(models.net())}) {
            base::SourceMap sources;
            base::Diagnostics diagnostics;
            auto tree = JsonTree::parse(sources, sources.add("x", text), diagnostics);
            ASSERT_TRUE(tree);
            std::vector<base::Span> spans;
            std::vector<Json> pending{tree->root()};
            while (!pending.empty()) {
                Json at = pending.back();
                pending.pop_back();
                spans.push_back(at.span());
                bool inner = at.kind() == JsonKind::array || at.kind() == JsonKind::object;
                if (inner)
                    for (Json item : at.items()) pending.push_back(item);
            }
            for (std::size_t i = 0; i < spans.size(); i += 1 + spans.size() / 150) {
                std::string changed = text;
                changed.replace(spans[i].begin, spans[i].end - spans[i].begin, others[i % std::size(others)]);
                auto r = read(changed);
                ASSERT_EQ(static_cast<bool>(r->loaded), r->diagnostics.ok());
                ASSERT_TRUE(r->diagnostics.all().empty() || r->diagnostics.all()[0].code->number != 720)
                    << changed;
            }
        }
    }
}

TEST(json_tree, places_and_pointers) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    std::string text = "\n{\"a/b\": [ 1, -2.5e3 ,\"x\\n\" ], \"c~\": {\"d\": null},\"e\":true }";
    auto tree = JsonTree::parse(sources, sources.add("x", text), diagnostics);
    ASSERT_TRUE(tree);
    auto at = [&](Json v) { return std::string(sources.text(v.span())); };
    Json root = tree->root();
    EXPECT_EQ(at(root), text.substr(1));
    std::vector<std::string> items;
    for (Json item : root["a/b"].items()) items.push_back(at(item));
    EXPECT_EQ(items, (std::vector<std::string>{"1", "-2.5e3", "\"x\\n\""}));
    EXPECT_EQ(at(root["c~"]), "{\"d\": null}");
    EXPECT_EQ(at(root["c~"]["d"]), "null");
    EXPECT_EQ(at(root["e"]), "true");
    EXPECT_EQ(root["c~"]["d"].pointer(), "/c~0/d");
    EXPECT_EQ(root["a/b"].first().next().pointer(), "/a~1b/1");
    EXPECT_FALSE(root["nothing"]);
}

TEST(json_tree, hostile_texts) {
    EXPECT_EQ(faults(std::string(200000, '[')), "T0721 1:5001 nested deeper than 5000 levels\n");
    EXPECT_EQ(faults(""), "T0720 1:1 this is not JSON: expected '[', '{', or a literal\n");
    EXPECT_EQ(faults("{\"treaty\": 1"), "T0720 1:12 this is not JSON: expected '}'\n");
    EXPECT_EQ(faults("[1e999]"), "T0720 1:7 this is not JSON\n");
    EXPECT_EQ(faults("{\"treaty\": 1} x").substr(0, 23), "T0720 1:15 this is not ");
    EXPECT_EQ(faults("\"\xff\"").substr(0, 22), "T0720 1:2 this is not ");
}

TEST(json_reader, the_envelope) {
    EXPECT_EQ(faults("[]"), "T0722 1:1 this is not a model of Treaty\n");
    EXPECT_EQ(faults("{}"), "T0722 1:1 this is not a model of Treaty\n");
    EXPECT_EQ(faults("{\"treaty\": 2}"), "T0722 1:12 unknown version of the schema (at /treaty)\n");
    EXPECT_EQ(faults("{\"treaty\": 1}"), "T0722 1:1 unknown kind of model\n");
    EXPECT_EQ(faults("{\"treaty\": 1, \"model\": \"x\"}"), "T0722 1:24 unknown kind of model (at /model)\n");
}

const char* const small = R"({
  "treaty": 1,
  "model": "specification",
  "extra": [1],
  "types": [{"record": "P", "fields": [{"name": "x", "type": "int"}]}, {"enumeration": "E", "members": ["a", "b"]}],
  "variables": [{"name": "n", "type": "int"}, {"name": "p", "type": {"named": "P"}}],
  "functions": [{"name": "f", "parameters": [0], "result": "int", "body": {"var": 0}}],
  "roles": ["A", "B"],
  "messages": [{"name": "m", "fields": [{"name": "v", "type": "int", "variable": 0}]}],
  "protocols": [{"name": "P", "roles": ["A", "B"], "loops": ["L"], "body":
    {"kind": "sequence", "parts": [
      {"kind": "interaction", "from": "A", "to": "B", "message": "m", "arguments": [{"let": 0}]},
      {"kind": "conditional", "condition": {"op": "less", "type": "bool", "args": [{"var": 0}, {"literal": 3, "type": "int"}]},
       "parts": [{"kind": "sequence"}, {"kind": "sequence"}]}]}}]
})";

std::string replaced(std::string what, std::string by) {
    std::string text = small;
    std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}

std::string fault_of(std::string what, std::string by) {
    std::string all = faults(replaced(what, by));
    std::size_t blank = all.find(' ');  // leave out line and column
    return all.empty() ? all : all.substr(0, blank) + all.substr(all.find(' ', blank + 1));
}

TEST(json_reader, reads_a_small_specification) {
    auto r = read(small);
    const auto* s = r->loaded.get<model::Specification>();
    ASSERT_TRUE(s) << testing::listing(r->sources, r->diagnostics);
    EXPECT_EQ(testing::tree(*s), ";(A>B:m conditional(;() ;()))");
    EXPECT_EQ(s->named_types.size(), 2u);
    const model::Protocol& p = s->protocols[0];
    EXPECT_EQ(r->sources.begin(p[model::NodeId(1u)].span).line, 12u);
}

TEST(json_reader, each_fault_has_its_message) {
    EXPECT_EQ(fault_of("\"roles\": [\"A\", \"B\"],\n", "\n"), "T0723 there is no \"roles\"\n");
    EXPECT_EQ(fault_of("\"from\": \"A\", ", ""),
              "T0723 there is no \"from\" (at /protocols/0/body/parts/0)\n");
    EXPECT_EQ(fault_of("\"from\": \"A\"", "\"from\": 3"),
              "T0724 expected a string, found an integer (at /protocols/0/body/parts/0/from)\n");
    EXPECT_EQ(fault_of("\"from\": \"A\"", "\"from\": \"B\""),
              "T0727 a role sends to itself (at /protocols/0/body/parts/0)\n");
    EXPECT_EQ(fault_of("\"from\": \"A\"", "\"from\": \"C\""),
              "T0725 unknown role (at /protocols/0/body/parts/0/from)\n");
    EXPECT_EQ(fault_of("[{\"let\": 0}]", "[{\"let\": 7}]"),
              "T0725 7 is not one of the 2 variables (at /protocols/0/body/parts/0/arguments/0/let)\n");
    EXPECT_EQ(fault_of("[{\"let\": 0}]", "[{\"let\": 1}]"),
              "T0726 expected int (at /protocols/0/body/parts/0/arguments/0/let)\n");
    EXPECT_EQ(fault_of("[{\"let\": 0}]", "[]"),
              "T0727 the message carries 1 fields, not 0 (at /protocols/0/body/parts/0/arguments)\n");
    EXPECT_EQ(fault_of("\"op\": \"less\"", "\"op\": \"and\""),
              "T0726 `and` does not take operands of these types (at /protocols/0/body/parts/1/condition)\n");
    EXPECT_EQ(fault_of("\"op\": \"less\"", "\"op\": \"nonsense\""),
              "T0726 unknown operation (at /protocols/0/body/parts/1/condition/op)\n");
    EXPECT_EQ(fault_of("\"members\": [\"a\", \"b\"]", "\"members\": [\"a\", \"a\"]"),
              "T0728 two members with the same name (at /types/1/members/1)\n");
    EXPECT_EQ(fault_of("{\"name\": \"x\", \"type\": \"int\"}",
                       "{\"name\": \"x\", \"type\": {\"list\": {\"named\": \"P\"}}}"),
              "T0727 a record contains itself (at /types)\n");
    EXPECT_EQ(fault_of("\"body\": {\"var\": 0}",
                       "\"body\": {\"op\": \"call\", \"function\": 0, \"type\": \"int\", "
                       "\"args\": [{\"var\": 0}]}"),
              "T0727 a function calls itself (at /functions)\n");
    EXPECT_EQ(fault_of("{\"kind\": \"sequence\"}", "{\"kind\": \"jump\", \"loop\": 0}"),
              "T0727 a jump outside its recursion (at /protocols/0)\n");
    EXPECT_EQ(fault_of("{\"kind\": \"sequence\"}", "{\"kind\": \"what\"}"),
              "T0724 unknown kind of step (at /protocols/0/body/parts/1/parts/0/kind)\n");
    EXPECT_EQ(fault_of(", {\"kind\": \"sequence\"}]}", "]}"),
              "T0727 a conditional has two parts (at /protocols/0)\n");
    EXPECT_EQ(fault_of("\"loops\": [\"L\"]", "\"loops\": 5"),
              "T0724 expected an array, found an integer (at /protocols/0/loops)\n");
}

TEST(json_reader, depth_is_bounded) {
    std::string open = "{\"kind\": \"sequence\", \"parts\": [", close = "]}";
    auto nest = [&](std::size_t n) {
        std::string body;
        for (std::size_t i = 0; i < n; ++i) body += open;
        for (std::size_t i = 0; i < n; ++i) body += close;
        return replaced("{\"kind\": \"sequence\"}", body);
    };
    EXPECT_TRUE(read(nest(model::Protocol::max_depth - 2))->loaded);
    auto r = read(nest(model::Protocol::max_depth + 5));
    ASSERT_EQ(r->diagnostics.errors(), 1u);
    EXPECT_EQ(r->diagnostics.all()[0].code->number, 721);

    std::string expression = "{\"var\": 0}", type = "\"int\"";
    for (int i = 0; i < 1000; ++i) {
        expression = "{\"op\": \"negate\", \"type\": \"int\", \"args\": [" + expression + "]}";
        type = "{\"list\": " + type + "}";
    }
    EXPECT_EQ(
        read(replaced("{\"literal\": 3, \"type\": \"int\"}", expression))->diagnostics.all()[0].code->number,
        721);
    EXPECT_EQ(read(replaced("\"x\", \"type\": \"int\"", "\"x\", \"type\": " + type))
                  ->diagnostics.all()[0]
                  .code->number,
              721);
}

// Expressions share; text must not multiply them.
TEST(json_writer, shared_expressions_are_written_once) {
    expr::SmallWorld world;
    expr::ExprId e = world.var("i");
    for (int i = 0; i < 200; ++i) e = world.make(expr::Op::add, world.integer, {e, e});
    expr::ExprId guard = world.make(expr::Op::less, world.boolean, {e, e});
    auto alphabet = std::make_shared<model::Alphabet>();
    model::MachineBuilder builder("m", alphabet, {}, world.pool);
    builder.state();
    model::EdgeData data;
    data.guard = guard;
    builder.edge(model::StateId(0u), alphabet->silent(), model::StateId(0u), {}, data);
    model::Machine m = *builder.finish();
    std::string text = write_json(m);
    EXPECT_LT(text.size(), 40000u);
    expect_stable(m);
}

TEST(json_writer, names_of_any_bytes) {
    auto alphabet = std::make_shared<model::Alphabet>();
    model::MachineBuilder builder("\x01\"\\\n", alphabet);
    builder.state(true, "\xff");
    builder.edge(model::StateId(0u), alphabet->plain(std::string("\xc0\x00", 2)), model::StateId(0u));
    model::Machine m = *builder.finish();
    EXPECT_NE(write_json(m).find("{\"hex\": \"c000\"}"), std::string::npos);
    expect_stable(m);
}

TEST(json_writer, looks_like_this) {
    auto alphabet = std::make_shared<model::Alphabet>();
    model::RoleId a = alphabet->role("A"), b = alphabet->role("B");
    model::MachineBuilder builder("A", alphabet, a);
    builder.state();
    builder.state(true);
    builder.edge(model::StateId(0u), alphabet->send(a, b, alphabet->message("hello")), model::StateId(1u));
    EXPECT_EQ(write_json(*builder.finish()), R"({
  "treaty": 1,
  "model": "machine",
  "name": "A",
  "role": "A",
  "alphabet": {
    "roles": ["A", "B"],
    "messages": ["hello"],
    "events": [
      {"kind": "silent"},
      {"kind": "send", "from": "A", "to": "B", "message": "hello"}
    ]
  },
  "states": 2,
  "final": [1],
  "transitions": [
    {"from": 0, "to": 1, "event": 1}
  ]
}
)");
}

TEST(json_ops, every_operator_has_a_name) {
    for (const expr::Operator& o : expr::operators()) {
        EXPECT_FALSE(op_name(o.op).empty());
        EXPECT_EQ(parse_op(op_name(o.op)), o.op);
    }
    EXPECT_FALSE(parse_op("nonsense"));
}

}  // namespace
}  // namespace treaty::formats::json_test
