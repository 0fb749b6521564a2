#include "watch/saved.h"

#include <bit>

#include "watch/record.h"

namespace treaty::watch {

namespace {

constexpr int deepest_value = 100;

}  // namespace

void Saver::number(std::uint64_t n) {
    for (; n >= 128; n >>= 7) out_ += static_cast<char>(n | 128);
    out_ += static_cast<char>(n);
}

void Saver::text(std::string_view t) {
    number(t.size());
    out_ += t;
}

void Saver::value(const expr::Value& v) {
    number(v.v.index());
    if (auto* i = std::get_if<std::int64_t>(&v.v)) return signed_number(*i);
    if (auto* b = std::get_if<bool>(&v.v)) return number(*b);
    if (auto* d = std::get_if<double>(&v.v)) return number(std::bit_cast<std::uint64_t>(*d));
    if (auto* s = std::get_if<std::string>(&v.v)) return text(*s);
    if (auto* b = std::get_if<expr::Bytes>(&v.v)) return text(b->data);
    if (auto* e = std::get_if<expr::EnumMember>(&v.v)) return number(e->index);
    values(std::get<expr::Sequence>(v.v).items);
}

void Saver::values(const std::vector<expr::Value>& list) {
    number(list.size());
    for (const expr::Value& v : list) value(v);
}

void Saver::environment(const expr::Environment& e, std::size_t variables) {
    std::size_t known = 0;
    for (std::size_t i = 0; i < variables; ++i) known += e.get(expr::VarId(i)) != nullptr;
    number(known);
    for (std::size_t i = 0; i < variables; ++i)
        if (const expr::Value* v = e.get(expr::VarId(i))) {
            number(i);
            value(*v);
        }
}

void Saver::configurations(std::span<const track::Configuration> set, std::size_t variables) {
    number(set.size());
    for (const track::Configuration& c : set) {
        number(c.marking.size());
        for (std::uint32_t place : c.marking) number(place);
        environment(c.environment, variables);
    }
}

std::uint64_t Loader::number() {
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
        auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        n |= std::uint64_t{byte & 127u} << shift;
        if (byte < 128) return ok_ ? n : 0;
    }
    ok_ = false;
    return 0;
}

std::size_t Loader::count() {
    std::uint64_t n = number();
    if (n > rest_.size()) ok_ = false;
    return ok_ ? static_cast<std::size_t>(n) : 0;
}

std::string Loader::text() {
    std::size_t n = count();
    std::string t(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return t;
}

expr::Value Loader::value(int depth) {
    if (depth > deepest_value) ok_ = false;
    if (!ok_) return {};
    switch (number()) {
        case 0: return expr::Value(number() != 0);
        case 1: return expr::Value(signed_number());
        case 2: return expr::Value(std::bit_cast<double>(number()));
        case 3: return expr::Value(text());
        case 4: return expr::Value(expr::Bytes{text()});
        case 5: return expr::Value(expr::EnumMember{static_cast<std::uint32_t>(number())});
        case 6: {
            expr::Sequence s;
            for (std::size_t n = count(); n > 0 && ok_; --n) s.items.push_back(value(depth + 1));
            return expr::Value(std::move(s));
        }
        default: ok_ = false; return {};
    }
}

std::vector<expr::Value> Loader::values() {
    std::vector<expr::Value> list;
    for (std::size_t n = count(); n > 0 && ok_; --n) list.push_back(value());
    return list;
}

expr::Environment Loader::environment(std::size_t variables) {
    expr::Environment e;
    for (std::size_t n = count(); n > 0 && ok_; --n) {
        std::uint64_t variable = number();
        expr::Value v = value();
        if (variable >= variables) ok_ = false;
        if (ok_) e.set(expr::VarId(static_cast<std::size_t>(variable)), std::move(v));
    }
    return e;
}

std::vector<track::Configuration> Loader::configurations(std::size_t variables, std::size_t places) {
    std::vector<track::Configuration> set;
    for (std::size_t n = count(); n > 0 && ok_; --n) {
        track::Configuration c;
        for (std::size_t k = count(); k > 0 && ok_; --k) {
            std::uint64_t place = number();
            if (place >= places || (!c.marking.empty() && place < c.marking.back())) ok_ = false;
            c.marking.push_back(static_cast<std::uint32_t>(place));
        }
        c.environment = environment(variables);
        set.push_back(std::move(c));
    }
    return set;
}

void load_event(Loader& loader, const model::Alphabet& alphabet, Record& record) {
    std::uint64_t side = loader.number(), from = loader.number(), to = loader.number();
    std::uint64_t message = loader.number();
    if (side > 2 || from >= alphabet.role_count() || to >= alphabet.role_count() ||
        message > alphabet.message_count())
        loader.fail();
    record.side = static_cast<Side>(side);
    record.from = model::RoleId(static_cast<std::size_t>(from));
    record.to = model::RoleId(static_cast<std::size_t>(to));
    if (message > 0) record.message = model::MessageId(static_cast<std::size_t>(message - 1));
}

}  // namespace treaty::watch
