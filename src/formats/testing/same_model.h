// Whether two models are the same, up to what a notation may change.
#pragma once

#include <map>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "formats/json/json.h"
#include "formats/testing/reading.h"
#include "model/specification.h"

namespace treaty::formats::testing {

// A specification as JSON without what no text of the language says: which number a variable, a function or
// a shared expression has, the number at the end of a name of a variable or loop that is there twice (`x_2`),
// whether functions share a parameter, steps that are grouped because they came from a call, and messages
// that are neither declared nor used.
class PlainModel {
public:
    explicit PlainModel(const model::Specification& s) : model_(nlohmann::json::parse(write_json(s))) {
        for (const char* table : {"variables", "functions", "expressions"}) {
            if (!model_.contains(table)) continue;
            tables_[table] = model_[table];
            model_.erase(table);
        }
        std::erase_if(model_["messages"].get_ref<Json::array_t&>(),
                      [](const Json& message) { return !message.contains("declared"); });
        plain_ = plain(model_, "");
        // Functions that have a name are declared, whether they are used or not.
        for (std::size_t i = 0; i < tables_["functions"].size(); ++i)
            if (tables_["functions"][i].contains("name")) plain_["declared functions"].push_back(function(i));
    }

    std::string text() const { return plain_.dump(1); }

private:
    using Json = nlohmann::json;

    static bool holds_variables(const std::string& key) {
        return key == "var" || key == "let" || key == "variable" || key == "collects" ||
               key == "parameters" || key == "fields";
    }
    static bool holds_expressions(const std::string& key) {
        return key == "args" || key == "where" || key == "guard" || key == "condition" || key == "body" ||
               key == "arguments";
    }

    Json plain(const Json& value, const std::string& key) {
        if (value.is_number_integer() && holds_variables(key)) return variable(value);
        if (value.is_number_integer() && key == "function") return function(value);
        if (value.is_number_integer() && holds_expressions(key))
            return plain(tables_["expressions"][value.get<std::size_t>()], key);
        if (value.is_array()) {
            Json all = Json::array();
            for (const Json& one : value) all.push_back(plain(one, key));
            return all;
        }
        if (value.is_string() && (key == "loop" || key == "loops")) return without_number(value);
        if (!value.is_object()) return value;
        Json all = Json::object();
        for (const auto& [name, member] : value.items()) all[name] = plain(member, name);
        return without_groups(std::move(all));
    }

    static bool is_sequence(const Json& step) {
        return step.is_object() && step.value("kind", "") == "sequence" && step.contains("parts");
    }
    static Json without_groups(Json step) {
        if (!is_sequence(step)) return step;
        Json parts = Json::array();
        for (const Json& part : step["parts"]) {
            if (is_sequence(part))
                parts.insert(parts.end(), part["parts"].begin(), part["parts"].end());
            else
                parts.push_back(part);
        }
        if (parts.size() == 1) return parts[0];
        step["parts"] = std::move(parts);
        return step;
    }

    Json variable(std::size_t number) {
        auto [known, is_new] = numbers_.try_emplace(number, numbers_.size());
        Json described = tables_["variables"][number];
        described["name"] = without_number(described["name"]);
        described["number"] = known->second;
        return described;
    }
    static std::string without_number(std::string name) {
        std::size_t end = name.find_last_not_of("0123456789");
        if (end != std::string::npos && end + 1 < name.size() && name[end] == '_') name.erase(end);
        return name;
    }
    // One with a name by its name at its uses, and as it is declared once.
    Json function(std::size_t number) {
        Json written = tables_["functions"][number];
        if (written.contains("name") && !open_.emplace(number, true).second) return written["name"];
        std::map<std::size_t, std::size_t> outside;
        if (written.contains("name")) outside = std::exchange(numbers_, {});
        Json described = plain(written, "");
        if (written.contains("name")) numbers_ = std::move(outside);
        open_.erase(number);
        return described;
    }

    Json model_, plain_;
    std::map<std::string, Json> tables_;
    std::map<std::size_t, std::size_t> numbers_;
    std::map<std::size_t, bool> open_;
};

inline std::string plain_model(const model::Specification& s) {
    return PlainModel(s).text();
}

}  // namespace treaty::formats::testing
