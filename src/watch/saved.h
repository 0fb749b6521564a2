// What a session consists of as a row of bytes, for state files: numbers, texts, values, configurations.
//
// What a Saver wrote a Loader reads back in the same order. Bytes that were cut or changed make the Loader
// fail (ok() is false, everything it gives is empty) and never more: they come from a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expr/evaluate.h"
#include "model/alphabet.h"
#include "track/configuration.h"

namespace treaty::watch {

class Saver {
public:
    void number(std::uint64_t n);
    void signed_number(std::int64_t n) {
        number((static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63));
    }
    void text(std::string_view t);
    void value(const expr::Value& v);
    void values(const std::vector<expr::Value>& list);
    // Of the variables of a pool, of which there are so many.
    void environment(const expr::Environment& e, std::size_t variables);
    void configurations(std::span<const track::Configuration> set, std::size_t variables);

    std::string take() { return std::move(out_); }

private:
    std::string out_;
};

class Loader {
public:
    explicit Loader(std::string_view bytes) : rest_(bytes) {}

    bool ok() const { return ok_; }
    bool at_end() const { return rest_.empty(); }
    std::uint64_t number();
    std::int64_t signed_number() {
        std::uint64_t n = number();
        return static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
    }
    // The number of items that follow, each at least one byte long.
    std::size_t count();
    std::string text();
    expr::Value value(int depth = 0);
    std::vector<expr::Value> values();
    expr::Environment environment(std::size_t variables);
    std::vector<track::Configuration> configurations(std::size_t variables, std::size_t places);
    void fail() { ok_ = false; }

private:
    std::string_view rest_;
    bool ok_ = true;
};

struct Record;

// An event, as it was saved: four numbers. What the alphabet does not have is a fault.
void load_event(Loader& loader, const model::Alphabet& alphabet, Record& record);

}  // namespace treaty::watch
