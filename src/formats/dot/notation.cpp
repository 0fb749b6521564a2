#include "formats/notation.h"

#include "formats/dot/dot.h"

namespace treaty::formats {
namespace {

std::optional<std::string> draw_main(const model::Specification& specification, Conversion& conversion) {
    if (specification.main_protocol()) return write_dot(specification, *specification.main_protocol());
    conversion.refuse({}, "the file has no protocol");
    return std::nullopt;
}

template <class Model>
std::optional<std::string> draw(const Model& model, Conversion&) {
    return write_dot(model);
}

}  // namespace

std::vector<Notation> dot_notations() {
    return {{.title = "DOT (Graphviz)",
             .extensions = {"dot"},
             .carries = "a picture",
             .section = "DOT",
             .picture = true,
             .write_specification = draw_main,
             .write_system = draw<model::System>,
             .write_machine = draw<model::Machine>,
             .write_net = draw<model::Net>}};
}

}  // namespace treaty::formats
