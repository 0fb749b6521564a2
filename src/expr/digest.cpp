#include "expr/digest.h"

#include <algorithm>

#include <openssl/evp.h>

#include "base/hex.h"
#include "expr/checksum.h"

namespace treaty::expr {
namespace {

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::string_view bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) out += k <= n ? letters[group >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

std::optional<std::string> unbase64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::string out;
    for (std::size_t i = 0; i < text.size(); i += 4) {
        std::string_view four = text.substr(i, 4);
        std::size_t used = four.find('=');
        bool last = i + 4 == text.size();
        if (used == std::string_view::npos) used = 4;
        if (used < 2 || (used < 4 && !last) || (used == 2 && four[3] != '=')) return std::nullopt;
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            std::size_t value = k < used ? letters.find(four[k]) : 0;
            if (value == std::string_view::npos) return std::nullopt;
            group = group << 6 | static_cast<std::uint32_t>(value);
        }
        // Bits that no byte needs are zero, so that no two texts mean the same bytes.
        if ((used == 2 && (group & 0xffff) != 0) || (used == 3 && (group & 0xff) != 0)) return std::nullopt;
        for (std::size_t k = 0; k + 1 < used; ++k) out += static_cast<char>(group >> (16 - 8 * k) & 0xff);
    }
    return out;
}

// Only what is written is read, so that each value has one text.
std::optional<std::string> unhex(std::string_view text) {
    auto bytes = base::from_hex(text);
    if (!bytes || base::to_hex(*bytes) != text) return std::nullopt;
    return bytes;
}

std::optional<std::string> digest(const EVP_MD* kind, std::string_view bytes) {
    unsigned char result[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), result, &size, kind, nullptr) != 1) return std::nullopt;
    return std::string(result, result + size);
}

}  // namespace

std::optional<Value> apply_over_bytes(Op op, const Value& operand) {
    if (op == Op::digits) {
        auto* n = std::get_if<std::int64_t>(&operand.v);
        return n ? std::optional<Value>(std::to_string(*n)) : std::nullopt;
    }
    const std::string* text = std::get_if<std::string>(&operand.v);
    if (auto* bytes = std::get_if<Bytes>(&operand.v)) text = &bytes->data;
    if (!text) return std::nullopt;
    TypeKind gives = about(op).gives;
    if (gives == TypeKind::integer) return Value(checksum(op, *text));
    auto result = coded(op, *text);
    if (!result) return std::nullopt;
    if (gives == TypeKind::bytes) return Value(Bytes{std::move(*result)});
    return Value(std::move(*result));
}

std::optional<std::string> coded(Op op, std::string_view text) {
    switch (op) {
        case Op::base64: return base64(text);
        case Op::unbase64: return unbase64(text);
        case Op::hex: return base::to_hex(text);
        case Op::unhex: return unhex(text);
        case Op::sha1: return digest(EVP_sha1(), text);
        case Op::sha256: return digest(EVP_sha256(), text);
        default: return std::string(text);
    }
}

}  // namespace treaty::expr
