#include "base/names.h"

namespace treaty::base {

Names::Names(const Names& other) : texts_(other.texts_) {
    for (std::size_t i = 0; i < texts_.size(); ++i) ids_.emplace(texts_[i], NameId(i));
}

NameId Names::intern(std::string_view text) {
    if (auto found = ids_.find(text); found != ids_.end()) return found->second;
    texts_.emplace_back(text);
    NameId id(texts_.size() - 1);
    ids_.emplace(texts_.back(), id);
    return id;
}

NameId Names::find(std::string_view text) const {
    auto found = ids_.find(text);
    return found == ids_.end() ? NameId() : found->second;
}

}  // namespace treaty::base
