// Every decoder, on any bytes: the first byte chooses a wire of the library, the second the cut into chunks.
// Whole or cut, the same messages and the same fault come out, the fault is within the bytes, and what was
// read and can be written is read again as the same.
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/check.h"
#include "formats/import.h"
#include "lang/read.h"
#include "wire/codec.h"
#include "wire/shapes.h"

namespace treaty::fuzz {
namespace {

struct Loaded {
    model::Specification specification;
    std::vector<wire::Codec> codecs;
};

// All wires of the library, and some with all that a layout can have.
const std::vector<const wire::Codec*>& codecs() {
    static std::deque<Loaded> loaded;
    static std::vector<const wire::Codec*> all;
    if (!all.empty()) return all;
    std::vector<std::string> texts;
    for (std::string_view name : formats::library_names()) texts.emplace_back(formats::library_text(name));
    texts.emplace_back(
        "message m(a: int in 0..9, xs: list<bytes>, t: string)\n"
        "wire W over length-prefixed 2 { m(a, xs, t) = { a: 16 little n: varint = size(xs) repeat n { k: 8 = "
        "size(xs) xs: bytes k xor 0x\"a5\" } block 8 { t: bytes rest } } }\n");
    texts.emplace_back(
        "message s(k: int in 0..255, p: bytes)\n"
        "wire S over stream { s(k, p) = { c: 16 little = crc16(b) b: part { k: 8 block varint { h: 32 = "
        "crc32(p) p: "
        "bytes rest } } n: 8 x: bytes n as base64 y: line \"\\n\" as hex check k != 9 z: bytes 4 = "
        "0x\"01020304\" as "
        "reversed } }\n");
    texts.emplace_back(
        "message t(ks: list<int in 0..255>, ns: list<int>)\n"
        "wire T over stream { t(ks, ns) = { repeat 1 more (if ks == 1 then ns else 0) { ks: 8 if ks < 3 { "
        "ns: 16 } } } "
        "}\n");
    texts.emplace_back(
        "message e(a: string)\nmessage end\n"
        "wire E over lines \"\\n\" escapes \"%\" as \"%%\", \"\\n\" as \"%n\", \".\" at start as \"..\" { "
        "end = "
        "\".\"\n e(a) = a:/[ -~\\n]*/\n }\n");
    texts.emplace_back(
        "record P { x: int in 0..9, y: optional<string> }\nmessage d(n: int, p: P, ps: list<P>, o: "
        "optional<bool>, b: "
        "bytes)\nmessage e(s: string)\n"
        "wire D over lines \"\\n\" { d(n, p, ps, o, b) = json { \"type\": \"d\", \"n\": n, \"p\": [p.x, { "
        "\"y\": "
        "p.y }], "
        "\"ps\": [{ \"a\": q.x, optional \"b\": q.y } for q in ps], optional \"o\": o, \"b\": b as base64 "
        "}\n e(s) = json "
        "{ \"type\": \"e\", \"s\": s, ... }\n }\n");
    texts.emplace_back(
        "record P { x: int in 0..9, y: optional<string> }\nmessage ask(id: string, n: int, q: optional<int>, "
        "tags: "
        "list<string>, h: optional<string>)\nmessage told(code: int, p: P)\nmessage put(a: string, b: "
        "bytes)\nmessage "
        "sent(t: string)\nmessage gone\n"
        "wire H over http { ask(id, n, q, tags, h) = POST \"/i/{id}/x-{n}?q={q}&t={tags}\" header \"X-H\" = "
        "h json { "
        "}\n told(code, p) = code: 4xx json { \"p\": p, ... }\n put(a, b) = PUT \"/{a}?...\" bytes b\n "
        "sent(t) = 2xx text "
        "t\n gone = 500..599 ...\n }\n");
    texts.emplace_back(
        "enum K { a, b }\nrecord R { s: string, k: K, xs: list<int> }\nmessage p(id: int, k: K, r: "
        "optional<R>, rs: list<R>, m: map<string, R>, c: optional<real>, d: optional<bytes>, f: list<real>)\n"
        "message q(n: int in 0..9)\n"
        "wire P over length-prefixed 2 { p(id, k, r, rs, m, c, d, f) = protobuf { 1: required sint64 id, 2: "
        "enum k { a = 0, b = -1 }, 3: message r { 1: string s, 2: closed enum k { a = 0, b = 5 }, 3: uint32 "
        "xs, ... }, 4: message rs { 1: string s, 2: enum k { a = 0, b = 5 }, 3: expanded fixed64 xs }, 5: "
        "map<string, message> m { 1: string s, 2: enum k { a = 0, b = 5 }, 3: sfixed32 xs }, oneof { 6: "
        "double c, 7: bytes d }, 8: float f, ... }\n q(n) = { block 8 { \"q\" } block varint { protobuf { 1: "
        "uint64 n } } }\n }\n");
    for (std::string& text : texts) {
        base::SourceMap sources;
        base::Diagnostics diagnostics;
        auto specification = lang::read(sources, sources.add("library.treaty", std::move(text)), diagnostics);
        TREATY_CHECK(specification.has_value());
        loaded.push_back({std::move(*specification), {}});
        Loaded& l = loaded.back();
        auto shapes = wire::message_shapes(l.specification);
        for (const wire::Wire& w : l.specification.wires)
            l.codecs.emplace_back(*l.specification.pool, w, shapes);
    }
    for (const Loaded& l : loaded)
        for (const wire::Codec& c : l.codecs) all.push_back(&c);
    return all;
}

struct Seen {
    std::uint32_t message = 0;
    std::uint64_t end = 0;
    std::vector<expr::Value> values;
    friend bool operator==(const Seen&, const Seen&) = default;
};

struct Outcome {
    std::vector<Seen> messages;
    std::uint64_t fault = 0;
    std::string reason;
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome decode(const wire::Codec& codec, std::string_view bytes, std::size_t chunk) {
    wire::Limits limits;
    limits.message_bytes = 4096;
    limits.items = 1000;
    wire::Decoder decoder(codec, limits);
    decoder.explain(chunk == 0);
    Outcome out;
    wire::Decoded message;
    wire::DecodeStatus status = wire::DecodeStatus::more;
    auto drain = [&] {
        while ((status = decoder.next(message)) == wire::DecodeStatus::message)
            out.messages.push_back({message.message, message.end, decoder.values(message)});
    };
    for (std::size_t at = 0; at < bytes.size() && status != wire::DecodeStatus::fault;) {
        std::size_t n = chunk == 0 ? bytes.size() : std::min(chunk, bytes.size() - at);
        decoder.feed(bytes.substr(at, n));
        drain();
        at += n;
    }
    if (status != wire::DecodeStatus::fault) {
        decoder.finish();
        drain();
    }
    if (status == wire::DecodeStatus::fault) {
        out.fault = decoder.fault().offset;
        out.reason = decoder.fault().reason;
        TREATY_CHECK(!out.reason.empty() && out.fault <= bytes.size());
    }
    return out;
}

}  // namespace
}  // namespace treaty::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace treaty;
    if (size < 2) return 0;
    const auto& all = fuzz::codecs();
    const wire::Codec& codec = *all[data[0] % all.size()];
    std::string_view bytes(reinterpret_cast<const char*>(data) + 2, std::min<std::size_t>(size - 2, 20000));
    const fuzz::Outcome whole = fuzz::decode(codec, bytes, 0);
    const fuzz::Outcome parts = fuzz::decode(codec, bytes, 1 + data[1] % 16);
    TREATY_CHECK(whole == parts);
    wire::Encoder encoder(codec);
    for (const fuzz::Seen& seen : whole.messages) {
        std::string again;
        if (encoder.encode(seen.message, seen.values, again)) continue;
        wire::Decoder decoder(codec);
        decoder.expect(std::array{seen.message});
        decoder.feed(again);
        decoder.finish();
        wire::Decoded message;
        TREATY_CHECK(decoder.next(message) == wire::DecodeStatus::message);
        TREATY_CHECK(decoder.values(message) == seen.values);
    }
    return 0;
}
