// What a file holds: one of the models, or nothing when it could not be read.
#pragma once

#include <variant>

#include "model/machine.h"
#include "model/net.h"
#include "model/specification.h"
#include "model/system.h"

namespace treaty::formats {

struct Loaded {
    std::variant<std::monostate, model::Specification, model::System, model::Machine, model::Net> model;

    explicit operator bool() const { return !std::holds_alternative<std::monostate>(model); }
    template <class Model>
    const Model* get() const {
        return std::get_if<Model>(&model);
    }
};

}  // namespace treaty::formats
