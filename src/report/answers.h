// What a terminal and JSON show of each answer, beside what all answers have (report/result.h): one function
// per answer.
//
// Each is defined in answers/NAME_report.cpp. Answers with more to them than this have a header there, too.
#pragma once

#include <functional>

#include "report/pictures.h"
#include "report/result.h"

namespace treaty::api {
struct AdherenceAnswer;
struct CheckAnswer;
struct CompareTestsAnswer;
struct ComplyAnswer;
struct ConformAnswer;
struct DataAnswer;
struct DecodeAnswer;
struct ExploreAnswer;
struct FormatAnswer;
struct FormattedFile;
struct MineAnswer;
struct MutateAnswer;
struct ProjectAnswer;
struct ProxyAnswer;
struct RefineAnswer;
struct RepairAnswer;
struct ReplayAnswer;
struct RunAnswer;
struct ShowAnswer;
struct TestsAnswer;
struct UnfoldAnswer;
}  // namespace treaty::api

namespace treaty::report {

Own own_part(const api::AdherenceAnswer& answer);
Own own_part(const api::CheckAnswer& answer);
Own own_part(const api::CompareTestsAnswer& answer);
Own own_part(const api::ComplyAnswer& answer);
Own own_part(const api::ConformAnswer& answer);
Own own_part(const api::DataAnswer& answer);
Own own_part(const api::DecodeAnswer& answer);
Own own_part(const api::ExploreAnswer& answer);
Own own_part(const api::MineAnswer& answer);  // the protocol is in the text
Own own_part(const api::ProxyAnswer& answer);
Own own_part(const api::RefineAnswer& answer);
Own own_part(const api::ReplayAnswer& answer);
Own own_part(const api::RunAnswer& answer);

// shown: whether the text of a file is printed, and not written back to it or only compared.
Own own_part(const api::FormatAnswer& answer, const std::function<bool(const api::FormattedFile&)>& shown);

// list_killed: whether the killed mutants are listed, too, on a terminal.
Own own_part(const api::MutateAnswer& answer, bool list_killed);

// listing: how the machine is listed on a terminal; null if it is written to a file.
Own own_part(const api::ProjectAnswer& answer, const draw::Style* listing);
Own own_part(const api::RepairAnswer& answer, const draw::Style* listing);

// Draws the picture and writes it where it is wanted. What goes wrong is reported to the answer.
Own own_part(api::ShowAnswer& answer, const Wanted& wanted, const base::Deadline& deadline);

// list_cases: whether each case is listed with what it fixes, if the answer has them.
Own own_part(const api::TestsAnswer& answer, bool list_cases);

// shown: whether the text is part of it; else it is written to a file.
Own own_part(const api::UnfoldAnswer& answer, bool shown);

}  // namespace treaty::report
