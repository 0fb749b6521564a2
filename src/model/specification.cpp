#include "model/specification.h"

namespace treaty::model {

Specification::Specification()
    : names(std::make_shared<base::Names>()),
      types(std::make_shared<expr::Types>()),
      pool(std::make_shared<expr::Pool>(types, names)),
      alphabet(std::make_shared<Alphabet>()) {}

const Protocol* Specification::find_protocol(std::string_view name) const {
    for (const Protocol& p : protocols)
        if (p.name() == name) return &p;
    return nullptr;
}

}  // namespace treaty::model
