#include "cli/pictures.h"

#include <fmt/format.h>

#include "cli/codes.h"
#include "formats/names.h"
#include "report/draw.h"
#include "report/sequence_chart.h"

namespace treaty::cli {
namespace {

std::string format_of(const Wanted& wanted, std::string_view otherwise) {
    if (!wanted.format.empty()) return wanted.format;
    if (wanted.output.empty() || wanted.output == "-") return std::string(otherwise);
    return formats::extension_of(wanted.output);
}

bool refuse(Session& session, const Wanted& wanted, std::string_view possible) {
    std::string what = !wanted.format.empty() ? "--format " + wanted.format : wanted.output;
    session.report(codes::unknown_output, fmt::format("{}: this picture cannot be written so", what))
        .help(fmt::format("it can be written as {}", possible));
    return false;
}

bool deliver(Session& session, std::string picture, const Wanted& wanted) {
    if (wanted.output.empty() || wanted.output == "-") {
        session.result.quiet = true;
        session.result.extra["picture"] = picture;
        session.result.text += std::move(picture);
        return true;
    }
    session.result.extra["output"] = wanted.output;
    return session.write(wanted.output, picture);
}

}  // namespace

bool write_graph(Session& session, const std::string& dot, const Wanted& wanted) {
    std::string format = format_of(wanted, "dot");
    if (format == "dot" || format == "gv") return deliver(session, dot, wanted);
    if (format != "svg") return refuse(session, wanted, "svg or dot");
    report::Drawing drawing = report::draw(dot);
    if (drawing.svg) return deliver(session, std::move(*drawing.svg), wanted);
    session.report(codes::cannot_draw, drawing.fault).help("write it as .dot instead");
    return false;
}

bool write_chart(Session& session, const report::Chart& chart, const Wanted& wanted) {
    std::string format = format_of(wanted, "svg");
    if (format == "svg") return deliver(session, report::to_svg(chart), wanted);
    if (format != "txt") return refuse(session, wanted, "svg or txt");
    return deliver(session, report::to_text(chart, report::Style{}), wanted);
}

bool write_chart(Session& session, const report::Chart& chart, const std::string& output) {
    return write_chart(session, chart, Wanted{output, {}});
}

}  // namespace treaty::cli
