// Names of the protocol as names in programming languages.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace treaty::generate {

enum class Language : unsigned char { cpp, python, typescript };

std::string_view to_string(Language language);  // as --language names it

// Letters, digits and underscores, not beginning with a digit; other bytes as numbers, so that names that
// differ stay different.
std::string identifier(std::string_view name);
// The same with an underscore added to what is a word of the language, or a name that generated code uses.
std::string identifier(std::string_view name, Language language);
std::string camel_case(std::string_view name);  // authReq and auth_req: AuthReq
std::string snake_case(std::string_view name);  // AuthReq: auth_req

// What has a name; each kind has names of its own in Treaty, but not in programming languages.
enum class Declared : unsigned char { message, type, function, role, variable };

// Identifiers that differ where the names do: a name that is taken gets a number.
class Scope {
public:
    using Key = std::pair<Declared, std::uint32_t>;  // the index of its id

    explicit Scope(Language language) : language_(language) {}
    // Always the same for the same key.
    const std::string& name(Key key, std::string_view name);
    void reserve(std::string name) { used_.insert(std::move(name)); }
    Language language() const { return language_; }

private:
    Language language_;
    std::map<Key, std::string> names_;
    std::set<std::string> used_;
};

}  // namespace treaty::generate
