#include "api/campaigns/project_file.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "api/campaigns/toml.h"
#include "api/codes.h"
#include "base/limits.h"
#include "base/suggest.h"

namespace treaty::api {
namespace {

using Kind = TomlValue::Kind;

// Paths as they are seen from where Treaty runs.
class Folder {
public:
    explicit Folder(std::string_view file) : path_(std::filesystem::path(file).parent_path()) {}

    // One that begins with a placeholder, {tmp} or {env:HOME}, is not relative to anything.
    std::string resolve(const std::string& path) const {
        if (path_.empty() || path.starts_with('{')) return path;
        return (path_ / path).lexically_normal().string();
    }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

// Reads values of the types that settings have. What does not fit is reported, and is not set.
class Values {
public:
    explicit Values(base::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    void wrong(const TomlValue& value, std::string_view wanted) const {
        report(value, fmt::format("{} must be {}, not {}", value.key.empty() ? "this" : value.key, wanted,
                                  to_string(value.kind)));
    }
    base::Diagnostic& report(const TomlValue& value, std::string message) const {
        return diagnostics_.report(codes::wrong_setting, value.span, std::move(message));
    }

    std::optional<std::string> text(const TomlValue& value) const {
        if (value.kind != Kind::text) {
            wrong(value, "a string");
        } else if (value.text.find('\0') != std::string::npos) {
            report(value, fmt::format("{} has a null character", value.key));
        } else {
            return value.text;
        }
        return std::nullopt;
    }

    // A text, or an array of texts.
    std::vector<std::string> texts(const TomlValue& value) const {
        if (value.kind != Kind::text && value.kind != Kind::array) {
            wrong(value, "a string or an array of strings");
            return {};
        }
        std::vector<std::string> all;
        for (const TomlValue& one : value.kind == Kind::array ? value.children : std::vector{value})
            if (auto read = text(one)) all.push_back(std::move(*read));
        return all;
    }

    std::optional<std::uint64_t> count(const TomlValue& value) const {
        if (value.kind == Kind::integer && value.integer >= 0)
            return static_cast<std::uint64_t>(value.integer);
        if (value.kind == Kind::integer)
            report(value, fmt::format("{} must not be negative", value.key));
        else
            wrong(value, "a whole number");
        return std::nullopt;
    }

    std::optional<bool> flag(const TomlValue& value) const {
        if (value.kind == Kind::boolean) return value.boolean;
        wrong(value, "true or false");
        return std::nullopt;
    }

    // "250ms", or a number of seconds.
    std::optional<std::chrono::milliseconds> time(const TomlValue& value) const {
        if (value.kind != Kind::text && value.kind != Kind::integer) {
            wrong(value, "a duration such as \"250ms\", \"3s\" or \"5m\"");
            return std::nullopt;
        }
        auto duration =
            base::parse_duration(value.kind == Kind::text ? value.text : std::to_string(value.integer));
        if (duration && duration->count() > 0)
            return std::max(std::chrono::milliseconds(1),
                            std::chrono::duration_cast<std::chrono::milliseconds>(*duration));
        report(value, fmt::format("{} is not a duration", value.key)).help("\"250ms\", \"3s\" or \"5m\"");
        return std::nullopt;
    }

    std::optional<Strategy> strategy(const TomlValue& value) const {
        auto name = text(value);
        auto strategy = name ? parse_strategy(*name) : std::nullopt;
        if (name && !strategy) {
            std::string_view meant = base::nearest(*name, strategy_names());
            report(value, fmt::format("unknown strategy {}", *name))
                .help(meant.empty() ? fmt::format("{}", fmt::join(strategy_names(), ", "))
                                    : fmt::format("did you mean {}?", meant));
        }
        return strategy;
    }

    // A table of variables as NAME=VALUE.
    std::vector<std::string> variables(const TomlValue& value) const {
        std::vector<std::string> all;
        if (value.kind != Kind::table) wrong(value, "a table of variables, such as { LOG = \"debug\" }");
        if (value.kind != Kind::table) return all;
        for (const TomlValue& one : value.children) {
            if (one.key.empty() || one.key.find('=') != std::string::npos ||
                one.key.find('\0') != std::string::npos)
                diagnostics_.report(codes::wrong_setting, one.key_span, "this is not the name of a variable");
            else if (one.kind == Kind::integer)
                all.push_back(fmt::format("{}={}", one.key, one.integer));
            else if (one.kind == Kind::boolean)
                all.push_back(fmt::format("{}={}", one.key, one.boolean));
            else if (auto read = text(one))
                all.push_back(one.key + "=" + *read);
        }
        return all;
    }

private:
    base::Diagnostics& diagnostics_;
};

// What one table sets.
struct Read {
    TestSettings settings;
    std::map<std::string, base::Span, std::less<>> spans;
};

class ProjectReader {
public:
    ProjectReader(std::string_view path, base::Diagnostics& diagnostics)
        : folder_(path), diagnostics_(diagnostics), values_(diagnostics) {}

    ProjectFile read(const TomlValue& root) {
        if (const TomlValue* defaults = root.find("defaults")) read_defaults(*defaults);
        for (const TomlValue& one : root.children) {
            if (one.key == "campaign")
                read_campaigns(one);
            else if (one.key != "defaults")
                unknown(one, {"defaults", "campaign"}, "the file has [defaults] and [[campaign]] tables");
        }
        const TomlValue* campaigns = root.find("campaign");
        if (!campaigns || (campaigns->kind == Kind::array && campaigns->children.empty()))
            diagnostics_.report(codes::missing_setting, {root.span.file, 0, 0}, "the file has no campaign")
                .help("a campaign begins with [[campaign]] and has at least name, file and cut");
        project_.junit = defaults_.settings.junit;
        return std::move(project_);
    }

private:
    void unknown(const TomlValue& entry, const std::vector<std::string_view>& known,
                 std::string otherwise) const {
        std::string_view meant = base::nearest(entry.key, known);
        diagnostics_.report(codes::unknown_setting, entry.key_span, fmt::format("unknown key {}", entry.key))
            .help(meant.empty() ? std::move(otherwise) : fmt::format("did you mean {}?", meant));
    }

    void read_defaults(const TomlValue& table) {
        if (table.kind != Kind::table) return values_.wrong(table, "a table: [defaults]");
        for (const TomlValue& one : table.children)
            if (!read_setting(one, defaults_)) unknown_setting(one);
    }

    void read_campaigns(const TomlValue& array) {
        if (array.kind != Kind::array) return values_.wrong(array, "an array of tables: [[campaign]]");
        for (const TomlValue& one : array.children) {
            if (one.kind == Kind::table)
                read_campaign(one);
            else
                values_.wrong(one, "a table");
        }
    }

    void read_campaign(const TomlValue& table) {
        Campaign campaign;
        campaign.span = table.span;
        bool named = read_name(table, campaign);
        Read own;
        for (const TomlValue& one : table.children) {
            if (one.key == "name") continue;
            if (one.key == "junit")
                diagnostics_
                    .report(codes::unknown_setting, one.key_span, "a campaign has no junit of its own")
                    .help("one report has all campaigns: set junit in [defaults], or use --junit");
            else if (!read_setting(one, own))
                unknown_setting(one);
        }
        campaign.spans = defaults_.spans;
        for (const auto& [name, span] : own.spans) campaign.spans[name] = span;
        campaign.settings = replaced(for_campaign(defaults_.settings, campaign.name), own.settings);
        if (!campaign.settings.dir && !folder_.path().empty()) campaign.settings.dir = folder_.path();
        if (named) require(campaign);
        project_.campaigns.push_back(std::move(campaign));
    }

    // False after reporting that there is none, or not a good one.
    bool read_name(const TomlValue& table, Campaign& campaign) const {
        const TomlValue* name = table.find("name");
        if (!name) {
            diagnostics_.report(codes::missing_setting, table.span, "the campaign has no name")
                .help("for example name = \"stock\"");
            return false;
        }
        campaign.span = name->span;
        auto text = values_.text(*name);
        if (!text) return false;
        campaign.name = *text;
        if (text->empty() || text->find('/') != std::string::npos) {
            values_.report(*name, "the name of a campaign must not be empty or contain a slash");
            return false;
        }
        for (const Campaign& other : project_.campaigns)
            if (other.name == campaign.name) {
                diagnostics_
                    .report(codes::same_campaign, name->span,
                            fmt::format("two campaigns have the name {}", campaign.name))
                    .label(other.span, "the other one");
                return false;
            }
        return true;
    }

    void require(const Campaign& campaign) const {
        auto need = [&](const std::optional<std::string>& setting, std::string_view name,
                        std::string_view example) {
            if (setting || campaign.spans.contains(name)) return;
            diagnostics_
                .report(codes::missing_setting, campaign.span,
                        fmt::format("campaign {} has no {}", campaign.name, name))
                .help(fmt::format("set it here or in [defaults]: {} = \"{}\"", name, example));
        };
        need(campaign.settings.file, "file", "FILE.treaty");
        need(campaign.settings.cut, "cut", "ROLE");
    }

    void unknown_setting(const TomlValue& entry) const {
        unknown(entry, setting_names(),
                "settings are named as the options of treaty test; treaty test --help lists them");
    }

    // False if there is no setting of that name.
    bool read_setting(const TomlValue& entry, Read& into) {
        into.spans[entry.key] = entry.span;
        TestSettings& settings = into.settings;
        bool known = read_kind(entry, text_settings, settings, [&] { return values_.text(entry); }) ||
                     read_kind(entry, word_list_settings, settings, [&] { return words(entry); }) ||
                     read_kind(entry, path_settings, settings, [&] { return path(entry); }) ||
                     read_kind(entry, count_settings, settings, [&] { return values_.count(entry); }) ||
                     read_kind(entry, time_settings, settings, [&] { return values_.time(entry); }) ||
                     read_kind(entry, flag_settings, settings, [&] { return values_.flag(entry); });
        return known || read_other(entry, settings);
    }

    template <class List, class ReadValue>
    static bool read_kind(const TomlValue& entry, const List& list, TestSettings& into,
                          const ReadValue& read_value) {
        for (const auto& one : list) {
            if (one.name != entry.key) continue;
            into.*one.member = read_value();
            return true;
        }
        return false;
    }

    bool read_other(const TomlValue& entry, TestSettings& into) {
        if (entry.key == "strategy")
            into.strategy = values_.strategy(entry);
        else if (entry.key == "via")
            into.via = addresses(entry);
        else if (entry.key == "ready")
            into.ready = values_.texts(entry);
        else if (entry.key == "with")
            into.with = companions(entry);
        else if (entry.key == "env")
            into.env = values_.variables(entry);
        else
            return false;
        return true;
    }

    std::optional<std::string> path(const TomlValue& entry) const {
        auto text = values_.text(entry);
        if (text) text = folder_.resolve(*text);
        return text;
    }

    std::optional<std::string> words(const TomlValue& entry) const {
        return fmt::format("{}", fmt::join(values_.texts(entry), ","));
    }

    // A table has one address per role.
    std::vector<std::string> addresses(const TomlValue& entry) const {
        if (entry.kind != Kind::table) return values_.texts(entry);
        std::vector<std::string> all;
        for (const TomlValue& one : entry.children)
            if (auto address = values_.text(one)) all.push_back(one.key + "=" + *address);
        return all;
    }

    std::vector<CompanionSettings> companions(const TomlValue& entry) {
        std::vector<CompanionSettings> all;
        bool one_text = entry.kind == Kind::text;
        if (!one_text && entry.kind != Kind::array)
            values_.wrong(entry, "an array of programs, as tables or as strings NAME=COMMAND");
        for (const TomlValue& one : one_text ? std::vector{entry} : entry.children) {
            if (entry.kind != Kind::array && !one_text) break;
            auto companion = one.kind == Kind::table ? read_companion(one) : short_companion(one);
            if (companion) all.push_back(std::move(*companion));
        }
        return all;
    }

    std::optional<CompanionSettings> short_companion(const TomlValue& value) const {
        auto with = values_.text(value);
        if (!with) return std::nullopt;
        return CompanionSettings{*with, {}, {{}, folder_.path()}};
    }

    std::optional<CompanionSettings> read_companion(const TomlValue& table) const {
        std::optional<std::string> name, run;
        CompanionSettings companion{{}, {}, {{}, folder_.path()}};
        for (const TomlValue& one : table.children) {
            if (one.key == "name")
                name = values_.text(one);
            else if (one.key == "run")
                run = values_.text(one);
            else if (one.key == "ready")
                companion.ready = values_.text(one).value_or("");
            else if (one.key == "env")
                companion.surroundings.variables = values_.variables(one);
            else if (one.key == "dir")
                companion.surroundings.directory = path(one).value_or("");
            else
                unknown(one, {"name", "run", "ready", "env", "dir"},
                        "a program has name, run, ready, env and dir");
        }
        for (std::string_view needed : {"name", "run"})
            if (!table.find(needed))
                diagnostics_.report(codes::missing_setting, table.span,
                                    fmt::format("the program has no {}", needed));
        if (!name || !run) return std::nullopt;
        if (name->empty() || name->find('=') != std::string::npos)
            values_.report(*table.find("name"), "the name of a program must not be empty or contain =");
        companion.with = *name + "=" + *run;
        return companion;
    }

    Folder folder_;
    base::Diagnostics& diagnostics_;
    Values values_;
    Read defaults_;
    ProjectFile project_;
};

}  // namespace

std::optional<ProjectFile> read_project_file(base::FileId file, const base::SourceMap& sources,
                                             base::Diagnostics& diagnostics) {
    auto root = read_toml(file, sources, diagnostics);
    if (!root) return std::nullopt;
    std::size_t before = diagnostics.errors();
    ProjectFile project = ProjectReader(sources.path(file), diagnostics).read(*root);
    if (diagnostics.errors() > before) return std::nullopt;
    return project;
}

}  // namespace treaty::api
