// Hash-consed terms for what may still happen in a protocol, and their algebra. Used by pomset_language.
//
// A term represents a set of pomsets:
//   fail               none                       empty            the empty pomset
//   endless            of a term: round after round without an end; only prefixes of it exist
//   never              endless rounds in which nothing happens
//   whole(n)           interaction n              sent(n)          its reception
//   range(s, i, k)     children i to k-1 of sequence s, untouched
//   sequence, choice, parallel, repeat            of terms
// Building normalises: fail and empty vanish where they can, nested sequences and choices are flat, the
// branches of a choice are sorted and distinct, two equal neighbouring loops are one, the second of which may
// be endless, and nothing follows what is endless. So equal ids mean equal sets; different ids may still mean
// equal sets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/id.h"
#include "model/protocol.h"

namespace treaty::choreo {

using TermId = base::Id<struct ResidualTag>;

enum class TermKind : std::uint8_t {
    fail,
    empty,
    never,
    whole,
    sent,
    range,
    sequence,
    choice,
    parallel,
    repeat,
    endless
};

struct Term {
    TermKind kind = TermKind::fail;
    bool nullable = false;              // holds the empty pomset
    model::NodeId node;                 // whole, sent, range
    std::uint32_t first = 0, last = 0;  // range: children; otherwise: position of the parts
};

class TermPool {
public:
    TermPool();
    TermId fail() const { return TermId(0u); }
    TermId empty() const { return TermId(1u); }
    TermId never() const { return TermId(2u); }
    TermId whole(model::NodeId n) { return intern(TermKind::whole, false, n, 0, 0); }
    TermId sent(model::NodeId n) { return intern(TermKind::sent, false, n, 0, 0); }
    TermId range(model::NodeId sequence, std::uint32_t from, std::uint32_t to, bool nullable);
    TermId sequence(std::span<const TermId> parts);
    TermId choice(std::vector<TermId> branches);
    TermId parallel(std::vector<TermId> branches);
    TermId repeat(TermId body);
    TermId endless(TermId round);

    const Term& operator[](TermId id) const { return terms_[id.index]; }
    // None of a term that is not made of others.
    std::span<const TermId> parts(TermId id) const {
        const Term& t = terms_[id.index];
        if (t.node) return {};
        return std::span(parts_).subspan(t.first, t.last - t.first);
    }
    std::size_t size() const { return terms_.size() + parts_.size(); }

private:
    TermId intern(TermKind kind, bool nullable, model::NodeId node, std::uint32_t first, std::uint32_t last);
    bool same_loop(TermId first, TermId second) const;
    TermId intern_parts(TermKind kind, bool nullable, const std::vector<TermId>& parts);

    std::vector<Term> terms_;
    std::vector<TermId> parts_;
    absl::flat_hash_map<std::uint64_t, std::vector<TermId>> index_;  // by hash
};

}  // namespace treaty::choreo
