// Values of CSPM, hash-consed: equal values have equal ids, processes among them.
//
// A value is a kind, a number and other values. Sets are sorted by id without duplicates, so equal sets are
// one value. A dot such as c.1.Red is held flat, as its atoms in order; how many belong to one field follows
// from the constructors. A process is a term: its operator (and the place in the script it was written at)
// and its operands. Spans stay valid as long as the table lives. Cost: about 40 bytes per value and 4 per
// part.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/id.h"

namespace treaty::csp {

using ValueId = base::Id<struct ValueTag>;

enum class Kind : std::uint8_t {
    integer,    // number
    boolean,    // number
    character,  // number: its byte
    atom,       // a channel or constructor; number: its index
    dot,        // two or more parts, none of them a dot
    tuple,
    sequence,
    set,
    integers,   // the set of all integers
    sequences,  // the set of all sequences; part: the set of their elements
    function,   // number: its index; parts: what it has captured
    partial,    // a function that wants more groups of arguments; number: groups given; parts: it, its
                // arguments
    lambda,     // number: its node; parts: what it has captured
    builtin,    // number: which
    local,      // a name of a let that is not yet computed; like function
    process,    // number: operator + 256 * node; parts: operands, then values
};

class Values {
public:
    ValueId make(Kind kind, std::int64_t number, std::span<const ValueId> parts = {});
    ValueId integer(std::int64_t number) { return make(Kind::integer, number); }
    ValueId boolean(bool value) { return make(Kind::boolean, value ? 1 : 0); }
    ValueId set(std::vector<ValueId> elements);   // sorts
    ValueId dot(std::span<const ValueId> parts);  // flattens; one part is itself

    Kind kind(ValueId v) const { return nodes_[v.index].kind; }
    std::int64_t number(ValueId v) const { return nodes_[v.index].number; }
    std::span<const ValueId> parts(ValueId v) const { return {nodes_[v.index].parts, nodes_[v.index].count}; }
    std::uint32_t depth(ValueId v) const { return nodes_[v.index].depth; }  // 1 without parts
    bool contains(ValueId set, ValueId element) const;
    // A set that can be asked for an element, but not listed.
    bool infinite(ValueId v) const { return kind(v) == Kind::integers || kind(v) == Kind::sequences; }
    std::size_t size() const { return nodes_.size(); }
    std::size_t bytes() const { return nodes_.size() * 2 * sizeof(Node) + arena_bytes_; }

private:
    struct Node {
        const ValueId* parts;
        std::int64_t number;
        std::uint32_t count;
        std::uint32_t depth;
        Kind kind;
    };
    const ValueId* keep(std::span<const ValueId> parts);

    std::vector<Node> nodes_;
    absl::flat_hash_map<std::uint64_t, ValueId> ids_;
    std::vector<std::unique_ptr<ValueId[]>> arena_;
    std::size_t arena_bytes_ = 0, used_ = 0, room_ = 0;
};

}  // namespace treaty::csp
