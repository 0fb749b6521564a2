#include "cli/session.h"

#include <cerrno>
#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

#include "api/codes.h"
#include "base/check.h"
#include "base/file.h"
#include "draw/sequence_chart.h"
#include "report/pictures.h"
#include "report/render_diagnostics.h"

namespace treaty::cli {

Session::Session(std::string_view verb)
    : Inquiry(workspace_, context_, result), started_(std::chrono::steady_clock::now()) {
    result.verb = verb;
}

int Session::finish() {
    return finish(result, result.own());
}

int Session::finish(api::Answer& given, report::Own own) {
    TREATY_CHECK(given.verdict || !given.diagnostics.ok());
    given.diagnostics.sort_by_place();
    if (!given.verdict && given.reason.empty()) given.reason = report::summary(given.diagnostics);
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
    own.stats["seconds"] = elapsed.count();
    std::string out;
    if (options.json) {
        out = report::to_json_text(result.verb, given, own, sources());
    } else {
        std::string faults =
            report::render(given.diagnostics, sources(), draw::style_for(STDERR_FILENO, options.color));
        std::fwrite(faults.data(), 1, faults.size(), stderr);
        out = report::to_terminal(given, own, style());
    }
    if (auto written = base::write_file("-", out); !written) {
        // A reader that has seen enough (head) needs no message.
        if (errno != EPIPE) fmt::print(stderr, "treaty: {}\n", written.error());
        return static_cast<int>(base::Exit::world_failed);
    }
    return static_cast<int>(given.exit());
}

int Session::holds(std::string reason) {
    Inquiry::holds(std::move(reason));
    return finish();
}

int Session::fails(std::string reason) {
    Inquiry::fails(std::move(reason));
    return finish();
}

void Session::print(std::string_view text) const {
    if (options.json) return;
    if (progress_) progress_->clear();
    // What cannot be written now cannot be written in the end either, and that is reported then.
    auto ignored = base::write_file("-", text);
}

void Session::draw_witness(api::Answer& given, report::Own& own, const std::string& output) {
    if (output.empty() || !given.verdict) return;
    if (!given.witness) {
        own.text += fmt::format("no failing run, so {} is not written\n", output);
        return;
    }
    report::write_chart(given, own, draw::chart_of(*given.witness), output);
}

bool Session::write(const std::string& path, std::string_view text) {
    return write(result, path, text);
}

bool Session::write(api::Answer& given, const std::string& path, std::string_view text) {
    auto written = base::write_file(path, text);
    if (written) return true;
    given.diagnostics.report(api::codes::cannot_write, {}, written.error());
    given.verdict.reset();
    given.environment_failed = true;
    return false;
}

draw::Style Session::style() const {
    return draw::style_for(STDOUT_FILENO, options.color);
}

bool Session::on_terminal() const {
    return !options.json && isatty(STDERR_FILENO) == 1;
}

}  // namespace treaty::cli
