// Which model goes into which notation, and the diagnostics for all other pairs.

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/load.h"
#include "formats/notation.h"

namespace treaty::formats {
namespace {

using Text = std::optional<std::string>;

class Writer {
public:
    Writer(const Notation& notation, std::string_view extension, base::Diagnostics& diagnostics,
           LossPolicy policy)
        : notation_(notation), extension_(extension), conversion_(extension, diagnostics, policy) {}

    Text operator()(const std::monostate&) { return std::nullopt; }  // its reading was reported

    Text operator()(const model::Specification& s) {
        if (notation_.write_specification) return notation_.write_specification(s, conversion_);
        if (notation_.write_system) return engine("machines are projections of a protocol", "treaty project");
        if (notation_.write_machine)
            return engine("the machine of a protocol has to be computed", "treaty show --as machine");
        return engine("the net of a protocol has to be computed", "treaty show --as net");
    }

    Text operator()(const model::System& s) {
        if (notation_.write_system) return notation_.write_system(s, conversion_);
        if (notation_.write_machine)
            return engine("the state space of a system has to be computed", "treaty explore");
        return misfit("a system of machines");
    }

    Text operator()(const model::Machine& m) {
        if (notation_.write_machine) return notation_.write_machine(m, conversion_);
        return misfit("a machine");
    }

    Text operator()(const model::Net& n) {
        if (notation_.write_net) return notation_.write_net(n, conversion_);
        if (notation_.write_machine && !notation_.write_system)
            return engine("the state space of a net has to be computed", "treaty explore");
        return misfit("a net");
    }

private:
    Text engine(std::string_view why, std::string_view verb) {
        conversion_.refuse({}, std::string(why)).help(fmt::format("use `{}`", verb));
        return std::nullopt;
    }

    Text misfit(std::string_view what) {
        conversion_.refuse({}, fmt::format("{} cannot be written as .{}", what, extension_));
        return std::nullopt;
    }

    const Notation& notation_;
    std::string_view extension_;
    Conversion conversion_;
};

}  // namespace

Written write(const Loaded& loaded, std::string_view extension, base::Diagnostics& diagnostics,
              LossPolicy policy) {
    const Notation* notation = find_notation(extension);
    if (notation && notation->is_written())
        return {std::visit(Writer(*notation, extension, diagnostics, policy), loaded.model)};
    if (loaded)
        diagnostics.report(codes::unknown_extension, {}, fmt::format("cannot write .{} files", extension))
            .help(fmt::format("known extensions: {}", writable_extensions()));
    return {};
}

std::string_view describe(const Loaded& loaded) {
    constexpr std::string_view names[] = {"nothing", "a specification", "a system", "a machine", "a net"};
    return names[loaded.model.index()];
}

}  // namespace treaty::formats
