// Where records come from: a log, read from the beginning to its end, one record at a time.
//
// With a mapping, lines are read by it. Else open_source() looks at the first bytes: `{` is JSON lines,
// `<` is XML messages, a capture's magic number is a packet capture, anything else is the text form. A record
// that cannot be understood is given as a fault with its line and never stops the rest. JSON lines and text
// are read in one pass (line_reader.h) and can be followed; XML is read whole, at most `file_limit` bytes,
// entities are never expanded.
//
// A source knows where its last record began and can continue there later (mark, resume), so that a record is
// never lost and never given twice when a process is killed; pipes cannot.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "watch/line_reader.h"
#include "watch/record.h"

namespace treaty::wire {
class Codec;
}

namespace treaty::watch {

struct Mapping;

constexpr std::size_t file_limit = std::size_t{1} << 30;

enum class ReadResult : std::uint8_t { record, fault, wait, end };

// Where a record begins: the offset of its first line, the lines before it, and what the lines before said
// that still counts. An offset alone is after the last record.
struct Mark {
    std::uint64_t offset = 0, lines = 0;
    std::string rest;
};

// Records of a kind that were not understood, by the first of them.
struct UnknownRecords {
    std::uint64_t line = 0;
    std::string text;  // of the first, shortened, safe to show
    std::string reason;
    std::uint64_t count = 0;
};

class Source {
public:
    virtual ~Source() = default;
    // A record; or a fault (`fault` is the reason, `record.line` the place); or nothing yet; or the end. Both
    // are the caller's, so that a line costs no memory; only for this the fault is not a base::Result.
    virtual ReadResult next(Record& record, std::string& fault) = 0;
    // Whether records carry the data of their messages.
    virtual bool has_data() const { return true; }
    virtual void stop_following() {}
    virtual std::uint64_t unread() const { return 0; }  // bytes that are available and not yet read
    virtual std::uint64_t restarts() const { return 0; }
    // A source that collects them gives faults without a text.
    virtual const std::vector<UnknownRecords>* unknown() const { return nullptr; }
    virtual std::uint64_t left_out() const { return 0; }  // records that a mapping skips on purpose

    virtual bool can_resume() const { return false; }
    virtual Mark before_last() const { return {}; }  // of the last record or fault
    virtual Mark after_last() const { return {}; }
    virtual bool resume(const Mark&) { return false; }
    // A hash of the bytes before a mark, to recognise the log; 0: unknown.
    virtual std::uint64_t known_by(const Mark&) const { return 0; }
};

struct SourceOptions {
    model::RoleId owner;  // the role of the log, if the records do not have it (none: they must)
    bool follow = false;
    bool layouts = true;                 // JSON: lines are recognised where that can be (json_layout.h)
    const Mapping* mapping = nullptr;    // what lines mean; none: they are in a form that Treaty knows
    const wire::Codec* codec = nullptr;  // for bytes that are not decoded yet; none: they are faults
};

// A fault if the file cannot be read.
base::Result<std::unique_ptr<Source>> open_source(const std::string& path, const Vocabulary& vocabulary,
                                                  const SourceOptions& options);

std::unique_ptr<Source> json_source(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary,
                                    const SourceOptions& options);
std::unique_ptr<Source> text_source(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary,
                                    const SourceOptions& options);
base::Result<std::unique_ptr<Source>> xml_source(std::unique_ptr<LineReader> lines,
                                                 const Vocabulary& vocabulary);
// Lines that a mapping explains (mapping/mapping.h); the mapping must outlive it.
std::unique_ptr<Source> mapped_source(std::unique_ptr<LineReader> lines, const Vocabulary& vocabulary,
                                      const SourceOptions& options);
// A packet capture (capture.h).
base::Result<std::unique_ptr<Source>> capture_source(const std::string& path, const Vocabulary& vocabulary,
                                                     const SourceOptions& options);

}  // namespace treaty::watch
