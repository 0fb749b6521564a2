// A mapping and a log, with a line of dashes between them: whatever both are, reading ends, and every record
// has two roles, or is counted.
#include <cstdint>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "model/specification.h"
#include "watch/mapping/mapping.h"
#include "watch/record.h"
#include "watch/source.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace treaty;
    std::string_view input(reinterpret_cast<const char*>(data), size);
    constexpr std::string_view between = "\n----\n";
    auto at = input.find(between);
    std::string_view log =
        at == std::string_view::npos ? std::string_view() : input.substr(at + between.size());
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    auto mapping =
        watch::read_mapping(sources.add("fuzz.map", std::string(input.substr(0, at))), sources, diagnostics);
    TREATY_CHECK((mapping != nullptr) == diagnostics.ok());
    for (const base::Diagnostic& one : diagnostics.all()) TREATY_CHECK(sources.begin(one.span).line > 0);
    if (!mapping) return 0;
    int file = ::memfd_create("log", 0);
    if (file < 0 || ::write(file, log.data(), log.size()) != static_cast<ssize_t>(log.size())) return 0;
    model::Specification specification;
    watch::Vocabulary vocabulary(specification);
    watch::SourceOptions options;
    options.mapping = mapping.get();
    auto source = watch::open_source("/proc/self/fd/" + std::to_string(file), vocabulary, options);
    if (source) {
        watch::Record record;
        std::string fault;
        std::uint64_t faults = 0, known = 0;
        for (auto got = (*source)->next(record, fault); got != watch::ReadResult::end;
             got = (*source)->next(record, fault)) {
            TREATY_CHECK(got != watch::ReadResult::wait);
            if (got == watch::ReadResult::fault)
                ++faults;
            else
                TREATY_CHECK(record.from && record.to && record.from != record.to);
        }
        for (const watch::UnknownRecords& one : *(*source)->unknown()) known += one.count;
        TREATY_CHECK(known <= faults);
    }
    ::close(file);
    return 0;
}
