#include "formats/notation.h"

#include "formats/fsa/fsa.h"
#include "model/system.h"

namespace treaty::formats {
namespace {

// A file of one machine; its partners would need machines of their own.
std::optional<std::string> write_alone(const model::Machine& machine, Conversion& conversion) {
    std::string fault;
    auto system = model::make_system(machine.name(), {machine}, {}, &fault);
    if (system) return write_fsa(*system, conversion);
    conversion.refuse({}, fault);
    return std::nullopt;
}

}  // namespace

std::vector<Notation> fsa_notations() {
    return {{.title = "communicating machines (ChorGram)",
             .extensions = {"fsa"},
             .carries = "a system of machines without data",
             .section = ".fsa",
             .read = read_model<read_fsa>,
             .write_system = write_fsa,
             .write_machine = write_alone}};
}

}  // namespace treaty::formats
