// A value, or why there is none: a file that cannot be read, a database that cannot be opened,
// a text that is not what it should be.
//
// The one way in which such a failure is returned. A fault of the user's file with a place in it is a
// diagnostic (diagnostic.h), and our own mistakes stop the program (check.h); neither comes this way. The
// names are those of std::expected, which can take its place in C++23.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace treaty::base {

// Why there is no value, in one line that can follow "path: ".
struct Fault {
    std::string text;
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
    Result(Fault fault) : held_(std::in_place_index<1>, std::move(fault)) {}

    bool has_value() const { return held_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    // Only where there is a value.
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(value()); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    T& value() {
        TREATY_CHECK(has_value());
        return std::get<0>(held_);
    }
    const T& value() const {
        TREATY_CHECK(has_value());
        return std::get<0>(held_);
    }

    // Only where there is none.
    const std::string& error() const {
        TREATY_CHECK(!has_value());
        return std::get<1>(held_).text;
    }

private:
    std::variant<T, Fault> held_;
};

// Of something that gives no value: done, or why not.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Fault fault) : fault_(std::move(fault)), failed_(true) {}

    bool has_value() const { return !failed_; }
    explicit operator bool() const { return has_value(); }
    const std::string& error() const {
        TREATY_CHECK(failed_);
        return fault_.text;
    }

private:
    Fault fault_;
    bool failed_ = false;
};

}  // namespace treaty::base
