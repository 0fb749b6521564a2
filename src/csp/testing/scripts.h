// Scripts that tests read from a text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "csp/script.h"

namespace treaty::csp {

struct Read {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    std::unique_ptr<Script> script;

    explicit Read(std::string text) {
        base::FileId file = sources.add("test.csp", std::move(text));
        script = Script::read(sources, file, diagnostics);
    }
    std::string faults() const {
        std::string all;
        for (const auto& d : diagnostics.all())
            all += fmt::format("{} {}\n", base::to_string(*d.code), d.message);
        return all;
    }
};

// What the type checker says of the script.
inline std::string type_errors(const std::string& text) {
    Read read(text);
    if (!read.script) return "not read: " + read.faults();
    read.script->check_types(read.diagnostics);
    return read.faults();
}

// Every assertion of the script holds. Its types need not fit: scripts are evaluated without them.
inline void expect_all_hold_untyped(const std::string& text, const explore::Limits& limits = {}) {
    Read read(text);
    ASSERT_TRUE(read.script) << read.faults() << text;
    ASSERT_GT(read.script->assertion_count(), 0u);
    for (std::size_t i = 0; i < read.script->assertion_count(); ++i) {
        Checked checked = read.script->check(i, limits);
        EXPECT_EQ(checked.answer, base::Answer::holds) << checked.text << ": " << checked.reason << '\n'
                                                       << read.faults();
    }
}

inline void expect_all_hold(const std::string& text, const explore::Limits& limits = {}) {
    EXPECT_EQ(type_errors(text), "") << text;
    expect_all_hold_untyped(text, limits);
}

}  // namespace treaty::csp
