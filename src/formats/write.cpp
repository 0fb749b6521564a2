// Which model goes into which notation, and what to say about the other pairs.

#include <fmt/format.h>

#include "formats/aut/aut.h"
#include "formats/codes.h"
#include "formats/diagram/diagram.h"
#include "formats/dot/dot.h"
#include "formats/fsa/fsa.h"
#include "formats/gc/gc.h"
#include "formats/json/json.h"
#include "formats/language_rules.h"
#include "formats/load.h"
#include "formats/pnml/pnml.h"
#include "formats/scribble/scribble.h"

namespace treaty::formats {
namespace {

using Text = std::optional<std::string>;

class Writer {
public:
    Writer(std::string_view extension, base::Diagnostics& diagnostics, LossPolicy policy)
        : extension_(extension), diagnostics_(diagnostics), conversion_(extension, diagnostics, policy) {}

    Text operator()(const std::monostate&) { return std::nullopt; }  // its reading was reported

    Text operator()(const model::Specification& s) {
        if (extension_ == "json") return write_json(s);
        if (extension_ == "gc") return write_gc(s, conversion_);
        if (extension_ == "scr" || extension_ == "nuscr") return write_scribble(s, conversion_);
        if (extension_ == "mmd" || extension_ == "mermaid") return write_mermaid(s, conversion_);
        if (extension_ == "puml" || extension_ == "plantuml") return write_plantuml(s, conversion_);
        if (extension_ == "treaty") return treaty(s);
        if (extension_ == "dot") {
            if (s.main_protocol()) return write_dot(s, *s.main_protocol());
            conversion_.refuse({}, "the file has no protocol");
            return std::nullopt;
        }
        if (extension_ == "fsa") return engine("machines are projections of a protocol", "treaty project");
        if (extension_ == "aut")
            return engine("the machine of a protocol has to be computed", "treaty show --as machine");
        if (extension_ == "pnml")
            return engine("the net of a protocol has to be computed", "treaty show --as net");
        return unknown();
    }

    Text operator()(const model::System& s) {
        if (extension_ == "json") return write_json(s);
        if (extension_ == "fsa") return write_fsa(s, conversion_);
        if (extension_ == "dot") return write_dot(s);
        if (extension_ == "aut")
            return engine("the state space of a system has to be computed", "treaty explore");
        return misfit("a system of machines");
    }

    Text operator()(const model::Machine& m) {
        if (extension_ == "json") return write_json(m);
        if (extension_ == "aut") return write_aut(m, conversion_);
        if (extension_ == "dot") return write_dot(m);
        if (extension_ == "fsa") return alone(m);
        return misfit("a machine");
    }

    Text operator()(const model::Net& n) {
        if (extension_ == "json") return write_json(n);
        if (extension_ == "pnml") return write_pnml(n, conversion_);
        if (extension_ == "dot") return write_dot(n);
        if (extension_ == "aut")
            return engine("the state space of a net has to be computed", "treaty explore");
        return misfit("a net");
    }

private:
    Text treaty(const model::Specification& s) {
        std::optional<model::Specification> renamed = with_writable_names(s, conversion_);
        TreatyText result = treaty_text(renamed ? *renamed : s);
        if (!result.text) conversion_.refuse({}, result.fault);
        return result.text;
    }

    // A file of one machine; its partners would need machines of their own.
    Text alone(const model::Machine& m) {
        std::string fault;
        auto system = model::make_system(m.name(), {m}, {}, &fault);
        if (system) return write_fsa(*system, conversion_);
        conversion_.refuse({}, fault);
        return std::nullopt;
    }

    Text engine(std::string_view why, std::string_view verb) {
        conversion_.refuse({}, std::string(why)).help(fmt::format("use `{}`", verb));
        return std::nullopt;
    }

    Text misfit(std::string_view what) {
        bool known = extension_ == "treaty" || extension_ == "gc" || extension_ == "scr" ||
                     extension_ == "nuscr" || extension_ == "pnml" || extension_ == "fsa" ||
                     extension_ == "mmd" || extension_ == "puml";
        if (!known) return unknown();
        conversion_.refuse({}, fmt::format("{} cannot be written as .{}", what, extension_));
        return std::nullopt;
    }

    Text unknown() {
        diagnostics_.report(codes::unknown_extension, {}, fmt::format("cannot write .{} files", extension_))
            .help(
                "known extensions: .treaty, .gc, .scr, .nuscr, .fsa, .aut, .pnml, .mmd, .puml, .json and "
                ".dot");
        return std::nullopt;
    }

    std::string_view extension_;
    base::Diagnostics& diagnostics_;
    Conversion conversion_;
};

}  // namespace

Written write(const Loaded& loaded, std::string_view extension, base::Diagnostics& diagnostics,
              LossPolicy policy) {
    return {std::visit(Writer(extension, diagnostics, policy), loaded.model)};
}

std::string_view describe(const Loaded& loaded) {
    constexpr std::string_view names[] = {"nothing", "a specification", "a system", "a machine", "a net"};
    return names[loaded.model.index()];
}

std::string_view writable_extensions(const Loaded& loaded) {
    constexpr std::string_view lists[] = {"", "treaty, gc, scr, mmd, puml, json, dot", "fsa, json, dot",
                                          "aut, fsa, json, dot", "pnml, json, dot"};
    return lists[loaded.model.index()];
}

}  // namespace treaty::formats
