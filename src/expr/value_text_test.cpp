#include "expr/value_text.h"

#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "expr/datum.h"

namespace treaty::expr {
namespace {

// A document made from a datum: what any JSON library would give for its print().
class Node {
public:
    explicit Node(Datum datum) : datum_(std::make_shared<Datum>(std::move(datum))) {
        // As a document has it: bytes are texts, and so is nothing but UTF-8.
        if (auto* bytes = std::get_if<Bytes>(&datum_->v)) *datum_ = base::to_hex(bytes->data);
        if (auto* text = std::get_if<std::string>(&datum_->v); text && print(*datum_).front() == '{')
            *datum_ = DatumFields{{"hex", base::to_hex(*text)}};
    }
    bool null() const { return std::holds_alternative<std::monostate>(datum_->v); }
    std::optional<bool> boolean() const { return get<bool>(); }
    std::optional<std::int64_t> integer() const { return get<std::int64_t>(); }
    std::optional<double> real() const { return get<double>(); }
    std::optional<std::string_view> text() const {
        auto* text = std::get_if<std::string>(&datum_->v);
        return text ? std::optional<std::string_view>(*text) : std::nullopt;
    }
    std::optional<Node> member(std::string_view key) const {
        if (auto* fields = std::get_if<DatumFields>(&datum_->v))
            for (const auto& [name, value] : *fields)
                if (name == key) return Node(value);
        return std::nullopt;
    }
    std::optional<std::size_t> members() const {
        auto* fields = std::get_if<DatumFields>(&datum_->v);
        return fields ? std::optional(fields->size()) : std::nullopt;
    }
    template <class F>
    bool items(F&& f) const {
        auto* list = std::get_if<DatumList>(&datum_->v);
        if (!list) return false;
        for (const Datum& item : *list)
            if (!f(Node(item))) return false;
        return true;
    }

    template <class F>
    bool each_member(F&& f) const {
        auto* fields = std::get_if<DatumFields>(&datum_->v);
        if (!fields) return false;
        for (const auto& [name, value] : *fields)
            if (!f(std::string_view(name), Node(value))) return false;
        return true;
    }

private:
    template <class T>
    std::optional<T> get() const {
        auto* value = std::get_if<T>(&datum_->v);
        return value ? std::optional(*value) : std::nullopt;
    }
    std::shared_ptr<Datum> datum_;
};

struct ValueText : ::testing::Test {
    base::Names names;
    Types types;
    TypeId colour = types.enumeration(names.intern("Colour"), {names.intern("red"), names.intern("green")});
    TypeId point = types.record(names.intern("Point"), {{names.intern("x"), types.integer()},
                                                        {names.intern("y"), types.optional(types.real())}});

    std::optional<Value> of(const Datum& datum, TypeId type, OtherMembers others = OtherMembers::refused) {
        return JsonValues<Node>(types, names, others).read(Node(datum), type);
    }
};

TEST_F(ValueText, ScalarsAreReadFromPlainText) {
    auto text = [&](const char* written, TypeId type) { return value_of_text(written, type, types, names); };
    EXPECT_EQ(text("-3", types.integer()), Value(std::int64_t{-3}));
    EXPECT_EQ(text("2.5", types.real()), Value(2.5));
    EXPECT_EQ(text("true", types.boolean()), Value(true));
    EXPECT_EQ(text("", types.string()), Value(std::string()));
    EXPECT_EQ(text("00fF", types.bytes()), Value(Bytes{std::string("\0\xff", 2)}));
    EXPECT_EQ(text("green", colour), Value(EnumMember{1}));
    for (const char* wrong : {"", " 3", "3 ", "3.0", "0x3", "9223372036854775808"})
        EXPECT_FALSE(text(wrong, types.integer())) << wrong;
    EXPECT_FALSE(text("True", types.boolean()));
    EXPECT_FALSE(text("0", types.bytes()));
    EXPECT_FALSE(text("blue", colour));
    EXPECT_FALSE(text("[]", types.list(types.integer())));
}

TEST_F(ValueText, ReadingADatumIsTheInverseOfMakingIt) {
    std::vector<std::pair<TypeId, Value>> all{
        {types.boolean(), true},
        {types.integer(), std::int64_t{-7}},
        {types.real(), 0.5},
        {types.string(), std::string("caf\xc3\xa9 \"\n")},
        {types.string(), std::string("\x9f")},  // not UTF-8
        {types.bytes(), Bytes{"\x9f"}},
        {colour, EnumMember{1}},
        {types.optional(colour), Sequence{}},
        {types.optional(colour), Sequence{{Value(EnumMember{0})}}},
        {types.list(types.string()), Sequence{{Value(std::string("a")), Value(std::string("\xff"))}}},
        {point, Sequence{{Value(std::int64_t{1}), Value(Sequence{{Value(2.5)}})}}}};
    for (const auto& [type, value] : all) {
        Datum datum = datum_of(value, type, types, names);
        EXPECT_EQ(of(datum, type), value) << print(datum);
        // No two types of these take the same document for different values of their own.
        for (const auto& [other, unused] : all)
            if (auto read = of(datum, other)) {
                EXPECT_TRUE(belongs(*read, other, types)) << print(datum);
            }
    }
}

TEST_F(ValueText, RecordsHaveAllTheirFieldsAndOthersOnlyWhereAllowed) {
    DatumFields whole{{"y", Datum()}, {"x", 1}}, more = whole, less{{"x", 1}};
    more.emplace_back("z", 3);
    Value value = Sequence{{Value(std::int64_t{1}), Value(Sequence{})}};
    EXPECT_EQ(of(whole, point), value);
    EXPECT_FALSE(of(more, point));
    EXPECT_EQ(of(more, point, OtherMembers::ignored), value);
    EXPECT_FALSE(of(less, point, OtherMembers::ignored));
    EXPECT_FALSE(of(DatumFields{{"hex", "9f"}, {"more", 1}}, types.string(), OtherMembers::ignored));
}

}  // namespace
}  // namespace treaty::expr
