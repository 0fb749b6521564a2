#include "report/pictures.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "api/convert.h"
#include "draw/graphviz.h"
#include "draw/sequence_chart.h"
#include "report/output.h"

namespace treaty::report {
namespace {

std::string format_of(const Wanted& wanted, std::string_view otherwise) {
    if (!wanted.format.empty()) return wanted.format;
    if (wanted.output.empty() || wanted.output == "-") return std::string(otherwise);
    return api::extension_of(wanted.output);
}

bool refuse(api::Answer& answer, const Wanted& wanted, std::string_view possible) {
    std::string format = format_of(wanted, "");
    std::string what =
        format.empty() ? fmt::format("{}, which has no extension", wanted.output) : "." + format;
    answer.diagnostics.report(api::codes::unknown_output, {},
                              fmt::format("cannot write {}; {}", what, possible));
    answer.verdict.reset();
    return false;
}

bool deliver(api::Answer& answer, Own& own, std::string picture, const Wanted& wanted) {
    if (wanted.output.empty() || wanted.output == "-") {
        own.quiet = true;
        own.fields["picture"] = picture;
        own.text += picture;
        return true;
    }
    own.fields["output"] = wanted.output;
    return write_output(answer, wanted.output, picture);
}

}  // namespace

bool write_graph(api::Answer& answer, Own& own, const std::string& dot, const Wanted& wanted,
                 const base::Deadline& deadline) {
    std::string format = format_of(wanted, "dot");
    if (format == "dot" || format == "gv") return deliver(answer, own, dot, wanted);
    if (format != "svg") return refuse(answer, wanted, "a graph can be .svg or .dot");
    draw::Drawing drawing = draw::svg_of_dot(dot, deadline);
    if (drawing.svg) return deliver(answer, own, std::move(*drawing.svg), wanted);
    answer.diagnostics.report(api::codes::cannot_draw, {}, drawing.fault).help("write it as .dot instead");
    answer.verdict.reset();
    return false;
}

bool write_chart(api::Answer& answer, Own& own, const draw::Chart& chart, const Wanted& wanted) {
    std::string format = format_of(wanted, "svg");
    if (format == "svg") return deliver(answer, own, draw::to_svg(chart), wanted);
    if (format != "txt") return refuse(answer, wanted, "a sequence chart can be .svg or .txt");
    return deliver(answer, own, draw::to_text(chart, draw::Style{}), wanted);
}

bool write_chart(api::Answer& answer, Own& own, const draw::Chart& chart, const std::string& output) {
    return write_chart(answer, own, chart, Wanted{output, {}});
}

}  // namespace treaty::report
