// Which name means which variable, block by block. Internal to lang/.
//
// Leaving a block restores what was visible before it; what it bound is remembered, so that a use after the
// block can be told from a use of a name that never was.
#pragma once

#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/names.h"
#include "base/source.h"
#include "expr/pool.h"

namespace treaty::lang {

class Scope {
public:
    struct Binding {
        expr::VarId variable;
        base::Span span;
    };

    const Binding* find(base::NameId name) const;
    const base::Span* left_behind(base::NameId name) const;  // where a block that is over bound it
    void bind(base::NameId name, expr::VarId variable, base::Span span);

    std::size_t enter() const { return trail_.size(); }
    void leave(std::size_t mark);

    std::vector<base::NameId> visible() const;

private:
    struct Change {
        base::NameId name;
        Binding before;  // without a variable: was not visible
    };
    absl::flat_hash_map<base::NameId, Binding> now_;
    absl::flat_hash_map<base::NameId, base::Span> gone_;
    std::vector<Change> trail_;
};

}  // namespace treaty::lang
