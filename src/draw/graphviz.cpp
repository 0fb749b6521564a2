// The child lays out and writes one byte, whether it is a picture or a fault, and then the text of it into a
// pipe. The parent reads until the pipe ends, the time is up, or the user interrupts.
#include "draw/graphviz.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <graphviz/gvc.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/utf8.h"

namespace treaty::draw {
namespace {

constexpr char is_svg = 'S';
constexpr char is_fault = 'F';

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

// Runs in the child, which ends right after: nothing is freed.
Drawing lay_out(const std::string& dot) {
    agseterrf(keep_complaint);
    agseterr(AGERR);
    Agraph_t* graph = agmemread(dot.c_str());
    if (!graph) return {std::nullopt, fault_of("the graph cannot be read")};
    auto elements = static_cast<std::size_t>(agnnodes(graph)) + static_cast<std::size_t>(agnedges(graph));
    if (elements > max_drawn_elements)
        return {std::nullopt, fmt::format("the graph has {} nodes and edges; more than {} are not laid out",
                                          elements, max_drawn_elements)};
    set_default_font(graph);
    GVC_t* context = gvContext();
    if (!context) return {std::nullopt, fault_of("Graphviz does not start")};
    if (gvLayout(context, graph, "dot") != 0)
        return {std::nullopt, fault_of("Graphviz cannot lay the graph out")};
    char* data = nullptr;
    unsigned size = 0;
    if (gvRenderData(context, graph, "svg", &data, &size) != 0 || !data)
        return {std::nullopt, fault_of("Graphviz cannot write SVG")};
    return {tidy(std::string_view(data, size)), {}};
}

[[noreturn]] void be_the_child(const std::string& dot, int pipe_end) {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    Drawing drawing = lay_out(dot);
    std::string answer = drawing.svg ? is_svg + *drawing.svg : is_fault + drawing.fault;
    for (std::string_view rest = answer; !rest.empty();) {
        ssize_t written = write(pipe_end, rest.data(), rest.size());
        if (written < 0 && errno != EINTR) break;
        if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    }
    _exit(0);
}

// What the child writes; the fault says why it was not waited for any longer.
Drawing read_answer(int pipe_end, std::chrono::milliseconds limit, const base::Deadline& whole) {
    base::Deadline deadline = whole.part(limit);
    std::string answer;
    while (true) {
        if (deadline.interrupted())
            return {std::nullopt, "interrupted while Graphviz was laying the graph out"};
        if (deadline.passed())
            return {std::nullopt, fmt::format("Graphviz needs more than {:.3g} seconds to lay the graph out",
                                              std::chrono::duration<double>(limit).count())};
        pollfd ready{pipe_end, POLLIN, 0};
        if (poll(&ready, 1, 50) <= 0) continue;
        char buffer[1 << 16];
        ssize_t got = read(pipe_end, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        answer.append(buffer, static_cast<std::size_t>(got));
    }
    if (answer.empty()) return {std::nullopt, "Graphviz broke down over this graph"};
    char kind = answer.front();
    answer.erase(0, 1);
    if (kind == is_svg) return {std::move(answer), {}};
    return {std::nullopt, std::move(answer)};
}

}  // namespace

Drawing svg_of_dot(const std::string& dot, const base::Deadline& deadline, std::chrono::milliseconds limit) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return {std::nullopt, fmt::format("cannot draw: {}", std::strerror(errno))};
    pid_t child = fork();
    if (child == 0) be_the_child(dot, ends[1]);
    close(ends[1]);
    Drawing drawing;
    if (child < 0) {
        drawing.fault = fmt::format("cannot draw: {}", std::strerror(errno));
    } else {
        drawing = read_answer(ends[0], limit, deadline);
        kill(child, SIGKILL);  // does nothing to one that has ended
        while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    close(ends[0]);
    return drawing;
}

}  // namespace treaty::draw
