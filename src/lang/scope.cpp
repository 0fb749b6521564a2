#include "lang/scope.h"

#include <algorithm>

namespace treaty::lang {

const Scope::Binding* Scope::find(base::NameId name) const {
    auto found = now_.find(name);
    return found == now_.end() ? nullptr : &found->second;
}

const base::Span* Scope::left_behind(base::NameId name) const {
    auto found = gone_.find(name);
    return found == gone_.end() ? nullptr : &found->second;
}

void Scope::bind(base::NameId name, expr::VarId variable, base::Span span) {
    Binding& binding = now_[name];
    trail_.push_back({name, binding});
    binding = {variable, span};
}

void Scope::leave(std::size_t mark) {
    while (trail_.size() > mark) {
        Change change = trail_.back();
        trail_.pop_back();
        auto current = now_.find(change.name);
        gone_[change.name] = current->second.span;
        if (change.before.variable)
            current->second = change.before;
        else
            now_.erase(current);
    }
}

std::vector<base::NameId> Scope::visible() const {
    std::vector<base::NameId> names;
    for (const auto& [name, binding] : now_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace treaty::lang
