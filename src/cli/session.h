// One run of one verb: the command line's options, the question's context, and how the answer is printed.
//
// An answer is printed once, at the end, and gives the exit code: with --json only the envelope on standard
// output; else diagnostics to standard error and the rest to standard output.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "api/inquiry.h"
#include "draw/style.h"
#include "report/progress.h"
#include "report/result.h"

namespace treaty::cli {

// The options that every verb has and that concern only how it prints. The rest is in the context
// (api/context.h).
struct Options {
    bool json = false;
    draw::ColorChoice color = draw::ColorChoice::automatic;
    bool seeded = false;  // the seed of the context was given
};

class Session : public api::Inquiry {
public:
    explicit Session(std::string_view verb);

    Options options;
    report::Result result;

    // Ends with the result as it is. A result without an answer whose diagnostics have no error is ours
    // to mend, so that is checked.
    int finish();
    int holds(std::string reason = {});
    int fails(std::string reason);

    // Asks a question of the api, with progress on the terminal while it lasts:
    //     api::CheckAnswer answer = session.ask(api::check, question);
    template <class Answer, class Question>
    Answer ask(Answer (*api)(const api::Workspace&, const Question&, const api::Context&),
               const Question& question) {
        report::Progress line(stderr, on_terminal());
        progress_ = &line;
        context_.progress = [&](const api::Progress& progress) {
            line.update([&] { return report::progress_line(progress); });
        };
        Answer given = api(workspace_, question, context_);
        context_.progress = nullptr;
        progress_ = nullptr;
        return given;
    }

    // Prints a part of the answer before the rest is known, while a question is asked; nothing with --json.
    void print(std::string_view text) const;

    // Writes the witness as a sequence chart, by the extension of `output`; nothing if that is empty. What
    // cannot be written is reported to the answer, which then has no verdict.
    void draw_witness(api::Answer& given, report::Own& own, const std::string& output);

    // Prints any answer and ends; `own` is what is particular to it (report/).
    int finish(api::Answer& given, report::Own own);

    // Writes a file; a refusal is reported and makes the run end with "environment error".
    bool write(const std::string& path, std::string_view text);
    // The same, reported to this answer, which then has no verdict.
    static bool write(api::Answer& given, const std::string& path, std::string_view text);

    api::Context& settings() { return context_; }
    draw::Style style() const;  // of standard output
    bool on_terminal() const;   // whether a person watches standard error

private:
    api::Workspace workspace_;
    api::Context context_;
    report::Progress* progress_ = nullptr;  // while a question is asked
    std::chrono::steady_clock::time_point started_;
};

}  // namespace treaty::cli
