// What a terminal and JSON show of each answer, beside what all answers have (report/result.h): one function
// per answer, and what else is shown of some.
//
// Each is defined in answers/NAME_report.cpp. Only `test` has a header of its own there, for its page.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "api/progress.h"
#include "report/pictures.h"
#include "report/result.h"

namespace treaty::api {
struct AdherenceAnswer;
struct CheckAnswer;
struct CheckPropertiesAnswer;
struct CompareTestsAnswer;
struct CompleteAnswer;
struct ComplyAnswer;
struct ConformAnswer;
struct DataAnswer;
struct DecodeAnswer;
struct DiffAnswer;
struct ExploreAnswer;
struct FailuresAnswer;
struct FormatAnswer;
struct FormattedFile;
struct GenerateAnswer;
struct MineAnswer;
struct MutateAnswer;
struct ProjectAnswer;
struct ProxyAnswer;
struct RefineAnswer;
struct RepairAnswer;
struct ReplayAnswer;
struct RunAnswer;
struct ShowAnswer;
struct SimulateAnswer;
struct SimulateNews;
struct StepAnswer;
struct TestsAnswer;
struct UnfoldAnswer;
struct WatchAnswer;
}  // namespace treaty::api

namespace treaty::report {

Own own_part(const api::AdherenceAnswer& answer);
Own own_part(const api::CheckAnswer& answer);
Own own_part(const api::CheckPropertiesAnswer& answer);
Own own_part(const api::CompareTestsAnswer& answer);
Own own_part(const api::ComplyAnswer& answer);
Own own_part(const api::ConformAnswer& answer);
// hex: bytes as a dump.
Own own_part(const api::DataAnswer& answer, bool hex = false);
Own own_part(const api::DecodeAnswer& answer);
Own own_part(const api::DiffAnswer& answer);
Own own_part(const api::ExploreAnswer& answer);
Own own_part(const api::FailuresAnswer& answer);
Own own_part(const api::GenerateAnswer& answer);
Own own_part(const api::MineAnswer& answer);  // the protocol is in the text
Own own_part(const api::ProxyAnswer& answer);
Own own_part(const api::RefineAnswer& answer);
Own own_part(const api::ReplayAnswer& answer);
Own own_part(const api::RunAnswer& answer);
Own own_part(const api::SimulateAnswer& answer);
Own own_part(const api::WatchAnswer& answer);

// shown_before: whether text_before_tests() was printed already.
Own own_part(const api::CompleteAnswer& answer, bool shown_before);
// What is known before the first test: the alphabet, and whether testing ends. Tests may take long, so it is
// printed before they are run.
std::string text_before_tests(const api::CompleteAnswer& answer);
// Writes a plan by the extension of `path`: .txt, a line each; .json; .csp, if the specification is a script.
// What goes wrong is reported to the answer, which then has no verdict.
void write_tests(api::CompleteAnswer& answer, const std::string& path);

// shown: whether the text of a file is printed, and not written back to it or only compared.
Own own_part(const api::FormatAnswer& answer, const std::function<bool(const api::FormattedFile&)>& shown);

// list_killed: whether the killed mutants are listed, too, on a terminal.
Own own_part(const api::MutateAnswer& answer, bool list_killed);
// The role's machine in DOT, with the places of the mutants that no test killed; the answer has a component.
// Red: a mutant of this transition or state survived, or was not decided; orange: it did, and no role could
// tell; grey: it is correct, too. Under the transition which, and how many.
std::string draw_survivors(const api::MutateAnswer& answer);

// listing: how the machine is listed on a terminal; null if it is written to a file.
Own own_part(const api::ProjectAnswer& answer, const draw::Style* listing);
Own own_part(const api::RepairAnswer& answer, const draw::Style* listing);

// Draws the picture and writes it where it is wanted. What goes wrong is reported to the answer.
Own own_part(api::ShowAnswer& answer, const Wanted& wanted, const base::Deadline& deadline);

// What happens in a simulation, as it happens: "sends   B -> A: answer(n = 7)   (line 5)"
std::string line_of(const api::SimulateNews& news);

Own own_part(const api::StepAnswer& answer, const draw::Style& style);
// The run as a chart; as a list where a chart does not fit, or where no role takes part.
std::string drawn(const model::Run& run, const draw::Style& style);

// list_cases: whether each case is listed with what it fixes, if the answer has them.
Own own_part(const api::TestsAnswer& answer, bool list_cases);

// shown: whether the text is part of it; else it is written to a file.
Own own_part(const api::UnfoldAnswer& answer, bool shown);

// How a watch goes, in one line of the stream that is written anew each time; the last one stays.
void show_live(std::FILE* stream, const api::Progress& progress);

}  // namespace treaty::report
