#include "formats/notation.h"

#include "formats/scribble/scribble.h"

namespace treaty::formats {
namespace {

Loaded load_modules(const Loading& loading) {
    return loaded(
        load_scribble(loading.sources, loading.file, loading.diagnostics, loading.read_file, loading.files));
}

}  // namespace

std::vector<Notation> scribble_notations() {
    return {{.title = "Scribble, nuScr",
             .extensions = {"scr", "nuscr"},
             .carries =
                 "roles, messages with payload types, sequence, choice, rec, par, calls; read also modules, "
                 "parameters, conditions, nested protocols",
             .section = "Scribble and nuScr",
             .read = read_model<read_scribble>,
             .load = load_modules,
             .write_specification = write_scribble}};
}

}  // namespace treaty::formats
