#include "cli/session.h"

#include <cerrno>
#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

#include "base/check.h"
#include "base/file.h"
#include "cli/codes.h"
#include "report/render_diagnostics.h"

namespace treaty::cli {

Session::Session(std::string_view verb) : started_(std::chrono::steady_clock::now()) {
    result.verb = verb;
}

int Session::finish() {
    TREATY_CHECK(result.answer || !diagnostics.ok());
    diagnostics.sort_by_place();
    if (!result.answer && result.reason.empty()) result.reason = report::summary(diagnostics);
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
    result.stats["seconds"] = elapsed.count();
    std::string out;
    if (options.json) {
        out = report::to_json_text(result, diagnostics, sources);
    } else {
        std::string faults =
            report::render(diagnostics, sources, report::style_for(STDERR_FILENO, options.color));
        std::fwrite(faults.data(), 1, faults.size(), stderr);
        out = report::to_terminal(result, style());
    }
    if (auto fault = base::write_file("-", out)) {
        // A reader that has seen enough (head) needs no message.
        if (errno != EPIPE) fmt::print(stderr, "treaty: {}\n", *fault);
        return static_cast<int>(base::Exit::world_failed);
    }
    return static_cast<int>(result.exit());
}

int Session::holds(std::string reason) {
    result.answer = base::Answer::holds;
    result.reason = std::move(reason);
    return finish();
}

int Session::fails(std::string reason) {
    result.answer = base::Answer::fails;
    result.reason = std::move(reason);
    return finish();
}

bool Session::write(const std::string& path, std::string_view text) {
    auto fault = base::write_file(path, text);
    if (!fault) return true;
    report(codes::cannot_write, *fault);
    result.answer.reset();
    result.world_failed = true;
    return false;
}

base::Diagnostic& Session::report(const base::Code& code, std::string message) {
    return diagnostics.report(code, {}, std::move(message));
}

report::Style Session::style() const {
    return report::style_for(STDOUT_FILENO, options.color);
}

bool Session::on_terminal() const {
    return !options.json && isatty(STDERR_FILENO) == 1;
}

}  // namespace treaty::cli
