// treaty-layout: the helper program that lays graphs out with Graphviz. DOT text from standard input; to
// standard output one byte, whether it is a picture or a fault, and then the text of it. See draw/graphviz.h.

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <graphviz/gvc.h>

#include "base/utf8.h"
#include "draw/graphviz.h"

namespace treaty::draw {
namespace {

constexpr char is_svg = layout_is_svg;
constexpr char is_fault = layout_is_fault;

// Graphviz reports through a function without a context, so its text is kept in a variable next to it.
std::string& complaint() {
    static std::string text;
    return text;
}

int keep_complaint(char* text) {
    std::string& kept = complaint();
    if (kept.size() < 300) kept += text;
    return 0;
}

std::string fault_of(std::string_view what) {
    std::string text = complaint();
    for (char& c : text)
        if (c == '\n') c = ' ';
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text.empty() ? std::string(what) : fmt::format("{}: {}", what, base::printable(text));
}

// Dark is light turned over, hues kept: right for any colours that the graph chose.
constexpr std::string_view style_sheet = R"(<style>
@media (prefers-color-scheme: dark) { .graph { filter: invert(0.93) hue-rotate(180deg); } }
</style>
)";

// The SVG from its <svg> on, without comments: they name the version and the date, and repeat every name. No
// comment contains "-->" before its end, because Graphviz writes names in them escaped.
std::string tidy(std::string_view svg) {
    std::size_t start = svg.find("<svg");
    if (start == std::string_view::npos) return std::string(svg);
    svg.remove_prefix(start);
    std::string out;
    out.reserve(svg.size() + style_sheet.size());
    while (true) {
        std::size_t comment = svg.find("<!--");
        out.append(svg.substr(0, comment));
        if (comment == std::string_view::npos) break;
        std::size_t end = svg.find("-->", comment);
        if (end == std::string_view::npos) break;
        svg.remove_prefix(end + 3);
        if (!svg.empty() && svg.front() == '\n') svg.remove_prefix(1);
    }
    std::size_t head = out.find('>');
    if (head != std::string::npos) out.insert(out.find('\n', head) + 1, style_sheet);
    return out;
}

// A face without serifs for every text whose graph does not choose one.
void set_default_font(Agraph_t* graph) {
    for (int kind : {AGRAPH, AGNODE, AGEDGE}) {
        std::string name = "fontname";
        std::string face = "Helvetica,Arial,sans-serif";
        if (!agattr(graph, kind, name.data(), nullptr)) agattr(graph, kind, name.data(), face.data());
    }
}

// The program ends right after: nothing is freed.
std::string lay_out(const std::string& dot) {
    agseterrf(keep_complaint);
    agseterr(AGERR);
    Agraph_t* graph = agmemread(dot.c_str());
    if (!graph) return is_fault + fault_of("the graph cannot be read");
    auto elements = static_cast<std::size_t>(agnnodes(graph)) + static_cast<std::size_t>(agnedges(graph));
    if (elements > max_drawn_elements)
        return is_fault + fmt::format("the graph has {} nodes and edges; more than {} are not laid out",
                                      elements, max_drawn_elements);
    set_default_font(graph);
    GVC_t* context = gvContext();
    if (!context) return is_fault + fault_of("Graphviz does not start");
    if (gvLayout(context, graph, "dot") != 0) return is_fault + fault_of("Graphviz cannot lay the graph out");
    char* data = nullptr;
    unsigned size = 0;
    if (gvRenderData(context, graph, "svg", &data, &size) != 0 || !data)
        return is_fault + fault_of("Graphviz cannot write SVG");
    return is_svg + tidy(std::string_view(data, size));
}

std::string read_all(std::FILE* from) {
    std::string text, part(1 << 16, 0);
    for (std::size_t n; (n = std::fread(part.data(), 1, part.size(), from)) > 0;) text.append(part, 0, n);
    return text;
}

}  // namespace
}  // namespace treaty::draw

int main() {
    std::string answer = treaty::draw::lay_out(treaty::draw::read_all(stdin));
    bool written =
        std::fwrite(answer.data(), 1, answer.size(), stdout) == answer.size() && std::fflush(stdout) == 0;
    _exit(written ? 0 : 1);  // nothing was freed, and a sanitizer need not look for it
}
