// What each strict operator does to values; evaluate.cpp decides which operators run, and when.
//
// apply() handles every operator that needs all its operands: not literal, var, and, or, implies, if and
// call. Operands may be used up. A value of another kind than the operator's type says gives a fault, never a
// throw.
#pragma once

#include <span>
#include <string>

#include "expr/pool.h"

namespace treaty::expr {

// A bound on steps and copied data.
class Work {
public:
    explicit Work(std::size_t units) : left_(units) {}
    bool charge(std::size_t units) {
        bool enough = units <= left_;
        left_ = enough ? left_ - units : 0;
        return enough;
    }

private:
    std::size_t left_;
};

constexpr const char* wrong_kind = "a value is of another type than declared";
constexpr const char* no_work = "this needs too much work";

// The bytes of a string or of bytes; null for another value.
const std::string* text_of(const Value& value);

// How many units it costs to copy a value.
std::size_t weight(const Value& value);

// A value at hand: one that lives elsewhere (a literal, a variable's value, a part of one), or an own one.
class Operand {
public:
    Operand() = default;
    explicit Operand(const Value* elsewhere) : elsewhere_(elsewhere) {}
    explicit Operand(Value own) : own_(std::move(own)) {}

    const Value& get() const { return elsewhere_ ? *elsewhere_ : own_; }
    const Value* elsewhere() const { return elsewhere_; }
    Value take() {
        if (elsewhere_) return *elsewhere_;
        return std::move(own_);
    }

private:
    const Value* elsewhere_ = nullptr;
    Value own_;
};

// Leaves the result in *result; returns why there is none, or an empty text.
std::string apply(const Pool& pool, ExprId node, std::span<Operand> operands, Work& work, Operand* result);

}  // namespace treaty::expr
