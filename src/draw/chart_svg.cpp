// Draws from the back to the front: frames, lifelines, arrows, then texts, each with a halo in the colour of
// the background so that a line under it does not cross it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/utf8.h"
#include "draw/chart_layout.h"
#include "draw/sequence_chart.h"
#include "draw/svg_text.h"

namespace treaty::draw {
namespace {

using namespace chart_sizes;

// Each rule is for this picture only: in a page, a style element is for all of the page.
constexpr std::string_view style_sheet = R"(<style>
.treaty-chart text { font-family: "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; fill: #1f2328; }
.treaty-chart .ground { fill: #ffffff; }
.treaty-chart .title { font-size: 16px; font-weight: bold; }
.treaty-chart .head { fill: #ddf4ff; stroke: #54aeff; }
.treaty-chart .name { font-size: 13.5px; font-weight: bold; text-anchor: middle; }
.treaty-chart .life { stroke: #8c959f; stroke-dasharray: 5 4; }
.treaty-chart .frame { fill: #57606a; fill-opacity: 0.025; stroke: #8c959f; }
.treaty-chart .tab { fill: #eaeef2; stroke: #8c959f; }
.treaty-chart .word { font-size: 12px; font-weight: bold; }
.treaty-chart .split { stroke: #8c959f; stroke-dasharray: 7 4; }
.treaty-chart .caption { font-size: 12px; font-style: italic; fill: #57606a; }
.treaty-chart .line { stroke: #1f2328; stroke-width: 1.3; fill: none; }
.treaty-chart .tip { fill: #1f2328; }
.treaty-chart .label { font-size: 13px; }
.treaty-chart .caption, .treaty-chart .label { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round; }
.treaty-chart .number { font-size: 12px; text-anchor: end; fill: #8c959f; }
.treaty-chart .note { fill: #fff8c5; stroke: #d4a72c; }
.treaty-chart .noted { font-size: 13px; text-anchor: middle; }
.treaty-chart .mid { text-anchor: middle; }
.treaty-chart .end { text-anchor: end; }
.treaty-chart .wrong.line { stroke: #cf222e; stroke-width: 2; }
.treaty-chart .wrong.tip, .treaty-chart text.wrong { fill: #cf222e; }
.treaty-chart .wrong.note { fill: #ffebe9; stroke: #cf222e; }
@media (prefers-color-scheme: dark) {
.treaty-chart text { fill: #e6edf3; }
.treaty-chart .ground { fill: #0d1117; }
.treaty-chart .head { fill: #0c2d6b; stroke: #388bfd; }
.treaty-chart .frame { fill: #8b949e; fill-opacity: 0.05; stroke: #6e7681; }
.treaty-chart .tab { fill: #21262d; stroke: #6e7681; }
.treaty-chart .life, .treaty-chart .split { stroke: #6e7681; }
.treaty-chart .caption { fill: #9ea7b3; }
.treaty-chart .line { stroke: #e6edf3; }
.treaty-chart .tip { fill: #e6edf3; }
.treaty-chart .caption, .treaty-chart .label { stroke: #0d1117; }
.treaty-chart .number { fill: #6e7681; }
.treaty-chart .note { fill: #3b2e08; stroke: #9e6a03; }
.treaty-chart .wrong.line { stroke: #ff7b72; }
.treaty-chart .wrong.tip, .treaty-chart text.wrong { fill: #ff7b72; }
.treaty-chart .wrong.note { fill: #490b0b; stroke: #ff7b72; }
}
</style>
)";

class ChartWriter {
public:
    ChartWriter(const Chart& chart, LineClasses lines) : chart_(chart), lines_(lines), at_(lay_out(chart)) {}

    std::string write() {
        out_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"treaty-chart\" width=\"{0}\" height=\"{1}\" "
            "viewBox=\"0 0 {0} {1}\" "
            "role=\"img\">\n",
            svg_number(at_.width), svg_number(at_.height));
        out_ += fmt::format("<title>{}</title>\n",
                            escape_xml(chart_.title.empty() ? "sequence chart" : chart_.title));
        out_ += style_sheet;
        out_ += fmt::format("<rect class=\"ground\" width=\"{}\" height=\"{}\"/>\n", svg_number(at_.width),
                            svg_number(at_.height));
        if (at_.title_baseline > 0) text("title", margin, at_.title_baseline, chart_.title);
        for (std::size_t i = 0; i < chart_.items.size(); ++i)
            if (chart_.items[i].kind == ItemKind::open) rect("frame", at_.boxes[i], 3);
        lifelines();
        for (std::size_t i = 0; i < chart_.items.size(); ++i) part(i, [&] { line_of(i); });
        for (std::size_t i = 0; i < chart_.items.size(); ++i) part(i, [&] { text_of(i); });
        out_ += "</svg>\n";
        return std::move(out_);
    }

private:
    // What one item draws, marked with its line.
    template <class Draw>
    void part(std::size_t i, const Draw& draw) {
        std::size_t before = out_.size();
        draw();
        std::uint32_t line = chart_.items[i].line;
        if (lines_ == LineClasses::hidden || line == 0 || out_.size() == before) return;
        bool block = chart_.items[i].kind == ItemKind::open;
        out_.insert(before, fmt::format("<g class=\"line-{}{}\">\n", line, block ? " block" : ""));
        out_ += "</g>\n";
    }

    void lifelines() {
        for (std::size_t i = 0; i < chart_.lifelines.size(); ++i) {
            line("life", at_.x[i], at_.head_top + head_height, at_.x[i], at_.lifeline_end);
            head(i, at_.head_top);
            if (at_.feet) head(i, at_.lifeline_end);
        }
    }

    void head(std::size_t i, double top) {
        double half = at_.head_width[i] / 2;
        rect("head", {at_.x[i] - half, at_.x[i] + half, top, top + head_height}, 5);
        text("name", at_.x[i], top + 20, chart_.lifelines[i]);
    }

    void line_of(std::size_t i) {
        const ChartItem& item = chart_.items[i];
        if (item.kind == ItemKind::split) {
            const Box& frame = at_.boxes[at_.frame[i]];
            line("split", frame.left, at_.y[i], frame.right, at_.y[i]);
            return;
        }
        bool message =
            item.kind == ItemKind::arrow || item.kind == ItemKind::send || item.kind == ItemKind::receive;
        if (!message) return;
        double from = at_.x[item.from], to = at_.x[item.to];
        if (item.kind == ItemKind::receive && item.partner != ChartItem::none) {
            // The whole slanting arrow, once both ends are known.
            const ChartItem& send = chart_.items[item.partner];
            arrow(from, at_.y[item.partner], to, at_.y[i], item.failing || send.failing);
        } else if (item.from == item.to) {
            self_arrow(from, at_.y[i], item.failing);
        } else if (item.kind == ItemKind::arrow) {
            arrow(from, at_.y[i], to, at_.y[i], item.failing);
        } else if (item.kind == ItemKind::receive) {
            double start = in_the_open(item.to, item.from);
            circle(start, at_.y[i], item.failing);
            arrow(start, at_.y[i], to, at_.y[i], item.failing);
        } else if (item.partner == ChartItem::none) {
            double stop = in_the_open(item.from, item.to);
            arrow(from, at_.y[i], stop + (to > from ? -4 : 4), at_.y[i], item.failing);
            circle(stop, at_.y[i], item.failing);
        }
    }

    // Between two lifelines, on the way from one to another: where a message ends that no one receives.
    double in_the_open(std::size_t from, std::size_t to) const {
        std::size_t neighbour = to > from ? from + 1 : from - 1;
        return at_.x[from] + (at_.x[neighbour] - at_.x[from]) * 0.7;
    }

    void text_of(std::size_t i) {
        const ChartItem& item = chart_.items[i];
        if (!item.number.empty()) {
            double y = item.kind == ItemKind::note ? at_.boxes[i].bottom - 8 : at_.y[i] + 4;
            text("number", at_.number_right, y, item.number);
        }
        switch (item.kind) {
            case ItemKind::open: tab(i); break;
            case ItemKind::split: captions(at_.boxes[at_.frame[i]].left + 8, at_.y[i] + 15, item); break;
            case ItemKind::note: note(i); break;
            case ItemKind::arrow: labels(i, (at_.x[item.from] + at_.x[item.to]) / 2, " mid"); break;
            case ItemKind::send: {
                bool right = item.to > item.from;
                double x = at_.x[item.from] + (right ? 10 : -10);
                if (item.from == item.to)
                    labels(i, at_.x[item.from], "");
                else
                    labels(i, x, right ? "" : " end");
                break;
            }
            case ItemKind::receive:
                if (item.partner == ChartItem::none)
                    labels(i, (at_.x[item.from] + at_.x[item.to]) / 2, " mid");
                break;
            case ItemKind::close: break;
        }
    }

    void tab(std::size_t i) {
        const Box& box = at_.boxes[i];
        double right = box.left + tab_width(chart_.items[i].tab);
        double bottom = box.top + tab_height;
        out_ += fmt::format("<path class=\"tab\" d=\"M{0} {1}H{2}V{3}L{4} {5}H{0}Z\"/>\n",
                            svg_number(box.left), svg_number(box.top), svg_number(right),
                            svg_number(bottom - 7), svg_number(right - 7), svg_number(bottom));
        text("word", box.left + 8, box.top + 14.5, chart_.items[i].tab);
        captions(right + 8, box.top + 14.5, chart_.items[i]);
    }

    void captions(double x, double y, const ChartItem& item) {
        for (const std::string& caption : item.lines) text("caption", x, y, caption);
    }

    void note(std::size_t i) {
        const ChartItem& item = chart_.items[i];
        const Box& box = at_.boxes[i];
        rect(item.failing ? "wrong note" : "note", box, 4);
        double y = box.top + 17;
        for (const std::string& one : item.lines) {
            text(item.failing ? "wrong noted" : "noted", (box.left + box.right) / 2, y, one);
            y += line_height;
        }
    }

    void labels(std::size_t i, double x, const char* anchor) {
        const ChartItem& item = chart_.items[i];
        bool self = item.from == item.to;
        if (self) x += 44;
        double y = at_.y[i] - 6 + (self ? 14 : 0) - line_height * static_cast<double>(item.lines.size() - 1);
        std::string style = fmt::format("{}label{}", item.failing ? "wrong " : "", self ? "" : anchor);
        for (const std::string& one : item.lines) {
            text(style, x, y, one);
            y += line_height;
        }
    }

    void arrow(double x1, double y1, double x2, double y2, bool wrong) {
        constexpr double length = 10, half = 4;
        double dx = x2 - x1, dy = y2 - y1;
        double distance = std::max(std::hypot(dx, dy), 1.0);
        double ux = dx / distance, uy = dy / distance;
        double bx = x2 - ux * length, by = y2 - uy * length;
        line(wrong ? "wrong line" : "line", x1, y1, bx, by);
        out_ +=
            fmt::format("<path class=\"{}\" d=\"M{} {}L{} {}L{} {}Z\"/>\n", wrong ? "wrong tip" : "tip",
                        svg_number(x2), svg_number(y2), svg_number(bx - uy * half),
                        svg_number(by + ux * half), svg_number(bx + uy * half), svg_number(by - ux * half));
    }

    void self_arrow(double x, double y, bool wrong) {
        out_ += fmt::format("<path class=\"{}\" d=\"M{} {}h36v14h-26\"/>\n", wrong ? "wrong line" : "line",
                            svg_number(x), svg_number(y));
        out_ += fmt::format("<path class=\"{}\" d=\"M{} {}l10 -4v8Z\"/>\n", wrong ? "wrong tip" : "tip",
                            svg_number(x), svg_number(y + 14));
    }

    void circle(double x, double y, bool wrong) {
        out_ += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"4.5\"/>\n",
                            wrong ? "wrong tip" : "tip", svg_number(x), svg_number(y));
    }

    void line(std::string_view style, double x1, double y1, double x2, double y2) {
        out_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", style,
                            svg_number(x1), svg_number(y1), svg_number(x2), svg_number(y2));
    }

    void rect(std::string_view style, const Box& box, int radius) {
        out_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>\n",
                            style, svg_number(box.left), svg_number(box.top),
                            svg_number(box.right - box.left), svg_number(box.bottom - box.top), radius);
    }

    void text(std::string_view style, double x, double y, const std::string& content) {
        std::string shown = base::shorten(content, text_limit);
        std::string whole =
            shown == base::printable(content) ? "" : fmt::format("<title>{}</title>", escape_xml(content));
        out_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}{}</text>\n", style, svg_number(x),
                            svg_number(y), whole, escape_xml(shown));
    }

    const Chart& chart_;
    LineClasses lines_;
    ChartLayout at_;
    std::string out_;
};

}  // namespace

std::string to_svg(const Chart& chart, LineClasses lines) {
    Chart shown = chart;
    for (ChartItem& item : shown.items) {
        bool frame =
            item.kind == ItemKind::open || item.kind == ItemKind::split || item.kind == ItemKind::close;
        if (frame) continue;  // their captions have one row
        std::vector<std::string> rows;
        for (const std::string& line : item.lines)
            for (std::string& row : wrapped(line, text_limit)) rows.push_back(std::move(row));
        item.lines = std::move(rows);
    }
    return ChartWriter(shown, lines).write();
}

}  // namespace treaty::draw
