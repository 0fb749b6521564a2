#include "report/draw.h"

#include <memory>
#include <mutex>

#include <fmt/format.h>
#include <graphviz/gvc.h>

#include "report/utf8.h"

#if defined(__SANITIZE_ADDRESS__)
// What Graphviz and the font library below it never give back is not ours to free.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libfontconfig\nleak:libgvc\nleak:libpango\nleak:libcairo\nleak:libglib\n";
}
extern "C" const char* __lsan_default_options();
extern "C" const char* __lsan_default_options() {
    return "print_suppressions=0";
}
#endif

namespace treaty::report {
namespace {

// Graphviz reports through a function without a context, so the text it gives has to be kept beside it.
std::string& complaint() {
    thread_local std::string text;
    return text;
}

int keep_complaint(char* text) {
    std::string& kept = complaint();
    if (kept.size() < 300) kept += text;
    return 0;
}

// One context for the whole process, never freed: its plugins keep pointers into it in statics of their own,
// so a second context would read what the first one freed.
GVC_t* the_context() {
    static GVC_t* context = gvContext();
    return context;
}

struct FreeGraph {
    void operator()(Agraph_t* graph) const { agclose(graph); }
};
struct FreeData {
    void operator()(char* data) const { gvFreeRenderData(data); }
};

std::string fault_of(std::string_view what) {
    std::string text = complaint();
    for (char& c : text)
        if (c == '\n') c = ' ';
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text.empty() ? std::string(what) : fmt::format("{}: {}", what, printable(text));
}

constexpr std::string_view style_sheet = R"(<style>
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
[stroke="black"] { stroke: #e6edf3; }
[fill="black"] { fill: #e6edf3; }
[fill="white"] { fill: #0d1117; }
[stroke="white"] { stroke: #0d1117; }
}
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

}  // namespace

Drawing draw(const std::string& dot) {
    static std::mutex one_at_a_time;
    std::lock_guard lock(one_at_a_time);
    complaint().clear();
    agseterrf(keep_complaint);
    agseterr(AGERR);
    std::unique_ptr<Agraph_t, FreeGraph> graph(agmemread(dot.c_str()));
    if (!graph) return {std::nullopt, fault_of("the graph cannot be read")};
    auto elements =
        static_cast<std::size_t>(agnnodes(graph.get())) + static_cast<std::size_t>(agnedges(graph.get()));
    if (elements > max_drawn_elements)
        return {std::nullopt, fmt::format("the graph has {} nodes and edges; more than {} are not laid out",
                                          elements, max_drawn_elements)};
    set_default_font(graph.get());
    GVC_t* context = the_context();
    if (!context) return {std::nullopt, fault_of("Graphviz does not start")};
    if (gvLayout(context, graph.get(), "dot") != 0)
        return {std::nullopt, fault_of("Graphviz cannot lay the graph out")};
    char* data = nullptr;
    unsigned size = 0;
    int failed = gvRenderData(context, graph.get(), "svg", &data, &size);
    std::unique_ptr<char, FreeData> owned(data);
    Drawing drawing;
    if (failed == 0 && data)
        drawing.svg = tidy(std::string_view(data, size));
    else
        drawing.fault = fault_of("Graphviz cannot write SVG");
    gvFreeLayout(context, graph.get());
    return drawing;
}

}  // namespace treaty::report
