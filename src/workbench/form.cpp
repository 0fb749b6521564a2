#include "workbench/form.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "base/limits.h"

namespace treaty::workbench {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
        if (!line.empty()) lines.emplace_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

Json& Form::describe(std::string_view name, std::string_view kind, std::string_view about, Needed needed) {
    fields_.push_back({{"name", name}, {"kind", kind}, {"about", about}, {"needed", needed == Needed::yes}});
    return fields_.back();
}

const Json* Form::value(std::string_view name, Needed needed) {
    if (!values_) return nullptr;
    auto found = values_->find(name);
    bool empty = found == values_->end() || found->is_null() ||
                 (found->is_string() && found->get_ref<const std::string&>().empty());
    if (!empty) return &*found;
    if (needed == Needed::yes) fault(name, "is needed");
    return nullptr;
}

void Form::fault(std::string_view name, std::string_view text) {
    faults_.push_back(fmt::format("{}: {}", name, text));
}

std::optional<std::string> Form::text_of(std::string_view name, Needed needed) {
    const Json* given = value(name, needed);
    if (!given) return std::nullopt;
    if (given->is_string()) return given->get<std::string>();
    fault(name, "a text is expected");
    return std::nullopt;
}

bool Form::confine(std::string_view name, const std::string& path) {
    // These mean standard input and live traffic wherever logs are read.
    if (path == "-" || path.starts_with("capture:")) {
        fault(name, fmt::format("{} is not a file of the folder", path));
        return false;
    }
    auto relative = folder_.inside(path);
    if (!relative) {
        fault(name, relative.error());
        return false;
    }
    // Opening a pipe could take for ever.
    std::error_code ignored;
    std::filesystem::file_status status =
        std::filesystem::status(std::filesystem::path(folder_.root()) / *relative, ignored);
    bool usable = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status) ||
                  std::filesystem::is_directory(status);
    if (!usable) fault(name, fmt::format("{} is not a plain file", path));
    return usable;
}

void Form::file(std::string_view name, std::string& into, std::string_view about, Needed needed) {
    describe(name, "file", about, needed);
    if (auto given = text_of(name, needed); given && confine(name, *given)) into = *given;
}

void Form::files(std::string_view name, std::vector<std::string>& into, std::string_view about,
                 Needed needed) {
    describe(name, "files", about, needed);
    auto given = text_of(name, needed);
    if (!given) return;
    for (const std::string& line : lines_of(*given)) {
        std::size_t equals = line.find('=');
        if (confine(name, equals == std::string::npos ? line : line.substr(equals + 1))) into.push_back(line);
    }
}

void Form::logs(std::string_view name, std::vector<std::string>& into) {
    describe(name, "files",
             live_
                 ? "logs, one per line; ROLE=FILE for the log of one role; capture:INTERFACE for live traffic"
                 : "logs, one per line; ROLE=FILE for the log of one role",
             Needed::yes);
    auto given = text_of(name, Needed::yes);
    if (!given) return;
    for (const std::string& line : lines_of(*given)) {
        std::string path = line.substr(line.find('=') == std::string::npos ? 0 : line.find('=') + 1);
        if ((live_ && path.starts_with("capture:")) || confine(name, path)) into.push_back(line);
    }
}

void Form::text(std::string_view name, std::string& into, std::string_view about, Needed needed) {
    describe(name, "text", about, needed);
    if (auto given = text_of(name, needed)) into = *given;
}

void Form::role(std::string_view name, std::string& into, std::string_view about, Needed needed) {
    describe(name, "role", about, needed);
    if (auto given = text_of(name, needed)) into = *given;
}

void Form::texts(std::string_view name, std::vector<std::string>& into, std::string_view about,
                 Needed needed) {
    describe(name, "texts", about, needed);
    if (auto given = text_of(name, needed)) into = lines_of(*given);
}

void Form::number(std::string_view name, std::optional<std::uint64_t>& into, std::string_view about,
                  std::uint64_t most) {
    describe(name, "number", about, Needed::no);
    const Json* given = value(name, Needed::no);
    if (!given) return;
    std::uint64_t read = 0;
    bool good = given->is_number_unsigned();
    if (good) {
        read = given->get<std::uint64_t>();
    } else if (given->is_string()) {
        const auto& text = given->get_ref<const std::string&>();
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
        good = error == std::errc() && end == text.data() + text.size();
    }
    if (!good || read > most) return fault(name, fmt::format("a number from 0 to {} is expected", most));
    into = read;
}

void Form::number(std::string_view name, std::uint64_t& into, std::string_view about, std::uint64_t most) {
    std::optional<std::uint64_t> read;
    number(name, read, about, most);
    into = read.value_or(into);
}

void Form::flag(std::string_view name, bool& into, std::string_view about) {
    describe(name, "flag", about, Needed::no);
    const Json* given = value(name, Needed::no);
    if (given && !given->is_boolean()) return fault(name, "yes or no is expected");
    if (given) into = given->get<bool>();
}

void Form::choice(std::string_view name, std::string& into, std::initializer_list<std::string_view> choices,
                  std::string_view about) {
    describe(name, "choice", about, Needed::no)["choices"] = choices;
    into = *choices.begin();
    auto given = text_of(name, Needed::no);
    if (!given) return;
    if (std::find(choices.begin(), choices.end(), *given) == choices.end())
        return fault(name, fmt::format("{} is not one of the choices", *given));
    into = *given;
}

void Form::time(std::string_view name, std::optional<std::chrono::milliseconds>& into,
                std::string_view about) {
    describe(name, "time", about, Needed::no);
    auto given = text_of(name, Needed::no);
    if (!given) return;
    auto read = base::parse_duration(*given);
    if (!read) return fault(name, fmt::format("{} is not a time; for example 500ms or 20s", *given));
    into = std::chrono::duration_cast<std::chrono::milliseconds>(*read);
}

void Form::protocol(std::string& into) {
    describe("protocol", "protocol", "which protocol of the file (the last one, if nothing is chosen)",
             Needed::no);
    if (auto given = text_of("protocol", Needed::no)) into = *given;
}

void Form::channels(std::optional<model::Mode>& mode, std::optional<std::uint32_t>& bound) {
    std::string chosen;
    choice("mode", chosen, {"", "sync", "fifo", "bag", "mailbox"},
           "how channels behave (as the file states, or fifo)");
    mode = model::parse_mode(chosen);
    std::optional<std::uint64_t> capacity;
    number("bound", capacity, "capacity of each channel (no limit, if it is empty)", 1'000'000);
    if (capacity && *capacity == 0) return fault("bound", "must be at least 1");
    if (capacity) bound = static_cast<std::uint32_t>(*capacity);
}

}  // namespace treaty::workbench
