// Interned names: equal texts have equal ids, so comparing names is comparing integers.
//
// Ids count up from 0 in order of first appearance. text() stays valid as long as the table lives.
// Not safe for concurrent interning; concurrent reading is fine.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>

#include "base/id.h"

namespace treaty::base {

using NameId = Id<struct NameTag>;

class Names {
public:
    Names() = default;
    Names(const Names& other);  // the same names with the same ids
    Names& operator=(const Names&) = delete;

    NameId intern(std::string_view text);
    NameId find(std::string_view text) const;  // none if never interned
    std::string_view text(NameId id) const { return texts_[id.index]; }
    std::size_t size() const { return texts_.size(); }

private:
    std::deque<std::string> texts_;
    absl::flat_hash_map<std::string_view, NameId> ids_;
};

}  // namespace treaty::base
