// Protobuf against its own library, over random .proto files: what the library writes is read as the same
// values and written again as the same bytes; what is made from the types is read by the library as it was
// meant; and damaged bytes are refused by both, or are the same values for both. Where Treaty refuses more,
// docs/wires.md says so: numbers of 64 bits, numbers that an enumeration does not have, strings of proto2.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <google/protobuf/compiler/parser.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/message_differencer.h>

#include "expr/collections.h"
#include "formats/testing/documents.h"
#include "wire/codec.h"
#include "wire/sampler.h"
#include "wire/shapes.h"
#include "wire_world.h"

namespace treaty {
namespace {

namespace pb = google::protobuf;
using expr::Value;

std::uint64_t scaled(std::uint64_t n) {
    const char* text = std::getenv("TREATY_TEST_SCALE");
    double scale = text ? std::strtod(text, nullptr) : 1;
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(n) * scale));
}

// --- random .proto files

class Draft {
public:
    explicit Draft(Random& random) : random_(random), proto3_(below(random, 2) == 0) {}

    std::string write() {
        std::string text = fmt::format("syntax = \"proto{}\";\npackage p;\n", proto3_ ? 3 : 2);
        for (int i = 0; i < 2; ++i) text += enumeration(i);
        messages_ = 1 + static_cast<int>(below(random_, 4));
        for (int i = 0; i < messages_; ++i) text += message(i);
        return text;
    }

private:
    std::string enumeration(int i) {
        std::string members;
        bool zero = proto3_ || below(random_, 2) == 0;
        std::set<std::int32_t> numbers;
        for (int k = 0; k < 3; ++k) {
            std::int32_t n = k == 0 && zero ? 0 : number();
            if (numbers.insert(n).second) members += fmt::format(" E{}_{} = {};", i, k, n);
        }
        return fmt::format("enum E{} {{{} }}\n", i, members);
    }

    std::int32_t number() {
        static constexpr std::int32_t edges[] = {-1, 1, 2, 127, 128, -2147483647 - 1, 2147483647, 300};
        return edges[below(random_, std::size(edges))];
    }

    std::string message(int i) {
        std::string fields;
        numbers_.clear();
        std::size_t count = below(random_, 6);
        for (std::size_t k = 0; k < count; ++k) fields += field(i, k);
        if (below(random_, 3) == 0) {
            fields += "  oneof choice {\n";
            for (std::size_t k = 0; k < 1 + below(random_, 3); ++k)
                fields += fmt::format("    {} c{} = {};\n", type(i), k, field_number());
            fields += "  }\n";
        }
        return fmt::format("message M{} {{\n{}}}\n", i, fields);
    }

    std::string field(int i, std::size_t k) {
        std::string of = type(i);
        if (below(random_, 6) == 0) {
            static constexpr const char* keys[] = {"int32",    "int64",    "uint32",  "uint64",
                                                   "sint32",   "sint64",   "fixed32", "fixed64",
                                                   "sfixed32", "sfixed64", "bool",    "string"};
            if (!proto3_ && of.starts_with('E')) of = "double";  // values of a map need a member 0
            return fmt::format("  map<{}, {}> f{} = {};\n", keys[below(random_, std::size(keys))], of, k,
                               field_number());
        }
        std::size_t label = below(random_, 3);
        std::string text = fmt::format("  {}{} f{} = {}",
                                       label == 0   ? "repeated "
                                       : label == 1 ? "optional "
                                       : proto3_    ? ""
                                                    : "required ",
                                       of, k, field_number());
        bool packable = of != "string" && of != "bytes" && !of.starts_with("M");
        if (label == 0 && packable && below(random_, 2) == 0)
            text += fmt::format(" [packed = {}]", below(random_, 2) == 0 ? "true" : "false");
        return text + ";\n";
    }

    std::string type(int i) {
        static constexpr const char* scalars[] = {"int32",  "int64",   "uint32",  "uint64",   "sint32",
                                                  "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64",
                                                  "float",  "double",  "bool",    "string",   "bytes"};
        std::size_t k = below(random_, std::size(scalars) + 5);
        if (k < std::size(scalars)) return scalars[k];
        if (k < std::size(scalars) + 2 || i == 0) return fmt::format("E{}", below(random_, 2));
        return fmt::format("M{}", below(random_, static_cast<std::size_t>(i)));
    }

    int field_number() {
        static constexpr std::size_t ranges[] = {15, 2047, 18999, 536870911};
        int n = 0;
        do n = 1 + static_cast<int>(below(random_, ranges[below(random_, std::size(ranges))]));
        while ((n >= 19000 && n < 20000) || !numbers_.insert(n).second);
        return n;
    }

    Random& random_;
    bool proto3_;
    int messages_ = 0;
    std::set<int> numbers_;
};

// --- random messages of the library

class Filler {
public:
    explicit Filler(Random& random) : random_(random) {}

    void fill(pb::Message& m) {
        const pb::Descriptor& d = *m.GetDescriptor();
        std::set<const pb::OneofDescriptor*> chosen;
        for (int i = 0; i < d.field_count(); ++i) {
            const pb::FieldDescriptor& f = *d.field(i);
            if (f.is_map())
                map(m, f);
            else if (f.is_repeated())
                for (std::size_t n = below(random_, 4); n > 0; --n) set(m, f);
            else if (f.is_required() ||
                     (below(random_, 3) > 0 &&
                      (!f.real_containing_oneof() || chosen.insert(f.real_containing_oneof()).second)))
                set(m, f);
        }
    }

private:
    void map(pb::Message& m, const pb::FieldDescriptor& f) {
        std::set<std::string> keys;
        for (std::size_t n = below(random_, 4); n > 0; --n) {
            pb::Message* entry = m.GetReflection()->AddMessage(&m, &f);
            set(*entry, *f.message_type()->map_key());
            if (keys.insert(entry->SerializePartialAsString()).second)
                set(*entry, *f.message_type()->map_value());
            else
                m.GetReflection()->RemoveLast(&m, &f);
        }
    }

    void set(pb::Message& m, const pb::FieldDescriptor& f) {
        const pb::Reflection& r = *m.GetReflection();
        bool add = f.is_repeated();
        auto put = [&](auto value, auto set_it, auto add_it) {
            add ? (r.*add_it)(&m, &f, value) : (r.*set_it)(&m, &f, value);
        };
        switch (f.cpp_type()) {
            case pb::FieldDescriptor::CPPTYPE_INT32:
                put(static_cast<std::int32_t>(integer()), &pb::Reflection::SetInt32,
                    &pb::Reflection::AddInt32);
                break;
            case pb::FieldDescriptor::CPPTYPE_INT64:
                put(static_cast<std::int64_t>(integer()), &pb::Reflection::SetInt64,
                    &pb::Reflection::AddInt64);
                break;
            case pb::FieldDescriptor::CPPTYPE_UINT32:
                put(static_cast<std::uint32_t>(integer()), &pb::Reflection::SetUInt32,
                    &pb::Reflection::AddUInt32);
                break;
            case pb::FieldDescriptor::CPPTYPE_UINT64:
                put(static_cast<std::uint64_t>(integer()) >> 1, &pb::Reflection::SetUInt64,
                    &pb::Reflection::AddUInt64);
                break;
            case pb::FieldDescriptor::CPPTYPE_FLOAT:
                put(static_cast<float>(real()), &pb::Reflection::SetFloat, &pb::Reflection::AddFloat);
                break;
            case pb::FieldDescriptor::CPPTYPE_DOUBLE:
                put(real(), &pb::Reflection::SetDouble, &pb::Reflection::AddDouble);
                break;
            case pb::FieldDescriptor::CPPTYPE_BOOL:
                put(below(random_, 2) == 0, &pb::Reflection::SetBool, &pb::Reflection::AddBool);
                break;
            case pb::FieldDescriptor::CPPTYPE_ENUM: {
                int k =
                    static_cast<int>(below(random_, static_cast<std::size_t>(f.enum_type()->value_count())));
                put(f.enum_type()->value(k), &pb::Reflection::SetEnum, &pb::Reflection::AddEnum);
                break;
            }
            case pb::FieldDescriptor::CPPTYPE_STRING: {
                std::string value = text(f.type() == pb::FieldDescriptor::TYPE_BYTES);
                add ? r.AddString(&m, &f, value) : r.SetString(&m, &f, value);
                break;
            }
            case pb::FieldDescriptor::CPPTYPE_MESSAGE:
                fill(add ? *r.AddMessage(&m, &f) : *r.MutableMessage(&m, &f));
        }
    }

    std::int64_t integer() {
        static constexpr std::int64_t edges[] = {0,   1,         -1,        127,       128,
                                                 300, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
        return below(random_, 2) == 0 ? edges[below(random_, std::size(edges))]
                                      : static_cast<std::int64_t>(random_());
    }
    double real() {
        static const double edges[] = {0, -0.0, 1, -1.5, 1e10, 0.1, std::numeric_limits<double>::infinity()};
        return edges[below(random_, std::size(edges))];
    }
    std::string text(bool bytes) {
        static constexpr const char* parts[] = {"", "a", "item", "\u00e9", "\U0001f600", " ", "\n"};
        std::string out;
        for (std::size_t n = below(random_, 4); n > 0; --n)
            out += bytes ? std::string(1, static_cast<char>(random_()))
                         : parts[below(random_, std::size(parts))];
        return out;
    }

    Random& random_;
};

// --- messages of the library as values of Treaty; nothing where Treaty has no such value

std::optional<Value> value_of(const pb::Message& m);

std::optional<Value> value_of(const pb::Message& m, const pb::FieldDescriptor& f, int index) {
    const pb::Reflection& r = *m.GetReflection();
    bool at = index >= 0;
    switch (f.cpp_type()) {
        case pb::FieldDescriptor::CPPTYPE_INT32:
            return Value(std::int64_t{at ? r.GetRepeatedInt32(m, &f, index) : r.GetInt32(m, &f)});
        case pb::FieldDescriptor::CPPTYPE_INT64:
            return Value(std::int64_t{at ? r.GetRepeatedInt64(m, &f, index) : r.GetInt64(m, &f)});
        case pb::FieldDescriptor::CPPTYPE_UINT32:
            return Value(std::int64_t{at ? r.GetRepeatedUInt32(m, &f, index) : r.GetUInt32(m, &f)});
        case pb::FieldDescriptor::CPPTYPE_UINT64: {
            std::uint64_t n = at ? r.GetRepeatedUInt64(m, &f, index) : r.GetUInt64(m, &f);
            if (n > INT64_MAX) return std::nullopt;
            return Value(static_cast<std::int64_t>(n));
        }
        case pb::FieldDescriptor::CPPTYPE_FLOAT:
            return Value(double{at ? r.GetRepeatedFloat(m, &f, index) : r.GetFloat(m, &f)});
        case pb::FieldDescriptor::CPPTYPE_DOUBLE:
            return Value(at ? r.GetRepeatedDouble(m, &f, index) : r.GetDouble(m, &f));
        case pb::FieldDescriptor::CPPTYPE_BOOL:
            return Value(at ? r.GetRepeatedBool(m, &f, index) : r.GetBool(m, &f));
        case pb::FieldDescriptor::CPPTYPE_ENUM: {
            int n = at ? r.GetRepeatedEnumValue(m, &f, index) : r.GetEnumValue(m, &f);
            const pb::EnumValueDescriptor* v = f.enum_type()->FindValueByNumber(n);
            if (!v) return std::nullopt;
            return Value(expr::EnumMember{static_cast<std::uint32_t>(v->index())});
        }
        case pb::FieldDescriptor::CPPTYPE_STRING: {
            std::string s = at ? r.GetRepeatedString(m, &f, index) : r.GetString(m, &f);
            if (f.type() == pb::FieldDescriptor::TYPE_BYTES) return Value(expr::Bytes{std::move(s)});
            return Value(std::move(s));
        }
        case pb::FieldDescriptor::CPPTYPE_MESSAGE:
            return value_of(at ? r.GetRepeatedMessage(m, &f, index) : r.GetMessage(m, &f));
    }
    return std::nullopt;
}

std::optional<Value> value_of(const pb::Message& m, const pb::FieldDescriptor& f) {
    const pb::Reflection& r = *m.GetReflection();
    if (f.is_map()) {
        std::vector<Value> all;
        for (int i = 0; i < r.FieldSize(m, &f); ++i) {
            const pb::Message& entry = r.GetRepeatedMessage(m, &f, i);
            auto key = value_of(entry, *f.message_type()->map_key(), -1);
            auto value = value_of(entry, *f.message_type()->map_value(), -1);
            if (!key || !value) return std::nullopt;
            all.push_back(std::move(*key));
            all.push_back(std::move(*value));
        }
        return Value(expr::map_of(std::move(all)));
    }
    expr::Sequence many;
    if (f.is_repeated()) {
        for (int i = 0; i < r.FieldSize(m, &f); ++i) {
            auto one = value_of(m, f, i);
            if (!one) return std::nullopt;
            many.items.push_back(std::move(*one));
        }
        return Value(std::move(many));
    }
    if (f.is_required() || !f.has_presence()) return value_of(m, f, -1);
    if (r.HasField(m, &f)) {
        auto one = value_of(m, f, -1);
        if (!one) return std::nullopt;
        many.items.push_back(std::move(*one));
    }
    return Value(std::move(many));
}

std::optional<Value> value_of(const pb::Message& m) {
    expr::Sequence record;
    for (int i = 0; i < m.GetDescriptor()->field_count(); ++i) {
        auto one = value_of(m, *m.GetDescriptor()->field(i));
        if (!one) return std::nullopt;
        record.items.push_back(std::move(*one));
    }
    return Value(std::move(record));
}

// --- both sides of one file

struct Both {
    std::string text;
    std::unique_ptr<formats::testing::LoadedDocument> read;
    pb::DescriptorPool pool;
    pb::DynamicMessageFactory factory{&pool};
    const pb::FileDescriptor* file = nullptr;
    std::vector<wire::MessageShape> shapes;
    std::vector<wire::MessageRules> rules;

    explicit Both(std::string proto) : text(std::move(proto)) {
        read = formats::testing::load_document({{"p.proto", text}}, "p.proto");
        pb::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
        pb::io::Tokenizer tokenizer(&stream, nullptr);
        pb::compiler::Parser parser;
        pb::FileDescriptorProto proto_file;
        if (parser.Parse(&tokenizer, &proto_file)) {
            proto_file.set_name("p.proto");
            file = pool.BuildFile(proto_file);
        }
        if (!spec()) return;
        shapes = wire::message_shapes(*spec());
        rules = wire::message_rules(*spec());
    }

    model::Specification* spec() { return std::get_if<model::Specification>(&read->loaded.model); }
    bool proto2() const { return file->syntax() == pb::FileDescriptor::SYNTAX_PROTO2; }
    std::unique_ptr<pb::Message> make(int i) {
        return std::unique_ptr<pb::Message>(factory.GetPrototype(file->message_type(i))->New());
    }
};

std::string serialized(const pb::Message& m) {
    std::string out;
    {
        pb::io::StringOutputStream stream(&out);
        pb::io::CodedOutputStream coded(&stream);
        coded.SetSerializationDeterministic(true);
        m.SerializePartialToCodedStream(&coded);
    }
    return out;
}

std::string with_length(std::string_view bytes) {
    std::string out;
    std::size_t n = bytes.size();
    do {
        out += static_cast<char>((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
        n >>= 7;
    } while (n > 0);
    out += bytes;
    return out;
}

// The values, or why there are none.
struct Read {
    std::optional<std::vector<Value>> values;
    std::string reason;
};

Read decoded(const wire::Codec& codec, std::string_view bytes, Random* cuts) {
    std::string whole = with_length(bytes);
    wire::Decoder decoder(codec);
    wire::Decoded out;
    for (std::string_view rest = whole; !rest.empty();) {
        std::size_t n = cuts ? 1 + below(*cuts, rest.size()) : rest.size();
        decoder.feed(rest.substr(0, n));
        rest.remove_prefix(n);
        if (rest.empty()) decoder.finish();
        switch (decoder.next(out)) {
            case wire::DecodeStatus::message: return {decoder.values(out), {}};
            case wire::DecodeStatus::fault: return {std::nullopt, decoder.fault().reason};
            default: break;
        }
    }
    return {std::nullopt, "more bytes are needed"};
}

std::string shown(std::string_view bytes) {
    std::string out;
    for (char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return out;
}

// As the library writes them.
void check_written(Both& both, const wire::Codec& codec, wire::MessageIndex m, int type, Random& random) {
    auto message = both.make(type);
    Filler(random).fill(*message);
    std::string bytes = serialized(*message);
    Read read = decoded(codec, bytes, &random);
    ASSERT_TRUE(read.values) << read.reason << "\n" << shown(bytes) << "\n" << message->DebugString();
    auto wanted = value_of(*message);
    ASSERT_TRUE(wanted);
    ASSERT_EQ(expr::Sequence{*read.values}, std::get<expr::Sequence>(wanted->v)) << shown(bytes) << "\n"
                                                                                 << message->DebugString();
    std::string again;
    auto fault = wire::Encoder(codec).encode(m, *read.values, again);
    ASSERT_FALSE(fault) << fault->reason;
    ASSERT_EQ(shown(again), shown(with_length(bytes))) << message->DebugString();
}

// As Treaty makes them.
void check_made(Both& both, const wire::Codec& codec, wire::MessageIndex m, int type, std::uint64_t seed) {
    wire::Sampler sampler(*both.spec()->pool, both.rules[m], &codec);
    for (std::uint64_t n = 0; n < 3; ++n) {
        wire::Made made = sampler.valid(seed, n);
        ASSERT_EQ(made.found, solve::Found::yes) << made.reason;
        auto message = both.make(type);
        pb::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(made.bytes.data()),
                                    static_cast<int>(made.bytes.size()));
        std::uint32_t size = 0;
        ASSERT_TRUE(in.ReadVarint32(&size));
        std::string bytes = made.bytes.substr(static_cast<std::size_t>(in.CurrentPosition()));
        ASSERT_EQ(bytes.size(), size);
        ASSERT_TRUE(message->ParseFromString(bytes)) << shown(bytes);
        auto wanted = value_of(*message);
        ASSERT_TRUE(wanted) << shown(bytes);
        ASSERT_EQ(expr::Sequence{made.values}, std::get<expr::Sequence>(wanted->v)) << message->DebugString();
        ASSERT_EQ(shown(serialized(*message)), shown(bytes)) << message->DebugString();
    }
}

std::string damaged(std::string bytes, Random& random) {
    for (std::size_t n = 1 + below(random, 3); n > 0; --n) {
        std::size_t at = below(random, bytes.size() + 1);
        switch (below(random, 5)) {
            case 0: bytes.insert(at, 1, static_cast<char>(random())); break;
            case 1: bytes = bytes.substr(0, at); break;
            case 2: bytes.insert(at, bytes.substr(0, at)); break;
            case 3: bytes += bytes.substr(at); break;
            default:
                if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(random, 8));
        }
    }
    return bytes;
}

// Whether all required fields are there. The library does not look at the value of an entry of a map that has
// none, which is an empty message.
bool is_complete(const pb::Message& m) {
    const pb::Reflection& r = *m.GetReflection();
    for (int i = 0; i < m.GetDescriptor()->field_count(); ++i) {
        const pb::FieldDescriptor& f = *m.GetDescriptor()->field(i);
        if (f.is_required() && !r.HasField(m, &f)) return false;
        if (f.cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
        bool in_map = m.GetDescriptor()->options().map_entry();
        int count = f.is_repeated() ? r.FieldSize(m, &f) : r.HasField(m, &f) || in_map ? 1 : 0;
        for (int k = 0; k < count; ++k)
            if (!is_complete(f.is_repeated() ? r.GetRepeatedMessage(m, &f, k) : r.GetMessage(m, &f)))
                return false;
    }
    return true;
}

// As nobody writes them.
void check_damaged(Both& both, const wire::Codec& codec, int type, Random& random) {
    auto message = both.make(type);
    Filler(random).fill(*message);
    std::string bytes = damaged(serialized(*message), random);
    auto other = both.make(type);
    bool accepted = other->ParsePartialFromString(bytes) && is_complete(*other);
    Read read = decoded(codec, bytes, nullptr);
    std::string told = fmt::format("{}\n{}\nthe library: {}\n{}", both.text, shown(bytes), accepted,
                                   accepted ? other->DebugString() : "");
    auto wanted = accepted ? value_of(*other) : std::nullopt;
    if (read.values) {
        ASSERT_TRUE(accepted) << told;
        ASSERT_TRUE(wanted) << told;
        ASSERT_EQ(expr::Sequence{*read.values}, std::get<expr::Sequence>(wanted->v)) << told;
        return;
    }
    // What Treaty does not have, also where a later value hides it.
    bool known = read.reason.find("more than 63 bits") != std::string::npos ||
                 read.reason.find("not one of its values") != std::string::npos ||
                 (both.proto2() && read.reason.find("UTF-8") != std::string::npos);
    ASSERT_TRUE(!accepted || known) << read.reason << "\n" << told;
}

TEST(Protobuf, ReadsAndWritesAsItsLibraryDoes) {
    pb::LogSilencer silence;
    std::uint64_t files = scaled(3000);
    for (std::uint64_t seed = 1; seed <= files; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        Random random(seed);
        Both both(Draft(random).write());
        SCOPED_TRACE(both.text);
        ASSERT_TRUE(both.spec()) << both.read->told();
        ASSERT_TRUE(both.file);
        for (int type = 0; type < both.file->message_type_count(); ++type) {
            std::string name = fmt::format("m{}", type);
            wire::MessageIndex m = both.spec()->alphabet->find_message(name).index;
            const model::Wire* wire = nullptr;
            for (const model::Wire& w : both.spec()->wires)
                if (w.layouts.size() == 1 && w.layouts[0].message.index == m) wire = &w;
            ASSERT_TRUE(wire);
            wire::Codec codec(*both.spec()->pool, *wire, both.shapes);
            for (int k = 0; k < 8; ++k) check_written(both, codec, m, type, random);
            check_made(both, codec, m, type, seed);
            for (int k = 0; k < 60; ++k) check_damaged(both, codec, type, random);
            if (HasFatalFailure()) return;
        }
    }
}

// Two bytes can be a record with all its fields.
TEST(Protobuf, WhatFewBytesCanAskForIsBounded) {
    WireWorld world(
        "record Wide { a: int, b: int, c: int, d: int, e: string }\n"
        "message m(xs: list<Wide>)\n"
        "wire W over length-prefixed 4 { m(xs) = protobuf { 1: message xs { 1: int32 a, 2: int32 b, 3: int32 "
        "c, "
        "4: int32 d, 5: string e } }\n }\n");
    wire::Codec codec(*world.read->pool, world.read->wires[0], world.shapes);
    auto status = [&](std::size_t elements) {
        std::string bytes = {0, 0, 0, static_cast<char>(2 * elements)};
        for (std::size_t k = 0; k < elements; ++k) bytes += std::string("\x0a\x00", 2);
        wire::Limits limits;
        limits.items = 60;
        wire::Decoder decoder(codec, limits);
        decoder.feed(bytes);
        wire::Decoded out;
        return decoder.next(out);
    };
    EXPECT_EQ(status(10), wire::DecodeStatus::message);
    EXPECT_EQ(status(11), wire::DecodeStatus::fault);
}

}  // namespace
}  // namespace treaty
